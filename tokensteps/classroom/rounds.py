"""Questions that were asked, with everybody's answers: counted, gathered into bars, judged by the key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from tokensteps.classroom.questions import is_right
from tokensteps.limits import BARS, LATE_SECONDS

State = Literal["open", "shown", "revealed", "closed"]
WORTH: Final[Mapping[str, float]] = {"right": 1.0, "half": 0.5, "quarter": 0.25, "tied": 0.0, "wrong": 0.0}
"""Verdict → what it counts; the halves and quarters are an exercise's, right at the second or third try."""


@dataclass
class Round:
    """One question, asked once. Asked again, it is another round with the same `first`."""

    number: int
    first: int
    question: Mapping[str, Any]
    place: Mapping[str, Any]
    """Where the lecturer was."""
    opened: float
    state: State = "open"
    answers: dict[int, str] = field(default_factory=dict)
    """Device → its answer, the latest."""
    changes: Counter[int] = field(default_factory=Counter)
    of: int = 0
    """Devices that could have answered: those in the class when it was open."""
    shown: bool = False
    """Whether the lecturer's wall shows the bars."""

    def left(self, now: float) -> float | None:
        """Seconds of the countdown that are left; None without one."""
        seconds = self.question.get("seconds")
        return None if seconds is None else round(max(0.0, self.opened + seconds - now), 1)

    def late(self, now: float) -> bool:
        """Whether the countdown is over, for answers under way, too."""
        seconds = self.question.get("seconds")
        return seconds is not None and now > self.opened + seconds + LATE_SECONDS

    def bars(self) -> dict[str, Any]:
        """The distribution: of choices in their order, of other answers the most frequent ones first and the rest together.

        Equally frequent ones are in the order of the alphabet, not of their arrival, so that no bar tells who was first.
        """
        counts = Counter(self.answers.values())
        if self.question["input"] == "choices":
            counted = [(one["id"], counts[one["id"]]) for one in self.question["choices"]]
            rest: list[tuple[str, int]] = []
        else:
            ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
            counted, rest = ordered[:BARS], ordered[BARS:]
        return {
            "bars": [{"answer": answer, "count": count} for answer, count in counted],
            "others": {"answers": len(rest), "count": sum(count for _text, count in rest)},
        }

    def tied(self) -> int:
        """How many answers are as good as the key, but not what the rule chooses."""
        return sum(answer in self.question.get("tied", ()) for answer in self.answers.values())

    def right(self) -> int | None:
        """How many answers are right; None for a question without a key."""
        if not self.question["key"]:
            return None
        verdicts = {answer: is_right(self.question, answer) for answer in {*self.answers.values()}}
        return sum(bool(verdicts[answer]) for answer in self.answers.values())


@dataclass
class Given:
    """An exercise set or a challenge that everybody has, and how far they are."""

    number: int
    what: Mapping[str, Any]
    answers: list[dict[int, str]]
    """Question → device → the verdict, a key of `WORTH`."""

    def progress(self) -> list[dict[str, int]]:
        """For each question, how many have done it, how many of them right, at whichever try, and how many tied."""
        return [
            {
                "done": len(one),
                "right": sum(WORTH[told] > 0 for told in one.values()),
                "tied": sum(told == "tied" for told in one.values()),
            }
            for one in self.answers
        ]
