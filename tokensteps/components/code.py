"""The code in step with the stage: mounts `assets/components/code.js`, with marks on the frame's lines."""

from __future__ import annotations

from tokensteps.components.base import component
from tokensteps.drawing.code_steps import Training, listing_message
from tokensteps.language.i18n import _


def code_in_step(trace: Training, *, key: str) -> None:
    """Show the plain version of the algorithm behind `trace`; it follows the page's stage by itself."""
    component("code")(
        key=key, data=listing_message(trace, _("The algorithm's code, with the current line marked"))
    )
