"""The script for every page: see `assets/components/page.js`."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from tokensteps.components.address import in_links
from tokensteps.components.base import component
from tokensteps.language.glossary import definitions
from tokensteps.language.i18n import _, language_tag
from tokensteps.language.pages import PAGES, tab_title
from tokensteps.runs.rules import PAGE_PARAMETERS

ALWAYS_READ: Final = {"challenge": {"c"}, "glossary": {"term"}}
"""Parameters of pages without a run, besides settings: they are read each time."""


def page_script() -> None:
    """Start it: halves of UTF-16 pairs become U+FFFD as they are typed or pasted, Back never leads to a bare
    address, terms with a dotted line are explained, and the document names its language."""
    few = {
        PAGES[page].path: sorted(names | ALWAYS_READ.get(page, set()))
        for page, names in PAGE_PARAMETERS.items()
        if "corpus" not in names
    }
    titles = {page.path: tab_title(page) for page in PAGES.values()}
    component("page", ())(key="page_script", data={"language": language_tag(), "few": few, "titles": titles})
    href = f"{PAGES['glossary'].path}?{urlencode({**in_links(), 'term': ''})}"
    component("terms", ())(key="terms", data={"terms": definitions(), "more": _("Glossary"), "href": href})
