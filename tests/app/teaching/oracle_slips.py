"""Learners' mistakes, each made here in its own plain way: its result, with the corpus read word by word.

Nothing here is shared with `tokensteps/teaching/slips/`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from tests.core.oracle_bpe import PairName, plain_encode, replace
from tests.core.oracle_unigram import all_paths, plain_viterbi

UNKNOWN = "[UNK]"
Names = dict[str, list[Any]]
"""A mistake's name → its possible results."""


def running(splits: Mapping[str, Sequence[str]], words: Mapping[str, int]) -> list[list[str]]:
    """The corpus as it is read: every word as often as it occurs, in its tokens."""
    return [[*splits[word]] for word, number in words.items() for _time in range(number)]


def pairs_in(text: list[list[str]]) -> list[PairName]:
    """Every pair met."""
    return [(tokens[index], tokens[index + 1]) for tokens in text for index in range(len(tokens) - 1)]


def apart(tokens: list[str], pair: PairName) -> int:
    """How often a pair is met if no symbol is part of two occurrences."""
    result = index = 0
    while index + 1 < len(tokens):
        here = (tokens[index], tokens[index + 1]) == pair
        result += here
        index += 2 if here else 1
    return result


def counts(
    splits: Mapping[str, Sequence[str]], words: Mapping[str, int], pair: PairName, prefix: str
) -> Names:
    """A pair's count by each mistake."""
    text, types = running(splits, words), running(splits, dict.fromkeys(words, 1))
    bare = [tokens[0] + "".join(token.removeprefix(prefix) for token in tokens[1:]) for tokens in text]
    letters = re.compile(f"(?={re.escape(pair[0].removeprefix(prefix) + pair[1].removeprefix(prefix))})")
    return {
        "words_once": [pairs_in(types).count(pair)],
        "places_once": [sum(pair in pairs_in([tokens]) for tokens in text)],
        "overlaps": [sum(apart(tokens, pair) for tokens in text)],
        "letters": [sum(len(letters.findall(word)) for word in bare)],
        "either_order": [sum(result in (pair, pair[::-1]) for result in pairs_in(text))] if pair[0] != pair[1] else [],
        "one_token": [sum(tokens.count(token) for tokens in text) for token in pair],
    }  # fmt: skip


def telling(mistakes: Names, options: int) -> Names:
    """Without the mistakes by which all options are equal: these choose none."""
    return {name: chosen for name, chosen in mistakes.items() if len({*chosen}) < options}


def most(pairs: set[PairName], value: Callable[[PairName], Any]) -> list[PairName]:
    """The pairs with the greatest value."""
    best = max(map(value, pairs))
    return [pair for pair in pairs if value(pair) == best]


def bpe_choices(splits: Mapping[str, Sequence[str]], words: Mapping[str, int]) -> Names:
    """BPE's next merge, by each mistake."""
    text, types = running(splits, words), running(splits, dict.fromkeys(words, 1))
    all_pairs = {*pairs_in(text)}
    mistakes = {
        "words_once": most(all_pairs, lambda pair: pairs_in(types).count(pair)),
        "places_once": most(all_pairs, lambda pair: sum(pair in pairs_in([tokens]) for tokens in text)),
        "overlaps": most(all_pairs, lambda pair: sum(apart(tokens, pair) for tokens in text)),
    }
    return telling(mistakes, len(all_pairs))


def super_choices(splits: Mapping[str, Sequence[str]], lines: Mapping[str, int], most_words: int) -> Names:
    """SuperBPE's next merge, by each mistake."""
    text = running(splits, lines)
    within = {pair for pair in pairs_in(text) if not pair[1].startswith("Ġ")}
    long = [pair for pair in {*pairs_in(text)} if len("".join(pair).replace("Ġ", " ").split()) > most_words]
    return {
        **bpe_choices(splits, lines),
        "within_words": most(within, lambda pair: pairs_in(text).count(pair)) if within else [],
        "too_many_words": long,
    }


def removals(
    splits: Mapping[str, Sequence[str]], words: Mapping[str, int], pair: PairName, threshold: Fraction
) -> Names:
    """PickyBPE's removals, by each mistake: lists of tokens."""

    def shares(text: list[list[str]]) -> dict[str, tuple[int, int]]:
        taken = sum(apart(tokens, pair) for tokens in text)
        return {part: (taken, token_count(text, part)) for part in pair}

    text, types = running(splits, words), running(splits, dict.fromkeys(words, 1))
    true, once = shares(text), shares(types)
    learned = [part for part in pair if len(part) > 1]
    letters = [part for part in pair if len(part) == 1]
    return {
        "new_token": [["".join(pair)]],
        "characters_too": [letters, [*pair]] if letters else [],
        "at_threshold": [[part for part in learned if Fraction(*true[part]) >= threshold]],
        "words_once": [[part for part in learned if Fraction(*once[part]) > threshold]],
        "by_rest": [
            [part for part in learned if true[part][0] > threshold * (true[part][1] - true[part][0])]
        ],
        "every_place": [[part for part in learned if true[part][0] == true[part][1]]],
        "share_left": [[part for part in learned if 1 - Fraction(*true[part]) > threshold]],
        "each_part": [learned],
    }


def choosers(words: Mapping[str, Sequence[Sequence[str]]]) -> Names:
    """The choosing languages, by each mistake."""

    def extreme(choose: Callable[..., int], value: Callable[[Any], int]) -> list[str]:
        best = choose(map(value, words.values()))
        return [language for language, own in words.items() if value(own) == best]

    mistakes = {
        "fewest_tokens_choose": extreme(min, lambda own: sum(map(len, own))),
        "most_characters": extreme(
            max, lambda own: len("".join(token for tokens in own for token in tokens))
        ),
        "most_words": extreme(max, len),
    }
    return telling(mistakes, len(words))


def token_count(text: list[list[str]], token: str) -> int:
    """How often a token is met."""
    return sum(tokens.count(token) for tokens in text)


def wordpiece_choices(splits: Mapping[str, Sequence[str]], words: Mapping[str, int]) -> Names:
    """WordPiece's next merge, by each mistake."""
    text, types = running(splits, words), running(splits, dict.fromkeys(words, 1))
    result, pairs_of_types = pairs_in(text), pairs_in(types)
    first = {pair: token_count(text, pair[0]) for pair in result}
    second = {pair: token_count(text, pair[1]) for pair in result}
    mistakes = {
        "most_frequent": most({*result}, result.count),
        "first_only": most({*result}, lambda pair: Fraction(result.count(pair), first[pair])),
        "second_only": most({*result}, lambda pair: Fraction(result.count(pair), second[pair])),
        "counts_added": most(
            {*result}, lambda pair: Fraction(result.count(pair), first[pair] + second[pair])
        ),
        "words_once": most(
            {*result},
            lambda pair: Fraction(
                pairs_of_types.count(pair), token_count(types, pair[0]) * token_count(types, pair[1])
            ),
        ),
    }
    return telling(mistakes, len({*result}))


def scores(
    splits: Mapping[str, Sequence[str]], words: Mapping[str, int], pair: PairName, prefix: str
) -> Names:
    """A pair's score by each mistake."""
    text, types = running(splits, words), running(splits, dict.fromkeys(words, 1))
    number, first, second = pairs_in(text).count(pair), token_count(text, pair[0]), token_count(text, pair[1])
    bare = [[token.removeprefix(prefix) for token in tokens] for tokens in text]
    plain = [token_count(bare, token.removeprefix(prefix)) for token in pair]
    once = [token_count(types, token) for token in pair]
    return {
        "undivided": [Fraction(number)],
        "first_only": [Fraction(number, first)],
        "second_only": [Fraction(number, second)],
        "counts_added": [Fraction(number, first + second)],
        "upside_down": [Fraction(first * second, number)],
        "words_once": [Fraction(pairs_in(types).count(pair), once[0] * once[1])],
        "prefix_ignored": [Fraction(number, plain[0] * plain[1])],
    }


def bpe_encodings(word: str, merges: Sequence[PairName], alphabet: Sequence[str]) -> Names:
    """A word's tokens by each mistake."""
    letters = [letter if letter in alphabet else UNKNOWN for letter in word]
    early = [letters]
    while (after := one_rule(early[-1], merges)) != early[-1]:
        early.append(after)
    left = letters
    while (after := one_place(left, merges)) != left:
        left = after
    last = letters
    while (after := one_rule(last, merges[::-1])) != last:
        last = after
    names: Names = {"no_rule": [letters], "too_early": early[1:-1], "leftmost": [left], "last_rule": [last]}
    if UNKNOWN not in letters:
        names["longest"] = [longest(word, {*letters, *("".join(pair) for pair in merges)})]
    else:
        names["unknown_kept"] = [plain_encode([*word], merges)]
    return names


def one_rule(tokens: list[str], rules: Sequence[PairName]) -> list[str]:
    """The first rule that fits, everywhere."""
    for rule in rules:
        after = replace(tokens, rule)
        if after != tokens:
            return after
    return tokens


def one_place(tokens: list[str], rules: Sequence[PairName]) -> list[str]:
    """The first place where any rule fits."""
    for index in range(len(tokens) - 1):
        if (tokens[index], tokens[index + 1]) in rules:
            return [*tokens[:index], tokens[index] + tokens[index + 1], *tokens[index + 2 :]]
    return tokens


def longest(word: str, known: set[str]) -> list[str]:
    """The longest known token each time; [] where there is none."""
    if not word:
        return []
    for end in range(len(word), 0, -1):
        if word[:end] in known:
            rest = longest(word[end:], known)
            return [word[:end], *rest] if rest or end == len(word) else []
    return []


def cuts(word: str) -> list[tuple[str, ...]]:
    """Every way to cut a word."""
    inside = range(1, len(word))
    return [
        tuple(word[start:end] for start, end in zip((0, *positions), (*positions, len(word)), strict=True))
        for number in range(len(word))
        for positions in combinations(inside, number)
    ]


def wordpiece_slips_of(yours: Sequence[str], vocabulary: Sequence[str], true: Sequence[str]) -> set[str]:
    """The possible mistakes behind a wrong cut of a word, without prefixes."""
    forms = [yours[0], *("##" + token for token in yours[1:])]
    other = ["##" + yours[0], *yours[1:]]
    for form, swapped in zip(forms, other, strict=True):
        if form not in vocabulary:
            return {"other_form" if swapped in vocabulary else "not_in_vocabulary"}
    backwards: list[str] = []
    rest = "".join(yours)
    while rest:
        size = next(
            n
            for n in range(len(rest), 0, -1)
            if n == 1 or ("##" if n < len(rest) else "") + rest[-n:] in vocabulary
        )
        backwards.insert(0, rest[-size:])
        rest = rest[:-size]
    results = {"from_end"} if [*yours] == backwards else set()
    if true != [UNKNOWN] and len(yours) < len(true):
        results.add("fewest_tokens")
    return results or {"not_longest"}


def probabilities(pieces: Sequence[str], number: Mapping[str, int]) -> Names:
    """A split's probability by each mistake."""
    total = sum(number.values())
    product = Fraction(1)
    for piece in pieces:
        product *= number[piece]
    true = product / total ** len(pieces)
    return {
        "added": [Fraction(sum(number[piece] for piece in pieces), total)],
        "counts_multiplied": [product],
        "divided_once": [product / total],
        "piece_left_out": [true * total / number[piece] for piece in pieces],
    }


def split_slips_of(yours: Sequence[str], number: Mapping[str, int]) -> set[str]:
    """The possible mistakes behind a split into known pieces other than the best."""
    word = "".join(yours)
    ways = [pieces for pieces, _cost in all_paths(word, dict.fromkeys(number, 0.0))]
    results = set()
    if [*yours] == longest(word, {*number}):
        results.add("greedy")
    if len(yours) == min(map(len, ways)):
        results.add("fewest_pieces")
    if sum(number[piece] for piece in yours) == max(sum(number[piece] for piece in way) for way in ways):
        results.add("greatest_sum")
    return results or {"less_probable"}


def losses(words: Mapping[str, int], model: Mapping[str, float], piece: str) -> Names:
    """By how much the loss grows without a piece, by each mistake; `model` has each piece's cost."""
    less = {other: cost for other, cost in model.items() if other != piece}
    using = [word for word in words if piece in plain_viterbi(word, model)[0]]
    before = {word: plain_viterbi(word, model)[1] for word in using}
    after = {word: plain_viterbi(word, less)[1] for word in using}
    true = sum(words[word] * (after[word] - before[word]) for word in using)
    return {
        "words_once": [sum(after[word] - before[word] for word in using)],
        "after_only": [sum(words[word] * after[word] for word in using)],
        "before_only": [sum(words[word] * before[word] for word in using)],
        "base_two": [true / math.log(2)],
        "base_ten": [true / math.log(10)],
        "sign": [-true],
    }


# --- splits at random ---------------------------------------------------------------------------------------


def dropout_mistakes(facts: Mapping[str, Any]) -> Names:
    """The probability of a split by BPE-dropout, by each mistake: walk by walk over the places of merges."""
    merges, split, p = facts["merges"], facts["split"], facts["dropout"]
    walks: list[list[tuple[int, bool]]] = []

    def walk(tokens: tuple[str, ...], points: list[tuple[int, bool]]) -> None:
        positions = [index for index in range(len(tokens) - 1) if tokens[index : index + 2] in merges]
        positions.sort(key=lambda index: (merges.index(tokens[index : index + 2]), index))
        for number, index in enumerate(positions):
            joined = (*tokens[:index], tokens[index] + tokens[index + 1], *tokens[index + 2 :])
            walk(joined, [*points, (number, True)])
        if tokens == split:
            walks.append([*points, (len(positions), False)])

    walk(tuple(facts["word"]), [])

    def product(points: list[tuple[int, bool]], p: Fraction = p, q: Fraction = 1 - p) -> Fraction:
        return math.prod((p**number * (q if taken else 1) for number, taken in points), start=Fraction(1))

    good = Fraction(0)
    for number in range(len(merges) + 1):
        for stored in combinations(merges, number):
            if tuple(plain_encode([*facts["word"]], list(stored))) == split:
                good += (1 - p) ** number * p ** (len(merges) - number)
    return {
        "end_forgotten": [sum(product(points[:-1]) for points in walks)],
        "dropped_forgotten": [sum((1 - p) ** sum(taken for _, taken in points) for points in walks)],
        "taken_forgotten": [sum(p ** sum(number for number, _ in points) for points in walks)],
        "dropout_swapped": [sum(product(points, 1 - p, p) for points in walks)],
        "one_way_only": [product(points) for points in walks] if len(walks) > 1 else [],
        "drops_for_good": [good],
    }


def match_mistakes(facts: Mapping[str, Any]) -> Names:
    """The same by MaxMatch-dropout."""
    vocabulary, rest, p = {*facts["vocabulary"]}, facts["word"], facts["dropout"]
    dropped = taken = singles = 0
    for token in facts["split"]:
        size = len(token.removeprefix("##"))
        prefix = "##" if rest != facts["word"] else ""
        dropped += sum(prefix + rest[:end] in vocabulary for end in range(size + 1, len(rest) + 1))
        taken, singles = taken + (size > 1), singles + (size == 1)
        rest = rest[size:]
    true: Fraction = p**dropped * (1 - p) ** taken
    results: Names = {
        "dropped_forgotten": [(1 - p) ** taken],
        "taken_forgotten": [p**dropped],
        "dropout_swapped": [(1 - p) ** dropped * p**taken],
    }
    return {**results, "single_drops": [true * (1 - p) ** singles]}


def sampling_mistakes(facts: Mapping[str, Any]) -> Names:
    """How probable a split is in Unigram's sampling, by each mistake."""
    pieces, power, split = facts["pieces"], facts["power"], facts["split"]
    total = sum(pieces.values())
    products = {
        result: math.prod((Fraction(pieces[piece], total) for piece in result), start=Fraction(1))
        for result, _ in all_paths(facts["word"], dict.fromkeys(pieces, 0.0))
    }
    own, everything = products[split], sum(products.values())
    rest = sum(product**power for result, product in products.items() if result != split)
    result: Names = {
        "not_divided": [own**power],
        "others_only": [own**power / rest],
        "equally_likely": [Fraction(1, len(products))],
    }
    if power != 1:
        result |= {"power_forgotten": [own / everything], "power_after": [(own / everything) ** power]}
    return result
