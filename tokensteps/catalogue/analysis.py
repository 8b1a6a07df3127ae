"""A text in a tokenizer's tokens: the tokens, their offsets, and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import regex

from tokenizers_core.encoding.alignment import Stretch, TextCounts, count_text, cover
from tokenizers_core.lazy import cached_property
from tokenizers_core.measures import Measures, measured
from tokenizers_core.text.spans import Span
from tokensteps.bounded import WeakSharedCache, bounded, text_bytes
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer, Tokenized
from tokensteps.drawing.chips import Piece, TextRun
from tokensteps.limits import COUNTS_ROOM

CHARACTERS_CACHED: Final = 4_000_000
"""Limit for the cache of analyses, in characters and tokens: a million characters of prose take 90 MB, and of
a million accents on one letter, two million tokens, 500 MB."""
LEAST_SIZE: Final = 1_000
"""A text's minimum size in that cache: an analysis takes some room by itself, too."""

ESCAPE = regex.compile(r"\\(?:([ntr0\\])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))")
NAMED_ESCAPES: Mapping[str, str] = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\"}


@dataclass(frozen=True, eq=False)
class Located:
    """The cached part of an analysis: nothing in it keeps the tokenizer alive."""

    text: str
    tokenized: Tokenized
    mark_id: int | None
    """`ShownTokenizer.mark_id`."""
    size: int
    """Tokens of the vocabulary."""
    unknown_id: int | None

    @cached_property
    def offsets(self) -> Sequence[Span]:
        """As in `Analysis`."""
        offsets, ids = self.tokenized.offsets, self.tokenized.ids
        mark = self.mark_id
        if mark is None or mark not in self.occurrences:
            return offsets
        positions = [index for index, identifier in enumerate(ids[:-1]) if identifier == mark]
        in_front = {
            index: offsets[index][0] for index in positions if offsets[index][0] == offsets[index + 1][0]
        }
        return [
            (in_front[index], in_front[index]) if index in in_front else span
            for index, span in enumerate(offsets)
        ]

    @cached_property
    def stretches(self) -> Sequence[Stretch]:
        """As in `Analysis`."""
        return cover(len(self.text), self.offsets)

    @cached_property
    def occurrences(self) -> Counter[int]:
        """As in `Analysis`."""
        return Counter(self.tokenized.ids)

    @cached_property
    def measures(self) -> Measures:
        """As in `Analysis`."""
        # A run's size is as on its page; encoding's additional unknown token comes on top.
        size = self.size if self.unknown_id is None else max(self.size, self.unknown_id + 1)
        return measured(self.text, self.tokenized.ids, self.stretches, size, self.unknown_id)


class Analysis:
    """The tokens of a text by one tokenizer."""

    def __init__(self, subject: ShownTokenizer, located: Located) -> None:
        self.subject, self._cached = subject, located

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def text(self) -> str:
        return self._cached.text

    @property
    def ids(self) -> Sequence[int]:
        return self._cached.tokenized.ids

    @property
    def offsets(self) -> Sequence[Span]:
        """The position of each token in the text.

        A `▁` added in front of a word has the offsets of the word's first letter, but that belongs to the
        next token: here the `▁` gets an empty place in front of it.
        """
        return self._cached.offsets

    @property
    def stretches(self) -> Sequence[Stretch]:
        """Where the tokens are, see `alignment.cover`. For a long text, this takes longer than encoding
        it."""
        return self._cached.stretches

    @property
    def occurrences(self) -> Counter[int]:
        """How often each id occurs in the text."""
        return self._cached.occurrences

    @property
    def measures(self) -> Measures:
        """The tokenizer's measures on the text."""
        return self._cached.measures

    def is_unknown(self, index: int) -> bool:
        """Whether a token stands for other text as the unknown token: a text may also spell that."""
        identifier, (start, end) = self.ids[index], self.offsets[index]
        if identifier != self.subject.unknown_id:
            return False
        return self.text[start:end].strip() != self.subject.token(identifier)

    @cached_property
    def unknown(self) -> int:
        """How many of the tokens stand for unknown text."""
        unknown = self.subject.unknown_id
        if unknown is None or not self.occurrences[unknown]:
            return 0
        return sum(map(self.is_unknown, range(len(self))))

    @cached_property
    def lost(self) -> frozenset[int]:
        """The places of the stretches with an unknown token."""
        if not self.unknown:
            return frozenset()
        return frozenset(
            index
            for index, (_start, _end, first, last) in enumerate(self.stretches)
            if any(map(self.is_unknown, range(first, last)))
        )

    @property
    def counts(self) -> TextCounts:
        """Characters, graphemes, words and bytes of the text."""
        return text_counts(self.text)

    @property
    def per_word(self) -> float | None:
        """Tokens per word: fertility. None without words."""
        return len(self) / self.counts.words if self.counts.words else None

    @property
    def bytes_per_token(self) -> float | None:
        """UTF-8 bytes per token: compression. None without tokens."""
        return self.counts.bytes / len(self) if self.ids else None

    def bytes_at(self, index: int) -> bytes:
        """A token's bytes: its place's in the text, or its own if it shares the place with other tokens."""
        start, end = self.offsets[index]
        beside = (*self.offsets[max(0, index - 1) : index], *self.offsets[index + 1 : index + 2])
        shared = any(first < end and start < last for first, last in beside)
        own = shared and self.ids[index] != self.subject.unknown_id
        return self._bytes_of(self.ids[index]) if own else self.text[start:end].encode()

    @cached_property
    def _bytes_of(self) -> Callable[[int], bytes]:
        """`ShownTokenizer.token_bytes`, called once for each id: a script spelled in bytes repeats a few ids
        again and again."""
        return cache(self.subject.token_bytes)

    def runs(self, first: int, last: int) -> list[TextRun]:
        """Stretches `first` to `last` (not included), ready to be drawn."""
        subject, text, ids, offsets = self.subject, self.text, self.ids, self.offsets
        special = subject.style.special_tokens
        stretches = self.stretches[first:last]
        drawn = {*ids[stretches[0].first : stretches[-1].last]} if stretches else ()
        tokens = {identifier: subject.token(identifier) for identifier in drawn}

        def piece(index: int, alone: bool) -> Piece:
            identifier, (start, end) = ids[index], offsets[index]
            token = tokens[identifier]
            # Tokens with shared text are in one stretch.
            data = text[start:end].encode() if alone else self.bytes_at(index)
            return Piece(identifier, token, data, start, end, token in special, self.is_unknown(index))

        return [
            TextRun(
                text[start:end],
                start,
                end,
                tuple([piece(index, until - since == 1) for index in range(since, until)]),
            )
            for start, end, since, until in stretches
        ]


_located: Final = WeakSharedCache[Located](CHARACTERS_CACHED)


def analyse(subject: ShownTokenizer, text: str, specials: bool = True, added: bool = False) -> Analysis:
    """Encode a text, unless it is still cached. `specials`, `added` and errors: see
    `ShownTokenizer.encode`."""
    key = (text, specials, added)
    result = _located.get(subject, key)
    if result is None:
        result = Located(
            text, subject.encode(text, specials, added), subject.mark_id, subject.size, subject.unknown_id
        )
        _located.put(subject, key, result, LEAST_SIZE + len(text) + len(result.tokenized.ids))
    return Analysis(subject, result)


@bounded(COUNTS_ROOM, text_bytes)
def text_counts(text: str) -> TextCounts:
    """`count_text`, remembered."""
    return count_text(text)


def interpret_escapes(text: str) -> str:
    r"""A text with escapes such as `\n`, `\t`, `\xe9`, `\u3053` and `\U0001f375` replaced by their
    characters.

    Two `\u` escapes of a UTF-16 pair are one character; half of one becomes U+FFFD. Anything else stays.

    >>> interpret_escapes(r"a\tb\\n \u00e9 \ud83c\udf75 \q")
    'a\tb\\n é 🍵 \\q'
    """

    def character(match: regex.Match[str]) -> str:
        if named := match[1]:
            return NAMED_ESCAPES[named]
        point = int(match[2] or match[3] or match[4], 16)
        return chr(point) if point < 0x110000 else match[0]

    read: str = ESCAPE.sub(character, text)
    return read.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
