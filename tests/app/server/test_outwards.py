"""No request makes the server open a connection outwards: in a network that swallows all packets, everybody
would wait for it.

Oracle: the server's own processes, with every look-up of a name and every connection to elsewhere written
down in each (`black_hole/sitecustomize.py`). Only a tokenizer's name of somebody's choice may go out, and
nobody chooses one here.
"""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from benchmarks.load import LINKS, opened, server
from tests.loops import finished
from tests.samples import STRESS
from tokensteps.language.pages import PAGE_AT

ROOT = Path(__file__).parents[3]
REQUESTS = 1_000 if STRESS else 250
AT_ONCE = 20
HOLE = Path(__file__).parent / "black_hole"


@pytest.fixture(scope="module")
def attempts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The file of all outward attempts, for all processes started meanwhile."""
    path = tmp_path_factory.mktemp("hole") / "kept"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join((str(HOLE), os.environ.get("PYTHONPATH", ""))))
        patch.setenv("BLACK_HOLE", str(path))
        yield path


@pytest.fixture(scope="module")
def port(attempts: Path) -> Iterator[int]:
    assert not attempts.exists()
    with server(ROOT) as (number, _process):
        yield number


def one_of(chance: random.Random, port: int) -> bytes:
    """A request of any sort."""
    here, other = (
        f"localhost:{port}",
        chance.choice(["app.example", "APP.example:80", "192.0.2.7:8501", "[2001:db8::7]:443"]),
    )
    path = chance.choice(
        [
            "/_stcore/stream", "/_stcore/stream", "/_stcore/health", "/_stcore/host-config", "/_stcore/metrics", "/_stcore/agent",
            "/_stcore/script-health-check", "/_stcore/upload_file/a/b", "/media/a.csv", "/component/a/b", "/auth/login", "/oauth2callback",
            "/class/api/open", "/class/api/CDFHJK/join", "/class/api/CDFHJK/events?as=x", "/class/api/CDFHJK/summary?as=x",
            "/app/static/fonts/inter-latin-wght.woff2", "/?class=CDFHJK", "/playground?hub=gpt2", "//app.example/",
            *(f"/{name}?lang=ja" for name in PAGE_AT),
        ]
    )  # fmt: skip
    host = chance.choice([here, here, here.upper(), f"127.0.0.1:{port}", other, ""])
    origin = chance.choice(
        [None, "", " ", "null", f"http://{host}", f"http://{host}".upper(), f"https://{host}", f"http://{host}:80",
         f"http://{other}", "http://", "file://", "http://[", "data:,", "http://user@" + here]
    )  # fmt: skip
    headers = [("Host", host)]
    if origin is not None:
        headers += [("Origin", origin)] * chance.choice([1, 1, 1, 2])
    if chance.random() < 0.5 or "stream" in path:
        headers += [
            ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
            ("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Protocol", "streamlit"),
        ]  # fmt: skip
    for name in (
        "Referer",
        "X-Forwarded-Host",
        "X-Forwarded-For",
        "Forwarded",
        "X-Forwarded-Proto",
        "X-Original-URL",
    ):
        if chance.random() < 0.1:
            headers.append((name, chance.choice([other, f"https://{other}/", "https", f"for={other}"])))
    method, body = chance.choice(["GET"] * 6 + ["HEAD", "OPTIONS", "POST", "PUT", "DELETE", "CONNECT"]), ""
    if method in {"POST", "PUT"}:
        body = chance.choice(["", "{}", '{"nicknames": true}'])
        headers += [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    target = f"http://{other}{path}" if chance.random() < 0.05 else path
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers), "", body]
    return "\r\n".join(lines).encode()


async def answered(port: int, request: bytes) -> str:
    """The status of the answer; the connection is given up after its first line."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        try:
            async with asyncio.timeout(60):
                line = await reader.readline()
        except TimeoutError:
            print(request)
            return "silent"
        return line.decode("latin-1").partition(" ")[2][:3] or "closed"
    finally:
        writer.close()


def test_the_hole_swallows_and_records_requests(attempts: Path, port: int) -> None:
    assert port
    for reach in (
        "urllib.request.urlopen('http://app.example/')",
        "urllib.request.urlopen('http://192.0.2.7/')",
    ):
        done = subprocess.run((sys.executable, "-c", f"import urllib.request; {reach}"), capture_output=True)
        assert done.returncode == 1
    assert attempts.read_text("utf-8").split("\n")[:2] == ["app.example", "('192.0.2.7', 80)"]
    attempts.unlink()


def test_no_request_leads_outwards(attempts: Path, port: int) -> None:
    chance = random.Random(46)
    requests = iter([one_of(chance, port) for _ in range(REQUESTS)])
    results: Counter[str] = Counter()

    async def ask() -> None:
        for request in requests:
            with suppress(ConnectionError):
                results[await answered(port, request)] += 1

    async def all_of_them() -> None:
        await asyncio.gather(*(ask() for _ in range(AT_ONCE)))
        for page, url in LINKS[:3]:  # and a page's own activity
            async with opened(port, page, dict(url)) as session:
                await session.run()

    finished(all_of_them())
    assert results.total() > 0.9 * REQUESTS
    assert {"101", "200", "303", "400", "403", "404"} <= {*results}, results
    assert not attempts.exists(), attempts.read_text("utf-8")
