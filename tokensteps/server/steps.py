"""The frames and tables of a run: made once for all sessions, and long windows of frames in another process,
so that nobody else waits."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeGuard

import pandas as pd

from tokenizers_core.training.algorithms import AnyTrace
from tokenizers_core.training.comparison import Comparison
from tokenizers_core.training.unigram_trace import UnigramTrace
from tokensteps.bounded import SharedCache
from tokensteps.drawing.frame import Frame, packed, payload
from tokensteps.drawing.tables import packed_table
from tokensteps.drawing.tokens import Style
from tokensteps.language.i18n import current_language, use_language
from tokensteps.limits import DRAWER_ROOM, DRAWING_SECONDS, FEW_FRAMES
from tokensteps.server.shared_cache import drawn
from tokensteps.server.stores import digest
from tokensteps.server.tasks import Progress, Stopped, TrainingError
from tokensteps.server.traces import GROWTH, LEAST_TAKEN, drawers, pickled

Stepped = AnyTrace | Comparison
"""A run or a comparison of runs, for a page to step through."""
StepTable = Callable[[Any, Style, str, int | None], pd.DataFrame]
"""Makes a table of a snapshot, in a style; with a text, only the matching rows; with a number, only so many
from the top."""
_traces: Final = SharedCache[str, Stepped](DRAWER_ROOM)
"""In the drawing process: its traces, as the next window of the same run is likely to come soon."""


@dataclass(frozen=True)
class Steps:
    """A trace, and the function for drawing one of its steps."""

    frame: Callable[[Any, Style], Frame]
    trace: Stepped
    style: Style

    def __call__(self, step: int) -> Frame:
        return self.frame(self.trace[step], self.style)


@dataclass(frozen=True)
class Window:
    """A window of a run's frames, to be packed for the browser."""

    name: str
    last: int
    shown: range
    labels: Mapping[str, str]
    param: str | None

    def packed(self, frame: Callable[[int], Frame]) -> bytes:
        """Draw it."""
        frames = [frame(step) for step in self.shown]
        return packed(
            payload(self.name, self.last, self.shown.start, frames, (0, 0), self.labels, param=self.param)
        )


@dataclass(frozen=True)
class Drawing:
    """A window to be drawn by another process."""

    window: Window
    frame: Callable[[Any, Style], Frame]
    style: Style
    language: str
    trace: bytes = field(repr=False)
    seconds: float = 0.0
    limit: float = DRAWING_SECONDS

    def __call__(self, _progress: Progress) -> bytes:
        use_language(self.language)
        return self.window.packed(Steps(self.frame, _unpickled(self.trace), self.style))


def _unpickled(data: bytes) -> Stepped:
    name = digest(data)
    trace = _traces.get(name)
    if trace is None:
        trace = pickle.loads(data)  # from this app's own server, over a pipe
        _traces.put(name, trace, LEAST_TAKEN + GROWTH * len(data))
    return trace


def takes_a_while(frame: Callable[[int], Frame], shown: range) -> TypeGuard[Steps]:
    """Whether a window has enough steps of a run for another process to draw it."""
    return isinstance(frame, Steps) and frame.trace.stop_reason != "stopped" and len(shown) > FEW_FRAMES


def draw_window(run: str, window: Window, frame: Callable[[int], Frame]) -> bytes:
    """A window of the run called `run`, packed. Many frames are drawn by another process, unless that
    fails."""
    if takes_a_while(frame, window.shown) and (
        trace := pickled(run) if frame.trace.finished else pickle.dumps(frame.trace)
    ):
        with contextlib.suppress(TrainingError, Stopped):
            drawing = Drawing(window, frame.frame, frame.style, current_language(), trace)
            result: bytes = pickle.loads(drawers().run(drawing, Progress()))
            return result
    return window.packed(frame)


def reach(trace: Stepped) -> tuple[object, ...]:
    """The extent of a trace. A stopped one belongs to one session but has the whole run's name, and so has a
    growing one: keys of shared drawings need name and extent."""
    parts = trace.runs.values() if isinstance(trace, Comparison) else (trace,)
    return (*map(len, parts), trace.stop_reason)


def drawing_version(trace: Stepped, last: int) -> tuple[object, ...]:
    """The version of drawings of the steps up to `last`, among traces of the same run: empty if all show
    these steps in the same way."""
    if last > trace.settled:
        return reach(trace)
    return () if not isinstance(trace, UnigramTrace) or trace.knows_loss(0) else (trace.stop_reason,)


def rows(
    run: str,
    table: StepTable,
    trace: Stepped,
    step: int,
    style: Style,
    find: str = "",
    limit: int | None = None,
) -> bytes:
    """A table of a step as the browser gets it: made once for all sessions, except when somebody searches in
    it."""

    def make() -> bytes:
        return packed_table(table(trace[step], style, find, limit))

    key = (table, run, drawing_version(trace, step), step, style.show, limit, current_language())
    return make() if find else drawn(key, make, len)
