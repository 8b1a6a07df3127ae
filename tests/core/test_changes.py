"""Steps that change a word, a token or a pair (`tokenizers_core/changes.py`).

Oracle: the snapshots before and after each step, compared: the word's split, the count of the pair, whether
the token is there and in which words.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.samples import examples
from tokenizers_core import Corpus, train_bpe, train_paritybpe, train_unigram, train_wordpiece
from tokenizers_core.changes import steps_changing_pair, steps_changing_token, steps_changing_word

COUNTS = st.dictionaries(st.text("abc", min_size=1, max_size=6), st.integers(1, 9), min_size=2, max_size=7)


def occurrences(splits: dict[str, tuple[str, ...]], token: str) -> dict[str, int]:
    return {word: split.count(token) for word, split in splits.items()}


@given(COUNTS)
@examples(80)
def test_merges(counts: dict[str, int]) -> None:
    corpus = Corpus.from_counts(counts)
    for trace in (train_bpe(corpus, merges=8), train_wordpiece(corpus, merges=8)):
        states = [dict(snapshot.splits()) for snapshot in trace]
        tables = [{one.pair: one.freq for one in snapshot.candidates()} for snapshot in trace]
        for word in corpus.words:
            changed = [step for step in range(1, len(states)) if states[step][word] != states[step - 1][word]]
            assert steps_changing_word(trace, word) == changed
        for token in trace.tokens:
            results = [step for step in range(1, len(states)) if trace.token_of(step) == token]
            moved = [
                step
                for step in range(1, len(states))
                if occurrences(states[step], token) != occurrences(states[step - 1], token)
            ]
            assert steps_changing_token(trace, token) == sorted({*results, *moved})
        for pair in {pair for table in tables for pair in table}:
            changed = [
                step
                for step in range(1, len(tables))
                if tables[step].get(pair, 0) != tables[step - 1].get(pair, 0)
            ]
            assert steps_changing_pair(trace, *pair) == changed, pair


@given(COUNTS, COUNTS)
@examples(40)
def test_several_corpora(one: dict[str, int], other: dict[str, int]) -> None:
    """Parity-aware BPE counts each language by itself."""
    trace = train_paritybpe({"one": Corpus.from_counts(one), "two": Corpus.from_counts(other)}, merges=6)
    states = [dict(snapshot.splits()) for snapshot in trace]
    for word in trace.corpus.words:
        changed = [step for step in range(1, len(states)) if states[step][word] != states[step - 1][word]]
        assert steps_changing_word(trace, word) == changed
    counted = [
        [neighbours(corpus, state) for corpus in trace.corpora.values()] for state in states
    ]  # each language's pairs, overlapping ones too
    for pair in {pair for tables in counted for table in tables for pair in table}:
        changed = [
            step
            for step in range(1, len(counted))
            if any(now[pair] != was[pair] for now, was in zip(counted[step], counted[step - 1], strict=True))
        ]
        assert steps_changing_pair(trace, *pair) == changed, pair


def neighbours(corpus: Corpus, splits: dict[str, tuple[str, ...]]) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for word, number in corpus.items():
        for pair in pairwise(splits[word]):
            counts[pair] += number
    return counts


@given(COUNTS, st.sampled_from(["course", "sentencepiece"]))
@examples(40)
def test_prunes(counts: dict[str, int], method: str) -> None:
    corpus = Corpus.from_counts({**counts, "abcabc": 2, "cab": 3})
    trace = train_unigram(corpus, vocab_size=7, method=method)
    states = [dict(snapshot.splits()) for snapshot in trace]
    steps = range(1, len(states))
    for word in corpus.words:
        assert steps_changing_word(trace, word) == [
            step for step in steps if states[step][word] != states[step - 1][word]
        ]
    for piece, _count in trace.seed:
        changed = [
            step
            for step in steps
            if occurrences(states[step], piece) != occurrences(states[step - 1], piece)
            or (piece in trace.pieces_at(step)) != (piece in trace.pieces_at(step - 1))
        ]
        assert steps_changing_token(trace, piece) == changed, piece
    assert steps_changing_pair(trace, "a", "b") == []


@pytest.mark.parametrize("nothing", ["", "zebra", "<b>"])
def test_no_step_changes_an_unknown_string(nothing: str) -> None:
    corpus = Corpus.from_counts({"hug": 3, "hugs": 2})
    for trace in (train_bpe(corpus, merges=2), train_unigram(corpus, vocab_size=6)):
        assert steps_changing_word(trace, nothing) == [] == steps_changing_token(trace, nothing)
        assert steps_changing_pair(trace, nothing, "h") == []
