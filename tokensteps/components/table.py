"""A table as text: mounts `assets/components/table.js`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import streamlit as st

from tokensteps.components.base import component
from tokensteps.language.i18n import _

FILES = ("", "-plain")
"""Kinds of files for saving a table, by the end of their names: for spreadsheets, and for programs."""


class TableSearch(NamedTuple):
    """The line above a table searched by Python: it may have more rows than the browser gets."""

    text: str
    """The searched text."""
    told: str
    """A description of the shown rows."""
    problem: str
    """The reason why the text can't be searched for, or ""."""
    everything: bool | None
    """Whether all rows are shown; None if there is no choice."""


def file_labels() -> dict[str, str]:
    """Kind → the words on its button for saving."""
    return dict(zip(FILES, (_("CSV for spreadsheets"), _("Plain CSV for programs")), strict=True))


def table(
    data: bytes,
    key: str,
    *,
    search: TableSearch | None = None,
    on_search: Callable[[str, bool], None] | None = None,
    file: tuple[int, str, str] | None = None,
    on_file: Callable[[str, int], None] | None = None,
) -> None:
    """Show a table packed by `tokensteps.drawing.tables.packed_table`; `key` names the component.

    Before the script reruns, `on_search` gets the text to search for, of any length, and whether all rows are
    wanted; `on_file` gets the wanted kind of file, one of `FILES`, and the number of the request. The browser
    saves the `file` (number, name, text) if the number is that of its request: once per request, even for the
    same file.
    """
    head: dict[str, Any] = {"none": _("No results")}
    record: dict[str, Any] = {}
    if search is not None and on_search is not None:
        words = {"find": _("Find"), "all": _("All rows"), "example": "th"}
        head["search"] = search._asdict() | {"words": words}
        record["on_asked_change"] = lambda: take_search(key, on_search)
    if on_file is not None:
        head["files"] = file_labels()
        record["on_file_change"] = lambda: take_file(key, on_file)
    if file is not None:
        head["file"] = dict(zip(("turn", "name", "text"), file, strict=True))
    message = b'{"head":%b,"table":%b}' % (json.dumps(head).encode(), data)
    component("table", ("components/table.css",))(key=key, data=message, **record)


def _reported_value(key: str, name: str) -> object:
    """A component's value from the browser; of any form, as anybody can send anything."""
    result = st.session_state.get(key)
    return result.get(name) if isinstance(result, Mapping) else None


def take_search(key: str, on_search: Callable[[str, bool], None]) -> None:
    match _reported_value(key, "asked"):
        case [str(text), bool(everything), int()]:
            on_search(text, everything)


def take_file(key: str, on_file: Callable[[str, int], None]) -> None:
    match _reported_value(key, "file"):
        case [str(kind), int(turn)] if kind in FILES:
            on_file(kind, turn)
