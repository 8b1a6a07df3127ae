"""Properties worked out once (`tokenizers_core/lazy.py`). Oracle: counting, and threads that meet at
events."""

from __future__ import annotations

import pickle
import threading

import pytest

from tokenizers_core.lazy import cached_property

PATIENT = 30.0


class Slow:
    """Has a property that waits for the test."""

    def __init__(self, gate: threading.Event | None = None) -> None:
        self.gate, self.times, self.begun = gate, 0, threading.Event()

    @cached_property
    def value(self) -> object:
        """Worked out."""
        self.times += 1
        self.begun.set()
        assert self.gate is None or self.gate.wait(PATIENT)
        return object()


def test_one_object_works_out_one_value_for_all() -> None:
    gate = threading.Event()
    slow, result = Slow(gate), []
    askers = [threading.Thread(target=lambda: result.append(slow.value)) for _ in range(8)]
    for asker in askers:
        asker.start()
    assert slow.begun.wait(PATIENT)
    gate.set()
    for asker in askers:
        asker.join(PATIENT)
    assert result == [slow.value] * 8 and slow.times == 1


def test_another_object_does_not_wait() -> None:
    gate = threading.Event()
    slow = Slow(gate)
    asker = threading.Thread(target=lambda: slow.value)
    asker.start()
    assert slow.begun.wait(PATIENT)
    assert Slow().value is not None
    gate.set()
    asker.join(PATIENT)


def test_an_error_leaves_nothing_behind() -> None:
    class Failing:
        times = 0

        @cached_property
        def value(self) -> int:
            self.times += 1
            return 1 // (self.times - 1)

    failing = Failing()
    with pytest.raises(ZeroDivisionError):
        _ = failing.value
    assert vars(failing) == {"times": 1}
    assert failing.value == 1 == failing.value and failing.times == 2


def test_cached_values_are_no_obstacle_to_pickling() -> None:
    slow = Thing()
    assert slow.value == 1 and pickle.loads(pickle.dumps(slow)).value == 1
    assert Thing.__dict__["value"].__doc__ == "One."


class Thing:
    @cached_property
    def value(self) -> int:
        """One."""
        return 1
