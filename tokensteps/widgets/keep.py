"""State of a session that its browser keeps as well, so that it survives a reload and a restart of the server.

It is sealed: the browser can give it back, or lose it, but not change it.
"""

from __future__ import annotations

from typing import Any

from tokensteps.components.base import component, ignore
from tokensteps.server.seal import seal, unseal


def kept(place: str, what: list[Any], *, lasting: bool = False, erased: bool = False) -> list[Any]:
    """Have the browser keep `what`, which JSON must be able to hold. If it is empty, return what this tab kept at `place` before, once it
    says so.

    What is `lasting` is kept for every tab, and after the last one is closed, until it is `erased`.
    """
    text = seal("kept", [place, what]) if what else ""
    data = {"place": place, "text": text, "lasting": lasting, "erased": erased}
    told = component("keep", ())(key=f"keep-{place}", data=data, on_kept_change=ignore).kept
    match unseal("kept", str(told)):
        case [str(at), list(found)] if at == place and (lasting or not what):
            return found
    return []
