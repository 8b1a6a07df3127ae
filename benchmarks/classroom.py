"""``python -m benchmarks.classroom``: a class of hundreds follows a lecturer and answers, in the app's own
protocol.

Every student has an event stream and a connection for answers, like a browser. Times run from the lecturer's
sending to the event at a student's socket, and from a student's sending to the count on the lecturer's wall;
since answers are counted and not named, the first count of n or more is that of the n-th answer sent. Every
message is counted; lost and repeated ones are reported.

The servers are started for the test, on this machine, and ended after it; students and seconds are bounded by
the arguments. Everything goes to 127.0.0.1. Client and servers share the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from benchmarks.load import ROOT, Usage, server

API = "/class/api"
HALL = 300
"""Students behind one address; the next ones have another."""
CHOICES = ("e r", "i s", "Ġ t", "a n")
AGAIN = 1.0
"""Seconds until a browser comes back."""
TEXT_LIMIT = 1 << 22
PATIENCE = 60.0
"""Seconds until somebody counts as lost."""


class Refused(Exception):
    """A refusal by the server."""


class Browser:
    """A browser with a connection for messages and one for events."""

    def __init__(self, ports: Sequence[int], number: int = 0) -> None:
        self.ports, self.number, self.turn = ports, number, number
        self.source = f"127.0.0.{2 + number // HALL}"
        """Its own address: the loopback has many."""
        self.credential = ""
        self.last = 0
        self.line: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.turns = asyncio.Lock()
        self.listening = asyncio.Event()
        self.back = 0.0
        """The last time that its stream was opened."""

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        port = self.ports[self.turn % len(self.ports)]
        return await asyncio.open_connection("127.0.0.1", port, local_addr=(self.source, 0), limit=TEXT_LIMIT)

    async def post(self, path: str, **body: Any) -> dict[str, Any]:
        """Send a message; returns the response. Raises Refused, and OSError or IncompleteReadError if the
        server, or its store, has gone."""
        async with self.turns:
            status, response = await self.exchange(path, **body)
        if status != 200:  # 503: it can't reach its store just now
            raise (OSError if status == 503 else Refused)(f"{path}: {status} {response}")
        return response

    async def exchange(self, path: str, **body: Any) -> tuple[int, dict[str, Any]]:
        """Send a message, one at a time; returns the status and the response."""
        if self.line is None:
            self.line = await self._connect()
        reader, writer = self.line
        data = json.dumps({"as": self.credential, **body}).encode()
        head = (
            f"POST {API}/{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(data)}\r\n\r\n"
        )
        try:
            writer.write(head.encode() + data)
            return await _answer_from(reader)
        except (OSError, EOFError, ValueError):
            self.drop()
            raise

    async def insist(self, path: str, **body: Any) -> dict[str, Any]:
        """Send a message again and again, to other servers, too, until it arrives."""
        tries = 0
        while True:
            try:
                return await self.post(path, **body)
            except (OSError, EOFError, ValueError):  # it may only be an idle connection
                tries += 1
                self.turn += tries % 2 == 0
                await asyncio.sleep(AGAIN / 4)

    def drop(self) -> None:
        """Give up the connection for messages."""
        if self.line is not None:
            self.line[1].close()
            self.line = None

    async def listen(self, code: str, on_event: Callable[[str, Any, float], None]) -> None:
        """Take events until cancelled; after a break of the stream, reconnect like a browser, to another
        server."""
        while True:
            with suppress(OSError, EOFError, ValueError):
                await self._listen(code, on_event)
            self.turn += 1
            await asyncio.sleep(AGAIN)

    async def _listen(self, code: str, on_event: Callable[[str, Any, float], None]) -> None:
        reader, writer = await self._connect()
        try:
            after = f"&after={self.last}" if self.last else ""
            writer.write(
                f"GET {API}/{code}/events?as={self.credential}{after} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
            )
            if b" 200 " not in await reader.readline():
                raise ValueError("no stream")
            name, number = "", 0
            while (await reader.readline()).strip():
                pass
            async for line in _lines_from(reader):
                match line.partition(b": "):
                    case b"retry", _, _:
                        self.back = time.monotonic()
                        self.listening.set()
                    case b"id", _, value:
                        number = int(value)
                    case b"event", _, value:
                        name = value.decode().strip()
                    case b"data", _, value:
                        self.last = number
                        on_event(name, json.loads(value), time.monotonic())
        finally:
            writer.close()


async def _lines_from(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """The lines of a response in chunks; these end anywhere."""
    rest = b""
    while size := int(await reader.readline(), 16):
        *lines, rest = (rest + await reader.readexactly(size)).split(b"\n")
        await reader.readexactly(2)
        for line in lines:
            yield line


async def _answer_from(reader: asyncio.StreamReader) -> tuple[int, dict[str, Any]]:
    first = (await reader.readline()).split()
    if len(first) < 2:  # an idle connection
        raise EOFError
    status, length = int(first[1]), 0
    while line := (await reader.readline()).strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    body = await reader.readexactly(length)
    if not body.startswith(b"{"):  # nginx's own words
        raise ValueError(f"{status} {body[:80]!r}")
    return status, json.loads(body)


@dataclass
class Lesson:
    """The plan of a lesson."""

    students: int
    steps: int = 60
    questions: int = 10
    answer_within: float = 5.0
    pace: float = 1.0
    """Seconds between two steps."""
    every: float = 0.0
    """Seconds from one question to the next, at least."""


@dataclass
class Outcome:
    """The result of a lesson."""

    lesson: Lesson
    followed: list[float] = field(default_factory=list)
    """Seconds from the lecturer's step to a student's socket."""
    counted: list[float] = field(default_factory=list)
    """Seconds from an answer to the wall."""
    lost: int = 0
    twice: int = 0
    refused: int = 0
    answers: int = 0
    """Answers in the summary, of all sent ones."""
    wrong: int = 0
    """Answers in the summary other than the student's own."""
    joining: float = 0.0
    back: float = 0.0
    """Seconds until the last student got events again."""
    share: float = 0.0
    memory: tuple[float, float] = (0.0, 0.0)

    def lines(self) -> Iterator[str]:
        """The report."""
        lesson = self.lesson
        yield (
            f"{lesson.students} students, {lesson.steps:,} steps, {lesson.questions} questions: "
            f"all in after {self.joining:.1f} s; lost {self.lost}, twice {self.twice}, refused {self.refused}"
        )
        for name, times in (("step → student", self.followed), ("answer → wall", self.counted)):
            if times:
                cells = "  ".join(
                    f"{label} {quantile(times, share) * 1e3:5.0f} ms" for label, share in QUANTILES
                )
                yield f"  {name:15} {len(times):7,} messages  {cells}"
        yield f"  answers kept {self.answers:,} of {lesson.students * lesson.questions:,}, not one's own {self.wrong}"
        if self.back:
            yield f"  back after the loss of a server: the last after {self.back:.1f} s"
        yield f"  processor {self.share:.0%} of one core, memory {self.memory[0]:.0f} → {self.memory[1]:.0f} MB"


QUANTILES = (("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("max", 1.0))


def quantile(times: Sequence[float], share: float) -> float:
    """The quantile of the times for this share."""
    return sorted(times)[max(0, math.ceil(share * len(times)) - 1)]


class Hall:
    """A lecturer and the students, at servers with a common store."""

    def __init__(self, ports: Sequence[int], lesson: Lesson, outcome: Outcome) -> None:
        self.lesson, self.outcome, self.code = lesson, outcome, ""
        self.lecturer = Browser(ports[:1])
        self.students = [Browser(ports, number) for number in range(lesson.students)]
        self.numbers: dict[int, Browser] = {}
        self.stepped: dict[int, float] = {}
        self.received: Counter[tuple[int, int]] = Counter()
        self.sent: dict[int, list[float]] = {}
        self.reached: dict[int, int] = {}
        self.tasks: list[asyncio.Task[Any]] = []

    async def come(self) -> None:
        """Open the class, let everybody in, and wait for all listeners."""
        start = time.monotonic()
        opened = await self.lecturer.insist("open", nicknames=True)
        self.code, self.lecturer.credential = opened["code"], opened["key"]
        turns = asyncio.Semaphore(40)

        async def join(student: Browser) -> None:
            async with turns:
                joined = await student.insist(f"{self.code}/join", nickname=f"s{student.number}")
            student.credential = joined["device"]
            self.numbers[joined["number"]] = student
            self.start(student.listen(self.code, lambda *event: self.student_hears(student, *event)))

        self.start(self.lecturer.listen(self.code, self.lecturer_hears))
        await asyncio.gather(*map(join, self.students))
        await asyncio.gather(*(one.listening.wait() for one in (self.lecturer, *self.students)))
        self.outcome.joining = time.monotonic() - start

    def start(self, what: Any) -> None:
        """Start a background task."""
        self.tasks.append(asyncio.create_task(what))

    async def act(self, action: str, **body: Any) -> dict[str, Any]:
        """An action of the lecturer."""
        return await self.lecturer.insist(f"{self.code}/{action}", **body)

    def student_hears(self, student: Browser, name: str, data: Any, now: float) -> None:
        """An event at a student's socket."""
        if name == "place":
            self.received[student.number, data["step"]] += 1
            self.outcome.followed.append(now - self.stepped[data["step"]])
        elif name == "ask" or (name == "state" and data["round"] and data["round"]["state"] == "open"):
            number = data["round"] if name == "ask" else data["round"]["round"]
            if number not in student.__dict__.setdefault("answered", set()):
                student.__dict__["answered"].add(number)
                self.start(self.answer(student, number))

    async def answer(self, student: Browser, number: int) -> None:
        """A student answers, within the time."""
        await asyncio.sleep(
            random.Random(1000 * number + student.number).random() * self.lesson.answer_within
        )
        self.sent.setdefault(number, []).append(time.monotonic())
        try:
            await student.insist(f"{self.code}/answer", round=number, answer=own(student.number, number))
        except Refused as error:
            print(error, file=sys.stderr)
            self.outcome.refused += 1

    def lecturer_hears(self, name: str, data: Any, now: float) -> None:
        """An event at the lecturer's socket."""
        if name == "tally":
            number, before = data["round"], self.reached.get(data["round"], 0)
            times = sorted(self.sent.get(number, []))[before : data["answered"]]
            self.outcome.counted += [now - sent for sent in times]
            self.reached[number] = data["answered"]

    async def step(self) -> None:
        """The lecturer steps, one step after the other."""
        for step in range(self.lesson.steps):
            await self.go(step)
            await asyncio.sleep(max(0.0, self.lesson.pace - (time.monotonic() - self.stepped[step])))

    async def go(self, step: int) -> None:
        """The lecturer goes to a step."""
        self.stepped[step] = time.monotonic()
        await self.act("place", page="bpe", query="corpus=course", step=step)

    async def ask(self) -> None:
        """The lecturer asks, one question after the other, and shows the class's answers."""
        await asyncio.sleep(self.lesson.pace / 2)
        for _ in range(self.lesson.questions):
            again = asyncio.create_task(asyncio.sleep(self.lesson.every))
            number = await self.question()
            await self.all_in(number)
            await self.act("show", round=number)
            await self.act("reveal", round=number)
            await again

    async def question(self) -> int:
        """Ask; the round's number."""
        choices = [{"id": one, "tokens": one.split()} for one in CHOICES]
        form = {"kind": "pair", "say": {"en": "Which pair?"}, "input": "choices"}
        response = await self.act("ask", question={**form, "choices": choices, "key": ["e r"]})
        return int(response["round"])

    async def all_in(self, number: int) -> None:
        """Wait until everybody has answered, or should have."""
        await within(
            self.lesson.answer_within + PATIENCE,
            lambda: self.reached.get(number, 0) >= self.lesson.students,
        )

    async def leave(self) -> None:
        """Count the received messages, and end the class."""
        expected = self.lesson.students * self.lesson.steps
        await within(PATIENCE, lambda: len(self.received) >= expected)
        await asyncio.sleep(1)  # for what comes twice
        self.outcome.lost = expected - len(self.received)
        self.outcome.twice = sum(count - 1 for count in self.received.values())
        reader, writer = await self.lecturer._connect()
        writer.write(
            f"GET {API}/{self.code}/summary?as={self.lecturer.credential}&form=students HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        )
        _status, summary = await _answer_from(reader)
        writer.close()
        for person in summary["students"]:
            student = self.numbers.get(person["number"])
            if student is not None:
                marks = enumerate(person["marks"], start=1)
                answers = [(number, mark["answer"]) for number, mark in marks if mark is not None]
                self.outcome.answers += len(answers)
                self.outcome.wrong += sum(answer != own(student.number, number) for number, answer in answers)
        await self.act("end")
        for task in self.tasks:
            task.cancel()
        for one in (self.lecturer, *self.students):
            one.drop()


def own(student: int, number: int) -> str:
    """A student's answer."""
    return CHOICES[(student + number) % len(CHOICES)]


async def within(seconds: float, holds: Callable[[], bool]) -> None:
    """Wait until this holds, so long at most."""
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        await asyncio.sleep(0.02)


async def hold(ports: Sequence[int], lesson: Lesson, servers: Sequence[psutil.Process] = ()) -> Outcome:
    """A whole lesson."""
    outcome, usage = Outcome(lesson), Usage(servers)
    hall = Hall(ports, lesson, outcome)
    await hall.come()
    before, start, memory = usage.processor(), time.monotonic(), resident(servers)
    await asyncio.gather(hall.step(), hall.ask())
    outcome.share = (usage.processor() - before) / (time.monotonic() - start)
    outcome.memory = (memory, resident(servers))
    await hall.leave()
    return outcome


async def lose(ports: Sequence[int], lesson: Lesson, kill: Callable[[], None]) -> Outcome:
    """A vote with the last of the servers killed in the middle; the lecturer is at the first.

    The lecturer steps before and after that: a student with the second step is still there, or has come back.
    """
    lesson.steps, lesson.questions = 2, 1
    outcome = Outcome(lesson)
    hall = Hall(ports, lesson, outcome)
    await hall.come()
    await hall.go(0)
    asking = asyncio.create_task(hall.ask())
    await asyncio.sleep(lesson.pace / 2 + lesson.answer_within / 2)
    kill()
    killed = time.monotonic()
    await hall.go(1)
    await within(PATIENCE, lambda: len(hall.received) >= lesson.students * lesson.steps)
    outcome.back = max(0.0, *(one.back - killed for one in hall.students))
    await asking
    await hall.leave()
    return outcome


def resident(servers: Sequence[psutil.Process]) -> float:
    """Megabytes of the servers' memory."""
    return sum(one.memory_info().rss for one in servers) / 1e6


@contextmanager
def shared_store() -> Iterator[None]:
    """Inside, servers share a folder of their own."""
    with tempfile.TemporaryDirectory() as folder:
        before = os.environ.get("TOKENSTEPS_STORE")
        os.environ["TOKENSTEPS_STORE"] = str(Path(folder) / "store")
        try:
            yield
        finally:
            os.environ.pop("TOKENSTEPS_STORE")
            if before is not None:
                os.environ["TOKENSTEPS_STORE"] = before


def main(arguments: Sequence[str] | None = None) -> None:
    """Hold one class, or lose a server in one."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.classroom", description=__doc__)
    parser.add_argument("--students", type=int, default=HALL, choices=range(1, 1201), metavar="1..1200")
    parser.add_argument("--steps", type=int, default=60, choices=range(1, 3601), metavar="1..3600")
    parser.add_argument(
        "--hours", type=int, choices=range(1, 9), metavar="1..8", help="a step a second for so long"
    )
    parser.add_argument("--questions", type=int, default=10, choices=range(101), metavar="0..100")
    parser.add_argument("--servers", type=int, default=1, choices=range(1, 5))
    parser.add_argument("--kill", action="store_true", help="kill one of the servers in the middle of a vote")
    options = parser.parse_args(arguments)
    steps, count = 3600 * options.hours or options.steps, max(options.servers, 1 + options.kill)
    lesson = Lesson(options.students, steps, options.questions)
    if options.hours:
        lesson.every = lesson.pace * steps / max(1, options.questions)
    with ExitStack() as stack:
        stack.enter_context(shared_store())
        servers = dict(stack.enter_context(server(ROOT)) for _ in range(count))
        print(f"load of the machine before: {os.getloadavg()[0]:.1f}", flush=True)
        if options.kill:
            victim = [*servers.values()][-1]
            outcome = asyncio.run(lose([*servers], lesson, lambda: os.killpg(victim.pid, signal.SIGKILL)))
        else:
            outcome = asyncio.run(hold([*servers], lesson, [*servers.values()]))
    print("\n".join(outcome.lines()), flush=True)


if __name__ == "__main__":
    main()
