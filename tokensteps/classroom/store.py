"""Stores for the logs of all classes: a file shared by the servers of one machine, or a Redis shared by
several machines."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from tokensteps.limits import CLASS_IDLE, CLASS_SECONDS, CLASSES

BUSY_SECONDS: Final = 5.0
"""A server's longest wait for another one's write; a write takes less than a millisecond."""
DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class StoreError(Exception):
    """The store can't be reached, or can't write. The request has had no effect, as far as is known."""


class Store(Protocol):
    """Logs by code. All of a class follows from its log, so a store keeps lines and ignores their meaning.

    Called from one thread at a time. Everything raises StoreError.
    """

    def create(self, code: str, line: str, now: float) -> bool:
        """Begin a log with its first line; False if there already is one, or no room for another."""

    def add(self, code: str, line: str, known: int, now: float) -> Sequence[str]:
        """Write a line at the end of a log. Returns all lines after the first `known`, this one last; none if
        there is no such log."""

    def read(self, code: str, known: int) -> Sequence[str]:
        """All lines after the first `known`; none if there is no such log."""

    def news(self, known: Mapping[str, int]) -> Mapping[str, Sequence[str] | None]:
        """Code of a class in memory here → its lines after the `known` number of them, if there are any; None
        if the log is gone."""

    def here(self, code: str, server: str, who: str, now: float) -> None:
        """Note the people at a server."""

    def everywhere(self, code: str, since: float) -> Sequence[str]:
        """The servers' notes of people since then."""


SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS classes (code TEXT PRIMARY KEY, opened REAL NOT NULL, last REAL NOT NULL, lines INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS lines (
    code TEXT NOT NULL, number INTEGER NOT NULL, line TEXT NOT NULL, PRIMARY KEY (code, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS present (
    code TEXT NOT NULL, server TEXT NOT NULL, who TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (code, server)
) WITHOUT ROWID;
"""
FORGET: Final = tuple(f"DELETE FROM {table} WHERE code = ?" for table in ("classes", "lines", "present"))


class FileStore:
    """Logs in an SQLite file: its write-ahead log lets all servers read while one writes.

    A written line survives the end of the server; it may be lost in a power failure a moment later.
    """

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                self._db = self._opened(path)
            except sqlite3.DatabaseError as error:
                if error.sqlite_errorcode not in DAMAGED:
                    raise
                logging.getLogger(__name__).error(
                    "%s is damaged (%s): it is put aside, and its classes are over", path, error
                )
                for suffix in ("-wal", "-shm", ""):
                    with suppress(FileNotFoundError):
                        os.replace(f"{path}{suffix}", f"{path}.damaged{suffix}")
                self._db = self._opened(path)
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"{path}: {error}") from error
        self._version, self._read = -1, frozenset[str]()
        """At the last look for news: the file's version, and the classes read."""

    @staticmethod
    def _opened(path: Path) -> sqlite3.Connection:
        db = sqlite3.connect(path, BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            path.chmod(0o600)
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            db.execute("PRAGMA secure_delete = ON")  # deleted lines aren't in the file any more
            db.executescript(SCHEMA)
        except BaseException:
            db.close()
            raise
        return db

    def create(self, code: str, line: str, now: float) -> bool:
        """Begin a log. Old ones go; without room, so does the quietest one, if it was quiet for long."""
        with _Transaction(self._db) as db:
            for (old,) in db.execute(
                "SELECT code FROM classes WHERE opened <= ?", (now - CLASS_SECONDS,)
            ).fetchall():
                self._forget(old)
            quiet = db.execute("SELECT code, last FROM classes ORDER BY last").fetchall()
            if len(quiet) >= CLASSES:
                if quiet[0][1] > now - CLASS_IDLE:
                    return False
                self._forget(quiet[0][0])
            result = (
                db.execute("INSERT OR IGNORE INTO classes VALUES (?, ?, ?, 1)", (code, now, now)).rowcount
                == 1
            )
            if result:
                db.execute("INSERT INTO lines VALUES (?, 1, ?)", (code, line))
            return result

    def _forget(self, code: str) -> None:
        for statement in FORGET:
            self._db.execute(statement, (code,))

    def add(self, code: str, line: str, known: int, now: float) -> Sequence[str]:
        """Write a line and read the unknown lines before it, in one go."""
        with _Transaction(self._db) as db:
            count = "UPDATE classes SET last = ?, lines = lines + 1 WHERE code = ?"
            if db.execute(count, (now, code)).rowcount != 1:
                return ()
            insert = "INSERT INTO lines SELECT code, lines, ? FROM classes WHERE code = ?"
            db.execute(insert, (line, code))
            return self._after(code, known)

    def _after(self, code: str, known: int) -> Sequence[str]:
        read = "SELECT line FROM lines WHERE code = ? AND number > ? ORDER BY number"
        return [line for (line,) in self._db.execute(read, (code, known))]

    def read(self, code: str, known: int) -> Sequence[str]:
        """All lines after those."""
        try:
            return self._after(code, known)
        except sqlite3.Error as error:
            raise StoreError(str(error)) from error

    def news(self, known: Mapping[str, int]) -> Mapping[str, Sequence[str] | None]:
        """The new lines; nothing is read unless another server has written since the last time, or a class is
        new in memory: this check takes microseconds."""
        try:
            version = self._db.execute("PRAGMA data_version").fetchone()[0]
            old = self._read if version == self._version else frozenset()
            results = {code: self._after(code, known[code] - 1) for code in known if code not in old}
        except sqlite3.Error as error:
            raise StoreError(str(error)) from error
        self._version, self._read = version, frozenset(known)
        return after_known(results)

    def here(self, code: str, server: str, who: str, now: float) -> None:
        """Note the people at a server."""
        with _Transaction(self._db) as db:
            db.execute("REPLACE INTO present VALUES (?, ?, ?, ?)", (code, server, who, now))

    def everywhere(self, code: str, since: float) -> Sequence[str]:
        """The servers' notes of people since then."""
        try:
            read = "SELECT who FROM present WHERE code = ? AND at > ?"
            return [who for (who,) in self._db.execute(read, (code, since))]
        except sqlite3.Error as error:
            raise StoreError(str(error)) from error

    def close(self) -> None:
        """Put the file in order; the last server to leave folds the write-ahead log into it."""
        self._db.close()


def after_known(logs: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str] | None]:
    """The new lines of logs read from the last known line on: a log without even that one is gone.

    >>> after_known({"CDFHJK": ["known"], "MNPRTW": ["known", "new"], "XYZ347": []})
    {'MNPRTW': ['new'], 'XYZ347': None}
    """
    return {code: lines[1:] or None for code, lines in logs.items() if len(lines) != 1}


class _Transaction:
    """A transaction, exclusive among all servers from the start."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> sqlite3.Connection:
        try:
            self._db.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise StoreError(str(error)) from error
        return self._db

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        try:
            self._db.execute("ROLLBACK" if kind else "COMMIT")
        except sqlite3.Error as failed:
            raise StoreError(str(failed)) from failed
        if isinstance(error, sqlite3.Error):
            raise StoreError(str(error)) from error
