"""The events of a class for each listener: a student gets no key before it is revealed, and never another's
answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from tokensteps.classroom.codes import Person
from tokensteps.classroom.room import COUNTS, Note, Room, as_line
from tokensteps.classroom.rounds import Assignment, Round

SAME_FOR_ALL: Final = frozenset({"place", "pace", "teams", "blank", "names", "call", "drop", "end"})
"""Events with the data of their notes, for everybody."""
OF_ONES_OWN: Final = frozenset({"reveal"})
"""And those with different data for each student."""


class People(NamedTuple):
    """The number of people present, and of those following."""

    here: int
    follow: int


def event(name: str, data: Any, number: int | None = None) -> bytes:
    """An event as sent (https://html.spec.whatwg.org/multipage/server-sent-events.html). JSON has no line
    breaks.

    >>> event("end", {}, 7)
    b'id: 7\\nevent: end\\ndata: {}\\n\\n'
    """
    start = "" if number is None else f"id: {number}\n"
    return f"{start}event: {name}\ndata: {as_line(data)}\n\n".encode("ascii")


def event_parts(name: str, data: Mapping[str, Any], number: int) -> Iterator[bytes]:
    r"""A possibly long event, in parts made on demand: a value each, or an item of an iterator.

    >>> b"".join(event_parts("state", {"role": "lecturer", "rounds": iter([1, 2]), "give": None}, 7))
    b'id: 7\nevent: state\ndata: {"role":"lecturer","rounds":[1,2],"give":null}\n\n'
    """
    yield f"id: {number}\nevent: {name}\ndata: ".encode("ascii")
    yield from json_parts(data)
    yield b"\n\n"


def json_parts(data: Mapping[str, Any]) -> Iterator[bytes]:
    """An object as JSON, a value at a time; for a list or an iterator, an item at a time."""
    start = "{"
    for name, value in data.items():
        yield f"{start}{json.dumps(name)}:".encode("ascii")
        if isinstance(value, list | Iterator):
            between = "["
            for item in value:
                yield f"{between}{as_line(item)}".encode("ascii")
                between = ","
            yield b"]" if between == "," else b"[]"
        else:
            yield as_line(value).encode("ascii")
        start = ","
    yield b"}" if start == "," else b"{}"


def events(room: Room, after: int, person: Person, people: People, now: float) -> Iterator[bytes]:
    """The news for a listener who knows everything up to the entry `after`.

    Each event is made on demand: meanwhile the class goes on, and an event with newer data on a round is sent
    again afterwards.
    """
    return _events(room, room.notes[person.lecturer].after(after), person, people, now)


def _events(room: Room, notes: list[Note], person: Person, people: People, now: float) -> Iterator[bytes]:
    latest = {_about(note): note.id for note in notes if note.name in COUNTS}
    for note in notes:
        if note.name in SAME_FOR_ALL:
            yield _shared(note, note.name, note.data)
        elif "round" in note.data and note.data["round"] not in room.rounds:
            continue  # dropped meanwhile
        elif note.name not in COUNTS or latest[_about(note)] == note.id:
            said = (_to_lecturer if person.lecturer else _to_student)(room, note, person, people, now)
            if said is not None:
                shared = not person.lecturer and note.name not in OF_ONES_OWN
                yield (_shared if shared else _anew)(note, *said)


def _anew(note: Note, name: str, data: Any) -> bytes:
    return event(name, data, note.id)


def _shared(note: Note, name: str, data: Any) -> bytes:
    """An event for hundreds, written once: again only with another remaining time."""
    left = data.get("left") if data else None
    if left not in note.sent:
        note.sent.clear()
        note.sent[left] = _anew(note, name, data)
    return note.sent[left]


def _about(note: Note) -> tuple[object, ...]:
    return note.name, *note.data.values()


def _to_lecturer(
    room: Room, note: Note, _person: Person, people: People, now: float
) -> tuple[str, Any] | None:
    match note.name:
        case "give":
            return "give", assignment_with_progress(room, people.here)
        case "plan":
            return "plan", plan_of(room, now)
        case "deck":
            return "deck", room.deck
        case "progress":
            return "progress", progress_of(room.assignment, people.here)
        case "lost":
            return "lost", {**note.data, "count": len(room.lost[note.data["run"], note.data["step"]])}
        case "put":
            return "put", note.data
    question = room.rounds[note.data["round"]]
    match note.name:
        case "ask":
            return "ask", question_of(room, question, now, key=True)
        case "reveal":
            verdict = {
                "key": question.question["key"],
                "tied": question.question.get("tied", []),
                "right": question.right(),
            }
            return "reveal", {**tally_of(room, question, people.here), **verdict}
        case _:
            return note.name, tally_of(room, question, people.here)


def _to_student(
    room: Room, note: Note, person: Person, _people: People, now: float
) -> tuple[str, Any] | None:
    match note.name:
        case "give":
            return "give", assignment_of(room.assignment)
        case "ask":
            return "ask", question_of(room, room.rounds[note.data["round"]], now)
        case "shown":
            return "closed", {"round": note.data["round"]}
        case "reveal":
            question = room.rounds[note.data["round"]]
            return "reveal", {"round": question.number, **verdict_of(question, person.number)}
    return None


def question_of(room: Room, round_: Round, now: float, key: bool = False) -> dict[str, Any]:
    """A round's question and place, without its key for students, or with it."""
    question = dict(round_.question)
    more = {"prepared": round_.prepared} if key else {}
    if not key:
        del question["key"]
        for name in ("tied", "near"):
            question.pop(name, None)
    return {
        "round": round_.number,
        "first": round_.first,
        "vote": room.vote_of(round_),
        "question": question,
        "place": round_.place and {**round_.place, "query": room.query_of(round_)},
        "left": round_.left(now),
        **more,
    }


def plan_of(room: Room, now: float) -> dict[str, Any] | None:
    """The activity of a plan, and its duration so far in seconds."""
    plan = room.plan
    return plan and {"walk": plan["walk"], "by": plan["by"], "seconds": max(0, round(now - plan["at"]))}


def tally_of(room: Room, round_: Round, here: int) -> dict[str, Any]:
    """The number of answers, of people present, and the bars: the lecturer's own screen shows them before the
    wall does."""
    answered = len(round_.answers)
    return {
        "round": round_.number,
        "answered": answered,
        "of": max(here, answered),
        **round_.bars(),
        **of_free(round_),
        "teams": round_.by_team(room.teams),
    }


def of_free(round_: Round) -> dict[str, Any]:
    """The additions for free answers: those on the wall, and those that the engine has yet to grade."""
    if round_.question["input"] != "free":
        return {}
    return {"picked": [*round_.picked], "unjudged": round_.unjudged()}


def verdict_of(round_: Round, number: int) -> dict[str, Any]:
    """A student's view of a revealed round."""
    mine, verdict = round_.answers.get(number), round_.verdict(number)
    return {
        "key": round_.question["key"],
        "tied": round_.question.get("tied", []),
        "mine": mine,
        "right": None if verdict is None else verdict == "right",
    }


def assignment_of(assignment: Assignment | None) -> Any:
    """The set given to everybody; None for nothing."""
    return None if assignment is None else {"round": assignment.number, **assignment.what}


def progress_of(assignment: Assignment | None, here: int) -> Any:
    """Everybody's progress with it."""
    return (
        None
        if assignment is None
        else {"round": assignment.number, "of": here, "questions": assignment.progress()}
    )


def assignment_with_progress(room: Room, here: int) -> Any:
    """The set given to everybody, for the lecturer."""
    value = room.assignment
    return value and {**assignment_of(value), "progress": progress_of(value, here)}


def lost_of(room: Room) -> list[dict[str, int]]:
    """The number of lost students for each place, in the order of the places."""
    return [{"run": run, "step": step, "count": len(who)} for (run, step), who in sorted(room.lost.items())]


def state_for(room: Room, person: Person, people: People, now: float, rounds: Any = ()) -> dict[str, Any]:
    """The whole state for a newcomer; for a lecturer with the `rounds` of all questions."""
    common = {
        "code": room.code, "nicknames": room.nicknames, "ended": room.ended, "place": room.place, "blank": room.blank, "all": room.all,
        "pace": room.pace, "teams": room.teams,
    }  # fmt: skip
    if person.lecturer:
        return {
            "role": "lecturer", **common, "plan": plan_of(room, now), "people": people_of(room, people), "lost": lost_of(room), "rounds": rounds,
            "round": _present(room, person, people, now),
            "give": assignment_with_progress(room, people.here),
            "deck": room.deck, "asked": [one.prepared for one in room.rounds.values() if one.prepared],
        }  # fmt: skip
    device = room.devices[person.number]
    return {
        "role": "student", **common, "number": person.number, "nickname": device.nickname, "follows": device.follows,
        "round": _present(room, person, people, now), "give": assignment_of(room.assignment),
    }  # fmt: skip


def people_of(room: Room, people: People) -> Mapping[str, int]:
    """The numbers of people present, following, and ever joined."""
    return {**people._asdict(), "joined": len(room.devices)}


def _present(room: Room, person: Person, people: People, now: float) -> dict[str, Any] | None:
    """The present round, as far as this person may see it."""
    question = room.round
    if question is None:
        return None
    shape = {
        **question_of(room, question, now, key=person.lecturer),
        "state": question.state,
    }
    if person.lecturer:
        return {**shape, **tally_of(room, question, people.here), "put": question.aside}
    shape["mine"] = mine = question.answers.get(person.number)
    if question.state != "revealed":
        return shape
    return {**shape, **verdict_of(question, person.number), "put": question.aside or mine is None}
