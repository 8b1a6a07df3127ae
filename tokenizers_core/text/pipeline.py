"""The way from text to words: a normalizer, then a pre-tokenizer."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Real

from tokenizers_core.errors import (
    TEXT_WANTED,
    SettingError,
    SurrogateError,
    WrongTypeError,
    refuse_no_texts,
    refuse_wrong_type,
)
from tokenizers_core.text.cutting import (
    DIGITS,
    PIECE_DIGITS,
    Bytes,
    ComposedSplitter,
    CutAt,
    Cutter,
    Marked,
    named_parts,
)
from tokenizers_core.text.normalizers import Normalizer, normalize, normalized_text, only_names, steps_of
from tokenizers_core.text.patterns import Stopwatch, compiled
from tokenizers_core.text.rewriting import Replace
from tokenizers_core.text.splitting import BEHIND, END_OF_WORD, SPACE_MARK, PreToken, Splitter


def pre_tokenize(
    text: str, pre_tokenizer: str = "byte_level", pattern: str = "gpt2", timeout: float = 2.0
) -> list[PreToken]:
    """Cut a text into pre-tokens by one of `PRE_TOKENIZERS`, without normalizing it.

    `pattern` is for `byte_level` only: a name in `PATTERNS`, or a regular expression of the user's own (it
    may run for `timeout` seconds in all); text between its matches makes pre-tokens, too. Raises
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
    """Raise SurrogateError if the text has a lone half of a UTF-16 pair: UTF-8 can't hold it."""
    refuse_wrong_type("text", text, str, TEXT_WANTED)
    if text.isascii():
        return
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise SurrogateError(code_point=ord(text[error.start]), position=error.start) from None


@dataclass(frozen=True)
class Pipeline:
    """The way from text to words: a normalizer, then a pre-tokenizer. The fields are as in `pre_tokenize`.

    Raises UnknownNameError, PatternError, SettingError or WrongTypeError when made; an unused `pattern` may
    be anything.

    >>> Pipeline(pre_tokenizer="bpe")
    Traceback (most recent call last):
    tokenizers_core.errors.UnknownNameError: pre_tokenizer='bpe' is not known; choose one of byte_level, \
whitespace_split, whitespace, bert, metaspace, whitespace_split_metaspace, \
whitespace_split_metaspace_behind, whitespace_split_punctuation, \
end_of_word, none.
    """

    normalizer: Normalizer = "none"
    pre_tokenizer: str | tuple[Cutter, ...] = "byte_level"
    """A name in `PRE_TOKENIZERS`; files of other programs bring parts of their own."""
    pattern: str = "gpt2"
    timeout: float = 2.0
    cuts: Sequence[Cutter] = ()
    """Further cuts behind a named pre-tokenizer, such as those of `cutting.DIGITS`."""
    user_defined_symbols: Sequence[str] = ()
    """Strings to cut out of a text before anything else, wherever they occur, the longest first: each stays
    one token. Unlike special tokens, they are text, and decoding never leaves them out."""

    def __post_init__(self) -> None:
        refuse_wrong_type("timeout", self.timeout, Real, "give a number of seconds")
        refuse_wrong_type("pattern", self.pattern, str, "name a pattern, or write a regular expression")
        if not (math.isfinite(self.timeout) and self.timeout > 0):
            raise SettingError(name="timeout", value=self.timeout, reason="choose seconds above 0")
        refuse_no_texts("user_defined_symbols", self.user_defined_symbols)
        for symbol in self.user_defined_symbols:
            refuse_wrong_type(
                "user_defined_symbols", symbol, str, "write each symbol as a str, such as '<n>'"
            )
            if not symbol:
                raise SettingError(
                    name="user_defined_symbols", value="", reason="an empty symbol can't be found in a text"
                )
        object.__setattr__(self, "user_defined_symbols", tuple(self.user_defined_symbols))  # to be hashed
        self._check_parts()
        if self.cuts and self.pre_tokenizer == "end_of_word":
            raise SettingError(
                name="cuts",
                value=repr(self.cuts),
                reason="words would end at each cut; choose another pre-tokenizer, such as whitespace_split",
            )
        for part in (*self.cuts, *steps_of(self.normalizer)):
            if isinstance(part, CutAt | Replace) and not part.literal:
                compiled(part.pattern)
        steps_of(self.normalizer)
        if not isinstance(self.pre_tokenizer, tuple):  # for its errors: an unknown name, an invalid pattern
            Splitter(self.pre_tokenizer, self.pattern, self.timeout)

    def _check_parts(self) -> None:
        """Refuse anything but parts among the cuts, and in a composed pre-tokenizer."""
        remedy = "give parts in a list, such as [tokenizers_core.text.cutting.DIGITS['each']]"
        if isinstance(self.cuts, str | bytes) or not isinstance(self.cuts, Iterable):
            raise WrongTypeError("cuts", self.cuts, remedy)
        object.__setattr__(self, "cuts", tuple(self.cuts))
        composed = self.pre_tokenizer if isinstance(self.pre_tokenizer, tuple) else ()
        for name, parts in (("cuts", self.cuts), ("pre_tokenizer", composed)):
            for part in parts:
                if isinstance(part, type) or not isinstance(part, Cutter):
                    raise WrongTypeError(name, part, remedy)

    def splitter(self) -> Splitter | ComposedSplitter:
        """The pre-tokenizer, with its time starting now."""
        if isinstance(self.pre_tokenizer, tuple):
            return ComposedSplitter(self.pre_tokenizer)
        if self.cuts:
            own = self.own_patterns
            return ComposedSplitter(self.parts, Stopwatch(own, self.timeout) if own else None)
        return Splitter(self.pre_tokenizer, self.pattern, self.timeout)

    def around_symbols(self, text: str) -> Iterator[tuple[str, str]]:
        """The stretches of a text, each with the user-defined symbol after it, the last with "".

        >>> list(Pipeline(user_defined_symbols=("<a>", "<a><b>")).around_symbols("x <a><b>y<a>"))
        [('x ', '<a><b>'), ('y', '<a>'), ('', '')]
        """
        longest_first = sorted(self.user_defined_symbols, key=len, reverse=True)
        parts = re.split("(" + "|".join(map(re.escape, longest_first)) + ")", text)
        return zip(parts[::2], [*parts[1::2], ""], strict=True)

    @property
    def own_patterns(self) -> str:
        """The user's own regular expressions among the cuts (they may take any time); "" without any."""
        known = (*DIGITS.values(), PIECE_DIGITS)
        return " ".join(part.pattern for part in self.cuts if isinstance(part, CutAt) and part not in known)

    @property
    def parts(self) -> tuple[Cutter, ...]:
        """The parts of the pre-tokenizer, with its further cuts."""
        if isinstance(self.pre_tokenizer, tuple):
            return self.pre_tokenizer
        return named_parts(self.pre_tokenizer, self.pattern, self.cuts)

    def words(
        self, text: str, splitter: Splitter | ComposedSplitter | None = None, begins: bool = True
    ) -> list[PreToken]:
        """The pre-tokens of a text, with offsets into it as it was before normalizing.

        With a `splitter` several texts share its time. `begins`: nothing is before this text. Raises
        SurrogateError, PatternTimeoutError.

        >>> Pipeline("nfd_strip_accents", "whitespace_split").words("un été")
        [PreToken(text='un', start=0, end=2), PreToken(text='ete', start=3, end=6)]
        """
        refuse_surrogates(text)
        splitter = splitter or self.splitter()
        normalized, spans = normalize(text, self.normalizer)
        return list(splitter.words(normalized, spans, begins))

    def split(self, text: str, splitter: Splitter | ComposedSplitter | None = None) -> list[str]:
        """The same pre-tokens as the model sees them, without offsets and so faster. Raises the same errors.

        >>> Pipeline().split("un été")
        ['un', 'ĠÃ©tÃ©']
        """
        refuse_surrogates(text)
        splitter = splitter or self.splitter()
        stretches = self.cut(text, splitter)
        shown = {
            stretch: splitter.notation.show(stretch) for stretch in set(stretches)
        }  # most occur many times
        return [shown[stretch] for stretch in stretches]

    def cut(self, text: str, splitter: Splitter | ComposedSplitter, begins: bool = True) -> list[str]:
        """The normalized text's stretches for the words, not yet in the model's form. The text must have no
        surrogates."""
        return splitter.matches(normalized_text(text, self.normalizer), begins)

    @property
    def only_named_parts(self) -> bool:
        """Whether it is made of the engine's own parts only, known in their effects and fit for counting a
        corpus."""
        return isinstance(self.pre_tokenizer, str) and not self.cuts and only_names(self.normalizer)

    @property
    def byte_level(self) -> bool:
        """Whether words are in the byte alphabet, one character for each byte."""
        if isinstance(self.pre_tokenizer, tuple):
            return any(isinstance(part, Bytes) for part in self.pre_tokenizer)
        return self.pre_tokenizer == "byte_level"

    @property
    def rules(self) -> tuple[Normalizer, str | tuple[Cutter, ...], str]:
        """The settings that decide the words, beside user-defined symbols: neither the time limit of a
        pattern, nor an unused pattern.

        >>> Pipeline(pre_tokenizer="bert", timeout=9).rules == Pipeline(
        ...     pre_tokenizer="bert", pattern="o200k_base"
        ... ).rules
        True
        """
        pattern = self.pattern if self.pre_tokenizer == "byte_level" else ""
        return self.normalizer, self.parts if self.cuts else self.pre_tokenizer, pattern

    @property
    def marks_spaces(self) -> bool:
        """Whether words hold `▁` for a space."""
        if isinstance(self.pre_tokenizer, tuple):
            marked = any(isinstance(part, Marked) and part.mark == SPACE_MARK for part in self.pre_tokenizer)
            return marked or SPACE_MARK in normalized_text("a a", self.normalizer)
        return self.pre_tokenizer in ("metaspace", "whitespace_split_metaspace", "none") or self.marks_behind

    @property
    def marks_behind(self) -> bool:
        """Whether every word ends in the `▁` for a space (SentencePiece's `treat_whitespace_as_suffix`)."""
        if isinstance(self.pre_tokenizer, tuple):
            return any(isinstance(part, Marked) and part.scheme == "behind" for part in self.pre_tokenizer)
        return self.pre_tokenizer == BEHIND

    @property
    def marks_beginning(self) -> bool:
        """Whether words depend on whether the text begins with them."""
        parts = self.pre_tokenizer if isinstance(self.pre_tokenizer, tuple) else ()
        return any(isinstance(part, Marked) and part.scheme == "first" for part in parts)

    @property
    def suffix(self) -> str:
        """The symbol at the end of every word: `</w>`, or none (the empty string)."""
        return END_OF_WORD if self.pre_tokenizer == "end_of_word" else ""
