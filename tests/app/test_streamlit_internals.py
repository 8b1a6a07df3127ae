"""What the app takes for granted of Streamlit without its promising so: `tokensteps/streamlit_internals.py`, and the elements' names
in style sheets and scripts. A test that fails here after an upgrade says which part to look at.

Oracle: the installed Streamlit itself, its classes, routes and scripts.
"""

from __future__ import annotations

import asyncio
import inspect
import re
import socket
from asyncio import base_events
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
import uvicorn
import websockets
from starlette.datastructures import Headers
from streamlit import runtime
from streamlit.components.v2.bidi_component import main as bidi_component
from streamlit.cursor import Cursor, SparseList
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.lib.utils import compute_and_register_element_id
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import app_session, fragment
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.runtime import Runtime, RuntimeConfig
from streamlit.runtime.script_data import ScriptData
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner, ScriptRunnerEvent
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.session_manager import ActiveSessionInfo, SessionInfo
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import WStates
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.testing.v1 import AppTest
from streamlit.web.server.starlette import starlette_routes, starlette_server, starlette_websocket
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from tests.loops import finished
from tokensteps import streamlit_internals
from tokensteps.streamlit_internals import (
    INDEX,
    LAST_TOLD,
    METRICS,
    SENT_AT_ONCE,
    UPLOADS,
    WRITTEN_AT_ONCE,
    Handover,
    StateInSight,
    WrittenTogether,
    answer_deep_links,
    claimed_session,
    copied_places,
    copy_places_quickly,
    end_session,
    held_by_browser,
    is_history_navigation,
    leave_other_pages_alone,
    page_outlived_session,
    read_theme_once,
    remove_upload,
    send_at_once,
    send_together,
    session_id,
    sessions_without_connection,
    show_state_by_need,
    tell_together,
    text_in_browser,
    told_session,
    wake,
    write_together,
)

ROOT = Path(__file__).parents[2]
SOURCES = [
    *(ROOT / "assets").rglob("*.css"),
    *(ROOT / "assets").rglob("*.js"),
    *(ROOT / "tokensteps").rglob("*.py"),
]
SCRIPTS = [*(INDEX.parent / "static" / "js").glob("*.js")]
TEST_ID = re.compile(r"""data-testid[\^$*|~]?=["']?([A-Za-z]\w*)""")


def test_this_is_the_version_that_was_tried() -> None:
    wanted = re.search(
        r"^streamlit>=([\d.]+),<([\d.]+)", (ROOT / "requirements.txt").read_text("utf-8"), re.MULTILINE
    )
    assert wanted is not None
    assert wanted.groups() == ("1.66.1", "2")
    assert st.__version__.split(".")[:2] in (["1", "66"], ["1", "67"]), "tried on these alone"


def in_session(monkeypatch: pytest.MonkeyPatch, *widgets: WidgetState, back: bool = False) -> None:
    """A run of the script in a session whose browser says what its widgets hold."""
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


def test_what_a_component_told_a_session_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Anybody can send anything in its place."""
    name = compute_and_register_element_id(
        "bidi_component", user_key="bar.bpe.tab", dg=None, key_as_main_identity=True
    )
    for told, held in (('{"open": ["Ties", 2]}', {"open": ["Ties", 2]}), ("{", None), ("", None)):
        in_session(monkeypatch, WidgetState(id=name, json_value=told))
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
def test_back_and_forward_are_told_from_other_runs(monkeypatch: pytest.MonkeyPatch, back: bool) -> None:
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


def test_streamlit_tells_which_sessions_have_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert told_session(message.SerializeToString()) == "mine"
    assert told_session(ForwardMsg(script_finished=0).SerializeToString()) == ""
    assert told_session(b"\xff") == ""


def test_a_browser_asks_for_its_session_in_place_of_a_protocol() -> None:
    """Oracle: Streamlit's own reading of the header."""
    for given in ("streamlit, xsrf, old", "streamlit, xsrf", "streamlit", ""):
        there = starlette_websocket._parse_subprotocols(Headers({"sec-websocket-protocol": given}))[2] or ""
        assert claimed_session({"subprotocols": [part.strip() for part in given.split(",")]}) == there
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


def test_the_theme_is_put_together_once_and_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Oracle: Streamlit's own function, for each of the parts that it fills, in its order."""
    sections = [
        "theme",
        "theme.light",
        "theme.dark",
        "theme.sidebar",
        "theme.light.sidebar",
        "theme.dark.sidebar",
    ]
    asked: list[str] = []
    put_together = app_session._populate_theme_msg

    def counted(theme: CustomThemeConfig, section: str) -> None:
        asked.append(section)
        put_together(theme, section)

    def whole() -> CustomThemeConfig:
        theme = CustomThemeConfig()
        for section in sections:
            part = theme
            for name in section.split(".")[1:]:
                part = getattr(part, name)
            app_session._populate_theme_msg(part, section)
        return theme

    before = whole()
    assert before.font_faces
    assert before.dark.ByteSize()
    monkeypatch.setattr(streamlit_internals, "_put_theme_together", counted)
    monkeypatch.setattr(app_session, "_populate_theme_msg", None)
    read_theme_once()
    assert (whole(), whole()) == (before, before)
    assert whole().SerializeToString(deterministic=True) == before.SerializeToString(deterministic=True)
    assert asked == sections


def test_session_state_looked_up_by_need_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Oracle: what Streamlit puts together itself, over a box, a component that has told something, and plain values."""

    def page() -> None:
        import streamlit as st

        st.session_state.setdefault("plain", 3)
        st.text_input("Text", key="box")
        st.selectbox("Nothing", ["a"], key="choice")
        st.text_input("Without a key")

    def shown(state: SessionState) -> list[Any]:
        view: Any = state.filtered_state
        return [
            {**view},
            len(view),
            sorted(view),
            repr(view),
            "box" in view,
            "none" in view,
            "$$INTERNAL" in view,
        ]

    app = AppTest.from_function(page).run()
    app.text_input(key="box").set_value("hug").run()
    state = app.session_state._state._state
    before = shown(state)
    assert before[0] == {"plain": 3, "box": "hug", "choice": "a"}
    monkeypatch.setattr(SessionState, "filtered_state", SessionState.filtered_state)
    presenter = bidi_component.make_bidi_component_presenter
    monkeypatch.setattr(bidi_component, "make_bidi_component_presenter", presenter)
    show_state_by_need()
    assert isinstance(state.filtered_state, StateInSight) and shown(state) == before
    made = bidi_component.make_bidi_component_presenter
    assert made is not presenter
    for told in ([{"event": "file", "value": "csv"}, {"event": 3}, "?"], [], None):
        held = WStates()
        held.set_widget_metadata(metadata_of("events", "json_trigger_value"))
        held.set_from_value("events", told)
        state = SessionState(_new_widget_state=held)
        for values in ({"asked": ["th", 1]}, {"file": None}, None, ["?"]):
            assert made("events")(values, state) == presenter("events")(values, state)
            assert made("unknown")(values, state) == presenter("unknown")(values, state)


def metadata_of(name: str, kind: Any) -> WidgetMetadata[Any]:
    return WidgetMetadata(
        id=name, deserializer=lambda value: value, serializer=lambda value: value, value_type=kind
    )


def test_what_a_script_tells_is_passed_on_in_its_order_and_at_once() -> None:
    calls: list[Callable[[], None]] = []
    heard: list[object] = []
    handover = Handover(calls.append)

    def fails() -> None:
        raise ValueError("what one part says of itself")

    for part in (1, 2):
        handover.add(lambda part=part: heard.append(part))  # type: ignore[misc]
    handover.add(fails)
    handover.add(lambda: handover.add(lambda: heard.append("later")))
    assert (len(calls), heard) == (1, [])
    with pytest.raises(ValueError, match="what one part says"):
        calls.pop(0)()
    assert (len(calls), heard) == (1, [1, 2])
    while calls:
        calls.pop(0)()
    assert heard == [1, 2, "later"]
    handover.add(lambda: heard.append("again"))
    calls.pop()()
    assert heard[-1] == "again"


def test_a_session_hears_its_script_through_the_handover(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many messages, one wake-up; and whoever sends them on is told within the loop, without a second one."""
    monkeypatch.setattr(AppSession, "_on_scriptrunner_event", AppSession._on_scriptrunner_event)
    monkeypatch.setattr(AppSession, "request_rerun", AppSession.request_rerun)
    tell_together()
    heard: list[tuple[object, ...]] = []
    wakes: list[Callable[[], None]] = []
    session: Any = SimpleNamespace(
        _call_soon_on_event_loop=wakes.append,
        _handle_scriptrunner_event_on_event_loop=lambda *event, **more: heard.append((*event, more)),
    )
    messages = [ForwardMsg(hash=str(number)) for number in range(3)]
    for message in messages:
        AppSession._on_scriptrunner_event(
            session, None, ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, forward_msg=message
        )
    assert len(wakes) == 1, "more is about to come"
    told = [(None, ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, {"forward_msg": message}) for message in messages]

    async def held() -> None:
        wakes.pop()()
        assert heard == []
        while session._handover._end is not None:
            await asyncio.sleep(Handover.HELD)

    finished(held())
    assert heard == told
    heard.clear()
    AppSession._on_scriptrunner_event(
        session, None, ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, forward_msg=messages[0]
    )
    AppSession._on_scriptrunner_event(session, None, ScriptRunnerEvent.SHUTDOWN, client_state=None)
    assert len(wakes) == 2
    wakes[1]()
    assert heard == [told[0], (None, ScriptRunnerEvent.SHUTDOWN, {"client_state": None})], "at once"

    async def within_and_outside() -> tuple[bool, bool]:
        state = SimpleNamespace(eventloop=asyncio.get_running_loop(), need_send_data=asyncio.Event())
        server: Any = SimpleNamespace(_get_async_objs=lambda: state)
        wake(server)
        within = state.need_send_data.is_set()
        state.need_send_data.clear()
        await asyncio.to_thread(wake, server)
        await asyncio.wait_for(state.need_send_data.wait(), 5)
        return within, state.need_send_data.is_set()

    assert finished(within_and_outside()) == (True, True)


def test_a_sessions_messages_are_sent_without_a_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Oracle: Streamlit's own loop, which rests after each of what it takes for a message; a hundred at most without one."""
    monkeypatch.setattr(AppSession, "flush_browser_queue", AppSession.flush_browser_queue)
    monkeypatch.setattr(Runtime, "_send_message", Runtime._send_message)
    send_together()
    looked = inspect.getsource(Runtime._loop_coroutine)
    for line in ("session.flush_browser_queue()", "self._send_message(active_session_info, msg)"):
        assert looked.count(line) == 1
    assert 2 * SENT_AT_ONCE < starlette_websocket.WEBSOCKET_MAX_SEND_QUEUE_SIZE
    queue = ForwardMsgQueue()
    messages = [ForwardMsg(script_finished=0, hash=str(number)) for number in range(SENT_AT_ONCE + 1)]
    for message in messages:
        queue.enqueue(message)
    session: Any = SimpleNamespace(_browser_queue=queue)
    heard: list[ForwardMsg] = []
    client: Any = SimpleNamespace(client=SimpleNamespace(write_forward_msg=heard.append), script_run_count=0)
    parts: list[Any] = AppSession.flush_browser_queue(session)
    assert [len(part) for part in parts] == [SENT_AT_ONCE, 1]
    for part in parts:
        Runtime._send_message(SimpleNamespace(), client, part)  # type: ignore[arg-type]
    assert heard == messages and client.script_run_count == len(messages)
    assert AppSession.flush_browser_queue(session) == []


def test_a_session_wakes_the_server_that_was_there_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit's server hands its function to the sessions' manager when it is made, so a new one on its class would reach no session."""

    def streamlits_own() -> None:
        raise AssertionError("which wakes the loop for each message")

    manager = WebsocketSessionManager(
        MemorySessionStorage(), MemoryUploadedFileManager("/upload"), ScriptCache(), streamlits_own
    )
    asked: list[object] = []
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: SimpleNamespace(_session_mgr=manager))
    monkeypatch.setattr(streamlit_internals, "wake", asked.append)
    monkeypatch.setattr(AppSession, "_on_scriptrunner_event", AppSession._on_scriptrunner_event)
    monkeypatch.setattr(AppSession, "request_rerun", AppSession.request_rerun)
    assert '"message_enqueued_callback": self._enqueued_some_message' in inspect.getsource(Runtime.__init__)
    assert inspect.getsource(Runtime.__init__).count("self._session_mgr = ") == 1
    tell_together()

    async def told() -> None:
        client: Any = SimpleNamespace()
        identifier = manager.connect_session(client, ScriptData(str(ROOT / "app.py"), False), {})
        found = manager.get_session_info(identifier)
        assert found is not None
        found.session._enqueue_forward_msg(ForwardMsg(script_finished=0))

    finished(told())
    assert len(asked) == 1


def test_a_scripts_thread_tells_one_thing_last() -> None:
    """All that is told before waits for more: nothing of Streamlit's may come after it, nor be forgotten. Oracle: Streamlit's source."""
    thread = inspect.getsource(ScriptRunner._run_script_thread)
    assert thread.count("on_event.send(") == 1
    assert thread.index("self._run_script(") < thread.index("ScriptRunnerEvent.SHUTDOWN")
    assert LAST_TOLD is ScriptRunnerEvent.SHUTDOWN


def test_nobody_is_called_for_what_is_expected() -> None:
    """A run that was asked for where the loop runs tells without calling, however long it takes; a quiet one leaves no wait behind."""
    heard: list[int] = []
    calls: list[Callable[[], None]] = []

    async def tell() -> None:
        handover = Handover(calls.append)
        handover.expect()
        for number in (1, 2):
            handover.add(lambda number=number: heard.append(number), more=True)  # type: ignore[misc]
            assert len(heard) < number
            while len(heard) < number:
                await asyncio.sleep(Handover.HELD)
        assert calls == [], "the first wait led to the next"
        while handover._end is not None:
            await asyncio.sleep(Handover.HELD)
        handover.add(lambda: heard.append(3), more=True)
        assert len(calls) == 1, "nothing was expected any more"
        calls.pop()()
        handover.add(lambda: heard.append(4))
        calls.pop()()
        assert heard == [1, 2, 3, 4] and handover._end is None

    finished(tell())


def test_what_is_held_is_passed_on_once_and_the_wait_ends_with_it() -> None:
    heard: list[int] = []

    async def tell() -> None:
        loop = asyncio.get_running_loop()
        handover = Handover(loop.call_soon)
        handover.add(lambda: heard.append(1), more=True)
        handover.add(lambda: heard.append(2), more=True)
        await asyncio.sleep(0)
        assert heard == []
        handover.add(lambda: heard.append(3))
        await asyncio.sleep(0)
        assert heard == [1, 2, 3], "what was held comes with what isn't"
        assert handover._end is None, "and nothing is left to wake the loop for"
        handover.add(lambda: heard.append(4), more=True)
        handover.pass_on()
        await asyncio.sleep(0)
        assert heard == [1, 2, 3, 4] and handover._end is None

    finished(tell())


def test_a_run_is_asked_for_when_all_is_known_of_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit drops what is told by a script that is no longer the session's. From another thread, nothing is passed on."""
    order: list[str] = []
    monkeypatch.setattr(AppSession, "_on_scriptrunner_event", AppSession._on_scriptrunner_event)
    monkeypatch.setattr(AppSession, "request_rerun", lambda _session, _state: order.append("asked"))
    tell_together()

    async def ask() -> None:
        session: Any = SimpleNamespace(
            _event_loop=asyncio.get_running_loop(),
            _call_soon_on_event_loop=lambda _handle: None,
            _handle_scriptrunner_event_on_event_loop=lambda *_event: order.append("told"),
        )
        AppSession.request_rerun(session, None)
        AppSession._on_scriptrunner_event(session, None, ScriptRunnerEvent.SHUTDOWN)
        await asyncio.to_thread(AppSession.request_rerun, session, None)
        AppSession.request_rerun(session, None)

    finished(ask())
    assert order == ["asked", "asked", "told", "asked"]


def test_no_fragment_runs_for_a_page_that_is_no_longer_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole pages run, whichever they are; and Streamlit runs everything here. What a browser sees of it is in `tests/browser/test_start.py`."""
    ran: list[tuple[str, bool]] = []
    monkeypatch.setattr(
        ScriptRunner,
        "_run_script",
        lambda _runner, asked: ran.append((asked.page_script_hash, bool(asked.fragment_id_queue))),
    )
    leave_other_pages_alone()
    pages = PagesManager(str(ROOT / "app.py"))
    pages.set_current_page_script_hash("bpe")
    runner: Any = SimpleNamespace(_pages_manager=pages)
    for asked in ("bpe", "unigram"):
        ScriptRunner._run_script(runner, RerunData(page_script_hash=asked))
        ScriptRunner._run_script(runner, RerunData(page_script_hash=asked, fragment_id_queue=["stage"]))
    assert ran == [("bpe", False), ("bpe", True), ("unigram", False)]
    assert "self._run_script(request.rerun_data)" in inspect.getsource(ScriptRunner._run_script_thread)


class Recorded:
    """A transport that only notes what it is asked."""

    def __init__(self) -> None:
        self.asked: list[bytes | str] = []

    def write(self, data: bytes) -> None:
        self.asked.append(data)

    def close(self) -> None:
        self.asked.append("close")

    def is_closing(self) -> bool:
        return "close" in self.asked


def test_what_is_written_in_one_go_leaves_together() -> None:
    """In its order, before the connection is closed, and without waiting once it is a lot."""
    large = b"x" * WRITTEN_AT_ONCE

    async def write() -> list[bytes | str]:
        there = Recorded()
        transport: Any = WrittenTogether(there)  # type: ignore[arg-type]
        for part in (b"a", b"b", b"c"):
            transport.write(part)
        assert there.asked == []
        await asyncio.sleep(0)
        assert there.asked == [b"abc"]
        await asyncio.sleep(0)
        transport.write(b"d")
        transport.write(large)
        assert there.asked[1:] == [b"d" + large]
        transport.write(b"e")
        assert not transport.is_closing()
        transport.close()
        assert transport.is_closing()
        await asyncio.sleep(0)
        return there.asked

    assert finished(write())[2:] == [b"e", "close"]


def test_messages_of_a_websocket_are_written_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the server that Streamlit uses, whose every message was a call of the system. Oracle: another library's client gets each one."""
    monkeypatch.setattr(WebSocketsSansIOProtocol, "connection_made", WebSocketsSansIOProtocol.connection_made)
    write_together()
    assert '"websockets-sansio"' in inspect.getsource(starlette_server)
    parts: list[bytes] = []
    write = WrittenTogether.flush

    def counted(transport: WrittenTogether) -> None:
        if transport._waiting:
            parts.append(b"".join(transport._waiting))
        write(transport)

    monkeypatch.setattr(WrittenTogether, "flush", counted)
    sent = [b"%d" % number * 100 for number in range(30)]

    async def app(scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "websocket"
        await send({"type": "websocket.accept"})
        for data in sent:
            await send({"type": "websocket.send", "bytes": data})
        await send({"type": "websocket.close", "code": 1000})

    async def visit() -> list[bytes | str]:
        config = uvicorn.Config(
            app, ws="websockets-sansio", ws_per_message_deflate=False, lifespan="off", log_config=None
        )
        served = uvicorn.Server(config)
        listening = socket.create_server(("127.0.0.1", 0))
        serving = asyncio.create_task(served.serve([listening]))
        async with websockets.connect(f"ws://127.0.0.1:{listening.getsockname()[1]}") as client:
            heard = [data async for data in client]
        served.should_exit = True
        await serving
        return heard

    assert finished(visit()) == sent
    assert sum(data.count(sent[0]) for data in parts) == 1
    assert len(parts) < 5


def test_places_are_copied_as_streamlit_does() -> None:
    """Oracle: `copy.deepcopy`, which Streamlit uses, on the places of a fragment within containers."""

    def page() -> None:
        from copy import deepcopy

        import streamlit as st
        from streamlit.delta_generator_singletons import context_dg_stack
        from streamlit.proto.Element_pb2 import Element
        from streamlit.runtime.scriptrunner import get_script_run_ctx

        from tokensteps.streamlit_internals import copied_places

        @st.fragment
        def part() -> None:
            context = get_script_run_ctx()
            assert context is not None
            st.caption("one")
            with st.sidebar, st.form("form"), st.columns(2)[1]:
                context.cursors[1].transient_elements[0] = Element()
                for places in (context_dg_stack.get(), context.cursors):
                    pairs.append((places, deepcopy(places), copied_places(places)))

        pairs: list[object] = []
        st.title("zero")
        with st.container(), st.expander("more"):
            part()
        locked = (st.empty(),)
        pairs.append((locked, deepcopy(locked), copied_places(locked)))
        st.session_state["pairs"] = pairs

    def plain(places: Any) -> Any:
        """All that a place is made of, by the names of its parts."""
        match places:
            case dict():
                return {name: plain(part) for name, part in places.items()}
            case tuple() | list():
                return [plain(part) for part in places]
            case DeltaGenerator() | Cursor() | SparseList():
                parts = vars(places).items()
                return type(places), {name: plain(part) for name, part in parts if name != "__orig_class__"}
        return places

    def objects(places: Any) -> set[int]:
        """Everything in them that can be changed."""
        match places:
            case dict():
                return {id(places)}.union(*map(objects, places.values()))
            case tuple() | list():
                return set().union(*map(objects, places))
            case DeltaGenerator() | Cursor() | SparseList():
                return {id(places)}.union(*map(objects, vars(places).values()))
        return set()

    app = AppTest.from_function(page).run()
    assert not app.exception
    pairs = app.session_state["pairs"]
    assert len(pairs) == 3
    for places, deep, quick in pairs:
        assert plain(quick) == plain(deep)
        assert len(objects(quick)) == len(objects(deep))
        assert not objects(quick) & objects(places), "nothing is shared"


def test_fragments_copy_their_places_by_this_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """And by no other: all of `deepcopy` in it is of places."""
    source = inspect.getsource(fragment)
    copied = set(re.findall(r"\bdeepcopy\(([\w.]+(?:\(\))?)\)", source))
    assert copied == {
        "ctx.cursors",
        "context_dg_stack.get()",
        "cursors_snapshot",
        "dg_stack_snapshot",
        "dg_stack",
    }
    monkeypatch.setattr(fragment, "deepcopy", fragment.deepcopy)
    copy_places_quickly()
    assert vars(fragment)["deepcopy"] is copied_places


def test_small_parts_leave_at_once_on_streamlits_own_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit's socket doesn't say that it is of TCP: asyncio alone lets small parts wait there. Oracle: the system's own answer."""

    async def delay_is_off() -> bool:
        listening = starlette_server._bind_socket("127.0.0.1", 0, 8)
        said: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def connected(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            said.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        async with await asyncio.start_server(connected, sock=listening):
            _reader, writer = await asyncio.open_connection(*listening.getsockname())
            found = await asyncio.wait_for(said, 5)
            writer.close()
        return bool(found)

    assert not finished(delay_is_off()), "Streamlit names the protocol now: send_at_once can go"
    monkeypatch.setattr(base_events, "_set_nodelay", base_events._set_nodelay)  # type: ignore[attr-defined]
    send_at_once()
    assert finished(delay_is_off())
