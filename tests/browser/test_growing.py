"""A growing run, in a real browser: a long text is pasted, and its first steps are there before the last. It
is stopped, and goes on, and the stage goes along with its end.

Oracle: the engine, asked for the same text in this process. The display at each point of a run's growth is in
`tests/pages/test_growing.py`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT
from tests.browser.test_bpe_page import STATE
from tests.browser.test_unigram_page import Unigram, drawn
from tokenizers_core import Corpus, train_unigram

pytestmark = pytest.mark.slow


def random_words(number: int) -> str:
    """Words of random letters: few are alike, so that there is much to merge. The same each time."""
    draw = random.Random(1)
    return " ".join("".join(draw.choices("abcdefghij", k=draw.randint(3, 9))) for _ in range(number))


GROWTH = ".st-key-unigram-book .ts-flipbook .growth"
TEXT = random_words(20_000)
"""Training Unigram on it takes eight seconds and more; the test waits for two or three."""
FOLLOWS = f"step => {{ const s = ({STATE})(0); return s.step === s.last && (s.step > step || !s.grows); }}"
"""Whether the stage is at the end, now behind `step`, or at the run's last step."""
PATIENCE = 240_000
"""Milliseconds: a training process waits for the machine's other work."""


def removed_third() -> str:
    """The engine's removed piece in step 3 of the same run, as the page writes it for readers."""
    corpus = Corpus.from_texts([TEXT], pre_tokenizer="metaspace")
    trace = train_unigram(corpus, seed_size=1000, vocab_size=997)
    return drawn(trace[3].event.piece)  # type: ignore[union-attr]


def test_a_run_that_grows(page: Page, serve: Callable[..., str]) -> None:
    learner = Unigram(page, serve(ROOT / "app.py"))
    learner.open("/unigram?corpus=paste&seed=1000&size=60")
    learner.type_text(TEXT)
    page.wait_for_function(f"() => {{ const s = ({STATE})(0); return s && s.last >= 3; }}", timeout=PATIENCE)
    third = the_third_step_before_the_end(learner)
    learned = it_can_be_stopped(learner)
    assert third == removed_third()
    page.get_by_role("button", name="Train to the end").click()
    expect(page.locator(".note", has_text="Training was stopped after")).to_have_count(0)
    the_end_is_followed_as_it_grows(learner, learned)
    learner.untroubled()


def the_third_step_before_the_end(learner: Unigram) -> str:
    """Returns the removed piece."""
    growth = learner.page.locator(GROWTH)
    learner.take()
    learner.press("ArrowRight", 3)
    learner.shows(3)
    assert growth.is_visible()  # the run isn't over
    expect(growth).to_contain_text(re.compile(r"Training: [\d,]+ of [\d,]+"))
    return str(learner.state()["token"])


def it_can_be_stopped(learner: Unigram) -> int:
    """Returns the number of steps until then."""
    learner.page.locator(GROWTH).get_by_role("button", name="Stop here").click()
    note = learner.page.locator(".note", has_text="Training was stopped after")
    expect(note).to_be_visible()
    match = re.search(r"after ([\d,]+) steps", note.inner_text())
    assert match
    learned = int(match.group(1).replace(",", ""))
    learner.page.wait_for_function(f"learned => ({STATE})(0)?.last === learned", arg=learned)
    assert learned > 3
    learner.rest()
    learner.take()
    learner.press("End")
    learner.at(learned)
    assert "Training was stopped here." in learner.state()["say"]
    return learned


def the_end_is_followed_as_it_grows(learner: Unigram, learned: int) -> None:
    """Going to the end once is enough: more steps come, and it goes along."""
    page = learner.page
    page.wait_for_function(f"learned => ({STATE})(0)?.last > learned", arg=learned, timeout=PATIENCE)
    learner.take()
    learner.press("End")
    page.wait_for_function(FOLLOWS, arg=learned)
    followed = learner.state()["step"]
    page.wait_for_function(FOLLOWS, arg=followed, timeout=PATIENCE)
