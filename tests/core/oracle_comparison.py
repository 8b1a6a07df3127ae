"""A comparison of runs written as plainly as it is described: the oracle of `test_comparison.py`.

Every vocabulary size is looked at by itself, every word and every token is looked at again. Nothing here is
shared with `tokenizers_core`; the runs are passed in as lists of states.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

Splits = Mapping[str, Sequence[str]]
State = tuple[Sequence[str], Splits]
"""A vocabulary, and every word's tokens with it."""


@dataclass
class PlainSize:
    """The runs at one vocabulary size; None for one without a vocabulary this small."""

    tokens: list[int | None]
    cuts: dict[str, list[tuple[str, ...] | None]]
    alike: int | None
    """Words cut alike by all, each as often as it occurs."""
    alike_pairs: list[int | None]
    different: list[str]
    """The words cut differently, the most frequent first, equals in the corpus's order."""
    odd: dict[str, str]
    surfaces: list[set[str]]
    """The longer tokens, without WordPiece's mark."""
    overlap: list[float | None]
    there: list[str]
    """The runs with a vocabulary of this size."""


NAMES = ("bpe", "wordpiece", "unigram")
PAIRS = (("bpe", "wordpiece"), ("bpe", "unigram"), ("wordpiece", "unigram"))
REGIONS = (NAMES, *PAIRS, ("bpe",), ("wordpiece",), ("unigram",))
"""The possible sharers of a token."""


def plain_size(
    freqs: Mapping[str, int], states: Sequence[State | None], names: Sequence[str] = NAMES
) -> PlainSize:
    """Compare some states, usually of BPE, WordPiece and Unigram."""
    tokens: list[int | None] = []
    surfaces: list[set[str]] = []
    cuts: dict[str, list[tuple[str, ...] | None]] = {word: [] for word in freqs}
    for name, state in zip(names, states, strict=True):
        if state is None:
            tokens.append(None)
            surfaces.append(set())
            for word in freqs:
                cuts[word].append(None)
            continue
        vocabulary, splits = state
        tokens.append(sum(freqs[word] * len(splits[word]) for word in freqs))
        plain = [
            token[2:] if name == "wordpiece" and token[:2] == "##" and len(token) > 2 else token
            for token in vocabulary
        ]
        surfaces.append({token for token in plain if len(token) > 1})
        for word in freqs:
            cuts[word].append(by_length(word, splits[word], name == "wordpiece"))
    pairs = list(combinations(range(len(names)), 2))
    different = [word for word in freqs if len({cut for cut in cuts[word] if cut is not None}) > 1]
    different.sort(key=lambda word: -freqs[word])
    all_there = None not in states

    def alike(*places: int) -> int | None:
        if any(states[index] is None for index in places):
            return None
        return sum(freqs[word] for word in freqs if len({cuts[word][index] for index in places}) == 1)

    return PlainSize(
        tokens,
        cuts,
        alike(*range(len(names))) if all_there else None,
        [alike(*pair) for pair in pairs],
        different,
        {word: odd_one(cuts[word], names) for word in freqs},
        surfaces,
        [
            len(surfaces[first] & surfaces[second]) / len(surfaces[first] | surfaces[second])
            if states[first] is not None and states[second] is not None and surfaces[first] | surfaces[second]
            else None
            for first, second in pairs
        ],
        [name for name, state in zip(names, states, strict=True) if state is not None],
    )


def by_length(word: str, tokens: Sequence[str], marked: bool) -> tuple[str, ...]:
    """The word cut where its tokens end: a token inside it is two characters longer when it is `marked`."""
    cut, start = [], 0
    for index, token in enumerate(tokens):
        end = start + len(token) - (2 if marked and index else 0)
        cut.append(word[start:end])
        start = end
    if start != len(word):
        raise ValueError(f"{tokens} do not spell {word!r}")
    return tuple(cut)


def odd_one(cuts: Sequence[tuple[str, ...] | None], names: Sequence[str]) -> str:
    """The run with a cut of its own: a name, "all", or "" where all are alike."""
    there = {name: cut for name, cut in zip(names, cuts, strict=True) if cut is not None}
    if len(set(there.values())) == 1:
        return ""
    alone = [name for name in there if list(there.values()).count(there[name]) == 1]
    return alone[0] if len(alone) == 1 else "all"


def at_size(states: Sequence[State], size: int, last: bool = False) -> State | None:
    """Of the states with a vocabulary of at most `size`, the first (or last) of the largest."""
    small = [state for state in states if len(state[0]) <= size]
    if not small:
        return None
    most = max(len(state[0]) for state in small)
    largest = [state for state in small if len(state[0]) == most]
    return largest[-1 if last else 0]
