"""A WebSocket under guard: its messages are examined and wait for their turn, and its end is noticed."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Final

from tokensteps.limits import (
    ADDRESS_RATES,
    BUSY_RATE,
    BUSY_WAIT,
    CONNECTION_RATES,
    CONNECTIONS_EACH,
    PART_COST,
    SESSION_MESSAGE_BYTES,
)
from tokensteps.server.entrance.messages import Refused, examine
from tokensteps.server.entrance.rates import Account, Addresses, Bucket, Load, network
from tokensteps.streamlit_internals import claimed_session, session_of_message

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send
    from starlette.types import Message as Event

    from tokensteps.server.entrance.session_resources import SessionResources

POLICY_VIOLATION: Final = 1008
"""The code for closing a WebSocket because of its messages."""
TRY_AGAIN_LATER: Final = 1013
GONE: Final = 1006
"""The code for a browser that has left without a word."""


class Connections:
    """All WebSockets of a server."""

    def __init__(self, session_resources: SessionResources, load: Load | None = None) -> None:
        self._load = load or Load()
        self._addresses = Addresses(ADDRESS_RATES)
        self._visits = session_resources

    async def serve(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one WebSocket until it is closed."""
        now = time.monotonic()
        address = self._addresses.account(network((scope.get("client") or ("",))[0]))
        if address.connections >= CONNECTIONS_EACH:
            logging.getLogger(__name__).warning(
                "Refused a connection: its address has %d already", address.connections
            )
            await send({"type": "websocket.close", "code": TRY_AGAIN_LATER})
            return
        address.connections += 1
        connection = Connection(receive, send, address, self._visits, self._load, claimed_session(scope))
        try:
            await asyncio.sleep(address.bucket("openings").take(1, now))
            await app(scope, connection.receive, connection.send)
        finally:
            address.connections -= 1
            connection.leave()


class Connection:
    """One WebSocket."""

    def __init__(
        self,
        receive: Receive,
        send: Send,
        address: Account,
        session_resources: SessionResources,
        load: Load,
        session: str = "",
    ) -> None:
        self._receive, self._send, self._address, self._visits = receive, send, address, session_resources
        self._own, self._runs, self._load = Account(CONNECTION_RATES), Bucket(BUSY_RATE), load
        self._session, self._is_named = session, False
        """The connection's session: the browser's claim, until Streamlit has named it."""
        self._closed = False

    async def receive(self) -> Event:
        """The next message allowed to pass on to Streamlit."""
        while True:
            event = await self._receive()
            if self._closed:
                return {"type": "websocket.disconnect", "code": GONE}
            if event["type"] != "websocket.receive":
                return event
            try:
                data = event.get("bytes")
                if data is None:
                    raise Refused("text")
                await self._turn("bytes", len(data))
                message = examine(data)
            except Refused as refused:
                return await self._refuse(str(refused))
            if message.by_itself and self._busy():
                continue  # the page asks again, and would only fall further behind
            await self._turn(message.kind, 1)
            if message.kind == "rerun_script":
                await self._make_way(PART_COST if message.part else 1)
            return {"type": "websocket.receive", "bytes": message.data}

    def _busy(self) -> bool:
        now = time.monotonic()
        if self._runs.full(now) and self._in_the_way(now):
            return True
        return any(one.bucket("rerun_script").full(now) for one in (self._own, self._address))

    async def _turn(self, name: str, amount: int) -> None:
        """Wait until the limits of this connection and its address allow the amount."""
        now = time.monotonic()
        wait = max(one.bucket(name).take(amount, now) for one in (self._own, self._address))
        if wait:
            await asyncio.sleep(wait)

    async def _make_way(self, runs: float) -> None:
        """While the server is busy, make a connection with many requests wait, so that those with few don't
        have to."""
        now = time.monotonic()
        self._load.note_request(self, now)
        end = now + self._runs.take(runs, now)
        self._runs.wait_at_most(BUSY_WAIT)
        while end > now and self._in_the_way(now):
            await asyncio.sleep(min(end - now, Load.EVERY))
            now = time.monotonic()

    def _in_the_way(self, now: float) -> bool:
        """Whether others would wait for this connection's requests: a lone learner's clicks hold up
        nobody."""
        return self._load.shared(self, now) and self._load.busy()

    async def _refuse(self, why: str) -> Event:
        logging.getLogger(__name__).warning("Closed a connection that sent %s", why)
        self._closed = True
        await self._send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": "Policy violation"})
        return {"type": "websocket.disconnect", "code": POLICY_VIOLATION}

    async def send(self, event: Event) -> None:
        """Pass on Streamlit's messages, and note the session."""
        if self._closed:  # Streamlit hears of it when it asks for the next message
            return
        if not self._is_named and event["type"] == "websocket.send":
            data = event.get("bytes") or b""
            session = session_of_message(data) if len(data) < SESSION_MESSAGE_BYTES else ""
            if session:
                self._session, self._is_named = session, True
                self._visits.arrive(session, self._address.name)
        try:
            await self._send(event)
        except OSError:  # the browser has gone, and its last messages are nobody's any more
            self._closed = True

    def leave(self) -> None:
        """The WebSocket has ended."""
        self._visits.leave(self._session)
