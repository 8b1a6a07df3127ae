"""A page that outlives its server: the browser connects again, to a session that has just begun, and has all that was there.

Such a session is given the address and what the widgets hold, as the browser's part of Streamlit knows them. Pages take
themselves out of the address, as from a link; here is what the address lacks.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qsl

import streamlit as st

from tokensteps.components.address import step_in_url, update_url
from tokensteps.components.base import component, ignore
from tokensteps.components.flipbook import go_to
from tokensteps.streamlit_internals import page_outlived_session
from tokensteps.widgets.arrival import resume_page
from tokensteps.widgets.predict import forget_game

WRITTEN: Final = ("step", "lang")
"""Parameters that scripts of ours write into the address, past Streamlit, which tells what Python wrote last."""
OUTLIVED: Final = "reconnect.outlived"
"""In session state: whether the browser had a page already when the session began, and hasn't said yet what its address was."""


def catch_up() -> bool:
    """At the top of every run. Whether the address has just been put right, as the browser had it when it lost its server.

    That may be in a second run: where a part of the page was at work last, Streamlit asks for a first one by itself.
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


def resume(page: str) -> None:
    """Go to the address's step, where a page that steps through training was at another one in the first run.

    What that one has written to the address may be lost: the page writes it again, but leaves a bare address bare.
    """
    if {*st.query_params} - {"lang"}:
        resume_page()
    step = step_in_url()
    if step is not None:
        go_to(f"{page}.book", step)
        forget_game(page)
