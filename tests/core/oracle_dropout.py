"""Splits at random, slowly: all outcomes of all coins, on symbols as plain strings.

Sources: Provilkov et al. 2020 (BPE-dropout), Hiraoka 2022 (MaxMatch-dropout).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from itertools import product

Split = tuple[str, ...]


def by_merges(
    symbols: Split, ranks: Mapping[tuple[str, str], int], amount: Fraction
) -> dict[Split, Fraction]:
    """Every set of dropped merges, one after the other, by the paper's algorithm 1."""
    results: dict[Split, Fraction] = defaultdict(Fraction)
    positions = [index for index in range(len(symbols) - 1) if symbols[index : index + 2] in ranks]
    for dropped in product((False, True), repeat=len(positions)):
        share = amount ** sum(dropped) * (1 - amount) ** (len(positions) - sum(dropped))
        left = [index for index, gone in zip(positions, dropped, strict=True) if not gone]
        if not left:
            results[symbols] += share
            continue
        index = min(left, key=lambda index: (ranks[symbols[index], symbols[index + 1]], index))
        merged = (*symbols[:index], symbols[index] + symbols[index + 1], *symbols[index + 2 :])
        for split, rest in by_merges(merged, ranks, amount).items():
            results[split] += share * rest
    return results


def by_matches(word: str, tokens: frozenset[str], amount: Fraction, begin: str = "") -> dict[Split, Fraction]:
    """Every way to drop out the matches at a place; an unspellable rest is None in the end."""
    if not word:
        return {(): Fraction(1)}
    results: dict[Split, Fraction] = defaultdict(Fraction)
    left = Fraction(1)
    for end in range(len(word), 0, -1):
        piece = begin + word[:end]
        if piece not in tokens:
            continue
        share = left if end == 1 else left * (1 - amount)
        left -= share
        for split, rest in by_matches(word[end:], tokens, amount, "##").items():
            results[split if split == ("[UNK]",) else (piece, *split)] += share * rest
    if left:
        results["[UNK]",] += left
    return results
