"""Starting, and every page's duties to a visitor: a fresh server answers links, `make run` serves, nothing
leaves the host.

Source: the README's promises (one command starts it; every step is a link; it works offline). Oracle: a real
Chromium and the requests it makes; for `make run`, the Makefile itself, run by `make`.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import playwright
import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from benchmarks.ports import free_port
from tests.browser.conftest import IMPATIENT, ROOT, at_rest, open_tab, turn_to, wait_until_up
from tests.browser.hands import retype
from tests.browser.test_bpe_page import Bpe
from tokensteps.language.pages import PAGES

APP = ROOT / "app.py"


def navigation(page: Page) -> list[str]:
    return page.get_by_test_id("stSidebarNavLink").all_inner_texts()


def test_a_fresh_server_answers_a_deep_link(serve: Callable[..., str], page: Page) -> None:
    """Not even the first visitor of a new process sees Streamlit's “Page not found”, an effect of a pages/
    folder."""
    page.goto(serve(APP, fresh=True) + "/bpe?corpus=course&step=7")
    expect(page.locator(".ts-flipbook .where b").first).to_have_text("Step 7")
    expect(page.locator(".ts-flipbook .say b").first).to_have_text("3 times")
    assert navigation(page) == [one.title for one in PAGES.values()]
    expect(page.get_by_text("after step 7, best first")).to_be_visible()  # all of the page is there
    expect(page.get_by_text("Page not found")).to_have_count(0)
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert page.evaluate("location.pathname + location.search") == "/bpe?corpus=course&step=7"


@pytest.mark.slow
def test_the_last_pages_requests_take_nothing_from_this_one(serve: Callable[..., str], page: Page) -> None:
    """Python may have led a browser elsewhere before it hears of it, as in a class. Here a message about
    Unigram's step comes once more when BPE's page, with a fragment of the same name, is there. Oracle: the
    page stays as it is."""
    calls: list[bytes] = []
    again: list[Callable[[], None]] = []

    def between(browser: WebSocketRoute) -> None:
        server = browser.connect_to_server()
        again.append(lambda: server.send(calls[-1]))

        def send(data: bytes | str) -> None:
            if isinstance(data, bytes) and b"unigram.book" in data and b'"step"' in data:
                calls.append(data)
            server.send(data)

        browser.on_message(send)

    page.route_web_socket("**/stream", between)
    learner = Bpe(page, serve(APP))
    learner.open("/unigram?corpus=hug")
    learner.shows(0)
    learner.rest()
    learner.press("ArrowRight")
    learner.rest()
    assert calls
    page.get_by_role("link", name="BPE", exact=True).click()
    learner.at(0)
    learner.rest()
    before = page.get_by_test_id("stMain").inner_text()
    again[-1]()
    learner.press("ArrowRight")
    learner.at(1)
    learner.press("ArrowLeft")
    learner.at(0)
    learner.rest()
    assert page.get_by_test_id("stMain").inner_text() == before


OVERTAKEN = """() => new Promise(done => {
  addEventListener('popstate', () => {  // Streamlit writes like this on the way of Back and Forward, and like that else
    history.replaceState(history.state, '', '?step=9');
    history.pushState({}, '', '?step=9');
    done();
  }, { once: true });
  history.back();
})"""
"""Goes back, to a page with an overtaken run that still writes its step, before Python has answered."""


@pytest.mark.slow
def test_from_page_to_page(serve: Callable[..., str], page: Page) -> None:
    """One visit: with Back, and with a text."""
    the_next_page_writes_nothing_into_the_history_of_this_one(page, serve(APP))
    a_text_that_is_brought_along_makes_one_entry(page)


def the_next_page_writes_nothing_into_the_history_of_this_one(page: Page, address: str) -> None:
    """The answer may come before Streamlit's change of the page. Oracle: the browser's own Back."""
    page.goto(f"{address}/bpe?corpus=course&step=3")
    expect(page.locator(".ts-flipbook .where b").first).to_have_text("Step 3")
    for name, query in (("glossary", ""), ("bpe", "?corpus=course&step=3")):
        page.locator(f"[data-testid=stSidebarNav] a[href$='/{name}']").click()
        page.wait_for_url(f"{address}/{name}{query}")
        at_rest(page)
    expect(page.locator(".ts-flipbook .where b").first).to_have_text("Step 3")
    page.evaluate(OVERTAKEN)
    page.wait_for_url(f"{address}/glossary")
    expect(page).to_have_title("Glossary · TokenSteps")
    page.evaluate("history.replaceState(history.state, '', '?term=pair')")  # from now on, its own runs write
    assert page.url == f"{address}/glossary?term=pair"


def a_text_that_is_brought_along_makes_one_entry(page: Page) -> None:
    """Pasted for BPE, it is WordPiece's, too: Python's text there, in several turns, stays one entry. Oracle:
    the browser's own history."""
    length = "history.length"
    turn_to(page, "/bpe?corpus=paste")
    field = page.get_by_label("Your text", exact=True)
    retype(field, "hug pug pun")
    field.press("Control+Enter")
    page.wait_for_url(re.compile(r"/bpe\?.*\btext="))
    at_rest(page)
    entries, before = page.evaluate(length), page.url
    page.locator("[data-testid=stSidebarNav] a[href$='/wordpiece']").click()
    page.wait_for_url(re.compile(r"/wordpiece\?.*\btext="))
    at_rest(page)
    expect(page.locator(".ts-flipbook")).to_contain_text("pun")
    assert page.evaluate(length) == entries + 1
    page.go_back()
    page.wait_for_url(before)
    page.go_forward()  # before Python has answered: the overtaken run makes no entry either
    page.wait_for_url(re.compile(r"/wordpiece\?.*\btext="))
    expect(page).to_have_title("WordPiece · TokenSteps")
    at_rest(page)
    page.wait_for_url(re.compile(r"/wordpiece\?.*\btext="))
    assert page.evaluate(length) == entries + 1


def test_no_request_leaves_the_host(serve: Callable[..., str], page: Page) -> None:
    """`page` fails the test for any request to another host; here pages and tabs are opened under it, light
    and dark."""
    page.emulate_media(color_scheme="dark")
    page.goto(serve(APP))
    page.locator(".ts .t").locator("visible=true").first.wait_for()
    the_paper_is(page, "dark")
    the_paper_is(page, "light")
    home_leads_to_the_first_step(page)
    the_paper_is(page, "dark")
    for tab in ("Every pair", "Charts"):  # the others are opened by the test of hostile text
        open_tab(page, tab)
        panel = page.get_by_role("tabpanel", name=tab, exact=True)
        panel.locator("table, [data-testid=stPlotlyChart]").locator("visible=true").first.wait_for()
    faces = page.evaluate(
        "document.fonts.ready.then(() => [...document.fonts].filter(f => f.status === 'loaded').map(f => f.family))"
    )
    assert {"Inter", "Fira Code"} <= {face.strip('"') for face in faces}, faces
    served = page.evaluate(
        "performance.getEntriesByType('resource').map(e => e.name).filter(n => /woff2?($|[?])/.test(n))"
    )
    own = [url for url in served if "/app/static/fonts/" in url]
    assert own == served, "a face of Streamlit's, which the theme's stands for"
    assert any("inter" in url for url in own) and any("fira-code" in url for url in own), served
    every_icon_is_one_sign(page)


def the_paper_is(page: Page, scheme: Literal["light", "dark"]) -> None:
    """With the browser's scheme, the page's own colour changes."""
    page.emulate_media(color_scheme=scheme)
    paper = {"light": "rgb(251, 250, 247)", "dark": "rgb(20, 22, 26)"}[scheme]
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", paper)


def home_leads_to_the_first_step(page: Page) -> None:
    page.get_by_role("link", name="Step through BPE on four sentences").click()
    expect(page.locator(".ts-flipbook .where b").first).to_have_text("Step 0")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".ts-flipbook .where b").first).to_have_text("Step 1")
    expect(page.get_by_text("after step 1, best first")).to_be_visible()  # Python has heard of it
    assert page.evaluate("location.pathname") == "/bpe"
    page.get_by_role("link", name="Home").click()
    expect(page.get_by_role("heading", name="TokenSteps")).to_be_visible()
    page.get_by_role("link", name="BPE", exact=True).click()  # takes up where it was left
    expect(page.locator(".ts-flipbook .where b").first).to_have_text("Step 1")
    page.get_by_role("link", name="Home").click()
    page.get_by_role("link", name="Encode a word that training has never seen").click()
    expect(page.locator(".ts-flipbook .where").first).to_contain_text("Step 7 of 7")


def every_icon_is_one_sign(page: Page) -> None:
    """The face for Streamlit's icons has each one on its list: a square, and not a word."""
    names = (ROOT / "static" / "fonts" / "material-symbols.txt").read_text("utf-8").split()
    widths = page.evaluate(
        """async names => { const face = '24px "Material Symbols Rounded"', pen = document.createElement('canvas').getContext('2d');
        await document.fonts.load(face); pen.font = face; return names.map(name => Math.round(pen.measureText(name).width)); }""",
        names,
    )
    assert dict(zip(names, widths, strict=True)) == dict.fromkeys(names, 24)


def test_make_run_serves(tmp_path: Path) -> None:
    """The Makefile's own recipe, with a stand-in for .venv: it runs this Python, without an installation."""
    wrapper = tmp_path / "bin" / "python"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    wrapper.chmod(0o755)
    (tmp_path / ".run").touch()  # newer than requirements.txt: all is installed
    port = free_port()
    environment = {
        name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")
    }
    log = tmp_path / "log.txt"
    with log.open("wb") as output:
        process = subprocess.Popen(
            ["make", "run", f"VENV={tmp_path}", f"PORT={port}"],
            cwd=ROOT,
            env={**environment, "CI": "1"},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        address = f"http://127.0.0.1:{port}"
        wait_until_up(process, address, log)
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=60) as answer:
            assert answer.read() == b"ok"
        with urllib.request.urlopen(f"{address}/bpe", timeout=60) as answer:
            assert answer.status == 200 and b"<html" in answer.read()
        with urllib.request.urlopen(f"{address}/app/static/fonts/fira-code-wght.woff2", timeout=60) as answer:
            assert answer.read(4) == b"wOF2"
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(60)
    assert "Traceback" not in log.read_text()


def test_the_driver_has_what_makes_it_impatient() -> None:
    """Each text replaced by `impatient.cjs` is in Playwright's driver once; else the suite would only be
    slow, without a word."""
    driver = Path(playwright.__file__).parent / "driver" / "package" / "lib" / "coreBundle.js"
    replaced = re.findall(r'\.replace\("(.*?)",', IMPATIENT.read_text("utf-8"))
    assert [driver.read_text("utf-8").count(text) for text in replaced] == [1, 1]
