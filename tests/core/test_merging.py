"""Pairs, words, the pair table, records and snapshots (`tokenizers_core/training/`: merging, merge_trace).

Oracles: `plain.count` and `plain.replace`, which recount everything, and the published figures of the hug/pug
corpus (`golden/bpe_hug.json`, the Hugging Face course).
"""

from __future__ import annotations

import pickle
from array import array
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.core.oracle_bpe import count, replace
from tests.samples import examples
from tokenizers_core import (
    Corpus,
    MergeEvent,
    MergeTrace,
    Pair,
    first_difference,
    merge_pair,
    train_bpe,
    train_superbpe,
)
from tokenizers_core.encoding.models.pairs import group_pair, neighbours
from tokenizers_core.encoding.vocabulary import Vocabulary
from tokenizers_core.errors import UnknownWordError
from tokenizers_core.training.merge_trace import TIES_LISTED, Candidate, Lineage, StartEvent
from tokenizers_core.training.merging import READ_ONCE, PairTable, compact, count_pairs

HUG = train_bpe(Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}))

thorough = examples(500)


# --- Pairs and words ----------------------------------------------------------------------------------------


@thorough
@example("aaa", "aa")
@example("aaaaa", "aa")
@given(st.text("ab", max_size=10), st.text("ab", min_size=2, max_size=2))
def test_merging_a_word(word: str, pair: str) -> None:
    merged = merge_pair(tuple(word), Pair(*pair))
    assert list(merged) == replace(list(word), (pair[0], pair[1]))
    assert "".join(merged) == word
    groups = group_pair(tuple(word), Pair(*pair))
    assert tuple("".join(group) for group in groups) == merged
    assert [part for group in groups for part in group] == list(word)


def test_merging_to_a_token_of_another_name() -> None:
    assert merge_pair(("a", "##b", "##c"), Pair("a", "##b"), "ab") == ("ab", "##c")


def test_a_pair_of_another_type() -> None:
    for pair in (("u", "g"), ["u", "g"]):
        assert merge_pair(("h", "u", "g"), pair) == ("h", "ug")  # type: ignore[arg-type]


@thorough
@given(st.dictionaries(st.text("abc", min_size=1, max_size=8), st.integers(1, 5), max_size=5))
def test_counting_pairs(frequencies: dict[str, int]) -> None:
    plain = count({word: list(word) for word in frequencies}, frequencies)
    counted = count_pairs(frequencies, frequencies.values())
    assert [(tuple(pair), number) for pair, number in counted.items()] == list(plain.items())
    table = PairTable(list(frequencies), list(frequencies.values()))
    assert table.counts == counted
    for pair, words in table.where.items():
        assert words == sorted(words)
        assert set(words) == {index for index, word in enumerate(frequencies) if pair in word}


def test_a_long_word_is_looked_at_once_for_a_pair_that_it_has_often() -> None:
    long = "ab" * READ_ONCE
    table = PairTable(["ab", long, "b", long], [1, 2, 3, 4])
    assert (table.where["ab"], table.where["ba"]) == ([0, 1, 3], [1, 3])
    assert table.counts == {"ab": 1 + 6 * READ_ONCE, "ba": 6 * (READ_ONCE - 1)}
    assert table.merge("ab", "T").words == [0, 1, 3]


def test_a_pair_that_overlaps_itself_counts_each_time_and_merges_less_often() -> None:
    table = PairTable(["aaaaa"], [7])
    merge = table.merge("aa", "A")
    assert (merge.frequency, merge.applied, merge.words) == (4 * 7, 2 * 7, [0])
    assert table.words == ["AAa"]
    assert merge.changes == {"aa": -28, "AA": 7, "Aa": 7}


def test_a_pair_that_overlaps_itself_in_one_place() -> None:
    long = "aaa" + "bc" * READ_ONCE
    table = PairTable([long], [7])
    assert table.where["aa"] == [0]
    merge = table.merge("aa", "A")
    assert (merge.frequency, merge.applied, merge.words) == (2 * 7, 7, [0])
    assert table.words == ["A" + long[2:]]
    assert merge.changes == {"aa": -14, "Aa": 7}


@thorough
@example({"aaa": 2}, 0)
@given(
    st.dictionaries(st.text("ab", min_size=1, max_size=9), st.integers(1, 5), min_size=1, max_size=4),
    st.integers(0, 5),
)
def test_after_each_merge_the_table_agrees_with_recounting(frequencies: dict[str, int], choice: int) -> None:
    table = PairTable(list(frequencies), list(frequencies.values()))
    for token in "TTUU":  # the second time, it comes by another route
        before = dict(table.counts)
        possible = [pair for pair in sorted(before) if token not in pair]
        if not possible:
            break
        pair = possible[choice % len(possible)]
        words = list(table.words)
        merge = table.merge(pair, token)
        counted = count_pairs(table.words, table.frequencies)
        assert table.words == [word.replace(pair, token) for word in words]
        assert (table.counts, set(table.where)) == (counted, set(counted))
        assert all(
            set(table.where[left]) >= {i for i, word in enumerate(table.words) if left in word}
            for left in counted
        )
        differences = {
            name: counted.get(name, 0) - before.get(name, 0) for name in before.keys() | counted.keys()
        }
        assert {name: change for name, change in merge.changes.items() if change} == {
            name: change for name, change in differences.items() if change
        }
        assert merge.words == [index for index, word in enumerate(words) if pair in word]
        assert merge.frequency == before[pair]
        assert merge.applied == sum(
            word.count(pair) * number for word, number in zip(words, table.frequencies, strict=True)
        )


def test_neighbours_of_short_words() -> None:
    assert (list(neighbours("")), list(neighbours("a"))) == ([], [])


def test_vocabulary() -> None:
    vocabulary = Vocabulary(["a", "b", "a"])
    assert vocabulary.tokens == ["a", "b"]
    assert vocabulary.read(vocabulary.write(["b", "a"])) == ("b", "a")


@pytest.mark.parametrize(
    ("values", "kind"),
    [([], "i"), ([2**31 - 1, -(2**31)], "i"), ([2**31], "q"), ([-(2**31) - 1], "q"), ([2**63 - 1], "q")],
)
def test_compact(values: list[int], kind: str) -> None:
    packed = compact(values)
    assert isinstance(packed, array)
    assert (list(packed), packed.typecode) == (values, kind)


def test_compact_numbers_of_any_size() -> None:
    assert compact([1, 2**63]) == (1, 2**63)


# --- Snapshots and events -----------------------------------------------------------------------------------


def test_start() -> None:
    start = HUG[0]
    assert start.event == StartEvent(tuple("bghnpsu"), ())
    assert start.vocab == tuple("bghnpsu")
    assert (start.vocab_size, start.merges, start.tokens, start.pair_count) == (7, (), 3 * 31 + 4 * 5, 6)
    assert start.splits(["hug"]) == {"hug": ("h", "u", "g")}
    assert start.marked(["hug"]) == {"hug": [("h",), ("u",), ("g",)]}


def test_merge_event() -> None:
    event = HUG[5].event
    assert isinstance(event, MergeEvent)
    assert (event.pair, event.token, event.token_id, event.rank) == (("p", "ug"), "pug", 11, 4)
    assert (event.freq, event.applied, event.is_new, event.kind) == (5, 5, True, "merge")
    assert (event.tied_count, event.pair_count) == (2, 3)
    assert event.tied == ((("p", "ug"), "pug"), (("hug", "s"), "hugs"))
    assert event.candidates == (
        Candidate(Pair("p", "ug"), 5, 0, True),
        Candidate(Pair("hug", "s"), 5, 0, True),
        Candidate(Pair("b", "un"), 4, 0, False),
    )
    assert event.runner_ups == event.candidates[1:]
    assert event.words == ("pug",)


def test_candidates_of_a_snapshot() -> None:
    first, *others = HUG[1].candidates()
    assert first == Candidate(Pair("u", "n"), 16, 0, True)
    assert Candidate(Pair("h", "ug"), 15, 15, False) in others
    assert HUG[1].candidates(2) == [first, others[0]]
    assert HUG[1].candidates(0) == []
    assert HUG[-1].candidates() == HUG[-1].candidates(3) == []
    assert HUG[-1].pair_count == 0


def test_many_ties_are_counted_and_the_first_listed() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    event = train_bpe(Corpus.from_counts({letters: 1}), merges=1)[1].event
    assert isinstance(event, MergeEvent)
    assert (event.tied_count, len(event.tied)) == (25, TIES_LISTED)
    assert [tie.pair for tie in event.tied] == [Pair(*pair) for pair in pairwise(letters[: TIES_LISTED + 1])]


def test_marked_words_show_the_last_merge() -> None:
    assert HUG[3].marked(["hugs", "pug"]) == {"hugs": [("h", "ug"), ("s",)], "pug": [("p",), ("ug",)]}


def test_a_token_made_by_a_second_route_is_one_token() -> None:
    # The corpus spells the end-of-word symbol out: its characters merge to the last token of each word.
    trace = train_bpe(Corpus.from_counts({"</w>": 3, "a</w>": 1}, pre_tokenizer="end_of_word"))
    spelled = next(event for event in events(trace) if event.token == "</w>")
    assert (spelled.is_new, spelled.token_id) == (False, trace.vocabulary.ids["</w>"])
    assert len(trace[-1].vocab) == len(set(trace[-1].vocab)) < len(trace.alphabet) + len(trace)
    sizes = [snapshot.vocab_size for snapshot in trace]
    assert sizes[spelled.rank] == sizes[spelled.rank + 1]


def test_a_special_token_may_be_learned_again() -> None:
    trace = train_bpe(HUG.corpus, merges=1, special_tokens=["ug", "h"])
    assert trace[0].vocab == trace[1].vocab == ("ug", "h", "b", "g", "n", "p", "s", "u")
    event = trace[1].event
    assert isinstance(event, MergeEvent)
    assert (event.token, event.token_id, event.is_new) == ("ug", 0, False)


def events(trace: MergeTrace) -> list[MergeEvent]:
    results = [trace[step].event for step in range(1, len(trace) + 1)]
    return [event for event in results if isinstance(event, MergeEvent)]


# --- Words and tokens through the steps ---------------------------------------------------------------------


def test_history_of_a_word() -> None:
    expected = [(0, ("h", "u", "g", "s")), (1, ("h", "ug", "s")), (3, ("hug", "s")), (6, ("hugs",))]
    assert HUG.history_of("hugs") == expected
    unseen = [(0, tuple("bugs")), (1, ("b", "ug", "s"))]
    assert HUG.history_of("bugs") == unseen


def test_word_with_an_unknown_symbol() -> None:
    with pytest.raises(UnknownWordError) as caught:
        HUG[1].splits(["mug"])
    assert (caught.value.word, caught.value.symbol) == ("mug", "m")
    with pytest.raises(UnknownWordError):
        HUG.history_of("mug")


def test_lineage() -> None:
    ug = Lineage("ug", 1, (Lineage("u", 0), Lineage("g", 0)))
    assert HUG.lineage("hugs") == Lineage(
        "hugs", 6, (Lineage("hug", 3, (Lineage("h", 0), ug)), Lineage("s", 0))
    )
    assert HUG.lineage("h") == Lineage("h", 0)
    assert HUG.step_of_token["hug"] == 3


def test_history() -> None:
    assert len(HUG.history) == len(HUG)
    assert HUG.history[4] == (5, "pug", 5, 2, 12, HUG[5].tokens, HUG[5].tokens / 36, 0)
    for point in HUG.history:
        snapshot = HUG[point.step]
        frequencies = HUG.word_frequencies
        total = sum(len(tokens) * frequencies[word] for word, tokens in snapshot.splits().items())
        assert (point.vocab_size, point.tokens) == (snapshot.vocab_size, total)


def test_first_difference() -> None:
    corpus = Corpus.from_counts({"abab": 2, "cd": 4})
    first, greatest = (train_bpe(corpus, tie_rule=rule) for rule in ("first", "greatest"))
    assert first.pair_of(1) == ("a", "b")
    assert greatest.pair_of(1) == ("c", "d")
    assert first_difference(first, greatest) == 1
    assert first_difference(first, train_bpe(corpus, merges=1)) is None
    assert first_difference(HUG, train_bpe(HUG.corpus)) is None
    texts = Corpus.from_texts(["by the way", "on the way"], pre_tokenizer="byte_level")
    two = train_superbpe(texts, transition=16, merges=9)
    change = next(step for step, one in enumerate(two) if one.event.kind == "stage")
    assert first_difference(two, train_bpe(texts)) == change, "a step that merges nothing"
    assert first_difference(two, train_superbpe(texts, transition=16, merges=8)) is None


# --- Traces as values ---------------------------------------------------------------------------------------


def test_equal_runs_are_equal() -> None:
    again = train_bpe(HUG.corpus)
    assert again == HUG
    assert hash(again) == hash(HUG)
    assert again != train_bpe(HUG.corpus, merges=3)
    assert again != "trace"
    assert [*again] == [*HUG]
    assert {HUG[3], again[3]} == {HUG[3]}
    assert HUG[3] != HUG[4]
    assert HUG[3] == train_bpe(HUG.corpus, merges=3)[3]
    assert HUG[3] != 3


def test_snapshot_stays_as_it_is() -> None:
    with pytest.raises(AttributeError):
        HUG[1].step = 2  # type: ignore[misc]
    with pytest.raises(AttributeError):
        HUG.stop_reason = "none"  # type: ignore[misc]


def test_pickling() -> None:
    for snapshot in HUG:
        snapshot.candidates()
    copy = pickle.loads(pickle.dumps(HUG))
    assert copy == HUG
    assert [*copy] == [*HUG]
    # Values computed on the way stay behind.
    assert HUG.__getstate__().keys() == train_bpe(HUG.corpus).__getstate__().keys() < HUG.__dict__.keys()


def test_words_a_step_changed() -> None:
    for index, word in enumerate(HUG.corpus.words):
        steps = [step for step, _ in HUG.history_of(word)[1:]]
        assert HUG.record.steps_changing(index) == steps
        assert steps == [event.rank + 1 for event in events(HUG) if word in event.words]


def test_the_lineage_of_a_token_too_deep_to_recurse() -> None:
    """Two letters in an order without repetition make one token grow by a letter a step (a Fibonacci word
    doesn't)."""
    word = "".join(chr(0x4E00 + index) for index in range(3000))
    trace = train_bpe(Corpus.from_counts({word: 1}))
    deepest = max(trace.step_of_token, key=trace.step_of_token.__getitem__)
    tree, depth = trace.lineage(deepest), 0
    while tree.parts:
        tree, depth = tree.parts[0], depth + 1
    assert deepest == word
    assert depth == 2999
