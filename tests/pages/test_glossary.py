"""The glossary's page, through Streamlit's `AppTest`. Oracle: the terms themselves, listed in
`tokensteps/language/terms.py`."""

from __future__ import annotations

import re
from pathlib import Path

from streamlit.testing.v1 import AppTest

from tests.pages.pages import Page, run
from tokensteps.language.glossary import matches
from tokensteps.language.terms import SECTIONS, TERMS

GLOSSARY = Page("glossary", Path(__file__).resolve().parents[2] / "pages" / "learn" / "glossary.py", ())


def entries(app: AppTest) -> list[str]:
    """The terms on the page, in their order."""
    return [name for html in app.get("html") for name in re.findall(r'<dt id="term-(\w+)">', html.proto.body)]


def test_all_terms_stand_in_their_sections() -> None:
    app = run(GLOSSARY.start())
    assert [head.value for head in app.header] == [section.title for section in SECTIONS]
    assert entries(app) == [*TERMS]
    links = [link.proto for link in app.get("page_link")]
    shown = [(link.page, link.query_string) for link in links if link.label == "See it"]
    assert len(shown) == sum(bool(term.page) for term in TERMS.values())
    assert ("bpe", "corpus=course&step=2") in shown


def test_the_term_of_a_link_stands_first() -> None:
    app = run(GLOSSARY.start("term=tie"))
    assert entries(app) == ["tie", *TERMS]
    assert sum('class="ts entry wanted"' in html.proto.body for html in app.get("html")) == 1
    assert entries(run(GLOSSARY.start("term=%3Cb%3E"))) == [*TERMS]


def test_searching_leaves_the_matches() -> None:
    app = run(GLOSSARY.start("term=tie"))
    app.text_input[0].set_value("Viterbi")
    run(app)
    assert entries(app) == [name for name, term in TERMS.items() if matches(term, "viterbi")] != []
    app.text_input[0].set_value("<b>[x](y)")
    run(app)
    assert entries(app) == []
    assert app.text[0].value == "No entry contains “<b>[x](y)”. Try fewer letters, or another word."


def test_a_search_is_in_the_address() -> None:
    """A reload, Back and a link find it there; an emptied box leaves nothing."""
    app = run(GLOSSARY.start("find=Viterbi"))
    assert app.text_input[0].value == "Viterbi"
    assert entries(app) == [name for name, term in TERMS.items() if matches(term, "viterbi")]
    app.text_input[0].set_value("tie")
    run(app)
    assert app.query_params["find"] == "tie"
    app.text_input[0].set_value("")
    run(app)
    assert "find" not in app.query_params
    assert entries(app) == [*TERMS]
