"""What the tabs of the page “Pipeline” look at."""

from __future__ import annotations

from dataclasses import dataclass

from tokenizers_core import Encoding, Tokenizer
from tokensteps.drawing.pipeline.journey import Journey
from tokensteps.drawing.tokens import Style
from tokensteps.pages.explore.pipeline_controls import PipelineControls


@dataclass(frozen=True)
class PipelineView:
    """A text, or a pair of texts, with its encoding and the tokenizer that made it."""

    controls: PipelineControls
    tokenizer: Tokenizer
    texts: tuple[str, ...]
    encoding: Encoding
    journeys: list[Journey]
    style: Style

    def key(self, name: str) -> str:
        """A widget's key, the page's own."""
        return self.controls.key(name)
