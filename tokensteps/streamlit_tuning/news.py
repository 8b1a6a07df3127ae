"""A browser's values of widgets, compared with the session's. Each message has all widgets, unchanged ones,
too."""

from __future__ import annotations

from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.state.session_state import KeyIdMapper, SessionState, WStates

from tokensteps.streamlit_tuning.checks import require

require(SessionState, "_new_widget_state", "_key_id_mapper", "_getitem")
require(KeyIdMapper, "id_key_mapping")
require(WStates, "widget_metadata", "set_widget_metadata", "set_widget_from_proto")


def message_value(widget: WidgetState, state: SessionState) -> Any:
    """The message's value of a widget known to the session."""
    states = WStates()
    states.set_widget_metadata(state._new_widget_state.widget_metadata[widget.id])
    states.set_widget_from_proto(widget)
    return states[widget.id]


def value_held(widget_id: str, state: SessionState) -> Any:
    """The session's value. Raises KeyError if there is none."""
    return state._getitem(widget_id, state._key_id_mapper.id_key_mapping.get(widget_id))


def is_news(widget: WidgetState, state: SessionState) -> bool:
    """Whether the session knows the widget, and has another value. Files count whenever there are any."""
    if widget.id not in state._new_widget_state.widget_metadata:
        return False
    if widget.HasField("file_uploader_state_value"):
        return bool(widget.file_uploader_state_value.uploaded_file_info)
    try:
        return bool(message_value(widget, state) != value_held(widget.id, state))
    except KeyError:
        return True
