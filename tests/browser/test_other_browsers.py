"""Every page in Firefox and in WebKit, where they are here (`make browsers` installs them), and what each of them does otherwise than
Chromium: neither has a Navigation API here, WebKit zooms and underlines in its own ways.

Oracle: the address, the history and the page as the browser itself tells of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.others import BROWSERS, Window, until
from tokensteps.language.pages import PAGES

STAGE, WHERE = ".ts-flipbook .stage > *", ".ts-flipbook .where b"
NAV = "[data-testid=stSidebarNav] a[href$='/{}']"
TOURS = "for (const page of ['bpe', 'wordpiece', 'unigram']) localStorage.setItem(`tokensteps.tour.${page}`, 'seen')"


@pytest.fixture(scope="module", params=BROWSERS)
def window(request: pytest.FixtureRequest, serve: Callable[..., str]) -> Iterator[Window]:
    find, start = BROWSERS[request.param]
    path = find()
    if path is None:
        pytest.skip(f"no {request.param} here: make browsers")
    with start(path) as remote:
        window = Window(remote)
        window.open(f"{serve('app.py')}/glossary", "h1")
        window.js(TOURS)
        yield window


@pytest.fixture
def server(serve: Callable[..., str], window: Window) -> Iterator[str]:
    yield serve("app.py")
    window.js("sessionStorage.clear()")


def step(window: Window) -> str:
    return parse_qs(urlsplit(window.url).query).get("step", [""])[0]


def shows(window: Window, number: int) -> None:
    until(lambda: window.text(WHERE) == f"Step {number}" and step(window) == str(number))


def test_pages_open(window: Window, server: str) -> None:
    for page in PAGES.values():
        window.open(f"{server}/{page.path}", "[data-testid=stMain] h1")
        assert not window.js("return all('[data-testid=stException]').length"), page.name
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
    time.sleep(0.6)
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
    time.sleep(1)  # for the last word on it
    before, address = window.js("return history.length"), window.url
    window.press(*"you")
    until(lambda: window.url != address)
    time.sleep(1)
    assert window.js("return history.length") == before
    radius = "return getComputedStyle(all('.ts-editor .field')[0]).borderTopLeftRadius"
    assert window.js(radius) == "12px"


def test_pointing_shows(window: Window, server: str) -> None:
    """A piece in the lattice, a term's line, and what it means: beside the word in projector mode, too."""
    window.open(f"{server}/unigram?corpus=course&size=40&step=200", STAGE)
    window.await_js(
        "const tab = all('[role=tab]').find((one) => one.textContent.trim() === 'Lattice'); tab?.click(); return !!tab"
    )
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
    places = """
    const zoom = (node) => ("currentCSSZoom" in node ? 1 : Number(getComputedStyle(node).zoom));
    const [word, tip] = [".ts-flipbook .say .term:hover", ".ts-tip"].map((one) => all(one)[0]);
    return [word.getBoundingClientRect().bottom * zoom(word), tip.getBoundingClientRect().top * zoom(tip)];
    """
    bottom, top = window.js(places)
    assert 0 <= top - bottom < 20


def test_escape_from_the_black_screen(window: Window, server: str) -> None:
    window.open(f"{server}/bpe?corpus=course&step=7", STAGE)
    window.press("p")
    window.await_js("return document.documentElement.hasAttribute('data-projector')")
    time.sleep(1)  # the full screen, where there is one
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
