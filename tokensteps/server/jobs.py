"""Runs in progress and finished ones.

A run is built in a thread of its own, so that a page can show how far it is and a learner can stop it. A
finished trace never changes, so all requests for the same run get the same trace.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

from tokensteps.bounded import SharedCache
from tokensteps.limits import JOBS_EACH, JOBS_ON_A_PAGE, LARGE_RUN, QUICK, TOKENIZERS_CACHED, TRACES_ROOM
from tokensteps.server.process_singleton import process_singleton
from tokensteps.server.tasks import Progress

Built = TypeVar("Built")

ENDING: Final = 0.05
"""Seconds for a thread to end after its announcement."""

WAITS: Final = 3.0
"""Seconds without a request from a session until it no longer counts as waiting for a job."""


class Job(Generic[Built]):
    """A result being built in a thread."""

    def __init__(self, build: Callable[[Progress], Built], session: str = "", slot: str = "") -> None:
        self.progress = Progress(session=session)
        self.slot = slot
        """The slot of the request: a session has one job at a time for each."""
        self.value: Built | None = None
        self.error: Exception | None = None
        self._requests: dict[str, float] = {}
        """Session → the time of its last request for the job."""
        self._build = build
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.value = self._build(self.progress)
        except Exception as error:
            self.error = _bare(error)
        finally:
            self.progress.news.set()

    def grown(self, wait: float = 0.0) -> Any:
        """The record of an unfinished run so far, after waiting for at most `wait` seconds; None if there is
        nothing yet."""
        self.progress.news.wait(wait)
        return self.progress.trace

    def finished(self, wait: float = 0.0) -> bool:
        """Whether it has ended, after waiting for at most `wait` seconds. A job without requests from a page
        is given up after a while."""
        self.progress.last_read = time.monotonic()
        self._thread.join(wait)
        return self.ended

    def shared(self, session: str) -> bool:
        """Note that this session waits for it; whether others do, too."""
        self._requests[session] = time.monotonic()
        return bool(self.waiting() - {session})

    def askers(self) -> set[str]:
        """The sessions with a request for it; "" is everybody."""
        return {*self._requests} or {""}

    def leave(self, session: str) -> bool:
        """A session has ended; whether it alone had asked for this."""
        return self._requests.pop(session, None) is not None and not self._requests

    def waiting(self) -> set[str]:
        """The sessions waiting for it."""
        now = time.monotonic()
        return {session for session, since in [*self._requests.items()] if now - since < WAITS}

    @property
    def ended(self) -> bool:
        """Whether it has ended; asking this does not keep it going."""
        return not self._thread.is_alive()

    def result(self) -> Built:
        """The finished value. Raises the error of building it."""
        if self.error is not None:
            raise _bare(self.error)
        assert self.value is not None  # it ended without an error
        return self.value


def _bare(error: Exception) -> Exception:
    """The error without its traceback: its frames hold all the job's data, perhaps a file of 40 MB."""
    error.__context__ = error.__cause__ = None
    return error.with_traceback(None)


class Registry:
    """A cache of recently used values, as many as fit, and the jobs making more.

    A job's `progress.size` says how much room its value takes: bytes, or 1 where values are only counted.
    """

    def __init__(self, room: int = TRACES_ROOM) -> None:
        self.values: SharedCache[str, Any] = SharedCache(room)
        self.jobs: dict[str, Job[Any]] = {}
        self.lock = threading.Lock()
        self._askers: dict[str, set[str]] = {}
        """Key of a large value → the sessions with a request for it."""

    def ask(
        self,
        key: str,
        build: Callable[[Progress], Built],
        wait: float = QUICK,
        session: str = "",
        slot: str = "",
        growing: bool = False,
    ) -> Built | Job[Built]:
        """The value under `key`, or the job making it. Raises a finished job's error.

        It waits for at most `wait` seconds for the value; if it is `growing`, only until there is a first
        part to show.

        A session's request for another value in the same slot gives up the one before, and each session has
        few jobs in all; `session` "" is everybody's, and without this limit.
        """
        with self.lock:
            self._tidy()
            value: Built | None = self.values.get(key)
            if value is not None:
                if key in self._askers:
                    self._askers[key].add(session)
                return value
            job: Job[Built] | None = self.jobs.get(key)
            if job is None or job.progress.stop:  # given up meanwhile
                self._make_way(session, slot)
                job = self.jobs[key] = Job(build, session, slot)
            if session:
                job.shared(session)
        if growing:
            wait = 0.0 if job.grown(wait) is not None else ENDING
        if not job.finished(wait):
            return job
        with self.lock:
            self._keep(key, job)
        if job.progress.stop:  # by somebody else: there is no value for the waiting sessions
            return self.ask(key, build, wait, session, slot)
        return job.result()

    def stop(self, key: str, job: Job[Any]) -> None:
        """End a job early. Its value, if it has one, belongs to the session that stopped it: the next request
        starts again."""
        job.progress.stop = True
        with self.lock:
            self._forget(key, job)

    def leave(self, session: str) -> list[str]:
        """A session has ended: give up its exclusive jobs, and forget large values of no use to other
        sessions; returns the keys of those values."""
        with self.lock:
            self._tidy()
            for job in self.jobs.values():
                job.progress.stop |= job.leave(session)
            for askers in self._askers.values():
                askers.discard(session)
            gone = [key for key, askers in self._askers.items() if not askers]
            for key in gone:
                self.values.drop(key)
                del self._askers[key]
            return gone

    def _make_way(self, session: str, slot: str) -> None:
        """Give up a session's superseded jobs, unless others wait for them: before it gets another job."""
        own = [
            job
            for job in self.jobs.values()
            if session
            and job.progress.session == session
            and not (job.ended or job.progress.stop or job.waiting() - {session})
        ]
        for job in [job for job in own if job.slot == slot]:
            job.progress.stop = True
            own.remove(job)
        for job in [job for job in own if not job.waiting()][: max(0, len(own) + 1 - JOBS_EACH)]:
            job.progress.stop = True
            own.remove(job)
        for job in own[: max(0, len(own) + 1 - JOBS_ON_A_PAGE)]:
            job.progress.stop = True

    def _tidy(self) -> None:
        """Keep the values of finished jobs, and forget errors without a waiting page."""
        for key, job in [*self.jobs.items()]:
            if job.ended and (job.error is None or job.progress.over):
                self._keep(key, job)

    def _keep(self, key: str, job: Job[Any]) -> None:
        self._forget(key, job)
        if job.error is None and not job.progress.stop:
            self.values.put(key, job.value, job.progress.size)
            there = {*self.values.keys()}
            self._askers = {one: askers for one, askers in self._askers.items() if one in there}
            if job.progress.size > LARGE_RUN:
                self._askers[key] = job.askers()

    def _forget(self, key: str, job: Job[Any]) -> None:
        if self.jobs.get(key) is job:
            del self.jobs[key]


@process_singleton
def registry() -> Registry:
    """The one registry of this server."""
    return Registry()


@process_singleton
def tokenizer_registry() -> Registry:
    """The registry of loaded tokenizers, apart from the other: each may take a hundred times the room of a
    trace."""
    return Registry(TOKENIZERS_CACHED)
