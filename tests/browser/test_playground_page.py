"""The playground in a real browser, in a person's hands: text and chips, tokenizers, uploads, links, files,
hostile input.

Sources and oracles: for the tokenizers trained here, the engine, asked directly for the same corpus, rules,
step and text; for uploads, the `tokenizers` and `tiktoken` packages with the same vocabulary; the text
itself, to be given back by copied chips; the browser for places, widths, history, and for the effects of
hostile text on the page. State is read from the page: the row of ids, the figures, the chips, the address.
The text box and the chips by themselves are in `test_chips.py`; damaged links, tokenizers with alike names
and public ones without a network, in `tests/pages/test_playground.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
import regex
from playwright.sync_api import Locator, Page, Request, TimeoutError, expect
from tokenizers import AddedToken, BertWordPieceTokenizer, Tokenizer, models, pre_tokenizers

from tests.app.catalogue.test_loaded import bert, oracle, tiktoken_file, tiktokens, trained
from tests.browser.conftest import ROOT, as_a_newcomer
from tests.browser.hands import choose, retype
from tests.browser.test_bpe_page import FOCUS, HOSTILE, TOO_LONG, TRACES_OF_ATTACK, WIDTHS
from tests.browser.test_bpe_page import Bpe as Learner
from tests.browser.test_chips import box, chip, copied, has_written, lit, written
from tokenizers_core import Tokenizer as EngineTokenizer
from tokensteps.catalogue.analysis import interpret_escapes
from tokensteps.catalogue.choices import READY, TokenizerSpec, title
from tokensteps.catalogue.texts import TEXTS
from tokensteps.limits import LINK_LIMIT, TYPED_RATE
from tokensteps.pages.explore.playground_chips import STRETCHES_SHOWN
from tokensteps.runs.corpora import pack_text, unpack_text

BPE, PIECES, UNIGRAM = "bpe?corpus=mixed&alphabet=bytes", "wordpiece?corpus=mixed", "unigram?corpus=mixed"
COURSE, HUG = "bpe?corpus=course", "bpe?corpus=hug"
SPECIAL = "<|endoftext|>"
MULTILINGUAL = (
    "Café, cafe\u0301 and o\u0323\u0301 again\r\n👨‍👩‍👧‍👦 👍🏽 🏳️‍🌈 🇯🇵, next\r\nשלום עולם, עִבְרִית 12\r\n"
    "مرحبا بالعالم ١٢٣ تُكتب\r\n日本語の文章、中文字符 한국어\r\nहिन्दी ภาษาไทย  two\tspaces \r\n\r\nend"
)
STILL = """async element => {
  const frame = () => new Promise(requestAnimationFrame), place = () => JSON.stringify(element.getBoundingClientRect());
  for (let before, calm = 0; calm < 3; before = place()) { await frame(); await frame(); calm = place() === before && !element.getAnimations({subtree: true}).length ? calm + 1 : 0; }
}"""
"""An opening element grows: a mouse button pressed on one thing meanwhile is let go over another."""
ATTACK = "\n".join([*HOSTILE[:14], "<img src=x onerror=window.bad=9>", '=1+1 "quoted" {ids} {text}'])
"""Known attacks on pages, but for U+0000 (it is in the tests of the BPE page)."""
LONG_WORD = "longword" * 40
TABS = ("Side by side", "Counts", "Costly words", "Languages", "Files and link")
DRAWN = {
    "div", "section", "h2", "p", "span", "bdi", "i", "wbr", "style", "button", "output", "dl", "dt", "dd", "code", "samp", "sup", "small", "b",
}  # fmt: skip
"""Every kind of element in chips, cards, the figures above them and aligned chips."""


@cache
def trace(spec: str) -> Any:
    """The engine's run of a spec."""
    run = TokenizerSpec.parse(spec).run()
    return run.algorithm.train(run.source.corpus(run.pipeline), **run.settings)


def engine(spec: str, text: str) -> Any:
    """The engine's encoding of a text, after the spec's step."""
    step = TokenizerSpec.parse(spec).step
    return trace(spec.split("&step=")[0]).tokenizer(len(trace(spec)) if step is None else step).encode(text)


def ids(spec: str, text: str) -> list[int]:
    return list(engine(spec, text).ids)


SHOWN = """ids => [...document.querySelectorAll('*')].some(e => e.shadowRoot?.querySelector('.ts-chips .ids p')?.textContent === ids)"""


LATE = "data-ts-typed"
HELD = """() => { window.held = []; const real = window.setTimeout;
  window.letGo = () => { window.setTimeout = real; };
  window.setTimeout = (run, after, ...rest) => after >= 300 && after <= 2000 && String(run).includes("setUnsent")
    ? (held.length = 0, held.push(run), real(() => {}, 0)) : real(run, after, ...rest); }"""
"""Keeps the end of a pause in typing until it is asked for, and is let go."""


LONG_TASKS = """() => { const real = window.setTimeout;
  window.setTimeout = (run, after, ...rest) => real(run, String(run).includes("sendUpdateWidgetsMessage") ? 300 : after, ...rest); }"""
"""Streamlit gathers messages for as long as on a slow device: there they wait for the browser."""


class Playground(Learner):
    """The page and a person's actions on it."""

    def start(self, *specs: str, text: str | None = None, **settings: str) -> Playground:
        """Go to the page by a link with these tokenizers; with `text`, put that into the box, as by
        pasting."""
        query = {f"t{index}": spec for index, spec in enumerate(specs, start=1)} | settings
        self.page.goto(f"{self.address}/playground{f'?{urlencode(query)}' if query else ''}")
        self.ready()
        if text is not None:
            box(self.page).fill(text)
        return self

    def ready(self) -> None:
        """Wait until the tokenizer is there, and Python has finished."""
        self.page.locator(".ts-chips").wait_for()
        self.rest()

    @property
    def row(self) -> Locator:
        return self.page.locator(".ts-chips .ids p")

    @property
    def chips(self) -> Locator:
        return self.page.locator(".ts-chips .pane .r")

    @property
    def card(self) -> Locator:
        return self.page.locator(".ts-chips .card")

    def figure(self, name: str) -> Locator:
        """A figure above the chips."""
        return (
            self.page.locator("dl.counts > div")
            .filter(has=self.page.get_by_text(name, exact=True))
            .locator("dd")
        )

    def tokens(self, expected: Sequence[int]) -> None:
        """Wait until these are the ids, and their number is shown."""
        # Looked at in each frame; `expect` looks once a second, and reports its last look.
        with suppress(TimeoutError):
            self.page.wait_for_function(SHOWN, arg=", ".join(map(str, expected)), timeout=10_000)
        expect(self.row).to_have_text(", ".join(map(str, expected)))
        expect(self.figure("Tokens")).to_have_text(f"{len(expected):,}")

    def true_text(self) -> str:
        """The text of all chips, copied."""
        self.page.evaluate("""() => { const root = [...document.querySelectorAll('*')].map(e => e.shadowRoot).find(r => r?.querySelector('.ts-chips'));
            const chips = root.querySelectorAll('.pane .r'), last = chips[chips.length - 1];
            getSelection().setBaseAndExtent(chips[0].firstChild ?? chips[0], 0, last, last.childNodes.length); }""")
        return copied(self.page)

    def paste(self, text: str) -> None:
        """In place of the box's text."""
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)
        box(self.page).click()
        self.press("Control+a")
        self.press("Control+v")

    def flip(self, name: str) -> None:
        """Click a toggle, and wait until it has turned."""
        switch = self.page.get_by_role("switch", name=name, exact=True)
        was = switch.is_checked()
        self.page.get_by_test_id("stCheckbox").filter(has_text=name).locator("label").first.click()
        expect(switch).to_be_checked(checked=not was)

    def write(self, how: str) -> None:
        self.page.get_by_role("radio", name=how, exact=True).click()
        expect(self.page.get_by_role("radio", name=how, exact=True)).to_be_checked()

    def upload(self, *files: dict[str, Any] | Path) -> None:
        """Choose files in the sidebar: the browser gives them to the same input as its own dialog would."""
        self.rest()
        self.page.get_by_test_id("stFileUploader").locator("input[type=file]").set_input_files(list(files))  # type: ignore[arg-type]

    def unfold(self, name: str) -> Locator:
        """Open an expander, unless it is open, and wait until nothing in it moves; returns it."""
        expander = self.page.locator("details").filter(has_text=name)
        if expander.get_attribute("open") is None:
            expander.locator("summary").click()
        expect(expander).to_have_attribute("open", "")
        expander.evaluate(STILL)
        return expander

    def upload_by_mouse(self, file: dict[str, Any]) -> None:
        """Open the browser's own dialog with the mouse, and choose a file there."""
        self.rest()
        button = self.unfold("Upload a tokenizer").get_by_role("button", name="Upload", exact=True)
        expect(button).to_be_enabled()
        with self.page.expect_file_chooser() as opened:
            button.click()
        opened.value.set_files([file])  # type: ignore[list-item]

    def expect_problem(self, message: str) -> None:
        """Wait until an error message is shown."""
        expect(self.page.locator(".note.problem").filter(has_text=message)).to_be_visible()

    def beside(self, option: str) -> None:
        """Choose from the last of the select boxes for more tokenizers, or empty the first."""
        boxes = self.page.get_by_label(re.compile("^Tokenizer [B-D]$"))
        self.rest()
        choose(boxes.first if option == "none" else boxes.last, option)

    def address_has(self, **wanted: str | None) -> None:
        """Wait until the address says so; None for missing parameters."""
        self.page.wait_for_function(
            "wanted => { const url = new URL(location.href).searchParams; return Object.entries(wanted).every(([name, text]) => url.get(name) === text); }",
            arg=wanted,
        )

    def query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.href()).query))

    def seen(self) -> dict[str, Any]:
        """Everything for a link to bring back."""
        self.rest()
        return {
            "text": written(self.page),
            "ids": self.row.inner_text(),
            "chips": self.chips.all_inner_texts(),
            "chosen": [
                one.input_value()
                for one in self.page.get_by_test_id("stSidebar").get_by_role("combobox").all()
            ],
            "toggles": [one.is_checked() for one in self.page.get_by_role("switch").all()],
            "write": [
                one.is_checked() for one in self.page.get_by_test_id("stMain").get_by_role("radio").all()
            ],
        }


@pytest.fixture
def playground(serve: Callable[..., str], page: Page) -> Playground:
    return Playground(page, serve(ROOT / "app.py"))


@pytest.fixture
def clipboard(page: Page) -> Iterator[None]:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield
    page.context.clear_permissions()


def file(name: str, data: bytes) -> dict[str, Any]:
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


# --- text and tokens ----------------------------------------------------------------------------------------


def test_a_first_visit(playground: Playground) -> None:
    playground.start()
    a_newcomer_sees_tokens_at_once(playground)
    tokens_are_copied_and_a_special_token_is_put_in(playground)


def a_newcomer_sees_tokens_at_once(playground: Playground) -> None:
    text = TEXTS["first"].make()
    expect(playground.page.get_by_role("heading", level=1)).to_have_text("Playground")
    has_written(playground.page, text)
    playground.tokens(ids(READY[0], text))
    playground.untroubled()
    assert playground.true_text() == text and playground.query() == {}


def tokens_are_copied_and_a_special_token_is_put_in(playground: Playground) -> None:
    """Ids as a list, tokens as the vocabulary writes them, the text itself; and the menu's offers come in at
    the caret, can be undone, and leave the focus there. Oracle: the engine's encoding."""
    page, text = playground.page, 'to "be" or 日本'
    elsewhere = page.context.new_page()  # our policy lets no script read the clipboard
    elsewhere.set_content("<textarea></textarea>")
    box(page).fill(text)
    expected = engine(READY[0], text)
    playground.tokens(expected.ids)
    for name, held in (("ids", list(expected.ids)), ("tokens", expected.tokens), ("text", text)):
        page.get_by_role("button", name=f"Copy {name}").click()
        expect(page.locator(".ts-chips output")).to_contain_text(f"{len(expected.ids)} of")
        retype(elsewhere.locator("textarea"), "")
        elsewhere.locator("textarea").press("Control+v")
        copied = elsewhere.locator("textarea").input_value()
        assert (copied if name == "text" else json.loads(copied)) == held
    elsewhere.close()
    box(page).click()
    page.keyboard.press("Control+End")
    playground.rest()  # drawing the page again closes the list
    choose(page.get_by_role("combobox", name="Insert a special token"), SPECIAL)
    has_written(page, text + SPECIAL)
    expect(box(page)).to_be_focused()
    page.keyboard.type("!")
    has_written(page, f"{text}{SPECIAL}!")
    playground.tokens(ids(READY[0], f"{text}{SPECIAL}!"))
    for _ in range(2):
        page.keyboard.press("Control+z")
    has_written(page, text)
    playground.untroubled()


@pytest.mark.slow
def test_many_scripts(playground: Playground, clipboard: None) -> None:
    """One text, pasted, under three tokenizers in turn."""
    playground.start(BPE, PIECES, UNIGRAM)
    playground.paste(MULTILINGUAL)
    a_multilingual_text(playground, BPE)
    for spec in (PIECES, UNIGRAM):
        playground.choose("Tokenizer A", title(spec))
        a_multilingual_text(playground, spec)


def a_multilingual_text(playground: Playground, spec: str) -> None:
    """The chips are the text, the ids the engine's; a text box makes U+000A of the line ends of Windows."""
    text = MULTILINGUAL.replace("\r\n", "\n")
    expected = engine(spec, text)
    playground.tokens(expected.ids)
    assert written(playground.page) == text
    assert playground.true_text() == text
    for name, number in {
        "Characters": len(text),
        "Bytes": len(text.encode()),
        "Words": len(text.split()),
        "Graphemes": len(regex.findall(r"\X", text)),
    }.items():
        expect(playground.figure(name)).to_have_text(str(number))
    unknown = 100 * expected.tokens.count("[UNK]" if spec == PIECES else "<unk>") / len(expected.ids)
    expect(playground.figure("Unknown")).to_have_text(f"{unknown:.1f} %")
    family = playground.chips.filter(has_text="👨")
    assert "".join(family.all_inner_texts()).count("👨") == 1  # its joiners have no names of their own
    playground.untroubled()


@pytest.mark.slow
def test_one_tokenizer(playground: Playground, open_page: Callable[..., Page], tmp_path: Path) -> None:
    """One visit: typing and its results, toggles, another tokenizer beside it, files, and all of it by
    keyboard."""
    playground.start(COURSE, text="")
    typing_updates_the_chips_in_the_box(playground)
    a_key_is_drawn_without_a_run_of_the_page(playground)
    where_the_server_draws_nothing_the_page_does(playground)
    white_space_special_tokens_and_escapes(playground)
    side_by_side_is_aligned(playground)
    typing_adds_no_history_and_back_returns_the_tokenizer(playground)
    the_files_are_the_tokens(playground, open_page(fresh=True, offline=True), tmp_path)
    keyboard_alone(playground)


def typing_updates_the_chips_in_the_box(playground: Playground) -> None:
    """No blur, no Enter: the caret stays where it is."""
    page, text = playground.page, ""
    expect(playground.chips).to_have_count(0)
    box(page).click()
    for part in ("This ", "tokenization", "\nof <b>שלום</b>", " 👩‍👧 and more"):
        page.keyboard.insert_text(part) if "👩" in part else page.keyboard.type(part)
        text += part
        playground.tokens(ids(COURSE, text))
        assert written(page) == text and page.evaluate(FOCUS)[0] == "textbox"
    playground.press("Home")
    page.keyboard.type("so ")
    text = "This tokenization\nso of <b>שלום</b> 👩‍👧 and more"
    playground.tokens(ids(COURSE, text))
    assert playground.true_text() == text
    box(page).click()
    playground.press("Control+a")
    playground.press("Delete")
    expect(playground.chips).to_have_count(0)
    expect(playground.figure("Tokens")).to_have_text("0")


def typing_adds_no_history_and_back_returns_the_tokenizer(playground: Playground) -> None:
    page, length = playground.page, "history.length"
    retype(box(page), "")
    playground.rest()
    playground.address_has(text=str(pack_text("")))
    start = page.evaluate(length)
    box(page).click()
    for word in ("This ", "is ", "a token"):
        page.keyboard.type(word)
        playground.tokens(ids(COURSE, written(page)))
    playground.address_has(text=str(pack_text("This is a token")))
    assert page.evaluate(length) == start
    playground.choose("Tokenizer A", title(READY[0]))
    playground.tokens(ids(READY[0], "This is a token"))
    playground.address_has(t1=READY[0])
    assert page.evaluate(length) == start + 1
    box(page).press("Control+End")
    page.keyboard.type("ization")
    playground.tokens(ids(READY[0], "This is a tokenization"))
    playground.address_has(text=str(pack_text("This is a tokenization")))
    assert page.evaluate(length) == start + 1
    playground.rest()
    page.go_back()
    playground.tokens(ids(COURSE, "This is a token"))
    expect(page.get_by_label("Tokenizer A", exact=True)).to_have_value(title(COURSE))
    has_written(page, "This is a token")
    playground.rest()
    page.go_forward()
    playground.tokens(ids(READY[0], "This is a tokenization"))
    expect(page.get_by_label("Tokenizer A", exact=True)).to_have_value(title(READY[0]))
    has_written(page, "This is a tokenization")
    assert unpack_text(playground.query()["text"]) == "This is a tokenization"
    playground.untroubled()
    assert page.evaluate(length) == start + 1
    page.go_back()
    playground.tokens(ids(COURSE, "This is a token"))
    playground.rest()


def a_key_is_drawn_without_a_run_of_the_page(playground: Playground) -> None:
    """Oracles: the engine's ids; the browser's messages over the WebSocket: none before a pause in the
    typing."""
    page, text = playground.page, "To be or not to be. " * 20
    box(page).fill(text)
    playground.tokens(ids(COURSE, text))
    expect(page.locator(f"html:not([{LATE}])")).to_have_count(1)
    requests: list[int] = []

    def listen(request: Request) -> None:
        if "/typed/" in request.url:
            requests.append(len(request.post_data or ""))

    page.on("request", listen)
    page.evaluate(HELD)  # no pause ends
    box(page).press("Control+Home")
    for key in ("S", "o", " ", "Backspace"):
        page.keyboard.press(key)
    text = f"So{text}"
    playground.tokens(ids(COURSE, text))
    expect(playground.figure("Characters")).to_have_text(f"{len(text):,}")
    page.wait_for_function(
        "window.held.length === 1"
    )  # "So" had these tokens, too: the last answer may be on its way
    assert page.locator(f"html[{LATE}]").count() == 1
    assert 1 <= len(requests) <= 4 and max(requests[1:], default=0) < 300  # after the first, the change alone
    page.evaluate("window.held[0](), window.letGo()")
    expect(page.locator(f"html:not([{LATE}])")).to_have_count(1)
    playground.tokens(ids(COURSE, text))
    playground.untroubled()
    page.remove_listener("request", listen)


def where_the_server_draws_nothing_the_page_does(playground: Playground) -> None:
    """As when a server has forgotten; the browser would write an answer of 404 into its log, and that has to
    stay empty."""
    page = playground.page
    retype(box(page), "hug")
    playground.tokens(ids(COURSE, "hug"))
    page.route("**/playground/typed/**", lambda route: route.fulfill(status=204))
    box(page).press("End")
    page.keyboard.type("s hug")
    playground.tokens(ids(COURSE, "hugs hug"))
    expect(page.locator(f"html:not([{LATE}])")).to_have_count(1)
    playground.untroubled()
    page.unroute("**/playground/typed/**")


def white_space_special_tokens_and_escapes(playground: Playground) -> None:
    text = f"the token\tis\n{SPECIAL} the"
    box(playground.page).fill(text)
    page, plain = playground.page, trace(COURSE).tokenizer()
    result = engine(COURSE, text)
    playground.tokens(result.ids)
    assert result.tokens.count(SPECIAL) == 1
    expect(chip(page, SPECIAL)).to_have_count(1)
    expect(playground.chips.filter(has_text="␣")).not_to_have_count(0)
    playground.flip("Whitespace")
    expect(playground.chips.filter(has_text=re.compile("[␣⇥⏎]"))).to_have_count(0)
    assert playground.true_text() == text
    playground.flip("Whitespace")
    expect(playground.chips.filter(has_text="⏎")).to_have_count(1)

    playground.flip("Special tokens")
    playground.tokens(EngineTokenizer(plain.pipeline, plain.model).encode(text).ids)
    expect(chip(page, SPECIAL)).to_have_count(0)
    expect(playground.chips.filter(has_text="|")).not_to_have_count(0)
    assert playground.true_text() == text
    playground.flip("Special tokens")
    playground.tokens(result.ids)

    typed = r"the\ttoken\n\u0074he \x41 \q"
    box(page).fill(typed)
    playground.tokens(ids(COURSE, typed))
    playground.flip("Escapes")
    playground.tokens(ids(COURSE, interpret_escapes(typed)))
    assert playground.true_text() == "the\ttoken\nthe A \\q" and written(page) == typed
    expect(playground.figure("Characters")).to_have_text(str(len("the\ttoken\nthe A \\q")))
    playground.flip("Escapes")
    playground.tokens(ids(COURSE, typed))


ALIGNED = """() => [...document.querySelectorAll('*')].flatMap(e => [...e.shadowRoot?.querySelectorAll('.aligned .line > .b:not(.who)') ?? []]).map(block => {
  const rows = [...block.children].filter(e => /^r[AB]$/.test(e.className));
  return {differ: block.classList.contains('differ'), texts: rows.map(row => [...row.querySelectorAll('.t, .gap')].map(e => e.textContent)),
    lefts: rows.map(row => Math.round(row.firstElementChild?.getBoundingClientRect().left ?? -1)), tops: rows.map(row => row.getBoundingClientRect().top)}; })"""


def side_by_side_is_aligned(playground: Playground) -> None:
    """The same text in every row, one above the other; the boundaries are the engine's, framed where they
    differ."""
    text = "This is the Hugging Face Course: tokens."
    box(playground.page).fill(text)
    playground.beside(title(READY[0]))
    playground.tokens(ids(COURSE, text))
    playground.page.wait_for_function(
        f"text => ({ALIGNED})().map(b => b.texts[0].join('')).join('') === text", arg=text.replace(" ", "␣")
    )
    blocks = playground.page.evaluate(ALIGNED)
    bounds = [[end for _start, end in engine(spec, text).offsets] for spec in (COURSE, READY[0])]
    for row in (0, 1):
        pieces = [piece for block in blocks for piece in block["texts"][row]]
        assert "".join(pieces) == text.replace(" ", "␣")
        assert [sum(map(len, pieces[: index + 1])) for index in range(len(pieces))] == bounds[row]
    for block in blocks:
        one, other = ([piece.strip("␣") for piece in row if piece.strip("␣")] for row in block["texts"])
        unknown = one == [":"]  # to the course's four sentences
        assert block["differ"] == (one != other or unknown), block  # apart from white space
        assert block["lefts"][0] == block["lefts"][1] > 0 and block["tops"][0] < block["tops"][1]
    assert {block["differ"] for block in blocks} == {True, False}
    expect(playground.page.locator(".ts-table td").first).to_have_text("100")
    playground.beside("none")
    expect(playground.page.locator(".aligned")).to_have_count(0)
    playground.untroubled()


def the_files_are_the_tokens(playground: Playground, offline: Page, tmp_path: Path) -> None:
    """They are of the text on the page (their contents are read in `tests/app/pages/test_playground.py`); the
    page of HTML, offline and from the disk, shows the same chips, and nothing else."""
    text = f"This is {SPECIAL}שלום 👩‍👧 tokens\n{ATTACK}\n-1 @x +y"
    expected = engine(COURSE, text)
    box(playground.page).fill(text)
    playground.tokens(expected.ids)
    playground.tab("Files and link")
    data = json.loads(playground.download("Tokens (JSON)"))
    assert data["text"] == text and [token["id"] for token in data["tokens"]] == list(expected.ids)

    path = tmp_path / "tokens.html"
    path.write_text(playground.download("Colored page (HTML)"), encoding="utf-8")
    requests: list[str] = []
    offline.on("request", lambda request: requests.append(request.url))
    offline.goto(path.as_uri())
    expect(offline.get_by_role("heading", level=1)).to_have_text(title(COURSE))
    assert offline.locator(".ts-chips .r").all_inner_texts() == playground.chips.all_inner_texts()
    expect(offline.locator("p.ids")).to_have_text(", ".join(map(str, expected.ids)))
    assert (
        offline.locator(".ts-chips .t").first.evaluate("e => getComputedStyle(e).backgroundColor")
        != "rgba(0, 0, 0, 0)"
    )
    assert offline.evaluate(TRACES_OF_ATTACK) == [] and requests == [path.as_uri()]
    assert offline.evaluate(WIDTHS)[0] <= 0


def keyboard_alone(playground: Playground) -> None:
    """Text box, toggles, chips and tokenizers are reached with Tab and worked with keys."""
    page, text = playground.page, "This tokenization is a token."
    page.get_by_role("heading", level=1).click()
    playground.tab_to("textbox", "Text")
    playground.press("Control+a")
    page.keyboard.type(text)
    expected = engine(COURSE, text)
    playground.tokens(expected.ids)

    playground.tab_to("radio", "text")
    playground.press("ArrowRight")
    playground.press("Space")
    expect(page.get_by_role("radio", name="ids", exact=True)).to_be_checked()
    expect(playground.chips).to_have_text([str(number) for number in expected.ids])
    playground.press("ArrowRight")
    playground.press("Space")
    data = trace(COURSE).tokenizer().token_bytes(expected.ids[0])
    expect(playground.chips.first).to_have_text(" ".join(f"0x{byte:02X}" for byte in data))
    playground.press("ArrowLeft")
    playground.press("ArrowLeft")
    playground.press("Space")
    expect(playground.chips.first).to_have_text(expected.tokens[0])
    playground.tab_to("switch", "Whitespace")
    playground.press("Space")
    expect(playground.chips.nth(expected.tokens.index("Ġtoken"))).not_to_contain_text("␣")
    playground.press("Space")
    expect(playground.chips.nth(expected.tokens.index("Ġtoken"))).to_have_text("␣token")

    playground.rest()
    playground.tab_to("option", f"{expected.tokens[0]}: {expected.ids[0]}")
    offsets, tokenizer = expected.offsets, trace(COURSE).tokenizer()
    for index, (token, identifier) in enumerate(zip(expected.tokens, expected.ids, strict=True)):
        if index:
            playground.press("ArrowRight")
        card = playground.card
        if 4 < index < len(expected.tokens) - 1:
            continue
        start, end = offsets[index]
        expect(card).to_contain_text(f"Token {index + 1} of {len(expected.ids)}")
        expect(card).to_contain_text(f"offsets ({start}, {end})")
        lines = dict(
            zip(card.locator("dt").all_inner_texts(), card.locator("dd").all_inner_texts(), strict=True)
        )
        learned = trace(COURSE).step_of_token.get(token)
        assert lines["Id"] == str(identifier) and lines.get("Rank") == (str(learned - 1) if learned else None)
        assert lines["Bytes"] == tokenizer.token_bytes(identifier).hex(" ").upper()
        assert lit(page) == ([text[start:end].replace(" ", "␣")], [str(identifier)])
    playground.press("Home")
    expect(card).to_contain_text("Token 1 of")
    playground.press("Enter")
    assert lit(page, "pin")[0] == [expected.tokens[0]]
    playground.press("Escape")

    playground.tab_to("combobox", "Tokenizer A")
    page.keyboard.type(title(READY[0]))
    expect(page.get_by_role("option", name=title(READY[0]), exact=True)).to_be_visible()
    playground.press("Enter")
    playground.tokens(ids(READY[0], text))
    playground.untroubled()
    assert written(page) == text


@pytest.mark.slow
def test_typing_while_a_tokenizer_is_trained(playground: Playground) -> None:
    """The box is there before the tokenizer: when the latter comes, the box stays in place, with its text,
    its caret and the focus."""
    slow = "wordpiece?corpus=library&size=3000&min=1"
    text = "Nobody has asked for this one before. " * 3
    page = playground.page
    page.goto(f"{playground.address}/playground?{urlencode({'t1': slow, 't2': HUG})}")
    box(page).click()
    playground.press("Control+a")
    page.keyboard.type(text, delay=15)
    playground.tokens(ids(slow, text))
    page.locator(".aligned").wait_for()
    page.keyboard.type("!")
    playground.tokens(ids(slow, f"{text}!"))
    assert written(page) == f"{text}!" and page.evaluate(FOCUS)[0] == "textbox"
    playground.untroubled()


# --- from training ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_from_training_to_the_playground_and_back(playground: Playground) -> None:
    """Through the link on the tab Encode; the slider by keys; and a run trained on meanwhile is offered."""
    learner, page = Learner(playground.page, playground.address), playground.page
    learner.open("/bpe?corpus=hug&step=3", step=3)
    panel = learner.tab("Encode")
    panel.get_by_role("link", name=re.compile("the playground")).click()
    playground.ready()
    expect(page.get_by_role("heading", level=1)).to_have_text("Playground")
    text = "hugs pugs bunhug"
    page.evaluate(LONG_TASKS)
    box(page).fill(text)
    playground.tokens(ids(f"{HUG}&step=3", text))
    assert TokenizerSpec.parse(playground.query()["t1"]).step == 3
    expect(page.get_by_label("Tokenizer A", exact=True)).to_have_value(title(f"{HUG}&step=3"))
    slider = page.get_by_role("slider", name="After step")
    for key, step in (("ArrowLeft", 2), ("End", 7), ("ArrowLeft", 6)):
        slider.press(key)
        playground.tokens(ids(f"{HUG}&step={step}", text))
        expect(slider).to_have_value(str(step))
        expect(page.get_by_label("Tokenizer A", exact=True)).to_have_value(title(f"{HUG}&step={step}"))
        playground.rest()
    assert TokenizerSpec.parse(playground.query()["t1"]).step == 6
    assert written(page) == text

    page.get_by_role("link", name="BPE", exact=True).click()
    learner.shows(3)
    learner.rest()
    learner.tab("Every pair")
    learner.at(3)
    learner.rest()
    page.locator(".ts-flipbook .say").first.click(position={"x": 3, "y": 3})
    learner.press("ArrowRight", 2)
    learner.at(5)
    learner.rest()
    link = learner.tab("Encode").get_by_role("link", name=re.compile("the playground"))
    expect(link).to_have_attribute("href", re.compile("step%3D5"))
    page.get_by_role("link", name="Playground", exact=True).click()
    playground.ready()
    playground.tokens(ids(f"{HUG}&step=6", text))  # as it was left
    playground.choose("Tokenizer A", title(f"{HUG}&step=5"))
    playground.tokens(ids(f"{HUG}&step=5", text))
    playground.untroubled()


# --- files of tokenizers ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_files_of_tokenizers(playground: Playground) -> None:
    """One visit: a trained tokenizer under a held key, then files."""
    playground.start(HUG)
    a_held_key_asks_no_more_often_than_the_server_answers(playground)
    the_tokenizers_own_special_tokens(playground)
    files_give_the_librarys_ids(playground)


def a_held_key_asks_no_more_often_than_the_server_answers(playground: Playground) -> None:
    """The server draws fifteen texts a second for a box, and refuses more; each letter arrives all the
    same."""
    page, text = playground.page, "a" * 150
    retype(box(page), "")
    playground.tokens([])
    page.evaluate("performance.clearResourceTimings()")
    page.keyboard.type(text, delay=5)
    playground.tokens(ids(HUG, text))
    begun = page.evaluate(
        """performance.getEntriesByType("resource").filter(({ name }) => name.includes("/typed/"))
        .map(({ startTime }) => startTime)"""
    )
    seconds = (begun[-1] - begun[0]) / 1_000
    assert 3 < len(begun) < seconds * TYPED_RATE.pace + 2  # the first may have been late
    playground.untroubled()


def the_tokenizers_own_special_tokens(playground: Playground) -> None:
    """[CLS] and [SEP] around the text, as BERT's tokenizer of the library adds them; and in the text, as
    plain text."""
    data, vocab = bert(True)
    theirs = BertWordPieceTokenizer(vocab, lowercase=False)
    text = "It's the [SEP] of a program"
    box(playground.page).fill(text)
    playground.tokens(ids(HUG, text))
    expect(playground.page.get_by_role("switch", name="Add special tokens", exact=True)).to_have_count(0)
    playground.upload_by_mouse(file("vocab.txt", data))
    playground.tokens(theirs.encode(text, add_special_tokens=False).ids)
    playground.flip("Add special tokens: A")
    playground.tokens(theirs.encode(text).ids)
    assert playground.chips.first.inner_text() == "[CLS]" and playground.chips.last.inner_text() == "[SEP]"
    assert playground.true_text() == text
    playground.flip("Special tokens")
    raw = Tokenizer.from_str(theirs.to_str())
    raw.encode_special_tokens = True
    playground.tokens(raw.encode(text).ids)
    assert playground.true_text() == text
    playground.flip("Add special tokens: A")
    playground.tokens(raw.encode(text, add_special_tokens=False).ids)
    playground.flip("Special tokens")


def files_give_the_librarys_ids(playground: Playground) -> None:
    """Two files that belong together, and one; the text stays, and the file from before may be chosen again.

    Files of every other kind are in `tests/pages/test_playground_files.py`, and so is a reload.
    """
    text = "Hello, naïve café 👩‍👩‍👧 👍🏽 שלום 日本語\n<s> and <|endoftext|>\tit's 1234567 tests."
    model = json.loads(trained("bpe").to_str())["model"]
    theirs, lower = oracle("bpe"), BertWordPieceTokenizer(bert(True)[1], lowercase=False)
    ranks = tiktokens("cl100k_base")[1]
    uploads = (
        (
            "vocab.json + merges.txt",
            theirs.encode(text).ids,
            [
                file("vocab.json", json.dumps(model["vocab"]).encode()),
                file("merges.txt", "\n".join(map(" ".join, model["merges"])).encode()),
            ],
        ),
        (
            "own.tiktoken",
            ranks.encode_ordinary(text),
            [file("own.tiktoken", tiktoken_file(ranks._mergeable_ranks))],
        ),
    )
    box(playground.page).fill(text)
    field = playground.page.get_by_label("Tokenizer A", exact=True)
    for name, expected, files in uploads:
        playground.upload(*files)
        expect(field).to_have_value(re.compile(re.escape(name.split(" ")[0])))
        playground.tokens(expected)
        assert playground.true_text() == text == written(playground.page)
        playground.untroubled()
    playground.choose("Tokenizer A", "vocab.txt")
    playground.tokens(lower.encode(text, add_special_tokens=False).ids)
    playground.address_has(t1=playground.query()["t1"], text=str(pack_text(text)))


# --- hostile text and files ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_hostile_text_and_files_are_only_text(
    playground: Playground, dialogs: list[str], tmp_path: Path
) -> None:
    """Every tab, every card, three ways to write: no element, no attribute, no request comes from a text, its
    training or a file."""
    rules = {"special": "<script>window.bad=8</script>", "pre": "whitespace_split"}
    own = f"bpe?{urlencode({'corpus': 'paste', 'text': pack_text(ATTACK), **rules})}"
    playground.start(own, BPE)
    hostile_text(playground, own)
    hostile_files(playground, own, tmp_path)


def hostile_text(playground: Playground, own: str) -> None:
    """Every card, three ways to write: no element, no attribute, no request comes from it.

    Every tab is drawn in `hostile_files`, with this tokenizer as its second.
    """
    text = f"{ATTACK}\n<script>window.bad=8</script> end"
    page = playground.page
    box(page).fill(text)
    playground.tokens(ids(own, text))
    assert playground.true_text() == text
    look_at_chips(playground, every=5)
    playground.flip("Escapes")
    playground.flip("Special tokens")
    playground.rest()
    assert page.evaluate(TRACES_OF_ATTACK) == []
    assert written(page) == text
    playground.flip("Escapes")
    playground.flip("Special tokens")


def nasty() -> bytes:
    """A tokenizer.json with markup in its tokens, ordinary, added and special."""
    ordinary = [
        "a",
        "b",
        "</bdi><img src=http://evil.test/a.png>",
        '"onfocus="window.bad=1',
        "<unk>",
        "{ids}",
    ]
    tokenizer = Tokenizer(
        models.WordLevel({token: index for index, token in enumerate(ordinary)}, unk_token="<unk>")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Split("|", "removed")
    tokenizer.add_special_tokens(["<img src=x onerror=window.bad=2>", "<script>window.bad=3</script>"])
    tokenizer.add_tokens([AddedToken("</template><svg/onload=window.bad=4>", normalized=False)])
    return tokenizer.to_str().encode()


def hostile_files(playground: Playground, own: str, tmp_path: Path) -> None:
    """A file without a tokenizer gets an error message, and text and former tokenizer stay; no part of a file
    becomes an element. Other refusals are in `tests/app/catalogue/test_loaded.py`."""
    text = "hug pugs </bdi><img src=http://evil.test/a.png>|a|b"
    page = playground.page
    box(page).fill(text)
    playground.tokens(ids(own, text))
    playground.upload(file("<img src=x onerror=window.bad=5>.json", b"[1, 2]"))
    playground.expect_problem("onerror=window.bad=5>.json' is a JSON list")
    playground.tokens(ids(own, text))
    expect(page.locator(".note.problem")).to_have_count(1)
    assert written(page) == text
    assert page.evaluate(TRACES_OF_ATTACK) == []
    large = tmp_path / "large.json"
    with large.open("wb") as sparse:
        sparse.truncate(40 * 1024 * 1024 + 1)
    playground.unfold("Upload a tokenizer")
    playground.upload(large)
    refused = page.get_by_test_id("stFileUploader").get_by_role("alert")
    expect(refused).to_contain_text("40")
    expect(refused).to_be_visible()
    shape = refused.bounding_box()
    assert shape and shape["width"] > 80 and shape["height"] > 8
    playground.tokens(ids(own, text))

    playground.upload(file("<img src=x onerror=window.bad=6>.json", nasty()))
    theirs = Tokenizer.from_str(nasty().decode())
    playground.tokens(theirs.encode(text).ids)
    text += '<img src=x onerror=window.bad=2>|<script>window.bad=3</script>{ids}|"onfocus="window.bad=1|</template><svg/onload=window.bad=4>'
    box(page).fill(text)
    playground.tokens(theirs.encode(text).ids)
    assert playground.true_text() == text
    playground.tab("Side by side")
    expect(page.locator(".aligned .legend")).to_contain_text("B BPE: Your own text")
    look_at_chips(playground, every=1)
    text += f"\n{LONG_WORD}\n{ATTACK}"
    box(page).fill(text)
    playground.tokens(theirs.encode(text).ids)
    visit_tabs(playground)


def look_at_chips(playground: Playground, every: int) -> None:
    """Written in each way; as text, point at one chip of so many, so that its card is drawn."""
    page = playground.page
    for how in ("ids", "bytes", "text"):
        playground.write(how)
        playground.rest()
        assert page.evaluate(TRACES_OF_ATTACK) == [], how
    for one in page.locator(".ts-chips .r[role]").all()[::every]:
        one.hover()
        assert set(page.evaluate(TAGS)) <= DRAWN
    assert page.evaluate(TRACES_OF_ATTACK) == []


def visit_tabs(playground: Playground) -> None:
    """Every tab, drawn to its end on a screen of 390 pixels: the page has our elements alone, and nothing
    makes it scroll sideways."""
    page = playground.page
    page.set_viewport_size({"width": 390, "height": 844})
    for name in TABS:
        panel = playground.tab(name)
        playground.rest()
        if name in ("Counts", "Languages"):
            plot = panel.locator(".js-plotly-plot .nsewdrag").first
            plot.scroll_into_view_if_needed()
            plot.hover()
        elif name in ("Side by side", "Costly words"):
            panel.locator(".aligned").first.wait_for()
        assert page.evaluate(TRACES_OF_ATTACK) == [], name
        assert set(page.evaluate(TAGS)) <= DRAWN, name
        assert max(page.evaluate(WIDTHS)) <= 0, name
    playground.untroubled()


TAGS = """() => { const root = [...document.querySelectorAll('*')].map(e => e.shadowRoot).find(r => r?.querySelector('.ts-chips'));
  const aligned = [...document.querySelectorAll('*')].flatMap(e => [...e.shadowRoot?.querySelectorAll('.aligned *') ?? []]);
  return [...root.querySelectorAll('*'), ...aligned, ...document.querySelectorAll('.aligned *, .counts *, .note *')].map(e => e.localName) }"""


# --- links and reload ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_link_and_reload_bring_everything_back(playground: Playground) -> None:
    text = f'Tokens & <b>"tags"</b>, שלום 🍵 {SPECIAL}\n\ttwo\\n  spaces \u202e'
    first = f"{COURSE}&step=12"
    playground.start(first, PIECES, text=text)
    playground.tokens(ids(first, text))
    playground.write("bytes")
    for name in ("Whitespace", "Special tokens", "Escapes"):
        playground.flip(name)
    wanted = {
        "text": str(pack_text(text)),
        "t1": first,
        "t2": PIECES,
        "write": "bytes",
        "spaces": "0",
        "specials": "0",
        "escapes": "1",
    }
    playground.address_has(**wanted)
    assert playground.query() == wanted
    seen = playground.seen()
    assert (
        seen["text"] == text
        and seen["toggles"] == [False, False, True]
        and seen["write"] == [False, False, True]
    )
    codes = playground.tab("Files and link").get_by_test_id("stCode")  # each drawn when its part has come
    link = codes.filter(has_text="/playground?", has_not_text="iframe").inner_text().strip()
    assert dict(parse_qsl(urlsplit(link).query)) == wanted
    as_a_newcomer(playground.page, link)
    playground.ready()
    expect(playground.row).to_have_text(seen["ids"])
    playground.untroubled()
    assert playground.seen() == seen
    a_text_too_long_for_a_link_survives_a_reload(playground, wanted)


def a_text_too_long_for_a_link_survives_a_reload(playground: Playground, wanted: dict[str, str]) -> None:
    """So does everything else on the page."""
    text = TOO_LONG
    assert pack_text(text) is None
    box(playground.page).fill(text)
    expect(playground.figure("Characters")).to_have_text(f"{len(text):,}")
    playground.address_has(text=None)
    playground.page.wait_for_function("() => new URL(location.href).searchParams.has('id')")
    assert len(playground.href()) < LINK_LIMIT
    expect(playground.tab("Files and link").locator(".note")).to_contain_text("A link can't hold this text")
    seen, query = playground.seen(), playground.query()
    assert {**query, "text": wanted["text"], "id": ""} == {**wanted, "id": ""}
    playground.page.reload()
    playground.ready()
    has_written(playground.page, text)
    expect(playground.row).to_have_text(seen["ids"])
    assert playground.seen() == seen and playground.query() == query
    retype(playground.page.locator(".ts-editor"), "short again")  # most of the text is out of sight
    playground.address_has(text=str(pack_text("short again")), id=None)
    playground.tokens(ids(wanted["t1"], "short again"))


# --- size ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_quarter_of_a_megabyte(playground: Playground, clipboard: None) -> None:
    """A long text is counted, and the page is of use afterwards.

    Texts beyond the page's limit are in `tests/pages/test_playground.py`.
    """
    line = "A line of words that fills the text, and goes on until the paragraph ends: tokenizers, שלום, お茶 🍵 and 12345.\n"
    text = (line * (250_000 // len(line) + 1))[:250_000]
    expected = engine(BPE, text)
    playground.start(BPE)
    page = playground.page
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    box(page).click()
    playground.press("Control+a")
    playground.press("Control+v")
    expect(playground.figure("Characters")).to_have_text("250,000")
    expect(playground.figure("Tokens")).to_have_text(f"{len(expected.ids):,}")
    expect(playground.figure("Bytes")).to_have_text(f"{len(text.encode()):,}")
    assert page.evaluate("document.querySelectorAll('.note.problem').length") == 0
    playground.rest()

    def shown() -> list[int]:
        return [int(number) for number in playground.row.inner_text().split(", ")]

    first = shown()
    assert first == list(expected.ids[: len(first)]) and len(first) >= STRETCHES_SHOWN
    page.get_by_test_id("stPagination").get_by_text("2", exact=True).click()
    expect(page.get_by_text(f"Tokens {len(first) + 1:,} to")).to_be_visible()
    expect(playground.row).not_to_have_text(", ".join(map(str, first)))
    second = shown()
    assert second == list(expected.ids[len(first) : len(first) + len(second)])
    playground.flip("Whitespace")
    expect(playground.chips.filter(has_text="␣")).to_have_count(0)
    page.get_by_test_id("stCheckbox").filter(has_text="Whitespace").locator("label").first.click()
    box(page).press("Control+End")
    page.keyboard.press("Backspace")
    expect(playground.figure("Characters")).to_have_text("249,999")
    playground.untroubled()


# --- phone --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_phone(playground: Playground, open_page: Callable[..., Page]) -> None:
    """390 pixels: nothing makes the page scroll sideways; text, chips, card and ids lie under each other. The
    tabs are looked at with hostile text."""
    page = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    phone = Playground(page, playground.address)
    text = MULTILINGUAL.replace("\r\n", "\n") + "\n" + LONG_WORD + "\n" + ATTACK
    phone.start(BPE, COURSE, text=text)
    phone.tokens(ids(BPE, text))
    phone.rest()
    assert max(page.evaluate(WIDTHS)) <= 0 and page.evaluate("document.documentElement.scrollWidth") <= 390
    parts = [page.locator(f".ts-chips .{name}").bounding_box() for name in ("pane", "card", "ids")]
    for above, below in pairwise(parts):
        assert above and below and above["y"] + above["height"] <= below["y"] + 1
        assert above["x"] >= 0 and above["x"] + above["width"] <= 390
    phone.chips.nth(2).tap()
    assert len(lit(page, "pin")[0]) == 1
    expect(phone.card).to_contain_text("Id")
    for how in ("ids", "bytes"):
        phone.write(how)
        phone.rest()
        assert max(page.evaluate(WIDTHS)) <= 0, how
    phone.untroubled()
