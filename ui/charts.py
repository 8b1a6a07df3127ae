"""Trace → Plotly figure. Plotly reads tags in text, so a learner's tokens are escaped; colours come from the theme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, cast

import plotly.graph_objects as go

from tokenizers_core.merging import MergeSnapshot, MergeTrace, StepStats
from tokenizers_core.wordpiece import ScoredCandidate, WordPieceEvent
from ui.i18n import N_, _
from ui.tokens import Style, readable

CHARTS: Mapping[str, str] = {
    "freq": N_("Count of the chosen pair"),
    "tokens": N_("Tokens in the corpus"),
    "fertility": N_("Tokens per word"),
    "ties": N_("Tied pairs"),
}
SCATTER_LIMIT = 5000
"""Pairs that the chart of scores shows, the best ones."""
ACCENT = "#d9621a"
"""The step now: 3:1 at least on both themes' backgrounds."""


def training_chart(trace: MergeTrace, chart: str, step: int, style: Style) -> go.Figure:
    """One chart over the run, with the step now marked."""
    history = trace.history
    by_size = chart in ("tokens", "fertility")
    values = [_value(point, chart) for point in history]
    places = [point.vocab_size if by_size else point.step for point in history]
    names = [escape(readable(point.token, style), quote=False) for point in history]
    figure = go.Figure(
        go.Scatter(
            x=places,
            y=values,
            customdata=list(zip(names, [point.step for point in history], strict=True)),
            mode="lines+markers" if len(history) <= 80 else "lines",
            line_shape="hv" if chart in ("freq", "ties") else "linear",
            hovertemplate=_("step %{customdata[1]}: %{customdata[0]}<br>%{y:,}") + "<extra></extra>",
        )
    )
    if step:
        figure.add_scatter(
            x=[places[step - 1]],
            y=[values[step - 1]],
            mode="markers",
            marker={"size": 13, "color": ACCENT, "symbol": "diamond"},
            hoverinfo="skip",
        )
    figure.update_layout(
        height=320,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        showlegend=False,
        xaxis_title=_("vocabulary size") if by_size else _("step"),
        yaxis_title=_(CHARTS[chart]),
        yaxis_rangemode="normal" if by_size else "tozero",
    )
    return figure


def _value(point: StepStats, chart: str) -> float:
    """A point's height in a chart."""
    heights = {
        "freq": point.freq,
        "tokens": point.tokens,
        "fertility": point.tokens_per_word,
        "ties": point.tied_count,
    }
    return heights[chart]


def score_chart(snapshot: MergeSnapshot, style: Style) -> go.Figure:
    """Score against count for all pairs of one step: why the most frequent pair rarely wins."""
    trace, before = snapshot.trace, max(0, snapshot.step - 1)
    candidates = cast(list[ScoredCandidate], trace.candidates(before, SCATTER_LIMIT))
    figure = go.Figure()

    def scatter(chosen: Sequence[ScoredCandidate], name: str, marker: dict[str, Any]) -> None:
        figure.add_scatter(
            x=[candidate.freq for candidate in chosen],
            y=[float(candidate.score) for candidate in chosen],
            customdata=[
                (
                    escape(" ".join(readable(token, style) for token in candidate.pair), quote=False),
                    str(candidate.score),
                )
                for candidate in chosen
            ],
            hovertemplate="%{customdata[0]}<br>%{x:,} · %{customdata[1]}<extra></extra>",
            mode="markers",
            name=name,
            marker=marker,
        )

    scatter(candidates, _("all pairs"), {"size": 8, "opacity": 0.55, "color": "#8a8f98"})
    if snapshot.step:
        event = cast(WordPieceEvent, snapshot.event)
        scatter(
            [cast(ScoredCandidate, event.candidates[0])],
            _("merged: best score"),
            {"size": 15, "color": ACCENT, "symbol": "diamond"},
        )
        scatter(
            [event.most_frequent],
            _("BPE's choice: most frequent"),
            {"size": 15, "color": "#5b8df9", "symbol": "square"},
        )
    figure.update_layout(
        height=360,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        legend={"orientation": "h", "y": 1.08},
        xaxis={"title": {"text": _("count of the pair")}, "type": "log"},
        yaxis={"title": {"text": _("score")}, "type": "log"},
    )
    return figure
