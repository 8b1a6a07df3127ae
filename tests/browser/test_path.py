"""The path in a learner's hands: with the mouse, the keyboard, and on a phone; with a wrong answer at each
station.

Oracle: the five words counted by hand (the course's worked example), `tokenizers`' own encodings in
`tests/app/teaching/test_lessons.py`, and places on the screen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.cable import Gate
from tests.browser.conftest import ROOT, at_rest, pause
from tests.browser.hands import tab_to
from tests.browser.test_walk import COVERED, STRIP
from tokensteps.drawing.tokens import lit_id
from tokensteps.teaching.exercises.kinds import EXERCISE_KINDS
from tokensteps.teaching.lessons import LESSONS
from tokensteps.teaching.path.stations import STATIONS

pytestmark = pytest.mark.slow

CARD = ".st-key-walk-card"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
PHONE_SHARE = 0.2
"""The strip's share of a phone's height, at most."""
FORM = "[data-testid=stMain] [data-testid=stForm]"
IN_FORM = "() => Boolean(document.activeElement.closest('[data-testid=stForm]'))"


class Doing(NamedTuple):
    """A learner's answers at a station, one after the other, and the strip's text in the end."""

    answers: tuple[str, ...]
    named: str
    speaks_of: str
    """The part that has to be whole in view."""


BOOK = ".ts-flipbook"
BOARD = f"{CARD} .ts-board"
WORDS = f"{BOOK} .cols > section:first-child .w >> nth=4"
"""The last of the five words."""
CUTS = f"{BOOK} .trio > section:last-child .w >> nth=4"
"""The same in the last of three columns."""
TOKENS = ".st-key-playground-chips [role=option] >> nth=0"
"""The first of the text's."""
DOINGS = (
    Doing(("the", "thunderstorms"), "You wrote thunderstorms.", ".first-tokens >> nth=0"),
    Doing(("p + u", "u + g", "u + n"), "You answered u + g and u + n.", WORDS),
    Doing(("b + un", "hug + s"), "You answered hug + s.", WORDS),
    Doing(("bug s", "b ug s"), "You cut it into b ug s.", WORDS),
    Doing(("1", "4"), "You answered 4.", TOKENS),
    Doing(("token i za tion", "token ization"), "You cut it into token ization.", TOKENS),
    Doing(("##u + ##g", "##g + ##s"), "You answered ##g + ##s.", WORDS),
    Doing(("u n hug", "un hug"), "You cut it into un hug.", BOARD),
    Doing(("hug", "bu"), "You answered bu.", WORDS),
    Doing(("pug", "pun"), "You found pun.", CUTS),
)


class Hand:
    """Somebody at a page."""

    looks = True
    """Whether to check the places of everything: once for each window."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, at: Locator) -> None:
        at.click()

    def answer(self, text: str) -> None:
        """Give an answer, and check it."""
        at_rest(self.page)  # the last answer's box is gone
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


class Mouse(Hand):
    """Clicks where two tokens meet, and pieces over a word, where there are any."""

    def answer(self, text: str) -> None:
        at_rest(self.page)  # the last answer's box is gone
        box = self.page.get_by_label("Your answer")
        if " + " in text:
            self.page.locator(f'{BOOK} .w .join[data-pick="{lit_id(*text.split(" + "))}"]').first.click()
        elif self.page.locator(BOARD).count():
            for piece in text.split():
                self.page.locator(f"{BOARD} [data-piece={piece}]").first.click()
        else:
            super().answer(text)
            return
        expect(box).to_have_value(text)
        self.press(self.page.get_by_role("button", name="Check"))


class Keyboard(Hand):
    """Uses no mouse at all."""

    looks = False

    def press(self, at: Locator) -> None:
        tab_to(at)
        self.page.keyboard.press("Enter")

    def answer(self, text: str) -> None:
        at_rest(self.page)  # the last answer's box is gone
        box = self.page.get_by_label("Your answer")
        expect(box).to_be_visible()
        tab_to(box, "Shift+Tab" if self.page.evaluate(IN_FORM) else "Tab")
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
    "mouse": (Mouse, {}),
    "keyboard": (Keyboard, {}),
    "phone": (Finger, PHONE),
}
CUT = """() => [...document.querySelectorAll('.ts-walk .which *')].filter((node) =>
  node.scrollWidth > node.clientWidth || node.getBoundingClientRect().right > innerWidth).map((node) => node.outerHTML)"""
WIDER = "(main => main.scrollWidth - main.clientWidth)(document.querySelector('[data-testid=stMain]'))"


def in_view(page: Page, selector: str) -> None:
    """The element is whole in view: under the page's own bar, above the strip."""
    at = page.locator(selector)
    expect(at).to_be_in_viewport(ratio=1)
    box, strip = at.bounding_box(), page.locator(STRIP).bounding_box()
    assert box is not None and strip is not None
    assert box["y"] + box["height"] <= strip["y"] + 1, selector


@pytest.mark.parametrize("way", WAYS)
def test_the_path(serve: Callable[..., str], open_page: Callable[..., Page], way: str) -> None:
    """From the first station, by keyboard from Home, to the exercises, with a wrong answer at each: none is
    done before that, and the strip names the learner's mistake. The station's subject is whole in view, below
    a verdict, too; the strip covers nothing, and nothing scrolls sideways."""
    make, options = WAYS[way]
    page = open_page(own=f"path-{way}", **options)
    hand = make(page)
    if way == "keyboard":
        page.goto(serve(ROOT / "app.py"))
        at_rest(page)
        start = page.get_by_role("link", name="New here? Start")
        start.hover()  # white words, on a darker red
        expect(start).to_have_css("background-color", "rgb(154, 52, 18)")
        hand.press(start)
        expect(page.get_by_label("Your answer")).to_be_focused()
    else:
        page.goto(f"{serve(ROOT / 'app.py')}/?walk=path.1")
    which, note = page.locator(f"{STRIP} .which"), page.locator(f"{STRIP} .told p").first
    following = page.locator(f"{STRIP} [data-go=next]")
    last = len(STATIONS)
    for number, doing in enumerate(DOINGS, start=1):
        expect(which).to_contain_text(f"{number} of {last}")
        page.wait_for_function(f"new URLSearchParams(location.search).get('walk') === 'path.{number}'")
        at_rest(page)  # the last station's form is there until this one's has come
        expect(page.get_by_label("Your answer")).to_be_visible()
        expect(which).not_to_contain_text("·")  # not done
        if number < last:
            expect(following).to_have_text("Skip")
        if hand.looks:
            in_view(page, FORM)
            in_view(page, doing.speaks_of)
        for index, answer in enumerate(doing.answers):
            hand.answer(answer)
            if not index:
                expect(page.locator(".note.verdict.wrong")).to_contain_text("Not yet.")
                expect(page.locator(".note.verdict.wrong")).not_to_contain_text("half")
            if index + 1 < len(doing.answers):
                at_rest(page)
                if hand.looks:
                    in_view(page, doing.speaks_of)
                expect(which).not_to_contain_text("·")
        expect(which).to_contain_text("· done")
        expect(note).to_contain_text(doing.named)
        expect(page.locator(".note.verdict:is(.right, .tied)")).to_be_visible()
        expect(page.locator(".tally")).to_be_hidden()  # a station is done or not: nobody keeps a score
        if hand.looks:
            page.wait_for_function(f"({COVERED})() <= 1")  # the strip gets its room in the next frame
            assert page.evaluate(WIDER) == 0
            assert page.evaluate("document.querySelector('.ts-walk').offsetHeight") <= PHONE_SHARE * 844
        at_rest(page)
        if STATIONS[number - 1].predictions:  # the hidden score takes no room
            edges = [page.locator(one).last.bounding_box() for one in (".note.verdict", "[class*=-predict]")]
            assert all(edges) and len({round(box["x"] + box["width"]) for box in edges if box}) == 1
        elif way == "keyboard":  # its box is gone
            expect(following).to_be_focused()
        hand.go_on()
    page.wait_for_function("location.pathname === '/exercises'")
    expect(page.locator(STRIP)).to_have_count(0)
    expect(page.get_by_text(f"You did {last} of {last} stations yourself.")).to_be_visible()
    expect(page.locator(".exercise-head")).to_contain_text(EXERCISE_KINDS["bpe_count"].title)
    if way == "keyboard":  # the strip that had the focus is gone: the page has it, and Tab goes on from there
        expect(page.get_by_test_id("stMain")).to_be_focused()
    if way == "phone":  # an activity shared with a plan has as much room
        page.goto(f"{serve(ROOT / 'app.py')}/bpe?corpus=hug&mode=predict&ask=pair&walk=90.2")
        expect(which.locator("b")).to_have_text(LESSONS[2].title)  # the longest of their titles
        expect(which.locator("span")).to_have_text(f"2 of {len(LESSONS[2].activities)}")
        expect(page.get_by_role("button", name="Reveal")).to_be_visible()
        at_rest(page)
        in_view(page, FORM)
        in_view(page, WORDS)
        assert page.evaluate(CUT) == []
        assert page.evaluate("document.querySelector('.ts-walk').offsetHeight") <= PHONE_SHARE * 844


def test_back_and_forward_at_a_station(serve: Callable[..., str], open_page: Callable[..., Page]) -> None:
    """Answers at a station count from any of its steps on: where Back leads to it from the next one, its game
    begins at the step left there; Forward to the same station finds the game and its answers."""
    page = open_page(own="path-back")
    hand, strip = Mouse(page), page.locator(STRIP)
    page.goto(f"{serve(ROOT / 'app.py')}/?walk=path.1")

    def at(number: int) -> None:
        expect(strip.locator(".which")).to_contain_text(f"{number} of {len(STATIONS)}")
        page.wait_for_function(f"new URLSearchParams(location.search).get('walk') === 'path.{number}'")
        at_rest(page)

    for number, answers in enumerate(((), ("u + g",), ()), start=1):
        at(number)
        for answer in answers:
            hand.answer(answer)
            expect(page.locator(".note.verdict.right")).to_be_visible()
            at_rest(page)
        if number < 3:
            hand.go_on()
    page.go_back()
    at(2)
    hand.answer("u + n")
    expect(page.locator(".note.verdict.right")).to_be_visible()
    at_rest(page)
    page.go_back()
    at(1)
    page.go_forward()
    at(2)
    expect(strip.locator(".which")).not_to_contain_text("·")
    hand.answer("h + ug")
    expect(strip.locator(".which")).to_contain_text("· done")
    expect(strip.locator(".told p").first).to_contain_text("You answered u + n and h + ug.")


def beside_station_4(other: Page, app: str) -> Page:
    """A new tab beside one that has just come to a station: the progress is for all tabs."""
    other.goto(app)
    other.get_by_role("link", name=STATIONS[3].link.label).click()
    other.wait_for_url("**walk=path.4*")
    at_rest(other)
    return other.context.new_page()


def test_a_link_leads_on_before_the_scripts_are_there(
    serve: Callable[..., str], open_page: Callable[..., Page]
) -> None:
    """On a slow network, a station may be chosen before Home's scripts have come. What they send until Python
    has answered is for Home, and mustn't lead back to it."""
    app = serve(ROOT / "app.py")
    page = beside_station_4(open_page(own="path-slow"), app)
    held: list[Route] = []
    gate = Gate(page)
    page.route("**/static/components.*.js", lambda route: held.append(route))
    page.goto(app)
    page.wait_for_function("document.querySelector('.stApp')?.dataset.testScriptState === 'notRunning'")
    gate.shut()
    page.get_by_role("link", name=STATIONS[4].link.label).click()
    assert held
    held[0].continue_()
    page.locator(".ts-projector").wait_for(state="attached")
    pause(page, 1500)
    gate.open()
    expect(page.locator(CARD).get_by_role("button", name="Reveal")).to_be_visible()
    assert urlsplit(page.url).path == f"/{STATIONS[4].link.page}"


BUSY = """{ const begin = setTimeout, held = window.held = [];
  window.setTimeout = (run, wait = 0, ...more) => wait ? begin(run, wait, ...more) : held.push(run);
  const release = () => { window.setTimeout = begin; for (const run of held) run(); };
  addEventListener("click", () => begin(release, 20), { capture: true, once: true }); }"""
"""A browser too busy for its timers until it has heard of a click."""


def test_a_link_follows_the_messages_before_it(
    serve: Callable[..., str], open_page: Callable[..., Page]
) -> None:
    """Home's scripts have told Streamlit what the browser keeps, but Streamlit hasn't sent it yet, when a
    link is clicked. Sent after the click, it would lead the server back to Home."""
    app = serve(ROOT / "app.py")
    page = beside_station_4(open_page(own="path-busy"), app)
    page.add_init_script(BUSY)
    page.goto(app)
    page.wait_for_function("held.some((run) => String(run).includes('sendUpdateWidgetsMessage'))")
    page.get_by_role("link", name=STATIONS[4].link.label).click()
    page.wait_for_url("**walk=path.5*")
    expect(page.locator(CARD).get_by_role("button", name="Reveal")).to_be_visible()
    at_rest(page)
    assert urlsplit(page.url).path == f"/{STATIONS[4].link.page}"


def test_the_path_in_two_tabs(serve: Callable[..., str], open_page: Callable[..., Page]) -> None:
    """Two tabs on the path, both opened before either has done anything: what the second one does later takes
    nothing from the first one's stations, neither in a new tab nor in the second itself."""
    first = open_page(own="path-tabs")
    second, app = first.context.new_page(), serve(ROOT / "app.py")
    for number, page in enumerate((first, second), start=4):
        page.goto(app)
        page.get_by_role("link", name=STATIONS[number - 1].link.label).click()
        page.wait_for_url(f"**walk=path.{number}*")
        at_rest(page)
    for page in (first, second):
        page.locator(CARD).get_by_role("button", name="Reveal").click()
        expect(page.locator(f"{STRIP} .which")).to_contain_text("answer shown")
        at_rest(page)
    second.get_by_role("link", name="Home", exact=True).click()
    expect(second.locator(".walked")).to_have_text(f"2 stations of {len(STATIONS)} done")
    second.close()
    first.reload()
    at_rest(first)
    first.get_by_role("link", name="Home", exact=True).click()
    expect(first.locator(".walked")).to_have_text(f"2 stations of {len(STATIONS)} done")
