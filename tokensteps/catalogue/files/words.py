"""How text becomes words, where a tokenizer's files don't say: its tokens show it, or a pattern does."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import partial
from typing import Final, NamedTuple

from tokenizers import Regex

from tokenizers_core.errors import Phrase
from tokenizers_core.files.loading import PATTERN_BY_SIZE
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL, SYMBOL_TO_BYTE
from tokenizers_core.text.patterns import PATTERNS
from tokenizers_core.text.splitting import END_OF_WORD, SPACE_MARK
from tokensteps.catalogue.files.documents import BYTES_ONLY, Document, in_sequence
from tokensteps.language.i18n import N_

UNKNOWN_TOKENS = ("[UNK]", "<unk>", "[unk]", "<UNK>", "<|unk|>")
"""Names of the unknown token; the vocabulary's first one is used."""


FIRST_TOKENS: Final = {"<｜begin▁of▁sentence｜>": "deepseek_v3"}
"""Published vocabularies by their first token, unique among others of their size."""


def published_pattern(size: int, first: str) -> str | None:
    """The pattern of a published vocabulary of this size and with this first token; None for any other.

    >>> (
    ...     published_pattern(151_643, "!"),
    ...     published_pattern(128_000, "<｜begin▁of▁sentence｜>"),
    ...     published_pattern(500, "!"),
    ... )
    ('qwen2', 'deepseek_v3', None)
    """
    by_size = next((pattern for sizes, pattern in PATTERN_BY_SIZE if size in sizes), None)
    return FIRST_TOKENS.get(first, by_size)


class WordRule(NamedTuple):
    """The rule from text to words; `note` explains its choice."""

    note: str
    pre_tokenizer: Document
    decoder: Document | None = None
    end: str | None = None


def word_rule(tokens: Collection[str], pattern: str | None, published: str | None = None) -> WordRule:
    """The rule by the look of the tokens. `tokens` are the model's, without the special ones; `published` is
    the pattern of a known vocabulary."""
    has_end = any(token.endswith(END_OF_WORD) for token in tokens)
    characters = set().union(*(token.removesuffix(END_OF_WORD) for token in tokens))
    single = {token for token in tokens if len(token) == 1}
    space = BYTE_TO_SYMBOL[ord(" ")]
    all_bytes = set(BYTE_TO_SYMBOL) <= single
    if all_bytes or (space in characters and SYMBOL_TO_BYTE.keys() >= characters):
        if pattern is None and published not in (None, "gpt2"):
            note = Phrase(
                N_(
                    "The tokens are those of a published vocabulary, so text is split into words by {pattern}."
                ),
                pattern=published,
            )
            return WordRule(note, words_as_bytes(published), BYTES_ONLY, END_OF_WORD if has_end else None)
        return WordRule(
            N_(
                "The tokens are written in the byte alphabet, so text is split into words as GPT-2 does it, and then into bytes."
            )
            if pattern in (None, "gpt2")
            else N_(
                "The tokens are written in the byte alphabet, so text is split into words by the pattern, and then into bytes."
            ),
            words_as_bytes(pattern or "gpt2"),
            BYTES_ONLY,
            END_OF_WORD if has_end else None,  # as in CLIP
        )
    if has_end:
        return WordRule(
            N_("Some tokens end in </w>, so text is split at whitespace, and every word ends in it."),
            {"type": "WhitespaceSplit"},
            {"type": "BPEDecoder", "suffix": END_OF_WORD},
            END_OF_WORD,
        )
    if any(SPACE_MARK in token[1:].lstrip(SPACE_MARK) for token in tokens):
        return WordRule(
            N_(
                "Some tokens have ▁ inside, so text is split only at the ends of lines, and spaces are written as ▁."
            ),
            in_sequence(
                {"type": "Split", "pattern": {"String": "\n"}, "behavior": "Removed", "invert": False},
                {"type": "Metaspace", "replacement": SPACE_MARK, "prepend_scheme": "never", "split": False},
            ),
            {"type": "Metaspace", "replacement": SPACE_MARK, "prepend_scheme": "never", "split": False},
        )
    if SPACE_MARK in characters:
        metaspace = {
            "type": "Metaspace",
            "replacement": SPACE_MARK,
            "prepend_scheme": "always",
            "split": True,
        }
        return WordRule(
            N_("Some tokens begin with ▁, so spaces are written as ▁, and text is split before each one."),
            metaspace,
            metaspace,
        )
    return WordRule(
        N_("No token shows where words begin or end, so text is split at whitespace."),
        {"type": "WhitespaceSplit"},
    )


def words_as_bytes(pattern: str) -> Document:
    """A pre-tokenizer: words by a pattern, as bytes. Like tiktoken, it drops text without a match."""
    regex = PATTERNS.get(pattern) or for_oniguruma(pattern)
    return in_sequence(
        {"type": "Split", "pattern": {"Regex": regex}, "behavior": "Removed", "invert": True}, BYTES_ONLY
    )


PATTERN_ITEM = re.compile(
    r"""(?P<atom>\\[pP](?:\{[^}]*\}|\w)|\\.|\[(?:\\.|\[:\w+:\]|[^\]\\])+\]|[^\\()\[\]{}|+*?^$])
        (?P<range>\{\d+(?:,\d*)?\}|\{,\d+\})\+
      |(?P<other>\\.|\[(?:\\.|\[:\w+:\]|[^\]\\])+\]|.)""",
    re.VERBOSE | re.DOTALL,
)
NAMED_ITEM: Final = re.compile(
    r"""\\(?:(?P<sign>[pP])(?P<category>\w)|(?P<short>[wWbB])|.)
      |\[(?P<members>(?:\\.|\[:\w+:\]|[^\]\\])+)\]
      |(?P<flags>\(\?[a-z]*(?:-[a-z]+)?[:)])""",
    re.VERBOSE | re.DOTALL,
)
IN_WORDS: Final = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200c}\x{200d}"
SHORT: Final = {
    "w": f"[{IN_WORDS}]",
    "W": f"[^{IN_WORDS}]",
    "b": f"(?:(?<=[{IN_WORDS}])(?![{IN_WORDS}])|(?<![{IN_WORDS}])(?=[{IN_WORDS}]))",
    "B": f"(?:(?<=[{IN_WORDS}])(?=[{IN_WORDS}])|(?<![{IN_WORDS}])(?![{IN_WORDS}]))",
}
"""tiktoken's meaning of `\\w` and the like: in Oniguruma ½ and ² belong to words, too."""


def for_oniguruma(pattern: str) -> str:
    r"""A regular expression in tiktoken's form, for the library's Oniguruma, with several differences.

    In Oniguruma, `{1,3}+` repeats, `^` and `$` match at every line, `\pL` needs braces, `(?s)` is `(?m)`, and
    `\w` is more.

    >>> for_oniguruma(r"\p{N}{1,3}+|\s++$|[$^]{2}|\$"), for_oniguruma(r"(?s:.)|\pL")
    ('(?>\\p{N}{1,3})|\\s++\\z|[$^]{2}|\\$', '(?m:.)|\\p{L}')
    """
    anchors = {"^": r"\A", "$": r"\z"}
    anchored = PATTERN_ITEM.sub(
        lambda item: (
            f"(?>{item['atom']}{item['range']})"
            if item["range"]
            else anchors.get(item["other"], item["other"])
        ),
        pattern,
    )
    return NAMED_ITEM.sub(_renamed, anchored)


def _renamed(item: re.Match[str], inside: bool = False) -> str:
    """An item as Oniguruma has it; `inside` a class of characters."""
    if item["category"]:
        return f"\\{item['sign']}{{{item['category']}}}"
    if item["members"]:
        return f"[{NAMED_ITEM.sub(partial(_renamed, inside=True), item['members'])}]"
    if item["short"] and not (inside and item["short"] in "bB"):
        return IN_WORDS if inside and item["short"] == "w" else SHORT[item["short"]]
    return item["flags"].replace("s", "m") if item["flags"] and not inside else item[0]


def fault_of(pattern: str) -> str:
    """What the library says against a regular expression in tiktoken's form; "" for nothing."""
    try:
        Regex(for_oniguruma(pattern))
    except Exception as error:
        return str(error)
    return ""
