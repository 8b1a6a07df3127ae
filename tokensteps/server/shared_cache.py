"""Values shared by all sessions, as many as there is room for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tokensteps.bounded import ENTRY, Item, Memo, text_bytes
from tokensteps.limits import DOWNLOADS_ROOM, FRAMES_ROOM, REMEMBERED_ROOM

drawings: Final = Memo(FRAMES_ROOM)
remembered_values: Final = Memo(REMEMBERED_ROOM)
_downloads: Final = Memo(DOWNLOADS_ROOM)


def drawn(key: tuple[Any, ...], draw: Callable[[], Item], size: Callable[[Item], int]) -> Item:
    """The drawing for `key`, frames or a table: cached while there is room for its `size` in bytes."""
    return drawings.get(key, draw, size)


def at_hand(key: tuple[Any, ...]) -> Any | None:
    """The drawing cached for `key`, if it is still there."""
    return drawings.cache.get(key)


def remembered(key: tuple[Any, ...], make: Callable[[], Item]) -> Item:
    """The lists and texts of `make` for `key`, a pure function of the key. Cached while there is room for
    their bytes."""
    return remembered_values.get(key, make, lambda value: ENTRY + text_bytes(key, value))


def cached_download(make: Callable[[], str | bytes]) -> Callable[[], str | bytes]:
    """`make`, for a file to download: made once for any number of requests, and cached while there is
    room."""
    key = (object(),)
    return lambda: _downloads.get(key, make, len)
