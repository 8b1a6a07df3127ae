"""A patch's check before it changes anything."""

from __future__ import annotations

from typing import Any


def require(owner: Any, *names: str) -> None:
    """Raise AttributeError unless `owner`, a module or a class, has these names: as its own, annotated, or
    set when one is made.

    >>> require(str, "upper")
    >>> require(str, "upper", "louder")
    Traceback (most recent call last):
    AttributeError: str has no louder
    """
    result = getattr(getattr(owner, "__init__", None), "__code__", None)
    known = {*getattr(owner, "__annotations__", ()), *(result.co_names if result is not None else ())}
    for name in names:
        if not hasattr(owner, name) and name not in known:
            raise AttributeError(f"{owner.__name__} has no {name}")
