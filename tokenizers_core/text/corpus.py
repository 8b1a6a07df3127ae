r"""From text to words: the three things that happen before a tokenizer is trained.

1. **Normalize**: rewrite the text (`É` → `e`), remembering where every character came from.
2. **Pre-tokenize**: cut it into pre-tokens, which training never merges across.
3. **Count**: how often does each pre-token occur? The result, a `Corpus`, is all that training sees.

>>> Pipeline(normalizer="bert_uncased", pre_tokenizer="bert").words("Héllò!")
[PreToken(text='hello', start=0, end=5), PreToken(text='!', start=5, end=6)]
>>> corpus = Corpus.from_texts(["low lower low"], pre_tokenizer="end_of_word")
>>> list(corpus.items())
[('low', 2), ('lower', 1)]
>>> corpus.symbols("low")
('l', 'o', 'w', '</w>')

The rules and their names are those of the Hugging Face `tokenizers` library, and so are the results, offsets
included; where this module chooses differently it says so. Characters' properties come from the `regex`
library and decompositions from `unicodedata`, so a code point that is younger than their Unicode tables (or
the library's) may be treated differently. Offsets count characters (code points), not bytes.
"""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import json
import math
import time
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import groupby, pairwise
from pathlib import Path
from typing import BinaryIO, Final, Literal, NamedTuple, cast, overload

import regex

from tokenizers_core.errors import (
    ByteSymbolError,
    CountsFileError,
    EmptyCorpusError,
    PatternError,
    PatternTimeoutError,
    Phrase,
    SettingError,
    SurrogateError,
    UnknownNameError,
)
from tokenizers_core.lazy import cached_property

Span = tuple[int, int]
"""A stretch of text: the position of its first character, and the position after its last."""


# --- The byte alphabet --------------------------------------------------------------------------------------


def _byte_alphabet() -> tuple[str, ...]:
    """One printable character for each byte, as GPT-2's authors chose them.

    A byte that Latin-1 shows as a visible character keeps that character. The other 68 (control characters,
    spaces, the soft hyphen) get the characters from U+0100 on, in order: hence space → `Ġ`.
    """
    visible = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
    spare = itertools.count(0x100)
    return tuple(chr(byte if byte in visible else next(spare)) for byte in range(256))


BYTE_TO_SYMBOL: Final = _byte_alphabet()
"""The byte alphabet: `BYTE_TO_SYMBOL[byte]` is the one character that stands for the byte."""

SYMBOL_TO_BYTE: Final[Mapping[str, int]] = {symbol: byte for byte, symbol in enumerate(BYTE_TO_SYMBOL)}
"""The same table read backwards."""


def bytes_to_symbols(data: bytes) -> str:
    """Write bytes in the byte alphabet: one character for each byte.

    >>> bytes_to_symbols(" é\\n".encode())
    'ĠÃ©Ċ'
    """
    # Latin-1 reads byte n as character n, which is just the index that the table wants.
    return data.decode("latin-1").translate(cast("dict[int, str]", BYTE_TO_SYMBOL))


def symbols_to_bytes(symbols: str) -> bytes:
    """Read bytes back from the byte alphabet. Raises ByteSymbolError for a character that stands for no byte.

    >>> symbols_to_bytes("ĠÃ©Ċ").decode()
    ' é\\n'
    """
    try:
        return bytes([SYMBOL_TO_BYTE[symbol] for symbol in symbols])
    except KeyError as error:
        raise ByteSymbolError(symbols=symbols, position=symbols.index(error.args[0])) from None


# --- Normalizing --------------------------------------------------------------------------------------------


class IdentitySpans(Sequence[Span]):
    """The spans of a text that nothing was done to: character i came from (i, i + 1). Takes no room.

    >>> IdentitySpans(3)[1], len(IdentitySpans(3)), list(IdentitySpans(3)[1:])
    ((1, 2), 3, [(1, 2), (2, 3)])
    """

    def __init__(self, positions: int | range) -> None:
        """Of a text of so many characters, or of just these characters of it."""
        self._positions = range(positions) if isinstance(positions, int) else positions

    def __len__(self) -> int:
        return len(self._positions)

    @overload
    def __getitem__(self, index: int) -> Span: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Span]: ...
    def __getitem__(self, index: int | slice) -> Span | Sequence[Span]:
        if isinstance(index, slice):
            return IdentitySpans(self._positions[index])
        position = self._positions[index]
        return position, position + 1


class Normalized(NamedTuple):
    """A normalized text. `spans[i]` is the stretch of the *original* text that character i came from."""

    text: str
    spans: Sequence[Span]


class _Step(NamedTuple):
    """One rewriting of a text, and a function that tells for each new character the span it came from."""

    rewrite: Callable[[str], str]
    align: Callable[[str], list[Span]]


def _each_character(rewrite: Callable[[str], str]) -> _Step:
    """A step that treats every character by itself, whatever stands around it.

    So rewriting one character at a time shows where each new character came from: all that a character
    becomes (`中` → ` 中 `) has that character's span, and a character that vanishes leaves none.
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
    """Join each starter with what follows it, where a composed character exists and nothing blocks the way.

    Source: the Unicode Standard, section 3.11 (canonical composition). A part is blocked from the starter
    when something stands between them whose class is as high, or is itself a starter.
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
    character has the whole range of what it was composed from. (The `tokenizers` library gives a composed
    character the span of its first part only, so that a highlighted `é` would miss its accent.)
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
    return lambda text: compiled.sub(replacement, text)


# The blocks that BERT's authors list as Chinese characters. U+2B820–2B91F belong to the last but one of them,
# and are missing from the `tokenizers` library's list, so they are missing here.
_CJK = (
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df"
    r"\U0002a700-\U0002b81f\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f"
)

_STEPS: Final[Mapping[str, _Step]] = {
    "nfc": _unicode_form("NFC"),
    "nfd": _unicode_form("NFD"),
    "nfkc": _unicode_form("NFKC"),
    "nfkd": _unicode_form("NFKD"),
    "lowercase": _each_character(_lowercase),
    # Only marks that stand by themselves: `é` as one character keeps its accent unless nfd came before.
    "strip_accents": _each_character(_replacing(r"\p{M}+", "")),
    "strip_nonspacing_marks": _each_character(_replacing(r"\p{Mn}+", "")),
    "remove_controls": _each_character(_replacing(r"(?:(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\ufffd])+", "")),
    "whitespace_to_space": _each_character(_replacing(r"\s", " ")),
    "space_around_cjk": _each_character(_replacing(f"([{_CJK}])", r" \1 ")),
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


def _steps(normalizer: str | tuple[str, ...]) -> list[_Step]:
    """The steps that a normalizer's name, or several names one after the other, stand for."""
    steps: list[_Step] = []
    for name in (normalizer,) if isinstance(normalizer, str) else normalizer:
        if name not in _NORMALIZER_STEPS:
            raise UnknownNameError(kind="normalizer", name=name, known=NORMALIZERS)
        steps += (_STEPS[step] for step in _NORMALIZER_STEPS[name])
    return steps


def normalize(text: str, normalizer: str | tuple[str, ...] = "none") -> Normalized:
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
    for step in _steps(normalizer):
        rewritten = step.rewrite(text)
        if rewritten != text:
            spans = [_origin(spans, start, end) for start, end in step.align(text)]
            text = rewritten
    return Normalized(text, spans)


def normalized_text(text: str, normalizer: str | tuple[str, ...] = "none") -> str:
    """The text that `normalize` gives, without the price of the alignment. Raises UnknownNameError.

    >>> normalized_text("Éa", "lowercase")
    'éa'
    """
    steps = _steps(normalizer)
    if text.isascii() and text.isprintable():
        # Nothing here to compose, to strip, to clean or to set apart: only capitals can change.
        return text.lower() if _STEPS["lowercase"] in steps else text
    for step in steps:
        text = step.rewrite(text)
    return text


def _origin(spans: Sequence[Span], start: int, end: int) -> Span:
    """Where characters start to end (at least one) came from: the range of all their origins."""
    if isinstance(spans, IdentitySpans):
        return start, end
    # Not just the first and the last: canonical ordering may have moved a mark in front of an earlier one.
    origins = spans[start:end]
    return min(first for first, _ in origins), max(last for _, last in origins)


# --- Pre-tokenizing -----------------------------------------------------------------------------------------

END_OF_WORD: Final = "</w>"
"""The symbol that ends a word in the original BPE for words (Sennrich, Haddow and Birch, 2016)."""

SPACE_MARK: Final = "▁"
"""What SentencePiece and `Metaspace` write for a space (U+2581, not an underscore)."""

PATTERNS: Final[Mapping[str, str]] = {
    # A contraction; a space with letters, with digits or with other signs; whitespace, whose last space is
    # left to the word that follows. (Written as in tiktoken: it matches what GPT-2's first form did, faster.)
    "gpt2": r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    # GPT-4: contractions in capitals too; a word takes any one sign in front; at most three digits; newlines
    # apart. (As first published. In today's tiktoken, whitespace that ends a text is always one pre-token.)
    "cl100k_base": r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    # GPT-4o: a word also ends where a capital follows a small letter, includes its marks, and keeps its
    # contraction.
    "o200k_base": r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
}
"""What `byte_level` knows by name. Source: OpenAI's GPT-2 and tiktoken. Each matches all of a text."""


class _PreTokenFields(NamedTuple):
    text: str
    start: int
    end: int


class PreToken(_PreTokenFields):
    """A pre-token `text` as the model sees it, and the stretch from `start` to `end` of the original text.

    `spans` says for each character of `text` which stretch of the original it came from: each byte of `é` has
    the whole `é`, and a `▁` put in front has the first character's. It takes no part in comparing or
    unpacking.

    >>> pre_token = pre_tokenize("né")[0]
    >>> pre_token, list(pre_token.spans)
    (PreToken(text='nÃ©', start=0, end=2), [(0, 1), (1, 2), (1, 2)])
    """

    spans: Sequence[Span]

    def __new__(cls, text: str, start: int, end: int, spans: Sequence[Span] | None = None) -> PreToken:
        """Without `spans`, every character is taken to stand for the whole stretch."""
        pre_token = super().__new__(cls, text, start, end)
        pre_token.spans = [(start, end)] * len(text) if spans is None else spans
        return pre_token


class _View(NamedTuple):
    """How the model sees a stretch of text: as what string, and where each character of that came from."""

    show: Callable[[str], str]
    align: Callable[[str, Sequence[Span]], Sequence[Span]]


def _mark_spaces(stretch: str) -> str:
    return stretch.replace(" ", SPACE_MARK)


def _mark_front(stretch: str) -> str:
    """All pre-tokens but the first of a text (or a word) begin with the mark already: only that gets it."""
    return SPACE_MARK + _mark_spaces(stretch).removeprefix(SPACE_MARK)


def _align_marked_front(stretch: str, spans: Sequence[Span]) -> Sequence[Span]:
    return spans if stretch[0] in (" ", SPACE_MARK) else [spans[0], *spans]


def _align_bytes(stretch: str, spans: Sequence[Span]) -> Sequence[Span]:
    if stretch.isascii():
        return spans
    return [span for character, span in zip(stretch, spans, strict=True) for _ in character.encode("utf-8")]


def _show_bytes(stretch: str) -> str:
    """The byte alphabet's spelling; printable ASCII spells itself but for the space."""
    if stretch.isascii() and stretch.isprintable():
        return stretch.replace(" ", BYTE_TO_SYMBOL[ord(" ")])
    return bytes_to_symbols(stretch.encode("utf-8"))


_AS_IT_IS = _View(show=lambda stretch: stretch, align=lambda _stretch, spans: spans)
_AS_BYTES = _View(show=_show_bytes, align=_align_bytes)
_SPACES_MARKED = _View(show=_mark_spaces, align=lambda _stretch, spans: spans)
_FRONT_MARKED = _View(show=_mark_front, align=_align_marked_front)


class _Rule(NamedTuple):
    """All there is to a pre-tokenizer: what a pre-token looks like in the text, and to the model."""

    pattern: str
    view: _View


_PUNCTUATION = r"\p{P}$+<=>^`|~"  # Unicode's, and the ASCII signs that Unicode calls symbols (as in BERT)
_WHITESPACE_SPLIT = _Rule(r"\S+", _AS_IT_IS)
_PUNCTUATION_ALONE = _Rule(rf"[{_PUNCTUATION}]|[^\s{_PUNCTUATION}]+", _AS_IT_IS)

_RULES: Final[Mapping[str, _Rule]] = {
    "byte_level": _Rule("", _AS_BYTES),  # the pattern is the caller's choice
    "whitespace_split": _WHITESPACE_SPLIT,
    "whitespace": _Rule(r"\w+|[^\w\s]+", _AS_IT_IS),
    "bert": _PUNCTUATION_ALONE,
    "metaspace": _Rule("[ ▁][^ ▁]*|[^ ▁]+", _FRONT_MARKED),
    "whitespace_split_metaspace": _Rule(r"▁[^\s▁]*|[^\s▁]+", _FRONT_MARKED),
    "whitespace_split_punctuation": _PUNCTUATION_ALONE,
    "end_of_word": _WHITESPACE_SPLIT,  # the `</w>` is a symbol of its own: see Corpus.symbols
    "none": _Rule(r"[^\n]+", _SPACES_MARKED),
}

PRE_TOKENIZERS: Final = tuple(_RULES)
"""The names `pre_tokenize` knows."""

LONGEST_PATTERN: Final = 10_000
"""A longer regular expression is refused, in characters: compiling one can't be timed out."""
WRITTEN_OUT: Final = 2_000_000
"""The most that a pattern may come to, in characters times all its counts: `(?:a{1000}){1000}` is compiled to a million parts.

`(?:(?:(?:a{1000}){1000}){1000}){1000}` would take all of a machine's memory before any of the time is over.
"""
_COUNT: Final = r"\{([0-9]{1,10})(?:,[0-9]*)?\}"
# Where white space means nothing, a count or a call could be hidden from those who look for one.
_SPREAD_OUT: Final = r"\(\?[A-Za-z0-9-]*x"
# A gigabyte before it is given up, and nothing that cuts text into words needs it: `(?R)`, `(?1)`, `(?&name)`, `(?P>name)`.
_RECURSION: Final = r"(?<!\\)(?:\\\\)*\(\?(?:R|[+-]?[0-9]|&|P>)"


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> regex.Pattern[str]:
    """Compile a regular expression, anybody's. Raises PatternError."""
    if len(pattern) > LONGEST_PATTERN:
        raise PatternError(
            pattern=pattern, message=Phrase("it is longer than {limit} characters", limit=LONGEST_PATTERN)
        )
    if regex.search(_SPREAD_OUT, pattern):
        raise PatternError(pattern=pattern, message="it may not have the flag x: write it without spaces")
    if regex.search(_RECURSION, pattern):
        raise PatternError(pattern=pattern, message="it may not call itself or a group")
    if len(pattern) * math.prod(max(1, int(least)) for least in regex.findall(_COUNT, pattern)) > WRITTEN_OUT:
        raise PatternError(pattern=pattern, message="its counted repetitions, multiplied, are too many")
    try:
        with warnings.catch_warnings():
            # An odd pattern still has a meaning, and its author doesn't see the server's console.
            warnings.simplefilter("ignore")
            return regex.compile(pattern)
    except regex.error as error:
        raise PatternError(pattern=pattern, message=error.msg, position=error.pos) from None
    except RecursionError:
        raise PatternError(pattern=pattern, message="its parentheses are nested too deeply") from None
    except (ValueError, OverflowError) as error:
        raise PatternError(pattern=pattern, message=str(error)) from None


class _Stopwatch:
    """How much of the time for a pattern of the user's own is left, over any number of texts."""

    def __init__(self, pattern: str, seconds: float) -> None:
        self.pattern, self.seconds = pattern, seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds left. Raises PatternTimeoutError when there are none."""
        seconds = self._end - time.monotonic()
        if seconds <= 0:
            raise self.error()
        return seconds

    def error(self) -> PatternTimeoutError:
        return PatternTimeoutError(pattern=self.pattern, seconds=self.seconds)


def _cut(text: str, pattern: str, stopwatch: _Stopwatch) -> list[Span]:
    """Cut a text at both ends of every match, so that what no match covers is kept too.

    That is the library's `Split(pattern, behavior="isolated")`. An empty match is just a place to cut.
    """
    cuts = {0, len(text)}
    try:
        for match in _compiled(pattern).finditer(text, timeout=stopwatch.left(), concurrent=True):
            cuts.update(match.span())
    except TimeoutError:
        raise stopwatch.error() from None
    except (MemoryError, RecursionError):
        raise PatternError(pattern=pattern, message="matching it takes too much memory") from None
    return list(pairwise(sorted(cuts)))


def has_own_pattern(pre_tokenizer: str, pattern: str) -> bool:
    """Whether `pattern` is in use and is a regular expression of the user's own: one that may take any time.

    >>> has_own_pattern("byte_level", "(a+)+b"), has_own_pattern("byte_level", "gpt2"), has_own_pattern("bert", "x")
    (True, False, False)
    """
    return pre_tokenizer == "byte_level" and pattern not in PATTERNS


class Splitter:
    """A pre-tokenizer at work: what `pre_tokenize` and `Corpus` share, so that they can't disagree.

    Matches are cut out of the text first and shown as the model sees them afterwards: counting does the
    second for each *different* pre-token only.
    """

    def __init__(self, pre_tokenizer: str, pattern: str, timeout: float) -> None:
        if pre_tokenizer not in _RULES:
            raise UnknownNameError(kind="pre_tokenizer", name=pre_tokenizer, known=PRE_TOKENIZERS)
        rule = _RULES[pre_tokenizer]
        self.view = rule.view
        self._pattern = PATTERNS.get(pattern, pattern) if pre_tokenizer == "byte_level" else rule.pattern
        self._compiled = _compiled(self._pattern)
        is_own = has_own_pattern(pre_tokenizer, pattern)
        self._stopwatch = _Stopwatch(pattern, timeout) if is_own else None

    def spans(self, text: str) -> list[Span]:
        """Where the pre-tokens are, in order."""
        if self._stopwatch:
            return _cut(text, self._pattern, self._stopwatch)
        return [match.span() for match in self._compiled.finditer(text)]

    def matches(self, text: str) -> list[str]:
        """The same stretches as strings, without the price of the offsets."""
        if self._stopwatch:
            return [text[start:end] for start, end in self.spans(text)]
        found: list[str] = self._compiled.findall(text)  # whole matches, as no rule has a group
        return found

    def pre_token(self, stretch: str) -> PreToken:
        """A stretch that was cut out of a text, taken by itself."""
        spans = self.view.align(stretch, IdentitySpans(len(stretch)))
        return PreToken(self.view.show(stretch), 0, len(stretch), spans)


def pre_tokenize(
    text: str, pre_tokenizer: str = "byte_level", pattern: str = "gpt2", timeout: float = 2.0
) -> list[PreToken]:
    """Cut a text into pre-tokens by one of `PRE_TOKENIZERS`, without normalizing it.

    `pattern` is for `byte_level` only: a name in `PATTERNS`, or a regular expression of the user's own, which
    may run for `timeout` seconds in all; text between its matches makes pre-tokens too. Raises
    UnknownNameError, PatternError, PatternTimeoutError, SurrogateError. Source: the pre-tokenizers of the
    `tokenizers` library.

    >>> [pre_token.text for pre_token in pre_tokenize("Hello, how are  you?")]
    ['Hello', ',', 'Ġhow', 'Ġare', 'Ġ', 'Ġyou', '?']
    >>> pre_tokenize("to be", "metaspace")
    [PreToken(text='▁to', start=0, end=2), PreToken(text='▁be', start=2, end=5)]
    >>> [pre_token.text for pre_token in pre_tokenize("camelCaseName", pattern="(?=[A-Z])")]
    ['camel', 'Case', 'Name']
    """
    return Pipeline(pre_tokenizer=pre_tokenizer, pattern=pattern, timeout=timeout).words(text)


def refuse_surrogates(text: str) -> None:
    """Raise SurrogateError if the text holds half of a UTF-16 pair, which can't be written as UTF-8."""
    if text.isascii():
        return
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise SurrogateError(code_point=ord(text[error.start]), position=error.start) from None


@dataclass(frozen=True)
class Pipeline:
    """The way from text to words: a normalizer, then a pre-tokenizer. The fields are as in `pre_tokenize`.

    Raises UnknownNameError, PatternError or SettingError when made; an unused `pattern` may be anything.

    >>> Pipeline(pre_tokenizer="bpe")
    Traceback (most recent call last):
    tokenizers_core.errors.UnknownNameError: pre_tokenizer='bpe' is not known; choose one of byte_level, \
whitespace_split, whitespace, bert, metaspace, whitespace_split_metaspace, whitespace_split_punctuation, \
end_of_word, none.
    """

    normalizer: str | tuple[str, ...] = "none"
    pre_tokenizer: str = "byte_level"
    pattern: str = "gpt2"
    timeout: float = 2.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.timeout) and self.timeout > 0):
            raise SettingError(name="timeout", value=self.timeout, reason="choose seconds above 0")
        _steps(self.normalizer)
        self.splitter()

    def splitter(self) -> Splitter:
        """The pre-tokenizer, with its time starting now."""
        return Splitter(self.pre_tokenizer, self.pattern, self.timeout)

    def words(self, text: str, splitter: Splitter | None = None) -> list[PreToken]:
        """The pre-tokens of a text, with offsets into it as it was before normalizing.

        With a `splitter` several texts share its time. Raises SurrogateError, PatternTimeoutError.

        >>> Pipeline("nfd_strip_accents", "whitespace_split").words("un été")
        [PreToken(text='un', start=0, end=2), PreToken(text='ete', start=3, end=6)]
        """
        refuse_surrogates(text)
        splitter = splitter or self.splitter()
        normalized, spans = normalize(text, self.normalizer)
        show, align = splitter.view
        words = []
        for start, end in splitter.spans(normalized):
            stretch = normalized[start:end]
            first, last = _origin(spans, start, end)
            words.append(PreToken(show(stretch), first, last, align(stretch, spans[start:end])))
        return words

    def split(self, text: str, splitter: Splitter | None = None) -> list[str]:
        """The same pre-tokens as the model sees them, without offsets and so faster. Raises the same errors.

        >>> Pipeline().split("un été")
        ['un', 'ĠÃ©tÃ©']
        """
        refuse_surrogates(text)
        splitter = splitter or self.splitter()
        matches = splitter.matches(normalized_text(text, self.normalizer))
        shown = {match: splitter.view.show(match) for match in set(matches)}  # most occur many times
        return [shown[match] for match in matches]

    @property
    def byte_level(self) -> bool:
        """Whether each character of a word stands for one byte."""
        return self.pre_tokenizer == "byte_level"

    @property
    def rules(self) -> tuple[str | tuple[str, ...], str, str]:
        """What decides about the words: neither the time that a pattern may take, nor a pattern not in use.

        >>> Pipeline(pre_tokenizer="bert", timeout=9).rules == Pipeline(pre_tokenizer="bert", pattern="o200k_base").rules
        True
        """
        return self.normalizer, self.pre_tokenizer, self.pattern if self.byte_level else ""

    @property
    def marks_spaces(self) -> bool:
        """Whether words hold `▁` for a space."""
        return self.pre_tokenizer in ("metaspace", "whitespace_split_metaspace", "none")

    @property
    def suffix(self) -> str:
        """The symbol that every word gets at its end: `</w>`, or none (the empty string)."""
        return END_OF_WORD if self.pre_tokenizer == "end_of_word" else ""


# --- Reading files ------------------------------------------------------------------------------------------

# Stands for an invalid sequence while reading: no decoder returns a surrogate, so it can't be in the text.
_INVALID: Final = "\ud800"
_MARK_INVALID: Final = "tokensteps.mark_invalid"


def _mark_invalid(error: UnicodeError) -> tuple[str, int]:
    """A decoding error handler that replaces what `errors="replace"` would, in a way that can be counted."""
    if isinstance(error, UnicodeDecodeError):
        return _INVALID, error.end
    raise error


codecs.register_error(_MARK_INVALID, _mark_invalid)


class DecodedText(NamedTuple):
    """Text read from bytes, and how many invalid sequences were replaced by U+FFFD in it."""

    text: str
    replaced: int


def _settle(marked: str) -> DecodedText:
    """Count the marked invalid sequences, and write U+FFFD for them."""
    return DecodedText(marked.replace(_INVALID, "\ufffd"), marked.count(_INVALID))


def encoding_of(first_bytes: bytes) -> str:
    """The encoding that the byte order mark of a file announces, else UTF-8. The codecs drop the mark."""
    # UTF-32's little-endian mark begins with UTF-16's, so it comes first.
    marks = {
        "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
        "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
    }
    return next((name for name, mark in marks.items() if first_bytes.startswith(mark)), "utf-8-sig")


def decode_text(data: bytes) -> DecodedText:
    """Read bytes that somebody uploaded as text.

    They are UTF-8 unless a byte order mark says UTF-16 or UTF-32; the mark itself is dropped, and every
    invalid sequence becomes U+FFFD and is counted.

    >>> decode_text(b"\\xef\\xbb\\xbfcaf\\xe9!")
    DecodedText(text='caf�!', replaced=1)
    >>> decode_text("café".encode("utf-16")).text
    'café'
    """
    return _settle(data.decode(encoding_of(data[:4]), errors=_MARK_INVALID))


def read_lines(stream: BinaryIO, encoding: str = "") -> Iterator[DecodedText]:
    """Read a stream of bytes as `decode_text` would, a line at a time, without the lines' ends; close it.

    Without an `encoding`, the stream begins where its file does, and `encoding_of` tells.
    """
    if not encoding:
        encoding = encoding_of(stream.read(4))
        stream.seek(0)
    with io.TextIOWrapper(stream, encoding=encoding, errors=_MARK_INVALID) as lines:
        for line in lines:
            yield _settle(line.removesuffix("\n"))


# --- Counting -----------------------------------------------------------------------------------------------

Progress = Callable[[int], None]
"""Called now and then with the number of characters read so far. What it raises ends the reading."""

_PROGRESS_EVERY: Final = 1 << 17  # characters: a fraction of a tenth of a second


@dataclass
class Tally:
    """Words being counted: by match, to be shown as the model sees them once for each different match."""

    pipeline: Pipeline
    progress: Progress | None = None
    lines: int = 0
    characters: int = 0
    replaced: int = 0
    counted_elsewhere: bool = False
    """Whether each text is a word and its count, so that nothing is known of what stands around it."""
    _counts: Counter[str] = field(default_factory=Counter)
    _ends: Counter[str] = field(default_factory=Counter)
    _reported: int = 0

    def __post_init__(self) -> None:
        self._splitter = self.pipeline.splitter()

    def add(self, text: str, count: int = 1) -> None:
        """Count the words of one text, `count` times over."""
        refuse_surrogates(text)
        self.lines += 1
        self.characters += len(text)
        matches = self._splitter.matches(normalized_text(text, self.pipeline.normalizer))
        if count == 1:
            self._counts.update(matches)
        else:
            for match in matches:
                self._counts[match] += count
        if matches and not self.counted_elsewhere:
            self._ends[matches[-1]] += count
        if self.progress and self.characters - self._reported >= _PROGRESS_EVERY:
            self._report(self.progress)

    def read(self, stream: BinaryIO, encoding: str = "") -> None:
        """Count the words of a file's lines, as `read_lines` reads them."""
        for line in read_lines(stream, encoding):
            self.replaced += line.replaced
            self.add(line.text)

    def _report(self, progress: Progress) -> None:
        self._reported = self.characters
        progress(self.characters)

    def words(self) -> tuple[Counter[str], Counter[str]]:
        """How often each word was met, in order of first appearance, and how often it was the last of a text."""
        counts: Counter[str] = Counter()
        ends: Counter[str] = Counter()
        for match, count in self._counts.items():
            # Two matches may be shown alike: a text's first `to` and a later ` to` are both `▁to`.
            word = self._splitter.view.show(match)
            counts[word] += count
            ends[word] += self._ends[match]
        return counts, ends

    def corpus(self) -> Corpus:
        """The result. Raises EmptyCorpusError when there is no word."""
        if self.progress:
            self._report(self.progress)
        counts, ends = self.words()
        if not counts:
            raise EmptyCorpusError(characters=self.characters)
        return Corpus(
            tuple(counts),
            tuple(counts.values()),
            self.pipeline,
            self.lines,
            self.characters,
            self.replaced,
            () if self.counted_elsewhere else tuple(ends.values()),
        )


@dataclass(frozen=True)
class Corpus:
    """What training sees of a text: its different words, in order of first appearance, and their counts.

    `lines` and `characters` say how much was read (a text given with a count is read once), and `replaced`
    how many invalid sequences of bytes in it became U+FFFD.
    """

    words: tuple[str, ...]
    counts: tuple[int, ...]
    pipeline: Pipeline
    lines: int = 0
    characters: int = 0
    replaced: int = 0
    ends: tuple[int, ...] = ()
    """How often each word ends a text; () where the words were counted elsewhere."""

    @classmethod
    def from_texts(
        cls,
        texts: Iterable[str],
        normalizer: str | tuple[str, ...] = "none",
        pre_tokenizer: str = "byte_level",
        pattern: str = "gpt2",
        timeout: float = 2.0,
        progress: Progress | None = None,
    ) -> Corpus:
        """Count the words of texts, read one at a time and not kept. Each is pre-tokenized by itself.

        A pattern of the user's own may run for `timeout` seconds on all of them together. Raises what
        `Pipeline` raises, SurrogateError, PatternTimeoutError and EmptyCorpusError.

        >>> list(Corpus.from_texts(["to be or not to be"]).items())
        [('to', 1), ('Ġbe', 2), ('Ġor', 1), ('Ġnot', 1), ('Ġto', 1)]
        """
        if isinstance(texts, str):
            raise TypeError("texts is one string, and its characters aren't texts; write [text].")
        tally = Tally(Pipeline(normalizer, pre_tokenizer, pattern, timeout), progress)
        for text in texts:
            tally.add(text)
        return tally.corpus()

    @classmethod
    def from_counts(
        cls,
        counts: Mapping[str, int] | Iterable[tuple[str, int]],
        normalizer: str | tuple[str, ...] = "none",
        pre_tokenizer: str = "whitespace_split",
        pattern: str = "gpt2",
        timeout: float = 2.0,
    ) -> Corpus:
        """A corpus from words counted elsewhere (`parse_counts` reads them from text).

        Each key is a text that goes through the same pipeline, and its count multiplies what comes out;
        counts of words that meet add up. Raises what `from_texts` raises, and SettingError for a count that
        is not a whole number of at least 1.

        >>> list(Corpus.from_counts({"hug": 10, "Pug": 5, "pug": 2}, normalizer="lowercase").items())
        [('hug', 10), ('pug', 7)]
        """
        tally = Tally(Pipeline(normalizer, pre_tokenizer, pattern, timeout), counted_elsewhere=True)
        for text, count in counts.items() if isinstance(counts, Mapping) else counts:
            if not isinstance(count, int) or isinstance(count, bool) or count < 1:
                raise SettingError(name="count", value=count, reason="choose a whole number of at least 1")
            tally.add(text, count)
        return tally.corpus()

    @classmethod
    def from_file(
        cls,
        path: str | Path,
        normalizer: str | tuple[str, ...] = "none",
        pre_tokenizer: str = "byte_level",
        pattern: str = "gpt2",
        timeout: float = 2.0,
        progress: Progress | None = None,
    ) -> Corpus:
        r"""Count the words of a file, each line one text without its end (`\n`, `\r\n` or `\r`).

        The file is read a line at a time and never held. Its bytes are read as by `decode_text`. Raises what
        `from_texts` raises, and OSError.
        """
        tally = Tally(Pipeline(normalizer, pre_tokenizer, pattern, timeout), progress)
        with open(path, "rb") as stream:
            tally.read(stream)
        return tally.corpus()

    @classmethod
    def from_bytes(
        cls,
        data: bytes,
        normalizer: str | tuple[str, ...] = "none",
        pre_tokenizer: str = "byte_level",
        pattern: str = "gpt2",
        timeout: float = 2.0,
        progress: Progress | None = None,
    ) -> Corpus:
        r"""Count the words of a file's contents, such as an upload: what `from_file` would give.

        >>> corpus = Corpus.from_bytes(b"a caf\xe9\na tea\n", pre_tokenizer="whitespace")
        >>> list(corpus.items()), corpus.lines, corpus.replaced
        ([('a', 2), ('caf', 1), ('�', 1), ('tea', 1)], 2, 1)
        """
        tally = Tally(Pipeline(normalizer, pre_tokenizer, pattern, timeout), progress)
        tally.read(io.BytesIO(data))
        return tally.corpus()

    def __len__(self) -> int:
        """The number of different words."""
        return len(self.words)

    def items(self) -> Iterator[tuple[str, int]]:
        """Each word with its count, in order of first appearance."""
        return zip(self.words, self.counts, strict=True)

    def symbols(self, word: str) -> tuple[str, ...]:
        """The symbols that training starts from: the word's characters, then the pipeline's suffix if any.

        >>> Corpus.from_texts(["né"]).symbols("nÃ©")  # one character is one byte
        ('n', 'Ã', '©')
        """
        suffix = self.pipeline.suffix
        return (*word, suffix) if suffix else tuple(word)

    @cached_property
    def total(self) -> int:
        """The number of words, repetitions counted."""
        return sum(self.counts)

    @cached_property
    def digest(self) -> str:
        """32 hexadecimal digits that stand for the words, their counts and the pipeline, on every machine.

        What doesn't change a result stays out of it: see `Pipeline.rules`.
        """
        everything = json.dumps([self.pipeline.rules, self.words, self.counts]).encode("ascii")
        return blake2b(everything, digest_size=16).hexdigest()


# --- Files of word counts -----------------------------------------------------------------------------------

_HEADERS: Final = frozenset({"count", "counts", "freq", "frequency", "n", "occurrences"})


def parse_counts(text: str) -> list[tuple[str, int]]:
    r"""Read word counts, one a line, and give them in the file's order (a word given twice appears twice).

    * `hug 10`: the last field is the count, and what is in front of it is the word.
    * With a tab in between, or as CSV (`hug,10`), the word is taken as it is, spaces included; in CSV a word
      may stand in quotes. A word that ends in a comma needs quotes, except a comma alone (`, 10`).
    * Blank lines are skipped, and so is a first line such as `word,count`.
    * `#` may be a word or begin one (`# 12`, `#tag 3`). A line that begins with `#` and is anything but one
      word and a count is a comment, unless it has a tab.

    Raises CountsFileError with the line's number (from 1), the line, and what is wrong with it.

    >>> parse_counts('# from the course\nhug 10\npug\t5\n"a,b",12\n')
    [('hug', 10), ('pug', 5), ('a,b', 12)]
    """
    counts: list[tuple[str, int]] = []
    is_first = True
    for line_number, line in enumerate(regex.split(r"\r\n|\r|\n", text.removeprefix("\ufeff")), start=1):
        if not line.strip() or _is_comment(line):
            continue
        fields = _fields(line_number, line)
        is_header = is_first and len(fields) == 2 and fields[1].strip().lower() in _HEADERS
        if not is_header:
            counts.append(_word_and_count(line_number, line, fields))
        is_first = False
    return counts


def _is_comment(line: str) -> bool:
    """Whether a line begins with `#` and isn't the count of a word that does."""
    is_count = regex.fullmatch(r"\S+(?:\s+|,\s*)[0-9]+\s*", line)
    return line.startswith("#") and "\t" not in line and not is_count


def _fields(line_number: int, line: str) -> list[str]:
    """Split a line into word and count by a tab, else by its comma (CSV), else by its last whitespace."""
    if "\t" in line:
        return line.rsplit("\t", 1)
    spaced = line.strip().rsplit(None, 1)
    # In `a,b 10` the comma is part of the word, and in `, 10` it is the word. In `hug, 10` it is CSV's.
    comma_in_word = (
        len(spaced) == 2
        and not regex.search(r'[\s"]', spaced[0])
        and (spaced[0] == "," or ("," not in spaced[1] and not spaced[0].endswith(",")))
    )
    if "," not in line or comma_in_word:
        return spaced
    try:
        return next(csv.reader([line], strict=True))
    except csv.Error:
        raise CountsFileError(line_number=line_number, line=line, why="quotes") from None


def _word_and_count(line_number: int, line: str, fields: list[str]) -> tuple[str, int]:
    """Check a line's fields. Raises CountsFileError."""

    def error(why: str) -> CountsFileError:
        return CountsFileError(line_number=line_number, line=line, why=why)

    if len(fields) < 2:
        raise error("no_word" if regex.fullmatch(r"\s*[0-9]+\s*", line) else "no_count")
    if len(fields) > 2:
        raise error("too_many_fields")
    word, digits = fields[0], fields[1].strip()
    if not digits:
        raise error("no_count")
    if not regex.fullmatch(r"0*[1-9][0-9]*", digits):
        raise error("not_a_count")
    if len(digits.lstrip("0")) > 18:
        raise error("too_large")
    if not word:
        raise error("no_word")
    return word, int(digits)
