"""What only a session knows, kept by its tab of the browser, too: it outlives a reload, and the server.

It is sealed: the browser can give it back, or lose it, but not change it.
"""

from __future__ import annotations

from typing import Any

from tokensteps.components.base import component, ignore
from tokensteps.server.seal import seal, unseal


def kept(place: str, what: list[Any]) -> list[Any]:
    """Have the browser keep `what`, which JSON can hold; if that is empty, what this tab kept at `place` before, when it says so."""
    text = seal("kept", [place, what]) if what else ""
    data = {"place": place, "text": text}
    told = component("keep", ())(key=f"keep-{place}", data=data, on_kept_change=ignore).kept
    match unseal("kept", str(told)):
        case [str(at), list(found)] if at == place and not what:
            return found
    return []
