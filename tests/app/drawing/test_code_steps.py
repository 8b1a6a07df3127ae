"""The code in step (`tokensteps/drawing/code_steps.py`): each beat's line is in the source shown, and the
values beside it are true.

Oracle: the engine's snapshots, for the values; the source itself; Python's `html.parser` for the markup.
"""

from __future__ import annotations

import ast
import html
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest

from tests.app.drawing.test_pruning import example as unigram_example
from tests.app.drawing.test_tokens import HOSTILE, expect_markup
from tests.pages.pages import SMALL
from tokenizers_core import (
    Corpus,
    train_bpe,
    train_paritybpe,
    train_sentencepiece_bpe,
    train_unigram,
    train_wordpiece,
)
from tokenizers_core.plain import bpe as plain_bpe
from tokenizers_core.text.pipeline import Pipeline
from tokensteps.drawing.code_steps import (
    LISTINGS,
    TOKEN_WIDTH,
    Beats,
    code_attributes,
    coloured,
    listing_message,
    listing_of,
    merge_beats,
    rules_left_out,
    short_token,
    unigram_beats,
)
from tokensteps.drawing.tokens import Style
from tokensteps.drawing.training.merging import merge_frame, wordpiece_frame
from tokensteps.drawing.training.pruning import prune_frame
from tokensteps.language.numbers import nats
from tokensteps.runs.corpora import EXAMPLES, Source
from tokensteps.runs.rules import BPE_RULES

ROOT = Path(__file__).parents[3]
HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
LONGEST = 175
"""Characters of a frame's attributes for the code."""
RUNS = [(algorithm, name) for name in SMALL for algorithm in ("bpe", "wordpiece", "course", "sentencepiece")]


@cache
def trained(algorithm: str, name: str) -> Any:
    """An example, trained by an algorithm: only as long as it shows something new."""
    if algorithm in ("course", "sentencepiece"):
        return unigram_example(name, algorithm)
    own = EXAMPLES[name].settings_on("bpe")
    rules = {rule.name: own.get(rule.name, rule.default) for rule in BPE_RULES}
    corpus = Source(name, EXAMPLES[name].text().encode(), EXAMPLES[name].counts, rules["lines"]).corpus(
        Pipeline(rules["normalizer"], rules["pre"])
    )
    return (train_bpe if algorithm == "bpe" else train_wordpiece)(corpus, merges=60)


def steps_of(trace: Any) -> Iterator[Any]:
    """Snapshots from everywhere in a run, the first and the last among them."""
    for step in sorted({*range(0, len(trace) + 1, max(1, len(trace) // 25)), len(trace)}):
        yield trace[step]


def beats(snapshot: Any) -> Beats:
    """Where a step of any algorithm is."""
    of = unigram_beats if snapshot.trace.algorithm == "unigram" else merge_beats
    return of(snapshot, Style())


def values(text: str) -> dict[str, str]:
    """`a = 1   b = 2` as a mapping."""
    return dict(cast(tuple[str, str], part.split(" = ", 1)) for part in text.split("   "))


@pytest.mark.parametrize("name", LISTINGS)
def test_one_line_of_the_listing_belongs_to_each_key(name: str) -> None:
    listing = LISTINGS[name]
    lines = [line.strip() for line in listing.source.splitlines()]
    for key, beginning in listing.beginnings.items():
        assert [index for index, line in enumerate(lines, start=1) if line.startswith(beginning)] == [
            listing.lines[key]
        ]
    assert len(set(listing.lines.values())) == len(listing.lines)


@pytest.mark.parametrize(
    ("name", "file"),
    [("bpe", "bpe"), ("wordpiece", "wordpiece"), ("course", "unigram"), ("sentencepiece", "unigram_em")],
)
def test_a_listing_is_a_file_of_the_chapter_with_its_imports(name: str, file: str) -> None:
    """Each line is the line of that number in the file named above it; the algorithm's own file is whole."""
    path = ""
    shown: dict[str, list[int]] = {}
    for number, text in LISTINGS[name].numbered:
        if number:
            assert (ROOT / path).read_text("utf-8").splitlines()[int(number) - 1] == text
            shown[path].append(int(number))
        elif text:
            path = text.removeprefix("# ")
            shown[path] = []
    own = f"tokenizers_core/plain/{file}.py"
    assert next(iter(shown)) == own
    assert shown[own] == list(range(1, len((ROOT / own).read_text("utf-8").splitlines()) + 1))
    tree = ast.parse((ROOT / own).read_text("utf-8"))
    taken = {
        alias.name: f"{str(node.module).replace('.', '/')}.py"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("tokenizers_core.")
        for alias in node.names
        if alias.name.islower()
    }
    for function, source in taken.items():
        assert f"def {function}(" in LISTINGS[name].source and source in shown


@pytest.mark.parametrize("name", LISTINGS)
def test_the_listing_is_the_source_coloured(name: str) -> None:
    source = LISTINGS[name].source
    markup = coloured(source)
    assert [html.unescape(re.sub(r"<[^>]+>", "", line)) for line in markup] == source.splitlines()
    expect_markup("\n".join(markup), {"span"})
    assert "<span class=k>def</span> <span class=f>train</span>(" in "".join(markup)
    assert any("<span class=s>" in line for line in markup) and any(
        "<span class=n>" in line for line in markup
    )


@pytest.mark.parametrize(("algorithm", "name"), RUNS)
def test_every_steps_lines_are_there_and_its_values_true(algorithm: str, name: str) -> None:
    trace, style = trained(algorithm, name), Style()
    known = set(LISTINGS[listing_of(trace)].beginnings)
    for snapshot in steps_of(trace):
        first, second = beats(snapshot)
        assert {*first.keys, *second.keys} <= known and first.keys and second.keys
        one, two = values(first.values), values(second.values)
        event = snapshot.event
        size = one | two
        if algorithm in ("bpe", "wordpiece"):
            if event.kind == "start":
                assert size["len(vocabulary)"] == str(snapshot.vocab_size)
                assert size["len(splits)"] == str(len(trace.corpus.words))
                continue
            assert (
                one["pair"]
                == f"({short_token(event.pair.first, style)}, {short_token(event.pair.second, style)})"
            )
            assert two["token"] == short_token(event.token, style)
            if algorithm == "bpe":
                assert int(one["counts[pair]"]) == event.freq
            else:
                numbers = re.fullmatch(r"(\d+) / \((\d+) × (\d+)\) = (\S+)", one["scores[pair]"])
                assert numbers is not None and numbers[4] == str(event.candidates[0].score)
                assert int(numbers[1]) * event.candidates[0].score.denominator == (
                    int(numbers[2]) * int(numbers[3]) * event.candidates[0].score.numerator
                )
        else:
            assert size["len(counts)" if algorithm == "course" else "len(model)"] == str(len(snapshot.pieces))
            if event.kind == "prune":
                assert one["piece"] == two["piece"] == short_token(event.piece, style)
                assert one["costs[piece]" if algorithm == "course" else "losses[piece]"] == nats(event.loss)
            elif event.kind == "e_step":
                most = max(row.freq for row in event.expected)
                assert [float(value) for key, value in one.items() if key.startswith("expected[")] == [
                    round(most, 2)
                ]


def test_the_beats_of_the_first_merges_by_hand() -> None:
    bpe = train_bpe(Corpus.from_counts(HUG))
    first, second = beats(bpe[1])
    assert first == (("best",), "pair = (u, g)   counts[pair] = 20")
    assert second == (("merge",), "token = ug")
    assert beats(bpe[len(bpe)])[1].keys == ("merge", "none")
    full = train_bpe(Corpus.from_counts(HUG), 9)
    assert beats(full[2])[1].keys == ("merge", "full")
    wordpiece = train_wordpiece(Corpus.from_counts(HUG))
    assert beats(wordpiece[1])[0] == (
        ("best", "score"),
        "pair = (##g, ##s)   scores[pair] = 5 / (20 × 5) = 1/20",
    )


def test_the_beats_of_every_kind_of_unigrams_steps() -> None:
    """In the course's way, a round's first prune ranks and its last one renormalises; SentencePiece's other
    steps have a line each."""
    course = train_unigram(Corpus.from_counts(HUG), vocab_size=8, pruned_share=0.2)
    keys = [tuple(beat.keys for beat in beats(snapshot)) for snapshot in course]
    assert keys[0] == (("seed",), ("seed",))
    for step, (chosen, gone) in enumerate(keys[1:], start=1):
        event: Any = course[step].event
        assert chosen == (("choose", "rank", "cost") if event.rank == 1 else ("choose",))
        last = ("full",) if step == len(course) else ()
        assert gone == ("prune", *(("shares",) if event.ends_round else ()), *last)
    assert {len(chosen) for chosen, _gone in keys[1:]} == {1, 3}
    trace = unigram_example("course", "sentencepiece", 31)
    kinds = {snapshot.event.kind: beats(snapshot)[1].keys for snapshot in trace}
    assert kinds == {
        "start": ("seed",), "e_step": ("e_step",), "m_step": ("m_step",), "prune": ("prune",), "finalize": ("finalize",),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("algorithm", "draw"), [("bpe", merge_frame), ("wordpiece", wordpiece_frame), ("course", prune_frame)]
)
def test_frames_carry_them_once_and_short(algorithm: str, draw: Any) -> None:
    trace = trained(algorithm, "course")
    for snapshot in steps_of(trace):
        markup = draw(snapshot, Style()).html
        attributes = code_attributes(beats(snapshot))
        assert markup.count("data-code=") == markup.count("data-values=") == 1 and attributes in markup
        assert len(attributes) < LONGEST


@pytest.mark.parametrize("text", [text for text in HOSTILE if text and "\ud800" not in text])
def test_hostile_tokens_stay_text(text: str) -> None:
    for train in (train_bpe, train_wordpiece):
        trace = train(Corpus.from_counts({text: 2}))
        for snapshot in trace:
            read = expect_markup(
                f"<p{code_attributes(beats(snapshot))}></p>", {"p"}, {"data-code", "data-values"}
            )
            results = dict(read.attributes)
            first, second = beats(snapshot)
            wanted = [first.values] if first == second else [first.values, second.values]
            assert str(results["data-values"]).split("\n") == wanted


def test_long_tokens_are_cut_and_others_set_apart() -> None:
    assert short_token("a" * TOKEN_WIDTH, Style()) == "a" * TOKEN_WIDTH
    assert short_token("a" * 99, Style()) == "a" * (TOKEN_WIDTH - 1) + "…"
    assert short_token("שלום", Style()) == "\u2068שלום\u2069"


def test_the_plain_versions_gaps_are_listed() -> None:
    """Oracle: the plain version itself, which merges another pair than a bounded run."""
    corpus = Corpus.from_counts(HUG)
    assert rules_left_out(train_bpe(corpus, special_tokens=["<s>"], min_frequency=2)) == []
    assert rules_left_out(train_bpe(corpus, alphabet="bytes")) == []
    assert rules_left_out(train_unigram(corpus, vocab_size=9)) == []
    assert "another rule" in rules_left_out(train_bpe(corpus, tie_rule="greatest"))[0]
    counts = {"hug": 10, "hugs": 5, "pun": 3}
    bounded = train_bpe(Corpus.from_counts(counts), max_token_length=2)
    assert plain_bpe.train(counts)[1][1][0] != bounded.pair_of(2)
    assert "another pair" in rules_left_out(bounded)[0]
    languages = {name: Corpus.from_texts([text]) for name, text in (("en", "a cat"), ("de", "die Katze"))}
    assert "another pair" in rules_left_out(train_paritybpe(languages, window=2))[0]
    assert rules_left_out(train_paritybpe(languages)) == []
    pieces = Corpus.from_texts(["hug pun"], pre_tokenizer="metaspace")
    assert rules_left_out(train_sentencepiece_bpe(pieces)) == []
    assert "another pair" in rules_left_out(train_sentencepiece_bpe(pieces, max_token_length=2))[0]
    assert len(rules_left_out(train_unigram(corpus, vocab_size=9, exact=True))) == 1
    assert len(rules_left_out(train_unigram(corpus, vocab_size=9, whole_words=False))) == 1


def test_the_payload_is_the_listing_with_its_places() -> None:
    trace = train_bpe(Corpus.from_counts(HUG))
    message = json.loads(listing_message(trace, "label"))
    assert message["lines"] == LISTINGS["bpe"].lines and message["label"] == "label"
    assert message["file"] == "tokenizers_core/plain/bpe.py"
    assert message["html"].count("<li>") == len(LISTINGS["bpe"].source.splitlines())
    assert listing_message(trace, "label") == listing_message(train_bpe(Corpus.from_counts(HUG)), "label")
