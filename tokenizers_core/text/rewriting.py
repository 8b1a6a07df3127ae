"""Rewritings of a text in files of other programs: Replace, Prepend, Strip, Nmt and Precompiled of the
`tokenizers` library.

`normalize` takes each in place of a name. Its `align` gives each new character's origin, a stretch of the
text: all of the replaced characters. (The library gives it the place of the last replaced character only, so
that the others would belong to no token.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Protocol

from tokenizers_core.text.charsmap import CharacterMap
from tokenizers_core.text.patterns import Stopwatch, matches_in, regex
from tokenizers_core.text.spans import Span

SECONDS = 2.0
"""The time for a file's regular expression on a text,"""
SECONDS_EACH = 2e-5
"""and more for each character."""


class Rewriting(Protocol):
    """One rewriting of a text."""

    def rewrite(self, text: str) -> str:
        """The new text."""

    def align(self, text: str) -> list[Span]:
        """For each character of the new text, its original stretch."""


def stopwatch_for(pattern: str, text: str) -> Stopwatch:
    """The time limit of a file's pattern on a text: in proportion to its length."""
    return Stopwatch(pattern, SECONDS + SECONDS_EACH * len(text))


@dataclass(frozen=True)
class Replace:
    """Writes `content` for each match of `pattern`, a plain text if `literal`.

    >>> numbers = Replace(r"\\d+", "<n>", literal=False)
    >>> numbers.rewrite("a 12"), numbers.align("a 12")
    ('a <n>', [(0, 1), (1, 2), (2, 4), (2, 4), (2, 4)])
    """

    pattern: str
    content: str
    literal: bool = True

    def matches(self, text: str) -> list[Span]:
        """The pattern's matches; none in an empty text, nor of an empty literal, as in the library."""
        if not text or (self.literal and not self.pattern):
            return []
        pattern = regex.escape(self.pattern, special_only=True) if self.literal else self.pattern
        return matches_in(text, pattern, stopwatch_for(pattern, text))

    def rewrite(self, text: str) -> str:
        if self.literal:
            return text.replace(self.pattern, self.content) if self.pattern else text
        ends = [0, *(edge for span in self.matches(text) for edge in span), len(text)]
        return self.content.join(text[start:end] for start, end in list(pairwise(ends))[::2])

    def align(self, text: str) -> list[Span]:
        return list(self._spans(text))

    def _spans(self, text: str) -> Iterator[Span]:
        reached = 0
        for start, end in self.matches(text):
            yield from ((at, at + 1) for at in range(reached, start))
            # An insertion between characters belongs to the character before, or else to the first.
            origin = (start, end) if start < end else (max(0, start - 1), max(1, start))
            yield from [origin] * len(self.content)
            reached = end
        yield from ((at, at + 1) for at in range(reached, len(text)))


@dataclass(frozen=True)
class Prepend:
    """Puts `front` before a non-empty text; it belongs to the first character.

    >>> Prepend("▁").rewrite("to"), Prepend("▁").align("to")
    ('▁to', [(0, 1), (0, 1), (1, 2)])
    """

    front: str

    def rewrite(self, text: str) -> str:
        return self.front + text if text else ""

    def align(self, text: str) -> list[Span]:
        return [(0, 1)] * len(self.front if text else "") + [(at, at + 1) for at in range(len(text))]


@dataclass(frozen=True)
class Strip:
    """Takes white space off the ends.

    >>> Strip(right=False).rewrite(" a "), Strip().align(" a ")
    ('a ', [(1, 2)])
    """

    left: bool = True
    right: bool = True

    def _stripped_span(self, text: str) -> Span:
        start = len(regex.match(r"\s*", text)[0]) if self.left else 0
        end = start + len(regex.sub(r"\s+\Z", "", text[start:])) if self.right else len(text)
        return start, end

    def rewrite(self, text: str) -> str:
        start, end = self._stripped_span(text)
        return text[start:end]

    def align(self, text: str) -> list[Span]:
        return [(at, at + 1) for at in range(*self._stripped_span(text))]


@dataclass(frozen=True)
class Nmt:
    r"""Leaves out control characters, and writes a space for other blanks, as SentencePiece's rules for
    translation do.

    >>> Nmt().rewrite("a\x07\tb\u200b"), Nmt().align("a\x07\tb\u200b")
    ('a b ', [(0, 1), (2, 3), (3, 4), (4, 5)])
    """

    def rewrite(self, text: str) -> str:
        return text.translate(_NMT)

    def align(self, text: str) -> list[Span]:
        return [(at, at + 1) for at, one in enumerate(text) if _NMT.get(ord(one), one) is not None]


_DROPPED: Final = (*range(0x01, 0x09), 0x0B, *range(0x0E, 0x20), 0x7F, 0x8F, 0x9F)
_BLANKS: Final = (
    0x09,
    0x0A,
    0x0C,
    0x0D,
    0x1680,
    *range(0x200B, 0x2010),
    0x2028,
    0x2029,
    0x2581,
    0xFEFF,
    0xFFFD,
)
_NMT: Final[dict[int, str | None]] = dict.fromkeys(_DROPPED) | dict.fromkeys(_BLANKS, " ")


@dataclass(frozen=True)
class Precompiled:
    """SentencePiece's compiled map as the library applies it: to a short grapheme as a whole, or else to each
    character.

    Of several keys at the start of a grapheme, the library takes the shortest, and drops the rest of the
    grapheme.
    """

    charsmap: bytes

    @property
    def _map(self) -> CharacterMap:
        return CharacterMap.of(self.charsmap)

    def _parts(self, text: str) -> Iterator[tuple[str, Span]]:
        """The replacement of each looked-up stretch, and the stretch's place."""
        shortest = self._map.shortest
        for match in regex.finditer(r"\X", text):
            grapheme, (start, end) = match[0], match.span()
            whole = shortest(grapheme) if len(grapheme.encode("utf-8")) < 6 else None
            if whole is not None:
                yield whole, (start, end)
                continue
            for at in range(start, end):
                single = shortest(text[at])
                yield text[at] if single is None else single, (at, at + 1)

    def rewrite(self, text: str) -> str:
        return "".join(written for written, _span in self._parts(text))

    def align(self, text: str) -> list[Span]:
        return [span for written, span in self._parts(text) for _ in written]
