"""Tokens found in a text before the model sees it, with the options of the `tokenizers` library's files.

Source and oracle: the library's added vocabulary. It looks for the longest token at each place, from left to
right; a token unwanted there (in the middle of a word) takes its place all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tokenizers_core.encoding.alignment import WHITE_SPACE
from tokenizers_core.text.patterns import regex
from tokenizers_core.text.spans import Span


class AddedToken(NamedTuple):
    """A token, and the options of its search: the names are the library's."""

    content: str
    single_word: bool = False
    """Only where no letter, digit or mark is beside it."""
    lstrip: bool = False
    """White space before it belongs to it,"""
    rstrip: bool = False
    """and white space after it."""
    normalized: bool = False
    """It is looked for, normalized itself, in the normalized text."""
    special: bool = True
    """It has no text: decoding may leave it out."""

    @property
    def plain(self) -> bool:
        """Whether it matches its own text everywhere, and nothing else."""
        return not (self.single_word or self.lstrip or self.rstrip)


class Segment(NamedTuple):
    """A stretch of text: a special token, or text for the model; offsets into the whole text."""

    text: str
    """The text there; of an added token its content."""
    start: int
    special: bool
    end: int


class Finder:
    """Finds some added tokens; `written` is how each is written in the text, by default its content.

    >>> finder = Finder([AddedToken("<mask>", lstrip=True), AddedToken("<m>")])
    >>> [(segment.text, segment.start, segment.end) for segment in finder.segments("a <mask><m>")]
    [('a', 0, 1), ('<mask>', 1, 8), ('<m>', 8, 11)]
    """

    def __init__(self, tokens: Sequence[AddedToken], written: Sequence[str] | None = None) -> None:
        self._tokens: dict[str, AddedToken] = {}
        for token, text in zip(tokens, written or [token.content for token in tokens], strict=True):
            if text:
                self._tokens.setdefault(text, token)
        lengths: dict[str, set[int]] = {}
        for text in self._tokens:
            lengths.setdefault(text[0], set()).add(len(text))
        self._lengths = {first: sorted(several, reverse=True) for first, several in lengths.items()}
        """First character → the lengths of its tokens, the longest first: files have thousands of tokens."""
        self._first = re.compile(f"[{re.escape(''.join(lengths))}]") if lengths else None
        self._plain = all(token.plain for token in self._tokens.values())

    def _matches(self, text: str) -> Iterator[Span]:
        """Where tokens are written, from left to right, the longest at each place."""
        position = 0
        while self._first and (match := self._first.search(text, position)):
            position = start = match.start()
            for length in self._lengths[text[start]]:
                end = start + length
                if end <= len(text) and text[start:end] in self._tokens:
                    position = end
                    yield start, end
                    break
            else:
                position += 1

    def segments(self, text: str) -> Iterator[Segment]:
        """The text cut at its tokens."""
        position = 0
        for start, end in self._matches(text):
            token = self._tokens[text[start:end]]
            if not self._plain:
                if token.single_word and _in_a_word(text, start, end):
                    continue
                if token.lstrip:
                    start = max(position, len(text[:start].rstrip(WHITE_SPACE)))
                if token.rstrip:
                    end = len(text) - len(text[end:].lstrip(WHITE_SPACE))
            if start > position:
                yield Segment(text[position:start], position, False, start)
            yield Segment(token.content, start, True, end)
            position = end
        if position < len(text):
            yield Segment(text[position:], position, False, len(text))


def _in_a_word(text: str, start: int, end: int) -> bool:
    return bool(
        regex.search(r"\w\Z", text[max(0, start - 1) : start]) or regex.match(r"\w", text[end : end + 1])
    )
