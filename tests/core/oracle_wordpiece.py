"""WordPiece training written as plainly as it is described: the oracle of the engine's tests.

Nothing here is shared with `tokenizers_core`, not even with its `plain/`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from tests.core.oracle_ties import TIE_ORDERS, PairName


@dataclass
class PlainScoredStep:
    """One merge: the choice, the candidates, and the words after it."""

    pair: PairName
    tied: list[PairName]
    scores: dict[PairName, Fraction]
    most_frequent: PairName
    splits: dict[str, tuple[str, ...]]


def plain_wordpiece(
    frequencies: Mapping[str, int], rule: str, merges: int | None = None
) -> tuple[list[PlainScoredStep], list[str]]:
    """Train until no pair is left, or for so many merges: the steps and the vocabulary."""
    splits = {word: (word[0], *("##" + character for character in word[1:])) for word in frequencies}
    vocabulary = sorted({symbol for symbols in splits.values() for symbol in symbols})
    steps: list[PlainScoredStep] = []
    while True:
        pairs: dict[PairName, int] = {}
        symbols: dict[str, int] = {}
        for word, tokens in splits.items():
            for token in tokens:
                symbols[token] = symbols.get(token, 0) + frequencies[word]
            for pair in pairwise(tokens):
                pairs[pair] = pairs.get(pair, 0) + frequencies[word]
        if not pairs or len(steps) == merges:
            return steps, vocabulary
        scores = {pair: Fraction(count, symbols[pair[0]] * symbols[pair[1]]) for pair, count in pairs.items()}
        best = max(scores.values())
        in_order = TIE_ORDERS[rule]
        tied = in_order([pair for pair in scores if scores[pair] == best], vocabulary, str.encode)
        most = max(pairs.values())
        frequent = in_order([pair for pair in pairs if pairs[pair] == most], vocabulary, str.encode)[0]
        first, second = tied[0]
        token = first + second.removeprefix("##")
        splits = {word: merge(tokens, (first, second), token) for word, tokens in splits.items()}
        if token not in vocabulary:
            vocabulary.append(token)
        steps.append(PlainScoredStep((first, second), tied, scores, frequent, splits))


def merge(tokens: Sequence[str], pair: PairName, token: str) -> tuple[str, ...]:
    """`pair` joined wherever it occurs, from left to right."""
    merged: list[str] = []
    position = 0
    while position < len(tokens):
        here = tuple(tokens[position : position + 2]) == pair
        merged.append(token if here else tokens[position])
        position += 2 if here else 1
    return tuple(merged)
