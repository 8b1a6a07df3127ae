"""A hand's actions of many presses."""

from __future__ import annotations

from typing import Any

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


def click_and_look(button: Locator, look: str) -> Any:
    """Click; return what a JavaScript function says of the page once all has been done that a click does at
    once: however slow the machine is, nothing else happens in between."""
    button.page.evaluate(
        "() => { window.seen = new Promise((done) =>"
        f" addEventListener('click', () => done(({look})()), {{ once: true }})); }}"
    )
    button.click()
    return button.page.evaluate("window.seen")


def click_at(control: Locator) -> None:
    """Click the place of a control that may be held."""
    box = control.bounding_box()
    assert box
    control.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def retype(box: Locator, text: str) -> None:
    """Type in place of a box's text."""
    box.click()
    for key in ("ControlOrMeta+a", "Delete"):
        box.page.keyboard.press(key)
    box.page.keyboard.type(text)


def slide(slider: Locator, value: int) -> None:
    """Take a slider near to a value by mouse, and on to it by keys."""
    box = slider.bounding_box()
    assert box
    least, most = (int(slider.get_attribute(name) or 0) for name in ("min", "max"))
    share = (value - least) / (most - least)
    slider.click(position={"x": share * (box["width"] - 2) + 1, "y": box["height"] / 2})
    for _ in range(MOST):
        left = value - int(slider.input_value())
        if not left:
            return
        slider.page.keyboard.press("ArrowRight" if left > 0 else "ArrowLeft")
    raise AssertionError(f"{slider} never comes to {value}")


def choose(box: Locator, option: str) -> None:
    """Choose from a select box: click it, type, as a long list draws only its visible part, and click what is
    left of the list. Scrolling closes a list; the next key opens it again."""
    box.click()
    box.page.keyboard.type(option)
    box.page.get_by_role("option", name=option, exact=True).click()
