"""A page's new values are not undone by a browser that hasn't heard of them yet."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import replace
from typing import Any, Final
from zlib import crc32

from streamlit.delta_generator import DeltaGenerator
from streamlit.proto.NumberInput_pb2 import NumberInput
from streamlit.proto.TextArea_pb2 import TextArea
from streamlit.proto.TextInput_pb2 import TextInput
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.state.common import RegisterWidgetResult, WidgetMetadata
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
"""Widget → digests of the session's values since the browser last had the same one, the newest last; None
comes first where the browser has never sent one."""
OLDER_AT_MOST: Final = 8
SENT_AGAIN: Final = f"{STREAMLIT_INTERNAL_KEY_PREFIX}_sent_again"
"""The widgets whose values this run sends to the browser once more; True for those not yet drawn there."""
CHECK: Final = ".check"
"""The end of the key of a question's button; the keys of its boxes begin as the button's does."""
UNDRAWN: Final = ContextVar("UNDRAWN", default="")
"""The widget registered last, if it is one of the latter; it is about to be sent."""
TYPED: Final = (TextInput, TextArea, NumberInput)


def keep_what_the_page_has_set() -> None:
    """Keep the page's value if a browser sends an older one, beside a change somewhere else.

    Each message holds every widget. A step on a slow network, right after Back, leaves the browser before it
    has the settings of that address. Streamlit would take the old ones for a visitor's choice, and mix the
    settings of two runs. The page's values are sent once more.

    So are those of widgets not yet drawn in the browser. Streamlit sends a page's value in one run only;
    where another run overtakes it, the browser would begin with the widget's default, and choose that. A text
    box gets the value as its default, for it may have been drawn in the meantime, and typed into.
    """
    require(SessionState, "_old_state", "on_script_will_rerun", "register_widget")
    require(DeltaGenerator, "_enqueue")
    prepare, register = SessionState.on_script_will_rerun, SessionState.register_widget
    enqueue = DeltaGenerator._enqueue

    def prepare_without_old(state: SessionState, widget_states: WidgetStates | None, **replay: Any) -> None:
        old = _old_in(widget_states, state) if widget_states else set()
        undrawn = _undrawn(widget_states, state) if widget_states else set()
        state._old_state[SENT_AGAIN] = dict.fromkeys(old, False) | dict.fromkeys(undrawn, True)
        if widget_states and old:
            widget_states = WidgetStates(widgets=(one for one in widget_states.widgets if one.id not in old))
        prepare(state, widget_states, **replay)

    def register_to_send(
        state: SessionState, metadata: WidgetMetadata[Any], user_key: str | None
    ) -> RegisterWidgetResult[Any]:
        result = register(state, metadata, user_key)
        again = state._old_state.get(SENT_AGAIN, {})
        is_again = metadata.id in again and not result.value_changed
        UNDRAWN.set(metadata.id if is_again and again[metadata.id] else "")
        return replace(result, value_changed=True) if is_again else result

    def send_with_first_value(
        container: DeltaGenerator, kind: str, element: Any, *more: Any, **options: Any
    ) -> DeltaGenerator:
        if isinstance(element, TYPED) and element.id == UNDRAWN.get():
            element.default, element.set_value = element.value, False
        return enqueue(container, kind, element, *more, **options)

    SessionState.on_script_will_rerun = prepare_without_old  # type: ignore[method-assign, assignment]
    SessionState.register_widget = register_to_send  # type: ignore[method-assign, assignment]
    DeltaGenerator._enqueue = send_with_first_value  # type: ignore[method-assign, assignment]


def _old_in(widget_states: WidgetStates, state: SessionState) -> set[str]:
    """The widgets whose message has a value from before the page set them. As the only change, an old value
    is a visitor's choice; so is that of a question's box, sent with “Check” alone."""
    held, old, keys = _held(state), set(), state._key_id_mapper.id_key_mapping
    answered = tuple(
        keys[one.id].removesuffix("check")
        for one in widget_states.widgets
        if one.trigger_value and keys.get(one.id, "").endswith(CHECK)
    )
    news = sum(
        is_news(one, state) for one in widget_states.widgets if not one.HasField("file_uploader_state_value")
    )
    for one in widget_states.widgets:
        if one.id in held:
            value = _fingerprint(message_value(one, state))
            if news > 1 and value in held[one.id][:-1] and not keys[one.id].startswith(answered):
                old.add(one.id)
            else:
                held[one.id] = [value]
    return old


def _undrawn(widget_states: WidgetStates, state: SessionState) -> set[str]:
    """The widgets with a value set by the page that the browser has not drawn yet."""
    known, sent = state._new_widget_state.widget_metadata, {one.id for one in widget_states.widgets}
    return {
        name
        for name, values in state._old_state[HELD].items()
        if values[0] is None
        and name not in sent
        and value_held(name, state) != known[name].deserializer(None)
    }


def _held(state: SessionState) -> dict[str, list[int | None]]:
    """`HELD`, with the page's values since the last message."""
    known, before = state._new_widget_state.widget_metadata, state._old_state.get(HELD, {})
    held: dict[str, list[int | None]] = {}
    for name in state._key_id_mapper.id_key_mapping:
        if name in known and known[name].value_type in SET_BY_PAGES and name in state:
            value, values = _fingerprint(value_held(name, state)), before.get(name, [None])
            held[name] = values if values[-1:] == [value] else [*values, value][-OLDER_AT_MOST:]
    state._old_state[HELD] = held
    return held


def _fingerprint(value: Any) -> int:
    return crc32(repr(value).encode())
