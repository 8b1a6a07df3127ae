"""What happens once, when the server starts."""

from __future__ import annotations

import gc
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from starlette.middleware import Middleware
from streamlit.starlette import App

from tokensteps.server.headers import Guard
from tokensteps.server.seal import secret
from tokensteps.streamlit_internals import answer_deep_links

SWITCH_SECONDS: Final = 0.002
"""How long a thread may keep the others waiting."""
MIDDLEWARE: Final = (Middleware(Guard),)
"""What every request goes through before Streamlit."""


@asynccontextmanager
async def lifespan(_app: App) -> AsyncIterator[dict[str, Any]]:
    """Make a fresh server answer its first deep link correctly, and keep the garbage collector off what never goes.

    Raises SecretError: a server whose seals anybody could forge doesn't start.
    """
    secret()
    answer_deep_links()
    # Everything imported so far stays for good; frozen, a collection need not walk it again.
    import pandas  # noqa: F401
    import plotly.graph_objects  # noqa: F401

    from tokensteps.server.traces import drawers, workers

    workers().start()
    drawers().start()
    # A click's answer passes between threads some forty times. At the usual 5 ms it would wait as long each time while anybody's
    # page is being drawn.
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.collect()
    gc.freeze()
    yield {}
    workers().close()
    drawers().close()
