"""Questions with answers from the engine: the form of an answer, and its grading.

Predictions on the training pages, exercises and challenges are all questions. Nothing here knows of widgets:
`tokensteps/widgets/questions.py` draws them. An answer is always one plain text, so that it can be stored and
graded again elsewhere.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from typing import Any, Final, NamedTuple

from tokensteps.drawing.tokens import PLAIN, Style, chip, fill
from tokensteps.language.i18n import _, count, ngettext, sentences
from tokensteps.language.numbers import FULL_WIDTH
from tokensteps.language.slips import SLIPS
from tokensteps.teaching.splitting import readings, with_symbol

RIGHT, TIED, WRONG, UNREAD = "right", "tied", "wrong", "unread"
HALF, QUARTER, AGAIN = "half", "quarter", "again"
HAND_TOLERANCE: Final = 0.01
"""How far off a number computed from rounded figures may be: by this much, or by this share of it."""
LEAST_DIGITS: Final = 2
"""The fewest significant digits of a rounded number."""


class GivenAnswer(NamedTuple):
    """An answer and its circumstances: enough to say its verdict again in another language."""

    language: str
    """The verdict's language."""
    answer: str
    option_index: int = -1
    """An option's index in the list of answers: its words may be translated. -1 for any other answer."""
    before: tuple[str, ...] = ()
    """The wrong answers before it."""
    counted: bool = True
    """Whether answers are counted."""
    one_try: bool = False
    """Whether the first answer decides."""
    shown: str | None = None
    """For an answer shown on request: the message around it, or "" for the usual one."""


class Verdict(NamedTuple):
    """The verdict on an answer."""

    kind: str
    """`RIGHT`; `TIED`: as good as the right one, but the tie rule chooses another; `WRONG`; `UNREAD`: it
    can't be read, and doesn't count. With several tries (`tokensteps/teaching/feedback.py`) also `HALF` and
    `QUARTER`: right at the second or the third one; `AGAIN`: wrong, but there is another try."""
    reason: str
    """Why, with the learner's numbers and the right ones: markup."""
    hint: str = ""
    """A hint at a wrong answer's fault, for another try: markup without the right one."""
    slip: str = ""
    """A key of `SLIPS`, if a common mistake leads to the wrong answer."""
    cells: tuple[int, ...] = ()
    """Which cells of a table are wrong."""
    worked: str = ""
    """A replacement of the question's own `worked`, for this answer."""
    given: GivenAnswer | None = None


def verdict_to_json(verdict: Verdict) -> list[Any]:
    """What a browser keeps of a verdict: enough to show it again, and in another language.

    >>> verdict_to_json(Verdict(RIGHT, "<b>Right.</b>"))
    ['right', '<b>Right.</b>', (), None]
    """
    return [verdict.kind, verdict.reason, verdict.cells, verdict.given]


def verdict_from_json(
    kind: str, reason: str, cells: Sequence[int], given: Sequence[Any] | None = None
) -> Verdict:
    """The verdict in such a list; an earlier version kept no `given`."""
    answer = GivenAnswer(*given)._replace(before=tuple(given[3])) if given else None
    return Verdict(kind, reason, cells=tuple(cells), given=answer)


class Tally(NamedTuple):
    """Somebody's score so far. A tie or a later try counts as answered and keeps the streak, but doesn't
    lengthen it."""

    answered: int = 0
    right: int = 0
    tied: int = 0
    streak: int = 0
    best: int = 0
    quarters: int = 0
    """The credit for right answers after a hint: one or two each."""

    def after(self, kind: str) -> Tally:
        """The tally after one more verdict.

        >>> Tally().after(RIGHT).after(RIGHT).after(TIED).after(UNREAD).after(WRONG)
        Tally(answered=4, right=2, tied=1, streak=0, best=2, quarters=0)
        >>> Tally().after(AGAIN).after(HALF).after(QUARTER)
        Tally(answered=2, right=0, tied=0, streak=0, best=0, quarters=3)
        """
        if kind in (UNREAD, AGAIN):
            return self
        streak = self.streak + (kind == RIGHT) if kind != WRONG else 0
        return Tally(
            self.answered + 1,
            self.right + (kind == RIGHT),
            self.tied + (kind == TIED),
            streak,
            max(self.best, streak),
            self.quarters + {HALF: 2, QUARTER: 1}.get(kind, 0),
        )

    @property
    def score(self) -> str:
        """How many were right, later tries counted in part, as plain text.

        >>> Tally(5, right=2, quarters=3).score, Tally(5, quarters=2).score, Tally(5).score
        ('2¾', '½', '0')
        """
        whole, part = divmod(4 * self.right + self.quarters, 4)
        return f"{count(whole) if whole or not part else ''}{('', '¼', '½', '¾')[part]}"


# --- forms --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Choice:
    """Choose one of several options: plain texts, all different, in a neutral order."""

    options: tuple[str, ...]
    shown: Mapping[str, str] = field(default_factory=dict)
    """Option → its markup, where it has tokens."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Option → its longer name in a list, plain text."""


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
class Board:
    """A word, and the pieces to put over its characters as an answer: all of the given ones, so they are no
    hint.

    In an `Entry` the pieces make a split of the word; in `Cells` each is the last piece up to where it ends,
    in the last column.
    """

    word: str
    pieces: Mapping[str, str]
    """A piece as typed → the facts about it, plain text."""

    @property
    def places(self) -> list[tuple[int, int, str]]:
        """Where the pieces lie in the word, from left to right, short ones first: start, end, piece.

        >>> Board("hug", {"ug": "3/9", "h": "1/9", "g": "1/9", "u": "4/9"}).places
        [(0, 1, 'h'), (1, 2, 'u'), (1, 3, 'ug'), (2, 3, 'g')]
        """
        ends = range(1, len(self.word) + 1)
        spans = (
            (start, end, self.word[start:end]) for start in range(len(self.word)) for end in ends[start:]
        )
        return [span for span in spans if span[2] in self.pieces]


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
    worked: str = ""
    """The way to it with its numbers, but without the result: markup; "" if there is nothing to show between
    a hint and the answer."""
    board: Board | None = None
    """A picture to answer in; typing into the form is always possible, too."""
    near: tuple[float, float] | None = None
    """The least and the greatest right number, if it may be computed from rounded figures."""


def right(explanation: str = "") -> Verdict:
    """A right answer; `explanation` is markup."""
    name = escape(_("Right."))
    return Verdict(RIGHT, sentences(f"<b>{name}</b>", explanation))


def tied(explanation: str) -> Verdict:
    """An equally good answer that loses by the tie rule."""
    name = escape(_("Tied."))
    return Verdict(TIED, sentences(f"<b>{name}</b>", explanation))


def wrong(explanation: str, hint: str = "", slip: str = "", cells: tuple[int, ...] = ()) -> Verdict:
    """A wrong answer. `explanation`, markup, has the right one; `hint`, markup, doesn't. `slip` is the
    mistake behind it, if it is known."""
    name = escape(_("Not this one."))
    cause = escape(_(SLIPS[slip])) if slip else ""
    explanation = sentences(f"<b>{name}</b>", cause, explanation)
    return Verdict(WRONG, explanation, sentences(hint, cause), slip, cells)


def unread(message: str) -> Verdict:
    """An unreadable answer; `message`, plain text, describes a readable one."""
    return Verdict(UNREAD, escape(message))


_SIGNS_OF_SPACE: Final = str.maketrans("Ġ▁", "␣␣")


def grade_choice(options: Sequence[str], grade: Callable[[str], Verdict]) -> Callable[[str], Verdict]:
    """Grade one of the options (with Ġ or ▁ for ␣ if typed so); anything else is unread."""

    def graded(answer: str) -> Verdict:
        result = answer if answer in options else answer.translate(_SIGNS_OF_SPACE)
        return grade(result) if result in options else unread(_("Choose one of the options."))

    return graded


# --- numbers ------------------------------------------------------------------------------------------------

_SIGNS: Final = str.maketrans(
    {"×": "*", "·": "*", "⋅": "*", "÷": "/", "−": "-", "–": "-", "⁄": "/", ":": "/"}
)
_OPERATIONS: Final[dict[type, Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_POWER_BITS: Final = 4_000
"""How long the numbers of a power may be."""
_NUMBER: Final = re.compile(r"[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]{1,3})?|[0-9]+\.?", re.ASCII)
_THOUSANDS: Final = re.compile(r"(?<![0-9.,])([1-9][0-9]{0,2})((?:,[0-9]{3})+)(?![0-9,])")
_RAISED: Final = re.compile("[⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_LOWERED: Final = str.maketrans("⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹", "-+0123456789")
_SCIENTIFIC: Final = re.compile(r"([-+]?[0-9.]+) *\* *10 *\^ *\(?([-+]?[0-9]{1,3})\)?")
_UNIT: Final = re.compile(
    r"\s*(?:times|time|occurrences|occurrence|pairs|pair|tokens|token|pieces|piece|nats|nat|次|个|奈特|回|個|ナット)\.?$",
    re.I,
)
"""Words often written behind a number, in any language."""


class Number(NamedTuple):
    """A number as typed: its value, and how far off it may be because of rounding."""

    value: Fraction
    slack: Fraction
    digits: int
    """Significant digits of the typed number; 0 for a zero alone."""

    def means(self, true: Fraction | float) -> bool:
        """Whether it is the number `true`: exactly, or rounded to the typed digits (at least
        `LEAST_DIGITS`)."""
        exact = Fraction(true)
        if self.value == exact:
            return True
        if self.digits < LEAST_DIGITS:
            return False
        return abs(self.value - exact) <= self.slack * Fraction(100_001, 100_000)


def read_number(text: str) -> Number | None:
    """A number as people write it: `0.05`, `1/20`, `5 / (20 x 5)`, `0.2³`, `0.2^3`, `1,234`, `0,05`, `5 %`,
    `11 times`, `≈ 3.3`, `２０`, `05`, and `1/8 = 0.125`, where both sides must be the same number; None for
    anything else.

    >>> read_number("5 / (20 × 5)").value, read_number("5/45 x 6/45").value
    (Fraction(1, 20), Fraction(2, 135))
    >>> read_number("1,234").value, read_number("2,5").value
    (Fraction(1234, 1), Fraction(5, 2))
    >>> [read_number(typed).value for typed in ("0.2^3", "0.2**3", "0.2³", "1/125 = 0.008", "11 times")]
    [Fraction(1, 125), Fraction(1, 125), Fraction(1, 125), Fraction(1, 125), Fraction(11, 1)]
    >>> read_number("１　／　２０").value, read_number("007").value, read_number("00.50").value
    (Fraction(1, 20), Fraction(7, 1), Fraction(1, 2))
    >>> read_number("0.0013").means(Fraction(34, 25725)), read_number("0.002").means(Fraction(34, 25725))
    (True, False)
    >>> [read_number(typed) for typed in ("__import__('os')", "9" * 500, "9^9^9", "1/8 = 0.2")]
    [None, None, None, None]
    """
    typed = text.strip()[:120].translate(FULL_WIDTH).strip("=≈~ ")
    sides = [_read_side(side) for side in re.split("[=≈]", typed)]
    first = sides[0]
    return first if first is not None and all(side and side.means(first.value) for side in sides) else None


def _read_side(text: str) -> Number | None:
    """A number without a sign of equality."""
    text = _RAISED.sub(lambda match: f"^{match[0].translate(_LOWERED)}", _UNIT.sub("", text.strip()))
    text = _THOUSANDS.sub(lambda match: match[0].replace(",", ""), text.translate(_SIGNS).replace("**", "^"))
    text = re.sub(r"(?<=[0-9]),(?=[0-9])", ".", text)
    text = re.sub(r"(?<=[0-9)])(?<!\b0)\s*[xX]\s*(?=[0-9.(])", "*", text)  # no keyboard has a ×
    text = re.sub(r"(?<![0-9.])0+(?=[0-9])", "", text)  # 05, which Python refuses
    percent = text.endswith("%")
    text = text.removesuffix("%").strip()
    if scientific := _SCIENTIFIC.fullmatch(text):  # rounded like a number, not meant exactly like a product
        text = f"{scientific[1]}e{scientific[2]}"
    if re.search(r"[^-0-9.eE+*/^() ]|//", text):
        return None
    try:
        value = _evaluate(ast.parse(text.replace("^", "**"), mode="eval").body)
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
    """Numbers, the four operations, powers and signs; anything else raises ValueError."""
    match node:
        case ast.Constant(value=int() | float() as number) if (
            not isinstance(number, bool) and abs(number) < 1e60
        ):
            return Fraction(str(number))
        case ast.BinOp(left=left, op=op, right=other) if type(op) in _OPERATIONS:
            return Fraction(_OPERATIONS[type(op)](_evaluate(left), _evaluate(other)))
        case ast.BinOp(left=left, op=ast.Pow(), right=other):
            return _power(_evaluate(left), _evaluate(other))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_evaluate(operand)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _evaluate(operand)
    raise ValueError(ast.dump(node))


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    """A power with a whole exponent. Raises ValueError for one too long to compute."""
    length = base.numerator.bit_length() + base.denominator.bit_length()
    if exponent.denominator != 1 or length * abs(exponent) > _POWER_BITS:
        raise ValueError(f"{base} to the power of {exponent}")
    return base ** int(exponent)


def near_by_hand(true: Fraction | float) -> tuple[float, float]:
    """The least and the greatest number that count as `true`, computed from rounded figures."""
    slack = max(HAND_TOLERANCE, HAND_TOLERANCE * abs(float(true)))
    return float(true) - slack, float(true) + slack


def no_slips() -> Iterable[tuple[str, Fraction | float]]:
    """For questions without known mistakes."""
    return ()


def grade_number(
    true: Fraction | float | int,
    if_right: str,
    if_wrong: str,
    shown: str,
    by_hand: bool = False,
    slips: Callable[[], Iterable[tuple[str, Fraction | float]]] = no_slips,
) -> Callable[[str], Verdict]:
    """Grade a typed number. `if_right` and `if_wrong` are markup; `shown` is the true number as plain
    text.

    `by_hand` lets it be off by `HAND_TOLERANCE`, as learners compute it from rounded figures. `slips` gives
    the numbers by common mistakes, each behind a key of `SLIPS`, the likeliest first: the nearest counts.
    """

    def is_meant(number: Number, value: Fraction | float) -> bool:
        slack = max(HAND_TOLERANCE, HAND_TOLERANCE * abs(float(value))) if by_hand else -1.0
        near = number.digits != 1 and abs(number.value - Fraction(value)) <= slack
        return near or number.means(value)

    def grade(answer: str) -> Verdict:
        number = read_number(answer)
        if number is None:
            message = (
                _("{answer} can't be read as a number: type a whole number in digits.")
                if isinstance(true, int)
                else _(
                    "{answer} can't be read as a number: type digits, or a product or a fraction such as a/(b × c)."
                )
            )
            return unread(message.format(answer=repr(answer[:40])))
        if is_meant(number, true):
            return right(if_right)
        if number.digits == 1 and abs(number.value - Fraction(true)) <= number.slack:
            return unread(_("That is close: give at least two significant digits."))
        mine = escape(answer.strip()[:40])
        yours = fill(_("You answered {yours}; it should be {true}."), yours=mine, true=escape(shown))
        near = [
            (abs(number.value - Fraction(value)), name) for name, value in slips() if is_meant(number, value)
        ]
        slip = min(near, key=lambda match: match[0], default=(0, ""))[1]
        way = (
            "" if slip else _("It is more than that.") if number.value < true else _("It is less than that.")
        )
        return wrong(
            sentences(yours, if_wrong),
            sentences(fill(_("You answered {yours}."), yours=mine), escape(way)),
            slip,
        )

    return grade


# --- splits -------------------------------------------------------------------------------------------------


def bound_text(longest: int) -> str:
    """How long a token may be, as plain text."""
    message = ngettext(
        "A token has at most {number} character.", "A token has at most {number} characters.", longest
    )
    return message.format(number=count(longest))


def symbol_sentence(symbol: str, style: Style) -> str:
    """That a symbol stays whole, as markup; nothing where there is none."""
    if not symbol:
        return ""
    return fill(_("{token} is a symbol of its own: training keeps it whole."), token=chip(symbol, style))


def grade_split(
    word: str,
    true: Sequence[str],
    compare: Callable[[tuple[str, ...]], Verdict],
    prefix: str = "",
    explanation: str = "",
    behind: str = "",
    style: Style = PLAIN,
) -> Callable[[str], Verdict]:
    """Grade a typed split of `word` into the pieces `true` (both as shown, continuation prefixes left out).

    `explanation`, markup, goes with the right one; `compare` grades any other. If the typed text can be read
    in several ways, the best counts. `behind` is a symbol behind the word, to be kept whole.
    """
    wanted = with_symbol(true, behind)

    def grade_pieces(pieces: tuple[str, ...]) -> Verdict:
        if pieces == wanted:
            return right(explanation)
        if behind and pieces[-1] != behind:
            mine = fill(_("You cut it into {pieces}."), pieces=escape(" ".join(pieces)))
            return wrong(sentences(mine, explanation), sentences(mine, symbol_sentence(behind, style)))
        return compare(pieces[: len(pieces) - bool(behind)])

    def grade(answer: str) -> Verdict:
        verdicts = [grade_pieces(pieces) for pieces in readings(answer, word + behind, prefix)]
        if not verdicts:
            return unread(
                _("Those pieces don't make {word}: type the whole word, with a space at each cut.").format(
                    word=(word + behind)[:80]
                )
            )
        return min(verdicts, key=lambda verdict: (RIGHT, TIED, WRONG).index(verdict.kind))

    return grade
