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

Value = TypeVar("Value")

TRACES_KEPT = 48
BYTES_KEPT = 64_000_000
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
                while len(self.values) > TRACES_KEPT:
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


@dataclass
class TextStore:
    """Texts by digest, so that one too long for a link survives a reload; the oldest go when there are too many."""

    texts: OrderedDict[str, bytes] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def put(self, data: bytes) -> str:
        """Keep `data`; returns the name to get it back by, which can't be guessed without knowing the text."""
        name = digest(data)
        with self.lock:
            self.texts[name] = data
            self.texts.move_to_end(name)
            while sum(map(len, self.texts.values())) > BYTES_KEPT and len(self.texts) > 1:
                self.texts.popitem(last=False)
        return name

    def get(self, name: str) -> bytes | None:
        """The text called `name`, if it is still here."""
        with self.lock:
            return self.texts.get(name)


@st.cache_resource(show_spinner=False)
def text_store() -> TextStore:
    """The one text store of this server."""
    return TextStore()


def digest(data: bytes) -> str:
    """A name for some bytes: 128 bits as hexadecimal digits."""
    return blake2b(data, digest_size=16).hexdigest()


@st.cache_resource(max_entries=256, show_spinner=False)
def remembered(key: tuple[Any, ...], _make: Callable[[], Any]) -> Any:  # noqa: ARG001 - what Streamlit caches by
    """What `_make` makes for `key`, made once: for frames, charts and exports, which are pure functions of their key."""
    return _make()
