"""A page that outlives its server: the browser reconnects, and the new session must find everything as it
was.

Streamlit's script in the browser gives such a session its address and the widgets' values. Pages read the
address like a link; this module restores the missing parts of the address.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qsl

import streamlit as st

from tokensteps.components.address import TRAVELLING, step_in_url, update_url
from tokensteps.components.base import component, ignore
from tokensteps.components.flipbook import go_to
from tokensteps.language.i18n import _
from tokensteps.streamlit_internals import page_outlived_session
from tokensteps.widgets.arrival import resume_page
from tokensteps.widgets.predict import forget_game

WRITTEN: Final = ("step", "lang")
"""Parameters written into the address by our scripts, behind Streamlit's back: Streamlit only knows Python's
last values."""
OUTLIVED: Final = "reconnect.outlived"
"""In session state: whether the browser already had a page when the session began, and its address is still
unknown."""


def catch_up() -> bool:
    """Call this at the top of every run. Returns whether the address has just been restored to the browser's
    before the connection was lost.

    That may happen in the second run: if a fragment ran last, Streamlit starts a first run by itself.
    """
    state = st.session_state
    if OUTLIVED not in state:
        state[OUTLIVED] = page_outlived_session()
    left = component("again", ())(key="again", on_address_change=ignore).address
    if left is None or not state[OUTLIVED]:
        return False
    state[OUTLIVED] = False
    there = dict(parse_qsl(str(left).removeprefix("?")))
    update_url({name: there[name] for name in WRITTEN if name in there})
    return True


def connection_strip() -> None:
    """On every page: the browser's message, in the language in use, while it can't reach the server."""
    text = _("The server can't be reached. Your text and your step are kept; the page comes back by itself.")
    component("connection", ())(key="connection", data={"away": text})


def resume(page: str) -> None:
    """Go to the step in the address: in its first run, a training page was at another one.

    That run's changes of the address may be lost. The page repeats them, but leaves a bare address bare. A
    stage still in the browser stays at its step, which may be a newer one.
    """
    if {*st.query_params} - TRAVELLING:
        resume_page()
    step = step_in_url()
    if step is not None:
        go_to(f"{page}.book", step, move=False)
        forget_game(page)
