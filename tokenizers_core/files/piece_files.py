"""SentencePiece's .model: a protobuf message with the pieces, the trainer's settings, and the normalizer's.

Only the few fields needed for a tokenizer are read, by hand: for the format see
https://protobuf.dev/programming-guides/encoding and sentencepiece_model.proto. Nothing in the message is
trusted: each length has to fit into the rest.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from tokenizers_core.files.models import TOKEN_LIMIT
from tokenizers_core.text.charsmap import CharacterMap

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
"""Types of pieces."""
UNIGRAM, BPE, WORD, CHAR = range(1, 5)
"""Types of models."""
FIXED32: Final = 5
"""How a float is written."""


class Damaged(ValueError):
    """A fault in a message, for translation."""

    def __init__(self, message: str) -> None:
        super().__init__(message)


class ModelPiece(NamedTuple):
    """A piece as the model lists it; its place is its id."""

    text: str
    score: float
    kind: int


class PieceModel(NamedTuple):
    """The fields read from a model."""

    pieces: tuple[ModelPiece, ...]
    kind: int = UNIGRAM
    byte_fallback: bool = False
    charsmap: bytes = b""
    """The normalizer's rules, compiled."""
    mark_in_front: bool = True
    one_space: bool = True
    """Whether white space at the ends goes, and several spaces become one."""
    writes_spaces: bool = True
    """Whether a space is written as ▁."""
    mark_behind: bool = False
    """Whether the mark is put behind a text, and so at the end of words."""

    @property
    def unknown(self) -> int:
        """The id of the unknown piece. Raises Damaged."""
        index = next((index for index, one in enumerate(self.pieces) if one.kind == UNKNOWN), None)
        if index is None:
            raise Damaged(message="it has no unknown piece")
        return index


def read_model(data: bytes) -> PieceModel:
    """The fields of a model. Raises Damaged.

    >>> piece = b"\\n\\x05\\n\\x03hug"
    >>> read_model(piece).pieces
    (ModelPiece(text='hug', score=0.0, kind=1),)
    """
    pieces: list[ModelPiece] = []
    trainer: dict[int, Any] = {}
    normalizer: dict[int, Any] = {}
    for number, value in fields(data):
        if number == 1:
            pieces.append(_piece(dict(fields(_message(value)))))
            if len(pieces) > TOKEN_LIMIT:
                raise Damaged(message="it has too many pieces")
        elif number == 2:
            trainer |= dict(fields(_message(value)))
        elif number == 3:
            normalizer |= dict(fields(_message(value)))
    kind = trainer.get(3, UNIGRAM)
    if kind not in (UNIGRAM, BPE, WORD, CHAR):
        raise Damaged(message="its algorithm is none of SentencePiece's four: unigram, bpe, word, char")
    if not pieces:
        raise Damaged(message="it has no pieces")
    charsmap = _message(normalizer.get(2, b""))
    try:
        CharacterMap.of(charsmap)
    except ValueError:
        raise Damaged(message="it was cut off") from None
    return PieceModel(
        tuple(pieces),
        kind,
        bool(trainer.get(35)),
        charsmap,
        bool(normalizer.get(3, True)),
        bool(normalizer.get(4, True)),
        bool(normalizer.get(5, True)),
        bool(trainer.get(24)),
    )


def fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """A message's fields: number and value, an int, a float or bytes. Raises Damaged.

    >>> list(fields(b"\\x08\\x96\\x01\\x12\\x02hi"))
    [(1, 150), (2, b'hi')]
    """
    position = 0
    while position < len(data):
        tag, position = _number_at(data, position)
        match tag & 7:
            case 0:
                value, position = _number_at(data, position)
                yield tag >> 3, value
            case 2:
                length, position = _number_at(data, position)
                if length > len(data) - position:
                    raise Damaged(message="it was cut off")
                yield tag >> 3, data[position : position + length]
                position += length
            case 5 | 1 as kind:
                width = 4 if kind == FIXED32 else 8
                if width > len(data) - position:
                    raise Damaged(message="it was cut off")
                [number] = struct.unpack_from("<f" if kind == FIXED32 else "<d", data, position)
                yield tag >> 3, number
                position += width
            case _:
                raise Damaged(message="it has a field of no known type")


def _number_at(data: bytes, position: int) -> tuple[int, int]:
    """A number of seven bits a byte, the lowest first, and the place after it."""
    value = 0
    for shift in range(0, 70, 7):
        if position >= len(data):
            raise Damaged(message="it was cut off")
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
    raise Damaged(message="it has a number that is too long")


def _message(value: Any) -> bytes:
    if not isinstance(value, bytes):
        raise Damaged(message="it has a field of no known type")
    return value


def _piece(fields: Mapping[int, Any]) -> ModelPiece:
    text, score, kind = fields.get(1, b""), fields.get(2, 0.0), fields.get(3, 1)
    try:
        piece = _message(text).decode("utf-8")
    except UnicodeDecodeError:
        raise Damaged(message="one of its pieces is not UTF-8") from None
    if not piece or not isinstance(score, float) or not math.isfinite(score) or not isinstance(kind, int):
        raise Damaged(message="one of its pieces is empty, or its score is no number")
    return ModelPiece(piece, score, kind)
