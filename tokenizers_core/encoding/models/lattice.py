"""Every way to write a word in pieces, as a lattice, and the questions it answers.

The nodes are the boundaries between the word's characters, 0 to n. An edge from `start` to `end` is a piece
with the characters between them, and its log probability (natural logarithm); a path from 0 to n is a
segmentation, and its log probability is the sum over its edges. (SentencePiece's code calls a piece in the
lattice a node.)

>>> pieces = {"h": 15, "u": 36, "g": 20, "hu": 15, "ug": 20}
>>> lattice = Lattice.build("hug", {piece: math.log(count / 210) for piece, count in pieces.items()})
>>> lattice.best().pieces, lattice.path_count
(('h', 'ug'), 3)
>>> [round(posterior, 3) for posterior in lattice.posteriors()]
[0.539, 0.461, 0.079, 0.461, 0.539]

Sources: Viterbi (1967) for the best path; the forward–backward algorithm for the posteriors; Kudo (2018),
*Subword Regularization*, for pieces with probabilities, the k best segmentations and sampling.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from random import Random
from typing import ClassVar, Literal, NamedTuple

from tokenizers_core.encoding.models.base import seeded
from tokenizers_core.errors import WHOLE_NUMBER, SettingError, refuse_wrong_type
from tokenizers_core.lazy import cached_property
from tokenizers_core.trace import StoredTrace

MAX_PIECE_LENGTH = 16
"""Characters of the longest piece considered in training, as in SentencePiece."""

UNKNOWN_PENALTY = 10.0
"""How much less log probability an unknown character has than the least probable piece, as in
SentencePiece."""

TIE_TOLERANCE = 1e-12
"""Log probabilities with a smaller relative difference are equal except for rounding."""


class Edge(NamedTuple):
    """A piece at its place in the word: it leads from the boundary `start` to the boundary `end`."""

    start: int
    end: int
    piece: str
    log_probability: float
    unknown: bool = False
    """Whether it is a character without a piece."""

    @property
    def probability(self) -> float:
        return math.exp(self.log_probability)


class Path(NamedTuple):
    """A segmentation: consecutive edges from 0 to the word's end."""

    edges: tuple[Edge, ...]
    log_probability: float
    """The sum over the edges, taken from left to right."""

    @classmethod
    def of(cls, edges: Iterable[Edge]) -> Path:
        """The path along these edges.

        >>> Path.of([Edge(0, 1, "h", -2.0), Edge(1, 3, "ug", -1.5)])
        Path(h ug, -3.5)
        """
        edges = tuple(edges)
        log_probability = 0.0
        for edge in edges:
            log_probability += edge.log_probability
        return cls(edges, log_probability)

    def __repr__(self) -> str:
        return f"Path({' '.join(self.pieces)}, {self.log_probability!r})"

    @property
    def pieces(self) -> tuple[str, ...]:
        return tuple(edge.piece for edge in self.edges)

    @property
    def probability(self) -> float:
        return math.exp(self.log_probability)


class Arrival(NamedTuple):
    """One way to reach a boundary: the best path to where the edge starts, then the edge."""

    edge: Edge
    before: float
    """The log probability of the best path to the edge's start."""
    log_probability: float
    """`before` + the edge's."""

    @property
    def probability(self) -> float:
        return math.exp(self.log_probability)


@dataclass(frozen=True)
class LatticeEvent:
    """Nothing but the edges is known yet."""

    kind: ClassVar[Literal["lattice"]] = "lattice"


@dataclass(frozen=True)
class ForwardEvent:
    """One boundary is reached: the ways to get there, and the best of them."""

    position: int
    arrivals: tuple[Arrival, ...]
    """All ways, longest edge first."""
    winner: Arrival | None
    """The first of the best; None if no path leads there."""
    tied: tuple[Arrival, ...]
    """The ways as good as the winner, itself included (up to rounding)."""
    kind: ClassVar[Literal["forward"]] = "forward"


@dataclass(frozen=True)
class BackwardEvent:
    """One edge of the best path, on the way back from the end."""

    edge: Edge
    kind: ClassVar[Literal["backward"]] = "backward"


ViterbiEvent = LatticeEvent | ForwardEvent | BackwardEvent


@dataclass(frozen=True)
class ViterbiSnapshot:
    """The search for the best path after `step` steps."""

    step: int
    event: ViterbiEvent
    lattice: Lattice
    best: tuple[Arrival | None, ...]
    """The winner at each boundary from 1 up to the last one reached."""
    path: tuple[Edge, ...]
    """The end of the best path, as far as it was walked back."""


@dataclass(frozen=True, eq=False, repr=False)
class Lattice:
    """All segmentations of `text` into pieces.

    `edges` are in order of their end, then of their start; lists with an entry per edge (`posteriors`) have
    the same order.
    """

    text: str
    edges: tuple[Edge, ...]

    def __repr__(self) -> str:
        return f"<Lattice of {reprlib.repr(self.text)}: {len(self.edges):,} edges>"

    @classmethod
    def build(
        cls,
        text: str,
        pieces: Mapping[str, float],
        unknown: float | None = None,
        max_length: int = MAX_PIECE_LENGTH,
    ) -> Lattice:
        """The lattice of `text` for pieces with log probabilities; pieces longer than `max_length` are
        ignored.

        With `unknown`, a character without a piece gets an edge with that log probability; without it, no
        path leads through the character. The empty text has one path, without edges.
        """
        edges = []
        for end in range(1, len(text) + 1):
            for start in range(max(0, end - max_length), end):
                piece = text[start:end]
                log_probability = pieces.get(piece)
                if log_probability is not None:
                    edges.append(Edge(start, end, piece, log_probability))
                elif unknown is not None and end - start == 1:
                    edges.append(Edge(start, end, piece, unknown, unknown=True))
        return cls(text, tuple(edges))

    @cached_property
    def arriving(self) -> Sequence[Sequence[Edge]]:
        """For each boundary the edges that end there, longest first."""
        groups: list[list[Edge]] = [[] for _ in range(len(self.text) + 1)]
        for edge in self.edges:
            groups[edge.end].append(edge)
        return groups

    @cached_property
    def leaving(self) -> Sequence[Sequence[Edge]]:
        """For each boundary the edges that start there, shortest first."""
        groups: list[list[Edge]] = [[] for _ in range(len(self.text) + 1)]
        for edge in self.edges:
            groups[edge.start].append(edge)
        return groups

    @cached_property
    def path_count(self) -> int:
        """The number of segmentations."""
        counts = [1]
        for arriving in self.arriving[1:]:
            counts.append(sum(counts[edge.start] for edge in arriving))
        return counts[-1]

    # --- The best path --------------------------------------------------------------------------------------

    def arrivals(self, position: int, best: Sequence[Arrival | None]) -> list[Arrival]:
        """The ways to reach a boundary, given the winners at the boundaries before it, from 1 on."""
        results = []
        for edge in self.arriving[position]:
            before = best[edge.start - 1] if edge.start else None
            if before is not None:
                results.append(
                    Arrival(edge, before.log_probability, before.log_probability + edge.log_probability)
                )
            elif edge.start == 0:
                results.append(Arrival(edge, 0.0, edge.log_probability))
        return results

    @cached_property
    def winners(self) -> Sequence[Arrival | None]:
        """The best way to reach each boundary from 1 on; the first of several equally good ones."""
        best: list[Arrival | None] = []
        for position in range(1, len(self.text) + 1):
            best.append(max(self.arrivals(position, best), key=_log_probability, default=None))
        return best

    def best(self) -> Path | None:
        """The most probable segmentation; None if there is none."""
        edges = self._walk_back(len(self.text))
        return None if edges is None else Path.of(edges)

    def _walk_back(self, position: int) -> list[Edge] | None:
        """The edges of the best path to a boundary; None where none leads there."""
        edges: list[Edge] = []
        while position:
            winner = self.winners[position - 1]
            if winner is None:
                return None
            edges.append(winner.edge)
            position = winner.edge.start
        return edges[::-1]

    def viterbi(self) -> StoredTrace[ViterbiSnapshot]:
        """The search for the best path: forward, one boundary a step, then back along the winners, one edge a
        step.

        `stop_reason` is "found", or "no_path".
        """
        snapshots = [ViterbiSnapshot(0, LatticeEvent(), self, (), ())]
        winners = tuple(self.winners)
        for position, winner in enumerate(winners, start=1):
            ways = tuple(self.arrivals(position, winners))
            tied = tuple(way for way in ways if winner is not None and equally_good(way, winner))
            event = ForwardEvent(position, ways, winner, tied)
            snapshots.append(ViterbiSnapshot(position, event, self, winners[:position], ()))
        path = self.best()
        if path is None:
            return StoredTrace(self.text, tuple(snapshots), "no_path")
        for walked in range(1, len(path.edges) + 1):
            result = path.edges[-walked:]
            snapshots.append(ViterbiSnapshot(len(snapshots), BackwardEvent(result[0]), self, winners, result))
        return StoredTrace(self.text, tuple(snapshots), "found")

    def best_through(self, edge: Edge) -> Path | None:
        """The most probable segmentation with this edge; None where there is none.

        The cost of forcing the edge is ``best().log_probability - best_through(edge).log_probability``.
        """
        before, after = self._walk_back(edge.start), self._walk_on(edge.end)
        return None if before is None or after is None else Path.of([*before, edge, *after])

    def _walk_on(self, position: int) -> list[Edge] | None:
        """The edges of the best path from a boundary to the end; None where none leads there."""
        edges: list[Edge] = []
        while position < len(self.text):
            best = self._best_leaving[position]
            if best is None:
                return None
            edges.append(best)
            position = best.end
        return edges

    @cached_property
    def _best_leaving(self) -> list[Edge | None]:
        """For each boundary the first edge of the best path from there to the end."""
        size = len(self.text)
        rest = [-math.inf] * size + [0.0]
        first: list[Edge | None] = [None] * size
        for position in reversed(range(size)):
            for edge in self.leaving[position]:
                log_probability = edge.log_probability + rest[edge.end]
                if log_probability > rest[position]:
                    rest[position], first[position] = log_probability, edge
        return first

    def k_best(self, k: int) -> list[Path]:
        """The `k` most probable segmentations, best first, or all where there are fewer.

        Like Viterbi, but with up to `k` paths kept at each boundary instead of one. Of equally good paths,
        the one with the longer last edge comes first. Raises SettingError for a `k` below 1.
        """
        refuse_wrong_type("k", k, Integral, WHOLE_NUMBER)
        if k < 1:
            raise SettingError(name="k", value=k, reason="choose at least 1")
        stored = [[_Way(0.0)]]
        for arriving in self.arriving[1:]:
            ways = [
                _Way(before.log_probability + edge.log_probability, edge, before)
                for edge in arriving
                for before in stored[edge.start]
            ]
            ways.sort(key=_log_probability, reverse=True)  # stable, so the longer last edge stays first
            stored.append(ways[:k])
        return [way.path() for way in stored[-1]]

    # --- All paths ------------------------------------------------------------------------------------------

    def forward(self, temperature: float = 1.0) -> list[float]:
        """For each boundary, the log of the summed probability of all paths from 0 to it.

        At another temperature T than 1 every log probability is divided by T first. Raises SettingError for
        temperatures up to 0, and for infinity.
        """
        refuse_bad_temperature(temperature)
        sums = [0.0]
        for arriving in self.arriving[1:]:
            sums.append(log_sum([sums[edge.start] + edge.log_probability / temperature for edge in arriving]))
        return sums

    def backward(self) -> list[float]:
        """For each boundary, the log of the summed probability of all paths from it to the end."""
        sums = [0.0] * (len(self.text) + 1)
        for position in reversed(range(len(self.text))):
            sums[position] = log_sum(
                [edge.log_probability + sums[edge.end] for edge in self.leaving[position]]
            )
        return sums

    @cached_property
    def log_total(self) -> float:
        """The log of the summed probability of all segmentations; -inf where there is none."""
        return self.forward()[-1]

    def posteriors(self) -> list[float]:
        """For each edge, the probability that a segmentation contains it: the share of the paths through it.

        The E step adds these up: times the word's frequency, it is how often the piece is expected here.
        """
        if self.log_total == -math.inf:
            return [0.0] * len(self.edges)
        before, after = self.forward(), self.backward()
        return [
            math.exp(before[edge.start] + edge.log_probability + after[edge.end] - self.log_total)
            for edge in self.edges
        ]

    def samples(self, number: int, temperature: float = 1.0, seed: int = 0) -> list[Path]:
        """Segmentations sampled at random, each with probability P(path)^(1/temperature), normalised.

        The same seed gives the same segmentations. At temperature 1 probabilities are unchanged; towards 0
        the best one always wins, towards infinity all are equally likely. SentencePiece's parameter alpha is
        1 / temperature. Raises SettingError for temperatures up to 0, and for infinity.
        """
        sums = self.forward(temperature)
        random = seeded(seed)
        return (
            [self._sample(sums, temperature, random) for _ in range(number)] if sums[-1] > -math.inf else []
        )

    def sampling(self, temperature: float, random: Random) -> Iterator[tuple[Edge, float]]:
        """One of these samples edge by edge, from the end, each with its probability there; nothing where no
        path leads through."""
        sums = self.forward(temperature)
        return self._choices(sums, temperature, random) if sums[-1] > -math.inf else iter(())

    def _sample(self, sums: Sequence[float], temperature: float, random: Random) -> Path:
        """One segmentation, sampled from its end: an edge is as likely as all the paths through it
        together."""
        return Path.of(reversed([edge for edge, _share in self._choices(sums, temperature, random)]))

    def _choices(
        self, sums: Sequence[float], temperature: float, random: Random
    ) -> Iterator[tuple[Edge, float]]:
        """The edges of one sample, from the end, each with its probability there."""
        position = len(self.text)
        while position:
            arriving = self.arriving[position]
            weights = [
                math.exp(sums[edge.start] + edge.log_probability / temperature - sums[position])
                for edge in arriving
            ]
            [(edge, share)] = random.choices([*zip(arriving, weights, strict=True)], weights)
            yield edge, share
            position = edge.start


def refuse_bad_temperature(temperature: float) -> None:
    """Raise SettingError, or WrongTypeError, if probabilities can't be raised to 1 / `temperature`."""
    refuse_wrong_type("temperature", temperature, Real, "give a number, such as 1")
    if not temperature > 0 or math.isinf(temperature):
        raise SettingError(name="temperature", value=temperature, reason="choose a number above 0, such as 1")


def equally_good(one: Arrival | Path, other: Arrival | Path) -> bool:
    """Whether two log probabilities are equal except for rounding."""
    return math.isclose(one.log_probability, other.log_probability, rel_tol=TIE_TOLERANCE)


def log_sum(logs: Sequence[float]) -> float:
    """The log of the sum of numbers given by their logs; -inf for no numbers.

    >>> round(math.exp(log_sum([math.log(0.25), math.log(0.5)])), 12)
    0.75
    """
    largest = max(logs, default=-math.inf)
    if largest == -math.inf:
        return largest
    return largest + math.log(math.fsum(math.exp(log - largest) for log in logs))


class _Way(NamedTuple):
    """A path written as its last edge and the path before that."""

    log_probability: float
    edge: Edge | None = None
    before: _Way | None = None

    def path(self) -> Path:
        edges: list[Edge] = []
        way = self
        while way.edge is not None and way.before is not None:
            edges.append(way.edge)
            way = way.before
        return Path(tuple(reversed(edges)), self.log_probability)


def _log_probability(way: Arrival | _Way) -> float:
    return way.log_probability
