"""The app's assumptions about Streamlit without a promise: `tokensteps/streamlit_internals.py`, and the
elements' names in style sheets and scripts. A failure here after an upgrade names the part to look at.

Oracle: the installed Streamlit itself, its classes, routes and scripts.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from starlette.datastructures import Headers
from streamlit import runtime
from streamlit.elements.lib.utils import compute_and_register_element_id
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.runtime import RuntimeConfig
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.session_manager import ActiveSessionInfo, SessionInfo
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.testing.v1 import AppTest
from streamlit.web.server.starlette import starlette_routes, starlette_websocket

from tokensteps import streamlit_internals
from tokensteps.streamlit_internals import (
    INDEX,
    METRICS,
    UPLOADS,
    answer_deep_links,
    claimed_session,
    end_session,
    held_by_browser,
    is_history_navigation,
    page_outlived_session,
    remove_upload,
    session_id,
    session_of_message,
    sessions_without_connection,
    text_in_browser,
)

ROOT = Path(__file__).parents[2]
SOURCES = [
    *(ROOT / "assets").rglob("*.css"),
    *(ROOT / "assets").rglob("*.js"),
    *(ROOT / "tokensteps").rglob("*.py"),
]
SCRIPTS = [*(INDEX.parent / "static" / "js").glob("*.js")]
TEST_ID = re.compile(r"""data-testid[\^$*|~]?=["']?([A-Za-z]\w*)""")


def test_this_is_the_tested_version() -> None:
    wanted = re.search(
        r"^streamlit>=([\d.]+),<([\d.]+)", (ROOT / "requirements.txt").read_text("utf-8"), re.MULTILINE
    )
    assert wanted is not None
    assert wanted.groups() == ("1.66.1", "2")
    assert st.__version__.split(".")[:2] in (["1", "66"], ["1", "67"]), "tried on these alone"


def in_session(monkeypatch: pytest.MonkeyPatch, *widgets: WidgetState, back: bool = False) -> None:
    """A run of the script in a session, with its widgets' values from the browser."""
    state = SessionState()
    state.set_widgets_from_proto(WidgetStates(widgets=widgets))
    context = SimpleNamespace(
        session_id="mine",
        is_history_navigation=back,
        session_state=SafeSessionState(state, lambda: None),
    )
    monkeypatch.setattr(streamlit_internals, "get_script_run_ctx", lambda: context)


def test_outside_of_a_session_there_is_nothing() -> None:
    assert session_id() == ""
    assert not is_history_navigation()
    assert not page_outlived_session()
    assert text_in_browser("bpe.paste_text") is None


def test_text_in_a_browser_that_outlived_its_session(monkeypatch: pytest.MonkeyPatch) -> None:
    name = compute_and_register_element_id(
        "text_area", user_key="bpe.paste_text", dg=None, key_as_main_identity=False
    )
    in_session(monkeypatch, WidgetState(id=name, string_value="hug pug"))
    assert page_outlived_session()
    assert text_in_browser("bpe.paste_text") == "hug pug"
    assert text_in_browser("bpe.counts_text") is None


def test_component_messages_to_an_ended_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Anybody can send anything in its place."""
    name = compute_and_register_element_id(
        "bidi_component", user_key="bar.bpe.tab", dg=None, key_as_main_identity=True
    )
    for text, held in (('{"open": ["Ties", 2]}', {"open": ["Ties", 2]}), ("{", None), ("", None)):
        in_session(monkeypatch, WidgetState(id=name, json_value=text))
        assert held_by_browser("bar.bpe.tab") == held
    assert held_by_browser("bar.wordpiece.tab") is None


def test_a_session_of_its_own_holds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    in_session(monkeypatch)
    assert not page_outlived_session()
    assert session_id() == "mine"


def test_a_box_that_has_been_drawn_is_session_states() -> None:
    """Streamlit puts a value in place of the browser's message: then session state has it."""

    def page() -> None:
        import streamlit as st

        from tokensteps.streamlit_internals import page_outlived_session, session_id, text_in_browser

        st.session_state["before"] = (page_outlived_session(), text_in_browser("box"))
        st.text_input("Text", key="box")
        st.session_state["after"] = (page_outlived_session(), text_in_browser("box"))
        st.session_state["session"] = session_id()

    app = AppTest.from_function(page).run()
    assert app.session_state["session"]
    app.text_input(key="box").set_value("hug").run()
    assert app.session_state["after"] == (False, None)
    assert app.session_state["box"] == "hug"


@pytest.mark.parametrize("back", [False, True])
def test_back_and_forward_are_distinguished_from_other_runs(
    monkeypatch: pytest.MonkeyPatch, back: bool
) -> None:
    in_session(monkeypatch, back=back)
    assert is_history_navigation() is back
    # Streamlit's own context is given it by the browser's message.
    assert "is_history_navigation" in ScriptRunContext.__dataclass_fields__
    assert "is_history_navigation" in ClientState.DESCRIPTOR.fields_by_name


def test_pages_folder_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)
    PagesManager(str(ROOT / "app.py"))
    assert PagesManager.uses_pages_directory is True, (
        "Streamlit no longer mistakes pages/: drop answer_deep_links"
    )
    answer_deep_links()
    PagesManager(str(ROOT / "app.py"))
    assert PagesManager.uses_pages_directory is False


def test_a_session_without_a_connection_ends_with_its_files(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryUploadedFileManager("/_stcore/upload_file")
    for session, name in (("mine", "a"), ("mine", "b"), ("yours", "c")):
        store.add_file(session, UploadedFileRec(name, name, "text/plain", b"hug"))
    closed: list[str] = []
    server = SimpleNamespace(
        uploaded_file_mgr=store,
        is_active_session="yours".__eq__,
        close_session=closed.append,
    )
    assert end_session("mine"), "there is no server yet, and no session"
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: server)
    remove_upload("mine", "a")
    assert store.get_files("mine", ["a", "b"])[0].file_id == "b"
    assert end_session("mine")
    assert not end_session("yours")
    assert closed == ["mine"]
    assert store.get_files("mine", ["b"]) == []
    assert store.get_files("yours", ["c"]) != []


def test_streamlit_lists_sessions_without_a_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Oracle: Streamlit's own manager and storage."""
    assert sessions_without_connection() == set(), "there is no server yet"
    storage: Any = MemorySessionStorage()
    manager: Any = WebsocketSessionManager(
        storage, MemoryUploadedFileManager(""), ScriptCache(), message_enqueued_callback=None
    )
    mine, yours = SimpleNamespace(id="mine"), SimpleNamespace(id="yours")
    storage.save(SessionInfo(client=None, session=mine))  # type: ignore[arg-type]
    manager._active_session_info_by_id["yours"] = ActiveSessionInfo(client=None, session=yours)  # type: ignore[arg-type]
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: SimpleNamespace(_session_mgr=manager))
    assert sessions_without_connection() == {"mine"}
    assert "self._session_mgr = config.session_manager_class(" in inspect.getsource(runtime.Runtime.__init__)


def test_streamlit_ends_sessions_by_these_names() -> None:
    for name in ("is_active_session", "close_session", "uploaded_file_mgr"):
        assert hasattr(runtime.Runtime, name)
    for name in ("remove_session_files", "remove_file"):
        assert hasattr(MemoryUploadedFileManager, name)


def test_the_first_message_of_a_run_names_the_session() -> None:
    message = ForwardMsg()
    message.new_session.initialize.session_id = "mine"
    assert session_of_message(message.SerializeToString()) == "mine"
    assert session_of_message(ForwardMsg(script_finished=0).SerializeToString()) == ""
    assert session_of_message(b"\xff") == ""


def test_a_browser_asks_for_its_session_in_place_of_a_protocol() -> None:
    """Oracle: Streamlit's own reading of the header."""
    for value in ("streamlit, xsrf, old", "streamlit, xsrf", "streamlit", ""):
        there = starlette_websocket._parse_subprotocols(Headers({"sec-websocket-protocol": value}))[2] or ""
        assert claimed_session({"subprotocols": [part.strip() for part in value.split(",")]}) == there
    assert claimed_session({}) == ""


def test_streamlit_keeps_uploads_in_memory() -> None:
    fields = RuntimeConfig.__dataclass_fields__
    assert "uploaded_file_manager" in fields
    assert "MemoryUploadedFileManager" in Path(runtime.__file__).parents[1].joinpath(
        "web", "server", "starlette", "starlette_app.py"
    ).read_text("utf-8")


def test_paths_are_streamlits() -> None:
    assert f"/{starlette_routes.ROUTE_METRICS}" == METRICS
    assert f"/{starlette_routes.BASE_ROUTE_UPLOAD_FILE}/" == UPLOADS
    assert INDEX.read_text("utf-8").startswith("<!")


def test_elements_have_the_names_that_styles_and_scripts_use() -> None:
    names = {name for source in SOURCES for name in TEST_ID.findall(source.read_text("utf-8"))}
    assert len(names) > 40
    shown = "\n".join(script.read_text("utf-8") for script in SCRIPTS)
    assert {name for name in names if name.split("-")[0] not in shown} == set()
