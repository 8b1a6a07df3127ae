"""The BPE page in a real browser, in a learner's hands: stepping, links, own texts, tabs, files, hostile
input.

Sources and oracles: `golden/bpe_course.json` (the Hugging Face course's four sentences, chapter 6, with its
published merges in order); the engine, asked directly for the same corpus and settings; the `tokenizers`
library for the downloaded files; for hostile text, the browser itself: its elements and its requests.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Download, Locator, Page, expect
from tokenizers import Tokenizer, models, pre_tokenizers

from tests.browser.cable import Gate
from tests.browser.conftest import (
    ANSWERED_LATER,
    ROOT,
    all_there,
    as_a_newcomer,
    at_rest,
    lose_first,
    open_tab,
    pause,
    turn_to,
)
from tests.browser.hands import choose, click_and_look, retype, slide, tab_to
from tests.waiting import until
from tokenizers_core import BpeTrace, Corpus, train_bpe
from tokensteps.drawing.frame import window
from tokensteps.limits import LINK_LIMIT
from tokensteps.runs.corpora import EXAMPLES, pack_text

GOLDEN = json.loads((ROOT / "tests" / "golden" / "bpe_course.json").read_text(encoding="utf-8"))
STEPS = GOLDEN["steps"]
COURSE = "/bpe?corpus=course&show=letters"
"""With the tokens as the engine has them."""

STATE = """place => {
  const books = [...document.querySelectorAll('*')].map(e => e.shadowRoot?.querySelector('.ts-flipbook')).filter(Boolean);
  const b = books[place];
  const texts = (root, what) => [...root.querySelectorAll(what)].map(e => e.textContent);
  return b ? {
    step: +b.querySelector('input').value, last: +b.querySelector('input').max, stale: b.hasAttribute('data-stale'),
    playing: b.hasAttribute('data-playing'), grows: !b.querySelector('.growth').hidden, where: b.querySelector('.where').textContent,
    now: b.querySelector('.line .now')?.textContent, say: b.querySelector('.say')?.textContent ?? '',
    pair: texts(b.querySelector('.say p .pair') ?? document.createElement('p'), '.t'),
    token: b.querySelector('.say p > .t, .say p > .nb > .t')?.textContent, times: b.querySelector('.say b')?.textContent,
    newest: b.querySelector('.vocab .hot')?.textContent, tokens: texts(b, '.w.big .t'),
  } : null; }"""


FOLLOWED = """text => [...document.querySelectorAll('[role=tabpanel] [data-testid=stBidiComponentIsolated]')]
  .some(({shadowRoot}) => /^[.,:](?!\\d)/.test(shadowRoot?.querySelector('.told')?.textContent.split(text)[1]))"""
"""Whether Python's table is of this step."""
WALK = """([times, book]) => Array.from({length: times}, () => {
  document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true, composed: true, cancelable: true}));
  return [READ].map(read => read(book)); })"""
WIDTHS = """() => [document.documentElement.scrollWidth - document.documentElement.clientWidth,
  ...[...document.querySelectorAll('[data-testid=stMain], [data-testid=stMainBlockContainer]')].map(e => e.scrollWidth - e.clientWidth)]"""
"""How much wider than its window the page is, and its containers."""
FOCUS = """() => { let a = document.activeElement; while (a.shadowRoot?.activeElement) a = a.shadowRoot.activeElement;
  return [a.getAttribute('role') ?? a.tagName, a.ariaLabel ?? a.textContent.trim()]; }"""
HAS_TEXT = "text => new URL(location.href).searchParams.get('text') === text"


TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


class Bpe:
    """The page and a learner's actions on it."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.address = page, address

    def open(self, path: str, step: int | None = None) -> Bpe:
        """Go there; with `step`, wait until the stage and Python are at that step."""
        self.page.goto(self.address + path)
        if step is not None:
            self.at(step)
        return self

    def state(self, book: int = 0) -> dict[str, Any]:
        """The flipbook's display (of several, the one in place `book`)."""
        return self.page.evaluate(STATE, book)  # type: ignore[no-any-return]

    def shows(self, step: int, book: int = 0) -> None:
        """Wait until a flipbook shows `step`."""
        self.page.wait_for_function(
            f"([book, step]) => {{ const s = ({STATE})(book); return s && s.step === step && s.say && !s.stale; }}",
            arg=[book, step],
        )

    def at(self, step: int) -> None:
        """Wait until the stage shows `step` of a finished run, and Python, with its table “Every pair” open,
        has followed."""
        self.shows(step)
        expect(self.page.locator(".ts-flipbook .growth").first).to_be_hidden()
        self.page.wait_for_function(FOLLOWED, arg=f"after step {step:,}")

    def rest(self) -> None:
        """Wait until Python has finished: a late message would begin a new run and take the steps back."""
        at_rest(self.page)

    def press(self, key: str, times: int = 1) -> None:
        for _ in range(times):
            self.page.keyboard.press(key)

    def tab_to(self, role: str, label: str) -> None:
        """Press Tab until the focus is there."""
        passed = []
        for _ in range(60):
            self.press("Tab")
            passed.append(self.page.evaluate(FOCUS))
            if passed[-1] == [role, label]:
                return
        raise AssertionError(f"Tab never came to {role} {label}: {passed}")

    def walk(self, times: int, *read: str, book: int = 0) -> list[list[Any]]:
        """Press → so often; the finds of each of the functions `read` in a flipbook after every press.

        In one go: were each press looked at from outside, Python would follow in between on a slow machine,
        and have much to do.
        """
        return self.page.evaluate(WALK.replace("READ", ", ".join(read)), [times, book])  # type: ignore[no-any-return]

    def take(self) -> None:
        """Give the stage the keys."""
        self.page.locator(".ts-flipbook .stage .say").first.click(position={"x": 3, "y": 3})

    def href(self) -> str:
        return str(self.page.evaluate("location.href"))

    def choose(self, label: str, option: str) -> None:
        self.rest()
        choose(self.page.get_by_label(label, exact=True), option)

    def opened(self, label: str) -> Locator:
        """Open a select box and return its options."""
        self.rest()
        box = self.page.get_by_label(label, exact=True)
        box.scroll_into_view_if_needed()
        self.page.evaluate(TWO_FRAMES)  # else the scroll would close the list
        box.click()
        options = self.page.get_by_role("option")
        options.first.wait_for()
        return options

    def tab(self, name: str) -> Locator:
        """Open a tab and return its panel."""
        open_tab(self.page, name)
        panel = self.page.get_by_role("tabpanel", name=name, exact=True)
        panel.locator("[data-testid=stElementContainer]").first.wait_for()
        return panel

    def type_text(self, text: str, label: str = "Your text") -> None:
        """Put a text into its box, as by pasting, and confirm it."""
        field = self.page.get_by_label(label, exact=True)
        self.rest()
        field.fill(text)
        field.press("Control+Enter")

    def train_on(self, text: str) -> None:
        """Type a text, and wait until Python has it: a link to the page brings it along."""
        self.type_text(text)
        self.page.wait_for_function(HAS_TEXT, arg=pack_text(text))
        self.rest()

    def untroubled(self) -> None:
        """Wait until no error message is shown: an old one stays until Python has run."""
        expect(self.page.locator(".note.problem")).to_have_text([])

    def handout(self, page: Page, path: Path) -> tuple[Bpe, list[str]]:
        """Save the run's handout, open it in `page`, and return it with the list of its requests from there
        on."""
        path.write_text(self.download("Handout that steps offline (HTML)"), encoding="utf-8")
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        handout = Bpe(page, "")
        handout.shows(0)
        return handout, requests

    def download(self, button: str) -> str:
        """A download button's file. A step is reported with a delay, and Python's next run takes the files of
        the last one back: a click in between would get nothing."""
        self.rest()
        with self.page.expect_download() as started:
            self.page.get_by_role("button", name=button, exact=True).click()
        return Path(started.value.path()).read_text(
            encoding="utf-8-sig"
        )  # the CSV has a byte-order mark for spreadsheets


def lit(page: Page) -> list[str]:
    """The tokens in the words lit now."""
    return page.locator(".ts-flipbook .w .t.seen:visible").all_inner_texts()


def a_count_highlights_its_occurrences(page: Page, row: int, tokens: list[str]) -> None:
    """Of a row beside the words, by mouse and by keyboard. Oracle: the words, read by eye."""
    rows = page.locator(".ts-flipbook .cols tr:has(.n)")
    expect(rows.first).to_be_visible()
    rows.nth(row).hover()
    assert lit(page) == tokens
    page.mouse.move(0, 0)
    tab_to(rows.first.locator(".n"))
    for key in ("ArrowDown",) * row:
        page.keyboard.press(key)
    assert lit(page) == tokens
    page.keyboard.press("Tab")  # past the other rows
    assert page.locator(".ts-flipbook tr .n:focus").count() == 0
    page.keyboard.press("Shift+Tab")
    assert lit(page) == tokens


def a_sign_is_explained_where_it_stands(page: Page, sign: str, term: str, text: str, how: str) -> None:
    """The first sign for something in a frame, looked at with the mouse, or chosen."""
    marked = page.locator(f".ts-flipbook .t [data-term='{term}']")
    expect(marked).to_have_text(sign)
    marked.click() if how == "click" else marked.hover()
    expect(page.locator(".ts-tip")).to_contain_text(text)
    page.mouse.move(0, 0)


@pytest.fixture
def address(serve: Callable[..., str]) -> str:
    return serve(ROOT / "app.py")


@pytest.fixture
def bpe(address: str, page: Page) -> Bpe:
    return Bpe(page, address)


def course_trace() -> BpeTrace:
    example = EXAMPLES["course"]
    return train_bpe(Corpus.from_texts(example.text().splitlines()), 50, special_tokens=["<|endoftext|>"])


# --- stepping -----------------------------------------------------------------------------------------------


def test_stepping(bpe: Bpe) -> None:
    """One visit: a link into a long run, then the four sentences with mouse and keyboard, a reload, another
    corpus, Back and Forward."""
    bpe.open("/bpe?corpus=python&show=letters&step=40", step=40)
    holding_a_key_loses_no_press(bpe)
    published_merges_in_order(bpe)
    home_end_space_and_scrubbing(bpe)
    a_reload_keeps_the_step(bpe)
    keyboard_alone(bpe)
    back_and_forward_bring_corpus_and_step(bpe)


def holding_a_key_loses_no_press(bpe: Bpe) -> None:
    """297 steps of Python code come in windows of 96; 60 repeats of a held key into the next one all
    arrive."""
    last = bpe.state()["last"]
    assert last > 200
    assert 100 not in window(40, last)
    for _ in range(60):
        bpe.page.keyboard.down("ArrowRight")
    bpe.page.keyboard.up("ArrowRight")
    assert bpe.state()["step"] == 100
    bpe.at(100)
    trace_there = bpe.state()
    assert trace_there["where"].startswith(f"Step 100 of {last}")
    assert trace_there["now"] == trace_there["newest"]


def published_merges_in_order(bpe: Bpe) -> None:
    """From cold: pick the four sentences, press → nineteen times, see the course's merges. (Each step's ties
    are in `tests/app/drawing/test_merging.py`.)"""
    bpe.choose("Corpus", "Four sentences")
    bpe.page.wait_for_function(f"() => ({STATE})(0)?.last === 19")
    seen = [state for [state] in bpe.walk(19, STATE)]
    expected = [(step["pair"], step["token"], step["freq"]) for step in STEPS]
    assert [(s["pair"], s["token"], int(s["times"].split()[0])) for s in seen] == expected
    assert [s["newest"] for s in seen] == [step["token"] for step in STEPS]
    assert [s["now"] for s in seen] == [step["token"] for step in STEPS]
    bpe.press("ArrowRight")
    assert bpe.state()["step"] == 19
    assert "the vocabulary has reached the size you asked for" in bpe.state()["say"]
    bpe.at(19)
    bpe.page.wait_for_url("**/bpe?corpus=course&show=letters&step=19")
    bpe.press("ArrowLeft", 7)
    assert bpe.state()["token"] == STEPS[11]["token"]


def home_end_space_and_scrubbing(bpe: Bpe) -> None:
    bpe.press("End")
    assert bpe.state()["step"] == 19
    bpe.press("Home")
    assert bpe.state()["step"] == 0
    bpe.press("Space")
    assert bpe.state()["playing"]
    bpe.shows(1)  # it plays on its own
    bpe.press("Space")
    assert not bpe.state()["playing"]
    scrubber = bpe.page.get_by_role("slider", name="Step", exact=True)
    box = scrubber.bounding_box()
    assert box
    bpe.page.mouse.move(box["x"] + 12, box["y"] + box["height"] / 2)
    bpe.page.mouse.down()
    bpe.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=6)
    bpe.page.mouse.up()
    assert bpe.state()["step"] in (9, 10)
    bpe.at(bpe.state()["step"])
    bpe.page.get_by_role("button", name="Ġto", exact=True).click()  # in the timeline
    assert bpe.state()["step"] == 5


def a_reload_keeps_the_step(bpe: Bpe) -> None:
    bpe.press("ArrowRight", 2)
    bpe.at(7)
    bpe.page.reload()
    bpe.at(7)
    assert bpe.state()["token"] == "Th"


def keyboard_alone(bpe: Bpe) -> None:
    """Corpus, stage and tabs are reached with Tab and worked with Enter and arrows."""
    all_there(bpe.page)  # after the reload: a page that grows closes a list
    bpe.tab_to("combobox", "Corpus")
    bpe.page.keyboard.type("hug, pug")
    expect(bpe.page.get_by_role("option")).to_have_count(1)
    bpe.press("Enter")
    expect(bpe.page.locator(".ts-flipbook .where").first).to_contain_text("Step 0 of 7")
    bpe.press("ArrowRight")  # at once
    assert bpe.state()["pair"] == ["u", "g"]
    bpe.tab_to("BUTTON", "Next step")
    bpe.press("Enter")
    assert bpe.state()["step"] == 2
    bpe.press("ArrowRight")
    assert bpe.state()["step"] == 3
    bpe.at(3)
    bpe.tab_to("tab", "Every pair")
    bpe.press("ArrowRight")
    bpe.press("ArrowRight")
    bpe.press("Enter")
    expect(bpe.page.get_by_role("tab", name="Charts", exact=True)).to_have_attribute("aria-selected", "true")
    expect(bpe.page.get_by_role("tabpanel", name="Charts")).to_contain_text("Tokens per word")
    assert bpe.state()["step"] == 3  # the tabs took the arrow, the stage didn't


def back_and_forward_bring_corpus_and_step(bpe: Bpe) -> None:
    bpe.tab("Every pair")
    bpe.take()
    bpe.press("Home")
    a_count_highlights_its_occurrences(bpe.page, 1, ["p", "u"] * 2)  # p u ×17: in pug and pun
    bpe.press("ArrowRight", 3)
    bpe.at(3)
    bpe.rest()
    bpe.page.go_back()
    bpe.at(7)
    assert bpe.state()["token"] == "Th"
    expect(bpe.page.get_by_label("Corpus", exact=True)).to_have_value("Four sentences")
    bpe.page.go_forward()
    bpe.at(3)
    assert bpe.state()["pair"] == ["h", "ug"]


@pytest.mark.slow
def test_back_on_a_slow_network(address: str, page: Page) -> None:
    """A step taken before the browser has the settings of the older address doesn't undo them."""
    gate = Gate(page)
    bpe = Bpe(page, address).open("/bpe?corpus=hug&step=2", step=2)
    bpe.choose("Corpus", "Four sentences")
    bpe.at(0)
    bpe.rest()
    for go, corpus, step in (
        (page.go_back, "hug, pug, pun, bun, hugs", 2),
        (page.go_forward, "Four sentences", 0),
    ):
        gate.shut()
        go()
        pause(page, 600)
        page.keyboard.press("ArrowRight")
        pause(page, 900)
        gate.open()
        bpe.at(step)
        bpe.rest()
        expect(page.get_by_label("Corpus", exact=True)).to_have_value(corpus)
        bpe.at(step)


@pytest.mark.slow
def test_a_page_that_a_link_left_hears_again_after_back(address: str, page: Page) -> None:
    """At once, without a click: the link isn't on its way any more."""
    bpe = Bpe(page, address).open("/bpe?corpus=hug&step=2", step=2)
    bpe.tab("Every pair")
    bpe.rest()
    page.get_by_role("link", name="WordPiece", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("WordPiece")
    at_rest(page)
    page.go_back()
    bpe.at(2)
    bpe.rest()
    page.keyboard.press("ArrowRight")
    bpe.at(3)  # Python's table, too


SLOW_BOOKS = """{ const read = Response.prototype.json, released = new Promise((go) => { window.release = go; });
  Response.prototype.json = async function () {
    const found = await read.call(this);
    if (found.frames) await released;
    return found;
  }; }"""


@pytest.mark.slow
def test_a_link_leads_on_before_the_book_is_unpacked(address: str, open_page: Callable[..., Page]) -> None:
    """A stage whose frames are still being unpacked is no obstacle, and leaves its step to no other page."""
    page = open_page(own="slow-books")
    page.add_init_script(SLOW_BOOKS)
    page.goto(f"{address}/bpe?corpus=hug&step=3")
    page.locator(".ts-flipbook[data-awaits] [data-do=play]").click()
    page.get_by_role("link", name="Playground", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Playground")
    expect(page.locator(".ts-flipbook")).to_have_count(0)
    page.evaluate("release()")
    at_rest(page)
    assert "step" not in page.url


@pytest.mark.slow
def test_back_corrects_an_address_beyond_the_limits(address: str, page: Page) -> None:
    """Back leads to a number out of range: it is reported, its entry corrected; Forward still leads on."""
    bpe = Bpe(page, address).open("/bpe?corpus=phrases", step=0)
    for name, number, written in (
        ("Words in a token", "25", "mostwords=25"),
        ("Minimum pair count", "3", "min=3"),
    ):
        retype(page.get_by_role("spinbutton", name=name), number)
        page.keyboard.press("Enter")
        page.wait_for_url(f"**{written}*")
    page.go_back()
    expect(page.get_by_text("it must be from 1 to 20")).to_be_visible()
    page.wait_for_url(lambda url: "mostwords" not in url and "min=" not in url)
    bpe.at(0)
    page.go_forward()
    page.wait_for_url("**min=3*")


@pytest.mark.slow
def test_back_keeps_the_learners_text(address: str, page: Page) -> None:
    """Back to the entry of the empty box: the text is still there, and in the address, for a reload."""
    bpe = Bpe(page, address).open("/bpe", step=0)
    page.get_by_role("button", name="Your text", exact=True).click()
    box = page.get_by_role("textbox", name="Your text")
    expect(box).to_be_focused()
    page.keyboard.type("the cat sat on the mat")
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**corpus=paste&text=*")
    bpe.rest()
    page.go_back()
    bpe.rest()
    page.wait_for_url("**corpus=paste&text=*")
    page.reload()
    bpe.at(0)
    expect(page.locator(".ts-flipbook .stage").first).to_contain_text("6 words")


@pytest.mark.slow
def test_phone(address: str, open_page: Callable[..., Page]) -> None:
    page = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    bpe = Bpe(page, address).open(COURSE + "&step=5", step=5)
    assert max(page.evaluate(WIDTHS)) <= 0
    buttons = page.locator(".ts-flipbook .transport button:visible")
    assert buttons.count() == 6
    for index in range(6):
        box = buttons.nth(index).bounding_box()
        assert box and box["width"] >= 40 and box["height"] >= 40, (index, box)
    page.get_by_role("button", name="Next step").tap()
    assert bpe.state()["token"] == STEPS[5]["token"]
    page.get_by_role("button", name="Step back").tap()
    page.get_by_role("button", name="Step back").tap()
    bpe.at(4)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    link = bpe.tab("Encode").get_by_role("link", name=re.compile("the playground"))
    expect(link.locator("p")).to_be_visible()
    assert link.locator("p").evaluate("label => label.scrollWidth - label.clientWidth") <= 0, "cut off"
    panel = bpe.tab("Charts")
    chart, toolbar = (panel.locator(f"{part} >> nth=0") for part in (".js-plotly-plot", ".modebar"))
    expect(toolbar.get_by_role("button").first).to_be_visible()
    bpe.rest()
    above, below = toolbar.bounding_box(), chart.bounding_box()
    assert above and below and above["y"] + above["height"] <= below["y"] + 1, "on the data"
    toolbar.get_by_role("button", name="Zoom in").tap()  # nothing lies on it
    page.get_by_test_id("stExpandSidebarButton").tap()  # the menu makes way for the chosen page
    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Glossary").tap()
    page.wait_for_function("location.pathname === '/glossary'")
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar).to_have_attribute("data-collapsed", "true")
    turn_to(page, "/bpe?corpus=paste&text=tea+team+steam&step=1")
    bpe.at(1)
    bpe.rest()
    page.get_by_role("button", name="Your text").tap()
    expect(sidebar).to_have_attribute("data-collapsed", "false")
    expect(sidebar.get_by_role("textbox", name="Your text")).to_be_focused()
    expect(sidebar.get_by_role("textbox", name="Your text")).to_be_in_viewport()


# --- texts and files of one's own ---------------------------------------------------------------------------

PAGE_OF_TEXT = "\n".join(
    f"{number}. The quick brown fox, “Ørsted”, jumps over {number * 7919 % 1000} lazy dogs; お茶を飲む."
    for number in range(12)
)


@pytest.mark.slow
def test_texts_of_ones_own(bpe: Bpe) -> None:
    """One visit, from a damaged link on: texts, patterns and files, good and bad."""
    a_damaged_link_is_reported_and_the_page_works_on(bpe)
    own_text_travels_in_a_link(bpe)
    half_of_a_utf_16_pair_is_replaced_and_named(bpe)
    a_number_of_many_digits_is_refused(bpe)
    a_text_too_long_for_a_link_survives_a_reload(bpe)
    uploads_with_invalid_bytes_and_broken_counts(bpe)


def a_damaged_link_is_reported_and_the_page_works_on(bpe: Bpe) -> None:
    """The usual corpus at its last step. Other damage is tried in `tests/pages/test_bpe.py`."""
    bpe.open("/bpe?corpus=nope&step=99", step=19)
    expect(bpe.page.locator(".note.problem")).to_have_text(
        ["The link says corpus='nope', which is not valid here; the default is used."]
    )
    a_sign_is_explained_where_it_stands(
        bpe.page, "␣", "space_markers", "Signs for the space before a word", "hover"
    )


def own_text_travels_in_a_link(bpe: Bpe) -> None:
    """A click leads to the box for a text, which moves with it above the rules: they stay folded. Change a
    rule, step; the link opened by a newcomer brings text, settings and step back."""
    page, sidebar = bpe.page, bpe.page.get_by_test_id("stSidebar")
    box = page.get_by_role("textbox", name="Your text")
    bpe.rest()
    page.evaluate(ANSWERED_LATER, 20_000)
    page.get_by_role("button", name="Your text").click()
    expect(box).to_be_focused()
    expect(sidebar.get_by_role("textbox", name="Your text")).to_have_count(0)
    bpe.untroubled()
    bpe.rest()
    rules = sidebar.get_by_test_id("stExpander").locator("details").first
    rules.locator("summary").first.click()
    expect(rules).not_to_have_attribute("open", "")
    box.click()
    page.keyboard.type("tea team steam")
    bpe.press("Tab")
    bpe.press("Enter")  # “Train on this text”
    expect(page.locator(".ts-flipbook .vocab")).to_contain_text("m")
    expect(sidebar.get_by_role("textbox", name="Your text")).to_have_value("tea team steam")
    expect(rules).not_to_have_attribute("open", "")
    rules.locator("summary").first.click()
    bpe.train_on(PAGE_OF_TEXT)
    bpe.at(0)
    bpe.choose("When pairs tie, merge", "greatest (CS336)")
    bpe.page.wait_for_function("() => location.search.includes('ties=greatest')")
    bpe.rest()
    bpe.shows(0)
    bpe.page.locator(".ts-flipbook .stage").click()
    bpe.press("ArrowRight", 12)
    bpe.at(12)
    trace = train_bpe(Corpus.from_texts(PAGE_OF_TEXT.split("\n")), tie_rule="greatest")
    assert bpe.state()["where"].startswith(f"Step 12 of {len(trace)}")
    assert bpe.state()["times"] == f"{trace[12].event.freq} times"  # type: ignore[union-attr]
    codes = bpe.tab("Files and link").get_by_test_id("stCode")  # each drawn when its part has come
    link = codes.filter(has_text="/bpe?corpus=paste&", has_not_text="iframe").inner_text().strip()
    assert link.startswith(bpe.address)
    seen = bpe.state()
    as_a_newcomer(bpe.page, link)
    bpe.at(12)
    assert bpe.state() == seen
    expect(bpe.page.get_by_label("Your text", exact=True)).to_have_value(PAGE_OF_TEXT)
    expect(bpe.page.get_by_label("When pairs tie, merge", exact=True)).to_have_value("greatest (CS336)")
    bpe.untroubled()


MENDS = """() => {
    const probe = document.body.appendChild(document.createElement('textarea'));
    probe.value = '\\ud83d';
    probe.dispatchEvent(new Event('input', {bubbles: true}));
    probe.remove();
    return probe.value.isWellFormed();
}"""
"""Whether the page's script is there: it comes with the last of the page, after the boxes."""


def half_of_a_utf_16_pair_is_replaced_and_named(bpe: Bpe) -> None:
    """A text box can hold half an emoji. Streamlit's own protocol can't: the page puts U+FFFD there and says
    so."""
    bpe.page.wait_for_function(MENDS)
    field = bpe.page.get_by_label("Your text", exact=True)
    field.click()
    field.evaluate("""box => {
        Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set.call(box, 'ab\\ud83d ab');
        box.dispatchEvent(new Event('input', {bubbles: true})); }""")
    field.press("Control+Enter")
    text = bpe.page.locator(".note.problem")
    expect(text).to_contain_text("The text contains U+FFFD 1 time:")
    expect(text).to_contain_text("paste the text again from its source")
    expect(field).to_have_value("ab\ufffd ab")
    bpe.at(0)
    bpe.train_on("ab ab")
    bpe.untroubled()


def a_number_of_many_digits_is_refused(bpe: Bpe) -> None:
    """Like any other beyond the limits; Streamlit would keep it to itself, without a word on the page."""
    size, text = bpe.page.get_by_label("Vocabulary size", exact=True), bpe.page.locator(".note.problem")
    for sign, told in (("", "999,999,999,999,999"), ("-", "-999,999,999,999,999")):
        retype(size, sign + 20 * "9")
        size.press("Enter")
        expect(text).to_contain_text(
            f"Vocabulary size: {told} is out of range; choose a number from 1 to 20,000."
        )
    retype(size, "")
    size.press("Enter")
    bpe.at(0)
    bpe.untroubled()


TOO_LONG = "\n".join(
    " ".join(f"{number * 48271 % 2147483647:x}" for number in range(start, start + 70))
    for start in range(0, 1190, 70)
)
"""More than a link can hold: hardly anything in it is there twice. (A text box is slow to fill with many
lines.)"""


def a_text_too_long_for_a_link_survives_a_reload(bpe: Bpe) -> None:
    size = bpe.page.get_by_label("Vocabulary size", exact=True)
    retype(size, "120")
    size.press("Enter")
    bpe.type_text(TOO_LONG)
    bpe.page.wait_for_function(f"() => ({STATE})(0)?.last > 90")
    bpe.at(0)
    bpe.page.locator(".ts-flipbook .stage").click()
    bpe.press("ArrowRight", 5)
    bpe.at(5)
    seen = bpe.state()
    bpe.page.wait_for_function("location.search.includes('id=')")
    assert "text=" not in bpe.href() and len(bpe.href()) < LINK_LIMIT
    bpe.page.reload()
    bpe.at(5)
    assert bpe.state() == seen
    expect(bpe.page.get_by_label("Your text", exact=True)).to_have_value(TOO_LONG)
    expect(bpe.tab("Files and link").locator(".note").first).to_contain_text("A link can't hold this corpus")
    bpe.tab("Every pair")


def uploads_with_invalid_bytes_and_broken_counts(bpe: Bpe) -> None:
    bpe.choose("Corpus", "Your own file")
    chooser = bpe.page.locator("input[type=file]")
    bpe.rest()
    chooser.set_input_files(
        {"name": "latin.txt", "mimeType": "text/plain", "buffer": b"caf\xe9 caf\xe9 tea \xff tea"}
    )
    expect(bpe.page.locator(".note")).to_contain_text(
        "3 stretches of invalid UTF-8 in the file were read as U+FFFD: save the file as UTF-8, and upload it again."
    )
    bpe.at(0)
    bpe.page.get_by_role("button", name="Remove latin.txt").or_(
        bpe.page.get_by_test_id("stFileUploaderDeleteBtn").get_by_role("button")
    ).first.click()
    expect(bpe.page.locator(".note", has_text="Using latin.txt, uploaded earlier.")).to_be_visible()
    bpe.rest()
    name = "<img src=x onerror=bad=1>.csv"
    chooser.set_input_files({"name": name, "mimeType": "text/csv", "buffer": b"hug,10\npug;5\nbun,4\n"})
    text = bpe.page.locator(".note.problem")
    expect(text).to_contain_text(
        "Line 2 ('pug;5'): the count is missing. Write a word, a space and its count, such as “hug 10”."
    )
    chooser.set_input_files(
        {"name": "mended.csv", "mimeType": "text/csv", "buffer": b"hug,10\npug,5\nbun,4\n"}
    )
    bpe.at(0)
    expect(text).to_have_count(0)
    bpe.rest()
    bpe.take()
    bpe.press("ArrowRight")
    bpe.at(1)
    assert bpe.state()["times"] == "15 times"
    bpe.page.reload()
    bpe.at(1)
    expect(bpe.page.locator(".note")).to_contain_text("Using mended.csv, uploaded earlier.")


# --- tabs ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_missing_file_is_requested_again(bpe: Bpe) -> None:
    """Oracle: the table on the page, a line for each of its rows; saved once."""
    lost = lose_first(bpe.page, b'"file"')
    bpe.open("/bpe?corpus=hug", step=0)
    files: list[Download] = []
    bpe.page.on("download", lambda file: files.append(file))
    with bpe.page.expect_download():
        bpe.page.get_by_role("button", name="CSV for spreadsheets").click()
    assert lost
    bpe.rest()
    rows = bpe.page.locator(".ts-table tbody tr:not(.widest)").count()
    assert [len(file.path().read_text("utf-8-sig").splitlines()) for file in files] == [1 + rows]


@pytest.mark.slow
def test_tabs(bpe: Bpe, open_page: Callable[..., Page], tmp_path: Path) -> None:
    """One visit: every tab after the same few steps, and the files to save."""
    bpe.open(COURSE + "&step=6", step=6)
    a_sign_is_explained_where_it_stands(bpe.page, "Ġ", "space_markers", "Ġ at byte level", "click")
    all_words_are_a_click_away(bpe)
    every_pair_and_charts(bpe)
    a_tab_is_marked_before_python_answers(bpe)
    bpe.take()
    bpe.press("ArrowRight", 6)
    bpe.at(12)
    encode_has_a_flipbook_of_its_own(bpe)
    follow_a_word_and_lineage(bpe)
    the_files_are_the_run(bpe, tmp_path)
    the_handout_steps_offline(bpe, open_page(fresh=True, offline=True), tmp_path)
    ties_where_the_runs_part(bpe)


def all_words_are_a_click_away(bpe: Bpe) -> None:
    """With the mouse, and with the keyboard. Oracle: the corpus has so many words."""
    page, total = bpe.page, len(course_trace().corpus.words)
    words = page.locator(".ts-flipbook .cols .w").filter(visible=True)
    expect(words).to_have_count(8)
    page.get_by_role("button", name=f"and {total - 8} more").click()
    expect(words).to_have_count(total)
    bpe.press("ArrowRight")
    bpe.shows(7)
    expect(words).to_have_count(total)
    page.get_by_role("button", name="Show fewer", expanded=True).click()
    expect(words).to_have_count(8)
    bpe.press("Enter")  # the focus stays
    expect(words).to_have_count(total)
    bpe.press("ArrowLeft")
    bpe.rest()  # Python may yet follow to step 7
    bpe.at(6)


def every_pair_and_charts(bpe: Bpe) -> None:
    trace = course_trace()
    panel = bpe.page.get_by_role("tabpanel", name="Every pair")
    expect(panel).to_contain_text(f"All {len(trace.pair_counts(6))} pairs after step 6")
    best = trace[6].candidates(1)[0]
    row = panel.locator(".ts-table tbody tr").first
    expect(row).to_contain_text(best.pair.first)
    assert row.locator("td").all_inner_texts()[1:4] == [*best.pair, str(best.freq)]
    retype(panel.get_by_label("Find", exact=True), "Ġto")
    panel.get_by_label("Find", exact=True).press("Enter")
    wanted = [c for c in trace[6].candidates() if "Ġto" in c.pair.first + c.pair.second]
    expect(panel.locator(".ts-table tbody tr")).to_have_count(len(wanted))
    number = len(trace.pair_counts(6))
    expect(panel).to_contain_text(f"Only those with this text, out of all {number} after step 6.")
    panel = bpe.tab("Charts")
    for chart in ("Tokens per word", "Count of the chosen pair"):
        panel.get_by_role("radio", name=chart).or_(panel.get_by_role("button", name=chart)).first.click()
        titles = panel.locator(".js-plotly-plot .ytitle")
        expect(titles.filter(has_text=chart)).to_have_count(1)
        expect(titles).to_have_count(1)  # the chart before it goes only when this one is drawn
    hover_points(bpe.page, panel)
    expect(panel.locator(".hoverlayer")).to_contain_text("step")


def a_tab_is_marked_before_python_answers(bpe: Bpe) -> None:
    """The last one's body isn't taken for its own meanwhile, and the page keeps its height. Oracle: the page
    at the very moment of the click."""
    before = bpe.page.get_by_role("tabpanel").bounding_box()
    look = """() => {
      const panel = document.querySelector('[role=tabpanel]'), named = document.getElementById(panel.getAttribute('aria-labelledby'));
      const open = document.querySelectorAll('[role=tab][aria-selected=true]');
      return [[...open].map(tab => tab.textContent), named.textContent, panel.ariaBusy, panel.getBoundingClientRect().height] }"""
    marked, named, busy, height = click_and_look(bpe.page.get_by_role("tab", name="Every pair"), look)
    assert (marked, named, busy) == (["Every pair"], "Charts", "true")
    assert before is not None and height >= before["height"] - 1
    panel = bpe.page.get_by_role("tabpanel", name="Every pair")
    expect(panel.locator(".ts-table tbody tr").first).to_be_visible()
    expect(panel).not_to_have_attribute("aria-busy", "true")
    expect(panel.locator(".js-plotly-plot")).to_have_count(0)


def hover_points(page: Page, panel: Locator) -> str:
    """Move over the chart until it shows a point; returns its text."""
    plot = panel.locator(".js-plotly-plot .nsewdrag").first
    plot.scroll_into_view_if_needed()
    text = panel.locator(".hoverlayer .hovertext")
    places = cycle(range(2, 98, 6))

    def shows_one() -> bool:
        box = plot.bounding_box()  # it may have been laid out again
        assert box
        page.mouse.move(box["x"] + box["width"] * next(places) / 100, box["y"] + box["height"] * 0.5)
        pause(page, 60)  # Plotly looks at the mouse at most every 50 ms
        return text.count() > 0

    until(shows_one)
    return str(text.first.text_content())


def encode_has_a_flipbook_of_its_own(bpe: Bpe) -> None:
    """Arrow keys go to the flipbook touched last; the tokens are the engine's."""
    panel = bpe.tab("Encode")
    tokenizer = course_trace().tokenizer(12)
    field = panel.get_by_label("Text to encode", exact=False)
    retype(field, "This tokenization")
    field.press("Enter")
    expected = tokenizer.encode("This tokenization")
    expect(panel.locator(".encoded .t")).to_have_text(expected.tokens)
    assert panel.locator(".encoded small").all_inner_texts() == [str(number) for number in expected.ids]
    bpe.choose("Step through the encoding of", "Ġtokenization")
    explained = tokenizer.explain("Ġtokenization")
    bpe.page.wait_for_function(f"last => ({STATE})(1)?.last === last", arg=len(explained))
    bpe.page.locator(".ts-flipbook .stage").nth(1).click()
    for step in range(1, len(explained) + 1):
        bpe.press("ArrowRight")
        assert bpe.state(1)["step"] == step
        assert bpe.state(1)["tokens"] == list(explained[step].tokens)
    assert "No learned pair is left" in bpe.state(1)["say"]
    assert bpe.state(0)["step"] == 12
    bpe.take()
    bpe.press("ArrowRight")
    bpe.shows(13)
    assert bpe.state(1)["step"] == len(explained)
    expect(panel.locator(".encoded .t")).to_have_text(
        course_trace().tokenizer(13).encode("This tokenization").tokens
    )


def follow_a_word_and_lineage(bpe: Bpe) -> None:
    bpe.tab("Every pair")
    bpe.take()
    bpe.press("ArrowRight", 3)
    bpe.at(16)
    trace = course_trace()
    panel = bpe.tab("Follow a word")
    bpe.choose("Word", "Ġtokenization  × 1")
    history = trace.history_of("Ġtokenization")
    expect(panel.locator(".story .row")).to_have_count(len(history))
    rows = [
        panel.locator(".story .row").nth(index).locator(".t").all_inner_texts()
        for index in range(len(history))
    ]
    assert rows == [list(tokens) for _, tokens in history]
    assert panel.locator(".story .at").inner_text() == "step 12"
    panel = bpe.tab("Lineage")
    bpe.choose("Token", "Ġtoken")
    expect(panel.locator(".tree .t")).to_have_text(
        ["Ġtoken", "Ġtok", "Ġto", "Ġt", "Ġ", "t", "o", "k", "en", "e", "n"]
    )


def the_files_are_the_run(bpe: Bpe, tmp_path: Path) -> None:
    """JSON and CSV against the engine's trace; vocab.json and merges.txt in the `tokenizers` library against
    the page."""
    trace = course_trace()
    panel = bpe.tab("Encode")
    field = panel.get_by_label("Text to encode", exact=False)
    text = "This tokenizer is able to understand the Hugging Face Course."
    field.fill(text)
    field.press("Enter")
    expect(panel.locator(".encoded .t")).to_have_text(trace.tokenizer(16).encode(text).tokens)
    shown = list(map(int, panel.locator(".encoded small").all_inner_texts()))
    bpe.tab("Files and link")

    run = json.loads(bpe.download("Every step (JSON)"))
    assert [(s["pair"], s["token"], s["freq"], s["tied_count"]) for s in run["steps"]] == [
        (s["pair"], s["token"], s["freq"], s["tied_pairs"]) for s in STEPS
    ]
    assert run["words"] == GOLDEN["word_freqs"] and run["alphabet"] == GOLDEN["alphabet"]
    assert run["stop_reason"] == "vocab_size" and run["vocab"] == list(trace.tokens)

    rows = list(csv.DictReader(io.StringIO(bpe.download("Every step (CSV for spreadsheets)"))))
    assert [(int(r["step"]), r["first"], r["second"], r["token"], int(r["freq"])) for r in rows] == [
        (number, *s["pair"], s["token"], s["freq"]) for number, s in enumerate(STEPS, start=1)
    ]

    for name in ("vocab.json", "merges.txt"):
        (tmp_path / name).write_text(bpe.download(name), encoding="utf-8")
    model = models.BPE.from_file(str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt"))
    peer = Tokenizer(model)
    peer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    assert peer.encode(text).ids == shown


def the_handout_steps_offline(bpe: Bpe, page: Page, tmp_path: Path) -> None:
    handout, requested = bpe.handout(page, path := tmp_path / "bpe.html")
    expect(page.get_by_role("heading", level=1)).to_have_text("BPE: Four sentences")
    seen = [(state["pair"], state["token"]) for [state] in handout.walk(19, STATE)]
    assert seen == [(step["pair"], step["token"]) for step in STEPS]
    handout.press("Home")
    assert handout.state()["step"] == 0
    assert requested == [path.as_uri()]


def ties_where_the_runs_part(bpe: Bpe) -> None:
    """The engine, asked for another rule, names the step of the parting; the page says so and goes there."""
    lines = EXAMPLES["course"].text().splitlines()
    special = ["<|endoftext|>"]
    first = course_trace()
    panel = bpe.tab("Ties")
    other = train_bpe(Corpus.from_texts(lines), 50, special_tokens=special, tie_rule="greatest")
    parting = next(step for step in range(1, 20) if first.pair_of(step) != other.pair_of(step))
    bpe.choose("Compare with tie rule", "greatest (CS336)")
    expect(panel).to_contain_text("With greatest (CS336):")
    rows = panel.locator(".parting p")
    expect(rows.nth(0).locator("b")).to_have_text(str(parting))
    expect(rows.nth(1).locator(".t")).to_have_text(list(first.pair_of(parting)))
    expect(rows.nth(2).locator(".t")).to_have_text(list(other.pair_of(parting)))
    panel.get_by_role("button", name=f"Go to step {parting}").click()
    bpe.shows(parting)
    assert bpe.state()["pair"] == list(first.pair_of(parting))


# --- hostile text -------------------------------------------------------------------------------------------

HOSTILE = [
    "<script>window.bad=1</script>",
    '<img/src="http://evil.test/a.png"/onerror=window.bad=2>',
    "![x](http://evil.test/b.png)",
    "[x](javascript:window.bad=3)",
    "<a/href='javascript:window.bad=4'>x</a>",
    ":red[x]",
    "$x^2$",
    ":material/home:",
    "</bdi></div></template></script><b>x</b>",
    "<style>*{background:url(http://evil.test/c.png)}</style>",
    "&lt;b&gt;&#60;i&#62;",
    "%{customdata[0]}",
    "\u202egnp.exe\u2066",
    "e\u0301\u0301\u0301",
    "a\u0000b",
]

TRACES_OF_ATTACK = """() => {
  const found = [], all = root => [...root.querySelectorAll('*')].flatMap(e => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
  for (const e of all(document)) {
    if (e.closest('head')) continue;
    const text = e.tagName === 'STYLE' || e.tagName === 'SCRIPT' ? e.textContent : '';
    if (/evil[.]test|window[.]bad/.test(text) && e.type !== 'application/json') found.push(`<${e.tagName}> ${text.slice(0, 80)}`);
    if (['IMG', 'IFRAME', 'OBJECT', 'EMBED', 'VIDEO', 'AUDIO'].includes(e.tagName) && !/^st(Sidebar|Header)Logo$/.test(e.dataset.testid)) found.push(e.outerHTML.slice(0, 120));
    if (e.classList.contains('katex')) found.push('katex');
    for (const a of e.attributes) {
      if (/^on/.test(a.name)) found.push(`${e.tagName} ${a.name}`);
      if (['href', 'src', 'srcset', 'style', 'action', 'xlink:href'].includes(a.name) && /evil[.]test|javascript:/.test(a.value)) found.push(`${a.name}=${a.value}`);
    }
  }
  if ('bad' in window) found.push(`window.bad=${window.bad}`);
  return found; }"""


@pytest.mark.slow
def test_hostile_text_is_only_text(bpe: Bpe, open_page: Callable[..., Page], tmp_path: Path) -> None:
    """Every tab, on a screen of 390 pixels, the hover of a chart and the downloads: no element, no attribute,
    no request comes from the text, and nothing makes the page scroll sideways."""
    bpe.open("/bpe?corpus=paste&pre=whitespace_split&special=%3Cb%3E%20%3Cimg/src=x/onerror=window.bad=5%3E")
    text = "\n".join(f"{line} {line}" for line in HOSTILE)
    bpe.type_text(text)
    bpe.at(0)
    bpe.untroubled()
    clean: list[str] = []

    def check(where: str) -> None:
        result = bpe.page.evaluate(TRACES_OF_ATTACK)
        assert result == clean, where
        assert max(bpe.page.evaluate(WIDTHS)) <= 0, where

    check("the start")
    whole = HOSTILE[0]
    last = bpe.state()["last"]
    bpe.page.locator(".ts-flipbook .stage").click()
    learned: set[str] = set()
    scrubber = bpe.page.get_by_role("slider", name="Step").first
    for step in sorted({*range(90, last, 90), last}):  # each window of 96 has the names of its steps
        slide(scrubber, step)
        bpe.at(step)
        check(f"step {step}")
        learned.update(bpe.page.locator(".ts-flipbook .line").first.locator("button").all_text_contents())
    assert {*HOSTILE[:9], *HOSTILE[10:12]} <= learned  # shown as they are, in the timeline
    narrated = bpe.page.locator(".ts-flipbook .live")
    bpe.press("ArrowLeft")
    expect(narrated).to_contain_text("Merge")
    bpe.press("Home")
    bpe.at(0)
    bpe.page.set_viewport_size({"width": 390, "height": 844})
    panel = bpe.page.get_by_role("tabpanel", name="Every pair")
    retype(panel.get_by_label("Find", exact=True), "<img onerror=bad>")
    panel.get_by_label("Find", exact=True).press("Enter")
    check("every pair")
    retype(panel.get_by_label("Find", exact=True), "")
    panel.get_by_label("Find", exact=True).press("Enter")
    bpe.press("End")

    bpe.page.locator(".ts-flipbook .stage").click()
    bpe.press("End")
    bpe.at(last)
    panel = bpe.tab("Charts")
    panel.locator(".js-plotly-plot").first.wait_for()
    assert hover_points(bpe.page, panel).startswith("step ")
    check("charts")
    panel.get_by_role("radio", name="Tied pairs").or_(
        panel.get_by_role("button", name="Tied pairs")
    ).first.click()
    expect(panel.locator(".js-plotly-plot .ytitle", has_text="Tied pairs")).to_have_count(1)
    check("charts: ties")

    panel = bpe.tab("Follow a word")
    options = bpe.opened("Word")
    assert options.nth(0).text_content() == f"{whole}  × 2"
    check("the words offered")
    options.nth(1).click()
    expect(panel.locator(".story .row").last).to_have_text(HOSTILE[1])
    check("a word's story")

    panel = bpe.tab("Lineage")
    bpe.opened("Token")
    check("the tokens offered")
    bpe.choose("Token", HOSTILE[8])
    expect(panel.locator(".tree > .t").first).to_have_text(HOSTILE[8])
    check("lineage")

    panel = bpe.tab("Encode")
    field = panel.get_by_label("Text to encode", exact=False)
    field.fill(" ".join([*HOSTILE[:12], "<b>"]))
    field.press("Enter")
    expect(panel.locator(".encoded .t").first).to_have_text(whole)
    expect(panel.locator(".encoded .t").last).to_have_text("<b>")
    bpe.page.wait_for_function(f"() => ({STATE})(1)")
    bpe.page.locator(".ts-flipbook .stage").nth(1).click()
    bpe.press("End")
    check("encode")

    bpe.tab("Ties")
    panel.page.get_by_text("merges (").wait_for()
    check("ties")

    panel = bpe.tab("Files and link")
    check("files")
    run = json.loads(bpe.download("Every step (JSON)"))
    assert list(run["words"])[:3] == HOSTILE[:3] and run["vocab"][:2] == [
        "<b>",
        "<img/src=x/onerror=window.bad=5>",
    ]
    rows = list(csv.DictReader(io.StringIO(bpe.download("Every step (CSV for spreadsheets)"))))
    assert [row["token"] for row in rows if row["token"] == whole] == [whole]
    handout, requested = bpe.handout(open_page(fresh=True), path := tmp_path / "hostile.html")
    handout.page.evaluate(
        """times => { while (times--) document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true, composed: true})); }""",
        last,
    )
    assert handout.state()["step"] == last
    assert handout.page.evaluate(TRACES_OF_ATTACK) == []
    assert requested == [path.as_uri()]
    assert handout.state()["where"].startswith(f"Step {last} of {last}")
