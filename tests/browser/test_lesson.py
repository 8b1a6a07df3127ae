"""A whole lesson, from Home to the table of answers: one lecturer with a clicker, six phones, in browsers of their own.

Source: the 30-minute plan. Oracle: the course's five words, where `u` and `g` are merged first, as they occur 20 times; what was tapped.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from io import StringIO

from playwright.sync_api import Page, expect

from tests.browser.cable import Cable
from tests.browser.test_class import CARD, STRIP, WALL, answered, counts, people, step
from tests.browser.test_class_hands import WRONG, type_code, type_own, write_own
from tests.browser.test_walk import at, held

HALL = {"viewport": {"width": 1280, "height": 800}}
HAND = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "device_scale_factor": 2}
VOTES = ("p + u", "u + g", "u + g", "p + u", "u + n", "u + g")
"""What the six phones say at first. Then they talk."""


def in_front(lecturer: Page) -> None:
    """In projector mode; the window is as large as it will be."""
    expect(lecturer.locator(".ts-projector-start")).to_be_visible()
    lecturer.keyboard.press("p")
    lecturer.wait_for_function(
        "document.documentElement.hasAttribute('data-projector') && document.fullscreenElement"
    )


def asks(lecturer: Page, told: str) -> None:
    """The key for the black screen is held; then the large key asks."""
    held(lecturer, ".")
    expect(lecturer.locator(f"{WALL} .asked")).to_contain_text(told)
    lecturer.keyboard.press("PageDown")
    expect(lecturer.locator(f"{WALL} .counted")).to_be_visible()


def tapped(phone: Page, answer: str) -> None:
    button = phone.locator(f'{CARD} [data-key="={answer}"]')
    button.tap()
    expect(button).to_have_attribute("aria-pressed", "true")


def test_a_lesson(app: str, open_page: Callable[..., Page]) -> None:
    """The five activities by a clicker's keys; a question from the run with a second vote, one of one's own; a phone that loses its
    connection, a lecturer who loses the tab."""
    lecturer = open_page(own="desk", **HALL)
    code = begun(lecturer, app)
    cable = Cable(app)
    phones = joined(open_page, [app, cable.address, *[app] * 4], code)
    people(lecturer, "6 here · 6 follow")
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
    off_and_on(lecturer, phones[1], cable)
    lecturer = closed_and_opened_again(lecturer, app, code, phones)
    an_opinion(lecturer, phones)
    for number, path in ((4, "/wordpiece"), (5, "/playground")):
        held(lecturer, "PageDown")
        at(lecturer, number)
        for phone in phones:
            phone.wait_for_function("path => location.pathname === path", arg=path)
    over(lecturer, phones, code)
    lecturer.close()


def begun(lecturer: Page, app: str) -> str:
    """From Home to the plans; the one that is begun leads back there, where a class is opened."""
    lecturer.goto(app)
    lecturer.get_by_role("link", name="For teachers", exact=True).first.click()
    lecturer.locator(".st-key-home_plan_30").get_by_role("button", name="Start").click()
    at(lecturer, 1)
    lecturer.get_by_role("button", name="Open a class").click()
    expect(lecturer.locator(".ts-class-panel .qr svg")).to_be_visible()
    code = lecturer.locator(".ts-class-panel .room-code").inner_text().replace("\n", "")
    lecturer.locator(".ts-class-panel").get_by_role("button", name="Start").click()
    return code


def joined(open_page: Callable[..., Page], addresses: list[str], code: str) -> list[Page]:
    """Six phones by the code; the first one mistypes it."""
    phones = [open_page(own=f"phone {number}", errors=number < 2, **HAND) for number in range(6)]
    for phone, address in zip(phones, addresses, strict=True):
        phone.goto(address)
    type_code(phones[0], "ZZZZZZ", WRONG)
    for phone in phones:
        type_code(phone, code, "Following the class")
    return phones


def a_vote_and_another(lecturer: Page, phones: list[Page]) -> None:
    """From the run, in Predict: asked, shown, asked again, shown, revealed, gone on from."""
    asks(lecturer, "Which pair is merged next?")
    for phone, answer in zip(phones, VOTES, strict=True):
        tapped(phone, answer)
    answered(lecturer, "6 of 6 have answered")
    lecturer.keyboard.press("PageDown")
    expect(lecturer.locator(f"{WALL} table.bars")).to_be_visible()
    assert [counts(lecturer, answer) for answer in ("ug", "pu", "un")] == [["3"], ["2"], ["1"]]
    lecturer.keyboard.press("g")
    answered(lecturer, "0 of 6 have answered")
    for phone in phones:
        tapped(phone, "u + g")
    answered(lecturer, "6 of 6 have answered")
    lecturer.keyboard.press("PageDown")
    expect(lecturer.locator(f"{WALL} table.bars")).to_be_visible()
    lecturer.keyboard.press("PageDown")
    expect(lecturer.locator(f"{WALL} tr.right")).to_contain_text("6 · 100 %")
    assert counts(lecturer, "ug") == ["3", "6"]
    for phone in phones:
        expect(phone.locator(CARD)).to_contain_text("Right.")
    lecturer.keyboard.press("PageDown")
    expect(lecturer.locator(WALL)).to_be_hidden()


def off_and_on(lecturer: Page, phone: Page, cable: Cable) -> None:
    """A phone without connection misses a step, and finds it when the connection is back."""
    cable.pull_out()
    expect(phone.locator(f"{STRIP} .stop")).to_have_text("No connection to the class: trying again")
    lecturer.keyboard.press("PageDown")
    step(lecturer, 3)
    step(phone, 2)
    cable.plug_in()
    step(phone, 3)


def closed_and_opened_again(lecturer: Page, app: str, code: str, phones: list[Page]) -> Page:
    """The lecturer's tab is gone; Home leads back to where the class is, and nobody was led away."""
    desk = lecturer.context
    lecturer.close()
    tab = desk.new_page()
    tab.set_viewport_size({"width": 1280, "height": 800})
    tab.goto(app)
    tab.get_by_role("button", name=f"Go on with class {code}").click()
    for page in (tab, *phones):
        step(page, 3)
    people(tab, "6 here · 6 follow")
    expect(tab.locator(".ts-walk .which")).to_contain_text("3 of 6")
    in_front(tab)
    return tab


def an_opinion(lecturer: Page, phones: list[Page]) -> None:
    """A question of the lecturer's own."""
    write_own(lecturer)
    type_own(lecturer, "Does it matter which one goes first?", "yes", "no")
    lecturer.keyboard.press("Enter")
    for phone, choice in zip(phones, "121111", strict=True):
        tapped(phone, choice)
    answered(lecturer, "6 of 6 have answered")
    lecturer.keyboard.press("PageDown")
    expect(lecturer.locator(f"{WALL} table.bars")).to_be_visible()
    lecturer.keyboard.press("PageDown")
    for phone in phones:
        expect(phone.locator(CARD)).to_contain_text("There was no right or wrong")
    lecturer.keyboard.press("PageDown")
    expect(lecturer.locator(WALL)).to_be_hidden()


def over(lecturer: Page, phones: list[Page], code: str) -> None:
    """The class ends; its table has both questions, and both votes of the first."""
    lecturer.get_by_role("button", name="End the class").click()
    lecturer.locator(".ts-class-panel").get_by_role("button", name="End the class").click()
    for phone in phones:
        expect(phone.locator(f"{STRIP} .stop")).to_have_text("The class has ended.")
    with lecturer.expect_download() as saved:
        lecturer.get_by_role("button", name="Answers as CSV").click()
    assert saved.value.suggested_filename == f"class-{code}-answers.csv"
    rows = list(csv.DictReader(StringIO(saved.value.path().read_text("utf-8-sig"))))
    assert {(row["round"], row["repeats"], row["right"]) for row in rows} == {
        ("1", "", "3"),
        ("2", "1", "6"),
        ("3", "", ""),
    }
    assert {(row["round"], row["answer"]): row["count"] for row in rows if row["count"] != "0"} == {
        ("1", "u + g"): "3",
        ("1", "p + u"): "2",
        ("1", "u + n"): "1",
        ("2", "u + g"): "6",
        ("3", "yes"): "5",
        ("3", "no"): "1",
    }
