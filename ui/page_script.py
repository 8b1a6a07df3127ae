"""What the whole page needs of the browser, whatever it shows: see assets/page.js."""

from __future__ import annotations

from functools import cache

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from ui.components import read_asset
from ui.glossary import definitions
from ui.i18n import _, current_language


@cache
def _component() -> ComponentRenderer:
    return st.components.v2.component("tokensteps.page", js=read_asset("page.js"))


@cache
def _terms() -> ComponentRenderer:
    return st.components.v2.component("tokensteps.terms", js=read_asset("terms.js"))


def page_script() -> None:
    """From here on, halves of UTF-16 pairs become U+FFFD as they are typed or pasted, Back leads to no bare address, and
    marked terms are explained."""
    _component()(key="page_script")
    language = current_language()
    href = "glossary?term=" if language == "en" else f"glossary?lang={language}&term="
    _terms()(key="terms", data={"terms": definitions(), "more": _("Glossary"), "href": href})
