"""Streamlit components of our own: a script and its styles, out of `assets/`."""

from __future__ import annotations

import json
import threading
from functools import lru_cache
from string import Template
from typing import Final

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from tokensteps.assets import read_asset
from tokensteps.components.bundle import STUB, bundle

_lock: Final = threading.Lock()


def component(
    name: str, styles: tuple[str, ...] | None = None, *, isolated: bool = True
) -> ComponentRenderer:
    """Return the component `assets/components/<name>.js` with style sheets of its own, out of reach of the
    page's.

    `styles` names files of `assets/` in the bundle; the default is the component's `<name>.css` and the
    page's `style.css`. Without `isolated`, the component is a part of the page, with the page's own styles.
    """
    if styles is None:
        styles = (f"components/{name}.css", "page/style.css")
    address = bundle().address
    with _lock:
        return _registered(name, styles, address, isolated)


@lru_cache(maxsize=64)
def _registered(name: str, styles: tuple[str, ...], address: str, isolated: bool) -> ComponentRenderer:
    """Register the component: once, unless a script changes. Streamlit takes text with newlines as inline
    content."""
    stub = Template(read_asset(STUB)).substitute(address=address, name=name, styles=json.dumps(styles))
    return st.components.v2.component(f"tokensteps.{name}", js=stub, isolate_styles=isolated)


def ignore() -> None:
    """Do nothing: a component keeps a value only when a callback is registered for it."""
