"""Byte-pair encoding: merge the most frequent pair of neighbours, everywhere, again and again.

Sources: Sennrich, Haddow and Birch (2016) for characters with an end-of-word symbol; Radford et al. (2019) for bytes;
the Hugging Face course, chapter 6, for the walk-through. What the papers leave open, and what decides most merges on
real text, is which of several equally frequent pairs goes first: see `TIE_RULES`.
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Any, ClassVar, Protocol

from tokenizers_core.errors import SettingError, UnknownNameError, VocabSizeError
from tokenizers_core.merging import (
    SEPARATOR,
    Merge,
    MergeTrace,
    Pair,
    PairTable,
    Progress,
    Recorder,
    Vocabulary,
    neighbours,
)
from tokenizers_core.text import BYTE_TO_SYMBOL, Corpus, symbols_to_bytes
from tokenizers_core.tokenizer import Tokenizer
from tokenizers_core.trace import StoredTrace

TIE_RULES: Mapping[str, str] = {
    "first": "the pair met first when the words are read in order (the course, minbpe)",
    "lowest_ids": "the pair with the lowest token ids (the tokenizers library, rustbpe)",
    "greatest": "the pair of byte strings that sorts last (Stanford CS336)",
}
"""Which of several equally frequent pairs is merged."""

ALPHABETS = ("corpus", "bytes")
"""Where BPE starts: from the symbols that occur in the corpus, or from all 256 bytes."""


class TieRule(Protocol):
    """Orders equally frequent pairs: the smallest `key` is merged first."""

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
        longer = [(chr(place), len(token) - 1) for place, token in enumerate(self.tokens) if len(token) > 1]
        lengths = (
            len(word) + sum(word.count(symbol) * more for symbol, more in longer) for word in table.words
        )
        self.starts = list(accumulate(lengths, initial=0))

    def key(self, pair: str) -> int:
        index = self.table.first_word(pair)
        word, tokens = self.table.words[index], self.tokens
        before = word[: word.find(pair)]
        return self.starts[index] + sum([len(tokens[ord(symbol)]) for symbol in before])

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


def bpe_merges(
    table: PairTable, vocabulary: Vocabulary, rule: TieRule, min_frequency: int = 1
) -> Iterator[Merge]:
    """The merges of a run, one after the other, until no pair occurs `min_frequency` times.

    The queue holds (−count, place, pair). A count that fell, or a place that moved on, leaves its entry as it is:
    too good. It comes to the top too early, is set right there, and goes back.
    """
    counts = table.counts
    queue = [(-count, rule.bound(pair), pair) for pair, count in counts.items()]
    heapq.heapify(queue)
    while queue:
        negative, place, pair = queue[0]
        count = counts.get(pair, 0)
        if count == 0:
            heapq.heappop(queue)
        elif count != -negative:
            heapq.heapreplace(queue, (-count, place, pair))
        elif (now := rule.key(pair)) != place:
            heapq.heapreplace(queue, (-count, now, pair))
        elif count < min_frequency:
            return
        else:
            token = chr(vocabulary.add(vocabulary.tokens[ord(pair[0])] + vocabulary.tokens[ord(pair[1])]))
            merge = table.merge(pair, token)
            yield merge
            for changed in merge.changes:
                if token in changed and changed in counts:
                    heapq.heappush(queue, (-counts[changed], rule.bound(changed), changed))


def train_bpe(
    corpus: Corpus,
    vocab_size: int | None = None,
    *,
    merges: int | None = None,
    min_frequency: int = 1,
    special_tokens: Sequence[str] = (),
    tie_rule: str = "first",
    alphabet: str = "corpus",
    end_of_word_suffix: str | None = None,
    progress: Progress | None = None,
) -> BpeTrace:
    """Train byte-pair encoding on `corpus` and record every step.

    The vocabulary starts with the special tokens and the sorted alphabet; each merge adds one token. Training stops
    at `vocab_size` tokens, after `merges` merges, when the best pair occurs fewer than `min_frequency` times, or when
    no pair is left, whichever comes first (`BpeTrace.stop_reason`). `tie_rule` is one of `TIE_RULES`, `alphabet` one
    of `ALPHABETS`. `end_of_word_suffix` is a last symbol for each word; by default the corpus's own. `progress` is
    called now and then and can stop the run.

    >>> trace = train_bpe(Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}), merges=3)
    >>> [trace[step].event.token for step in (1, 2, 3)], trace.stop_reason
    (['ug', 'un', 'hug'], 'max_merges')

    Raises `VocabSizeError` for a vocabulary below special tokens and alphabet, `UnknownNameError` for an unknown rule
    or alphabet, and `SettingError` for a number that makes no sense.
    """
    suffix = corpus.pipeline.suffix if end_of_word_suffix is None else end_of_word_suffix
    if tie_rule not in TIE_RULES:
        raise UnknownNameError(kind="tie_rule", name=tie_rule, known=TIE_RULES)
    if alphabet not in ALPHABETS:
        raise UnknownNameError(kind="alphabet", name=alphabet, known=ALPHABETS)
    check_setting("min_frequency", min_frequency, 1)
    if merges is not None:
        check_setting("merges", merges, 0)
    if "" in special_tokens:
        raise SettingError(name="special_tokens", value="", reason="an empty token can't be found in a text")

    symbols = sorted(
        set(BYTE_TO_SYMBOL if alphabet == "bytes" else ()).union(*corpus.words, filter(None, [suffix]))
    )
    vocabulary = Vocabulary([*special_tokens, *symbols])
    if vocab_size is not None and vocab_size < len(vocabulary):
        raise VocabSizeError(vocab_size=vocab_size, minimum=len(vocabulary), what="alphabet")

    private = str.maketrans({symbol: chr(vocabulary.ids[symbol]) for symbol in symbols if len(symbol) == 1})
    end = vocabulary.write([suffix] if suffix else [])
    table = PairTable([word.translate(private) + end for word in corpus.words], corpus.counts)
    rule = tie_rule_for(tie_rule, table, vocabulary, corpus.pipeline.byte_level)
    run = bpe_merges(table, vocabulary, rule, min_frequency)
    recorder, stop_reason = record_run(run, vocabulary, vocab_size, merges, progress)
    if stop_reason == "no_pairs" and table.counts:
        stop_reason = "min_frequency"
    return BpeTrace(
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
            "alphabet": alphabet,
            "end_of_word_suffix": suffix,
        },
    )


def check_setting(name: str, value: int, least: int) -> None:
    """Refuse a setting that is not a whole number of at least `least`."""
    if value < least:
        raise SettingError(name=name, value=value, reason=f"choose at least {least}")


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


@dataclass(frozen=True, eq=False)
class BpeTrace(MergeTrace):
    """A recorded run of `train_bpe`."""

    algorithm: ClassVar[str] = "bpe"

    @property
    def tie_rule(self) -> str:
        return str(self.settings["tie_rule"])

    def symbols(self, word: str) -> tuple[str, ...]:
        suffix = self.settings["end_of_word_suffix"]
        return (*word, suffix) if suffix else tuple(word)

    def best_pairs(self, step: int, limit: int | None) -> tuple[list[str], Collection[str]]:
        counts = self.pair_counts(step)
        if not counts:
            return [], ()
        enough = len(counts) if limit is None else max(1, limit)
        *_, least = heapq.nlargest(enough, counts.values())
        best = [pair for pair in counts if counts[pair] >= least]
        most = max(map(counts.__getitem__, best))
        tied = {pair for pair in best if counts[pair] == most}
        above = [pair for pair in best if counts[pair] > least]
        level = [pair for pair in best if counts[pair] == least]
        # Sorting by count keeps the tie rule's order among equals.
        ordered = sorted(self.in_tie_order(above, step), key=counts.__getitem__, reverse=True)
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

    def tokenizer(self, step: int | None = None, unk_token: str = "[UNK]") -> Tokenizer:
        """The tokenizer as it stands after `step` merges (default: all).

        Where a character can be unknown (always, unless all 256 bytes are in the alphabet) `unk_token` stands for
        it; if it is not in the vocabulary it gets the next free id.
        """
        snapshot = self[-1 if step is None else step]
        tokens, special_tokens = list(snapshot.vocab), list(self.special_tokens)
        pipeline = self.corpus.pipeline
        if pipeline.byte_level and set(BYTE_TO_SYMBOL) <= set(self.alphabet):
            unk_token = ""
        else:
            if unk_token not in tokens:
                tokens.append(unk_token)
            if unk_token not in special_tokens:
                special_tokens.append(unk_token)
        suffix = str(self.settings["end_of_word_suffix"])
        return Tokenizer(pipeline, BpeModel(tokens, snapshot.merges, unk_token, suffix), special_tokens)

    def tied_pairs(self) -> Iterator[list[str]]:
        vocabulary = Vocabulary(self.tokens[: self.vocab_sizes[0]])
        table = PairTable(self._initial_words, self.corpus.counts)
        rule = tie_rule_for(self.tie_rule, table, vocabulary, self.corpus.pipeline.byte_level)
        level: defaultdict[int, set[str]] = defaultdict(set)  # frequency → the pairs that have it
        for pair, count in table.counts.items():
            level[count].add(pair)
        for step in range(1, len(self) + 1):
            yield sorted(level[self.record.frequencies[step - 1]], key=rule.key)
            token = self.record.token(step)
            vocabulary.add(self.tokens[ord(token)])
            for pair, change in table.merge(self.record.pair(step), token).changes.items():
                count = table.counts.get(pair, 0)
                level[count - change].discard(pair)
                if count:
                    level[count].add(pair)

    def tied_counts(self) -> Iterator[int]:
        counts = dict(self.pair_counts(0))
        sizes = Counter(counts.values())  # frequency → number of pairs that have it
        for step in range(1, len(self) + 1):
            yield sizes[self.record.frequencies[step - 1]]
            for pair, change in self.record.changes_at(step).items():
                before = counts.get(pair, 0)
                sizes[before] -= 1
                sizes[before + change] += 1
                counts[pair] = before + change


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


def lowest_rank_pair(word: str, ranks: Mapping[str, int]) -> str | None:
    """The pair of neighbours that was learned first; None when no learned pair is left in the word."""
    best = min(neighbours(word), key=lambda pair: ranks.get(pair, len(ranks)), default="")
    return best if best in ranks else None


def apply_merges(word: str, ranks: Mapping[str, int], merged: Mapping[str, str]) -> str:
    """Encode a word: merge the learned pair of lowest rank wherever it stands, until none is left.

    `ranks` gives each pair's rank, `merged` the token it becomes.

    >>> apply_merges("hug", {"ug": 0, "hU": 1}, {"ug": "U", "hU": "H"})
    'H'
    """
    while (pair := lowest_rank_pair(word, ranks)) is not None:
        word = word.replace(pair, merged[pair])
    return word


LONG_WORD = 100
"""From this many symbols on, looking at the whole word for each merge costs more than a queue."""


def apply_merges_long(word: str, ranks: Mapping[str, int], merged: Mapping[str, str]) -> str:
    """What `apply_merges` does, in time near-linear in the word's length: a queue of (rank, place, pair)."""
    symbols = list(word)
    following = [*range(1, len(symbols)), -1]
    before = list(range(-1, len(symbols) - 1))
    queue: list[tuple[int, int, str]] = []

    def offer(place: int) -> None:
        if place >= 0 and following[place] >= 0:
            pair = symbols[place] + symbols[following[place]]
            if pair in ranks:
                heapq.heappush(queue, (ranks[pair], place, pair))

    for place in range(len(symbols)):
        offer(place)
    while queue:
        # All places of the lowest rank, left to right; the pairs they make wait until these are done.
        rank, made = queue[0][0], []
        while queue and queue[0][0] == rank:
            _, place, pair = heapq.heappop(queue)
            right = following[place]
            if right < 0 or symbols[place] + symbols[right] != pair:
                continue  # one of the two has become part of another token
            symbols[place], symbols[right] = merged[pair], ""
            following[place] = following[right]
            if following[right] >= 0:
                before[following[right]] = place
            made.append(place)
        for place in made:
            offer(before[place])
            offer(place)
    return "".join(symbols)


@dataclass(frozen=True)
class SplitEvent:
    """The beginning of an encoding: the word is split into its symbols."""

    word: str
    kind: ClassVar[str] = "split"


@dataclass(frozen=True)
class ApplyEvent:
    """One learned merge, applied to the word."""

    pair: Pair
    token: str
    rank: int
    places: int
    """How often the merge was made in the word."""
    kind: ClassVar[str] = "apply"


@dataclass(frozen=True)
class EncodingSnapshot:
    """A word after `step` merges of its encoding."""

    step: int
    event: SplitEvent | ApplyEvent
    tokens: tuple[str, ...]
    options: tuple[tuple[Pair, int], ...]
    """The learned pairs that stand in the word now, each with its rank, lowest rank first."""


class BpeModel:
    """Learned merges, ready to encode words. Words that were encoded before are remembered."""

    CACHE_LIMIT = 100_000

    def __init__(
        self, tokens: Sequence[str], merges: Sequence[Pair], unk_token: str = "", suffix: str = ""
    ) -> None:
        self.vocabulary = Vocabulary(tokens)
        self.merges = merges
        self.unk_token = unk_token
        self.suffix = suffix
        write = self.vocabulary.write
        self.ranks: dict[str, int] = {}
        self.merged: dict[str, str] = {}
        for rank, pair in enumerate(merges):
            key = write(pair)
            self.ranks.setdefault(key, rank)  # a pair learned twice keeps its first rank
            self.merged[key] = write([pair.first + pair.second])
        self._cache: dict[str, tuple[int, ...]] = {}

    def symbols(self, word: str) -> list[str]:
        """The word's symbols; an unknown character becomes the unknown token."""
        known = self.vocabulary.ids
        symbols = [symbol if symbol in known else self.unk_token for symbol in word]
        return [*symbols, self.suffix] if self.suffix else symbols

    def encode_word(self, word: str) -> tuple[int, ...]:
        """The ids of a word's tokens."""
        ids = self._cache.get(word)
        if ids is None:
            text = self.vocabulary.write(self.symbols(word))
            encode = apply_merges if len(text) < LONG_WORD else apply_merges_long
            ids = tuple(map(ord, encode(text, self.ranks, self.merged)))
            if len(self._cache) < self.CACHE_LIMIT and len(word) < LONG_WORD:
                self._cache[word] = ids
        return ids

    def explain(self, word: str) -> StoredTrace[EncodingSnapshot]:
        """The encoding of a word, merge by merge."""
        ranks, read = self.ranks, self.vocabulary.read
        text = self.vocabulary.write(self.symbols(word))
        event: SplitEvent | ApplyEvent = SplitEvent(word)
        snapshots: list[EncodingSnapshot] = []
        while True:
            present = sorted({pair for pair in neighbours(text) if pair in ranks}, key=ranks.__getitem__)
            options = tuple((Pair(*read(pair)), ranks[pair]) for pair in present)
            snapshots.append(EncodingSnapshot(len(snapshots), event, read(text), options))
            if not present:
                return StoredTrace(tuple(snapshots), "no_pairs")
            pair, token = present[0], self.merged[present[0]]
            event = ApplyEvent(Pair(*read(pair)), read(token)[0], ranks[pair], text.count(pair))
            text = text.replace(pair, token)
