"""What is trained on: Python's own standard library, which every machine has."""

from __future__ import annotations

import sysconfig
from functools import cache
from pathlib import Path


@cache
def library_text(size: int) -> str:
    """The first `size` characters of the standard library's sources."""
    text = ""
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py")):
        if len(text) >= size:
            break
        text += path.read_text("utf-8")
    return text[:size]
