"""Find nginx for the test of a whole deployment; with ``--ensure``, install it where another web server does
no harm.

`Deployment` runs the shipped launcher and the shipped configuration, with other ports and folders.
"""

from __future__ import annotations

import getpass
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from functools import cache
from pathlib import Path

from tests.browser import chromium

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = ("nginx", "/usr/sbin/nginx", "/usr/local/sbin/nginx", "/opt/homebrew/bin/nginx")
LEFT_OUT = """\
No nginx here: tests/browser/test_behind_nginx.py is left out, everything else is tested.
With it: sudo apt install nginx-light (Debian, Ubuntu), brew install nginx (macOS)."""
WORKERS = 2
STARTING = 120.0
"""Seconds until the workers answer: each loads the app's modules."""


@cache
def find() -> str | None:
    """The path of an nginx, or None."""
    return next((path for path in map(shutil.which, COMMANDS) if path), None)


def ensure() -> str | None:
    """The path of an nginx, installed if need be; None after a failure.

    On Debian it starts with the machine, so it is installed only by root, in a container mostly, and on CI.
    """
    if find() is None:
        install("nginx", "nginx-light")
        find.cache_clear()
    return find()


def install(name: str, *packages: str) -> None:
    """Install the first existing one of these packages, on Debian: by root, and on CI."""
    root = chromium.prefix() if shutil.which("apt-get") else None
    if root is None or (root and not os.environ.get("CI")):
        return

    def done(*command: str) -> bool:
        apt = [*root, *chromium.APT, *command]
        print(f"No {name} yet:", " ".join(apt), flush=True)
        return subprocess.run(apt, check=False).returncode == 0

    if done("update"):
        any(done("install", "-y", "--no-install-recommends", package) for package in packages)


def free_ports(many: int) -> int:
    """The first of as many free ports in a row."""
    for first in range(20_000 + os.getpid() % 10_000, 60_000, many):
        probes: list[socket.socket] = []
        try:
            for port in range(first, first + many):
                probe = socket.socket()
                probes.append(probe)
                probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        finally:
            for probe in probes:
                probe.close()
        return first
    raise OSError("no free ports")


class Deployment:
    """Two workers behind nginx, as deploy/ has them; only ports and folders are others."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        first = free_ports(WORKERS + 2)
        self.ports = {8501: first, 8502: first + 1, 80: first + 2}
        """The port in the shipped configuration → the one here."""
        self.http2 = first + 3
        """The port for HTTP/2, in the shipped configuration with a certificate only."""
        self.address = f"http://127.0.0.1:{self.ports[80]}"
        self.processes: list[subprocess.Popen[bytes]] = []

    def configuration(self) -> Path:
        """The shipped configuration, with our ports and folders."""
        port = "|".join(map(str, self.ports))
        for name in ("nginx.conf", "tokensteps.conf"):
            text = (ROOT / "deploy" / name).read_text(encoding="utf-8")
            text = re.sub(rf"\b({port})(?=[;:\s])", lambda match: str(self.ports[int(match[1])]), text)
            if name == "tokensteps.conf":
                text = text.replace(
                    "listen ", f"listen 127.0.0.1:{self.http2} http2;\n    listen 127.0.0.1:", 1
                )
            text = re.sub(r"/(?:var/lib|var/cache|var/log|run)/", f"{self.folder}/", text)
            # Only root can run as another user, and that user couldn't read a test's folders.
            text = text.replace("user www-data;", f"user {getpass.getuser()};")
            (self.folder / name).write_text(text, encoding="utf-8")
        for name in ("nginx", "body"):
            (self.folder / name).mkdir(exist_ok=True)
        return self.folder / "nginx.conf"

    def start(self) -> None:
        """Start the workers and nginx, and wait until all answer."""
        environment = {**os.environ, "TOKENSTEPS_STORE": str(self.folder / "store")}
        launcher = [sys.executable, str(ROOT / "deploy" / "serve.py")]
        launch = [*launcher, "--workers", str(WORKERS), "--port", str(self.ports[8501])]
        self._run(launch, "workers.log", environment)
        self._run(
            [str(find()), "-p", str(self.folder), "-c", str(self.configuration()), "-g", "daemon off;"],
            "nginx.log",
            {**os.environ},
        )
        for port in self.ports.values():
            self.wait(port)

    def _run(self, command: list[str], log: str, environment: dict[str, str]) -> None:
        with (self.folder / log).open("wb") as file:
            process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, env=environment)
        self.processes.append(process)

    def wait(self, port: int) -> None:
        """Wait until this port of ours reports good health."""
        until = time.monotonic() + STARTING
        while not self.well(port):
            dead = [process.args for process in self.processes if process.poll() is not None]
            if dead or time.monotonic() > until:
                logs = {log.name: log.read_text(errors="replace") for log in self.folder.glob("*.log")}
                raise RuntimeError(f"{port} doesn't answer; ended: {dead}\n{logs}")
            time.sleep(0.1)

    def well(self, port: int) -> bool:
        """Whether this port of ours reports good health."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def worker(self, port: int) -> int:
        """The process serving this port, by the launcher's last message."""
        messages = re.findall(rf"Worker {port}: process (\d+)", (self.folder / "workers.log").read_text())
        return int(messages[-1])

    def stop(self) -> None:
        """End everything."""
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def main(arguments: list[str]) -> int:
    path = ensure() if "--ensure" in arguments else find()
    print(f"nginx: {path}" if path else LEFT_OUT)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
