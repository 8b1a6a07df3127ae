"""Several tokenizers on one text, line by line: mounts `assets/components/aligned.js`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tokensteps.components.base import component


def aligned(lines: Sequence[str], *, label: str, key: str) -> None:
    """Show lines of markup, in which all text is escaped; `label` is plain text, which names the box to screen readers."""
    message = json.dumps({"label": label, "lines": list(lines)}, separators=(",", ":"))
    component("aligned")(key=key, data=message.encode())
