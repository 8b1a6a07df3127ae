"""Snapshot → frame for a word's lattice: the search for its best segmentation.

The pieces are bars over the characters they spell, in lanes (`picture`); the boundaries between the
characters are numbered nodes. A frame is a pure function of its snapshot, the style and the language in use.
Choosing a bar is done in the browser: whatever belongs to the best path through edge 3 has a 3 in its
`data-of`.
"""

from __future__ import annotations

from html import escape

from tokenizers_core.encoding.models.lattice import ViterbiSnapshot
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.lattice.bars import is_long
from tokensteps.drawing.lattice.facts import edge_facts
from tokensteps.drawing.lattice.picture import picture, segmentation_count
from tokensteps.drawing.lattice.scores import best_scores, search_panel
from tokensteps.drawing.narration.lattice import tell_search, tell_sums
from tokensteps.drawing.narration.text_format import Marked, Plain
from tokensteps.drawing.stage_markup import start_label
from tokensteps.drawing.tokens import Style, token_html
from tokensteps.language.i18n import _, current_language, ngettext, sentences
from tokensteps.language.marks import first_marks


def lattice_frame(snapshot: ViterbiSnapshot, style: Style) -> Frame:
    """The frame of one step of the search for the best path."""
    lead, why = tell_search(snapshot, Marked(style))
    layout = "lat long" if is_long(snapshot.lattice) else "lat"
    html = (
        f'<div class="say brief"><p>{lead}</p><p class="why">{why}</p></div><div class="{layout}">'
        f"<section>{picture(snapshot, style)}{edge_facts(snapshot.lattice, style, current_language())}</section>"
        f"<section><div>{best_scores(snapshot, style)}</div>{search_panel(snapshot, style)}</section></div>"
    )
    spoken = sentences(*tell_search(snapshot, Plain(style)), *tell_sums(snapshot, style))
    return Frame(first_marks(html), spoken, label(snapshot, style), status(snapshot))


def label(snapshot: ViterbiSnapshot, style: Style) -> str:
    """The step's entry in the timeline: the boundary reached, or the piece found on the way back."""
    event = snapshot.event
    match event.kind:
        case "lattice":
            return escape(start_label())
        case "forward":
            return f"→ {event.position}"
        case "backward":
            return f"← {token_html(event.edge.piece, style)}"


def status(snapshot: ViterbiSnapshot) -> str:
    """How far the search has come."""
    lattice, event, result = snapshot.lattice, snapshot.event, len(snapshot.path)
    match event.kind:
        case "lattice":
            return segmentation_count(lattice)
        case "forward":
            message = _("boundary {position} of {last}")
            return message.format(position=event.position, last=len(lattice.text))
        case "backward":
            return ngettext("{number} piece found", "{number} pieces found", result).format(number=result)
