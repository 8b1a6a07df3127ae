"""State of a session that its browser keeps as well, so that it survives a reload and a restart of the
server.

It is sealed: the browser can give it back, or lose it, but not change it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tokensteps.components.base import component, ignore
from tokensteps.server.seal import seal, unseal


def kept(
    place: str,
    what: list[Any],
    *,
    lasting: bool = False,
    erased: bool = False,
    on_erased: Callable[[], None] = ignore,
) -> list[Any]:
    """Have the browser keep `what`, which JSON must be able to hold. If it is empty, return what this tab
    kept at `place` before, once it says so.

    What is `lasting` is kept for every tab, and after the last one is closed, until it is `erased`;
    `on_erased` is called when another tab has done so.
    """
    text = seal("kept", [place, what]) if what else ""
    data = {"place": place, "text": text, "lasting": lasting, "erased": erased}
    message = component("keep", ())(
        key=f"keep-{place}", data=data, on_kept_change=ignore, on_erased_change=on_erased
    ).kept
    match unseal("kept", str(message)):
        case [str(at), list(result)] if at == place and (lasting or not what):
            return result
    return []
