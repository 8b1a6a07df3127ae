"""A session's files: their count, their sharing, and their end.

Oracle: bytes added up by hand, and Streamlit's own store of uploads, filled and emptied through the guard.
"""

from __future__ import annotations

import asyncio
import gc
import random
import weakref
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from tests.loops import LoopClock, finished
from tokensteps.limits import COLLECT_SECONDS, LARGEST_UPLOAD, RECONNECT_SECONDS
from tokensteps.server.entrance import session_resources, uploads
from tokensteps.server.entrance.session_resources import SessionResources
from tokensteps.server.entrance.uploads import IncomingFile, NoRoom


class Server:
    """Stands in for Streamlit's server: sessions with a connection, kept ones without, and its real store of
    uploads."""

    def __init__(self) -> None:
        self.uploaded_file_mgr = MemoryUploadedFileManager("/_stcore/upload_file")
        self.connected: set[str] = set()
        self.stored: set[str] = set()
        self._session_mgr = SimpleNamespace(
            list_sessions=lambda: self._informed(self.stored | self.connected),
            list_active_sessions=lambda: self._informed(self.connected),
        )
        self.closed: list[str] = []

    def is_active_session(self, session: str) -> bool:
        return session in self.connected

    def close_session(self, session: str) -> None:
        self.closed.append(session)
        self.uploaded_file_mgr.remove_session_files(session)

    def _informed(self, sessions: set[str]) -> list[SimpleNamespace]:
        return [SimpleNamespace(session=SimpleNamespace(id=one)) for one in sorted(sessions)]

    def held(self) -> dict[str, int]:
        """Bytes of each session with any."""
        store = self.uploaded_file_mgr.file_storage
        sizes = {session: sum(len(file.data) for file in files.values()) for session, files in store.items()}
        return {session: size for session, size in sizes.items() if size}


class Circle:
    """Something with a reference to itself, like a class."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Server:
    one = Server()
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: one)
    monkeypatch.setattr(session_resources, "UPLOADS_EACH", 100)
    monkeypatch.setattr(session_resources, "UPLOADS_ROOM", 300)
    return one


async def put(
    server: Server,
    resources: SessionResources,
    session: str,
    name: str,
    size: int,
    *,
    declared: bool = True,
    pieces: int = 4,
    status: int = 204,
    meanwhile: Any = None,
    after: Any = None,
) -> int:
    """Send a file in pieces; the answer."""
    answers: list[int] = []
    left = [size // pieces + (size % pieces if not number else 0) for number in range(pieces)]

    async def app(scope: Any, receive: Any, send: Any) -> None:
        data = b""
        while True:
            event = await receive()
            if event["type"] == "http.disconnect":
                raise ConnectionError("the browser has gone")
            data += event["body"]
            if not event["more_body"]:
                break
        if after is not None:
            await after()
        if status == 204:
            server.uploaded_file_mgr.add_file(session, UploadedFileRec(name, name, "text/plain", data))
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def receive() -> Any:
        if meanwhile is not None:
            meanwhile()
        await asyncio.sleep(0)
        return {"type": "http.request", "body": bytes(left.pop(0)), "more_body": bool(left)}

    async def send(event: Any) -> None:
        if event["type"] == "http.response.start":
            answers.append(event["status"])

    headers = [(b"content-length", b"%d" % size)] if declared else []
    scope = {
        "type": "http",
        "method": "PUT",
        "path": f"/base/_stcore/upload_file/{session}/{name}",
        "headers": headers,
    }
    try:
        await IncomingFile(scope, resources).put(app, receive, send)
    except NoRoom:
        return 413
    return answers[0]


async def test_a_session_may_hold_so_much(server: Server) -> None:
    stored = SessionResources()
    assert await put(server, stored, "mine", "a", 60) == 204
    assert await put(server, stored, "mine", "b", 41) == 413
    assert await put(server, stored, "mine", "b", 40) == 204
    assert await put(server, stored, "mine", "a", 60) == 204, "in place of the other"
    assert stored.held() == {"mine": 100} == server.held()
    stored.drop("mine", "a")
    assert stored.held() == {"mine": 40} == server.held()


async def test_undeclared_sizes_are_counted_on_arrival(server: Server) -> None:
    """Without a length it counts as the largest; with a wrong one, no more comes in than there is room
    for."""
    stored = SessionResources()
    assert await put(server, stored, "mine", "a", 10, declared=False) == 413
    scope = {"path": "/_stcore/upload_file/mine/a", "headers": [(b"content-length", b"5")], "method": "PUT"}
    assert uploads.announced(scope) == 5
    assert uploads.announced(
        {"headers": [(b"content-length", b"5"), (b"transfer-encoding", b"chunked")]}
    ) == (LARGEST_UPLOAD * 2**20)
    assert stored.begin("mine", "a", 5)
    assert [stored.grow("mine", "a", 50) for _ in range(3)] == [True, True, False]


async def test_a_refused_file_leaves_nothing(server: Server) -> None:
    stored = SessionResources()
    assert await put(server, stored, "mine", "a", 60, status=400) == 400
    assert stored.held() == {}
    with pytest.raises(ZeroDivisionError):
        await put(server, stored, "mine", "a", 60, meanwhile=lambda: 1 // 0)
    assert stored.held() == {}


async def test_a_slow_upload_is_aborted(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "UPLOAD_PATIENCE", 0.01)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        assert (await receive())["type"] == "http.disconnect"

    async def never() -> Any:
        await asyncio.Event().wait()

    stored = SessionResources()
    scope = {"path": "/_stcore/upload_file/mine/a", "headers": [(b"content-length", b"5")], "method": "PUT"}
    await IncomingFile(scope, stored).put(app, never, never)
    assert stored.held() == {}


async def test_so_many_files(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty ones take no bytes, and half a kilobyte each."""
    monkeypatch.setattr(session_resources, "FILES_EACH", 3)
    stored = SessionResources()
    assert [await put(server, stored, "mine", str(name), 0) for name in range(5)] == [204] * 3 + [413] * 2


async def test_many_at_once_have_no_more_room_than_one_after_the_other(server: Server) -> None:
    stored = SessionResources()
    answers = await asyncio.gather(*(put(server, stored, "mine", str(name), 40) for name in range(9)))
    assert answers.count(204) <= 2
    assert stored.held() == server.held()
    answers = await asyncio.gather(*(put(server, stored, str(name), "a", 90) for name in range(9)))
    assert sum(server.held().values()) <= 300
    assert stored.held() == server.held()


async def test_the_largest_holder_makes_room_for_smaller_ones(server: Server) -> None:
    stored = SessionResources()
    for session in "abc":
        assert await put(server, stored, session, "1", 50) == 204
        assert await put(server, stored, session, "2", 50) == 204
    assert await put(server, stored, "honest", "1", 60) == 204
    assert (
        stored.held()
        == server.held()
        == {"a": 50, "b": 50, "c": 100, "honest": 60}
        | {session: size for session, size in server.held().items() if size == 50}
    )
    assert await put(server, stored, "late", "1", 45) == 204
    assert await put(server, stored, "greedy", "1", 100) == 413, "nobody holds more than it would"
    assert sum(server.held().values()) <= 300


async def test_departed_sessions_make_room_first(server: Server) -> None:
    stored = SessionResources()
    for session in "abc":
        assert await put(server, stored, session, "1", 100) == 204
    stored.leave("b")
    assert await put(server, stored, "d", "1", 100) == 204
    assert server.closed == ["b"]
    assert stored.held() == server.held() == {"a": 100, "c": 100, "d": 100}


async def test_a_session_that_does_not_come_back_ends(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock set by the test: a machine's short stop ends nobody early."""
    passes, forgotten = LoopClock().passes, list[str]()
    monkeypatch.setattr(session_resources, "forget_session", forgotten.append)
    stored = SessionResources()
    for session in ("gone", "back", "twice"):
        assert await put(server, stored, session, "1", 60) == 204
        stored.leave(session)
    stored.arrive("back", "192.0.2.7")
    server.connected = {"back", "twice"}  # the second has another connection, not told of yet
    await passes(RECONNECT_SECONDS - 1)
    assert server.held() == {"gone": 60, "back": 60, "twice": 60}, "a moment later all is there"
    await passes(2)
    assert server.closed == ["gone"]
    assert stored.held() == server.held() == {"back": 60, "twice": 60}
    server.connected = set()
    stored.leave("twice")
    await passes(RECONNECT_SECONDS - 1)
    assert server.closed == ["gone"]
    await passes(2)
    assert server.closed == ["gone", "twice"] == forgotten, "with the runs that it alone had asked for"


async def test_a_session_without_a_disconnect_ends_too(server: Server) -> None:
    """A browser sends something and leaves before the answer: Streamlit kept up to 128 such sessions, each
    with a whole page for nobody, and the largest possible texts."""
    stored, clock = SessionResources(), LoopClock()
    server.connected, server.stored = {"there"}, {"quiet"}
    stored.leave("")
    await clock.passes(RECONNECT_SECONDS + 1)
    assert server.closed == ["quiet"]
    server.stored = {"another", "told"}
    stored.leave("told")  # the name of one, with the other beside it
    await clock.passes(RECONNECT_SECONDS + 1)
    assert {*server.closed} == {"quiet", "another", "told"}


def test_memory_of_ended_sessions_is_collected_once(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session's texts are in a circle of references, found by nothing but the garbage collector; left to
    itself, it doesn't look as long as nothing happens. Sixty sessions kept 100 MB."""
    held = {name: Circle() for name in ("a", "b", "c", "another")}
    left = [weakref.ref(held[name]) for name in "abc"]
    monkeypatch.setattr(server, "close_session", held.pop)
    collections: list[str] = []

    def note(phase: str, _facts: dict[str, int]) -> None:
        collections.append(phase)

    async def run() -> None:
        stored, clock = SessionResources(), LoopClock()
        for session in "abc":
            stored.end(session)
        assert all(one() is not None for one in left)
        await clock.passes(COLLECT_SECONDS + 1)
        assert not any(one() is not None for one in left)
        stored.end("another")  # the next one is planned anew
        await clock.passes(COLLECT_SECONDS + 1)

    gc.disable()
    gc.callbacks.append(note)
    try:
        finished(run())
    finally:
        gc.callbacks.remove(note)
        gc.enable()
    assert collections.count("start") == 2


async def test_a_file_that_comes_again_and_fails_is_gone(server: Server) -> None:
    """Streamlit would still have the first file, and nobody would count it."""
    stored = SessionResources()
    for name in "abcdefgh":
        assert await put(server, stored, "mine", name, 60) == 204
        assert await put(server, stored, "mine", name, 60, status=400) == 400
        assert stored.held() == {} == server.held()
    scope = {"path": "/_stcore/upload_file/mine/a", "headers": [], "method": "DELETE"}
    taken_out = IncomingFile(scope, stored).pass_on

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204})

    async def send(event: Any) -> None:
        assert event["status"] == 204

    answer = put(server, stored, "mine", "a", 60, pieces=1, after=lambda: taken_out(app, send, send))
    assert await answer == 204
    assert stored.held() == {} == server.held(), "taken out before it was there"


async def test_a_file_does_not_outlive_its_session_on_its_way(server: Server) -> None:
    """Otherwise the file would belong to nobody, and stay."""
    stored = SessionResources()
    assert await put(server, stored, "mine", "a", 60, meanwhile=lambda: stored.end("mine")) == 413
    assert stored.held() == {} == server.held()


def test_a_store_of_another_kind_is_emptied_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails closed: the count doesn't depend on the kind of Streamlit's store."""
    removed: list[str] = []
    store = SimpleNamespace(remove_session_files=removed.append)
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: SimpleNamespace(uploaded_file_mgr=store))
    stored = SessionResources()
    assert stored.begin("mine", "a", 10) and stored.grow("mine", "a", 10)
    assert stored.held() == {"mine": 10}
    stored.drop("mine", "a")
    assert removed == ["mine"]
    assert stored.held() == {}


async def test_any_order_of_things_is_counted_rightly(server: Server) -> None:
    stored, chance = SessionResources(), random.Random(4)
    for _ in range(600):
        session, name = chance.choice("abcdefgh"), chance.choice("12345")
        match chance.randrange(6):
            case 0:
                stored.leave(session)
            case 1:
                stored.arrive(session, "")
            case 2:
                stored.drop(session, name)
            case 3:
                many = (put(server, stored, one, name, chance.randrange(90)) for one in "abcdefgh")
                await asyncio.gather(*many)
            case _:
                await put(server, stored, session, name, chance.randrange(110))
        results = {one: size for one, size in stored.held().items() if size}
        assert results == server.held()
        assert sum(results.values()) <= 300
        assert max(results.values(), default=0) <= 100
