"""Tokens by id, and words written in ids: one private character for each token."""

from __future__ import annotations

from collections.abc import Iterable


class Vocabulary:
    """Tokens by id. The same string is always the same token, whichever way it was made.

    >>> vocabulary = Vocabulary(["u", "g"])
    >>> vocabulary.add("ug"), vocabulary.add("u"), len(vocabulary)
    (2, 0, 3)
    """

    def __init__(self, tokens: Iterable[str] = (), prefix: str = "") -> None:
        self.prefix = prefix
        """What tokens inside a word begin with, such as ``##``."""
        self.tokens: list[str] = []
        self.ids: dict[str, int] = {}
        for token in tokens:
            self.add(token)

    def __len__(self) -> int:
        return len(self.tokens)

    def add(self, token: str) -> int:
        """The id of `token`, which joins the vocabulary if it is new."""
        identifier = self.ids.setdefault(token, len(self.tokens))
        if identifier == len(self.tokens):
            self.tokens.append(token)
        return identifier

    def join(self, pair: str) -> int:
        """The id of the token that a pair of private characters makes; the second one's prefix goes.

        >>> vocabulary = Vocabulary(["h", "##u"], "##")
        >>> vocabulary.tokens[vocabulary.join(vocabulary.write(["h", "##u"]))]
        'hu'
        """
        first, second = self.tokens[ord(pair[0])], self.tokens[ord(pair[1])]
        return self.add(first + second.removeprefix(self.prefix))

    def write(self, symbols: Iterable[str]) -> str:
        """Symbols as one string of private characters."""
        ids = self.ids
        return "".join([chr(ids[symbol]) for symbol in symbols])

    def read(self, word: str) -> tuple[str, ...]:
        """The tokens that a string of private characters stands for."""
        tokens = self.tokens
        return tuple([tokens[ord(character)] for character in word])


def with_unknown(
    tokens: Iterable[str], special_tokens: Iterable[str], unk_token: str
) -> tuple[list[str], list[str]]:
    """Vocabulary and special tokens with the unknown token in both, added at the end where it is missing.

    >>> with_unknown(["a"], [], "[UNK]")
    (['a', '[UNK]'], ['[UNK]'])
    """
    return list(dict.fromkeys([*tokens, unk_token])), list(dict.fromkeys([*special_tokens, unk_token]))
