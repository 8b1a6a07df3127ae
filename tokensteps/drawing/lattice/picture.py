"""The picture of a lattice: characters and boundaries on a ruler, and an edge for each piece, drawn as a bar
over its characters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Final

from tokenizers_core.encoding.models.lattice import Edge, Lattice, ViterbiSnapshot
from tokensteps.drawing.lattice.bars import ROOMY_LANES, Bar, bars_of, is_long
from tokensteps.drawing.lattice.facts import edge_sentence
from tokensteps.drawing.lattice.search import boundary_of, edge_of, score_at, state_of
from tokensteps.drawing.narration.text_format import Plain
from tokensteps.drawing.stage_markup import heading
from tokensteps.drawing.tokens import Style, colour, readable, token_html
from tokensteps.language.i18n import N_, _, count, listed, ngettext
from tokensteps.language.marks import marked
from tokensteps.language.numbers import log_text, whole_text

MARKS: Final[Mapping[str, str]] = {
    "best": N_("on the best path"),
    "won": N_("best last piece at a boundary"),
    "tie": N_("equally good"),
}
"""A bar's class → its meaning for screen readers."""


def picture(snapshot: ViterbiSnapshot, style: Style) -> str:
    """The word, its boundaries, and every piece as a bar over its characters."""
    lattice, bars = snapshot.lattice, bars_of(snapshot.lattice)
    number = max((bar.lane for bar in bars), default=0) + 1
    kind = "grid" + " walk" * (snapshot.event.kind == "backward") + " dense" * (number > ROOMY_LANES)
    here, result = boundary_of(snapshot), edge_of(snapshot)
    return (
        heading(_("Pieces over the characters they spell"), segmentation_count(lattice))
        + f'<div class="pane" data-pane><div class="{kind}" role="group" aria-label="{escape(readable(lattice.text, style))}"'
        + f' style="--n:{max(1, len(lattice.text))};--lanes:{number}">'
        + f'<div class="ruler" aria-hidden="true">{ruler(snapshot, here, style)}</div>'  # the table says the same
        + f'<i class="at{"" if here else " zero"}" data-here style="grid-column:{max(1, here)}"></i>'
        + joints(snapshot.path, bars)
        + "".join(
            bar_button(number, bar, state_of(snapshot, bar.edge), bar.edge == result, is_long(lattice), style)
            for number, bar in enumerate(bars)
        )
        + f"</div></div>{legend(lattice, bars)}"
    )


def bar_button(number: int, bar: Bar, classes: str, here: bool, brief: bool, style: Style) -> str:
    """An edge as a button over its characters."""
    edge = bar.edge
    area = f"grid-area:{bar.lane + 2}/{edge.start + 1}/auto/{edge.end + 1}"
    share = f";--p:{bar.posterior:.2f}" if bar.posterior >= 0.005 else ""
    return (
        f'<button class="e c{colour(edge.piece)} {classes}" data-pick={number} data-of="{bar.members}"'
        f'{" data-here" if here else ""} style="{area}{share}" aria-label="{escape(bar_name(bar, classes, brief, style))}"><bdi>{token_html(edge.piece, style)}</bdi>'
        f" <small>{log_text(edge.log_probability, 2)}</small></button>"
    )


def bar_name(bar: Bar, classes: str, brief: bool, style: Style) -> str:
    """A bar's text for screen readers: its numbers and marks; `brief` for a long word with too many bars for
    sentences."""
    known = classes.split()
    text = edge_sentence(bar, Plain(style))
    if brief:
        text = f"{readable(bar.edge.piece, style)} {bar.edge.start}–{bar.edge.end}"
    return listed([text, *(_(meaning) for mark, meaning in MARKS.items() if mark in known)])


def ruler(snapshot: ViterbiSnapshot, here: int, style: Style) -> str:
    """The characters; under them the boundaries, each with the best score so far."""
    letters = "".join(
        f"<b><bdi>{token_html(character, style)}</bdi></b>" for character in snapshot.lattice.text
    )
    walked = {boundary for edge in snapshot.path for boundary in (edge.start, edge.end)}
    nodes = ""
    for position in range(len(snapshot.lattice.text) + 1):
        reached = position <= len(snapshot.best)
        score = score_at(snapshot, position) if reached else None
        kind = "now" if position == here else "path" if position in walked else "" if reached else "later"
        nodes += f'<i class="{kind}"><b>{position}</b>{"" if score is None else log_text(score, 1 if score <= -10 else 2)}</i>'
    return letters + nodes


def joints(path: Sequence[Edge], bars: Sequence[Bar]) -> str:
    """Where the best path changes lanes."""
    lane = {bar.edge: bar.lane for bar in bars}
    result = ""
    for edge, following in pairwise(path):
        first, last = sorted((lane[edge], lane[following]))
        result += f'<i class="joint" style="grid-area:{first + 2}/{edge.end}/{last + 3}"></i>'
    return result


def legend(lattice: Lattice, bars: Sequence[Bar]) -> str:
    """The meaning of the marks."""
    marks = [
        ("won", _("best last piece at a boundary")),
        ("tie", _("equally good")),
        ("rule", _("posterior: share of all segmentations' probability")),
    ]
    if max((bar.lane for bar in bars), default=0) >= ROOMY_LANES:
        marks.append(("near", _("larger posteriors are closer to the word")))
    if any(edge.unknown for edge in lattice.edges):
        marks.append(("unk", _("unknown character")))
    if len(bars) < len(lattice.edges):
        text = _("{shown} of {all} bars are shown; the others are too improbable")
        marks.append(("few", text.format(shown=count(len(bars)), all=count(len(lattice.edges)))))
    return f'<p class="legend">{"".join(f"<span class={name}>{marked(text)}</span>" for name, text in marks)}</p>'


def segmentation_count(lattice: Lattice) -> str:
    """How many segmentations the word has."""
    number = lattice.path_count
    return ngettext("{number} segmentation", "{number} segmentations", number).format(
        number=whole_text(number)
    )
