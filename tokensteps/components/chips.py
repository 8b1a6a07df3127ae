"""A text as chips beside its ids and details: mounts `assets/components/chips.js`.

A page goes:

    runs = [TextRun("to", 0, 2, (Piece(7, "to", b"to", 0, 2, False, False),)), ...]
    data = chips_message(runs, Shown(), {7: "<p>…</p>"}, labels, page="gpt2-en")
    linked_chips(data, key=KEY)
"""

from __future__ import annotations

from tokensteps.components.base import component


def linked_chips(data: bytes, *, key: str) -> None:
    """Show the chips. `data` comes from `tokensteps.drawing.chips.chips_message`; `key` names the component."""
    component("chips")(key=key, data=data)
