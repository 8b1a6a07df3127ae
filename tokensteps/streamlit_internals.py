"""Streamlit's private parts. Nothing else in the app touches what a new version may change without saying so.

Everything here was checked on Streamlit 1.67; `tests/app/test_streamlit_internals.py` has a test for each promise, and for the names
that style sheets and scripts know Streamlit's elements by (`data-testid`). The module is on the ground floor because rooms from
`components` upwards need it.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
from asyncio import base_events
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy, deepcopy
from functools import partial
from pathlib import Path
from typing import Any, Final

import streamlit as st
from google.protobuf.message import DecodeError
from streamlit import runtime
from streamlit.components.v2.bidi_component import main as bidi_component
from streamlit.cursor import Cursor, SparseList
from streamlit.delta_generator import DeltaGenerator
from streamlit.proto.BackMsg_pb2 import BackMsg as BackMsg  # "as": other modules import these from here
from streamlit.proto.ClientState_pb2 import ClientState as ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.proto.WidgetStates_pb2 import WidgetState as WidgetState
from streamlit.runtime import app_session, fragment
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner, ScriptRunnerEvent
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.runtime.session_manager import ActiveSessionInfo
from streamlit.runtime.state.common import WidgetValuePresenter, is_element_id
from streamlit.runtime.state.session_state import STREAMLIT_INTERNAL_KEY_PREFIX, SessionState
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from tokensteps.assets import read_asset

INDEX: Final = Path(st.__file__).parent / "static" / "index.html"
"""The one page that Streamlit serves, at every address."""
SCRIPTS: Final = INDEX.parent / "static" / "js"
"""Where all of its scripts are."""
DRAWS: Final[Mapping[str, str]] = {
    "component": "BidiComponent",
    "html": "Html",
    "choices": "ButtonGroup",
    "box": "Selectbox",
    "text": "TextInput",
    "number": "NumberInput",
    "link": "PageLink",
}
"""Elements that pages are made of → the script of Streamlit's that draws it, which a browser otherwise asks for when the first one comes."""
OTHER_FACE: Final = re.compile(r'<link\s+rel="preload"[^>]*\bas="font"[^>]*>\s*')
"""What has the browser load the face that Streamlit writes in, unless a theme names another: this one does."""
IMPORTED: Final = re.compile(r'\b(?:from|import)"\./([\w.$-]+\.js)"')
"""A script that one of Streamlit's begins with."""
AT_HOME: Final = "page/at_home.html"
"""What tells Streamlit's scripts where the server is."""
METRICS: Final = "/_stcore/metrics"
"""Where the server tells how it is doing."""
UPLOADS: Final = "/_stcore/upload_file/"
"""Where files are sent: followed by the session and the file's name."""

SENT_AT_ONCE: Final = 100
"""Messages to one browser. Streamlit lets 500 wait for it, and disconnects who has more."""
LAST_TOLD: Final = ScriptRunnerEvent.SHUTDOWN
"""What a script's thread tells before it ends: after all else, more is about to come."""
WRITTEN_AT_ONCE: Final = 64 * 1024
"""Bytes from which on what a WebSocket is to send doesn't wait for more."""

_all_in_sight: Final[Callable[[SessionState], dict[str, Any]]] = vars(SessionState)["filtered_state"].fget
_put_theme_together: Final = app_session._populate_theme_msg
_acting_for: Final[ContextVar[str]] = ContextVar("acting_for", default="")


def first_scripts() -> list[str]:
    """The scripts that every page loads."""
    return re.findall(r"static/js/([\w.$-]+\.js)", INDEX.read_text("utf-8"))


def scripts_for(elements: Iterable[str]) -> list[str]:
    """The scripts that draw these elements (keys of `DRAWS`), and all that they import, besides what every page loads. Their names
    hold digests; one that has another name in a new version is left out."""
    waiting = [path.name for element in elements for path in SCRIPTS.glob(f"{DRAWS[element]}.*.js")]
    loaded = set(first_scripts())
    found: dict[str, None] = {}
    while waiting:
        name = waiting.pop(0)
        if name not in loaded and name not in found:
            found[name] = None
            waiting += IMPORTED.findall((SCRIPTS / name).read_text("utf-8"))
    return [*found]


def first_page(head: str = "", body: str = "", first: str = "") -> str:
    """The page that Streamlit serves at every address, with more at the end of its head and before all else in its body, and `first`
    before its scripts. It knows at once where the server is, and leaves the face to the theme."""
    page = OTHER_FACE.sub("", INDEX.read_text("utf-8"))
    page = page.replace("</title>", f"</title>\n{read_asset(AT_HOME)}{first}", 1)
    for place, more in (("</head>", head), ('<div id="root">', body)):
        page = page.replace(place, f"{more}\n{place}", 1)
    return page


def session_id() -> str:
    """The session that this run of the script belongs to, or that this thread is `acting_for`; "" outside of both."""
    if acting := _acting_for.get():
        return acting
    context = get_script_run_ctx()
    return "" if context is None else context.session_id


@contextmanager
def acting_for(session: str) -> Iterator[None]:
    """Have this thread, which runs no script, work for a session."""
    token = _acting_for.set(session)
    try:
        yield
    finally:
        _acting_for.reset(token)


def is_history_navigation() -> bool:
    """Whether this run of the script comes from the browser's Back or Forward."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def page_outlived_session() -> bool:
    """Whether the browser had a page before this session began: it says what its widgets hold, and no widget has been drawn yet."""
    return bool(_undrawn_widgets())


def text_in_browser(key: str) -> str | None:
    """What the browser has in the text box `key`, which this session hasn't drawn yet; None without such a box."""
    held = _undrawn_widgets()
    return next((value.string_value for name, value in held.items() if name.endswith(f"-{key}")), None)


def held_by_browser(key: str) -> object:
    """What the browser's component `key` has told, which this session hasn't drawn yet; None without such a component."""
    held = _undrawn_widgets()
    told = next((value.json_value for name, value in held.items() if name.endswith(f"-{key}")), "")
    try:
        return json.loads(told) if told else None
    except ValueError:
        return None


def _undrawn_widgets() -> dict[str, WidgetState]:
    """What the browser says its widgets hold, by Streamlit's own names, which end with the key; only those not drawn yet.

    `st.session_state` leaves them out. A widget that has been drawn has a value of the right type in place of its message.
    """
    context = get_script_run_ctx()
    if context is None:
        return {}
    states: Mapping[str, Any] = context.session_state._state._new_widget_state.states
    return {name: state.value for name, state in states.items() if isinstance(state.value, WidgetState)}


def answer_deep_links() -> None:
    """Make a fresh server answer its first deep link correctly.

    Seeing a folder called pages/, Streamlit takes the first session of a new server for an app of the old kind, which
    knows no /bpe: the visitor would get “Page not found” on top of the page. `st.navigation` corrects that, but only
    after the first run.
    """
    PagesManager.uses_pages_directory = False


def read_theme_once() -> None:
    """Have Streamlit put the theme together once, not for each run of each visitor: half a millisecond of a click. The settings stay as they
    are while a server runs."""
    made: dict[str, CustomThemeConfig] = {}

    def fill(msg: CustomThemeConfig, section: str = "theme") -> None:
        if section not in made:
            made[section] = CustomThemeConfig()
            _put_theme_together(made[section], section)
        if made[section].ByteSize():
            msg.MergeFrom(made[section])

    app_session._populate_theme_msg = fill


class StateInSight(Mapping[str, Any]):
    """What session state shows, each value looked up when somebody asks for it.

    Streamlit puts all of it together for each widget on the page, which then asks for its own key.
    """

    def __init__(self, state: SessionState) -> None:
        self._state = state

    def __getitem__(self, key: str) -> Any:
        if is_element_id(key) or key.startswith(STREAMLIT_INTERNAL_KEY_PREFIX):
            raise KeyError(key)
        return self._state[key]

    def __iter__(self) -> Iterator[str]:
        return iter(_all_in_sight(self._state))

    def __len__(self) -> int:
        return len(_all_in_sight(self._state))

    def __repr__(self) -> str:
        return repr(_all_in_sight(self._state))


def _told_as_dict(
    events: str, _component: str | None = None, _names: set[str] | None = None
) -> WidgetValuePresenter:
    """What session state shows of a component: its values, and what it has just told under the widget `events`. A plain dict: Streamlit
    makes a new class for each, so that a page could write to it."""

    def present(values: Any, state: SessionState) -> Any:
        widgets = state._new_widget_state
        if not isinstance(values, dict) or events not in widgets.widget_metadata:
            return values
        told = [one for one in widgets.get(events) or () if isinstance(one, dict)]
        return {one["event"]: one.get("value") for one in told if isinstance(one.get("event"), str)} | values

    return present


def show_state_by_need() -> None:
    """Have session state looked up where it is asked for, and not all of it each time: a tenth of what a click costs the server."""
    SessionState.filtered_state = property(StateInSight)  # type: ignore[assignment]
    vars(bidi_component)["make_bidi_component_presenter"] = _told_as_dict


class Handover:
    """What a session's script has told since the event loop last looked: passed on together, in its order."""

    HELD: Final = 0.005
    """Seconds that a part may wait for what comes after it: a step takes about as long. It is also how long Streamlit rests between
    two looks at what is to be sent."""

    def __init__(self, call: Callable[[Callable[[], None]], None]) -> None:
        self._call = call
        """Has the event loop call something soon, from any thread."""
        self._told: deque[Callable[[], None]] = deque()
        self._called = self._held = False
        self._end: asyncio.TimerHandle | None = None
        """When the wait is over."""

    def add(self, handle: Callable[[], None], *, more: bool = False) -> None:
        """Have the event loop call `handle` soon; where `more` is about to come, together with that if it comes in time."""
        self._told.append(handle)
        if not more and not self._called:
            self._called = True
            self._call(self.pass_on)
        elif more and not self._held:
            self._held = True
            self._call(self._hold)

    def expect(self) -> None:
        """Wait a moment for what is about to come, so that nobody need call for it; only where the event loop runs."""
        if self._end is None:
            self._held = True
            self._end = asyncio.get_running_loop().call_later(self.HELD, self._pass_on_held)

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
        if self._end is not None:
            self._end.cancel()
            self._end = None
        try:
            while self._told:
                self._told.popleft()()
        finally:  # one that fails keeps nothing from the others
            if self._told:
                self._call(self.pass_on)


def tell_together() -> None:
    """Have what a script tells come to the event loop in few parts.

    Streamlit has it woken twice for each of some 25 messages in a click; each time, the script's thread and the loop's take turns, and
    then it looks at all sessions for something to send.
    """
    ask_for_run = AppSession.request_rerun

    def handover_of(session: AppSession) -> Handover:
        found: Handover | None = session.__dict__.get("_handover")
        if found is None:
            found = session.__dict__.setdefault("_handover", Handover(session._call_soon_on_event_loop))
        return found

    def tell(session: AppSession, sender: Any, event: ScriptRunnerEvent, **more: Any) -> None:
        handle = partial(session._handle_scriptrunner_event_on_event_loop, sender, event, **more)
        handover_of(session).add(handle, more=event is not LAST_TOLD)

    def ask(session: AppSession, client_state: ClientState | None) -> None:
        if asyncio._get_running_loop() is session._event_loop:
            handover = handover_of(session)
            # Else what a script has told that has just ended would come from one that is no longer the session's, and be dropped.
            handover.pass_on()
            handover.expect()
        ask_for_run(session, client_state)

    AppSession._on_scriptrunner_event = tell  # type: ignore[method-assign, assignment]
    AppSession.request_rerun = ask  # type: ignore[method-assign, assignment]
    if runtime.exists():
        server = runtime.get_instance()
        server._session_mgr._message_enqueued_callback = partial(wake, server)  # type: ignore[attr-defined]


def leave_other_pages_alone() -> None:
    """Have no fragment run for a page that the session no longer shows.

    Until a browser hears that its page was changed by the server, it asks for fragments of the old one. Streamlit runs them when the other
    page is there, and tells the browser that it is on the old one: which then has an empty page, or fails at a place that isn't there.
    """
    run = ScriptRunner._run_script

    def run_what_is_there(runner: ScriptRunner, asked: RerunData) -> None:
        there = runner._pages_manager.current_page_script_hash
        if not asked.fragment_id_queue or asked.page_script_hash in {"", there}:  # "" names none
            run(runner, asked)

    ScriptRunner._run_script = run_what_is_there  # type: ignore[method-assign, assignment]


def wake(server: Runtime) -> None:
    """Have the server look for something to send. Where the event loop runs, it need not be woken, as Streamlit does for each message."""
    state = server._get_async_objs()
    if asyncio._get_running_loop() is state.eventloop:
        state.need_send_data.set()
    else:
        state.eventloop.call_soon_threadsafe(state.need_send_data.set)


def send_together() -> None:
    """Have the messages of a session sent at once.

    Streamlit rests after each, for which the loop gives Python's one turn away. While pages are run in other threads, it can take 2 ms and
    more until it has the turn back, and a page has dozens of messages.
    """
    take, send = AppSession.flush_browser_queue, Runtime._send_message

    def take_parts(session: AppSession) -> list[list[ForwardMsg]]:
        messages = take(session)
        return [messages[start : start + SENT_AT_ONCE] for start in range(0, len(messages), SENT_AT_ONCE)]

    def send_part(server: Runtime, client: ActiveSessionInfo, messages: list[ForwardMsg]) -> None:
        for message in messages:
            send(server, client, message)

    AppSession.flush_browser_queue = take_parts  # type: ignore[method-assign, assignment]
    Runtime._send_message = send_part  # type: ignore[method-assign, assignment]


class WrittenTogether:
    """A connection on which all that is written before the event loop goes on leaves together."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._waiting: list[bytes] = []
        self._size = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send this, with what is written after it."""
        self._waiting.append(data)
        self._size += len(data)
        if self._size >= WRITTEN_AT_ONCE:
            self.flush()
        elif len(self._waiting) == 1:
            asyncio.get_running_loop().call_soon(self.flush)

    def flush(self) -> None:
        """Send what waits."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        if waiting:
            self._transport.write(b"".join(waiting))

    def close(self) -> None:
        """Send what waits, and close the connection."""
        self.flush()
        self._transport.close()


def write_together() -> None:
    """Have the messages of a click leave by one call of the system, not by one each: a tenth of what the click costs the server."""
    begin = WebSocketsSansIOProtocol.connection_made

    def connection_made(protocol: WebSocketsSansIOProtocol, transport: asyncio.BaseTransport) -> None:
        begin(protocol, transport)
        protocol.transport = WrittenTogether(protocol.transport)  # type: ignore[assignment]

    WebSocketsSansIOProtocol.connection_made = connection_made  # type: ignore[method-assign, assignment]


def copy_places_quickly() -> None:
    """Have a fragment remember and find its place in the page by copies of what a place is made of, and of nothing else.

    Streamlit copies by `copy.deepcopy`, which asks of every number and text whether it has met it before: a sixteenth of a click.
    """
    vars(fragment)["deepcopy"] = copied_places


def copied_places(places: Any) -> Any:
    """What `copy.deepcopy` makes of a stack of containers, or of the cursors by root container."""
    match places:
        case dict():
            return {root: _copied_cursor(cursor) for root, cursor in places.items()}
        case tuple():
            return tuple(_copied_container(container) for container in places)
    return deepcopy(places)


def _copied_container(container: DeltaGenerator) -> DeltaGenerator:
    if type(container) is not DeltaGenerator:
        return deepcopy(container)
    parent, cursor = container._parent, container._cursor
    copied = DeltaGenerator(
        container._root_container,
        cursor and _copied_cursor(cursor),
        parent and _copied_container(parent),
        container._block_type,
    )
    copied._form_data, copied._creating_fragment_id = container._form_data, container._creating_fragment_id
    return copied


def _copied_cursor(cursor: Cursor) -> Cursor:
    """Its parts are numbers, a tuple of numbers, and what is shown there only for a moment, nearly always nothing."""
    if len(cursor.transient_elements):
        return deepcopy(cursor)
    copied = copy(cursor)
    copied._transient_elements = SparseList()
    return copied


def send_at_once() -> None:
    """Have each part of an answer leave at once, as asyncio does on connections that it knows to be of TCP.

    Streamlit makes its socket without naming the protocol, so asyncio knows it of none: a small part that followed another waited until
    the browser had confirmed that one, which takes 40 ms.
    """

    def set_no_delay(connection: socket.socket) -> None:
        if connection.family in (socket.AF_INET, socket.AF_INET6) and connection.type == socket.SOCK_STREAM:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    base_events._set_nodelay = set_no_delay  # type: ignore[attr-defined]


def end_session(session: str) -> bool:
    """End a session with all that it holds, unless it has a connection; whether it is over. Called where the event loop runs.

    Streamlit keeps one that has lost its connection for two minutes, and after that until it needs the place.
    """
    if not runtime.exists():
        return True
    server = runtime.get_instance()
    if server.is_active_session(session):
        return False
    server.close_session(session)
    server.uploaded_file_mgr.remove_session_files(session)
    return True


def sessions_without_connection() -> set[str]:
    """The sessions that Streamlit keeps for browsers that have gone."""
    if not runtime.exists():
        return set()
    manager = runtime.get_instance()._session_mgr
    connected = {one.session.id for one in manager.list_active_sessions()}
    return {one.session.id for one in manager.list_sessions()} - connected


def remove_upload(session: str, file: str) -> None:
    """Take an uploaded file out of Streamlit's memory; all of the session's, from a store that can't do it one by one."""
    if not runtime.exists():
        return
    match runtime.get_instance().uploaded_file_mgr:
        case MemoryUploadedFileManager() as files:
            files.remove_file(session, file)
        case files:
            files.remove_session_files(session)


def told_session(data: bytes) -> str:
    """The session that a message to the browser names; "" if it isn't the one that begins a run."""
    message = ForwardMsg()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return ""
    return message.new_session.initialize.session_id if message.HasField("new_session") else ""


def claimed_session(scope: Mapping[str, Any]) -> str:
    """The session that a browser would like to have back: it says so in place of a third protocol for its WebSocket."""
    claimed = [*scope.get("subprotocols", ()), "", "", ""]
    return str(claimed[2])
