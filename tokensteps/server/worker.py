"""``python -m tokensteps.server.worker NICENESS MODULE ROOM``: a process started by the server to train or
draw; see `tokensteps/server/workers.py`."""

from __future__ import annotations

import contextlib
import importlib
import math
import os
import pickle
import queue
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from tokenizers_core.trace import CutOff
from tokensteps.limits import TRAINING_MEMORY
from tokensteps.server.tasks import Progress, TrainingError, Work
from tokensteps.server.workers import LAST, REPORT_SECONDS, STOP, UNSEEN


class ProgressReporter(Progress):
    """A worker's side of `Progress`: reports to the server now and then."""

    def __init__(self, tell: Callable[[str, Any], None], clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock=clock)
        self._tell, self._last = tell, 0.0
        self.begin()

    def begin(self) -> None:
        """Another piece of work begins."""
        self.stop, self.done, self.began = False, 0, self.clock()
        self._next_cut = self.began + UNSEEN

    def characters(self, done: int) -> None:
        self._report("reading", done, None)
        super().characters(done)

    def steps(self, done: int, total: int | None) -> bool:
        self._report("training", done, total)
        return super().steps(done, total)

    def growing(self, cut: CutOff) -> None:
        if self.clock() >= self._next_cut:
            if self.phase == "reading":
                super().steps(0, None)
            self._tell("progress", (self.phase, self.done, self.total))
            self._tell("growth", pickle.dumps(cut()))
            # Measured from the end of this cut, so that sending never takes more than its share of the time.
            self._next_cut = self.clock() + self.pause()

    def _report(self, *progress: Any) -> None:
        now = self.clock()
        if now - self._last > REPORT_SECONDS:
            self._last = now
            self._tell("progress", progress)


def serve(incoming: BinaryIO, outgoing: BinaryIO, room: float = math.inf) -> None:
    """Do the server's tasks, one after another, until the server is gone. STOP ends the current one early.

    After growing by `room` bytes, the process sends LAST: Python gives little of them back to the system.
    """

    def tell(kind: str, value: Any) -> None:
        pickle.dump((kind, value), outgoing)
        outgoing.flush()

    tasks: queue.SimpleQueue[tuple[Work, float]] = queue.SimpleQueue()
    reporter = ProgressReporter(tell)

    def listen() -> None:
        while True:
            try:
                message = pickle.load(incoming)
            except EOFError:
                os._exit(0)
            except BaseException:  # no memory for the message, or half of one: no answer would ever come
                os._exit(1)
            if message == STOP:
                reporter.stop = True
            else:
                tasks.put(message)

    threading.Thread(target=listen, daemon=True).start()
    room += most_memory()
    tell("ready", None)
    while True:
        task, limit = tasks.get()
        reporter.begin()
        answer: tuple[str, Any]
        try:
            with processor_time(limit):
                answer = "result", pickle.dumps(task(reporter))
        except MemoryError:
            answer = "error", TrainingError("memory", TRAINING_MEMORY // 1_000_000)
        except Exception as error:
            answer = "error", error
        if most_memory() > room:
            tell(LAST, None)
        tell(*answer)


@contextlib.contextmanager
def processor_time(seconds: float) -> Iterator[None]:
    """Have the system end this process once it has worked for so long, where the system can: not on
    Windows."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def most_memory() -> int:
    """Bytes of this process's memory at its largest; 0 if the system doesn't tell."""
    with contextlib.suppress(OSError):  # Linux, where `ru_maxrss` begins with the server's size
        if match := re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text()):
            return 1_024 * int(match[1])
    try:
        import resource
    except ImportError:  # Windows
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def limit_memory() -> None:
    """Make a run with too much memory fail by itself, without the server."""
    try:
        import resource
    except ImportError:  # Windows
        return
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (TRAINING_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # for the server alone: its workers end with it
    if hasattr(os, "nice"):
        os.nice(int(sys.argv[1]))
    limit_memory()
    importlib.import_module(sys.argv[2])  # so that the first work doesn't wait for it
    answers = os.fdopen(os.dup(1), "wb")
    # Text printed by a library, such as a panic of the tokenizers library, is no answer, and no visitor may
    # fill a log with it.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    serve(sys.stdin.buffer, answers, float(sys.argv[3]))
