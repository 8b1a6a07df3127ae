"""Which stretch of the playground's text somebody chooses by a click on a chip: mounts `assets/components/chosen.js`, which shows nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from tokensteps.components.base import component


def chosen_stretch(key: str, on_choice: Callable[[int, int], None]) -> None:
    """Call `on_choice` with start and end, in characters, before the script reruns for a chip that was clicked."""

    def hear() -> None:
        result = st.session_state.get(key)
        match result.get("stretch") if isinstance(result, Mapping) else None:
            case [int(start), int(end), int()] if 0 <= start <= end:
                on_choice(start, end)

    component("chosen", ("page/style.css",))(key=key, data=b"{}", on_stretch_change=hear)
