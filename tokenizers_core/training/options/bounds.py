"""Bounds: pairs excluded from merging however often they occur, and why."""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from tokenizers_core.encoding.vocabulary import PrivatePair, Vocabulary

TAKEN: Final = "taken"
"""The pair's token would be an old one, not made here by the old merges (`train_bpe`'s `extend`)."""

LENGTH: Final = "length"
"""The token would be longer than `max_token_length` allows."""

USER_DEFINED: Final = "kept"
"""The token would be a user-defined symbol: these are cut out of texts and never made."""

MIXED_SCRIPTS: Final = "scripts"
"""The token would mix scripts, or have a space inside (SentencePiece)."""

UNKNOWN: Final = "unknown"
"""One of the two represents a character outside the alphabet (SentencePiece)."""

AGAIN: Final = "again"
"""There is such a token, made from another pair (SentencePiece)."""


class Bounds:
    """The rules that exclude pairs from a run; here, the answer for a pair never changes.

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
        user_defined: Container[str] = (),
    ) -> None:
        self.user_defined = user_defined
        self.vocabulary, self.taken, self.longest, self.suffix = vocabulary, taken, longest, suffix
        self._known: dict[str, str] = {}

    def reason(self, pair: PrivatePair | str, size: int | None = None) -> str:  # noqa: ARG002
        """Why a pair may not be merged when there are `size` tokens (None: as many as now); "" if it may."""
        known = self._known.get(pair)
        if known is None:
            known = self._known[pair] = self._worked_out(pair)
        return known

    def token(self, pair: PrivatePair | str) -> str:
        """The merged token of a pair."""
        first, second = (self.vocabulary.tokens[ord(symbol)] for symbol in pair)
        return first + second.removeprefix(self.vocabulary.prefix)

    def _worked_out(self, pair: PrivatePair | str) -> str:
        prefix, token = self.vocabulary.prefix, self.token(pair)
        if self.longest is not None:
            letters = token.removeprefix(prefix).removesuffix(self.suffix)
            if len(letters) > self.longest:
                return LENGTH
        if token in self.user_defined:
            return USER_DEFINED
        return TAKEN if token in self.taken else ""
