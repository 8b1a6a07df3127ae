"""Engine data → markup for the tabs: a word through the steps, a token's lineage."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from tokenizers_core.merging import Lineage
from ui.i18n import _
from ui.tokens import Style, chip, chips


def story_html(history: Sequence[tuple[int, tuple[str, ...]]], step: int, style: Style) -> str:
    """A word's segmentations, one a row, each with the step that made it; the one that holds now is marked."""
    now = max(made for made, _tokens in history if made <= step)
    rows = "".join(
        f'<span class="n{" at" if made == now else ""}">{escape(_("step {step}").format(step=made))}</span>'
        f'<span class="ts{" dim" if made > step else ""}">{chips(tokens, style)}</span>'
        for made, tokens in history
    )
    return f'<div class="ts story">{rows}</div>'


def lineage_html(lineage: Lineage, style: Style) -> str:
    """A token above the two it was made from, down to the alphabet."""
    return f'<div class="ts scroll">{_branch(lineage, style)}</div>'


def _branch(lineage: Lineage, style: Style) -> str:
    made = escape(_("step {step}").format(step=lineage.step) if lineage.step else _("alphabet"))
    parts = "".join(_branch(part, style) for part in lineage.parts)
    row = f'<span class="row">{parts}</span>' if parts else ""
    return f'<span class="tree">{chip(lineage.token, style)}<small>{made}</small>{row}</span>'
