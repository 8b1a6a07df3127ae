"""The preparations at the start of the server."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any, Final

from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Route
from streamlit.starlette import App

from tokensteps.limits import OPEN_FILES
from tokensteps.server.entrance.files import FromMemory
from tokensteps.server.entrance.patience import limited_patience
from tokensteps.server.entrance.unknown_addresses import base_path
from tokensteps.server.headers import Guard, named_ancestors
from tokensteps.server.logs import throttled
from tokensteps.server.seal import secret
from tokensteps.streamlit_internals import answer_deep_links
from tokensteps.streamlit_tuning import tune

SWITCH_SECONDS: Final = 0.002
"""How long a thread may keep the others waiting."""
COLLECT_AFTER: Final = (10_000, 10, 10)
"""Thresholds of Python's garbage collector: new objects until it searches them for cycles, and searches until
it includes older ones. A click makes some 10,000 objects: at the usual 700, searching took a twelfth of the
server's time."""
HEAP_OPTIONS: Final = {-8: 1, -3: 256 * 1024, -1: 1024 * 1024}
"""Settings of glibc's `mallopt`. M_ARENA_MAX: one heap for all threads, instead of up to sixteen; only the
first can be trimmed at will. M_MMAP_THRESHOLD: bytes from which a piece of memory goes back to the system
when it is freed; by default the threshold grows with freed pieces, up to 32 MB, and visitors' texts then stay
in the heap. M_TRIM_THRESHOLD: free bytes allowed at the heap's end."""
MIDDLEWARE: Final = (Middleware(Guard), Middleware(FromMemory))
"""The layers of every request before Streamlit."""
named_ancestors()  # stops the start; in the layer itself, an error would only become the answer to every request


def under_base(routes: Iterable[Route]) -> list[BaseRoute]:
    """Our own routes beside Streamlit's: below the path of `server.baseUrlPath`, if there is one. (A `Mount`
    would take Streamlit's too.)"""
    return [Route(base_path() + one.path, one.endpoint, methods=one.methods) for one in routes]


def allow_open_files() -> None:
    """Have room for a lecture hall's connections, as far as the system allows."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with contextlib.suppress(ValueError, OSError):  # macOS takes no more than 10,240
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def give_memory_back() -> None:
    """Have the C library return free memory to the system, if it is glibc: after two minutes of attacks with
    the longest texts its sixteen heaps kept 75 MB."""
    if sys.platform == "linux":
        # Another library, such as Alpine's, lacks this function, and returns memory by itself.
        with contextlib.suppress(OSError, AttributeError):
            mallopt = ctypes.CDLL(None).mallopt
            for option, value in HEAP_OPTIONS.items():
                mallopt(option, value)


@asynccontextmanager
async def lifespan(_app: App) -> AsyncIterator[dict[str, Any]]:
    """Make a fresh server answer its first deep link correctly, and keep the garbage collector off permanent
    objects.

    Raises SecretError: a server with forgeable seals doesn't start.
    """
    secret()
    answer_deep_links()
    tune()
    allow_open_files()
    give_memory_back()
    # Everything imported so far stays for good; frozen, a collection need not walk it again.
    import pandas  # noqa: F401
    import plotly.graph_objects  # noqa: F401

    from tokensteps.server.traces import drawers, workers

    workers().start()
    drawers().start()
    # A click's answer passes between threads several times. At the usual 5 ms each pass would wait that long
    # while anybody's page is being drawn.
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AFTER)
    async with limited_patience():
        with throttled():
            yield {}
    workers().close()
    drawers().close()
