"""Coroutines in a loop of their own: Playwright's, in the same thread, runs from the first browser test on."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Returned = TypeVar("Returned")


def finished(coroutine: Coroutine[Any, Any, Returned]) -> Returned:
    """What the coroutine returns."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
