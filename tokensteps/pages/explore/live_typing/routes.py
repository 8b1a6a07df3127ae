"""The HTTP requests of a text box during typing: one small message for each key, answered with the chips.

They come through the same guard as everything else (`tokensteps/server/headers.py`), so other sites' pages
are refused before.
"""

from __future__ import annotations

import gzip
from typing import Final

import anyio
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tokenizers_core.errors import TokenizersCoreError
from tokensteps.limits import TYPED_AT_ONCE, TYPED_BODY, TYPED_WAITING
from tokensteps.pages.explore.live_typing.typing_sessions import (
    ADDRESS,
    TextChange,
    TypingError,
    TypingSession,
    keep,
    typing_session_named,
)
from tokensteps.server.entrance.bodies import BodyError, read_body
from tokensteps.server.process_singleton import process_singleton

WORTH_PACKING: Final = 2_000
"""From this many bytes, an answer is compressed: chips are markup, and become a sixth."""
FAST: Final = 1
"""The effort of gzip: somebody waits."""


GZIP: Final = b"\x1f\x8b"
"""The first bytes of compressed data."""


@process_singleton
def _typing_turns() -> anyio.CapacityLimiter:
    return anyio.CapacityLimiter(TYPED_AT_ONCE)


async def _draw_typed(request: Request) -> Response:
    """The chips of a text after a change. Raises TypingError."""
    name = request.path_params["desk"]
    session = typing_session_named(name)
    if session is None:
        raise TypingError(404)
    if _typing_turns().statistics().tasks_waiting >= TYPED_WAITING:
        raise TypingError(503)
    try:
        size, said = await read_body(request, TYPED_BODY)
    except BodyError as error:
        raise TypingError(error.status) from error
    session.take_turn(size)
    packed = "gzip" in request.headers.get("accept-encoding", "")
    data = await anyio.to_thread.run_sync(
        _work_typed, name, session, TextChange.read(said), packed, limiter=_typing_turns()
    )
    headers = {"Vary": "Accept-Encoding", **({"Content-Encoding": "gzip"} if data[:2] == GZIP else {})}
    return Response(data, media_type="application/json", headers=headers)


def _work_typed(name: str, session: TypingSession, change: TextChange, packed: bool) -> bytes:
    """The answer, in a thread of its own. Raises TypingError."""
    try:
        data = session.draw(change)
    except TokenizersCoreError as error:
        raise TypingError(422) from error  # the page says what is wrong
    keep(name, session)
    return gzip.compress(data, FAST, mtime=0) if packed and len(data) > WORTH_PACKING else data


async def _respond_typed(request: Request) -> Response:
    try:
        return await _draw_typed(request)
    except TypingError as error:
        return Response(status_code=error.status)


TYPED_ROUTES: Final = (Route(f"/{ADDRESS}/{{desk}}", _respond_typed, methods=["POST"]),)
"""Served beside Streamlit's own."""
