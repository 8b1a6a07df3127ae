"""A text as chips beside its ids and details: mounts `assets/components/chips.js`.

A page goes:

    runs = [TextRun("to", 0, 2, (Piece(7, "to", b"to", 0, 2, False, False),)), ...]
    data = chips_message(runs, Shown(), {7: "<p>…</p>"}, labels, page="gpt2-en")
    linked_chips(data, KEY)
"""

from __future__ import annotations

from tokensteps.components.base import component, ignore
from tokensteps.components.chosen import OnChoice, hearing


def linked_chips(data: bytes, key: str, on_why: OnChoice | None = None) -> None:
    """Show the chips. `data` comes from `tokensteps.drawing.chips.chips_message`; `key` names the component.

    `on_why` is called before the script reruns for a token that somebody asks about, where the labels have a "why".
    """
    asked = ignore if on_why is None else hearing(key, "why", on_why)
    component("chips")(key=key, data=data, on_why_change=asked)
