"""Text boxes of one line. With `max_chars`, Streamlit's own would silently keep a longer text to
themselves."""

from __future__ import annotations

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tokensteps.language.i18n import _, count
from tokensteps.runs.corpora import plain_text
from tokensteps.widgets.notes import problem


def too_long(label: str, size: int, limit: int) -> str:
    """The message about a text of `size` characters in a box for `limit`; `label` names the box."""
    message = _("{label}: {size} characters is over the limit of {limit}; shorten the text.")
    return message.format(label=label, size=count(size), limit=count(limit))


def text_box(
    label: str, limit: int, *, value: str = "", container: DeltaGenerator | None = None, **options: Any
) -> str | None:
    """A box in `container`, or at the current position; returns its text, or None if that is too long, with a
    message below."""
    box = st.text_input if container is None else container.text_input
    text = plain_text(box(label, value, **options))
    if len(text) <= limit:
        return text
    problem(too_long(label, len(text), limit))
    return None
