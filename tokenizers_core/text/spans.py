"""Stretches of a text, and the origins of a rewritten text's characters."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import overload

Span = tuple[int, int]
"""A stretch of text: the position of its first character, and the position after its last."""


class IdentitySpans(Sequence[Span]):
    """The spans of an unchanged text: character i came from (i, i + 1). Takes no room.

    >>> IdentitySpans(3)[1], len(IdentitySpans(3)), list(IdentitySpans(3)[1:])
    ((1, 2), 3, [(1, 2), (2, 3)])
    """

    def __init__(self, positions: int | range) -> None:
        """Of a text of so many characters, or of just these characters of it."""
        self._positions = range(positions) if isinstance(positions, int) else positions
        self.first = self._positions.start
        """The position of the first character."""

    def __len__(self) -> int:
        return len(self._positions)

    def __iter__(self) -> Iterator[Span]:
        positions = self._positions
        return zip(positions, range(positions.start + 1, positions.stop + 1), strict=True)

    @overload
    def __getitem__(self, index: int) -> Span: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Span]: ...
    def __getitem__(self, index: int | slice) -> Span | Sequence[Span]:
        if isinstance(index, slice):
            return IdentitySpans(self._positions[index])
        position = self._positions[index]
        return position, position + 1


class Widened:
    """Offsets widened to all characters merged into one, for programs that give the result the offset of only
    one of them.

    `spans` are the origins of the rewritten text's characters.

    >>> accents = Widened([(0, 2), (2, 3), (3, 6)])
    >>> [accents.of(span) for span in ((0, 1), (1, 3), (2, 3), (5, 6), (4, 4))]
    [(0, 2), (0, 3), (2, 3), (3, 6), (4, 4)]
    """

    def __init__(self, spans: Sequence[Span]) -> None:
        several = [] if isinstance(spans, IdentitySpans) else [one for one in spans if one[1] - one[0] > 1]
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(set(several)):
            if self._ends and start < self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)

    def __bool__(self) -> bool:
        """Whether any characters became one."""
        return bool(self._starts)

    def of(self, span: Span) -> Span:
        """The offsets of a token; an empty one stays as it is."""
        start, end = span
        if start == end:
            return span
        first, last = bisect_right(self._starts, start) - 1, bisect_left(self._starts, end) - 1
        if first >= 0 and self._ends[first] > start:
            start = self._starts[first]
        if last >= 0 and self._ends[last] > end:
            end = self._ends[last]
        return start, end


def origin_of(spans: Sequence[Span], start: int, end: int) -> Span:
    """Where characters start to end (at least one) came from: the range of all their origins."""
    if isinstance(spans, IdentitySpans):
        return spans.first + start, spans.first + end
    # Not just the first and the last: canonical ordering may have moved a mark in front of an earlier one.
    origins = spans[start:end]
    return min(first for first, _ in origins), max(last for _, last in origins)
