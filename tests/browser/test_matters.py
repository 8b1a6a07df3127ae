"""The page “Why it matters” in a browser: a question answered by hand, then a word of one's own, a reload, on
a desk and on a phone.

Oracle: GPT-2's tokens for the typed word, found in tests/app/teaching/test_lessons.py from its merges alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.app.teaching.test_lessons import gpt2_tokens
from tests.browser.conftest import ROOT, at_rest

SIZES = ((1366, 768), (390, 844))
GPT2_ROW = ".ways section:has(h3:text-is('GPT-2'))"


def test_a_scene_is_answered_and_played(serve: Callable[..., str], page: Page) -> None:
    page.goto(f"{serve(ROOT / 'app.py')}/matters")
    box, check = page.get_by_label("Your answer"), page.get_by_role("button", name="Check", exact=True)
    for typed, kind in (("10", "wrong"), (str(len(gpt2_tokens("strawberry"))), "right")):
        box.click()
        box.press_sequentially(typed)
        check.click()
        expect(page.locator(f".note.verdict.{kind}")).to_be_visible()
        at_rest(page)
    word = page.get_by_label("A word, or several")
    word.click()
    word.press("Control+a")
    word.press_sequentially("blueberry")
    expect(page.locator(f"{GPT2_ROW} .t")).to_have_text(gpt2_tokens("blueberry"))
    at_rest(page)
    page.reload()
    expect(page.locator(".note.verdict.right")).to_be_visible()
    expect(word).to_have_value("blueberry")
    expect(page.locator(f"{GPT2_ROW} .t")).to_have_text(gpt2_tokens("blueberry"))
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Next: Numbers").click()
    expect(page.get_by_text("How does it cut 1234567")).to_be_visible()
    expect(page).to_have_url(re.compile("scene=numbers"))
    page.go_back()
    expect(word).to_be_visible()
    expect(page).not_to_have_url(re.compile("scene="))
    at_rest(page)
    page.get_by_role("radio", name="Languages").click()  # the last one of its line
    expect(page).to_have_url(re.compile("scene=languages"))
    edges = [page.get_by_role("radio", name=name) for name in ("Code", "Glitch tokens")]
    assert len({edge.evaluate("one => getComputedStyle(one).borderInlineStartColor") for edge in edges}) == 1
