"""Learning by merging: pairs, words, and the merge that BPE and WordPiece share.

Inside a run a token is one private character, ``chr(id)``; a word is a string of them, a pair a string of two, and a
merge is `str.replace`. That is compact and quick, and `str.replace` merges exactly as the algorithms demand: every
occurrence, left to right, without overlap. `Pair` and the readable token strings come back at the edge, in
`MergeEvent` and `Candidate`.

A `PairTable` counts the neighbours once and then updates only what a merge touches, as Sennrich et al. (2016),
"Neural Machine Translation of Rare Words with Subword Units", suggest. What each merge changed is kept as a
`MergeRecord`, from which a `MergeTrace` rebuilds any step.
"""

from __future__ import annotations

import operator
from abc import abstractmethod
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from itertools import accumulate, islice
from typing import Any, ClassVar, Literal, NamedTuple

from tokenizers_core.encoding.vocabulary import Vocabulary
from tokenizers_core.errors import UnknownWordError
from tokenizers_core.lazy import cached_property
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.trace import ByContent, Replay, Trace

SEPARATOR = chr(0x10FFFF)
"""Stands between two words when a whole corpus is one string; no token id reaches it."""

TIES_LISTED = 12
"""How many of the tied pairs an event lists; their number is always exact."""

CANDIDATES_LISTED = 12
"""How many of the best pairs an event lists."""

Progress = Callable[[int, int | None], bool | None]
"""Called with the merges learned so far and the number asked for (None when unknown); returning False stops."""


class Pair(NamedTuple):
    """Two neighbouring tokens of one word."""

    first: str
    second: str


def merge_pair(symbols: Sequence[str], pair: Pair, token: str | None = None) -> tuple[str, ...]:
    """`symbols` with every occurrence of `pair` replaced by one token, left to right, without overlap.

    >>> merge_pair(("h", "u", "g", "s"), Pair("u", "g"))
    ('h', 'ug', 's')
    >>> merge_pair(("a", "a", "a"), Pair("a", "a"))
    ('aa', 'a')
    """
    token = pair.first + pair.second if token is None else token
    return tuple(token if len(group) == 2 else group[0] for group in group_pair(symbols, pair))


def split_word(word: str, prefix: str = "", suffix: str = "") -> tuple[str, ...]:
    """A word's symbols: its characters, with `prefix` on all but the first, and `suffix` at the end.

    >>> split_word("hug"), split_word("hug", prefix="##"), split_word("hug", suffix="</w>")
    (('h', 'u', 'g'), ('h', '##u', '##g'), ('h', 'u', 'g', '</w>'))
    """
    inside = [prefix + character for character in word[1:]] if prefix else word[1:]
    return (*word[:1], *inside, *filter(None, [suffix]))


def group_pair(symbols: Sequence[str], pair: Pair) -> list[tuple[str, ...]]:
    """What `merge_pair` would merge, as groups: the pair where it merges, every other symbol alone.

    >>> group_pair(("a", "a", "a"), Pair("a", "a"))
    [('a', 'a'), ('a',)]
    """
    groups: list[tuple[str, ...]] = []
    position = 0
    while position < len(symbols):
        width = 2 if tuple(symbols[position : position + 2]) == pair else 1
        groups.append(tuple(symbols[position : position + width]))
        position += width
    return groups


def neighbours(word: str) -> Iterator[str]:
    """The pairs of neighbours of a word, overlapping ones included.

    >>> list(neighbours("aaab"))
    ['aa', 'aa', 'ab']
    """
    return map(operator.add, word, islice(word, 1, None))


def count_pairs(words: Iterable[str], frequencies: Iterable[int]) -> dict[str, int]:
    """How often each pair stands in the corpus: its occurrences in each word times the word's frequency.

    Overlapping occurrences all count (``aaa`` holds the pair ``aa`` twice), in the order in which the pairs are met.

    >>> count_pairs(["hug", "hugs"], [10, 5])
    {'hu': 15, 'ug': 15, 'gs': 5}
    """
    counts: dict[str, int] = {}
    for word, frequency in zip(words, frequencies, strict=True):
        for pair in neighbours(word):
            counts[pair] = counts.get(pair, 0) + frequency
    return counts


class Merge(NamedTuple):
    """One merge, as a training loop makes it; tokens and pairs are private characters."""

    pair: str
    token: str
    frequency: int
    """Occurrences of the pair in the corpus, overlapping ones included."""
    applied: int
    """Occurrences that were merged: fewer than `frequency` where occurrences overlap."""
    changes: dict[str, int]
    """Pair → change of its count, the merged pair included; zero where losses and gains cancel out."""
    words: list[int]
    """Indices of the words that changed, in order."""


class PairTable:
    """The words of a corpus and the counts of their pairs, kept right under merging.

    A merge costs in proportion to the places where it happens. `where` lists, for each pair, the words that may
    hold it: a word is added when the pair is born there and looked at again only when the pair is merged.
    """

    def __init__(self, words: Sequence[str], frequencies: Sequence[int]) -> None:
        self.words = list(words)
        self.frequencies = frequencies
        places: defaultdict[str, list[int]] = defaultdict(list)
        for index, word in enumerate(self.words):
            for pair in neighbours(word):
                places[pair].append(index)
        self.counts = {pair: self._frequency(indices) for pair, indices in places.items()}
        self.where = {pair: list(dict.fromkeys(indices)) for pair, indices in places.items()}

    def _frequency(self, places: Iterable[int]) -> int:
        """How often these places stand in the corpus, each given as the index of its word."""
        return sum(map(self.frequencies.__getitem__, places))

    def first_word(self, pair: str) -> int:
        """The index of the first word that holds `pair`, which must occur."""
        words, where = self.words, self.where[pair]
        stale = 0
        while pair not in words[where[stale]]:
            stale += 1
        del where[:stale]
        return where[0]

    def merge(self, pair: str, token: str) -> Merge:
        """Replace `pair` by `token` in every word and update the counts around each place.

        Beside a place the pair of an old neighbour becomes another: where ``ab`` is merged to ``T``, ``xaby`` holds
        ``xT`` instead of ``xa`` and ``Ty`` instead of ``by``. So the places are sorted by neighbour first, and
        counting is done once for each neighbour.
        """
        words = self.words
        left_of: defaultdict[str, list[int]] = defaultdict(
            list
        )  # neighbour → its places, as indices of words
        right_of: defaultdict[str, list[int]] = defaultdict(list)
        side_by_side: list[int] = []
        changed: list[int] = []
        applied = 0
        for index in self.where.pop(pair):
            parts = words[index].split(pair)
            if len(parts) == 1:
                continue  # an earlier merge took the pair from this word
            words[index] = token.join(parts)
            changed.append(index)
            applied += self.frequencies[index] * (len(parts) - 1)
            if parts[0]:
                left_of[parts[0][-1]].append(index)
            for part in parts[1:-1]:
                if part:
                    right_of[part[0]].append(index)
                    left_of[part[-1]].append(index)
                else:
                    side_by_side.append(index)
            if parts[-1]:
                right_of[parts[-1][0]].append(index)
        frequency = self.counts[pair]
        first, second = pair[0], pair[1]
        moves = [(left + first, left + token, places) for left, places in left_of.items()]
        moves += [(second + right, token + right, places) for right, places in right_of.items()]
        if side_by_side:
            moves.append((second + first, token + token, side_by_side))
        return Merge(pair, token, frequency, applied, self._count(pair, moves), changed)

    def _count(self, merged: str, moves: Iterable[tuple[str, str, list[int]]]) -> dict[str, int]:
        """Count the pair `merged` no more, and in each move a new pair for an old one; returns what changed."""
        counts, where = self.counts, self.where
        changes: defaultdict[str, int] = defaultdict(int)
        for old, new, places in moves:
            # Most neighbours stand in one place only: no need to add up, nor to look for a word listed twice.
            single = len(places) == 1
            frequency = self.frequencies[places[0]] if single else self._frequency(places)
            indices = places if single else list(dict.fromkeys(places))
            changes[old] -= frequency
            changes[new] += frequency
            # A token made by a second route meets old neighbours again, in any words.
            where[new] = sorted({*where[new], *indices}) if new in where else indices
        changes[merged] = -counts[
            merged
        ]  # all its occurrences, those too that overlapped and so were neighbours
        for pair, change in changes.items():
            count = counts.get(pair, 0) + change
            if count:
                counts[pair] = count
            else:
                counts.pop(pair, None)
                where.pop(pair, None)
        return dict(changes)


def pack(values: Iterable[int]) -> Sequence[int]:
    """Integers in as little room as they need: four bytes each, or eight, or any number where one is larger still.

    >>> pack([1, 2]), pack([1, 2**40]), pack([1, 2**70])
    (array('i', [1, 2]), array('q', [1, 1099511627776]), (1, 1180591620717411303424))
    """
    kept = tuple(values)
    for type_code in ("i", "q"):
        with suppress(OverflowError):
            return array(type_code, kept)
    return kept


@dataclass(frozen=True)
class MergeRecord:
    """What every step changed, in flat arrays: a few numbers for each change and none for what stayed.

    Step k (from 1) owns the slice ``change_ends[k - 1]:change_ends[k]`` of `changes` (and of `changed_pairs`, two
    characters each), and the slice ``word_ends[k - 1]:word_ends[k]`` of `words`.
    """

    pairs: str
    tokens: str
    frequencies: Sequence[int]
    applied: Sequence[int]
    changed_pairs: str
    changes: Sequence[int]
    change_ends: Sequence[int]
    words: Sequence[int]
    word_ends: Sequence[int]

    def __len__(self) -> int:
        return len(self.tokens)

    def pair(self, step: int) -> str:
        return self.pairs[2 * step - 2 : 2 * step]

    def token(self, step: int) -> str:
        return self.tokens[step - 1]

    def changes_at(self, step: int) -> dict[str, int]:
        """Pair → change of its count in `step`."""
        start, end = self.change_ends[step - 1], self.change_ends[step]
        names = self.changed_pairs[2 * start : 2 * end]
        return dict(zip(map(operator.add, names[::2], names[1::2]), self.changes[start:end], strict=True))

    def words_at(self, step: int) -> Sequence[int]:
        """Indices of the words that `step` changed."""
        return self.words[self.word_ends[step - 1] : self.word_ends[step]]

    def steps_changing(self, index: int) -> list[int]:
        """The steps that changed the word with this index."""
        places = [place for place, changed in enumerate(self.words) if changed == index]
        return [bisect_right(self.word_ends, place) for place in places]

    @cached_property
    def steps_of(self) -> dict[str, list[int]]:
        """Pair → the steps that merge it, nearly always one.

        A pair is merged again when one of its tokens comes back by a second route, as when a corpus spells ``</w>``
        out and its characters merge to the end-of-word symbol. (Without such a coincidence no string is ever made
        twice: two equal stretches of text, at whose ends no merge has happened yet, have merged alike so far.)
        """
        steps: dict[str, list[int]] = {}
        for step in range(1, len(self) + 1):
            steps.setdefault(self.pair(step), []).append(step)
        return steps


class Recorder:
    """Writes merges down while a run makes them, so that nothing of a `Merge` is kept but its numbers.

    >>> recorder = Recorder()
    >>> recorder.add(Merge("ug", "U", 15, 15, {"ug": -15, "hu": -15, "hU": 15}, [0, 1]))
    >>> len(recorder), recorder.record().changes_at(1)
    (1, {'ug': -15, 'hu': -15, 'hU': 15})
    """

    def __init__(self) -> None:
        self.pairs: list[str] = []
        self.tokens: list[str] = []
        self.frequencies: list[int] = []
        self.applied: list[int] = []
        self.changed_pairs: list[str] = []
        self.changes: list[int] = []
        self.change_ends = [0]
        self.words: list[int] = []
        self.word_ends = [0]

    def __len__(self) -> int:
        """The number of merges so far."""
        return len(self.pairs)

    def add(self, merge: Merge) -> None:
        """Write one merge down."""
        self.pairs.append(merge.pair)
        self.tokens.append(merge.token)
        self.frequencies.append(merge.frequency)
        self.applied.append(merge.applied)
        self.changed_pairs += merge.changes
        self.changes += merge.changes.values()
        self.change_ends.append(len(self.changes))
        self.words += merge.words
        self.word_ends.append(len(self.words))

    def record(self) -> MergeRecord:
        """Everything written down, in little room."""
        return MergeRecord(
            pairs="".join(self.pairs),
            tokens="".join(self.tokens),
            frequencies=pack(self.frequencies),
            applied=pack(self.applied),
            changed_pairs="".join(self.changed_pairs),
            changes=pack(self.changes),
            change_ends=pack(self.change_ends),
            words=pack(self.words),
            word_ends=pack(self.word_ends),
        )


class Candidate(NamedTuple):
    """A pair that could be merged next."""

    pair: Pair
    freq: int
    """Occurrences in the corpus, overlapping ones included."""
    change: int
    """How much `freq` changed in the step before; a new pair's whole frequency."""
    tied: bool
    """Whether it is as good as the best pair."""


class Tie(NamedTuple):
    """A pair as good as the chosen one, and the word in which it is first met ("" where the rule does not ask)."""

    pair: Pair
    word: str


@dataclass(frozen=True)
class StartEvent:
    """The beginning: every word is split into the symbols of the alphabet."""

    alphabet: tuple[str, ...]
    special_tokens: tuple[str, ...]
    kind: ClassVar[Literal["start"]] = "start"


@dataclass(frozen=True)
class MergeEvent:
    """One merge: which pair became which token, and what it was chosen from."""

    pair: Pair
    token: str
    token_id: int
    rank: int
    """The merge's place in the order of merges, from 0."""
    freq: int
    """Occurrences of the pair before the merge, overlapping ones included."""
    applied: int
    """Occurrences that merged: fewer than `freq` where the pair overlaps itself, as in ``aaa``."""
    is_new: bool
    """False when the token's string was in the vocabulary already, made by another route."""
    tied_count: int
    """Number of pairs as good as the chosen one, itself included."""
    tied: tuple[Tie, ...]
    """Those pairs in the order of the tie rule, the chosen one first; at most `TIES_LISTED`."""
    candidates: tuple[Candidate, ...]
    """The best pairs before the merge, the chosen one first; at most `CANDIDATES_LISTED`."""
    pair_count: int
    """Number of different pairs before the merge."""
    words: tuple[str, ...]
    """The words that changed, in the order of the corpus."""
    kind: ClassVar[Literal["merge"]] = "merge"

    @property
    def runner_ups(self) -> tuple[Candidate, ...]:
        """The best pairs that were not chosen."""
        return self.candidates[1:]


class StepStats(NamedTuple):
    """One point of the charts."""

    step: int
    token: str
    freq: int
    tied_count: int
    vocab_size: int
    tokens: int
    """Tokens in the whole corpus after the step."""
    tokens_per_word: float


@dataclass(frozen=True)
class Lineage:
    """How a token came to be: made at `step` (0 for the alphabet) from the tokens of `parts`."""

    token: str
    step: int
    parts: tuple[Lineage, ...] = ()


@dataclass(frozen=True, eq=False)
class MergeSnapshot(ByContent):
    """The state of a run after `step` merges."""

    trace: MergeTrace
    step: int

    @cached_property
    def event(self) -> StartEvent | MergeEvent:
        """What turned the state before into this one."""
        return self.trace.event(self.step)

    @property
    def vocab(self) -> tuple[str, ...]:
        """All tokens by id: special tokens, alphabet, then the learned ones in order."""
        return tuple(self.trace.tokens[: self.vocab_size])

    @property
    def vocab_size(self) -> int:
        return self.trace.vocab_sizes[self.step]

    @property
    def merges(self) -> tuple[Pair, ...]:
        """The merges learned so far, by rank."""
        return tuple(self.trace.pair_of(step) for step in range(1, self.step + 1))

    @property
    def tokens(self) -> int:
        """Tokens in the whole corpus, each word counted as often as it occurs."""
        return self.trace.token_totals[self.step]

    @property
    def pair_count(self) -> int:
        """Number of different pairs that could be merged next."""
        return self.trace.pair_total(self.step)

    def candidates(self, limit: int | None = None) -> list[Candidate]:
        """The pairs that could be merged next, best first, ties in the order of the tie rule."""
        return self.trace.candidates(self.step, limit)

    def splits(self, words: Iterable[str] | None = None) -> dict[str, tuple[str, ...]]:
        """Word → its tokens, for `words` of the corpus (default: all, in order)."""
        return self.trace.splits(self.step, words)

    def marked(self, words: Iterable[str]) -> dict[str, list[tuple[str, ...]]]:
        """Word → its tokens, each in a tuple of its own; a token made by this step is given as its two parts."""
        if self.step == 0:
            return {word: [(token,) for token in tokens] for word, tokens in self.splits(words).items()}
        pair = self.trace.pair_of(self.step)
        return {
            word: group_pair(tokens, pair) for word, tokens in self.trace.splits(self.step - 1, words).items()
        }

    def _content(self) -> tuple[object, ...]:
        return self.step, self.vocab, self.event, self.splits(), self.candidates()


class CurrentWords:
    """The words of a corpus at one step, as private characters."""

    def __init__(self, words: list[str]) -> None:
        self.words = words

    def copy(self) -> CurrentWords:
        return CurrentWords(list(self.words))

    @cached_property
    def text(self) -> str:
        """All words as one string, `SEPARATOR` between words, for searching."""
        return SEPARATOR.join(self.words)


@dataclass(frozen=True, eq=False)
class MergeTrace(Trace[MergeSnapshot]):
    """A recorded run of a merging algorithm. Subclasses say which pair is best and how two tokens join."""

    corpus: Corpus
    special_tokens: tuple[str, ...]
    alphabet: tuple[str, ...]
    tokens: tuple[str, ...]
    """Every token by id, at the end of the run."""
    record: MergeRecord
    stop_reason: str
    settings: Mapping[str, Any]
    """What the run was asked to do, by the names of the training function's arguments."""

    algorithm: ClassVar[str]

    # --- what a subclass defines ---------------------------------------------------------------------------------

    @abstractmethod
    def symbols(self, word: str) -> tuple[str, ...]:
        """The word's symbols before the first merge."""

    @abstractmethod
    def best_pairs(self, step: int, limit: int | None) -> tuple[list[str], Collection[str]]:
        """The `limit` best pairs after `step` merges, best first, ties in the order of the tie rule (None: all).

        And all pairs that are as good as the best one, itself included.
        """

    def met_in(self, step: int, pair: str) -> str:  # noqa: ARG002
        """The word in which `pair` is first met after `step` merges; "" where the tie rule does not ask."""
        return ""

    # --- random access -------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.record)

    def snapshot(self, step: int) -> MergeSnapshot:
        return MergeSnapshot(self, step)

    def event(self, step: int) -> StartEvent | MergeEvent:
        """What step `step` did; step 0 is the start."""
        if step == 0:
            return StartEvent(self.alphabet, self.special_tokens)
        record, before = self.record, step - 1
        token = record.token(step)
        best, tied = self.best_pairs(before, max(TIES_LISTED, CANDIDATES_LISTED))
        ties = [pair for pair in best if pair in tied]
        return MergeEvent(
            pair=self.pair_of(step),
            token=self.tokens[ord(token)],
            token_id=ord(token),
            rank=before,
            freq=record.frequencies[before],
            applied=record.applied[before],
            is_new=self.vocab_sizes[step] > self.vocab_sizes[before],
            tied_count=len(tied),
            tied=tuple(Tie(self.read_pair(pair), self.met_in(before, pair)) for pair in ties[:TIES_LISTED]),
            candidates=tuple(self._candidates(before, best[:CANDIDATES_LISTED], tied)),
            pair_count=self.pair_total(before),
            words=tuple(self.corpus.words[index] for index in record.words_at(step)),
        )

    def candidates(self, step: int, limit: int | None = None) -> list[Candidate]:
        """The pairs that could be merged after `step` merges, best first; the `limit` best (None: all)."""
        return self._candidates(step, *self.best_pairs(step, limit))

    def _candidates(self, step: int, pairs: Iterable[str], tied: Collection[str]) -> list[Candidate]:
        counts = self.pair_counts(step)
        changes = self.record.changes_at(step) if step else {}
        return [
            Candidate(self.read_pair(pair), counts[pair], changes.get(pair, 0), pair in tied)
            for pair in pairs
        ]

    def pair_counts(self, step: int) -> Mapping[str, int]:
        """Private pair → its count after `step` merges; not to be modified."""
        return self._counts.at(step)

    def pair_total(self, step: int) -> int:
        """Number of different pairs that could be merged after `step` merges."""
        return len(self.pair_counts(step))

    def current_words(self, step: int) -> CurrentWords:
        """All words of the corpus after `step` merges; not to be modified."""
        return self._words.at(step)

    def splits(self, step: int, words: Iterable[str] | None = None) -> dict[str, tuple[str, ...]]:
        """Word → its tokens after `step` merges; a word need not be in the corpus."""
        read, current, indices = self.vocabulary.read, self.current_words(step).words, self.word_indices
        return {
            word: read(current[indices[word]] if word in indices else self.split(word, step))
            for word in (self.corpus.words if words is None else words)
        }

    def split(self, word: str, step: int) -> str:
        """Any word after `step` merges, found by making just the merges that touch it."""
        text = self.start_of(word)
        for _, merged in self.merges_of(word, step):
            text = merged
        return text

    def merges_of(self, word: str, last: int | None = None) -> Iterator[tuple[int, str]]:
        """The steps up to `last` that change `word`, each with the word after it as private characters."""
        last = len(self) if last is None else last
        text = self.start_of(word)
        index = self.word_indices.get(word)
        step = 0
        recorded = iter(()) if index is None else iter(self.record.steps_changing(index))
        while True:
            step = self.next_step(text, step) if index is None else next(recorded, last + 1)
            if step > last:
                return
            text = text.replace(self.record.pair(step), self.record.token(step))
            yield step, text

    def next_step(self, text: str, step: int) -> int:
        """The first step after `step` that changes a word which reads `text` now; one beyond the end if none does."""
        steps_of = self.record.steps_of
        found = len(self) + 1
        for pair in set(neighbours(text)):
            steps = steps_of.get(pair, ())
            place = bisect_right(steps, step)
            if place < len(steps):
                found = min(found, steps[place])
        return found

    def history_of(self, word: str) -> list[tuple[int, tuple[str, ...]]]:
        """A word's segmentations, each with the step from which it holds; the first is step 0's."""
        start = (0, self.vocabulary.read(self.start_of(word)))
        return [start, *((step, self.vocabulary.read(text)) for step, text in self.merges_of(word))]

    def start_of(self, word: str) -> str:
        """The word before the first merge as private characters."""
        symbols = self.symbols(word)
        missing = next((symbol for symbol in symbols if symbol not in self.vocabulary.ids), None)
        if missing is not None:
            raise UnknownWordError(word=word, symbol=missing)
        return self.vocabulary.write(symbols)

    # --- reading private characters ------------------------------------------------------------------------------

    def read_pair(self, pair: str) -> Pair:
        return Pair(self.tokens[ord(pair[0])], self.tokens[ord(pair[1])])

    def pair_of(self, step: int) -> Pair:
        """The pair that step `step` (from 1) merged."""
        return self.read_pair(self.record.pair(step))

    # --- the run as a whole --------------------------------------------------------------------------------------

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(self.tokens)

    @cached_property
    def vocab_sizes(self) -> Sequence[int]:
        """Vocabulary size after each number of steps."""
        size = len(self.special_tokens) + len(set(self.alphabet) - set(self.special_tokens))
        sizes = [size]
        for token in self.record.tokens:
            size = max(size, ord(token) + 1)
            sizes.append(size)
        return pack(sizes)

    @cached_property
    def token_totals(self) -> Sequence[int]:
        """Tokens in the corpus after each number of steps."""
        start = sum(
            len(self.symbols(word)) * count
            for word, count in zip(self.corpus.words, self.corpus.counts, strict=True)
        )
        return pack(accumulate(self.record.applied, operator.sub, initial=start))

    @cached_property
    def word_frequencies(self) -> dict[str, int]:
        """Word → how often it stands in the corpus."""
        return dict(zip(self.corpus.words, self.corpus.counts, strict=True))

    @cached_property
    def word_indices(self) -> dict[str, int]:
        """Word → its place in the corpus."""
        return {word: index for index, word in enumerate(self.corpus.words)}

    @cached_property
    def step_of_token(self) -> dict[str, int]:
        """Learned token → the step that first made it."""
        steps: dict[str, int] = {}
        for step, token in enumerate(self.record.tokens, start=1):
            steps.setdefault(self.tokens[ord(token)], step)
        return steps

    @cached_property
    def history(self) -> tuple[StepStats, ...]:
        """One point a step for the charts, the start left out."""
        total = sum(self.corpus.counts)
        return tuple(
            StepStats(
                step,
                self.tokens[ord(self.record.token(step))],
                self.record.frequencies[step - 1],
                tied,
                self.vocab_sizes[step],
                self.token_totals[step],
                self.token_totals[step] / total,
            )
            for step, tied in enumerate(self.tied_counts(), start=1)
        )

    @abstractmethod
    def tied_pairs(self) -> Iterator[list[str]]:
        """For each step, the pairs as good as the chosen one, in the order of the tie rule: one walk along the run."""

    @abstractmethod
    def tied_counts(self) -> Iterator[int]:
        """For each step, the number of pairs as good as the chosen one, itself included."""

    def lineage(self, token: str) -> Lineage:
        """The tree of merges that made `token`; a leaf is a symbol of the alphabet."""
        steps = self.step_of_token
        needed, waiting = {token}, [token]
        while waiting:
            parts = self.pair_of(steps[made]) if (made := waiting.pop()) in steps else ()
            waiting.extend(set(parts) - needed)
            needed.update(parts)
        # The oldest first, so that a token's parts are there before it: a long token's tree is too deep to recurse.
        trees: dict[str, Lineage] = {}
        for name in sorted(needed, key=lambda name: steps.get(name, 0)):
            step = steps.get(name, 0)
            trees[name] = Lineage(
                name, step, tuple(trees[part] for part in self.pair_of(step)) if step else ()
            )
        return trees[token]

    # --- keeping it small ----------------------------------------------------------------------------------------

    @cached_property
    def _initial_words(self) -> list[str]:
        return [self.vocabulary.write(self.symbols(word)) for word in self.corpus.words]

    @cached_property
    def _counts(self) -> Replay[dict[str, int]]:
        def apply(counts: dict[str, int], step: int) -> dict[str, int]:
            for pair, change in self.record.changes_at(step).items():
                total = counts.get(pair, 0) + change
                if total:
                    counts[pair] = total
                else:
                    del counts[pair]
            return counts

        return Replay(lambda: count_pairs(self._initial_words, self.corpus.counts), dict, apply)

    @cached_property
    def _words(self) -> Replay[CurrentWords]:
        def apply(state: CurrentWords, step: int) -> CurrentWords:
            pair, token = self.record.pair(step), self.record.token(step)
            for index in self.record.words_at(step):
                state.words[index] = state.words[index].replace(pair, token)
            return state

        return Replay(lambda: CurrentWords(self._initial_words), CurrentWords.copy, apply)

    def __getstate__(self) -> dict[str, Any]:
        """Only what cannot be rebuilt, so that a pickled trace is small."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MergeTrace):
            return NotImplemented
        return (self.corpus, self.tokens, self.record, self.stop_reason) == (
            other.corpus,
            other.tokens,
            other.record,
            other.stop_reason,
        )

    def __hash__(self) -> int:
        return hash((self.record.pairs, self.tokens))


def first_difference(left: MergeTrace, right: MergeTrace) -> int | None:
    """The first step in which two runs merge different pairs; None when one is the beginning of the other."""
    for step in range(1, min(len(left), len(right)) + 1):
        if left.pair_of(step) != right.pair_of(step):
            return step
    return None
