"""PickyBPE: BPE that removes a token again when it occurs almost only as a part of others.

Source: Chizhov, Arnett, Korotkova and Yamshchikov (2024), “BPE Gets Picky: Efficient Vocabulary Refinement
During Tokenizer Training”, arXiv 2409.04599. After each merge both of its parts are judged by their IoS
(intersection over self): the merge's share of a part's places. Above a threshold the part leaves the
vocabulary, and its remaining occurrences are split into the tokens it was made of.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate, chain
from random import Random
from typing import Any, ClassVar, Final, Literal, NamedTuple, cast

from tokenizers_core.encoding.cuts.steps import Drawn
from tokenizers_core.encoding.dropout import refuse_bad_dropout
from tokenizers_core.encoding.models.base import Model
from tokenizers_core.encoding.models.bpe import (
    ApplyEvent,
    ApplyingEvent,
    EncodingSnapshot,
    SplitEvent,
    UndoEvent,
)
from tokenizers_core.encoding.models.pairs import Pair, neighbours, split_word
from tokenizers_core.encoding.reasons import (
    Chosen,
    MergedAcross,
    Misspelled,
    NotInVocabulary,
    RankedPair,
    Reason,
    UnknownCharacter,
    Unreachable,
    borders,
)
from tokenizers_core.encoding.vocabulary import Private, PrivatePair, Vocabulary
from tokenizers_core.errors import Phrase, SettingError, refuse_wrong_type
from tokenizers_core.lazy import cached_property
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.trace import Growing, StoredTrace
from tokenizers_core.training.bpe import BpeTrace, CountQueue, train_by_counts
from tokenizers_core.training.merge_trace import MergeEvent, MergeSnapshot, RuleEvent
from tokenizers_core.training.merging import Merge, PairTable, Progress, Replacements, compact
from tokenizers_core.training.options.bounds import Bounds
from tokenizers_core.training.ties import TieOrder

USUAL_THRESHOLD: Final = Fraction(9, 10)
"""The default of the authors' program."""


class PresentTokens(Vocabulary):
    """Tokens by id, some of them removed: these keep their ids, as they may come back, but don't count."""

    def __init__(self, tokens: Sequence[str] = (), prefix: str = "") -> None:
        super().__init__(tokens, prefix)
        self.removed: set[str] = set()
        """The removed tokens, as private characters."""

    def __len__(self) -> int:
        return len(self.tokens) - len(self.removed)


def parts_of(token: str, makers: Mapping[str, PrivatePair], removed: Set[str]) -> Private:
    """The replacement of a removed token: the tokens it was made of, with removed ones split further.

    >>> makers = {"U": PrivatePair("ug"), "H": PrivatePair("hU"), "S": PrivatePair("Hs")}
    >>> parts_of("S", makers, {"H"}), parts_of("S", makers, {"H", "U"})
    ('hUs', 'hugs')
    """
    parts, waiting = [], [*reversed(makers[token])]
    while waiting:
        part = waiting.pop()
        if part in removed:
            waiting.extend(reversed(makers[part]))
        else:
            parts.append(part)
    return Private("".join(parts))


class Shares:
    """The count of each learned token, updated with every merge, to find tokens with too few occurrences
    left."""

    def __init__(self, table: PairTable, vocabulary: PresentTokens, threshold: Fraction) -> None:
        self.table, self.vocabulary, self.threshold = table, vocabulary, threshold
        self.symbols = len(vocabulary.tokens)
        """The ids below this one are special tokens and the alphabet; these stay."""
        self.makers: dict[str, PrivatePair] = {}
        self.counts: dict[str, int] = {}
        """Learned token → how often it occurs in the corpus."""
        self.word_lists: dict[str, list[list[int]]] = {}
        """Learned token → lists of the words it was merged in: it occurs in no others."""

    def judge(self, merge: Merge) -> Iterator[Merge]:
        """Count a merge, and remove its parts if it took too large a share of them."""
        self.makers.setdefault(merge.token, merge.pair)
        self.vocabulary.removed.discard(merge.token)
        self._write(merge.token, merge.applied, merge.words)
        for part in dict.fromkeys(merge.pair):
            if ord(part) < self.symbols:
                continue
            self.counts[part] -= merge.applied * merge.pair.count(part)
            left = self.counts[part]
            limit = self.threshold
            if merge.applied * limit.denominator > limit.numerator * (merge.applied + left):
                yield self._remove(Private(part))

    def _write(self, token: str, times: int, words: list[int]) -> None:
        """Count a token's new occurrences in some words."""
        if ord(token) >= self.symbols:
            self.counts[token] = self.counts.get(token, 0) + times
            self.word_lists.setdefault(token, []).append(words)

    def _remove(self, token: Private) -> Merge:
        removed = self.vocabulary.removed
        parts = parts_of(token, self.makers, removed)
        removed.add(token)
        left, word_lists = self.counts.pop(token), self.word_lists.pop(token)
        if not left:  # as nearly always
            return Merge(PrivatePair(token + token), token, 0, 0, {}, [])
        removal = self.table.remove(token, parts, chain.from_iterable(word_lists))
        for part in parts:
            self._write(part, left, removal.words)
        return removal


def picky_merges(
    table: PairTable,
    vocabulary: Vocabulary,
    order: TieOrder,
    min_frequency: int,
    bounds: Bounds | None,
    threshold: Fraction,
) -> Iterator[Merge]:
    """The merges of a run, each with the removals after it."""
    present = cast(PresentTokens, vocabulary)
    queue, shares = CountQueue(table, order), Shares(table, present, threshold)
    while (pair := queue.best()) and queue.level >= min_frequency:
        if bounds is not None and bounds.reason(pair):
            continue
        known = len(present.tokens)
        token: Any = chr(present.join(pair))
        merge = table.merge(pair, token)
        again = len(present.tokens) == known
        queue.update(merge, again)
        removals = []
        for removal in shares.judge(merge):
            queue.update(removal)
            removals.append(removal)
        yield Merge(*merge[:-1], tuple(removals)) if removals else merge


def exact_threshold(threshold: Fraction | float | str) -> Fraction:
    """A threshold as it is written: 0.9 is nine tenths, though no float is. Raises WrongTypeError and
    SettingError.

    >>> exact_threshold(0.9), exact_threshold("2/3")
    (Fraction(9, 10), Fraction(2, 3))
    """
    refuse_wrong_type(
        "threshold", threshold, (Fraction, float, int, str), "give a fraction, such as 0.9 or '9/10'"
    )
    try:
        exact = Fraction(str(threshold))
    except (ValueError, ZeroDivisionError):
        exact = Fraction(-1)
    if not 0 <= exact <= 1:
        raise SettingError(
            name="threshold",
            value=threshold,
            reason=Phrase("choose a share from 0 to 1, such as 0.9 or 9/10"),
        )
    return exact


def train_pickybpe(
    corpus: Corpus,
    vocab_size: int | None = None,
    *,
    threshold: Fraction | float | str = USUAL_THRESHOLD,
    merges: int | None = None,
    min_frequency: int = 1,
    special_tokens: Sequence[str] = (),
    tie_rule: str = "first",
    alphabet: str = "corpus",
    end_of_word_suffix: str | None = None,
    progress: Progress | None = None,
    growing: Growing | None = None,
) -> PickyTrace:
    """Train PickyBPE on `corpus` and record every step: merges, and removals of tokens.

    A part of a merge is removed if the merge took more than `threshold` of its places: at 1 nothing leaves,
    and the lower the threshold, the more does. `vocab_size` counts the present tokens, `merges` only merges.
    The other settings and errors are those of `train_bpe`; SettingError also for a threshold outside 0 to 1.

    >>> trace = train_pickybpe(Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}))
    >>> [(snapshot.event.kind, snapshot.event.token) for snapshot in trace[5:8]]
    [('merge', 'pug'), ('remove', 'ug'), ('merge', 'hugs')]
    >>> trace[6].event.share, trace[6].event.parts, trace.tokenizer().encode("unhug").tokens
    (Fraction(1, 1), ('u', 'g'), ['u', 'n', 'hug'])
    """
    exact = exact_threshold(threshold)
    return train_by_counts(
        PickyTrace,
        partial(picky_merges, threshold=exact),
        corpus,
        vocab_size=vocab_size,
        merges=merges,
        min_frequency=min_frequency,
        special_tokens=special_tokens,
        tie_rule=tie_rule,
        alphabet=alphabet,
        end_of_word_suffix=end_of_word_suffix,
        progress=progress,
        growing=growing,
        vocabulary_of=PresentTokens,
        settings={"threshold": str(exact)},
    )


# --- The trace ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PickyMergeEvent(MergeEvent):
    """A merge of PickyBPE."""

    restored: bool = False
    """Whether the token had been removed before: it comes back."""


@dataclass(frozen=True)
class RemoveEvent(RuleEvent):
    """A token leaves the vocabulary: the merge before took too large a share of its places."""

    token: str
    token_id: int
    merged: int
    """At how many places it was merged: each took one of its occurrences, or two if it is both parts."""
    left: int
    """The number of remaining occurrences, now split into `parts`."""
    into: str
    """The merge's new token."""
    threshold: Fraction
    parts: tuple[str, ...]
    words: tuple[str, ...]
    """The words with remaining occurrences, in the order of the corpus."""
    kind: ClassVar[Literal["remove"]] = "remove"

    @property
    def share(self) -> Fraction:
        """The paper's IoS: which share of the token's places the merge took, each merge counted once."""
        return Fraction(self.merged, self.merged + self.left)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The token the step decided on."""
        return (self.token,)

    @property
    def facts(self) -> dict[str, Any]:
        """All this as plain data."""
        return {
            "kind": self.kind,
            "token": self.token,
            "id": self.token_id,
            "merged": self.merged,
            "left": self.left,
            "share": str(self.share),
            "parts": list(self.parts),
            "words": list(self.words),
        }


class Presence(NamedTuple):
    """When a token left and came back: the steps, in turn."""

    steps: list[int]

    def at(self, step: int) -> bool:
        """Whether the token is present after `step` steps, provided it was made."""
        return bisect_right(self.steps, step) % 2 == 0


@dataclass(frozen=True, eq=False, repr=False)
class PickyTrace(BpeTrace):
    """A recorded run of `train_pickybpe`."""

    kind: ClassVar[str] = "pickybpe"

    @cached_property
    def replacements(self) -> Replacements:
        makers: dict[str, PrivatePair] = {}
        removed: set[str] = set()
        pairs: list[tuple[str, str]] = []
        record = self.record
        for step in range(1, len(self) + 1):
            token = record.token(step)
            if record.is_merge(step):
                makers.setdefault(token, record.pair(step))
                removed.discard(token)
                pairs.append((record.pair(step), token))
            else:
                pairs.append((token, parts_of(token, makers, removed)))
                removed.add(token)
        return Replacements(pairs)

    @cached_property
    def presences(self) -> dict[str, Presence]:
        """For each token ever removed, when it left and came back."""
        results: dict[str, Presence] = {}
        record = self.record
        for step in range(1, len(self) + 1):
            token = self.tokens[ord(record.token(step))]
            if not record.is_merge(step):
                results.setdefault(token, Presence([])).steps.append(step)
            elif token in results and not results[token].at(step):
                results[token].steps.append(step)
        return results

    @cached_property
    def vocab_sizes(self) -> Sequence[int]:
        changes = [0] * (len(self) + 1)
        for presence in self.presences.values():
            for index, step in enumerate(presence.steps):
                changes[step] += 1 if index % 2 else -1
        gone, sizes = 0, []
        for total, change in zip(self.id_totals, changes, strict=True):
            gone += change
            sizes.append(total + gone)
        return compact(sizes)

    @cached_property
    def _sizes_reached(self) -> Sequence[int]:
        is_merge = self.record.is_merge
        lasting = (
            size if step == len(self) or is_merge(step + 1) else 0  # the removals belong to the merge
            for step, size in enumerate(self.vocab_sizes)
        )
        return compact(accumulate(lasting, max))

    def vocab_at(self, step: int) -> tuple[str, ...]:
        presences = self.presences
        return tuple(
            token
            for token in self.tokens[: self.id_totals[step]]
            if token not in presences or presences[token].at(step)
        )

    def moved(self, first: int, second: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        before, after = self.vocab_at(first), self.vocab_at(second)
        known, stored = {*before}, {*after}
        return (
            tuple(token for token in after if token not in known),
            tuple(token for token in before if token not in stored),
        )

    def merge_event(self, step: int) -> PickyMergeEvent:
        result = super().merge_event(step)
        presence = self.presences.get(result.token)
        return PickyMergeEvent(**vars(result), restored=presence is not None and step in presence.steps)

    def rule_event(self, step: int) -> RemoveEvent:
        record = self.record
        result = next(earlier for earlier in range(step - 1, 0, -1) if record.is_merge(earlier))
        token = record.token(step)
        return RemoveEvent(
            token=self.tokens[ord(token)],
            token_id=ord(token),
            merged=record.applied[result - 1],
            left=record.frequencies[step - 1],
            into=self.tokens[ord(record.token(result))],
            threshold=Fraction(self.settings["threshold"]),
            parts=self.vocabulary.read(Private(self.replacements.pairs[step - 1][1])),
            words=self.words_changed(step),
        )

    def model(self, snapshot: MergeSnapshot, tokens: Sequence[str], unk_token: str) -> Model:
        steps = Replacements(self.replacements.pairs[: snapshot.step])
        return PickyModel(tokens, self.vocabulary, steps, unk_token, str(self.settings["end_of_word_suffix"]))


# --- The tokenizer ------------------------------------------------------------------------------------------


class PickyModel(Model):
    """Merges and removals, ready to encode words: they are applied in learning order.

    An unknown character becomes `unk_token`, and is left out if that is "".
    """

    way = "merges"

    def __init__(
        self,
        tokens: Sequence[str],
        learned: Vocabulary,
        steps: Replacements,
        unk_token: str = "",
        suffix: str = "",
    ) -> None:
        """`learned` has all tokens of the steps, `tokens` only the present ones."""
        super().__init__()
        self.vocabulary = Vocabulary(tokens)
        self.learned, self.steps = learned, steps
        self.unk_token, self.suffix = unk_token, suffix
        self._written = Vocabulary([*learned.tokens, *filter(None, [unk_token])])
        """All of these, by the internal ids used during encoding."""

    def split(self, word: str) -> tuple[str, ...]:
        return split_word(word, suffix=self.suffix)

    def start(self, word: str) -> Private:
        """Where the encoding of a word begins, in private characters."""
        known = self.vocabulary.ids
        symbols = (symbol if symbol in known else self.unk_token for symbol in self.split(word))
        return self._written.write(filter(None, symbols))

    def spell(self, word: str) -> Iterator[int]:
        text = self.start(word)
        for _step, after in self.steps.of(text):
            text = after
        return map(self.vocabulary.ids.__getitem__, self._written.read(text))

    def explain(self, word: str) -> StoredTrace[EncodingSnapshot]:
        """The encoding of a word, merge by merge and removal by removal."""
        read = self._written.read
        text, step = self.start(word), 0
        event: ApplyingEvent = SplitEvent(word)
        snapshots: list[EncodingSnapshot] = []
        while True:
            snapshots.append(EncodingSnapshot(len(snapshots), event, read(text), self._options(text, step)))
            if (step := self.steps.following(text, step)) > len(self.steps.pairs):
                return StoredTrace(word, tuple(snapshots), "no_pairs")
            old, new = map(Private, self.steps.pairs[step - 1])
            positions = text.count(old)
            if len(old) == 2:
                event = ApplyEvent(Pair(*read(old)), read(new)[0], step - 1, positions)
            else:
                event = UndoEvent(read(old)[0], read(new), step - 1, positions)
            text = self.steps.apply(step, text)

    def _options(self, text: Private, step: int) -> tuple[tuple[Pair, int], ...]:
        """The pairs of a word to be merged after `step` steps, each with the rank of its next merge."""
        ranks: dict[PrivatePair, int] = {}
        for pair in neighbours(text):
            ahead = self.steps.steps.get(pair, [])[bisect_right(self.steps.steps.get(pair, []), step) :]
            if ahead:
                ranks[pair] = ahead[0] - 1
        return tuple(
            (Pair(*self._written.read(pair)), ranks[pair]) for pair in sorted(ranks, key=ranks.__getitem__)
        )

    def why_not(self, word: str, tokens: tuple[str, ...]) -> Reason:
        """What stopped the steps from splitting a word like this: a token they don't make, or the first merge
        across a cut."""
        actual = tuple(self.vocabulary.tokens[identifier] for identifier in self.encode_word(word))
        if tokens == actual:
            return Chosen(actual)
        start = self._written.read(self.start(word))
        symbols = self.split(word)
        ends = borders(start, tokens)
        if ends is None:
            return Misspelled(word) if borders(symbols, tokens) is None else self._replaced(tokens, symbols)
        missing = next((token for token in tokens if token not in self.vocabulary.ids), None)
        if missing is not None:
            return NotInVocabulary(missing)
        parts = {
            end: self._written.write(start[begin:end]) for begin, end in zip([0, *ends], ends, strict=False)
        }
        for token, part in zip(tokens, parts.values(), strict=True):
            *_, alone = [part, *(after for _step, after in self.steps.of(part))]
            if self._written.read(alone) != (token,):
                return Unreachable(token, self._written.read(alone), ())
        text = self._written.write(start)
        for step, after in self.steps.of(text):
            stored = {*self._edges(after)}
            crossed = next((end for end in ends[:-1] if end not in stored), None)
            if crossed is not None:
                following = ends[ends.index(crossed) + 1]
                later = [
                    merge
                    for part in (parts[crossed], parts[following])
                    for merge, _ in self.steps.of(part)
                    if merge > step
                    and len(self.steps.pairs[merge - 1][0]) == 2
                    and not self._is_one(part, step)
                ]
                wanted = self._ranked(min(later)) if later else None
                return MergedAcross(self._ranked(step), wanted, crossed, final=False)
        return Chosen(actual)

    def _is_one(self, text: Private, step: int) -> bool:
        """Whether a text is one token before a step."""
        *_, before = [text, *(after for at, after in self.steps.of(text) if at < step)]
        return len(self._written.read(before)) == 1

    def _replaced(self, tokens: tuple[str, ...], symbols: tuple[str, ...]) -> Reason:
        """The token of a split with an unknown character."""
        unknown = next(symbol for symbol in symbols if symbol not in self.vocabulary.ids)
        token = next(token for token in tokens if unknown in token)
        return UnknownCharacter(token, unknown, tuple(filter(None, [self.unk_token])))

    def _ranked(self, step: int) -> RankedPair:
        first, second = self._written.read(PrivatePair(self.steps.pairs[step - 1][0]))
        return RankedPair(first, second, step - 1)

    def _edges(self, text: Private) -> Iterator[int]:
        """Where the tokens of a word end, counted in symbols."""
        return accumulate(map(self._widths.__getitem__, text))

    @cached_property
    def _widths(self) -> dict[str, int]:
        """How many symbols each token is made of."""
        widths = dict.fromkeys(self._written.write(self._written.tokens), 1)
        for old, new in self.steps.pairs:
            if len(old) == 2 and widths[new] == 1:
                widths[new] = widths[old[0]] + widths[old[1]]
        return widths

    def sample(self, word: str, amount: float, random: Random) -> tuple[str, ...]:
        """One split at random: at each place every merge drops out with probability `amount`; removals never
        do. Raises SettingError."""
        refuse_bad_dropout(amount)
        text, step = self.start(word), 0
        while (step := self.steps.following(text, step)) <= len(self.steps.pairs):
            old, new = self.steps.pairs[step - 1]
            if len(old) == 1:
                text = self.steps.apply(step, text)
                continue
            first, *rest = text.split(old)
            for stretch in rest:
                first += (old if random.random() < amount else new) + stretch
            text = Private(first)
        return self._written.read(text)

    def sampling(self, word: str, amount: float, random: Random) -> Iterator[Drawn]:
        """The word's symbols, and the result: the states between may have tokens absent from the
        vocabulary."""
        yield Drawn(self._written.read(self.start(word)))
        yield Drawn(self.sample(word, amount, random))

    def distribution(self, word: str, amount: float) -> None:  # noqa: ARG002
        """None: a dropped merge changes which removals matter, so there is no short way through all of
        them."""
        refuse_bad_dropout(amount)
