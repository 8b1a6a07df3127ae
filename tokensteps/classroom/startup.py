"""A server's start and end, with classes."""

from __future__ import annotations

import asyncio
import ipaddress
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from types import FrameType
from typing import Any

import streamlit as st
from streamlit.starlette import App

from tokensteps.classroom.address import local_address
from tokensteps.classroom.hub import hub
from tokensteps.server.entrance.unknown_addresses import base_path

Lifespan = Callable[[App], AbstractAsyncContextManager[dict[str, Any]]]


def with_classes(lifespan: Lifespan) -> Lifespan:
    """A server's life, with classes in it: it prints its address for students, and ends their streams at its
    end."""

    @asynccontextmanager
    async def life(app: App) -> AsyncIterator[dict[str, Any]]:
        async with lifespan(app) as state:
            tell_address()
            with ended_by_signals(hub().close):
                yield state

    return life


def tell_address() -> None:
    """Print the address for a class to type in, if others can reach this server."""
    address = st.get_option("server.address") or ""
    if not address or _everywhere(address):
        result = local_address()
        if result:
            scheme = "https" if st.get_option("server.sslCertFile") else "http"
            print(
                f"  For a class in the same network: {scheme}://{result}:{st.get_option('server.port')}{base_path()}\n",
                flush=True,
            )


def _everywhere(address: str) -> bool:
    """Whether a server listening there is reached from elsewhere under any of the machine's addresses."""
    try:
        return ipaddress.ip_address(address).is_unspecified
    except ValueError:
        return False


@contextmanager
def ended_by_signals(end: Callable[[], None]) -> Iterator[None]:
    """Inside, `end` is called when a signal ends the server.

    The server first waits for the end of all responses, and only then announces its own; but an event stream
    never ends by itself.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # a server inside another program: the signals are that one's
        return
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def tell(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(end)
        former = before[signal.Signals(number)]
        if callable(former):
            former(number, frame)

    for number in before:
        signal.signal(number, tell)
    try:
        yield
    finally:
        for number, former in before.items():
            if signal.getsignal(number) is tell:
                signal.signal(number, former)
