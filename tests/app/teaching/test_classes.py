"""Questions for a class: what travels is data, and a key that the predictions' own grading agrees with.

Oracles: `Question.grade`, answer by answer; the engine's candidates; a split's letters; JavaScript's rounding as its standard says.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.hostile import CONTROLS, FORMATS, MARKUP
from tokenizers_core import Corpus, train_bpe
from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.drawing.tokens import Style, chip, chips, fill, readable
from tokensteps.language.i18n import LANGUAGES, current_language
from tokensteps.runs.algorithms import BPE, UNIGRAM, WORDPIECE, trace_at
from tokensteps.teaching.classes.class_question import ask_class, asked_kinds, canonical_number, every_split
from tokensteps.teaching.classes.markup_data import markup_parts
from tokensteps.teaching.lessons import LESSONS
from tokensteps.teaching.predictions import ASKS, asked_steps, next_asked, question_after
from tokensteps.teaching.questions import RIGHT, TIED

RUNS = {
    "bpe": trace_at(BPE, corpus="hug"),
    "wordpiece": trace_at(WORDPIECE, corpus="hug"),
    "unigram": trace_at(UNIGRAM, corpus="hug", size="7"),
    "ties": trace_at(BPE, corpus="course"),
}


def style_of(trace: AnyTrace) -> Style:
    return Style(trace.corpus.pipeline.byte_level, "spaces", frozenset(trace.special_tokens))


@pytest.mark.parametrize("name", RUNS)
def test_keys_are_what_predict_takes(name: str) -> None:
    trace, asked = RUNS[name], 0
    for step in range(min(len(trace), 8)):
        for kind in asked_kinds(trace):
            made = ask_class(trace, step, kind, style_of(trace))
            if made is None:
                continue
            asked += 1
            question = question_after(trace, made["step"], made["kind"], style_of(trace))
            assert question.grade(made["key"][0]).kind == RIGHT
            assert {question.grade(answer).kind for answer in made["key"]} == {RIGHT}
            assert {question.grade(answer).kind for answer in made["tied"]} <= {TIED}
            assert made["step"] == next_asked(trace, step)
            assert set(made["say"]) == set(LANGUAGES) and made["say"]["en"] != made["say"]["ja"]
            if made["input"] == "choices":
                ids = [choice["id"] for choice in made["choices"]]
                assert len(ids) > 1 and ids == sorted(ids) and {*made["key"], *made["tied"]} <= {*ids}
            if made["input"] == "text":
                assert {answer.replace(" ", "") for answer in made["key"]} == {made["word"]}
    assert asked > 5 and current_language() == "en"


def test_ties_are_told_from_what_is_right() -> None:
    """The four sentences: before the second merge three pairs are equally frequent, and the first met goes first."""
    made = ask_class(RUNS["ties"], 1, "pair", style_of(RUNS["ties"]))
    assert made is not None and made["key"] == ["i + s"] and len(made["tied"]) == 2


def test_a_run_ends() -> None:
    trace = RUNS["bpe"]
    assert ask_class(trace, len(trace), "pair", Style()) is None
    last = ask_class(trace, len(trace) - 1, "pair", Style())
    assert last is not None and last["kind"] != "pair"  # one pair is left: nothing to choose
    assert asked_steps(trace, 0, 3) == [0, 1, 2]
    unigram = RUNS["unigram"]
    for step in asked_steps(unigram, 0, len(unigram)):
        assert unigram[step + 1].event.kind == "prune"


def test_numbers_have_one_form() -> None:
    """As `canonicalNumber` in `assets/components/class/parts.js` writes them."""
    assert canonical_number(20) == {"20"} and canonical_number(12345) == {"12345"}
    assert canonical_number(Fraction(1, 20)) == {"0.05"} and canonical_number(46.88) == {"46.9"}
    assert canonical_number(Fraction(2125, 1000)) == {"2.13", "2.12"}  # halfway: either will do
    assert canonical_number(Fraction(1, 3_000_000)) == {"0.000000333"}
    assert canonical_number(Fraction(99999, 100)) == {"1000"}


def test_every_split_once() -> None:
    found = [*every_split("hugs")]
    assert len({*found}) == len(found) == 2**3 and all(one.replace(" ", "") == "hugs" for one in found)


@pytest.mark.parametrize("text", [*MARKUP, *FORMATS, *CONTROLS])
def test_hostile_tokens_travel_as_text(text: str) -> None:
    """Source: `tests/hostile.py`. What is read back is what `readable` says, and nothing is left of the markup around it."""
    if not text or len(text) > 200:
        return
    parts = markup_parts(fill("{a} & {b}", a=chip(text, Style()), b=chips([text, "x"], Style())))
    tokens = [part["t"] for part in parts if not isinstance(part, str)]
    plain = [part for part in parts if isinstance(part, str)]
    assert plain == [" & "] and tokens[-1] == "x"
    assert tokens[0].replace(" ", "") == readable(text, Style()).replace(" ", "").replace("\u200e", "")


def test_a_hostile_corpus_is_asked_about() -> None:
    trace = train_bpe(Corpus.from_texts(["<img src=x onerror=alert(1)> & <b>" * 3]), vocab_size=40)
    for step in range(len(trace)):
        made: Any = ask_class(trace, step, "pair", Style(byte_level=True))
        assert made is None or "<bdi" not in str(made)


def test_every_plan_asks_the_room() -> None:
    for lesson in LESSONS:
        asks = [one for one in lesson.activities if one.ask]
        assert asks, lesson.title
        for one in asks:
            assert (
                one.link is not None and one.ask in ASKS[one.link.page] and one.link.query["ask"] == one.ask
            )
