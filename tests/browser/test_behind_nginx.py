"""Two workers behind nginx, as deploy/ starts and configures them, with other ports and folders: a lecture
hall's conditions.

Oracles: nginx's own log names the answering worker; the page after the death of its worker is compared with
the page before.
"""

from __future__ import annotations

import gzip
import http.client
import json
import os
import random
import re
import signal
import socket
import threading
import tomllib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from benchmarks.classroom import Lesson, lose
from tests.below_a_path import below_a_path
from tests.browser.conftest import at_rest, open_tab
from tests.browser.hands import retype
from tests.browser.nginx import ROOT, Deployment
from tests.loops import finished
from tests.samples import STRESS
from tests.waiting import until

COOKIE = "tokensteps_worker"
ATTACKER = "127.0.0.66"
"""Nobody else's address: its used-up allowance would be missing to a class at the same address for twenty
seconds."""
LETTERS = random.Random(9)
TEXT = " ".join("".join(LETTERS.choices("abcdefghijklmnop", k=6)) for _ in range(2_500))
"""A text too long for a link: the server keeps it, and the address has its name."""


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    running = Deployment(tmp_path_factory.mktemp("deployment"))
    try:
        running.start()
        yield running
    finally:
        running.stop()


class Answer:
    """nginx's answer."""

    def __init__(
        self, deployment: Deployment, path: str, method: str = "GET", body: str = "", **headers: str
    ) -> None:
        before = len(log(deployment))
        connection = http.client.HTTPConnection("127.0.0.1", deployment.ports[80], timeout=20)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body or None, named)
        response = connection.getresponse()
        self.status, self.headers, self.body = response.status, response.headers, response.read()
        connection.close()
        until(lambda: len(log(deployment)) > before)  # it writes a request down when it is over

    @property
    def worker(self) -> str:
        """The worker named in the cookie; "" without a cookie."""
        match = re.search(
            rf"^{COOKIE}=(\d+);", "\n".join(self.headers.get_all("Set-Cookie", [])), re.MULTILINE
        )
        return match[1] if match else ""


def log(deployment: Deployment) -> list[str]:
    """nginx's log."""
    return (deployment.folder / "nginx" / "tokensteps.access.log").read_text(encoding="utf-8").splitlines()


def worked(deployment: Deployment) -> float:
    """Seconds for which the processor has worked for the workers."""
    workers = [psutil.Process(deployment.worker(deployment.ports[port])) for port in (8501, 8502)]
    return sum(sum(one.cpu_times()[:2]) for one in workers)


def worker_of(context: BrowserContext) -> int:
    return next(int(cookie["value"]) for cookie in context.cookies() if cookie["name"] == COOKIE)


def kill(deployment: Deployment, page: Page) -> int:
    """Kill the worker with the page's session, as suddenly as possible; returns its port."""
    port = worker_of(page.context)
    os.kill(deployment.worker(port), signal.SIGKILL)
    return port


def at(page: Page, step: int, last: int | None = None) -> None:
    """The stage is at a step, and so is the server's drawing under it."""
    expect(page.locator(".ts-flipbook .where").first).to_contain_text(
        f"Step {step} of {last}" if last else f"Step {step} "
    )
    expect(page.get_by_test_id("stMain")).to_contain_text(re.compile(rf"pairs after step {step:,}\b"))


@pytest.mark.slow
def test_a_visitor_keeps_a_worker_and_visitors_are_spread(deployment: Deployment) -> None:
    chosen = [Answer(deployment, "/_stcore/health").worker for _ in range(20)]
    workers = {str(deployment.ports[8501]), str(deployment.ports[8502])}
    assert {*chosen} == workers
    for worker in sorted(workers) * 5:
        answer = Answer(deployment, "/_stcore/health", Cookie=f"{COOKIE}={worker}")
        assert answer.status == 200
        assert answer.worker == "", "a cookie that is right is not set again"
        assert log(deployment)[-1].endswith(f" 127.0.0.1:{worker}")
    # A cookie leads nowhere but to a worker.
    for invented in ("22", "127.0.0.1:22", "8501 ", "x" * 3_000):
        assert Answer(deployment, "/_stcore/health", Cookie=f"{COOKIE}={invented}").worker in workers


def shown(page: Page) -> list[str]:
    """Step and stage, as seen after the merge; without the last message to a screen reader. Both at one
    moment: with the new connection, they are drawn anew."""
    book = page.locator(".ts-flipbook").filter(has=page.locator('.stage[data-beat="2"]'))
    seen: list[str] = until(lambda: book.evaluate(SEEN))
    return seen


SEEN = "box => box.isConnected && [...box.querySelectorAll('.where, .stage')].map(part => part.innerText)"
"""A stage's step and content, unless it was taken out just now."""


@pytest.mark.slow
def test_text_settings_and_step_outlive_their_worker(
    deployment: Deployment, open_page: Callable[..., Page]
) -> None:
    page = open_page(errors=True)  # a broken connection counts as an answer
    page.context.clear_cookies()
    page.goto(f"{deployment.address}/bpe?corpus=paste&show=symbols")
    box = page.get_by_label("Your text")
    box.fill(TEXT)
    box.press("Control+Enter")
    expect(page.locator(".ts-flipbook .where").first).to_contain_text("Step 0")
    at_rest(page)  # another text has boxes of its own, with other limits
    size = page.get_by_role("spinbutton", name="Vocabulary size")
    retype(size, "60")
    size.press("Enter")
    expect(page.locator(".ts-flipbook .where").first).to_contain_text("of 60")
    open_tab(page, "Every pair")
    for _ in range(5):
        page.locator(".ts-flipbook").get_by_role("button", name="Next step").click()
    at(page, 5)
    expect(page).to_have_url(re.compile(r"[?&]id=[0-9a-f]{32}"))
    expect(page).to_have_url(re.compile(r"[?&]step=5"))
    step = 5

    # To the other worker; and, with `STRESS=1`, back, when the first is up again and the other one dies.
    for _ in range(2 if STRESS else 1):
        dead = kill(deployment, page)
        other = next(port for port in (deployment.ports[8501], deployment.ports[8502]) if port != dead)
        expect(page.locator(".stApp")).not_to_have_attribute("data-test-connection-state", "CONNECTED")
        newcomer = Answer(deployment, "/bpe")
        assert (newcomer.status, newcomer.worker) == (200, str(other))
        # A hand doesn't wait for the server.
        page.locator(".ts-flipbook").get_by_role("button", name="Next step").click()
        step += 1
        stage = shown(page)
        at_rest(page)
        at(page, step)
        assert shown(page) == stage
        expect(box).to_have_value(TEXT)
        expect(size).to_have_value("60")
        expect(page.get_by_role("dialog")).to_have_count(0)
        # The page works: the next step reaches the server, and it draws the table.
        page.locator(".ts-flipbook").get_by_role("button", name="Next step").click()
        step += 1
        at(page, step)
        deployment.wait(dead)


@pytest.mark.slow
def test_an_upload_and_a_download_pass_through(
    deployment: Deployment, open_page: Callable[..., Page]
) -> None:
    page = open_page()
    page.goto(f"{deployment.address}/bpe?corpus=upload&size=40")
    data = (TEXT + "\n").encode() * 10
    file = {"name": "own.txt", "mimeType": "text/plain", "buffer": data}
    page.locator("input[type=file]").set_input_files(files=[file])  # type: ignore[list-item]
    expect(page.locator(".ts-flipbook .where").first).to_contain_text("of 40")
    put = next(line for line in reversed(log(deployment)) if " PUT " in line)
    assert " 204 " in put
    assert put.endswith(f":{worker_of(page.context)}"), "to the worker that has the session"
    open_tab(page, "Files and link")
    with page.expect_download() as started:
        page.get_by_role("button", name="tokenizer.json").click()
    tokenizer = json.loads(started.value.path().read_bytes())
    assert tokenizer["model"]["type"] == "BPE"
    assert {*TEXT} - {" "} <= {*tokenizer["model"]["vocab"]}


def test_nginx_has_the_apps_limits(deployment: Deployment) -> None:
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    most = settings["server"]["maxUploadSize"] * 1024 * 1024
    path = "/_stcore/upload_file/nobody/nothing"
    # Nothing is sent but the announcement. nginx refuses by itself; for an allowed upload, it waits.
    assert announced(deployment, path, most + 1024 * 1024 + 1) == b"HTTP/1.1 413"
    assert announced(deployment, path, most + 1024 * 1024) == b"HTTP/1.1 100"
    # The longest link, a challenge's; the app answers any address with its page.
    assert Answer(deployment, f"/challenge?c={'x' * 60_000}").status == 200


def announced(deployment: Deployment, path: str, length: int) -> bytes:
    """The answer to an upload of this length before any of it is sent; 100: go on."""
    head = (
        f"PUT {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\nExpect: 100-continue\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", deployment.ports[80]), 60) as line:
        line.sendall(head.encode())
        return line.recv(12)


def test_visitors_texts_are_in_no_log(deployment: Deployment) -> None:
    secret = "my-own-words-zebra"
    answer = Answer(deployment, f"/bpe?corpus=paste&text={secret}", Referer=f"http://elsewhere/?{secret}")
    assert answer.status == 200
    assert answer.headers["Server"] == "nginx"  # no version
    names = [name.lower() for name in answer.headers if name.lower() != "set-cookie"]
    assert sorted(names) == sorted({*names}), "no header twice"
    written = "\n".join(file.read_text(errors="replace") for file in deployment.folder.rglob("*.log"))
    assert "GET /bpe 200" in written
    assert secret not in written
    for path in ("/_stcore/metrics", "/_stcore/agent/mcp"):
        assert Answer(deployment, path).status == 404


def test_scripts_come_from_nginx_compressed(deployment: Deployment) -> None:
    page = Answer(deployment, "/").body.decode()
    script = re.search(r'src="\./(static/js[^/"]*/index\.[^"]+\.js)"', page)
    assert script is not None
    path = f"/{script[1]}"
    packed = Answer(deployment, path, Accept_Encoding="gzip, deflate, br")
    again = Answer(deployment, path, Accept_Encoding="gzip, deflate, br")
    plain = Answer(deployment, path)
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.body == again.body
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) * 3 < len(plain.body)
    assert "immutable" in packed.headers["Cache-Control"]
    # No worker was asked for the later two.
    assert [line.rsplit(" ", 1)[1] for line in log(deployment)[-2:]] == ["-", "-"]


SMUGGLED = b"GET /_stcore/host-config HTTP/1.1\r\nHost: x\r\n\r\n"
"""A request in another one's body: its answer, JSON, could be nobody else's."""
AMBIGUOUS = (
    b"Content-Length: %d\r\nTransfer-Encoding: chunked",
    b"Transfer-Encoding: chunked\r\nContent-Length: %d",
    b"Content-Length: %d\r\nTransfer-Encoding : chunked",
    b"Content-Length: %d\r\nTransfer-Encoding: xchunked",
    b"Content-Length: %d\r\nTransfer-Encoding:\tchunked",
    b"Content-Length: %d\r\n Transfer-Encoding: chunked",
    b"Content-Length: %d\r\nTransfer_Encoding: chunked",
    b"Content-Length: 0\r\nContent-Length: %d",
    b"Content-Length: +%d",
    b"Content-Length: 0, %d",
    b"Content-Length: 0\r\nX: a\nTransfer-Encoding: chunked",
    b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 1\r\nContent-Length: %d",
    b"Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\nContent-Length: %d",
    b"Expect: 100-continue\r\nContent-Length: %d\r\nTransfer-Encoding: chunked",
)
"""The body's end, given in two ways, or in a way read differently by proxies and servers."""


def raw(port: int, data: bytes, seconds: float = 60.0, source: str = "127.0.0.1") -> bytes:
    """The whole response until the other side ends, or has been quiet for a while."""
    with socket.create_connection(("127.0.0.1", port), seconds, (source, 0)) as line:
        message = b""
        with suppress(OSError):
            line.sendall(data)
            while piece := line.recv(65_536):
                message += piece
    return message


def has_written(deployment: Deployment, many: int) -> bool:
    """Whether nginx has logged so many of the requests in others' bodies (it does so after its answer)."""
    return sum("/_stcore/host-config" in line for line in log(deployment)) >= many


@pytest.mark.parametrize("head", AMBIGUOUS)
def test_no_request_is_smuggled_in_anothers_body(deployment: Deployment, head: bytes) -> None:
    body = b"0\r\n\r\n" + SMUGGLED
    head = head % len(body) if b"%d" in head else head
    for path in (b"/", b"/class/api/open", b"/_stcore/stream", b"/static/x.js"):
        request = b"POST %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\n%s" % (path, head, body)
        after = b"GET /_stcore/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        message = raw(deployment.ports[80], request + after, 0.5)
        # nginx itself may read a second request, by the standard's rule; but no server may read one that
        # isn't there.
        until(partial(has_written, deployment, message.count(b"allowedOrigins")))
    assert deployment.well(deployment.ports[8501]) and deployment.well(deployment.ports[8502])


def test_heads_beyond_all_bounds_end_at_nginx(deployment: Deployment) -> None:
    start = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    for large in (
        b"X: " + b"a" * 70_000,
        b"\r\n".join(b"X%d: %s" % (number, b"a" * 60_000) for number in range(8)),
        b"\r\n".join(b"X%d: a" % number for number in range(100_000)),
        b"Cookie: tokensteps_worker=" + b"8501;" * 10_000,
    ):
        message = raw(deployment.ports[80], start + large + b"\r\n\r\n")
        assert message.startswith((b"HTTP/1.1 400", b"HTTP/1.1 200", b"HTTP/1.1 414", b"HTTP/1.1 431")), (
            message[:100]
        )
    for line in (
        b"GET /%s HTTP/1.1" % (b"a" * 70_000),
        b"GET\0/ HTTP/1.1",
        b"\x16\x03\x01\x02\x00",
        b"GET / HTTP/9.9",
    ):
        message = raw(deployment.ports[80], line + b"\r\nHost: x\r\n\r\n")
        assert message == b"" or b" 200 " not in message.splitlines()[0], message[:100]
    assert deployment.well(deployment.ports[8501]) and deployment.well(deployment.ports[8502])


def test_a_wrong_host_opens_nothing(deployment: Deployment) -> None:
    """Neither a second name nor a visitor's own word for their address counts; and a page of another name
    opens no session."""
    for head in (b"", b"Host: a\r\nHost: b\r\n", b"Host: a b\r\n", b"Host: a/../b\r\n"):
        message = raw(deployment.ports[80], b"GET / HTTP/1.1\r\n" + head + b"\r\n")
        assert message.startswith(b"HTTP/1.1 400"), (head, message[:100])
    upgrade = (
        b"GET /_stcore/stream HTTP/1.1\r\nHost: %s\r\nOrigin: http://evil.example\r\nUpgrade: websocket\r\n"
        b"X-Forwarded-Host: evil.example\r\nForwarded: host=evil.example\r\nConnection: Upgrade, close\r\n"
        b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    message = raw(deployment.ports[80], upgrade % b"localhost")
    assert message.startswith(b"HTTP/1.1 403"), message[:200]
    shown = raw(deployment.ports[80], b"GET / HTTP/1.0\r\nHost: evil.example\r\n\r\n")
    assert b"evil.example" not in shown, "no answer repeats the name"


def frame(kind: int, flags: int, stream: int, data: bytes = b"") -> bytes:
    """One frame of HTTP/2."""
    return len(data).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + data


@pytest.mark.slow
def test_streams_reset_at_once_hold_up_no_other_client(deployment: Deployment) -> None:
    """HTTP/2's rapid reset (CVE-2023-44487): requests abandoned before their answer, as fast as they can be
    sent. Oracle: how long the workers work until somebody else is answered."""
    name = b"localhost"
    wanted = b"\x82\x86\x84\x41" + bytes((len(name),)) + name  # GET, http, /, and the name as it is
    rounds = [
        frame(1, 5, number, wanted) + frame(3, 0, number, b"\0\0\0\x08") for number in range(1, 20_001, 2)
    ]
    ended, over = [], threading.Event()

    def reset() -> None:
        while not over.is_set():
            flood = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0) + b"".join(rounds)
            ended.append(raw(deployment.http2, flood, source=ATTACKER))

    attackers = [threading.Thread(target=reset) for _ in range(3)]
    for attacker in attackers:
        attacker.start()
    waits = []
    for _ in range(40):
        start = worked(deployment)
        until(lambda: deployment.well(deployment.ports[80]))
        waits.append(worked(deployment) - start)
        over.wait(0.05)
    over.set()
    for attacker in attackers:
        attacker.join(60)
    assert ended and all(b"\x07" in message for message in ended), "nginx says goodbye (GOAWAY)"
    assert sorted(waits)[len(waits) // 2] < 0.5 and max(waits) < 5, waits


def test_each_worker_has_its_lines_in_the_configuration() -> None:
    text = (ROOT / "deploy" / "tokensteps.conf").read_text(encoding="utf-8")
    servers = re.findall(r"^    server 127\.0\.0\.1:(\d+) ", text, re.MULTILINE)
    named = re.findall(r"^    (\d+) +127\.0\.0\.1:(\d+);", text, re.MULTILINE)
    assert named == [(port, port) for port in servers]
    assert len(servers) == 2


def test_a_class_loses_a_worker_in_the_middle_of_a_vote(deployment: Deployment) -> None:
    """Lecturer and students are at whichever worker nginx has chosen; events come as they happen, and every
    answer counts."""
    port = deployment.ports[80]
    victim = deployment.worker(deployment.ports[8502])
    outcome = finished(lose([port], Lesson(20, answer_within=2.0), lambda: os.kill(victim, signal.SIGKILL)))
    results = (outcome.lost, outcome.twice, outcome.refused, outcome.wrong, outcome.answers)
    assert results == (0, 0, 0, 0, 20), "nginx keeps no event back"
    assert outcome.back > 0
    deployment.wait(deployment.ports[8502])


@pytest.mark.slow
def test_pages_below_a_path_with_tls(tmp_path: Path, open_page: Callable[..., Page]) -> None:
    """Every request stays below the path: of a page by its address, its steps, another page, and the latter
    loaded again."""
    with below_a_path(tmp_path) as (address, _certificate):
        page = open_page(ignore_https_errors=True)
        urls: list[str] = []
        page.on("request", lambda request: urls.append(request.url))
        page.goto(f"{address}/bpe?corpus=hug&step=2")
        at(page, 2)
        page.locator(".ts-flipbook").get_by_role("button", name="Next step").click()
        at(page, 3)
        expect(page).to_have_url(f"{address}/bpe?corpus=hug&step=3")
        page.get_by_test_id("stSidebarNav").get_by_role("link", name="WordPiece").click()
        expect(page.get_by_role("heading", name="WordPiece", level=1)).to_be_visible()
        page.reload()
        expect(page.locator(".ts-flipbook .where").first).to_contain_text("Step 0")
        expect(page).to_have_url(re.compile(re.escape(f"{address}/wordpiece")))
        inside = (f"{address}/", "data:", "blob:")
        assert len(urls) > 10 and [url for url in urls if not url.startswith(inside)] == []
