"""Traces: trained here or in a process of their own, and kept pickled for the drawing process."""

from __future__ import annotations

import pickle
from typing import Final, TypeVar

from tokensteps.bounded import SharedCache
from tokensteps.limits import TRACES_ROOM, TRAINER_IDLE_SECONDS, TRAINER_ROOM
from tokensteps.server.jobs import registry
from tokensteps.server.process_singleton import process_singleton
from tokensteps.server.tasks import Progress, Task, worth_sending
from tokensteps.server.workers import Workers

Trace = TypeVar("Trace")

DRAWING_NICENESS: Final = 2
"""The difference of priority between the server and the drawing process."""
LEAST_TAKEN: Final = 300_000
"""Bytes of the smallest trace after somebody has looked at it: its words and pairs at several steps."""
GROWTH: Final = 10
"""Size of a trace in memory, as a multiple of its pickle: three times on arrival, twelve times after all of
it was looked at."""


@process_singleton
def workers() -> Workers:
    """This server's training processes."""
    return Workers(idle_seconds=TRAINER_IDLE_SECONDS, room=TRAINER_ROOM)


@process_singleton
def drawers() -> Workers:
    """The one drawing process: a page waits for it, so work of several seconds is not for it."""
    return Workers(1, DRAWING_NICENESS, "tokensteps.server.steps", TRAINER_IDLE_SECONDS)


@process_singleton
def _pickles() -> SharedCache[str, bytes]:
    return SharedCache(TRACES_ROOM // GROWTH)


def train(name: str, task: Task[Trace], progress: Progress) -> Trace:
    """Train: a small task here and now, a larger one in a process of its own. The trace is kept pickled, too,
    under `name`."""
    if worth_sending(task):
        data = workers().run(task, progress)
        trace: Trace = pickle.loads(data)  # from a process of this server
    else:
        trace = task(progress)
        data = pickle.dumps(trace)
    if not progress.stop:  # a stopped run is not the whole one
        _pickles().put(name, data, len(data))
    progress.size = LEAST_TAKEN + GROWTH * len(data)
    return trace


def pickled(name: str) -> bytes | None:
    """A trace as pickled after training, for another process; None if it is no longer cached."""
    return _pickles().get(name)


def forget_session(session: str) -> None:
    """A session has ended: end its trainings, and forget large runs, unless others have asked for them."""
    for name in registry().leave(session):
        _pickles().drop(name)
