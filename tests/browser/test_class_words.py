"""The lecturer's own screen, and prepared questions: a phone, touched, leads a class with another browser as
its wall; questions written by mouse, ordered by keyboard, answered by thumb in people's own words.

Oracle: the 30-minute plan's own notes and answers; the typing and taps; the course's five words, where `u`
and `g` are merged first: after that `hugs` is h ug s, three tokens, `hug` is two.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.cable import Gate
from tests.browser.conftest import at_rest
from tests.browser.test_class import CARD, PHONE, STRIP, WALL, open_class, step, tap, write_own
from tests.browser.test_walk import held
from tokensteps.shell.walk import lesson_facts
from tokensteps.teaching.walk import stops_of

pytestmark = pytest.mark.slow

SCREEN, PAD = ".ts-class-presenter", ".ts-class-presenter [data-pad="
WIDE = f"() => document.querySelector('{SCREEN}').scrollWidth > innerWidth"
FOOT = f"""() => {{ const view = document.querySelector('{SCREEN}');
  view.scrollTo(0, view.scrollHeight);
  const [wall, pad] = ['.ts-class-wall', '.pad'].map((part) => view.querySelector(part).getBoundingClientRect());
  return wall.bottom <= pad.top; }}"""
"""Whether the question's end can be scrolled to, above the large buttons."""
TOUCH: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
KEY = "(code) => encodeURIComponent(JSON.parse(localStorage.getItem('tokensteps.class'))[code].key)"
PREPARED = """number => localStorage.setItem('tokensteps.deck',
  JSON.stringify(Array.from({ length: number }, (_, at) => ({ say: `Question ${at}`, kind: 'free' }))))"""
WHY, THREE, GREEDY = "Why did <b>this</b> pair win?", "A word of three tokens?", "Is it greedy?"


def press(page: Page, what: str) -> None:
    button = page.locator(f"{PAD}{what}]")
    expect(button).to_have_attribute("aria-disabled", "false")
    button.tap()


def test_a_phone_leads_the_wall(app: str, open_page: Callable[..., Page]) -> None:
    """The plan's note with the answer, this step and the next, bars before the wall has them, and everything
    by thumb. A slow wall comes to where the class is by then, and doesn't pull it back."""
    wall, student, own = open_page(), open_page(**PHONE), open_page(**TOUCH)
    gate = Gate(wall)
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
    expect(own.locator(f"{SCREEN} .time")).to_contain_text(f"/ {activities[1].minutes} min")

    press(own, "ask")
    expect(own.locator(f"{SCREEN} {WALL} .asked")).to_contain_text("Which pair is merged next?")
    press(own, "ask")  # it is put together on this screen, so now it says “Ask now”
    expect(wall.locator(f"{WALL} .asked")).to_contain_text("Which pair is merged next?")
    tap(student, "p + u")
    row = own.locator(f"{SCREEN} tbody tr").filter(has_text="pu")
    expect(row.locator(".number")).to_have_text("1 · 100 %")
    expect(own.locator(f"{SCREEN} tr.right th")).to_contain_text("ug")
    own.set_viewport_size({"width": 1366, "height": 480})  # the question's foot can be scrolled to
    own.wait_for_function(FOOT)
    own.set_viewport_size(TOUCH["viewport"])
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

    gate.shut()
    own.get_by_role("button", name="Next activity").tap()
    the_plan(own, activities[2].note, activities[2].answer)
    for page in (own, student):
        step(page, 2)
    expect(own.locator(f"{SCREEN} .steps")).to_contain_text("Step 2, now: Merge i + s into is.")
    press(own, "next")
    step(student, 3)
    gate.open()
    wall.wait_for_function("new URLSearchParams(location.search).get('walk') === '30.3'")
    at_rest(wall)
    for page in (wall, own, student):
        step(page, 3)
    press(own, "back")
    step(wall, 2)
    for width in (390, 320):
        own.set_viewport_size({"width": width, "height": 640})
        assert not own.evaluate(WIDE), width
    expect(wall.locator(SCREEN)).to_be_hidden()  # notes are never on the wall
    for way, number in (
        ("Previous", 1),
        ("Previous", 0),
        ("Next", 1),
        ("Next", 2),
    ):  # the first one is on Home
        own.get_by_role("button", name=f"{way} activity").tap()
        the_plan(own, activities[number].note, activities[number].answer)
    step(wall, 2)
    own.reload()
    the_plan(own, activities[2].note, activities[2].answer)
    own.locator(STRIP).get_by_role("button", name="Presenter view").tap()
    expect(own.locator(SCREEN)).to_be_hidden()
    own.keyboard.press("ArrowRight")
    step(wall, 3)
    expect(student.locator(CARD)).to_be_hidden()  # the result went with the next activity


def test_a_view_opened_at_a_plans_start_goes_along(app: str, open_page: Callable[..., Page]) -> None:
    """From Home, where the plan begins, and where nobody is led away who reads that page."""
    wall, own, activities = open_page(), open_page(**TOUCH), stops_of("30", lesson_facts())
    code = open_class(wall, f"{app}/?walk=30.1")
    wall.keyboard.press("Escape")
    own.goto(f"{app}/?class={code}#key={wall.evaluate(KEY, code)}")
    own.get_by_role("button", name="Lead the class").tap()
    the_plan(own, activities[0].note, activities[0].answer)
    at_rest(own)
    wall.keyboard.press("p")
    held(wall, "PageDown")
    step(wall, 0)
    expect(own.locator(f"{SCREEN} .steps")).to_contain_text("Step 1, next: Merge u + g into ug.")
    press(own, "ask")
    expect(own.locator(f"{SCREEN} {WALL} .asked")).to_contain_text("Which pair is merged next?")


def the_plan(own: Page, note: str, answer: str) -> None:
    expect(own.locator(f"{SCREEN} .plan")).to_contain_text(note)
    expect(own.locator(f"{SCREEN} .plan .answer")).to_contain_text(answer)


def write(page: Page, say: str, kind: str, right: str = "", at: str = "", activity: str = "") -> None:
    """A prepared question, typed into its form."""
    page.get_by_role("button", name="Write a question").click()
    form = page.locator(".deck .form")
    form.get_by_role("textbox", name="Your question").click()
    page.keyboard.type(say)
    form.get_by_label("Answered by").select_option(kind)
    if right:
        form.get_by_label("Into how many tokens").click()
        page.keyboard.type(right)
    if kind == "choices":
        for number, choice in enumerate(("no", "yes"), start=1):
            form.get_by_role("textbox", name=f"Choice {number}").click()
            page.keyboard.type(choice)
        right_one = form.get_by_role("radio", name="Choice 2 is right")
        expect(right_one).to_have_css("width", "20px")  # for a thumb, in the app's own colour
        expect(right_one).not_to_have_css("accent-color", "auto")
        right_one.click()
    if activity:
        form.get_by_label("Belongs to").select_option(activity)
    if at:
        form.get_by_label("Page and step").click()
        page.keyboard.type(at)
    form.get_by_role("button", name="Keep").click()
    expect(form).to_be_hidden()


def answer(student: Page, words: str) -> None:
    done = student.locator(CARD).get_by_role("button", name="Done")
    if done.is_visible():
        done.tap()
    student.locator(f"{CARD} .words").tap()
    student.keyboard.type(words)
    student.locator(CARD).get_by_role("button", name="Send", exact=True).tap()
    expect(student.locator(CARD)).to_contain_text("Sent. You can change it")


def test_prepared_questions_in_their_own_words(app: str, open_page: Callable[..., Page]) -> None:
    wall, own, students = open_page(), open_page(**TOUCH), [open_page(**PHONE) for _ in range(2)]
    the_deck(wall, app)

    code = open_class(wall, f"{app}/wordpiece?corpus=course")
    wall.get_by_role("button", name="Close").click()
    own.goto(f"{app}/?class={code}#key={wall.evaluate(KEY, code)}")
    own.get_by_role("button", name="Lead the class").tap()
    expect(own.locator(SCREEN)).to_be_visible()
    for student in students:
        student.goto(f"{app}/?class={code}")
        step(student, 0)
    wall.keyboard.press("q")  # the first of the deck: at its page and step, with one key
    step(wall, 1)
    for student, words in zip(students, ("hugs", "hug"), strict=True):
        expect(student.locator(f"{CARD} .asked")).to_have_text(THREE)
        answer(student, words)
    rows = own.locator(f"{SCREEN} .words li")
    expect(rows.filter(has_text="hugs")).to_contain_text(
        "right"
    )  # graded by the engine, on this screen alone
    expect(rows.filter(has_text="hug × 1")).to_contain_text("wrong")
    expect(wall.locator(WALL)).to_contain_text("2 of 2 have answered")
    expect(wall.locator(WALL)).not_to_contain_text("hugs")
    expect(rows.get_by_role("checkbox").first).not_to_have_css("accent-color", "auto")
    rows.filter(has_text="hugs").get_by_role("checkbox").tap()
    own.keyboard.press("Enter")  # does nothing there
    press(own, "reveal")
    expect(wall.locator(f"{WALL} tr.right")).to_contain_text("hugs")
    expect(wall.locator(f"{WALL} tbody tr")).to_have_count(1)
    expect(students[0].locator(CARD)).to_contain_text("Right.")
    expect(students[1].locator(CARD)).to_contain_text("Not this one.")
    wall.keyboard.press("Escape")

    expect(wall.locator(STRIP).get_by_role("button", name="Prepared: 2")).to_be_visible()
    wall.keyboard.press("q")
    for student, words in zip(students, ("It is frequent", "it is  FREQUENT"), strict=True):
        expect(student.locator(f"{CARD} .asked")).to_have_text(WHY)
        answer(student, words)
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("× 2")
    press(own, "show")
    expect(wall.locator(WALL)).to_contain_text("No answer has been picked for the wall so far.")
    rows.get_by_role("checkbox").tap()
    expect(wall.locator(f"{WALL} tbody th")).to_have_text("It is frequent")
    press(own, "reveal")
    expect(wall.locator(WALL).get_by_role("button", name="Go on")).to_be_visible()
    wall.keyboard.press("Escape")
    wall.keyboard.press("q")
    expect(students[0].locator(f"{CARD} .asked")).to_have_text(GREEDY)
    expect(students[0].locator(f'{CARD} [data-key="=2"]')).to_have_text("yes")
    wall.go_back()  # from the first question's page
    wall.wait_for_url(re.compile(r"/wordpiece\?.*corpus=course"))


def test_a_student_loses_no_word(app: str, open_page: Callable[..., Page]) -> None:
    """What is half written, and the result, are there after the page has been loaded again; an answer that
    comes too late is said to be. Without a network, the presenter view's buttons can be touched."""
    wall, own, student = open_page(), open_page(**TOUCH, errors=True), open_page(**PHONE, errors=True)
    code, card, words = (
        open_class(wall, f"{app}/bpe?corpus=hug"),
        student.locator(CARD),
        student.locator(".words"),
    )
    wall.get_by_role("button", name="Close").click()
    own.goto(f"{app}/?class={code}#key={wall.evaluate(KEY, code)}")
    own.get_by_role("button", name="Lead the class").tap()
    expect(own.locator(SCREEN)).to_be_visible()
    student.goto(f"{app}/?class={code}")
    step(student, 0)
    write_own(wall)
    wall.keyboard.type(WHY)
    for key in ("Tab", "ArrowDown", "ArrowDown"):
        wall.keyboard.press(key)
    expect(wall.locator(f"{WALL} select")).to_have_css("outline-width", "2px")  # as of all its boxes
    wall.get_by_role("button", name="Ask now").click()
    words.tap()
    student.keyboard.type("Ideas: ")
    student.reload()
    expect(words).to_have_value("Ideas: ")
    words.tap()
    student.keyboard.press("End")
    student.keyboard.type("more often than all other pairs " * 5)
    card.get_by_role("button", name="Send", exact=True).tap()
    in_a_line = own.locator(f"{SCREEN} .words li .soft")
    expect(in_a_line).to_have_text(" × 1")
    assert (in_a_line.bounding_box() or {})["height"] < 30

    own.context.set_offline(True)
    expect(own.locator(".ts-away")).to_be_visible()
    press(own, "show")
    expect(own.locator(f"{STRIP} .stop")).to_contain_text("check the network")
    own.context.set_offline(False)
    expect(own.locator(f"{STRIP} .stop")).to_have_text("1 here · 1 follows")
    student.context.set_offline(True)
    words.tap()
    student.keyboard.type("!")
    card.get_by_role("button", name="Send", exact=True).tap()
    expect(card.locator(".state.wrong")).to_be_visible()
    press(own, "show")
    expect(wall.locator(WALL).get_by_role("button", name="Reveal")).to_be_visible()
    student.context.set_offline(False)
    expect(card).to_contain_text("Your last answer came too late: it doesn't count.")
    press(own, "reveal")
    expect(card).to_contain_text("Thank you.")
    expect(card).to_contain_text("too late")
    student.reload()
    expect(card).to_contain_text("Thank you.")
    card.get_by_role("button", name="Done").tap()
    student.reload()
    expect(student.locator(f"{STRIP} .stop")).to_have_text("Following the class")
    expect(card).to_be_hidden()


def the_deck(page: Page, app: str) -> None:
    """Written, moved by keyboard and by mouse, kept over a reload, and taken to a file and back."""
    page.goto(f"{app}/class")
    write(page, WHY, "free")
    nothing_written_is_lost(page)
    write(page, GREEDY, "choices")
    write(page, THREE, "parts", "3", f"{app}/bpe?corpus=hug&step=1")
    said = page.locator(".deck li p:first-child")
    expect(said).to_have_text([WHY, GREEDY, THREE])
    page.get_by_role("button", name=f"Move up: {THREE}").click()
    page.keyboard.press("Enter")  # the focus goes along
    expect(said).to_have_text([THREE, WHY, GREEDY])
    page.locator(".deck li").nth(2).drag_to(page.locator(".deck li").nth(1))
    expect(said).to_have_text([THREE, GREEDY, WHY])
    page.locator(".deck li").nth(2).drag_to(page.locator(".deck li").nth(1))
    page.reload()
    expect(said).to_have_text([THREE, WHY, GREEDY])
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as a file").click()
    text = saved.value.path().read_text("utf-8")
    assert tomllib.loads(text)["question"] == [
        {"ask": THREE, "by": "parts", "answer": 3, "at": "bpe?corpus=hug&step=1"},
        {"ask": WHY, "by": "free"},
        {"ask": GREEDY, "by": "choices", "choices": ["no", "yes"], "answer": "yes"},
    ]
    for say in (THREE, WHY, GREEDY):
        page.get_by_role("button", name=f"Delete: {say}").click()
    expect(said).to_have_count(0)
    for there, new in ((58, 2), (0, 3), (3, 0)):  # 60 are kept, and each of them once
        if new:
            page.evaluate(PREPARED, there)
            page.reload()
        expect(said).to_have_count(there)
        with page.expect_file_chooser() as chosen:
            page.get_by_role("button", name="Open a file").click()
        chosen.value.set_files(saved.value.path())
        expect(page.locator(".deck .said")).to_have_text(f"New questions: {new}")
    with page.expect_file_chooser() as chosen:
        page.get_by_role("button", name="Open a file").click()
    other = '[[question]]\nask = "なぜ？"'.encode("shift-jis")
    chosen.value.set_files({"name": "q.toml", "mimeType": "", "buffer": other})
    expect(page.locator(".deck .said")).to_have_text("q.toml is not UTF-8: save it as UTF-8, and try again.")
    expect(said).to_have_text([THREE, WHY, GREEDY])


def nothing_written_is_lost(page: Page) -> None:
    """A form with something new in it stays, whatever else is clicked; another one gives way."""
    edit, new = (page.get_by_role("button", name=name) for name in (f"Edit: {WHY}", "Write a question"))
    box, at = page.get_by_label("Your question"), page.get_by_label("Page and step")
    for first, second, text, other in ((edit, new, WHY, ""), (new, edit, "", WHY)):
        first.click()
        expect(box).to_have_value(text)
        second.click()
        expect(box).to_have_value(other)
        first.click()
        at.click()
        page.keyboard.type("bpe")
        second.click()
        expect(box).to_be_focused()
        expect(box).to_have_value(text)
        expect(at).to_have_value("bpe")
        page.get_by_role("button", name="Cancel").click()


def test_a_second_device_has_the_prepared_questions(app: str, open_page: Callable[..., Page]) -> None:
    """The device asks them with a large button: of the plan's activity first, then one on another page, and
    all go there. A question asked on one device isn't asked again on the other; a new question comes by
    itself, and the second device keeps its own."""
    wall, own, phone = open_page(), open_page(own="second", **TOUCH), open_page(**PHONE)
    gate = Gate(wall)
    wall.goto(f"{app}/class")
    write(wall, WHY, "free", at="wordpiece?corpus=hug&step=1")
    write(wall, GREEDY, "choices", activity="30.2")
    code = open_class(wall, f"{app}/bpe?corpus=hug&walk=30.2")
    wall.get_by_role("button", name="Close").click()
    own.goto(f"{app}/?class={code}#key={wall.evaluate(KEY, code)}")
    own.get_by_role("button", name="Lead the class").tap()
    phone.goto(f"{app}/?class={code}")
    step(phone, 0)
    ask = own.locator(f"{SCREEN} [data-pad=prepared]")
    expect(ask).to_have_text(f"Ask: {GREEDY}")
    ask.tap()
    expect(phone.locator(f"{CARD} .asked")).to_have_text(GREEDY)
    expect(wall.locator(f"{WALL} .asked")).to_have_text(GREEDY)
    expect(ask).to_have_attribute("aria-disabled", "true")
    press(own, "reveal")
    expect(
        wall.locator(WALL).get_by_role("button", name="Go on")
    ).to_be_visible()  # until then, no other one is asked there
    press(own, "next")
    expect(wall.locator(STRIP).get_by_role("button", name="Prepared: 1")).to_be_visible()
    expect(ask).to_have_text(f"Ask: {WHY}")
    gate.shut(b"class_page")
    wall.keyboard.press("q")
    wall.wait_for_function("location.pathname === '/wordpiece'")
    press(own, "next")  # while the wall is on its way to the question's page, and stays so
    step(phone, 2)
    gate.open()
    for page in (wall, own, phone):
        page.wait_for_function("location.pathname === '/wordpiece'")
        step(page, 1)
    expect(phone.locator(f"{CARD} .asked")).to_have_text(WHY)
    answer(phone, "why not")
    expect(own.locator(f"{SCREEN} .words li")).to_contain_text("why not")
    press(own, "reveal")
    wall.locator(WALL).get_by_role("button", name="Go on").click()
    expect(ask).to_be_hidden()
    wall.get_by_role("link", name="Live class", exact=True).click()
    write(wall, THREE, "parts", "3")
    expect(ask).to_have_text(f"Ask: {THREE}")
    own.goto(f"{app}/class")
    expect(own.locator(".deck li p:first-child")).to_have_text([WHY, GREEDY, THREE])
