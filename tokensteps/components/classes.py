"""The button that opens a class: `assets/components/class_open.js` asks the server for a room, and keeps the lecturer's key in the
browser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import streamlit as st

from tokensteps.components.base import component
from tokensteps.language.classes import open_labels

CLASS_CODE: Final = "class.code"
"""In session state: the code of the class that the visitor is in, None without one."""
CLASS_PAGES: Final = frozenset(
    {
        "bpe",
        "wordpiece",
        "unigram",
        "whatif",
        "compare",
        "playground",
        "pipeline",
        "exercises",
        "challenge",
        "classroom",
    }
)
"""Pages on which a class is opened."""


def class_button(page: str) -> None:
    """The button, where a class is held and the visitor is in none."""
    if page not in CLASS_PAGES or st.session_state.get(CLASS_CODE) is not None:
        return
    key = f"{page}.start-projector-class"

    def opened() -> None:
        result = st.session_state.get(key)
        code = result.get("opened") if isinstance(result, Mapping) else None
        if isinstance(code, str):
            st.session_state[CLASS_CODE] = code[:12]

    component("class_open", ("page/projector.css",))(
        key=key, data={"labels": open_labels()}, width="content", on_opened_change=opened
    )
