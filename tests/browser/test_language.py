"""Languages in a browser: its own by default, the switch, the address, other pages and back.

Source: the README's promise that the app speaks the browser's language, and that a choice stands in the
address. Oracle: the compiled catalogues, read by Python's `gettext`; Chromium's own report of its fonts in
use.
"""

from __future__ import annotations

from collections.abc import Callable
from gettext import translation

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, at_rest
from tests.browser.hands import choose, retype
from tokensteps.language.i18n import LOCALE_FOLDER
from tokensteps.teaching.errata import errata

APP = ROOT / "app.py"


def said(code: str, message: str) -> str:
    return translation("tokensteps", LOCALE_FOLDER, [code]).gettext(message)


def address(page: Page) -> str:
    return str(page.evaluate("location.pathname + location.search"))


def at_address(page: Page, wanted: str) -> None:
    """Wait until this is the address: it may change before the page, or after it."""
    page.wait_for_function("wanted => location.pathname + location.search === wanted", arg=wanted)


def fonts(page: Page, selector: str) -> set[str]:
    """The font families of an element's text."""
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    node = session.send("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
    used = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
    session.detach()
    return {font["familyName"] for font in used}


def test_the_browsers_language_the_switch_and_the_way_back(
    serve: Callable[..., str], open_page: Callable[..., Page]
) -> None:
    """Settings and step stay; a choice goes along to other pages; Back returns to the language of before."""
    page = open_page(locale="zh-CN")
    link = "/bpe?corpus=hug&normalizer=lowercase&ties=greatest&step=2"
    page.goto(serve(APP) + link)
    stage = page.locator(".ts-flipbook .stage")
    expect(stage.locator(".say")).to_contain_text("合并")
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    expect(page.get_by_test_id("stSidebarNavLink").first).to_have_text(said("zh", "Home"))
    assert address(page) == link  # the browser's own language stays out of it
    chinese = fonts(page, '[data-testid="stSidebarNavLink"] span')

    page.get_by_test_id("stSidebar").get_by_text("日本語", exact=True).click()
    expect(stage.locator(".say")).to_contain_text("マージ")
    expect(page.locator("html")).to_have_attribute("lang", "ja")
    expect(page.locator(".ts-flipbook .where b").first).to_contain_text("2")
    expect(page.locator(".st-key-bpe-normalizer input")).to_have_value(said("ja", "lowercase"))
    at_address(page, link + "&lang=ja")
    japanese = fonts(page, '[data-testid="stSidebarNavLink"] span')
    if any("SC" in family.split() for family in chinese):  # a machine with different faces for the two
        assert not chinese & japanese

    page.get_by_role("link", name=said("ja", "Glossary")).first.click()
    expect(page.get_by_role("heading", name=said("ja", "Glossary"))).to_be_visible()
    expect(page).to_have_title(said("ja", "Glossary") + " · TokenSteps")
    at_address(page, "/glossary?lang=ja")
    page.go_back()
    expect(page.locator(".ts-flipbook .where b").first).to_contain_text("2")
    at_address(page, link + "&lang=ja")
    page.go_back()
    expect(stage.locator(".say")).to_contain_text("合并")
    at_address(page, link)


def test_a_link_brings_its_language_and_a_reload_keeps_it(serve: Callable[..., str], page: Page) -> None:
    page.goto(serve(APP) + "/errata?lang=ja")
    expect(page.get_by_role("heading", name=said("ja", "Errata"))).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name=said("ja", "Errata"))).to_be_visible()
    links = page.get_by_test_id("stMain").get_by_test_id("stPageLink").get_by_role("link")
    expect(links).to_have_count(len(errata()))  # the browser may draw the last ones first
    links.first.click()
    expect(page.locator(".ts-flipbook .say").first).to_contain_text("訓練")
    page.wait_for_function("location.search.includes('lang=ja')")


@pytest.mark.slow
def test_the_verdict_on_an_answer_is_said_in_the_language_of_the_page(
    serve: Callable[..., str], page: Page
) -> None:
    """On the path, at a scene, an exercise and a prediction: a hint, and an answer shown on request."""
    app = serve(APP)
    verdict, sidebar = page.locator(".note.verdict"), page.get_by_test_id("stSidebar")
    again, shown, retry = (
        "Not yet.",
        "Shown.",
        "It occurs often in the text that this tokenizer learned from. Rarer words are cut.",
    )
    for address, wrong, revealed in (
        ("/?walk=path.1", "the", shown),
        ("/matters?scene=languages", "German", shown),
        ("/exercises?kind=mistake&level=1&seed=1", "Line 2", "The answer: {solution}"),
        ("/bpe?corpus=hug&mode=predict", "p + u", shown),
    ):
        page.goto(f"{app}{address}&lang=en")
        box = page.get_by_label("Your answer").first
        expect(box).to_be_visible()
        at_rest(page)  # a page that grows closes an open list
        if box.get_attribute("role") == "combobox":
            choose(box, wrong)
        else:
            retype(box, wrong)
        page.get_by_role("button", name="Check").click()
        expect(verdict, address).to_contain_text(again)
        sidebar.get_by_text("简体中文", exact=True).click()
        expect(verdict, address).to_contain_text(said("zh", again))
        if address.startswith("/?"):
            expect(verdict, address).to_contain_text(said("zh", retry))
        page.get_by_role("button", name=said("zh", "Reveal")).click()
        at_rest(page)  # until then, the hint may still be there beside the answer
        expect(verdict, address).to_contain_text(said("zh", revealed).partition("{")[0])
        sidebar.get_by_text("日本語", exact=True).click()
        expect(verdict, address).to_contain_text(said("ja", revealed).partition("{")[0])
        expect(verdict, address).not_to_contain_text(said("zh", revealed).partition("{")[0])
