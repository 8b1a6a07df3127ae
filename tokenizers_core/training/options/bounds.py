"""Bounds: pairs that are not merged however often they occur, and why."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from tokenizers_core.encoding.vocabulary import PrivatePair, Vocabulary

TAKEN: Final = "taken"
"""The token that the pair would make is an old one, which the old merges don't make here (`train_bpe`'s `extend`)."""


class Bounds:
    """What excludes pairs from a run; the answer for a pair never changes.

    >>> bounds = Bounds(Vocabulary(["h", "u", "hu"]), taken={"hu"})
    >>> bounds.reason("\\0\\1"), bounds.reason("\\1\\1")
    ('taken', '')
    """

    def __init__(self, vocabulary: Vocabulary, taken: Container[str] = ()) -> None:
        self.vocabulary, self.taken = vocabulary, taken
        self._known: dict[str, str] = {}

    def reason(self, pair: PrivatePair | str) -> str:
        """Why a pair may not be merged; "" if it may."""
        known = self._known.get(pair)
        if known is None:
            known = self._known[pair] = self._worked_out(pair)
        return known

    def _worked_out(self, pair: PrivatePair | str) -> str:
        first, second = (self.vocabulary.tokens[ord(symbol)] for symbol in pair)
        token = first + second.removeprefix(self.vocabulary.prefix)
        return TAKEN if token in self.taken else ""
