"""State of a session, kept by its browser as well, so that it survives a reload and a restart of the server.

It is sealed: the browser can give it back, or lose it, but not change it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from tokensteps.components.base import component, ignore
from tokensteps.server.seal import seal, unseal


def synced(
    name: str,
    what: list[Any],
    *,
    lasting: bool = False,
    page: str = "",
    erased: bool = False,
    on_erased: Callable[[], None] = ignore,
) -> list[Any]:
    """Have the browser keep `what`, a list fit for JSON. If it is empty, return this tab's earlier list under
    `name`, once the browser has sent it.

    A `lasting` list is kept for every tab, and after the last one is closed, until it is `erased`;
    `on_erased` is called when another tab has erased it. Another tab's list is returned beside `what`, and
    overwritten only after that; with the `page`, the browser hands it over again after a change of page, with
    which its message may be lost.
    """
    text = seal("kept", [name, what]) if what else ""
    merged = st.session_state.get(f"keep-{name}.merged", "")
    data = {"place": name, "text": text, "lasting": lasting, "erased": erased, "merged": merged, "page": page}
    message = component("keep", ())(
        key=f"keep-{name}",
        data=data,
        on_kept_change=partial(_note_merged, name) if lasting else ignore,
        on_erased_change=on_erased,
    ).kept
    match unseal("kept", str(message)):
        case [str(at), list(result)] if at == name and (lasting or not what):
            return result
    return []


def _note_merged(name: str) -> None:
    """Another tab's text has come: this run returns it, and tells the browser so. (After a change of page, it
    may have been for the page before, and is no longer there.)"""
    if text := (st.session_state.get(f"keep-{name}") or {}).get("kept"):
        st.session_state[f"keep-{name}.merged"] = str(text)
