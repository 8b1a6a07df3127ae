"""The way from text to words: a normalizer, then a pre-tokenizer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real

from tokenizers_core.errors import TEXT_WANTED, SettingError, SurrogateError, refuse_wrong_type
from tokenizers_core.text.normalizers import normalize, normalized_text, steps_of
from tokenizers_core.text.spans import origin_of
from tokenizers_core.text.splitting import END_OF_WORD, PreToken, Splitter


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
        refuse_wrong_type("timeout", self.timeout, Real, "give a number of seconds")
        refuse_wrong_type("pattern", self.pattern, str, "name a pattern, or write a regular expression")
        if not (math.isfinite(self.timeout) and self.timeout > 0):
            raise SettingError(name="timeout", value=self.timeout, reason="choose seconds above 0")
        steps_of(self.normalizer)
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
            first, last = origin_of(spans, start, end)
            words.append(PreToken(show(stretch), first, last, align(stretch, spans[start:end])))
        return words

    def split(self, text: str, splitter: Splitter | None = None) -> list[str]:
        """The same pre-tokens as the model sees them, without offsets and so faster. Raises the same errors.

        >>> Pipeline().split("un été")
        ['un', 'ĠÃ©tÃ©']
        """
        refuse_surrogates(text)
        splitter = splitter or self.splitter()
        stretches = self.cut(text, splitter)
        shown = {stretch: splitter.view.show(stretch) for stretch in set(stretches)}  # most occur many times
        return [shown[stretch] for stretch in stretches]

    def cut(self, text: str, splitter: Splitter) -> list[str]:
        """The stretches of the normalized text that become words, not yet as the model sees them. The text must have no surrogates."""
        return splitter.matches(normalized_text(text, self.normalizer))

    @property
    def byte_level(self) -> bool:
        """Whether each character of a word stands for one byte."""
        return self.pre_tokenizer == "byte_level"

    @property
    def rules(self) -> tuple[str | tuple[str, ...], str, str]:
        """What decides about the words: not the time that a pattern may take, nor a pattern that isn't used.

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
