"""Tokens by id, and words written in ids: one private character for each token."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from itertools import count
from typing import NewType

from tokenizers_core.errors import SettingError, refuse_wrong_type
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL, rewriting_table

Private = NewType("Private", str)
"""Tokens written as one private character each, ``chr(id)``: a word, or a single token.

That is compact and quick, and `str.replace` merges exactly as BPE does: every occurrence, left to right,
without overlap. The type keeps such strings apart from readable text.
"""

PrivatePair = NewType("PrivatePair", str)
"""Two neighbouring tokens as two private characters."""


class Vocabulary:
    """Tokens by id. The same string is always the same token, whichever way it was made; "" is an unused id.

    >>> vocabulary = Vocabulary(["u", "g"])
    >>> vocabulary.add("ug"), vocabulary.add("u"), len(vocabulary)
    (2, 0, 3)
    >>> Vocabulary(["u", "", "", "g"]).ids
    {'u': 0, 'g': 3}
    """

    def __init__(self, tokens: Iterable[str] = (), prefix: str = "") -> None:
        self.prefix = prefix
        """The continuation prefix, such as ``##``."""
        value = list(tokens)
        self.tokens = value if "" in value else list(dict.fromkeys(value))
        self.ids = dict(zip(self.tokens, count()))
        self.ids.pop("", None)

    def __len__(self) -> int:
        return len(self.tokens)

    def add(self, token: str) -> int:
        """The id of `token`, added to the vocabulary if it is new."""
        identifier = self.ids.setdefault(token, len(self.tokens))
        if identifier == len(self.tokens):
            self.tokens.append(token)
        return identifier

    def join(self, pair: PrivatePair) -> int:
        """The id of a pair's merged token; the second token loses its prefix.

        >>> vocabulary = Vocabulary(["h", "##u"], "##")
        >>> vocabulary.tokens[vocabulary.join(vocabulary.write_pair(["h", "##u"]))]
        'hu'
        """
        first, second = self.tokens[ord(pair[0])], self.tokens[ord(pair[1])]
        return self.add(first + second.removeprefix(self.prefix))

    def write(self, symbols: Iterable[str]) -> Private:
        """Symbols as one string of private characters."""
        return Private("".join(map(chr, map(self.ids.__getitem__, symbols))))

    def byte_table(self, separator: str) -> str:
        """The table for `rewritten` to convert words in the byte alphabet, `separator` between two; "" if a
        byte is no token.

        >>> Vocabulary(["u", "g"]).byte_table("|")
        ''
        """
        complete = self.ids.keys() >= set(BYTE_TO_SYMBOL)
        return rewriting_table(self.write(BYTE_TO_SYMBOL), separator) if complete else ""

    def write_pair(self, pair: Iterable[str]) -> PrivatePair:
        """Two tokens as two private characters."""
        return PrivatePair(self.write(pair))

    def read(self, word: Private | PrivatePair) -> tuple[str, ...]:
        """The tokens behind a string of private characters."""
        tokens = self.tokens
        return tuple([tokens[ord(character)] for character in word])

    @staticmethod
    def numbers(word: Private) -> tuple[int, ...]:
        """The ids of a string of private characters: for a long one this is quicker than `ord` of each."""
        return struct.unpack(f"<{len(word)}I", word.encode("utf-32-le", "surrogatepass"))


def with_unknown(
    tokens: Iterable[str], special_tokens: Iterable[str], unk_token: str
) -> tuple[list[str], list[str]]:
    """Vocabulary and special tokens with the unknown token in both, added at the end where it is missing.
    Raises SettingError for one without a name.

    >>> with_unknown(["a"], [], "[UNK]")
    (['a', '[UNK]'], ['[UNK]'])
    """
    refuse_wrong_type("unk_token", unk_token, str, "name a token, such as '[UNK]'")
    if not unk_token:
        raise SettingError(name="unk_token", value=unk_token, reason="name a token, such as [UNK]")
    return list(dict.fromkeys([*tokens, unk_token])), list(dict.fromkeys([*special_tokens, unk_token]))
