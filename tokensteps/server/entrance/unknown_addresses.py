"""Unknown addresses: the visitor is led to the home page; it says so, and suggests the intended page.

Streamlit answers every address with its one page. At `/plaground` a dialog in English lies over the home
page, and at `/foo/bar` the page stays blank, as the browser looks for its scripts beside it.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

import streamlit as st

from tokensteps.language.pages import PAGE_AT
from tokensteps.limits import LOST_LIMIT

IN_QUERIES: Final = "%/?:@!$&'()*+,;=~"
"""Characters left unescaped behind the `?` of an address."""
LOST_PARAMETER: Final = "lost"
"""The home page's parameter with the requested address."""
MOVED: Final = {"classroom": "class"}
"""Path of a page in old links → its present path."""


def base_path() -> str:
    """The prefix of all addresses of the app: "" at the root of its host, or "/name"."""
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}" if base else ""


def page_at(path: str) -> str | None:
    """The path of the page at an address, "" for the home page; None without one, or if Streamlit first
    redirects.

    >>> page_at("/bpe"), page_at("/"), page_at("/bpe/"), page_at("/favicon.png")
    ('bpe', '', None, None)
    """
    base, _slash, page = path.rpartition("/")
    return page if page in PAGE_AT and base == base_path() else None


def way_home(path: str, query: str = "") -> str | None:
    """The relative address of the home page for an unknown address, with that as a parameter; None for those
    of pages, files, and Streamlit. From a page's address in old links, the way leads to the page.

    >>> way_home("/plaground", "text=hug"), way_home("/a/b"), way_home("/bpe"), way_home("/")
    ('./?lost=plaground%3Ftext%3Dhug', '../?lost=a/b', None, None)
    >>> way_home("/classroom", "class=KX7P3H")
    './class?class=KX7P3H'
    """
    within = path.removeprefix(base_path())
    wanted = within.strip("/")
    if wanted in PAGE_AT or wanted.startswith("_stcore/") or "." in wanted.rpartition("/")[2]:
        return None
    up = "../" * within.removeprefix("/").count("/") or "./"
    if wanted in MOVED:
        return f"{up}{MOVED[wanted]}?{quote(query, safe=IN_QUERIES)}".removesuffix("?")
    text = f"{wanted}?{query}" if query else wanted
    return f"{up}?{LOST_PARAMETER}={quote(text[:LOST_LIMIT])}"
