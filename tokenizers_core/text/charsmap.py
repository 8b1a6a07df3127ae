"""SentencePiece's compiled character maps: replacements of certain characters, or several in a row.

A map is the size of a trie, the trie, and its texts, each with a zero behind it. The trie is a double array,
as in Darts: from a place, a byte leads to the place with that difference of numbers. Nothing in the file is
trusted.

Sources: SentencePiece's builder.cc, normalizer.cc and darts.h; `spm_precompiled`, the reader in the
`tokenizers` library.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

LABEL: Final = (1 << 31) | 0xFF
VALUE: Final = (1 << 31) - 1
MAPS_CACHED: Final = 8
LONGEST_KEY: Final = 32
"""The most characters of a key here; SentencePiece's own have at most 18."""
KNOWN_LIMIT: Final = 50_000
"""Stretches of text cached by a map."""


class CharacterMap:
    """A compiled map, ready for look-ups. Raises ValueError for invalid bytes.

    >>> CharacterMap(b"").longest("ab", 0)
    ('a', 1)
    """

    def __init__(self, data: bytes) -> None:
        size = int.from_bytes(data[:4], "little")
        if data and (len(data) < 4 or size % 4 or size > len(data) - 4):
            raise ValueError("its character map was cut off")
        self._units = array("I", data[4 : 4 + size])
        if sys.byteorder == "big":
            self._units.byteswap()
        self._texts = data[4 + size :]
        self._alone: dict[str, str | None] = {}

    @staticmethod
    @lru_cache(MAPS_CACHED)
    def of(data: bytes) -> CharacterMap:
        """The same map for the same bytes."""
        return CharacterMap(data)

    def _prefixes(self, key: bytes) -> Iterator[tuple[int, int]]:
        """The length of each prefix of `key` in the map, and the position of its text: the shortest first."""
        units, position = self._units, 0
        unit = units[0] if units else 0
        position ^= (unit >> 10) << ((unit & 0x200) >> 6)
        for length, byte in enumerate(key if units else b"", start=1):
            position ^= byte
            if not byte or position >= len(units) or (units[position] & LABEL) != byte:
                return
            unit = units[position]
            position ^= (unit >> 10) << ((unit & 0x200) >> 6)
            if unit & 0x100 and position < len(units):
                yield length, units[position] & VALUE

    def _text(self, start: int) -> str:
        end = self._texts.find(b"\0", start)
        return self._texts[start : end if end >= 0 else len(self._texts)].decode("utf-8", "replace")

    def shortest(self, text: str) -> str | None:
        """The replacement of the shortest key at the start of `text`; None if there is none."""
        if text not in self._alone:
            result = next(self._prefixes(text.encode("utf-8")), None)
            if len(self._alone) > KNOWN_LIMIT:
                self._alone.clear()
            self._alone[text] = None if result is None else self._text(result[1])
        return self._alone[text]

    def longest(self, text: str, at: int) -> tuple[str, int]:
        """The replacement of the longest key at a place of a text, and the key's length in characters;
        without one, the character itself."""
        key = text[at : at + LONGEST_KEY].encode("utf-8")
        keys = list(self._prefixes(key))
        if not keys:
            return text[at], 1
        result = keys[-1]
        return self._text(result[1]), len(key[: result[0]].decode("utf-8", "ignore")) or 1
