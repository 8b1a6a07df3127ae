"""Training is data: a `Trace` records an algorithm's run, as snapshots with random access.

A trace of n steps has n + 1 snapshots: ``trace[0]`` is the start, ``trace[k]`` the state after k steps and
``trace[-1]`` the end. A snapshot never changes and never needs its neighbours, so a reader may step back,
jump or share one trace with a hundred others.

Long traces store each step's changes, not copies; `Replay` rebuilds any state from the nearest checkpoint.

A run in progress can be read, too. A training function hands out its record so far, first as a trace that is
not `finished`, then as the next parts; `trace.grown(part)` is a longer trace. The shorter one stays as it is,
so a reader in any thread never sees a trace change.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Protocol, SupportsIndex, TypeVar, overload

from tokenizers_core.errors import WrongTypeError, quoted

State = TypeVar("State")

GROWING: Final = "growing"
"""The `stop_reason` of a trace while its run is in progress."""
CutOff = Callable[[], Any]
"""Cuts off a run's record since the last cut: at first an unfinished trace, then a part for its `grown`."""
Growing = Callable[[CutOff], object]
"""Called again and again while a run grows; it may cut, or leave that for later: the next cut then includes
everything since."""


class Event(Protocol):
    """The event that turned snapshot k - 1 into snapshot k. Readers dispatch on `kind`."""

    @property
    def kind(self) -> str: ...


class Snapshot(Protocol):
    """The state after `step` steps: immutable, comparable, cheap to make."""

    @property
    def step(self) -> int: ...

    @property
    def event(self) -> Event: ...


class ByContent:
    """A snapshot with a reference to its trace: equal at the same step of one trace, or, in two traces, with
    the same content."""

    trace: Trace[Any]
    step: int

    @property
    def event(self) -> Event:
        """The event that turned the snapshot before into this one."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: step {self.step:,} of {len(self.trace):,}, {self.event.kind}>"

    def _content(self) -> tuple[object, ...]:
        """The whole contents of the snapshot."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        if self.trace is other.trace:
            return self.step == other.step
        return self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self.step)


AnySnapshot = TypeVar("AnySnapshot", bound=Snapshot, covariant=True)


class Trace(ABC, Generic[AnySnapshot]):
    """A run of an algorithm, recorded.

    ``len(trace)`` counts steps, so the valid indices are 0 (the start) to ``len(trace)`` (the end), and
    negative ones counted from the end. `stop_reason` says why the run ended there; in an unfinished trace,
    "growing".
    """

    stop_reason: str

    @property
    def finished(self) -> bool:
        """False if the run was still in progress at this record: then there may be a longer trace of it."""
        return self.stop_reason != GROWING

    @property
    def settled(self) -> int:
        """The last step with the same contents, including its hints at later steps, in every longer trace of
        the run.

        The last step isn't among them: there a trace says why it ended. −1 if no step is.
        """
        return len(self) - 1

    @abstractmethod
    def __len__(self) -> int:
        """The number of steps."""

    @abstractmethod
    def snapshot(self, step: int) -> AnySnapshot:
        """The state after `step` steps, 0 <= step <= len(trace)."""

    @overload
    def __getitem__(self, step: int, /) -> AnySnapshot: ...
    @overload
    def __getitem__(self, step: slice, /) -> list[AnySnapshot]: ...
    def __getitem__(self, step: int | slice, /) -> AnySnapshot | list[AnySnapshot]:
        if isinstance(step, slice):
            return [self.snapshot(one) for one in range(len(self) + 1)[step]]
        return self.snapshot(self.step_number(step))

    def step_number(self, step: SupportsIndex) -> int:
        """A step's number, from 0; a number below 0 is counted from the end. Raises WrongTypeError, and
        IndexError for a step not in the run."""
        try:
            wanted, last = operator.index(step), len(self)
        except TypeError:
            raise WrongTypeError(
                "step", step, "give a step's number, such as 1; trace[0:2] has several"
            ) from None
        if not -last - 1 <= wanted <= last:
            raise IndexError(
                f"step {step} is outside this trace: it has steps 0 (the start) to {last} (the end)"
            )
        return wanted % (last + 1)

    def __repr__(self) -> str:
        """One line, however long the run: which, how many steps, and why it ended."""
        return f"<{type(self).__name__}: {len(self):,} steps, stop_reason={self.stop_reason!r}>"

    def __iter__(self) -> Iterator[AnySnapshot]:
        """All snapshots, from the start to the end: one more than there are steps."""
        return (self.snapshot(step) for step in range(len(self) + 1))


@dataclass(frozen=True, repr=False)
class StoredTrace(Trace[AnySnapshot]):
    """A short trace with stored snapshots: the encoding of one word."""

    word: str
    snapshots: tuple[AnySnapshot, ...]
    stop_reason: str

    def __repr__(self) -> str:
        """One line: the word, the number of steps, and the reason of the end."""
        return f"<Encoding of {quoted(self.word)}: {len(self):,} steps, stop_reason={self.stop_reason!r}>"

    def __len__(self) -> int:
        return len(self.snapshots) - 1

    def snapshot(self, step: int) -> AnySnapshot:
        return self.snapshots[step]


@dataclass(eq=False)
class Replay(Generic[State]):
    """The state after any step, rebuilt by replaying changes on the nearest checkpoint before it.

    `start()` makes the state before the first step, `copy(state)` an independent copy, and `apply(state,
    step)` returns the state after `step`, given the one before it (which it may modify). Checkpoints are kept
    the first time a replay passes them, and so is the last returned state, so that stepping forward costs one
    step. A state is never modified after it was returned: several threads may share a `Replay`.

    >>> Replay(start=list, copy=list, apply=lambda state, step: [*state, step], every=2).at(5)
    [1, 2, 3, 4, 5]
    """

    start: Callable[[], State]
    copy: Callable[[State], State]
    apply: Callable[[State, int], State]
    every: int = 250
    _checkpoints: dict[int, State] = field(default_factory=dict, repr=False)
    _latest: tuple[int, State] | None = field(default=None, repr=False)

    def at(self, step: int) -> State:
        """The state after `step` steps; not to be modified."""
        reached, state = self._nearest(step)
        if reached == step:
            return state
        state = self.copy(state)
        while reached < step:
            reached += 1
            state = self.apply(state, reached)
            if reached % self.every == 0 and reached not in self._checkpoints:
                self._checkpoints[reached] = self.copy(state)
        self._latest = (step, state)
        return state

    def take_over(self, shorter: Replay[State]) -> None:
        """Continue from the checkpoints of another replay of the same run's beginning; that one may be in
        use."""
        self._checkpoints, self._latest = shorter._checkpoints, shorter._latest

    def _nearest(self, step: int) -> tuple[int, State]:
        latest = self._latest
        checkpoint = step - step % self.every
        while checkpoint > 0 and checkpoint not in self._checkpoints:
            checkpoint -= self.every
        if latest is not None and checkpoint <= latest[0] <= step:
            return latest
        if checkpoint == 0 and 0 not in self._checkpoints:
            self._checkpoints[0] = self.start()
        return checkpoint, self._checkpoints[checkpoint]
