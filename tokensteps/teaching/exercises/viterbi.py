"""Exercises on the search for the best split: the Viterbi table, filled in cell by cell."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from html import escape
from random import Random
from typing import Final

from tokenizers_core import Lattice
from tokenizers_core.encoding.models.lattice import Arrival, ForwardEvent
from tokensteps.drawing.tokens import chip, fill
from tokensteps.language.i18n import _, listed, ngettext, sentences
from tokensteps.language.numbers import FULL_WIDTH
from tokensteps.teaching.exercises.words import FAMILIES, Draft, prompt, sheet_html
from tokensteps.teaching.questions import (
    Board,
    Cells,
    Question,
    Verdict,
    read_number,
    right,
    unread,
    wrong,
)

BOUNDARIES: Final = {1: 3, 2: 4, 3: 5, 4: 6, 5: 7}
"""Characters of the word."""
EXTRA: Final = {1: 2, 2: 3, 3: 5, 4: 7, 5: 9}
"""Pieces of several characters."""


def bits(log_probability: float) -> int:
    """A log probability as whole bits, −log2.

    >>> bits(math.log(1 / 8))
    3
    """
    return round(-log_probability / math.log(2))


def bits_text(number: int) -> str:
    """A piece's cost, as plain text."""
    return ngettext("{number} bit", "{number} bits", number).format(number=number)


def draw_lattice(random: Random, level: int) -> tuple[str, dict[str, int]]:
    """A word, and pieces with whole numbers of bits."""
    length = BOUNDARIES[level]
    words = [word for family in FAMILIES for word in family]
    fitting = [word for word in words if len(word) == length] or [
        one + other for one in words for other in words if len(one + other) == length and one != other
    ]
    word = random.choice(fitting)
    spans = {
        word[start:end] for start in range(length) for end in range(start + 2, min(length, start + 4) + 1)
    }
    longer = sorted(spans - {word})
    chosen = random.sample(longer, min(EXTRA[level], len(longer)))
    while True:
        model = {letter: random.randint(3, 5) for letter in sorted({*word})}
        model |= {piece: random.randint(4, 4 + 2 * len(piece)) for piece in sorted(chosen)}
        if sum(Fraction(1, 2**number) for number in model.values()) <= 1:
            return word, model


def lattice_of(word: str, model: Mapping[str, int]) -> Lattice:
    """The engine's lattice for pieces with a probability of 1/2 to the power of their bits."""
    return Lattice.build(word, {piece: -number * math.log(2) for piece, number in model.items()})


def boundaries(word: str, model: Mapping[str, int]) -> Iterator[tuple[ForwardEvent, Arrival]]:
    """The search's steps forward, one for each boundary behind a character, and the best way to get there."""
    for snapshot in lattice_of(word, model).viterbi():
        event = snapshot.event
        if event.kind == "forward" and event.winner is not None:
            yield event, event.winner


def viterbi(random: Random, level: int) -> Draft:
    """The table of the search for the best split, cell by cell."""
    word, model = draw_lattice(random, level)
    cells = [
        (bits(winner.log_probability), tuple(way.edge.piece for way in event.tied))
        for event, winner in boundaries(word, model)
    ]
    heads = (_("Up to here"), _("Fewest bits"), _("Last piece"))
    filled = sheet_html(
        heads,
        (
            (f"<code>{escape(word[:end])}</code>", str(number), " ".join(map(chip, pieces)))
            for end, (number, pieces) in enumerate(cells, start=1)
        ),
    )
    data = sheet_html(
        (_("Piece"), _("Probability"), _("Bits")),
        ((chip(piece), f"1/{2**number}", str(number)) for piece, number in model.items()),
    )
    question = Question(
        "viterbi",
        prompt(
            _(
                "A piece of probability 1/8 costs 3 bits (1 is halved 3 times): probabilities multiply, bits add "
                "up. From left to right, write down for each beginning of the word the fewest bits that spell "
                "it: the minimum, over all pieces that end there, of the bits up to the piece plus the piece's "
                "own."
            ),
            data,
            fill(
                _(
                    "Fill in the table for {word}: the fewest bits, and the last piece on that path. If pieces tie, any of them is right."
                ),
                word=f"<code>{escape(word)}</code>",
            ),
        ),
        Cells(heads, tuple((word[:end], None, None) for end in range(1, len(word) + 1))),
        "\n".join(f"{number}\n{pieces[0]}" for number, pieces in cells),
        lambda answer: grade_cells(answer, cells, word, model, filled),
        filled,
        ways_text(len(word), cells, word, model),
        Board(word, {piece: bits_text(number) for piece, number in model.items()}),
    )
    return Draft(question, {"word": word, "bits": model})


def grade_cells(
    answer: str,
    cells: Sequence[tuple[int, tuple[str, ...]]],
    word: str,
    model: Mapping[str, int],
    filled: str,
) -> Verdict:
    """Grade a Viterbi table: name the wrong cells, and show the right table."""
    lines = [line.strip() for line in answer.split("\n")]
    if len(lines) != 2 * len(cells) or not all(lines):
        empty = tuple(index for index, line in enumerate(lines) if not line)
        return unread(_("Fill in every cell."))._replace(cells=empty)
    numbers = [read_number(typed) for typed in lines[::2]]
    mistakes: dict[int, str] = {}
    """A wrong cell → its fault, and the right value."""
    for end, (number, pieces) in enumerate(cells, start=1):
        typed, read = lines[2 * end - 2], numbers[end - 1]
        # Phones begin with a capital, and keyboards of other scripts have full-width letters.
        piece = lines[2 * end - 1].translate(FULL_WIDTH).lower()
        if read is None:
            text = _("{answer} is not a number of bits: type one such as 7.").format(answer=repr(typed[:40]))
            return unread(text)._replace(cells=(2 * end - 2,))
        index = f"<code>{escape(word[:end])}</code>"
        if read.value != number:
            message = _("Up to {place}: you have {yours} bits; it should be {true}.")
            text = fill(message, place=index, yours=escape(typed[:40]), true=str(number))
            mistakes[2 * end - 2] = text
        if piece not in pieces:
            message = _("Up to {place}: you have the piece {yours}; it should be {true}.")
            right_pieces = " / ".join(map(chip, pieces))
            text = fill(message, place=index, yours=f"<code>{escape(piece[:40])}</code>", true=right_pieces)
            mistakes[2 * end - 1] = text
    if not mistakes:
        return right(filled)
    first = min(mistakes)
    end = first // 2 + 1
    values = [number.value for number in numbers if number is not None]
    slip = (
        last_piece_slip(lines[first], word[:end], model)
        if first % 2
        else bits_slip(values[end - 1], end, cells, word, model)
    )
    index = f"<code>{escape(word[:end])}</code>"
    yours = escape(lines[first][:40])
    mine = fill(_("Up to {place}: you have {yours}."), place=index, yours=f"<code>{yours}</code>")
    many = ngettext(
        "{number} cell is wrong, marked with ✗.", "{number} cells are wrong, marked with ✗.", len(mistakes)
    )
    hint = sentences(escape(many.format(number=len(mistakes))), mine)
    verdict = wrong(f"{'<br>'.join(mistakes.values())}{filled}", hint, slip, tuple(mistakes))
    if follow(values, [cell for cell in mistakes if cell % 2 == 0], word, model):
        verdict = verdict._replace(
            hint=sentences(verdict.hint, escape(_("The other wrong numbers follow from it.")))
        )
    return verdict._replace(worked=ways_text(end, cells, word, model))


def ways_to(end: int, word: str, model: Mapping[str, int]) -> list[int]:
    """The starts of the pieces that end at a boundary."""
    return [start for start in range(end) if word[start:end] in model]


def ways_text(
    end: int, cells: Sequence[tuple[int, tuple[str, ...]]], word: str, model: Mapping[str, int]
) -> str:
    """How one can get to a boundary, with the bits of each way, but not their sums: markup."""
    ways = [
        f"{chip(word[start:end])} {cells[start - 1][0] if start else 0} + {model[word[start:end]]}"
        for start in ways_to(end, word, model)
    ]
    message = _("Up to {place}: {ways}. The smallest sum counts.")
    return fill(message, place=f"<code>{escape(word[:end])}</code>", ways=listed(ways))


def bits_slip(
    yours: Fraction,
    end: int,
    cells: Sequence[tuple[int, tuple[str, ...]]],
    word: str,
    model: Mapping[str, int],
) -> str:
    """The mistake behind a wrong number of bits; "" if none is known."""
    if yours in [model[word[start:end]] for start in ways_to(end, word, model) if start]:
        return "own_only"
    if yours == sum(model[letter] for letter in word[:end]):
        return "letters_only"
    return "not_least" if yours > cells[end - 1][0] else ""


def last_piece_slip(yours: str, beginning: str, model: Mapping[str, int]) -> str:
    """The mistake behind a wrong last piece."""
    if yours not in model:
        return "not_a_piece"
    return "dearer_piece" if beginning.endswith(yours) else "elsewhere"


def follow(values: Sequence[Fraction], mistaken: Sequence[int], word: str, model: Mapping[str, int]) -> bool:
    """Whether there are several wrong numbers, and all but the first are right, computed from the wrong ones
    before."""
    reached = [Fraction(0), *values]
    ends = [cell // 2 + 1 for cell in mistaken]
    return len(ends) > 1 and all(
        reached[end] == min(reached[start] + model[word[start:end]] for start in ways_to(end, word, model))
        for end in ends[1:]
    )
