"""The lattice: best path, totals, posteriors, k best, forced edges, samples, the trace of Viterbi's search.

Sources and oracles: every segmentation enumerated one by one (`oracle_unigram.all_paths`); the Hugging Face
course's walk-throughs recomputed (`golden/unigram_*.json`); the cases of SentencePiece's own lattice tests;
and, on real text with the same scores, the `sentencepiece` library (float32) and `tokenizers.models.Unigram`
(float64).
"""

from __future__ import annotations

import io
import itertools
import json
import math
import pickle
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path as FilePath
from typing import Any, NamedTuple, cast

import pytest
import sentencepiece
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models

from benchmarks.text import library_text
from tests.core.oracle_unigram import PlainPath, all_paths, plain_posteriors, spans
from tests.samples import examples
from tokenizers_core.encoding.models.lattice import (
    MAX_PIECE_LENGTH,
    UNKNOWN_PENALTY,
    BackwardEvent,
    Edge,
    ForwardEvent,
    Lattice,
    Path,
    log_sum,
)
from tokenizers_core.errors import SettingError
from tokenizers_core.text.corpus import Corpus

GOLDEN = FilePath(__file__).parents[1] / "golden"
CORPORA = FilePath(__file__).parents[2] / "assets" / "corpora"


def golden(name: str) -> dict[str, Any]:
    return cast(dict[str, Any], json.loads((GOLDEN / f"unigram_{name}.json").read_text(encoding="utf-8")))


def shares(figures: Iterable[tuple[str, int]]) -> dict[str, float]:
    """The log probabilities of pieces with these counts."""
    counts = dict(figures)
    total = sum(counts.values())
    return {piece: math.log(count / total) for piece, count in counts.items()}


# --- Against every segmentation, one by one -----------------------------------------------------------------


class Case(NamedTuple):
    """The ingredients of a lattice."""

    word: str
    pieces: dict[str, float]
    unknown: float | None

    @property
    def lattice(self) -> Lattice:
        return Lattice.build(self.word, self.pieces, self.unknown)

    @property
    def paths(self) -> list[PlainPath]:
        """All segmentations, best first; of equally good ones the one with the longer last piece."""
        return sorted(all_paths(*self), key=lambda path: (-path[1], [-len(piece) for piece in path[0][::-1]]))


eighths = st.integers(-24, -1).map(lambda eighths: eighths / 8)
"""Log probabilities with exact, often equal sums."""
numbers = st.floats(-30, -0.001)


@st.composite
def cases(draw: st.DrawFn, log_probabilities: st.SearchStrategy[float] = eighths | numbers) -> Case:
    """A word over few letters, and some of its substrings as pieces; where characters are missing, maybe no
    path."""
    word = draw(st.text("abü", max_size=8) | st.text("a", max_size=9))
    substrings = sorted({word[start:end] for start, end in itertools.combinations(range(len(word) + 1), 2)})
    chosen = draw(st.lists(st.sampled_from(substrings), unique=True)) if substrings else []
    if draw(st.booleans()):
        chosen = list(dict.fromkeys([*chosen, *word]))
    pieces = {piece: draw(log_probabilities) for piece in chosen}
    return Case(word, pieces, draw(st.none() | log_probabilities))


@examples(300)
@given(cases())
def test_count_total_and_posteriors_equal_enumeration(case: Case) -> None:
    lattice, paths = case.lattice, case.paths
    assert lattice.path_count == len(paths)
    total = math.fsum(math.exp(log_probability) for _, log_probability in paths)
    assert math.isclose(math.exp(lattice.log_total), total, rel_tol=1e-12)
    wanted = plain_posteriors(*case)
    posteriors = lattice.posteriors()
    assert len(posteriors) == len(lattice.edges)
    for edge, posterior in zip(lattice.edges, posteriors, strict=True):
        share = wanted.pop((edge.start, edge.end), 0.0)
        assert math.isclose(posterior, share, rel_tol=1e-9, abs_tol=1e-300)
    assert not wanted
    if paths:
        for index in range(len(case.word)):
            over = [
                share
                for edge, share in zip(lattice.edges, posteriors, strict=True)
                if edge.start <= index < edge.end
            ]
            assert math.isclose(math.fsum(over), 1.0, rel_tol=1e-9)  # fmt: skip


@examples(300)
@given(cases(), st.integers(1, 12))
def test_best_and_k_best_equal_enumeration(case: Case, k: int) -> None:
    lattice, paths = case.lattice, case.paths
    best, result = lattice.best(), lattice.k_best(k)
    assert (best is None) == (not paths)
    assert len(result) == min(k, len(paths))
    assert len({path.pieces for path in result}) == len(result)
    every = dict(paths)
    for path, (_, log_probability) in zip(result, paths, strict=False):
        assert path.log_probability == log_probability == every[path.pieces] == Path.of(path.edges)[1]
        assert [edge[:2] for edge in path.edges] == spans(path.pieces)
    if best is not None:
        assert best.log_probability == max(every.values()) == every[best.pieces]
        assert math.isclose(best.probability, math.exp(best.log_probability))


@examples(300)
@given(cases(eighths))
def test_of_equally_good_paths_the_longer_last_edge_comes_first(case: Case) -> None:
    lattice, wanted = case.lattice, [path[0] for path in case.paths]
    assert [path.pieces for path in lattice.k_best(len(wanted) + 1)] == wanted
    best = lattice.best()
    assert (best.pieces if best else None) == (wanted[0] if wanted else None)


@examples(200)
@given(cases())
def test_a_forced_edge_gives_the_best_path_that_has_it(case: Case) -> None:
    lattice, paths = case.lattice, case.paths
    for edge in lattice.edges:
        through = [
            log_probability for pieces, log_probability in paths if (edge.start, edge.end) in spans(pieces)
        ]
        result = lattice.best_through(edge)
        assert (result is None) == (not through)
        if result is not None:
            assert edge in result.edges
            assert "".join(result.pieces) == case.word
            assert math.isclose(result.log_probability, max(through), rel_tol=1e-12)


@examples(200)
@given(cases())
def test_the_search_shows_every_way_and_walks_back(case: Case) -> None:
    lattice, trace = case.lattice, case.lattice.viterbi()
    best, word = lattice.best(), case.word
    prefixes = {
        end: max((log for _, log in all_paths(word[:end], case.pieces, case.unknown)), default=-math.inf)
        for end in range(len(word) + 1)
    }
    assert trace[0].event.kind == "lattice"
    assert trace.stop_reason == ("no_path" if best is None else "found")
    assert len(trace) == len(word) + (len(best.edges) if best else 0)
    for position in range(1, len(word) + 1):
        event = cast(ForwardEvent, trace[position].event)
        assert (event.kind, event.position, trace[position].step) == ("forward", position, position)
        ways = [edge for edge in lattice.edges if edge.end == position and prefixes[edge.start] > -math.inf]
        assert [arrival.edge for arrival in event.arrivals] == ways
        assert [edge.start for edge in ways] == sorted(edge.start for edge in ways)
        for arrival in event.arrivals:
            assert arrival.before == prefixes[arrival.edge.start]
            assert arrival.log_probability == arrival.before + arrival.edge.log_probability
        logs = [arrival.log_probability for arrival in event.arrivals]
        if event.winner is None:
            assert not logs and not event.tied
        else:
            assert event.winner == event.arrivals[logs.index(max(logs))]
            assert event.winner.log_probability == prefixes[position]
            near = [math.isclose(log, max(logs), rel_tol=1e-12) for log in logs]
            assert list(event.tied) == list(itertools.compress(event.arrivals, near))
        assert trace[position].best == (*trace[position - 1].best, event.winner)
        assert trace[position].path == ()
    walked = [cast(BackwardEvent, snapshot.event).edge for snapshot in list(trace)[len(word) + 1 :]]
    if best is not None:
        assert tuple(walked[::-1]) == best.edges == trace[-1].path
        for snapshot in list(trace)[len(word) + 1 :]:
            assert snapshot.event.kind == "backward"
            assert snapshot.path == best.edges[len(best.edges) + len(word) - snapshot.step :]
            assert snapshot.best == tuple(lattice.winners)
    again = pickle.loads(pickle.dumps(trace))
    assert [snapshot.event for snapshot in again] == [snapshot.event for snapshot in trace]


# --- Samples ------------------------------------------------------------------------------------------------


@examples(12)
@given(cases(st.floats(-3, -0.1)), st.sampled_from([0.5, 1.0, 3.0]), st.integers(0, 5))
def test_samples_come_as_often_as_they_are_probable(case: Case, temperature: float, seed: int) -> None:
    """Within six standard deviations of a binomial, and one more for rare paths."""
    lattice, number = case.lattice, 3000
    paths = {pieces: math.exp(log / temperature) for pieces, log in case.paths}
    drawn = lattice.samples(number, temperature, seed)
    assert len(drawn) == (number if paths else 0)
    results = Counter(path.pieces for path in drawn)
    assert results.keys() <= paths.keys()
    for pieces, weight in paths.items():
        share = weight / math.fsum(paths.values())
        assert abs(results[pieces] - number * share) <= 6 * math.sqrt(number * share * (1 - share)) + 1
    assert lattice.samples(20, temperature, seed) == drawn[:20]


def test_samples_by_seed_and_temperature() -> None:
    lattice = Lattice.build("hugs", shares(golden("hug")["freqs_in_order"]))
    assert lattice.samples(20, seed=1) == lattice.samples(20, seed=1) != lattice.samples(20, seed=2)
    assert lattice.samples(0) == []
    single = Lattice.build("hug", shares(golden("hug")["freqs_in_order"]))
    assert set(single.samples(100, temperature=0.01)) == {single.best()}
    at_random = Counter(path.pieces for path in lattice.samples(6000, temperature=1e9))
    assert len(at_random) == lattice.path_count == 7
    for count in at_random.values():
        assert abs(count - 6000 / 7) < 6 * math.sqrt(6000 / 7 * 6 / 7)


@pytest.mark.parametrize("temperature", [0, -1.0, math.nan, math.inf, -math.inf])
def test_temperature_is_above_zero(temperature: float) -> None:
    with pytest.raises(SettingError, match="temperature"):
        Lattice.build("a", {"a": -1.0}).samples(1, temperature)


@pytest.mark.parametrize("k", [0, -1])
def test_k_is_at_least_one(k: int) -> None:
    with pytest.raises(SettingError, match="k="):
        Lattice.build("a", {"a": -1.0}).k_best(k)


# --- Small lattices by hand ---------------------------------------------------------------------------------


def test_one_piece_more_at_a_time() -> None:
    """SentencePiece's ViterbiTest and ViterbiFromIncompleteLatticeTest."""
    pieces: dict[str, float] = {}
    inserted = [("A", 0.0, None), ("B", 0.0, None), ("C", 0.0, "A B C"), ("AB", 2.0, "AB C")]
    inserted += [("BC", 5.0, "A BC"), ("ABC", 10.0, "ABC")]
    for piece, score, wanted in inserted:
        pieces[piece] = score
        best = Lattice.build("ABC", pieces).best()
        assert (best and " ".join(best.pieces)) == wanted
    result = Lattice.build("ABC", pieces).k_best(10)
    assert [" ".join(path.pieces) for path in result] == ["ABC", "A BC", "AB C", "A B C"]


def test_posteriors_by_hand() -> None:
    """SentencePiece's PopulateMarginalTest."""
    scores = {"A": 1.0, "B": 1.2, "C": 2.5, "AB": 3.0, "BC": 4.0, "ABC": 2.0}
    lattice = Lattice.build("ABC", scores)
    each, front, back, whole = (math.exp(log) for log in (1.0 + 1.2 + 2.5, 3.0 + 2.5, 1.0 + 4.0, 2.0))
    total = each + front + back + whole
    wanted = {"A": each + back, "B": each, "C": each + front, "AB": front, "BC": back, "ABC": whole}
    for edge, posterior in zip(lattice.edges, lattice.posteriors(), strict=True):
        assert math.isclose(posterior, wanted[edge.piece] / total)
    assert math.isclose(lattice.log_total, math.log(total))
    assert math.isclose(lattice.backward()[0], math.log(total))
    for temperature in (1.0, 1 / 0.7, 1 / 0.01):
        halves = [math.exp(log / temperature) for log in (4.7, 5.5, 5.0, 2.0)]
        assert math.isclose(lattice.forward(temperature)[-1], math.log(math.fsum(halves)))


def test_ways_are_tied_up_to_rounding() -> None:
    """-0.1 - 0.2 is not -0.3 in floats, and comes second; a millionth less in probability is no tie."""
    event = cast(ForwardEvent, Lattice.build("ab", {"a": -0.1, "b": -0.2, "ab": -0.3}).viterbi()[2].event)
    assert event.winner is not None and event.winner.edge.piece == "ab"
    assert event.arrivals[0].log_probability > event.arrivals[1].log_probability
    assert event.tied == event.arrivals
    event = cast(
        ForwardEvent, Lattice.build("ab", {"a": -0.1, "b": -0.2, "ab": -0.3000003}).viterbi()[2].event
    )
    assert event.winner is not None and event.winner.edge.piece == "b"
    assert event.tied == (event.winner,)


def test_the_empty_text_and_words_without_a_path() -> None:
    empty = Lattice.build("", {"a": -1.0})
    assert empty.best() == Path((), 0.0)
    assert (empty.path_count, empty.log_total, empty.posteriors()) == (1, 0.0, [])
    assert empty.k_best(3) == empty.samples(1) == [Path((), 0.0)]
    assert (len(empty.viterbi()), empty.viterbi().stop_reason) == (0, "found")
    stuck = Lattice.build("aba", {"a": -1.0, "ab": -1.0, "aa": -1.0, "bb": -1.0})
    assert [edge.piece for edge in stuck.edges] == ["a", "ab", "a"]
    stuck = Lattice.build("acba", {"a": -1.0, "b": -2.0, "ba": -2.0})
    assert stuck.best() is None
    assert (stuck.path_count, stuck.log_total, stuck.k_best(2), stuck.samples(5)) == (0, -math.inf, [], [])
    assert stuck.posteriors() == [0.0] * 4
    assert all(stuck.best_through(edge) is None for edge in stuck.edges)


def test_unknown_characters() -> None:
    lattice = Lattice.build("a☕b", {"a": -1.0, "☕b": -3.0}, unknown=-11.0)
    assert [(edge.piece, edge.unknown) for edge in lattice.edges] == [
        ("a", False),
        ("☕", True),
        ("☕b", False),
        ("b", True),
    ]
    best = lattice.best()
    assert best is not None and best.pieces == ("a", "☕b") and best.log_probability == -4.0
    assert lattice.k_best(2)[1].log_probability == -1.0 - 11.0 - 11.0


def test_longer_pieces_are_not_looked_up() -> None:
    pieces = {"a" * size: -1.0 for size in range(1, 21)}
    lattice = Lattice.build("a" * 20, pieces)
    assert max(edge.end - edge.start for edge in lattice.edges) == MAX_PIECE_LENGTH == 16
    whole = Lattice.build("a" * 20, pieces, max_length=20).best()
    assert whole is not None and whole.pieces == ("a" * 20,)


def test_long_texts_and_small_probabilities() -> None:
    """A path of 5,000 unlikely characters has a probability too small for a float."""
    lattice = Lattice.build("ab" * 2500, {"a": -40.0, "b": -40.0, "ab": -70.0})
    best = lattice.best()
    assert best is not None and best.log_probability == -70.0 * 2500
    assert lattice.path_count == 2**2500
    log_pair = math.log(math.exp(-70) + math.exp(-80))
    assert math.isclose(lattice.log_total, 2500 * log_pair)
    wanted = {"ab": math.exp(-70 - log_pair), "a": math.exp(-80 - log_pair), "b": math.exp(-80 - log_pair)}
    for edge, posterior in zip(lattice.edges, lattice.posteriors(), strict=True):
        assert math.isclose(posterior, wanted[edge.piece], rel_tol=1e-6)
    assert len(lattice.samples(1)) == 1


def test_log_sum() -> None:
    assert log_sum([]) == log_sum([-math.inf, -math.inf]) == -math.inf
    assert log_sum([-2000.0, -2000.0]) == -2000.0 + math.log(2)
    assert log_sum([-math.inf, -3.0]) == -3.0


# --- The course's figures -----------------------------------------------------------------------------------


def test_the_segmentations_of_pug() -> None:
    """Fractions over 210, the published 5/210 for `p` put right; two of them tie, and `p ug` is met first."""
    figures = golden("hug")
    lattice = Lattice.build("pug", shares(figures["freqs_in_order"]))
    results = {" ".join(path.pieces): path.probability for path in lattice.k_best(10)}
    assert next(iter(results)) == "p ug"
    assert results.keys() == figures["segmentations_of_pug"].keys()
    for pieces, fraction in figures["segmentations_of_pug"].items():
        assert math.isclose(results[pieces], Fraction(fraction), rel_tol=1e-12)
    last = cast(ForwardEvent, lattice.viterbi()[3].event)
    assert [way.edge.piece for way in last.tied] == ["ug", "g"]


def test_the_search_for_unhug() -> None:
    figures = golden("hug")
    trace = Lattice.build("unhug", shares(figures["freqs_in_order"])).viterbi()
    for row in figures["viterbi_unhug"]:
        snapshot = trace[row["end"]]
        winner = cast(ForwardEvent, snapshot.event).winner
        assert winner is not None and math.isclose(winner.probability, row["probability"], rel_tol=1e-12)
        prefix = Lattice.build("unhug"[: row["end"]], shares(figures["freqs_in_order"])).best()
        assert prefix is not None and list(prefix.pieces) == row["tokens"]
        assert winner.edge.piece == row["tokens"][-1]
    assert [edge.piece for edge in trace[-1].path] == ["un", "hug"]


def test_the_best_splits_of_the_hug_corpus() -> None:
    figures = golden("hug")
    loss = 0.0
    for word, row in figures["words"].items():
        best = Lattice.build(word, shares(figures["freqs_in_order"])).best()
        assert best is not None and list(best.pieces) == row["tokens"]
        assert math.isclose(best.probability, row["probability"], rel_tol=1e-12)
        loss -= figures["word_freqs"][word] * best.log_probability
    assert math.isclose(loss, figures["loss"], rel_tol=1e-12)


def test_the_course_s_two_words() -> None:
    figures = golden("course")
    for word, row in figures["viterbi"].items():
        best = Lattice.build(word, shares(figures["seed_freqs_in_order"])).best()
        assert best is not None and list(best.pieces) == row["tokens"]
        assert math.isclose(-best.log_probability, row["cost"], rel_tol=1e-14)
    assert figures["viterbi"]["Hopefully"]["cost"] == 40.5157494601402


# --- Other libraries on real text ---------------------------------------------------------------------------


@cache
def trained() -> sentencepiece.SentencePieceProcessor:
    """A small SentencePiece model of the standard library's sources."""
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(library_text(60_000).splitlines()),
        model_writer=file,
        model_type="unigram",
        vocab_size=600,
        character_coverage=1.0,
        normalization_rule_name="identity",
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        num_threads=1,
        minloglevel=2,
    )
    return sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())


@cache
def scores() -> dict[str, float]:
    """Its pieces and scores, without `<unk>`, `<s>` and `</s>`."""
    model = trained()
    return {model.id_to_piece(number): model.get_score(number) for number in range(3, model.get_piece_size())}


@cache
def real_words() -> tuple[str, ...]:
    """All words of the standard library's text and of the app's examples, mostly in scripts that the model
    never saw."""
    texts = [library_text(60_000), *(path.read_text("utf-8") for path in sorted(CORPORA.glob("*.txt")))]
    return Corpus.from_texts(texts, pre_tokenizer="whitespace_split_metaspace").words


def real_lattice(word: str) -> Lattice:
    return Lattice.build(word, scores(), unknown=min(scores().values()) - UNKNOWN_PENALTY)


def fused(edges: Sequence[Edge]) -> list[str]:
    """The pieces of a path, neighbouring unknown characters joined as both libraries show them."""
    groups = itertools.groupby(enumerate(edges), key=lambda item: -1 if item[1].unknown else item[0])
    return ["".join(edge.piece for _, edge in group) for _, group in groups]


def test_words_split_as_in_the_tokenizers_library() -> None:
    judge = tokenizers.Tokenizer(models.Unigram([("<unk>", 0.0), *scores().items()], unk_id=0))
    unknown = 0
    for word in real_words():
        best = real_lattice(word).best()
        assert best is not None and fused(best.edges) == judge.encode(word).tokens
        unknown += any(edge.unknown for edge in best.edges)
    assert len(real_words()) > 2000 and unknown > 30


def test_words_split_as_in_the_sentencepiece_library() -> None:
    """The library adds in float32, so words with (nearly) tied best splits may differ, and no other."""
    model = trained()
    tied: list[str] = []
    different: list[str] = []
    for word in real_words():
        paths = real_lattice(word).k_best(2)
        if len(paths) == 2 and paths[0].log_probability - paths[1].log_probability < 1e-4:
            tied.append(word)
        if fused(paths[0].edges) != model.encode(word, out_type=str):
            different.append(word)
    assert set(different) <= set(tied)
    assert len(tied) < len(real_words()) / 100


def test_the_best_five_as_in_the_sentencepiece_library() -> None:
    model = trained()
    known = [word for word in real_words()[::20] if set(word) <= scores().keys()]
    assert len(known) > 100
    for word in known:
        result = real_lattice(word).k_best(5)
        theirs = model.nbest_encode(word, nbest_size=5, out_type=str)
        logs = [sum(scores()[piece] for piece in pieces) for pieces in theirs]
        assert logs == pytest.approx([path.log_probability for path in result], abs=1e-4)


@examples(300)
@given(cases(eighths))
def test_generated_words_split_as_in_the_tokenizers_library(case: Case) -> None:
    """Ties included: both let the longest piece that ends at a place win."""
    judge = tokenizers.Tokenizer(models.Unigram([("<unk>", 0.0), *case.pieces.items()], unk_id=0))
    unknown = min([0.0, *case.pieces.values()]) - UNKNOWN_PENALTY
    best = Lattice.build(case.word, case.pieces, unknown).best()
    assert best is not None and fused(best.edges) == judge.encode(case.word).tokens
