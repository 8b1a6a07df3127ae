"""A class: the state that follows from a log of entries, applied one after the other.

Every server reads the same log in the same order, and so comes to the same class; nothing here looks at a
clock or tosses a coin: an entry has its own time. An entry made impossible by an earlier one has no effect on
any server.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Final, Literal

from tokensteps.classroom.questions import Kind
from tokensteps.classroom.rounds import WORTH, Assignment, Round
from tokensteps.limits import (
    ANSWER_CHANGES,
    CLASS_BEHIND,
    CLASS_BEHIND_BYTES,
    CLASS_BYTES,
    CLASS_DEVICES,
    CLASS_RESERVE,
    DEVICE_ENTRIES,
    DEVICE_SHARE,
    LOST_PLACES,
    ROUNDS,
)

Said = Mapping[str, Any]
"""An entry: `do` is its action, `at` its time, `n` its device; the rest depends on the action."""
Outcome = Kind | Literal["same"] | None
"""The reason why an entry has no effect; "same": everything is already as it demands."""
COUNTS: Final = frozenset({"tally", "lost", "progress", "plan", "picked", "put", "deck"})
"""Events for the lecturer alone; the latest one replaces all earlier ones of the same thing."""
OF_STUDENTS: Final = frozenset({"join", "nick", "mode", "answer", "lost"})


def as_line(entry: Any) -> str:
    """An entry in the log, or an event's data: JSON in ASCII on one line."""
    return json.dumps(entry, separators=(",", ":"))


def _as_assignment(entry: Said) -> dict[str, Any]:
    """The assignment in an entry, for everybody."""
    return {name: entry[name] for name in ("page", "query", "questions", "label")}


def _as_pace(entry: Said) -> tuple[int, int] | None:
    return None if entry["first"] is None else (entry["first"], entry["last"])


@dataclass
class Device:
    """A joined browser."""

    nickname: str = ""
    follows: bool = True
    entries: int = 0
    size: int = 0
    """The characters of its entries."""


@dataclass(frozen=True)
class Note:
    """An entry's change, for listeners."""

    id: int
    name: str
    data: Mapping[str, Any]
    """The data of the event; for changing data only the number of its round or place."""
    size: int = 0
    """Approximate bytes of the event."""
    sent: dict[float | None, bytes] = field(default_factory=dict, compare=False)
    """Remaining seconds of a countdown, None without one → the event for everybody at that time. Only the
    latest is kept."""


class Notes:
    """The latest notes for the lecturer or for students: a few hundred, so that a quick return finds each;
    fewer if they are long."""

    def __init__(self) -> None:
        self.forgotten = 0
        """The latest dropped note: listeners who have missed it get the whole state."""
        self._notes: deque[Note] = deque()
        self._size = 0

    def add(self, note: Note) -> None:
        """Keep one more."""
        self._notes.append(note)
        self._size += note.size
        while len(self._notes) > CLASS_BEHIND or (self._size > CLASS_BEHIND_BYTES and len(self._notes) > 1):
            gone = self._notes.popleft()
            self.forgotten = gone.id
            self._size -= gone.size

    def after(self, number: int) -> list[Note]:
        """The notes of later entries."""
        return [*takewhile(lambda note: note.id > number, reversed(self._notes))][::-1]

    def drop(self, number: int) -> None:
        """Drop the notes on a deleted round."""
        self._notes = deque(note for note in self._notes if note.data.get("round") != number)
        self._size = sum(note.size for note in self._notes)


class Room:
    """A class as it stands."""

    def __init__(self, code: str) -> None:
        self.code, self.born, self.opened = code, "", 0.0
        self.known, self.size, self.ended = 0, 0, False
        """Applied entries of the log, and their characters."""
        self._long = 0
        """Characters of the latest entry."""
        self.nicknames, self.blank, self.all = False, False, True
        self.place: dict[str, Any] | None = None
        self.plan: dict[str, Any] | None = None
        """The activity of a lesson plan: `walk` as in an address, `by` its device, `at` its start."""
        self.pace: tuple[int, int] | None = None
        """The first and the last step for students to step alone in the present run; None while all
        follow."""
        self.teams = 0
        """The number of teams, assigned by the numbers of devices; 0 without."""
        self.deck: list[dict[str, Any]] = []
        """The lecturer's prepared questions."""
        self.devices: dict[int, Device] = {}
        self.joined: dict[str, int] = {}
        """A browser's name for its request to join → its device: the same request again is no other student,
        such as after an answer that came too late."""
        self.rounds: dict[int, Round] = {}
        self.round: Round | None = None
        """The present round."""
        self.assignment: Assignment | None = None
        self.assignments: list[Assignment] = []
        """All given sets, the present one last."""
        self.numbered = 0
        self.created: dict[int, int] = {}
        """Entry of the log → its new device or round."""
        self.runs: dict[tuple[str, str], int] = {}
        """Page and query → their number, in the order of their first visit."""
        self.visited: list[tuple[str, str]] = []
        """Number, less one → page and query."""
        self.lost: dict[tuple[int, int], set[int]] = {}
        """Run and step → the devices lost there."""
        self.notes = {True: Notes(), False: Notes()}
        """For the lecturer (True), with everything, and for students."""

    # --- Checks ---------------------------------------------------------------------------------------------

    def verdict(self, entry: Said) -> Outcome:
        """The reason why an entry has no effect; None if it has one."""
        do, device = entry["do"], self.devices.get(entry.get("n", 0))
        if not hasattr(self, f"_do_{do}"):  # a newer server's, while all are being updated
            return "form"
        if self.ended:
            return "same" if do == "end" else "ended"
        if do in OF_STUDENTS:
            if do != "join" and device is None:
                return "key"
            free = CLASS_BYTES - CLASS_RESERVE - self.size
            if free < 0 or (
                do == "join" and len(self.devices) >= CLASS_DEVICES and entry.get("once") not in self.joined
            ):
                return "full"
            if device is not None and (device.entries >= DEVICE_ENTRIES or device.size * DEVICE_SHARE > free):
                return "enough"
        elif self.size > CLASS_BYTES and do != "end":
            return "full"
        check = getattr(self, f"_check_{do}", None)
        verdict: Outcome = check(entry, device) if check else None
        return verdict

    def _check_names(self, entry: Said, _device: None) -> Outcome:
        if self.nicknames == entry["on"]:
            return "same"
        # A student with anonymous answers must not get a name afterwards.
        return "names" if entry["on"] and self.numbered else None

    def _check_nick(self, entry: Said, device: Device) -> Outcome:
        return "same" if not self.nicknames or entry["nickname"] in ("", device.nickname) else None

    def _check_mode(self, entry: Said, device: Device) -> Outcome:
        return "same" if device.follows == entry["follows"] else None

    def _check_blank(self, entry: Said, _device: None) -> Outcome:
        return "same" if self.blank == entry["on"] else None

    def _check_place(self, entry: Said, _device: None) -> Outcome:
        now = self.place
        same = now is not None and all(entry.get(name) == now[name] for name in ("run", "step", "tab"))
        return "same" if same else None

    def _check_plan(self, entry: Said, _device: None) -> Outcome:
        return "same" if entry["walk"] == (self.plan["walk"] if self.plan else "") else None

    def _check_teams(self, entry: Said, _device: None) -> Outcome:
        return "same" if self.teams == entry["teams"] else None

    def _check_deck(self, entry: Said, _device: None) -> Outcome:
        return "same" if self.deck == entry["questions"] else None

    def _check_pace(self, entry: Said, _device: None) -> Outcome:
        if self.place is None:
            return "place"
        return "same" if self.pace == _as_pace(entry) else None

    def _check_lost(self, entry: Said, _device: Device) -> Outcome:
        if self.place is None:
            return "place"
        there = self._lost_at(entry)
        if there not in self.lost:
            return "full" if len(self.lost) >= LOST_PLACES else None
        return "same" if entry["n"] in self.lost[there] else None

    def _lost_at(self, entry: Said) -> tuple[int, int]:
        """The run and step where a student is lost: the class's, or between two steps the student's own."""
        assert self.place is not None  # else it would have been refused
        own, (first, last) = entry.get("step", -1), self.pace or (0, -1)
        return self.place["run"], own if first <= own <= last else self.place["step"]

    # A second press while the first one is on its way asks, repeats or gives nothing twice.

    def _check_ask(self, entry: Said, _device: None) -> Outcome:
        question = entry["question"]
        if self.place is None and (question["kind"] != "own" or "parts" in question):
            return "place"  # others are about no page
        now = self.round
        if now is not None and now.state == "open" and self._asks_same(entry, now):
            return "same"
        return self._check_room()

    def _asks_same(self, entry: Said, now: Round) -> bool:
        """Whether an entry asks what is being asked, such as another device of the lecturer's at the same
        moment."""
        if prepared := entry.get("prepared"):
            return bool(prepared == now.prepared)
        here = self.place or {}
        there = all(here.get(name) == now.place.get(name) for name in ("run", "step"))
        return there and entry["question"] == now.question

    def _check_room(self) -> Outcome:
        return "full" if self.numbered >= ROUNDS else None

    def _check_again(self, entry: Said, _device: None) -> Outcome:
        former, now = self.rounds.get(entry["round"]), self.round
        if former is None:
            return "round"
        if now is not None and now.state == "open" and now.first == former.first:
            return "same"
        return self._check_room()

    def _check_give(self, entry: Said, _device: None) -> Outcome:
        now = self.assignment
        if (
            now is not None
            and entry["questions"]
            and now.what == _as_assignment(entry)
            and not any(now.answers)
        ):
            return "same"
        return "full" if self.numbered >= ROUNDS else None

    def _check_drop(self, entry: Said, _device: None) -> Outcome:
        question = self.rounds.get(entry["round"])
        return "round" if question is None or question.state == "revealed" else None

    def _check_show(self, entry: Said, _device: None) -> Outcome:
        question = self.rounds.get(entry["round"])
        return "round" if question is None else "same" if question.shown else None

    def _check_reveal(self, entry: Said, _device: None) -> Outcome:
        question = self.rounds.get(entry["round"])
        return "round" if question is None else "same" if question.state == "revealed" else None

    def _check_pick(self, entry: Said, _device: None) -> Outcome:
        question = self.rounds.get(entry["round"])
        if question is None or question.question["input"] != "free":
            return "round"
        return "same" if question.picked == tuple(entry["picked"]) else None

    def _check_judge(self, entry: Said, _device: None) -> Outcome:
        question = self.rounds.get(entry["round"])
        if question is None or "parts" not in question.question:
            return "round"
        said = {**dict.fromkeys(entry["right"], "right"), **dict.fromkeys(entry["wrong"], "wrong")}
        return "same" if said.items() <= question.judged.items() else None

    def _check_put(self, entry: Said, _device: None) -> Outcome:
        question = self.rounds.get(entry["round"])
        if question is None or question.state != "revealed":
            return "round"
        return "same" if question.aside else None

    def _check_answer(self, entry: Said, _device: Device) -> Outcome:
        number, device = entry["round"], entry["n"]
        value = self.assignment
        if value is not None and number == value.number:
            if not 0 <= entry.get("q", -1) < len(value.answers):
                return "round"
            if entry["a"] not in WORTH:
                return "form"
            # The first verdict counts: after a reload, a page knows its latest one alone.
            return "same" if device in value.answers[entry["q"]] else None
        question = self.rounds.get(number)
        if question is None:
            return "round"
        if question.state != "open":
            return "shown" if question is self.round else "round"
        if question.late(entry["at"]):
            return "late"
        if not question.offers(entry["a"]):
            return "form"
        if question.answers.get(device) == entry["a"]:
            return "same"
        return "enough" if question.changes[device] >= ANSWER_CHANGES else None

    # --- Effects --------------------------------------------------------------------------------------------

    def apply(self, line: str, entry: Said) -> Outcome:
        """Apply the log's next entry, given as its line and as an object. Returns the reason why it had no
        effect, if so.

        An error from a malformed entry, written into the store by another program, is caught here.
        """
        self.known += 1
        self.size += len(line)
        self._long = len(line)
        try:
            return self._do(entry)
        except (LookupError, TypeError, ValueError, AttributeError):
            return "form"

    def _do(self, entry: Said) -> Outcome:
        verdict = self.verdict(entry)
        if verdict is None:
            device = self.devices.get(entry.get("n", 0))
            if device is not None:
                device.entries += 1
                device.size += self._long
            getattr(self, f"_do_{entry['do']}")(entry)
        return verdict

    def copy(self) -> Room:
        """The class as it stands, for another thread. Unchangeable parts, such as past rounds, are shared."""
        same = copy(self)
        same.devices, same.runs, same.visited = {**self.devices}, {**self.runs}, [*self.visited]
        same.lost = {there: {*who} for there, who in self.lost.items()}
        same.assignment = own = self.assignment and self.assignment.copy()
        same.assignments = [own if one is self.assignment and own else one for one in self.assignments]
        same.rounds = {
            number: one.copy() if one.state == "open" else copy(one) for number, one in self.rounds.items()
        }
        return same

    def vote_of(self, round_: Round) -> int:
        """Which vote on its question a round is, from 1."""
        return sum(one.first == round_.first and one.number <= round_.number for one in self.rounds.values())

    def query_of(self, round_: Round) -> str:
        """The query of a round's run; "" without one."""
        return self.visited[round_.place["run"] - 1][1] if round_.place else ""

    def _say(self, name: str, size: int = 0, **data: Any) -> None:
        note = Note(self.known, name, data, size or self._long)
        for lecturer in (True,) if name in COUNTS else (True, False):
            self.notes[lecturer].add(note)

    def _do_open(self, entry: Said) -> None:
        self.born, self.opened, self.nicknames = entry["born"], float(entry["at"]), entry["nicknames"]

    def _do_join(self, entry: Said) -> None:
        name, once = entry.get("nickname", "") if self.nicknames else "", entry.get("once", "")
        if once in self.joined:
            self.created[self.known] = self.joined[once]
            return
        number = self.created[self.known] = len(self.devices) + 1
        if once:
            self.joined[once] = number
        self.devices[number] = Device(name, self.all, 1)
        if self.round is not None and self.round.state == "open":
            self.round.of = len(self.devices)

    def _do_names(self, entry: Said) -> None:
        self.nicknames = entry["on"]
        for device in self.devices.values():
            device.nickname = ""
        self._say("names", on=self.nicknames)

    def _do_nick(self, entry: Said) -> None:
        self.devices[entry["n"]].nickname = entry["nickname"]

    def _do_mode(self, entry: Said) -> None:
        self.devices[entry["n"]].follows = entry["follows"]

    def _do_place(self, entry: Said) -> None:
        run = entry.get("run")
        if run is None:  # a page and a query, perhaps new
            there = (entry["page"], entry["query"])
            run = self.runs.setdefault(there, len(self.runs) + 1)
            if run > len(self.visited):
                self.visited.append(there)
        same = self.place is not None and self.place["run"] == run
        where = {} if same else dict(zip(("page", "query"), self.visited[run - 1], strict=True))
        now = {"run": run, "step": entry["step"], "tab": entry["tab"], "by": entry.get("by", "")}
        self.place = {**(self.place or {}), **where, **now}
        if not same:
            self.pace = None  # it was about the other run's steps
        self._say("place", self._long + len(where.get("query", "")), **now, **where)

    def _do_plan(self, entry: Said) -> None:
        now = {"walk": entry["walk"], "by": entry["by"], "at": entry["at"]}
        self.plan = now if entry["walk"] else None
        self._say("plan")

    def _do_teams(self, entry: Said) -> None:
        self.teams = entry["teams"]
        self._say("teams", teams=self.teams)
        if self.round is not None:
            self._say("tally", round=self.round.number)  # its bars are by team now, or no longer

    def _do_deck(self, entry: Said) -> None:
        self.deck = entry["questions"]
        self._say("deck")

    def _do_pace(self, entry: Said) -> None:
        self._gather(True)
        self.pace = _as_pace(entry)
        self._say("pace", pace=self.pace)

    def _do_blank(self, entry: Said) -> None:
        self.blank = entry["on"]
        self._say("blank", on=self.blank)

    def _do_call(self, entry: Said) -> None:
        self._gather(entry["all"])
        self._say("call", all=self.all)

    def _gather(self, everybody: bool) -> None:
        self.all, self.pace = everybody, None
        for device in self.devices.values():
            device.follows = everybody

    def _do_ask(self, entry: Said) -> None:
        # The query may be the longest part of a place; each run's is kept once.
        where = {name: value for name, value in (self.place or {}).items() if name != "query"}
        self._begin(entry["question"], None, entry, where)

    def _do_again(self, entry: Said) -> None:
        former = self.rounds[entry["round"]]
        self._begin(former.question, former.first, {**entry, "prepared": former.prepared}, former.place)

    def _begin(
        self, question: Mapping[str, Any], first: int | None, entry: Said, where: Mapping[str, Any]
    ) -> None:
        if self.round is not None and self.round.state in ("open", "shown"):
            self.round.state = "closed"
        number = self._next_number()
        self.round = Round(
            number,
            first or number,
            question,
            where,
            entry["at"],
            of=len(self.devices),
            prepared=entry.get("prepared", ""),
        )
        self.rounds[number] = self.round
        self._say("ask", len(as_line(question)) + len(self.query_of(self.round)), round=number)

    def _next_number(self) -> int:
        self.numbered += 1
        self.created[self.known] = self.numbered
        return self.numbered

    def _do_drop(self, entry: Said) -> None:
        del self.rounds[entry["round"]]
        if self.round is not None and self.round.number == entry["round"]:
            self.round = None
        for notes in self.notes.values():
            notes.drop(entry["round"])
        self._say("drop", round=entry["round"])

    def _do_show(self, entry: Said) -> None:
        question = self.rounds[entry["round"]]
        question.shown = True
        if question.state == "open":
            question.state = "shown"
        self._say("shown", round=question.number)

    def _do_reveal(self, entry: Said) -> None:
        question = self.rounds[entry["round"]]
        question.shown, question.state = True, "revealed"
        self._say("reveal", len(as_line(question.question)), round=question.number)

    def _do_put(self, entry: Said) -> None:
        self.rounds[entry["round"]].aside = True
        self._say("put", round=entry["round"])

    def _do_give(self, entry: Said) -> None:
        questions = entry["questions"]
        if questions:
            number = self._next_number()
            self.assignment = Assignment(number, _as_assignment(entry), [{} for _ in range(questions)])
            self.assignments.append(self.assignment)
        else:
            self.assignment = None
        self._say("give")

    def _do_answer(self, entry: Said) -> None:
        value = self.assignment
        if value is not None and entry["round"] == value.number:
            value.answers[entry["q"]][entry["n"]] = entry["a"]
            self._say("progress")
            return
        question = self.rounds[entry["round"]]
        question.put(entry["n"], entry["a"])
        self._say("tally", round=question.number)

    def _do_pick(self, entry: Said) -> None:
        question = self.rounds[entry["round"]]
        question.pick(entry["picked"])
        self._say("picked", round=question.number)

    def _do_judge(self, entry: Said) -> None:
        question = self.rounds[entry["round"]]
        question.judge({**dict.fromkeys(entry["right"], "right"), **dict.fromkeys(entry["wrong"], "wrong")})
        # A student who got no verdict before is told again.
        self._say("reveal" if question.state == "revealed" else "tally", round=question.number)

    def _do_lost(self, entry: Said) -> None:
        there = self._lost_at(entry)
        self.lost.setdefault(there, set()).add(entry["n"])
        self._say("lost", run=there[0], step=there[1])

    def _do_end(self, _entry: Said) -> None:
        self.ended = True
        self._say("end")
