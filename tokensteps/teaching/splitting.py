"""Words that a learner splits: which ones can be typed, how tokens are read, how a split is typed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tokenizers_core.training.merge_trace import MergeTrace
from tokenizers_core.training.unigram_trace import UnigramTrace
from tokensteps.drawing.tokens import Style, parts, readable
from tokensteps.language.i18n import _
from tokensteps.teaching.questions import MARKERS

WORD_LENGTH: Final = 24
"""Characters of the longest word to split by hand."""


def can_be_typed(trace: MergeTrace | UnigramTrace, step: int, word: str, style: Style) -> bool:
    """Whether a word is short and its tokens are plain text before and after the next step: no character is split into bytes."""
    if len(word) > WORD_LENGTH:
        return False
    tokens = [*trace.splits(step, [word])[word], *trace.splits(step + 1, [word])[word]]
    return not any(part.named or "◌" in part.text for token in tokens for part in parts(token, style))


def split_hint(word: str) -> str:
    """How a split is typed."""
    if word[:1] in MARKERS:
        return _("with a space at each cut, such as h ug s; {marker} may be left out").format(marker=word[:1])
    return _("with a space at each cut, such as h ug s")


def as_read(tokens: Sequence[str], style: Style, prefix: str = "") -> tuple[str, ...]:
    """Tokens as a learner reads them, without continuation prefix.

    >>> as_read(("h", "##ug"), Style(), "##"), as_read(("Ġthe",), Style(byte_level=True))
    (('h', 'ug'), ('Ġthe',))
    """
    plain = [token.removeprefix(prefix) if place and prefix else token for place, token in enumerate(tokens)]
    return tuple(readable(token, style) for token in plain)
