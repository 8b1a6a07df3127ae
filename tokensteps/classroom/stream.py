"""One browser's event stream: everything that is said in a class from the moment it came, or came back.

There is no queue: the class's log is the queue, and a stream only knows up to where it has told it. A reader who takes nothing
holds a place in the log and what the socket holds, however much is said meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Final

from tokensteps.classroom.codes import Person
from tokensteps.classroom.events import People, event, events, people_of, state_for
from tokensteps.classroom.hub import Hub, OpenClass
from tokensteps.classroom.summary import round_summary
from tokensteps.limits import PING_SECONDS, STREAMS_EACH, TALLY_SECONDS

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
        self.over = False
        """Set to end it: the same device has opened too many."""

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
            self._kept.ring(students=True)

    def _leave(self) -> None:
        streams = self._kept.streams.get(self._person.number, [])
        if self in streams:
            streams.remove(self)
        if not streams:
            self._kept.streams.pop(self._person.number, None)

    async def _tell(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [*HEADERS]})
        data = AGAIN
        while self._hub.keeps(self._kept) and not self.over:
            changed = self._kept.bells[self._person.lecturer]
            data += self._news()
            if data:
                await send({"type": "http.response.body", "body": data, "more_body": True})
            if self._kept.room.ended:
                break
            data = b""
            try:
                async with asyncio.timeout(PING_SECONDS):
                    await changed.wait()
            except TimeoutError:
                data = PING
            if self._person.lecturer:  # what comes within a moment is counted together
                await asyncio.sleep(TALLY_SECONDS)
        await send({"type": "http.response.body", "body": b""})

    def _news(self) -> bytes:
        """What is to be sent now."""
        room, person, now = self._kept.room, self._person, self._hub.clock()
        people = self._kept.people() if person.lecturer else NOBODY
        if self._after is None or not room.notes[person.lecturer].forgotten <= self._after <= room.known:
            rounds = map(round_summary, room.rounds.values()) if person.lecturer else ()
            told = event("state", state_for(room, person, people, now, rounds), room.known)
        else:
            told = b"".join(events(room, self._after, person, people, now))
            if person.lecturer and people != self._people:
                told += event("people", people_of(room, people))
        self._after, self._people = room.known, people
        return told


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
