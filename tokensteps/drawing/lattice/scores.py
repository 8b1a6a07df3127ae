"""The panels beside a lattice: the best way to each boundary, and under it the ways compared in the step."""

from __future__ import annotations

from html import escape
from typing import Final

from tokenizers_core.encoding.models.lattice import ForwardEvent, ViterbiSnapshot
from tokensteps.drawing.lattice.bars import is_long
from tokensteps.drawing.lattice.facts import PIECES_IN_ROW
from tokensteps.drawing.lattice.search import boundary_of, score_at
from tokensteps.drawing.narration.lattice import PIECES_READ_OUT, way_to
from tokensteps.drawing.stage_markup import heading, table_html
from tokensteps.drawing.tokens import Style, chip, chips
from tokensteps.language.i18n import _
from tokensteps.language.marks import marked
from tokensteps.language.numbers import log_text, probability_text

WAYS_SHOWN: Final = 6
"""The most ways to a boundary without scrolling."""


def best_scores(snapshot: ViterbiSnapshot, style: Style) -> str:
    """For each boundary the best way there, as far as the search has come."""
    event = snapshot.event
    here = event.edge.end if event.kind == "backward" else boundary_of(snapshot)
    walked = {edge.end for edge in snapshot.path}
    rows = ""
    for position in range(len(snapshot.lattice.text) + 1):
        classes = "walked" if position in walked else "now fresh" if position == here else ""
        mark = " data-here" if position == here else ""
        rows += f'<tr class="{classes}"{mark}><td>{position}{score_cells(snapshot, position, style)}'
    names = (_("to"), _("best path"), _("probability"), _("log"))
    return (
        heading(_("Best path to each boundary"))
        + f'<div class="pane rows" data-pane>{table_html(names, rows)}</div>'
    )


def score_cells(snapshot: ViterbiSnapshot, position: int, style: Style) -> str:
    """A row's cells after the boundary: the way there, with its last piece highlighted, and its score."""
    if position > len(snapshot.best):
        return "<td><td><td>"
    score = score_at(snapshot, position)
    if score is None:
        return "<td>" + escape(_("no path")) + "<td><td>"
    pieces = way_to(snapshot, position)
    room = PIECES_IN_ROW if is_long(snapshot.lattice) else PIECES_READ_OUT
    shown = "".join(chip(piece, style, "old") for piece in pieces[-room:-1]) + chips(pieces[-1:], style)
    more = "… " if len(pieces) > room else ""
    shown = shown or escape(_("start"))
    return f"<td>{more}{shown}<td>{probability_text(score)}<td>{log_text(score)}"


def search_panel(snapshot: ViterbiSnapshot, style: Style) -> str:
    """Under the table: the ways to the boundary, the way back, or how the search goes."""
    event = snapshot.event
    match event.kind:
        case "lattice":
            title, body = _("How the search works"), plan()
        case "forward":
            title = _("Paths to boundary {position}").format(position=event.position)
            body = ways_table(event, style)
        case "backward":
            title, body = _("The way back"), way_back(snapshot, style)
    most = max((len(arriving) for arriving in snapshot.lattice.arriving), default=0)
    rows = max(3, min(WAYS_SHOWN, most))
    return f'<div class="ways" style="--rows:{rows}">{heading(title)}<div class="pane" data-pane>{body}</div></div>'


def ways_table(event: ForwardEvent, style: Style) -> str:
    """The ways to a boundary, longest last piece first: the score where it starts + its own = the total."""
    rows = ""
    for way in event.arrivals:
        won, tied = way == event.winner, len(event.tied) > 1 and way in event.tied
        word = _("best") if won else _("tied") if tied else ""
        rows += (
            f"<tr{' class=now' if won else ''}><td>{chip(way.edge.piece, style)}"
            f'<td><i>{way.edge.start}</i><span class="unseen">: </span>{log_text(way.before)}'
            f"<td>{log_text(way.edge.log_probability)}"
            f'<td><b>{log_text(way.log_probability)}</b><td>{probability_text(way.log_probability)}<td><span class="mark">{escape(word)}</span>'
        )
    if not rows:
        return '<p class="why">' + escape(_("None.")) + "</p>"
    names = (_("last piece"), _("best at its start"), _("+ piece"), _("= total"), _("probability"), "")
    return table_html(names, rows)


def way_back(snapshot: ViterbiSnapshot, style: Style) -> str:
    """The pieces found so far, from the end of the word, between their boundaries."""
    first = snapshot.path[0].start
    result = "".join(
        f"{chip(edge.piece, style, 'hot')}<i>{edge.end}</i>" for edge in snapshot.path[-2 * PIECES_READ_OUT :]
    )
    more = "… " if first or len(snapshot.path) > 2 * PIECES_READ_OUT else ""
    return f'<p class="back">{more}<i>{first}</i>{result}</p>'


def plan() -> str:
    """Viterbi's search in three sentences."""
    steps = (
        _(
            "Forward: the best path to a boundary is the best path to where its last piece starts, plus that piece."
        ),
        _("So only the best path to each boundary is kept."),
        _("Back: from the end, the last pieces kept spell the best segmentation."),
    )
    return f'<ol class="plan">{"".join(f"<li>{marked(step)}</li>" for step in steps)}</ol>'
