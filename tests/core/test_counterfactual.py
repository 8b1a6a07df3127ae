"""Margins, tipping points, and the parting of two runs.

Oracles: for the margins, the slow trainers' counts, scores and losses; for the tipping points, brute force:
train from scratch with every count up to the bound, BPE and WordPiece with the slow trainers
(`oracle_bpe.py`, `oracle_wordpiece.py`), which share nothing with the engine, and Unigram with the engine's
own, since sums of floats in another order would break its ties otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from tests.core.oracle_bpe import plain_bpe
from tests.core.oracle_unigram import plain_unigram_course
from tests.core.oracle_wordpiece import plain_wordpiece
from tests.samples import sampled
from tokenizers_core import TIE_RULES, Corpus, tipping_points, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.counterfactual.divergence import choice_at, first_divergence, vocabulary_difference
from tokenizers_core.counterfactual.recounting import retrain, with_count
from tokenizers_core.counterfactual.tipping import tippings
from tokenizers_core.errors import SettingError, WrongTypeError
from tokenizers_core.training.algorithms import AnyTrace

HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
CORPORA = 500
BOUND = 12
Picks = Callable[[Mapping[str, int]], list[object]]
"""The choice of each step of a run on these words."""


def drawn(random: Random) -> dict[str, int]:
    """A few short words of few letters, so that pairs overlap and ties abound."""
    words = {"".join(random.choices("abc", k=random.randint(1, 5))) for _ in range(random.randint(1, 5))}
    return {word: random.randint(1, 6) for word in sorted(words)}


def bpe_picks(rule: str) -> Picks:
    return lambda words: [
        step.pair for step in plain_bpe(words, list, sorted(set("".join(words))), rule, str.encode, 99)[0]
    ]


def wordpiece_picks(rule: str) -> Picks:
    return lambda words: [step.pair for step in plain_wordpiece(words, rule)[0]]


def unigram_picks(words: Mapping[str, int]) -> list[object]:
    trace = train_unigram(Corpus.from_counts(words), vocab_size=None)
    return [trace.event(step).piece for step in range(1, len(trace) + 1)]  # type: ignore[union-attr]


def brute_force(words: Mapping[str, int], step: int, word: str, picks: Picks) -> int | None:
    """The smallest change up to the bound that makes the step pick something else, of equals the positive
    one."""

    def picked(count: int) -> object:
        changed = {name: number for name, number in {**words, word: count}.items() if number}
        return (picks(changed)[step - 1 : step] or [None])[0] if changed else before

    before = None
    before = picked(words[word])
    for size in range(1, BOUND + 1):
        for change in (size, -size):
            if words[word] + change >= 0 and picked(words[word] + change) != before:
                return change
    return None


@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece", "unigram"])
def test_tipping_points_are_those_of_brute_force(algorithm: str) -> None:
    random = Random(f"tipping {algorithm}")
    for _ in range(sampled(CORPORA)):
        words, rule = drawn(random), random.choice([*TIE_RULES])
        corpus, trace, picks = Corpus.from_counts(words), None, unigram_picks
        if algorithm == "bpe":
            trace, picks = train_bpe(corpus, tie_rule=rule), bpe_picks(rule)
        elif algorithm == "wordpiece":
            trace, picks = train_wordpiece(corpus, tie_rule=rule), wordpiece_picks(rule)
        else:
            trace = train_unigram(corpus, vocab_size=None)
        if not len(trace):
            continue
        step, requested = random.randint(1, len(trace)), [random.choice(sorted(words))]
        wanted = {word: brute_force(words, step, word, picks) for word in requested}
        assert tipping_points(trace, step, requested, BOUND) == wanted, (words, rule, step)


@pytest.mark.parametrize("limit", [{"limit_alphabet": 2}, {"character_coverage": 0.8}])
def test_a_count_can_change_a_limited_alphabet(limit: dict[str, Any]) -> None:
    """Of ab 5 and cd 3, the alphabet has a and b, until cd is as frequent. Oracle: training again."""
    counts = {"ab": 5, "cd": 3}
    trace = train_bpe(Corpus.from_counts(counts), **limit)
    tips = tipping_points(trace, 1, counts, 20)
    assert tips == {"ab": -3, "cd": 3}
    for word, change in tips.items():
        for off, same in ((0, False), (1 if change < 0 else -1, True)):
            again = train_bpe(Corpus.from_counts({**counts, word: counts[word] + change + off}), **limit)
            assert (again[1].event.pair == trace[1].event.pair) == same


def test_a_minimum_count_can_tip_a_step() -> None:
    trace = train_bpe(Corpus.from_counts({"ab": 5, "cd": 3}), min_frequency=3)
    assert [choice.instead for choice in tippings(trace, 2, ["cd"])["cd"] if choice] == [
        choice_at(train_bpe(Corpus.from_counts({"ab": 5, "cd": 6})), 2),
        None,  # with 2, no pair is frequent enough any more
    ]
    scored = train_wordpiece(Corpus.from_counts({"ab": 9, "ce": 2}), min_frequency=3)
    assert tipping_points(scored, 1, ["ce"], 5) == {"ce": 1}


def test_margins_are_the_slow_trainers_differences() -> None:
    random = Random("margins")
    for _ in range(sampled(60)):
        words = drawn(random)
        corpus = Corpus.from_counts(words)
        bpe, wordpiece = train_bpe(corpus), train_wordpiece(corpus)
        counts = [
            step.counts.values() for step in plain_bpe(words, list, bpe.alphabet, "first", str.encode, 99)[0]
        ]
        scores = [step.scores.values() for step in plain_wordpiece(words, "first")[0]]
        for trace, values in ((bpe, counts), (wordpiece, scores)):
            ranked = [sorted(result, reverse=True)[:2] for result in values]
            wanted = [best[0] - best[1] if len(best) == 2 else None for best in ranked]
            assert [trace.margin(step) for step in range(1, len(trace) + 1)] == wanted
            assert [point.margin for point in trace.history] == wanted
        assert all(isinstance(point.margin, Fraction | None) for point in wordpiece.history)
        assert bpe.margin(0) is None


def test_unigrams_margins_are_the_slow_trainers_differences() -> None:
    trace = train_unigram(Corpus.from_counts(HUG), vocab_size=None)
    wanted: list[float] = []
    for round_ in plain_unigram_course(HUG, 1000, 0)[0]:
        losses = sorted(round_.removal_losses.values())
        wanted += [later - loss for loss, later in pairwise(losses)][: len(round_.removed)]
    margins = [trace.margin(step) for step in range(1, len(trace))]
    assert margins == pytest.approx(wanted[: len(margins)], abs=1e-9) and max(wanted) > 1
    assert trace.margin(0) is trace.margin(-1) is None  # the start, and the last prunable piece
    em = train_unigram(Corpus.from_counts(HUG), vocab_size=10, method="sentencepiece")
    kinds = em.record.kinds
    assert all(em.margin(step) is None for step in range(len(em)) if kinds[step] != "prune")


def test_a_rare_runner_up_counts_in_bpe_which_lists_it() -> None:
    trace = train_bpe(Corpus.from_counts({"ab": 5, "cd": 1}), min_frequency=2)
    assert (trace.margin(1), trace.history[0].margin) == (4, 4)
    scored = train_wordpiece(Corpus.from_counts({"ab": 5, "cd": 1}), min_frequency=2)
    assert (scored.margin(1), scored.history[0].margin) == (None, None)


@pytest.mark.parametrize(
    "trace",
    [
        train_bpe(Corpus.from_counts(HUG), 12, merges=6, special_tokens=("<s>",), tie_rule="greatest"),
        train_wordpiece(Corpus.from_counts(HUG), merges=5, min_frequency=2),
        train_unigram(Corpus.from_counts(HUG), vocab_size=8, whole_words=False, special_tokens=("<s>",)),
        train_unigram(Corpus.from_counts(HUG), vocab_size=10, method="sentencepiece"),
    ],
    ids=lambda trace: trace.algorithm,
)
def test_retraining_on_the_same_corpus_is_the_same_run(trace: AnyTrace) -> None:
    assert first_divergence(trace, retrain(trace, trace.corpus, 1000)) is None
    for steps in range(len(trace)):
        early = retrain(trace, trace.corpus, steps)
        assert len(early) == steps
        assert [choice_at(early, step) for step in range(steps + 2)] == [
            *(choice_at(trace, step) for step in range(steps + 1)),
            None,
        ]


def test_a_word_of_count_0_is_gone_and_a_new_one_comes_last() -> None:
    corpus = Corpus.from_texts(["a b a", "b"], pre_tokenizer="whitespace_split")
    assert corpus.ends == (1, 1)
    assert (with_count(corpus, "a", 0).words, with_count(corpus, "a", 0).ends) == (("b",), (1,))
    assert (with_count(corpus, "c", 2).words, with_count(corpus, "c", 2).ends) == (("a", "b", "c"), (1, 1, 0))
    for word, count in (("a", -1), ("a", 0)):
        with pytest.raises(SettingError):
            with_count(Corpus.from_counts({"a": 3}), word, count)


def test_wrong_words_and_steps_are_refused() -> None:
    trace = train_bpe(Corpus.from_counts(HUG))
    with pytest.raises(SettingError, match="'mug'"):
        tipping_points(trace, 1, ["mug"])
    with pytest.raises(IndexError):
        tipping_points(trace, 8, ["hug"])
    for bound in (10.5, None, "x"):  # between whole numbers the search would find no end
        with pytest.raises(WrongTypeError, match="bound"):
            tipping_points(trace, 1, ["hug"], bound)  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="bound=0 can't be used: choose at least 1"):
        tipping_points(trace, 1, ["hug"], 0)
    assert tipping_points(trace, 0, ["bun"], 4) == {"bun": -4}  # without bun, no b in the alphabet


def test_a_search_can_be_stopped() -> None:
    trace = train_bpe(Corpus.from_counts(HUG))
    messages: list[tuple[int, int]] = []

    def stop_at_the_second(done: int, total: int) -> bool:
        messages.append((done, total))
        return len(messages) < 2

    assert list(tippings(trace, 2, HUG, progress=stop_at_the_second)) == ["hug"]
    assert messages[-1][0] < messages[-1][1]


def test_balance_compares_at_equal_size() -> None:
    ours, theirs = (
        train_bpe(Corpus.from_counts({**HUG, "pug": pug}), 12, special_tokens=("<s>",)) for pug in (5, 30)
    )
    result = vocabulary_difference(ours, theirs)
    assert (result.size, result.steps) == (12, (4, 4))
    here, there = ({*run[4].vocab} for run in (ours, theirs))
    assert ({*result.ours}, {*result.theirs}) == (here - there, there - here)
    assert result.shared == len(here & there) - 8  # the special token and seven letters
    fine = train_unigram(Corpus.from_counts(HUG), vocab_size=12)
    coarse = train_unigram(Corpus.from_counts(HUG), vocab_size=9)
    assert vocabulary_difference(fine, coarse) == vocabulary_difference(fine, fine)._replace(
        steps=(len(fine), vocabulary_difference(fine, coarse).steps[1])
    )
    bytes_ = train_bpe(Corpus.from_texts(["hug hug"]), 260, alphabet="bytes")
    assert vocabulary_difference(train_bpe(Corpus.from_texts(["hug hug"])), bytes_).steps[1] == 0
