"""Drawing and naming the steps of an algorithm, by the value that decides them (`ranked_by`): one entry for
each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from tokenizers_core.training.algorithms import ALGORITHMS
from tokensteps.drawing.encoding import encoding_frame, match_frame
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.lattice.frames import lattice_frame
from tokensteps.drawing.training.merging import merge_frame, wordpiece_frame
from tokensteps.drawing.training.pruning import prune_frame
from tokensteps.language.i18n import N_


class StepKind(NamedTuple):
    """The drawings of one kind of step."""

    frame: Callable[..., Frame]
    """From a snapshot and a style to a frame with its narration; with `ahead=False`, a frame that gives
    nothing away of the next step; with `asked=True`, too, for a question about that step."""
    encoding_frame: Callable[..., Frame]
    """From a snapshot of encoding a word, and a style, to a frame."""
    unit: str
    """The unit of its margins in charts, to be translated."""
    direction: str
    """In a comparison by vocabulary sizes, to be translated."""


STEP_KINDS: Final[Mapping[str, StepKind]] = {
    "count": StepKind(merge_frame, encoding_frame, N_("occurrences"), N_("grows →")),
    "score": StepKind(wordpiece_frame, match_frame, N_("score"), N_("grows →")),
    "loss": StepKind(prune_frame, lattice_frame, N_("loss in nats"), N_("← shrinks, from right to left")),
}


def step_kind(algorithm: str) -> StepKind:
    """The drawings of an algorithm's steps, by its name."""
    return STEP_KINDS[ALGORITHMS[algorithm].ranked_by]
