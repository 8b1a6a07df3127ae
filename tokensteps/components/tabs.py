"""The bar of tabs above the open one's body: mounts `assets/components/tabs.js`; `assets/page/tabs.css` has
the look."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Final

import streamlit as st

from tokensteps.components.base import component
from tokensteps.language.i18n import _
from tokensteps.streamlit_internals import held_by_browser

TABS_IN_SIGHT: Final = 4


def tab_bar(
    key: str, names: Mapping[str, str], shown: str, panel: str, on_open: Callable[[str], None]
) -> None:
    """Show the tabs: `names` has each one's displayed name, by its name in the browser's messages. The first
    few are in sight, the others under “More”. The body of the tab `shown` goes into the element with the
    class `panel`.

    `on_open` gets the name of a newly opened tab, before the script reruns.
    """
    _name, turn = reported_tab(key)
    front = len(names) if len(names) == TABS_IN_SIGHT + 1 else TABS_IN_SIGHT  # “More” takes the room of one
    message = {
        "names": [*names.items()],
        "front": front,
        "more": _("More"),
        "shown": shown,
        "turn": turn,
        "panel": panel,
    }

    def on_change() -> None:
        name, _turn = reported_tab(key)
        if name in names:
            on_open(name)

    data = json.dumps(message, separators=(",", ":")).encode()
    component("tabs", (), isolated=False)(key=key, data=data, on_open_change=on_change)


def reported_tab(key: str) -> tuple[str, int]:
    """The last tab opened in the browser, and the number of openings so far; also after the bar's session is
    gone. The browser may send anything: the name need not be one of a tab."""
    result = st.session_state.get(key) or held_by_browser(key)
    match result.get("open") if isinstance(result, Mapping) else None:
        case [str(name), int(turn)]:
            return name, turn
    return "", 0
