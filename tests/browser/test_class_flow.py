"""A class whose browsers are one class: what a question hides, what a second device of the lecturer's does, what a lost connection costs.

By mouse, touch and keyboard, as in a room. Oracle: the Hugging Face course's five words, where `u` and `g` are merged first and then
`u` and `n`; what the lecturer's own page shows; the exercises' own keys.
"""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import ROOT
from tests.browser.test_class import CARD, STRIP, WALL, people, step
from tokensteps.teaching.exercises.kinds import make

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
MAIN = "[data-testid=stMain]"


def opened(lecturer: Page, address: str) -> str:
    """A class on this page, opened by mouse; its code. Its panel is closed."""
    lecturer.goto(address)
    lecturer.locator(MAIN).get_by_role("button", name="Open a class", exact=True).click()
    expect(lecturer.locator(".ts-class-panel .qr svg")).to_be_visible()
    code = lecturer.locator(".ts-class-panel .room-code").inner_text().replace("\n", "")
    lecturer.locator(".ts-class-panel").get_by_role("button", name="Start", exact=True).click()
    return code


def followed(phone: Page, app: str, code: str, path: str) -> None:
    phone.goto(f"{app}/?class={code}")
    phone.wait_for_function("path => location.pathname === path", arg=path)
    expect(phone.locator(f"{STRIP} .stop")).to_have_text("Following the class")


def on_page(page: Page, name: str) -> Locator:
    """A button of the page itself, not of what a class adds to it."""
    return page.locator(MAIN).get_by_role("button", name=name, exact=True)


def seen(page: Page, selector: str) -> int:
    """How many of these can be seen in the page itself."""
    return page.locator(f"{MAIN} {selector}").filter(visible=True).count()


def test_a_question_is_not_given_away(serve: Callable[..., str], open_page: Callable[..., Page]) -> None:
    """In Predict, also to somebody who was ahead; step by step; on a page of exercises. What was there before comes back."""
    app = serve(ROOT / "app.py")
    lecturer, phone = open_page(), open_page(**PHONE)
    code = opened(lecturer, f"{app}/bpe?corpus=hug&mode=predict&ask=pair")
    followed(phone, app, code, "/bpe")
    # One student finds out the first two merges alone, and comes back to the class.
    for number in (1, 2):
        on_page(phone, "Reveal").tap()
        step(phone, number)
    phone.locator(STRIP).get_by_role("button", name="Back to the class").tap()
    step(phone, 0)
    lecturer.keyboard.press("a")
    expect(lecturer.locator(f"{WALL} .asked")).to_contain_text("Which pair is merged next?")
    lecturer.keyboard.press("Enter")
    expect(phone.locator(f"{CARD} .asked")).to_contain_text("Which pair is merged next?")
    phone.locator(CARD).get_by_role("button", name="Look at the page").tap()
    nothing_tells(phone)
    phone.locator(".ts-flipbook .stage").first.tap()
    for key in ("ArrowRight", "End"):
        phone.keyboard.press(key)
    step(phone, 0)
    lecturer.keyboard.press("e")
    step(phone, 1)
    phone.locator(CARD).get_by_role("button", name="Done").tap()
    expect(on_page(phone, "Reveal")).to_be_visible()
    expect(phone.locator(MAIN).get_by_text("2 answers")).to_be_visible()
    lecturer.keyboard.press("Escape")

    an_own_question(lecturer)
    expect(phone.locator(f"{CARD} .asked")).to_have_text("Ready?")
    nothing_tells(phone)
    lecturer.keyboard.press("e")
    expect(on_page(phone, "Reveal")).to_be_visible()
    lecturer.keyboard.press("Escape")
    an_exercise(lecturer, phone, app, code)


def nothing_tells(phone: Page) -> None:
    """Nothing on the page answers at a tap, says what was answered before, or leads past the question."""
    for name in ("Reveal", "Check", "Predict", "Step through"):
        expect(on_page(phone, name)).to_be_hidden()
    expect(phone.locator(MAIN).get_by_text("2 answers")).to_be_hidden()
    book = phone.locator(".ts-flipbook").first
    expect(book.locator(".line > .future")).to_have_count(0)
    expect(book.locator(".cols > section")).to_have_count(1)


def an_own_question(lecturer: Page) -> None:
    """A question of the lecturer's own, with two choices, asked by keyboard."""
    lecturer.keyboard.press("a")
    lecturer.locator(WALL).get_by_role("button", name="A question of your own").click()
    for box, text in ((WALL + " textarea", "Ready?"), (WALL + " [aria-label='Choice 1']", "yes"), (WALL + " [aria-label='Choice 2']", "no")):
        lecturer.locator(box).fill(text)
    lecturer.locator(WALL).get_by_role("button", name="Ask now").click()


def an_exercise(lecturer: Page, phone: Page, app: str, code: str) -> None:
    """Asked about an exercise, nobody's own page answers it, and what was typed into it is kept."""
    lecturer.goto(f"{app}/exercises?kind=bpe_count&level=1&seed=1&class={code}")
    phone.wait_for_function("location.pathname === '/exercises'")
    box = phone.get_by_role("textbox", name="Your answer")
    box.tap()
    phone.keyboard.type(make("bpe_count", 1, 1).question.key)
    an_own_question(lecturer)
    expect(phone.locator(f"{CARD} .asked")).to_have_text("Ready?")
    for name in ("Reveal", "Check"):
        expect(on_page(phone, name)).to_be_hidden()
    expect(phone.get_by_test_id("stDownloadButton").first).to_be_hidden()
    lecturer.keyboard.press("e")
    expect(on_page(phone, "Reveal")).to_be_visible()
    expect(box).to_have_value(make("bpe_count", 1, 1).question.key)
