"""Streamlit's private parts. No other module of the app uses names that a new version may change without
notice.

The app needs all of it: without one of these names it refuses to start, with a message. Patches for a faster
or quieter Streamlit are in `streamlit_tuning/`. `tests/app/test_streamlit_internals.py` has a test for each
promise, and for the names of Streamlit's elements in style sheets and scripts (`data-testid`). The module is
on the ground floor because rooms from `components` upwards need it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

import streamlit as st
from google.protobuf.message import DecodeError

from tokensteps.assets import read_asset
from tokensteps.streamlit_tuning.checks import require

try:
    from streamlit import runtime
    from streamlit.proto.BackMsg_pb2 import BackMsg as BackMsg  # "as": other modules import these from here
    from streamlit.proto.ClientState_pb2 import ClientState as ClientState
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
    from streamlit.proto.WidgetStates_pb2 import WidgetState as WidgetState
    from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
    from streamlit.runtime.pages_manager import PagesManager
    from streamlit.runtime.runtime import Runtime
    from streamlit.runtime.scriptrunner import get_script_run_ctx
    from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
    from streamlit.runtime.session_manager import SessionManager
    from streamlit.runtime.state import SafeSessionState
    from streamlit.runtime.state.session_state import SessionState

    require(ScriptRunContext, "session_id", "session_state", "is_history_navigation")
    require(SafeSessionState, "_state")
    require(PagesManager, "uses_pages_directory")
    require(SessionState, "_new_widget_state")
    require(Runtime, "_session_mgr", "is_active_session", "close_session", "uploaded_file_mgr")
    require(MemoryUploadedFileManager, "remove_file")
    require(SessionManager, "list_sessions", "list_active_sessions")
except (ImportError, AttributeError) as changed:
    raise SystemExit(
        f"TokenSteps doesn't work with Streamlit {st.__version__} ({changed}): pip install 'streamlit>=1.66.1,<1.68'"
    ) from changed

INDEX: Final = Path(st.__file__).parent / "static" / "index.html"
"""Streamlit's only page, served at every address."""
SCRIPTS: Final = INDEX.parent / "static" / "js"
"""The folder of all of its scripts."""
DRAWS: Final[Mapping[str, str]] = {
    "component": "BidiComponent",
    "html": "Html",
    "choices": "ButtonGroup",
    "box": "Selectbox",
    "text": "TextInput",
    "number": "NumberInput",
    "link": "PageLink",
}
"""Element of a page → its script in Streamlit; otherwise a browser asks for the script at the first such
element."""
OTHER_FACE: Final = re.compile(r'<link\s+rel="preload"[^>]*\bas="font"[^>]*>\s*')
"""The tag for preloading Streamlit's own face, useless here: our theme names another one."""
IMPORTED: Final = re.compile(r'\b(?:from|import)"\./([\w.$-]+\.js)"')
"""An import at the beginning of one of Streamlit's scripts."""
AT_HOME: Final = "page/at_home.html"
"""The tag with the server's address for Streamlit's scripts."""
METRICS: Final = "/_stcore/metrics"
"""The address of the server's metrics."""
UPLOADS: Final = "/_stcore/upload_file/"
"""The address of uploads: followed by the session and the file's name."""

_acting_for: Final[ContextVar[str]] = ContextVar("acting_for", default="")


def first_scripts() -> list[str]:
    """The scripts of every page."""
    return re.findall(r"static/js/([\w.$-]+\.js)", INDEX.read_text("utf-8"))


def scripts_for(elements: Iterable[str]) -> list[str]:
    """The scripts for drawing these elements (keys of `DRAWS`), and all of their imports, except those of
    every page. Their names hold digests; a script with another name in a new version is left out."""
    waiting = [path.name for element in elements for path in SCRIPTS.glob(f"{DRAWS[element]}.*.js")]
    loaded = set(first_scripts())
    results: dict[str, None] = {}
    while waiting:
        name = waiting.pop(0)
        if name not in loaded and name not in results:
            results[name] = None
            waiting += IMPORTED.findall((SCRIPTS / name).read_text("utf-8"))
    return [*results]


def first_page(head: str = "", body: str = "", first: str = "") -> str:
    """Streamlit's page for every address, with more at the end of its head and at the start of its body, and
    `first` before its scripts. It knows at once where the server is, and leaves the face to the theme."""
    page = OTHER_FACE.sub("", INDEX.read_text("utf-8"))
    page = page.replace("</title>", f"</title>\n{read_asset(AT_HOME)}{first}", 1)
    for position, more in (("</head>", head), ('<div id="root">', body)):
        page = page.replace(position, f"{more}\n{position}", 1)
    return page


def session_id() -> str:
    """The session of this run of the script, or the one this thread is `acting_for`; "" outside of both."""
    if acting := _acting_for.get():
        return acting
    context = get_script_run_ctx()
    return "" if context is None else context.session_id


@contextmanager
def acting_for(session: str) -> Iterator[None]:
    """Have this thread, without a run of the script, work for a session."""
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
    """Whether the browser had a page before this session began: its message has values of widgets, and no
    widget has been drawn yet."""
    return bool(_undrawn_widgets())


def text_in_browser(key: str) -> str | None:
    """The browser's text in the box `key`, not yet drawn by this session; None without such a box."""
    held = _undrawn_widgets()
    return next((value.string_value for name, value in held.items() if name.endswith(f"-{key}")), None)


def held_by_browser(key: str) -> object:
    """The value of the browser's component `key`, not yet drawn by this session; None without such a
    component."""
    held = _undrawn_widgets()
    data = next((value.json_value for name, value in held.items() if name.endswith(f"-{key}")), "")
    try:
        return json.loads(data) if data else None
    except ValueError:
        return None


def _undrawn_widgets() -> dict[str, WidgetState]:
    """The browser's values of widgets not drawn yet, by Streamlit's own names, with the key at the end.

    `st.session_state` leaves them out. After its drawing, a widget has a value of the right type in place of
    its message.
    """
    context = get_script_run_ctx()
    if context is None:
        return {}
    states: Mapping[str, Any] = context.session_state._state._new_widget_state.states
    return {name: state.value for name, state in states.items() if isinstance(state.value, WidgetState)}


def answer_deep_links() -> None:
    """Make a fresh server answer its first deep link correctly.

    Seeing a folder called pages/, Streamlit takes the first session of a new server for an app of the old
    kind, without a /bpe: the visitor would get “Page not found” on top of the page. `st.navigation` corrects
    that, but only after the first run.
    """
    PagesManager.uses_pages_directory = False


def end_session(session: str) -> bool:
    """End a session and free its data, unless it has a connection; whether it is over. Called on the event
    loop.

    Streamlit keeps a disconnected session for two minutes, or `server.disconnectedSessionTTL`. Afterwards it
    forgets the session, without ending it: its uploads would stay in memory.
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
    """Streamlit's sessions of disconnected browsers."""
    if not runtime.exists():
        return set()
    manager = runtime.get_instance()._session_mgr
    connected = {one.session.id for one in manager.list_active_sessions()}
    return {one.session.id for one in manager.list_sessions()} - connected


def remove_upload(session: str, file: str) -> None:
    """Take an uploaded file out of Streamlit's memory; all of the session's, if the store can't remove single
    ones."""
    if not runtime.exists():
        return
    match runtime.get_instance().uploaded_file_mgr:
        case MemoryUploadedFileManager() as files:
            files.remove_file(session, file)
        case files:
            files.remove_session_files(session)


def session_of_message(data: bytes) -> str:
    """The session in a message to the browser; "" unless the message begins a run."""
    message = ForwardMsg()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return ""
    return message.new_session.initialize.session_id if message.HasField("new_session") else ""


def claimed_session(scope: Mapping[str, Any]) -> str:
    """The session wanted back by a browser: it is in place of a third protocol for its WebSocket."""
    claimed = [*scope.get("subprotocols", ()), "", "", ""]
    return str(claimed[2])
