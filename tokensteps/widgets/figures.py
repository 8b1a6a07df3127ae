"""Tables and charts on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
import streamlit as st

from tokenizers_core.files.exports import csv_table, inert
from tokensteps.drawing.tables import paper_html
from tokensteps.language.i18n import _
from tokensteps.widgets.downloads import download, sheet
from tokensteps.widgets.notes import note

if TYPE_CHECKING:
    import plotly.graph_objects as go


def show_rows(
    table: pd.DataFrame | pa.Table,
    key: str,
    place: Any = st,
    *,
    index: bool = False,
    export: bool = True,
    paper: str = "",
    **options: Any,
) -> None:
    """A table with a button that saves it, or a line that says it is empty: for no rows and no values, Streamlit would show English of its own.

    Every table of the app is drawn here or goes with `save_rows`: Streamlit's own CSV file, which .streamlit/config.toml turns off, would
    hand a spreadsheet whatever a learner has written. `export` is False where the page has a file of the same rows, or hides a run and offers no file at all.
    `paper` is the table for paper, where that has been made already.
    """
    if not len(table):
        note(_("No results"))
        return
    place.dataframe(table, hide_index=not index, placeholder="–", key=key, **options)
    place.html(paper or paper_html(table, index))
    if export:
        save_rows(table, key, place, index=index)


def save_rows(table: pd.DataFrame | pa.Table, key: str, place: Any = st, *, index: bool = False) -> None:
    """Two buttons that save a table as CSV, for spreadsheets and for programs; `index` says whether the rows' names are its first column."""

    def frame() -> pd.DataFrame:
        rows = table if isinstance(table, pd.DataFrame) else table.to_pandas()
        return rows.reset_index(names="") if index else rows

    name = key.replace(".", "-")
    with place.container(horizontal=True):
        for ending, label, make in (
            ("", _("CSV for spreadsheets"), lambda: sheet(rows_to_csv, frame())),
            ("-plain", _("Plain CSV for programs"), lambda: rows_to_csv(frame(), plain=True)),
        ):
            download(st, label, f"{name}{ending}.csv", make, key, kind="tertiary")


def rows_to_csv(table: pd.DataFrame, plain: bool = False) -> str:
    """A table's columns and rows; what is missing is left empty.

    For a spreadsheet, text (the columns' names too) can't become a formula; in a `plain` table, it is as it is.

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
            return "" if value != value else value  # NaN alone differs from itself
        return "" if value is None or value is pd.NA else write(str(value))

    return csv_table([write(str(name)) for name in table], ([cell(value) for value in row] for row in rows))


def number_formats(table: pd.DataFrame) -> dict[str, Any]:
    """How a table's numbers are written: whole ones with thousands separators, others with two digits."""
    formats = {"i": "localized", "f": "%.2f"}
    return {
        str(name): st.column_config.NumberColumn(format=formats[column.dtype.kind])
        for name, column in table.items()
        if column.dtype.kind in formats
    }


def show_chart(figure: go.Figure, key: str, alt: str) -> None:
    """A chart; `alt` says in words what it shows. It keeps its zoom as long as the key is the same."""
    st.plotly_chart(figure, key=key, config={"displaylogo": False}, alt=alt)
