"""Texts and files with a longer life than a server (`tokensteps/server/stores.py`)."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

import pytest

from tokensteps.server.stores import WRITING_SECONDS, TextStore, digest


@pytest.fixture(params=["folder", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> TextStore:
    """A store with room for ten bytes, eight at most for one text; the second one can't make its folder."""
    if request.param == "folder":
        return TextStore(tmp_path / "kept", 10, 8)
    (tmp_path / "file").touch()
    return TextStore(tmp_path / "file" / "kept", 10, 8)


def test_texts_come_back_by_name_until_there_are_too_many(store: TextStore) -> None:
    first, second = store.put(b"aaaa"), store.put(b"bbbb")
    assert store.put(b"aaaa") == first  # used again: now the newer one
    third = store.put(b"cccc")
    assert [store.get(name) for name in (first, second, third)] == [b"aaaa", None, b"cccc"]
    large = store.put(b"x" * 9)  # nobody's text goes for one too large
    assert store.get(large) is None and store.get(first) == b"aaaa" and store.get(third) == b"cccc"
    most = store.put(b"x" * 8)
    assert store.get(most) == b"x" * 8 and store.get(first) is None is store.get(third)
    store.drop(most, store.used(most))
    assert store.get(most) is None


def test_a_draft_used_by_others_is_not_dropped(tmp_path: Path) -> None:
    store = TextStore(tmp_path, 100, 100)
    name = store.put(b"ours")
    mine = store.used(name)
    assert mine > 0 and store.used("0" * 32) == 0
    TextStore(tmp_path, 100, 100).put(b"ours")  # on another server, by somebody else
    store.drop(name, mine)
    assert store.get(name) == b"ours"
    store.drop(name, store.used(name))
    assert store.get(name) is None


def test_servers_share_a_folder_which_outlives_them(tmp_path: Path) -> None:
    name = TextStore(tmp_path / "kept", 100, 100).put(b"mine")
    assert TextStore(tmp_path / "kept", 100, 100).get(name) == b"mine"
    assert [path.name for path in (tmp_path / "kept").iterdir()] == [name == digest(b"mine") and name]
    assert (tmp_path / "kept").stat().st_mode & 0o077 == 0  # nobody else on the machine reads it


@pytest.mark.parametrize(
    "name", ["../secret", "..", "", "/etc/hostname", "A" * 32, "0" * 31, "0" * 32 + "\n", "\0"]
)
def test_names_lead_nowhere_else(name: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    assert TextStore(tmp_path / "kept", 100, 100).get(name) is None


def test_a_changed_file_is_not_read(tmp_path: Path) -> None:
    store = TextStore(tmp_path, 100, 100)
    name = store.put(b"mine")
    (tmp_path / name).write_bytes(b"theirs")
    assert store.get(name) is None
    assert store.put(b"mine") == name and store.get(name) == b"mine", "given again, it is written again"


def test_a_read_only_folder_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = TextStore(tmp_path, 100, 100).put(b"mine")

    def read_only(*_args: object, **_options: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    for change in ("utime", "replace", "unlink", "mkdir"):
        monkeypatch.setattr(os, change, read_only)
    store = TextStore(tmp_path, 100, 100)
    assert store.get(name) == b"mine"
    assert store.put(b"mine") == name and store.get(name) == b"mine"


def test_a_full_disk_leaves_nothing_unfinished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    store = TextStore(tmp_path, 100, 100)
    for change in ("fsync", "replace"):
        with monkeypatch.context() as patched:
            patched.setattr(os, change, full)
            name = store.put(change.encode())
        assert [*tmp_path.iterdir()] == []
        assert store.get(name) == change.encode()  # from memory


def test_a_killed_servers_unfinished_files_are_removed(tmp_path: Path) -> None:
    old, young = tmp_path / "new-old", tmp_path / "new-young"
    for path in (old, young):
        path.write_bytes(b"half")
    long_ago = time.time() - WRITING_SECONDS - 1
    os.utime(old, (long_ago, long_ago))
    TextStore(tmp_path, 4, 4).put(b"mine")
    assert not old.exists() and young.exists()  # perhaps somebody is writing this one
