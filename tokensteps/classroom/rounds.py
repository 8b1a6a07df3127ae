"""Rounds: questions to a class with everybody's answers, counted, gathered into bars, judged by the key."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final, Literal

from tokensteps.classroom.questions import AnswerKey, Judgement, same_answer
from tokensteps.limits import BARS, FREE_BARS, JUDGED_AT_ONCE, LATE_SECONDS, NUMBER_LIMIT

State = Literal["open", "shown", "revealed", "closed"]
WORTH: Final[Mapping[str, float]] = {"right": 1.0, "half": 0.5, "quarter": 0.25, "tied": 0.0, "wrong": 0.0}
"""Verdict → its score; halves and quarters are for an exercise solved at the second or third try."""

NUMBER_FORM: Final = re.compile(r"-?[0-9]+(\.[0-9]*)?(e[+-]?[0-9]+)?")
"""A number as `assets/components/class/display.js` writes it, very long ones with an exponent."""


def team_of(device: int, teams: int) -> int:
    """A device's team among so many, from 0.

    >>> [team_of(device, 2) for device in (1, 2, 3)]
    [0, 1, 0]
    """
    return (device - 1) % teams


@dataclass
class Round:
    """One question, asked once. A repeat is another round with the same `first`."""

    number: int
    first: int
    question: Mapping[str, Any]
    place: Mapping[str, Any]
    """The lecturer's place: the run's number, the page, the step; the room has the run's address."""
    opened: float
    state: State = "open"
    answers: dict[int, str] = field(default_factory=dict)
    """Device → its answer, the latest."""
    counts: Counter[str] = field(default_factory=Counter)
    """Answer → the number of devices with it."""
    verdicts: dict[str, Judgement | None] = field(default_factory=dict)
    """Answer → its verdict: each different answer is judged once."""
    worth: Counter[Judgement | None] = field(default_factory=Counter)
    """Verdict → the number of devices with such an answer."""
    same: dict[str, str] = field(default_factory=dict)
    """Free answer → the common form of equal answers, computed once."""
    changes: Counter[int] = field(default_factory=Counter)
    of: int = 0
    """Possible answers: the devices in the class while it was open."""
    prepared: str = ""
    """The id of the lecturer's prepared question, if it is one."""
    picked: tuple[str, ...] = ()
    """Free answers picked by the lecturer for the wall."""
    judged: dict[str, Judgement] = field(default_factory=dict)
    """The engine's judgement of students' words; a question for a word has no key."""
    shown: bool = False
    """Whether the lecturer's wall shows the bars."""
    aside: bool = False
    """Whether it was put aside after it was revealed: the lecturer went on, on all devices."""

    def __post_init__(self) -> None:
        self._key = AnswerKey(self.question)
        self._bars: dict[str, Any] | None = None

    def put(self, device: int, answer: str) -> None:
        """Take a device's answer in place of its last one."""
        before = self.answers.get(device)
        if before is not None:
            self.worth[self.verdicts[before]] -= 1
            self.counts[before] -= 1
            if not self.counts[before]:
                del self.counts[before], self.verdicts[before]
                self.same.pop(before, None)
        if answer not in self.verdicts:
            if self.question["input"] == "free":
                self.same[answer] = same_answer(self.question, answer)
            self.verdicts[answer] = self._judgement(answer)
        self.answers[device] = answer
        self.counts[answer] += 1
        self.worth[self.verdicts[answer]] += 1
        self.changes[device] += 1
        self._bars = None

    def _judgement(self, answer: str) -> Judgement | None:
        if "parts" in self.question:
            return self.judged.get(self.same[answer])
        return self._key.verdict(answer)

    def pick(self, answers: Iterable[str]) -> None:
        """Put these free answers on the wall, in place of the earlier ones."""
        self.picked = tuple(answers)
        self._bars = None

    def judge(self, verdicts: Mapping[str, Judgement]) -> None:
        """Take the engine's judgement of given answers."""
        value = {*self.same.values()}
        self.judged |= {answer: verdict for answer, verdict in verdicts.items() if answer in value}
        for answer, number in self.counts.items():
            self.worth[self.verdicts[answer]] -= number
            self.verdicts[answer] = self._judgement(answer)
            self.worth[self.verdicts[answer]] += number
        self._bars = None

    @property
    def is_graded(self) -> bool:
        """Whether answers are right or wrong, by a key or by the engine."""
        return bool(self.question["key"]) or "parts" in self.question

    def unjudged(self) -> list[str]:
        """Words without the engine's judgement so far, as many as for one request."""
        if "parts" not in self.question:
            return []
        words = dict.fromkeys(self.same.values())
        return [*islice((one for one in words if one and one not in self.judged), JUDGED_AT_ONCE)]

    def copy(self) -> Round:
        """The round as it stands, without later answers."""
        same = copy(self)
        same.answers, same.verdicts = {**self.answers}, {**self.verdicts}
        same.same = {**self.same}
        same.judged = {**self.judged}
        same.counts, same.worth, same.changes = self.counts.copy(), self.worth.copy(), self.changes.copy()
        return same

    def verdict(self, device: int) -> Judgement | None:
        """The verdict on a device's answer; None without an answer or a key."""
        return self.verdicts[self.answers[device]] if device in self.answers else None

    def left(self, now: float) -> float | None:
        """Remaining seconds of the countdown; None without one."""
        seconds: float | None = self.question.get("seconds")
        if seconds is None:
            return None
        return round(min(max(0.0, self.opened + seconds - now), seconds), 1)  # a clock may be set back

    def late(self, now: float) -> bool:
        """Whether the countdown is over, for answers under way, too."""
        seconds = self.question.get("seconds")
        return seconds is not None and now > self.opened + seconds + LATE_SECONDS

    def offers(self, answer: str) -> bool:
        """Whether this answer is allowed: one of the choices, if there are any; a number of not too many
        digits; the word to split, with spaces. Nothing else gets to the wall without the lecturer's pick."""
        match self.question["input"]:
            case "choices":
                return any(one["id"] == answer for one in self.question["choices"])
            case "number":
                return len(answer) <= NUMBER_LIMIT and NUMBER_FORM.fullmatch(answer) is not None
            case "text" if "word" in self.question:
                return "".join(answer.split()) == "".join(self.question["word"].split())
        return True

    def bars(self) -> dict[str, Any]:
        """The distribution: of choices in their order, of other answers the most frequent ones first, then
        rarer right ones, and the rest together.

        Ties are in alphabetical order, not by arrival, so that no bar shows who was first.
        """
        if self._bars is None:
            self._bars = self._counted()
        return self._bars

    def _counted(self) -> dict[str, Any]:
        if self.question["input"] == "free":
            return self._grouped()
        if self.question["input"] == "choices":
            counted = [(one["id"], self.counts[one["id"]]) for one in self.question["choices"]]
            others = {"answers": 0, "count": 0}
        else:
            counted = heapq.nsmallest(BARS, self.counts.items(), key=lambda one: (-one[1], one[0]))
            rare = [
                one for one in self.counts.items() if self.verdicts[one[0]] == "right" and one not in counted
            ]
            counted += heapq.nsmallest(BARS, rare, key=lambda one: (-one[1], one[0]))
            rest = sum(count for _answer, count in counted)
            others = {"answers": len(self.counts) - len(counted), "count": len(self.answers) - rest}
        return {
            "bars": [{"answer": answer, "count": count} for answer, count in counted],
            "others": others,
        }

    def by_team(self, teams: int) -> list[dict[str, Any]]:
        """The same bars for each team; none for free answers, since the lecturer picks from them."""
        if self.question["input"] == "free":
            return []
        counts: list[Counter[str]] = [Counter() for _ in range(teams)]
        for device, answer in self.answers.items() if teams else ():
            counts[team_of(device, teams)][answer] += 1
        shown = [one["answer"] for one in self.bars()["bars"]]
        return [
            {
                "bars": [{"answer": answer, "count": team[answer]} for answer in shown],
                "others": {"count": team.total() - sum(team[answer] for answer in shown)},
                "answered": team.total(),
            }
            for team in counts
        ]

    def _grouped(self) -> dict[str, Any]:
        """Free answers: those that differ only in spaces and case count together, in a picked form or else
        their most frequent one. Picked ones keep their bars."""
        groups: dict[str, list[tuple[bool, int, str]]] = {}
        for answer, count in self.counts.items():
            groups.setdefault(self.same[answer], []).append((answer not in self.picked, -count, answer))
        counted = [(min(group)[2], -sum(count for _, count, _ in group)) for group in groups.values()]
        first = heapq.nsmallest(
            FREE_BARS, counted, key=lambda one: (one[0] not in self.picked, -one[1], one[0])
        )
        first.sort(key=lambda one: (-one[1], one[0]))
        rest = len(self.answers) - sum(count for _answer, count in first)
        bars = [
            {"answer": answer, "count": count, "verdict": self.verdicts[answer]} for answer, count in first
        ]
        return {"bars": bars, "others": {"answers": len(counted) - len(first), "count": rest}}

    def tied(self) -> int:
        """The number of answers as good as the key, but not the rule's choice."""
        return self.worth["tied"]

    def right(self) -> int | None:
        """The number of right answers; None for a question without a key."""
        return self.worth["right"] if self.is_graded else None


@dataclass
class Assignment:
    """An exercise set or a challenge for everybody, and their progress."""

    number: int
    what: Mapping[str, Any]
    answers: list[dict[int, str]]
    """Question → device → the verdict, a key of `WORTH`."""

    def copy(self) -> Assignment:
        """The set as it stands, without later answers."""
        return replace(self, answers=[{**one} for one in self.answers])

    def progress(self) -> list[dict[str, int]]:
        """For each question, the number of devices that did it, of right ones, at any try, and of ties."""
        return [
            {
                "done": len(one),
                "right": sum(WORTH[text] > 0 for text in one.values()),
                "tied": sum(text == "tied" for text in one.values()),
            }
            for one in self.answers
        ]
