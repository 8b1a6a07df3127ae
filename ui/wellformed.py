"""Keep what can't be sent out of text boxes: see assets/wellformed.js."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

SCRIPT = Path(__file__).parent.parent / "assets" / "wellformed.js"


@cache
def _component() -> ComponentRenderer:
    return st.components.v2.component("tokensteps.wellformed", js=SCRIPT.read_text(encoding="utf-8"))


def mend_text_boxes() -> None:
    """From here on, halves of UTF-16 pairs become U+FFFD as they are typed or pasted."""
    _component()(key="wellformed")
