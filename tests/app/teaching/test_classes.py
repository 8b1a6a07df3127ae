"""Questions for a class: messages of data alone, and a key in agreement with the predictions' own grading.

Oracles: `Question.grade`, answer by answer; the engine's candidates; a split's letters; JavaScript's rounding
as its standard says.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

from tests.hostile import CONTROLS, FORMATS, MARKUP
from tokenizers_core import (
    Corpus,
    train_bpe,
    train_paritybpe,
    train_pickybpe,
    train_sentencepiece_bpe,
    train_unigram,
    train_wordpiece,
)
from tokenizers_core.training.algorithms import AnyTrace
from tokenizers_core.training.unigram_trace import UnigramTrace
from tokensteps.classroom.questions import AnswerKey, read_question
from tokensteps.drawing.tokens import Style, chip, chips, fill, readable
from tokensteps.language.i18n import LANGUAGES, current_language
from tokensteps.language.numbers import nats
from tokensteps.runs.algorithms import BPE, UNIGRAM, WORDPIECE, trace_at
from tokensteps.teaching.classes import class_question
from tokensteps.teaching.classes.class_question import ask_class, canonical_number, class_kinds, every_split
from tokensteps.teaching.classes.markup_data import markup_parts
from tokensteps.teaching.lessons import LESSONS
from tokensteps.teaching.predictions import ASKS, next_question_step, question_after, steps_with_questions
from tokensteps.teaching.questions import (
    RIGHT,
    TIED,
    UNREAD,
    WRONG,
    Choice,
    Entry,
    Question,
    grade_number,
    near_by_hand,
)

HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
SYMBOL = Corpus.from_texts(["hug<n> hugs pug<n> pun hugs"], user_defined_symbols=["<n>"])
RUNS: dict[str, AnyTrace] = {
    "bpe": trace_at(BPE, corpus="hug"),
    "wordpiece": trace_at(WORDPIECE, corpus="hug"),
    "unigram": trace_at(UNIGRAM, corpus="hug", size="7"),
    "ties": trace_at(BPE, corpus="course"),
    "bound": train_bpe(Corpus.from_counts(HUG), max_token_length=3),
    "symbol": train_bpe(SYMBOL),
    "letters": train_bpe(Corpus.from_counts({"éhhug": 1, **HUG}), limit_alphabet=7),
    "bytes": train_bpe(Corpus.from_counts({"éhhug": 1, **HUG}), byte_fallback=True, character_coverage=0.98),
    "wordpiece letters": train_wordpiece(Corpus.from_counts({"éhhug": 1, **HUG}), limit_alphabet=7),
    "sentencepiece": train_sentencepiece_bpe(
        Corpus.from_counts({"éhhug": 1, **HUG}, pre_tokenizer="whitespace_split_metaspace"),
        byte_fallback=True,
        character_coverage=0.98,
    ),
    "unigram bound": train_unigram(Corpus.from_counts(HUG), vocab_size=9, max_piece_length=3),
    "unigram symbol": train_unigram(SYMBOL, vocab_size=10),
    "unigram unknown": train_unigram(
        Corpus.from_counts({"éhug": 1, **HUG}), vocab_size=10, character_coverage=0.99
    ),
}


def style_of(trace: AnyTrace) -> Style:
    return Style(trace.corpus.pipeline.byte_level, "spaces", frozenset(trace.special_tokens))


@pytest.mark.parametrize("name", RUNS)
def test_keys_are_accepted_by_predict(name: str) -> None:
    trace, wanted = RUNS[name], 0
    for step in range(min(len(trace), 8)):
        for kind in class_kinds(trace, step, style_of(trace)):
            result = ask_class(trace, step, kind, style_of(trace))
            if result is None:
                continue
            wanted += 1
            question = question_after(trace, result["step"], result["kind"], style_of(trace))
            assert question.grade(result["key"][0]).kind == RIGHT
            assert {question.grade(answer).kind for answer in result["key"]} == {RIGHT}
            assert {question.grade(answer).kind for answer in result["tied"]} <= {TIED}
            assert result["step"] == next_question_step(trace, step)
            assert set(result["say"]) == set(LANGUAGES) and result["say"]["en"] != result["say"]["ja"]
            if result["input"] == "choices":
                ids = [choice["id"] for choice in result["choices"]]
                assert (
                    len(ids) > 1
                    and (ids == sorted(ids) or kind == "leaves")
                    and {*result["key"], *result["tied"]} <= {*ids}
                )
            if result["input"] == "text":
                assert {answer.replace(" ", "") for answer in result["key"]} == {result["word"]}
    assert wanted > 5 and current_language() == "en"


def test_ties_are_distinguished_from_right_answers() -> None:
    """The four sentences: before the second merge three pairs are equally frequent, and the first met goes
    first."""
    result = ask_class(RUNS["ties"], 1, "pair", style_of(RUNS["ties"]))
    assert result is not None and result["key"] == ["i + s"] and len(result["tied"]) == 2


def class_questions(trace: AnyTrace, kind: str) -> Iterator[tuple[int, Any]]:
    """Each question of a kind for a class about a run, and the step before it."""
    for step in steps_with_questions(trace, 0, len(trace)):
        if kind in class_kinds(trace, step, style_of(trace)):
            yield step, ask_class(trace, step, kind, style_of(trace))


def graded_like_predict(trace: AnyTrace, step: int, class_question: Any) -> None:
    """Each choice is worth the same in class as alone."""
    question = question_after(trace, step, class_question["kind"], style_of(trace))
    kinds = {choice["id"]: question.grade(choice["id"]).kind for choice in class_question["choices"]}
    assert [name for name, kind in kinds.items() if kind == RIGHT] == class_question["key"]
    assert [name for name, kind in kinds.items() if kind == TIED] == class_question["tied"]


def test_whether_the_next_merge_bridges_a_space() -> None:
    """Oracle: the pairs of the stretches, recounted. Before the change of stages nothing bridges a space, and
    it isn't asked."""
    trace: Any = trace_at(BPE, corpus="phrases")
    stage, wanted = trace.stage_step, [*class_questions(trace, "bridge")]
    assert len(wanted) > 20 and wanted[0][0] == stage
    for step, result in wanted:
        graded_like_predict(trace, step, result)
        counts: Counter[tuple[str, str]] = Counter()
        for stretch, times in trace.corpus_at(step).items():
            for pair in pairwise(trace.splits(step, [stretch])[stretch]):
                counts[pair] += times
        offered = [tuple(part["t"].replace("␣", "Ġ") for part in one["text"]) for one in result["choices"]]
        within, across = sorted(offered, key=lambda pair: "Ġ" in "".join(pair)[1:])
        assert "Ġ" not in "".join(within)[1:] and "Ġ" in "".join(across)[1:]
        best = max((within, across), key=counts.__getitem__)
        right = [
            one["id"]
            for one, pair in zip(result["choices"], offered, strict=True)
            if counts[pair] == counts[best]
        ]
        assert {*result["key"], *result["tied"]} == {*right}


def test_tokens_removed_after_the_next_merge() -> None:
    """Oracle: the vocabulary before the merge and before the one after it."""
    trace = trace_at(BPE, corpus="scaffolding")
    left: Counter[int] = Counter()
    for step, result in class_questions(trace, "leaves"):
        graded_like_predict(trace, step, result)
        later = next_question_step(trace, step + 1)
        gone = {*trace[step].vocab} - {*trace[len(trace) if later is None else later].vocab}
        shown = {readable(token, style_of(trace)) for token in gone}
        assert {*result["key"][0].split(" + ")} == (shown or {"–"})
        left[len(gone)] += 1
        assert ("–" in result["key"]) == (not gone)
    assert left.keys() == {0, 1, 2}
    # By hand: `abc` leaves at 9 of 10 places; the remaining one is a + bc, so `bc` has 30 places when it is
    # judged.
    by_hand = train_pickybpe(Corpus.from_counts({"abcbc": 9, "abc": 1, "bc": 20}), merges=3, threshold="0.6")
    question = question_after(by_hand, 2, "leaves", Style())
    assert isinstance(question.form, Choice) and question.form.options == ("–", "abc", "bc", "abc + bc")
    assert question.key == "abc"
    assert "<b>9</b> of its <b>10</b>" in question.worked and "<b>9</b> of its <b>30</b>" in question.worked
    # Of two equal tokens nothing is asked: their IoS, 3/(3 + 3), isn't the merge's share, 6 of 9 places.
    equal = train_pickybpe(Corpus.from_counts({"aaaa": 3, "aab": 2, "aa": 1}), threshold="0.4")
    assert equal.event(3).chosen == ("aa",) and question_after(equal, 1, "leaves", Style()).kind == "pair"


def test_which_language_chooses_the_next_merge() -> None:
    """Oracle: the tokens of each language's own text, recounted; of two alike, the first chooses, and the
    other ties."""
    trace: Any = trace_at(BPE, corpus="parallel")
    requests = [*class_questions(trace, "language")]
    assert len(requests) == len(trace)
    for step, result in requests[::7]:
        graded_like_predict(trace, step, result)
        form = question_after(trace, step, "language", Style()).form
        assert isinstance(form, Choice) and [form.names[one] for one in trace.corpora] == [
            "English", "German", "Spanish", "Russian", "Chinese", "Hindi",
        ]  # fmt: skip
        tokens = {
            language: sum(len(trace.splits(step, [word])[word]) * times for word, times in corpus.items())
            for language, corpus in trace.corpora.items()
        }
        assert {*result["key"], *result["tied"]} == {
            one for one in tokens if tokens[one] == max(tokens.values())
        }
    buttons = {one["id"]: one["say"] for one in read_question(requests[0][1])["choices"]}
    assert [buttons["de"][language] for language in ("en", "zh", "ja")] == [
        ["German"],
        ["德语"],
        ["ドイツ語"],
    ]
    alike = Corpus.from_counts({"hug": 3, "pug": 2})
    twins = train_paritybpe({"a": alike, "b": alike, "c": Corpus.from_counts({"hu": 1})}, merges=2)
    ((_step, first), (_later, second)) = class_questions(twins, "language")
    assert [(one["key"], one["tied"]) for one in (first, second)] == [(["a"], ["b"])] * 2
    windowed = train_paritybpe({"a": alike, "b": alike}, merges=2, window=4)
    assert not [*class_questions(windowed, "language")]  # the last choices decide, too


@pytest.mark.parametrize("rules", [{"recent": "3"}, {"min": "20"}])
def test_which_language_chooses_is_asked_only_where_tokens_tell(rules: dict[str, str]) -> None:
    """A language with more tokens may have to wait, or have no pair left. Oracle: the tokens of each
    language's own text, recounted."""
    trace: Any = trace_at(BPE, corpus="parallel", **rules)
    asked = dict(class_questions(trace, "language"))
    passed_over = 0
    for step in range(len(trace)):
        tokens = {
            language: sum(len(trace.splits(step, [word])[word]) * times for word, times in corpus.items())
            for language, corpus in trace.corpora.items()
        }
        worst = [one for one in tokens if tokens[one] == max(tokens.values())]
        chosen = trace.language_at(step + 1)
        passed_over += chosen not in worst
        assert chosen == worst[0] if step in asked else (chosen not in worst or len(worst) > 1)
        if step in asked:
            assert {*asked[step]["key"], *asked[step]["tied"]} == {*worst}
    assert passed_over and asked
    ratio = train_paritybpe(
        {"en": Corpus.from_counts({"hug": 3}), "de": Corpus.from_counts({"pug": 2})}, ratio=[1, 2]
    )
    assert not [*class_questions(ratio, "language")]


def test_a_pair_that_a_bound_excludes_is_offered_and_wrong() -> None:
    """Oracle: the Hugging Face course's words by hand: at last `hug + s` is the most frequent with 5, and
    makes four letters; `b + un` has 4."""
    trace = RUNS["bound"]
    result, question = ask_class(trace, 5, "pair", Style()), question_after(trace, 5, "pair", Style())
    assert result is not None and [choice["id"] for choice in result["choices"]] == ["b + un", "hug + s"]
    assert (result["key"], result["tied"]) == (["b + un"], [])
    assert "longer than 3 characters" in question.grade("hug + s").reason
    assert "at most 3 characters" in str(result["say"]["en"])
    free = ask_class(train_bpe(Corpus.from_counts(HUG)), 5, "pair", Style())
    assert free is not None and free["key"] == ["hug + s"] and "at most" not in str(free["say"]["en"])


@pytest.mark.parametrize("name", ["symbol", "unigram symbol"])
def test_a_symbol_that_is_kept_whole_is_never_cut(name: str) -> None:
    """The symbol stands behind the word to split, and cut in parts it is wrong, even beside right ones."""
    trace, wanted = RUNS[name], [*class_questions(RUNS[name], "split")]
    assert any(result["kind"] == "split" for _step, result in wanted)
    for _step, result in wanted:
        if result["kind"] != "split":  # no word has the piece
            continue
        question = question_after(trace, result["step"], "split", style_of(trace))
        assert result["word"].endswith("<n>") and result["key"][0].endswith(" <n>")
        cut = result["key"][0].removesuffix("<n>") + "< n >"
        assert question.grade(cut).kind not in (RIGHT, TIED)
        assert "training keeps it whole" in question.grade(cut).hint
        assert question.grade(result["key"][0]).kind == RIGHT


@pytest.mark.parametrize(
    "name", ["letters", "bytes", "wordpiece letters", "sentencepiece", "unigram unknown"]
)
def test_no_word_with_an_excluded_character_is_split(name: str) -> None:
    """It would be split as if shorter, or with an unknown token. Oracle: the counted words."""
    trace = RUNS[name]
    assert trace.left_out
    spelled = {
        word.replace("▁", "␣") for word in trace.word_frequencies if trace.left_out.keys().isdisjoint(word)
    }
    splits = [result for _step, result in class_questions(trace, "split") if result["kind"] == "split"]
    assert len(splits) > 2 and {result["word"] for result in splits} <= spelled


def cost(word: str, logs: Mapping[str, float], unknown: float) -> float:
    """The cost of a word's best split, of all ways to cut it."""
    return min(
        -sum(logs.get(piece, unknown if len(piece) == 1 else -math.inf) for piece in split.split())
        for split in every_split(word)
    )


@pytest.mark.parametrize("name", ["unigram bound", "unigram symbol", "unigram unknown"])
def test_unigram_prunes_no_excluded_piece(name: str) -> None:
    """Oracle: every cut of every word, with its cost; the rules of the three runs by hand."""
    trace, wanted = RUNS[name], Counter[str]()
    assert isinstance(trace, UnigramTrace)
    for step, result in class_questions(trace, "piece"):
        if trace[step + 1].event.rank > 1:
            continue  # its losses belong to the round
        logs = dict(trace.pieces_at(step))
        assert all(len(piece) < 4 for piece in logs) or name != "unigram bound"
        assert not any({*"<é>"} & {*piece} for piece in logs)
        unknown = min(logs.values()) - 10

        def loss(without: str, logs: dict[str, float] = logs, unknown: float = unknown) -> float:
            rest = {piece: log for piece, log in logs.items() if piece != without}
            return sum(times * cost(word, rest, unknown) for word, times in trace.corpus.items())

        offered = {one["id"]: one["id"].replace("␣", "Ġ") for one in result["choices"]}
        losses = {name: loss(piece) for name, piece in offered.items()}
        assert {*result["key"]} == {one for one in losses if losses[one] < min(losses.values()) + 1e-9}
        wanted["piece"] += 1
        split = ask_class(trace, step, "split", style_of(trace))
        assert split is not None
        if split["kind"] == "split":
            word = split["word"].removesuffix("<n>").replace("␣", "Ġ")
            then = dict(trace.pieces_at(step + 1))
            for answer in split["key"]:
                pieces = answer.removesuffix(" <n>").replace("␣", "Ġ").split()
                assert -sum(then[piece] for piece in pieces) == pytest.approx(cost(word, then, -math.inf))
            wanted["split"] += 1
    assert wanted["piece"] > 5 and wanted["split"] > 5


def test_a_piece_that_is_too_long_is_mentioned() -> None:
    question = question_after(RUNS["unigram bound"], 4, "split", Style())
    assert question.key == "hug s"
    assert (
        "at most 3 characters" in question.grade("hugs").hint
        and "at most" not in question.grade("hu gs").reason
    )


def test_a_run_ends() -> None:
    trace = RUNS["bpe"]
    assert ask_class(trace, len(trace), "pair", Style()) is None
    last = ask_class(trace, len(trace) - 1, "pair", Style())
    assert last is not None and last["kind"] != "pair"  # one pair is left: nothing to choose
    many = train_bpe(
        Corpus.from_counts({f"{number:03}": 1 for number in range(130)})
    )  # choices with their counts
    last = ask_class(many, len(many) - 1, "pair", Style())
    assert last is not None and last["kind"] == "split"
    assert steps_with_questions(trace, 0, 3) == [0, 1, 2]
    unigram = RUNS["unigram"]
    for step in steps_with_questions(unigram, 0, len(unigram)):
        assert unigram[step + 1].event.kind == "prune"


def test_an_error_leaves_the_language(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = RUNS["bpe"]
    before = current_language()
    monkeypatch.setattr(class_question, "markup_parts", lambda _markup: 1 // (current_language() == before))
    with pytest.raises(ZeroDivisionError):
        ask_class(trace, 0, "count", style_of(trace))
    assert current_language() == before


@pytest.mark.parametrize(
    "true",
    [1234.5678, 0.05003, 0.04213, 0.004, 0.0, 0.5, 1.0, 9.99, 15.47, 99.95, 123.4, 54321.98, 312345.678],
)
def test_a_number_computed_by_hand_is_right_in_class_as_in_predict(true: float) -> None:
    """Oracle: Predict's verdict on an answer in canonical form. In 0.04 there, the second digit may have been
    a zero."""
    question = Question(
        "loss",
        "",
        Entry(),
        nats(true),
        grade_number(true, "", "", "", by_hand=True),
        "",
        near=near_by_hand(true),
    )
    graded = class_question.graded_number(question)
    asked = {"input": "number", "kind": "loss", "say": {"": "?"}, **graded}
    key, chance, wanted = AnswerKey(read_question(asked)), random.Random(str(true)), Counter[str]()
    assert key.verdict(graded["key"][0]) == RIGHT
    for _ in range(2000):
        typed = Fraction(
            str(round(true + chance.uniform(-2, 2) * max(0.01, true / 100), chance.randrange(6)))
        )
        for answer in canonical_number(typed):
            digits = len(answer.lstrip("-0.").replace(".", ""))
            kind = question.grade(f"{answer}0" if "." in answer and digits == 1 else answer).kind
            wanted[kind] += 1
            assert key.verdict(answer) == kind or (kind == UNREAD and digits == 1), answer
    assert wanted[RIGHT] > 300 < wanted[WRONG]


def test_numbers_have_one_form() -> None:
    """The form of `canonicalNumber` in `assets/components/class/display.js`."""
    assert canonical_number(20) == {"20"} and canonical_number(12345) == {"12345"}
    assert canonical_number(Fraction(1, 20)) == {"0.05"} and canonical_number(46.88) == {"46.9"}
    assert canonical_number(Fraction(2125, 1000)) == {"2.13", "2.12"}  # halfway: either will do
    assert canonical_number(Fraction(1, 3_000_000)) == {"0.000000333"}
    assert canonical_number(Fraction(99999, 100)) == {"1000"}


def test_every_split_once() -> None:
    results = [*every_split("hugs")]
    assert len({*results}) == len(results) == 2**3 and all(one.replace(" ", "") == "hugs" for one in results)


@pytest.mark.parametrize("text", [*MARKUP, *FORMATS, *CONTROLS])
def test_hostile_tokens_travel_as_text(text: str) -> None:
    """Source: `tests/hostile.py`. The text read back equals `readable`'s, and nothing is left of the markup
    around it."""
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
        result: Any = ask_class(trace, step, "pair", Style(byte_level=True))
        assert result is None or "<bdi" not in str(result)


def test_every_plan_asks_the_room() -> None:
    for lesson in LESSONS:
        asks = [one for one in lesson.activities if one.ask]
        assert asks, lesson.title
        for one in asks:
            assert one.link is not None
            if "mode" in one.link.query:
                assert one.ask in ASKS[one.link.page] and one.link.query["ask"] == one.ask
                continue
            trace = trace_at(BPE, corpus=one.link.query["corpus"])
            assert one.ask in class_kinds(trace, int(one.link.query["step"]), Style())
