"""The costs of a class to the server shared with all others: work is counted, and bytes, not seconds.

Source: SECURITY.md, “… what it costs the others”. Oracle: the answers, counted one by one.
"""

from __future__ import annotations

import asyncio
import json
import random
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.app.classroom.web import QUESTION, Ear, Web, attend
from tests.loops import reached, turns
from tests.waiting import Clock
from tokensteps.classroom import questions, rounds, stream, summary
from tokensteps.classroom.codes import Person
from tokensteps.classroom.events import People, events
from tokensteps.classroom.hub import WOKEN
from tokensteps.classroom.questions import AnswerKey, Judgement
from tokensteps.classroom.room import Room, as_line
from tokensteps.classroom.rounds import Round
from tokensteps.limits import (
    BARS,
    CLASS_BEHIND_BYTES,
    CLASS_BODY,
    CLASS_LINE,
    NUMBER_LIMIT,
    QUESTION_BYTES,
    SEALED_LIMIT,
    STREAM_PIECE,
    STREAMS_EACH,
    SUMMARY_PIECE,
    SUMMARY_RATE,
)

Make = Callable[[], Web]
NUMBERS = [f"0.{number:038d}" for number in range(40)]
NUMERIC = {"kind": "own", "say": {"en": "How many?"}, "input": "number", "key": NUMBERS}
FREE = {"kind": "own", "say": {"en": "What is a token?"}, "input": "free", "key": []}
LONG = "q" * 59_000


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Make:
    return attend(monkeypatch, tmp_path, Clock())


def say(room: Room, do: str, **what: Any) -> None:
    entry = {"do": do, "at": 1.0, **what}
    assert room.apply(as_line(entry), entry) is None


def lead(room: Room, query: str, step: int = 0) -> None:
    say(room, "place", page="bpe", query=query, step=step, tab="")


async def add_entry(web: Web, code: str, do: str, **what: Any) -> None:
    """Add an entry to a class and its log."""
    await web.hub.add(await web.hub.get(code), {"do": do, "at": 0.0, **what})


def a_room(devices: int = 0, nicknames: bool = True) -> Room:
    room = Room("CDFHJK")
    say(room, "open", born="b", nicknames=nicknames)
    lead(room, "")
    for _ in range(devices):
        say(room, "join")
    return room


def test_a_key_is_read_once_and_an_answer_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read, judged = list[AnswerKey](), Counter[str]()

    class Counting(AnswerKey):
        def __init__(self, question: Mapping[str, Any]) -> None:
            read.append(self)
            super().__init__(question)

        def verdict(self, answer: str) -> Judgement | None:
            judged[answer] += 1
            return super().verdict(answer)

    monkeypatch.setattr(rounds, "AnswerKey", Counting)
    room = a_room(devices=300)
    say(room, "ask", question=questions.read_question(NUMERIC))
    for device in range(1, 301):
        say(room, "answer", n=device, round=1, a=f"{device % 100}.5")
    say(room, "reveal", round=1)
    for _ in range(3):
        for summarize in summary.SUMMARIES.values():
            assert summarize(room)
        for person in (Person("CDFHJK", "b", 0), Person("CDFHJK", "b", 7)):
            assert b"reveal" in b"".join(events(room, 0, person, People(0, 0), 1.0))
    assert len(read) == 1 and judged.total() == 100 == len(judged)


@pytest.mark.parametrize("shape", ["number", "text", "choices"])
def test_bars_and_verdicts_are_those_of_the_answers_counted_one_by_one(shape: str) -> None:
    chance = random.Random(shape)
    offered = [str(number / 4) for number in range(30)]
    question: dict[str, Any] = {
        "input": shape,
        "key": ["1.0", "3.0"],
        "tied": ["2.0", "7.0"],
        "say": {"en": ""},
    }
    if shape == "choices":
        question["choices"] = [{"id": one} for one in offered]
    this_round = Round(1, 1, question, {}, 0.0)
    latest: dict[int, str] = {}
    for turn in range(400):
        device = chance.randrange(60)
        latest[device] = chance.choice(offered)
        this_round.put(device, latest[device])
        if turn % 20:
            continue
        counts = Counter(latest.values())
        right = [one for one in latest.values() if one in question["key"]]
        tied = [one for one in latest.values() if one in question["tied"] and one not in right]
        ordered = sorted(counts, key=lambda one: (-counts[one], one))
        message = this_round.bars()
        rare = [one for one in ordered[BARS:] if one in question["key"]]
        shown = offered if shape == "choices" else ordered[:BARS] + rare
        assert message["bars"] == [{"answer": one, "count": counts[one]} for one in shown]
        hidden = {*counts} - {*shown}
        assert message["others"] == {"answers": len(hidden), "count": sum(counts[one] for one in hidden)}
        assert (this_round.right(), this_round.tied()) == (len(right), len(tied))
        assert {device: this_round.verdict(device) == "right" for device in latest} == {
            device: one in right for device, one in latest.items()
        }


async def test_a_number_has_few_digits_and_a_question_few_bytes(make: Make) -> None:
    web = make()
    code, key = await web.open()
    device = await web.join(code)
    await web.post(f"{code}/place", **{"as": key}, page="bpe", query="", step=1)
    long = "9" * (NUMBER_LIMIT + 1)
    assert (await web.post(f"{code}/ask", **{"as": key}, question={**NUMERIC, "key": [long]})).error == "form"
    assert (await web.post(f"{code}/ask", **{"as": key}, question=NUMERIC)).json["round"] == 1
    answer = {"as": device, "round": 1}
    assert (await web.post(f"{code}/answer", **answer, answer=long)).error == "form"
    assert (await web.post(f"{code}/answer", **answer, answer=long[:-1])).status == 200
    large = {**QUESTION, "input": "text", "key": ["\u5b57" * 400] * (QUESTION_BYTES // 2400 + 1)}
    assert (await web.post(f"{code}/ask", **{"as": key}, question=large)).error == "large"
    for letters, error in ((CLASS_LINE // 6, "large"), (CLASS_LINE // 6 - 50, None)):
        wide = {"as": key, "page": "bpe", "query": "\u5b57" * letters, "step": 1}
        sent = json.dumps(wide, ensure_ascii=False).encode()  # three bytes a letter, six in the log
        assert len(sent) < CLASS_BODY
        assert (await web.ask("POST", f"{code}/place", sent)).json.get("error") == error
    many = "q" * (SEALED_LIMIT + 1)
    assert (await web.post(f"{code}/place", **{"as": key}, page="bpe", query=many, step=1)).error == "form"


async def test_clients_far_behind_long_addresses_get_the_present_state(make: Make) -> None:
    """400 moves between two addresses of 59 KB would be 24 MB for each returning student."""
    web = make()
    code, _key = await web.open()
    device = await web.join(code)
    open_class = await web.hub.get(code)
    for turn in range(400):
        where = {"run": turn % 2 + 1} if turn > 1 else {"page": "bpe", "query": f"{turn}{LONG}"}
        await web.hub.add(open_class, {"do": "place", "at": 0.0, **where, "step": turn, "tab": ""})
    said = open_class.room.notes[False].after(0)
    assert sum(len(as_line(note.data)) for note in said) <= CLASS_BEHIND_BYTES
    assert said[-1].data["step"] == 399
    ear = web.listen(code, device, after=10)
    assert (await ear.hears("state"))["place"]["step"] == 399
    assert sum(map(len, ear.raw)) < 2 * len(LONG)


def test_a_few_devices_never_fill_a_class() -> None:
    """One phone joins a hundred times, and each of its devices writes as much as it may, in the longest
    answers: the others have as much room as ever."""
    room = a_room(102)
    lead(room, "corpus=hug")
    say(room, "ask", question=FREE)
    outcomes = set()
    for device in range(1, 101):
        for change in range(20):
            answer = f"{chr(0x1F600) * 399}{chr(97 + change)}"
            entry = {"do": "answer", "at": 1.0, "n": device, "round": 1, "a": answer}
            outcomes.add(room.verdict(entry) or room.apply(as_line(entry), entry))
    assert outcomes == {None, "enough"}
    for number in range(102, 1_000):
        say(room, "join", nickname="")
        for change in range(10):
            say(room, "answer", n=number, round=1, a=f"a piece of a word, {change}")


def test_questions_do_not_repeat_their_runs_long_address() -> None:
    """The address of a run is said once, wherever a summary or a state speaks of its questions."""
    room = a_room(devices=BARS)
    lead(room, LONG)
    for number in range(1, 51):
        say(room, "ask", question=questions.read_question({**NUMERIC, "key": [], "say": {"": f"{number}?"}}))
        for device in range(1, BARS + 1):
            say(room, "answer", n=device, round=number, a=str(device))
    for kind, summarize in summary.SUMMARIES.items():
        assert len(summarize(room)) < 2 * len(LONG) + 50 * BARS * 100, kind
    assert json.loads(summary.SUMMARIES["json"](room))["runs"][1]["query"] == LONG
    lead(room, "corpus=course")
    say(room, "ask", question=questions.read_question(QUESTION))
    assert b"bpe,corpus=course,0,pair" in summary.SUMMARIES["csv"](room), "others' addresses are in the table"


async def test_a_stream_is_produced_as_it_is_read(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lecturer comes late to 150 questions with long keys, and reads nothing: only the fitting part is
    made, in small pieces."""
    summarized: list[int] = []
    whole = stream.round_summary

    def counted(this_round: Round) -> Any:
        summarized.append(this_round.number)
        return whole(this_round)

    monkeypatch.setattr(stream, "round_summary", counted)
    web = make()
    code, key = await web.open()
    await add_entry(web, code, "place", page="bpe", query="", step=0, tab="")
    keyed = {**QUESTION, "input": "text", "key": [f"{one:0400}" for one in range(40)]}
    for number in range(150):
        question = questions.read_question({**keyed, "say": {"": f"{number}?"}})
        await add_entry(web, code, "ask", question=question)
    ear = web.listen(code, key, Ear(taken=2))
    await reached(lambda: len(ear.raw) >= 2)
    await turns()
    assert len(summarized) < 10
    await add_entry(web, code, "drop", round=150)  # the class goes on meanwhile
    ear.taken = None
    ear.goes.set()
    state = await ear.hears("state")
    assert [one["round"] for one in state["rounds"]] == [*range(1, 151)]
    assert max(map(len, ear.raw)) <= STREAM_PIECE
    assert (await ear.hears("drop"))["round"] == 150


def test_questions_dropped_meanwhile_are_skipped(make: Make) -> None:
    room = a_room()
    for number in range(3):
        say(room, "ask", question=questions.read_question({**QUESTION, "say": {"": f"{number}?"}}))
    stream_events = events(room, 0, Person("CDFHJK", "b", 0), People(0, 0), 1.0)
    heard = [next(stream_events), next(stream_events)]
    say(room, "drop", round=3)
    assert [b"ask" in one for one in [*heard, *stream_events]] == [False, True, True]


async def test_few_streams_are_woken_at_once_and_none_for_another_device(make: Make) -> None:
    web = make()
    code, _key = await web.open()
    devices = [await web.join(code) for _ in range(3 * WOKEN)]
    ears = [web.listen(code, device) for device in devices]
    for ear in ears:
        await ear.hears("state")
    open_class = await web.hub.get(code)
    others = [one for number, streams in open_class.streams.items() if number != 1 for one in streams]
    await asyncio.sleep(0)
    for _ in range(STREAMS_EACH):
        ears.append(web.listen(code, devices[0]))
        await asyncio.sleep(0)
        assert not any(one.bell.is_set() for one in others)
    open_class.wake_streams(students=True)
    woken = []
    while not woken or woken[-1] or sum(woken) < len(others):
        await asyncio.sleep(0)
        woken.append(sum(one.bell.is_set() for one in others))
    assert max(woken) <= WOKEN


async def test_a_log_is_read_once_for_all_and_outside_the_event_loop(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, again = make(), make()
    code, key = await first.open()
    for number in range(50):
        await first.post(f"{code}/place", **{"as": key}, page="bpe", query="", step=number)
    threads, take = [], Room.apply

    def noted(room: Room, line: str, entry: Any) -> Any:
        threads.append(threading.get_ident())
        return take(room, line, entry)

    monkeypatch.setattr(Room, "apply", noted)
    open_classes = await asyncio.gather(*(again.hub.get(code) for _ in range(20)))
    assert len({id(one) for one in open_classes}) == 1
    assert len(threads) == 51, "each entry once"
    assert threading.get_ident() not in threads


async def test_an_entry_written_while_a_class_is_read_is_not_missed(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another server's, between this one's reading of the log and the next look for news."""
    first, again = make(), make()
    code, key = await first.open()
    begun, held, loop, take = threading.Event(), threading.Event(), threading.get_ident(), Room.apply

    def hold(room: Room, line: str, entry: Any) -> Any:
        if threading.get_ident() != loop:
            begun.set()
            assert held.wait(60)
        return take(room, line, entry)

    monkeypatch.setattr(Room, "apply", hold)
    reading = asyncio.ensure_future(again.hub.get(code))
    await reached(begun.is_set)
    await first.post(f"{code}/place", **{"as": key}, page="bpe", query="", step=3)
    await again.hub.read_news()
    held.set()
    room = (await reading).room
    assert room.place is None
    await again.hub.read_news()
    assert room.place is not None and room.place["step"] == 3


async def test_leaving_while_a_class_is_read_cancels_it_for_no_other(make: Make) -> None:
    first, again = make(), make()
    code, _key = await first.open()
    one, other = (asyncio.ensure_future(again.hub.get(code)) for _ in range(2))
    await asyncio.sleep(0)
    one.cancel()
    assert (await other).room.code == code


@pytest.mark.parametrize("kind", [*summary.SUMMARIES])
async def test_summaries_are_computed_in_a_thread_once_and_rate_limited(
    make: Make, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """The grades of 300 students with 40 answers each take a quarter of a second."""
    threads: list[int] = []
    whole = summary.SUMMARIES[kind]

    def noted(room: Room) -> bytes:
        threads.append(threading.get_ident())
        return whole(room)

    monkeypatch.setitem(summary.SUMMARIES, kind, noted)  # type: ignore[arg-type]
    web = make()
    code, key = await web.open()
    await add_entry(web, code, "names", on=True)
    burst, wanted = int(SUMMARY_RATE.burst), {"as": key, "form": kind}
    answers = await asyncio.gather(*(web.get(f"{code}/summary", **wanted) for _ in range(burst)))
    assert [one.status for one in answers] == [200] * burst
    assert len({one.body for one in answers}) == 1
    assert len(threads) == 1
    assert threading.get_ident() not in threads
    late = [await web.get(f"{code}/summary", **wanted) for _ in range(burst)]
    assert (late[-1].status, late[-1].error) == (429, "often")
    assert (await web.get(f"{code}/summary", **{"as": key}, form="tables")).error == "form"


async def test_long_work_is_done_one_after_the_other(make: Make) -> None:
    """So that the event loop shares the processor with no more than one of them."""
    web, held = make(), threading.Event()

    def work(number: int) -> int:
        assert number or held.wait(60)
        return threading.get_ident()

    tasks = [asyncio.ensure_future(web.hub.apart(lambda number=number: work(number))) for number in range(5)]
    await turns()
    assert not any(task.done() for task in tasks)
    held.set()
    assert len({*await asyncio.gather(*tasks)} - {threading.get_ident()}) == 1


async def test_a_summary_leaves_in_pieces(make: Make) -> None:
    web = make()
    code, key = await web.open()
    for number in range(5):
        await add_entry(web, code, "place", page="bpe", query=f"{number}{LONG}", step=0, tab="")
    ear = Ear()
    await web.app(web.scope("GET", f"{code}/summary", f"as={key}"), ear.receive, ear.send)
    data = b"".join(ear.raw)
    assert [one["query"][0] for one in json.loads(data)["runs"]] == [*"01234"]
    assert max(map(len, ear.raw)) <= SUMMARY_PIECE < len(data)
    head = {name.decode(): value.decode() for name, value in ear.messages[0]["headers"]}
    assert head["content-length"] == str(len(data))


def test_a_copy_stays_as_the_class_was() -> None:
    room = a_room(devices=3)
    say(room, "give", page="exercises", query="", questions=2, label="")
    say(room, "ask", question=questions.read_question(QUESTION))
    say(room, "answer", n=1, round=2, a="a")
    still = room.copy()
    before = {kind: summarize(room) for kind, summarize in summary.SUMMARIES.items()}
    assert {kind: summarize(still) for kind, summarize in summary.SUMMARIES.items()} == before
    say(room, "answer", n=1, round=2, a="b")
    say(room, "answer", n=2, round=2, a="b")
    say(room, "answer", n=2, round=1, q=1, a="right")
    say(room, "lost", n=1)
    say(room, "join")
    lead(room, "corpus=course")
    say(room, "ask", question=questions.read_question(QUESTION))
    assert {kind: summarize(still) for kind, summarize in summary.SUMMARIES.items()} == before
    assert summary.SUMMARIES["json"](room) != before["json"]


def test_a_copy_counts_for_itself() -> None:
    """Another thread counts it, and would give the class its old bars."""
    room = a_room(devices=1)
    say(room, "ask", question=questions.read_question(QUESTION))
    say(room, "answer", n=1, round=1, a="a")
    say(room, "show", round=1)
    still = room.copy().rounds[1]
    assert still.bars() == room.rounds[1].bars() and still.bars() is not room.rounds[1].bars()
