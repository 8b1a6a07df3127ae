"""Learners' common mistakes about merges: the result of each, under its key in `SLIPS`, the likeliest
first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple, TypeVar

from tokenizers_core.encoding.models.pairs import Pair, group_pair, merge_pair

Splits = Mapping[str, Sequence[str]]
"""Words in their current tokens."""
Counts = Mapping[str, int]
"""How often each word occurs."""
PairName = tuple[str, str]
Named = TypeVar("Named", PairName, str)
Slips = Iterator[tuple[str, Fraction | float]]
"""Mistakes, each with its resulting number."""


class Counted(NamedTuple):
    """How often pairs and tokens occur, all words read once."""

    pairs: Counter[PairName]
    single: Counter[str]


def count_all(splits: Splits, counts: Counts) -> Counted:
    """How often pairs and tokens occur.

    >>> count_all({"hug": ("h", "ug")}, {"hug": 10}).pairs
    Counter({('h', 'ug'): 10})
    """
    result = Counted(Counter(), Counter())
    for word, tokens in splits.items():
        for token in tokens:
            result.single[token] += counts[word]
        for pair in pairwise(tokens):
            result.pairs[pair] += counts[word]
    return result


def each_once(counts: Counts) -> Counts:
    """Each word counted once."""
    return dict.fromkeys(counts, 1)


# --- counts -------------------------------------------------------------------------------------------------


def pairs_by_word(splits: Splits, counts: Counts) -> Counter[PairName]:
    """Each pair counted once in each word, wherever it occurs there.

    >>> pairs_by_word({"aaa": ("a", "a", "a")}, {"aaa": 2})
    Counter({('a', 'a'): 2})
    """
    results: Counter[PairName] = Counter()
    for word, tokens in splits.items():
        for pair in {*pairwise(tokens)}:
            results[pair] += counts[word]
    return results


def pairs_apart(splits: Splits, counts: Counts) -> Counter[PairName]:
    """Each pair counted without overlaps.

    >>> pairs_apart({"aaaa": ("a", "a", "a", "a")}, {"aaaa": 2})
    Counter({('a', 'a'): 4})
    """
    results: Counter[PairName] = Counter()
    for word, tokens in splits.items():
        for pair in {*pairwise(tokens)}:
            results[pair] += counts[word] * sum(len(group) == 2 for group in group_pair(tokens, Pair(*pair)))
    return results


def counting_slips(splits: Splits, counts: Counts, pair: PairName, prefix: str = "") -> Slips:
    """A pair's count by each mistake.

    >>> hug = {"hug": ("h", "ug"), "hugs": ("h", "ug", "s"), "ughug": ("u", "g", "h", "ug")}
    >>> dict(counting_slips(hug, {"hug": 10, "hugs": 5, "ughug": 2}, ("u", "g")))["letters"]
    19
    """
    true = count_all(splits, counts)
    yield "places_once", pairs_by_word(splits, counts)[pair]
    yield "overlaps", pairs_apart(splits, counts)[pair]
    yield "words_once", count_all(splits, each_once(counts)).pairs[pair]
    yield "letters", _letters(splits, counts, pair, prefix)
    if pair[0] != pair[1]:
        yield "either_order", true.pairs[pair] + true.pairs[pair[1], pair[0]]
    yield from (("one_token", true.single[token]) for token in pair)


def _letters(splits: Splits, counts: Counts, pair: PairName, prefix: str) -> int:
    """How often a pair's letters occur side by side, whatever the tokens."""
    letters = "".join(token.removeprefix(prefix) for token in pair)
    result = 0
    for word, tokens in splits.items():
        whole = "".join(token.removeprefix(prefix) if index else token for index, token in enumerate(tokens))
        result += counts[word] * sum(whole.startswith(letters, index) for index in range(len(whole)))
    return result


def best_of(values: Mapping[Named, Fraction | int]) -> set[Named]:
    """The names with the greatest value."""
    most = max(values.values())
    return {name for name, value in values.items() if value == most}


def count_choices(splits: Splits, counts: Counts, _prefix: str = "") -> Iterator[tuple[str, set[PairName]]]:
    """BPE's next pairs by each mistake."""
    yield "words_once", best_of(count_all(splits, each_once(counts)).pairs)
    yield "places_once", best_of(pairs_by_word(splits, counts))
    yield "overlaps", best_of(pairs_apart(splits, counts))


def bridge_choices(splits: Splits, counts: Counts, space: str = "Ġ") -> Iterator[tuple[str, set[PairName]]]:
    """SuperBPE's next pairs in stage 2 by a mistake of its own.

    >>> dict(bridge_choices({"to be to bed": ("to", "Ġbe", "Ġto", "Ġbe", "d")}, {"to be to bed": 1}))
    {'within_words': {('Ġbe', 'd')}}
    """
    pairs = count_all(splits, counts).pairs
    within = {pair: number for pair, number in pairs.items() if not pair[1].startswith(space)}
    if within:
        yield "within_words", best_of(within)


# --- removals -----------------------------------------------------------------------------------------------


def removal_choices(
    splits: Splits, counts: Counts, pair: PairName, learned: Collection[str], threshold: Fraction
) -> Iterator[tuple[str, set[str]]]:
    """The learned tokens of a pair to be removed by PickyBPE after their merge, by each mistake."""

    def shares(counts: Counts) -> dict[str, Fraction]:
        single, taken = count_all(splits, counts).single, pairs_apart(splits, counts)[pair]
        return {part: Fraction(taken, single[part]) for part in learned}

    true, types = shares(counts), shares(each_once(counts))
    yield "at_threshold", {part for part in learned if true[part] >= threshold}
    yield "words_once", {part for part in learned if types[part] > threshold}
    yield "by_rest", {part for part in learned if true[part] > threshold * (1 - true[part])}
    yield "every_place", {part for part in learned if true[part] == 1}
    yield "share_left", {part for part in learned if 1 - true[part] > threshold}
    yield "each_part", {*learned}


# --- languages ----------------------------------------------------------------------------------------------


def chooser_choices(
    splits: Mapping[str, Splits], counts: Mapping[str, Counts]
) -> Iterator[tuple[str, set[str]]]:
    """The choosing languages in parity-aware BPE by each mistake, from each one's words.

    >>> splits = {"en": {"tea": ("t", "ea")}, "de": {"Tee": ("T", "e", "e")}, "es": {"té": ("té",)}}
    >>> dict(chooser_choices(splits, {"en": {"tea": 2}, "de": {"Tee": 1}, "es": {"té": 1}}))["most_words"]
    {'en'}
    """

    def totals(number: Callable[[Sequence[str]], int]) -> dict[str, int]:
        return {
            name: sum(number(tokens) * counts[name][word] for word, tokens in own.items())
            for name, own in splits.items()
        }

    yield "fewest_tokens_choose", best_of({name: -number for name, number in totals(len).items()})
    yield "most_characters", best_of(totals(lambda tokens: len("".join(tokens))))
    yield "most_words", best_of(totals(lambda _tokens: 1))


# --- scores -------------------------------------------------------------------------------------------------

Formula = Callable[[int, int, int], Fraction]
"""Of a pair's count and its two tokens' counts."""
FORMULAS: Mapping[str, Formula] = {
    "first_only": lambda pair, first, _second: Fraction(pair, first),
    "second_only": lambda pair, _first, second: Fraction(pair, second),
    "counts_added": lambda pair, first, second: Fraction(pair, first + second),
}
"""Formulas often mistaken for the score's."""


def score(pair: int, first: int, second: int) -> Fraction:
    """The score."""
    return Fraction(pair, first * second)


def all_scores(counts: Counted, formula: Formula = score) -> dict[PairName, Fraction]:
    """Every pair's score, by a formula."""
    return {
        pair: formula(number, counts.single[pair[0]], counts.single[pair[1]])
        for pair, number in counts.pairs.items()
    }


def without_prefix(splits: Splits, prefix: str) -> Splits:
    """Words in their tokens, all without the continuation prefix."""
    return {word: [token.removeprefix(prefix) for token in tokens] for word, tokens in splits.items()}


def scoring_slips(splits: Splits, counts: Counts, pair: PairName, prefix: str) -> Slips:
    """A pair's score by each mistake.

    >>> hug = {"hug": ("h", "##u", "##g"), "gum": ("g", "##u", "##m")}
    >>> dict(scoring_slips(hug, {"hug": 10, "gum": 5}, ("##u", "##g"), "##"))["prefix_ignored"]
    Fraction(2, 45)
    """
    true, types = count_all(splits, counts), count_all(splits, each_once(counts))
    number, first, second = true.pairs[pair], true.single[pair[0]], true.single[pair[1]]
    plain = count_all(without_prefix(splits, prefix), counts).single
    yield "undivided", number
    yield from ((name, formula(number, first, second)) for name, formula in FORMULAS.items())
    yield "words_once", score(types.pairs[pair], types.single[pair[0]], types.single[pair[1]])
    yield "prefix_ignored", score(number, *(plain[token.removeprefix(prefix)] for token in pair))
    yield "upside_down", Fraction(first * second, number)


def score_choices(splits: Splits, counts: Counts, _prefix: str = "") -> Iterator[tuple[str, set[PairName]]]:
    """WordPiece's next pairs by each mistake."""
    result = count_all(splits, counts)
    yield "most_frequent", best_of(result.pairs)
    for name, formula in FORMULAS.items():
        yield name, best_of(all_scores(result, formula))
    yield "words_once", best_of(all_scores(count_all(splits, each_once(counts))))


# --- a word after a merge -----------------------------------------------------------------------------------


def joined(pair: PairName, prefix: str = "") -> str:
    """The merged token of a pair.

    >>> joined(("##u", "##g"), "##")
    '##ug'
    """
    return pair[0] + pair[1].removeprefix(prefix)


def merge_slips(
    now: Sequence[str], pair: PairName, prefix: str, later: Iterable[Sequence[str]]
) -> Iterator[tuple[str, Sequence[str]]]:
    """A word's tokens after the merge of a pair, by each mistake. `later` are the word's tokens after more
    merges.

    >>> dict(merge_slips(("a", "a", "a"), ("a", "a"), "", ()))
    {'unmerged': ('a', 'a', 'a'), 'from_right': ('a', 'aa')}
    """
    token, true = joined(pair, prefix), merge_pair(now, Pair(*pair), joined(pair, prefix))
    yield "unmerged", tuple(now)
    positions = [index for index, result in enumerate(pairwise(now)) if result == tuple(pair)]
    for index in positions:
        here = (*now[:index], token, *now[index + 2 :])
        if len(here) > len(true):
            yield "one_place", here
    back = merge_pair(now[::-1], Pair(pair[1], pair[0]), token)[::-1]
    if back != true:
        yield "from_right", back
    for tokens in later:
        if tuple(tokens) != true:
            yield "ahead", tokens
    for other in dict.fromkeys(pairwise(now)):
        if other != tuple(pair):
            yield "other_pair", merge_pair(now, Pair(*other), joined(other, prefix))
