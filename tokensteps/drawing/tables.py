"""Snapshot → pandas frame → the browser's message for a table. Cells are drawn as plain text, so tokens need
no escaping here."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final
from zlib import crc32

import pandas as pd

from tokenizers_core.training.merge_trace import Candidate, MergeSnapshot
from tokenizers_core.training.pruning import Worth
from tokenizers_core.training.unigram_trace import UnigramSnapshot
from tokenizers_core.training.wordpiece import WordPieceSnapshot
from tokensteps.drawing.tokens import Style, readable
from tokensteps.language.i18n import _, count
from tokensteps.language.numbers import estimate_formula

PAPER_ROWS: Final = 200
"""Rows of a table drawn before any scrolling, and printed: four pages."""

WHOLE_IN_SCRIPTS: Final = 2**53
"""Up to here a script knows every whole number."""


def tied_for_best(snapshot: MergeSnapshot, candidates: Sequence[Candidate]) -> list[bool]:
    """For each candidate whether it ties for the best; False for all if the best is alone."""
    first = snapshot.candidates(2)
    several = len(first) > 1 and first[1].tied
    return [several and one.tied for one in candidates]


def pair_table(
    snapshot: MergeSnapshot, style: Style, find: str = "", limit: int | None = None
) -> pd.DataFrame:
    """The `limit` best candidates for the next merge (None: all), best first; with `find`, only pairs with it
    in their text."""
    candidates = snapshot.candidates(limit)
    columns = {
        _("position"): range(1, len(candidates) + 1),
        _("first"): [readable(one.pair.first, style) for one in candidates],
        _("second"): [readable(one.pair.second, style) for one in candidates],
        _("count"): [one.freq for one in candidates],
        _("change"): [one.change for one in candidates],
        _("tied for best"): tied_for_best(snapshot, candidates),
    }
    return matching(table_of(columns), find)


def score_table(
    snapshot: WordPieceSnapshot, style: Style, find: str = "", limit: int | None = None
) -> pd.DataFrame:
    """`pair_table` for WordPiece, with the numbers of the scores."""
    candidates = snapshot.candidates(limit)
    columns = {
        _("position"): range(1, len(candidates) + 1),
        _("first"): [readable(one.pair.first, style) for one in candidates],
        _("second"): [readable(one.pair.second, style) for one in candidates],
        _("count"): [one.freq for one in candidates],
        _("count of first"): [one.first_freq for one in candidates],
        _("count of second"): [one.second_freq for one in candidates],
        _("score"): [one.score for one in candidates],
        _("score as decimal"): [float(one.score) for one in candidates],
        _("change in count"): [one.change for one in candidates],
        _("tied for best"): tied_for_best(snapshot, candidates),
    }
    return matching(table_of(columns), find)


def piece_table(
    snapshot: UnigramSnapshot, style: Style, find: str = "", limit: int | None = None
) -> pd.DataFrame:
    """The `limit` most probable pieces (None: all), and their fate in the next round; with `find`, only
    pieces with it."""
    trace = snapshot.trace
    ranked = {candidate.piece: candidate for candidate in snapshot.candidates()}
    pieces = sorted(snapshot.pieces.items(), key=lambda item: -item[1])[:limit]
    candidates = [ranked.get(piece) for piece, _log in pieces]
    counted = _("count in the seed") if trace.method == "course" else _("count × length in the seed")
    columns: dict[str, Sequence[object]] = {
        _("position"): range(1, len(pieces) + 1),
        _("piece"): [readable(piece, style) for piece, _log in pieces],
        _("probability"): [math.exp(log) for _piece, log in pieces],
        _("log probability"): [log for _piece, log in pieces],
        counted: [trace.seed[trace.numbers[piece]][1] for piece, _log in pieces],
        _("loss without it"): [math.nan if one is None else one.loss for one in candidates],
        _("pruned this round"): [one is not None and one.pruned for one in candidates],
    }
    return matching(table_of(columns), find, tokens=1)


def worth_table(rows: Sequence[Worth], style: Style) -> pd.DataFrame:
    """The worth of pieces, exactly and by SentencePiece's estimate, in the order given."""
    columns: dict[str, Sequence[object]] = {
        _("piece"): [readable(row.piece, style) for row in rows],
        _("exact loss"): [row.exact for row in rows],
        _("estimate"): [row.approximate for row in rows],
        _("difference"): [row.approximate - row.exact for row in rows],
        _("replacement"): [
            " · ".join(readable(piece, style) for piece in row.estimate.replacement) for row in rows
        ],
        _("how it is estimated"): [
            estimate_formula(row.estimate.freq, row.estimate.total, row.estimate.counts) for row in rows
        ],
        _("probability"): [row.probability for row in rows],
        _("count on best splits"): [row.estimate.freq for row in rows],
    }
    return table_of(columns)


def packed_table(
    table: pd.DataFrame, *, index: bool = False, ids: bool = False, digits: int | None = None
) -> bytes:
    """A table as `assets/components/table.js` reads it: JSON with the columns, each with its kind and its
    cells.

    With `index` the rows' names are its first column, with `ids` whole numbers are names, without separators.
    Other numbers are written with so many `digits` after the point, or with six significant ones.

    >>> print(
    ...     packed_table(
    ...         pd.DataFrame({"<b>": ["<i>", None], "n": [0.5, float("nan")], "tied": [True, False]})
    ...     ).decode()
    ... )
    {"id":1710255114,"portion":200,"rest":"","columns":[{"name":"<b>","kind":"text","cells":["<i>",null]},{"name":"n","kind":"decimal","cells":[0.5,null]},{"name":"tied","kind":"tick","cells":[true,false]}]}
    """
    columns = [_column(str(name), table[name].tolist()) for name in table]
    if index:
        columns.insert(0, _column(str(table.index.name or ""), table.index.tolist()) | {"heads": True})
    for column in columns:
        if ids and column["kind"] == "whole":
            column["kind"] = "id"
        if digits is not None and column["kind"] == "decimal":
            column["digits"] = digits
    rest = ""
    if len(table) > PAPER_ROWS:
        message = _("The first {shown} of {number} rows; the CSV file has all of them.")
        rest = message.format(shown=count(PAPER_ROWS), number=count(len(table)))
    text = json.dumps(columns, ensure_ascii=False, separators=(",", ":")).encode()
    head = json.dumps({"id": crc32(text), "portion": PAPER_ROWS, "rest": rest}, separators=(",", ":"))
    return b'%b,"columns":%b}' % (head[:-1].encode(), text)


def _column(name: str, values: Sequence[object]) -> dict[str, object]:
    cells = [_cell(value) for value in values]
    first = next((value for value, cell in zip(values, cells, strict=True) if cell is not None), "")
    kind = _kind(first)
    if kind == "text":
        cells = [None if cell is None else str(cell) for cell in cells]
    return {"name": name, "kind": kind, "cells": cells}


def _kind(value: object) -> str:
    match value:
        case bool():
            return "tick"
        case int():
            return "whole"
        case float():
            return "decimal"
        case Fraction():
            return "fraction"
    return "text"


def _cell(value: object) -> object:
    """A value for a script, None for a missing one. Its numbers are exact up to 2⁵³; larger ones go as
    text."""
    if value is None or value is pd.NA or value != value:  # NaN alone differs from itself
        return None
    if isinstance(value, int):
        return value if abs(value) <= WHOLE_IN_SCRIPTS else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value)


def table_of(columns: Mapping[str, Sequence[object]]) -> pd.DataFrame:
    """A table of these columns. Without rows it has no types: pandas would make a column of tokens a column
    of numbers."""
    table = pd.DataFrame(columns)
    return table if len(table) else table.astype(object)


def matching(table: pd.DataFrame, find: str, tokens: int = 2) -> pd.DataFrame:
    """The rows with `find` in their first `tokens` columns after the place, joined or with a space between
    them."""
    if not find:
        return table
    first, *others = (table[name] for name in table.columns[1 : 1 + tokens])
    together = apart = first
    for other in others:
        together, apart = together + other, apart + " " + other
    return table[together.str.contains(find, regex=False) | apart.str.contains(find, regex=False)]
