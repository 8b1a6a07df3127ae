"""Pairs of neighbours in a word, and the result of merging one."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tokenizers_core.encoding.vocabulary import Private, PrivatePair


class Pair(NamedTuple):
    """Two neighbouring tokens of one word."""

    first: str
    second: str


def merge_pair(symbols: Sequence[str], pair: Pair, token: str | None = None) -> tuple[str, ...]:
    """`symbols` with every occurrence of `pair` replaced by one token, left to right, without overlap.

    >>> merge_pair(("h", "u", "g", "s"), Pair("u", "g"))
    ('h', 'ug', 's')
    >>> merge_pair(("a", "a", "a"), Pair("a", "a"))
    ('aa', 'a')
    """
    pair = Pair(*pair)
    token = pair.first + pair.second if token is None else token
    return tuple(token if len(group) == 2 else group[0] for group in group_pair(symbols, pair))


def split_word(word: str, prefix: str = "", suffix: str = "") -> tuple[str, ...]:
    """A word's symbols: its characters, with `prefix` on all but the first, and `suffix` at the end.

    >>> split_word("hug"), split_word("hug", prefix="##"), split_word("hug", suffix="</w>")
    (('h', 'u', 'g'), ('h', '##u', '##g'), ('h', 'u', 'g', '</w>'))
    """
    inside = [prefix + character for character in word[1:]] if prefix else word[1:]
    return (*word[:1], *inside, *filter(None, [suffix]))


def group_pair(symbols: Sequence[str], pair: Pair) -> list[tuple[str, ...]]:
    """The merges of `merge_pair` as groups: the pair where it merges, every other symbol by itself.

    >>> group_pair(("a", "a", "a"), Pair("a", "a"))
    [('a', 'a'), ('a',)]
    """
    groups: list[tuple[str, ...]] = []
    position = 0
    while position < len(symbols):
        width = 2 if tuple(symbols[position : position + 2]) == pair else 1
        groups.append(tuple(symbols[position : position + width]))
        position += width
    return groups


SEPARATOR = chr(0x10FFFF)
"""Stands between two words when a whole corpus is one string; no token id reaches it."""


def neighbours(word: Private) -> Iterator[PrivatePair]:
    """The pairs of neighbours in a word, overlapping ones included.

    >>> list(neighbours(Private("aaab")))
    ['aa', 'aa', 'ab']
    """
    return map(operator.add, word, word[1:])
