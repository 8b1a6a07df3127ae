"""A session's messages, sent at once."""

from __future__ import annotations

from typing import Final

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.session_manager import ActiveSessionInfo

from tokensteps.streamlit_tuning.checks import require

SENT_AT_ONCE: Final = 100
"""Messages to one browser. Streamlit lets 500 wait for it, and disconnects clients with more."""


def send_together() -> None:
    """Have the messages of a session sent at once.

    Streamlit rests after each, and for that the loop gives up Python's lock. While pages run in other
    threads, it can take 2 ms and more to get the lock back, and a page has dozens of messages.
    """
    require(AppSession, "flush_browser_queue")
    require(Runtime, "_send_message")
    take, send = AppSession.flush_browser_queue, Runtime._send_message

    def take_parts(session: AppSession) -> list[list[ForwardMsg]]:
        messages = take(session)
        return [messages[start : start + SENT_AT_ONCE] for start in range(0, len(messages), SENT_AT_ONCE)]

    def send_part(server: Runtime, client: ActiveSessionInfo, messages: list[ForwardMsg]) -> None:
        for message in messages:
            send(server, client, message)

    AppSession.flush_browser_queue = take_parts  # type: ignore[method-assign, assignment]
    Runtime._send_message = send_part  # type: ignore[method-assign, assignment]
