"""Tie rules (`tokenizers_core/training/ties.py`): the existing ones, and one added by a test."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tokenizers_core import TIE_RULES, Corpus, MergeEvent, Pair, first_difference, train_bpe, train_wordpiece
from tokenizers_core.encoding.vocabulary import PrivatePair, Vocabulary
from tokenizers_core.errors import UnknownNameError
from tokenizers_core.training.merge_trace import MergeTrace
from tokenizers_core.training.ties import MANY_PAIRS, TokenRule, first_met

thorough = settings(derandomize=True, database=None, deadline=None, max_examples=150)


def event(trace: MergeTrace, step: int) -> MergeEvent:
    result = trace[step].event
    assert isinstance(result, MergeEvent)
    return result


# --- The existing rules -------------------------------------------------------------------------------------


def test_tie_rules_differ() -> None:
    corpus = Corpus.from_counts({"ba": 1, "ab": 1, "cb": 1})
    first = {rule: tuple(event(train_bpe(corpus, tie_rule=rule), 1).pair) for rule in TIE_RULES}
    expected = {"first": ("b", "a"), "lowest_ids": ("a", "b"), "greatest": ("c", "b")}
    assert first | expected == first


def test_greatest_compares_first_token_then_second_as_bytes() -> None:
    # U+FF5E sorts after U+1F44D in UTF-16, before it in UTF-8; in the byte alphabet, space (Ġ) sorts after a
    # letter.
    corpus = Corpus.from_counts({"～x": 1, "👍x": 1})
    assert event(train_bpe(corpus, tie_rule="greatest"), 1).pair == ("👍", "x")
    corpus = Corpus.from_counts({"a b": 1}, pre_tokenizer="byte_level", pattern="a b")
    assert event(train_bpe(corpus, tie_rule="greatest"), 1).pair == ("a", "Ġ")
    # A token that begins the other one is the smaller: ("a", "b…") is below ("ab", …).
    corpus = Corpus.from_counts({"abxabyabzab": 1, "aqaq": 1, "abqabq": 1})
    trace = train_bpe(corpus, tie_rule="greatest", merges=2)
    assert [tuple(event(trace, step).pair) for step in (1, 2)] == [("a", "b"), ("ab", "q")]


@thorough
@given(st.text("abc", max_size=40), st.integers(0, 12))
def test_first_met(text: str, limit: int) -> None:
    pairs = {text[index : index + 2] for index in range(len(text) - 1)}
    expected = sorted(pairs, key=text.index)
    assert first_met(pairs, text) == expected
    assert first_met(pairs, text, limit) == expected[:limit]


def test_first_met_of_many_pairs() -> None:
    text = "".join(chr(0x100 + 7 * index % 1009) for index in range(1009))
    pairs = {text[index : index + 2] for index in range(1008)}
    assert len(pairs) > MANY_PAIRS
    assert first_met(pairs, text) == [text[index : index + 2] for index in range(1008)]
    assert first_met(pairs, text, 3) == [text[0:2], text[1:3], text[2:4]]


# --- A rule added by a test ---------------------------------------------------------------------------------


class Longest(TokenRule):
    """The pair with the longest token; of several, the first in the alphabet."""

    name = "longest"
    meaning = "the pair that makes the longest token"

    def key(self, vocabulary: Vocabulary, byte_level: bool) -> Callable[[PrivatePair], tuple[int, list[str]]]:
        def key(pair: PrivatePair) -> tuple[int, list[str]]:
            tokens = [*vocabulary.read(pair)]
            return -len("".join(tokens)), tokens

        return key


def by_longest(pair: Pair) -> tuple[int, list[str]]:
    return -len(pair.first + pair.second), [*pair]


@pytest.fixture
def longest(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(TIE_RULES, Longest.name, Longest())  # type: ignore[arg-type]
    return Longest.name


WORDS = {
    "abab": 3,
    "cdcd": 3,
    "abcd": 2,
    "xyz": 5,
    "zyx": 5,
    "b": 9,
    "pq": 1,
    "qrs": 1,
    "tuvw": 1,
    "wvut": 1,
    "zab": 3,
}


@pytest.mark.parametrize("train", [train_bpe, train_wordpiece])
def test_a_rule_that_is_added_is_used_everywhere(train: Callable[..., MergeTrace], longest: str) -> None:
    trace = train(Corpus.from_counts(WORDS), tie_rule=longest)
    walked = [*trace.tied_pairs()]
    for step in range(1, len(trace) + 1):
        message, before = event(trace, step), trace[step - 1].candidates()
        tied = [candidate.pair for candidate in before if candidate.tied]
        assert message.pair == tied[0] == min(tied, key=by_longest)
        assert tied == sorted(tied, key=by_longest) == [trace.read_pair(pair) for pair in walked[step - 1]]
        assert [one.pair for one in message.tied] == tied[:12] and {one.word for one in message.tied} == {""}
        assert [*message.candidates] == before[: len(message.candidates)]
    assert any(event(trace, step).tied_count > 1 for step in range(1, len(trace) + 1))
    assert first_difference(trace, train(trace.corpus))  # it has the usual rule
    assert pickle.loads(pickle.dumps(trace)) == trace


def test_an_unregistered_rule_raises(longest: str, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = train_bpe(Corpus.from_counts(WORDS), tie_rule=longest)
    with pytest.raises(UnknownNameError) as caught:
        train_bpe(trace.corpus, tie_rule="no such rule")
    assert longest in caught.value.known
    monkeypatch.delitem(TIE_RULES, longest)  # type: ignore[arg-type]
    for use in (lambda: trace[1].event, lambda: trace[0].candidates(), lambda: [*trace.tied_counts()]):
        with pytest.raises(KeyError):
            use()
