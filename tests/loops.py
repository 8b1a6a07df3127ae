"""Event loops of tests, with their waits and their clock.

Work in a thread of its own: Playwright's loop, in the tests' thread, runs from the first browser test on, and
a language chosen there stays for the tests after it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Returned = TypeVar("Returned")


def apart(work: Callable[[], Returned]) -> Returned:
    """The work's result."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


def finished(coroutine: Coroutine[Any, Any, Returned]) -> Returned:
    """The coroutine's result, in a loop of its own."""
    return apart(lambda: asyncio.run(coroutine))


async def turns(number: int = 100) -> None:
    """Let all others in this loop have so many turns."""
    for _ in range(number):
        await asyncio.sleep(0)


async def reached(holds: Callable[[], object]) -> None:
    """Wait until this returns something true, while the loop goes on; after four minutes, the test fails."""
    async with asyncio.timeout(240):
        while not holds():
            await asyncio.sleep(0.005)


async def settled() -> None:
    """Let what was sent to a server in this loop arrive there, and be read."""
    for _ in range(5):
        await asyncio.sleep(0.005)


class LoopClock:
    """The running loop's clock; it moves at the test's word."""

    def __init__(self) -> None:
        self._now = 0.0
        vars(asyncio.get_running_loop())["time"] = lambda: self._now

    async def passes(self, seconds: float) -> None:
        """So much time passes, and the due work is done."""
        self._now += seconds
        await turns(3)  # the loop looks at its clock, and does the due work


async def responses(app: Any, scope: dict[str, Any], body: bytes = b"") -> list[dict[str, Any]]:
    """All messages of an app in response to one request."""
    messages: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        messages.append(message)

    await app(scope, receive, send)
    return messages
