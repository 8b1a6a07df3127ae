"""Snapshot → pandas frame. `st.dataframe` draws cells as plain text, so tokens need no escaping here."""

from __future__ import annotations

import pandas as pd

from tokenizers_core.merging import MergeSnapshot
from ui.i18n import _
from ui.tokens import Style, readable


def pair_table(snapshot: MergeSnapshot, style: Style, find: str = "") -> pd.DataFrame:
    """Every pair that could be merged next, best first; with `find`, those whose text holds it."""
    rows = [
        (place, readable(first, style), readable(second, style), freq, change, tied)
        for place, ((first, second), freq, change, tied) in enumerate(snapshot.candidates(), start=1)
    ]
    names = [_("place"), _("first"), _("second"), _("count"), _("change"), _("tied for best")]
    table = pd.DataFrame(rows, columns=names)
    if find:
        first, second = table[names[1]], table[names[2]]
        held = (first + second).str.contains(find, regex=False) | (first + " " + second).str.contains(
            find, regex=False
        )
        table = table[held]
    return table
