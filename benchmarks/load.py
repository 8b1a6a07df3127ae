"""``python -m benchmarks.load``: a lecture hall at one server, in Streamlit's own protocol.

Sessions connect over WebSocket like a browser, open a deep link each, and act every few seconds: most often a
step, now and then another corpus, or a text of their own. A click's time runs from its sending to the last
message of its run (`script_finished`). A browser reports a step a quarter of a second after the last move,
and shows it long before; that is not counted.

The server is started for the test, on this machine, and ended after it; sessions and seconds are bounded by
the arguments. Its processor time and memory are those of the process and its children. Client and server
share the machine. With several servers each session stays at one, as with the cookie of the proxy in
`deploy/`.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import http.client
import json
import math
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode
from urllib.request import urlopen

import psutil
import websockets
from google.protobuf.message import Message
from streamlit.proto.AutoRerun_pb2 import AutoRerun
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileUploaderState, FileURLs, UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.ports import free_port
from benchmarks.text import prose

ROOT = Path(__file__).parent.parent
CLICKS = ("step", "corpus", "paste")
PATIENCE = 60.0
"""Seconds until a click counts as lost."""
STARTS_WITHIN = 240.0
"""Seconds for the app to start."""
LINKS = (
    ("bpe", {"corpus": "course", "step": "7"}),
    ("bpe", {"corpus": "mixed", "step": "20"}),
    ("wordpiece", {"corpus": "course", "step": "9"}),
    ("unigram", {"corpus": "hug", "step": "3"}),
    ("bpe", {"corpus": "library", "step": "500"}),
)
"""The sessions' links, in turn: page and parameters."""
GROWTH_LOST = 4.0
"""Seconds until a flipbook repeats its request for more of its run; a page's timer doesn't wait for an
answer."""
TEXT_LENGTH = 1_500
"""Characters of a session's pasted text."""
LARGE_LENGTH = 195_000
"""Characters of a large text: nearly the limit for pasting."""
BROUGHT_WITHIN = 0.75
"""Share of the time for the arrival of the large texts."""


@dataclass
class Times:
    """Seconds from click to last message, by kind of click."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    warm: float = math.inf
    """The time from which a click counts by its kind; earlier ones are "cold": the first requests for a
    run."""
    lost: int = 0
    """Clicks without an answer in time, or with an error."""

    def add(self, kind: str, seconds: float) -> None:
        """One click."""
        self.seconds.setdefault(kind if time.monotonic() > self.warm else "cold", []).append(seconds)

    def rows(self) -> Iterator[tuple[str, int, float, float, float]]:
        """Kind, number, median, 95th percentile, greatest."""
        warm = [one for kind, some in self.seconds.items() if kind in CLICKS for one in some]
        for kind, times in [*self.seconds.items(), ("all warm", warm)]:
            if times:
                ordered = sorted(times)
                yield (
                    kind,
                    len(ordered),
                    statistics.median(ordered),
                    ordered[math.ceil(0.95 * len(ordered)) - 1],
                    ordered[-1],
                )


@lru_cache(maxsize=1024)
def head_of(data: bytes) -> dict[str, Any]:
    """A flipbook's payload without its frames: run, seek, last, ..."""
    head, _newline, packed = data.partition(b"\n")
    book: dict[str, Any] = json.loads(gzip.decompress(packed)) | json.loads(head)
    del book["frames"]
    return book


class Session:
    """A browser's tab, as far as the server can tell."""

    def __init__(self, socket: Any, page: str, url: dict[str, str]) -> None:
        self.socket, self.page, self.url = socket, page, url
        self.widgets: dict[str, Any] = {}
        """Widget's key → its element of the latest run."""
        self.values: dict[str, tuple[str, Any]] = {}
        """Widget's id → the field of its state, and the visitor's value."""
        self.hashes: dict[str, Message] = {}
        self.script, self.fragment = "", ""
        self.timer: Any = None
        """The timer for repeated requests: a page's during a training, a flipbook's while its run grows."""
        self.head: dict[str, Any] = {}
        """Run, seek, ... of the flipbook's latest payload."""
        self.step = 0
        self.failed = False
        self.quiet, self.last_message = asyncio.Event(), 0.0
        """Set while nothing is under way; and the time of the last message."""
        self.upload_urls: asyncio.Queue[FileURLs] = asyncio.Queue()
        """Requested addresses for uploads."""

    @property
    def book(self) -> str:
        """The key of the stage."""
        return f"{self.page}.book"

    async def run(self, fragment: str = "") -> float:
        """Ask for a run of the script; the seconds until its last message, the awaited training included."""
        self.quiet.clear()
        start = time.perf_counter()
        await self.send_run(fragment)
        async with asyncio.timeout(PATIENCE):
            await self.quiet.wait()
        return self.last_message - start

    async def send_run(self, fragment: str) -> None:
        message = BackMsg()
        rerun = message.rerun_script
        rerun.query_string, rerun.page_name = urlencode(self.url), self.page
        rerun.page_script_hash, rerun.fragment_id = self.script, fragment
        rerun.cached_message_hashes.extend(self.hashes)
        for name, (kind, value) in self.values.items():
            state = rerun.widget_states.widgets.add(id=name)
            if isinstance(value, Message):
                getattr(state, kind).CopyFrom(value)
            else:
                setattr(state, kind, value)
        await self.socket.send(message.SerializeToString())

    async def listen(self) -> None:
        """Take in messages until cancelled; while the page waits for a training, repeat its requests by its
        timer."""
        async with asyncio.TaskGroup() as group:
            async for data in self.socket:
                before, running = self.timer, self._take(data)
                self.last_message = time.perf_counter()
                if self.timer is not None and self.timer is not before:
                    group.create_task(self._ask_again(self.timer))
                if not running and self.timer is None:
                    self.quiet.set()

    async def _ask_again(self, timer: Any) -> None:
        await asyncio.sleep(timer.interval)
        while self.timer is timer:
            await self.send_run(timer.fragment_id)
            await asyncio.sleep(GROWTH_LOST if self.head.get("growth") else timer.interval)

    def _take(self, data: bytes) -> bool:
        """Take in a message; whether a run is still under way."""
        message = ForwardMsg()
        message.ParseFromString(data)
        match message.WhichOneof("type"):
            case "ref_hash":
                self._element(self.hashes[message.ref_hash])
            case "delta" if message.delta.WhichOneof("type") == "new_element":
                if message.metadata.cacheable:
                    self.hashes[message.hash] = message.delta
                self._element(message.delta)
            case "navigation":  # the whole page is drawn anew
                self.script, self.timer = message.navigation.page_script_hash, None
            case "page_info_changed":
                self.url = dict(parse_qsl(message.page_info_changed.query_string))
            case "file_urls_response":
                for urls in message.file_urls_response.file_urls:
                    self.upload_urls.put_nowait(urls)
            case "auto_rerun":
                self.timer = message.auto_rerun
            case "session_status_changed":
                return message.session_status_changed.script_is_running
        return True

    def _element(self, delta: Any) -> None:
        element = delta.new_element
        kind = element.WhichOneof("type")
        body = getattr(element, kind)
        self.failed |= kind == "exception"
        match = re.fullmatch(r"\$\$ID-\w+-(.+)", getattr(body, "id", ""))
        if match is None:
            return
        self.widgets[match[1]] = body
        if match[1] == self.book:
            self.fragment = delta.fragment_id
            self.head = head_of(bytes(body.bytes))
            growth = self.head.get("growth")
            self.timer = growth and AutoRerun(interval=growth[2], fragment_id=delta.fragment_id)

    async def do_step(self) -> float:
        """Report the next step, like the flipbook after an arrow key."""
        self.step = (self.step + 1) % (self.head["last"] + 1)
        report = json.dumps({"step": [self.head["run"], self.step, self.head["seek"][1]]})
        self.values[self.widgets[self.book].id] = ("json_value", report)
        self.url["step"] = str(self.step)
        return await self.run(self.fragment)

    @property
    def ready(self) -> Sequence[str]:
        """The titles of the app's own corpora."""
        return self.widgets[f"{self.page}.corpus"].options[:-3]

    async def do_corpus(self, title: str) -> float:
        """Choose one of the ready corpora."""
        self.values[self.widgets[f"{self.page}.corpus"].id] = ("string_value", title)
        self.step = 0
        return await self.run()

    async def do_paste(self, text: str) -> float:
        """Choose a text of one's own and paste it; the second of the two runs is timed."""
        box = self.widgets[f"{self.page}.corpus"]
        self.values[box.id] = ("string_value", box.options[-3])
        await self.run()
        return await self.do_type(text)

    async def do_upload(self, port: int, name: str, data: bytes) -> float:
        """Choose a file and send it like the box for files; the run with the file is timed."""
        box = self.widgets[f"{self.page}.corpus"]
        self.values[box.id] = ("string_value", box.options[-1])
        await self.run()
        request = BackMsg(file_urls_request={"request_id": name, "file_names": [name]})
        await self.socket.send(request.SerializeToString())
        urls = await asyncio.wait_for(self.upload_urls.get(), PATIENCE)
        await asyncio.to_thread(send_file, port, urls.upload_url, name, data)
        info = UploadedFileInfo(name=name, size=len(data), file_id=urls.file_id, file_urls=urls)
        state = FileUploaderState(uploaded_file_info=[info])
        self.values[self.widgets[f"{self.page}.file"].id] = ("file_uploader_state_value", state)
        self.step = 0
        return await self.run()

    async def do_type(self, text: str) -> float:
        """Paste a text into the box for one's own."""
        self.values[self.widgets[f"{self.page}.paste_text"].id] = ("string_value", text)
        self.step = 0
        return await self.run()


@dataclass(frozen=True)
class Hall:
    """The visitors: their number, their pace, their time, and the shares of the kinds of clicks."""

    sessions: int
    interval: float
    seconds: float
    corpus: float = 0.04
    paste: float = 0.02
    settle: float = 30.0
    """Seconds after the last arrival that count as cold: the runs of the ready corpora are then trained and
    drawn."""
    trainings: int = 0
    """Further visitors, each with a large text of their own."""
    opening: float = 10.0
    """Seconds for everybody's arrival."""


@asynccontextmanager
async def opened(
    port: int, page: str, url: dict[str, str], headers: Mapping[str, str] | None = None
) -> AsyncIterator[Session]:
    """A listening session, until the block ends."""
    address = f"ws://127.0.0.1:{port}/_stcore/stream"
    async with websockets.connect(
        address,
        subprotocols=["streamlit"],
        max_size=None,
        compression=None,
        additional_headers=headers,
    ) as line:
        session = Session(line, page, url)
        ear = asyncio.create_task(session.listen())
        try:
            yield session
        finally:
            ear.cancel()


async def visit(port: int, number: int, hall: Hall, times: Times, end: float) -> None:
    """One visitor, from the deep link until the end."""
    chance = random.Random(number)
    page, url = LINKS[number % len(LINKS)]
    await asyncio.sleep(chance.random() * hall.opening)
    async with opened(port, page, dict(url)) as session:
        times.add("open", await session.run())
        session.step = int(url["step"])
        while (pause := chance.uniform(0.5, 1.5) * hall.interval) < end - time.monotonic():
            await asyncio.sleep(pause)
            session.failed = False
            await act(session, chance, hall, times)
            times.lost += session.failed


async def bring(port: int, number: int, hall: Hall, times: Times) -> None:
    """A visitor with a large text of their own: paste it, and wait for the training."""
    chance = random.Random(-1 - number)
    page = ("bpe", "wordpiece", "unigram")[number % 3]
    lines = prose(LARGE_LENGTH).splitlines()
    chance.shuffle(lines)
    await asyncio.sleep(hall.opening + hall.settle + BROUGHT_WITHIN * hall.seconds * chance.random())
    async with opened(port, page, {"corpus": "paste"}) as session:
        await session.run()
        times.add(f"200 KB, {page}", await session.do_type("\n".join(lines)))
        times.lost += session.failed or session.head.get("last", 0) < 2


async def counted(visitor: Coroutine[Any, Any, None], times: Times) -> None:
    """A visitor; a failure counts as a lost click."""
    try:
        await visitor
    except (TimeoutError, OSError, KeyError, websockets.WebSocketException, ExceptionGroup) as error:
        print(repr(error), file=sys.stderr)
        times.lost += 1


async def act(session: Session, chance: random.Random, hall: Hall, times: Times) -> None:
    """One click."""
    draw = chance.random()
    if draw < hall.paste:
        text = prose(100_000)
        start = chance.randrange(len(text) - TEXT_LENGTH)
        times.add("paste", await session.do_paste(text[start : start + TEXT_LENGTH]))
    elif draw < hall.paste + hall.corpus:
        times.add("corpus", await session.do_corpus(chance.choice(session.ready)))
    else:
        times.add("step", await session.do_step())


@dataclass
class Usage:
    """The resources of servers and their children, sampled each second."""

    servers: Sequence[psutil.Process]
    memory: list[float] = field(default_factory=list)
    """Megabytes resident of the servers."""
    workers: list[float] = field(default_factory=list)
    """The same for their child processes."""

    def children(self) -> list[psutil.Process]:
        """The servers' child processes."""
        return [child for server in self.servers for child in server.children(recursive=True)]

    def processor(self) -> float:
        """Seconds of processor time so far, ended processes included."""
        return sum(sum(one.cpu_times()[:4]) for one in (*self.servers, *self.children()))

    async def watch(self) -> None:
        """Sample until cancelled."""
        while True:
            with suppress(psutil.NoSuchProcess):  # a worker just replaced
                self.memory.append(sum(one.memory_info().rss for one in self.servers) / 1e6)
                self.workers.append(sum(one.memory_info().rss for one in self.children()) / 1e6)
            await asyncio.sleep(1)


def send_file(port: int, path: str, name: str, data: bytes) -> None:
    """Upload a file, with the token of a page. Raises OSError."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    line.request("GET", "/_stcore/health")
    answer = line.getresponse()
    answer.read()
    cookie = (answer.headers["Set-Cookie"] or "").partition(";")[0]
    edge = "edge-of-a-file"
    head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = head.encode() + data + f"\r\n--{edge}--\r\n".encode()
    token = {"Cookie": cookie, "X-Xsrftoken": cookie.partition("=")[2]}
    line.request("PUT", path, body, {**token, "Content-Type": f"multipart/form-data; boundary={edge}"})
    answer = line.getresponse()
    answer.read()
    line.close()
    if answer.status >= 300:
        raise OSError(f"upload: {answer.status}")


@contextmanager
def server(root: Path, base: str = "") -> Iterator[tuple[int, psutil.Process]]:
    """The app of a checkout on a free port, until the block ends; below the path `base`, if the environment
    sets one."""
    port = free_port()
    options = (
        "--server.address",
        "127.0.0.1",
        "--server.headless",
        "true",
        "--server.fileWatcherType",
        "none",
    )
    command = (sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port), *options)
    process = subprocess.Popen(command, cwd=root, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        end = time.monotonic() + STARTS_WITHIN
        while True:
            try:
                with urlopen(f"http://127.0.0.1:{port}{base}/_stcore/health", timeout=2):
                    break
            except OSError:
                if time.monotonic() > end or process.poll() is not None:
                    raise
                time.sleep(0.2)
        yield port, psutil.Process(process.pid)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


async def attend(servers: Mapping[int, psutil.Process], hall: Hall) -> tuple[Times, Usage, float]:
    """Everybody comes in to the servers at these ports and acts; returns the times, the resources, and the
    servers' share of one core after the last arrival."""
    times, usage, ports = Times(), Usage([*servers.values()]), [*servers]
    times.warm = time.monotonic() + hall.opening + hall.settle
    end = times.warm + hall.seconds
    watching = asyncio.create_task(usage.watch())
    visitors = [
        visit(ports[number % len(ports)], number, hall, times, end) for number in range(hall.sessions)
    ]
    visitors += [bring(ports[number % len(ports)], number, hall, times) for number in range(hall.trainings)]
    there = [asyncio.create_task(counted(visitor, times)) for visitor in visitors]
    await asyncio.sleep(hall.opening + hall.settle)
    before, start = usage.processor(), time.monotonic()
    await asyncio.gather(*there)
    share = (usage.processor() - before) / (time.monotonic() - start)
    watching.cancel()
    return times, usage, share


def report(name: str, hall: Hall, times: Times, usage: Usage, share: float) -> str:
    """The report: a line for each kind of click."""
    clicks = sum(len(times.seconds.get(kind, ())) for kind in CLICKS)
    per_click = share * hall.seconds / max(1, clicks)
    lines = [f"{name}: {hall.sessions} sessions, a click each {hall.interval:g} s, for {hall.seconds:g} s"]
    for kind, number, median, most, greatest in times.rows():
        lines.append(
            f"  {kind:17} {number:6,} clicks  p50 {median * 1e3:6.0f} ms  p95 {most * 1e3:6.0f} ms  max {greatest * 1e3:6.0f} ms"
        )
    over_time = " → ".join(f"{usage.memory[len(usage.memory) * part // 8]:.0f}" for part in range(8))
    lines.append(
        f"  lost {times.lost}; processor {share:.0%} of one core, {per_click * 1e3:.1f} ms a click; memory {over_time} MB"
        f" and its workers {max(usage.workers):.0f} MB"
    )
    return "\n".join(lines)


def turns(name: str, description: str | None) -> argparse.ArgumentParser:
    """A parser for the checkouts and their number of turns."""
    parser = argparse.ArgumentParser(prog=name, description=description)
    parser.add_argument("--repeats", type=int, default=5, choices=range(1, 101), metavar="1..100")
    parser.add_argument(
        "--checkout", type=Path, action="append", help="a folder with another version of the app"
    )
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure one hall, at each of the checkouts given."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--sessions", type=int, default=100, choices=range(1, 1001), metavar="1..1000")
    parser.add_argument("--interval", type=float, default=3.0, help="seconds between a session's clicks")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long, at most an hour")
    parser.add_argument("--settle", type=float, default=30.0, help="seconds more that count as cold")
    parser.add_argument("--paste", type=float, default=0.02, help="share of the clicks that bring a new text")
    parser.add_argument("--opening", type=float, default=10.0, help="seconds within which everybody comes in")
    parser.add_argument(
        "--checkout", type=Path, action="append", help="a folder with another version of the app"
    )
    parser.add_argument("--servers", type=int, default=1, choices=range(1, 9), help="how many, 1 to 8")
    parser.add_argument("--trainings", type=int, default=0, help="visitors besides who bring 200 KB each")
    options = parser.parse_args(arguments)
    hall = Hall(
        options.sessions,
        options.interval,
        min(options.seconds, 3600.0),
        paste=options.paste,
        settle=options.settle,
        trainings=options.trainings,
        opening=options.opening,
    )
    for root in options.checkout or [ROOT]:
        with ExitStack() as stack:
            servers = dict(stack.enter_context(server(root)) for _ in range(options.servers))
            print(report(str(root.name), hall, *asyncio.run(attend(servers, hall))), flush=True)


if __name__ == "__main__":
    main()
