"""The path, done as a learner does it: with the mouse, the keyboard, and on a phone; with a wrong answer at each station.

Oracle: the five words counted by hand (the course's worked example), `tokenizers`' own encodings in `tests/app/teaching/test_lessons.py`,
and what lies where on the screen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import ROOT, at_rest
from tokensteps.teaching.exercises.kinds import EXERCISE_KINDS
from tokensteps.teaching.path.stations import STATIONS

STRIP = ".ts-walk"
CARD = ".st-key-walk-card"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
PHONE_SHARE = 0.2
"""The strip's share of a phone's height, at most."""
FORM = "[data-testid=stMain] [data-testid=stForm]"
MOST_TABS = 60
IN_FORM = "() => Boolean(document.activeElement.closest('[data-testid=stForm]'))"


class Doing(NamedTuple):
    """What a learner answers at a station, one after the other, and what the strip says in the end."""

    answers: tuple[str, ...]
    named: str
    speaks_of: str
    """What has to be whole in view."""


BOOK = ".ts-flipbook"
BOARD = f"{CARD} .ts-board"
WORDS = f"{BOOK} .cols > section:first-child .w >> nth=4"
"""The last of the five words."""
WHERE = f"{BOOK} .where"
TOKENS = ".st-key-playground-chips [role=option] >> nth=0"
"""The first of the text's."""
DOINGS = (
    Doing(("the", "thunderstorms"), "You wrote thunderstorms.", ".first-tokens >> nth=0"),
    Doing(("p + u", "u + g", "u + n"), "You answered u + g and u + n.", WORDS),
    Doing(("b + un", "hug + s"), "You answered hug + s.", WORDS),
    Doing(("bug s", "b ug s"), "You cut it into b ug s.", WHERE),
    Doing(("1", "4"), "You answered 4.", TOKENS),
    Doing(("token i za tion", "token ization"), "You cut it into token ization.", TOKENS),
    Doing(("##u + ##g", "##g + ##s"), "You answered ##g + ##s.", WORDS),
    Doing(("u n hug", "un hug"), "You cut it into un hug.", BOARD),
    Doing(("hug", "bu"), "You answered bu.", WORDS),
    Doing(("pug", "pun"), "You found pun.", WHERE),
)


class Hand:
    """Somebody at a page."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, at: Locator) -> None:
        at.click()

    def answer(self, text: str) -> None:
        """Give an answer, and check it."""
        box = self.page.get_by_label("Your answer")
        expect(box).to_be_visible()
        self.press(box)
        self.page.keyboard.type(text)
        if box.get_attribute("role") == "combobox":
            option = self.page.get_by_role("option", name=text, exact=True)
            expect(option).to_be_visible()
            self.press(option)
        self.press(self.page.get_by_role("button", name="Check"))

    def go_on(self) -> None:
        self.press(self.page.locator(f"{STRIP} [data-go=next]"))


class Keyboard(Hand):
    """Uses no mouse at all."""

    def press(self, at: Locator) -> None:
        self.reach(at)
        self.page.keyboard.press("Enter")

    def reach(self, at: Locator, key: str = "Tab") -> None:
        for _ in range(MOST_TABS):
            if at.evaluate("node => node === document.activeElement"):
                return
            self.page.keyboard.press(key)
        raise AssertionError(f"Tab never came to {at}")

    def answer(self, text: str) -> None:
        box = self.page.get_by_label("Your answer")
        expect(box).to_be_visible()
        self.reach(box, "Shift+Tab" if self.page.evaluate(IN_FORM) else "Tab")
        self.page.keyboard.type(text)
        if box.get_attribute("role") == "combobox":
            expect(self.page.get_by_role("option", name=text, exact=True)).to_be_visible()
            self.page.keyboard.press("Enter")
        self.press(self.page.get_by_role("button", name="Check"))

    def go_on(self) -> None:
        self.page.keyboard.press("n")


class Finger(Hand):
    """Taps."""

    def press(self, at: Locator) -> None:
        at.tap()


WAYS: dict[str, tuple[type[Hand], dict[str, Any]]] = {
    "keyboard": (Keyboard, {}),
    "phone": (Finger, PHONE),
}
COVERED = """() => { const strip = document.querySelector('.ts-walk').getBoundingClientRect();
  return document.querySelector('[data-testid=stMain]').getBoundingClientRect().bottom - strip.top; }"""


def in_view(page: Page, selector: str) -> None:
    """It is whole in view: under the page's own bar, above the strip."""
    at = page.locator(selector)
    expect(at).to_be_in_viewport(ratio=1)
    box, strip = at.bounding_box(), page.locator(STRIP).bounding_box()
    assert box is not None and strip is not None
    assert box["y"] + box["height"] <= strip["y"] + 1, selector


@pytest.mark.parametrize("way", WAYS)
def test_the_path(serve: Callable[..., str], open_page: Callable[..., Page], way: str) -> None:
    """From the first station to the exercises, with a wrong answer at each: none is done before that, and the strip names what was
    done. What a station speaks of is whole in view, below a verdict, too; the strip covers nothing."""
    make, options = WAYS[way]
    page = open_page(own=f"path-{way}", **options)
    hand = make(page)
    page.goto(f"{serve(ROOT / 'app.py')}/?walk=path.1")
    which, note = page.locator(f"{STRIP} .which"), page.locator(f"{STRIP} .told p").first
    following = page.locator(f"{STRIP} [data-go=next]")
    last = len(STATIONS)
    for number, doing in enumerate(DOINGS, start=1):
        expect(which).to_contain_text(f"{number} of {last}")
        page.wait_for_function(f"new URLSearchParams(location.search).get('walk') === 'path.{number}'")
        expect(page.get_by_label("Your answer")).to_be_visible()
        at_rest(page)
        expect(which).not_to_contain_text("·")  # not done
        if number < last:
            expect(following).to_have_text("Skip")
        in_view(page, FORM)
        in_view(page, doing.speaks_of)
        for index, answer in enumerate(doing.answers):
            hand.answer(answer)
            if not index:
                expect(page.locator(".note.verdict.wrong")).to_contain_text("Not yet.")
                expect(page.locator(".note.verdict.wrong")).not_to_contain_text("half")
            if index + 1 < len(doing.answers):
                at_rest(page)
                in_view(page, doing.speaks_of)
                expect(which).not_to_contain_text("·")
        expect(which).to_contain_text("· done")
        expect(note).to_contain_text(doing.named)
        expect(page.locator(".note.verdict:is(.right, .tied)")).to_be_visible()
        expect(page.locator(".tally")).to_be_hidden()  # a station is done or not: nobody keeps a score
        assert page.evaluate(COVERED) <= 1
        assert page.evaluate("document.querySelector('.ts-walk').offsetHeight") <= PHONE_SHARE * 844
        at_rest(page)
        hand.go_on()
    page.wait_for_function("location.pathname === '/exercises'")
    expect(page.locator(STRIP)).to_have_count(0)
    expect(page.get_by_text(f"You did {last} of {last} stations yourself.")).to_be_visible()
    expect(page.locator(".exercise-head")).to_contain_text(EXERCISE_KINDS["bpe_count"].title)


def test_skipped_and_shown(serve: Callable[..., str], open_page: Callable[..., Page]) -> None:
    """Going on makes no station done; showing the answer does, and the tick says so. Who was half-way along the old path is told what has
    become of it. Oracle: a browser that kept the old path's stations 1 to 3, sealed by this server."""
    page = open_page(own="path-skipped")
    app = serve(ROOT / "app.py")
    page.goto(f"{app}/bpe?walk=path.3&corpus=hug&mode=predict&ask=pair&step=4")
    dots = page.locator(f"{STRIP} li button")
    expect(page.get_by_role("button", name="Reveal")).to_be_visible()
    page.locator(f"{STRIP} [data-go=next]").click()
    page.wait_for_function("new URLSearchParams(location.search).get('walk') === 'path.4'")
    expect(page.locator(CARD)).to_be_visible()
    expect(dots.nth(2)).to_have_accessible_name(f"3: {STATIONS[2].link.label}")
    page.get_by_role("button", name="Reveal").click()
    expect(page.locator(f"{STRIP} .which")).to_contain_text("answer shown")
    expect(page.locator(f"{STRIP} .told p").first).to_contain_text("Shown: b ug s.")
    expect(dots.nth(3)).to_have_accessible_name(f"4: {STATIONS[3].link.label}, answer shown")
    page.goto(f"{app}/wordpiece?corpus=hug&step=1&walk=path.3")  # a link of the old path
    expect(page.locator(f"{BOOK} .say").first).to_contain_text("Merge")
    page.get_by_role("button", name="Back to the station").click()
    page.wait_for_function("location.pathname === '/bpe'")
    expect(page.locator(f"{STRIP} .which")).to_contain_text(f"3 of {len(STATIONS)}")
