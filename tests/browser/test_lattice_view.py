"""The lattice tab in a real browser: stepping, pointing at pieces, forcing them, phone, both themes.

Sources and oracles: `golden/unigram_hug.json`, the course's Viterbi table for unhug; the engine's lattice of
the same pieces.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import at_rest
from tests.browser.lattice_demo import GOLDEN, stretches
from tokenizers_core.encoding.models.lattice import Lattice
from tokensteps.drawing.lattice.bars import LATTICE_CHARACTERS
from tokensteps.language.numbers import log_text

pytestmark = pytest.mark.slow

HERE = Path(__file__).resolve().parent
TABLE = json.loads(GOLDEN.read_text("utf-8"))["viterbi_unhug"]
SCORES = ["0.1714", "0.07619", "0.005442", "0.005442", "0.005442"]
"""The course's figures for unhug, boundary by boundary."""
LONG = "the_tokenization_of_the_tokens_in_the_tokenizer_is_the_token_of_tokenization_and_the_organization"
STATE = """book => ({
  step: +book.querySelector('input').value, beat: book.querySelector('.stage').dataset.beat, say: book.querySelector('.say').innerText,
  rows: [...book.querySelectorAll('.rows tr:not(:first-child)')].map(row => [...row.cells].map(cell => cell.textContent)),
  now: [...book.querySelectorAll('.rows .now')].map(row => row.cells[0].textContent),
  best: [...book.querySelectorAll('.e.best bdi')].map(e => e.textContent),
  picked: [...book.querySelectorAll('.e.picked bdi')].map(e => e.textContent),
  seen: [...book.querySelectorAll('.e.seen bdi')].map(e => e.textContent),
  pressed: [...book.querySelectorAll('.e[aria-pressed=true] bdi')].map(e => e.textContent),
  focus: book.getRootNode().activeElement?.innerText,
  facts: book.querySelector('.facts').innerText, playing: book.hasAttribute('data-playing') })"""


class Book:
    """The flipbook of the lattice, as a learner sees it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.root = page.locator(".ts-flipbook")

    def state(self) -> dict[str, Any]:
        return self.root.evaluate(STATE)  # type: ignore[no-any-return]

    def press(self, *keys: str) -> dict[str, Any]:
        for key in keys:
            self.page.keyboard.press(key)
        return self.state()

    def bar(self, piece: str, index: int = 0) -> Locator:
        """The button of a piece; of several with its text, the one at a place in order."""
        return self.root.locator(".e").filter(has_text=re.compile(rf"^{re.escape(piece)} ?\W")).nth(index)

    def start(self) -> Book:
        """Give the book the keys, without touching a bar."""
        self.root.locator(".stage .say").click(position={"x": 3, "y": 3})
        return self


@pytest.fixture
def lattice(serve: Callable[..., str], page: Page) -> Callable[..., Book]:
    """Return `lattice(query)`: the demo page's flipbook at that query string, ready."""

    def start(query: str = "", on: Page | None = None) -> Book:
        position = on or page
        position.goto(serve(HERE / "lattice_demo.py", folder=HERE) + query)
        position.locator(".ts-flipbook .lat").wait_for()
        at_rest(position)
        return Book(position).start()

    return start


def test_unhug_and_other_words(lattice: Callable[..., Book]) -> None:
    """One visit: the course's word by keyboard and by mouse, in all its colours, then other words."""
    book = lattice()
    unhug_by_keyboard(book)
    beats_hold_the_winner_back(book)
    pointing_at_a_piece_tells_its_numbers(book)
    everything_can_be_read(book)
    forcing_with_the_mouse(book)
    book.page.mouse.move(0, 0)
    book.press("Home")
    forcing_with_the_keyboard(book)
    another_word_forgets_the_choice(book)
    a_tie_costs_nothing(book)


def unhug_by_keyboard(book: Book) -> None:
    """Forward boundary by boundary, as in the course, then back along the last pieces."""
    for step in range(1, 6):
        state = book.press("ArrowRight")
        assert state["step"] == step and state["now"] == [str(step)] and state["best"] == []
    assert state["rows"] == [
        ["0", "start", "1", "0"],
        *(
            [str(row["end"]), "".join(row["tokens"]), shown, log_text(math.log(row["probability"]))]
            for row, shown in zip(TABLE, SCORES, strict=True)
        ),
    ]
    assert book.press("ArrowRight")["best"] == ["hug"]
    assert book.press("ArrowRight")["best"] == ["un", "hug"]
    assert book.press("Home")["step"] == 0 and book.press("End")["step"] == 7
    assert book.press("ArrowLeft")["best"] == ["hug"]


def beats_hold_the_winner_back(book: Book) -> None:
    book.press("Home", "ArrowRight", "ArrowRight")
    cells = book.root.locator(".rows .now td").nth(1)
    expect(cells).to_have_css("visibility", "visible")
    plain = book.bar("n").evaluate("e => getComputedStyle(e).borderTopColor")
    expect(book.bar("un")).not_to_have_css("border-top-color", plain)  # the colour comes gradually
    # Pressed and looked at in one go: however slow the machine is, the first beat is not over in between.
    held_back = book.root.evaluate(
        """book => {
            document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
            return getComputedStyle(book.querySelectorAll(".rows .now td")[1]).visibility;
        }"""
    )
    assert held_back == "hidden"
    expect(cells).to_have_css("visibility", "visible")


def pointing_at_a_piece_tells_its_numbers(book: Book) -> None:
    book.press("Home")
    expect(book.root.locator(".facts .hint")).to_be_visible()
    tall = book.root.evaluate("book => book.offsetHeight")
    for step in range(8):
        book.bar("ug").hover()
        state = book.state()
        assert state["seen"] == ["un", "h", "ug"] and state["picked"] == []
        assert "ug from 3 to 5: probability 0.09524, log −2.351; posterior 7.9 %" in state["facts"]
        assert (
            "Best path through ug: un · h · ug, log probability −7.565; costs 2.35 nats more than the best one "
            "(10.5 times less probable)." in state["facts"]
        )
        assert book.root.evaluate("book => book.offsetHeight") == tall, step  # nothing jumps
        book.page.keyboard.press("ArrowRight")
        assert book.state()["seen"] == ["un", "h", "ug"]  # the mouse rests there
    book.root.locator(".say").hover()
    assert book.state()["seen"] == []
    expect(book.root.locator(".facts .hint")).to_be_visible()


CONTRAST = """(book, selector) => {
  const pen = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const up = e => e.parentElement ?? e.getRootNode().host;
  const known = new Map();
  const light = paint => { // the colours laid over each other, as light; few are different
    const name = paint.join('|');
    if (known.has(name)) return known.get(name);
    pen.clearRect(0, 0, 1, 1);
    for (const colour of paint) { pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1); }
    const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map(x => x / 255).map(x => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
    known.set(name, .2126 * r + .7152 * g + .0722 * b);
    return known.get(name); };
  const grounds = new Map(), ground = e => grounds.get(e) ?? grounds.set(e, getComputedStyle(e).backgroundColor).get(e);
  return [...book.querySelectorAll(selector)].filter(e => e.checkVisibility({visibilityProperty: true})).map(e => {
    const under = [];
    for (let at = e; at; at = up(at)) under.unshift(ground(at));
    const pair = [light(under), light([...under, getComputedStyle(e).color])].sort((a, b) => b - a);
    return (pair[0] + .05) / (pair[1] + .05); }); }"""


SELECTORS = (
    ".e bdi", ".e small", ".ruler b", ".ruler i", ".lat td", ".lat th", ".lat .t", ".facts p", ".legend span", ".mark", ".lat h3",
)  # fmt: skip


def everything_can_be_read(book: Book) -> None:
    """Contrast of 4.5:1 for all text, in every possible state of a piece or a boundary."""
    page = book.page
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    book.press("Home")
    book.bar("ug").click()
    for step in range(8):
        for scheme in (("light", "dark"), ("dark", "light"))[step % 2]:  # one change for each step
            page.emulate_media(color_scheme=scheme)
            expect(book.root).to_have_css("color-scheme", scheme)
            result = book.root.evaluate(f"(book, all) => all.map(one => ({CONTRAST})(book, one))", SELECTORS)
            for selector, measured in zip(SELECTORS, result, strict=True):
                for contrast in measured:
                    assert contrast >= 4.5, (step, scheme, selector, contrast)
        assert book.press("ArrowRight")["beat"] == "2"  # at rest: nothing blinks
    page.emulate_media(color_scheme="light", reduced_motion="no-preference")
    book.bar("ug").click()


def forcing_with_the_mouse(book: Book) -> None:
    """The forced path is marked, the best one stays; stepping keeps it, choosing again or another one changes
    it."""
    book.press("End")
    book.bar("hu").click()
    book.root.locator(".say").hover()
    state = book.state()
    assert (
        state["picked"] == ["un", "hu", "g"] and state["pressed"] == ["hu"] and state["best"] == ["un", "hug"]
    )
    assert "Best path through hu: un · hu · g" in state["facts"]
    looks = "e => { const s = getComputedStyle(e); return [s.outlineStyle, s.backgroundColor]; }"
    forced, stored, first = (book.bar(piece).evaluate(looks) for piece in ("hu", "hug", "un"))
    assert forced[0] == "solid" and stored[0] == "none" and first[0] == "dashed"
    assert stored[1] == first[1] != forced[1]  # the best path has its own colour, forced or not
    for key in ("ArrowLeft", "ArrowLeft", "Home"):
        assert book.press(key)["picked"] == ["un", "hu", "g"] and book.state()["pressed"] == ["hu"]
        assert "Best path through hu" in book.state()["facts"]
    book.bar("hug").click()
    assert book.state()["picked"] == ["un", "hug"]
    assert "It is on the best path: forcing it costs nothing." in book.state()["facts"]
    book.bar("hug").click()
    assert book.state()["picked"] == book.state()["pressed"] == []


def forcing_with_the_keyboard(book: Book) -> None:
    for _ in range(2):  # chosen, and given up again; the focus stays
        book.bar("h").click()
    book.page.keyboard.press("Shift+Tab")
    book.page.keyboard.press("Tab")
    state = book.state()
    assert (
        state["focus"].startswith("h")
        and state["seen"] == ["un", "h", "ug"]
        and "Best path through h:" in state["facts"]
    )
    state = book.press("Enter")
    assert state["pressed"] == ["h"] and state["picked"] == ["un", "h", "ug"] and state["step"] == 0
    for step in (1, 2, 3):
        state = book.press("ArrowRight")  # steps, while the piece keeps focus and force
        assert state["step"] == step and state["focus"].startswith("h") and state["pressed"] == ["h"]
    assert book.press("End")["step"] == 7 and book.press("Home")["step"] == 0
    state = book.press("Space")
    assert state["pressed"] == [] and not state["playing"] and state["step"] == 0
    assert book.press("Space")["pressed"] == ["h"]
    assert book.press("Space")["pressed"] == []


def another_word_forgets_the_choice(book: Book) -> None:
    book.bar("un").click()
    field = book.page.get_by_role("combobox", name=re.compile("Word"))
    field.click()
    book.page.keyboard.type("hug un")
    book.page.keyboard.press("Enter")
    expect(book.root.locator(".facts")).to_be_visible()
    book.page.get_by_text("No sequence of pieces spells this word").wait_for()  # no piece spells the space
    state = book.state()
    assert state["picked"] == state["pressed"] == [] and state["step"] == 0
    assert book.root.locator(".ruler > b").all_inner_texts() == list("hug▁un")
    field.click()
    book.page.keyboard.type("hugs")
    book.page.keyboard.press("Enter")
    book.page.wait_for_function("""() => [...document.querySelectorAll('*')].map(e => e.shadowRoot?.querySelector('.ruler'))
        .find(Boolean)?.innerText.startsWith('h\\nu\\ng\\ns')""")
    expect(book.page.get_by_text("No sequence of pieces spells this word")).to_have_count(0)
    assert book.press("ArrowRight")["step"] == 1  # the keys are the book's at once


def a_tie_costs_nothing(book: Book) -> None:
    field = book.page.get_by_role("combobox", name=re.compile("Word"))
    field.click()
    book.page.keyboard.type("pug")
    book.page.keyboard.press("Enter")
    expect(book.root.locator(".ruler > b")).to_have_text(list("pug"))
    book.bar("pu").click()
    assert "costs nothing: equally good." in book.state()["facts"]


def test_hostile_word(lattice: Callable[..., Book]) -> None:
    word = "<img src=x onerror=document.title='bad'></button>\u202eab\u0301"
    book = lattice(f"?word={quote(word)}&text={quote(word * 2)}")
    for _ in range(8):
        book.press("ArrowRight")
    assert book.press("End")["step"] > 30
    assert book.page.title() == "Lattice"
    assert book.root.locator("img").count() == 0
    assert "".join(book.root.locator(".ruler > b").all_inner_texts()).startswith("<img▁src=x▁onerror")


def test_a_long_word_scrolls_in_its_own_box(lattice: Callable[..., Book]) -> None:
    book = lattice(f"?word={LONG}&text={LONG}")
    expect(book.page.get_by_text(f"its first {LATTICE_CHARACTERS} are shown")).to_be_visible()
    assert Lattice.build(LONG[:60], stretches(LONG)).best() is not None
    pane = book.root.locator(".pane").first
    assert pane.evaluate("e => e.scrollWidth > e.clientWidth") and pane.evaluate("e => e.scrollLeft") == 0
    assert book.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page_top = "document.querySelector('[data-testid=stMain]').scrollTop"
    top = book.page.evaluate(page_top)
    # Looked at after each press, in one go: unseen drawings would take half of the test's time.
    inside = book.root.evaluate("""book => Array.from({ length: 30 }, () => {
        document.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
        const pane = book.querySelector('.pane'), box = pane.getBoundingClientRect();
        return [...pane.querySelectorAll('.ruler .now, .e.lit.won, .e.best')].slice(0, 1).every(node => {
          const at = node.getBoundingClientRect(); return at.left >= box.left && at.right <= box.right + 22; }); })""")
    assert inside == [True] * 30
    assert book.state()["step"] == 30
    assert pane.evaluate("e => e.scrollLeft") > 0
    rows = book.root.locator(".rows")
    assert rows.evaluate("""e => { const at = e.querySelector('.now').getBoundingClientRect(), box = e.getBoundingClientRect();
        return at.top >= box.top && at.bottom <= box.bottom; }""")
    assert book.page.evaluate(page_top) == top
    left = pane.evaluate("e => e.scrollLeft")
    book.press("ArrowLeft")  # the scrolling stays, as long as the place can be seen
    assert pane.evaluate("e => e.scrollLeft") == left


def test_phone(lattice: Callable[..., Book], open_page: Callable[..., Page]) -> None:
    phone = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    for query in ("", f"?word=tokenization&text={LONG}"):
        book = lattice(query, phone)
        for _ in range(4):
            book.press("ArrowRight")
            assert phone.evaluate("document.documentElement.scrollWidth") <= 390
            wide = """() => [...document.querySelectorAll('[data-testid=stMain], [data-testid=stMain] :not(.segmentations)')]
                .filter(e => e.scrollWidth > e.clientWidth + 1 && ['auto', 'scroll'].includes(getComputedStyle(e).overflowX)).map(e => e.outerHTML.slice(0, 200))"""
            assert phone.evaluate(wide) == []
        book.root.locator(".e").first.tap()
        assert len(book.state()["pressed"]) == 1
        book.root.locator(".e").first.tap()
        assert book.state()["pressed"] == []
