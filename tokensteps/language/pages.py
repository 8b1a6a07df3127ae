"""The pages of the app: each one's name, its script, and its path in the browser.

A page missing here is a KeyError at every link to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from tokensteps.language.i18n import N_, _
from tokensteps.language.names import ALGORITHM_NAMES


class Page(NamedTuple):
    """One page. `title` is to be translated."""

    name: str
    section: str
    """A key of `PAGE_SECTIONS`, and the folder of the page's script."""
    title: str
    own_path: str | None = None
    """Its path, if that isn't its name."""

    @property
    def script(self) -> str:
        """The file for Streamlit to run, relative to `app.py`."""
        return f"pages/{self.section}/{self.name}.py"

    @property
    def path(self) -> str:
        """The page's path in the browser's address: "" for the home page."""
        return self.name if self.own_path is None else self.own_path


PAGE_SECTIONS: Final[Mapping[str, str]] = {
    "learn": N_("Learn"),
    "train": N_("Train"),
    "explore": N_("Explore"),
}
"""The headings of the navigation, to be translated, in their order."""
PAGES: Final[Mapping[str, Page]] = {
    page.name: page
    for page in (
        Page("home", "learn", N_("Home"), ""),
        Page("matters", "learn", N_("Why it matters")),
        Page("exercises", "learn", N_("Exercises")),
        Page("challenge", "learn", N_("Challenge")),
        Page("errata", "learn", N_("Errata")),
        Page("glossary", "learn", N_("Glossary")),
        Page("teach", "learn", N_("For teachers")),
        Page("classroom", "learn", N_("Live class"), "class"),
        *(Page(name, "train", title) for name, title in ALGORITHM_NAMES.items()),
        Page("whatif", "train", N_("What if")),
        Page("playground", "explore", N_("Playground")),
        Page("compare", "explore", N_("Compare")),
        Page("pipeline", "explore", N_("Pipeline")),
        Page("renew", "explore", N_("Retrain")),
    )
}
"""Every page by its name, in the order of the navigation."""
PAGE_AT: Final[Mapping[str, str]] = {page.path: page.name for page in PAGES.values()}
"""Path → the name of its page."""


def pages_in(section: str) -> list[Page]:
    """The pages of one section, in their order."""
    return [page for page in PAGES.values() if page.section == section]


def tab_title(page: Page) -> str:
    """The title of the browser's tab on a page."""
    return f"{_(page.title)} · TokenSteps"
