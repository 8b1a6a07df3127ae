"""The picture for the answer to a question about a split (`tokensteps/drawing/lattice/board.py`), and the
questions' additions to it.

Oracles: every path of the word's lattice, enumerated by the tests' own `all_paths`; the same picture with
other probabilities.
"""

from __future__ import annotations

import re

import pytest

from tests.app.drawing.test_tokens import HOSTILE, expect_markup
from tests.core.oracle_unigram import all_paths
from tokensteps.drawing.lattice.board import board_html
from tokensteps.teaching.exercises.kinds import make
from tokensteps.teaching.questions import Board

TAGS = {"div", "b", "bdi", "button", "small"}
ATTRIBUTES = {
    "class", "style", "type", "tabindex", "role", "aria-label", "aria-hidden", "aria-pressed", "data-start", "data-end",
    "data-piece",
}  # fmt: skip


def drawn(board: Board) -> str:
    return board_html(board.word, board.places, board.pieces)


def paths(board: Board, start: int = 0) -> list[list[str]]:
    """Every way to cover the word from a place on, one piece after the other."""
    if start == len(board.word):
        return [[]]
    return [
        [piece, *rest] for begin, end, piece in board.places if begin == start for rest in paths(board, end)
    ]


@pytest.mark.parametrize("level", [1, 3, 5])
def test_every_split_can_be_put_together_and_no_other(level: int) -> None:
    """The right one among them; and the order and place of a piece don't show its probability."""
    for seed in range(8):
        question = make("unigram_best", level, seed).question
        board = question.board
        assert board is not None
        results = {" ".join(path) for path in paths(board)}
        assert results == {
            " ".join(path) for path, _cost in all_paths(board.word, dict.fromkeys(board.pieces, 0.0))
        }
        assert question.key in results
        turned = dict(zip(board.pieces, reversed(board.pieces.values()), strict=True))
        message = r'(?<=<small>)[^<]*|(?<=: )\d+/\d+(?=")'
        assert re.sub(message, "", drawn(board)) == re.sub(message, "", drawn(Board(board.word, turned)))


def test_a_table_of_bits_has_its_last_pieces_in_the_picture() -> None:
    for seed in range(8):
        question = make("viterbi", 2, seed).question
        assert question.board is not None
        positions = {(end, piece) for _start, end, piece in question.board.places}
        last = question.key.split("\n")[1::2]
        assert {(end, piece) for end, piece in enumerate(last, start=1)} <= positions


@pytest.mark.parametrize("piece", [one for one in HOSTILE if one])
def test_any_piece_is_drawn_as_text(piece: str) -> None:
    word = f"x{piece}y"[:60]
    board = Board(word, {piece: '<b>"1/2"', "x": "&", "y": ""})
    read = expect_markup(drawn(board), TAGS, ATTRIBUTES)
    styles = [value for name, value in read.attributes if name == "style"]
    assert styles and all(
        re.fullmatch(r"--n:\d+;--lanes:\d+|grid-area:\d+/\d+/auto/\d+", one or "") for one in styles
    )
