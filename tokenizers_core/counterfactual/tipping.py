"""Tipping points: the smallest change of a word's count that changes a step's choice.

A change is judged by training again, so its effects on earlier steps count, too. Most changes need no
training, though: as long as every step up to this one chooses as before, the words are split as before, and
each pair's value is a known function of the change. `certain` finds how far that surely holds, and the search
begins there.

With a larger change a step may choose as before again, and then otherwise again: the search finds the first
change in each direction, and there may be more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from numbers import Integral
from typing import NamedTuple

from tokenizers_core.counterfactual.divergence import Decision, choice_at
from tokenizers_core.counterfactual.recounting import corpus_of, recounted, retrain
from tokenizers_core.encoding.models.pairs import neighbours
from tokenizers_core.encoding.vocabulary import Private, PrivatePair
from tokenizers_core.errors import WHOLE_NUMBER, Phrase, SettingError, refuse_no_texts, refuse_wrong_type
from tokenizers_core.training.algorithms import AnyTrace
from tokenizers_core.training.bpe import BpeTrace
from tokenizers_core.training.merge_trace import MergeTrace
from tokenizers_core.training.unigram_trace import UnigramTrace
from tokenizers_core.training.wordpiece import WordPieceTrace

BOUND = 100
"""The default limit of the tried changes."""
SearchProgress = Callable[[int, int], object]
"""Told now and then how much is done, of how much; returning False ends the search."""


class Tip(NamedTuple):
    """A change that changes a step's choice, and the new choice: None if the step no longer exists."""

    change: int
    instead: Decision | None


class Tipping(NamedTuple):
    """The first such change in each direction; None within the bound."""

    more: Tip | None
    fewer: Tip | None

    @property
    def nearest(self) -> Tip | None:
        """The smaller of the two; of equals, the one with more."""
        results = [tip for tip in self if tip is not None]
        return min(results, key=lambda tip: abs(tip.change), default=None)


def tipping_points(
    trace: AnyTrace, step: int, words: Iterable[str], bound: int = BOUND
) -> dict[str, int | None]:
    """For each word the smallest change of its count that changes the choice of step `step`; None if there is
    none up to `bound` either way.

    A count falls to 0 at most, and a word that makes up the whole corpus stays. A step below 0
    counts from the end; step 0 has no choice to change: None for each word. Raises SettingError for a word
    not in the corpus and for a bound below 1, WrongTypeError, and IndexError for a step not in the run.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> trace = train_bpe(Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}))
    >>> tipping_points(trace, 1, ["hug", "pug", "bun"])
    {'hug': -4, 'pug': -5, 'bun': 5}
    """
    result = tippings(trace, step, words, bound)
    return {word: tipping.nearest and tipping.nearest.change for word, tipping in result.items()}


def tippings(
    trace: AnyTrace,
    step: int,
    words: Iterable[str],
    bound: int = BOUND,
    progress: SearchProgress | None = None,
) -> dict[str, Tipping]:
    """For each word both changes, with the new choices; without the remaining words if `progress` stopped the
    search."""
    refuse_wrong_type("trace", trace, (MergeTrace, UnigramTrace), "give a run, such as train_bpe(corpus)")
    refuse_no_texts("words", words)
    step = trace.step_number(step)
    refuse_wrong_type("bound", bound, Integral, WHOLE_NUMBER)
    if bound < 1:
        raise SettingError(name="bound", value=bound, reason="choose at least 1")
    corpus = corpus_of(trace, step)
    positions = {word: index for index, word in enumerate(corpus.words)}
    wanted = list(dict.fromkeys(words))
    for word in wanted:
        if word not in positions:
            raise SettingError(name="words", value=word, reason=Phrase("choose words of the corpus"))
    tell = Stride(step, len(wanted), progress)
    sure = certain(trace, step, [positions[word] for word in wanted], bound, tell)
    results: dict[str, Tipping] = {}
    for word in wanted:
        if tell.next_word():
            break
        low, high = sure[positions[word]]
        count = corpus.counts[positions[word]]
        least = max(-bound, -count if len(positions) > 1 else 1 - count)
        more = first_tip(trace, step, word, range(high + 1, bound + 1))
        fewer = first_tip(trace, step, word, range(max(low, 1 - count) - 1, least - 1, -1))
        results[word] = Tipping(more, fewer)
    return results


class Stride:
    """How far a search is: looking through the steps counts as much as the trainings for one word."""

    def __init__(self, steps: int, words: int, progress: SearchProgress | None) -> None:
        self.steps, self.total, self.done = steps, steps * (words + 1), 0
        self.progress = progress
        self.stopped = False

    def next_step(self) -> bool:
        """Go on; whether to stop instead."""
        self.done += 1
        return self._tell() if self.done % 64 == 0 else self.stopped

    def next_word(self) -> bool:
        """Go on; whether to stop instead."""
        self.done = self.done // self.steps * self.steps + self.steps if self.steps else 0
        return self._tell()

    def _tell(self) -> bool:
        if self.progress is not None and not self.stopped:
            self.stopped = self.progress(self.done, self.total) is False
        return self.stopped


def first_tip(trace: AnyTrace, step: int, word: str, changes: Iterable[int]) -> Tip | None:
    """The first of these changes of a word's count that changes the choice of step `step`, by training with
    each."""
    before, count = choice_at(trace, step), dict(corpus_of(trace, step).items())[word]
    for change in changes:
        run = retrain(trace, steps=step, **recounted(trace, step, word, count + change))
        if (now := choice_at(run, step)) != before:
            return Tip(change, now)
    return None


def at_play(trace: AnyTrace, step: int, most: int) -> list[str]:
    """The words that decided step `step`: words with the chosen pair or piece or with the runner-up, the most
    frequent first.

    After them, for WordPiece, words with only one of the symbols, as symbol counts are part of the scores. At
    most `most`.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> at_play(train_bpe(Corpus.from_counts({"hug": 10, "hum": 12, "bat": 4})), 2, 5)
    ['hum', 'hug']
    """
    if not step:
        return []
    splits = trace.snapshot(step - 1).splits(corpus_of(trace, step).words)
    if isinstance(trace, MergeTrace) and not trace.record.is_merge(step):
        return at_play(trace, step - 1, most)  # it follows from the merge before
    if isinstance(trace, MergeTrace):
        rivals = {tuple(candidate.pair) for candidate in trace.candidates(step - 1, 2)} | {
            trace.pair_of(step)
        }
        direct = [word for word, split in splits.items() if not rivals.isdisjoint(pairwise(split))]
        symbols = (
            {symbol for pair in rivals for symbol in pair} if isinstance(trace, WordPieceTrace) else set()
        )
        aside = [word for word, split in splits.items() if not symbols.isdisjoint(split)]
    elif trace.record.kinds[step] == "prune":
        round_ = trace.record.rounds[trace.round_of(step) - 1]
        position = step - round_.first_step
        pieces = [trace.seed[piece][0] for piece in round_.ranking[position : position + 2]]
        direct = [word for word in splits if any(piece in word for piece in pieces)]
        aside = []
    else:
        return []
    frequency = dict(corpus_of(trace, step).items()).__getitem__
    ordered = [*sorted(direct, key=frequency, reverse=True), *sorted(aside, key=frequency, reverse=True)]
    return list(dict.fromkeys(ordered))[:most]


# --- Without training ---------------------------------------------------------------------------------------

Polynomial = tuple[int, ...]
"""Coefficients of 1, x, x², …"""


def certain(
    trace: AnyTrace, step: int, indices: Iterable[int], bound: int, tell: Stride
) -> dict[int, tuple[int, int]]:
    """For each word, by its index, two changes of its count, from 0 down and up: in between, steps 1 to
    `step` stay as they are.

    Only for plain merging, where counts alone decide a step, and of characters that they don't decide on;
    (0, 0) says nothing. A change that removes the
    word is never certain: pairs may be met elsewhere first.
    """
    ranges = dict.fromkeys(indices, (-bound, bound))
    if (
        not isinstance(trace, MergeTrace)
        or (isinstance(trace, BpeTrace) and trace.kind != "plain")
        or {"limit_alphabet", "character_coverage"} & trace.settings.keys()
    ):
        return dict.fromkeys(ranges, (0, 0))
    for earlier in range(step):
        if tell.next_step():
            break  # the search ends here, too
        contest = Leads(trace, earlier)
        for position, (low, high) in ranges.items():
            if low == high == 0:
                continue
            leads = list(contest.leads(position))
            high = min([high, *(lasting(lead, high) for lead in leads)])
            mirrored = ([number * (-1) ** power for power, number in enumerate(lead)] for lead in leads)
            low = -min([-low, *(lasting(tuple(lead), -low) for lead in mirrored)])
            ranges[position] = (low, high)
    return ranges


def lasting(lead: Polynomial, most: int) -> int:
    """The largest x up to `most` with a certainly preserved lead: from 1 or more to at least 1, or from 0 to
    at least 0.

    Rising parts are left out, so what remains only falls: the answer is never too large, and exact for a
    straight line.

    >>> lasting((5, -2), 100), lasting((0, -1), 100), lasting((0, 3), 100), lasting((6, 1, -1), 100)
    (2, 0, 100, 2)
    """
    start, *rest = lead
    falls = [min(0, number) for number in rest]
    if not any(falls):
        return most
    need = min(start, 1)

    def still_leads(x: int) -> bool:
        left = start
        for power, fall in enumerate(falls, start=1):
            left += fall * x**power
        return left >= need

    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if still_leads(middle) else (low, middle - 1)
    return low


class Leads:
    """The merge after `step` merges: by how much the chosen pair leads every other, whatever one word's count
    is."""

    def __init__(self, trace: MergeTrace, step: int) -> None:
        self.trace = trace
        self.words = trace.current_words(step).words
        self.counts = trace.pair_counts(step)
        self.chosen = trace.record.pair(step + 1)
        self.scored = isinstance(trace, WordPieceTrace)
        self.symbols: Mapping[str, int] = {}
        if isinstance(trace, WordPieceTrace):
            self.symbols = trace.symbol_counts(step)
        self.best_other = max(
            (count for pair, count in self.counts.items() if pair != self.chosen), default=0
        )

    def leads(self, index: int) -> Iterator[Polynomial]:
        """Polynomials in the change of the word's count; each must keep its lead: see `lasting`."""
        word = self.words[index]
        pairs = Counter(neighbours(word))
        chosen, count = self.chosen, self.counts[self.chosen]
        if least := self.trace.settings["min_frequency"]:
            yield (count - least, pairs[chosen])
        if self.scored:
            yield from self._scored(word, pairs)
            return
        if pairs[chosen]:
            yield (count - self.best_other, pairs[chosen])
        for pair, times in pairs.items():
            if pair != chosen:
                yield (count - self.counts[pair], pairs[chosen] - times)

    def _scored(self, word: Private, pairs: Counter[PrivatePair]) -> Iterator[Polynomial]:
        """WordPiece's leads: scores compared by multiplying out, pair₁ × (first₂ × second₂) − pair₂ × (first₁
        × second₁)."""
        symbols, chosen, least = Counter(word), self.chosen, self.trace.least_count
        touched = not symbols.keys().isdisjoint(chosen)

        def line(total: int, times: int) -> Polynomial:
            return (total, times)

        def parts(pair: PrivatePair) -> tuple[Polynomial, Polynomial]:
            first, second = pair
            product = times_line(
                line(self.symbols[first], symbols[first]), line(self.symbols[second], symbols[second])
            )
            return line(self.counts[pair], pairs[pair]), product

        top, bottom = parts(chosen)
        for pair, count in self.counts.items():
            if pair == chosen or not (touched or pair[0] in symbols or pair[1] in symbols):
                continue
            if count < least:  # no candidate, as long as it stays so rare
                yield (least - 1 - count, -pairs[pair])
                continue
            other_top, other_bottom = parts(pair)
            yield minus(times_line(other_bottom, top), times_line(bottom, other_top))


def times_line(polynomial: Polynomial, line: Polynomial) -> Polynomial:
    """A polynomial times a line.

    >>> times_line((1, 2), (3, 4))
    (3, 10, 8)
    """
    start, slope = line
    low = [start * number for number in polynomial]
    return tuple(
        a + b for a, b in zip([*low, 0], [0, *(slope * number for number in polynomial)], strict=True)
    )


def minus(left: Polynomial, right: Polynomial) -> Polynomial:
    """The difference of two polynomials of the same length."""
    return tuple(a - b for a, b in zip(left, right, strict=True))
