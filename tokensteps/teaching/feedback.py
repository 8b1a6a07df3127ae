"""Feedback in steps: after a wrong try a hint at the likely mistake, then the way with its numbers, then the
answer.

A question grades each answer by itself (`Question.grade`). This module decides which part of the verdict is
shown, and the value of a later try.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Final

from tokensteps.drawing.tokens import fill
from tokensteps.language.i18n import _, count, current_language, ended, sentences
from tokensteps.limits import ANSWER_LIMIT
from tokensteps.teaching.questions import (
    AGAIN,
    HALF,
    QUARTER,
    RIGHT,
    UNREAD,
    WRONG,
    Choice,
    GivenAnswer,
    Question,
    Verdict,
    unread,
)

MOST_TRIES: Final = 3
"""A hint after the first, the way after the second, the answer after the third."""


def tries_for(question: Question) -> int:
    """How many tries there are: fewer where there is no way to show, or where only the right option would be
    left."""
    most = MOST_TRIES if question.worked else MOST_TRIES - 1
    if isinstance(question.form, Choice):
        most = min(most, len(question.form.options) - 1)
    return max(1, most)


def judged(question: Question, answer: str) -> Verdict:
    """The verdict on a typed answer."""
    if not answer.strip():
        return unread(_("Give an answer first."))
    if len(answer) > ANSWER_LIMIT:
        return unread(
            _("The answer has {size} characters, but at most {limit} are read: shorten it.").format(
                size=count(len(answer)), limit=count(ANSWER_LIMIT)
            )
        )
    return question.grade(answer)


def revealed(question: Question, message: str = "") -> Verdict:
    """The answer, shown on request: that counts as wrong. `message` replaces the usual words around it."""
    shown = escape(_("Shown."))
    usual = sentences(f"<b>{shown}</b>", question.solution)
    text = fill(_(message), solution=question.solution) if message else usual
    return Verdict(WRONG, text, given=GivenAnswer(current_language(), "", shown=message))


def in_steps(
    question: Question,
    before: Sequence[str],
    answer: str,
    verdict: Verdict,
    counted: bool = True,
    one_try: bool = False,
) -> Verdict:
    """The feedback after the wrong answers `before` and one with this verdict; the value of a later try is
    mentioned only where answers are `counted`. If there is but `one_try`, the verdict is final."""
    form = question.form
    option_index = form.options.index(answer) if isinstance(form, Choice) and answer in form.options else -1
    given = GivenAnswer(current_language(), answer, option_index, tuple(before), counted, one_try)
    return (verdict if one_try else _step(question, before, answer, verdict, counted))._replace(given=given)


def translated_verdict(verdict: Verdict, make: Callable[[], Question]) -> Verdict:
    """The verdict in the language in use: its answer is judged again, by the same question in that language,
    if it was given in another one."""
    given = verdict.given
    if given is None or given.language == current_language():
        return verdict
    question = make()
    if given.shown is not None:
        return revealed(question, given.shown)
    options = question.form.options if isinstance(question.form, Choice) else ()
    answer = options[given.option_index] if 0 <= given.option_index < len(options) else given.answer
    again = judged(question, answer)
    return in_steps(question, given.before, answer, again, given.counted, given.one_try)


def _step(question: Question, before: Sequence[str], answer: str, verdict: Verdict, counted: bool) -> Verdict:
    tries = len(before) + 1
    if verdict.kind == RIGHT and tries > 1:
        kind, counts = (
            (HALF, _("At the second try: that counts half."))
            if tries == 2
            else (QUARTER, _("At the third try: that counts a quarter."))
        )
        narration = sentences(ended(verdict.reason), escape(counts)) if counted else verdict.reason
        return verdict._replace(kind=kind, reason=narration)
    if verdict.kind != WRONG:
        return verdict
    if _plain(answer) in map(_plain, before):
        narration = sentences(escape(_("You have tried that already: change something.")), verdict.hint)
        return Verdict(UNREAD, narration, cells=verdict.cells)
    if tries >= tries_for(question):
        return verdict
    name = escape(_("Not yet."))
    counts = _("Try again: a right answer now counts half.")
    worked = ""
    if tries > 1:
        counts, worked = (
            _("Try again: a right answer now counts a quarter."),
            verdict.worked or question.worked,
        )
    again = counts if counted else _("Try again.")
    narration = sentences(f"<b>{name}</b>", verdict.hint, worked, escape(again))
    return verdict._replace(kind=AGAIN, reason=narration, hint="", worked="")


def _plain(answer: str) -> str:
    """An answer without insignificant blanks."""
    return "\n".join(" ".join(line.split()) for line in answer.strip().splitlines())
