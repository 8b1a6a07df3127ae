"""Learners' common mistakes in encoding a word: the result of each, under its key in `SLIPS`, the likeliest
first."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from tokenizers_core.encoding.models.pairs import Pair, merge_pair
from tokensteps.teaching.slips.unigram import greedy_split

Spelled = tuple[str, ...]


def rule_by_rule(
    tokens: Sequence[str], rules: Sequence[tuple[str, str]], *, backwards: bool = False
) -> Iterator[Spelled]:
    """A word's tokens, rule by rule: each time the first fitting rule of the list (or the last one), wherever
    its pair occurs.

    >>> [*rule_by_rule(("h", "u", "g"), [("u", "g"), ("h", "ug")])]
    [('h', 'u', 'g'), ('h', 'ug'), ('hug',)]
    """
    now: Spelled = tuple(tokens)
    order = [*reversed(rules)] if backwards else rules
    while True:
        yield now
        rule = next((rule for rule in order if rule in pairwise(now)), None)
        if rule is None:
            return
        now = merge_pair(now, Pair(*rule))


def merged_leftmost(tokens: Sequence[str], rules: Collection[tuple[str, str]]) -> Spelled:
    """The leftmost pair of any rule is merged, again and again.

    >>> merged_leftmost(("h", "u", "g"), [("u", "g"), ("h", "u")])
    ('hu', 'g')
    """
    now: Spelled = tuple(tokens)
    while True:
        index = next((index for index, pair in enumerate(pairwise(now)) if pair in rules), None)
        if index is None:
            return now
        now = (*now[:index], now[index] + now[index + 1], *now[index + 2 :])


def bpe_slip(
    yours: Spelled, letters: Sequence[str], spelled: Sequence[str], rules: Sequence[tuple[str, str]]
) -> str:
    """The mistake behind tokens not made by merging; "" if none is known.

    `spelled` are the word's characters, `letters` the same with `[UNK]` for unknown ones.
    """
    steps = [*rule_by_rule(letters, rules)]
    if yours == steps[0]:
        return "no_rule"
    if yours in steps:
        return "too_early"
    if yours == merged_leftmost(letters, rules):
        return "leftmost"
    if yours == [*rule_by_rule(letters, rules, backwards=True)][-1]:
        return "last_rule"
    known = {*letters, *("".join(rule) for rule in rules)}
    if yours == greedy_split("".join(spelled), known):
        return "longest"
    unknown = {plain for plain, letter in zip(spelled, letters, strict=True) if plain != letter}
    if any(letter in token for token in yours for letter in unknown):
        return "unknown_kept"
    return "" if known.issuperset(yours) else "not_in_vocabulary"


BY_WAY: Final[Mapping[str, str]] = {
    "merges": "by_merges",
    "longest_prefix": "by_longest",
    "fewest_tokens": "by_fewest",
    "most_probable": "by_probability",
}
"""A way to use a vocabulary → the mistake of using it so when another is asked for."""


def way_slip(way: str, yours: Spelled, splits: Mapping[str, Collection[Spelled]]) -> str:
    """The mistake behind known tokens in a wrong split by one way to use a vocabulary; "" if none is known.
    `splits` are right by each way.

    >>> way_slip(
    ...     "fewest_tokens",
    ...     ("h", "ug"),
    ...     {"merges": [("h", "ug")], "longest_prefix": [("hu", "g")], "fewest_tokens": [("hug",)]},
    ... )
    'by_merges'
    """
    other = next((other for other, result in splits.items() if other != way and yours in result), None)
    if other is not None:
        return BY_WAY[other]
    return {"longest_prefix": "not_longest", "fewest_tokens": "more_tokens"}.get(way, "")


def wordpiece_slip(
    yours: Spelled, word: str, true: Sequence[str], vocabulary: Collection[str], prefix: str, unknown: str
) -> str:
    """The mistake behind tokens not made by the longest match; "" if none is known. `yours` come without the
    prefix."""
    if yours == (unknown,):
        return "gave_up"
    forms = [prefix + token if index else token for index, token in enumerate(yours)]
    for index, (form, plain) in enumerate(zip(forms, yours, strict=True)):
        if form not in vocabulary:
            return "other_form" if (plain if index else prefix + plain) in vocabulary else "not_in_vocabulary"
    if yours == _from_end(word, vocabulary, prefix):
        return "from_end"
    return "fewest_tokens" if list(true) != [unknown] and len(yours) < len(true) else "not_longest"


def _from_end(word: str, vocabulary: Collection[str], prefix: str) -> Spelled:
    """The longest match each time, from the end; () where none fits."""
    tokens: Spelled = ()
    while word:
        start = next(
            (start for start in range(len(word)) if (prefix if start else "") + word[start:] in vocabulary),
            None,
        )
        if start is None:
            return ()
        tokens = (word[start:], *tokens)
        word = word[:start]
    return tokens
