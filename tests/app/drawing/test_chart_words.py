"""Charts in words, for people who don't see them.

Source: WCAG 2.2, 1.1.1 (everything but text has a text that says the same). Oracle: the traces' own figures,
by `min` and `max`.
"""

from __future__ import annotations

import inspect

import plotly.graph_objects as go
import pytest

from tokenizers_core import Corpus, train_bpe, train_wordpiece
from tokensteps.drawing import charts
from tokensteps.drawing.charts import curves_text, margin_chart, scatter_text, score_chart, training_chart
from tokensteps.drawing.narration.closeness import margins_of
from tokensteps.drawing.tokens import PLAIN

HUG = Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})


def test_a_curve_in_words() -> None:
    """Its ends, its extremes, and the height at the step now; at the start there is none."""
    trace = train_bpe(HUG, merges=4)
    counts = [point.freq for point in trace.history]
    assert counts == [20, 16, 15, 12]
    message = "Count: from 20 at the start to 12 at the end, between 12 and 20."
    assert curves_text(training_chart(trace, "freq", 0, PLAIN), "Count") == message
    assert curves_text(training_chart(trace, "freq", 2, PLAIN), "Count") == f"{message} Now: 16."


@pytest.mark.parametrize(("words", "ties"), [({"ab": 5, "cd": 3}, False), ({"abc": 5, "de": 3}, True)])
def test_a_margin_in_words(words: dict[str, int], ties: bool) -> None:
    """Of ab 5 over cd 3 the margin is 2; of ab over bc, 5 each, none. Marks of ties aren't the step's."""
    trace = train_bpe(Corpus.from_counts(words), merges=2)
    margins = margins_of(trace)
    assert margins[0] == (0 if ties else 2) and (0 in margins) is ties
    for step in range(len(trace) + 1):
        said = curves_text(margin_chart(trace, margins, step), "Margin")
        now = margins[step - 1] if step else None
        assert said.endswith(f"Now: {now}.") if now is not None else "Now" not in said


def test_the_scores_in_words() -> None:
    """The merged pair, and BPE's choice: the course's g s, 1/20, and u g, 20 / (36 · 20)."""
    chart = score_chart(train_wordpiece(HUG, merges=2)[1], PLAIN)
    assert scatter_text(chart, "Scores") == (
        "Scores, merged: best score (##g ##s, 5 · 1/20), BPE's choice: most frequent (##u ##g, 20 · 1/36)"
    )


@pytest.mark.parametrize(
    ("values", "ticks"),
    [((0.005, 0.11), "D2"), ((1, 90_000), 1), ((1, 4), "D1"), ((210, 480), "D1"), ((3, 3), "D2"), ((), "D2")],
)
def test_a_logarithmic_axis_has_magnitudes(values: tuple[float, ...], ticks: object) -> None:
    """Left alone, Plotly labels minor ticks by their first digit: “5” stands for 50. With a format of their
    own it writes the number (`formatLog` in plotly.js's `axes.js`)."""
    axis = charts.log_axis("count", go.Figure(go.Scatter(x=values, y=values)), "x")
    assert axis["type"] == "log" and axis["tickformat"] and axis["dtick"] == ticks


def test_every_logarithmic_axis_is_one_of_these() -> None:
    source = inspect.getsource(charts)
    assert source.count('"log"') == inspect.getsource(charts.log_axis).count('"log"') == 1
    figure = score_chart(train_wordpiece(HUG, merges=2)[1], PLAIN)
    assert [axis.type for axis in (figure.layout.xaxis, figure.layout.yaxis)] == ["log", "log"]
    assert {points.mode for points in figure.data} == {"markers"}  # no overlapping labels
