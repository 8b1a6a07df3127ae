"""The head of a page: its title, and the buttons for its guided tour, for a class and for projector mode."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from tokensteps.components.base import component
from tokensteps.components.classes import CLASS_CODE, CLASS_PAGES, class_button
from tokensteps.components.projector import projector_button
from tokensteps.teaching.lessons import WALK_PARAMETER
from tokensteps.teaching.tour import STOPS, tour


def titled(page: str, title: str, beside: Callable[[], None] | None = None) -> None:
    """A page's title; beside it what `beside` draws, the button for its tour, if it has one, and those for a
    class and projector mode."""
    with st.container(
        key=f"{page}.head",
        horizontal=True,
        vertical_alignment="center",
        horizontal_alignment="distribute",
        gap="small",
    ):
        st.title(title, width="content", anchor=False)
        if beside is not None:
            beside()
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", width="content"):
            if page in STOPS:
                predict = st.session_state.get(f"{page}.mode") == "predict"
                component("tour", ("components/tour.css",))(
                    key=f"{page}.tour", data=tour(page, predict), width="content"
                )
            class_button(page)
            in_class = st.session_state.get(CLASS_CODE) is not None
            in_plan = WALK_PARAMETER in st.query_params
            projector_button(page, in_class, in_plan, opens_class=page in CLASS_PAGES and not in_class)
