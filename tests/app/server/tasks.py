"""Training as a worker process must be able to import it, for tests/app/server/test_workers.py."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Callable
from typing import Any

from tokenizers_core import Corpus, train_bpe
from tokenizers_core.trace import Growing
from tokensteps.limits import TRACE_LIMIT

ANSWERS = 3
"""The descriptor for a worker's answers: its standard output is kept for them under the next free number."""


def out_of_memory(_corpus: Corpus, **_settings: Any) -> None:
    """End like a run in need of too much memory."""
    raise MemoryError


def killed(_corpus: Corpus, **_settings: Any) -> None:
    """End like a process killed by the system."""
    os._exit(9)


def loud(_corpus: Corpus, **_settings: Any) -> str:
    """Write on the standard output, which carries the answers, and on standard error, like a library in a
    panic."""
    print("not an answer", flush=True)
    os.write(1, b"neither")
    os.write(2, b"a visitor's words")
    return "heard"


def endless(_corpus: Corpus, **_settings: Any) -> None:
    """Take longer than anybody waits, without output."""
    time.sleep(600)


def busy(_corpus: Corpus, **_settings: Any) -> None:
    """Work for longer than anybody lets it."""
    while True:
        pass


def held_up(_corpus: Corpus, **_settings: Any) -> str:
    """Take longer than the limit by the clock without working, as on a machine busy with something else."""
    time.sleep(0.6)
    return "ended"


def until_stopped(corpus: Corpus, progress: Callable[[int, int | None], bool], **_settings: Any) -> Any:
    """Train BPE for 64 steps, and wait there until the learner presses Stop."""
    end = time.monotonic() + 60

    def tell(done: int, total: int | None) -> bool:
        while (goes_on := progress(done, total)) and done == 64 and time.monotonic() < end:
            time.sleep(0.01)
        return goes_on

    return train_bpe(corpus, progress=tell)


def killed_while_answering(_corpus: Corpus, **_settings: Any) -> Any:
    """End like a process killed by the system in the middle of its answer: a pickle of a hundred bytes, cut
    after three."""
    os.write(ANSWERS, pickle.dumps("x" * 100)[:3])
    os._exit(9)


def roomy(_corpus: Corpus, **settings: Any) -> int:
    """Take so many megabytes for a moment, then fail if asked to; the number of this process."""
    bytearray(settings["megabytes"] * 1_000_000).find(1)  # read, so that the system gives them
    if settings.get("fails"):
        raise MemoryError
    return os.getpid()


def at_once(growing: Any) -> Growing:
    """A worker's `growing` that sends every part, however soon it comes."""
    vars(growing.__self__).update(_next_cut=0.0, pause=lambda: 0.0)
    return growing  # type: ignore[no-any-return]


def at_every_step(corpus: Corpus, growing: Growing, **settings: Any) -> Any:
    """Train BPE, and tell the server of each step."""
    return train_bpe(corpus, growing=at_once(growing), **settings)


def too_large_to_send(corpus: Corpus, growing: Growing, **_settings: Any) -> str:
    """Hand over more than a server takes of a growing run, and then end."""
    trace = train_bpe(corpus, merges=1)
    at_once(growing)(lambda: trace)
    growing(lambda: bytes(TRACE_LIMIT))
    return "ended"
