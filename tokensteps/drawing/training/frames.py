"""What draws a step, of training and of encoding a word, for each algorithm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tokensteps.drawing.encoding import encoding_frame, match_frame
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.lattice.frames import lattice_frame
from tokensteps.drawing.training.merging import merge_frame, wordpiece_frame
from tokensteps.drawing.training.pruning import prune_frame

TRAINING_FRAMES: Final[Mapping[str, Callable[..., Frame]]] = {
    "bpe": merge_frame,
    "wordpiece": wordpiece_frame,
    "unigram": prune_frame,
}
"""Algorithm → from a snapshot and a style to a frame; with `ahead=False`, one that gives nothing away of the next step; with
`asked=True` too, one beside a question about that step."""
ENCODING_FRAMES: Final[Mapping[str, Callable[..., Frame]]] = {
    "bpe": encoding_frame,
    "wordpiece": match_frame,
    "unigram": lattice_frame,
}
"""Algorithm → from a snapshot of encoding a word, and a style, to a frame."""
