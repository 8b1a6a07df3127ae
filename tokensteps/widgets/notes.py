"""Messages on a page. `st.error` and its like render Markdown, and a learner's text must never be
rendered."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import streamlit as st


def problem(message: str) -> None:
    """An error with its remedy. Plain text."""
    st.html(f'<div class="ts note problem" role="alert">{escape(message)}</div>')


def lasting(key: str, complaints: Sequence[str], about: Any) -> list[str]:
    """The complaints about a link under `key`, repeated until the visitor changes `about`, the link's
    settings.

    A link is read once, but the page runs again when its training is done; without this, nobody would see the
    complaints.
    """
    stored = f"{key}.told"
    if complaints:
        st.session_state[stored] = about, list(complaints)
    then, text = st.session_state.get(stored, (None, []))
    if then == about:
        return list(text)
    st.session_state.pop(stored, None)  # for good, even if they are changed back
    return []


def note(message: str) -> None:
    """A note. Plain text."""
    st.html(note_html(escape(message)))


def note_html(markup: str) -> str:
    """A note as markup, with all text escaped."""
    return f'<div class="ts note" role="status">{markup}</div>'
