"""``python -m benchmarks.visit``: the cost of a visit in a real browser: bytes, requests, seconds until the
page is painted.

Each visit is a new browser context, with nothing cached; then it loads the page again. The bytes are those on
the wire, counted by the browser's own tools: responses with their headers, compressed or not, and messages of
the WebSocket. The page is painted when its main part is there (the stage, the first page's title) and the
next frame has begun. Beside it is a Streamlit app with only a title: the cost of Streamlit itself.

The servers run on this machine and have been visited before. Several checkouts take turns, so the machine's
other work slows all of them.
"""

from __future__ import annotations

import base64
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from benchmarks.load import ROOT, server, turns
from tests.browser import chromium
from tests.browser.conftest import ARGUMENTS

WITHIN = """() => [...document.querySelectorAll('HOSTS')]
  .some(host => host.shadowRoot?.querySelector('.ts-flipbook .say')?.textContent)"""
WHOLE = WITHIN.replace("HOSTS", "[data-testid=stBidiComponentIsolated]")
"""Streamlit has drawn the page, with the stage in its place."""
STAGE = WITHIN.replace("HOSTS", "[data-testid=stBidiComponentIsolated], .ts-early .book")
"""The stage is there, ready for stepping: the prerendered one or Streamlit's."""
TITLE = "() => document.querySelector('h1')?.textContent"
LINK = "/bpe?corpus=hug&step=3"
PAGES = {"stage": (LINK, STAGE), "whole page": (LINK, WHOLE), "home": ("/", TITLE)}
EMPTY = "import streamlit as st\nst.title('Nothing')\n"
WATCH = """(() => { const there = CONDITION, look = () => {
  if (there()) requestAnimationFrame(() => { window.visitPainted = performance.now(); });
  else requestAnimationFrame(look); };
  requestAnimationFrame(look); })()"""
"""Looks before each frame; the next frame begins when the one with the stage is painted."""
PATIENCE = 60_000
"""Milliseconds for a page."""
QUIET = 1_500
"""Milliseconds of quiet after which a complete page is done."""


class Visit(NamedTuple):
    """One load of a page."""

    painted: float
    """Seconds since the click on the link."""
    requests: int
    megabytes: float
    """Megabytes of the responses."""
    messages: float
    """Megabytes of WebSocket messages."""
    compressed: int
    """Compressed responses."""


class Wire:
    """A page's traffic, from Chromium's developer tools."""

    def __init__(self, page: Page) -> None:
        self.requests = self.bytes = self.messages = self.compressed = 0
        session = page.context.new_cdp_session(page)
        session.on("Network.requestServedFromCache", self._cached)
        session.on("Network.responseReceived", self._response)
        session.on("Network.loadingFinished", self._finished)
        session.on("Network.webSocketFrameReceived", self._message)
        session.send("Network.enable")
        self._from_cache: set[str] = set()

    def _cached(self, event: dict[str, Any]) -> None:
        self._from_cache.add(event["requestId"])

    def _response(self, event: dict[str, Any]) -> None:
        answer = event["response"]
        if answer.get("fromDiskCache") or not answer["url"].startswith("http"):
            self._from_cache.add(event["requestId"])
        elif event["requestId"] not in self._from_cache:
            self.requests += 1
            names = {name.lower() for name in answer["headers"]}
            self.compressed += "content-encoding" in names

    def _finished(self, event: dict[str, Any]) -> None:
        if event["requestId"] not in self._from_cache:
            self.bytes += event["encodedDataLength"]

    def _message(self, event: dict[str, Any]) -> None:
        frame = event["response"]
        data = frame["payloadData"]
        self.messages += len(base64.b64decode(data)) if frame["opcode"] == 2 else len(data)


def load(page: Page, address: str | None) -> Visit:
    """Load a page, or (without an address) load it again."""
    wire = Wire(page)
    if address is None:
        page.reload()
    else:
        page.goto(address)
    handle = None
    for _ in range(PATIENCE // 20):
        handle = page.evaluate("window.visitPainted")
        if handle is not None:
            break
        page.wait_for_timeout(20)
    if handle is None:
        raise TimeoutError(f"{address}: nothing was painted within {PATIENCE // 1000} s.")
    page.wait_for_timeout(QUIET)
    return Visit(handle / 1e3, wire.requests, wire.bytes / 1e6, wire.messages / 1e6, wire.compressed)


@contextmanager
def visitor(browser: Browser, condition: str) -> Iterator[Page]:
    """A page of a new browser context."""
    context: BrowserContext = browser.new_context(viewport={"width": 1366, "height": 768})
    try:
        page = context.new_page()
        page.add_init_script(WATCH.replace("CONDITION", condition))
        yield page
    finally:
        context.close()


def session_resources(browser: Browser, address: str, condition: str) -> tuple[Visit, Visit]:
    """A first visit, and a reload."""
    with visitor(browser, condition) as page:
        return load(page, address), load(page, None)


def row(name: str, kind: str, some: Sequence[Visit]) -> str:
    """A line of the table: medians, and the range of the seconds."""
    seconds = [one.painted for one in some]
    middle = [median(values) for values in zip(*some, strict=True)]
    return (
        f"| {name} | {kind} | {median(seconds):.2f} s ({min(seconds):.2f}–{max(seconds):.2f}) | {middle[1]:.0f} "
        f"| {middle[2]:.2f} MB | {middle[3]:.2f} MB |"
    )


@contextmanager
def empty_app() -> Iterator[Path]:
    """A folder with an app of one title."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "app.py").write_text(EMPTY, encoding="utf-8")
        yield Path(folder)


def start_servers(stack: ExitStack, checkouts: Sequence[Path]) -> dict[str, tuple[str, str]]:
    """Start all servers: name of a row → its address, and the condition for being painted."""
    rows = {}
    for root in checkouts:
        port, _process = stack.enter_context(server(root))
        for page, (path, condition) in PAGES.items():
            rows[f"{root.name}, {page}"] = (f"http://127.0.0.1:{port}{path}", condition)
    port, _process = stack.enter_context(server(stack.enter_context(empty_app())))
    rows["empty Streamlit app"] = (f"http://127.0.0.1:{port}/", TITLE)
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the visits and print the table."""
    options = turns("python -m benchmarks.visit", __doc__).parse_args(arguments)
    path = chromium.find()
    if path is None:
        raise SystemExit(chromium.ADVICE)
    with ExitStack() as stack:
        rows = start_servers(stack, options.checkout or [ROOT])
        playing = stack.enter_context(sync_playwright())
        browser = playing.chromium.launch(executable_path=path, args=ARGUMENTS)
        times: dict[tuple[str, str], list[Visit]] = {}
        for turn in range(options.repeats + 1):
            for name, (address, condition) in rows.items():
                for kind, one in zip(
                    ("first", "again"), session_resources(browser, address, condition), strict=True
                ):
                    if turn:  # the first round warms the servers
                        times.setdefault((name, kind), []).append(one)
        browser.close()
    print(f"Medians of {options.repeats} (range); load of the machine {os.getloadavg()[0]:.1f}.\n")
    print(
        "| what | visit | painted after | requests | bytes | WebSocket |\n| --- | --- | --- | --- | --- | --- |"
    )
    for (name, kind), some in times.items():
        print(row(name, kind, some))


if __name__ == "__main__":
    main()
