"""Patches for a faster or quieter Streamlit: each gives Streamlit's own results, and without the patched name
the app runs on.

Oracle: the installed Streamlit itself, its classes, routes and scripts.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import os
import re
import socket
import subprocess
import sys
from asyncio import base_events
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest
import streamlit
import uvicorn
import websockets
from streamlit import runtime
from streamlit.components.v2 import presentation
from streamlit.components.v2.bidi_component import main as bidi_component
from streamlit.cursor import Cursor, SparseList
from streamlit.delta_generator import DeltaGenerator
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime import app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.script_data import ScriptData
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner, ScriptRunnerEvent
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.runtime.state import SessionState
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import WStates
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.testing.v1 import AppTest
from streamlit.web.server.starlette import starlette_server, starlette_websocket
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from tests.loops import LoopClock, finished
from tokensteps import streamlit_tuning
from tokensteps.streamlit_tuning import PATCHES, handover, tune
from tokensteps.streamlit_tuning.fragment_pages import leave_other_pages_alone
from tokensteps.streamlit_tuning.fragment_places import copied_place, copy_places_quickly
from tokensteps.streamlit_tuning.handover import LAST_EVENT, Handover, tell_together, wake
from tokensteps.streamlit_tuning.mixed_updates import run_all_that_changed
from tokensteps.streamlit_tuning.nested_fragments import drop_nested_fragments
from tokensteps.streamlit_tuning.old_values import keep_what_the_page_has_set
from tokensteps.streamlit_tuning.sending import SENT_AT_ONCE, send_together
from tokensteps.streamlit_tuning.session_state import StateInSight, all_in_sight, show_state_by_need
from tokensteps.streamlit_tuning.small_parts import send_at_once
from tokensteps.streamlit_tuning.theme import read_theme_once
from tokensteps.streamlit_tuning.websockets import WRITTEN_AT_ONCE, WrittenTogether, write_together

ROOT = Path(__file__).parents[2]


def test_the_theme_is_put_together_once_and_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Oracle: Streamlit's own function, for each of the filled parts, in its order."""
    sections = [
        "theme",
        "theme.light",
        "theme.dark",
        "theme.sidebar",
        "theme.light.sidebar",
        "theme.dark.sidebar",
    ]
    filled: list[str] = []
    put_together = app_session._populate_theme_msg

    def counted(theme: CustomThemeConfig, section: str) -> None:
        filled.append(section)
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
    monkeypatch.setattr(app_session, "_populate_theme_msg", counted)
    read_theme_once()
    assert (whole(), whole()) == (before, before)
    assert whole().SerializeToString(deterministic=True) == before.SerializeToString(deterministic=True)
    assert filled == sections


def test_session_state_looked_up_by_need_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Oracle: Streamlit's own result, over a box, a component with a value, and plain values."""

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

    monkeypatch.setattr(SessionState, "filtered_state", property(all_in_sight))
    app = AppTest.from_function(page).run()
    app.text_input(key="box").set_value("hug").run()
    state = app.session_state._state._state
    before = shown(state)
    assert before[0] == {"plain": 3, "box": "hug", "choice": "a"}
    presenter = presentation.make_bidi_component_presenter
    monkeypatch.setattr(bidi_component, "make_bidi_component_presenter", presenter)
    show_state_by_need()
    assert isinstance(state.filtered_state, StateInSight) and shown(state) == before
    own_presenter = bidi_component.make_bidi_component_presenter
    assert own_presenter is not presenter
    for events in ([{"event": "file", "value": "csv"}, {"event": 3}, "?"], [], None):
        held = WStates()
        held.set_widget_metadata(metadata_of("events", "json_trigger_value"))
        held.set_from_value("events", events)
        state = SessionState(_new_widget_state=held)
        for values in ({"asked": ["th", 1]}, {"file": None}, None, ["?"]):
            assert own_presenter("events")(values, state) == presenter("events")(values, state)
            assert own_presenter("unknown")(values, state) == presenter("unknown")(values, state)


def metadata_of(name: str, kind: Any) -> WidgetMetadata[Any]:
    return WidgetMetadata(
        id=name, deserializer=lambda value: value, serializer=lambda value: value, value_type=kind
    )


def test_a_scripts_messages_arrive_in_order_and_at_once() -> None:
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


def test_messages_after_a_wait_for_nothing_are_heard() -> None:
    """The loop passes a message on while its thread is still adding it: what the thread then asks the loop to
    hold is gone already, and the next message is held as any other."""
    calls: list[Callable[[], None]] = []
    heard: list[int] = []
    handover = Handover(calls.append)

    class MoreMeanwhile:
        """More is about to come; the loop has its turn before that is known."""

        def __bool__(self) -> bool:
            handover.pass_on()
            return True

    async def held() -> None:
        clock = LoopClock()
        for number, more in enumerate((MoreMeanwhile(), True)):
            handover.add(partial(heard.append, number), more=more)  # type: ignore[arg-type]
            while calls:
                calls.pop(0)()
        await clock.passes(2 * Handover.HELD)

    finished(held())
    assert heard == [0, 1]


def test_a_session_hears_its_script_through_the_handover(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many messages, one wake-up; and the sender is told within the loop, without a second one."""
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
    events = [(None, ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, {"forward_msg": message}) for message in messages]

    async def held() -> None:
        clock = LoopClock()
        wakes.pop()()
        assert heard == []
        for _ in range(2):  # with the messages since, and then with nothing
            await clock.passes(2 * Handover.HELD)
        assert session.handover.wait is None

    finished(held())
    assert heard == events
    heard.clear()
    AppSession._on_scriptrunner_event(
        session, None, ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, forward_msg=messages[0]
    )
    AppSession._on_scriptrunner_event(session, None, ScriptRunnerEvent.SHUTDOWN, client_state=None)
    assert len(wakes) == 2
    wakes[1]()
    assert heard == [events[0], (None, ScriptRunnerEvent.SHUTDOWN, {"client_state": None})], "at once"

    async def within_and_outside() -> tuple[bool, bool]:
        state = SimpleNamespace(eventloop=asyncio.get_running_loop(), need_send_data=asyncio.Event())
        server: Any = SimpleNamespace(_get_async_objs=lambda: state)
        wake(server)
        within = state.need_send_data.is_set()
        state.need_send_data.clear()
        await asyncio.to_thread(wake, server)
        await asyncio.wait_for(state.need_send_data.wait(), 60)
        return within, state.need_send_data.is_set()

    assert finished(within_and_outside()) == (True, True)


def test_a_sessions_messages_are_sent_without_a_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Oracle: Streamlit's own loop, which rests after each supposed message; a hundred at most without a
    rest."""
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
    """Streamlit's server hands its function to the sessions' manager when it is made, so a new one on its
    class would reach no session."""

    def streamlits_own() -> None:
        raise AssertionError("which wakes the loop for each message")

    manager = WebsocketSessionManager(
        MemorySessionStorage(), MemoryUploadedFileManager("/upload"), ScriptCache(), streamlits_own
    )
    wakes: list[object] = []
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: SimpleNamespace(_session_mgr=manager))
    monkeypatch.setattr(handover, "wake", wakes.append)
    monkeypatch.setattr(AppSession, "_on_scriptrunner_event", AppSession._on_scriptrunner_event)
    monkeypatch.setattr(AppSession, "request_rerun", AppSession.request_rerun)
    assert '"message_enqueued_callback": self._enqueued_some_message' in inspect.getsource(Runtime.__init__)
    assert inspect.getsource(Runtime.__init__).count("self._session_mgr = ") == 1
    tell_together()

    async def enqueue() -> None:
        client: Any = SimpleNamespace()
        identifier = manager.connect_session(client, ScriptData(str(ROOT / "app.py"), False), {})
        info = manager.get_session_info(identifier)
        assert info is not None
        info.session._enqueue_forward_msg(ForwardMsg(script_finished=0))

    finished(enqueue())
    assert len(wakes) == 1


def test_a_scripts_thread_sends_its_shutdown_last() -> None:
    """Every message before waits for more: nothing of Streamlit's may come after it, nor be forgotten.
    Oracle: Streamlit's source."""
    thread = inspect.getsource(ScriptRunner._run_script_thread)
    assert thread.count("on_event.send(") == 1
    assert thread.index("self._run_script(") < thread.index("ScriptRunnerEvent.SHUTDOWN")
    assert LAST_EVENT is ScriptRunnerEvent.SHUTDOWN


async def test_expected_messages_need_no_wake_up() -> None:
    """A run asked for in the loop's own thread sends without a call, however long it takes; a quiet one
    leaves no wait behind."""
    heard: list[int] = []
    calls: list[Callable[[], None]] = []
    handover, clock = Handover(calls.append), LoopClock()
    handover.expect()
    for number in (1, 2):
        handover.add(lambda number=number: heard.append(number), more=True)  # type: ignore[misc]
        assert len(heard) < number
        await clock.passes(2 * Handover.HELD)
        assert len(heard) == number
    assert calls == [], "the first wait led to the next"
    await clock.passes(2 * Handover.HELD)
    assert handover.wait is None
    handover.add(lambda: heard.append(3), more=True)
    assert len(calls) == 1, "nothing was expected any more"
    calls.pop()()
    handover.add(lambda: heard.append(4))
    calls.pop()()
    assert heard == [1, 2, 3, 4] and handover.wait is None


async def test_held_messages_are_passed_on_once_and_end_the_wait() -> None:
    heard: list[int] = []
    loop = asyncio.get_running_loop()
    handover = Handover(loop.call_soon)
    handover.add(lambda: heard.append(1), more=True)
    handover.add(lambda: heard.append(2), more=True)
    await asyncio.sleep(0)
    assert heard == []
    handover.add(lambda: heard.append(3))
    await asyncio.sleep(0)
    assert heard == [1, 2, 3], "what was held comes with what isn't"
    assert handover.wait is None, "and nothing is left to wake the loop for"
    handover.add(lambda: heard.append(4), more=True)
    handover.pass_on()
    await asyncio.sleep(0)
    assert heard == [1, 2, 3, 4] and handover.wait is None


def test_a_rerun_is_requested_after_all_events_of_the_last_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit drops messages from a session's former script. From another thread, nothing is passed on."""
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


def test_no_fragment_runs_for_a_page_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole pages run, of any kind; and Streamlit runs everything here. The browser's side is in
    `tests/browser/test_start.py`."""
    ran: list[tuple[str, bool]] = []
    monkeypatch.setattr(
        ScriptRunner,
        "_run_script",
        lambda _runner, data: ran.append((data.page_script_hash, bool(data.fragment_id_queue))),
    )
    leave_other_pages_alone()
    pages = PagesManager(str(ROOT / "app.py"))
    pages.set_current_page_script_hash("bpe")
    runner: Any = SimpleNamespace(_pages_manager=pages)
    for page_hash in ("bpe", "unigram"):
        ScriptRunner._run_script(runner, RerunData(page_script_hash=page_hash))
        ScriptRunner._run_script(runner, RerunData(page_script_hash=page_hash, fragment_id_queue=["stage"]))
    assert ran == [("bpe", False), ("bpe", True), ("unigram", False)]
    assert "self._run_script(request.rerun_data)" in inspect.getsource(ScriptRunner._run_script_thread)


def test_a_fragment_that_starts_again_takes_the_fragments_in_it_along(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Streamlit by itself sends them on: to a place missing in the browser, where the elements before them
    were dropped."""
    monkeypatch.setattr(AppSession, "_on_scriptrunner_event", AppSession._on_scriptrunner_event)
    storage, queue = MemoryFragmentStorage(), ForwardMsgQueue()
    for name, parent in (("page", None), ("table", "page"), ("cell", "table"), ("beside", None)):
        storage.register(name, lambda: None, parent_fragment_id=parent)
    session: Any = SimpleNamespace(_fragment_storage=storage, _call_soon_on_event_loop=lambda call: call())
    session._handle_scriptrunner_event_on_event_loop = lambda *event: queue.clear(True, event[6])

    def left(started: list[str] | None) -> list[str]:
        queue.clear()
        for index, name in enumerate(("", "page", "table", "cell", "beside")):
            message = ForwardMsg()
            message.metadata.delta_path[:] = [0, index]
            message.delta.new_element.text.body, message.delta.fragment_id = "text", name
            queue.enqueue(message)
        AppSession._on_scriptrunner_event(
            session, None, ScriptRunnerEvent.SCRIPT_STARTED, fragment_ids_this_run=started
        )
        return [message.delta.fragment_id for message in queue.flush()]

    assert left(["page"]) == ["", "table", "cell", "beside"]
    drop_nested_fragments()
    assert left(["page"]) == ["", "beside"]
    assert left(["table"]) == ["", "page", "beside"]
    assert left(["beside"]) == ["", "page", "table", "cell"]
    assert left(None) == []
    source = inspect.getsource(AppSession._handle_scriptrunner_event_on_event_loop)
    assert (
        source.count("fragment_ids_this_run)") == 1 and "self._clear_queue(fragment_ids_this_run)" in source
    )


def test_a_change_outside_of_a_fragment_reruns_the_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The widgets are a page's own, as its session knows them. The browser sends all of them each time, at
    first with their drawn values."""

    def page() -> None:
        import streamlit as st

        @st.fragment
        def part() -> None:
            st.text_input("Text", "hug", key="text")

        st.number_input("Size", 0, 99, 20, key="size")
        st.file_uploader("Files", key="files")
        part()

    class Session:
        session_state = AppTest.from_function(page).run().session_state._state._state

    runs: list[str] = []
    monkeypatch.setattr(AppSession, "request_rerun", lambda _session, state: runs.append(state.fragment_id))
    run_all_that_changed()
    drawn = Session.session_state._new_widget_state.widget_metadata
    ids = {name.rpartition("-")[2]: name for name in drawn}
    fragment = drawn[ids["text"]].fragment_id
    assert fragment and drawn[ids["size"]].fragment_id is None

    def tell(session: Any, text: str, size: int, fragment: str | None = fragment, files: int = 0) -> str:
        state = ClientState(fragment_id=fragment)
        state.widget_states.widgets.add(id=ids["text"], string_value=text)
        state.widget_states.widgets.add(id=ids["size"], int_value=size)
        uploads = state.widget_states.widgets.add(id=ids["files"]).file_uploader_state_value
        for number in range(files):
            uploads.uploaded_file_info.add(file_id=str(number))
        state.widget_states.widgets.add(id="of a page that was left", int_value=len(runs))
        AppSession.request_rerun(session, state)
        return runs[-1]

    one, other, third = Session(), Session(), Session()
    assert tell(one, "hug", 20, None) == ""
    assert tell(one, "hugs", 20) == fragment
    assert tell(one, "pugs", 21) == ""
    assert tell(one, "pug", 21) == fragment
    assert tell(other, "hugs", 20) == fragment, "as it was drawn"
    assert tell(other, "hugs", 20, files=1) == ""
    assert tell(other, "hug", 20, files=1) == fragment
    assert tell(third, "hugs", 21) == "", "the first message has a change"
    assert tell(Session(), "hugs", 20, files=1) == ""
    Session.session_state["size"] = 30  # by the page: the browser only confirms it
    assert tell(one, "hugs", 30) == fragment
    assert tell(one, "hug", 21) == ""


def test_the_browsers_old_value_does_not_undo_the_pages_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The page sets a corpus and its size by an address, as after Back. Told alone, an older value is a
    visitor's choice."""
    for name in ("on_script_will_rerun", "register_widget"):
        monkeypatch.setattr(SessionState, name, getattr(SessionState, name))
    monkeypatch.setattr(DeltaGenerator, "_enqueue", DeltaGenerator._enqueue)
    keep_what_the_page_has_set()

    def page() -> None:
        import streamlit as st

        from tokensteps.streamlit_tuning.old_values import UNDRAWN

        UNDRAWN.set(st.session_state.get("last", ""))  # by an earlier run in the same thread
        if st.session_state.get("address"):
            st.session_state["corpus"], st.session_state["size"] = st.session_state.pop("address")
        st.selectbox("Corpus", ["hug", "course", "python"], key="corpus")
        st.number_input("Size", 1, 99, key="size")
        st.slider("Step", 0, 9, key="step")

    app = AppTest.from_function(page)
    app.session_state["address"] = ("python", 30)
    app.run()
    app._run(WidgetStates())  # overtakes the first run: the browser has drawn nothing
    assert [app.selectbox[0].value, app.number_input[0].value] == ["python", 30]
    sent = [one.proto.set_value for one in (app.selectbox[0], app.number_input[0], app.slider[0])]
    assert sent == [True, False, False], "the third has its default"
    assert app.number_input[0].proto.default == 30, "a number may have been typed in the meantime"
    app.session_state["last"] = app.number_input[0].proto.id
    state = app.session_state._state._state

    def tell(corpus: str, size: int, step: int) -> tuple[str, int, int, set[str]]:
        """The page's texts then, and the values sent anew to the browser."""
        app.selectbox[0].set_value(corpus)
        app.number_input[0].set_value(size)
        app.slider[0].set_value(step)
        app.run()
        parts: list[Any] = [app.selectbox[0], app.number_input[0], app.slider[0]]
        anew = {one.label for one in parts if one.proto.set_value}
        return parts[0].value, parts[1].value, parts[2].value, anew

    def lead(corpus: str, size: int) -> None:
        """The page sets both; the browser sends the same as before, and nothing new."""
        app.session_state["address"] = (corpus, size)
        app.run()
        assert (state["corpus"], state["size"]) == (corpus, size)

    assert tell("course", 50, 0) == ("course", 50, 0, set())
    assert app.number_input[0].proto.default == 1, "its own, as nothing is sent again"
    lead("hug", 20)
    assert tell("course", 50, 1) == ("hug", 20, 1, {"Corpus", "Size"}), "a step beside two old values"
    assert tell("course", 50, 2) == ("hug", 20, 2, {"Corpus", "Size"}), "still on its way"
    assert tell("hug", 20, 2) == ("hug", 20, 2, set())
    assert tell("course", 50, 3) == ("course", 50, 3, set()), "the browser has heard of what it changes"
    lead("hug", 20)
    app.session_state["address"] = ("python", 30)
    assert tell("course", 50, 4) == ("python", 30, 4, {"Corpus", "Size"}), "led on"
    assert tell("hug", 50, 5) == ("python", 30, 5, {"Corpus", "Size"}), "each as it was at some time"
    assert tell("course", 30, 5) == ("course", 30, 5, set()), "a visitor changes one thing"
    lead("hug", 20)
    assert tell("python", 60, 6) == ("python", 60, 6, set()), "never told before"


def test_an_answer_given_before_is_no_old_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair is clicked in a picture, then another one; the first is chosen in the list, which the browser
    sends with “Check” alone. Beside another button it is an old value."""
    for name in ("on_script_will_rerun", "register_widget"):
        monkeypatch.setattr(SessionState, name, getattr(SessionState, name))
    monkeypatch.setattr(DeltaGenerator, "_enqueue", DeltaGenerator._enqueue)
    keep_what_the_page_has_set()

    def page() -> None:
        import streamlit as st

        if "clicked" in st.session_state:
            st.session_state["ask.0.choice"] = st.session_state.pop("clicked")
        st.selectbox("Pair", ["u + g", "u + n", "p + u"], key="ask.0.choice")
        st.button("Check", key="ask.check")
        st.button("Play", key="ask.play")

    for button, chosen in (("ask.play", "u + n"), ("ask.check", "u + g")):
        app = AppTest.from_function(page).run()
        for pair in ("u + g", "u + n"):
            app.session_state["clicked"] = pair
            app._run(WidgetStates())  # the browser sends a form's values with its button only
        app.selectbox[0].set_value("u + g")
        app.button(key=button).click().run()
        assert app.selectbox[0].value == chosen


class Recorded:
    """A transport that only notes its calls."""

    def __init__(self) -> None:
        self.written: list[bytes | str] = []

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def close(self) -> None:
        self.written.append("close")

    def is_closing(self) -> bool:
        return "close" in self.written


def test_consecutive_writes_leave_together() -> None:
    """In its order, before the connection is closed, and without waiting once it is a lot."""
    large = b"x" * WRITTEN_AT_ONCE

    async def write() -> list[bytes | str]:
        there = Recorded()
        transport: Any = WrittenTogether(there)  # type: ignore[arg-type]
        for part in (b"a", b"b", b"c"):
            transport.write(part)
        assert there.written == []
        await asyncio.sleep(0)
        assert there.written == [b"abc"]
        await asyncio.sleep(0)
        transport.write(b"d")
        transport.write(large)
        assert there.written[1:] == [b"d" + large]
        transport.write(b"e")
        assert not transport.is_closing()
        transport.close()
        assert transport.is_closing()
        await asyncio.sleep(0)
        return there.written

    assert finished(write())[2:] == [b"e", "close"]


def test_messages_of_a_websocket_are_written_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """On Streamlit's own server, with a system call for every message before. Oracle: another library's
    client gets each one."""
    monkeypatch.setattr(WebSocketsSansIOProtocol, "connection_made", WebSocketsSansIOProtocol.connection_made)
    write_together()
    assert '"websockets-sansio"' in inspect.getsource(starlette_server)
    parts: list[bytes] = []
    write = WrittenTogether.flush

    def counted(transport: WrittenTogether) -> None:
        if transport.waiting:
            parts.append(b"".join(transport.waiting))
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


def test_places_are_copied_as_streamlit_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Oracle: `copy.deepcopy` without the patch, on the places of a fragment within containers."""

    def page() -> None:
        from copy import deepcopy

        import pytest
        import streamlit as st
        from streamlit.cursor import Cursor
        from streamlit.delta_generator_singletons import context_dg_stack
        from streamlit.proto.Element_pb2 import Element
        from streamlit.runtime.scriptrunner import get_script_run_ctx

        def copy_both_ways(places: object) -> None:
            quick = deepcopy(places)
            with pytest.MonkeyPatch.context() as patch:
                patch.delattr(Cursor, "__deepcopy__")
                copies.append((places, deepcopy(places), quick))

        @st.fragment
        def part() -> None:
            context = get_script_run_ctx()
            assert context is not None
            st.caption("one")
            with st.sidebar, st.form("form"), st.columns(2)[1]:
                context.cursors[1].transient_elements[0] = Element()
                for places in (context_dg_stack.get(), context.cursors):
                    copy_both_ways(places)

        copies: list[object] = []
        st.title("zero")
        with st.container(), st.expander("more"):
            part()
        copy_both_ways((st.empty(),))
        st.session_state["copies"] = copies

    def plain(places: Any) -> Any:
        """All parts of a place, by their names."""
        match places:
            case dict():
                return {name: plain(part) for name, part in places.items()}
            case tuple() | list():
                return [plain(part) for part in places]
            case DeltaGenerator() | Cursor() | SparseList():
                return type(places), {name: plain(part) for name, part in vars(places).items()}
        return places

    def objects(places: Any) -> set[int]:
        """All mutable objects in them."""
        match places:
            case dict():
                return {id(places)}.union(*map(objects, places.values()))
            case tuple() | list():
                return set().union(*map(objects, places))
            case DeltaGenerator() | Cursor() | SparseList():
                return {id(places)}.union(*map(objects, vars(places).values()))
        return set()

    monkeypatch.setattr(Cursor, "__deepcopy__", copied_place, raising=False)
    app = AppTest.from_function(page).run()
    assert not app.exception
    copies = app.session_state["copies"]
    assert len(copies) == 3
    for places, deep, quick in copies:
        assert plain(quick) == plain(deep)
        assert len(objects(quick)) == len(objects(deep))
        assert not objects(quick) & objects(places), "nothing is shared"


def test_fragments_copy_their_places_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def page() -> None:
        import streamlit as st

        @st.fragment
        def part() -> None:
            st.caption("one")

        part()

    copied: list[Cursor] = []

    def copy_place(place: Cursor, memo: dict[int, Any]) -> Cursor:
        copied.append(place)
        return method(place, memo)

    monkeypatch.setattr(Cursor, "__deepcopy__", None, raising=False)
    copy_places_quickly()
    method = vars(Cursor)["__deepcopy__"]
    monkeypatch.setattr(Cursor, "__deepcopy__", copy_place)
    assert not AppTest.from_function(page).run().exception
    assert copied


def test_small_parts_leave_at_once_on_streamlits_own_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit's socket doesn't declare itself as TCP: asyncio alone lets small parts wait there. Oracle:
    the system's own answer."""

    async def delay_is_off() -> bool:
        listening = starlette_server._bind_socket("127.0.0.1", 0, 8)
        said: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def connected(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            said.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        async with await asyncio.start_server(connected, sock=listening):
            _reader, writer = await asyncio.open_connection(*listening.getsockname())
            no_delay = await asyncio.wait_for(said, 60)
            writer.close()
        return bool(no_delay)

    assert not finished(delay_is_off()), "Streamlit names the protocol now: send_at_once can go"
    monkeypatch.setattr(base_events, "_set_nodelay", base_events._set_nodelay)  # type: ignore[attr-defined]
    send_at_once()
    assert finished(delay_is_off())


def taken(path: Path) -> list[str]:
    """Streamlit's names that a module imports or asks for with `require`, as "module.name" or
    "module.Class.name"."""
    tree = ast.parse(path.read_text("utf-8"))
    origins = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("streamlit.")
        for alias in node.names
    }
    checked = [
        f"{origins[owner.id]}.{name.value}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "require"
        for owner, *names in [node.args]
        if isinstance(owner, ast.Name) and owner.id in origins
        for name in names
        if isinstance(name, ast.Constant)
    ]
    return [*origins.values(), *checked]


WITHOUT: Final = """
import importlib, os, pkgutil, sys, warnings
warnings.simplefilter("ignore")
import streamlit, streamlit.testing.v1

# Other packages once for all; ours anew in each process.
from tokensteps import streamlit_internals
from tokensteps.streamlit_tuning import PATCHES
for module in PATCHES:
    importlib.import_module(f"tokensteps.streamlit_tuning.{module}")
for module in [*sys.modules]:
    if module.partition(".")[0] == "tokensteps":
        del sys.modules[module]

def without(path):
    owner, _, name = path.rpartition(".")
    try:
        target = pkgutil.resolve_name(owner)
    except (ImportError, AttributeError) as error:
        return print(path, "is not there before it is taken:", error)
    if path in sys.modules or owner.startswith("tokensteps"):
        sys.modules[path] = None
    if name in vars(target):
        type.__delattr__(target, name) if isinstance(target, type) else delattr(target, name)
    if isinstance(target, type):  # set when one is made, or annotated
        target.__annotations__ = {key: value for key, value in target.__annotations__.items() if key != name}
        constructor = target.__init__
        code = constructor.__code__
        constructor.__code__ = code.replace(co_names=tuple("gone" if one == name else one for one in code.co_names))

for path in sys.argv[1:]:
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        print(path, "ended", os.waitstatus_to_exitcode(status), flush=True)
        continue
    sys.stderr = sys.stdout
    without(path)
    try:
        from tokensteps import streamlit_internals
        from tokensteps.streamlit_tuning import tune
        left_out = tune()
        print(path, "left out", *left_out, flush=True)
        if path.startswith("tokensteps"):
            home = streamlit.testing.v1.AppTest.from_file(os.path.abspath("app.py"), default_timeout=300).run()
            print(path, "draws Home", *(error.value for error in home.exception), flush=True)
        os._exit(0)
    except SystemExit as refused:
        print(path, "refused", refused, flush=True)
        os._exit(3)
"""


def without(names: list[str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, *names],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "TOKENSTEPS_PLAIN": ""},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_patch_with_a_missing_target_is_skipped_and_logged() -> None:
    """One name at a time, in a process of its own. Names needed by the app as well as by a patch are refused,
    see below."""
    needed = {*taken(ROOT / "tokensteps/streamlit_internals.py")}
    of = {
        name: module
        for module, file in [*zip(PATCHES, PATCHES, strict=True), ("old_values", "news")]
        for name in taken(ROOT / f"tokensteps/streamlit_tuning/{file}.py")
        if name not in needed and not any(one.startswith(f"{name}.") for one in needed)
    }
    assert len(of) > 30
    said = without([*of])
    for name in of:
        assert re.search(rf"^{re.escape(name)} left out .*\b{of[name]}\b", said, re.MULTILINE), said
        assert f"{name} ended 0" in said
    assert said.count("is switched off") >= len(of)


@pytest.mark.slow
def test_without_any_one_patch_pages_are_drawn() -> None:
    """Without all of them, `make oldest` and `make next` go through all pages in a browser. (A name taken
    away would be missing in Streamlit itself.)"""
    modules = {f"tokensteps.streamlit_tuning.{module}": module for module in PATCHES}
    said = without([*modules])
    for path, module in modules.items():
        assert f"{path} left out {module}\n{path} draws Home\n{path} ended 0\n" in said, said


def test_without_what_it_needs_the_app_refuses_in_a_sentence() -> None:
    needed = taken(ROOT / "tokensteps/streamlit_internals.py")
    assert len(needed) > 10
    said = without(needed)
    for name in needed:
        assert f"{name} refused TokenSteps doesn't work with Streamlit {streamlit.__version__} (" in said
        assert f"{name} ended 3" in said


def test_plain_streamlit_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKENSTEPS_PLAIN", "1")
    monkeypatch.setattr(streamlit_tuning, "PATCHES", {"no_such_module": "no_such_patch"})
    assert tune() == []
