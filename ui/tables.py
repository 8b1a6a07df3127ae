"""Snapshot → pandas frame. `st.dataframe` draws cells as plain text, so tokens need no escaping here."""

from __future__ import annotations

from typing import cast

import pandas as pd

from tokenizers_core.merging import MergeSnapshot
from tokenizers_core.wordpiece import ScoredCandidate
from ui.i18n import _
from ui.tokens import Style, readable


def pair_table(snapshot: MergeSnapshot, style: Style, find: str = "") -> pd.DataFrame:
    """Every pair that could be merged next, best first; with `find`, those whose text holds it."""
    rows = [
        (place, readable(first, style), readable(second, style), freq, change, tied)
        for place, ((first, second), freq, change, tied) in enumerate(snapshot.candidates(), start=1)
    ]
    names = [_("place"), _("first"), _("second"), _("count"), _("change"), _("tied for best")]
    return matching(pd.DataFrame(rows, columns=names), find)


def score_table(snapshot: MergeSnapshot, style: Style, find: str = "") -> pd.DataFrame:
    """Every pair that WordPiece could merge next, best first, with the numbers of its score."""
    rows = []
    for place, candidate in enumerate(cast(list[ScoredCandidate], snapshot.candidates()), start=1):
        first, second = candidate.pair
        rows.append(
            (
                place,
                readable(first, style),
                readable(second, style),
                candidate.freq,
                candidate.first_freq,
                candidate.second_freq,
                str(candidate.score),
                float(candidate.score),
                candidate.change,
                candidate.tied,
            )
        )
    names = [
        _("place"),
        _("first"),
        _("second"),
        _("count"),
        _("count of first"),
        _("count of second"),
        _("score"),
        _("score as decimal"),
        _("change of count"),
        _("tied for best"),
    ]
    return matching(pd.DataFrame(rows, columns=names), find)


def matching(table: pd.DataFrame, find: str) -> pd.DataFrame:
    """The rows whose pair holds `find`, its tokens written together or with a space between them."""
    if not find:
        return table
    first, second = table[table.columns[1]], table[table.columns[2]]
    together, apart = first + second, first + " " + second
    return table[together.str.contains(find, regex=False) | apart.str.contains(find, regex=False)]
