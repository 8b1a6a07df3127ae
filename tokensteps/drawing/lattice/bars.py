"""A lattice's edges as bars: the ones to draw, their lanes, and their groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

from tokenizers_core.encoding.cuts.table import PlacedToken
from tokenizers_core.encoding.models.lattice import Edge, Lattice, Path
from tokensteps.bounded import bounded
from tokensteps.limits import EDGE_SIZE, LATTICES_ROOM

Over = TypeVar("Over", Edge, PlacedToken)
"""Something over some of a word's characters."""
LATTICE_CHARACTERS: Final = 60
"""The most characters of a drawn word; a longer one is cut, and the cut is shown."""
SIDE_BY_SIDE: Final = 9
"""Characters of the longest word with its lattice and table side by side."""
BARS_DRAWN: Final = 200
"""Of more edges than these, only the important ones are drawn, with a note."""
ROOMY_LANES: Final = 5
"""With more lanes than these, the bars are lower."""


class Bar(NamedTuple):
    """A drawn edge, as far as it is the same in every frame."""

    edge: Edge
    lane: int
    posterior: float
    through: Path | None
    """The best path through the edge."""
    members: str
    """The numbers of the edges with this one on their best paths."""


def _bars_size(_bars: tuple[Bar, ...], lattice: Lattice) -> int:
    return EDGE_SIZE * len(lattice.edges)


@bounded(LATTICES_ROOM, _bars_size)
def bars_of(lattice: Lattice) -> tuple[Bar, ...]:
    """The edges to draw, in the lattice's order.

    If there are too many: single characters, the winners at each boundary, and the others with the largest
    posteriors.
    """
    posteriors = dict(zip(lattice.edges, lattice.posteriors(), strict=True))
    edges = lattice.edges
    if len(edges) > BARS_DRAWN:
        remaining = {winner.edge for winner in lattice.winners if winner}
        remaining |= {edge for edge in edges if edge.end - edge.start == 1}
        likely = sorted(set(edges) - remaining, key=lambda edge: (-posteriors[edge], edge))
        shown = remaining.union(likely[: max(0, BARS_DRAWN - len(remaining))])
        edges = tuple(edge for edge in edges if edge in shown)
    through = [lattice.best_through(edge) for edge in edges]
    members: dict[Edge, list[str]] = {edge: [] for edge in edges}
    for number, (edge, path) in enumerate(zip(edges, through, strict=True)):
        for member in (edge,) if path is None else path.edges:
            if member in members:
                members[member].append(str(number))
    return tuple(
        Bar(edge, lane, posteriors[edge], path, " ".join(members[edge]))
        for edge, lane, path in zip(edges, lanes(edges, posteriors), through, strict=True)
    )


def lanes(edges: Sequence[Edge], posteriors: Mapping[Edge, float]) -> tuple[int, ...]:
    """A lane for each edge, so that none overlap: single characters in the first lane, then by length.

    If that takes too many lanes, the edges with the largest posteriors go first.

    >>> spans = [(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 5), (2, 5)]
    >>> lanes([Edge(start, end, "", 0.0) for start, end in spans], {})
    (0, 1, 0, 0, 1, 2, 3)
    """
    by_length = sorted(edges, key=lambda edge: (edge.end - edge.start, edge.start))
    lane = first_fit(by_length)
    if max(lane.values(), default=0) >= ROOMY_LANES:
        lane = first_fit(sorted(by_length, key=lambda edge: -posteriors[edge]))
    return tuple(lane[edge] for edge in edges)


def first_fit(edges: Iterable[Over]) -> dict[Over, int]:
    """Each edge in the first lane with room for it; only single characters go into the very first."""
    taken: list[list[Over]] = [[]]
    lane = {}
    for edge in edges:
        position = 0 if edge.end - edge.start == 1 else 1
        while position < len(taken) and any(
            edge.start < other.end and other.start < edge.end for other in taken[position]
        ):
            position += 1
        if position >= len(taken):
            taken.append([])
        taken[position].append(edge)
        lane[edge] = position
    return lane


def is_long(lattice: Lattice) -> bool:
    """Whether the lattice needs the whole width, and a table in place of sentences about its many edges."""
    return len(lattice.text) > SIDE_BY_SIDE
