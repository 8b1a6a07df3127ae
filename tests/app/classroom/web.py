"""Requests to the routes of classes through the real guard, without a socket; and servers with these routes
and nothing else."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from contextvars import ContextVar
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from starlette.applications import Starlette

from benchmarks.ports import free_port
from tests.loops import reached, responses
from tests.waiting import Clock, until
from tokensteps.classroom import routes, stream
from tokensteps.classroom.hub import Hub
from tokensteps.classroom.store import FileStore, Store
from tokensteps.limits import CLASS_RATES
from tokensteps.server.entrance.rates import Addresses
from tokensteps.server.startup import MIDDLEWARE

ROOT = Path(__file__).parents[3]
QUESTION = {
    "kind": "pair", "say": {"en": "Which pair is merged next?"}, "input": "choices", "key": ["a"],
    "choices": [{"id": "a", "tokens": ["e", "r"]}, {"id": "b", "text": "none"}],
}  # fmt: skip


SERVER: ContextVar[Hub] = ContextVar("server")
"""The server: a test may have several."""


class Answer:
    """The response."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        self.status = messages[0]["status"]
        self.headers = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
        self.body = b"".join(message.get("body", b"") for message in messages[1:])

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        return str(self.json["error"])


class Ear:
    """An open event stream. `slow` takes nothing after so many events until it is set to go on."""

    def __init__(self, taken: int | None = None) -> None:
        self.raw: list[bytes] = []
        self.messages: list[dict[str, Any]] = []
        self.gone, self.goes = asyncio.Event(), asyncio.Event()
        self.taken = taken

    async def receive(self) -> Any:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.body":
            self.raw.append(message.get("body", b""))
            if self.taken is not None and len(self.raw) >= self.taken:
                await self.goes.wait()
        self.messages.append(message)

    @property
    def events(self) -> list[tuple[str, Any, int | None]]:
        """Name, data and id of each event."""
        results = []
        for block in b"".join(self.raw).decode("ascii").split("\n\n")[:-1]:  # the last one isn't whole yet
            fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
            if "event" in fields:
                number = fields.get("id")
                results.append((fields["event"], json.loads(fields["data"]), number and int(number)))
        return results

    def named(self, name: str) -> list[Any]:
        return [data for event, data, _id in self.events if event == name]

    async def hears(self, name: str, many: int = 1) -> Any:
        """The last event of this name, once there are so many."""
        await reached(lambda: len(self.named(name)) >= many)
        return self.named(name)[-1]


class Web:
    """Browsers at the guarded routes of one server."""

    def __init__(self, hub: Hub, store: Store | None = None) -> None:
        self.hub, self.store = hub, store
        self.app = Starlette(routes=routes.ROUTES, middleware=[*MIDDLEWARE])
        self.tasks: list[asyncio.Task[None]] = []

    async def ask(self, method: str, path: str, data: bytes = b"", query: str = "", **headers: Any) -> Answer:
        """One request."""
        SERVER.set(self.hub)
        return Answer(await responses(self.app, self.scope(method, path, query, **headers), data))

    def scope(self, method: str, path: str, query: str, address: str = "192.0.2.9", **headers: str) -> Any:
        values = {name.replace("_", "-"): value for name, value in headers.items()}
        named = {"host": "localhost:8501", "content-type": "application/json", **values}
        return {
            "type": "http", "method": method, "path": f"/class/api/{path}", "query_string": query.encode(), "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in named.items()],
            "client": (address, 1234), "server": ("localhost", 8501), "scheme": "http", "http_version": "1.1",
        }  # fmt: skip

    async def post(self, path: str, address: str = "192.0.2.9", **body: Any) -> Answer:
        return await self.ask("POST", path, json.dumps(body).encode(), address=address)

    async def get(self, path: str, **query: str) -> Answer:
        return await self.ask("GET", path, query=urlencode(query))

    def listen(self, code: str, credential: str, ear: Ear | None = None, after: int | None = None) -> Ear:
        """Open a stream, as a browser comes back: with the last event's id."""
        SERVER.set(self.hub)
        ear = ear or Ear()
        again = {} if after is None else {"last_event_id": str(after)}
        scope = self.scope("GET", f"{code}/events", urlencode({"as": credential}), **again)
        self.tasks.append(asyncio.ensure_future(self.app(scope, ear.receive, ear.send)))
        return ear

    async def open(self, **body: Any) -> tuple[str, str]:
        """A new class: its code, its key."""
        lines = (await self.post("open", **body)).json
        return lines["code"], lines["key"]

    async def join(self, code: str, **body: Any) -> str:
        """A joined device."""
        return str((await self.post(f"{code}/join", **body)).json["device"])

    async def close(self) -> None:
        self.hub.close()
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


def attend(
    patch: pytest.MonkeyPatch, folder: Path, clock: Callable[[], float] = time.time
) -> Callable[[], Web]:
    """A test's way to a server of its own, with a store of its own and new visitors. No time passes for rates
    and streams, however long a test takes."""
    for module in (routes, stream):
        patch.setattr(module, "time", Clock())
    patch.setattr(stream, "PING_SECONDS", 3600.0)

    def make() -> Web:
        store = FileStore(folder / "classes.sqlite")
        patch.setattr(routes, "hub", SERVER.get)
        addresses = Addresses(CLASS_RATES)
        patch.setattr(routes, "known_addresses", lambda: addresses)
        return Web(Hub(lambda: store, clock), store)

    return make


def bare() -> Starlette:
    """An application with the routes and the guard alone, for uvicorn: it starts in a second."""
    return Starlette(routes=routes.ROUTES, middleware=[*MIDDLEWARE])


def answers(port: int) -> bool:
    """Whether a bare server is up."""
    with suppress(OSError, HTTPException), closing(HTTPConnection("127.0.0.1", port, timeout=5)) as line:
        line.request("GET", "/")
        return line.getresponse().status > 0
    return False


@contextmanager
def bare_server(port: int = 0, **environment: str) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """A server in a process of its own, at any port or at this one, until the block ends."""
    port = port or free_port()
    command = (
        sys.executable,
        "-m",
        "uvicorn",
        "--factory",
        "tests.app.classroom.web:bare",
        "--port",
        str(port),
    )
    process = subprocess.Popen(
        (*command, "--log-level", "warning", "--no-access-log"), cwd=ROOT, env={**os.environ, **environment}
    )
    try:
        until(lambda: answers(port))
        yield port, process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
