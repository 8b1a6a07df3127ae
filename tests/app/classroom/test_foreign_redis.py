"""A Redis shared with other programs, and a slow or half dead one: foreign entries, and the server's waiting
times.

Oracle: another class at the same server, which must send and receive as usual; and the clock.
"""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.app.classroom.web import QUESTION, SERVER, Web
from tests.half_dead import another_protocol, dripping, half_dead, silent
from tests.loops import finished, reached, turns
from tokensteps.classroom import redis_store, routes
from tokensteps.classroom.hub import Hub
from tokensteps.classroom.redis_store import ALL, PREFIX, RedisStore
from tokensteps.classroom.store import StoreError
from tokensteps.limits import CLASS_IDLE, CLASS_RATES, CLASSES
from tokensteps.server.entrance.rates import Addresses

NOW = 1_000_000.0
NEVER_OURS = (
    b"\xff\xfe\x00",
    b"Hello?",
    b"[1, 2]",
    b"null",
    b'{"do": "take"}',
    b'{"do": ["join"]}',
    b'{"do": "join", "n": {}}',
    b'{"do": "place", "n": 1}',
    b'{"do": "ask", "question": 5}',
    b'{"do": "answer", "n": [], "round": "x"}',
    b'{"do": "open", "at": "yesterday", "born": 1, "nicknames": 2}',
    b"[" * 200_000,
    b'{"do": "join", "at": ' + b"9" * 10_000 + b"}",
)


@pytest.fixture
def foreign(redis_address: str) -> Any:
    """Another app's client at the same, empty Redis."""
    import redis

    client = redis.Redis.from_url(redis_address)
    client.flushall()
    return client


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch, redis_address: str) -> Callable[[], Web]:
    """Servers at this Redis."""
    monkeypatch.setattr(routes, "hub", SERVER.get)
    new_visitors = Addresses(CLASS_RATES)
    monkeypatch.setattr(routes, "known_addresses", lambda: new_visitors)
    return lambda: Web(Hub(lambda: RedisStore(redis_address)))


async def ask_question(server: Web, code: str, key: str) -> None:
    """A lecturer shows a run, and asks about it."""
    shown = await server.post(f"{code}/place", **{"as": key}, page="bpe", query="", step=1)
    text = await server.post(f"{code}/ask", **{"as": key}, question=QUESTION)
    assert (shown.status, text.status) == (200, 200)


async def test_foreign_lines_do_nothing(foreign: Any, servers: Callable[[], Web]) -> None:
    """Foreign lines harm neither the class with them in its log nor another."""
    one, other = servers(), servers()
    codes = [await one.open() for _ in range(2)]
    (spoiled, _), (quiet, _) = codes
    device, neighbour = await other.join(spoiled), await other.join(quiet)
    ears = [other.listen(spoiled, device), other.listen(quiet, neighbour)]
    for ear in ears:
        await ear.hears("state")
    for line in NEVER_OURS:
        foreign.rpush(f"{PREFIX}{spoiled}:log", line)
    foreign.hset(f"{PREFIX}{spoiled}:here", mapping={"x": b"\xff", "y": b"5", "z": b'[1e99, "[[]]"]'})
    for (code, paper), ear in zip(codes, ears, strict=True):
        await ask_question(one, code, paper)
        await ear.hears("ask")
    messages = [await other.post(f"{spoiled}/answer", **{"as": device}, round=1, answer="a")]
    messages += [await other.post(f"{quiet}/answer", **{"as": neighbour}, round=1, answer="a")]
    assert [answer.status for answer in messages] == [200, 200]
    late = servers()  # and a server with the whole log to read
    assert (await late.post(f"{spoiled}/join")).status == 200
    for server in (one, other, late):
        await server.close()


async def test_an_invalid_log_ends_its_class_and_no_other(foreign: Any, servers: Callable[[], Web]) -> None:
    one, other = servers(), servers()
    (spoiled, _), (quiet, key) = [await one.open() for _ in range(2)]
    for code in (spoiled, quiet):
        await other.join(code)
    ear = other.listen(quiet, await other.join(quiet))
    await ear.hears("state")
    foreign.set(f"{PREFIX}{spoiled}:log", "mine now")
    await ask_question(one, quiet, key)
    await ear.hears("ask")
    await reached(lambda: not other.hub.knows(spoiled))
    assert other.hub.knows(quiet)
    for server in (one, other):
        await server.close()


def test_keys_of_others_are_left_alone_and_take_no_place(foreign: Any, redis_address: str) -> None:
    """Foreign members among the classes are removed: a hundred of them, used in the far future, would let no
    class be opened."""
    foreign.mset({"tokensteps": "a", "tokensteps:class": "b", "session:1": "c"})
    foreign.zadd(ALL, {f"not a class {number}": 1e18 for number in range(CLASSES + 5)})
    store = RedisStore(redis_address)
    assert store.create("CDFHJK", "open", NOW) and store.create("MNPRTW", "open", NOW + CLASS_IDLE + 1)
    assert foreign.mget("tokensteps", "tokensteps:class", "session:1") == [b"a", b"b", b"c"]
    ours = {key.decode() for key in foreign.scan_iter()} - {"tokensteps", "tokensteps:class", "session:1"}
    assert all(key.startswith("tokensteps:class") for key in ours)
    assert foreign.zcard(ALL) == 2


@pytest.mark.parametrize("serve", [silent, dripping, another_protocol])
def test_a_hanging_redis_times_out(
    serve: Callable[[socket.socket], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dripping one held the thread of all classes for ever."""
    monkeypatch.setattr(redis_store, "REACH", 0.5)
    with half_dead(serve) as address:
        store = RedisStore(f"redis://{address}/0")
        for _ in range(2):
            start = time.monotonic()
            with pytest.raises(StoreError, match="Redis"):
                store.read("CDFHJK", 0)
            assert time.monotonic() - start < 60


def test_while_redis_drips_the_server_answers_all_others(
    monkeypatch: pytest.MonkeyPatch, servers: Callable[[], Web]
) -> None:
    """Nothing in the event loop waits for Redis: a message to the class gets an error, and the loop runs
    on."""
    monkeypatch.setattr(redis_store, "REACH", 60.0)
    reading, over = threading.Event(), threading.Event()

    def drips(connection: socket.socket) -> None:
        while not over.wait(0.05):
            connection.sendall(b"1")
            reading.set()

    async def hold() -> None:
        server = Web(Hub(lambda: RedisStore(f"redis://{address}/0")))
        opening = asyncio.ensure_future(server.post("open"))
        await reached(reading.is_set)
        await turns()
        assert not opening.done()
        over.set()
        answer = await opening
        assert answer.status == 503 and "Try again" in json.dumps(answer.json)
        await server.close()

    with half_dead(drips) as address:
        finished(hold())
