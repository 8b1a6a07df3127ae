"""One browser's event stream: everything that is said in a class from the moment it came, or came back.

There is no queue: the class's log is the queue, and a stream only knows up to where it has told it. A reader
who takes nothing holds a place in the log, one piece of what is to be told and what the socket holds, however
much is said meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Final

from tokensteps.classroom.codes import Person
from tokensteps.classroom.events import People, event, event_parts, events, people_of, state_for
from tokensteps.classroom.hub import Hub, OpenClass
from tokensteps.classroom.summary import round_summary
from tokensteps.limits import PING_SECONDS, STREAM_PIECE, STREAM_TURN, STREAMS_EACH, TALLY_SECONDS

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

HEADERS: Final = (
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # nginx, and others that know it, pass on every event at once
)
AGAIN: Final = b"retry: 1000\n\n"
"""How soon a browser comes back, in milliseconds."""
PING: Final = event("ping", {})
"""What a browser hears while nothing happens, so that it knows of a connection that is lost."""
NOBODY: Final = People(0, 0)


class EventStream:
    """An ASGI application that answers one request, until the browser leaves."""

    def __init__(self, hub: Hub, kept: OpenClass, person: Person, after: int | None) -> None:
        """`after` is the last event that the browser has, None for none."""
        self._hub, self._kept, self._person, self._after = hub, kept, person, after
        self._people: People | None = None
        self.bell = asyncio.Event()
        self.over = False

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Tell what happens, until the browser leaves or the class ends."""
        self._arrive()
        reader = asyncio.ensure_future(_left(receive))
        writer = asyncio.ensure_future(self._tell(send))
        try:
            await asyncio.wait((reader, writer), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._leave()
            for task in (reader, writer):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, OSError):  # the browser has gone
                    await task

    def _arrive(self) -> None:
        streams = self._kept.streams.setdefault(self._person.number, [])
        streams.append(self)
        for stream in streams[:-STREAMS_EACH]:
            stream.over = True
            stream.bell.set()

    def _leave(self) -> None:
        streams = self._kept.streams.get(self._person.number, [])
        if self in streams:
            streams.remove(self)
        if not streams:
            self._kept.streams.pop(self._person.number, None)

    async def _tell(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [*HEADERS]})
        first: tuple[bytes, ...] = (AGAIN,)
        while self._hub.keeps(self._kept) and not self.over:
            self.bell.clear()
            ended = self._kept.room.ended
            await self._send(send, chain(first, self._news()))
            if ended:
                break
            first = ()
            try:
                async with asyncio.timeout(PING_SECONDS):
                    await self.bell.wait()
            except TimeoutError:
                first = (PING,)
            if self._person.lecturer:  # what comes within a moment is counted together
                await asyncio.sleep(TALLY_SECONDS)
        await send({"type": "http.response.body", "body": b""})

    async def _send(self, send: Send, parts: Iterator[bytes]) -> None:
        """Send in pieces what is made as they are sent: a reader who takes nothing holds one, and others have
        their turn between them."""
        piece, since = bytearray(), time.monotonic()
        for part in parts:
            piece += part
            late = time.monotonic() - since > STREAM_TURN
            while len(piece) >= STREAM_PIECE or (late and piece):
                await send(
                    {"type": "http.response.body", "body": bytes(piece[:STREAM_PIECE]), "more_body": True}
                )
                del piece[:STREAM_PIECE]
                await asyncio.sleep(0)
                since = time.monotonic()
        if piece:
            await send({"type": "http.response.body", "body": bytes(piece), "more_body": True})

    def _news(self) -> Iterator[bytes]:
        """What is to be sent now, up to the log's present end."""
        room, person, now = self._kept.room, self._person, self._hub.clock()
        people = self._kept.people() if person.lecturer else NOBODY
        before, told_people, self._after, self._people = self._after, self._people, room.known, people
        if before is None or not room.notes[person.lecturer].forgotten <= before <= room.known:
            rounds = map(round_summary, [*room.rounds.values()]) if person.lecturer else ()
            return event_parts("state", state_for(room, person, people, now, rounds), room.known)
        text = events(room, before, person, people, now)
        if person.lecturer and people != told_people:
            return chain(text, (event("people", people_of(room, people)),))
        return text


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
