"""A class's summary: its questions with their bars, and where students got lost. It names nobody."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from tokenizers_core.files.exports import csv_table
from tokensteps.classroom.events import assignment_of, json_parts, lost_of, of_free
from tokensteps.classroom.gradebook import gradebook, grades_csv
from tokensteps.classroom.questions import answer_text, for_spreadsheets, said_of
from tokensteps.classroom.room import Room
from tokensteps.classroom.rounds import Round
from tokensteps.limits import CELL_LIMIT


def round_summary(round_: Round) -> dict[str, Any]:
    """A round with its question, its key, its bars and the number of right answers."""
    return {
        "round": round_.number, "first": round_.first, "question": round_.question, "place": round_.place, "at": round_.opened,
        "state": round_.state, "answered": len(round_.answers), "of": round_.of, "right": round_.right(), "tied": round_.tied(), **round_.bars(), **of_free(round_),
    }  # fmt: skip


def summary(room: Room) -> dict[str, Any]:
    """The summary as one object."""
    return {
        "code": room.code, "opened": room.opened, "ended": room.ended, "joined": len(room.devices), "nicknames": room.nicknames,
        "runs": [{"run": run, "page": page, "query": query} for (page, query), run in room.runs.items()],
        "rounds": [round_summary(question) for question in room.rounds.values()],
        "give": room.assignment and {**assignment_of(room.assignment), "progress": room.assignment.progress()},
        "lost": lost_of(room),
    }  # fmt: skip


def rounds_csv(room: Room) -> str:
    """A line for each answer to each question, and one for the rest together."""
    names = (
        "round",
        "repeats",
        "page",
        "query",
        "step",
        "kind",
        "question",
        "answered",
        "right",
        "tied",
        "key",
        "answer",
        "count",
    )
    rows: list[list[object]] = []
    for question in room.rounds.values():
        words = said_of(question.question["say"])
        repeats = "" if question.first == question.number else question.first
        right = question.right()
        facts: list[object] = [
            question.number, repeats, question.place.get("page", ""), _address(room, question), question.place.get("step", ""),
            question.question["kind"], words, len(question.answers), "" if right is None else right, question.tied(),
            _cut(" | ".join(answer_text(question.question, one) for one in question.question["key"])),
        ]  # fmt: skip
        text = question.bars()
        bars = [(answer_text(question.question, one["answer"]), one["count"]) for one in text["bars"]]
        if text["others"]["count"]:
            bars.append(("…", text["others"]["count"]))
        rows += [[*facts, answer, count] for answer, count in bars or [("", 0)]]
    return csv_table(names, for_spreadsheets(rows))


def _address(room: Room, round_: Round) -> str:
    """The query of a round's run, unless it is too long for each line."""
    query = room.query_of(round_)
    return query if len(query) <= CELL_LIMIT else ""


def _cut(text: str) -> str:
    return text if len(text) <= CELL_LIMIT else f"{text[: CELL_LIMIT - 1]}…"


def _csv(table: str) -> bytes:
    return table.encode("utf-8-sig")


SUMMARIES: Final[Mapping[str, Callable[[Room], bytes]]] = {
    "json": lambda room: b"".join(json_parts(summary(room))),
    "csv": lambda room: _csv(rounds_csv(room)),
    "students": lambda room: b"".join(json_parts(gradebook(room))),
    "grades": lambda room: _csv(grades_csv(room)),
}
"""Kind → the function that makes it from a copy of a class: it may take a while. Raises RequestRefused if
there is none."""
