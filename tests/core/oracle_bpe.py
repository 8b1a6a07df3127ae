"""The algorithms written as plainly as they are described, slow on purpose: the oracle of the engine's tests.

Nothing here is shared with `tokenizers_core`, not even with its `plain/`. Every step recounts the whole
corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tests.core.oracle_ties import TIE_ORDERS, PairName

Split = dict[str, list[str]]


@dataclass
class PlainStep:
    """One merge: the choice, the candidates, and the words after it."""

    pair: PairName
    freq: int
    tied: list[PairName]
    counts: dict[PairName, int]
    splits: Split


def count(splits: Split, frequencies: Mapping[str, int]) -> dict[PairName, int]:
    """Every pair of neighbours, weighted by word frequency, in reading order of the words."""
    counts: dict[PairName, int] = {}
    for word, tokens in splits.items():
        for first, second in pairwise(tokens):
            counts[first, second] = counts.get((first, second), 0) + frequencies[word]
    return counts


def replace(tokens: Sequence[str], pair: PairName) -> list[str]:
    """`pair` joined wherever it occurs, from left to right."""
    result: list[str] = []
    index = 0
    while index < len(tokens):
        if index + 1 < len(tokens) and (tokens[index], tokens[index + 1]) == pair:
            result.append(pair[0] + pair[1])
            index += 2
        else:
            result.append(tokens[index])
            index += 1
    return result


def plain_bpe(
    frequencies: Mapping[str, int],
    symbols: Callable[[str], Sequence[str]],
    vocabulary: Sequence[str],
    tie_rule: str,
    to_bytes: Callable[[str], bytes],
    vocab_size: int,
) -> tuple[list[PlainStep], list[str]]:
    """Train until `vocab_size` or until no pair is left: the steps and the vocabulary."""
    splits = {word: list(symbols(word)) for word in frequencies}
    vocabulary = list(vocabulary)
    steps: list[PlainStep] = []
    while len(vocabulary) < vocab_size:
        counts = count(splits, frequencies)
        if not counts:
            break
        most = max(counts.values())
        met = [pair for pair in counts if counts[pair] == most]
        tied = TIE_ORDERS[tie_rule](met, vocabulary, to_bytes)
        best = tied[0]
        splits = {word: replace(tokens, best) for word, tokens in splits.items()}
        if best[0] + best[1] not in vocabulary:
            vocabulary.append(best[0] + best[1])
        steps.append(PlainStep(best, most, tied, counts, splits))
    return steps, vocabulary


def plain_encode(tokens: Sequence[str], merges: Sequence[PairName]) -> list[str]:
    """Make the earliest learned merge that is possible, everywhere, until none is left."""
    encoded = list(tokens)
    while True:
        present = set(pairwise(encoded))
        best = next((pair for pair in merges if pair in present), None)
        if best is None:
            return encoded
        encoded = replace(encoded, best)
