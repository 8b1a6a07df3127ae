"""Learners' common mistakes about random splits: the result of each, under its key in `SLIPS`, the likeliest
first."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from tokensteps.teaching.slips.encoding import Spelled, rule_by_rule
from tokensteps.teaching.slips.merging import PairName, Slips


class Coins(NamedTuple):
    """The random decisions at one point of a word: the number of dropped options, and whether an option that
    could have dropped out is then taken."""

    dropped: int
    taken: bool

    def share(self, dropout: Fraction) -> Fraction:
        """Its probability.

        >>> Coins(1, True).share(Fraction(1, 10)), Coins(2, False).share(Fraction(1, 10))
        (Fraction(9, 100), Fraction(1, 100))
        """
        return dropout**self.dropped * (1 - dropout if self.taken else 1)


Tossed = Sequence[Coins]
"""One way to a split, point by point."""


def product_of(way: Tossed, dropout: Fraction) -> Fraction:
    """How probable one way is."""
    return math.prod((coins.share(dropout) for coins in way), start=Fraction(1))


def dropout_slips(ways: Sequence[Tossed], dropout: Fraction) -> Slips:
    """The probability of a split by dropout, by each mistake; it is the sum over all `ways` to it.

    >>> dict(dropout_slips([[Coins(0, True), Coins(1, False)]], Fraction(1, 10)))["taken_forgotten"]
    Fraction(1, 10)
    """

    def total(changed: Sequence[Tossed], rate: Fraction = dropout) -> Fraction:
        return sum((product_of(way, rate) for way in changed), start=Fraction(0))

    yield "dropped_forgotten", total([[Coins(0, coins.taken) for coins in way] for way in ways])
    yield "taken_forgotten", total([[Coins(coins.dropped, False) for coins in way] for way in ways])
    yield "dropout_swapped", total(ways, 1 - dropout)


def merge_dropout_slips(
    ways: Sequence[Tossed],
    letters: Sequence[str],
    rules: Sequence[PairName],
    split: Spelled,
    dropout: Fraction,
) -> Slips:
    """The same for BPE-dropout alone: forgetting the drops at the end, or other ways, or dropping rules once
    for the whole word."""
    yield "end_forgotten", sum((product_of(way[:-1], dropout) for way in ways), start=Fraction(0))
    if len(ways) > 1:
        yield from (("one_way_only", product_of(way, dropout)) for way in ways)
    yield "drops_for_good", dropped_for_good(letters, rules, split, dropout)


def dropped_for_good(
    letters: Sequence[str], rules: Sequence[PairName], split: Spelled, dropout: Fraction
) -> Fraction:
    """How probable a split would be if each rule dropped out once for the whole word.

    >>> dropped_for_good("hug", [("u", "g"), ("h", "ug")], ("h", "ug"), Fraction(1, 10))
    Fraction(9, 100)
    """
    result = Fraction(0)
    for number in range(len(rules) + 1):
        for stored in combinations(rules, number):
            if [*rule_by_rule(letters, stored)][-1] == split:
                result += (1 - dropout) ** number * dropout ** (len(rules) - number)
    return result


def sampling_slips(
    own: Fraction, products: Collection[Fraction], power: Fraction
) -> Iterator[tuple[str, Fraction | float]]:
    """The probability in Unigram's sampling of a split with the product `own`, by each mistake; `products`
    are all splits'.

    >>> dict(sampling_slips(Fraction(1, 4), [Fraction(1, 4), Fraction(1, 2)], Fraction(1)))["others_only"]
    Fraction(1, 2)
    """
    weights = [product**power for product in products]
    plain = own / sum(products)
    yield "not_divided", own**power
    if power != 1:
        yield "power_forgotten", plain
        yield "power_after", plain**power
    yield "others_only", own**power / (sum(weights) - own**power)
    yield "equally_likely", Fraction(1, len(products))
