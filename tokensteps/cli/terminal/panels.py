"""A step of training in a terminal: its words, its candidates, the vocabulary. The sentences are the frame's
own."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from rich.cells import cell_len
from rich.console import Group
from rich.table import Table
from rich.text import Text

from tokenizers_core.training.merge_trace import MergeSnapshot
from tokenizers_core.training.pruning import ExpectationEvent, MaximizationEvent, PruneEvent
from tokenizers_core.training.unigram_trace import UnigramSnapshot, UnigramTrace
from tokensteps.cli.terminal.chips import in_a_row, terminal_chip
from tokensteps.drawing.stage_markup import frequency_text, more_text, pieces_count, words_count, words_shown
from tokensteps.drawing.tokens import Style
from tokensteps.drawing.training.merging import counted_as
from tokensteps.drawing.training.pieces import ranked_rows, seed_shown
from tokensteps.drawing.training.resplits import changed_splits
from tokensteps.language.i18n import _, count, ngettext
from tokensteps.language.numbers import chance, nats

NEWEST: Final = 60
"""Tokens of the vocabulary to show: as many as a wide terminal has room for."""
TableRow = Sequence[str | Text]


def panel_heading(title: str, number: str) -> Text:
    return Text.assemble((title, "bold"), "  ", (number, "dim"), no_wrap=True)


# --- Words --------------------------------------------------------------------------------------------------


def words_text(snapshot: Any, style: Style, rows: int, width: int) -> Text:
    """The words with their tokens, the words changed by this step first."""
    if isinstance(snapshot, MergeSnapshot):
        lines, corpus = [*merged_words(snapshot, style, width)], snapshot.trace.corpus_at(snapshot.step)
    else:
        lines, corpus = [*unigram_words(snapshot, style, width)], snapshot.trace.corpus
    shown = lines[: rows + 1]
    left = len(corpus.words) - (len(shown) - 1)
    if left > 0 and len(shown) > rows:
        shown[-1] = Text(more_text(left + 1), "dim")
    return Text("\n").join(shown)


def merged_words(snapshot: MergeSnapshot, style: Style, width: int) -> Iterator[Text]:
    """Of BPE and WordPiece: the merged token is set off, and other words step back."""
    trace, event = snapshot.trace, snapshot.event
    corpus = trace.corpus_at(snapshot.step)
    changed: Sequence[str] = event.words if event.kind == "merge" else ()
    title, number = counted_as(trace, snapshot.step)
    if event.kind == "merge":
        number = _("{changed} of {all} change").format(
            changed=count(len(changed)), all=count(len(corpus.words))
        )
    yield panel_heading(title, number)
    listed = sorted(words_shown(corpus.words, changed), key=lambda word: word not in changed)
    for word, groups in snapshot.marked(listed).items():
        tokens = [group[0] if len(group) == 1 else token_of(event) for group in groups]
        result = [index for index, group in enumerate(groups) if len(group) > 1]
        yield frequency_row(in_a_row(tokens, style, result), trace.count_at(snapshot.step, word), width)


def unigram_words(snapshot: UnigramSnapshot, style: Style, width: int) -> Iterator[Text]:
    """Of Unigram: best splits; of a word with a new split, the old one and the new one."""
    corpus = snapshot.trace.corpus
    changed = {one.word: one for one in changed_splits(snapshot)}
    yield panel_heading(_("Best splits"), words_count(len(corpus.words)))
    listed = sorted(words_shown(corpus.words, [*changed]), key=lambda word: word not in changed)
    splits = snapshot.splits(word for word in listed if word not in changed)
    for word in listed:
        if word in changed:
            was, now = (in_a_row(split, style) for split in (changed[word].before, changed[word].after))
            shown = Text(" → ").join((was, now))
        else:
            shown = in_a_row(splits[word], style)
        yield frequency_row(shown, snapshot.trace.word_frequencies[word], width)


def frequency_row(shown: Text, frequency: int, width: int) -> Text:
    """A word's tokens, as many as there is room for beside its frequency."""
    text = f"  {frequency_text(frequency)}"
    shown.truncate(max(1, width - cell_len(text)), overflow="ellipsis")
    return shown.append(text, "dim")


# --- Candidates ---------------------------------------------------------------------------------------------


def choices(snapshot: MergeSnapshot | UnigramSnapshot, style: Style, rows: int) -> Group:
    """The candidates of a merge, or the pieces of a step of Unigram."""
    if isinstance(snapshot, MergeSnapshot):
        return pairs(snapshot, style, rows)
    event = snapshot.event
    match event.kind:
        case "prune":
            return ranking(event, snapshot.trace, style, rows)
        case "start":
            return seed(snapshot, style, rows)
        case "finalize":
            return final(snapshot, style, rows)
        case _:
            return expected(event, style, rows)


def panel_table(title: str, number: str, names: Iterable[str], rows: Iterable[TableRow]) -> Group:
    """A table under its heading, with tokens in the first column and numbers in the others."""
    result = Table(box=None, pad_edge=False)
    for index, name in enumerate(names):
        result.add_column(name, justify="right" if index else "left", no_wrap=True, overflow="ellipsis")
    for cells in rows:
        result.add_row(*cells)
    return Group(panel_heading(title, number), result)


def pairs(snapshot: MergeSnapshot, style: Style, rows: int) -> Group:
    event = snapshot.event
    if event.kind == "merge":
        listed, number, chosen = event.candidates[:rows], event.pair_count, event.pair
        title = _("Pairs before this merge")
    else:
        listed, number, chosen = snapshot.candidates(rows), snapshot.pair_count, None
        title = _("Pairs to choose from")
    text = ngettext("{number} pair", "{number} pairs", number).format(number=count(number))
    scored = any(hasattr(one, "score") for one in listed)
    several = sum(one.tied for one in listed) > 1

    def cells(one: Any) -> TableRow:
        mark = _("merged") if one.pair == chosen else _("tied") if several and one.tied else ""
        shown = Text.assemble(in_a_row(one.pair, style), " ", (mark, "bold"))
        if scored:
            return [
                shown,
                count(one.freq),
                f"{count(one.first_freq)} × {count(one.second_freq)}",
                str(one.score),
            ]
        return [shown, count(one.freq), f"{one.change:+,}".replace("-", "−") if one.change else "·"]

    names = (_("pair"), _("count"), _("first × second"), _("score"))
    return panel_table(
        title, text, names if scored else (_("pair"), _("count"), _("change")), map(cells, listed)
    )


def ranking(event: PruneEvent, trace: UnigramTrace, style: Style, rows: int) -> Group:
    result = ranked_rows(event, lambda start, stop: trace.ranking(event.round, start, stop))

    def cells(one: Any) -> TableRow:
        if one is None:
            return ["⋯"]
        word = _("pruned") if one.rank == event.rank else _("gone") if one.rank < event.rank else ""
        shown = Text.assemble(terminal_chip(one.piece, style), " ", (word, "bold"))
        return [shown, chance(one.probability), nats(one.loss)]

    number = _("{pruned} of {ranked} pruned").format(pruned=count(event.pruned), ranked=count(event.ranked))
    exact = trace.method == "course"
    return panel_table(
        _("What each costs") if exact else _("What each costs, about"),
        number,
        (_("piece"), _("probability"), _("loss")),
        map(cells, islice(result, rows)),
    )


def seed(snapshot: UnigramSnapshot, style: Style, rows: int) -> Group:
    trace = snapshot.trace
    name = _("count") if trace.method == "course" else _("count × length")
    return panel_table(
        _("The seed's longer pieces"),
        pieces_count(len(trace.seed) - len(trace.alphabet)),
        (_("piece"), name, _("probability")),
        (
            [terminal_chip(piece, style), count(number), chance(math.exp(snapshot.pieces[piece]))]
            for piece, number in seed_shown(trace)[:rows]
        ),
    )


def expected(event: ExpectationEvent | MaximizationEvent, style: Style, rows: int) -> Group:
    likeliest = heapq.nlargest(rows, event.expected, key=lambda one: one.freq)
    after = event.kind == "m_step"

    def cells(one: Any) -> TableRow:
        probability = one.after if after else one.before
        text = _("dropped") if probability is None else chance(probability)
        return [terminal_chip(one.piece, style), f"{one.freq:,.2f}", text]

    return panel_table(
        _("From expected counts to probabilities") if after else _("Expected counts, highest first"),
        pieces_count(len(event.expected)),
        (_("piece"), _("expected count"), _("probability")),
        map(cells, likeliest),
    )


def final(snapshot: UnigramSnapshot, style: Style, rows: int) -> Group:
    longer = [(piece, log) for piece, log in snapshot.pieces.items() if len(piece) > 1]
    return panel_table(
        _("The most probable longer pieces"),
        pieces_count(len(longer)),
        (_("piece"), _("probability"), _("log probability")),
        ([terminal_chip(piece, style), chance(math.exp(log)), nats(log)] for piece, log in longer[:rows]),
    )


# --- The vocabulary, and the token of a step ----------------------------------------------------------------


def vocabulary(snapshot: Any, style: Style) -> Text:
    """The newest tokens, or the likeliest pieces."""
    if isinstance(snapshot, MergeSnapshot):
        title, tokens = _("Vocabulary, newest first"), snapshot.vocab[: -NEWEST - 1 : -1]
        result = [0] if snapshot.event.kind == "merge" else []
    else:
        title, result = _("Longer pieces left, most probable first"), []
        tokens = snapshot.trace.likeliest_at(snapshot.step, NEWEST)
    return Text.assemble((f"{title}  ", "bold"), in_a_row(tokens, style, result))


def token_of(event: Any) -> str:
    """The token made by a step, or the piece removed by it; "" for another step.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> trace = train_bpe(Corpus.from_counts({"hug": 10}), merges=1)
    >>> token_of(trace[0].event), token_of(trace[1].event)
    ('', 'hu')
    """
    return str(getattr(event, "token", "") or getattr(event, "piece", "") or "")
