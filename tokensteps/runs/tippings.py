"""The pages' search for tipping points: a short one at once, a long one in a process of its own."""

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
"""The largest change of a word's count to try: each takes a training, and a step beyond that was not
close."""
TIPPING_EASE: Final = 10
"""The start of a run of Unigram, in steps: its seed is the most expensive part of a small run."""
TIPPING_HERE: Final[Mapping[str, float]] = {"count": 40_000, "score": 15_000, "loss": 2_500}
"""Symbols × steps × words up to which tipping points are searched in the server's own process: it takes 0.1
seconds or so. Merging needs fewer trainings, because counting settles most changes."""

TippingsByWord = Mapping[str, Tipping]
"""Word → its tipping changes of count."""
LEAST_BOUND = 10
"""Changes up to this size are tried even with rare words."""


def bound_for(trace: AnyTrace) -> int:
    """The largest change to try: twice the highest count, within limits."""
    return min(TIPPING_BOUND, max(LEAST_BOUND, 2 * max(trace.corpus.counts)))


def is_short(trace: AnyTrace, step: int, words: Sequence[str]) -> bool:
    """Whether the search may run in the server's own process."""
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
    """The limit: the expected time is unknown."""
    limit: float = TRAINING_SECONDS

    def __call__(self, progress: Progress) -> TippingsByWord:
        trace = pickle.loads(self.trace)  # from this app's own server, over a pipe
        return tippings(trace, self.step, self.words, self.bound, progress.steps)


def search_apart(
    trace: AnyTrace, step: int, words: tuple[str, ...], bound: int, progress: Progress
) -> TippingsByWord:
    """Search in a process of its own; a stopped search returns partial results. Raises workers' errors."""
    result: TippingsByWord = pickle.loads(
        workers().run(Search(pickle.dumps(trace), step, words, bound), progress)
    )
    return result
