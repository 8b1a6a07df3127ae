"""SuperBPE: BPE with tokens that may bridge spaces, once it has learned words.

Source: Liu, Hayase, Hofmann, Oh, Smith and Choi (2025), “SuperBPE: Space Travel for Language Models”, arXiv
2503.13423. Stage 1 is plain BPE on pre-tokens. Stage 2 continues with stretches of text, cut by a second
pattern in place of the first, and by the corpus's further cuts. A stretch begins with stage 1's merges
applied.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from numbers import Integral
from operator import itemgetter
from typing import Any, ClassVar, Final, Literal, NamedTuple

from tokenizers_core.encoding.models.base import Model
from tokenizers_core.encoding.models.bpe import LONG_WORD, BpeModel, apply_merges, apply_merges_long
from tokenizers_core.encoding.models.pairs import neighbours
from tokenizers_core.encoding.vocabulary import Private, PrivatePair, Vocabulary
from tokenizers_core.errors import WHOLE_NUMBER, Phrase, SettingError, refuse_wrong_type
from tokenizers_core.lazy import cached_property
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL, symbols_to_bytes
from tokenizers_core.text.corpus import Corpus, refuse_no_corpus
from tokenizers_core.trace import Growing, Replay
from tokenizers_core.training.bpe import BpeTrace, bpe_merges, train_by_counts
from tokenizers_core.training.merge_trace import Contest, MergeEvent, MergeSnapshot, RuleEvent
from tokenizers_core.training.merge_training import private_words
from tokenizers_core.training.merging import (
    CurrentWords,
    Merge,
    PairTable,
    Progress,
    Replacements,
    compact,
    count_pairs,
    tokens_in,
)
from tokenizers_core.training.options.bounds import Bounds
from tokenizers_core.training.ties import TIE_RULES, TieOrder

SECOND_PATTERN: Final = r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]{2,}[\r\n/]*| +(?!\S)"
"""The authors' pattern for stage 2: it cuts at numbers, at runs of other signs, and at spaces before a space
or an end."""
LINEAR: Final = 600.0
"""Seconds for that pattern, which takes linear time; a custom pattern gets the corpus's time."""
MOST_WORDS: Final = 4
"""How many words a token may have in stage 2."""
SPACE: Final = BYTE_TO_SYMBOL[ord(" ")]
SPACES: Final = "".join(BYTE_TO_SYMBOL[ord(one)] for one in " \t\n\r")
NOTHING: Final = PrivatePair("\0\0")
"""The record's pair for the change of stages, a step without a merge."""


def is_superword(token: str) -> bool:
    """Whether a byte-level token bridges a space.

    >>> is_superword("ĠtheĠway"), is_superword("Ġway"), is_superword("ĠĠ"), is_superword("ĊĠĠ")
    (True, False, False, False)
    """
    return SPACE in token.lstrip(SPACES)


def may_be_token(token: str, most_words: int) -> bool:
    """Whether stage 2 may make a token: without a colon before a space, and of few enough words.

    >>> may_be_token("ĠonĠtheĠwayĠto", 4), may_be_token("ĠonĠtheĠwayĠtoĠthe", 4), may_be_token("note:Ġthe", 4)
    (True, False, False)
    """
    return ":" + SPACE not in token and sum(map(bool, token.split(SPACE))) <= most_words


class WordLimit(Bounds):
    """The bounds of stage 2."""

    def __init__(self, vocabulary: Vocabulary, most_words: int, others: Bounds | None) -> None:
        super().__init__(vocabulary)
        self.most_words, self.others = most_words, others

    def _worked_out(self, pair: PrivatePair | str) -> str:
        token = "".join(self.vocabulary.tokens[ord(symbol)] for symbol in pair)
        if not may_be_token(token, self.most_words):
            return "words"
        return "" if self.others is None else self.others.reason(pair)


def merged_stretches(words: Iterable[Private], steps: Sequence[tuple[PrivatePair, Private]]) -> list[Private]:
    """Each stretch after stage 1's merges, in learning order.

    Stretches are cut between symbols that no merge can join, and most of the parts between have been met
    before.

    >>> steps = [(PrivatePair("ug"), Private("U")), (PrivatePair("hU"), Private("H"))]
    >>> merged_stretches([Private("hug hugs"), Private("ughug")], steps)
    ['H Hs', 'UH']
    """
    ranks: dict[PrivatePair, int] = {}
    firsts: dict[str, str] = {}
    lasts: dict[str, str] = {}
    crossed: set[str] = set()
    for rank, (pair, token) in enumerate(steps):
        ranks.setdefault(pair, rank)
        first, second = pair
        firsts[token], lasts[token] = firsts.get(first, first), lasts.get(second, second)
        crossed.add(lasts.get(first, first) + firsts.get(second, second))
    merged, known = dict(steps), dict[str, str]()

    def merge(stretch: Private) -> Private:
        result: list[str] = []
        cuts = (at for at, pair in enumerate(neighbours(stretch), start=1) if pair not in crossed)
        for start, end in pairwise([0, *cuts, len(stretch)]):
            part = Private(stretch[start:end])
            if part not in known:
                apply = apply_merges if len(part) < LONG_WORD else apply_merges_long
                known[part] = apply(part, ranks, merged)
            result.append(known[part])
        return Private("".join(result))

    return list(map(merge, words))


def super_merges(
    table: PairTable,
    vocabulary: Vocabulary,
    order: TieOrder,
    min_frequency: int,
    bounds: Bounds | None,
    *,
    stretches: Corpus,
    transition: int | None,
    most_words: int,
    tie_rule: str,
) -> Iterator[Merge]:
    """The merges of both stages, and the change between them."""
    first = bpe_merges(table, vocabulary, order, min_frequency, bounds)
    steps: list[tuple[PrivatePair, Private]] = []
    while transition is None or len(vocabulary) < transition:
        merge = next(first, None)
        if merge is None:
            break
        steps.append((merge.pair, merge.token))
        yield merge
    words = merged_stretches(private_words(stretches.words, vocabulary, ""), steps)
    shorter = tokens_in(table.words, table.frequencies) - tokens_in(words, stretches.counts)
    yield Merge(NOTHING, Private(NOTHING[0]), 0, shorter, {}, [])
    bridging = PairTable(words, stretches.counts)
    order = TIE_RULES[tie_rule].in_run(bridging, vocabulary, byte_level=True)
    yield from bpe_merges(
        bridging, vocabulary, order, min_frequency, WordLimit(vocabulary, most_words, bounds)
    )


def train_superbpe(
    corpus: Corpus,
    vocab_size: int | None = None,
    *,
    transition: int | None = None,
    second_pattern: str = SECOND_PATTERN,
    most_words: int = MOST_WORDS,
    stretches: Corpus | None = None,
    merges: int | None = None,
    min_frequency: int = 1,
    special_tokens: Sequence[str] = (),
    tie_rule: str = "first",
    alphabet: str = "corpus",
    end_of_word_suffix: str | None = None,
    progress: Progress | None = None,
    growing: Growing | None = None,
) -> SuperTrace:
    """Train SuperBPE on `corpus` and record every step: merges, and once the change of stages.

    Stage 1 goes on until there are `transition` tokens (None: nine tenths of `vocab_size`, or until no pair
    is left). In stage 2 the text is cut where `second_pattern` matches and by the pipeline's further `cuts`,
    and nowhere else; no token has more than `most_words` words, or a colon before a space. The corpus must
    know its texts (`Corpus.from_texts` of a list), unless their `stretches` were counted elsewhere, and be
    byte-level. The other settings and errors are those of `train_bpe`; SettingError also for an invalid
    corpus or number.

    >>> trace = train_superbpe(
    ...     Corpus.from_texts(["by the way", "on the way", "the way to it"]), 22, transition=20
    ... )
    >>> [(snapshot.event.kind, trace.token_of(snapshot.step)) for snapshot in trace[-3:]]
    [('stage', ''), ('merge', 'ĠtheĠway'), ('merge', 'byĠtheĠway')]
    """
    refuse_no_corpus(corpus)
    numbers = {"most_words": most_words} | ({} if transition is None else {"transition": transition})
    for name, number in numbers.items():
        refuse_wrong_type(name, number, Integral, WHOLE_NUMBER)
        if number < 1:
            raise SettingError(name=name, value=number, reason=Phrase("choose at least {least}", least=1))
    pipeline = corpus.pipeline
    if pipeline.pre_tokenizer != "byte_level":
        raise SettingError(
            name="pre_tokenizer",
            value=pipeline.pre_tokenizer,
            reason=Phrase("SuperBPE bridges spaces, which only byte_level keeps in its tokens; choose that"),
        )
    if stretches is not None:
        refuse_no_corpus(stretches, "stretches")
    else:
        if not corpus.texts:
            raise SettingError(
                name="corpus",
                value=repr(corpus),
                reason=Phrase("SuperBPE needs the texts; make it with Corpus.from_texts(a list of texts)"),
            )
        linear = second_pattern == SECOND_PATTERN and not pipeline.own_patterns
        stretches = Corpus.from_texts(
            iter(corpus.texts),
            pipeline.normalizer,
            "byte_level",
            second_pattern,
            LINEAR if linear else pipeline.timeout,
            user_defined_symbols=pipeline.user_defined_symbols,
            cuts=pipeline.cuts,
        )
    corpus = replace(corpus, texts=())  # the stretches have them
    if transition is None and vocab_size is not None:
        refuse_wrong_type("vocab_size", vocab_size, Integral, WHOLE_NUMBER)
        transition = vocab_size * 9 // 10
    return train_by_counts(
        SuperTrace,
        partial(
            super_merges, stretches=stretches, transition=transition, most_words=most_words, tie_rule=tie_rule
        ),
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
        more_symbols=set().union(*stretches.words),  # a cut may lose a symbol of every word
        settings={"transition": transition, "second_pattern": second_pattern, "most_words": most_words},
        more={"stretches": stretches},
    )


# --- The trace ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SuperMergeEvent(MergeEvent):
    """A merge of SuperBPE."""

    stage: int = 1
    superword: bool = False
    """Whether the token bridges a space."""


@dataclass(frozen=True)
class StageEvent(RuleEvent):
    """From here on tokens may bridge spaces: the words are stretches now."""

    words: int
    """Number of different pre-tokens, merged until here."""
    stretches: int
    """Number of different stretches, merged from here on."""
    tokens_before: int
    tokens_after: int
    """Tokens in the whole corpus, cut by the one pattern and by the other."""
    vocab_size: int
    kind: ClassVar[Literal["stage"]] = "stage"

    @property
    def chosen(self) -> tuple[str, ...]:
        """Nothing: the size decided."""
        return ()

    @property
    def facts(self) -> dict[str, Any]:
        """All this as plain data."""
        return {
            "kind": self.kind,
            "words": self.words,
            "stretches": self.stretches,
            "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after,
        }


class LoneStretch(NamedTuple):
    """A stretch by itself: each step that changes it, from 0, with the stretch after it."""

    texts: list[tuple[int, Private]]

    def at(self, step: int) -> Private:
        """The stretch after `step` steps."""
        return self.texts[bisect_right(self.texts, step, key=itemgetter(0)) - 1][1]


@dataclass(frozen=True, eq=False, repr=False)
class SuperTrace(BpeTrace):
    """A recorded run of `train_superbpe`."""

    stretches: Corpus

    kind: ClassVar[str] = "superbpe"
    of_the_corpus: ClassVar[tuple[str, ...]] = (*BpeTrace.of_the_corpus, "_stretch_indices", "stretch_words")

    @cached_property
    def stage_step(self) -> int | None:
        """The step of the change of stages; None if the run ended before it."""
        is_merge = self.record.is_merge
        return next((step for step in range(1, len(self) + 1) if not is_merge(step)), None)

    def in_stage_2(self, step: int) -> bool:
        """Whether the words of a step are stretches."""
        return self.stage_step is not None and step >= self.stage_step

    def corpus_at(self, step: int) -> Corpus:
        return self.stretches if self.in_stage_2(step) else self.corpus

    def indices_at(self, step: int) -> Mapping[str, int]:
        return self._stretch_indices if self.in_stage_2(step) else self.word_indices

    @cached_property
    def _stretch_indices(self) -> dict[str, int]:
        return {word: index for index, word in enumerate(self.stretches.words)}

    def recorded_index(self, word: str) -> int | None:  # noqa: ARG002
        """None: the record knows pre-tokens in stage 1 and stretches in stage 2, and a word may be both."""
        return None

    @cached_property
    def replacements(self) -> Replacements:
        record = self.record
        return Replacements(
            (record.pair(step), record.token(step)) if record.is_merge(step) else ("", "")
            for step in range(1, len(self) + 1)
        )

    @cached_property
    def stretch_words(self) -> list[Private]:
        """The stretches at the change of stages."""
        words = [self.vocabulary.write(self.symbols(word)) for word in self.stretches.words]
        steps = range(1, self.stage_step or 0)
        return merged_stretches(words, [(self.record.pair(step), self.record.token(step)) for step in steps])

    def splitter(self, step: int) -> Callable[[int], tuple[str, ...]]:
        """A function from a word's index in the corpus to its tokens after `step` steps, as a text of its
        own, like the tokenizer's."""
        if not self.in_stage_2(step):
            return super().splitter(step)
        read, alone = self.vocabulary.read, self._alone
        return lambda index: read(Private("".join(part.at(step) for part in alone[index])))

    def words_between(self, first: int, second: int) -> set[int]:
        low, high = sorted((first, second))
        if not self.in_stage_2(high):
            return super().words_between(low, high)
        if not self.in_stage_2(low):
            return {*range(len(self.corpus.words))}
        steps, words = self._steps_alone
        return set(words[bisect_right(steps, low) : bisect_right(steps, high)])

    @cached_property
    def _alone(self) -> list[list[LoneStretch]]:
        """For each word of the corpus, as a text of its own, its stretches by the second pattern."""
        pipeline = self.stretches.pipeline
        splitter, known = pipeline.splitter(), dict[str, LoneStretch]()

        def alone(stretch: str) -> LoneStretch:
            if stretch not in known:
                start = self.vocabulary.write(self.symbols(stretch))
                known[stretch] = LoneStretch([(0, start), *self.replacements.of(start)])
            return known[stretch]

        texts = (symbols_to_bytes(word).decode() for word in self.corpus.words)
        return [[alone(stretch) for stretch in pipeline.split(text, splitter)] for text in texts]

    @cached_property
    def _steps_alone(self) -> tuple[Sequence[int], Sequence[int]]:
        """The steps that change words as texts of their own, in order, and the indices of the words."""
        changes = sorted(
            (step, index)
            for index, parts in enumerate(self._alone)
            for part in parts
            for step, _text in part.texts
        )
        return compact([step for step, _ in changes]), compact([index for _, index in changes])

    @cached_property
    def _words(self) -> Replay[CurrentWords]:
        def apply(state: CurrentWords, step: int) -> CurrentWords:
            if step == self.stage_step:
                return CurrentWords(list(self.stretch_words))
            for index in self.record.words_at(step):
                state.words[index] = self.replacements.apply(step, state.words[index])
            return state

        return Replay(lambda: CurrentWords(self._initial_words), CurrentWords.copy, apply)

    @cached_property
    def _counts(self) -> Replay[dict[PrivatePair, int]]:
        """In stage 2, only the pairs that may merge."""

        def apply(counts: dict[PrivatePair, int], step: int) -> dict[PrivatePair, int]:
            if step == self.stage_step:
                counts = count_pairs(self.stretch_words, self.stretches.counts)
                return {pair: count for pair, count in counts.items() if self.may_merge(pair, step)}
            for pair, change in self.record.changes_at(step).items():
                total = counts.get(pair, 0) + change
                if not total:
                    counts.pop(pair, None)
                elif pair in counts or self.may_merge(pair, step):
                    counts[pair] = total
            return counts

        return Replay(lambda: count_pairs(self._initial_words, self.corpus.counts), dict, apply)

    def pairs_there(self, step: int) -> Collection[PrivatePair]:
        if not self.in_stage_2(step):
            return super().pairs_there(step)
        return {pair for word in self.current_words(step).words for pair in neighbours(word)}

    def may_merge(self, pair: PrivatePair, step: int) -> bool:
        if not self.in_stage_2(step):
            return True
        first, second = self.read_pair(pair)
        return may_be_token(first + second, self.settings["most_words"]) and super().may_merge(pair, step)

    def model(self, snapshot: MergeSnapshot, tokens: Sequence[str], unk_token: str) -> Model:
        result = super().model(snapshot, tokens, unk_token)
        if isinstance(result, BpeModel):
            result.stage_step = self.stage_step
        return result

    def rank_of_step(self, step: int) -> int:
        return super().rank_of_step(step) - self.in_stage_2(step)

    def token_of(self, step: int) -> str:
        step = self.step_number(step)
        return super().token_of(step) if step and self.record.is_merge(step) else ""

    def _contests(self) -> Iterator[Contest]:
        stage = self.stage_step
        last = len(self) if stage is None else stage - 1
        yield from self._contests_among(self._initial_words, self.corpus.counts, 0, last)
        if stage is not None:
            yield Contest(TieOrder(lambda pair, _rival=None: pair, lambda pair: pair), set(), None)
            yield from self._contests_among(self.stretch_words, self.stretches.counts, stage, len(self))

    def merge_event(self, step: int) -> SuperMergeEvent:
        result = super().merge_event(step)
        return SuperMergeEvent(
            **vars(result), stage=2 if self.in_stage_2(step) else 1, superword=is_superword(result.token)
        )

    def rule_event(self, step: int) -> StageEvent:
        return StageEvent(
            len(self.corpus),
            len(self.stretches),
            self.token_totals[step - 1],
            self.token_totals[step],
            self.vocab_sizes[step],
        )
