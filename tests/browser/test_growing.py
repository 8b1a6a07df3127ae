"""A run that still grows, in a real browser: a long text is pasted, and its first steps are there before the last. It is stopped, and
trained to the end.

Oracle: the engine, asked for the same text in this process. What is shown of a run at each point of its growth is in
`tests/pages/test_growing.py`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT
from tests.browser.test_bpe_page import STATE
from tests.browser.test_unigram_page import Unigram
from tokenizers_core import Corpus, train_unigram


def random_words(number: int) -> str:
    """Words of random letters: few are alike, so that there is much to merge. The same each time."""
    draw = random.Random(1)
    return " ".join("".join(draw.choices("abcdefghij", k=draw.randint(3, 9))) for _ in range(number))


GROWTH = ".st-key-unigram-book .ts-flipbook .growth"
TEXT = random_words(5_000)
"""Training Unigram on it takes seconds."""


def test_a_run_that_grows(page: Page, serve: Callable[..., str]) -> None:
    learner = Unigram(page, serve(ROOT / "app.py"))
    learner.open("/unigram?corpus=paste&seed=1000&size=60")
    learner.type_text(TEXT)
    page.wait_for_function(f"() => {{ const s = ({STATE})(0); return s && s.last >= 3; }}")
    before = steps_are_there_before_the_end(learner)
    learned = it_can_be_stopped(learner)
    page.get_by_role("button", name="Train to the end").click()
    page.wait_for_function(f"learned => ({STATE})(0)?.last > learned", arg=learned, timeout=120_000)
    the_last_step_is_followed_and_the_first_stay_right(learner, before)


def steps_are_there_before_the_end(learner: Unigram) -> dict[str, object]:
    """Returns what is shown after step 3."""
    growth = learner.page.locator(GROWTH)
    learner.take()
    learner.press("ArrowRight", 3)
    learner.shows(3)
    assert growth.is_visible()  # the run isn't over
    expect(growth).to_contain_text(re.compile(r"Training: [\d,]+ of [\d,]+"))
    return learner.state()


def it_can_be_stopped(learner: Unigram) -> int:
    """Returns the number of steps until then."""
    learner.page.locator(GROWTH).get_by_role("button", name="Stop here").click()
    note = learner.page.locator(".note", has_text="Training was stopped after")
    expect(note).to_be_visible()
    found = re.search(r"after ([\d,]+) steps", note.inner_text())
    assert found
    learned = int(found.group(1).replace(",", ""))
    learner.page.wait_for_function(f"learned => ({STATE})(0)?.last === learned", arg=learned)
    assert learned > 3
    learner.rest()
    learner.take()
    learner.press("End")
    learner.at(learned)
    assert "Training was stopped here." in learner.state()["say"]
    return learned


def the_last_step_is_followed_and_the_first_stay_right(learner: Unigram, before: dict[str, object]) -> None:
    page, growth = learner.page, learner.page.locator(GROWTH)
    expect(page.locator(".note", has_text="Training was stopped after")).to_have_count(0)
    learner.take()
    learner.press("End")
    expect(growth).to_be_hidden(timeout=120_000)
    page.wait_for_function(f"() => {{ const s = ({STATE})(0); return s.step === s.last && !s.stale; }}")
    learner.press("Home")
    learner.shows(0)
    learner.press("ArrowRight", 3)
    learner.at(3)
    after = learner.state()
    trace = train_unigram(
        Corpus.from_texts([TEXT], pre_tokenizer="metaspace"), seed_size=1000, vocab_size=997
    )
    assert (after["say"], after["token"], after["now"]) == (before["say"], before["token"], before["now"])
    assert trace[3].event.piece.replace("▁", "␣") in str(after["say"])  # type: ignore[union-attr]
    learner.untroubled()
