"""Counting on Dask: the map and reduce of `tokenizers_core/text/counting.py`, on all available processes or
machines.

A worker reads its block of a file itself and splits its words into shares: each word belongs to one share,
and each share is merged, and its rare words dropped, separately. So only packed counts travel, no process
holds all words of the corpus, and the results have no rare words.

Dask is an optional extra, imported only here, when a cluster is used.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final
from uuid import uuid4

import click

from tokenizers_core.text.counting import (
    BLOCK,
    FileBlock,
    Packed,
    WordCounts,
    blocks,
    count_block,
    gather,
    merge_packed,
    pack,
    shares,
)
from tokenizers_core.text.pipeline import Pipeline

MISSING: Final = (
    "Counting on a cluster needs Dask, which is not installed: "
    'pip install "distributed>=2025.1,<2027", or leave --workers and --scheduler out.'
)
ANSWERS_WITHIN: Final = 10
"""Seconds for a scheduler to say that it is one."""
PATIENCE: Final = 10
"""Seconds to wait for the first worker of a scheduler."""
FAN: Final = 8
"""How many counts one task merges."""
MOST_BLOCKS: Final = 4096
"""The most blocks of a corpus; larger corpora get larger blocks, as the scheduler has to know all of them."""


@contextmanager
def cluster(workers: int | None, scheduler: str | None) -> Iterator[Any]:
    """A Dask client: for the scheduler at an address, or for processes on this machine (they end with it)."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise click.ClickException(MISSING) from None
    if scheduler is not None:
        if not re.fullmatch(r"(\w+://)?\S+:[0-9]+", scheduler):
            raise click.UsageError(
                f"--scheduler {scheduler!r} is no address; write one like tcp://10.0.0.5:8786."
            )
        try:
            with ThreadPoolExecutor(1) as thread:  # has no loop yet
                thread.submit(asyncio.run, ask_scheduler(scheduler)).result()
            client = Client(scheduler, timeout=f"{ANSWERS_WITHIN}s", set_as_default=False)
        except Exception as error:  # whatever Dask makes of another protocol's answer
            reason = str(error).partition("\n")[0] or f"no answer within {ANSWERS_WITHIN} seconds"
            raise click.ClickException(
                f"There is no Dask scheduler at {scheduler}: {reason}; check the address and that it runs."
            ) from None
        with cluster_errors(), client:
            try:
                client.wait_for_workers(1, timeout=PATIENCE)
            except TimeoutError:
                raise click.ClickException(
                    f"The scheduler at {scheduler} has no workers; start some there: dask worker {scheduler}."
                ) from None
            yield client
        return
    # One thread each, as threads would wait for one another. Only this machine can reach them; there is no
    # dashboard.
    with (
        cluster_errors(),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            scheduler_kwargs={"dashboard": False},
            silence_logs="CRITICAL",
        ) as local,
        Client(local, set_as_default=False) as client,
    ):
        yield client


async def ask_scheduler(scheduler: str) -> None:
    """Ask whether there is one. Raises OSError, or Dask's other errors, if there is none.

    Dask's own client waits for ever for an answer, asks for exabytes where another protocol's server answers,
    and after that takes twenty seconds to close.
    """
    from distributed.core import connect

    async with asyncio.timeout(ANSWERS_WITHIN):
        line = await connect(scheduler, timeout=ANSWERS_WITHIN)
        try:
            await line.write({"op": "identity", "reply": True})
            answer = await line.read()
        finally:
            line.abort()
    if not isinstance(answer, Mapping) or answer.get("type") != "Scheduler":
        raise OSError("it is something else")


@contextmanager
def cluster_errors() -> Iterator[None]:
    """Turn a cluster's trouble into one line."""
    from distributed import KilledWorker

    # After Ctrl-C it complains about abandoned tasks.
    chatter = logging.getLogger("asyncio")
    usual = chatter.level
    chatter.setLevel(logging.CRITICAL)
    try:
        yield
    except KilledWorker:
        raise click.ClickException(
            "Workers were lost while they counted the same block, most likely for want of memory; "
            "use fewer of them, or machines with more memory."
        ) from None
    except (ImportError, RuntimeError) as error:
        # Dask has no error of its own for missing code.
        reason = str(error).partition("\n")[0].strip().rstrip(".")
        raise click.ClickException(
            f"The cluster can't run what counts: {reason}; its scheduler and its workers need this folder "
            "on their Python path, and the packages that this Python has."
        ) from None
    finally:
        chatter.setLevel(usual)


def count_on(
    client: Any,
    files: Sequence[str],
    pipeline: Pipeline,
    minimum: int,
    move: Callable[[int, int], None],
    size: int = BLOCK,
) -> WordCounts:
    """Count the words of files on a Dask cluster; its workers have the files under the same names.

    `move(done, total)` is called with the bytes counted so far. Raises the errors of `blocks`, `count_block`
    and `gather`.
    """
    from dask import delayed

    names = [os.path.abspath(name) for name in files]
    total = sum(map(os.path.getsize, names))
    pieces = list(blocks(names, max(size, total // MOST_BLOCKS)))
    dealt = sum(client.nthreads().values()) or 1
    topic = f"tokensteps-{uuid4().hex}"
    done = 0

    def on_event(event: tuple[float, int]) -> None:
        nonlocal done
        done = min(done + event[1], total)  # a block is counted again when its worker was lost
        move(done, total)

    count = delayed(count_shares, nout=dealt, pure=False)
    counted = [count(piece, pipeline, dealt, topic) for piece in pieces]
    client.subscribe_topic(topic, on_event)
    try:
        parts = client.compute([reduced([of[share] for of in counted], minimum) for share in range(dealt)])
        return gather((part.unpacked() for part in client.gather(parts)), pipeline, minimum)
    finally:
        client.unsubscribe_topic(topic)


def count_shares(block: FileBlock, pipeline: Pipeline, number: int, topic: str) -> list[Packed]:
    """On a worker: count a block, split its words into shares, and pack them."""
    from distributed import get_worker

    dealt = [pack(share) for share in shares(count_block(block, pipeline), number)]
    get_worker().log_event(topic, block.size)
    return dealt


def reduced(parts: Sequence[Any], minimum: int) -> Any:
    """The task to merge one share of all blocks, a few at a time, and to drop its rare words."""
    from dask import delayed

    join = delayed(merge_packed, pure=False)
    while len(parts) > FAN:
        parts = [join(parts[start : start + FAN]) for start in range(0, len(parts), FAN)]
    return join(parts, minimum)
