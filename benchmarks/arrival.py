"""``python -m benchmarks.arrival``: a class opens a page at once at one server, started like `make run`.

A browser's first visit gives the list of a page's requests. Then all come at the same moment: each sends the
same requests over six connections, like a browser, and opens Streamlit's session; one of them is the browser
itself. The bytes are those of all responses; the seconds run until the last visitor's stage has come, and
until the browser has painted its own. Once with compression, as browsers ask for it, and once without.

Visitors and server share the machine, and drawing a page in sixty browsers would take longer than serving
them: so there is only one.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from playwright.sync_api import Browser, sync_playwright

from benchmarks.load import ROOT, opened, server
from benchmarks.visit import PAGES, load, visitor
from tests.browser import chromium
from tests.browser.conftest import ARGUMENTS

PATH, STAGE = PAGES["stage"]
URL: Final = {"corpus": "hug", "step": "3"}
LINES: Final = 6
"""A browser's connections to one server."""
WAYS: Final = {"compressed": "gzip, deflate, br", "as it is": "identity"}
"""The visitors' accepted encodings."""


class Arrival(NamedTuple):
    """One visitor."""

    seconds: float
    """Until the stage has come."""
    bytes: int


def requested_paths(browser: Browser, address: str) -> list[str]:
    """A page's requests to its server, in order, but for the session."""
    paths: list[str] = []
    with visitor(browser, STAGE) as page:
        page.on("request", lambda request: paths.append(request.url))
        load(page, f"{address}{PATH}")
    return [
        f"{parts.path}?{parts.query}".removesuffix("?")
        for parts in map(urlsplit, paths)
        if parts.scheme == "http"
    ]


async def fetch(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, way: str) -> int:
    """Ask for something; the bytes of the answer. Raises ValueError for an answer of unknown length."""
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: {way}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    lengths = [
        line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")
    ]
    if not lengths:
        raise ValueError(f"{path}: an answer of unknown length: {head[:200]!r}")
    return len(head) + len(await reader.readexactly(int(lengths[0])))


async def come(port: int, paths: Sequence[str], way: str) -> Arrival:
    """One visitor: the page, what it asks for, and the session."""
    start, waiting, total = time.monotonic(), deque(paths[1:]), 0

    async def line(first: str | None = None) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
        came = await fetch(reader, writer, first, way) if first else 0
        while waiting and not first:
            came += await fetch(reader, writer, waiting.popleft(), way)
        writer.close()
        return came

    total += await line(paths[0])
    total += sum(await asyncio.gather(*(line() for _ in range(LINES))))
    async with opened(port, "bpe", dict(URL)) as session:
        await session.run()
        if "last" not in session.head:
            raise ValueError("no stage has come")
    return Arrival(time.monotonic() - start, total)


async def crowd(port: int, paths: Sequence[str], way: str, number: int) -> list[Arrival]:
    """All at once."""
    return await asyncio.gather(*(come(port, paths, way) for _ in range(number)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Have a class come in, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.arrival", description=__doc__)
    parser.add_argument("--students", type=int, default=60, choices=range(2, 201), metavar="2..200")
    options = parser.parse_args(arguments)
    path = chromium.find()
    if path is None:
        raise SystemExit(chromium.ADVICE)
    print(f"load of the machine before: {os.getloadavg()[0]:.1f}; {options.students} come at once\n")
    print(
        "| scripts, styles, fonts | bytes of each | of all | the last one's stage has come after | a browser's is painted after |"
    )
    print("| --- | --- | --- | --- | --- |")
    for name, way in WAYS.items():
        with server(ROOT) as (port, _process), sync_playwright() as playing, ThreadPoolExecutor(1) as pool:
            browser = playing.chromium.launch(executable_path=path, args=ARGUMENTS)
            address = f"http://127.0.0.1:{port}"
            paths = requested_paths(browser, address)
            others = pool.submit(asyncio.run, crowd(port, paths, way, options.students - 1))
            with visitor(browser, STAGE) as page:
                page.set_extra_http_headers({"Accept-Encoding": way})
                own = load(page, f"{address}{PATH}")
            came = others.result()
            browser.close()
        total = sum(one.bytes for one in came) + own.megabytes * 1e6
        print(
            f"| {name} | {came[0].bytes / 1e6:.2f} MB | {total / 1e6:.0f} MB | {max(one.seconds for one in came):.1f} s "
            f"| {own.painted:.1f} s |",
            flush=True,
        )


if __name__ == "__main__":
    main()
