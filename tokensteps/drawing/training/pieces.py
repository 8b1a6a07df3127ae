"""The panel of pieces in Unigram's frames, one for each kind of step: the seed, a round's ranking, EM's
counts, the end."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Final

from tokenizers_core.training.pruning import (
    ExpectationEvent,
    Expected,
    MaximizationEvent,
    PruneEvent,
    RankedPiece,
)
from tokenizers_core.training.unigram import excluded_from_seed
from tokenizers_core.training.unigram_trace import UnigramSnapshot, UnigramTrace
from tokensteps.drawing.stage_markup import (
    CANDIDATE_ROWS,
    bar,
    heading,
    mark_html,
    more_html,
    pick_html,
    pieces_count,
    table_html,
)
from tokensteps.drawing.tokens import Style, chip, lit_id
from tokensteps.language.i18n import _, count, ngettext
from tokensteps.language.names import EXCLUSIONS
from tokensteps.language.numbers import chance, nats, percent

EXCLUDED_PIECES: Final = 2
"""The most substrings to show that a bound keeps out of the seed."""
ROWS_BEFORE: Final = 2
"""Rows of the ranking shown above the pruned piece."""


def pieces_panel(
    snapshot: UnigramSnapshot, style: Style, ahead: bool = True, limit: int = CANDIDATE_ROWS
) -> str:
    """The panel for the step; without `ahead`, it gives no hint at the next prunes. Of the seed, at most
    `limit` pieces are listed."""
    event = snapshot.event
    match event.kind:
        case "start":
            return seed_panel(snapshot, style, limit)
        case "prune":
            return ranking_panel(event, snapshot.trace, style, ahead)
        case "e_step":
            return expected_panel(event, style)
        case "m_step":
            return estimated_panel(event, style)
        case "finalize":
            return final_panel(snapshot, style)


def seed_panel(snapshot: UnigramSnapshot, style: Style, limit: int) -> str:
    """The best-ranked longer pieces of the seed; before them the ones excluded by a bound, struck out."""
    trace = snapshot.trace
    excluded = excluded_from_seed(trace, EXCLUDED_PIECES)
    shown = seed_shown(trace)[: limit - len(excluded)]
    most = max((number for _piece, number in shown), default=1)
    rows = "".join(
        f"<tr><td>{chip(piece, style)}<td>{pick_html(lit_id(piece), count(number))}<td>{chance(math.exp(snapshot.pieces[piece]))}<td>{bar(number / most)}"
        for piece, number in shown
    )
    out = "".join(
        f'<tr class="out"><td>{chip(one.piece, style)}{mark_html(_(EXCLUSIONS[one.reason].mark))}<td class="n">{count(one.worth)}<td><td>'
        for one in excluded
    )
    name = _("count") if trace.method == "course" else _("count × length")
    number = len(trace.seed) - len(trace.alphabet)
    table = table_html((_("piece"), name, _("probability"), ""), out + rows)
    return (
        heading(_("The seed's longer pieces"), pieces_count(number)) + table + more_html(number - len(shown))
    )


def seed_shown(trace: UnigramTrace) -> list[tuple[str, int]]:
    """The pieces in that panel, with their counts or scores."""
    return list(islice((item for item in trace.seed if len(item[0]) > 1), CANDIDATE_ROWS))


def ranking_panel(event: PruneEvent, trace: UnigramTrace, style: Style, ahead: bool = True) -> str:
    """The round's ranking around the pruned piece (up to it, unless `ahead`), and the line between pruned and
    remaining pieces."""
    rows = list(ranked_rows(event, lambda start, stop: trace.ranking(event.round, start, stop)))
    if not ahead:
        rows = [row for row in rows if row is not None and row.rank <= event.rank]
    most = max((row.loss for row in rows if row is not None), default=0.0) or 1.0
    drawn = "".join(
        '<tr class="gap"><td colspan="5">⋯' if row is None else ranked_row(row, event, most, style)
        for row in rows
    )
    exact = trace.method == "course"
    title = _("What each costs") if exact else _("What each costs, about")
    number = _("{pruned} of {ranked} pruned").format(pruned=count(event.pruned), ranked=count(event.ranked))
    if exact:
        number = ngettext(
            "{pruned} of {ranked} pruned · {characters} character kept",
            "{pruned} of {ranked} pruned · {characters} characters kept",
            len(trace.alphabet),
        ).format(
            pruned=count(event.pruned), ranked=count(event.ranked), characters=count(len(trace.alphabet))
        )
    table = table_html(("", _("piece"), _("probability"), _("loss"), ""), drawn, "ranking")
    return heading(title, number) + table + more_html(event.ranked - sum(row is not None for row in rows))


def ranked_rows(
    event: PruneEvent, rows: Callable[[int, int], list[RankedPiece]]
) -> Iterable[RankedPiece | None]:
    """The rows to show: some around the pruned piece, and, if the threshold is further away, two rows there
    after a gap."""
    last = max(0, event.ranked - CANDIDATE_ROWS)
    start = min(max(0, event.rank - 1 - ROWS_BEFORE), last)
    if event.pruned < start + CANDIDATE_ROWS or event.pruned >= event.ranked:
        yield from rows(start, start + CANDIDATE_ROWS)
        return
    yield from rows(start, start + CANDIDATE_ROWS - 3)
    yield None
    yield from rows(event.pruned - 1, event.pruned + 1)


def ranked_row(row: RankedPiece, event: PruneEvent, most: float, style: Style) -> str:
    """One piece of the ranking."""
    now, past = row.rank == event.rank, row.rank < event.rank
    classes = " ".join(
        name
        for name, holds in (
            ("now", now),
            ("past", past),
            ("stays", not row.pruned),
            ("first-kept", row.rank == event.pruned + 1),
        )
        if holds
    )
    word = _("pruned") if now else _("gone") if past else "" if row.pruned else _("kept")
    return (
        f'<tr class="{classes}"><td>{count(row.rank)}<td>{chip(row.piece, style, "gone" if past or now else "")}{mark_html(word)}'
        f"<td>{chance(row.probability)}<td>{pick_html(lit_id(row.piece), f'<b>{nats(row.loss)}</b>')}<td>{bar(row.loss / most) if row.loss > 0 else ''}"
    )


def expected_panel(event: ExpectationEvent, style: Style) -> str:
    """The pieces with the highest expected counts."""
    shown = heapq.nlargest(CANDIDATE_ROWS, event.expected, key=lambda row: row.freq)
    most = max((row.freq for row in shown), default=1.0)
    rows = "".join(
        f"<tr><td>{chip(row.piece, style)}<td>{chance(row.before)}<td>{pick_html(lit_id(row.piece), f'<b>{row.freq:,.2f}</b>')}<td>{bar(row.freq / most)}"
        for row in shown
    )
    title, number = _("Expected counts, highest first"), len(event.expected)
    table = table_html((_("piece"), _("probability"), _("expected count"), ""), rows)
    return heading(title, pieces_count(number)) + table + more_html(number - len(shown))


def estimated_panel(event: MaximizationEvent, style: Style) -> str:
    """New probabilities: some frequent pieces, some that only just stay, some dropped ones."""
    remaining = [row for row in event.expected if row.after is not None]
    total = sum(row.freq for row in remaining)
    gone = [row for row in event.expected if row.after is None]
    parts = [
        heapq.nlargest(3, remaining, key=lambda row: row.freq),
        heapq.nsmallest(3, remaining, key=lambda row: row.freq)[::-1] if len(remaining) > 6 else [],
        heapq.nlargest(2, gone, key=lambda row: row.freq),
    ]
    shown = [row for part in parts for row in part]
    drawn = "".join(estimated_row(row, total, style) for row in shown)
    number = ngettext("{number} piece kept", "{number} pieces kept", len(remaining)).format(
        number=count(len(remaining))
    )
    names = (_("piece"), _("expected count c"), _("c / Σc"), _("probability"), "")
    return (
        heading(_("From expected counts to probabilities"), number)
        + table_html(names, drawn, "scores")
        + more_html(len(event.expected) - len(shown))
    )


def estimated_row(row: Expected, total: float, style: Style) -> str:
    """One piece in an M step."""
    share = row.freq / total if total else 0.0
    if row.after is None:
        dropped = mark_html(_("dropped"))
        return (
            f'<tr class="past"><td>{chip(row.piece, style, "gone")}<td>{row.freq:.3f}<td>{chance(share)}'
            f"<td>{dropped}<td>"
        )
    change = percent(f"{100 * (row.after / share - 1):+.0f}".replace("-", "\u2212")) if share else ""
    return f"<tr><td>{chip(row.piece, style)}<td>{pick_html(lit_id(row.piece), f'{row.freq:,.2f}')}<td>{chance(share)}<td><b>{chance(row.after)}</b><td>{change}"


def final_panel(snapshot: UnigramSnapshot, style: Style) -> str:
    """The most probable pieces at the end."""
    shown = list(
        islice(((piece, log) for piece, log in snapshot.pieces.items() if len(piece) > 1), CANDIDATE_ROWS)
    )
    most = max((math.exp(log) for _piece, log in shown), default=1.0)
    rows = "".join(
        f"<tr><td>{chip(piece, style)}<td>{pick_html(lit_id(piece), chance(math.exp(log)))}<td>{nats(log)}<td>{bar(math.exp(log) / most)}"
        for piece, log in shown
    )
    longer = sum(len(piece) > 1 for piece in snapshot.pieces)
    table = table_html((_("piece"), _("probability"), _("log probability"), ""), rows)
    return heading(_("The most probable longer pieces")) + table + more_html(longer - len(shown))
