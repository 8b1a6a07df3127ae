"""Overlapping windows of a too long text, and the windows with an answer."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from tokenizers_core.encoding.encoding import Encoding
from tokenizers_core.encoding.tasks import AnswerSpan
from tokenizers_core.text.spans import Span
from tokensteps.drawing.tokens import Style, chip, fill
from tokensteps.language.i18n import _, ngettext


class AnswerRange(NamedTuple):
    """Where the answer to a question is: characters `start` to `end` of one of the texts."""

    sequence: int
    start: int
    end: int


WINDOWS_DRAWN = 60


def windows_html(encoding: Encoding, style: Style, answer: AnswerRange | None) -> str:
    """A truncated encoding and its overflow, one window below the other, the first `WINDOWS_DRAWN`.

    Tokens shared with the window before are marked, and so are the answer's in a window with all of it.
    """
    windows = [encoding, *encoding.overflowing]
    answers: list[AnswerSpan | None] = [None] * len(windows)
    if answer is not None:
        answers = [
            AnswerSpan(number, window.tokens_on(answer.start, answer.end, answer.sequence))
            for number, window in enumerate(windows[:WINDOWS_DRAWN])
        ]
    lengths = [
        max(window.window(sequence)[1] for window in windows) for sequence in range(encoding.n_sequences)
    ]
    drawn = [
        _window(number, window, windows[number - 1] if number else None, lengths, style, answers[number])
        for number, window in enumerate(windows[:WINDOWS_DRAWN])
    ]
    return f'<div class="ts windows">{"".join(drawn)}</div>'


def _window(
    number: int,
    window: Encoding,
    before: Encoding | None,
    lengths: list[int],
    style: Style,
    answer: AnswerSpan | None,
) -> str:
    marks = [""] * len(window)
    for index, sequence in enumerate(window.sequence_ids):
        if sequence is None:
            marks[index] = "s" if window.attention_mask[index] else "s pad"
        elif (
            before is not None
            and _is_part(before, sequence, lengths)
            and index in _again(window, before, sequence)
        ):
            marks[index] = "again"
    text, result = "", ""
    if answer is not None:
        if answer.tokens is None:
            text, result = (
                _("Not all of the answer is here: a model has to answer (0, 0), the first token."),
                "no",
            )
        else:
            start, end = answer.tokens
            text, result = (
                _("The whole answer is here: its first token is {start}, its last is {end}.").format(
                    start=start, end=end
                ),
                "yes",
            )
            for index in range(start, end + 1):
                marks[index] += " hot"
    maps = "".join(
        _map(window.window(sequence), length, "AB"[sequence] if len(lengths) > 1 else "")
        for sequence, length in enumerate(lengths)
    )
    size = len(window)
    message = ngettext("Window {number}, {size} token", "Window {number}, {size} tokens", size)
    title = escape(message.format(number=number + 1, size=size))
    tokens = "".join(
        chip(token, style, mark.strip()) for token, mark in zip(window.tokens, marks, strict=True)
    )
    return (
        f'<section class="{result}"><h2>{title}</h2><div class=maps>{maps}</div><p class=row>{tokens}</p>'
        f"<p class=found>{escape(text)}</p></section>"
    )


def _is_part(window: Encoding, sequence: int, lengths: list[int]) -> bool:
    """Whether a window has only part of a text."""
    return window.window(sequence) != (0, lengths[sequence])


def _again(window: Encoding, before: Encoding, sequence: int) -> range:
    """The tokens of a window, by their place in it, shared with the one before."""
    (start, end), (first, last) = window.window(sequence), before.window(sequence)
    own = window.sequence_ids.index(sequence)
    return range(own + max(start, first) - start, own + max(0, min(end, last) - start))


def _map(window: Span, length: int, letter: str) -> str:
    """Which part of its text a window covers, as a bar on a line."""
    start, end = window
    if not length:
        return ""
    text = _("tokens {start} to {end} of {length}").format(start=start, end=end, length=length)
    if letter:
        text = _("{letter}: {told}").format(letter=letter, told=text)
    position = f"inset-inline-start:{100 * start / length:.1f}%;width:{100 * (end - start) / length:.1f}%"
    return fill(
        "{bar} {told}",
        bar=f'<span class=map><i style="{position}"></i></span>',
        told=f"<small>{escape(text)}</small>",
    )
