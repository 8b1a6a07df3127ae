"""The tie rules as plain as their descriptions: the oracle of the engine's tests.

Nothing here is shared with `tokenizers_core`. A rule of the engine without a version here raises KeyError.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

PairName = tuple[str, str]
Bytes = Callable[[str], bytes]
"""A token's bytes."""
TieOrder = Callable[[Sequence[PairName], Sequence[str], Bytes], list[PairName]]
"""Pairs in the order of their first occurrences, the vocabulary by ids, a token's bytes → the pairs, the
rule's choice first."""


def first_met(pairs: Sequence[PairName], _vocabulary: Sequence[str], _to_bytes: Bytes) -> list[PairName]:
    return list(pairs)


def lowest_ids(pairs: Sequence[PairName], vocabulary: Sequence[str], _to_bytes: Bytes) -> list[PairName]:
    return sorted(pairs, key=lambda pair: [vocabulary.index(token) for token in pair])


def greatest(pairs: Sequence[PairName], _vocabulary: Sequence[str], to_bytes: Bytes) -> list[PairName]:
    return sorted(pairs, key=lambda pair: [to_bytes(token) for token in pair], reverse=True)


def shortest(pairs: Sequence[PairName], _vocabulary: Sequence[str], _to_bytes: Bytes) -> list[PairName]:
    def joined(pair: PairName) -> str:
        return pair[0] + pair[1].removeprefix("##")

    return sorted(sorted(pairs, key=joined), key=lambda pair: len(joined(pair)))


TIE_ORDERS: Mapping[str, TieOrder] = {
    "first": first_met,
    "lowest_ids": lowest_ids,
    "greatest": greatest,
    "shortest": shortest,
}
