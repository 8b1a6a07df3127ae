"""Why a word is not split otherwise: what stopped a split that somebody has in mind.

Each reason holds for the tokenizer as it is and for this word, whatever is chosen elsewhere in it. `kind`
says which it is, the other fields are its evidence. `Tokenizer.why_not` finds them: for BPE by replaying the
merges, for WordPiece by looking for longer matches, for Unigram by comparing log probabilities.

>>> from tokenizers_core import Corpus, train_bpe
>>> tokenizer = train_bpe(
...     Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}), merges=3
... ).tokenizer()
>>> tokenizer.why_not("hugs", ["hug", "s"]).kind, tokenizer.why_not("pugs", ["pu", "gs"])
('chosen', NotInVocabulary(token='pu'))
>>> tokenizer.why_not("pug", ["p", "u", "g"])
MergedAcross(made=RankedPair(first='u', second='g', rank=0), wanted=None, place=2)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal, NamedTuple

from tokenizers_core.encoding.cuts.table import piece
from tokenizers_core.encoding.vocabulary import Private, PrivatePair, Vocabulary
from tokenizers_core.text.spans import Span

Tokens = tuple[str, ...]


class RankedPair(NamedTuple):
    """A learned merge: the two tokens, and their place in the order of learning, from 0."""

    first: str
    second: str
    rank: int


@dataclass(frozen=True)
class Chosen:
    """Nothing stopped it: this is the split that the tokenizer makes, `tokens`."""

    tokens: Tokens
    kind: ClassVar[Literal["chosen"]] = "chosen"


@dataclass(frozen=True)
class Misspelled:
    """The tokens don't spell the word."""

    word: str
    kind: ClassVar[Literal["misspelled"]] = "misspelled"


@dataclass(frozen=True)
class NotInVocabulary:
    """A token that the vocabulary doesn't have: the first one in the split."""

    token: str
    kind: ClassVar[Literal["not_in_vocabulary"]] = "not_in_vocabulary"


@dataclass(frozen=True)
class OverLimit:
    """A word that is unknown as a whole because of its length, or a piece too long to be looked for."""

    length: int
    limit: int
    unk_token: str = ""
    """What the word becomes; "" where a piece is too long."""
    kind: ClassVar[Literal["over_limit"]] = "over_limit"


# --- BPE ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WholeWord:
    """The word is a token by itself, and the tokenizer takes such words whole, without merging
    (`ignore_merges`)."""

    word: str
    kind: ClassVar[Literal["whole_word"]] = "whole_word"


@dataclass(frozen=True)
class UnknownCharacter:
    """A character of `token` is no token itself: before any merge could take it, `instead` stands for it, or
    nothing."""

    token: str
    character: str
    instead: Tokens
    kind: ClassVar[Literal["unknown_character"]] = "unknown_character"


@dataclass(frozen=True)
class Unreachable:
    """No merges lead to `token`: from its own symbols, with nothing around it, they lead to `alone`."""

    token: str
    alone: Tokens
    merges: tuple[RankedPair, ...]
    """The learned merges that would make it, the lowest rank first: their parts are never side by side."""
    kind: ClassVar[Literal["unreachable"]] = "unreachable"


@dataclass(frozen=True)
class MergedAcross:
    """The pair `made` was merged across a cut of the split, before the merge that would have kept the cut."""

    made: RankedPair
    wanted: RankedPair | None
    """What the split would have done with one of the two parts, the lower rank if it needs both; None if both
    parts were complete."""
    place: int
    """The symbols before the cut."""
    kind: ClassVar[Literal["merged_across"]] = "merged_across"


class Join(NamedTuple):
    """A merge at one place of a word: it joins the symbols from `start` to `middle` with those from `middle`
    to `end`."""

    rank: int
    start: int
    middle: int
    end: int


class Spelling(NamedTuple):
    """A word as BPE begins with it, and the merges that it applies."""

    word: str
    placed: Sequence[tuple[str, Span]]
    """Its symbols, with replacements for unknown characters, and the characters that each stands for."""
    written: Tokens
    """Its symbols as they are written in the word."""
    vocabulary: Vocabulary
    ranks: Mapping[PrivatePair, int]
    merged: Mapping[PrivatePair, Private]

    @property
    def symbols(self) -> Tokens:
        """What the merges begin with."""
        return tuple(symbol for symbol, _span in self.placed)

    def piece(self, start: int, end: int) -> str:
        """The symbols from `start` to `end` as one token."""
        symbols = self.symbols
        return symbols[start] if end == start + 1 else piece(symbols, start, end, self.vocabulary.prefix)

    def joins(self, start: int, end: int) -> list[Join]:
        """The merges of these symbols with nothing around them; places are those in the word."""
        return [
            Join(one.rank, start + one.start, start + one.middle, start + one.end)
            for one in joins(self.vocabulary.write(self.symbols[start:end]), self.ranks, self.merged)
        ]

    def pair(self, join: Join) -> RankedPair:
        """What a merge joined."""
        return RankedPair(self.piece(join.start, join.middle), self.piece(join.middle, join.end), join.rank)

    def left(self, start: int, end: int, made: Collection[Join]) -> Tokens:
        """The tokens that some merges leave of these symbols."""
        edges = sorted({*range(start, end + 1)} - {join.middle for join in made})
        return tuple(self.piece(first, last) for first, last in pairwise(edges))

    def makers(self, start: int, end: int) -> Iterator[RankedPair]:
        """The learned merges that would make one token of these symbols."""
        known = self.vocabulary.ids
        for middle in range(start + 1, end):
            first, second = self.piece(start, middle), self.piece(middle, end)
            if first in known and second in known:
                rank = self.ranks.get(self.vocabulary.write_pair((first, second)))
                if rank is not None:
                    yield RankedPair(first, second, rank)


def joins(
    word: Private, ranks: Mapping[PrivatePair, int], merged: Mapping[PrivatePair, Private]
) -> Iterator[Join]:
    """The merges of a word's encoding one by one: the lowest rank first, and of its places the first.

    >>> list(joins("aaab", {"aa": 0, "Aa": 1}, {"aa": "A", "Aa": "B"}))
    [Join(rank=0, start=0, middle=1, end=2), Join(rank=1, start=0, middle=2, end=3)]
    """
    tokens, edges = [*word], [*range(len(word) + 1)]
    while True:
        pairs = [PrivatePair(first + second) for first, second in pairwise(tokens)]
        pair = min((pair for pair in pairs if pair in ranks), key=ranks.__getitem__, default=None)
        if pair is None:
            return
        position = pairs.index(pair)
        yield Join(ranks[pair], *edges[position : position + 3])
        tokens[position : position + 2] = [merged[pair]]
        del edges[position + 1]


def borders(symbols: Sequence[str], tokens: Sequence[str], prefix: str = "") -> list[int] | None:
    """Where each of some tokens ends among a word's symbols; None if they don't spell it.

    >>> borders(("h", "##u", "##g"), ("h", "##ug"), "##"), borders(("h", "u", "g"), ("hu", "gs"))
    ([1, 3], None)
    """
    ends: list[int] = []
    end = 0
    for token in tokens:
        start, result = end, ""
        while end < len(symbols) and len(result) < len(token):
            result += symbols[end].removeprefix(prefix) if result else symbols[end]
            end += 1
        if result != token or end == start:
            return None
        ends.append(end)
    return ends if end == len(symbols) else None


def why_not_merged(spelling: Spelling, tokens: Tokens, actual: Tokens, whole: bool) -> Reason:
    """BPE's reason. `actual` are the word's tokens; `whole` says that it was taken as it is, without
    merging."""
    known, prefix = spelling.vocabulary.ids, spelling.vocabulary.prefix
    if tokens == actual:
        return Chosen(actual)
    ends = borders(spelling.symbols, tokens, prefix)
    as_written = ends or borders(spelling.written, tokens, prefix)
    if as_written is None:
        return Misspelled(spelling.word)
    missing = next((token for token in tokens if token not in known), None)
    if missing is not None:
        return NotInVocabulary(missing)
    if whole:
        return WholeWord(spelling.word)
    if ends is None:
        return _replaced(spelling, tokens, as_written)
    starts = [0, *ends[:-1]]
    for token, start, end in zip(tokens, starts, ends, strict=True):
        alone = spelling.left(start, end, spelling.joins(start, end))
        if alone != (token,):
            makers = sorted(spelling.makers(start, end), key=lambda pair: pair.rank)
            return Unreachable(token, alone, tuple(makers))
    stretch_to = dict(zip(ends, starts, strict=True))
    stretch_from = dict(zip(starts, ends, strict=True))
    for join in spelling.joins(0, len(spelling.symbols)):
        if join.middle in stretch_to:
            before = spelling.joins(stretch_to[join.middle], join.middle)
            after = spelling.joins(join.middle, stretch_from[join.middle])
            # Until now nothing crossed a cut, so both parts came to be as they would have with nothing around
            # them.
            wanted = [one for one in before if (one.middle, one.end) == (join.start, join.middle)]
            wanted += [one for one in after if (one.start, one.middle) == (join.middle, join.end)]
            first = min(wanted, default=None)
            return MergedAcross(spelling.pair(join), first and spelling.pair(first), join.middle)
    return Chosen(actual)


def _replaced(spelling: Spelling, tokens: Tokens, ends: Sequence[int]) -> Reason:
    """The token of a split whose characters are replaced before any merge."""
    known = spelling.vocabulary.ids
    index = next(index for index, symbol in enumerate(spelling.written) if symbol not in known)
    token = next(token for token, end in zip(tokens, ends, strict=True) if index < end)
    instead = tuple(symbol for symbol, (start, end) in spelling.placed if start <= index < end)
    return UnknownCharacter(token, spelling.written[index], instead)


# --- WordPiece ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LongerMatch:
    """Where the split has `token`, the vocabulary also has `longer`, and the longest match is taken."""

    token: str
    longer: str
    rest: str
    """What no token begins after the longest matches, so that the word is unknown; "" if all of it is
    spelled."""
    kind: ClassVar[Literal["longer_match"]] = "longer_match"


def why_not_matched(
    word: str, tokens: Tokens, actual: Tokens, vocabulary: Vocabulary, unk_token: str, limit: int
) -> Reason:
    """WordPiece's reason. `actual` are the word's tokens; `limit` is the length of the longest word that is
    looked up."""
    known, prefix = vocabulary.ids, vocabulary.prefix
    if tokens == actual:
        return Chosen(actual)
    symbols = (*word[:1], *(prefix + character for character in word[1:]))
    ends = borders(symbols, tokens, prefix)
    if ends is None:
        return Misspelled(word)
    if len(word) > limit:
        return OverLimit(len(word), limit, unk_token)
    missing = next((token for token in tokens if token not in known), None)
    if missing is not None:
        return NotInVocabulary(missing)

    def longest(start: int) -> int | None:
        ends = range(len(word), start, -1)
        return next((end for end in ends if piece(symbols, start, end, prefix) in known), None)

    for token, start, end in zip(tokens, [0, *ends], ends, strict=False):
        matched = longest(start) or end
        if matched > end:
            longer, stuck = piece(symbols, start, matched, prefix), matched
            while stuck < len(word) and (following := longest(stuck)):
                stuck = following
            return LongerMatch(token, longer, word[stuck:])
    return Chosen(actual)


# --- Unigram ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LessProbable:
    """The split is possible, but another is more probable."""

    log_probability: float
    best: float
    """The log probability of the split that is chosen."""
    tokens: Tokens
    """The pieces of that split."""
    unknown: Tokens
    """The characters of the rejected split that are no pieces."""
    unknown_log: float
    """What each of those counts as."""
    kind: ClassVar[Literal["less_probable"]] = "less_probable"

    @property
    def nats(self) -> float:
        """What the split costs more than the best one."""
        return self.best - self.log_probability


@dataclass(frozen=True)
class TiedSplit:
    """The split is as probable as the one that is chosen; a rule decides."""

    winner: str
    """The piece that was kept where the two splits last meet, which is after `place` characters; the longest
    is met first."""
    loser: str
    place: int
    rounding: bool
    """Whether their sums differ by rounding alone, which then decides instead of the length."""
    kind: ClassVar[Literal["tied"]] = "tied"


Reason = (
    Chosen | Misspelled | NotInVocabulary | OverLimit | WholeWord | UnknownCharacter | Unreachable
    | MergedAcross | LongerMatch | LessProbable | TiedSplit
)  # fmt: skip
