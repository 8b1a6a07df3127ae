"""A table that is text: mounts `assets/components/table.js`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import streamlit as st

from tokensteps.components.base import component
from tokensteps.language.i18n import _

FILES = ("", "-plain")
"""Kinds of files that a table can be saved as, as their names end: for spreadsheets, and for programs."""


class TableSearch(NamedTuple):
    """The line above a table that is searched by Python: it may have more rows than the browser gets."""

    text: str
    """What is looked for."""
    told: str
    """Which rows these are."""
    problem: str
    """Why the text can't be looked for, or ""."""
    everything: bool | None
    """Whether all rows are shown; None where that is no question."""


def file_labels() -> dict[str, str]:
    """What is on the buttons that save a table, by kind."""
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
    """Show a table that `tokensteps.drawing.tables.packed_table` packed; `key` names the component.

    Before the script reruns, `on_search` gets the text to look for, of any length, and whether all rows are
    wanted; `on_file` the kind of file that somebody wants, one of `FILES`, and the turn in which they do. The
    browser saves the `file` (turn, name, text) if it has asked for it in that turn: once, as often as
    somebody wants the same again.
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


def _told_by(key: str, name: str) -> object:
    """What a component in the browser has told; anything, as anybody can send anything."""
    result = st.session_state.get(key)
    return result.get(name) if isinstance(result, Mapping) else None


def take_search(key: str, on_search: Callable[[str, bool], None]) -> None:
    match _told_by(key, "asked"):
        case [str(text), bool(everything), int()]:
            on_search(text, everything)


def take_file(key: str, on_file: Callable[[str, int], None]) -> None:
    match _told_by(key, "file"):
        case [str(kind), int(turn)] if kind in FILES:
            on_file(kind, turn)
