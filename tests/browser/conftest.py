"""Real browser, real server: fixtures for all tests in this folder (Playwright's own API, no pytest plugin)."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, sync_playwright

from tests.browser import chromium

ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
]  # fmt: skip
SERVER = [
    "--server.headless", "true", "--server.address", "127.0.0.1", "--server.fileWatcherType", "none",
    "--browser.gatherUsageStats", "false",
]  # fmt: skip
ROOT = Path(__file__).resolve().parents[2]


def wait_until_up(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"Streamlit didn't start:\n{log.read_text(errors='replace')}")
            time.sleep(0.1)


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """Return `serve(script, *options, folder=ROOT)`: start Streamlit on that script (once each), return its address.

    The folder is where it starts: Streamlit takes `.streamlit/config.toml` from there. With `fresh=True` it is a
    process of its own, which nobody has visited yet.
    """
    servers: dict[tuple[str, ...], tuple[subprocess.Popen[bytes], str]] = {}

    def start(script: str | Path, *options: str, folder: Path = ROOT, fresh: bool = False) -> str:
        name = (
            str(Path(script).resolve()),
            *options,
            str(folder),
            *(["fresh", str(len(servers))] if fresh else []),
        )
        if name not in servers:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = str(probe.getsockname()[1])
            command = [
                sys.executable,
                "-m",
                "streamlit",
                "run",
                name[0],
                *SERVER,
                "--server.port",
                port,
                *options,
            ]
            path = tmp_path_factory.mktemp("server") / "log.txt"
            with path.open("wb") as log:
                process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
            servers[name] = (process, f"http://127.0.0.1:{port}")
            wait_until_up(*servers[name], path)
        return servers[name][1]

    yield start
    for process, _ in servers.values():
        process.terminate()
    for process, _ in servers.values():
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """A Chromium of this machine: `make browser` has installed one."""
    path = chromium.find()
    if path is None:
        pytest.fail(chromium.ADVICE)
    running = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
    yield running
    running.close()


# On /bpe, Streamlit first looks for its endpoints under that path, then where they are: two expected 404s.
PROBES = ("/_stcore/health", "/_stcore/host-config")


class Watch:
    """What a page did that it shouldn't: `requests` to other hosts, `errors` in scripts and on the console."""

    def __init__(self, page: Page) -> None:
        self.requests: list[str] = []
        self.errors: list[str] = []
        page.on("request", lambda request: self._request(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._console)

    def _console(self, line: ConsoleMessage) -> None:
        url = line.location.get("url", "")
        if line.type == "error" and not url.endswith(PROBES):
            self.errors.append(f"{line.text} ({url})")

    def _request(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in {"http", "https", "ws", "wss"} and parts.hostname not in {
            "127.0.0.1",
            "localhost",
        }:
            self.requests.append(url)


@pytest.fixture(scope="session")
def shared_context(browser: Browser) -> Iterator[BrowserContext]:
    """One context for all pages without special options: Streamlit's scripts stay in its cache."""
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    yield context
    context.close()


@pytest.fixture
def open_page(browser: Browser, shared_context: BrowserContext) -> Iterator[Callable[..., Page]]:
    """Return `open_page(**options)`: a page; with `options`, in a context of its own with them.

    At the end of the test, requests to other hosts fail it, and so do errors, unless opened with `errors=True`.
    """
    opened: list[tuple[Page, Watch, bool]] = []

    def start(errors: bool = False, **options: object) -> Page:
        shape = {"viewport": {"width": 1366, "height": 768}, **options}
        context = browser.new_context(**shape) if options else shared_context  # type: ignore[arg-type]
        page = context.new_page()
        page.set_default_timeout(10_000)
        opened.append((page, Watch(page), errors))
        return page

    yield start
    for page, _, _ in opened:
        page.close()
        if page.context is not shared_context:
            page.context.close()
    assert [request for _, watch, _ in opened for request in watch.requests] == [], "requests to other hosts"
    assert [error for _, watch, errors in opened if not errors for error in watch.errors] == [], (
        "errors in the browser"
    )


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    """A page at 1366×768; requests to other hosts and script errors fail the test at its end."""
    return open_page()
