"""Markup that frames of every subject share: the stage with its two panels, headings, tables, rows of words, bars."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import islice
from typing import Final

from tokensteps.drawing.tokens import fill
from tokensteps.language.i18n import count, ngettext
from tokensteps.language.marks import marked

WORD_ROWS: Final = 8
"""Words in a frame's panel."""
WORDS_TO_COUNT: Final = 120
"""Words among which people can count pairs; among more, nobody does."""
CANDIDATE_ROWS: Final = 8
"""Candidates, pieces or tries in a frame's panel."""


def stage_html(said: str, left: str, right: str, attributes: str = "") -> str:
    """The stage: what happened, and two panels under it. `attributes` are for the page's scripts."""
    return (
        f'<div class="say"{attributes}><p>{said}</p></div>'
        f'<div class="cols"><section>{left}</section><section>{right}</section></div>'
    )


def heading(title: str, note: str = "") -> str:
    """A panel's title, and a note at its other end."""
    return f"<h3><b>{marked(title)}</b><span>{escape(note)}</span></h3>"


def table_html(names: Sequence[str], rows: str, classes: str = "") -> str:
    """A table with a head; a column of bars has no name."""
    head = "".join(f"<th>{marked(name)}" if name else "<td>" for name in names)
    return f'<table class="{classes}"><tr>{head}{rows}</table>'


def bar(share: float, classes: str = "bar") -> str:
    """A bar that fills this share of its room."""
    return f'<span class="{classes}" style="width:{max(2, round(100 * share))}%"></span>'


def pick_html(identifier: str, shown: str) -> str:
    """A number, or other markup, that lights up what has this id while it is pointed at or focused: see `lit_chip`."""
    return f'<button type="button" class="n" data-pick="{identifier}">{shown}</button>'


def mark_html(word: str) -> str:
    """A word in small type beside a chip, such as "merged" or "tied"; nothing for none."""
    return f'<span class="mark">{escape(word)}</span>' if word else ""


def cut_mark(message: str, number: int) -> str:
    """How many tokens are not shown; nothing when all are."""
    return f'<span class="cut">{fill(message, number=count(number))}</span>' if number else ""


def frequency_text(frequency: int) -> str:
    """How often a word occurs in the corpus."""
    return f"× {count(frequency)}"


def word_html(shown: str, note: str, classes: str = "") -> str:
    """A word's row: its tokens, and a note at the other end."""
    return (
        f'<div class="w{classes}"><span class="ts">{shown}</span><span class="f">{escape(note)}</span></div>'
    )


def strip_html(title: str, shown: str, more: bool) -> str:
    """The vocabulary as a strip of chips under the stage; `more` says that some are left out."""
    rest = '<span class="k">…</span>' if more else ""
    return f'<div class="vocab"><div><span class="k">{escape(title)}</span>{shown}{rest}</div></div>'


def words_shown(words: Sequence[str], changed: Sequence[str]) -> list[str]:
    """Which words to show: all in their order when they fit, else the changed ones first.

    >>> words_shown(["a", "b", "c"], ["b"])
    ['a', 'b', 'c']
    >>> words_shown([f"w{number}" for number in range(20)], ["w7", "w9"])[:3]
    ['w7', 'w9', 'w0']
    """
    if len(words) <= WORD_ROWS:
        return list(words)
    first = list(changed[:WORD_ROWS])
    others = (word for word in words[: 2 * WORD_ROWS] if word not in first)
    return first + list(islice(others, WORD_ROWS - len(first)))


def words_count(number: int) -> str:
    return ngettext("{number} word", "{number} words", number).format(number=count(number))


def pieces_count(number: int) -> str:
    return ngettext("{number} piece", "{number} pieces", number).format(number=count(number))


def token_count(number: int) -> str:
    return ngettext("{number} token", "{number} tokens", number).format(number=count(number))
