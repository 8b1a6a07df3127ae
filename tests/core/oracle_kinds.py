"""The newer kinds of BPE written as plainly as they are described, slow on purpose: the oracle of the
engine's tests.

Nothing here is shared with `tokenizers_core`, not even with its `plain/`. Every step recounts the whole
corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tests.core.oracle_bpe import Split, count, replace
from tests.core.oracle_ties import TIE_ORDERS, PairName

ToBytes = Callable[[str], bytes]


@dataclass
class KindStep:
    """One step: a merge, a removal or another change; the pairs it was chosen from, and the words after
    it."""

    kind: str
    token: str
    parts: tuple[str, ...]
    tied: list[PairName]
    splits: Split
    vocabulary: list[str]
    merged: int = 0
    left: int = 0


def occurrences(splits: Split, frequencies: Mapping[str, int], token: str) -> int:
    """How often a token occurs in the corpus."""
    return sum(tokens.count(token) * frequencies[word] for word, tokens in splits.items())


def tokens_in(splits: Split, frequencies: Mapping[str, int]) -> int:
    """How many tokens the corpus has."""
    return sum(len(tokens) * frequencies[word] for word, tokens in splits.items())


def plain_picky(
    frequencies: Mapping[str, int],
    symbols: Callable[[str], Sequence[str]],
    alphabet: Sequence[str],
    tie_rule: str,
    to_bytes: ToBytes,
    vocab_size: int,
    threshold: Fraction,
) -> list[KindStep]:
    """PickyBPE: after each merge, each of its parts may leave."""
    splits: Split = {word: list(symbols(word)) for word in frequencies}
    present, ever = list(alphabet), list(alphabet)
    pair_of: dict[str, PairName] = {}
    steps: list[KindStep] = []

    def expanded(token: str) -> list[str]:
        return [token] if token in present else [end for part in pair_of[token] for end in expanded(part)]

    while len(present) < vocab_size:
        counts = count(splits, frequencies)
        if not counts:
            break
        most = max(counts.values())
        tied = TIE_ORDERS[tie_rule]([pair for pair in counts if counts[pair] == most], ever, to_bytes)
        best = tied[0]
        token = best[0] + best[1]
        before = tokens_in(splits, frequencies)
        splits = {word: replace(tokens, best) for word, tokens in splits.items()}
        merged = before - tokens_in(splits, frequencies)
        pair_of.setdefault(token, best)
        if token not in ever:
            ever.append(token)
        if token not in present:
            present = [one for one in ever if one in present or one == token]
        steps.append(KindStep("merge", token, best, tied, splits, present, merged))
        for part in dict.fromkeys(best):
            left = occurrences(splits, frequencies, part)
            if part in alphabet or Fraction(merged, merged + left) <= threshold:
                continue
            present = [one for one in present if one != part]
            parts = [end for piece in pair_of[part] for end in expanded(piece)]
            splits = {
                word: [end for one in tokens for end in (parts if one == part else [one])]
                for word, tokens in splits.items()
            }
            steps.append(KindStep("remove", part, tuple(parts), [], splits, present, merged, left))
    return steps


def plain_picky_encode(symbols: Sequence[str], steps: Sequence[KindStep]) -> list[str]:
    """All of training's changes, made to one word."""
    tokens = list(symbols)
    for step in steps:
        if step.kind == "merge":
            first, second = step.parts
            tokens = replace(tokens, (first, second))
        else:
            tokens = [end for one in tokens for end in (step.parts if one == step.token else [one])]
    return tokens


# --- SuperBPE -----------------------------------------------------------------------------------------------


def plain_super(
    words: Mapping[str, int],
    stretches: Mapping[str, int],
    alphabet: Sequence[str],
    tie_rule: str,
    to_bytes: ToBytes,
    vocab_size: int,
    transition: int,
    most_words: int,
) -> list[KindStep]:
    """SuperBPE: pre-tokens until there are `transition` tokens, then stretches, with tokens across spaces."""
    vocabulary, merges = list(alphabet), list[PairName]()
    splits: Split = {word: list(word) for word in words}
    steps: list[KindStep] = []
    stage = 1
    while len(vocabulary) < vocab_size:
        counts = count(splits, words if stage == 1 else stretches)
        if stage == 2:
            counts = {pair: n for pair, n in counts.items() if allowed(pair[0] + pair[1], most_words)}
        if stage == 1 and (len(vocabulary) >= transition or not counts):
            before = tokens_in(splits, words)
            splits = {stretch: merged_in_order(list(stretch), merges) for stretch in stretches}
            stage = 2
            saved = before - tokens_in(splits, stretches)
            steps.append(KindStep("stage", "", (), [], splits, list(vocabulary), saved))
            continue
        if not counts:
            break
        most = max(counts.values())
        tied = TIE_ORDERS[tie_rule]([pair for pair in counts if counts[pair] == most], vocabulary, to_bytes)
        best = tied[0]
        splits = {word: replace(tokens, best) for word, tokens in splits.items()}
        merges.append(best)
        if best[0] + best[1] not in vocabulary:
            vocabulary.append(best[0] + best[1])
        steps.append(KindStep("merge", best[0] + best[1], best, tied, splits, list(vocabulary)))
    return steps


def merged_in_order(tokens: list[str], merges: Sequence[PairName]) -> list[str]:
    """All merges, one after the other."""
    for pair in merges:
        tokens = replace(tokens, pair)
    return tokens


def allowed(token: str, most_words: int) -> bool:
    """Whether stage 2 may make a byte-level token."""
    text = token.replace("Ġ", " ")
    return ": " not in text and len(text.split(" ")) - text.split(" ").count("") <= most_words


# --- parity-aware BPE ---------------------------------------------------------------------------------------


@dataclass
class ParityStep:
    """One merge: its choosing language, the candidates, each language's parallel text in tokens, and the
    words after it."""

    language: str
    pair: PairName
    tied: list[PairName]
    tokens: dict[str, int]
    plain: PairName
    splits: dict[str, Split]


def plain_parity(
    corpora: Mapping[str, Mapping[str, int]],
    parallel: Mapping[str, Mapping[str, int]] | None,
    alphabet: Sequence[str],
    tie_rule: str,
    to_bytes: ToBytes,
    merges: int,
    global_merges: int,
    ratio: Sequence[Fraction] | None,
    window: int | None,
    alpha: Fraction,
) -> list[ParityStep]:
    """Parity-aware BPE: the language with most tokens in its parallel text chooses."""
    texts = corpora if parallel is None else parallel
    languages = list(corpora)
    splits = {name: {word: list(word) for word in words} for name, words in corpora.items()}
    cut = {name: {word: list(word) for word in words} for name, words in texts.items()}
    vocabulary, steps, left, recent = list(alphabet), list[ParityStep](), list(corpora), list[str]()
    starts = {name: tokens_in(cut[name], texts[name]) for name in texts}
    order = TIE_ORDERS[tie_rule]
    while len(steps) < merges and left:
        tokens = {name: tokens_in(cut[name], texts[name]) for name in texts}
        together: dict[PairName, int] = {}
        for name in languages:
            for pair, number in count(splits[name], corpora[name]).items():
                together[pair] = together.get(pair, 0) + number
        chosen = ""
        if len(steps) >= global_merges:
            needs = {name: Fraction(tokens[name]) for name in left}
            if ratio is not None:
                rates = {name: Fraction(starts[name], tokens[name]) for name in left}
                needs = {name: -rates[name] / ratio[languages.index(name)] for name in left}
            waiting = sorted(left, key=lambda name: -needs[name])
            ready = [
                name
                for name in waiting
                if window is None or Fraction(recent[-window:].count(name), window) <= alpha / len(languages)
            ]
            chosen = (ready or waiting[-1:])[0]
            recent.append(chosen)
        counts = count(splits[chosen], corpora[chosen]) if chosen else together
        if not counts:
            if not chosen:
                break
            left.remove(chosen)
            continue
        most = max(counts.values())
        tied = order([pair for pair in counts if counts[pair] == most], vocabulary, to_bytes)
        best = tied[0]
        highest = max(together.values())
        plain = order([pair for pair in together if together[pair] == highest], vocabulary, to_bytes)[0]
        splits = {
            name: {word: replace(one, best) for word, one in words.items()} for name, words in splits.items()
        }
        cut = {name: {word: replace(one, best) for word, one in words.items()} for name, words in cut.items()}
        if best[0] + best[1] not in vocabulary:
            vocabulary.append(best[0] + best[1])
        steps.append(ParityStep(chosen, best, tied, tokens, plain, splits))
    return steps
