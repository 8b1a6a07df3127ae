"""Two runs side by side: each step's choice, the first divergence, and the vocabularies' difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tokenizers_core.encoding.byte_tokens import BYTE_TOKENS
from tokenizers_core.training.algorithms import AnyTrace
from tokenizers_core.training.merge_trace import MergeTrace


class Decision(NamedTuple):
    """The choice of a step: equal choices are the same decision."""

    kind: str
    """As in its event: "start", "merge", "remove", "stage", "prune", "e_step", "m_step" or "finalize"."""
    tokens: tuple[str, ...]
    """The merged pair, the removed token, the pruned piece, the pieces dropped by an M step, or the final
    pieces."""


def choice_at(trace: AnyTrace, step: int) -> Decision | None:
    """The choice of a step; None beyond the end of the run. The start chooses the alphabet, or Unigram's
    seed.

    An E step chooses nothing: it only counts.
    """
    if step > len(trace):
        return None
    if isinstance(trace, MergeTrace):
        if step and not trace.record.is_merge(step):
            event = trace.rule_event(step)
            return Decision(event.kind, event.chosen)
        return Decision("merge", trace.pair_of(step)) if step else Decision("start", trace.alphabet)
    kind = trace.record.kinds[step]
    match kind:
        case "start":
            return Decision(kind, tuple(sorted(piece for piece, _count in trace.seed)))
        case "prune":
            return Decision(kind, (trace.piece_of(step),))
        case "m_step":
            before, after = trace.pieces_at(step - 1), trace.pieces_at(step)
            return Decision(kind, tuple(sorted(piece for piece in before if piece not in after)))
        case "finalize":
            return Decision(kind, tuple(sorted(trace.pieces_at(step))))
    return Decision(kind, ())


def first_divergence(ours: AnyTrace, theirs: AnyTrace) -> int | None:
    """The first step, from 1, with different choices, or in one run only; None when all are alike.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> runs = [train_bpe(Corpus.from_counts({"hug": 10, "pug": pug, "pun": 12})) for pug in (5, 30)]
    >>> first_divergence(*runs), [choice_at(run, 2).tokens for run in runs]
    (2, [Pair(first='pu', second='n'), Pair(first='pu', second='g')])
    """
    if ours.algorithm != theirs.algorithm:
        return 1
    for step in range(1, max(len(ours), len(theirs)) + 1):
        if choice_at(ours, step) != choice_at(theirs, step):
            return step
    return None


def aligned(ours: AnyTrace, theirs: AnyTrace) -> Iterator[tuple[int | None, int | None]]:
    """The steps of two runs beside each other: while one removes a token or changes its stage (None for the
    other), the other's merge waits.

    >>> from tokenizers_core import Corpus, train_bpe, train_pickybpe
    >>> corpus = Corpus.from_counts({"hug": 10, "pug": 5, "hugs": 5})
    >>> [*aligned(train_bpe(corpus), train_pickybpe(corpus))]
    [(1, 1), (2, 2), (3, 3), (None, 4), (4, 5)]
    """
    here = there = 1
    while here <= len(ours) or there <= len(theirs):
        apart = is_rule(ours, here), is_rule(theirs, there)
        waits = apart[1] and not apart[0], apart[0] and not apart[1]
        yield None if waits[0] else here, None if waits[1] else there
        here, there = here + (not waits[0]), there + (not waits[1])


def is_rule(trace: AnyTrace, step: int) -> bool:
    """Whether a step exists only in newer kinds of BPE; never so beyond the end of a run."""
    return isinstance(trace, MergeTrace) and step <= len(trace) and not trace.record.is_merge(step)


class VocabularyDifference(NamedTuple):
    """The difference between two vocabularies of the same size."""

    size: int
    """Tokens in each, special tokens included; the smaller one's where one run has no step of that size, or
    both are compared at their ends."""
    steps: tuple[int, int]
    """The step of each run."""
    shared: int
    """Number of longer tokens in both."""
    ours: tuple[str, ...]
    """Longer tokens only in the first, in its own order."""
    theirs: tuple[str, ...]


def step_of_size(trace: AnyTrace, size: int) -> int:
    """The step at which a run has a vocabulary of `size` tokens: merging, the first one; Unigram, the last
    one.

    Where no step has exactly that size: merging, the start or the end; Unigram, the last of the next smaller
    size, or the end.
    """
    if isinstance(trace, MergeTrace):
        return trace.step_of_size(size)
    sizes, wanted = trace.record.sizes, size - len(trace.special_tokens)
    reached = max((pieces for pieces in sizes if pieces <= wanted), default=sizes[-1])
    return max(step for step, pieces in enumerate(sizes) if pieces == reached)


def vocabulary_difference(ours: AnyTrace, theirs: AnyTrace) -> VocabularyDifference:
    """The vocabularies at the largest size reached or passed by both runs.

    A merging run passes every size from its alphabet's to its last one; Unigram comes down to its last. Byte
    pieces in only one of them are left out of the size. Two kinds of BPE without a divergence by then (one
    has run out of pairs) are compared at their ends.
    """
    runs = (ours, theirs)
    size = common_size(*runs)
    steps = [step_of_size(run, size + byte_pieces(run)) for run in runs]
    if type(ours) is not type(theirs) and max(steps) < (first_divergence(ours, theirs) or 0):
        steps = [*map(len, runs)]
    here, there = (run.snapshot(step) for run, step in zip(runs, steps, strict=True))
    mine, yours = (longer(snapshot.vocab, run) for snapshot, run in ((here, ours), (there, theirs)))
    known, others = {*mine}, {*yours}
    return VocabularyDifference(
        size + min(map(byte_pieces, runs)),
        (here.step, there.step),
        len(known & others),
        tuple(token for token in mine if token not in others),
        tuple(token for token in yours if token not in known),
    )


def common_size(ours: AnyTrace, theirs: AnyTrace) -> int:
    """The vocabulary size to compare two runs at, without byte pieces: the first end of the two."""
    ends = [run.snapshot(len(run)).vocab_size - byte_pieces(run) for run in (ours, theirs)]
    return max(ends) if ours.ranked_by == theirs.ranked_by == "loss" else min(ends)


def byte_pieces(trace: AnyTrace) -> int:
    """How many byte pieces a run's vocabulary has."""
    return len(BYTE_TOKENS) if trace.settings.get("byte_fallback") else 0


def longer(vocab: Sequence[str], trace: AnyTrace) -> list[str]:
    """The tokens of a vocabulary learned in training: neither special nor of the alphabet."""
    known = {*trace.alphabet, *trace.special_tokens}
    return [token for token in vocab if token not in known]
