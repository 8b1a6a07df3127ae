"""For teachers: the lesson plans, and the ways to ask a class."""

from __future__ import annotations

from typing import Final

import streamlit as st

from tokensteps.language.i18n import N_, _
from tokensteps.language.marks import lead_html
from tokensteps.language.pages import PAGES
from tokensteps.pages.learn.home_lessons import show_lessons, show_page_link
from tokensteps.teaching.lessons import Link
from tokensteps.widgets.tour import titled

TEACH: Final = "teach"
FOR_CLASSES: Final = (
    Link(N_("Open a class: everybody's phone follows you"), "classroom"),
    Link(N_("Challenges: set one for your class, then check the answers"), "challenge"),
    Link(N_("Exercises, and worksheets to print"), "exercises"),
)


def show() -> None:
    """The whole page."""
    titled(TEACH, _(PAGES[TEACH].title))
    st.html(lead_html(_("Lesson plans of 10, 30 and 90 minutes, and what goes with them.")))
    show_lessons()
    st.header(_("With a class"), anchor=False)
    with st.container(key="home_more", horizontal=True, gap="small"):
        for link in FOR_CLASSES:
            show_page_link(link)
