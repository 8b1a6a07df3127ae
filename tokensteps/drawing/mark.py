"""The mark of TokenSteps, for pages that stand by themselves: handouts and lesson plans."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from tokensteps.assets import read_asset

MARK_STYLE: Final = """
.mark { width: 20px; height: 20px; margin-inline-end: 10px; }
.mark .token { fill: light-dark(#c2410c, #fb923c); }
.mark .rest { fill: light-dark(#979083, #7c828c); }
"""
"""Its colours, which follow the page's `color-scheme`: those in the file would follow the system's."""


@cache
def mark() -> str:
    """The mark as an ornament beside a title; its colours are in `MARK_STYLE`."""
    paths = "".join(re.findall(r"<path [^>]*/>", read_asset("icon.svg")))
    return f'<svg class="mark" viewBox="0 0 16 16" aria-hidden="true">{paths}</svg>'
