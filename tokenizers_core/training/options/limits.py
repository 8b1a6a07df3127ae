"""Limits on the length of tokens and the characters of the alphabet, named as in the `tokenizers` library and
SentencePiece."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple

from tokenizers_core.errors import (
    WHOLE_NUMBER,
    Phrase,
    SettingError,
    refuse_no_texts,
    refuse_wrong_type,
)
from tokenizers_core.text.corpus import Corpus


class Limits(NamedTuple):
    """The limits of a run; by default none."""

    max_token_length: int | None = None
    """The most characters of a merged token, an end-of-word symbol and a continuation prefix not counted.
    (SentencePiece's `max_sentencepiece_length`; the `tokenizers` library wants one more for the same, and
    always makes pairs.)"""
    limit_alphabet: int | None = None
    """The most characters in the alphabet: the most frequent stay, of equals the first in Unicode's order."""
    initial_alphabet: Sequence[str] = ()
    """Characters in the alphabet whether the corpus has them or not."""
    character_coverage: float = 1.0
    """The alphabet's least coverage of the corpus's characters, the most frequent first, as in
    SentencePiece."""

    def check(self) -> None:
        """Raise WrongTypeError or SettingError for an invalid limit."""
        for name in ("max_token_length", "limit_alphabet"):
            if (value := getattr(self, name)) is not None:
                refuse_wrong_type(name, value, Integral, WHOLE_NUMBER)
                if value < 1:
                    raise SettingError(
                        name=name, value=value, reason=Phrase("choose at least {least}", least=1)
                    )
        refuse_no_texts("initial_alphabet", self.initial_alphabet)
        for character in self.initial_alphabet:
            refuse_wrong_type(
                "initial_alphabet", character, str, "write each character as a str, such as 'é'"
            )
            if len(character) != 1:
                raise SettingError(
                    name="initial_alphabet",
                    value=character,
                    reason="give single characters, such as ['é', 'ü']",
                )
        coverage = self.character_coverage
        refuse_wrong_type("character_coverage", coverage, Real, "give a share, such as 0.9995")
        if not 0 < coverage <= 1:
            raise SettingError(
                name="character_coverage",
                value=coverage,
                reason="choose a share above 0, 1 at most, such as 0.9995",
            )

    def non_defaults(self) -> dict[str, Any]:
        """The set limits, by name."""
        return {name: value for name, value in self._asdict().items() if value != self._field_defaults[name]}

    @property
    def drop_characters(self) -> bool:
        """Whether some of the corpus's characters may be outside of the alphabet."""
        return self.limit_alphabet is not None or self.character_coverage < 1

    def alphabet(self, corpus: Corpus, always: Iterable[str] = ()) -> set[str]:
        """The characters of the alphabet; `always` come before all others.

        >>> corpus = Corpus.from_counts({"hug": 10, "pug": 5})
        >>> [sorted(Limits(limit_alphabet=3).alphabet(corpus, always)) for always in ("", "z")]
        [['g', 'h', 'u'], ['g', 'u', 'z']]
        >>> sorted(Limits(character_coverage=0.8).alphabet(corpus))
        ['g', 'h', 'u']
        """
        counts = characters_of(corpus)
        first = {*always}
        order = sorted({*counts} | first, key=lambda one: (one not in first, -counts[one], one))
        total, covered, stored = sum(counts.values()), 0, set[str]()
        for character in order[: self.limit_alphabet]:
            if character not in first and covered >= self.character_coverage * total:
                break
            covered += counts[character]
            stored.add(character)
        return stored


def within(symbols: Iterable[str], alphabet: Container[str], unknown: str = "") -> tuple[str, ...]:
    """A word's symbols, with `unknown` for each outside of an alphabet, "" for nothing.

    >>> within("hug", "hg"), within("hug", "hg", "[UNK]")
    (('h', 'g'), ('h', '[UNK]', 'g'))
    """
    placed = (symbol if symbol in alphabet else unknown for symbol in symbols)
    return tuple(filter(None, placed))


def characters_of(corpus: Corpus) -> Counter[str]:
    """How often each character occurs in a corpus's words."""
    counts: Counter[str] = Counter()
    for word, count in corpus.items():
        for character in word:
            counts[character] += count
    return counts


def left_out(corpus: Corpus, alphabet: Iterable[str], prefix: str) -> Mapping[str, int]:
    """The corpus's characters not in an alphabet, with their counts, the most frequent first."""
    known = {symbol.removeprefix(prefix) or symbol for symbol in alphabet}
    missing = [(one, count) for one, count in characters_of(corpus).items() if one not in known]
    return dict(sorted(missing, key=lambda item: (-item[1], item[0])))
