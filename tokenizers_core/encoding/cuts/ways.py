"""One vocabulary, several ways to cut a word: its model's own, others by its tokens alone, and random splits.

Source: Uzan, Schmidt, Tanner and Pinter 2024, "Greed is All You Need: An Evaluation of Tokenizer Inference
Methods".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tokenizers_core.encoding.byte_tokens import BYTE_TOKENS, byte_token
from tokenizers_core.encoding.cuts.steps import (
    GREEDY,
    PATHS_STEPPED,
    fewest_steps,
    greedy_steps,
    sampled_steps,
)
from tokenizers_core.encoding.cuts.table import PieceTable, WordCut, placed
from tokenizers_core.encoding.models.base import Model, seeded
from tokenizers_core.errors import Phrase, SettingError
from tokenizers_core.lazy import cached_property
from tokenizers_core.trace import Trace

WAYS: Final = (
    "merges",
    "longest_prefix",
    "longest_suffix",
    "longest_token",
    "fewest_tokens",
    "most_probable",
)
"""The deterministic ways: the same tokens for a word each time."""
SAMPLED: Final = "sampled"


class Ways:
    """A model's vocabulary, ready to cut words in every way.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> corpus = Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
    >>> ways = Ways(train_bpe(corpus, merges=4).tokenizer().model)
    >>> {way: [piece.token for piece in ways.cut("bugs", way)] for way in ways.possible}["merges"]
    ['b', 'ug', 's']
    """

    def __init__(self, model: Model, apart: Collection[str] = ()) -> None:
        """`apart`: special and added tokens; no word is cut into these."""
        self.model = model
        bytes_apart = BYTE_TOKENS if model.byte_fallback else ()
        self._apart = frozenset((*apart, *bytes_apart, model.unk_token))

    @property
    def possible(self) -> tuple[str, ...]:
        """The possible ways for this vocabulary: merges need merges, and the most probable split
        probabilities."""
        return tuple(way for way in WAYS if way == self.model.way or way not in ("merges", "most_probable"))

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self.model.vocabulary.ids), default=0)

    def table(self, word: str) -> PieceTable:
        """Every token that spells a stretch of a word."""
        known = self.model.vocabulary.ids
        symbols: list[str] = []
        for symbol in self.model.split(word):
            if self.model.byte_fallback and symbol not in known:
                symbols += map(byte_token, symbol.encode("utf-8"))
            else:
                symbols.append(symbol)
        return PieceTable.build(symbols, known, self.model.vocabulary.prefix, self._apart, self._longest)

    def cut(self, word: str, way: str, table: PieceTable | None = None) -> WordCut | None:
        """A word's tokens by one of `WAYS`; None where it can't be cut this way. `table` is the word's, if it
        is there already.

        Raises SettingError for another way.
        """
        if way not in WAYS:
            reason = Phrase("choose one of {ways}", ways=", ".join(WAYS))
            raise SettingError(name="way", value=way, reason=reason)
        if way not in self.possible:
            return None
        table = table or self.table(word)
        if take := GREEDY.get(way):
            return table.whole([*take(table)])
        if way == "fewest_tokens":
            return next(iter(table.shortest_paths(1)), None)
        tokens = self.model.vocabulary.tokens
        own = [tokens[identifier] for identifier in self.model.encode_word(word)]
        return placed(table.symbols, own, table.prefix)

    def cuts(self, word: str, table: PieceTable | None = None) -> dict[str, WordCut | None]:
        """A word's tokens by every possible way."""
        table = table or self.table(word)
        return {way: self.cut(word, way, table) for way in self.possible}

    def all_cuts(self, word: str, amount: float | None = None, seed: int = 0) -> WordWays:
        """A word by every way, one split at random included. Raises SettingError for an `amount` that can't
        be."""
        table, model = self.table(word), self.model
        usual = model.amount(None, None)
        drawn = model.sample(word, usual if amount is None else amount, seeded(seed))
        cuts = self.cuts(word, table) | {SAMPLED: placed(table.symbols, drawn, table.prefix)}
        paths = tuple(table.shortest_paths(PATHS_STEPPED))
        return WordWays(model.way, table.symbols, table.prefix, cuts, paths, table.shortest_count, usual)

    def cut_steps(self, word: str, way: str, amount: float | None = None, seed: int = 0) -> Trace[Any]:
        """A word cut by one of the possible ways or `SAMPLED`, step by step; `amount` and `seed` are for a
        sample."""
        if way in GREEDY:
            return greedy_steps(word, self.table(word), way)
        if way == "fewest_tokens":
            return fewest_steps(word, self.table(word))
        if way != SAMPLED:
            return self.model.explain(word)
        model = self.model
        drawn = model.sampling(word, model.amount(None, None) if amount is None else amount, seeded(seed))
        return sampled_steps(word, self.table(word), drawn, at_end=model.samples_from_end)


@dataclass(frozen=True)
class WordWays:
    """A word by every possible way of its tokenizer's vocabulary."""

    own: str
    """The tokenizer's own way; "" if it has none of them."""
    symbols: tuple[str, ...]
    prefix: str
    cuts: Mapping[str, WordCut | None]
    """Way → tokens."""
    paths: tuple[WordCut, ...]
    """Ways to cut it into as few tokens as possible: the first of them, where there are many."""
    path_count: int
    usual: float
    """The usual dropout, or temperature, of a sample."""


@dataclass(frozen=True)
class WordCuts:
    """A word of a text by every possible way."""

    word: str
    occurrences: int
    cuts: Mapping[str, WordCut | None]

    @property
    def different(self) -> int:
        """How many different splits there are."""
        return len({cut for cut in self.cuts.values() if cut is not None})

    @property
    def spread(self) -> int:
        """How many tokens more the longest split has than the shortest."""
        sizes = [len(cut) for cut in self.cuts.values() if cut is not None]
        return max(sizes, default=0) - min(sizes, default=0)


@dataclass(frozen=True)
class WayTotals:
    """A text's words by one way."""

    tokens: int
    """Tokens of the words with a cut this way."""
    words: int
    """Occurrences of those words."""
    unlike: int
    """Occurrences of words cut differently by the tokenizer itself."""


@dataclass(frozen=True)
class TextCuts:
    """A text's words by every possible way."""

    own: str
    """The tokenizer's own way; "" if it has none of them."""
    occurrences: int
    different: int
    """Occurrences of words with different cuts."""
    totals: Mapping[str, WayTotals]
    most: tuple[WordCuts, ...]
    """The words with the greatest differences."""
    characters: int = 0
    """The length of the counted part of the text, its beginning."""


def cut_text(ways: Ways, words: Mapping[str, int], listed: int = 100) -> TextCuts:
    """Cut the words of a text, given with their counts, in every way.

    Of the words with differences, the first `listed` are named: with the most different splits first, then
    with the greatest difference in numbers of tokens, then the most frequent.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> corpus = Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
    >>> found = cut_text(Ways(train_bpe(corpus, merges=4).tokenizer().model), dict(corpus.items()))
    >>> found.own, found.occurrences, found.different
    ('merges', 36, 0)
    """
    results = [WordCuts(word, number, ways.cuts(word)) for word, number in words.items()]
    differing = [one for one in results if one.different > 1]
    differing.sort(key=lambda one: (one.different, one.spread, one.occurrences), reverse=True)  # stable
    own = ways.model.way
    return TextCuts(
        own,
        sum(one.occurrences for one in results),
        sum(one.occurrences for one in differing),
        {way: _totals(results, way, own) for way in ways.possible},
        tuple(differing[:listed]),
    )


def _totals(words: Collection[WordCuts], way: str, own: str) -> WayTotals:
    cut = [(one, pieces) for one in words if (pieces := one.cuts[way]) is not None]
    return WayTotals(
        sum(one.occurrences * len(pieces) for one, pieces in cut),
        sum(one.occurrences for one, _pieces in cut),
        sum(one.occurrences for one, pieces in cut if pieces != one.cuts.get(own)),
    )
