"""Tie rules: the choice among several equally good pairs.

On real text nine merges out of ten are chosen among ties, so the rule decides the vocabulary. The rules are
defined here and nowhere else, for BPE and WordPiece alike. To add one, write a class like the ones below and
put it in `TIE_RULES`: a rule based only on the two tokens of a pair is a `TokenRule` with one method.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from bisect import insort
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Any, ClassVar, Final, NamedTuple, Protocol

from tokenizers_core.encoding.models.pairs import SEPARATOR, neighbours
from tokenizers_core.encoding.vocabulary import Private, PrivatePair, Vocabulary
from tokenizers_core.text.byte_alphabet import symbols_to_bytes
from tokenizers_core.training.merging import READ_ONCE, CurrentWords, PairTable


class Key(Protocol):
    """A rule's sort key for equally good pairs."""

    def __call__(self, pair: PrivatePair, rival: Any = ..., /) -> Any:
        """The pair's key; if that is smaller than `rival`, another pair's key, any smaller value will do."""


class TieOrder(NamedTuple):
    """A rule at work in a run: of equally good pairs, the one with the smallest key is merged first."""

    key: Key
    """The pair's key now. It never gets smaller while the pair's count stays the same or falls."""
    bound: Callable[[PrivatePair], Any]
    """A lower bound of the key, quick to compute."""


@dataclass(frozen=True)
class Moment:
    """A step of a recorded run, as far as a rule may look at it."""

    vocabulary: Vocabulary
    byte_level: bool
    words: Callable[[], CurrentWords]
    """The words as they are split at this step."""


class TieRule(ABC):
    """One way to choose among equally good pairs."""

    name: ClassVar[str]
    meaning: ClassVar[str]
    """Its choice, and the libraries that choose so."""

    @abstractmethod
    def in_run(self, table: PairTable, vocabulary: Vocabulary, byte_level: bool) -> TieOrder:
        """The rule for a run in progress; the run changes `table` and `vocabulary`."""

    @abstractmethod
    def sort(
        self, pairs: Collection[PrivatePair], moment: Moment, limit: int | None = None
    ) -> list[PrivatePair]:
        """Equally good pairs in the order of the rule, the first `limit` of them (None: all)."""

    def first_word(self, pair: PrivatePair, moment: Moment) -> int | None:  # noqa: ARG002
        """The index of the pair's first word for the rule; None for a rule that doesn't look at words."""
        return None


class TokenRule(TieRule):
    """A rule based only on the two tokens of a pair."""

    @abstractmethod
    def key(self, vocabulary: Vocabulary, byte_level: bool) -> Callable[[PrivatePair], Any]:
        """The key to sort pairs by, smallest first. The vocabulary may grow afterwards."""

    def in_run(self, table: PairTable, vocabulary: Vocabulary, byte_level: bool) -> TieOrder:  # noqa: ARG002
        key = self.key(vocabulary, byte_level)
        return TieOrder(lambda pair, _rival=None: key(pair), bound=key)

    def sort(
        self, pairs: Collection[PrivatePair], moment: Moment, limit: int | None = None
    ) -> list[PrivatePair]:
        return sorted(pairs, key=self.key(moment.vocabulary, moment.byte_level))[:limit]


class LowestIds(TokenRule):
    """The pair with the lowest id of the first token, then of the second."""

    name = "lowest_ids"
    meaning = "the pair with the lowest token ids (the tokenizers library, rustbpe)"

    def key(self, vocabulary: Vocabulary, byte_level: bool) -> Callable[[PrivatePair], str]:  # noqa: ARG002
        return lambda pair: pair  # its characters are the ids


class Greatest(TokenRule):
    """The pair with the lexicographically greatest byte string as first token, then as second.

    Keys sort the other way round: every byte is turned into its complement, and a last character above all of
    them makes ``ab`` come after ``abc``.
    """

    name = "greatest"
    meaning = "the pair of byte strings that sorts last (Stanford CS336)"

    def key(self, vocabulary: Vocabulary, byte_level: bool) -> Callable[[PrivatePair], str]:
        to_bytes = symbols_to_bytes if byte_level else str.encode
        complements: dict[str, str] = {}

        def complement(symbol: str) -> str:
            known = complements.get(symbol)
            if known is None:
                data = to_bytes(vocabulary.tokens[ord(symbol)])
                known = bytes(255 - byte for byte in data).decode("latin-1") + "\u0100"
                complements[symbol] = known
            return known

        return lambda pair: complement(pair[0]) + complement(pair[1])


class Shortest(TokenRule):
    """The pair with the shortest merged token; of several, the first in sorted order."""

    name = "shortest"
    meaning = "the pair with the shortest token, of several the first in Unicode's order (SentencePiece)"

    def key(self, vocabulary: Vocabulary, byte_level: bool) -> Callable[[PrivatePair], tuple[int, str]]:  # noqa: ARG002
        tokens, prefix = vocabulary.tokens, vocabulary.prefix

        def length_and_token(pair: PrivatePair) -> tuple[int, str]:
            token = tokens[ord(pair[0])] + tokens[ord(pair[1])].removeprefix(prefix)
            return len(token), token

        return length_and_token


class FirstMet(TieRule):
    """The pair met first when the current words are read in order."""

    name = "first"
    meaning = "the pair met first when the words are read in order (the course, minbpe)"

    def in_run(self, table: PairTable, vocabulary: Vocabulary, byte_level: bool) -> TieOrder:  # noqa: ARG002
        positions = FirstPositions(table, vocabulary)
        return TieOrder(positions.key, positions.bound)

    def sort(
        self, pairs: Collection[PrivatePair], moment: Moment, limit: int | None = None
    ) -> list[PrivatePair]:
        return first_met(pairs, moment.words().text, limit)

    def first_word(self, pair: PrivatePair, moment: Moment) -> int:
        text = moment.words().text
        return text.count(SEPARATOR, 0, text.find(pair))


TIE_RULES: Final[Mapping[str, TieRule]] = {
    rule.name: rule for rule in (FirstMet(), LowestIds(), Greatest(), Shortest())
}
"""Name → rule. An unknown name raises KeyError."""


# --- Where pairs are first met ------------------------------------------------------------------------------


class FirstPositions:
    """For each pair, the character at which it first occurs when the current words are read in order.

    Merging elsewhere never moves a character, so positions from different times can be compared.
    """

    def __init__(self, table: PairTable, vocabulary: Vocabulary) -> None:
        self.words, self.where = table.words, table.where
        self.tokens = vocabulary.tokens
        self.prefix = len(vocabulary.prefix)
        # No symbol is longer than its token, and merging moves none: the starts may be further apart than the
        # words are.
        longest = max(map(len, self.tokens))
        self.starts = list(accumulate((len(word) * longest for word in table.words), initial=0))
        self.long: dict[int, tuple[str, array[int]]] = {}

    def key(self, pair: PrivatePair, rival: int = 0) -> int:
        """The position of the pair's first occurrence; if its word is before `rival`, the beginning of the
        word."""
        words, where = self.words, self.where[pair]
        stale = 0
        while (at := words[where[stale]].find(pair)) < 0:
            stale += 1
        if stale:
            del where[:stale]
        index = where[0]
        if not at or self.starts[index + 1] <= rival:
            return self.starts[index]
        word, tokens = words[index], self.tokens
        prefixes = self.prefix * (at - 1)  # every token but a word's first carries one
        if len(word) > READ_ONCE:
            return self.starts[index] + self._symbol_starts(index, word)[at] - prefixes
        return self.starts[index] + sum([len(tokens[ord(symbol)]) for symbol in word[:at]]) - prefixes

    def _symbol_starts(self, index: int, word: Private) -> array[int]:
        """Where each symbol of a long word begins, prefixes counted; kept for all pairs until the word
        changes."""
        known = self.long.get(index)
        if known is None or known[0] is not word:
            lengths = (len(self.tokens[ord(symbol)]) for symbol in word)
            known = self.long[index] = word, array("q", accumulate(lengths, initial=0))
        return known[1]

    def bound(self, pair: PrivatePair) -> int:
        """The beginning of the first word that may contain the pair."""
        return self.starts[self.where[pair][0]]


MANY_PAIRS = 200
"""From this many pairs on, one walk through the text is quicker than a search for each of them."""


def first_met(pairs: Collection[PrivatePair], text: Private, limit: int | None = None) -> list[PrivatePair]:
    """`pairs` in the order of their first places in `text`, where all must occur; the first `limit` of them.

    >>> first_met({"ug", "hu"}, "hug")
    ['hu', 'ug']
    """
    wanted = len(pairs) if limit is None else min(limit, len(pairs))
    if len(pairs) > MANY_PAIRS:
        results = dict.fromkeys(filter(set(pairs).__contains__, neighbours(text)))
        return list(islice(results, wanted))
    positions: list[tuple[int, PrivatePair]] = []
    end = len(text)
    for pair in pairs:
        position = text.find(pair, 0, end)
        if position >= 0:
            insort(positions, (position, pair))
        if len(positions) > wanted:
            positions.pop()
            # Pairs that begin after the last place wanted don't matter.
            end = positions[-1][0] + 1 if positions else 0
    return [pair for _, pair in positions]
