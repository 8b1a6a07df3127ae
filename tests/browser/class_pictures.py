"""The pictures of a class in docs/: a wall with two votes of a room, and a student's phone."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Page

VOTES: Final = (
    {"p + u": 9, "u + g": 7, "u + n": 4, "h + u": 2},
    {"u + g": 17, "p + u": 3, "u + n": 2},
)
"""The answers of a room of 22: at first many count the words, not how often they occur; then they talk."""
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


DECK: Final = """() => localStorage.setItem('tokensteps.deck', JSON.stringify([
  { id: 'q1', say: 'Why did u + g win?', kind: 'free', answer: '', choices: [], right: -1, activity: '', at: '' },
  { id: 'q2', say: 'Is BPE greedy?', kind: 'choices', answer: '', choices: ['no', 'yes'], right: 1, activity: '', at: '' }]))"""
WORDS: Final = (
    "asked => window.devices.map((one, at) => fetch(`/class/api/${asked[0]}/answer`, { method: 'POST', headers: { 'Content-Type':"
    " 'application/json' }, body: JSON.stringify({ as: one.device, round: asked[1], answer: ['It is frequent', 'no idea', '20 times'][at % 3] }) }))"
)


def lesson_pictures(browser: Browser, address: str, folder: Path) -> list[Path]:
    """A lesson with a presenter view, in the three languages: for somebody to look at, not for docs/."""
    return [
        picture
        for locale in ("en-GB", "zh-CN", "ja-JP")
        for picture in _lesson_in(browser, address, folder, locale)
    ]


def _lesson_in(browser: Browser, address: str, folder: Path, locale: str) -> list[Path]:
    from tests.browser.conftest import TOURS_TAKEN

    hall, own, phone = (
        browser.new_context(
            viewport={"width": width, "height": height},
            has_touch=width < 1000,
            color_scheme="light",
            reduced_motion="reduce",
            locale=locale,
        ).new_page()
        for width, height in ((1280, 800), (390, 844), (390, 844))
    )
    pictures: list[Path] = []

    def take(page: Page, name: str) -> None:
        pictures.append(_photograph(page, folder / f"{locale[:2]}-{len(pictures):02}-{name}.png"))

    for page in (hall, own, phone):
        page.add_init_script(TOURS_TAKEN)
    hall.goto(f"{address}/class")
    hall.evaluate(DECK)
    hall.reload()
    hall.locator(".deck li").nth(1).wait_for()
    hall.locator(".deck").scroll_into_view_if_needed()
    take(hall, "deck")
    hall.goto(f"{address}/bpe?corpus=hug&mode=predict&ask=pair&walk=30.2")
    hall.locator(".ts-head-button[aria-keyshortcuts=J]").click()
    hall.locator(".ts-class-panel .qr svg").wait_for()
    code = hall.locator(".ts-class-panel .room-code").inner_text().replace("\n", "")
    take(hall, "code")
    hall.keyboard.press("Escape")
    key = hall.evaluate(
        "code => encodeURIComponent(JSON.parse(localStorage.getItem('tokensteps.class'))[code].key)", code
    )
    phone.goto(f"{address}/?class={code}")
    phone.wait_for_url("**/bpe?**")
    own.goto(f"{address}/?class={code}#key={key}")
    own.locator(".ts-class-panel [data-do=lead]").tap()
    own.locator(".ts-class-presenter .plan .answer").wait_for()
    take(own, "presenter")
    hall.locator(".ts-class [data-do=pace]").click()
    hall.locator(".ts-class-panel [data-do=keep]").wait_for()
    take(hall, "pace")
    hall.locator(".ts-class-panel [data-do=keep]").click()
    hall.keyboard.press("p")
    take(hall, "wall-kept")
    take(phone, "phone-kept")
    phone.evaluate(VOTE, [code, 0, {}])
    own.locator("[data-pad=prepared]").tap()
    phone.locator(".ts-class-card .words").wait_for()
    phone.evaluate(WORDS, [code, 1])
    own.locator(".ts-class-presenter .words li").nth(2).wait_for()
    own.locator(".ts-class-presenter .words input").first.tap()
    take(own, "presenter-words")
    take(phone, "phone-words")
    own.locator("[data-pad=show]").tap()
    hall.locator(".ts-class-wall table.bars").wait_for()
    take(hall, "wall-words")
    own.locator("[data-pad=reveal]").tap()
    hall.locator(".ts-class-wall [data-do=go]").click()
    own.locator("[data-pad='plan:3']").tap()
    hall.locator("html[data-panel]").wait_for(state="attached")
    take(hall, "wall-ties")
    take(own, "presenter-ties")
    hall.keyboard.press("p")
    hall.locator(".ts-class [data-do=end]").click()
    hall.locator(".ts-class-panel [data-do=end]").click()
    hall.locator(".classroom article").first.wait_for()
    take(hall, "summary")
    for page in (hall, own, phone):
        page.context.close()
    return pictures


def _photograph(page: Page, file: Path) -> Path:
    page.wait_for_timeout(1500)  # the stage has turned, and the text to read out is there
    page.mouse.move(1, 1)
    page.screenshot(path=file, animations="disabled", caret="hide")
    return file
