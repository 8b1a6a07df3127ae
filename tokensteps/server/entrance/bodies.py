"""Bodies of requests: JSON from our own scripts, read up to a limit."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from starlette.requests import ClientDisconnect

from tokensteps.limits import UPLOAD_PATIENCE

if TYPE_CHECKING:
    from starlette.requests import Request


class BodyError(Exception):
    """A refused body: the HTTP status, and a sentence for readers of the raw response."""

    def __init__(self, status: int, say: str) -> None:
        super().__init__(say)
        self.status = status


async def read_body(request: Request, limit: int) -> tuple[int, dict[str, Any]]:
    """The length of a request's body, and the body as an object. Raises BodyError."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise BodyError(400, "Send application/json.")
    data = bytearray()
    try:
        async with asyncio.timeout(UPLOAD_PATIENCE):
            async for piece in request.stream():
                data += piece
                if len(data) > limit:
                    raise BodyError(413, f"A message has at most {limit} bytes.")
        body = json.loads(data)
    except (ValueError, RecursionError, TimeoutError, ClientDisconnect) as error:
        raise BodyError(400, "That isn't JSON.") from error
    if not isinstance(body, dict):
        raise BodyError(400, "Send an object.")
    return len(data), body
