"""One algorithm's run looked up by vocabulary size: its side of a comparison."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.encoding.models.wordpiece import PREFIX
from tokenizers_core.lazy import cached_property
from tokenizers_core.training.merge_trace import MergeTrace
from tokenizers_core.training.unigram_trace import UnigramTrace
from tokenizers_core.training.wordpiece import WordPieceTrace

Cut = tuple[str, ...]
"""A word, cut into the surfaces of its tokens."""


def surface(token: str) -> str:
    """A token as it appears in a text: WordPiece's continuation prefix is removed.

    >>> surface("##ug"), surface("ug"), surface("##")
    ('ug', 'ug', '##')
    """
    return token.removeprefix(PREFIX) or token


def surfaces(tokens: Sequence[str]) -> Cut:
    """WordPiece's tokens of a word as they appear in it: all but the first lose their prefix.

    >>> surfaces(("hu", "##gs")), surfaces(("##", "##x"))
    (('hu', 'gs'), ('##', 'x'))
    """
    return (*tokens[:1], *(token[len(PREFIX) :] for token in tokens[1:]))


class Merged(NamedTuple):
    """The merge with which a vocabulary reached a size."""

    pair: Pair
    token: str
    freq: int
    score: Fraction | None
    """WordPiece's score; None for BPE."""
    again: int
    """How many merges since the previous size made tokens that the vocabulary had already."""

    @property
    def kind(self) -> Literal["merged"]:
        return "merged"

    @property
    def tokens(self) -> tuple[str, ...]:
        return (self.token,)


class Regained(NamedTuple):
    """What Unigram's vocabulary has at a size but not one size below, where these pieces are pruned."""

    tokens: tuple[str, ...]
    loss: float | None
    """What a single piece was ranked by when it was pruned; None if it wasn't pruned, or if there are several pieces."""

    @property
    def kind(self) -> Literal["regained"]:
        return "regained"


Change = Merged | Regained


# --- One algorithm's side ---------------------------------------------------------------------------------------------


class Side:
    """One algorithm's run, looked up by vocabulary size."""

    algorithm: str
    steps: Sequence[int | None]
    """For each size of the comparison, the step of the trace."""
    trace: MergeTrace | UnigramTrace

    def cutter(self, step: int) -> Callable[[int], Cut]:
        """A function that splits a word, given by its place in the corpus, as it is split after `step` steps."""
        raise NotImplementedError

    def changed(self, first: int, second: int) -> set[int]:
        """The places of the words that the steps between two steps may have re-split."""
        raise NotImplementedError

    def longer(self, step: int) -> tuple[str, ...]:
        """The vocabulary's longer tokens after `step` steps as surfaces, those of the alphabet left out."""
        raise NotImplementedError

    def moved(self, first: int, second: int) -> tuple[Iterable[str], Iterable[str]]:
        """The longer tokens gained, and those lost, from step `first` to step `second`, as surfaces."""
        raise NotImplementedError

    def change(self, before: int | None, now: int) -> Change | None:
        """What was done from one size to the next."""
        raise NotImplementedError

    def size_at(self, step: int) -> int:
        raise NotImplementedError


class MergeSide(Side):
    """BPE or WordPiece: a size belongs to the first step that has it, or to the last step if merging ended before that."""

    trace: MergeTrace

    def __init__(self, algorithm: str, trace: MergeTrace, sizes: range) -> None:
        self.algorithm, self.trace = algorithm, trace
        self.steps = [None if size < trace.vocab_sizes[0] else trace.step_of_size(size) for size in sizes]
        self.marked = algorithm == "wordpiece"

    def cutter(self, step: int) -> Callable[[int], Cut]:
        words, read = self.trace.current_words(step).words, self.trace.vocabulary.read
        if self.marked:
            return lambda place: surfaces(read(words[place]))
        return lambda place: read(words[place])

    def changed(self, first: int, second: int) -> set[int]:
        ends = self.trace.record.word_ends
        return set(self.trace.record.words[ends[min(first, second)] : ends[max(first, second)]])

    def longer(self, step: int) -> tuple[str, ...]:
        return self.moved(0, step)[0]

    def moved(self, first: int, second: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        gained, lost = self.trace.moved(first, second)
        if self.marked:
            return tuple(map(surface, gained)), tuple(map(surface, lost))
        return gained, lost

    def change(self, before: int | None, now: int) -> Change | None:
        if before is None or before == now:
            return None
        trace, pair = self.trace, self.trace.pair_of(now)
        score = trace.score_at(now) if isinstance(trace, WordPieceTrace) else None
        token = trace.tokens[ord(trace.record.token(now))]
        return Merged(pair, token, trace.record.frequencies[now - 1], score, now - before - 1)

    def size_at(self, step: int) -> int:
        return self.trace.vocab_sizes[step]


class PruneSide(Side):
    """Unigram: a size belongs to the last step of the largest vocabulary that is no larger.

    SentencePiece's M steps drop many pieces at once, and so skip sizes.
    """

    trace: UnigramTrace

    def __init__(self, trace: UnigramTrace, sizes: range) -> None:
        self.algorithm, self.trace = "unigram", trace
        last = {size: step for step, size in enumerate(trace.record.sizes)}
        reached = sorted(last)
        positions = [bisect_right(reached, size) - 1 for size in sizes]
        self.steps = [None if index < 0 else last[reached[index]] for index in positions]

    @cached_property
    def _stories(self) -> list[tuple[list[int], list[tuple[int, ...]]]]:
        """For each word of the corpus, the steps that changed its best split, and the splits since then."""
        stories: list[tuple[list[int], list[tuple[int, ...]]]] = [([], []) for _ in self.trace.corpus.words]
        for step, changed in enumerate(self.trace.changed_splits):
            for position, pieces in changed.items():
                steps, splits = stories[position]
                steps.append(step)
                splits.append(pieces)
        return stories

    def cutter(self, step: int) -> Callable[[int], Cut]:
        stories, seed = self._stories, self.trace.seed

        def cut(place: int) -> Cut:
            steps, splits = stories[place]
            return tuple([seed[number][0] for number in splits[bisect_right(steps, step) - 1]])

        return cut

    def changed(self, first: int, second: int) -> set[int]:
        low, high = sorted((first, second))
        return set().union(*self.trace.changed_splits[low + 1 : high + 1])

    def longer(self, step: int) -> tuple[str, ...]:
        return tuple(piece for piece in self.trace.pieces_at(step) if len(piece) > 1)

    def moved(self, first: int, second: int) -> tuple[Iterable[str], Iterable[str]]:
        gone, come = self._passed(min(first, second), max(first, second))
        return (come, gone) if first < second else (gone, come)

    def _passed(self, first: int, last: int) -> tuple[list[str], list[str]]:
        """The longer pieces that the steps after `first` up to `last` removed, and those that they added."""
        if set(self.trace.record.kinds[first + 1 : last + 1]) <= {"prune"}:
            gone, come = [self._pruned(step)[0] for step in range(first + 1, last + 1)], []
        else:
            before, after = self.trace.pieces_at(first), self.trace.pieces_at(last)
            gone = [piece for piece in before if piece not in after]
            come = [piece for piece in after if piece not in before]
        return [piece for piece in gone if len(piece) > 1], [piece for piece in come if len(piece) > 1]

    def _pruned(self, step: int) -> tuple[str, float]:
        """The piece that a step pruned, and what it was ranked by."""
        trace = self.trace
        round_ = trace.record.rounds[trace.round_of(step) - 1]
        position = step - round_.first_step
        return trace.seed[round_.ranking[position]][0], round_.losses[position]

    def change(self, before: int | None, now: int) -> Change | None:
        if before is None or before == now:
            return None
        if self.trace.record.kinds[now + 1 : before + 1] == ["prune"]:
            piece, loss = self._pruned(before)
            return Regained((piece,), loss)
        pieces, below = self.trace.pieces_at(now), self.trace.pieces_at(before)
        return Regained(tuple(piece for piece in pieces if piece not in below), None)

    def size_at(self, step: int) -> int:
        return self.trace.record.sizes[step]
