"""Unigram training and segmenting written as plainly as they are described: the oracle of the engine's tests.

Nothing here is shared with `tokenizers_core`, not even with its `plain/`. Sources: the Hugging Face course's
chapter on Unigram; Kudo (2018), *Subword Regularization*, and SentencePiece's trainer for the version with
expected counts.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Span = tuple[int, int]
PlainPath = tuple[tuple[str, ...], float]
"""The pieces of a segmentation and the sum of their log probabilities."""


# --- As the course teaches it -------------------------------------------------------------------------------


@dataclass
class PlainRound:
    """One round of pruning: the model before, the cost of each piece's removal, the pruned pieces."""

    model: dict[str, int]
    """The pieces with their counts, before the round."""
    loss_before: float
    removal_losses: dict[str, float]
    removed: list[str]


def plain_seed(
    word_freqs: Mapping[str, int], seed_size: int, max_length: int = 16, strict: bool = False
) -> dict[str, int]:
    """The pieces to start with and their counts: all characters, then the most frequent longer substrings."""
    characters: dict[str, int] = {}
    substrings: dict[str, int] = {}
    inside: set[str] = set()
    for word, freq in word_freqs.items():
        for start in range(len(word)):
            characters[word[start]] = characters.get(word[start], 0) + freq
            for end in range(start + 2, min(start + max_length, len(word)) + 1):
                substring = word[start:end]
                substrings[substring] = substrings.get(substring, 0) + freq
                if substring != word:
                    inside.add(substring)
    counted = [item for item in substrings.items() if item[0] in inside or not strict]
    counted.sort(key=lambda item: -item[1])
    return characters | dict(counted[: max(0, seed_size - len(characters))])


def costs(counts: Mapping[str, int]) -> dict[str, float]:
    """Each piece's -log p, where p is its count over the total."""
    total = sum(counts.values())
    return {piece: -math.log(count / total) for piece, count in counts.items()}


def plain_viterbi(word: str, model: Mapping[str, float]) -> tuple[list[str], float]:
    """The cheapest segmentation and its cost; no pieces and an infinite cost where there is none."""
    cheapest: list[tuple[float, int]] = [(0.0, 0)]
    for end in range(1, len(word) + 1):
        best = (math.inf, -1)
        for start in range(end):
            if word[start:end] in model and cheapest[start][0] + model[word[start:end]] < best[0]:
                best = (cheapest[start][0] + model[word[start:end]], start)
        cheapest.append(best)
    if cheapest[-1][0] == math.inf:
        return [], math.inf
    pieces: list[str] = []
    end = len(word)
    while end:
        start = cheapest[end][1]
        pieces.insert(0, word[start:end])
        end = start
    return pieces, cheapest[-1][0]


def plain_loss(word_freqs: Mapping[str, int], model: Mapping[str, float]) -> float:
    """The cost of all words, each as often as it occurs."""
    loss = 0.0
    for word, freq in word_freqs.items():
        loss += freq * plain_viterbi(word, model)[1]
    return loss


def plain_removal_losses(word_freqs: Mapping[str, int], model: Mapping[str, float]) -> dict[str, float]:
    """For each piece of several characters, how much more all words cost without it."""
    loss = plain_loss(word_freqs, model)
    return {
        piece: plain_loss(word_freqs, {other: model[other] for other in model if other != piece}) - loss
        for piece in model
        if len(piece) > 1
    }


def plain_unigram_course(
    word_freqs: Mapping[str, int],
    seed_size: int,
    vocab_size: int,
    pruned_share: float = 0.1,
    exact: bool = False,
    seed: Mapping[str, int] | None = None,
) -> tuple[list[PlainRound], dict[str, int]]:
    """Prune until at most `vocab_size` pieces are left, or only characters: the rounds, and the pieces
    left."""
    counts = dict(plain_seed(word_freqs, seed_size) if seed is None else seed)
    rounds: list[PlainRound] = []
    while len(counts) > vocab_size and any(len(piece) > 1 for piece in counts):
        model = costs(counts)
        losses = plain_removal_losses(word_freqs, model)
        number = max(1, int(pruned_share * len(counts)))
        if exact:
            number = min(number, len(counts) - vocab_size)
        removed = sorted(losses, key=lambda piece: losses[piece])[:number]
        rounds.append(PlainRound(counts, plain_loss(word_freqs, model), losses, removed))
        counts = {piece: count for piece, count in counts.items() if piece not in removed}
    return rounds, counts


# --- All segmentations, one by one --------------------------------------------------------------------------


def all_paths(word: str, pieces: Mapping[str, float], unknown: float | None = None) -> list[PlainPath]:
    """Every segmentation with its log probability; a character without a piece has `unknown`'s, if given."""
    paths: list[PlainPath] = []

    def grow(start: int, taken: tuple[str, ...], log_probability: float) -> None:
        if start == len(word):
            paths.append((taken, log_probability))
        for end in range(start + 1, len(word) + 1):
            piece = word[start:end]
            if piece in pieces:
                grow(end, (*taken, piece), log_probability + pieces[piece])
            elif unknown is not None and end == start + 1:
                grow(end, (*taken, piece), log_probability + unknown)

    grow(0, (), 0.0)
    return paths


def spans(pieces: Iterable[str]) -> list[Span]:
    """Start and end of each piece of a segmentation."""
    results: list[Span] = []
    start = 0
    for piece in pieces:
        results.append((start, start + len(piece)))
        start += len(piece)
    return results


def plain_posteriors(
    word: str, pieces: Mapping[str, float], unknown: float | None = None
) -> dict[Span, float]:
    """For every span in some segmentation, the share of the segmentations' probability with it."""
    paths = all_paths(word, pieces, unknown)
    total = math.fsum(math.exp(log_probability) for _, log_probability in paths)
    shares: dict[Span, float] = {}
    for taken, log_probability in paths:
        for span in spans(taken):
            shares[span] = shares.get(span, 0.0) + math.exp(log_probability) / total
    return shares


# --- As SentencePiece does it -------------------------------------------------------------------------------

LEAST_EXPECTED = 0.5
UNKNOWN_PENALTY = 10.0
SUB_ITERATIONS = 2
KEPT_SHARE = 0.75
DESIRED_SHARE = 1.1
MISSING_DELTA = 0.0001


@dataclass
class PlainEStep:
    """The expected count of each piece, and the mean -log of the words' total probability."""

    expected: dict[str, float]
    objective: float


@dataclass
class PlainEmRound:
    """One round: each sub-iteration's expectations and the model after it, then the pieces after pruning."""

    estimates: list[PlainEStep]
    models: list[dict[str, float]]
    prune_losses: dict[str, float]
    """The estimated cost of a piece's replacement, for pieces with another segmentation."""
    left: dict[str, float] | None
    """The pieces after pruning; None in the last round (it doesn't prune)."""


def digamma(x: float) -> float:
    """The derivative of log Γ: moved up by ψ(x) = ψ(x + 1) - 1/x, then the asymptotic series."""
    moved = 0.0
    while x < 12:
        moved -= 1 / x
        x += 1
    square = 1 / (x * x)
    series = square * (
        1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square * (5 / 660))))
    )
    return moved + math.log(x) - 0.5 / x - series


def log_add(logs: Iterable[float]) -> float:
    """The log of a sum of numbers given by their logs."""
    logs = list(logs)
    largest = max(logs, default=-math.inf)
    if largest == -math.inf:
        return -math.inf
    return largest + math.log(sum(math.exp(log - largest) for log in logs))


def plain_edges(word: str, model: Mapping[str, float]) -> list[tuple[int, int, float]]:
    """Where pieces occur in a word; a character without a piece has a place too, but an improbable one."""
    unknown = min(model.values()) - UNKNOWN_PENALTY
    edges: list[tuple[int, int, float]] = []
    for start in range(len(word)):
        for end in range(start + 1, len(word) + 1):
            if word[start:end] in model:
                edges.append((start, end, model[word[start:end]]))
            elif end == start + 1:
                edges.append((start, end, unknown))
    return edges


def plain_e_step(
    word_freqs: Mapping[str, int], model: Mapping[str, float], unknown_as: str | None = None
) -> PlainEStep:
    """How often each piece is expected in the corpus, by the forward and backward sums of every word.

    Unknown characters count for no piece, or for `unknown_as`.
    """
    expected = dict.fromkeys(model, 0.0)
    objective = 0.0
    for word, freq in word_freqs.items():
        edges = plain_edges(word, model)
        forward, backward = [0.0] * (len(word) + 1), [0.0] * (len(word) + 1)
        for index in range(1, len(word) + 1):
            forward[index] = log_add(forward[start] + log for start, end, log in edges if end == index)
        for index in reversed(range(len(word))):
            backward[index] = log_add(log + backward[end] for start, end, log in edges if start == index)
        for start, end, log in edges:
            piece = word[start:end] if word[start:end] in model else unknown_as
            if piece is not None:
                expected[piece] += freq * math.exp(forward[start] + log + backward[end] - forward[-1])
        objective -= freq * forward[-1]
    return PlainEStep(expected, objective / sum(word_freqs.values()))


def plain_m_step(expected: Mapping[str, float]) -> dict[str, float]:
    """The next log probabilities, without pieces of hardly any expected count."""
    entries = {piece: count for piece, count in expected.items() if count >= LEAST_EXPECTED}
    if not entries:
        raise ValueError("no piece is expected half a time")
    total = digamma(sum(entries.values()))
    return {piece: digamma(count) - total for piece, count in entries.items()}


def plain_best(word: str, model: Mapping[str, float], without: str = "") -> list[str]:
    """The best segmentation, with characters other than pieces but without the piece `without`."""
    unknown = min(model.values()) - UNKNOWN_PENALTY
    usable = dict.fromkeys(word, -unknown) | {piece: -log for piece, log in model.items() if piece != without}
    return plain_viterbi(word, usable)[0]


def plain_prune(
    word_freqs: Mapping[str, int], model: Mapping[str, float], desired: int, unknown_as: str | None = None
) -> tuple[dict[str, float], dict[str, float]]:
    """The pieces left, and the deciding losses: the costs of writing a piece as other pieces."""
    freqs = dict.fromkeys(model, 0)
    for word, freq in word_freqs.items():
        for part in plain_best(word, model):
            piece = part if part in model else unknown_as
            if piece is not None:
                freqs[piece] += freq
    unknown = 0 if unknown_as is None else freqs[unknown_as]
    total = sum(freqs.values())
    words = sum(word_freqs.values())
    entries: set[str] = set()
    losses: dict[str, float] = {}
    for piece, freq in freqs.items():
        if freq == 0:
            continue
        if len(piece) == 1:
            entries.add(piece)
            continue
        others = plain_best(piece, model, without=piece)
        itself = math.log(freq) - math.log(total)
        new_total = math.log(total + freq * (len(others) - 1))
        instead = sum(math.log(freqs.get(other, unknown) + freq) - new_total for other in others)
        losses[piece] = freq / words * (itself - instead)
    room = max(desired, int(KEPT_SHARE * len(model)))
    for piece in sorted(losses, key=lambda piece: -losses[piece]):
        if len(entries) < room:
            entries.add(piece)
    return {piece: log for piece, log in model.items() if piece in entries}, losses


def plain_finalize(
    word_freqs: Mapping[str, int], model: Mapping[str, float], vocab_size: int
) -> dict[str, float]:
    """Every character, then the most probable pieces, up to `vocab_size`; most probable first."""
    counts: dict[str, int] = {}
    for word, freq in word_freqs.items():
        for character in word:
            counts[character] = counts.get(character, 0) + freq
    lowest = min(model.values())
    final: dict[str, float] = {}
    missing = 0
    for character in sorted(counts, key=lambda character: (-counts[character], character)):
        if character in model:
            final[character] = model[character]
        else:
            final[character] = lowest + MISSING_DELTA * missing
            missing += 1
    for piece in sorted(model, key=lambda piece: (-model[piece], piece)):
        if piece not in final and len(final) < vocab_size:
            final[piece] = model[piece]
    return dict(sorted(final.items(), key=lambda item: (-item[1], item[0])))


def plain_em_seed(
    word_freqs: Mapping[str, int],
    seed_size: int = 1_000_000,
    max_length: int = 16,
    word_end_varies: bool = True,
    strict: bool = False,
) -> dict[str, int]:
    """The scores to start with: characters, then repeated substrings with different continuations.

    A word's end is something else each time, or (`word_end_varies=False`) always the same. With `strict`, a
    word that occurs nowhere else is no piece; so its beginning, without the last character, is followed by
    something else each time.
    """
    characters: dict[str, int] = {}
    substrings: dict[str, int] = {}
    followers: dict[str, set[str]] = {}
    alone = {
        word
        for word in word_freqs
        if strict and len(word) > 1 and not any(word in other for other in word_freqs if other != word)
    }
    for word, freq in word_freqs.items():
        for start in range(len(word)):
            characters[word[start]] = characters.get(word[start], 0) + freq
            for end in range(start + 2, min(start + max_length, len(word)) + 1):
                substring = word[start:end]
                substrings[substring] = substrings.get(substring, 0) + freq
                if (start, end) == (0, len(word) - 1) and word in alone:
                    after = {f"in {word} {time}" for time in range(min(freq, 2))}
                elif end < len(word):
                    after = {word[end]}
                elif word_end_varies:
                    after = {f"{word} {time}" for time in range(min(freq, 2))}
                else:
                    after = {"end"}
                followers.setdefault(substring, set()).update(after)
    scores = {
        character: characters[character]
        for character in sorted(characters, key=lambda character: (-characters[character], character))
    }
    longer = {
        substring: count * len(substring)
        for substring, count in substrings.items()
        if count >= 2 and len(followers[substring]) >= 2 and substring not in alone
    }
    for substring in sorted(longer, key=lambda substring: -longer[substring]):
        if len(scores) < seed_size:
            scores[substring] = longer[substring]
    return scores


def log_shares(scores: Mapping[str, float]) -> dict[str, float]:
    """The log of each piece's share of all scores."""
    total = sum(scores.values())
    return {piece: math.log(score / total) for piece, score in scores.items()}


def plain_em(
    word_freqs: Mapping[str, int],
    seed: Mapping[str, float],
    vocab_size: int,
    desired: int | None = None,
    as_library: bool = False,
) -> tuple[list[PlainEmRound], dict[str, float]]:
    """Estimate and prune until little more than `vocab_size` pieces are left: the rounds and the final model.

    `as_library`: as in release 0.2.3 of the library, which takes an unknown character for the first piece,
    and doesn't estimate again after pruning to the desired size.
    """
    desired = int(vocab_size * DESIRED_SHARE) if desired is None else desired
    model = dict(seed)
    rounds: list[PlainEmRound] = []
    while True:
        estimates: list[PlainEStep] = []
        models: list[dict[str, float]] = []
        for _ in range(SUB_ITERATIONS):
            estimates.append(plain_e_step(word_freqs, model, next(iter(model)) if as_library else None))
            model = plain_m_step(estimates[-1].expected)
            models.append(model)
        if len(model) <= desired:
            rounds.append(PlainEmRound(estimates, models, {}, None))
            break
        left, losses = plain_prune(word_freqs, model, desired, next(iter(model)) if as_library else None)
        rounds.append(PlainEmRound(estimates, models, losses, left))
        if len(left) == len(model) or (as_library and len(left) <= desired):
            model = left
            break
        model = left
    return rounds, plain_finalize(word_freqs, model, vocab_size)
