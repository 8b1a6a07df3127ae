"""The arithmetic of Unigram training: the best splits of all words at once, each piece's worth, and expected
counts.

A `Lattice` shows one word, edge by edge. Training needs the same for every word of the corpus many times
over, so it works with numbers: a piece is its number in the seed vocabulary, and a word's lattice is a list
of (start, end, piece).
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, compress, groupby
from operator import itemgetter

from tokenizers_core.encoding.models.lattice import (
    MAX_PIECE_LENGTH,
    log_sum,
)
from tokenizers_core.encoding.models.unigram import (
    NumberedEdge,
    Split,
    best_ways,
    walk_back,
)
from tokenizers_core.text.corpus import Corpus

LEAST_EXPECTED = 0.5
"""The M step drops pieces with a lower expected count, as in SentencePiece."""
SUMMED_IN_ORDER = 2000
"""In a corpus of more different words the losses of the course's method are not rounded as in its code: see
`removal_losses`."""
LEAST_TOTAL = 1e-250
"""Smaller sums of plain probabilities are computed with logarithms instead."""

TAIL = 3
"""Characters by which `Lattices` finds the possible lengths of pieces that end at a place."""


class Lattices:
    """The lattices of the corpus's words; words with the same beginning share that part.

    Up to the place where two words differ, their lattices are the same. So the nodes are those of a prefix
    tree (0 is the empty prefix; `paths` has the nodes of each word, `ends` the last one, and `depths` each
    node's length), and edges lead from node to node, in order of their end and the longest first: each has an
    entry in `starts`, `stops` and `pieces`. (Three lists of numbers are quicker to walk through, and to cut,
    than one of tuples.) A result for a node serves every word with that prefix.

    Scores are log probabilities by piece's number. A dropped piece has −∞, and a dropped single character the
    score of an unknown one, so that there is always a path.
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
        # Where each node's edges begin, and the last one's end, before any piece is dropped. No edge leads to
        # 0.
        self._firsts = [0, 0]
        nodes: dict[tuple[int, str], int] = {}
        # The possible lengths of a piece with this tail, the longest first: there is no need to try others.
        short = range(min(max_length, TAIL - 1), 0, -1)
        longer: defaultdict[str, set[int]] = defaultdict(set)
        for piece in numbers:
            if TAIL <= len(piece) <= max_length:
                longer[piece[-TAIL:]].add(len(piece))
        lengths_by_tail = {tail: [*sorted(lengths, reverse=True), *short] for tail, lengths in longer.items()}
        depths, starts, stops, pieces = self.depths, self.starts, self.stops, self.pieces
        for word in corpus.words:
            path = [0]
            # Each step is a node and the next character: the path grows while it is read.
            for step in zip(path, word, strict=False):
                node = nodes.get(step)
                if node is None:
                    node = nodes[step] = len(depths)
                    end = len(path)
                    depths.append(end)
                    # Before the first place with so long a tail, the slice is shorter than any known tail.
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
        """The lattice of one word, cut out of all edges, including those of dropped pieces."""
        starts, pieces, depths, firsts = self._all_starts, self._all_pieces, self.depths, self._firsts
        return [
            (depths[starts[index]], end, pieces[index])
            for end, node in enumerate(self.paths[word])
            for index in range(firsts[node], firsts[node + 1])
        ]

    def drop(self, scores: Sequence[float]) -> None:
        """Remove the pieces with score −∞: this changes no result, and saves time."""
        self._alive = [score > -math.inf for score in scores]
        stored = list(map(self._alive.__getitem__, self.pieces))
        self.starts, self.stops, self.pieces = (
            list(compress(numbers, stored)) for numbers in (self.starts, self.stops, self.pieces)
        )
        self._edges_before, self._edges_of = self._edges_of, {}

    def find_best_ways(self, scores: Sequence[float]) -> None:
        """Find the best path to each node, the basis of all later questions about splits.

        Only these paths are kept: a split per word would be one more object for Python's garbage collector.
        Walking back along the paths is quick.
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
        """The best split of one word after some pieces were pruned since `find_best_ways`.

        To most nodes of the word the old paths are still the best, as no other path has become better.
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
        """Frequency × −log probability in nats of the best splits, summed over the words from first to
        last."""
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
        """Piece → the words with it in their best split, in order, for each of `pieces` in any."""
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


def best_log_probability(edges: Sequence[NumberedEdge], scores: Sequence[float]) -> float:
    """The log probability of `best_split`, without the split."""
    best = [0.0] + [-math.inf] * edges[-1][1]
    for start, end, piece in edges:
        log_probability = best[start] + scores[piece]
        if log_probability > best[end]:
            best[end] = log_probability
    return best[-1]


def word_losses(splits: Iterable[Split], frequencies: Iterable[int]) -> list[float]:
    """Each word's contribution to the loss."""
    return [frequency * -split.log_probability for split, frequency in zip(splits, frequencies, strict=True)]


def sum_in_order(numbers: Iterable[float], start: float = 0.0) -> float:
    """Their sum, added from first to last: `sum` rounds differently in different versions of Python."""
    return deque(accumulate(numbers, initial=start), maxlen=1)[0]


# --- The worth of a piece -----------------------------------------------------------------------------------


def removal_losses(
    lattices: Lattices,
    splits: Sequence[Split],
    users: Mapping[int, Sequence[int]],
    scores: list[float],
    pieces: Iterable[int],
) -> list[float]:
    """By how much the loss grows without each of `pieces`, the probabilities of the others unchanged.

    Only words with the piece in their best split (`users`) can change, so only those are re-split. In a
    corpus of up to `SUMMED_IN_ORDER` different words the new loss is summed from the first word to the last
    like the old one, so the differences are bit for bit those of computing everything again, like the
    course's code. That rounds each sum again, and takes time for all words; in a larger corpus the losses of
    the changed words are added up exactly.
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

    `counts` says how often each piece occurs in the corpus's best splits, and `total` is their sum. Every
    occurrence of the piece becomes `replacement`, the second-best split of the piece itself, and its pieces
    become that much more frequent. (SentencePiece divides by the number of words; the order stays the same.)
    """
    count = counts[piece]
    with_piece = math.log(count) - math.log(total)
    log_total = math.log(total + count * (len(replacement) - 1))
    without = 0.0
    for part in replacement:
        without += math.log(counts.get(part, 0) + count) - log_total
    return count * (with_piece - without)


def second_best(piece: str, numbers: Mapping[str, int], scores: Sequence[float]) -> Split:
    """The best split of a piece of at least two characters other than the piece as a whole; `best_split`
    without a lattice.

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


# --- Expectation and maximization ---------------------------------------------------------------------------


def e_step(lattices: Lattices, scores: Sequence[float]) -> tuple[list[float], float]:
    """How often each piece is expected in the corpus, and the objective: −log P(word), all splits together,
    on average.

    Forward–backward on each lattice, with plain probabilities where they are large enough, and logarithms
    otherwise.
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
    """Log probabilities from expected counts; a piece with an expected count below one half is dropped, if
    any others stay.

    Plain EM would take log c − log Σc. SentencePiece takes digamma(c) − digamma(Σc), the expectation of log p
    under a Dirichlet posterior, which makes rare pieces rarer still, so that fewer pieces do the work.
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


# --- Encoding -----------------------------------------------------------------------------------------------
