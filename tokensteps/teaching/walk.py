"""Walking along a lesson plan or the path: one stop after the other, each with its link.

A plan and the path are the same here: a name and its stops. A learner's progress on the path is data kept by
their browser.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from tokensteps.language.i18n import N_, _, sentences
from tokensteps.language.numbers import read_whole
from tokensteps.teaching.lessons import LESSONS, WALK_PARAMETER, Lesson, Link, say, teacher_text
from tokensteps.teaching.path.stations import OLD_STATIONS, STATIONS

PATH_WALK: Final = "path"
HOME_LINK: Final = Link(N_("Home"), "home")
"""Where a plan's activities without a link are."""


class WalkPosition(NamedTuple):
    """A stop: the name of a plan (its minutes) or of the path, and the stop's number, from 1."""

    walk: str
    number: int


class WalkStop(NamedTuple):
    """One stop: its link, its minutes (0 on the path), and its texts, in the language in use."""

    link: Link
    minutes: int
    note: str
    answer: str = ""
    exercise: str = ""
    ask: str = ""
    """The question for a whole class there, a key of `ASK_NAMES`; "" for none."""


def lesson_of(walk: str) -> Lesson | None:
    """The plan with this name; None for the path, and for an unknown name."""
    return next((lesson for lesson in LESSONS if str(lesson.minutes) == walk), None)


def length_of(walk: str) -> int:
    """How many stops a plan or the path has; 0 if there is no such walk.

    >>> length_of("30"), length_of("31")
    (6, 0)
    """
    lesson = lesson_of(walk)
    if lesson is not None:
        return len(lesson.activities)
    return len(STATIONS) if walk == PATH_WALK else 0


def stops_of(walk: str, known: Mapping[str, str]) -> tuple[WalkStop, ...]:
    """The stops of a plan or of the path; `known` has the figures in their sentences."""
    lesson = lesson_of(walk)
    if lesson is None:
        return tuple(
            WalkStop(station.link, 0, say(station.ask, known), exercise=station.exercise)
            for station in STATIONS
        )
    return tuple(
        WalkStop(
            one.link or HOME_LINK,
            one.minutes,
            teacher_text(one, known),
            say(one.answer, known),
            ask=one.ask,
        )
        for one in lesson.activities
    )


def walk_title(walk: str) -> str:
    """The title of a plan or the path."""
    lesson = lesson_of(walk)
    return _("A path through the app") if lesson is None else _(lesson.title)


def stop_at(position: WalkPosition, known: Mapping[str, str]) -> WalkStop:
    """The stop at a position, with the facts of `stops_of`."""
    return stops_of(position.walk, known)[position.number - 1]


def read_walk(text: str | None) -> WalkPosition | None:
    """The stop named in an address; anything else counts as absent.

    >>> read_walk("30.2"), read_walk("path.1")
    (WalkPosition(walk='30', number=2), WalkPosition(walk='path', number=1))
    >>> [
    ...     read_walk(text)
    ...     for text in (None, "", "30", "30.0", "30.7", "31.1", "30.٢", "30.2.1", "30." + "1" * 5000)
    ... ]
    [None, None, None, None, None, None, None, None, None]
    """
    walk, _dot, number = (text or "")[:20].partition(".")
    position = read_whole(number)
    return WalkPosition(walk, position) if position and position <= length_of(walk) else None


def write_walk(position: WalkPosition) -> str:
    """The stop as an address has it.

    >>> write_walk(WalkPosition("30", 2))
    '30.2'
    """
    return f"{position.walk}.{position.number}"


def query_of(position: WalkPosition, link: Link) -> dict[str, str]:
    """The address parameters of a stop."""
    return {**link.query, WALK_PARAMETER: write_walk(position)}


class Deed(NamedTuple):
    """A learner's result at a station: their answer, "" if it was shown instead, and the right answer."""

    yours: str
    key: str

    @property
    def shown(self) -> bool:
        """Whether the answer was shown without one of the learner's own."""
        return not self.yours

    def named(self, number: int, known: Mapping[str, str]) -> str:
        """The result and its consequence, as in the strip: plain text."""
        station = STATIONS[number - 1]
        what = _("Shown: {answer}.").format(answer=self.key) if self.shown else _(station.named)
        return sentences(what.replace("{yours}", self.yours), say(station.insight, known))


class PathProgress(NamedTuple):
    """A learner's progress on the path: the last station (0: none), the finished stations, the ones among
    these with a shown answer, and the ones with a solved exercise."""

    at: int = 0
    done: frozenset[int] = frozenset()
    shown: frozenset[int] = frozenset()
    practised: frozenset[int] = frozenset()
    old: bool = False
    """Whether this comes from the path's first form, with other stations."""

    def after(self, number: int, deed: Deed) -> PathProgress:
        """With one more station done. A learner's own answer stays.

        >>> PathProgress().after(2, Deed("", "u + g")).after(3, Deed("x", "y")).after(
        ...     2, Deed("u + g", "u + g")
        ... ).shown
        frozenset()
        """
        shown = self.shown | {number} if deed.shown and number not in self.done else self.shown
        return self._replace(done=self.done | {number}, shown=shown if deed.shown else shown - {number})

    def together(self, other: PathProgress) -> PathProgress:
        """Joined with the progress of another tab or an earlier session; this one's position counts."""
        done = self.done | other.done
        by_oneself = (self.done - self.shown) | (other.done - other.shown)
        practised, old = self.practised | other.practised, self.old or other.old
        return PathProgress(self.at or other.at, done, done - by_oneself, practised, old)

    def following(self) -> int:
        """The next station: the first unfinished one from the learner's position on, then from the start;
        otherwise the first.

        >>> PathProgress(2, frozenset({1, 2})).following(), PathProgress().following()
        (3, 1)
        """
        stations = range(1, len(STATIONS) + 1)
        ahead = [*stations[max(self.at - 1, 0) :], *stations]
        return next((number for number in ahead if number not in self.done), 1)

    def saved(self) -> list[Any]:
        """As JSON can hold it; [] for none."""
        if self == PathProgress():
            return []
        return [self.at, sorted(self.done), sorted(self.shown), sorted(self.practised)]


def read_progress(saved: list[Any]) -> PathProgress:
    """The progress kept by a browser. It may hold anything: invalid stations are left out. In the path's
    first form stations were done by moving on from them, so their successors count as shown.

    >>> read_progress([3, [1, 2, 2, 99, "x", True], [2, 7], [[], 1]])
    PathProgress(at=3, done=frozenset({1, 2}), shown=frozenset({2}), practised=frozenset({1}), old=False)
    >>> read_progress([2, [1, 2, 8], [1]])
    PathProgress(at=3, done=frozenset({2, 3}), shown=frozenset({2, 3}), practised=frozenset({2}), old=True)
    >>> read_progress(["x"]) == read_progress([-1, {}, None, None]) == PathProgress()
    True
    """

    def stations(value: Any) -> frozenset[int]:
        known = range(1, len(STATIONS) + 1)
        listed = value[: 2 * len(STATIONS)] if isinstance(value, list) else []
        return frozenset(one for one in listed if type(one) is int and one in known)

    def moved(value: Any) -> frozenset[int]:
        return frozenset(OLD_STATIONS[one] for one in stations(value) if one in OLD_STATIONS)

    match saved:
        case [at, done, shown, practised]:
            there = stations(done)
            return PathProgress(
                max(stations([at]), default=0), there, there & stations(shown), stations(practised)
            )
        case [at, done, practised]:
            there = moved(done)
            return PathProgress(max(moved([at]), default=0), there, there, moved(practised), old=True)
    return PathProgress()
