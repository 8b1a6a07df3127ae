"""The server's policy in a real browser: actions impossible for a page even with somebody's markup in it, and
for another site.

Source: the Content Security Policy, Fetch and WebSocket standards. Oracle: the browser, with its reports of
refusals; the same attempts from allowed places go through. Every other test in this folder shows that no page
breaks its own policy: `open_page` fails at a breach.
"""

from __future__ import annotations

import contextlib
import re
import socket
from collections.abc import Callable
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Page, expect

from tests.browser.cable import Cable
from tests.browser.conftest import ROOT

INJECTED = """expected => new Promise(done => {
  const refused = new Set();
  document.addEventListener('securitypolicyviolation', event => refused.add(event.effectiveDirective));
  const host = document.createElement('div');
  document.body.append(host);
  host.innerHTML = '<img src=x onerror="window.ran = 1"><img src="http://127.0.0.1:9/pixel.png">'
    + '<iframe src="data:text/html,frame"></iframe><object data="data:text/html,object"></object><form action="http://127.0.0.1:9/"></form>'
    + '<style>@import "http://127.0.0.1:9/style.css"; @font-face { font-family: far; src: url(http://127.0.0.1:9/far.woff2) } .far { font-family: far }</style>'
    + '<p class="far">far</p><audio src="data:audio/wav,"></audio>';
  const script = document.createElement('script');
  script.textContent = 'window.ran = 2';
  host.append(script);
  const far = document.createElement('script');
  far.src = 'http://127.0.0.1:9/far.js';
  host.append(far);
  // Later, because what a test has a page do at once may make code out of text.
  setTimeout(() => { try { Function('window.ran = 3')(); } catch {} }, 0);
  setTimeout('window.ran = 4', 0);
  try { new Worker(URL.createObjectURL(new Blob(['0']))); } catch {}
  fetch('http://127.0.0.1:9/').catch(() => {});
  try { new WebSocket('ws://127.0.0.1:9/').onerror = () => {}; } catch {}
  host.querySelector('form').submit();
  const end = () => { host.remove(); done({refused: [...refused].sort(), ran: window.ran ?? null}); };
  const look = (left) => refused.size >= expected || !left ? setTimeout(end, 100) : setTimeout(look, 50, left - 1);
  look(200);
})"""
"""Attempts of somebody with markup or a script in a page, until the expected number of refusals, or for ten
seconds."""
SOCKET = """host => new Promise(done => {
  const socket = new WebSocket(`ws://${host}/_stcore/stream`, 'streamlit');
  socket.onopen = () => { socket.close(); done('open'); };
  socket.onerror = () => done('refused');
})"""
UPLOAD = """([host, method, mode]) => {
  const body = new FormData();
  body.append('file', new Blob(['x']), 'tokenizer.json');
  const token = document.cookie.match(/_streamlit_xsrf=([^;]*)/)?.[1] ?? '';
  const headers = mode === 'no-cors' ? {} : {'X-Xsrftoken': token};
  return fetch(`http://${host}/_stcore/upload_file/s/f`, {method, mode, headers, body, credentials: 'include'})
    .then(answer => answer.type === 'opaque' ? 'unseen' : String(answer.status), () => 'refused');
}"""
FRAME = """src => new Promise(done => {
  const frame = document.createElement('iframe');
  frame.onload = () => done(); // of what is refused as well: it says so
  frame.src = src; frame.width = 900; frame.height = 600;
  document.body.append(frame); })"""


@pytest.fixture(scope="module")
def address(serve: Callable[..., str]) -> str:
    return serve(ROOT / "app.py")


def test_a_page_is_safe_from_markup_and_from_another_site(
    address: str, elsewhere: str, visitor: Page
) -> None:
    visitor.goto(f"{address}/glossary")
    expect(visitor.locator("h1")).to_be_visible()
    injected_markup_does_nothing(address, visitor)
    another_site_is_kept_out(address, elsewhere, visitor)


def injected_markup_does_nothing(address: str, visitor: Page) -> None:
    """Inline handlers and scripts, foreign pictures, styles, fonts, frames, forms, connections: all refused,
    nothing ran."""
    refused = [
        "connect-src", "font-src", "form-action", "frame-src", "img-src", "media-src", "object-src", "script-src",
        "script-src-attr", "script-src-elem", "style-src-elem", "worker-src",
    ]  # fmt: skip
    assert visitor.evaluate(INJECTED, len(refused)) == {"refused": refused, "ran": None}
    assert visitor.url == f"{address}/glossary"


def another_site_is_kept_out(address: str, elsewhere: str, visitor: Page) -> None:
    """Another site opens no session, sends no file, and can't show the app in a frame; the app's own pages
    can do the first two."""
    host = address.removeprefix("http://")
    assert visitor.evaluate(SOCKET, host) == "open"
    assert visitor.evaluate(UPLOAD, [host, "PUT", "cors"]) == "400", "no such session, but asked rightly"

    visitor.goto(elsewhere)
    assert "_streamlit_xsrf" in visitor.evaluate("document.cookie"), "or less is tried than a site could"
    assert visitor.evaluate(SOCKET, host) == "refused"
    assert visitor.evaluate(UPLOAD, [host, "PUT", "cors"]) == "refused"
    assert visitor.evaluate(UPLOAD, [host, "POST", "no-cors"]) == "refused"
    visitor.evaluate(FRAME, address)
    visitor.evaluate(FRAME, elsewhere)
    theirs, own = visitor.frames[1:]
    assert own.url == elsewhere
    expect(theirs.locator("h1")).to_have_text("TokenSteps isn't shown here")
    assert theirs.locator("script, form, input").count() == 0


def test_answers_of_every_kind_have_a_policy(address: str) -> None:
    """Oracle: the headers as they come over the wire, from a server started as `make run` starts it."""
    script = urlopen(f"{address}/").read().decode().partition('crossorigin src="./')[2].partition('"')[0]
    paths = {
        "/": "script-src", "/bpe?step=3": "script-src", f"/{script}": "sandbox", "/app/static/fonts/inter-latin-wght.woff2": "sandbox",
        "/_stcore/health": "sandbox", "/_stcore/host-config": "sandbox",
    }  # fmt: skip
    for path, part in paths.items():
        with urlopen(Request(f"{address}{path}")) as answer:
            assert part in answer.headers["Content-Security-Policy"], path
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            assert len(answer.headers.get_all("X-Content-Type-Options")) == 1
            body = answer.read()
            if path == "/_stcore/host-config":
                assert b'"allowedOrigins":[]' in body


class Renaming(Cable):
    """A proxy that passes a name of its own on, like many without another setting."""

    @staticmethod
    def _pass(one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                other.sendall(re.sub(rb"(?<=\r\nHost: )[^\r]+", b"inner:8501", data))
            other.shutdown(socket.SHUT_WR)


@pytest.mark.slow
def test_behind_a_proxy_with_another_host_the_page_names_the_remedy(address: str, visitor: Page) -> None:
    """The message has both names, and the variable to set; before, the visitor saw grey bars for ever."""
    proxy = Renaming(address)
    visitor.goto(f"{proxy.address}/bpe")
    message = visitor.locator(".refused")
    expect(message).to_be_visible()
    expect(message.locator("p[lang=en]")).to_contain_text(
        f"This page is at {proxy.address}, but the server was asked by the name inner:8501"
    )
    expect(message.locator("p")).to_contain_text(["STREAMLIT_SERVER_CORS_ALLOWED_ORIGINS"] * 3)
    proxy.pull_out()


def test_an_upload_needs_the_token_of_its_page(address: str) -> None:
    """A program without the page's cookie, and without the header that repeats it."""
    with pytest.raises(HTTPError) as refused:
        urlopen(Request(f"{address}/_stcore/upload_file/s/f", b"x", method="PUT"))
    assert refused.value.code == 403
    assert "sandbox" in refused.value.headers["Content-Security-Policy"]
    refused.value.close()
