"""All ways to cut a word under each other, symbol under symbol, to show their differences."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from tokenizers_core.encoding.cuts.table import WordCut
from tokenizers_core.encoding.cuts.ways import SAMPLED, WordCuts, WordWays
from tokensteps.drawing.narration.cuts import tell_where_ways_part
from tokensteps.drawing.narration.text_format import Marked
from tokensteps.drawing.stage_markup import mark_html
from tokensteps.drawing.tokens import Style, chip, chips
from tokensteps.language.i18n import _, count, listed, pgettext
from tokensteps.language.marks import MARKS_IN_FRAME, first_marks, marked
from tokensteps.language.names import USE_NAMES

PATHS_UNDER = 4
"""The number of further shortest paths with a row."""


def ways_of_word_html(ways: WordWays, style: Style) -> str:
    """The ways, one a row; with a dashed line at each boundary not common to all."""
    rows: list[tuple[str, str, WordCut | None]] = []
    for way, cut in ways.cuts.items():
        note = _("the tokenizer's own way") if way == ways.own else ""
        if way == "fewest_tokens" and ways.path_count > 1:
            text = _("{number} splits have as few").format(number=count(ways.path_count))
            note = listed(filter(None, [note, text]))
        rows.append((_(USE_NAMES[way]), note, cut))
        if way == "fewest_tokens":
            rows += [("", "", path) for path in ways.paths[1 : 1 + PATHS_UNDER]]
    drawn = "".join(
        way_row(name, note, cut, ways.cuts.get(ways.own), index, style)
        for index, (name, note, cut) in enumerate(rows, start=1)
    )
    lines = "".join(
        f'<i class="part" style="grid-area:1/{boundary + 1}/{len(rows) + 1}/{boundary + 2}"></i>'
        for boundary in parting(ways)
    )
    said = tell_where_ways_part(ways, Marked(style))
    return first_marks(
        f'<div class="ts cuts"><p class="k">{said}</p><div class="pane" role="list" style="--n:{max(1, len(ways.symbols))}">{lines}{drawn}</div></div>',
        MARKS_IN_FRAME + len(ways.cuts),
    )


def parting(ways: WordWays) -> list[int]:
    """The boundaries within a word on which the ways disagree; a sample isn't counted."""
    cuts = [cut for way, cut in ways.cuts.items() if cut is not None and way != SAMPLED] + [*ways.paths]
    sets = [{one.end for one in cut} for cut in cuts]
    shared = set.intersection(*sets) if sets else set()
    return sorted(set().union(*sets) - shared)


def way_row(name: str, note: str, cut: WordCut | None, own: WordCut | None, row: int, style: Style) -> str:
    """One way: its name, its tokens in their columns, and how many there are."""
    shown = "".join(
        f'<span class="p" style="grid-area:{row}/{one.start + 2}/auto/{one.end + 2}">{chip(one.token, style)}</span>'
        for one in cut or ()
    )
    if cut is None:
        text = escape(_("can't be cut this way"))
        shown = f'<span class="none" style="grid-area:{row}/2/auto/-2">{text}</span>'
    unlike = own is not None and cut is not None and cut != own
    marks = listed(filter(None, [note, _("another split") if unlike else ""]))
    return (
        f'<div role="listitem"><span class="n" style="grid-area:{row}/1"><b>{marked(name)}</b> <small>{escape(marks)}</small></span>'
        f'{shown}<span class="f" style="grid-area:{row}/-2">{"" if cut is None else count(len(cut))}</span></div>'
    )


def differing_html(words: Sequence[WordCuts], own: str, style: Style) -> str:
    """The words with the greatest differences: each with its different splits, and their ways."""
    rows = ""
    for one in words:
        by_cut: dict[WordCut, list[str]] = {}
        for way, cut in one.cuts.items():
            if cut is not None:
                by_cut.setdefault(cut, []).append(way)
        for index, (cut, result) in enumerate(by_cut.items()):
            names = listed(_(USE_NAMES[way]) for way in result)
            times = f'<td rowspan="{len(by_cut)}">{count(one.occurrences)}' if not index else ""
            rows += (
                f'<tr{" class=first" if not index else ""}>{times}<td><span class="pieces">{chips([piece.token for piece in cut], style)}</span>'
                f"<td>{count(len(cut))}<td>{escape(names)}{_own_mark(result, own)}"
            )
    heads = (_("Count"), pgettext("a word's", "Split"), _("Tokens"), _("Ways"))
    head = "".join(f"<th>{escape(name)}" for name in heads)
    return f'<div class="ts segmentations"><table class="differing"><tr>{head}{rows}</table></div>'


def _own_mark(ways: list[str], own: str) -> str:
    return mark_html(_("the tokenizer's own way") if own in ways else "")
