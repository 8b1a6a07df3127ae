"""Tables and charts on a page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from tokenizers_core.files.exports import csv_table, inert
from tokensteps.components.table import TableSearch, file_labels
from tokensteps.components.table import table as browser_table
from tokensteps.drawing.tables import packed_table
from tokensteps.language.i18n import _, use_language
from tokensteps.widgets.downloads import download, sheet
from tokensteps.widgets.notes import note

if TYPE_CHECKING:
    import plotly.graph_objects as go


def show_rows(
    table: pd.DataFrame,
    key: str,
    *,
    index: bool = False,
    ids: bool = False,
    digits: int | None = None,
    export: bool = True,
) -> None:
    """A table with buttons for saving it, or a line saying that it is empty.

    `index`, `ids` and `digits` are those of `packed_table`. `export` is False if the page has a file of the
    same rows, or hides a run and offers no file at all.
    """
    if not len(table):
        note(_("No results"))
        return
    data = packed_table(table, index=index, ids=ids, digits=digits)
    if export:
        _show_savable(data, key, partial(csv_frame, table, index))
    else:
        show_packed(data, key, None)


@st.fragment
def _show_savable(data: bytes, key: str, rows: Callable[[], pd.DataFrame]) -> None:
    """A packed table by itself: its buttons only make the file, and the page isn't run."""
    use_language(st.session_state["language"])
    show_packed(data, key, rows)


def show_packed(
    data: bytes,
    key: str,
    rows: Callable[[], pd.DataFrame] | None,
    search: TableSearch | None = None,
    on_search: Callable[[str, bool], None] | None = None,
) -> None:
    """A packed table; `rows` makes the table for its buttons' files, on demand: None for no buttons.

    With buttons or a search, this belongs in a fragment of its own: every request runs that once more.

    Every table of the app is drawn here, or is Streamlit's editor and goes with `save_rows`: Streamlit's own
    CSV file, turned off in .streamlit/config.toml, would hand a spreadsheet a learner's text as it is.
    """
    state, wanted = st.session_state, f"{key}.file"
    requested, file = state.pop(wanted, None), None
    if requested is not None and rows is not None:
        kind, turn = requested
        file = turn, csv_name(key, kind), csv_text(rows(), kind)

    def want(kind: str, turn: int) -> None:
        state[wanted] = kind, turn

    browser_table(
        data, key, search=search, on_search=on_search, file=file, on_file=None if rows is None else want
    )


def save_rows(table: pd.DataFrame, key: str) -> None:
    """The same two buttons for a table that differs from the browser's: an edited one, or one with only a
    part in the browser."""
    with st.container(horizontal=True):
        for kind, label in file_labels().items():
            download(st, label, csv_name(key, kind), partial(csv_text, table, kind), key, kind="tertiary")


def csv_name(key: str, kind: str) -> str:
    """The name of a table's file."""
    return f"{key.replace('.', '-')}{kind}.csv"


def csv_text(table: pd.DataFrame, kind: str) -> str:
    """A table as a file of a kind, see `tokensteps.components.table.FILES`."""
    return rows_to_csv(table, plain=True) if kind else sheet(rows_to_csv, table).decode()


def csv_frame(table: pd.DataFrame, index: bool) -> pd.DataFrame:
    """A table with its rows' names as a column, if it has any."""
    return table.reset_index(names="") if index else table


def rows_to_csv(table: pd.DataFrame, plain: bool = False) -> str:
    """A table's columns and rows; missing values are left empty.

    For a spreadsheet, text (the columns' names too) can't become a formula; in a `plain` table, it is
    unchanged.

    >>> print(rows_to_csv(pd.DataFrame({"name": ["=1+1", None], "times": [3, 4]})))
    name,times\r
    '=1+1,3\r
    ,4\r
    <BLANKLINE>
    """
    rows = table.itertuples(index=False, name=None)
    write = str if plain else inert

    def cell(value: object) -> object:
        if isinstance(value, bool | int | float | np.number):
            return "" if value != value else value  # only NaN differs from itself
        return "" if value is None or value is pd.NA else write(str(value))

    return csv_table([write(str(name)) for name in table], ([cell(value) for value in row] for row in rows))


def show_chart(figure: go.Figure, key: str, alt: str) -> None:
    """A chart; `alt` describes it in words. It keeps its zoom as long as the key is the same."""
    st.plotly_chart(figure, key=key, config={"displaylogo": False}, alt=alt)
