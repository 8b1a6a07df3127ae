"""Between browsers and a server: a cable for tests to pull out and plug in again, a gate for Python's
messages."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit

from playwright.sync_api import Page, WebSocketRoute


class Cable:
    """Passes bytes between a port of its own and a server. Pulled out, it ends every connection and takes
    none; while it hangs, it takes every connection and passes nothing."""

    def __init__(self, address: str) -> None:
        """`address` is the server's."""
        self.lead_to(address)
        self._ends: list[socket.socket] = []
        self._port = 0
        self.passes = threading.Event()
        """Cleared while it hangs."""
        self.passes.set()
        self._entrance: socket.socket
        self.plug_in()
        self.address = f"http://127.0.0.1:{self._port}"

    def lead_to(self, address: str) -> None:
        """Connect to the server at this address from now on."""
        there = urlsplit(address)
        self.server = (there.hostname, there.port)

    def plug_in(self) -> None:
        """Take connections, always at the same address."""
        self._entrance = socket.create_server(("127.0.0.1", self._port))
        self._port = self._entrance.getsockname()[1]
        threading.Thread(target=self._take, args=(self._entrance,), daemon=True).start()

    def pull_out(self) -> None:
        """End all connections."""
        self._end(self._entrance)
        self._end_all()

    def _end_all(self) -> None:
        while self._ends:
            self._end(self._ends.pop())

    @staticmethod
    def _end(end: socket.socket) -> None:
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()

    def _take(self, entrance: socket.socket) -> None:
        while True:
            try:
                near, _address = entrance.accept()
                far = socket.create_connection(self.server)
            except OSError:  # pulled out
                return
            self._ends += [near, far]
            if entrance.fileno() < 0:  # pulled out meanwhile
                self._end_all()
                return
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                self.passes.wait()
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)


class Gate:
    """A gate: it keeps back Python's messages to a page, from its next visit on; everything else goes
    through."""

    def __init__(self, page: Page) -> None:
        self._waiting: list[Callable[[], None]] = []
        self._shut, self._mark = False, b""
        page.route_web_socket("**/stream", self._between)

    def shut(self, mark: bytes = b"") -> None:
        """Keep back everything from the first message with this in it."""
        self._shut, self._mark = True, mark

    @property
    def holds(self) -> bool:
        """Whether it keeps anything back."""
        return bool(self._waiting)

    def open(self) -> None:
        """Hand over the messages kept back, and keep none back any more."""
        self._shut = False
        waiting, self._waiting = self._waiting, []
        for send in waiting:
            send()

    def _between(self, browser: WebSocketRoute) -> None:
        def forward(data: bytes | str) -> None:
            marked = isinstance(data, bytes) and self._mark in data
            if self._shut and (self._waiting or marked):
                self._waiting.append(partial(browser.send, data))
            else:
                browser.send(data)

        browser.connect_to_server().on_message(forward)
