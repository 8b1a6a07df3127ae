"""The page “Compare” in a real browser: stepping by keyboard, the chart after it, links, tabs, files, hostile
text.

Sources and oracles: `golden/bpe_hug.json` and `golden/wordpiece_hug.json` (the Hugging Face course's merges
in order); the engine (`compare`, tried in `test_comparison.py`) for the other numbers; for hostile text and
widths, the browser itself.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.app.drawing.test_comparison import example
from tests.browser.conftest import ROOT, turn_to
from tests.browser.hands import retype
from tests.browser.test_bpe_page import HOSTILE, TRACES_OF_ATTACK, WIDTHS
from tests.browser.test_bpe_page import Bpe as Learner
from tests.browser.test_unigram_page import URL_STEP
from tests.core.oracle_comparison import NAMES
from tests.core.test_comparison import course, golden, hug
from tokensteps.language.names import ALGORITHM_NAMES
from tokensteps.runs.corpora import EXAMPLES

pytestmark = pytest.mark.slow

STAGE = """() => {
  const b = [...document.querySelectorAll('*')].map(e => e.shadowRoot?.querySelector('.ts-flipbook')).find(Boolean);
  if (!b?.querySelector('.trio')) return null;
  const texts = (root, what) => [...root.querySelectorAll(what)].map(e => e.textContent);
  return {
    step: +b.querySelector('input').value, last: +b.querySelector('input').max, stale: b.hasAttribute('data-stale'),
    where: b.querySelector('.where').textContent, now: b.querySelector('.line .now')?.textContent,
    say: b.querySelector('.say p').textContent, height: b.querySelector('.stage').getBoundingClientRect().height,
    bottom: b.getBoundingClientRect().bottom,
    columns: [...b.querySelectorAll('.trio > section')].map(s => ({
      name: s.querySelector('h3').firstChild.textContent, did: s.querySelector('.did').textContent,
      pair: texts(s.querySelector('.did'), '.pair .t'), made: texts(s.querySelector('.did'), ':scope > .t, :scope > .nb > .t')[0],
      per: s.querySelector('.per b').textContent, left: s.getBoundingClientRect().left, top: s.getBoundingClientRect().top,
      rows: [...s.querySelectorAll('.w')].map(w => [w.querySelector('i').textContent, texts(w, '.t'), w.querySelector('.f').textContent]),
    })) }; }"""
BOOK = (
    "[...document.querySelectorAll('*')].map(e => e.shadowRoot?.querySelector('.ts-flipbook')).find(Boolean)"
)
WALK = f"""async steps => {{
  const b = {BOOK}, seen = [];
  while (seen.length < steps) {{
    while (b.hasAttribute('data-stale')) await new Promise(requestAnimationFrame);
    seen.push({{
      step: +b.querySelector('input').value, height: b.querySelector('.stage').getBoundingClientRect().height,
      bottom: b.getBoundingClientRect().bottom, said: b.querySelector('.say').getBoundingClientRect().height,
      cut: Math.max(...[...b.querySelectorAll('.did')].map(e => e.scrollHeight - e.clientHeight)),
    }});
    if (seen.length < steps) b.querySelector('[data-do=next]').click();
  }}
  return seen; }}"""
"""Step through by the button, and measure each step."""
ENDS = f"""() => {{
  const b = {BOOK}, ends = box => {{ box.scrollLeft = 1e6; return box.getBoundingClientRect().right - box.lastElementChild.getBoundingClientRect().right; }};
  const rows = [...b.querySelectorAll('.trio .w .ts')], long = rows.filter(row => row.scrollWidth > row.clientWidth);
  const [line, ...fading] = [b.querySelector('.line'), ...long];
  const [step, where] = [b.querySelector('.where p'), b.querySelector('.where span')];
  step.firstElementChild.textContent = 'Step 9,999';
  step.lastChild.textContent = ' of 9,999';
  where.textContent = '· 9,999 tokens';
  return {{ line: ends(line), rows: fading.map(ends), masks: fading.map(row => getComputedStyle(row).maskImage),
    where: where.scrollWidth - where.clientWidth, shown: where.clientWidth }}; }}"""
"""The last items' distance from the end of timeline and rows; and whether the status of a long run fits."""
LINE = "() => document.querySelector('.js-plotly-plot')?.layout?.shapes?.[0]?.x0"


class Compare(Learner):
    """The page and a learner's actions on it."""

    def open(self, path: str, step: int | None = None) -> Compare:
        super().open(path, step)
        return self

    def stage(self) -> dict[str, Any]:
        results: dict[str, Any] = self.page.evaluate(STAGE)
        return results

    def shows(self, step: int, book: int = 0) -> None:
        self.page.wait_for_function(
            f"step => {{ const s = ({STAGE})(); return s && s.step === step && !s.stale; }}", arg=step
        )

    def at(self, step: int) -> None:
        """Wait until the stage and the address are at `step`, and Python has finished."""
        self.shows(step)
        self.page.wait_for_function(URL_STEP, arg=step)
        self.rest()

    def line_at(self, size: int) -> None:
        """Wait until the chart marks a size."""
        self.page.wait_for_function(f"size => ({LINE})() === size", arg=size)


@pytest.fixture
def learner(serve: Callable[..., str], page: Page) -> Compare:
    return Compare(page, serve(ROOT / "app.py"))


# --- stepping -----------------------------------------------------------------------------------------------


def test_stepping_through_one_corpus_after_the_other(learner: Compare) -> None:
    the_published_merges_side_by_side(learner)
    the_stage_fits_a_projector_and_nothing_jumps(learner)
    a_newer_kind_of_bpe_comes_beside_another(learner)


def the_published_merges_side_by_side(learner: Compare) -> None:
    """A deep link; from the start, press → nine times, and see the course's BPE and WordPiece merge
    in step, and Unigram come to its seed."""
    learner.open("/compare?corpus=hug&step=3", step=3)
    assert learner.stage()["now"] == "10"
    expect(learner.page.get_by_text("Page not found")).to_have_count(0)
    learner.press("Home")
    learner.at(0)
    expect(learner.page.get_by_role("heading", level=1)).to_have_text("Compare")
    assert learner.stage()["last"] == len(hug()) == 9
    merges = [golden(name)["steps"] for name in ("bpe_hug", "wordpiece_hug")]
    for step in range(1, 10):
        learner.press("ArrowRight")
        state = learner.stage()
        assert state["step"] == step and state["now"] == str(7 + step)
        assert state["where"].endswith(f"vocabulary {7 + step}")
        assert [column["name"] for column in state["columns"]] == [ALGORITHM_NAMES[name] for name in NAMES]
        for column, steps in zip(state["columns"], merges, strict=False):
            if step <= len(steps):
                assert (column["pair"], column["made"]) == (steps[step - 1]["pair"], steps[step - 1]["token"])
        for column, standing in zip(state["columns"], hug()[step].standings, strict=True):
            assert column["per"] == f"{standing.tokens_per_word:.2f}"
        cuts = hug()[step].cuts(hug().corpus.words)
        for index, column in enumerate(state["columns"]):
            assert [row[1] for row in column["rows"]] == [list(cut[index] or ()) for cut in cuts.values()]
    learner.at(9)
    learner.press("Home")
    learner.at(0)
    learner.untroubled()


def the_stage_fits_a_projector_and_nothing_jumps(learner: Compare) -> None:
    """At 1366×768 the whole stage is in view, and its height is the same at every step; no sentence is cut
    off.

    Long words fade where their column ends; scrolled to the end, the last token and the timeline's last size
    don't.
    """
    for corpus, steps in (("highest", 23), ("course", 20), ("mixed", 20)):
        learner.choose("Corpus", str(EXAMPLES[corpus].title))
        learner.page.wait_for_function(f"last => ({STAGE})()?.last === last", arg=len(example(corpus)))
        learner.rest()  # at the size where they differ most
        learner.press("Home")
        learner.at(0)
        walk = learner.page.evaluate(WALK, steps)
        assert [at["step"] for at in walk] == [*range(steps)]
        assert max(at["bottom"] for at in walk) <= 768 and max(at["cut"] for at in walk) <= 1
        assert len({round(at["height"]) for at in walk}) == len({round(at["said"]) for at in walk}) == 1
        assert max(learner.page.evaluate(WIDTHS)) <= 0
        if corpus == "mixed":
            ends = learner.page.evaluate(ENDS)
            assert ends["line"] >= 28 and ends["where"] <= 0 < ends["shown"]
            assert ends["rows"] and min(ends["rows"]) >= 19
            assert all(mask.startswith("linear-gradient") for mask in ends["masks"])


def a_newer_kind_of_bpe_comes_beside_another(learner: Compare) -> None:
    """Chosen by keyboard in the sidebar. (Columns and engine agree in `tests/pages/test_compare.py`.)"""
    page = learner.page
    turn_to(page, "/compare?corpus=phrases&runs=bpe,superbpe&pre=byte_level&transition=70&size=90&step=30")
    learner.at(30)
    page.get_by_label("Side by side", exact=True).click()
    page.keyboard.type("picky")
    page.keyboard.press("Enter")
    expect(page.locator(".trio > section")).to_have_count(3)
    learner.rest()
    columns = learner.stage()["columns"]
    assert [column["name"] for column in columns] == ["BPE", "SuperBPE", "PickyBPE"]
    assert max(page.evaluate(WIDTHS)) <= 0
    learner.untroubled()


def test_a_deep_link_a_reload_files_and_back(
    learner: Compare, open_page: Callable[..., Page], tmp_path: Path
) -> None:
    learner.open("/compare?corpus=course&step=40", step=40)
    comparison = course()
    assert [column["per"] for column in learner.stage()["columns"]] == [
        f"{standing.tokens_per_word:.2f}" for standing in comparison[40].standings
    ]
    assert learner.stage()["now"] == "70"
    learner.page.reload()
    learner.at(40)
    learner.tab("Files and link")
    learner.rest()
    expect(learner.page.get_by_text("/compare?corpus=course&step=40")).to_be_visible()
    rows = list(csv.DictReader(io.StringIO(learner.download("The sweep over all sizes (CSV)"), newline="")))
    assert [int(row["vocab_size"]) for row in rows] == [*comparison.sizes]
    assert [int(row["bpe_tokens"]) for row in rows][40] == comparison[40].standings[0].tokens
    data = json.loads(learner.download("Everything at this size, and the sweep (JSON)"))
    assert data["vocab_size"] == 70 and len(data["sweep"]) == len(rows)
    handout = tmp_path / "compare.html"
    handout.write_text(learner.download("Handout that steps offline (HTML)"), encoding="utf-8")
    offline = open_page(fresh=True)
    offline.goto(handout.as_uri())
    reader = Compare(offline, "")
    reader.shows(0)
    reader.press("ArrowRight", 3)
    state = reader.stage()
    assert state["step"] == 3 and state["last"] == len(comparison)
    assert [column["per"] for column in state["columns"]] == [
        f"{standing.tokens_per_word:.2f}" for standing in comparison[3].standings
    ]
    learner.tab("Where they disagree")
    learner.rest()
    words = list(
        csv.DictReader(io.StringIO(learner.download("These words (CSV for spreadsheets)"), newline=""))
    )
    assert [row["word"] for row in words] == [result.word for result in comparison[40].disagreements()]
    learner.choose("Corpus", "hug, pug, pun, bun, hugs")
    expect(learner.page.locator(".ts-flipbook .where").first).to_contain_text("Step 3 of 9")
    learner.rest()
    learner.press("ArrowLeft", 1)
    learner.at(2)
    learner.page.go_back()
    learner.at(40)
    expect(learner.page.get_by_label("Corpus", exact=True)).to_have_value("Four sentences")
    learner.page.go_forward()
    learner.at(2)
    learner.untroubled()
    the_chart_follows(learner)


def the_chart_follows(learner: Compare) -> None:
    turn_to(learner.page, "/compare?corpus=course&step=0")
    learner.at(0)
    learner.tab("Sweep chart")
    learner.line_at(30)
    learner.take()
    learner.press("ArrowRight", 25)
    learner.at(25)
    learner.line_at(55)
    learner.page.get_by_text("Identical splits", exact=True).click()
    expect(learner.page.locator(".js-plotly-plot .legendtext").last).to_have_text("all")
    learner.rest()
    learner.page.get_by_role("button", name="Lines farthest apart").click()
    learner.at(28)
    learner.line_at(58)
    assert learner.stage()["step"] == 28
    learner.untroubled()


# --- phone --------------------------------------------------------------------------------------------------


def test_phone(learner: Compare, open_page: Callable[..., Page]) -> None:
    """390 pixels: the columns stand on top of each other, and a tap steps. Sideways scrolling by a tab is
    looked for with hostile text."""
    page = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    phone = Compare(page, learner.address).open("/compare?corpus=course&step=30", step=30)
    columns = phone.stage()["columns"]
    assert len({round(column["left"]) for column in columns}) == 1
    assert [column["top"] for column in columns] == sorted({column["top"] for column in columns})
    page.get_by_role("button", name="Next step").first.tap()
    phone.at(31)
    assert max(page.evaluate(WIDTHS)) <= 0


# --- own texts ----------------------------------------------------------------------------------------------


def test_own_texts(learner: Compare, open_page: Callable[..., Page], tmp_path: Path) -> None:
    what_can_not_be_is_explained_and_the_text_survives(learner)
    hostile_text_is_only_text(learner, open_page, tmp_path)


def what_can_not_be_is_explained_and_the_text_survives(learner: Compare) -> None:
    learner.open("/compare?corpus=paste&size=3")
    learner.rest()
    learner.type_text("low lower lowest")
    expect(learner.page.locator(".note.problem")).to_contain_text(
        "Largest vocabulary: 3 is below the alphabet's"
    )
    field = learner.page.get_by_label("Largest vocabulary", exact=True)
    retype(field, "20")
    field.press("Enter")
    expect(learner.page.locator(".ts-flipbook .where").first).to_be_visible()
    learner.untroubled()
    expect(learner.page.get_by_label("Your text", exact=True)).to_have_value("low lower lowest")


def hostile_text_is_only_text(learner: Compare, open_page: Callable[..., Page], tmp_path: Path) -> None:
    """Every tab, on a screen of 390 pixels, a hover in the chart, and the handout: no element, no attribute,
    no request comes from the text, and nothing makes the page scroll sideways."""
    page, before = learner.page, learner.stage()["where"]
    learner.type_text(
        "\n".join(f"{line} {line} $x$ **b** <img src=x onerror=window.bad=9>" for line in HOSTILE)
    )
    expect(learner.page.locator(".note.problem")).to_contain_text("Largest vocabulary: 20 is below")
    field = page.get_by_label("Largest vocabulary", exact=True)
    retype(field, "140")
    field.press("Enter")
    learner.page.wait_for_function(f"before => ({STAGE})()?.where !== before", arg=before)
    clean = page.evaluate(TRACES_OF_ATTACK)
    learner.untroubled()
    assert clean == []
    learner.rest()
    learner.take()
    learner.press("Home")
    learner.at(0)
    learner.press("ArrowRight", 30)
    learner.at(30)
    page.set_viewport_size({"width": 390, "height": 844})
    for tab in page.get_by_role("tab").all_inner_texts():
        panel = learner.tab(tab)
        learner.rest()
        if tab in ("Sweep chart", "Vocabulary overlap"):
            plot = panel.locator(".js-plotly-plot .nsewdrag").first
            plot.scroll_into_view_if_needed()
            plot.hover()
            page.locator(".hoverlayer .legendtext").first.wait_for()
        assert page.evaluate(TRACES_OF_ATTACK) == [], tab
        assert max(page.evaluate(WIDTHS)) <= 0, tab
        for table in page.locator(".regions, .jaccard").all():
            assert table.evaluate("e => e.getBoundingClientRect().right <= innerWidth"), tab
    learner.tab("Files and link")
    path = tmp_path / "hostile.html"
    path.write_text(learner.download("Handout that steps offline (HTML)"), encoding="utf-8")
    offline = open_page(fresh=True, viewport={"width": 1200, "height": 800})
    offline.goto(path.as_uri())
    reader = Compare(offline, "")
    reader.shows(0)
    reader.press("ArrowRight", 20)
    assert reader.stage()["step"] == 20 and offline.evaluate(TRACES_OF_ATTACK) == []
