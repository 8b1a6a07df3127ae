"""Words for a learner to split: typable ones, the reading of tokens, the form of a typed split."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from tokenizers_core.text.splitting import END_OF_WORD
from tokenizers_core.training.merge_trace import MergeTrace
from tokenizers_core.training.unigram_trace import UnigramTrace
from tokensteps.drawing.tokens import Style, parts, readable
from tokensteps.language.i18n import _
from tokensteps.language.numbers import FULL_WIDTH
from tokensteps.limits import ANSWER_LIMIT

WORD_LENGTH: Final = 24
"""Characters of the longest word to split by hand."""
SPACES: Final = "Ġ▁␣"
"""Signs for a space, as words show them."""
TYPED_SPACES: Final = SPACES + "_"
"""The same as learners type them."""
SEPARATORS: Final = " |·+,-[]\"'“”"
"""Signs typed between two pieces or around them. A word may have such characters of its own."""
TYPED_FOR_ONE: Final = 8
"""The most typed characters per character of the word: a longer answer is no split."""
READINGS: Final = 16
"""The most ways tried to read a split."""
EXAMPLE_SPLITS: Final = ("un like ly", "re cov er")
"""Examples of a split: the second for a word with the first one's letters."""

Cuts = tuple[int, ...]
"""Where a word is cut: the places between its characters, in order."""


def can_be_typed(trace: MergeTrace | UnigramTrace, step: int, word: str, style: Style) -> bool:
    """Whether a word is short and its tokens are plain text before and after the next step: no character is
    split into bytes, or was left out of the alphabet."""
    if len(word) > WORD_LENGTH or not trace.left_out.keys().isdisjoint(word):
        return False
    tokens = [*trace.splits(step, [word])[word], *trace.splits(step + 1, [word])[word]]
    return not any(part.named or "◌" in part.text for token in tokens for part in parts(token, style))


def split_hint(word: str, prefix: str = "") -> str:
    """The form of a typed split, with an example other than the word's own."""
    first, second = EXAMPLE_SPLITS
    example = second if first.replace(" ", "") in word else first
    marker = word[:1] if word[:1] in SPACES else END_OF_WORD if word.endswith(END_OF_WORD) else prefix
    if marker:
        message = _("with a space at each cut, such as {example}; {marker} may be left out")
        return message.format(example=example, marker=marker)
    return _("with a space at each cut, such as {example}").format(example=example)


def readings(text: str, word: str, prefix: str = "") -> list[tuple[str, ...]]:
    """The pieces of a learner's typed split of `word`, in every possible reading; none if it doesn't make the
    word.

    The word is as shown to the learner. Between pieces there are spaces or other `SEPARATORS`, unless those
    are the word's own. A continuation prefix may be typed or left out. So may the sign for a space in front
    of the word, and `</w>` behind it: the missing sign may be a piece of its own or a part of the next one.
    Typed text is read in the word's own Unicode form: no keyboard types a decomposed é. Where it doesn't make
    the word, it may with ASCII characters for full-width ones, or with a small first letter: phones begin
    with a capital.

    >>> readings("h ##ug s", "hugs", "##"), readings("h g", "hug")
    ([('h', 'ug', 's')], [])
    >>> readings("th is", "Ġthis"), readings("a|-|b", "a-b")
    ([('Ġth', 'is'), ('Ġ', 'th', 'is')], [('a', '-', 'b')])
    >>> readings("H ug s", "hugs"), readings("ｈ ｕｇ ｓ", "hugs"), readings("H ug s", "Hugs")
    ([('h', 'ug', 's')], [('h', 'ug', 's')], [('H', 'ug', 's')])
    """
    narrow = text.strip().translate(FULL_WIDTH)
    forms = (text, narrow, narrow[:1].lower() + narrow[1:])
    return next(filter(None, (_readings(form, word, prefix) for form in forms)), [])


def _readings(text: str, word: str, prefix: str) -> list[tuple[str, ...]]:
    """The same for a text that is read as it is."""
    typed = re.sub(r"\s+", " ", text.strip()[:ANSWER_LIMIT])
    for form in ("NFC", "NFD"):
        if unicodedata.is_normalized(form, word):
            typed = unicodedata.normalize(form, typed)
            break
    size = len(word)
    if not typed or len(typed) > TYPED_FOR_ONE * (size + 2):
        return []
    ways: list[dict[int, dict[Cuts, None]]] = [{} for _length in range(len(typed) + 1)]
    """For each number of typed characters: the number of the word's characters so far → the cuts so far."""

    def add(at: int, length: int, alternatives: Iterable[Cuts], cut: bool = False) -> None:
        known = ways[at].setdefault(length, {})
        for cuts in alternatives:
            here = cut and 0 < length < size and cuts[-1:] != (length,)
            if len(known) < READINGS:
                known[(*cuts, length) if here else cuts] = None

    add(0, 0, [()])
    if word[:1] in SPACES and size > 1:
        add(0, 1, [(), (1,)])
    for at, character in enumerate(typed):
        for result, cuts in [*ways[at].items()]:
            if result < size and _means(character, word[result]):
                add(at + 1, result + 1, cuts)
            if character in SEPARATORS:
                add(at + 1, result, cuts, cut=True)
            if prefix and result and typed.startswith(prefix, at):
                add(at + len(prefix), result, cuts, cut=True)
    results = [*ways[-1].get(size, ())]
    if word.endswith(END_OF_WORD) and size > len(END_OF_WORD):
        before = size - len(END_OF_WORD)
        for way in ways[-1].get(before, ()):
            results += [way, (*way, before)] if way[-1:] != (before,) else [way]
    return [
        tuple(word[start:end] for start, end in zip((0, *cuts), (*cuts, size), strict=True))
        for cuts in dict.fromkeys(results)
    ]


def read_split(text: str, word: str, prefix: str = "") -> tuple[str, ...] | None:
    """The first way to read a split; None if there is none."""
    return next(iter(readings(text, word, prefix)), None)


def _means(typed: str, shown: str) -> bool:
    """Whether a typed character means one of the word's."""
    return typed == shown or (shown in SPACES and typed in TYPED_SPACES)


def symbol_after(trace: MergeTrace | UnigramTrace, word: str) -> str:
    """A symbol kept whole in training, to put behind a word to split; "" if none can be typed there."""
    symbols = trace.corpus.pipeline.user_defined_symbols
    if word.endswith(END_OF_WORD):
        return ""
    return next(
        (one for one in symbols if one.isascii() and one.isprintable() and not {*one} & {*SEPARATORS}), ""
    )


def with_symbol(tokens: Sequence[str], symbol: str) -> tuple[str, ...]:
    """A word's tokens and the symbol behind it, if there is one."""
    return (*tokens, symbol) if symbol else tuple(tokens)


def as_read(tokens: Sequence[str], style: Style, prefix: str = "") -> tuple[str, ...]:
    """Tokens as a learner reads them, without continuation prefix.

    >>> as_read(("h", "##ug"), Style(), "##"), as_read(("Ġthe",), Style(byte_level=True))
    (('h', 'ug'), ('Ġthe',))
    """
    plain = [token.removeprefix(prefix) if index and prefix else token for index, token in enumerate(tokens)]
    return tuple(readable(token, style) for token in plain)
