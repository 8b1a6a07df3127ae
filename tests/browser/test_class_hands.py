"""A class as hands hold it: a mouse, a thumb, a keyboard, a clicker. Nothing is given the focus, or sent, by a script.

Oracle: what was typed and tapped, key by key.
"""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import ROOT
from tests.browser.test_class import CARD, PHONE, STRIP, WALL, answered, open_class, step


def boxes(lecturer: Page) -> tuple[Locator, Locator, Locator]:
    """Of a question of one's own: the question's box, those of the choices, and the radios, the last of which is for none."""
    own = lecturer.locator(f"{WALL} .own")
    return (
        own.locator("textarea"),
        own.locator(".choice > input:not([type=radio])"),
        own.locator("[type=radio]"),
    )


def holds(lecturer: Page, asked: str, choices: list[str], right: int) -> None:
    """What is written so far, and which choice is marked."""
    question, texts, radios = boxes(lecturer)
    expect(question).to_have_value(asked)
    assert texts.evaluate_all("list => list.map((box) => box.value)") == choices + [""] * (4 - len(choices))
    assert radios.evaluate_all("list => list.findIndex((radio) => radio.checked)") == right


def write_own(lecturer: Page) -> None:
    lecturer.keyboard.press("a")
    lecturer.locator(WALL).get_by_role("button", name="A question of your own").click()


def test_a_question_is_written_by_hand(serve: Callable[..., str], open_page: Callable[..., Page]) -> None:
    """Whatever happens in the class meanwhile, by mouse, thumb and keyboard; it is there until the class has been asked."""
    app = serve(ROOT / "app.py")
    lecturer, phone = open_page(has_touch=True), open_page(**PHONE)
    code = open_class(lecturer, f"{app}/bpe?corpus=hug")
    lecturer.keyboard.press("Escape")
    phone.goto(f"{app}/?class={code}")
    step(phone, 0)
    write_own(lecturer)
    question, texts, radios = boxes(lecturer)
    question.click()
    lecturer.keyboard.type("My question?")
    texts.nth(0).click()
    lecturer.keyboard.type("red")
    texts.nth(1).tap()
    lecturer.keyboard.type("bl")
    phone.get_by_role("button", name="You lost me").tap()
    expect(lecturer.locator(f"{STRIP} [data-do=lost]")).to_have_text("Lost: 1")
    lecturer.keyboard.type("ue")
    holds(lecturer, "My question?", ["red", "blue"], right=4)
    marks(lecturer, radios)
    lecturer.locator(f"{WALL} header button").click()  # put away, and taken up again
    write_own(lecturer)
    holds(lecturer, "My question?", ["red", "blue"], right=1)
    lecturer.reload()
    expect(lecturer.locator(f"{STRIP} .stop")).to_contain_text("1 here")
    write_own(lecturer)
    holds(lecturer, "My question?", ["red", "blue"], right=1)
    step(lecturer, 0)  # no key was the stage's
    lecturer.get_by_role("button", name="Ask now").click()
    expect(phone.locator(f"{CARD} .asked")).to_have_text("My question?")
    phone.locator(CARD).get_by_role("button", name="blue").tap()
    answered(lecturer, "1 of 1 have answered")
    lecturer.get_by_role("button", name="Reveal").click()
    expect(phone.locator(CARD)).to_contain_text("Right.")
    lecturer.get_by_role("button", name="Go on").click()
    with_nothing_but_keys(lecturer, phone)


def marks(lecturer: Page, radios: Locator) -> None:
    """The right choice is marked by mouse, by thumb, and by arrow keys and Space; one that is empty can't be right."""
    for mark, right in ((radios.nth(0).click, 0), (radios.nth(1).tap, 1), (radios.nth(2).click, 2)):
        mark()
        holds(lecturer, "My question?", ["red", "blue"], right)
    lecturer.get_by_role("button", name="Ask now").click()
    expect(lecturer.locator(f"{WALL} .told")).to_contain_text("Choice 3 is marked as right and is empty")
    radios.nth(2).click()
    for key, right in (
        ("ArrowUp", 1),
        ("ArrowUp", 0),
        ("Space", 0),
        ("ArrowLeft", 4),
        ("ArrowRight", 0),
        ("ArrowDown", 1),
    ):
        lecturer.keyboard.press(key)
        holds(lecturer, "My question?", ["red", "blue"], right)


def with_nothing_but_keys(lecturer: Page, phone: Page) -> None:
    """The next one is empty; letters in a box are letters, and Enter asks."""
    lecturer.keyboard.press("a")
    expect(lecturer.locator(f"{WALL} button.main")).to_be_focused()
    for _ in range(5):  # past the four countdowns
        lecturer.keyboard.press("Shift+Tab")
    lecturer.keyboard.press("Enter")
    holds(lecturer, "", [], right=4)
    for text in ("Fast bread?", "sage", "bran"):
        lecturer.keyboard.type(text)
        lecturer.keyboard.press("Tab")
    for _ in range(2):  # to the marks
        lecturer.keyboard.press("Tab")
    for _ in range(3):
        lecturer.keyboard.press("ArrowUp")
    holds(lecturer, "Fast bread?", ["sage", "bran"], right=1)
    lecturer.keyboard.press("Enter")
    expect(phone.locator(f"{CARD} .asked")).to_have_text("Fast bread?")
    expect(lecturer.locator(f"{WALL} .counted")).to_be_visible()
    phone.locator(CARD).get_by_role("button", name="sage").tap()
    answered(lecturer, "1 of 1 have answered")
    lecturer.keyboard.press("e")
    expect(phone.locator(CARD)).to_contain_text("Not this one.")
    lecturer.keyboard.press("Escape")
