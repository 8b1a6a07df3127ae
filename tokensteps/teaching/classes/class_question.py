"""A question for a whole class about the next step of a run: made by the predictions, answered by thumb,
graded as Predict does.

The right answers are strings in one canonical form, so that a room can count them without any knowledge of
tokenizers: a choice's own text, a number with three significant digits, a split with a space at each cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any, Final, TypedDict

from tokenizers_core.encoding.models.pairs import merge_pair
from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.drawing.tokens import Style, chip, pair_chips, pair_text, readable
from tokensteps.drawing.training.candidates import by_spelling, offered_pairs
from tokensteps.language.i18n import LANGUAGES, count, using_language
from tokensteps.teaching.classes.markup_data import MarkupPart, markup_parts
from tokensteps.teaching.events import merge_at, prune_at
from tokensteps.teaching.merge_questions import prefix_of, shows_counts
from tokensteps.teaching.predictions import ASKS, asks_about, next_question_step, question_after
from tokensteps.teaching.prune_questions import offered_pieces
from tokensteps.teaching.questions import RIGHT, TIED, Choice, Question, read_number
from tokensteps.teaching.slips.merging import joined
from tokensteps.teaching.splitting import as_read, symbol_after

CLASS_CHOICES: Final = 12
"""Candidates for a class to choose from: as many buttons as fit on a phone's screen without much scrolling,
and as bars on the wall."""
CLASS_CUTS: Final = 9
"""The most letters of a word with every split graded, to find all ties: 256 splits take some hundredths of a
second."""

SIGNIFICANT: Final = (2, 3)
"""Significant digits of a right number; `assets/components/class/display.js` rounds answers to the last."""


LEAST_CHOICES: Final = 2
"""The fewest choices worth a question."""


class ClassQuestion(TypedDict, total=False):
    """A question as it travels; see `ask_class`."""

    kind: str
    say: dict[str, list[MarkupPart]]
    """Language → the sentence."""
    input: str
    """How it is answered: "choices", "number" or "text"."""
    choices: list[dict[str, Any]]
    """The buttons: `id`, `text`, and a `say` where the words depend on the language."""
    key: list[str]
    """All right answers, the run's own first,"""
    tied: list[str]
    """and equally good ones that lose by the tie rule."""
    near: list[float]
    """The least and the greatest right number, besides the key."""
    word: str
    """The word to split."""
    step: int
    """The step before it."""


def ask_class(trace: AnyTrace, step: int, kind: str, style: Style) -> ClassQuestion | None:
    """The question about the step after `step`: of this kind if possible there; for "mixed", by turns. None
    at the end of a run, and where nothing is left to choose from.

    Its sentences are in all languages, because each student has their own.
    """
    at = next_question_step(trace, min(step, len(trace)))
    if at is None:
        return None
    question = question_after(trace, at, kind, style)
    if _has_one_choice(question, trace, at, style):
        kind = "split" if trace.ranked_by == "loss" or shows_counts(trace) else [*asks_about(trace)][1]
        question = question_after(trace, at, kind, style)
        if _has_one_choice(question, trace, at, style):
            return None
    say, offered = {}, {}
    for language in LANGUAGES:
        with using_language(language):
            asked = question_after(trace, at, kind, style)
            say[language], offered[language] = markup_parts(asked.prompt), _own_texts(asked.form)
    result: ClassQuestion = {"kind": question.kind, "say": say, "step": at}
    if isinstance(question.form, Choice):
        choices = _offered(trace, at, question.form, style)
        for choice in choices:
            words = {language: texts.get(choice["id"]) for language, texts in offered.items()}
            if len({*map(str, words.values())}) > 1:
                choice["say"] = words
        result |= {"input": "choices", "choices": choices}
        result |= _graded(question, [question.key, *(choice["id"] for choice in choices)])
    elif question.kind == "split":
        result |= {"input": "text", "word": question.key.replace(" ", "")}
        result |= _graded(question, _splits(trace, at, question, style))
    else:
        result |= {"input": "number"} | graded_number(question)
    return result


def _has_one_choice(question: Question, trace: AnyTrace, step: int, style: Style) -> bool:
    form = question.form
    return isinstance(form, Choice) and len(_offered(trace, step, form, style)) < LEAST_CHOICES


def class_kinds(trace: AnyTrace, step: int, style: Style) -> tuple[str, ...]:
    """The possible questions for a class about the step after this one."""
    at = next_question_step(trace, min(step, len(trace)))
    asks = asks_about(trace)
    special = asks.keys() - ASKS[trace.algorithm].keys()
    return tuple(
        kind
        for kind, ask in asks.items()
        if not (kind == "count" and shows_counts(trace))
        and not (kind in special and (at is None or ask(trace, at, style) is None))
    )


def _graded(question: Question, answers: Iterable[str]) -> ClassQuestion:
    """The right and the tied ones of these answers, by Predict's grading."""
    results: dict[str, list[str]] = {RIGHT: [], TIED: []}
    for answer in dict.fromkeys(answers):
        results.get(question.grade(answer).kind, []).append(answer)
    return {"key": results[RIGHT], "tied": results[TIED]}


def _offered(trace: AnyTrace, step: int, form: Choice, style: Style) -> list[dict[str, Any]]:
    """The options as buttons; of candidates the best for a phone's screen, in a neutral order."""
    if form.shown:
        return [{"id": option, "text": text} for option, text in _own_texts(form).items()]
    if trace.ranked_by == "loss":
        rows = offered_pieces(trace, prune_at(trace, step + 1))
        pieces = sorted((readable(row.piece, style), row.piece) for row in rows)
        return [{"id": name, "text": markup_parts(chip(piece, style))} for name, piece in pieces]
    value = shows_counts(trace)
    result = by_spelling(offered_pairs(trace, step, CLASS_CHOICES), style)
    return [
        {
            "id": pair_text(one.pair, style),
            "text": markup_parts(pair_chips(one.pair, style)) + ([f" × {count(one.freq)}"] if value else []),
        }
        for one in result
    ]


def _own_texts(form: object) -> dict[str, list[MarkupPart]]:
    """The options with markup of their own, in the present language's words."""
    if not isinstance(form, Choice) or not form.shown:
        return {}
    return {option: markup_parts(form.shown[option]) for option in form.options}


def _splits(trace: AnyTrace, step: int, question: Question, style: Style) -> Iterator[str]:
    """The possibly right or tied splits: the run's own, the ones made by tied pairs, and, of a short word,
    all."""
    yield question.key
    word = question.key.replace(" ", "")
    if trace.ranked_by == "loss":
        symbol = symbol_after(trace, word)
        if len(own := word.removesuffix(symbol)) <= CLASS_CUTS:
            yield from (f"{split} {symbol}".rstrip() for split in every_split(own))
        return
    event, prefix = merge_at(trace, step + 1), prefix_of(trace)
    for own in event.words[:50]:
        now = trace.splits(step, [own])[own]
        typed = "".join(as_read(now, style, prefix))
        if typed + symbol_after(trace, typed) == word:
            behind = word.removeprefix(typed)
            for tie in event.tied[1:]:
                then = as_read(merge_pair(now, tie.pair, joined(tie.pair, prefix)), style, prefix)
                yield " ".join((*then, behind)).rstrip()


def every_split(word: str) -> Iterator[str]:
    """All ways to cut a word, with a space at each cut.

    >>> [*every_split("hug")]
    ['hug', 'h ug', 'hu g', 'h u g']
    """
    positions = range(1, len(word))
    for number in range(len(word)):
        for cuts in combinations(positions, number):
            ends = (0, *cuts, len(word))
            yield " ".join(word[start:end] for start, end in pairwise(ends))


def canonical_number(value: Fraction | float, digits: int = SIGNIFICANT[-1]) -> set[str]:
    """A number with so many significant digits, a whole one as it is; two where it lies halfway.

    >>> canonical_number(Fraction(34, 25725)), canonical_number(1234), canonical_number(Fraction(1, 20), 2)
    ({'0.00132'}, {'1234'}, {'0.05'})
    """
    exact = Decimal(Fraction(value).numerator) / Decimal(Fraction(value).denominator)
    if exact == exact.to_integral_value():
        return {str(int(exact))}
    unit = Decimal(1).scaleb(exact.adjusted() - digits + 1)
    rounded = (exact.quantize(unit, how) for how in (ROUND_HALF_UP, ROUND_HALF_EVEN))
    return {f"{one:f}".rstrip("0").rstrip(".") if "." in f"{one:f}" else f"{one:f}" for one in rounded}


def graded_number(question: Question) -> ClassQuestion:
    """The right number in canonical form, also with fewer digits if Predict takes it; what counts as near."""
    number = read_number(question.key)
    assert number is not None  # the question's own key
    whole, rounded = (sorted(canonical_number(number.value, digits)) for digits in reversed(SIGNIFICANT))
    also = [answer for answer in rounded if question.grade(answer).kind == RIGHT]
    result: ClassQuestion = {"key": [*dict.fromkeys((*whole, *also))], "tied": []}
    return result if question.near is None else {**result, "near": [*question.near]}
