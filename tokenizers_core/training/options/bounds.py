"""Bounds: pairs that are not merged however often they occur, and why."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from tokenizers_core.encoding.vocabulary import PrivatePair, Vocabulary

TAKEN: Final = "taken"
"""The token that the pair would make is an old one, which the old merges don't make here (`train_bpe`'s `extend`)."""

LENGTH: Final = "length"
"""The token would be longer than `max_token_length` allows."""

KEPT: Final = "kept"
"""The token would be a user-defined symbol, which is cut out of texts and never made."""


class Bounds:
    """What excludes pairs from a run; the answer for a pair never changes.

    >>> bounds = Bounds(Vocabulary(["h", "u", "hu"]), taken={"hu"})
    >>> bounds.reason("\\0\\1"), bounds.reason("\\1\\1")
    ('taken', '')
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        taken: Container[str] = (),
        longest: int | None = None,
        suffix: str = "",
        kept: Container[str] = (),
    ) -> None:
        self.kept = kept
        self.vocabulary, self.taken, self.longest, self.suffix = vocabulary, taken, longest, suffix
        self._known: dict[str, str] = {}

    def reason(self, pair: PrivatePair | str) -> str:
        """Why a pair may not be merged; "" if it may."""
        known = self._known.get(pair)
        if known is None:
            known = self._known[pair] = self._worked_out(pair)
        return known

    def _worked_out(self, pair: PrivatePair | str) -> str:
        prefix = self.vocabulary.prefix
        first, second = (self.vocabulary.tokens[ord(symbol)] for symbol in pair)
        token = first + second.removeprefix(prefix)
        if self.longest is not None:
            letters = token.removeprefix(prefix).removesuffix(self.suffix)
            if len(letters) > self.longest:
                return LENGTH
        if token in self.kept:
            return KEPT
        return TAKEN if token in self.taken else ""
