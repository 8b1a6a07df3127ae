"""Streamlit components of our own: a script and its styles, out of `assets/`."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Final

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from tokensteps.assets import ASSETS, read_asset

_lock: Final = threading.Lock()


def component(name: str, styles: tuple[str, ...] | None = None) -> ComponentRenderer:
    """The component `assets/<name>.js`, with `styles` (default: `<name>.css` and `style.css`), kept apart from the page's."""
    files = (
        f"components/{name}.js",
        *((f"components/{name}.css", "page/style.css") if styles is None else styles),
    )
    # With the times of the last edits, so that an edit shows up without a restart of the server.
    edited = tuple((ASSETS / file).stat().st_mtime_ns for file in files)
    with _lock:
        return _registered(name, files, edited)


@lru_cache(maxsize=16)
def _registered(name: str, files: tuple[str, ...], _edited: tuple[int, ...]) -> ComponentRenderer:
    """Register it: once, unless its files change. Streamlit takes text with newlines as inline content."""
    script, *styles = map(read_asset, files)
    return st.components.v2.component(
        f"tokensteps.{name}", js=script, css="\n".join(styles) or None, isolate_styles=True
    )


def ignore() -> None:
    """Do nothing: a component keeps a value only when a callback is registered for it."""
