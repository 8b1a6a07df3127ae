"""The ways into a class for whoever leads it: `assets/components/class_open.js` asks the server for a room,
and keeps the lecturer's key in the browser; `assets/components/class_again.js` goes on with a class that is
open already."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import streamlit as st

from tokensteps.components.address import update_url
from tokensteps.components.base import component
from tokensteps.language.classes import again_label, open_labels
from tokensteps.language.names import ALGORITHM_NAMES

CLASS_PARAMETER: Final = "class"
CODE_FORM: Final = re.compile(r"[A-Z0-9]{4,12}")
CLASS_CODE: Final = "class.code"
"""In session state: the code of the class that the visitor is in, None without one,"""
CLASS_BEFORE: Final = "class.before"
"""and the one that the address had before: a message that was under way still has it."""
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
"""Pages on which a class is opened."""


def read_class(text: str | None) -> str | None:
    """The code in an address, as people type it; None for what can't be one.

    >>> read_class("kx7-p3h"), read_class("<b>"), read_class(None)
    ('KX7P3H', None, None)
    """
    code = re.sub(r"[\s-]", "", (text or "")[:40]).upper()
    return code if CODE_FORM.fullmatch(code) else None


def enter_class(code: str) -> None:
    """Be in this class from now on, whether or not there is one: the browser asks the room. An address that
    names another has lost."""
    st.session_state[CLASS_BEFORE] = read_class(st.query_params.get(CLASS_PARAMETER))
    st.session_state[CLASS_CODE] = code
    update_url({CLASS_PARAMETER: code})


def class_button(page: str) -> None:
    """The button that opens a class, where one is held and the visitor is in none."""
    if page in CLASS_PAGES and st.session_state.get(CLASS_CODE) is None:
        key = f"{page}.start-projector-class"
        component("class_open", ("page/projector.css",))(
            key=key,
            data={"labels": open_labels()},
            width="content",
            on_opened_change=lambda: _enter_told(key, "opened"),
        )


def class_again(page: str) -> None:
    """The way back for whoever has closed the tab that led a class; nothing for everybody else."""
    key = f"{page}.class-again"
    data = {"code": st.session_state.get(CLASS_CODE), "again": again_label()}
    component("class_again", ("page/style.css", "page/class.css"))(
        key=key, data=data, on_again_change=lambda: _enter_told(key, "again")
    )


def _enter_told(key: str, name: str) -> None:
    result = st.session_state.get(key)
    code = read_class(result.get(name) if isinstance(result, Mapping) else None)
    if code is not None:
        enter_class(code)
