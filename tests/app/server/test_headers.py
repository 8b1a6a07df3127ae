"""The headers of every answer, and refusals.

Source: the Content Security Policy and Fetch standards, and OWASP's list of secure headers. Oracle: answers
to plain ASGI messages, and the policy read back directive by directive.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
import streamlit as st

from tests.loops import finished, responses
from tokensteps.assets import read_asset
from tokensteps.server import headers
from tokensteps.server.headers import (
    ANCESTORS_VARIABLE,
    METRICS_VARIABLE,
    Guard,
    frame_ancestors,
    same_origin,
)
from tokensteps.streamlit_internals import AT_HOME, INDEX

ROOT = Path(__file__).parents[3]
HOST = (b"host", b"app.example:8501")
LENGTH = (b"content-length", b"12")
PAGE = [(b"content-type", b"text/html; charset=utf-8"), (b"cache-control", b"no-cache")]
FILE = [(b"content-type", b"text/html"), (b"content-disposition", b'attachment; filename="run.html"')]
FONT = [(b"content-type", b"font/woff2"), (b"x-content-type-options", b"nosniff")]


class Inner:
    """An app under the guard: answers every request alike, and remembers it."""

    def __init__(self, headers: list[tuple[bytes, bytes]], status: int = 200, fails: bool = False) -> None:
        self.headers, self.status, self.fails = headers, status, fails
        self.scopes: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scopes.append(scope["type"])
        if self.fails:
            raise ZeroDivisionError
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept"})
            return
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers})
        await send({"type": "http.response.body", "body": b"body"})


def ask(
    inner: Inner,
    path: str = "/bpe",
    *,
    method: str = "GET",
    kind: str = "http",
    scheme: str = "http",
    sent: tuple[tuple[bytes, bytes], ...] = (),
    query: bytes = b"",
) -> list[dict[str, Any]]:
    """All messages in response."""
    scope = {
        "type": kind,
        "path": path,
        "query_string": query,
        "method": method,
        "scheme": scheme,
        "headers": [HOST, *sent],
    }
    return finished(responses(Guard(inner), scope))


def said(messages: list[dict[str, Any]]) -> dict[str, str]:
    """The headers of an answer: each name once."""
    values = [(name.decode(), value.decode()) for name, value in messages[0]["headers"]]
    assert len({name for name, _value in values}) == len(values), "a header twice"
    assert all(name == name.lower() for name, _value in values)
    return dict(values)


def directives(policy: str) -> Mapping[str, set[str]]:
    parts = [part.split() for part in policy.split(";")]
    assert len({name for name, *_sources in parts}) == len(parts), (
        "of a directive given twice, browsers ignore the second"
    )
    return {name: set(sources) for name, *sources in parts}


def test_a_page_may_load_from_here_alone() -> None:
    """All exceptions are listed here, so that another one takes an edit of this test."""
    policy = directives(said(ask(Inner(PAGE)))["content-security-policy"])
    theirs = re.findall(r"<script>(.*?)</script>", INDEX.read_text("utf-8"), re.DOTALL)
    ours = re.findall(r"<script>(.*?)</script>", read_asset(AT_HOME), re.DOTALL)
    assert (len(theirs), len(ours)) == (1, 1)
    digests = {
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
        for script in theirs + ours
    }
    assert policy == {
        "default-src": {"'none'"},
        "script-src": {"'self'", "blob:", "'wasm-unsafe-eval'"} | digests,
        "style-src": {"'self'", "'unsafe-inline'"},
        "img-src": {"'self'", "data:", "blob:"},
        "font-src": {"'self'", "data:"},
        "connect-src": {"'self'"},
        "manifest-src": {"'self'"},
        "worker-src": {"'none'"},
        "base-uri": {"'none'"},
        "form-action": {"'none'"},
        "frame-ancestors": {"'self'"},
    }


def test_a_file_does_nothing_if_it_is_shown() -> None:
    """A handout to download is HTML of a learner's text."""
    for value in (FILE, FONT, [(b"content-type", b"application/javascript")]):
        policy = directives(said(ask(Inner(value), "/media/0.html"))["content-security-policy"])
        assert policy == {"default-src": {"'none'"}, "frame-ancestors": {"'none'"}, "sandbox": set()}


@pytest.mark.parametrize(
    ("headers", "status"), [(PAGE, 200), (FILE, 200), (FONT, 200), ([], 404), ([], 304), ([], 301)]
)
def test_every_answer_has_the_usual_headers(headers: list[tuple[bytes, bytes]], status: int) -> None:
    messages = ask(Inner(headers, status))
    result = said(messages)
    assert messages[0]["status"] == status
    assert messages[1]["body"] == b"body"
    assert result["x-content-type-options"] == "nosniff"
    assert result["referrer-policy"] == "same-origin"
    assert result["cross-origin-opener-policy"] == result["cross-origin-resource-policy"] == "same-origin"
    assert result["x-frame-options"] in {"SAMEORIGIN", "DENY"}
    assert "strict-transport-security" not in result
    for name, value in headers:  # and keeps its own
        assert result[name.decode()] == value.decode()


def test_pages_ask_the_browser_for_nothing() -> None:
    result = said(ask(Inner(PAGE)))["permissions-policy"]
    granted = {part for part in result.split(", ") if not part.endswith("=()")}
    assert granted == {"clipboard-write=(self)", "fullscreen=(self)"}
    assert {"camera=()", "microphone=()", "geolocation=()", "display-capture=()"} <= set(result.split(", "))


@pytest.mark.parametrize(
    ("scheme", "sent", "secure"),
    [
        ("http", (), False),
        ("https", (), True),
        ("http", ((b"x-forwarded-proto", b"https"),), True),
        ("http", ((b"x-forwarded-proto", b"http"),), False),
    ],
)
def test_https_stays_https(scheme: str, sent: tuple[tuple[bytes, bytes], ...], secure: bool) -> None:
    result = said(ask(Inner(PAGE), scheme=scheme, sent=sent))
    assert result.get("strict-transport-security") == ("max-age=31536000" if secure else None)


def test_cacheable_responses() -> None:
    """Fonts for a week; a visitor's own file not at all; Streamlit's header for its own files stays."""
    fonts = "/app/static/fonts/inter.woff2"
    assert said(ask(Inner(FONT), fonts))["cache-control"] == "public, max-age=604800"
    assert said(ask(Inner([], 404), fonts))["cache-control"] == "no-store"
    assert said(ask(Inner(FILE), "/media/0.html"))["cache-control"] == "no-store"
    assert said(ask(Inner(PAGE)))["cache-control"] == "no-cache"


def test_not_modified_renews_a_cached_pages_policy() -> None:
    """RFC 9111, 4.3.4: the headers of a 304 replace the stored ones, and it has no type."""
    assert "script-src" in said(ask(Inner([], 304), "/"))["content-security-policy"]
    assert "sandbox" in said(ask(Inner([], 304), "/static/js/index.js"))["content-security-policy"]


def test_errors_have_headers_and_are_reported() -> None:
    messages: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        messages.append(message)

    scope = {"type": "http", "path": "/", "method": "GET", "scheme": "http", "headers": [HOST]}
    with pytest.raises(ZeroDivisionError):
        finished(Guard(Inner([], fails=True))(scope, send, send))
    assert messages[0]["status"] == 500
    assert "default-src 'none'" in said(messages)["content-security-policy"]
    assert messages[1]["body"] == b"Internal Server Error"


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example", "http://app.example:8502", "http://app.example", "null", "http://app.example:8501.evil.example",
        "", " ", "http://", "http://localhost:8501", "http://127.0.0.1:8501", "file://", "app.example:8501", "chrome-extension://app.example:8501",
    ],
)  # fmt: skip
def test_other_sites_pages_are_refused(origin: str) -> None:
    """Streamlit alone would take a WebSocket from any port of localhost."""
    sent = ((b"origin", origin.encode()),)
    inner = Inner(PAGE)
    assert ask(inner, "/_stcore/stream", kind="websocket", sent=sent) == [
        {"type": "websocket.close", "code": 1008}
    ]
    for method in ("PUT", "POST", "DELETE", "PATCH"):
        messages = ask(inner, "/_stcore/upload_file/1/2", method=method, sent=sent)
        assert messages[0]["status"] == 403
        assert said(messages)["x-content-type-options"] == "nosniff"
        assert json.loads(messages[1]["body"]) == {"origin": origin, "host": "app.example:8501"}
    assert inner.scopes == []


@pytest.mark.parametrize("origin", [None, "http://app.example:8501", "https://APP.example:8501"])
def test_the_apps_own_pages_and_programs_come_through(origin: str | None) -> None:
    sent = ((b"origin", origin.encode()),) if origin else ()
    inner = Inner(PAGE)
    assert ask(inner, "/_stcore/stream", kind="websocket", sent=sent) == [{"type": "websocket.accept"}]
    assert ask(inner, "/_stcore/upload_file/1/2", method="PUT", sent=(*sent, LENGTH))[0]["status"] == 200


def test_a_page_may_ask_whether_it_is_the_apps_own() -> None:
    """The page asks after its WebSocket has failed: an answer without an error in browsers' logs, and nothing
    for Streamlit."""
    inner = Inner(PAGE)
    own = ((b"origin", b"http://app.example:8501"),)
    assert ask(inner, "/_stcore/health", method="POST", sent=own)[0]["status"] == 204
    assert (
        ask(inner, "/_stcore/health", method="POST", sent=((b"origin", b"http://b.example"),))[0]["status"]
        == 403
    )
    assert inner.scopes == []


def test_origins_that_the_operator_allows_come_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        st, "get_option", {"server.corsAllowedOrigins": ["https://front.example"]}.__getitem__
    )
    allowed, other = ((b"origin", b"https://front.example"),), ((b"origin", b"https://back.example"),)
    assert (
        ask(Inner(PAGE), "/_stcore/stream", kind="websocket", sent=allowed)[0]["type"] == "websocket.accept"
    )
    assert ask(Inner(PAGE), "/_stcore/stream", kind="websocket", sent=other)[0]["type"] == "websocket.close"


def test_a_refusal_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    """A log with a line for each attempt could be filled by anybody; line ends in a header can't write a line
    of their own."""
    guard = Guard(Inner(PAGE))
    scope = {"headers": [HOST, (b"origin", b"http://evil.example\r\nforged")]}
    assert guard.foreign(scope) and guard.foreign(scope)
    (record,) = caplog.records
    assert "\n" not in record.getMessage() and "evil.example" in record.getMessage()


def test_metrics_are_for_operators(monkeypatch: pytest.MonkeyPatch) -> None:
    """Metrics name functions and count visitors, and take the server long to gather."""
    inner = Inner([(b"content-type", b"text/plain")])
    for path in ("/_stcore/metrics", "/base/_stcore/metrics"):
        assert ask(inner, path)[0]["status"] == 404
    assert inner.scopes == []
    monkeypatch.setenv(METRICS_VARIABLE, "1")
    assert ask(inner, "/_stcore/metrics")[0]["status"] == 200


@pytest.mark.parametrize(
    ("sites", "ancestors", "old"),
    [
        ("", "frame-ancestors 'self'", "SAMEORIGIN"),
        ("'none'", "frame-ancestors 'none'", "DENY"),
        ("https://moodle.example.edu", "frame-ancestors 'self' https://moodle.example.edu", None),
        (
            "https://moodle.example.edu/",
            "frame-ancestors 'self' https://moodle.example.edu",
            None,
        ),  # as copied
    ],
)
def test_sites_that_may_frame_the_app(
    sites: str, ancestors: str, old: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ANCESTORS_VARIABLE, sites)
    result = said(ask(Inner(PAGE)))
    assert result["content-security-policy"].endswith(ancestors)
    assert result.get("x-frame-options") == old


SITE = "https://moodle.example.edu"


@pytest.mark.parametrize(
    ("named", "dest", "site", "referer", "shown"),
    [
        ("", "document", "cross-site", "https://a.example/", True),  # a link
        ("", "iframe", "same-origin", "http://app.example:8501/", True),
        ("", "iframe", "cross-site", "https://a.example/", False),
        ("", "iframe", "same-site", "", False),
        ("", "", "", "https://a.example/", True),  # an old browser (it obeys the policy)
        ("'none'", "iframe", "same-origin", "http://app.example:8501/", False),
        (SITE, "iframe", "cross-site", f"{SITE}/", True),
        (SITE, "iframe", "cross-site", f"{SITE}:8443/", False),
        (SITE, "object", "cross-site", f"{SITE}.evil.example/", False),
        (SITE, "iframe", "cross-site", "", True),  # no word of the asker: the browser knows
        ("*.example.edu:8443", "iframe", "cross-site", f"{SITE}:8443/", True),
        ("*.example.edu", "iframe", "cross-site", "https://example.edu/", False),
        (SITE, "iframe", "same-origin", "http://app.example:8501/", True),
    ],
)
def test_a_forbidden_frame_gets_an_explanation(
    named: str, dest: str, site: str, referer: str, shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Source: Fetch Metadata, and CSP's host sources. The app isn't asked, and the answer runs nothing."""
    monkeypatch.setenv(ANCESTORS_VARIABLE, named)
    inner = Inner(PAGE)
    sent = {
        b"sec-fetch-dest": dest,
        b"sec-fetch-site": site,
        b"referer": referer,
        b"accept-language": "ja,en;q=0.5",
    }
    messages = ask(
        inner,
        sent=tuple((name, value.encode()) for name, value in sent.items() if value),
        query=b"text=%22%3E%3Cb%3E&embed=true&step=7",
    )
    assert bool(inner.scopes) is shown
    if shown:
        assert messages[1]["body"] == b"body"
        return
    text, result = messages[1]["body"].decode(), said(messages)
    assert messages[0]["status"] == 403 and result["cache-control"] == "no-store"
    assert directives(result["content-security-policy"])["default-src"] == {"'none'"}
    assert "frame-ancestors" not in result["content-security-policy"] and "x-frame-options" not in result
    assert '<html lang="ja">' in text and "<script" not in text and "<b>" not in text
    assert 'href="?text=%22%3E%3Cb%3E&amp;step=7" target="_blank"' in text


def test_only_pages_get_the_explanation() -> None:
    inner = Inner([], 404)
    sent = ((b"sec-fetch-dest", b"iframe"), (b"sec-fetch-site", b"cross-site"))
    for path in ("/_stcore/health", "/app/static/page.css", "/static/js/a.js"):
        assert ask(inner, path, sent=sent)[1]["body"] == b"body"


@pytest.mark.parametrize(
    "sites", ["*", "https:", "a.example; script-src *", "https://a.example/path", "'unsafe-inline'", "a,b", "'none' a.example"]
)  # fmt: skip
def test_invalid_sites_are_refused_at_the_start(sites: str) -> None:
    with pytest.raises(ValueError, match=ANCESTORS_VARIABLE):
        frame_ancestors(sites)


def test_a_server_with_invalid_sites_does_not_start() -> None:
    """Instead of answering every request with an error. Streamlit imports the app to start it."""
    variables = {**os.environ, ANCESTORS_VARIABLE: "https://a.example/path"}
    done = subprocess.run(
        [sys.executable, "-c", "import app"], env=variables, capture_output=True, text=True, cwd=ROOT
    )
    assert done.returncode == 1
    assert f"{ANCESTORS_VARIABLE}: 'https://a.example/path' is not a site; write" in done.stderr


def test_over_https_a_page_that_came_without_it_is_another_sites() -> None:
    """An attacker in between can write a page of http://app.example into any unencrypted page."""
    secure, proto = {"scheme": "wss"}, (b"x-forwarded-proto", b"https")
    for origin, kind in (
        (b"http://app.example:8501", "websocket.close"),
        (b"https://app.example:8501", "websocket.accept"),
    ):
        sent = ((b"origin", origin),)
        assert ask(Inner(PAGE), "/_stcore/stream", kind="websocket", sent=sent, **secure)[0]["type"] == kind
        assert ask(Inner(PAGE), "/_stcore/stream", kind="websocket", sent=(*sent, proto))[0]["type"] == kind


@pytest.mark.parametrize(
    ("scheme", "sent", "ends"),
    [
        ("http", (), "SameSite=Lax"),
        ("https", (), "Secure"),
        ("http", ((b"x-forwarded-proto", b"https"),), "Secure"),
    ],
)
def test_over_https_cookies_go_back_over_nothing_else(scheme: str, sent: Any, ends: str) -> None:
    """Oracle: RFC 6265, section 4.1.2.5."""
    cookies = [
        (b"set-cookie", b"_streamlit_xsrf=2|a|b|1; Path=/; SameSite=Lax"),
        (b"set-cookie", b"a=b; Secure"),
    ]
    messages = ask(Inner([*PAGE, *cookies]), scheme=scheme, sent=sent)
    results = [value.decode() for name, value in messages[0]["headers"] if name == b"set-cookie"]
    assert results[0].endswith(ends)
    assert results[1] == "a=b; Secure"


def test_same_place_knows_usual_ports() -> None:
    assert same_origin("http://a.example", "a.example:80")
    assert same_origin("http://[::1]:8501", "[::1]:8501")
    assert not same_origin("https://a.example", "a.example:80")
    assert not same_origin("http://", "")


def test_the_page_of_streamlit_is_read_at_the_start() -> None:
    """Oracle: its one inline script; should a new version have others, their hashes join by themselves."""
    assert headers.inline_scripts(INDEX.read_text("utf-8")) != []
    policy = headers.page_policy("<script>a</script><script type=module src=b></script><script>c\n</script>")
    assert len([source for source in policy["script-src"] if source.startswith("'sha256-")]) == 2


@pytest.mark.parametrize(
    ("path", "query", "home"),
    [
        ("/plaground", b"", "./?lost=plaground"),
        ("/plaground", b"text=a%20b&t1=x", "./?lost=plaground%3Ftext%3Da%2520b%26t1%3Dx"),
        ("/a/b", b"", "../?lost=a/b"),
        ("/a/b/", b"", "../../?lost=a/b"),
        ("//evil/", b"", "../../?lost=evil"),
        ("/\r\nx: y", b"", "./?lost=%0D%0Ax%3A%20y"),
    ],
)
def test_an_address_without_a_page_leads_home(path: str, query: bytes, home: str) -> None:
    """Oracle for the target: `urljoin`, which resolves it like a browser."""
    start, _body = ask(Inner(PAGE), path, query=query)
    assert start["status"] == 303 and said([start])["location"] == home
    joined = urlsplit(urljoin(f"http://app.example{path}", home))
    assert (joined.netloc or "app.example", joined.path) == ("app.example", "/")


@pytest.mark.parametrize(
    ("path", "query", "there"),
    [
        ("/classroom", b"", "./class"),
        ("/classroom/", b"class=KX7P3H&\r\nx: y", "../class?class=KX7P3H&%0D%0Ax:%20y"),
    ],
)
def test_an_old_link_leads_to_its_page(path: str, query: bytes, there: str) -> None:
    start, _body = ask(Inner(PAGE), path, query=query)
    assert start["status"] == 303 and said([start])["location"] == there
    assert urlsplit(urljoin(f"http://app.example{path}", there)).path == "/class"


@pytest.mark.parametrize("path", ["/", "/bpe", "/class", "/playground", "/renew", "/bpe/", "/robots.txt"])
def test_a_page_is_shown_at_its_address(path: str) -> None:
    [start, _body] = ask(Inner(PAGE), path)
    assert start["status"] == 200 and "location" not in said([start])


def test_files_and_errors_stay_where_they_are() -> None:
    for inner, path in (
        (Inner(FILE), "/media/run.html"),
        (Inner(FONT), "/static/f.woff2"),
        (Inner(PAGE, 404), "/x"),
    ):
        assert "location" not in said(ask(inner, path)[:1])
