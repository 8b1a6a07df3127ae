"""The page's address in the browser: reading it, writing it, and making links.

The address is the truth when a session begins, when a link brings settings, and after Back or Forward.
Otherwise session state is, and pages write its differences from the usual to the address.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

import streamlit as st

from tokensteps.language.i18n import current_language
from tokensteps.language.numbers import read_whole
from tokensteps.streamlit_internals import is_history_navigation

CHOSEN_LANGUAGE: Final = "language.chosen"
"""The key of the chosen language in session state, "" for none."""
_STEP_IS_DUE: Final = "address.step_is_due"
TRAVELLING: Final = frozenset({"lang", "walk", "class"})
"""Parameters carried along from page to page: they are no settings of a page, and an address with nothing
else is bare."""


def is_back() -> bool:
    """Whether this run of the script comes from the browser's Back or Forward: then the address is the
    truth."""
    return is_history_navigation()


def note_travel(came: bool) -> None:
    """Once at the top of each run, `came` from another page or not: after Back or Forward the step in the
    address counts until the end of a run, even if another run overtakes this one."""
    if came or is_back():
        st.session_state[_STEP_IS_DUE] = is_back()


def step_is_due() -> bool:
    """Whether a stage has yet to go to the step in the address."""
    return is_back() or bool(st.session_state.get(_STEP_IS_DUE))


def step_is_taken() -> None:
    """Once at the end of each run."""
    st.session_state.pop(_STEP_IS_DUE, None)


def update_url(values: Mapping[str, str | None]) -> None:
    """Write parameters to the URL, None removing one, in a single change: each is an entry in the browser's
    history."""
    now = st.query_params.to_dict()
    wanted = {name: value for name, value in {**now, **values}.items() if value is not None}
    if wanted != now:
        # Right after a switch of pages, the browser may have taken the language along without Python's
        # knowing.
        if chosen := st.session_state.get(CHOSEN_LANGUAGE):
            wanted["lang"] = chosen
        st.query_params.from_dict(wanted)


def write_linked_url() -> None:
    """Write the parameters of a link from the page to itself, which Streamlit follows without the browser's
    address."""
    st.query_params.from_dict(st.query_params.to_dict())


def step_in_url(param: str = "step") -> int | None:
    """The step in the URL; None without one."""
    return read_whole(st.query_params.get(param))


def excerpt_in_url() -> tuple[int, int] | None:
    """The first and the last step of an embedded page (`?embed=true&steps=3..9`); None for all."""
    return read_excerpt(st.query_params.get("steps")) if st.context.is_embedded else None


def read_excerpt(text: str | None) -> tuple[int, int] | None:
    """Read the steps of an excerpt from a URL parameter; anything else counts as absent.

    >>> read_excerpt("3..9"), read_excerpt("9..3"), read_excerpt("3"), read_excerpt(None)
    ((3, 9), None, None, None)
    """
    first, last = map(read_whole, (text or "").partition("..")[::2])
    return None if first is None or last is None or first > last else (first, last)


def in_links() -> dict[str, str]:
    """A link's parameter for the language: none if it is English and nobody chose another."""
    language = current_language()
    chosen = st.session_state.get(CHOSEN_LANGUAGE)
    return {"lang": language} if chosen or language != "en" else {}


def app_address() -> str:
    """The address of the app, without a slash at its end."""
    return (st.context.url or "").split("?")[0].rpartition("/")[0]


def page_address(values: Mapping[str, str | None], step: int | None = None) -> str:
    """The address of this page with these parameters (None leaves one out), at this step."""
    base = (st.context.url or "").split("?")[0]
    query = {**values, **in_links(), "step": None if step is None else str(step)}
    return f"{base}?{urlencode({name: value for name, value in query.items() if value is not None})}"
