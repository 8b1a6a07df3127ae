"""Three runs side by side (`tokenizers_core/training/comparison.py`).

Sources and oracles: `golden/bpe_hug.json` and `golden/wordpiece_hug.json`, the Hugging Face course's
walk-throughs recomputed; the course's four sentences; the plain versions of BPE and WordPiece
(`oracle_bpe.py`, `oracle_wordpiece.py`) and Unigram's own snapshots, compared by `oracle_comparison.py`,
which looks at every size, word and token anew; the training functions themselves, asked for one size.
"""

from __future__ import annotations

import csv
import io
import json
import pickle
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.core.oracle_bpe import plain_bpe
from tests.core.oracle_comparison import NAMES, REGIONS, PlainSize, State, at_size, plain_size
from tests.core.oracle_wordpiece import plain_wordpiece
from tests.samples import examples
from tokenizers_core import METHODS, TIE_RULES, Corpus, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.errors import (
    SettingError,
    TokenizersCoreError,
    UnknownNameError,
    UnreachedSizeWarning,
    VocabSizeError,
    WrongTypeError,
)
from tokenizers_core.files.exports import comparison_to_json, disagreements_to_csv, sweep_to_csv
from tokenizers_core.measures import measure_sizes
from tokenizers_core.text.byte_alphabet import symbols_to_bytes
from tokenizers_core.training.algorithms import EVERY_RUN
from tokenizers_core.training.comparison import (
    LISTED,
    SEED_FACTOR,
    Comparison,
    Merged,
    Regained,
    compare,
    odd_one,
    surface,
    surfaces,
)
from tokenizers_core.training.kinds.paritybpe import joined_corpora
from tokenizers_core.training.merge_trace import MergeEvent, MergeTrace
from tokensteps.runs.corpora import EXAMPLES

GOLDEN = Path(__file__).parents[1] / "golden"
HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def golden(name: str) -> dict[str, Any]:
    return cast(dict[str, Any], json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8")))


@cache
def hug() -> Comparison:
    return compare(Corpus.from_counts(HUG))


@cache
def course(method: str = "course") -> Comparison:
    texts = golden("unigram_course")["corpus"]
    return compare(Corpus.from_texts(texts, pre_tokenizer="whitespace_split_metaspace"), 300, method=method)


words = st.text("abc", min_size=1, max_size=7) | st.text("aé#", min_size=1, max_size=6)
corpora = st.dictionaries(words, st.integers(1, 6), min_size=1, max_size=8)


# --- against the plain version ------------------------------------------------------------------------------


def plain_states(comparison: Comparison, rule: str) -> list[list[State]]:
    """Every state of the three runs: of the merging ones by their plain versions, of Unigram by its
    snapshots."""
    freqs = dict(comparison.corpus.items())
    start = sorted({character for word in freqs for character in word})
    steps, _ = plain_bpe(freqs, tuple, start, rule, str.encode, 10**6)
    bpe: list[State] = [(start, {word: tuple(word) for word in freqs})]
    for step in steps:
        bpe.append((list(dict.fromkeys([*bpe[-1][0], "".join(step.pair)])), step.splits))
    scored, _ = plain_wordpiece(freqs, rule)
    begun = {word: (word[0], *("##" + character for character in word[1:])) for word in freqs}
    marked = sorted({symbol for symbols in begun.values() for symbol in symbols})
    wordpiece: list[State] = [(marked, begun)]
    for scored_step in scored:
        first, second = scored_step.pair
        token = first + second.removeprefix("##")
        wordpiece.append((list(dict.fromkeys([*wordpiece[-1][0], token])), scored_step.splits))
    unigram: list[State] = [
        (list(snapshot.pieces), snapshot.splits()) for snapshot in comparison.runs["unigram"]
    ]
    return [bpe, wordpiece, unigram]


def plainly(comparison: Comparison, states: list[list[State]], size: int) -> PlainSize:
    bpe, wordpiece, unigram = states
    results = [
        # A finished run stays at its last step; merges to an existing token come after the first of a size.
        at_size(merging, size, last=size > len(merging[-1][0]))
        for merging in (bpe, wordpiece)
    ]
    return plain_size(dict(comparison.corpus.items()), [*results, at_size(unigram, size, last=True)])


def check_every_size(comparison: Comparison, plain_at: Callable[[int], PlainSize]) -> None:
    """Every figure of every size; `plain_at` looks at the runs with a vocabulary of some size anew."""
    names, regions = comparison.names, [*comparison[0].overlap().regions]
    total = comparison.corpus.total
    order = comparison.corpus.words
    previous: PlainSize | None = None
    for position, size in enumerate(comparison.sizes):
        plain = plain_at(size)
        snapshot, point = comparison[position], comparison.sweep[position]
        assert (snapshot.size, point.size) == (size, size)
        assert [standing.tokens for standing in snapshot.standings] == plain.tokens
        assert {word: list(cuts) for word, cuts in snapshot.cuts(order).items()} == plain.cuts
        assert point.tokens_per_word == tuple(number and number / total for number in plain.tokens)
        assert point.alike == (None if plain.alike is None else plain.alike / total)
        assert point.alike_pairs == tuple(
            None if words is None else words / total for words in plain.alike_pairs
        )
        assert point.overlap == tuple(plain.overlap)
        disagreements = snapshot.disagreements()
        assert [result.word for result in disagreements] == plain.different
        assert [result.apart for result in disagreements] == [plain.odd[word] for word in plain.different]
        assert all(list(result.cuts) == plain.cuts[result.word] for result in disagreements)
        assert snapshot.different == len(plain.different)
        assert list(snapshot.leading) == plain.different[:LISTED]
        apart = [
            word
            for word in plain.different
            if len(set(plain.cuts[word])) == len(names) and None not in plain.cuts[word]
        ]
        assert list(snapshot.all_apart) == apart[:LISTED]
        overlap = snapshot.overlap()
        for number, name in enumerate(names):
            having = {
                token for region, tokens in overlap.regions.items() if name in region for token in tokens
            }
            assert having == plain.surfaces[number] and overlap.size(name) == len(having)
        for region in regions:
            owners = [plain.surfaces[names.index(name)] for name in region]
            others = [plain.surfaces[names.index(name)] for name in names if name not in region]
            assert set(overlap.regions[region]) == set.intersection(*owners) - set().union(*others)
        assert [*overlap.there] == plain.there
        for pair, index in zip(comparison.pairs, point.overlap, strict=True):
            assert overlap.jaccard(*pair) == index
        if previous is not None:
            changed = [
                word
                for word in order
                if any(
                    now != then and None not in (now, then)
                    for now, then in zip(plain.cuts[word], previous.cuts[word], strict=True)
                )
            ]
            assert sorted(snapshot.changed) == sorted(changed)
        previous = plain


@examples(60)
@given(corpora, st.sampled_from([*TIE_RULES]), st.sampled_from(METHODS))
@example({"abab": 1, "ab": 3, "ba": 2, "aba": 1}, "first", "course")
@example({"##x": 2, "a##x": 3, "##": 1, "#x": 2}, "first", "course")
@example({"a": 1}, "first", "course")
@example({"aaaa": 2, "aaaaaaa": 1}, "lowest_ids", "sentencepiece")
def test_every_size_is_the_plain_comparison(freqs: Mapping[str, int], rule: str, method: str) -> None:
    comparison = compare(
        Corpus.from_counts(freqs, pre_tokenizer="whitespace_split"), None, tie_rule=rule, method=method
    )
    check_every_size(comparison, partial(plainly, comparison, plain_states(comparison, rule)))


@pytest.mark.parametrize("method", METHODS)
def test_the_four_sentences_are_the_plain_comparison(method: str) -> None:
    check_every_size(course(method), partial(plainly, course(method), plain_states(course(method), "first")))


# --- the newer kinds of BPE, against their own tokenizers ---------------------------------------------------


def by_tokenizers(
    corpus: Corpus, train: Mapping[str, Callable[[int], MergeTrace]], texts: Sequence[str], size: int
) -> PlainSize:
    """Each run trained anew to a size, the corpus's words and its texts encoded with the result."""
    states: list[State | None] = []
    totals = []
    for train_to in train.values():
        trace = train_to(size)
        tokenizer = trace.tokenizer()
        bridging = trace.corpus.pipeline.byte_level
        splits = {
            word: tokenizer.encode(symbols_to_bytes(word).decode()).tokens
            if bridging
            else [tokenizer.tokens[identifier] for identifier in tokenizer.model.encode_word(word)]
            for word in corpus.words
        }
        states.append((trace[-1].vocab, splits))
        totals.append(sum(len(tokenizer.encode(text).tokens) for text in texts))
    return replace(plain_size(dict(corpus.items()), states, [*train]), tokens=totals)


def check_kinds(
    corpus: Corpus | dict[str, Corpus], texts: list[str], names: Sequence[str], **own: Any
) -> None:
    comparison = compare(corpus, 40, runs=names, kinds=own)
    train = {
        name: partial(
            EVERY_RUN[name].train,
            corpus if name == "paritybpe" else joined_corpora(corpus) if isinstance(corpus, dict) else corpus,
            **own.get(name, {}),
        )
        for name in names
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnreachedSizeWarning)
        check_every_size(comparison, partial(by_tokenizers, comparison.corpus, train, texts))
    (measured,) = measure_sizes(comparison, [len(comparison)])
    for index, (one, standing) in enumerate(zip(measured, comparison[-1].standings, strict=True)):
        assert one is not None and (one.tokens, one.size) == (standing.tokens, standing.size)
        cuts = {word: cuts[index] for word, cuts in comparison[-1].cuts(comparison.corpus.words).items()}
        assert one.whole == sum(
            number for word, number in comparison.corpus.items() if len(cuts[word] or ()) == 1
        )


spaced = st.lists(st.text("ab 1:", min_size=1, max_size=14).filter(str.strip), min_size=1, max_size=6)


@examples(25)
@given(spaced, st.integers(6, 12), st.sampled_from(["1/2", "0.9"]))
@example(["ab a1 ab a1 ab a1", " 1111 ab: ab", "ab ab ab ab"], 7, "1/2")
def test_superbpe_and_pickybpe_agree_with_their_tokenizers(
    texts: list[str], transition: int, threshold: str
) -> None:
    """Tokens of the whole text, where SuperBPE's bridge words; each word by itself; PickyBPE's present
    tokens."""
    corpus = Corpus.from_texts(texts)
    own = {"superbpe": {"transition": transition}, "pickybpe": {"threshold": threshold}}
    check_kinds(corpus, texts, ["bpe", "superbpe", "pickybpe"], **own)


@examples(15)
@given(spaced, spaced)
def test_parity_and_sentencepiece_agree_with_their_tokenizers(one: list[str], other: list[str]) -> None:
    """Parity-aware BPE has a corpus for each language, the others all of them together."""
    corpora = {
        name: Corpus.from_texts(texts, pre_tokenizer="whitespace_split_metaspace")
        for name, texts in (("a", one), ("b", other))
    }
    everything = Corpus.from_texts([*one, *other], pre_tokenizer="whitespace_split_metaspace")
    assert joined_corpora(corpora) == everything
    check_kinds(corpora, [*one, *other], ["bpe", "paritybpe", "sentencepiece_bpe"])


def test_events_of_the_newer_kinds_of_bpe_for_a_size() -> None:
    """The change of stages, and the removed tokens; oracle: the traces' events between the two steps."""
    corpus = Corpus.from_texts(EXAMPLES["scaffolding"].text().splitlines())
    own = {"superbpe": {"transition": 60}, "pickybpe": {"threshold": "0.6"}}
    comparison = compare(corpus, 90, runs=["superbpe", "pickybpe"], kinds=own)
    begun, left = [], 0
    for before, snapshot in pairwise(comparison):
        for one, side, change in zip(before.standings, comparison.sides, snapshot.event.changes, strict=True):
            now = cast(int, side.steps[snapshot.step])
            events = [side.trace[step].event for step in range(cast(int, one.step) + 1, now + 1)]
            merges = [cast(MergeEvent, event) for event in events if event.kind == "merge"]
            if change is None:
                assert events == []  # over
                continue
            merged, last = cast(Merged, change), merges[-1]
            assert (merged.token, merged.freq, merged.again) == (last.token, last.freq, len(merges) - 1)
            gone = {*side.trace[one.step].vocab} - {*side.trace[now].vocab}
            assert {*merged.lost} == gone
            assert merged.removals == sum(event.kind == "remove" for event in events)
            left += len(gone)
            if merged.bridging:
                begun.append((snapshot.size, [event.kind for event in events]))
    assert begun == [(61, ["stage", "merge"])] and left


def test_invalid_sets_of_runs() -> None:
    corpus = Corpus.from_counts(HUG)
    with pytest.raises(UnknownNameError, match="kinds='pickybp' is not known"):
        compare(corpus, runs=["bpe", "pickybpe"], kinds={"pickybp": {"threshold": 0.1}})
    with pytest.raises(WrongTypeError, match="kinds"):
        compare(corpus, kinds=["pickybpe"])  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="name two at least"):
        compare(corpus, runs=["bpe", "bpe"])
    with pytest.raises(UnknownNameError, match=f"'plain' is not known; choose one of {', '.join(EVERY_RUN)}"):
        compare(corpus, runs=["bpe", "plain"])
    with pytest.raises(SettingError, match="only byte_level keeps"):
        compare(corpus, runs=["bpe", "superbpe"])
    with pytest.raises(WrongTypeError, match="each language's corpus by its name"):
        compare(corpus, runs=["bpe", "paritybpe"])


# --- against the training functions -------------------------------------------------------------------------


def test_each_size_equals_training_to_it() -> None:
    """BPE and WordPiece to the letter; of Unigram, the pieces, with a stop exactly there."""
    comparison = course()
    corpus = comparison.corpus
    for index in range(0, len(comparison) + 1, 13):
        size = comparison.sizes[index]
        bpe, wordpiece, unigram = comparison.sides
        for side, trained in ((bpe, train_bpe(corpus, size)), (wordpiece, train_wordpiece(corpus, size))):
            step = cast(int, side.steps[index])
            assert side.trace[step].vocab == trained[-1].vocab
            assert side.trace[step].splits() == trained[-1].splits()
        exact = train_unigram(corpus, comparison.settings["seed_size"], size, exact=True)
        assert set(unigram.trace[cast(int, unigram.steps[index])].pieces) == set(exact[-1].pieces)


def test_the_published_merges_of_the_small_corpus() -> None:
    """Both begin with seven symbols; size 7 + k is the course's k-th merge."""
    comparison = hug()
    assert comparison.sizes == range(7, 17) and comparison.stop_reason == "no_pairs"
    for name, position in (("bpe_hug", 0), ("wordpiece_hug", 1)):
        for number, step in enumerate(golden(name)["steps"], start=1):
            change = cast(Merged, comparison[number].event.changes[position])
            assert (list(change.pair), change.token, change.freq) == (
                step["pair"],
                step["token"],
                step["freq"],
            )
            assert change.score == (Fraction(step["score"]) if "score" in step else None)
    assert [standing.change for standing in comparison[0].standings] == [None, None, None]
    first = {word: cuts[0] for word, cuts in comparison[3].cuts(HUG).items()}
    assert first == {
        "hug": ("hug",),
        "pug": ("p", "ug"),
        "pun": ("p", "un"),
        "bun": ("b", "un"),
        "hugs": ("hug", "s"),
    }
    assert comparison[3].standings[0].tokens == 10 + 5 * 2 + 12 * 2 + 4 * 2 + 5 * 2


def test_pieces_of_unigram_here_and_not_one_size_below() -> None:
    comparison = course()
    trace = comparison.runs["unigram"]
    for index in range(1, len(comparison) + 1):
        now = cast(int, comparison.sides[2].steps[index])
        below = cast(int, comparison.sides[2].steps[index - 1])
        change = cast(Regained, comparison[index].event.changes[2])
        assert below == now + 1 and trace.record.sizes[now] == comparison.sizes[index]
        (piece,) = change.tokens
        assert piece in trace[now].pieces and piece not in trace[below].pieces
        event = cast(Any, trace[below].event)
        assert (piece, change.loss) == (event.piece, event.loss)


def test_where_one_has_no_vocabulary_of_a_size() -> None:
    """WordPiece begins later; BPE ends earlier; a small seed ends Unigram."""
    comparison = compare(Corpus.from_counts({"abab": 2, "ba": 3, "cab": 1}), seed_size=5)
    assert comparison.sizes[0] == 3 and comparison.runs["wordpiece"].vocab_sizes[0] == 5
    standing = comparison[0].standings[1]
    assert (standing.step, standing.size, standing.tokens, standing.limit) == (None, None, None, 5)
    point = comparison.sweep[0]
    assert point.tokens_per_word[1] is None and point.alike is None
    assert point.alike_pairs == (None, 1.0, None) and point.overlap == (None, None, None)
    assert {cuts[1] for cuts in comparison[0].cuts(comparison.corpus.words).values()} == {None}
    assert comparison[0].disagreements() == [] and comparison[0].overlap().size("wordpiece") == 0
    overlap = comparison[1].overlap()
    assert overlap.there == ("bpe", "unigram") and overlap.size("bpe") == 1
    assert overlap.jaccard("bpe", "wordpiece") is None is overlap.jaccard("wordpiece", "unigram")
    assert overlap.jaccard("bpe", "unigram") is not None
    begins = comparison.sizes.index(5)
    assert comparison[begins].standings[1].limit is None and comparison.sweep[begins].alike is not None
    end = comparison[-1].standings
    assert end[2].size == end[2].limit == 5 and end[2].step == 0
    assert (
        min(comparison.runs["bpe"].vocab_sizes[-1], comparison.runs["wordpiece"].vocab_sizes[-1])
        < comparison.sizes[-1]
    )
    assert any(standing.limit is not None for standing in end[:2])


def test_sentencepiece_passes_over_sizes() -> None:
    """Its M steps drop pieces at once: then it stands with fewer, and the next change comes at once too."""
    comparison = course("sentencepiece")
    between = [snapshot.standings[2] for snapshot in comparison if snapshot.standings[2].limit is not None]
    assert between and all(cast(int, standing.size) < comparison.sizes[-1] for standing in between)
    several = [
        change
        for snapshot in comparison
        if (change := cast(Regained | None, snapshot.event.changes[2])) is not None and len(change.tokens) > 1
    ]
    assert several and all(change.loss is None for change in several)


def test_the_smallest_size_for_so_few_tokens() -> None:
    comparison = course()
    for name, index in zip(NAMES, range(3), strict=True):
        heights = [cast(float, point.tokens_per_word[index]) for point in comparison.sweep]
        for most in (6.0, 3.5, 1.0):
            size = comparison.first_size(name, most)
            assert size == next(
                size for size, height in zip(comparison.sizes, heights, strict=True) if height <= most
            )
        assert comparison.first_size(name, 0.5) is None


# --- small parts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cuts", "odd"),
    [
        ([("a",), ("a",), ("a",)], ""),
        ([("ab",), ("a", "b"), ("ab",)], "wordpiece"),
        ([("abc",), ("a", "bc"), ("ab", "c")], "all"),
        ([("ab",), None, ("a", "b")], "all"),
        ([None, None, None], ""),
    ],
)  # fmt: skip
def test_odd_one(cuts: list[Any], odd: str) -> None:
    assert odd_one(dict(zip(NAMES, cuts, strict=True))) == odd


def test_surfaces_go_by_place() -> None:
    """A word may be spelled with ## itself: only a continuation of a word loses it, and only once."""
    assert surfaces(("##", "####")) == ("##", "##") and surfaces(()) == ()
    assert [surface(token) for token in ("##", "####", "##a", "a##")] == ["##", "##", "a", "a##"]


# --- settings, errors, progress -----------------------------------------------------------------------------


def test_a_size_below_an_alphabet_is_refused() -> None:
    corpus = Corpus.from_counts({"abab": 2, "ba": 3})
    with pytest.raises(VocabSizeError) as message:
        compare(corpus, 3)
    assert (
        str(message.value) == "vocab_size=3 is below the WordPiece alphabet's 4 symbols; choose at least 4."
    )
    with pytest.raises(VocabSizeError, match="below the alphabet's 7 symbols; choose at least 7"):
        compare(Corpus.from_counts(HUG), 6)
    assert compare(Corpus.from_counts(HUG), 7).sizes == range(7, 8)


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"tie_rule": "x"}, UnknownNameError),
        ({"method": "x"}, UnknownNameError),
        ({"seed_size": 6}, SettingError),
    ],
)
def test_invalid_settings(settings: Any, error: type[TokenizersCoreError]) -> None:
    with pytest.raises(error):
        compare(Corpus.from_counts(HUG), **settings)


def test_the_seed_is_four_times_the_largest_size() -> None:
    assert hug().settings["seed_size"] == SEED_FACTOR * 16
    assert compare(Corpus.from_counts(HUG), 9, seed_size=12).settings["seed_size"] == 12
    assert compare(Corpus.from_counts(HUG), 9, seed_size=12).sides[2].sizes[0] == 12


def test_progress_only_grows_and_stays_within_its_total() -> None:
    messages: list[tuple[int, int | None]] = []

    def progress(done: int, total: int | None) -> bool:
        messages.append((done, total))
        return True

    compare(course().corpus, 120, progress=progress)
    assert [done for done, _total in messages] == sorted(done for done, _total in messages)
    assert all(total is not None and done <= total for done, total in messages)
    messages.clear()
    assert compare(course().corpus, progress=progress).stop_reason == "no_pairs" and messages


@pytest.mark.parametrize("calls", [1, 2, 3, 4, 6])
def test_a_stopped_comparison_can_be_viewed(calls: int) -> None:
    left = calls

    def progress(_done: int, _total: int | None) -> bool:
        nonlocal left
        left -= 1
        return left > 0

    comparison = compare(course().corpus, 170, progress=progress)
    assert comparison.stop_reason == "stopped"
    assert len(comparison.sweep) == len(comparison) + 1
    for snapshot in comparison:
        for standing, change in zip(snapshot.standings, snapshot.event.changes, strict=True):
            assert (standing.step is None) == (standing.tokens is None)
            assert standing.change == change
    json.loads(comparison_to_json(comparison[-1]))


def test_snapshots_compare_and_comparisons_pickle() -> None:
    comparison = hug()
    again = compare(Corpus.from_counts(HUG))
    assert [*comparison] == [*again] and comparison[2] != again[3]
    assert hash(comparison[2]) == hash(again[2])
    restored = pickle.loads(pickle.dumps(course()))
    assert restored.sweep == course().sweep and restored[-1] == course()[-1]
    with pytest.raises(IndexError):
        comparison[99]


# --- files --------------------------------------------------------------------------------------------------


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_sweep_as_csv() -> None:
    comparison = compare(Corpus.from_counts({"abab": 2, "ba": 3, "cab": 1}))
    rows = read_csv(sweep_to_csv(comparison))
    assert [int(row["vocab_size"]) for row in rows] == [*comparison.sizes]
    for row, snapshot, point in zip(rows, comparison, comparison.sweep, strict=True):
        for standing in snapshot.standings:
            tokens = row[f"{standing.name}_tokens"]
            assert tokens == ("" if standing.tokens is None else str(standing.tokens))
            assert row[f"{standing.name}_size"] == ("" if standing.size is None else str(standing.size))
        assert row["alike_all"] == ("" if point.alike is None else str(point.alike))
        for (first, second), share in zip(comparison.pairs, point.overlap, strict=True):
            assert row[f"overlap_{first}_{second}"] == ("" if share is None else str(share))


def test_words_that_a_spreadsheet_would_take_for_formulas_are_inert() -> None:
    hostile = {"=1+1": 9, "+x+x": 8, "@sum@sum": 7, "-a-a": 6, 'a"b,c"b': 5, "<b>x</b>": 4}
    comparison = compare(Corpus.from_counts(hostile, pre_tokenizer="whitespace_split"), 24)
    rows = read_csv(disagreements_to_csv(comparison[-1]))
    result = comparison[-1].disagreements()
    assert result and len(rows) == len(result)
    for row, message in zip(rows, result, strict=True):
        assert row["word"].removeprefix("'") == message.word and row["apart"] == message.apart
        for name, cut in zip(NAMES, message.cuts, strict=True):
            assert row[name].removeprefix("'") == " ".join(cut or ())
            assert row[f"{name}_tokens"] == str(len(cut or ()))
        assert all(not cell.startswith(("=", "+", "-", "@")) for cell in row.values())


def test_the_comparison_as_json() -> None:
    snapshot = course()[60]
    data = json.loads(comparison_to_json(snapshot))
    assert data["vocab_size"] == 90 and data["words"] == dict(course().corpus.items())
    assert data["settings"] == {
        "vocab_size": 300,
        "tie_rule": "first",
        "method": "course",
        "seed_size": 4 * 174,
    }
    for standing in snapshot.standings:
        message = data["algorithms"][standing.name]
        assert (message["step"], message["size"], message["tokens"]) == (
            standing.step,
            standing.size,
            standing.tokens,
        )
        assert len(message["vocab"]) == 90
    assert [row["vocab_size"] for row in data["sweep"]] == [*course().sizes]
    assert data["sweep"][60]["tokens_per_word"] == {
        standing.name: standing.tokens_per_word for standing in snapshot.standings
    }
    assert [row["word"] for row in data["disagreements"]] == [row.word for row in snapshot.disagreements()]
    assert [tuple(row["algorithms"]) for row in data["overlap"]] == [*REGIONS]


@pytest.mark.parametrize("names", [("bpe", "unigram"), ("bpe", "wordpiece", "unigram", "bpe again")])
def test_any_number_of_runs(names: tuple[str, ...]) -> None:
    """Oracle: the comparison of three, pair by pair; a run beside itself shares everything with itself."""
    three = course()
    some = replace(three, runs={name: three.runs[name.split()[0]] for name in names})
    known = dict(zip(three.pairs, zip(*(point.overlap for point in three.sweep), strict=True), strict=True))
    for pair, shares in zip(
        some.pairs, zip(*(point.overlap for point in some.sweep), strict=True), strict=True
    ):
        first, second = (name.split()[0] for name in pair)
        same = tuple(1.0 if share is not None else None for share in known["bpe", "wordpiece"])
        assert shares == (same if first == second else known.get((first, second), known.get((second, first))))
    at = some[40]
    assert all(one.apart in {*names, "all"} and len(one.cuts) == len(names) for one in at.disagreements())
    assert max(map(len, at.overlap().regions)) == len(names)
