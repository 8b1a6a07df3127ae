"""A page that outlives its server: the browser reconnects to a new session, which must find everything as it
was.

The browser's part of Streamlit gives such a session the address and the widgets' values as it knows them.
Pages read the address as they would read a link; this module restores what the address lacks.
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
"""Parameters that our scripts write into the address behind Streamlit's back: Streamlit only knows what
Python wrote last."""
OUTLIVED: Final = "reconnect.outlived"
"""In session state: whether the browser already had a page when the session began, and hasn't yet told us its
address."""


def catch_up() -> bool:
    """Call this at the top of every run. Returns whether the address has just been restored to what the
    browser had when it lost its server.

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
    """On every page: what the browser says, in the language in use, while it can't reach the server."""
    text = _("The server can't be reached. Your text and your step are kept; the page comes back by itself.")
    component("connection", ())(key="connection", data={"away": text})


def resume(page: str) -> None:
    """Go to the step in the address: in its first run, a page that steps through training was at another one.

    What that run wrote to the address may be lost. The page writes it again, but leaves a bare address bare.
    """
    if {*st.query_params} - TRAVELLING:
        resume_page()
    step = step_in_url()
    if step is not None:
        go_to(f"{page}.book", step)
        forget_game(page)
