"""Byte-pair encoding: merge the most frequent pair of neighbours, everywhere, again and again.

Sources: Sennrich, Haddow and Birch (2016) for characters with an end-of-word symbol; Radford et al. (2019)
for bytes; the Hugging Face course, chapter 6, for the walk-through. The papers leave one choice open, and it
decides most merges on real text: the order of equally frequent pairs. See `TIE_RULES`.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Literal, TypeVar

from tokenizers_core.encoding.added import AddedToken
from tokenizers_core.encoding.models.base import Model
from tokenizers_core.encoding.models.bpe import (
    BpeModel,
    BpeOptions,
)
from tokenizers_core.encoding.models.pairs import Pair, split_word
from tokenizers_core.encoding.tokenizer import Tokenizer, trained_tokenizer
from tokenizers_core.encoding.vocabulary import Private, PrivatePair, Vocabulary, with_unknown
from tokenizers_core.errors import SettingError, refuse_unknown_name, refuse_wrong_type
from tokenizers_core.lazy import cached_property
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL, in_byte_alphabet
from tokenizers_core.text.corpus import Corpus, refuse_no_corpus
from tokenizers_core.trace import Growing
from tokenizers_core.training.merge_trace import MergeSnapshot, MergeTrace
from tokenizers_core.training.merge_training import Beginning, run_training
from tokenizers_core.training.merging import Merge, PairTable, Progress
from tokenizers_core.training.options.bounds import Bounds
from tokenizers_core.training.options.limits import Limits
from tokenizers_core.training.ties import TieOrder

ALPHABETS = ("corpus", "bytes")
"""BPE's initial alphabet: the symbols in the corpus, or all 256 bytes."""


class CountQueue:
    """The pairs in merge order.

    Most pairs never come near the best count, and sorting them would be wasted: each waits in the list of its
    count. Only the current list becomes a queue, of (place, pair). When a count falls or a place moves, the
    entry stays as it is, too good. It reaches the top too early, and is corrected there.
    """

    def __init__(self, table: PairTable, order: TieOrder) -> None:
        self.counts, self.order = table.counts, order
        self.level = 0
        """The best count."""
        self.tied: list[tuple[Any, PrivatePair]] = []
        """The queue of the pairs with that count."""
        self.waiting: dict[int, list[PrivatePair]] = {}
        """Lower count → the pairs waiting with it."""
        for pair, count in self.counts.items():
            self.waiting.setdefault(count, []).append(pair)
        self.levels = sorted(-count for count in self.waiting)
        """The queue of the counts in `waiting`, negative."""

    def wait(self, pair: PrivatePair, count: int) -> None:
        """Have a pair wait until its count is the best."""
        if count not in self.waiting:
            self.waiting[count] = []
            heapq.heappush(self.levels, -count)
        self.waiting[count].append(pair)

    def best(self) -> PrivatePair | None:
        """Remove and return the next pair to merge; None when no pair is left."""
        tied = self.tied
        while tied or self.levels:
            if not tied:
                self.descend()
                continue
            _, pair = heapq.heappop(tied)
            count = self.counts.get(pair, 0)
            if count != self.level:
                if count:
                    self.wait(pair, count)
            elif tied and (position := self.order.key(pair, rival := tied[0][0])) > rival:
                heapq.heappush(tied, (position, pair))
            else:
                return pair
        return None

    def descend(self) -> None:
        """Queue the pairs with the next lower count."""
        level = self.level = -heapq.heappop(self.levels)
        for pair in self.waiting.pop(level):
            count = self.counts.get(pair, 0)
            if count == level:
                self.tied.append((self.order.bound(pair), pair))
            elif count:
                self.wait(pair, count)
        heapq.heapify(self.tied)

    def ascend(self, count: int) -> None:
        """Have the queued pairs wait, since one occurs more often now: its token was made by a second
        route."""
        for _, pair in self.tied:
            self.wait(pair, self.level)
        self.tied.clear()
        self.level = count

    def update(self, merge: Merge, again: bool = False) -> None:
        """Take note of a step. `again`: its token was there before, so a pair may be met earlier though its
        count is the same."""
        waiting, counts = self.waiting, self.counts
        for pair, change in merge.changes.items():
            if change <= 0 and not (again and pair in counts):
                continue
            count = counts[pair]
            if count in waiting:  # as nearly always
                waiting[count].append(pair)
            elif count < self.level:
                self.wait(pair, count)
            else:
                if count > self.level:
                    self.ascend(count)
                heapq.heappush(self.tied, (self.order.bound(pair), pair))


def bpe_merges(
    table: PairTable,
    vocabulary: Vocabulary,
    order: TieOrder,
    min_frequency: int = 1,
    bounds: Bounds | None = None,
) -> Iterator[Merge]:
    """The merges of a run, one after the other, until no pair allowed by `bounds` occurs `min_frequency`
    times."""
    queue = CountQueue(table, order)
    while (pair := queue.best()) and queue.level >= min_frequency:
        if bounds is not None and bounds.reason(pair):
            continue
        token: Any = chr(vocabulary.join(pair))  # a call for each merge only to name its type would be felt
        merge = table.merge(pair, token)
        yield merge
        queue.update(merge)


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
    continuing_subword_prefix: str = "",
    max_token_length: int | None = None,
    limit_alphabet: int | None = None,
    initial_alphabet: Sequence[str] = (),
    character_coverage: float = 1.0,
    byte_fallback: bool = False,
    extend: Tokenizer | None = None,
    progress: Progress | None = None,
    growing: Growing | None = None,
) -> BpeTrace:
    """Train byte-pair encoding on `corpus` and record every step.

    The vocabulary starts with the special tokens and the sorted alphabet; each merge adds one token. Training
    stops at `vocab_size` tokens, after `merges` merges, when the best pair occurs fewer than `min_frequency`
    times, or when no pair is left, whichever comes first (`BpeTrace.stop_reason`). `tie_rule` is one of
    `TIE_RULES`, `alphabet` one of `ALPHABETS`. `end_of_word_suffix` is a last symbol for each word; by
    default the corpus's own. `continuing_subword_prefix` marks symbols inside words, as the `tokenizers`
    library does when it trains BPE under the name of WordPiece. `max_token_length`, `limit_alphabet`,
    `initial_alphabet` and `character_coverage` are limits: see `Limits`; characters outside of the alphabet
    are left out of the words, as in the `tokenizers` library. With `byte_fallback` the vocabulary has 256
    byte tokens, `<0x00>` and so on, behind the special tokens: they spell unknown characters. `extend` is a
    BPE tokenizer to continue training: its tokens keep their ids and its merges their ranks, the corpus
    starts as split by it, and new tokens and merges come after the old. `progress` is called now and then and
    can stop the run. `growing` is called before each step, and can cut off the record so far, for display
    meanwhile (`tokenizers_core.trace.Growing`).

    >>> trace = train_bpe(Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}), merges=3)
    >>> [trace[step].event.token for step in (1, 2, 3)], trace.stop_reason
    (['ug', 'un', 'hug'], 'max_merges')

    If the pairs run out before `vocab_size`, the trace has a `shortfall`, and an `UnreachedSizeWarning` names
    the remedy. Raises `VocabSizeError` for a vocabulary below special tokens and alphabet, `UnknownNameError`
    for an unknown rule or alphabet, `WrongTypeError` for another type, and `SettingError` for an invalid
    number, or a tokenizer that can't be extended.
    """
    limits = Limits(max_token_length, limit_alphabet, initial_alphabet, character_coverage)
    beginning: Beginning | None = None
    value: dict[str, Any] = {}
    if byte_fallback:
        refuse_byte_fallback(corpus, extend)
        value["byte_fallback"] = True
    if extend is not None:
        refuse_no_corpus(corpus)
        refuse_unknown_name("alphabet", alphabet, ALPHABETS)
        for name in limits._replace(max_token_length=None).non_defaults():
            raise SettingError(
                name=name,
                value=getattr(limits, name),
                reason="the alphabet is the old tokenizer's; leave it out",
            )
        model = model_to_extend(extend, corpus, special_tokens)
        beginning = beginning_of(model, corpus, alphabet)
        value["extend"] = extend
        special_tokens, end_of_word_suffix = extend.special_tokens, model.suffix
        continuing_subword_prefix = model.vocabulary.prefix
    return train_by_counts(
        BpeTrace,
        bpe_merges,
        corpus,
        alphabet=alphabet,
        end_of_word_suffix=end_of_word_suffix,
        prefix=continuing_subword_prefix,
        vocab_size=vocab_size,
        merges=merges,
        min_frequency=min_frequency,
        special_tokens=special_tokens,
        tie_rule=tie_rule,
        progress=progress,
        growing=growing,
        beginning=beginning,
        limits=limits,
        settings=value,
    )


def refuse_byte_fallback(corpus: Corpus, extend: Tokenizer | None) -> None:
    """Raise SettingError where byte tokens would have nothing to spell, or come too late."""
    if corpus.pipeline.byte_level:
        raise SettingError(
            name="byte_fallback",
            value=True,
            reason="with byte_level nothing is unknown; choose another pre-tokenizer",
        )
    if extend is not None:
        raise SettingError(
            name="byte_fallback",
            value=True,
            reason="the old tokenizer decides on byte tokens; leave it out",
        )


SomeBpeTrace = TypeVar("SomeBpeTrace", bound="BpeTrace")


def train_by_counts(
    trace_of: type[SomeBpeTrace],
    merges_of: Callable[[PairTable, Vocabulary, TieOrder, int, Bounds | None], Iterator[Merge]],
    corpus: Corpus,
    *,
    alphabet: str,
    end_of_word_suffix: str | None,
    more_symbols: Collection[str] = (),
    settings: Mapping[str, Any] = MappingProxyType({}),
    **others: Any,
) -> SomeBpeTrace:
    """Train a kind of BPE: `run_training` with their common settings. `settings` are the kind's own,
    `more_symbols` of the alphabet."""
    refuse_no_corpus(corpus)
    refuse_unknown_name("alphabet", alphabet, ALPHABETS)
    suffix = corpus.pipeline.suffix if end_of_word_suffix is None else end_of_word_suffix
    return run_training(
        trace_of,
        merges_of,
        corpus,
        extra_symbols=[*(BYTE_TO_SYMBOL if alphabet == "bytes" else ()), *more_symbols],
        suffix=suffix,
        settings={"alphabet": alphabet, "end_of_word_suffix": suffix, **settings},
        callers=4,
        **others,
    )


def model_to_extend(old: Tokenizer, corpus: Corpus, special_tokens: Sequence[str]) -> BpeModel:
    """The model to extend on this corpus. Raises WrongTypeError, SettingError."""
    refuse_wrong_type("extend", old, Tokenizer, "load one first: Tokenizer.load('tokenizer.json')")
    shown = repr(old)
    if not isinstance(old.model, BpeModel):
        raise SettingError(name="extend", value=shown, reason="only BPE's merges can be gone on from")
    if old.pipeline.rules != corpus.pipeline.rules:
        raise SettingError(
            name="extend",
            value=shown,
            reason="it cuts text into words by other rules than the corpus was counted by; count it by those of extend.pipeline",
        )
    if not {*special_tokens} <= {*old.special_tokens, *corpus.pipeline.user_defined_symbols}:
        raise SettingError(
            name="extend",
            value=shown,
            reason="its special tokens stay as they are; leave special_tokens out",
        )
    return old.model


def beginning_of(model: BpeModel, corpus: Corpus, alphabet: str) -> Beginning:
    """The beginning of a run that extends a model: its tokens, the corpus's new symbols, and the words as
    split by it."""
    words = corpus.words
    symbols = {*BYTE_TO_SYMBOL} if alphabet == "bytes" else set()
    if not (symbols.issuperset(BYTE_TO_SYMBOL) and in_byte_alphabet(words)):
        symbols.update(*map(model.split, words))
    symbols.update(corpus.pipeline.user_defined_symbols)
    new = sorted(symbols - model.vocabulary.ids.keys())
    begun = model.with_merges([*model.vocabulary.tokens, *new], model.merges)
    split = [Private("".join(map(chr, ids))) for ids in begun.encode_words(words)]
    return Beginning(begun.vocabulary.tokens, new, split)


@dataclass(frozen=True, eq=False, repr=False)
class BpeTrace(MergeTrace):
    """A recorded run of `train_bpe`."""

    algorithm: ClassVar[str] = "bpe"
    ranked_by: ClassVar[Literal["count"]] = "count"
    kind: ClassVar[str] = "plain"
    """The kind of BPE, by its name in `KINDS`."""

    def symbols(self, word: str) -> tuple[str, ...]:
        if self._begun is None:
            return self.in_alphabet(split_word(word, self.prefix, self.settings["end_of_word_suffix"]))
        return tuple(map(self.tokens.__getitem__, self._begun.encode_word(word)))

    def pair_values(self, step: int) -> Mapping[PrivatePair, int]:
        return self.pair_counts(step)

    @property
    def old_merges(self) -> Sequence[Pair]:
        return () if self._begun is None else self._begun.merges

    @cached_property
    def _begun(self) -> BpeModel | None:
        """The model before the first merge of an extending run: the old one, with the corpus's new
        symbols."""
        if self.extended is None or not isinstance(self.extended.model, BpeModel):
            return None
        old = self.extended.model
        return old.with_merges(self.tokens[: self.vocab_sizes[0]], old.merges)

    def tokenizer(self, step: int | None = None, unk_token: str = MergeTrace.unk_token) -> Tokenizer:
        """The tokenizer after `step` steps (default: all).

        Where a character can be unknown (always, unless all 256 bytes are in the alphabet) it becomes
        `unk_token`; if that is not in the vocabulary it gets the next free id. Raises IndexError for a step
        not in the run, and SettingError for an empty `unk_token`.
        """
        snapshot = self[-1 if step is None else step]
        pipeline = self.corpus_at(snapshot.step).pipeline
        if self.extended is not None and self._begun is not None:
            model = self._begun.with_merges(snapshot.vocab, snapshot.merges)
            there = {*self.extended.special_tokens, *(token.content for token in self.extended.added)}
            new = [one for one in pipeline.user_defined_symbols if one not in there]
            added = [*self.extended.added, *(AddedToken(one, special=False) for one in new)]
            return self.extended.with_options(model=model, added=added)
        tokens, special_tokens = list(snapshot.vocab), list(self.special_tokens)
        whole = pipeline.byte_level and set(BYTE_TO_SYMBOL) <= set(self.alphabet)
        if whole or self.settings.get("byte_fallback"):
            unk_token = ""
        else:
            tokens, special_tokens = with_unknown(tokens, special_tokens, unk_token)
        return trained_tokenizer(pipeline, self.model(snapshot, tokens, unk_token), special_tokens)

    def model(self, snapshot: MergeSnapshot, tokens: Sequence[str], unk_token: str) -> Model:
        """The model of a step's tokenizer."""
        suffix = str(self.settings["end_of_word_suffix"])
        options = BpeOptions(byte_fallback=bool(self.settings.get("byte_fallback")))
        return BpeModel(tokens, self.merges_to_encode(snapshot), unk_token, suffix, self.prefix, options)

    def merges_to_encode(self, snapshot: MergeSnapshot) -> Sequence[Pair]:
        """The merges of a step's tokenizer, by rank."""
        return snapshot.merges

    def values(self, table: PairTable) -> Counts:
        return Counts(table)


class Counts:
    """BPE's values for ranking pairs: their counts."""

    def __init__(self, table: PairTable) -> None:
        self.value = self.exact = table.counts.__getitem__

    def update(self, merge: Merge) -> Collection[PrivatePair]:
        """The pairs with a possibly changed value after a merge."""
        return merge.changes
