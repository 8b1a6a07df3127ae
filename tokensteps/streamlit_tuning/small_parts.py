"""Small parts of a response, sent at once."""

from __future__ import annotations

import socket
from asyncio import base_events

from tokensteps.streamlit_tuning.checks import require


def send_at_once() -> None:
    """Have each part of a response leave at once; asyncio does this only for sockets declared as TCP.

    Streamlit makes its socket without naming the protocol, so asyncio knows of none: a small part after
    another waited for the browser's confirmation of that one, 40 ms.
    """

    def set_no_delay(connection: socket.socket) -> None:
        if connection.family in (socket.AF_INET, socket.AF_INET6) and connection.type == socket.SOCK_STREAM:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    require(base_events, "_set_nodelay")
    base_events._set_nodelay = set_no_delay  # type: ignore[attr-defined]
