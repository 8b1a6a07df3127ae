"""A chat as the model reads it: the messages' text in colour, the template's text around it set apart."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from tokenizers_core.text.spans import Span
from tokensteps.drawing.chips import TextRun, line_html
from tokensteps.drawing.tokens import Style, colour, token_html
from tokensteps.language.i18n import _
from tokensteps.language.numbers import percent

SHOWN_SPACES: Final = Style(show="spaces")


def owner(start: int, end: int, own: Sequence[Sequence[Span]]) -> int | None:
    """The message of a stretch of the chat, if only of a part of it; None for the template.

    >>> owner(3, 6, [((0, 2),), ((5, 9),)]), owner(2, 5, [((0, 2),), ((5, 9),)])
    (1, None)
    """
    for number, spans in enumerate(own):
        if any(max(start, first) < min(end, last) for first, last in spans):
            return number
    return None


def chat_html(runs: Sequence[TextRun], own: Sequence[Sequence[Span]], legend: bool = True) -> str:
    """The chat's tokens, a block for each line; `own` are the stretches of each message's own text."""
    lines: list[list[tuple[str, str]]] = [[]]
    for run in runs:
        lines[-1].append((_chip(run, owner(run.start, run.end, own)), run.text))
        if "\n" in run.text:
            lines.append([])
    drawn = "".join(line_html(line) for line in lines if line)
    return f'<div class="ts chat">{_legend() if legend else ""}{drawn}</div>'


def _chip(run: TextRun, message: int | None) -> str:
    if not run.pieces:
        return f"<bdi class=gap>{token_html(run.text, SHOWN_SPACES)}</bdi>"
    special = all(piece.special and not piece.unknown for piece in run.pieces)
    kind = f"c{colour(run.pieces[0].token)}" if message is not None and not special else "of"
    marks = f"{' s' if special else ''}{' in' if special and message is not None else ''}"
    ids = ", ".join(str(piece.id) for piece in run.pieces)
    shown = token_html(run.text or run.pieces[0].token, SHOWN_SPACES)
    return f'<bdi class="t {kind}{marks}" title="{ids}">{shown}</bdi>'


def _legend() -> str:
    kinds = (
        ("c0", _("a message's own text")),
        ("of", _("text of the template")),
        ("of s", _("special token")),
    )
    shown = "".join(f'<span><i class="t {kind}"></i> {escape(name)}</span>' for kind, name in kinds)
    return f'<p class="legend">{shown}</p>'


def cost_html(tokens: int, own: int, special: int) -> str:
    """The cost of a chat: all its tokens, the messages', and the template's."""
    template = tokens - own
    share = percent(f"{100 * template / tokens:.0f}") if tokens else "–"
    figures = (
        (_("Tokens"), f"{tokens:,}", "main"),
        (_("of the messages"), f"{own:,}", ""),
        (_("of the template"), f"{template:,}", ""),
        (_("of those, special"), f"{special:,}", ""),
        (_("The template's share"), share, ""),
    )
    cells = "".join(
        f'<div class="{kind}"><dt>{escape(name)}</dt><dd>{figure}</dd></div>'
        for name, figure, kind in figures
    )
    return f'<dl class="ts counts">{cells}</dl>'
