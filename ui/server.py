"""What happens once, when the server starts."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from streamlit.runtime.pages_manager import PagesManager
from streamlit.starlette import App


@asynccontextmanager
async def lifespan(_app: App) -> AsyncIterator[dict[str, Any]]:
    """Make a fresh server answer its first deep link rightly, and keep the garbage collector off what never goes.

    Seeing a folder called pages/, Streamlit takes the first session of a new server for an app of the old kind, which
    knows no /bpe: the visitor would get “Page not found” on top of the page. `st.navigation` corrects that, but only
    after the first run.
    """
    PagesManager.uses_pages_directory = False
    # Everything imported so far stays for good; frozen, a collection need not walk it again.
    import pandas  # noqa: F401
    import plotly.graph_objects  # noqa: F401

    gc.collect()
    gc.freeze()
    yield {}
