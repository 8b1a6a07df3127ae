"""``python -m benchmarks.editor``: the playground's text box in Chromium, from the key to painted tokens; and
a key on a stage.

The page begins with its usual two tokenizers. Texts of several sizes and scripts are pasted, changed by a
key, replaced, undone and selected, and another tokenizer is chosen. Times run from the browser's own time of
the key (or click) to the frame after the one in which the figures count the new text (`counts`) and the chips
spell its beginning (`chips`). The rest of the page follows when the typing pauses: `page` is the end of that.
`freeze` is the longest task of the page's main thread meanwhile: nothing moves there for that time. Before
them: from the arrow key on a training page to the next step, painted.

Everything is real time on one machine, and server, browser and script share its cores: the load is printed
with the figures.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.load import ROOT, server
from benchmarks.measure import Result, table
from benchmarks.text import japanese, library_text, long_prose
from tests.browser import chromium
from tests.browser.conftest import ARGUMENTS

SCRIPT = Path(__file__).with_suffix(".js")
KEYS = 7
"""Keys for a median."""
PAINTED: Sequence[str] = ("counts", "chips")


class Case(NamedTuple):
    """A text, and the aims for its times in ms: to a key's chips, and to the counts of a paste."""

    name: str
    text: str
    key: float
    paste: float


def subjects(quick: bool) -> Iterator[Case]:
    """The texts to paste."""
    kilobyte, megabyte = 1_000, 999_000  # with room for keys: the page takes a million characters
    yield Case("prose, 10 KB", long_prose(10 * kilobyte), 150, 300)
    yield Case("prose, 100 KB", long_prose(100 * kilobyte), 300, 500)
    if not quick:
        yield Case("Japanese, 10 KB", japanese(10 * kilobyte // 3), 150, 300)
        yield Case("Japanese, 100 KB", japanese(100 * kilobyte // 3), 300, 500)
    yield Case("prose, 1 MB", long_prose(megabyte), 1_500, 2_000)
    if not quick:
        yield Case("Japanese, 1 MB", japanese(megabyte // 3), 1_500, 2_000)
        yield Case("one line, 1 MB", long_prose(megabyte).replace("\n", " "), 1_500, 2_000)
        yield Case("code, 1 MB", library_text(megabyte), 1_500, 2_000)


class Typist:
    """The page, and a typist."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def open(self, address: str) -> None:
        """Open the page at its bare address."""
        self.page.goto(f"{address}/playground")
        self.page.locator(".ts-chips .r").first.wait_for()
        self.page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
        self.page.evaluate(SCRIPT.read_text("utf-8"))
        while not self.page.evaluate("timing.ready()"):
            self.page.wait_for_timeout(50)

    def press(self, key: str, shown: Sequence[str] = PAINTED) -> dict[str, float]:
        """Press a key, and wait until these parts are shown."""
        self.page.evaluate("timing.begin()")
        self.page.keyboard.press(key)
        return dict(self.page.evaluate("names => timing.end(names)", [*shown]))

    def copy(self, text: str) -> None:
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)

    def move_caret(self, at: int) -> None:
        self.page.evaluate("at => timing.place(at)", at)

    def empty(self) -> None:
        self.move_caret(0)
        self.press("Control+a", ["selected"])
        self.press("Delete", ["counts"])

    def choose(self, name: str) -> dict[str, float]:
        """Choose another tokenizer A."""
        self.page.get_by_role("combobox", name="Tokenizer A").fill(name)
        self.page.get_by_role("option", name=name).first.wait_for()
        return self.press("Enter", ["tokenizer"])


def measured(typist: Typist, subject: Case, keys: int) -> dict[str, dict[str, float]]:
    """Action with a text → its times in ms."""
    times: dict[str, dict[str, float]] = {}
    typist.empty()
    typist.copy(subject.text)
    times["paste"] = typist.press("Control+v")
    typist.move_caret(120)
    pressed = [typist.press(key) for key in ("x", "y", "z", " ", "a", "b", "c")[:keys]]
    times["key"] = {name: median(one[name] for one in pressed) for name in pressed[0]}
    times["select all"] = typist.press("Control+a", ["selected"])
    typist.copy(f"Other. {subject.text[:-40]}")
    times["replace"] = typist.press("Control+v")
    times["undo"] = typist.press("Control+z")
    times["tokenizer"] = typist.choose("WordPiece: ")
    typist.choose("BPE: ")
    return times


def lines(subject: Case, times: Mapping[str, Mapping[str, float]]) -> Iterator[Result]:
    """The figures as lines of the table."""
    aims = {"key": subject.key, "paste": subject.paste, "replace": subject.paste, "undo": subject.paste}
    aims |= {"select all": 100, "tokenizer": subject.paste}
    for what, timings in times.items():
        counted = timings.get("counts" if what != "key" else "chips", next(iter(timings.values())))
        detail = ", ".join(f"{name} {value:.0f} ms" for name, value in timings.items())
        yield Result(f"{subject.name}: {what}", counted, "ms", aims[what], 1.5 * aims[what], detail)


STEPS = """async () => {
  const times = [], frame = () => new Promise(requestAnimationFrame);
  for (let i = 0; i < 40; i++) {
    await new Promise(done => setTimeout(done, 20));
    const start = performance.now();
    document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true, composed: true, cancelable: true}));
    await frame(); await frame(); // the second frame begins when the first has been painted
    times.push(performance.now() - start);
  }
  return times; }"""


def step_painted(page: Page, address: str) -> Result:
    """The median of 40 keys on the stage, within the browser's window of frames."""
    page.goto(f"{address}/bpe?corpus=mixed&step=20")
    page.locator(".ts-flipbook .say .t").first.wait_for()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    times = page.evaluate(STEPS)
    return Result(
        "a step of a stage: key", median(times), "ms", 50, 50, f"worst of {len(times)}: {max(times):.0f} ms"
    )


def new_page(browser: Browser) -> Page:
    """A page with permission for the clipboard."""
    context = browser.new_context(viewport={"width": 1366, "height": 768}, locale="en-GB")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.set_default_timeout(120_000)
    return page


def in_browser(figures: Callable[[Page, str], Iterator[Result]], remark: str = "") -> int:
    """Take figures with a page and an app of their own."""
    with server(ROOT) as (port, _process):
        return with_page(lambda page: figures(page, f"http://127.0.0.1:{port}"), remark)


def with_page(figures: Callable[[Page], Iterator[Result]], remark: str = "") -> int:
    """Take figures with a page, report each, and print the table with the machine's load."""
    path = chromium.find()
    if path is None:
        print(chromium.ADVICE, file=sys.stderr)
        return 1
    results = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        for result in figures(new_page(browser)):
            print(f"{result.mark:4} {result.name}: {result.detail}", file=sys.stderr)
            results.append(result)
        browser.close()
    load = " ".join(f"{one:.1f}" for one in os.getloadavg())
    print(f"{os.cpu_count()} cores, load {load}{remark}.\n")
    print(table(results))
    return 0


def main() -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.editor", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="prose alone, with fewer keys")
    parser.add_argument("--only", default="", metavar="TEXT", help="texts with this in their name")
    arguments = parser.parse_args()

    def figures(page: Page, address: str) -> Iterator[Result]:
        yield step_painted(page, address)
        typist = Typist(page)
        typist.open(address)
        for subject in subjects(arguments.quick):
            if arguments.only in subject.name:
                yield from lines(subject, measured(typist, subject, 3 if arguments.quick else KEYS))

    return in_browser(figures, "; medians of several keys, all else once")


if __name__ == "__main__":
    sys.exit(main())
