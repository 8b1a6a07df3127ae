"""The WordPiece page in a real browser, in a learner's hands: the score against the count, links, tabs,
files.

Sources and oracles: `golden/wordpiece_*.json` (the Hugging Face course, chapter 6, recomputed to the digit);
the plain version in `tests/core/oracle_wordpiece.py` for the scores; the engine for encodings; the
`tokenizers` library for the downloaded file; for hostile text, the browser itself. The common parts of the
training pages are in `test_bpe_page.py`; each step's sentence, the chart's points and the library's own
tokens, in `tests/app/drawing/test_wordpiece.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from tokenizers import models

from tests.browser.conftest import ROOT, SCORES_IN_SIGHT, at_rest, pause
from tests.browser.hands import retype
from tests.browser.test_bpe_page import (
    HOSTILE,
    STATE,
    TRACES_OF_ATTACK,
    WIDTHS,
    a_count_highlights_its_occurrences,
)
from tests.browser.test_bpe_page import Bpe as Learner
from tests.browser.test_unigram_page import WORD
from tests.core.oracle_wordpiece import plain_wordpiece
from tests.core.test_wordpiece import golden, trained

HUG, COURSE = golden("hug"), golden("course")


@pytest.fixture
def wordpiece(serve: Callable[..., str], page: Page) -> Learner:
    return Learner(page, serve(ROOT / "app.py"))


# --- stepping, tabs and files -------------------------------------------------------------------------------


def test_a_visit(wordpiece: Learner, open_page: Callable[..., Page], tmp_path: Path) -> None:
    """Five words: their tabs and handout, and BPE's page in between; then encoding by the course's four
    sentences, and their files."""
    wordpiece.open("/wordpiece?corpus=hug", step=0)
    expect(wordpiece.page.locator(".ts-flipbook .t [data-term='continuation']")).to_have_text("##")
    a_count_highlights_its_occurrences(wordpiece.page, 0, ["##g", "##s"])
    every_pair_with_its_score(wordpiece)
    the_chart_marks_both_choices(wordpiece)
    the_handout_steps_offline(wordpiece, open_page(fresh=True, offline=True), tmp_path)
    each_page_keeps_its_own_step(wordpiece)
    encoding_tries_the_longest_first(wordpiece)
    the_files_are_the_run(wordpiece, tmp_path)


def every_pair_with_its_score(wordpiece: Learner) -> None:
    panel = wordpiece.page.get_by_role("tabpanel", name="Every pair")
    plain, _ = plain_wordpiece(HUG["word_freqs"], "first")
    scores: list[Fraction] = sorted(plain[0].scores.values(), reverse=True)
    rows = panel.locator(".ts-table tbody tr")
    expect(rows).to_have_count(len(scores))
    first = rows.first.locator("td").all_inner_texts()
    panel.get_by_role("button", name="score", exact=True).click()
    expect(panel.get_by_role("columnheader", name="score", exact=True)).to_have_attribute(
        "aria-sort", "ascending"
    )
    column = panel.locator(".ts-table tbody td:nth-child(7)")
    assert [*map(Fraction, column.all_inner_texts())] == sorted(scores)
    wordpiece.press("ArrowRight", 2)
    wordpiece.at(2)
    expect(rows).to_have_count(len(plain[2].scores))  # of 2/45, too
    assert [*map(Fraction, column.all_inner_texts())] == sorted(plain[2].scores.values())
    wordpiece.press("Home")
    wordpiece.at(0)
    expect(rows).to_have_count(len(scores))
    for _ in range(2):  # descending, and as it came
        panel.get_by_role("button", name="score", exact=True).click()
    assert rows.first.locator("td").all_inner_texts() == first
    assert first[1:7] == ["##g", "##s", "5", "20", "5", "1/20"]
    retype(panel.get_by_label("Find", exact=True), "##u ##g")
    panel.get_by_label("Find", exact=True).press("Enter")
    expect(rows).to_have_count(1)
    assert "1/36" in rows.locator("td").all_inner_texts()


PLOT = """() => [...document.querySelectorAll('.js-plotly-plot')].filter(e => e.offsetParent)[0]?.data.map(trace => ({
  name: trace.name, symbol: trace.marker?.symbol ?? null, text: trace.customdata.map(row => [...row]), count: trace.x.length}))"""


def hover_chosen(page: Page, panel: Locator) -> str:
    """Move over the mark of the merged pair; returns the chart's text about it."""
    mark = panel.locator(".js-plotly-plot .scatterlayer .trace").nth(1).locator("path.point")
    message = panel.locator(".hoverlayer .hovertext")
    page.evaluate("document.querySelector('.js-plotly-plot').scrollIntoView({block: 'center'})")
    for shift in range(60):
        box = mark.bounding_box() if mark.count() else None  # each time anew: it may just be drawn again
        if box:
            page.mouse.move(box["x"] + box["width"] / 2 + shift % 3 - 1, box["y"] + box["height"] / 2)
        pause(page, 60)  # Plotly looks at the mouse at most every 50 ms
        if text := " ".join(message.all_text_contents()):
            return text
    raise AssertionError("the chart showed no point")


def the_chart_marks_both_choices(wordpiece: Learner) -> None:
    wordpiece.take()
    wordpiece.press("Home")
    wordpiece.press("ArrowRight")
    wordpiece.at(1)
    panel = wordpiece.tab("Score and count")
    wordpiece.page.wait_for_function(f"() => ({PLOT})()?.[1]?.text[0][0] === '##g ##s'")
    figures = wordpiece.page.evaluate(PLOT)
    assert [(figure["name"], figure["symbol"]) for figure in figures] == [
        ("all pairs", None), ("merged: best score", "diamond"), ("BPE's choice: most frequent", "square"),
    ]  # fmt: skip
    expect(panel.locator(".js-plotly-plot .scatterlayer .trace")).to_have_count(3)
    assert "##g ##s5 · 1/20" in hover_chosen(wordpiece.page, panel)
    wordpiece.take()
    wordpiece.press("ArrowRight")  # the chart follows the step
    wordpiece.page.wait_for_function(f"() => ({PLOT})()?.[1]?.text[0][0] === 'h ##u'")


def the_handout_steps_offline(wordpiece: Learner, page: Page, tmp_path: Path) -> None:
    wordpiece.tab("Files and link")
    handout, requested = wordpiece.handout(page, path := tmp_path / "wordpiece.html")
    expect(page.get_by_role("heading", level=1)).to_have_text("WordPiece: hug, pug, pun, bun, hugs")
    walked = handout.walk(len(HUG["steps"]), STATE)
    assert [(state["pair"], state["token"]) for [state] in walked] == [
        (step["pair"], step["token"]) for step in HUG["steps"]
    ]
    assert handout.state()["last"] == len(HUG["steps"])
    handout.press("Home")
    assert handout.state()["step"] == 0
    handout.press("ArrowRight", 3)
    expect(page.locator(".ts-flipbook .aside")).to_contain_text("Erratum")
    assert requested == [path.as_uri()]


def each_page_keeps_its_own_step(wordpiece: Learner) -> None:
    """BPE and WordPiece of the same corpus, in turns: the one doesn't move the other."""
    wordpiece.tab("Every pair")
    wordpiece.take()
    wordpiece.press("ArrowRight")
    wordpiece.at(3)
    go = wordpiece.page.get_by_test_id("stSidebarNav").get_by_role("link")
    go.filter(has_text="BPE").click()
    expect(wordpiece.page.get_by_role("heading", level=1)).to_have_text("BPE")
    wordpiece.at(0)
    assert wordpiece.state()["last"] == 19
    wordpiece.press("ArrowRight", 6)
    wordpiece.at(6)
    go.filter(has_text="WordPiece").click()
    expect(wordpiece.page.get_by_role("heading", level=1)).to_have_text("WordPiece")
    wordpiece.at(3)
    assert wordpiece.state()["pair"] == ["hu", "##gs"]
    expect(wordpiece.page.locator(".ts-flipbook .aside")).to_contain_text("Erratum")
    assert "corpus=hug" in wordpiece.href() and "step=3" in wordpiece.href()


def encode(panel: Locator, text: str) -> None:
    field = panel.get_by_label("Text to encode", exact=False)
    field.fill(text)
    field.press("Enter")


def encoding_tries_the_longest_first(wordpiece: Learner) -> None:
    """The course's two words, with its vocabulary: one is spelled, the other one unknown."""
    wordpiece.choose("Corpus", "Four sentences")
    wordpiece.page.wait_for_function(f"() => ({STATE})(0)?.last === 25")
    wordpiece.press("End")
    wordpiece.at(25)
    wordpiece.untroubled()
    panel = wordpiece.tab("Encode")
    tokenizer = trained("course").tokenizer()
    encode(panel, "Hugging HOgging")
    expect(panel.locator(".encoded .t")).to_have_text([*COURSE["encode_word"]["Hugging"], "[UNK]"])
    assert panel.locator(".encoded small").all_inner_texts() == [
        str(number) for number in tokenizer.encode("Hugging HOgging").ids
    ]
    for word, tokens in COURSE["encode_word"].items():
        wordpiece.choose("Step through the encoding of", word)
        explained = tokenizer.explain(word)
        wordpiece.page.wait_for_function(f"last => ({STATE})(1)?.last === last", arg=len(explained))
        wordpiece.shows(0, book=1)
        wordpiece.page.locator(".ts-flipbook .stage").nth(1).click()
        walked = wordpiece.walk(len(explained), STATE, book=1)
        assert [state["step"] for [state] in walked] == [*range(1, len(explained) + 1)]
        assert wordpiece.state(1)["tokens"] == tokens
    assert "No token begins the rest, so the whole word is [UNK]." in wordpiece.state(1)["say"]
    assert wordpiece.state(0)["step"] == 25


def the_files_are_the_run(wordpiece: Learner, tmp_path: Path) -> None:
    """the library reads vocab.txt, the trace has exact scores."""
    wordpiece.tab("Files and link")
    file = tmp_path / "vocab.txt"
    file.write_text(wordpiece.download("vocab.txt"), encoding="utf-8")
    vocabulary = models.WordPiece.read_file(str(file))
    assert vocabulary == {token: number for number, token in enumerate(COURSE["vocab"])}
    run = json.loads(wordpiece.download("Every step (JSON)"))
    assert [(s["pair"], s["token"], s["freq"]) for s in run["steps"]] == [
        (s["pair"], s["token"], s["freq"]) for s in COURSE["steps"]
    ]
    assert run["vocab"] == COURSE["vocab"] and run["words"] == COURSE["word_freqs"]


# --- phone and colours --------------------------------------------------------------------------------------

CONTRAST = """selector => {
  const book = [...document.querySelectorAll('*')].map(e => e.shadowRoot?.querySelector('.ts-flipbook')).find(Boolean);
  const pen = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
  const up = e => e.parentElement ?? e.getRootNode().host;
  const light = paint => { // the colours laid over each other, as light
    pen.clearRect(0, 0, 1, 1);
    for (const colour of paint) { pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1); }
    const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map(x => x / 255).map(x => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b; };
  const found = [...book.querySelectorAll(selector)];
  return found.map(e => {
    const under = [];
    for (let at = e; at; at = up(at)) under.unshift(getComputedStyle(at).backgroundColor);
    const pair = [light(under), light([...under, getComputedStyle(e).color])].sort((a, b) => b - a);
    return [(pair[0] + .05) / (pair[1] + .05), light(under)]; }); }"""


OVERLAPS = """() => {
  const words = '.xtick text, .ytick text, .xtitle, .ytitle, .legendtext';
  const drawn = [...document.querySelectorAll(`.js-plotly-plot :is(${words}, .scatterlayer path.point)`)].map((node) =>
    [node.textContent || 'a point', node.getBoundingClientRect()]);
  return drawn.flatMap(([name, one], at) => drawn.slice(at + 1).filter(([rival, other]) => name !== rival
    && Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1).map(([rival]) => `${name} / ${rival}`)); }"""
"""Overlaps on a chart: labels, and points with labels."""


@pytest.mark.slow
def test_phone_and_dark(wordpiece: Learner, open_page: Callable[..., Page]) -> None:
    """390 pixels: nothing makes the page scroll sideways, in any tab, and no label of the chart lies over
    another or a point. Dark: new parts here read at 4.5:1."""
    page = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page.emulate_media(color_scheme="dark")
    phone = Learner(page, wordpiece.address).open("/wordpiece?corpus=hug&step=3", step=3)
    assert max(page.evaluate(WIDTHS)) <= 0
    for selector in (".say .frac > span", ".aside", ".aside b", "table.scores td", ".why"):
        measured = page.evaluate(CONTRAST, selector)
        assert measured, selector
        for contrast, credential in measured:
            assert credential < 0.1 and contrast >= 4.5, (selector, contrast, credential)
    page.get_by_role("button", name="Next step").tap()
    phone.at(4)
    assert phone.state()["pair"] == ["hu", "##g"]
    page.set_viewport_size({"width": 320, "height": 640})
    page.wait_for_function(SCORES_IN_SIGHT)
    page.set_viewport_size({"width": 390, "height": 844})
    for name in ("Score and count", "The library's WordPiece"):
        phone.tab(name)
        at_rest(phone.page)
        assert max(page.evaluate(WIDTHS)) <= 0, name
        if name == "Score and count":
            expect(page.locator(".js-plotly-plot .legendtext")).to_have_count(3)
            assert page.evaluate(OVERLAPS) == []


# --- hostile text -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_hostile_text_is_only_text(wordpiece: Learner) -> None:
    """What only WordPiece's page and Unigram's have of a browser's own: charts, and a list of words; no
    element, no attribute, no request comes from the text.

    The parts shared with BPE's page are walked through in `test_bpe_page.py`, a lattice in
    `test_lattice_view.py`; all frames and tabs are read in `tests/app/drawing` and `tests/pages`.
    """
    special = "%3Cb%3E%20%3Cimg/src=x/onerror=window.bad=5%3E"
    wordpiece.open(f"/wordpiece?corpus=paste&pre=whitespace_split&special={special}")
    wordpiece.type_text("\n".join(f"{line} {line}" for line in HOSTILE))
    wordpiece.at(0)
    wordpiece.untroubled()
    page = wordpiece.page
    assert page.evaluate(TRACES_OF_ATTACK) == []
    wordpiece.take()
    wordpiece.press("End")
    wordpiece.at(wordpiece.state()["last"])
    assert HOSTILE[0] in page.locator(".ts-flipbook .line button").all_text_contents()  # shown as it is
    panel = wordpiece.tab("Score and count")
    panel.locator(".js-plotly-plot .legend").wait_for()
    assert page.evaluate(TRACES_OF_ATTACK) == []
    wordpiece.take()
    wordpiece.press("Home")
    wordpiece.shows(0)  # fetched: the next reading is no frame from before
    wordpiece.press("ArrowRight")
    chosen = " ".join(wordpiece.state()["pair"])
    page.wait_for_function(f"name => ({PLOT})()?.[1]?.text[0][0].startsWith(name)", arg=chosen)
    assert " · 1/2" in hover_chosen(page, panel)  # of several points in this place, any
    assert page.evaluate(TRACES_OF_ATTACK) == []

    page.get_by_test_id("stSidebarNav").get_by_role("link", name="Unigram").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Unigram")
    options = wordpiece.opened(WORD)
    assert f"␣{HOSTILE[0]}" in options.all_inner_texts()
    assert page.evaluate(TRACES_OF_ATTACK) == []
    options.nth(1).click()
    wordpiece.rest()
    assert page.evaluate(TRACES_OF_ATTACK) == []
    wordpiece.tab("Exact and approximate loss").locator(".js-plotly-plot").first.wait_for()
    wordpiece.take()
    wordpiece.press("End")
    wordpiece.rest()
    wordpiece.untroubled()
    assert page.evaluate(TRACES_OF_ATTACK) == []
