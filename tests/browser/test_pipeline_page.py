"""The pipeline in a real browser, in a newcomer's hands: pointing, keys, lines, links, windows, hostile text.

Sources and oracles: the engine, asked directly for the same corpus, stages and texts; the browser for
highlights, places, widths, history, and for the effects of hostile text on the page. The drawing's markup is
tried in `tests/app/drawing/test_pipeline.py`, links and complaints in `tests/pages/test_pipeline.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import ROOT, turn_to
from tests.browser.hands import retype
from tests.browser.test_bpe_page import HOSTILE, TRACES_OF_ATTACK, WIDTHS
from tests.browser.test_bpe_page import Bpe as Learner
from tokenizers_core import Encoding, Tokenizer
from tokenizers_core.encoding.truncation import Truncation
from tokenizers_core.text.pipeline import Pipeline
from tokensteps.drawing.pipeline.stages import Stage
from tokensteps.pages.explore.pipeline import tokenizer_with_template
from tokensteps.pages.explore.pipeline_controls import SPECIAL_TOKENS
from tokensteps.runs.rules import PIPELINE_RULES
from tokensteps.runs.settings import read_url
from tokensteps.runs.trainings import train_model

A, B = "Who runs the cafe\u0301? 🙂", "Zoë runs the café by the river, and Héloïse bakes the bread."
PAIR = {"corpus": "mixed", "size": "400", "a": A, "b": B}
RIGHT_TO_LEFT = "שלום עולם, זה טקסט"
TABS = ("Encoding", "Windows", "Back to text", "Entities", "Files and link")
LIT = """() => { const root = [...document.querySelectorAll('*')].map(e => e.shadowRoot).find(r => r?.querySelector('.ts-pipeline'));
  return [...root.querySelectorAll('.i.lit')].map(e => [+e.dataset.r, e.dataset.q ?? null, +e.dataset.s, +e.dataset.e, e.dataset.i ?? null]); }"""
"""Stage, text, first character, end and token of everything lit."""
FOCUSED = """() => { let a = document.activeElement; while (a.shadowRoot?.activeElement) a = a.shadowRoot.activeElement;
  return a.classList.contains('i') ? [+a.dataset.r, a.dataset.q === undefined ? null : +a.dataset.q, +a.dataset.s, a.ariaLabel] : null; }"""
PLACES = """() => { const root = [...document.querySelectorAll('*')].map(e => e.shadowRoot).find(r => r?.querySelector('.ts-pipeline'));
  return [...root.querySelectorAll('.i')].map(e => { const b = e.getBoundingClientRect(), l = e.closest('.line');
    return {row: +e.dataset.r, of: e.dataset.q === undefined ? null : +e.dataset.q, start: +e.dataset.s, end: +e.dataset.e, token: e.dataset.i === undefined ? null : +e.dataset.i,
      line: [...l.parentElement.children].indexOf(l), left: b.left, right: b.right, top: b.top, bottom: b.bottom}; }); }"""
LINES = """() => { const root = [...document.querySelectorAll('*')].map(e => e.shadowRoot).find(r => r?.querySelector('.ts-pipeline'));
  return [...root.querySelectorAll('.line')].map(e => [e.children.length > 2 && e.scrollWidth - e.clientWidth, e.dir, e.querySelector('.labels').firstChild.textContent]); }"""
"""Of each line: how far it reaches beyond its width, unless it is one unbreakable stretch; its way, its
text."""


@cache
def engine(**url: str) -> Tokenizer:
    """The engine's tokenizer with a link's stages."""
    recipe = read_url("pipeline", PIPELINE_RULES, url, "library").recipe
    source = recipe.source()
    assert source is not None
    pipeline: Pipeline = recipe.pipeline(source)
    alphabet = recipe["alphabet"] if pipeline.byte_level else "corpus"
    special = SPECIAL_TOKENS[recipe["template"]]
    trace = train_model(source.corpus(pipeline), recipe["model"], recipe["size"], special, alphabet)
    return tokenizer_with_template(trace, recipe["template"])


def encoded(**url: str) -> Encoding:
    stages = {name: value for name, value in url.items() if name not in ("a", "b")}
    return engine(**stages).encode(url["a"], url.get("b"))


class Traveller(Learner):
    """The page and a newcomer's actions on it."""

    def start(self, **url: str) -> Traveller:
        self.page.goto(f"{self.address}/pipeline?{urlencode(url)}")
        self.ready()
        return self

    def turn(self, **url: str) -> None:
        """Another address of the page, with other ids of its text, without loading it anew."""
        turn_to(self.page, f"/pipeline?{urlencode(url)}")
        self.ids(encoded(**url).ids)
        self.rest()

    def ready(self) -> None:
        self.page.locator(".ts-pipeline .line .i").first.wait_for()
        self.rest()

    def row(self, stage: Stage) -> Locator:
        """Everything in a stage."""
        return self.page.locator(f".ts-pipeline .i[data-r='{int(stage)}']")

    def character(self, at: int, of: int = 0) -> Locator:
        return self.page.locator(f".ts-pipeline .i[data-r='0'][data-q='{of}'][data-s='{at}']")

    @property
    def tell(self) -> Locator:
        return self.page.locator(".ts-pipeline .tell")

    def ids(self, expected: list[int]) -> None:
        """Wait until these are the ids."""
        expect(self.row(Stage.IDS)).to_have_text(list(map(str, expected)))

    def lit(self) -> set[tuple[Any, ...]]:
        return {tuple(one) for one in self.page.evaluate(LIT)}

    def focused(self) -> list[Any]:
        results: list[Any] = self.page.evaluate(FOCUSED)
        assert results, "the focus is in the drawing"
        return results

    def write(self, text: str, label: str = "Text") -> None:
        self.type_text(text, label)

    def query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.href()).query))


@pytest.fixture
def traveller(serve: Callable[..., str], page: Page) -> Traveller:
    return Traveller(page, serve(ROOT / "app.py"))


@pytest.mark.slow
def test_a_pair(traveller: Traveller) -> None:
    """By keys, by eye, and by the browser's history, in one visit."""
    traveller.start(**PAIR)
    keys_alone(traveller)
    traveller.page.get_by_label("Text", exact=True).click()  # the focused element is told of, too
    an_emoji_an_accent_and_a_stride(traveller)
    back_forward_reload_and_a_link(traveller)


def an_emoji_an_accent_and_a_stride(traveller: Traveller) -> None:
    """The page's story, by eye: everything under a character came from it, and a pointed-at element lights up
    all the way."""
    encoding = encoded(**PAIR)
    traveller.ids(encoding.ids)
    assert traveller.row(Stage.TYPES).all_inner_texts() == list(map(str, encoding.type_ids))
    assert traveller.row(Stage.SPECIAL).all_inner_texts() == list(map(str, encoding.special_tokens_mask))
    places = traveller.page.evaluate(PLACES)
    letters = {(one["of"], one["start"]): one for one in places if one["row"] == Stage.TEXT}
    assert len(letters) == len(A) + len(B)
    for one in places:
        if one["of"] is None or one["row"] == Stage.TEXT or one["start"] == one["end"]:
            continue
        first, last = letters[one["of"], one["start"]], letters[one["of"], one["end"] - 1]
        assert one["line"] == first["line"] == last["line"] and one["top"] >= first["bottom"]
        if one["row"] in (Stage.NORMALIZED, Stage.WORDS):
            assert abs(one["left"] - first["left"]) < 2 and abs(one["right"] - last["right"]) < 2
        else:
            assert first["left"] - 2 <= one["left"] and one["right"] <= last["right"] + 2

    accent = A.index("\u0301")
    traveller.character(accent).hover()
    expect(traveller.tell).to_have_text(
        f"“◌\u0301” (U+0301 combining acute accent), character {accent} of text A; normalizing removes it."
    )
    assert (1, "0", accent, accent + 1, None) in traveller.lit()  # ∅ stands under it
    smile = A.index("🙂")
    traveller.character(smile).hover()
    expect(traveller.tell).to_contain_text("slightly smiling face")
    position = encoding.char_to_token(smile)
    assert position is not None and encoding.tokens[position] == "[UNK]"
    expect(traveller.tell).to_contain_text(f"in token {position}, “[UNK]”, id {encoding.ids[position]}.")
    e = B.index("é")
    traveller.character(e, 1).hover()
    expect(traveller.tell).to_contain_text("normalized to “e”; in pre-token 3, “cafe”; in token")
    lit = traveller.lit()
    token = encoding.char_to_token(e, 1)
    assert token is not None
    assert {one for one in lit if one[0] >= Stage.TOKENS} == {
        (row, "1", *encoding.offsets[token], str(token)) for row in range(Stage.TOKENS, Stage.ATTENTION + 1)
    }
    assert {one[:4] for one in lit if one[0] < Stage.TOKENS} == {
        (0, "1", e, e + 1), (1, "1", e, e + 1), (2, "1", B.index("café"), B.index("café") + 4),
    }  # fmt: skip
    traveller.row(Stage.TOKENS).first.hover()
    expect(traveller.tell).to_contain_text("added by the template")
    assert {one[4] for one in traveller.lit()} == {"0"}
    traveller.page.mouse.move(5, 5)
    expect(traveller.tell).to_contain_text("Point at anything")

    traveller.tab("Windows")
    cut = (
        engine(corpus="mixed", size="400")
        .with_options(truncation=Truncation(24, 4, "only_second"))
        .encode(A, B)
    )
    windows = [cut, *cut.overflowing]
    sections = traveller.page.locator(".windows section")
    expect(sections).to_have_count(len(windows))
    for number in range(1, len(windows)):
        expect(sections.nth(number).locator(".again")).to_have_count(4)
    underlined = (
        sections.nth(1)
        .locator(".again")
        .first.evaluate(
            "e => getComputedStyle(e).boxShadow + getComputedStyle(e).borderBottomStyle + getComputedStyle(e).textDecorationLine"
        )
    )
    assert "rgb" in underlined or "double" in underlined or "underline" in underlined
    retype(traveller.page.get_by_label("An answer to find in the windows: words from text B"), "the river")
    traveller.press("Enter")
    start = B.index("the river")
    holding = [window.tokens_on(start, start + 9, 1) for window in windows]
    assert any(holding)
    for number, span in enumerate(holding):
        expect(sections.nth(number).locator(".hot")).to_have_count(
            0 if span is None else span[1] - span[0] + 1
        )
        expect(sections.nth(number)).to_contain_text(
            "Not all of the answer is here"
            if span is None
            else f"its first token is {span[0]}, its last is {span[1]}."
        )
    traveller.untroubled()


def keys_alone(traveller: Traveller) -> None:
    """Tab to the drawing, arrows along a stage and across stages, Home, End; Enter holds fast, Escape lets
    go, Tab leaves."""
    page, encoding = traveller.page, encoded(**PAIR)
    page.get_by_label("Second text, for a pair").click()
    for _ in range(3):
        traveller.press("Tab")
        if page.evaluate(FOCUSED):
            break
    assert traveller.focused()[:3] == [Stage.TEXT, 0, 0]
    expect(traveller.tell).to_have_text(traveller.focused()[3])
    traveller.press("ArrowRight", 3)
    assert traveller.focused()[:3] == [Stage.TEXT, 0, 3]
    traveller.press("ArrowLeft", 2)
    assert traveller.focused()[:3] == [Stage.TEXT, 0, 1]
    assert "“h” (U+0068 latin small letter h), character 1 of text A" in traveller.focused()[3]
    for stage in list(Stage)[1:]:
        traveller.press("ArrowDown")
        row, of, start, message = traveller.focused()
        assert (row, of) == (stage, 0)
        expect(traveller.tell).to_have_text(message)
        if stage >= Stage.TOKENS:  # by way of the pre-token: its first token
            assert start == 0 and f"Token 1: “{encoding.tokens[1]}”, id {encoding.ids[1]};" in message
    before = traveller.focused()
    traveller.press("ArrowDown")
    assert traveller.focused() == before
    traveller.press("End")
    assert traveller.focused()[:2] == [Stage.ATTENTION, None]  # the last [SEP]
    traveller.press("ArrowUp", 5)
    assert traveller.focused()[:2] == [Stage.TOKENS, None]
    traveller.press("ArrowUp")  # it came from nothing
    assert traveller.focused()[:2] == [Stage.TOKENS, None]
    traveller.press("Home")
    assert "“[CLS]”" in traveller.focused()[3]
    traveller.press("ArrowRight")
    traveller.press("Enter")
    held, message = traveller.lit(), traveller.tell.inner_text()
    assert page.locator(".ts-pipeline [aria-selected=true]").count() == 1
    traveller.press("ArrowRight")
    assert traveller.lit() != held
    traveller.press("Tab")
    assert page.evaluate(FOCUSED) is None
    expect(traveller.tell).to_have_text(message)  # a held element stays lit without the focus
    assert traveller.lit() == held
    traveller.press("Shift+Tab")
    traveller.press("Escape")
    expect(page.locator(".ts-pipeline [aria-selected=true]")).to_have_count(0)
    traveller.press("Tab")
    assert traveller.lit() == set()
    traveller.character(2).click()
    page.mouse.move(5, 5)
    assert (0, "0", 2, 3, None) in traveller.lit()
    traveller.character(2).click()
    expect(page.locator(".ts-pipeline [aria-selected=true]")).to_have_count(0)


def test_lines_both_ways_and_other_stages(traveller: Traveller, dialogs: list[str]) -> None:
    lines_are_as_wide_as_the_page(traveller)
    right_to_left(traveller)
    other_stages_by_hand(traveller)
    hostile_text_is_only_text(traveller)


def lines_are_as_wide_as_the_page(traveller: Traveller) -> None:
    """At 1366 and 390 pixels: nothing scrolls sideways, no character is lost, the second text begins a line
    of its own."""
    long = {"corpus": "mixed", "size": "400", "a": f"{B} {'x' * 60} … ½", "b": B, "normalizer": "nfkc"}
    traveller.start(**long)
    encoding = encoded(**long)
    number = 0
    for width, height in ((1366, 768), (390, 844)):
        traveller.page.set_viewport_size({"width": width, "height": height})
        traveller.page.wait_for_function(f"({LINES})().length > {number}")
        lines = traveller.page.evaluate(LINES)
        number = len(lines)
        assert max(traveller.page.evaluate(WIDTHS)) <= 0
        assert [over for over, _way, _label in lines if over > 0] == []
        labels = [label for _over, _way, label in lines]
        assert sorted(labels) == labels and {*labels} == {"Text A", "Text B"}
        traveller.ids(encoding.ids)
        places = traveller.page.evaluate(PLACES)
        order = [(one["of"], one["start"]) for one in places if one["row"] == Stage.TEXT]
        assert order == [
            (of, at) for of, text in enumerate((long["a"], long["b"])) for at in range(len(text))
        ]
        for one in places:  # nothing lies on anything else of its stage
            one["box"] = (one["row"], round(one["top"]))
        for row in {one["box"] for one in places}:
            along = sorted((one["left"], one["right"]) for one in places if one["box"] == row)
            assert all(right <= left + 1 for (_, right), (left, _) in pairwise(along))
    assert number > 8
    traveller.page.set_viewport_size({"width": 1366, "height": 768})


def right_to_left(traveller: Traveller) -> None:
    """The lines run the other way, and so do the arrow keys."""
    url = {
        "corpus": "mixed",
        "size": "400",
        "pre": "byte_level",
        "model": "bpe",
        "template": "none",
        "normalizer": "none",
    }
    traveller.turn(**url, a=RIGHT_TO_LEFT, b="peace")
    ways = [way for _over, way, _label in traveller.page.evaluate(LINES)]
    assert ways == sorted(ways, reverse=True) and {*ways} == {"rtl", "ltr"}
    first, second = (traveller.character(at).bounding_box() for at in (0, 1))
    assert first and second and first["x"] > second["x"]
    label = traveller.page.locator(".ts-pipeline .line .labels").first.bounding_box()
    assert label and label["x"] >= first["x"] + first["width"]
    traveller.character(0).click()
    traveller.press("ArrowLeft", 2)
    assert traveller.focused()[:3] == [Stage.TEXT, 0, 2]
    traveller.press("ArrowRight")
    assert traveller.focused()[:3] == [Stage.TEXT, 0, 1]
    assert max(traveller.page.evaluate(WIDTHS)) <= 0


def back_forward_reload_and_a_link(traveller: Traveller) -> None:
    """Every change is in the address; Back and Forward go through them, and the address alone brings all of
    it back."""
    page = traveller.page
    traveller.write("bread 🙂")
    changed = PAIR | {"a": "bread 🙂"}
    traveller.ids(encoded(**changed).ids)
    traveller.rest()
    assert traveller.query() == changed
    traveller.choose("Template", "XLNet: A <sep> <cls>")
    other = changed | {"template": "xlnet"}
    traveller.ids(encoded(**other).ids)
    traveller.rest()
    assert traveller.query() == other
    page.go_back()
    traveller.ids(encoded(**changed).ids)
    page.go_back()
    traveller.ids(encoded(**PAIR).ids)
    expect(page.get_by_label("Text", exact=True)).to_have_value(A)
    traveller.rest()
    assert traveller.query() == PAIR
    page.go_forward()
    traveller.ids(encoded(**changed).ids)
    traveller.write("", "Second text, for a pair")
    single = {name: value for name, value in changed.items() if name != "b"}
    traveller.ids(encoded(**single).ids)
    traveller.rest()
    assert traveller.query() == single
    page.reload()
    traveller.ready()
    traveller.ids(encoded(**single).ids)
    expect(page.get_by_label("Text", exact=True)).to_have_value("bread 🙂")
    expect(page.get_by_label("Second text, for a pair")).to_have_value("")


@pytest.mark.slow
def test_back_leaves_an_untouched_page(traveller: Traveller) -> None:
    page = traveller.page
    page.goto(f"{traveller.address}/renew?{urlencode({'corpus': 'hug', 't1': 'bpe?corpus=hug'})}")
    page.locator("dl.counts").wait_for()
    traveller.rest()
    page.get_by_test_id("stSidebarNavLink").filter(has_text="Pipeline").click()
    traveller.ready()
    assert traveller.query() == {}
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Retrain")
    page.locator("dl.counts").wait_for()
    assert traveller.query()["corpus"] == "hug"


def other_stages_by_hand(traveller: Traveller) -> None:
    """From BERT to GPT-2 with one choice, and on from there."""
    url = {"corpus": "mixed", "size": "400", "a": "the café, 龘"}
    traveller.turn(**url)
    traveller.choose("Stages as in", "GPT-2")
    gpt2 = url | {"normalizer": "none", "pre": "byte_level", "model": "bpe", "template": "none"}
    expected = encoded(**gpt2)
    traveller.ids(expected.ids)
    traveller.rest()
    assert traveller.query() == gpt2
    tea = traveller.character(url["a"].index("龘"))
    tea.hover()
    tokens = [one for one in traveller.lit() if one[0] == Stage.TOKENS]
    assert (
        len(tokens) == sum(start <= 10 < end for start, end in expected.offsets) > 1
    )  # a character of several tokens
    traveller.choose("Template", "BERT: [CLS] A [SEP]")
    traveller.ids(encoded(**gpt2 | {"template": "bert"}).ids)
    expect(traveller.page.get_by_label("Stages as in", exact=True)).to_have_value("custom")
    traveller.untroubled()


def hostile_text_is_only_text(traveller: Traveller) -> None:
    """Every tab, everything pointed at: no element, no attribute, no request comes from the texts."""
    text = "\n".join(one.replace("\0", "") for one in HOSTILE)
    traveller.turn(
        corpus="mixed",
        size="300",
        pre="whitespace_split",
        model="bpe",
        template="roberta",
        a=text[:280],
        b=text[280:] + "</s>",
    )
    page = traveller.page
    for name in TABS:
        traveller.tab(name)
        traveller.rest()
        assert page.evaluate(TRACES_OF_ATTACK) == [], name
    items = page.locator(".ts-pipeline .i")
    for number in range(0, items.count(), 211):
        items.nth(number).hover()
        expect(traveller.tell).not_to_contain_text("Point at anything")
    characters = traveller.row(Stage.TEXT)
    assert characters.count() == len(text) + 4
    assert characters.nth(0).inner_text().startswith("<")
    traveller.untroubled()
    assert page.evaluate(TRACES_OF_ATTACK) == []
    assert page.locator(".ts-pipeline").evaluate("box => [...new Set([...box.querySelectorAll('*')].map(e => e.localName))].sort()") == [
        "bdi", "div", "p", "small", "span",
    ]  # fmt: skip


@pytest.mark.slow
def test_labels_by_hand_stay(traveller: Traveller) -> None:
    """Labels of tokens, set in the table, are there after another tab and after another page, and can be set
    on from there. Oracle: the entity's offsets, and the first characters of the text."""
    page = traveller.start(corpus="mixed", size="400", a="Anna lives in Rome").page
    table = page.get_by_test_id("stDataFrame")
    entity = page.get_by_role("table").get_by_role("row").nth(1)

    def label(row: int, name: str) -> None:
        cell = table.get_by_test_id(f"glide-cell-3-{row}")
        expect(cell).to_be_attached()
        traveller.rest()
        table.scroll_into_view_if_needed()
        box = table.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + 0.85 * box["width"], box["y"] + 33 * (row + 1.5))
        expect(cell).to_have_attribute("aria-selected", "true")
        page.keyboard.press("Enter")
        page.get_by_role("option", name=name, exact=True).click()

    page.get_by_role("tab", name="Entities").click()
    label(0, "B-PER")
    expect(entity).to_have_text(re.compile("PER.*0.*1.*A"))
    page.get_by_role("tab", name="Windows").click()
    expect(table).to_have_count(0)
    page.get_by_role("tab", name="Entities").click()
    label(1, "I-PER")
    expect(entity).to_have_text(re.compile("PER.*0.*2.*An"))
    page.get_by_role("link", name="Glossary", exact=True).click()
    page.wait_for_url("**/glossary*")
    expect(page.get_by_role("heading", name="Glossary")).to_be_visible()
    page.get_by_role("link", name="Pipeline", exact=True).click()
    page.wait_for_url("**/pipeline*")
    expect(page.get_by_role("tab", name="Entities")).to_be_visible()
    traveller.rest()
    page.get_by_role("tab", name="Entities").click()
    expect(entity).to_have_text(re.compile("PER.*0.*2.*An"))
