"""Messages between pages, jobs and worker processes: tasks, their progress, and reasons for failure."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar

from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.text.splitting import has_own_pattern
from tokenizers_core.trace import CutOff
from tokensteps.language.i18n import N_
from tokensteps.limits import FORGOTTEN_SECONDS, HERE_SECONDS, SMALL_TASK, TRAINING_SECONDS
from tokensteps.server.costs import expected_seconds

Result_co = TypeVar("Result_co", covariant=True)

LOOKED_SOON: Final = 0.25
LOOKED_LATE: Final = 1.0
"""Seconds between two looks at a growing run, at least and at most."""


class Stopped(Exception):
    """Raised inside a job stopped by the learner before there was anything to show."""


class TrainingError(TokenizersCoreError):
    """A run beyond this server's limits. `why` is a key of `templates`.

    >>> print(TrainingError("busy", 60))
    60 runs are already waiting for training: try again in a minute.
    """

    templates: ClassVar[Mapping[str, str]] = {
        "memory": N_(
            "Training this takes more than {limit} MB of memory: use a shorter text, a smaller vocabulary or a smaller seed."
        ),
        "time": N_(
            "Training this takes more than {limit} seconds: stop it earlier to see how far it gets, or use a "
            "shorter text, a smaller vocabulary or a smaller seed."
        ),
        "large": N_("This run has too many steps to keep, more than {limit} MB: choose a vocabulary size."),
        "lost": N_("The training process ended early: try again, or use a shorter text."),
        "busy": N_("{limit} runs are already waiting for training: try again in a minute."),
    }

    def __init__(self, why: str, limit: float = 0) -> None:
        self.why = why
        self.template = self.templates[why]
        super().__init__(limit=f"{limit:g}")


@dataclass
class Progress:
    """How far a job is: the job writes it, the page reads it."""

    phase: str = "reading"
    doing: str = "training"
    """The kind of its steps: training, or "checking" a vocabulary."""
    done: int = 0
    total: int | None = None
    stop: bool = False
    size: int = 1
    """The room of the result in its cache."""
    session: str = ""
    """The session of the job; "" for nobody's, outside of the fair shares."""
    last_read: float = field(default_factory=time.monotonic)
    """When a page last read it."""
    trace: Any = None
    """The trace of a growing run so far: a longer one takes its place. None before the first part, and for
    runs without a view of their growth."""
    began: float = field(default_factory=time.monotonic)
    """The time of its request."""
    clock: Callable[[], float] = lambda: time.monotonic()
    """The clock: a test has its own."""
    news: threading.Event = field(default_factory=threading.Event)
    """Set as soon as there is a step to look at besides the start, and at the end."""

    def characters(self, done: int) -> None:
        """Called while a corpus is being read. Raises Stopped to end the reading."""
        self.phase, self.done = "reading", done
        if self.stop:
            raise Stopped

    def steps(self, done: int, total: int | None) -> bool:
        """Called while training; False ends it there, with the steps so far."""
        self.phase, self.done, self.total = "training", done, total
        return not self.stop

    def growing(self, cut: CutOff) -> None:
        """Called while a run grows, with a function for the steps since the last call. A run trained on the
        spot ends before anybody could look."""

    def grow(self, part: Any) -> None:
        """Take in a part: a trace at first, then its continuations."""
        self.trace = part if self.trace is None else self.trace.grown(part)
        if len(self.trace):
            self.news.set()

    def pause(self) -> float:
        """Seconds until the next look at a growing run: few at first, then a share of its time, so that
        looking costs a long run next to nothing; and no more than its likely rest."""
        passed = self.clock() - self.began
        left = passed * (self.total / self.done - 1) if self.total and self.done else math.inf
        return max(LOOKED_SOON, min(passed / 3, left, LOOKED_LATE))

    @property
    def over(self) -> bool:
        """Whether it was stopped, or unread by pages for so long that none will come back."""
        return self.stop or self.clock() - self.last_read > FORGOTTEN_SECONDS


class Work(Protocol):
    """A task for a worker process. Both it and its result are pickled."""

    def __call__(self, progress: Progress, /) -> Any: ...

    @property
    def seconds(self) -> float:
        """Its expected seconds: the shortest work goes first."""

    @property
    def limit(self) -> float:
        """Seconds of processor time after which its process is ended."""


class Readable(Protocol):
    """The source of a corpus. It is pickled on its way to a worker."""

    @property
    def data(self) -> bytes:
        """The original text or file."""

    def corpus(self, pipeline: Pipeline, progress: Callable[[int], None] | None = None) -> Corpus:
        """Read it; `progress` is called with the number of characters so far."""


@dataclass(frozen=True)
class Task(Generic[Result_co]):
    """A training task for a worker: called with a `Progress`, it returns the trace."""

    train: Callable[..., Result_co]
    """A function of the engine: from a corpus, `progress` and the settings to a trace."""
    source: Readable
    pipeline: Pipeline
    settings: Mapping[str, Any]
    grows: bool = False
    """Whether the function can show its growing trace."""

    def __call__(self, progress: Progress) -> Result_co:
        corpus = self.source.corpus(self.pipeline, progress.characters)
        growing = {"growing": progress.growing} if self.grows else {}
        return self.train(corpus, progress=progress.steps, **growing, **self.settings)

    @property
    def limit(self) -> float:
        """Seconds of processor time after which its process is ended."""
        return TRAINING_SECONDS

    @cached_property
    def seconds(self) -> float:
        """Its expected seconds."""
        return expected_seconds(self.train, self.settings, self.source.data, self.pipeline)


def worth_sending(task: Task[object]) -> bool:
    """Whether a task may slow the server down: a large text, a long training, or a visitor's own pattern."""
    return (
        len(task.source.data) > SMALL_TASK
        or task.seconds > HERE_SECONDS
        or has_own_pattern(task.pipeline.pre_tokenizer, task.pipeline.pattern)
        or bool(task.pipeline.own_patterns)
    )
