"""Why a word is not split otherwise: the obstacle to an expected split.

Each reason holds for the tokenizer as it is and for this word, whatever the split of its other parts. `kind`
names it, the other fields are its evidence. `Tokenizer.why_not` finds them: for BPE by replaying the merges,
for WordPiece by looking for longer matches, for Unigram by comparing log probabilities.

>>> from tokenizers_core import Corpus, train_bpe
>>> tokenizer = train_bpe(
...     Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}), merges=3
... ).tokenizer()
>>> tokenizer.why_not("hugs", ["hug", "s"]).kind, tokenizer.why_not("pugs", ["pu", "gs"])
('chosen', NotInVocabulary(token='pu'))
>>> tokenizer.why_not("pug", ["p", "u", "g"])
MergedAcross(made=RankedPair(first='u', second='g', rank=0), wanted=None, position=2)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
    """No obstacle: this is the tokenizer's own split, `tokens`."""

    tokens: Tokens
    kind: ClassVar[Literal["chosen"]] = "chosen"


@dataclass(frozen=True)
class Misspelled:
    """The tokens don't spell the word."""

    word: str
    kind: ClassVar[Literal["misspelled"]] = "misspelled"


@dataclass(frozen=True)
class NotInVocabulary:
    """The first token of the split not in the vocabulary."""

    token: str
    kind: ClassVar[Literal["not_in_vocabulary"]] = "not_in_vocabulary"


@dataclass(frozen=True)
class OverLimit:
    """A word unknown as a whole because of its length, or a piece beyond the maximum length."""

    length: int
    limit: int
    unk_token: str = ""
    """The unknown token for the word; "" where a piece is too long."""
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
    """A character of `token` is no token itself: before any merge it is replaced by `instead`, or left
    out."""

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
    """The learned merges for it, the lowest rank first: their parts are never side by side."""
    kind: ClassVar[Literal["unreachable"]] = "unreachable"


@dataclass(frozen=True)
class MergedAcross:
    """The pair `made` was merged across a cut of the split, before the split's own merge there."""

    made: RankedPair
    wanted: RankedPair | None
    """The merge the split needs for one of the two parts, the lower rank if for both; None if both parts were
    complete."""
    position: int
    """The symbols before the cut."""
    final: bool = field(default=True, repr=False)
    """Whether no merge is undone: PickyBPE's removals undo some."""
    kind: ClassVar[Literal["merged_across"]] = "merged_across"


class Join(NamedTuple):
    """A merge at one place of a word: it joins the symbols from `start` to `middle` with those from `middle`
    to `end`."""

    rank: int
    start: int
    middle: int
    end: int


class Spelling(NamedTuple):
    """A word's initial symbols in BPE, and the learned merges."""

    word: str
    placed: Sequence[tuple[str, Span]]
    """Its symbols, with replacements for unknown characters, each with its position in the word."""
    written: Tokens
    """Its symbols as written in the word."""
    vocabulary: Vocabulary
    ranks: Mapping[PrivatePair, int]
    merged: Mapping[PrivatePair, Private]

    @property
    def symbols(self) -> Tokens:
        """The symbols before the first merge."""
        return tuple(symbol for symbol, _span in self.placed)

    def piece(self, start: int, end: int) -> str:
        """The symbols from `start` to `end` as one token."""
        symbols = self.symbols
        return symbols[start] if end == start + 1 else piece(symbols, start, end, self.vocabulary.prefix)

    def joins(self, start: int, end: int) -> list[Join]:
        """The merges of these symbols with nothing around them; places are the word's."""
        return [
            Join(one.rank, start + one.start, start + one.middle, start + one.end)
            for one in joins(self.vocabulary.write(self.symbols[start:end]), self.ranks, self.merged)
        ]

    def pair(self, join: Join) -> RankedPair:
        """The pair of a merge."""
        return RankedPair(self.piece(join.start, join.middle), self.piece(join.middle, join.end), join.rank)

    def left(self, start: int, end: int, joins: Collection[Join]) -> Tokens:
        """The tokens of these symbols after some merges."""
        edges = sorted({*range(start, end + 1)} - {join.middle for join in joins})
        return tuple(self.piece(first, last) for first, last in pairwise(edges))

    def makers(self, start: int, end: int) -> Iterator[RankedPair]:
        """The learned merges that turn these symbols into one token."""
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
    """BPE's reason. `actual` are the word's tokens; with `whole`, it is taken as it is, without merging."""
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
    """The token of a split with a character replaced before any merge."""
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
    """The rest without a matching token after the longest matches, so that the word is unknown; "" if none is
    left."""
    kind: ClassVar[Literal["longer_match"]] = "longer_match"


def why_not_matched(
    word: str, tokens: Tokens, actual: Tokens, vocabulary: Vocabulary, unk_token: str, limit: int
) -> Reason:
    """WordPiece's reason. `actual` are the word's tokens; `limit` is the model's longest word."""
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
    """The log probability of the chosen split."""
    tokens: Tokens
    """The pieces of that split."""
    unknown: Tokens
    """The characters of the rejected split without a piece."""
    unknown_log: float
    """The log probability of each of those."""
    kind: ClassVar[Literal["less_probable"]] = "less_probable"

    @property
    def nats(self) -> float:
        """The extra cost of the split over the best one."""
        return self.best - self.log_probability


@dataclass(frozen=True)
class TiedSplit:
    """The split is as probable as the chosen one; a rule decides."""

    winner: str
    """The winner's last different piece: it ends after `end` characters, where the longest is tried
    first."""
    loser: str
    end: int
    rounding: bool
    """Whether their sums differ by rounding alone; then rounding decides instead of the length."""
    kind: ClassVar[Literal["tied"]] = "tied"


Reason = (
    Chosen | Misspelled | NotInVocabulary | OverLimit | WholeWord | UnknownCharacter | Unreachable
    | MergedAcross | LongerMatch | LessProbable | TiedSplit
)  # fmt: skip
