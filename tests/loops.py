"""Work in a thread of its own: Playwright's loop, in the tests' thread, runs from the first browser test on,
and a language that is chosen there stays for the tests after it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Returned = TypeVar("Returned")


def apart(work: Callable[[], Returned]) -> Returned:
    """What the work returns."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def finished(coroutine: Coroutine[Any, Any, Returned]) -> Returned:
    """What the coroutine returns, in a loop of its own."""
    return apart(lambda: asyncio.run(coroutine))
