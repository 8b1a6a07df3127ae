"""Small parts of an answer, sent at once."""

from __future__ import annotations

import socket
from asyncio import base_events

from tokensteps.streamlit_tuning.checks import require


def send_at_once() -> None:
    """Have each part of an answer leave at once, as asyncio does on connections that it knows to be of TCP.

    Streamlit makes its socket without naming the protocol, so asyncio knows it of none: a small part that
    followed another waited until the browser had confirmed that one, which takes 40 ms.
    """

    def set_no_delay(connection: socket.socket) -> None:
        if connection.family in (socket.AF_INET, socket.AF_INET6) and connection.type == socket.SOCK_STREAM:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    require(base_events, "_set_nodelay")
    base_events._set_nodelay = set_no_delay  # type: ignore[attr-defined]
