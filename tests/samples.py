"""How many examples a property is tried on: the suite takes a sample, `make stress` takes them all."""

from __future__ import annotations

import os
from typing import Any, Final

from hypothesis import settings

STRESS: Final = os.environ.get("STRESS") == "1"
"""Whether every example is tried, as `make stress` asks."""
SHARE: Final = 8
"""The suite tries one example in so many, and `FEWEST` at least."""
FEWEST: Final = 12


def sampled(number: int) -> int:
    """How many of `number` cases this run tries."""
    return number if STRESS else min(number, max(FEWEST, number // SHARE))


def examples(number: int, **more: Any) -> settings:
    """Hypothesis' settings for a property that `number` examples are enough to trust."""
    return settings(max_examples=sampled(number), **more)
