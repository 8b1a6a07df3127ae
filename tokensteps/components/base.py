"""Streamlit components of our own: a script and its styles, out of `assets/`."""

from __future__ import annotations

import threading
from functools import lru_cache
from typing import Final

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from tokensteps.assets import edited, read_asset, read_script, script_files

_lock: Final = threading.Lock()


def component(name: str, styles: tuple[str, ...] | None = None) -> ComponentRenderer:
    """Return the component `assets/components/<name>.js` with style sheets of its own, which the page's don't reach.

    `styles` names files of `assets/`; the default is the component's `<name>.css` and the page's `style.css`.
    """
    if styles is None:
        styles = (f"components/{name}.css", "page/style.css")
    times = edited((*script_files(name), *styles))
    with _lock:
        return _registered(name, styles, times)


@lru_cache(maxsize=16)
def _registered(name: str, styles: tuple[str, ...], _edited: tuple[int, ...]) -> ComponentRenderer:
    """Register the component: once, unless its files change. Streamlit takes text with newlines as inline content."""
    css = "\n".join(map(read_asset, styles)) or None
    return st.components.v2.component(
        f"tokensteps.{name}", js=read_script(name), css=css, isolate_styles=True
    )


def ignore() -> None:
    """Do nothing: a component keeps a value only when a callback is registered for it."""
