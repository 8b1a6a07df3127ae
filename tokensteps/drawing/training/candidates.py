"""The panel of candidates beside the words: the pairs that a merge is chosen from, one a row.

A column is one entry of `COUNT_COLUMNS` (BPE) or `SCORE_COLUMNS` (WordPiece): its name, its cell, and where it has no room.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Final, Generic, NamedTuple, TypeVar

from tokenizers_core.training.merge_trace import Candidate, MergeSnapshot
from tokenizers_core.training.merging import Pair
from tokenizers_core.training.wordpiece import ScoredCandidate, WordPieceSnapshot
from tokensteps.drawing.parts import CANDIDATE_ROWS, heading, mark_html, more_html
from tokensteps.drawing.tokens import Style, pair_chips
from tokensteps.language.i18n import N_, _, count, ngettext
from tokensteps.language.marks import marked

SomeCandidate = TypeVar("SomeCandidate", bound=Candidate)


class CandidateRow(NamedTuple, Generic[SomeCandidate]):
    """A candidate, and what else its cells depend on."""

    candidate: SomeCandidate
    best: SomeCandidate
    """The first row's candidate."""
    chosen: bool
    """Whether it is the one merged now."""
    tied: bool
    """Whether others in the table are as good as the best."""
    style: Style


class CandidateColumn(NamedTuple, Generic[SomeCandidate]):
    """One column."""

    name: str
    """Its head, to be translated; "" for none."""
    cell: Callable[[CandidateRow[SomeCandidate]], str]
    """From a row to the cell's markup."""
    hidden: str = ""
    """Where it has no room and is left out: "projected" (projector mode) or "narrow" (projector mode, not a wide screen)."""


def pair_cell(row: CandidateRow[SomeCandidate]) -> str:
    """The pair, and whether it is merged now or tied."""
    word = _("merged") if row.chosen else _("tied") if row.tied else ""
    return pair_chips(row.candidate.pair, row.style) + mark_html(word)


def count_cell(row: CandidateRow[SomeCandidate]) -> str:
    """How often the pair occurs."""
    return count(row.candidate.freq)


def count_change_cell(row: CandidateRow[Candidate]) -> str:
    """What the step before did to the count."""
    change = row.candidate.change
    return signed(f"{change:+,}") if change else "·"


def bar_cell(row: CandidateRow[Candidate]) -> str:
    """The count as a bar, compared with the best pair's."""
    return f'<span class="bar" style="width:{max(2, 100 * row.candidate.freq // row.best.freq)}%"></span>'


def symbols_cell(row: CandidateRow[ScoredCandidate]) -> str:
    """The counts of the pair's two symbols."""
    return f"{count(row.candidate.first_freq)} × {count(row.candidate.second_freq)}"


def score_cell(row: CandidateRow[ScoredCandidate]) -> str:
    """The score as a reduced fraction."""
    return f"<b>{row.candidate.score}</b>"


def decimal_cell(row: CandidateRow[ScoredCandidate]) -> str:
    """The score as a decimal."""
    return f"{float(row.candidate.score):.3g}"


def score_change_cell(row: CandidateRow[ScoredCandidate]) -> str:
    """What the step before did to the score."""
    candidate = row.candidate
    if candidate.before is None:
        return escape(_("new")) if candidate.change else "·"
    if candidate.before == candidate.score:
        return "·"
    return signed(f"{float(candidate.score - candidate.before):+.2g}")


COUNT_COLUMNS: Final[Sequence[CandidateColumn[Candidate]]] = (
    CandidateColumn(N_("pair"), pair_cell),
    CandidateColumn(N_("count"), count_cell),
    CandidateColumn(N_("change"), count_change_cell),
    CandidateColumn("", bar_cell),
)
"""BPE's columns."""
SCORE_COLUMNS: Final[Sequence[CandidateColumn[ScoredCandidate]]] = (
    CandidateColumn(N_("pair"), pair_cell),
    CandidateColumn(N_("count"), count_cell),
    CandidateColumn(N_("first × second"), symbols_cell),
    CandidateColumn(N_("score"), score_cell),
    CandidateColumn("", decimal_cell, "narrow"),
    CandidateColumn(N_("change"), score_change_cell, "projected"),
)
"""WordPiece's columns."""


def counts_panel(snapshot: MergeSnapshot, style: Style) -> str:
    """The pairs by count, best first: those the step chose from; at the start, those the first merge will be chosen from."""
    event = snapshot.event
    if event.kind == "start":
        shown, number, title = (
            snapshot.candidates(CANDIDATE_ROWS),
            snapshot.pair_count,
            _("Pairs to choose from"),
        )
        return pairs_table(title, number, shown, COUNT_COLUMNS, None, style)
    shown, number, title = event.candidates[:CANDIDATE_ROWS], event.pair_count, _("Pairs before this merge")
    return pairs_table(title, number, shown, COUNT_COLUMNS, event.pair, style)


def scores_panel(snapshot: WordPieceSnapshot, style: Style) -> str:
    """The pairs by score, best first, as in `counts_panel`."""
    event = snapshot.event
    if event.kind == "start":
        shown, number, title = (
            snapshot.candidates(CANDIDATE_ROWS),
            snapshot.pair_count,
            _("Pairs to choose from"),
        )
        return pairs_table(title, number, shown, SCORE_COLUMNS, None, style, "scores")
    shown, number, title = event.candidates[:CANDIDATE_ROWS], event.pair_count, _("Pairs before this merge")
    return pairs_table(title, number, shown, SCORE_COLUMNS, event.pair, style, "scores")


def pairs_table(
    title: str,
    number: int,
    shown: Sequence[SomeCandidate],
    columns: Sequence[CandidateColumn[SomeCandidate]],
    chosen: Pair | None,
    style: Style,
    classes: str = "",
) -> str:
    """The best of `number` pairs under a title, and how many more there are."""
    table = candidates_html(shown, columns, chosen, style, classes)
    return pairs_heading(title, number) + table + more_html(number - len(shown))


def candidates_html(
    candidates: Sequence[SomeCandidate],
    columns: Sequence[CandidateColumn[SomeCandidate]],
    chosen: Pair | None,
    style: Style,
    classes: str = "",
) -> str:
    """A table of candidates, best first, with the `chosen` pair marked."""
    head = "".join(
        f"<th{_class(column)}>{marked(_(column.name))}" if column.name else f"<td{_class(column)}>"
        for column in columns
    )
    several = sum(candidate.tied for candidate in candidates) > 1
    rows = ""
    for candidate in candidates:
        row = CandidateRow(
            candidate, candidates[0], candidate.pair == chosen, several and candidate.tied, style
        )
        states = " ".join(name for name, holds in (("now", row.chosen), ("tie", row.tied)) if holds)
        cells = "".join(f"<td{_class(column)}>{column.cell(row)}" for column in columns)
        rows += f'<tr class="{states}">{cells}'
    return f'<table class="{classes}"><tr>{head}{rows}</table>'


def _class(column: CandidateColumn[SomeCandidate]) -> str:
    return f" class=hide-{column.hidden}" if column.hidden else ""


def unlisted(snapshot: MergeSnapshot) -> str:
    """What is shown instead of the pairs while a learner is asked for the best one."""
    told = _("Neighbors in a word make a pair; each word counts as often as it occurs in the corpus.")
    return (
        pairs_heading(_("Pairs to choose from"), snapshot.pair_count) + f'<p class="why">{escape(told)}</p>'
    )


def pairs_heading(title: str, number: int) -> str:
    """The panel's title, and how many pairs there are."""
    return heading(title, ngettext("{number} pair", "{number} pairs", number).format(number=count(number)))


def signed(number: str) -> str:
    """A number with its sign, green or red, with a true minus."""
    classes = "up" if number.startswith("+") else "down"
    return f'<span class="{classes}">{number}</span>'.replace(">-", ">\u2212")
