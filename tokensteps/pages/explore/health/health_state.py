"""The settings of the playground's tab “Health”: in session state, and in the URL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import streamlit as st

from tokensteps.catalogue.side_by_side import LETTERS
from tokensteps.language.i18n import _
from tokensteps.pages.explore.why.why_state import chosen_letters
from tokensteps.runs.settings import invalid_here

HEALTH_TAB: Final = "Health"
WHOSE: Final = "playground.health.whose"
"""In session state: the letter of the tokenizer to check."""


def read_health_url(url: Mapping[str, str], letters: str, complaints: list[str]) -> None:
    """Open the tab if the link says so, for the tokenizer with the link's letter, one of `letters`."""
    letter = url.get("health", "")
    if letter:
        fits = letter in [*letters]
        if not fits:
            complaints.append(invalid_here("health", letter))
        st.session_state[WHOSE] = letter if fits else LETTERS[0]
        st.session_state["playground.tab.open"] = HEALTH_TAB
        st.session_state["playground.tab"] = _(HEALTH_TAB)


def health_url() -> dict[str, str | None]:
    """The tokenizer to check; None while another tab is open."""
    state = st.session_state  # the open tab may still have its name of before a change of language
    is_open = state.get("playground.tab") in (_(HEALTH_TAB), state.get(f"{HEALTH_TAB}.tab", _(HEALTH_TAB)))
    letter = state[WHOSE] if state.get(WHOSE) in [*chosen_letters()] else LETTERS[0]
    return {"health": letter if is_open else None}
