"""Random access to recorded runs (`tokenizers_core/trace.py`).

Oracle: Python's own indexing of lists, and replaying from the start without any checkpoint.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.samples import examples
from tokenizers_core import Corpus, train_bpe
from tokenizers_core.trace import Replay, StoredTrace

HUG = train_bpe(Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}))


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


@pytest.mark.parametrize("step", ["1", 1.0, None])
def test_index_of_another_type(step: object) -> None:
    with pytest.raises(TypeError):
        HUG[step]  # type: ignore[index]


def test_stored_trace() -> None:
    trace = StoredTrace((HUG[0], HUG[1]), "max_merges")
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
