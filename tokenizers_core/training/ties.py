"""Ties: which of several equally good pairs is merged, and the training loop and trace that need to know.

On real text nine merges in ten are chosen among ties, so the rule decides what is learned. It is said in one place, here,
for BPE and WordPiece alike.
"""

from __future__ import annotations

import heapq
from abc import abstractmethod
from array import array
from bisect import insort
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Any, Protocol, TypeVar

from tokenizers_core.encoding.vocabulary import Vocabulary
from tokenizers_core.errors import Phrase, SettingError, UnknownNameError, VocabSizeError
from tokenizers_core.text.byte_alphabet import symbols_to_bytes
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.training.merging import (
    SEPARATOR,
    Merge,
    MergeTrace,
    PairTable,
    Progress,
    Recorder,
    neighbours,
)

LONG_WORD = 200
"""Symbols of a word that is read once for all of its pairs: each pair by itself would take quadratic time on text without spaces."""
TIE_RULES: Mapping[str, str] = {
    "first": "the pair met first when the words are read in order (the course, minbpe)",
    "lowest_ids": "the pair with the lowest token ids (the tokenizers library, rustbpe)",
    "greatest": "the pair of byte strings that sorts last (Stanford CS336)",
}
"""Which of several equally good pairs is merged."""


class TieRule(Protocol):
    """Orders equally good pairs: the smallest `key` is merged first."""

    def key(self, pair: str) -> Any:
        """The pair's place now. It never gets smaller while the pair's count stays or falls."""

    def bound(self, pair: str) -> Any:
        """Something quick that is not greater than `key(pair)`."""


class FirstMet:
    """The pair met first when the current words are read in order.

    A pair's place is the character at which it first stands: merging elsewhere never moves a character, so places
    found at different times can be compared.
    """

    def __init__(self, table: PairTable, vocabulary: Vocabulary) -> None:
        self.table, self.where = table, table.where
        self.tokens = vocabulary.tokens
        self.prefix = len(vocabulary.prefix)
        # No symbol is longer than its token, and none is moved by merging: starts may lie further apart than words do.
        longest = max(map(len, self.tokens))
        self.starts = list(accumulate((len(word) * longest for word in table.words), initial=0))
        self.long: dict[int, tuple[str, array[int]]] = {}

    def key(self, pair: str) -> int:
        index = self.table.first_word(pair)
        word, tokens = self.table.words[index], self.tokens
        at = word.find(pair)
        prefixes = self.prefix * max(0, at - 1)  # every token but a word's first carries one
        if len(word) > LONG_WORD:
            return self.starts[index] + self._places(index, word)[at] - prefixes
        return self.starts[index] + sum([len(tokens[ord(symbol)]) for symbol in word[:at]]) - prefixes

    def _places(self, index: int, word: str) -> array[int]:
        """Where the symbols of a long word stand, prefixes counted: found once for all pairs that are asked for until it changes."""
        known = self.long.get(index)
        if known is None or known[0] is not word:
            lengths = (len(self.tokens[ord(symbol)]) for symbol in word)
            known = self.long[index] = word, array("q", accumulate(lengths, initial=0))
        return known[1]

    def bound(self, pair: str) -> int:
        return self.starts[self.where[pair][0]]


class LowestIds:
    """The pair whose first token has the lowest id, then the one whose second token has."""

    def key(self, pair: str) -> str:
        return pair  # its characters are the ids

    bound = key


class Greatest:
    """The pair whose first token, then second, is the lexicographically greatest byte string.

    Keys sort the other way round: every byte is turned into its complement, and a last character above all of them
    makes ``ab`` come after ``abc``.
    """

    def __init__(self, vocabulary: Vocabulary, byte_level: bool) -> None:
        self.tokens = vocabulary.tokens
        self.to_bytes = symbols_to_bytes if byte_level else str.encode
        self.complements: dict[str, str] = {}

    def key(self, pair: str) -> str:
        return self.complement(pair[0]) + self.complement(pair[1])

    bound = key

    def complement(self, symbol: str) -> str:
        known = self.complements.get(symbol)
        if known is None:
            data = self.to_bytes(self.tokens[ord(symbol)])
            known = bytes(255 - byte for byte in data).decode("latin-1") + "\u0100"
            self.complements[symbol] = known
        return known


def tie_rule_for(name: str, table: PairTable, vocabulary: Vocabulary, byte_level: bool) -> TieRule:
    """The tie rule called `name`."""
    if name == "first":
        return FirstMet(table, vocabulary)
    if name == "lowest_ids":
        return LowestIds()
    return Greatest(vocabulary, byte_level)


MANY_PAIRS = 200
"""So many pairs are found quicker by one walk through the text than by searching for one after the other."""


def first_met(pairs: Collection[str], text: str, limit: int | None = None) -> list[str]:
    """`pairs`, all of which stand in `text`, in the order of their first places; the first `limit` of them.

    >>> first_met({"ug", "hu"}, "hug")
    ['hu', 'ug']
    """
    wanted = len(pairs) if limit is None else min(limit, len(pairs))
    if len(pairs) > MANY_PAIRS:
        found = dict.fromkeys(filter(set(pairs).__contains__, neighbours(text)))
        return list(islice(found, wanted))
    places: list[tuple[int, str]] = []
    end = len(text)
    for pair in pairs:
        place = text.find(pair, 0, end)
        if place >= 0:
            insort(places, (place, pair))
        if len(places) > wanted:
            places.pop()
            # What starts behind the last place wanted need not be found.
            end = places[-1][0] + 1 if places else 0
    return [pair for _, pair in places]


class Values(Protocol):
    """What pairs are ranked by, kept right under merging: the pair of greatest value is merged next."""

    def value(self, pair: str) -> int:
        """The pair's value now."""

    def update(self, merge: Merge) -> Collection[str]:
        """Take note of a merge; returns the pairs whose value it may have changed."""


@dataclass(frozen=True, eq=False)
class TieTrace(MergeTrace):
    """A run whose best pairs are those of the greatest value, and whose ties a rule in `TIE_RULES` decides."""

    @property
    def prefix(self) -> str:
        """What marks a token inside a word."""
        return str(self.settings["continuing_subword_prefix"])

    @property
    def tie_rule(self) -> str:
        return str(self.settings["tie_rule"])

    def best_by(
        self, values: Mapping[str, int], step: int, limit: int | None
    ) -> tuple[list[str], Collection[str]]:
        """`best_pairs` for the pairs in `values`, by their values."""
        if not values:
            return [], ()
        enough = len(values) if limit is None else max(1, limit)
        *_, least = heapq.nlargest(enough, values.values())
        best = [pair for pair in values if values[pair] >= least]
        most = max(map(values.__getitem__, best))
        tied = {pair for pair in best if values[pair] == most}
        above = [pair for pair in best if values[pair] > least]
        level = [pair for pair in best if values[pair] == least]
        # Sorting by value keeps the tie rule's order among equals.
        ordered = sorted(self.in_tie_order(above, step), key=values.__getitem__, reverse=True)
        ordered += self.in_tie_order(level, step, enough - len(above))
        return ordered[:limit], tied

    def in_tie_order(self, pairs: Collection[str], step: int, limit: int | None = None) -> list[str]:
        """`pairs` in the order of the tie rule, the first `limit` of them."""
        if self.tie_rule == "first":
            return first_met(pairs, self.current_words(step).text, limit)
        rule: TieRule = LowestIds()
        if self.tie_rule == "greatest":
            rule = Greatest(self.vocabulary, self.corpus.pipeline.byte_level)
        return sorted(pairs, key=rule.key)[:limit]

    def met_in(self, step: int, pair: str) -> str:
        if self.tie_rule != "first":
            return ""
        text = self.current_words(step).text
        return self.corpus.words[text.count(SEPARATOR, 0, text.find(pair))]

    @abstractmethod
    def values(self, table: PairTable) -> Values:
        """What the algorithm ranks the pairs of `table` by."""

    def tied_pairs(self) -> Iterator[list[str]]:
        for rule, tied in self.walk():
            yield sorted(tied, key=rule.key)

    def tied_counts(self) -> Iterator[int]:
        return (len(tied) for _, tied in self.walk())

    def walk(self) -> Iterator[tuple[TieRule, set[str]]]:
        """The run made once more: before each merge the tie rule, and the pairs as good as the chosen one."""
        vocabulary = Vocabulary(self.tokens[: self.vocab_sizes[0]], self.prefix)
        table = PairTable(self._initial_words, self.corpus.counts)
        rule = tie_rule_for(self.tie_rule, table, vocabulary, self.corpus.pipeline.byte_level)
        values = self.values(table)
        levels: defaultdict[int, set[str]] = defaultdict(set)  # value → the pairs that have it
        value_of: dict[str, int] = {}

        def place(pair: str) -> None:
            if pair in value_of:
                levels[value_of.pop(pair)].discard(pair)
            if table.counts.get(pair, 0) >= self.settings["min_frequency"]:
                value_of[pair] = values.value(pair)
                levels[value_of[pair]].add(pair)

        for pair in table.counts:
            place(pair)
        for step in range(1, len(self) + 1):
            chosen, token = self.record.pair(step), self.record.token(step)
            yield rule, levels[value_of[chosen]]
            vocabulary.add(self.tokens[ord(token)])
            merge = table.merge(chosen, token)
            for pair in {*values.update(merge), *merge.changes}:
                place(pair)


SomeTrace = TypeVar("SomeTrace", bound=TieTrace)


def run_training(
    kind: type[SomeTrace],
    merges_of: Callable[[PairTable, Vocabulary, TieRule, int], Iterator[Merge]],
    corpus: Corpus,
    *,
    vocab_size: int | None,
    merges: int | None,
    min_frequency: int,
    special_tokens: Sequence[str],
    tie_rule: str,
    progress: Progress | None,
    prefix: str = "",
    suffix: str = "",
    extra_symbols: Iterable[str] = (),
    settings: Mapping[str, Any],
) -> SomeTrace:
    """Train by merging and record it: check the settings, split the words, run `merges_of`, write every merge down.

    `extra_symbols` are in the alphabet whether the corpus has them or not; `settings` are noted beside the common ones.
    """
    if tie_rule not in TIE_RULES:
        raise UnknownNameError(kind="tie_rule", name=tie_rule, known=TIE_RULES)
    for name, value, least in (("min_frequency", min_frequency, 1), ("merges", merges, 0)):
        if value is not None and value < least:
            raise SettingError(name=name, value=value, reason=Phrase("choose at least {least}", least=least))
    if "" in special_tokens:
        raise SettingError(name="special_tokens", value="", reason="an empty token can't be found in a text")

    firsts = {word[0] for word in corpus.words}
    others = set().union(*(word[1:] if prefix else word for word in corpus.words))
    inside = {prefix + symbol for symbol in others}
    symbols = sorted(firsts.union(inside, extra_symbols, filter(None, [suffix])))
    vocabulary = Vocabulary([*special_tokens, *symbols], prefix)
    if vocab_size is not None and vocab_size < len(vocabulary):
        raise VocabSizeError(vocab_size=vocab_size, minimum=len(vocabulary), what="alphabet")

    ids = vocabulary.ids
    at_start = {symbol: chr(ids[symbol]) for symbol in firsts}
    private = str.maketrans({symbol: chr(ids[prefix + symbol]) for symbol in others})
    end = chr(ids[suffix]) if suffix else ""
    words = [at_start[word[0]] + word[1:].translate(private) + end for word in corpus.words]
    table = PairTable(words, corpus.counts)
    rule = tie_rule_for(tie_rule, table, vocabulary, corpus.pipeline.byte_level)
    run = merges_of(table, vocabulary, rule, min_frequency)
    recorder, stop_reason = record_run(run, vocabulary, vocab_size, merges, progress)
    if stop_reason == "no_pairs" and table.counts:
        stop_reason = "min_frequency"
    return kind(
        corpus=corpus,
        special_tokens=tuple(dict.fromkeys(special_tokens)),
        alphabet=tuple(symbols),
        tokens=tuple(vocabulary.tokens),
        record=recorder.record(),
        stop_reason=stop_reason,
        settings={
            "vocab_size": vocab_size,
            "merges": merges,
            "min_frequency": min_frequency,
            "tie_rule": tie_rule,
            "continuing_subword_prefix": prefix,
            **settings,
        },
    )


def record_run(
    run: Iterator[Merge],
    vocabulary: Vocabulary,
    vocab_size: int | None,
    merges: int | None,
    progress: Progress | None,
) -> tuple[Recorder, str]:
    """The merges of `run` up to the limits, written down, and the reason for stopping there."""
    recorder = Recorder()
    wanted = merges if vocab_size is None else vocab_size - len(vocabulary)
    while True:
        if vocab_size is not None and len(vocabulary) >= vocab_size:
            return recorder, "vocab_size"
        if merges is not None and len(recorder) >= merges:
            return recorder, "max_merges"
        if progress is not None and len(recorder) % 64 == 0 and progress(len(recorder), wanted) is False:
            return recorder, "stopped"
        merge = next(run, None)
        if merge is None:
            return recorder, "no_pairs"
        recorder.add(merge)
