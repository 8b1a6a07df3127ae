"""A class in hands: a mouse, a thumb, a keyboard, a clicker. Nothing is given the focus, or sent, by a
script.

Oracle: the typing and taps, key by key.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Locator, Page, Request, Route, expect

from tests.browser.cable import Gate
from tests.browser.conftest import LATER, at_rest, left_over, until_lost
from tests.browser.test_class import (
    CARD,
    PHONE,
    STRIP,
    WALL,
    expect_answered,
    expect_people,
    open_class,
    press,
    shown_code,
    step,
    steps_led_to,
    type_own,
    write_own,
)
from tests.browser.test_walk import held

pytestmark = pytest.mark.slow


def boxes(lecturer: Page) -> tuple[Locator, Locator, Locator]:
    """Of a question of one's own: the question's box, the choices' boxes, and the radios, the last one for no
    choice."""
    own = lecturer.locator(f"{WALL} .own")
    return (
        own.locator("textarea"),
        own.locator(".choice > input:not([type=radio])"),
        own.locator("[type=radio]"),
    )


def holds(lecturer: Page, wording: str, choices: list[str], right: int) -> None:
    """The text so far, and the marked choice."""
    question, texts, radios = boxes(lecturer)
    expect(question).to_have_value(wording)
    for number, choice in enumerate(choices + [""] * (4 - len(choices))):
        expect(texts.nth(number)).to_have_value(choice)
    expect(radios.nth(right)).to_be_checked()


def written_by_hand(lecturer: Page, phone: Page) -> None:
    """During anything in the class, by mouse, thumb and keyboard; it is there until the class has been
    asked."""
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
    choices = lecturer.locator(f"{WALL} .offered .row")
    expect(choices).to_have_text(["red", "blue"])
    expect(choices.first).to_have_css("border-inline-end-style", "solid")  # one can tell where it ends
    phone.locator(CARD).get_by_role("button", name="blue").tap()
    expect_answered(lecturer, "1 of 1 have answered")
    lecturer.get_by_role("button", name="Reveal").click()
    expect(phone.locator(CARD)).to_contain_text("Right.")
    lecturer.get_by_role("button", name="Go on").click()
    with_nothing_but_keys(lecturer, phone)


def marks(lecturer: Page, radios: Locator) -> None:
    """The right choice is marked by mouse, by thumb, and by arrow keys and Space; an empty one can't be
    right."""
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
    type_own(lecturer, "Fast bread?", "sage", "bran")
    for _ in range(3):  # past the empty choices, to the marks
        lecturer.keyboard.press("Tab")
    for _ in range(3):
        lecturer.keyboard.press("ArrowUp")
    holds(lecturer, "Fast bread?", ["sage", "bran"], right=1)
    lecturer.keyboard.press("Enter")
    expect(phone.locator(f"{CARD} .asked")).to_have_text("Fast bread?")
    expect(lecturer.locator(f"{WALL} .counted")).to_be_visible()
    phone.locator(CARD).get_by_role("button", name="sage").tap()
    expect_answered(lecturer, "1 of 1 have answered")
    lecturer.keyboard.press("e")
    expect(phone.locator(CARD)).to_contain_text("Not this one.")
    lecturer.keyboard.press("Escape")


def type_code(page: Page, code: str, strip: str) -> None:
    """Into the box on Home and on “Live class”, from a page in any class; the strip's text then."""
    expect(page.get_by_role("textbox", name="Join a class: code")).to_be_visible()
    at_rest(page)  # the last code is taken out of the box after its strip has come
    page.get_by_role("textbox", name="Join a class: code").tap()
    page.keyboard.type(code)
    page.keyboard.press("Enter")
    expect(page.locator(f"{STRIP} .stop")).to_have_text(strip)


def in_address(page: Page) -> list[str]:
    return parse_qs(urlsplit(page.url).query)["class"]


COVERED = """() => document.querySelector('[data-testid=stMain]').getBoundingClientRect().bottom
  - document.querySelector('.ts-class').getBoundingClientRect().top"""
"""How much of the page's column lies under the strip, where keys and clicks would push the whole page up."""
WRONG = "There is no class with this code: look at the code again."

TAB_IS_TOLD = "document[Symbol.for('tokensteps.room')].place.tab !== ''"


def test_ways_into_a_class(app: str, open_page: Callable[..., Page]) -> None:
    """Opened on Home, joined by the code typed last, looked at without leading anybody away, gone on with
    from another tab; a key sent by somebody is taken only with consent."""
    lecturer, reader = open_page(own="desk"), open_page(own="reader")
    phone = open_page(errors=True, **PHONE)  # a wrong code is a 404
    slow: list[Route] = []
    lecturer.route(EVENTS, lambda route: slow.append(route), times=1)  # a function of one argument
    lecturer.goto(app)
    lecturer.get_by_test_id("stMain").get_by_role("button", name="Open a class", exact=True).click()
    expect(lecturer.locator(f"{STRIP} .stop")).to_have_text("Connecting to the class …")
    slow[0].continue_()
    code = shown_code(lecturer)
    lecturer.keyboard.press("Escape")
    phone.goto(app)
    type_code(phone, "MNPRTW", WRONG)
    type_code(phone, code.lower(), "Waiting for the lecturer")
    expect(phone.get_by_role("textbox", name="Join a class: code")).not_to_be_focused()
    assert in_address(phone) == [code]
    expect(phone.locator(f"{STRIP} .leave")).to_be_in_viewport(ratio=1)  # alone in the strip
    asked_on_home(lecturer, phone)
    phone.goto(f"{app}/class?class=MNPRTW")
    expect(phone.locator(f"{STRIP} .stop")).to_have_text(WRONG)
    type_code(phone, code, "Waiting for the lecturer")
    assert in_address(phone) == [code]
    lecturer.get_by_role("link", name="BPE", exact=True).first.click()
    phone.wait_for_function("location.pathname === '/bpe'")
    lecturer.locator(".ts-flipbook [data-do=next]").first.click()
    for page in (lecturer, phone):
        step(page, 1)
    lecturer.wait_for_function(TAB_IS_TOLD)  # the tabs may come after the stage
    looked_up_without_leading(lecturer, phone)
    lecturer = gone_on_with(lecturer, phone, app, code)
    a_key_that_was_sent(lecturer, reader, app, code)
    ended(lecturer, phone, app)
    lecturer.close()


ABOVE_THE_BUTTONS = """() => { const [told, buttons] = ['.told.wrong', 'footer'].map((part) =>
  document.querySelector(`.ts-class-wall ${part}`).getBoundingClientRect()); return told.bottom <= buttons.top; }"""
"""Whether the reason isn't under the buttons, which stay in sight."""


def asked_on_home(lecturer: Page, phone: Page) -> None:
    """Before any page for the class: a question about none; why a tokenizer can't grade words yet."""
    lecturer.keyboard.press("a")
    expect(lecturer.locator(WALL)).to_contain_text("write a question of your own")
    box = lecturer.get_by_role("button", name="Ask now").bounding_box()
    assert box
    lecturer.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)  # without scrolling to it
    told = lecturer.locator(f"{WALL} .told.wrong")
    expect(told).to_have_text("Type a question and at least two choices.")
    lecturer.wait_for_function(ABOVE_THE_BUTTONS)
    boxes(lecturer)[0].click()
    type_own(lecturer, "Ready?", "yes", "no")
    lecturer.get_by_label("Answered by").select_option("parts")
    lecturer.get_by_label("Into how many tokens").click()
    for key in ("2", "Enter"):
        lecturer.keyboard.press(key)
    expect(told).to_have_text("Open a page for the class first.")
    lecturer.get_by_label("Answered by").select_option("choices")
    lecturer.get_by_role("button", name="Ask now").click()
    expect(phone.locator(f"{CARD} .asked")).to_have_text("Ready?")
    phone.locator(CARD).get_by_role("button", name="yes").tap()
    expect_answered(lecturer, "1 of 1 have answered")
    lecturer.keyboard.press("s")
    expect(lecturer.locator(f"{WALL} table.bars")).to_be_visible()
    lecturer.keyboard.press("g")
    expect_answered(lecturer, "0 of 1 have answered")
    lecturer.keyboard.press("e")
    expect(phone.locator(CARD)).to_contain_text("There was no right or wrong.")
    lecturer.keyboard.press("Escape")


def looked_up_without_leading(lecturer: Page, phone: Page) -> None:
    """In mid-lesson, “Live class”, “For teachers” and Home are the lecturer's alone."""
    steps = steps_led_to(lecturer)
    for name, path in (("Live class", "/class"), ("For teachers", "/teach"), ("Home", "/")):
        lecturer.get_by_role("link", name=name, exact=True).click()
        lecturer.wait_for_function(f"location.pathname === '{path}'")
        expect(lecturer.locator(f"{STRIP} [data-do=back]")).to_be_visible()
        assert lecturer.evaluate(COVERED) <= 1
    lecturer.get_by_role("button", name="Back to the class").click()
    lecturer.wait_for_function("location.pathname === '/bpe'")
    for page in (lecturer, phone):
        step(page, 1)
    assert steps == []


def gone_on_with(lecturer: Page, phone: Page, app: str, code: str) -> Page:
    """The tab is closed; another one leads on, from the class's place. So does a tab in which the lecturer
    types the code."""
    context = lecturer.context
    lecturer.close()
    for again in (lambda page: page.get_by_role("button", name=f"Go on with class {code}").click(), None):
        tab = context.new_page()
        steps = steps_led_to(tab)
        tab.goto(app)
        if again is not None:
            again(tab)
        else:
            tab.get_by_role("textbox", name="Join a class: code").click()
            tab.keyboard.type(code)
            tab.keyboard.press("Enter")
        tab.wait_for_function("location.pathname === '/bpe'")
        for page in (tab, phone):
            step(page, 1)
        expect_people(tab, "1 here · 1 follows")
        assert steps == []
        if again is not None:
            tab.close()
    return tab


def a_key_that_was_sent(lecturer: Page, reader: Page, app: str, code: str) -> None:
    """Everybody who opens it is asked, and follows like anybody else unless they want to lead."""
    key = lecturer.evaluate(f"JSON.parse(localStorage.getItem('tokensteps.class'))['{code}'].key")
    steps = steps_led_to(reader)
    reader.goto(f"{app}/?class={code}#key={quote(key, safe='')}")
    panel = reader.get_by_role("dialog", name=f"Lead class {code}?")
    expect(panel).to_contain_text("whatever you open from then on")
    assert key not in reader.url
    reader.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    step(reader, 1)
    expect(reader.locator(f"{STRIP}.student .stop")).to_have_text("Following the class")
    assert not reader.evaluate(f"JSON.parse(localStorage.getItem('tokensteps.class'))['{code}'].key")
    assert steps == []


def ended(lecturer: Page, phone: Page, app: str) -> None:
    """After a class, the code of the next one counts; it is opened on the wall, by its key."""
    lecturer.keyboard.press("f")  # let go, a phone has no room for more than the way back
    expect(phone.locator(f"{STRIP} .stop")).to_be_hidden()
    lecturer.get_by_role("button", name="End the class").click()
    lecturer.locator(".ts-class-panel").get_by_role("button", name="End the class").click()
    expect(phone.locator(f"{STRIP} .stop")).to_have_text("The class has ended.")
    expect(phone.locator(f"{STRIP} .stop")).to_be_visible()
    gate = Gate(lecturer)
    gate.shut(b"tokensteps.projector")
    lecturer.goto(f"{app}/bpe?corpus=hug&min=2")
    expect(
        lecturer.get_by_test_id("stMain").get_by_role("button", name="Open a class", exact=True)
    ).to_be_visible()
    for key in "pj":  # before the button for the first one is there
        lecturer.keyboard.press(key)
    gate.open()
    code = shown_code(lecturer)
    old = in_address(phone)[0]
    late: list[Route] = []
    phone.route(EVENTS, lambda route: late.append(route), times=1)
    phone.goto(f"{app}/?class={old}")
    phone.get_by_role("textbox", name="Join a class: code").tap()
    expect(phone.locator(f"{STRIP} .stop")).to_have_text("Connecting to the class …")
    until_lost(phone, late)
    late[0].continue_()
    expect(phone.locator(f"{STRIP} .stop")).to_have_text("The class has ended.")
    phone.keyboard.type(code)  # the box is still the one that was tapped
    phone.keyboard.press("Enter")
    expect(phone.locator(f"{STRIP} .stop")).to_have_text("Following the class")
    phone.wait_for_function("location.search.includes('corpus=hug')")
    lecturer.keyboard.press("Escape")
    expect(lecturer.locator(".ts-class-panel")).to_be_hidden()
    expect(lecturer.locator("html[data-projector]")).to_be_attached()
    held(lecturer, "PageDown")  # without a plan, it steps on and then asks
    expect(lecturer.locator(f"{WALL} .asked")).to_be_visible()


def test_tied_choices_have_their_bars(app: str, open_page: Callable[..., Page]) -> None:
    """Twelve pairs are offered, and six bars shown: another row stands for the rest, also without votes. With
    the answer, every tied pair has a row of its own. Two clicks are one: as the room hears of the first,
    another button takes its place, after “Reveal” even “Vote again”."""
    lecturer = open_page()
    open_class(lecturer, f"{app}/bpe?corpus=course&step=1")
    sent: list[str] = []

    def take(request: Request) -> None:
        sent.append(request.url.rpartition("/")[2])

    def click_twice(name: str, following: str) -> None:
        footer = lecturer.locator(f"{WALL} footer")
        footer.get_by_role("button", name=name).dblclick(delay=250)
        expect(footer.locator("button.main")).to_have_text(following)

    lecturer.on("request", take)
    for key in ("Tab", "Escape", "a"):  # at once: the focus was in the panel
        lecturer.keyboard.press(key)
    press(lecturer, "The next pair", WALL)
    expect(lecturer.locator(f"{WALL} .offered > span")).to_have_count(12)
    click_twice("Ask now", "Show answers")
    expect_answered(lecturer, "0 of 0 have answered")
    click_twice("Show answers", "Reveal")
    rows = lecturer.locator(f"{WALL} tbody tr")
    expect(rows).to_have_count(7)
    expect(rows.last).to_contain_text("others")
    click_twice("Reveal", "Go on")
    expect(lecturer.locator(f"{WALL} tr.right th")).to_contain_text("is")
    expect(lecturer.locator(f"{WALL} tr.tied th")).to_have_text(["ertied", "\u2423atied"])
    expect(rows).to_have_count(7)
    expect(rows.last).to_contain_text("others")
    lecturer.keyboard.press("Escape")
    expect(lecturer.locator(WALL)).to_be_hidden()
    assert [one for one in sent if one in {"ask", "show", "reveal", "again"}] == ["ask", "show", "reveal"]
    lecturer.remove_listener("request", take)
    at_rest(lecturer)
    in_front(lecturer)
    a_question_needs_the_stage(lecturer)


def in_front(lecturer: Page) -> None:
    """In projector mode; on its way to the full screen, a browser closes lists over the page."""
    lecturer.keyboard.press("p")
    lecturer.wait_for_function("document.fullscreenElement")


def all_keys(lecturer: Page) -> None:
    """Their list is longer than the window: it is scrolled by keys. Once it is closed, the next key is the
    page's."""
    sheet = lecturer.get_by_role("dialog", name="Keys in projector mode")
    first, last = (sheet.get_by_text(text) for text in ("Next step, previous step: the two", "This list"))
    for key, closing, shown, hidden in (("End", "?", last, first), ("Home", "Escape", first, last)):
        lecturer.keyboard.press("?")
        expect(sheet).to_be_focused()
        lecturer.keyboard.press(key)
        expect(shown).to_be_in_viewport()
        expect(hidden).not_to_be_in_viewport()
        expect(sheet).to_contain_text("QClass: ask the next question that you have prepared")
        lecturer.keyboard.press(closing)
        expect(sheet).to_be_hidden()
        step(lecturer, 0)


def a_question_needs_the_stage(lecturer: Page) -> None:
    """In front, a tab gives way to the words that a question is about, and stays away until the answer."""
    panel, words = lecturer.locator("html[data-panel]"), lecturer.locator(".ts-flipbook .cols .w").first
    lecturer.keyboard.press("v")
    expect(panel).to_be_attached()
    expect(words).to_be_hidden()
    lecturer.keyboard.press("a")
    expect(lecturer.locator(f"{WALL} .asked")).to_be_visible()
    for key in ("Shift", "v", "2"):
        lecturer.keyboard.press(key)
        expect(panel).not_to_be_attached()
        expect(words).to_be_visible()
    lecturer.keyboard.press("Escape")
    expect(lecturer.locator(WALL)).to_be_hidden()
    lecturer.keyboard.press("v")
    expect(panel).to_be_attached()


def test_a_thumb(app: str, open_page: Callable[..., Page]) -> None:
    """A question of the lecturer's own. On the smallest phone: two taps are one answer; a result goes when
    the class goes on. In front, a clicker asks in a plan, too, and long answers leave the bars their room."""
    lecturer = open_page(viewport={"width": 1280, "height": 800}, has_touch=True)
    phone = open_page(errors=True, viewport={"width": 320, "height": 640}, has_touch=True)
    code = open_class(lecturer, f"{app}/bpe?corpus=hug&walk=30.1")
    lecturer.keyboard.press("Escape")
    phone.goto(f"{app}/?class={code}")
    step(phone, 0)
    written_by_hand(lecturer, phone)
    in_front(lecturer)
    all_keys(lecturer)
    held(lecturer, ".")
    expect(lecturer.locator(f"{WALL} .asked")).to_contain_text("Which pair is merged next?")
    expect(lecturer.locator(".ts-blackout")).to_be_hidden()
    lecturer.keyboard.press("PageDown")
    tapped_twice(phone, lecturer)
    expect_answered(lecturer, "1 of 1 have answered")
    for message, wall in (("Answers are closed.", "table.bars"), ("Right.", "tr.right")):
        lecturer.keyboard.press("PageDown")
        expect(phone.locator(CARD)).to_contain_text(message)
        expect(lecturer.locator(f"{WALL} {wall}")).to_be_visible()
    expect(lecturer.locator(f"{WALL} tr.right")).to_contain_text("1 · 100 %")
    assert left_over(lecturer, STUB) == []
    lecturer.keyboard.press("p")
    lecturer.get_by_role("link", name="Exercises", exact=True).first.click()
    phone.wait_for_function("location.pathname === '/exercises'")
    expect(phone.locator(CARD)).to_be_hidden()
    expect(lecturer.locator(WALL)).to_be_hidden()
    long_answers(lecturer, phone)


def test_the_presenter_view_by_keys(app: str, open_page: Callable[..., Page]) -> None:
    """Its “Ask now” has the focus, not the button that opened it. Of more right answers than there is room
    for, a student's own is shown."""
    lecturer, phone = open_page(), open_page(**PHONE)
    code = open_class(lecturer, f"{app}/unigram?corpus=hug&step=0")
    lecturer.keyboard.press("Escape")
    phone.goto(f"{app}/?class={code}")
    step(phone, 0)
    press(lecturer, "Presenter view", STRIP)
    lecturer.keyboard.press("a")
    expect(lecturer.locator('.ts-class-presenter [data-pad="ask"]')).to_be_focused()
    lecturer.keyboard.press("Enter")
    named_and_in_one_order(phone)
    phone.locator(f'{CARD} [data-key="=ugs"]').tap()
    expect_answered(lecturer, "1 of 1 have answered")
    expect(lecturer.locator(".ts-class-presenter")).to_be_visible()
    lecturer.keyboard.press("e")
    expect(phone.locator(CARD)).to_contain_text("Right.")
    expect(phone.locator(f"{CARD} .row")).to_have_text(["ugs", "ug", "bu", "hu"])
    answers = phone.locator(f"{CARD} p:has(> .row)")
    expect(answers).to_contain_text("The right answers:")
    expect(answers).to_contain_text("and others")
    phone.locator(CARD).get_by_role("button", name="Done").tap()
    elsewhere_alone(phone)


def named_and_in_one_order(phone: Page) -> None:
    """The pieces and their probabilities, each in one line, in the order of the buttons below."""
    expect(phone.locator(f"{CARD} .asked")).to_contain_text("The pieces with their probabilities:")
    given = phone.locator(f"{CARD} .asked .nb")
    assert given.evaluate_all("all => all.every((one) => one.getClientRects().length === 1)")
    pieces = phone.locator(f"{CARD} .asked .nb .t").all_inner_texts()
    assert pieces == phone.locator(f"{CARD} .choices button").all_inner_texts() and len(pieces) == 6
    assert all(re.fullmatch(r".+\u00a00\.\d+", one) for one in given.all_text_contents())


def elsewhere_alone(phone: Page) -> None:
    """By a link of the menu, and by Back: the class takes no student back who has gone elsewhere."""

    def let_go(path: str) -> None:
        expect(phone.locator(f"{STRIP} .stop")).to_have_text("On your own")
        at_rest(phone)
        assert urlsplit(phone.url).path == path

    at_rest(phone)
    phone.get_by_test_id("stExpandSidebarButton").tap()
    phone.get_by_test_id("stSidebarNav").get_by_role("link", name="BPE", exact=True).tap()
    let_go("/bpe")
    phone.get_by_role("button", name="Back to the class").tap()
    phone.wait_for_url("**/unigram*")
    at_rest(phone)
    phone.evaluate(LATER)  # the tap in the menu was long ago
    phone.go_back()
    let_go("/bpe")


STUB = """() => [...document[Symbol.for('tokensteps.stage')].querySelectorAll('.transport > input')].filter(slider => {
  const [row, own, above] = [slider.parentElement, slider, slider.previousElementSibling].map(part => part.getBoundingClientRect());
  return own.top >= above.bottom && own.width < row.width / 2; }).map(slider => slider.clientWidth)"""
"""The slider, if it has a row of its own and leaves most of it empty."""


def test_each_device_may_lead_elsewhere(app: str, open_page: Callable[..., Page]) -> None:
    """Also back to where it was before a page without the class, and while the other one steps."""
    wall, phone = open_page(), open_page(**PHONE)
    code = open_class(wall, f"{app}/bpe?corpus=hug&step=2")
    wall.keyboard.press("Escape")  # its panel
    phone.goto(f"{app}/?class={code}")
    step(phone, 2)
    device = open_page()
    gate = Gate(device)
    device.goto(f"{app}/bpe?corpus=hug&step=2&class={code}")
    expect(device.locator(f"{STRIP}.lecturer [data-do=ask]")).to_be_visible()
    step(device, 2)

    def lead(page: Page, title: str, path: str) -> None:
        at_rest(page)
        page.get_by_role("link", name=title, exact=True).click()
        page.wait_for_url(f"**/{path}*")

    lead(device, "Live class", "class")
    at_rest(device)
    lead(wall, "Unigram", "unigram")
    phone.wait_for_url("**/unigram*")
    lead(device, "BPE", "bpe")
    for page in (wall, phone):
        page.wait_for_url("**/bpe*")
        step(page, 2)
    at_rest(device)
    gate.shut(b"class_page")
    lead(device, "WordPiece", "wordpiece")
    wall.keyboard.press("ArrowRight")
    step(phone, 3)
    gate.open()
    for page in (wall, phone):
        page.wait_for_url("**/wordpiece*")
    assert "/wordpiece" in device.url


def tapped_twice(phone: Page, lecturer: Page) -> None:
    """At one place: nothing has moved under the thumb. Earlier taps go first, over any slow connection; a new
    one's first message is older, and takes nothing back."""
    slow: list[Route] = []
    phone.evaluate(WAITS, 60_000)  # on a busy machine, too
    phone.route("**/answer", lambda route: slow.append(route), times=1)
    right = phone.locator(f'{CARD} [data-key="=u + g"]')
    box = right.bounding_box()
    assert box is not None
    phone.locator(f'{CARD} [data-key="=p + u"]').tap()
    for _ in range(2):
        phone.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(phone.locator(f"{CARD} .told")).to_contain_text("Sent.")
    assert right.bounding_box() == box
    phone.route(EVENTS, lambda route: route.continue_(url=route.request.url.split("&after=")[0]))
    connected_anew(phone, lecturer)
    expect(phone.locator(f"{CARD} .choices [aria-pressed=true]")).to_have_count(1)
    expect(right).to_have_attribute("aria-pressed", "true")
    slow[0].continue_()
    phone.unroute(EVENTS)


EVENTS = re.compile(r"/events\?")
WAITS = """ms => { AbortSignal.own ??= AbortSignal.timeout.bind(AbortSignal); AbortSignal.timeout = () => AbortSignal.own(ms); }"""
"""How long a page waits for an answer, instead of 15 s."""


def connected_anew(phone: Page, lecturer: Page) -> None:
    """Without its network for a moment, a phone is told all anew, like one with much missed: the black
    screen, too."""
    phone.context.set_offline(True)
    expect(phone.locator(f"{STRIP} .stop")).to_have_text("No connection to the class: trying again")
    lecturer.keyboard.press("k")
    expect(lecturer.locator(f"{STRIP} [data-do=blank]")).to_have_attribute("aria-pressed", "true")
    phone.context.set_offline(False)
    expect(phone.locator(".ts-class-blank")).to_be_visible()
    lecturer.keyboard.press("k")
    expect(phone.locator(".ts-class-blank")).to_be_hidden()


def tapped_without_network(phone: Page, answer: str) -> None:
    """It goes once the network is back."""
    expect(phone.locator(f"{CARD} .yet")).to_be_visible()
    phone.context.set_offline(True)
    phone.locator(CARD).get_by_role("button", name=answer).tap()
    for told in (f"{CARD} .state.wrong", f"{STRIP} .stop"):
        expect(phone.locator(told)).to_have_text("No connection to the class: trying again")
    expect(phone.locator(f"{CARD} .choices [aria-pressed=true]")).to_contain_text(answer)
    phone.context.set_offline(False)
    expect(phone.locator(f"{CARD} .state")).to_contain_text("Sent.")
    expect(phone.locator(f"{CARD} .wrong")).to_have_count(0)


def long_answers(lecturer: Page, phone: Page) -> None:
    """Text without spaces breaks; each bar is on the wall, at its full length."""
    write_own(lecturer)
    choices = ["x" * 200, "Donaudampfschifffahrtsgesellschaftskapitän"]
    type_own(lecturer, "Which?", *choices)
    holds(lecturer, "Which?", choices, right=4)
    lecturer.keyboard.press("Enter")
    tapped_without_network(phone, "Donaudampf")
    expect_answered(lecturer, "1 of 1 have answered")
    lecturer.keyboard.press("s")
    expect(lecturer.locator(f"{WALL} table.bars")).to_be_visible()
    lecturer.keyboard.press("g")
    expect_answered(lecturer, "0 of 1 have answered")
    phone.evaluate(WAITS, 500)
    phone.route("**/answer", lambda _route: None, times=1)  # a network that swallows a message
    phone.locator(CARD).get_by_role("button", name="Donaudampf").tap()
    expect(phone.locator(f"{CARD} .wrong")).to_be_visible()
    phone.evaluate(WAITS, 60_000)  # on a busy machine, half a second is too short for an answer
    phone.locator(CARD).get_by_role("button", name="Donaudampf").tap()
    expect_answered(lecturer, "1 of 1 have answered")
    lecturer.keyboard.press("s")
    bars = lecturer.locator(f"{WALL} tbody tr").nth(1).locator(".bar")
    expect(bars).to_have_count(2)
    widths = bars.evaluate_all(
        "list => list.map((bar) => bar.getBoundingClientRect()).map(({ width, right }) => [width, right])"
    )
    assert all(width > 60 and right < 1280 - 30 for width, right in widths)
    lecturer.keyboard.press("e")
    lecturer.keyboard.press("Escape")
    phone.get_by_role("button", name="You lost me").tap()
    lecturer.get_by_role("button", name="Lost: 2").click()
    expect(lecturer.locator(".lost-curve li b")).to_have_text(["1", "1"])
