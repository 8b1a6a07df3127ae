"""A visit's resources on the server, and their end: uploaded files, and the session with its state."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Mapping

from tokensteps.limits import COLLECT_SECONDS, FILES_EACH, RECONNECT_SECONDS, UPLOADS_EACH, UPLOADS_ROOM
from tokensteps.server.entrance.addresses import session_addresses
from tokensteps.server.process_singleton import process_singleton
from tokensteps.server.traces import forget_session
from tokensteps.streamlit_internals import end_session, remove_upload, sessions_without_connection


class HeldFile:
    """One file: its bytes so far."""

    def __init__(self) -> None:
        self.size = 0
        self.whole = False
        """Whether all of it is there, and Streamlit has it."""


class SessionResources:
    """The sessions with files, and those without a connection.

    Files are counted here on their way in through the guard, not looked up in Streamlit: its store may change
    with the next version, and an uncounted file can't come in.

    Without room, disconnected sessions go first, and then, file by file, the files of the session that stores
    most; but nobody loses a file to a session that would then hold as much. So the smallest sessions find
    room.
    """

    def __init__(self) -> None:
        self._files: dict[str, dict[str, HeldFile]] = {}
        self._left: dict[str, asyncio.TimerHandle] = {}
        """Sessions without a connection, the first to leave first."""
        self._collection: asyncio.TimerHandle | None = None
        """The next garbage collection, if it is planned."""
        self._lock = threading.RLock()

    # --- Coming and going -----------------------------------------------------------------------------------

    def arrive(self, session: str, address: str) -> None:
        """A session has a connection, its first or a new one."""
        session_addresses().arrive(session, address)
        self._stay(session)

    def _stay(self, session: str) -> None:
        if (timer := self._left.pop(session, None)) is not None:
            timer.cancel()

    def leave(self, session: str) -> None:
        """A connection has ended: its session may come back within a moment, and has what it had.

        The name may be "" or another's: if a browser leaves before its first message, Streamlit doesn't name
        the session. It is then among the disconnected ones not yet known here.
        """
        self._stay(session)
        loop = asyncio.get_running_loop()
        for one in {session, *sessions_without_connection()} - {"", *self._left}:
            self._left[one] = loop.call_later(RECONNECT_SECONDS, self.end, one)

    def end(self, session: str) -> None:
        """End a session that hasn't come back, with all that it holds."""
        self._stay(session)
        if end_session(session):
            session_addresses().end(session)
            with self._lock:
                self._files.pop(session, None)
            forget_session(session)
            if self._collection is None:
                self._collection = asyncio.get_running_loop().call_later(COLLECT_SECONDS, self._collect)

    def _collect(self) -> None:
        """Free the leftovers of ended sessions: their widgets' texts are in reference cycles (Streamlit makes
        a class for each component of each run that refers to them), and Python looks for cycles only after
        many new objects."""
        self._collection = None
        gc.collect()

    # --- Files ----------------------------------------------------------------------------------------------

    def held(self) -> Mapping[str, int]:
        """Session → bytes of its files, unfinished ones included."""
        with self._lock:
            return {session: _total(files) for session, files in self._files.items()}

    def begin(self, session: str, file: str, size: int) -> bool:
        """Whether a session may send a file of so many bytes, as announced."""
        with self._lock:
            files = self._files.get(session, {})
            if file in files:
                if not files[file].whole:  # it is on its way already
                    return False
                self.drop(session, file)
            own = _total(files)
            if len(files) >= FILES_EACH or own + size > UPLOADS_EACH:
                return False
            if not self._make_room(session, own, size):
                return False
            self._files.setdefault(session, {})[file] = HeldFile()
            return True

    def grow(self, session: str, file: str, size: int) -> bool:
        """Whether there is room for so many more bytes of an unfinished file; then they are counted."""
        with self._lock:
            files = self._files.get(session, {})
            if file not in files:  # it has left
                return False
            own = _total(files)
            if own + size > UPLOADS_EACH or not self._make_room(session, own, size):
                return False
            files[file].size += size
            return True

    def finish(self, session: str, file: str, taken: bool) -> None:
        """A file has come to its end: Streamlit has it, or nobody."""
        with self._lock:
            held = self._files.get(session, {}).get(file)
            if taken and held is not None:
                held.whole = True
            else:  # its session has ended meanwhile, or something has failed
                self.drop(session, file)

    def forget(self, session: str, file: str) -> None:
        """A file is no longer there."""
        with self._lock:
            files = self._files.get(session, {})
            files.pop(file, None)
            if not files:
                self._files.pop(session, None)

    def drop(self, session: str, file: str) -> None:
        """Take a file away from a session: it has been read, or there is no room for it."""
        remove_upload(session, file)
        self.forget(session, file)

    def _make_room(self, session: str, own: int, size: int) -> bool:
        """Whether there is room for `size` more bytes of a session with `own`, after making as much as
        allowed."""
        while self._total() + size > UPLOADS_ROOM:
            gone = next((one for one in self._left if one in self._files and one != session), None)
            if gone is not None:
                self.end(gone)
                continue
            rich, file = self._most()
            if rich == session or _total(self._files.get(rich, {})) <= own + size:
                return False
            self.drop(rich, file)
        return True

    def _total(self) -> int:
        return sum(map(_total, self._files.values()))

    def _most(self) -> tuple[str, str]:
        """The largest session among those with a whole file, and its first whole file."""
        whole = {
            session: next(name for name, file in files.items() if file.whole)
            for session, files in self._files.items()
            if any(file.whole for file in files.values())
        }
        rich = max(whole, key=lambda session: _total(self._files[session]), default="")
        return rich, whole.get(rich, "")


def _total(files: Mapping[str, HeldFile]) -> int:
    return sum(file.size for file in files.values())


@process_singleton
def session_resources() -> SessionResources:
    """The resources of this server's sessions."""
    return SessionResources()
