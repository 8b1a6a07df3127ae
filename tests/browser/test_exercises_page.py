"""Exercises in a real browser, by keyboard alone: one right, one wrong, on to the next.

Oracle: the exercises themselves, whose keys are tried in `tests/app/teaching/test_exercises.py`; what else the page does, in
`tests/pages/test_exercises.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT
from tokensteps.teaching.exercises.kinds import make


def test_by_keyboard_alone(serve: Callable[..., str], page: Page) -> None:
    """The focus stays in the box: type, Enter, read; Enter again goes on. Nothing is wider than a phone. A reload loses no mark."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(serve(ROOT / "app.py") + "/exercises?kind=bpe_count&level=1&seed=1")
    box, verdict = page.get_by_role("textbox", name="Your answer"), page.locator(".note.verdict")
    box.focus()
    page.keyboard.type(make("bpe_count", 1, 1).question.key)
    page.keyboard.press("Enter")
    expect(verdict).to_contain_text("Right.")
    expect(page.locator(".tally")).to_contain_text("1 of 1 right")
    expect(page.get_by_role("link", name="Open this corpus: BPE")).to_have_attribute(
        "href", re.compile(r"bpe\?.*corpus=counts")
    )
    expect(box).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".exercise-head")).to_contain_text("number 2")
    expect(verdict).to_have_count(0)
    expect(box).to_be_focused()
    page.keyboard.type("9999")
    page.keyboard.press("Enter")
    expect(verdict).to_contain_text("Not this one.")
    expect(verdict).to_contain_text(make("bpe_count", 1, 2).question.key)
    expect(page.locator(".tally")).to_contain_text("1 of 2 right")
    for _tab in range(3):  # Check, Show me, Next exercise
        page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Next exercise")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".exercise-head")).to_contain_text("number 3")
    page.wait_for_url("**/exercises?kind=bpe_count&level=1&seed=3")
    page.reload()
    expect(page.locator(".tally")).to_contain_text("1 of 2 right")
    page.go_back()
    expect(page.locator(".exercise-head")).to_contain_text("number 2")
    expect(verdict).to_contain_text("Not this one.")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
