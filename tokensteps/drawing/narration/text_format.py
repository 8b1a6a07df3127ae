"""The form of a sentence's tokens and numbers: markup for the page, or plain text for screen readers.

The sentences on steps are written once, in the other modules of this folder, for any text format.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Final, NamedTuple, Protocol

from tokenizers_core.encoding.models.pairs import Pair
from tokensteps.drawing.tokens import (
    Style,
    chip,
    fill,
    keep_with_punctuation,
    pair_chips,
    readable,
    token_html,
)
from tokensteps.language.i18n import count, ngettext
from tokensteps.language.marks import fill_marked

TOKENS_NAMED: Final = 4
"""The most tokens in a sentence before the number of the others."""


class Narration(NamedTuple):
    """The sentences on a step."""

    lead: str
    """What happened."""
    why: str


class FiguredNarration(NamedTuple):
    """The sentences on a step with many numbers."""

    lead: str
    """What happened, with one number."""
    why: str
    figures: str
    """The other numbers, shown on request."""


class TextFormat(Protocol):
    """A way to write sentences."""

    def token(self, token: str) -> str: ...

    def pair(self, pair: Pair) -> str: ...

    def strong(self, text: str) -> str: ...

    def fraction(self, top: str, bottom: str) -> str: ...

    def say(self, message: str, **fields: str) -> str:
        """A translated message with its fields, already in this format."""


class Markup:
    """Sentences as markup."""

    def __init__(self, style: Style) -> None:
        self.style = style

    def token(self, token: str) -> str:
        return chip(token, self.style)

    def pair(self, pair: Pair) -> str:
        return pair_chips(pair, self.style)

    def strong(self, text: str) -> str:
        return f"<b>{escape(text)}</b>"

    def fraction(self, top: str, bottom: str) -> str:
        return f'<span class="frac"><span>{escape(top)}</span><span>{escape(bottom)}</span></span>'

    def say(self, message: str, **fields: str) -> str:
        return unbroken(fill(message, **fields))


class Marked(Markup):
    """Sentences as markup with the glossary's terms marked; the frame they go into keeps one mark of each."""

    def say(self, message: str, **fields: str) -> str:
        return unbroken(keep_with_punctuation(fill_marked(message, **fields)))


class Bare(Markup):
    """Sentences as markup, with no chips around tokens."""

    def token(self, token: str) -> str:
        return f"<bdi>{token_html(token, self.style)}</bdi>"


class Plain:
    """Sentences as plain text, for screen readers and exports."""

    def __init__(self, style: Style) -> None:
        self.style = style

    def token(self, token: str) -> str:
        return readable(token, self.style)

    def pair(self, pair: Pair) -> str:
        return f"{self.token(pair.first)} + {self.token(pair.second)}"

    def strong(self, text: str) -> str:
        return text

    def fraction(self, top: str, bottom: str) -> str:
        return f"{top} / ({bottom})"

    def say(self, message: str, **fields: str) -> str:
        return message.format(**fields)


_FORMULA: Final = re.compile(
    r'<span class="frac">.*?</span></span>(?: = (?:<span class="frac">.*?</span></span>|<b>[^<]*</b>))+[.,。，]?'
)


def unbroken(html: str) -> str:
    """Markup with formulas kept on one line, with the punctuation after them, if they fit.

    >>> unbroken('Score = <span class="frac"><span>1</span><span>2</span></span> = <b>0.5</b>.')
    'Score = <span class="formula"><span class="frac"><span>1</span><span>2</span></span> = <b>0.5</b>.</span>'
    """  # noqa: W505
    return _FORMULA.sub(r'<span class="formula">\g<0></span>', html)


def some_tokens(tokens: Sequence[str], voice: TextFormat) -> str:
    """Tokens in a row: the first few, and how many more there are."""
    listed = " ".join(map(voice.token, tokens[:TOKENS_NAMED]))
    more = len(tokens) - TOKENS_NAMED
    if more <= 0:
        return listed
    message = ngettext("{pieces} and {number} more", "{pieces} and {number} more", more)
    return voice.say(message, pieces=listed, number=count(more))
