"""Refused requests, by sender.

Source: OWASP's lists for access control and for resource limits. Oracle: statuses, and the log, unchanged by
an attack.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.app.classroom.web import QUESTION, Web, attend
from tests.loops import finished, reached
from tests.samples import sampled
from tests.waiting import Clock
from tokensteps.classroom import hub, routes
from tokensteps.classroom.codes import Person, credential, new_code
from tokensteps.classroom.hub import Hub
from tokensteps.classroom.store import FileStore, StoreError
from tokensteps.language.classes import CODE_LENGTH, CODE_LETTERS
from tokensteps.limits import (
    CLASS_BODY,
    CLASS_BYTES,
    CLASS_RATES,
    CLASS_SECONDS,
    DEVICE_RATE,
    PREPARED_ID,
    REPLY_LIMIT,
    STUDENT_BODY,
)
from tokensteps.server.seal import seal

Make = Callable[[], Web]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, clock: Clock) -> Make:
    return attend(monkeypatch, tmp_path, clock)


def known(web: Web, code: str) -> int:
    """How many lines the class's log has."""
    assert web.store is not None
    return len(web.store.read(code, 0))


async def test_a_repeated_request_joins_once(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer may come too late for the browser, which asks again: meanwhile, of another worker, or with
    the class full."""
    web = make()
    code = (await web.post("open")).json["code"]
    ann, bo = "a" * 32, "b" * 32
    answers = await asyncio.gather(*(web.post(f"{code}/join", once=once) for once in (ann, bo, ann, bo, ann)))
    assert [answer.json["number"] for answer in answers] == [1, 2, 1, 2, 1]
    assert answers[0].json["device"] == answers[2].json["device"] != answers[1].json["device"]
    assert (await make().post(f"{code}/join", once=bo)).json["number"] == 2
    for number, unusable in enumerate(("", "a", "A" * 32, ann + "a", None, 5, [ann]), start=3):
        assert (await web.post(f"{code}/join", once=unusable)).json["number"] == number
    monkeypatch.setattr("tokensteps.classroom.room.CLASS_DEVICES", number)
    assert (await web.post(f"{code}/join")).error == "full"
    assert (await web.post(f"{code}/join", once=bo)).json["number"] == 2
    other = (await web.post("open")).json["code"]
    assert (await web.post(f"{other}/join", once=bo)).json["number"] == 1


async def test_a_question_from_opening_to_summary(make: Make) -> None:
    web = make()
    messages = (await web.post("open")).json
    code, key = messages["code"], messages["key"]
    assert messages["link"] == f"{messages['address']}/?class={code}"
    device = await web.join(code)
    assert (await web.post(f"{code}/join", device=device)).json["number"] == 1, (
        "the same device is the same student"
    )
    early = await web.post(f"{code}/ask", **{"as": key}, question=QUESTION)
    assert early.json == {"error": "place", "say": routes.SAY["place"]}
    await web.post(f"{code}/place", **{"as": key}, page="bpe", query="", step=0)
    assert (await web.post(f"{code}/ask", **{"as": key}, question=QUESTION)).json == {"round": 1}
    assert (await web.post(f"{code}/answer", **{"as": device}, round=1, answer="a")).status == 200
    for action, status in (("show", 200), ("reveal", 200), ("answer", 409)):
        who = device if action == "answer" else key
        assert (await web.post(f"{code}/{action}", **{"as": who}, round=1, answer="b")).status == status
    results = (await web.get(f"{code}/summary", **{"as": key})).json
    assert [(one["answered"], one["right"]) for one in results["rounds"]] == [(1, 1)]
    table = await web.get(f"{code}/summary", **{"as": key, "form": "csv"})
    assert table.headers["content-disposition"].startswith("attachment")
    assert table.headers["content-type"] == "text/csv; charset=utf-8"
    lines = table.body.decode("utf-8-sig").splitlines()
    assert len(lines) == 1 + len(QUESTION["choices"]) and lines[0].startswith("round,repeats,page,query,")
    for kind in ("grades", "students"):
        assert (await web.get(f"{code}/summary", **{"as": key, "form": kind})).error == "names"
    assert (await web.post(f"{code}/end", **{"as": key})).status == 200
    assert (await web.post(f"{code}/answer", **{"as": device}, round=1, answer="a")).error == "ended"
    assert (await web.get(f"{code}/summary", **{"as": key})).json["ended"]


async def test_a_prepared_question_names_itself(make: Make) -> None:
    web = make()
    code, key = await web.open()
    await web.post(f"{code}/place", **{"as": key}, page="bpe", query="", step=0)
    for prepared, error in (("q1", None), ("x" * (PREPARED_ID + 1), "form"), (1, "form")):
        asked = await web.post(f"{code}/ask", **{"as": key}, question=QUESTION, prepared=prepared)
        assert asked.json.get("error") == error, prepared
    this_round = (await web.hub.get(code)).room.round
    assert this_round is not None and this_round.prepared == "q1"


async def test_a_runs_address_is_written_down_once(make: Make) -> None:
    web = make()
    code, key = await web.open()
    for step in range(3):
        await web.post(f"{code}/place", **{"as": key}, page="bpe", query="corpus=hug", step=step)
    assert web.store is not None
    assert ["corpus=hug" in line for line in web.store.read(code, 1)] == [True, False, False]
    place = (await web.hub.get(code)).room.place
    assert place is not None and (place["page"], place["query"], place["step"]) == ("bpe", "corpus=hug", 2)


async def test_an_answer_to_an_exercise_names_it(make: Make) -> None:
    web = make()
    code, key = await web.open()
    device = {"as": await web.join(code)}
    exercises = {"page": "exercises", "query": "seed=7", "questions": 2, "label": ""}
    assert (await web.post(f"{code}/give", **{"as": key}, **exercises)).json == {"round": 1}
    for question, error in ((1, None), (2, "round"), ("1", "form"), (-1, "form")):
        answer = await web.post(f"{code}/answer", **device, round=1, question=question, answer="right")
        assert answer.json.get("error") == error, question
    values = (await web.hub.get(code)).room.assignment
    assert values is not None and [one["done"] for one in values.progress()] == [0, 1]


async def test_a_proxys_scheme_is_the_links(make: Make) -> None:
    web = make()
    for proto, scheme in (("https", "https"), ("https, http", "https"), ("http", "http"), ("odd", "http")):
        answer = await web.ask("POST", "open", b"{}", host="tokens.example.edu", x_forwarded_proto=proto)
        assert answer.json["address"] == f"{scheme}://tokens.example.edu"


async def test_a_forged_key_opens_nothing(make: Make) -> None:
    """Neither does another class's key, an earlier class's of the same code, a device in place of a key, or a
    seal for something else."""
    web = make()
    code, key = await web.open()
    _other, others_key = await web.open()
    device = await web.join(code)
    born = (await web.hub.get(code)).room.born
    before = known(web, code)
    forged = [
        "", None, 7, {}, [], key[:-1], key + "x", key[::-1], "x" * 100_000, others_key, device,
        credential(Person(code, "00000000", 0)), seal("challenge", [code, born, 0]), credential(Person(code, born, -1)), seal("class", [code, born]),
        seal("class", [code, born, "0"]), seal("class", {"code": code}), seal("class", [code, born, 0, 0])
    ]  # fmt: skip
    for one in forged:
        for action, body in (
            ("place", {"page": "x", "step": 1}),
            ("end", {}),
            ("ask", {"question": QUESTION}),
            ("deck", {"questions": []}),
            ("teams", {"teams": 2}),
            ("pace", {"first": 0, "last": 3}),
        ):
            answer = await web.post(f"{code}/{action}", **{"as": one}, **body)
            assert (answer.status, known(web, code)) == (403 if len(str(one)) < 60_000 else 413, before), one
        assert (await web.get(f"{code}/summary", **{"as": str(one)})).status == 403
    for one in (
        "",
        key[:-1],
        others_key,
        credential(Person(code, born, 2)),
        credential(Person(code, "00000000", 1)),
    ):
        assert (await web.get(f"{code}/events", **{"as": one})).status == 403
        assert (await web.post(f"{code}/answer", **{"as": one}, round=1, answer="a")).status == 403
    assert (await web.post(f"{code}/answer", **{"as": key}, round=1, answer="a")).status == 403, (
        "nor votes who asks"
    )


def test_codes_cannot_be_walked_through(make: Make) -> None:
    """A forged seal tells nobody the existing classes; joining is refused after a few wrong codes."""

    async def walk() -> None:
        web = make()
        code, _key = await web.open()
        device = await web.join(code)
        for path in ("events", "summary", "qr"):
            answers = [await web.get(f"{one}/{path}", **{"as": "x"}) for one in (code, new_code())]
            assert answers[0].body == answers[1].body, "there or not, the answer is the same"
        statuses = [(await web.post(f"{new_code()}/join")).status for _ in range(150)]
        allowed = int(CLASS_RATES["wrong"].burst)
        assert statuses == [404] * allowed + [429] * (150 - allowed)
        assert (await web.post(f"{code}/join")).status == 429, "the right one isn't told then, either"
        assert (await web.post(f"{code}/join", device=device)).status == 200, "who is in stays in"
        assert (await web.post(f"{code}/join", address="198.51.100.1")).status == 200, "and others come in"
        await web.close()

    finished(walk())
    # At this rate, with every place taken: the chance of a day's guesses from one address.
    guesses = CLASS_RATES["wrong"].burst + CLASS_RATES["wrong"].pace * CLASS_SECONDS
    assert guesses * 100 / len(CODE_LETTERS) ** CODE_LENGTH < 0.01
    assert len({new_code() for _ in range(1_000)}) > 998


async def test_what_is_no_code_names_no_class(make: Make) -> None:
    web = make()
    for word in ("x", "CDFHJ", "CDFHJKM", "ÄÖÜÄÖÜ"):
        for answer in (await web.post(f"{word}/join"), await web.get(f"{word}/summary")):
            assert (answer.status, answer.error) == (404, "gone"), word


async def test_codes_cannot_be_tried_all_at_once(make: Make) -> None:
    """Hundreds of tries under way before the first answer count like tries one after another; a joining hall
    is let in."""
    web = make()
    code, _key = await web.open()
    joined = await asyncio.gather(*(web.post(f"{code}/join") for _ in range(300)))
    assert {one.status for one in joined} == {200}
    result = await asyncio.gather(
        *(web.post(f"{new_code()}/join", address="198.51.100.1") for _ in range(500))
    )
    statuses = [one.status for one in result]
    assert statuses.count(404) == CLASS_RATES["wrong"].burst
    assert {*statuses} == {404, 429}
    assert (await web.post(f"{code}/join", address="198.51.100.1")).status == 429


@pytest.mark.parametrize("host", ["[", "x:y", "a" * 5_000, "\xff"])
async def test_an_invalid_host_opens_nothing_odd(make: Make, host: str) -> None:
    web = make()
    answer = await web.ask("POST", "open", b"{}", host=host)
    assert answer.status in (200, 400)
    code, key = await web.open()
    assert (await web.get(f"{code}/qr", **{"as": key, "text": "😀" * 1_200})).status == 400
    assert (await web.get(f"{code}/qr", **{"as": key, "text": "http://192.0.2.7"})).json["size"] > 20


async def test_ten_thousand_answers_from_one_device(make: Make) -> None:
    web = make()
    code, key = await web.open()
    device, other = await web.join(code), await web.join(code)
    await web.post(f"{code}/place", **{"as": key}, page="bpe", step=0)
    await web.post(f"{code}/ask", **{"as": key}, question=QUESTION)
    before = known(web, code)
    statuses = []
    for number in range(sampled(10_000)):
        answer = await web.post(f"{code}/answer", **{"as": device}, round=1, answer="ab"[number % 2])
        statuses.append(answer.status)
    assert statuses.count(200) < DEVICE_RATE.burst
    assert {*statuses} == {200, 409, 429}
    assert known(web, code) - before <= 20, "and it can't fill the log"
    elsewhere = {"address": "198.51.100.1", "as": other}
    assert (await web.post(f"{code}/answer", **elsewhere, round=1, answer="a")).status == 200
    room = (await web.hub.get(code)).room
    assert len(room.rounds[1].answers) <= 2, "one answer each"


async def test_other_sites_pages_are_refused(make: Make) -> None:
    web = make()
    code, key = await web.open()
    data = json.dumps({"as": key}).encode()
    for origin in ("https://evil.example", "http://localhost:9999", "null"):
        assert (await web.ask("POST", f"{code}/end", data, origin=origin)).status == 403
    # A page may send to another site unasked: forms, not JSON.
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        assert (await web.ask("POST", f"{code}/end", data, content_type=kind)).status == 400
    assert not (await web.hub.get(code)).room.ended
    answer = await web.ask("POST", f"{code}/end", data, origin="http://localhost:8501")
    assert answer.status == 200
    assert "access-control-allow-origin" not in answer.headers
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"7",
        b'{"as":',
        b"\xff\xfe",
        b"[" * 60_000,
        b'{"a":' * 10_000,
        b'{"as": "\\ud800"}',
        b"null",
    ],
)
async def test_invalid_messages_are_refused(make: Make, data: bytes) -> None:
    web = make()
    code, _key = await web.open()
    for path in (f"{code}/place", f"{code}/answer", f"{code}/join", "open"):
        answer = await web.ask("POST", path, data)
        assert answer.status in (400, 403, 413) or (path[-4:] in ("join", "open") and b"ud800" in data)


async def test_sizes_are_bounded(make: Make) -> None:
    web = make()
    code, key = await web.open()
    device = await web.join(code)
    await web.post(f"{code}/place", **{"as": key}, page="bpe", step=0)
    await web.post(f"{code}/ask", **{"as": key}, question={**QUESTION, "input": "text"})
    said: Any
    for answer, said in (
        ("x" * REPLY_LIMIT, 200),
        ("x" * (REPLY_LIMIT + 1), 400),
        ("", 400),
        (7, 400),
        (["a"], 400),
    ):
        assert (await web.post(f"{code}/answer", **{"as": device}, round=1, answer=answer)).status == said
    assert (
        await web.post(f"{code}/answer", **{"as": device}, round=1, answer="x" * STUDENT_BODY)
    ).error == "large"
    assert (await web.post(f"{code}/place", **{"as": key}, query="x" * CLASS_BODY)).error == "large"
    for step in (-1, 1.5, True, "1", 10**12):
        assert (await web.post(f"{code}/place", **{"as": key}, page="bpe", step=step)).error == "form"
    room = (await web.hub.get(code)).room
    room.size = CLASS_BYTES - 1_000
    assert (await web.post(f"{code}/join")).error == "full"
    assert (await web.post(f"{code}/place", **{"as": key}, page="bpe", step=2)).status == 200, (
        "the lecturer goes on"
    )


async def test_opening_has_a_rate(make: Make) -> None:
    web = make()
    statuses = [(await web.post("open")).status for _ in range(20)]
    burst = int(CLASS_RATES["open"].burst)
    assert statuses == [200] * burst + [429] * (20 - burst)
    assert (await web.post("open", address="198.51.100.1")).status == 200


async def test_a_class_is_over_after_a_day(make: Make, clock: Clock) -> None:
    web = make()
    code, key = await web.open()
    device = await web.join(code)
    clock.now += CLASS_SECONDS - 1
    assert (await web.post(f"{code}/mode", **{"as": device}, follows=False)).status == 200
    clock.now += 2
    for answer in (
        await web.post(f"{code}/mode", **{"as": device}, follows=True),
        await web.post(f"{code}/join", device=device),
        await web.get(f"{code}/summary", **{"as": key}),
        await web.get(f"{code}/events", **{"as": key}),
    ):
        assert answer.error == "gone"


async def test_nicknames_are_one_line_and_only_where_the_class_has_them(make: Make) -> None:
    web = make()
    code, key = await web.open(nicknames=True)
    first = await web.join(code, nickname="<b>\u202eAna\n\x00</b>")
    await web.join(code, nickname={"a": 1})
    await web.post(f"{code}/join", device=first, nickname="Bo")
    people = (await web.get(f"{code}/summary", **{"as": key, "form": "students"})).json["students"]
    assert [one["nickname"] for one in people] == ["Bo", ""]
    code, key = await web.open()
    await web.join(code, nickname="Ana")
    assert "Ana" not in (await web.get(f"{code}/summary", **{"as": key})).body.decode()
    assert "Ana" not in "".join(web.store.read(code, 0)), "not even written down"


async def test_a_store_that_fails_loses_no_class(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    web = make()
    code, key = await web.open()

    def full(*_given: Any) -> Any:
        raise StoreError("disk full")

    with monkeypatch.context() as broken:
        broken.setattr(web.store, "add", full)
        answer = await web.post(f"{code}/place", **{"as": key}, page="bpe", step=1)
        assert (answer.status, answer.error, answer.headers["retry-after"]) == (503, "store", "1")
    assert (await web.post(f"{code}/place", **{"as": key}, page="bpe", step=1)).status == 200


async def test_the_log_tells_why_a_store_fails(
    make: Make, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """At a message, and in the background."""
    web = make()
    code, key = await web.open()

    def fails(reason: str) -> Callable[..., Any]:
        def fail(*_given: Any) -> Any:
            raise StoreError(reason)

        return fail

    with monkeypatch.context() as broken:
        broken.setattr(web.store, "add", fails("disk full"))
        assert (await web.post(f"{code}/place", **{"as": key}, page="bpe", step=1)).error == "store"
        assert caplog.messages == ["Classes: disk full"]
        caplog.clear()
        broken.setattr(web.store, "news", fails("disk gone"))
        await reached(lambda: len(caplog.messages) >= 2)
        assert caplog.messages[0] == "Classes: disk gone"
        assert caplog.messages[1].startswith("Classes: The class can't be written down just now.")


async def test_a_store_that_fails_costs_nobody_a_try(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it fails, lecturers open classes and phones join, again and again; then, all can."""
    web = make()
    code, _key = await web.open()
    later = Web(Hub(lambda: web.store, web.hub.clock), web.store)  # a server that hasn't read the class yet

    def full(*_given: Any) -> Any:
        raise StoreError("disk full")

    with monkeypatch.context() as broken:
        for name in ("create", "read"):
            broken.setattr(web.store, name, full)
        assert {(await later.post("open")).error for _ in range(30)} == {"store"}
        assert {(await later.post(f"{code}/join")).error for _ in range(150)} == {"store"}
    with monkeypatch.context() as broken:
        broken.setattr(web.store, "read", full)
        opened = await later.post("open")
    assert opened.status == 200, "it is written down, though not yet in memory"
    assert (await later.post(f"{opened.json['code']}/join")).status == 200
    joined = await asyncio.gather(*(later.post(f"{code}/join") for _ in range(150)))
    assert {one.status for one in joined} == {200}


async def test_another_server_knows_at_once(
    make: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Before its next look at the store: who has joined, where the class is, what is asked."""
    monkeypatch.setattr(hub, "CLASS_POLL", 3600.0)
    web = make()
    code, key = await web.open()
    store = FileStore(tmp_path / "classes.sqlite")
    other = Web(Hub(lambda: store, web.hub.clock), store)
    await other.join(code)  # it has the class in memory
    device = await web.join(code)
    assert (await other.post(f"{code}/mode", **{"as": device}, follows=False)).status == 200
    await web.post(f"{code}/place", **{"as": key}, page="bpe", step=1)
    assert (await other.post(f"{code}/ask", **{"as": key}, question=QUESTION)).status == 200
    answer = await web.post(f"{code}/answer", **{"as": device}, round=1, answer="a")
    assert answer.status == 200


async def test_two_answers_under_way_at_once_both_count(make: Make) -> None:
    web = make()
    code, key = await web.open()
    devices = [await web.join(code) for _ in range(20)]
    joined = await asyncio.gather(*(web.post(f"{code}/join") for _ in range(20)))
    assert len({one.json["number"] for one in joined}) == 20
    await web.post(f"{code}/place", **{"as": key}, page="bpe", step=0)
    wanted = await asyncio.gather(
        *(
            web.post(f"{code}/ask", **{"as": key}, question={**QUESTION, "say": {"": f"{number}?"}})
            for number in range(3)
        )
    )
    assert {one.json["round"] for one in wanted} == {1, 2, 3}
    answers = (web.post(f"{code}/answer", **{"as": one}, round=3, answer="a") for one in devices)
    assert {one.status for one in await asyncio.gather(*answers)} == {200}
    assert len((await web.hub.get(code)).room.rounds[3].answers) == 20
