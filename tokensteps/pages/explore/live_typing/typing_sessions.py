"""Typing sessions: the server draws the chips of a text at each key, without a run of the page.

A run of the page takes Streamlit and the browser several times longer than the chips and their counts need.
So the page leaves its settings for drawing a text in a session, and the text box sends each change there
(`routes.py`). The rest of the page follows when the typing pauses.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from weakref import ref

from tokensteps.bounded import ENTRY, SharedCache, text_bytes
from tokensteps.components.editor import as_typed
from tokensteps.drawing.chips import Version
from tokensteps.language.i18n import use_language
from tokensteps.limits import PLAYGROUND_LIMIT, TYPED_BYTES, TYPED_RATE, TYPING_ROOM
from tokensteps.pages.explore.playground_chips import ChipsView, chips_data, turns_back
from tokensteps.server.entrance.rates import Account
from tokensteps.streamlit_internals import acting_for

ADDRESS: Final = "playground/typed"
"""Where the server listens, within the app."""


class TypingError(Exception):
    """Why a change isn't drawn, as HTTP says it. The page then draws it."""

    def __init__(self, status: int) -> None:
        self.status = status


@dataclass(frozen=True)
class TextChange:
    """A change from a text box: `put` replaces the text between `start` and `end`, counted in UTF-16 units.

    `base` is the version of the text before this change; without one, `put` is the whole text.
    """

    version: Version
    put: str
    base: int | None = None
    start: int = 0
    end: int = 0

    @classmethod
    def read(cls, said: Mapping[str, Any]) -> TextChange:
        """A message of the browser's. Raises TypingError."""
        match said:
            case {"nonce": int(nonce), "at": int(at), "put": str(put), "base": None}:
                return cls((nonce, at), put)
            case {
                "nonce": int(nonce),
                "at": int(at),
                "put": str(put),
                "base": int(base),
                "from": int(start),
                "to": int(end),
            }:
                return cls((nonce, at), put, base, start, end)
        raise TypingError(400)


def spliced(text: str, start: int, end: int, put: str) -> str:
    """`text` with `put` in place of the part between two positions in UTF-16 units, as browsers count. Raises
    TypingError.

    >>> spliced("a😀b", 3, 4, "c"), spliced("", 0, 0, "😀")
    ('a😀c', '😀')
    """
    units = text.encode("utf-16-le")
    if not 0 <= start <= end <= len(units) // 2:
        raise TypingError(400)
    units = units[: 2 * start] + put.encode("utf-16-le", "surrogatepass") + units[2 * end :]
    return units.decode("utf-16-le", "replace")


class TypingSession:
    """A page's way of showing the typed text, and the text as it was last sent. It doesn't keep the tokenizer
    alive."""

    def __init__(self, view: ChipsView, session: str) -> None:
        self.look(view, session)
        self.text, self._version = "", (-1, -1)
        self._account = Account({"messages": TYPED_RATE, "bytes": TYPED_BYTES})
        self._at_work = threading.Lock()

    def look(self, view: ChipsView, session: str) -> None:
        """Show texts like this from now on."""
        self._subject, self.session = ref(view.subject), session
        self._letter = view.letter
        self._manner: tuple[Any, ...] = view[2:]

    def view(self) -> ChipsView:
        """The settings for showing texts. Raises TypingError when the server no longer has the tokenizer: the
        page loads it again."""
        subject = self._subject()
        if subject is None:
            raise TypingError(404)
        return ChipsView(self._letter, subject, *self._manner)

    def take_turn(self, size: int) -> None:
        """Count a message of so many bytes. Raises TypingError if there were too many."""
        now = time.monotonic()
        waits = [
            self._account.bucket(name).take(much, now) for name, much in (("messages", 1), ("bytes", size))
        ]
        if any(waits):
            raise TypingError(429)

    def draw(self, change: TextChange) -> bytes:
        """The message to draw the text after a change. Raises TypingError, and the errors of `chips_data`."""
        if not self._at_work.acquire(blocking=False):
            raise TypingError(429)  # a text box waits for its answer
        try:
            before, view = self.text, self.view()
            self._take(change)
            if turns_back(before, self.text):
                view = view._replace(page=1)
            use_language(view.language)
            with acting_for(self.session):
                return chips_data(view, self.text, change.version, cards=False)
        finally:
            self._at_work.release()

    def _take(self, change: TextChange) -> None:
        """Have the text changed. Raises TypingError."""
        nonce, _at = change.version
        text = change.put
        if change.base is not None:
            if self._version != (nonce, change.base):
                raise TypingError(205)  # the browser sends the whole text: no error for its console
            text = spliced(self.text, change.start, change.end, change.put)
        if len(text) > PLAYGROUND_LIMIT:
            raise TypingError(413)
        self.text, self._version = as_typed(text), change.version


_typing_sessions: Final = SharedCache[str, TypingSession](TYPING_ROOM)


def typing_address(name: str) -> str:
    """The address for the text box of a session: nobody can guess the name."""
    return f"{ADDRESS}/{name}"


def open_typing_session(name: str, view: ChipsView, session: str) -> None:
    """Have a session show texts like this."""
    typing = _typing_sessions.get(name)
    if typing is None:
        typing = TypingSession(view, session)
    typing.look(view, session)
    keep(name, typing)


def close_typing_session(name: str) -> None:
    """Have a session show nothing: the page says why."""
    _typing_sessions.drop(name)


def typing_session_named(name: str) -> TypingSession | None:
    """The session of this name; None if there is none, or if it had to make room."""
    return _typing_sessions.get(name)


def keep(name: str, session: TypingSession) -> None:
    """Keep a session, with its present text."""
    _typing_sessions.put(name, session, ENTRY + text_bytes(session.text))
