"""WordPiece: merge the pair with the best score, freq(pair) / (freq(first) × freq(second)).

Inside a word every symbol carries the continuation prefix ``##``; merging ``a`` and ``##b`` gives ``ab``. A
frequent pair of frequent symbols scores low, a pair of symbols that rarely occur apart scores high.

Sources: the idea is Schuster and Nakajima's (2012). Google never published the trainer of BERT's vocabulary,
so this is the reading of the Hugging Face course, chapter 6; the `tokenizers` library trains BPE under this
name.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from typing import Any, ClassVar, Literal

from tokenizers_core.encoding.models.pairs import split_word
from tokenizers_core.encoding.models.wordpiece import (
    MAX_CHARACTERS,
    PREFIX,
    WordPieceModel,
)
from tokenizers_core.encoding.tokenizer import Tokenizer, trained_tokenizer
from tokenizers_core.encoding.vocabulary import Private, PrivatePair, Vocabulary, with_unknown
from tokenizers_core.errors import WHOLE_NUMBER, Phrase, SettingError, refuse_wrong_type
from tokenizers_core.lazy import cached_property
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.trace import Growing, Replay
from tokenizers_core.training.merge_trace import Candidate, MergeEvent, MergeSnapshot, MergeTrace, StartEvent
from tokenizers_core.training.merge_training import run_training
from tokenizers_core.training.merging import Merge, PairTable, Progress
from tokenizers_core.training.options.bounds import Bounds
from tokenizers_core.training.options.limits import Limits
from tokenizers_core.training.ties import TieOrder


def score(pair: int, first: int, second: int) -> Fraction:
    """The score of a pair from three frequencies in the current splits: the pair's and its two symbols'.

    >>> score(5, 20, 5), score(15, 15, 36)
    (Fraction(1, 20), Fraction(1, 36))
    """
    return Fraction(pair, first * second)


def whole_score(pair: int, first: int, second: int, total: int) -> int:
    """A score as a whole number, scaled for exact comparison without the cost of fractions.

    With `total` symbols in the corpus no denominator is above total², so two different scores differ by at
    least 1 / total⁴.
    """
    return (pair << 4 * total.bit_length()) // (first * second)


class Scores:
    """The scores of all pairs, updated with every merge.

    A merge makes its two symbols rarer, so every pair with one of them scores higher: only those pairs and
    pairs with a changed count get new scores.
    """

    def __init__(self, table: PairTable) -> None:
        self.counts = table.counts
        self.frequencies = count_symbols(table.words, table.frequencies)
        self.total = sum(self.frequencies.values())
        self.pairs_of: dict[str, set[PrivatePair]] = {symbol: set() for symbol in self.frequencies}
        for pair in self.counts:
            for symbol in pair:
                self.pairs_of[symbol].add(pair)

    def value(self, pair: PrivatePair) -> int:
        """The pair's score, scaled."""
        frequencies = self.frequencies
        return whole_score(self.counts[pair], frequencies[pair[0]], frequencies[pair[1]], self.total)

    def rounded(self, pair: PrivatePair) -> float:
        """The score as a float: of two scores, the greater one is never rounded to the smaller float."""
        return self.counts[pair] / (self.frequencies[pair[0]] * self.frequencies[pair[1]])

    def exact(self, pair: PrivatePair) -> Fraction:
        """The score itself."""
        return score(self.counts[pair], self.frequencies[pair[0]], self.frequencies[pair[1]])

    def note(self, merge: Merge) -> None:
        """Take note of a merge."""
        pairs_of = self.pairs_of
        pairs_of.setdefault(merge.token, set())
        for pair in merge.changes:
            for symbol in pair:
                if pair in self.counts:
                    pairs_of[symbol].add(pair)
                else:
                    pairs_of[symbol].discard(pair)
        for symbol in merge.pair:
            self.frequencies[symbol] -= merge.applied
        self.frequencies[merge.token] += merge.applied

    def update(self, merge: Merge) -> Collection[PrivatePair]:
        """Update the scores after a merge; returns the pairs with possibly changed scores."""
        self.note(merge)
        return set().union(*map(self.pairs_of.__getitem__, (*merge.pair, merge.token)))


def count_symbols(words: Iterable[Private], frequencies: Iterable[int]) -> Counter[str]:
    """How often each symbol occurs in the corpus.

    >>> count_symbols(map(Private, ["hug", "hugs"]), [10, 5])["g"]
    15
    """
    counts: Counter[str] = Counter()
    for word, frequency in zip(words, frequencies, strict=True):
        for symbol in word:
            counts[symbol] += frequency
    return counts


def floor(frequency: int) -> int:
    """How rare a symbol may become before its pairs get new bounds: see `ScoreQueue`.

    >>> floor(1600), floor(15)
    (1500, 15)
    """
    return frequency - frequency // 16


class ScoreQueue:
    """The pairs in the order of their scores, although each merge changes the scores of all pairs with its
    symbols.

    Of these pairs, hundreds for a letter, nearly all are far from the best. So a pair first waits with a
    bound: its score if both its symbols were as rare as their `floors`. Until a symbol falls below its floor,
    which gives all its pairs new bounds, a bound is right or too good. Once its bound reaches the best score,
    a pair is `near`: from then on its score is kept up to date.

    Queues have entries (−score, place, pair) and (−bound, pair). A new score or bound adds an entry; an entry
    with an outdated one is dropped when it reaches the top. When most entries must be outdated, the queues
    are built again.
    """

    def __init__(
        self, table: PairTable, order: TieOrder, min_frequency: int, bounds: Bounds | None = None
    ) -> None:
        self.counts, self.order, self.min_frequency = table.counts, order, min_frequency
        self.bounds = bounds
        self.scores = Scores(table)
        self.floors = {symbol: floor(count) for symbol, count in self.scores.frequencies.items()}
        self.near: set[PrivatePair] = set()
        self.queue: list[tuple[int, Any, PrivatePair]] = []
        self.waiting: list[tuple[float, PrivatePair]] = []
        self.put(self.counts)

    def bound(self, pair: PrivatePair) -> float:
        """The upper bound of `Scores.rounded` until one of the symbols falls below its floor."""
        return self.counts[pair] / (self.floors[pair[0]] * self.floors[pair[1]])

    def put(self, pairs: Iterable[PrivatePair]) -> None:
        """Add entries for pairs with a possibly new score or bound."""
        bounds = self.bounds
        for pair in pairs:
            if self.counts.get(pair, 0) < self.min_frequency or (bounds is not None and bounds.reason(pair)):
                self.near.discard(pair)
            elif pair in self.near:
                heapq.heappush(self.queue, (-self.scores.value(pair), self.order.bound(pair), pair))
            else:
                heapq.heappush(self.waiting, (-self.bound(pair), pair))

    def best(self) -> PrivatePair | None:
        """The next pair to merge; None when no pair is left."""
        queue, waiting = self.queue, self.waiting
        while True:
            while queue and not (queue[0][2] in self.near and self.scores.value(queue[0][2]) == -queue[0][0]):
                heapq.heappop(queue)
            if waiting and (not queue or -waiting[0][0] >= self.scores.rounded(queue[0][2])):
                self.approach(*heapq.heappop(waiting))
            elif not queue:
                return None
            else:
                negative, position, pair = queue[0]
                if (now := self.order.key(pair)) == position:
                    return pair
                heapq.heapreplace(queue, (negative, now, pair))

    def approach(self, negative: float, pair: PrivatePair) -> None:
        """A pair with this bound has come to the top of those waiting: it is near, unless its bound is lower
        by now."""
        if self.counts.get(pair, 0) >= self.min_frequency and pair not in self.near:
            if self.bound(pair) == -negative:
                self.near.add(pair)
            self.put([pair])

    def update(self, merge: Merge) -> None:
        """Take note of a merge."""
        self.scores.note(merge)
        self.near.difference_update([pair for pair in merge.changes if pair not in self.counts])
        frequencies, pairs_of, floors = self.scores.frequencies, self.scores.pairs_of, self.floors
        symbols = {*merge.pair, merge.token}
        moved = {symbol for symbol in symbols if frequencies[symbol] < floors.get(symbol, 0)} | {merge.token}
        floors.update((symbol, floor(frequencies[symbol])) for symbol in moved)
        for symbol in symbols:
            self.put(pairs_of[symbol] if symbol in moved else pairs_of[symbol] & self.near)
        if len(self.queue) + len(self.waiting) > 4 * len(self.counts) + 1000:
            for stored in (self.queue, self.waiting, self.near):
                stored.clear()
            self.put(self.counts)


def wordpiece_merges(
    table: PairTable,
    vocabulary: Vocabulary,
    order: TieOrder,
    min_frequency: int = 1,
    bounds: Bounds | None = None,
) -> Iterator[Merge]:
    """The merges of a run, one after the other, until no pair allowed by `bounds` occurs `min_frequency`
    times."""
    queue = ScoreQueue(table, order, min_frequency, bounds)
    while pair := queue.best():
        merge = table.merge(pair, Private(chr(vocabulary.join(pair))))
        yield merge
        queue.update(merge)


def train_wordpiece(
    corpus: Corpus,
    vocab_size: int | None = None,
    *,
    merges: int | None = None,
    min_frequency: int = 1,
    special_tokens: Sequence[str] = (),
    tie_rule: str = "first",
    max_input_chars_per_word: int = MAX_CHARACTERS,
    max_token_length: int | None = None,
    limit_alphabet: int | None = None,
    initial_alphabet: Sequence[str] = (),
    character_coverage: float = 1.0,
    progress: Progress | None = None,
    growing: Growing | None = None,
) -> WordPieceTrace:
    """Train WordPiece on `corpus` and record every step.

    The vocabulary starts with the special tokens and the sorted alphabet (each character as it occurs in the
    corpus: with ``##`` inside words); each merge adds one token. Arguments, stops and errors are those of
    `train_bpe`; pairs with fewer than `min_frequency` occurrences are skipped. `max_input_chars_per_word` is
    for encoding.

    >>> trace = train_wordpiece(
    ...     Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}), merges=3
    ... )
    >>> [trace[step].event.token for step in (1, 2, 3)]
    ['##gs', 'hu', 'hugs']
    """
    most = max_input_chars_per_word
    refuse_wrong_type("max_input_chars_per_word", most, Integral, WHOLE_NUMBER)
    if most < 1:
        reason = Phrase("choose at least {least}", least=1)
        raise SettingError(name="max_input_chars_per_word", value=most, reason=reason)
    return run_training(
        WordPieceTrace,
        wordpiece_merges,
        corpus,
        prefix=PREFIX,
        vocab_size=vocab_size,
        merges=merges,
        min_frequency=min_frequency,
        special_tokens=special_tokens,
        tie_rule=tie_rule,
        progress=progress,
        growing=growing,
        limits=Limits(max_token_length, limit_alphabet, initial_alphabet, character_coverage),
        settings={"max_input_chars_per_word": most},
    )


@dataclass(frozen=True)
class ScoredCandidate(Candidate):
    """A candidate for the next merge, with the numbers of its score."""

    first_freq: int
    second_freq: int
    before: Fraction | None
    """Its score before the last step; None for a new pair, and at the start."""

    @property
    def score(self) -> Fraction:
        """freq / (first_freq × second_freq), reduced."""
        return score(self.freq, self.first_freq, self.second_freq)

    @property
    def value(self) -> Fraction:
        return self.score


@dataclass(frozen=True)
class WordPieceEvent(MergeEvent):
    """One merge of WordPiece, with the merge BPE would have made instead."""

    candidates: Sequence[ScoredCandidate]
    most_frequent: ScoredCandidate
    """The most frequent pair, by the same tie rule."""


@dataclass(frozen=True, eq=False, repr=False)
class WordPieceSnapshot(MergeSnapshot):
    """The state of a run of WordPiece after `step` merges."""

    trace: WordPieceTrace

    @cached_property
    def event(self) -> StartEvent | WordPieceEvent:
        """The event that led to this state."""
        trace, step = self.trace, self.step
        return trace.merge_event(step) if step else StartEvent(trace.alphabet, trace.special_tokens)

    def candidates(self, limit: int | None = None) -> Sequence[ScoredCandidate]:
        """The candidates for the next merge, best score first, ties in the order of the tie rule."""
        return self.trace.candidates(self.step, limit)


@dataclass(frozen=True, eq=False, repr=False)
class WordPieceTrace(MergeTrace):
    """A recorded run of `train_wordpiece`."""

    algorithm: ClassVar[str] = "wordpiece"
    ranked_by: ClassVar[Literal["score"]] = "score"
    replayed: ClassVar[tuple[str, ...]] = (*MergeTrace.replayed, "_symbols")

    def symbols(self, word: str) -> tuple[str, ...]:
        return self.in_alphabet(split_word(word, PREFIX))

    def values(self, table: PairTable) -> Scores:
        return Scores(table)

    def snapshot(self, step: int) -> WordPieceSnapshot:
        return WordPieceSnapshot(self, step)

    def merge_event(self, step: int) -> WordPieceEvent:
        return WordPieceEvent(**vars(super().merge_event(step)), most_frequent=self.most_frequent(step - 1))

    def most_frequent(self, step: int) -> ScoredCandidate:
        """BPE's choice after `step` merges."""
        (best, *_), _tied = self.best_by(self._allowed(self.eligible(step), step), step, 1)
        return self._candidates(step, [best], ())[0]

    @property
    def least_count(self) -> int:
        return int(self.settings["min_frequency"])

    def eligible(self, step: int) -> Mapping[PrivatePair, int]:
        """The pairs frequent enough to be merged after `step` merges, and their counts."""
        least = self.least_count
        return {pair: count for pair, count in self.pair_counts(step).items() if count >= least}

    def pair_total(self, step: int) -> int:
        return len(self._allowed(self.eligible(step), step))

    def pair_values(self, step: int) -> Mapping[PrivatePair, int]:
        frequencies = self.symbol_counts(step)
        total = sum(frequencies.values())
        return {
            pair: whole_score(count, frequencies[pair[0]], frequencies[pair[1]], total)
            for pair, count in self.eligible(step).items()
        }

    def candidates(self, step: int, limit: int | None = None) -> Sequence[ScoredCandidate]:
        step = self.step_number(step)
        return self._candidates(step, *self.best_pairs(step, limit))

    def _candidates(
        self, step: int, pairs: Collection[PrivatePair], tied: Collection[PrivatePair]
    ) -> Sequence[ScoredCandidate]:
        now, then = self.symbol_counts(step), self.symbol_counts(max(0, step - 1))
        candidates = []
        for pair, facts in zip(pairs, self._facts(step, pairs, tied), strict=True):
            _pair, freq, change, _tied = facts
            old = freq - change if step else 0
            before = score(old, then[pair[0]], then[pair[1]]) if old else None
            candidates.append(ScoredCandidate(*facts, now[pair[0]], now[pair[1]], before))
        return candidates

    def score_at(self, step: int) -> Fraction:
        """The score of the pair merged in step `step` (from 1)."""
        counts, pair = self.symbol_counts(step - 1), self.record.pair(step)
        return score(self.record.frequencies[step - 1], counts[pair[0]], counts[pair[1]])

    def symbol_counts(self, step: int) -> Mapping[str, int]:
        """Private symbol → how often it occurs in the corpus after `step` merges; not to be modified."""
        return self._symbols.at(step)

    @cached_property
    def _symbols(self) -> Replay[Counter[str]]:
        def apply(counts: Counter[str], step: int) -> Counter[str]:
            applied = self.record.applied[step - 1]
            for symbol in self.record.pair(step):
                counts[symbol] -= applied
            counts[self.record.token(step)] += applied
            return counts

        return Replay(lambda: count_symbols(self._initial_words, self.corpus.counts), Counter, apply)

    def tokenizer(self, step: int | None = None, unk_token: str = MergeTrace.unk_token) -> Tokenizer:
        """The tokenizer after `step` merges (default: all).

        A word the vocabulary can't spell is one `unk_token`, with the next free id if it is not in the
        vocabulary.
        """
        vocab = self[-1 if step is None else step].vocab
        tokens, special_tokens = with_unknown(vocab, self.special_tokens, unk_token)
        model = WordPieceModel(tokens, unk_token, self.settings["max_input_chars_per_word"])
        return trained_tokenizer(self.corpus.pipeline, model, special_tokens)
