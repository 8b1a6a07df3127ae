"""Training and drawing in processes of their own: sessions don't wait for each other's.

Python runs one thread at a time. A training run in the server's own process would slow every click of every visitor while
it lasts, so longer ones are sent to a few worker processes, which have a lower priority than the server, and come back as a
finished trace; so does the drawing of many frames. Nothing here knows of Streamlit: a worker that trains loads the engine and
little else.
"""

from __future__ import annotations

import contextlib
import itertools
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol

from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.text.splitting import has_own_pattern
from tokensteps.language.i18n import N_
from tokensteps.limits import (
    FORGOTTEN_SECONDS,
    LARGE_TASK,
    SMALL_TASK,
    TRACE_LIMIT,
    TRAINING_SECONDS,
    TRAININGS_AT_ONCE,
    TRAININGS_WAITING,
)

ROOT: Final = Path(__file__).resolve().parents[2]
TOLD_EVERY: Final = 0.1
"""Seconds between a worker's reports."""
NICENESS: Final = 10
"""By how much the priority of a process that trains is lower than the server's."""
STOP: Final = "stop"
"""What a worker is sent that shall end its run here."""


class Stopped(Exception):
    """Raised inside a job whose learner gave up before there was anything to show."""


class TrainingError(TokenizersCoreError):
    """A run that couldn't be trained for lack of room. `why` is a key of `templates`.

    >>> print(TrainingError("busy", 60))
    60 runs are waiting to be trained: try again in a minute.
    """

    templates: ClassVar[Mapping[str, str]] = {
        "memory": N_(
            "Training this takes more than {limit} MB of memory: use a shorter text, a smaller vocabulary or a smaller seed."
        ),
        "time": N_(
            "Training this takes more than {limit} seconds: stop it earlier to see how far it has come, or use a shorter text, "
            "a smaller vocabulary or a smaller seed."
        ),
        "large": N_(
            "This run has too many steps to be kept, more than {limit} MB of them: choose a vocabulary size."
        ),
        "lost": N_("The process that trained this came to an early end: try again, or use a shorter text."),
        "busy": N_("{limit} runs are waiting to be trained: try again in a minute."),
    }

    def __init__(self, why: str, limit: int = 0) -> None:
        self.why = why
        self.template = self.templates[why]
        super().__init__(limit=limit)


@dataclass
class Progress:
    """How far a job is; asked by the page, told by the job."""

    phase: str = "reading"
    done: int = 0
    total: int | None = None
    stop: bool = False
    size: int = 1
    """What room the result takes where it is kept."""
    asked: float = field(default_factory=time.monotonic)
    """When somebody last wanted to know."""

    def characters(self, done: int) -> None:
        """Told while reading a corpus; what it raises ends the reading."""
        self.phase, self.done = "reading", done
        if self.stop:
            raise Stopped

    def steps(self, done: int, total: int | None) -> bool:
        """Told while training; False ends it there, with what was learned so far."""
        self.phase, self.done, self.total = "training", done, total
        return not self.stop

    @property
    def over(self) -> bool:
        """Whether it was stopped, or nobody has asked for so long that nobody is going to."""
        return self.stop or time.monotonic() - self.asked > FORGOTTEN_SECONDS


class Work(Protocol):
    """What can be sent to a worker: it has to be pickled, and so has what it gives."""

    def __call__(self, progress: Any, /) -> Any: ...

    @property
    def size(self) -> int:
        """Bytes to work on, by which its turn is decided."""


class Readable(Protocol):
    """Where a corpus comes from. It is pickled on its way to a worker."""

    @property
    def data(self) -> bytes:
        """The text or the file, as it was given."""

    def corpus(self, pipeline: Pipeline, progress: Callable[[int], None] | None = None) -> Corpus:
        """Read it; `progress` is told how many characters were read so far."""


@dataclass(frozen=True)
class Task:
    """A run to be trained, as it is sent to a worker: called with a `Progress`, it gives the trace."""

    train: Callable[..., Any]
    """A function of the engine, from a corpus, `progress` and the settings to a trace."""
    source: Readable
    pipeline: Pipeline
    settings: Mapping[str, Any]

    def __call__(self, progress: Any) -> Any:
        corpus = self.source.corpus(self.pipeline, progress.characters)
        return self.train(corpus, progress=progress.steps, **self.settings)

    @property
    def size(self) -> int:
        """Bytes to read."""
        return len(self.source.data)


class Worker:
    """A process that does one piece of work after another: `tokensteps/server/worker.py`, with pickles on its standard input and output.

    `multiprocessing` won't do: it looks for the main module, for which Streamlit puts a page's script while that runs.
    """

    def __init__(
        self, niceness: int = NICENESS, module: str = "tokenizers_core", seconds: int | None = None
    ) -> None:
        self._seconds = seconds
        command = (sys.executable, "-m", "tokensteps.server.worker", str(niceness), module)
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, task: Work, progress: Progress) -> bytes:
        """What the work gives, pickled. Raises what the work raises, and TrainingError when the process is gone."""
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
        """Take in one report; the result, once it is there."""
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
    """A few workers, which import a module first, and the queue before them: the smallest task goes first, for it is done soonest,
    and large ones never take all workers.
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
        """Have a worker at hand before anybody asks."""
        with self._lock:
            if not self._idle:
                self._idle.append(Worker(*self._settings))

    def run(self, task: Work, progress: Progress) -> bytes:
        """What the work gives, pickled, when it has had its turn.

        Raises what the work raises; Stopped when it was given up, or forgotten, before its turn came; TrainingError.
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
        """End all processes that have nothing to do."""
        with self._lock:
            while self._idle:
                self._idle.pop().close()


def worth_sending(task: Task) -> bool:
    """Whether a task may hold the server up: a large text, or a pattern of a visitor's own."""
    return task.size > SMALL_TASK or has_own_pattern(task.pipeline.pre_tokenizer, task.pipeline.pattern)
