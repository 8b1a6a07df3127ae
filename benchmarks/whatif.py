"""``python -m benchmarks.whatif``: tipping points and the page “What if” in Chromium, from the user's action
to the painted answer.

- A small corpus: the tab “How close?” is opened at a step, for each algorithm, and the flipbook goes on to
  others.
- “What if” on a small corpus: the count of a word is dragged through all values.
- “What if” on a text of 200 KB: a word occurs once more, again and again, with a training each time.

Everything is real time on one machine, and server, browser and script share its cores: the load is printed
with the figures.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Final

from playwright.sync_api import Page

from benchmarks.editor import in_browser
from benchmarks.load import LARGE_LENGTH
from benchmarks.measure import Result
from benchmarks.text import long_prose
from tests.browser.conftest import wait_for_function
from tokensteps.runs.algorithms import ALGORITHMS

SCRIPT: Final = Path(__file__).with_suffix(".js")
STAGE: Final = "() => [...document.querySelectorAll('*')].some(node => node.shadowRoot?.querySelector('.ts-flipbook .say, .ts-flipbook .whatif'))"
STEPS: Final = 5
TAB: Final = "How close?"


def opened(page: Page, address: str) -> None:
    """A page with a stage, ready to be timed."""
    page.goto(address)
    wait_for_function(page, STAGE)
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    page.evaluate(SCRIPT.read_text("utf-8"))


def timed(page: Page, act: Callable[[], None], name: str, condition: str = "") -> float:
    """Milliseconds from the action `act` until the part with this name is painted."""
    page.evaluate("timing.begin()")
    act()
    return float(page.evaluate("([name, condition]) => timing.until(name, condition)", [name, condition]))


def tippings(page: Page, address: str, algorithm: str) -> Iterator[Result]:
    """The tipping points of a small corpus: opening the tab, and further steps."""
    opened(page, f"{address}/{algorithm}?corpus=hug&step=1")
    first = timed(page, page.get_by_role("tab", name=TAB).click, "tipping")
    yield Result(f"tipping points, {algorithm}: tab", first, "ms", 200, 400, "the first time")
    page.get_by_role("slider").first.focus()
    times = []
    for _step in range(STEPS):
        before = page.evaluate("timing.table()")
        times.append(timed(page, lambda: page.keyboard.press("ArrowRight"), "tipping", before))
    each = ", ".join(f"{time:.0f}" for time in times)
    yield Result(f"tipping points, {algorithm}: step", median(times), "ms", 200, 400, f"each {each} ms")


def dragged(page: Page, address: str) -> Result:
    """A count dragged up and down."""
    opened(page, f"{address}/whatif")
    times = page.evaluate("counts => timing.drag(counts)", [*range(37), *range(36, -1, -1)])
    return Result(
        "a count dragged", median(times), "ms", 100, 150, f"longest {max(times):.0f} ms of {len(times)}"
    )


def large(page: Page, address: str) -> Result:
    """A word's count in a large text, one higher each time."""
    page.goto(f"{address}/bpe?corpus=paste")
    box = page.get_by_role("textbox", name="Your text")
    page.evaluate("text => navigator.clipboard.writeText(text)", long_prose(LARGE_LENGTH))
    box.click()
    page.keyboard.press("Control+v")
    page.get_by_role("button", name="Train on this text").click()
    wait_for_function(page, STAGE)
    page.get_by_role("link", name="What if …").click()
    count = page.get_by_role("spinbutton", name="Occurs instead")
    count.wait_for(timeout=120_000)
    page.locator("[data-testid=stCode]").filter(has_text=f"to={count.input_value()}").first.wait_for()
    page.evaluate(SCRIPT.read_text("utf-8"))
    times = []
    for _time in range(STEPS):
        wanted = int(count.input_value()) + 1
        times.append(timed(page, lambda: count.press("ArrowUp"), "link", f"to={wanted}"))
    each = ", ".join(f"{time:.0f}" for time in times)
    return Result("a count in 200 KB", median(times), "ms", 2_000, 3_000, f"each {each} ms")


def measured(page: Page, address: str) -> Iterator[Result]:
    """All figures, one after the other."""
    for algorithm in ALGORITHMS:
        yield from tippings(page, address, algorithm)
    yield dragged(page, address)
    yield large(page, address)


if __name__ == "__main__":
    sys.exit(in_browser(measured))
