"""What can be taken away from a page: files, made when somebody asks for them, and links."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from ui.i18n import _
from ui.notes import note
from ui.settings import Recipe
from ui.training import link

KINDS: Mapping[str, str] = {"html": "text/html", "csv": "text/csv", "json": "application/json"}


def download(column: Any, label: str, name: str, make: Callable[[], str | bytes], key: str) -> None:
    """A button that makes its file when it is pressed; `name` is the file's, and begins its key."""
    column.download_button(
        label,
        make,
        name,
        KINDS.get(name.rpartition(".")[2], "text/plain"),
        key=f"{key}.file.{name}",
        on_click="ignore",
        width="content" if column is st else "stretch",
    )


def show_link(title: str, recipe: Recipe, url: Mapping[str, str | None], step: int | None = None) -> None:
    """The address that brings all of this back, or why there is none."""
    st.subheader(title, anchor=False)
    if recipe.in_link():
        st.code(link(url, step), language=None, wrap_lines=True)
        return
    note(
        _(
            "A link can't hold this corpus. Its address brings it back on this server as long as the server "
            "remembers it; to pass it on, send the text itself."
        )
    )


def sheet(write: Callable[[Any], str], what: Any) -> bytes:
    """A table as CSV: spreadsheets take a file without the mark for one in an old 8-bit encoding."""
    return write(what).encode("utf-8-sig")
