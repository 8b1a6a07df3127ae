"""A word's pieces as bars to answer a question with: the lattice's picture without any hint at the best
path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from tokenizers_core.encoding.models.lattice import Edge
from tokensteps.drawing.lattice.bars import first_fit
from tokensteps.drawing.tokens import colour, readable, token_html
from tokensteps.language.i18n import _


def board_html(word: str, places: Sequence[tuple[int, int, str]], labels: Mapping[str, str]) -> str:
    """The characters of a word, and over them every piece at each place (start, end, piece), with its words
    in `labels`.

    The shortest pieces are in the first lanes: neither order nor place depends on probabilities.
    """
    edges = [Edge(start, end, piece, 0.0) for start, end, piece in places]
    lane = first_fit(sorted(edges, key=lambda edge: (edge.end - edge.start, edge.start)))
    letters = "".join(f"<b><bdi>{token_html(character)}</bdi></b>" for character in word)
    bars = "".join(bar_html(edge, lane[edge], labels[edge.piece]) for edge in edges)
    return (
        f'<div class="lat"><div class="pane"><div class="grid" role="toolbar" aria-label="{escape(readable(word))}"'
        f' style="--n:{max(1, len(word))};--lanes:{max(lane.values(), default=0) + 1}">'
        f'<div class="ruler" aria-hidden="true">{letters}</div>{bars}</div></div></div>'
    )


def bar_html(edge: Edge, lane: int, label: str) -> str:
    """A piece as a switch over its characters."""
    name = _("{piece} from {start} to {end}: {told}").format(
        piece=readable(edge.piece), start=edge.start, end=edge.end, told=label
    )
    return (
        f'<button type="button" class="e c{colour(edge.piece)}" aria-pressed="false" tabindex="-1" aria-label="{escape(name)}"'
        f' data-start="{edge.start}" data-end="{edge.end}" data-piece="{escape(edge.piece)}"'
        f' style="grid-area:{lane + 2}/{edge.start + 1}/auto/{edge.end + 1}">'
        f"<bdi>{token_html(edge.piece)}</bdi> <small>{escape(label)}</small></button>"
    )
