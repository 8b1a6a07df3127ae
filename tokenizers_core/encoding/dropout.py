"""Splits at random: at each choice a tokenizer takes its best option, but each option may drop out first.

BPE-dropout drops merges (Provilkov, Emelianenko and Voita 2020, "BPE-Dropout: Simple and Effective Subword
Regularization"), and MaxMatch-dropout drops matching tokens (Hiraoka 2022, "MaxMatch-Dropout: Subword
Regularization for WordPiece"). Both are one walk through the options in order of preference: each drops out
with the same probability, and the first remaining one is taken. A model lists the options.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from numbers import Real
from random import Random
from typing import Final, Generic, NamedTuple, TypeVar

from tokenizers_core.encoding.cuts.steps import Drawn
from tokenizers_core.errors import SettingError, refuse_wrong_type

Reached = TypeVar("Reached")
Share = TypeVar("Share", float, Fraction)

STATES: Final = 20_000
"""The most intermediate states for computing a distribution: a word of a dozen letters has a few thousand."""


class Choices(NamedTuple, Generic[Reached]):
    """The possible successors of a split's state."""

    preferred: Sequence[Reached]
    """The next states, the best one first."""
    otherwise: Reached | None = None
    """The next state if all of them drop out; None ends the split as it is."""


def refuse_bad_dropout(dropout: float) -> None:
    """Raise SettingError, or WrongTypeError, if `dropout` is no probability."""
    refuse_wrong_type("dropout", dropout, Real, "give a number, such as 0.1")
    if not 0 <= dropout <= 1:
        raise SettingError(
            name="dropout", value=dropout, reason="choose a probability from 0 to 1, such as 0.1"
        )


class Walked(NamedTuple, Generic[Reached]):
    """A state on a walk, and the preferred ones that dropped out."""

    state: Reached
    dropped: Sequence[Reached] = ()


def walk(
    start: Reached, choices: Callable[[Reached], Choices[Reached]], dropout: float, random: Random
) -> Iterator[Walked[Reached]]:
    """One walk from `start`, state by state.

    >>> halve = lambda number: Choices([number // 2, number // 3] if number > 1 else [])
    >>> [one.state for one in walk(20, halve, 0.0, Random(1))]
    [20, 10, 5, 2, 1]
    """
    yield Walked(state := start)
    while True:
        preferred, otherwise = choices(state)
        dropped: list[Reached] = []
        for option in preferred:
            if random.random() >= dropout:
                state = option
                break
            dropped.append(option)
        else:
            if otherwise is None:
                return
            state = otherwise
        yield Walked(state, dropped)


def sample(
    start: Reached, choices: Callable[[Reached], Choices[Reached]], dropout: float, random: Random
) -> Reached:
    """The end of one walk from `start`.

    >>> halve = lambda number: Choices([number // 2, number // 3] if number > 1 else [])
    >>> sample(20, halve, 0.0, Random(1)), sample(20, halve, 1.0, Random(1))
    (1, 20)
    """
    return deque(walk(start, choices, dropout, random), maxlen=1)[0].state


def chosen_token(before: Sequence[str], after: Sequence[str]) -> str:
    """The new token of a choice: the first difference.

    >>> chosen_token(("h", "u", "g"), ("h", "ug")), chosen_token(("h",), ("h", "ug"))
    ('ug', 'ug')
    """
    return next(
        (new for old, new in zip(before, after, strict=False) if new != old),
        after[min(len(before), len(after) - 1)],
    )


def drawn_tokens(states: Iterator[Walked[tuple[str, ...]]]) -> Iterator[Drawn]:
    """A walk through a word's splits as it is recorded."""
    before: tuple[str, ...] = ()
    for state, dropped in states:
        yield Drawn(state, tuple(chosen_token(before, other) for other in dropped))
        before = state


def distribution(
    start: Reached, choices: Callable[[Reached], Choices[Reached]], dropout: Share
) -> dict[Reached, Share] | None:
    """The exact probability of each end of a walk, without rounding if `dropout` is a fraction; None for more
    than `STATES` states.

    Every step leads on to a later state, so each state passes its probability on once it is complete: states
    are processed in the order in which a walk could first reach them, and again if more arrives.

    >>> halve = lambda number: Choices([number // 2, number // 3] if number > 1 else [])
    >>> distribution(4, halve, 0.5)
    {4: 0.25, 2: 0.125, 1: 0.5, 0: 0.125}
    """
    ends: dict[Reached, Share] = {}
    nothing: Share = 0 * dropout
    waiting, seen = {start: 1 + nothing}, 0
    while waiting:
        seen += 1
        if seen > STATES:
            return None
        state = next(iter(waiting))
        left = waiting.pop(state)
        preferred, otherwise = choices(state)
        for option in preferred:
            taken = left * (1 - dropout)
            if taken:
                waiting[option] = waiting.get(option, nothing) + taken
            left -= taken
        if left and otherwise is not None:
            waiting[otherwise] = waiting.get(otherwise, nothing) + left
        elif left:
            ends[state] = ends.get(state, nothing) + left
    return ends
