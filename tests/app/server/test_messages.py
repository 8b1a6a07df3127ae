"""Allowed messages over the WebSocket: every one in this Streamlit's protocol, sent through the guard.

Source: Streamlit's own protocol, read from its descriptors, so that a new version's new message fails here
before it can reach the server. Oracle: the lists below, and for allowed ones the message itself, unchanged.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from streamlit.proto.BackMsg_pb2 import BackendOperationRequest, BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.loops import finished
from tests.waiting import Clock
from tokensteps.limits import (
    BESIDES_LIMIT,
    JSON_BESIDES,
    JSON_STRINGS,
    MESSAGE_FIELDS,
    MESSAGE_LIMIT,
    PASTE_LIMIT,
    PLAYGROUND_LIMIT,
    STATES_LIMIT,
    UPLOAD_ADDRESSES,
    WIDGETS_LIMIT,
)
from tokensteps.server.entrance import connections, messages, rates
from tokensteps.server.entrance.connections import Connections
from tokensteps.server.entrance.messages import (
    OPERATIONS,
    PASSES,
    REFUSED_KINDS,
    REFUSED_OPERATIONS,
    REFUSED_VALUES,
    Refused,
    examine,
)
from tokensteps.server.entrance.rates import Load

MAY_PASS = {
    "rerun_script": True,
    "stop_script": True,
    "app_heartbeat": True,
    "file_urls_request": True,
    "backend_operation_request": True,
    "clear_cache": False,
    "set_run_on_save": False,
    "load_git_info": False,
    "debug_disconnect_websocket": False,
    "debug_shutdown_runtime": False,
}
OPERATION_MAY_PASS = {
    "deferred_file": True,
    "install_skills": False,
    "dismiss_skills_nudge": False,
    "dataframe_chunk": False,
}
VALUE_MAY_PASS = {
    "trigger_value": True,
    "bool_value": True,
    "double_value": True,
    "int_value": True,
    "string_value": True,
    "double_array_value": True,
    "int_array_value": True,
    "string_array_value": True,
    "json_value": True,
    "file_uploader_state_value": True,
    "string_trigger_value": True,
    "json_trigger_value": True,
    "arrow_value": False,
    "bytes_value": False,
    "chat_input_value": False,
}
BOX = "$$ID-0123456789abcdef0123456789abcdef-bpe.paste_text"


def known(message: Any, oneof: str) -> set[str]:
    """The names of all alternatives of a field, in the installed Streamlit."""
    return {field.name for field in message.DESCRIPTOR.oneofs_by_name[oneof].fields}


def one(message: Any, name: str) -> Any:
    """A message with that field set, to the smallest value."""
    field = message.DESCRIPTOR.fields_by_name[name]
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        getattr(message, name).SetInParent()
    else:
        setattr(
            message,
            name,
            {FieldDescriptor.TYPE_STRING: "a", FieldDescriptor.TYPE_BYTES: b"a"}.get(field.type, 1),
        )
    return message


class Visited:
    """Stands in for the visits of a server: arrivals and departures."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, str]] = []

    def arrive(self, session: str, address: str) -> None:
        self.calls.append(("arrive", f"{session} at {address}"))

    def leave(self, session: str) -> None:
        self.calls.append(("leave", session))


class Idle(Load):
    """A server with nothing else to do, or always something."""

    def __init__(self, busy: bool = False) -> None:
        super().__init__()
        self.said = busy
        self.note_request("somebody else", now=0.0)

    def busy(self) -> bool:
        return self.said

    def note_request(self, who: object, now: float) -> None:
        super().note_request(who, now)
        if who != "somebody else":
            self.note_request("somebody else", now)


def quiet(visited: Visited, busy: bool = False) -> Connections:
    return Connections(visited, Idle(busy))  # type: ignore[arg-type]


def send_all(
    sent: Sequence[bytes | str],
    answers: Sequence[bytes] = (),
    subprotocols: Sequence[str] = (),
    guards: Connections | None = None,
) -> tuple[list[bytes], list[Any], Visited]:
    """The messages that reach Streamlit, the browser's messages, and arrivals and departures."""
    arrived: list[bytes] = []
    got: list[Any] = []
    visited = Visited()
    coming: list[Any] = [{"type": "websocket.connect"}]
    coming += [
        {"type": "websocket.receive", "text" if isinstance(data, str) else "bytes": data} for data in sent
    ]
    coming.append({"type": "websocket.disconnect", "code": 1001})

    async def app(scope: Any, receive: Any, send: Any) -> None:
        assert (await receive())["type"] == "websocket.connect"
        await send({"type": "websocket.accept"})
        for data in answers:
            await send({"type": "websocket.send", "bytes": data})
        while (event := await receive())["type"] == "websocket.receive":
            arrived.append(event["bytes"])
        await send({"type": "websocket.send", "bytes": b"the last"})

    async def receive() -> Any:
        return coming.pop(0)

    async def send(event: Any) -> None:
        got.append(event)

    scope = {"type": "websocket", "client": ("192.0.2.1", 5), "headers": [], "subprotocols": [*subprotocols]}
    finished((guards or quiet(visited)).serve(app, scope, receive, send))  # type: ignore[arg-type]
    return arrived, got, visited


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits of a guard; its clock moves with them alone."""
    waits: list[float] = []
    clock = Clock()

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        clock.now += seconds

    monkeypatch.setattr(connections, "asyncio", SimpleNamespace(sleep=sleep))
    monkeypatch.setattr(connections, "time", clock)
    return waits


# --- Every kind ---------------------------------------------------------------------------------------------


def test_every_kind_of_message_is_on_a_list() -> None:
    """Fails at a message new in Streamlit: decide then whether a page of the app sends it."""
    assert known(BackMsg(), "type") == MAY_PASS.keys() == PASSES | REFUSED_KINDS
    assert (
        known(BackendOperationRequest(), "payload")
        == OPERATION_MAY_PASS.keys()
        == OPERATIONS | REFUSED_OPERATIONS
    )
    assert known(WidgetState(), "value") == VALUE_MAY_PASS.keys()
    assert VALUE_MAY_PASS.keys() - REFUSED_VALUES == {name for name, may in VALUE_MAY_PASS.items() if may}
    assert {name for name, may in MAY_PASS.items() if may} == PASSES
    assert {name for name, may in OPERATION_MAY_PASS.items() if may} == OPERATIONS


@pytest.mark.parametrize("kind", sorted(known(BackMsg(), "type") - {"backend_operation_request"}))
def test_each_kind_through_the_guard(kind: str) -> None:
    data = one(BackMsg(), kind).SerializeToString()
    arrived, got, _visited = send_all([data])
    if MAY_PASS[kind]:
        assert arrived == [data]
        assert got == [{"type": "websocket.accept"}, {"type": "websocket.send", "bytes": b"the last"}]
    else:
        assert arrived == []
        assert [(event["type"], event.get("code")) for event in got] == [
            ("websocket.accept", None),
            ("websocket.close", 1008),
        ]


@pytest.mark.parametrize("operation", sorted(known(BackendOperationRequest(), "payload")))
def test_each_operation_through_the_guard(operation: str) -> None:
    data = BackMsg(backend_operation_request=one(BackendOperationRequest(), operation)).SerializeToString()
    assert send_all([data])[0] == ([data] if OPERATION_MAY_PASS[operation] else [])


@pytest.mark.parametrize("value", sorted(known(WidgetState(), "value")))
def test_each_value_of_a_widget_through_the_guard(value: str) -> None:
    data = rerun(one(WidgetState(id="a"), value))
    assert send_all([data])[0] == ([data] if VALUE_MAY_PASS[value] else [])


@pytest.mark.parametrize(
    "data", [b"", BackMsg().SerializeToString(), BackMsg(backend_operation_request={}).SerializeToString(), "text", b"\xff" * 20, b"\x5a\x05\x0a", b"\x5b\x5c", b"\x5a\x02\x0a\x00" + b"\x28\x01"]
)  # fmt: skip
def test_invalid_messages_close_the_connection(data: bytes | str) -> None:
    """Nothing, nothing in it, no operation, text, no protobuf, cut off, a group, and a run followed by
    `clear_cache`."""
    good = BackMsg(app_heartbeat=True).SerializeToString()
    arrived, got, _visited = send_all([good, data, good])
    assert arrived == [good], "nothing after it is read"
    assert got[-1]["code"] == 1008


# --- How much -----------------------------------------------------------------------------------------------


def rerun(*widgets: WidgetState, **rest: Any) -> bytes:
    message = BackMsg()
    message.rerun_script.widget_states.widgets.extend(widgets)
    for name, value in rest.items():
        setattr(message.rerun_script, name, value)
    return bytes(message.SerializeToString())


def held(data: bytes) -> WidgetState:
    """The first widget of a message after the guard."""
    message = BackMsg()
    message.ParseFromString(examine(data).data)
    widget: WidgetState = message.rerun_script.widget_states.widgets[0]
    return widget


def test_a_text_is_cut_to_one_character_more_than_fits() -> None:
    """So the page reports its length, and the session doesn't keep it."""
    for size in (0, 1, PASTE_LIMIT, PLAYGROUND_LIMIT):
        assert held(rerun(WidgetState(id=BOX, string_value="é" * size))).string_value == "é" * size
    assert held(rerun(WidgetState(id=BOX, string_value="é" * 3_000_000))).string_value == "é" * (
        PLAYGROUND_LIMIT + 1
    )
    other = WidgetState(id="$$ID-0-bpe.find", string_value="é" * 3_000_000)
    assert held(rerun(other)).string_value == "é" * (PASTE_LIMIT + 1)


@pytest.mark.many(2)
@pytest.mark.parametrize("letter", ["a", "é", "\n", "\\", '"', "\x01", "😀", "字"])
def test_the_editors_long_values_are_cut_within_the_string(letter: str) -> None:
    for size in (PLAYGROUND_LIMIT, PLAYGROUND_LIMIT + 1):
        said = json.dumps({"text": [3, letter * size]}, ensure_ascii=False)
        assert json.loads(held(rerun(WidgetState(id="a", json_value=said))).json_value) == {
            "text": [3, letter * size]
        }
    size = min(3_000_000, MESSAGE_LIMIT // len(json.dumps(letter, ensure_ascii=False).encode()) - 100)
    said = json.dumps({"text": [3, letter * size], "more": "a"}, ensure_ascii=False)
    cut = json.loads(held(rerun(WidgetState(id="a", json_value=said))).json_value)
    assert cut == {"text": [3, letter * min(size, PLAYGROUND_LIMIT + 1)], "more": "a"}


@pytest.mark.parametrize(
    "said",
    ["[" + "[]," * JSON_BESIDES + "[]]", "[" * JSON_BESIDES * 2, '["' + "a" * JSON_BESIDES, '"' * (2 * JSON_STRINGS + 2) + " " * JSON_BESIDES, '"\\', '"\\"' * JSON_BESIDES, '"' + "a" * PLAYGROUND_LIMIT + '\n"']
)  # fmt: skip
def test_json_that_no_component_sends_is_refused(said: str) -> None:
    if len(said) <= JSON_BESIDES:
        assert held(rerun(WidgetState(id="a", json_value=said))).json_value == said, (
            "short: Streamlit's matter"
        )
    else:
        with pytest.raises(Refused):
            examine(rerun(WidgetState(id="a", json_value=said)))


def test_sizes_are_limited() -> None:
    text = WidgetState(id=BOX, string_value="é" * PLAYGROUND_LIMIT)
    assert examine(rerun(*[text] * 3)).data == rerun(*[text] * 3)
    assert STATES_LIMIT < len(rerun(*[text] * 5)) < MESSAGE_LIMIT
    for data in (
        rerun(*[text] * 5),
        rerun(WidgetState(id="a", json_trigger_value="a" * 2 * JSON_BESIDES)),
        rerun(WidgetState(id="a" * 2_000)),
        rerun(*[WidgetState(id="a")] * (WIDGETS_LIMIT + 1)),
        rerun(query_string="a" * BESIDES_LIMIT),
        rerun(text, query_string="a" * MESSAGE_LIMIT),
        BackMsg(file_urls_request={"file_names": ["a"] * (UPLOAD_ADDRESSES + 1)}).SerializeToString(),
        BackMsg(file_urls_request={"file_names": ["a" * 2_000_000]}).SerializeToString(),
        BackMsg(
            backend_operation_request={"deferred_file": {"file_id": "a" * BESIDES_LIMIT}}
        ).SerializeToString(),
    ):
        with pytest.raises(Refused):
            examine(data)
    names = BackMsg(file_urls_request={"request_id": "1", "file_names": ["vocab.txt"] * UPLOAD_ADDRESSES})
    assert examine(names.SerializeToString()).data == names.SerializeToString()


def test_parts_are_counted_before_anything_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six million widgets of two bytes: 2.4 seconds and 400 MB, once they are objects."""
    monkeypatch.setattr(messages, "BackMsg", None)
    widgets = b"\x0a\x00" * 5_000_000
    states = b"\x12" + varint(len(widgets)) + widgets
    with pytest.raises(Refused, match=f"more than {MESSAGE_FIELDS} parts"):
        examine(b"\x5a" + varint(len(states)) + states)


def varint(value: int) -> bytes:
    data = b""
    while value > 127:
        data += bytes([value & 127 | 128])
        value >>= 7
    return data + bytes([value])


def test_anything_at_all_passes_as_it_is_or_is_refused() -> None:
    """Random and mutated messages. Oracle: the protobuf library, which reads each passing one as one of the
    allowed kinds."""
    chance = random.Random(23)
    seeds = [
        rerun(WidgetState(id=BOX, string_value="hug"), WidgetState(id="b", json_value='{"a": ["b"]}'), query_string="a=b"),
        BackMsg(file_urls_request={"request_id": "1", "file_names": ["a", "b"]}).SerializeToString(),
        BackMsg(backend_operation_request={"deferred_file": {"file_id": "a"}}).SerializeToString(),
    ]  # fmt: skip
    passed = 0
    for _ in range(20_000):
        data = bytearray(
            chance.choice(seeds) if chance.random() < 0.9 else chance.randbytes(chance.randrange(60))
        )
        for _ in range(chance.randrange(4)):
            at = chance.randrange(len(data) + 1)
            data[at : at + chance.randrange(3)] = chance.randbytes(chance.randrange(3))
        try:
            message = examine(bytes(data))
        except Refused:
            continue
        passed += 1
        read = BackMsg.FromString(message.data)
        assert message.data == data
        assert read.WhichOneof("type") == message.kind in PASSES
    assert passed > 2_000


# --- How often ----------------------------------------------------------------------------------------------


def test_messages_over_the_rate_wait(slept: list[float]) -> None:
    data = rerun()
    arrived, _got, _visited = send_all([data] * 200)
    assert len(arrived) == 200, "nothing is lost"
    assert sum(slept) == pytest.approx((200 - 20) / 4)


def test_a_pages_own_requests_over_the_rate_are_dropped(slept: list[float]) -> None:
    arrived, _got, _visited = send_all([rerun(is_auto_rerun=True)] * 200 + [rerun()])
    assert len(arrived) == 20 + 1
    assert sum(slept) == pytest.approx(1 / 4)


def test_on_a_busy_server_heavy_users_wait_for_light_ones(slept: list[float]) -> None:
    """Before, four connections at full speed made everybody else wait 1.6 s."""
    visited = Visited()
    send_all([rerun()] * 4, guards=quiet(visited, busy=True))
    send_all([rerun(fragment_id="a")] * 16, guards=quiet(visited, busy=True))
    assert sum(slept) == 0
    send_all([rerun()] * 20, guards=quiet(visited, busy=True))
    assert sum(slept) == pytest.approx((20 - 4) / 0.7, rel=0.05)
    slept.clear()
    send_all([rerun()] * 20, guards=quiet(visited))
    assert sum(slept) == 0
    arrived, _got, _visited = send_all([rerun(is_auto_rerun=True)] * 20, guards=quiet(visited, busy=True))
    assert len(arrived) == 4 and sum(slept) == 0


def test_a_single_visitor_never_waits_for_others(slept: list[float]) -> None:
    load = Load()
    load.busy = lambda: True  # type: ignore[method-assign]
    guards = Connections(Visited(), load)  # type: ignore[arg-type]
    send_all([rerun()] * 20, guards=guards)
    assert sum(slept) == 0
    send_all([rerun()] * 20, guards=guards)
    assert sum(slept) > 5, "somebody else has been here a moment ago"


def test_the_wait_of_a_busy_server_has_an_end(slept: list[float]) -> None:
    load = Idle()
    guards = Connections(Visited(), load)  # type: ignore[arg-type]
    send_all([rerun()] * 200, guards=guards)
    load.said, before = True, sum(slept)
    send_all([rerun()] * 5, guards=guards)
    assert max(slept) <= 5 and sum(slept) - before < 5 * 5 + 1


def test_a_process_that_works_is_busy_and_one_that_sleeps_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """On clocks of its own: 0.6 seconds pass each time, so many of them with work for the processor."""
    passed, worked = 0.0, 0.0
    clocks = SimpleNamespace(monotonic=lambda: passed, process_time=lambda: worked)
    monkeypatch.setattr(rates, "time", clocks)
    load, text = Load(), []
    for work in (0.0, 0.5, 0.6, 0.1):
        passed, worked = passed + 0.6, worked + work
        text.append(load.busy())
    assert text == [False, True, True, False]
    passed, worked = passed + 0.1, worked + 0.1
    assert not load.busy()  # measured anew after half a second only


def test_an_address_has_a_rate_of_its_own(slept: list[float]) -> None:
    guards = quiet(Visited())
    for _ in range(200):  # two hundred visitors, one after the other, each as fast as one may
        assert len(send_all([rerun()] * 20, guards=guards)[0]) == 20
    assert sum(slept) == pytest.approx((200 * 20 - 3_000) / 120, rel=0.05)


def test_a_lecture_hall_comes_in_and_clicks_without_a_wait(slept: list[float]) -> None:
    guards = quiet(Visited())
    for _ in range(300):
        send_all([rerun()] * 8, guards=guards)
    assert sum(slept) == 0


async def test_an_address_has_so_many_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open ones count, and no others."""
    monkeypatch.setattr(connections, "CONNECTIONS_EACH", 2)
    got: list[Any] = []

    async def send(event: Any) -> None:
        got.append(event)

    guards, served, over = Connections(Visited()), [], asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        served.append(scope["client"][0])
        await over.wait()

    def come(address: str) -> asyncio.Task[None]:
        scope = {"type": "websocket", "client": (address, 5), "headers": []}
        return asyncio.create_task(guards.serve(app, scope, None, send))  # type: ignore[arg-type]

    there = [come(address) for address in ("192.0.2.1", "192.0.2.1", "192.0.2.1", "198.51.100.9")]
    for _ in range(5):
        await asyncio.sleep(0)
    assert served == ["192.0.2.1", "192.0.2.1", "198.51.100.9"]
    assert got == [{"type": "websocket.close", "code": 1013}]
    over.set()
    await asyncio.gather(*there, come("192.0.2.1"))
    assert len(served) == 4 and len(got) == 1, "there is room again"


def test_disconnected_visitors_are_not_served(slept: list[float]) -> None:
    """Thousands of small messages fit into one packet; the guard would hand them on for an hour."""
    handed_on = 0

    async def app(scope: Any, receive: Any, send: Any) -> None:
        nonlocal handed_on
        while (await receive())["type"] == "websocket.receive":
            handed_on += 1
            await send({"type": "websocket.send", "bytes": b"an answer"})

    async def receive() -> Any:
        return {"type": "websocket.receive", "bytes": rerun()}

    async def send(event: Any) -> None:
        raise OSError("gone")

    scope = {"type": "websocket", "client": None, "headers": []}
    finished(Connections(Visited()).serve(app, scope, receive, send))  # type: ignore[arg-type]
    assert handed_on == 1


# --- Identity -----------------------------------------------------------------------------------------------


def test_arrivals_and_departures_are_recorded() -> None:
    text = ForwardMsg()
    text.new_session.initialize.session_id = "mine"
    other = ForwardMsg(script_finished=0)
    answers = [other.SerializeToString(), text.SerializeToString(), text.SerializeToString()]
    assert send_all([rerun()], answers)[2].calls == [("arrive", "mine at 192.0.2.1"), ("leave", "mine")]
    assert send_all([b"\xff"], answers)[2].calls == [("arrive", "mine at 192.0.2.1"), ("leave", "mine")]
    # A browser asks for its old session while connecting, and perhaps says nothing after that.
    assert send_all([], subprotocols=["streamlit", "xsrf", "old"])[2].calls == [("leave", "old")]
    # A session may exist all the same without a word from Streamlit.
    assert send_all([], subprotocols=["streamlit"])[2].calls == [("leave", "")]


def test_the_log_has_the_reason_and_no_quotes(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        send_all([rerun(WidgetState(id="a", bytes_value=b"my words"))])
    (record,) = caplog.records
    assert "bytes_value" in record.getMessage()
    assert "my words" not in record.getMessage()
