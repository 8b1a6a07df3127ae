"""Cached values, computed on first use."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class cached_property(Generic[Value]):
    """`functools.cached_property`, for threads: if two ask one object for its value, it is worked out once
    and the second waits.

    In Python 3.11 a thread waits for *any* object of the class; in 3.12 each thread works the value out for
    itself.

    >>> class Word(str):
    ...     @cached_property
    ...     def reversed(self) -> str:
    ...         print("working")
    ...         return self[::-1]
    >>> word = Word("hug")
    >>> word.reversed, word.reversed
    working
    ('guh', 'guh')
    """

    def __init__(self, work_out: Callable[[Any], Value]) -> None:
        self._work_out = work_out
        self.__doc__ = work_out.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name, self._lock = name, f"lock of {name}"

    @overload
    def __get__(self, instance: None, owner: type) -> cached_property[Value]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        stored = instance.__dict__  # where Python looks first: once the value is there, this isn't called
        with stored.setdefault(self._lock, RLock()):
            try:
                if self._name not in stored:
                    stored[self._name] = self._work_out(instance)
            finally:
                stored.pop(self._lock, None)  # an object with a lock can't be pickled
        return stored[self._name]


class Recent(Generic[Value]):
    """A function's results, cached for the last few numbers.

    >>> squares = Recent(lambda number: print("working") or number**2, size=2)
    >>> squares.at(3), squares.at(3)
    working
    (9, 9)
    """

    def __init__(self, work_out: Callable[[int], Value], size: int) -> None:
        self._work_out, self._size = work_out, size
        self._cached: dict[int, Value] = {}
        self._lock = RLock()

    def at(self, number: int) -> Value:
        """The value for `number`; not to be modified."""
        with self._lock:
            if number not in self._cached:
                while len(self._cached) >= self._size:
                    del self._cached[next(iter(self._cached))]
                self._cached[number] = self._work_out(number)
            return self._cached[number]
