"""``python -m benchmarks.class_siege``: a class follows, a step each half second, under attacks on its room
from another address.

The routes are built against all these attacks: forged keys, guessed codes, answers after the end, ten
thousand answers from one device, markup in every field, hundreds of streams without a reader. The figures:
the responses to the attack, its speed, the honest students' steps meanwhile, and the server's memory. At the
end every step and every answer of the class is counted.

The server is started for the test, on this machine, and ended after it; every attack is bounded. Everything
goes to 127.0.0.1.
"""

from __future__ import annotations

import argparse
import asyncio
import socket
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, Final
from urllib.parse import quote

from benchmarks.classroom import API, Browser, Hall, Lesson, Outcome, quantile, resident, shared_store
from benchmarks.load import ROOT, server
from tests.hostile import MARKUP
from tokensteps.classroom.codes import new_code

AT_ONCE: Final = 20
"""The attacker's connections."""
SLOW: Final = 300
LONG: Final = "x" * 50_000
"""An address of nearly the maximum length, sent to every follower."""

Statuses = Counter[str]
Attack = Callable[[Hall, str], Awaitable[Statuses]]
"""An attack on a class, from an address."""


async def flood(hall: Hall, source: str, messages: Sequence[tuple[str, dict[str, Any]]]) -> Statuses:
    """Messages over several connections, as fast as they are answered; counts the kinds of answers."""
    statuses: Statuses = Counter()
    turns = iter(messages)

    async def one() -> None:
        browser = Browser(hall.lecturer.ports)
        browser.source = source
        for path, body in turns:
            with suppress(OSError, EOFError, ValueError):
                status, response = await browser.exchange(path, **body)
                statuses[f"{status} {response.get('error', 'taken')}"] += 1
        browser.drop()

    await asyncio.gather(*(one() for _ in range(AT_ONCE)))
    return statuses


async def intruder(hall: Hall, source: str) -> str:
    """A device of the attacker's own, let in by the class like any other."""
    browser = Browser(hall.lecturer.ports)
    browser.source = source
    credential = (await browser.post(f"{hall.code}/join"))["device"]
    browser.drop()
    return str(credential)


async def forged_keys(hall: Hall, source: str) -> Statuses:
    key = hall.lecturer.credential
    forged = [key[:at] + ("A" if key[at] != "A" else "B") + key[at + 1 :] for at in range(len(key))]
    messages = [(f"{hall.code}/{what}", {"as": one}) for one in forged for what in ("end", "blank", "ask")]
    return await flood(hall, source, messages * (2_000 // len(messages)))


async def guessed_codes(hall: Hall, source: str) -> Statuses:
    return await flood(hall, source, [(f"{new_code()}/join", {}) for _ in range(5_000)])


async def answers_after_the_end(hall: Hall, source: str) -> Statuses:
    device, number = await intruder(hall, source), await hall.question()
    await hall.all_in(number)
    await hall.act("reveal", round=number)
    return await flood(
        hall, source, [(f"{hall.code}/answer", {"as": device, "round": number, "answer": "e r"})] * 500
    )


async def ten_thousand_answers(hall: Hall, source: str) -> Statuses:
    device, number = await intruder(hall, source), await hall.question()
    answers = [
        {"as": device, "round": number, "answer": "e r" if turn % 2 else "i s"} for turn in range(10_000)
    ]
    return await flood(hall, source, [(f"{hall.code}/answer", one) for one in answers])


async def markup_everywhere(hall: Hall, source: str) -> Statuses:
    device, number = await intruder(hall, source), await hall.question()
    fields = ("answer", "question", "nickname", "device", "follows")
    return await flood(
        hall,
        source,
        [
            (
                f"{hall.code}/{quote(what, safe='')}",
                {**dict.fromkeys(fields, text), "as": device, "round": number},
            )
            for text in MARKUP
            for what in ("answer", "join", "lost", "mode", "ask", text)
        ],
    )


async def slow_readers(hall: Hall, source: str) -> Statuses:
    """Streams without a reader, while the class is led to the longest addresses."""
    device, lines = await intruder(hall, source), []
    for _ in range(SLOW):
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.bind((source, 0))
        line.setblocking(False)
        await asyncio.get_running_loop().sock_connect(line, ("127.0.0.1", hall.lecturer.ports[0]))
        request = f"GET {API}/{hall.code}/events?as={device} HTTP/1.1\r\nHost: localhost\r\n\r\n"
        await asyncio.get_running_loop().sock_sendall(line, request.encode())
        lines.append(line)
    for turn in range(40):
        await lead(hall, f"text={LONG}{turn % 2}")
        await asyncio.sleep(0.2)
    for line in lines:
        line.close()
    return Counter({"streams": SLOW})


ATTACKS: Final[dict[str, Attack | None]] = {
    "nobody attacks": None,
    "forged keys": forged_keys,
    "guessed codes": guessed_codes,
    "answers after the end": answers_after_the_end,
    "10,000 answers from one device": ten_thousand_answers,
    "markup everywhere": markup_everywhere,
    f"{SLOW} streams that read nothing": slow_readers,
}
STEPS = count()


async def lead(hall: Hall, query: str = "corpus=course") -> None:
    """The class's next step."""
    step = next(STEPS)
    hall.stepped[step] = time.monotonic()
    await hall.act("place", page="bpe", query=query, step=step)


async def walk(hall: Hall) -> None:
    """The lecturer steps until cancelled."""
    while True:
        await lead(hall)
        await asyncio.sleep(0.5)


async def besiege(port: int, students: int, process: Any) -> None:
    """A class with all attacks, one after the other."""
    outcome = Outcome(Lesson(students, answer_within=2.0))
    hall = Hall([port], outcome.lesson, outcome)
    await hall.come()
    print(f"{students} students; memory {resident([process]):.0f} MB\n")
    print("| attack | answered | a second | steps at the students' meanwhile: p50, p95, max | memory |")
    print("| --- | --- | --- | --- | --- |")
    for number, (name, attack) in enumerate(ATTACKS.items()):
        before, start = len(outcome.followed), time.monotonic()
        walking = asyncio.create_task(walk(hall))
        answered: Statuses = Counter()
        if attack is None:
            await asyncio.sleep(10)
        else:
            answered = await attack(hall, f"127.0.1.{1 + number}")
        seconds = time.monotonic() - start
        await asyncio.sleep(1)
        walking.cancel()
        times = outcome.followed[before:] or [0.0]
        cells = ", ".join(f"{number:,} × {what}" for what, number in sorted(answered.items()))
        shown = ", ".join(f"{quantile(times, share) * 1e3:.0f}" for share in (0.5, 0.95, 1.0))
        rate = answered.total() / seconds
        print(
            f"| {name} | {cells or '–'} | {rate:,.0f} | {shown} ms | {resident([process]):.0f} MB |",
            flush=True,
        )
    await asyncio.sleep(1)
    outcome.lesson.steps, outcome.lesson.questions = len(hall.stepped), len(hall.sent)
    await hall.leave()
    print("\n" + "\n".join([*outcome.lines()][:1]))
    print(f"answers kept {outcome.answers}, not one's own {outcome.wrong}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Besiege one class."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.class_siege", description=__doc__)
    parser.add_argument("--students", type=int, default=100, choices=range(1, 301), metavar="1..300")
    options = parser.parse_args(arguments)
    with shared_store(), server(ROOT) as (port, process):
        asyncio.run(besiege(port, options.students, process))


if __name__ == "__main__":
    main()
