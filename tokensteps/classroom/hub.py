"""The classes in this server's memory: it writes its own entries, reads other servers' entries, and wakes
listeners."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, Protocol, TypeVar

from tokensteps.classroom.codes import new_code
from tokensteps.classroom.events import People
from tokensteps.classroom.questions import RequestRefused
from tokensteps.classroom.room import Outcome, Room, Said, as_line
from tokensteps.classroom.store import FileStore, Store, StoreError
from tokensteps.limits import (
    CLASS_IDLE_SECONDS,
    CLASS_LINE,
    CLASS_POLL,
    CLASS_SECONDS,
    PRESENCE_LOST,
    PRESENCE_SECONDS,
    SUMMARY_RATE,
)
from tokensteps.server.entrance.rates import Bucket
from tokensteps.server.process_singleton import process_singleton
from tokensteps.server.stores import shared_folder

Result = TypeVar("Result")
REDIS_VARIABLE: Final = "TOKENSTEPS_REDIS"
"""The environment variable with a Redis or Valkey for classes: `redis://host:6379/0`."""
WOKEN: Final = 50
"""Streams woken at once: sending to them all takes some ten milliseconds."""
TRIES: Final = 5
"""Attempts at a free code for a new class: one in half a million is taken."""


def shared_store() -> Store:
    """The store shared with other servers. Raises StoreError."""
    address = os.environ.get(REDIS_VARIABLE, "")
    if not address:
        return FileStore(shared_folder("classes") / "classes.sqlite")
    from tokensteps.classroom.redis_store import RedisStore  # an extra: imported on demand

    return RedisStore(address)


async def once_at_a_time(
    under_way: dict[str, asyncio.Task[Result]], name: str, make: Callable[[], Coroutine[Any, Any, Result]]
) -> Result:
    """The result of a task already under way for this name, or else of a new one; it goes on for the others
    if one leaves."""
    task = under_way.get(name)
    if task is None:
        task = under_way[name] = asyncio.ensure_future(make())

        def finish(done: asyncio.Task[Result]) -> None:
            under_way.pop(name)
            if not done.cancelled():
                done.exception()  # those waiting get the error; nobody may be waiting

        task.add_done_callback(finish)
    return await asyncio.shield(task)


class Listener(Protocol):
    """An open stream."""

    bell: asyncio.Event
    """Set when there is something new for it."""
    over: bool
    """Set to end it."""
    people: People | None
    """The numbers that it sent last."""


@dataclass
class OpenClass:
    """A class with its listeners here."""

    room: Room
    used: float
    """The time of the last request."""
    refused: dict[int, Outcome] = field(default_factory=dict)
    """Written entries without effect, because another server's came before them."""
    streams: dict[int, list[Listener]] = field(default_factory=dict)
    """A device's number, 0 for the lecturer → its open streams at this server, the oldest first."""
    ringing: dict[Listener, None] = field(default_factory=dict)
    """Streams about to be woken, in their order."""
    buckets: dict[int, Bucket] = field(default_factory=dict)
    """The recent requests of each device."""
    summaries: Bucket = field(default_factory=lambda: Bucket(SUMMARY_RATE))
    """The recent requests for summaries."""
    telling: dict[str, asyncio.Task[bytes]] = field(default_factory=dict)
    """Kind → the summary in the making."""
    everywhere: frozenset[int] = frozenset()
    """The devices listening at any server, by the servers' notes."""
    noted: tuple[float, frozenset[int]] = (0.0, frozenset())
    """The time of this server's last note, and the listening devices in it."""

    def people(self) -> People:
        """The number of people present, and of those following."""
        devices = self.room.devices
        there = (self.everywhere | self.streams.keys()) & devices.keys()
        return People(len(there), sum(devices[number].follows for number in there))

    def apply_entries(self, lines: Sequence[str]) -> None:
        """Take in the log's next lines."""
        before = self.room.known
        for line in lines:
            outcome = self.room.apply(line, _read_entry(line))
            if outcome is not None:
                self.refused[self.room.known] = outcome
        self.wake_streams(students=bool(self.room.notes[False].after(before)))

    def wake_streams(self, students: bool) -> None:
        """Wake the lecturer for every entry, and the students only for events of theirs: most entries are
        their answers, and waking hundreds for each would take as long as sending them something."""
        listening = self.streams.values() if students else (self.streams.get(0, ()),)
        if not self.ringing and any(listening):
            asyncio.get_running_loop().call_soon(self._ring_on)
        self.ringing.update(dict.fromkeys(stream for streams in listening for stream in streams))

    def _ring_on(self) -> None:
        """Wake some streams, and the others after these, and all other tasks, had their turn."""
        for stream in [*islice(self.ringing, WOKEN)]:
            del self.ringing[stream]
            stream.bell.set()
        if self.ringing:
            asyncio.get_running_loop().call_soon(self._ring_on)


class Hub:
    """All classes of this server. Used in the event loop; the store has a thread of its own, so that a slow
    disk holds up nobody."""

    def __init__(
        self, store: Callable[[], Store] = shared_store, clock: Callable[[], float] = time.time
    ) -> None:
        self.clock = clock
        self.closing = False
        self._make = store
        self._store: Store | None = None
        self._thread = ThreadPoolExecutor(1, "classes")
        self._apart = ThreadPoolExecutor(1, "classes apart")
        """For long work without the store: one task at a time, so that the event loop shares the processor
        with no more."""
        self._coming: dict[str, asyncio.Task[OpenClass]] = {}
        """Classes being read from the store."""
        self._classes: dict[str, OpenClass] = {}
        self._server = secrets.token_hex(4)
        self._polling: asyncio.Task[None] | None = None

    # --- Requests -------------------------------------------------------------------------------------------

    async def open(self, nicknames: bool) -> tuple[str, str]:
        """Open a class; returns its code, and an id that distinguishes it from later classes with the same
        code. Raises RequestRefused."""
        now, born = self.clock(), secrets.token_hex(4)
        line = as_line({"do": "open", "at": round(now, 2), "born": born, "nicknames": nicknames})
        for _ in range(TRIES):
            code = new_code()
            if await self._in_thread(lambda store, code=code: store.create(code, line, now)):  # type: ignore[misc]
                with suppress(RequestRefused):  # it is open, though not yet in memory
                    await self.get(code)
                return code, born
        raise RequestRefused(
            "full", "There are as many classes as this server has room for. Try again later."
        )

    def knows(self, code: str) -> bool:
        """Whether a class is in memory here, or on its way."""
        return code in self._classes or code in self._coming

    async def get(self, code: str) -> OpenClass:
        """A class. Raises RequestRefused if there is none."""
        now = self.clock()
        open_class = self._classes.get(code)
        if open_class is None:
            open_class = await once_at_a_time(self._coming, code, lambda: self._come(code))
        self._poll()
        if self._over(open_class, now):
            raise RequestRefused("gone", "This class was yesterday.")
        open_class.used = now
        return open_class

    async def _come(self, code: str) -> OpenClass:
        """A class from its log, of up to a hundred thousand entries. Raises RequestRefused."""
        lines = await self._in_thread(lambda store: store.read(code, 0))
        if not lines:
            raise RequestRefused("gone", "There is no such class. It may be over.")
        open_class = OpenClass(Room(code), self.clock())
        await self.apart(lambda: open_class.apply_entries(lines))
        self._classes[code] = open_class
        return open_class

    async def apart(self, work: Callable[[], Result]) -> Result:
        """Have work done while the event loop goes on. It must not look at a class that may change
        meanwhile."""
        return await asyncio.get_running_loop().run_in_executor(self._apart, work)

    async def add(self, open_class: OpenClass, entry: Said) -> int:
        """Add an entry; returns the number of its new device or round. Entries without effect aren't written.

        Raises RequestRefused.
        """
        room = open_class.room
        verdict = room.verdict(entry)
        if verdict is not None:  # another server may know more
            await self.read_news()
            verdict = room.verdict(entry)
        if verdict is None:
            line, known, now = as_line(entry), room.known, self.clock()
            if len(line) > CLASS_LINE:
                raise RequestRefused(
                    "large", f"An entry has at most {CLASS_LINE} bytes as it is written down."
                )
            lines = await self._in_thread(lambda store: store.add(room.code, line, known, now))
            if not lines:
                self._forget(room.code)
                raise RequestRefused("gone", "This class is over.")
            number = known + len(lines)
            open_class.apply_entries(lines[room.known - known :])
            verdict = open_class.refused.get(number)
            if verdict is None:
                return room.created.get(number, 0)
        if verdict == "same":
            return 0
        raise RequestRefused(verdict)

    def close(self) -> None:
        """End all streams: the server is about to end, and waits for them."""
        self.closing = True
        for open_class in self._classes.values():
            open_class.wake_streams(students=True)

    # --- In the background ----------------------------------------------------------------------------------

    def _poll(self) -> None:
        if self._polling is None or self._polling.done():
            self._polling = asyncio.get_running_loop().create_task(self._keep())

    async def _keep(self) -> None:
        """While there are classes here: read other servers' entries, count the people, forget unused
        classes."""
        counted = 0.0
        while self._classes and not self.closing:
            await asyncio.sleep(CLASS_POLL)
            try:
                await self.read_news()
                if abs(self.clock() - counted) >= PRESENCE_SECONDS:  # a clock may be set back
                    counted = self.clock()
                    for open_class in [*self._classes.values()]:
                        await self._count(open_class)
            except (RequestRefused, RuntimeError) as error:  # the store will be back, or the server is ending
                logging.getLogger(__name__).warning("Classes: %s", error)
                await asyncio.sleep(1)

    async def read_news(self) -> None:
        """Read other servers' entries; a class lost by the store is over, for everybody at every server."""
        known = {code: open_class.room.known for code, open_class in self._classes.items()}
        for code, lines in (await self._in_thread(lambda store: store.news(known))).items():
            open_class = self._classes.get(code)
            if lines is None:
                self._forget(code)
            elif open_class is not None:
                open_class.apply_entries(lines[open_class.room.known - known[code] :])

    async def _count(self, open_class: OpenClass) -> None:
        """Note this server's listeners after a change, or a long time, and read those elsewhere; wake the
        lecturer if they are others than the lecturer was told of."""
        now, code = self.clock(), open_class.room.code
        if not open_class.streams and now - open_class.used > CLASS_IDLE_SECONDS:
            self._forget(code)
        if self._over(open_class, now) or not self.keeps(open_class):
            return
        here = frozenset(number for number in open_class.streams if number)
        since, named = open_class.noted
        if here != named or (here and abs(now - since) > PRESENCE_LOST / 3):
            open_class.noted = now, here
            who = json.dumps(sorted(here))
            await self._in_thread(lambda store: store.here(code, self._server, who, now))
        if 0 in open_class.streams:
            result = await self._in_thread(lambda store: store.everywhere(code, now - PRESENCE_LOST))
            open_class.everywhere = frozenset(number for who in result for number in _numbers(who))
            people = open_class.people()
            if any(stream.people != people for stream in open_class.streams.get(0, ())):
                open_class.wake_streams(students=False)

    def _over(self, open_class: OpenClass, now: float) -> bool:
        """Whether a class's day is over; then it is forgotten here, and in the store with the next new
        class."""
        over = now - open_class.room.opened > CLASS_SECONDS
        if over:
            self._forget(open_class.room.code)
        return over

    def _forget(self, code: str) -> None:
        open_class = self._classes.pop(code, None)
        if open_class is not None:
            open_class.wake_streams(students=True)

    def keeps(self, open_class: OpenClass) -> bool:
        """Whether a class is still here, and open to listeners."""
        return not self.closing and self._classes.get(open_class.room.code) is open_class

    async def _in_thread(self, ask: Callable[[Store], Result]) -> Result:
        def answer() -> Result:
            if self._store is None:
                self._store = self._make()
            return ask(self._store)

        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, answer)
        except StoreError as error:
            logging.getLogger(__name__).warning("Classes: %s", error)
            raise RequestRefused("store", "The class can't be written down just now. Try again.") from error


def _read_entry(line: str) -> dict[str, Any]:
    """An entry from a line of the log; one without effect for a line in another form.

    >>> _read_entry('{"do": "end"}'), _read_entry("[1]"), _read_entry("Hello?")
    ({'do': 'end'}, {'do': ''}, {'do': ''})
    """
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        entry = None
    return entry if isinstance(entry, dict) and "do" in entry else {"do": ""}


def _numbers(who: str) -> list[int]:
    """The devices in a server's note in the store; none for a note in another form.

    >>> _numbers("[1, 2]"), _numbers('["one", {}]'), _numbers("1"), _numbers("?")
    ([1, 2], [], [], [])
    """
    try:
        numbers = json.loads(who)
    except (ValueError, RecursionError):
        return []
    return [one for one in numbers if isinstance(one, int)] if isinstance(numbers, list) else []


@process_singleton
def hub() -> Hub:
    """The hub of this server."""
    return Hub()
