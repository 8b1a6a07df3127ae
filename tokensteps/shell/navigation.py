"""The app's pages in Streamlit's form: for the navigation, and for links."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from functools import cache

import streamlit as st

from tokensteps.components.address import in_links
from tokensteps.language.i18n import _
from tokensteps.language.pages import PAGE_SECTIONS, PAGES, pages_in


def navigation() -> st.Page:
    """Tell Streamlit all pages, with their titles in the language in use; returns the requested one."""
    pages = {
        _(heading): [copy(_streamlit_page(page.name, _(page.title))) for page in pages_in(section)]
        for section, heading in PAGE_SECTIONS.items()
    }
    return st.navigation(pages, expanded=True)  # else Streamlit hides some of them behind a button of its own


def page_link(page: str, label: str, query: Mapping[str, str] | None = None) -> None:
    """A link to a page of the app, by its name; the language in use stays. `label` is Markdown."""
    st.page_link(_streamlit_page(page), label=label, query_params={**(query or {}), **in_links()})


def renew_link(spec: str) -> None:
    """A link to the page for continuing a BPE tokenizer's training, or trimming it."""
    page_link("renew", _("Go on training, or trim …"), {"t1": spec, "how": "on"})


@cache
def _streamlit_page(name: str, title: str | None = None) -> st.Page:
    """A page, for all sessions: given its path alone, Streamlit looks for the file each time, and that takes
    three times as long as the rest of a link. Streamlit marks the object of the page that it is going to run,
    so each session has copies of its own."""
    page = PAGES[name]
    return st.Page(page.script, title=title, url_path=page.path or None, default=not page.path)
