"""Values shared by all sessions (`tokensteps/server/shared_cache.py`): made once, never more of them than the
cache has room for."""

from __future__ import annotations

import threading

from hypothesis import given
from hypothesis import strategies as st

from tokensteps.bounded import SharedCache
from tokensteps.server.shared_cache import cached_download, drawn

PATIENT = 30.0


def test_drawings_are_shared() -> None:
    drawings: list[bytes] = []
    results: list[bytes] = []

    def draw() -> bytes:
        drawings.append(b"frames")
        return drawings[-1]

    key = ("test_drawings_are_shared",)
    askers = [threading.Thread(target=lambda: results.append(drawn(key, draw, len))) for _ in range(8)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join(PATIENT)
    assert results == [b"frames"] * 8 and len(drawings) == 1


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 9), st.booleans()), max_size=40))
def test_a_shelf_never_takes_more_room_than_it_has(moves: list[tuple[str, int, bool]]) -> None:
    """Against a plain list of the cached keys, the most recently used last."""
    shelf: SharedCache[str, int] = SharedCache(12)
    plain: list[tuple[str, int]] = []
    for key, size, putting in moves:
        there = next((entry for entry in plain if entry[0] == key), None)
        if there:
            plain.remove(there)
        if putting:
            shelf.put(key, size, size)
            plain.append((key, size))
            while sum(taken for _key, taken in plain) > 12 and len(plain) > 1:
                plain.pop(0)
        else:
            assert shelf.get(key) == (there[1] if there else None)
            plain += [there] if there else []
    assert {key: shelf.get(key) for key in "abcd"} == {**dict.fromkeys("abcd"), **dict(plain)}


def test_a_download_is_built_once_for_many_requests() -> None:
    items: list[int] = []

    def make() -> bytes:
        items.append(1)
        return b"file"

    one, other = cached_download(make), cached_download(make)
    threads = [threading.Thread(target=one) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert one() == other() == b"file"
    assert len(items) == 2, "once for each button"
