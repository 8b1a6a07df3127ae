"""Timing: processor time, side by side, medians.

A ratio says more than seconds: other work on the machine slows both sides, all the more evenly when the two
take turns.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from statistics import mean, median
from typing import NamedTuple

Work = Callable[[], object]


def cpu_seconds(work: Work) -> float:
    """The processor time, of all threads, of `work` done once."""
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def side_by_side(first: Work, second: Work, repeats: int) -> list[tuple[float, float]]:
    """The processor times of two pieces of work in turns."""
    return [(cpu_seconds(first), cpu_seconds(second)) for _ in range(repeats)]


def in_turns(whole: Work, parts: Sequence[Work], repeats: int, group: int = 10) -> tuple[float, float]:
    """The median processor time of `whole`, and the mean over `parts` of each one's median.

    Both sides take turns all along: `whole` runs once before every `group` parts.
    """
    wholes: list[float] = []
    times: list[list[float]] = [[] for _ in parts]
    for _ in range(repeats):
        for index, part in enumerate(parts):
            if index % group == 0:
                wholes.append(cpu_seconds(whole))
            times[index].append(cpu_seconds(part))
    return median(wholes), mean(map(median, times))


class Result(NamedTuple):
    """One line of the table: a figure, its `aim` and its mandatory `limit`.

    The limit is an upper one unless `more_is_better`.
    """

    name: str
    value: float
    unit: str
    aim: float
    limit: float
    detail: str
    more_is_better: bool = False

    def within(self, bound: float) -> bool:
        """Whether the figure keeps to a bound."""
        return self.value >= bound if self.more_is_better else self.value <= bound

    @property
    def mark(self) -> str:
        """`aim` when the figure keeps to the aim, `pass` when it keeps to the limit, `OVER` when to
        neither."""
        return "aim" if self.within(self.aim) else "pass" if self.within(self.limit) else "OVER"


def compared(name: str, times: Sequence[tuple[float, float]], aim: float, limit: float) -> Result:
    """The first of two pieces of work, timed by `side_by_side`, as a multiple of the second: the ratio of the
    medians, and those of the turns.

    >>> compared("training : Rust", [(1.0, 2.0), (1.2, 2.0), (1.5, 2.5)], 1, 2)[1:]
    (0.6, '×', 1, 2, '1.2 s : 2 s; 0.5 to 0.6 ×', False)
    """
    first, second = (median(one) for one in zip(*times, strict=True))
    ratios = [mine / theirs for mine, theirs in times]
    detail = f"{first:.3g} s : {second:.3g} s; {min(ratios):.3g} to {max(ratios):.3g} ×"
    return Result(name, first / second, "×", aim, limit, detail)


def table(results: list[Result]) -> str:
    """The results as a Markdown table.

    >>> print(table([Result("training", 1.234, "×", 1.0, 1.5, "0.40 s : 0.32 s")]))
    | what     | value  | aim   | limit   |      | measured        |
    | -------- | ------ | ----- | ------- | ---- | --------------- |
    | training | 1.23 × | ≤ 1 × | ≤ 1.5 × | pass | 0.40 s : 0.32 s |
    """
    rows = [("what", "value", "aim", "limit", "", "measured")]
    for result in results:
        sign = "≥" if result.more_is_better else "≤"
        rows.append(
            (
                result.name,
                f"{result.value:.3g} {result.unit}",
                f"{sign} {result.aim:g} {result.unit}",
                f"{sign} {result.limit:g} {result.unit}",
                result.mark,
                result.detail,
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(6)]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    lines.insert(1, "| " + " | ".join("-" * width for width in widths) + " |")
    return "\n".join(lines)
