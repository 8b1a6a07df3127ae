"""A lecturer's questions for classes, on the page of classes. The browser keeps them; here their file is
read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import streamlit as st

from tokensteps.components.base import component
from tokensteps.language.classes import deck_labels
from tokensteps.language.i18n import _, use_language
from tokensteps.language.messages import explained
from tokensteps.language.pages import PAGES
from tokensteps.limits import DECK_BYTES
from tokensteps.shell.walk import lesson_facts
from tokensteps.site.lesson_file import NOT_UTF8, LessonError, PreparedQuestion, read_deck
from tokensteps.teaching.lessons import LESSONS
from tokensteps.teaching.walk import WalkPosition, stops_of, write_walk

DECK_KEY: Final = "classroom.deck"
DECK_READ: Final = "classroom.deck_read"
"""In session state: the contents of the last file."""


def show_deck() -> None:
    """The list, with its form."""
    st.header(_("Prepared questions"), anchor=False)
    st.caption(
        _(
            "Write them before the lesson, in the order in which you want to ask them. In class, Q asks the next one: of the "
            "plan’s activity first. This browser keeps them; a file takes them to another one."
        )
    )
    data = {
        "labels": {**deck_labels(), "error_encoding": _(NOT_UTF8)},
        "activities": activities(),
        "pages": {name: page.path for name, page in PAGES.items()},
        "limit": DECK_BYTES,
        "read": st.session_state.get(DECK_READ),
    }
    component("deck", ("page/class.css", "page/style.css", "components/deck.css"))(
        key=DECK_KEY, data=data, on_file_change=_read_file
    )


def activities() -> list[list[str]]:
    """Every activity of every plan: as in an address, and in words."""
    named = _("{minutes} minutes, {number}: {title}")
    return [
        [
            write_walk(WalkPosition(str(lesson.minutes), number)),
            named.format(minutes=lesson.minutes, number=number, title=_(stop.link.label)),
        ]
        for lesson in LESSONS
        for number, stop in enumerate(stops_of(str(lesson.minutes), lesson_facts()), start=1)
    ]


def _read_file() -> None:
    use_language(st.session_state["language"])  # a widget's callback comes before the page
    result = st.session_state.get(DECK_KEY)
    match result.get("file") if isinstance(result, Mapping) else None:
        case {"nonce": str(nonce), "name": str(name), "text": str(text)}:
            st.session_state[DECK_READ] = {"nonce": nonce[:40], **read_questions(name[:100], text)}


def read_questions(name: str, text: str) -> dict[str, Any]:
    """The questions in a file, in the browser's form, or the fault in it."""
    try:
        return {"questions": [question_data(one) for one in read_deck(name, text.encode("utf-8", "replace"))]}
    except LessonError as error:
        return {"error": explained(error)}


def question_data(one: PreparedQuestion) -> dict[str, Any]:
    """A question in the browser's form."""
    right = one.choices.index(one.answer) if one.answer and one.choices else -1
    answer = "" if one.choices else one.answer
    return {
        "say": one.ask, "kind": one.by, "choices": [*one.choices], "right": right, "answer": answer, "activity": one.activity,
        "at": one.at,
    }  # fmt: skip
