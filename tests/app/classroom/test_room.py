"""The state of a class by its log.

Source: Peer Instruction (Mazur 1997): everybody answers, the distribution is seen, everybody answers again,
the key comes last. Oracle: the same log read by a plain rule, answer by answer; and students' messages,
searched for the lecturer's secrets.
"""

from __future__ import annotations

import csv
import io
import json
import random
from typing import Any

import pytest

from tests.app.classroom.web import QUESTION
from tests.samples import sampled
from tokensteps.classroom.codes import Person
from tokensteps.classroom.events import People, events, state_for
from tokensteps.classroom.gradebook import gradebook, grades_csv
from tokensteps.classroom.questions import (
    PREPARED_TEXTS,
    RequestRefused,
    as_deck,
    as_judged,
    as_pace,
    as_picks,
    as_place,
    as_plan,
    as_teams,
    read_assignment,
    read_question,
    text,
)
from tokensteps.classroom.room import Room, as_line
from tokensteps.classroom.summary import rounds_csv, summary
from tokensteps.limits import (
    ANSWER_CHANGES,
    BARS,
    CLASS_BEHIND,
    CLASS_DEVICES,
    DEVICE_ENTRIES,
    FREE_BARS,
    LATE_SECONDS,
)

NOBODY = People(0, 0)


def room_of(*entries: dict[str, Any], nicknames: bool = False) -> Room:
    """A class after these entries, one a second."""
    room = Room("CDFHJK")
    say(room, {"do": "open", "born": "b", "nicknames": nicknames}, *entries)
    return room


def say(room: Room, *entries: dict[str, Any]) -> list[Any]:
    """The outcome of each entry."""
    outcomes = []
    for entry in entries:
        entry = {"at": float(room.known), **entry}
        outcomes.append(room.apply(as_line(entry), entry))
    return outcomes


def place(step: int, page: str = "bpe", query: str = "corpus=course") -> dict[str, Any]:
    return {"do": "place", "page": page, "query": query, "step": step, "tab": ""}


ASK = {"do": "ask", "question": read_question(QUESTION)}
JOIN = {"do": "join"}


def answer(device: int, text: str, number: int = 1, **more: Any) -> dict[str, Any]:
    return {"do": "answer", "n": device, "round": number, "a": text, **more}


def test_a_vote_a_discussion_and_a_second_vote() -> None:
    room = room_of(JOIN, JOIN, JOIN, place(3), ASK, answer(1, "a"), answer(2, "b"), answer(3, "b"))
    assert say(room, {"do": "show", "round": 1}) == [None]
    assert room.rounds[1].state == "shown" and say(room, answer(3, "a")) == ["shown"]
    assert (
        say(room, {"do": "again", "round": 1}, answer(1, "a", 2), answer(2, "a", 2), answer(3, "b", 2))
        == [None] * 4
    )
    assert say(room, answer(1, "b")) == ["round"], "the first vote is over"
    assert say(room, {"do": "reveal", "round": 2}, answer(3, "a", 2)) == [None, "shown"]
    message = summary(room)["rounds"]
    assert [(one["first"], one["right"], one["answered"]) for one in message] == [(1, 1, 3), (1, 2, 3)]
    assert [[bar["count"] for bar in one["bars"]] for one in message] == [[1, 2], [2, 1]]
    lines = [*csv.DictReader(io.StringIO(rounds_csv(room)))]
    assert {(one["round"], one["repeats"]) for one in lines} == {("1", ""), ("2", "1")}


def test_a_second_vote_is_about_the_place_of_the_first() -> None:
    """Wherever the class is meanwhile: the words are graded by the tokenizer of their own run."""
    room = room_of(JOIN, place(3), ASK, {"do": "show", "round": 1}, place(7, query="corpus=hug"))
    assert say(room, {"do": "again", "round": 1}) == [None]
    assert room.rounds[2].place == room.rounds[1].place
    lines = [*csv.DictReader(io.StringIO(rounds_csv(room)))]
    assert {(line["query"], line["step"]) for line in lines} == {("corpus=course", "3")}


def test_a_vote_has_its_number() -> None:
    """Of the same question, whatever else is asked in between."""
    room = room_of(JOIN, place(3), ASK, {"do": "show", "round": 1}, {"do": "again", "round": 1})
    say(room, {"do": "show", "round": 2}, ASK, {"do": "again", "round": 2})
    person = Person("CDFHJK", "b", 0)
    asked = [one for one in events(room, 0, person, NOBODY, 0.0) if b"event: ask" in one]
    assert [json.loads(one.partition(b"data: ")[2])["vote"] for one in asked] == [1, 2, 1, 3]
    assert state_for(room, person, NOBODY, 0.0)["round"]["vote"] == 3


def test_two_devices_that_ask_in_one_moment_ask_once() -> None:
    """An answer from between them counts. About another step, or once its answers are shown, it is asked
    anew."""
    room = room_of(JOIN, place(3), ASK, answer(1, "a"))
    assert say(room, ASK) == ["same"] and room.round is room.rounds[1]
    assert room.rounds[1].answers == {1: "a"}
    assert say(room, place(4), ASK, {"do": "show", "round": 2}, ASK) == [None] * 4
    assert len(room.rounds) == 3


def test_a_question_of_the_lecturers_own_needs_no_page() -> None:
    """Another one is about a step, and words are graded by its tokenizer."""
    own = {**QUESTION, "kind": "own"}
    parts = {"kind": "own", "say": {"": ["A word of two?"]}, "input": "free", "parts": 2, "key": []}
    room = room_of(JOIN)
    entries = [{"do": "ask", "question": read_question(one)} for one in (QUESTION, parts, own)]
    assert say(room, *entries) == ["place", "place", None]
    assert say(room, {"do": "show", "round": 1}, {"do": "again", "round": 1}) == [None, None]
    assert say(room, answer(1, "a", 2), {"do": "reveal", "round": 2}) == [None, None]
    for number in (0, 1):
        assert state_for(room, Person("CDFHJK", "b", number), NOBODY, 0.0)["round"]["place"] == {}
    lines = [*csv.DictReader(io.StringIO(rounds_csv(room)))]
    assert {(line["page"], line["query"], line["step"]) for line in lines} == {("", "", "")}


@pytest.mark.parametrize("number", [0, 1])
def test_a_question_names_its_place_however_late_a_browser_hears_of_it(number: int) -> None:
    """Its step and run, for the lecturer and for a student: a page that comes back holds back the steps after
    it, too."""
    room = room_of(JOIN, place(3), ASK)
    person = Person("CDFHJK", "b", number)
    asked = [one for one in events(room, 0, person, NOBODY, 0.0) if b"event: ask" in one][-1]
    places = [
        json.loads(asked.partition(b"data: ")[2])["place"],
        state_for(room, person, NOBODY, 0.0)["round"]["place"],
    ]
    assert places == [room.place, room.place]


def test_an_answer_replaces_the_one_before() -> None:
    room = room_of(JOIN, place(0), ASK, answer(1, "b"), answer(1, "a"))
    assert say(room, answer(1, "a")) == ["same"]
    assert room.rounds[1].answers == {1: "a"}
    for number in range(ANSWER_CHANGES - 2):
        assert say(room, answer(1, "ab"[number % 2 == 0])) == [None]
    assert say(room, answer(1, "ab"[room.rounds[1].answers[1] == "a"])) == ["enough"]


def test_an_answer_is_one_of_the_choices() -> None:
    room = room_of(JOIN, place(0), ASK)
    assert say(room, answer(1, "z"), answer(1, "b")) == ["form", None]
    assert room.rounds[1].answers == {1: "b"}


@pytest.mark.parametrize(
    ("question", "allowed", "refused"),
    [
        (
            {"input": "number"},
            ["12", "-0.5", "0.333", "1e+39", "0."],
            ["Mr Smith is boring", "", "1/3", "1 2", "٣", "NaN", "12\n"],
        ),
        (
            {"input": "text", "word": "␣hug<n>"},
            ["␣hug<n>", "␣ h ug <n>"],
            ["Mr Smith is boring", "", "hug", "␣hug", "␣hug<n> s"],
        ),
        ({"input": "text", "word": "बिल्ली"}, ["बिल् ली"], ["बिल ली"]),
    ],
)
def test_only_numbers_and_splits_get_to_the_wall_unpicked(
    question: dict[str, Any], allowed: list[str], refused: list[str]
) -> None:
    asked = {"do": "ask", "question": read_question({"kind": "k", "say": {"": "?"}, **question})}
    room = room_of(JOIN, place(0), asked)
    assert say(room, *(answer(1, one) for one in allowed)) == [None] * len(allowed)
    assert say(room, *(answer(1, one) for one in refused)) == ["form"] * len(refused)
    assert room.rounds[1].bars()["bars"] == [{"answer": allowed[-1], "count": 1}]


def test_spaces_are_no_answer_and_count_for_nobody_else() -> None:
    with pytest.raises(RequestRefused):
        text(" \t", 400, 1)
    asked = {
        "do": "ask",
        "question": read_question({"kind": "k", "say": {"": "?"}, "input": "text", "key": ["a"]}),
    }
    room = room_of(JOIN, JOIN, place(0), asked, answer(1, ""), {"do": "reveal", "round": 1})
    assert [room.rounds[1].verdict(device) for device in (1, 2)] == ["wrong", None]


@pytest.mark.parametrize("seed", range(sampled(200)))
def test_any_log_counts_as_a_plain_reading_of_it_does(seed: int) -> None:
    """With any entries in any order: each device's last answer during its question counts, and no other."""
    chance = random.Random(seed)
    room = room_of(*[JOIN] * 5, place(0))
    expected: dict[int, dict[int, str]] = {}
    present = shown = 0
    for _ in range(120):
        number = chance.randrange(1, len(expected) + 2)
        match chance.choice(("answer",) * 8 + ("ask", "show", "again", "reveal")):
            case "answer":
                device, text = chance.randrange(1, 6), chance.choice("abc")
                say(room, answer(device, text, number))
                if number == present != shown and text in "ab":  # the choices
                    expected[number][device] = text
            case "ask":
                if say(room, ASK) == [None]:
                    present = len(expected) + 1
                    expected[present] = {}
            case "again":
                if say(room, {"do": "again", "round": number}) == [None]:
                    present = len(expected) + 1
                    expected[present] = {}
            case other:
                say(room, {"do": other, "round": number})
                shown = number if number == present else shown
    assert {number: one.answers for number, one in room.rounds.items()} == expected
    again = Room(room.code)
    assert again.known == 0


def news(room: Room, after: int, person: Person) -> list[tuple[str, Any]]:
    """Names and data of the next events for somebody with everything up to `after`."""
    heard = (one.decode().split("\n") for one in events(room, after, person, NOBODY, 0.0))
    return [
        (name.removeprefix("event: "), json.loads(data.removeprefix("data: ")))
        for _id, name, data, *_ in heard
    ]


STUDENT, LECTURER = Person("CDFHJK", "b", 1), Person("CDFHJK", "b", 0)


def test_a_class_is_kept_between_two_steps_until_it_goes_elsewhere() -> None:
    """Oracle: Desmos's pacing, for one run: everybody is called, and goes alone between the two steps."""
    pace = {"do": "pace", "first": 2, "last": 5}
    room = room_of(JOIN, JOIN)
    assert say(room, pace) == ["place"]
    say(room, place(2), {"do": "mode", "n": 1, "follows": False})
    before = room.known
    assert say(room, pace, pace, place(7), JOIN) == [None, "same", None, None]
    assert [device.follows for device in room.devices.values()] == [True] * 3
    assert news(room, before, STUDENT)[0] == ("pace", {"pace": [2, 5]})
    for person in (STUDENT, LECTURER):
        assert state_for(room, person, NOBODY, 0.0)["pace"] == (2, 5)
    ends = [
        [{"do": "pace", "first": None, "last": None}],
        [{"do": "call", "all": False}],
        [{"do": "call", "all": True}],
        [place(2, query="corpus=hug"), place(2)],
    ]
    for ended in ends:
        say(room, pace)
        assert room.pace == (2, 5)
        say(room, *ended)
        assert room.pace is None, ended
    assert as_pace({"first": 2, "last": 40_000}) == {"first": 2, "last": 40_000}
    for wrong in ({"first": 5, "last": 2}, {"first": 1}, {"first": "1", "last": 2}, {"first": -1, "last": 2}):
        with pytest.raises(RequestRefused):
            as_pace(wrong)


def test_bars_stand_by_team() -> None:
    """Told off by turns: the first and the third device are one team of two. Oracle: the answers, counted by
    hand."""
    room = room_of(*[JOIN] * 4, place(0))
    assert say(room, {"do": "teams", **as_teams({"teams": 2})}, {"do": "teams", "teams": 2}) == [None, "same"]
    assert news(room, room.known - 2, STUDENT) == [("teams", {"teams": 2})]
    say(room, ASK, answer(1, "a"), answer(2, "b"), answer(3, "a"), answer(4, "b"), answer(4, "a"))
    state = state_for(room, LECTURER, NOBODY, 0.0)["round"]["teams"]
    assert [[bar["count"] for bar in team["bars"]] for team in state] == [[2, 0], [1, 1]]
    assert [team["answered"] for team in state] == [2, 2]
    student = state_for(room, STUDENT, NOBODY, 0.0)
    assert (student["teams"], student["number"]) == (2, 1) and "teams" not in student["round"]
    for number in (0, 4):  # while the question is on the wall
        say(room, {"do": "teams", "teams": number})
        name, tally = news(room, room.known - 1, LECTURER)[-1]
        assert (name, tally["teams"]) == ("tally", room.rounds[1].by_team(number))
        assert news(room, room.known - 1, STUDENT) == [("teams", {"teams": number})]
    numbers = {**QUESTION, "input": "number", "key": []}
    say(room, {"do": "ask", "question": read_question(numbers)})
    say(room, *(answer(device, str(at), 2) for device in range(1, 5) for at in range(device)))
    teams = room.rounds[2].by_team(4)
    assert [[bar["count"] for bar in team["bars"]] for team in teams] == [
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 1],
    ]
    assert [team["others"] for team in teams] == [{"count": 0}] * 4
    assert room.rounds[2].by_team(0) == []
    for wrong in (3, "2", 2.0, True, None):
        with pytest.raises(RequestRefused) as refused:
            as_teams({"teams": wrong})
        assert refused.value.kind == "form"


def test_prepared_questions_are_for_the_lecturer_alone() -> None:
    """On all of the lecturer's devices: the list, and the asked ones; a second vote counts as the same
    question, a withdrawn question as not asked."""
    one = {
        "id": "q1",
        "say": "Secret?",
        "kind": "free",
        "answer": "",
        "activity": "30.2",
        "at": "",
        "choices": [],
        "right": -1,
    }
    deck = {"do": "deck", **as_deck({"questions": [{**one, "evil": 1}]})}
    room = room_of(JOIN, place(0))
    before = room.known
    assert say(room, deck, deck) == [None, "same"]
    assert news(room, before, LECTURER) == [("deck", [one])]
    assert news(room, before, STUDENT) == [] and room.notes[False].after(before) == [], "nobody is woken"
    requests = {**ASK, "prepared": "q1"}
    say(room, requests, {"do": "show", "round": 1}, {"do": "again", "round": 1})
    assert state_for(room, LECTURER, NOBODY, 0.0)["asked"] == ["q1", "q1"]
    assert "q1" not in json.dumps([state_for(room, STUDENT, NOBODY, 0.0), news(room, before, STUDENT)])
    assert news(room, before, LECTURER)[-1][1]["prepared"] == "q1"
    say(room, {"do": "drop", "round": 2}, {"do": "drop", "round": 1})
    assert state_for(room, LECTURER, NOBODY, 0.0)["asked"] == []
    for wrong in (
        None,
        [one] * 61,
        ["?"],
        [{**one, "say": "x" * 501}],
        [{**one, "choices": ["a"] * 7}],
        [{**one, "choices": "ab"}],
        [{**one, "right": 6}],
    ):
        with pytest.raises(RequestRefused) as refused:
            as_deck({"questions": wrong})
        assert refused.value.kind == "form"
    plain = {"choices": ["a", " b "], "right": 1}
    assert as_deck({"questions": [plain]})["questions"] == [
        {**dict.fromkeys(PREPARED_TEXTS, ""), "choices": ["a", "b"], "right": 1}
    ], "a text left out is empty"


def test_nicknames_begin_before_the_first_question_or_not_at_all() -> None:
    """Students answer in the belief that nobody knows their names."""

    def names(on: bool) -> dict[str, Any]:
        return {"do": "names", "on": on}

    def nick(device: int, name: str) -> dict[str, Any]:
        return {"do": "nick", "n": device, "nickname": name}

    room = room_of(JOIN, place(0), nick(1, "Ana"))
    assert room.devices[1].nickname == ""
    assert say(room, names(False), names(True), nick(1, "Ana")) == ["same", None, None]
    assert gradebook(room)["students"][0]["nickname"] == "Ana"
    assert say(room, names(False), ASK, answer(1, "a"), names(True)) == [None, None, None, "names"]
    assert "Ana" not in json.dumps(summary(room))
    with pytest.raises(RequestRefused):
        grades_csv(room)
    assert [
        json.loads(data.split(b"data: ")[1]) for data in heard(room, Person("CDFHJK", "b", 1), "names")
    ] == [
        {"on": True},
        {"on": False},
    ]


def heard(room: Room, person: Person, name: str, now: float = 0.0) -> list[bytes]:
    """The events of this name for somebody who comes back from the beginning."""
    messages = [*events(room, 0, person, NOBODY, now)]
    return [one for one in messages if f"event: {name}\n".encode() in one]


def test_messages_to_hundreds_are_serialized_once() -> None:
    """But no message with different contents for each; nor is the rest of a countdown repeated as it was for
    others."""
    timed = {"do": "ask", "question": read_question({**QUESTION, "seconds": 30})}
    room = room_of(JOIN, JOIN, place(0), ASK, timed, {"do": "show", "round": 2}, {"do": "reveal", "round": 2})
    people = [Person("CDFHJK", "b", number) for number in (1, 2)]
    for name in ("place", "ask", "closed"):
        one, other = (heard(room, person, name) for person in people)
        assert one and all(mine is yours for mine, yours in zip(one, other, strict=True)), name
    lecturer = Person("CDFHJK", "b", 0)
    assert b'"key"' in heard(room, lecturer, "ask")[0] and b'"key"' not in heard(room, people[0], "ask")[0]
    opened = room.rounds[2].opened
    messages = [
        json.loads(heard(room, people[0], "ask", opened + past)[-1].split(b"data: ")[1]) for past in (1, 9, 1)
    ]
    assert [one["left"] for one in messages] == [29, 21, 29]


def test_the_countdown_ends_a_vote() -> None:
    timed = {"do": "ask", "question": read_question({**QUESTION, "seconds": 30})}
    room = room_of(JOIN, JOIN, place(0), timed)
    opened = room.rounds[1].opened
    in_time, late = ({**answer(1, "a"), "at": opened + 30 + LATE_SECONDS + more} for more in (-0.1, 0.1))
    assert say(room, in_time, {**late, "n": 2}) == [None, "late"]
    assert room.rounds[1].left(opened + 10) == 20
    assert room.rounds[1].left(opened + 9.96) == 20, "in tenths, so that hundreds share an event"
    assert room.rounds[1].left(opened - 3600) == 30, "a clock was set back"


def test_long_tails_are_gathered() -> None:
    free = {"do": "ask", "question": read_question({"kind": "split", "say": {"": "?"}, "input": "text"})}
    many = 3 * BARS
    room = room_of(
        *[JOIN] * (many + 1), place(0), free, *(answer(one, f"w{one:03}") for one in range(1, many + 1))
    )
    say(room, answer(many + 1, "w009"))
    message = room.rounds[1].bars()
    assert message["bars"][0] == {"answer": "w009", "count": 2}
    assert len(message["bars"]) == BARS
    assert message["others"] == {"answers": many - BARS, "count": many - BARS}
    assert sum(bar["count"] for bar in message["bars"]) + message["others"]["count"] == many + 1
    [all_of_them] = room.rounds[1].by_team(1)
    assert all_of_them == {"bars": message["bars"], "others": {"count": many - BARS}, "answered": many + 1}
    assert room.rounds[1].right() is None, "a question without a key has no right answer"


def test_a_rare_right_answer_has_its_bar() -> None:
    """Among more answers than bars. Oracle: one right answer, given once, and one with a near value."""
    number = {"kind": "own", "say": {"": "?"}, "input": "number", "key": ["57"], "near": [57, 58]}
    wrong = [str(10 + one) for one in range(20)]
    room = room_of(*[JOIN] * 22, place(0), {"do": "ask", "question": read_question(number)})
    say(room, *(answer(one, text) for one, text in enumerate([*wrong, "57", "57.5"], start=1)))
    message = room.rounds[1].bars()
    assert message["bars"] == [{"answer": one, "count": 1} for one in [*wrong[:BARS], "57", "57.5"]]
    assert message["others"] == {"answers": 20 - BARS, "count": 20 - BARS}
    [team] = room.rounds[1].by_team(1)
    assert team == {**message, "others": {"count": 20 - BARS}, "answered": 22}


def test_the_rest_of_free_answers_is_counted() -> None:
    """Oracle: answers all different, one for each device, two of them the same but for case."""
    free = read_question({"kind": "own", "say": {"": "Why?"}, "input": "free", "key": []})
    many = FREE_BARS + 5
    room = room_of(*[JOIN] * (many + 1), place(0), {"do": "ask", "question": free})
    say(room, *(answer(one, f"w{one:03}") for one in range(1, many + 1)), answer(many + 1, "W003"))
    message = room.rounds[1].bars()
    assert [bar["answer"] for bar in message["bars"][:3]] == ["W003", "w001", "w002"]
    assert [bar["count"] for bar in message["bars"]] == [2, *[1] * (FREE_BARS - 1)]
    assert message["others"] == {"answers": 5, "count": 5}
    rest = [*csv.DictReader(io.StringIO(rounds_csv(room)))][-1]
    assert (rest["answer"], rest["count"]) == ("…", "5")


def test_a_student_hears_no_key_and_nobody_elses_answer() -> None:
    arguments = {
        "kind": "k",
        "say": {"": "?"},
        "input": "text",
        "key": ["the-key"],
        "tied": ["as-good"],
        "near": "the-slack",
    }
    secret = read_question(arguments)
    room = room_of(
        JOIN, JOIN, place(0), {"do": "ask", "question": secret}, answer(1, "hers"), answer(2, "his")
    )
    say(room, {"do": "show", "round": 1}, {"do": "again", "round": 1}, answer(1, "hers-too", 2))
    student, lecturer = Person(room.code, "b", 1), Person(room.code, "b", 0)

    def heard(person: Person) -> str:
        message = b"".join(events(room, 0, person, NOBODY, 0.0)).decode()
        return message + json.dumps(state_for(room, person, NOBODY, 0.0))

    assert not any(word in heard(student) for word in ("the-key", "as-good", "the-slack", "his"))
    assert all(word in heard(lecturer) for word in ("the-key", "his"))
    say(room, {"do": "reveal", "round": 2})
    assert "the-key" in heard(student)
    assert "his" not in heard(student)
    state = state_for(room, student, NOBODY, 0.0)["round"]
    assert (state["mine"], state["right"], state["state"]) == ("hers-too", False, "revealed")


def test_a_number_near_enough_is_right_and_students_hear_no_bounds() -> None:
    number = {"kind": "loss", "say": {"": "?"}, "input": "number", "key": ["1230"], "near": [1222.2, 1246.9]}
    asked = {"do": "ask", "question": read_question(number)}
    room = room_of(JOIN, JOIN, place(0), asked, answer(1, "1235"), answer(2, "1250"))
    student = Person(room.code, "b", 1)
    assert "1246.9" not in json.dumps(state_for(room, student, NOBODY, 0.0))
    say(room, {"do": "reveal", "round": 1})
    assert state_for(room, student, NOBODY, 0.0)["round"]["right"] is True
    assert room.rounds[1].verdict(2) == "wrong" and room.rounds[1].right() == 1


def test_ties_count_as_neither_right_nor_wrong() -> None:
    tie = read_question(
        {
            **QUESTION,
            "choices": [{"id": one} for one in "abx"],
            "tied": ["b"],
            "say": {"en": ["Which? ", {"t": "=a", "c": 1}, {"t": "b", "c": 2}]},
        }
    )
    room = room_of(
        *[JOIN] * 3, place(0), {"do": "ask", "question": tie}, answer(1, "a"), answer(2, "b"), answer(3, "x")
    )
    say(room, {"do": "reveal", "round": 1})
    message = summary(room)["rounds"][0]
    assert (message["right"], message["tied"], message["answered"]) == (1, 1, 3)
    heard = b"".join(events(room, 0, Person("", "", 2), NOBODY, 0.0)).decode()
    before, after = heard.split("event: reveal")
    assert "tied" not in before
    assert '"tied":["b"]' in after
    name, told = news(room, room.known - 1, LECTURER)[-1]
    assert (name, told["key"], told["tied"], told["right"]) == ("reveal", ["a"], ["b"], 1)
    assert "Which? =a b" in rounds_csv(room)


def test_a_question_is_taken_back() -> None:
    drop = {"do": "drop", "round": 1}
    room = room_of(JOIN, place(0), ASK, answer(1, "a"), drop)
    assert say(room, answer(1, "b"), drop, {"do": "again", "round": 1}) == ["round"] * 3
    assert summary(room)["rounds"] == []
    for number in (0, 1):
        heard = b"".join(events(room, 0, Person("", "", number), NOBODY, 0.0))
        assert [line for line in heard.split(b"\n") if b"event" in line] == [b"event: place", b"event: drop"]
    say(room, ASK, {"do": "reveal", "round": 2})
    assert say(room, {"do": "drop", "round": 2}) == ["round"], "a revealed one stays"


def test_a_question_is_put_aside_once_it_is_revealed() -> None:
    """All of the lecturer's devices hear of it, later ones too; students put their own card aside and
    don't."""
    room = room_of(JOIN, place(0), ASK)
    put = {"do": "put", "round": 1}
    assert say(room, put, {**put, "round": 7}) == ["round", "round"]
    say(room, {"do": "reveal", "round": 1})
    assert state_for(room, Person("", "", 0), NOBODY, 0.0)["round"]["put"] is False
    known = room.known
    assert say(room, put, put) == [None, "same"]
    assert b'event: put\ndata: {"round":1}' in b"".join(events(room, known, Person("", "", 0), NOBODY, 0.0))
    assert b"".join(events(room, known, Person("", "", 1), NOBODY, 0.0)) == b""
    assert state_for(room, Person("", "", 0), NOBODY, 0.0)["round"]["put"] is True


def test_a_student_who_comes_back_has_the_result_until_the_class_goes_on() -> None:
    """For one who hasn't answered, it is over."""
    room = room_of(JOIN, JOIN, place(0), ASK, answer(1, "a"), {"do": "reveal", "round": 1})
    assert [state_for(room, Person("", "", one), NOBODY, 0.0)["round"]["put"] for one in (1, 2)] == [
        False,
        True,
    ]
    say(room, {"do": "put", "round": 1})
    assert state_for(room, Person("", "", 1), NOBODY, 0.0)["round"]["put"] is True


def test_a_state_and_a_summary_tell_everything_by_its_name() -> None:
    """Their readers are in the browser, or a lecturer's own script. Oracle: a class of two, written down by
    hand."""
    room = room_of(JOIN, JOIN, place(3), ASK, answer(1, "a"), {"do": "lost", "n": 2})
    give = {"page": "exercises", "query": "seed=7", "questions": 1, "label": ""}
    say(room, {"do": "show", "round": 1}, {"do": "give", **give}, answer(2, "tied", 2, q=0))
    people = People(2, 1)
    here = {"page": "bpe", "run": 1, "step": 3, "tab": "", "by": ""}
    shown = {"kind": "pair", "say": QUESTION["say"], "input": "choices", "choices": QUESTION["choices"]}
    bars = {
        "bars": [{"answer": "a", "count": 1}, {"answer": "b", "count": 0}],
        "others": {"answers": 0, "count": 0},
    }
    lost = [{"run": 1, "step": 3, "count": 1}]
    done = [{"done": 1, "right": 0, "tied": 1}]
    common = {
        "code": "CDFHJK", "nicknames": False, "ended": False, "place": {**here, "query": "corpus=course"}, "blank": False,
        "all": True, "pace": None, "teams": 0,
    }  # fmt: skip
    asked = {"round": 1, "first": 1, "vote": 1, "place": common["place"], "left": None, "state": "shown"}
    assert state_for(room, STUDENT, people, 4.0) == {
        "role": "student", **common, "number": 1, "nickname": "", "follows": True,
        "round": {**asked, "question": shown, "mine": "a"}, "give": {"round": 2, **give},
    }  # fmt: skip
    whole = {**shown, "key": ["a"], "tied": []}
    assert state_for(room, LECTURER, people, 4.0, [1]) == {
        "role": "lecturer", **common, "plan": None, "people": {"here": 2, "follow": 1, "joined": 2}, "lost": lost, "rounds": [1],
        "round": {**asked, "question": whole, "prepared": "", "answered": 1, "of": 2, **bars, "teams": [], "put": False},
        "give": {"round": 2, **give, "progress": {"round": 2, "of": 2, "questions": done}}, "deck": [], "asked": [],
    }  # fmt: skip
    assert summary(room) == {
        "code": "CDFHJK", "opened": 0.0, "ended": False, "joined": 2, "nicknames": False,
        "runs": [{"run": 1, "page": "bpe", "query": "corpus=course"}],
        "rounds": [
            {
                "round": 1, "first": 1, "question": whole, "place": here, "at": 4.0, "state": "shown", "answered": 1, "of": 2,
                "right": 1, "tied": 0, **bars,
            }
        ],
        "give": {"round": 2, **give, "progress": done}, "lost": lost,
    }  # fmt: skip


def test_lost_counts_each_device_once_a_place() -> None:
    lost = {"do": "lost", "n": 1}
    room = room_of(JOIN, JOIN)
    assert say(room, lost) == ["place"]
    say(room, place(3))
    assert say(room, lost, lost, {**lost, "n": 2}) == [None, "same", None]
    before = room.known - 1
    assert news(room, before, LECTURER) == [("lost", {"run": 1, "step": 3, "count": 2})]
    assert news(room, before, STUDENT) == [] == room.notes[False].after(before)
    say(room, place(4), lost, place(3, page="unigram"), lost)
    assert summary(room)["lost"] == [
        {"run": 1, "step": 3, "count": 2}, {"run": 1, "step": 4, "count": 1}, {"run": 2, "step": 3, "count": 1},
    ]  # fmt: skip


def test_a_student_who_steps_alone_is_lost_at_that_step() -> None:
    """Where the class is kept between two steps; otherwise, and beyond them, where the class is."""
    lost = {"do": "lost", "n": 1}
    room = room_of(JOIN, JOIN, place(3))
    say(room, {**lost, "step": 5}, {"do": "pace", "first": 2, "last": 5}, {**lost, "step": 5})
    say(room, {**lost, "n": 2, "step": 5}, {**lost, "step": 2}, {**lost, "n": 2, "step": 6})
    assert [(one["step"], one["count"]) for one in summary(room)["lost"]] == [(2, 1), (3, 2), (5, 2)]


def test_screens_are_dark_for_all_until_they_are_not() -> None:
    dark = {"do": "blank", "on": True}
    room = room_of(JOIN, place(0))
    before = room.known
    assert say(room, {"do": "blank", "on": False}, dark, dark) == ["same", None, "same"]
    for person in (STUDENT, LECTURER):
        assert news(room, before, person) == [("blank", {"on": True})]
        assert state_for(room, person, NOBODY, 0.0)["blank"] is True
    assert say(room, {"do": "blank", "on": False}) == [None] and room.blank is False


def test_students_elsewhere_are_called_back() -> None:
    room = room_of(JOIN, JOIN, {"do": "mode", "n": 2, "follows": False})
    assert [one.follows for one in room.devices.values()] == [True, False]
    assert say(room, {"do": "mode", "n": 2, "follows": False}) == ["same"]
    say(room, {"do": "call", "all": True})
    assert all(one.follows for one in room.devices.values())
    say(room, {"do": "call", "all": False}, JOIN)
    assert not any(one.follows for one in room.devices.values())


def test_given_out_tasks_have_progress() -> None:
    room = room_of(
        JOIN, JOIN, {"do": "give", "page": "exercises", "query": "seed=7", "questions": 3, "label": ""}
    )
    say(
        room,
        answer(1, "right", q=0),
        answer(1, "wrong", q=1),
        answer(2, "half", q=1),
        answer(2, "tied", q=2),
        answer(2, "right", q=9),
    )
    assert say(room, answer(2, "perfect", q=0), answer(2, "half", q=1)) == ["form", "same"]
    assert say(room, answer(2, "right", q=1)) == ["same"], "the first verdict counts, also after a reload"
    assert say(room, answer(2, "right", q=3), answer(2, "right", q=-1), answer(2, "right")) == ["round"] * 3
    assert room.assignment is not None
    assert room.assignment.progress() == [
        {"done": 1, "right": 1, "tied": 0},
        {"done": 2, "right": 1, "tied": 0},
        {"done": 1, "right": 0, "tied": 1},
    ]
    progress = {"round": 1, "of": 2, "questions": room.assignment.progress()}
    given = {"round": 1, "page": "exercises", "query": "seed=7", "questions": 3, "label": ""}
    there = [*events(room, 2, LECTURER, People(2, 2), 0.0)]
    assert [json.loads(one.split(b"data: ")[1]) for one in there] == [
        {**given, "progress": progress},
        progress,
    ]
    assert news(room, 2, STUDENT) == [("give", given)], "the others' progress is the lecturer's"
    say(room, {"do": "give", "page": "", "query": "", "questions": 0, "label": ""})
    assert room.assignment is None
    assert [news(room, room.known - 1, person) for person in (LECTURER, STUDENT)] == [[("give", None)]] * 2
    assert news(room, 2, LECTURER) == [("give", None), ("progress", None), ("give", None)], "who missed all"


def test_a_place_a_plan_and_a_given_set_are_read_whole() -> None:
    """Oracle: the messages themselves, with what they leave out empty."""
    there = {"page": "bpe", "query": "corpus=hug", "step": 7, "tab": "Ties", "by": "wall"}
    assert as_place({**there, "evil": 1}) == there
    assert as_place({}) == {"page": "", "query": "", "step": 0, "tab": "", "by": ""}
    assert as_plan({"walk": "30.2", "by": "wall", "evil": 1}) == {"walk": "30.2", "by": "wall"}
    assert as_plan({}) == {"walk": "", "by": ""}
    whole = {"page": "exercises", "query": "seed=7", "questions": 3, "label": "Counting"}
    assert read_assignment({**whole, "evil": 1}) == whole
    assert read_assignment({"questions": 0}) == {"page": "", "query": "", "questions": 0, "label": ""}


def test_after_the_end_nothing_counts() -> None:
    room = room_of(JOIN, place(0), ASK, {"do": "end"})
    before = summary(room)
    for entry in (answer(1, "a"), JOIN, place(1), ASK, {"do": "lost", "n": 1}, {"do": "call", "all": False}):
        assert say(room, entry) == ["ended"]
    assert say(room, {"do": "end"}) == ["same"], "a second press of the button is no error"
    assert summary(room) == before


def test_a_class_and_a_device_have_bounds() -> None:
    room = room_of(*[JOIN] * CLASS_DEVICES, place(0))
    assert say(room, JOIN) == ["full"]
    flips = ({"do": "mode", "n": 1, "follows": on % 2 == 1} for on in range(DEVICE_ENTRIES + 50))
    assert say(room, *flips).count("enough") >= 50
    assert len(room.notes[True].after(0)) <= CLASS_BEHIND
    assert say(room, {"do": "mode", "n": 2, "follows": False}) == [None], "others go on"


def test_a_class_has_a_limit_of_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokensteps.classroom.room.ROUNDS", 2)
    give = {"do": "give", "page": "exercises", "query": "", "questions": 1, "label": ""}
    room = room_of(place(0), ASK)
    other = give | {"label": "other"}
    again = {"do": "again", "round": 1}
    assert say(room, give, other, {"do": "show", "round": 1}, ASK, again) == [
        None,
        "full",
        None,
        "full",
        "full",
    ]


def test_a_second_press_asks_repeats_and_gives_nothing_twice() -> None:
    """Until an answer or another question has come: then it is meant."""
    give = {"do": "give", "page": "exercises", "query": "", "questions": 1, "label": ""}
    prepared, again = ASK | {"prepared": "q1"}, {"do": "again", "round": 1}
    room = room_of(JOIN, place(0), prepared)
    assert say(room, prepared, prepared | {"prepared": "q2"}, prepared) == ["same", None, None]
    room = room_of(JOIN, place(0), prepared, {"do": "show", "round": 1})
    assert say(room, again, again, {"do": "show", "round": 2}, again) == [None, "same", None, None]
    assert say(room, give, give, answer(1, "right", 4, q=0), give, {**give, "questions": 0}, give) == [
        None, "same", None, None, None, None,
    ]  # fmt: skip


def test_clients_too_far_behind_get_the_whole_state() -> None:
    room = room_of(*(place(step) for step in range(CLASS_BEHIND + 10)))
    assert room.known - room.notes[False].forgotten == CLASS_BEHIND
    heard = b"".join(events(room, room.notes[False].forgotten, Person("", "", 1), NOBODY, 0.0))
    assert heard.count(b"event: place") == CLASS_BEHIND


def test_a_query_is_sent_only_when_it_is_another() -> None:
    room = room_of(
        place(0), place(1), place(2, query="corpus=hug"), {"do": "place", "run": 1, "step": 5, "tab": "x"}
    )
    messages = [dict(note.data) for note in room.notes[False].after(0)]
    assert ["query" in one for one in messages] == [True, False, True, True]
    there = {"run": 1, "page": "bpe", "query": "corpus=course", "step": 5, "tab": "x", "by": ""}
    assert room.place == there
    again = {"do": "place", "run": 1, "step": 5, "tab": "x"}
    assert say(room, again, again | {"tab": "y", "by": "wall"}) == ["same", None]
    assert room.place == there | {"tab": "y", "by": "wall"}
    assert news(room, room.known - 1, STUDENT) == [("place", {"run": 1, "step": 5, "tab": "y", "by": "wall"})]


HOSTILE = (
    "=1+1",
    "@SUM(A1)",
    "<img src=x onerror=alert(1)>",
    "a\r\nid: 9\nevent: end",
    "\u202e\u2066",
    "'-2",
    "😀\x00",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str) -> None:
    """In the stream it can't begin another event, and in a spreadsheet no formula."""
    question = read_question({"kind": text[:40], "say": {"en": text}, "input": "text", "key": [text]})
    join = {"do": "join", "nickname": text}
    room = room_of(
        join, place(0, query=text), {"do": "ask", "question": question}, answer(1, text), nicknames=True
    )
    say(room, {"do": "reveal", "round": 1})
    message = b"".join(events(room, 0, Person("", "", 0), NOBODY, 0.0))
    assert message.count(b"\nid: ") == message.count(b"\nevent: ") - 1 == message.count(b"\ndata: ") - 1
    assert message.isascii()
    for table in (rounds_csv(room), grades_csv(room)):
        cells = [cell.strip('"') for line in table.splitlines() for cell in line.split(",")]
        assert not any(cell.startswith(("=", "@", "+")) for cell in cells)


@pytest.mark.parametrize(
    "broken",
    [
        None, [], {}, {**QUESTION, "input": "file"}, {**QUESTION, "choices": []}, {**QUESTION, "choices": [{"id": "a"}] * 2},
        {**QUESTION, "key": [1]}, {**QUESTION, "key": ["x" * 5_000]}, {**QUESTION, "say": {}}, {**QUESTION, "say": {"en": "\ud800"}},
        {**QUESTION, "seconds": 1}, {**QUESTION, "seconds": True}, {**QUESTION, "say": {"en": "x" * 5_000}},
        {**QUESTION, "choices": [{"id": "a", "say": ["a"]}, {"id": "b"}]}, {**QUESTION, "choices": [{"id": "a", "say": {"en": 1}}, {"id": "b"}]},
        {**QUESTION, "choices": [{"id": "a", "tokens": "ab"}, {"id": "b"}]}, {**QUESTION, "choices": [{"id": " "}, {"id": "b"}]},
        {**QUESTION, "tied": "a"}, {**QUESTION, "say": {"en": ["a"] * 200}}, {**QUESTION, "say": {"en": [{"t": "a", "c": 10}]}},
        {**QUESTION, "say": {"en": ["x" * 900] * 2}}, {**QUESTION, "word": "x" * 99},
        *({**QUESTION, "input": "number", "near": near} for near in ([1], [1, "2"], [1, 1e300], [float("nan"), 1], {"a": 1})),
    ],
)  # fmt: skip
def test_invalid_questions_are_refused(broken: Any) -> None:
    with pytest.raises(RequestRefused, match=r".") as refused:
        read_question(broken)
    assert refused.value.kind == "form"
    whole = {**QUESTION, "say": {"en": ["Is ", {"t": "h", "c": 1}, " a token?"]}}
    assert read_question({**whole, "else": "<script>"}) == {**whole, "tied": []}, "the rest is left out"


def test_nicknames_are_sent_only_in_classes_with_nicknames() -> None:
    messages = (JOIN | {"nickname": "Ana"}, place(0), ASK, answer(1, "a"))
    named, nameless = room_of(*messages, nicknames=True), room_of(*messages)
    (student,) = gradebook(named)["students"]
    assert (student["number"], student["total"], student["tied"]) == (1, 1, 0)
    assert (student["nickname"], student["marks"][0]["answer"]) == ("Ana", "a")
    assert "Ana" not in json.dumps([summary(nameless), summary(named)]), (
        "the page with the bars may be on the wall"
    )
    for tell in (grades_csv, gradebook):
        with pytest.raises(RequestRefused):
            tell(nameless)


def test_grades_are_a_row_for_each_student() -> None:
    """Oracle: the verdicts of three answers by hand, one right, one tied, one wrong; a second vote counts,
    and a later set of exercises."""
    choices = [
        {"id": "p + u", "text": [{"t": "p", "c": 1}, {"t": "u", "c": 2}]},
        {"id": "1", "text": ["none, =1"]},
        {"id": "b"},
    ]
    tie = read_question({**QUESTION, "choices": choices, "key": ["p + u"], "tied": ["1"]})
    opinion = read_question({**QUESTION, "key": []})
    room = room_of(
        *(JOIN | {"nickname": name} for name in ("Ana", "Bo", "=1+1")), JOIN, place(0), nicknames=True
    )
    say(
        room,
        {"do": "ask", "question": tie},
        *(answer(1, "b"), answer(2, "1"), answer(3, "b")),
        {"do": "show", "round": 1},
        {"do": "again", "round": 1},
        *(answer(1, "b", 2), answer(1, "p + u", 2), answer(3, "b", 2)),
        {"do": "ask", "question": opinion},
        answer(3, "a", 3),
        {"do": "give", "page": "exercises", "query": "", "questions": 2, "label": "Counting"},
        answer(2, "half", 4, q=0),
        answer(3, "tied", 4, q=0),
    )
    head, *rows = csv.reader(io.StringIO(grades_csv(room)))
    names = [f" – {what}" for what in ("answer", "result", "tries", "score")]
    which = QUESTION["say"]["en"]
    requests = [
        f"{words}{name}" for words in (f"1. {which}", f"2. {which}", "3. Counting · #1") for name in names
    ]
    assert head == ["number", "nickname", *requests, "tied", "total", "of"]
    none = [""] * 4
    assert rows == [
        ["1", "Ana", "b | p + u", "right", "3", "1", *none, *none, "0", "1", "2"],
        ["2", "Bo", "none, =1 | –", "tied", "1", "0", *none, "", "half", "2", "0.5", "1", "0.5", "2"],
        ["3", "'=1+1", "b | b", "wrong", "2", "0", "a", "", "1", "", "", "tied", "", "0", "1", "0", "2"],
        ["4", "", *none, *none, *none, "0", "0", "2"],
    ]
    bars = [*csv.DictReader(io.StringIO(rounds_csv(room)))]
    assert {one["key"] for one in bars[:3]} == {"p + u"}
    assert [(one["answer"], one["count"], one["right"], one["tied"]) for one in bars[:3]] == [
        ("p + u", "0", "0", "1"), ("none, =1", "1", "0", "1"), ("b", "2", "0", "1"),
    ]  # fmt: skip
    say(room, {"do": "teams", "teams": 2})
    teams = [row[:4] for row in csv.reader(io.StringIO(grades_csv(room)))]
    assert [row[2] for row in teams] == ["team", "A", "B", "A", "B"]
    assert teams[1][3] == "b | p + u"
    screen = gradebook(room)["students"]
    assert [(one["team"], one["tied"], one["total"]) for one in screen] == [
        (0, 0, 1), (1, 1, 0.5), (0, 1, 0), (1, 0, 0),
    ]  # fmt: skip
    assert screen[1]["marks"][2] == {"answer": "", "verdict": "half", "tries": 2}
    assert screen[3]["marks"] == [None] * 3


def test_a_set_given_again_is_graded_once() -> None:
    """Oracle: each student's first verdict on its first question, by hand."""
    give = {"do": "give", "page": "exercises", "query": "", "questions": 2, "label": "Split"}
    back = {**give, "page": "", "questions": 0}
    room = room_of(*[JOIN | {"nickname": name} for name in ("Ana", "Bo")], nicknames=True)
    say(
        room, give, answer(1, "half", q=0), back, give, answer(1, "right", 2, q=0), answer(2, "right", 2, q=0)
    )
    say(room, {**give, "query": "seed=7"}, answer(2, "wrong", 3, q=0))
    for _ in range(2):
        screen = gradebook(room)
        assert [one["say"][""] for one in screen["columns"]] == ["Split · #1"] * 2
        marks = [[mark and mark["verdict"] for mark in one["marks"]] for one in screen["students"]]
        assert marks == [["half", None], ["right", "wrong"]]
    assert [row[-2:] for row in csv.reader(io.StringIO(grades_csv(room)))][1:] == [["0.5", "2"], ["1", "2"]]
    assert [one.answers[0] for one in room.assignments[:2]] == [{1: "half"}, {1: "right", 2: "right"}]


def test_the_plan_is_sent_to_the_lecturer_alone() -> None:
    """Where it is, since when, and by which device; students hear nothing of it, as its note holds the
    answer."""

    def plan(walk: str, **more: Any) -> dict[str, Any]:
        return {"do": "plan", "walk": walk, "by": "wall", **more}

    room = room_of(JOIN)
    assert say(room, plan(""), plan("30.2", at=100.0), plan("30.2"), plan("30.3", at=160.0)) == [
        "same", None, "same", None,
    ]  # fmt: skip
    teacher, student = Person("CDFHJK", "b", 0), Person("CDFHJK", "b", 1)
    messages = [*events(room, 0, teacher, NOBODY, 190.4)]
    now = {"walk": "30.3", "by": "wall", "seconds": 30}
    assert [json.loads(one.split(b"data: ")[1]) for one in messages if b"event: plan" in one] == [now]
    assert state_for(room, teacher, NOBODY, 190.4)["plan"] == now
    assert b"plan" not in b"".join(events(room, 0, student, NOBODY, 190.4))
    assert "plan" not in state_for(room, student, NOBODY, 190.4)
    say(room, plan(""))
    assert state_for(room, teacher, NOBODY, 200.0)["plan"] is None


def test_answers_in_their_own_words_are_grouped_and_picked() -> None:
    """Oracle: grouped by hand: “It wins” and “it WINS” are the same, “it won” is not. Only the lecturer hears
    any of it."""
    free = read_question({"kind": "own", "say": {"": "Why?"}, "input": "free", "key": []})
    room = room_of(*[JOIN] * 4, place(0), {"do": "ask", "question": free})
    say(room, answer(1, "It wins"), answer(2, "it  WINS"), answer(3, "It wins"), answer(4, "it won"))
    assert room.rounds[1].bars()["bars"] == [
        {"answer": "It wins", "count": 3, "verdict": None}, {"answer": "it won", "count": 1, "verdict": None},
    ]  # fmt: skip
    pick = {"do": "pick", "round": 1, "picked": ["it won"]}
    assert say(room, pick, pick, {**pick, "round": 2}) == [None, "same", "round"]
    teacher, student = Person("CDFHJK", "b", 0), Person("CDFHJK", "b", 1)
    message = b"".join(events(room, 0, teacher, NOBODY, 0.0))
    assert b'"picked":["it won"]' in message
    say(room, {"do": "reveal", "round": 1})
    heard_by_student = b"".join(events(room, 0, student, NOBODY, 0.0))
    assert b"it won" not in heard_by_student and b"picked" not in heard_by_student
    assert room.rounds[1].right() is None


def test_a_picked_answer_stays_on_the_wall() -> None:
    """In its own spelling, though another becomes as frequent, and as one of those with bars, however many
    come after it."""
    free = read_question({"kind": "own", "say": {"": "?"}, "input": "free", "key": []})
    room = room_of(*[JOIN] * (2 * FREE_BARS + 5), place(0), {"do": "ask", "question": free})
    say(room, answer(1, "greedy"), answer(2, "slow"))
    assert [bar["answer"] for bar in room.rounds[1].bars()["bars"]] == ["greedy", "slow"]
    say(
        room,
        {"do": "pick", "round": 1, "picked": ["greedy", "slow"]},
        answer(3, "Greedy"),
        answer(4, "Greedy"),
    )
    say(room, *(answer(5 + one, f"a{one // 2:03}") for one in range(2 * FREE_BARS)))
    message = room.rounds[1].bars()
    bars = [(bar["answer"], bar["count"]) for bar in message["bars"]]
    others = [(f"a{one:03}", 2) for one in range(FREE_BARS - 2)]
    assert bars == [("greedy", 3), *others, ("slow", 1)]
    assert message["others"] == {"answers": 2, "count": 4}
    say(room, {"do": "pick", "round": 1, "picked": ["Greedy"]})
    assert [bar["answer"] for bar in room.rounds[1].bars()["bars"]][:: FREE_BARS - 1] == ["Greedy", "a038"]


def test_words_are_graded_by_whoever_has_the_engine() -> None:
    """The room takes the verdicts on given words, in any spelling of spaces, and counts them like a key's."""
    words = read_question({"kind": "own", "say": {"": "Three"}, "input": "free", "parts": 3, "key": []})
    room = room_of(*[JOIN] * 3, place(0), {"do": "ask", "question": words})
    judge = {"do": "judge", "round": 1, "right": ["hugs", "never said"], "wrong": ["pun"]}
    say(room, answer(1, " hugs"), answer(2, "bun"), answer(2, "pun"))
    assert room.rounds[1].unjudged() == ["hugs", "pun"] and room.rounds[1].right() == 0
    assert [bar["verdict"] for bar in room.rounds[1].bars()["bars"]] == [None, None]
    assert say(room, judge, {**judge, "round": 5}, {**judge, "right": ["hugs"]}) == [None, "round", "same"]
    assert [bar["verdict"] for bar in room.rounds[1].bars()["bars"]] == ["right", "wrong"]
    assert [note.name for note in room.notes[True].after(room.known - 3)] == ["tally"]
    say(room, answer(3, "hugs"), answer(1, "Hugs"))
    assert room.rounds[1].unjudged() == ["Hugs"], "case matters to a tokenizer"
    assert (room.rounds[1].right(), room.rounds[1].verdict(2)) == (1, "wrong")
    assert "never said" not in room.rounds[1].judged
    say(room, {"do": "reveal", "round": 1}, {**judge, "right": ["Hugs"], "wrong": []})
    student = Person("CDFHJK", "b", 1)
    revealed = [one for one in events(room, 0, student, NOBODY, 0.0) if b"event: reveal" in one]
    assert b'"right":true' in revealed[-1], "who was told before the engine had spoken is told again"
    assert [name for name, _data in news(room, room.known - 1, student)] == ["reveal"]
    own = {
        "do": "ask",
        "question": read_question({"kind": "own", "say": {"": "?"}, "input": "free", "key": []}),
    }
    say(room, own)
    assert say(room, {**judge, "round": 2}) == ["round"], "nothing else is graded from outside"


@pytest.mark.parametrize("broken", [None, "a", [1], [""], ["x"] * 101, ["x" * 5_000], ["\ud800"]])
def test_picks_and_verdicts_are_bounded(broken: Any) -> None:
    for read in (lambda: as_picks({"picked": broken}), lambda: as_judged({"right": broken, "wrong": []})):
        with pytest.raises(RequestRefused):
            read()
    assert as_picks({"picked": ["a", "b "]}) == {"picked": ["a", "b"]}
    assert as_judged({"right": ["a"], "wrong": ["b"]}) == {"right": ["a"], "wrong": ["b"]}
    with pytest.raises(RequestRefused):
        read_question({"kind": "own", "say": {"": "?"}, "input": "free", "parts": 10**9, "key": []})
