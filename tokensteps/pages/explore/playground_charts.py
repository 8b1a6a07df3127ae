"""Charts of the playground: several tokenizers on one text, and on one sentence in many languages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

import plotly.graph_objects as go

from tokenizers_core.measures import ParallelMeasures
from tokensteps.catalogue.analysis import Analysis
from tokensteps.catalogue.side_by_side import Fertility
from tokensteps.drawing.charts import MARGIN
from tokensteps.language.i18n import _

BAR_NAME_SHOWN = 40
PATTERNS = ("", "/", ".", "x")
"""Bars of one group differ by more than colour."""


def counts_chart(analyses: Mapping[str, Analysis]) -> go.Figure:
    """Tokens by tokenizer."""
    names = [
        escape(f"{letter} · {analysis.subject.name[:BAR_NAME_SHOWN]}")
        for letter, analysis in analyses.items()
    ]
    tokens = [len(analysis) for analysis in analyses.values()]
    bars = go.Bar(
        x=tokens,
        y=names,
        orientation="h",
        text=tokens,
        textposition="auto",
        hovertemplate="%{y}: %{x}<extra></extra>",
    )
    figure = go.Figure(bars)
    figure.update_layout(height=70 + 44 * len(names), margin=MARGIN, bargap=0.35)
    figure.update_xaxes(title=escape(_("Tokens")), rangemode="tozero")
    return figure.update_yaxes(type="category", autorange="reversed")


def premiums_chart(parallel: Mapping[str, ParallelMeasures], names: Mapping[str, str]) -> go.Figure:
    """Premiums of languages, a group of bars for each; “?” where some of the tokens are unknown."""
    figure = go.Figure()
    languages = [escape(name) for name in names.values()]
    for letter, one in parallel.items():
        premiums = [one.premium[language] for language in names]
        add_language_bars(
            figure,
            letter,
            "× %{y:.2f}",
            x=languages,
            y=[0 if premium is None else premium for premium in premiums],
            text=["?" if premium is None else f"{premium:.2f}" for premium in premiums],
        )
    figure.add_hline(y=1, line={"dash": "dot", "width": 1.5})
    return in_groups(figure, _("Premium"))


def languages_chart(rows: Sequence[Fertility], letters: Iterable[str]) -> go.Figure:
    """Tokens of one sentence, a group of bars for each language; “?” where some of them are unknown."""
    languages = [escape(row.language) for row in rows]
    figure = go.Figure()
    for index, letter in enumerate(letters):
        add_language_bars(
            figure,
            letter,
            "%{y}<br>× %{customdata:.2f}",
            x=languages,
            y=[row.tokens[index] for row in rows],
            customdata=[row.premium(index, rows[0]) for row in rows],
            text=["?" if row.unknown[index] else "" for row in rows],
        )
    return in_groups(figure, _("Tokens"))


def add_language_bars(figure: go.Figure, letter: str, hover: str, **bars: Sequence[object]) -> None:
    """A tokenizer's bars, one for each language."""
    figure.add_bar(
        name=letter,
        marker_pattern_shape=PATTERNS[len(figure.data) % len(PATTERNS)],
        textposition="outside",
        hovertemplate="%{x}: " + hover + "<extra>" + letter + "</extra>",
        **bars,
    )


def in_groups(figure: go.Figure, title: str) -> go.Figure:
    """The tokenizers' bars side by side at each language."""
    figure.update_layout(
        height=320,
        margin=MARGIN,
        barmode="group",
        legend={"orientation": "h", "y": 1.1},
        showlegend=len(figure.data) > 1,
    )
    figure.update_xaxes(type="category")
    return figure.update_yaxes(title=escape(title), rangemode="tozero")
