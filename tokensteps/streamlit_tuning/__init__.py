"""Optional patches: Streamlit gets faster, quieter, or surer on a slow device; the app is the same without.

Each patch is in a module of its own, with imports and checks of the patched names. If Streamlit isn't as a
patch expects, the patch is left out with a line in the log, and Streamlit does that part its own way.
TOKENSTEPS_PLAIN=1 leaves out all of them.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from importlib import import_module
from typing import Final

import streamlit as st

LOG: Final = logging.getLogger(__name__)
PATCHES: Final[Mapping[str, str]] = {
    "theme": "read_theme_once",
    "handover": "tell_together",
    "nested_fragments": "drop_nested_fragments",
    "mixed_updates": "run_all_that_changed",
    "old_values": "keep_what_the_page_has_set",
    "fragment_pages": "leave_other_pages_alone",
    "sending": "send_together",
    "small_parts": "send_at_once",
    "websockets": "write_together",
    "session_state": "show_state_by_need",
    "fragment_places": "copy_places_quickly",
}
"""Module → its patching function, in their order."""


def tune() -> list[str]:
    """Patch Streamlit for this process. Returns the modules left out because Streamlit has changed."""
    if os.environ.get("TOKENSTEPS_PLAIN") == "1":
        return []
    return [module for module, function in PATCHES.items() if not _patched(module, function)]


def _patched(module: str, function: str) -> bool:
    try:
        getattr(import_module(f"{__name__}.{module}"), function)()
    except (ImportError, AttributeError) as changed:
        LOG.warning("Streamlit %s: %s is switched off (%s).", st.__version__, function, changed)
        return False
    return True
