"""An upload: counted piece by piece, and stopped when there is no room left."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tokensteps.limits import LARGEST_UPLOAD, UPLOAD_PATIENCE
from tokensteps.streamlit_internals import UPLOADS

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send
    from starlette.types import Message as Event

    from tokensteps.server.entrance.session_resources import SessionResources


class NoRoom(Exception):
    """Raised for an upload without room."""


class IncomingFile:
    """One request to put a file into a session, or to take one out."""

    def __init__(self, scope: Scope, session_resources: SessionResources) -> None:
        self._session, _slash, self._file = scope["path"].rpartition(UPLOADS)[2].partition("/")
        self._scope, self._visits = scope, session_resources
        self._stopped = False

    async def put(self, app: ASGIApp, receive: Receive, send: Send) -> None:
        """Take the file in. Raises NoRoom, before Streamlit has answered or in place of its answer."""
        if not self._visits.begin(self._session, self._file, announced(self._scope)):
            raise NoRoom
        taken = False

        async def counted() -> Event:
            try:
                event = await asyncio.wait_for(receive(), UPLOAD_PATIENCE)
            except TimeoutError:
                event = {"type": "http.disconnect"}
            size = len(event.get("body", b""))
            if not self._stopped and not self._visits.grow(self._session, self._file, size):
                self._stopped = True
            return {"type": "http.disconnect"} if self._stopped else event

        async def pass_event(event: Event) -> None:
            nonlocal taken
            if event["type"] == "http.response.start":
                taken = event["status"] < 300
            await send(event)

        try:
            await app(self._scope, counted, pass_event)
        except Exception:
            if self._stopped:
                raise NoRoom from None
            raise
        finally:
            self._visits.finish(self._session, self._file, taken)

    async def pass_on(self, app: ASGIApp, receive: Receive, send: Send) -> None:
        """Any other request for a file: after a DELETE it no longer counts."""

        async def pass_event(event: Event) -> None:
            answered = event["type"] == "http.response.start" and event["status"] < 300
            if answered and self._scope["method"] == "DELETE":
                self._visits.forget(self._session, self._file)
            await send(event)

        await app(self._scope, receive, pass_event)


def announced(scope: Scope) -> int:
    """Bytes of an upload as announced by its browser, or else the most allowed.

    >>> (
    ...     announced({"headers": [(b"content-length", b"12")]}),
    ...     announced({"headers": []}) == LARGEST_UPLOAD * 2**20,
    ... )
    (12, True)
    """
    headers = dict(scope["headers"])
    length = headers.get(b"content-length", b"")
    text = length.isdigit() and len(length) < 12 and not headers.get(b"transfer-encoding")
    return int(length) if text else LARGEST_UPLOAD * 2**20
