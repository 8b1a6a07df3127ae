"""The app's language: from the address, or else the visitor's choice, or else the browser's.

A choice is written to the address as `?lang=`, so that it survives a reload and is part of links;
`assets/components/page.js` carries it to other pages. The browser's own language is not written.
"""

from __future__ import annotations

import streamlit as st

from tokensteps.components.address import CHOSEN_LANGUAGE, is_back, update_url
from tokensteps.language.i18n import LANGUAGES, _, current_language, language_of, use_language

SWITCH = "language.switch"


def choose_language() -> None:
    """Set the language for this run of the script."""
    state, requested = st.session_state, st.query_params.get("lang", "")
    if requested in LANGUAGES or is_back():  # then the address is the truth
        state[CHOSEN_LANGUAGE] = requested if requested in LANGUAGES else ""
    chosen: str = state.get(CHOSEN_LANGUAGE, "")
    before = state.get("language")
    state["language"] = use_language(chosen or browser_language())
    if before not in (None, state["language"]):
        # A select box knows its choice by the label, and would lose it when the labels change. Setting the
        # value again restores it.
        for key, value in state.items():
            if isinstance(value, str):
                state[key] = value


def browser_language() -> str:
    """The browser's language; English if the app doesn't have it."""
    return language_of(st.context.locale or "")


def language_switch() -> None:
    """The switch in the sidebar, with each language under its own name."""
    st.session_state[SWITCH] = current_language()
    st.segmented_control(
        _("Language"),
        list(LANGUAGES),
        format_func=LANGUAGES.__getitem__,
        key=SWITCH,
        label_visibility="collapsed",
        required=True,
        on_change=_switched,
    )


def _switched() -> None:
    state = st.session_state
    state[CHOSEN_LANGUAGE] = state[SWITCH]
    update_url({"lang": state[SWITCH]})
