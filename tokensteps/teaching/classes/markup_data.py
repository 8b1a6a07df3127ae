"""Our own markup as data: plain texts and tokens, drawn by the browser without ever taking a text for markup.

Messages through a class appear on others' screens, from unknown senders. So no markup travels, only this
data.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Final, TypedDict

COLOUR: Final = re.compile(r"\bc([0-9])\b")


class MarkupToken(TypedDict):
    """A token: as it is shown, and its place in the palette."""

    t: str
    c: int


MarkupPart = str | MarkupToken
"""A stretch of a sentence."""


class _Reader(HTMLParser):
    """Takes the texts and tokens out of the markup of `tokensteps.drawing.tokens` and `fill`."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[MarkupPart] = []
        self.token: MarkupToken | None = None
        self.depth = 0
        self.fraction = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = dict(attrs).get("class") or ""
        if tag == "bdi":
            colour = COLOUR.search(classes)
            if self.token is not None:  # a byte or a character by its name
                self.depth += 1
                if self.token["t"]:
                    self.token["t"] += " "
            elif colour:
                self.token, self.depth = {"t": "", "c": int(colour[1])}, 1
        elif classes == "frac":
            self.fraction = 1
        elif self.fraction and tag == "span":
            if self.fraction == 2:
                self.add(" / (")
            self.fraction += 1
        elif tag in ("p", "small") or classes == "given":
            self.add("\n" if tag != "span" else "  ")

    def handle_endtag(self, tag: str) -> None:
        if tag == "bdi" and self.token is not None:
            self.depth -= 1
            if not self.depth:
                self.parts.append(self.token)
                self.token = None
        elif tag == "span" and self.fraction == 3:
            self.add(")")
            self.fraction = 0

    def handle_data(self, data: str) -> None:
        if self.token is None:
            self.add(data)
        else:
            self.token["t"] += data

    def add(self, text: str) -> None:
        last = self.parts[-1] if self.parts else None
        if isinstance(last, str):
            self.parts[-1] = last + text
        else:
            self.parts.append(text)


def markup_parts(markup: str) -> list[MarkupPart]:
    """The texts and tokens of one of this app's sentences.

    >>> from tokensteps.drawing.tokens import Style, chip, fill
    >>> markup_parts(fill("{token} occurs <n> times", token=chip("ug")))
    [{'t': 'ug', 'c': 3}, ' occurs <n> times']
    >>> markup_parts(chip("ãģ", Style(byte_level=True)))
    [{'t': '0xE3 0x81', 'c': 5}]
    >>> markup_parts('= <span class="frac"><span>1</span><span>2 × 3</span></span>.')
    ['= 1 / (2 × 3).']
    """
    reader = _Reader()
    reader.feed(markup)
    reader.close()
    return [part for part in reader.parts if part != ""]
