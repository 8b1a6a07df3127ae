"""The settings of the playground's tab “Health”: in session state, and in the URL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import streamlit as st

from tokensteps.catalogue.side_by_side import LETTERS
from tokensteps.language.i18n import _

HEALTH_TAB: Final = "Health"
WHOSE: Final = "playground.health.whose"
"""In session state: the letter of the tokenizer to check."""


def read_health_url(url: Mapping[str, str]) -> None:
    """Open the tab if the link says so, for the tokenizer with the link's letter."""
    letter = url.get("health", "")
    if letter and letter in LETTERS:
        st.session_state[WHOSE] = letter
        st.session_state["playground.tab.open"] = HEALTH_TAB
        st.session_state["playground.tab"] = _(HEALTH_TAB)


def health_url() -> dict[str, str | None]:
    """The tokenizer to check; None while another tab is open."""
    state = st.session_state  # the open tab may still have its name of before a change of language
    is_open = state.get("playground.tab") in (_(HEALTH_TAB), state.get(f"{HEALTH_TAB}.tab", _(HEALTH_TAB)))
    return {"health": str(st.session_state.get(WHOSE) or LETTERS[0]) if is_open else None}
