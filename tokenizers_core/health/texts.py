"""Texts that can reach a model at all: a normalizer's output characters, stretches left whole by a
pre-tokenizer, and bytes of UTF-8."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from tokenizers_core.text.normalizers import Normalizer, only_names, steps_of
from tokenizers_core.text.patterns import PATTERNS, regex
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.text.splitting import BEHIND

# --- Bytes --------------------------------------------------------------------------------------------------

_CHARACTER_BEGUN: Final = (b"", b"\xc2", b"\xe1", b"\xf1")
_CHARACTER_ENDED: Final = (b"", b"\x80", b"\x80\x80", b"\x80\x80\x80", b"\xa0\x80", b"\x90\x80\x80")


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def in_some_text(data: bytes) -> bool:
    """Whether some text's UTF-8 has these bytes in a row, perhaps with parts of characters at both ends.

    >>> in_some_text(b"\\xa9!"), in_some_text(b"\\xc0"), in_some_text(b"\\xff"), in_some_text(b"\\x80" * 4)
    (True, False, False, False)
    """
    return any(_is_utf8(begun + data + ended) for begun in _CHARACTER_BEGUN for ended in _CHARACTER_ENDED)


_ENDS: Final = tuple(bytes([one]) + more for more in (b"", b"\x80", b"\x80\x80") for one in range(0x80, 0xC0))
_BEGINNINGS: Final[tuple[bytes, ...]] = (
    *(bytes([lead]) for lead in (*range(0xC2, 0xF5),)),
    *(
        bytes([lead, one])
        for lead in (*range(0xE3, 0xED), 0xE0, 0xE1, 0xE2, 0xEF, 0xF0)
        for one in (0x9F, 0x80, 0xA0, 0xB0)
    ),
    *(bytes([0xF0, 0x9F, one]) for one in range(0x80, 0xC0, 4)),
)


def completions(data: bytes) -> Iterator[str]:
    """Some texts with these bytes (which may begin or end within a character), likely ones first.

    >>> list(completions(b"\\xe3\\x81"))[1], next(completions(b"\\xa9!"))
    ('ぁ', '©!')
    """
    begun = [b""] if _is_begun_well(data) else [one for one in _BEGINNINGS if _is_begun_well(one + data)]
    for beginning in begun:
        head = beginning + data
        for end in (b"",) if _is_utf8(head) else _ENDS:
            if _is_utf8(head + end):
                yield (head + end).decode("utf-8")


def _is_begun_well(data: bytes) -> bool:
    """Whether bytes are UTF-8 up to a last character that may be incomplete."""
    return any(_is_utf8(data + ended) for ended in _CHARACTER_ENDED)


def whole_characters(data: bytes) -> str:
    """The whole characters in some bytes of a text.

    >>> whole_characters(b"\\xa9a\\xc3\\xa9\\xe3")
    'aé'
    """
    return data.decode("utf-8", "ignore")


# --- Normalizers --------------------------------------------------------------------------------------------


_CHARACTERS: Final = (range(0xD800), range(0xE000, 0x33480), range(0xE0000, 0xE1000))
"""Where Unicode has characters of its own: no normalizer does anything to a single one of the others."""


def characters_lost(normalizer: Normalizer) -> Collection[str]:
    """Characters absent from all normalized texts: perhaps not all of them, but never a possible one.

    Every step either rewrites each character by itself, so that all of Unicode, a character a line, shows all
    possible outputs; or it composes characters, and then every character with possible parts is a possible
    output, too.

    >>> lost = characters_lost("lowercase")
    >>> "A" in lost, "a" in lost, "中" in lost
    (True, False, False)
    """
    if not only_names(normalizer):
        return ()  # a rewriting of several characters may make any
    everything = {chr(code) for codes in _CHARACTERS for code in codes}
    possible = everything
    for step in steps_of(normalizer):
        after = set(step.rewrite("\n".join(possible)))
        if step.rewrite("e\u0301") == "é":
            composed = (one for one in everything - after if unicodedata.normalize("NFD", one) != one)
            after |= {one for one in composed if possible >= {*unicodedata.normalize("NFD", one)}}
        possible = after
    return everything - possible


# --- Pre-tokenizers -----------------------------------------------------------------------------------------

_SIGNS_ALONE: Final = r"\p{P}$+<=>^`|~"
_ONE_SIGN_OR_A_WORD: Final = rf"[{_SIGNS_ALONE}]?|[^\s{_SIGNS_ALONE}]*"
_CAPITALS: Final = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_SMALL: Final = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"

WITHIN: Final[Mapping[str, str]] = {
    "gpt2": r"'(?:[sdmt]|ll?|ve?|re?)?| ?\p{L}*| ?\p{N}*| ?[^\s\p{L}\p{N}]*|\s*",
    "cl100k_base": r"[^\r\n\p{L}\p{N}]?\p{L}*|\p{N}{0,3}| ?[^\s\p{L}\p{N}]*[\r\n]*|\s*",
    "o200k_base": rf"[^\r\n\p{{L}}\p{{N}}]?{_CAPITALS}*{_SMALL}*(?:'(?i:[stmd]|re?|ve?|ll?)?)?"
    r"|(?i:re|ve|ll)|\p{N}{0,3}| ?[^\s\p{L}\p{N}]*[\r\n/]*|\s*",
    "qwen2": r"[^\r\n\p{L}\p{N}]?\p{L}*|\p{N}?| ?[^\s\p{L}\p{N}]*[\r\n]*|\s*",
    "tekken": rf"[^\r\n\p{{L}}\p{{N}}]?{_CAPITALS}*{_SMALL}*|\p{{N}}?| ?[^\s\p{{L}}\p{{N}}]*[\r\n/]*|\s*",
    "deepseek_v3": r"\p{N}{0,3}|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]*|[!-/:-@\[-`{-~]?[A-Za-z]*| ?[\p{P}\p{S}]*[\r\n]*|\s*"
    r"|[^\s\p{L}\p{M}\p{P}\p{S}\p{N}]*",
    "whitespace_split": r"\S*",
    "end_of_word": r"\S*",
    "whitespace": r"\w*|[^\w\s]*",
    "bert": _ONE_SIGN_OR_A_WORD,
    "whitespace_split_punctuation": _ONE_SIGN_OR_A_WORD,
    "metaspace": "[ ▁]?[^ ▁]*",
    "whitespace_split_metaspace": r"[ ▁]?[^\s▁]*",
    BEHIND: r"[^\s▁]*[ ▁]?",
    "none": r"[^\n]*",
}
"""By pattern or pre-tokenizer: the regular expression matched by every stretch within a pre-token. Other
stretches may match, too."""


def fits_in_a_word(stretch: str, pipeline: Pipeline) -> bool:
    """Whether a stretch of normalized text can be within a pre-token; also True where that isn't known.

    >>> (
    ...     fits_in_a_word(" the", Pipeline()),
    ...     fits_in_a_word("the end", Pipeline()),
    ...     fits_in_a_word("a b", Pipeline(pattern="[ab ]+")),
    ... )
    (True, False, True)
    """
    pattern = WITHIN.get(_rule(pipeline))
    if len(stretch) > 1 and _has_apart(stretch, pipeline):
        return False
    return pattern is None or regex.fullmatch(pattern, stretch) is not None


def fits_inside_a_word(stretch: str, pipeline: Pipeline) -> bool:
    """The same with something before it in the pre-token.

    >>> bert = Pipeline("bert_cased", "bert")
    >>> [fits_inside_a_word(stretch, bert) for stretch in ("ing", ",", "中")]
    [True, False, False]
    """
    return any(fits_in_a_word(one + stretch, pipeline) for one in _ONE_OF_EACH)


_ONE_OF_EACH: Final = ("a", "A", "ʰ", "中", "1", "!", "'", "/", " ", "\n", "\u0301")
"""A character of every class in the patterns."""


def _has_apart(stretch: str, pipeline: Pipeline) -> bool:
    """Whether the normalizer puts spaces around one of the characters: BERT's, around Chinese ones."""
    spacing = [step for step in steps_of(pipeline.normalizer) if step.rewrite("中") == " 中 "]
    return any(step.rewrite(character) == f" {character} " for step in spacing for character in stretch)


def _rule(pipeline: Pipeline) -> str:
    """The name in `WITHIN` of a pipeline's rule; "" for a custom pattern."""
    if isinstance(pipeline.pre_tokenizer, tuple):
        return ""
    if not pipeline.byte_level:
        return pipeline.pre_tokenizer
    named = {pattern: name for name, pattern in PATTERNS.items()}
    return named.get(pipeline.pattern, pipeline.pattern if pipeline.pattern in PATTERNS else "")


# --- Around a token -----------------------------------------------------------------------------------------

BEFORE: Final = (
    "",
    "a",
    " ",
    "x ",
    "\n",
    "1",
    ".",
    "Z",
    "中",
    "é",
    "я",
    "ا",
    "क",
    "ก",
    "가",
    "(",
    "x",
    "q",
    "'",
    "\t",
    "-",
    "\u00a0",
)
AFTER: Final = ("", "a", " a", ".", "1", "\n", "中", " ", "z")
AROUND: Final = tuple((before, after) for after in AFTER for before in BEFORE)[1:]
"""Contexts to try before and after a token's text, to find a text with the token: letters of many scripts,
digits, signs, white space."""
