"""The playground's downloads: the tokens as CSV, as JSON, and as an HTML page without any network."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from typing import Any, Final

from tokenizers_core.files.exports import csv_table, inert
from tokensteps.catalogue.analysis import Analysis
from tokensteps.drawing.chips import Shown, chips_html
from tokensteps.drawing.handout import standalone_page
from tokensteps.drawing.tokens import fill
from tokensteps.language.i18n import _, count, current_language, ngettext
from tokensteps.language.numbers import percent

TOKENS_DRAWN: Final = 20_000
"""Tokens in a saved page of HTML: a browser opens as many in a second or two."""

TOKEN_COLUMNS = ("index", "id", "token", "text", "start", "end", "bytes")


def _rows(analysis: Analysis) -> Iterator[tuple[Any, ...]]:
    """One row per token: its index, its id and spelling, the text it covers and where, its bytes."""
    subject, text = analysis.subject, analysis.text
    for index, (identifier, (start, end)) in enumerate(zip(analysis.ids, analysis.offsets, strict=True)):
        data = analysis.bytes_at(index).hex(" ")
        yield index, identifier, subject.token(identifier), text[start:end], start, end, data


def tokens_csv(analysis: Analysis) -> str:
    """The tokens as a table for programs: reading it gives the same again."""
    return csv_table(TOKEN_COLUMNS, _rows(analysis))


def tokens_sheet(analysis: Analysis) -> bytes:
    """The tokens as a table for a spreadsheet; cells that it would read as formulas get an apostrophe in
    front."""
    rows = (
        (index, identifier, inert(token), inert(text), start, end, data)
        for index, identifier, token, text, start, end, data in _rows(analysis)
    )
    return csv_table(TOKEN_COLUMNS, rows).encode("utf-8-sig", "replace")


def tokens_json(analysis: Analysis) -> str:
    """Text, counts and tokens. Offsets are in characters (code points); `end` is the one after the last."""
    subject = analysis.subject
    return json.dumps(
        {
            "tokenizer": subject.name,
            "algorithm": subject.algorithm,
            "vocab_size": subject.size,
            "text": analysis.text,
            "counts": {"tokens": len(analysis), "unknown": analysis.unknown, **analysis.counts._asdict()},
            "tokens": [dict(zip(TOKEN_COLUMNS, row, strict=True)) for row in _rows(analysis)],
        },
        ensure_ascii=False,
        indent=1,
    )


def tokens_html(analysis: Analysis, shown: Shown) -> str:
    """A self-contained page: the coloured tokens, their ids, the counts. It loads nothing from the
    network."""
    last = next(
        (index for index, stretch in enumerate(analysis.stretches) if stretch.last > TOKENS_DRAWN),
        len(analysis.stretches),
    )
    runs = analysis.runs(0, last)
    drawn = sum(len(run.pieces) for run in runs)
    remark = ""
    if drawn < len(analysis):
        remark = fill(_("The first {shown} of {all} tokens."), shown=count(drawn), all=count(len(analysis)))
    return standalone_page(
        "tokens",
        analysis.subject.name,
        language=current_language(),
        styles=("page/style.css", "components/chips.css", "handout/tokens.css"),
        counts=counts_html(analysis),
        remark=remark,
        chips=chips_html(runs, shown, chip=_("{text}: {ids}"), unknown=_("unk")),
        ids=", ".join(str(identifier) for identifier in analysis.ids[:drawn]),
    )


def counts_html(analysis: Analysis) -> str:
    """The counts as a row of figures."""
    counts = analysis.counts
    unknown = percent(f"{100 * analysis.unknown / len(analysis):.1f}") if len(analysis) else "–"
    figures = (
        (_("Tokens"), count(len(analysis)), "main"),
        (_("Characters"), count(counts.characters), ""),
        (_("Graphemes"), count(counts.graphemes), ""),
        (_("Words"), count(counts.words), ""),
        (_("Bytes"), count(counts.bytes), ""),
        (_("Tokens per word"), _ratio(analysis.per_word), ""),
        (_("Bytes per token"), _ratio(analysis.bytes_per_token), ""),
        (_("Unknown"), unknown, "warn" if analysis.unknown else ""),
    )
    cells = "".join(
        f'<div class="{kind}"><dt>{escape(name)}</dt><dd>{figure}</dd></div>'
        for name, figure, kind in figures
    )
    return f'<dl class="ts counts">{cells}</dl>'


def window_html(tokens: int, window: int | None) -> str:
    """The text's share of a context window, as a figure and a bar; nothing without a window."""
    if not window:
        return ""
    text = fill(
        escape(
            ngettext(
                "{share} of a context window of {size} token",
                "{share} of a context window of {size} tokens",
                window,
            )
        ),
        share=f"<b>{percent(f'{100 * tokens / window:.1f}')}</b>",
        size=count(window),
    )
    over = " over" if tokens > window else ""
    width = min(100.0, 100 * tokens / window)
    return f'<p class="ts window{over}"><span>{text}</span><span class="track"><i style="width:{width:.2f}%"></i></span></p>'


def _ratio(number: float | None) -> str:
    return "–" if number is None else f"{number:.2f}"
