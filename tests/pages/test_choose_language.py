"""The choice of a page's language: address, choice, browser, in this order (`tokensteps/shell/language.py`),
through Streamlit's `AppTest`.

Oracle: Python's `gettext` reading the catalogues beside the app.
"""

from __future__ import annotations

from collections.abc import Iterator
from gettext import translation

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.pages import APP, Page, address, book, run
from tokensteps.language.i18n import LOCALE_FOLDER, language_of, use_language
from tokensteps.shell import language

BPE = Page("bpe", APP.parent / "pages" / "train" / "bpe.py", ())
GLOSSARY = Page("glossary", APP.parent / "pages" / "learn" / "glossary.py", ())


@pytest.fixture(autouse=True)
def _english_again() -> Iterator[None]:
    yield
    use_language("en")


def said(code: str, message: str) -> str:
    """A message out of the compiled catalogue."""
    return translation("tokensteps", LOCALE_FOLDER, [code]).gettext(message)


def title(app: AppTest) -> str:
    return str(app.title[0].value)


def browser(monkeypatch: pytest.MonkeyPatch, tag: str) -> None:
    monkeypatch.setattr(language, "browser_language", lambda: language_of(tag))


def choose(app: AppTest, code: str) -> AppTest:
    """Press a language in the sidebar."""
    use_language(
        app.session_state["language"]
    )  # AppTest finds chosen options by the labels that it makes here
    app.segmented_control(key="language.switch").set_value(code)
    return run(app)


@pytest.mark.parametrize(("tag", "code"), [("zh-CN", "zh"), ("ja", "ja"), ("de-AT", "en"), ("", "en")])
def test_the_browsers_language_is_spoken_and_not_written(
    monkeypatch: pytest.MonkeyPatch, tag: str, code: str
) -> None:
    browser(monkeypatch, tag)
    app = run(GLOSSARY.start())
    assert title(app) == ("Glossary" if code == "en" else said(code, "Glossary"))
    assert app.segmented_control(key="language.switch").value == code
    assert "lang" not in address(app)


def test_the_address_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    browser(monkeypatch, "ja")
    assert title(run(GLOSSARY.start("lang=zh"))) == said("zh", "Glossary")
    assert title(run(GLOSSARY.start("lang=en"))) == "Glossary"
    for unknown in ("xx", "../../etc", "<b>", ""):
        app = run(GLOSSARY.start(f"lang={unknown}"))
        assert title(app) == said("ja", "Glossary")


def test_a_choice_keeps_text_settings_and_step(monkeypatch: pytest.MonkeyPatch) -> None:
    browser(monkeypatch, "en-GB")
    app = BPE.opened("corpus=hug&size=9&ties=greatest&step=2&show=raw")
    before = {name: BPE.value(app, name) for name in ("corpus", "size", "ties", "show", "pre")}
    english = book(app)
    app = choose(app, "ja")
    assert {name: BPE.value(app, name) for name in before} == before
    japanese = book(app)
    assert (japanese["seek"][0], japanese["last"]) == (english["seek"][0], english["last"])
    assert [frame["html"] for frame in japanese["frames"]] != [frame["html"] for frame in english["frames"]]
    assert address(app)["lang"] == "ja"
    app = choose(app, "en")
    assert book(app)["frames"] == english["frames"]


def test_a_choice_goes_along_to_other_pages_and_into_links(monkeypatch: pytest.MonkeyPatch) -> None:
    browser(monkeypatch, "en-US")
    app = choose(run(GLOSSARY.start()), "zh")
    app.query_params.clear()  # as the browser does; it takes the language along by itself
    app.switch_page(str(APP.parent / "pages" / "learn" / "errata.py"))
    run(app)
    assert title(app) == said("zh", "Errata")
    links = [link.proto.query_string for link in app.get("page_link")]
    assert links
    assert all("lang=zh" in link for link in links)


def test_unchosen_english_stays_out_of_links() -> None:
    links = [link.proto.query_string for link in run(GLOSSARY.start()).get("page_link")]
    assert links
    assert not any("lang=" in link for link in links)
