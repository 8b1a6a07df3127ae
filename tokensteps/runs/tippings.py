"""The search for tipping points as pages run it: at once where it is short, else in a process of its own."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tokenizers_core.counterfactual.tipping import Tipping, tippings
from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.limits import TRAINING_SECONDS
from tokensteps.server.tasks import Progress
from tokensteps.server.traces import workers

TIPPING_BOUND: Final = 100
"""How large a change of a word's count is tried: each takes a training, and a step that needs a larger one
was not close."""
TIPPING_EASE: Final = 10
"""Steps that the start of a run of Unigram counts as: its seed is the most expensive part of a small one."""
TIPPING_HERE: Final[Mapping[str, float]] = {"count": 40_000, "score": 15_000, "loss": 2_500}
"""Symbols × steps × words up to which tipping points are searched where they are asked for: that takes 0.1
seconds or so. Merging needs fewer trainings, because most changes are settled by counting."""

TippingsFound = Mapping[str, Tipping]
"""Word → the changes of its count that tip a step."""
LEAST_BOUND = 10
"""Changes up to this size are tried even where words are rare."""


def bound_for(trace: AnyTrace) -> int:
    """How large a change is tried: twice the highest count, within limits."""
    return min(TIPPING_BOUND, max(LEAST_BOUND, 2 * max(trace.corpus.counts)))


def is_short(trace: AnyTrace, step: int, words: Sequence[str]) -> bool:
    """Whether the search may be made where it is asked for."""
    symbols = sum(map(len, trace.corpus.words))
    start = TIPPING_EASE if trace.ranked_by == "loss" else 0
    return symbols * (step + start) * len(words) <= TIPPING_HERE[trace.ranked_by]


@dataclass(frozen=True)
class Search:
    """A search in another process."""

    trace: bytes = field(repr=False)
    """Pickled."""
    step: int
    words: tuple[str, ...]
    bound: int
    seconds: float = TRAINING_SECONDS
    """As long as it may take: how long it will is not known."""
    limit: float = TRAINING_SECONDS

    def __call__(self, progress: Progress) -> TippingsFound:
        trace = pickle.loads(self.trace)  # from this app's own server, over a pipe
        return tippings(trace, self.step, self.words, self.bound, progress.steps)


def search_apart(
    trace: AnyTrace, step: int, words: tuple[str, ...], bound: int, progress: Progress
) -> TippingsFound:
    """Search in a process of its own; what it had found, if it was stopped. Raises what workers raise."""
    result: TippingsFound = pickle.loads(
        workers().run(Search(pickle.dumps(trace), step, words, bound), progress)
    )
    return result
