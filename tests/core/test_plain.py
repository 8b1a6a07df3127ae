"""The plain versions that the pages show (`tokenizers_core/plain/bpe.py`) compute what the engine computes, step by step.

Oracle: the engine's traces, which `test_bpe.py`, `test_wordpiece.py` and `test_unigram.py` hold to published figures and to
plain versions of their own. Corpora: the course's two, and generated ones with few letters, so that pairs overlap and tie.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Iterator
from functools import cache
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenizers_core import Corpus, PruneEvent, UnigramTrace, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.plain import bpe as plain
from tokenizers_core.training.merging import MergeEvent, MergeTrace
from tokenizers_core.training.pruning import ExpectationEvent
from tokenizers_core.training.segmentation import digamma
from tokenizers_core.training.wordpiece import WordPieceEvent
from tokensteps.runs.corpora import EXAMPLES

HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
LONGEST_FUNCTION = 34
"""Lines: what fits on a slide."""

words = (
    st.text("ab", min_size=1, max_size=8)
    | st.text("abc", min_size=1, max_size=6)
    | st.text("aé👍", min_size=1, max_size=4)
)
corpora = st.dictionaries(words, st.integers(1, 5), min_size=1, max_size=6)
latin = st.dictionaries(st.text("abé", min_size=1, max_size=9), st.integers(1, 5), min_size=1, max_size=6)
"""One script: the plain version's seed has those pieces too that mix several."""
few = settings(max_examples=60, deadline=None, derandomize=True, database=None)


@cache
def course(pre_tokenizer: str) -> Corpus:
    return Corpus.from_texts(EXAMPLES["course"].text().splitlines(), pre_tokenizer=pre_tokenizer)


def same_merges(merges: Iterator[plain.Merged], trace: MergeTrace) -> None:
    """Every step: pair, count or score, vocabulary, words."""
    steps = 0
    for steps, (pair, value, vocabulary, splits) in enumerate(merges, start=1):
        snapshot = trace[steps]
        event = cast(MergeEvent, snapshot.event)
        assert pair == tuple(event.pair)
        assert value == (event.candidates[0].score if isinstance(event, WordPieceEvent) else event.freq)  # type: ignore[attr-defined]
        assert vocabulary == list(snapshot.vocab)
        assert {word: tuple(symbols) for word, symbols in splits.items()} == snapshot.splits()
    assert steps == len(trace)


def same_prunes(steps: Iterator[plain.Step], trace: UnigramTrace) -> None:
    """Every step: its kind, the piece and what it costs, or the expected counts, or the new model in its order."""
    number = 0
    for number, (kind, numbers) in enumerate(steps, start=1):
        event = trace[number].event
        assert kind == event.kind
        if kind == "prune":
            prune = cast(PruneEvent, event)
            assert numbers == {prune.piece: pytest.approx(prune.loss, rel=1e-9, abs=1e-9)}
        elif kind == "e_step":
            expected = {row.piece: row.freq for row in cast(ExpectationEvent, event).expected}
            assert list(numbers) == list(expected) and numbers == pytest.approx(expected, rel=1e-9, abs=1e-12)
        else:
            pieces = dict(trace[number].pieces)
            assert kind == "finalize" or list(numbers) == list(pieces)  # sorted by what rounding may tie
            assert numbers == pytest.approx(pieces, rel=1e-9, abs=1e-9)
    assert number == len(trace)


def test_bpe_on_the_published_corpora() -> None:
    same_merges(plain.plain_bpe(HUG), train_bpe(Corpus.from_counts(HUG)))
    corpus = course("byte_level")
    same_merges(
        plain.plain_bpe(dict(corpus.items()), 50, ["<s>"]), train_bpe(corpus, 50, special_tokens=["<s>"])
    )
    ending = Corpus.from_counts(HUG, pre_tokenizer="end_of_word")
    same_merges(plain.plain_bpe(HUG, end="</w>"), train_bpe(ending))


def test_wordpiece_on_the_published_corpora() -> None:
    same_merges(plain.plain_wordpiece(HUG), train_wordpiece(Corpus.from_counts(HUG)))
    corpus = course("bert")
    same_merges(
        plain.plain_wordpiece(dict(corpus.items()), 65, ["[UNK]"]),
        train_wordpiece(corpus, 65, special_tokens=["[UNK]"]),
    )


@few
@given(corpora, st.integers(1, 4))
def test_merging_on_generated_corpora(counts: dict[str, int], least: int) -> None:
    corpus = Corpus.from_counts(counts)
    same_merges(plain.plain_bpe(counts, least=least), train_bpe(corpus, min_frequency=least))
    same_merges(plain.plain_wordpiece(counts, least=least), train_wordpiece(corpus, min_frequency=least))


@pytest.mark.parametrize("size", [7, 10])
def test_the_courses_unigram_on_five_words(size: int) -> None:
    same_prunes(
        plain.plain_unigram_course(HUG, size), train_unigram(Corpus.from_counts(HUG), vocab_size=size)
    )


def test_the_courses_unigram_on_its_own_corpus() -> None:
    """Its seed of 300 pieces, its eleven rounds, whose losses tie by the dozen."""
    corpus = course("whitespace_split_metaspace")
    trace = train_unigram(corpus)
    same_prunes(plain.plain_unigram_course(dict(corpus.items()), 100), trace)
    for step in (0, len(trace)):
        pieces = dict(trace[step].pieces)
        assert plain.corpus_loss(dict(corpus.items()), pieces) == pytest.approx(trace[step].loss)


@few
@given(corpora, st.integers(0, 6))
def test_the_courses_unigram_on_generated_corpora(counts: dict[str, int], more: int) -> None:
    size = len(set("".join(counts))) + more
    trace = train_unigram(Corpus.from_counts(counts), vocab_size=size)
    same_prunes(plain.plain_unigram_course(counts, size), trace)


@pytest.mark.parametrize("size", [30, 90])
def test_sentencepiece_on_the_courses_corpus(size: int) -> None:
    corpus = course("whitespace_split_metaspace")
    trace = train_unigram(corpus, vocab_size=size, method="sentencepiece")
    assert {"e_step", "m_step", "finalize"} <= set(trace.record.kinds)
    assert ("prune" in trace.record.kinds) == (size == 30)
    same_prunes(plain.plain_unigram_sentencepiece(dict(corpus.items()), size, ends=corpus.ends), trace)


def test_sentencepiece_on_five_words() -> None:
    for size in (7, 9):
        trace = train_unigram(Corpus.from_counts(HUG), vocab_size=size, method="sentencepiece")
        same_prunes(plain.plain_unigram_sentencepiece(HUG, size), trace)


@few
@given(latin)
def test_sentencepieces_first_em_on_generated_corpora(counts: dict[str, int]) -> None:
    """Later rounds break ties by rounding; here everything has to agree."""
    trace = train_unigram(Corpus.from_counts(counts), vocab_size=20, method="sentencepiece")
    seed = plain.sentencepiece_seed(counts)
    assert list(seed.items()) == list(trace.seed)
    steps = plain.plain_unigram_sentencepiece(counts, 20)
    for number in (1, 2):
        _kind, numbers = next(steps)
        event: Any = trace[number].event
        wanted = {row.piece: row.freq if number == 1 else row.after for row in event.expected}
        found = {piece: math.exp(log) for piece, log in numbers.items()} if number == 2 else numbers
        assert found == pytest.approx({piece: value for piece, value in wanted.items() if value is not None})


@given(st.floats(0.5, 1e6))
def test_digamma(x: float) -> None:
    assert plain.digamma(x) == pytest.approx(digamma(x), rel=1e-9, abs=1e-9)


def test_every_function_fits_on_a_slide() -> None:
    tree = ast.parse(inspect.getsource(plain))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            assert (node.end_lineno or 0) - node.lineno < LONGEST_FUNCTION, node.name
