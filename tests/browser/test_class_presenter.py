"""The lecturer's own screen: a phone, touched, leads a class whose wall is another browser.

Oracle: the 30-minute plan's own notes and answers; the course's five words, where `u` and `g` are merged first; what was tapped.
"""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.test_class import CARD, PHONE, STRIP, WALL, open_class, step, tap
from tokensteps.shell.walk import lesson_facts
from tokensteps.teaching.walk import stops_of

SCREEN, PAD = ".ts-class-presenter", ".ts-class-presenter [data-pad="
WIDE = f"() => document.querySelector('{SCREEN}').scrollWidth > innerWidth"
TOUCH = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def press(page: Page, what: str) -> None:
    button = page.locator(f"{PAD}{what}]")
    expect(button).to_have_attribute("aria-disabled", "false")
    button.tap()


def test_a_phone_leads_the_wall(app: str, open_page: Callable[..., Page]) -> None:
    """The plan's note with the answer, this step and the next, bars before the wall has them, and everything by thumb."""
    wall, student, own = open_page(), open_page(**PHONE), open_page(**TOUCH)
    code = open_class(wall, f"{app}/bpe?corpus=hug&mode=predict&ask=pair&walk=30.2")
    wall.get_by_role("button", name="Close").click()
    student.goto(f"{app}/?class={code}")
    own.goto(f"{app}/?class={code}#key={wall.evaluate(KEY, code)}")
    own.get_by_role("button", name="Lead the class").tap()
    expect(own.locator(SCREEN)).to_be_visible()
    activities = stops_of("30", lesson_facts())
    the_plan(own, activities[1].note, activities[1].answer)
    expect(own.locator(f"{SCREEN} .steps")).to_contain_text(
        "Step 1, next: Merge u + g into ug."
    )  # in Predict, too
    expect(own.locator(f"{SCREEN} .people")).to_have_text("1 here · 1 follows · Lost: 0")

    press(own, "ask")
    expect(own.locator(f"{SCREEN} {WALL} .asked")).to_contain_text("Which pair is merged next?")
    press(own, "ask")  # it is put together on this screen, so now it says “Ask now”
    expect(wall.locator(f"{WALL} .asked")).to_contain_text("Which pair is merged next?")
    tap(student, "p + u")
    row = own.locator(f"{SCREEN} tbody tr").filter(has_text="pu")
    expect(row.locator(".number")).to_have_text("1 · 100 %")
    expect(own.locator(f"{SCREEN} tr.right th")).to_contain_text("ug")
    expect(wall.locator(f"{WALL} .counted")).to_have_text("1 of 1 have answered")
    expect(wall.locator(f"{WALL} table.bars")).to_have_count(0)
    press(own, "show")
    expect(wall.locator(f"{WALL} table.bars")).to_be_visible()
    expect(wall.locator(f"{WALL} .verdict")).to_have_count(0)
    press(own, "again")
    tap(student, "u + g")
    expect(own.locator(f"{PAD}show]")).to_have_attribute(
        "aria-disabled", "false"
    )  # it has heard of the second vote
    press(own, "reveal")
    expect(wall.locator(f"{WALL} tr.right")).to_contain_text("1 · 100 %")
    press(own, "blank")
    expect(student.locator(".ts-class-blank")).to_be_visible()
    press(own, "blank")
    expect(student.locator(".ts-class-blank")).to_be_hidden()

    own.get_by_role("button", name="Next activity").tap()
    wall.wait_for_function("new URLSearchParams(location.search).get('walk') === '30.3'")
    the_plan(own, activities[2].note, activities[2].answer)
    for page in (wall, own, student):
        step(page, 2)
    expect(own.locator(f"{SCREEN} .steps")).to_contain_text("Step 2, now: Merge i + s into is.")
    press(own, "next")
    for page in (wall, student):
        step(page, 3)
    press(own, "back")
    step(wall, 2)
    for width in (390, 320):
        own.set_viewport_size({"width": width, "height": 640})
        assert not own.evaluate(WIDE), width
    expect(wall.locator(SCREEN)).to_be_hidden()  # notes are never on the wall
    own.reload()
    the_plan(own, activities[2].note, activities[2].answer)
    own.locator(STRIP).get_by_role("button", name="Presenter view").tap()
    expect(own.locator(SCREEN)).to_be_hidden()
    own.keyboard.press("ArrowRight")
    step(wall, 3)
    expect(student.locator(CARD)).to_be_hidden()  # the result went with the next activity


def the_plan(own: Page, note: str, answer: str) -> None:
    expect(own.locator(f"{SCREEN} .plan")).to_contain_text(note)
    expect(own.locator(f"{SCREEN} .plan .answer")).to_contain_text(answer)


KEY = "(code) => encodeURIComponent(JSON.parse(localStorage.getItem('tokensteps.class'))[code].key)"
