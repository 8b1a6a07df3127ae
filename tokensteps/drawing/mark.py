"""The mark of TokenSteps, for standalone pages: handouts and lesson plans."""

from __future__ import annotations

import re
from functools import cache

from tokensteps.assets import read_asset


@cache
def mark() -> str:
    """The mark as an ornament beside a title; its colours are in `assets/handout/mark.css`."""
    paths = "".join(re.findall(r"<path [^>]*/>", read_asset("icon.svg")))
    return f'<svg class="mark" viewBox="0 0 16 16" aria-hidden="true">{paths}</svg>'
