"""A hand's actions of many presses."""

from __future__ import annotations

from playwright.sync_api import Locator

HAS_FOCUS = "node => node === node.getRootNode().activeElement"
MOST = 120
"""Presses of Tab, from one end of a page to the other."""


def tab_to(wanted: Locator, key: str = "Tab") -> None:
    """Press Tab, or Shift and Tab, until something has the focus."""
    for _ in range(MOST):
        if wanted.evaluate(HAS_FOCUS):
            return
        wanted.page.keyboard.press(key)
    raise AssertionError(f"{key} never leads to {wanted}")


def choose(box: Locator, option: str) -> None:
    """Choose from a select box: click it, type, as a long list draws only its visible part, and click what is
    left of the list. Scrolling closes a list; the next key opens it again."""
    box.click()
    box.page.keyboard.type(option)
    box.page.get_by_role("option", name=option, exact=True).click()
