"""Every token that spells a stretch of a word, and the ways to cut the word by these alone.

A vocabulary's training doesn't dictate its use: BPE applies its merges in order, but its tokens can also be
matched from the left, longest first, or chosen for the smallest number. Source: Uzan, Schmidt, Tanner and
Pinter 2024, "Greed is All You Need".
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import NamedTuple

from tokenizers_core.lazy import cached_property


class PlacedToken(NamedTuple):
    """A token at its place in a word, from the boundary `start` to the boundary `end`, counted in symbols."""

    start: int
    end: int
    token: str

    @property
    def size(self) -> int:
        """How many symbols it spells."""
        return self.end - self.start


WordCut = tuple[PlacedToken, ...]
"""A word's pieces, in its order."""


def piece(symbols: Sequence[str], start: int, end: int, prefix: str = "") -> str:
    """The symbols from `start` to `end` as one token; inside a word with the continuation prefix.

    >>> piece(("h", "##u", "##g"), 1, 3, "##")
    '##ug'
    """
    bare = "".join(
        symbol.removeprefix(prefix) if index else symbol
        for index, symbol in enumerate(symbols[start:end], start)
    )
    return prefix + bare if start else bare


@dataclass(frozen=True, repr=False)
class PieceTable:
    """The tokens that spell stretches of a word.

    >>> table = PieceTable.build("hugs", {"h", "u", "g", "s", "hu", "ug", "gs", "hug"})
    >>> [piece.token for piece in table.longest_prefix()], [piece.token for piece in table.longest_suffix()]
    (['hug', 's'], ['gs', 'hu'])
    >>> [[piece.token for piece in path] for path in table.shortest_paths()]
    [['hug', 's'], ['hu', 'gs']]
    """

    symbols: tuple[str, ...]
    pieces: tuple[PlacedToken, ...]
    """By their start, the longest first."""
    prefix: str = ""

    def __repr__(self) -> str:
        return f"<PieceTable: {len(self.symbols):,} symbols, {len(self.pieces):,} pieces>"

    @classmethod
    def build(
        cls,
        symbols: Sequence[str],
        tokens: Collection[str],
        prefix: str = "",
        apart: Container[str] = (),
        longest: int | None = None,
    ) -> PieceTable:
        """Look up every stretch. `apart` are tokens not to be spelled by several symbols, such as special
        tokens; `longest`: the longest token's characters, with its prefix.
        """
        bare = [symbol.removeprefix(prefix) if index else symbol for index, symbol in enumerate(symbols)]
        text, ends = "".join(bare), [*accumulate(map(len, bare), initial=0)]
        reach = max(map(len, tokens), default=0) if longest is None else longest
        results = []
        for start in range(len(bare)):
            written = prefix if start else ""
            for end in range(min(len(bare), start + reach), start, -1):
                token = written + text[ends[start] : ends[end]]
                if token in tokens and (end - start == 1 or token not in apart):
                    results.append(PlacedToken(start, end, token))
        return cls(tuple(symbols), tuple(results), prefix)

    def __len__(self) -> int:
        return len(self.symbols)

    @cached_property
    def leaving(self) -> Sequence[Sequence[PlacedToken]]:
        """For each boundary the pieces that start there, longest first."""
        groups: list[list[PlacedToken]] = [[] for _ in range(len(self) + 1)]
        for one in self.pieces:
            groups[one.start].append(one)
        return groups

    @cached_property
    def arriving(self) -> Sequence[Sequence[PlacedToken]]:
        """For each boundary the pieces that end there, longest first."""
        groups: list[list[PlacedToken]] = [[] for _ in range(len(self) + 1)]
        for one in self.pieces:
            groups[one.end].append(one)
        return groups

    @cached_property
    def by_size(self) -> Sequence[PlacedToken]:
        """All pieces, longest first; of equally long ones the leftmost first."""
        return sorted(self.pieces, key=lambda one: (-one.size, one.start))

    # --- longest first --------------------------------------------------------------------------------------

    def longest_prefix(self) -> Iterator[PlacedToken]:
        """From the left, always the longest token at the start of the rest: WordPiece's way. Ends where there
        is none."""
        position = 0
        while position < len(self) and self.leaving[position]:
            yield (taken := self.leaving[position][0])
            position = taken.end

    def longest_suffix(self) -> Iterator[PlacedToken]:
        """From the right, always the longest token at the end of the rest."""
        position = len(self)
        while position and self.arriving[position]:
            yield (taken := self.arriving[position][0])
            position = taken.start

    def longest_token(self) -> Iterator[PlacedToken]:
        """The longest token anywhere, the leftmost of several, and then the longest anywhere in the rest,
        again and again."""
        free = [True] * len(self)
        for one in self.by_size:
            if free[one.start] and free[one.end - 1]:  # pieces taken are no shorter: none can lie between
                free[one.start : one.end] = [False] * one.size
                yield one

    def whole(self, taken: Collection[PlacedToken]) -> WordCut | None:
        """The pieces in the word's order; None if they leave some of it."""
        return tuple(sorted(taken)) if sum(one.size for one in taken) == len(self) else None

    # --- fewest tokens --------------------------------------------------------------------------------------

    @cached_property
    def fewest_before(self) -> Sequence[int | None]:
        """For each boundary, with how few tokens it is reached from the start; None where it isn't."""
        fewest: list[int | None] = [0]
        for arriving in self.arriving[1:]:
            reached = (fewest[one.start] for one in arriving)
            fewest.append(min((number + 1 for number in reached if number is not None), default=None))
        return fewest

    @cached_property
    def _after(self) -> list[tuple[int, int]]:
        """For each boundary, how few tokens lead on to the end, and by how many paths of so few; 0 paths
        where none does."""
        results = [(0, 1)] * (len(self) + 1)
        for start in reversed(range(len(self))):
            ways = [results[one.end] for one in self.leaving[start] if results[one.end][1]]
            fewest = min((number for number, _paths in ways), default=0)
            results[start] = fewest + 1, sum(paths for number, paths in ways if number == fewest)
        return results

    @property
    def shortest_count(self) -> int:
        """How many ways there are to cut the word into as few tokens as possible."""
        return self._after[0][1]

    def shortest_paths(self, limit: int | None = None) -> list[WordCut]:
        """The word cut into as few tokens as possible, in every way or in `limit` of them: longer first
        tokens first."""
        return list(islice(self._paths(), limit)) if self.shortest_count else []

    def _paths(self) -> Iterator[WordCut]:
        after = self._after
        waiting: list[WordCut] = [()]
        while waiting:
            path = waiting.pop()
            position = path[-1].end if path else 0
            if position == len(self):
                yield path
                continue
            wanted = after[position][0] - 1
            onward = [
                one for one in self.leaving[position] if after[one.end][1] and after[one.end][0] == wanted
            ]
            waiting += [(*path, one) for one in reversed(onward)]


def longest_match(
    symbols: Sequence[str], tokens: Collection[str], prefix: str = ""
) -> tuple[str, ...] | None:
    """The tokens of a word from the left, the longest first; None where a rest begins with none."""
    table = PieceTable.build(symbols, tokens, prefix)
    return names_of(table.whole([*table.longest_prefix()]))


def names_of(cut: WordCut | None) -> tuple[str, ...] | None:
    """The tokens of a cut."""
    return None if cut is None else tuple(one.token for one in cut)


def placed(
    symbols: Sequence[str], tokens: Sequence[str], prefix: str = "", at_end: bool = False
) -> WordCut | None:
    """The positions of tokens in a word spelled by them, from its beginning, or `at_end` up to its end; None
    where they don't spell it.

    >>> placed(("h", "##u", "##g"), ("h", "##ug"), "##")
    (PlacedToken(start=0, end=1, token='h'), PlacedToken(start=1, end=3, token='##ug'))
    >>> placed("hug", ("ug",), at_end=True), placed("hug", ("ug",))
    ((PlacedToken(start=1, end=3, token='ug'),), None)
    """
    bare = [symbol.removeprefix(prefix) if index else symbol for index, symbol in enumerate(symbols)]
    text, ends = "".join(bare), [*accumulate(map(len, bare), initial=0)]
    boundary = {end: index for index, end in enumerate(ends)}
    lengths = [len(token.removeprefix(prefix) if index else token) for index, token in enumerate(tokens)]
    at = len(text) - sum(lengths) if at_end else 0
    cut = []
    for token, length in zip(tokens, lengths, strict=True):
        start, end = boundary.get(at), boundary.get(at + length)
        if start is None or end is None or (prefix if start else "") + text[at : at + length] != token:
            return None
        cut.append(PlacedToken(start, end, token))
        at += length
    return tuple(cut)
