"""What is left of a class afterwards: its questions with their bars, where it got lost. It names nobody."""

from __future__ import annotations

from typing import Any

from tokenizers_core.files.exports import csv_table
from tokensteps.classroom.events import given_of, lost_of
from tokensteps.classroom.questions import answer_text, as_text, for_spreadsheets
from tokensteps.classroom.room import Room
from tokensteps.classroom.rounds import Round


def round_summary(asked: Round) -> dict[str, Any]:
    """A round with its question, its key, its bars and how many were right."""
    return {
        "round": asked.number, "first": asked.first, "question": asked.question, "place": asked.place, "at": asked.opened,
        "state": asked.state, "answered": len(asked.answers), "of": asked.of, "right": asked.right(), "tied": asked.tied(), **asked.bars(),
    }  # fmt: skip


def summary(room: Room) -> dict[str, Any]:
    """All of it."""
    return {
        "code": room.code, "opened": room.opened, "ended": room.ended, "joined": len(room.devices), "nicknames": room.nicknames,
        "runs": [{"run": run, "page": page, "query": query} for (page, query), run in room.runs.items()],
        "rounds": [round_summary(asked) for asked in room.rounds.values()],
        "give": room.given and {**given_of(room.given), "progress": room.given.progress()},
        "lost": lost_of(room),
    }  # fmt: skip


def rounds_csv(room: Room) -> str:
    """A line for each answer that was given to each question, and one for the rest together."""
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
    for asked in room.rounds.values():
        say = asked.question["say"]
        words = as_text(say.get("en") or next(iter(say.values())))
        repeats = "" if asked.first == asked.number else asked.first
        right = asked.right()
        facts: list[object] = [
            asked.number, repeats, asked.place.get("page", ""), asked.place.get("query", ""), asked.place.get("step", ""),
            asked.question["kind"], words, len(asked.answers), "" if right is None else right, asked.tied(),
            " | ".join(answer_text(asked.question, one) for one in asked.question["key"]),
        ]  # fmt: skip
        told = asked.bars()
        bars = [(answer_text(asked.question, one["answer"]), one["count"]) for one in told["bars"]]
        if told["others"]["count"]:
            bars.append(("…", told["others"]["count"]))
        rows += [[*facts, answer, count] for answer, count in bars or [("", 0)]]
    return csv_table(names, for_spreadsheets(rows))
