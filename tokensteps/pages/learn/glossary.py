"""The meanings of the technical words, each with a page as an example."""

from typing import Final

import streamlit as st

from tokensteps.components.address import update_url
from tokensteps.language.glossary import entry_html, matches
from tokensteps.language.i18n import _
from tokensteps.language.terms import SECTIONS, TERMS, Term
from tokensteps.limits import FIND_LIMIT
from tokensteps.runs.corpora import plain_text
from tokensteps.shell.navigation import page_link
from tokensteps.widgets.arrival import reads_address
from tokensteps.widgets.boxes import text_box
from tokensteps.widgets.tour import titled

BOX: Final = "glossary.find"
"""The key of the box to search in."""


def show_entry(term: Term, wanted: bool = False) -> None:
    """One entry, and a link to a page as an example."""
    with st.container(
        horizontal=True, vertical_alignment="center", gap="medium", key=f"term.{term.id}{'.wanted' * wanted}"
    ):
        st.html(entry_html(term, wanted))
        if term.page:
            page_link(term.page, _("See it"), term.query)


def search() -> str:
    """The box, and the text in it: also in the address, for a reload, Back and a link."""
    if reads_address(BOX not in st.session_state):
        st.session_state[BOX] = plain_text(st.query_params.get("find", ""))
    text = text_box(_("Find"), FIND_LIMIT, key=BOX, placeholder=_("tie"), width=360) or ""
    update_url({"find": text or None})
    return text


def show() -> None:
    """The whole page."""
    titled("glossary", _("Glossary"))
    lead = _(
        "The field's terms in plain words. On the other pages, point at a word with a dotted underline to see what it means."
    )
    st.caption(lead)
    find = search()
    wanted = TERMS.get(st.query_params.get("term", ""))
    if wanted is not None and not find:
        show_entry(wanted, wanted=True)
    result = 0
    for section in SECTIONS:
        terms = [term for term in section.terms if matches(term, find)]
        result += len(terms)
        if terms:
            st.header(_(section.title), anchor=False)
            with st.container(gap=None, key=f"glossary.{SECTIONS.index(section)}"):
                for term in terms:
                    show_entry(term)
    if not result:
        st.text(_("No entry contains “{text}”. Try fewer letters, or another word.").format(text=find))
