"""From tokens back to text: each decoder undoes one way of writing spaces in tokens.

Source and oracle: the decoders of the `tokenizers` library. The meaning of tokens depends on the
pre-tokenizer, so by default `Tokenizer` chooses its pipeline's decoder.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import ClassVar, Final, Protocol

from tokenizers_core.encoding.byte_tokens import BYTE_TOKENS
from tokenizers_core.errors import SettingError, UnknownNameError
from tokenizers_core.text.byte_alphabet import SYMBOL_TO_BYTE
from tokenizers_core.text.rewriting import Replace
from tokenizers_core.text.splitting import END_OF_WORD, SPACE_MARK

PREPEND_SCHEMES: Final = ("always", "first", "never")
"""Where a mark is put: in front of every stretch of text, only in front of a text's first stretch, or
nowhere."""

CLEANUPS: Final = (
    (" .", "."),
    (" ?", "?"),
    (" !", "!"),
    (" ,", ","),
    (" ' ", "'"),
    (" n't", "n't"),
    (" 'm", "'m"),
    (" do not", " don't"),
    (" 's", "'s"),
    (" 've", "'ve"),
    (" 're", "'re"),
)
"""The library's clean-up: removal of spaces that English doesn't have, in this order."""


class Decoder(ABC):
    """A way to read tokens as text."""

    reads_byte_tokens: ClassVar[bool] = False
    """Whether it reads `<0xE3>` itself; otherwise the model with such tokens does, before it."""

    @abstractmethod
    def decode(self, tokens: Sequence[str], special_tokens: Collection[str] = ()) -> str:
        """The text of `tokens`; some may be among `special_tokens`."""


@dataclass(frozen=True)
class SpaceDecoder(Decoder):
    """Joins tokens with spaces, as the library does without a decoder.

    >>> SpaceDecoder().decode(["to", "be"])
    'to be'
    """

    def decode(self, tokens: Sequence[str], special_tokens: Collection[str] = ()) -> str:  # noqa: ARG002 - joins all
        return " ".join(tokens)


@dataclass(frozen=True)
class ByteLevelDecoder(Decoder):
    """Reads tokens in the byte alphabet. Invalid UTF-8, as when a character is cut, becomes U+FFFD.

    A token with a character outside the alphabet is its own text, as in the library; here a special token
    always is, so that `<é>` stays as it is.

    >>> ByteLevelDecoder().decode(["na", "Ã¯", "ve", "Ġcaf", "Ã"])
    'naïve caf�'
    """

    def decode(self, tokens: Sequence[str], special_tokens: Collection[str] = ()) -> str:
        spelled = {token: self._bytes(token, special_tokens) for token in set(tokens)}
        return b"".join(map(spelled.__getitem__, tokens)).decode("utf-8", "replace")

    def _bytes(self, token: str, special_tokens: Collection[str]) -> bytes:
        if token in special_tokens or not SYMBOL_TO_BYTE.keys() >= {*token}:
            return token.encode("utf-8")
        return bytes(map(SYMBOL_TO_BYTE.__getitem__, token))


@dataclass(frozen=True)
class WordPieceDecoder(Decoder):
    """Reads tokens with a `prefix` inside a word; all others begin one. For `cleanup`, see `CLEANUPS`.

    >>> WordPieceDecoder().decode(["Hu", "##gging", "Face", "!"])
    'Hugging Face!'
    """

    prefix: str = "##"
    cleanup: bool = True

    def decode(self, tokens: Sequence[str], special_tokens: Collection[str] = ()) -> str:  # noqa: ARG002 - all alike
        inside = {token: self._piece(token, inside=True) for token in set(tokens[1:])}
        first = [self._piece(token, inside=False) for token in tokens[:1]]
        return "".join(chain(first, map(inside.__getitem__, tokens[1:])))

    def _piece(self, token: str, inside: bool) -> str:
        if inside:
            token = token.removeprefix(self.prefix) if token.startswith(self.prefix) else f" {token}"
        # One token at a time, so the rules for two words never apply; nor do they in the library.
        for written, wanted in CLEANUPS if self.cleanup else ():
            token = token.replace(written, wanted)
        return token


@dataclass(frozen=True)
class MetaspaceDecoder(Decoder):
    """Reads tokens with `replacement` for a space.

    Unless `prepend_scheme` is "never", it was also put in front of the text, and the first token loses it.
    Raises SettingError and UnknownNameError when made.

    >>> (
    ...     MetaspaceDecoder().decode(["▁to", "▁b", "e"]),
    ...     MetaspaceDecoder(prepend_scheme="never").decode(["▁to"]),
    ... )
    ('to be', ' to')
    """

    replacement: str = SPACE_MARK
    prepend_scheme: str = "always"

    def __post_init__(self) -> None:
        if len(self.replacement) != 1:
            raise SettingError(
                name="replacement", value=self.replacement, reason="choose one character, such as ▁"
            )
        if self.prepend_scheme not in PREPEND_SCHEMES:
            raise UnknownNameError(kind="prepend_scheme", name=self.prepend_scheme, known=PREPEND_SCHEMES)

    def decode(self, tokens: Sequence[str], special_tokens: Collection[str] = ()) -> str:  # noqa: ARG002 - all alike
        if not tokens:
            return ""
        in_first = " " if self.prepend_scheme == "never" else ""
        first = tokens[0].replace(self.replacement, in_first)
        return first + "".join(tokens[1:]).replace(self.replacement, " ")


@dataclass(frozen=True)
class BpeDecoder(Decoder):
    """Reads tokens of words that end in `suffix`; it becomes a space, or nothing at the end of the text.

    Raises SettingError when made without a suffix.

    >>> BpeDecoder().decode(["low", "</w>", "low", "er</w>"])
    'low lower'
    """

    suffix: str = END_OF_WORD

    def __post_init__(self) -> None:
        if not self.suffix:
            raise SettingError(
                name="suffix",
                value=self.suffix,
                reason="the suffix is empty; choose one, such as </w>",
            )

    def decode(self, tokens: Sequence[str], special_tokens: Collection[str] = ()) -> str:  # noqa: ARG002 - all alike
        if not tokens:
            return ""
        *others, last = tokens
        # One token at a time: a suffix spelled out in a text may span several tokens, and ends no word.
        return "".join(token.replace(self.suffix, " ") for token in others) + last.replace(self.suffix, "")


# --- Several steps, as files of other programs have them ----------------------------------------------------


class DecodingStep(Protocol):
    """A step from tokens to tokens."""

    def decode(self, tokens: Sequence[str]) -> list[str]:
        """The tokens after it."""


@dataclass(frozen=True)
class ReplaceInTokens:
    """Writes `content` for a text, or where the pattern matches, in each token."""

    pattern: Replace

    def decode(self, tokens: Sequence[str]) -> list[str]:
        return list(map(self.pattern.rewrite, tokens))


@dataclass(frozen=True)
class BytesToText:
    """Reads runs of byte tokens as UTF-8; in a run of invalid UTF-8 each byte becomes U+FFFD.

    >>> BytesToText().decode(["a", "<0xC3>", "<0xA9>", "<0xC3>", "b", "<0xC3>"])
    ['a', '�', '�', '�', 'b', '�']
    """

    def decode(self, tokens: Sequence[str]) -> list[str]:
        read: list[str] = []
        for is_byte, group in groupby(tokens, key=BYTE_TOKENS.__contains__):
            run = list(group)
            if not is_byte:
                read += run
                continue
            try:
                read.append(bytes(BYTE_TOKENS[token] for token in run).decode("utf-8"))
            except UnicodeDecodeError:
                read += ["\ufffd"] * len(run)
        return read


@dataclass(frozen=True)
class Fuse:
    """Makes one token of all."""

    def decode(self, tokens: Sequence[str]) -> list[str]:
        return ["".join(tokens)]


@dataclass(frozen=True)
class StripTokens:
    """Takes a character off the ends of each token, at most `start` and `stop` times.

    >>> StripTokens(" ", 1, 0).decode(["  to ", "be"])
    [' to ', 'be']
    """

    content: str
    start: int
    stop: int

    def decode(self, tokens: Sequence[str]) -> list[str]:
        return list(map(self._stripped, tokens))

    def _stripped(self, token: str) -> str:
        front = min(self.start, len(token) - len(token.lstrip(self.content)))
        token = token[front:]
        return token[: len(token) - min(self.stop, len(token) - len(token.rstrip(self.content)))]


@dataclass(frozen=True)
class ComposedDecoder(Decoder):
    """Steps, and then a decoder, or else the tokens joined.

    >>> steps = (ReplaceInTokens(Replace("▁", " ")), BytesToText(), Fuse(), StripTokens(" ", 1, 0))
    >>> ComposedDecoder(steps).decode(["▁to", "▁caf", "<0xC3>", "<0xA9>"])
    'to café'
    """

    reads_byte_tokens: ClassVar[bool] = True
    steps: tuple[DecodingStep, ...]
    last: Decoder | None = None

    def decode(self, tokens: Sequence[str], special_tokens: Collection[str] = ()) -> str:
        for step in self.steps:
            tokens = step.decode(tokens)
        return self.last.decode(tokens, special_tokens) if self.last else "".join(tokens)
