"""Streamlit's own words on pages, always in English: `assets/components/words.js` replaces them with
translations.

Streamlit has no parameter for these words. They are listed as in Streamlit 1.67; a word changed by another
version stays in English, and `tests/browser/test_streamlit_words.py` reports it.
"""

from __future__ import annotations

from typing import Final

from tokensteps.components.base import component
from tokensteps.language.i18n import N_, _, current_language

SPOKEN: Final = (
    N_("Sidebar"),
    N_("Navigate to home page"),
    N_("Logo"),
    N_("Collapse sidebar"),
    N_("Expand sidebar"),
    N_("App pages"),
    N_("Choose an option"),
    N_("Choose or add an option"),
    N_("Open"),
    N_("Clear value"),
    N_("Increment"),
    N_("Decrement"),
    N_("Show/hide columns"),
    N_("Search"),
    N_("Close Search"),
    N_("Previous Result"),
    N_("Next Result"),
    N_("Fullscreen"),
    N_("Close fullscreen"),
    N_("Copy column name"),
    N_("Copy to clipboard"),
    N_("Copied"),
    N_("file upload"),
    N_("Add files"),
    N_("Remove {name}"),
    N_("progress"),
    N_("Running..."),
    N_("Download plot as a PNG"),
    N_("Zoom"),
    N_("Pan"),
    N_("Zoom in"),
    N_("Zoom out"),
    N_("Autoscale"),
    N_("Reset axes"),
    N_("Pagination"),
    N_("Page {number}"),
    N_("Previous page"),
    N_("Next page"),
)
"""Words in attributes: texts for screen readers, and tooltips made from them."""
SHOWN: Final = (
    N_("Skip to main content"),
    N_("No results"),
    N_("Press Enter to apply"),
    N_("Press {key}+Enter to apply"),
    N_("Press Enter to submit form"),
    N_("Press {key}+Enter to submit form"),
    N_("Upload"),
    N_("Drag and drop a file here"),
    N_("Drag and drop files here"),
    N_("{size} per file"),
    N_("Error:"),
    N_("{type} files are not allowed."),
    N_("File must be {size} or smaller."),
    N_("Sort ascending"),
    N_("Sort descending"),
    N_("Statistics"),
    N_("Format"),
    N_("Autosize"),
    N_("Pin column"),
    N_("Unpin column"),
    N_("Hide column"),
)
"""Words in text."""


def streamlit_words() -> None:
    """Start the translation into the language in use. Call this before the page runs: that may take a
    while."""
    words: dict[str, str] = {}
    if current_language() != "en":
        words = {english: _(english) for english in (*SPOKEN, *SHOWN)}
    component("words", ())(key="words", data={"words": words})
