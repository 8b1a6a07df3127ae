"""Snapshot → frame while one word is encoded: by BPE's merges, or by WordPiece's longest match."""

from __future__ import annotations

from html import escape

from tokenizers_core.encoding.models.bpe import EncodingSnapshot
from tokenizers_core.encoding.models.wordpiece import MatchEvent, MatchSnapshot
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.narration.encoding import tell_encoding, tell_match
from tokensteps.drawing.narration.text_format import Marked, Plain
from tokensteps.drawing.stage_markup import (
    CANDIDATE_ROWS,
    heading,
    stage_html,
    start_label,
    table_html,
    token_count,
)
from tokensteps.drawing.tokens import Style, chip, chips, pair_chips, removed_label, token_html
from tokensteps.language.i18n import _, count
from tokensteps.language.marks import first_marks


def encoding_frame(snapshot: EncodingSnapshot, style: Style, by_rank: bool = False) -> Frame:
    """The frame of one step of encoding a word with learned merges; `by_rank` names them by their ranks, from
    0."""
    event, status = snapshot.event, token_count(len(snapshot.tokens))
    rows = "".join(
        f"<tr{' class=now' if index == 0 else ''}><td>{pair_chips(pair, style)}"
        f"<td>{count(rank) if by_rank else snapshot.learned_in(rank)}"
        for index, (pair, rank) in enumerate(snapshot.options[:CANDIDATE_ROWS])
    )
    nothing = '<p class="why">' + escape(_("No learned pair is left: the word is encoded.")) + "</p>"
    html = stage_html(
        tell_encoding(snapshot, Marked(style), by_rank),
        heading(_("The word"), status) + large_word(chips(snapshot.tokens, style)),
        heading(_("Learned pairs in it"))
        + (
            table_html((_("pair"), _("rank") if by_rank else _("learned in step")), rows) if rows else nothing
        ),
    )
    match event.kind:
        case "split":
            label = escape(start_label())
        case "apply":
            label = token_html(event.token, style)
        case "undo":
            label = removed_label(event.token, style)
    return Frame(first_marks(html), tell_encoding(snapshot, Plain(style), by_rank), label, status)


def match_frame(snapshot: MatchSnapshot, style: Style) -> Frame:
    """The frame of one try of WordPiece's encoding: the longest token at the start of the word's rest."""
    event, status = snapshot.event, token_count(len(snapshot.tokens))
    rest = f'<bdi class="rest">{token_html(snapshot.rest, style)}</bdi>' if snapshot.rest else ""
    tries, label = "", escape(start_label())
    match event.kind:
        case "match":
            tries = try_rows(event, snapshot, style)
            label = f"{'✓' if event.found else '–'} {token_html(event.piece, style)}"
        case "unknown":
            label = token_html(snapshot.tokens[0], style)
    html = stage_html(
        tell_match(snapshot, Marked(style)),
        heading(_("Found so far"), status) + large_word(chips(snapshot.tokens, style) + rest),
        heading(_("Tried here, longest first")) + tries,
    )
    return Frame(first_marks(html), tell_match(snapshot, Plain(style)), label, status)


def large_word(shown: str) -> str:
    """The word to encode."""
    return f'<div class="w big"><span class="ts">{shown}</span></div>'


def try_rows(event: MatchEvent, snapshot: MatchSnapshot, style: Style) -> str:
    """The last tries from this place in the word, the newest at the bottom."""
    tried = event.end - event.start
    prefix = event.piece[: len(event.piece) - tried]
    rest = snapshot.rest if event.found else snapshot.rest[tried:]
    text = event.piece[len(prefix) :] + rest
    rows = []
    for length in range(len(text), tried - 1, -1)[-CANDIDATE_ROWS:]:
        now = length == tried
        answer = _("in the vocabulary") if now and event.found else _("not in the vocabulary")
        rows.append(
            f"<tr{' class=now' if now else ''}><td>{chip(prefix + text[:length], style)}<td>{escape(answer)}"
        )
    return f"<table>{''.join(rows)}</table>"
