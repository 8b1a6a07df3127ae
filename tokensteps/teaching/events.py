"""The events of steps that are known to be merges or prunes, with their own types."""

from __future__ import annotations

from tokenizers_core.training.merge_trace import Candidate, MergeEvent, MergeTrace
from tokenizers_core.training.pruning import PruneEvent
from tokenizers_core.training.unigram_trace import UnigramTrace
from tokenizers_core.training.wordpiece import ScoredCandidate, WordPieceEvent, WordPieceTrace


def merge_at(trace: MergeTrace, step: int) -> MergeEvent:
    """The merge of a step, from 1."""
    event = trace.event(step)
    assert isinstance(event, MergeEvent)  # only step 0 is something else
    return event


def wordpiece_merge_at(trace: WordPieceTrace, step: int) -> WordPieceEvent:
    """The same, of WordPiece."""
    event = trace.event(step)
    assert isinstance(event, WordPieceEvent)  # only step 0 is something else
    return event


def scored(candidate: Candidate) -> ScoredCandidate:
    """A candidate of WordPiece, whose numbers are known."""
    assert isinstance(candidate, ScoredCandidate)  # WordPiece has no others
    return candidate


def prune_at(trace: UnigramTrace, step: int) -> PruneEvent:
    """The prune of a step that is one. Raises ValueError for a step that does something else."""
    event = trace.event(step)
    if not isinstance(event, PruneEvent):
        raise ValueError(f"Step {step} is a step of kind {event.kind}; ask about a step that prunes.")
    return event
