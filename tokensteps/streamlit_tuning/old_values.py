"""A page's new values are not undone by a browser that hasn't heard of them yet."""

from __future__ import annotations

from typing import Any, Final
from zlib import crc32

from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.state.session_state import STREAMLIT_INTERNAL_KEY_PREFIX, SessionState

from tokensteps.streamlit_tuning.checks import require
from tokensteps.streamlit_tuning.news import is_news, message_value, value_held

SET_BY_PAGES: Final = (
    "bool_value",
    "int_value",
    "double_value",
    "string_value",
    "string_array_value",
    "double_array_value",
)
HELD: Final = f"{STREAMLIT_INTERNAL_KEY_PREFIX}_held"
"""Widget → digests of the session's values since the browser last had the same one, the newest last."""
OLDER_AT_MOST: Final = 8


def keep_what_the_page_has_set() -> None:
    """Keep the page's value if a browser sends an older one, beside a change somewhere else.

    Each message holds every widget. A step on a slow network, right after Back, leaves the browser before it
    has the settings of that address. Streamlit would take the old ones for a visitor's choice, and mix the
    settings of two runs. The page's values are sent once more.
    """
    require(SessionState, "_old_state", "_new_session_state", "on_script_will_rerun")
    prepare = SessionState.on_script_will_rerun

    def prepare_without_old(state: SessionState, widget_states: WidgetStates | None, **replay: Any) -> None:
        old = _old_in(widget_states, state) if widget_states else set()
        if not widget_states or not old:
            prepare(state, widget_states, **replay)
            return
        prepare(
            state, WidgetStates(widgets=(one for one in widget_states.widgets if one.id not in old)), **replay
        )
        keys = state._key_id_mapper.id_key_mapping
        state._new_session_state = {
            keys[name]: value_held(name, state) for name in old
        } | state._new_session_state

    SessionState.on_script_will_rerun = prepare_without_old  # type: ignore[method-assign, assignment]


def _old_in(widget_states: WidgetStates, state: SessionState) -> set[str]:
    """The widgets whose message has a value from before the page set them. As the only change, an old value
    is a visitor's choice."""
    held, old = _held(state), set()
    news = sum(
        is_news(one, state) for one in widget_states.widgets if not one.HasField("file_uploader_state_value")
    )
    for one in widget_states.widgets:
        if one.id in held:
            value = _fingerprint(message_value(one, state))
            if news > 1 and value in held[one.id][:-1]:
                old.add(one.id)
            else:
                held[one.id] = [value]
    return old


def _held(state: SessionState) -> dict[str, list[int]]:
    """`HELD`, with the page's values since the last message."""
    known, before = state._new_widget_state.widget_metadata, state._old_state.get(HELD, {})
    held: dict[str, list[int]] = {}
    for name in state._key_id_mapper.id_key_mapping:
        if name in known and known[name].value_type in SET_BY_PAGES and name in state:
            value, values = _fingerprint(value_held(name, state)), before.get(name, [])
            held[name] = values if values[-1:] == [value] else [*values, value][-OLDER_AT_MOST:]
    state._old_state[HELD] = held
    return held


def _fingerprint(value: Any) -> int:
    return crc32(repr(value).encode())
