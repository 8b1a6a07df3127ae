"""The pictures of a class in docs/: a wall with two votes of a room, and a student's phone."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Page

VOTES: Final = (
    {"p + u": 9, "u + g": 7, "u + n": 4, "h + u": 2},
    {"u + g": 17, "p + u": 3, "u + n": 2},
)
"""What a room of 22 answers: at first many count the words, not how often they occur; then they talk."""
VOTE: Final = """async ([code, round, votes]) => {
  const post = (path, body) => fetch(`/class/api/${code}/${path}`, { method: 'POST',
    headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }).then((answer) => answer.json());
  window.devices ??= await Promise.all(Array.from({ length: 22 }, () => post('join', {})));
  const answers = Object.entries(votes).flatMap(([answer, number]) => Array(number).fill(answer));
  await Promise.all(answers.map((answer, at) => post('answer', { as: devices[at].device, round, answer })));
}"""
STILL: Final[dict[str, Any]] = {"color_scheme": "light", "reduced_motion": "reduce", "locale": "en-GB"}


def class_pictures(browser: Browser, address: str, folder: Path) -> list[Path]:
    """Hold a class for a question, and photograph it."""
    from tests.browser.conftest import TOURS_TAKEN

    hall = browser.new_context(viewport={"width": 1366, "height": 768}, **STILL).new_page()
    phone = browser.new_context(
        viewport={"width": 360, "height": 640}, device_scale_factor=2, has_touch=True, **STILL
    ).new_page()
    for page in (hall, phone):
        page.add_init_script(TOURS_TAKEN)
    hall.goto(f"{address}/bpe?corpus=hug")
    hall.get_by_role("button", name="Open a class").click()
    hall.locator(".ts-class-panel .qr svg").wait_for()
    code = hall.locator(".ts-class-panel .room-code").inner_text().replace("\n", "")
    hall.keyboard.press("Escape")
    phone.goto(f"{address}/?class={code}")
    phone.wait_for_url("**/bpe?**")
    phone.locator(".ts-flipbook .w").first.wait_for()
    hall.keyboard.press("p")
    hall.keyboard.press("a")
    hall.locator(".ts-class-wall .asked").wait_for()
    hall.keyboard.press("Enter")
    phone.locator(".ts-class-card .choices").wait_for()
    pictures = [_photograph(phone, folder / "class-phone.png")]
    for round_number, votes in enumerate(VOTES, start=1):
        phone.evaluate(VOTE, [code, round_number, votes])
        hall.keyboard.press("s")
        hall.locator(".ts-class-wall table.bars").wait_for()
        if round_number < len(VOTES):
            hall.keyboard.press("g")
            hall.locator(".ts-class-wall .offered").wait_for()
    hall.keyboard.press("e")
    hall.locator(".ts-class-wall tr.right").wait_for()
    pictures.append(_photograph(hall, folder / "class-wall.png"))
    for page in (hall, phone):
        page.context.close()
    return pictures


def _photograph(page: Page, file: Path) -> Path:
    page.wait_for_timeout(1500)  # the stage has turned, and what is read out is there
    page.mouse.move(1, 1)
    page.screenshot(path=file, animations="disabled", caret="hide")
    return file
