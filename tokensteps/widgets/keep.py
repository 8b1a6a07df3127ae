"""State of a session, kept by its browser as well, so that it survives a reload and a restart of the server.

It is sealed: the browser can give it back, or lose it, but not change it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tokensteps.components.base import component, ignore
from tokensteps.server.seal import seal, unseal


def synced(
    name: str,
    what: list[Any],
    *,
    lasting: bool = False,
    erased: bool = False,
    on_erased: Callable[[], None] = ignore,
) -> list[Any]:
    """Have the browser keep `what`, a list fit for JSON. If it is empty, return this tab's earlier list under
    `name`, once the browser has sent it.

    A `lasting` list is kept for every tab, and after the last one is closed, until it is `erased`;
    `on_erased` is called when another tab has erased it.
    """
    text = seal("kept", [name, what]) if what else ""
    data = {"place": name, "text": text, "lasting": lasting, "erased": erased}
    message = component("keep", ())(
        key=f"keep-{name}", data=data, on_kept_change=ignore, on_erased_change=on_erased
    ).kept
    match unseal("kept", str(message)):
        case [str(at), list(result)] if at == name and (lasting or not what):
            return result
    return []
