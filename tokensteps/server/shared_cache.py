"""Values that all sessions share, as many as there is room for."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

from tokensteps.bounded import ENTRY, text_bytes
from tokensteps.limits import DOWNLOADS_ROOM, FRAMES_ROOM, REMEMBERED_ROOM

Key = TypeVar("Key")
Item = TypeVar("Item")


class SharedCache(Generic[Key, Item]):
    """Items by key, as many as there is room for: the least recently used one goes first. The newest always stays."""

    def __init__(self, room: int) -> None:
        self.room = room
        self._values: OrderedDict[Key, tuple[Item, int]] = OrderedDict()
        self._taken = 0
        self._lock = threading.Lock()

    def put(self, key: Key, value: Item, size: int) -> None:
        """Keep a value that takes so much room."""
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

    def drop(self, key: Key) -> None:
        """Forget the value under a key."""
        with self._lock:
            self._drop(key)

    def _drop(self, key: Key) -> None:
        _value, size = self._values.pop(key, (None, 0))
        self._taken -= size


class WeakSharedCache(Generic[Item]):
    """Values about objects such as tokenizers, which it doesn't keep alive: what is about one that is gone goes at the next `put`.

    No value may refer to the object that it is about.
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
    """A shelf of values that are made when they are first asked for: once for all sessions."""

    def __init__(self, room: int) -> None:
        self.shelf: SharedCache[tuple[Any, ...], Any] = SharedCache(room)
        self._at_work: dict[tuple[Any, ...], threading.RLock] = {}
        self._lock = threading.Lock()

    def get(self, key: tuple[Any, ...], make: Callable[[], Item], size: Callable[[Item], int]) -> Item:
        """The value under `key`; if it isn't here, what `make` makes, kept while there is room for its `size`."""
        found: Item | None = self.shelf.get(key)
        if found is not None:
            return found
        with self._lock:
            lock = self._at_work.setdefault(key, threading.RLock())
        with lock:  # a class that comes in at once waits for the first one's
            try:
                found = self.shelf.get(key)
                if found is None:
                    found = make()
                    self.shelf.put(key, found, size(found))
            finally:
                with self._lock:
                    self._at_work.pop(key, None)
        return found


_drawings: Final = Memo(FRAMES_ROOM)
_remembered: Final = Memo(REMEMBERED_ROOM)
_downloads: Final = Memo(DOWNLOADS_ROOM)


def drawn(key: tuple[Any, ...], draw: Callable[[], Item], size: Callable[[Item], int]) -> Item:
    """What `draw` draws for `key`, frames or a table: kept while there is room for its `size` in bytes."""
    return _drawings.get(key, draw, size)


def at_hand(key: tuple[Any, ...]) -> Any | None:
    """What was drawn for `key`, if it is still there."""
    return _drawings.shelf.get(key)


def remembered(key: tuple[Any, ...], make: Callable[[], Item]) -> Item:
    """What `make` makes for `key`: lists and texts, which are pure functions of their key. Kept while there is room for their bytes."""
    return _remembered.get(key, make, lambda value: ENTRY + text_bytes(key, value))


def made_once(make: Callable[[], str | bytes]) -> Callable[[], str | bytes]:
    """`make`, for a file to download: however often a browser asks for it, it is made once, and kept while there is room."""
    key = (object(),)
    return lambda: _downloads.get(key, make, len)
