"""All browsers as one class: answers hidden during a question, a second device of the lecturer's, a lost
connection.

By mouse, touch and keyboard, as in a room. Oracle: the Hugging Face course's five words, where `u` and `g`
are merged first and then `u` and `n`; the lecturer's own page; the exercises' own keys.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import groupby
from typing import Any

import pytest
from playwright.sync_api import APIResponse, Locator, Page, Request, Route, expect

from tests.browser.cable import Cable, Gate
from tests.browser.conftest import (
    ANSWERED_LATER,
    LATER,
    ROOT,
    SCORES_IN_SIGHT,
    at_rest,
    left_over,
    lose_first,
    open_tab,
    pause,
    turn_to,
    until_lost,
)
from tests.browser.test_bpe_page import FOLLOWED
from tests.browser.test_bpe_page import Bpe as Learner
from tests.browser.test_class import CARD, LOOKS, STRIP, WALL, open_class, press, step, type_own, write_own
from tests.browser.test_class_words import KEY
from tests.browser.test_projector import TINY
from tests.browser.test_walk import held
from tests.waiting import until
from tokensteps.drawing.tokens import Style, pair_text, readable
from tokensteps.runs.algorithms import BPE, trace_at
from tokensteps.shell.walk import lesson_facts
from tokensteps.teaching.exercises.kinds import make
from tokensteps.teaching.walk import stops_of

PHONE = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
MAIN = "[data-testid=stMain]"
BYTES = Style(byte_level=True, show="spaces")


@pytest.fixture
def other_app(serve: Callable[..., str]) -> str:
    """The address of the process for all files, where few classes are opened."""
    return serve(ROOT / "app.py")


def opened(lecturer: Page, address: str) -> str:
    """A class on this page, opened by mouse; its code. Its panel is closed."""
    code = open_class(lecturer, address)
    press(lecturer, "Start", ".ts-class-panel")
    return code


def followed(phone: Page, app: str, code: str, path: str) -> None:
    phone.goto(f"{app}/?class={code}")
    phone.wait_for_function("path => location.pathname === path", arg=path)
    expect(phone.locator(f"{STRIP} .stop")).to_have_text("Following the class")
    at_rest(phone)  # at the class's step


def on_page(page: Page, name: str) -> Locator:
    """A button of the page itself, not of a class's additions."""
    return page.locator(MAIN).get_by_role("button", name=name, exact=True)


def seen(page: Page, selector: str) -> int:
    """How many of these can be seen in the page itself."""
    return page.locator(f"{MAIN} {selector}").filter(visible=True).count()


@pytest.mark.slow
def test_a_question_is_not_given_away(app: str, open_page: Callable[..., Page]) -> None:
    """In Predict, also to somebody ahead; step by step; on a page of exercises. The former state comes
    back."""
    lecturer, phone = open_page(), open_page(**PHONE)
    code = opened(lecturer, f"{app}/bpe?corpus=hug&mode=predict&ask=pair")
    followed(phone, app, code, "/bpe")
    # One student finds out the first two merges alone, and comes back to the class.
    phone.evaluate(ANSWERED_LATER, 1_000)
    for number in (1, 2):
        on_page(phone, "Reveal").tap()
        step(phone, number)
    phone.locator(STRIP).get_by_role("button", name="Back to the class").tap()
    step(phone, 0)
    lecturer.keyboard.press("a")
    expect(lecturer.locator(f"{WALL} .asked")).to_contain_text("Which pair is merged next?")
    lecturer.keyboard.press("Enter")
    expect(phone.locator(f"{CARD} .asked")).to_contain_text("Which pair is merged next?")
    phone.locator(CARD).get_by_role("button", name="Look at the page").tap()
    nothing_tells(phone)
    phone.locator(".ts-flipbook .stage").first.tap()
    for key in ("ArrowRight", "End"):
        phone.keyboard.press(key)
    step(phone, 0)
    lecturer.keyboard.press("e")
    step(phone, 1)
    phone.locator(CARD).get_by_role("button", name="Done").tap()
    expect(on_page(phone, "Reveal")).to_be_visible()
    expect(phone.locator(MAIN).get_by_text("2 answers")).to_be_visible()
    lecturer.keyboard.press("Escape")

    an_own_question(lecturer)
    expect(phone.locator(f"{CARD} .asked")).to_have_text("Ready?")
    nothing_tells(phone)
    lecturer.keyboard.press("e")
    expect(on_page(phone, "Reveal")).to_be_visible()
    lecturer.keyboard.press("Escape")
    an_exercise(lecturer, phone, code)


def nothing_tells(phone: Page) -> None:
    """Nothing on the page answers at a tap, shows an earlier answer, or leads past the question."""
    for name in ("Reveal", "Check", "Predict", "Step through"):
        expect(on_page(phone, name)).to_be_hidden()
    expect(phone.locator(MAIN).get_by_text("2 answers")).to_be_hidden()
    book = phone.locator(".ts-flipbook").first
    expect(book.locator(".line > .future")).to_have_count(0)
    expect(book.locator(".cols > section")).to_have_count(1)


def an_own_question(lecturer: Page) -> None:
    """A question of the lecturer's own, with two choices, asked by keyboard."""
    an_own_draft(lecturer)
    lecturer.locator(WALL).get_by_role("button", name="Ask now").click()
    expect(lecturer.locator(f"{WALL} .counted")).to_be_visible()


def an_own_draft(lecturer: Page) -> None:
    """One that hasn't been asked; the focus is in its last choice."""
    write_own(lecturer)
    type_own(lecturer, "Ready?", "yes", "no")


def an_exercise(lecturer: Page, phone: Page, code: str) -> None:
    """Asked about an exercise, nobody's own page answers it, and text typed into it is kept."""
    turn_to(lecturer, f"/exercises?kind=bpe_count&level=1&seed=1&class={code}")
    phone.wait_for_function("location.pathname === '/exercises'")
    at_rest(phone)  # the page before has a box of this name, too
    box = phone.get_by_role("textbox", name="Your answer")
    box.tap()
    phone.keyboard.type(make("bpe_count", 1, 1).question.key)
    an_own_question(lecturer)
    expect(phone.locator(f"{CARD} .asked")).to_have_text("Ready?")
    for name in ("Reveal", "Check"):
        expect(on_page(phone, name)).to_be_hidden()
    expect(phone.get_by_test_id("stDownloadButton").first).to_be_hidden()
    lecturer.keyboard.press("e")
    expect(on_page(phone, "Reveal")).to_be_visible()
    expect(box).to_have_value(make("bpe_count", 1, 1).question.key)


AWAY = ".ts-away"
TOLD = {
    "en-US": "The server can't be reached. Your text and your step are kept; the page comes back by itself.",
    "zh-CN": "无法连接到服务器。你的文本和所在步骤都已保留，恢复连接后页面会自动继续。",
    "ja-JP": "サーバーに接続できません。入力した文字と現在のステップは保持されており、つながり次第ページは自動的に元に戻ります。",
}


@pytest.mark.slow
def test_a_lost_connection(app: str, open_page: Callable[..., Page]) -> None:
    """A phone in a class, a half-typed text, a run in steps: in three languages, a strip instead of
    Streamlit's dialog, which would be there after 3 seconds. The phone doesn't claim to follow; then it is at
    the class's new place. Before, it hears no answer to its request to join: it asks again, and is no other
    student."""
    cable = Cable(app)
    lecturer, phone = open_page(), open_page(**PHONE, errors=True)
    typing, stepping = open_page(locale="zh-CN", errors=True), open_page(locale="ja-JP", errors=True)
    code = opened(lecturer, f"{app}/bpe?corpus=hug")
    lost: list[APIResponse] = []

    def lose_first_answer(route: Route) -> None:
        if lost:
            route.continue_()
        else:
            lost.append(route.fetch())
            route.abort()

    phone.route("**/join", lose_first_answer)
    followed(phone, cable.address, code, "/bpe")
    phone.unroute_all()
    assert [answer.status for answer in lost] == [200]
    lecturer.wait_for_function("document[Symbol.for('tokensteps.room')].state.people?.here === 1")
    assert lecturer.evaluate("document[Symbol.for('tokensteps.room')].state.people.joined") == 1
    step(phone, 0)
    stepping.goto(f"{cable.address}/unigram?corpus=hug&step=3")
    step(stepping, 3)
    typing.goto(f"{cable.address}/bpe?corpus=paste&text=hug+pug+pun&step=0")
    box = typing.get_by_test_id("stSidebar").locator("textarea").first
    box.click()
    typing.keyboard.press("End")
    typing.keyboard.type(" bun")
    text = box.input_value()

    cable.pull_out()
    for page, language in ((phone, "en-US"), (typing, "zh-CN"), (stepping, "ja-JP")):
        expect(page.locator(AWAY)).to_have_text(TOLD[language])
        assert page.evaluate(COVERS) == []
    expect(phone.locator(f"{STRIP} .stop")).to_have_text("No connection to the class: trying again")
    pause(phone, 4000)  # Streamlit gives up six tries, and then says so
    for page in (phone, typing, stepping):
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.locator(AWAY)).to_be_visible()
    stepping.locator(".ts-flipbook [data-do=next]").first.click()  # the steps are in the browser
    step(stepping, 4)
    lecturer.keyboard.press("ArrowRight")
    step(lecturer, 1)
    step(phone, 0)

    cable.plug_in()
    for page in (phone, typing, stepping):
        expect(page.locator(AWAY)).to_be_hidden()
    expect(phone.locator(f"{STRIP} .stop")).to_have_text("Following the class")
    step(phone, 1)
    step(stepping, 4)
    expect(box).to_have_value(text)
    cable.pull_out()


@pytest.mark.slow
def test_a_connection_lost_before_the_strip_is_drawn(app: str, open_page: Callable[..., Page]) -> None:
    page = open_page(fresh=True, errors=True)
    gate = Gate(page)
    gate.shut(b"can't be reached")
    page.goto(f"{app}/bpe?corpus=hug")
    while not gate.holds:
        pause(page, 50)
    page.context.set_offline(True)
    gate.open()
    expect(page.locator(AWAY)).to_have_text(TOLD["en-US"])
    page.context.set_offline(False)
    expect(page.locator(AWAY)).to_be_hidden()


@pytest.mark.slow
def test_a_server_started_again(app: str, serve: Callable[..., str], open_page: Callable[..., Page]) -> None:
    """Steps without a server, and before a new one's first answer, stay: on the stage, in the address, and
    for Python's tables."""
    cable, other = Cable(app), serve(ROOT / "app.py")
    page = open_page(errors=True)
    gate, following = Gate(page), page.locator(".ts-flipbook [data-do=next]").first

    def at(number: int) -> None:
        at_rest(page)
        step(page, number)
        expect(page.locator(MAIN)).to_contain_text(f"pairs after step {number},")
        page.wait_for_function(f"new URLSearchParams(location.search).get('step') === '{number}'")

    def go_on(number: int) -> None:
        following.click()
        step(page, number)
        page.wait_for_function(f"new URLSearchParams(location.search).get('step') === '{number}'")

    def change_servers(address: str, number: int) -> None:
        cable.pull_out()
        expect(page.locator(AWAY)).to_be_visible()
        go_on(number)  # a hand doesn't wait for the server
        cable.lead_to(address)
        cable.plug_in()
        expect(page.locator(AWAY)).to_be_hidden()

    page.goto(f"{cable.address}/bpe?corpus=course")
    open_tab(page, "Every pair")
    go_on(1)
    at(1)
    change_servers(other, 2)
    at(2)
    gate.shut()
    change_servers(app, 3)
    go_on(4)
    gate.open()
    at(4)
    page.reload()
    at(4)
    cable.pull_out()


@pytest.mark.slow
def test_a_server_that_hangs(app: str, open_page: Callable[..., Page]) -> None:
    """It takes connections and answers nothing: the playground says so to somebody who types, until the
    answers come, and nothing is lost."""
    cable, page = Cable(app), open_page(errors=True)
    page.goto(f"{cable.address}/playground?text=hug")
    box, chips = page.locator(".ts-editor [role=textbox]"), page.locator(".ts-chips .pane").first
    expect(chips).to_have_text("hug")
    at_rest(page)
    box.click()
    page.keyboard.press("End")
    cable.passes.clear()
    page.keyboard.type(" pug")
    expect(page.locator(AWAY)).to_have_text(TOLD["en-US"])
    page.keyboard.type(" pun")
    cable.passes.set()
    expect(page.locator(AWAY)).to_be_hidden()
    at_rest(page)
    expect(box).to_have_text("hug pug pun")
    expect(chips).to_have_text(re.compile("hug.*pug.*pun"))
    cable.pull_out()


COVERS = """() => { const { top } = document.querySelector('.ts-away').getBoundingClientRect();
  return [...document.querySelectorAll('.stMain, .ts-class')].map((node) => node.getBoundingClientRect())
    .filter((box) => box.bottom > top + 1 && box.top < top).map(({ bottom }) => [bottom, top]); }"""
"""The elements under the strip."""


IN_ROOM = "query => document[Symbol.for('tokensteps.room')].place.query === query"
"""Whether the class is at these settings, as this page has heard."""


@pytest.mark.slow
def test_two_devices_are_one_lecturer(app: str, open_page: Callable[..., Page]) -> None:
    """In Predict: the wall shows every press on the second device, and nobody is pulled back. The wall's own
    answer leads as well."""
    address = f"{app}/bpe?corpus=hug&mode=predict&ask=pair"
    wall, phone = open_page(), open_page(**PHONE)
    code = opened(wall, address)
    followed(phone, app, code, "/bpe")
    device = open_page()  # in the same browser, with the key
    lost = lose_first(device, b'"leads"')
    device.goto(f"{address}&class={code}")
    expect(device.locator(f"{STRIP}.lecturer [data-do=ask]")).to_be_visible()
    step(device, 0)
    wall.keyboard.press("a")  # a question on its way, overtaken by the other device
    expect(wall.locator(f"{WALL} .asked")).to_contain_text("Which pair is merged next?")
    device.keyboard.press("a")
    expect(device.locator(f"{WALL} .asked")).to_contain_text("Which pair is merged next?")
    device.keyboard.press("Enter")
    expect(wall.locator(f"{WALL} .counted")).to_have_text("0 of 1 have answered")
    phone.locator(f'{CARD} [data-key="=p + u"]').tap()
    for page in (wall, device):
        expect(page.locator(f"{WALL} .counted")).to_have_text("1 of 1 have answered")
    device.keyboard.press("s")
    for page in (wall, device):  # the device may hear of its own press last
        expect(page.locator(f"{WALL} table.bars")).to_be_visible()
    device.keyboard.press("g")
    expect(wall.locator(f"{WALL} h2")).to_have_text("The same question, vote 2")
    expect(device.locator(f"{WALL} .counted")).to_have_text("0 of 1 have answered")
    device.keyboard.press("s")
    for page in (wall, device):
        expect(page.locator(f"{WALL} table.bars")).to_be_visible()
    device.keyboard.press("g")
    expect(wall.locator(f"{WALL} h2")).to_have_text("The same question, vote 3")
    phone.locator(f'{CARD} [data-key="=u + g"]').tap()
    expect(wall.locator(f"{WALL} .counted")).to_have_text("1 of 1 have answered")
    device.keyboard.press("e")
    for page in (wall, device):
        expect(page.locator(f"{WALL} tr.right th")).to_contain_text("right")
        votes = page.locator(f"{WALL} tbody tr").filter(has_text="pu").first.locator(".number")
        expect(votes).to_have_text(["1 · 100 %", "0 · 0 %"])
        expect(page.locator(f"{WALL} thead th")).to_have_text(["Answers", "Vote 1", "Vote 3"])
    until_lost(device, lost)
    device.evaluate(LATER)  # its time to wait is over
    for page in (wall, device, phone):
        step(page, 1)
    device.locator(WALL).get_by_role("button", name="Go on").click()
    expect(wall.locator(WALL)).to_be_hidden()
    phone.locator(CARD).get_by_role("button", name="Done").tap()
    for page in (wall, device, phone):
        at_rest(page)
        step(page, 1)
    on_page(wall, "Reveal").click()  # the page's own
    for page in (wall, device, phone):
        step(page, 2)
    wall.keyboard.press("ArrowLeft")
    for page in (device, phone):
        step(page, 1)
    at_rest(wall)  # so its address has the step
    gate = Gate(wall)
    wall.reload()  # a card put aside stays so
    expect(wall.locator(f"{STRIP}.lecturer [data-do=ask]")).to_be_visible()
    expect(wall.locator(WALL)).to_be_hidden()
    at_rest(wall)
    gate.shut()
    turn_to(device, f"{app}/bpe?corpus=course&class={code}")
    wall.wait_for_function(IN_ROOM, arg="corpus=course")
    device.go_back()
    wall.wait_for_function(IN_ROOM, arg="ask=pair&corpus=hug&mode=predict")
    gate.open()  # the wall was led away before the other device came back
    at_rest(wall)
    wall.wait_for_function("location.search.includes('corpus=hug')")
    step(wall, 1)


@pytest.mark.slow
def test_a_device_comes_back_from_offline(app: str, open_page: Callable[..., Page]) -> None:
    """A step taken offline leads the class once there is a network, unless another device has led it
    meanwhile: then both are at the newer step. Offline, nothing is sent again and again."""
    laptop, own = open_page(errors=True), open_page(**PHONE)
    tries: list[Route] = []
    code = opened(laptop, f"{app}/wordpiece?corpus=hug&step=3")
    own.goto(f"{app}/?class={code}#key={laptop.evaluate(KEY, code)}")
    own.get_by_role("button", name="Lead the class").tap()
    following = own.locator(".ts-class-presenter [data-pad=next]")
    for page in (laptop, own):
        at_rest(page)
        step(page, 3)
    laptop.route("**/place", lambda route: (tries.append(route), route.continue_()))
    for start, steps, forgotten in ((3, [], False), (4, [5, 6, 7], False), (7, [8, 9], True)):
        laptop.context.set_offline(True)
        if forgotten:  # the server sends the whole state, as after many events
            laptop.evaluate("document[Symbol.for('tokensteps.room')].last = ''")
        laptop.keyboard.press("ArrowRight")
        step(laptop, start + 1)
        expect(laptop.locator(f"{STRIP} .stop")).to_have_text("No connection to the class: trying again")
        for number in steps:
            following.tap()
            step(own, number)
        pause(laptop, LOOKS)  # a last try may have been on its way
        tries.clear()
        pause(laptop, 4 * LOOKS)
        assert tries == []
        laptop.context.set_offline(False)
        expect(laptop.locator(f"{STRIP} .stop")).to_have_text("0 here · 0 follow")
        for page in (laptop, own):
            step(page, steps[-1] if steps else start + 1)
    tries.clear()
    laptop.route("**/place", lambda route: tries.append(route))  # without any, requests pass for a moment
    laptop.keyboard.press("ArrowLeft")
    until_lost(laptop, tries)
    for number in (8, 7):
        own.locator(".ts-class-presenter [data-pad=back]").tap()
        step(own, number)
    step(laptop, 7)
    tries[0].continue_()  # a slow network: the older step comes to the server after the newer one
    laptop.unroute("**/place")
    laptop.wait_for_function(LED_TO, arg=7)
    for page in (laptop, own):
        step(page, 7)


def test_two_clicks_open_one_class(other_app: str, open_page: Callable[..., Page]) -> None:
    """The button stays as long as Python takes."""
    lecturer, classes = open_page(), list[str]()
    gate = Gate(lecturer)
    lecturer.on(
        "request", lambda request: classes.append(request.url) if request.url.endswith("/open") else None
    )
    lecturer.goto(f"{other_app}/bpe?corpus=hug")
    button = on_page(lecturer, "Open a class")
    expect(button).to_be_visible()
    at_rest(lecturer)
    place = button.bounding_box()
    assert place
    gate.shut()
    for _ in range(2):
        lecturer.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
        lecturer.wait_for_function("localStorage.getItem('tokensteps.class')?.includes('key')")
    gate.open()
    expect(lecturer.locator(".ts-class-panel .qr svg")).to_be_visible()
    assert len(classes) == 1


@pytest.mark.slow
def test_a_draft_stays_with_its_run(other_app: str, open_page: Callable[..., Page]) -> None:
    """It holds back no other page's stage, and goes."""
    lecturer = open_page()
    gate = Gate(lecturer)
    asked, menu = lecturer.locator(f"{WALL} .asked"), lecturer.get_by_test_id("stSidebarNav")
    opened(lecturer, f"{other_app}/wordpiece?corpus=hug&step=3")
    step(lecturer, 3)
    at_rest(lecturer)
    menu.get_by_role("link", name="BPE", exact=True).click()
    lecturer.wait_for_url("**/bpe*")
    at_rest(lecturer)
    step(lecturer, 0)
    lecturer.keyboard.press("a")
    expect(asked).to_be_visible()
    at_rest(lecturer)
    gate.shut(b"class_page")  # the stage comes before Python names its page
    menu.get_by_role("link", name="WordPiece", exact=True).click()
    lecturer.wait_for_url("**/wordpiece*")
    while not gate.holds:
        pause(lecturer, 50)
    step(lecturer, 3)
    gate.open()
    at_rest(lecturer)
    step(lecturer, 3)
    expect(lecturer.locator(WALL)).to_be_hidden()
    lecturer.keyboard.press("a")
    expect(asked).to_be_visible()
    lecturer.keyboard.press("ArrowRight")
    step(lecturer, 3)  # its own question does


@pytest.mark.slow
def test_a_question_from_the_other_device(other_app: str, open_page: Callable[..., Page]) -> None:
    """Letters typed on the laptop stay letters. The device came by a link with the key and is no student's:
    no card comes when the time is over, and no step of it leaves the class."""
    laptop, own = open_page(), open_page(**PHONE)
    code, modes = opened(laptop, f"{other_app}/bpe?corpus=hug"), list[str]()
    own.on("request", lambda request: modes.append(request.url) if request.url.endswith("/mode") else None)
    own.goto(f"{other_app}/?class={code}#key={laptop.evaluate(KEY, code)}")
    own.get_by_role("button", name="Lead the class").tap()
    step(own, 0)
    for page in (own, laptop):
        at_rest(page)
    box = laptop.get_by_role("textbox", name="Stop at steps that change")
    box.click()
    laptop.keyboard.type("h")
    own.keyboard.press("a")
    own.locator(WALL).get_by_role("button", name="30 s", exact=True).tap()
    own.locator(".ts-class-presenter [data-pad=ask]").tap()
    expect(laptop.locator(f"{WALL} .counted")).to_be_visible()
    laptop.keyboard.type("e")
    expect(box).to_have_value("he")
    own.evaluate(OVER)
    expect(own.locator(f"{WALL} .time.over")).to_have_text("0:00")
    expect(own.locator(CARD)).to_have_count(0)
    for follows in ("false", "true"):
        own.keyboard.press("f")
        own.wait_for_function(f"document[Symbol.for('tokensteps.room')].state.follows === {follows}")
    expect(laptop.locator(WALL).get_by_role("button", name="Reveal")).to_be_visible()
    own.keyboard.press("e")
    for page in (own, laptop):
        step(page, 1)
    assert modes == []
    laptop.get_by_role("button", name="Go on").click()
    in_the_place_of_a_draft(laptop, own)


def in_the_place_of_a_draft(laptop: Page, own: Page) -> None:
    """Letters for a question in the making are no commands once its box is gone, and Space and Enter press
    nothing; after a pause, the keys are the new question's."""
    show = laptop.locator(f"{WALL} [data-do=show]")
    expect(laptop.locator(WALL)).to_be_hidden()
    laptop.locator(STRIP).get_by_role("button", name="Ask", exact=True).click()
    laptop.locator(WALL).get_by_role("button", name="A question of your own").click()
    laptop.keyboard.type("Why is it u")
    own.keyboard.press("a")
    expect(own.locator(f"{WALL} .asked")).to_be_visible()
    laptop.evaluate(NO_PAUSE)
    own.locator(".ts-class-presenter [data-pad=ask]").tap()
    expect(show).to_be_visible()
    laptop.keyboard.type("seful to peel")
    laptop.keyboard.press("Enter")
    laptop.evaluate(PAUSE)
    expect(show).to_be_focused()
    expect(laptop.locator("html")).not_to_have_attribute("data-projector", re.compile(""))
    laptop.keyboard.press("s")
    expect(laptop.locator(WALL).get_by_role("button", name="Reveal")).to_be_focused()
    laptop.keyboard.press("e")
    step(own, 2)
    laptop.keyboard.press("Escape")
    write_own(laptop)
    expect(laptop.get_by_role("textbox", name="Your question")).to_have_value("Why is it u")


NO_PAUSE = "() => { const now = performance.now(); performance.now = () => now; }"
PAUSE = "() => { delete performance.now; }"
OVER = "() => { const now = Date.now.bind(Date); Date.now = () => now() + 24_000; }"
"""A countdown of 30 seconds is over in six. (After 40 without a word, a page takes itself for cut off.)"""


@pytest.mark.slow
def test_an_input_methods_keys_are_its_own(other_app: str, open_page: Callable[..., Page]) -> None:
    """Page Down, from proposal to proposal, asks nobody, Escape closes nothing, and Enter keeps nobody
    between steps: on the wall, in a plan, where a clicker's Page Down may be held, and in the panel."""
    lecturer = open_page()
    opened(lecturer, f"{other_app}/bpe?corpus=hug&walk=30.1")
    method, posts = lecturer.context.new_cdp_session(lecturer), list[str]()
    lecturer.on(
        "request",
        lambda request: posts.append(request.url) if request.url.endswith(("/ask", "/pace")) else None,
    )

    def compose(*keys: str) -> None:
        method.send("Input.imeSetComposition", {"text": "5", "selectionStart": 1, "selectionEnd": 1})
        for key in keys:
            lecturer.keyboard.press(key)

    at_rest(lecturer)
    lecturer.keyboard.press("p")
    an_own_draft(lecturer)
    compose("PageDown", "Escape", "Enter")
    expect(lecturer.locator(f"{WALL} [aria-label='Choice 2']")).to_have_value("no5")
    assert posts == []
    method.send("Input.insertText", {"text": "!"})
    lecturer.keyboard.press("PageDown")
    expect(lecturer.locator(f"{WALL} .offered .row")).to_have_text(["yes", "no!"])
    lecturer.keyboard.press("e")
    expect(lecturer.locator(WALL).get_by_role("button", name="Go on")).to_be_visible()
    for key in ("PageDown", "p"):
        lecturer.keyboard.press(key)
    lecturer.locator(STRIP).get_by_role("button", name="Keep between …").click()
    lecturer.locator(".ts-class-panel").get_by_label("To step").click()
    compose("Enter", "Escape")
    expect(lecturer.locator(".ts-class-panel").get_by_label("To step")).to_be_focused()
    assert [url.split("/")[-1] for url in posts] == ["ask"]


LED_TO = """step => { const { place, by } = document[Symbol.for('tokensteps.room')]; return place.by === by && place.step === step; }"""
"""Whether this device has led the class to this step, as it has heard."""


WORDS = """words => { const book = document[Symbol.for('tokensteps.stage')].querySelector('.cols > section');
  return words.every((word) => book.innerText.split(/\\s+/).includes(word)) && !book.innerText.includes('more'); }"""
"""Whether these are all words on the stage, without an omission."""
SPLITS = """() => { const root = document.querySelector('.st-key-compare-words [data-testid=stBidiComponentIsolated]')?.shadowRoot
    ?? [...document.querySelectorAll('.st-key-compare-words *')].map((node) => node.shadowRoot).find(Boolean);
  const box = root.querySelector('.rows').getBoundingClientRect();
  const at = [...root.querySelectorAll('thead th')].findIndex((head) => head.textContent === 'Unigram');
  return [...root.querySelectorAll('tbody tr')].slice(0, 9).every((row) => {
    const inside = document.createRange();
    inside.selectNodeContents(row.children[at]);
    return inside.getBoundingClientRect().right <= box.right && box.right <= innerWidth; }); }"""
"""Whether Unigram's split of each word in sight is there from end to end."""


ABOVE_STRIPS = """() => { const [tokens, strip] = ['.st-key-playground-chips', '.ts-class']
    .map((selector) => document.querySelector(selector)?.getBoundingClientRect());
  return tokens?.height > 200 && tokens.bottom <= strip.top; }"""
WIDE_TOKENS = """() => { const chips = document.querySelector('.st-key-playground-chips');
  const pane = [...chips.querySelectorAll('*')].map((node) => node.shadowRoot?.querySelector('.ts-chips > .pane')).find(Boolean);
  return pane.getBoundingClientRect().width > 0.9 * chips.getBoundingClientRect().width; }"""
"""Whether the tokens have all the room beside a question."""


@pytest.mark.slow
def test_a_plan_on_the_wall(app: str, open_page: Callable[..., Page]) -> None:
    """By a clicker's keys, at 1280 × 800 with a class open: an activity about a tab opens it on the wall, the
    next one the stage, also where one goes on before it has come. The browser's Back finds the one before.
    Compare's words have all three splits; after the last merge of a prediction all five words are there
    beside the question."""
    wall = open_page(viewport={"width": 1280, "height": 800})
    code = opened(wall, f"{app}/whatif?t1=bpe%3Fcorpus%3Dhug&of=pun&step=12&walk=90.3")
    Learner(wall, "").rest()
    expect(wall.locator(".ts-projector-start")).to_be_visible()
    for key, times in (("p", 1), ("Escape", 0), ("p", 1)):  # the class's closed panel doesn't take Escape
        wall.keyboard.press(key)
        expect(wall.locator("html[data-projector]")).to_have_count(times)
    held(wall, "PageDown")
    wall.wait_for_function("location.search.includes('walk=90.4')")
    projected(wall, "Ties")
    held(wall, "PageDown")
    wall.wait_for_function("location.search.includes('walk=90.5')")
    expect(wall.locator("[data-projected]")).to_have_count(0)
    expect(wall.locator(".ts-flipbook .stage").first).to_be_visible()
    wall.go_back()
    wall.wait_for_url(re.compile(r"/bpe\?.*walk=90\.4"))
    at_rest(wall)
    wall.go_forward()
    wall.wait_for_url(re.compile(r"/wordpiece\?.*walk=90\.5"))
    expect(wall.locator(f"{STRIP}.lecturer")).to_be_visible()
    held(wall, "PageUp")
    projected(wall, "Ties")
    wall.goto(f"{app}/bpe?corpus=hug&step=6&mode=predict&ask=pair&walk=30.2&class={code}")
    step(wall, 6)
    expect(wall.locator(f"{STRIP}.lecturer [data-do=ask]")).to_be_visible()
    wall.keyboard.press("h")  # the plan's note
    wall.keyboard.press("a")
    expect(wall.locator(f"{WALL} .asked")).to_contain_text("b")
    for part in (".counted", "table.bars", "tr.right"):
        expect(wall.locator(".ts-walk .show")).to_be_visible()
        wall.keyboard.press("PageDown")
        expect(wall.locator(f"{WALL} {part}")).to_be_visible()
        assert left_over(wall, TINY, 18) == [], part
    expect(wall.locator(".ts-walk .told p + p span")).to_be_visible()  # it is told by now
    wall.keyboard.press("h")
    step(wall, 7)
    wall.wait_for_function(WORDS, arg=["hug", "pug", "pun", "bun", "hugs"])
    wall.keyboard.press("PageDown")
    expect(wall.locator(WALL)).to_be_hidden()
    turn_to(wall, f"/wordpiece?corpus=hug&step=1&class={code}")
    step(wall, 1)
    wall.keyboard.press("a")
    expect(wall.locator(f"{WALL} .asked")).to_be_visible()
    wall.keyboard.press("Enter")
    expect(wall.locator(f"{WALL} .counted")).to_be_visible()
    wall.keyboard.press("e")
    step(wall, 2)
    wall.wait_for_function(SCORES_IN_SIGHT)
    wall.keyboard.press("PageDown")
    stops = stops_of("90", lesson_facts())
    before = [stop.link.tab for stop in stops].index("Where they disagree")  # counted from 0
    slow = wall.context.new_cdp_session(wall)
    slow.send("Emulation.setCPUThrottlingRate", {"rate": 5})
    turn_to(wall, f"/unigram?corpus=hug&step=0&walk=90.{before}&class={code}")
    held(wall, "PageDown")  # before the strip of this activity has come
    projected(wall, "Where they disagree")
    wall.wait_for_function(SPLITS)
    slow.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    turn_to(wall, f"/playground?t1=bpe%3Fcorpus%3Dhug&text=bug+mug&walk=30.5&class={code}")
    wall.wait_for_function(ABOVE_STRIPS)
    wall.keyboard.press("a")
    expect(wall.locator(f"{WALL} .told")).to_be_visible()
    wall.wait_for_function(WIDE_TOKENS)


LIES_ON = """() => [...document[Symbol.for('tokensteps.stage')].querySelectorAll('.where > p, .cols h3 > :first-child')].filter(part => {
  const next = part.closest('.where')?.nextElementSibling ?? part.nextElementSibling, words = document.createRange();
  words.selectNodeContents(part);
  const [one, other] = [words, next ?? part].map(each => each.getBoundingClientRect());
  return next?.checkVisibility() && other.top < one.bottom && one.top < other.bottom && one.right + 8 > other.left; }).map(part => part.innerText)"""
"""The step's number and headings that run into their neighbour, the slider or a figure."""
SIZE = "node => parseFloat(getComputedStyle(node).fontSize)"


@pytest.mark.slow
def test_a_large_wall(app: str, open_page: Callable[..., Page]) -> None:
    """At 1920 × 1080 with a question: the step's number and the headings stand clear of their neighbours, and
    the number of answers is at least as large as the question."""
    wall = open_page(viewport={"width": 1920, "height": 1080})
    opened(wall, f"{app}/bpe?corpus=hug")
    Learner(wall, "").rest()
    for key in "pa":
        wall.keyboard.press(key)
    asked, counted = wall.locator(f"{WALL} .asked"), wall.locator(f"{WALL} .counted b")
    expect(asked).to_be_visible()
    assert left_over(wall, LIES_ON) == []
    wall.keyboard.press("Enter")
    expect(counted).to_be_visible()
    assert counted.evaluate(SIZE) >= asked.evaluate(SIZE)
    wall.keyboard.press("e")
    expect(wall.locator(f"{WALL} tr.right")).to_be_visible()
    step(wall, 1)
    assert left_over(wall, LIES_ON) == []
    edge, answer = (wall.locator(f"{WALL} tr.right {part}").bounding_box() for part in ("th", ".answer"))
    assert edge and answer and answer["x"] - edge["x"] >= 8


FITS = """([wall]) => { const bottom = wall.getBoundingClientRect().bottom, footer = wall.querySelector('footer');
  return wall.scrollWidth <= wall.clientWidth && footer.getBoundingClientRect().bottom <= bottom; }"""


CUT_ROWS = """() => { const wall = document.querySelector('.ts-class-wall'), end = wall.querySelector('footer').getBoundingClientRect().top;
  return [...wall.querySelectorAll('tbody tr')].map((row) => row.getBoundingClientRect().bottom - end).filter((over) => over > 1); }"""
"""How far rows of bars reach under the wall's buttons."""
CUT_ON_STAGE = """() => { const box = document[Symbol.for('tokensteps.stage')], where = box.querySelector('.where > span');
  const past = [...box.querySelectorAll('.scores :is(th, td)')].filter((cell) => cell.checkVisibility())
    .map((cell) => cell.getBoundingClientRect().right - cell.closest('section').getBoundingClientRect().right);
  return [where.scrollWidth - where.clientWidth, ...past].filter((over) => over > 0); }"""
"""How much of the step's place, and of its scores, is cut."""


@pytest.mark.slow
def test_four_teams_on_the_wall(app: str, open_page: Callable[..., Page]) -> None:
    """Each team's name and numbers are on the wall, and its buttons in sight, over a plan's note, too; beside
    them the step's number and its scores. In a window too low for the rows, a sign says so, and ↓ leads
    there. The panel shows the class's teams, not those that it never heard of."""
    wall = open_page(viewport={"width": 1280, "height": 800})
    opened(wall, f"{app}/wordpiece?corpus=hug&walk=30.4")
    wall.keyboard.press("j")
    wall.route("**/teams", lambda route: route.fulfill(body="<p>Log in to the Wi-Fi</p>"), times=1)
    wall.get_by_label("Teams").select_option("2")
    expect(wall.get_by_label("Teams")).to_have_value("0")
    wall.get_by_label("Teams").select_option("4")
    wall.keyboard.press("Escape")
    for key in "pha":
        wall.keyboard.press(key)
    expect(wall.locator(f"{WALL} .asked")).to_be_visible()
    wall.keyboard.press("Enter")
    expect(wall.locator(f"{WALL} .counted")).to_be_visible()
    wall.keyboard.press("s")
    expect(wall.locator(f"{WALL} tbody tr")).to_have_count(6)
    assert left_over(wall, CUT_ROWS) == []
    wall.keyboard.press("h")
    wall.keyboard.press("e")
    expect(wall.locator(f"{WALL} tr.right .number")).to_have_text(4 * ["0 · 0 %"])
    step(wall, 1)
    assert wall.locator(WALL).evaluate_all(FITS)
    for finds in (CUT_ROWS, CUT_ON_STAGE):
        assert left_over(wall, finds) == []
    footer = wall.locator(f"{WALL} footer")
    expect(footer).to_have_attribute("data-more", "")
    wall.keyboard.press("p")
    wall.wait_for_function("!document.fullscreenElement")
    wall.set_viewport_size({"width": 1000, "height": 440})
    wall.keyboard.press("p")
    expect(footer).to_have_attribute("data-more", "↓")
    for key, sign in (("ArrowDown", "↑"), ("ArrowUp", "↓")):  # as often as it takes to the end
        until(
            lambda key=key, sign=sign: wall.keyboard.press(key) or footer.get_attribute("data-more") == sign
        )


def projected(wall: Page, tab: str) -> None:
    """This tab fills the wall."""
    expect(wall.locator("[data-projected]").get_by_role("tab", name=tab, exact=True)).to_have_attribute(
        "aria-selected", "true"
    )
    expect(wall.locator("html[data-panel]")).to_be_attached()


def lost_on_the_way(lecturer: Page, phone: Page) -> None:
    """A student at step 3 of 1 to 3, and then at step 2, while the class is at step 0."""
    unsure = phone.locator(f"{STRIP} [data-do=unsure]")
    unsure.tap()
    expect(unsure).to_have_text("Noted")
    phone.locator(".ts-flipbook [data-do=back]").first.tap()
    expect(unsure).to_have_text("You lost me")
    unsure.tap()
    lost = lecturer.locator(f"{STRIP} [data-do=lost]")
    expect(lost).to_have_text("Lost: 2")
    lost.click()
    expect(lecturer.locator(".ts-class-panel .lost-curve small")).to_have_text(["2", "3"])
    lecturer.keyboard.press("Escape")
    phone.locator(".ts-flipbook [data-do=next]").first.tap()
    step(phone, 3)


@pytest.mark.slow
def test_a_class_is_kept_between_two_steps(app: str, open_page: Callable[..., Page]) -> None:
    """By mouse and thumb: with any press or reveal, students go alone and no further; it ends at the
    lecturer's word, and with another run. Then in teams. The oracle of the steps is the text typed into the
    panel."""
    lecturer, phone, other = open_page(), open_page(**PHONE), open_page(**PHONE)
    lost = lose_first(lecturer, b'"leads"')
    code = opened(lecturer, f"{app}/bpe?corpus=hug")
    followed(phone, app, code, "/bpe")
    followed(other, app, code, "/bpe")
    keep_between(lecturer, "5", "2")
    expect(lecturer.get_by_role("alert")).to_contain_text("5 to 2 is no range")
    keep_between(lecturer, "50", "99")
    expect(lecturer.get_by_role("alert")).to_contain_text("no step 50 here yet: choose one up to 7")
    keep_between(lecturer, "1", "3", by_enter=True)
    expect(lecturer.locator(".ts-class-panel")).to_be_hidden()
    message = "At your own pace: steps 1 to 3"
    for page in (phone, other):
        step(page, 1)
        expect(page.locator(f"{STRIP} .stop")).to_have_text(message)
    for number in (2, 3):
        phone.locator(".ts-flipbook [data-do=next]").first.tap()
        step(phone, number)
    expect(phone.locator(".ts-flipbook [data-do=next]").first).to_have_attribute("aria-disabled", "true")
    lost_on_the_way(lecturer, phone)
    phone.keyboard.press("End")
    lecturer.keyboard.press("End")
    expect(lecturer.locator(".ts-flipbook [data-do=next]").first).to_have_attribute("aria-disabled", "true")
    expect(lecturer.locator(f"{STRIP} .stop")).to_have_text("2 here · 2 follow")
    gate = Gate(other)
    gate.shut(b"class_page")  # Python reports the page after the class has reported its place
    other.reload()
    expect(other.locator(f"{STRIP} .stop")).to_have_text(message)
    gate.open()
    at_rest(other)
    step(other, 1)  # where it was; Python hears of it, too
    other.wait_for_function(FOLLOWED, arg="after step 1")
    step(phone, 3)
    expect(phone.locator(f"{STRIP} .stop")).to_have_text(message)
    lecturer.keyboard.press("Home")
    lecturer.locator(STRIP).get_by_role("button", name="Between steps 1 and 3").click()
    lecturer.get_by_role("button", name="Let everybody follow again").click()
    for page in (phone, other):
        step(page, 0)

    keep_between(lecturer, "1", "3")
    step(phone, 1)
    turn_to(lecturer, f"/bpe?corpus=hug&mode=predict&ask=pair&class={code}")  # in another run, all follow
    expect(on_page(phone, "Reveal")).to_be_visible()
    expect(phone.locator(f"{STRIP} .stop")).to_have_text("Following the class")
    keep_between(lecturer, "0", "1")
    expect(phone.locator(f"{STRIP} .stop")).to_have_text("At your own pace: steps 0 to 1")
    on_page(phone, "Reveal").tap()
    step(phone, 1)
    expect(on_page(phone, "Reveal")).to_be_hidden()
    step(lecturer, 0)
    lecturer.keyboard.press("f")
    expect(phone.locator(f"{STRIP} .stop")).to_have_text("On your own")
    on_page(phone, "Reveal").tap()
    step(phone, 2)
    lecturer.keyboard.press("f")
    for page in (phone, other):
        step(page, 0)
    in_teams(lecturer, phone, other)
    until_lost(lecturer, lost)  # the way to the next step, as the lecturer goes elsewhere
    turn_to(lecturer, f"/bpe?corpus=phrases&step=93&class={code}")
    for page in (lecturer, phone):
        step(page, 93)


@pytest.mark.slow
def test_a_class_is_asked_about_the_newer_kinds(app: str, open_page: Callable[..., Page]) -> None:
    """A question about each kind's own steps, made from its run, answered by thumb, right as the next steps
    say. From run to run, the class isn't led to a step of the run before. Oracle: the run itself."""
    lecturer, phone = open_page(), open_page(**PHONE)
    runs: dict[str, Any] = {
        corpus: trace_at(BPE, corpus=corpus) for corpus in ("phrases", "scaffolding", "parallel")
    }
    stage = next(
        step for step in range(1, len(runs["phrases"])) if runs["phrases"].event(step).kind == "stage"
    )
    bridging = runs["phrases"].pair_of(stage + 1)
    leaves = next(
        step
        for step in range(1, len(runs["scaffolding"]))
        if runs["scaffolding"].event(step).kind == "remove"
    )
    (left,) = runs["scaffolding"].event(leaves).chosen
    language = runs["parallel"].event(1).language
    code, visited = "", list[tuple[str, int]]()
    destinations = destinations_sent(lecturer)
    for corpus, number, kind, answer in (
        ("phrases", stage, "Within a word or across a space", pair_text(bridging, BYTES)),
        ("scaffolding", leaves - 2, "What leaves the vocabulary", readable(left, BYTES)),
        ("parallel", 0, "Which language chooses", language),
        ("hug&longest=3", 5, "The next pair", "b + un"),  # hug + s is more frequent, and too long
    ):
        address = f"/bpe?corpus={corpus}&step={number}"
        if code:
            turn_to(lecturer, f"{address}&class={code}")
        else:
            code = opened(lecturer, f"{app}{address}")
            followed(phone, app, code, "/bpe")
        for page in (lecturer, phone):
            step(page, number)
        lecturer.keyboard.press("a")
        lecturer.locator(WALL).get_by_role("button", name=kind).click()
        expect(lecturer.locator(WALL).get_by_role("button", name=kind)).to_have_attribute(
            "aria-pressed", "true"
        )
        lecturer.keyboard.press("PageDown")
        phone.locator(f'{CARD} [data-key="={answer}"]').tap()
        expect(lecturer.locator(f"{WALL} .counted")).to_have_text("1 of 1 have answered")
        lecturer.keyboard.press("e")
        expect(phone.locator(CARD)).to_contain_text("Right.")
        step(phone, number + 1)
        lecturer.keyboard.press("PageDown")
        expect(lecturer.locator(WALL)).to_be_hidden()
        visited += [(f"corpus={corpus}", number), (f"corpus={corpus}", number + 1)]
    assert [destination for destination, _same in groupby(destinations)] == visited


def destinations_sent(page: Page) -> list[tuple[str, int]]:
    """The settings and steps that a lecturer's page leads the class to from now on."""
    results: list[tuple[str, int]] = []

    def take(request: Request) -> None:
        if request.url.endswith("/place"):
            body = request.post_data_json or {}
            results.append((body["query"], body["step"]))

    page.on("request", take)
    return results


def in_teams(lecturer: Page, phone: Page, other: Page) -> None:
    """Students get teams in order of arrival; the bars stand by team, with the teams' names over them. After
    30 seconds, answers are no longer taken, and the time has the colour of warnings."""
    lecturer.keyboard.press("j")
    lecturer.get_by_label("Teams").select_option("2")
    lecturer.keyboard.press("Escape")
    for page, name in ((phone, "Team A"), (other, "Team B")):
        expect(page.locator(f"{STRIP} .team")).to_contain_text(name)
    lecturer.keyboard.press("a")
    expect(lecturer.locator(f"{WALL} .asked")).to_contain_text("Which pair is merged next?")
    lecturer.locator(WALL).get_by_role("button", name="30 s", exact=True).click()
    lecturer.locator(WALL).get_by_role("button", name="Ask now").click()
    for page, pair in ((phone, "u + g"), (other, "p + u")):
        page.locator(f'{CARD} [data-key="={pair}"]').tap()
    expect(lecturer.locator(f"{WALL} .counted")).to_have_text("2 of 2 have answered")
    for page, part in ((lecturer, WALL), (other, CARD)):
        page.evaluate(OVER)
        expect(page.locator(f"{part} .time.over").filter(visible=True)).to_have_text("0:00")
    expect(other.locator(CARD)).to_contain_text("Answers are no longer taken.")
    expect(other.locator(f"{CARD} .choices")).to_have_count(0)
    lecturer.keyboard.press("s")
    expect(lecturer.locator(f"{WALL} thead .team")).to_have_text(["● Team A", "▲ Team B"])
    right = lecturer.locator(f"{WALL} tbody tr").filter(has_text="ug").locator(".number")
    expect(right).to_have_text(["1 · 100 %", "0 · 0 %"])
    lecturer.keyboard.press("e")
    expect(lecturer.locator(WALL).get_by_role("button", name="Go on")).to_be_visible()
    lecturer.keyboard.press("PageDown")
    expect(lecturer.locator(WALL)).to_be_hidden()


def keep_between(lecturer: Page, first: str, last: str, *, by_enter: bool = False) -> None:
    """The panel, opened and filled in by mouse and keys."""
    panel = lecturer.locator(".ts-class-panel")
    if not panel.is_visible():
        lecturer.locator(STRIP).get_by_role("button", name="Keep between …").click()
    for name, value in (("From step", first), ("To step", last)):
        panel.get_by_label(name).click(click_count=3)
        lecturer.keyboard.type(value)
    if by_enter:
        lecturer.keyboard.press("Enter")
    else:
        panel.get_by_role("button", name="Keep them there").click()
