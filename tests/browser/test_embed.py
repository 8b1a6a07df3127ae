"""Pages within another one (`?embed=true`), as in a course page: in frames of the app's own site and of
others.

Oracle: the browser, for the elements and their places, and for the allowed embedding sites.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from tokensteps.language.pages import PAGES
from tokensteps.server.headers import ANCESTORS_VARIABLE
from tokensteps.widgets.downloads import embedding

pytestmark = pytest.mark.slow

AROUND = ("stSidebar", "stHeader", "stExpandSidebarButton")
TOP = """() => [...document.querySelectorAll('[data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"] > *')]
  .map(node => node.getBoundingClientRect()).find(box => box.height > 1)?.top"""
"""The top of a page's contents."""
NO_SCROLL = """() => { const main = document.querySelector('[data-testid="stMain"]'); return main.scrollWidth <= main.clientWidth; }"""


@pytest.mark.many(5)
@pytest.mark.parametrize("path", [page.path for page in PAGES.values()])
def test_a_page_has_nothing_around_it(serve: Callable[..., str], page: Page, path: str) -> None:
    page.set_viewport_size({"width": 800, "height": 700})
    page.goto(f"{serve('app.py')}/{path}?embed=true")
    page.wait_for_function(f"({TOP})() < 12")
    for name in AROUND:
        expect(page.locator(f"[data-testid={name}]:visible")).to_have_count(0)
    expect(page.locator("h1:visible, p.lead:visible")).to_have_count(0)
    page.wait_for_function(NO_SCROLL)


def test_a_frame_may_be_about_some_of_the_steps(serve: Callable[..., str], page: Page) -> None:
    """No key, scrubber or timeline leads beyond these steps, and `step` may be left out."""
    page.goto(f"{serve('app.py')}/bpe?corpus=course&embed=true&steps=6..8")
    stage = page.locator(".st-key-bpe-book .ts-flipbook")
    step = stage.locator(".where b")
    expect(step).to_have_text("Step 6")
    assert stage.locator(".line button").evaluate_all("all => all.map(one => one.dataset.step)") == list(
        "678"
    )
    scrubber = stage.locator("input")
    assert scrubber.evaluate("range => [range.min, range.max, range.value]") == list("686")
    for key, there in (("ArrowLeft", 6), ("ArrowRight", 7), ("End", 8), ("ArrowRight", 8), ("Home", 6)):
        page.keyboard.press(key)
        expect(step).to_have_text(f"Step {there}")
    page.keyboard.press("End")
    page.wait_for_function("location.search.includes('step=8') && location.search.includes('steps=6..8')")
    page.reload()
    expect(step).to_have_text("Step 8")
    expect(stage.locator("[data-do=next]")).to_have_attribute("aria-disabled", "true")
    page.goto(
        f"{serve('app.py')}/bpe?corpus=course&steps=6..8"
    )  # without a frame, it is a page like any other
    expect(step).to_have_text("Step 0")


def test_another_site_may_embed_a_page(serve: Callable[..., str], visitor: Page, elsewhere: str) -> None:
    """The HTML to copy, in a page of a site named by the server, and in one of another site: the same machine
    under another name."""
    allowed = elsewhere.replace("127.0.0.1", "localhost")
    server = serve("app.py", variables={ANCESTORS_VARIABLE: allowed.rstrip("/")})
    address = f"{server}/bpe?corpus=course&step=7&lang=ja"
    visitor.set_viewport_size({"width": 816, "height": 900})  # with the margins of its page

    visitor.goto(f"{allowed}?html={quote(embedding(address))}")
    frame = visitor.frame_locator("iframe")
    stage = frame.locator(".st-key-bpe-book .ts-flipbook")
    expect(stage.locator(".where b")).to_have_text("ステップ7")
    visitor.wait_for_function("document.fonts.status === 'loaded'")
    box, around = frame.get_by_role("tablist").first.bounding_box(), visitor.locator("iframe").bounding_box()
    assert box is not None and around is not None and around["width"] == 800
    assert box["y"] + box["height"] <= around["y"] + around["height"] < box["y"] + box["height"] + 40
    stage.locator(".say").click()
    visitor.keyboard.press("ArrowRight")
    expect(stage.locator(".where b")).to_have_text("ステップ8")
    visitor.get_by_role("link").click()  # below the frame, for people who don't see it

    visitor.goto(f"{elsewhere}?html={quote(embedding(address))}")
    expect(frame.locator("h1")).to_have_text("ここではTokenStepsを表示できません")
    expect(frame.locator("script")).to_have_count(0)
    assert frame.locator("html").get_attribute("lang") == "ja"
    with visitor.expect_popup() as opened:
        frame.get_by_role("link").click()
    assert opened.value.url == address
    opened.value.close()

    # The asker may be unknown; then the browser refuses by itself.
    silent = embedding(address).replace("<iframe", '<iframe referrerpolicy="no-referrer"')
    with visitor.expect_event("framenavigated", lambda one: one.url == "chrome-error://chromewebdata/"):
        visitor.goto(f"{elsewhere}?html={quote(silent)}")
    assert visitor.url.startswith(elsewhere)
    assert len(visitor.frames) == 2
