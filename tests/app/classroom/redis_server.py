"""Find a Redis or Valkey for the tests of classes on several machines; with ``--ensure``, install one where
another server does no harm."""

from __future__ import annotations

import shutil
import sys

from tests.browser import nginx

COMMANDS = ("valkey-server", "redis-server")
LEFT_OUT = """\
No valkey-server or redis-server here: classes are tested with their file alone.
With one, also across machines: sudo apt install valkey-server, or redis-server (Debian, Ubuntu), brew install valkey (macOS)."""


def find() -> str | None:
    """The path of one, or None."""
    return next(filter(None, map(shutil.which, COMMANDS)), None)


def ensure() -> str | None:
    """The path of a Redis server, installed if need be; None after a failure. Like nginx, it starts with the
    machine."""
    if find() is None:
        nginx.install("Redis or Valkey", *COMMANDS)
    return find()


if __name__ == "__main__":
    path = ensure() if "--ensure" in sys.argv[1:] else find()
    print(f"Redis or Valkey: {path}" if path else LEFT_OUT)
