"""Ranks of tokens, as in tiktoken: the possible merges and their order follow from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping


def all_splits(ranks: Mapping[bytes, int]) -> Iterator[tuple[bytes, bytes]]:
    """Every way to make a token out of two, by the token's rank.

    tiktoken merges any two neighbours that make a token, the lowest rank first and then the leftmost. The
    order of one token's splits would matter only if two of them competed for the same bytes. No vocabulary
    does that; the tests search for one.

    >>> list(all_splits({b"a": 0, b"b": 1, b"ab": 2, b"bb": 3, b"abb": 4}))
    [(b'a', b'b'), (b'b', b'b'), (b'a', b'bb'), (b'ab', b'b')]
    """
    for token in sorted(ranks, key=ranks.__getitem__):
        for index in range(1, len(token)):
            if token[:index] in ranks and token[index:] in ranks:
                yield token[:index], token[index:]
