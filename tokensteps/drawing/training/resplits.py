"""The panel of words in Unigram's frames: each word's best split; of a re-split word, before and after."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice
from typing import Final

from tokenizers_core.encoding.models.lattice import Lattice
from tokenizers_core.training.pruning import ResplitWord
from tokenizers_core.training.unigram_trace import UnigramSnapshot
from tokensteps.drawing.stage_markup import (
    WORD_ROWS,
    WORDS_IN_FRAME,
    cut_mark,
    frequency_text,
    heading,
    rows_html,
    word_html,
    words_count,
    words_shown,
)
from tokensteps.drawing.tokens import Style, lit_chip, lit_id
from tokensteps.drawing.training.pieces import seed_shown
from tokensteps.language.i18n import _, count
from tokensteps.language.numbers import percent

TOKENS_IN_SPLIT: Final = 16
PIECES_SIDE_BY_SIDE: Final = 13
"""If the splits before and after have more pieces than this together, only the pieces around the change are
shown, …"""
PIECES_AROUND: Final = 3
"""… this many on either side."""
CHARACTERS_SIDE_BY_SIDE: Final = 24
"""Of a word with more characters, only the changed part is shown."""


def splits_panel(snapshot: UnigramSnapshot, style: Style, limit: int) -> str:
    """Words and their best splits, `limit` of them for the page; first the ones re-split in this step, before
    and after."""
    corpus, event = snapshot.trace.corpus, snapshot.event
    changed = {resplit.word: resplit for resplit in changed_splits(snapshot)}
    shown = words_shown(corpus.words, list(changed))
    if len(corpus.words) <= WORD_ROWS and changed:
        shown.sort(key=lambda word: word not in changed)
    number = words_count(len(corpus.words))
    if event.kind == "e_step":
        rows = [shared_row(snapshot.lattice(word), style) for word in shown]
        title = _("Best splits, and their share of all splits")
        return heading(title, number) + rows_html(rows, len(corpus.words), limit)
    title, gone = _("Best splits"), ""
    if event.kind == "prune":
        title, gone = _("Re-split words"), event.piece
        number = _("{changed} of {all}").format(changed=count(len(changed)), all=count(len(corpus.words)))
    frequencies = snapshot.trace.word_frequencies
    splits = snapshot.splits(word for word in shown if word not in changed)
    # The seed's counts are of substrings, wherever they occur; from then on a piece counts where the best
    # splits use it.
    counted = [piece for piece, _number in seed_shown(snapshot.trace)] if event.kind == "start" else None
    rows = [
        resplit_row(changed[word], gone, frequencies[word], style)
        if word in changed
        else split_row(splits[word], frequencies[word], event.kind == "start", style, counted)
        for word in shown
    ]
    return heading(title, number) + rows_html(rows, len(corpus.words), limit)


def changed_splits(snapshot: UnigramSnapshot) -> Sequence[ResplitWord]:
    """The words re-split by a prune; or among the words with room on the page, the ones re-split by a new
    model."""
    event = snapshot.event
    match event.kind:
        case "prune":
            return event.resplits
        case "m_step" | "finalize":
            words = list(islice(snapshot.trace.corpus.words, WORDS_IN_FRAME))
            before, after = snapshot.trace.splits(snapshot.step - 1, words), snapshot.splits(words)
            return [
                ResplitWord(word, before[word], after[word]) for word in words if before[word] != after[word]
            ]
        case "start" | "e_step":
            return []


def resplit_row(resplit: ResplitWord, gone: str, frequency: int, style: Style) -> str:
    """A word's split before and now; of a long one, the changed part."""
    before, after, cut = resplit.before, resplit.after, (False, False)
    long = len(resplit.word) > CHARACTERS_SIDE_BY_SIDE
    if long or len(before) + len(after) > PIECES_SIDE_BY_SIDE:
        same, rest = common_ends(before, after)
        around = 0 if long else PIECES_AROUND
        head, tail = max(0, same - around), max(0, rest - around)
        before, after = before[head : len(before) - tail], after[head : len(after) - tail]
        cut = head > 0, tail > 0
    was = "".join(
        lit_chip(piece, lit_id(piece), style, "gone" if piece == gone else "")
        for piece in before[:TOKENS_IN_SPLIT]
    )
    left, right = ('<span class="cut">…</span>' if away else "" for away in cut)
    now = split_html(after, style)
    return word_html(
        f'{left}{was}{rest_mark(before)}{right}<span class="to">→</span>{left}{now}{right}',
        frequency_text(frequency),
    )


def common_ends(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """How many pieces two splits have in common at the beginning, and at the end.

    >>> common_ends(("a", "bc", "d", "e"), ("a", "b", "c", "d", "e"))
    (1, 2)
    """
    most = min(len(before), len(after))
    same = next((index for index in range(most) if before[index] != after[index]), most)
    rest = next(
        (index for index in range(most - same) if before[-1 - index] != after[-1 - index]), most - same
    )
    return same, rest


def split_row(
    split: Sequence[str], frequency: int, lit: bool, style: Style, counted: Sequence[str] | None = None
) -> str:
    """A word and its best split; `counted` as in `split_html`."""
    return word_html(split_html(split, style, counted), frequency_text(frequency), "" if lit else " dim")


def shared_row(lattice: Lattice, style: Style) -> str:
    """A word's best split, and its share of the probability of all the word's splits."""
    best = lattice.best()
    if best is None:
        return ""
    share = math.exp(best.log_probability - lattice.log_total)
    digits = 0 if share < 0.995 or lattice.path_count == 1 else 1
    return word_html(split_html(best.pieces, style), percent(f"{100 * share:.{digits}f}"))


def split_html(split: Sequence[str], style: Style, counted: Sequence[str] | None = None) -> str:
    """A word's pieces, the first of many. Each lights up with its own number; if substrings are `counted`,
    with the overlapping ones."""
    shown = split[:TOKENS_IN_SPLIT]
    ids = [lit_id(piece) for piece in shown] if counted is None else overlapping_ids(split, counted)
    lit = (lit_chip(piece, its, style) for piece, its in zip(shown, ids, strict=False))
    return "".join(lit) + rest_mark(split)


def overlapping_ids(split: Sequence[str], counted: Sequence[str]) -> list[str]:
    """For each piece of a split the ids of overlapping substrings, separated by spaces.

    >>> [len(ids.split()) for ids in overlapping_ids(["h", "ug", "s"], ["hu", "ugs"])]
    [1, 2, 1]
    """
    word, start = "".join(split), 0
    spans = [(substring, at, at + len(substring)) for substring in counted for at in starts(substring, word)]
    ids = []
    for piece in split:
        end = start + len(piece)
        inside = [substring for substring, first, last in spans if first < end and start < last]
        ids.append(" ".join(dict.fromkeys(lit_id(substring) for substring in inside)))
        start = end
    return ids


def starts(substring: str, word: str) -> list[int]:
    """Where a substring begins in a word, overlapping occurrences included.

    >>> starts("aa", "aaa")
    [0, 1]
    """
    return [at for at in range(len(word)) if word.startswith(substring, at)]


def rest_mark(split: Sequence[str]) -> str:
    """How many pieces of a long word are not shown."""
    return cut_mark(_("{number} more"), max(0, len(split) - TOKENS_IN_SPLIT))
