"""A text as chips beside its ids and details: mounts `assets/components/chips.js`. The invisible
`assets/components/chosen.js` reports the stretch of text under a clicked chip. `assets/components/aligned.js`
has the chips of several tokenizers.

A page goes:

    runs = [TextRun("to", 0, 2, (Piece(7, "to", b"to", 0, 2, False, False),)), ...]
    data = chips_message(runs, Shown(), {7: "<p>…</p>"}, labels, page="gpt2-en")
    linked_chips(data, KEY)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from tokensteps.components.base import component, ignore

OnChoice = Callable[[int, int], None]
"""Called with start and end, in characters."""


def linked_chips(data: bytes, key: str, on_why: OnChoice | None = None) -> None:
    """Show the chips. `data` comes from `tokensteps.drawing.chips.chips_message`; `key` names the component.

    `on_why` is called before the script reruns, for a token with a pressed “why”, if the labels have a "why".
    """
    wanted = ignore if on_why is None else chip_callback(key, "why", on_why)
    component("chips")(key=key, data=data, on_why_change=wanted)


def aligned(lines: Sequence[str], *, label: str, key: str) -> None:
    """Show several tokenizers on one text: lines of markup with all text escaped. `label` is plain text, the
    name of the box for screen readers."""
    message = json.dumps({"label": label, "lines": list(lines)}, separators=(",", ":"))
    component("aligned")(key=key, data=message.encode())


def chosen_stretch(key: str, on_choice: OnChoice, show: int = 0) -> None:
    """Call `on_choice` before the script reruns, for a clicked chip.

    `show` brings the component's tab into sight, once for each new number but 0.
    """
    data = json.dumps({"show": show}).encode()
    component("chosen", ("page/style.css",))(
        key=key, data=data, on_stretch_change=chip_callback(key, "stretch", on_choice)
    )


def chip_callback(key: str, name: str, on_choice: OnChoice) -> Callable[[], None]:
    """A callback for passing on the stretch of text under `name` in this component's value."""

    def on_change() -> None:
        result = st.session_state.get(key)
        match result.get(name) if isinstance(result, Mapping) else None:
            case [int(start), int(end), int()] if 0 <= start <= end:
                on_choice(start, end)

    return on_change
