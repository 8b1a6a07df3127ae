"""Texts and files by name, in permanent folders, so that an address too short for a text can still bring it
back."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import time
from hashlib import blake2b
from hmac import compare_digest
from pathlib import Path
from typing import Final

from tokensteps.assets import DATA_FOLDER
from tokensteps.bounded import SharedCache
from tokensteps.limits import (
    COMPILED_ROOM,
    CORPORA_ROOM,
    FILES_ROOM,
    LARGEST_TEXT,
    TEXTS_ROOM,
    TOKENIZER_LIMIT,
)
from tokensteps.server.process_singleton import process_singleton
from tokensteps.server.seal import secret

STORE_VARIABLE: Final = "TOKENSTEPS_STORE"
"""The environment variable with the folder shared by the servers of one app."""
STORE: Final = DATA_FOLDER / ".kept"
"""The default folder."""
UNFINISHED: Final = "new-"
"""The prefix of an unfinished file's name."""
WRITING_SECONDS: Final = 600
"""Age of an unfinished file from which its writer must have been killed."""
SEAL_BYTES: Final = 32


def digest(data: bytes) -> str:
    """A name for some bytes: 128 bits as hexadecimal digits."""
    return blake2b(data, digest_size=16).hexdigest()


def touch(path: Path) -> None:
    """Note that a file is in use, to the nanosecond. Raises OSError."""
    now = time.time_ns()
    os.utime(path, ns=(now, now))


class BoundedFolder:
    """Files in a folder, perhaps shared by several servers. The least recently used ones go when there are
    too many."""

    def __init__(self, folder: Path, room: int, largest: int) -> None:
        self.folder, self.room, self.largest = folder, room, largest
        with contextlib.suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _touch(self, name: str) -> bool:
        """Note that a file is in use; whether it is here."""
        try:
            touch(self.folder / name)
        except FileNotFoundError:
            return False
        return True

    def _write(self, name: str, data: bytes) -> None:
        """Make room, then write a file in one go, so that nobody reads half of it."""
        self._make_room(len(data))
        handle, written = tempfile.mkstemp(dir=self.folder, prefix=UNFINISHED)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(written, self.folder / name)
        except OSError:  # a full disk
            with contextlib.suppress(OSError):
                os.unlink(written)
            raise
        self._touch(name)

    def _make_room(self, size: int) -> None:
        files = []
        for entry in os.scandir(self.folder):
            with contextlib.suppress(OSError):  # another server may have removed it
                facts = entry.stat()
                if entry.name.startswith(UNFINISHED):
                    if time.time() - facts.st_mtime > WRITING_SECONDS:
                        os.unlink(entry.path)
                    continue
                files.append((facts.st_mtime, facts.st_size, entry.path))
        taken = size + sum(length for _time, length, _path in files)
        for _time, length, path in sorted(files):
            if taken <= self.room:
                return
            with contextlib.suppress(OSError):
                os.unlink(path)
            taken -= length


class TextStore(BoundedFolder):
    """Texts by digest, so that a text too long for a link survives a reload, a restart and a change of
    server.

    If the folder can't be written, texts stay in memory.
    """

    def __init__(self, folder: Path, room: int, largest: int) -> None:
        super().__init__(folder, room, largest)
        self._memory: SharedCache[str, bytes] = SharedCache(room)

    def put(self, data: bytes) -> str:
        """Keep `data` unless it is larger than `largest`. Returns its name; nobody can guess that without the
        text."""
        name = digest(data)
        if len(data) > self.largest:
            return name
        try:
            if not self._touch(name):
                self._write(name, data)
        except OSError:
            self._memory.put(name, data, len(data))
        return name

    def get(self, name: str) -> bytes | None:
        """The text called `name`, if it is still here."""
        if not re.fullmatch(
            "[0-9a-f]{32}", name
        ):  # it comes from a link, and must not lead out of the folder
            return None
        try:
            data = (self.folder / name).read_bytes()
        except OSError:
            return self._memory.get(name)
        if digest(data) != name:  # damaged: the next one to put it writes it again
            with contextlib.suppress(OSError):
                (self.folder / name).unlink()
            return None
        with contextlib.suppress(OSError):  # the folder may be read-only
            self._touch(name)
        return data

    def used(self, name: str) -> int:
        """The time of the last use of the text `name`, in nanoseconds; 0 for a missing one."""
        try:
            return (self.folder / name).stat().st_mtime_ns
        except OSError:
            return 0

    def drop(self, name: str, used: int) -> None:
        """Forget the text called `name`, unless somebody has used it since then."""
        if self.used(name) <= used:
            self._memory.drop(name)
            with contextlib.suppress(OSError):
                (self.folder / name).unlink()


class SealedStore(BoundedFolder):
    """Derived data under the name of its source: a seal proves that it is this server's own work, and whole.

    If the folder can't be written, nothing is kept: it can be made again.
    """

    def put(self, name: str, data: bytes) -> None:
        """Keep `data` unless it is larger than `largest`."""
        if len(data) <= self.largest:
            with contextlib.suppress(OSError):
                self._write(name, self._seal(name, data) + data)

    def get(self, name: str) -> bytes | None:
        """The data under this name, if it is still here and unchanged."""
        try:
            sealed = (self.folder / name).read_bytes()
        except OSError:
            return None
        data = sealed[SEAL_BYTES:]
        if not compare_digest(sealed[:SEAL_BYTES], self._seal(name, data)):
            return None
        with contextlib.suppress(OSError):
            self._touch(name)
        return data

    def _seal(self, name: str, data: bytes) -> bytes:
        key = blake2b(secret().encode(), person=b"sealed store").digest()
        return blake2b(data, key=key, salt=bytes.fromhex(name), digest_size=SEAL_BYTES).digest()


def shared_folder(name: str) -> Path:
    """A folder common to all servers of this app."""
    return Path(os.environ.get(STORE_VARIABLE) or STORE) / name


@process_singleton
def text_store() -> TextStore:
    """The texts too long for a link."""
    return TextStore(shared_folder("texts"), TEXTS_ROOM, LARGEST_TEXT)


@process_singleton
def file_store() -> TextStore:
    """The files of tokenizers."""
    return TextStore(shared_folder("files"), FILES_ROOM, TOKENIZER_LIMIT)


@process_singleton
def compiled_store() -> SealedStore:
    """Tokenizers from files, ready to be used again."""
    return SealedStore(shared_folder("compiled"), COMPILED_ROOM, TOKENIZER_LIMIT)


@process_singleton
def corpora() -> SharedCache[str, bytes]:
    """The uploaded corpora, by digest: sessions hold their names only, so that there is one limit for all."""
    return SharedCache(CORPORA_ROOM)
