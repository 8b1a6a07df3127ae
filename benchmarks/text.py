"""What is trained on: Python's own standard library, which every machine has."""

from __future__ import annotations

import pydoc_data.topics
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


@cache
def prose(size: int) -> str:
    """The first `size` characters of the help topics that come with Python: English about Python."""
    return "\n".join(pydoc_data.topics.topics.values())[:size]
