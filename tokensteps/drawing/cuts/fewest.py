"""The search for the fewest tokens as a picture: the word's boundaries, and every token as a bar over its
symbols."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape
from itertools import pairwise

from tokenizers_core.encoding.cuts.steps import FewestSnapshot
from tokenizers_core.encoding.cuts.table import PieceTable, PlacedToken, WordCut
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.lattice.bars import BARS_DRAWN, ROOMY_LANES, SIDE_BY_SIDE, first_fit
from tokensteps.drawing.narration.cuts import tell_fewest
from tokensteps.drawing.narration.text_format import Marked, Plain
from tokensteps.drawing.stage_markup import heading, start_label, table_html, token_count
from tokensteps.drawing.tokens import Style, chip, chips, colour, readable, token_html
from tokensteps.language.i18n import _, count, ngettext, sentences
from tokensteps.language.marks import first_marks

PATHS_LISTED = 6


def fewest_frame(snapshot: FewestSnapshot, style: Style) -> Frame:
    """The frame of one boundary reached, or of one of the shortest paths."""
    lead, why = tell_fewest(snapshot, Marked(style))
    layout = "lat long" if len(snapshot.table) > SIDE_BY_SIDE else "lat"
    html = (
        f'<div class="say brief"><p>{lead}</p><p class="why">{why}</p></div><div class="{layout}">'
        f"<section>{fewest_picture(snapshot, style)}</section>"
        f"<section><div>{paths_html(snapshot.table, path_of(snapshot), style)}</div>{arrivals_html(snapshot, style)}</section></div>"
    )
    spoken = sentences(*filter(None, tell_fewest(snapshot, Plain(style))))
    return Frame(first_marks(html), spoken, _label(snapshot, style), _status(snapshot))


def path_of(snapshot: FewestSnapshot) -> WordCut:
    """The path of the step, if any."""
    return snapshot.event.path if snapshot.event.kind == "path" else ()


def _label(snapshot: FewestSnapshot, style: Style) -> str:
    event = snapshot.event
    match event.kind:
        case "uncut":
            return escape(start_label())
        case "reach":
            return f"→ {event.position}"
        case "path":
            return f"✓ {token_html(event.path[0].token, style)}" if event.path else "✓"


def _status(snapshot: FewestSnapshot) -> str:
    fewest = snapshot.table.fewest_before[-1]
    if snapshot.event.kind == "path" and fewest is not None:
        return token_count(fewest)
    message = _("boundary {position} of {last}")
    return message.format(position=len(snapshot.reached) - 1, last=len(snapshot.table))


def drawn_pieces(table: PieceTable) -> Sequence[PlacedToken]:
    """The pieces to draw: all, or of too many the single symbols, those on shortest paths, and the longest.

    >>> len(drawn_pieces(PieceTable.build("hug", {"h", "u", "g", "ug"})))
    4
    """
    if len(table.pieces) <= BARS_DRAWN:
        return table.pieces
    stored = {one for path in table.shortest_paths(PATHS_LISTED) for one in path}
    stored |= {one for one in table.pieces if one.size == 1}
    others = [one for one in table.by_size if one not in stored]
    return sorted(stored.union(others[: max(0, BARS_DRAWN - len(stored))]))


def fewest_picture(snapshot: FewestSnapshot, style: Style) -> str:
    """The word on its ruler, and the tokens in lanes under it."""
    table, event = snapshot.table, snapshot.event
    pieces = drawn_pieces(table)
    lanes = first_fit(sorted(pieces, key=lambda one: (one.size, one.start)))
    number = max(lanes.values(), default=0) + 1
    here = len(snapshot.reached) - 1 if event.kind == "reach" else 0
    kind = "grid" + " walk" * (event.kind == "path") + " dense" * (number > ROOMY_LANES)
    path = path_of(snapshot)
    text = ngettext("{number} token fits", "{number} tokens fit", len(table.pieces))
    return (
        heading(_("Tokens over the characters they spell"), text.format(number=count(len(table.pieces))))
        + f'<div class="pane" data-pane><div class="{kind}" role="group" aria-label="{escape(readable("".join(table.symbols), style))}"'
        + f' style="--n:{max(1, len(table))};--lanes:{number}">'
        + f'<div class="ruler" aria-hidden="true">{_ruler(snapshot, here, style)}</div>'
        + f'<i class="at{"" if here else " zero"}" data-here style="grid-column:{max(1, here)}"></i>'
        + "".join(
            f'<i class="joint" style="grid-area:{min(lanes[one], lanes[other]) + 2}/{one.end}/{max(lanes[one], lanes[other]) + 3}"></i>'
            for one, other in pairwise(path)
        )
        + "".join(
            f'<span class="e c{colour(one.token)} {_state(snapshot, one)}" '
            f'style="grid-area:{lanes[one] + 2}/{one.start + 1}/auto/{one.end + 1}"><bdi>{token_html(one.token, style)}</bdi></span>'
            for one in pieces
        )
        + "</div></div>"
        + _left_out(table, pieces)
    )


def _left_out(table: PieceTable, pieces: Collection[PlacedToken]) -> str:
    if len(pieces) == len(table.pieces):
        return ""
    text = _("{shown} of {all} tokens are drawn")
    return f'<p class="legend"><span>{escape(text.format(shown=count(len(pieces)), all=count(len(table.pieces))))}</span></p>'


def _ruler(snapshot: FewestSnapshot, here: int, style: Style) -> str:
    """The symbols; under them the boundaries, each with the fewest tokens to it, as far as the search has
    come."""
    table = snapshot.table
    letters = "".join(
        f"<b><bdi>{token_html(symbol.removeprefix(table.prefix) if index else symbol, style)}</bdi></b>"
        for index, symbol in enumerate(table.symbols)
    )
    walked = {boundary for one in path_of(snapshot) for boundary in (one.start, one.end)}
    nodes = ""
    for position in range(len(table) + 1):
        reached = position < len(snapshot.reached)
        fewest = snapshot.reached[position] if reached else None
        kind = (
            "now"
            if position == here and snapshot.event.kind == "reach"
            else "path"
            if position in walked
            else ""
            if reached
            else "later"
        )
        nodes += f'<i class="{kind}"><b>{position}</b>{"" if fewest is None else count(fewest)}</i>'
    return letters + nodes


def _state(snapshot: FewestSnapshot, one: PlacedToken) -> str:
    """The search's state of a token, as a class."""
    event, reached = snapshot.event, snapshot.reached
    if event.kind == "uncut":
        return ""
    if event.kind == "path" and one in event.path:
        return "best"
    if one.end >= len(reached):
        return "later"
    before, fewest = reached[one.start], reached[one.end]
    won = before is not None and fewest == before + 1
    if event.kind == "reach" and one.end == event.position:
        return "lit won" if won else "lit"
    return "won" if won else "lost"


def arrivals_html(snapshot: FewestSnapshot, style: Style) -> str:
    """Under the paths: the tokens that lead to the boundary, each with the fewest tokens to its start."""
    event, rows = snapshot.event, ""
    if event.kind != "reach":
        return ""
    for one in event.arrivals:
        before = snapshot.reached[one.start] or 0
        won = before + 1 == event.fewest
        rows += (
            f"<tr{' class=now' if won else ''}><td>{chip(one.token, style)}<td><i>{one.start}</i>{count(before)}"
            f'<td>1<td><b>{count(before + 1)}</b><td><span class="mark">{escape(_("fewest")) if won else ""}</span>'
        )
    title = _("Tokens to boundary {position}").format(position=event.position)
    names = (_("last token"), _("fewest at its start"), _("+ token"), _("= total"), "")
    most = max((len(arriving) for arriving in snapshot.table.arriving), default=0)
    body = table_html(names, rows) if rows else '<p class="why">' + escape(_("None.")) + "</p>"
    return (
        f'<div class="ways" style="--rows:{max(3, min(6, most))}">{heading(title)}'
        f'<div class="pane" data-pane>{body}</div></div>'
    )


def paths_html(table: PieceTable, path: WordCut, style: Style) -> str:
    """All shortest paths, or the first of them; the step's own is marked."""
    paths, number = table.shortest_paths(PATHS_LISTED), table.shortest_count
    if path and path not in paths:
        paths = [*paths[:-1], path]
    title = ngettext("{number} shortest path", "{number} shortest paths", number)
    rows = "".join(
        f'<tr{" class=now" if one == path else ""}><td><span class="pieces">{chips([piece.token for piece in one], style)}</span><td>{count(len(one))}'
        for one in paths
    )
    body = (
        table_html((_("path"), _("tokens")), rows)
        if rows
        else '<p class="why">' + escape(_("None.")) + "</p>"
    )
    return heading(title.format(number=count(number))) + f'<div class="pane paths" data-pane>{body}</div>'
