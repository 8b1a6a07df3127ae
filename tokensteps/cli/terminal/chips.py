"""Tokens as coloured chips in a terminal. Their text is `readable`: control characters have a name there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.cells import cell_len
from rich.style import Style as Look
from rich.text import Text

from tokensteps.drawing.tokens import Style, colour, readable

BACKGROUNDS: Final = (
    "#bcd9f7", "#fbe0a2", "#bce8d0", "#ecc6ec", "#f9c4b9", "#cfcaf6", "#b9e5ea", "#ded9c4", "#dbe8a6", "#f6c3d9",
)  # fmt: skip
"""The page's ten colours, somewhat stronger, under dark letters: they stand on any terminal's own
background."""
NEW_TOKEN: Final = "bold underline"
"""A token made just now, also without colours."""


def terminal_chip(token: str, style: Style, more: str = "") -> Text:
    """A token on its colour; `more` is how it is set off."""
    look = Look(color="#1a1a1a", bgcolor=BACKGROUNDS[colour(token)]) + Look.parse(more)
    return Text.assemble((readable(token, style), look), no_wrap=True)


def in_a_row(tokens: Iterable[str], style: Style, highlighted: Iterable[int] = ()) -> Text:
    """Tokens with a space between them; the ones at the indices in `highlighted` are set off."""
    new = {*highlighted}
    return Text(" ").join(
        terminal_chip(token, style, NEW_TOKEN if at in new else "") for at, token in enumerate(tokens)
    )


def with_ids(tokens: Sequence[str], ids: Sequence[int], style: Style, width: int) -> Iterator[Text]:
    """Lines of tokens, each with its id under it, as many in a line as there is room for."""
    upper, lower, used = Text(no_wrap=True), Text(no_wrap=True), 0
    for token, identifier in zip(tokens, ids, strict=True):
        shown, number = terminal_chip(token, style), Text(str(identifier), "dim")
        room = max(cell_len(shown.plain), len(number))
        if used and used + 1 + room > width:
            yield from without_blanks(upper, lower)
            upper, lower, used = Text(no_wrap=True), Text(no_wrap=True), 0
        for line, one in ((upper, shown), (lower, number)):
            line.append(" " if used else "").append_text(one).append(" " * (room - cell_len(one.plain)))
        used += room + (1 if used else 0)
    if used:
        yield from without_blanks(upper, lower)


def without_blanks(*lines: Text) -> Iterator[Text]:
    """Lines without the blanks behind them."""
    for line in lines:
        line.rstrip()
        yield line
