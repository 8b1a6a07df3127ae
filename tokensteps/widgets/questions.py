"""Questions on a page: the prompt, the form, the verdict, the tally.

The widgets of a form keep their keys from one question to the next, so that the keyboard focus stays.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape
from typing import Final

import streamlit as st

from tokensteps.components.board import board
from tokensteps.drawing.lattice.board import board_html
from tokensteps.drawing.tokens import fill
from tokensteps.language.i18n import _, count, listed, ngettext, use_language
from tokensteps.runs.corpora import plain_text
from tokensteps.teaching.feedback import judged
from tokensteps.teaching.questions import (
    AGAIN,
    HALF,
    QUARTER,
    RIGHT,
    UNREAD,
    WRONG,
    Board,
    Cells,
    Choice,
    Entry,
    Form,
    Question,
    SeveralLines,
    Tally,
    Verdict,
)

BOARD_PLACES: Final = 40
"""Places of pieces in a picture for answers: among more, nobody finds the right ones by eye."""
SHORT_WORD: Final = 6
"""Characters of a short word: its picture leaves room for the answer's box, in projector mode."""
OnVerdict = Callable[[str, Verdict], None]
"""Receives the answer and its verdict, before the page is drawn again."""


def ask(
    key: str,
    question: Question,
    on_verdict: OnVerdict,
    on_give_up: Callable[[], None] | None = None,
    how: str = "",
) -> None:
    """Draw a question under `key`, and call `on_verdict` when it is answered. An unreadable answer stays in
    its box; so does a table or a text of several lines until it is right.

    With `on_give_up` there is a second button, to reveal the answer. `how` explains other ways to answer
    besides the form.
    """
    text = f"<p>{escape(how)}</p>" if how else ""
    st.html(f'<div class="ts question">{question.prompt}{text}</div>')
    with st.form(key, border=False):
        if question.board is not None:
            _board(key, question.board, question.form)
        if isinstance(question.form, Cells):  # a table goes above its buttons
            _boxes(key, question.form)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            if not isinstance(question.form, Cells):
                _boxes(key, question.form)
            st.form_submit_button(
                _("Check"),
                on_click=partial(_submitted, key, question, on_verdict),
                type="primary",
                key=f"{key}.check",
            )
            if on_give_up is not None:
                st.form_submit_button(_("Reveal"), on_click=on_give_up, key=f"{key}.give_up")


def _board(key: str, picture: Board, form: Form) -> None:
    """The picture as another way to answer."""
    places = picture.places
    if len(places) > BOARD_PLACES:
        return
    last = isinstance(form, Cells)
    hint = (
        _("Click a piece to enter it as the last one up to where it ends, or type.")
        if last
        else _("Click pieces until they cover the word, or type the split.")
    )
    labels = {"hint": hint, "open": _("Still to cover: {letters}"), "done": _("Your split: {split}")}
    with st.container(key=f"{key}.board{'-short' if len(picture.word) <= SHORT_WORD else ''}"):
        board(
            f"{key}.pieces",
            board_html(picture.word, places, picture.pieces),
            picture.word,
            labels,
            last=last,
        )


def _boxes(key: str, form: Form) -> None:
    """The boxes for an answer."""
    match form:
        case Cells():
            _cells(key, form)
        case Choice():
            _choice(key, form)
        case SeveralLines():
            st.text_area(
                _("Your answer"),
                key=f"{_boxes_key(key)}.lines",
                placeholder=form.hint,
                height=140,
                label_visibility="collapsed",
            )
        case Entry():
            st.text_input(
                _("Your answer"),
                key=f"{_boxes_key(key)}.entry",
                placeholder=form.hint,
                label_visibility="collapsed",
            )


def _choice(key: str, form: Choice) -> None:
    """A list with a box to type into."""
    box = answer_key(key)
    # A value set here goes to the browser, and would replace a choice there that hasn't been sent yet.
    if st.session_state.get(box) not in (None, *form.options):
        st.session_state[box] = None
    st.selectbox(
        _("Your answer"),
        form.options,
        index=None,
        format_func=lambda option: form.names.get(option, option),
        key=box,
        placeholder=_("Choose, or type to search"),
        label_visibility="collapsed",
    )


def answer_key(key: str) -> str:
    """The key of the list of answers of the question under `key`."""
    return f"{_boxes_key(key)}.choice"


def _boxes_key(key: str) -> str:
    """The prefix of the boxes' keys."""
    return f"{key}.{st.session_state.get(f'{key}.emptied', 0)}"


def empty_boxes(key: str) -> None:
    """Draw new boxes for the question under `key`. A second tap still sends the old ones, which are no answer
    to the next question; and the same answer, typed again, is no old value of theirs: see
    `streamlit_tuning/old_values.py`."""
    st.session_state[f"{key}.emptied"] = st.session_state.get(f"{key}.emptied", 0) + 1


def _cells(key: str, form: Cells) -> None:
    """A table with boxes in the cells to fill in."""
    widths = [1, *[2] * (len(form.head) - 1)]
    head = st.columns(widths)
    for column, name in zip(head, form.head, strict=True):
        column.html(f'<div class="ts cellhead">{escape(name)}</div>')
    number = 0
    for row in form.rows:
        columns = st.columns(widths, vertical_alignment="center")
        for column, name, cell in zip(columns, form.head, row, strict=True):
            if cell is not None:
                column.html(f'<div class="ts cell">{escape(cell)}</div>')
                continue
            label = listed([name, row[0]]) if row[0] is not None else name
            plain = all(character.isalnum() or character in " ,、" for character in label)
            column.text_input(  # a label is Markdown
                label if plain else _("Cell {number}").format(number=number + 1),
                key=f"{_boxes_key(key)}.cell.{number}",
                label_visibility="collapsed",
                placeholder=label[:60],
            )
            number += 1


def _submitted(key: str, question: Question, on_verdict: OnVerdict) -> None:
    """Read the form, grade the answer, and draw empty boxes next unless it needs correction."""
    state, form = st.session_state, question.form
    use_language(state.get("language", "en"))  # a callback runs before the page chooses it
    names = {
        Choice: ["choice"],
        Entry: ["entry"],
        SeveralLines: ["lines"],
        Cells: [f"cell.{number}" for number in range(form.open if isinstance(form, Cells) else 0)],
    }[type(form)]
    answer = "\n".join(plain_text(state.get(f"{_boxes_key(key)}.{name}")) for name in names)
    verdict = judged(question, answer)
    if verdict.kind != UNREAD and (verdict.kind != WRONG or isinstance(form, Choice | Entry)):
        empty_boxes(key)
    on_verdict(answer, verdict)


def verdict_html(verdict: Verdict, more: str = "") -> str:
    """The verdict as a message for screen readers, too; `more` is markup. `assets/components/page.js` marks
    its wrong cells; `walk.js` looks whether there is another try."""
    role = "alert" if verdict.kind == UNREAD else "status"
    kind = {HALF: RIGHT, QUARTER: RIGHT, AGAIN: WRONG}.get(verdict.kind, verdict.kind)
    kind += " shown" if verdict.given and verdict.given.shown is not None else ""
    cells = f' data-cells="{" ".join(map(str, verdict.cells))}"' if verdict.cells else ""
    again = " data-again" if verdict.kind == AGAIN else ""
    return f'<div class="ts note verdict {kind}" role="{role}"{cells}{again}>{verdict.reason}{more}</div>'


def tally_html(tally: Tally) -> str:
    """A learner's score in one line."""
    if not tally.answered:
        return ""
    text = ngettext("{right} of {answered} right", "{right} of {answered} right", tally.answered)
    parts = [fill(text, right=f"<b>{tally.score}</b>", answered=count(tally.answered))]
    if tally.tied:
        parts.append(fill(ngettext("{number} tied", "{number} tied", tally.tied), number=count(tally.tied)))
    if tally.streak > 1:
        parts.append(fill(_("{number} in a row"), number=f"<b>{count(tally.streak)}</b>"))
    if tally.best > max(tally.streak, 1):
        parts.append(fill(_("best run {number}"), number=count(tally.best)))
    return f'<span class="tally">{" · ".join(parts)}</span>'
