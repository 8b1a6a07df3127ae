"""Stretches of a text, and which stretch of the original each character of a rewritten text came from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

Span = tuple[int, int]
"""A stretch of text: the position of its first character, and the position after its last."""


class IdentitySpans(Sequence[Span]):
    """The spans of a text that nothing was done to: character i came from (i, i + 1). Takes no room.

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


def origin_of(spans: Sequence[Span], start: int, end: int) -> Span:
    """Where characters start to end (at least one) came from: the range of all their origins."""
    if isinstance(spans, IdentitySpans):
        return spans.first + start, spans.first + end
    # Not just the first and the last: canonical ordering may have moved a mark in front of an earlier one.
    origins = spans[start:end]
    return min(first for first, _ in origins), max(last for _, last in origins)
