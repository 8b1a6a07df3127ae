"""Questions: reading numbers and splits as people type them, verdicts, tallies.

Oracles: Python's own `Fraction` and `round` for numbers; the typed split, put together again.
"""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tokensteps.teaching.questions import (
    RIGHT,
    TIED,
    UNREAD,
    WRONG,
    Cells,
    Tally,
    Verdict,
    grade_choice,
    grade_number,
    grade_split,
    read_number,
    right,
    wrong,
)
from tokensteps.teaching.splitting import read_split


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("12", Fraction(12)),
        (" 1,234,567 ", Fraction(1_234_567)),
        ("0,05", Fraction(1, 20)),
        (".5", Fraction(1, 2)),
        ("5/(20 × 5)", Fraction(1, 20)),
        ("5 : 100", Fraction(1, 20)),
        ("(17·36)/210", Fraction(102, 35)),
        ("−3.5", Fraction(-7, 2)),
        ("1.23e-5", Fraction(123, 10_000_000)),
        ("5 %", Fraction(1, 20)),
        ("≈ 0.33", Fraction(33, 100)),
        ("0.2^3", Fraction(1, 125)),
        ("0.2**3", Fraction(1, 125)),
        ("0.2³", Fraction(1, 125)),
        ("−2²", Fraction(-4)),
        ("4.2 × 10⁻⁷", Fraction(42, 10**8)),
        ("11 times", Fraction(11)),
        ("3.3 nats", Fraction(33, 10)),
        ("≈3.3 nats", Fraction(33, 10)),
        ("11 次", Fraction(11)),
        ("1/8 = 0.125", Fraction(1, 8)),
        ("1/3 ≈ 0.33", Fraction(1, 3)),
        ("5 / (20 × 5) = 1/20 = 5 %", Fraction(1, 20)),
    ],
)
def test_numbers_as_people_type_them(typed: str, value: Fraction) -> None:
    number = read_number(typed)
    assert number is not None and number.value == value


@pytest.mark.parametrize(
    "typed",
    ["", "x", "one", "1/0", "2**9**9", "9//2", "1_000", "()", "1 2", "__import__('os')", "[1]", "1,2,3", "9" * 99, "1e999",
     "(" * 100 + "1" + ")" * 100, "<b>5</b>", "0x10", "٣", "1j", "True", "nan", "1;2", "1/8 = 0.2", "1 = 2 = 1", "9^9^9",
     "2^0.5", "0^-1", "times", "3 dogs"],
)  # fmt: skip
def test_invalid_numbers_are_none(typed: str) -> None:
    assert read_number(typed) is None


@given(st.text(max_size=60))
@example("1" + "/1" * 70)
def test_no_text_breaks_the_reading_of_numbers(text: str) -> None:
    number = read_number(text)
    assert number is None or isinstance(number.value, Fraction)
    assert read_split(text, "hug") is None or "".join(read_split(text, "hug") or ()) == "hug"


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=10**6), st.integers(2, 8))
def test_a_rounded_number_is_accepted_and_a_neighbour_is_not(true: Fraction, digits: int) -> None:
    """Oracle: rounding to `digits` significant digits; the next number with as many digits is more than half
    a unit off."""
    positions = digits - 1 - math.floor(math.log10(true))
    rounded = Fraction(round(true * Fraction(10) ** positions), 1) / Fraction(10) ** positions
    unit = Fraction(1, 1) / Fraction(10) ** positions
    typed = f"{float(rounded):.{max(0, positions)}f}"
    if positions >= 0:
        number = read_number(typed)
        assert number is not None and number.means(true)
        off = read_number(f"{float(rounded + 2 * unit):.{positions}f}")
        assert off is not None and not off.means(true)


def test_a_fraction_must_be_exact_and_a_bare_zero_means_zero() -> None:
    third = Fraction(1, 3)
    assert [read_number(typed).means(third) for typed in ("1/3", "2/6", "0.33", "0.3", "0", "33/100", "0.333333333333")] == [
        True, True, True, False, False, False, True,
    ]  # type: ignore[union-attr] # fmt: skip
    assert read_number("0").means(0.0) and read_number("0.00").means(0.0)  # type: ignore[union-attr]


def test_a_near_number_with_one_digit_asks_for_more_and_counts_for_nothing() -> None:
    grade = grade_number(Fraction(34, 25725), "", "", "34/25725")
    assert [grade(typed).kind for typed in ("0.0013", "34/25725", "0.001", "0.002", "x", "0.0014")] == [
        RIGHT, RIGHT, UNREAD, WRONG, UNREAD, WRONG,
    ]  # fmt: skip


def test_whole_numbers_are_exact() -> None:
    grade = grade_number(20, "", "", "20")
    assert [grade(typed).kind for typed in ("20", "20.0", "40/2", "19", "2")] == [
        RIGHT,
        RIGHT,
        RIGHT,
        WRONG,
        WRONG,
    ]


def test_typed_answers_come_back_as_text() -> None:
    assert "&lt;b&gt;" in grade_number(20, "", "", "20")("<b>20</b>").reason
    assert "<b>7" not in grade_split("hug", ("h", "ug"), lambda pieces: wrong(""))("<b>7").reason


@pytest.mark.parametrize(
    ("typed", "word", "prefix", "pieces"),
    [
        ("h ug s", "hugs", "", ("h", "ug", "s")),
        ("  h   ug s ", "hugs", "", ("h", "ug", "s")),
        ("h|ug|s", "hugs", "", ("h", "ug", "s")),
        ("[h, ug, s]", "hugs", "", ("h", "ug", "s")),
        ('["h", "ug", "s"]', "hugs", "", ("h", "ug", "s")),
        ("h ##ug ##s", "hugs", "##", ("h", "ug", "s")),
        ("hu gs", "hugs", "##", ("hu", "gs")),
        ("th is", "Ġthis", "", ("Ġth", "is")),
        ("_th is", "▁this", "", ("▁th", "is")),
        ("▁ this", "▁this", "", ("▁", "this")),
        ("a-b", "a-b", "", ("a-b",)),
        ("a - b", "a-b", "", ("a", "-", "b")),
        ("H ug s", "hugs", "", ("h", "ug", "s")),
        ("h ug s", "Hugs", "", None),
        ("H|ug|s", "▁hugs", "", ("▁h", "ug", "s")),
        ("ｈ　ｕｇ　ｓ", "hugs", "", ("h", "ug", "s")),
        ("ｈ ug", "ｈug", "", ("ｈ", "ug")),
        ("h ug", "hugs", "", None),
        ("", "hugs", "", None),
        ("gs hu", "hugs", "", None),
        ("caf\u00e9 s", "cafe\u0301s", "", ("cafe\u0301", "s")),
        ("ca fe\u0301s", "caf\u00e9s", "", ("ca", "f\u00e9s")),
        ("e \u0301", "e\u0301", "", ("e", "\u0301")),
    ],
)
def test_splits_as_people_type_them(
    typed: str, word: str, prefix: str, pieces: tuple[str, ...] | None
) -> None:
    assert read_split(typed, word, prefix) == pieces


@given(st.lists(st.text("abcĠ▁-|,", min_size=1, max_size=4), min_size=1, max_size=6))
def test_a_split_typed_with_spaces_is_read_back(pieces: list[str]) -> None:
    """Any pieces with single spaces between them come back, unless the word's marker may be meant."""
    word = "".join(pieces)
    assert read_split(" ".join(pieces), word) == tuple(pieces)


def test_choices_are_graded_among_the_options_alone() -> None:
    grade = grade_choice(("a + b", "b + c"), lambda answer: right() if answer == "a + b" else wrong(""))
    assert [grade(answer).kind for answer in ("a + b", "b + c", "x", "")] == [RIGHT, WRONG, UNREAD, UNREAD]


@given(st.lists(st.sampled_from([RIGHT, TIED, WRONG, UNREAD])))
def test_a_tally_counts(kinds: list[str]) -> None:
    """Oracle: the list itself; a streak is the part behind the last wrong answer."""
    tally = Tally()
    for kind in kinds:
        tally = tally.after(kind)
    counted = [kind for kind in kinds if kind != UNREAD]
    runs = "".join(kind[0] for kind in counted).replace("t", "").split("w")
    assert (tally.answered, tally.right, tally.tied) == (
        len(counted),
        counted.count(RIGHT),
        counted.count(TIED),
    )
    assert (tally.streak, tally.best) == (len(runs[-1]), max(map(len, runs)))


def test_cells_know_how_many_are_open() -> None:
    assert Cells(("a", "b"), (("1", None), (None, None))).open == 3
    assert Verdict(RIGHT, "").kind == RIGHT


def test_an_unread_number_is_asked_for_as_the_box_asks() -> None:
    """A count is a whole number: no word of fractions there."""
    whole, part = (grade_number(true, "", "", "")("many").reason for true in (20, Fraction(1, 20)))
    assert "type a whole number in digits" in whole and "fraction" not in whole
    assert "a fraction such as" in part
