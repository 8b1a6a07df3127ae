"""Training and drawing in processes of their own, so that no session waits for another's.

Python runs one thread at a time. Training in the server's own process would slow down every visitor's clicks,
so longer runs go to a few worker processes with a lower priority than the server's, and come back as a
finished trace. So do windows of many frames. Nothing here imports Streamlit: a training worker loads the
engine and little else.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from tokensteps.assets import PACKAGES
from tokensteps.limits import (
    FAIR_SECONDS,
    JOBS_ON_A_PAGE,
    SESSIONS_REMEMBERED,
    SHORT_SECONDS,
    SLOWER,
    TRACE_LIMIT,
    TRAININGS_AT_ONCE,
    TRAININGS_WAITING,
)
from tokensteps.server.entrance.addresses import SessionAddresses, session_addresses
from tokensteps.server.tasks import Progress, Stopped, TrainingError, Work

REPORT_SECONDS: Final = 0.1
"""Seconds between a worker's reports."""
UNSEEN: Final = 0.15
"""Seconds before a worker sends the first part of a growing run: most runs have ended by then, and are sent
once."""
NICENESS: Final = 10
"""The difference of priority between the server and a training process."""
STOP: Final = "stop"
"""Sent to a worker to end its run early."""
OUT_OF_TIME: Final = -getattr(signal, "SIGPROF", signal.SIGTERM)
"""The exit code of a process ended by the system at its limit of processor time."""
LAST: Final = "last"
"""Sent by a worker before its last answer, when it had better end."""


class Worker:
    """A process for one task after another: `tokensteps/server/worker.py`, with pickles on its standard input
    and output.

    `multiprocessing` doesn't work here: it imports the main module, and Streamlit puts a page's script in
    that place.
    """

    def __init__(
        self, niceness: int = NICENESS, module: str = "tokenizers_core", room: float = math.inf
    ) -> None:
        self._ready = self._last = False
        self.idle_since = math.inf
        """The end of its last task; infinite before the first one, so that the process stays."""
        self._grown = 0
        """Bytes received of the growing run so far."""
        command = (sys.executable, "-m", "tokensteps.server.worker", str(niceness), module, str(room))
        self._process = subprocess.Popen(command, cwd=PACKAGES, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, task: Work, progress: Progress) -> bytes:
        """The task's result, pickled. Raises the task's errors, and TrainingError when the process has ended.

        The limit is on processor time, and the process keeps to it by itself: a busy server refuses no task
        of an idle one. A task that waits and never works is ended by the clock.
        """
        text = False
        self._grown = 0
        self._wait_for_start()
        late = threading.Event()

        def give_up() -> None:
            late.set()
            self._process.kill()

        guard = threading.Timer(SLOWER * task.limit, give_up)
        guard.start()
        try:
            self._send((task, task.limit))
            while not (ended := self._hear(progress)):
                if not text and progress.over:
                    progress.stop = text = True
                    self._send(STOP)
            return ended
        except (EOFError, OSError, pickle.UnpicklingError):  # the last: it ended in the middle of an answer
            self.close()
            over = late.is_set() or self._process.returncode == OUT_OF_TIME
            raise (TrainingError("time", task.limit) if over else TrainingError("lost")) from None
        finally:
            guard.cancel()
            if self._last:
                self.close()

    def _wait_for_start(self) -> None:
        """Wait until the process has finished its imports, which don't count as work. Raises
        TrainingError."""
        if not self._ready:
            assert self._process.stdout is not None  # it is a pipe
            try:
                pickle.load(self._process.stdout)
            except EOFError:
                self.close()
                raise TrainingError("lost") from None
            self._ready = True

    def _send(self, message: object) -> None:
        assert self._process.stdin is not None  # it is a pipe
        pickle.dump(message, self._process.stdin)
        self._process.stdin.flush()

    def _hear(self, progress: Progress) -> bytes | None:
        """Read one report; returns the result if the report is that."""
        assert self._process.stdout is not None  # it is a pipe
        kind, value = pickle.load(self._process.stdout)
        if kind == "error":
            raise value
        if kind == LAST:
            self._last = True
            return None
        if kind == "growth":
            self._grown += len(value)
            if self._grown <= TRACE_LIMIT:  # a larger run waits for the end, which refuses it
                progress.grow(pickle.loads(value))
            return None
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
        with contextlib.suppress(OSError):  # unsent data
            self._process.communicate()


@dataclass(eq=False)
class Turn:
    """A task in the queue."""

    seconds: float
    arrival: int
    progress: Progress
    refused: bool = False
    """Whether it has lost its place to a more modest session."""

    @property
    def short(self) -> bool:
        """Whether it may take the last free worker."""
        return self.seconds <= SHORT_SECONDS

    @property
    def leaving(self) -> bool:
        """Whether it has stopped waiting, and will leave by itself."""
        return self.progress.stop or self.refused


@dataclass
class Shares:
    """Seconds of work per session or address. They fade, so old work counts little.

    >>> now = [0.0]
    >>> shares = Shares(lambda: now[0])
    >>> shares.add("she", 8.0)
    >>> now[0] += 2 * FAIR_SECONDS
    >>> shares.of("she"), shares.of("he")
    (2.0, 0.0)
    """

    clock: Callable[[], float]
    _had: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Name → seconds, and the time of their calculation; the least recent first."""

    def of(self, who: str) -> float:
        """The seconds of one session or address."""
        seconds, at = self._had.get(who, (0.0, 0.0))
        return seconds * math.exp2((at - self.clock()) / FAIR_SECONDS)

    def add(self, who: str, seconds: float) -> None:
        """Add seconds of work, or take some back after too high an estimate."""
        had = max(0.0, self.of(who) + seconds), self.clock()
        self._had.pop(who, None)
        self._had[who] = had
        if len(self._had) > SESSIONS_REMEMBERED:
            del self._had[next(iter(self._had))]


class Workers:
    """A few workers with a module imported at the start, and the queue in front of them.

    The session with the least use goes next. Its use is the workers' seconds for it, or those for its address
    divided by the sessions there, whichever is more. So a class at one address doesn't count as one visitor,
    and a new session doesn't clear a visitor's account. Among equals the shortest task goes first, since it
    is done soonest. Long ones never take all workers. In a full queue, the session with the most tasks loses
    one.
    """

    def __init__(
        self,
        number: int = TRAININGS_AT_ONCE,
        niceness: int = NICENESS,
        module: str = "tokenizers_core",
        idle_seconds: float | None = None,
        room: float = math.inf,
        where: SessionAddresses | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """After its first task, a process ends when it has been idle for `idle_seconds`; without them, it
        stays. A process with a growth of more than `room` bytes makes way for a new one."""
        self._settings = (niceness, module, room)
        self._idle: list[Worker] = []
        self._idle_seconds = idle_seconds
        self._sweep: threading.Timer | None = None
        self._one_ready = False
        """Whether one process is always ready: Python gives little memory back, so a new one replaces it
        after its work."""
        self._lock = threading.Lock()
        self._changed = threading.Condition()
        self._free, self._free_for_long = number, max(1, number - 1)
        self._waiting: list[Turn] = []
        self._where, self._clock = where or session_addresses(), clock
        self._by_session, self._by_address = Shares(clock), Shares(clock)
        self._arrivals = itertools.count(1)

    @property
    def waiting(self) -> int:
        """The number of waiting tasks."""
        return sum(not turn.leaving for turn in [*self._waiting])

    def start(self) -> None:
        """Start one worker before the first request, and again when the last one has ended for want of
        work."""
        with self._lock:
            self._one_ready = True
            self._fill()

    def _fill(self) -> None:
        if self._one_ready and not self._idle:
            self._idle.append(Worker(*self._settings))

    def run(self, task: Work, progress: Progress) -> bytes:
        """The task's result, pickled, after its wait in the queue.

        Raises the task's errors; Stopped when it was stopped or forgotten before its turn came;
        TrainingError.
        """
        with self._turn(task, progress), self._worker() as worker:
            return worker.run(task, progress)

    @contextlib.contextmanager
    def _turn(self, task: Work, progress: Progress) -> Iterator[None]:
        turn = Turn(task.seconds, next(self._arrivals), progress)
        with self._changed:
            self._waiting.append(turn)
            self._make_way(progress.session)
            try:
                while turn is not min(filter(self._has_room, self._waiting), key=self._rank, default=None):
                    if turn.refused:
                        raise TrainingError("busy", TRAININGS_WAITING)
                    if progress.over:
                        progress.stop = True
                        raise Stopped
                    self._changed.wait(REPORT_SECONDS)
            finally:
                self._waiting.remove(turn)
            self._take(turn, 1, turn.seconds)
            began = self._clock()
        try:
            yield
        finally:
            with self._changed:
                self._take(turn, -1, self._clock() - began - turn.seconds)
                self._changed.notify_all()

    def _make_way(self, session: str) -> None:
        """Give up the session's oldest task if it has too many; if there are too many in all, refuse one of
        the session with the most waiting, or else the most past use."""
        there = [turn for turn in self._waiting if not turn.leaving]
        own = [turn for turn in there if session and turn.progress.session == session]
        if len(own) > JOBS_ON_A_PAGE:
            own[0].progress.stop = True
        elif len(there) > TRAININGS_WAITING:
            names = [turn.progress.session for turn in there]
            positions = [self._where.of(name) for name in names]

            def wants(turn: Turn) -> tuple[float, float, int]:
                session = turn.progress.session
                waiting = self._share(session, names.count, positions.count)
                return waiting, self._had(session), turn.arrival

            max(there, key=wants).refused = True

    def _take(self, turn: Turn, workers: int, seconds: float) -> None:
        """Take a worker for a turn, or give it back with -1; record the expected seconds first, and then the
        difference from the real ones."""
        session = turn.progress.session
        self._free -= workers
        self._free_for_long -= workers * (not turn.short)
        if session:
            self._by_session.add(session, seconds)
            self._by_address.add(self._where.of(session), seconds)

    def _has_room(self, turn: Turn) -> bool:
        """Whether a worker is free for it. An abandoned turn leaves by itself."""
        return self._free > 0 and (turn.short or self._free_for_long > 0) and not turn.leaving

    def _rank(self, turn: Turn) -> tuple[float, float, int]:
        return self._had(turn.progress.session), turn.seconds, turn.arrival

    def _had(self, session: str) -> float:
        return self._share(session, self._by_session.of, self._by_address.of)

    def _share(self, session: str, own: Callable[[str], float], together: Callable[[str], float]) -> float:
        """A session's own amount, or its part of the sum for its address, if that is more; "" is nobody, and
        has nothing."""
        address = self._where.of(session)
        shared = together(address) / self._where.sessions(address) if address else 0.0
        return max(own(session), shared) if session else 0.0

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
                    worker.idle_since = self._clock()
                    self._plan_sweep()

    def _plan_sweep(self) -> None:
        worked = any(worker.idle_since < math.inf for worker in self._idle)
        if self._idle_seconds is not None and worked and self._sweep is None:
            self._sweep = threading.Timer(self._idle_seconds, self._end_idle)
            self._sweep.daemon = True
            self._sweep.start()

    def _end_idle(self) -> None:
        assert self._idle_seconds is not None  # nothing is planned without
        with self._lock:
            since = self._clock() - self._idle_seconds
            ended = [worker for worker in self._idle if worker.idle_since <= since]
            self._idle = [worker for worker in self._idle if worker not in ended]
            self._fill()
            self._sweep = None
            self._plan_sweep()
        for worker in ended:
            worker.close()

    def close(self) -> None:
        """End all idle processes."""
        with self._lock:
            self._one_ready = False
            while self._idle:
                self._idle.pop().close()
