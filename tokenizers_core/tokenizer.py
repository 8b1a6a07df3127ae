"""Using what was learned: text to ids and back, with offsets into the original text.

The stages are those of the `tokenizers` library: special tokens are cut out first, the rest is normalized and split
into pre-tokens, and the model turns each pre-token into tokens.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import regex

from tokenizers_core.errors import UnknownIdError
from tokenizers_core.merging import Vocabulary
from tokenizers_core.text import (
    SPACE_MARK,
    Pipeline,
    PreToken,
    Span,
    Splitter,
    normalized_text,
    refuse_surrogates,
    symbols_to_bytes,
)
from tokenizers_core.trace import Trace


class Model(ABC):
    """Turns one pre-token into tokens. Words that were encoded before are remembered."""

    WORDS_REMEMBERED = 100_000
    LONGEST_REMEMBERED = 100

    vocabulary: Vocabulary
    unk_token: str
    """What stands for the unknown; "" where nothing is."""
    suffix: str = ""
    """The last symbol of every word, if it has one."""

    def __init__(self) -> None:
        self._remembered: dict[str, tuple[int, ...]] = {}

    @abstractmethod
    def spell(self, word: str) -> Iterable[int]:
        """The ids of a word's tokens, worked out."""

    @abstractmethod
    def explain(self, word: str) -> Trace[Any]:
        """The encoding of a word, step by step."""

    def spans(self, word: str) -> Iterable[Span]:
        """Where each of a word's tokens stands in it, in characters.

        The last token has whatever the ones before it left: the end-of-word symbol in it stands for no character.
        """
        *ids, _ = self.encode_word(word)
        position = 0
        for place, identifier in enumerate(ids):
            token = self.vocabulary.tokens[identifier]
            start = position
            if token == self.unk_token:
                position += 1
            else:  # inside a word a token carries the continuation prefix, if the model has one
                position += len(token) - (len(self.vocabulary.prefix) if place else 0)
            yield start, position
        yield position, len(word)

    def join(self, tokens: list[str]) -> list[str]:
        """The tokens as they are to be read: here bytes would become the text that they spell."""
        return tokens

    def encode_word(self, word: str) -> tuple[int, ...]:
        """The ids of a word's tokens."""
        ids = self._remembered.get(word)
        if ids is None:
            ids = tuple(self.spell(word))
            if len(word) <= self.LONGEST_REMEMBERED and len(self._remembered) < self.WORDS_REMEMBERED:
                self._remembered[word] = ids
        return ids


def with_unknown(
    tokens: Iterable[str], special_tokens: Iterable[str], unk_token: str
) -> tuple[list[str], list[str]]:
    """Vocabulary and special tokens with the unknown token in both, added at the end where it is missing.

    >>> with_unknown(["a"], [], "[UNK]")
    (['a', '[UNK]'], ['[UNK]'])
    """
    return list(dict.fromkeys([*tokens, unk_token])), list(dict.fromkeys([*special_tokens, unk_token]))


class Segment(NamedTuple):
    """A stretch of text: a special token, or text for the model; offsets into the whole text."""

    text: str
    start: int
    special: bool


class Encoding:
    """What a text becomes: ids at once; tokens, offsets and word ids when they are asked for.

    `offsets` are (start, end) character positions in the original text. Byte-level tokens that share a character all
    have the whole character's offsets. `word_ids` number the pre-tokens and special tokens from 0.
    """

    def __init__(self, tokenizer: Tokenizer, text: str, ids: list[int]) -> None:
        self.text = text
        self.ids = ids
        self._tokenizer = tokenizer

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Encoding(tokens={self.tokens!r})"

    @property
    def tokens(self) -> list[str]:
        names = self._tokenizer.tokens
        return [names[identifier] for identifier in self.ids]

    @property
    def offsets(self) -> list[tuple[int, int]]:
        return self._alignment[0]

    @property
    def word_ids(self) -> list[int]:
        return self._alignment[1]

    @cached_property
    def _alignment(self) -> tuple[list[tuple[int, int]], list[int]]:
        return self._tokenizer.align(self.text)


class Tokenizer:
    """A pipeline, a model and special tokens: text to ids and back."""

    def __init__(self, pipeline: Pipeline, model: Model, special_tokens: Sequence[str] = ()) -> None:
        self.pipeline = pipeline
        self.model = model
        self.special_tokens = tuple(special_tokens)
        longest_first = sorted(self.special_tokens, key=len, reverse=True)
        self._special = regex.compile("|".join(map(regex.escape, longest_first))) if longest_first else None

    @property
    def tokens(self) -> Sequence[str]:
        """All tokens by id."""
        return self.model.vocabulary.tokens

    @property
    def vocab(self) -> Mapping[str, int]:
        """Token → id."""
        return self.model.vocabulary.ids

    def encode(self, text: str) -> Encoding:
        """The tokens of `text`. Raises what `Pipeline.words` raises.

        >>> from tokenizers_core import Corpus, train_bpe
        >>> tokenizer = train_bpe(Corpus.from_texts(["to be or not to be"]), merges=2).tokenizer()
        >>> encoding = tokenizer.encode("not to be")
        >>> encoding.tokens, encoding.offsets
        (['n', 'o', 't', 'Ġ', 'to', 'Ġb', 'e'], [(0, 1), (1, 2), (2, 3), (3, 4), (4, 6), (6, 8), (8, 9)])
        """
        return Encoding(self, text, self.ids(text))

    def encode_iterable(self, texts: Iterable[str]) -> Iterator[int]:
        """The ids of one text after the other, lazily: a text is read when its first id is wanted.

        >>> from tokenizers_core import Corpus, train_bpe
        >>> tokenizer = train_bpe(Corpus.from_counts({"hug": 10, "pug": 5}), merges=1).tokenizer()
        >>> list(tokenizer.encode_iterable(["hug pug", "hug"]))
        [1, 4, 2, 4, 1, 4]
        """
        for text in texts:
            yield from self.ids(text)

    def ids(self, text: str) -> list[int]:
        """The ids of the tokens of `text`, each different word encoded once."""
        # All segments share one splitter, and so the time that a pattern of the user's own may take.
        splitter, split = self.pipeline.splitter(), self.pipeline.split
        segments = [
            (segment, [] if segment.special else split(segment.text, splitter))
            for segment in self.segments(text)
        ]
        ids: list[int] = []
        for segment, words in segments:
            if segment.special:
                ids.append(self.vocab[segment.text])
                continue
            encoded = {word: self.model.encode_word(word) for word in set(words)}
            ids.extend(chain.from_iterable(map(encoded.__getitem__, words)))
        return ids

    def segments(self, text: str) -> Iterator[Segment]:
        """`text` cut at its special tokens, longest first.

        Special tokens are found in the text as it is, before normalization. Raises SurrogateError.
        """
        refuse_surrogates(text)  # here, so that the error counts from the start of the whole text
        position = 0
        for match in self._special.finditer(text) if self._special else ():
            if match.start() > position:
                yield Segment(text[position : match.start()], position, False)
            yield Segment(match.group(), match.start(), True)
            position = match.end()
        if position < len(text):
            yield Segment(text[position:], position, False)

    def align(self, text: str) -> tuple[list[tuple[int, int]], list[int]]:
        """Offsets and word ids of the tokens of `text`."""
        words: list[list[Span]] = []
        splitter = self.pipeline.splitter()
        for segment in self.segments(text):
            if segment.special:
                words.append([(segment.start, segment.start + len(segment.text))])
            else:
                words += self._align_words(segment, splitter)
        return list(chain.from_iterable(words)), [number for number, word in enumerate(words) for _ in word]

    def _align_words(self, segment: Segment, splitter: Splitter) -> list[list[Span]]:
        """The offsets of each pre-token's tokens."""
        if normalized_text(segment.text, self.pipeline.normalizer) != segment.text:
            words = self.pipeline.words(segment.text, splitter)
            return [
                [(segment.start + start, segment.start + end) for start, end in self.word_offsets(word)]
                for word in words
            ]
        # Nothing was rewritten: equal stretches of text have equal offsets, counted from where they begin.
        within: dict[str, list[Span]] = {}
        found = []
        for start, end in splitter.spans(segment.text):
            stretch = segment.text[start:end]
            if stretch not in within:
                within[stretch] = list(self.word_offsets(splitter.pre_token(stretch)))
            base = segment.start + start
            found.append([(base + first, base + last) for first, last in within[stretch]])
        return found

    def word_offsets(self, word: PreToken) -> Iterator[Span]:
        """The stretch of the original text behind each token of a pre-token."""
        for first, last in self.model.spans(word.text):
            covered = word.spans[first:last]
            # Not just the first and the last character's: normalizing may have moved an accent.
            starts, ends = [start for start, _ in covered], [end for _, end in covered]
            yield min(starts, default=word.end), max(ends, default=word.end)

    def explain(self, word: str) -> Trace[Any]:
        """The encoding of one pre-token (as `pipeline.words` gives them), step by step."""
        return self.model.explain(word)

    def token_bytes(self, identifier: int) -> bytes:
        """The bytes of text that a token stands for; a special token's are its own text's.

        A continuation prefix and an end-of-word symbol stand for none, and ``▁`` for a space.
        """
        token = self.token(identifier)
        if token in self.special_tokens:
            return token.encode("utf-8")
        if self.pipeline.byte_level:
            return symbols_to_bytes(token)
        token = token.removeprefix(self.model.vocabulary.prefix).removesuffix(self.model.suffix)
        if self.pipeline.marks_spaces:
            token = token.replace(SPACE_MARK, " ")
        return token.encode("utf-8")

    def token(self, identifier: int) -> str:
        """The token with this id."""
        if not 0 <= identifier < len(self.tokens):
            raise UnknownIdError(identifier=identifier, size=len(self.tokens))
        return self.tokens[identifier]

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """The text of `ids`. Bytes that are not UTF-8, as a cut character leaves them, become U+FFFD.

        Byte-level, ``▁`` and ``</w>`` tokens give their spaces back; the other pre-tokenizers have thrown them away,
        and tokens are joined by spaces as the `tokenizers` library does without a decoder; ``##`` joins to the token before.
        """
        wanted = list(ids)
        if skip_special_tokens:
            wanted = [
                identifier for identifier in wanted if self.token(identifier) not in self.special_tokens
            ]
        if self.pipeline.byte_level:
            return b"".join(map(self.token_bytes, wanted)).decode("utf-8", "replace")
        tokens = self.model.join([self.token(identifier) for identifier in wanted])
        if self.model.suffix:
            return "".join(tokens).replace(self.model.suffix, " ").removesuffix(" ")
        if self.pipeline.marks_spaces:
            text = "".join(tokens).replace(SPACE_MARK, " ")
            return text if self.pipeline.pre_tokenizer == "none" else text.removeprefix(" ")
        if prefix := self.model.vocabulary.prefix:
            return " ".join(tokens).replace(f" {prefix}", "")
        return " ".join(tokens)
