"""A text as chips beside its ids and details: mounts `assets/components/chips.js`. Which stretch of it
somebody chooses by a click on a chip is told by `assets/components/chosen.js`, which shows nothing.
`assets/components/aligned.js` has the chips of several tokenizers.

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
"""Is called with start and end, in characters."""


def linked_chips(data: bytes, key: str, on_why: OnChoice | None = None) -> None:
    """Show the chips. `data` comes from `tokensteps.drawing.chips.chips_message`; `key` names the component.

    `on_why` is called before the script reruns for a token that somebody asks about, where the labels have a
    "why".
    """
    wanted = ignore if on_why is None else hearing(key, "why", on_why)
    component("chips")(key=key, data=data, on_why_change=wanted)


def aligned(lines: Sequence[str], *, label: str, key: str) -> None:
    """Show several tokenizers on one text: lines of markup, in which all text is escaped. `label` is plain
    text, which names the box to screen readers."""
    message = json.dumps({"label": label, "lines": list(lines)}, separators=(",", ":"))
    component("aligned")(key=key, data=message.encode())


def chosen_stretch(key: str, on_choice: OnChoice, show: int = 0) -> None:
    """Call `on_choice` before the script reruns for a chip that was clicked.

    `show` brings the tab that this is in into sight, once for each new number but 0.
    """
    data = json.dumps({"show": show}).encode()
    component("chosen", ("page/style.css",))(
        key=key, data=data, on_stretch_change=hearing(key, "stretch", on_choice)
    )


def hearing(key: str, name: str, on_choice: OnChoice) -> Callable[[], None]:
    """What passes on a stretch of text that the component with this key tells under `name`."""

    def hear() -> None:
        result = st.session_state.get(key)
        match result.get(name) if isinstance(result, Mapping) else None:
            case [int(start), int(end), int()] if 0 <= start <= end:
                on_choice(start, end)

    return hear
