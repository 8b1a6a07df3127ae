"""What a script tells, passed on to the event loop in few parts."""

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

from tokensteps.streamlit_tuning.checks import require

LAST_TOLD: Final = ScriptRunnerEvent.SHUTDOWN
"""What a script's thread tells before it ends: after all else, more is about to come."""


class Handover:
    """What a session's script has told since the event loop last looked: passed on together, in its order."""

    HELD: Final = 0.005
    """Seconds that a part may wait for what comes after it: a step takes about as long. It is also how long
    Streamlit rests between two looks at what is to be sent."""

    def __init__(self, call: Callable[[Callable[[], None]], None]) -> None:
        self._call = call
        """Has the event loop call something soon, from any thread."""
        self._told: deque[Callable[[], None]] = deque()
        self._called = self._held = False
        self.wait: asyncio.TimerHandle | None = None
        """When the wait is over."""

    def add(self, handle: Callable[[], None], *, more: bool = False) -> None:
        """Have the event loop call `handle` soon; where `more` is about to come, together with that if it
        comes in time."""
        self._told.append(handle)
        if not more and not self._called:
            self._called = True
            self._call(self.pass_on)
        elif more and not self._held:
            self._held = True
            self._call(self._hold)

    def expect(self) -> None:
        """Wait a moment for what is about to come, so that nobody need call for it; only where the event loop
        runs."""
        if self.wait is None:
            self._held = True
            self.wait = asyncio.get_running_loop().call_later(self.HELD, self._pass_on_held)

    def _hold(self) -> None:
        if self._told:
            self.expect()

    def _pass_on_held(self) -> None:
        goes_on = bool(self._told)
        self.pass_on()
        if goes_on:
            self.expect()

    def pass_on(self) -> None:
        """Call all that has been told; only where the event loop runs."""
        self._called = self._held = False  # before it looks: what is told from here on calls again
        if self.wait is not None:
            self.wait.cancel()
            self.wait = None
        try:
            while self._told:
                self._told.popleft()()
        finally:  # one that fails keeps nothing from the others
            if self._told:
                self._call(self.pass_on)


def tell_together() -> None:
    """Have what a script tells come to the event loop in few parts.

    Streamlit has it woken twice for each of some 25 messages in a click; each time, the script's thread and
    the loop's take turns, and then it looks at all sessions for something to send.
    """
    require(
        AppSession,
        "_call_soon_on_event_loop",
        "_handle_scriptrunner_event_on_event_loop",
        "_on_scriptrunner_event",
        "_event_loop",
    )
    require(Runtime, "_get_async_objs", "_session_mgr")
    ask_for_run = AppSession.request_rerun

    def handover_of(session: AppSession) -> Handover:
        result: Handover | None = session.__dict__.get("handover")
        if result is None:
            result = session.__dict__.setdefault("handover", Handover(session._call_soon_on_event_loop))
        return result

    def tell(session: AppSession, sender: Any, event: ScriptRunnerEvent, **more: Any) -> None:
        handle = partial(session._handle_scriptrunner_event_on_event_loop, sender, event, **more)
        handover_of(session).add(handle, more=event is not LAST_TOLD)

    def ask(session: AppSession, client_state: ClientState | None) -> None:
        if asyncio._get_running_loop() is session._event_loop:
            handover = handover_of(session)
            # Else what a script has told that has just ended would come from one that is no longer the
            # session's, and be dropped.
            handover.pass_on()
            handover.expect()
        ask_for_run(session, client_state)

    AppSession._on_scriptrunner_event = tell  # type: ignore[method-assign, assignment]
    AppSession.request_rerun = ask  # type: ignore[method-assign, assignment]
    if runtime.exists():
        server = runtime.get_instance()
        server._session_mgr._message_enqueued_callback = partial(wake, server)  # type: ignore[attr-defined]


def wake(server: Runtime) -> None:
    """Have the server look for something to send. Where the event loop runs, it need not be woken, as
    Streamlit does for each message."""
    state = server._get_async_objs()
    if asyncio._get_running_loop() is state.eventloop:
        state.need_send_data.set()
    else:
        state.eventloop.call_soon_threadsafe(state.need_send_data.set)
