"""Real browser, real server: fixtures for all tests in this folder (Playwright's own API, no pytest
plugin)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
import urllib.request
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Dialog,
    Error,
    Page,
    Playwright,
    Request,
    WebSocketRoute,
    expect,
    sync_playwright,
)
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from benchmarks.ports import free_port
from tests.browser import chromium, nginx
from tests.waiting import until
from tokensteps.language.pages import PAGE_AT, PAGES

ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
    # Without a graphics card, drawing as if there were one, and the browser's own, unseen bars cost a fifth
    # of the time.
    "--disable-gpu-rasterization", "--disable-software-rasterizer", "--disable-extensions",
    "--disable-features=WebUIOmniboxPopup,InitialWebUI,WebUIReloadButton,TopChromeWebUI,Translate,OptimizationHints,MediaRouter",
]  # fmt: skip
FRUGAL = [
    # No page of a test lives long enough to earn back the cost of a second and third compilation of its
    # scripts, or of tidying up its memory early.
    "--js-flags=--no-maglev,--no-turbofan,--min-semi-space-size=64,--max-semi-space-size=64",
    # Letters with coloured edges take longer to draw, and animations beside the scripts draw more often.
    "--disable-lcd-text", "--disable-threaded-animation",
]  # fmt: skip
"""Options for a cheaper browser that nobody looks at."""
SERVER = [
    "--server.headless", "true", "--server.address", "127.0.0.1", "--server.fileWatcherType", "none",
    "--browser.gatherUsageStats", "false",
]  # fmt: skip
ROOT = Path(__file__).resolve().parents[2]
IMPATIENT = Path(__file__).with_name("impatient.cjs")
TIMEOUT = 120_000
"""Milliseconds for an action or an expectation: machines are shared or slow, and a true one costs none of
them."""
expect.set_options(timeout=TIMEOUT)
# `make test` has installed nginx where it could, and has said so where not.
collect_ignore = [] if nginx.find() else ["test_behind_nginx.py"]
if (
    "OTHER_BROWSERS" not in os.environ
):  # `make browsers` runs them: minutes, in browsers that not everybody has
    collect_ignore += ["test_other_browsers.py", "test_site_elsewhere.py"]
if "LIVE" not in os.environ:  # `make live` runs it: a minute, and 6.5 MB from npm's registry
    collect_ignore.append("test_try_page.py")


UNTIL = """async ([arg, patience]) => {
  const made = () => (EXPRESSION
  ), first = made(), holds = typeof first === 'function' ? first : made;
  for (const end = performance.now() + patience; performance.now() < end; await new Promise(done => setTimeout(done, 25)))
    if (await holds(arg)) return true;
  return false; }"""
"""Looks within the page, not from outside of it: sooner, and without a message each time."""


def wait_for_function(page: Page, expression: str, *, arg: object = None, timeout: float = TIMEOUT) -> None:
    """Wait until a function or an expression gives something true.

    Playwright's own has the page make code out of text (forbidden by the server's policy); evaluated from
    outside, it may.
    """
    looks, deadline = UNTIL.replace("EXPRESSION", expression), time.monotonic() + timeout / 1000
    while (remaining := deadline - time.monotonic()) > 0:
        try:
            if page.evaluate(looks, [arg, 1000 * remaining]):
                return
        except Error as error:
            if "context was destroyed" not in error.message:  # it is on its way to another page
                raise
            page.wait_for_timeout(15)
    raise PlaywrightTimeout(f"{timeout:g} ms passed before this was true: {expression}")


def open_tab(page: Page, name: str) -> None:
    """Open a tab as a hand does: by its name in the bar, or by its name under “More”."""
    bar = page.locator(".ts-tabs").first
    expect(bar.get_by_role("tab", selected=True)).to_be_visible()
    tab = bar.get_by_role("tab", name=name, exact=True)
    if tab.count():
        tab.click()
        return
    bar.get_by_role("button", name="More").click()
    bar.get_by_role("menuitem", name=name, exact=True).click()


Page.wait_for_function = wait_for_function  # type: ignore[method-assign, assignment]

INTERCEPTED: set[Page] = set()
"""Pages with a test between them and the server: its handlers stay, so no other test may have the page."""


def remembered(intercept: Callable[..., Any]) -> Callable[..., Any]:
    """The same method of a page, and its pages are known."""

    def call(page: Page, *arguments: Any, **named: Any) -> Any:
        INTERCEPTED.add(page)
        return intercept(page, *arguments, **named)

    return call


Page.route = remembered(Page.route)  # type: ignore[method-assign]
Page.route_web_socket = remembered(Page.route_web_socket)  # type: ignore[method-assign]


TURN = """address => { dispatchEvent(new Event('ts-led')); history.pushState({}, '', address); dispatchEvent(new PopStateEvent('popstate')); }"""


def turn_to(page: Page, address: str) -> None:
    """Go to another page of the app in English, where the app is open: like Back and Forward, without loading
    anything anew.

    It is the same visit, so settings missing in the address stay as they were. It begins at a page at rest,
    or the message about that page may still be on its way, and win. Python has begun with the other page
    then; wait for the rest.
    """
    at_rest(page)
    title = PAGES[PAGE_AT[urlsplit(address).path.removeprefix("/")]].title
    page.evaluate(TURN, address)
    expect(page).to_have_title(f"{title} · TokenSteps")


def wait_until_up(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    def answers() -> bool:
        assert process.poll() is None, f"Streamlit didn't start:\n{log.read_text(errors='replace')}"
        with suppress(OSError):
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=5).close()
            return True
        return False

    until(answers)


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """Return `serve(script, *options, folder=ROOT)`: start Streamlit on that script (once each), return its
    address.

    The folder is where it starts: Streamlit takes `.streamlit/config.toml` from there. With `fresh=True` it
    is a process of its own, as yet without a visitor; `variables` are added to its environment.
    """
    servers: dict[tuple[str, ...], tuple[subprocess.Popen[bytes], str]] = {}

    def start(
        script: str | Path,
        *options: str,
        folder: Path = ROOT,
        fresh: bool = False,
        variables: Mapping[str, str] = MappingProxyType({}),
    ) -> str:
        name = (
            str(Path(script).resolve()),
            *options,
            str(folder),
            *(f"{variable}={value}" for variable, value in variables.items()),
            *(["fresh", str(len(servers))] if fresh else []),
        )
        if name not in servers:
            port = str(free_port())
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
                process = subprocess.Popen(
                    command, cwd=folder, env={**os.environ, **variables}, stdout=log, stderr=subprocess.STDOUT
                )
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


@pytest.fixture(scope="module")
def app(serve: Callable[..., str]) -> str:
    """The app's address, in a process of this file's own: from one address, only so many classes are opened
    in an hour."""
    return serve(ROOT / "app.py", fresh=True)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NODE_OPTIONS", f'--require "{IMPATIENT.as_posix()}"')
        running = sync_playwright().start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """A Chromium of this machine: `make browser` has installed one."""
    path = chromium.for_tests()
    if path is None:
        pytest.fail(chromium.ADVICE)
    running = playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS, *FRUGAL])
    yield running
    running.close()


# On /bpe, Streamlit first looks for its endpoints under that path, then where they are: two expected 404s.
PROBES = ("/_stcore/health", "/_stcore/host-config")
POLICY = "Content Security Policy"
"""The browser's own words for a violation."""
SAYS_VIOLATIONS = f"""document.addEventListener('securitypolicyviolation',
  event => console.error(`{POLICY}: ${{event.effectiveDirective}} ${{event.blockedURI}} ${{event.sourceFile}}:${{event.lineNumber}}`))"""
"""Some the browser keeps to itself."""


class Watch:
    """A page's misdeeds: `requests` to other hosts, `violations` of the server's policy, `errors` in scripts
    and on the console."""

    def __init__(self, page: Page) -> None:
        self.requests: list[str] = []
        self.violations: list[str] = []
        self.errors: list[str] = []
        self.page = page
        page.on("request", self._request)
        page.on("pageerror", self._error)
        page.on("console", self._console)

    def stop(self) -> None:
        self.page.remove_listener("request", self._request)
        self.page.remove_listener("pageerror", self._error)
        self.page.remove_listener("console", self._console)

    def _error(self, error: Error) -> None:
        self.errors.append(str(error))

    def _console(self, line: ConsoleMessage) -> None:
        url = line.location.get("url", "")
        if POLICY in line.text:
            self.violations.append(f"{line.text[:300]} ({url})")
        elif line.type == "error" and not url.endswith(PROBES):
            self.errors.append(f"{line.text} ({url})")

    def _request(self, request: Request) -> None:
        url = request.url
        parts = urlsplit(url)
        if parts.scheme in {"http", "https", "ws", "wss"} and parts.hostname not in {
            "127.0.0.1",
            "localhost",
        }:
            self.requests.append(url)


DESKTOP = {"viewport": {"width": 1366, "height": 768}}
LOOKS = ("color_scheme", "reduced_motion")
EMPTY = """() => { try { sessionStorage.clear(); localStorage.clear(); Storage.prototype.setItem = () => {}; } catch {}
  setTimeout(() => location.replace('about:blank')); }"""
"""A page runs until it has left: a class's late messages must not be kept for the next visitor."""
TOURS_TAKEN = """try { for (const page of ['bpe', 'wordpiece', 'unigram']) localStorage.setItem(`tokensteps.tour.${page}`, 'seen'); } catch {}"""
"""Nobody is offered a tour (it would cover elements for tests to click)."""


RUNS = """(() => {
  const runs = window.tsRuns = { asked: 0, begun: 0, ended: 0, at: 0 }, heard = new WeakSet();
  const kindOf = (bytes) => { // [4] where a run begins, [6, how] where it ends: fields of Streamlit's ForwardMsg
    let at = 0;
    const number = () => { for (let sum = 0, scale = 1; ; scale *= 128) { const byte = bytes[at++]; sum += (byte & 127) * scale; if (byte < 128) return sum; } };
    while (at < bytes.length) {
      const tag = number(), value = number();
      if (tag === 0x30) return [6, value];
      if (tag === 0x22) return [4];
      if ((tag & 7) === 2) at += value;
    }
    return [];
  };
  const hear = ({ data }) => {
    const [kind, how] = data instanceof ArrayBuffer ? kindOf(new Uint8Array(data)) : [];
    if (kind === 4) runs.begun = runs.asked;
    if (kind === 6 && how !== 2) runs.ended = runs.begun; // 2: another run follows at once
  };
  const watch = (sockets) => {
    const send = sockets.prototype.send;
    sockets.prototype.send = function (data) {
      if (!heard.has(this)) { heard.add(this); this.addEventListener('message', hear); }
      if (ArrayBuffer.isView(data) && data[0] === 0x5a) { runs.asked += 1; runs.at = performance.now(); } // BackMsg.rerun_script
      return send.call(this, data);
    };
    return sockets;
  };
  let sockets = watch(WebSocket); // where a test stands between page and server, Playwright puts its own in place
  Object.defineProperty(window, 'WebSocket', { configurable: true, get: () => sockets, set: (other) => { sockets = watch(other); } });
})()"""
"""Counts the runs of a page's script at its browser's request, and the ended ones."""
RESTS = """name => {
  const app = document.querySelector('[data-testid=stApp]')?.dataset, runs = window.tsRuns;
  const waits = runs && runs.ended < runs.asked && performance.now() - runs.at < 30000; // no run follows what a server refuses
  const told = !document.documentElement.hasAttribute('data-unsent'); // by our components, as assets/components/prelude.js says
  const whole = !document[Symbol.for('tokensteps.early')]; // what the stage that came with the page says is said later
  const books = document.querySelectorAll('[data-testid=stBidiComponentIsolated]');
  const begun = !books.length || [...books].some(({ shadowRoot }) => shadowRoot?.[Symbol.for('tokensteps.calls')]); // see bundle/end.js
  const drawn = begun && ![...books].some(({ shadowRoot }) => shadowRoot?.querySelector('[data-awaits]')); // frames come packed
  const rests = app?.testScriptState === 'notRunning' && app.testConnectionState === 'CONNECTED' && whole && told && drawn && !waits;
  if (window.tsRests?.name !== name || !rests) window.tsRests = { name, looks: 0 };
  return rests && ++window.tsRests.looks > 2; }"""


def at_rest(page: Page) -> None:
    """Wait until the page has sent all of its messages, and every run at its request has ended and is drawn:
    a late message would begin another one."""
    page.wait_for_function(RESTS, arg=time.monotonic())


def all_there(page: Page) -> None:
    """Wait until everything that a page begins with is there, its scripts included: a hand may be faster than
    they are."""
    page.locator(".ts-projector-start").wait_for(state="attached")
    at_rest(page)


def messages_sent(page: Page) -> None:
    """Wait until the page's components, mounted without Streamlit, have sent all of their messages."""
    page.wait_for_function("!document.documentElement.hasAttribute('data-unsent')")


def pause(page: Page, milliseconds: int) -> None:
    """Do nothing for a while, like a hand between two keys, and while it holds one: for tests about time
    itself."""
    page.wait_for_timeout(milliseconds)


def until_lost(page: Page, lost: list[Any]) -> None:
    """The page's request has been made, and didn't get to the server."""

    def is_lost() -> bool:
        pause(page, 20)
        return bool(lost)

    until(is_lost)


SCORES_IN_SIGHT = """() => {
  const table = document[Symbol.for('tokensteps.stage')].querySelector('table.scores');
  const score = [...table.querySelectorAll('tr:first-child > *')].find((head) => head.innerText === 'score');
  return score.getBoundingClientRect().right <= table.closest('section').getBoundingClientRect().right; }"""
"""Whether WordPiece's table of pairs shows the scores."""


def left_over(page: Page, finds: str, arg: object = None) -> Any:
    """The finds of a function of the page after it has had time to find nothing."""
    try:
        page.wait_for_function(f"async arg => !(await ({finds})(arg)).length", arg=arg)
    except PlaywrightTimeout:
        return page.evaluate(finds, arg)
    return []


GZIP = re.compile(rb"\x1f\x8b\x08")
"""The first bytes of packed data."""


def lose_first(page: Page, mark: bytes) -> list[bytes]:
    """Lose the page's first message with this in it on its way to the server; it is in the list then."""
    lost: list[bytes] = []

    def between(browser: WebSocketRoute) -> None:
        server = browser.connect_to_server()

        def send(data: bytes | str) -> None:
            if isinstance(data, bytes) and mark in data and not lost:
                lost.append(data)
            else:
                server.send(data)

        browser.on_message(send)

    page.route_web_socket("**/stream", between)
    return lost


LATER = "() => { const now = performance.now.bind(performance); performance.now = () => now() + 15000; }"
"""Has a page believe that its longest wait for Python is over."""
ANSWERED_LATER = """milliseconds => addEventListener('click', () => setTimeout(() => {
  const real = performance.now.bind(performance);
  performance.now = () => real() + milliseconds;
}), { once: true })"""
"""The next click's answer comes as late as from a slow server."""


def received(page: Page) -> list[bytes]:
    """Every message to the page over a WebSocket from now on, with its packed contents."""
    results: list[bytes] = []

    def take(data: bytes | str) -> None:
        whole = data if isinstance(data, bytes) else data.encode()
        packed = [zlib.decompressobj(31).decompress(whole[at.start() :]) for at in GZIP.finditer(whole)]
        results.append(b"".join([whole, *packed]))

    page.on("websocket", lambda socket: socket.on("framereceived", take))
    return results


def fit(page: Page, options: Mapping[str, Any]) -> None:
    """Give an empty page the window and the looks of these options, after any earlier test."""
    page.set_viewport_size(options.get("viewport", DESKTOP["viewport"]))
    looks = {name: options.get(name, "null") for name in LOOKS}
    page.emulate_media(media="null", **looks)


def emptied(page: Page) -> bool:
    """Whether a page could be made to leave. Only `goto` is safe then: scripts may find no context to run in,
    and wait for ever.

    It leaves from inside: `goto` would give it another process, where all of Streamlit's scripts are compiled
    anew.
    """
    try:
        page.evaluate(EMPTY)
        page.wait_for_url("about:blank")
    except Error:
        return False
    return True


def as_a_newcomer(page: Page, address: str) -> None:
    """Open a link in a page as in a browser that was never here: with nothing kept, and nothing of the visit
    before."""
    page.context.clear_cookies()
    assert emptied(page)
    page.goto(address)


class Pages:
    """Reused pages: where Streamlit's scripts have run before, they start in half the time.

    A page given back is emptied, and gets the next one's window and looks; pages of a failed test are thrown
    away.
    """

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.common = browser.new_context(**DESKTOP)  # type: ignore[arg-type]
        self.free: dict[str, list[Page]] = {}
        self.names: dict[Page, str] = {}

    def take(self, options: dict[str, Any], fresh: bool = False, own: str = "", tours: bool = False) -> Page:
        """A page with these options; a fresh one is a new visitor of its own. Pages with an `own` name share
        nothing with pages of another name. With `tours`, it is offered the pages' tours."""
        apart = {name: value for name, value in options.items() if name not in ("viewport", *LOOKS)}
        name = repr((own, tours, sorted(options.items()) if apart else ()))
        if not fresh and self.free.get(name):
            page = self.free[name].pop()
            fit(page, options)
            return page
        if apart or own or tours or fresh:  # pages of one context share all they have seen
            context = self.browser.new_context(**{**DESKTOP, **options})
        else:
            context = self.common
        if not context.pages:  # also for tabs opened by a test
            context.set_default_timeout(TIMEOUT)
            context.add_init_script(SAYS_VIOLATIONS)
            context.add_init_script(RUNS)
        page = context.new_page()
        if not fresh:
            if not tours:
                page.add_init_script(TOURS_TAKEN)
            self.names[page] = name
            fit(page, options)
        return page

    def give_back(self, page: Page, sound: bool) -> None:
        """Keep a page for the next test, if it can be."""
        name = self.names.get(page)
        used = name is not None and not page.is_closed() and page.url != "about:blank"
        if used and sound and page not in INTERCEPTED:
            again = page.evaluate("history.length") < 30
            page.mouse.move(0, 0)
            if emptied(page) and again:  # also where it isn't used again: others share its storage
                self.free.setdefault(str(name), []).append(page)
                return
        self.names.pop(page, None)
        INTERCEPTED.discard(page)
        if page.context is self.common:
            page.close()
        else:
            page.context.close()


@pytest.fixture(scope="session")
def pages(browser: Browser) -> Pages:
    return Pages(browser)


@pytest.fixture
def open_page(request: pytest.FixtureRequest, pages: Pages) -> Iterator[Callable[..., Page]]:
    """Return `open_page(**options)`: a page, used before by other tests unless `fresh=True`; for `own` and
    `tours`, see `Pages.take`.

    At the end of the test, requests to other hosts and breaches of the server's policy fail it, and so do
    errors, unless opened with `errors=True`.
    """
    opened: list[tuple[Page, Watch, bool]] = []
    failed = request.session.testsfailed

    def start(
        errors: bool = False, fresh: bool = False, own: str = "", tours: bool = False, **options: Any
    ) -> Page:
        page = pages.take(options, fresh, own, tours)
        opened.append((page, Watch(page), errors))
        return page

    yield start
    for page, watch, _ in opened:
        watch.stop()
        pages.give_back(page, sound=request.session.testsfailed == failed)
    assert [request for _, watch, _ in opened for request in watch.requests] == [], "requests to other hosts"
    assert [line for _, watch, _ in opened for line in watch.violations] == [], "against the policy"
    assert [error for _, watch, errors in opened if not errors for error in watch.errors] == [], (
        "errors in the browser"
    )


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    """A page at 1366×768; requests to other hosts and script errors fail the test at its end."""
    return open_page()


@pytest.fixture
def dialogs(page: Page) -> Iterator[list[str]]:
    """Dialogs that opened: none may, at the end of the test."""
    opened: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        opened.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    yield opened
    page.remove_listener("dialog", dismiss)
    assert opened == []


class Elsewhere(BaseHTTPRequestHandler):
    """Another site: on the same machine, so that a browser gives it the app's cookies. Its page holds the
    markup of `?html=`."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        html = parse_qs(urlsplit(self.path).query).get("html", [""])[0]
        self.wfile.write(f"<!doctype html><title>elsewhere</title>{html}".encode())

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Page]:
    """An unwatched page: here, refusals are wanted."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(TIMEOUT)
    yield page
    context.close()
