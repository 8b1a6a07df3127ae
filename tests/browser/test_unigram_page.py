"""The Unigram page in a real browser, in a learner's hands: pruning step by step, a word's lattice, links,
phone, themes.

Sources and oracles: `golden/unigram_course.json` and `golden/unigram_hug.json` (the Hugging Face course,
chapter 6, recomputed): its prunes in order, its words; the engine for the other lattices and for
SentencePiece's steps; the browser itself for colours and widths. The common parts of all training pages are
in `test_bpe_page.py`; the lattice by itself, in `test_lattice_view.py`; hostile text, in
`test_wordpiece_page.py`; each frame's numbers, in `tests/app/drawing/test_pruning.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, turn_to
from tests.browser.test_bpe_page import (
    STATE,
    WIDTHS,
    a_count_highlights_its_occurrences,
)
from tests.browser.test_bpe_page import Bpe as Learner
from tests.browser.test_lattice_view import Book
from tests.core.test_unigram import golden
from tokenizers_core import Corpus, train_unigram
from tokensteps.drawing.lattice.bars import LATTICE_CHARACTERS
from tokensteps.runs.corpora import pack_text

HUG, COURSE = golden("hug"), golden("course")
PRUNED = [piece for round_ in COURSE["rounds"] for piece in round_["removed"]]
CHINESE = "人工智能研究的一个主要目标是使机器能够胜任一些通常需要人类智能才能完成的复杂工作。但不同的时代、不同的人对这种复杂工作的理解是不同的。"
WORD = "Word (␣ and ▁ stand for a space)"

FOCUSED = """() => {
  const books = [...document.querySelectorAll('*')].filter(e => e.shadowRoot?.querySelector('.ts-flipbook'));
  let a = document.activeElement;
  const book = books.indexOf(a);
  while (a?.shadowRoot?.activeElement) a = a.shadowRoot.activeElement;
  return {book, label: a?.ariaLabel ?? a?.innerText ?? '', pick: a?.dataset?.pick ?? null}; }"""
URL_STEP = "step => (new URL(location.href).searchParams.get('step') ?? '0') === String(step)"


class Unigram(Learner):
    """The page and a learner's actions on it; its first tab is the lattice, with a flipbook of its own."""

    def open(self, path: str, step: int | None = None) -> Unigram:
        super().open(path, step)
        return self

    def at(self, step: int) -> None:
        """Wait until the stage and the address are at `step` of a finished run, and Python has finished."""
        self.shows(step)
        expect(self.page.locator(".ts-flipbook .growth").first).to_be_hidden()
        self.page.wait_for_function(URL_STEP, arg=step)
        self.rest()

    def lattice(self, letters: str) -> Book:
        """The flipbook of the tab Lattice, once it shows that word."""
        self.page.locator(".ts-flipbook .lat").wait_for()
        result = Book(self.page)
        result.root = self.page.locator(".ts-flipbook").filter(has=self.page.locator(".lat"))
        expect(result.root.locator(".ruler > b")).to_have_text(list(letters))
        self.rest()
        return result

    def focused(self) -> dict[str, Any]:
        """The place of the focus: the book, the element."""
        return self.page.evaluate(FOCUSED)  # type: ignore[no-any-return]

    def tab_until(self, key: str, reached: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Press Tab, or Shift+Tab, until the focus is there."""
        passed = []
        for _ in range(80):
            self.press(key)
            passed.append(self.focused())
            if reached(passed[-1]):
                return passed[-1]
        raise AssertionError(f"{key} never came there: {passed}")


@pytest.fixture
def unigram(serve: Callable[..., str], page: Page) -> Unigram:
    return Unigram(page, serve(ROOT / "app.py"))


# --- a first visit ------------------------------------------------------------------------------------------


def drawn(piece: str) -> str:
    """A piece as the page writes it for readers."""
    return piece.replace("▁", "␣")


def test_a_first_visit(unigram: Unigram) -> None:
    """From cold: the course's prunes, a reload, another corpus, Back; an untouched page's keys are the
    stage's all the time."""
    unigram.open("/unigram", step=0)
    a_newcomer_sees_the_courses_prunes(unigram)
    a_reload_keeps_step_and_keys(unigram)
    another_corpus_has_the_keys_and_back_keeps_the_step(unigram)


def a_newcomer_sees_the_courses_prunes(unigram: Unigram) -> None:
    """The page, five presses, three clicks, and the end. Of its two flipbooks the stage has the keys,
    whichever is drawn first."""
    expect(unigram.page.get_by_role("heading", level=1)).to_have_text("Unigram")
    expect(unigram.page.get_by_test_id("stMain").get_by_text("course's way:")).to_be_visible()
    start = unigram.state()
    assert start["last"] == len(PRUNED) == 202
    unigram.lattice("Hopefully")
    for step in range(1, 6):
        unigram.press("ArrowRight")
        state, token = unigram.state(), drawn(PRUNED[step - 1])
        assert (state["step"], state["token"], state["now"]) == (step, token, token)
        assert unigram.state(1)["step"] == 0
    unigram.rest()
    following = unigram.page.get_by_role("button", name="Next step").first
    for step in range(6, 9):
        following.click()
        assert unigram.state()["token"] == drawn(PRUNED[step - 1])
    unigram.press("ArrowLeft", 2)
    assert unigram.state()["token"] == drawn(PRUNED[5])
    unigram.at(6)
    unigram.press("End")
    unigram.shows(202)
    assert unigram.state()["token"] == drawn(PRUNED[-1])
    unigram.at(202)
    unigram.untroubled()
    assert unigram.href().endswith("/unigram?step=202")


def a_reload_keeps_step_and_keys(unigram: Unigram) -> None:
    unigram.press("ArrowLeft", 2)
    unigram.at(200)
    unigram.page.reload()
    unigram.at(200)
    assert unigram.state()["token"] == drawn(PRUNED[199])
    unigram.lattice("Hopefully")
    unigram.press("ArrowRight")
    assert (unigram.state(0)["step"], unigram.state(1)["step"]) == (201, 0)
    unigram.at(201)


def another_corpus_has_the_keys_and_back_keeps_the_step(unigram: Unigram) -> None:
    """Forward is in `test_bpe_page.py`."""
    unigram.choose("Corpus", "hug, pug, pun, bun, hugs")
    expect(unigram.page.locator(".ts-flipbook .where").first).to_contain_text("Step 0 of 8")
    unigram.lattice("unhug")
    unigram.press("ArrowRight", 2)
    assert (unigram.state(0)["step"], unigram.state(1)["step"]) == (2, 0)
    unigram.at(2)
    assert unigram.state()["token"] == "un"
    unigram.page.go_back()
    unigram.at(201)
    assert unigram.state()["token"] == drawn(PRUNED[200])
    expect(unigram.page.get_by_label("Corpus", exact=True)).to_have_value("Four sentences")
    unigram.untroubled()


# --- the lattice, and SentencePiece's way -------------------------------------------------------------------


@pytest.mark.slow
def test_the_lattice(unigram: Unigram) -> None:
    """Five words: a word's lattice by keys, then with a piece less, then the other method."""
    unigram.open("/unigram?corpus=hug", step=0)
    seed = ["hug", "ug", "ugs"]  # ug ×20: in hug, pug and hugs
    a_count_highlights_its_occurrences(unigram.page, 0, seed)
    the_lattice_by_keys_alone(unigram)
    the_lattice_follows_the_stage(unigram)
    sentencepieces_steps(unigram)


def the_lattice_by_keys_alone(unigram: Unigram) -> None:
    """Tab into the lattice, arrows step it and not the stage, Enter forces a piece; then another word. (Every
    step's table is read in `test_lattice_view.py` and `tests/pages/test_unigram.py`.)"""
    book = unigram.lattice("unhug")
    unigram.tab_until("Tab", lambda focus: focus["book"] == 1 and focus["label"].startswith("Next step"))
    assert book.press("ArrowRight", "ArrowRight")["step"] == 2 and unigram.state(0)["step"] == 0
    assert book.press("End")["best"] == ["un", "hug"]
    unigram.tab_until("Tab", lambda focus: focus["book"] == 1 and focus["label"].startswith("hu from "))
    assert book.press("Enter")["picked"] == ["un", "hu", "g"]
    state = book.press("ArrowLeft")
    assert state["step"] == 6 and state["pressed"] == ["hu"] and unigram.state(0)["step"] == 0

    # another word, without the mouse; a page drawn again would close the list
    unigram.tab_until("Shift+Tab", lambda focus: WORD in focus["label"])
    unigram.rest()
    unigram.page.keyboard.type("pug")
    expect(unigram.page.get_by_role("option", name="pug", exact=True)).to_be_visible()
    unigram.press("Enter")
    book = unigram.lattice("pug")
    assert book.state()["step"] == 0
    unigram.tab_until("Tab", lambda focus: focus["book"] == 1)
    assert book.press("End")["best"] == ["p", "ug"]
    assert book.press("Home")["step"] == 0
    assert unigram.state(0)["step"] == 0


def the_lattice_follows_the_stage(unigram: Unigram) -> None:
    """After its pruning, ug is no edge of pug any more."""
    book = unigram.lattice("pug")
    expect(book.bar("ug")).to_have_count(1)
    unigram.take()
    unigram.press("ArrowRight")
    unigram.at(1)
    expect(book.bar("ug")).to_have_count(0)
    corpus = Corpus.from_counts(HUG["word_freqs"])
    trace = train_unigram(corpus, 15, 10, whole_words=False)
    number = trace[1].lattice("pug").path_count
    expect(book.root.locator(".say")).to_contain_text(f"can be cut into pieces in {number} ways")
    assert unigram.state(0)["step"] == 1
    a_count_highlights_its_occurrences(unigram.page, 0, ["ug"])  # ug goes: it was used in p ug


def sentencepieces_steps(unigram: Unigram) -> None:
    unigram.choose("Method", "SentencePiece: EM")
    unigram.page.wait_for_function("() => location.search.includes('method=sentencepiece')")
    expect(unigram.page.get_by_text("SentencePiece's way: EM")).to_be_visible()
    expect(unigram.page.get_by_text("course's way:")).to_have_count(0)
    trace = train_unigram(
        Corpus.from_counts(HUG["word_freqs"], pre_tokenizer="whitespace_split"),
        15,
        7,
        "sentencepiece",
        whole_words=False,
    )
    unigram.page.wait_for_function(f"last => ({STATE})(0)?.last === last", arg=len(trace))
    unigram.rest()
    unigram.take()
    unigram.press("End")
    assert unigram.state()["step"] == len(trace) and unigram.state()["now"] == "Finalize"
    unigram.untroubled()
    assert "· 7 pieces" in unigram.state()["where"]


# --- phone, themes, other scripts ---------------------------------------------------------------------------


@pytest.mark.slow
def test_phone(unigram: Unigram, open_page: Callable[..., Page]) -> None:
    """390 pixels: nothing makes the page scroll sideways, not even Chinese as one stream. A long word scrolls
    in its own box."""
    page = open_page(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    phone = Unigram(page, unigram.address).open("/unigram?corpus=course&show=letters&step=2", step=2)
    book = phone.lattice("Hopefully")
    assert max(page.evaluate(WIDTHS)) <= 0
    page.get_by_role("button", name="Next step").first.tap()
    phone.at(3)
    assert phone.state()["token"] == PRUNED[2]
    field = page.get_by_role("combobox", name=re.compile("Word"))
    field.tap()
    page.keyboard.type("understandtokenizationalgorithms")
    page.keyboard.press("Enter")
    book = phone.lattice("understandtokenizationalgorithms")
    pane = book.root.locator(".pane").first
    assert pane.evaluate("e => e.scrollWidth > e.clientWidth")
    assert max(page.evaluate(WIDTHS)) <= 0
    for tab in (
        "Every piece",
        "Exact and approximate loss",
        "How close?",
        "Code",
    ):  # the others are BPE's, too
        phone.tab(tab)
        phone.rest()
        assert max(page.evaluate(WIDTHS)) <= 0, tab
    turn_to(page, f"/unigram?corpus=paste&pre=none&seed=300&size=80&text={pack_text(CHINESE)}")
    trace = train_unigram(Corpus.from_texts([CHINESE], pre_tokenizer="none"), 300, 80)
    page.wait_for_function(f"last => ({STATE})(0)?.last === last", arg=len(trace))
    phone.tab("Lattice")
    message = f"The word has {len(CHINESE)} characters; its first {LATTICE_CHARACTERS} are shown."
    expect(page.get_by_text(message)).to_be_visible()
    phone.lattice(CHINESE[:LATTICE_CHARACTERS])
    assert max(page.evaluate(WIDTHS)) <= 0
    phone.take()
    phone.press("Home")
    for step, [state] in enumerate(phone.walk(12, STATE), start=1):
        assert state["step"] == step and state["token"] == trace.history[step].piece
    phone.at(12)
    assert max(page.evaluate(WIDTHS)) <= 0
    phone.untroubled()
