"""The Viterbi search: the most probable of all ways to cut a word into pieces (Viterbi, 1967).

Draw a node at each boundary between two characters, and an edge from one boundary to a later one
for each piece that spells the characters between them. Then every way to cut the word is a path
from the first node to the last, and its log probability is the sum over its edges. (SentencePiece
calls a piece in this lattice a node.)

There are many paths, but the best path to a node is the best path to some earlier node plus one
edge. So a forward pass finds the best path to each node in turn and keeps a backpointer to where
its last edge starts; a backtrace then follows the backpointers from the end of the word to its
beginning. Here with the pieces and counts of the Hugging Face course (chapter 6):

>>> from math import exp, log
>>> letters = {"h": 15, "u": 36, "g": 20, "p": 17, "n": 16, "b": 4, "s": 5}
>>> counts = letters | {"hu": 15, "ug": 20, "pu": 17, "un": 16, "bu": 4, "hug": 15, "gs": 5, "ugs": 5}
>>> model = {piece: log(count / 210) for piece, count in counts.items()}
>>> [(start, end) for start, end, _score in edges("hug", model)]
[(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]
>>> best, backpointers = forward_pass("unhug", model)
>>> [f"{exp(score):.6f}" for score in best]
['1.000000', '0.171429', '0.076190', '0.005442', '0.005442', '0.005442']
>>> backpointers  # the last edge, to 5, starts at 2; the one to 2 starts at 0
[0, 0, 0, 2, 2, 2]
>>> backtrace("unhug", backpointers)
['un', 'hug']

Of equally good paths the one met first wins. `p ug` and `pu g` both have 17 / 210 × 20 / 210:

>>> pieces, score = viterbi("pug", model)
>>> pieces, f"{exp(score):.6f}"
(['p', 'ug'], '0.007710')
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

LogProbabilities = dict[str, float]
"""A model: piece → its log probability."""


def viterbi(word: str, model: LogProbabilities, without: str = "") -> tuple[list[str], float]:
    """The best way to cut a word into pieces, and its log probability; `without`: a piece not to use."""
    best, backpointers = forward_pass(word, model, without)
    return backtrace(word, backpointers), best[-1]


def forward_pass(word: str, model: LogProbabilities, without: str = "") -> tuple[list[float], list[int]]:
    """For each node: the log probability of the best path to it, and where its last edge starts."""
    best, backpointers = [0.0] + [-inf] * len(word), [0] * (len(word) + 1)
    for start, end, score in edges(word, model, without):
        if best[start] + score > best[end]:
            best[end], backpointers[end] = best[start] + score, start
    return best, backpointers


def backtrace(word: str, backpointers: list[int]) -> list[str]:
    """The pieces of the best path, found from the end of the word."""
    pieces: list[str] = []
    end = len(word)
    while end > 0:
        start = backpointers[end]
        pieces.insert(0, word[start:end])
        end = start
    return pieces


def edges(
    word: str, model: LogProbabilities, without: str = "", longest: int = 16
) -> Iterator[tuple[int, int, float]]:
    """The edges as (start, end, log probability), by their end, and for the same end the longest first.

    An unknown character has an edge too, less probable than any piece, so that there is always a path.
    """
    for end in range(1, len(word) + 1):
        for start in range(max(0, end - longest), end):
            piece = word[start:end]
            if piece in model and piece != without:
                yield start, end, model[piece]
            elif len(piece) == 1:
                yield start, end, min(model.values()) - 10
