"""Exercises solved with the slow oracles, from nothing but the prompt's facts."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from tests.app.teaching.oracle_slips import cuts
from tests.core.oracle_bpe import PairName, PlainStep, plain_bpe, plain_encode, replace
from tests.core.oracle_dropout import by_matches, by_merges
from tests.core.oracle_kinds import KindStep, ParityStep, plain_parity, plain_picky, plain_super
from tests.core.oracle_unigram import all_paths, costs, plain_removal_losses
from tests.core.oracle_wordpiece import plain_wordpiece

UNKNOWN = "[UNK]"


def bpe_steps(words: Mapping[str, int], merges: int) -> list[PlainStep]:
    """The first merges of BPE by the first-met rule."""
    alphabet = sorted(set("".join(words)))
    steps: list[PlainStep] = []
    size = len(alphabet)
    while len(steps) < merges:  # a token met twice adds nothing to the vocabulary
        size += merges - len(steps)
        before = len(steps)
        steps, _ = plain_bpe(words, list, alphabet, "first", str.encode, size)
        if len(steps) == before:
            break
    return steps[:merges]


def solve_pair(facts: Mapping[str, Any], wordpiece: bool) -> tuple[PairName, list[PairName]]:
    """The next merge's pair, and all equally good ones."""
    if wordpiece:
        step = plain_wordpiece(facts["words"], "first", facts["step"] + 1)[0][facts["step"]]
        return step.pair, step.tied
    result = bpe_steps(facts["words"], facts["step"] + 1)[facts["step"]]
    return result.pair, result.tied


def solve_rule(facts: Mapping[str, Any]) -> tuple[PairName, list[PairName], list[PairName]]:
    """The next merge's pair under a rule, all equally good ones, and the frequent ones forbidden by the
    rule."""
    rule, value = facts["rule"], facts["value"]
    wall = {"longest": "(?!)", "kept": re.escape(value), "digits": "[0-9]"}[rule]
    texts = []
    for word, times in facts["words"].items():
        stretches = re.split(f"({wall})", word)
        tokens = [
            part for index, stretch in enumerate(stretches) for part in ([stretch] if index % 2 else stretch)
        ]
        texts.append((tokens, times))
    for _step in range(facts["step"] + 1):
        counts: dict[PairName, int] = {}
        for tokens, times in texts:
            for pair in pairwise(tokens):
                counts[pair] = counts.get(pair, 0) + times
        most = int(value) if rule == "longest" else 99
        free = {
            pair: number
            for pair, number in counts.items()
            if len("".join(pair)) <= most and not any(re.fullmatch(wall, one) for one in pair)
        }
        tied = [pair for pair in free if free[pair] == max(free.values())]
        texts = [(replace(tokens, tied[0]), times) for tokens, times in texts]
    return tied[0], tied, [pair for pair in counts if pair not in free and counts[pair] >= free[tied[0]]]


def solve_super(facts: Mapping[str, Any]) -> KindStep:
    """The step of SuperBPE in question."""
    lines = {line.replace(" ", "Ġ"): times for line, times in facts["lines"].items()}
    words: dict[str, int] = {}
    for line, times in lines.items():
        for word in line.replace("Ġ", " Ġ").split():
            words[word] = words.get(word, 0) + times
    alphabet, enough = sorted({*"".join(words)}), 1_000
    transition = facts["transition"] or enough
    steps = plain_super(words, lines, alphabet, "first", str.encode, enough, transition, facts["most_words"])
    return steps[facts["step"]]


def solve_picky(facts: Mapping[str, Any]) -> tuple[KindStep, list[KindStep]]:
    """The merge of PickyBPE in question, and the removals after it."""
    words = facts["words"]
    alphabet = sorted({*"".join(words)})
    steps = plain_picky(words, list, alphabet, "first", str.encode, 1_000, facts["threshold"])
    merge, *later = steps[facts["step"] :]
    ends = next((number for number, step in enumerate(later) if step.kind == "merge"), len(later))
    return merge, later[:ends]


def solve_parity(facts: Mapping[str, Any], chosen: int = 1) -> ParityStep:
    """The step of parity-aware BPE in question; all languages choose those before. With 0 chosen, the last of
    these."""
    corpora: dict[str, dict[str, int]] = {language: {} for language in facts["parallel"]}
    for language, lines in facts["parallel"].items():
        for word in " ".join(lines).split():
            corpora[language]["▁" + word] = corpora[language].get("▁" + word, 0) + 1
    step = facts["step"]
    alphabet = sorted({letter for words in corpora.values() for word in words for letter in word})
    return plain_parity(
        corpora, None, alphabet, "first", str.encode, step + chosen, step, None, None, Fraction(2)
    )[-1]


def solve_tipping(facts: Mapping[str, Any]) -> int:
    """How many more of the word it takes for another pair to be merged, by trying one more after the
    other."""
    step, word, words = facts["step"], facts["word"], facts["words"]
    chosen = bpe_steps(words, step + 1)[step].pair
    more = 1
    while bpe_steps(words | {word: words[word] + more}, step + 1)[step].pair == chosen:
        more += 1
    return more


def solve_bpe_encode(facts: Mapping[str, Any]) -> list[str]:
    """A word by merge rules; characters outside of the alphabet are unknown, one at a time."""
    letters = [letter if letter in facts["alphabet"] else UNKNOWN for letter in facts["word"]]
    return plain_encode(letters, facts["merges"])


def solve_wordpiece_encode(facts: Mapping[str, Any]) -> list[str]:
    """A word by the longest match."""
    rest, tokens = facts["word"], []
    while rest:
        prefix = "##" if tokens else ""
        size = next(
            (size for size in range(len(rest), 0, -1) if prefix + rest[:size] in facts["vocabulary"]), 0
        )
        if not size:
            return [UNKNOWN]
        tokens.append(prefix + rest[:size])
        rest = rest[size:]
    return tokens


def split_probability(pieces: Sequence[str], counts: Mapping[str, int]) -> Fraction:
    """The product of the pieces' shares."""
    total = sum(counts.values())
    return Fraction(math.prod(counts[piece] for piece in pieces), total ** len(pieces))


def splits_by_probability(facts: Mapping[str, Any]) -> dict[tuple[str, ...], Fraction]:
    """Every split of the word with its exact probability."""
    paths = all_paths(facts["word"], dict.fromkeys(facts["pieces"], 0.0))
    return {pieces: split_probability(pieces, facts["pieces"]) for pieces, _ in paths}


def solve_way(facts: Mapping[str, Any]) -> set[tuple[str, ...]]:
    """The splits of a word by a way to use a vocabulary, chosen among all cuts of the word; merges as they
    are made."""
    word, way = facts["word"], facts["way"]
    if way == "merges":
        return {tuple(plain_encode([*word], facts["merges"]))}
    tokens = facts.get("pieces") or {*facts["alphabet"], *("".join(pair) for pair in facts["merges"])}
    splits = [split for split in cuts(word) if {*split} <= {*tokens}]
    if way == "longest_prefix":
        return {max(splits, key=lambda split: [len(token) for token in split])}
    if way == "fewest_tokens":
        return {split for split in splits if len(split) == min(map(len, splits))}
    shares = splits_by_probability(facts)
    return {split for split in splits if shares[split] == max(shares.values())}


def solve_dropout(facts: Mapping[str, Any]) -> Fraction:
    """How probable a split is by dropout: all outcomes of all coins enumerated."""
    word, dropout = facts["word"], facts["dropout"]
    if "merges" in facts:
        ranks = {pair: rank for rank, pair in enumerate(facts["merges"])}
        return by_merges(tuple(word), ranks, dropout)[facts["split"]]
    return by_matches(word, frozenset(facts["vocabulary"]), dropout)[facts["split"]]


def solve_sampling(facts: Mapping[str, Any]) -> Fraction | float:
    """How probable a split is among all splits of the word, each as probable as its pieces, raised to a
    power."""
    weights = {split: share ** facts["power"] for split, share in splits_by_probability(facts).items()}
    return weights[facts["split"]] / sum(weights.values())


def solve_losses(facts: Mapping[str, Any]) -> dict[str, float]:
    """The cost of each piece's removal."""
    return plain_removal_losses(facts["words"], costs(facts["pieces"]))


def solve_viterbi(facts: Mapping[str, Any]) -> list[tuple[int, set[str]]]:
    """For each prefix of the word, the fewest bits, and the last pieces of the splits with that few: by
    trying all splits."""
    cells = []
    for end in range(1, len(facts["word"]) + 1):
        ways = all_paths(facts["word"][:end], facts["bits"])
        fewest = min(bits for _, bits in ways)
        cells.append((int(fewest), {pieces[-1] for pieces, bits in ways if bits == fewest}))
    return cells


def judge_corpus(words: Mapping[str, int], merges: Sequence[PairName], wordpiece: PairName | None) -> str:
    """Whether training goes as wanted: right, tied (a tie alone is in the way) or wrong."""
    steps = [(step.pair, step.tied) for step in bpe_steps(words, len(merges))]
    wanted = list(merges)
    if wordpiece is not None:
        steps += [(None, [])] * (len(merges) - len(steps))  # type: ignore[list-item]
        steps += [(step.pair, step.tied) for step in plain_wordpiece(words, "first", 1)[0]]
        wanted.append(wordpiece)
    for number, pair in enumerate(wanted):
        if number >= len(steps) or (steps[number][0] != pair and pair not in steps[number][1]):
            return "wrong"
        if steps[number][0] != pair:
            return "tied"
    return "right"


def true_lines(facts: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """The log as it should be."""
    if facts["sort"] == "bits":
        cells = solve_viterbi(facts)
        shown = [line[2] for line in facts["lines"]]
        return [
            (facts["word"][:end], bits, shown[end - 1] if shown[end - 1] in pieces else "")
            for end, (bits, pieces) in enumerate(cells, start=1)
        ]
    number = len(facts["lines"])
    if facts["sort"] in ("count", "pair"):
        return [(step.pair, step.freq, 0, 0) for step in bpe_steps(facts["words"], number)]
    steps = plain_wordpiece(facts["words"], "first", number)[0]
    before = [{word: (word[0], *("##" + letter for letter in word[1:])) for word in facts["words"]}]
    before += [step.splits for step in steps]
    lines: list[tuple[Any, ...]] = []
    for step, splits in zip(steps, before, strict=False):
        tokens: dict[str, int] = {}
        pairs: dict[PairName, int] = {}
        for word, split in splits.items():
            for token in split:
                tokens[token] = tokens.get(token, 0) + facts["words"][word]
            for pair in pairwise(split):
                pairs[pair] = pairs.get(pair, 0) + facts["words"][word]
        first, second = step.pair
        lines.append((step.pair, pairs[step.pair], tokens[first], tokens[second]))
    return lines
