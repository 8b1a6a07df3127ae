"""What the whole page needs of the browser, whatever it shows: see assets/components/page.js."""

from __future__ import annotations

from urllib.parse import urlencode

from tokensteps.components.address import in_links
from tokensteps.components.base import component
from tokensteps.language.glossary import definitions
from tokensteps.language.i18n import _, language_tag
from tokensteps.language.pages import PAGES


def page_script() -> None:
    """From here on, halves of UTF-16 pairs become U+FFFD as they are typed or pasted, Back leads to no bare address, and
    marked terms are explained; the document says its language."""
    component("page", ())(key="page_script", data={"language": language_tag()})
    href = f"{PAGES['glossary'].path}?{urlencode({**in_links(), 'term': ''})}"
    component("terms", ())(key="terms", data={"terms": definitions(), "more": _("Glossary"), "href": href})
