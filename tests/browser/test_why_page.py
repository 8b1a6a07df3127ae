"""“Why these tokens?” in a real browser, an engineer's question: a tokenizer.json is uploaded, a word became
three tokens, and why not others.

Oracles: GPT-2's merges, with their ranks in the sentence; a newcomer, who opens the link on the page.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, as_a_newcomer, open_tab
from tests.browser.test_bpe_page import TRACES_OF_ATTACK, WIDTHS
from tests.browser.test_playground_page import Playground, file
from tokensteps.catalogue.shipped import gpt2

pytestmark = pytest.mark.slow

TEXT = "An antidisestablishment is resettled. <img src=x onerror='window.bad=1'>"


def tokenizer_json() -> dict[str, Any]:
    library: Any = gpt2().library
    return file("tokenizer.json", library.tokenizer.to_str().encode())


def test_why_one_word_became_three_tokens(serve: Callable[..., str], page: Page) -> None:
    playground = Playground(page, serve(ROOT / "app.py"))
    playground.start(text=TEXT)
    playground.unfold("Upload a tokenizer")
    playground.upload(tokenizer_json())
    playground.tokens(list(gpt2().encode(TEXT).ids))
    open_tab(page, "Why these tokens?")
    word = page.get_by_role("combobox", name="Word", exact=True)
    expect(word).to_have_value("␣antidisestablishment")  # the one with the most tokens
    expect(page.locator(".story.why .row").last.locator(".t")).to_have_text(["␣ant", "idis", "establishment"])
    playground.rest()
    split = page.get_by_role("combobox", name="Another split: choose one")
    split.click()
    page.keyboard.type("anti dis establishment")
    page.keyboard.press("Enter")
    reason = page.locator(".reason")
    message = "␣anti has rank 2,842; id came first, rank 56."
    expect(reason).to_contain_text(message)
    book = page.locator(".ts-flipbook")
    book.locator('[data-do="last"]').click()
    expect(book.locator(".w.big .t")).to_have_text(["␣ant", "idis", "establishment"])
    playground.rest()  # the link is drawn last
    link = page.locator("[data-testid=stCode]").filter(has_text="why=").first.inner_text().strip()

    as_a_newcomer(page, link)
    expect(reason).to_contain_text(message)
    expect(word).to_have_value("␣antidisestablishment")

    playground.rest()
    chip = playground.chips.filter(has_text="led").first
    chip.click()  # a token of another word: the tab follows
    expect(word).to_have_value("␣resettled")
    expect(page.locator(".story.why .row").last.locator(".t")).to_have_text(["␣res", "ett", "led"])

    open_tab(page, "Counts")
    expect(page.get_by_role("heading", name="Step by step")).to_have_count(0)
    chip = playground.chips.filter(has_text="idis").first
    ask = page.get_by_role("button", name="Why these tokens?")
    chip.hover()
    expect(ask).not_to_be_visible()  # until the token is pinned
    chip.click()
    ask.press("Enter")
    expect(page.get_by_role("tab", name="Why these tokens?")).to_have_attribute("aria-selected", "true")
    expect(word).to_have_value("␣antidisestablishment")
    expect(page.get_by_role("tab", name="Why these tokens?")).to_be_in_viewport()
    expect(page.locator(".story.why")).to_be_in_viewport()
    page.wait_for_url("**why=+antidisestablishment**")
    assert page.evaluate(TRACES_OF_ATTACK) == []
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(f"document.documentElement.scrollWidth <= 390 && Math.max(...({WIDTHS})()) <= 0")
