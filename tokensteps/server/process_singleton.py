"""Singletons of a server, in module state: a message from any browser could empty `st.cache_resource`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

Single = TypeVar("Single")


def process_singleton(make: Callable[[], Single]) -> Callable[[], Single]:
    """`make`, called the first time only; other threads wait for it. After an error it is tried again.

    >>> @process_singleton
    ... def registry() -> list[str]:
    ...     print("made")
    ...     return []
    >>> registry().append("a")
    made
    >>> registry()
    ['a']
    """
    result: list[Single] = []
    lock = threading.Lock()

    @wraps(make)
    def get() -> Single:
        if not result:
            with lock:
                if not result:
                    result.append(make())
        return result[0]

    return get
