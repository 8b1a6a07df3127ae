"""A lesson plan and the path, walked along in a browser: a strip on every page leads from stop to stop.

Source: the plans in `tokensteps/teaching/lessons.py`. Oracle: their own links and minutes; places on the
screen.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT, at_rest, pause
from tests.browser.hands import retype, tab_to
from tokensteps.language.pages import PAGES
from tokensteps.server.seal import seal
from tokensteps.teaching.exercises.kinds import EXERCISE_KINDS
from tokensteps.teaching.lessons import LESSONS
from tokensteps.teaching.path.stations import STATIONS
from tokensteps.teaching.walk import HOME_LINK

PLAN = LESSONS[1]
HALL = {"viewport": {"width": 1280, "height": 800}}
STRIP = ".ts-walk"
CUT = """() => [...document.querySelectorAll('.ts-walk .row > :not([hidden])')].filter((node) =>
  node.matches('button, .time, ol') && (node.scrollWidth > node.clientWidth + 2
    || node.getBoundingClientRect().right > innerWidth)).map((node) => node.outerHTML)"""
COVERED = """() => { const strip = document.querySelector('.ts-walk').getBoundingClientRect();
  const app = document.querySelector('[data-testid=stMain]').getBoundingClientRect(); return app.bottom - strip.top; }"""

TOKENS = "() => document.querySelector('.st-key-playground-chips').getBoundingClientRect().bottom"

KEPT = "Object.keys(sessionStorage).some(key => key.startsWith('tokensteps.bpe-'))"
"""Whether the tab keeps the answers to BPE's questions."""

BUSY = "() => { setTimeout(() => { for (const end = performance.now() + 900; performance.now() < end;); }); }"
"""For longer than the press of a key that isn't held."""


@pytest.fixture
def hall(open_page: Callable[..., Page]) -> Page:
    """A lecturer on a first visit."""
    return open_page(tours=True, **HALL)


ADDRESS = """wanted => { const there = new URLSearchParams(location.search);
  return Object.entries(wanted).every(([name, text]) => there.get(name) === text); }"""


def query(page: Page) -> dict[str, str]:
    return {name: texts[0] for name, texts in parse_qs(urlsplit(page.url).query).items()}


def at(page: Page, number: int) -> None:
    """The strip is at this activity of the plan, and so are the page and its address, and Python rests; the
    strip covers nothing, and nothing on it is cut."""
    activity = PLAN.activities[number - 1]
    link = activity.link or HOME_LINK
    expect(page.locator(f"{STRIP} .which")).to_contain_text(f"{number} of {len(PLAN.activities)}")
    expect(page.locator(f"{STRIP} .time")).to_contain_text(f"/ {activity.minutes} min")
    path = "/" if link.page == "home" else f"/{link.page}"  # Python's parameters come before the page
    place = "new URLSearchParams(location.search).get('walk')"
    page.wait_for_function(f"location.pathname === '{path}' && {place} === '30.{number}'")
    page.wait_for_function(ADDRESS, arg=dict(link.query))  # the last stage may still write its step there
    at_rest(page)
    page.wait_for_function(f"({COVERED})() <= 1")
    assert page.evaluate(CUT) == []


def held(page: Page, key: str) -> None:
    """A clicker's key, pressed until it counts as held: the system repeats it meanwhile."""
    page.keyboard.down(key)
    for _ in range(9):
        pause(page, 100)
        page.keyboard.down(key)
    page.keyboard.up(key)


def test_a_plan_given_with_a_clicker(serve: Callable[..., str], hall: Page) -> None:
    """From start to end: one click, P, and then the clicker's keys alone."""
    page = hall
    page.goto(f"{serve(ROOT / 'app.py')}/teach")
    page.locator(".st-key-home_plan_30").get_by_role("button", name="Start").click()
    at(page, 1)
    expect(page.locator(f"{STRIP} .told")).to_contain_text("Ask what each choice costs.")
    page.keyboard.press("p")
    expect(page.locator(f"{STRIP} .told")).to_be_hidden()  # it has the answers
    held(page, "PageDown")
    at(page, 2)
    page.evaluate("() => { const now = Date.now; Date.now = () => now() + 3_600_000; }")
    expect(page.locator(f"{STRIP} .time.over")).to_be_visible()  # its minutes are over
    expect(page.locator(".question")).to_contain_text("Which pair is merged next?")
    page.locator(".ts-flipbook .say").first.wait_for()
    expect(page.get_by_role("button", name="Reveal")).to_be_visible()  # it comes after the stage
    page.keyboard.press(
        "PageDown"
    )  # a press reveals, and moves no focus: N would be typed into the next answer's box
    expect(page.locator(".verdict")).to_contain_text("Shown.")
    at_rest(page)  # the last answer's box is gone
    expect(page.get_by_label("Your answer")).not_to_be_focused()
    tab_to(page.get_by_label("Your answer"))
    held(page, "PageDown")  # reveals nothing
    at(page, 3)
    where = page.locator(".ts-flipbook .where b").first
    expect(where).to_have_text("Step 2")
    page.evaluate(BUSY)  # it hears late of a press, and of the end of it
    page.keyboard.press("PageDown")  # steps, and stays
    expect(where).to_have_text("Step 3")
    page.keyboard.press("b")
    expect(page.locator(".ts-blackout")).to_be_visible()
    page.keyboard.press("PageDown")
    expect(page.locator(".ts-blackout")).to_be_hidden()
    held(page, "PageUp")
    at(page, 2)
    held(page, "PageDown")
    at(page, 3)
    expect(where).to_have_text("Step 2")  # as the plan sets it up
    held(page, "PageDown")
    at(page, 4)
    expect(page.locator(".question")).to_contain_text("The one with the highest score")
    page.reload()  # as a clicker’s start key may do
    at(page, 4)
    held(page, "PageDown")
    at(page, 5)
    page.locator(".ts-chips .pane .r").nth(1).click()  # a token's explanation stands beside it
    expect(page.locator(".ts-chips .card")).to_contain_text("Merged from")
    page.wait_for_function(f"({TOKENS})() <= document.querySelector('{STRIP}').getBoundingClientRect().top")
    held(page, "PageDown")
    at(page, 6)
    expect(page.get_by_text("In which language does GPT-2 need the most tokens")).to_be_visible()
    expect(page.locator(f"{STRIP} [data-go=next]")).to_have_text("Finish")
    held(page, "PageDown")
    expect(page.locator(STRIP)).to_have_count(0)
    expect(page.get_by_role("heading", name="Three ways to learn the pieces")).to_be_visible()
    assert "walk" not in query(page)


UNFOLDED = """() => { const open = document.querySelector("details[open]");
  return open && !open.getAnimations({ subtree: true }).length; }"""
"""For half a second, what stands in a plan is pushed down: a hand waits."""


@pytest.mark.slow
def test_a_printed_plan_leads_into_the_app(
    serve: Callable[..., str], open_page: Callable[..., Page], tmp_path: Path
) -> None:
    """Each address on it is of the app, wherever the page with the plans is."""
    address, page = serve(ROOT / "app.py"), open_page(own=True, **HALL)
    page.goto(f"{address}/teach")
    page.get_by_text(PLAN.title).click()
    page.wait_for_function(UNFOLDED)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Printable version of this plan").click()
    saved.value.save_as(path := tmp_path / saved.value.suggested_filename)
    page.goto(path.as_uri())
    links = page.get_by_role("link")
    pages = [one.link.page if one.link else "home" for one in PLAN.activities]
    for number, name in enumerate(pages):
        shown = links.nth(number).inner_text().partition("?")[0]
        assert shown == f"{address}/{PAGES[name].path}"
    links.nth(1).click()
    at(page, 2)


@pytest.mark.slow
def test_keys_back_and_leaving(serve: Callable[..., str], hall: Page) -> None:
    """N and Shift+N; the browser's Back leads through the stops, and finds the plans as they were left;
    leaving ends it."""
    page = hall
    page.goto(f"{serve(ROOT / 'app.py')}/?walk=30.1")
    at(page, 1)
    box = page.get_by_label("Your sentence")
    retype(box, "nnh")  # letters are letters where somebody types
    expect(page.locator(".first-counts").first).to_contain_text("3 characters")
    at(page, 1)
    page.get_by_role("link", name="For teachers", exact=True).click()
    plan = page.locator(".st-key-home_lesson_30_3")  # open at the plan under way
    expect(plan).to_be_visible()
    at_rest(page)
    plan.scroll_into_view_if_needed()
    top = page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop")
    plan.get_by_role("link").click()
    at(page, 2)
    page.go_back()
    page.wait_for_url(re.compile("/teach"))
    expect(page.locator(f"{STRIP} .which")).to_contain_text(f"1 of {len(PLAN.activities)}")
    page.wait_for_function(f"Math.abs(document.querySelector('[data-testid=stMain]').scrollTop - {top}) < 5")
    page.go_forward()
    at(page, 2)
    page.keyboard.press("n")
    at(page, 3)
    page.keyboard.press("Shift+N")
    at(page, 2)
    answer, show = page.locator(f"{STRIP} .told p + p span"), page.locator(f"{STRIP} .show")
    expect(answer).to_be_hidden()  # the class is to find it out
    page.keyboard.press("u")
    expect(answer).to_contain_text("u + g first")
    expect(show).to_be_hidden()
    page.reload()
    expect(show).to_be_visible()
    page.get_by_role("button", name="Reveal").click()
    expect(answer).to_contain_text("u + g first")
    page.wait_for_function(KEPT)
    page.keyboard.press("h")
    expect(page.locator(f"{STRIP} .told")).to_be_hidden()
    page.get_by_role("link", name="Errata").click()  # a side-step: the plan goes along
    expect(page.locator(f"{STRIP} .which")).to_contain_text("2 of 6")
    page.wait_for_function("new URLSearchParams(location.search).get('walk') === '30.2'")
    expect(page.locator(f"{STRIP} .told")).to_be_hidden()
    page.get_by_role("button", name="Leave").click()
    expect(page.locator(STRIP)).to_have_count(0)
    page.wait_for_function("!location.search.includes('walk')")
    # That was a rehearsal: the day after, in the same tab, nothing is revealed.
    assert page.evaluate(KEPT)
    page.goto(f"{serve(ROOT / 'app.py')}/?walk=30.1")
    at(page, 1)
    page.keyboard.press("n")
    at(page, 2)
    expect(page.locator(".ts-flipbook .say").first).to_contain_text("The alphabet has")
    expect(page.get_by_text("1 answer")).to_have_count(0)
    page.wait_for_function(f"!({KEPT})")
    # A stop about a tab has it whole in sight.
    page.goto(f"{serve(ROOT / 'app.py')}/unigram?corpus=hug&step=0&walk=90.7")
    pieces = page.locator(".lat .e")
    expect(pieces).to_have_count(9)
    for piece in pieces.all():
        expect(piece).to_be_in_viewport(ratio=1)
    # The answer to a scene's question is covered until that is answered, also at the next scene.
    page.goto(f"{serve(ROOT / 'app.py')}/matters?scene=letters&walk=90.10")
    page.locator(STRIP).get_by_role("button", name="Note").click()
    expect(show).to_be_visible()
    page.get_by_role("button", name="Reveal").click()
    expect(answer).to_be_visible()
    expect(answer).to_contain_text("st + raw + berry")
    page.keyboard.press("n")
    expect(page.get_by_text("In which language does GPT-2 need the most tokens")).to_be_visible()
    at_rest(page)
    expect(show).to_be_visible()
    expect(answer).to_be_hidden()
    page.locator(f"{STRIP} li button").first.click()  # beside a short name, the plan's has room
    expect(page.locator(f"{STRIP} .stop")).to_have_text("Home")
    which = page.locator(f"{STRIP} .which").inner_text()
    page.get_by_role("button", name="Leave").click()
    expect(page.get_by_test_id("stToast")).to_have_text("“For teachers” has the place where you stopped.")
    page.get_by_role("link", name="For teachers", exact=True).click()
    page.get_by_role("button", name="Continue").click()
    expect(page.locator(f"{STRIP} .which")).to_have_text(which)
    assert page.locator(f"{STRIP} .which b").evaluate("node => node.scrollWidth <= node.clientWidth")


def test_the_path_and_the_browsers_storage(serve: Callable[..., str], hall: Page) -> None:
    """Going on makes no station done; showing the answer does, and the tick says so. Exercises belong to
    finished stations; a new tab knows; one button erases it; a forgery is nothing. Somebody half-way along
    the path's first form, with a link of it, gets a message about its new form."""
    page, app = hall, serve(ROOT / "app.py")
    page.goto(app)
    page.get_by_role("link", name=STATIONS[2].link.label).click()
    which, dots = page.locator(f"{STRIP} .which"), page.locator(f"{STRIP} li button")
    expect(which).to_contain_text("3 of 10")
    expect(page.get_by_role("button", name="Reveal")).to_be_visible()
    page.locator(f"{STRIP} [data-go=next]").click()
    page.wait_for_function("new URLSearchParams(location.search).get('walk') === 'path.4'")
    expect(page.locator(f"{STRIP} .told")).to_contain_text("Cut a new word")
    expect(page.locator(".st-key-walk-card")).to_be_visible()
    expect(dots.nth(2)).to_have_accessible_name(f"3: {STATIONS[2].link.label}")
    page.get_by_role("button", name="Reveal").click()
    expect(which).to_contain_text("answer shown")
    expect(page.locator(f"{STRIP} .told p").first).to_contain_text("Shown: b ug s.")
    page.keyboard.press("x")  # the exercises, with the focus in the answer's box
    page.wait_for_function("location.pathname === '/exercises'")
    expect(page.locator(".exercise-head")).to_contain_text(EXERCISE_KINDS[STATIONS[3].exercise].title)
    expect(page.get_by_label("Your answer")).to_be_focused()
    expect(page.locator(f"{STRIP} .told")).to_be_hidden()  # it is about the station
    page.get_by_role("button", name="Back to the station").click()
    page.wait_for_function("location.pathname === '/bpe'")
    page.keyboard.press("n")
    expect(which).to_contain_text("5 of 10")
    expect(dots.nth(3)).to_have_accessible_name(f"4: {STATIONS[3].link.label}, answer shown")
    page.wait_for_function("localStorage.getItem('tokensteps.path') !== null")
    other = page.context.new_page()
    other.goto(app)
    expect(other.locator(".walked")).to_have_text("1 station of 10 done")
    expect(other.locator(STRIP)).to_have_count(
        0
    )  # finished stations are kept, the plan of another tab isn't followed
    other.get_by_role("button", name="Erase my progress").click()
    expect(other.locator(".walked")).to_have_count(0)
    other.wait_for_function("localStorage.getItem('tokensteps.path') === null")
    expect(page.locator(STRIP)).to_have_count(0)  # in every tab; drawn meanwhile, that one has kept it again
    other.wait_for_function("localStorage.getItem('tokensteps.path') === null")
    other.get_by_role("link", name="Glossary", exact=True).click()
    other.wait_for_url("**/glossary*")
    page.get_by_role("link", name="Home", exact=True).click()
    page.get_by_role("link", name="New here? Start").click()
    for number in (2, 3, 4):
        page.wait_for_url(f"**walk=path.{number - 1}*")
        at_rest(page)
        page.locator(f"{STRIP} [data-go=next]").click()
    page.wait_for_url("**walk=path.4*")
    card = page.locator(".st-key-walk-card")
    card.get_by_role("button", name="Reveal").click()  # it has forgotten its answer, too
    expect(which).to_contain_text("answer shown")
    other.get_by_role("link", name="Home", exact=True).click()
    expect(other.locator(".walked")).to_have_text("1 station of 10 done")  # no second erasure
    for tab in (page, other):
        at_rest(tab)  # what either draws now would be kept instead of the forgery
    other.evaluate("localStorage.setItem('tokensteps.path', '[1,[1,2,3],[]]'.repeat(99))")
    other.reload()
    expect(other.get_by_role("heading", name="More to try")).to_be_visible()
    expect(other.locator(".walked")).to_have_count(0)
    old = seal("kept", ["path", [2, [1, 2], [1]]])  # as this server sealed it before
    other.evaluate("text => localStorage.setItem('tokensteps.path', text)", old)
    other.goto(f"{app}/wordpiece?corpus=hug&step=1&walk=path.3")  # where they were
    expect(other.get_by_text("The path is new.")).to_be_visible()
    expect(other.locator(".ts-flipbook .say").first).to_contain_text("Merge")
    other.get_by_role("button", name="Back to the station").click()
    other.wait_for_function("location.pathname === '/bpe'")
    expect(other.locator(f"{STRIP} .which")).to_contain_text("3 of 10 · answer shown")
    other.get_by_role("link", name="Home").click()
    expect(other.locator(".walked")).to_have_text("2 stations of 10 done")
    other.close()
