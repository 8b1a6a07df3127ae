"""What is said of symbols that training keeps whole, and of characters that it leaves out: which, and how often they occur."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tokenizers_core.text.corpus import Corpus
from tokensteps.drawing.narration.text_format import TextFormat
from tokensteps.language.i18n import count, listed, ngettext

LISTED: Final = 6
"""Symbols that a sentence lists."""


def tell_kept(corpus: Corpus, voice: TextFormat) -> str:
    """Which user-defined symbols were cut out of the text before words were counted; nothing where there are none."""
    symbols = corpus.pipeline.user_defined_symbols
    if not symbols:
        return ""
    told = ngettext(
        "{number} symbol is kept whole and cut out of the text before words are counted: {symbols}.",
        "{number} symbols are kept whole and cut out of the text before words are counted: {symbols}.",
        len(symbols),
    )
    counts = dict(zip(symbols, corpus.symbols_cut_out, strict=True))
    return voice.say(told, number=count(len(symbols)), symbols=tokens_with_counts(counts, voice))


def tokens_with_counts(counts: Mapping[str, int], voice: TextFormat) -> str:
    """The first few tokens, each with its count, and how many more there are."""
    shown = [
        voice.say("{token} × {count}", token=voice.token(token), count=count(number))
        for token, number in [*counts.items()][:LISTED]
    ]
    more = len(counts) - len(shown)
    if not more:
        return listed(shown)
    message = ngettext("{characters} and {number} more", "{characters} and {number} more", more)
    return voice.say(message, characters=listed(shown), number=count(more))
