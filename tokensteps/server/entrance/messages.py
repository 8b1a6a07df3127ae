"""The browser's messages over the WebSocket: only those of the app's own pages pass, and no more than those
need.

With some messages of Streamlit's protocol a browser can empty everybody's cache, run git on the server or ask
for half a million upload addresses, and the server obeys them all. Here a message is measured before it is
parsed, parsed, and let through only if its kind is on the list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from google.protobuf.message import DecodeError

from tokensteps.limits import (
    BESIDES_LIMIT,
    JSON_BESIDES,
    JSON_STRINGS,
    MESSAGE_FIELDS,
    MESSAGE_LIMIT,
    NAME_BYTES,
    PASTE_LIMIT,
    PLAYGROUND_LIMIT,
    STATES_LIMIT,
    UPLOAD_ADDRESSES,
    WIDGETS_LIMIT,
)
from tokensteps.streamlit_internals import BackMsg, ClientState, WidgetState

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor

PASSES: Final = frozenset(
    {"rerun_script", "stop_script", "app_heartbeat", "file_urls_request", "backend_operation_request"}
)
"""The messages of the app's pages, and of Streamlit's own part of them."""
REFUSED_KINDS: Final = frozenset(
    {
        "clear_cache",  # empties what all visitors share
        "set_run_on_save",  # for developers
        "load_git_info",  # runs git, and tells the names of files
        "debug_disconnect_websocket",
        "debug_shutdown_runtime",
    }
)
"""Messages that no page of the app sends. A kind in neither set is refused as well; a test demands a place
for it in one of them."""
OPERATIONS: Final = frozenset({"deferred_file"})
"""The one allowed request of `backend_operation_request`: a download made on demand."""
REFUSED_OPERATIONS: Final = frozenset({"install_skills", "dismiss_skills_nudge", "dataframe_chunk"})
REFUSED_VALUES: Final = frozenset({"arrow_value", "bytes_value", "chat_input_value"})
"""Values of widgets unused in the app."""
TEXT_BOXES: Final = frozenset({"paste_text", "counts_text", "a", "b", "codes", "link"})
"""The last parts of text boxes' keys: for these a page says by how much a text is too long."""
_STRING: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)

Nested = Mapping[int, "Nested"]
"""The nested messages among a message's fields, by number."""


class Refused(Exception):
    """Raised for a message unknown to the app's pages; its text goes to the log."""


class Message(NamedTuple):
    """A message allowed to pass."""

    kind: str
    data: bytes
    by_itself: bool = False
    """Whether a page sends it by itself, at intervals, and would send it again."""
    part: bool = False
    """Whether it asks for a part of the page only."""


def examine(data: bytes) -> Message:
    """A message safe for Streamlit; texts too long for any page are cut. Raises Refused.

    >>> examine(BackMsg(app_heartbeat=True).SerializeToString()).kind
    'app_heartbeat'
    >>> examine(BackMsg(clear_cache=True).SerializeToString())
    Traceback (most recent call last):
        ...
    tokensteps.server.entrance.messages.Refused: a message of the kind 'clear_cache'
    """
    if len(data) > MESSAGE_LIMIT:
        raise Refused(f"a message of {len(data)} bytes")
    left = _count(data, 0, len(data), _BACK_MESSAGE, MESSAGE_FIELDS)
    if left < 0:
        raise Refused(f"a message of more than {MESSAGE_FIELDS} parts")
    message = BackMsg()
    try:
        message.ParseFromString(data)
    except DecodeError:
        raise Refused("a message that can't be read") from None
    kind = message.WhichOneof("type")
    if kind not in PASSES:
        raise Refused(f"a message of the kind {kind!r}")
    if kind == "rerun_script":
        changed = _examine_rerun(message.rerun_script, len(data))
        rerun = message.rerun_script
        written = message.SerializeToString() if changed else data
        return Message(kind, written, rerun.is_auto_rerun, bool(rerun.fragment_id))
    if kind == "file_urls_request":
        if len(message.file_urls_request.file_names) > UPLOAD_ADDRESSES:
            raise Refused(f"a request for {len(message.file_urls_request.file_names)} files")
        if len(data) > (UPLOAD_ADDRESSES + 1) * NAME_BYTES:
            raise Refused(f"names of files, {len(data)} bytes of them")
    elif len(data) > BESIDES_LIMIT:
        raise Refused(f"a message of the kind {kind!r}, {len(data)} bytes of it")
    if kind == "backend_operation_request":
        operation = message.backend_operation_request.WhichOneof("payload")
        if operation not in OPERATIONS:
            raise Refused(f"a request for {operation!r}")
    return Message(kind, data)


# --- Before parsing -----------------------------------------------------------------------------------------


def _nested(kind: Descriptor) -> Nested:
    return {field.number: _nested(field.message_type) for field in kind.fields if field.message_type}


_BACK_MESSAGE: Final = _nested(BackMsg.DESCRIPTOR)


def _count(data: bytes, at: int, end: int, nested: Nested, left: int) -> int:
    """The rest of `left` fields after those in data[at:end], nested ones included; negative if there are
    more.

    A field of two bytes can become an object of a hundred: counting them first bounds the cost of parsing.
    Raises Refused.
    """
    while at < end:
        tag, at = _varint(data, at, end)
        left -= 1
        if left < 0:
            return left
        match tag & 7:
            case 0:
                _value, at = _varint(data, at, end)
            case 1:
                at += 8
            case 2:
                size, at = _varint(data, at, end)
                inner = nested.get(tag >> 3)
                if at + size > end:
                    raise Refused("a message that is cut off")
                if inner is not None:
                    left = _count(data, at, at + size, inner, left)
                    if left < 0:
                        return left
                at += size
            case 5:
                at += 4
            case _:
                raise Refused("a message that can't be read")
    if at > end:
        raise Refused("a message that is cut off")
    return left


def _varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """The number at a place, and the place after it."""
    value = shift = 0
    while at < end and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    raise Refused("a message that is cut off")


# --- Runs of the script -------------------------------------------------------------------------------------


def _examine_rerun(rerun: ClientState, size: int) -> bool:
    """Refuse anything unknown to pages, cut texts too long for any; whether something was cut."""
    states = rerun.widget_states
    besides = size - states.ByteSize()
    if besides > BESIDES_LIMIT:
        raise Refused(f"{besides} bytes besides what widgets hold")
    if len(states.widgets) > WIDGETS_LIMIT:
        raise Refused(f"{len(states.widgets)} widgets")
    changed = False
    for state in states.widgets:
        changed |= _examine_widget(state)
    if (total := states.ByteSize()) > STATES_LIMIT:
        raise Refused(f"{total} bytes in widgets")
    return changed


def _examine_widget(state: WidgetState) -> bool:
    """The same for one widget."""
    if len(state.id) > NAME_BYTES:
        raise Refused("a widget with a long name")
    match kind := state.WhichOneof("value"):
        case "string_value":
            text = state.string_value
            most = PLAYGROUND_LIMIT if state.id.rpartition(".")[2] in TEXT_BOXES else PASTE_LIMIT
            if len(text) > most:
                state.string_value = text[: most + 1]
                return True
        case "json_value":
            text = state.json_value
            if len(text) > JSON_BESIDES and (cut := cut_json(text)) != text:
                state.json_value = cut
                return True
        case "json_trigger_value" | "string_trigger_value":
            if state.ByteSize() > JSON_BESIDES:
                raise Refused(f"{kind} of {state.ByteSize()} bytes")
        case "file_uploader_state_value":
            if len(state.file_uploader_state_value.uploaded_file_info) > UPLOAD_ADDRESSES:
                raise Refused("a box with too many files")
        case _ if kind in REFUSED_VALUES:
            raise Refused(f"a widget's value of the kind {kind!r}")
    return False


def cut_json(text: str) -> str:
    """JSON with its strings cut to one character more than any page takes. Raises Refused.

    The rest, outside of strings, is limited: a megabyte of brackets becomes a hundred megabytes of lists.
    """
    parts: list[str] = []
    at = besides = 0
    for start, end in _strings(text):
        besides += start - at
        parts += (text[at:start], _cut_string(text[start:end]))
        at = end
        if len(parts) > 2 * JSON_STRINGS:
            raise Refused(f"JSON with more than {JSON_STRINGS} strings")
    if besides + len(text) - at > JSON_BESIDES:
        raise Refused("JSON with too much outside of its strings")
    return "".join((*parts, text[at:]))


def _strings(text: str) -> Iterator[tuple[int, int]]:
    """Where the strings in JSON are, quotes included."""
    at = text.find('"')
    while at >= 0:
        match = _STRING.match(text, at)
        if match is None:
            raise Refused("JSON with a string that doesn't end")
        yield match.span()
        at = text.find('"', match.end())


def _cut_string(token: str) -> str:
    """A string in JSON, cut if it is too long."""
    if len(token) <= PLAYGROUND_LIMIT:
        return token
    try:
        value = json.loads(token)
    except ValueError:
        raise Refused("JSON that can't be read") from None
    if len(value) <= PLAYGROUND_LIMIT:
        return token
    cut = json.dumps(value[: PLAYGROUND_LIMIT + 1], ensure_ascii=False)
    return cut.encode("utf-8", "replace").decode("utf-8")
