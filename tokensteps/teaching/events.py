"""The events of merges or prunes, with their own types."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from tokenizers_core.training.kinds.pickybpe import PickyTrace, RemoveEvent
from tokenizers_core.training.merge_trace import Candidate, MergeEvent, MergeTrace
from tokenizers_core.training.pruning import PruneEvent
from tokenizers_core.training.unigram_trace import UnigramTrace
from tokenizers_core.training.wordpiece import ScoredCandidate, WordPieceEvent, WordPieceTrace


def merge_at(trace: MergeTrace, step: int) -> MergeEvent:
    """The merge of a step. Raises ValueError for any other step, such as step 0."""
    event = trace.event(step)
    if event.kind == "start":
        raise ValueError(f"step={step} is the start of training; ask about step 1 or a later one.")
    if event.kind != "merge":
        raise ValueError(f"step={step} is of kind {event.kind}; ask about a step that merges.")
    return event


def wordpiece_merge_at(trace: WordPieceTrace, step: int) -> WordPieceEvent:
    """The same for WordPiece."""
    if not step:
        raise ValueError(f"step={step} is the start of training; ask about step 1 or a later one.")
    return trace.merge_event(step)


def prune_at(trace: UnigramTrace, step: int) -> PruneEvent:
    """The prune of a step. Raises ValueError for any other step."""
    event = trace.event(step)
    if event.kind != "prune":
        raise ValueError(f"step={step} is of kind {event.kind}; ask about a step that prunes.")
    return event


def removals_after(trace: PickyTrace, step: int) -> Iterator[RemoveEvent]:
    """The removals after the merge of a step."""
    later = map(trace.event, range(step + 1, len(trace) + 1))
    for event in takewhile(lambda one: one.kind == "remove", later):
        assert isinstance(event, RemoveEvent)
        yield event


def scored(candidate: Candidate) -> ScoredCandidate:
    """A candidate of WordPiece, with the numbers of its score."""
    assert isinstance(candidate, ScoredCandidate)  # WordPiece has no others
    return candidate
