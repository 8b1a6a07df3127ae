"""Steps taken while a run still grows, in a real browser: a long text is pasted, and its first steps are there before the last.

Oracle: the engine, asked for the same text in this process.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT
from tests.browser.test_bpe_page import STATE, Bpe, random_words
from tokenizers_core import Corpus, train_wordpiece

TEXT = random_words(25_000).decode()
"""Training WordPiece on it takes seconds."""


def test_steps_are_there_before_the_end_and_stay_right(page: Page, serve: Callable[..., str]) -> None:
    learner = Bpe(page, serve(ROOT / "app.py")).open(
        "/wordpiece?corpus=paste&size=20000&pre=whitespace_split"
    )
    learner.type_text(TEXT)
    growth = page.locator(".ts-flipbook .growth")
    page.wait_for_function(f"() => {{ const s = ({STATE})(0); return s && s.last >= 3; }}")
    page.locator(".ts-flipbook .stage").click(position={"x": 5, "y": 5})
    learner.press("ArrowRight", 3)
    learner.shows(3)
    assert growth.is_visible()  # the run isn't over
    expect(growth).to_contain_text(re.compile(r"Training: [\d,]+ of [\d,]+"))
    before = learner.state()
    learner.press("End")
    expect(growth).to_be_hidden(timeout=120_000)
    page.wait_for_function(f"() => {{ const s = ({STATE})(0); return s.step === s.last && !s.stale; }}")
    learner.press("Home")
    learner.shows(0)
    learner.press("ArrowRight", 3)
    learner.at(3)
    after = learner.state()
    trace = train_wordpiece(Corpus.from_texts([TEXT], pre_tokenizer="whitespace_split"), merges=3)
    assert (after["say"], after["token"], after["now"]) == (before["say"], before["token"], before["now"])
    assert after["token"] == trace[3].event.token  # type: ignore[union-attr]
    learner.untroubled()
