"""Unigram's tables and charts (`tokensteps/drawing/tables.py`, `tokensteps/drawing/charts.py`).

Oracles: the snapshots' own numbers; the course's four sentences and its words of `hug`, in both ways of
training; and `html.unescape` for the texts that Plotly reads.
"""

from __future__ import annotations

import math
from functools import cache
from html import unescape
from itertools import pairwise
from typing import Any

import pytest

from tests.core.test_exports import COURSE, course
from tests.samples import spread
from tokenizers_core import METHODS, Corpus, UnigramTrace, train_unigram
from tokenizers_core.training.pruning import Estimate, Worth
from tokensteps.drawing.charts import (
    CURVE_LIMIT,
    MARKER_LIMIT,
    PRUNE_CHARTS,
    charts_for,
    loss_chart,
    worth_chart,
)
from tokensteps.drawing.tables import piece_table, worth_table
from tokensteps.drawing.tokens import Style, readable

PLAIN = Style()
HOSTILE = {"<b>x</b><b>": 3, "<img/src=x>": 2, "%{y}%{y}": 2, "&amp;&amp;": 2, "a\\u202eb": 2}


@cache
def hostile() -> UnigramTrace:
    return train_unigram(Corpus.from_counts(HOSTILE, pre_tokenizer="none"), vocab_size=None)


def steps_of(trace: UnigramTrace) -> list[int]:
    """The start, the end, and steps between them, the ends of rounds among them."""
    ends = [round_.first_step + round_.pruned - 1 for round_ in trace.record.rounds]
    return sorted({0, 1, 2, 3, 4, len(trace) // 2, len(trace) - 1, len(trace), *ends})


# --- tables -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_piece_table_is_the_snapshot(method: str) -> None:
    trace = course(method)
    seed = dict(trace.seed)
    for step in steps_of(trace):
        snapshot = trace[step]
        table = piece_table(snapshot, PLAIN)
        pieces = sorted(snapshot.pieces, key=lambda piece: -snapshot.pieces[piece])
        assert table["position"].tolist() == [*range(1, len(pieces) + 1)]
        assert table["piece"].tolist() == pieces
        assert table["log probability"].tolist() == [snapshot.pieces[piece] for piece in pieces]
        assert table["probability"].tolist() == [math.exp(snapshot.pieces[piece]) for piece in pieces]
        name = "count in the seed" if method == "course" else "count × length in the seed"
        assert table[name].tolist() == [seed[piece] for piece in pieces]
        losses = {row.piece: row.loss for row in snapshot.candidates()}
        results = dict(zip(pieces, table["loss without it"].tolist(), strict=True))
        assert {piece: loss for piece, loss in results.items() if not math.isnan(loss)} == {
            piece: loss for piece, loss in losses.items() if piece in results
        }
        goes = [piece for piece, flag in zip(pieces, table["pruned this round"], strict=True) if flag]
        assert set(goes) == {row.piece for row in snapshot.candidates() if row.pruned} & set(pieces)
        if step < len(trace) and trace.record.kinds[step + 1] == "prune":
            assert trace.history[step + 1].piece in goes


def test_the_course_seed_in_the_table() -> None:
    """The published counts, and characters never in a ranking."""
    table = piece_table(course("course")[0], PLAIN)
    published = dict(COURSE["seed_freqs_in_order"])
    assert dict(zip(table["piece"], table["count in the seed"], strict=True)) == published
    blank = table[table["loss without it"].isna()]["piece"]
    assert {len(piece) for piece in blank} == {1}
    assert piece_table(course("course")[-1], PLAIN)["pruned this round"].sum() == 0


@pytest.mark.parametrize("find", ["th", "▁", "(", ".*", "[", "zzz"])
def test_finding_pieces_takes_text_literally(find: str) -> None:
    snapshot = course("course")[9]
    result = piece_table(snapshot, PLAIN, find)
    everything = piece_table(snapshot, PLAIN)
    wanted = [
        (index, piece)
        for index, piece in zip(everything["position"], everything["piece"], strict=True)
        if find in piece
    ]
    assert list(zip(result["position"], result["piece"], strict=True)) == wanted
    assert bool(wanted) == (find in ("th", "▁"))


@pytest.mark.parametrize("method", METHODS)
def test_worth_table_agrees_with_the_engine(method: str) -> None:
    rows = course(method).worth(3, 20)
    table = worth_table(rows, PLAIN)
    assert rows and table["piece"].tolist() == [row.piece for row in rows]
    assert table["probability"].tolist() == [row.probability for row in rows]
    assert table["count on best splits"].tolist() == [row.estimate.freq for row in rows]
    assert table["exact loss"].tolist() == [row.exact for row in rows]
    assert table["estimate"].tolist() == [row.approximate for row in rows]
    assert table["difference"].tolist() == [row.approximate - row.exact for row in rows]
    assert [tuple(text.split(" · ")) for text in table["replacement"]] == [
        row.estimate.replacement for row in rows
    ]
    assert list(worth_table([], PLAIN).columns) == list(table.columns)


def test_tables_hold_readable_text() -> None:
    trace = hostile()
    table = piece_table(trace[0], PLAIN)
    assert table["piece"].tolist() == [
        readable(piece, PLAIN) for piece in sorted(trace[0].pieces, key=lambda piece: -trace[0].pieces[piece])
    ]
    assert "<b>x" in table["piece"].tolist()  # cells are plain text


# --- charts -------------------------------------------------------------------------------------------------


def test_charts_that_fit_a_run() -> None:
    assert charts_for(course("course")) == ["loss", "size"]
    assert charts_for(course("sentencepiece")) == [*PRUNE_CHARTS]


def heights(trace: UnigramTrace, chart: str) -> list[tuple[int, float]]:
    """Steps and heights of a curve, from the snapshots' events."""
    results = []
    for step in range(len(trace) + 1):
        event: Any = trace.event(step)
        if chart == "size":
            results.append((step, len(trace[step].pieces)))
        elif chart == "objective":
            results += [(step, event.objective)] if event.kind == "e_step" else []
        elif event.kind not in ("e_step", "m_step") or not math.isnan(trace.record.losses[step]):
            if event.kind == "prune" and event.corpus_loss_pruned != event.corpus_loss:
                results.append((step, event.corpus_loss_pruned))
            results.append((step, trace[step].loss))
    return results


@pytest.mark.parametrize(
    ("method", "chart"), [(method, chart) for method in METHODS for chart in charts_for(course(method))]
)
def test_charts_show_the_run(method: str, chart: str) -> None:
    trace = course(method)
    expected = heights(trace, chart)
    curve = loss_chart(trace, chart, 0, PLAIN).data[0]
    assert len(expected) > 3
    assert list(curve.y) == [height for _step, height in expected]
    assert not any(map(math.isnan, curve.y))
    assert [step for _name, step in curve.customdata] == [step for step, _height in expected]
    names = {step: name for name, step in curve.customdata}
    for step, name in names.items():
        event: Any = trace.event(step)
        messages = {"start": "Start", "e_step": "E step", "m_step": "M step", "finalize": "Finalize"}
        assert name == (event.piece if event.kind == "prune" else messages[event.kind])
    sizes = [step if chart == "size" else trace[step].vocab_size for step, _height in expected]
    assert list(curve.x) == sizes
    assert curve.mode == ("lines+markers" if len(expected) <= MARKER_LIMIT else "lines")


@pytest.mark.parametrize("method", METHODS)
def test_the_step_now_is_marked(method: str) -> None:
    trace = course(method)
    for step in spread(range(len(trace) + 1), 24):
        _curve, now = loss_chart(trace, "loss", step, PLAIN).data
        assert (list(now.x), list(now.y)) == ([trace[step].vocab_size], [trace[step].loss])
        assert now.marker.symbol == "diamond"
        _curve, now = loss_chart(trace, "size", step, PLAIN).data
        assert (list(now.x), list(now.y)) == ([step], [len(trace[step].pieces)])


def test_the_last_objective_is_marked() -> None:
    trace = course("sentencepiece")
    assert len(loss_chart(trace, "objective", 0, PLAIN).data) == 1  # none is known yet
    for step in range(1, len(trace) + 1):
        last = max(known for known in trace.record.objectives if known <= step)
        _curve, now = loss_chart(trace, "objective", step, PLAIN).data
        assert (list(now.x), list(now.y)) == ([trace[last].vocab_size], [trace.record.objectives[last]])


def test_training_goes_from_many_pieces_to_few() -> None:
    for chart in PRUNE_CHARTS:
        axis = loss_chart(course("sentencepiece"), chart, 3, PLAIN).layout.xaxis
        assert (axis.autorange == "reversed") == (chart != "size")


@pytest.mark.parametrize("chart", ["loss", "size"])
def test_names_in_charts_are_escaped(chart: str) -> None:
    """Plotly reads tags in text: no name may hold a `<`, nor an `&` outside of an escape."""
    trace = hostile()
    curve = loss_chart(trace, chart, 1, PLAIN).data[0]
    names = [(step, name) for name, step in curve.customdata if trace.record.kinds[step] == "prune"]
    assert any("&lt;" in name for _step, name in names)
    for step, name in names:
        assert "<" not in name and ">" not in name
        assert unescape(name) == readable(trace.history[step].piece, PLAIN)


def test_a_long_run_is_thinned() -> None:
    words = {f"{number:05d}": 1 + number % 7 for number in range(0, 40_000, 37)}
    trace = train_unigram(Corpus.from_counts(words, pre_tokenizer="none"), 6000, None, pruned_share=0.5)
    assert len(trace) > CURVE_LIMIT
    for chart in ("loss", "size"):
        for step in (0, 1234, 1235, len(trace)):
            curve = loss_chart(trace, chart, step, PLAIN).data[0]
            steps = [known for _name, known in curve.customdata]
            assert len(steps) <= CURVE_LIMIT + 4
            assert curve.mode == "lines"
            assert {0, step, len(trace)} <= set(steps)
            assert max(after - before for before, after in pairwise(steps)) <= (
                math.ceil((len(trace) + 1 + len(trace.record.rounds)) / CURVE_LIMIT)
            )


def test_charts_of_runs_without_prunes() -> None:
    corpus = Corpus.from_counts({"ab": 3, "abc": 2})
    none = train_unigram(corpus)
    curve, now = loss_chart(none, "loss", 0, PLAIN).data
    assert (len(none), list(curve.y), list(now.y)) == (0, [none[0].loss], [none[0].loss])
    unpruned = train_unigram(corpus, method="sentencepiece")
    for chart in charts_for(unpruned):
        for step in range(len(unpruned) + 1):
            loss_chart(unpruned, chart, step, PLAIN)
    start, end = unpruned[0].loss, unpruned[-1].loss  # between them best splits were never asked for
    assert list(loss_chart(unpruned, "loss", 2, PLAIN).data[0].y) == [start, end]


# --- exact against approximate ------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_worth_chart_shows_both_losses(method: str) -> None:
    rows = course(method).worth(0)
    dots, equal = worth_chart(rows, PLAIN).data
    assert list(dots.x) == [row.approximate for row in rows]
    assert list(dots.y) == [row.exact for row in rows]
    assert [name for (name,) in dots.customdata] == [row.piece for row in rows]
    assert list(equal.x) == list(equal.y) == [min(*dots.x, *dots.y), max(*dots.x, *dots.y)]
    assert equal.line.dash == "dash"


@pytest.mark.parametrize(
    ("exact", "approximate", "scale"),
    [(1.5, 2.0, "log"), (0.0, 2.0, "linear"), (1.5, -0.1, "linear"), (-1e-13, 0.2, "linear")],
)
def test_logarithmic_axes_need_positive_losses(exact: float, approximate: float, scale: str) -> None:
    rows = [
        Worth("ab", 0.1, exact, approximate, Estimate(3, 9, ("a", "b"), (4, 0))),
        Worth("<i>&", 0.1, 1.0, 3.0, Estimate(3, 9, ("<", "i>&"), (0, 0))),
    ]
    figure = worth_chart(rows, PLAIN)
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == (scale, scale)
    assert [name for (name,) in figure.data[0].customdata] == ["ab", "&lt;i&gt;&amp;"]


def test_worth_chart_of_nothing() -> None:
    (dots,) = worth_chart([], PLAIN).data
    assert list(dots.x) == []
