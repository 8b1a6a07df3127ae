"""The common interface of trained models: turn one pre-token into tokens."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from numbers import Integral
from random import Random
from typing import Any

from tokenizers_core.encoding.cuts.steps import Drawn
from tokenizers_core.encoding.reasons import Reason
from tokenizers_core.encoding.vocabulary import Vocabulary
from tokenizers_core.errors import WHOLE_NUMBER, SettingError, refuse_wrong_type
from tokenizers_core.text.spans import Span
from tokenizers_core.trace import Trace


def seeded(seed: int) -> Random:
    """Chance that is the same again for the same seed. Raises WrongTypeError."""
    refuse_wrong_type("seed", seed, Integral, WHOLE_NUMBER)
    return Random(int(seed))


class Model(ABC):
    """Turns one pre-token into tokens. Encoded words are cached."""

    WORDS_REMEMBERED = 100_000
    LONGEST_REMEMBERED = 100
    BYTES_REMEMBERED = 16_000_000
    """Approximate limit for all cached words: some 30,000 usual words, or 6,000 of a hundred rare
    characters."""

    SPELLED_AT_ONCE = 500
    """Words encoded together: enough to share the overhead, and few enough to need little memory."""

    vocabulary: Vocabulary
    unk_token: str
    """The token for unknown characters or words; "" if nothing can be unknown."""
    suffix: str = ""
    """The last symbol of every word, if it has one."""
    byte_fallback: bool = False
    """Whether an unknown character is its UTF-8 bytes, each a token such as `<0xE3>`."""
    way: str
    """Its way to cut words, as in `cuts/ways.py`."""
    samples_from_end: bool = False
    """Whether `sampling` chooses a word's last token first."""

    added_only: frozenset[str] = frozenset()
    """Added tokens that aren't in the model's own vocabulary: cut out of a text, and never part of a word."""

    def __init__(self) -> None:
        self.known_words: dict[str, tuple[int, ...]] = {}
        self._stretches: dict[str, dict[str, tuple[int, ...]]] = {}
        self._taken = 0

    def stretches(self, pre_tokenizer: str) -> dict[str, tuple[int, ...]]:
        """The ids of cached words by their stretch of text, before this pre-tokenizer rewrites it."""
        return self._stretches.setdefault(pre_tokenizer, {})

    def own_ids(self) -> Mapping[str, int]:
        """The tokens for words, with their ids."""
        ids = self.vocabulary.ids
        if not self.added_only:
            return ids
        return {token: identifier for token, identifier in ids.items() if token not in self.added_only}

    @abstractmethod
    def split(self, word: str) -> tuple[str, ...]:
        """The word's symbols, known or not."""

    @abstractmethod
    def spell(self, word: str) -> Iterable[int]:
        """The ids of a word's tokens, worked out."""

    def spell_all(self, words: Sequence[str]) -> Iterable[Iterable[int]]:
        """The ids of many words' tokens, worked out."""
        return map(self.spell, words)

    @abstractmethod
    def explain(self, word: str) -> Trace[Any]:
        """The encoding of a word, step by step."""

    @abstractmethod
    def why_not(self, word: str, tokens: tuple[str, ...]) -> Reason:
        """What stopped the model from splitting a word into these tokens, written as in the vocabulary."""

    def amount(self, dropout: float | None, temperature: float | None) -> float:
        """The amount of randomness for `sample`: as requested, or the default. Raises SettingError for a
        setting of another kind of model."""
        if temperature is not None:
            raise SettingError(
                name="temperature", value=temperature, reason="only Unigram has one; set dropout instead"
            )
        return 0.1 if dropout is None else dropout

    @abstractmethod
    def sample(self, word: str, amount: float, random: Random) -> tuple[str, ...]:
        """One split of a word at random: `amount` is the dropout of BPE and WordPiece, the temperature of
        Unigram.

        Raises SettingError for an impossible amount.
        """

    @abstractmethod
    def sampling(self, word: str, amount: float, random: Random) -> Iterator[Drawn]:
        """The steps of `sample`, one choice at a time, from the beginning on, or from the end
        (`samples_from_end`). Raises SettingError."""

    @abstractmethod
    def distribution(self, word: str, amount: float) -> dict[tuple[str, ...], float] | None:
        """The exact probability of each possible split by `sample`; None where there are too many."""

    def spans(self, word: str) -> Iterable[Span]:
        """Where each of a word's tokens is in it, in characters.

        The last token gets the rest: its end-of-word symbol has no character.
        """
        prefix, names = len(self.vocabulary.prefix), self.vocabulary.tokens
        tokens = [names[identifier] for identifier in self.encode_word(word)]
        lengths: Iterable[int] = map(len, tokens)
        if prefix or self.unk_token in tokens:  # inside a word, a token carries the continuation prefix
            lengths = [
                1 if token == self.unk_token else len(token) - (prefix if index else 0)
                for index, token in enumerate(tokens)
            ]
        borders = [0, *accumulate(lengths)]
        borders[-1] = len(word)
        return pairwise(borders)

    def join(self, tokens: list[str]) -> list[str]:
        """The tokens in readable form: a model with byte tokens turns those into their text."""
        return tokens

    def encode_word(self, word: str) -> tuple[int, ...]:
        """The ids of a word's tokens."""
        ids = self.known_words.get(word)
        if ids is None:
            ids = tuple(self.spell(word))
            self.remember(self.known_words, [(word, ids)])
        return ids

    def encode_words(self, words: Sequence[str]) -> list[tuple[int, ...]]:
        """The same of many words, at less cost for each."""
        known = self.known_words
        encoded = {word: known[word] for word in words if word in known}
        new = [word for word in dict.fromkeys(words) if word not in encoded]
        for first in range(0, len(new), self.SPELLED_AT_ONCE):
            lot = new[first : first + self.SPELLED_AT_ONCE]
            encoded.update(zip(lot, map(tuple, self.spell_all(lot)), strict=True))
        self.remember(known, zip(new, map(encoded.__getitem__, new), strict=True))
        return list(map(encoded.__getitem__, words))

    def remember(
        self, memory: dict[str, tuple[int, ...]], encoded: Iterable[tuple[str, tuple[int, ...]]]
    ) -> None:
        """Write words' ids into one of this model's memories, as far as there is room: it counts for all of
        them together."""
        longest, most = self.LONGEST_REMEMBERED, self.WORDS_REMEMBERED
        for word, ids in encoded:
            if len(word) <= longest and len(memory) < most:
                size = 220 + 4 * len(word) + 8 * len(ids)
                if self._taken + size <= self.BYTES_REMEMBERED:
                    memory[word] = ids
                    self._taken += size
