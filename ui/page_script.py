"""What the whole page needs of the browser, whatever it shows: see assets/page.js."""

from __future__ import annotations

from ui.components import component
from ui.glossary import definitions
from ui.i18n import _, current_language


def page_script() -> None:
    """From here on, halves of UTF-16 pairs become U+FFFD as they are typed or pasted, Back leads to no bare address, and
    marked terms are explained."""
    component("page", ())(key="page_script")
    language = current_language()
    href = "glossary?term=" if language == "en" else f"glossary?lang={language}&term="
    component("terms", ())(key="terms", data={"terms": definitions(), "more": _("Glossary"), "href": href})
