"""A real server, attacked over a real WebSocket: its refusals, and everybody else's service meanwhile.

Source: earlier successful attacks, each of them here. Oracle: the code of the closed connection, Streamlit's
own answers, and the server's work until its answer to /_stcore/health, asked every 20 ms: in processor time,
which a busy machine doesn't stretch.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import psutil
import pytest
import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg

from benchmarks.load import opened, server
from benchmarks.text import prose
from tests.loops import finished, reached
from tokensteps.limits import CONNECTION_RATES, HEAD_PATIENCE, MESSAGE_LIMIT, PASTE_LIMIT, PLAYGROUND_LIMIT

ROOT = Path(__file__).parents[3]
FROZEN = 1.5
"""Seconds of work that make the server count as frozen. No answer takes half of that. The attacks took 2.4 to
12 seconds."""


@pytest.fixture(scope="module")
def served_at() -> Iterator[tuple[int, psutil.Process]]:
    with server(ROOT) as running:
        yield running


@pytest.fixture(scope="module")
def port(served_at: tuple[int, psutil.Process]) -> int:
    return served_at[0]


@pytest.fixture(scope="module")
def process(served_at: tuple[int, psutil.Process]) -> psutil.Process:
    return served_at[1]


def spent(process: psutil.Process) -> float:
    """For how many seconds a server's own process has worked."""
    times = process.cpu_times()
    return float(times.user + times.system)


@pytest.fixture(scope="module", autouse=True)
def half_a_request(port: int) -> Iterator[socket.socket]:
    """A connection with half a request sent since before the first test: nobody needs to wait for its end."""
    with socket.create_connection(("127.0.0.1", port)) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
        line.settimeout(3 * HEAD_PATIENCE)
        yield line


@contextmanager
def served(port: int, process: psutil.Process, frozen: float = FROZEN) -> Iterator[None]:
    """Inside, the server answers everybody else, each before it has worked for `frozen` seconds."""
    times: list[float] = []
    over = threading.Event()

    def ask() -> None:
        while not over.wait(0.02) or len(times) < 5:
            start = spent(process)
            with urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=60) as answer:
                assert answer.status == 200
            times.append(spent(process) - start)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        yield
    finally:
        over.set()
        asking.join()
    print(f"the longest of {len(times)} answers from /_stcore/health: {max(times) * 1000:.0f} ms")
    assert max(times) < frozen


def attack(port: int, *sent: bytes | str, visit: bool = True) -> int:
    """The closing code of a connection after this message; 0 if it stays open for a minute."""

    async def run() -> int:
        async with opened(port, "bpe", {"corpus": "hug"}) as session:
            if visit:
                await session.run()
            with suppress(websockets.ConnectionClosed):
                for data in sent:
                    await session.socket.send(data)
            try:
                async with asyncio.timeout(60):
                    await session.socket.wait_closed()
            except TimeoutError:
                return 0
            return int(session.socket.close_code)

    return finished(run())


def said(**fields: Any) -> bytes:
    return bytes(BackMsg(**fields).SerializeToString())


@pytest.mark.parametrize(
    "kind", ["clear_cache", "load_git_info", "set_run_on_save", "debug_disconnect_websocket", "debug_shutdown_runtime"]
)  # fmt: skip
def test_messages_that_no_page_sends_are_refused(port: int, process: psutil.Process, kind: str) -> None:
    with served(port, process):
        assert attack(port, said(**{kind: True})) == 1008


def test_shared_results_survive_attempts_to_evict_them(port: int, process: psutil.Process) -> None:
    """A trained run is shown at once after an attempt to empty the cache. Oracle: other processes' working
    time."""

    async def open_run() -> float:
        async with opened(port, "bpe", {"corpus": "library", "step": "500"}) as session:
            start = worked()
            await session.run()
            assert session.head["last"] > 500
            return worked() - start

    def worked() -> float:
        return sum(map(spent, process.children(recursive=True)))

    trained = finished(open_run())
    assert attack(port, said(clear_cache=True)) == 1008
    assert finished(open_run()) < trained / 5, "it is not trained again"


def test_half_a_million_names_of_files(port: int, process: psutil.Process) -> None:
    with served(port, process):
        assert attack(port, said(file_urls_request={"file_names": ["a"] * 500_000})) == 1008


def test_six_million_widgets(port: int, process: psutil.Process) -> None:
    def framed(field: int, data: bytes) -> bytes:
        size, length = len(data), b""
        while size > 127:
            length += bytes([size & 127 | 128])
            size >>= 7
        return bytes([field << 3 | 2]) + length + bytes([size]) + data

    with served(port, process):
        assert attack(port, framed(11, framed(2, b"\x0a\x00" * (MESSAGE_LIMIT // 2 - 10)))) == 1008


def test_an_oversized_message(port: int, process: psutil.Process) -> None:
    with served(port, process):
        assert attack(port, b"\x5a" * (MESSAGE_LIMIT + 1)) == 1008


def test_a_component_with_a_million_lists(port: int, process: psutil.Process) -> None:
    """Read by Python's JSON, they would hold up everybody for 3 seconds."""
    message = BackMsg()
    message.rerun_script.widget_states.widgets.add(id="a", json_value="[" + "[]," * 1_300_000 + "[]]")
    with served(port, process):
        assert attack(port, message.SerializeToString()) == 1008


def test_noise(port: int, process: psutil.Process) -> None:
    with served(port, process):
        for data in (os.urandom(1_000), "text", b""):
            assert attack(port, data, visit=False) == 1008


@pytest.mark.slow
def test_a_flood_of_runs_waits_its_turn(port: int, process: psutil.Process) -> None:
    """Four connections, each as fast as it can; another visitor's steps are answered meanwhile."""

    over, sent = asyncio.Event(), [0] * 4

    async def flood(number: int) -> None:
        async with opened(port, "bpe", {"corpus": "hug"}) as session:
            await session.run()
            for step in range(400):
                session.url["step"] = str(step % 5)
                await session.send_run("")
                sent[number] += 1
                with suppress(TimeoutError):
                    await asyncio.wait_for(over.wait(), 0.01)
                if over.is_set():
                    break

    async def step() -> list[float]:
        async with opened(port, "bpe", {"corpus": "hug"}) as session:
            await session.run()
            times = []
            for _ in range(9):
                start = spent(process)
                await session.do_step()
                times.append(spent(process) - start)
            return times

    async def run() -> list[float]:
        floods = [asyncio.create_task(flood(number)) for number in range(len(sent))]
        await reached(lambda: min(sent) > CONNECTION_RATES["rerun_script"].burst)
        times = await step()
        over.set()
        await asyncio.gather(*floods)
        return times

    with served(port, process):
        times = sorted(finished(run()))
    assert times[len(times) // 2] < FROZEN, times


# --- Pages' own messages go through -------------------------------------------------------------------------


async def test_a_text_of_the_greatest_length_goes_through(port: int) -> None:
    async with opened(port, "bpe", {"corpus": "paste"}) as session:
        await session.run()
        await session.do_type(("hug pug " * PASTE_LIMIT)[:PASTE_LIMIT])
        assert session.head["last"] >= 2
        assert session.socket.close_code is None


@pytest.mark.slow
async def test_the_playground_takes_a_million_characters(port: int) -> None:
    async with opened(port, "playground", {}) as session:
        await session.run()
        box = session.widgets["playground.editor"]
        data = json.loads(bytes(box.bytes))
        text = (prose(200_000) * 10)[:PLAYGROUND_LIMIT]
        session.values[box.id] = ("json_value", json.dumps({"text": [data["nonce"], text, 1]}))
        await session.run()
        assert session.socket.close_code is None
        assert not session.failed


def test_half_a_request_ends(port: int, process: psutil.Process, half_a_request: socket.socket) -> None:
    """Connections have their limits in the app itself, however it is started (`test_patience.py` has all of
    them)."""
    with served(port, process), suppress(ConnectionError):
        assert half_a_request.recv(1) == b""
