"""The addresses of sessions: many at one address may be a class, or one visitor with many tabs."""

from __future__ import annotations

from collections import Counter

from tokensteps.server.process_singleton import process_singleton


class SessionAddresses:
    """The address of each session with a connection, or soon with one again.

    >>> there = SessionAddresses()
    >>> for session in ("she", "he", "they", "she"):
    ...     there.arrive(session, "192.0.2.7")
    >>> there.of("she"), there.sessions("192.0.2.7")
    ('192.0.2.7', 3)
    >>> there.end("she"), there.of("she"), there.sessions("192.0.2.7"), there.sessions("")
    (None, '', 2, 1)
    """

    def __init__(self) -> None:
        self._of: dict[str, str] = {}
        self._sessions: Counter[str] = Counter()

    def arrive(self, session: str, address: str) -> None:
        """A session has a connection from there."""
        self.end(session)
        self._of[session] = address
        self._sessions[address] += 1

    def end(self, session: str) -> None:
        """A session is over."""
        address = self._of.pop(session, "")
        self._sessions[address] -= 1
        if self._sessions[address] <= 0:
            del self._sessions[address]

    def of(self, session: str) -> str:
        """The address of a session; "" as long as it is unknown."""
        return self._of.get(session, "")

    def sessions(self, address: str) -> int:
        """The number of sessions at an address; one at least."""
        return max(1, self._sessions[address])


@process_singleton
def session_addresses() -> SessionAddresses:
    """The addresses of this server's sessions."""
    return SessionAddresses()
