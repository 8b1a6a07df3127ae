"""The stages of a text on its way to ids: mounts `assets/components/pipeline.js`."""

from __future__ import annotations

from tokensteps.components.base import component


def pipeline_view(data: bytes, *, key: str) -> None:
    """Show the stages. `data` comes from `tokensteps.drawing.pipeline.stages.stages_message`; `key` names the
    component."""
    component("pipeline")(key=key, data=data)
