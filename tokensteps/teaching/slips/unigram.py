"""Learners' common mistakes about Unigram: the result of each, under its key in `SLIPS`, the likeliest
first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

from tokensteps.teaching.slips.merging import Slips

Pieces = tuple[str, ...]
ROUNDING: Final = 1e-9
"""Differences in nats up to this are rounding errors."""


def probability_slips(pieces: Sequence[str], counts: Mapping[str, int]) -> Slips:
    """The probability of a split by each mistake.

    >>> dict(probability_slips(("h", "ug"), {"h": 1, "ug": 3}))["added"]
    Fraction(1, 1)
    """
    total = sum(counts.values())
    shares = [Fraction(counts[piece], total) for piece in pieces]
    product = math.prod(counts[piece] for piece in pieces)
    yield "added", sum(shares, start=Fraction(0))
    yield "counts_multiplied", product
    yield "divided_once", Fraction(product, total)
    for index in range(len(shares)):
        yield "piece_left_out", math.prod(shares[:index] + shares[index + 1 :], start=Fraction(1))


def greatest_total(word: str, weights: Mapping[str, float | Fraction]) -> float | Fraction:
    """The greatest sum of weights of a word's splits into these pieces.

    >>> greatest_total("hug", {"h": 1, "u": 1, "g": 1, "ug": 3})
    4
    """
    best: list[float | Fraction | None] = [0]
    for end in range(1, len(word) + 1):
        ways = ((best[start], weights.get(word[start:end])) for start in range(end))
        sums = [total + weight for total, weight in ways if total is not None and weight is not None]
        best.append(max(sums, default=None))
    return 0 if best[-1] is None else best[-1]


def greedy_split(word: str, pieces: Iterable[str]) -> Pieces:
    """The longest piece each time, from the start; () where none fits.

    >>> greedy_split("hugs", ["h", "u", "g", "s", "hu", "gs"])
    ('hu', 'gs')
    """
    known, split = {*pieces}, []
    while word:
        size = next((size for size in range(len(word), 0, -1) if word[:size] in known), 0)
        if not size:
            return ()
        split.append(word[:size])
        word = word[size:]
    return tuple(split)


def split_slip(word: str, yours: Pieces, weights: Mapping[str, float | Fraction]) -> str:
    """The mistake behind a wrong split into known pieces. `weights` are the pieces' probabilities."""
    if yours == greedy_split(word, weights):
        return "greedy"
    if -len(yours) == greatest_total(word, dict.fromkeys(weights, -1)):
        return "fewest_pieces"
    if math.isclose(sum(weights[piece] for piece in yours), greatest_total(word, weights), rel_tol=1e-12):
        return "greatest_sum"
    return "less_probable"


class ResplitWord(NamedTuple):
    """A word with another split without a piece."""

    number: int
    """How often it occurs."""
    before: float
    after: float
    """Its cost, −ln."""
    split: Pieces = ()
    split_after: Pieces = ()


def loss_slips(resplits: Sequence[ResplitWord]) -> Slips:
    """By how much the loss grows, by each mistake."""
    true = sum(word.number * (word.after - word.before) for word in resplits)
    if not resplits:
        return
    yield "words_once", sum(word.after - word.before for word in resplits)
    yield "after_only", sum(word.number * word.after for word in resplits)
    yield "before_only", sum(word.number * word.before for word in resplits)
    yield "base_two", true / math.log(2)
    yield "base_ten", true / math.log(10)
    yield "sign", -true


def choosing_slip(
    yours: str, weights: Mapping[str, float], losses: Mapping[str, float], types: Mapping[str, float]
) -> str:
    """The mistake behind a wrong piece as the cheapest to lose; "" if none is known.

    `weights` are the offered pieces' probabilities, `losses` the cost of losing each, `types` the same with
    each word counted once (empty if that is not known).
    """
    if types and types[yours] <= min(types.values()) + ROUNDING:
        return "words_once"
    if [name for name, weight in weights.items() if weight <= weights[yours]] == [yours]:
        return "least_probable"
    return "most_costly" if losses[yours] >= max(losses.values()) - ROUNDING else ""
