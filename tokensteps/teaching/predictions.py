"""Predictions: choosing the question about the next step of a run. All answers come from the trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tokenizers_core.training.algorithms import ALGORITHMS, BPE, AnyTrace
from tokenizers_core.training.bpe import BpeTrace
from tokensteps.drawing.tokens import Style
from tokensteps.teaching.merge_questions import (
    AHEAD,
    ask_bridge,
    ask_chooser,
    ask_count,
    ask_leaving,
    ask_merged_split,
    ask_pair,
    ask_score,
    shows_counts,
)
from tokensteps.teaching.prune_questions import ask_loss, ask_piece, ask_pruned_split
from tokensteps.teaching.questions import Question

Ask = Callable[..., Question | None]
"""Called with a trace of its algorithm, a step and a style: the question about the step after that one; None
if there is none."""
QUESTIONS_OF: Final[Mapping[str, Mapping[str, Ask]]] = {
    "count": {"pair": ask_pair, "count": ask_count, "split": ask_merged_split},
    "score": {"pair": ask_pair, "score": ask_score, "split": ask_merged_split},
    "loss": {"piece": ask_piece, "loss": ask_loss, "split": ask_pruned_split},
}
"""The value that decides a step → the questions about it, by keys of `ASK_NAMES`. The first is possible at
every merge or prune."""
ASKS: Final[Mapping[str, Mapping[str, Ask]]] = {
    name: QUESTIONS_OF[algorithm.ranked_by] for name, algorithm in ALGORITHMS.items()
}
"""The questions about a run, by algorithm."""
ASKS_OF_KIND: Final[Mapping[str, Mapping[str, Ask]]] = {
    "plain": {},
    "superbpe": {"bridge": ask_bridge},
    "pickybpe": {"leaves": ask_leaving},
    "paritybpe": {"language": ask_chooser},
    "sentencepiece_bpe": {},
}
"""And further questions about a kind of BPE, at some of its merges."""


def asks_of(algorithm: str, kind: str = "plain") -> Mapping[str, Ask]:
    """The possible questions about the runs of an algorithm, and of a kind of BPE."""
    return {**ASKS[algorithm], **(ASKS_OF_KIND[kind] if algorithm == BPE.name else {})}


def asks_about(trace: AnyTrace) -> Mapping[str, Ask]:
    """The possible questions about a run."""
    return asks_of(trace.algorithm, trace.kind if isinstance(trace, BpeTrace) else "plain")


def next_question_step(trace: AnyTrace, step: int) -> int | None:
    """The first step from this one on before a merge or a prune; None if there is none."""
    if trace.ranked_by != "loss":
        is_merge = trace.record.is_merge
        return next((at for at in range(step, len(trace)) if is_merge(at + 1)), None)
    kinds = trace.record.kinds
    return next((at - 1 for at in range(step + 1, len(kinds)) if kinds[at] == "prune"), None)


def asks_end(trace: AnyTrace) -> int:
    """The step before which questions end. In a growing run, a question's other options must be there,
    too."""
    return len(trace) if trace.finished else max(0, len(trace) - AHEAD)


def steps_with_questions(trace: AnyTrace, first: int, last: int) -> list[int]:
    """The steps from `first` on, before `last`, with a question after them."""
    result, step = [], next_question_step(trace, first)
    while step is not None and step < last:
        result.append(step)
        step = next_question_step(trace, step + 1)
    return result


def question_after(trace: AnyTrace, step: int, kind: str, style: Style) -> Question:
    """The question about the step after `step` (see `next_question_step`): of this kind if possible; for
    “mixed”, by turns."""
    asks = asks_about(trace)
    usual, *_others = asks
    if kind not in asks:
        kind = [*asks][step % len(asks)]
    if kind == "count" and shows_counts(trace):
        kind = usual
    question = asks[kind](trace, step, style) or asks[usual](trace, step, style)
    assert question is not None  # the usual one can always be asked
    return question
