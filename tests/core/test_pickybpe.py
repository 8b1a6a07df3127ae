"""PickyBPE (`tokenizers_core/training/kinds/pickybpe.py`).

Source: `golden/pickybpe.json`, runs recomputed by a plain program in agreement with the authors' own. Oracle:
`oracle_kinds.plain_picky`, which recounts the whole corpus at each step and shares nothing with the engine,
on generated corpora, under all tie rules; on prose an independent recount of each removal's share.
"""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.text import prose
from tests.core.oracle_kinds import KindStep, plain_picky, plain_picky_encode
from tests.samples import examples, spread
from tokenizers_core import TIE_RULES, Corpus, PickyTrace, tipping_points, train_bpe, train_pickybpe
from tokenizers_core.encoding.reasons import UnknownCharacter
from tokenizers_core.encoding.vocabulary import Private, PrivatePair, Vocabulary
from tokenizers_core.errors import SettingError, UnsavableError, WrongTypeError
from tokenizers_core.files.exports import merges_txt, trace_to_csv, trace_to_dict, vocab_json
from tokenizers_core.files.tokenizer_json import tokenizer_to_json
from tokenizers_core.plain import pickybpe as plain
from tokenizers_core.text.byte_alphabet import symbols_to_bytes
from tokenizers_core.trace import CutOff
from tokenizers_core.training.bpe import CountQueue
from tokenizers_core.training.merging import PairTable

GOLDEN: Final[list[dict[str, Any]]] = json.loads(
    (Path(__file__).parents[1] / "golden" / "pickybpe.json").read_text("utf-8")
)
HUG: Final = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
RETURNING: Final = {"abc": 5, "abd": 4, "ab": 1, "xab": 3, "xabx": 2}
"""Where a token leaves and comes back."""

pytestmark = pytest.mark.filterwarnings("ignore::tokenizers_core.errors.UnreachedSizeWarning")
counts = st.dictionaries(st.text("abc", min_size=1, max_size=9), st.integers(1, 9), min_size=1, max_size=9)
thresholds = st.sampled_from(["0", "1/3", "1/2", "0.6", "9/10", "1"])


def steps(trace: PickyTrace) -> list[dict[str, Any]]:
    """The events of a run as the golden file writes them."""
    events: list[dict[str, Any]] = []
    for snapshot in trace[1:]:
        event = snapshot.event
        match event.kind:
            case "merge":
                events.append(
                    {
                        "kind": "merge",
                        "pair": [*event.pair],
                        "token": event.token,
                        "count": event.freq,
                        "merged": event.applied,
                        "tied_pairs": event.tied_count,
                        "restored": event.restored,
                    }
                )
            case "remove":
                events.append(
                    {
                        "kind": "remove",
                        "token": event.token,
                        "ios": str(event.share),
                        "left": event.left,
                        "parts": [*event.parts],
                    }
                )
    return events


@pytest.mark.parametrize(
    "figures", GOLDEN, ids=lambda figures: f"{len(figures['words'])} words, {figures['threshold']}"
)
def test_golden_runs(figures: dict[str, Any]) -> None:
    corpus = Corpus.from_counts(figures["words"])
    trace = train_pickybpe(
        corpus, figures["vocab_size"], threshold=figures["threshold"], tie_rule=figures["tie_rule"]
    )
    assert steps(trace) == figures["events"]
    assert {*trace[-1].vocab} == {*figures["vocabulary"]}
    assert trace[-1].vocab_size == len(figures["vocabulary"])
    assert {word: [*split] for word, split in trace[-1].splits().items()} == figures["final_splits"]
    tokenizer = trace.tokenizer()
    for word, tokens in figures["encode"].items():
        assert [*tokenizer.encode(word).tokens] == tokens


def checked(words: dict[str, int], threshold: str, tie_rule: str, pre_tokenizer: str) -> None:
    """A run beside the oracle's: every step, read in any order, and the tokenizer of every step."""
    corpus = Corpus.from_counts(words, pre_tokenizer=pre_tokenizer)
    trace = train_pickybpe(corpus, threshold=threshold, tie_rule=tie_rule)
    to_bytes = symbols_to_bytes if corpus.pipeline.byte_level else str.encode
    theirs = plain_picky(
        dict(corpus.items()), corpus.symbols, trace.alphabet, tie_rule, to_bytes, 10**9, Fraction(threshold)
    )
    assert len(trace) == len(theirs)
    tied = [*trace.tied_pairs()]
    order = [*range(1, len(theirs) + 1)]
    Random(len(theirs)).shuffle(order)
    for step in order:
        same_step(trace, step, theirs[step - 1], tied[step - 1])
    unseen = ["abcabc", "cab", "aaaa", *words]
    for step in spread([*range(len(trace) + 1)], 4):
        tokenizer = trace.tokenizer(step)
        for word in unseen:
            if {*corpus.symbols(word)} <= {*trace.alphabet}:
                encoded = plain_picky_encode(corpus.symbols(word), theirs[:step])
                assert [*tokenizer.encode(word).tokens] == encoded
                assert [*trace[step].splits([word])[word]] == encoded
                assert [*tokenizer.explain(word)[-1].tokens] == encoded
                assert tokenizer.why_not(word, encoded).kind == "chosen"


def same_step(trace: PickyTrace, step: int, theirs: KindStep, tied: list[Any]) -> None:
    event, snapshot = trace[step].event, trace[step]
    assert (event.kind, event.token) == (theirs.kind, theirs.token)
    assert {word: [*split] for word, split in snapshot.splits().items()} == theirs.splits
    assert [*snapshot.vocab] == theirs.vocabulary
    assert snapshot.vocab_size == len(theirs.vocabulary)
    assert snapshot.tokens == sum(
        len(split) * count for split, count in zip(theirs.splits.values(), trace.corpus.counts, strict=True)
    )
    if event.kind == "merge":
        assert event.pair == theirs.parts
        assert event.applied == theirs.merged
        assert [trace.read_pair(pair) for pair in tied] == theirs.tied
        assert [tie.pair for tie in event.tied] == theirs.tied[:12]
        assert event.restored == (
            trace.step_of_token[event.token] != step and theirs.token not in trace[step - 1].vocab
        )
        best = trace.candidates(step - 1, 2)
        assert (
            trace.margin(step)
            == (best[0].freq - best[1].freq if len(best) == 2 else None)
            == trace.history[step - 1].margin
        )
    else:
        assert (event.parts, event.merged, event.left) == (theirs.parts, theirs.merged, theirs.left)
        assert event.share == Fraction(theirs.merged, theirs.merged + theirs.left) > event.threshold
        assert trace.margin(step) is None
        assert tied == []


@pytest.mark.parametrize("tie_rule", TIE_RULES)
@examples(120)
@given(counts, thresholds, st.sampled_from(["whitespace_split", "end_of_word", "byte_level"]))
@example(RETURNING, "1/3", "whitespace_split")
@example({"</w>": 2, "a</w>": 5}, "1/2", "end_of_word")
def test_every_step_is_the_oracles(
    tie_rule: str, words: dict[str, int], threshold: str, pre_tokenizer: str
) -> None:
    checked(words, threshold, tie_rule, pre_tokenizer)


@examples(40)
@given(counts, thresholds)
def test_the_chapter_does_the_same(words: dict[str, int], threshold: str) -> None:
    trace = train_pickybpe(Corpus.from_counts(words), threshold=threshold)
    vocabulary, events, splits = plain.train(words, threshold=Fraction(threshold))
    ours = [trace[step].event for step in range(1, len(trace) + 1)]
    assert [(event.kind, event.token) for event in ours] == [(kind, token) for kind, _, token in events]
    assert {*vocabulary} == {*trace[-1].vocab}
    assert {word: tuple(split) for word, split in splits.items()} == trace[-1].splits()
    for word in ("abcab", *words):
        if {*word} <= {*trace.alphabet}:
            assert plain.encode(word, events) == [*trace.tokenizer().encode(word).tokens]


def test_at_one_nothing_leaves() -> None:
    corpus = Corpus.from_texts([prose(20_000)])
    picky, bpe = train_pickybpe(corpus, merges=300, threshold=1), train_bpe(corpus, merges=300)
    assert picky.record == bpe.record


def test_removals_of_prose_recounted() -> None:
    """200 KB: each removal's share counted anew in the words before and after the merge, and the share of the
    remaining tokens; the vocabulary has no token twice."""
    trace = train_pickybpe(
        Corpus.from_texts([prose(200_000)]), 600, threshold=Fraction(7, 10), alphabet="bytes"
    )
    assert trace.stop_reason == "vocab_size"
    assert len(trace[-1].vocab) == len({*trace[-1].vocab}) == 600
    tokenizer = trace.tokenizer()
    unseen = prose(220_000)[200_000:]
    assert tokenizer.decode(tokenizer.encode(unseen).ids) == unseen
    assert {*tokenizer.encode(unseen).tokens} <= {*trace[-1].vocab}
    removals = [step for step in range(1, len(trace) + 1) if not trace.record.is_merge(step)]
    assert len(removals) > 60
    counts = trace.corpus.counts
    for step in spread(removals, 20):
        event = trace[step].event
        merge_step = max(earlier for earlier in range(1, step) if trace.record.is_merge(earlier))
        before, now = (
            sum(
                split.count(event.token) * n
                for split, n in zip(trace[at].splits().values(), counts, strict=True)
            )
            for at in (merge_step - 1, step - 1)
        )
        width = trace[merge_step].event.pair.count(event.token)
        taken = (before - now) // width if step == merge_step + 1 else event.merged
        assert (event.merged, event.left) == (taken, now)
        assert all(event.token not in split for split in trace[step].splits().values())
    checked = 0
    for step in spread([one for one in range(1, len(trace)) if trace.record.is_merge(one)], 40):
        event, after = trace[step].event, step
        while after < len(trace) and not trace.record.is_merge(after + 1):
            after += 1
        splits = trace[after].splits().values()
        for part in {*event.pair} & {*trace[after].vocab} & trace.step_of_token.keys():
            left = sum(split.count(part) * n for split, n in zip(splits, counts, strict=True))
            checked += 1
            assert Fraction(event.applied, event.applied + left) <= Fraction(7, 10)
    assert checked > 5


def test_a_pair_may_be_met_earlier_though_as_often() -> None:
    """`b C` is lost in the third word and gained in the first, when `a b` becomes the existing token C."""
    table = PairTable([Private(word) for word in ("bab", "xy", "abC", "bC")], [1, 2, 1, 1])
    vocabulary = Vocabulary(map(chr, range(128)))
    queue = CountQueue(table, TIE_RULES["first"].in_run(table, vocabulary, byte_level=False))
    assert queue.best() == "ab"
    queue.update(table.merge(PrivatePair("ab"), Private("C")), again=True)
    assert table.counts["bC"] == table.counts["xy"] == 2
    assert queue.best() == "bC"


def test_a_token_comes_back() -> None:
    trace = train_pickybpe(Corpus.from_counts(RETURNING), threshold="1/3")
    back = [
        snapshot.event.token
        for snapshot in trace[1:]
        if snapshot.event.kind == "merge" and snapshot.event.restored
    ]
    assert back
    for token in back:
        kinds = [snapshot.event.kind for snapshot in trace[1:] if snapshot.event.token == token]
        assert kinds[:3] == ["merge", "remove", "merge"]


@cache
def whole_run() -> Any:
    return train_pickybpe(Corpus.from_texts([prose(20_000)]), 400, threshold="0.6")


@pytest.mark.parametrize("every", [1, 3])
def test_growing(every: int) -> None:
    whole = whole_run()
    seen: list[Any] = []
    calls = 0

    def growing(cut: CutOff) -> None:
        nonlocal calls
        calls += 1
        if calls % every == 0 and len(seen) < 60:
            part = pickle.loads(pickle.dumps(cut()))
            seen.append(seen[-1].grown(part) if seen else part)

    train_pickybpe(Corpus.from_texts([prose(20_000)]), 400, threshold="0.6", growing=growing)
    assert any(not trace.record.is_merge(len(trace)) for trace in seen[1:])
    for trace in seen:
        assert not trace.finished
        for step in {0, len(trace) // 2, len(trace)}:
            assert trace[step].vocab == whole[step].vocab
            assert trace[step].splits() == whole[step].splits()
            assert trace[step].event == whole[step].event


def test_why_not() -> None:
    tokenizer = train_pickybpe(Corpus.from_counts(HUG)).tokenizer()
    assert tokenizer.why_not("pug", ["p", "ug"]).kind == "not_in_vocabulary"
    across = tokenizer.why_not("hugs", ["hug", "s"])
    assert (across.kind, across.made) == ("merged_across", ("hug", "s", 6))
    assert tokenizer.why_not("hug", ["h", "u", "gs"]).kind == "misspelled"
    assert tokenizer.why_not("xhug", ["x", "hug"]) == UnknownCharacter("x", "x", ("[UNK]",))


def test_why_not_the_split_before_a_merge() -> None:
    """All of its tokens were there, unless one was removed: it needed no further merge, also where one makes
    them again later."""
    trace = train_pickybpe(Corpus.from_texts([prose(20_000)]), 400, threshold="0.6")
    tokenizer, told = trace.tokenizer(), 0
    for word in [*trace.corpus.words][:300]:
        steps = tokenizer.explain(word)
        if any(one.event.kind == "undo" for one in steps):
            continue
        for before in steps:
            reason = tokenizer.why_not(word, before.tokens)
            if reason.kind == "merged_across":
                told += 1
                assert reason.wanted is None
    assert told > 20


def test_sampling() -> None:
    tokenizer = train_pickybpe(Corpus.from_counts(HUG)).tokenizer()
    assert tokenizer.model.sample("hugs", 0.0, Random(1)) == ("hugs",)
    assert tokenizer.model.sample("hugs", 1.0, Random(1)) == ("h", "u", "g", "s")
    drawn = {tokenizer.model.sample("hugs", 0.5, Random(seed)) for seed in range(200)}
    assert drawn == {("h", "u", "g", "s"), ("hug", "s"), ("hugs",)}  # never `ug`: it always leaves again
    for seed in range(20):
        start, end = tokenizer.model.sampling("hugs", 0.5, Random(seed))
        assert (start.tokens, end.tokens) == (
            ("h", "u", "g", "s"),
            tokenizer.model.sample("hugs", 0.5, Random(seed)),
        )
    assert tokenizer.model.distribution("hugs", 0.5) is None


def test_lineage_and_tipping_points() -> None:
    trace = train_pickybpe(Corpus.from_counts(HUG))
    assert [part.token for part in trace.lineage("hug").parts] == ["h", "ug"]
    assert tipping_points(trace, 1, ["hug", "bun"]) == {"hug": -4, "bun": 5}
    assert trace[6].event.token == "ug"
    new = tuple(token for token in trace[6].vocab if token not in trace[0].vocab)
    assert [trace.moved(*steps) for steps in ((0, 6), (5, 6), (6, 5))] == [
        (new, ()),
        ((), ("ug",)),
        (("ug",), ()),
    ]
    # With four `pug` fewer, (hug, s) comes before (p, ug), and no removal follows.
    assert tipping_points(trace, 6, ["pug"]) == {"pug": -1}


def test_exports() -> None:
    trace = train_pickybpe(Corpus.from_counts(HUG))
    run = trace_to_dict(trace)
    json.dumps(run)
    assert run["kind"] == "pickybpe"
    assert run["settings"]["threshold"] == "9/10"
    assert run["steps"][5] == {
        "step": 6, "kind": "remove", "token": "ug", "id": 7, "merged": 5, "left": 0, "share": "1", "parts": ["u", "g"],
        "words": [], "vocab_size": 11, "tokens": trace.token_totals[6],
    }  # fmt: skip
    assert trace_to_csv(trace).splitlines()[6].startswith("6,,,ug,")
    assert "ug" not in json.loads(vocab_json(trace.tokenizer()))
    for export in (merges_txt, lambda one: tokenizer_to_json(one.tokenizer())):
        with pytest.raises(UnsavableError, match="removes"):
            export(trace)


@pytest.mark.parametrize("threshold", [-0.1, 1.5, "most", "1/0", float("nan")])
def test_a_threshold_is_a_share(threshold: object) -> None:
    with pytest.raises(SettingError, match="threshold="):
        train_pickybpe(Corpus.from_counts(HUG), threshold=threshold)  # type: ignore[arg-type]


def test_a_threshold_is_no_list() -> None:
    with pytest.raises(WrongTypeError, match="threshold="):
        train_pickybpe(Corpus.from_counts(HUG), threshold=[0.9])  # type: ignore[arg-type]
