"""Worksheets for paper: tasks from a run or from exercises, to be solved with a pencil, and their key on a
page of its own.

The engine gives every number: a task is the state before a step, with blanks, and its answer is the step's
result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from heapq import nlargest
from html import escape
from itertools import chain, islice
from typing import Final, NamedTuple, TypeVar

from tokenizers_core.encoding.models.lattice import Lattice, equally_good
from tokenizers_core.training.algorithms import AnyTrace
from tokenizers_core.training.comparison import surface, surfaces
from tokenizers_core.training.kinds.paritybpe import ParityTrace
from tokenizers_core.training.kinds.pickybpe import PickyTrace, RemoveEvent
from tokenizers_core.training.merge_trace import MergeTrace
from tokenizers_core.training.unigram_trace import UnigramSnapshot, UnigramTrace
from tokenizers_core.training.wordpiece import WordPieceTrace
from tokensteps.drawing.handout import standalone_page
from tokensteps.drawing.mark import mark
from tokensteps.drawing.narration.kinds import tell_removal
from tokensteps.drawing.narration.merging import tell_bpe, tell_wordpiece
from tokensteps.drawing.narration.text_format import Markup, Narration
from tokensteps.drawing.tokens import Style, chip, chips, fill, pair_chips, token_html
from tokensteps.language.i18n import _, count, language_tag, sentences
from tokensteps.language.names import language_name
from tokensteps.language.numbers import log_text
from tokensteps.teaching.events import removals_after, scored
from tokensteps.teaching.exercises.kinds import Exercise
from tokensteps.teaching.exercises.words import sheet_html, side_by_side
from tokensteps.teaching.merge_questions import choice_rule_text, splits_at, word_counts_at
from tokensteps.teaching.questions import Cells, Choice, Entry, Form, SeveralLines
from tokensteps.teaching.slips.merging import count_all

MERGE_TASKS: Final = 3
"""The number of merges on a worksheet."""
PAIR_ROWS: Final = 10
"""Rows of a blank table of pairs."""
WORDS_ON_PAPER: Final = 40
"""The most words for counting pairs on paper."""
SPLIT_WORDS: Final = 8
"""Words to split."""
VITERBI_TABLES: Final = 3
"""Viterbi tables."""
LONGEST_WORD: Final = 10
"""Characters of a word to split."""
RULES_LISTED: Final = 80
"""The most merge rules, tokens or pieces for several words to split."""
ANSWER_LINES: Final = 4
"""Lines to write on where an answer has several."""

Learned = TypeVar("Learned")
"""A merge rule, a token or a piece."""


class PaperTask(NamedTuple):
    """One task: its title is plain text, the question and the answer are markup."""

    title: str
    question: str
    answer: str


def worksheet(title: str, tasks: Sequence[PaperTask]) -> str:
    """The self-contained HTML file of a worksheet; `title` is plain text."""
    numbered = [(f"{number}. {task.title}", task) for number, task in enumerate(tasks, start=1)]

    def part(heading: str, markup: str) -> str:
        return f'<section class="task"><h2>{escape(heading)}</h2>{markup}</section>'

    return standalone_page(
        "worksheet",
        title,
        language=language_tag(),
        styles=("page/style.css", "handout/worksheet.css", "handout/mark.css"),
        mark=mark(),
        name=escape(_("Name:")),
        key=escape(_("Key: {title}").format(title=title)),
        tasks="\n".join(part(text, task.question) for text, task in numbered),
        answers="\n".join(part(text, task.answer) for text, task in numbered),
    )


# --- from exercises -----------------------------------------------------------------------------------------


def exercise_tasks(titled: Iterable[tuple[str, Exercise]]) -> list[PaperTask]:
    """Exercises with their titles as tasks: room to write in place of their forms."""
    return [
        PaperTask(
            title, one.question.prompt + blank_form(one.question.form), f"<p>{one.question.solution}</p>"
        )
        for title, one in titled
    ]


def blank_form(form: Form) -> str:
    """Where an answer is written: lines, boxes to tick, or a table with blanks."""
    match form:
        case Choice(options, names=names):
            return (
                '<ul class="options">'
                + "".join(f"<li><bdi>{escape(names.get(option, option))}</bdi></li>" for option in options)
                + "</ul>"
            )
        case Cells(head, rows):
            return blank_table(
                head,
                [[None if cell is None else f"<code>{escape(cell)}</code>" for cell in row] for row in rows],
            )
        case Entry():
            return '<div class="line"></div>'
        case SeveralLines():
            return '<div class="line"></div>' * ANSWER_LINES


def blank_table(head: Sequence[str], rows: Iterable[Sequence[str | None]]) -> str:
    """A table with cells of markup, or None: to be filled in. The last column is wide if there are two."""
    wide = " wide" if len(head) == 2 else ""
    top = "".join(f"<th>{escape(name)}" for name in head)
    body = "".join(
        "<tr>" + "".join(f'<td class="blank{wide}">' if cell is None else f"<td>{cell}" for cell in row)
        for row in rows
    )
    return f'<table class="sheet"><tr>{top}{body}</table>'


# --- from a run ---------------------------------------------------------------------------------------------


def run_tasks(trace: AnyTrace, step: int, style: Style) -> list[PaperTask]:
    """Tasks from a run after `step` steps: the next merges or the Viterbi tables of words, and words to
    split."""
    results: list[PaperTask] = []
    if isinstance(trace, UnigramTrace):
        results += viterbi_tasks(trace[step], style)
    elif len(trace.corpus_at(step).words) <= WORDS_ON_PAPER:
        later, earlier = range(step + 1, len(trace) + 1), range(step, 0, -1)
        merges = islice((at for at in chain(later, earlier) if counts_tell(trace, at)), MERGE_TASKS)
        results += [merge_task(trace, at, style) for at in sorted(merges)]
    return [*results, *split_tasks(trace, step, style)]


def counts_tell(trace: MergeTrace, step: int) -> bool:
    """Whether a step is a merge, its words fit on paper, and their counts alone give the best pairs:
    no rule, such as a token's greatest length, excludes one of them."""
    if not trace.record.is_merge(step) or len(trace.corpus_at(step - 1).words) > WORDS_ON_PAPER:
        return False
    pairs, single = count_all(splits_at(trace, step - 1), word_counts_at(trace, step - 1))
    listed = trace.candidates(step - 1, PAIR_ROWS)
    by_score = trace.ranked_by == "score"
    values = [
        Fraction(number, single[one] * single[two] if by_score else 1) for (one, two), number in pairs.items()
    ]
    return nlargest(PAIR_ROWS, values) == [
        Fraction(scored(one).score if by_score else one.freq) for one in listed
    ]


def merge_task(trace: MergeTrace, step: int, style: Style) -> PaperTask:
    """Count the pairs before a step, and find its merge."""
    voice, corpus = Markup(style), trace.corpus_at(step - 1)
    heads = [_("Pair"), _("Count")]
    if isinstance(trace, WordPieceTrace):
        heads += [_("Count of first × count of second"), _("Score")]
        rows = [
            [
                pair_chips(one.pair, style),
                count(one.freq),
                f"{count(one.first_freq)} × {count(one.second_freq)}",
                str(one.score),
            ]
            for one in trace.candidates(step - 1, PAIR_ROWS)
        ]
        narrations = [tell_wordpiece(trace.snapshot(step), voice)]
        question = _(
            "Count the pairs in these words, work out their scores, and write down which pair is merged next."
        )
    else:
        rows = [
            [pair_chips(one.pair, style), count(one.freq)] for one in trace.candidates(step - 1, PAIR_ROWS)
        ]
        narrations = [tell_bpe(trace[step], voice)]
        question = _("Count the pairs in these words, and write down which pair is merged next.")
        match trace:
            case ParityTrace() if language := trace.language_at(step):
                corpus = trace.chosen_corpus(step - 1)
                chooses = _("{language} chooses: these are its words.").format(
                    language=language_name(language)
                )
                question = sentences(chooses, question)
            case PickyTrace():
                removals = [tell_removal(event, voice) for event in removals_after(trace, step)]
                narrations += removals or [Narration(escape(_("Nothing leaves.")), "")]
                leaves = _("Then write down what leaves the vocabulary: the threshold is {threshold}.")
                question = sentences(question, leaves.format(threshold=trace.settings["threshold"]))
    words = sheet_html(
        (_("Word, as it is split now"), _("Count")),
        (
            (f'<span class="row">{chips(split, style)}</span>', count(number))
            for split, number in zip(
                trace.splits(step - 1, corpus.words).values(), corpus.counts, strict=True
            )
        ),
    )
    merged = escape(_("Merged next:"))
    return PaperTask(
        _("Merge {step}").format(step=count(step)),
        f"<p>{escape(question)} <small>{escape(choice_rule_text(trace))}</small></p>{side_by_side(words, blank_table(heads, [[None] * len(heads)] * len(rows)))}"
        f'<p>{merged}</p><div class="line"></div>',
        f"{sheet_html(heads, rows)}<p>{sentences(*(part for one in narrations for part in (one.lead, one.why)))}</p>",
    )


def viterbi_tasks(snapshot: UnigramSnapshot, style: Style) -> Iterator[PaperTask]:
    """Blank Viterbi tables of the longest words within the limit, without unknown characters."""
    fitting = [word for word in snapshot.trace.corpus.words if 2 < len(word) <= LONGEST_WORD]
    lattices = map(snapshot.lattice, sorted(fitting, key=len, reverse=True))
    known = (lattice for lattice in lattices if not any(edge.unknown for edge in lattice.edges))
    for lattice in islice(known, VITERBI_TABLES):
        word = lattice.text
        heads = (_("Up to here"), _("Highest log probability"), _("Last piece"))
        rows = []
        for one in lattice.viterbi():
            event = one.event
            if event.kind == "forward" and event.winner is not None:
                pieces = chips((way.edge.piece for way in event.tied), style)
                rows.append(
                    (
                        f"<code>{token_html(word[: event.position], style)}</code>",
                        log_text(event.winner.log_probability),
                        f'<span class="row">{pieces}</span>',
                    )
                )
        question = _(
            "Fill in the table for {word}: from left to right, the highest sum of log probabilities up to each place, and the last piece on "
            "the way there. Then walk back from the end: which split is best?"
        )
        yield PaperTask(
            _("The Viterbi table"),
            f"<p>{fill(question, word=chip(word, style))}</p>"
            + side_by_side(
                pieces_table(fitting_on_paper([word], snapshot.pieces.items())[1], style),
                blank_table(heads, [(row[0], None, None) for row in rows]),
            )
            + '<div class="line"></div>',
            f"{sheet_html(heads, rows)}<p>{best_splits(lattice, style)}</p>",
        )


def best_splits(lattice: Lattice, style: Style) -> str:
    """The best split, or all that are equally good: each is right."""
    paths = lattice.k_best(lattice.path_count)
    best = (path.pieces for path in paths if equally_good(path, paths[0]))
    return " = ".join(f'<span class="row">{chips(pieces, style)}</span>' for pieces in best)


def fitting_on_paper(
    words: Sequence[str], learned: Iterable[tuple[str, Learned]]
) -> tuple[Sequence[str], list[tuple[str, Learned]]]:
    """The last of these words, as many as have all that was learned for them on the sheet; and that, each
    with its text."""
    there = [(text, one) for text, one in learned if any(text in word for word in words)]
    while len(there) > RULES_LISTED and len(words) > 1:
        words = words[1:]
        there = [(text, one) for text, one in there if any(text in word for word in words)]
    return words, there


def pieces_table(pieces: Iterable[tuple[str, float]], style: Style) -> str:
    """Pieces with their log probabilities."""
    return sheet_html(
        (_("Piece"), _("Log probability")), ((chip(piece, style), log_text(log)) for piece, log in pieces)
    )


def step_html(trace: PickyTrace, step: int, style: Style) -> str:
    """A step of PickyBPE as a rule: the pair that it merges, or the token that it removes, struck out, and
    its parts."""
    event = trace.event(step)
    if not isinstance(event, RemoveEvent):
        return pair_chips(trace.pair_of(step), style)
    return f"<del>{chip(event.token, style)}</del> → {chips(event.parts, style)}"


def splits_by_hand(trace: AnyTrace, step: int) -> dict[str, list[str]]:
    """The corpus's last words within the limit, with their tokens after a step: words with an unknown part
    are left out."""
    tokenizer, suffix = trace.tokenizer(step), trace.settings.get("end_of_word_suffix") or ""
    results: dict[str, list[str]] = {}
    for word in reversed(trace.corpus.words):
        if 1 < len(word) <= LONGEST_WORD:
            tokens = [tokenizer.tokens[number] for number in tokenizer.model.spell(word)]
            cut = surfaces(tokens) if isinstance(trace, WordPieceTrace) else tokens
            if "".join(cut) == word + suffix:
                results[word + suffix] = tokens
        if len(results) == SPLIT_WORDS:
            break
    return dict(reversed(results.items()))


def split_tasks(trace: AnyTrace, step: int, style: Style) -> Iterator[PaperTask]:
    """Words to split with the tokens learned up to a step."""
    splits = splits_by_hand(trace, step)
    if not splits:
        return
    words: Sequence[str] = [*splits]
    key = {word: f'<span class="row">{chips(tokens, style)}</span>' for word, tokens in splits.items()}
    snapshot = trace[step]
    if isinstance(snapshot, UnigramSnapshot):
        key = {word: best_splits(snapshot.lattice(word), style) for word in words}
        words, pieces = fitting_on_paper(words, snapshot.pieces.items())
        value = pieces_table(pieces, style)
        question = _("Split each word in the most probable way, with these pieces.")
    elif isinstance(trace, WordPieceTrace):
        words, tokens = fitting_on_paper(words, ((surface(token), token) for token in snapshot.vocab))
        value = f'<p class="row">{chips((token for _text, token in tokens), style)}</p>'
        question = _("Split each word by the longest match, with these tokens.")
    elif isinstance(trace, PickyTrace):
        made = ((trace.tokens[ord(trace.record.token(at))], at) for at in range(1, step + 1))
        words, steps = fitting_on_paper(words, made)
        value = f'<p class="row">{" ".join(step_html(trace, at, style) for _token, at in steps)}</p>'
        question = _(
            "Split each word by making these merges, and undoing what is struck out, in their order."
        )
    else:
        words, rules = fitting_on_paper(words, (("".join(pair), pair) for pair in snapshot.merges))
        value = f'<p class="row">{" ".join(pair_chips(pair, style) for _token, pair in rules)}</p>'
        question = _("Split each word by applying these merge rules in their order.")
    heads = (_("Word"), _("Tokens"))
    names = [f"<code>{token_html(word, style)}</code>" for word in words]
    yield PaperTask(
        _("Words to split"),
        f"<p>{escape(question)}</p>{value}{blank_table(heads, [(name, None) for name in names])}",
        sheet_html(heads, zip(names, (key[word] for word in words), strict=True)),
    )
