"""The panel of candidates beside the words: the pairs to choose a merge from, one a row.

A column is one entry of `COUNT_COLUMNS` (BPE) or `SCORE_COLUMNS` (WordPiece): its name, its cell, and where
it has no room. Beside a question about the next merge there is another panel, `question_panel`, without any
hint at that pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from html import escape
from typing import Any, Final, Generic, NamedTuple, TypeVar

from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.training.merge_trace import Candidate, Excluded, MergeSnapshot, MergeTrace
from tokenizers_core.training.wordpiece import ScoredCandidate
from tokensteps.drawing.stage_markup import (
    CANDIDATE_ROWS,
    WORDS_TO_COUNT,
    heading,
    mark_html,
    more_html,
    pick_html,
)
from tokensteps.drawing.tokens import Style, lit_id, pair_chips, pair_text
from tokensteps.language.i18n import N_, _, count, ngettext
from tokensteps.language.marks import marked
from tokensteps.language.names import EXCLUSIONS

EXCLUDED_ROWS: Final = 2
"""The most pairs excluded by a bound to show above the candidates."""
PAIRS_OFFERED: Final = 200
"""Pairs to choose from beside a question: the best ones."""

SomeCandidate = TypeVar("SomeCandidate", bound=Candidate)


class CandidateRow(NamedTuple, Generic[SomeCandidate]):
    """A candidate, and the other inputs of its cells."""

    candidate: SomeCandidate
    best: SomeCandidate
    """The first row's candidate."""
    chosen: bool
    """Whether it is the one merged now."""
    tied: bool
    """Whether others in the table tie with the best."""
    style: Style
    excluded: str = ""
    """Why it may not be merged, for a pair excluded by a bound."""


class CandidateColumn(NamedTuple, Generic[SomeCandidate]):
    """One column."""

    name: str
    """Its head, to be translated; "" for none."""
    cell: Callable[[CandidateRow[SomeCandidate]], str]
    """From a row to the cell's markup."""
    hidden: str = ""
    """Where it has no room and is left out: "projected" (projector mode) or "narrow" (projector mode, not a
    wide screen)."""


def pair_cell(row: CandidateRow[SomeCandidate]) -> str:
    """The pair, and whether it is merged now or tied."""
    word = row.excluded or (_("merged") if row.chosen else _("tied") if row.tied else "")
    return pair_chips(row.candidate.pair, row.style) + mark_html(word)


def count_cell(row: CandidateRow[SomeCandidate]) -> str:
    """How often the pair occurs; the number lights up where."""
    return pick_html(lit_id(*row.candidate.pair), count(row.candidate.freq))


def count_change_cell(row: CandidateRow[Candidate]) -> str:
    """The count's change in the step before."""
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
    """The score's change in the step before."""
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


class PairTable(NamedTuple):
    """How one algorithm's pairs are listed."""

    columns: Sequence[CandidateColumn[Any]]
    """Of the pairs, best first."""
    beside_question: Sequence[CandidateColumn[Any]]
    """Beside a question, for a corpus too large to count in: without the deciding values of the rows."""
    classes: str = ""


COUNT_TABLE: Final = PairTable(COUNT_COLUMNS, COUNT_COLUMNS[:2])
"""BPE's: the counts decide between its pairs, but without them there would be nothing to go by."""
SCORE_TABLE: Final = PairTable(SCORE_COLUMNS, SCORE_COLUMNS[:3], "scores")
"""WordPiece's."""


def pairs_panel(snapshot: MergeSnapshot, table: PairTable, style: Style) -> str:
    """The pairs, best first: the candidates of this merge; at other steps, of the next one."""
    event = snapshot.event
    if event.kind != "merge":
        candidates, chosen, number = snapshot.candidates(CANDIDATE_ROWS), None, snapshot.pair_count
        title = _("Pairs to choose from")
    else:
        candidates, chosen, number = event.candidates[:CANDIDATE_ROWS], event.pair, event.pair_count
        title = _("Pairs before this merge")
    listed = candidates_html(
        candidates, table.columns, chosen, style, table.classes, snapshot.excluded[:EXCLUDED_ROWS]
    )
    return pairs_heading(title, number) + listed + more_html(number - len(candidates))


def question_panel(snapshot: MergeSnapshot, table: PairTable, style: Style, quiz: bool) -> str:
    """The same beside a question about the next merge: of the step's pairs only the merged one; if the
    question follows this step (`quiz`), the pairs to choose from by their spelling, on request."""
    event = snapshot.event
    shown = ""
    if event.kind == "merge":
        shown = heading(_("The pair merged here")) + candidates_html(
            event.candidates[:1], table.columns, event.pair, style, table.classes
        )
    return shown + pairs_to_choose(snapshot, table, style) if quiz else shown


def offered_pairs(trace: MergeTrace, step: int, limit: int = PAIRS_OFFERED) -> list[Candidate]:
    """The options of a question about the merge after a step: the best pairs, and better ones excluded by a
    bound."""
    excluded = [one.candidate for one in trace.excluded(step + 1)[:EXCLUDED_ROWS]]
    return [*excluded, *trace.candidates(step, limit - len(excluded))]


def pairs_to_choose(snapshot: MergeSnapshot, table: PairTable, style: Style) -> str:
    """How to count the pairs, and their list, sorted by spelling; with numbers only if there are too many
    words to count in."""
    head = pairs_heading(_("Pairs to choose from"), snapshot.pair_count)
    if not snapshot.pair_count:
        return head
    candidates = by_spelling(offered_pairs(snapshot.trace, snapshot.step), style)
    if len(snapshot.trace.corpus_at(snapshot.step)) > WORDS_TO_COUNT:
        unmarked = [replace(candidate, tied=False) for candidate in candidates]
        listed = candidates_html(unmarked, table.beside_question, None, style, table.classes)
    else:
        buttons = (
            f'<button type="button" class="n" {answer_attributes(one.pair)}>{pair_chips(one.pair, style)}</button>'
            for one in candidates
        )
        listed = f'<div class="ts">{"".join(buttons)}</div>'
    title = _("All pairs, sorted by spelling")
    if len(candidates) < snapshot.pair_count:
        title = _("{number} of the pairs, sorted by spelling").format(number=count(len(candidates)))
    text = _("Neighbors in a word make a pair; each word counts as often as it occurs in the corpus.")
    return (
        f'{head}<p class="why">{escape(text)}</p>'
        f'<details class="listed"><summary>{escape(title)}</summary>{listed}</details>'
    )


def answer_attributes(pair: Pair) -> str:
    """The attributes of an element that lights up a pair, and answers with it on a click."""
    return f'data-answer data-pick="{lit_id(*pair)}"'


def listed_pairs(snapshot: MergeSnapshot, ahead: bool) -> list[Pair]:
    """The pairs in the table beside a step's words; see `pairs_panel` and `question_panel`."""
    event = snapshot.event
    if event.kind != "merge":
        return [one.pair for one in snapshot.candidates(CANDIDATE_ROWS)] if ahead else []
    return [one.pair for one in event.candidates[: CANDIDATE_ROWS if ahead else 1]]


def by_spelling(candidates: Iterable[SomeCandidate], style: Style) -> list[SomeCandidate]:
    """Candidates in an order without hints at their counts or scores."""
    return sorted(candidates, key=lambda candidate: pair_text(candidate.pair, style))


def candidates_html(
    candidates: Sequence[SomeCandidate],
    columns: Sequence[CandidateColumn[SomeCandidate]],
    chosen: Pair | None,
    style: Style,
    classes: str = "",
    excluded: Sequence[Excluded] = (),
) -> str:
    """A table of candidates, best first, with the `chosen` pair marked; before them the ones excluded by a
    bound, struck out."""
    head = "".join(
        f"<th{_class(column)}>{marked(_(column.name))}" if column.name else f"<td{_class(column)}>"
        for column in columns
    )
    several = sum(candidate.tied for candidate in candidates) > 1
    rows = ""
    for one, reason in excluded:
        out: CandidateRow[Any] = CandidateRow(one, one, False, False, style, _(EXCLUSIONS[reason].mark))
        cells = "".join(f"<td{_class(column)}>{column.cell(out)}" for column in columns)
        rows += f'<tr class="out">{cells}'
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


def pairs_heading(title: str, number: int) -> str:
    """The panel's title, and how many pairs there are."""
    return heading(title, ngettext("{number} pair", "{number} pairs", number).format(number=count(number)))


def signed(number: str) -> str:
    """A number with its sign, green or red, with a true minus."""
    classes = "up" if number.startswith("+") else "down"
    return f'<span class="{classes}">{number}</span>'.replace(">-", ">\u2212")
