"""Draw docs/lesson-film.png: the 30-minute plan in projector mode, given with a clicker's four keys.

A clicker has two keys for turning pages, one for a black screen, and one for the start of a show (F5). Each
frame names the keys before it. `python -m tests.browser.screenshots` draws it with the other pictures.
"""

from __future__ import annotations

import base64
import io
from html import escape
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Browser, Page

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
FILM: Final = "lesson-film"
FILM_LIMIT: Final = 500_000
"""The film's largest size in bytes."""
SIZE: Final = {"width": 1280, "height": 800}
COLOURS: Final = 96
"""Of the picture: few enough for the limit, and no tint is lost."""
TAKES: Final = (
    ("", "30.1", "Start, then P. The words are the class's own"),
    ("hold", "30.2", "Hold ▼: on to the next stop, where the class counts"),
    ("▼", "30.2", "▼ reveals the answer"),
    ("hold", "30.3", "Hold ▼: a tie"),
    ("▼", "30.3", "▼ steps"),
    ("F5", "30.3", "F5: the open tab, every pair"),
    ("hold", "30.4", "Hold ▼: the same words with WordPiece"),
    ("▼", "30.4", "▼ reveals the answer"),
    ("hold", "30.5", "Hold ▼: the tokens of new words"),
)
"""The keys before a frame, its stop, and the text under it."""


def press(page: Page, key: str) -> None:
    """One of a clicker's keys; held, the system repeats it."""
    if key == "hold":
        page.keyboard.down("PageDown")
        for _ in range(9):
            page.wait_for_timeout(100)
            page.keyboard.down("PageDown")
        page.keyboard.up("PageDown")
    else:
        page.keyboard.press({"▼": "PageDown"}.get(key, key))


def rest(page: Page, stop: str) -> None:
    """Wait until the page is drawn."""
    page.wait_for_url(f"**walk={stop}*")
    page.wait_for_timeout(300)
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.wait_for_timeout(900)


def take_film(browser: Browser, address: str) -> Path:
    """Give the lesson, and put its frames on one sheet."""
    context = browser.new_context(
        viewport=SIZE, color_scheme="light", reduced_motion="reduce", locale="en-GB"
    )
    page = context.new_page()
    page.goto(f"{address}/teach")
    page.locator(".st-key-home_plan_30").get_by_role("button", name="Start").click()
    rest(page, "30.1")
    page.keyboard.press("p")
    rest(page, "30.1")
    frames = []
    for key, stop, _told in TAKES:
        for one in key.split():
            press(page, one)
            rest(page, stop)
        frames.append(page.screenshot(animations="disabled", caret="hide"))
    context.close()
    file = DOCS / f"{FILM}.png"
    file.write_bytes(on_one_sheet(browser, frames))
    return file


def on_one_sheet(browser: Browser, frames: list[bytes]) -> bytes:
    """The frames in three columns, each with its text under it."""
    figures = "".join(
        f'<figure><img src="data:image/png;base64,{base64.b64encode(frame).decode()}"><figcaption>{number}. {escape(message)}</figcaption></figure>'
        for number, (frame, (_key, _stop, message)) in enumerate(zip(frames, TAKES, strict=True), start=1)
    )
    page = browser.new_page(viewport={"width": 1640, "height": 1200})
    page.set_content(
        (Path(__file__).parent / "film.html").read_text(encoding="utf-8").replace("<!--frames-->", figures)
    )
    page.wait_for_timeout(300)
    drawn = Image.open(io.BytesIO(page.locator("main").screenshot()))
    page.close()
    packed = io.BytesIO()
    drawn.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(packed, "PNG", optimize=True)
    return packed.getvalue()
