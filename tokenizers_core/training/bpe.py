"""Byte-pair encoding: merge the most frequent pair of neighbours, everywhere, again and again.

Sources: Sennrich, Haddow and Birch (2016) for characters with an end-of-word symbol; Radford et al. (2019) for bytes;
the Hugging Face course, chapter 6, for the walk-through. What the papers leave open, and what decides most merges on
real text, is which of several equally frequent pairs is merged first: see `TIE_RULES`.
"""

from __future__ import annotations

import heapq
import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate, pairwise
from random import Random
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

from tokenizers_core.encoding import dropout
from tokenizers_core.encoding.added import AddedToken
from tokenizers_core.encoding.alignment import no_collecting
from tokenizers_core.encoding.byte_tokens import BYTE_TOKENS, byte_token, join_bytes
from tokenizers_core.encoding.cuts.steps import Drawn
from tokenizers_core.encoding.dropout import Choices, refuse_bad_dropout
from tokenizers_core.encoding.model import Model
from tokenizers_core.encoding.reasons import Reason, Spelling, why_not_merged
from tokenizers_core.encoding.tokenizer import Tokenizer, trained_tokenizer
from tokenizers_core.encoding.vocabulary import Private, PrivatePair, Vocabulary, with_unknown
from tokenizers_core.errors import SettingError, refuse_unknown_name, refuse_wrong_type
from tokenizers_core.lazy import cached_property
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL, in_byte_alphabet, rewritten
from tokenizers_core.text.corpus import Corpus, refuse_no_corpus
from tokenizers_core.text.spans import Span
from tokenizers_core.trace import Growing, StoredTrace
from tokenizers_core.training.merge_trace import MergeSnapshot, MergeTrace
from tokenizers_core.training.merge_training import Beginning, run_training
from tokenizers_core.training.merging import (
    SEPARATOR,
    Merge,
    Pair,
    PairTable,
    Progress,
    neighbours,
    split_word,
)
from tokenizers_core.training.options.bounds import Bounds
from tokenizers_core.training.options.limits import Limits
from tokenizers_core.training.ties import TieOrder

ALPHABETS = ("corpus", "bytes")
"""Where BPE starts: from the symbols that occur in the corpus, or from all 256 bytes."""


class CountQueue:
    """The pairs in the order in which they are merged.

    Most pairs never come near the best count, and sorting them would be for nothing: each waits in a list, that of its count.
    Only the list whose turn it is becomes a queue, of (place, pair). When a count falls or a place moves, the entry stays as
    it is, too good. It reaches the top too early, and is corrected there.
    """

    def __init__(self, table: PairTable, order: TieOrder) -> None:
        self.counts, self.order = table.counts, order
        self.level = 0
        """The best count."""
        self.tied: list[tuple[Any, PrivatePair]] = []
        """The queue of the pairs with that count."""
        self.waiting: dict[int, list[PrivatePair]] = {}
        """Lower count → the pairs that wait with it."""
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
        """Take the pair that is merged next; None when no pair is left."""
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
        """Have the queued pairs wait, since one occurs more often now: its token was made by a second route."""
        for _, pair in self.tied:
            self.wait(pair, self.level)
        self.tied.clear()
        self.level = count

    def update(self, merge: Merge, again: bool = False) -> None:
        """Take note of a step. `again`: its token was there before, so a pair may be met earlier though its count is the same."""
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
    """The merges of a run, one after the other, until no pair that `bounds` allows occurs `min_frequency` times."""
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

    The vocabulary starts with the special tokens and the sorted alphabet; each merge adds one token. Training stops
    at `vocab_size` tokens, after `merges` merges, when the best pair occurs fewer than `min_frequency` times, or when
    no pair is left, whichever comes first (`BpeTrace.stop_reason`). `tie_rule` is one of `TIE_RULES`, `alphabet` one
    of `ALPHABETS`. `end_of_word_suffix` is a last symbol for each word; by default the corpus's own.
    `continuing_subword_prefix` marks symbols inside words, as the `tokenizers` library does when it trains BPE under the
    name of WordPiece. `max_token_length`, `limit_alphabet`, `initial_alphabet` and `character_coverage` are limits: see `Limits`; characters
    outside of the alphabet are left out of the words, as in the `tokenizers` library. With `byte_fallback` the vocabulary has 256 byte
    tokens, `<0x00>` and so on, behind the special tokens: they spell what is unknown otherwise. `extend` is a BPE tokenizer whose training goes on: its tokens keep their ids and its merges their ranks, the
    corpus starts as it splits it, and what is learned comes after that. `progress` is called now and then and can stop the run. `growing` is called before each step, and can
    cut off what was recorded so far, to be looked at meanwhile (`tokenizers_core.trace.Growing`).

    >>> trace = train_bpe(Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}), merges=3)
    >>> [trace[step].event.token for step in (1, 2, 3)], trace.stop_reason
    (['ug', 'un', 'hug'], 'max_merges')

    If the pairs run out before `vocab_size`, the trace has a `shortfall`, and an `UnreachedSizeWarning` says what to change.
    Raises `VocabSizeError` for a vocabulary below special tokens and alphabet, `UnknownNameError` for an unknown rule
    or alphabet, and `SettingError` for a number that makes no sense, or a tokenizer that can't be gone on from.
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
        for name in limits._replace(max_token_length=None).given():
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
            reason="the old tokenizer has byte tokens, or none; leave it out",
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
    """Train a kind of BPE: `run_training` with what all of them have in common. `settings` are the kind's own, `more_symbols` of the alphabet."""
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
    """The model whose training is to go on, on this corpus. Raises WrongTypeError, SettingError."""
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
    """Where the training of a model goes on: its tokens, the symbols that the corpus adds, and the words as it splits them."""
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

    algorithm: ClassVar[Literal["bpe"]] = "bpe"
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
        """What splits words before the first merge of a run that goes on: the old model, with the symbols that the corpus adds."""
        if self.extended is None or not isinstance(self.extended.model, BpeModel):
            return None
        old = self.extended.model
        return old.with_merges(self.tokens[: self.vocab_sizes[0]], old.merges)

    def tokenizer(self, step: int | None = None, unk_token: str = MergeTrace.unk_token) -> Tokenizer:
        """The tokenizer after `step` steps (default: all).

        Where a character can be unknown (always, unless all 256 bytes are in the alphabet) `unk_token` stands for
        it; if it is not in the vocabulary it gets the next free id.
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
        """What the tokenizer of a step encodes words with."""
        suffix = str(self.settings["end_of_word_suffix"])
        options = BpeOptions(byte_fallback=bool(self.settings.get("byte_fallback")))
        return BpeModel(tokens, snapshot.merges, unk_token, suffix, self.prefix, options)

    def values(self, table: PairTable) -> Counts:
        return Counts(table)


class Counts:
    """What BPE ranks pairs by: their counts."""

    def __init__(self, table: PairTable) -> None:
        self.value = self.exact = table.counts.__getitem__

    def update(self, merge: Merge) -> Collection[PrivatePair]:
        """The pairs whose value a merge may have changed."""
        return merge.changes


def lowest_rank_pair(word: Private, ranks: Mapping[PrivatePair, int]) -> PrivatePair | None:
    """The pair of neighbours that was learned first; None when no learned pair is left in the word."""
    learned = [pair for pair in neighbours(word) if pair in ranks]
    return min(learned, key=ranks.__getitem__, default=None)


EVERYWHERE = -1
"""At how many places `apply_merges` makes a merge before it looks for the next."""


def apply_merges(
    word: Private,
    ranks: Mapping[PrivatePair, int],
    merged: Mapping[PrivatePair, Private],
    places: int = EVERYWHERE,
) -> Private:
    """Encode a word: merge the learned pair of lowest rank wherever it occurs, until none is left.

    `ranks` gives each pair's rank, `merged` the token it becomes. With `places` 1 a pair is merged at its first place only before
    the ranks are looked at again, which matters where `ranks_follow` doesn't hold.

    >>> apply_merges("hug", {"ug": 0, "hU": 1}, {"ug": "U", "hU": "H"})
    'H'
    """
    rank, known = ranks.__getitem__, ranks.__contains__
    text: str = word  # a call for each merge only to name its type would take a tenth of the time
    while len(text) > 2:
        learned = list(filter(known, map(operator.add, text, text[1:])))
        if not learned:
            return Private(text)
        pair = learned[0] if len(learned) == 1 else min(learned, key=rank)
        text = text.replace(pair, merged[pair], places)
    # Most words end here: nothing to search among two symbols.
    return merged.get(PrivatePair(text), Private(text))


def ranks_follow(ranks: Mapping[PrivatePair, int], merged: Mapping[PrivatePair, Private]) -> bool:
    """Whether each pair ranks after all pairs that make its tokens, as what training learned does.

    Then a merge makes nothing that would be merged before its own other places. In vocabularies that were put together otherwise
    (Gemma's runs of spaces, the longest first), it may.

    >>> merged = {"aa": "A", "Aa": "B"}
    >>> ranks_follow({"aa": 0, "Aa": 1}, merged), ranks_follow({"aa": 1, "Aa": 0}, merged)
    (True, False)
    """
    latest: dict[str, int] = {}
    for pair, rank in ranks.items():
        token = merged[pair]
        if rank > latest.get(token, -1):
            latest[token] = rank
    result = latest.get
    return all(rank > result(pair[0], -1) and rank > result(pair[1], -1) for pair, rank in ranks.items())


SHORT_WORD = 12
"""Up to this many symbols, a word is merged as a whole: searching it for what can be merged would cost as much."""
LONG_WORD = 100
"""From this many symbols on, looking at the whole word for each merge costs more than a queue."""


def apply_merges_long(
    word: Private, ranks: Mapping[PrivatePair, int], merged: Mapping[PrivatePair, Private]
) -> Private:
    """What `apply_merges` does one place at a time, in time near-linear in the word's length: a queue of (rank, place, pair)."""
    symbols = list(word)
    following = [*range(1, len(symbols)), -1]
    before = list(range(-1, len(symbols) - 1))
    queue: list[tuple[int, int, PrivatePair]] = []

    def offer(place: int) -> None:
        if place >= 0 and following[place] >= 0:
            pair = PrivatePair(symbols[place] + symbols[following[place]])
            if pair in ranks:
                heapq.heappush(queue, (ranks[pair], place, pair))

    for index in range(len(symbols)):
        offer(index)
    while queue:
        _, index, pair = heapq.heappop(queue)
        right = following[index]
        if right < 0 or symbols[index] + symbols[right] != pair:
            continue  # one of the two has become part of another token
        symbols[index], symbols[right] = merged[pair], ""
        following[index] = following[right]
        if following[right] >= 0:
            before[following[right]] = index
        offer(before[index])
        offer(index)
    return Private("".join(symbols))


@dataclass(frozen=True)
class SplitEvent:
    """The beginning of an encoding: the word is split into its symbols."""

    word: str
    kind: ClassVar[Literal["split"]] = "split"


@dataclass(frozen=True)
class ApplyEvent:
    """One learned merge, applied to the word."""

    pair: Pair
    token: str
    rank: int
    places: int
    """How often the merge was made in the word."""
    kind: ClassVar[Literal["apply"]] = "apply"


@dataclass(frozen=True)
class UndoEvent:
    """A removal of PickyBPE, made in the word: a token is split into its parts again."""

    token: str
    parts: tuple[str, ...]
    rank: int
    """The removal's place in the order of merges and removals, from 0."""
    places: int
    """How often the token was in the word."""
    kind: ClassVar[Literal["undo"]] = "undo"


ApplyingEvent = SplitEvent | ApplyEvent | UndoEvent


@dataclass(frozen=True)
class EncodingSnapshot:
    """A word after `step` merges of its encoding."""

    step: int
    event: ApplyingEvent
    tokens: tuple[str, ...]
    options: tuple[tuple[Pair, int], ...]
    """The learned pairs that occur in the word now, each with its rank, lowest rank first."""


class BpeOptions(NamedTuple):
    """Where other programs' BPE differs, under the names of the `tokenizers` library; nothing trained here needs it."""

    suffix_joined: bool = False
    """The end-of-word suffix is part of a word's last symbol (`w</w>`), instead of a symbol of its own."""
    fuse_unk: bool = False
    """Unknown characters in a row are one unknown token."""
    byte_fallback: bool = False
    """An unknown character is its UTF-8 bytes, each a token such as `<0xE3>`."""
    ignore_merges: bool = False
    """A word that is a token is that token, whether the merges lead there or not."""


class KnownCharacters(dict[int, int]):
    """The ids of characters, for `str.translate`, which leaves out a character that has none."""

    def __missing__(self, character: int) -> None:
        return None


class BpeModel(Model):
    """Learned merges, ready to encode words.

    A character that is no symbol becomes `unk_token`, and is left out if that is "".

    >>> options = BpeOptions(suffix_joined=True, fuse_unk=True)
    >>> model = BpeModel(["?", "a", "b</w>", "ab</w>"], [Pair("a", "b</w>")], "?", "</w>", options=options)
    >>> list(model.spell("ab")), list(model.spell("xyab")), list(model.spans("xyab"))
    ([3], [0, 3], [(0, 2), (2, 4)])
    """

    way = "merges"

    def __init__(
        self,
        tokens: Sequence[str],
        merges: Sequence[Pair],
        unk_token: str = "",
        suffix: str = "",
        prefix: str = "",
        options: BpeOptions = BpeOptions(),  # noqa: B008 (a tuple)
    ) -> None:
        super().__init__()
        self.vocabulary = Vocabulary(tokens, prefix)
        self.merges = merges
        self.unk_token = unk_token
        self.suffix = suffix
        self.options = options
        self.byte_fallback = options.byte_fallback
        self.rank_is_id = False
        """Whether ranks are the ids of the tokens that are made."""
        self.ranks: dict[PrivatePair, int] = {}
        self.merged: dict[PrivatePair, Private] = {}
        ranks: dict[Any, int] = self.ranks  # a call for each merge only to name its type would be felt
        merged: dict[Any, Any] = self.merged
        written = {token: chr(identifier) for token, identifier in self.vocabulary.ids.items()}
        with no_collecting():
            for rank, (first, second) in enumerate(merges):
                key = written[first] + written[second]
                token = first + (second.removeprefix(prefix) if prefix else second)
                if token not in written:
                    written[token] = chr(self.vocabulary.add(token))
                ranks.setdefault(key, rank)  # a pair learned twice keeps its first rank
                merged[key] = written[token]
        ids = self.vocabulary.ids
        self._plain = not prefix and not suffix
        """Whether the characters of a word are its symbols."""
        self._written = KnownCharacters(
            (ord(token), identifier) for token, identifier in ids.items() if len(token) == 1
        )
        self._bytes_written = ""
        """The table by which words in the byte alphabet are written in private characters, if that is all it takes."""
        if self._plain and not options.ignore_merges:
            self._bytes_written = self.vocabulary.byte_table(SEPARATOR)

    def rank_by_id(self) -> None:
        """Have merges ranked by the ids of the tokens that they make, as tiktoken does it: several pairs may make one token."""
        self.rank_is_id = True
        self.ranks = {pair: ord(token) for pair, token in self.merged.items()}
        vars(self).pop("places", None)

    def with_merges(self, tokens: Sequence[str], merges: Sequence[Pair]) -> BpeModel:
        """A model that works alike, with other tokens (by id) and merges."""
        model = BpeModel(tokens, merges, self.unk_token, self.suffix, self.vocabulary.prefix, self.options)
        if self.rank_is_id:
            model.rank_by_id()
        return model

    @cached_property
    def places(self) -> int:
        """At how many places a merge is made before the next is looked for."""
        return EVERYWHERE if ranks_follow(self.ranks, self.merged) else 1

    def split(self, word: str) -> tuple[str, ...]:
        """The word's symbols, known or not."""
        if not self.options.suffix_joined:
            return split_word(word, self.vocabulary.prefix, self.suffix)
        symbols = split_word(word, self.vocabulary.prefix)
        return (*symbols[:-1], *(symbol + self.suffix for symbol in symbols[-1:]))

    def symbols(self, word: str) -> Sequence[str]:
        """The word's symbols, with replacements for those that are unknown."""
        symbols = self.split(word)
        if all(map(self.vocabulary.ids.__contains__, symbols)):
            return symbols
        return [symbol for symbol, _span in self.placed_symbols(word)]

    def placed_symbols(self, word: str) -> list[tuple[str, Span]]:
        """The same symbols, each with the characters of the word that it stands for."""
        known, options = self.vocabulary.ids, self.options
        placed: list[tuple[str, Span]] = []
        fusing = False
        for index, symbol in enumerate(self.split(word)):
            start, end = index, min(index + 1, len(word))
            unknown = symbol not in known
            if not unknown:
                placed.append((symbol, (start, end)))
            elif options.byte_fallback:
                placed += [(byte_token(byte), (start, end)) for byte in symbol.encode("utf-8")]
            elif fusing:
                placed[-1] = self.unk_token, (placed[-1][1][0], end)
            elif self.unk_token:
                placed.append((self.unk_token, (start, end)))
            fusing = unknown and options.fuse_unk and bool(self.unk_token)
        return placed

    def start(self, word: str) -> Private:
        """Where the encoding of a word begins, in private characters."""
        if self.options.ignore_merges and word in self.vocabulary.ids:
            return self.vocabulary.write([word])
        if self._plain:
            text = word.translate(self._written)
            if len(text) == len(word):  # all of them are known, as nearly always
                return Private(text)
        return self.vocabulary.write(self.symbols(word))

    def _start_all(self, words: Sequence[str]) -> Private:
        """Where the encodings of many words begin, `SEPARATOR` between words."""
        if self._bytes_written:
            with suppress(UnicodeError):  # a character that is no byte
                return Private(rewritten(words, self._bytes_written))
        return Private(SEPARATOR.join(map(self.start, words)))

    def spell(self, word: str) -> Iterable[int]:
        """The ids of a word's tokens."""
        text = self.start(word)
        if len(text) < SHORT_WORD:
            return map(ord, apply_merges(text, self.ranks, self.merged, self.places))
        return map(ord, self._mergeable.sub(self._merge_stretch, text))

    def spell_all(self, words: Sequence[str]) -> list[tuple[int, ...]]:
        """The ids of many words' tokens, which are one string for all that the standard library does in C."""
        text = Private(self._mergeable.sub(self._merge_stretch, self._start_all(words)))
        ids = self.vocabulary.numbers(text)
        ends = accumulate([len(word) + 1 for word in text.split(SEPARATOR)], initial=0)
        return [ids[start : end - 1] for start, end in pairwise(ends)]

    def _merge_stretch(self, found: re.Match[str]) -> str:
        stretch = Private(found.group())
        if len(stretch) < LONG_WORD:
            return apply_merges(stretch, self.ranks, self.merged, self.places)
        return apply_merges_long(stretch, self.ranks, self.merged)

    @cached_property
    def _mergeable(self) -> re.Pattern[str]:
        """Finds the stretches of a word in which anything can be merged: those of symbols that are in some learned pair,
        the first of which begins one.

        What is between them stays as it is. So a word in a script that the corpus didn't have costs one search.
        """
        firsts, symbols = ({pair[0] for pair in self.ranks}, set().union(*self.ranks))
        if (
            self._plain
        ):  # words begin as characters: with all tokens of a large vocabulary a set would be slow
            unknown = self.vocabulary.ids.get(self.unk_token, 0)
            beginning = {chr(one) for one in (*self._written.values(), unknown)}
            beginning.update(
                chr(self.vocabulary.ids[one]) for one in BYTE_TOKENS.keys() & self.vocabulary.ids
            )
            firsts, symbols = firsts & beginning, symbols & beginning
        if not firsts:
            return re.compile("(?!)")
        # Two sets and no count: `re` searches quickly for a set that stands first.
        first, more = (re.escape("".join(sorted(some))) for some in (firsts, symbols))
        return re.compile(f"[{first}][{more}]+")

    def spans(self, word: str) -> Iterable[Span]:
        """Where each of a word's tokens is in it.

        An end-of-word symbol by itself is after the last character.
        """
        if self.options.ignore_merges and word in self.vocabulary.ids:
            return [(0, len(word))]
        plain = not self.vocabulary.prefix and not self.suffix
        if self.vocabulary.ids.keys() >= ({*word} if plain else {*self.split(word)}):
            return super().spans(word)
        return self._spans_among_unknown(word)

    def _spans_among_unknown(self, word: str) -> Iterator[Span]:
        """The same for a word with unknown characters: a token is as many symbols as its letters need."""
        symbols = iter(self.placed_symbols(word))
        for identifier in self.encode_word(word):
            symbol, (start, end) = next(symbols)
            missing = len(self.vocabulary.tokens[identifier]) - len(symbol)
            while missing > 0:
                symbol, (_, end) = next(symbols)
                missing -= len(symbol.removeprefix(self.vocabulary.prefix))
            yield start, end

    def join(self, tokens: list[str]) -> list[str]:
        """The tokens with runs of byte tokens as the text that they spell, if there are byte tokens."""
        return join_bytes(tokens) if self.options.byte_fallback else tokens

    def choices(self, text: Private) -> Choices[Private]:
        """What BPE-dropout chooses from: every place in a word where a merge could be made, by rank and then from the left."""
        positions = sorted(
            (self.ranks[pair], index) for index, pair in enumerate(neighbours(text)) if pair in self.ranks
        )
        return Choices([self._merged_at(text, index) for _rank, index in positions])

    def _merged_at(self, text: Private, place: int) -> Private:
        token = self.merged[PrivatePair(text[place : place + 2])]
        return Private(text[:place] + token + text[place + 2 :])

    def sample(self, word: str, amount: float, random: Random) -> tuple[str, ...]:
        """One split by BPE-dropout: before each merge, every possible one drops out with probability `amount`. Raises SettingError.

        >>> model = BpeModel(["h", "u", "g", "ug", "hug"], [Pair("u", "g"), Pair("h", "ug")])
        >>> [model.sample("hug", 0.5, Random(seed)) for seed in (1, 2, 10)]
        [('h', 'u', 'g'), ('hug',), ('h', 'ug')]
        """
        refuse_bad_dropout(amount)
        return self.vocabulary.read(dropout.sample(self.start(word), self.choices, amount, random))

    def sampling(self, word: str, amount: float, random: Random) -> Iterator[Drawn]:
        refuse_bad_dropout(amount)
        states = dropout.walk(self.start(word), self.choices, amount, random)
        read = self.vocabulary.read
        return dropout.drawn_tokens(
            dropout.Walked(read(state), [*map(read, dropped)]) for state, dropped in states
        )

    def distribution(self, word: str, amount: float) -> dict[tuple[str, ...], float] | None:
        """The exact probability of each split by BPE-dropout. Raises SettingError.

        >>> model = BpeModel(["h", "u", "g", "ug", "hug"], [Pair("u", "g"), Pair("h", "ug")])
        >>> model.distribution("hug", 0.1)
        {('h', 'u', 'g'): 0.1, ('h', 'ug'): 0.09, ('hug',): 0.81}
        """
        refuse_bad_dropout(amount)
        ends = dropout.distribution(self.start(word), self.choices, amount)
        if ends is None:
            return None
        return {self.vocabulary.read(text): round(share, 12) for text, share in ends.items()}

    def spelling(self, word: str) -> Spelling:
        """What the encoding of a word begins with, and its merges, whether or not the word is a token itself."""
        placed = self.placed_symbols(word)
        return Spelling(word, placed, self.split(word), self.vocabulary, self.ranks, self.merged)

    def why_not(self, word: str, tokens: tuple[str, ...]) -> Reason:
        """What stopped BPE from splitting a word like this: see `why_not_merged`."""
        actual = tuple(self.vocabulary.tokens[identifier] for identifier in self.encode_word(word))
        whole = self.options.ignore_merges and word in self.vocabulary.ids
        return why_not_merged(self.spelling(word), tokens, actual, whole)

    def explain(self, word: str) -> StoredTrace[EncodingSnapshot]:
        """The encoding of a word, merge by merge."""
        ranks, read = self.ranks, self.vocabulary.read
        text = self.start(word)
        event: ApplyingEvent = SplitEvent(word)
        snapshots: list[EncodingSnapshot] = []
        while True:
            learned = dict.fromkeys(pair for pair in neighbours(text) if pair in ranks)
            present = sorted(learned, key=ranks.__getitem__)  # with `rank_is_id`, of equal ranks the leftmost
            options = tuple((Pair(*read(pair)), ranks[pair]) for pair in present)
            snapshots.append(EncodingSnapshot(len(snapshots), event, read(text), options))
            if not present:
                return StoredTrace(word, tuple(snapshots), "no_pairs")
            pair, token = present[0], self.merged[present[0]]
            result = text.count(pair) if self.places == EVERYWHERE else 1
            event = ApplyEvent(Pair(*read(pair)), read(token)[0], ranks[pair], result)
            text = Private(text.replace(pair, token, result))
