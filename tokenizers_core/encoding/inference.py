"""Other ways to split a word with the same vocabulary, as compared by Uzan, Schmidt, Tanner and Pinter 2024, "Greed is All You Need".

How a vocabulary was trained doesn't say how it must be used: BPE applies its merges in order, but its tokens can also be matched from the
left, longest first, or chosen so that there are as few as possible.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence


def piece(symbols: Sequence[str], start: int, end: int, prefix: str = "") -> str:
    """The symbols from `start` to `end` as one token; inside a word with the continuation prefix.

    >>> piece(("h", "##u", "##g"), 1, 3, "##")
    '##ug'
    """
    bare = "".join(
        symbol.removeprefix(prefix) if place else symbol
        for place, symbol in enumerate(symbols[start:end], start)
    )
    return prefix + bare if start else bare


def longest_match(symbols: Sequence[str], tokens: Collection[str], prefix: str = "") -> tuple[str, ...]:
    """From the left, always the longest token; a symbol that begins none stays as it is.

    >>> longest_match("hugs", {"h", "u", "g", "s", "hu", "ug", "gs", "hug"})
    ('hug', 's')
    """
    split: list[str] = []
    start = 0
    while start < len(symbols):
        ends = range(len(symbols), start, -1)
        end = next((end for end in ends if piece(symbols, start, end, prefix) in tokens), start + 1)
        split.append(piece(symbols, start, end, prefix))
        start = end
    return tuple(split)


def fewest_tokens(symbols: Sequence[str], tokens: Collection[str], prefix: str = "") -> tuple[str, ...]:
    """As few tokens as possible; among equally few the split whose first token is the longest, then the second, and so on.

    A symbol that is no token can stand alone too, but counts as more than all tokens of the word, so that it is taken only where nothing
    else spells it.

    >>> fewest_tokens("hugs", {"h", "u", "g", "s", "hug", "hu", "gs"}), longest_match("abcd", {"a", "b", "c", "d", "ab", "abc", "bcd"})
    (('hug', 's'), ('abc', 'd'))
    >>> fewest_tokens("xabcd", {"x", "xa", "abcd", "b", "c", "d", "bc"})
    ('x', 'abcd')
    """
    unknown = len(symbols) + 1
    best: list[tuple[int, int]] = [(0, 0)] * (
        len(symbols) + 1
    )  # how many tokens from here on, and where the first one ends
    for start in reversed(range(len(symbols))):
        ways = [(best[start + 1][0] + unknown, -(start + 1))]
        ways += [
            (best[end][0] + 1, -end)
            for end in range(start + 1, len(symbols) + 1)
            if piece(symbols, start, end, prefix) in tokens
        ]
        number, end = min(ways)
        best[start] = number, -end
    split: list[str] = []
    start = 0
    while start < len(symbols):
        end = best[start][1]
        split.append(piece(symbols, start, end, prefix))
        start = end
    return tuple(split)
