"""``python -m benchmarks.day``: a day of lectures at one server, in as many minutes as you like.

From eight to four, by a seeded script: four classes come, step, choose other corpora, follow their lecturer
and answer; somebody pastes 200 KB; files are uploaded; at noon there is hardly anybody; in the afternoon
people train on texts of their own. Everybody leaves.

The server's resources are reported each half hour: memory, open files and connections, threads, processes,
the content of its store. Before the day one visitor of each kind has been there, and has trained on each of
the ready corpora. Then, and after the day, the server is left alone until it has noticed the end of all
visits. The difference between the last row and the first is the day's remains: finished runs and drawn steps,
kept for the next visitor while there is room (`TRACES_ROOM`, `FRAMES_ROOM` in `tokensteps/limits.py`), and
the files behind links.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psutil

from benchmarks.classroom import Lesson, hold, shared_store
from benchmarks.load import LINKS, ROOT, TEXT_LENGTH, Hall, Times, act, bring, counted, opened, server
from benchmarks.text import prose
from tokensteps.limits import COLLECT_SECONDS, RECONNECT_SECONDS, TRAINER_IDLE_SECONDS

BEGIN: Final = 8.0
HOURS: Final = 8.0
CLASSES: Final = (8.25, 9.5, 10.75, 13.0)
"""The classes' beginnings; each takes an hour."""
ROUNDS: Final = tuple(BEGIN + half / 2 for half in range(1, int(2 * HOURS) + 1))
"""The times of the reports."""
ALONE: Final = RECONNECT_SECONDS + COLLECT_SECONDS + TRAINER_IDLE_SECONDS + 10
"""Seconds until nothing of a visitor is left: the session has ended, its memory was collected, the processes
have made way for new ones."""
STUDYING: Final = Hall(1, 3.0, 0)
"""A student's pace, and the share of texts of their own."""
AT_ONCE: Final = Hall(0, 0, 0, settle=0, opening=0)
"""A visitor with a large text right at the beginning."""
WITHIN: Final = 0.1
"""Allowed excess of the end over the beginning."""


@dataclass(frozen=True)
class Held:
    """A server's resources."""

    own: float
    """Megabytes of its own memory, and of all its processes."""
    memory: float
    descriptors: int
    threads: int
    processes: int
    files: int
    """Files in its store, and their megabytes."""
    store: float

    @classmethod
    def now(cls, process: psutil.Process, store: Path) -> Held:
        """The present ones."""
        everybody = [process, *process.children(recursive=True)]
        memory = [0.0]
        for one in everybody:
            with suppress(psutil.NoSuchProcess):
                memory.append(one.memory_info().rss / 1e6)
        files = [path.stat().st_size for path in store.rglob("*") if path.is_file()]
        return cls(
            memory[1],
            sum(memory),
            process.num_fds(),
            process.num_threads(),
            len(everybody),
            len(files),
            sum(files) / 1e6,
        )

    def row(self, name: str, there: int) -> str:
        """A row of a table in Markdown."""
        return (
            f"| {name} | {there} | {self.own:.0f} MB | {self.memory:.0f} MB | {self.descriptors} | {self.threads} | {self.processes} | "
            f"{self.files}, {self.store:.1f} MB |"
        )


class Day:
    """The visitors of a day, with their times and actions."""

    def __init__(self, port: int, minutes: float, students: int, seed: int) -> None:
        self.port, self.students = port, students
        self.chance = random.Random(seed)
        self.hour = 60 * minutes / HOURS
        """Real seconds of an hour."""
        self.begun = time.monotonic()
        self.times = Times(warm=0.0)
        self.there = 0
        self.lost_of_classes = 0

    def at(self, clock: float) -> float:
        """The real time of an hour of the day."""
        return self.begun + (clock - BEGIN) * self.hour

    def now(self) -> float:
        """The present hour of the day."""
        return BEGIN + (time.monotonic() - self.begun) / self.hour

    async def until(self, clock: float) -> None:
        """Wait until then."""
        await asyncio.sleep(max(0.0, self.at(clock) - time.monotonic()))

    def plan(self) -> Iterator[tuple[float, Coroutine[Any, Any, None]]]:
        """The visitors' times of arrival, each with the actions of the visit."""
        chance = self.chance
        for number, start in enumerate(CLASSES):
            yield start + 0.2, self.hold_class()
            yield start + 0.4, bring(self.port, number, AT_ONCE, self.times)
            for student in range(self.students):
                leaves = start + 0.85 + 0.15 * chance.random()
                yield start + 0.15 * chance.random(), self.study(student, leaves)
        for number in range(12):  # in the breaks and after the lectures
            comes = chance.choice((9.3, 12.2, 14.2, 14.6, 15.0)) + 0.3 * chance.random()
            yield comes, self.upload(number) if number % 3 else self.paste(number)

    async def hold_class(self) -> None:
        """A lecturer leads, students follow and answer."""
        seconds = 0.6 * self.hour
        steps = max(5, int(seconds))
        lesson = Lesson(self.students, steps, 3, min(3.0, seconds / 10), seconds / steps)
        self.lost_of_classes += (await hold([self.port], lesson)).lost

    async def study(self, number: int, leaves: float) -> None:
        """Step, and now and then choose another corpus or paste a text."""
        chance = random.Random(number)
        page, url = LINKS[number % len(LINKS)]
        async with opened(self.port, page, dict(url)) as session:
            self.times.add("open", await session.run())
            session.step = int(url["step"])
            while self.now() < leaves:
                await asyncio.sleep(chance.uniform(0.5, 1.5) * STUDYING.interval)
                session.failed = False
                await act(session, chance, STUDYING, self.times)
                self.times.lost += session.failed

    async def paste(self, number: int) -> None:
        """Train on a text of one's own."""
        start = 1_000 * number
        async with opened(self.port, "bpe", {"corpus": "course"}) as session:
            await session.run()
            self.times.add("paste", await session.do_paste(prose(100_000)[start : start + TEXT_LENGTH]))
            self.times.lost += session.failed

    async def upload(self, number: int) -> None:
        """Train on a file of one's own."""
        async with opened(self.port, ("bpe", "wordpiece")[number % 2], {"corpus": "course"}) as session:
            await session.run()
            text = prose(40_000 + 1_000 * number).encode()
            self.times.add("upload", await session.do_upload(self.port, f"text {number}.txt", text))
            self.times.lost += session.failed

    async def run(self, report: Callable[[str, int], None]) -> None:
        """The whole day, with a report each half hour."""

        async def visit(comes: float, visitor: Coroutine[Any, Any, None]) -> None:
            await self.until(comes)
            self.there += 1
            await counted(visitor, self.times)
            self.there -= 1

        everybody = [asyncio.create_task(visit(*one)) for one in self.plan()]
        for clock in ROUNDS:
            await self.until(clock)
            report(f"{int(clock)}:{int(60 * (clock % 1)):02}", self.there)
        await asyncio.gather(*everybody)


async def live(
    port: int, process: psutil.Process, store: Path, minutes: float, students: int, seed: int
) -> bool:
    """A day from before to after; whether nothing is left beyond the intended remains."""
    print("| Time | Visitors | Server | All processes | Open files | Threads | Processes | Store |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")

    def report(name: str, there: int) -> None:
        print(Held.now(process, store).row(name, there), flush=True)

    before = Day(port, minutes, students, seed)
    # One visitor of each kind comes and goes, and makes the first visitor's share: the runs of the ready
    # corpora, kept for all.
    for number, (page, url) in enumerate(LINKS):
        async with opened(port, page, dict(url)) as session:
            await session.run()
            for title in session.ready:
                await session.do_corpus(title)
        await bring(port, number, AT_ONCE, before.times)
    await before.upload(-1)
    await hold([port], Lesson(2, 3, 1, 0.5, 0.2))
    await asyncio.sleep(ALONE)
    first = Held.now(process, store)
    print(first.row("before", 0), flush=True)
    day = Day(port, minutes, students, seed)
    await day.run(report)
    await asyncio.sleep(ALONE)
    last = Held.now(process, store)
    print(last.row("after", 0), flush=True)
    for kind, number, median, most, greatest in day.times.rows():
        print(
            f"  {kind:17} {number:6,} clicks  p50 {median * 1e3:5.0f} ms  p95 {most * 1e3:6.0f} ms  max {greatest * 1e3:6.0f} ms"
        )
    print(f"  lost: {day.times.lost} clicks, {day.lost_of_classes} messages of classes")
    well = True
    for name in ("memory", "descriptors", "threads", "processes"):
        before, after = getattr(first, name), getattr(last, name)
        more = after / before - 1
        well &= more <= WITHIN
        print(
            f"  {name}: {before:.0f} → {after:.0f} ({more:+.0%}{'' if more <= WITHIN else ', more than 10 %'})"
        )
    return well and not day.times.lost


def main() -> None:
    """A day at a server of its own."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.day", description=__doc__)
    parser.add_argument("--minutes", type=float, default=20.0, help="how long the eight hours take")
    parser.add_argument("--students", type=int, default=25, help="of each class")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with shared_store():
        store = Path(os.environ["TOKENSTEPS_STORE"])
        with server(ROOT) as (port, process):
            print(
                f"A day in {options.minutes:g} minutes, classes of {options.students}, seed {options.seed}; load of the machine before: {os.getloadavg()[0]:.1f}"
            )
            well = asyncio.run(live(port, process, store, options.minutes, options.students, options.seed))
            print(f"  load of the machine after: {os.getloadavg()[0]:.1f}")
    raise SystemExit(not well)


if __name__ == "__main__":
    main()
