"""What sessions share: finished runs, running ones, and texts too long for a link.

Training happens in a thread of its own, so that a page can show how far it is and a learner can stop it; a trace never
changes once it is there, so everybody who asks for the same one gets the same one.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Generic, TypeVar

import streamlit as st

Key = TypeVar("Key")
Value = TypeVar("Value")

TRACES_KEPT = 48
TOKENIZERS_KEPT = 8
TEXTS_KEPT = 64_000_000
"""Bytes."""
FILES_KEPT = 160_000_000
"""Bytes: a few of the largest tokenizers, or many ordinary ones."""
QUICK = 0.4
"""Seconds that a page waits for a run before it shows a progress bar."""


class Stopped(Exception):
    """Raised inside a job whose learner gave up before there was anything to show."""


@dataclass
class Progress:
    """How far a job is; asked by the page, told by the job."""

    phase: str = "reading"
    done: int = 0
    total: int | None = None
    stop: bool = False

    def characters(self, done: int) -> None:
        """Told while reading a corpus; what it raises ends the reading."""
        self.phase, self.done = "reading", done
        if self.stop:
            raise Stopped

    def steps(self, done: int, total: int | None) -> bool:
        """Told while training; False ends it there, with what was learned so far."""
        self.phase, self.done, self.total = "training", done, total
        return not self.stop


class Job(Generic[Value]):
    """Something that is being built in a thread."""

    def __init__(self, build: Callable[[Progress], Value]) -> None:
        self.progress = Progress()
        self.value: Value | None = None
        self.error: Exception | None = None
        self._build = build
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.value = self._build(self.progress)
        except Exception as error:
            self.error = error

    def finished(self, wait: float = 0.0) -> bool:
        """Whether it has ended, after waiting for at most `wait` seconds."""
        self._thread.join(wait)
        return not self._thread.is_alive()

    def result(self) -> Value:
        """What was built; raises what the building raised."""
        if self.error is not None:
            raise self.error
        assert self.value is not None  # it ended without an error
        return self.value


@dataclass
class Registry:
    """Finished values, the most recently used ones, and the jobs that are making more."""

    values: OrderedDict[str, Any] = field(default_factory=OrderedDict)
    jobs: dict[str, Job[Any]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    kept: int = TRACES_KEPT

    def ask(self, key: str, build: Callable[[Progress], Any], wait: float = QUICK) -> Any | Job[Any]:
        """The value under `key`, or the job that makes it. Raises what a finished job raised."""
        with self.lock:
            if key in self.values:
                self.values.move_to_end(key)
                return self.values[key]
            job = self.jobs.get(key)
            if job is None:
                job = self.jobs[key] = Job(build)
        if not job.finished(wait):
            return job
        with self.lock:
            self._forget(key, job)
            if job.error is None and not job.progress.stop:
                self.values[key] = job.value
                while len(self.values) > self.kept:
                    self.values.popitem(last=False)
        return job.result()

    def stop(self, key: str, job: Job[Any]) -> None:
        """End a job before its time. Its value, if it has one, is the asker's alone: the next to ask starts anew."""
        job.progress.stop = True
        with self.lock:
            self._forget(key, job)

    def _forget(self, key: str, job: Job[Any]) -> None:
        if self.jobs.get(key) is job:
            del self.jobs[key]


@st.cache_resource(show_spinner=False)
def registry() -> Registry:
    """The one registry of this server."""
    return Registry()


@st.cache_resource(show_spinner=False)
def tokenizer_registry() -> Registry:
    """That of the tokenizers which are loaded: each may take a hundred times the room of a trace."""
    return Registry(kept=TOKENIZERS_KEPT)


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

    def drop(self, key: Key) -> None:
        """Forget the value under a key."""
        with self._lock:
            self._drop(key)

    def _drop(self, key: Key) -> None:
        _value, size = self._values.pop(key, (None, 0))
        self._taken -= size


class TextStore:
    """Texts by digest, so that one too long for a link survives a reload; the oldest go when there are too many."""

    def __init__(self, room: int) -> None:
        self._shelf: Shelf[str, bytes] = Shelf(room)

    def put(self, data: bytes) -> str:
        """Keep `data`; returns the name to get it back by, which can't be guessed without knowing the text."""
        name = digest(data)
        self._shelf.put(name, data, len(data))
        return name

    def get(self, name: str) -> bytes | None:
        """The text called `name`, if it is still here."""
        return self._shelf.get(name)

    def drop(self, name: str) -> None:
        """Forget the text called `name`."""
        self._shelf.drop(name)


@st.cache_resource(show_spinner=False)
def text_store() -> TextStore:
    """The one text store of this server."""
    return TextStore(TEXTS_KEPT)


@st.cache_resource(show_spinner=False)
def file_store() -> TextStore:
    """That of the files that tokenizers are loaded from."""
    return TextStore(FILES_KEPT)


def digest(data: bytes) -> str:
    """A name for some bytes: 128 bits as hexadecimal digits."""
    return blake2b(data, digest_size=16).hexdigest()


@st.cache_resource(max_entries=256, show_spinner=False)
def remembered(key: tuple[Any, ...], _make: Callable[[], Any]) -> Any:  # noqa: ARG001 - what Streamlit caches by
    """What `_make` makes for `key`, made once: for frames, charts and exports, which are pure functions of their key."""
    return _make()
