"""Snapshot → pandas frame. `st.dataframe` draws cells as plain text, so tokens need no escaping here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

import pandas as pd
import pyarrow as pa

from tokenizers_core.training.merge_trace import Candidate, MergeSnapshot
from tokenizers_core.training.pruning import Worth
from tokenizers_core.training.unigram_trace import UnigramSnapshot
from tokenizers_core.training.wordpiece import WordPieceSnapshot
from tokensteps.drawing.tokens import Style, readable
from tokensteps.language.i18n import _, count
from tokensteps.language.numbers import estimate_formula
from tokensteps.limits import PAPER_ROWS


def tied_for_best(snapshot: MergeSnapshot, candidates: Sequence[Candidate]) -> list[bool]:
    """Which of the candidates are as good as the best one; none if that one is alone."""
    first = snapshot.candidates(2)
    several = len(first) > 1 and first[1].tied
    return [several and one.tied for one in candidates]


def pair_table(
    snapshot: MergeSnapshot, style: Style, find: str = "", limit: int | None = None
) -> pd.DataFrame:
    """The `limit` best pairs that could be merged next (None: all), best first; with `find`, those of them whose text contains it."""
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
        _("score"): [str(one.score) for one in candidates],
        _("score as decimal"): [float(one.score) for one in candidates],
        _("change in count"): [one.change for one in candidates],
        _("tied for best"): tied_for_best(snapshot, candidates),
    }
    return matching(table_of(columns), find)


def piece_table(
    snapshot: UnigramSnapshot, style: Style, find: str = "", limit: int | None = None
) -> pd.DataFrame:
    """The `limit` most probable pieces (None: all), and what the next round does with them; with `find`, those that contain it."""
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
    """What pieces are worth, exactly and by SentencePiece's estimate, in the order given."""
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


def paper_html(table: pd.DataFrame | pa.Table, index: bool = False) -> str:
    """A table for paper: Streamlit draws tables on canvases, which hold only what is in sight. At most `PAPER_ROWS` rows.

    >>> print(paper_html(pd.DataFrame({"<b>": ["<i>", None], "n": [0.5, 3.0], "tied": [True, False]})))
    <div class="ts paper"><table><thead><tr><th>&lt;b&gt;<th>n<th>tied</thead><tr><td><bdi>&lt;i&gt;</bdi><td>0.5<td>✓<tr><td>–<td>3<td></table></div>
    """
    if isinstance(table, pd.DataFrame):
        frame = table.head(PAPER_ROWS)
        columns = {str(name): frame[name].tolist() for name in frame}
        if index:
            columns = {"": frame.index.tolist(), **columns}
    else:
        columns = table.slice(0, PAPER_ROWS).to_pydict()
    head = "".join(f"<th>{escape(name)}" for name in columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{_cell(value)}" for value in row)
        for row in zip(*columns.values(), strict=True)
    )
    rest = ""
    if len(table) > PAPER_ROWS:
        told = _("The first {shown} of {number} rows; the CSV file has all of them.")
        rest = f"<p>{escape(told.format(shown=count(PAPER_ROWS), number=count(len(table))))}</p>"
    return f'<div class="ts paper"><table><thead><tr>{head}</thead>{rows}</table>{rest}</div>'


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "✓" if value else ""
    if value is None or value is pd.NA or value != value:  # NaN alone differs from itself
        return "–"
    if isinstance(value, int):
        return count(value)
    if isinstance(value, float):
        return f"{value:.6g}".replace("-", "\u2212")
    return f"<bdi>{escape(str(value))}</bdi>"


def table_of(columns: Mapping[str, Sequence[object]]) -> pd.DataFrame:
    """A table of these columns. Without rows it has no types: pandas would make a column of tokens a column of numbers."""
    table = pd.DataFrame(columns)
    return table if len(table) else table.astype(object)


def matching(table: pd.DataFrame, find: str, tokens: int = 2) -> pd.DataFrame:
    """The rows whose first `tokens` columns after the place contain `find`, joined or with a space between them."""
    if not find:
        return table
    first, *others = (table[name] for name in table.columns[1 : 1 + tokens])
    together = apart = first
    for other in others:
        together, apart = together + other, apart + " " + other
    return table[together.str.contains(find, regex=False) | apart.str.contains(find, regex=False)]
