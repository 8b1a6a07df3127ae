"""Every page in Firefox and in WebKit, where they are here (`make browsers` installs them), and their
differences from Chromium: neither has a Navigation API here, WebKit zooms and underlines in its own ways.

Oracle: the address, the history and the page by the browser's own report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PROBES, TOURS_TAKEN
from tests.browser.others import BROWSERS, Window, started, until
from tests.browser.test_class import CARD, STRIP, WALL, expect_answered, open_class, press
from tests.waiting import pass_time
from tokensteps.language.pages import PAGES
from tokensteps.runs.algorithms import ALGORITHMS
from tokensteps.teaching.challenge import Challenge
from tokensteps.teaching.exercises.kinds import make

STAGE, WHERE = ".ts-flipbook .stage > *", ".ts-flipbook .where b"
NAV = "[data-testid=stSidebarNav] a[href$='/{}']"
TOURS = "for (const page of ['bpe', 'wordpiece', 'unigram']) localStorage.setItem(`tokensteps.tour.${page}`, 'seen')"


@pytest.fixture(scope="module", params=BROWSERS)
def window(request: pytest.FixtureRequest, serve: Callable[..., str]) -> Iterator[Window]:
    with started(request.param) as window:
        window.open(f"{serve('app.py')}/glossary", "h1")
        window.js(TOURS)
        yield window


@pytest.fixture
def server(serve: Callable[..., str], window: Window) -> Iterator[str]:
    yield serve("app.py")
    window.js("sessionStorage.clear()")


def tab(window: Window, name: str) -> None:
    """Open a tab as a hand does: by its name in the bar, or by its name under “More”."""
    seen = "return all('[role=tab]').filter((one) => one.checkVisibility()).map((one) => one.textContent)"
    if name not in window.js(seen):
        window.press_until(".ts-tabs button", "More", "return all('[role=menuitem]').length")
    window.point("[role=tab], [role=menuitem]", name, click=True)


def write(window: Window, box: str, text: str) -> None:
    """Type into a box, and press Enter."""
    window.point(box, click=True)
    window.press(*text, "Enter")


def says(window: Window, selector: str, text: str) -> None:
    """Wait until some element of this kind has this text in it."""
    window.await_js(
        "return all(arguments[0]).some((one) => one.textContent.includes(arguments[1]))", selector, text
    )


def step(window: Window) -> str:
    return parse_qs(urlsplit(window.url).query).get("step", [""])[0]


def shows(window: Window, number: int) -> None:
    until(lambda: window.text(WHERE) == f"Step {number}" and step(window) == str(number))


def test_pages_open(window: Window, server: str) -> None:
    window.remote.complaints()
    for page in PAGES.values():
        window.open(f"{server}/{page.path}", "[data-testid=stMain] h1")
        assert not window.js("return all('[data-testid=stException]').length"), page.name
        # On a page below the root, Streamlit first looks for its endpoints there: as in Chromium.
        errors = [line for line in window.remote.complaints() if not any(probe in line for probe in PROBES)]
        assert (page.name, errors) == (page.name, [])
    if "Firefox" not in window.js("return navigator.userAgent"):
        # On a dark page, the logo's picture is turned light: WebKit draws it as on a light one.
        assert window.js("return matchMedia('(prefers-color-scheme: dark)').matches")
        assert "invert" in window.js("return getComputedStyle(all('[data-testid=stSidebarLogo]')[0]).filter")


def test_steps_and_the_way_back(window: Window, server: str) -> None:
    window.open(f"{server}/bpe?corpus=course&step=7&lang=en", STAGE)
    for key, number in (("Right", 8), ("Home", 0), ("End", 19)):
        window.press(key)
        shows(window, number)
    before = window.js("return history.length")
    window.press("Left")
    shows(window, 18)
    pass_time(0.6)
    assert window.js("return history.length") == before
    window.point(NAV.format("glossary"), click=True)
    until(lambda: "/glossary" in window.url)
    window.ready(".ts.entry")
    assert urlsplit(window.url).query == "lang=en"
    window.point(NAV.format("bpe"), click=True)
    shows(window, 18)
    window.ready(STAGE)
    assert window.js("return history.length") == before + 2
    window.remote.ask("back")  # past no bare or foreign address
    until(lambda: window.url == f"{server}/glossary?lang=en")


def test_typing_adds_nothing_to_the_history(window: Window, server: str) -> None:
    window.open(f"{server}/playground", ".ts-chips .pane .r")
    box = ".ts-editor .cm-content"
    tokens = window.text(".ts-chips .pane")
    window.point(box, click=True)
    window.press(*"Hello ")
    until(lambda: window.text(".ts-chips .pane") != tokens and "text=" in window.url)
    pass_time(1)  # for the last word on it
    before, address = window.js("return history.length"), window.url
    window.press(*"you")
    until(lambda: window.url != address)
    pass_time(1)
    assert window.js("return history.length") == before
    radius = "return getComputedStyle(all('.ts-editor .field')[0]).borderTopLeftRadius"
    assert window.js(radius) == "12px"


def test_pointing_shows(window: Window, server: str) -> None:
    """A piece in the lattice, a term's line, and its meaning: beside the word in projector mode, too."""
    window.open(f"{server}/unigram?corpus=course&size=40&step=200", STAGE)
    tab(window, "Lattice")
    window.ready(".lat .e[data-pick]")
    until(lambda: window.point(".lat .e[data-pick]") or window.js("return all('.lat .seen').length"))
    line = "const look = getComputedStyle(all('.term')[0]); return [look.textDecorationLine, look.textDecorationStyle]"
    assert window.js(line) == ["underline", "dotted"]
    window.press("p")
    window.await_js("return document.documentElement.hasAttribute('data-projector')")
    until(
        lambda: (
            window.point(".ts-flipbook .say .term") or window.js("return all('.ts-tip:popover-open').length")
        )
    )
    positions = """
    const zoom = (node) => ("currentCSSZoom" in node ? 1 : Number(getComputedStyle(node).zoom));
    const [word, tip] = [".ts-flipbook .say .term:hover", ".ts-tip"].map((one) => all(one)[0]);
    return [word.getBoundingClientRect().bottom * zoom(word), tip.getBoundingClientRect().top * zoom(tip)];
    """
    bottom, top = window.js(positions)
    assert 0 <= top - bottom < 20


def test_escape_from_the_black_screen(window: Window, server: str) -> None:
    window.open(f"{server}/bpe?corpus=course&step=7", STAGE)
    window.press("p")
    window.await_js("return document.documentElement.hasAttribute('data-projector')")
    pass_time(1)  # the full screen, where there is one
    window.press("b")
    window.await_js("return all('.ts-blackout:popover-open').length === 1")
    window.press("Escape")
    window.await_js("return all('.ts-blackout:popover-open').length === 0")
    window.press("PageDown")
    shows(window, 8)


def test_boxes_grow_in_projector_mode(window: Window, server: str) -> None:
    """As tall as their text asks, and no page wider than the window."""
    window.open(f"{server}/exercises", "[data-testid=stForm] input")
    window.point("h1", click=True)
    window.press("p")
    window.await_js("return document.documentElement.hasAttribute('data-projector')")
    tall = """
    const box = all("[data-testid=stForm] [data-testid=stTextInputRootElement]")[0], { height } = getComputedStyle(box);
    return parseFloat(height) / parseFloat(getComputedStyle(box.querySelector("input")).fontSize);
    """
    assert window.js(tall) > 2
    window.open(f"{server}/pipeline", ".ts-pipeline .atom")
    window.await_js("return document.documentElement.hasAttribute('data-projector')")
    wide = "const { scrollWidth, clientWidth } = document.querySelector('[data-testid=stMain]'); return scrollWidth - clientWidth"
    assert window.js(wide) <= 0


# --- each page's purpose ------------------------------------------------------------------------------------


def test_home_splits_typed_text(window: Window, server: str) -> None:
    window.open(f"{server}/", ".first-tokens small")
    before = window.text(".first-counts")
    window.point("[aria-label='Your sentence']", click=True)
    window.press(*"hugs ")
    until(lambda: window.text(".first-counts") not in ("", before))


def test_an_exercise_is_answered(window: Window, server: str) -> None:
    window.open(f"{server}/exercises?kind=bpe_count&level=1&seed=1", "[data-testid=stForm] input")
    write(window, "[data-testid=stForm] input", make("bpe_count", 1, 1).question.key)
    says(window, ".note.verdict", "Right.")


def test_a_challenge_is_begun(window: Window, server: str) -> None:
    sealed = Challenge("Two merges", "bpe", {"corpus": "hug"}, 0, 2, "count").sealed()
    window.open(f"{server}/challenge?c={sealed}", "[data-testid=stForm] input")
    write(window, "[data-testid=stForm] input", "20")
    says(window, ".ts-flipbook .where b", "Step 1")


def test_errata_lead_to_their_step(window: Window, server: str) -> None:
    window.open(f"{server}/errata", "[data-testid=stMain] a[href*='step=']")
    window.point("[data-testid=stMain] a[href*='step=']", click=True)
    window.ready(STAGE)


def test_a_plan_is_begun(window: Window, server: str) -> None:
    window.open(f"{server}/teach", ".st-key-home_plan_30 [data-testid=stButton] button")
    window.point(".st-key-home_plan_30 [data-testid=stButton] button", click=True)
    until(lambda: "walk=30.1" in window.url)


def test_the_glossary_is_searched(window: Window, server: str) -> None:
    window.open(f"{server}/glossary", ".ts.entry")
    entries = window.js("return all('.ts.entry').length")
    write(window, "[data-testid=stMain] input[type=text]", "lattice")
    until(lambda: 0 < window.js("return all('.ts.entry').length") < entries)


def test_a_class_is_followed(window: Window, server: str, page: Page) -> None:
    """Each browser as the student of a lecturer in Chromium."""
    page.add_init_script(TOURS_TAKEN)
    code = open_class(page, f"{server}/bpe?corpus=hug")
    page.keyboard.press("Escape")
    window.open(f"{server}/?class={code}", STAGE)
    for key, number in (("ArrowRight", 1), ("Home", 0)):
        page.keyboard.press(key)
        until(lambda number=number: window.text(WHERE) == f"Step {number}")
    page.keyboard.press("a")
    expect(page.locator(f"{WALL} .asked")).to_be_visible()
    page.keyboard.press("Enter")
    until(
        lambda: (
            window.point(f'{CARD} [data-key="=u + g"]', click=True)
            or window.js(f"return !!all('{CARD} [aria-pressed=true]').length")
        )
    )
    expect_answered(page, "1 of 1 have answered")
    page.keyboard.press("Escape")
    press(page, "End the class", STRIP)
    press(page, "End the class", ".ts-class-panel")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_step_is_requested(window: Window, server: str, algorithm: str) -> None:
    window.open(f"{server}/{algorithm}?corpus=course&step=2", STAGE)
    window.press("Right")
    shows(window, 3)
    window.open(f"{server}/{algorithm}?corpus=hug&mode=predict", "[data-testid=stForm]")
    says(window, ".question", "?")


def test_words_are_split_at_random(window: Window, server: str) -> None:
    window.open(f"{server}/unigram?corpus=hug&step=5", STAGE)
    tab(window, "Sample at random")
    window.point("button", "Sample again", click=True)
    says(window, "[data-testid=stMain] p", "Seed")


def test_a_count_is_changed(window: Window, server: str) -> None:
    window.open(f"{server}/whatif", ".ts-flipbook .whatif")
    window.point(".ts-flipbook input[type=range]", click=True)
    window.press("Home", "Right")
    shows_step = "return all('.ts-flipbook input[type=range]')[0].value"
    until(lambda: window.js(shows_step) == "1" and step(window) == "1")


def test_a_picture_is_saved_or_refused_kindly(window: Window, server: str) -> None:
    """WebKit gives nothing back of a picture with drawn markup: it says so."""
    window.open(f"{server}/bpe?corpus=hug&step=2", STAGE)
    tab(window, "Files and link")
    window.await_js("return all('.ts-picture button').length")
    window.js(
        "window.made = []; URL.createObjectURL = (blob) => { window.made.push(blob.type); return '#'; }"
    )
    window.press_until(".ts-picture button", "Picture (SVG)", "return window.made.includes('image/svg+xml')")
    png = "return window.made.includes('image/png') || all('.ts-picture [role=status]')[0].textContent"
    window.press_until(".ts-picture button", "Picture (PNG)", png)


def test_why_health_and_chat(window: Window, server: str) -> None:
    window.open(f"{server}/playground?text=An+antidisestablishment", ".ts-chips .pane .r")
    tab(window, "Why these tokens?")
    window.ready(".story.why .row")
    tab(window, "Health")
    window.ready("[data-testid=stMain] dl.counts")
    tab(window, "Chat")
    window.ready("[data-testid=stMain] textarea")


def test_sizes_are_compared(window: Window, server: str) -> None:
    window.open(f"{server}/compare?corpus=hug&step=1", ".ts-flipbook .trio")
    window.press("Right")
    until(lambda: step(window) == "2")


def test_the_pipeline_lights_up(window: Window, server: str) -> None:
    window.open(f"{server}/pipeline", ".ts-pipeline .i")
    until(lambda: window.point(".ts-pipeline .i") or window.js("return all('.ts-pipeline .i.lit').length"))


def test_a_tokenizer_is_retrained(window: Window, server: str) -> None:
    window.open(f"{server}/renew", "dl.counts dd")
    says(window, "dl.counts dd", "39")
