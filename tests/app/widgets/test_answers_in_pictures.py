"""An answer from the flipbook's script might be typed by anybody: only a pair among the choices is taken."""

from __future__ import annotations

from typing import Any

import pytest
import streamlit as st

from tokenizers_core import Corpus, train_bpe, train_unigram
from tokensteps.components import flipbook
from tokensteps.drawing.tokens import Style, lit_id
from tokensteps.drawing.training.merging import merge_frame
from tokensteps.teaching.game import Game, Hidden
from tokensteps.widgets.predict import choose_pair

CORPUS = Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})


@pytest.fixture
def state(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A session's state."""
    held: dict[str, Any] = {}
    monkeypatch.setattr(st, "session_state", held)
    return held


@pytest.mark.parametrize(
    "value",
    [
        None,
        7,
        "run",
        [],
        ["run", 1],
        ["run", 1, 2],
        ["run", "1", "id"],
        [["run"], 1, "id"],
        ["other", 1, "id"],
        ["run", 1, "id", "more"],
        {"run": 1},
    ],
)
def test_a_report_of_another_form_or_run_is_none(state: dict[str, Any], value: Any) -> None:
    heard: list[str] = []
    for result in (value, {"answer": value}, {"step": value}):
        state["book"] = result
        flipbook.take_answer("book", "run", heard.append)
    assert heard == []
    state["book"] = {"answer": ["run", 1, "id"]}
    flipbook.take_answer("book", "run", heard.append)
    assert heard == ["id"]


def test_only_a_mergeable_pair_is_chosen(state: dict[str, Any]) -> None:
    """Oracle: the letters of the words."""
    trace = train_bpe(CORPUS)
    hidden = Hidden("bpe", "run", trace, Style(), merge_frame, "pair", len(trace))
    game, key = Game("run", 0), "bpe.predict.0.choice"
    choose_pair(hidden, game, lit_id("u", "g"))
    assert state[key] == "u + g"
    for wrong in ("", "x" * 100_000, "u + g", lit_id("g", "u"), lit_id("h", "ug"), lit_id("ug")):
        state[key] = "u + g"
        choose_pair(hidden, game, wrong)
        assert state[key] is None
    state.clear()
    for wanted, reached in (("count", 0), ("split", 0), ("pair", len(trace))):
        other = Hidden("bpe", "run", trace, Style(), merge_frame, wanted, len(trace))
        choose_pair(other, Game("run", reached), lit_id("u", "g"))
    unigram = train_unigram(CORPUS, seed_size=15, vocab_size=7, whole_words=False)
    choose_pair(Hidden("unigram", "run", unigram, Style(), merge_frame, "piece", 3), game, lit_id("ug"))
    assert state == {}
