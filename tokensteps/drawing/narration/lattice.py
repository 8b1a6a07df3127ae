"""Sentences in the search for the best path through a word's lattice: forward, boundary by boundary, then
back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from tokenizers_core.encoding.models.lattice import (
    Edge,
    ForwardEvent,
    Lattice,
    Path,
    ViterbiSnapshot,
    equally_good,
)
from tokensteps.drawing.narration.text_format import Narration, TextFormat
from tokensteps.drawing.tokens import Style, readable
from tokensteps.language.i18n import _, count, ngettext, sentences
from tokensteps.language.numbers import log_text, probability_text, share_text, whole_text

PIECES_READ_OUT: Final = 9
"""The most pieces of a path in a sentence; of a longer path, the ones around the place in question, or the
last ones."""
WAYS_READ_OUT: Final = 4
"""The most ways to a boundary with sums read out."""


def tell_search(snapshot: ViterbiSnapshot, voice: TextFormat) -> Narration:
    """A step of the search, and the reason."""
    event = snapshot.event
    match event.kind:
        case "lattice":
            return tell_lattice(snapshot.lattice, voice)
        case "forward":
            return tell_forward(snapshot, event, voice)
        case "backward":
            return tell_backward(snapshot, event.edge, voice)


def tell_lattice(lattice: Lattice, voice: TextFormat) -> Narration:
    """The question behind the search."""
    word = lattice.text if len(lattice.text) <= 24 else lattice.text[:24] + "…"
    number = lattice.path_count
    lead = voice.say(
        ngettext(
            "{word} can be cut into pieces in {number} way.",
            "{word} can be cut into pieces in {number} ways.",
            number,
        ),
        word=voice.token(word),
        number=voice.strong(whole_text(number)),
    )
    if number > 1:
        lead = sentences(lead, voice.say(_("Which is the most probable?")))
    known = sum(not edge.unknown for edge in lattice.edges)
    positions = ngettext("{number} place where a piece fits", "{number} places where a piece fits", known)
    why = voice.say(
        _("{places}. First, forward: find the best path to each boundary, left to right."),
        places=positions.format(number=count(known)),
    )
    return Narration(lead, why)


def tell_forward(snapshot: ViterbiSnapshot, event: ForwardEvent, voice: TextFormat) -> Narration:
    """The ways to a boundary and the best of them."""
    position, winner = str(event.position), event.winner
    if winner is None:
        if snapshot.lattice.arriving[event.position]:
            lead = _("Boundary {position}: pieces end here, but none starts where a path leads.")
        else:
            lead = _("Boundary {position}: no piece ends here, so no path leads here.")
        end = event.position == len(snapshot.lattice.text)
        why = _("So no sequence of pieces spells the word.") if end else _("Nothing can start here either.")
        return Narration(voice.say(lead, position=voice.strong(position)), voice.say(why))
    lead = voice.say(
        ngettext(
            "Boundary {position} has {number} candidate path: {path}, probability {probability}.",
            "Boundary {position} has {number} candidate paths. Best: {path}, probability {probability}.",
            len(event.arrivals),
        ),
        position=voice.strong(position),
        number=str(len(event.arrivals)),
        path=path_text(way_to(snapshot, event.position), voice),
        probability=voice.strong(probability_text(winner.log_probability)),
    )
    if len(event.tied) > 1:
        message = _("Equally good: ending with {pieces}. The longer last piece was met first, so it is kept.")
        if winner != event.tied[0]:
            message = _("Equally good, apart from rounding: ending with {pieces}.")
        either = _(" or with ").join(voice.token(way.edge.piece) for way in event.tied)
        why = voice.say(message, pieces=either)
    elif len(event.arrivals) == 1:
        why = voice.say(_("There is no choice: the only path here is the best."))
    else:
        why = voice.say(
            _(
                "Each path: the best score at its last piece's start + the piece's own. The highest total is kept."
            )
        )
    return Narration(lead, why)


def tell_backward(snapshot: ViterbiSnapshot, edge: Edge, voice: TextFormat) -> Narration:
    """The piece found on the way back; at the start of the word, the result of the search."""
    if edge.start:
        lead = voice.say(
            _("Back from the end: the best path to {position} ends with {piece}."),
            position=voice.strong(str(edge.end)),
            piece=voice.token(edge.piece),
        )
        why = voice.say(_("That piece starts at boundary {start}: continue there."), start=str(edge.start))
        return Narration(lead, why)
    lattice, path = snapshot.lattice, Path.of(snapshot.path)
    lead = voice.say(
        _("Best segmentation: {path}, probability {probability}."),
        path=path_text(path.pieces, voice),
        probability=voice.strong(probability_text(path.log_probability)),
    )
    why = voice.say(
        ngettext(
            "It is the only segmentation.",
            "{number} segmentations in all; this one has {share} of their probability.",
            lattice.path_count,
        ),
        number=whole_text(lattice.path_count),
        share=voice.strong(share_text(math.exp(path.log_probability - lattice.log_total))),
    )
    others = [other for other in lattice.k_best(3) if equally_good(other, path) and other.edges != path.edges]
    if len(others) == 1 and len(others[0].pieces) <= PIECES_READ_OUT:
        equal = voice.say(_("Equally good: {path}."), path=path_text(others[0].pieces, voice))
        why = sentences(why, equal)
    elif others:
        why = sentences(why, voice.say(_("At least one other is equally good.")))
    return Narration(lead, why)


def way_to(snapshot: ViterbiSnapshot, position: int) -> tuple[str, ...]:
    """The pieces of the best way to a reached boundary."""
    pieces: list[str] = []
    while position and (winner := snapshot.best[position - 1]):
        pieces.append(winner.edge.piece)
        position = winner.edge.start
    return tuple(reversed(pieces))


def tell_sums(snapshot: ViterbiSnapshot, style: Style) -> list[str]:
    """The deciding sums of a forward step, as in the table of ways, for screen readers."""
    arrivals = snapshot.event.arrivals if snapshot.event.kind == "forward" else ()
    if len(arrivals) < 2:
        return []
    return [
        _("{piece} from {start}: {before} + {own} = {total}.").format(
            piece=readable(way.edge.piece, style),
            start=way.edge.start,
            before=log_text(way.before),
            own=log_text(way.edge.log_probability),
            total=log_text(way.log_probability),
        )
        for way in arrivals[:WAYS_READ_OUT]
    ]


def path_text(
    pieces: Sequence[str], voice: TextFormat, around: int | None = None, room: int = PIECES_READ_OUT
) -> str:
    """A path's pieces; of a long path, only some around one of them, or the last ones."""
    first = len(pieces) if around is None else around - room // 2
    first = max(0, min(first, len(pieces) - room))
    shown = [voice.token(piece) for piece in pieces[first : first + room]]
    return " · ".join(["…"] * (first > 0) + shown + ["…"] * (first + room < len(pieces)))
