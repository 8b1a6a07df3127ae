"""Tabs that stay open when the language changes: a bar of names, and under it the open one's body."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import streamlit as st

from tokensteps.components.tabs import reported_tab, tab_bar
from tokensteps.language.i18n import _, use_language


def show_tabs(key: str, bodies: Mapping[str, Callable[..., None]], *arguments: Any) -> None:
    """Tabs by their untranslated names; draws the open one's body, with the arguments in `arguments`.

    Session state has the open tab's name as shown under `key`, and as in `bodies` under `key.open`. To open a
    tab, set the first; both are forgotten with the page (`tokensteps.widgets.arrival`).
    """
    state = st.session_state
    names = {_(name): name for name in bodies}
    bar, panel = f"bar.{key}", f"panel.{key}"
    if state.get(key) not in names:  # in another language, or in the browser alone, or nowhere
        was = state.get(f"{key}.open") or reported_tab(bar)[0]
        state[key] = _(was) if was in bodies else next(iter(names))
    shown = state[f"{key}.open"] = names[state[key]]
    with st.container(key=f"tabs.{key}"):
        said = dict(zip(bodies, names, strict=True))
        tab_bar(bar, said, shown, f"st-key-{panel.replace('.', '-')}", partial(open_tab, key))
        with st.container(key=panel):
            bodies[shown](*arguments)


def open_tab(key: str, name: str) -> None:
    """Have this tab open when the tabs are drawn; its name is the one in the code."""
    use_language(st.session_state["language"])  # this comes before the page is drawn
    st.session_state[f"{key}.open"] = name
    st.session_state[key] = _(name)
