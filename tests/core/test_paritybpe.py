"""Parity-aware BPE (`tokenizers_core/training/kinds/paritybpe.py`).

Source: `golden/paritybpe.json`, a run recomputed by a plain program. Oracle: `oracle_kinds.plain_parity`,
which recounts everything at each step and shares nothing with the engine, on generated corpora, under all tie
rules and options. Judge: `ParityBpeTrainer` of the `tokenizers` library, with ties won by the greatest
strings.
"""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.text import library_text, prose
from tests.core.oracle_kinds import plain_parity
from tests.samples import examples, spread
from tokenizers_core import (
    TIE_RULES,
    Corpus,
    ParityTrace,
    tipping_points,
    tokenizer_to_json,
    train_bpe,
    train_paritybpe,
)
from tokenizers_core.encoding.reasons import MergedAcross
from tokenizers_core.errors import SettingError, WrongTypeError
from tokenizers_core.files.exports import trace_to_csv, trace_to_dict
from tokenizers_core.measures import gini
from tokenizers_core.plain import paritybpe as plain
from tokenizers_core.trace import CutOff

ROOT: Final = Path(__file__).parents[2]
GOLDEN: Final[dict[str, Any]] = json.loads((ROOT / "tests" / "golden" / "paritybpe.json").read_text("utf-8"))
SIX: Final = {
    path.stem: path.read_text("utf-8").splitlines()
    for path in (ROOT / "assets/corpora/parallel").glob("*.txt")
}

pytestmark = pytest.mark.filterwarnings("ignore::tokenizers_core.errors.UnreachedSizeWarning")
words = st.dictionaries(st.text("abc", min_size=1, max_size=6), st.integers(1, 6), min_size=1, max_size=5)
languages = st.lists(words, min_size=1, max_size=4).map(lambda dicts: dict(zip("wxyz", dicts, strict=False)))


def counted(lines: list[str]) -> Corpus:
    """Words with the space before them, in characters, as the golden file has them."""
    result = plain.words_of(lines)
    return Corpus.from_counts({word.replace("␣", "Ġ"): number for word, number in result.items()})


def test_golden_run() -> None:
    corpora = {language: counted(lines) for language, lines in GOLDEN["lines"].items()}
    trace = train_paritybpe(corpora, merges=GOLDEN["merges"])
    results = [
        {
            "language": event.language,
            "tokens_before": event.tokens_before,
            "pair": [*event.pair],
            "token": event.token,
            "count": event.freq,
        }
        for event in (snapshot.event for snapshot in trace[1:])
    ]
    assert results == GOLDEN["steps"]
    assert trace.parallel_tokens(len(trace)) == GOLDEN["tokens_after"] == {"en": 56, "de": 56, "tr": 57}
    assert round(gini([*trace.parallel_tokens(40).values()]), 4) == 0.0039


def test_plain_run_is_that_of_plain_bpe() -> None:
    corpora = {language: counted(lines) for language, lines in GOLDEN["lines"].items()}
    trace = train_paritybpe(corpora, merges=GOLDEN["merges"])
    assert trace.plain_tokens(40) == GOLDEN["plain_bpe_tokens_after"] == {"en": 42, "de": 64, "tr": 52}
    assert round(gini([*trace.plain_tokens(40).values()]), 4) == 0.0928
    together = train_bpe(trace.corpus, merges=40)
    for step in range(41):
        splits = together[step].splits()
        assert trace.plain_tokens(step) == {
            language: sum(len(splits[word]) * count for word, count in corpus.items())
            for language, corpus in corpora.items()
        }
    ended = train_paritybpe(corpora)  # 147 merges, and plain BPE has no pair left after 143
    assert len(ended.plain_run) < len(ended)
    assert ended.plain_tokens(len(ended)) == ended.plain_run.parallel_tokens(len(ended.plain_run))


def checked(
    counts: dict[str, dict[str, int]],
    parallel: dict[str, dict[str, int]] | None,
    tie_rule: str,
    global_merges: int,
    ratio: list[str] | None,
    window: int | None,
    alpha: float,
) -> None:
    """A run beside the oracle's: every step, read in any order."""
    corpora = {name: Corpus.from_counts(one) for name, one in counts.items()}
    texts = None if parallel is None else {name: Corpus.from_counts(one) for name, one in parallel.items()}
    trace = train_paritybpe(
        corpora, parallel=texts, tie_rule=tie_rule, global_merges=global_merges,
        ratio=None if ratio is None else [float(one) for one in ratio], window=window, alpha=alpha,
    )  # fmt: skip
    theirs = plain_parity(
        counts, parallel, trace.alphabet, tie_rule, str.encode, 10**9, global_merges,
        None if ratio is None else [Fraction(one) for one in ratio], window, Fraction(alpha),
    )  # fmt: skip
    assert len(trace) == len(theirs)
    tied = [*trace.tied_pairs()]
    tokens = [
        {language: sum(len(word) * count for word, count in one.items()) for language, one in counts.items()}
    ]
    for one in theirs:
        tokens.append(
            {
                language: sum(len(split) * counts[language][word] for word, split in words.items())
                for language, words in one.splits.items()
            }
        )
    order = [*range(1, len(theirs) + 1)]
    Random(len(theirs)).shuffle(order)
    for step in order:
        event, one = trace[step].event, theirs[step - 1]
        assert (event.language, event.pair, event.plain) == (one.language, one.pair, one.plain)
        assert event.tokens_before == one.tokens
        fewer = {language: tokens[step - 1][language] - now for language, now in tokens[step].items()}
        assert event.everywhere == sum(fewer.values())
        assert event.applied == (fewer[event.language] if event.language else event.everywhere)
        if parallel is None:
            assert event.tokens_after == tokens[step]
        assert [trace.read_pair(pair) for pair in tied[step - 1]] == one.tied
        assert [tie.pair for tie in event.tied] == one.tied[:12]
        splits = trace[step].splits()
        for words in one.splits.values():
            assert {word: [*splits[word]] for word in words} == words
        best = trace.candidates(step - 1, 2)
        margin = best[0].freq - best[1].freq if len(best) == 2 else None
        assert trace.margin(step) == trace.history[step - 1].margin == margin
    merges = [one.pair for one in theirs]
    assert [*trace[-1].merges] == merges


@pytest.mark.parametrize("tie_rule", TIE_RULES)
@examples(120)
@given(
    languages, st.none() | languages, st.integers(0, 4), st.sampled_from([None, ["1", "2.5", "0.5", "1"]]),
    st.none() | st.integers(1, 6), st.sampled_from([0.5, 1.0, 2.0]),
)  # fmt: skip
@example({"w": {"ab": 2}, "x": {"ab": 3, "cab": 1}}, None, 1, None, 2, 1.0)
def test_every_step_is_the_oracles(
    tie_rule: str,
    counts: dict[str, dict[str, int]],
    parallel: dict[str, dict[str, int]] | None,
    global_merges: int,
    ratio: list[str] | None,
    window: int | None,
    alpha: float,
) -> None:
    if parallel is not None:  # the same languages in both
        parallel = {name: parallel.get(name, one) for name, one in counts.items()}
        ratio = None
    checked(counts, parallel, tie_rule, global_merges, ratio and ratio[: len(counts)], window, alpha)


def library(
    corpora: dict[str, list[str]], parallel: dict[str, list[str]] | None = None, **settings: Any
) -> list[tuple[str, str]]:
    """The merges of `ParityBpeTrainer`."""
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    ratio = settings.pop("ratio", None)
    if not hasattr(tokenizers.trainers, "ParityBpeTrainer"):
        pytest.skip("this version of tokenizers has no ParityBpeTrainer")
    trainer = tokenizers.trainers.ParityBpeTrainer(show_progress=False, **settings)
    beside = {} if parallel is None else {"dev_iterators": [*parallel.values()]}
    beside |= {} if ratio is None else {"ratio": ratio}
    trainer.train_from_iterator(theirs, train_iterators=[*corpora.values()], **beside)
    return [tuple(pair) for pair in json.loads(theirs.to_str())["model"]["merges"]]


@pytest.mark.parametrize(
    ("ours", "settings"),
    [
        ({}, {}),
        ({"global_merges": 100}, {"global_merges": 100}),
        ({"window": 20, "alpha": 1.5}, {"variant": "window", "window_size": 20, "alpha": 1.5}),
        ({"ratio": [1.0, 1.5, 2.0, 1.0, 0.5, 2.0]}, {"ratio": [1.0, 1.5, 2.0, 1.0, 0.5, 2.0]}),
    ],
    ids=["base", "global", "window", "ratio"],
)  # fmt: skip
def test_the_librarys_merges_on_six_languages(ours: dict[str, Any], settings: dict[str, Any]) -> None:
    """The same pairs in the same order. Theirs takes floats for ratios; they decide no step here."""
    corpora = {
        name: Corpus.from_texts(lines, pre_tokenizer="whitespace_split") for name, lines in SIX.items()
    }
    trace = train_paritybpe(corpora, merges=600, tie_rule="greatest", **ours)
    parallel = None if "ratio" in ours else SIX
    assert [*trace[-1].merges] == library(SIX, parallel, num_merges=600, **settings)


def test_the_librarys_merges_on_300_kb() -> None:
    """Corpora of unlike sizes, and a parallel text of its own: the balanced text is not the training text."""
    corpora = {"en": prose(200_000).splitlines(), "python": library_text(100_000).splitlines()}
    parallel = {"en": prose(12_000).splitlines(), "python": library_text(12_000).splitlines()}
    ours = [
        {name: Corpus.from_texts(lines, pre_tokenizer="whitespace_split") for name, lines in texts.items()}
        for texts in (corpora, parallel)
    ]
    trace = train_paritybpe(ours[0], parallel=ours[1], merges=800, tie_rule="greatest")
    assert [*trace[-1].merges] == library(corpora, parallel, num_merges=800)
    assert len({*trace.chosen}) == 2


def test_the_chapter_does_the_same() -> None:
    counts = {language: plain.words_of(lines) for language, lines in GOLDEN["lines"].items()}
    _vocabulary, steps, splits = plain.train(counts, 60)
    trace = train_paritybpe({name: Corpus.from_counts(one) for name, one in counts.items()}, merges=60)
    assert [(one.event.language, one.event.tokens_before, one.event.pair) for one in trace[1:]] == steps
    for words in splits.values():
        assert trace[-1].splits(words) == {word: tuple(split) for word, split in words.items()}


@pytest.mark.parametrize(("every", "together"), [(1, 20), (7, 0)])
def test_growing(every: int, together: int) -> None:
    corpora = {name: Corpus.from_texts(lines) for name, lines in SIX.items()}
    whole = train_paritybpe(corpora, merges=150, global_merges=together, alphabet="bytes")
    seen: list[ParityTrace] = []
    calls = 0

    def growing(cut: CutOff) -> None:
        nonlocal calls
        calls += 1
        if calls % every == 0 or calls == 1:
            part = pickle.loads(pickle.dumps(cut()))
            seen.append(seen[-1].grown(part) if seen else part)
            _ = seen[-1].candidates(len(seen[-1]), 3)

    assert (
        train_paritybpe(corpora, merges=150, global_merges=together, alphabet="bytes", growing=growing)
        == whole
    )
    for trace in spread(seen, 12):
        for step in {0, len(trace) // 2, len(trace)}:
            assert trace[step].event == whole[step].event
            assert trace[step].splits() == whole[step].splits()
        assert trace.candidates(max(0, len(trace) - 1)) == whole.candidates(max(0, len(trace) - 1))


def test_tipping_points_are_of_the_language_that_chose() -> None:
    corpora = {"w": Corpus.from_counts({"ab": 3, "cd": 2}), "x": Corpus.from_counts({"abc": 2})}
    trace = train_paritybpe(corpora)
    assert (trace[1].event.language, trace[1].event.pair) == ("w", ("a", "b"))
    # Two `ab` fewer, and `cd` is more frequent in w; x has six tokens then, as w has, and w is named first.
    assert tipping_points(trace, 1, ["ab", "cd"]) == {"ab": -2, "cd": 2}


def test_lineage_and_why_not() -> None:
    """By hand: en and de take 14 and 12 tokens, so en chooses `ab`; then 7 and 8, so de chooses `abc`; then 7
    and 6, and en chooses `abab`."""
    corpora = {"en": Corpus.from_counts({"abab": 3, "ab": 1}), "de": Corpus.from_counts({"abc": 2, "cab": 2})}
    trace = train_paritybpe(corpora)
    assert [part.token for part in trace.lineage("abab").parts] == ["ab", "ab"]
    reason = trace.tokenizer().why_not("abab", ["ab", "ab"])
    assert isinstance(reason, MergedAcross) and reason.made[:2] == ("ab", "ab")
    assert [trace.language_at(trace.step_of_token[one]) for one in ("ab", "abc", "abab")] == [
        "en",
        "de",
        "en",
    ]


def test_exports() -> None:
    corpora = {language: counted(lines) for language, lines in GOLDEN["lines"].items()}
    trace = train_paritybpe(corpora, merges=40)
    run = trace_to_dict(trace)
    json.dumps(run)
    assert run["kind"] == "paritybpe"
    assert run["corpora"]["tr"] == dict(corpora["tr"].items())
    assert [
        (step["language"], step["tokens_before"], step["pair"], step["freq"]) for step in run["steps"]
    ] == [(step["language"], step["tokens_before"], step["pair"], step["count"]) for step in GOLDEN["steps"]]
    assert len(trace_to_csv(trace).splitlines()) == 41
    tokenizer = trace.tokenizer()
    theirs = tokenizers.Tokenizer.from_str(tokenizer_to_json(tokenizer))
    for lines in GOLDEN["lines"].values():
        for line in lines:
            assert tokenizer.ids(line) == theirs.encode(line).ids


CORPUS: Final = Corpus.from_counts({"hug": 3})


def test_a_window_longer_than_any_run_stops_nobody() -> None:
    settings: dict[str, Any] = {"merges": 5, "alpha": 1.0}
    corpora = {"en": CORPUS, "de": CORPUS}
    assert train_paritybpe(corpora, window=10**30, **settings) == train_paritybpe(
        corpora, window=10**6, **settings
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"corpora": {}}, "at least one language"),
        ({"parallel": {"de": CORPUS}}, "languages of the corpora: en"),
        ({"corpora": {"en": CORPUS, "de": Corpus.from_texts(["hug"])}}, "same rules"),
        ({"global_merges": -1}, "choose at least 0"),
        ({"window": 0}, "choose at least 1"),
        ({"alpha": 0}, "above 0"),
        ({"ratio": [1, 2]}, "a number above 0: en"),
        ({"ratio": {"de": 1}}, "a number above 0: en"),
        ({"ratio": [1], "parallel": {"en": CORPUS}}, "one of the two"),
    ],
)
def test_contradictory_options(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        train_paritybpe(**{"corpora": {"en": CORPUS}, **settings})


@pytest.mark.parametrize("settings", [{"corpora": CORPUS}, {"corpora": {"en": "hug"}}, {"window": "wide"}])
def test_wrong_types(settings: dict[str, Any]) -> None:
    with pytest.raises(WrongTypeError):
        train_paritybpe(**{"corpora": {"en": CORPUS}, **settings})
