"""Answers for a page without a server to check but not to show: each accepted answer as a salted hash.

An answer is hashed in its plain form; `assets/site/exercises.js` brings typed answers into the same form. The
question itself decides which answers are accepted: each was graded.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, Literal, NamedTuple

from tokensteps.language.numbers import FULL_WIDTH
from tokensteps.teaching.exercises.kinds import Exercise
from tokensteps.teaching.questions import (
    RIGHT,
    TIED,
    UNREAD,
    Board,
    Cells,
    Choice,
    Entry,
    Question,
    SeveralLines,
    Verdict,
    read_number,
)

HASH_DIGITS: Final = 16
"""Hexadecimal digits of a hash: enough that no wrong answer has a right one's."""
PLACES: Final = 18
"""Decimal places of a number to look at: more than anybody types, even of a millionth."""
NEAR: Final = 64
"""Neighbouring numbers of the same length that may all be right, each way; if there are more, a place less is
looked at."""
CONTINUATION: Final = "##"
"""WordPiece's mark before a token inside a word; learners may leave it out."""

ReadAs = Literal["count", "number", "split", "line", "words", "choice"]
"""The way to read a typed answer: as a whole number; as any number; as tokens with spaces between them; as it
is but for its spaces; with capitals like small letters, too; as one of several options."""
READ_AS: Final[Mapping[str, ReadAs]] = {
    "count": "count",
    "score": "number",
    "probability": "number",
    "loss": "number",
    "best": "split",
    "encode": "split",
    "words": "split",
    "normalize": "line",
}
"""A question's kind → how its one line is read."""


class AnswerLock(NamedTuple):
    """A page's knowledge of the answer in one box."""

    read: ReadAs
    salt: str
    right: tuple[str, ...]
    """Hashes of all right answers, in an order without meaning."""
    tied: tuple[str, ...] = ()
    """Hashes of equally good answers that lose by the tie rule."""
    places: int = 0
    """Decimal places of a number to look at."""
    whole: str = ""
    """The pieces of a split, joined; "" if that isn't known."""
    close: tuple[str, ...] = ()
    """Hashes of numbers that may be meant as a right one, but have too few digits to tell."""


def hashed(salt: str, plain: str) -> str:
    """The hash of an answer in its plain form.

    >>> hashed("bpe_count:1:1", "0:7") == hashed("bpe_count:1:2", "0:7")
    False
    """
    return hashlib.sha256(f"{salt}\n{plain}".encode("utf-8", "replace")).hexdigest()[:HASH_DIGITS]


def locked(
    read: ReadAs,
    salt: str,
    right: Iterable[str],
    tied: Iterable[str] = (),
    places: int = 0,
    whole: str = "",
    close: Iterable[str] = (),
) -> AnswerLock:
    """The lock for answers in their plain form."""
    accepted, as_good, near = (
        tuple(sorted({hashed(salt, plain) for plain in plains})) for plains in (right, tied, close)
    )
    return AnswerLock(read, salt, accepted, as_good, places, whole, near)


def locks_of(exercise: Exercise) -> list[AnswerLock]:
    """A lock for each box of an exercise's form, in their order; none where no list of answers would be
    complete."""
    question, name = exercise.question, exercise.name
    match question.form:
        case Choice(options):
            kinds = {option: question.grade(option).kind for option in options}
            right, tied = ([one for one in options if kinds[one] == kind] for kind in (RIGHT, TIED))
            return [locked("choice", name, right, tied)]
        case Cells():
            return [cell_lock(question, number, name) for number in range(question.form.open)]
        case SeveralLines():
            return []
        case Entry():
            read = READ_AS[question.kind]
    if read in ("count", "number"):
        return [number_lock(read, name, exact_key(question), question.grade)]
    if read == "line":
        return [locked("line", name, [plain_line(question.key)])]
    whole = exercise.facts.get("word") or exercise.facts["text"]
    return [locked("split", name, split_forms(question), whole=str(whole))]


def takes_answer(question: Question, answer: str) -> bool:
    return question.grade(answer).kind == RIGHT


# --- numbers ------------------------------------------------------------------------------------------------


def exact_key(question: Question) -> Fraction:
    """A question's right answer as a number. Raises ValueError if it is none."""
    number = read_number(question.key)
    if number is None:
        raise ValueError(f"The key {question.key!r} of a question of the kind {question.kind} is no number.")
    return number.value


def number_lock(read: ReadAs, salt: str, value: Fraction, grade: Callable[[str], Verdict]) -> AnswerLock:
    """The lock for the numbers around `value`, as they are graded."""
    places, plains = number_forms(value, lambda typed: grade(typed).kind == RIGHT)
    close = (
        f"{at}:{number}"
        for at in range(places + 1)
        for number in range(-9, 10)
        if number and grade(decimal_text(number, at)).kind == UNREAD
    )
    return locked(read, salt, plains, places=places, close=close)


def number_forms(value: Fraction, accepts: Callable[[str], bool]) -> tuple[int, list[str]]:
    """The plain forms of all accepted numbers around `value`, and the number of decimal places to look at.

    A plain form has the number of places and the number without its point.

    >>> number_forms(Fraction(1, 20), lambda typed: typed in ("0.05", "0.050"))
    (18, ['2:5', '3:50', '18:50000000000000000'])
    """
    results: list[str] = []
    for places in range(PLACES + 1):
        middle = round(value * 10**places)
        ups, downs = (list(_accepted(range(middle + shift, middle + shift + way * NEAR, way), places, accepts))
                      for shift, way in ((0, 1), (-1, -1)))  # fmt: skip
        if max(len(ups), len(downs)) == NEAR:
            return places - 1, results
        results += ups + downs
    exact = f"{PLACES}:{round(value * 10**PLACES)}"  # a fraction, rounded; its decimals have more digits than a float
    return PLACES, [*dict.fromkeys([*results, exact])]


def _accepted(numbers: Sequence[int], places: int, accepts: Callable[[str], bool]) -> Iterator[str]:
    """Numbers, up to the first refused one."""
    for number in numbers:
        if not accepts(decimal_text(number, places)):
            return
        yield f"{places}:{number}"


def decimal_text(number: int, places: int) -> str:
    """A whole number with its decimal point put in.

    >>> decimal_text(5, 3), decimal_text(-1250, 2), decimal_text(7, 0)
    ('0.005', '-12.50', '7')
    """
    digits = f"{abs(number):0{places + 1}}"
    sign = "-" if number < 0 else ""
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


# --- texts --------------------------------------------------------------------------------------------------


def split_forms(question: Question) -> list[str]:
    """The right splits: the key, and all equally good splits into a picture's pieces."""
    tokens = question.key.split()
    bare = [token.removeprefix(CONTINUATION) if index else token for index, token in enumerate(tokens)]
    results = {" ".join(bare)}
    if question.board is not None:
        results |= {split for split in tilings(question.board) if takes_answer(question, split)}
    return [*results]


def tilings(board: Board) -> Iterator[str]:
    """Every split of a word into the pieces of its picture, as it is typed.

    >>> [*tilings(Board("hug", {"ug": "", "h": "", "g": "", "u": ""}))]
    ['h u g', 'h ug']
    """
    if not board.word:
        yield ""
    for end in range(1, len(board.word) + 1):
        if board.word[:end] in board.pieces:
            for rest in tilings(Board(board.word[end:], board.pieces)):
                yield f"{board.word[:end]} {rest}".rstrip()


def plain_line(text: str) -> str:
    """A line with one space between its words, and no full-width letters.

    >>> plain_line("  hello  ｈｏｗ ")
    'hello how'
    """
    return " ".join(unicodedata.normalize("NFC", text.translate(FULL_WIDTH)).split())


def plain_words(text: str) -> str:
    """The same in small letters."""
    return plain_line(text.lower())


# --- tables -------------------------------------------------------------------------------------------------


def cell_lock(question: Question, number: int, name: str) -> AnswerLock:
    """The lock of one cell of a table, counted row by row: its right contents while all others are right."""
    key, salt = question.key.split("\n"), f"{name}:{number}"

    def fits(typed: str) -> bool:
        return takes_answer(question, "\n".join([*key[:number], typed, *key[number + 1 :]]))

    true = read_number(key[number])
    if true is not None:
        places, plains = number_forms(true.value, fits)
        return locked("number", salt, plains, places=places)
    pieces = question.board.pieces if question.board is not None else (key[number],)
    return locked("words", salt, map(plain_words, filter(fits, pieces)))
