"""Verdicts about a token: a text that produces it, or why no text can.

Land and Bartolo 2024, "Fishing for Magikarp", call a token unreachable when its own text, decoded and encoded
again, gives others. That is a sign, not a proof: `ing` alone may become `▁ing`, and yet `king` has it. Here a
token is either shown, by an encoded text that has it, or ruled out, by a reason valid for all texts, or
neither of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

EncodeAll = Callable[[Sequence[str]], Sequence[Sequence[int]]]
"""The ids of each of several texts, by the whole tokenizer, without the special tokens around a text."""


class Verdict(NamedTuple):
    """The verdict on a token not produced by its own text. `kind` is "shown", "apart", "open", or one of
    `REASONS`."""

    kind: str
    text: str = ""
    """A text that gives the token ("shown"); or with some reasons, a character or a missing part."""
    instead: tuple[str, ...] = ()
    """The result of its own symbols, characters or text."""
    pair: tuple[str, str] = ("", "")
    """The merge that comes first."""
    rank: int = 0
    """Its rank."""
    own_rank: int = 0
    """The rank of the merge for the token."""
    nats: float = 0.0
    """By how much the other split is more probable."""
    limit: int = 0

    @property
    def ruled_out(self) -> bool:
        """Whether the token is proved impossible for every text."""
        return self.kind in REASONS


REASONS: Final = (
    "earlier",  # BPE: in its own symbols another merge comes first, across the place where its parts should meet
    "part",  # BPE: one of the parts it would be merged from is never formed
    "unmerged",  # BPE: it is no symbol, and no merge makes it
    "symbol",  # BPE: one of its characters is unknown
    "better",  # Unigram: another split of its characters is more probable, in every text
    "long",  # WordPiece: words of that length are unknown as a whole
    "bytes",  # no UTF-8 text has these bytes in a row
    "spelled",  # a byte token, and the one character that has this byte is a token itself
    "normalized",  # the normalizer never lets this character through
    "cut",  # the pre-tokenizer always cuts within it
    "alone",  # it belongs inside words, and the pre-tokenizer always cuts before it
)
"""Why no text can give a token. Each is proved in its place; none is a guess."""
OPEN: Final = Verdict("open")
"""None of the tried texts gives the token, and nothing rules it out."""
APART: Final = Verdict("apart")
"""A special or added token, or the unknown token: it doesn't come from the model."""
