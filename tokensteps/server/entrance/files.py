"""Shared responses from memory: the page, Streamlit's scripts and styles, the app's own static files.

Streamlit sends its scripts as they are, 4 MB for a page, each from disk and through all of its layers. Here
each is fetched once, compressed once, and cached while there is room: so the simultaneous arrival of a class
takes a quarter of the hall's network, and little of the server. All else passes untouched: streams of events,
WebSockets, parts of files. A client without gzip, such as a proxy with its own compression, gets Streamlit's
files from Streamlit, and our own ones uncompressed.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl

from tokensteps.bounded import ENTRY, SharedCache
from tokensteps.language.i18n import visitors_language
from tokensteps.limits import STATIC_FILE, STATIC_ROOM
from tokensteps.server.entrance.page import bundle_at, early_page, own_faces, page_for
from tokensteps.server.entrance.prerendered_stage import stage_for
from tokensteps.server.entrance.shared_response import (
    Header,
    SharedResponse,
    header_of,
    shared_response,
    takes_gzip,
)
from tokensteps.server.entrance.unknown_addresses import page_at

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

PARAMETERS: Final = 64
"""Parameters of an address, at most, for a stage: reading 20,000 would hold up everybody."""
STATIC: Final = "/static/"
"""A part of the address of every static file, Streamlit's (/static/) and the app's (/app/static/)."""
VALUES: Final = "/static/js/useBasicWidgetState."
"""In the address of Streamlit's script for the values of widgets."""
FORGETTING: Final = re.compile(rb"\((\w+)\(null\),(\w+)\((\w+)\.value\),")
"""In that script: forget the waiting value, and keep this one as the last."""


class FromMemory:
    """ASGI middleware: answers from memory if it can, and passes on all else."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.files: SharedCache[str, SharedResponse] = SharedCache(STATIC_ROOM)
        self.turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        stored = (
            await self.find(scope) if scope["type"] == "http" and scope["method"] in ("GET", "HEAD") else None
        )
        if stored is None:
            await self.app(scope, receive, send)
        else:
            await stored.answer(scope, send)

    async def find(self, scope: Scope) -> SharedResponse | None:
        """The cached response for this request, or a new one to cache."""
        path, packed = scope["path"], takes_gzip(header_of(scope["headers"], b"accept-encoding"))
        page = page_at(path)
        if page is not None:
            return await self.page(page, scope, packed)
        if STATIC not in path:
            return None
        result = bundle_at(path, packed)
        if result is not None or not packed or header_of(scope["headers"], b"range"):
            return result
        cached = self.files.get(path)
        return cached if cached is not None and cached.lasting else await self.in_turn(path, scope)

    async def page(self, path: str, scope: Scope, packed: bool) -> SharedResponse:
        """The page at a path, with the stage that belongs to the address if one is at hand."""
        requested = scope.get("query_string", b"").decode("latin-1")
        try:
            query = dict(parse_qsl(requested, keep_blank_values=True, max_num_fields=PARAMETERS))
        except ValueError:  # no link of ours has so many
            return page_for(path, packed)
        accepted = header_of(scope["headers"], b"accept-language").decode("latin-1")
        language = visitors_language(query.pop("lang", ""), accepted)
        stage = stage_for(path, query, language)
        if stage is None:
            return page_for(path, packed)
        return await asyncio.to_thread(early_page, path, stage, language, packed)

    async def in_turn(self, path: str, scope: Scope) -> SharedResponse | None:
        """A static file, one request at a time: when a class comes in, all wait for the first request's
        copy."""
        turn = self.turns[path]
        try:
            async with turn:
                cached = self.files.get(path)
                if cached is None or not cached.lasting:
                    cached = await self.fetch(cached, scope)
            return cached
        finally:
            if not turn.locked():
                self.turns.pop(path, None)

    async def fetch(self, cached: SharedResponse | None, scope: Scope) -> SharedResponse | None:
        """A static file from the cache, if it hasn't changed, or else from the app; None for an uncacheable
        response."""
        status, headers, _body = await self.ask(scope, "HEAD")
        if not _is_cacheable(status, headers):
            return None
        if cached is None or cached.source != header_of(headers, b"etag"):
            status, headers, body = await self.ask(scope, "GET")
            if status != 200 or len(body) > STATIC_FILE:
                return None
            if header_of(headers, b"content-type").startswith(b"text/css"):
                body = own_faces(body)
            elif VALUES in scope["path"]:
                body = with_newest(body)
            cached = await asyncio.to_thread(shared_response, headers, body)
            self.files.put(scope["path"], cached, ENTRY + len(cached.body))
        return cached

    async def ask(self, scope: Scope, method: str) -> tuple[int, tuple[Header, ...], bytes]:
        """The app's response to a client without a copy: status, headers and the file uncompressed."""
        status: int = 500
        headers: tuple[Header, ...] = ()
        body = bytearray()
        pending = asyncio.Event()

        async def receive() -> Message:
            if pending.is_set():
                await asyncio.Event().wait()  # nobody goes away before the end
            pending.set()
            return {"type": "http.request", "body": b"", "more_body": False}

        async def take(message: Message) -> None:
            nonlocal status, headers
            if message["type"] == "http.response.start":
                status, headers = message["status"], tuple(message["headers"])
            body.extend(message.get("body", b""))

        host = [header for header in scope["headers"] if header[0] == b"host"]
        await self.app({**scope, "method": method, "headers": host}, receive, take)
        return status, headers, bytes(body)


def with_newest(script: bytes) -> bytes:
    """Streamlit's script for the values of widgets, with the newest value kept.

    A value waits there until the page has been drawn with it; then it is sent, and the waiting one is
    forgotten, even if it is already another. On a slow device, the last letters typed into a box with `live`
    were gone.
    """
    return FORGETTING.sub(rb"(\1(now=>now===\3?null:now),\2(\3.value),", script)


def _is_cacheable(status: int, headers: tuple[Header, ...]) -> bool:
    """Whether a response is a shared file, and not too large. For an unknown address, Streamlit sends its
    page."""
    size = header_of(headers, b"content-length")
    return (
        status == 200
        and header_of(headers, b"etag") != b""
        and header_of(headers, b"set-cookie") == b""
        and not header_of(headers, b"content-type").startswith(b"text/html")
        and size.isdigit()
        and int(size) <= STATIC_FILE
    )
