"""A change outside of a fragment reaches the page, also when it comes in one message with a change inside."""

from __future__ import annotations

from weakref import WeakKeyDictionary
from zlib import crc32

from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.state.session_state import SessionState

from tokensteps.streamlit_tuning.checks import require
from tokensteps.streamlit_tuning.news import is_news


def run_all_that_changed() -> None:
    """Run the whole page for a message with changes in a fragment and outside of it.

    A browser gathers changes until it has time to send them, and then asks for one of the fragments alone. So
    on a slow device a key at a slider of the sidebar, right after a text in a fragment, changed nothing until
    the next click.
    """
    require(AppSession, "request_rerun", "session_state")
    require(SessionState, "_new_widget_state")
    request = AppSession.request_rerun
    known: WeakKeyDictionary[AppSession, dict[str, int]] = WeakKeyDictionary()

    def request_all(session: AppSession, client_state: ClientState | None) -> None:
        if client_state is not None:
            widgets, before = client_state.widget_states.widgets, known.get(session, {})
            known[session] = digests = {one.id: crc32(one.SerializeToString()) for one in widgets}
            changed = [one for one in widgets if before.get(one.id) != digests[one.id]]
            fragment, state = client_state.fragment_id, session.session_state
            if fragment and any(_is_outside(one, state, fragment) and is_news(one, state) for one in changed):
                client_state.ClearField("fragment_id")
        request(session, client_state)

    AppSession.request_rerun = request_all  # type: ignore[method-assign, assignment]


def _is_outside(widget: WidgetState, state: SessionState, fragment: str) -> bool:
    metadata = state._new_widget_state.widget_metadata.get(widget.id)
    return metadata is not None and metadata.fragment_id != fragment
