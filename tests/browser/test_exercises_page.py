"""Exercises in a real browser, by keyboard alone: one right, one wrong, on to the next.

Oracle: the exercises themselves, with keys tried in `tests/app/teaching/test_exercises.py`; the page's other
functions, in `tests/pages/test_exercises.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import ANSWERED_LATER, ROOT, all_there, at_rest, turn_to
from tests.browser.hands import retype
from tokensteps.language.names import LANGUAGE_NAMES
from tokensteps.teaching.exercises.kinds import make


def test_a_double_click_leaves_the_verdict(serve: Callable[..., str], page: Page) -> None:
    """An empty answer goes on, and the second click of a double one has an empty box."""
    page.goto(serve(ROOT / "app.py") + "/exercises?kind=bpe_count&level=1&seed=1")
    all_there(page)
    page.get_by_role("textbox", name="Your answer").click()
    page.keyboard.type(make("bpe_count", 1, 1).question.key)
    page.get_by_role("button", name="Check", exact=True).dblclick()
    expect(page.locator(".note.verdict")).to_contain_text("Right.")
    at_rest(page)
    expect(page.locator(".note.verdict")).to_contain_text("Right.")
    expect(page.locator(".exercise-head")).to_contain_text("number 1")


def test_by_keyboard_alone(serve: Callable[..., str], page: Page) -> None:
    """The focus stays in the box: type, Enter, read; Enter again goes on. Nothing is wider than a phone. A
    reload loses no mark."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(serve(ROOT / "app.py") + "/exercises?kind=bpe_count&level=1&seed=1")
    box, verdict = page.get_by_role("textbox", name="Your answer"), page.locator(".note.verdict")
    expect(box).to_have_css("text-overflow", "ellipsis")  # of the hint; what is typed scrolls
    assert box.evaluate("box => box.clientWidth") > 300  # room for the longest hint
    box.click()
    page.keyboard.type(make("bpe_count", 1, 1).question.key)
    page.keyboard.press("Enter")
    expect(verdict).to_contain_text("Right.")
    expect(page.locator(".tally")).to_contain_text("1 of 1 right")
    expect(page.get_by_role("link", name="Open this corpus: BPE")).to_have_attribute(
        "href", re.compile(r"bpe\?.*corpus=counts")
    )
    at_rest(page)
    expect(box).to_be_focused()
    heights = [
        page.get_by_role(role, name=name).evaluate("node => node.offsetHeight")
        for role, name in (("button", "Next exercise"), ("link", "Open this corpus: BPE"))
    ]
    assert abs(heights[0] - heights[1]) <= 1
    page.keyboard.press("Enter")
    expect(page.locator(".exercise-head")).to_contain_text("number 2")
    expect(verdict).to_have_count(0)
    at_rest(page)
    expect(box).to_be_focused()
    page.keyboard.type("9999")
    page.keyboard.press("Enter")
    expect(verdict).to_contain_text("Not yet.")
    expect(verdict).to_be_in_viewport(ratio=1)
    expect(page.locator(".tally")).to_contain_text("1 of 1 right")
    for _tab in range(3):  # Check, Show me, Next exercise
        page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Next exercise")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".exercise-head")).to_contain_text("number 3")
    page.wait_for_url("**/exercises?kind=bpe_count&level=1&seed=3")
    expect(page.locator(".tally")).to_contain_text("1 of 2 right")
    at_rest(page)
    page.reload()
    expect(page.locator(".tally")).to_contain_text("1 of 2 right")
    page.go_back()
    expect(page.locator(".exercise-head")).to_contain_text("number 2")
    expect(verdict).to_contain_text("Not this one.")
    expect(verdict).to_contain_text(make("bpe_count", 1, 2).question.key)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.slow
def test_each_newer_kind_of_bpe_is_answered_by_hand(serve: Callable[..., str], page: Page) -> None:
    """A slip, with its mistake, and then the right answer, chosen from the list by hand: typed, or
    clicked."""
    app = serve(ROOT / "app.py")
    for kind, level, seed, wrong, slip in (
        ("superbpe_pair", 1, 23, "␣the + ␣way", "Count it as often as it occurs"),
        ("pickybpe_removal", 1, 1, "pun", "The new token stays"),
        ("paritybpe_language", 3, 1, "German", "has the fewest tokens"),
    ):
        address, key = (
            f"/exercises?kind={kind}&level={level}&seed={seed}",
            make(kind, level, seed).question.key,
        )
        turn_to(page, address) if page.url.startswith(app) else page.goto(app + address)
        box, verdict = page.get_by_role("combobox", name="Your answer"), page.locator(".note.verdict")
        expect(page.locator(".exercise-head")).to_contain_text(f"number {seed}")
        at_rest(page)  # a page that grows closes an open list
        box.click()
        page.get_by_role("option", name=wrong, exact=True).click()
        page.get_by_role("button", name="Check").click()
        expect(verdict).to_contain_text("Not yet.")
        expect(verdict).to_contain_text(slip)
        at_rest(page)
        box.click()
        page.keyboard.type(LANGUAGE_NAMES.get(key, key))
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Check").click()
        expect(verdict).to_contain_text("Right")


def test_the_list_of_answers_covers_no_word(serve: Callable[..., str], page: Page) -> None:
    """The list opens upward here, over the lines of words. After the answer, the focus goes along to the next
    box."""
    page.goto(serve(ROOT / "app.py") + "/exercises?kind=bpe_pair&level=1&seed=1")
    box = page.get_by_role("combobox", name="Your answer")
    expect(box).to_be_visible()
    at_rest(page)  # a page that grows closes an open list
    box.click()
    offered = page.get_by_test_id("stSelectboxVirtualDropdown").bounding_box()
    words = page.locator("table.sheet").first.bounding_box()
    assert offered and words and offered["y"] < words["y"] + words["height"]
    assert offered["x"] > words["x"] + words["width"]
    page.keyboard.press("Enter")
    clear = page.get_by_role("button", name="Clear value").bounding_box()
    assert clear and min(clear["width"], clear["height"]) >= 24  # WCAG 2.5.8: px of a target
    page.get_by_role("button", name="Reveal").press("Enter")
    expect(page.locator(".note.verdict")).to_contain_text("The answer:")
    page.get_by_role("button", name="Next exercise").press("Enter")
    expect(page.locator(".exercise-head")).to_contain_text("number 2")
    at_rest(page)
    expect(box).to_be_focused()


@pytest.mark.slow
def test_a_table_keeps_its_right_cells(serve: Callable[..., str], page: Page) -> None:
    """One mistake: the typed text stays, the wrong cells are marked by an edge, a sign and for screen
    readers, the first of them has the focus, also after a slow server's answer, and the verdict is in sight.
    A changed cell is no longer marked. Put right, it counts half."""
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(serve(ROOT / "app.py") + "/exercises?kind=viterbi&level=3&seed=2")
    cells = make("viterbi", 3, 2).question.key.split("\n")
    boxes, verdict = page.locator('[data-testid="stForm"] input'), page.locator(".note.verdict")
    expect(boxes).to_have_count(len(cells))
    for index, cell in enumerate(cells):
        retype(boxes.nth(index), "99" if index == 4 else "qq" if index == 7 else cell)
    page.evaluate(ANSWERED_LATER, 20_000)
    page.get_by_role("button", name="Check").click()
    expect(verdict).to_contain_text("2 cells are wrong")
    expect(verdict).to_be_in_viewport(ratio=1)
    expect(boxes.nth(4)).to_be_focused()
    assert [boxes.nth(index).input_value() for index in (3, 4, 5, 7)] == [cells[3], "99", cells[5], "qq"]
    marked = page.locator('[data-testid="stForm"] [aria-invalid="true"]')
    expect(marked).to_have_count(2)
    edge = boxes.nth(4).locator("xpath=ancestor::*[@data-testid='stTextInputRootElement']")
    assert edge.evaluate("box => getComputedStyle(box).borderTopStyle") == "dashed"
    assert "✗" in edge.evaluate("box => getComputedStyle(box, '::after').content")
    page.keyboard.press("Control+a")
    page.keyboard.type(cells[4])
    expect(marked).to_have_count(1)
    retype(boxes.nth(7), cells[7])
    page.keyboard.press("Enter")
    expect(verdict).to_contain_text("counts half")
    expect(verdict).to_be_in_viewport()
    expect(marked).to_have_count(0)
    turn_to(page, "/exercises?kind=construct&level=2&seed=3")
    box = page.get_by_role("textbox", name="Your answer")
    retype(box, "xy 3")
    page.get_by_role("button", name="Check").click()
    expect(verdict).to_contain_text("Not yet.")
    expect(verdict).to_be_in_viewport(ratio=1)
    expect(box).to_be_focused()
    expect(box).to_have_value("xy 3")


@pytest.mark.slow
def test_a_verdict_is_in_sight_before_the_scripts_are(
    serve: Callable[..., str], open_page: Callable[..., Page]
) -> None:
    """On a slow network, an answer may be sent off before they have come."""
    page = open_page(fresh=True)
    page.set_viewport_size({"width": 1280, "height": 500})
    held: list[Route] = []
    page.route("**/static/components.*.js", lambda route: held.append(route))
    page.goto(serve(ROOT / "app.py") + "/exercises?kind=viterbi&level=3&seed=2")
    boxes, verdict = page.locator('[data-testid="stForm"] input'), page.locator(".note.verdict")
    cells = make("viterbi", 3, 2).question.key.split("\n")
    expect(boxes).to_have_count(len(cells))
    for index, cell in enumerate(cells):
        retype(boxes.nth(index), "99" if index == 4 else cell)
    page.get_by_role("button", name="Check").click()
    expect(verdict).to_contain_text("1 cell is wrong")
    assert held and boxes.nth(4).get_attribute("aria-invalid") is None
    held[0].continue_()
    expect(boxes.nth(4)).to_be_focused()
    expect(verdict).to_be_in_viewport(ratio=1)


@pytest.mark.slow
def test_pieces_are_put_over_the_word(serve: Callable[..., str], page: Page) -> None:
    """By mouse and by keys; a piece takes the place of overlapped ones; pieces over the whole word are in the
    box, and typed ones are in the picture. In the Viterbi table, a piece goes into the cell where it ends.
    Oracle: the pieces' own places."""
    app, question = serve(ROOT / "app.py"), make("unigram_best", 2, 1).question
    assert question.board is not None and {"t", "e", "a", "m", "te", "ea", "tea"} == {*question.board.pieces}
    page.goto(f"{app}/exercises?kind=unigram_best&level=2&seed=1")
    box, board = page.get_by_label("Your answer"), page.locator(".ts-board")
    down = board.locator("[aria-pressed=true] bdi")

    def put(piece: str) -> None:
        board.locator(f"[data-piece={piece}]").click()

    put("tea")
    expect(board.locator("p")).to_have_text("Still to cover: m")
    expect(box).to_have_value("")
    put("ea")
    expect(down).to_have_text(["ea"])
    for piece in ("t", "m"):
        put(piece)
    expect(box).to_have_value("t ea m")
    retype(box, "te|a")
    expect(down).to_have_text(["te", "a"])
    page.keyboard.press("Shift+Tab")
    for key in ("End", "Enter"):
        page.keyboard.press(key)
    expect(box).to_have_value("te a m")
    page.get_by_role("button", name="Check").click()
    expect(page.locator(".verdict")).to_contain_text("Not yet.")
    expect(box).to_have_value("")
    expect(down).to_have_count(0)
    turn_to(page, "/exercises?kind=viterbi&level=3&seed=2")
    boxes = page.locator('[data-testid="stForm"] input')
    expect(boxes).to_have_count(len(make("viterbi", 3, 2).question.key.split("\n")))
    put("rea")
    expect(boxes.nth(5)).to_have_value("rea")
    put("a")  # it ends there as well
    expect(boxes.nth(5)).to_have_value("a")
    retype(boxes.nth(7), "Ｒeac")  # a phone begins with a capital, a Japanese keyboard has wide letters
    expect(down).to_have_text(["reac", "a"])
