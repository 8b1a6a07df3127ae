"""The page of classes: join one by its code, open one, and see the results of a past one."""

from __future__ import annotations

from html import escape
from typing import Final

import streamlit as st

from tokensteps.components.base import component
from tokensteps.language.classes import summary_labels
from tokensteps.language.i18n import _, sentences
from tokensteps.language.pages import PAGES
from tokensteps.pages.learn.deck import show_deck
from tokensteps.shell.classes import class_code, join_box
from tokensteps.widgets.notes import note_html
from tokensteps.widgets.tour import titled

CLASSROOM: Final = "classroom"


def show() -> None:
    """The whole page."""
    titled(CLASSROOM, _(PAGES[CLASSROOM].title))
    lead = _(
        "Everybody's phone or laptop goes where you go; you ask, they answer, and the wall shows what the room thinks. No accounts, "
        "and no names unless you ask for nicknames."
    )
    with st.container(key=f"{CLASSROOM}-ways"):  # not on paper, as the prepared questions
        st.html(f'<div class="ts"><p class="lead">{escape(lead)}</p></div>')
        with st.container(horizontal=True, vertical_alignment="bottom"):
            join_box(CLASSROOM, width=260)
    if class_code() is None:
        learn = _("To learn in one, type its code.")
        teach = _(
            "To teach one, press “Open a class” here or on a page with steps: you get a code and a picture to scan."
        )
        narrow = _("To teach one, open this page in a wider window, on a computer or a tablet.")
        st.html(
            note_html(
                sentences(
                    escape(learn),
                    f'<span class="wide">{escape(teach)}</span><span class="narrow">{escape(narrow)}</span>',
                )
            )
        )
    data = {
        "code": class_code(),
        "labels": summary_labels(),
        "pages": {name: [page.path, _(page.title)] for name, page in PAGES.items()},
    }
    component(
        "classroom",
        ("page/class.css", "page/style.css", "components/classroom.css", "components/students.css"),
    )(key=CLASSROOM, data=data)
    with st.container(key=f"{CLASSROOM}-prepared"):
        show_deck()
