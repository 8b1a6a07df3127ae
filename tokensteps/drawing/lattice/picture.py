"""Snapshot → frame for a word's lattice: the search for its best segmentation.

The pieces are bars over the characters they spell, in lanes; the boundaries between the characters are numbered nodes.
A frame is a pure function of its snapshot, the style and the language in use. Choosing a bar is done in the browser: what
belongs to the best path through edge 3 has a 3 in its `data-of`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from html import escape
from itertools import pairwise
from typing import NamedTuple, cast

from tokenizers_core.training.lattice import (
    Arrival,
    Edge,
    ForwardEvent,
    Lattice,
    Path,
    ViterbiSnapshot,
    equally_good,
)
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.tokens import Style, chip, chips, colour, readable, token_html
from tokensteps.drawing.training.merging import Marked, Markup, Plain, Voice, heading, table_html
from tokensteps.language.glossary import marked, once, unmarked
from tokensteps.language.i18n import N_, _, count, current_language, listed, ngettext, sentences
from tokensteps.language.numbers import (
    cost_text,
    log_text,
    probability_text,
    share_text,
    times_text,
    whole_text,
)

LATTICE_CHARACTERS = 60
"""Characters of a word that are drawn; a longer one is cut, and the cut is said."""
SIDE_BY_SIDE = 9
"""Characters of the longest word whose lattice and table stand side by side."""
PIECES_TOLD = 9
"""Pieces of a path that are told; of a longer one, those around the place in question, or the last ones."""
PIECES_IN_ROW = 5
"""The same, in a table of a long word."""
BARS_DRAWN = 200
"""Of more edges, the ones that matter are drawn, and that is said."""
ROOMY_LANES = 5
"""With more lanes than these, the bars are lower."""
MARKS = {
    "best": N_("on the best path"),
    "won": N_("best last piece of a boundary"),
    "tie": N_("equally good"),
}
"""What is known of a bar: its class → what is told."""
WAYS_TOLD = 4
"""Ways to a boundary whose sums are read out."""
WAYS_SHOWN = 6
"""Ways to a boundary that have room without scrolling."""


# --- what a lattice's frames have in common ---------------------------------------------------------------------------


class Bar(NamedTuple):
    """An edge as it is drawn: what is the same in every frame."""

    edge: Edge
    lane: int
    posterior: float
    through: Path | None
    """The best path through the edge."""
    members: str
    """The edges in whose best paths this one is, by number."""


@lru_cache(maxsize=32)
def bars_of(lattice: Lattice) -> tuple[Bar, ...]:
    """The edges to draw, in the lattice's order.

    When there are too many: single characters, what is best somewhere, and the others with the largest posteriors.
    """
    posteriors = dict(zip(lattice.edges, lattice.posteriors(), strict=True))
    edges = lattice.edges
    if len(edges) > BARS_DRAWN:
        kept = {winner.edge for winner in lattice.winners if winner}
        kept |= {edge for edge in edges if edge.end - edge.start == 1}
        likely = sorted(set(edges) - kept, key=lambda edge: (-posteriors[edge], edge))
        shown = kept.union(likely[: max(0, BARS_DRAWN - len(kept))])
        edges = tuple(edge for edge in edges if edge in shown)
    through = [lattice.best_through(edge) for edge in edges]
    members: dict[Edge, list[str]] = {edge: [] for edge in edges}
    for number, (edge, path) in enumerate(zip(edges, through, strict=True)):
        for member in (edge,) if path is None else path.edges:
            if member in members:
                members[member].append(str(number))
    return tuple(
        Bar(edge, lane, posteriors[edge], path, " ".join(members[edge]))
        for edge, lane, path in zip(edges, lanes(edges, posteriors), through, strict=True)
    )


def lanes(edges: Sequence[Edge], posteriors: Mapping[Edge, float]) -> tuple[int, ...]:
    """A lane for each edge in which no other one is in its way: single characters in the first, then by length.

    Where that takes too many lanes, those with the largest posteriors come first.

    >>> spans = [(0, 1), (0, 2), (1, 2), (2, 3), (2, 4), (3, 5), (2, 5)]
    >>> lanes([Edge(start, end, "", 0.0) for start, end in spans], {})
    (0, 1, 0, 0, 1, 2, 3)
    """
    by_length = sorted(edges, key=lambda edge: (edge.end - edge.start, edge.start))
    lane = packed(by_length)
    if max(lane.values(), default=0) >= ROOMY_LANES:
        lane = packed(sorted(by_length, key=lambda edge: -posteriors[edge]))
    return tuple(lane[edge] for edge in edges)


def packed(edges: Iterable[Edge]) -> dict[Edge, int]:
    """Each edge in the first lane that has room for it, longer ones than a character not in the very first."""
    taken: list[list[Edge]] = [[]]
    lane = {}
    for edge in edges:
        place = 0 if edge.end - edge.start == 1 else 1
        while place < len(taken) and any(
            edge.start < other.end and other.start < edge.end for other in taken[place]
        ):
            place += 1
        if place >= len(taken):
            taken.append([])
        taken[place].append(edge)
        lane[edge] = place
    return lane


@lru_cache(maxsize=32)
def facts(lattice: Lattice, style: Style, language: str) -> str:  # noqa: ARG001 - the language is what `_` speaks
    """What is told about each edge while it is pointed at or forced: in sentences, or for a long word in a row."""
    told = _(
        "Point at a piece to see its numbers. Choose it to force the path through it; again to release it."
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
            _("costs, in nats"),
            _("less probable"),
        )
        each = unmarked(
            table_html(names, "".join(fact_row(number, bar, best, style) for number, bar in enumerate(bars)))
        )
    else:
        each = "".join(
            f"<div data-of={number}><p>{fact_of_piece(bar, style)}</p><p>{fact_of_path(bar, best, Markup(style))}</p></div>"
            for number, bar in enumerate(bars)
        )
    return f'<div class="facts" aria-live="polite"><p class="hint">{escape(told)}</p>{each}</div>'


def is_long(lattice: Lattice) -> bool:
    """Whether the lattice needs the whole width, and a short way to tell about its many edges."""
    return len(lattice.text) > SIDE_BY_SIDE


def fact_of_piece(bar: Bar, style: Style) -> str:
    """An edge's own numbers, as markup."""
    return piece_told(bar, Markup(style))


def piece_told(bar: Bar, voice: Voice) -> str:
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


def fact_of_path(bar: Bar, best: Path | None, voice: Voice) -> str:
    """The best path through an edge, and what it costs compared with the best of all."""
    if bar.through is None or best is None:
        return voice.say(_("No path from the start to the end leads through it."))
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


def fact_row(number: int, bar: Bar, best: Path | None, style: Style) -> str:
    """The same as a row of a table."""
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


class Bare(Markup):
    """Tokens without a chip around them."""

    def token(self, token: str) -> str:
        return f"<bdi>{token_html(token, self.style)}</bdi>"


def path_text(pieces: Sequence[str], voice: Voice, around: int | None = None, room: int = PIECES_TOLD) -> str:
    """A path's pieces; of a long path, those around one of them, or the last ones."""
    first = len(pieces) if around is None else around - room // 2
    first = max(0, min(first, len(pieces) - room))
    shown = [voice.token(piece) for piece in pieces[first : first + room]]
    return " · ".join(["…"] * (first > 0) + shown + ["…"] * (first + room < len(pieces)))


# --- snapshot → frame -------------------------------------------------------------------------------------------------


def lattice_frame(snapshot: ViterbiSnapshot, style: Style) -> Frame:
    """The frame of one step of the search for the best path."""
    lead, why = tell(snapshot, Marked(style))
    layout = "lat long" if is_long(snapshot.lattice) else "lat"
    html = (
        f'<div class="say brief"><p>{lead}</p><p class="why">{why}</p></div><div class="{layout}">'
        f"<section>{picture(snapshot, style)}{facts(snapshot.lattice, style, current_language())}</section>"
        f"<section><div>{best_scores(snapshot, style)}</div>{panel(snapshot, style)}</section></div>"
    )
    spoken = sentences(*tell(snapshot, Plain(style)), *sums_told(snapshot, style))
    return Frame(once(html), spoken, label(snapshot, style), status(snapshot))


def sums_told(snapshot: ViterbiSnapshot, style: Style) -> list[str]:
    """The sums that stand in the table of ways, for those who listen: they decide a forward step."""
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
        for way in arrivals[:WAYS_TOLD]
    ]


def label(snapshot: ViterbiSnapshot, style: Style) -> str:
    """The step's entry in the timeline: the boundary reached, or the piece found on the way back."""
    event = snapshot.event
    if event.kind == "forward":
        return f"→ {event.position}"
    if event.kind == "backward":
        return f"← {token_html(event.edge.piece, style)}"
    return escape(_("Start"))


def status(snapshot: ViterbiSnapshot) -> str:
    """How far the search has come."""
    lattice, event = snapshot.lattice, snapshot.event
    if event.kind == "forward":
        return _("boundary {position} of {last}").format(position=event.position, last=len(lattice.text))
    if event.kind == "backward":
        return ngettext("{number} piece found", "{number} pieces found", len(snapshot.path)).format(
            number=len(snapshot.path)
        )
    return segmentation_count(lattice)


def segmentation_count(lattice: Lattice) -> str:
    number = lattice.path_count
    return ngettext("{number} segmentation", "{number} segmentations", number).format(
        number=whole_text(number)
    )


def tell(snapshot: ViterbiSnapshot, voice: Voice) -> tuple[str, str]:
    """What happens in this step, and why."""
    if snapshot.event.kind == "forward":
        return tell_forward(snapshot, snapshot.event, voice)
    if snapshot.event.kind == "backward":
        return tell_backward(snapshot, snapshot.event.edge, voice)
    lattice = snapshot.lattice
    word = lattice.text if len(lattice.text) <= 24 else lattice.text[:24] + "…"
    number = lattice.path_count
    lead = voice.say(
        ngettext(
            "{word} can be cut into pieces in {number} way.",
            "{word} can be cut into pieces in {number} ways. Which is the most probable?",
            number,
        ),
        word=voice.token(word),
        number=voice.strong(whole_text(number)),
    )
    known = sum(not edge.unknown for edge in lattice.edges)
    places = ngettext("{number} place where a piece fits", "{number} places where a piece fits", known)
    why = voice.say(
        _("{places}. First forward: from left to right, the best way to each boundary."),
        places=places.format(number=count(known)),
    )
    return lead, why


def tell_forward(snapshot: ViterbiSnapshot, event: ForwardEvent, voice: Voice) -> tuple[str, str]:
    """The ways to a boundary and the best of them."""
    position, winner = str(event.position), event.winner
    if winner is None:
        if snapshot.lattice.arriving[event.position]:
            lead = _("Boundary {position}: pieces end here, but none starts where a way leads.")
        else:
            lead = _("Boundary {position}: no piece ends here, so no way leads here.")
        end = event.position == len(snapshot.lattice.text)
        why = _("So no sequence of pieces spells the word.") if end else _("Nothing can start here, either.")
        return voice.say(lead, position=voice.strong(position)), voice.say(why)
    lead = voice.say(
        ngettext(
            "Boundary {position}: {number} way leads here: {path}, probability {probability}.",
            "Boundary {position}: {number} ways lead here. Best: {path}, probability {probability}.",
            len(event.arrivals),
        ),
        position=voice.strong(position),
        number=str(len(event.arrivals)),
        path=path_text(way_to(snapshot, event.position), voice),
        probability=voice.strong(probability_text(winner.log_probability)),
    )
    if len(event.tied) > 1:
        message = _("Equally good: ending with {pieces}. The longer last piece was met first and stays.")
        if winner != event.tied[0]:
            message = _("Equally good, but for rounding: ending with {pieces}.")
        either = _(" or with ").join(voice.token(way.edge.piece) for way in event.tied)
        why = voice.say(message, pieces=either)
    elif len(event.arrivals) == 1:
        why = voice.say(_("There is nothing to choose: this way is the best one to here."))
    else:
        why = voice.say(
            _(
                "Each way: the best score at its last piece's start + that piece's own. The highest total stays."
            )
        )
    return lead, why


def tell_backward(snapshot: ViterbiSnapshot, edge: Edge, voice: Voice) -> tuple[str, str]:
    """The piece found on the way back; at the start of the word, the result."""
    if edge.start:
        lead = voice.say(
            _("From the end back: the best way to {position} ends with {piece}."),
            position=voice.strong(str(edge.end)),
            piece=voice.token(edge.piece),
        )
        return lead, voice.say(_("That piece starts at boundary {start}: look there."), start=str(edge.start))
    lattice, path = snapshot.lattice, Path.of(snapshot.path)
    lead = voice.say(
        _("Best segmentation: {path}, probability {probability}."),
        path=path_text(path.pieces, voice),
        probability=voice.strong(probability_text(path.log_probability)),
    )
    why = voice.say(
        ngettext(
            "It is the only segmentation.",
            "{number} segmentations in all; this one holds {share} of their probability.",
            lattice.path_count,
        ),
        number=whole_text(lattice.path_count),
        share=voice.strong(share_text(math.exp(path.log_probability - lattice.log_total))),
    )
    others = [other for other in lattice.k_best(3) if equally_good(other, path) and other.edges != path.edges]
    if len(others) == 1 and len(others[0].pieces) <= PIECES_TOLD:
        equal = voice.say(_("Equally good: {path}."), path=path_text(others[0].pieces, voice))
        why = sentences(why, equal)
    elif others:
        why = sentences(why, voice.say(_("It is not the only one as good as that.")))
    return lead, why


def way_to(snapshot: ViterbiSnapshot, position: int) -> tuple[str, ...]:
    """The pieces of the best way to a boundary that was reached."""
    pieces: list[str] = []
    while position:
        winner = cast(Arrival, snapshot.best[position - 1])
        pieces.append(winner.edge.piece)
        position = winner.edge.start
    return tuple(reversed(pieces))


# --- the picture ------------------------------------------------------------------------------------------------------


def picture(snapshot: ViterbiSnapshot, style: Style) -> str:
    """The word, its boundaries, and every piece as a bar over its characters."""
    lattice, bars = snapshot.lattice, bars_of(snapshot.lattice)
    number = max((bar.lane for bar in bars), default=0) + 1
    kind = "grid" + " walk" * (snapshot.event.kind == "backward") + " dense" * (number > ROOMY_LANES)
    here, found = place_of(snapshot), edge_of(snapshot)
    return (
        heading(_("Pieces over the characters they spell"), segmentation_count(lattice))
        + f'<div class="pane" data-pane><div class="{kind}" role="group" aria-label="{escape(readable(lattice.text, style))}"'
        + f' style="--n:{max(1, len(lattice.text))};--lanes:{number}">'
        + f'<div class="ruler" aria-hidden="true">{ruler(snapshot, here, style)}</div>'  # the table has the same
        + f'<i class="at{"" if here else " zero"}" data-here style="grid-column:{max(1, here)}"></i>'
        + joints(snapshot.path, bars)
        + "".join(
            bar_button(number, bar, state(snapshot, bar.edge), bar.edge == found, is_long(lattice), style)
            for number, bar in enumerate(bars)
        )
        + f"</div></div>{legend(lattice, bars)}"
    )


def bar_button(number: int, bar: Bar, classes: str, found: bool, brief: bool, style: Style) -> str:
    """An edge as a button over its characters."""
    edge = bar.edge
    area = f"grid-area:{bar.lane + 2}/{edge.start + 1}/auto/{edge.end + 1}"
    share = f";--p:{bar.posterior:.2f}" if bar.posterior >= 0.005 else ""
    return (
        f'<button class="e c{colour(edge.piece)} {classes}" data-pick={number} data-of="{bar.members}"'
        f'{" data-here" if found else ""} style="{area}{share}" aria-label="{escape(bar_name(bar, classes, brief, style))}"><bdi>{token_html(edge.piece, style)}</bdi>'
        f" <small>{log_text(edge.log_probability, 2)}</small></button>"
    )


def bar_name(bar: Bar, classes: str, brief: bool, style: Style) -> str:
    """What a bar is for those who don't see where it lies and how it is drawn; a long word has too many for sentences."""
    known = classes.split()
    told = piece_told(bar, Plain(style))
    if brief:
        told = f"{readable(bar.edge.piece, style)} {bar.edge.start}–{bar.edge.end}"
    return listed([told, *(_(meaning) for mark, meaning in MARKS.items() if mark in known)])


def place_of(snapshot: ViterbiSnapshot) -> int:
    """The boundary that the step is at."""
    event = snapshot.event
    if event.kind == "forward":
        return event.position
    return event.edge.start if event.kind == "backward" else 0


def edge_of(snapshot: ViterbiSnapshot) -> Edge | None:
    """The edge that the step found."""
    if snapshot.event.kind == "backward":
        return snapshot.event.edge
    winner = snapshot.event.winner if snapshot.event.kind == "forward" else None
    return winner.edge if winner else None


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


def score_at(snapshot: ViterbiSnapshot, position: int) -> float | None:
    """The best log probability at a boundary that was reached; None where no way leads."""
    if not position:
        return 0.0
    winner = snapshot.best[position - 1]
    return None if winner is None else winner.log_probability


def joints(path: Sequence[Edge], bars: Sequence[Bar]) -> str:
    """Where the best path changes lanes."""
    lane = {bar.edge: bar.lane for bar in bars}
    found = ""
    for edge, following in pairwise(path):
        first, last = sorted((lane[edge], lane[following]))
        found += f'<i class="joint" style="grid-area:{first + 2}/{edge.end}/{last + 3}"></i>'
    return found


def state(snapshot: ViterbiSnapshot, edge: Edge) -> str:
    """What the search knows of an edge, as classes."""
    event, reached = snapshot.event, len(snapshot.best)
    unknown = "unk " if edge.unknown else ""
    if edge in snapshot.path:
        return unknown + "best"
    if event.kind == "lattice":
        return unknown.strip()
    if edge.end > reached:
        return unknown + "later"
    winner = snapshot.best[edge.end - 1]
    won = winner is not None and winner.edge == edge
    if event.kind == "forward" and edge.end == reached:
        tied = any(way.edge == edge for way in event.tied)
        return unknown + ("lit won" if won else "lit tie" if tied else "lit")
    return unknown + ("won" if won else "lost")


def legend(lattice: Lattice, bars: Sequence[Bar]) -> str:
    """What the marks mean."""
    marks = [
        ("won", _("best last piece of a boundary")),
        ("tie", _("equally good")),
        ("rule", _("posterior: the share of all segmentations' probability")),
    ]
    if max((bar.lane for bar in bars), default=0) >= ROOMY_LANES:
        marks.append(("near", _("the larger, the closer to the word")))
    if any(edge.unknown for edge in lattice.edges):
        marks.append(("unk", _("unknown character")))
    if len(bars) < len(lattice.edges):
        told = _("{shown} of {all} bars are drawn, the others are too improbable")
        marks.append(("few", told.format(shown=count(len(bars)), all=count(len(lattice.edges)))))
    return f'<p class="legend">{"".join(f"<span class={name}>{marked(told)}</span>" for name, told in marks)}</p>'


# --- the table --------------------------------------------------------------------------------------------------------


def best_scores(snapshot: ViterbiSnapshot, style: Style) -> str:
    """For each boundary the best way there, as far as the search has come."""
    event = snapshot.event
    here = event.edge.end if event.kind == "backward" else place_of(snapshot)
    walked = {edge.end for edge in snapshot.path}
    rows = ""
    for position in range(len(snapshot.lattice.text) + 1):
        classes = "walked" if position in walked else "now fresh" if position == here else ""
        mark = " data-here" if position == here else ""
        rows += f'<tr class="{classes}"{mark}><td>{position}{score_cells(snapshot, position, style)}'
    names = (_("to"), _("best way there"), _("probability"), _("log"))
    return (
        heading(_("Best way to each boundary"))
        + f'<div class="pane rows" data-pane>{table_html(names, rows)}</div>'
    )


def score_cells(snapshot: ViterbiSnapshot, position: int, style: Style) -> str:
    """A row's cells after the boundary: the way, its last piece standing out, and its score."""
    if position > len(snapshot.best):
        return "<td><td><td>"
    score = score_at(snapshot, position)
    if score is None:
        return "<td>" + escape(_("no way")) + "<td><td>"
    pieces = way_to(snapshot, position)
    room = PIECES_IN_ROW if is_long(snapshot.lattice) else PIECES_TOLD
    shown = "".join(chip(piece, style, "old") for piece in pieces[-room:-1]) + chips(pieces[-1:], style)
    more = "… " if len(pieces) > room else ""
    shown = shown or escape(_("start"))
    return f"<td>{more}{shown}<td>{probability_text(score)}<td>{log_text(score)}"


def panel(snapshot: ViterbiSnapshot, style: Style) -> str:
    """Under the table: the ways to the boundary, the way back, or how the search goes."""
    event = snapshot.event
    if event.kind == "forward":
        title = _("Ways to boundary {position}").format(position=event.position)
        body = ways(event, style)
    elif event.kind == "backward":
        title, body = _("The way back"), way_back(snapshot, style)
    else:
        title, body = _("How the search goes"), plan()
    most = max((len(arriving) for arriving in snapshot.lattice.arriving), default=0)
    rows = max(3, min(WAYS_SHOWN, most))
    return f'<div class="ways" style="--rows:{rows}">{heading(title)}<div class="pane" data-pane>{body}</div></div>'


def ways(event: ForwardEvent, style: Style) -> str:
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
    names = (_("last piece"), _("best to its start"), _("+ piece"), _("= total"), _("probability"), "")
    return table_html(names, rows)


def way_back(snapshot: ViterbiSnapshot, style: Style) -> str:
    """The pieces found so far, from the end on, between their boundaries."""
    first = snapshot.path[0].start
    found = "".join(
        f"{chip(edge.piece, style, 'hot')}<i>{edge.end}</i>" for edge in snapshot.path[-2 * PIECES_TOLD :]
    )
    more = "… " if first or len(snapshot.path) > 2 * PIECES_TOLD else ""
    return f'<p class="back">{more}<i>{first}</i>{found}</p>'


def plan() -> str:
    """Viterbi's search in three sentences."""
    steps = (
        _(
            "Forward: the best way to a boundary is the best way to where its last piece starts, plus that piece."
        ),
        _("So at each boundary only the best way is kept."),
        _("Back: from the end, the last pieces that were kept spell the best segmentation."),
    )
    return f'<ol class="plan">{"".join(f"<li>{marked(step)}</li>" for step in steps)}</ol>'
