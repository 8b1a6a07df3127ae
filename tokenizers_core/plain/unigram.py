"""Unigram: start from many pieces, and prune the ones whose removal raises the loss least (Kudo, 2018).

Each piece has a probability. The probability of a segmentation is the product over its pieces, and
each word gets its most probable segmentation (`viterbi`). The loss is the sum over all words of
count × −log probability. Here is training as the Hugging Face course (chapter 6) teaches it, where
a piece's probability is its share of all counts. SentencePiece's way, with estimated
probabilities, is in `unigram_em`.

>>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
>>> frequent_substrings(words, 11)  # seven characters, and the four most frequent longer substrings
{'h': 15, 'u': 36, 'g': 20, 'p': 17, 'n': 16, 'b': 4, 's': 5, 'ug': 20, 'pu': 17, 'un': 16, 'hu': 15}

The course's example keeps only substrings shorter than a word they occur in: fifteen pieces with
210 occurrences in all.

>>> letters = {"h": 15, "u": 36, "g": 20, "p": 17, "n": 16, "b": 4, "s": 5}
>>> counts = letters | {"hu": 15, "ug": 20, "pu": 17, "un": 16, "bu": 4, "hug": 15, "gs": 5, "ugs": 5}
>>> model = log_probabilities(counts)
>>> encode("hugs", model), encode("pun", model), encode("mmm!un", model)
(['h', 'ugs'], ['p', 'un'], ['<unk>', 'un'])
>>> round(corpus_loss(words, model), 3)
169.803

Without `hug` the loss would be 23.5 nats higher; without `pu` it would be the same, because no word
needs it. Pieces like `pu` go first. Single characters always stay:

>>> round(corpus_loss(words, model, without="hug") - corpus_loss(words, model), 3)
23.514
>>> round(corpus_loss(words, model, without="pu") - corpus_loss(words, model), 3)
0.0
>>> list(train(words, vocab_size=9))
['h', 'u', 'g', 'p', 'n', 'b', 's', 'hug', 'pun']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log

from tokenizers_core.plain.bpe import WordFrequencies
from tokenizers_core.plain.viterbi import LogProbabilities, viterbi


def train(
    words: WordFrequencies, vocab_size: int = 100, seed_size: int = 300, share: float = 0.1
) -> LogProbabilities:
    """Prune a `share` of the pieces a round until at most `vocab_size` are left, or only characters."""
    counts = frequent_substrings(words, seed_size)
    characters = [piece for piece in counts if len(piece) == 1]
    model = log_probabilities(counts)
    while len(model) > max(vocab_size, len(characters)):
        loss = corpus_loss(words, model)
        costs = {}
        for piece in model:
            if len(piece) > 1:  # characters stay
                costs[piece] = corpus_loss(words, model, without=piece) - loss
        ranking = sorted(costs, key=lambda piece: costs[piece])  # the cheapest first
        for piece in ranking[: max(1, int(share * len(model)))]:
            del counts[piece]
        model = log_probabilities(counts)  # shares of what is left
    return model


def frequent_substrings(words: WordFrequencies, size: int, longest: int = 16) -> dict[str, int]:
    """The pieces to start from, with counts: every character, then the most frequent longer substrings."""
    counts: dict[str, int] = {}
    for word, count in words.items():
        for start in range(len(word)):
            for end in range(start + 1, min(start + longest, len(word)) + 1):
                piece = word[start:end]
                counts[piece] = counts.get(piece, 0) + count
    characters = [piece for piece in counts if len(piece) == 1]
    longer = sorted((piece for piece in counts if len(piece) > 1), key=lambda piece: -counts[piece])
    return {piece: counts[piece] for piece in (characters + longer)[: max(size, len(characters))]}


def log_probabilities(counts: Mapping[str, float]) -> LogProbabilities:
    """The logarithm of each piece's share of all counts."""
    total = sum(counts.values())
    return {piece: log(count / total) for piece, count in counts.items()}


def corpus_loss(words: WordFrequencies, model: LogProbabilities, without: str = "") -> float:
    """The sum over all words of count × −log probability of the best segmentation, in nats."""
    loss = 0.0
    for word, count in words.items():
        _pieces, log_probability = viterbi(word, model, without)
        loss += count * -log_probability
    return loss


def encode(word: str, model: LogProbabilities, unknown: str = "<unk>") -> list[str]:
    """The tokens of a word: its most probable pieces. Unknown characters in a row are one token."""
    tokens: list[str] = []
    for piece in viterbi(word, model)[0]:
        if piece in model:
            tokens.append(piece)
        elif tokens[-1:] != [unknown]:
            tokens.append(unknown)
    return tokens


def decode(tokens: Sequence[str]) -> str:
    """The text that the tokens spell, where ▁ was written for a space and put in front of the text.

    >>> decode(["▁hug", "s", "▁p", "ug"])
    'hugs pug'
    """
    return "".join(tokens).replace("▁", " ").removeprefix(" ")
