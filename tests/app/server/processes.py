"""The processes started by a test."""

from __future__ import annotations

import psutil


def children() -> set[int]:
    """Their numbers, with those of their own children."""
    return {child.pid for child in psutil.Process().children(recursive=True)}
