"""Results that are kept while there is room for them, counted in bytes: a learner's text may be of any length."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from sys import getsizeof
from typing import Any, Final, ParamSpec, Protocol, TypeVar

Parameters = ParamSpec("Parameters")
Kept = TypeVar("Kept")
Kept_co = TypeVar("Kept_co", covariant=True)

ENTRY: Final = 300
"""Bytes that an entry takes besides its texts: its place, the tuple of its arguments, and the small objects in it."""


class Bounded(Protocol[Parameters, Kept_co]):
    """A function that keeps its results."""

    room: int
    size: Callable[..., int]
    __wrapped__: Callable[..., Any]
    """The function itself."""
    taken: Callable[[], int]
    """Bytes that all entries take, as `size` says."""
    cache_clear: Callable[[], None]

    def __call__(self, *arguments: Parameters.args, **named: Parameters.kwargs) -> Kept_co: ...


def bounded(
    room: int, size: Callable[..., int]
) -> Callable[[Callable[Parameters, Kept]], Bounded[Parameters, Kept]]:
    """`functools.lru_cache` that counts bytes: `size(result, *arguments)` says how many an entry's texts have.

    Entries are in two generations. When the young one has filled half the room, it becomes the old one, and the old one is dropped; what is
    asked for again becomes young again. So a look-up needs no lock and no list of what was used when. Arguments must be hashable.

    >>> @bounded(1_000_000, size=text_bytes)
    ... def shout(text):
    ...     print("made")
    ...     return text.upper()
    >>> shout("hug"), shout("hug")
    made
    ('HUG', 'HUG')
    """

    def decorate(make: Callable[Parameters, Kept]) -> Bounded[Parameters, Kept]:
        young: dict[Hashable, tuple[Kept, int]] = {}
        old: dict[Hashable, tuple[Kept, int]] = {}
        fresh = 0

        @wraps(make)
        def get(*arguments: Parameters.args, **named: Parameters.kwargs) -> Kept:
            key: Hashable = (arguments, *named.items()) if named else arguments
            found = young.get(key)
            if found is not None:
                return found[0]
            found = old.get(key)
            if found is None:
                made = make(*arguments, **named)
                found = made, ENTRY + size(made, *arguments, **named)
            keep(key, found)
            return found[0]

        def keep(key: Hashable, found: tuple[Kept, int]) -> None:
            nonlocal young, old, fresh
            if found[1] > room // 2:
                return
            # Two threads at once may count an entry twice or not at all; the next generation starts from 0.
            if fresh + found[1] > room // 2:
                young, old, fresh = {}, young, 0
            young[key] = found
            fresh += found[1]

        def taken() -> int:
            return sum(bytes_ for _made, bytes_ in (old | young).values())

        def cache_clear() -> None:
            nonlocal young, old, fresh
            young, old, fresh = {}, {}, 0

        function: Any = get
        function.room, function.size = room, size
        function.taken, function.cache_clear = taken, cache_clear
        kept: Bounded[Parameters, Kept] = function
        return kept

    return decorate


def text_bytes(*values: object) -> int:
    """Bytes of memory that texts take, one to four a character, in lists and tuples too; other objects count as small.

    >>> text_bytes("x" * 1_000, 5, ("x" * 1_000,)) - 2 * text_bytes("x" * 1_000) < 200
    True
    """
    return sum(
        text_bytes(*value) + 8 * len(value) if isinstance(value, tuple | list) else _own_bytes(value)
        for value in values
    )


def _own_bytes(value: object) -> int:
    return getsizeof(value) if isinstance(value, str | bytes) else 32
