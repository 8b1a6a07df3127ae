"""A page within another one (`?embed=true`): in a frame of the app's own site, as a course page would have it.

Oracle: the browser, for what is there and where.
"""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

AROUND = ("stSidebar", "stHeader", "stExpandSidebarButton")


def test_a_frame_shows_the_stage_and_nothing_around_it(serve: Callable[..., str], page: Page) -> None:
    server = serve("app.py")
    page.goto(f"{server}/bpe?corpus=course&step=7&embed=true")
    stage = page.locator(".st-key-bpe-book .ts-flipbook")
    expect(stage.locator(".where b")).to_have_text("Step 7")
    for name in AROUND:
        expect(page.locator(f"[data-testid={name}]:visible")).to_have_count(0)
    expect(page.locator("h1:visible")).to_have_count(0)
    box = stage.bounding_box()
    assert box is not None and box["y"] < 40 and box["width"] > 1300
    page.keyboard.press("ArrowRight")
    expect(stage.locator(".where b")).to_have_text("Step 8")
    page.wait_for_function("location.search.includes('step=8') && location.search.includes('embed=true')")
