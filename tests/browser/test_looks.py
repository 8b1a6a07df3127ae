"""Paper, long numbers, and room for the stage.

Source: paper is black on white, and a stage is steady. Oracles: the browser's computed styles and boxes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import at_rest, open_tab
from tests.pages.test_bpe import TABS
from tokenizers_core.encoding.cuts.ways import Ways
from tokenizers_core.encoding.models.bpe import BpeModel
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL
from tokensteps.assets import read_asset, read_script
from tokensteps.components.flipbook import FLIPBOOK_STYLES
from tokensteps.drawing.cuts.overview import ways_of_word_html
from tokensteps.drawing.frame import Frame, payload
from tokensteps.drawing.tokens import Style
from tokensteps.language.labels import flipbook_labels
from tokensteps.runs.algorithms import BPE, UNIGRAM, WORDPIECE, Algorithm, trace_at
from tokensteps.teaching.worksheets import run_tasks, worksheet

ROOT = Path(__file__).resolve().parents[2]
HIDDEN = "stSidebar", "stHeader", "stButtonGroup", "stPageLink", "stTooltipIcon"
LIGHTNESS = "node => Math.max(...getComputedStyle(node).{0}.match(/\\d+/g).slice(0, 3).map(Number))"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str]) -> str:
    return serve(ROOT / "app.py")


def test_paper_is_black_on_white_without_controls(address: str, page: Page) -> None:
    """A dark page on paper: the step with its narration, light; no sidebar, transport or timeline; on the
    screen, room is kept for the stage."""
    page.emulate_media(color_scheme="dark")
    page.goto(f"{address}/bpe?step=3")
    stage = page.locator(".st-key-bpe-book .stage")
    expect(stage.locator(".say")).to_be_visible()
    expect(page.get_by_role("tab").first).to_be_visible()
    room = page.locator(".st-key-bpe-book").evaluate("node => parseFloat(getComputedStyle(node).minHeight)")
    assert room > 500, "what stands below would fall when the stage comes"

    page.emulate_media(color_scheme="dark", media="print")
    for name in HIDDEN:
        for result in page.get_by_test_id(name).all():
            expect(result).to_be_hidden()
    for part in (".transport .buttons", ".transport input", ".line"):
        expect(page.locator(f".st-key-bpe-book {part}").first).to_be_hidden()
    expect(stage.locator(".say")).to_be_visible()
    for dark in (stage.locator(".say"), stage.locator(".t").first, page.locator("h1").first):
        assert dark.evaluate(LIGHTNESS.format("color")) < 80
    for light in (page.locator(".stApp"), page.get_by_test_id("stMain"), stage.locator(".t").first):
        assert light.evaluate(LIGHTNESS.format("backgroundColor")) > 200


@pytest.mark.parametrize(("width", "marks"), [(934, None), (934, [12_345]), (358, None), (358, [12_345])])
def test_long_numbers_have_room(
    open_page: Callable[..., Page], tmp_path: Path, width: int, marks: list[int] | None
) -> None:
    """Five digits: their thousands are set apart, and the transport shows all of them, on a phone, too, and
    beside the buttons that lead to marked steps."""
    status = "vocabulary 12,601 of 16,256"
    frames = [Frame("<p>x</p>", "", "x", status)]
    message = payload("run", 16_000, 12_345, frames, (12_345, 1), flipbook_labels()).decode()
    data = json.dumps(json.loads(message) | {"marks": marks})
    script = read_script("flipbook").replace("export default ", "")
    styles = "".join(map(read_asset, FLIPBOOK_STYLES))
    path = tmp_path / "long.html"
    path.write_text(
        f'<!doctype html><meta charset="utf-8"><div id="book" style="width: {width}px"><template shadowrootmode="open"><style>{styles}</style>'
        f'</template></div><script type="application/json" id="data">{data}</script><script type="module">{script}\n'
        'flipbook({data: document.getElementById("data").textContent, parentElement: document.getElementById("book").shadowRoot,'
        " setStateValue() {}});</script>",
        encoding="utf-8",
    )
    page = open_page()
    page.goto(path.as_uri())
    where = page.locator(".where")
    expect(where).to_have_text(f"Step 12,345 of 16,000· {status}")
    for button in page.locator("[data-do=before], [data-do=after]").all():
        if marks:
            expect(button).to_be_in_viewport(ratio=1)
        else:
            expect(button).to_be_hidden()
    assert where.locator("> span").evaluate("node => node.scrollWidth - node.clientWidth") <= 0, "cut off"


def test_ways_to_cut_many_bytes_have_room(open_page: Callable[..., Page], tmp_path: Path) -> None:
    """On a phone, each chip is as wide as its label, and the number of tokens stays in sight. Oracle: with
    256 bytes alone, nine characters of three bytes are 27 tokens."""
    word = "".join(BYTE_TO_SYMBOL[byte] for byte in "日本語の文章を切る".encode())
    ways = Ways(BpeModel([*dict.fromkeys(word)], []))
    cut = ways_of_word_html(ways.all_cuts(word), Style(byte_level=True))
    path = tmp_path / "cuts.html"
    path.write_text(
        f'<!doctype html><meta charset="utf-8"><style>{read_asset("page/style.css")}</style>{cut}', "utf-8"
    )
    page = open_page(viewport={"width": 390, "height": 844})
    page.goto(path.as_uri())
    chips = page.locator(".cuts .p .t")
    assert chips.count() >= 27
    assert max(chips.evaluate_all("all => all.map(chip => chip.scrollWidth - chip.clientWidth)")) <= 0
    expect(page.locator(".cuts .f").first).to_have_text("27")
    expect(page.locator(".cuts .f").first).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("algorithm", [BPE, WORDPIECE, UNIGRAM], ids=lambda one: str(one.name))
def test_a_worksheet_fits_on_a_phone(
    algorithm: Algorithm[Any], open_page: Callable[..., Page], tmp_path: Path
) -> None:
    """Its blank tables have room for a pencil only on paper."""
    path = tmp_path / "worksheet.html"
    path.write_text(worksheet("Paper", run_tasks(trace_at(algorithm, corpus="course"), 3, Style())), "utf-8")
    page = open_page(viewport={"width": 390, "height": 844})
    page.goto(path.as_uri())
    expect(page.locator("td.blank.wide").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390


SHARES = """(teams) => [...barsTable({ team: "", vote: "" }, {},
    [{ answered: 3, bars: [{ answer: "a", count: 2 }] }, { answered: 1, bars: [{ answer: "a", count: 1 }] }], null, teams)
  .querySelectorAll(".bar")].map((bar) => Number(bar.style.getPropertyValue("--share")))"""


def test_bars_of_teams_of_different_sizes(page: Page) -> None:
    """A bar is the share of its own team; of one vote after another, it is the number."""
    page.goto("about:blank")
    page.add_script_tag(content=read_script("class_again").replace("export default ", ""))
    assert page.evaluate(SHARES, True) == [2 / 3, 1]
    assert page.evaluate(SHARES, False) == [1, 1 / 2]


BOARD = """(message) => {
    const form = document.querySelector("form"), host = form.appendChild(document.createElement("div"));
    const parentElement = host.attachShadow({ mode: "open" });
    board({ data: new TextEncoder().encode(JSON.stringify(message)), parentElement });
  }"""


def test_dollar_signs_of_a_word_stay_as_they_are(page: Page) -> None:
    """In JavaScript's own replacement texts, $$ means $."""
    page.set_content('<form data-testid="stForm"><input></form>')
    page.add_script_tag(content=read_script("board").replace("export default ", ""))
    pieces = '<button type="button" data-piece="a" data-start="0" data-end="1">a</button>'
    labels = {"hint": "", "open": "Still to cover: {letters}", "done": "{split}"}
    page.evaluate(BOARD, {"html": pieces, "word": "a$$b$&", "last": False, "labels": labels})
    page.get_by_role("button", name="a").click()
    expect(page.locator(".ts-board p")).to_have_text("Still to cover: $$b$&")


def test_one_step_has_nothing_to_play(open_page: Callable[..., Page], tmp_path: Path) -> None:
    """A run without steps has no transport, only its status."""
    script = read_script("flipbook").replace("export default ", "")
    data = payload("run", 0, 0, [Frame("<p>x</p>", "", "x", "vocabulary 1")], (0, 1), flipbook_labels())
    path = tmp_path / "still.html"
    path.write_text(
        f'<!doctype html><meta charset="utf-8"><style>{read_asset("components/flipbook.css")}</style><div id="book"></div>'
        f'<script type="module">{script}\nflipbook({{data: JSON.stringify({data.decode()}), '
        'parentElement: document.getElementById("book"), setStateValue() {}});</script>',
        encoding="utf-8",
    )
    page = open_page()
    page.goto(path.as_uri())
    expect(page.locator(".where > span")).to_have_text("vocabulary 1")
    expect(page.locator(".where > p")).to_be_hidden()
    expect(page.locator('[data-do="play"]')).to_be_hidden()
    page.keyboard.press(" ")
    assert page.locator(".ts-flipbook[data-playing]").count() == 0


SPACED = """() => { const sheet = new CSSStyleSheet(); document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  sheet.replaceSync(`* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important; }
    p { margin-bottom: 2em !important; }`); }"""
"""The spacing of text without any allowed loss: WCAG 2.2, 1.4.12."""
CUT = """nodes => nodes.filter(node => { const label = node.querySelector('p'); if (!label?.checkVisibility()) return false;
  const [inner, outer] = [label, node].map(one => one.getBoundingClientRect());
  return inner.top < outer.top || inner.bottom > outer.bottom + 1
    || [...node.querySelectorAll('*')].some(one => one.clientWidth && one.scrollWidth > one.clientWidth + 1); }).map(node => node.innerText)"""
"""The labels cut off by their button."""


SPARE = """nodes => nodes.map(node => { const text = document.createRange();
  text.selectNodeContents(node.querySelector('code')); return node.getBoundingClientRect().height - text.getBoundingClientRect().height; })"""
"""How much taller a box of code is than its lines."""


@pytest.mark.slow
def test_labels_of_choices_and_files_are_whole(address: str, page: Page) -> None:
    """At 1366 pixels no file's button is cut off, or lower than those beside it; with more spacing of text,
    no choice is."""
    page.goto(f"{address}/bpe?corpus=hug&step=2")
    open_tab(page, "Files and link")
    files = page.get_by_test_id("stDownloadButton").get_by_role("button")
    expect(files.nth(8)).to_be_visible()
    assert files.evaluate_all(CUT) == []
    heights = files.evaluate_all("nodes => nodes.slice(0, 4).map(node => node.offsetHeight)")
    assert len({*heights}) == 1, "a row of buttons has one height"
    page.get_by_text("Embed", exact=True).first.click()
    boxes = page.get_by_test_id("stCode").filter(visible=True)
    expect(boxes.filter(has_text="<iframe")).to_be_visible()
    assert max(boxes.evaluate_all(SPARE)) < 40, "a box is taller than what it holds"
    page.evaluate(SPACED)
    choices = page.locator('[data-testid="stButtonGroup"] [role="radio"]')
    expect(choices.first).to_be_visible()
    assert choices.count() > 6 and choices.evaluate_all(CUT) == []


def test_a_choice_at_the_end_of_a_row_has_its_edge(address: str, page: Page) -> None:
    """“bytes” begins a second row: the one before it, at the end of the first, is whole as well."""
    page.goto(f"{address}/bpe?corpus=hug")
    choices = page.get_by_role("radiogroup", name="Show tokens").get_by_role("radio")
    choices.last.click()
    expect(choices.last).to_be_checked()
    at_rest(page)
    page.mouse.move(700, 400)
    before, chosen = choices.nth(2), choices.last
    assert before.bounding_box()["y"] < chosen.bounding_box()["y"]  # type: ignore[index]
    assert before.evaluate("node => getComputedStyle(node).borderRightColor") != "rgba(0, 0, 0, 0)"


@pytest.mark.slow
def test_choices_show_in_forced_colours(address: str, page: Page) -> None:
    """The mode, the language, a slider's track and a bar differ from their surroundings, also in a theme of
    the system's own."""
    page.emulate_media(forced_colors="active")
    page.goto(f"{address}/unigram?corpus=hug&step=2")
    expect(page.locator(".ts-flipbook .cols .bar").first).to_be_visible()
    expect(page.get_by_role("radiogroup", name="The k best")).to_be_visible()
    colour = "node => getComputedStyle(node).backgroundColor"
    opaque = "node => getComputedStyle(node).backgroundColor.match(/\\d+/g).slice(0, 3).join()"  # white at a tenth is white on white
    for name in ("Mode", "Language", "The k best"):
        chosen, other = (
            page.get_by_role("radiogroup", name=name)
            .locator(f"[aria-checked={is_it}]")
            .first.evaluate(opaque)
            for is_it in ("true", "false")
        )
        assert chosen != other, name
    canvas = page.locator(".ts-flipbook").first.evaluate(colour)
    assert page.locator(".ts-flipbook .cols .bar").first.evaluate(colour) != canvas
    track = "node => getComputedStyle(node, '::-webkit-slider-runnable-track').backgroundColor"
    assert page.locator(".ts-flipbook input[type=range]").first.evaluate(track) != canvas
    page.emulate_media(forced_colors="none")


def test_a_start_under_several_rules_is_whole_in_sight(address: str, page: Page) -> None:
    """The text about them takes the place of rows, not of the vocabulary below."""
    page.goto(f"{address}/unigram?corpus=course&size=320&bytes=1&coverage=0.98&step=0")
    book = page.locator(".st-key-unigram-book")
    expect(book.locator(".say")).to_contain_text("256 byte pieces")
    expect(book.locator(".vocab")).to_be_in_viewport(ratio=1)
    expect(book.locator(".w:visible")).to_have_count(6)


def test_the_keyboard_goes_past_a_folded_sidebar(address: str, page: Page) -> None:
    """The words on the stage are a list to screen readers."""
    page.goto(f"{address}/bpe?corpus=hug&step=2")
    words = page.locator(".ts-flipbook .cols").get_by_role("list").get_by_role("listitem")
    expect(words).to_have_count(5)
    page.get_by_test_id("stSidebar").hover()
    page.get_by_role("button", name="Collapse sidebar").click()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    page.get_by_role("button", name="Expand sidebar").click()
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    page.get_by_role("button", name="Collapse sidebar").click()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    for _ in range(4):
        page.keyboard.press("Tab")
        assert page.evaluate("!document.activeElement.closest('[data-testid=\"stSidebar\"]')")


def test_a_phones_texts_mention_only_its_own_buttons(address: str, page: Page) -> None:
    """The page of classes says where to open one: here, if there is a button."""
    page.goto(f"{address}/class")
    opens = page.get_by_test_id("stMain").get_by_role("button", name="Open a class", exact=True)
    names_it = page.get_by_text("press “Open a class” here")
    expect(opens).to_be_visible()
    expect(names_it).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(opens).to_be_hidden()
    expect(names_it).to_be_hidden()
    expect(page.get_by_text("open this page in a wider window")).to_be_visible()


def test_the_other_tabs_are_under_more(address: str, page: Page) -> None:
    """Four tabs are in sight; “More” names the others, by mouse and by keyboard, and the chosen one stands
    beside the four."""
    page.goto(f"{address}/bpe?corpus=hug&step=2")
    tabs, more, items = (
        page.get_by_role("tab"),
        page.get_by_role("button", name="More"),
        page.get_by_role("menuitem"),
    )
    in_sight, others = TABS[:4], TABS[4:]
    expect(tabs).to_have_text(in_sight)
    at = more.bounding_box()
    assert at
    page.set_viewport_size({"width": 1280, "height": int(at["y"] + at["height"]) + 8})  # at the window's foot
    more.click()
    expect(items.last).to_be_in_viewport(ratio=0.9)
    expect(items).to_have_text(others)
    page.keyboard.press("Escape")
    expect(items).to_have_count(0)
    expect(more).to_be_focused()
    page.keyboard.press("Enter")
    expect(items.first).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(items.nth(1)).to_be_focused()
    page.keyboard.press("Enter")
    chosen = page.get_by_role("tab", name=others[1])
    expect(chosen).to_be_focused()
    expect(chosen).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tabpanel", name=others[1])).to_be_visible()
    expect(tabs).to_have_text([*in_sight, others[1]])
    tabs.first.click()
    expect(tabs).to_have_count(4)
    more.click()
    items.nth(1).hover()
    page.mouse.down()  # takes the focus from none: in Safari, the menu would close
    expect(items.first).to_be_focused()
    page.mouse.up()
    expect(page.get_by_role("tab", name=others[1])).to_have_attribute("aria-selected", "true")


HEADS = """() => [...document.querySelectorAll('.st-key-unigram-book *')].flatMap((node) =>
  [...node.shadowRoot?.querySelectorAll('.cols th') ?? []]).map((head) => {
    const words = document.createRange();
    words.selectNodeContents(head);
    return [head.textContent, new Set([...words.getClientRects()].map(({ top }) => Math.round(top))).size]; })"""


def test_a_columns_name_is_not_cut_on_a_phone(address: str, page: Page) -> None:
    """Chinese may be cut anywhere; in a narrow column, a name of two characters was."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{address}/unigram?lang=zh")
    expect(page.locator(".st-key-unigram-book .cols th").first).to_be_visible()
    heads = page.evaluate(HEADS)
    assert ["次数", 1] in heads and {lines for _, lines in heads} == {1}


CLIPPED = """boxes => boxes.filter(box => box.placeholder && !box.value && box.offsetWidth).filter(box => {
  const pen = document.createElement('canvas').getContext('2d'), style = getComputedStyle(box);
  pen.font = style.font;
  const room = box.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return pen.measureText(box.placeholder).width > room; }).map(box => box.placeholder)"""
"""The words in empty boxes without room for them."""


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh", "ja"])
def test_words_in_empty_boxes_are_whole(address: str, page: Page, language: str) -> None:
    """What an empty number stands for can be read, beside the box's buttons."""
    for url, number in (
        ("bpe?kind=superbpe&size=", 2),
        ("unigram?corpus=hug&size=&seed=", 2),
        ("compare?", 1),
    ):
        page.goto(f"{address}/{url}&lang={language}")
        boxes = page.get_by_test_id("stSidebar").get_by_test_id("stNumberInput").locator("input")
        expect(
            boxes.and_(page.locator(":placeholder-shown:not([placeholder=''])")).nth(number - 1)
        ).to_be_visible()
        at_rest(page)
        assert boxes.evaluate_all(CLIPPED) == [], url
