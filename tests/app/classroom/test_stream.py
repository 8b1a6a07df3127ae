"""Events at browsers: each once and in order, also for late, returning and slow ones.

Source: the HTML Standard, Server-sent events. Oracle: the events, in the order of sending.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.app.classroom.web import QUESTION, Ear, Web, attend
from tests.loops import reached, turns
from tests.waiting import Clock
from tokensteps.classroom import routes, stream
from tokensteps.classroom.store import FileStore
from tokensteps.limits import (
    CLASS_BEHIND,
    CLASS_IDLE_SECONDS,
    CLASS_SECONDS,
    PRESENCE_LOST,
    PRESENCE_SECONDS,
    STREAMS_EACH,
)

Make = Callable[[], Web]


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Make:
    return attend(monkeypatch, tmp_path)


async def step(web: Web, code: str, key: str, number: int) -> None:
    assert (await web.post(f"{code}/place", **{"as": key}, page="bpe", query="", step=number)).status == 200


async def test_all_clients_hear_each_step_once_and_in_order(make: Make) -> None:
    web = make()
    code, key = await web.open()
    ears = [web.listen(code, await web.join(code)) for _ in range(5)]
    for ear in ears:
        await ear.hears("state")
    for number in range(30):
        await step(web, code, key, number)
    late = web.listen(code, await web.join(code))
    for ear in ears:
        await ear.hears("place", 30)
        assert [one["step"] for one in ear.named("place")] == [*range(30)]
        ids = [number for _name, _data, number in ear.events]
        assert ids == sorted({*ids})
    assert (await late.hears("state"))["place"]["step"] == 29, "who comes late is at the present step"
    head = {name.decode(): value.decode() for name, value in ears[0].messages[0]["headers"]}
    assert head["content-type"].startswith("text/event-stream")
    assert (head["x-accel-buffering"], head["cache-control"]) == ("no", "no-store")


async def test_returning_clients_get_exactly_the_missed_events(make: Make) -> None:
    chance = random.Random(3)
    web = make()
    code, key = await web.open()
    device = await web.join(code)
    heard: list[int] = []
    ear, last = web.listen(code, device), 0
    await ear.hears("state")
    for number in range(60):
        await step(web, code, key, number)
        if chance.random() < 0.2:  # the connection breaks, wherever it is
            ear.gone.set()
            await asyncio.sleep(0)
            heard += [one["step"] for one in ear.named("place")]
            last = max([last, *(number or 0 for _name, _data, number in ear.events)])
            ear = web.listen(code, device, after=last)
    await step(web, code, key, 60)
    await ear.hears("place", 61 - len(heard))
    heard += [one["step"] for one in ear.named("place")]
    assert heard == [*range(61)]
    assert "state" not in [name for name, _data, _id in ear.events]


async def test_a_returning_lecturer_gets_the_missed_events_and_the_people(make: Make) -> None:
    web = make()
    code, key = await web.open()
    await web.join(code)
    known = (await web.hub.get(code)).room.known
    for number in range(3):
        await step(web, code, key, number)
    wall = web.listen(code, key, after=known)
    assert await wall.hears("people") == {"here": 0, "follow": 0, "joined": 1}
    assert [one["step"] for one in wall.named("place")] == [0, 1, 2]
    assert wall.named("state") == []


@pytest.mark.parametrize("after", [10**6, -1, "x", "9" * 50])
async def test_an_impossible_id_gets_the_whole_state(make: Make, after: object) -> None:
    web = make()
    code, _key = await web.open()
    ear = web.listen(code, await web.join(code), after=after)  # type: ignore[arg-type]
    assert (await ear.hears("state"))["role"] == "student"


async def test_a_slow_reader_holds_nothing_up_and_nothing_in_memory(make: Make) -> None:
    """The reader takes one event and no more; a thousand steps later it gets the class's place, not the way
    there."""
    web = make()
    code, key = await web.open()
    slow = web.listen(code, await web.join(code), Ear(taken=1))
    quick = web.listen(code, await web.join(code))
    await slow.hears("state")
    number = 0
    while number < CLASS_BEHIND + 100:
        for _ in range(100):
            number += 1
            open_class = await web.hub.get(code)
            await web.hub.add(
                open_class, {"do": "place", "at": 0.0, "page": "bpe", "query": "", "step": number, "tab": ""}
            )
        assert (await quick.hears("place"))["step"] <= number
    assert len(slow.raw) == 1
    assert len(open_class.room.notes[False].after(0)) == CLASS_BEHIND
    slow.taken = None
    slow.goes.set()
    assert (await slow.hears("state", 2))["place"]["step"] == number
    assert slow.named("place") == []
    await step(web, code, key, 7)
    assert (await slow.hears("place"))["step"] == 7, "and it follows again"


async def test_a_device_has_few_streams(make: Make) -> None:
    web = make()
    code, key = await web.open()
    device = await web.join(code)
    ears = [web.listen(code, device) for _ in range(STREAMS_EACH + 3)]
    await ears[-1].hears("state")

    def ended() -> list[bool]:
        return [not ear.messages[-1].get("more_body") and len(ear.messages) > 1 for ear in ears]

    await reached(lambda: sum(ended()) >= 3)
    await turns()
    assert ended() == [True] * 3 + [False] * STREAMS_EACH
    open_class = await web.hub.get(code)
    assert open_class.people().here == 1, "it is one student"
    for ear in ears:
        ear.gone.set()
    await reached(lambda: open_class.people().here == 0)
    await step(web, code, key, 1)


async def test_an_address_has_a_limit_of_streams(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "CONNECTIONS_EACH", 2)
    web = make()
    code, _key = await web.open()
    devices = [await web.join(code) for _ in range(3)]
    for device in devices[:2]:
        await web.listen(code, device).hears("state")
    refused = await web.get(f"{code}/events", **{"as": devices[2]})
    assert (refused.status, refused.error) == (429, "often")
    web.tasks[0].cancel()
    await asyncio.gather(web.tasks[0], return_exceptions=True)
    await web.listen(code, devices[2]).hears("state")


async def test_hundreds_of_answers_wake_no_student(make: Make) -> None:
    """Nor does a student who comes back after them need everything anew."""
    web = make()
    code, key = await web.open()
    device = await web.join(code)
    ear = web.listen(code, device)
    await step(web, code, key, 1)
    await web.post(f"{code}/give", **{"as": key}, page="exercises", query="", questions=100)
    await ear.hears("give")
    open_class = await web.hub.get(code)
    [listening] = open_class.streams[1]
    for number in range(CLASS_BEHIND + 50):
        entry = {
            "do": "answer",
            "at": 0.0,
            "n": 1,
            "round": 1,
            "q": number % 100,
            "a": "right" if number % 200 < 100 else "wrong",
        }
        open_class.room.devices[1].entries = 0
        await web.hub.add(open_class, entry)
    assert not listening.bell.is_set()
    again = web.listen(code, device, after=ear.events[-1][2])
    await step(web, code, key, 2)
    for one in (ear, again):
        assert (await one.hears("place", 1 + (one is ear)))["step"] == 2
    assert again.named("state") == []


async def test_the_wall_has_counts_and_no_names(make: Make) -> None:
    web = make()
    code, key = await web.open()
    wall, devices = web.listen(code, key), [await web.join(code) for _ in range(12)]
    await step(web, code, key, 1)
    await web.post(f"{code}/ask", **{"as": key}, question=QUESTION)
    for device in devices:
        await web.post(f"{code}/answer", **{"as": device}, round=1, answer="b")
    await reached(lambda: wall.named("tally") and wall.named("tally")[-1]["answered"] == 12)
    assert wall.named("tally")[-1]["bars"] == [{"answer": "a", "count": 0}, {"answer": "b", "count": 12}], (
        "the lecturer's own screen has them before the wall does"
    )
    await web.post(f"{code}/show", **{"as": key}, round=1)
    shown = await wall.hears("shown")
    assert shown["bars"] == [{"answer": "a", "count": 0}, {"answer": "b", "count": 12}]
    assert "key" not in shown
    await web.post(f"{code}/reveal", **{"as": key}, round=1)
    assert (await wall.hears("reveal"))["right"] == 0
    assert len(wall.named("tally")) <= 12


async def test_a_countdown_goes_on_for_whoever_hears_of_it_late(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By the server's clock: in the event, in the state of a newcomer, and in the event of a phone that comes
    back."""
    clock = Clock()
    web = attend(monkeypatch, tmp_path, clock)()
    code, key = await web.open()
    device = await web.join(code)
    ears = [web.listen(code, key), web.listen(code, device)]
    for ear in ears:
        await ear.hears("state")
    await step(web, code, key, 1)
    await web.post(f"{code}/ask", **{"as": key}, question={**QUESTION, "seconds": 30})
    for ear in ears:
        assert (await ear.hears("ask"))["left"] == 30
    clock.now += 12
    late, back = web.listen(code, device), web.listen(code, device, after=3)
    assert (await late.hears("state"))["round"]["left"] == 18
    assert (await back.hears("ask"))["left"] == 18


async def test_people_are_counted_across_servers(make: Make) -> None:
    one, other = make(), make()
    code, key = await one.open()
    wall = one.listen(code, key)
    here = [one.listen(code, await one.join(code)) for _ in range(2)]
    there = other.listen(code, (devices := [await other.join(code) for _ in range(2)])[0])
    await there.hears("state")
    await wall.hears("people")
    await reached(lambda: wall.named("people")[-1] == {"here": 3, "follow": 3, "joined": 4})
    await other.post(f"{code}/mode", **{"as": devices[0]}, follows=False)
    await step(one, code, key, 4)
    assert (await there.hears("place"))["step"] == 4, "the other server hears of it"
    here[0].gone.set()
    await reached(lambda: wall.named("people")[-1] == {"here": 2, "follow": 1, "joined": 4})


async def test_the_same_people_are_noted_again_only_after_a_while(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each note is a write for all servers to wait for. Oracle: the calls of the store, counted."""
    clock, calls = Clock(), Counter[str]()
    web = attend(monkeypatch, tmp_path, clock)()
    for name in ("here", "everywhere"):
        ask = getattr(web.store, name)
        monkeypatch.setattr(
            web.store, name, lambda *given, name=name, ask=ask: (calls.update([name]), ask(*given))[1]
        )

    code, key = await web.open()
    for who in (key, await web.join(code)):
        await web.listen(code, who).hears("state")
    clock.now += PRESENCE_SECONDS
    await reached(lambda: calls["here"] == 1)
    for _ in range(2):  # less than a third of the time after which they would be taken for lost
        counts = calls["everywhere"]
        clock.now += PRESENCE_SECONDS
        await reached(lambda counts=counts: calls["everywhere"] > counts)
    assert calls["here"] == 1
    clock.now += PRESENCE_LOST
    await reached(lambda: calls["here"] == 2)


async def test_who_comes_wakes_the_lecturer_alone(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    web = make()
    code, key = await web.open()
    devices = [await web.join(code) for _ in range(2)]
    wall, here = web.listen(code, key), web.listen(code, devices[0])
    await here.hears("state")
    counted = {"here": 1, "follow": 1, "joined": 2}
    await reached(lambda: counted in (*wall.named("people"), *(one["people"] for one in wall.named("state"))))
    [listening] = (await web.hub.get(code)).streams[1]
    woken: list[str] = []
    monkeypatch.setattr(listening.bell, "set", lambda: woken.append("woken"))
    await web.listen(code, devices[1]).hears("state")
    await reached(lambda: wall.named("people") and wall.named("people")[-1]["here"] == 2)
    await turns()
    assert not woken


async def test_the_lecturer_hears_of_a_student_who_comes_back(make: Make) -> None:
    """After a reload, say."""
    web = make()
    code, key = await web.open()
    wall, device = web.listen(code, key), await web.join(code)
    for visit in range(3):
        ear = web.listen(code, device)
        await reached(lambda: wall.named("people") and wall.named("people")[-1]["here"] == 1)
        ear.gone.set()
        await reached(lambda: wall.named("people")[-1]["here"] == 0)
        assert len(wall.named("people")) <= 4 + 2 * visit


async def test_a_quiet_stream_sends_pings(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "PING_SECONDS", 0.05)
    web = make()
    code, _key = await web.open()
    ear = web.listen(code, await web.join(code))
    await ear.hears("state")
    await reached(lambda: ear.raw.count(stream.PING) >= 2)


async def test_a_class_ends_for_all(make: Make) -> None:
    web = make()
    code, key = await web.open()
    ears = [web.listen(code, key), web.listen(code, await web.join(code))]
    for ear in ears:
        await ear.hears("state")
    await web.post(f"{code}/end", **{"as": key})
    for ear, task in zip(ears, web.tasks, strict=True):
        await ear.hears("end")
        await asyncio.wait_for(task, 60)
        assert not ear.messages[-1].get("more_body")


async def test_a_server_that_ends_lets_its_streams_go(make: Make) -> None:
    """Otherwise the server would wait for them for ever."""
    web = make()
    code, _key = await web.open()
    ear = web.listen(code, await web.join(code))
    await ear.hears("state")
    web.hub.close()
    await asyncio.wait_for(web.tasks[0], 60)
    again = make()
    code_there = await again.hub.get(code)
    assert code_there.room.known == 2, "and the next one knows the class"


async def test_an_unused_class_leaves_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    clock = Clock()
    web = attend(monkeypatch, tmp_path, clock)()
    code, _key = await web.open()
    device = await web.join(code)
    assert web.hub.knows(code)
    clock.now += CLASS_IDLE_SECONDS + 2
    await reached(lambda: not web.hub.knows(code))
    assert (await web.post(f"{code}/join", device=device)).json["number"] == 1, "it is in the store"


async def test_people_are_counted_when_a_clock_was_set_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    clock = Clock()
    web = attend(monkeypatch, tmp_path, clock)()
    code, key = await web.open()
    wall, device = web.listen(code, key), await web.join(code)
    await wall.hears("state")
    for back in (0, 3600):
        student = web.listen(code, device)
        await student.hears("state")
        clock.now += PRESENCE_SECONDS - back
        await reached(lambda: wall.named("people") and wall.named("people")[-1]["here"] == 1)
        student.gone.set()
        await web.tasks[-1]
        clock.now += PRESENCE_SECONDS
        await reached(lambda: wall.named("people")[-1]["here"] == 0)


async def test_a_class_lost_by_the_store_ends_for_all(make: Make, tmp_path: Path) -> None:
    """As when a Redis starts again empty: nobody goes on listening to a class without a log."""
    web = make()
    code, _key = await web.open()
    ears = [web.listen(code, await web.join(code)) for _ in range(3)]
    for ear in ears:
        await ear.hears("state")
    elsewhere = FileStore(tmp_path / "classes.sqlite")
    assert elsewhere.create("MNPRTW", "open", time.time() + CLASS_SECONDS), "which forgets the old ones"
    for task in web.tasks:
        await asyncio.wait_for(task, 60)
    assert (await web.post(f"{code}/join")).json["error"] == "gone"
