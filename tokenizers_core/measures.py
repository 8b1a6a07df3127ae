"""Measures of a tokenizer on a text: the number of tokens, the evenness of their distribution, and the cost
for each language.

Sources: fertility and the share of whole words, Rust et al. 2021, "How Good is Your Tokenizer?"; Rényi
efficiency, Zouhar et al. 2023, "Tokenization and the Noiseless Channel"; premiums, Petrov et al. 2023,
"Language Model Tokenizers Introduce Unfairness Between Languages".
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from numbers import Real
from typing import Final

from tokenizers_core.encoding.alignment import Stretch, cover, tokens_of_words
from tokenizers_core.encoding.tokenizer import Tokenizer, refuse_no_tokenizer
from tokenizers_core.errors import (
    TEXT_WANTED,
    Numbered,
    Phrase,
    SettingError,
    refuse_no_texts,
    refuse_wrong_type,
)
from tokenizers_core.lazy import cached_property
from tokenizers_core.text.byte_alphabet import symbols_to_bytes
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.training.comparison import Comparison, Side
from tokenizers_core.training.merge_trace import MergeTrace

USUAL_ORDER: Final = 2.5
"""The order of Rényi's entropy in best agreement with the quality of translation in Zouhar et al. 2023."""


@dataclass(frozen=True)
class Measures:
    """The counts of a text's tokens, and the measures that follow; None where there is nothing to divide by.

    >>> measures = Measures(Counter(the=3, cat=1, sat=1), words=5, whole=5, characters=19, bytes=19, size=100)
    >>> measures.fertility, measures.vocabulary_used, round(measures.renyi_efficiency(), 6)
    (1.0, 0.03, 0.701705)
    """

    counts: Mapping[int, int] | Mapping[str, int]
    """The count of each token in the text."""
    words: int
    """Of the text: stretches without white space, or pre-tokens."""
    whole: int
    """Words of one known token."""
    characters: int
    bytes: int
    """In UTF-8."""
    size: int
    """Tokens of the vocabulary."""
    unknown: int = 0
    """How many of the tokens are the unknown token."""

    @cached_property
    def tokens(self) -> int:
        """How many there are in the text."""
        return sum(self.counts.values())

    @property
    def different(self) -> int:
        """How many different tokens occur."""
        return len(self.counts)

    @property
    def fertility(self) -> float | None:
        """Tokens per word."""
        return self.tokens / self.words if self.words else None

    @property
    def tokens_per_character(self) -> float | None:
        return self.tokens / self.characters if self.characters else None

    @property
    def tokens_per_byte(self) -> float | None:
        return self.tokens / self.bytes if self.bytes else None

    @property
    def bytes_per_token(self) -> float | None:
        return self.bytes / self.tokens if self.tokens else None

    @property
    def whole_words(self) -> float | None:
        """The share of words of one token."""
        return self.whole / self.words if self.words else None

    @property
    def vocabulary_used(self) -> float | None:
        """The share of the vocabulary in use in the text."""
        return self.different / self.size if self.size else None

    def renyi_entropy(self, order: float = USUAL_ORDER) -> float:
        """How even the distribution of the tokens is, in bits: Shannon's entropy at order 1. Raises
        SettingError for an order below 0.

        The higher the order, the more the frequent tokens count.
        """
        refuse_wrong_type("order", order, Real, "give a number, such as 2.5")
        if not order >= 0:
            raise SettingError(name="order", value=order, reason="choose a number of at least 0, such as 2.5")
        shares = [count / self.tokens for count in self.counts.values()]
        if not shares:
            return 0.0
        if order == math.inf:
            return -math.log2(max(shares))
        if order == 1:
            return -math.fsum(share * math.log2(share) for share in shares)
        top = max(shares)  # before the power, which could become 0
        inside = math.fsum((share / top) ** order for share in shares)
        return (math.log2(inside) + order * math.log2(top)) / (1 - order)

    def renyi_efficiency(self, order: float = USUAL_ORDER, vocabulary: bool = False) -> float | None:
        """This entropy as a share of its maximum for so many tokens: the ones in the text, or the whole
        `vocabulary`.

        None where that is 0, for a single token. Raises SettingError for an order below 0.
        """
        possible = self.size if vocabulary else self.different
        entropy = self.renyi_entropy(order)
        return entropy / math.log2(possible) if possible > 1 else None


def measure(tokenizer: Tokenizer, text: str) -> Measures:
    """Measure a tokenizer on a text; no template is put around it. Raises the errors of `Tokenizer.encode`.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> tokenizer = train_bpe(Corpus.from_texts(["to be or not to be"]), merges=3).tokenizer()
    >>> found = measure(tokenizer, "to be or not to be")
    >>> found.tokens, found.words, found.whole, round(found.fertility, 3)
    (12, 6, 4, 2.0)
    """
    refuse_no_tokenizer(tokenizer)
    refuse_wrong_type("text", text, str, TEXT_WANTED)
    encoding = tokenizer.with_options(template=None, truncation=None, padding=None).encode(text)
    unknown = tokenizer.vocab.get(tokenizer.model.unk_token)
    stretches = cover(len(text), encoding.offsets)
    return measured(text, encoding.ids, stretches, len(tokenizer.tokens), unknown)


def measured(
    text: str, ids: Sequence[int], stretches: Sequence[Stretch], size: int, unknown: int | None
) -> Measures:
    """The measures of a text with these tokens, their `stretches` (see `cover`), and a vocabulary of `size`
    tokens."""
    words = whole = 0
    for _word, positions in tokens_of_words(text, stretches):
        words += 1
        whole += len(positions) == 1 and ids[positions[0]] != unknown
    counts = Counter(ids)
    result = 0 if unknown is None else counts[unknown]
    return Measures(counts, words, whole, len(text), len(text.encode()), size, result)


# --- Several languages --------------------------------------------------------------------------------------


def gini(values: Sequence[float]) -> float:
    """How unequal some numbers are: 0 for equal ones, towards 1 the more of all one of them has.

    >>> gini([1, 1, 1, 1]), gini([0, 0, 0, 4]), round(gini([10, 20, 30]), 4), gini([])
    (0.0, 0.75, 0.2222, 0.0)
    """
    ordered, total = sorted(values), math.fsum(values)
    if not total:
        return 0.0
    ranked = math.fsum(rank * value for rank, value in enumerate(ordered, start=1))
    return 2 * ranked / (len(ordered) * total) - (len(ordered) + 1) / len(ordered)


@dataclass(frozen=True)
class ParallelMeasures:
    """The tokens of the same lines in several languages."""

    lines: int
    tokens: Mapping[str, int]
    """Language → tokens of all its lines."""
    unknown: Mapping[str, int]
    """Language → its unknown tokens, which say nothing about the text."""

    @property
    def premium(self) -> dict[str, float | None]:
        """How many times the tokens of the first language; None where some of either are unknown, or there is
        none."""
        first = next(iter(self.tokens), "")
        known = {language: not self.unknown[language] for language in self.tokens}
        return {
            language: number / self.tokens[first]
            if known[first] and known[language] and self.tokens[first]
            else None
            for language, number in self.tokens.items()
        }

    @property
    def per_line(self) -> dict[str, float]:
        """Tokens per line of each language."""
        return {language: number / self.lines for language, number in self.tokens.items()}

    @property
    def gini(self) -> float:
        """How unequal the tokens per line are among the languages."""
        return gini([*self.per_line.values()])


def check_parallel(texts: Mapping[str, Sequence[str]]) -> int:
    """How many lines each language has. Raises WrongTypeError, and SettingError for none, or where one has
    another number."""
    remedy = "give each language's lines by its name: {'en': ['a line']}; of a table, texts.to_dict('list')"
    refuse_wrong_type("texts", texts, Mapping, remedy)
    for language, lines in texts.items():
        name = f"texts[{language!r}]"
        refuse_no_texts(name, lines)
        refuse_wrong_type(name, lines, Sized, "give a list of its lines")
    sizes = {language: len(lines) for language, lines in texts.items()}
    if not any(sizes.values()):
        raise SettingError(name="texts", value=sizes, reason="give at least one line in each language")
    first, number = next(iter(sizes.items()))
    for language, size in sizes.items():
        if size != number:
            reason = Phrase(
                Numbered(
                    "{language} has {size} line and {first} has {number}; the same line has to say the same in all",
                    "{language} has {size} lines and {first} has {number}; the same line has to say the same in all",
                    by="size",
                ),
                language=language,
                size=size,
                first=first,
                number=number,
            )
            raise SettingError(name="texts", value=sizes, reason=reason)
    return number


def measure_parallel(tokenizer: Tokenizer, texts: Mapping[str, Sequence[str]]) -> ParallelMeasures:
    """Measure a tokenizer on the same lines in several languages; premiums are over the first. Raises
    SettingError, WrongTypeError, and the errors of encoding.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> tokenizer = train_bpe(Corpus.from_texts(["to be"]), merges=9, alphabet="bytes").tokenizer()
    >>> found = measure_parallel(tokenizer, {"en": ["to be"], "fr": ["être"]})
    >>> found.tokens, found.premium["fr"], found.gini
    ({'en': 2, 'fr': 5}, 2.5, 0.2142857142857142)
    """
    refuse_no_tokenizer(tokenizer)
    lines = check_parallel(texts)
    unknown = tokenizer.vocab.get(tokenizer.model.unk_token)
    ids = {language: [*tokenizer.encode_iterable(result)] for language, result in texts.items()}
    return ParallelMeasures(
        lines,
        {language: len(result) for language, result in ids.items()},
        {language: result.count(unknown) if unknown is not None else 0 for language, result in ids.items()},
    )


# --- Vocabulary sizes ---------------------------------------------------------------------------------------


def measure_sizes(comparison: Comparison, indices: Iterable[int]) -> Iterator[tuple[Measures | None, ...]]:
    """The runs of a comparison at some of its sizes, on its own corpus, in its order; words are pre-tokens.

    >>> from tokenizers_core import Corpus, compare
    >>> comparison = compare(
    ...     Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}), vocab_size=12
    ... )
    >>> [
    ...     [round(measures.fertility, 3) for measures in size if measures]
    ...     for size in measure_sizes(comparison, [len(comparison)])
    ... ]
    [[1.25, 1.694, 1.0]]
    """
    characters, size = text_size(comparison.corpus)
    for index in indices:
        yield tuple(
            None
            if (step := side.steps[index]) is None
            else _measured_side(side, step, comparison.corpus, characters, size)
            for side in comparison.sides
        )


def _measured_side(side: Side, step: int, corpus: Corpus, characters: int, size: int) -> Measures:
    """Tokens are distinguished as in the algorithm, and counted in the text; of a text in stretches, each
    word is split by itself."""
    trace, texts = side.trace, corpus
    splits: Sequence[Sequence[str]]
    if isinstance(trace, MergeTrace):
        splits, texts = trace.current_words(step).words, trace.corpus_at(step)
    else:
        splits = [*map(side.cutter(step), range(len(corpus)))]
    counts: Counter[str] = Counter()
    for split, number in zip(splits, texts.counts, strict=True):
        for token in split:
            counts[token] += number
    if texts.words != corpus.words:
        splits = [*map(side.cutter(step), range(len(corpus)))]
    whole = sum(number for split, number in zip(splits, corpus.counts, strict=True) if len(split) == 1)
    return Measures(counts, corpus.total, whole, characters, size, side.sizes[step])


def text_size(corpus: Corpus) -> tuple[int, int]:
    """Characters and bytes of a corpus, as its words hold them."""
    characters = size = 0
    for word, number in corpus.items():
        data = symbols_to_bytes(word) if corpus.pipeline.byte_level else word.encode()
        characters += number * (
            len(data.decode("utf-8", "replace")) if corpus.pipeline.byte_level else len(word)
        )
        size += number * len(data)
    return characters, size
