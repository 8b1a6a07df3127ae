"""Streamlit's private parts. Nothing else in the app touches what a new version may change without saying so.

The app needs all of it: without one of these names it doesn't start, and says so. What only makes Streamlit
faster or quieter is in `streamlit_tuning/`. `tests/app/test_streamlit_internals.py` has a test for each
promise, and for the names that style sheets and scripts know Streamlit's elements by (`data-testid`). The
module is on the ground floor because rooms from `components` upwards need it.
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
    from streamlit.runtime.state import SafeSessionState
    from streamlit.runtime.state.session_state import SessionState

    require(ScriptRunContext, "session_id", "session_state", "is_history_navigation")
    require(SafeSessionState, "_state")
    require(PagesManager, "uses_pages_directory")
    require(SessionState, "_new_widget_state")
    require(Runtime, "_session_mgr", "is_active_session", "close_session", "uploaded_file_mgr")
    require(MemoryUploadedFileManager, "remove_file")
except (ImportError, AttributeError) as changed:
    raise SystemExit(
        f"TokenSteps doesn't work with Streamlit {st.__version__} ({changed}): pip install 'streamlit>=1.66.1,<1.68'"
    ) from changed

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
"""Elements that pages are made of → the script of Streamlit's that draws it, which a browser otherwise asks
for when the first one comes."""
OTHER_FACE: Final = re.compile(r'<link\s+rel="preload"[^>]*\bas="font"[^>]*>\s*')
"""What has the browser load the face that Streamlit writes in, unless a theme names another: this one
does."""
IMPORTED: Final = re.compile(r'\b(?:from|import)"\./([\w.$-]+\.js)"')
"""A script that one of Streamlit's begins with."""
AT_HOME: Final = "page/at_home.html"
"""What tells Streamlit's scripts where the server is."""
METRICS: Final = "/_stcore/metrics"
"""Where the server tells how it is doing."""
UPLOADS: Final = "/_stcore/upload_file/"
"""Where files are sent: followed by the session and the file's name."""

_acting_for: Final[ContextVar[str]] = ContextVar("acting_for", default="")


def first_scripts() -> list[str]:
    """The scripts that every page loads."""
    return re.findall(r"static/js/([\w.$-]+\.js)", INDEX.read_text("utf-8"))


def scripts_for(elements: Iterable[str]) -> list[str]:
    """The scripts that draw these elements (keys of `DRAWS`), and all that they import, besides what every
    page loads. Their names hold digests; one that has another name in a new version is left out."""
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
    """The page that Streamlit serves at every address, with more at the end of its head and before all else
    in its body, and `first` before its scripts. It knows at once where the server is, and leaves the face to
    the theme."""
    page = OTHER_FACE.sub("", INDEX.read_text("utf-8"))
    page = page.replace("</title>", f"</title>\n{read_asset(AT_HOME)}{first}", 1)
    for position, more in (("</head>", head), ('<div id="root">', body)):
        page = page.replace(position, f"{more}\n{position}", 1)
    return page


def session_id() -> str:
    """The session that this run of the script belongs to, or that this thread is `acting_for`; "" outside of
    both."""
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
    """Whether the browser had a page before this session began: it says what its widgets hold, and no widget
    has been drawn yet."""
    return bool(_undrawn_widgets())


def text_in_browser(key: str) -> str | None:
    """What the browser has in the text box `key`, which this session hasn't drawn yet; None without such a
    box."""
    held = _undrawn_widgets()
    return next((value.string_value for name, value in held.items() if name.endswith(f"-{key}")), None)


def held_by_browser(key: str) -> object:
    """What the browser's component `key` has told, which this session hasn't drawn yet; None without such a
    component."""
    held = _undrawn_widgets()
    data = next((value.json_value for name, value in held.items() if name.endswith(f"-{key}")), "")
    try:
        return json.loads(data) if data else None
    except ValueError:
        return None


def _undrawn_widgets() -> dict[str, WidgetState]:
    """What the browser says its widgets hold, by Streamlit's own names, which end with the key; only those
    not drawn yet.

    `st.session_state` leaves them out. A widget that has been drawn has a value of the right type in place of
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
    kind, which knows no /bpe: the visitor would get “Page not found” on top of the page. `st.navigation`
    corrects that, but only after the first run.
    """
    PagesManager.uses_pages_directory = False


def end_session(session: str) -> bool:
    """End a session with all that it holds, unless it has a connection; whether it is over. Called where the
    event loop runs.

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
    """Take an uploaded file out of Streamlit's memory; all of the session's, from a store that can't do it
    one by one."""
    if not runtime.exists():
        return
    match runtime.get_instance().uploaded_file_mgr:
        case MemoryUploadedFileManager() as files:
            files.remove_file(session, file)
        case files:
            files.remove_session_files(session)


def session_of_message(data: bytes) -> str:
    """The session that a message to the browser names; "" if it isn't the one that begins a run."""
    message = ForwardMsg()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return ""
    return message.new_session.initialize.session_id if message.HasField("new_session") else ""


def claimed_session(scope: Mapping[str, Any]) -> str:
    """The session that a browser would like to have back: it says so in place of a third protocol for its
    WebSocket."""
    claimed = [*scope.get("subprotocols", ()), "", "", ""]
    return str(claimed[2])
