"""``python -m benchmarks.step``: the cost of a step for the server.

A few sessions step through a run with already drawn steps, in a browser's form, three in a second. The
figures are the processor time of the server alone, and the time until the step's last message. Beside them is
a Streamlit app with the same settings, with one component in one fragment and an idle script: the cost of
Streamlit itself. Several checkouts take turns, so the machine's other work slows all of them.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack, ExitStack
from itertools import chain
from pathlib import Path
from shutil import copy
from statistics import median
from typing import Final, NamedTuple

import psutil

from benchmarks.load import ROOT, Session, opened, server, turns

EMPTY: Final = """
import gzip, json
import streamlit as st
from streamlit.starlette import App

HEAD = json.dumps({"run": "empty", "seek": [0, 1], "last": 80}).encode()
DATA = HEAD + b"\\n" + gzip.compress(b'{"frames": []}', mtime=0)

@st.fragment
def part():
    component = st.components.v2.component("empty.book", js="export default function book(given) {}\\n")
    component(key="bpe.book", data=DATA, on_step_change=lambda: None)

if __name__ == "__main__":
    part()
else:
    app = App(__file__)
"""
WHERE: Final = {"BPE": ("bpe", {"corpus": "course"}), "Unigram": ("unigram", {"corpus": "hug"})}
"""The pages for stepping, each with its address."""
VISITORS: Final = 8
STEPS: Final = 20
PAUSE: Final = 0.3
"""Seconds between two steps of a visitor: within the rate limit."""


class Cost(NamedTuple):
    """The average cost of a step."""

    processor: float
    """Seconds of the server's."""
    answer: float
    """Seconds until its last message."""


async def steps(port: int, process: psutil.Process, page: str, url: dict[str, str]) -> Cost:
    """The cost of all visitors' steps."""
    async with AsyncExitStack() as stack:
        there = [await stack.enter_async_context(opened(port, page, dict(url))) for _ in range(VISITORS)]
        for session in there:
            await session.run()
        before = sum(process.cpu_times()[:2])
        answers = await asyncio.gather(*(walk(session, number) for number, session in enumerate(there)))
        used = sum(process.cpu_times()[:2]) - before
    return Cost(used / (VISITORS * STEPS), median(chain.from_iterable(answers)))


async def walk(session: Session, number: int) -> list[float]:
    """One visitor's steps, shifted against the others'; the seconds of each."""
    await asyncio.sleep(PAUSE * number / VISITORS)
    answers = []
    for _ in range(STEPS):
        answers.append(await session.do_step())
        await asyncio.sleep(PAUSE)
    return answers


def row(name: str, costs: Sequence[Cost]) -> str:
    """A line of the table: medians, with the range of the processor time."""
    processor, answer = zip(*costs, strict=True)
    low, high = 1e3 * min(processor), 1e3 * max(processor)
    return f"| {name} | {1e3 * median(processor):.1f} ms ({low:.1f}–{high:.1f}) | {1e3 * median(answer):.1f} ms |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the steps and print the table."""
    options = turns("python -m benchmarks.step", __doc__).parse_args(arguments)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "app.py").write_text(EMPTY, encoding="utf-8")
        (folder / ".streamlit").mkdir()
        copy(ROOT / ".streamlit" / "config.toml", folder / ".streamlit")
        servers = {root.name: stack.enter_context(server(root)) for root in options.checkout or [ROOT]}
        empty = stack.enter_context(server(folder))
        costs: dict[str, list[Cost]] = {}
        targets = {
            f"{name}, {page}": (*servers[name], *where) for name in servers for page, where in WHERE.items()
        }
        targets["empty Streamlit app"] = (*empty, "bpe", {})
        for turn in range(options.repeats + 1):
            for name, target in targets.items():
                cost = asyncio.run(steps(*target))
                if turn:  # the first turn looks at the steps for the first time
                    costs.setdefault(name, []).append(cost)
    print(f"Medians of {options.repeats} (range).\n")
    print("| what | processor time of a step | until its last message |\n| --- | --- | --- |")
    for name, some in costs.items():
        print(row(name, some))


if __name__ == "__main__":
    main()
