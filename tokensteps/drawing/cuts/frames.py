"""Snapshot → frame while a word is cut by a vocabulary alone, for every way without another frame."""

from __future__ import annotations

from html import escape
from typing import Final

from tokenizers_core.encoding.cuts.steps import CutSnapshot
from tokenizers_core.encoding.cuts.table import PieceTable
from tokensteps.drawing.encoding import large_word
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.narration.cuts import tell_cut
from tokensteps.drawing.narration.text_format import Marked, Plain
from tokensteps.drawing.stage_markup import (
    CANDIDATE_ROWS,
    heading,
    more_html,
    stage_html,
    start_label,
    table_html,
    token_count,
)
from tokensteps.drawing.tokens import Style, chip, chips, token_html
from tokensteps.language.i18n import _, count
from tokensteps.language.marks import first_marks

FITTING_SHOWN: Final = 60
"""The most tokens of a word in a frame."""


def cut_frame(snapshot: CutSnapshot, way: str, style: Style) -> Frame:
    """The frame of one token taken."""
    event, status = snapshot.event, token_count(len(snapshot.taken))
    label = escape(start_label())
    match event.kind:
        case "take":
            label = token_html(event.piece.token, style)
        case "stuck":
            label = "✗"
    html = stage_html(
        tell_cut(snapshot, way, Marked(style)),
        heading(_("Found so far"), status) + large_word(word_so_far(snapshot, style)),
        options_html(snapshot, style),
    )
    return Frame(first_marks(html), tell_cut(snapshot, way, Plain(style)), label, status)


def options_html(snapshot: CutSnapshot, style: Style) -> str:
    """The step's options; at the beginning, and for a sample, all tokens that fit somewhere in the word."""
    event, table = snapshot.event, snapshot.table
    if event.kind == "take" and event.options:
        rows = "".join(
            f"<tr{' class=now' if one == event.piece else ''}><td>{chip(one.token, style)}<td>{count(one.size)}"
            for one in event.options[:CANDIDATE_ROWS]
        )
        return heading(_("Tokens that fit here, in order")) + table_html((_("token"), _("symbols")), rows)
    known = list(dict.fromkeys(one.token for one in table.by_size))
    return (
        heading(_("Tokens that fit in this word"), count(len(known)))
        + f'<div class="ts">{chips(known[:FITTING_SHOWN], style)}</div>'
        + more_html(max(0, len(known) - FITTING_SHOWN))
    )


def word_so_far(snapshot: CutSnapshot, style: Style) -> str:
    """The word: the tokens taken so far as chips, the last one lit, and the remaining text between them."""
    event, shown, position = snapshot.event, "", 0
    for one in snapshot.taken:
        shown += rest_html(snapshot.table, position, one.start, style)
        shown += chip(one.token, style, "hot" if event.kind == "take" and one == event.piece else "")
        position = one.end
    return shown + rest_html(snapshot.table, position, len(snapshot.table), style)


def rest_html(table: PieceTable, start: int, end: int, style: Style) -> str:
    """An uncut stretch of a word; nothing for none."""
    bare = "".join(
        symbol.removeprefix(table.prefix) if index else symbol
        for index, symbol in enumerate(table.symbols[start:end], start)
    )
    return f'<bdi class="rest">{token_html(bare, style)}</bdi>' if bare else ""
