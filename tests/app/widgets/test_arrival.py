"""How a visitor comes to a page (`tokensteps/widgets/arrival.py`), on pages without anything else; the
browser's part is in tests/browser."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tokensteps.runs.rules import BPE_RULES, PAGE_PARAMETERS, VIEWS


def page() -> None:
    """A page that shows the way of arrival, and takes the arrival as a stage would."""
    import streamlit as st

    from tokensteps.widgets.arrival import from_link, note_arrival, reads_address, take_arrival

    note_arrival(st.session_state["goes to"])
    known = (from_link(), reads_address(False), reads_address(True))
    st.session_state["arrivals"] = (*known, take_arrival(), take_arrival())


def arrival(app: AppTest, name: str, **parameters: str) -> tuple[object, ...]:
    """The page's text at the visitor's next arrival."""
    app.session_state["goes to"] = name
    app.query_params.clear()
    for parameter, value in parameters.items():
        app.query_params[parameter] = value
    app.run()
    assert not app.exception
    said: tuple[object, ...] = app.session_state["arrivals"]
    return said


def test_a_link_brings_settings_and_a_way_back_does_not() -> None:
    app = AppTest.from_function(page)
    assert arrival(app, "bpe", corpus="hug") == (False, False, True, "", "")  # the session's first page
    assert arrival(app, "bpe", corpus="course") == (False, False, True, "", "")  # the page's own address
    assert arrival(app, "errata") == (False, False, True, "return", "")
    assert arrival(app, "bpe", corpus="hug") == (True, True, True, "link", "")
    assert arrival(app, "errata") == (False, False, True, "return", "")
    assert arrival(app, "bpe") == (False, False, True, "return", "")


@pytest.mark.parametrize("name", sorted(PAGE_PARAMETERS))
def test_every_parameter_of_a_page_makes_an_address_a_link(name: str) -> None:
    for parameter in sorted(PAGE_PARAMETERS[name]):
        app = AppTest.from_function(page)
        arrival(app, "errata" if name != "errata" else "glossary")
        assert arrival(app, name, **{parameter: "x"})[0] is True, parameter


@pytest.mark.parametrize("parameter", ["step", "lang", "unheard_of"])
@pytest.mark.parametrize("name", ["bpe", "home", "playground", "challenge"])
def test_addresses_written_by_the_browser_are_no_links(name: str, parameter: str) -> None:
    app = AppTest.from_function(page)
    arrival(app, "errata")
    assert arrival(app, name, **{parameter: "3"})[:2] == (False, False)


def test_a_training_page_takes_every_setting_that_it_writes() -> None:
    assert {*(rule.name for rule in (*BPE_RULES, *VIEWS)), "corpus", "text", "id", "file"} == PAGE_PARAMETERS[
        "bpe"
    ]


def test_other_pages_parameters_are_forgotten() -> None:
    """Parameters from an overtaken run stay with the browser; the page's own parameters and unknown ones
    stay."""
    app = AppTest.from_function(page)
    arrival(app, "glossary")
    arrival(app, "glossary", corpus="course", step="7", term="pair", unheard_of="x")
    assert {*app.query_params} == {"term", "unheard_of"}
    arrival(app, "bpe")
    arrival(app, "bpe", corpus="course", step="7")
    assert {*app.query_params} == {"corpus", "step"}
