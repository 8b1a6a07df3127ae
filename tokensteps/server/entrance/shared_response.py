"""A response shared by everybody: compressed once, and sent for every request.

It holds no secret and no visitor's data, except for the content of the page's own address; so its size after
compression reveals nothing (BREACH).
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from starlette.types import Scope, Send

COMPRESSIBLE: Final = frozenset(
    {"application/javascript", "application/json", "application/wasm", "image/svg+xml"}
)
"""Besides text/*. Faces and pictures are compressed already."""
REPLACED: Final = frozenset({b"accept-ranges", b"content-length", b"etag", b"vary"})
"""Headers with other values for a compressed file."""
LASTING: Final = b"public, immutable, max-age=31536000"
"""For a file with a digest of its content in its name."""
LEVEL: Final = 9
"""Compression is done once; the highest level takes a tenth of a second for all scripts of a page."""

Header = tuple[bytes, bytes]


class SharedResponse(NamedTuple):
    """Headers and body, as they are sent."""

    headers: tuple[Header, ...]
    body: bytes
    tag: bytes
    """Its ETag."""
    source: bytes
    """The ETag of its source, before compression."""
    lasting: bool
    """Whether the content under this name never changes."""

    async def answer(self, scope: Scope, send: Send) -> None:
        """Send it; to a browser with a copy, “not modified”."""
        same = has(header_of(scope["headers"], b"if-none-match"), self.tag)
        body = b"" if same or scope["method"] == "HEAD" else self.body
        headers = [header for header in self.headers if not same or not header[0].startswith(b"content-")]
        await send({"type": "http.response.start", "status": 304 if same else 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


def shared_response(headers: Iterable[Header], body: bytes, packed: bool = True) -> SharedResponse:
    """A response with these headers, an ETag among them, and this body: compressed if that is allowed and
    makes it smaller."""
    said = [(name, value) for name, value in headers if name not in REPLACED]
    kind = header_of(said, b"content-type").decode("latin-1").partition(";")[0].strip().lower()
    source = tag = header_of(headers, b"etag")
    if packed and (kind in COMPRESSIBLE or kind.startswith("text/")):
        smaller = gzip.compress(body, LEVEL, mtime=0)
        if len(smaller) < len(body):
            body, tag = smaller, b'"%s-gzip"' % source.removeprefix(b"W/").strip(b'"')
            said.append((b"content-encoding", b"gzip"))
    said += [(b"content-length", b"%d" % len(body)), (b"etag", tag), (b"vary", b"Accept-Encoding")]
    return SharedResponse(tuple(said), body, tag, source, b"immutable" in header_of(said, b"cache-control"))


def own_response(text: bytes, kind: bytes, caching: bytes, packed: bool) -> SharedResponse:
    """A generated response: its `kind` is the Content-Type, its `caching` the Cache-Control."""
    tag = b'"%s"' % hashlib.sha256(text).hexdigest()[:32].encode("ascii")
    said: list[Header] = [(b"content-type", kind), (b"cache-control", caching), (b"etag", tag)]
    return shared_response(said, text, packed)


def takes_gzip(accepted: bytes) -> bool:
    """Whether the header Accept-Encoding lets an answer be compressed with gzip.

    >>> (
    ...     takes_gzip(b"gzip, deflate, br"),
    ...     takes_gzip(b"br;q=1.0, *;q=0.5"),
    ...     takes_gzip(b"gzip;q=0, *"),
    ...     takes_gzip(b""),
    ... )
    (True, True, False, False)
    """
    wanted = {}
    for part in accepted.lower().replace(b" ", b"").split(b","):
        coding, _semicolon, weight = part.partition(b";q=")
        wanted[coding] = not weight or weight.strip(b"0.") != b""
    return wanted.get(b"gzip", wanted.get(b"*", False))


def has(tags: bytes, tag: bytes) -> bool:
    """Whether a browser with these tags in If-None-Match has the content of `tag`.

    >>> has(b'"a", W/"b"', b'"b"'), has(b"*", b'"b"'), has(b'"ab"', b'"b"'), has(b"", b'"b"')
    (True, True, False, False)
    """
    return any(one.strip().removeprefix(b"W/") in (b"*", tag) for one in tags.split(b","))


def header_of(headers: Iterable[Header], name: bytes) -> bytes:
    """The value of a header, b"" without one."""
    return next((value for key, value in headers if key == name), b"")
