"""Training and drawing in processes of their own, so that no session waits for another's.

Python runs one thread at a time. Training in the server's own process would slow down every visitor's clicks, so longer runs
go to a few worker processes with a lower priority than the server's, and come back as a finished trace. Drawing many frames
goes the same way. Nothing here imports Streamlit: a worker that trains loads the engine and little else.
"""

from __future__ import annotations

import contextlib
import itertools
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tokensteps.limits import (
    LARGE_TASK,
    TRACE_LIMIT,
    TRAINING_SECONDS,
    TRAININGS_AT_ONCE,
    TRAININGS_WAITING,
)
from tokensteps.server.tasks import Progress, Stopped, TrainingError, Work

ROOT: Final = Path(__file__).resolve().parents[2]
TOLD_EVERY: Final = 0.1
"""Seconds between a worker's reports."""
NICENESS: Final = 10
"""By how much the priority of a process that trains is lower than the server's."""
STOP: Final = "stop"
"""Sent to a worker to end its run early."""


class Worker:
    """A process that does one piece of work after another: `tokensteps/server/worker.py`, with pickles on its standard input and output.

    `multiprocessing` doesn't work here: it imports the main module, and Streamlit puts a page's script in that place.
    """

    def __init__(
        self, niceness: int = NICENESS, module: str = "tokenizers_core", seconds: int | None = None
    ) -> None:
        self._seconds = seconds
        command = (sys.executable, "-m", "tokensteps.server.worker", str(niceness), module)
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, task: Work, progress: Progress) -> bytes:
        """The work's result, pickled. Raises what the work raises, and TrainingError when the process has ended."""
        told = False
        limit = self._seconds or TRAINING_SECONDS
        guard = threading.Timer(limit, self._process.kill)
        guard.start()
        try:
            self._send(task)
            while not (ended := self._hear(progress)):
                if not told and progress.over:
                    progress.stop = told = True
                    self._send(STOP)
            return ended
        except (EOFError, OSError, pickle.UnpicklingError):  # the last: it ended in the middle of an answer
            self.close()
            late = guard.finished.is_set()
            raise (TrainingError("time", limit) if late else TrainingError("lost")) from None
        finally:
            guard.cancel()

    def _send(self, message: object) -> None:
        assert self._process.stdin is not None  # it is a pipe
        pickle.dump(message, self._process.stdin)
        self._process.stdin.flush()

    def _hear(self, progress: Progress) -> bytes | None:
        """Read one report; returns the result when that is what came."""
        assert self._process.stdout is not None  # it is a pipe
        kind, value = pickle.load(self._process.stdout)
        if kind == "error":
            raise value
        if kind == "result":
            if len(value) > TRACE_LIMIT:
                raise TrainingError("large", TRACE_LIMIT // 1_000_000)
            result: bytes = value
            return result
        progress.phase, progress.done, progress.total = value
        return None

    @property
    def alive(self) -> bool:
        """Whether the process is there."""
        return self._process.poll() is None

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        with contextlib.suppress(OSError):  # what was to be sent
            self._process.communicate()


class Workers:
    """A few workers, which import a module at the start, and the queue in front of them.

    The smallest task goes first, since it is done soonest, and large ones never take all workers.
    """

    def __init__(
        self,
        number: int = TRAININGS_AT_ONCE,
        niceness: int = NICENESS,
        module: str = "tokenizers_core",
        seconds: int | None = None,
    ) -> None:
        self._settings = (niceness, module, seconds)
        self._idle: list[Worker] = []
        self._lock = threading.Lock()
        self._changed = threading.Condition()
        self._free, self._free_for_large = number, max(1, number - 1)
        self._waiting: list[tuple[int, int]] = []
        """Sizes of the tasks that wait, each with the number of its arrival."""
        self._arrivals = itertools.count()

    def start(self) -> None:
        """Start one worker before anybody asks."""
        with self._lock:
            if not self._idle:
                self._idle.append(Worker(*self._settings))

    def run(self, task: Work, progress: Progress) -> bytes:
        """The work's result, pickled, once it has had its turn.

        Raises what the work raises; Stopped when it was stopped or forgotten before its turn came; TrainingError.
        """
        with self._turn(task, progress), self._worker() as worker:
            return worker.run(task, progress)

    @contextlib.contextmanager
    def _turn(self, task: Work, progress: Progress) -> Iterator[None]:
        large = task.size > LARGE_TASK
        with self._changed:
            if len(self._waiting) >= TRAININGS_WAITING:
                raise TrainingError("busy", TRAININGS_WAITING)
            place = (task.size, next(self._arrivals))
            self._waiting.append(place)
            try:
                while place != min(filter(self._has_room, self._waiting), default=None):
                    if progress.over:
                        progress.stop = True
                        raise Stopped
                    self._changed.wait(TOLD_EVERY)
            finally:
                self._waiting.remove(place)
            self._free -= 1
            self._free_for_large -= large
        try:
            yield
        finally:
            with self._changed:
                self._free += 1
                self._free_for_large += large
                self._changed.notify_all()

    def _has_room(self, place: tuple[int, int]) -> bool:
        return self._free > 0 and (place[0] <= LARGE_TASK or self._free_for_large > 0)

    @contextlib.contextmanager
    def _worker(self) -> Iterator[Worker]:
        with self._lock:
            worker = self._idle.pop() if self._idle else None
        if worker is not None and not worker.alive:
            worker.close()
            worker = None
        if worker is None:
            worker = Worker(*self._settings)
        try:
            yield worker
        finally:
            if worker.alive:
                with self._lock:
                    self._idle.append(worker)

    def close(self) -> None:
        """End all idle processes."""
        with self._lock:
            while self._idle:
                self._idle.pop().close()
