"""Several runs on one corpus, such as BPE's, WordPiece's and Unigram's, side by side at every vocabulary
size.

All of them see the very same words. A step of a `Comparison` is one more token of vocabulary: for each size
it gives each trace's step with the largest vocabulary of at most that size. Runs that merge grow with the
size; Unigram shrinks as it trains, so its steps come in reverse, from the last to the first.

WordPiece marks the inside of a word with ``##``. Splits are compared without this prefix, and so are
vocabularies: as surfaces, ``ug`` and ``##ug`` are the same. SuperBPE's tokens bridge spaces: its tokens are
counted in the text, and each word is split as a text of its own.

From one size to the next, only the words that change are split again. A tokenizer at every size would encode
all words at each, and its splits would be others: WordPiece's tokenizer doesn't go through its merges.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple

from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.encoding.models.wordpiece import PREFIX
from tokenizers_core.errors import (
    TEXT_WANTED,
    WHOLE_NUMBER,
    Phrase,
    SettingError,
    VocabSizeError,
    checked_words,
    refuse_no_texts,
    refuse_unknown_name,
    refuse_wrong_type,
)
from tokenizers_core.lazy import cached_property
from tokenizers_core.text.corpus import Corpus, refuse_no_corpus
from tokenizers_core.trace import ByContent, Trace
from tokenizers_core.training.algorithms import ALGORITHMS, EVERY_RUN, UNIGRAM, WORDPIECE, AnyTrace
from tokenizers_core.training.kinds.paritybpe import Corpora, ParityTrace, check_languages, joined_corpora
from tokenizers_core.training.kinds.pickybpe import PickyTrace
from tokenizers_core.training.kinds.superbpe import SuperTrace
from tokenizers_core.training.merging import Progress
from tokenizers_core.training.unigram import train_unigram
from tokenizers_core.training.unigram_trace import UnigramTrace
from tokenizers_core.training.wordpiece import WordPieceTrace

SEED_FACTOR = 4
"""By default Unigram starts from this many times the largest vocabulary: pruning needs something to choose
from."""
LISTED = 12
"""Number of differently split words kept for each size."""


def jaccard(shared: int, first: int, second: int) -> float | None:
    """The Jaccard overlap of two sets: the size of the intersection over that of the union; None for two
    empty sets.

    >>> jaccard(1, 2, 3), jaccard(0, 0, 0)
    (0.25, None)
    """
    either = first + second - shared
    return shared / either if either else None


def odd_one(cuts: Mapping[str, Cut | None]) -> str:
    """The name of the one run whose split of a word differs from the others'; "all" for several, "" for none.

    A run without a split yet doesn't count; if only two are left and they differ, the answer is "all".

    >>> odd_one({"bpe": ("hug",), "wordpiece": ("hug",), "unigram": ("h", "ug")})
    'unigram'
    >>> odd_one({"bpe": ("hug",), "unigram": ("h", "ug")}), odd_one({"bpe": None, "unigram": ("a",)})
    ('all', '')
    """
    times = Counter(cut for cut in cuts.values() if cut is not None)
    if len(times) < 2:
        return ""
    alone = [name for name, cut in cuts.items() if cut is not None and times[cut] == 1]
    return alone[0] if len(alone) == 1 else "all"


# --- A run by vocabulary size -------------------------------------------------------------------------------

Cut = tuple[str, ...]
"""A word, cut into the surfaces of its tokens."""


def surface(token: str) -> str:
    """A token as it appears in a text: WordPiece's continuation prefix is removed.

    >>> surface("##ug"), surface("ug"), surface("##")
    ('ug', 'ug', '##')
    """
    return token.removeprefix(PREFIX) or token


def surfaces(tokens: Sequence[str]) -> Cut:
    """WordPiece's tokens of a word as they appear in it: all but the first lose their prefix.

    >>> surfaces(("hu", "##gs")), surfaces(("##", "##x"))
    (('hu', 'gs'), ('##', 'x'))
    """
    return (*tokens[:1], *(token[len(PREFIX) :] for token in tokens[1:]))


class Merged(NamedTuple):
    """The merge that brought a vocabulary to a size."""

    pair: Pair
    token: str
    freq: int
    score: Fraction | None
    """WordPiece's score; None for BPE."""
    again: int
    """The number of other merges since the previous size: they made tokens of the vocabulary once more, or
    others left for theirs."""
    lost: tuple[str, ...] = ()
    """PickyBPE's tokens removed since the previous size."""
    removals: int = 0
    """The number of PickyBPE's removals since the previous size: some tokens may have come back."""
    bridging: bool = False
    """Whether SuperBPE's second stage began since the previous size."""

    @property
    def kind(self) -> Literal["merged"]:
        return "merged"

    @property
    def tokens(self) -> tuple[str, ...]:
        return (self.token,)


class Regained(NamedTuple):
    """The pieces of Unigram's vocabulary at a size to be pruned for the next smaller size."""

    tokens: tuple[str, ...]
    loss: float | None
    """A single pruned piece's loss in the ranking; None if it wasn't pruned, or for several pieces."""

    @property
    def kind(self) -> Literal["regained"]:
        return "regained"


Change = Merged | Regained


class Side:
    """One run, looked up by vocabulary size.

    Words are split as in training. The step's tokenizer gives the same splits, except WordPiece's: it takes
    the longest tokens instead of merging. Where tokens bridge spaces, each word is split as a text of its
    own, and the corpus's tokens are counted in the text.
    """

    def __init__(self, name: str, trace: AnyTrace, sizes: range) -> None:
        self.name, self.trace = name, trace
        self.sizes = trace.record.sizes if isinstance(trace, UnigramTrace) else trace.vocab_sizes
        """The vocabulary's size after each step."""
        self.least = min(self.sizes[0], self.sizes[-1])
        self.steps = [None if size < self.least else trace.step_of_size(size) for size in sizes]
        """For each size of the comparison, the step of the trace."""
        self.marked = isinstance(trace, WordPieceTrace)

    def cutter(self, step: int) -> Callable[[int], Cut]:
        """A function from a word's index in the corpus to the word's split after `step` steps."""
        tokens = self.trace.splitter(step)
        return (lambda index: surfaces(tokens(index))) if self.marked else tokens

    def moved(self, first: int | None, second: int) -> tuple[Iterable[str], Iterable[str]]:
        """The longer tokens gained and lost from step `first` to step `second`, as surfaces; None is a start
        without any."""
        gained, lost = (self.trace.longer(second), ()) if first is None else self.trace.moved(first, second)
        return (map(surface, gained), map(surface, lost)) if self.marked else (gained, lost)

    def change(self, before: int | None, now: int) -> Change | None:
        """The change from one size to the next."""
        trace = self.trace
        if before is None or before == now:
            return None
        if isinstance(trace, UnigramTrace):
            if trace.record.kinds[now + 1 : before + 1] == ["prune"]:
                return Regained((trace.piece_of(before),), trace.loss_of(before))
            pieces, below = trace.pieces_at(now), trace.pieces_at(before)
            return Regained(tuple(piece for piece in pieces if piece not in below), None)
        merges = [*filter(trace.record.is_merge, range(before + 1, now + 1))]
        if not merges:
            return None
        return Merged(
            trace.pair_of(merges[-1]),
            trace.token_of(merges[-1]),
            trace.record.frequencies[merges[-1] - 1],
            trace.score_at(merges[-1]) if isinstance(trace, WordPieceTrace) else None,
            len(merges) - 1,
            tuple(trace.moved(before, now)[1]),
            now - before - len(merges) if isinstance(trace, PickyTrace) else 0,
            isinstance(trace, SuperTrace) and trace.in_stage_2(now) and not trace.in_stage_2(before),
        )


# --- The contents of a comparison ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Standing:
    """The state of one run at a vocabulary size."""

    name: str
    """The run's, as in `Comparison.runs`."""
    step: int | None
    """The step of its trace; None where it has no vocabulary that small."""
    size: int | None
    """Tokens it has."""
    tokens: int | None
    """Tokens in the corpus."""
    tokens_per_word: float | None
    change: Change | None
    """Its change between the previous size and this one, if any."""
    limit: int | None
    """If it has no vocabulary of this size: its first or last size."""


class Disagreement(NamedTuple):
    """A word with different splits."""

    word: str
    freq: int
    cuts: tuple[Cut | None, ...]
    """In the order of the runs; None where one has no vocabulary yet."""
    apart: str
    """See `odd_one`."""


@dataclass(frozen=True)
class Overlap:
    """Which tokens of more than one character the vocabularies share, as surfaces."""

    regions: Mapping[tuple[str, ...], tuple[str, ...]]
    """Names of runs → their shared surfaces, in the learning order of the first of them."""
    characters: int
    """The number of single characters, left out here: nearly always all runs have them."""
    names: tuple[str, ...]
    """Of all runs."""
    there: tuple[str, ...]
    """Of the runs with a vocabulary of this size."""

    def size(self, *names: str) -> int:
        """The number of surfaces common to all of these runs. Raises UnknownNameError for another one."""
        for name in names:
            refuse_unknown_name("name", name, self.names)
        return sum(len(result) for region, result in self.regions.items() if {*names} <= {*region})

    def jaccard(self, first: str, second: str) -> float | None:
        """The Jaccard overlap of two vocabularies; None if one of the runs has none of this size."""
        if not {first, second} <= {*self.there}:
            return None
        return jaccard(self.size(first, second), self.size(first), self.size(second))


class SweepPoint(NamedTuple):
    """The figures of one vocabulary size; None where a run has no vocabulary yet or there is nothing to
    compare."""

    size: int
    tokens_per_word: tuple[float | None, ...]
    """In the order of the runs."""
    overlap: tuple[float | None, ...]
    """Jaccard of the longer tokens, in the order of `Comparison.pairs`."""
    alike: float | None
    """The share of the corpus's words, weighted by frequency, with the same split in all runs."""
    alike_pairs: tuple[float | None, ...]
    """The same for two, in the order of `Comparison.pairs`."""
    different: int
    """Number of distinct words with different splits."""
    leading: tuple[int, ...]
    """The most frequent of them, as indices in the corpus."""
    all_apart: tuple[int, ...]
    """The most frequent words with a different split in every run."""


# --- The comparison -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SizeEvent:
    """The changes of one more token of vocabulary, in the order of the runs."""

    changes: tuple[Change | None, ...]
    kind: ClassVar[Literal["size"]] = "size"


@dataclass(frozen=True, eq=False, repr=False)
class SizeSnapshot(ByContent):
    """All runs at one vocabulary size."""

    trace: Comparison
    step: int
    """The size's place in the comparison, from 0."""

    @property
    def size(self) -> int:
        return self.trace.sizes[self.step]

    @cached_property
    def event(self) -> SizeEvent:
        return SizeEvent(tuple(standing.change for standing in self.standings))

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """Where each run is, in their order."""
        return tuple(map(self._standing, self.trace.sides))

    def _standing(self, side: Side) -> Standing:
        step = side.steps[self.step]
        if step is None:
            return Standing(side.name, None, None, None, None, None, side.least)
        size, tokens = side.sizes[step], side.trace.token_totals[step]
        before = side.steps[self.step - 1] if self.step else None
        return Standing(
            side.name,
            step,
            size,
            tokens,
            tokens / self.trace.corpus.total,
            side.change(before, step) if self.step else None,
            None if size == self.size else size,
        )

    def cuts(self, words: Iterable[str]) -> dict[str, tuple[Cut | None, ...]]:
        """Word of the corpus → its split by each run, in their order. Raises SettingError for a word that
        isn't in it."""
        cutters = self._cutters
        indices = {word: self.trace.index_of(word) for word in checked_words(words)}
        return {
            word: tuple(cutter and cutter(index) for cutter in cutters) for word, index in indices.items()
        }

    @property
    def _cutters(self) -> list[Callable[[int], Cut] | None]:
        steps = [(side, side.steps[self.step]) for side in self.trace.sides]
        return [None if step is None else side.cutter(step) for side, step in steps]

    @property
    def leading(self) -> tuple[str, ...]:
        """The `LISTED` most frequent words with different splits."""
        words = self.trace.corpus.words
        return tuple(words[index] for index in self.trace.sweep[self.step].leading)

    @property
    def all_apart(self) -> tuple[str, ...]:
        """The `LISTED` most frequent words with a different split in every run."""
        words = self.trace.corpus.words
        return tuple(words[index] for index in self.trace.sweep[self.step].all_apart)

    @property
    def different(self) -> int:
        """How many different words are split differently."""
        return self.trace.sweep[self.step].different

    @property
    def changed(self) -> list[str]:
        """The words with a new split in one of the runs since the previous size, the most frequent first."""
        if not self.step:
            return []
        positions: set[int] = set()
        for side in self.trace.sides:
            before, now = side.steps[self.step - 1], side.steps[self.step]
            if before is not None and now is not None and before != now:
                then, cut = side.cutter(before), side.cutter(now)
                positions.update(
                    index for index in side.trace.words_between(before, now) if then(index) != cut(index)
                )
        rank = self.trace.ranks
        return [self.trace.corpus.words[index] for index in sorted(positions, key=rank.__getitem__)]

    def disagreements(self, limit: int | None = None) -> list[Disagreement]:
        """The words with different splits, the most frequent first; the first `limit` of them (None: all)."""
        corpus, names, cutters = self.trace.corpus, self.trace.names, self._cutters
        results: list[Disagreement] = []
        for index in self.trace.by_frequency:
            if limit is not None and len(results) >= limit:
                break
            cuts = tuple(cutter and cutter(index) for cutter in cutters)
            if apart := odd_one(dict(zip(names, cuts, strict=True))):
                results.append(Disagreement(corpus.words[index], corpus.counts[index], cuts, apart))
        return results

    def overlap(self) -> Overlap:
        """Which tokens the vocabularies share."""
        results: dict[str, list[str]] = {}
        for side in self.trace.sides:
            step = side.steps[self.step]
            for token in () if step is None else dict.fromkeys(side.moved(None, step)[0]):
                results.setdefault(token, []).append(side.name)
        names = self.trace.names
        sizes = range(len(names), 0, -1)
        regions: dict[tuple[str, ...], list[str]] = {
            region: [] for size in sizes for region in combinations(names, size)
        }
        for token, owners in results.items():
            regions[tuple(owners)].append(token)
        return Overlap(
            {region: tuple(tokens) for region, tokens in regions.items()},
            len(self.trace.characters),
            names,
            tuple(standing.name for standing in self.standings if standing.step is not None),
        )

    def _content(self) -> tuple[object, ...]:
        return self.size, self.standings, self.overlap(), self.disagreements()


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Trace[SizeSnapshot]):
    """Runs on one corpus; step k is the vocabulary size ``sizes[k]``."""

    corpus: Corpus
    runs: Mapping[str, AnyTrace]
    """Name → run; columns, cuts and sides come in this order."""
    sizes: range
    stop_reason: str
    """ "vocab_size", "no_pairs" (no run that merges has a pair left), or "stopped"."""
    settings: Mapping[str, Any]
    special_tokens: ClassVar[tuple[str, ...]] = ()

    @property
    def settled(self) -> int:
        """None: a size shows how far each run came."""
        return -1

    def __len__(self) -> int:
        return len(self.sizes) - 1

    def snapshot(self, step: int) -> SizeSnapshot:
        return SizeSnapshot(self, step)

    @cached_property
    def sides(self) -> tuple[Side, ...]:
        """The runs by vocabulary size."""
        return tuple(Side(name, run, self.sizes) for name, run in self.runs.items())

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.runs)

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The names of any two runs."""
        return tuple(combinations(self.runs, 2))

    @cached_property
    def characters(self) -> frozenset[str]:
        """The corpus's single characters."""
        return frozenset().union(*self.corpus.words)

    @cached_property
    def word_indices(self) -> dict[str, int]:
        """Word → its index in the corpus."""
        return {word: index for index, word in enumerate(self.corpus.words)}

    @cached_property
    def by_frequency(self) -> list[int]:
        """The indices of the words, the most frequent word first."""
        counts = self.corpus.counts
        return sorted(range(len(counts)), key=lambda index: -counts[index])

    @cached_property
    def ranks(self) -> list[int]:
        """For each word, how many come before it by frequency."""
        ranks = [0] * len(self.by_frequency)
        for rank, index in enumerate(self.by_frequency):
            ranks[index] = rank
        return ranks

    def index_of(self, word: str) -> int:
        """The word's place in the corpus, from 0. Raises SettingError for a word that isn't in it."""
        refuse_wrong_type("word", word, str, TEXT_WANTED)
        index = self.word_indices.get(word)
        if index is None:
            raise SettingError(name="word", value=word, reason=Phrase("choose words of the corpus"))
        return index

    def rank_of(self, word: str) -> int:
        """How many words of the corpus are more frequent, or as frequent and earlier. Raises SettingError for
        a word that isn't in it."""
        return self.ranks[self.index_of(word)]

    @cached_property
    def sweep(self) -> tuple[SweepPoint, ...]:
        """One point a size, for charts: one walk, with one look at each change."""
        walk = Walk(self)
        return tuple(map(walk.move_to, range(len(self.sizes))))

    def first_size(self, name: str, most: float) -> int | None:
        """A run's smallest vocabulary with at most `most` tokens per word; None for none. Raises
        UnknownNameError for a run that isn't in the comparison."""
        refuse_unknown_name("name", name, self.names)
        refuse_wrong_type("most", most, Real, "give a number, such as 1.5")
        position = self.names.index(name)
        return next(
            (
                point.size
                for point in self.sweep
                if (needed := point.tokens_per_word[position]) is not None and needed <= most
            ),
            None,
        )

    def __getstate__(self) -> dict[str, Any]:
        """The fields, without cached results."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


class Walk:
    """A walk through a comparison from size to size, with counts of equal splits and shared tokens."""

    def __init__(self, comparison: Comparison) -> None:
        self.comparison = comparison
        number = len(comparison.corpus.words)
        runs = len(comparison.runs)
        self.pairs = [*combinations(range(runs), 2)]
        self.steps: list[int | None] = [None] * runs
        self.cuts: list[list[Cut | None]] = [[None] * number for _ in range(runs)]
        self.alike = 0
        self.alike_pairs = [0] * len(self.pairs)
        self.equal = [(False,) * len(self.pairs)] * number
        self.ways = bytearray(number)
        """The number of different splits of each word; by rank, for quick access to the most frequent
        words."""
        self.times: list[Counter[str]] = [Counter() for _ in range(runs)]
        self.shared = [0] * len(self.pairs)

    def move_to(self, index: int) -> SweepPoint:
        """Go to a size, and count there."""
        changed: set[int] = set()
        for which, side in enumerate(self.comparison.sides):
            before, now = self.steps[which], side.steps[index]
            if now is None or now == before:
                continue
            words = range(len(self.ways)) if before is None else side.trace.words_between(before, now)
            cut, cuts = side.cutter(now), self.cuts[which]
            for word in words:
                cuts[word] = cut(word)
            changed.update(words)
            self._count_tokens(which, *side.moved(before, now))
            self.steps[which] = now
        for word in changed:
            self._compare(word)
        return self._point(index)

    def _point(self, index: int) -> SweepPoint:
        """The counts at a size, as a point."""
        comparison, steps, total = self.comparison, self.steps, self.comparison.corpus.total
        longer = [len(times) for times in self.times]
        both = [steps[one] is not None is not steps[other] for one, other in self.pairs]
        return SweepPoint(
            comparison.sizes[index],
            tuple(
                None if step is None else side.trace.token_totals[step] / total
                for side, step in zip(comparison.sides, steps, strict=True)
            ),
            tuple(
                jaccard(shared, longer[one], longer[other]) if there else None
                for (one, other), shared, there in zip(self.pairs, self.shared, both, strict=True)
            ),
            None if None in steps else self.alike / total,
            tuple(
                alike / total if there else None for alike, there in zip(self.alike_pairs, both, strict=True)
            ),
            len(self.ways) - self.ways.count(1),
            self._leading(*range(2, len(steps) + 1)),
            self._leading(len(steps)),
        )

    def _compare(self, word: int) -> None:
        """Count one word again."""
        freq = self.comparison.corpus.counts[word]
        cuts = [cuts[word] for cuts in self.cuts]
        equal = tuple([cuts[one] is not None and cuts[one] == cuts[other] for one, other in self.pairs])
        before = self.equal[word]
        self.alike += freq * (all(equal) - all(before))
        for which, (now, then) in enumerate(zip(equal, before, strict=True)):
            self.alike_pairs[which] += freq * (now - then)
        self.equal[word] = equal
        self.ways[self.comparison.ranks[word]] = len({cut for cut in cuts if cut is not None})

    def _leading(self, *numbers: int) -> tuple[int, ...]:
        """The most frequent words with this many different splits."""
        results: list[int] = []
        for ways in numbers:
            rank = self.ways.find(ways)
            for _ in range(LISTED):
                if rank < 0:
                    break
                results.append(rank)
                rank = self.ways.find(ways, rank + 1)
        return tuple(self.comparison.by_frequency[rank] for rank in sorted(results)[:LISTED])

    def _count_tokens(self, which: int, gained: Iterable[str], lost: Iterable[str]) -> None:
        """Count a run's gained and lost longer tokens; two tokens may have the same surface."""
        times = self.times[which]
        for token in gained:
            times[token] += 1
            if times[token] == 1:
                self._share(which, token, 1)
        for token in lost:
            times[token] -= 1
            if not times[token]:
                del times[token]
                self._share(which, token, -1)

    def _share(self, which: int, token: str, change: int) -> None:
        for index, pair in enumerate(self.pairs):
            if which in pair and token in self.times[pair[pair[0] == which]]:
                self.shared[index] += change


# --- Making one ---------------------------------------------------------------------------------------------


def compare(
    corpus: Corpus | Corpora,
    vocab_size: int | None = None,
    *,
    runs: Sequence[str] = tuple(ALGORITHMS)[:3],
    tie_rule: str = "first",
    method: str = "course",
    seed_size: int | None = None,
    kinds: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    progress: Progress | None = None,
) -> Comparison:
    """Train several runs on `corpus` and compare them up to `vocab_size` tokens (None: until no pair is
    left).

    `runs` are names in `EVERY_RUN`. The sizes begin with BPE's alphabet and end with `vocab_size`, or where
    the merging runs are out of pairs. `tie_rule` is for all merging runs without a rule of their own; Unigram
    is trained by `method` from `seed_size` pieces (default: `SEED_FACTOR` times the largest size) down to its
    characters. `kinds` has settings of the newer kinds of BPE, by their names. With a corpus for each
    language, as parity-aware BPE needs, the others are trained on all of them together. There are no special
    tokens. `progress` gets the progress of all together; if it returns False, training ends there.

    Raises VocabSizeError for a size below one of the alphabets, SettingError for a single run,
    UnknownNameError, and the errors of the training functions.

    >>> comparison = compare(Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}))
    >>> comparison.sizes, [standing.tokens for standing in comparison[2].standings]
    (range(7, 17), [77, 93, 59])
    """
    refuse_no_texts("runs", runs)
    names = tuple(dict.fromkeys(runs))
    for name in names:
        refuse_unknown_name("runs", name, EVERY_RUN)
    refuse_wrong_type("kinds", kinds, Mapping, "give a dict of settings by the kinds' names")
    for name in kinds:
        refuse_unknown_name("kinds", name, EVERY_RUN)
    if len(names) < 2:
        raise SettingError(name="runs", value=", ".join(names), reason="name two at least")
    languages = corpus
    if isinstance(corpus, Mapping):
        check_languages(corpus, None)
        corpus = joined_corpora(corpus)
    refuse_no_corpus(corpus)
    for name, number in (("vocab_size", vocab_size), ("seed_size", seed_size)):
        if number is not None:
            refuse_wrong_type(name, number, Integral, WHOLE_NUMBER)
    characters = least = len(set().union(*corpus.words))
    if WORDPIECE.name in names:
        inside = set().union(*(word[1:] for word in corpus.words))
        least = max(characters, len({word[0] for word in corpus.words}) + len(inside))
    if vocab_size is not None and vocab_size < least:
        raise VocabSizeError(
            vocab_size=vocab_size,
            minimum=least,
            what="alphabet" if least == characters else "WordPiece alphabet",
        )
    merging = [name for name in names if name != UNIGRAM.name]
    merges = None if vocab_size is None else vocab_size - characters
    relay = Relay(progress, [merges] * len(merging), vocab_size and SEED_FACTOR * vocab_size)
    trained: dict[str, AnyTrace] = {}
    for index, name in enumerate(merging):
        run = EVERY_RUN[name]
        trained[name] = run.train(
            languages if run.trace is ParityTrace else corpus,
            vocab_size,
            progress=relay.callback(index),
            **{"tie_rule": tie_rule, **run.own, **kinds.get(name, {})},
        )
    highest = max(max(run.vocab_sizes) for run in trained.values() if not isinstance(run, UnigramTrace))
    if UNIGRAM.name in names:
        seed_size = max(characters, SEED_FACTOR * highest) if seed_size is None else seed_size
        unigram = train_unigram(corpus, seed_size, None, method, progress=relay.callback(len(merging)))
        trained[UNIGRAM.name] = unigram
    stop_reason = "vocab_size" if highest == vocab_size else "no_pairs"
    return Comparison(
        corpus=replace(corpus, texts=()),
        runs={name: trained[name] for name in names},
        sizes=range(characters, highest + 1),
        stop_reason="stopped" if relay.stopped else stop_reason,
        settings={
            "vocab_size": vocab_size,
            "tie_rule": tie_rule,
            "method": method,
            "seed_size": seed_size,
            **({"kinds": dict(kinds)} if kinds else {}),
        },
    )


class Relay:
    """Reports several runs, one after the other, as the progress of one; Unigram comes last."""

    def __init__(self, progress: Progress | None, merges: Sequence[int | None], pieces: int | None) -> None:
        self.progress = progress
        self.stopped = False
        self.totals = [*merges, pieces]
        """The total of each run's progress; None where it isn't known."""
        self.reached = [0] * len(self.totals)

    def callback(self, part: int) -> Progress | None:
        """The progress callback for one of the runs."""
        return None if self.progress is None else partial(self.tell, part)

    def tell(self, part: int, done: int, total: int | None) -> bool:
        """Pass it on; once the caller says stop, all stop."""
        self.totals[part], self.reached[part] = total, done
        before = sum(total or done for total, done in zip(self.totals[:part], self.reached, strict=False))
        left = self.totals[part:]
        if self.progress is not None and not self.stopped:
            whole = None if None in left else before + sum(filter(None, left))
            self.stopped = self.progress(before + done, whole) is False
        return not self.stopped
