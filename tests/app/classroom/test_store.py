"""Both stores, by the same tests: a file of SQLite's, and a real Redis or Valkey where the machine has one.

Oracle: the promise of `Store`: every line once, in one order for all, however many write at once.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.ports import free_port
from tokensteps.classroom import hub
from tokensteps.classroom.redis_store import ALL, RedisStore
from tokensteps.classroom.store import FileStore, Store, StoreError
from tokensteps.limits import CLASS_IDLE, CLASS_SECONDS, CLASSES

NOW = 1_000_000.0


@pytest.fixture(params=["file", "redis"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Store]:
    """Each server's way to the shared, empty store."""
    if request.param == "file":
        return lambda: FileStore(tmp_path / "classes" / "classes.sqlite")
    address = request.getfixturevalue("redis_address")
    import redis

    redis.Redis.from_url(address).flushall()
    return lambda: RedisStore(address)


def test_one_servers_entries_are_read_by_another(stores: Callable[[], Store]) -> None:
    one, other = stores(), stores()
    assert one.create("CDFHJK", "open", NOW)
    assert not other.create("CDFHJK", "again", NOW), "a code is given once"
    assert one.add("CDFHJK", "a", 1, NOW) == ["a"]
    assert other.add("CDFHJK", "b", 1, NOW) == ["a", "b"], "what came before comes along"
    assert one.read("CDFHJK", 0) == ["open", "a", "b"]
    assert one.news({"CDFHJK": 2, "MNPRTW": 1}) == {"CDFHJK": ["b"], "MNPRTW": None}, "the other is gone"
    assert one.news({"CDFHJK": 3}) == {}
    assert not one.read("MNPRTW", 0)
    assert not other.add("MNPRTW", "x", 0, NOW)


def test_no_entry_of_another_server_is_skipped(stores: Callable[[], Store]) -> None:
    """However a poll falls between the writes of another server, nothing is passed over."""
    one, other = stores(), stores()
    one.create("CDFHJK", "open", NOW)
    one.create("MNPRTW", "open", NOW)
    known = {"CDFHJK": 1, "MNPRTW": 1}
    heard: list[str] = []
    for number in range(30):
        code = ("CDFHJK", "MNPRTW")[number % 2]
        other.add(code, f"{code} {number}", 0, NOW)
        if number % 3 == 0:
            for message, lines in one.news(known).items():
                assert lines is not None
                known[message] += len(lines)
                heard += lines
        if number % 7 == 0:
            assert one.read("MNPRTW", 1) == other.read("MNPRTW", 1)
    for lines in one.news(known).values():
        heard += lines or []
    assert sorted(heard, key=lambda line: int(line.split()[1])) == [
        f"{('CDFHJK', 'MNPRTW')[number % 2]} {number}" for number in range(30)
    ]


def test_many_servers_write_at_once(stores: Callable[[], Store]) -> None:
    stores().create("CDFHJK", "open", NOW)

    def write(server: int) -> None:
        store = stores()
        for number in range(50):
            assert store.add("CDFHJK", f"{server} {number}", 0, NOW)[-1] == f"{server} {number}"

    threads = [threading.Thread(target=write, args=(server,)) for server in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = stores().read("CDFHJK", 1)
    assert sorted(lines) == sorted(f"{server} {number}" for server in range(4) for number in range(50))
    for server in range(4):
        own = [int(line.split()[1]) for line in lines if line.startswith(f"{server} ")]
        assert own == sorted(own), "each server's in its order"


def test_positions_of_all_servers(stores: Callable[[], Store]) -> None:
    one, other = stores(), stores()
    one.create("CDFHJK", "open", NOW)
    one.here("CDFHJK", "a", "[1, 2]", NOW)
    other.here("CDFHJK", "b", "[3]", NOW + 5)
    one.here("CDFHJK", "a", "[1]", NOW + 6)
    assert sorted(one.everywhere("CDFHJK", NOW)) == ["[1]", "[3]"]
    assert other.everywhere("CDFHJK", NOW + 5.5) == ["[1]"], "a server that has said nothing since is gone"


def test_classes_are_bounded_and_the_quiet_go(stores: Callable[[], Store]) -> None:
    store = stores()
    codes = [f"C{number:05}" for number in range(CLASSES)]
    assert all(store.create(code, "open", NOW + number) for number, code in enumerate(codes))
    later = NOW + CLASS_IDLE - 1
    assert not store.create("MNPRTW", "open", later), "all were used lately"
    store.add(codes[0], "a", 0, later)
    assert store.create("MNPRTW", "open", NOW + CLASS_IDLE + 50)
    assert store.read(codes[1], 0) == [], "the one that was quiet for longest is gone"
    assert store.read(codes[0], 0) == ["open", "a"]


def test_a_file_forgets_after_a_day(tmp_path: Path) -> None:
    """The file on the disk holds nothing of the class either."""
    store = FileStore(tmp_path / "classes.sqlite")
    store.create("CDFHJK", "a-secret-line", NOW)
    assert store.create("MNPRTW", "open", NOW + CLASS_SECONDS)
    assert store.read("CDFHJK", 0) == []
    store.close()
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"a-secret-line" not in left
    assert (tmp_path / "classes.sqlite").stat().st_mode & 0o077 == 0, "nobody else reads it"


def test_servers_share_a_file_unless_a_redis_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "shared_folder", lambda name: tmp_path / name)
    monkeypatch.delenv("TOKENSTEPS_REDIS", raising=False)
    one, other = hub.shared_store(), hub.shared_store()
    assert one.create("CDFHJK", "open", NOW)
    assert other.read("CDFHJK", 0) == ["open"]
    assert (tmp_path / "classes" / "classes.sqlite").exists()
    monkeypatch.setenv("TOKENSTEPS_REDIS", f"redis://127.0.0.1:{free_port()}/0")
    with pytest.raises(StoreError, match="Redis"):
        hub.shared_store().read("CDFHJK", 0)


def test_a_redis_forgets_after_a_day(redis_address: str) -> None:
    """By itself, and all that it holds of a class. Oracle: the time that Redis has left for each key."""
    import redis

    client = redis.Redis.from_url(redis_address, decode_responses=True)
    client.flushall()
    store = RedisStore(redis_address)
    store.create("CDFHJK", "open", NOW)
    store.here("CDFHJK", "a", "[1]", NOW)
    left = {key: client.ttl(key) for key in client.keys() if key != ALL}  # noqa: SIM118
    assert len(left) == 2
    assert all(0 < seconds <= CLASS_SECONDS for seconds in left.values())


@pytest.mark.parametrize("damage", ["cut", "overwritten"])
def test_a_damaged_file_is_put_aside(tmp_path: Path, damage: str) -> None:
    """A new one begins at once; the old one stays readable."""
    path = tmp_path / "classes.sqlite"
    store = FileStore(path)
    store.create("CDFHJK", "open", NOW)
    store.close()
    whole = path.read_bytes()
    damaged = whole[: len(whole) // 2] if damage == "cut" else b"x" * len(whole)
    path.write_bytes(damaged)
    for _ in range(2):
        store = FileStore(path)
        assert store.create("MNPRTW", "open", NOW) or store.read("MNPRTW", 0) == ["open"]
        store.close()
    assert (tmp_path / "classes.sqlite.damaged").read_bytes() == damaged


def test_a_missing_store_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file"):
        FileStore(tmp_path / "file" / "classes.sqlite")
    with pytest.raises(StoreError, match="Redis"):
        RedisStore(f"redis://127.0.0.1:{free_port()}/0").read("CDFHJK", 0)


@pytest.mark.parametrize(
    "address",
    ["host:6379", "rediss//:secret@host", "redis://:secret#1@host:6379/0", "redis://[:secret@host"],
)
def test_a_mistyped_address_does_not_write_its_password_into_a_log(address: str) -> None:
    with pytest.raises(StoreError, match=r"^TOKENSTEPS_REDIS .* write redis://host") as raised:
        RedisStore(address)
    assert "secret" not in "".join(traceback.format_exception(raised.value))
