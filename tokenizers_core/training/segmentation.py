"""The arithmetic of Unigram training: the best splits of all words at once, what a piece is worth, and expected counts.

A `Lattice` shows one word, edge by edge. Training needs the same for every word of the corpus many times over, so it works
with numbers: a piece is its number in the seed vocabulary, and a word's lattice is a list of (start, end, piece).
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, compress, groupby
from operator import itemgetter
from random import Random
from typing import NamedTuple

from tokenizers_core.encoding.byte_tokens import BYTE_TOKENS, byte_token, join_bytes
from tokenizers_core.encoding.cuts.steps import Drawn
from tokenizers_core.encoding.model import Model
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
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.text.spans import Span
from tokenizers_core.trace import StoredTrace
from tokenizers_core.training.lattice import (
    MAX_PIECE_LENGTH,
    UNKNOWN_PENALTY,
    Edge,
    Lattice,
    Path,
    ViterbiSnapshot,
    equally_good,
    log_sum,
    refuse_bad_temperature,
)

LEAST_EXPECTED = 0.5
"""A piece that is expected less often is dropped in the M step, as in SentencePiece."""
EXPLAINED_CHARACTERS = 60
"""`explain` shows no more characters of a word."""
SPLITS_LISTED = 20_000
"""Splits of a word of which each one's probability is worked out: a word of 15 characters has up to 16,384."""
SUMMED_IN_ORDER = 2000
"""In a corpus of more different words the losses of the course's method are not rounded as in its code: see `removal_losses`."""
LEAST_TOTAL = 1e-250
"""Sums of plain probabilities below this are worked out with logarithms instead."""

TAIL = 3
"""Characters by which `Lattices` tells how long the pieces are that may end at a place."""

NumberedEdge = tuple[int, int, int]
"""An edge of a lattice: where it starts, where it ends, and its piece's number."""


class Split(NamedTuple):
    """A segmentation of a word: the numbers of its pieces, and its log probability."""

    pieces: tuple[int, ...]
    log_probability: float


class Lattices:
    """The lattices of the corpus's words, sharing what words with the same beginning have in common.

    Up to the place where two words differ, their lattices are the same. So the nodes are those of a prefix tree (0 is the
    empty prefix; `paths` has the nodes of each word, `ends` the last one, and `depths` each node's length), and edges lead from
    node to node, in order of their end and the longest first: each has an entry in `starts`, `stops` and `pieces`. (Three lists
    of numbers are quicker to walk through, and to cut, than one of tuples.) What is worked out for a node serves every word with
    that prefix.

    Scores are log probabilities by piece's number. A piece that was dropped has −∞, and a single character that was dropped
    the score of an unknown one, so that there is always a path.
    """

    def __init__(
        self, corpus: Corpus, numbers: Mapping[str, int], max_length: int = MAX_PIECE_LENGTH
    ) -> None:
        self.words, self.frequencies = corpus.words, corpus.counts
        self.starts: list[int] = []
        self.stops: list[int] = []
        self.pieces: list[int] = []
        self.paths: list[list[int]] = []
        self.depths = [0]
        # Where each node's edges begin, and the last one's end, before any piece is dropped. No edge leads to 0.
        self._firsts = [0, 0]
        nodes: dict[tuple[int, str], int] = {}
        # Which lengths a piece may have that ends in these characters, the longest first: there is no need to try the others.
        short = range(min(max_length, TAIL - 1), 0, -1)
        longer: defaultdict[str, set[int]] = defaultdict(set)
        for piece in numbers:
            if TAIL <= len(piece) <= max_length:
                longer[piece[-TAIL:]].add(len(piece))
        lengths_by_tail = {tail: [*sorted(lengths, reverse=True), *short] for tail, lengths in longer.items()}
        depths, starts, stops, pieces = self.depths, self.starts, self.stops, self.pieces
        for word in corpus.words:
            path = [0]
            # Each step is a node and the character that leads on from it: the path grows while it is read.
            for step in zip(path, word, strict=False):
                node = nodes.get(step)
                if node is None:
                    node = nodes[step] = len(depths)
                    end = len(path)
                    depths.append(end)
                    # Before the first place with so long a tail, the slice is shorter than any that is known.
                    for length in lengths_by_tail.get(word[end - TAIL : end], short):
                        if length <= end and (number := numbers.get(word[end - length : end])) is not None:
                            starts.append(path[end - length])
                            stops.append(node)
                            pieces.append(number)
                    self._firsts.append(len(pieces))
                path.append(node)
            self.paths.append(path)
        self.ends = [path[-1] for path in self.paths]
        self.size = len(self.depths)
        self._all_starts, self._all_pieces = self.starts, self.pieces
        self._alive = [True] * (max(numbers.values(), default=0) + 1)
        self._edges_of: dict[int, list[NumberedEdge]] = {}
        self._edges_before: dict[int, list[NumberedEdge]] = {}
        # For each node the best way's log probability, where its last edge starts, and that edge's piece.
        self._best: list[float] = []
        self._back: list[int] = []
        self._last: list[int] = []

    def edges(self) -> Iterator[NumberedEdge]:
        """All edges."""
        return zip(self.starts, self.stops, self.pieces, strict=True)

    def edges_of(self, word: int) -> list[NumberedEdge]:
        """The lattice of one word, by its place in the corpus; see `lattice_edges`."""
        result = self._edges_of.get(word)
        if result is None:
            alive, known = self._alive, self._edges_before.get(word) or self._cut_out(word)
            result = self._edges_of[word] = [edge for edge in known if alive[edge[2]]]
        return result

    def _cut_out(self, word: int) -> list[NumberedEdge]:
        """The lattice of one word, cut out of all edges, those of pieces that were dropped as well."""
        starts, pieces, depths, firsts = self._all_starts, self._all_pieces, self.depths, self._firsts
        return [
            (depths[starts[index]], end, pieces[index])
            for end, node in enumerate(self.paths[word])
            for index in range(firsts[node], firsts[node + 1])
        ]

    def drop(self, scores: Sequence[float]) -> None:
        """Remove the pieces that score −∞: this changes no result, and saves time."""
        self._alive = [score > -math.inf for score in scores]
        stored = list(map(self._alive.__getitem__, self.pieces))
        self.starts, self.stops, self.pieces = (
            list(compress(numbers, stored)) for numbers in (self.starts, self.stops, self.pieces)
        )
        self._edges_before, self._edges_of = self._edges_of, {}

    def find_best_ways(self, scores: Sequence[float]) -> None:
        """Find the best way to each node; what is asked about splits from now on is answered by these.

        They are all that is kept: no word has a split of its own, which would be one more thing for Python's collector of garbage
        to look at. Walking back along the ways is quick.
        """
        self._best, self._back, self._last = best_ways(self.edges(), self.size, scores)

    def split_of(self, word: int) -> Split:
        """The best split of one word, by its place in the corpus."""
        end = self.ends[word]
        return Split(walk_back(end, self._back, self._last), self._best[end])

    def splits(self) -> list[Split]:
        """The best split of every word."""
        return list(map(self.split_of, range(len(self.ends))))

    def best_splits(self, scores: Sequence[float]) -> list[Split]:
        """The best split of every word, after finding the best ways; see `best_split`."""
        self.find_best_ways(scores)
        return self.splits()

    def best_split_of(self, word: int, scores: Sequence[float]) -> Split:
        """The best split of one word, when pieces have been pruned since the best ways were found.

        To most nodes of the word they are still the best, as no other way has become better.
        """
        if not self._best:
            self.find_best_ways(scores)
        starts, pieces, firsts = self._all_starts, self._all_pieces, self._firsts
        best, back, last = self._best, self._back, self._last
        for node in self.paths[word][1:]:
            if best[back[node]] + scores[last[node]] != best[node]:
                best[node] = -math.inf
                for index in range(firsts[node], firsts[node + 1]):
                    log_probability = best[starts[index]] + scores[pieces[index]]
                    if log_probability > best[node]:
                        best[node], back[node], last[node] = log_probability, starts[index], pieces[index]
        return self.split_of(word)

    def loss(self) -> float:
        """Frequency × −log probability in nats of the best splits, summed over the words from first to last."""
        best = map(self._best.__getitem__, self.ends)
        return sum_in_order(frequency * -way for frequency, way in zip(self.frequencies, best, strict=True))

    def piece_counts(self) -> dict[int, int]:
        """How often each piece occurs in the corpus when every word is split in the best way."""
        back, last = self._back, self._last
        counts: dict[int, int] = {}
        for node, frequency in zip(self.ends, self.frequencies, strict=True):
            while node:
                piece = last[node]
                counts[piece] = counts.get(piece, 0) + frequency
                node = back[node]
        return counts

    def words_with(self, pieces: Collection[int]) -> dict[int, list[int]]:
        """Piece → the words whose best split has it, in order, for each of `pieces` that is in any."""
        back, last = self._back, self._last
        results: dict[int, list[int]] = {}
        for word, node in enumerate(self.ends):
            while node:
                piece = last[node]
                if piece in pieces:
                    words = results.setdefault(piece, [])
                    if not words or words[-1] != word:
                        words.append(word)
                node = back[node]
        return results


def lattice_edges(
    word: str, numbers: Mapping[str, int], max_length: int = MAX_PIECE_LENGTH, unknown: int | None = None
) -> list[NumberedEdge]:
    """A word's lattice: its edges in order of their end, and of those with the same end the longest first.

    With `unknown`, a character that is no piece has that number.

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
    """The most probable split of a word (Viterbi); of several that are equally good the first one met.

    Sums run from left to right, and of the edges that end at a place the longest is tried first: so ties and rounding come
    out as in the course's code.
    """
    end = edges[-1][1]
    best, back, last = best_ways(edges, end + 1, scores)
    return Split(walk_back(end, back, last), best[end])


def best_ways(
    edges: Iterable[NumberedEdge], size: int, scores: Sequence[float]
) -> tuple[list[float], list[int], list[int]]:
    """For each of `size` nodes the best path's log probability, where its last edge starts, and that edge's piece."""
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


def best_log_probability(edges: Sequence[NumberedEdge], scores: Sequence[float]) -> float:
    """The log probability of `best_split`, without the split."""
    best = [0.0] + [-math.inf] * edges[-1][1]
    for start, end, piece in edges:
        log_probability = best[start] + scores[piece]
        if log_probability > best[end]:
            best[end] = log_probability
    return best[-1]


def word_losses(splits: Iterable[Split], frequencies: Iterable[int]) -> list[float]:
    """What each word contributes to the loss."""
    return [frequency * -split.log_probability for split, frequency in zip(splits, frequencies, strict=True)]


def sum_in_order(numbers: Iterable[float], start: float = 0.0) -> float:
    """Their sum, added from first to last: `sum` rounds differently in different versions of Python."""
    return deque(accumulate(numbers, initial=start), maxlen=1)[0]


# --- What a piece is worth --------------------------------------------------------------------------------------------


def removal_losses(
    lattices: Lattices,
    splits: Sequence[Split],
    users: Mapping[int, Sequence[int]],
    scores: list[float],
    pieces: Iterable[int],
) -> list[float]:
    """By how much the loss grows without each of `pieces`, the probabilities of the others unchanged.

    Only words whose best split has the piece (`users`) can change, so only those are re-split. In a corpus of up to
    `SUMMED_IN_ORDER` different words the new loss is summed from the first word to the last like the old one, so the
    differences are bit for bit those of working everything out again, as the course's code does. That rounds each sum anew, and
    takes time for all words; in a larger corpus what the changed words lose is added up exactly.
    """
    losses = word_losses(splits, lattices.frequencies)
    sums = list(accumulate(losses, initial=0.0))
    results = []
    for piece in pieces:
        words = users.get(piece, ())
        score, scores[piece] = scores[piece], -math.inf
        without = [
            lattices.frequencies[word] * -best_log_probability(lattices.edges_of(word), scores)
            for word in words
        ]
        scores[piece] = score
        if not words:
            results.append(0.0)
        elif len(losses) > SUMMED_IN_ORDER:
            results.append(math.fsum([*without, *(-losses[word] for word in words)]))
        else:
            first = words[0]
            rest = losses[first:]
            for word, loss in zip(words, without, strict=True):
                rest[word - first] = loss
            results.append(sum_in_order(rest, sums[first]) - sums[-1])
    return results


def approximate_loss(piece: int, replacement: Sequence[int], counts: Mapping[int, int], total: int) -> float:
    """By how much the loss grows without a piece, as SentencePiece estimates it, in nats.

    `counts` says how often each piece occurs in the corpus's best splits, and `total` is their sum. Every occurrence of the
    piece becomes `replacement`, the second-best split of the piece itself, whose pieces become that much more frequent.
    (SentencePiece divides by the number of words, which changes no order.)
    """
    count = counts[piece]
    with_piece = math.log(count) - math.log(total)
    log_total = math.log(total + count * (len(replacement) - 1))
    without = 0.0
    for part in replacement:
        without += math.log(counts.get(part, 0) + count) - log_total
    return count * (with_piece - without)


def second_best(piece: str, numbers: Mapping[str, int], scores: Sequence[float]) -> Split:
    """The best split of a piece of at least two characters other than the piece as a whole; `best_split` without a lattice.

    >>> second_best("hugs", {"h": 0, "u": 1, "g": 2, "s": 3, "ug": 4, "hug": 5, "hugs": 6}, [-2.0] * 7)
    Split(pieces=(5, 3), log_probability=-4.0)
    """
    size = len(piece)
    # For each boundary the best way's log probability, where its last edge starts, and that edge's piece.
    best, back, last = [0.0], [0], [-1]
    for end in range(1, size + 1):
        highest, before, chosen = -math.inf, 0, -1
        for start in range(1 if end == size else 0, end):
            number = numbers.get(piece[start:end])
            if number is not None:
                log_probability = best[start] + scores[number]
                if log_probability > highest:
                    highest, before, chosen = log_probability, start, number
        best.append(highest)
        back.append(before)
        last.append(chosen)
    return Split(walk_back(size, back, last), best[size])


# --- Expectation and maximization -------------------------------------------------------------------------------------


def e_step(lattices: Lattices, scores: Sequence[float]) -> tuple[list[float], float]:
    """How often each piece is expected in the corpus, and the objective: −log P(word), all splits together, on average.

    Forward–backward on each lattice, with plain probabilities where they are large enough, and logarithms otherwise.
    """
    probabilities = list(map(math.exp, scores))
    expected = [0.0] * len(scores)
    objective = 0.0
    starts, stops, pieces = lattices.starts, lattices.stops, lattices.pieces
    weights = list(map(probabilities.__getitem__, pieces))
    before = [1.0] + [0.0] * (lattices.size - 1)
    for start, end, weight in zip(starts, stops, weights, strict=True):
        before[end] += before[start] * weight
    after = [0.0] * lattices.size
    for word, (end, frequency) in enumerate(zip(lattices.ends, lattices.frequencies, strict=True)):
        total = before[end]
        if total < LEAST_TOTAL:
            edges = lattices.edges_of(word)
            objective -= frequency * _expect_by_logarithms(edges, scores, frequency, expected)
        else:
            objective -= frequency * math.log(total)
            after[end] = frequency / total
    backwards = zip(reversed(starts), reversed(stops), reversed(pieces), reversed(weights), strict=True)
    for start, end, piece, weight in backwards:
        through = after[end] * weight
        after[start] += through
        expected[piece] += before[start] * through
    return expected, objective / sum(lattices.frequencies)


def _expect_by_logarithms(
    edges: Sequence[NumberedEdge], scores: Sequence[float], frequency: int, expected: list[float]
) -> float:
    """Add the expected counts from one word's lattice; returns the word's log probability."""
    size = edges[-1][1]
    before = [0.0] * (size + 1)
    for position, group in groupby(edges, key=itemgetter(1)):
        before[position] = log_sum([before[start] + scores[piece] for start, _end, piece in group])
    leaving: list[list[float]] = [*([] for _ in range(size)), [0.0]]
    for position, group in groupby(reversed(edges), key=itemgetter(1)):
        rest = log_sum(leaving[position])
        for start, _end, piece in group:
            through = rest + scores[piece]
            leaving[start].append(through)
            expected[piece] += frequency * math.exp(before[start] + through - before[-1])
    return before[-1]


def m_step(expected: Mapping[int, float]) -> dict[int, float]:
    """Log probabilities from expected counts; a piece that is expected less than half a time is dropped, if any others stay.

    Plain EM would take log c − log Σc. SentencePiece takes digamma(c) − digamma(Σc), the expectation of log p under a
    Dirichlet posterior, which makes rare pieces rarer still, so that fewer pieces do the work.
    """
    remaining = {piece: count for piece, count in expected.items() if count >= LEAST_EXPECTED}
    if not remaining:  # a tiny corpus: keep whatever is expected at all
        remaining = {piece: count for piece, count in expected.items() if count > 0}
    log_total = digamma(sum_in_order(remaining.values()))
    return {piece: digamma(count) - log_total for piece, count in remaining.items()}


def digamma(x: float) -> float:
    """The derivative of log Γ, for x > 0: by recurrence up to 7, then by an asymptotic series about x − 1/2.

    Source: Bernardo (1976), algorithm AS 103, for the method; SentencePiece for the series.

    >>> round(digamma(1.0), 9)  # minus the Euler–Mascheroni constant
    -0.577215665
    """
    result = 0.0
    while x < 7:
        result -= 1 / x
        x += 1
    x -= 0.5
    square = 1 / (x * x)
    series = square * (1 / 24 - square * (7 / 960 - square * (31 / 8064 - square * 127 / 30720)))
    return result + math.log(x) + series


# --- Encoding ---------------------------------------------------------------------------------------------------------


class UnigramModel(Model):
    """Pieces with log probabilities, ready to encode words: the most probable split of each.

    A character that no piece spells becomes `unk_token`, and several in a row become one; with `byte_fallback` each becomes
    its UTF-8 bytes, one token for each, so that nothing is lost.
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
        """Where each of a word's tokens is in it; the bytes of one character are all where the character is."""
        return [span for _identifier, span in self.placed(word)]

    def placed(self, word: str) -> Iterator[tuple[int, Span]]:
        """A word's tokens, each with its place."""
        return self._place(word, self.best(word))

    def _place(self, word: str, split: Iterable[int]) -> Iterator[tuple[int, Span]]:
        """The tokens of a split: where characters are unknown, one token for several in a row, or their bytes."""
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
        """The ids of the most probable split, with `unk_token`'s for each character that no piece spells."""
        edges = lattice_edges(word, self._numbers, self.max_length, unknown=self._unk_id)
        return best_split(edges, self._scores).pieces

    def join(self, tokens: list[str]) -> list[str]:
        """The tokens with runs of byte tokens as the text that they spell, if there are byte tokens."""
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
        """One split, sampled with probability P(split)^(1/`amount`), as in Kudo (2018), "Subword Regularization". Raises SettingError."""
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
        """The exact probability of each split at a temperature; None where there are more than `SPLITS_LISTED`. Raises SettingError.

        >>> model = UnigramModel(["<unk>", "h", "ug", "hug"], {"h": math.log(0.5), "ug": math.log(0.5), "hug": math.log(0.25)})
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
        """What stopped Unigram from splitting a word like this; an unknown character is given as itself, or as what it becomes.

        >>> model = UnigramModel(["<unk>", "h", "ug", "hu", "g"], {"h": -2.0, "ug": -2.0, "hu": -3.0, "g": -3.5})
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
        """A split as a path through the word's lattice; a piece that the vocabulary doesn't have is an unknown character."""
        edges: list[Edge] = []
        end = 0
        for piece in pieces:
            start, end = end, end + len(piece)
            known = piece in self.pieces
            edges.append(Edge(start, end, piece, self.pieces.get(piece, self.unknown), not known))
        return Path.of(edges)

    def explain(self, word: str) -> StoredTrace[ViterbiSnapshot]:
        """The search for the best split, step by step; of a long word only its first `EXPLAINED_CHARACTERS`."""
        story = self.lattice(word[:EXPLAINED_CHARACTERS]).viterbi()
        return StoredTrace(word, story.snapshots, "cut") if len(word) > EXPLAINED_CHARACTERS else story


def _tied(own: Path, best: Path) -> TiedSplit:
    """What decided between two splits that are equally good: the pieces with which they last come to the same place."""
    shared = 0
    while own.edges[-1 - shared] == best.edges[-1 - shared]:
        shared += 1
    loser, winner = (path.edges[: len(path.edges) - shared] for path in (own, best))
    rounding = Path.of(loser).log_probability != Path.of(winner).log_probability
    return TiedSplit(winner[-1].piece, loser[-1].piece, winner[-1].end, rounding)
