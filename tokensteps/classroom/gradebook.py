"""Each student's answers and scores: a row for each, only in classes with nicknames, and for the lecturer
alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from tokenizers_core.files.exports import csv_table
from tokensteps.classroom.questions import RequestRefused, answer_text, for_spreadsheets, said_of
from tokensteps.classroom.room import Room, as_line
from tokensteps.classroom.rounds import WORTH, Assignment, Round, team_of

TRY_OF: Final[Mapping[str, int]] = {"right": 1, "half": 2, "quarter": 3}
"""Verdict on an exercise → the number of the right try."""
MISSED: Final = "–"
"""Stands for a vote without an answer."""
TEAM_NAMES: Final = "ABCD"
"""The same as in `assets/components/class/display.js`."""


class Mark(NamedTuple):
    """One student's answer to one question."""

    answer: str
    """The answers of all votes, one after the other."""
    verdict: str
    """The last answered vote's verdict: "right", "tied", "wrong"; for an exercise also "half" and "quarter";
    "" without a key."""
    tries: int | None
    """The number of answers sent, or of an exercise's right try; None if that is unknown."""

    @property
    def score(self) -> float | None:
        """Its score; None for a question without a key. A tie isn't right, and is counted as a tie."""
        return WORTH.get(self.verdict)


class Answered(NamedTuple):
    """A question, with all its votes."""

    say: Mapping[str, Any]
    """Language → the question."""
    graded: bool
    marks: Mapping[int, Mark]
    """Device → its mark."""


def all_answered(room: Room) -> list[Answered]:
    """All questions in their order, each with its later votes, together with those of the given sets."""
    votes: dict[int, list[Round]] = {}
    for question in room.rounds.values():
        votes.setdefault(question.first, []).append(question)
    results = {first: [_of_votes(rounds)] for first, rounds in votes.items()}
    results |= {value.number: _of_assignment(value) for value in _given(room)}
    return [column for number in sorted(results) for column in results[number]]


def _given(room: Room) -> Iterable[Assignment]:
    """The given sets; one taken back and given again is the same, and its first verdicts count."""
    sets: dict[str, Assignment] = {}
    for value in room.assignments:
        first = sets.setdefault(as_line(value.what), value.copy())
        for before, now in zip(first.answers, value.answers, strict=True):
            before |= now | before
    return sets.values()


def _of_votes(rounds: list[Round]) -> Answered:
    question, marks = rounds[0].question, {}
    for device in dict.fromkeys(one for question in rounds for one in question.answers):
        answers = [question.answers.get(device) for question in rounds]
        said = [MISSED if one is None else answer_text(question, one) for one in answers]
        verdict = next(
            question.verdict(device) for question in reversed(rounds) if device in question.answers
        )
        tries = sum(question.changes[device] for question in rounds)
        marks[device] = Mark(" | ".join(said), verdict or "", tries)
    return Answered(question["say"], rounds[0].is_graded, marks)


def _of_assignment(assignment: Assignment) -> list[Answered]:
    return [
        Answered(
            {"": " · ".join(filter(None, (assignment.what["label"], f"#{number}")))},
            True,
            {device: Mark("", text, TRY_OF.get(text)) for device, text in answers.items()},
        )
        for number, answers in enumerate(assignment.answers, start=1)
        if answers
    ]


class Student(NamedTuple):
    """A row."""

    number: int
    nickname: str
    team: int | None
    """From 0; None without teams."""
    marks: tuple[Mark | None, ...]
    """For each question; None without an answer."""

    def counted(self, kind: str) -> int:
        """The number of marks of a kind."""
        return sum(mark is not None and mark.verdict == kind for mark in self.marks)

    @property
    def total(self) -> float:
        """The sum of the scores."""
        return sum(mark.score or 0 for mark in self.marks if mark is not None)


def students(room: Room) -> tuple[list[Answered], list[Student]]:
    """All questions, and all students. Raises RequestRefused for a class without nicknames."""
    if not room.nicknames:
        raise RequestRefused("names", "This class has no nicknames.")
    columns = all_answered(room)
    rows = [
        Student(
            number,
            device.nickname,
            team_of(number, room.teams) if room.teams else None,
            tuple(column.marks.get(number) for column in columns),
        )
        for number, device in room.devices.items()
    ]
    return columns, rows


def gradebook(room: Room) -> dict[str, Any]:
    """The table for the lecturer's screen. Raises RequestRefused."""
    columns, rows = students(room)
    return {
        "columns": [{"say": column.say, "graded": column.graded} for column in columns],
        "students": [
            {
                "number": one.number, "nickname": one.nickname, "team": one.team, "total": one.total, "tied": one.counted("tied"),
                "marks": [mark and mark._asdict() for mark in one.marks],
            }
            for one in rows
        ],
    }  # fmt: skip


def grades_csv(room: Room) -> str:
    """The same for a gradebook: a line for each student, with the team, if any; for each question the answer,
    the grade, the tries and the score; totals.

    Raises RequestRefused.
    """
    columns, rows = students(room)
    names = ["number", "nickname", *(["team"] if room.teams else [])]
    for number, column in enumerate(columns, start=1):
        words = said_of(column.say)
        names += [f"{number}. {words} – {what}" for what in ("answer", "result", "tries", "score")]
    graded = sum(column.graded for column in columns)
    lines: list[list[object]] = []
    for one in rows:
        cells: list[object] = [one.number, one.nickname]
        if one.team is not None:
            cells.append(TEAM_NAMES[one.team])
        for mark in one.marks:
            cells += ["", "", "", ""] if mark is None else [mark.answer, mark.verdict, _short(mark.tries), _short(mark.score)]  # fmt: skip
        lines.append([*cells, one.counted("tied"), _short(one.total), graded])
    return csv_table([*names, "tied", "total", "of"], for_spreadsheets(lines))


def _short(number: float | None) -> object:
    """A number as short as it can be.

    >>> _short(None), _short(2.0), _short(0.25)
    ('', 2, 0.25)
    """
    return "" if number is None else int(number) if number == int(number) else number
