"""Ports for servers that are about to start."""

from __future__ import annotations

import random
import socket
from contextlib import suppress
from typing import Final

OWN_PORTS: Final = range(20_000, 32_768)
"""Below those of outgoing connections (Linux, macOS), which may be taken while a server starts."""


def free_port() -> int:
    """A free port."""
    while True:
        port = random.choice(OWN_PORTS)
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
