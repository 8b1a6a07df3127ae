"""State of a session, kept by its browser as well, so that it survives a reload and a restart of the server.

It is sealed: the browser can give it back, or lose it, but not change it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import streamlit as st

from tokensteps.components.base import component, ignore
from tokensteps.limits import SEALED_LIMIT
from tokensteps.server.seal import seal, unseal

TABS_KEPT: Final = 4
"""The greatest number of tabs' lists that a browser keeps, and gives back, under one name."""


def synced(name: str, what: list[Any], *, erased: bool = False) -> list[Any]:
    """Have this tab of the browser keep `what`, a list fit for JSON, until it is `erased`. If it is empty,
    return the tab's earlier list under `name`, once the browser has sent it."""
    results = _opened(name, _mount(name, what, erased=erased))
    return results[0] if results and not what else []


def synced_with_tabs(
    name: str, what: list[Any], *, page: str, erased: bool, on_erased: Callable[[], None]
) -> list[list[Any]]:
    """Have the browser keep `what` for all its tabs, and after the last one is closed, until it is `erased`;
    return other tabs' lists under `name` when the browser sends them, to be merged into the next `what`.

    What a tab overwrites stays beside its own list until the next run after the one that returned it; after
    a change of `page`, with which a message may be lost, it is sent again. `on_erased` is called when another
    tab has erased everything.
    """
    known = f"keep-{name}.known"
    data = {"lasting": True, "page": page, "known": st.session_state.get(known, ""), "most": TABS_KEPT}
    message = _mount(name, what, erased=erased, on_erased=on_erased, **data)
    if message:
        st.session_state[known] = message[:SEALED_LIMIT]
    return _opened(name, message)


def _mount(
    name: str, what: list[Any], *, erased: bool, on_erased: Callable[[], None] = ignore, **more: Any
) -> str:
    """The sealed texts sent by the browser, a line each."""
    data = {"place": name, "text": seal("kept", [name, what]) if what else "", "erased": erased, **more}
    mounted = component("keep", ())(
        key=f"keep-{name}", data=data, on_kept_change=ignore, on_erased_change=on_erased
    )
    return str(mounted.kept or "")


def _opened(name: str, message: str) -> list[list[Any]]:
    """The lists in sealed texts. Forged ones, and another name's, are left out."""
    results = []
    for line in message.split("\n", TABS_KEPT)[:TABS_KEPT]:
        match unseal("kept", line):
            case [str(at), list(result)] if at == name:
                results.append(result)
    return results
