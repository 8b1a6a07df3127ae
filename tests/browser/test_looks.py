"""Paper, long numbers, and room for the stage.

Source: paper is black on white, and a stage is steady. Oracles: the browser's computed styles and boxes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tokensteps.assets import read_asset, read_script
from tokensteps.components.flipbook import FLIPBOOK_STYLES
from tokensteps.drawing.frame import Frame, payload
from tokensteps.language.labels import flipbook_labels

ROOT = Path(__file__).resolve().parents[2]
HIDDEN = "stSidebar", "stHeader", "stButtonGroup", "stPageLink", "stTooltipIcon"
LIGHTNESS = "node => Math.max(...getComputedStyle(node).{0}.match(/\\d+/g).slice(0, 3).map(Number))"


@pytest.fixture(scope="module")
def address(serve: Callable[..., str]) -> str:
    return serve(ROOT / "app.py")


def test_paper_is_black_on_white_without_controls(address: str, page: Page) -> None:
    """A dark page on paper: the step with its narration, light; no sidebar, transport or timeline; on the screen, room is kept for the stage."""
    page.emulate_media(color_scheme="dark")
    page.goto(f"{address}/bpe?step=3")
    stage = page.locator(".st-key-bpe-book .stage")
    expect(stage.locator(".say")).to_be_visible()
    expect(page.get_by_role("tab").first).to_be_visible()
    room = page.locator(".st-key-bpe-book").evaluate("node => parseFloat(getComputedStyle(node).minHeight)")
    assert room > 500, "what stands below would fall when the stage comes"

    page.emulate_media(color_scheme="dark", media="print")
    for name in HIDDEN:
        for found in page.get_by_test_id(name).all():
            expect(found).to_be_hidden()
    for part in (".transport .buttons", ".transport input", ".line"):
        expect(page.locator(f".st-key-bpe-book {part}").first).to_be_hidden()
    expect(stage.locator(".say")).to_be_visible()
    for dark in (stage.locator(".say"), stage.locator(".t").first, page.locator("h1").first):
        assert dark.evaluate(LIGHTNESS.format("color")) < 80
    for light in (page.locator(".stApp"), page.get_by_test_id("stMain"), stage.locator(".t").first):
        assert light.evaluate(LIGHTNESS.format("backgroundColor")) > 200


@pytest.mark.parametrize("width", [934, 358])
def test_long_numbers_have_room(open_page: Callable[..., Page], tmp_path: Path, width: int) -> None:
    """Five digits: their thousands are set apart, and the transport shows all of them, on a phone, too."""
    status = "vocabulary 12,601 of 16,256"
    frames = [Frame("<p>x</p>", "", "x", status)]
    data = payload("run", 16_000, 12_345, frames, (12_345, 1), flipbook_labels()).decode()
    script = read_script("flipbook").replace("export default ", "")
    styles = "".join(map(read_asset, FLIPBOOK_STYLES))
    path = tmp_path / "long.html"
    path.write_text(
        f'<!doctype html><meta charset="utf-8"><div id="book" style="width: {width}px"><template shadowrootmode="open"><style>{styles}</style>'
        f'</template></div><script type="application/json" id="data">{data}</script><script type="module">{script}\n'
        'flipbook({data: document.getElementById("data").textContent, parentElement: document.getElementById("book").shadowRoot,'
        " setStateValue() {}});</script>",
        encoding="utf-8",
    )
    page = open_page()
    page.goto(path.as_uri())
    where = page.locator(".where")
    expect(where).to_have_text(f"Step 12,345 of 16,000· {status}")
    assert where.locator("> span").evaluate("node => node.scrollWidth <= node.clientWidth"), "cut off"


def test_one_step_has_nothing_to_play(open_page: Callable[..., Page], tmp_path: Path) -> None:
    """A run without steps has no transport, only what it is at."""
    script = read_script("flipbook").replace("export default ", "")
    data = payload("run", 0, 0, [Frame("<p>x</p>", "", "x", "vocabulary 1")], (0, 1), flipbook_labels())
    path = tmp_path / "still.html"
    path.write_text(
        f'<!doctype html><meta charset="utf-8"><style>{read_asset("components/flipbook.css")}</style><div id="book"></div>'
        f'<script type="module">{script}\nflipbook({{data: JSON.stringify({data.decode()}), '
        'parentElement: document.getElementById("book"), setStateValue() {}});</script>',
        encoding="utf-8",
    )
    page = open_page()
    page.goto(path.as_uri())
    expect(page.locator(".where > span")).to_have_text("vocabulary 1")
    expect(page.locator(".where > p")).to_be_hidden()
    expect(page.locator('[data-do="play"]')).to_be_hidden()
    page.keyboard.press(" ")
    assert page.locator(".ts-flipbook[data-playing]").count() == 0
