"""The facts about each edge of a lattice: its own numbers, the best path through it, and the cost of forcing
that path."""

from __future__ import annotations

from html import escape
from typing import Final

from tokenizers_core.encoding.models.lattice import Lattice, Path, equally_good
from tokensteps.bounded import bounded, text_bytes
from tokensteps.drawing.lattice.bars import Bar, bars_of, is_long
from tokensteps.drawing.narration.lattice import path_text
from tokensteps.drawing.narration.text_format import Bare, Markup, TextFormat
from tokensteps.drawing.stage_markup import table_html
from tokensteps.drawing.tokens import Style, token_html
from tokensteps.language.i18n import _
from tokensteps.language.marks import unmarked
from tokensteps.language.numbers import cost_text, log_text, probability_text, share_text, times_text
from tokensteps.limits import EDGE_SIZE, LATTICES_ROOM

PIECES_IN_ROW: Final = 5
"""The most pieces of a path in a row of the table of a long word."""


def _facts_size(facts: str, lattice: Lattice, *_manner: object) -> int:
    return text_bytes(facts) + EDGE_SIZE * len(lattice.edges)


@bounded(LATTICES_ROOM, _facts_size)
def edge_facts(lattice: Lattice, style: Style, language: str) -> str:  # noqa: ARG001 - `_` uses the language
    """The facts about each edge while it is pointed at or forced: in sentences, or for a long word in a
    table's row."""
    text = _(
        "Point at a piece to see its numbers. Select it to force the path through it; select it again to release."
    )
    bars, best = bars_of(lattice), lattice.best()
    if is_long(lattice):
        names = (
            _("piece"),
            _("from, to"),
            _("probability"),
            _("log"),
            _("posterior"),
            _("best path through it"),
            _("its log"),
            _("extra cost, in nats"),
            _("less probable"),
        )
        each = unmarked(
            table_html(names, "".join(edge_row(number, bar, best, style) for number, bar in enumerate(bars)))
        )
    else:
        each = "".join(
            f"<div data-of={number}><p>{edge_sentence(bar, Markup(style))}</p><p>{path_sentence(bar, best, Markup(style))}</p></div>"
            for number, bar in enumerate(bars)
        )
    return f'<div class="facts" aria-live="polite"><p class="hint">{escape(text)}</p>{each}</div>'


def edge_sentence(bar: Bar, voice: TextFormat) -> str:
    """An edge's own numbers."""
    message = _("{piece} from {start} to {end}: probability {probability}, log {log}; posterior {share}")
    if bar.edge.unknown:
        message = _("{piece} from {start} to {end} is an unknown character: log {log}; posterior {share}")
    return voice.say(
        message,
        piece=voice.token(bar.edge.piece),
        start=str(bar.edge.start),
        end=str(bar.edge.end),
        probability=voice.strong(probability_text(bar.edge.log_probability)),
        log=voice.strong(log_text(bar.edge.log_probability)),
        share=voice.strong(share_text(bar.posterior)),
    )


def path_sentence(bar: Bar, best: Path | None, voice: TextFormat) -> str:
    """The best path through an edge, and how much worse it is than the best path of all."""
    if bar.through is None or best is None:
        return voice.say(_("No path from start to end goes through it."))
    if bar.edge in best.edges:
        return voice.say(_("It is on the best path: forcing it costs nothing."))
    if equally_good(bar.through, best):
        message = _("Best path through {piece}: {path}, log probability {log}; costs nothing: equally good.")
    else:
        message = _(
            "Best path through {piece}: {path}, log probability {log}; costs {cost} nats more than the best one "
            "({times} times less probable)."
        )
    cost = best.log_probability - bar.through.log_probability
    return voice.say(
        message,
        piece=voice.token(bar.edge.piece),
        path=path_text(bar.through.pieces, voice, bar.through.edges.index(bar.edge)),
        log=log_text(bar.through.log_probability),
        cost=voice.strong(cost_text(cost)),
        times=times_text(cost),
    )


def edge_row(number: int, bar: Bar, best: Path | None, style: Style) -> str:
    """An edge's numbers and its best path as a row of a table."""
    edge = bar.edge
    row = (
        f"<tr data-of={number}><td><bdi>{token_html(edge.piece, style)}</bdi><td>{edge.start}, {edge.end}"
        f"<td>{'–' if edge.unknown else probability_text(edge.log_probability)}"
        f"<td>{log_text(edge.log_probability)}<td>{escape(share_text(bar.posterior))}"
    )
    if bar.through is None or best is None:
        return row + "<td>" + escape(_("none"))
    cost = best.log_probability - bar.through.log_probability
    path = path_text(bar.through.pieces, Bare(style), bar.through.edges.index(edge), PIECES_IN_ROW)
    if edge in best.edges or equally_good(bar.through, best):
        word = _("on the best path") if edge in best.edges else _("equally good")
        return f"{row}<td>{path}<td>{log_text(bar.through.log_probability)}<td>0<td>{escape(word)}"
    return f"{row}<td>{path}<td>{log_text(bar.through.log_probability)}<td>{cost_text(cost)}<td>{times_text(cost)} ×"
