"""The processes that a test has started."""

from __future__ import annotations

import psutil


def children() -> set[int]:
    """Their numbers, with those that they have started themselves."""
    return {child.pid for child in psutil.Process().children(recursive=True)}
