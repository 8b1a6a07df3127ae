"""Messages on a page. `st.error` and its like render Markdown, and a learner's text must never be
rendered."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import streamlit as st


def problem(message: str) -> None:
    """Something is wrong: what, and what to do about it. Plain text."""
    st.html(f'<div class="ts note problem" role="alert">{escape(message)}</div>')


def lasting(place: str, complaints: Sequence[str], about: Any) -> list[str]:
    """The complaints about a link at `place`, repeated until the visitor changes `about`, which is what the
    link set.

    A link is read once, but the page runs again when its training is done; without this, nobody would see the
    complaints.
    """
    stored = f"{place}.told"
    if complaints:
        st.session_state[stored] = about, list(complaints)
    then, text = st.session_state.get(stored, (None, []))
    return list(text) if then == about else []


def note(message: str) -> None:
    """Something to know. Plain text."""
    st.html(note_html(escape(message)))


def note_html(markup: str) -> str:
    """A note as markup, in which all text is escaped."""
    return f'<div class="ts note" role="status">{markup}</div>'
