"""SuperBPE (`tokenizers_core/training/kinds/superbpe.py`).

Source: `golden/superbpe.json`, a run recomputed by a plain program. Oracle: `oracle_kinds.plain_super`, which
recounts everything at each step and shares nothing with the engine, on generated texts, under all tie rules.
Judge: the `tokenizers` library, which loads the tokenizer.json and has to encode 200 KB alike.
"""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.text import library_text, prose
from tests.core.oracle_kinds import merged_in_order, plain_super
from tests.samples import examples, spread
from tokenizers_core import TIE_RULES, Corpus, SuperTrace, tipping_points, tokenizer_to_json, train_superbpe
from tokenizers_core.encoding.models.pairs import neighbours
from tokenizers_core.encoding.reasons import MergedAcross
from tokenizers_core.encoding.vocabulary import Private
from tokenizers_core.errors import SettingError, WrongTypeError
from tokenizers_core.files.exports import merges_txt, trace_to_csv, trace_to_dict
from tokenizers_core.plain import superbpe as plain
from tokenizers_core.text.byte_alphabet import symbols_to_bytes
from tokenizers_core.text.cutting import DIGITS, CutAt, Cutter, Scripts
from tokenizers_core.trace import CutOff
from tokenizers_core.training.kinds.superbpe import SECOND_PATTERN, is_superword

GOLDEN: Final[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "golden" / "superbpe.json").read_text("utf-8")
)
TEXTS: Final = [
    "by the way, the bus is late.",
    "by the way: on the way",
    "on the way to 2026",
    "so: on  the way",
]

pytestmark = pytest.mark.filterwarnings("ignore::tokenizers_core.errors.UnreachedSizeWarning")
texts = st.lists(st.text("ab :,1", min_size=1, max_size=24), min_size=1, max_size=5)


def test_golden_run() -> None:
    corpus = Corpus.from_texts(GOLDEN["texts"])
    trace = train_superbpe(
        corpus,
        GOLDEN["vocab_size"],
        transition=GOLDEN["transition"],
        second_pattern=GOLDEN["second_pattern"],
        most_words=GOLDEN["most_words"],
        tie_rule=GOLDEN["tie_rule"],
    )
    assert dict(trace.corpus.items()) == GOLDEN["words"]
    assert dict(trace.stretches.items()) == GOLDEN["stretches"]
    assert GOLDEN["second_pattern"] == SECOND_PATTERN
    results = [
        {
            "stage": event.stage,
            "pair": [*event.pair],
            "token": event.token,
            "count": event.freq,
            "tied_pairs": event.tied_count,
            "superword": event.superword,
        }
        for event in (snapshot.event for snapshot in trace[1:])
        if event.kind == "merge"
    ]
    assert results == GOLDEN["steps"]
    merges = {
        snapshot.event.rank: snapshot.event.pair for snapshot in trace if snapshot.event.kind == "merge"
    }
    assert merges == dict(enumerate(trace[-1].merges)), "the change of stages has no rank"
    assert {word: [*split] for word, split in trace[-1].splits().items()} == GOLDEN["final_splits"]
    assert trace[-1].tokens == GOLDEN["superbpe_tokens"]
    stage = trace[trace.stage_step].event
    assert (stage.words, stage.stretches, stage.vocab_size) == (17, 4, GOLDEN["transition"])
    tokenizer = trace.tokenizer()
    assert [[*tokenizer.encode(text).tokens] for text in GOLDEN["texts"]] == [
        *GOLDEN["final_splits"].values()
    ]


def checked(
    lines: list[str], tie_rule: str, more: int, most_words: int, cuts: tuple[Cutter, ...] = ()
) -> None:
    """A run beside the oracle's: every step, read in any order, and the tokenizer of some."""
    corpus = Corpus.from_texts(lines, cuts=cuts)
    transition = len({*"".join(corpus.words)}) + more
    trace = train_superbpe(corpus, transition=transition, most_words=most_words, tie_rule=tie_rule)
    theirs = plain_super(
        dict(corpus.items()), dict(trace.stretches.items()), trace.alphabet, tie_rule, symbols_to_bytes,
        10**9, transition, most_words,
    )  # fmt: skip
    assert len(trace) == len(theirs)
    tied = [*trace.tied_pairs()]
    order = [*range(1, len(theirs) + 1)]
    Random(len(theirs)).shuffle(order)
    for step in order:
        snapshot, one = trace[step], theirs[step - 1]
        event = snapshot.event
        assert (event.kind, trace.token_of(step)) == (one.kind, one.token)
        assert {word: [*split] for word, split in snapshot.splits().items()} == one.splits
        assert [*snapshot.vocab] == one.vocabulary
        counts = trace.corpus_at(step).counts
        assert snapshot.tokens == sum(
            len(split) * n for split, n in zip(one.splits.values(), counts, strict=True)
        )
        assert [trace.read_pair(pair) for pair in tied[step - 1]] == one.tied
        if event.kind == "merge":
            assert event.pair == one.parts
            assert [tie.pair for tie in event.tied] == one.tied[:12]
            assert event.superword == is_superword(one.token)
            best = trace.candidates(step - 1, 2)
            margin = best[0].freq - best[1].freq if len(best) == 2 else None
            assert trace.margin(step) == trace.history[step - 1].margin == margin
        else:
            assert trace.stage_step == step
            assert event.tokens_before - event.tokens_after == one.merged
    for step in spread([*range(len(trace) + 1)], 3):
        merges = [(one.parts[0], one.parts[1]) for one in theirs[:step] if one.kind == "merge"]
        for text in lines:
            pieces = trace.corpus_at(step).pipeline.split(text)
            encoded = [token for piece in pieces for token in merged_in_order([*piece], merges)]
            assert [*trace.tokenizer(step).encode(text).tokens] == encoded


@pytest.mark.parametrize("tie_rule", TIE_RULES)
@examples(80)
@given(texts, st.integers(0, 8), st.integers(1, 4))
@example(TEXTS, 20, 4)
@example(["a a  a", "a  a"], 99, 2)
def test_every_step_is_the_oracles(tie_rule: str, lines: list[str], more: int, most_words: int) -> None:
    checked(lines, tie_rule, more, most_words)


@pytest.mark.parametrize("cut", [CutAt("-", "Removed"), CutAt("^-", "Removed"), Scripts(), DIGITS["each"]])
def test_further_cuts_are_made_in_both_stages(cut: Cutter) -> None:
    """Every step is the oracle's; the library, which loads the file, encodes alike. A symbol that a cut loses
    in the words only, such as the space before a script, is in the alphabet."""
    lines = ["by-the way, room 12", "on-the way to room 12", "by-the way: 12"]
    checked(lines, "first", 5, 4, (cut,))
    trace = train_superbpe(Corpus.from_texts(lines, cuts=(cut,)), alphabet="bytes")
    assert any("12" in token for token in trace[-1].vocab) == (cut != DIGITS["each"])
    ours = trace.tokenizer()
    theirs = tokenizers.Tokenizer.from_str(tokenizer_to_json(ours))
    for line in (*lines, "a-the way 1212"):
        assert ours.ids(line) == theirs.encode(line).ids


def test_the_chapter_does_the_same() -> None:
    lines = [line for line in prose(4000).splitlines() if line.isascii() and "_" not in line]
    counted = Corpus.from_counts(
        {word.replace("␣", " "): n for word, n in plain.count(lines, plain.FIRST).items()},
        pre_tokenizer="byte_level",
        pattern=r"(?s).+",
    )
    stretches = Corpus.from_counts(
        {word.replace("␣", " "): n for word, n in plain.count(lines, plain.SECOND).items()},
        pre_tokenizer="byte_level",
        pattern=r"(?s).+",
    )
    size = len({*"".join(counted.words)}) + 60
    trace = train_superbpe(counted, size + 40, transition=size, stretches=stretches)
    vocabulary, merges, splits = plain.train(lines, size + 40, size)
    assert [token.replace("Ġ", "␣") for token in trace[-1].vocab[-100:]] == vocabulary[-100:]
    assert [count for _pair, count in merges] == [
        snapshot.event.freq for snapshot in trace[1:] if snapshot.event.kind == "merge"
    ]
    assert [[token.replace("Ġ", "␣") for token in split] for split in trace[-1].splits().values()] == [
        *splits.values()
    ]


@pytest.mark.slow
def test_the_library_encodes_200_kb_alike() -> None:
    """`tokenizers` loads the file; its pre-tokenizer is a Split by the second pattern and ByteLevel without
    its own."""
    for text in (prose(200_000), library_text(200_000)):
        lines = text.splitlines(keepends=True)
        trace = train_superbpe(Corpus.from_texts(lines), 1200, transition=900, alphabet="bytes")
        assert trace.stage_step is not None
        ours = trace.tokenizer()
        theirs = tokenizers.Tokenizer.from_str(tokenizer_to_json(ours))
        unseen = text[::-1]
        for sample in (*lines, unseen):
            assert ours.ids(sample) == theirs.encode(sample).ids
        assert sum(map(is_superword, trace[-1].vocab)) > 50


def test_a_stretch_is_merged_as_a_whole_though_cut_for_speed() -> None:
    """`merged_stretches` caches parts between places that no merge crosses; here all merges, one after the
    other."""
    trace = train_superbpe(Corpus.from_texts(prose(20_000).splitlines()), 500, transition=450)
    steps = [(trace.record.pair(step), trace.record.token(step)) for step in range(1, trace.stage_step or 0)]
    for word, result in zip(trace.stretches.words, trace.stretch_words, strict=True):
        text = trace.vocabulary.write(word)
        for pair, token in steps:
            text = Private(text.replace(pair, token))
        assert result == text
    assert any(len({*neighbours(word)}) > 5 for word in trace.stretch_words)


@pytest.mark.parametrize("every", [1, 7])
def test_growing(every: int) -> None:
    corpus = Corpus.from_texts(prose(6000).splitlines())
    whole = train_superbpe(corpus, 220, transition=180)
    seen: list[SuperTrace] = []
    calls = 0

    def growing(cut: CutOff) -> None:
        nonlocal calls
        calls += 1
        if calls % every == 0:
            part = pickle.loads(pickle.dumps(cut()))
            seen.append(seen[-1].grown(part) if seen else part)
            _ = seen[-1][-1].splits(), seen[-1].candidates(len(seen[-1]), 3)  # results are shared

    assert train_superbpe(corpus, 220, transition=180, growing=growing) == whole
    assert seen[0].stage_step is None
    assert seen[-1].stage_step == whole.stage_step is not None
    for trace in spread(seen, 15):
        for step in {0, len(trace) // 2, len(trace)}:
            assert trace[step].vocab == whole[step].vocab
            assert trace[step].splits() == whole[step].splits()
            assert trace[step].event == whole[step].event


def test_tipping_points_of_both_stages() -> None:
    """Judged by another training, so by the definition: the found change tips the step, and one less
    doesn't."""
    lines = ["on the way", "on the way", "by the way", "by the sea", "so it is", "so it is"]
    trace = train_superbpe(Corpus.from_texts(lines), transition=24)
    assert trace.stage_step is not None
    for step in (1, trace.stage_step + 1):
        words = trace.corpus_at(step).words[:3]
        for word, change in tipping_points(trace, step, words).items():
            if change is None:
                continue
            assert chosen(trace, step, word, change) != trace.pair_of(step)
            assert chosen(trace, step, word, change - (1 if change > 0 else -1)) == trace.pair_of(step)


def chosen(trace: SuperTrace, step: int, word: str, change: int) -> object:
    """A step's merge after a change of a word's count, the corpora written out anew."""
    corpora = {"corpus": trace.corpus, "stretches": trace.stretches}
    name = "stretches" if trace.in_stage_2(step) else "corpus"
    corpus = corpora[name]
    counts = dict(corpus.items())
    counts[word] += change
    corpora[name] = Corpus.from_counts(
        {symbols_to_bytes(one).decode(): n for one, n in counts.items() if n},
        pre_tokenizer="byte_level",
        pattern=r"(?s).+",
    )
    again = train_superbpe(corpora["corpus"], stretches=corpora["stretches"], transition=24)
    return again.pair_of(step) if step <= len(again) and again.record.is_merge(step) else None


def test_exports() -> None:
    trace = train_superbpe(Corpus.from_texts(GOLDEN["texts"]), 47, transition=40)
    run = trace_to_dict(trace)
    json.dumps(run)
    assert run["kind"] == "superbpe"
    assert run["stretches"] == GOLDEN["stretches"]
    assert run["steps"][22] == {
        "step": 23, "kind": "stage", "words": 17, "stretches": 4, "tokens_before": 51, "tokens_after": 51,
        "vocab_size": 40, "tokens": 51,
    }  # fmt: skip
    assert trace_to_csv(trace).splitlines()[23] == "23,,,,0,0,40,51,stage"
    assert len(merges_txt(trace).splitlines()) == 1 + len(GOLDEN["steps"])
    assert [part.token for part in trace.lineage("byĠtheĠway").parts] == ["by", "ĠtheĠway"]


def test_why_a_stretch_is_not_split_at_its_spaces() -> None:
    """By hand: in stage 2 `Ġthe + Ġway` occurs three times; then `ĠtheĠway` once behind each of three words,
    `by` first."""
    trace = train_superbpe(Corpus.from_texts(["by the way", "on the way", "all the way"]))
    tokenizer = trace.tokenizer()
    apart = tokenizer.why_not("byĠtheĠway", ["by", "Ġthe", "Ġway"])
    assert isinstance(apart, MergedAcross) and apart.made[:2] == ("Ġthe", "Ġway")
    before = tokenizer.why_not("byĠtheĠway", ["by", "ĠtheĠway"])
    assert isinstance(before, MergedAcross) and before.made[:2] == ("by", "ĠtheĠway")
    assert [*tokenizer.explain("byĠtheĠway")][-1].tokens == ("byĠtheĠway",)


@pytest.mark.parametrize("settings", [{"transition": 0}, {"most_words": 0}])
def test_numbers_that_make_no_sense(settings: dict[str, int]) -> None:
    with pytest.raises(SettingError, match="choose at least 1"):
        train_superbpe(Corpus.from_texts(TEXTS), **settings)


def test_it_needs_texts_with_their_spaces() -> None:
    with pytest.raises(SettingError, match="needs the texts"):
        train_superbpe(Corpus.from_counts({"hug": 3}, pre_tokenizer="byte_level"))
    with pytest.raises(SettingError, match="needs the texts"):
        train_superbpe(Corpus.from_texts(iter(TEXTS)))
    with pytest.raises(SettingError, match="choose that"):
        train_superbpe(Corpus.from_texts(TEXTS, pre_tokenizer="metaspace"))
    with pytest.raises(WrongTypeError, match="transition="):
        train_superbpe(Corpus.from_texts(TEXTS), transition="late")  # type: ignore[arg-type]
