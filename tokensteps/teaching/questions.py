"""Questions whose answers come from the engine: the form of an answer, and how it is graded.

Predictions on the training pages, exercises and challenges are all questions. Nothing here knows of widgets: `tokensteps/widgets/questions.py`
draws them. An answer is always one plain text, so that it can be stored and graded again elsewhere.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Any, Final, NamedTuple

from tokensteps.drawing.tokens import fill
from tokensteps.language.i18n import _
from tokensteps.limits import ANSWER_LIMIT

RIGHT, TIED, WRONG, UNREAD = "right", "tied", "wrong", "unread"
HAND_TOLERANCE: Final = 0.01
"""How far off a number computed from rounded figures may be: by this much, or by this share of it."""
DIGITS_ASKED: Final = 2
"""Significant digits that a rounded number needs at least."""


class Verdict(NamedTuple):
    """What an answer is worth."""

    kind: str
    """`RIGHT`; `TIED`: as good as the right one, but the tie rule chooses another; `WRONG`; `UNREAD`: it can't be read,
    and doesn't count."""
    told: str
    """Why, with the learner's numbers and the right ones: markup."""


class Tally(NamedTuple):
    """Somebody's score so far. A tie counts as answered and keeps the streak, but doesn't lengthen it."""

    answered: int = 0
    right: int = 0
    tied: int = 0
    streak: int = 0
    best: int = 0

    def after(self, kind: str) -> Tally:
        """The tally after one more verdict.

        >>> Tally().after(RIGHT).after(RIGHT).after(TIED).after(UNREAD).after(WRONG)
        Tally(answered=4, right=2, tied=1, streak=0, best=2)
        """
        if kind == UNREAD:
            return self
        streak = self.streak + (kind == RIGHT) if kind != WRONG else 0
        return Tally(
            self.answered + 1,
            self.right + (kind == RIGHT),
            self.tied + (kind == TIED),
            streak,
            max(self.best, streak),
        )


# --- forms ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Choice:
    """Choose one of several options: plain texts, all different, in an order that gives nothing away."""

    options: tuple[str, ...]


@dataclass(frozen=True)
class Entry:
    """Type one line; `hint` is an example."""

    hint: str = ""


@dataclass(frozen=True)
class SeveralLines:
    """Type several lines; `hint` is an example."""

    hint: str = ""


@dataclass(frozen=True)
class Cells:
    """Fill in the open cells of a table. An answer has one line a cell, row by row."""

    head: tuple[str, ...]
    """Plain texts."""
    rows: tuple[tuple[str | None, ...], ...]
    """A given cell's plain text; None for a cell to fill in."""

    @property
    def open(self) -> int:
        """How many cells there are to fill in."""
        return sum(cell is None for row in self.rows for cell in row)


Form = Choice | Entry | SeveralLines | Cells


@dataclass(frozen=True)
class Question:
    """Something to find out."""

    kind: str
    prompt: str
    """Markup."""
    form: Form
    key: str
    """The right answer as a learner would give it."""
    grade: Callable[[str], Verdict]
    solution: str
    """The right answer and where it comes from: markup."""


def right(told: str = "") -> Verdict:
    """A right answer; `told` is markup."""
    name = escape(_("Right."))
    return Verdict(RIGHT, f"<b>{name}</b> {told}")


def tied(told: str) -> Verdict:
    """An answer that is as good, but that the tie rule doesn't choose."""
    name = escape(_("Tied."))
    return Verdict(TIED, f"<b>{name}</b> {told}")


def wrong(told: str) -> Verdict:
    """A wrong answer."""
    name = escape(_("Not this one."))
    return Verdict(WRONG, f"<b>{name}</b> {told}")


def unread(told: str) -> Verdict:
    """Something that can't be read as an answer; `told`, plain text, says what can."""
    return Verdict(UNREAD, escape(told))


_SIGNS_OF_SPACE: Final = str.maketrans("Ġ▁", "␣␣")


def grade_choice(options: Sequence[str], grade: Callable[[str], Verdict]) -> Callable[[str], Verdict]:
    """Grade one of the options, in which a space may be written as Ġ or ▁ instead of ␣; anything else is unread."""

    def graded(answer: str) -> Verdict:
        found = answer if answer in options else answer.translate(_SIGNS_OF_SPACE)
        return grade(found) if found in options else unread(_("Choose one of the options."))

    return graded


# --- numbers ----------------------------------------------------------------------------------------------------------

_SIGNS: Final = str.maketrans(
    {"×": "*", "·": "*", "⋅": "*", "÷": "/", "−": "-", "–": "-", "⁄": "/", ":": "/"}
)
_OPERATIONS: Final[dict[type, Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_NUMBER: Final = re.compile(r"[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]{1,3})?|[0-9]+\.?", re.ASCII)
_THOUSANDS: Final = re.compile(r"(?<![0-9.,])([1-9][0-9]{0,2})((?:,[0-9]{3})+)(?![0-9,])")


class Number(NamedTuple):
    """A number as typed: its value, and how far off it may be because of rounding."""

    value: Fraction
    slack: Fraction
    digits: int
    """Significant digits of what was typed; 0 for a nought alone."""

    def means(self, true: Fraction | float) -> bool:
        """Whether it is the number `true`: exactly, or rounded to the digits that were typed (at least `DIGITS_ASKED`)."""
        exact = Fraction(true)
        if self.value == exact:
            return True
        if self.digits < DIGITS_ASKED:
            return False
        return abs(self.value - exact) <= self.slack * Fraction(100_001, 100_000)


def read_number(text: str) -> Number | None:
    """A number as people write it: `0.05`, `1/20`, `5 / (20 × 5)`, `1,234`, `0,05`, `5 %`; None for anything else.

    >>> read_number("5 / (20 × 5)").value, read_number("1,234").value, read_number("2,5").value
    (Fraction(1, 20), Fraction(1234, 1), Fraction(5, 2))
    >>> read_number("0.0013").means(Fraction(34, 25725)), read_number("0.002").means(Fraction(34, 25725))
    (True, False)
    >>> read_number("__import__('os')") is None, read_number("9" * 500) is None
    (True, True)
    """
    text = text.strip()[:120].translate(_SIGNS)
    text = _THOUSANDS.sub(lambda match: match[0].replace(",", ""), text)
    text = re.sub(r"(?<=[0-9]),(?=[0-9])", ".", text).lstrip("≈=~ ")
    percent = text.endswith("%")
    text = text.removesuffix("%").strip()
    if re.search(r"[^-0-9.eE+*/() ]|\*\*|//", text):
        return None
    try:
        value = _evaluate(ast.parse(text.lstrip(" "), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError, RecursionError, MemoryError):
        return None
    if percent:
        value /= 100
    if not _NUMBER.fullmatch(text.lstrip("-+")):  # a fraction or a product: meant exactly, but 1.5 / 3 is not
        digits = 0 if "." not in text else 12
        return Number(value, abs(value) / 10**9, digits)
    mantissa, _e, exponent = text.lower().lstrip("-+").partition("e")
    places = len(mantissa.partition(".")[2]) - int(exponent or 0) + 2 * percent
    significant = mantissa.replace(".", "").lstrip("0")
    return Number(value, Fraction(1, 2) * Fraction(10) ** -places, len(significant))


def _evaluate(node: ast.expr) -> Fraction:
    """Numbers, the four operations and signs; anything else raises ValueError."""
    match node:
        case ast.Constant(value=int() | float() as number) if (
            not isinstance(number, bool) and abs(number) < 1e60
        ):
            return Fraction(str(number))
        case ast.BinOp(left=left, op=op, right=other) if type(op) in _OPERATIONS:
            return Fraction(_OPERATIONS[type(op)](_evaluate(left), _evaluate(other)))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluate(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _evaluate(operand)
    raise ValueError(ast.dump(node))


def grade_number(
    true: Fraction | float | int, told_right: str, told_wrong: str, shown: str, by_hand: bool = False
) -> Callable[[str], Verdict]:
    """Grade a typed number. `told_right` and `told_wrong` are markup; `shown` is the true number as plain text.

    `by_hand` lets it be off by `HAND_TOLERANCE`, as learners compute it from rounded figures.
    """
    slack = max(HAND_TOLERANCE, HAND_TOLERANCE * abs(float(true))) if by_hand else -1.0

    def grade(answer: str) -> Verdict:
        number = read_number(answer)
        if number is None:
            return unread(
                _("{answer} can't be read as a number: type one such as 12, 0.05 or 5/(20 × 5).").format(
                    answer=repr(answer[:40])
                )
            )
        if number.means(true) or abs(number.value - Fraction(true)) <= slack:
            return right(told_right)
        if number.digits == 1 and abs(number.value - Fraction(true)) <= number.slack:
            return unread(_("That is close: give at least two significant digits, such as 0.053."))
        yours = fill(
            _("You have {yours}; it should be {true}."), yours=escape(answer.strip()[:40]), true=escape(shown)
        )
        return wrong(f"{yours} {told_wrong}")

    return grade


# --- splits -----------------------------------------------------------------------------------------------------------

MARKERS: Final = "Ġ▁␣_"
"""How learners may type a space in front of a word."""


def read_split(text: str, word: str, prefix: str = "") -> tuple[str, ...] | None:
    """The pieces into which a learner split `word`, typed with spaces (or `|`, `·`, `+`, commas) between them; None if they don't make the word.

    The word is as shown to the learner. A continuation prefix may be typed or left out, and so may the word's space marker.

    >>> read_split("h ##ug s", "hugs", "##"), read_split("th is", "Ġthis"), read_split("h g", "hug")
    (('h', 'ug', 's'), ('Ġth', 'is'), None)
    """
    text = text.strip()[:ANSWER_LIMIT]
    for separators in (r"\s+", r"[\s|·+,\-\[\]\"'“”]+"):  # the second may be part of the word
        pieces = [piece for piece in re.split(separators, text) if piece]
        if prefix:
            pieces = [piece.removeprefix(prefix) if place else piece for place, piece in enumerate(pieces)]
        for attempt in _with_marker(pieces, word):
            if "".join(attempt) == word:
                return tuple(attempt)
    return None


def _with_marker(pieces: list[str], word: str) -> list[list[str]]:
    """The pieces as typed, and with the word's own marker in front."""
    if not pieces or word[:1] not in MARKERS:
        return [pieces]
    first, *others = pieces
    marked = [[word[0] + first, *others]]
    if first[:1] in MARKERS:
        marked.append([word[0] + first[1:], *others])
    return [pieces, *marked]


def grade_split(
    word: str,
    true: Sequence[str],
    compare: Callable[[tuple[str, ...]], Verdict],
    prefix: str = "",
    told: str = "",
) -> Callable[[str], Verdict]:
    """Grade a typed split of `word` into the pieces `true` (both as shown, continuation prefixes left out).

    `told`, markup, goes with the right one; `compare` grades any other.
    """

    def grade(answer: str) -> Verdict:
        pieces = read_split(answer, word, prefix)
        if pieces is None:
            return unread(
                _("Those pieces don't make {word}: type the whole word, with a space at each cut.").format(
                    word=word[:80]
                )
            )
        return right(told) if pieces == tuple(true) else compare(pieces)

    return grade
