"""A script's messages, passed on to the event loop in few parts."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from streamlit import runtime
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.scriptrunner.script_runner import ScriptRunnerEvent
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from tokensteps.streamlit_tuning.checks import require

LAST_EVENT: Final = ScriptRunnerEvent.SHUTDOWN
"""The last event of a script's thread: after any other, more is about to come."""


class Handover:
    """The messages of a session's script since the loop's last look: passed on together, in their order."""

    HELD: Final = 0.005
    """Seconds that a message may wait for the next ones: a step takes about as long. Streamlit also rests
    this long between two looks for unsent messages."""

    def __init__(self, call: Callable[[Callable[[], None]], None]) -> None:
        self._call = call
        """Has the event loop call something soon, from any thread."""
        self._messages: deque[Callable[[], None]] = deque()
        self._called = self._held = False
        self.wait: asyncio.TimerHandle | None = None
        """The timer for the end of the wait."""

    def add(self, handle: Callable[[], None], *, more: bool = False) -> None:
        """Have the event loop call `handle` soon; if `more` is about to come, together with that if it comes
        in time."""
        self._messages.append(handle)
        if not more and not self._called:
            self._called = True
            self._call(self.pass_on)
        elif more and not self._held:
            self._held = True
            self._call(self._hold)

    def expect(self) -> None:
        """Wait a moment for the next messages, so that the loop need not be called for them; only on the
        event loop."""
        self._held = True
        if self.wait is None:
            self.wait = asyncio.get_running_loop().call_later(self.HELD, self._pass_on_held)

    def _hold(self) -> None:
        self._held = False  # before it looks: the messages may have been passed on already
        if self._messages:
            self.expect()

    def _pass_on_held(self) -> None:
        goes_on = bool(self._messages)
        self.pass_on()
        if goes_on:
            self.expect()

    def pass_on(self) -> None:
        """Handle all waiting messages; only on the event loop."""
        self._called = self._held = False  # before it looks: later messages call again
        if self.wait is not None:
            self.wait.cancel()
            self.wait = None
        try:
            while self._messages:
                self._messages.popleft()()
        finally:  # a failed one keeps nothing from the others
            if self._messages:
                self._call(self.pass_on)


def tell_together() -> None:
    """Have a script's messages come to the event loop in few parts.

    Streamlit wakes the loop twice for each of some 25 messages in a click; each time, the script's thread and
    the loop's take turns, and then the loop searches all sessions for something to send.
    """
    require(
        AppSession,
        "_call_soon_on_event_loop",
        "_handle_scriptrunner_event_on_event_loop",
        "_on_scriptrunner_event",
        "_event_loop",
    )
    require(Runtime, "_get_async_objs", "_session_mgr")
    require(WebsocketSessionManager, "_message_enqueued_callback")
    ask_for_run = AppSession.request_rerun

    def handover_of(session: AppSession) -> Handover:
        result: Handover | None = session.__dict__.get("handover")
        if result is None:
            result = session.__dict__.setdefault("handover", Handover(session._call_soon_on_event_loop))
        return result

    def tell(session: AppSession, sender: Any, event: ScriptRunnerEvent, **more: Any) -> None:
        handle = partial(session._handle_scriptrunner_event_on_event_loop, sender, event, **more)
        handover_of(session).add(handle, more=event is not LAST_EVENT)

    def ask(session: AppSession, client_state: ClientState | None) -> None:
        if asyncio._get_running_loop() is session._event_loop:
            handover = handover_of(session)
            # Otherwise the last messages of a finished script would be discarded, because the session already
            # has a new one.
            handover.pass_on()
            handover.expect()
        ask_for_run(session, client_state)

    AppSession._on_scriptrunner_event = tell  # type: ignore[method-assign, assignment]
    AppSession.request_rerun = ask  # type: ignore[method-assign, assignment]
    if runtime.exists():
        server = runtime.get_instance()
        server._session_mgr._message_enqueued_callback = partial(wake, server)  # type: ignore[attr-defined]


def wake(server: Runtime) -> None:
    """Have the server look for something to send. On the event loop itself it need not be woken; Streamlit
    does that for each message."""
    state = server._get_async_objs()
    if asyncio._get_running_loop() is state.eventloop:
        state.need_send_data.set()
    else:
        state.eventloop.call_soon_threadsafe(state.need_send_data.set)
