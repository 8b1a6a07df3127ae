"""Caches with room for so many bytes, shared by all sessions: a learner's text may be of any length."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from sys import getsizeof
from typing import Any, Final, Generic, ParamSpec, Protocol, TypeVar

Parameters = ParamSpec("Parameters")
Key = TypeVar("Key")
Item = TypeVar("Item")
Item_co = TypeVar("Item_co", covariant=True)

ENTRY: Final = 300
"""Bytes of an entry besides its texts: its place, the tuple of its arguments, and the small objects in it."""


class SharedCache(Generic[Key, Item]):
    """Items by key, as many as there is room for: the least recently used one goes first. The newest always
    stays."""

    def __init__(self, room: int) -> None:
        self.room = room
        self._values: OrderedDict[Key, tuple[Item, int]] = OrderedDict()
        self._taken = 0
        self._lock = threading.Lock()

    def put(self, key: Key, value: Item, size: int) -> None:
        """Keep a value of this size."""
        with self._lock:
            self._drop(key)
            self._values[key] = value, size
            self._taken += size
            while self._taken > self.room and len(self._values) > 1:
                self._drop(next(iter(self._values)))

    def get(self, key: Key) -> Item | None:
        """The value under a key, if it is still here."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def keys(self) -> list[Key]:
        """The keys, the least recently used one first."""
        with self._lock:
            return [*self._values]

    @property
    def taken(self) -> int:
        """Bytes of all values."""
        return self._taken

    def clear(self) -> None:
        """Forget all values."""
        with self._lock:
            self._values.clear()
            self._taken = 0

    def drop(self, key: Key) -> None:
        """Forget the value under a key."""
        with self._lock:
            self._drop(key)

    def _drop(self, key: Key) -> None:
        _value, size = self._values.pop(key, (None, 0))
        self._taken -= size


class WeakSharedCache(Generic[Item]):
    """Values about objects such as tokenizers, without keeping those alive: the values of a vanished object
    go at the next `put`.

    No value may refer to its object.
    """

    def __init__(self, room: int) -> None:
        self._values: SharedCache[tuple[Any, ...], Item] = SharedCache(room)
        self._gone: list[weakref.ref[Any]] = []

    def put(self, about: object, key: tuple[Any, ...], value: Item, size: int) -> None:
        """Keep a value about an object, under a key beside it; it takes so much room."""
        if self._gone:
            self._gone.clear()
            gone = [key for key in self._values.keys() if key[0]() is None]  # noqa: SIM118 - no mapping
            for one in gone:
                self._values.drop(one)
        self._values.put((weakref.ref(about, self._gone.append), *key), value, size)

    def get(self, about: object, key: tuple[Any, ...]) -> Item | None:
        """The value about an object, if it is still here."""
        return self._values.get((weakref.ref(about), *key))


class Memo:
    """Values made at the first request: once for all sessions."""

    def __init__(self, room: int) -> None:
        self.cache: SharedCache[tuple[Any, ...], Any] = SharedCache(room)
        self._at_work: dict[tuple[Any, ...], threading.RLock] = {}
        self._lock = threading.Lock()

    def get(self, key: tuple[Any, ...], make: Callable[[], Item], size: Callable[[Item], int]) -> Item:
        """The value under `key`; if it isn't here, the result of `make`, kept while there is room for its
        `size`."""
        result: Item | None = self.cache.get(key)
        if result is not None:
            return result
        with self._lock:
            lock = self._at_work.setdefault(key, threading.RLock())
        with lock:  # in a class, everybody comes at once and waits for the first one's
            try:
                result = self.cache.get(key)
                if result is None:
                    result = make()
                    self.cache.put(key, result, size(result))
            finally:
                with self._lock:
                    self._at_work.pop(key, None)
        return result


class Bounded(Protocol[Parameters, Item_co]):
    """A function with cached results."""

    room: int
    size: Callable[..., int]
    __wrapped__: Callable[..., Any]
    """The function itself."""
    taken: Callable[[], int]
    """Bytes of all entries, by `size`."""
    cache_clear: Callable[[], None]

    def __call__(self, *arguments: Parameters.args, **named: Parameters.kwargs) -> Item_co: ...


def bounded(
    room: int, size: Callable[..., int]
) -> Callable[[Callable[Parameters, Item]], Bounded[Parameters, Item]]:
    """`functools.lru_cache` in bytes: `size(result, *arguments)` gives the bytes of an entry's texts.
    Arguments must be hashable; an entry larger than the room isn't kept.

    >>> @bounded(1_000_000, size=text_bytes)
    ... def shout(text):
    ...     print("made")
    ...     return text.upper()
    >>> shout("hug"), shout("hug")
    made
    ('HUG', 'HUG')
    """

    def decorate(make: Callable[Parameters, Item]) -> Bounded[Parameters, Item]:
        cache: SharedCache[Hashable, tuple[Item]] = SharedCache(room)

        @wraps(make)
        def get(*arguments: Parameters.args, **named: Parameters.kwargs) -> Item:
            key: Hashable = (arguments, *named.items()) if named else arguments
            result = cache.get(key)
            if result is None:
                result = (make(*arguments, **named),)
                taken = ENTRY + size(result[0], *arguments, **named)
                if taken <= room:
                    cache.put(key, result, taken)
            return result[0]

        function: Any = get
        function.room, function.size = room, size
        function.taken, function.cache_clear = lambda: cache.taken, cache.clear
        stored: Bounded[Parameters, Item] = function
        return stored

    return decorate


def text_bytes(*values: object) -> int:
    """Bytes of memory of texts, one to four a character, in lists and tuples too; other objects count as
    small.

    >>> text_bytes("x" * 1_000, 5, ("x" * 1_000,)) - 2 * text_bytes("x" * 1_000) < 200
    True
    """
    return sum(
        text_bytes(*value) + 8 * len(value) if isinstance(value, tuple | list) else _own_bytes(value)
        for value in values
    )


def _own_bytes(value: object) -> int:
    return getsizeof(value) if isinstance(value, str | bytes) else 32
