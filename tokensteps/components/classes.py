"""A lecturer's ways into a class: `assets/components/class_open.js` asks the server for a room, and keeps the
lecturer's key in the browser; `assets/components/class_again.js` goes on with an open class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import streamlit as st

from tokensteps.components.address import update_url
from tokensteps.components.base import component
from tokensteps.language.classes import again_label, open_labels, read_code
from tokensteps.language.names import ALGORITHM_NAMES

CLASS_PARAMETER: Final = "class"
CLASS_CODE: Final = "class.code"
"""In session state: the code of the visitor's class, None without one,"""
CLASS_BEFORE: Final = "class.before"
"""and the address's former code: a message under way still has it."""
CLASS_JUDGED: Final = "class.judged"
"""In session state: the words graded for the class."""
CLASS_PAGES: Final = frozenset(
    {
        "home",
        *ALGORITHM_NAMES,
        "whatif",
        "compare",
        "playground",
        "pipeline",
        "exercises",
        "challenge",
        "classroom",
    }
)
"""Pages with a button for a new class."""


def enter_class(code: str) -> None:
    """Enter a class, even one that may not exist: the browser asks the room. Another code in the address no
    longer counts."""
    st.session_state.pop(CLASS_JUDGED, None)  # another class's questions have the same numbers
    st.session_state[CLASS_BEFORE] = read_code(st.query_params.get(CLASS_PARAMETER))
    st.session_state[CLASS_CODE] = code
    update_url({CLASS_PARAMETER: code})


def class_in_links() -> dict[str, str]:
    """A link's parameter for the visitor's class: added later, it would be one more entry in the browser's
    history."""
    code: str | None = st.session_state.get(CLASS_CODE)
    return {CLASS_PARAMETER: code} if code else {}


def class_button(page: str) -> None:
    """The button for a new class, on suitable pages, for a visitor without a class."""
    if page in CLASS_PAGES and st.session_state.get(CLASS_CODE) is None:
        key = f"{page}.start-projector-class"
        component("class_open", ("page/projector.css",))(
            key=key,
            data={"labels": open_labels()},
            width="content",
            on_opened_change=lambda: _enter_reported(key, "opened"),
        )


def class_again(page: str) -> None:
    """The way back for a lecturer after closing a class's tab; nothing for everybody else."""
    key = f"{page}.class-again"
    data = {"code": st.session_state.get(CLASS_CODE), "again": again_label()}
    component("class_again", ("page/style.css", "page/class.css"))(
        key=key, data=data, on_again_change=lambda: _enter_reported(key, "again")
    )


def _enter_reported(key: str, name: str) -> None:
    result = st.session_state.get(key)
    code = read_code(result.get(name) if isinstance(result, Mapping) else None)
    if code is not None:
        enter_class(code)
