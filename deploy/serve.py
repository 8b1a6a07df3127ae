"""Start workers of TokenSteps on consecutive ports, keep them running, and restart them one at a time.

    python deploy/serve.py --workers 2 --port 8501

Each worker is a Streamlit server of its own; nginx in front of them keeps a visitor with one worker
(tokensteps.conf). Environment variables can replace the options: WORKERS, PORT, and ADDRESS (127.0.0.1 except
in a container). A dead worker is started again. SIGHUP restarts them one after the other, each once the one
before it answers again; SIGTERM and SIGINT end them all. Runs on Unix.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
HOME = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")
"""Addresses that stand for all of a machine's."""
STARTING = 60.0
"""Seconds for a worker to start answering."""
ENDING = 10.0
"""Seconds for it to end, before it is killed."""
PAUSE = 2.0
"""Seconds between two starts of a dying worker."""


def command(port: int, address: str) -> list[str]:
    """The command for a worker. No files are watched for edits, and no browser is opened."""
    options = {
        "server.port": str(port),
        "server.address": address,
        "server.headless": "true",
        "server.fileWatcherType": "none",
    }
    arguments = [word for name, value in options.items() for word in (f"--{name}", value)]
    return [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), *arguments]


def health(port: int, address: str) -> str:
    """Where a worker says that it is up: below the path that Streamlit is told, if it is."""
    host = HOME if address in EVERYWHERE else f"[{address}]" if ":" in address else address
    base = os.environ.get("STREAMLIT_SERVER_BASE_URL_PATH", "").strip("/")
    return f"http://{host}:{port}/{f'{base}/' if base else ''}_stcore/health"


def answers(port: int, address: str) -> bool:
    """Whether the worker on this port is up."""
    # Without any proxy from the environment.
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(health(port, address), timeout=2) as answer:
            return bool(answer.status == 200)
    except (OSError, http.client.HTTPException):
        return False


class Worker:
    """One server process, started again whenever it ends."""

    def __init__(self, port: int, address: str) -> None:
        self.port, self.address = port, address
        self.started = 0.0
        self.start()

    def start(self) -> None:
        """Start the process, in a group of its own: we pass on a Ctrl+C meant for all, in order."""
        self.started = time.monotonic()
        self.process = subprocess.Popen(command(self.port, self.address), cwd=ROOT, start_new_session=True)
        print(f"Worker {self.port}: process {self.process.pid}", flush=True)

    def tend(self) -> None:
        """Start it again if it has ended, but not faster than it can fail."""
        if self.process.poll() is not None and time.monotonic() - self.started > PAUSE:
            print(f"Worker {self.port}: ended with {self.process.returncode}", flush=True)
            self.clear()
            self.start()

    def clear(self) -> None:
        """End the training processes left behind by a dead worker."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def end(self) -> None:
        """Ask it to end, and insist."""
        self.process.terminate()
        try:
            self.process.wait(ENDING)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.clear()

    def restart(self, unless: Callable[[], bool]) -> None:
        """End it, start it, and wait until it answers."""
        self.end()
        self.start()
        until = time.monotonic() + STARTING
        while not answers(self.port, self.address) and time.monotonic() < until and not unless():
            self.tend()
            time.sleep(0.2)


def serve(ports: range, address: str) -> None:
    """Run a worker on each port until a signal ends it."""
    received: set[int] = set()

    def ask(number: int, _frame: FrameType | None) -> None:
        received.add(number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, ask)
    workers = [Worker(port, address) for port in ports]
    print(
        f"{len(workers)} workers on {address}, from port {ports[0]} on; restart them: kill -HUP {os.getpid()}",
        flush=True,
    )

    def ending() -> bool:
        return bool(received & {signal.SIGTERM, signal.SIGINT})

    while not ending():
        if signal.SIGHUP in received:
            received.discard(signal.SIGHUP)
            for worker in workers:
                if not ending():
                    worker.restart(unless=ending)
        for worker in workers:
            worker.tend()
        time.sleep(0.2)
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        worker.end()


def main() -> None:
    """Read the command line, and serve."""
    env = {name: os.environ.get(name.upper(), "") for name in ("workers", "port", "address")}
    parser = argparse.ArgumentParser(description="Start workers of TokenSteps on consecutive ports.")
    parser.add_argument("--workers", type=int, default=env["workers"] or "2", help="how many (default: 2)")
    parser.add_argument(
        "--port", type=int, default=env["port"] or "8501", help="that of the first (default: 8501)"
    )
    parser.add_argument(
        "--address", default=env["address"] or HOME, help=f"where they listen (default: {HOME})"
    )
    parser.add_argument("--check", action="store_true", help="start none; end with 0 if all of them answer")
    options = parser.parse_args()
    if not (1 <= options.workers <= 64 and 1024 <= options.port <= 65535 - options.workers):
        parser.error("choose 1 to 64 workers, and ports from 1024 to 65535")
    ports = range(options.port, options.port + options.workers)
    if options.check:
        sys.exit(not all(answers(port, options.address) for port in ports))
    serve(ports, options.address)


if __name__ == "__main__":
    main()
