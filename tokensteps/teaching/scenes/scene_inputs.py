"""The scenes' results for a learner's own input: numbers cut by rules, and a name as a glitch token."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from tokenizers_core import Corpus, train_bpe
from tokensteps.language.i18n import N_
from tokensteps.runs.corpora import EXAMPLES

TIMES_NAMED: Final = 20
"""The name's count in the tokenizer's training text, in the scene on glitch tokens."""
OTHER_MERGES: Final = 10
"""Merges of this training left for the sentences."""
DIGITS: Final = re.compile(r"[0-9]+")


def by_left_threes(digits: str) -> list[str]:
    """Threes from the left, as GPT-4's pattern cuts.

    >>> by_left_threes("1234567")
    ['123', '456', '7']
    """
    return [digits[start : start + 3] for start in range(0, len(digits), 3)]


def by_right_threes(digits: str) -> list[str]:
    """Threes from the right, as commas would be written.

    >>> by_right_threes("1234567"), by_right_threes("123")
    (['1', '234', '567'], ['123'])
    """
    first = len(digits) % 3
    return [*([digits[:first]] if first else []), *by_left_threes(digits[first:])]


DIGIT_RULES: Final[Mapping[str, Callable[[str], Sequence[str]]]] = {
    N_("Rule: threes from the left"): by_left_threes,
    N_("Rule: threes from the right"): by_right_threes,
    N_("Rule: digit by digit"): list,
}
"""Rules for cutting numbers before any merge (to be translated) → the pieces of a run of digits."""


def cut_by(rule: Callable[[str], Sequence[str]], text: str) -> list[str]:
    """The numbers of a text, cut by a rule, and the text between them.

    >>> cut_by(by_left_threes, "1234 × 56")
    ['123', '4', ' × ', '56']
    """
    pieces: list[str] = []
    end = 0
    for match in DIGITS.finditer(text):
        pieces += [text[end : match.start()], *rule(match[0])]
        end = match.end()
    return [piece for piece in (*pieces, text[end:]) if piece]


class Glitch(NamedTuple):
    """A name frequent in a tokenizer's text, and absent from the model's."""

    tokens: tuple[str, ...]
    """The name's tokens, with the space in front of it."""
    learned: int
    """The number of learned tokens."""
    unused: tuple[str, ...]
    """The ones never used in the model's text."""


@cache
def _model_text() -> str:
    return EXAMPLES["course"].text()


def glitch_of(name: str) -> Glitch:
    """Train a tokenizer on four sentences with a name in between, and encode the sentences without the name.

    >>> made = glitch_of("SolidGoldMagikarp")
    >>> made.tokens, made.tokens[0] in made.unused
    (('ĠSolidGoldMagikarp',), True)
    """
    words = f" {name}" * TIMES_NAMED
    corpus = Corpus.from_texts([*_model_text().splitlines(), words], pre_tokenizer="byte_level")
    trace = train_bpe(corpus, merges=len(name.encode()) + OTHER_MERGES)
    tokenizer = trace.tokenizer()
    used = {token for line in _model_text().splitlines() for token in tokenizer.encode(line).tokens}
    unused = tuple(token for token in trace.step_of_token if token not in used)
    return Glitch(tuple(tokenizer.encode(f" {name}").tokens), len(trace), unused)
