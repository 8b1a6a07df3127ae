"""Servers that listen but misbehave, for tests of outgoing connections."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def half_dead(serve: Callable[[socket.socket], None]) -> Iterator[str]:
    """The address of a listener that serves each connection like this."""
    listening = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        while True:
            try:
                connection, _address = listening.accept()
            except OSError:
                return
            threading.Thread(target=talk, args=(connection,), daemon=True).start()

    def talk(connection: socket.socket) -> None:
        try:
            serve(connection)
        except OSError:
            pass
        finally:
            connection.close()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"127.0.0.1:{listening.getsockname()[1]}"
    finally:
        listening.close()


def silent(connection: socket.socket) -> None:
    """Takes everything and answers nothing."""
    while connection.recv(4_096):
        pass


def dripping(connection: socket.socket) -> None:
    """A byte of an endless answer every now and then: never late enough for a limit on each piece."""
    while True:
        connection.sendall(b"1")
        time.sleep(0.05)


def another_protocol(connection: socket.socket) -> None:
    """Another protocol's server."""
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 5)
    silent(connection)
