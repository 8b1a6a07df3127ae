"""Tables and charts on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import streamlit as st

from tokensteps.language.i18n import _
from tokensteps.widgets.notes import note

if TYPE_CHECKING:
    import plotly.graph_objects as go


def show_rows(table: pd.DataFrame | pa.Table, **options: Any) -> None:
    """A table, or a line that says it is empty: for no rows and no values, Streamlit would show English of its own."""
    if not len(table):
        note(_("No results"))
    else:
        st.dataframe(table, hide_index=True, placeholder="–", **options)


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
