"""Streamlit's own words on a page (`tokensteps/shell/streamlit_words.py`), in another language: translated,
and nothing else is.

Oracle: the compiled catalogue, read by Python's `gettext`; Streamlit's own English, back after a switch to
English.
"""

from __future__ import annotations

from collections.abc import Callable
from gettext import translation

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, at_rest, open_tab
from tests.browser.hands import retype
from tokensteps.language.i18n import LOCALE_FOLDER
from tokensteps.runs.corpora import pack_text

pytestmark = pytest.mark.slow

OWN_WORDS = """() => document.body.insertAdjacentHTML("beforeend", `<div id="own"><p>Search</p><div data-testid="stHtml" aria-label="Search">Search</div>
  <div data-testid="stSelectboxVirtualDropdown"><div role="option" data-key="0">Search</div></div>
  <div data-testid="stTooltipContent"><div data-testid="stHtml">Search</div></div><input placeholder="Choose an option"></div>
  <div data-testid="stTooltipContent" id="hint">Fullscreen</div>`)"""
"""A learner's words, the same as Streamlit's, where Streamlit puts them; then one of Streamlit's own, and a
tooltip of its own."""

OVER_ITS_BOX = """hint => hint.closest('[data-testid=stNumberInput]').querySelector('input').getBoundingClientRect().bottom
  - hint.getBoundingClientRect().top"""
"""How far a hint reaches up over the digits of its box."""


def said(message: str) -> str:
    """A message in Japanese."""
    result = translation("tokensteps", LOCALE_FOLDER, ["ja"]).gettext(message)
    assert result != message
    return result


def test_streamlit_speaks_the_language_of_the_page(serve: Callable[..., str], page: Page) -> None:
    """Buttons, hints and tooltips; not a learner's equal words. The switch to English brings English back."""
    page.goto(f"{serve(ROOT / 'app.py')}/wordpiece?corpus=paste&text={pack_text('hug pug hugs')}&lang=ja")
    size = page.get_by_test_id("stNumberInputField").first
    up = page.get_by_test_id("stNumberInputStepUp").first
    expect(up).to_have_attribute("aria-label", said("Increment"))
    expect(page.get_by_test_id("stSidebarNav")).to_have_attribute("aria-label", said("App pages"))
    retype(size, "40")
    expect(page.get_by_test_id("InputInstructions").first).to_have_text(said("Press Enter to apply"))
    assert page.get_by_test_id("InputInstructions").first.evaluate(OVER_ITS_BOX) <= 0
    typed = page.get_by_test_id("stTextArea").locator("textarea").first
    typed.press("End")
    typed.press_sequentially(" Upload")
    key = said("Press {key}+Enter to apply").replace("{key}", "Ctrl")
    expect(page.get_by_test_id("InputInstructions").first).to_have_text(key)
    link = page.url
    page.keyboard.press("Control+Enter")
    page.wait_for_function("was => location.href !== was", arg=link)

    open_tab(page, said("Charts"))
    page.get_by_test_id("stPlotlyChart").first.hover()
    full = page.get_by_test_id("stMain").get_by_role("button", name=said("Fullscreen")).first
    expect(full).to_have_attribute("data-title", said("Fullscreen"))

    box = page.get_by_test_id("stSidebar").get_by_role("combobox").first
    at_rest(page)
    box.click()
    page.keyboard.type("qqq")
    expect(page.get_by_test_id("stSelectboxVirtualDropdown")).to_contain_text(said("No results"))
    page.keyboard.press("Escape")

    page.evaluate(OWN_WORDS)
    expect(page.locator("#own [placeholder]")).to_have_attribute("placeholder", said("Choose an option"))
    expect(page.locator("#hint")).to_have_text(said("Fullscreen"))
    assert "".join((page.locator("#own").text_content() or "").split()) == "Search" * 4
    expect(page.locator("#own [aria-label]")).to_have_attribute("aria-label", "Search")
    page.evaluate("document.querySelectorAll('#own, #hint').forEach(node => node.remove())")

    page.get_by_test_id("stSidebar").get_by_text("English", exact=True).click()
    expect(up).to_have_attribute("aria-label", "Increment")
    expect(page.get_by_test_id("stSidebarNav")).to_have_attribute("aria-label", "App pages")
