"""Predicting a run in real Chromium, by keyboard; and a challenge, closed to every press, drag or typing.

Oracles: the course's five words, with published merges under BPE; the server's messages, byte for byte.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, all_there, at_rest, open_tab, received
from tests.browser.hands import click_at, retype, tab_to
from tests.browser.test_bpe_page import Bpe as Learner
from tests.browser.test_bpe_page import lit
from tokensteps.assets import read_script
from tokensteps.teaching.challenge import Challenge

BOOK = ".ts-flipbook"
MERGES = ["u + g", "u + n", "h + ug", "p + un"]
"""The first merges of hug, pug, pun, bun, hugs."""
FORMULA = '=HYPERLINK("http://evil.example/<b>","Ann")'
"""A name that a spreadsheet would turn into a link."""


@pytest.fixture(scope="module")
def app(serve: Callable[..., str]) -> str:
    return serve(ROOT / "app.py")


def focused(page: Page) -> str:
    """The name of the focused element."""
    return str(page.evaluate("document.activeElement.ariaLabel || document.activeElement.innerText"))


def at(page: Page, step: int) -> None:
    """The book shows this step, and it is the last one there is."""
    expect(page.locator(f"{BOOK} .where p")).to_have_text(f"Step {step} of {step}")


def choose(page: Page, option: str) -> None:
    """With the focus on the list of options: choose one, and check it."""
    page.keyboard.type(option)
    expect(page.get_by_role("option", name=option, exact=True)).to_be_visible()
    page.keyboard.press("Enter")
    for _ in range(2):  # past the cross that empties the box
        page.keyboard.press("Tab")
    assert focused(page) == "Check"
    page.keyboard.press("Enter")


def test_by_keyboard_alone(page: Page, app: str) -> None:
    page.goto(f"{app}/bpe?corpus=hug&ask=mixed")
    expect(page.locator(f"{BOOK} .where p")).to_have_text("Step 0 of 7")
    tab_to(
        page.get_by_role("button", name="Step through").or_(page.get_by_role("radio", name="Step through"))
    )
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_url("**mode=predict")
    at_rest(page)  # for a moment, both stages are there
    at(page, 0)
    expect(page.get_by_role("tab")).to_have_count(0)
    while focused(page) != "Your answer":
        page.keyboard.press("Tab")
    choose(page, "p + u")
    expect(page.locator(".verdict")).to_contain_text("Not yet. pu: 17 times.")
    at(page, 0)
    at_rest(page)  # the box is emptied after the verdict
    page.keyboard.press("Shift+Tab")
    assert focused(page) == "Your answer"
    choose(page, "u + g")
    at(page, 1)
    expect(page.locator(".verdict")).to_contain_text("counts half")
    at_rest(page)
    page.keyboard.press("Shift+Tab")
    assert focused(page) == "Your answer"
    page.keyboard.type("16")  # how often u + n occurs: 12 times in pun, 4 times in bun
    page.keyboard.press("Enter")
    at(page, 2)
    expect(page.locator(".verdict")).to_contain_text("Right.")
    at_rest(page)
    assert focused(page) == "Your answer"  # the next question has a box as well
    page.keyboard.type("hug")
    page.keyboard.press("Enter")
    at(page, 3)  # the next question has a list, and the focus goes there
    expect(page.locator(".tally")).to_contain_text("2½ of 3 right")
    assert focused(page) == "Your answer"
    expect(page).to_have_url(f"{app}/bpe?corpus=hug&mode=predict&step=3")
    page.get_by_role("button", name="First step").click()  # answered steps stay so at every step
    expect(page.locator(f"{BOOK} .where p")).to_have_text("Step 0 of 3")
    page.wait_for_url("**step=0")
    page.reload()
    expect(page.locator(".tally")).to_contain_text("2½ of 3 right")
    expect(page.locator(f"{BOOK} .where p")).to_have_text("Step 0 of 3")


def test_a_double_click_answers_once_and_the_same_answer_counts_again(page: Page, app: str) -> None:
    """Oracle: u + g occurs 20 times, u + n 16 times. A double click reveals one step, too."""
    page.goto(f"{app}/bpe?corpus=hug&mode=predict&ask=count")
    box, check = page.get_by_label("Your answer"), page.get_by_role("button", name="Check", exact=True)
    all_there(page)
    box.click()
    page.keyboard.type("20")
    check.dblclick()
    at(page, 1)
    at_rest(page)
    expect(page.locator(".tally")).to_contain_text("1 of 1 right")
    expect(page.locator(".verdict")).to_contain_text("Right.")
    for said in ("Not yet", "tried that already"):
        box.click()
        page.keyboard.type("20")
        check.click()
        expect(page.locator(".verdict")).to_contain_text(said)
        at_rest(page)
        expect(box).to_have_value("")
    at(page, 1)
    page.get_by_role("button", name="Reveal", exact=True).dblclick()
    at(page, 2)
    at_rest(page)
    at(page, 2)


def test_what_is_kept_outlives_two_quick_reloads(page: Page) -> None:
    """It is handed over to a page that goes before it has it kept again; the next one gets it as well."""
    page.route("**", lambda route: route.fulfill(body="", content_type="text/html"))
    page.goto("http://localhost/")
    page.evaluate("sessionStorage.setItem('tokensteps.x', 'sealed')")
    page.add_script_tag(content=read_script("keep").replace("export default ", ""))
    handed: list[str] = page.evaluate(
        """() => [1, 2].flatMap(() => {
      const told = [], root = document.createElement("div"), data = { place: "x", text: "" };
      for (let run = 0; run < 2; run++) {
        keep({ data, parentElement: root, setTriggerValue: (_name, text) => told.push(text) });
      }
      return told; // once for each page, however often that runs
    })"""
    )
    assert handed == ["sealed", "sealed"]


def test_another_tabs_text_stays_until_it_is_known(page: Page) -> None:
    """It is handed over on each page until its reader knows it, and stays below this tab's text as long: a
    message may be lost with a page that is left at once."""
    page.route("**", lambda route: route.fulfill(body="", content_type="text/html"))
    page.goto("http://localhost/")
    page.evaluate("localStorage.setItem('tokensteps.x', 'theirs\\nolder')")
    page.add_script_tag(content=read_script("keep").replace("export default ", ""))
    result = page.evaluate(
        """() => [["bpe", "mine"], ["bpe", "mine"], ["home", "mine"], ["home", "more"],
        ["home", "both", "theirs\\nolder"], ["home", ""]].map(([page, text, known]) => {
      const told = [], data = { place: "x", page, text, lasting: true, known, most: 3 };
      keep({ data, parentElement: document.body, setTriggerValue: (_name, lines) => told.push(lines) });
      return [told, localStorage.getItem("tokensteps.x")];
    })"""
    )
    theirs = "theirs\nolder"
    assert result == [
        [[theirs], f"mine\n{theirs}"],
        [[], f"mine\n{theirs}"],
        [[theirs], f"mine\n{theirs}"],
        [[], f"more\n{theirs}"],
        [[], "both"],
        [["both"], "both"],
    ]


@pytest.mark.slow
def test_a_challenge_hides_its_answers(page: Page, app: str) -> None:
    """Address, keys, scrubber, timeline, play: nothing leads past the answered steps, and the browser never
    has more.

    A changed seal is in `tests/pages/test_predict.py`.
    """
    sent = received(page)
    sealed = Challenge("Monday", "bpe", {"corpus": "hug"}, 1, 4, "pair").sealed()
    page.goto(f"{app}/challenge?c={sealed}&step=4&mode=watch&corpus=hug")
    at(page, 1)
    for key in ("End", "ArrowRight", "ArrowRight", "PageDown"):
        page.keyboard.press(key)
    page.locator(f"{BOOK} input").evaluate(
        "range => { range.max = 9; range.value = 9; range.dispatchEvent(new Event('input', {bubbles: true})); }"
    )
    for name in ("Next step", "Last step", "Play"):
        click_at(page.get_by_role("button", name=name))
    at(page, 1)
    expect(page.locator(f"{BOOK} .line button")).to_have_text(["Start", "ug"])
    expect(page.get_by_role("tab")).to_have_count(0)
    expect(page.locator('[data-testid="stDownloadButton"]')).to_have_count(0)
    assert sent and not [data for data in sent if b"Merge u + n into" in data or b"into hug" in data]
    page.get_by_role("combobox", name="Your answer").click()
    choose(page, MERGES[1])
    at(page, 2)
    assert [data for data in sent if b"Merge u + n into" in data]
    assert not [data for data in sent if b"into hug" in data]


@pytest.mark.slow
def test_a_class_and_its_teacher(page: Page, app: str) -> None:
    """The link is taken from a training page, answered, with a reload in between, and its code marked."""
    rest = Learner(page, app).rest
    page.goto(f"{app}/bpe?corpus=hug&step=2")
    open_tab(page, "Files and link")
    steps = page.get_by_role("spinbutton", name="Steps to predict")
    links = page.locator('[data-testid="stCode"]').filter(has_text="/challenge?c=", has_not_text="iframe")
    for_more = links.inner_text()
    retype(steps, "2")
    steps.press("Enter")
    expect(links).not_to_have_text(for_more.strip())
    page.goto(links.inner_text().strip())
    at(page, 2)
    page.get_by_role("button", name="Reveal").click()
    at(page, 3)
    rest()
    page.reload()
    at(page, 3)
    page.get_by_role("button", name="Reveal").click()
    at(page, 4)
    page.get_by_role("textbox", name="Your name").fill(FORMULA)
    page.get_by_role("textbox", name="Your name").press("Enter")
    code = page.locator('[data-testid="stCode"]').nth(1)
    expect(code).not_to_have_text("")
    rest()
    page.get_by_text("For teachers: check the codes of a class").click()
    box = page.get_by_role("textbox", name="Codes, one per line")
    box.fill(code.inner_text().strip())
    box.press("Control+Enter")
    tables = page.locator(".ts-table")
    expect(tables).to_have_count(2)
    expect(page.locator(".note.problem")).to_have_count(0)

    # In the teacher's spreadsheet, a student's name must not become a link: every table's file is the app's
    # own.
    saved = []
    for button in page.get_by_role("button", name="CSV for spreadsheets").all():
        for _again in range(2):  # as often as somebody wants the same
            with page.expect_download() as download:
                button.click()
        saved.append([*csv.reader(download.value.path().read_text("utf-8-sig").splitlines())])
    assert [len(table) for table in saved] == [2, 3]
    assert saved[0][1][0] == f"'{FORMULA}" and saved[1][1][0] == "3"
    assert not [cell for table in saved for row in table for cell in row if cell.startswith("=")]


def test_a_pair_is_chosen_in_the_words(page: Page, app: str) -> None:
    """Where two tokens meet one can point and click: all places of the pair light up, and the answer is in
    the box. Oracle: u and g meet in hug, pug and hugs."""
    page.goto(f"{app}/bpe?corpus=hug&mode=predict&ask=pair")
    at(page, 0)
    expect(page.locator(f"{BOOK} table")).to_have_count(0)
    at_rest(page)  # nothing moves below the mouse
    positions = page.locator(f"{BOOK} .w").first.locator(".join")
    expect(positions).to_have_count(2)
    positions.nth(1).hover()
    assert lit(page) == ["u", "g"] * 3
    positions.nth(1).click()
    expect(page.get_by_role("combobox", name="Your answer")).to_have_value("u + g")
    page.get_by_role("button", name="Check").click()
    at(page, 1)
    expect(page.locator(".verdict")).to_contain_text("Right.")
    page.locator(f"{BOOK} summary").click()  # and from the list, by keyboard
    button = page.locator(f"{BOOK} .listed button").filter(has_text=re.compile("^u\\s*n$"))
    tab_to(button)
    page.keyboard.press("Enter")
    expect(page.get_by_role("combobox", name="Your answer")).to_have_value("u + n")
    expect(button).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Check").click()
    at(page, 2)
    expect(page.locator(".tally")).to_contain_text("2 of 2 right")


def test_no_hint_lies_on_a_boxs_example(app: str, open_page: Callable[..., Page]) -> None:
    """On a phone, the example in an empty box takes its whole width; with something typed, the hint comes."""
    phone = open_page(viewport={"width": 390, "height": 844}, has_touch=True)
    phone.goto(f"{app}/bpe?corpus=hug&mode=predict&ask=split")
    box = phone.get_by_role("textbox", name="Your answer")
    box.tap()
    expect(box).to_be_focused()
    at_rest(phone)
    hint = phone.get_by_test_id("stForm").get_by_test_id("InputInstructions")
    expect(hint).to_be_attached()
    expect(hint).to_be_hidden()
    phone.keyboard.type("h ug")
    expect(hint).to_be_visible()
