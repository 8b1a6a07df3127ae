"""A whole lesson, from Home to the table of answers: a lecturer with a clicker and a phone of their own, and
three more phones, in browsers of their own. (A wrong code is in `test_class_hands.py`, a lost connection in
`test_class_flow.py`.)

Source: the 30-minute plan. Oracle: the course's five words, where BPE merges `u` and `g` first, as they occur
20 times, and WordPiece `##g` and `##s`, by its score; the taps and typing.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from io import StringIO

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_class import (
    CARD,
    STRIP,
    WALL,
    counts,
    expect_answered,
    expect_people,
    shown_code,
    step,
)
from tests.browser.test_class_hands import type_code
from tests.browser.test_class_words import GREEDY, KEY, PAD, SCREEN, TOUCH, WHY, answer, press, write
from tests.browser.test_walk import at, held

pytestmark = pytest.mark.slow

HALL = {"viewport": {"width": 1280, "height": 800}}
HAND = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "device_scale_factor": 2}
VOTES = ("p + u", "u + g", "u + g")
"""The phones' first answers. Then they talk."""


def in_front(lecturer: Page) -> None:
    """In projector mode; the window is as large as it will be."""
    expect(lecturer.locator(".ts-projector-start")).to_be_visible()
    lecturer.keyboard.press("p")
    lecturer.wait_for_function(
        "document.documentElement.hasAttribute('data-projector') && document.fullscreenElement"
    )


def asks(lecturer: Page, text: str) -> None:
    """The key for the black screen is held; then the large key asks."""
    held(lecturer, ".")
    expect(lecturer.locator(f"{WALL} .asked")).to_contain_text(text)
    lecturer.keyboard.press("PageDown")
    expect(lecturer.locator(f"{WALL} .counted")).to_be_visible()


def tapped(phone: Page, answer: str) -> None:
    button = phone.locator(f'{CARD} [data-key="={answer}"]')
    button.tap()
    expect(button).to_have_attribute("aria-pressed", "true")


def test_a_lesson(app: str, open_page: Callable[..., Page]) -> None:
    """The activities by a clicker's keys, and half of them from the presenter view on a second device; two
    questions from the run, one with a second vote, one prepared, one in their own words; a lecturer loses the
    tab."""
    lecturer = open_page(own="desk", **HALL)
    lecturer.goto(f"{app}/class")
    write(lecturer, WHY, "free", activity="30.3")
    write(lecturer, GREEDY, "choices", activity="30.4")
    code = begun(lecturer, app)
    phones = [open_page(own=f"phone {number}", **HAND) for number in range(len(VOTES))]
    for phone in phones:
        phone.goto(app)
        type_code(phone, code, "Following the class")
    expect_people(lecturer, "3 here · 3 follow")
    in_front(lecturer)
    held(lecturer, "PageDown")
    at(lecturer, 2)
    for phone in phones:
        phone.wait_for_function("location.pathname === '/bpe' && location.search.includes('mode=predict')")
    a_vote_and_another(lecturer, phones)
    held(lecturer, "PageDown")
    at(lecturer, 3)
    for phone in phones:
        step(phone, 2)
    lecturer.keyboard.press("PageDown")
    lecturer = closed_and_opened_again(lecturer, app, code, phones)
    own = open_page(own="second device", **TOUCH)
    own.goto(f"{app}/?class={code}#key={lecturer.evaluate(KEY, code)}")
    own.get_by_role("button", name="Lead the class").tap()
    expect(own.locator(SCREEN)).to_contain_text("Activity 3 of 6")
    in_their_own_words(lecturer, own, phones)
    led_from(own, lecturer, phones, 4, "/wordpiece")
    from_the_run(lecturer, own, phones)
    prepared(lecturer, phones)
    led_from(own, lecturer, phones, 5, "/playground")
    held(lecturer, "PageDown")
    at(lecturer, 6)
    expect(own.locator(SCREEN)).to_contain_text("Activity 6 of 6")
    over(lecturer, phones, code)
    lecturer.close()


def begun(lecturer: Page, app: str) -> str:
    """From Home to the plans; a begun one leads back there, and a class is opened."""
    lecturer.goto(app)
    lecturer.get_by_role("link", name="For teachers", exact=True).first.click()
    lecturer.locator(".st-key-home_plan_30").get_by_role("button", name="Start").click()
    at(lecturer, 1)
    lecturer.get_by_role("button", name="Open a class").click()
    code = shown_code(lecturer)
    lecturer.locator(".ts-class-panel").get_by_role("button", name="Start").click()
    return code


def a_vote_and_another(lecturer: Page, phones: list[Page]) -> None:
    """From the run, in Predict: asked, shown, asked again, shown, revealed, gone on from."""
    asks(lecturer, "Which pair is merged next?")
    for phone, vote in zip(phones, VOTES, strict=True):
        tapped(phone, vote)
    expect_answered(lecturer, "3 of 3 have answered")
    lecturer.keyboard.press("PageDown")
    expect(lecturer.locator(f"{WALL} table.bars")).to_be_visible()
    assert [counts(lecturer, answer) for answer in ("ug", "pu")] == [["2"], ["1"]]
    lecturer.keyboard.press("g")
    expect_answered(lecturer, "0 of 3 have answered")
    for phone in phones:
        tapped(phone, "u + g")
    expect_answered(lecturer, "3 of 3 have answered")
    lecturer.keyboard.press("PageDown")
    expect(lecturer.locator(f"{WALL} table.bars")).to_be_visible()
    lecturer.keyboard.press("PageDown")
    expect(lecturer.locator(f"{WALL} tr.right")).to_contain_text("3 · 100 %")
    assert counts(lecturer, "ug") == ["2", "3"]
    for phone in phones:
        expect(phone.locator(CARD)).to_contain_text("Right.")
    lecturer.keyboard.press("PageDown")
    expect(lecturer.locator(WALL)).to_be_hidden()


def closed_and_opened_again(lecturer: Page, app: str, code: str, phones: list[Page]) -> Page:
    """The lecturer's tab is gone; Home leads back to the class's place, and nobody was led away."""
    for page in (lecturer, *phones):
        step(page, 3)
    context = lecturer.context
    lecturer.close()
    tab = context.new_page()
    tab.set_viewport_size({"width": 1280, "height": 800})
    tab.goto(app)
    tab.get_by_role("button", name=f"Go on with class {code}").click()
    for page in (tab, *phones):
        step(page, 3)
    expect_people(tab, "3 here · 3 follow")
    expect(tab.locator(".ts-walk .which")).to_contain_text("3 of 6")
    in_front(tab)
    return tab


def in_their_own_words(lecturer: Page, own: Page, phones: list[Page]) -> None:
    """Asked from the presenter view, the only one with the answers; one of them is picked for the wall."""
    own.locator(f"{PAD}prepared]").tap()
    for phone, words in zip(phones, ("It is frequent", "it is  FREQUENT", "no idea"), strict=True):
        expect(phone.locator(f"{CARD} .asked")).to_have_text(WHY)
        answer(phone, words)
    rows = own.locator(f"{SCREEN} .words li")
    expect(rows).to_have_count(2)
    expect(rows.filter(has_text="requent")).to_contain_text("× 2")
    expect(lecturer.locator(WALL)).not_to_contain_text("frequent")
    rows.filter(has_text="requent").get_by_role("checkbox").tap()
    press(own, "show")
    expect(lecturer.locator(f"{WALL} tbody tr")).to_have_count(1)
    press(own, "reveal")
    for phone in phones:
        expect(phone.locator(CARD)).to_contain_text("There was no right or wrong")
    expect(lecturer.locator(WALL).get_by_role("button", name="Go on")).to_be_visible()
    lecturer.keyboard.press("PageDown")
    expect(own.locator(f"{SCREEN} {WALL}")).to_be_hidden()


def led_from(own: Page, lecturer: Page, phones: list[Page], number: int, path: str) -> None:
    """To the next activity, by a large button of the presenter view."""
    own.get_by_role("button", name="Next activity").tap()
    at(lecturer, number)
    for page in (lecturer, own, *phones):
        page.wait_for_function("path => location.pathname === path", arg=path)
    expect(own.locator(SCREEN)).to_contain_text(f"Activity {number} of 6")


def from_the_run(lecturer: Page, own: Page, phones: list[Page]) -> None:
    """Asked, shown and revealed from the presenter view."""
    step(own, 0)
    press(own, "ask")
    expect(own.locator(f"{SCREEN} {WALL} .asked")).to_contain_text("Which pair is merged next?")
    press(own, "ask")
    expect(lecturer.locator(f"{WALL} .asked")).to_contain_text("Which pair is merged next?")
    for phone in phones:
        tapped(phone, "##g + ##s")
    expect_answered(lecturer, "3 of 3 have answered")
    press(own, "show")
    press(own, "reveal")
    expect(lecturer.locator(f"{WALL} tr.right")).to_contain_text("3 · 100 %")
    lecturer.keyboard.press("PageDown")
    expect(lecturer.locator(WALL)).to_be_hidden()
    for page in (lecturer, own, *phones):
        step(page, 1)


def prepared(lecturer: Page, phones: list[Page]) -> None:
    """With one key on the wall."""
    lecturer.keyboard.press("q")
    for phone, choice in zip(phones, "212", strict=True):
        expect(phone.locator(f"{CARD} .asked")).to_have_text(GREEDY)
        tapped(phone, choice)
    expect_answered(lecturer, "3 of 3 have answered")
    for part in ("table.bars", "tr.right"):
        lecturer.keyboard.press("PageDown")
        expect(lecturer.locator(f"{WALL} {part}")).to_be_visible()
    lecturer.keyboard.press("PageDown")
    expect(lecturer.locator(WALL)).to_be_hidden()


def over(lecturer: Page, phones: list[Page], code: str) -> None:
    """The class ends; its table has all questions, and both votes of the first."""
    lecturer.get_by_role("button", name="End the class").click()
    lecturer.locator(".ts-class-panel").get_by_role("button", name="End the class").click()
    for phone in phones:
        expect(phone.locator(f"{STRIP} .stop")).to_have_text("The class has ended.")
    with lecturer.expect_download() as saved:
        lecturer.get_by_role("button", name="Answers as CSV").click()
    assert saved.value.suggested_filename == f"class-{code}-answers.csv"
    rows = list(csv.DictReader(StringIO(saved.value.path().read_text("utf-8-sig"))))
    assert {(row["round"], row["repeats"], row["right"]) for row in rows} == {
        ("1", "", "2"),
        ("2", "1", "3"),
        ("3", "", ""),
        ("4", "", "3"),
        ("5", "", "2"),
    }
    assert {(row["round"], row["answer"]): row["count"] for row in rows if row["count"] != "0"} == {
        ("1", "u + g"): "2",
        ("1", "p + u"): "1",
        ("2", "u + g"): "3",
        ("3", "It is frequent"): "2",
        ("3", "no idea"): "1",
        ("4", "##g + ##s"): "3",
        ("5", "yes"): "2",
        ("5", "no"): "1",
    }
