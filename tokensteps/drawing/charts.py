"""Trace → Plotly figure. Plotly reads tags in text, so a learner's tokens are escaped; colours come from the
theme."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from html import unescape
from typing import Any, Final

import plotly.graph_objects as go

from tokenizers_core.training.comparison import Comparison
from tokenizers_core.training.merge_trace import MergeTrace, StepStats
from tokenizers_core.training.pruning import StepPoint, Worth
from tokenizers_core.training.unigram_trace import UnigramTrace
from tokenizers_core.training.wordpiece import ScoredCandidate, WordPieceSnapshot
from tokensteps.drawing.tokens import Style, chart_text, readable
from tokensteps.drawing.training.pruning import step_name
from tokensteps.drawing.training.step_kinds import STEP_KINDS
from tokensteps.language.i18n import N_, _, listed, sentences
from tokensteps.language.measures import SHARES, measure_name
from tokensteps.language.names import side_name, side_names

CURVE_LIMIT: Final = 2_000
"""Points of a chart's curve: a screen has no more columns."""
SCATTER_LIMIT: Final = 5_000
"""Points of a chart of pairs: drawing takes a browser some tenths of a second."""

CHARTS: Mapping[str, str] = {
    "freq": N_("Count of the chosen pair"),
    "tokens": N_("Tokens in the corpus"),
    "fertility": N_("Tokens per word"),
    "ties": N_("Tied pairs"),
}
PRUNE_CHARTS: Mapping[str, str] = {
    "loss": N_("Loss and vocabulary size"),
    "size": N_("Pieces by step"),
    "objective": N_("All splits together: −log P per word"),
}
SWEEPS: Mapping[str, str] = {
    "tokens": N_("Tokens per word"),
    "alike": N_("Identical splits"),
    "overlap": N_("Vocabulary overlap"),
}
SWEEP_HEIGHTS: Mapping[str, str] = {
    "tokens": N_("tokens per word"),
    "alike": N_("share of the words"),
    "overlap": N_("Jaccard index of longer tokens"),
}
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "2px 8px")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star")
"""Lines differ by more than colour: some of their points have markers."""
MARKERS_ON_LINE = 16
HEIGHTS: Mapping[str, str] = {
    "loss": N_("loss in nats"),
    "size": N_("pieces"),
    "objective": N_("−log P per word"),
}
MARKER_LIMIT = 80
"""A curve of more points is a line without markers."""
LABELLED_DECADES = 2
"""Up to how many decades of a logarithmic axis have ticks at 1, 2 and 5."""
CLOSE_DECADES = math.log10(5)
"""Up to how many decades it has a tick at each digit."""
TICKS_IN_POWERS_BELOW = 1e-5
"""Below this value an axis has ticks with powers of ten."""
ACCENT = "#d9621a"
"""The current step: a contrast of at least 3:1 on the backgrounds of both themes."""
NEUTRAL = "#8a8f98"
MARGIN = {"l": 10, "r": 10, "t": 10, "b": 10}
CURVE_LAYOUT: Mapping[str, Any] = {"height": 320, "margin": MARGIN, "showlegend": False}
LEGEND_BELOW: Mapping[str, Any] = {"orientation": "h", "y": -0.2, "yanchor": "top"}
"""On a phone it takes several lines, and above they would lie over the points."""
SCATTER_LAYOUT: Mapping[str, Any] = {
    "height": 380,
    "margin": MARGIN,
    "legend": LEGEND_BELOW,
}


def training_chart(trace: MergeTrace, chart: str, step: int, style: Style) -> go.Figure:
    """One chart over the run, with the current step marked."""
    history = trace.history
    by_size = chart in ("tokens", "fertility")
    values = [_value(point, chart) for point in history]
    positions = [point.vocab_size if by_size else point.step for point in history]
    names = [chart_text(readable(point.token, style)) for point in history]
    figure = go.Figure(
        go.Scatter(
            x=positions,
            y=values,
            customdata=list(zip(names, [point.step for point in history], strict=True)),
            mode=_mode(len(history)),
            line_shape="hv" if chart in ("freq", "ties") else "linear",
            hovertemplate=_("step %{customdata[1]}: %{customdata[0]}<br>%{y:,}") + "<extra></extra>",
        )
    )
    if step:
        _mark_step(figure, positions[step - 1], values[step - 1])
    figure.update_layout(
        **CURVE_LAYOUT,
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


def _mode(points: int) -> str:
    return "lines+markers" if points <= MARKER_LIMIT else "lines"


def _mark_step(figure: go.Figure, x: float, y: float) -> None:
    """Mark the current step."""
    figure.add_scatter(
        x=[x],
        y=[y],
        mode="markers",
        marker={"size": 13, "color": ACCENT, "symbol": "diamond"},
        hoverinfo="skip",
        meta="now",
    )


def curves_text(figure: go.Figure, title: str, at: float | None = None, number: str = "") -> str:
    """A chart's curves in words: the first and last value of each, its extremes, and its value at the current
    step.

    The current step is at `at` on the x axis, or where the figure has a mark of its own. `number` is the
    format of the values; by default they have four digits, and more if they are whole numbers.
    """
    lines = []
    marks = [trace for trace in figure.data if trace.meta == "now"]
    for line in figure.data:
        points = [(x, y) for x, y in zip(line.x, line.y, strict=True) if y is not None]
        if "lines" not in line.mode or not points:
            continue
        heights = [height for _across, height in points]
        message = _("{name}: from {first} at the start to {last} at the end, between {least} and {most}.")
        lines.append(
            message.format(
                name=listed([title, line.name]) if line.name else title,
                first=_written(heights[0], number),
                last=_written(heights[-1], number),
                least=_written(min(heights), number),
                most=_written(max(heights), number),
            )
        )
        now = [height for across, height in points if across == at] or [mark.y[0] for mark in marks]
        if now:
            lines.append(_("Now: {number}.").format(number=_written(now[0], number)))
    return sentences(*lines)


def _written(height: float, number: str) -> str:
    """A height as text.

    >>> _written(12345, ""), _written(2.34567, ""), _written(23456.7, ""), _written(0.5, ".2f")
    ('12,345', '2.346', '23,457', '0.50')
    """
    if number:
        return format(height, number)
    return f"{height:,.4g}" if abs(height) < 1000 and height != int(height) else f"{height:,.0f}"


def scatter_text(figure: go.Figure, title: str) -> str:
    """The highlighted pairs of the chart of scores, in words: their counts and scores."""
    chosen = [
        f"{points.name} ({unescape(points.customdata[0][0])}, {points.x[0]:,} · {points.customdata[0][1]})"
        for points in figure.data[1:]
    ]
    return listed([title, *chosen])


def score_chart(snapshot: WordPieceSnapshot, style: Style) -> go.Figure:
    """Score against count for all pairs of one step: why the most frequent pair rarely wins."""
    trace, before = snapshot.trace, max(0, snapshot.step - 1)
    candidates = trace.candidates(before, SCATTER_LIMIT)
    figure = go.Figure()

    def scatter(chosen: Sequence[ScoredCandidate], name: str, marker: dict[str, Any]) -> None:
        figure.add_scatter(
            x=[candidate.freq for candidate in chosen],
            y=[float(candidate.score) for candidate in chosen],
            customdata=[
                (
                    chart_text(" ".join(readable(token, style) for token in candidate.pair)),
                    str(candidate.score),
                )
                for candidate in chosen
            ],
            hovertemplate="%{customdata[0]}<br>%{x:,} · %{customdata[1]}<extra></extra>",
            mode="markers",
            name=name,
            marker=marker,
        )

    scatter(candidates, _("all pairs"), {"size": 8, "opacity": 0.55, "color": NEUTRAL})
    event = snapshot.event
    if event.kind == "merge":
        scatter(
            [event.candidates[0]],
            _("merged: best score"),
            {"size": 15, "color": ACCENT, "symbol": "diamond"},
        )
        scatter(
            [event.most_frequent],
            _("BPE's choice: most frequent"),
            {"size": 15, "color": "#5b8df9", "symbol": "square"},
        )
    figure.update_layout(
        **SCATTER_LAYOUT,
        xaxis=log_axis(_("count of the pair"), figure, "x"),
        yaxis=log_axis(_("score"), figure, "y"),
    )
    return figure


def log_axis(title: str, figure: go.Figure, axis: str) -> dict[str, Any]:
    """A logarithmic axis of a figure. Each tick shows its whole number: by default Plotly writes “5” for 50.
    To leave room for these, there are three ticks a decade (1, 2, 5) over at most two decades, and otherwise
    one; values so close that these could miss them have nine."""
    values = [value for points in figure.data for value in points[axis]]
    decades = math.log10(max(values) / min(values)) if values else 0
    return {
        "title": {"text": title},
        "type": "log",
        "dtick": "D1" if 0 < decades <= CLOSE_DECADES else "D2" if decades <= LABELLED_DECADES else 1,
        "tickformat": ",.2~r" if values and min(values) >= TICKS_IN_POWERS_BELOW else ".2~g",
    }


# --- How close it was ---------------------------------------------------------------------------------------


def margin_chart(
    trace: MergeTrace | UnigramTrace, margins: Sequence[float | Fraction | None], step: int
) -> go.Figure:
    """How far behind the runner-up was, step by step from 1: a tie is a mark at zero, and a step without a
    runner-up has none."""
    points = [(at, float(margin)) for at, margin in enumerate(margins, start=1) if margin is not None]
    drawn = [points[index] for index in thinned([at for at, _margin in points], step)] if points else []
    figure = go.Figure()
    figure.add_scatter(
        x=[at for at, _margin in drawn],
        y=[margin for _at, margin in drawn],
        mode="lines",
        line={"shape": "hvh", "color": NEUTRAL, "width": 1.5},
        hovertemplate=_("step %{x}: %{y:,.4~g}") + "<extra></extra>",
    )
    ties = [at for at, margin in drawn if not margin]
    figure.add_scatter(
        x=ties,
        y=[0.0] * len(ties),
        name=_("tie"),
        mode="markers",
        marker={"size": 7, "color": ACCENT, "symbol": "circle"},
        cliponaxis=False,
        hovertemplate=_("step %{x}: a tie") + "<extra></extra>",
    )
    now = dict(points).get(step)
    if now is not None:
        _mark_step(figure, step, now)
    figure.update_layout(
        **CURVE_LAYOUT,
        xaxis_title=_("step"),
        yaxis_title=_(STEP_KINDS[trace.ranked_by].unit),
        yaxis_rangemode="tozero",
    )
    return figure


# --- Unigram ------------------------------------------------------------------------------------------------


def charts_for(trace: UnigramTrace) -> list[str]:
    """The names of a run's charts: only E steps have an objective."""
    return [chart for chart in PRUNE_CHARTS if chart != "objective" or trace.method == "sentencepiece"]


def loss_chart(trace: UnigramTrace, chart: str, step: int, style: Style) -> go.Figure:
    """One chart over a run of Unigram, with the current step marked; for objectives, the last E step up to
    it."""
    curve = [(point, height) for point in trace.history for height in _heights(trace, point, chart)]
    drawn = [curve[index] for index in thinned([point.step for point, _height in curve], step)]
    special = len(trace.special_tokens)

    def across(point: StepPoint) -> int:
        return point.step if chart == "size" else point.size + special

    figure = go.Figure(
        go.Scatter(
            x=[across(point) for point, _height in drawn],
            y=[height for _point, height in drawn],
            customdata=[(_step_name(point, style), point.step) for point, _height in drawn],
            mode=_mode(len(drawn)),
            hovertemplate=_("step %{customdata[1]}: %{customdata[0]}<br>%{y:,.4~f}") + "<extra></extra>",
        )
    )
    if chart == "loss":  # the curve has no point where training did not compute the loss
        _mark_step(figure, across(trace.history[step]), trace.loss_at(step))
    elif before := [(point, height) for point, height in curve if point.step <= step]:
        _mark_step(figure, across(before[-1][0]), before[-1][1])
    figure.update_layout(
        **CURVE_LAYOUT,
        xaxis_title=_("step") if chart == "size" else _("vocabulary size"),
        xaxis_autorange=True if chart == "size" else "reversed",
        yaxis_title=_(HEIGHTS[chart]),
    )
    return figure


def _heights(trace: UnigramTrace, point: StepPoint, chart: str) -> list[float]:
    """A step's heights in a chart: none where there is no number, and two losses where probabilities were
    renormalised."""
    if chart == "loss":
        heights = [trace.record.unnormalized.get(point.step, math.nan), point.loss]
    else:
        heights = [point.size if chart == "size" else point.objective]
    return [height for height in heights if not math.isnan(height)]


def thinned(steps: Sequence[int], now: int, limit: int = 0) -> list[int]:
    """The places of the points to draw: about `limit` (default: `CURVE_LIMIT`), evenly spaced, the first, the
    last, and all of step `now`."""
    stride = max(1, math.ceil(len(steps) / (limit or CURVE_LIMIT)))
    last = len(steps) - 1
    return [index for index, step in enumerate(steps) if index % stride == 0 or index == last or step == now]


def _step_name(point: StepPoint, style: Style) -> str:
    """A step's name in a hover: its pruned piece, or its kind."""
    name = readable(point.piece, style) if point.kind == "prune" else step_name(point.kind)
    return chart_text(name)


def worth_chart(rows: Sequence[Worth], style: Style) -> go.Figure:
    """The worth of pieces: the exact loss against SentencePiece's estimate."""
    exact, approximate = [row.exact for row in rows], [row.approximate for row in rows]
    figure = go.Figure(
        go.Scatter(
            x=approximate,
            y=exact,
            customdata=[(chart_text(readable(row.piece, style)),) for row in rows],
            hovertemplate=_("%{customdata[0]}<br>exact: %{y:,.4~f}<br>approximate: %{x:,.4~f}")
            + "<extra></extra>",
            mode="markers",
            name=_("pieces"),
            marker={"size": 8, "opacity": 0.7},
        )
    )
    losses = exact + approximate
    if losses:
        ends = [min(losses), max(losses)]
        figure.add_scatter(
            x=ends,
            y=ends,
            mode="lines",
            line={"dash": "dash", "color": NEUTRAL},
            name=_("equal"),
            hoverinfo="skip",
        )
    names = {"x": _("approximate loss"), "y": _("exact loss")}
    if all(loss > 0 for loss in losses):
        axes = {f"{axis}axis": log_axis(name, figure, axis) for axis, name in names.items()}
    else:
        axes = {f"{axis}axis": {"title": {"text": name}, "type": "linear"} for axis, name in names.items()}
    figure.update_layout(**SCATTER_LAYOUT, **axes)
    return figure


# --- Comparing ----------------------------------------------------------------------------------------------


def sweep_chart(comparison: Comparison, chart: str, step: int) -> go.Figure:
    """All runs over the vocabulary sizes, with the current size as a line."""
    indices = thinned(range(len(comparison) + 1), step)
    return _over_sizes(
        [comparison.sizes[index] for index in indices],
        _sweep_lines(comparison, indices, chart),
        _(SWEEP_HEIGHTS[chart]),
        in_percent=chart != "tokens",
        now=(comparison.sizes[step], 2 * step <= len(comparison)),
    )


def measures_chart(
    comparison: Comparison,
    indices: Sequence[int],
    values: Sequence[Sequence[float | None]],
    name: str,
    step: int,
) -> go.Figure:
    """A measure of all runs at some of the sizes, with the current size as a line."""
    lines = [
        (side_name(run), list(column))
        for run, column in zip(comparison.names, zip(*values, strict=True), strict=True)
    ]
    return _over_sizes(
        [comparison.sizes[index] for index in indices],
        lines,
        measure_name(name),
        in_percent=name in SHARES,
        now=(comparison.sizes[step], 2 * step <= len(comparison)),
    )


def _over_sizes(
    sizes: Sequence[int],
    lines: Sequence[tuple[str, list[float | None]]],
    title: str,
    in_percent: bool,
    now: tuple[int, bool],
) -> go.Figure:
    """Lines over vocabulary sizes; `now` is the current size, and whether it is in the left half."""
    figure = go.Figure()
    for index, (name, heights) in enumerate(lines):
        figure.add_scatter(
            x=list(sizes),
            y=heights,
            name=name,
            mode="lines+markers",
            line={"dash": DASHES[index], "width": 2.5},
            marker={"symbol": SYMBOLS[index], "size": 9, "maxdisplayed": MARKERS_ON_LINE},
            hovertemplate="%{y:.1%}" if in_percent else "%{y:.2f}",
        )
    size, early = now
    figure.add_vline(
        x=size,
        line={"color": NEUTRAL, "width": 2},
        annotation={"text": _("size {size}").format(size=f"{size:,}"), "textangle": 0},
        annotation_position="top right" if early else "top left",
    )
    figure.update_layout(
        height=380,
        margin=MARGIN,
        legend=LEGEND_BELOW,
        hovermode="x unified",
        xaxis={"title": {"text": _("vocabulary size")}},
        yaxis={"title": {"text": title}, "rangemode": "tozero", "tickformat": ".0%" if in_percent else None},
    )
    return figure


def _sweep_lines(
    comparison: Comparison, indices: Sequence[int], chart: str
) -> list[tuple[str, list[float | None]]]:
    """The lines of a chart: their names and heights."""
    points = [comparison.sweep[index] for index in indices]
    if chart == "tokens":
        columns = zip(*(point.tokens_per_word for point in points), strict=True)
        return [
            (side_name(name), list(column)) for name, column in zip(comparison.names, columns, strict=True)
        ]
    pairs = zip(*(point.alike_pairs if chart == "alike" else point.overlap for point in points), strict=True)
    lines = [(side_names(pair), list(column)) for pair, column in zip(comparison.pairs, pairs, strict=True)]
    if chart == "alike" and len(lines) > 1:
        lines.append((_("all"), [point.alike for point in points]))
    return lines
