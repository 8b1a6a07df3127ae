"""``python -m benchmarks.live``: the static site's page for training in the browser, in Chromium, from the
click to the painted result.

A site with the page is built (npm's registry gives its Pyodide, or ``--pyodide FILE``) and opened from a
plain web server: for the first time, and again. Then each algorithm trains on 20 KB of prose, until the first
steps are painted.

Everything is real time on one machine, and browser and worker share its cores: the load is printed with the
figures.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

from click.testing import CliRunner
from playwright.sync_api import Page

from benchmarks.editor import with_page
from benchmarks.measure import Result
from tests.browser.test_site import served
from tokensteps.cli.commands import command_line
from tokensteps.limits import LIVE_TEXT
from tokensteps.runs.corpora import EXAMPLES

VISITS: Final = 5
TRAININGS: Final = 3
SIZE: Final = 300
"""The requested vocabulary size."""
READY: Final = """() => new Promise((done) => {
  const button = document.querySelector("#try [type=submit]");
  const look = () => (button.disabled ? requestAnimationFrame(look) : done(performance.now()));
  look();
})"""
"""Milliseconds from the beginning of the visit until the button is enabled."""
TRAIN: Final = """async ([text, algorithm, size]) => {
  const form = document.getElementById("try"), frame = () => new Promise(requestAnimationFrame);
  Object.assign(form.elements.text, { value: text });
  Object.assign(form.elements.size, { value: size });
  form.elements.algorithm.value = algorithm;
  const start = performance.now();
  form.requestSubmit();
  while (form.ariaBusy === "true") await frame();
  await frame(); // painted
  return performance.now() - start;
}"""
"""Milliseconds from the click to the run's first steps."""


def measured(page: Page, address: str) -> Iterator[Result]:
    """All figures, one after the other."""
    times = []
    for _visit in range(VISITS + 1):
        page.goto(f"{address}en/try.html")
        times.append(page.evaluate(READY))
    first, *again = times
    yield Result("ready, first visit", first / 1e3, "s", 5, 10, "with the browser's cache empty")
    each = ", ".join(f"{time / 1e3:.2f}" for time in again)
    yield Result("ready, second visit", median(again) / 1e3, "s", 5, 7.5, f"each {each} s")
    text = EXAMPLES["prose"].text()[:LIVE_TEXT]
    for algorithm, aim in {"bpe": 1, "wordpiece": 1, "unigram": 10}.items():
        times = [page.evaluate(TRAIN, [text, algorithm, SIZE]) for _training in range(TRAININGS)]
        each = ", ".join(f"{time / 1e3:.2f}" for time in times)
        name = f"20 KB, {SIZE} tokens: {algorithm}"
        yield Result(name, median(times) / 1e3, "s", aim, 1.5 * aim, f"each {each} s")


def main() -> int:
    """Build the site, measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.live", description=__doc__)
    parser.add_argument("--pyodide", type=Path, help="its npm package")
    package = parser.parse_args().pyodide
    with TemporaryDirectory() as folder:
        words = [
            "site",
            f"{folder}/site",
            "--corpus",
            "hug",
            "--exercises",
            "1",
            "--language",
            "en",
            "--live",
        ]
        done = CliRunner().invoke(command_line, [*words, *(["--pyodide", str(package)] if package else [])])
        if done.exit_code:
            print(done.stderr, file=sys.stderr)
            return 1
        with served(Path(folder, "site")) as address:
            return with_page(
                lambda page: measured(page, address),
                f"; medians of {VISITS} visits and {TRAININGS} trainings",
            )


if __name__ == "__main__":
    sys.exit(main())
