"""Unigram at work: the most probable segmentation of a word.

A lattice here is a list of (start, end, piece), with pieces as numbers: a `Lattice` costs too much for every
word of a text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from random import Random
from typing import NamedTuple

from tokenizers_core.encoding.byte_tokens import BYTE_TOKENS, byte_token, join_bytes
from tokenizers_core.encoding.cuts.steps import Drawn
from tokenizers_core.encoding.models.base import Model
from tokenizers_core.encoding.models.lattice import (
    MAX_PIECE_LENGTH,
    UNKNOWN_PENALTY,
    Edge,
    Lattice,
    Path,
    ViterbiSnapshot,
    equally_good,
    refuse_bad_temperature,
)
from tokenizers_core.encoding.reasons import (
    Chosen,
    LessProbable,
    Misspelled,
    NotInVocabulary,
    OverLimit,
    Reason,
    TiedSplit,
)
from tokenizers_core.encoding.vocabulary import Vocabulary
from tokenizers_core.errors import SettingError
from tokenizers_core.text.spans import Span
from tokenizers_core.trace import StoredTrace

EXPLAINED_CHARACTERS = 60
"""`explain` shows no more characters of a word."""
SPLITS_LISTED = 20_000
"""The most splits of a word in a list with each one's probability: a word of 15 characters has up to
16,384."""
NumberedEdge = tuple[int, int, int]
"""An edge of a lattice: where it starts, where it ends, and its piece's number."""


class Split(NamedTuple):
    """A segmentation of a word: the numbers of its pieces, and its log probability."""

    pieces: tuple[int, ...]
    log_probability: float


def lattice_edges(
    word: str, numbers: Mapping[str, int], max_length: int = MAX_PIECE_LENGTH, unknown: int | None = None
) -> list[NumberedEdge]:
    """A word's lattice: its edges in order of their end, and of those with the same end the longest first.

    With `unknown`, a character without a piece has that number.

    >>> lattice_edges("hug", {"h": 0, "u": 1, "g": 2, "ug": 3})
    [(0, 1, 0), (1, 2, 1), (1, 3, 3), (2, 3, 2)]
    >>> lattice_edges("pug", {"u": 1, "ug": 3}, unknown=9)
    [(0, 1, 9), (1, 2, 1), (1, 3, 3), (2, 3, 9)]
    """
    edges = [
        (start, end, numbers[piece])
        for end in range(1, len(word) + 1)
        for start in range(max(0, end - max_length), end)
        if (piece := word[start:end]) in numbers
    ]
    if unknown is not None:
        missing = [index for index, character in enumerate(word) if character not in numbers]
        if missing:
            edges.extend((index, index + 1, unknown) for index in missing)
            edges.sort(key=itemgetter(1, 0))
    return edges


def best_split(edges: Sequence[NumberedEdge], scores: Sequence[float]) -> Split:
    """The most probable split of a word (Viterbi); of several equally good ones the first.

    Sums run from left to right, and of the edges with the same end the longest is tried first: so ties and
    rounding come out as in the course's code.
    """
    end = edges[-1][1] if edges else 0
    best, back, last = best_ways(edges, end + 1, scores)
    return Split(walk_back(end, back, last), best[end])


def best_ways(
    edges: Iterable[NumberedEdge], size: int, scores: Sequence[float]
) -> tuple[list[float], list[int], list[int]]:
    """For each of `size` nodes the best path's log probability, where its last edge starts, and that edge's
    piece."""
    best = [0.0] + [-math.inf] * (size - 1)
    back, last = [0] * size, [-1] * size
    for start, end, piece in edges:
        log_probability = best[start] + scores[piece]
        if log_probability > best[end]:
            best[end] = log_probability
            back[end] = start
            last[end] = piece
    return best, back, last


def walk_back(node: int, back: Sequence[int], last: Sequence[int]) -> tuple[int, ...]:
    """The pieces of the best path to a node."""
    pieces = []
    while node:
        pieces.append(last[node])
        node = back[node]
    pieces.reverse()
    return tuple(pieces)


class UnigramModel(Model):
    """Pieces with log probabilities, ready to encode words: the most probable split of each.

    A character without a piece becomes `unk_token`, and several in a row become one; with `byte_fallback`
    each becomes its UTF-8 bytes, one token for each, so that nothing is lost.
    """

    way = "most_probable"
    samples_from_end = True

    def __init__(
        self,
        tokens: Sequence[str],
        pieces: Mapping[str, float],
        unk_token: str = "<unk>",
        byte_fallback: bool = False,
        max_length: int = MAX_PIECE_LENGTH,
    ) -> None:
        super().__init__()
        self.vocabulary = Vocabulary(tokens)
        self.unk_token = unk_token
        self.byte_fallback = byte_fallback
        self.max_length = max_length
        self.unknown = min(pieces.values(), default=0.0) - UNKNOWN_PENALTY
        ids = self.vocabulary.ids
        if unk_token not in ids:
            raise SettingError(name="unk_token", value=unk_token, reason="choose a token of the vocabulary")
        self._unk_id = ids[unk_token]
        set_apart = {unk_token, *BYTE_TOKENS} if byte_fallback else {unk_token}
        self.pieces = {piece: log for piece, log in pieces.items() if piece not in set_apart}
        self._numbers = {piece: ids[piece] for piece in self.pieces}
        self._scores = [self.unknown] * len(self.vocabulary)
        for piece, number in self._numbers.items():
            self._scores[number] = pieces[piece]

    def split(self, word: str) -> tuple[str, ...]:
        """The word's characters."""
        return tuple(word)

    def spell(self, word: str) -> Iterable[int]:
        """The ids of a word's tokens."""
        return [identifier for identifier, _span in self.placed(word)]

    def spans(self, word: str) -> list[Span]:
        """Where each of a word's tokens is in it; the bytes of one character are all where the character
        is."""
        return [span for _identifier, span in self.placed(word)]

    def placed(self, word: str) -> Iterator[tuple[int, Span]]:
        """A word's tokens, each with its place."""
        return self._place(word, self.best(word))

    def _place(self, word: str, split: Iterable[int]) -> Iterator[tuple[int, Span]]:
        """The tokens of a split: where characters are unknown, one token for several in a row, or their
        bytes."""
        end = 0
        for known, group in groupby(split, key=lambda identifier: identifier != self._unk_id):
            ids = list(group)
            if known:
                for identifier in ids:
                    start, end = end, end + len(self.vocabulary.tokens[identifier])
                    yield identifier, (start, end)
                continue
            start, end = end, end + len(ids)
            if not self.byte_fallback:
                yield self._unk_id, (start, end)
                continue
            for index in range(start, end):
                for byte in word[index].encode("utf-8"):
                    yield self.vocabulary.ids[byte_token(byte)], (index, index + 1)

    def best(self, word: str) -> tuple[int, ...]:
        """The ids of the most probable split, with `unk_token`'s for each character without a piece."""
        edges = lattice_edges(word, self._numbers, self.max_length, unknown=self._unk_id)
        return best_split(edges, self._scores).pieces

    def join(self, tokens: list[str]) -> list[str]:
        """The tokens with runs of byte tokens as their text, if there are byte tokens."""
        return join_bytes(tokens) if self.byte_fallback else tokens

    def lattice(self, word: str) -> Lattice:
        """All splits of a word."""
        return Lattice.build(word, self.pieces, self.unknown, self.max_length)

    def amount(self, dropout: float | None, temperature: float | None) -> float:
        """The temperature of `sample`. Raises SettingError if a dropout is set."""
        if dropout is not None:
            raise SettingError(
                name="dropout", value=dropout, reason="Unigram has none; set temperature instead"
            )
        return 1.0 if temperature is None else temperature

    def sample(self, word: str, amount: float, random: Random) -> tuple[str, ...]:
        """One split, sampled with probability P(split)^(1/`amount`), as in Kudo (2018), "Subword
        Regularization". Raises SettingError."""
        (drawn,) = self.lattice(word).samples(1, amount, random.getrandbits(64))
        return self._tokens(word, drawn)

    def sampling(self, word: str, amount: float, random: Random) -> Iterator[Drawn]:
        yield Drawn(())
        lattice = self.lattice(word)
        chosen: tuple[Edge, ...] = ()
        for edge, share in lattice.sampling(amount, Random(random.getrandbits(64))):
            chosen = (edge, *chosen)
            yield Drawn(self._tokens(word[edge.start :], Path.of(chosen)), share=share)

    def distribution(self, word: str, amount: float) -> dict[tuple[str, ...], float] | None:
        """The exact probability of each split at a temperature; None where there are more than
        `SPLITS_LISTED`. Raises SettingError.

        >>> model = UnigramModel(
        ...     ["<unk>", "h", "ug", "hug"], {"h": math.log(0.5), "ug": math.log(0.5), "hug": math.log(0.25)}
        ... )
        >>> {split: round(share, 9) for split, share in model.distribution("hug", 1.0).items()}
        {('hug',): 0.5, ('h', 'ug'): 0.5, ('h', '<unk>'): 0.0}
        """
        lattice = self.lattice(word)
        if lattice.path_count > SPLITS_LISTED:
            return None
        refuse_bad_temperature(amount)
        total = lattice.forward(amount)[-1]
        shares: dict[tuple[str, ...], float] = {}
        for path in lattice.k_best(lattice.path_count):
            tokens = self._tokens(word, path)
            shares[tokens] = shares.get(tokens, 0.0) + math.exp(path.log_probability / amount - total)
        return shares

    def _tokens(self, word: str, path: Path) -> tuple[str, ...]:
        """The tokens of a path through the word's lattice."""
        split = [self._numbers.get(piece, self._unk_id) for piece in path.pieces]
        return tuple(self.vocabulary.tokens[identifier] for identifier, _span in self._place(word, split))

    def why_not(self, word: str, tokens: tuple[str, ...]) -> Reason:
        """What stopped Unigram from splitting a word like this; an unknown character is given as itself, or
        as its replacement.

        >>> model = UnigramModel(
        ...     ["<unk>", "h", "ug", "hu", "g"], {"h": -2.0, "ug": -2.0, "hu": -3.0, "g": -3.5}
        ... )
        >>> reason = model.why_not("hug", ("hu", "g"))
        >>> reason.nats, reason.tokens, model.why_not("hug", ("hug",))
        (2.5, ('h', 'ug'), NotInVocabulary(token='hug'))
        """
        if tokens == (actual := tuple(self.vocabulary.tokens[one] for one in self.spell(word))):
            return Chosen(actual)
        if "".join(tokens) != word or "" in tokens:
            return Misspelled(word)
        for token in tokens:
            if len(token) > self.max_length:
                return OverLimit(len(token), self.max_length)
            if len(token) > 1 and token not in self.pieces:
                return NotInVocabulary(token)
        own, best = self._path(tokens), self._path(self._pieces(word))
        if own.edges == best.edges:
            return Chosen(actual)
        if equally_good(own, best):
            return _tied(own, best)
        unknown = tuple(edge.piece for edge in own.edges if edge.unknown)
        return LessProbable(own.log_probability, best.log_probability, best.pieces, unknown, self.unknown)

    def _pieces(self, word: str) -> Iterator[str]:
        """The pieces of the best split, with unknown characters as they are in the word."""
        end = 0
        for identifier in self.best(word):
            start = end
            end += 1 if identifier == self._unk_id else len(self.vocabulary.tokens[identifier])
            yield word[start:end]

    def _path(self, pieces: Iterable[str]) -> Path:
        """A split as a path through the word's lattice; a piece not in the vocabulary is an unknown
        character."""
        edges: list[Edge] = []
        end = 0
        for piece in pieces:
            start, end = end, end + len(piece)
            known = piece in self.pieces
            edges.append(Edge(start, end, piece, self.pieces.get(piece, self.unknown), not known))
        return Path.of(edges)

    def explain(self, word: str) -> StoredTrace[ViterbiSnapshot]:
        """The search for the best split, step by step; of a long word only its first
        `EXPLAINED_CHARACTERS`."""
        story = self.lattice(word[:EXPLAINED_CHARACTERS]).viterbi()
        return StoredTrace(word, story.snapshots, "cut") if len(word) > EXPLAINED_CHARACTERS else story


def _tied(own: Path, best: Path) -> TiedSplit:
    """The decision between two equally good splits: their last different pieces, with the same end."""
    shared = 0
    while own.edges[-1 - shared] == best.edges[-1 - shared]:
        shared += 1
    loser, winner = (path.edges[: len(path.edges) - shared] for path in (own, best))
    rounding = Path.of(loser).log_probability != Path.of(winner).log_probability
    return TiedSplit(winner[-1].piece, loser[-1].piece, winner[-1].end, rounding)
