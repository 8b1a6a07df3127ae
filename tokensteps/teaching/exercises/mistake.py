"""Exercises on a log with one wrong line: which one is it?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from random import Random
from typing import Final, NamedTuple

from tokenizers_core import train_bpe, train_wordpiece
from tokenizers_core.training.bpe import BpeTrace
from tokenizers_core.training.merge_trace import Candidate
from tokenizers_core.training.wordpiece import ScoredCandidate, WordPieceTrace
from tokensteps.drawing.tokens import chip, fill
from tokensteps.language.i18n import N_, _, count, ngettext
from tokensteps.teaching.events import merge_at, wordpiece_merge_at
from tokensteps.teaching.exercises.merging import bpe_rule, wordpiece_rule
from tokensteps.teaching.exercises.viterbi import bits, boundaries, draw_lattice
from tokensteps.teaching.exercises.words import (
    SIZES,
    Address,
    Draft,
    corpus_of,
    draw_words,
    link_to,
    pair_html,
    prompt,
    sheet_html,
    word_counts_table,
)
from tokensteps.teaching.questions import Choice, Question, Verdict, grade_choice, right, wrong

LOG_LINES: Final = {1: 3, 2: 4, 3: 4, 4: 5, 5: 6}
"""Lines of the log."""
SORTS: Final[Mapping[int, Sequence[str]]] = {
    1: ("count",),
    2: ("count", "bits"),
    3: ("count", "pair", "bits"),
    4: ("pair", "score", "bits"),
    5: ("pair", "score", "most_frequent"),
}
"""The kinds of mistakes, by level: a count, a pair (with its true count), a score, a number of bits, BPE's
pair in WordPiece's log."""


WHAT_IS_WRONG: Final[Mapping[str, str]] = {
    "count": N_("A count is wrong: count each line's pair again, in the words as they are split by then."),
    "pair": N_("A pair is wrong: in one line, another pair occurs more often."),
    "score": N_("One number of a score is wrong: count each pair and its two tokens again."),
    "most_frequent": N_("A pair is wrong: in one line, another pair has a higher score."),
    "bits": N_("A number of bits is wrong: work out each minimum again."),
}
"""The hint at a mistake for learners who have not found it."""


class LogLine(NamedTuple):
    """One line of a log of merges."""

    pair: tuple[str, str]
    freq: int
    first: int = 0
    second: int = 0
    """How often its two tokens occur, in a log of WordPiece."""

    def html(self) -> str:
        """As it is shown."""
        if not self.first:
            return fill(
                ngettext(
                    "merge {pair}, which occurs {number} time",
                    "merge {pair}, which occurs {number} times",
                    self.freq,
                ),
                pair=pair_html(self.pair),
                number=count(self.freq),
            )
        return fill(
            _("merge {pair}, score {pair_count} / ({first} × {second})"),
            pair=pair_html(self.pair),
            pair_count=str(self.freq),
            first=str(self.first),
            second=str(self.second),
        )


def line_of(candidate: Candidate) -> LogLine:
    """A pair's line in a log."""
    pair = (candidate.pair.first, candidate.pair.second)
    if isinstance(candidate, ScoredCandidate):
        return LogLine(pair, candidate.freq, candidate.first_freq, candidate.second_freq)
    return LogLine(pair, candidate.freq)


class TableLine(NamedTuple):
    """One line of a Viterbi table."""

    beginning: str
    bits: int
    piece: str

    def html(self) -> str:
        """As it is shown."""
        return fill(
            _("up to {beginning}: {bits} bits, last piece {piece}"),
            beginning=f"<code>{escape(self.beginning)}</code>",
            bits=str(self.bits),
            piece=chip(self.piece),
        )


def mistake(random: Random, level: int) -> Draft:
    """A log with one wrong line."""
    sort = random.choice(SORTS[level])
    return wrong_table(random, level) if sort == "bits" else wrong_log(random, level, sort)


def wrong_log(random: Random, level: int, sort: str) -> Draft:
    """A log of merges with one wrong line."""
    train: Callable[..., BpeTrace | WordPieceTrace] = (
        train_wordpiece if sort in ("score", "most_frequent") else train_bpe
    )
    number = LOG_LINES[level]
    while True:
        counts = draw_words(random, SIZES[level])
        trace = train(corpus_of(counts), merges=number)
        if len(trace) < number:
            continue
        lines = [line_of(merge_at(trace, step).candidates[0]) for step in range(1, number + 1)]
        index = random.randrange(number)
        altered = alter(random, trace, lines, index, sort)
        if altered is not None:
            break
    shown = [*lines[:index], altered, *lines[index + 1 :]]
    rule = wordpiece_rule() if train is train_wordpiece else bpe_rule()
    facts = {"words": counts, "lines": [tuple(line) for line in shown], "wrong": index, "sort": sort}
    link = link_to(trace.algorithm, counts, step=str(index))
    data = word_counts_table(counts)
    way = escape(_(WHAT_IS_WRONG[sort]))
    true = lines[index].html()
    return which_line(rule, data, [line.html() for line in shown], index, true, way, facts, link)


def alter(
    random: Random, trace: BpeTrace | WordPieceTrace, lines: Sequence[LogLine], index: int, sort: str
) -> LogLine | None:
    """A certainly wrong line: its pair is neither tied nor in another line. None if there is no such line."""
    line = lines[index]
    if sort == "count":
        return (
            line._replace(freq=max(1, line.freq + random.choice((-2, -1, 1, 2)))) if line.freq > 1 else None
        )
    if sort == "score":
        name = random.choice(("freq", "first", "second"))
        return line._replace(**{name: getattr(line, name) + random.choice((1, 2))})
    others = [one for one in trace.candidates(index) if not one.tied]
    if trace.ranked_by == "score":
        frequent = wordpiece_merge_at(trace, index + 1).most_frequent
        others = [one for one in others if one.pair == frequent.pair]
    else:
        others = others[:2]
    elsewhere = {other.pair for other in lines}
    wrong_ones = [result for result in map(line_of, others) if result.pair not in elsewhere]
    return random.choice(wrong_ones) if wrong_ones else None


def wrong_table(random: Random, level: int) -> Draft:
    """A Viterbi table with one wrong line."""
    while True:
        word, model = draw_lattice(random, LOG_LINES[level] - 2)
        if len(word) == LOG_LINES[level]:
            break
    cells = [
        TableLine(word[:end], bits(winner.log_probability), winner.edge.piece)
        for end, (_event, winner) in enumerate(boundaries(word, model), start=1)
    ]
    index = random.randrange(len(cells))
    shown = list(cells)
    change = random.choice((-1, 1, 2))
    shown[index] = cells[index]._replace(bits=cells[index].bits + change)
    rule = _(
        "For each beginning of the word, find the fewest bits that spell it: the minimum, over all "
        "pieces that end there, of the bits up to the piece plus the piece's own. A piece of probability "
        "1/8 costs 3 bits."
    )
    data = sheet_html(
        (_("Piece"), _("Bits")),
        ((chip(piece), str(number)) for piece, number in model.items()),
    )
    facts = {
        "word": word,
        "bits": model,
        "lines": [tuple(cell) for cell in shown],
        "wrong": index,
        "sort": "bits",
    }
    what = WHAT_IS_WRONG["bits"]
    way = escape(_(what))
    return which_line(rule, data, [cell.html() for cell in shown], index, cells[index].html(), way, facts)


def which_line(
    rule: str,
    data: str,
    lines: Sequence[str],
    index: int,
    true: str,
    way: str,
    facts: Mapping[str, object],
    link: Address | None = None,
) -> Draft:
    """The question. `data`, `lines`, `true` and `way` (where to look) are markup."""
    names = tuple(_("Line {number}").format(number=number) for number in range(1, len(lines) + 1))
    log = f'<ol class="log">{"".join(f"<li>{line}</li>" for line in lines)}</ol>'
    why = fill(_("{line} is wrong. It should say: {true}."), line=f"<b>{escape(names[index])}</b>", true=true)

    def grade(answer: str) -> Verdict:
        if answer == names[index]:
            return right(why)
        fine = fill(_("{line} is correct. "), line=escape(answer))
        return wrong(fine + why, fine.rstrip())

    request = _(
        "Exactly one line is wrong. The lines after it are right: they carry on from what it should have said. "
        "Which one is wrong?"
    )
    text = prompt(rule, f'<div class="sheets">{data}{log}</div>', escape(request))
    question = Question("mistake", text, Choice(names), names[index], grade_choice(names, grade), why, way)
    return Draft(question, facts, link)
