"""Tests wait for a state, never for milliseconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

State = TypeVar("State")


class Clock:
    """A clock set by hand: to hand over, or in place of a module's `time`."""

    now = 1_000_000.0

    def __call__(self) -> float:
        """Its time."""
        return self.now

    monotonic = time = __call__


def until(holds: Callable[[], State], seconds: float = 240) -> State:
    """Wait until this returns something true, and return it; after so many seconds, the test fails."""
    end = time.monotonic() + seconds
    while not (state := holds()):
        assert time.monotonic() < end, f"{seconds:g} seconds passed before this was true"
        time.sleep(0.01)
    return state


def pass_time(seconds: float) -> None:
    """Do nothing for a while: for tests about time itself."""
    time.sleep(seconds)
