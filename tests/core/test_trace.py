"""Random access to recorded runs (`tokenizers_core/trace.py`).

Oracle: Python's own indexing of lists, and replaying from the start without any checkpoint.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.samples import examples
from tokenizers_core import (
    Corpus,
    MergeTrace,
    ParityTrace,
    Trace,
    train_bpe,
    train_paritybpe,
    train_pickybpe,
    train_superbpe,
    train_unigram,
    train_wordpiece,
)
from tokenizers_core.trace import Replay, StoredTrace

HUG = train_bpe(Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}))
WORDPIECE = train_wordpiece(HUG.corpus)
SUPER = train_superbpe(
    Corpus.from_texts(["by the way", "on the way"], pre_tokenizer="byte_level"), transition=16, merges=9
)
PARITY = train_paritybpe({"en": HUG.corpus, "de": Corpus.from_counts({"bus": 3, "und": 9})}, merges=6)
PICKY = train_pickybpe(Corpus.from_counts({"hug": 10, "hugs": 9, "pug": 1}), threshold=0.6)
UNIGRAM = train_unigram(HUG.corpus, vocab_size=10)


def test_a_trace_of_n_steps_has_n_plus_1_snapshots() -> None:
    assert len(HUG) == 7
    assert [snapshot.step for snapshot in HUG] == list(range(8))


@pytest.mark.parametrize("step", range(-8, 8))
def test_indices_are_those_of_a_list(step: int) -> None:
    assert HUG[step].step == range(8)[step]


@pytest.mark.parametrize("step", [8, -9, 1000])
def test_index_outside(step: int) -> None:
    with pytest.raises(IndexError) as caught:
        HUG[step]
    assert (
        str(caught.value) == f"step {step} is outside this trace: it has steps 0 (the start) to 7 (the end)"
    )


def readers(trace: Any) -> list[Callable[[Any], object]]:
    """What a trace says about a step without a snapshot."""
    if isinstance(trace, MergeTrace):
        word = trace.corpus.words[-1]
        more = [trace.language_at] if isinstance(trace, ParityTrace) else []
        names = ("splits", "token_of", "pair_of", "candidates", "event")
        return [*(getattr(trace, name) for name in names), partial(trace.split, word), *more]
    names = ("splits", "piece_of", "loss_of", "tied_with", "event", "pieces_at", "scores_at", "loss_at")
    return [getattr(trace, name) for name in names]


def answer(read: Callable[[int], object], step: int) -> object:
    """What it says, or its error: there is no pair at the start."""
    try:
        return read(step)
    except IndexError as error:
        return str(error)


@pytest.mark.parametrize(
    "trace", [HUG, WORDPIECE, SUPER, PARITY, UNIGRAM], ids=lambda trace: type(trace).__name__
)
def test_a_step_is_numbered_as_in_a_list_everywhere(trace: Any) -> None:
    """Oracle: the same question with the step counted from the start."""
    steps = range(len(trace) + 1)
    for read in readers(trace):
        for step in (-1, -2, *steps):
            assert answer(read, step) == answer(read, steps[step])
        for step in (len(trace) + 1, -len(trace) - 2):
            with pytest.raises(IndexError, match=f"step {step} is outside this trace"):
                read(step)
        with pytest.raises(TypeError, match="step='1' is of type str"):
            read("1")


def test_only_a_merge_has_a_pair_and_only_a_prune_a_piece() -> None:
    for trace in (HUG, WORDPIECE, SUPER, PICKY):
        assert trace.token_of(0) == trace.token_of(-len(trace) - 1) == ""
        for step, event in enumerate(snapshot.event for snapshot in trace):
            if event.kind == "merge":
                assert trace.pair_of(step) == event.pair
                continue
            with pytest.raises(
                IndexError, match=f"step {step} merges nothing: it is '{event.kind}', not 'merge'"
            ):
                trace.pair_of(step)
    assert {snapshot.event.kind for trace in (SUPER, PICKY) for snapshot in trace} > {"stage", "remove"}
    for step, event in enumerate(snapshot.event for snapshot in UNIGRAM):
        if event.kind == "prune":
            assert UNIGRAM.piece_of(step) == event.piece
            continue
        for read in (UNIGRAM.piece_of, UNIGRAM.loss_of, UNIGRAM.tied_with):
            with pytest.raises(IndexError, match=f"step {step} prunes nothing"):
                read(step)


@pytest.mark.parametrize(
    "part",
    [
        slice(0, 2),
        slice(None),
        slice(-2, None),
        slice(None, None, -3),
        slice(5, 99),
        slice(4, 2),
        slice(-99, 1),
    ],
)
def test_slices_are_those_of_a_list(part: slice) -> None:
    assert HUG[part] == [*HUG][part]


@pytest.mark.parametrize(("step", "kind"), [("a", "str"), (1.0, "float"), (None, "NoneType")])
def test_index_of_another_type(step: object, kind: str) -> None:
    with pytest.raises(TypeError) as caught:
        HUG[step]  # type: ignore[call-overload]
    assert str(caught.value) == (
        f"step={step!r} is of type {kind}, which can't be used here; "
        "give a step's number, such as 1; trace[0:2] has several."
    )


@pytest.mark.parametrize("train", [train_bpe, train_wordpiece])
def test_the_start_has_no_pair_and_names_steps_with_one(train: Callable[..., MergeTrace]) -> None:
    """Oracle: the steps of the run itself: each but the first has one."""
    trace = train(HUG.corpus)
    for start in (trace[0].event, pickle.loads(pickle.dumps(trace[0].event)), copy(trace[0].event)):
        with pytest.raises(AttributeError, match=r"'pair': step 0 is the start, .* trace\[1\]\.event\.pair$"):
            start.pair  # noqa: B018
        assert not hasattr(start, "pair") and start == trace[0].event
    assert all(hasattr(snapshot.event, "pair") for snapshot in trace[1:])
    with pytest.raises(AttributeError, match=r"'StartEvent' object has no attribute 'pairs'$"):
        trace[0].event.pairs  # type: ignore[union-attr]  # noqa: B018


@pytest.mark.parametrize(
    ("train", "outcome"), [(train_bpe, "no_pairs"), (train_wordpiece, "spelled"), (train_unigram, "found")]
)
def test_an_explanation_names_its_word(train: Callable[..., Trace[Any]], outcome: str) -> None:
    """Also one cut short, and of a word that itself has to be shortened and escaped."""
    tokenizer = train(HUG.corpus, vocab_size=12).tokenizer()
    steps = tokenizer.explain("hugs")
    assert repr(steps) == f"<Encoding of 'hugs': {len(steps)} steps, stop_reason='{outcome}'>"
    long = repr(tokenizer.explain("hu\n" * 2_000))
    assert long.startswith("<Encoding of 'hu\\nhu\\n") and "…" in long and long.isprintable()


def test_stored_trace() -> None:
    trace = StoredTrace("hug", (HUG[0], HUG[1]), "max_merges")
    assert len(trace) == 1
    assert [*trace] == [trace[0], trace[-1]] == [HUG[0], HUG[1]]


@examples(200)
@given(st.lists(st.integers(0, 60), min_size=1, max_size=12), st.integers(1, 20))
def test_replay_gives_the_same_state_in_any_order(steps: list[int], every: int) -> None:
    def apply(state: list[int], step: int) -> list[int]:
        state.append(step)
        return state

    replay = Replay(start=list, copy=list, apply=apply, every=every)
    states = [(step, replay.at(step)) for step in steps]
    # Checked at the end: a state handed out is not modified by later replays.
    for step, state in states:
        assert state == list(range(1, step + 1))


def test_stepping_forward_costs_one_step() -> None:
    applied: list[int] = []

    def apply(state: int, step: int) -> int:
        applied.append(step)
        return state + step

    replay = Replay(start=int, copy=int, apply=apply, every=10)
    for step in range(31):
        replay.at(step)
    assert applied == list(range(1, 31))
    replay.at(25)
    assert applied[30:] == list(range(21, 26))
