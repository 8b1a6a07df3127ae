"""The command to check a place where the app runs, or is to run."""

from __future__ import annotations

import http.client
import json
import os
import platform
import re
import shutil
import socket
import ssl
import tempfile
from base64 import b64encode
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import SplitResult, urlsplit

import click

from tokensteps.cli.training import option
from tokensteps.limits import OPEN_FILES, SERVER_MEMORY
from tokensteps.server.stores import STORE_VARIABLE, shared_folder

OK, NOTE, WRONG = "ok", "note", "wrong"
EACH_ANSWER: Final = 10.0
"""Seconds for each answer of a server."""
TRIED_VERSIONS: Final = re.compile(r"^(streamlit|tokenizers|regex)\b([^;]*)$")
"""Of the package's requirements, the ones with versions that matter most."""


class Finding(NamedTuple):
    """A state of things, and the remedy."""

    state: str
    what: str


@click.command(
    "doctor",
    short_help="Say what works in the place where the app runs.",
    epilog="\b\nExamples:\n  python -m tokensteps doctor\n  python -m tokensteps doctor https://tokens.example.edu",
)
@click.argument("url", required=False)
@option("--json", "Write the findings as JSON.", is_flag=True)
def doctor_command(url: str | None, **options: bool) -> None:
    """Look at this machine: versions, memory, open files, the store, the secret, Redis. With the URL of a
    running app, also at what comes through to it: pages, the name that a proxy passes on, WebSockets, HTTP/2.

    Ends with 1 if something is wrong.
    """
    findings = [*machine()]
    if url is not None:
        try:
            position = urlsplit(url)
        except ValueError:  # [ without its ]
            position = urlsplit("")
        if position.scheme not in ("http", "https") or not position.hostname:
            raise click.UsageError(
                f"{url!r} is no address of an app; write one like https://tokens.example.edu."
            )
        findings += reached(position)
    if options["json"]:
        click.echo(json.dumps([one._asdict() for one in findings], ensure_ascii=False, indent=2))
    else:
        for one in findings:
            click.echo(f"{one.state:>5}  {one.what}")
    if any(one.state == WRONG for one in findings):
        raise click.exceptions.Exit(1)


def machine() -> Iterator[Finding]:
    """Findings without a server."""
    yield from versions()
    yield memory()
    yield open_files()
    yield store()
    yield seals()
    if os.environ.get("TOKENSTEPS_FRAME_ANCESTORS"):
        yield frames()
    if address := os.environ.get("TOKENSTEPS_REDIS"):
        yield redis(address)


def versions() -> Iterator[Finding]:
    """Python, and the packages that the app is tested with."""
    yield Finding(OK, f"Python {platform.python_version()} on {platform.system()} {platform.machine()}")
    try:
        needs = requires("tokensteps") or []
    except PackageNotFoundError:  # a checkout
        needs = ["streamlit", "tokenizers", "regex"]
    for need in needs:
        if match := TRIED_VERSIONS.match(need):
            try:
                there = version(match[1])
            except PackageNotFoundError:
                yield Finding(WRONG, f"{match[1]} is missing: pip install {match[1]}")
                continue
            yield Finding(
                OK, f"{match[1]} {there}" + (f" (asked for: {match[2].strip()})" if match[2].strip() else "")
            )


def memory() -> Finding:
    """The memory left to a server by a container or the machine."""
    limits = [
        int(text)
        for name in ("memory.max", "memory/memory.limit_in_bytes")
        if (path := Path("/sys/fs/cgroup") / name).is_file() and (text := path.read_text().strip()).isdigit()
    ]
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    if not limits:
        return Finding(NOTE, "memory: this system doesn't say")
    result = f"memory: {min(limits) / 1e9:.1f} GB"
    if min(limits) < SERVER_MEMORY:
        return Finding(WRONG, f"{result}, but a server with its processes takes {SERVER_MEMORY / 1e9:.1f} GB")
    return Finding(OK, result)


def open_files() -> Finding:
    """How many connections the system lets a server have."""
    try:
        import resource
    except ImportError:  # Windows
        return Finding(OK, "open files: no limit here")
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    text = "no limit" if hard == resource.RLIM_INFINITY else f"{hard:,}"
    if hard != resource.RLIM_INFINITY and hard < OPEN_FILES:
        return Finding(
            NOTE,
            f"open files: {text}; a page takes four, so raise the limit for more than {hard // 8} visitors",
        )
    return Finding(OK, f"open files: {text}")


def store() -> Finding:
    """Whether texts, files and classes can be kept."""
    folder = shared_folder("")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return Finding(
            WRONG,
            f"store: {folder} can't be written ({error.strerror}); name another folder in {STORE_VARIABLE}",
        )
    text = f"store: {folder} can be written, {free / 1e9:.1f} GB are free"
    if os.environ.get(STORE_VARIABLE):
        return Finding(OK if free > 1e9 else NOTE, text)
    return Finding(
        NOTE,
        f"{text}; it is this machine's own: where a host starts afresh, set {STORE_VARIABLE} to a folder that stays",
    )


def seals() -> Finding:
    """Whether seals outlive a restart."""
    from tokensteps.server.seal import SECRET_FILE, SECRET_VARIABLE, SecretError, read_secret

    try:
        read_secret()
    except SecretError as error:
        return Finding(WRONG, f"secret: {error}")
    if os.environ.get(SECRET_VARIABLE):
        return Finding(OK, f"secret: {SECRET_VARIABLE} is set")
    if not SECRET_FILE.exists():
        return Finding(
            WRONG,
            f"secret: {SECRET_FILE} can't be written: challenges and codes end with the server; set {SECRET_VARIABLE}",
        )
    return Finding(
        NOTE,
        f"secret: in a file of this machine's; set {SECRET_VARIABLE} where there are several servers, or where a host starts afresh",
    )


def frames() -> Finding:
    """Whether the sites allowed to show the app in a frame are sites."""
    from tokensteps.server.headers import named_ancestors

    try:
        return Finding(OK, f"frames: of {' '.join(named_ancestors())}")
    except ValueError as error:
        return Finding(WRONG, f"frames: {error}")


def redis(address: str) -> Finding:
    """Whether servers on several machines can share classes."""
    from tokensteps.classroom.redis_store import RedisStore
    from tokensteps.classroom.store import StoreError

    try:
        RedisStore(address).read("doctor", 0)
    except StoreError as error:
        return Finding(WRONG, f"Redis: {error}")
    return Finding(OK, "Redis: it answers")


# --- A running app ------------------------------------------------------------------------------------------


def reached(address: SplitResult) -> Iterator[Finding]:
    """The parts of an app that can be reached at this address."""
    base = address.path.rstrip("/")
    for what, check in (("page", page), ("Host", host), ("WebSocket", websocket), ("HTTP/2", http2)):
        try:
            yield from check(address, base)
        except (OSError, http.client.HTTPException, ValueError) as error:
            yield Finding(WRONG, f"{what}: no answer from {address.netloc} ({error or type(error).__name__})")
            return


def connected(address: SplitResult) -> http.client.HTTPConnection:
    """A connection to an app."""
    kind = http.client.HTTPSConnection if address.scheme == "https" else http.client.HTTPConnection
    return kind(address.hostname or "", address.port, timeout=EACH_ANSWER)


def request_page(
    address: SplitResult, method: str, path: str, **headers: str
) -> tuple[int, http.client.HTTPMessage, bytes]:
    """One request, in the form of a page of that address."""
    line = connected(address)
    try:
        line.request(method, path, headers={"Origin": f"{address.scheme}://{address.netloc}", **headers})
        answer = line.getresponse()
        return answer.status, answer.headers, answer.read(1_000_000)
    finally:
        line.close()


def page(address: SplitResult, base: str) -> Iterator[Finding]:
    """The app answers, with its own headers."""
    status, headers, body = request_page(address, "GET", f"{base}/_stcore/health")
    if status != 200 or body.strip() != b"ok":
        yield Finding(
            WRONG, f"page: {base}/_stcore/health answers {status}; is it the app's address, with its path?"
        )
        return
    policy = "Content-Security-Policy" in headers
    yield Finding(
        OK if policy else WRONG,
        "page: the app answers" + ("" if policy else ", but a proxy takes its security headers out"),
    )
    if address.scheme == "https" and "Strict-Transport-Security" not in headers:
        yield Finding(
            NOTE,
            "https: the proxy doesn't tell the app of it; have it send X-Forwarded-Proto: https, or cookies aren't Secure",
        )
    elif address.scheme == "http" and address.hostname not in ("localhost", "127.0.0.1"):
        yield Finding(NOTE, "http: anyone on the network can read along; give the proxy a certificate")


def host(address: SplitResult, base: str) -> Iterator[Finding]:
    """Whether the app takes its own page for its own: a POST without an answer, refused only if it
    doesn't."""
    status, _headers, body = request_page(address, "POST", f"{base}/_stcore/health")
    if status != 403:
        yield Finding(OK, "Host: the proxy passes it on, or the app allows this address")
        return
    data = json.loads(body).get("host", "") if body.startswith(b"{") else "something else"
    yield Finding(
        WRONG,
        f"Host: the server was asked by the name {data!r} and refuses its own page; have the proxy pass the Host header on unchanged, with its port, "
        f"or set STREAMLIT_SERVER_CORS_ALLOWED_ORIGINS={address.scheme}://{address.netloc}",
    )


def websocket(address: SplitResult, base: str) -> Iterator[Finding]:
    """Whether a session can be opened."""
    key = b64encode(os.urandom(16)).decode()
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": key}
    status, _headers, _body = request_page(
        address, "GET", f"{base}/_stcore/stream", **upgrade, **{"Sec-WebSocket-Version": "13"}
    )
    if status == 101:
        yield Finding(OK, "WebSocket: it comes through")
    else:
        text = "have the proxy pass Upgrade and Connection on, as deploy/tokensteps.conf does"
        yield Finding(WRONG, f"WebSocket: the answer is {status}, not 101; {text}")


def http2(address: SplitResult, _base: str) -> Iterator[Finding]:
    """Over HTTP/1.1 a browser opens six connections to an address, and each tab in a class keeps one."""
    if address.scheme != "https":
        yield Finding(
            NOTE, "HTTP/2: browsers use it over https only; without it, a class has five tabs in each browser"
        )
        return
    context = ssl.create_default_context()
    context.set_alpn_protocols(["h2", "http/1.1"])
    with (
        socket.create_connection((address.hostname or "", address.port or 443), EACH_ANSWER) as line,
        context.wrap_socket(line, server_hostname=address.hostname) as secure,
    ):
        chosen = secure.selected_alpn_protocol()
    yield (
        Finding(OK, "HTTP/2: yes")
        if chosen == "h2"
        else Finding(NOTE, "HTTP/2: no; a class then has five tabs in each browser")
    )
