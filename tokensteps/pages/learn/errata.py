"""Errors in published walk-throughs, each with the figures, the arithmetic, and a link to the step as
proof."""

import streamlit as st

from tokensteps.language.i18n import _, current_language
from tokensteps.language.marks import lead_html
from tokensteps.runs.algorithms import ALGORITHMS
from tokensteps.server.shared_cache import remembered
from tokensteps.shell.navigation import page_link
from tokensteps.teaching.errata import errata, erratum_html
from tokensteps.widgets.tour import titled


def show() -> None:
    """The whole page."""
    titled("errata", _("Errata"))
    lead = _(
        "The best-known texts on training tokenizers have wrong figures in their worked examples. Here "
        "is what the engine computes from the same words, and why. Each link opens the step."
    )
    st.html(lead_html(lead))
    for one in remembered(("errata", current_language()), errata):
        with st.container(border=True):
            st.html(erratum_html(one))
            label = _("Open the step: {algorithm}").format(algorithm=ALGORITHMS[one.page].title)
            page_link(one.page, label, one.query)
