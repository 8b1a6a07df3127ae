"""The headers of every response, on the sources of code, pictures and frames; and the guard against foreign
requests.

The policy allows nothing, and then Streamlit's needs; each loosened source has its reason. No part of it
depends on a visitor, so all of it is made once, at the start of the server.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import os
import re
from collections.abc import Iterable, Mapping
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Final

import streamlit as st

from tokensteps.drawing.handout import NO_NETWORK
from tokensteps.server.entrance.connections import Connections
from tokensteps.server.entrance.foreign_frames import is_refused, refusal
from tokensteps.server.entrance.session_resources import session_resources
from tokensteps.server.entrance.unknown_addresses import page_at, way_home
from tokensteps.server.entrance.uploads import IncomingFile, NoRoom
from tokensteps.streamlit_internals import METRICS, UPLOADS, first_page

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

ANCESTORS_VARIABLE: Final = "TOKENSTEPS_FRAME_ANCESTORS"
"""The environment variable with the sites allowed to show the app in a frame: `https://moodle.example.edu
https://*.example.org`."""
METRICS_VARIABLE: Final = "TOKENSTEPS_METRICS"
"""The environment variable for opening /_stcore/metrics, set to 1, behind a proxy that hides it from the
public."""
ANCESTOR: Final = re.compile(r"'self'|(?:https?://)?(?:\*\.)?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?::\d{1,5})?")

Policy = Mapping[str, tuple[str, ...]]
"""Directive → its sources."""
Headers = tuple[tuple[bytes, bytes], ...]

POLICY: Final[Policy] = {
    "default-src": ("'none'",),
    # blob: Streamlit imports a component's script from a blob of the text that came over its WebSocket. Only
    # a running script can make a blob's address. The hashes of the page's own inline scripts are added below.
    # 'wasm-unsafe-eval': the library for reading Streamlit's messages compiles a few constant instructions
    # for 64-bit sums. Refused, it does without, but every page would begin with a violation, and hide the
    # important ones. This allows WebAssembly, not JavaScript out of text; no source here allows that.
    "script-src": ("'self'", "blob:", "'wasm-unsafe-eval'"),
    # 'unsafe-inline': Streamlit's own styles (emotion), the app's style sheets (st.html) and the widths and
    # colours of charts, tables and chips are <style> elements and style attributes. A style runs nothing, and
    # can fetch from here only.
    "style-src": ("'self'", "'unsafe-inline'"),
    # data: Streamlit sends the logo and the page's icon like this, and draws a table's icons from it. blob: a
    # chart saved as a picture.
    "img-src": ("'self'", "data:", "blob:"),
    # data: one of the fonts for formulas lies in Streamlit's own style sheet, and Chromium reads it on every
    # page.
    "font-src": ("'self'", "data:"),
    # The app's WebSocket too: 'self' covers ws: and wss: of the same host.
    "connect-src": ("'self'",),
    "manifest-src": ("'self'",),
    # Explicit, because otherwise the sources of scripts would count for workers, too.
    "worker-src": ("'none'",),
    # No <base> and no submitted form: nothing here needs one.
    "base-uri": ("'none'",),
    "form-action": ("'none'",),
}
"""The policy of a page. Everything unnamed is forbidden: frames, objects, workers, sound."""
SEALED: Final[Policy] = {"default-src": ("'none'",), "frame-ancestors": ("'none'",), "sandbox": ()}
"""The policy of all else, a script, a font, a download: should a browser ever show it as a page, it does
nothing."""

REFUSED: Final = (
    "accelerometer", "autoplay", "camera", "clipboard-read", "display-capture", "encrypted-media", "geolocation",
    "gyroscope", "hid", "idle-detection", "local-fonts", "magnetometer", "microphone", "midi", "payment",
    "picture-in-picture", "publickey-credentials-get", "screen-wake-lock", "serial", "storage-access", "usb", "window-management",
    "xr-spatial-tracking",
)  # fmt: skip
"""Browser features that no page uses. Copying and the full screen stay with the page itself."""
PERMISSIONS: Final = ", ".join(
    (*(f"{name}=()" for name in REFUSED), "clipboard-write=(self)", "fullscreen=(self)")
)
COMMON: Final = {
    "X-Content-Type-Options": "nosniff",
    # A link may hold a learner's text: other hosts aren't told the address.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
YEAR: Final = 365 * 24 * 60 * 60
WEEK: Final = 7 * 24 * 60 * 60
HEALTH: Final = "/_stcore/health"
"""The address of the server's sign of life."""
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""Requests that change nothing."""

logger = logging.getLogger(__name__)


def written(policy: Policy) -> str:
    """A policy as the value of its header.

    >>> written({"default-src": ("'none'",), "img-src": ("'self'", "data:"), "sandbox": ()})
    "default-src 'none'; img-src 'self' data:; sandbox"
    """
    return "; ".join(" ".join((directive, *sources)) for directive, sources in policy.items())


def page_policy(page: str, ancestors: tuple[str, ...] = ("'self'",)) -> Policy:
    """The policy for a page with the HTML `page`, allowed in frames of `ancestors`.

    >>> policy = page_policy("<script>start()</script><script src='more.js'></script>", ("'none'",))
    >>> policy["script-src"][-1], policy["frame-ancestors"]
    ("'sha256-DIm7WJS6ZKDYe5qFLPy+h4JFI9Bol5QmYC57mt3Fb00='", ("'none'",))
    """
    hashes = tuple(f"'sha256-{_digest(script)}'" for script in inline_scripts(page))
    return {**POLICY, "script-src": (*POLICY["script-src"], *hashes), "frame-ancestors": ancestors}


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")


class _Scripts(HTMLParser):
    """Collects the text of a page's inline scripts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.scripts: list[str] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = tag == "script" and "src" not in dict(attrs)
        if self.inside:
            self.scripts.append("")

    def handle_endtag(self, _tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.scripts[-1] += data


def inline_scripts(page: str) -> list[str]:
    """The inline scripts of an HTML page.

    >>> inline_scripts("<p>a<script>b</script><script src=c>d</script>")
    ['b']
    """
    parser = _Scripts()
    parser.feed(page)
    parser.close()
    return parser.scripts


def frame_ancestors(sites: str) -> tuple[str, ...]:
    """The sites allowed to show the app in a frame: its own site, and the named ones. Raises ValueError.

    >>> frame_ancestors("")
    ("'self'",)
    >>> frame_ancestors("https://moodle.example.edu/ *.example.org:8080")
    ("'self'", 'https://moodle.example.edu', '*.example.org:8080')
    >>> frame_ancestors("'none'")
    ("'none'",)
    """
    named = [one.rstrip("/") for one in sites.split()]  # a browser shows a site with a slash behind it
    if named == ["'none'"]:
        return ("'none'",)
    for source in named:
        if not ANCESTOR.fullmatch(source):
            raise ValueError(
                f"{ANCESTORS_VARIABLE}: {source!r} is not a site; write addresses such as https://moodle.example.edu "
                "or https://*.example.edu with spaces between them, or 'none' alone."
            )
    return ("'self'", *(source for source in named if source != "'self'"))


def named_ancestors() -> tuple[str, ...]:
    """The same, as the environment has them. Raises ValueError."""
    return frame_ancestors(os.environ.get(ANCESTORS_VARIABLE, ""))


def same_origin(origin: str, host: str, secure: bool = False) -> bool:
    """Whether a page of `origin` was served by `host`: name and port, as a browser writes both.

    If the browser came over https (`secure`), the page must have, too: anybody in between can forge a page
    over http. The reverse proves nothing: a proxy may have spoken https with the browser without a word about
    it.

    >>> (
    ...     same_origin("http://localhost:8501", "localhost:8501"),
    ...     same_origin("https://a.example", "a.example:443"),
    ... )
    (True, True)
    >>> same_origin("http://localhost:9000", "localhost:8501"), same_origin("null", "localhost:8501")
    (False, False)
    >>> (
    ...     same_origin("http://a.example", "a.example", secure=True),
    ...     same_origin("https://a.example", "a.example", secure=True),
    ... )
    (False, True)
    """
    scheme, _, position = origin.lower().partition("://")
    usual = {"http": ":80", "https": ":443"}.get(scheme)
    if usual is None or (secure and scheme != "https"):
        return False
    return position.removesuffix(usual) == host.lower().removesuffix(usual) != ""


def _latin(headers: Mapping[str, str]) -> Headers:
    """Headers in ASGI's form."""
    return tuple((name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items())


class Guard:
    """ASGI middleware: refuses requests of other sites' pages and uploads without room, and gives every
    response its headers.

    Streamlit lets any page from `localhost`, on any port, open its WebSocket, and asks the internet for the
    server's own address before it refuses another one. Here only the app's own pages come through, and those
    of Streamlit's setting `server.corsAllowedOrigins`.
    """

    def __init__(self, app: ASGIApp) -> None:
        ancestors = named_ancestors()
        common = dict(COMMON)
        if ancestors in (
            ("'none'",),
            ("'self'",),
        ):  # X-Frame-Options knows no others; newer browsers don't read it
            common["X-Frame-Options"] = "DENY" if ancestors == ("'none'",) else "SAMEORIGIN"
        policy = written(page_policy(first_page(), ancestors))
        self.app = app
        self.ancestors = ancestors
        self.page = _latin({**common, "Permissions-Policy": PERMISSIONS, "Content-Security-Policy": policy})
        self.file = _latin({**common, "X-Frame-Options": "DENY", "Content-Security-Policy": written(SEALED)})
        self.refusal = _latin(
            {**COMMON, "Content-Security-Policy": NO_NETWORK, "Content-Type": "text/html; charset=utf-8"}
        )
        self.https = _latin({"Strict-Transport-Security": f"max-age={YEAR}"})
        self.fonts = _latin({"Cache-Control": f"public, max-age={WEEK}"})
        self.private = _latin({"Cache-Control": "no-store"})
        self.ours = frozenset(name for name, _value in (*self.page, *self.file, *self.https))
        self.metrics = os.environ.get(METRICS_VARIABLE, "") == "1"
        self.warned = False
        self.session_resources = session_resources()
        self.connections = Connections(self.session_resources)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or open one WebSocket."""
        kind = scope["type"]
        if kind == "websocket":
            if self.foreign(scope):
                await send({"type": "websocket.close", "code": 1008})
            else:
                await self.connections.serve(self.app, _without_origin(scope), receive, send)
            return
        if kind != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = self.headers(scope, message["status"], message.get("headers", ()))
                _lead_home(scope, message)
            await send(message)

        if scope["path"].endswith(METRICS) and not self.metrics:
            await _answer(with_headers, 404, b"Not Found")
            return
        if scope["method"] not in SAFE and self.foreign(scope):
            await _answer(with_headers, 403, _both_names(scope), b"application/json")
            return
        if scope["method"] == "POST" and scope["path"].endswith(HEALTH):  # a page checks that it is ours
            await _answer(with_headers, 204, b"")
            return
        if page_at(scope["path"]) is not None and is_refused(scope["headers"], self.ancestors):
            await self.refuse(scope, send)
            return
        try:
            await self.answer(scope, receive, with_headers)
        except NoRoom:
            if not started:
                await _answer(with_headers, 413, b"No Room")
        except Exception:
            # Starlette would answer outside of this class, without the headers. It still reports the error.
            if not started:
                await _answer(with_headers, 500, b"Internal Server Error")
            raise

    async def refuse(self, scope: Scope, send: Send) -> None:
        """Tell the reader of another site's page about the refused frame."""
        query = scope.get("query_string", b"").decode("latin-1")
        page = refusal(query, _header(scope, b"accept-language"))
        headers = [*self.refusal, *self.private, *(self.https if _secure(scope) else ())]
        await send({"type": "http.response.start", "status": 403, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else page})

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have a request answered. Raises NoRoom for an upload without room."""
        if UPLOADS not in scope["path"]:
            await self.app(scope, receive, send)
        elif scope["method"] == "PUT":
            await IncomingFile(scope, self.session_resources).put(self.app, receive, send)
        else:
            await IncomingFile(scope, self.session_resources).pass_on(self.app, receive, send)

    def headers(
        self, scope: Scope, status: int, original: Iterable[tuple[bytes, bytes]]
    ) -> list[tuple[bytes, bytes]]:
        """A response's headers, with ours in place of any of the same name."""
        secure = _secure(scope)
        headers = [_secured(*header, secure) for header in original if header[0].lower() not in self.ours]
        said = {name.lower(): value for name, value in headers}
        headers += self.page if _is_page(scope["path"], said) else self.file
        if b"cache-control" not in said:
            headers += self.fonts if "/app/static/" in scope["path"] and status < 400 else self.private
        if secure:
            headers += self.https
        return headers

    def foreign(self, scope: Scope) -> bool:
        """Whether the request is from another site's page. Programs send no origin, and can't use a visitor's
        cookies; an empty origin is none of ours."""
        origins, host = _all_of(scope, b"origin"), _header(scope, b"host")
        allowed = {one.strip() for one in st.get_option("server.corsAllowedOrigins")} - {""}
        if all(one in allowed or same_origin(one, host, _secure(scope)) for one in origins):
            return False
        if not self.warned:  # once: an attacker can't fill the log, and the admin of a proxy sees the problem
            self.warned = True
            logger.warning(
                "Refused a page of %r at %r. If this is the app's own page behind a proxy, have the proxy pass the Host "
                "header on unchanged, with its port.",
                ", ".join(origins)[:200],
                host[:200],
            )
        return True


def _lead_home(scope: Scope, message: Message) -> None:
    """Make the response a redirection if it is a page at an unknown address. Browsers don't show the rest of
    it."""
    page = _is_page(scope["path"], {name.lower(): value for name, value in message["headers"]})
    home = way_home(scope["path"], scope.get("query_string", b"").decode("latin-1"))
    if scope["method"] in ("GET", "HEAD") and message["status"] == 200 and page and home is not None:
        message["status"] = 303
        message["headers"] = [*message["headers"], (b"location", home.encode("latin-1"))]


def _both_names(scope: Scope) -> bytes:
    """A page's stated origin, and the requested host name, for the page itself: nobody else can read it."""
    data = {"origin": ", ".join(_all_of(scope, b"origin"))[:200], "host": _header(scope, b"host")[:200]}
    return json.dumps(data).encode("ascii")


async def _answer(send: Send, status: int, text: bytes, kind: bytes = b"text/plain; charset=utf-8") -> None:
    headers = [(b"content-type", kind), (b"content-length", b"%d" % len(text))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text})


def _header(scope: Scope, name: bytes) -> str:
    return next(iter(_all_of(scope, name)), "")


def _all_of(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def _without_origin(scope: Scope) -> Scope:
    """A request after the check of its origin. Streamlit compares origins letter by letter, and for a
    difference (`LOCALHOST`, a default port) asks the internet, twice, for the server's own address, while
    everybody waits."""
    return {**scope, "headers": [header for header in scope["headers"] if header[0] != b"origin"]}


def _is_page(path: str, said: Mapping[bytes, bytes]) -> bool:
    """Whether this is a page to show. “Not modified” comes without a type; then the address tells.

    >>> _is_page("/bpe", {b"content-type": b"text/html; charset=utf-8"}), _is_page("/", {})
    (True, True)
    >>> _is_page("/media/run.html", {b"content-type": b"text/html", b"content-disposition": b"attachment"})
    False
    """
    kind = said.get(b"content-type")
    if kind is None:
        return "." not in path.rpartition("/")[2]
    return kind.startswith(b"text/html") and b"content-disposition" not in said


def _secure(scope: Scope) -> bool:
    """Whether the browser came over https, to a proxy at least. A browser on http ignores the header."""
    said = _header(scope, b"x-forwarded-proto").lower()
    return scope.get("scheme") in {"https", "wss"} or said.startswith(("https", "wss"))


def _secured(name: bytes, value: bytes, secure: bool) -> tuple[bytes, bytes]:
    """A header, made safe: a cookie set over https goes back over https only. Streamlit knows only of its own
    certificates.

    >>> _secured(b"set-cookie", b"_streamlit_xsrf=2|a; Path=/; SameSite=Lax", True)[1]
    b'_streamlit_xsrf=2|a; Path=/; SameSite=Lax; Secure'
    >>> _secured(b"set-cookie", b"a=b; Secure", True)[1], _secured(b"set-cookie", b"a=b", False)[1]
    (b'a=b; Secure', b'a=b')
    """
    if not secure or name.lower() != b"set-cookie":
        return name, value
    attributes = {part.strip().lower() for part in value.split(b";")[1:]}
    return name, value if b"secure" in attributes else value + b"; Secure"
