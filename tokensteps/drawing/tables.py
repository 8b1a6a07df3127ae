"""Snapshot → pandas frame. `st.dataframe` draws cells as plain text, so tokens need no escaping here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

import pandas as pd

from tokenizers_core.training.merge_trace import MergeSnapshot
from tokenizers_core.training.pruning import Worth
from tokenizers_core.training.unigram_trace import UnigramSnapshot
from tokenizers_core.training.wordpiece import ScoredCandidate
from tokensteps.drawing.tokens import Style, readable
from tokensteps.language.i18n import _


def pair_table(
    snapshot: MergeSnapshot, style: Style, find: str = "", limit: int | None = None
) -> pd.DataFrame:
    """The `limit` best pairs that could be merged next (None: all), best first; with `find`, those of them whose text holds it."""
    rows = [
        (
            place,
            readable(one.pair.first, style),
            readable(one.pair.second, style),
            one.freq,
            one.change,
            one.tied,
        )
        for place, one in enumerate(snapshot.candidates(limit), start=1)
    ]
    names = [_("place"), _("first"), _("second"), _("count"), _("change"), _("tied for best")]
    return matching(pd.DataFrame(rows, columns=names), find)


def score_table(
    snapshot: MergeSnapshot, style: Style, find: str = "", limit: int | None = None
) -> pd.DataFrame:
    """`pair_table` for WordPiece, with the numbers of the scores."""
    rows = []
    for place, candidate in enumerate(cast(list[ScoredCandidate], snapshot.candidates(limit)), start=1):
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


def piece_table(
    snapshot: UnigramSnapshot, style: Style, find: str = "", limit: int | None = None
) -> pd.DataFrame:
    """The `limit` most probable pieces (None: all), with what the round that comes says of them; with `find`, those that hold it."""
    trace = snapshot.trace
    ranked = {candidate.piece: candidate for candidate in snapshot.candidates()}
    rows = []
    ordered = sorted(snapshot.pieces.items(), key=lambda item: -item[1])
    for place, (piece, log_probability) in enumerate(ordered[:limit], start=1):
        candidate = ranked.get(piece)
        rows.append(
            (
                place,
                readable(piece, style),
                math.exp(log_probability),
                log_probability,
                trace.seed[trace.numbers[piece]][1],
                math.nan if candidate is None else candidate.loss,
                candidate is not None and candidate.pruned,
            )
        )
    names = [
        _("place"),
        _("piece"),
        _("probability"),
        _("log probability"),
        _("count in the seed") if trace.method == "course" else _("count × length in the seed"),
        _("loss without it"),
        _("goes in this round"),
    ]
    return matching(pd.DataFrame(rows, columns=names), find, tokens=1)


def worth_table(rows: Sequence[Worth], style: Style) -> pd.DataFrame:
    """What pieces are worth, exactly and by SentencePiece's estimate, in the order given."""
    table = [
        (
            readable(row.piece, style),
            row.exact,
            row.approximate,
            row.approximate - row.exact,
            " · ".join(readable(piece, style) for piece in row.replacement),
            row.probability,
            row.freq,
        )
        for row in rows
    ]
    names = [
        _("piece"),
        _("exact loss"),
        _("estimate"),
        _("difference"),
        _("replacement"),
        _("probability"),
        _("count on best splits"),
    ]
    return pd.DataFrame(table, columns=names)


def matching(table: pd.DataFrame, find: str, tokens: int = 2) -> pd.DataFrame:
    """The rows whose `tokens` tokens, after the place, hold `find`, written together or with a space between them."""
    if not find:
        return table
    first, *others = (table[name] for name in table.columns[1 : 1 + tokens])
    together = apart = first
    for other in others:
        together, apart = together + other, apart + " " + other
    return table[together.str.contains(find, regex=False) | apart.str.contains(find, regex=False)]
