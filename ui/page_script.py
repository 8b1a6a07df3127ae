"""What the whole page needs of the browser, whatever it shows: see assets/page.js."""

from __future__ import annotations

from functools import cache

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from ui.components import read_asset


@cache
def _component() -> ComponentRenderer:
    return st.components.v2.component("tokensteps.page", js=read_asset("page.js"))


def page_script() -> None:
    """From here on, halves of UTF-16 pairs become U+FFFD as they are typed or pasted, and Back leads to no bare address."""
    _component()(key="page_script")
