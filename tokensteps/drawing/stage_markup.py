"""Common markup of all frames: the stage with its two panels, headings, tables, rows of words, bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice
from typing import Final

from tokensteps.drawing.tokens import fill
from tokensteps.language.i18n import _, count, ngettext, pgettext
from tokensteps.language.marks import marked

WORD_ROWS: Final = 8
"""Words in a frame's panel."""
WORDS_IN_FRAME: Final = 32
"""Words in the frame: in projector mode the panel shows as many as there is room for."""
WORDS_TO_COUNT: Final = 120
"""The most words in which people can count pairs."""
CANDIDATE_ROWS: Final = 8
"""Candidates, pieces or tries in a frame's panel."""


def stage_html(said: str, left: str, right: str, attributes: str = "", figures: str = "") -> str:
    """The stage: the narration, and two panels under it. `attributes` are for the page's scripts; `figures`
    are folded until opened."""
    folded = ""
    if figures:
        name = escape(_("Figures"))
        folded = f'<details class="figures"><summary>{name}</summary><p class="why">{figures}</p></details>'
    return (
        f'<div class="say"{attributes}><p>{said}</p>{folded}</div>'
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
    """A bar with this share of its room filled."""
    return f'<span class="{classes}" style="width:{max(2, round(100 * share))}%"></span>'


def way_html(name: str, figures: Iterable[tuple[str, int, str]], shown: str, cost: str) -> str:
    """A row about one way to cut a text: its name, its figures, each with a class of its own or "", the
    pieces, and a sentence. Names and texts are markup, those of the figures plain text."""
    cells = "".join(
        f'<div class="{kind}"><dt>{escape(figure)}</dt><dd>{count(number)}</dd></div>'
        for figure, number, kind in figures
    )
    return (
        f'<section><div><h3>{name}</h3><dl class="ts counts">{cells}</dl></div>'
        f'<div><div class="pieces">{shown}</div><p class="cost">{cost}</p></div></section>'
    )


def pick_html(identifier: str, shown: str) -> str:
    """A number, or other markup, that lights up the elements of this id while pointed at or focused: see
    `lit_chip`."""
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
    return f'<li class="w{classes}"><span class="ts">{shown}</span><span class="f">{escape(note)}</span></li>'


def word_list(rows: Iterable[str]) -> str:
    """Words' rows as a list, also to screen readers."""
    return f'<ul class="ws">{"".join(rows)}</ul>'


def rows_html(rows: Sequence[str], number: int, limit: int = WORD_ROWS) -> str:
    """The rows of a list of `number` words, the first `limit` of them for the page, and how many more words
    there are.

    >>> print(rows_html([word_html("a", ""), word_html("b", "")], 22, limit=1))
    <ul class="ws"><li class="w"><span class="ts">a</span><span class="f"></span></li><li class="w beyond"><span class="ts">b</span><span class="f"></span></li></ul><p class="more" data-more="20">and 21 more</p>
    """  # noqa: W505
    beyond = (row.replace('class="w', 'class="w beyond', 1) for row in rows[limit:])
    return word_list([*rows[:limit], *beyond]) + more_html(number - len(rows), len(rows[limit:]))


def more_html(undrawn: int, hidden: int = 0) -> str:
    """The number of a list's entries out of sight: not in the markup, or hidden there; nothing for none.

    The flipbook hides more for lack of room, and counts them as well.
    """
    total = undrawn + hidden
    return f'<p class="more" data-more="{undrawn}">{escape(more_text(total))}</p>' if total > 0 else ""


def more_text(number: int) -> str:
    """How many entries of a list are not in sight."""
    return ngettext("and {number} more", "and {number} more", number).format(number=count(number))


def strip_html(title: str, shown: str, undrawn: int) -> str:
    """The vocabulary as a strip of chips under the stage; `undrawn` tokens are left out."""
    rest = (
        f'<span class="k more" data-more="{undrawn}">{escape(more_text(undrawn))}</span>' if undrawn else ""
    )
    return f'<div class="vocab"><div><span class="k">{escape(title)}</span>{shown}{rest}</div></div>'


def words_shown(words: Sequence[str], changed: Sequence[str]) -> list[str]:
    """Which words to draw: all in their order when the page has room for them, else the changed ones first.

    >>> words_shown(["a", "b", "c"], ["b"])
    ['a', 'b', 'c']
    >>> words_shown([f"w{number}" for number in range(20)], ["w7", "w9"])[:3]
    ['w7', 'w9', 'w0']
    """
    if len(words) <= WORD_ROWS:
        return list(words)
    first = list(changed[:WORDS_IN_FRAME])
    others = (word for word in words[: 2 * WORDS_IN_FRAME] if word not in first)
    return first + list(islice(others, WORDS_IN_FRAME - len(first)))


def words_count(number: int) -> str:
    return ngettext("{number} word", "{number} words", number).format(number=count(number))


def pieces_count(number: int) -> str:
    return ngettext("{number} piece", "{number} pieces", number).format(number=count(number))


def token_count(number: int) -> str:
    return ngettext("{number} token", "{number} tokens", number).format(number=count(number))


def start_label() -> str:
    """Step 0 in a timeline: a state, not something to press."""
    return pgettext("step 0", "Start")
