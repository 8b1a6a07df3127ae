"""The processes started by a test."""

from __future__ import annotations

import os
from contextlib import suppress

import psutil


def children() -> set[int]:
    """Their numbers, with those of their own children."""
    return {child.pid for child in psutil.Process().children(recursive=True)}


def worked() -> float:
    """Processor seconds of this process and its children, the ended ones included: a busy machine adds
    none."""
    seconds = sum(os.times()[:4])
    for child in children():
        with suppress(psutil.NoSuchProcess):
            seconds += sum(psutil.Process(child).cpu_times()[:2])
    return seconds
