"""Unigram: both trainers, the record of every step, encoding.

Sources and oracles: the Hugging Face course's walk-throughs recomputed (`golden/unigram_*.json`); plain
versions of both trainers (`oracle_unigram.py`); the `sentencepiece` library's own trainer, as a check on the
plain version and on the seed; the `tokenizers` library, for encoding with unknown characters and byte
fallback.
"""

from __future__ import annotations

import io
import json
import math
import pickle
import random
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
import sentencepiece
import tokenizers
from hypothesis import assume, example, given
from hypothesis import strategies as st
from tokenizers import models

from benchmarks.text import library_text
from tests.core.oracle_unigram import (
    LEAST_EXPECTED,
    PlainRound,
    costs,
    digamma,
    log_shares,
    plain_best,
    plain_e_step,
    plain_em,
    plain_em_seed,
    plain_finalize,
    plain_loss,
    plain_m_step,
    plain_prune,
    plain_removal_losses,
    plain_seed,
    plain_unigram_course,
    plain_viterbi,
)
from tests.samples import examples
from tokenizers_core import METHODS, Corpus, PruneEvent, UnigramTrace, train_unigram
from tokenizers_core.encoding.byte_tokens import byte_token
from tokenizers_core.encoding.models.unigram import EXPLAINED_CHARACTERS, best_split
from tokenizers_core.errors import (
    SettingError,
    TokenizersCoreError,
    UnknownNameError,
    UnknownWordError,
    UnreachedSizeWarning,
    VocabSizeError,
)
from tokenizers_core.training import segmentation
from tokenizers_core.training.pruning import ExpectationEvent, FinalEvent, MaximizationEvent
from tokenizers_core.training.unigram import (
    SEED_SIZES,
    ExcludedPiece,
    count_substrings,
    excluded_from_seed,
    grown_seed,
    sentencepiece_seed,
)

GOLDEN = Path(__file__).parents[1] / "golden"
HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


@cache
def golden(name: str) -> dict[str, Any]:
    return cast(dict[str, Any], json.loads((GOLDEN / f"unigram_{name}.json").read_text(encoding="utf-8")))


@cache
def course() -> UnigramTrace:
    """The course's run on its four sentences."""
    corpus = Corpus.from_texts(golden("course")["corpus"], pre_tokenizer="whitespace_split_metaspace")
    return train_unigram(corpus)


@cache
def by_library_method() -> UnigramTrace:
    """SentencePiece's way on the four sentences, to a size that takes more than one pruning."""
    return train_unigram(course().corpus, vocab_size=31, method="sentencepiece")


words = st.text("abc", min_size=1, max_size=8) | st.text("aé", min_size=1, max_size=9)
corpora = st.dictionaries(words, st.integers(1, 6), min_size=1, max_size=6)


def pruned(trace: UnigramTrace, number: int) -> list[str]:
    """The pieces thrown out in a round, from its events."""
    round_ = trace.record.rounds[number - 1]
    steps = range(round_.first_step, round_.first_step + round_.pruned)
    return [cast(PruneEvent, trace[step].event).piece for step in steps]


def without_log(pieces: Mapping[str, float]) -> dict[str, float]:
    """A model as the plain versions take it: costs in place of log probabilities."""
    return {piece: -log for piece, log in pieces.items()}


# --- The course's method ------------------------------------------------------------------------------------


def test_the_course_to_the_digit() -> None:
    figures, trace = golden("course"), course()
    assert dict(trace.corpus.items()) == figures["word_freqs"]
    assert [list(item) for item in trace.seed] == figures["seed_freqs_in_order"]
    assert trace[0].loss == pytest.approx(figures["initial_loss"], abs=1e-9)
    losses = {row.piece: row.loss for row in trace.ranking(1)}
    wanted = dict(figures["removal_losses_in_seed_order"])
    assert losses == pytest.approx(wanted, abs=1e-9)
    assert len(trace.record.rounds) == len(figures["rounds"]) == 11
    for number, row in enumerate(figures["rounds"], start=1):
        assert trace.record.rounds[number - 1].loss == pytest.approx(row["loss_before"], abs=1e-9)
        assert pruned(trace, number) == row["removed"]
    assert trace.stop_reason == "vocab_size"
    assert len(trace[-1].pieces) == trace[-1].vocab_size == figures["final_vocab_size"] == 98
    assert len(trace) == 300 - 98
    for text, tokens in figures["encode"].items():
        assert trace.tokenizer().encode(text).tokens == tokens


def test_the_published_loss_adds_one_for_each_word() -> None:
    figures, trace = golden("course"), course()
    published = trace[0].loss + trace.corpus.total
    assert published == pytest.approx(figures["initial_loss_as_published"], abs=1e-9)


def test_the_hug_corpus() -> None:
    figures = golden("hug")
    trace = train_unigram(Corpus.from_counts(HUG), vocab_size=10, whole_words=False)
    assert dict(trace.seed) == dict(figures["freqs_in_order"])
    assert sum(count for _, count in trace.seed) == figures["total"] == 210
    assert {word: list(split) for word, split in trace[0].splits().items()} == {
        word: row["tokens"] for word, row in figures["words"].items()
    }
    assert trace[0].loss == pytest.approx(figures["loss"], abs=1e-9)
    losses = {row.piece: row.loss for row in trace[0].candidates()}
    assert losses == pytest.approx(figures["removal_losses"], abs=1e-9)


@examples(200)
@given(corpora, st.integers(1, 60), st.integers(1, 6), st.booleans())
def test_the_seed_equals_a_plain_count(
    frequencies: dict[str, int], size: int, length: int, whole_words: bool
) -> None:
    size += len({character for word in frequencies for character in word})
    trace = train_unigram(
        Corpus.from_counts(frequencies),
        size,
        vocab_size=None,
        max_piece_length=length,
        whole_words=whole_words,
    )
    assert trace.seed == tuple(plain_seed(frequencies, size, length, strict=not whole_words).items())


@examples(200)
@given(corpora, st.integers(1, 6))
@example(HUG, 16)
@example({"abc": 3, "abcd": 1, "dabc": 2}, 3)
def test_the_seed_of_sentencepiece_without_whole_words_equals_a_plain_count(
    frequencies: dict[str, int], length: int
) -> None:
    seed = sentencepiece_seed(Corpus.from_counts(frequencies), length, False)
    assert seed == [*plain_em_seed(frequencies, max_length=length, strict=True).items()]


@pytest.mark.parametrize("whole_words", [True, False])
@pytest.mark.parametrize("method", METHODS)
def test_seed_pieces_excluded_by_bounds(method: str, whole_words: bool) -> None:
    """Oracle: the plain seed without bounds. Pieces worth less than the last one with room were kept out by
    the seed's size."""

    def plain(counts: Mapping[str, int]) -> list[tuple[str, int]]:
        seed = (
            plain_seed(counts, 99, strict=not whole_words)
            if method == "course"
            else plain_em_seed(counts, strict=not whole_words)
        )
        return [(piece, worth) for piece, worth in seed.items() if len(piece) > 1]

    def trained(counts: Mapping[str, int], size: int, **settings: Any) -> UnigramTrace:
        return train_unigram(
            Corpus.from_counts(counts), size, None, method, whole_words=whole_words, **settings
        )

    for longest, size in ((2, 99), (2, 7), (2, 8), (2, 10), (2, 11), (1, 99), (3, 99)):
        trace = trained(HUG, size, max_piece_length=longest)
        full = len(trace.seed) == size
        least = (trace.seed[-1][1] if size > 7 else math.inf) if full else 0  # there are 7 characters
        wanted = [
            ExcludedPiece(piece, worth, "length")
            for piece, worth in plain(HUG)
            if len(piece) > longest and worth >= least
        ]
        assert [excluded_from_seed(trace, limit) for limit in (1, 2, 99)] == [
            wanted[:1],
            wanted[:2],
            wanted,
        ]
    assert excluded_from_seed(trained(HUG, 99), 99) == []
    thug = HUG | {"thug": 1}
    for longest in (2, 16):
        trace = trained(thug, 60, max_piece_length=longest, character_coverage=0.9)
        assert {*trace.left_out} == {*"sbt"}
        assert excluded_from_seed(trace, 99) == [
            ExcludedPiece(piece, worth, "length" if {*piece}.isdisjoint("sbt") else "unknown")
            for piece, worth in plain(thug)
            if len(piece) > longest or not {*piece}.isdisjoint("sbt")
        ]


def assert_same_rounds(trace: UnigramTrace, rounds: list[PlainRound], left: Mapping[str, int]) -> None:
    """Losses and rankings equal in every bit."""
    assert len(trace.record.rounds) == len(rounds)
    for number, plain in enumerate(rounds, start=1):
        round_ = trace.record.rounds[number - 1]
        before = trace[round_.first_step - 1]
        assert dict(before.pieces) == {piece: -cost for piece, cost in costs(plain.model).items()}
        assert list(before.pieces) == list(plain.model)
        assert before.loss == round_.loss == plain.loss_before
        ranking = trace.ranking(number)
        assert {row.piece: row.loss for row in ranking} == plain.removal_losses
        assert [row.piece for row in ranking] == sorted(
            plain.removal_losses, key=plain.removal_losses.__getitem__
        )
        assert [row.piece for row in ranking if row.pruned] == plain.removed == pruned(trace, number)
    assert dict(trace[-1].pieces) == {piece: -cost for piece, cost in costs(left).items()}
    assert list(trace[-1].pieces) == list(left)


@pytest.mark.parametrize(("vocab_size", "exact"), [(40, False), (100, True)])
def test_every_loss_of_the_course_equals_the_plain_one_in_every_bit(vocab_size: int, exact: bool) -> None:
    corpus = course().corpus
    trace = train_unigram(corpus, vocab_size=vocab_size, exact=exact)
    rounds, left = plain_unigram_course(dict(corpus.items()), 300, vocab_size, exact=exact)
    assert_same_rounds(trace, rounds, left)
    assert len(left) == vocab_size if exact else len(left) <= vocab_size


@examples(60)
@given(corpora, st.integers(0, 40), st.integers(0, 8), st.sampled_from([0.1, 0.3, 0.9]), st.booleans())
@example({"a": 3}, 5, 0, 0.1, False)
@example({"aaaaaaaaa": 2, "aaa": 1}, 20, 0, 0.3, False)
def test_every_loss_equals_the_plain_one_in_every_bit(
    frequencies: dict[str, int], more: int, room: int, share: float, exact: bool
) -> None:
    characters = len(set("".join(frequencies)))
    size, target = characters + more, characters + room
    trace = train_unigram(Corpus.from_counts(frequencies), size, target, exact=exact, pruned_share=share)
    rounds, left = plain_unigram_course(frequencies, size, target, share, exact)
    assert_same_rounds(trace, rounds, left)
    assert trace.stop_reason == ("vocab_size" if rounds else "seed_size")
    if exact and rounds:
        assert len(left) == target


@examples(60)
@given(corpora, st.integers(0, 40), st.integers(0, 8))
def test_in_a_large_corpus_the_changed_words_are_summed_alone(
    frequencies: dict[str, int], more: int, room: int
) -> None:
    """Against the plain version from the same model: the same losses, but for rounding in its sums."""
    characters = len(set("".join(frequencies)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segmentation, "SUMMED_IN_ORDER", 0)
        trace = train_unigram(Corpus.from_counts(frequencies), characters + more, characters + room)
    for number, round_ in enumerate(trace.record.rounds, start=1):
        model = without_log(trace[round_.first_step - 1].pieces)
        losses = {row.piece: row.loss for row in trace.ranking(number)}
        assert losses == pytest.approx(plain_removal_losses(frequencies, model), rel=1e-9, abs=1e-9)
        assert all(loss >= 0 for loss in losses.values())


def assert_events(trace: UnigramTrace) -> None:
    """Every prune's event against plain Viterbi with the pieces left: the changes, and their cost."""
    frequencies = dict(trace.corpus.items())
    sizes = [len(trace.seed)]
    for number, round_ in enumerate(trace.record.rounds, start=1):
        model = without_log(trace[round_.first_step - 1].pieces)
        splits = {word: plain_viterbi(word, model)[0] for word in frequencies}
        loss = plain_loss(frequencies, model)
        ranking = trace.ranking(number)
        for index in range(1, round_.pruned + 1):
            step = round_.first_step + index - 1
            event = cast(PruneEvent, trace[step].event)
            cost = model.pop(event.piece)
            assert (event.kind, event.round, event.rank, event.pruned) == (
                "prune",
                number,
                index,
                round_.pruned,
            )
            assert (event.ranked, event.ends_round) == (len(ranking), index == round_.pruned)
            assert event.loss == ranking[index - 1].loss
            assert event.threshold == ranking[round_.pruned - 1].loss
            assert math.isclose(event.probability, math.exp(-cost))
            assert list(event.alternative) == plain_viterbi(event.piece, model)[0]
            after = {word: plain_viterbi(word, model)[0] for word in frequencies}
            assert [(change.word, list(change.before), list(change.after)) for change in event.resplits] == [
                (word, splits[word], after[word]) for word in frequencies if splits[word] != after[word]
            ]
            assert event.words == tuple(change.word for change in event.resplits)
            assert math.isclose(event.corpus_loss_before, loss, abs_tol=1e-9)
            splits, loss = after, plain_loss(frequencies, model)
            assert math.isclose(event.corpus_loss_pruned, loss, abs_tol=1e-9)
            now = without_log(trace[step].pieces)
            assert now.keys() == model.keys()
            assert event.piece not in trace[step].pieces and event.piece in trace[step - 1].pieces
            assert trace[step].pieces.get(event.piece) is None
            with pytest.raises(KeyError):
                trace[step].pieces[event.piece]
            assert math.isclose(event.corpus_loss, plain_loss(frequencies, now), abs_tol=1e-9)
            assert event.corpus_loss == trace[step].loss
            assert {word: list(split) for word, split in trace[step].splits().items()} == {
                word: plain_viterbi(word, now)[0] for word in frequencies
            }
            sizes.append(len(now))
            if index < round_.pruned:
                assert now == model
                assert [row.piece for row in trace[step].candidates()] == [
                    row.piece for row in ranking[index:]
                ]
                assert trace[step].candidates(2) == ranking[index : index + 2]
    assert [point.size for point in trace.history] == sizes


def test_the_events_of_the_course() -> None:
    assert_events(course())
    first = cast(PruneEvent, course()[1].event)
    assert (first.piece, first.loss, first.alternative, first.resplits) == ("is", 0.0, ("i", "s"), ())


@examples(40)
@given(corpora, st.integers(0, 20), st.sampled_from([0.1, 0.4]))
def test_the_events_on_generated_corpora(frequencies: dict[str, int], more: int, share: float) -> None:
    size = len(set("".join(frequencies))) + more
    assert_events(train_unigram(Corpus.from_counts(frequencies), size, None, pruned_share=share))


def test_the_worth_of_pieces() -> None:
    trace = course()
    frequencies = dict(trace.corpus.items())
    for step in (0, 31, 100, len(trace)):
        pieces = dict(trace[step].pieces)
        exact = plain_removal_losses(frequencies, without_log(pieces))
        approximate = plain_prune(frequencies, pieces, 1)[1]
        result = trace.worth(step)
        assert {row.piece for row in result} == approximate.keys()
        for row in result:
            assert row.exact == exact[row.piece]
            assert math.isclose(row.approximate, approximate[row.piece] * trace.corpus.total, abs_tol=1e-9)
            assert list(row.estimate.replacement) == plain_best(row.piece, pieces, without=row.piece)
        assert [row.approximate for row in result] == sorted(row.approximate for row in result)
        assert trace.worth(step, 3) == result[:3]


# --- Traces -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [course, by_library_method])
def test_snapshots_in_any_order_equal_those_in_order(make: Any) -> None:
    trace = make()
    in_order = list(trace)
    again = pickle.loads(pickle.dumps(trace))
    steps = list(range(len(trace) + 1))
    random.Random(0).shuffle(steps)
    for step in steps:
        assert again[step] == in_order[step]
        assert again[step].event == in_order[step].event
        assert again[step].vocab == in_order[step].vocab
        assert again[step].loss == in_order[step].loss
    assert again.stop_reason == trace.stop_reason
    assert repr(again.history) == repr(trace.history)
    assert again[3] != in_order[4]
    assert len({hash(snapshot) for snapshot in in_order}) > len(trace) // 2
    with pytest.raises(IndexError):
        trace[len(trace) + 1]


@pytest.mark.parametrize("make", [course, by_library_method])
def test_the_history_of_a_word(make: Any) -> None:
    trace = make()
    for word in ("▁This", "▁tokenization.", "▁Hopefully,"):
        changes = [(0, trace[0].splits([word])[word])]
        for step in range(1, len(trace) + 1):
            split = trace[step].splits([word])[word]
            if split != changes[-1][1]:
                changes.append((step, split))
        assert trace.history_of(word) == changes
    with pytest.raises(UnknownWordError, match="Q"):
        trace[0].splits(["▁Q"])


def test_the_first_step_can_change_a_word() -> None:
    """The only prunable piece is the word itself."""
    trace = train_unigram(Corpus.from_counts({"ab": 5}), vocab_size=2)
    assert trace.history_of("ab") == [(0, ("ab",)), (1, ("a", "b"))]
    assert trace.history_of("") == [(0, ())]


def test_the_lattice_of_any_word() -> None:
    trace = course()
    lattice = trace[5].lattice("▁thisQ")
    assert [edge.piece for edge in lattice.edges if edge.unknown] == ["Q"]
    best = trace[5].lattice("▁tokens.").best()
    assert best is not None and best.pieces == trace[5].splits(["▁tokens."])["▁tokens."]
    assert trace[5].unknown == min(trace[5].pieces.values()) - 10


def test_special_tokens_come_first_and_count() -> None:
    trace = train_unigram(Corpus.from_counts(HUG), vocab_size=12, exact=True, special_tokens=("<s>", "<pad>"))
    assert trace[-1].vocab[:2] == ("<s>", "<pad>")
    assert trace[-1].vocab_size == len(trace[-1].vocab) == 12
    assert len(trace[-1].pieces) == 10
    assert list(trace.tokenizer().vocab)[:2] == ["<s>", "<pad>"]
    assert trace.tokenizer().vocab["<unk>"] == 12


def test_stop_reasons() -> None:
    corpus = Corpus.from_counts(HUG)
    assert train_unigram(corpus, vocab_size=9).stop_reason == "vocab_size"
    assert len(train_unigram(corpus, vocab_size=None)[-1].pieces) == 7
    small = train_unigram(corpus, vocab_size=100)
    assert (small.stop_reason, len(small)) == ("seed_size", 0)
    assert str(small.shortfall) == (
        "vocab_size=100 can't be reached: the text has pieces for 19 tokens only; choose at most 19, or add text."
    )
    assert small[0].candidates() == []
    assert train_unigram(corpus, vocab_size=9, progress=lambda done, total: False).stop_reason == "stopped"
    reports: list[tuple[int, int | None]] = []

    def report(done: int, total: int | None) -> bool:
        reports.append((done, total))
        return len(reports) < 4

    stopped = train_unigram(course().corpus, vocab_size=100, progress=report)
    assert stopped.stop_reason == "stopped"
    assert 0 < len(stopped) < len(course())
    assert reports[-1][0] == len(stopped.seed) - len(stopped[-1].pieces)
    assert {total for _, total in reports} == {200}
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)
    for snapshot in stopped:
        assert snapshot.event == course()[snapshot.step].event
        assert snapshot.loss == course()[snapshot.step].loss
        assert dict(snapshot.pieces) == dict(course()[snapshot.step].pieces)
        assert snapshot.candidates() == course()[snapshot.step].candidates()


def test_the_warning_names_the_line_that_trains() -> None:
    """By itself, as `tests/mutants.py` leaves it out."""
    with pytest.warns(UnreachedSizeWarning) as warned:
        train_unigram(Corpus.from_counts({"hug": 2, "pug": 1}), vocab_size=1_000)
    assert warned[0].filename == __file__


@pytest.mark.parametrize("method", ["course", "sentencepiece"])
def test_the_seed_grows_with_the_size_and_unreached_sizes_warn(method: str) -> None:
    """Oracle: the text itself, with more different substrings than the requested size."""
    corpus = Corpus.from_texts([library_text(20_000)], pre_tokenizer="whitespace_split_metaspace")
    wanted = 400
    trace = train_unigram(corpus, vocab_size=wanted, method=method, exact=method == "course")
    assert (len(trace[-1].pieces), trace.stop_reason, trace.shortfall) == (wanted, "vocab_size", None)
    with pytest.warns(
        UnreachedSizeWarning, match="vocab_size=100000 can't be reached: .* add text"
    ) as warned:
        short = train_unigram(corpus, vocab_size=100_000, method=method)
    assert short.shortfall is not None and str(short.shortfall) == str(warned[0].message)
    # The remedy works: the largest size, as named, can be reached, and one more can't.
    reached = short.shortfall.reached
    assert train_unigram(corpus, vocab_size=reached, method=method).shortfall is None
    assert train_unigram(corpus, vocab_size=reached + 1, method=method).shortfall is not None
    cut = train_unigram(corpus, 300, 400, method).shortfall
    assert cut is not None and cut.why == "seed_cut" and "or a larger seed_size" in str(cut)


def test_the_course_and_the_page_start_as_before() -> None:
    assert [grown_seed(SEED_SIZES["course"], size) for size in (None, 1, 100, 101)] == [300, 300, 300, 303]
    assert grown_seed(1000, 300) == 1000


@pytest.mark.parametrize("method", ["course", "sentencepiece"])
def test_errors(method: str) -> None:
    corpus = Corpus.from_counts(HUG)
    with pytest.raises(VocabSizeError, match="at least 7"):
        train_unigram(corpus, vocab_size=6, method=method)
    with pytest.raises(VocabSizeError, match="at least 8"):
        train_unigram(corpus, vocab_size=7, method=method, special_tokens=("<s>",))
    for share in (0, 1, -0.5, math.nan):
        with pytest.raises(SettingError, match="pruned_share"):
            train_unigram(corpus, method=method, pruned_share=share)
    with pytest.raises(SettingError, match="max_piece_length"):
        train_unigram(corpus, method=method, max_piece_length=0)
    with pytest.raises(SettingError, match="steps=-1 can't be used: choose at least 0"):
        train_unigram(corpus, method=method, steps=-1)
    with pytest.raises(SettingError, match="seed_size"):
        train_unigram(corpus, 6, method=method)
    with pytest.raises(SettingError, match="special_tokens"):
        train_unigram(corpus, method=method, special_tokens=("",))
    with pytest.raises(UnknownNameError, match="method"):
        train_unigram(corpus, method="em")


# --- SentencePiece's method ---------------------------------------------------------------------------------


def test_digamma() -> None:
    """Against its known values and its recurrence."""
    assert digamma(1) == pytest.approx(-0.57721566490153286, abs=1e-14)
    for ours in (digamma, segmentation.digamma):
        assert ours(0.5) == pytest.approx(-0.57721566490153286 - 2 * math.log(2), abs=1e-9)
        assert ours(1000.5) == pytest.approx(ours(1001.5) - 1 / 1000.5, abs=1e-12)
    for x in (0.5, 0.7, 3.0, 6.99, 7.0, 12.3, 1e6):
        assert segmentation.digamma(x) == pytest.approx(digamma(x), abs=1e-9)


def assert_em(trace: UnigramTrace, vocab_size: int) -> None:
    """Every step against the plain step from the same state; where losses are equal either piece may go."""
    frequencies = dict(trace.corpus.items())
    desired = int(1.1 * vocab_size)
    assert trace[0].event.kind == "start"
    assert list(trace[0].pieces.items()) == list(log_shares(dict(trace.seed)).items())
    step, kinds = 1, trace.record.kinds
    number = 1
    while kinds[step] != "finalize":
        for iteration in (1, 2):
            before = dict(trace[step - 1].pieces)
            plain = plain_e_step(frequencies, before)
            e_step = cast(ExpectationEvent, trace[step].event)
            assert (e_step.kind, e_step.round, e_step.iteration) == ("e_step", number, iteration)
            assert dict(trace[step].pieces) == before
            assert {row.piece: row.freq for row in e_step.expected} == pytest.approx(
                plain.expected, rel=1e-9, abs=1e-12
            )
            assert [row.piece for row in e_step.expected] == list(before)
            assert math.isclose(e_step.objective, plain.objective, rel_tol=1e-9, abs_tol=1e-12)
            m_step = cast(MaximizationEvent, trace[step + 1].event)
            assert (m_step.kind, m_step.round, m_step.iteration) == ("m_step", number, iteration)
            counts = {row.piece: row.freq for row in e_step.expected}
            model = plain_m_step(counts)
            assert list(trace[step + 1].pieces) == list(model)
            assert dict(trace[step + 1].pieces) == pytest.approx(model, rel=1e-9)
            assert list(m_step.dropped) == [piece for piece in counts if counts[piece] < LEAST_EXPECTED]
            for row in m_step.expected:
                assert (row.freq, row.after is None) == (counts[row.piece], row.piece in m_step.dropped)
                assert math.isclose(row.before, math.exp(before[row.piece]))
                assert row.after is None or math.isclose(row.after, math.exp(model[row.piece]))
            step += 2
        if len(trace[step - 1].pieces) <= desired:
            continue
        assert kinds[step] == "prune"
        before = dict(trace[step - 1].pieces)
        left, losses = plain_prune(frequencies, before, desired)
        ranking = trace.ranking(number)
        scale = sum(frequencies.values())
        assert {row.piece: row.loss / scale for row in ranking if row.piece in losses} == pytest.approx(
            losses, rel=1e-9, abs=1e-12
        )
        assert {row.loss for row in ranking if row.piece not in losses} <= {0.0}
        gone = pruned(trace, number)
        step += len(gone)
        after = dict(trace[step - 1].pieces)
        assert after == {piece: before[piece] for piece in before if piece not in gone}
        assert len(after) == len(left)
        cut = min((losses[piece] for piece in left if piece in losses), default=math.inf)
        for piece in after.keys() ^ left.keys():
            assert math.isclose(losses[piece], cut, rel_tol=1e-9, abs_tol=1e-12)
        number += 1
    event = cast(FinalEvent, trace[step].event)
    before, after = dict(trace[step - 1].pieces), dict(trace[step].pieces)
    final = plain_finalize(frequencies, before, vocab_size)
    assert list(after.values()) == pytest.approx(list(final.values()), rel=1e-9)
    different = [before[piece] for piece in after.keys() ^ final.keys()]
    assert not different or math.isclose(min(different), max(different), rel_tol=1e-9)
    assert set(event.restored) == after.keys() - before.keys()
    assert set(event.dropped) == before.keys() - after.keys()
    assert event.corpus_loss == trace[step].loss
    assert math.isclose(event.corpus_loss, plain_loss(frequencies, without_log(after)), rel_tol=1e-9)
    assert step == len(trace)
    enough = len(trace.seed) > trace.settings["vocab_size"]
    reached = len(after) == trace.settings["vocab_size"]
    assert trace.stop_reason == (("vocab_size" if reached else "dropped") if enough else "seed_size")
    assert (trace.shortfall is None) == reached


def assert_losses(trace: UnigramTrace) -> None:
    """After every step, E and M steps included: splits and loss with the pieces left, unknown characters
    allowed."""
    frequencies = dict(trace.corpus.items())
    before: dict[str, tuple[str, ...]] = {}
    for snapshot in trace:
        loss, splits = 0.0, {}
        costs_now = without_log(snapshot.pieces)
        for word, freq in frequencies.items():
            pieces, cost = plain_viterbi(word, dict.fromkeys(word, -snapshot.unknown) | costs_now)
            splits[word] = tuple(pieces)
            loss += freq * cost
        assert snapshot.splits() == splits
        assert math.isclose(snapshot.loss, loss, rel_tol=1e-9, abs_tol=1e-9)
        assert snapshot.vocab_size == len(snapshot.pieces)
        if isinstance(snapshot.event, PruneEvent):
            assert snapshot.event.corpus_loss == snapshot.loss
            if not snapshot.event.ends_round:
                assert list(snapshot.event.words) == [word for word in splits if splits[word] != before[word]]
                for change in snapshot.event.resplits:
                    assert (change.before, change.after) == (before[change.word], splits[change.word])
        before = splits


def test_splits_and_losses_after_every_step() -> None:
    assert_losses(by_library_method())


@examples(30)
@given(st.dictionaries(words, st.integers(2, 6), min_size=2, max_size=6))
@example({"babb": 2, "aaa": 2, "ab": 1})
def test_splits_and_losses_on_generated_corpora(frequencies: dict[str, int]) -> None:
    vocab_size = len(set("".join(frequencies)))
    try:
        plain_em(frequencies, log_shares(plain_em_seed(frequencies)), vocab_size)
    except ValueError:
        assume(False)
    assert_losses(
        train_unigram(Corpus.from_counts(frequencies), vocab_size=vocab_size, method="sentencepiece")
    )


@examples(60)
@given(corpora, st.randoms(use_true_random=False))
def test_a_word_is_split_alike_where_its_edges_are_and_when_they_are_cut_out(
    frequencies: dict[str, int], random: Random
) -> None:
    """With pieces dropped before and after the lattices took note of it, as in a round of pruning."""
    corpus = Corpus.from_counts(frequencies)
    numbers = {piece: number for number, piece in enumerate(count_substrings(corpus))}
    scores = [-random.randint(1, 4) * 0.7 for _ in numbers]
    lattices = segmentation.Lattices(corpus, numbers)
    for _ in range(2):
        for piece, number in numbers.items():
            if len(piece) > 1 and random.random() < 0.3:
                scores[number] = -math.inf
        for word in range(len(corpus)):
            walked = lattices.best_split_of(word, scores)
            assert walked == best_split(lattices.edges_of(word), scores)
            assert walked == lattices.best_split_of(word, scores)  # from the edges now cached
        assert lattices.best_splits(scores) == [
            lattices.best_split_of(word, scores) for word in range(len(corpus))
        ]
        lattices.drop(scores)


def test_expectation_and_pruning_equal_the_plain_version() -> None:
    trace = by_library_method()
    assert len(trace.record.rounds) >= 2
    assert_em(trace, 31)
    text = Corpus.from_texts([library_text(4_000)], pre_tokenizer="whitespace_split_metaspace")
    size = len(set("".join(text.words)))
    trace = train_unigram(text, vocab_size=size + 50, method="sentencepiece")
    assert {"e_step", "m_step", "prune", "finalize"} < set(trace.record.kinds)
    assert_em(trace, size + 50)


@examples(60)
@given(corpora, st.integers(0, 12))
def test_expectation_and_pruning_on_generated_corpora(frequencies: dict[str, int], room: int) -> None:
    vocab_size = len(set("".join(frequencies))) + room
    seed = plain_em_seed(frequencies)
    try:
        plain_em(frequencies, log_shares(seed), vocab_size)
    except ValueError:  # a corpus so small that no piece is left: see the next test
        assume(False)
    trace = train_unigram(Corpus.from_counts(frequencies), vocab_size=vocab_size, method="sentencepiece")
    assert trace.seed == tuple(seed.items())
    assert_em(trace, vocab_size)


@pytest.mark.parametrize("text", ["aaaaaaaa", "aaaaaaaaaaaaaaaa"])
def test_a_corpus_in_which_no_piece_is_expected_half_a_time(text: str) -> None:
    """Nothing would be left of the model: an error about it, or a model all the same."""
    frequencies = {text: 1}
    with pytest.raises(ValueError, match="half a time"):
        plain_em(frequencies, log_shares(plain_em_seed(frequencies)), 3)
    with suppress(TokenizersCoreError):
        trace = train_unigram(Corpus.from_counts(frequencies), vocab_size=3, method="sentencepiece")
        assert trace.tokenizer().decode(trace.tokenizer().ids(text)).replace(" ", "") == text


@pytest.mark.parametrize("vocab_size", [8, 10, 12, 15])
def test_whole_runs_equal_the_plain_version(vocab_size: int) -> None:
    trace = train_unigram(Corpus.from_counts(HUG), vocab_size=vocab_size, method="sentencepiece")
    rounds, final = plain_em(HUG, log_shares(plain_em_seed(HUG)), vocab_size)
    assert len(trace.record.rounds) == len(rounds) - 1
    assert dict(trace[-1].pieces) == pytest.approx(final, rel=1e-9)
    assert len(final) <= vocab_size


def test_equally_probable_pieces_end_in_the_order_of_their_letters() -> None:
    trace = train_unigram(Corpus.from_counts({"cd": 3, "ab": 3}), vocab_size=6, method="sentencepiece")
    assert trace[0].pieces["cd"] == trace[0].pieces["ab"] and trace[-1].pieces["cd"] == trace[-1].pieces["ab"]
    assert [piece for piece in trace[-1].pieces if len(piece) == 2] == ["ab", "cd"]


def test_expected_counts_of_words_too_improbable_for_floats() -> None:
    """A stream of 1,500 characters: its probability is too small for a float, so logarithms take over."""
    stream = " ".join(["the cat sat on the mat and that was that"] * 40)
    corpus = Corpus.from_texts([stream, "a cat", stream], pre_tokenizer="none")
    trace = train_unigram(corpus, 60, vocab_size=20, method="sentencepiece", max_piece_length=4)
    assert sum(trace.record.objectives.values()) > 250 * math.log(10)
    event = cast(ExpectationEvent, trace[1].event)
    plain = plain_e_step(dict(corpus.items()), {p: log for p, log in trace[0].pieces.items() if len(p) <= 4})
    assert {row.piece: row.freq for row in event.expected} == pytest.approx(plain.expected, rel=1e-8)
    assert math.isclose(event.objective, plain.objective, rel_tol=1e-9)


def library_pieces(lines: Iterable[str], vocab_size: int, **settings: Any) -> dict[str, float]:
    """The library's result on these lines: at most `vocab_size` pieces beside `<unk>`, with their scores."""
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=file,
        model_type="unigram",
        vocab_size=vocab_size + 1,
        character_coverage=1.0,
        normalization_rule_name="identity",
        hard_vocab_limit=False,
        bos_id=-1,
        eos_id=-1,
        num_threads=1,
        minloglevel=2,
        **settings,
    )
    model = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
    return {model.id_to_piece(number): model.get_score(number) for number in range(1, model.get_piece_size())}


def assert_same_pieces(ours: Mapping[str, float], theirs: Mapping[str, float]) -> None:
    """Equal up to float32, and up to pieces as good as the best omitted one."""
    common = ours.keys() & theirs.keys()
    assert {piece: ours[piece] for piece in common} == pytest.approx(
        {piece: theirs[piece] for piece in common}, abs=1e-3
    )
    assert len(ours) == len(theirs)
    different = [{**ours, **theirs}[piece] for piece in ours.keys() ^ theirs.keys()]
    assert not different or max(different) - min(different) < 1e-3
    assert len(different) < len(ours) / 10


@pytest.mark.parametrize("vocab_size", [300, 150])
def test_the_library_vouches_for_the_plain_version_and_the_seed(vocab_size: int) -> None:
    """The library beside `plain_em` with the library's own two ways, started from the engine's seed, on the
    same text."""
    lines = library_text(9_000).splitlines()
    corpus = Corpus.from_texts(lines, pre_tokenizer="whitespace_split_metaspace")
    trace = train_unigram(corpus, vocab_size=vocab_size, method="sentencepiece")
    theirs = library_pieces(lines, vocab_size)
    seed = log_shares(dict(trace.seed))
    desired = int(1.1 * (vocab_size + 1))  # the library counts <unk> too
    _, ours = plain_em(dict(corpus.items()), seed, vocab_size, desired, as_library=True)
    assert_same_pieces(ours, theirs)


# --- Encoding -----------------------------------------------------------------------------------------------


SENTENCES = ["the cat sat on the mat", "a hat for the cat", "日本語の茶屋", "naïve café"]


@cache
def on_streams() -> UnigramTrace:
    """Trained on lines without a cut into words, as SentencePiece does for Chinese and Japanese."""
    corpus = Corpus.from_texts(SENTENCES, pre_tokenizer="none")
    return train_unigram(corpus, 200, vocab_size=80)


texts = st.text("the cat日本語ïé☕🍵▁\x00\u0301", max_size=30) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=30
)


def test_unknown_characters_in_a_row_are_one_token() -> None:
    tokenizer = on_streams().tokenizer()
    encoding = tokenizer.encode("the ☕☕ cat🍵")
    assert Counter(encoding.tokens)["<unk>"] == 2
    unknown = [index for index, token in enumerate(encoding.tokens) if token == "<unk>"]
    assert [encoding.offsets[index] for index in unknown] == [(4, 6), (10, 11)]
    assert tokenizer.decode(encoding.ids) == "the <unk> cat<unk>"
    assert tokenizer.decode(encoding.ids, skip_special_tokens=True) == "the  cat"
    assert tokenizer.vocab["<unk>"] == len(on_streams()[-1].pieces)


def test_unknown_characters_as_bytes() -> None:
    tokenizer = on_streams().tokenizer(byte_fallback=True)
    encoding = tokenizer.encode("a☕🍵é")
    position = encoding.tokens.index("<0xE2>")
    assert encoding.tokens[position : position + 3] == ["<0xE2>", "<0x98>", "<0x95>"]
    assert encoding.offsets[position : position + 7] == [(1, 2)] * 3 + [(2, 3)] * 4
    assert len(tokenizer.vocab) == len(on_streams()[-1].pieces) + 1 + 256
    assert tokenizer.decode(encoding.ids[: position + 2]) == "a\ufffd"
    assert [tokenizer.vocab[byte_token(byte)] for byte in (0, 255)] == [
        len(tokenizer.vocab) - 256,
        len(tokenizer.vocab) - 1,
    ]


def test_text_that_looks_like_a_byte_token_is_text() -> None:
    """A piece of that name was learned; with byte fallback the name is the byte's, and the text is
    spelled."""
    corpus = Corpus.from_texts(["<0xE2>"] * 9 + ["<unk>"] * 9, pre_tokenizer="none")
    trace = train_unigram(corpus, vocab_size=16)
    assert "<0xE2>" in trace[-1].pieces
    tokenizer = trace.tokenizer(byte_fallback=True)
    assert tokenizer.decode(tokenizer.ids("<0xE2>☕<0xE2>")) == "<0xE2>☕<0xE2>"
    assert trace.tokenizer().encode("<0xE2>").tokens == ["<0xE2>"]


@examples(300)
@given(texts)
@example("the cat")
@example("<0xE2> is no byte")
@example("  two  spaces ")
def test_with_byte_fallback_decoding_gives_the_text_back(text: str) -> None:
    """All but the mark ▁ itself (it is read as a space)."""
    assume("<unk>" not in text)
    tokenizer = on_streams().tokenizer(byte_fallback=True)
    encoding = tokenizer.encode(text)
    assert tokenizer.decode(encoding.ids) == text.replace("▁", " ")
    assert "<unk>" not in encoding.tokens
    covered = {index for start, end in encoding.offsets for index in range(start, end)}
    assert covered == set(range(len(text)))
    assert list(tokenizer.encode_iterable([text])) == encoding.ids


@examples(300)
@given(texts, st.booleans())
def test_encoding_equals_the_tokenizers_library(text: str, byte_fallback: bool) -> None:
    tokenizer = on_streams().tokenizer(byte_fallback=byte_fallback)
    pieces = on_streams()[-1].pieces
    assume("<unk>" not in text and "<0x" not in text)
    judge = tokenizers.Tokenizer(
        models.Unigram(
            [(token, pieces.get(token, 0.0)) for token in tokenizer.tokens],
            unk_id=tokenizer.vocab["<unk>"],
            byte_fallback=byte_fallback,
        )
    )
    assert tokenizer.ids(text) == judge.encode(text.replace(" ", "▁")).ids


@pytest.mark.parametrize("step", [0, 50, -1])
def test_every_step_s_tokenizer_splits_as_its_snapshot(step: int) -> None:
    trace = course()
    tokenizer = trace.tokenizer(step)
    assert list(tokenizer.tokens) == [*trace[step].vocab, "<unk>"]
    for word, split in trace[step].splits().items():
        assert [tokenizer.tokens[identifier] for identifier in tokenizer.model.encode_word(word)] == list(
            split
        )


def test_explaining_a_word() -> None:
    trace = course()
    tokenizer = trace.tokenizer()
    for word in ("▁Hopefully,", "▁tokenization.", "▁QQ"):
        story = tokenizer.explain(word)
        assert story.stop_reason == "found"
        assert story[0].lattice.edges == trace[-1].lattice(word).edges
        path = [edge.piece for edge in story[-1].path]
        if "Q" not in word:
            assert path == [tokenizer.tokens[identifier] for identifier in tokenizer.model.encode_word(word)]
        else:
            assert [edge.unknown for edge in story[-1].path] == [False, True, True]
    long = tokenizer.explain("▁" + "the" * 30)
    assert long.stop_reason == "cut"
    assert long[0].lattice.text == ("▁" + "the" * 30)[:EXPLAINED_CHARACTERS]


@pytest.mark.parametrize("byte_fallback", [False, True])
def test_pieces_that_look_like_tokens_set_apart_are_not_used(byte_fallback: bool) -> None:
    """A text may hold `<unk>` and `<0x41>` as they stand: the walk agrees with the encoding, and nothing is
    lost."""
    text = "the <0x41> and <0x41> or <0x41> x<unk> y<unk> z<unk>"
    corpus = Corpus.from_texts([text], pre_tokenizer="whitespace_split_metaspace")
    trace = train_unigram(corpus, 1000, 1000)  # the seed as it is: all substrings
    assert {"<0x41>", "<unk>"} <= set(trace[-1].pieces)
    tokenizer = trace.tokenizer(byte_fallback=byte_fallback)
    for word in ("▁the<0x41>", "▁x<unk>", "▁<0x41>"):
        walked = tuple(edge.piece for edge in tokenizer.explain(word)[-1].path)
        assert walked == tuple(tokenizer.tokens[number] for number in tokenizer.model.encode_word(word))
        assert "".join(walked) == word


@pytest.mark.parametrize("trace", [course(), by_library_method()], ids=METHODS)
def test_token_totals_are_those_of_the_splits(trace: UnigramTrace) -> None:
    check_totals(trace)


@examples(60)
@given(corpora, st.sampled_from(METHODS), st.integers(0, 3))
def test_token_totals_of_any_run(freqs: Mapping[str, int], method: str, more: int) -> None:
    characters = len(set().union(*freqs))
    check_totals(train_unigram(Corpus.from_counts(freqs), 60, characters + more, method))


def check_totals(trace: UnigramTrace) -> None:
    """Oracle: every word split anew at every step."""
    assert len(trace.token_totals) == len(trace.changed_splits) == len(trace) + 1
    before: dict[str, tuple[str, ...]] = dict.fromkeys(trace.corpus.words, ())
    for step, changed in enumerate(trace.changed_splits):
        now = trace.splits(step)
        assert trace.token_totals[step] == sum(
            freq * len(now[word]) for word, freq in trace.word_frequencies.items()
        )
        messages = {
            trace.corpus.words[position]: tuple(trace.seed[number][0] for number in pieces)
            for position, pieces in changed.items()
        }
        assert messages == {word: split for word, split in now.items() if split != before[word]}
        before = now


@pytest.mark.parametrize("make", [course, by_library_method])
def test_the_likeliest_longer_pieces_of_every_step(make: Any) -> None:
    """Oracle: all pieces of the step, sorted; equal ones stay in the model's order."""
    trace = make()
    for snapshot in trace:
        longer = [piece for piece in snapshot.pieces if len(piece) > 1]
        expected = sorted(longer, key=lambda piece: -snapshot.pieces[piece])
        for number in (0, 1, 24, 10_000):
            assert trace.likeliest_at(snapshot.step, number) == expected[:number]


def test_a_size_below_alphabet_and_special_tokens_names_both() -> None:
    corpus = Corpus.from_counts({"hug": 2})
    for special, what in (([], "alphabet's 3"), (["<s>"], "starting vocabulary's 4")):
        with pytest.raises(VocabSizeError, match=f"vocab_size=2 is below the {what} symbols"):
            train_unigram(corpus, vocab_size=2, special_tokens=special)
