"""Firefox and WebKit for the tests, by their own protocols: nothing of it comes from the package index.

Firefox speaks Marionette (commands as JSON, each after its length), WebKitGTK the W3C's WebDriver over HTTP.
``--ensure`` installs both where it can; ``FIREFOX=`` and ``WEBKIT=/path/to/MiniBrowser`` name others.
"""

from __future__ import annotations

import base64
import glob
import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Protocol

import pytest

from benchmarks.ports import free_port
from tests.browser.chromium import APT, prefix

DEBIAN_PACKAGES: Final = ("firefox-esr", "webkit2gtk-driver", "xvfb")
MINIBROWSERS: Final = "/usr/lib/*/webkit2gtk-4.*/MiniBrowser"
STARTING, ANSWERING, WAITING = 60.0, 120.0, 40.0
"""Seconds for a browser to start, to answer, and for a page to reach the expected state."""
KEYS: Final = {
    "Enter": "\ue007",
    "Escape": "\ue00c",
    "PageDown": "\ue00f",
    "End": "\ue010",
    "Home": "\ue011",
    "Left": "\ue012",
    "Right": "\ue014",
}
PREFERENCES: Final = {
    "app.update.enabled": False, "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
    "browser.safebrowsing.downloads.remote.enabled": False, "dom.navigation.webidl.enabled": False,
}  # fmt: skip
"""Nothing but the app is asked for; and the Navigation API is off, as in the Firefox before it came."""
COMPLAINTS: Final = """
const found = Services.console.getMessageArray().filter((one) => one instanceof Ci.nsIScriptError
  && !(one.flags & Ci.nsIScriptError.warningFlag) && /^(https?|file|blob|data):/.test(one.sourceName));
Services.console.reset();
return found.map((one) => `${one.errorMessage} (${one.sourceName}:${one.lineNumber})`);
"""
"""In Firefox's own window: errors in scripts, and breaches of a page's policy."""
EVERYWHERE: Final = """
const all = (selector, root = document, found = []) => {
  for (const node of root.querySelectorAll("*")) {
    if (node.matches(selector)) found.push(node);
    if (node.shadowRoot) all(selector, node.shadowRoot, found);
  }
  return found;
};
"""
"""Before each script: `all(selector)` looks into shadows, too."""


class RefusedError(Exception):
    """The browser's refusal, as while a page changes."""


class Remote(Protocol):
    """A browser under remote control. Raises RefusedError."""

    def ask(self, command: str, **parameters: Any) -> Any: ...

    def complaints(self) -> list[str]:
        """Errors in scripts and violations of policies since the last request: Firefox's, as WebKit keeps the
        messages of a remotely controlled window to itself."""

    def go_offline(self) -> None:
        """Let it reach no network any more, where it can do that."""


class Marionette:
    """Firefox's own protocol: [0, number, command, parameters] there, [1, number, error, result] back."""

    NAMES: Final = {"url": "Navigate", "execute/sync": "ExecuteScript", "actions": "PerformActions", "screenshot": "TakeScreenshot",
                    "back": "Back", "refresh": "Refresh", "window/rect": "SetWindowRect"}  # fmt: skip

    def __init__(self, port: int) -> None:
        self._line = until(lambda: socket.create_connection(("127.0.0.1", port), 1), STARTING)
        self._line.settimeout(ANSWERING)
        self._number = 0
        self._hear()
        self._send("WebDriver:NewSession", {})

    def ask(self, command: str, **parameters: Any) -> Any:
        more = {"full": False} if command == "screenshot" else {}
        return self._send(f"WebDriver:{self.NAMES[command]}", {**more, **parameters})

    def complaints(self) -> list[str]:
        return list(self._in_its_window(COMPLAINTS))

    def go_offline(self) -> None:
        self._in_its_window("Services.io.offline = true;")

    def _in_its_window(self, script: str) -> Any:
        self._send("Marionette:SetContext", {"value": "chrome"})
        try:
            return self.ask("execute/sync", script=script, args=[])
        finally:
            self._send("Marionette:SetContext", {"value": "content"})

    def _send(self, name: str, parameters: dict[str, Any]) -> Any:
        self._number += 1
        message = json.dumps([0, self._number, name, parameters]).encode()
        self._line.sendall(f"{len(message)}:".encode() + message)
        _kind, _number, error, result = self._hear()
        if error:
            raise RefusedError(error["message"])
        return result.get("value") if isinstance(result, dict) else result

    def close(self) -> None:
        self._line.close()

    def _hear(self) -> Any:
        length = bytearray()
        while (one := self._line.recv(1)) != b":":
            length += one
        message = bytearray()
        while len(message) < int(length):
            message += self._line.recv(int(length) - len(message))
        return json.loads(message)


class WebDriver:
    """The W3C's protocol."""

    def __init__(self, port: int, capabilities: dict[str, Any]) -> None:
        self._port, self._path = port, "/session"
        self._path += (
            f"/{self._send('POST', '', {'capabilities': {'alwaysMatch': capabilities}})['sessionId']}"
        )

    def ask(self, command: str, **parameters: Any) -> Any:
        return self._send("GET" if command == "screenshot" else "POST", f"/{command}", parameters)

    def complaints(self) -> list[str]:
        return []

    def go_offline(self) -> None: ...

    def _send(self, method: str, command: str, parameters: dict[str, Any]) -> Any:
        line = http.client.HTTPConnection("127.0.0.1", self._port, timeout=ANSWERING)
        try:
            line.request(method, self._path + command, json.dumps(parameters) if method == "POST" else None)
            answer = line.getresponse()
            value = json.load(answer)["value"]
        finally:
            line.close()
        if answer.status != 200:
            raise RefusedError(value["message"])
        return value


def until(find: Callable[[], Any], seconds: float = WAITING) -> Any:
    """The first true result of `find`, after its errors have ended. Raises its last error, or
    AssertionError."""
    deadline = time.monotonic() + seconds
    while True:
        trouble: Exception | None = None
        try:
            result = find()
            if result:
                return result
        except (OSError, RefusedError) as error:
            trouble = error
        if time.monotonic() > deadline:
            raise trouble or AssertionError(f"{result!r} after {seconds:g} s")
        time.sleep(0.05)


@contextmanager
def running(*command: str, **settings: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process until the end of the block."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **settings)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


def find_firefox() -> str | None:
    """The path of a Firefox, or None."""
    return next(
        filter(None, map(shutil.which, (os.environ.get("FIREFOX", ""), "firefox-esr", "firefox"))), None
    )


def find_webkit() -> str | None:
    """The path of WebKitGTK's small browser, if its driver and a screen to draw on are there, too; or
    None."""
    if not (shutil.which("WebKitWebDriver") and shutil.which("Xvfb")):
        return None
    return os.environ.get("WEBKIT") or next(iter(sorted(glob.glob(MINIBROWSERS))), None)


@contextmanager
def firefox(path: str) -> Iterator[Remote]:
    """A Firefox with a profile of its own."""
    port = free_port()
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        wanted = {**PREFERENCES, "marionette.port": port}
        lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in wanted.items())
        Path(profile, "user.js").write_text("".join(lines), "utf-8")
        how = ("--marionette", "--remote-allow-system-access", "--headless", "--no-remote")
        with running(path, *how, "--profile", profile), closing(Marionette(port)) as remote:
            yield remote


@contextmanager
def webkit(path: str) -> Iterator[Remote]:
    """A WebKit on an unseen screen, with the system's dark look."""
    with ExitStack() as stack:
        read, write = os.pipe()
        stack.callback(os.close, read)
        screen = ("Xvfb", "-displayfd", str(write), "-screen", "0", "1400x900x24", "-nolisten", "tcp")
        stack.enter_context(running(*screen, pass_fds=[write]))
        os.close(write)
        look = {**os.environ, "DISPLAY": f":{os.read(read, 9).decode().strip()}", "GTK_THEME": "Adwaita:dark"}
        port = free_port()
        stack.enter_context(running("WebKitWebDriver", f"--port={port}", env=look))
        until(lambda: socket.create_connection(("127.0.0.1", port), 1), STARTING).close()
        remote = WebDriver(port, {"webkitgtk:browserOptions": {"binary": path, "args": ["--automation"]}})
        try:
            yield remote
        finally:
            with suppress(OSError, RefusedError, http.client.HTTPException):
                remote._send("DELETE", "", {})


class Window:
    """A browser's window: a visitor's actions in it, and its contents."""

    def __init__(self, remote: Remote) -> None:
        self.remote = remote
        remote.ask("window/rect", x=0, y=0, width=1366, height=860)

    def js(self, code: str, *arguments: Any) -> Any:
        return self.remote.ask("execute/sync", script=EVERYWHERE + code, args=list(arguments))

    def open(self, address: str, selector: str) -> None:
        """A page of the app."""
        self.remote.ask("url", url=address)
        self.ready(selector)

    def visit(self, address: str, selector: str) -> None:
        """A page without Streamlit."""
        self.remote.ask("url", url=address)
        self.await_js("return all(arguments[0]).some((one) => one.checkVisibility())", selector)

    def ready(self, selector: str) -> None:
        """Wait until that is there, and Python has sent everything."""
        self.await_js("return all(arguments[0]).length > 0", selector)
        rest = (
            "return document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
        )
        self.await_js(rest)

    def await_js(self, code: str, *arguments: Any) -> Any:
        return until(lambda: self.js(code, *arguments))

    def text(self, selector: str) -> str:
        return str(self.js("return all(arguments[0])[0]?.textContent ?? ''", selector))

    @property
    def url(self) -> str:
        return str(self.js("return location.href"))

    def press(self, *keys: str) -> None:
        acts = [{"type": act, "value": KEYS.get(key, key)} for key in keys for act in ("keyDown", "keyUp")]
        self.remote.ask("actions", actions=[{"type": "key", "id": "keys", "actions": acts}])

    def point(self, selector: str, text: str = "", *, click: bool = False) -> None:
        """Move the mouse onto the middle of the first such element in sight (with this text), once there is
        one that stays in its place."""
        middle = """
        const [selector, text] = arguments;
        const node = all(selector).find((one) => one.checkVisibility() && (!text || one.textContent.trim() === text));
        if (!node) return null;
        node.scrollIntoView({ block: "center", behavior: "instant" });
        const box = node.getBoundingClientRect();
        return [box.left + box.width / 2, box.top + box.height / 2].map(Math.round);
        """
        places: list[Any] = [None]

        def stays() -> bool:  # to a pixel: Firefox scrolls by whole ones
            places.append(self.js(middle, selector, text))
            before, now = places[-2:]
            return (
                bool(before and now)
                and max(abs(one - other) for one, other in zip(before, now, strict=True)) <= 1
            )

        until(stays)
        x, y = places[-1]
        # From beside it: where the mouse is there already, it would tell nobody.
        acts: list[dict[str, Any]] = [
            {"type": "pointerMove", "x": index, "y": y, "duration": 0} for index in (x + 1, x)
        ]
        acts += [{"type": act, "button": 0} for act in ("pointerDown", "pointerUp") if click]
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": acts}
        self.remote.ask("actions", actions=[mouse])

    def press_until(self, selector: str, text: str, code: str) -> None:
        """Click such an element until JavaScript says that it has worked: a page that still comes to rest may
        be elsewhere by then."""
        until(lambda: self.point(selector, text, click=True) or self.js(code))

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.remote.ask("screenshot")))


BROWSERS: Final = {"firefox": (find_firefox, firefox), "webkit": (find_webkit, webkit)}
"""By name: the finder of the browser, and its starter."""


@contextmanager
def started(name: str) -> Iterator[Window]:
    """A window of this browser. Skips the test where the browser is missing."""
    find, start = BROWSERS[name]
    path = find()
    if path is None:
        pytest.skip(f"no {name} here: make browsers installs it")
    with start(path) as remote:
        yield Window(remote)


def main(arguments: list[str]) -> int:
    """Print the browsers found; with --ensure, install missing ones, where possible. Not having them is no
    failure."""
    missing = [name for name, (find, _start) in BROWSERS.items() if find() is None]
    root = prefix() if missing and shutil.which("apt-get") else None
    if "--ensure" in arguments and root is not None:
        apt = [*root, *APT]
        for command in (
            [*apt, "update"],
            [*apt, "install", "-y", "--no-install-recommends", *DEBIAN_PACKAGES],
        ):
            print(" ".join(command), flush=True)
            if subprocess.run(command, check=False).returncode:
                break
    for name, (find, _start) in BROWSERS.items():
        print(f"{name}: {find() or 'not here; on Debian: sudo apt install ' + ' '.join(DEBIAN_PACKAGES)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
