"""The pages of the app (`tokensteps/language/pages.py`): one list, against the files, the translations and
the navigation."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tokensteps.language.i18n import LANGUAGES, _, use_language
from tokensteps.language.pages import PAGE_SECTIONS, PAGES, Page, pages_in
from tokensteps.runs.algorithms import ALGORITHMS
from tokensteps.runs.rules import PAGE_PARAMETERS

ROOT = Path(__file__).resolve().parents[3]


def test_every_script_is_a_page_and_every_page_a_script() -> None:
    scripts = {str(path.relative_to(ROOT)) for path in (ROOT / "pages").rglob("*.py")}
    assert {page.script for page in PAGES.values()} == scripts


def test_every_page_has_its_section_its_words_and_its_parameters() -> None:
    assert {page.section for page in PAGES.values()} == {*PAGE_SECTIONS}
    assert [page for section in PAGE_SECTIONS for page in pages_in(section)] == [*PAGES.values()]
    assert {*PAGES} == {*PAGE_PARAMETERS}
    assert {page.name for page in pages_in("train")} == {*ALGORITHMS, "whatif"}
    names = {algorithm.title for algorithm in ALGORITHMS.values()}
    try:
        for language in {*LANGUAGES} - {"en"}:
            use_language(language)
            for words in (*PAGE_SECTIONS.values(), *(page.title for page in PAGES.values())):
                assert words in names or _(words) != words, (language, words)
    finally:
        use_language("en")


def test_every_page_has_a_path_of_its_own() -> None:
    paths = [page.path for page in PAGES.values()]
    assert len({*paths}) == len(paths) and paths.count("") == 1


@pytest.mark.parametrize("page", PAGES.values(), ids=lambda page: page.name)
def test_the_navigation_leads_to_every_page(page: Page) -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300)
    if page.path not in ("", page.name):
        app.run()  # only then does it know where the page is
    app.switch_page(page.script)
    app.run()
    assert not app.exception and app.session_state["page"] == page.name
