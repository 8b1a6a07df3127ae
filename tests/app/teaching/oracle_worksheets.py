"""Worksheets solved from the printed sheet alone, by the slow, plain way: counting pairs, adding
logarithms, merging by hand.

Nothing here is shared with the engine or with `tokensteps/teaching/worksheets.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from html import unescape
from itertools import pairwise

CHIP = re.compile(r'<bdi class="t [^>]*>(.*?)</bdi>')
SUFFIX = "</w>"
ROUNDING = 0.0005
"""A printed logarithm is at most so far from the true one."""

Pair = tuple[str, str]


def text(markup: str) -> str:
    """The text as it is meant: a combining mark alone is printed on a circle."""
    return unescape(re.sub(r"<[^>]*>", "", markup)).replace("◌", "")


def chips(markup: str) -> list[str]:
    return [text(chip) for chip in CHIP.findall(markup)]


def tables(markup: str) -> list[list[list[str]]]:
    """The rows of each table, without its head, as cells of markup."""
    return [
        [re.split(r"<td[^>]*>", row)[1:] for row in table.split("<tr>")[2:]]
        for table in re.findall(r"<table.*?</table>", markup)
    ]


def number(cell: str) -> int:
    return int(text(cell).replace(",", ""))


def logarithm(cell: str) -> float:
    return float(text(cell).replace("−", "-"))


def merged(tokens: Sequence[str], pair: Pair, into: str) -> list[str]:
    """A word's tokens with each place of a pair merged, from left to right."""
    result: list[str] = []
    for token in tokens:
        if result and (result[-1], token) == pair and not getattr(result[-1], "new", False):
            result[-1] = New(into)
        else:
            result.append(token)
    return [str(token) for token in result]


class New(str):
    """A token that has just been made: it merges no further in this step."""

    new = True


def problems(question: str, answer: str) -> Iterator[str]:
    """The faults of one task's key, by the sheet."""
    if "Count the pairs" in question:
        return merge_problems(question, answer)
    if "Fill in the table" in question:
        return table_problems(question, answer)
    return split_problems(question, answer)


# --- Merges -------------------------------------------------------------------------------------------------


def merge_problems(question: str, answer: str) -> Iterator[str]:
    words = [(chips(word), number(times)) for word, times in tables(question)[0]]
    pairs: Counter[Pair] = Counter()
    tokens: Counter[str] = Counter()
    for word, times in words:
        for pair in pairwise(word):
            pairs[pair] += times
        for token in word:
            tokens[token] += times
    scores: Mapping[Pair, Fraction] = {pair: Fraction(times) for pair, times in pairs.items()}
    if "scores" in question:
        scores = {pair: Fraction(pairs[pair], tokens[pair[0]] * tokens[pair[1]]) for pair in pairs}
    rows = tables(answer)[0]
    listed: list[Pair] = [(first, second) for first, second in (chips(row[0]) for row in rows)]
    for row, pair in zip(rows, listed, strict=True):
        value = Fraction(text(row[-1]).replace(",", ""))
        if pairs[pair] != number(row[1]) or scores[pair] != value:
            yield f"{pair}: {row[1:]}, not {pairs[pair]}, {scores[pair]}"
    best = sorted(scores.values(), reverse=True)[: len(rows)]
    if [scores[pair] for pair in listed] != best:
        yield f"the best pairs are not {listed}"
    told = answer.split("</table>")[1]
    first, second, *_token = chips(told.partition("Merge ")[2])
    if scores[first, second] != max(scores.values()):
        yield f"{first} + {second} with {scores[first, second]}, not {max(scores.values())}"
    if [*scores.values()].count(max(scores.values())) > 1 and "When pairs tie: " not in question:
        yield f"no rule for the tie with {first} + {second}"
    limit = re.search(r"the threshold is ([\d/]+)", question)
    if limit:
        yield from removal_problems(words, (first, second), Fraction(limit[1]), told)


def removal_problems(
    words: Sequence[tuple[list[str], int]], pair: Pair, threshold: Fraction, told: str
) -> Iterator[str]:
    """PickyBPE: a learned part leaves if the merge took too great a share of it."""
    after = [(merged(word, pair, "".join(pair)), times) for word, times in words]
    taken = sum(times * word.count("".join(pair)) for word, times in after)
    taken -= sum(times * word.count("".join(pair)) for word, times in words)
    leaving = [
        part
        for part in dict.fromkeys(pair)
        if len(part) > 1
        and part != SUFFIX
        and Fraction(taken, taken + sum(times * word.count(part) for word, times in after)) > threshold
    ]
    removed = [chips(part)[0] for part in told.split("Remove ")[1:]]
    if removed != leaving:
        yield f"{removed} leave, not {leaving}"


# --- Viterbi tables -----------------------------------------------------------------------------------------


def best_sums(word: str, pieces: Mapping[str, float]) -> list[float]:
    """The highest sum of logarithms up to each place; −∞ where no piece leads."""
    sums = [0.0]
    for end in range(1, len(word) + 1):
        ways = [sums[start] + pieces[word[start:end]] for start in range(end) if word[start:end] in pieces]
        sums.append(max(ways, default=float("-inf")))
    return sums


def table_problems(question: str, answer: str) -> Iterator[str]:
    table, blank = tables(question)
    pieces = {chips(piece)[0]: logarithm(log) for piece, log in table}
    word = chips(question)[0]
    sums, tolerance = best_sums(word, pieces), ROUNDING * (len(word) + 1)
    (rows,) = tables(answer)
    if [text(row[0]) for row in rows] != [text(row[0]) for row in blank]:
        yield "the key has other rows"
    for prefix, log, last in rows:
        end = len(text(prefix))
        if not abs(logarithm(log) - sums[end]) <= tolerance:
            yield f"{text(prefix)}: {log}, not {sums[end]}"
        for piece in chips(last):
            there = sums[end - len(piece)] + pieces.get(piece, float("-inf"))
            if not text(prefix).endswith(piece) or there < sums[end] - 2 * tolerance:
                yield f"{text(prefix)}: no last piece {piece}"
    for key in equal_splits(answer.split("</table>")[1]):
        yield from split_by_pieces(word, key, pieces)


# --- Words to split -----------------------------------------------------------------------------------------


def equal_splits(markup: str) -> list[list[str]]:
    """The splits with “=” between them."""
    return [chips(split) for split in markup.split('</span> = <span class="row">')]


def split_by_pieces(word: str, key: Sequence[str], pieces: Mapping[str, float]) -> Iterator[str]:
    total = sum(pieces.get(piece, float("-inf")) for piece in key)
    best = best_sums(word, pieces)[-1]
    if "".join(key) != word or not total >= best - 2 * ROUNDING * (len(word) + 1):
        yield f"{word} as {key} with {total}, not {best}"


def split_problems(question: str, answer: str) -> Iterator[str]:
    splits = {text(word): equal_splits(split) for word, split in tables(answer)[-1]}
    if [*splits] != [text(word) for word, _blank in tables(question)[-1]]:
        yield "the key has other words"
    learned = question.partition("</p>")[2]
    for word, key in [(word, key) for word, keys in splits.items() for key in keys]:
        if "most probable" in question:
            pieces = {chips(piece)[0]: logarithm(log) for piece, log in tables(question)[0]}
            yield from split_by_pieces(word, key, pieces)
            continue
        if "longest match" in question:
            result = longest_matches(word, {*chips(learned)})
        else:
            result = made_in_order(word, learned)
        if result != key:
            yield f"{word} as {key}, not {result}"


def longest_matches(word: str, tokens: Iterable[str]) -> list[str]:
    result: list[str] = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        ends = [end for end in range(start + 1, len(word) + 1) if prefix + word[start:end] in tokens]
        if not ends:
            return [*result, "?"]
        result.append(prefix + word[start : ends[-1]])
        start = ends[-1]
    return result


def made_in_order(word: str, learned: str) -> list[str]:
    """A word by merge rules, and removals, in the order they are printed in."""
    stem = word.removesuffix(SUFFIX)
    result = [*stem, *([SUFFIX] if stem != word else [])]
    steps = re.findall(r'<span class="pair">(.*?)</span>|<del>(.*?)</del> → ((?:<bdi.*?</bdi>)+)', learned)
    for pair, token, parts in steps:
        if pair:
            first, second = chips(pair)
            result = merged(result, (first, second), first + second)
        else:
            (gone,) = chips(token)
            result = [part for one in result for part in (chips(parts) if one == gone else [one])]
    return result
