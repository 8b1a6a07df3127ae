"""Which stretch of the playground's text somebody chooses by a click on a chip: mounts `assets/components/chosen.js`, which shows nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import streamlit as st

from tokensteps.components.base import component

OnChoice = Callable[[int, int], None]
"""Is called with start and end, in characters."""


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
