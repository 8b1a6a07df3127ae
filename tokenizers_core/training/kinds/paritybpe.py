"""Parity-aware BPE: the worst-served language chooses the next merge.

Source: Foroutan, Meister, Paul, Niklaus, Ahmadi, Bosselut and Sennrich (2025), “Parity-Aware Byte-Pair
Encoding: Improving Cross-lingual Fairness in Tokenization”, arXiv 2508.04796; its options as in
`ParityBpeTrainer` of the `tokenizers` library. There is a corpus for each language, and a parallel text: the
same lines in each. At each step the language whose parallel text takes most tokens chooses. The most frequent
pair in its corpus is merged, in all languages.
"""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import accumulate
from numbers import Integral, Rational, Real
from operator import sub
from typing import Any, ClassVar, Final, Self

from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.encoding.vocabulary import Private, PrivatePair, Vocabulary
from tokenizers_core.errors import WHOLE_NUMBER, Phrase, SettingError, WrongTypeError, refuse_wrong_type
from tokenizers_core.lazy import cached_property
from tokenizers_core.text.corpus import Corpus, refuse_no_corpus
from tokenizers_core.trace import Growing, Replay
from tokenizers_core.training.bpe import BpeTrace, CountQueue, train_by_counts
from tokenizers_core.training.merge_trace import Contest, MergeEvent, MergePart, RankedPairs
from tokenizers_core.training.merge_training import private_words
from tokenizers_core.training.merging import (
    CurrentWords,
    Merge,
    MergeRecord,
    PairTable,
    Progress,
    Recorder,
    compact,
    count_pairs,
    joined,
    tokens_in,
)
from tokenizers_core.training.options.bounds import Bounds
from tokenizers_core.training.ties import TIE_RULES, Moment, TieOrder

Corpora = Mapping[str, Corpus]
"""Language → its corpus."""
ALL: Final = -1
"""In place of a language's number: all languages together choose."""
USUAL_ALPHA: Final = 2.0
"""How many times its fair share a language may choose within the window."""


class Chooser:
    """Which language chooses next."""

    def __init__(
        self, starts: Sequence[int], ratio: Sequence[Fraction] | None, window: int | None, alpha: float
    ) -> None:
        self.starts, self.ratio, self.window = starts, ratio, window
        self.most = Fraction(alpha if isinstance(alpha, Rational) else float(alpha)) / len(starts)
        """Which share of the window one language may have chosen."""
        self.recent: deque[int] = deque(maxlen=window and min(int(window), sys.maxsize))

    def need(self, language: int, tokens: Sequence[int]) -> Fraction | int:
        """The value that compares languages: tokens, or with a ratio how little the corpus has been
        compressed."""
        if self.ratio is None:
            return tokens[language]
        return -Fraction(self.starts[language], tokens[language]) / self.ratio[language]

    def choose(self, tokens: Sequence[int], left: Iterable[int]) -> int:
        """The language with the greatest need among those with a pair left, of equals the first; within a
        window, a language that chose too often waits."""
        if self.window is None:
            return max(
                left, key=tokens.__getitem__ if self.ratio is None else partial(self.need, tokens=tokens)
            )
        order = sorted(left, key=lambda language: self.need(language, tokens), reverse=True)
        chosen = order[-1]
        for language in order:
            if Fraction(self.recent.count(language), self.window) <= self.most:
                chosen = language
                break
        self.recent.append(chosen)
        return chosen


class Lane:
    """One language's corpus while all are trained."""

    def __init__(
        self, corpus: Corpus, recorder: Recorder, vocabulary: Vocabulary, suffix: str, tie_rule: str
    ) -> None:
        self.table = PairTable(private_words(corpus.words, vocabulary, suffix), corpus.counts)
        self.queue = CountQueue(
            self.table, TIE_RULES[tie_rule].in_run(self.table, vocabulary, corpus.pipeline.byte_level)
        )
        if (
            self.queue.levels
        ):  # other languages' merges may come first: their new pairs are measured against the best count
            self.queue.descend()
        self.recorder = recorder

    def merge(self, pair: PrivatePair, token: Private, again: bool) -> int:
        """Make a merge in this language, its own or another's choice; returns the number of tokens saved."""
        if pair not in self.table.counts:
            self.recorder.pass_over(pair, token)
            return 0
        merge = self.table.merge(pair, token)
        self.queue.update(merge, again)
        self.recorder.add(merge)
        return merge.applied


class ParityTraining:
    """A run in progress: the languages' corpora, the parallel text, and their records."""

    def __init__(
        self, corpora: Corpora, parallel: Corpora | None, suffix: str, settings: Mapping[str, Any]
    ) -> None:
        self.corpora, self.parallel, self.suffix, self.settings = corpora, parallel, suffix, settings
        self.recorders = [Recorder() for _ in corpora]
        self.lanes: list[Lane] = []
        self.texts: list[PairTable] = []
        """The parallel text; none where the corpora themselves are parallel."""
        self.tokens: list[int] = []
        """The tokens of each language's parallel text now."""
        self.saved: list[list[int]] = [[] for _ in parallel or ()]
        """For each language by how many tokens each step made its parallel text shorter."""
        self.chosen: list[int] = []
        self._cut = 0

    def merges(
        self,
        table: PairTable,
        vocabulary: Vocabulary,
        order: TieOrder,
        min_frequency: int,
        bounds: Bounds | None,
    ) -> Iterator[Merge]:
        """The merges of a run; `table` has the words of all languages together, for the global merges."""
        make = partial(Lane, vocabulary=vocabulary, suffix=self.suffix, tie_rule=self.settings["tie_rule"])
        self.lanes = [*map(make, self.corpora.values(), self.recorders)]
        self.texts = [
            PairTable(private_words(text.words, vocabulary, self.suffix), text.counts)
            for text in (self.parallel or {}).values()
        ]
        tables = self.texts or [lane.table for lane in self.lanes]
        self.tokens = [tokens_in(one.words, one.frequencies) for one in tables]
        chooser = chooser_of(self.tokens, self.settings)
        queue = CountQueue(table, order)
        for _ in range(self.settings["global_merges"]):
            pair = queue.best()
            while pair is not None and bounds is not None and bounds.reason(pair):
                pair = queue.best()
            if pair is None or queue.level < min_frequency:
                return
            frequency = queue.level
            merge = self.merge(pair, frequency, ALL, vocabulary)
            queue.update(table.merge(pair, merge.token))
            yield merge
        left = [*range(len(self.lanes))]
        while left:
            language = chooser.choose(self.tokens, left)
            queue = self.lanes[language].queue
            pair = queue.best()
            while pair is not None and bounds is not None and bounds.reason(pair):
                pair = queue.best()
            if pair is None or queue.level < min_frequency:
                left.remove(language)
            else:
                yield self.merge(pair, queue.level, language, vocabulary)

    def merge(self, pair: PrivatePair, frequency: int, language: int, vocabulary: Vocabulary) -> Merge:
        """Make a merge in all languages, and in the parallel text."""
        known = len(vocabulary.tokens)
        token = Private(chr(vocabulary.join(pair)))
        again = len(vocabulary.tokens) == known
        applied = [lane.merge(pair, token, again) for lane in self.lanes]
        saved = applied
        if self.texts:
            saved = [text.merge(pair, token).applied if pair in text.counts else 0 for text in self.texts]
            for noted, change in zip(self.saved, saved, strict=True):
                noted.append(change)
        for index, change in enumerate(saved):
            self.tokens[index] -= change
        self.chosen.append(language)
        return Merge(pair, token, frequency, sum(applied), {}, [])

    def recorded(self, cut: bool) -> dict[str, Any]:
        """A trace's fields beside the record: whole, or with `cut` the part since the last cut."""
        start = self._cut if cut else 0
        if cut:
            self._cut = len(self.chosen)
        return {
            "lanes": tuple(recorder.cut() if cut else recorder.record() for recorder in self.recorders),
            "saved": tuple(compact(saved[start:]) for saved in self.saved),
            "chosen": compact(self.chosen[start:]),
        }


def chooser_of(starts: Sequence[int], settings: Mapping[str, Any]) -> Chooser:
    """The chooser for a run's settings; `starts` are the tokens of each language's parallel text before the
    first merge."""
    ratio = settings["ratio"]
    exact = None if ratio is None else [Fraction(str(one)) for one in ratio]
    return Chooser([*starts], exact, settings["window"], settings["alpha"])


def train_paritybpe(
    corpora: Corpora,
    vocab_size: int | None = None,
    *,
    parallel: Corpora | None = None,
    merges: int | None = None,
    global_merges: int = 0,
    ratio: Mapping[str, float] | Sequence[float] | None = None,
    window: int | None = None,
    alpha: float = USUAL_ALPHA,
    min_frequency: int = 1,
    special_tokens: Sequence[str] = (),
    tie_rule: str = "first",
    alphabet: str = "corpus",
    end_of_word_suffix: str | None = None,
    progress: Progress | None = None,
    growing: Growing | None = None,
) -> ParityTrace:
    """Train parity-aware BPE on a corpus for each language, and record every step with the language behind
    it.

    `parallel` has the same lines in each language; without it, the corpora themselves are taken to be
    parallel. The language whose lines take most tokens chooses, of equals the first. The first
    `global_merges` are plain BPE's on all corpora together. With a `ratio` for each language, in place of a
    parallel text, the language least compressed for its ratio chooses. With a `window`, a language that chose
    in more than `alpha` times its fair share of so many last steps waits. A language without a pair of
    `min_frequency` occurrences is passed over. The other settings and errors are those of `train_bpe`;
    SettingError also for languages that don't fit together.

    >>> corpora = {
    ...     "en": Corpus.from_texts(["the cat", "the dog"], pre_tokenizer="byte_level"),
    ...     "de": Corpus.from_texts(["die Katze", "der Hund"], pre_tokenizer="byte_level"),
    ... }
    >>> trace = train_paritybpe(corpora, merges=3)
    >>> [(snapshot.event.language, snapshot.event.token) for snapshot in trace[1:]]
    [('de', 'di'), ('de', 'die'), ('de', 'ĠK')]
    """
    check_languages(corpora, parallel, global_merges, window, alpha)
    everything = joined_corpora(corpora)
    shares = None if ratio is None else checked_ratio(ratio, corpora, parallel)
    settings = {
        "global_merges": int(global_merges),
        "ratio": shares,
        "window": window,
        "alpha": alpha,
        "tie_rule": tie_rule,
    }
    suffix = everything.pipeline.suffix if end_of_word_suffix is None else end_of_word_suffix
    training = ParityTraining(corpora, parallel, suffix, settings)
    characters = {*"".join("".join(text.words) for text in (parallel or {}).values())}
    return train_by_counts(
        ParityTrace,
        training.merges,
        everything,
        vocab_size=vocab_size,
        merges=merges,
        min_frequency=min_frequency,
        special_tokens=special_tokens,
        tie_rule=tie_rule,
        alphabet=alphabet,
        end_of_word_suffix=end_of_word_suffix,
        progress=progress,
        growing=growing,
        more_symbols=characters,
        settings=settings,
        more={"corpora": dict(corpora), "parallel": None if parallel is None else dict(parallel)},
        recorded=training.recorded,
        tabled=bool(global_merges),
    )


def joined_corpora(corpora: Corpora) -> Corpus:
    """The words of all languages as one corpus, and the texts, where they are known."""
    parts = [*corpora.values()]
    counts, ends = Counter[str](), Counter[str]()
    for corpus in parts:
        counts.update(dict(corpus.items()))
        ends.update(dict(zip(corpus.words, corpus.ends, strict=False)))
    return Corpus(
        tuple(counts),
        tuple(counts.values()),
        parts[0].pipeline,
        sum(corpus.lines for corpus in parts),
        sum(corpus.characters for corpus in parts),
        sum(corpus.replaced for corpus in parts),
        tuple(map(ends.__getitem__, counts)) if all(corpus.ends for corpus in parts) else (),
        parts[-1].last,
        symbols_cut_out=tuple(map(sum, zip(*(corpus.symbols_cut_out for corpus in parts), strict=True))),
        texts=tuple(text for corpus in parts for text in corpus.texts),
    )


def check_languages(
    corpora: Any, parallel: Any = None, global_merges: Any = 0, window: Any = None, alpha: Any = USUAL_ALPHA
) -> None:
    """Raise WrongTypeError or SettingError for languages that don't fit together, or invalid numbers."""
    remedy = "give each language's corpus by its name: {'en': corpus, 'de': another}"
    refuse_wrong_type("corpora", corpora, Mapping, remedy)
    if parallel is not None:
        refuse_wrong_type("parallel", parallel, Mapping, remedy)
    languages = [*corpora]
    if not languages:
        raise SettingError(name="corpora", value={}, reason=Phrase("give at least one language"))
    if parallel is not None and {*parallel} != {*languages}:
        raise SettingError(
            name="parallel",
            value=", ".join(parallel),
            reason=Phrase("give the languages of the corpora: {languages}", languages=", ".join(languages)),
        )
    texts = [*corpora.values(), *(parallel or {}).values()]
    for text in texts:
        refuse_no_corpus(text)
        if text.pipeline.rules != texts[0].pipeline.rules:
            raise SettingError(
                name="corpora",
                value=repr(text),
                reason=Phrase("count all languages by the same rules"),
            )
    for name, number, least in (
        ("global_merges", global_merges, 0),
        ("window", 1 if window is None else window, 1),
    ):
        refuse_wrong_type(name, number, Integral, WHOLE_NUMBER)
        if number < least:
            raise SettingError(name=name, value=number, reason=Phrase("choose at least {least}", least=least))
    refuse_wrong_type("alpha", alpha, Real, "give a number, such as 2")
    if not 0 < alpha < float("inf"):
        raise SettingError(name="alpha", value=alpha, reason=Phrase("choose a number above 0"))


def checked_ratio(
    ratio: Mapping[str, float] | Sequence[float], corpora: Corpora, parallel: Corpora | None
) -> tuple[float, ...]:
    """The ratios in the order of the languages. Raises WrongTypeError or SettingError."""
    if isinstance(ratio, str | bytes) or not isinstance(ratio, Iterable):
        raise WrongTypeError("ratio", ratio, "give each language's number by its name: {'en': 1.5}")
    shares = (
        tuple(ratio.get(language, 0) for language in corpora) if isinstance(ratio, Mapping) else tuple(ratio)
    )
    if len(shares) != len(corpora) or not all(
        isinstance(share, Real | Decimal) and share is not True and 0 < share < float("inf")
        for share in shares
    ):
        raise SettingError(
            name="ratio",
            value=ratio,
            reason=Phrase(
                "give each of the languages a number above 0: {languages}", languages=", ".join(corpora)
            ),
        )
    if parallel is not None:
        raise SettingError(
            name="ratio",
            value=ratio,
            reason=Phrase("it takes the place of a parallel text; give one of the two"),
        )
    return shares


# --- The trace ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ParityMergeEvent(MergeEvent):
    """A merge of parity-aware BPE. Counts and candidates belong to the choosing language."""

    language: str = ""
    """The choosing language; "" where all chose together."""
    tokens_before: Mapping[str, int] | None = None
    """Language → the tokens of its parallel text before the merge."""
    tokens_after: Mapping[str, int] | None = None
    everywhere: int = 0
    """Places merged in all languages."""
    plain: Pair | None = None
    """Plain BPE's choice here: the most frequent pair of all corpora together."""
    plain_freq: int = 0


@dataclass(frozen=True, eq=False, repr=False)
class ParityTrace(BpeTrace):
    """A recorded run of `train_paritybpe`; its `corpus` has the words of all languages."""

    corpora: Corpora
    parallel: Corpora | None
    lanes: tuple[MergeRecord, ...]
    """For each language every step's changes in its corpus."""
    saved: tuple[Sequence[int], ...]
    """For each language by how many tokens each step made its parallel text shorter; () where the corpora are
    parallel."""
    chosen: Sequence[int]
    """The number of each step's choosing language; `ALL` for the global merges."""

    kind: ClassVar[str] = "paritybpe"
    of_the_corpus: ClassVar[tuple[str, ...]] = (*BpeTrace.of_the_corpus, "_lane_words", "_indices", "_starts")

    def grown(self, part: MergePart) -> Self:
        longer = super().grown(part)
        for new, old in zip(longer._lane_counts, vars(self).get("_lane_counts", ()), strict=False):
            new.take_over(old)
        return longer

    def grown_beside(self, new: Mapping[str, Any]) -> dict[str, Any]:
        lanes = zip(self.lanes, new["lanes"], strict=True)
        return {
            "lanes": tuple(lane.followed_by(more) for lane, more in lanes),
            "saved": tuple(joined(one, more) for one, more in zip(self.saved, new["saved"], strict=True)),
            "chosen": joined(self.chosen, new["chosen"]),
        }

    @property
    def records(self) -> Sequence[MergeRecord]:
        return self.lanes

    def recorded_index(self, word: str) -> int | None:  # noqa: ARG002
        """None: each language's record numbers its own words."""
        return None

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(self.corpora)

    # --- the choosing language ------------------------------------------------------------------------------

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        """The tokens of each language's parallel text before the first merge."""
        texts = self.corpora if self.parallel is None else self.parallel
        return tuple(
            sum(len(self.symbols(word)) * count for word, count in text.items()) for text in texts.values()
        )

    @cached_property
    def _tokens(self) -> tuple[Sequence[int], ...]:
        """The tokens of each language's parallel text after each number of steps."""
        return tuple(
            compact(accumulate(saved, sub, initial=start))
            for start, saved in zip(
                self._starts, self.saved or [lane.applied for lane in self.lanes], strict=True
            )
        )

    def parallel_tokens(self, step: int) -> dict[str, int]:
        """Language → the tokens of its parallel text after `step` steps."""
        return {language: tokens[step] for language, tokens in zip(self.corpora, self._tokens, strict=True)}

    def parallel_lines(self) -> dict[str, int]:
        """Language → the lines of its parallel text."""
        texts = self.corpora if self.parallel is None else self.parallel
        return {language: text.lines for language, text in texts.items()}

    @cached_property
    def plain_run(self) -> ParityTrace:
        """Plain BPE on the same corpora, with as many merges if there are so many: all languages together
        choose every one."""
        settings = self.settings
        return train_paritybpe(
            self.corpora,
            parallel=self.parallel,
            merges=len(self),
            global_merges=len(self),
            min_frequency=settings["min_frequency"],
            special_tokens=self.special_tokens,
            tie_rule=settings["tie_rule"],
            alphabet=settings["alphabet"],
            end_of_word_suffix=settings["end_of_word_suffix"],
        )

    def plain_tokens(self, step: int) -> dict[str, int]:
        """Language → the tokens of its parallel text after `step` merges of plain BPE."""
        return self.plain_run.parallel_tokens(min(step, len(self.plain_run)))

    def chooser_at(self, step: int) -> int:
        """The number of the language to choose after `step` steps; `ALL` for a global merge."""
        if step < len(self.chosen):
            return self.chosen[step]
        if step < self.settings["global_merges"]:
            return ALL
        left = [number for number in range(len(self.corpora)) if self._may_choose(number, step)]
        if not left:
            return ALL
        chooser = chooser_of(self._starts, self.settings)
        chooser.recent.extend(number for number in self.chosen if number != ALL)
        return chooser.choose([tokens[step] for tokens in self._tokens], left)

    def as_needy(self, step: int) -> tuple[str, ...]:
        """The languages equally entitled to choose after `step` steps, the choosing one included; none for a
        global merge."""
        number = self.chooser_at(step)
        if number == ALL:
            return ()
        need = partial(
            chooser_of(self._starts, self.settings).need, tokens=[one[step] for one in self._tokens]
        )
        alone = self.settings["window"] is not None  # the last choices count, too
        return tuple(
            language
            for other, language in enumerate(self.languages)
            if other == number
            or (not alone and need(other) == need(number) and self._may_choose(other, step))
        )

    def _may_choose(self, number: int, step: int) -> bool:
        least = self.settings["min_frequency"]
        return any(count >= least for count in self._lane_counts[number].at(step).values())

    def language_at(self, step: int) -> str:
        """The choosing language of a step; "" if all chose together, and for the start."""
        step = self.step_number(step)
        number = self.chosen[step - 1] if step else ALL
        return "" if number == ALL else self.languages[number]

    def chosen_corpus(self, step: int) -> Corpus:
        """The corpus behind the choice after `step` steps."""
        number = self.chooser_at(step)
        return self.corpus if number == ALL else self.corpora[self.languages[number]]

    # --- its candidates -------------------------------------------------------------------------------------

    @cached_property
    def _lane_words(self) -> list[list[Private]]:
        return [
            [self.vocabulary.write(self.symbols(word)) for word in corpus.words]
            for corpus in self.corpora.values()
        ]

    @cached_property
    def _indices(self) -> list[list[int]]:
        """For each language its words' places in the corpus of all."""
        indices = self.word_indices
        return [[indices[word] for word in corpus.words] for corpus in self.corpora.values()]

    @cached_property
    def _lane_counts(self) -> list[Replay[dict[PrivatePair, int]]]:
        return [self._replay(number) for number in range(len(self.corpora))]

    def _replay(self, number: int) -> Replay[dict[PrivatePair, int]]:
        corpus = self.corpora[self.languages[number]]

        def apply(counts: dict[PrivatePair, int], step: int) -> dict[PrivatePair, int]:
            for pair, change in self.lanes[number].changes_at(step).items():
                total = counts.get(pair, 0) + change
                if total:
                    counts[pair] = total
                else:
                    del counts[pair]
            return counts

        return Replay(lambda: count_pairs(self._lane_words[number], corpus.counts), dict, apply)

    def pair_counts(self, step: int) -> Mapping[PrivatePair, int]:
        """Pair → its count in the corpus of the next choosing language."""
        number = self.chooser_at(step)
        return self.all_counts(step) if number == ALL else self._lane_counts[number].at(step)

    def all_counts(self, step: int) -> dict[PrivatePair, int]:
        """Pair → its count in all corpora together."""
        counts: dict[PrivatePair, int] = {}
        for replay in self._lane_counts:
            for pair, count in replay.at(step).items():
                counts[pair] = counts.get(pair, 0) + count
        return counts

    def changes_at(self, step: int) -> Mapping[PrivatePair, int]:
        number = self.chooser_at(step)
        if number != ALL:
            return self.lanes[number].changes_at(step)
        changes: Counter[PrivatePair] = Counter()
        for lane in self.lanes:
            changes.update(lane.changes_at(step))
        return changes

    def words_at(self, step: int) -> Sequence[int]:
        positions = zip(self._indices, self.lanes, strict=True)
        return sorted({there[index] for there, lane in positions for index in lane.words_at(step)})

    def words_between(self, first: int, second: int) -> set[int]:
        positions = zip(self._indices, self.lanes, strict=True)
        return {there[index] for there, lane in positions for index in lane.words_between(first, second)}

    def _words_of(self, number: int, step: int) -> CurrentWords:
        """The words of one language after `step` steps, or of all."""
        current = self.current_words(step)
        if number == ALL:
            return current
        return CurrentWords([current.words[index] for index in self._indices[number]])

    def _moment(self, step: int) -> Moment:
        words = partial(self._words_of, self.chooser_at(step), step)
        return Moment(self.vocabulary, self.corpus.pipeline.byte_level, words)

    def met_in(self, step: int, pair: PrivatePair) -> str:
        index = self.tie_rule.first_word(pair, self._moment(step))
        return "" if index is None else self.chosen_corpus(step).words[index]

    def merge_event(self, step: int) -> ParityMergeEvent:
        result = super().merge_event(step)
        before, number = step - 1, self.chosen[step - 1]
        counts = self.all_counts(before)
        most = max(counts.values())
        words = Moment(self.vocabulary, self.corpus.pipeline.byte_level, partial(self.current_words, before))
        tied = [pair for pair, count in counts.items() if count == most]
        (plain,) = self.tie_rule.sort(tied, words, 1)
        applied = result.applied if number == ALL else self.lanes[number].applied[before]
        return ParityMergeEvent(
            **{**vars(result), "applied": applied},
            language=self.language_at(step),
            tokens_before=self.parallel_tokens(before),
            tokens_after=self.parallel_tokens(step),
            everywhere=result.applied,
            plain=self.read_pair(plain),
            plain_freq=most,
        )

    def _contests(self) -> Iterator[Contest]:
        vocabulary = Vocabulary(self.tokens[: self.id_totals[0]], self.prefix)
        numbers = {*self.chosen}
        races = {
            number: Race(
                self._initial_words if number == ALL else self._lane_words[number],
                (self.corpus if number == ALL else self.corpora[self.languages[number]]).counts,
                lambda table: self.tie_rule.in_run(table, vocabulary, self.corpus.pipeline.byte_level),
            )
            for number in numbers
        }
        for step in range(1, len(self) + 1):
            pair, token = self.record.pair(step), self.record.token(step)
            yield races[self.chosen[step - 1]].contest(pair)
            vocabulary.add(self.tokens[ord(token)])
            for race in races.values():
                race.merge(pair, token)


class Race:
    """The pairs of one language, as a run is made once more."""

    def __init__(
        self, words: Sequence[Private], frequencies: Sequence[int], order_of: Callable[[PairTable], TieOrder]
    ) -> None:
        self.table = PairTable(words, frequencies)
        self.order, self.levels = order_of(self.table), RankedPairs()
        for pair, count in self.table.counts.items():
            self.levels.update(pair, count)

    def contest(self, chosen: PrivatePair) -> Contest:
        """A merge's candidates."""
        tied, second = self.levels.level_of(chosen), self.levels.second(chosen)
        counts = self.table.counts
        return Contest(self.order, tied, None if second is None else counts[chosen] - counts[second])

    def merge(self, pair: PrivatePair, token: Private) -> None:
        """Make a merge, its own or another language's choice."""
        if pair in self.table.counts:
            for changed in self.table.merge(pair, token).changes:
                self.levels.update(changed, self.table.counts.get(changed))
