"""The home page's message for an address without a page: the page probably meant."""

from __future__ import annotations

from difflib import get_close_matches
from urllib.parse import parse_qsl

import streamlit as st

from tokensteps.language.i18n import N_, _
from tokensteps.language.pages import PAGES
from tokensteps.limits import LOST_LIMIT
from tokensteps.pages.learn.home_lessons import show_page_link
from tokensteps.runs.rules import PAGE_PARAMETERS
from tokensteps.server.entrance.unknown_addresses import LOST_PARAMETER
from tokensteps.teaching.lessons import Link
from tokensteps.widgets.notes import problem

ALIKE = 0.55
"""The least likeness of two names, from 0 to 1: “plaground” has it, “dashboard” doesn't."""


def show_lost() -> None:
    """Say that an address has no page, and link to the page with the nearest name, with the address's
    settings."""
    requested = st.query_params.get(LOST_PARAMETER, "")[:LOST_LIMIT]
    path, _mark, query = requested.partition("?")
    meant = nearest_page(path)
    if not path or path == "home":
        return
    path = f"/{path[:80]}"
    if meant is None:
        problem(_("This app has no page {path}. Choose one from the menu.").format(path=path))
        return
    text = _("This app has no page {path}. Perhaps you meant {page}.")
    problem(text.format(path=path, page=_(PAGES[meant].title)))
    link = Link(N_("Open {page}"), meant, _settings(meant, query))
    show_page_link(link, _(link.label).format(page=_(PAGES[meant].title)))


def _settings(page: str, query: str) -> dict[str, str]:
    """The parameters of an address known to the page."""
    known = PAGE_PARAMETERS[page] | {"step"}
    try:
        return {name: value for name, value in parse_qsl(query, max_num_fields=40) if name in known}
    except ValueError:  # more fields than any page has
        return {}


def nearest_page(path: str) -> str | None:
    """The page with the name, or title in the language in use, most like the address; None if none is like
    it.

    >>> (
    ...     nearest_page("plaground"),
    ...     nearest_page("Retrain/"),
    ...     nearest_page("de/word-piece"),
    ...     nearest_page("dashboard"),
    ... )
    ('playground', 'renew', 'wordpiece', None)
    """
    names = {page.path or name: name for name, page in PAGES.items()}
    names |= {_(page.title).lower(): name for name, page in PAGES.items()}
    for part in reversed(path.lower().split("/")):
        if result := get_close_matches(part[:80], names, n=1, cutoff=ALIKE):
            return names[result[0]]
    return None
