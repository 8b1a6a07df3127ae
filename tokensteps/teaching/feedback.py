"""Feedback in steps: after a wrong try a hint at the likely mistake, then the way with its numbers, then the
answer.

A question grades each answer by itself (`Question.grade`). This module decides which part of the verdict is
shown, and the value of a later try.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from tokensteps.language.i18n import _, ended, sentences
from tokensteps.teaching.questions import (
    AGAIN,
    HALF,
    QUARTER,
    RIGHT,
    UNREAD,
    WRONG,
    Choice,
    Question,
    Verdict,
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


def in_steps(
    question: Question, before: Sequence[str], answer: str, verdict: Verdict, counted: bool = True
) -> Verdict:
    """The feedback after the wrong answers `before` and one with this verdict; the value of a later try is
    mentioned only where answers are `counted`."""
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
