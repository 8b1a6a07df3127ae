"""The visitor's way to the running page: the one place that knows it, and decides when a page reads its
address.

A page reads its settings from the address when its session begins, when a link within the app brings some,
and after Back or Forward. Otherwise session state is the truth, and the page writes its differences from the
usual to the address.
"""

from __future__ import annotations

from typing import Final

import streamlit as st

from tokensteps.components.address import is_back, note_travel
from tokensteps.runs.rules import PAGE_PARAMETERS

_ARRIVAL: Final = "arrival"
"""In session state: "link", "return", or "" without a change of page."""

_OWN: Final = {
    page: names | ({"step"} if page == "whatif" or "corpus" in names else set())
    for page, names in PAGE_PARAMETERS.items()
}
"""Page → its parameters, with the step on a page with a stage."""
_ANYBODYS: Final = frozenset[str]().union(*_OWN.values())


def note_arrival(page: str, led: bool = False) -> None:
    """Once at the top of each run: note the visitor's way to the page with this name.

    From another page, a link may bring settings; without any, the page resumes its last state. A plan or the
    path may have `led` from one place on a page to another.
    """
    state = st.session_state
    came = led or state.get("page") not in (None, page)
    note_travel(came)
    linked = PAGE_PARAMETERS[page] & {*st.query_params}
    state[_ARRIVAL] = ("link" if linked else "return") if came else ""
    if state.get("page") == page:
        _drop_parameters_of_others(page)
    else:
        for name in ("tab", "tab.open"):  # see `show_tabs`
            state.pop(f"{state.get('page')}.{name}", None)
    state["page"] = page


def _drop_parameters_of_others(page: str) -> None:
    """Forget other pages' parameters. A run overtaken by a click may have written the address of the former
    page: the browser has then put its own address right (page.js), but still sends those parameters along."""
    query = st.query_params.to_dict()
    remaining = {name: value for name, value in query.items() if name in _OWN[page] or name not in _ANYBODYS}
    if remaining != query:
        st.query_params.from_dict(remaining)


def resume_page() -> None:
    """Have the page resume its last state, and write its address again."""
    st.session_state[_ARRIVAL] = "return"


def from_link() -> bool:
    """Whether a link from another page of the app brought settings."""
    return bool(st.session_state.get(_ARRIVAL) == "link")


def returned() -> bool:
    """Whether the visitor comes from another page, by a way without settings."""
    return bool(st.session_state.get(_ARRIVAL) == "return") and not is_back()


def reads_address(first: bool) -> bool:
    """Whether the page is to read its settings from the address; `first` means that it has none yet."""
    return first or from_link() or is_back()


def take_arrival() -> str:
    """The visitor's way here, returned once: a fragment's own rerun is no new arrival."""
    arrival: str = st.session_state.pop(_ARRIVAL, "")
    return arrival
