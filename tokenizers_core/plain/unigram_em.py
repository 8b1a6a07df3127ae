"""Unigram as SentencePiece trains it: expectation–maximization, then pruning (Kudo, 2018).

The course's way (`unigram`) turns counts of substrings into probabilities. But a word can be
segmented in many ways, and EM takes all of them into account. The E step computes how often each
piece is expected in the corpus: over all segmentations of all words, each weighted by its
probability. The M step turns the expected counts into new probabilities. After two E and M steps a
round prunes the pieces whose removal seems to hurt least. Encoding and decoding are those of
`unigram`.

>>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
>>> seed = repeated_substrings(words)
>>> seed["h"], seed["hug"], "hu" in seed  # 15 × 1; 15 × 3; always followed by a g
(15, 45, False)
>>> model = log_probabilities(seed)
>>> for piece, posterior in edge_posteriors("hug", model):
...     print(piece, round(posterior, 3))
h 0.036
u 0.002
hug 0.964
ug 0.035
g 0.002
>>> expected = expectation_step(words, model)
>>> round(expected["hug"], 2), round(expected["u"], 2)  # of 15 and 36 occurrences
(9.78, 0.08)
>>> model = maximization_step(expected)
>>> sorted(set(expected) - set(model))  # expected less than half a time
['b', 'gs', 'n', 's', 'u', 'ugs']
>>> list(train(words, vocab_size=9))  # at the end every character is back
['pun', 'hug', 'b', 's', 'h', 'n', 'p', 'g', 'u']
"""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, log

from tokenizers_core.plain.bpe import WordFrequencies
from tokenizers_core.plain.unigram import log_probabilities
from tokenizers_core.plain.viterbi import LogProbabilities, edges, viterbi


def train(
    words: WordFrequencies, vocab_size: int = 100, share: float = 0.25, ends: Iterable[int] = ()
) -> LogProbabilities:
    """Estimate and prune until little more than `vocab_size` pieces are left; then the most probable stay.

    A round prunes a `share` of the pieces. `ends`: how often each word ends a text, if that is known.
    """
    model = log_probabilities(repeated_substrings(words, ends))
    characters = [piece for piece in model if len(piece) == 1]
    desired = max(int(1.1 * vocab_size), len(characters))
    while True:
        for _iteration in range(2):
            expected = expectation_step(words, model)
            model = maximization_step(expected)
        if len(model) <= desired:
            return final_model(model, characters, vocab_size)
        unused, losses = rank_pieces(words, model)
        keep = max(desired, int((1 - share) * len(model)))
        for piece in list(losses)[: max(len(unused), len(model) - keep)]:
            del model[piece]


def repeated_substrings(words: WordFrequencies, ends: Iterable[int] = ()) -> dict[str, int]:
    """The pieces to start from: every character with its count, longer substrings with count × length.

    A substring has to occur twice, and not always before the same character. (SentencePiece also
    leaves out substrings that mix scripts.)
    """
    counts, followers = substrings_and_followers(words, ends)
    characters = [piece for piece in counts if len(piece) == 1]
    longer = {
        piece: counts[piece] * len(piece)
        for piece in counts
        if len(piece) > 1 and counts[piece] > 1 and len(followers[piece]) > 1
    }
    seed = {piece: counts[piece] for piece in sorted(characters, key=lambda piece: (-counts[piece], piece))}
    return seed | {piece: longer[piece] for piece in sorted(longer, key=lambda piece: -longer[piece])}


def substrings_and_followers(
    words: WordFrequencies, ends: Iterable[int], longest: int = 16
) -> tuple[dict[str, int], dict[str, set[str]]]:
    """How often each substring occurs, and what follows it: characters, another word, the end of a text."""
    last = dict(zip(words, ends, strict=False))
    counts: dict[str, int] = {}
    followers: dict[str, set[str]] = {}
    for word, count in words.items():
        after = {"another word"} if last.get(word, 0) < count else set()
        after |= {"end of text"} if last.get(word, 1) else set()
        for start in range(len(word)):
            for end in range(start + 1, min(start + longest, len(word)) + 1):
                piece = word[start:end]
                counts[piece] = counts.get(piece, 0) + count
                followers.setdefault(piece, set()).update(word[end] if end < len(word) else after)
    return counts, followers


def expectation_step(words: WordFrequencies, model: LogProbabilities) -> dict[str, float]:
    """E step: how often each piece is expected in the corpus, over all segmentations of its words."""
    expected = dict.fromkeys(model, 0.0)
    for word, count in words.items():
        for piece, posterior in edge_posteriors(word, model):
            if piece in model:
                expected[piece] += count * posterior
    return expected


def edge_posteriors(word: str, model: LogProbabilities) -> list[tuple[str, float]]:
    """The pieces on the edges of a word's lattice, each with the edge's posterior (forward–backward).

    `forward[n]` sums the probabilities of all paths from the start to node n, `backward[n]` of all paths
    from n to the end. (Words of hundreds of characters would need logarithms.)
    """
    lattice = list(edges(word, model))
    forward, backward = [1.0] + [0.0] * len(word), [0.0] * len(word) + [1.0]
    for start, end, score in lattice:
        forward[end] += forward[start] * exp(score)
    for start, end, score in reversed(lattice):
        backward[start] += exp(score) * backward[end]
    return [
        (word[start:end], forward[start] * exp(score) * backward[end] / forward[-1])
        for start, end, score in lattice
    ]


def maximization_step(expected: dict[str, float]) -> LogProbabilities:
    """M step: log probabilities from expected counts; pieces expected less than half a time are dropped.

    Plain EM takes log c − log Σc. SentencePiece takes ψ(c) − ψ(Σc), which makes rare pieces rarer still.
    """
    remaining = {piece: count for piece, count in expected.items() if count >= 0.5}
    remaining = remaining or {piece: count for piece, count in expected.items() if count > 0}
    total = psi(sum(remaining.values()))
    return {piece: psi(count) - total for piece, count in remaining.items()}


def psi(x: float) -> float:
    """The digamma function ψ, the derivative of log Γ (Abramowitz and Stegun, 6.3.5 and 6.3.18).

    >>> round(psi(1), 9)
    -0.577215665
    """
    below = 0.0
    while x < 12:
        below += 1 / x
        x += 1
    square = 1 / (x * x)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))
    return log(x) - 1 / (2 * x) - series - below


def rank_pieces(words: WordFrequencies, model: LogProbabilities) -> tuple[list[str], dict[str, float]]:
    """The pieces that no best segmentation uses, and what each piece's removal costs, the cheapest first.

    Unused pieces cost nothing. For others this is an estimate: wherever the piece occurs in a best
    segmentation, the second-best segmentation of the piece itself takes its place.
    """
    counts = best_path_counts(words, model)
    total = sum(counts.values())
    losses: dict[str, float] = {}
    for piece in reversed([piece for piece in model if piece in counts and len(piece) > 1]):
        count = counts[piece]
        parts, _log_probability = viterbi(piece, model, without=piece)
        log_total = log(total + count * (len(parts) - 1))
        instead = sum(log(counts.get(part, 0) + count) - log_total for part in parts)
        losses[piece] = count * (log(count) - log(total) - instead)
    unused = [piece for piece in model if piece not in counts]
    ranking = sorted(losses, key=lambda piece: losses[piece])
    return unused, dict.fromkeys(unused, 0.0) | {piece: losses[piece] for piece in ranking}


def best_path_counts(words: WordFrequencies, model: LogProbabilities) -> dict[str, int]:
    """How often each piece occurs in the best segmentations of all words."""
    counts: dict[str, int] = {}
    for word, count in words.items():
        for piece in viterbi(word, model)[0]:
            if piece in model:
                counts[piece] = counts.get(piece, 0) + count
    return counts


def final_model(model: LogProbabilities, characters: Iterable[str], vocab_size: int) -> LogProbabilities:
    """Every character, restored if it was dropped, and the most probable other pieces, up to `vocab_size`."""
    final: dict[str, float] = {}
    missing = 0
    for character in characters:
        if character in model:
            final[character] = model[character]
        else:
            final[character] = min(model.values()) + 0.0001 * missing
            missing += 1
    for piece in sorted(model, key=lambda piece: -model[piece]):
        if len(final) < vocab_size:
            final[piece] = model[piece]
    return dict(sorted(final.items(), key=lambda item: (-item[1], item[0])))
