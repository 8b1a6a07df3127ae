"""Pre-tokenizing: cutting a text into pre-tokens; training never merges across their borders.

The pre-tokenizers, their names and results are the same as in the Hugging Face `tokenizers` library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate
from operator import add
from typing import Final, NamedTuple

from tokenizers_core.errors import refuse_unknown_name
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL, bytes_to_symbols
from tokenizers_core.text.patterns import PATTERNS, Stopwatch, compiled, cut_at, finder
from tokenizers_core.text.spans import IdentitySpans, Span, origin_of

END_OF_WORD: Final = "</w>"
"""The symbol at the end of a word in the original BPE for words (Sennrich, Haddow and Birch, 2016)."""

SPACE_MARK: Final = "▁"
"""The sign for a space in SentencePiece and `Metaspace` (U+2581, not an underscore)."""


BEHIND: Final = "whitespace_split_metaspace_behind"
"""The pre-tokenizer with it behind each word, like SentencePiece with `treat_whitespace_as_suffix`."""


class _PreTokenFields(NamedTuple):
    text: str
    start: int
    end: int


class PreToken(_PreTokenFields):
    """A pre-token `text` as the model sees it, and the stretch from `start` to `end` of the original text.

    `spans` says for each character of `text` which stretch of the original it came from: each byte of `é` has
    the whole `é`, and a `▁` put in front has the first character's. It takes no part in comparing or
    unpacking.

    >>> from tokenizers_core.text.pipeline import pre_tokenize
    >>> pre_token = pre_tokenize("né")[0]
    >>> pre_token, list(pre_token.spans)
    (PreToken(text='nÃ©', start=0, end=2), [(0, 1), (1, 2), (1, 2)])
    """

    spans: Sequence[Span]

    def __new__(cls, text: str, start: int, end: int, spans: Sequence[Span] | None = None) -> PreToken:
        """Without `spans`, every character has the whole stretch."""
        pre_token = super().__new__(cls, text, start, end)
        pre_token.spans = [(start, end)] * len(text) if spans is None else spans
        return pre_token


class Notation(NamedTuple):
    """The model's view of a stretch of text: its string, and the origin of each character."""

    show: Callable[[str], str]
    align: Callable[[str, Sequence[Span]], Sequence[Span]]

    def pre_token(self, stretch: str) -> PreToken:
        """A stretch of text as a pre-token, taken by itself."""
        return PreToken(self.show(stretch), 0, len(stretch), self.align(stretch, IdentitySpans(len(stretch))))


def _mark_spaces(stretch: str) -> str:
    return stretch.replace(" ", SPACE_MARK)


def _mark_front(stretch: str) -> str:
    """Only the first pre-token of a text (or a word) needs the mark: the others begin with it already."""
    return SPACE_MARK + _mark_spaces(stretch).removeprefix(SPACE_MARK)


def _align_marked_front(stretch: str, spans: Sequence[Span]) -> Sequence[Span]:
    return spans if stretch[0] in (" ", SPACE_MARK) else [spans[0], *spans]


def _mark_behind(stretch: str) -> str:
    return stretch.removesuffix(SPACE_MARK) + SPACE_MARK


def _align_marked_behind(stretch: str, spans: Sequence[Span]) -> Sequence[Span]:
    return spans if stretch[-1] == SPACE_MARK else [*spans, spans[-1]]


def align_bytes(stretch: str, spans: Sequence[Span]) -> Sequence[Span]:
    if stretch.isascii():
        return spans
    return [span for character, span in zip(stretch, spans, strict=True) for _ in character.encode("utf-8")]


_SPACE: Final = BYTE_TO_SYMBOL[ord(" ")]


def show_bytes(stretch: str) -> str:
    """The byte alphabet's spelling; printable ASCII spells itself but for the space."""
    if stretch.isascii() and stretch.isprintable():
        return stretch.replace(" ", _SPACE)
    return bytes_to_symbols(stretch.encode("utf-8"))


AS_IT_IS = Notation(show=lambda stretch: stretch, align=lambda _stretch, spans: spans)
AS_BYTES = Notation(show=show_bytes, align=align_bytes)
_SPACES_MARKED = Notation(show=_mark_spaces, align=lambda _stretch, spans: spans)
_FRONT_MARKED = Notation(show=_mark_front, align=_align_marked_front)
_END_MARKED = Notation(show=_mark_behind, align=_align_marked_behind)


class _Rule(NamedTuple):
    """A whole pre-tokenizer: the form of a pre-token in the text, and for the model."""

    pattern: str
    notation: Notation


PUNCTUATION = r"\p{P}$+<=>^`|~"  # Unicode's, and its ASCII symbols (as in BERT)
_WHITESPACE_SPLIT = _Rule(r"\S+", AS_IT_IS)
_PUNCTUATION_ALONE = _Rule(rf"[{PUNCTUATION}]|[^\s{PUNCTUATION}]+", AS_IT_IS)

RULES: Final[Mapping[str, _Rule]] = {
    "byte_level": _Rule("", AS_BYTES),  # the pattern is the caller's choice
    "whitespace_split": _WHITESPACE_SPLIT,
    "whitespace": _Rule(r"\w+|[^\w\s]+", AS_IT_IS),
    "bert": _PUNCTUATION_ALONE,
    "metaspace": _Rule("[ ▁][^ ▁]*|[^ ▁]+", _FRONT_MARKED),
    "whitespace_split_metaspace": _Rule(r"▁[^\s▁]*|[^\s▁]+", _FRONT_MARKED),
    BEHIND: _Rule(r"[^\s▁]*▁|[^\s▁]+", _END_MARKED),
    "whitespace_split_punctuation": _PUNCTUATION_ALONE,
    "end_of_word": _WHITESPACE_SPLIT,  # the `</w>` is a symbol of its own: see Corpus.symbols
    "none": _Rule(r"[^\n]+", _SPACES_MARKED),
}

PRE_TOKENIZERS: Final = tuple(RULES)
"""The names `pre_tokenize` knows."""


def has_own_pattern(pre_tokenizer: object, pattern: str) -> bool:
    """Whether `pattern` is in use and is a regular expression of the user's own, so may take any time.

    >>> (
    ...     has_own_pattern("byte_level", "(a+)+b"),
    ...     has_own_pattern("byte_level", "gpt2"),
    ...     has_own_pattern("bert", "x"),
    ... )
    (True, False, False)
    """
    return pre_tokenizer == "byte_level" and pattern not in PATTERNS


class Splitter:
    """A pre-tokenizer at work, shared by `pre_tokenize` and `Corpus`, so that they can't disagree.

    Matches are first cut out of the text, then converted to the model's view: counting does the second only
    once for each *different* pre-token.
    """

    def __init__(self, pre_tokenizer: str, pattern: str, timeout: float) -> None:
        refuse_unknown_name("pre_tokenizer", pre_tokenizer, PRE_TOKENIZERS)
        rule = RULES[pre_tokenizer]
        self.notation = rule.notation
        self.pattern = PATTERNS.get(pattern, pattern) if pre_tokenizer == "byte_level" else rule.pattern
        compiled(self.pattern)  # it raises an error for an invalid pattern
        is_own = has_own_pattern(pre_tokenizer, pattern)
        self._stopwatch = Stopwatch(pattern, timeout) if is_own else None

    in_place: Final = True
    """Words are stretches of the text, only shown differently."""

    def words(self, text: str, spans: Sequence[Span], begins: bool = True) -> Iterator[PreToken]:
        """The pre-tokens with their places; `spans` say where the characters of the text came from."""
        del begins  # which only parts of files ask for
        show, align = self.notation
        for start, end in self.spans(text):
            stretch = text[start:end]
            first, last = origin_of(spans, start, end)
            yield PreToken(show(stretch), first, last, align(stretch, spans[start:end]))

    def spans(self, text: str) -> list[Span]:
        """Where the pre-tokens are, in order."""
        if self._stopwatch:
            return cut_at(text, self.pattern, self._stopwatch)
        matches = self.matches(text)
        starts = self.starts_of(text, matches)
        return list(zip(starts, map(add, starts, map(len, matches)), strict=True))

    def starts_of(self, text: str, matches: Sequence[str]) -> list[int]:
        """The starts of the stretches found by `matches`."""
        *starts, end = accumulate(map(len, matches), initial=0)
        if end == len(text):  # one follows the other, as with patterns that match everything
            return starts
        return [match.start() for match in finder(self.pattern, text).finditer(text)]

    def matches(self, text: str, begins: bool = True, spans: Sequence[Span] | None = None) -> list[str]:
        """The same stretches as strings, without the price of the offsets."""
        del begins, spans
        if self._stopwatch:
            return [text[start:end] for start, end in cut_at(text, self.pattern, self._stopwatch)]
        results: list[str] = finder(self.pattern, text).findall(text)  # whole matches, as no rule has a group
        return results
