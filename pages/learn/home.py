"""Home: what this is, and where to begin."""

import streamlit as st

from ui.i18n import _
from ui.tokens import Style, fill

BYTE_LEVEL = Style(byte_level=True)

st.title("TokenSteps")
st.html(
    '<div class="ts"><p class="lead">'
    + fill(
        _("See how subword tokenizers are trained, one step at a time, on any text, with the true numbers.")
    )
    + "</p></div>"
)
