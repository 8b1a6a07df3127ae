"""The stage within the page: it stands and steps before Streamlit has started, and moves to its place unseen.

Source: a first visit should show its step at once. Oracle: the page after all of it has come: everything
shown before must lie in the same place, to half a pixel, and a step taken before must be the page's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from benchmarks.load import opened
from tests.browser.conftest import ROOT, open_tab
from tests.loops import finished

APP = ROOT / "app.py"
STARTS = "**/_stcore/health"
"""Streamlit's requests before it connects. Its scripts may come from the browser's memory, where nobody can
hold them."""
EARLY = ".ts-early"
BOXES = """() => {
  const early = document.querySelector('.ts-early');
  const hosts = [...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')];
  const book = [early?.querySelector('.book'), ...hosts]
    .map((host) => host?.shadowRoot?.querySelector('.ts-flipbook')).find(Boolean);
  const left = (node) => { // where its text begins
    const range = document.createRange();
    range.selectNodeContents(node);
    return [range.getBoundingClientRect().x];
  };
  const box = (node) => { const { x, y, width, height } = node.getBoundingClientRect(); return [x, y, width, height]; };
  const main = early ?? document.querySelector('[data-testid=stMain]');
  return { title: left(main.querySelector('.head > b, h1 span')), lead: box(main.querySelector('.lead')), book: box(book),
    stage: box(book.querySelector('.stage')), said: box(book.querySelector('.say')),
    ground: [getComputedStyle(book).backgroundColor, getComputedStyle(book).color],
    tokens: getComputedStyle(book.querySelector('.t')).backgroundColor };
}"""
WINDOWS = [(1366, 768), (1920, 1080), (800, 600), (600, 800), (390, 844)]


@contextmanager
def before_streamlit(page: Page) -> Iterator[Callable[[], None]]:
    """A page with its Streamlit held until the yielded function is called, or until the end."""
    waiting: list[Route] = []
    page.route(STARTS, lambda route: waiting.append(route))  # a method can't be marked as Playwright does

    def start() -> None:
        while waiting:
            waiting.pop().continue_()
        page.unroute(STARTS)

    yield start
    start()


def step_of(page: Page) -> Any:
    return expect(page.locator(".ts-flipbook .where b"))


def shown_before(address: str) -> str:
    """Have the server know an address's stage: another visitor, without a browser, has been there."""
    parts = urlsplit(address)

    async def visit() -> None:
        assert parts.port is not None
        async with opened(parts.port, parts.path.strip("/"), dict(parse_qsl(parts.query))) as session:
            await session.run()

    finished(visit())
    return address


def whole(page: Page) -> None:
    """The whole page is there."""
    expect(page.locator(EARLY)).to_have_count(0)
    expect(page.locator(".ts-flipbook .say").first).to_be_visible()
    expect(page.get_by_role("tab").first).to_be_visible()
    expect(page.locator(".ts-tour .start")).to_be_visible()
    expect(page.locator("[class*=to_own_text] button")).to_be_visible()


def test_it_steps_before_streamlit_has_started(serve: Callable[..., str], page: Page) -> None:
    """By mouse and by keyboard; then Python hears of the step, the focus stays, and there is never a second
    stage."""
    address = shown_before(serve(APP) + "/bpe?corpus=course&step=3")
    with before_streamlit(page) as start:
        page.goto(address, wait_until="commit")
        step_of(page).to_have_text("Step 3")
        page.keyboard.press("ArrowRight")
        step_of(page).to_have_text("Step 4")
        page.get_by_role("button", name="Next").click()
        step_of(page).to_have_text("Step 5")
        expect(page.get_by_test_id("stSidebar")).to_have_count(0)
        page.evaluate(
            "document[Symbol.for('tokensteps.stage')].mark = 'the same'; window.books = new Set();"
            "const look = () => { const all = [document.querySelector('.ts-early .book'),"
            " ...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')]"
            " .map((host) => host?.shadowRoot?.querySelector('.ts-flipbook:has(.say)')).filter(Boolean);"
            " window.books.add(all.length); requestAnimationFrame(look); }; look()"
        )
        start()
        expect(page.locator(EARLY)).to_have_count(0)
    step_of(page).to_have_text("Step 5")
    expect(page.get_by_text("after step 5, best first")).to_be_visible()
    assert page.evaluate("document[Symbol.for('tokensteps.stage')].mark") == "the same"
    assert page.evaluate("[...window.books]") == [1]
    focused = "document.activeElement.shadowRoot?.activeElement?.dataset.do"
    assert page.evaluate(focused) == "next"
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("after step 6, best first")).to_be_visible()
    assert page.evaluate("new URL(location.href).searchParams.get('step')") == "6"
    open_tab(page, "Code")  # all of the page is there
    step_of(page).to_have_text("Step 6")


LATE_FRAMES = """() => { const real = requestAnimationFrame;
  window.requestAnimationFrame = (draw) => setTimeout(() => real(draw), 3000); }"""
"""As on a very busy device, or in a tab in the background."""


@pytest.mark.slow
def test_its_keys_work_though_frames_are_late(serve: Callable[..., str], page: Page) -> None:
    """The stage waits for its place longer than the page waits for a stage."""
    address = shown_before(serve(APP) + "/bpe?corpus=course&step=3")
    with before_streamlit(page) as start:
        page.goto(address, wait_until="commit")
        step_of(page).to_have_text("Step 3")
        page.evaluate(LATE_FRAMES)
        start()
        expect(page.locator(EARLY)).to_have_count(0)
    page.keyboard.press("ArrowRight")
    step_of(page).to_have_text("Step 4")
    expect(page.get_by_text("after step 4, best first")).to_be_visible()


@pytest.mark.slow
def test_playing_goes_on(serve: Callable[..., str], page: Page) -> None:
    """A run long enough that it isn't at its end when Streamlit's page comes."""
    address = shown_before(serve(APP) + "/bpe?corpus=course&step=1")
    with before_streamlit(page) as start:
        page.goto(address, wait_until="commit")
        page.get_by_role("button", name="Play").click()
        step_of(page).not_to_have_text("Step 1")
        start()
        expect(page.locator(EARLY)).to_have_count(0)
        expect(page.get_by_role("button", name="Pause")).to_be_visible()
        there = page.locator(".ts-flipbook .where b").first.inner_text()
    expect(page.locator(".ts-flipbook .where b").first).not_to_have_text(there)


@pytest.mark.slow
def test_nothing_moves_when_the_rest_comes(serve: Callable[..., str], page: Page) -> None:
    """In windows of all widths, where the head of a page breaks into lines in different ways, and in three
    languages."""
    shown = [("bpe", "en"), ("wordpiece", "ja"), ("unigram", "zh")]
    links = [f"{serve(APP)}/{name}?corpus=course&step=2&lang={language}" for name, language in shown]
    for link in links:
        shown_before(link)
    for number, (width, height) in enumerate(WINDOWS):
        page.set_viewport_size({"width": width, "height": height})
        with before_streamlit(page) as start:
            page.goto(links[number % 3], wait_until="commit")
            expect(page.locator(".ts-flipbook .say").first).to_be_visible()
            page.evaluate("document.fonts.ready")
            first = page.evaluate(BOXES)
            start()
            whole(page)
        for part, box in page.evaluate(BOXES).items():
            wanted = (
                pytest.approx(box, abs=0.5) if part in ("title", "lead", "book", "stage", "said") else box
            )
            assert first[part] == wanted, (part, width, links[number % 3])


def test_the_visitors_choices_are_respected(serve: Callable[..., str], open_page: Any) -> None:
    """A dark theme, and a wider menu: both as Streamlit itself keeps them."""
    page: Page = open_page(color_scheme="light", own="chosen")
    page.add_init_script(
        "localStorage.setItem('stActiveTheme-/bpe-v2', JSON.stringify('Dark')); localStorage.setItem('sidebarWidth', '340')"
    )
    address = shown_before(serve(APP) + "/bpe?corpus=hug")
    with before_streamlit(page) as start:
        page.goto(address, wait_until="commit")
        expect(page.locator(".ts-flipbook .say").first).to_be_visible()
        first = page.evaluate(BOXES)
        start()
        whole(page)
    later = page.evaluate(BOXES)
    assert first["ground"] == later["ground"] != []
    assert later["ground"][0] == "rgb(28, 31, 37)" and later["book"][0] > 370
    assert first["book"] == pytest.approx(later["book"], abs=0.5)


@pytest.mark.slow
def test_projector_mode_begins_when_it_can(serve: Callable[..., str], page: Page) -> None:
    """P, pressed while only the stage is there, isn't lost."""
    address = shown_before(serve(APP) + "/bpe?corpus=hug&step=3")
    with before_streamlit(page) as start:
        page.goto(address, wait_until="commit")
        step_of(page).to_have_text("Step 3")
        page.keyboard.press("p")
        start()
        expect(page.locator("html[data-projector]")).to_be_attached()
        expect(page.locator(EARLY)).to_have_count(0)
    step_of(page).to_have_text("Step 3")
    page.keyboard.press("p")
    expect(page.locator("html[data-projector]")).to_have_count(0)


def test_a_projected_page_waits_for_streamlit(serve: Callable[..., str], open_page: Any) -> None:
    page: Page = open_page(own="projecting")
    page.add_init_script("sessionStorage.setItem('tokensteps.projector', 'on')")
    address = shown_before(serve(APP) + "/bpe?corpus=hug")
    with before_streamlit(page) as start:
        page.goto(address, wait_until="commit")
        expect(page.locator("body > .too-old")).to_be_attached()  # it comes later in the page
        expect(page.locator(EARLY)).to_have_count(0)
        expect(page.locator(".ts-flipbook")).to_have_count(0)
        start()
    expect(page.locator("html[data-projector]")).to_be_attached()
    expect(page.locator(".ts-flipbook .say").first).to_be_visible()


def test_a_browser_in_another_language_gets_its_own_stage(serve: Callable[..., str], open_page: Any) -> None:
    """A browser may ask for pages in one language and speak another: the page's own stage comes in place of
    the early one."""
    shown_before(serve(APP) + "/bpe?corpus=hug&lang=ja")
    page: Page = open_page(extra_http_headers={"Accept-Language": "ja"})
    with before_streamlit(page) as start:
        page.goto(serve(APP) + "/bpe?corpus=hug&step=2", wait_until="commit")
        expect(page.locator(".ts-flipbook .where b")).to_contain_text("2")
        expect(page.locator("html")).to_have_attribute("lang", "ja")
        start()
        expect(page.locator(EARLY)).to_have_count(0)
    step_of(page).to_have_text("Step 2")
    expect(page.locator("html")).to_have_attribute("lang", "en")
