"""A flipbook's step (`position` in `tokensteps/components/flipbook.py`), on a page with nothing else. Oracle:
the steps, by hand."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


def page() -> None:
    """A page with a run of twelve steps that notes its step."""
    import streamlit as st

    from tokensteps.components.flipbook import go_to, position

    if "asked" in st.session_state:
        go_to("book", st.session_state["asked"], move="stays" not in st.session_state)
    excerpt = st.session_state["excerpt"]
    st.session_state["step"], st.session_state["seek"] = position("book", run="run", last=12, excerpt=excerpt)


@pytest.mark.parametrize(
    ("excerpt", "step", "shown"),
    [
        ((6, 8), None, 6),
        ((6, 8), "2", 6),
        ((6, 8), "7", 7),
        ((6, 8), "11", 8),
        ((6, 8), "x", 6),
        ((10, 90), "99", 12),
        ((50, 60), "3", 12),
        (None, "2", 2),
        (None, "99", 12),
    ],
)
def test_a_link_into_an_excerpt_stays_within_it(
    excerpt: tuple[int, int] | None, step: str | None, shown: int
) -> None:
    app = AppTest.from_function(page)
    app.session_state["excerpt"] = excerpt
    if step is not None:
        app.query_params["step"] = step
    app.run()
    assert not app.exception and app.session_state["step"] == shown
    for wanted in (0, 7, 12):  # a button to another page
        app.session_state["asked"] = wanted
        app.run()
        first, last = excerpt or (0, 12)
        assert app.session_state["step"] == min(max(wanted, first), last, 12)


def test_a_stage_in_the_browser_stays_at_its_step() -> None:
    """As in the second run of a session that a lost one's page begins: a new number would move the stage."""
    app = AppTest.from_function(page)
    app.session_state["excerpt"] = None
    app.run()
    assert app.session_state["seek"] == (0, 1)
    app.session_state["asked"], app.session_state["stays"] = 5, True
    app.run()
    assert app.session_state["step"] == 5 and app.session_state["seek"] == (5, 1)


def overtaken() -> None:
    """A page that another run overtakes before its stage."""
    import streamlit as st

    from tokensteps.components.address import note_travel, step_is_taken
    from tokensteps.components.flipbook import position

    note_travel(False)
    if not st.session_state["overtaken"]:
        st.session_state["step"] = position("book", run=st.session_state["run"], last=12).step
        step_is_taken()


def test_the_step_of_an_address_outlives_an_overtaken_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = AppTest.from_function(overtaken)
    for back, cut_short, run, step in (
        (False, False, "a", 0),
        (True, True, "b", 0),
        (False, False, "b", 7),
        (False, False, "c", 0),
    ):
        monkeypatch.setattr("tokensteps.components.address.is_history_navigation", lambda is_it=back: is_it)
        app.session_state["overtaken"], app.session_state["run"] = cut_short, run
        if back:
            app.query_params["step"] = "7"
        app.run()
        assert not app.exception and app.session_state["step"] == step
