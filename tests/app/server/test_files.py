"""Scripts, styles, faces and the page, from memory (`tokensteps/server/entrance/files.py`,
`shared_response.py`, `page.py`).

Source: RFC 9110 on content coding, conditional requests, ranges and HEAD. Oracles: the files themselves,
unpacked by Python's `gzip`; Starlette's own server of static files, and a small app that counts its requests;
Streamlit's installed page and scripts.
"""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.staticfiles import StaticFiles

from tests.loops import finished
from tokensteps.assets import ASSETS, read_asset
from tokensteps.components.bundle import bundle
from tokensteps.language.pages import PAGES, Page
from tokensteps.limits import STATIC_FILE
from tokensteps.server.entrance import page as first
from tokensteps.server.entrance.files import FORGETTING, FromMemory, with_newest
from tokensteps.server.headers import Guard, inline_scripts
from tokensteps.streamlit_internals import AT_HOME, DRAWS, INDEX, scripts_for

SCRIPT = b"export const hug = 'hug'; " * 400
SHORT = b"a"
FACE = b"wOF2" + bytes(range(256)) * 4
BROWSER = (b"accept-encoding", b"gzip, deflate, br, zstd")
FOR_EVER = (b"cache-control", b"public, immutable, max-age=31536000")


class App:
    """Static files under /static/js/, and `other` in answer to anything else; remembers all requests."""

    def __init__(self, folder: Path, lasting: bool = True) -> None:
        self.files, self.lasting = StaticFiles(directory=folder), lasting
        self.requests: list[tuple[str, dict[bytes, bytes]]] = []
        self.other: tuple[int, list[tuple[bytes, bytes]], list[bytes]] = (200, [], [b"other"])

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.requests.append((scope.get("method", scope["type"]), dict(scope["headers"])))

        async def forever(message: Any) -> None:
            if message["type"] == "http.response.start" and self.lasting:
                message["headers"].append(FOR_EVER)
            await send(message)

        if scope["path"].startswith("/static/js/"):
            name = scope["path"].removeprefix("/static/js")
            await self.files({**scope, "path": name}, receive, forever)
            return
        status, headers, parts = self.other
        await send({"type": "http.response.start", "status": status, "headers": headers})
        for part in parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    def methods(self) -> list[str]:
        return [method for method, _headers in self.requests]


class Answer:
    """The response."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        self.messages = messages
        self.status = messages[0].get("status")
        arguments = [(name.decode(), value.decode()) for name, value in messages[0].get("headers", ())]
        assert len({name for name, _value in arguments}) == len(arguments), "a header twice"
        self.headers = dict(arguments)
        self.body = b"".join(message.get("body", b"") for message in messages)


async def asking(
    server: Any, path: str, method: str, sent: tuple[tuple[bytes, bytes], ...], kind: str
) -> Answer:
    messages: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        messages.append(dict(message))

    async def receive() -> Any:
        await asyncio.Event().wait()  # nobody goes away

    headers = [(b"host", b"app.example"), *sent]
    await server({"type": kind, "path": path, "method": method, "headers": headers}, receive, send)
    return Answer(messages)


Ask = Callable[..., Answer]


@pytest.fixture
def app(tmp_path: Path) -> App:
    (tmp_path / "a.1.js").write_bytes(SCRIPT)
    (tmp_path / "short.js").write_bytes(SHORT)
    (tmp_path / "face.woff2").write_bytes(FACE)
    return App(tmp_path)


@pytest.fixture
def ask(app: App) -> Ask:
    server = FromMemory(app)

    def get(path: str, *sent: tuple[bytes, bytes], method: str = "GET", kind: str = "http") -> Answer:
        return finished(asking(server, path, method, sent, kind))

    return get


def test_a_script_is_compressed_once_and_then_comes_from_memory(app: App, ask: Ask) -> None:
    first_time = ask("/static/js/a.1.js", BROWSER)
    assert app.methods() == ["HEAD", "GET"] and not app.requests[0][1].keys() & {b"accept-encoding"}
    again = ask("/static/js/a.1.js", BROWSER)
    assert len(app.requests) == 2
    for answer in (first_time, again):
        assert answer.status == 200 and gzip.decompress(answer.body) == SCRIPT
        assert (
            answer.headers["content-length"] == str(len(answer.body)) and len(answer.body) < len(SCRIPT) / 10
        )
        assert answer.headers["content-encoding"] == "gzip" and answer.headers["vary"] == "Accept-Encoding"
        assert (
            answer.headers["cache-control"] == FOR_EVER[1].decode() and "accept-ranges" not in answer.headers
        )


def test_incompressible_files_are_sent_as_they_are(ask: Ask) -> None:
    for name, content in (("short.js", SHORT), ("face.woff2", FACE)):
        answer = ask(f"/static/js/{name}", BROWSER)
        assert answer.body == content and "content-encoding" not in answer.headers


def test_head_agrees_with_get(app: App, ask: Ask) -> None:
    for _time in range(2):  # also before anybody has asked for the file
        head = ask("/static/js/a.1.js", BROWSER, method="HEAD")
        assert head.body == b"" and head.status == 200
        assert head.headers == ask("/static/js/a.1.js", BROWSER).headers


def test_a_cached_file_is_not_modified(app: App, ask: Ask) -> None:
    plain = ask("/static/js/a.1.js")
    packed = ask("/static/js/a.1.js", BROWSER)
    assert packed.headers["etag"] != plain.headers["etag"], "two representations"
    for known in (packed.headers["etag"], f'"x", W/{packed.headers["etag"]}', "*"):
        answer = ask("/static/js/a.1.js", BROWSER, (b"if-none-match", known.encode()))
        assert (answer.status, answer.body) == (304, b"")
        assert answer.headers["etag"] == packed.headers["etag"] and "content-length" not in answer.headers
    assert ask("/static/js/a.1.js", BROWSER, (b"if-none-match", b'"x"')).status == 200


def test_ranges_and_clients_without_gzip_get_the_file_itself(app: App, ask: Ask) -> None:
    ask("/static/js/a.1.js", BROWSER)
    part = ask("/static/js/a.1.js", BROWSER, (b"range", b"bytes=10-19"))
    assert (part.status, part.body) == (206, SCRIPT[10:20]) and "content-encoding" not in part.headers
    for accepted in ((), ((b"accept-encoding", b"br"),), ((b"accept-encoding", b"gzip;q=0"),)):
        plain = ask("/static/js/a.1.js", *accepted)
        assert plain.body == SCRIPT and "content-encoding" not in plain.headers


def test_a_class_that_comes_in_at_once_has_a_file_read_once(app: App) -> None:
    server = FromMemory(app)

    async def together() -> list[Answer]:
        return await asyncio.gather(
            *(asking(server, "/static/js/a.1.js", "GET", (BROWSER,), "http") for _ in range(60))
        )

    assert {gzip.decompress(answer.body) for answer in finished(together())} == {SCRIPT}
    assert app.methods() == ["HEAD", "GET"] and not server.turns


def test_a_failed_request_leaves_nothing() -> None:
    """Streamlit fails at a name too long for a file: neither the name nor a lock for it stays."""

    async def failing(_scope: Any, _receive: Any, _send: Any) -> None:
        raise OSError("File name too long")

    server = FromMemory(failing)
    for number in range(3):
        with pytest.raises(OSError, match="too long"):
            finished(asking(server, f"/static/{number}{'b' * 60_000}", "GET", (BROWSER,), "http"))
    assert not server.turns


def test_a_file_that_may_change_is_looked_at_each_time(tmp_path: Path) -> None:
    (tmp_path / "own.js").write_bytes(SCRIPT)
    app = App(tmp_path, lasting=False)
    server = FromMemory(app)

    def get() -> bytes:
        return gzip.decompress(finished(asking(server, "/static/js/own.js", "GET", (BROWSER,), "http")).body)

    assert [get(), get()] == [SCRIPT] * 2 and app.methods() == ["HEAD", "GET", "HEAD"]
    (tmp_path / "own.js").write_bytes(SCRIPT + b"new")
    assert get() == SCRIPT + b"new"


ETAG = (b"etag", b'"1"')


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (404, []),
        (200, [(b"content-type", b"text/html"), ETAG, (b"content-length", b"5")]),
        (200, [(b"content-type", b"text/css"), (b"content-length", b"5")]),
        (200, [(b"content-type", b"text/css"), ETAG]),
        (200, [(b"content-type", b"text/css"), ETAG, (b"content-length", b"%d" % (STATIC_FILE + 1))]),
        (200, [(b"content-type", b"text/css"), ETAG, (b"content-length", b"5"), (b"set-cookie", b"a=b")]),
    ],
)
def test_other_requests_pass_through(
    app: App, ask: Ask, status: int, headers: list[tuple[bytes, bytes]]
) -> None:
    """An address without a file (Streamlit answers with its page); a file too large; an answer for one
    visitor alone."""
    app.other = (status, headers, [b"other"])
    for _time in range(2):
        answer = ask("/app/static/x.css", BROWSER)
        assert (
            answer.status == status and answer.body == b"other" and "content-encoding" not in answer.headers
        )
        assert app.requests[-1] == ("GET", {b"host": b"app.example", BROWSER[0]: BROWSER[1]})


def test_events_messages_and_all_else_pass_untouched(app: App, ask: Ask) -> None:
    app.other = (200, [(b"content-type", b"text/event-stream")], [b"data: 1\n\n", b"data: 2\n\n"])
    for path in ("/class/api/events", "/media/a.csv", "/_stcore/health", "/static/css/a.css"):
        method = "POST" if path.startswith("/static") else "GET"
        answer = ask(path, BROWSER, method=method)
        assert app.methods()[-1] == method
        if method == "GET":  # piece by piece, as they come
            assert [message.get("body") for message in answer.messages[1:]] == [*app.other[2], b""]
            assert answer.headers == {"content-type": "text/event-stream"}
    ask("/_stcore/stream", BROWSER, kind="websocket")
    assert len(app.requests) == 5


# --- The page -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def page() -> str:
    answer = finished(asking(FromMemory(App(Path())), "/bpe", "GET", (BROWSER,), "http"))
    assert answer.headers["cache-control"] == "no-cache" and answer.headers["content-encoding"] == "gzip"
    return gzip.decompress(answer.body).decode("utf-8")


def test_the_page_is_streamlits_with_more(page: str) -> None:
    """All of Streamlit's lines are there, but for the loading of the face."""
    lines = {line.strip() for line in page.splitlines()}
    left_out = {line.strip() for line in INDEX.read_text("utf-8").splitlines()} - lines
    assert any("SourceSansVF-Upright" in line for line in left_out)
    assert not any("script" in line or "stylesheet" in line for line in left_out)
    text = read_asset(AT_HOME).strip()
    assert text in page and page.index(text) < page.index('type="module"')


def test_the_page_asks_ahead_for_scripts_that_there_are_with_all_that_they_import(page: str) -> None:
    folder = INDEX.parent / "static" / "js"
    calls = set(re.findall(r'href="\./static/js/([^"]+)"', page)) | set(
        re.findall(r'src="\./static/js/([^"]+)"', page)
    )
    for element in first.ELEMENTS["train"]:
        assert any(name.startswith(f"{DRAWS[element]}.") for name in calls), element
    for name in calls:
        text = (folder / name).read_text("utf-8")
        assert set(re.findall(r'(?:from|import)"\./([^"]+)"', text)) <= calls, name


@pytest.mark.parametrize("one", PAGES.values(), ids=lambda one: one.name)
def test_every_page_has_one_that_it_begins_with(one: Page) -> None:
    body = gzip.decompress(first.page_for(one.path).body)
    assert (
        b"/BidiComponent." in body
        and body.count(b"modulepreload") == len(set(body.split(b"modulepreload"))) - 1
    )


@pytest.mark.parametrize("element", DRAWS)
def test_every_element_has_a_script(element: str) -> None:
    assert scripts_for([element])[0].startswith(f"{DRAWS[element]}.")


def test_the_policy_lets_the_pages_own_scripts_run(page: str) -> None:
    policy = dict(Guard(App(Path())).page)[b"content-security-policy"].decode()
    scripts = inline_scripts(page)
    assert len(scripts) == 2
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_the_style_sheet_comes_with_the_page_for_good(page: str, ask: Ask) -> None:
    name = re.findall(r'<link rel="stylesheet" href="\.(/app/static/page\.\w+\.css)">', page)
    text = came_for_good(ask, name[0], "text/css")
    assert text == "\n".join((ASSETS / file).read_text("utf-8") for file in first.SHEETS)


def test_the_components_come_with_the_page_for_good(page: str, ask: Ask) -> None:
    """Asked for ahead, at the address in the messages: the stub in the place of a script."""
    name = re.findall(
        r'<link rel="modulepreload" crossorigin href="\.(/app/static/components\.\w+\.js)">', page
    )
    assert name == [f"/{bundle().address}"]
    assert came_for_good(ask, name[0], "application/javascript") == bundle().text


def came_for_good(ask: Ask, name: str, kind: str) -> str:
    """A file made here: with its name, with that of another version, compressed and not."""
    answer = ask(name, BROWSER)
    assert "immutable" in answer.headers["cache-control"] and answer.headers["content-type"].startswith(kind)
    # Another version's name, in the middle of an update: the present file comes, and isn't kept.
    other = ask(re.sub(r"\.\w{16}\.", ".0123456789abcdef.", name), BROWSER)
    assert other.body == answer.body and other.headers["cache-control"] == "no-cache"
    # A proxy without gzip, and parts: a browser could do nothing without it.
    for sent in ((), ((b"accept-encoding", b"br"),), ((b"range", b"bytes=1-2"),)):
        plain = ask(name, *sent)
        assert plain.status == 200 and "content-encoding" not in plain.headers
        assert plain.body == gzip.decompress(answer.body) and plain.headers["etag"] != answer.headers["etag"]
    return plain.body.decode("utf-8")


def test_clients_without_gzip_get_the_same_page(page: str, ask: Ask) -> None:
    plain = ask("/bpe")
    assert plain.body.decode("utf-8") == page and "content-encoding" not in plain.headers


def test_the_style_sheet_follows_an_edit(monkeypatch: pytest.MonkeyPatch) -> None:
    edits = [(1,), (2,)]
    monkeypatch.setattr(first, "edited", lambda _names: edits[0])
    monkeypatch.setattr(first, "read_asset", lambda name: f"/* {name} {edits[0]} */")
    before = first.page_for("bpe")
    assert before is first.page_for("bpe")
    edits.pop(0)
    after = first.page_for("bpe")
    assert before.tag != after.tag and before.body != after.body


def test_streamlits_faces_are_replaced_by_ours() -> None:
    sheet = next((INDEX.parent / "static" / "css").glob("index.*.css")).read_bytes()
    ours = first.own_faces(sheet)
    assert b"MaterialSymbols" not in ours and b"SourceSansVF-Upright" not in ours
    for face in first.FACES.values():
        assert ours.count(b"url(../../%s)" % face.encode()) == 1
        assert (ASSETS.parent / face.removeprefix("app/")).is_file()
    assert first.own_faces(b"p { color: red }") == b"p { color: red }"


def test_streamlits_newest_value_is_kept(ask: Ask, tmp_path: Path) -> None:
    """In one place of its script. `tests/browser/test_home.py` has a browser lose letters without it."""
    (script,) = (INDEX.parent / "static" / "js").glob("useBasicWidgetState.*.js")
    before = script.read_bytes()
    (tmp_path / script.name).write_bytes(before)
    served = gzip.decompress(ask(f"/static/js/{script.name}", BROWSER).body)
    assert len(FORGETTING.findall(before)) == 1
    assert served == with_newest(before) and not FORGETTING.search(served)
    assert served.count(b"?null:now") == 1


def test_every_icon_that_may_be_drawn_is_in_the_face() -> None:
    """A missing name would be shown as a word. `star_filled` is none of the whole face's either, and
    `icon_name` none at all."""
    root = ASSETS.parent
    named = re.compile(r":material/(\w+)")
    sources = [*(INDEX.parent / "static" / "js").glob("*.js"), *(root / "tokensteps").rglob("*.py")]
    used = {name for path in sources for name in named.findall(path.read_text("utf-8"))}
    there = (root / "static" / "fonts" / "material-symbols.txt").read_text("utf-8").split()
    assert len(used) > 50 and used - {"star_filled", "icon_name"} <= set(there)
