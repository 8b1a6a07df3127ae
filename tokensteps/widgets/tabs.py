"""Tabs that stay open when the language changes. Streamlit knows the open tab by its name, which changes with the language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from tokensteps.language.i18n import _


def show_tabs(key: str, bodies: Mapping[str, Callable[..., None]], *given: Any) -> None:
    """Tabs by their names, which are to be translated; draws the open one's body, with the arguments in `given`.

    Session state has the open tab's name as shown under `key`, and as in `bodies` under `key.open`.
    """
    state = st.session_state
    names = {_(name): name for name in bodies}
    was = state.get(f"{key}.open")
    if was is not None and key in state and state[key] not in names:
        state[key] = _(was)
    tabs = st.tabs(list(names), key=key, on_change="rerun")
    for tab, (name, body) in zip(tabs, bodies.items(), strict=True):
        if tab.open:
            state[f"{key}.open"] = name
            with tab:
                body(*given)
