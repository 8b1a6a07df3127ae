"""SentencePiece's normalizer: the whole text at once, before any search for tokens in it.

Characters are rewritten by a compiled map, except in user-defined symbols; white space is trimmed, put in
front or behind, and written as `▁`, by the model's settings. Source: SentencePiece's normalizer.cc; oracle:
the library.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tokenizers_core.lazy import cached_property
from tokenizers_core.text.charsmap import CharacterMap
from tokenizers_core.text.spans import Span
from tokenizers_core.text.splitting import SPACE_MARK

Placed = tuple[str, int, int]
"""A character of the normalized text, and where it came from."""


@dataclass(frozen=True)
class PieceNormalizer:
    """A SentencePiece model's rewriting of a text.

    >>> PieceNormalizer().rewrite(" to  be "), PieceNormalizer(symbols=("<b>",)).rewrite("to <b> be")
    ('▁to▁be', '▁to▁<b>▁be')
    >>> PieceNormalizer(one_space=False, mark_behind=True).rewrite(" to")
    '▁to▁'
    """

    charsmap: bytes = b""
    """The map, compiled."""
    symbols: tuple[str, ...] = ()
    """Tokens safe from the rules of the map."""
    adds_mark: bool = True
    """Whether a space is put in front of a text."""
    one_space: bool = True
    """Whether white space at the ends goes, and several spaces become one."""
    writes_marks: bool = True
    """Whether a space is written as `▁`."""
    mark_behind: bool = False
    """Whether the space is put behind the text instead."""

    @property
    def space(self) -> str:
        """How a space is written."""
        return SPACE_MARK if self.writes_marks else " "

    def rewrite(self, text: str) -> str:
        return "".join(character for character, _start, _end in self._placed(text))

    def align(self, text: str) -> list[Span]:
        return [(start, end) for _character, start, end in self._placed(text)]

    def _placed(self, text: str) -> list[Placed]:
        """The normalized text, character by character."""
        parts = list(self._rewritten(text))
        first = 0
        while self.one_space and first < len(parts) and parts[first][0] == " ":
            first += 1
        if first == len(parts):
            return []
        placed: list[Placed] = []
        after_space = self.one_space
        for written, start, end in parts[first:]:
            remaining = written.lstrip(" ") if after_space else written
            placed += [(self.space if one == " " else one, start, end) for one in remaining]
            if remaining or not after_space:
                after_space = self.one_space and remaining.endswith(" ")
        while self.one_space and placed and placed[-1][0] == self.space:
            placed.pop()
        if not self.adds_mark or (self.one_space and not self.mark_behind and not placed):
            return placed  # the added mark is a space at the end, too
        # A mark belongs to the character beside it.
        if self.mark_behind:
            return [*placed, (self.space, *(placed[-1][1:] if placed else (0, len(text))))]
        return [(self.space, *(placed[0][1:] if placed else (0, len(text)))), *placed]

    @cached_property
    def _symbol(self) -> re.Pattern[str] | None:
        """The longest symbol at a place."""
        longest_first = sorted(self.symbols, key=len, reverse=True)
        return re.compile("|".join(map(re.escape, longest_first))) if self.symbols else None

    def _rewritten(self, text: str) -> Iterator[Placed]:
        """The replacement of each stretch of the text, taken by the map or a symbol."""
        longest = CharacterMap.of(self.charsmap).longest
        symbols = self._symbol
        at = 0
        while at < len(text):
            match = symbols.match(text, at) if symbols else None
            written, width = (match[0], len(match[0])) if match else longest(text, at)
            yield written, at, at + width
            at += width
