"""Clients that keep a connection waiting are cut off, merely slow ones are not: uvicorn itself, real sockets,
a clock set by hand.

Source: the slow attacks on HTTP (a head, a body, a reader that never ends); RFC 9112, 9.5, which lets a
server end connections after a time limit.
"""

from __future__ import annotations

import asyncio
import importlib.util
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
import uvicorn

from tests.loops import reached, settled
from tokensteps.limits import BODY_PACE, HEAD_PATIENCE, READER_PATIENCE, UPLOAD_PATIENCE
from tokensteps.server.entrance import patience as module
from tokensteps.server.entrance.patience import Lines, limited_patience

LONG = 600_000
UPGRADE = b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answers with the length of the body; with much, with nothing for a long time, with a refusal before
    reading."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        while scope["path"] == "/long":
            await send({"type": "websocket.send", "bytes": bytes(LONG // 50)})
        await asyncio.Event().wait()
    path, body = scope["path"], b""
    while path == "/echo":
        message = await receive()
        body += message.get("body", b"")
        if message["type"] == "http.disconnect" or not message["more_body"]:
            break
    await send({"type": "http.response.start", "status": 403 if path == "/refused" else 200, "headers": []})
    if path == "/quiet":
        await send({"type": "http.response.body", "body": b"here", "more_body": True})
        await asyncio.Event().wait()
    for _ in range(50 if path == "/long" else 0):
        await send({"type": "http.response.body", "body": bytes(LONG // 50), "more_body": True})
    await send({"type": "http.response.body", "body": b"%d" % len(body)})


class Browser:
    """A connection."""

    def __init__(self, line: socket.socket) -> None:
        self.line = line

    async def send(self, data: bytes) -> None:
        with suppress(ConnectionError):
            await asyncio.get_running_loop().sock_sendall(self.line, data)
        await settled()

    async def take(self, most: int) -> bytes:
        """The next bytes; b"" at the end."""
        try:
            async with asyncio.timeout(60):
                return await asyncio.get_running_loop().sock_recv(self.line, most)
        except ConnectionError:
            return b""

    async def ends(self) -> None:
        """Take all bytes, until the server has ended the connection."""
        while await self.take(1 << 20):
            pass

    async def served(self) -> bool:
        """Whether a request is answered."""
        await self.send(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        return (await self.take(1000)).startswith(b"HTTP/1.1 200")


Come = Callable[..., Coroutine[Any, Any, Browser]]


@asynccontextmanager
async def serving(http: str) -> AsyncIterator[tuple[Lines, Come]]:
    """uvicorn with the app; its records of connections, and the way to connect."""
    listening = socket.create_server(("127.0.0.1", 0))
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8192)
    config = uvicorn.Config(app, http=http, ws="websockets-sansio", log_level="critical", lifespan="off")  # type: ignore[arg-type]
    server = uvicorn.Server(config)
    lines: list[socket.socket] = []

    async def come(source: str = "127.0.0.2", data: bytes = b"") -> Browser:
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        line.setblocking(False)
        line.bind((source, 0))
        lines.append(line)
        await asyncio.get_running_loop().sock_connect(line, listening.getsockname())
        browser = Browser(line)
        await browser.send(data)
        return browser

    async with limited_patience() as watched:
        running = asyncio.create_task(server.serve([listening]))
        await reached(lambda: server.started)
        yield watched, come
        for line in lines:
            line.close()
        server.should_exit = server.force_exit = True
        await running


@pytest.fixture(params=["h11", "httptools"])
def http(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if importlib.util.find_spec(request.param) is None:
        pytest.skip(f"{request.param} isn't installed")
    monkeypatch.setattr(module, "LOOK_SECONDS", 3600.0)
    return str(request.param)


@pytest.mark.parametrize(
    "sent",
    [
        b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: a\r\nX: ", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n|GET /ag",
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n" + UPGRADE + b"\r\n{}",
    ],
)  # fmt: skip
async def test_a_head_that_never_ends(http: str, sent: bytes) -> None:
    async with serving(http) as (lines, come):
        slow = await come()
        for part in sent.split(b"|"):
            await slow.send(part)
        for now in range(0, int(HEAD_PATIENCE) + 1, 2):
            lines.look(float(now))
            await slow.send(b"x" if b"\r\nX: " in sent else b"")
        assert len(lines.open) == 1
        lines.look(HEAD_PATIENCE + 1)
        await slow.ends()
        assert not lines.open


@pytest.mark.parametrize(
    ("path", "piece"), [("/echo", b""), ("/echo", b"x"), ("/refused", b""), ("/refused", b"x")]
)
async def test_a_body_that_never_ends(http: str, path: str, piece: bytes) -> None:
    """No body, or a letter now and then; read, or refused before it has come."""
    async with serving(http) as (lines, come):
        slow = await come(
            data=f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: 40000000\r\n\r\nabc".encode()
        )
        now = 0.0
        while now <= UPLOAD_PATIENCE:
            lines.look(now)
            await slow.send(piece)
            now += 5
        assert len(lines.open) == 1
        lines.look(now)
        await slow.ends()


@pytest.mark.slow
async def test_a_slow_body_may_take_long(http: str) -> None:
    async with serving(http) as (lines, come):
        many, piece = 5, 15 * BODY_PACE
        slow = await come(
            data=f"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: {many * piece}\r\n\r\n".encode()
        )
        for turn in range(many):
            lines.look(15.0 * turn)
            await slow.send(bytes(piece))
        answer = await slow.take(1000)
        assert answer.startswith(b"HTTP/1.1 200") and str(many * piece).encode() in answer + await slow.take(
            100
        )


@pytest.mark.parametrize("head", [b"\r\n", UPGRADE + b"\r\n"])
async def test_a_client_that_reads_nothing(http: str, head: bytes) -> None:
    async with serving(http) as (lines, come):
        slow = await come(data=b"GET /long HTTP/1.1\r\nHost: a\r\n" + head)
        (line,) = lines.open
        assert line.transport.get_write_buffer_size() > 0
        lines.look(0.0)
        lines.look(READER_PATIENCE)
        assert len(lines.open) == 1
        lines.look(READER_PATIENCE + 1)
        assert not lines.open
        taken = 0
        while piece := await slow.take(1 << 20):
            taken += len(piece)
        assert taken < LONG


async def test_a_slow_reader_gets_all_of_it(http: str) -> None:
    async with serving(http) as (lines, come):
        slow = await come(data=b"GET /long HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        taken, now = 0, 0.0
        while piece := await slow.take(100_000):
            taken, now = taken + len(piece), now + len(piece) / 1000
            await settled()
            lines.look(now)
        assert taken > LONG
        assert now > 2 * READER_PATIENCE


async def test_the_servers_own_delay_counts_against_no_client(http: str) -> None:
    """A silent stream, a session, a connection kept for the next request."""
    async with serving(http) as (lines, come):
        request = b"HTTP/1.1\r\nHost: a\r\n"
        there = [
            await come(data=b"GET /quiet " + request + b"\r\n"),
            await come(data=b"GET / " + request + UPGRADE + b"\r\n"),
            await come(data=b"GET / " + request + b"\r\n"),
        ]
        for now in (0.0, 1000.0, 2000.0):
            lines.look(now)
        assert len(lines.open) == 3
        assert (await there[0].take(1000)).startswith(b"HTTP/1.1 200")
        assert (await there[1].take(1000)).startswith(b"HTTP/1.1 101")
        await there[2].send(b"GET / " + request + b"\r\n")
        assert (await there[2].take(1000)).count(b"HTTP/1.1 200") >= 1


async def test_an_address_has_so_many_connections(http: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CONNECTIONS_OPEN", 5)
    async with serving(http) as (lines, come):
        there = [await come() for _ in range(5)]
        await (await come()).ends()
        assert await (await come("127.0.0.3")).served(), "others come in"
        proxied = [await come("127.0.0.1") for _ in range(7)]
        assert all([await one.served() for one in proxied]), "a proxy counts its visitors itself"
        there[0].line.close()
        await reached(lambda: any(line.over() for line in lines.open))
        lines.look(0.0)
        assert await (await come()).served()
        await (await come()).ends()
        assert all([await one.served() for one in there[1:]])
