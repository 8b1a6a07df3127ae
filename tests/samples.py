"""How many examples a property is tried on, and whether the slow tests run: `make test` takes a sample,
`make stress` takes all examples, `make test SLOW=1` all tests."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Final, TypeVar

from hypothesis import settings

STRESS: Final = os.environ.get("STRESS") == "1"
"""Whether every example is tried, as `make stress` asks."""
SLOW: Final = STRESS or os.environ.get("SLOW") == "1"
"""Whether the slow tests run, too, as `make test SLOW=1` and continuous integration ask."""
SHARE: Final = 8
"""The suite tries one example in so many, and `FEWEST` at least."""
FEWEST: Final = 12

Item = TypeVar("Item")


def sampled(number: int) -> int:
    """How many of `number` cases this run tries."""
    return number if STRESS else min(number, max(FEWEST, number // SHARE))


def examples(number: int, **more: Any) -> settings:
    """Hypothesis' settings for a property, with `number` examples as enough evidence."""
    return settings(max_examples=sampled(number), **more)


def spread(items: Sequence[Item], number: int = FEWEST) -> list[Item]:
    """So many of a long row for this run, evenly spread, the first and the last among them."""
    if STRESS or len(items) <= number:
        return [*items]
    return [items[index * (len(items) - 1) // (number - 1)] for index in range(number)]
