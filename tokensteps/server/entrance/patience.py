"""Time limits for a connection that keeps the server waiting, for the rest of a request or to take a
response, and a limit on connections per address.

uvicorn waits for ever for the rest of a request, and for a reader who takes nothing. Here all connections are
checked each second, however the server was started, and in any protocol; late ones are cut off. A slow
response is the server's own time: an event stream, a long training.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

from uvicorn.middleware.proxy_headers import _TrustedHosts
from uvicorn.protocols.http.h11_impl import H11Protocol

from tokensteps.limits import (
    BODY_PACE,
    CONNECTIONS_OPEN,
    HEAD_PATIENCE,
    READER_PATIENCE,
    READER_TAKES,
    UPLOAD_PATIENCE,
)
from tokensteps.server.entrance.rates import network

if sys.platform == "linux":
    import fcntl
    import termios

LOOK_SECONDS: Final = 1.0
"""Seconds between two looks at all connections: some thousands take milliseconds."""


class Line:
    """A connection, from its first moment to its last."""

    def __init__(self, transport: asyncio.Transport, address: str) -> None:
        self.transport, self.address = transport, address
        self.came = 0
        """Bytes received, as long as it speaks HTTP."""
        self._awaited: tuple[str, object] | None = None
        """Its debt: the head of a request, its body, a handshake; with the exchange, since each has a time of
        its own."""
        self._since = self._last = 0.0
        """The time of its start, and of the latest bytes."""
        self._before = self._seen = 0
        """Bytes received up to both times."""
        self._full: tuple[float, int] | None = None
        """Since when its reader has taken too little, and the bytes waiting then."""

    def over(self) -> bool:
        """Whether there is nothing left of it."""
        return self.transport.is_closing() and not self.transport.get_write_buffer_size()

    def late(self, now: float) -> bool:
        """Whether it has kept the server waiting for too long."""
        return self._sends_late(now) or self._reads_late(now)

    def _sends_late(self, now: float) -> bool:
        reads = self.transport.is_closing() or self.transport.get_write_buffer_size()
        awaited = None if reads else owed(self.transport.get_protocol())
        if awaited != self._awaited:
            self._awaited, self._since, self._before = awaited, now, self.came
            self._last, self._seen = now, self.came
        if awaited is None:
            return False
        if awaited[0] != "body":
            return now - self._since > HEAD_PATIENCE
        if self.came != self._seen:
            self._last, self._seen = now, self.came
        slowest = UPLOAD_PATIENCE + (self.came - self._before) / BODY_PACE
        return now - self._last > UPLOAD_PATIENCE or now - self._since > slowest

    def _reads_late(self, now: float) -> bool:
        waits = not_taken(self.transport)
        if not waits:
            self._full = None
            return False
        since, before = self._full or (now, waits)
        self._full = (now, waits) if waits <= before - READER_TAKES else (since, max(waits, before))
        return now - self._full[0] > READER_PATIENCE


def not_taken(transport: asyncio.Transport) -> int:
    """Bytes waiting here for a reader, and with them those in the system's queue: it takes more of ours only
    when much of that is gone."""
    here = transport.get_write_buffer_size()
    if here and sys.platform == "linux":
        with contextlib.suppress(OSError):  # it has just been closed
            queued = fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, bytes(4))
            return here + int.from_bytes(queued, sys.byteorder)
    return here


def owed(protocol: Any) -> tuple[str, object] | None:
    """A browser's debt to the server on a connection: its kind, and the last or current exchange; None if it
    is the server's turn."""
    if not hasattr(protocol, "timeout_keep_alive_task"):  # it speaks WebSocket by now
        return None if getattr(protocol, "handshake_initiated", True) else ("handshake", protocol)
    exchange = protocol.cycle
    if exchange is not None and exchange.more_body:
        return None if protocol.flow.read_paused else ("body", exchange)
    if protocol.timeout_keep_alive_task is not None or (
        exchange is not None and not exchange.response_complete
    ):
        return None
    return "head", exchange


class Lines:
    """All connections of this server."""

    def __init__(self) -> None:
        self.open: set[Line] = set()
        self._of: Counter[str] = Counter()
        """Address → its connections. A proxy is exempt: it has the address of all its visitors, and its own
        limits."""

    def begin(self, protocol: Any) -> Line | None:
        """Take in a new connection; None if its address has too many: then it is cut off."""
        host = protocol.client[0] if protocol.client else ""
        address = network(host)
        trusted = _TrustedHosts(protocol.config.forwarded_allow_ips)
        if not address or host in trusted or address in trusted:
            address = ""
        elif self._of[address] >= CONNECTIONS_OPEN:
            protocol.transport.abort()
            return None
        self._of[address] += 1
        line = Line(protocol.transport, address)
        self.open.add(line)
        return line

    def look(self, now: float) -> None:
        """Cut off late connections, and forget closed ones."""
        for line in [*self.open]:
            if not line.over():
                if not line.late(now):
                    continue
                line.transport.abort()
            self.open.discard(line)
            self._of[line.address] -= 1
            if not self._of[line.address]:
                del self._of[line.address]


@asynccontextmanager
async def limited_patience() -> AsyncIterator[Lines]:
    """Inside, new connections have limits."""
    lines = Lines()
    with contextlib.ExitStack() as undo:
        for kind in _http_protocols():
            undo.callback(_watch_kind(kind, lines))
        looking = asyncio.create_task(_look_on(lines))
        try:
            yield lines
        finally:
            looking.cancel()


async def _look_on(lines: Lines) -> None:
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        lines.look(time.monotonic())


def _http_protocols() -> list[Any]:
    """uvicorn's two implementations of HTTP: one is with httptools, if that is installed."""
    results: list[Any] = [H11Protocol]
    with contextlib.suppress(ImportError):
        results.append(importlib.import_module("uvicorn.protocols.http.httptools_impl").HttpToolsProtocol)
    return results


def _watch_kind(kind: Any, lines: Lines) -> Callable[[], None]:
    """Have connections of a kind watched; returns a function that undoes it."""
    result, received = kind.connection_made, kind.data_received

    def connection_made(protocol: Any, transport: asyncio.Transport) -> None:
        result(protocol, transport)
        protocol.line = lines.begin(protocol)

    def data_received(protocol: Any, data: bytes) -> None:
        if protocol.line is not None:
            protocol.line.came += len(data)
            received(protocol, data)

    kind.connection_made, kind.data_received = connection_made, data_received

    def end() -> None:
        kind.connection_made, kind.data_received = result, received

    return end
