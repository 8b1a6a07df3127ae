"""Work of the `tokenizers` library with a time limit, and its panics as errors.

The library's Rust code panics on some texts, and a panic is a `BaseException`. Its `encode` holds the GIL, so a hostile regular
expression would stop every session; `encode_batch` releases the GIL, so all work on texts happens there, in a thread that is
abandoned when it takes too long.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final, TypeVar

from tokenizers_core.errors import quoted
from tokensteps.catalogue.files.errors import MESSAGE_CHARACTERS, EncodeError
from tokensteps.limits import ENCODING_SECONDS, RUNAWAYS

Outcome = TypeVar("Outcome")

_runaways: Final[list[threading.Thread]] = []
"""The abandoned threads of all tokenizers."""
_runaways_lock: Final = threading.Lock()


class TimeLimit:
    """Runs one tokenizer's work on texts."""

    def __init__(self, name: str, has_patterns: bool) -> None:
        """`name` is the tokenizer's; `has_patterns` says that it has regular expressions, which may run away."""
        self._name = name
        self._has_patterns = has_patterns
        self._abandoned: list[threading.Thread] = []
        self._lock = threading.Lock()

    def run(self, work: Callable[[], Outcome]) -> Outcome:
        """What `work` returns. A thread can't be ended, so one that takes too long is left behind. Raises EncodeError."""
        self._refuse_when_crowded()
        outcome: list[Outcome] = []
        failure: list[BaseException] = []

        def attempt() -> None:
            try:
                outcome.append(work())
            except BaseException as error:  # a panic is no Exception: they are told apart below
                failure.append(error)

        thread = threading.Thread(target=attempt, daemon=True)
        thread.start()
        thread.join(ENCODING_SECONDS)
        if thread.is_alive():
            with self._lock:
                self._abandoned.append(thread)
            with _runaways_lock:
                _runaways.append(thread)
            raise EncodeError("slow", self._name, seconds=f"{ENCODING_SECONDS:g}")
        if not failure:
            return outcome[0]
        message = quoted(str(failure[0]), MESSAGE_CHARACTERS)
        if isinstance(failure[0], Exception):
            raise EncodeError("failed", self._name, message=message) from None
        if is_panic(failure[0]):
            raise EncodeError("panic", self._name, message=message) from None
        raise failure[0]

    def _refuse_when_crowded(self) -> None:
        with self._lock:
            self._abandoned = [thread for thread in self._abandoned if thread.is_alive()]
            if self._abandoned:
                raise EncodeError("busy", self._name)
        with _runaways_lock:
            _runaways[:] = [thread for thread in _runaways if thread.is_alive()]
            if self._has_patterns and len(_runaways) >= RUNAWAYS:
                raise EncodeError("crowded", self._name)


def is_panic(error: BaseException) -> bool:
    """Whether the library's Rust code panicked. The exception's class can't be imported, only recognized."""
    return type(error).__name__ == "PanicException" and type(error).__module__ == "pyo3_runtime"
