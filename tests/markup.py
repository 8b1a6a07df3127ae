"""Python's `html.parser`, which reads markup back as an oracle, without its cost for tags that frames hold
thousands of times."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any, ClassVar

PART = re.compile(r"([^<]+)|</([a-z][a-z0-9]*)>|(<[a-z][^>]*>)")
"""Text up to a tag, an end tag, or a start tag that ends with the next `>`."""
CACHED_TAGS = 20_000
"""The number of cached ways to write a start tag; beyond it, start tags are read anew."""


class Reader(HTMLParser):
    """Python's parser. It reads every way to write a start tag once for each class of readers; `understand`
    interprets one and `take` acts on it: frames have a few hundred of them over and over. Anything but text,
    an end tag or such a start tag, the parser reads itself."""

    known: ClassVar[dict[str, Any]]
    """Start tags as written → the results of `understand`."""

    def __init_subclass__(cls) -> None:
        cls.known = {}

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.feed(markup)
        self.close()

    def understand(self, tag: str, attrs: list[tuple[str, str | None]]) -> Any:
        """The facts of a start tag, the same in every place."""
        raise NotImplementedError

    def take(self, understood: Any) -> None:
        """A start tag is here."""
        raise NotImplementedError

    def feed(self, data: str) -> None:
        at = 0
        while not self.rawdata and self.cdata_elem is None and (part := PART.match(data, at)):
            text, ended, begun = part.groups()
            at = part.end()
            if text:
                self.handle_data(unescape(text))
            elif ended:
                self.handle_endtag(ended)
            elif begun in self.known:
                self.take(self.known[begun])
            else:
                super().feed(begun)
                whole = not self.rawdata and self.cdata_elem is None and not begun.endswith("/>")
                if whole and len(self.known) < CACHED_TAGS:
                    self.known[begun] = self.understood
        super().feed(data[at:])

    def updatepos(self, i: int, j: int) -> int:
        """Nobody asks for a line number."""
        return j

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"neither text nor an element: {data!r}")

    handle_decl = handle_pi = unknown_decl = handle_comment

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.understood = self.understand(tag, attrs)
        self.take(self.understood)
