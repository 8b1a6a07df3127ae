"""One browser's event stream: all events of a class from its arrival, or from its last known event.

There is no queue: the class's log is the queue, and a stream only knows its position there. A reader who
takes nothing holds a position in the log, one piece of unsent events and the socket's buffer, however many
events follow.
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
    (b"x-accel-buffering", b"no"),  # nginx, and other proxies with this header, pass on every event at once
)
AGAIN: Final = b"retry: 1000\n\n"
"""A browser's pause before it comes back, in milliseconds."""
PING: Final = event("ping", {})
"""A quiet stream's sign of life: without it, a browser knows that the connection is lost."""
NOBODY: Final = People(0, 0)


class EventStream:
    """An ASGI application for one request, until the browser leaves."""

    def __init__(self, hub: Hub, open_class: OpenClass, person: Person, after: int | None) -> None:
        """`after` is the browser's last event, None for none."""
        self._hub, self._open_class, self._person, self._after = hub, open_class, person, after
        self.people: People | None = None
        self.bell = asyncio.Event()
        self.over = False

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Send events, until the browser leaves or the class ends."""
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
        streams = self._open_class.streams.setdefault(self._person.number, [])
        streams.append(self)
        for stream in streams[:-STREAMS_EACH]:
            stream.over = True
            stream.bell.set()

    def _leave(self) -> None:
        streams = self._open_class.streams.get(self._person.number, [])
        if self in streams:
            streams.remove(self)
        if not streams:
            self._open_class.streams.pop(self._person.number, None)

    async def _tell(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [*HEADERS]})
        first: tuple[bytes, ...] = (AGAIN,)
        while self._hub.keeps(self._open_class) and not self.over:
            self.bell.clear()
            ended = self._open_class.room.ended
            await self._send(send, chain(first, self._news()))
            if ended:
                break
            first = ()
            try:
                async with asyncio.timeout(PING_SECONDS):
                    await self.bell.wait()
            except TimeoutError:
                first = (PING,)
            if self._person.lecturer:  # answers within a moment are counted together
                await asyncio.sleep(TALLY_SECONDS)
        await send({"type": "http.response.body", "body": b""})

    async def _send(self, send: Send, parts: Iterator[bytes]) -> None:
        """Send parts in pieces, and make them on the way: a reader who takes nothing holds one piece, and
        others have their turn between them."""
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
        """The events to send now, up to the log's present end."""
        room, person, now = self._open_class.room, self._person, self._hub.clock()
        people = self._open_class.people() if person.lecturer else NOBODY
        before, sent_people, self._after, self.people = self._after, self.people, room.known, people
        if before is None or not room.notes[person.lecturer].forgotten <= before <= room.known:
            rounds = map(round_summary, [*room.rounds.values()]) if person.lecturer else ()
            return event_parts("state", state_for(room, person, people, now, rounds), room.known)
        text = events(room, before, person, people, now)
        if person.lecturer and people != sent_people:
            return chain(text, (event("people", people_of(room, people)),))
        return text


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
