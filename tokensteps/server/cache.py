"""What sessions share: finished runs, running ones, and texts too long for a link.

Training happens in a thread of its own, so that a page can show how far it is and a learner can stop it; a trace never
changes once it is there, so everybody who asks for the same one gets the same one.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import re
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from tokensteps.limits import (
    DRAWING_SECONDS,
    FILES_ROOM,
    FRAMES_ROOM,
    LARGEST_TEXT,
    QUICK,
    REMEMBERED_KEPT,
    TEXTS_ROOM,
    TOKENIZER_LIMIT,
    TOKENIZERS_KEPT,
    TRACES_ROOM,
)
from tokensteps.server.once import once
from tokensteps.server.workers import Progress, Task, Workers, worth_sending

Key = TypeVar("Key")
Value = TypeVar("Value")

VARIABLE: Final = "TOKENSTEPS_STORE"
"""The environment variable that names the folder which the servers of one app share."""
STORE: Final = Path(__file__).resolve().parents[2] / ".kept"
"""The folder without it."""
DRAWING_NICENESS: Final = 2
"""By how much the priority of the process that draws is lower than the server's."""
LEAST_TAKEN: Final = 300_000
"""What the smallest trace takes when it has been looked at, in bytes: its words and pairs at several steps."""
WAITS: Final = 3.0
"""Seconds since a session has asked for a job, after which it has gone."""
GROWTH: Final = 10
"""A trace in memory against the same one pickled: three times as large when it comes, twelve times when all of it was looked at."""


class Job(Generic[Value]):
    """Something that is being built in a thread."""

    def __init__(self, build: Callable[[Progress], Value]) -> None:
        self.progress = Progress()
        self.value: Value | None = None
        self.error: Exception | None = None
        self._asked: dict[str, float] = {}
        """When each session was last seen to wait for it."""
        self._build = build
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.value = self._build(self.progress)
        except Exception as error:
            self.error = error

    def finished(self, wait: float = 0.0) -> bool:
        """Whether it has ended, after waiting for at most `wait` seconds. One that nobody asks this for a while is given up."""
        self.progress.asked = time.monotonic()
        self._thread.join(wait)
        return self.ended

    def shared(self, session: str) -> bool:
        """Whether others than this session wait for it, too."""
        now = self._asked[session] = time.monotonic()
        return any(now - asked < WAITS for other, asked in [*self._asked.items()] if other != session)

    @property
    def ended(self) -> bool:
        """The same, for those who don't wait for it."""
        return not self._thread.is_alive()

    def result(self) -> Value:
        """What was built; raises what the building raised."""
        if self.error is not None:
            raise self.error
        assert self.value is not None  # it ended without an error
        return self.value


class Registry:
    """Finished values, the most recently used ones that there is room for, and the jobs that are making more.

    How much room a value takes, its job's `progress.size` says: bytes, or 1 where values are merely counted.
    """

    def __init__(self, room: int = TRACES_ROOM) -> None:
        self.values: Shelf[str, Any] = Shelf(room)
        self.jobs: dict[str, Job[Any]] = {}
        self.lock = threading.Lock()

    def ask(self, key: str, build: Callable[[Progress], Any], wait: float = QUICK) -> Any | Job[Any]:
        """The value under `key`, or the job that makes it. Raises what a finished job raised."""
        with self.lock:
            self._tidy()
            if (value := self.values.get(key)) is not None:
                return value
            job = self.jobs.get(key)
            if job is None or job.progress.stop:  # given up meanwhile
                job = self.jobs[key] = Job(build)
        if not job.finished(wait):
            return job
        with self.lock:
            self._keep(key, job)
        if job.progress.stop:  # by somebody else: there is no value for those who wait
            return self.ask(key, build, wait)
        return job.result()

    def stop(self, key: str, job: Job[Any]) -> None:
        """End a job before its time. Its value, if it has one, is the asker's alone: the next to ask starts anew."""
        job.progress.stop = True
        with self.lock:
            self._forget(key, job)

    def _tidy(self) -> None:
        """Put away what is there, and errors that nobody has come back for."""
        for key, job in [*self.jobs.items()]:
            if job.ended and (job.error is None or job.progress.over):
                self._keep(key, job)

    def _keep(self, key: str, job: Job[Any]) -> None:
        self._forget(key, job)
        if job.error is None and not job.progress.stop:
            self.values.put(key, job.value, job.progress.size)

    def _forget(self, key: str, job: Job[Any]) -> None:
        if self.jobs.get(key) is job:
            del self.jobs[key]


@once
def registry() -> Registry:
    """The one registry of this server."""
    return Registry()


@once
def tokenizer_registry() -> Registry:
    """That of the tokenizers which are loaded: each may take a hundred times the room of a trace."""
    return Registry(TOKENIZERS_KEPT)


class Shelf(Generic[Key, Value]):
    """Values by key, as many as there is room for: the one that was used longest ago goes first. The newest always stays."""

    def __init__(self, room: int) -> None:
        self.room = room
        self._values: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._taken = 0
        self._lock = threading.Lock()

    def put(self, key: Key, value: Value, size: int) -> None:
        """Keep a value that takes so much room."""
        with self._lock:
            self._drop(key)
            self._values[key] = value, size
            self._taken += size
            while self._taken > self.room and len(self._values) > 1:
                self._drop(next(iter(self._values)))

    def get(self, key: Key) -> Value | None:
        """The value under a key, if it is still here."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def keys(self) -> list[Key]:
        """What is here, the longest unused first."""
        with self._lock:
            return [*self._values]

    def drop(self, key: Key) -> None:
        """Forget the value under a key."""
        with self._lock:
            self._drop(key)

    def _drop(self, key: Key) -> None:
        _value, size = self._values.pop(key, (None, 0))
        self._taken -= size


def touch(path: Path) -> None:
    """Note that a file is in use, finer than the system does by itself. Raises OSError."""
    now = time.time_ns()
    os.utime(path, ns=(now, now))


class TextStore:
    """Texts by digest, in a folder, so that one too long for a link survives a reload, a restart and a change of server.

    The ones that were used longest ago go when there are too many. Several servers may share a folder. Where it can't be
    written, texts stay in memory.
    """

    def __init__(self, folder: Path, room: int, largest: int) -> None:
        self.folder, self.room, self.largest = folder, room, largest
        self._memory: Shelf[str, bytes] = Shelf(room)
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def put(self, data: bytes) -> str:
        """Keep `data`, unless it is larger than the largest; returns the name to get it back by, which can't be guessed without knowing the text."""
        name = digest(data)
        if len(data) > self.largest:
            return name
        try:
            if not self._touch(name):
                self._write(name, data)
        except OSError:
            self._memory.put(name, data, len(data))
        return name

    def get(self, name: str) -> bytes | None:
        """The text called `name`, if it is still here."""
        if not re.fullmatch("[0-9a-f]{32}", name):  # a link says it: it must not lead out of the folder
            return None
        try:
            data = (self.folder / name).read_bytes()
            self._touch(name)
        except OSError:
            return self._memory.get(name)
        return data if digest(data) == name else None

    def used(self, name: str) -> int:
        """When the text called `name` was last used, in nanoseconds; 0 for one that is not here."""
        try:
            return (self.folder / name).stat().st_mtime_ns
        except OSError:
            return 0

    def drop(self, name: str, used: int) -> None:
        """Forget the text called `name`, unless somebody has used it after that time."""
        if self.used(name) <= used:
            self._memory.drop(name)
            with contextlib.suppress(OSError):
                (self.folder / name).unlink()

    def _touch(self, name: str) -> bool:
        """Note that a text is in use; whether it is here."""
        try:
            touch(self.folder / name)
        except FileNotFoundError:
            return False
        return True

    def _write(self, name: str, data: bytes) -> None:
        """Write a text at one stroke, so that nobody reads half of it, after making room."""
        self._make_room(len(data))
        handle, written = tempfile.mkstemp(dir=self.folder, prefix="new-")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(written, self.folder / name)
        self._touch(name)

    def _make_room(self, size: int) -> None:
        files = []
        for entry in os.scandir(self.folder):
            with contextlib.suppress(OSError):  # another server may have removed it
                facts = entry.stat()
                files.append((facts.st_mtime, facts.st_size, entry.path))
        taken = size + sum(length for _time, length, _path in files)
        for _time, length, path in sorted(files):
            if taken <= self.room:
                return
            with contextlib.suppress(OSError):
                os.unlink(path)
            taken -= length


def shared_folder(name: str) -> Path:
    """A folder that all servers of this app have."""
    return Path(os.environ.get(VARIABLE) or STORE) / name


@once
def text_store() -> TextStore:
    """The texts that were too long for a link."""
    return TextStore(shared_folder("texts"), TEXTS_ROOM, LARGEST_TEXT)


@once
def file_store() -> TextStore:
    """The files that tokenizers are loaded from."""
    return TextStore(shared_folder("files"), FILES_ROOM, TOKENIZER_LIMIT)


@once
def workers() -> Workers:
    """The processes of this server that train."""
    return Workers()


@once
def drawers() -> Workers:
    """The one that draws: a page waits for it, so nothing that takes seconds goes there."""
    return Workers(1, DRAWING_NICENESS, "tokensteps.server.steps", DRAWING_SECONDS)


@once
def _pickles() -> Shelf[str, bytes]:
    return Shelf(TRACES_ROOM // GROWTH)


def train(name: str, task: Task, progress: Progress) -> Any:
    """The trace of a task: a small one is trained at once, a larger one in a process of its own. It stays pickled, too, under a name."""
    if worth_sending(task):
        data = workers().run(task, progress)
        trace = pickle.loads(data)
    else:
        trace = task(progress)
        data = pickle.dumps(trace)
    if not progress.stop:  # what was stopped is not the run
        _pickles().put(name, data, len(data))
    progress.size = LEAST_TAKEN + GROWTH * len(data)
    return trace


def pickled(name: str) -> bytes | None:
    """A trace as it was when it had just been trained, if it is still here: for another process."""
    return _pickles().get(name)


class Made:
    """A shelf of values that are made when they are first asked for: once for all sessions."""

    def __init__(self, room: int) -> None:
        self.shelf: Shelf[tuple[Any, ...], Any] = Shelf(room)
        self._at_work: dict[tuple[Any, ...], threading.RLock] = {}
        self._lock = threading.Lock()

    def get(self, key: tuple[Any, ...], make: Callable[[], Value], size: Callable[[Value], int]) -> Value:
        """The value under `key`; if it isn't here, what `make` makes, kept while there is room for its `size`."""
        found: Value | None = self.shelf.get(key)
        if found is not None:
            return found
        with self._lock:
            lock = self._at_work.setdefault(key, threading.RLock())
        with lock:  # a class that comes in at once waits for the first one's
            try:
                found = self.shelf.get(key)
                if found is None:
                    found = make()
                    self.shelf.put(key, found, size(found))
            finally:
                with self._lock:
                    self._at_work.pop(key, None)
        return found


_drawings: Final = Made(FRAMES_ROOM)
_remembered: Final = Made(REMEMBERED_KEPT)


def drawn(key: tuple[Any, ...], draw: Callable[[], Value], size: Callable[[Value], int]) -> Value:
    """What `draw` draws for `key`, frames or a table: kept while there is room for its `size` in bytes."""
    return _drawings.get(key, draw, size)


def digest(data: bytes) -> str:
    """A name for some bytes: 128 bits as hexadecimal digits."""
    return blake2b(data, digest_size=16).hexdigest()


def remembered(key: tuple[Any, ...], make: Callable[[], Value]) -> Value:
    """What `make` makes for `key`: charts, tables and texts, which are pure functions of their key."""
    return _remembered.get(key, make, lambda _value: 1)
