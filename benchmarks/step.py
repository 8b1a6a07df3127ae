"""``python -m benchmarks.step``: what a step costs the server.

One session steps through a run whose steps have been looked at before, as a browser reports them, with a pause between two. Counted is the
processor time of the server alone, and the time until the step's last message. Beside it stands a Streamlit app that is one fragment with
one component, whose script does nothing: what Streamlit itself costs. Several checkouts take turns, so what else the machine does slows all
of them.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

import psutil

from benchmarks.load import ROOT, opened, server

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
"""The pages that are stepped through, each with its address."""
STEPS: Final = 80
PAUSE: Final = 0.05
"""Seconds between two steps: within what one visitor may ask for."""


class Cost(NamedTuple):
    """What a step took, on average."""

    processor: float
    """Seconds of the server's."""
    answer: float
    """Seconds until its last message."""


async def steps(port: int, process: psutil.Process, page: str, url: dict[str, str]) -> Cost:
    """One visitor's steps."""
    async with opened(port, page, dict(url)) as session:
        await session.run()
        for _ in range(session.head["last"] + 2):  # every step has been looked at, and so has the first one
            await session.do_step()
            await asyncio.sleep(PAUSE)
        before, answers = sum(process.cpu_times()[:2]), []
        for _ in range(STEPS):
            answers.append(await session.do_step())
            await asyncio.sleep(PAUSE)
        return Cost((sum(process.cpu_times()[:2]) - before) / STEPS, median(answers))


def row(name: str, costs: Sequence[Cost]) -> str:
    """A line of the table: medians, with the range of the processor time."""
    processor, answer = zip(*costs, strict=True)
    low, high = 1e3 * min(processor), 1e3 * max(processor)
    return f"| {name} | {1e3 * median(processor):.1f} ms ({low:.1f}–{high:.1f}) | {1e3 * median(answer):.1f} ms |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the steps and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.step", description=__doc__)
    parser.add_argument("--repeats", type=int, default=5, choices=range(1, 101), metavar="1..100")
    parser.add_argument(
        "--checkout", type=Path, action="append", help="a folder with another version of the app"
    )
    asked = parser.parse_args(arguments)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "app.py").write_text(EMPTY, encoding="utf-8")
        found = {root.name: stack.enter_context(server(root)) for root in asked.checkout or [ROOT]}
        empty = stack.enter_context(server(folder))
        costs: dict[str, list[Cost]] = {}
        for _ in range(asked.repeats):
            for name, (port, process) in found.items():
                for page, (path, url) in WHERE.items():
                    cost = asyncio.run(steps(port, process, path, url))
                    costs.setdefault(f"{name}, {page}", []).append(cost)
            costs.setdefault("empty Streamlit app", []).append(asyncio.run(steps(*empty, "bpe", {})))
    print(f"Medians of {asked.repeats} (range).\n")
    print("| what | processor time of a step | until its last message |\n| --- | --- | --- |")
    for name, some in costs.items():
        print(row(name, some))


if __name__ == "__main__":
    main()
