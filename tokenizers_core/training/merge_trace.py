"""A recorded run of merging: any step's words, pairs, candidates and ties, rebuilt from the changes of each
merge."""

from __future__ import annotations

import heapq
import operator
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial
from itertools import accumulate, takewhile
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

from tokenizers_core.encoding.byte_tokens import BYTE_TOKENS
from tokenizers_core.encoding.models.pairs import Pair, group_pair
from tokenizers_core.encoding.tokenizer import Tokenizer
from tokenizers_core.encoding.vocabulary import Private, PrivatePair, Vocabulary
from tokenizers_core.errors import UnknownWordError, UnreachedSizeError, checked_words, refuse_wrong_type
from tokenizers_core.lazy import cached_property
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.trace import ByContent, Replay, Trace
from tokenizers_core.training.merging import (
    CurrentWords,
    MergeRecord,
    PairTable,
    Replacements,
    Values,
    compact,
    count_pairs,
)
from tokenizers_core.training.options.bounds import Bounds
from tokenizers_core.training.options.limits import left_out, within
from tokenizers_core.training.ties import TIE_RULES, Moment, TieOrder, TieRule

TIES_LISTED = 12
"""How many of the tied pairs an event lists; their number is always exact."""

CANDIDATES_LISTED = 12
"""How many of the best pairs an event lists."""


# --- The contents of a step ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Candidate:
    """A candidate for the next merge."""

    pair: Pair
    freq: int
    """Occurrences in the corpus, overlapping ones included."""
    change: int
    """How much `freq` changed in the step before; a new pair's whole frequency."""
    tied: bool
    """True if it ties with the best pair."""

    @property
    def value(self) -> int | Fraction:
        """The value it is ranked by: its count, or WordPiece's score."""
        return self.freq


class Excluded(NamedTuple):
    """A better pair than the merged one, excluded by a bound."""

    candidate: Candidate
    reason: str
    """See `tokenizers_core/training/options/bounds.py`."""


class Tie(NamedTuple):
    """A pair as good as the chosen one, and the word of its first occurrence ("" where the rule doesn't look
    at words)."""

    pair: Pair
    word: str


@dataclass(frozen=True)
class StartEvent:
    """The beginning: every word is split into the symbols of the alphabet."""

    alphabet: tuple[str, ...]
    special_tokens: tuple[str, ...]
    kind: ClassVar[Literal["start"]] = "start"

    if not TYPE_CHECKING:  # a type checker knows the fields

        def __getattr__(self, name: str) -> object:
            """Raise AttributeError; for an attribute of merges alone, say which steps have it."""
            message = f"{type(self).__name__!r} object has no attribute {name!r}"
            if any(name in kind.__dataclass_fields__ for kind in (MergeEvent, *MergeEvent.__subclasses__())):
                message += f": step 0 is the start, and merges nothing; look at steps 1 to the last, such as trace[1].event.{name}"
            raise AttributeError(message, name=name, obj=self)


@dataclass(frozen=True)
class MergeEvent:
    """One merge: the pair, the token it became, and the candidates it was chosen from."""

    pair: Pair
    token: str
    token_id: int
    rank: int
    """The merge's place in the order of merges, from 0. In PickyBPE's order, removals have places, too."""
    freq: int
    """Occurrences of the pair before the merge, overlapping ones included."""
    applied: int
    """Merged occurrences: fewer than `freq` where the pair overlaps itself, as in ``aaa``."""
    is_new: bool
    """False when the token's string was in the vocabulary already, made by another route."""
    tied_count: int
    """Number of pairs as good as the chosen one, itself included."""
    tied: tuple[Tie, ...]
    """The tied pairs in the order of the tie rule, the chosen one first; at most `TIES_LISTED`."""
    candidates: Sequence[Candidate]
    """The best pairs before the merge, the chosen one first; at most `CANDIDATES_LISTED`."""
    pair_count: int
    """Number of different pairs before the merge."""
    words: tuple[str, ...]
    """The changed words, in the order of the corpus."""
    kind: ClassVar[Literal["merge"]] = "merge"

    @property
    def runner_ups(self) -> Sequence[Candidate]:
        """The best pairs after the chosen one."""
        return self.candidates[1:]


class RuleEvent(ABC):
    """A step other than a merge, by a rule of a newer kind of BPE."""

    kind: ClassVar[Literal["remove", "stage"]]

    @property
    @abstractmethod
    def chosen(self) -> tuple[str, ...]:
        """The tokens the step decided on."""

    @property
    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """All its facts, as plain data."""


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
    margin: int | Fraction | None
    """How far behind the runner-up was, see `MergeTrace.margin`."""


class Contest(NamedTuple):
    """A merge about to be chosen: the tie rule at work, the pairs as good as the best one, and how far behind
    the next pair is."""

    order: TieOrder
    tied: set[PrivatePair]
    margin: int | Fraction | None


class RankedPairs:
    """Pairs by their values, as a run changes them: the ties for the best, and the runners-up.

    >>> levels = RankedPairs()
    >>> for pair, value in {"ug": 20, "un": 16, "hu": 15}.items():
    ...     levels.update(pair, value)
    >>> levels.level_of("ug"), levels.second("ug")
    ({'ug'}, 'un')
    """

    def __init__(self) -> None:
        self._pairs: defaultdict[int, set[PrivatePair]] = defaultdict(set)
        self._value_of: dict[PrivatePair, int] = {}
        self._queue: list[int] = []
        """The values, negative: of levels with pairs, and of some emptied ones."""

    def update(self, pair: PrivatePair, value: int | None) -> None:
        """Record a pair's current value; None for a former candidate."""
        old = self._value_of.pop(pair, None)
        if old is not None:
            self._pairs[old].discard(pair)
        if value is not None:
            self._value_of[pair] = value
            if not self._pairs[value]:
                heapq.heappush(self._queue, -value)
            self._pairs[value].add(pair)

    def level_of(self, pair: PrivatePair) -> set[PrivatePair]:
        """The pairs as good as this one, itself included."""
        return self._pairs[self._value_of[pair]]

    def second(self, best: PrivatePair) -> PrivatePair | None:
        """Another pair as good as `best`, one of the best, or else a runner-up; None if it is the only
        pair."""
        level = self.level_of(best)
        if len(level) > 1:
            return next(pair for pair in level if pair != best)
        top = self._value_of[best]
        while self._queue and (not self._pairs[-self._queue[0]] or -self._queue[0] == top):
            heapq.heappop(self._queue)
        result = next(iter(self._pairs[-self._queue[0]])) if self._queue else None
        heapq.heappush(self._queue, -top)
        return result


@dataclass(frozen=True)
class Lineage:
    """How a token came to be: made at `step` (0 for the alphabet) from the tokens of `parts`."""

    token: str
    step: int
    parts: tuple[Lineage, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class MergeSnapshot(ByContent):
    """The state of a run after `step` merges."""

    trace: MergeTrace
    step: int

    @cached_property
    def event(self) -> StartEvent | MergeEvent | RuleEvent:
        """The event that led to this state."""
        return self.trace.event(self.step)

    @property
    def vocab(self) -> tuple[str, ...]:
        """All tokens by id: special tokens, alphabet, then the learned ones in order."""
        return self.trace.vocab_at(self.step)

    @property
    def vocab_size(self) -> int:
        return self.trace.vocab_sizes[self.step]

    @property
    def merges(self) -> tuple[Pair, ...]:
        """The merges learned so far, by rank."""
        trace = self.trace
        is_merge = trace.record.is_merge
        return (
            *trace.old_merges,
            *(trace.pair_of(step) for step in range(1, self.step + 1) if is_merge(step)),
        )

    @property
    def tokens(self) -> int:
        """Tokens in the whole corpus, each word counted as often as it occurs."""
        return self.trace.token_totals[self.step]

    @property
    def pair_count(self) -> int:
        """Number of different pairs to choose the next merge from."""
        return self.trace.pair_total(self.step)

    def candidates(self, limit: int | None = None) -> Sequence[Candidate]:
        """The candidates for the next merge, best first, ties in the order of the tie rule."""
        return self.trace.candidates(self.step, limit)

    @cached_property
    def excluded(self) -> Sequence[Excluded]:
        """The pairs better than this step's but excluded by a bound, best first."""
        return self.trace.excluded(self.step)

    def splits(self, words: Iterable[str] | None = None) -> dict[str, tuple[str, ...]]:
        """Word → its tokens, for `words` (default: all of the corpus, in order). Raises UnknownWordError."""
        return self.trace.splits(self.step, words)

    def marked(self, words: Iterable[str]) -> dict[str, list[tuple[str, ...]]]:
        """Word → its tokens, each in a tuple of its own; a token made by this step is given as its two
        parts."""
        if self.step == 0 or not self.trace.record.is_merge(self.step):
            return {word: [(token,) for token in tokens] for word, tokens in self.splits(words).items()}
        pair = self.trace.pair_of(self.step)
        return {
            word: group_pair(tokens, pair) for word, tokens in self.trace.splits(self.step - 1, words).items()
        }

    def _content(self) -> tuple[object, ...]:
        return self.step, self.vocab, self.event, self.splits(), self.candidates()


class MergePart(NamedTuple):
    """The part of a run's record since the last cut: for `MergeTrace.grown`."""

    tokens: tuple[str, ...]
    record: MergeRecord
    beside: Mapping[str, Any] = MappingProxyType({})
    """The kind's own records beside it, by the names of its trace's fields."""


@dataclass(frozen=True, eq=False, repr=False)
class MergeTrace(Trace[MergeSnapshot]):
    """A recorded run of a merging algorithm.

    Subclasses define the ranking of pairs; between equally good pairs a rule in `TIE_RULES` decides.
    """

    corpus: Corpus
    special_tokens: tuple[str, ...]
    alphabet: tuple[str, ...]
    tokens: tuple[str, ...]
    """Every token by id, at the end of the run."""
    record: MergeRecord
    stop_reason: str
    settings: Mapping[str, Any]
    """The run's settings, by the names of the training function's arguments."""

    algorithm: ClassVar[str]
    ranked_by: ClassVar[Literal["count", "score"]]
    """The kind of value that decides the next merge."""
    unk_token: ClassVar[str] = "[UNK]"
    """The default unknown token of a tokenizer."""
    of_the_corpus: ClassVar[tuple[str, ...]] = ("word_frequencies", "word_indices", "_initial_words")
    """The cached properties that depend on the corpus alone."""
    bounds_of: ClassVar[type[Bounds]] = Bounds
    """The class of the bounds that exclude pairs."""
    unknown_inside: ClassVar[str] = ""
    """The replacement of a character left out of the alphabet by a limit: a token, or "" for nothing."""
    replayed: ClassVar[tuple[str, ...]] = ("_counts", "_words")
    """The states rebuilt by replaying."""

    # --- for subclasses to define ---------------------------------------------------------------------------

    @abstractmethod
    def tokenizer(self, step: int | None = None, unk_token: str = unk_token) -> Tokenizer:
        """The tokenizer after `step` steps (default: all)."""

    @abstractmethod
    def symbols(self, word: str) -> tuple[str, ...]:
        """The word's symbols before the first merge."""

    @abstractmethod
    def values(self, table: PairTable) -> Values:
        """The values by which the algorithm ranks the pairs of `table`."""

    @abstractmethod
    def pair_values(self, step: int) -> Mapping[PrivatePair, int]:
        """The pairs' values for ranking after `step` merges, including pairs excluded by `bounds`."""

    # --- options of a run -----------------------------------------------------------------------------------

    @property
    def extended(self) -> Tokenizer | None:
        """The tokenizer extended by this run."""
        result: Tokenizer | None = self.settings.get("extend")
        return result

    @property
    def old_merges(self) -> Sequence[Pair]:
        """Its merges; they rank before all those of this run."""
        return ()

    @cached_property
    def bounds(self) -> Bounds | None:
        """The bounds that exclude pairs; None if there are none."""
        longest, whole = self.settings.get("max_token_length"), self.corpus.pipeline.user_defined_symbols
        if self.settings.get("byte_fallback"):
            whole = (*whole, *BYTE_TOKENS)
        if self.extended is None and longest is None and not whole:
            return None
        taken = () if self.extended is None else frozenset(self.tokens[: self.vocab_sizes[0]])
        vocabulary = Vocabulary(self.tokens, self.prefix)
        return self.bounds_of(vocabulary, taken, longest, self.settings.get("end_of_word_suffix", ""), whole)

    def exclusion(self, pair: PrivatePair, step: int) -> str:
        """Why a pair can't be merged after `step` steps; "" if it can."""
        return self.bounds.reason(pair, self.id_totals[step]) if self.bounds else ""

    def in_alphabet(self, symbols: tuple[str, ...]) -> tuple[str, ...]:
        """A word's symbols without those left out of the alphabet by a limit, or with their replacement."""
        return within(symbols, self._alphabet, self.unknown_inside) if self.left_out else symbols

    @cached_property
    def left_out(self) -> Mapping[str, int]:
        """The corpus's characters left out of the alphabet by limits, with their counts, the most frequent
        first."""
        if not {"limit_alphabet", "character_coverage"} & self.settings.keys():
            return {}
        characters = (token for token in self.special_tokens if len(token) == 1)
        return left_out(self.corpus, (*self.alphabet, *characters), self.prefix)

    @cached_property
    def _alphabet(self) -> frozenset[str]:
        """With a special token that is a character: it has an id, so it is left in, as in the library."""
        return frozenset((*self.alphabet, *self.special_tokens))

    @property
    def shortfall(self) -> UnreachedSizeError | None:
        """Why there are fewer tokens than requested, and the remedy; None if another limit came first."""
        wanted = self.settings["vocab_size"]
        if wanted is None or self.stop_reason != "no_pairs":
            return None
        return UnreachedSizeError("no_pairs", wanted, self.vocab_sizes[-1])

    def grown(self, part: MergePart) -> Self:
        """The same run with the next part. This trace stays as it is; its cached results are shared."""
        longer = replace(
            self,
            tokens=self.tokens + part.tokens,
            record=self.record.followed_by(part.record),
            **self.grown_beside(part.beside),
        )
        known = vars(self)
        vars(longer).update({name: known[name] for name in self.of_the_corpus if name in known})
        for name in self.replayed:
            if name in known:
                getattr(longer, name).take_over(known[name])
        return longer

    def grown_beside(self, new: Mapping[str, Any]) -> Mapping[str, Any]:  # noqa: ARG002
        """A longer trace's other fields: this kind's records beside the merges, extended by the new part."""
        return {}

    # --- random access --------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.record)

    def snapshot(self, step: int) -> MergeSnapshot:
        return MergeSnapshot(self, step)

    def event(self, step: int) -> StartEvent | MergeEvent | RuleEvent:
        """The event of step `step`; step 0 is the start."""
        step = self.step_number(step)
        if step == 0:
            return StartEvent(self.alphabet, self.special_tokens)
        return self.merge_event(step) if self.record.is_merge(step) else self.rule_event(step)

    def rule_event(self, step: int) -> RuleEvent:
        """The event of a step other than a merge; only kinds with a rule of their own have such steps."""
        raise NotImplementedError(step)

    def merge_event(self, step: int) -> MergeEvent:
        """The event of a merge."""
        record, before = self.record, step - 1
        token = record.token(step)
        best, tied = self.best_pairs(before, max(TIES_LISTED, CANDIDATES_LISTED))
        ties = [pair for pair in best if pair in tied]
        return MergeEvent(
            pair=self.pair_of(step),
            token=self.tokens[ord(token)],
            token_id=ord(token),
            rank=self.rank_of_step(step),
            freq=record.frequencies[before],
            applied=record.applied[before],
            is_new=self.vocab_sizes[step] > self.vocab_sizes[before],
            tied_count=len(tied),
            tied=tuple(Tie(self.read_pair(pair), self.met_in(before, pair)) for pair in ties[:TIES_LISTED]),
            candidates=tuple(self._candidates(before, best[:CANDIDATES_LISTED], tied)),
            pair_count=self.pair_total(before),
            words=self.words_changed(step),
        )

    def excluded(self, step: int) -> Sequence[Excluded]:
        """The pairs better than that of step `step` but excluded by bounds, best first; at most
        `CANDIDATES_LISTED`."""
        if self.bounds is None or step == 0 or not self.record.is_merge(step):
            return ()
        before = step - 1
        values, chosen = self.pair_values(before), self.record.pair(step)
        rivals = {
            pair: value
            for pair, value in values.items()
            if value >= values[chosen] and self.exclusion(pair, before)
        }
        ranked, _tied = self.best_by(rivals | {chosen: values[chosen]}, before, CANDIDATES_LISTED + 1)
        better = ranked[: ranked.index(chosen) if chosen in ranked else CANDIDATES_LISTED]
        result = self._candidates(before, better, ())
        reasons = (self.exclusion(pair, before) for pair in better)
        return [Excluded(*one) for one in zip(result, reasons, strict=True)]

    def words_changed(self, step: int) -> tuple[str, ...]:
        """The words changed by step `step`, in the order of the corpus."""
        words = self.corpus_at(step).words
        return tuple(words[index] for index in self.words_at(step))

    def words_at(self, step: int) -> Sequence[int]:
        """The indices of those words in `corpus_at`."""
        return self.record.words_at(step)

    def margin(self, step: int) -> int | Fraction | None:
        """The chosen pair's lead over the runner-up of step `step`, in the ranking's unit: a count or a
        score.

        0 at a tie; None without another pair or without a merge. `history` has the margins of all steps.
        """
        step = self[step].step
        best = self.candidates(step - 1, 2) if step and self.record.is_merge(step) else ()
        return best[0].value - best[1].value if len(best) == 2 else None

    def candidates(self, step: int, limit: int | None = None) -> Sequence[Candidate]:
        """The candidates after `step` merges, best first; the `limit` best (None: all)."""
        step = self.step_number(step)
        return self._candidates(step, *self.best_pairs(step, limit))

    def _candidates(
        self, step: int, pairs: Collection[PrivatePair], tied: Collection[PrivatePair]
    ) -> Sequence[Candidate]:
        return [Candidate(*facts) for facts in self._facts(step, pairs, tied)]

    def _facts(
        self, step: int, pairs: Collection[PrivatePair], tied: Collection[PrivatePair]
    ) -> Iterator[tuple[Pair, int, int, bool]]:
        """The fields of each pair's `Candidate`."""
        counts = self.pair_counts(step)
        changes = self.changes_at(step) if step else {}
        return ((self.read_pair(pair), counts[pair], changes.get(pair, 0), pair in tied) for pair in pairs)

    def changes_at(self, step: int) -> Mapping[PrivatePair, int]:
        """Pair → change of its count in step `step`, from 1."""
        return self.record.changes_at(step)

    def pair_counts(self, step: int) -> Mapping[PrivatePair, int]:
        """Pair → its count after `step` merges; not to be modified."""
        return self._counts.at(step)

    def pairs_there(self, step: int) -> Collection[PrivatePair]:
        """The pairs in the words after `step` merges, whether they may be merged or not."""
        return self.pair_counts(step).keys()

    def pair_total(self, step: int) -> int:
        """Number of different candidate pairs after `step` merges."""
        return len(self._allowed(self.pair_counts(step), step))

    def current_words(self, step: int) -> CurrentWords:
        """All words of the corpus after `step` merges; not to be modified."""
        return self._words.at(step)

    def splitter(self, step: int) -> Callable[[int], tuple[str, ...]]:
        """A function from a word's index in the corpus to its tokens after `step` merges."""
        words, read = self.current_words(step).words, self.vocabulary.read
        return lambda index: read(words[index])

    def words_between(self, first: int, second: int) -> set[int]:
        """The indices of the words possibly re-split between two steps."""
        return self.record.words_between(first, second)

    def splits(self, step: int, words: Iterable[str] | None = None) -> dict[str, tuple[str, ...]]:
        """Word → its tokens after `step` merges; a word need not be in the corpus. Raises UnknownWordError
        for a character that isn't."""
        step = self.step_number(step)
        read, current, indices = self.vocabulary.read, self.current_words(step).words, self.indices_at(step)
        return {
            word: read(current[indices[word]] if word in indices else self.split(word, step))
            for word in (self.corpus_at(step).words if words is None else checked_words(words))
        }

    def split(self, word: str, step: int) -> Private:
        """Any word after `step` merges, by applying only the merges that change it. Raises
        UnknownWordError."""
        step = self.step_number(step)
        text = self.start_of(word)
        for _, merged in self.merges_of(word, step):
            text = merged
        return text

    def merges_of(self, word: str, last: int | None = None) -> Iterator[tuple[int, Private]]:
        """The steps up to `last` that change `word`, each with the word after it as private characters."""
        last = len(self) if last is None else last
        text = self.start_of(word)
        index = self.recorded_index(word)
        if index is None:
            yield from takewhile(lambda change: change[0] <= last, self.replacements.of(text))
            return
        for step in self.record.steps_changing(index):
            if step > last:
                return
            text = self.replacements.apply(step, text)
            yield step, text

    @property
    def records(self) -> Sequence[MergeRecord]:
        """The changes of the steps: a record for each separately counted corpus."""
        return (self.record,)

    def recorded_index(self, word: str) -> int | None:
        """The word's index in the record of changed words; None if it isn't recorded."""
        return self.word_indices.get(word)

    def history_of(self, word: str) -> list[tuple[int, tuple[str, ...]]]:
        """A word's segmentations, each with its first step, starting at step 0. Raises UnknownWordError."""
        start = (0, self.vocabulary.read(self.start_of(word)))
        return [start, *((step, self.vocabulary.read(text)) for step, text in self.merges_of(word))]

    def start_of(self, word: str) -> Private:
        """The word before the first merge as private characters. Raises UnknownWordError for a character
        without a token."""
        symbols = self.symbols(word)
        missing = next((symbol for symbol in symbols if symbol not in self.vocabulary.ids), None)
        if missing is not None:
            raise UnknownWordError(word=word, symbol=missing)
        return self.vocabulary.write(symbols)

    # --- reading private characters -------------------------------------------------------------------------

    def read_pair(self, pair: PrivatePair) -> Pair:
        return Pair(self.tokens[ord(pair[0])], self.tokens[ord(pair[1])])

    def token_of(self, step: int) -> str:
        """The token of a step; "" for a step without one."""
        step = self.step_number(step)
        return self.tokens[ord(self.record.token(step))] if step else ""

    def pair_of(self, step: int) -> Pair:
        """The pair merged in a step. Raises IndexError for a step that merges nothing: the start, a removal,
        or a change of stages."""
        step = self.step_number(step)
        if not step or not self.record.is_merge(step):
            raise IndexError(f"step {step} merges nothing: it is {self.event(step).kind!r}, not 'merge'")
        return self.read_pair(self.record.pair(step))

    def rank_of_step(self, step: int) -> int:
        """The rank of the pair merged in step `step`: its place among the merges of its tokenizer, from 0."""
        return len(self.old_merges) + step - 1

    # --- the run as a whole ---------------------------------------------------------------------------------

    @cached_property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(self.tokens)

    @cached_property
    def id_totals(self) -> Sequence[int]:
        """How many ids there are after each number of steps."""
        if self.extended is None:
            size = len({*self.special_tokens, *self.alphabet})
        else:
            size = len(self.extended.tokens) + len(self.alphabet)
        sizes = [size]
        for token in self.record.tokens:
            size = max(size, ord(token) + 1)
            sizes.append(size)
        return compact(sizes)

    @property
    def vocab_sizes(self) -> Sequence[int]:
        """Vocabulary size after each number of steps."""
        return self.id_totals

    def vocab_at(self, step: int) -> tuple[str, ...]:
        """All tokens by id after `step` steps."""
        return self.tokens[: self.vocab_sizes[step]]

    def moved(self, first: int, second: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The tokens gained and lost from step `first` to step `second`."""
        sizes = self.vocab_sizes
        return self.tokens[sizes[first] : sizes[second]], self.tokens[sizes[second] : sizes[first]]

    def longer(self, step: int) -> tuple[str, ...]:
        """The vocabulary's tokens after `step` steps, without the alphabet."""
        return self.moved(0, step)[0]

    def step_of_size(self, size: int) -> int:
        """The first step with a vocabulary of `size` tokens, or else the last step."""
        return min(bisect_left(self._sizes_reached, size), len(self))

    @cached_property
    def _sizes_reached(self) -> Sequence[int]:
        """The largest vocabulary up to each step: where tokens leave again, sizes don't only rise."""
        return compact(accumulate(self.vocab_sizes, max))

    @cached_property
    def token_totals(self) -> Sequence[int]:
        """Tokens in the corpus after each number of steps."""
        start = sum(
            len(self.symbols(word)) * count
            for word, count in zip(self.corpus.words, self.corpus.counts, strict=True)
        )
        return compact(accumulate(self.record.applied, operator.sub, initial=start))

    @cached_property
    def word_frequencies(self) -> dict[str, int]:
        """Word → how often it occurs in the corpus."""
        return dict(zip(self.corpus.words, self.corpus.counts, strict=True))

    @cached_property
    def word_indices(self) -> dict[str, int]:
        """Word → its place in the corpus."""
        return {word: index for index, word in enumerate(self.corpus.words)}

    def corpus_at(self, step: int) -> Corpus:  # noqa: ARG002
        """The words to split after `step` steps, with their counts."""
        return self.corpus

    def indices_at(self, step: int) -> Mapping[str, int]:  # noqa: ARG002
        """Word → its place in `corpus_at`."""
        return self.word_indices

    def count_at(self, step: int, word: str) -> int:
        """How often one of the words of `corpus_at` occurs."""
        return self.corpus_at(step).counts[self.indices_at(step)[word]]

    @cached_property
    def replacements(self) -> Replacements:
        """The steps as replacements in a word."""
        record = self.record
        return Replacements((record.pair(step), record.token(step)) for step in range(1, len(self) + 1))

    @cached_property
    def step_of_token(self) -> dict[str, int]:
        """Learned token → the first step that made it."""
        steps: dict[str, int] = {}
        for step, token in enumerate(self.record.tokens, start=1):
            if self.record.is_merge(step):
                steps.setdefault(self.tokens[ord(token)], step)
        return steps

    @cached_property
    def history(self) -> tuple[StepStats, ...]:
        """One point a step for the charts, the start left out."""
        total = sum(self.corpus.counts)
        return tuple(
            StepStats(
                step,
                self.token_of(step),
                self.record.frequencies[step - 1],
                len(contest.tied),
                self.vocab_sizes[step],
                self.token_totals[step],
                self.token_totals[step] / total,
                contest.margin,
            )
            for step, contest in enumerate(self._contests(), start=1)
        )

    def lineage(self, token: str) -> Lineage:
        """The tree of merges behind `token`; a leaf is a symbol of the alphabet."""
        steps = self.step_of_token
        needed, waiting = {token}, [token]
        while waiting:
            parts = self.pair_of(steps[result]) if (result := waiting.pop()) in steps else ()
            waiting.extend(set(parts) - needed)
            needed.update(parts)
        # The oldest first, so that a token's parts are there before it: a long token's tree is too deep to
        # recurse.
        trees: dict[str, Lineage] = {}
        for name in sorted(needed, key=lambda name: steps.get(name, 0)):
            step = steps.get(name, 0)
            trees[name] = Lineage(
                name, step, tuple(trees[part] for part in self.pair_of(step)) if step else ()
            )
        return trees[token]

    # --- ties -----------------------------------------------------------------------------------------------

    @property
    def prefix(self) -> str:
        """The continuation prefix."""
        return str(self.settings["continuing_subword_prefix"])

    @property
    def tie_rule(self) -> TieRule:
        """The rule that decides between equally good pairs."""
        return TIE_RULES[self.settings["tie_rule"]]

    def _moment(self, step: int) -> Moment:
        return Moment(self.vocabulary, self.corpus.pipeline.byte_level, partial(self.current_words, step))

    def best_pairs(self, step: int, limit: int | None) -> tuple[list[PrivatePair], Collection[PrivatePair]]:
        """The `limit` best pairs after `step` merges, best first, ties in the order of the tie rule (None:
        all).

        And all pairs as good as the best one, itself included. See `best_by`.
        """
        return self.best_by(self._allowed(self.pair_values(step), step), step, limit)

    def _allowed(self, values: Mapping[PrivatePair, int], step: int) -> Mapping[PrivatePair, int]:
        """The pairs not excluded by a bound after `step` steps."""
        if self.bounds is None:
            return values
        return {pair: value for pair, value in values.items() if not self.exclusion(pair, step)}

    def best_by(
        self, values: Mapping[PrivatePair, int], step: int, limit: int | None
    ) -> tuple[list[PrivatePair], Collection[PrivatePair]]:
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
        rule, moment = self.tie_rule, self._moment(step)
        # Sorting by value keeps the tie rule's order among equals.
        ordered = sorted(rule.sort(above, moment), key=values.__getitem__, reverse=True)
        ordered += rule.sort(level, moment, enough - len(above))
        return ordered[:limit], tied

    def met_in(self, step: int, pair: PrivatePair) -> str:
        """The word of the first occurrence of `pair` after `step` merges; "" where the tie rule doesn't look
        at words."""
        index = self.tie_rule.first_word(pair, self._moment(step))
        return "" if index is None else self.corpus_at(step).words[index]

    def tied_pairs(self) -> Iterator[list[PrivatePair]]:
        """For each step, the pairs as good as the chosen one, in the order of the tie rule: one walk along
        the run."""
        for contest in self._contests():
            yield sorted(contest.tied, key=contest.order.key)

    def tied_counts(self) -> Iterator[int]:
        """For each step, the number of pairs as good as the chosen one, itself included."""
        return (len(contest.tied) for contest in self._contests())

    @property
    def least_count(self) -> int:
        """A candidate's least count. (BPE stops by itself at the first pair that is too rare.)"""
        return 1

    def _contests(self) -> Iterator[Contest]:
        """A replay of the run: the candidates of each merge, just before it is made."""
        yield from self._contests_among(self._initial_words, self.corpus.counts, 0, len(self))

    def _contests_among(
        self, words: Sequence[Private], frequencies: Sequence[int], start: int, end: int
    ) -> Iterator[Contest]:
        """The steps after `start` up to `end`, beginning with these words."""
        vocabulary = Vocabulary(self.tokens[: self.id_totals[start]], self.prefix)
        table = PairTable(words, frequencies)
        order = self.tie_rule.in_run(table, vocabulary, self.corpus.pipeline.byte_level)
        values, levels = self.values(table), RankedPairs()

        def update(pair: PrivatePair, step: int) -> None:
            there = table.counts.get(pair, 0) >= self.least_count and self.may_merge(pair, step)
            levels.update(pair, values.value(pair) if there else None)

        for pair in table.counts:
            update(pair, start)
        for step in range(start + 1, end + 1):
            chosen, token = self.record.pair(step), self.record.token(step)
            if self.record.is_merge(step):
                tied, second = levels.level_of(chosen), levels.second(chosen)
                margin = None if second is None else values.exact(chosen) - values.exact(second)
                yield Contest(order, tied, margin)
                vocabulary.add(self.tokens[ord(token)])
                merge = table.merge(chosen, token)
            else:
                yield Contest(order, set(), None)
                merge = table.remove(
                    token, Private(self.replacements.pairs[step - 1][1]), self.record.words_at(step)
                )
            for pair in {*values.update(merge), *merge.changes}:
                update(pair, step)

    def may_merge(self, pair: PrivatePair, step: int) -> bool:
        """Whether the rules let this pair be merged after `step` steps, however often it occurs."""
        return not self.exclusion(pair, step)

    # --- keeping it small -----------------------------------------------------------------------------------

    @cached_property
    def _initial_words(self) -> list[Private]:
        return [self.vocabulary.write(self.symbols(word)) for word in self.corpus.words]

    @cached_property
    def _counts(self) -> Replay[dict[PrivatePair, int]]:
        def apply(counts: dict[PrivatePair, int], step: int) -> dict[PrivatePair, int]:
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
            for index in self.words_at(step):
                state.words[index] = self.replacements.apply(step, state.words[index])
            return state

        return Replay(lambda: CurrentWords(self._initial_words), CurrentWords.copy, apply)

    def __getstate__(self) -> dict[str, Any]:
        """Only what can't be rebuilt, so that a pickled trace is small."""
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
    """The first step in which two runs merge different pairs, remove different tokens, or only one of them
    merges; None when one is the beginning of the other. Raises WrongTypeError for anything but a run of
    merges."""
    for name, run in (("left", left), ("right", right)):
        refuse_wrong_type(name, run, MergeTrace, "give a run with merges, of train_bpe or train_wordpiece")
    for step in range(1, min(len(left), len(right)) + 1):
        one, other = (
            run.pair_of(step) if run.record.is_merge(step) else run.token_of(step) for run in (left, right)
        )
        if one != other:
            return step
    return None
