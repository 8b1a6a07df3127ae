"""Stretches, counts and blocks written as plainly as they are described: the oracle of the engine's tests.

Nothing here is shared with `tokenizers_core`, not even with its `plain/`, and nothing is fast. A stretch is
(start, end, first, last).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import pairwise

import regex

Span = tuple[int, int]
PlainStretch = tuple[int, int, int, int]
PlainBlock = tuple[int, int, tuple[range, ...], bool]


def is_white_space(character: str) -> bool:
    """Unicode's White_Space: the separators, and six control characters."""
    return unicodedata.category(character) in ("Zs", "Zl", "Zp") or character in "\t\n\v\f\r\x85"


def plain_cover(length: int, offsets: Sequence[Span]) -> list[PlainStretch]:
    """Join tokens until no two stretches overlap or go backwards; put tokens without text between; fill the
    gaps."""
    groups = [[index, index + 1] for index in range(len(offsets))]

    def span(group: Sequence[int]) -> Span | None:
        covered = [(start, end) for start, end in offsets[group[0] : group[1]] if start < end]
        if not covered:
            return None
        return min(start for start, _ in covered), max(end for _, end in covered)

    def conflict() -> tuple[int, int] | None:
        """Two groups, with none but tokens without text between them; the later one begins too early."""
        results = [(index, here) for index, group in enumerate(groups) if (here := span(group))]
        for (one, before), (other, after) in pairwise(results):
            if before[1] > after[0]:
                return one, other
        return None

    while pair := conflict():
        one, other = pair
        groups[one : other + 1] = [[groups[one][0], groups[other][1]]]

    placed: list[PlainStretch] = []
    for number, (first, last) in enumerate(groups):
        here = span(groups[number])
        if here is None:
            lowest = placed[-1][1] if placed else 0
            highest = min([length, *(there[0] for later in groups[number:] if (there := span(later)))])
            wanted = offsets[first][0]
            at = lowest if wanted < lowest else highest if wanted > highest else wanted
            here = (at, at)
        placed.append((*here, first, last))

    stretches: list[PlainStretch] = []
    position = 0
    for start, end, first, last in [*placed, (length, length, len(offsets), -1)]:
        if start > position:
            stretches.append((position, start, first, first))
        if last >= 0:
            stretches.append((start, end, first, last))
        position = end
    return stretches


def plain_graphemes(text: str) -> int:
    return len(regex.findall(r"\X", text))


def plain_words(text: str) -> list[Span]:
    """Where the words are, character by character."""
    words: list[Span] = []
    for position, character in enumerate(text):
        if is_white_space(character):
            continue
        if words and words[-1][1] == position:
            words[-1] = (words[-1][0], position + 1)
        else:
            words.append((position, position + 1))
    return words


def plain_word_costs(text: str, stretches: Sequence[PlainStretch]) -> list[tuple[str, int, int]]:
    """For each different word, its occurrences and the tokens of all stretches that begin in it."""
    costs: dict[str, tuple[int, int]] = {}
    for begin, stop in plain_words(text):
        spent = 0
        for start, end, first, last in stretches:
            visible = [position for position in range(start, end) if not is_white_space(text[position])]
            if visible and begin <= visible[0] < stop:
                spent += last - first
        occurrences, tokens = costs.get(text[begin:stop], (0, 0))
        costs[text[begin:stop]] = occurrences + 1, tokens + spent
    return [(word, occurrences, tokens) for word, (occurrences, tokens) in costs.items()]


def plain_trimmed(text: str, stretches: Sequence[PlainStretch]) -> list[Span]:
    """From the first to the last visible character of each stretch with tokens and such characters."""
    spans: list[Span] = []
    for start, end, first, last in stretches:
        visible = [position for position in range(start, end) if not is_white_space(text[position])]
        if first < last and visible:
            spans.append((visible[0], visible[-1] + 1))
    return spans


def plain_align(text: str, covers: Sequence[Sequence[PlainStretch]]) -> list[PlainBlock]:
    """Every shared border, one after the other."""
    borders = [
        position
        for position in range(len(text) + 1)
        if position in (0, len(text))
        or all(position in [border for stretch in cover for border in stretch[:2]] for cover in covers)
    ]
    positions = list(pairwise(borders))
    if borders == [0] and any(covers):
        positions = [(0, 0)]
    blocks: list[PlainBlock] = []
    for start, end in positions:
        parts: list[range] = []
        for cover in covers:
            inside = [
                index
                for index, stretch in enumerate(cover)
                if start <= stretch[0] < end or (stretch[0] == end == len(text))
            ]
            before = len([stretch for stretch in cover if stretch[0] < start])
            parts.append(range(before, before + len(inside)))
        cuts = [
            plain_trimmed(text, [cover[index] for index in part])
            for cover, part in zip(covers, parts, strict=True)
        ]
        blocks.append((start, end, tuple(parts), all(cut == cuts[0] for cut in cuts)))
    return blocks


def plain_agreement(
    text: str, covers: Sequence[Sequence[PlainStretch]], unknown: Sequence[set[int]] | None = None
) -> list[list[float]]:
    """Shared places over all places where a token begins, but for the first of each; an unknown one's is
    never shared."""
    lost = [
        {start for start, _ in plain_trimmed(text, [cover[index] for index in sorted(positions)])}
        for cover, positions in zip(covers, unknown or [set()] * len(covers), strict=True)
    ]
    cuts = [{start for start, _ in plain_trimmed(text, cover)[1:]} for cover in covers]
    shares = [
        [
            len((one & other) - ours - theirs) / len(one | other) if one | other else 1.0
            for other, theirs in zip(cuts, lost, strict=True)
        ]
        for one, ours in zip(cuts, lost, strict=True)
    ]
    for position, row in enumerate(shares):
        row[position] = 1.0
    return shares
