"""``python -m benchmarks.siege``: a class steps while one visitor attacks.

Honest sessions come in as in `benchmarks/load.py`, each stepping every few seconds. An attacker from another
address runs through all attacks that once took a server, in turn, until the time is up. The figures: the
honest clicks' times, of each attack as well, and losses; the longest response time of /_stcore/health during
each attack; the memory before, at most, and after the end of all visitors' sessions; and at the end, whether
the goals are met. It takes nine minutes.

The same class comes first without an attacker (`--alone`), to measure its own share of the growth; with
`--rounds`, several sieges follow one another, to tell a growing server from a stable one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any
from urllib.request import urlopen

import psutil
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg

from benchmarks.load import ROOT, Hall, Session, Times, Usage, counted, opened, server, visit
from tokensteps.limits import COLLECT_SECONDS, RECONNECT_SECONDS, TRAINER_IDLE_SECONDS
from tokensteps.runs.corpora import pack_text
from tokensteps.server.stores import file_store

GOALS = (0.3, 2.0, 0.1)
"""Seconds of the class's clicks: the 95th percentile, and the worst; and the allowed growth of all processes'
memory, as a share."""
AFTER = RECONNECT_SECONDS + COLLECT_SECONDS + TRAINER_IDLE_SECONDS + 10
"""Seconds until sessions have ended, their memory was collected, and processes have made way for new ones."""
ELSEWHERE = {"X-Forwarded-For": "203.0.113.7"}
"""The attacker's address, as from a proxy on this machine."""
Attack = Callable[[int], Awaitable[None]]


@asynccontextmanager
async def attacker(port: int, page: str = "bpe", **url: str) -> AsyncIterator[Session]:
    """The attacker's page, drawn once."""
    async with opened(port, page, url or {"corpus": "hug"}, ELSEWHERE) as session:
        await session.run()
        yield session


async def send(port: int, *messages: bytes) -> None:
    """Messages, until the server closes the connection."""
    async with attacker(port) as session:
        for message in messages:
            await session.socket.send(message)
        await asyncio.wait_for(session.socket.wait_closed(), 3)


def said(**fields: Any) -> bytes:
    """A message from the browser."""
    return bytes(BackMsg(**fields).SerializeToString())


async def empty_the_cache(port: int) -> None:
    await send(port, said(clear_cache=True))


async def run_git(port: int) -> None:
    await send(port, said(load_git_info=True))


async def ask_for_files(port: int) -> None:
    await send(port, said(file_urls_request={"file_names": ["a"] * 500_000}))


async def ask_for_downloads(port: int) -> None:
    await send(port, *[said(backend_operation_request={"deferred_file": {"file_id": f"{number:0100}"}}) for number in range(40)])  # fmt: skip


async def say_a_million_lists(port: int) -> None:
    message = BackMsg()
    message.rerun_script.widget_states.widgets.add(id="a", json_value="[" + "[]," * 1_300_000 + "[]]")
    await send(port, message.SerializeToString())


async def flood(port: int) -> None:
    """Four connections, each at full speed."""

    async def one() -> None:
        async with attacker(port) as session:
            for step in range(300):
                session.url["step"] = str(step % 5)
                await session.send_run("")
                await asyncio.sleep(0.01)

    await asyncio.gather(*(one() for _ in range(4)))


async def fill_the_queue(port: int) -> None:
    """Reruns with another size each, and large texts for Unigram with a large seed."""
    chance = random.Random(1)
    async with attacker(port, "unigram", corpus="paste", method="course", seed="50000") as session:
        letters = "".join(chance.choice("abcdefghij ") for _ in range(100_000))
        session.values[session.widgets["unigram.paste_text"].id] = ("string_value", letters)
        for size in range(66):
            session.url["size"] = str(100 + size)
            await session.send_run("")
            await asyncio.sleep(0.3)


async def fill_the_boxes(port: int) -> None:
    """The largest allowed texts, in four sessions without further actions."""
    for _ in range(4):
        async with attacker(port, "bpe", corpus="paste") as session:
            box = session.widgets["bpe.paste_text"].id
            session.values[box] = ("string_value", "a" * 11_000_000)
            with suppress(TimeoutError):
                await asyncio.wait_for(session.run(), 5)


def hostile_tokenizers() -> Mapping[str, tuple[bytes, str]]:
    """File name → contents, and a text to encode."""
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}
    stages: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        **dict.fromkeys(("normalizer", "pre_tokenizer", "post_processor", "decoder")),
        "model": model,
    }
    pattern = {
        "type": "Split",
        "pattern": {"Regex": r"a*(?!a)(?<=b)"},
        "behavior": "Isolated",
        "invert": False,
    }
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    added = [
        {"id": 3 + n, "content": f"{n:05}" + "x" * 4_995, "special": True, **flags} for n in range(2_000)
    ]
    words = {
        "type": "WordPiece",
        "unk_token": "b",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 10**9,
        "vocab": {"a": 0, "b": 1},
    }
    return {
        "pattern.json": (json.dumps(stages | {"pre_tokenizer": pattern}).encode(), "a" * 200_000),
        "added.json": (json.dumps(stages | {"added_tokens": added}).encode(), "a"),
        "words.json": (json.dumps(stages | {"model": words}).encode(), "a" * 100_000),
        "large.json": (
            json.dumps(stages | {"note": ["x" * 100] * 370_000}).encode(),
            "a",
        ),
    }


def tokenizer_attack(name: str, digest: str, text: str) -> Attack:
    """Open an uploaded tokenizer, with a text to encode."""

    async def attack(port: int) -> None:
        packed = pack_text(text) or ""
        async with opened(
            port, "playground", {"t1": f"file?{name}={digest}", "text": packed}, ELSEWHERE
        ) as session:
            with suppress(TimeoutError):
                await asyncio.wait_for(session.run(), 20)

    attack.__name__ = name
    return attack


class Health:
    """The longest wait for an answer, by the attack meanwhile."""

    def __init__(self, port: int) -> None:
        self.port, self.now = port, ""
        self.longest: dict[str, float] = {}

    async def watch(self) -> None:
        """Ask every 50 ms until cancelled."""
        while True:
            name, start = self.now, time.perf_counter()
            await asyncio.to_thread(self._ask)
            self.longest[name] = max(self.longest.get(name, 0.0), time.perf_counter() - start)
            await asyncio.sleep(0.05)

    def _ask(self) -> None:
        with urlopen(f"http://127.0.0.1:{self.port}/_stcore/health", timeout=60) as answer:
            answer.read()


@dataclass
class ClassTimes(Times):
    """The times of the class, also by the attack at the time of a click's answer."""

    health: Health | None = None

    def add(self, kind: str, seconds: float) -> None:
        """One click."""
        super().add(kind, seconds)
        if self.health and self.health.now:
            super().add(f"in {self.health.now}", seconds)


def resident(process: psutil.Process) -> float:
    """Megabytes of its resident memory."""
    return float(process.memory_info().rss / 1e6)


def megabytes(process: psutil.Process) -> float:
    """The same for a process and its children."""
    total = 0.0
    for one in (process, *process.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            total += resident(one)
    return total


async def besiege(
    port: int, process: psutil.Process, attacks: Mapping[str, Attack], hall: Hall, after: float
) -> bool:
    """The class comes in, the attacker, if there is one, begins, everybody leaves; prints the figures, and
    returns whether they meet the goals."""
    health, usage = Health(port), Usage([process])
    times = ClassTimes(health=health)
    times.warm = time.monotonic() + hall.opening + hall.settle
    end = times.warm + hall.seconds
    watching = [asyncio.create_task(health.watch()), asyncio.create_task(usage.watch())]
    there = [
        asyncio.create_task(counted(visit(port, number, hall, times, end), times))
        for number in range(hall.sessions)
    ]
    await asyncio.sleep(hall.opening + hall.settle)
    before, children = megabytes(process), len(process.children(recursive=True))
    alone = [resident(process)]
    if not attacks:
        await asyncio.sleep(hall.seconds - 1)
    while time.monotonic() < end - 1:
        for name, attack in attacks.items():
            if time.monotonic() > end - 1:
                break
            health.now = name
            with suppress(TimeoutError, OSError, KeyError, websockets.WebSocketException, ExceptionGroup):
                await asyncio.wait_for(attack(port), min(30.0, max(1.0, end - time.monotonic())))
    health.now = "after"
    await asyncio.gather(*there)
    alone.append(resident(process))
    for kind, number, median, most, greatest in times.rows():
        print(
            f"  {kind:24} {number:6,} clicks  p50 {median * 1e3:5.0f} ms  p95 {most * 1e3:5.0f} ms  max {greatest * 1e3:6.0f} ms"
        )
    print(f"  lost: {times.lost}")
    for name, longest in health.longest.items():
        print(f"  {name or 'before':24} health answered within {longest * 1e3:5.0f} ms")
    *_, (_kind, _number, _median, p95, worst) = times.rows()
    most = max(a + b for a, b in zip(usage.memory, usage.workers, strict=False))
    for one in watching:
        one.cancel()
    await asyncio.sleep(after)
    alone.append(resident(process))
    print(f"  memory with its workers: {before:.0f} MB with everybody in, {most:.0f} MB at most, {megabytes(process):.0f} MB {after:g} s after; "
          f"the server's own {' → '.join(f'{one:.0f}' for one in alone)} MB, the second as the last one leaves; "
          f"processes {children} → {len(process.children(recursive=True))}", flush=True)  # fmt: skip
    grown = megabytes(process) / before - 1
    met = (p95 <= GOALS[0], worst <= GOALS[1], grown <= GOALS[2], not times.lost)
    print(f"  p95 {p95 * 1e3:.0f} ms (goal: {GOALS[0] * 1e3:.0f}), worst {worst * 1e3:.0f} ms (goal: {GOALS[1] * 1e3:.0f}), "
          f"memory {grown:+.0%} (goal: {GOALS[2]:+.0%}), lost {times.lost}; load of the machine {os.getloadavg()[0]:.1f}: "
          f"{'all goals met' if all(met) else 'not all goals met'}", flush=True)  # fmt: skip
    return all(met)


def main() -> None:
    """Besiege a server of its own."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.siege", description=__doc__)
    parser.add_argument("--sessions", type=int, default=25)
    parser.add_argument("--interval", type=float, default=3.0, help="seconds between a session's clicks")
    parser.add_argument("--seconds", type=float, default=240.0, help="how long the attacker has")
    parser.add_argument(
        "--after", type=float, default=AFTER, help="until memory is read again when all have left"
    )
    parser.add_argument(
        "--alone", type=float, default=30.0, help="how long the class is there before, without the attacker"
    )
    parser.add_argument("--rounds", type=int, default=1, help="how many sieges, one after the other")
    options = parser.parse_args()
    hall = Hall(options.sessions, options.interval, options.seconds, paste=0, corpus=0)
    plain: tuple[Attack, ...] = (
        empty_the_cache,
        run_git,
        ask_for_files,
        ask_for_downloads,
        say_a_million_lists,
        flood,
        fill_the_queue,
        fill_the_boxes,
    )
    attacks = {one.__name__: one for one in plain}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TOKENSTEPS_STORE"] = folder
        store = file_store()
        for name, (data, text) in hostile_tokenizers().items():
            attacks[name] = tokenizer_attack(name, store.put(data), text)
        with server(ROOT) as (port, process):
            print(f"{hall.sessions} sessions, a click each {hall.interval:g} s; "
                  f"load of the machine before: {os.getloadavg()[0]:.1f}; the server's memory {resident(process):.0f} MB")  # fmt: skip
            if options.alone:
                print(f"nobody else, for {options.alone:g} s:", flush=True)
                asyncio.run(besiege(port, process, {}, replace(hall, seconds=options.alone), 0))
            met = True
            for _ in range(options.rounds):
                print(f"one attacker, for {hall.seconds:g} s:", flush=True)
                met &= asyncio.run(besiege(port, process, attacks, hall, options.after))
    raise SystemExit(not met)


if __name__ == "__main__":
    main()
