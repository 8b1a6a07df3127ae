"""Recorded steps of cutting a word by a vocabulary alone: longest tokens first, fewest tokens, or at
random."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, Final, Literal, NamedTuple

from tokenizers_core.encoding.cuts.table import PieceTable, PlacedToken, WordCut, placed
from tokenizers_core.trace import StoredTrace

OPTIONS_LISTED: Final = 12
"""The number of listed options of a step, the preferred ones first."""
PATHS_STEPPED: Final = 12
"""The number of shortest paths with a step each."""


@dataclass(frozen=True)
class UncutEvent:
    """The beginning: the word's symbols."""

    kind: ClassVar[Literal["uncut"]] = "uncut"


@dataclass(frozen=True)
class TakeEvent:
    """One token was taken."""

    piece: PlacedToken
    options: tuple[PlacedToken, ...] = ()
    """The tokens that fit there, the chosen one first."""
    dropped: tuple[str, ...] = ()
    """Sampled: preferred tokens that dropped out."""
    share: float | None = None
    """Sampled: its probability, where known."""
    kind: ClassVar[Literal["take"]] = "take"


@dataclass(frozen=True)
class StuckEvent:
    """No token fits the rest: the word can't be cut this way."""

    kind: ClassVar[Literal["stuck"]] = "stuck"


CutEvent = UncutEvent | TakeEvent | StuckEvent


@dataclass(frozen=True)
class CutSnapshot:
    """A word after `step` tokens were taken."""

    step: int
    event: CutEvent
    table: PieceTable
    taken: WordCut
    """In the word's order."""


@dataclass(frozen=True)
class ReachEvent:
    """One boundary is reached: the pieces that lead there, and the fewest tokens up to there."""

    position: int
    arrivals: tuple[PlacedToken, ...]
    """Pieces with a reached start, longest first."""
    fewest: int | None
    kind: ClassVar[Literal["reach"]] = "reach"


@dataclass(frozen=True)
class PathEvent:
    """One of the shortest paths."""

    number: int
    """Counted from 1."""
    path: WordCut
    kind: ClassVar[Literal["path"]] = "path"


@dataclass(frozen=True)
class FewestSnapshot:
    """The search for the fewest tokens after `step` steps."""

    step: int
    event: UncutEvent | ReachEvent | PathEvent
    table: PieceTable
    reached: tuple[int | None, ...]
    """The fewest tokens to each boundary, from 0 to the last one processed."""


class Drawn(NamedTuple):
    """A random split in progress: the tokens so far, and preferred ones that dropped out."""

    tokens: tuple[str, ...]
    dropped: tuple[str, ...] = ()
    share: float | None = None


GREEDY: Final[Mapping[str, Callable[[PieceTable], Iterator[PlacedToken]]]] = {
    "longest_prefix": PieceTable.longest_prefix,
    "longest_suffix": PieceTable.longest_suffix,
    "longest_token": PieceTable.longest_token,
}
"""The ways with the longest token first."""


def greedy_steps(word: str, table: PieceTable, way: str) -> StoredTrace[CutSnapshot]:
    """A word cut by the longest token each time; `stop_reason` is "spelled" or "stuck"."""
    snapshots = [CutSnapshot(0, UncutEvent(), table, ())]
    taken: WordCut = ()
    for one in GREEDY[way](table):
        event = TakeEvent(one, tuple(islice(_options(table, way, one, taken), OPTIONS_LISTED)))
        taken = tuple(sorted((*taken, one)))
        snapshots.append(CutSnapshot(len(snapshots), event, table, taken))
    if table.whole(taken) is not None:
        return StoredTrace(word, tuple(snapshots), "spelled")
    snapshots.append(CutSnapshot(len(snapshots), StuckEvent(), table, taken))
    return StoredTrace(word, tuple(snapshots), "stuck")


def _options(table: PieceTable, way: str, one: PlacedToken, taken: WordCut) -> Iterable[PlacedToken]:
    """The options in place of `one`, `one` itself first."""
    match way:
        case "longest_prefix":
            return table.leaving[one.start]
        case "longest_suffix":
            return table.arriving[one.end]
        case _:
            free = [True] * len(table)
            for other in taken:
                free[other.start : other.end] = [False] * other.size
            return (other for other in table.by_size if free[other.start] and free[other.end - 1])


def fewest_steps(word: str, table: PieceTable) -> StoredTrace[FewestSnapshot]:
    """The search for the fewest tokens: one boundary a step, then the shortest paths; `stop_reason` is
    "found" or "no_path"."""
    fewest = table.fewest_before
    snapshots = [FewestSnapshot(0, UncutEvent(), table, (0,))]
    for position in range(1, len(table) + 1):
        arrivals = tuple(one for one in table.arriving[position] if fewest[one.start] is not None)
        event = ReachEvent(position, arrivals, fewest[position])
        snapshots.append(FewestSnapshot(position, event, table, tuple(fewest[: position + 1])))
    for number, path in enumerate(table.shortest_paths(PATHS_STEPPED), start=1):
        snapshots.append(FewestSnapshot(len(snapshots), PathEvent(number, path), table, tuple(fewest)))
    return StoredTrace(word, tuple(snapshots), "found" if table.shortest_count else "no_path")


def sampled_steps(
    word: str, table: PieceTable, drawn: Iterable[Drawn], at_end: bool
) -> StoredTrace[CutSnapshot]:
    """A split at random, one choice a step, from the word's beginning or `at_end` from its end."""
    snapshots: list[CutSnapshot] = []
    taken: WordCut = ()
    for one in drawn:
        result = placed(table.symbols, one.tokens, table.prefix, at_end)
        if result is None:
            snapshots.append(CutSnapshot(len(snapshots), StuckEvent(), table, taken))
            return StoredTrace(word, tuple(snapshots), "stuck")
        new = {*result} - {*taken}
        event = TakeEvent(min(new), (), one.dropped, one.share) if snapshots else UncutEvent()
        taken = result
        snapshots.append(CutSnapshot(len(snapshots), event, table, taken))
    return StoredTrace(word, tuple(snapshots), "spelled")
