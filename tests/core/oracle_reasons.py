"""Slow, plain versions of a word's split: merges applied one at a time, every segmentation tried.

They work on tuples of strings and know nothing of the engine. Each checks a reason's claim: would this split
come out, and if not, does the named obstacle really stand in its way?
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

Split = tuple[str, ...]
Ranks = Mapping[tuple[str, str], int]


def merged(symbols: Split, ranks: Ranks) -> list[tuple[Split, tuple[str, str], int]]:
    """Every merge of a word as BPE's papers have it: the lowest rank, everywhere from the left; after each
    place the tokens, the pair, and the number of symbols before the place where the two met."""
    sizes = [1] * len(symbols)
    tokens = [*symbols]
    done: list[tuple[Split, tuple[str, str], int]] = []
    while pairs := [pair for pair in pairwise(tokens) if pair in ranks]:
        best = min(pairs, key=ranks.__getitem__)
        at = 0
        while at < len(tokens) - 1:
            if (tokens[at], tokens[at + 1]) == best:
                done.append(((), best, sum(sizes[: at + 1])))
                tokens[at : at + 2] = [best[0] + best[1]]
                sizes[at : at + 2] = [sizes[at] + sizes[at + 1]]
                done[-1] = (tuple(tokens), *done[-1][1:])
            at += 1
    return done


def by_merges(symbols: Split, ranks: Ranks) -> Split:
    """The tokens in the end."""
    return merged(symbols, ranks)[-1][0] if merged(symbols, ranks) else symbols


def segmentations(word: str) -> Iterator[Split]:
    """Every way to cut a word.

    >>> list(segmentations("hug"))
    [('h', 'u', 'g'), ('h', 'ug'), ('hu', 'g'), ('hug',)]
    """
    if not word:
        yield ()
    for end in range(1, len(word) + 1):
        for rest in segmentations(word[end:]):
            yield (word[:end], *rest)


def by_longest(word: str, tokens: Collection[str], prefix: str = "##") -> tuple[Split, str]:
    """The longest matches from the left, and the rest where none matches."""
    results: list[str] = []
    while word:
        start = prefix if results else ""
        match = next(
            (start + word[:end] for end in range(len(word), 0, -1) if start + word[:end] in tokens), ""
        )
        if not match:
            return tuple(results), word
        results.append(match)
        word = word[len(match) - len(start) :]
    return tuple(results), ""


def log_probability(split: Sequence[str], scores: Mapping[str, float], unknown: float) -> float:
    """The sum of a split's log probabilities, −∞ for an unknown piece of several characters."""
    return sum(scores.get(piece, unknown if len(piece) == 1 else -math.inf) for piece in split)
