"""A class, live, in browsers: one lecturer, most of the time by keyboard, and three students in contexts of
their own.

Oracle: the Hugging Face course's five words, where `u` and `g` are merged first, as they occur 20 times, and
then `u` and `n`, 16 times; the taps on the phones; the addresses; the exercises' own keys.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import LATER, at_rest, lose_first, open_tab, pause, received
from tests.browser.test_bpe_page import Bpe as Learner
from tokensteps.classroom.address import qr
from tokensteps.teaching.challenge import Challenge
from tokensteps.teaching.exercises.kinds import make

PHONE = {"viewport": {"width": 360, "height": 640}, "has_touch": True, "device_scale_factor": 2}
CARD, WALL, STRIP = ".ts-class-card", ".ts-class-wall", ".ts-class"
MARKUP = "<img src=x onerror=alert(1)><b>bold</b>"
CUT = """() => [...document.querySelectorAll('.ts-class > :not([hidden]), .ts-class-card button')].filter((node) => {
  const { left, right } = node.getBoundingClientRect(); return right > innerWidth + 1 || left < -1; }).map((node) => node.outerHTML)"""

LEGIBLE = """node => parseFloat(getComputedStyle(node).fontSize) >= .84 * parseFloat(getComputedStyle(node.parentElement).fontSize)"""
"""Whether type is nearly as large as around it."""
ONE_LINE = """row => { const [bar, number] = ['.bar', '.number'].map((part) => row.querySelector(part).getBoundingClientRect());
  return bar.width > 60 && number.left >= bar.right && number.top < bar.bottom; }"""
"""Whether a number stands at the end of its bar."""
TEAM_IN_SIGHT = """cell => cell.querySelector('.team').getBoundingClientRect().right <= cell.getBoundingClientRect().right"""
"""Whether a student's team isn't cut off."""
WHILE_A_STAGE_IS_ON_ITS_WAY = """() => { const stage = Symbol.for('tokensteps.stage'), box = document[stage], { href } = location;
  document[stage] = null;
  history.replaceState(history.state, '', href.replace(/&step=\\d+|$/, '&step=5'));
  document.dispatchEvent(new Event('tokensteps:shown'));
  document[stage] = box;
  history.replaceState(history.state, '', href); }"""
"""The address has the last stage's step, and the strip looks at its page."""
LOOKS = 250
"""Milliseconds between a strip's looks at its page."""
NOTES_GAPS = f"""() => {{ window.tsGaps = 0; const wall = document.querySelector('{WALL}');
  new MutationObserver(() => {{ window.tsGaps += wall.hidden; }}).observe(wall, {{ attributeFilter: ['hidden'] }}); }}"""
"""Counts how often the wall is taken away."""


def step(page: Page, number: int) -> None:
    """The stage is at this step."""
    expect(page.locator(".ts-flipbook input[type=range]").first).to_have_value(str(number))


def press(page: Page, name: str, within: str) -> None:
    """A button, by mouse."""
    page.locator(within).get_by_role("button", name=name, exact=True).click()


def tap(page: Page, pair: str) -> None:
    page.locator(f'{CARD} [data-key="={pair}"]').click()
    expect(page.locator(f'{CARD} [data-key="={pair}"]')).to_have_attribute("aria-pressed", "true")


def expect_answered(page: Page, text: str) -> None:
    expect(page.locator(f"{WALL} .counted")).to_have_text(text)


def counts(page: Page, answer: str) -> list[str]:
    """The text beside an answer's bars: the numbers of each vote."""
    row = page.locator(f"{WALL} tbody tr").filter(has=page.locator("th", has_text=answer)).first
    return [message.split(" ")[0] for message in row.locator(".number").all_inner_texts()]


def expect_people(lecturer: Page, text: str) -> None:
    expect(lecturer.locator(f"{STRIP} .stop")).to_have_text(text)


def write_own(lecturer: Page) -> None:
    lecturer.keyboard.press("a")
    lecturer.locator(WALL).get_by_role("button", name="A question of your own").click()


def type_own(lecturer: Page, question: str, *choices: str) -> None:
    """By keys, from the question's box to the last choice's."""
    lecturer.keyboard.type(question)
    lecturer.keyboard.press("Tab")  # to how it is answered
    for choice in choices:
        lecturer.keyboard.press("Tab")
        lecturer.keyboard.type(choice)


def open_class(lecturer: Page, address: str) -> str:
    """Open one on this page; its code. The panel with the picture is open."""
    lecturer.goto(address)
    press(lecturer, "Open a class", "[data-testid=stMain]")
    code = shown_code(lecturer)
    expect(lecturer.locator(".ts-class-panel .link")).to_contain_text(f"/?class={code}")
    return code


def shown_code(lecturer: Page) -> str:
    """The code on a new class's panel."""
    expect(lecturer.locator(".ts-class-panel .qr svg")).to_be_visible()
    return lecturer.locator(".ts-class-panel .room-code").inner_text().replace("\n", "")


def test_a_class(app: str, open_page: Callable[..., Page]) -> None:
    """Follow, ask, answer, bars, vote again, reveal; step away and come back, reload, come late; called back,
    let go; a second device; a question of one's own; the summary."""
    lecturer, phone = open_page(), open_page(**PHONE)
    tokyo, late = open_page(locale="ja-JP"), open_page(own="late")
    code = open_class(lecturer, f"{app}/bpe?corpus=hug")
    lecturer.keyboard.press("Escape")
    phone.goto(f"{app}/?class={code}")
    tokyo.goto(app)
    tokyo.get_by_role("textbox", name="授業に参加：コード").click()
    tokyo.keyboard.type(f" {code[:3].lower()}-{code[3:]}")
    tokyo.keyboard.press("Enter")
    for page in (phone, tokyo):
        page.wait_for_function("location.pathname === '/bpe' && location.search.includes('corpus=hug')")
        step(page, 0)
    expect_people(lecturer, "2 here · 2 follow")
    assert parse_qs(urlsplit(tokyo.url).query)["lang"] == ["ja"]

    following_costs_no_run(phone, lecturer)
    assert phone.evaluate(CUT) == []
    lecturer.keyboard.press("a")  # asks for the pair
    lecturer.keyboard.press("ArrowRight")
    expect(lecturer.locator(f"{WALL} .asked")).to_contain_text("Which pair is merged next?")
    step(lecturer, 0)  # nothing leads ahead of a question
    expect(lecturer.locator(f"{WALL} button.main")).to_be_focused()
    lecturer.evaluate(NOTES_GAPS)
    lecturer.keyboard.press("Enter")
    expect(tokyo.locator(f"{CARD} .asked")).to_contain_text("次にマージ")
    nothing_leads_ahead(phone)
    tap(phone, "p + u")
    tap(tokyo, "u + g")
    expect_answered(lecturer, "2 of 2 have answered")
    assert lecturer.evaluate("window.tsGaps") == 0, "the wall goes while the question is on its way"
    lost = lose_first(late, b'"nonce"')
    late.goto(f"{app}/compare?class={code}")
    led_once_more(late, lost)
    tap(late, "p + u")
    tap(late, "h + u")  # second thoughts: one answer each
    expect_answered(lecturer, "3 of 3 have answered")
    tokyo.reload()
    expect(tokyo.locator(f'{CARD} [data-key="=u + g"]')).to_have_attribute("aria-pressed", "true")
    nothing_leads_ahead(tokyo)
    assert phone.evaluate(CUT) == []
    lecturer.keyboard.press("s")
    expect(phone.locator(CARD)).to_contain_text("Answers are closed.")
    expect(lecturer.locator(f"{WALL} table.bars")).to_be_visible()
    assert counts(lecturer, "ug") == ["1"] and counts(lecturer, "hu") == ["1"]
    expect(lecturer.locator(f"{WALL} .verdict")).to_have_count(0)  # unmarked until it is revealed

    lecturer.keyboard.press("g")
    expect_answered(lecturer, "0 of 3 have answered")
    expect(lecturer.locator(WALL).get_by_role("button", name="Show answers")).to_be_focused()
    for page in (phone, tokyo, late):
        tap(page, "u + g")
    expect_answered(lecturer, "3 of 3 have answered")
    lecturer.keyboard.press("PageDown")  # a clicker's way: show, then reveal
    expect(lecturer.locator(f"{WALL} table.bars")).to_be_visible()
    lecturer.keyboard.press("PageDown")
    expect(lecturer.locator(f"{WALL} tr.right th")).to_contain_text("right")
    assert counts(lecturer, "ug") == ["1", "3"] and counts(lecturer, "pu") == ["1", "0"]
    for page in (lecturer, phone, tokyo, late):
        step(page, 1)
    expect(phone.locator(CARD)).to_contain_text("Right.")
    lecturer.keyboard.press("PageDown")
    expect(lecturer.locator(WALL)).to_be_hidden()

    away_and_back(lecturer, late)
    let_go_and_called_back(lecturer, phone, tokyo)
    a_second_device(lecturer, late, phone, code)
    a_number(lecturer, phone)
    an_own_question(lecturer, tokyo)
    summary(lecturer, code)
    expect(phone.locator(f"{STRIP} .stop")).to_have_text("The class has ended.")


def led_once_more(late: Page, lost: list[bytes]) -> None:
    """A student who isn't led to the class in time asks once more, though the class stays in place."""
    expect(late.locator(f"{STRIP} .stop")).to_have_text("Following the class")
    Learner(late, "").rest()
    assert lost  # and where 15 seconds have passed by now, it has asked again
    late.evaluate(LATER)
    late.wait_for_function("location.pathname === '/bpe' && location.search.includes('corpus=hug')")


def following_costs_no_run(phone: Page, lecturer: Page) -> None:
    """Within the browser's frames, a student's step sends nothing to Streamlit."""
    phone.evaluate("""() => { const send = WebSocket.prototype.send;
      WebSocket.prototype.send = function (data) { window.sent += 1; return send.call(this, data); }; }""")
    at_rest(phone)  # the last messages of its arrival may take a while, on a busy machine
    phone.evaluate("window.sent = 0")
    for key, number in (("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("Home", 0)):
        lecturer.keyboard.press(key)
        step(phone, number)
    at_rest(phone)
    assert phone.evaluate("window.sent") == 0


def nothing_leads_ahead(student: Page) -> None:
    """While a question is open, the next step isn't in the student's page, nor the key in the room's
    messages."""
    book = student.locator(".ts-flipbook").first
    expect(book.locator(".line > .future")).to_have_count(0)
    expect(book.locator(".cols > section")).to_have_count(1)
    expect(book.locator(".live")).to_have_text("")
    assert [text for text in book.locator(".why").all_text_contents() if text] == []
    assert student.evaluate("Object.keys(document[Symbol.for('tokensteps.room')].state.round.question)") == [
        "kind", "say", "input", "choices",
    ]  # fmt: skip


def away_and_back(lecturer: Page, away: Page) -> None:
    """A student who steps alone is let go, and comes back."""
    away.get_by_role("button", name="Done").click()
    away.locator(".ts-flipbook [data-do=next]").first.click()
    step(away, 2)
    expect_people(lecturer, "3 here · 2 follow")
    away.get_by_role("button", name="You lost me").click()
    expect(lecturer.locator(f"{STRIP} [data-do=lost]")).to_have_text("Lost: 1")
    away.get_by_role("button", name="Back to the class").click()
    step(away, 1)
    expect_people(lecturer, "3 here · 3 follow")


def let_go_and_called_back(lecturer: Page, phone: Page, tokyo: Page) -> None:
    """Everybody is on their own until they are called; the screens go dark and come back."""
    lecturer.keyboard.press("f")
    expect_people(lecturer, "3 here · 0 follow")
    expect(phone.locator(CARD)).to_contain_text("Right.")  # at the step with its answer
    expect(tokyo.locator(f"{STRIP} [data-do=back]")).to_be_visible()
    lecturer.keyboard.press("ArrowRight")
    step(lecturer, 2)
    for page in (phone, tokyo):
        expect(page.locator(CARD)).to_be_hidden()
    tokyo.locator(".ts-flipbook [data-do=first]").first.click()
    step(tokyo, 0)
    step(phone, 1)
    assert phone.evaluate(CUT) == []
    lecturer.keyboard.press("f")
    for page in (phone, tokyo):
        step(page, 2)
    expect_people(lecturer, "3 here · 3 follow")
    lecturer.keyboard.press("ArrowLeft")
    step(phone, 1)
    lecturer.keyboard.press("k")
    expect(phone.locator(".ts-class-blank")).to_be_visible()
    lecturer.keyboard.press("k")
    expect(phone.locator(".ts-class-blank")).to_be_hidden()


def steps_led_to(page: Page) -> list[int]:
    """The steps that a lecturer's page leads the class to from now on."""
    results: list[int] = []

    def take(request: Request) -> None:
        if request.url.endswith("/place"):
            results.append((request.post_data_json or {})["step"])

    page.on("request", take)
    return results


HOLDS_AN_ANSWER = """() => {
  const real = window.fetch;
  window.fetch = async (...request) => {
    const answer = await real(...request);
    if (request[0].endsWith('/place') && !window.tsLetGo) await new Promise((go) => { window.tsLetGo = go; });
    return answer; }; }"""
"""The server's next answer to a place is held back from the page."""


def a_second_device(lecturer: Page, other: Page, phone: Page, code: str) -> None:
    """The picture for the lecturer alone has the key; a visitor at its address leads as well."""
    steps = steps_led_to(other)
    lecturer.keyboard.press("j")
    press(lecturer, "Teach from a second device", ".ts-class-panel")
    expect(lecturer.locator(".ts-class-panel .qr")).to_contain_text("For you alone")
    expect(lecturer.locator(".ts-class-panel h2")).to_have_text("Teach from a second device")
    for inviting in (".room-code", ".people", ".link", "button.main"):  # the class isn't to scan it
        expect(lecturer.locator(f".ts-class-panel {inviting}")).to_be_hidden()
    press(lecturer, "Teach from a second device", ".ts-class-panel")
    expect(lecturer.locator(".ts-class-panel h2")).to_have_text("Join the class")
    expect(lecturer.locator(".ts-class-panel .room-code")).to_be_visible()
    lecturer.keyboard.press("Enter")  # the button still has the focus
    expect(lecturer.locator(".ts-class-panel .qr")).to_contain_text("For you alone")
    key = lecturer.evaluate(f"JSON.parse(localStorage.getItem('tokensteps.class'))['{code}'].key")
    link = lecturer.locator(".ts-class-panel .link").inner_text() + f"#key={quote(key, safe='')}"
    expect(lecturer.locator(".ts-class-panel .qr path")).to_have_attribute("d", qr(link).path)
    lecturer.keyboard.press("Escape")
    other.goto(
        f"{urlsplit(phone.url)._replace(path='/', query='', fragment='').geturl()}{link[link.index('?') :]}"
    )
    other.get_by_role("button", name="Lead the class").click()
    expect(other.locator(".ts-class-presenter")).to_be_visible()
    other.locator(STRIP).get_by_role("button", name="Presenter view").click()  # it leads with its page, too
    expect(other.locator(f"{STRIP}.lecturer [data-do=ask]")).to_be_visible()
    step(other, 1)  # it goes to the class, and doesn't lead it to its own first page
    Learner(other, "").rest()
    assert steps == []
    other.evaluate(HOLDS_AN_ANSWER)
    for device, key, number in ((other, "ArrowRight", 2), (lecturer, "ArrowLeft", 1)):
        device.keyboard.press(key)
        for page in (lecturer, other, phone):
            step(page, number)
    other.wait_for_function("'tsLetGo' in window")
    other.evaluate("window.tsLetGo()")  # only now: its device has been led elsewhere, and leads nobody back
    other.evaluate(WHILE_A_STAGE_IS_ON_ITS_WAY)
    pause(other, 2 * LOOKS)
    assert steps == [2]
    assert "/bpe" in other.url and "key" not in other.url
    expect_people(lecturer, "2 here · 2 follow")
    other.keyboard.press("k")
    expect(phone.locator(".ts-class-blank")).to_be_visible()
    expect(lecturer.locator(f"{STRIP} [data-do=blank]")).to_have_attribute("aria-pressed", "true")
    lecturer.keyboard.press("k")
    expect(phone.locator(".ts-class-blank")).to_be_hidden()


def a_number(lecturer: Page, phone: Page) -> None:
    """By turns, the next question is how often the pair occurs: 16 times. Typed as a fraction, it is the same
    number."""
    lecturer.keyboard.press("a")
    expect(lecturer.locator(f"{WALL} .asked")).to_contain_text("How often does it occur")
    lecturer.keyboard.press("Enter")
    for key in "32/2":
        phone.locator(f'{CARD} [data-key="#{key}"]').click()
    assert phone.evaluate(CUT) == []
    phone.get_by_role("button", name="Send", exact=True).click()
    expect_answered(lecturer, "1 of 2 have answered")
    lecturer.keyboard.press("e")
    expect(lecturer.locator(f"{WALL} tr.right")).to_contain_text("16")
    step(phone, 2)
    lecturer.keyboard.press("Escape")


def an_own_question(lecturer: Page, tokyo: Page) -> None:
    """Everything that somebody writes is text."""
    write_own(lecturer)
    type_own(lecturer, MARKUP, "<script>alert(2)</script>", "b")
    lecturer.keyboard.press("Enter")
    expect(tokyo.locator(f"{CARD} .asked")).to_have_text(MARKUP)
    expect(tokyo.locator(f'{CARD} [data-key="=1"]')).to_have_text("<script>alert(2)</script>")
    tap(tokyo, "2")
    expect_answered(lecturer, "1 of 2 have answered")
    lecturer.keyboard.press("e")
    expect(tokyo.locator(CARD)).to_contain_text("正解のない質問")
    lecturer.keyboard.press("Escape")


def summary(lecturer: Page, code: str) -> None:
    """Every question, with both votes, and the places where the class was lost."""
    press(lecturer, "End the class", STRIP)
    press(lecturer, "End the class", ".ts-class-panel")
    lecturer.wait_for_function("location.pathname === '/class'")
    first = lecturer.locator(".classroom article").first
    expect(first).to_contain_text("3 of 3 answered, 33 % right · vote 2: 3 of 3 answered, 100 % right")
    link = first.get_by_role("link").get_attribute("href")
    assert link is not None and "/bpe?corpus=hug" in link
    own = lecturer.locator(".classroom article").nth(2)
    expect(own).to_contain_text(MARKUP)
    assert own.locator("tbody tr").nth(1).evaluate(ONE_LINE), (
        "a long answer takes the room beside another one's bar"
    )
    expect(lecturer.locator(".classroom .lost-curve li")).to_have_count(1)
    for media in ("screen", "print"):  # on paper, nothing to fill in
        lecturer.emulate_media(media=media)
        for part in (
            lecturer.get_by_label("Join a class: code"),
            lecturer.get_by_text("Write them before the lesson"),
        ):
            expect(part).to_be_visible(visible=media == "screen")
        expect(own).to_be_visible()
    lecturer.emulate_media(media="null")
    with lecturer.expect_download() as saved:
        lecturer.get_by_role("button", name="Answers as CSV").click()
    assert saved.value.suggested_filename == f"class-{code}-answers.csv"
    assert "u + g" in saved.value.path().read_text("utf-8")


@pytest.mark.slow
def test_a_class_has_work_to_do(app: str, open_page: Callable[..., Page]) -> None:
    """Nicknames, given in one tab for all, teams, a question in Predict, an exercise set and a challenge
    with their progress."""
    lecturer, phone = open_page(), open_page(**PHONE)
    lost = lose_first(lecturer, b'"ask"')
    code = open_class(lecturer, f"{app}/bpe?corpus=hug&mode=predict")
    lecturer.get_by_role("checkbox", name="Ask for nicknames").click()
    lecturer.get_by_label("Teams").select_option("2")
    sent = received(phone)
    phone.goto(f"{app}/classroom?class={code}")  # an old link
    tab = phone.context.new_page()
    tab.goto(f"{app}/?class={code}")
    for page in (tab, phone):
        expect(page.locator(CARD).get_by_role("textbox", name="Your nickname")).to_be_visible()
    phone.locator(CARD).get_by_role("textbox", name="Your nickname").tap()
    phone.keyboard.type(MARKUP)
    phone.get_by_role("button", name="Send", exact=True).click()
    for page in (phone, tab):
        expect(page.locator(CARD)).to_be_hidden()
    tab.close()
    lecturer.keyboard.press("Escape")
    in_predict(lecturer, phone, sent)
    assert lost  # it was asked for once more
    an_exercise_set(lecturer, phone, app, code)
    a_challenge(lecturer, phone, app, code)
    press(lecturer, "End the class", STRIP)
    press(lecturer, "End the class", ".ts-class-panel")
    with lecturer.expect_download() as saved:
        lecturer.get_by_role("button", name="Grades as CSV").click()
    assert saved.value.suggested_filename == f"class-{code}-grades.csv"
    head, row = csv.reader(io.StringIO(saved.value.path().read_text("utf-8-sig")))
    assert row[:7] == ["1", MARKUP[:24], "A", "u + g", "right", "1", "1"]
    assert [cell for name, cell in zip(head, row, strict=True) if name.endswith("result")] == [
        "right", "", "right", "wrong", "right", "right",
    ]  # fmt: skip
    assert dict(zip(head[-3:], row[-3:], strict=True)) == {"tied": "0", "total": "4", "of": "5"}
    who_has_answered_what(lecturer)


def who_has_answered_what(lecturer: Page) -> None:
    """Folded until it is asked for: the page may be on the wall."""
    table = lecturer.locator(".classroom .students table")
    expect(table).to_have_count(0)
    lecturer.get_by_text("Who has answered what").click()
    row = table.locator("tbody tr")
    expect(row.locator("th")).to_have_text(f"{MARKUP[:24]} ● Team A")
    assert row.locator("th").evaluate(TEAM_IN_SIGHT)
    expect(row.locator("td").first).to_have_text("✓ right u + g")
    expect(row.locator("td").last).to_have_text("4 of 5")
    expect(table.locator("tbody img")).to_have_count(0)


def in_predict(lecturer: Page, phone: Page, sent: list[bytes]) -> None:
    """In Predict, the server sends nothing of the steps ahead before Reveal; then everybody goes on all the
    same."""
    where = ".ts-flipbook .where p"
    expect(phone.locator(where)).to_have_text("Step 0 of 0")
    lecturer.keyboard.press("p")
    expect(lecturer.locator("html[data-projector]")).to_be_attached()
    for key in ("a", "PageDown"):  # too soon: the question isn't there yet, and its answer isn't revealed
        lecturer.keyboard.press(key)
    expect(lecturer.locator(f"{WALL} .asked")).to_contain_text("Which pair is merged next?")
    lecturer.keyboard.press("Escape")  # nothing was hidden behind it
    expect(lecturer.locator(WALL)).to_be_hidden()
    at_rest(lecturer)
    expect(lecturer.locator(where)).to_have_text("Step 0 of 0")
    for key in "pa":
        lecturer.keyboard.press(key)
    expect(lecturer.locator(f"{WALL} .asked")).to_be_visible()
    lecturer.keyboard.press("Enter")
    tap(phone, "u + g")
    expect_answered(lecturer, "1 of 1 have answered")
    assert sent and not [data for data in sent if b"Merge u + g into" in data]
    lecturer.keyboard.press("e")
    for page in (lecturer, phone):
        expect(page.locator(where)).to_have_text("Step 1 of 1")
    phone.get_by_role("button", name="Done").click()
    lecturer.keyboard.press("Escape")


def give_out(lecturer: Page, phone: Page, path: str) -> None:
    """The lecturer gives out the page's task, and everybody is led there; text typed before Python is done
    there would be lost."""
    expect(lecturer.locator(f"{STRIP} [data-do=give]")).to_be_visible()
    lecturer.keyboard.press("g")
    phone.wait_for_function(f"location.pathname === '{path}'")
    Learner(phone, "").rest()
    expect(lecturer.locator(".ts-class-panel tbody tr").first).to_contain_text("0 of 1 · 0 right")


def an_exercise_set(lecturer: Page, phone: Page, app: str, code: str) -> None:
    """Each at their own pace: the first one right, the second one wrong, also after a reload with the answer
    that was revealed; the third one right."""
    lecturer.goto(f"{app}/exercises?class={code}")
    own_question(lecturer)
    give_out(lecturer, phone, "/exercises")
    rows = lecturer.locator(".ts-class-panel tbody tr")
    answer = phone.get_by_role("textbox", name="Your answer")
    answer.tap()
    phone.keyboard.type(make("bpe_count", 1, 1).question.key)
    phone.keyboard.press("Enter")
    expect(rows.nth(0)).to_contain_text("1 of 1 · 1 right")
    phone.get_by_role("button", name="Next exercise").click()
    expect(phone.locator(".exercise-head")).to_contain_text("number 2")
    at_rest(phone)
    phone.get_by_role("button", name="Reveal").click()
    expect(rows.nth(1)).to_contain_text("1 of 1 · 0 right")
    at_rest(phone)
    answer.tap()
    phone.keyboard.type(make("bpe_count", 1, 2).question.key)
    phone.keyboard.press("Enter")
    expect(phone.locator(".note.verdict.right")).to_be_visible()
    at_rest(phone)
    phone.reload()
    phone.get_by_role("button", name="Next exercise").click()
    expect(phone.locator(".exercise-head")).to_contain_text("number 3")
    at_rest(phone)
    answer.tap()
    phone.keyboard.type(make("bpe_count", 1, 3).question.key)
    phone.keyboard.press("Enter")
    expect(rows.nth(2)).to_contain_text("1 of 1 · 1 right")
    expect(rows.nth(1)).to_contain_text("1 of 1 · 0 right")
    assert phone.evaluate(CUT) == []
    lecturer.keyboard.press("Escape")


def own_question(lecturer: Page) -> None:
    """Without a run, the question is the lecturer's own, and the wall says why. While something is asked, `G`
    gives nothing: it is the key for another vote."""
    expect(lecturer.locator(f"{STRIP} [data-do=give]")).to_be_visible()
    lecturer.keyboard.press("a")
    expect(lecturer.locator(f"{WALL} .told")).to_contain_text("This page has no training steps to ask about")
    assert lecturer.locator(f"{WALL} .told").evaluate(LEGIBLE)
    lecturer.locator(f"{WALL} textarea").click()
    type_own(lecturer, "Ready?", "yes", "no")
    lecturer.keyboard.press("Enter")
    expect_answered(lecturer, "0 of 1 have answered")
    lecturer.keyboard.press("g")
    lecturer.keyboard.press("e")
    expect(lecturer.locator(WALL).get_by_role("button", name="Go on")).to_be_visible()
    expect(lecturer.locator(".ts-class-panel")).to_be_hidden()
    lecturer.keyboard.press("Escape")


def a_challenge(lecturer: Page, phone: Page, app: str, code: str) -> None:
    """Opened where it is made, it is in the class. A challenge's bars start anew, a row for each of its
    steps."""
    lecturer.goto(f"{app}/bpe?corpus=hug&class={code}")
    open_tab(lecturer, "Files and link")
    lecturer.get_by_role("link", name="Open the challenge").click()
    lecturer.wait_for_function("location.pathname === '/challenge'")
    expect(lecturer.locator(f"{STRIP} [data-do=give]")).to_be_visible()
    sealed = Challenge("Two merges", "bpe", {"corpus": "hug"}, 0, 2, "count").sealed()
    lecturer.goto(f"{app}/challenge?c={sealed}&class={code}")
    give_out(lecturer, phone, "/challenge")
    expect(lecturer.locator(".ts-class-panel tbody tr")).to_have_count(2)
    answer = phone.get_by_role("textbox", name="Your answer")
    answer.tap()
    phone.keyboard.type("20")
    phone.keyboard.press("Enter")
    expect(lecturer.locator(".ts-class-panel tbody tr").first).to_contain_text("1 of 1 · 1 right")
    lecturer.keyboard.press("Escape")
