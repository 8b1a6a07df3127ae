"""A property that is worked out once, when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class cached_property(Generic[Value]):
    """`functools.cached_property`, for threads: two that ask one object for its value get one, and the second waits for it.

    That of Python 3.11 makes whoever asks *any* object of the class wait; that of 3.12 works a value out for each who asks.

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
        kept = instance.__dict__  # where Python looks first: with a value there, nobody comes here
        with kept.setdefault(self._lock, RLock()):
            try:
                if self._name not in kept:
                    kept[self._name] = self._work_out(instance)
            finally:
                kept.pop(self._lock, None)  # an object with a lock can't be pickled
        return kept[self._name]
