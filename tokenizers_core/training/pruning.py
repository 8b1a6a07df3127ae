"""The record of a Unigram training run and of its steps: models, rounds of pruning, and events.

A step is one piece pruned, or, in SentencePiece's way, an E step, an M step, or the last choice of pieces.
Prunes come in rounds: a round ranks all pieces by how much the corpus's loss would grow without them, and the
cheapest are pruned, one after the other.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple

from tokenizers_core.encoding.models.lattice import UNKNOWN_PENALTY

NO_WORDS: array[int] = array("l")


# --- The record ---------------------------------------------------------------------------------------------


class RecordedModel(NamedTuple):
    """Pieces with probabilities, as they hold from a step on."""

    step: int
    numbers: array[int]
    """The pieces by their numbers in the seed, in the model's order."""
    log_probabilities: array[float]

    @property
    def unknown(self) -> float:
        """The log probability of an unknown character."""
        return min(self.log_probabilities) - UNKNOWN_PENALTY


class Round(NamedTuple):
    """One round of pruning."""

    first_step: int
    """The step of its first prune."""
    ranking: array[int]
    """The candidates for pruning, by number, the cheapest first."""
    losses: array[float]
    """The cost of removing each, in nats over the whole corpus."""
    pruned: int
    """How many of them go."""
    loss: float
    """The corpus's loss before the round."""
    counts: array[int]
    """How often each piece occurs in the best splits before the round, in the model's order: the basis of
    estimates. Empty if the losses are exact."""


@dataclass
class PruneRecord:
    """A whole run as numbers; in lists with an entry for each step, index 0 is the start."""

    models: list[RecordedModel] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    kinds: list[str] = field(default_factory=lambda: ["start"])
    sizes: array[int] = field(default_factory=lambda: array("l"))
    """The number of pieces after each step."""
    losses: array[float] = field(default_factory=lambda: array("d"))
    """The loss on best splits after each step; NaN if training didn't work it out."""
    unnormalized: dict[int, float] = field(default_factory=dict)
    """Renormalising step → the loss just before it."""
    resplit: dict[int, array[int]] = field(default_factory=dict)
    """Step → its re-split words."""
    expected: dict[int, array[float]] = field(default_factory=dict)
    """E step → the expected counts, in the model's order."""
    objectives: dict[int, float] = field(default_factory=dict)
    """E step → −log P(word), all splits together, on average over the corpus's words."""

    def __len__(self) -> int:
        return len(self.kinds) - 1

    def since(self, step: int, models: int, rounds: int) -> PruneRecord:
        """A copy of the part after `step` and so many models and rounds; of everything for −1, 0 and 0.

        It repeats the loss at that step: training may have computed it meanwhile.
        """

        def later(entries: dict[int, Any]) -> dict[int, Any]:
            return {at: entry for at, entry in entries.items() if at > step}

        return PruneRecord(
            models=self.models[models:],
            rounds=self.rounds[rounds:],
            kinds=self.kinds[step + 1 :],
            sizes=self.sizes[step + 1 :],
            losses=self.losses[max(0, step) :],
            unnormalized=later(self.unnormalized),
            resplit=later(self.resplit),
            expected=later(self.expected),
            objectives=later(self.objectives),
        )

    def followed_by(self, more: PruneRecord) -> PruneRecord:
        """This record and the part `since` its last step."""
        return PruneRecord(
            models=self.models + more.models,
            rounds=self.rounds + more.rounds,
            kinds=self.kinds + more.kinds,
            sizes=self.sizes + more.sizes,
            losses=self.losses[:-1] + more.losses,
            unnormalized=self.unnormalized | more.unnormalized,
            resplit=self.resplit | more.resplit,
            expected=self.expected | more.expected,
            objectives=self.objectives | more.objectives,
        )

    def add(self, kind: str, size: int, loss: float = math.nan) -> int:
        """Write a step down; returns its number."""
        self.kinds.append(kind)
        self.sizes.append(size)
        self.losses.append(loss)
        return len(self)

    def add_model(self, step: int, scores: Mapping[int, float]) -> None:
        """Record the model valid from a step on."""
        self.models.append(RecordedModel(step, array("l", scores), array("d", scores.values())))


# --- Events -------------------------------------------------------------------------------------------------


class RankedPiece(NamedTuple):
    """A piece in a round's ranking."""

    rank: int
    """From 1; the first is pruned first."""
    piece: str
    loss: float
    """By how much the corpus's loss would grow without it, in nats: exactly, or by SentencePiece's
    estimate."""
    probability: float
    pruned: bool
    """Whether this round prunes it."""


class Estimate(NamedTuple):
    """The numbers of SentencePiece's estimate of a loss, see
    `tokenizers_core.training.segmentation.approximate_loss`."""

    freq: int
    """How often the piece occurs in the corpus's best splits."""
    total: int
    """How many pieces these splits have."""
    replacement: tuple[str, ...]
    """The replacement of each occurrence: the second-best split of the piece itself."""
    counts: tuple[int, ...]
    """How often each of these pieces occurs in the best splits already."""


class ResplitWord(NamedTuple):
    """A word with a new best split after a prune."""

    word: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class SeedEvent:
    """The start: every character, and the most promising substrings."""

    characters: int
    pieces: int
    kind: ClassVar[Literal["start"]] = "start"


@dataclass(frozen=True)
class PruneEvent:
    """One piece is pruned."""

    piece: str
    loss: float
    """Its loss for the ranking, see `RankedPiece.loss`."""
    alternative: tuple[str, ...]
    """The best split of the piece itself without it."""
    probability: float
    round: int
    """From 1."""
    rank: int
    """Its rank in the round's ranking, from 1."""
    pruned: int
    """How many pieces the round prunes."""
    ranked: int
    """How many pieces the round ranks."""
    tied: int
    """How many pieces of the ranking cost exactly as much, this one included."""
    threshold: float
    """The loss of the round's last pruned piece."""
    resplits: tuple[ResplitWord, ...]
    """The re-split words, in the corpus's order."""
    corpus_loss_before: float
    """The corpus's loss before this prune, …"""
    corpus_loss_pruned: float
    """… after it, …"""
    corpus_loss: float
    """… and after the step: the last one of a round renormalises the probabilities in the course's method."""
    estimate: Estimate | None
    """The basis of the loss; None for an exact loss or a piece in no best split."""
    kind: ClassVar[Literal["prune"]] = "prune"

    @property
    def words(self) -> tuple[str, ...]:
        """The re-split words."""
        return tuple(resplit.word for resplit in self.resplits)

    @property
    def ends_round(self) -> bool:
        return self.rank == self.pruned


class Expected(NamedTuple):
    """A piece's expected count, and its new probability."""

    piece: str
    freq: float
    """How often it is expected in the corpus, over all splits."""
    before: float
    """Its probability before."""
    after: float | None
    """Its probability after the M step; None if it is dropped, and in an E step."""


@dataclass(frozen=True)
class ExpectationEvent:
    """An E step: how often is each piece expected, over all splits of all words?"""

    round: int
    iteration: int
    """1 or 2: EM runs twice before each round."""
    objective: float
    """−log P(word), all splits together, on average over the corpus's words."""
    expected: tuple[Expected, ...]
    """All pieces, in the model's order."""
    kind: ClassVar[Literal["e_step"]] = "e_step"


@dataclass(frozen=True)
class MaximizationEvent:
    """An M step: new probabilities; pieces with hardly any expected count are dropped."""

    round: int
    iteration: int
    expected: tuple[Expected, ...]
    dropped: tuple[str, ...]
    kind: ClassVar[Literal["m_step"]] = "m_step"


@dataclass(frozen=True)
class FinalEvent:
    """The last step of SentencePiece's method: characters come back, and the most probable pieces stay."""

    restored: tuple[str, ...]
    """Previously dropped characters of the corpus."""
    dropped: tuple[str, ...]
    corpus_loss: float
    kind: ClassVar[Literal["finalize"]] = "finalize"


UnigramEvent = SeedEvent | PruneEvent | ExpectationEvent | MaximizationEvent | FinalEvent


class Worth(NamedTuple):
    """A piece's worth at one step, both ways."""

    piece: str
    probability: float
    exact: float
    """By how much the loss grows without it, in nats."""
    approximate: float
    """SentencePiece's estimate of that, …"""
    estimate: Estimate
    """… and its numbers."""


class StepPoint(NamedTuple):
    """One point of the charts."""

    step: int
    kind: str
    piece: str
    """The piece pruned; "" for other steps."""
    size: int
    """Pieces after the step."""
    loss: float
    """The loss on best splits; NaN between E and M steps, if training didn't work it out."""
    objective: float
    """An E step's objective; NaN elsewhere."""
