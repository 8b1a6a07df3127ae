"""A frame as markup, readable also in a notebook viewer without styles, scripts and frames: GitHub, an
untrusted notebook. Tokens are code, columns a table."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from html.parser import HTMLParser
from typing import Final

COLUMN_CLASSES: Final = frozenset({"cols", "trio", "lat"})
WITHOUT_TEXT: Final = frozenset({"unseen", "legend", "facts", "ruler", "track", "bar", "at", "joint", "go"})
"""Parts without a meaning of their own in a text."""
PLAIN_TAGS: Final[Mapping[str, str]] = {
    **{tag: tag for tag in ("p", "b", "small", "ul", "li", "table", "tr", "td", "th")},
    "section": "td", "h3": "p", "h4": "p", "summary": "p", "button": "span",
}  # fmt: skip
"""An element of a frame → its replacement; others leave their contents."""


class _Plain(HTMLParser):
    def __init__(self, markup: str, room: int) -> None:
        super().__init__(convert_charrefs=True)
        self.room = room
        self.result: list[str] = []
        self.open: list[tuple[str, str]] = []
        """Open elements, each with the end tag of its replacement."""
        self.hidden = 0
        """How many of them are in an omitted part."""
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = {*str(dict(attrs).get("class") or "").split()}
        full = self.room < 0
        if tag in ("td", "th", "tr"):  # which frames don't close
            if not (self.hidden or full):
                self._add(f"<{tag}>")
            return
        parent = self.open[-1] if self.open else ("", "")
        # Of the two beats of a merge, the second stays.
        if self.hidden or full or classes & WITHOUT_TEXT or (parent[1] == "<!--m-->" and tag == "span"):
            self.hidden += 1
            self.open.append((tag, ""))
            return
        start, end = "", ""
        if "t" in classes:
            start, end = "<code>", "</code> "
        elif "m" in classes:
            end = "<!--m-->"
        elif classes & COLUMN_CLASSES:
            start, end = "<table><tr>", "</table>"
        elif tag in PLAIN_TAGS:
            start, end = f"<{PLAIN_TAGS[tag]}>", f"</{PLAIN_TAGS[tag]}> "
        elif tag == "div":
            end = "<br>"
        elif tag == "span":
            end = " " if classes & {"f", "k", "mark", "n"} else ""
        self._add(start)
        self.open.append((tag, end))

    def handle_endtag(self, tag: str) -> None:
        while self.open and tag not in ("td", "th", "tr"):
            name, end = self.open.pop()
            if self.hidden:
                self.hidden -= 1
            self._add(end.replace("<!--m-->", ""))
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self._add(escape(data))

    def _add(self, markup: str) -> None:
        was_full, self.room = self.room < 0, self.room - len(markup.encode("utf-8", "replace"))
        self.result.append(markup if was_full or self.room >= 0 else f"{markup} … ")


def plain_frame(markup: str, room: int) -> str:
    """A frame's markup without its classes, attributes and styles. After `room` bytes no more of its elements
    begin, and an ellipsis says so.

    >>> plain_frame(
    ...     '<div class="cols"><section><li class="w"><bdi class="t c1">h</bdi><span class="m"><span><bdi class="t">u</bdi></span>'
    ...     '<bdi class="t hot">ug</bdi></span><span class="f">× 3</span></li></section></div>',
    ...     100,
    ... )
    '<table><tr><td><li><code>h</code> <code>ug</code> × 3 </li> </td> </table>'
    """  # noqa: W505
    return "".join(_Plain(markup, room).result)
