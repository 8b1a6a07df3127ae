"""Normalizing: rewriting a text (`É` → `e`), and remembering where every character came from.

The normalizers, their names and results, offsets included, are those of the Hugging Face `tokenizers`
library; where this module chooses differently it says so.

Categories of characters follow the tables of `regex`, decompositions and lower case those of Python's
`unicodedata` (Unicode 14.0 in Python 3.11). The library's lists of punctuation and marks are older: those of
Unicode 8.0. Measured over all code points (tokenizers 0.23.3, regex 2026.11.15): 20 differ in `bert_cased`,
603 in `bert_uncased`, 147 in the pre-tokenizer `bert`, 749 together. All are newer than 8.0, except seven
with a new category.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Final, Literal, NamedTuple

from tokenizers_core.errors import refuse_unknown_name
from tokenizers_core.text.patterns import regex, twin
from tokenizers_core.text.rewriting import Rewriting
from tokenizers_core.text.spans import IdentitySpans, Span, origin_of


class Normalized(NamedTuple):
    """A normalized text. `spans[i]` is the origin of character i, a stretch of the *original* text."""

    text: str
    spans: Sequence[Span]


class _Step(NamedTuple):
    """One rewriting of a text, and a function with the original span of each new character."""

    rewrite: Callable[[str], str]
    align: Callable[[str], list[Span]]


def _each_character(rewrite: Callable[[str], str]) -> _Step:
    """A step that treats every character by itself, whatever its neighbours.

    So rewriting one character at a time shows the origin of each new character: the whole replacement of a
    character (`中` → ` 中 `) has that character's span, and a removed character leaves none.
    """

    def align(text: str) -> list[Span]:
        becomes = {character: rewrite(character) for character in set(text)}
        return [(at, at + 1) for at, character in enumerate(text) for _ in becomes[character]]

    return _Step(rewrite, align)


class _Traced(NamedTuple):
    """A character on its way through a Unicode normalization form, with the span it came from."""

    character: str
    start: int
    end: int

    @property
    def combining_class(self) -> int:
        return unicodedata.combining(self.character)


def _decompose(text: str, form: Literal["NFD", "NFKD"]) -> list[_Traced]:
    """Take every character apart, then put runs of marks in canonical order (a stable sort by class)."""
    becomes = {character: unicodedata.normalize(form, character) for character in set(text)}
    parts = [_Traced(part, at, at + 1) for at, whole in enumerate(text) for part in becomes[whole]]
    ordered: list[_Traced] = []
    for is_mark, group in groupby(parts, key=lambda part: part.combining_class > 0):
        run = list(group)
        ordered += sorted(run, key=lambda part: part.combining_class) if is_mark else run
    return ordered


def _compose(parts: list[_Traced]) -> list[_Traced]:
    """Join each starter with the parts after it, if a composed character exists and nothing blocks the way.

    Source: the Unicode Standard, section 3.11 (canonical composition). A part is blocked from the starter
    when something between them has an equal or higher class, or is itself a starter.
    """
    composed: list[_Traced] = []
    starter = -1  # where in `composed` the last starter is; before the first there is nothing to join with
    for part in parts:
        adjacent = starter == len(composed) - 1
        if starter >= 0 and (adjacent or composed[-1].combining_class < part.combining_class):
            base = composed[starter]
            joined = unicodedata.normalize("NFC", base.character + part.character)
            if len(joined) == 1:
                composed[starter] = _Traced(joined, min(base.start, part.start), max(base.end, part.end))
                continue
        if part.combining_class == 0:
            starter = len(composed)
        composed.append(part)
    return composed


def _unicode_form(form: Literal["NFC", "NFD", "NFKC", "NFKD"]) -> _Step:
    """A Unicode normalization form.

    Its alignment: every part of a character taken apart has the whole character's span, and a composed
    character has the whole range of its parts. (The `tokenizers` library gives a composed character the span
    of its first part only, so that a highlighted `é` would miss its accent.)
    """

    def rewrite(text: str) -> str:
        return unicodedata.normalize(form, text)

    def align(text: str) -> list[Span]:
        parts = _decompose(text, "NFKD" if "K" in form else "NFD")
        return [(part.start, part.end) for part in (_compose(parts) if form.endswith("C") else parts)]

    return _Step(rewrite, align)


def _lowercase(text: str) -> str:
    """Lowercase each character by itself: `str.lower` alone would look around to write a final `Σ` as `ς`."""
    return text.replace("Σ", "σ").lower()


def _replacing(pattern: str, replacement: str) -> Callable[[str], str]:
    """The function that writes `replacement` wherever `pattern` matches."""
    compiled = regex.compile(pattern)
    return lambda text: (twin(pattern, 0x7F) if text.isascii() else compiled).sub(replacement, text)


# The blocks of Chinese characters by BERT's authors. U+2B820–2B91F belong to the last but one of them, and
# are missing from the `tokenizers` library's list, so they are missing here.
CJK = (
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df"
    r"\U0002a700-\U0002b81f\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f"
)

_STEPS: Final[Mapping[str, _Step]] = {
    "nfc": _unicode_form("NFC"),
    "nfd": _unicode_form("NFD"),
    "nfkc": _unicode_form("NFKC"),
    "nfkd": _unicode_form("NFKD"),
    "lowercase": _each_character(_lowercase),
    # Only separate marks: `é` as one character keeps its accent unless nfd came before.
    "strip_accents": _each_character(_replacing(r"\p{M}", "")),
    "strip_nonspacing_marks": _each_character(_replacing(r"\p{Mn}", "")),
    "remove_controls": _each_character(_replacing(r"[\p{Cc}\p{Cf}\p{Co}\ufffd](?<![\t\n\r])", "")),
    "whitespace_to_space": _each_character(_replacing(r"[^\S ]", " ")),
    "space_around_cjk": _each_character(_replacing(f"([{CJK}])", r" \1 ")),
}

_BERT_CLEAN = ("remove_controls", "whitespace_to_space", "space_around_cjk")

_NORMALIZER_STEPS: Final[Mapping[str, tuple[str, ...]]] = {
    "none": (),
    "nfc": ("nfc",),
    "nfd": ("nfd",),
    "nfkc": ("nfkc",),
    "nfkd": ("nfkd",),
    "lowercase": ("lowercase",),
    "strip_accents": ("strip_accents",),
    "nfd_strip_accents": ("nfd", "strip_accents"),
    "nfd_lowercase_strip_accents": ("nfd", "lowercase", "strip_accents"),
    "bert_cased": _BERT_CLEAN,
    "bert_uncased": (*_BERT_CLEAN, "nfd", "strip_nonspacing_marks", "lowercase"),
}

NORMALIZERS: Final = tuple(_NORMALIZER_STEPS)
"""The names `normalize` knows.

`strip_accents` is the library's: it removes marks, and so needs `nfd` before it to turn `é` into `e`; the two
names beginning with `nfd_` do that, as real pipelines do.
"""


Normalizer = str | tuple[str | Rewriting, ...]
"""A name in `NORMALIZERS`, or several in turn; files of other programs bring rewritings of their own."""


def steps_of(normalizer: Normalizer) -> list[Rewriting]:
    """The steps of a normalizer's name, or of several names one after the other."""
    steps: list[Rewriting] = []
    for name in normalizer if isinstance(normalizer, tuple | list) else (normalizer,):
        if not isinstance(name, str) and hasattr(name, "rewrite"):
            steps.append(name)
        else:
            refuse_unknown_name("normalizer", name, NORMALIZERS)
            steps += (_STEPS[step] for step in _NORMALIZER_STEPS[str(name)])
    return steps


def only_names(normalizer: Normalizer) -> bool:
    """Whether a normalizer is made of the engine's own steps only.

    >>> from tokenizers_core.text.rewriting import Prepend
    >>> only_names(("nfc", "lowercase")), only_names((Prepend("▁"),))
    (True, False)
    """
    return isinstance(normalizer, str) or all(isinstance(name, str) for name in normalizer)


def normalize(text: str, normalizer: Normalizer = "none") -> Normalized:
    """Rewrite a text by a normalizer in `NORMALIZERS`, or by several in turn, and align the result.

    Raises UnknownNameError. Source: the normalizers of the `tokenizers` library.

    >>> normalize("Éa", "nfd_lowercase_strip_accents")
    Normalized(text='ea', spans=[(0, 1), (1, 2)])
    >>> normalize("e\\u0301a", "nfc")
    Normalized(text='éa', spans=[(0, 2), (2, 3)])
    >>> normalize("ﬁ", ("nfkc", "lowercase"))
    Normalized(text='fi', spans=[(0, 1), (0, 1)])
    """
    spans: Sequence[Span] = IdentitySpans(len(text))
    for step in steps_of(normalizer):
        rewritten = step.rewrite(text)
        if rewritten != text:
            aligned = step.align(text)
            spans = (
                aligned
                if isinstance(spans, IdentitySpans)
                else [origin_of(spans, start, end) for start, end in aligned]
            )
            text = rewritten
    return Normalized(text, spans)


def normalized_text(text: str, normalizer: Normalizer = "none") -> str:
    """The text of `normalize`, without the cost of the alignment. Raises UnknownNameError.

    >>> normalized_text("Éa", "lowercase")
    'éa'
    """
    if normalizer == "none":
        return text
    steps = steps_of(normalizer)
    if text.isascii() and text.isprintable() and only_names(normalizer):
        # Nothing here to compose, to strip, to clean or to set apart: only capitals can change.
        return text.lower() if _STEPS["lowercase"] in steps else text
    for step in steps:
        text = step.rewrite(text)
    return text
