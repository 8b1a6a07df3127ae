"""The script that every page needs: see `assets/components/page.js`."""

from __future__ import annotations

from urllib.parse import urlencode

from tokensteps.components.address import in_links
from tokensteps.components.base import component
from tokensteps.language.glossary import definitions
from tokensteps.language.i18n import _, language_tag
from tokensteps.language.pages import PAGES


def page_script() -> None:
    """Start it: halves of UTF-16 pairs become U+FFFD as they are typed or pasted, Back never leads to a bare address, terms with a
    dotted line are explained, and the document names its language."""
    component("page", ())(key="page_script", data={"language": language_tag()})
    href = f"{PAGES['glossary'].path}?{urlencode({**in_links(), 'term': ''})}"
    component("terms", ())(key="terms", data={"terms": definitions(), "more": _("Glossary"), "href": href})
