"""``python -m benchmarks.growing``: a learner's wait for a long text, in a real browser.

Prose of 200,000 characters, a page's limit, is pasted on each training page with its usual rules. The figures
are the times from the submitting key until there is a step to look at (the seed or the start), until there is
one to go to, and until the page shows the end of training, and the processor time of the server and its
workers until then. Checkouts given as arguments take turns, so the machine's other work slows all of them.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright
from psutil import Process

from benchmarks.load import ROOT, Usage, server
from tests.browser import chromium
from tests.browser.conftest import ARGUMENTS
from tokensteps.limits import PASTE_LIMIT
from tokensteps.runs.corpora import prose

PAGES: Final = ("bpe", "wordpiece", "unigram")
PATIENCE: Final = 240_000
"""Milliseconds for each wait."""
BOOK: Final = """([...document.querySelectorAll('[data-testid=stBidiComponentIsolated]')]
  .map(host => host.shadowRoot?.querySelector('.ts-flipbook')).find(Boolean))"""
RESTS: Final = "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
STANDS: Final = f"() => {BOOK}?.querySelector('.say')?.textContent"
STEPS: Final = f"() => Number({BOOK}?.querySelector('input').max) > 0"
ENDED: Final = f"""() => Number({BOOK}?.querySelector('input').max) > 0
  && !({BOOK}.querySelector('.growth')?.hidden === false)"""


class Wait(NamedTuple):
    """Seconds from submitting a text."""

    stands: float
    """Until there is something to look at."""
    steps: float
    """Until there is a step to go to."""
    ended: float
    """Until the run has ended."""
    processor: float
    """Seconds of processor time of the server and its workers until then."""


def text_of(number: int) -> str:
    """Prose new to every server: every visit trains anew."""
    return f"visit {number} {prose()}"[:PASTE_LIMIT]


def paste(page: Page, address: str, name: str, text: str, usage: Usage) -> Wait:
    """Submit a text on a page, and wait for the results."""
    page.goto(f"{address}/{name}?corpus=paste")
    box = page.get_by_label("Your text", exact=True)
    box.wait_for()
    page.wait_for_function(RESTS)
    box.fill(text)
    begun, before = time.perf_counter(), usage.processor()
    box.press("Control+Enter")
    times = []
    for condition in (STANDS, STEPS, ENDED):
        page.wait_for_function(condition)
        times.append(time.perf_counter() - begun)
    return Wait(*times, usage.processor() - before)


def visit(browser: Browser, served: tuple[int, Process], name: str, number: int) -> Wait:
    """A learner's first visit."""
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    context.set_default_timeout(PATIENCE)
    port, process = served
    try:
        return paste(context.new_page(), f"http://127.0.0.1:{port}", name, text_of(number), Usage([process]))
    finally:
        context.close()


def row(checkout: str, name: str, waits: Sequence[Wait]) -> str:
    """A line of the table: medians and ranges."""
    cells = [
        f"{median(times):.2f} s ({min(times):.2f}–{max(times):.2f})" for times in zip(*waits, strict=True)
    ]
    return f"| {checkout} | {name} | {' | '.join(cells)} |"


def main() -> None:
    """Measure, and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=5, help="visits of each page")
    parser.add_argument("--pages", nargs="+", default=PAGES, choices=PAGES)
    parser.add_argument("checkouts", nargs="*", type=Path, default=[ROOT], help="with the app in them")
    arguments = parser.parse_args()
    waits: dict[tuple[str, str], list[Wait]] = {}
    with ExitStack() as stack:
        servers = {one.resolve().name: stack.enter_context(server(one)) for one in arguments.checkouts}
        play = stack.enter_context(sync_playwright())
        browser = play.chromium.launch(executable_path=chromium.find(), args=ARGUMENTS)
        for number in range(arguments.times):
            for name in arguments.pages:
                for checkout, served in servers.items():
                    wait = visit(browser, served, name, number)
                    waits.setdefault((checkout, name), []).append(wait)
        browser.close()
    print(f"Load of the machine at the end: {os.getloadavg()[0]:.1f}")
    print("| checkout | page | something stands | a step to go to | training has ended | processor time |")
    print("| --- | --- | --- | --- | --- | --- |")
    for (checkout, name), some in waits.items():
        print(row(checkout, name, some))


if __name__ == "__main__":
    main()
