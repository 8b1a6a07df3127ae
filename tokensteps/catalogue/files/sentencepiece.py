"""SentencePiece's .model: a protobuf message with the pieces, the trainer's settings, and the normalizer's.

Only the few fields that make a tokenizer are read, by hand: https://protobuf.dev/programming-guides/encoding and
sentencepiece_model.proto say how they are written. Nothing in the message is trusted: each length has to fit into what is left.
"""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from tokenizers_core.text.splitting import SPACE_MARK
from tokensteps.catalogue.files.documents import Document, bpe_model, check_lengths, new_document
from tokensteps.catalogue.files.errors import LoadError
from tokensteps.catalogue.files.loaded import LoadedSubject, from_document
from tokensteps.catalogue.files.recognition import RecognizedFile
from tokensteps.language.i18n import N_
from tokensteps.limits import TOKEN_LIMIT

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
"""How a field's value is written."""
UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 2, 3, 4, 5, 6
"""Types of pieces; 1 is an ordinary one."""
UNIGRAM, BPE = 1, 2
"""Types of models."""


NEVER_IN_A_TEXT: Final = "\U0010ffff"
"""Written in front of control pieces such as <s>: SentencePiece never finds them in a text. It is a noncharacter."""


class Damaged(ValueError):
    """What is wrong with a message, to be translated."""


class ModelPiece(NamedTuple):
    """A piece as the model lists it; its place is its id."""

    text: str
    score: float
    kind: int


class PieceModel(NamedTuple):
    """What is read of a model."""

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


def from_sentencepiece(upload: RecognizedFile, name: str) -> LoadedSubject:
    """A tokenizer as SentencePiece itself uses the model. Raises LoadError."""
    try:
        model = read_model(upload.content)
        check_lengths((one.text for one in model.pieces), upload.file)
        document = new_document(
            _bpe_document(model) if model.kind == BPE else _unigram_document(model),
            [
                (NEVER_IN_A_TEXT + one.text, place)
                for place, one in enumerate(model.pieces)
                if one.kind == CONTROL
            ],
            normalizer=_normalizer(model),
            decoder={
                "type": "Metaspace",
                "replacement": SPACE_MARK,
                "prepend_scheme": "always",
                "split": False,
            },
        )
    except Damaged as error:
        raise LoadError("sentencepiece", upload.file, reason=str(error)) from None
    document["added_tokens"] += [
        {**_ADDED, "id": place, "content": one.text}
        for place, one in enumerate(model.pieces)
        if one.kind == USER_DEFINED
    ]
    document["added_tokens"].sort(key=lambda token: token["id"])
    notes = [
        N_(
            "Read from a SentencePiece model: text isn't split into words first, spaces are written as ▁, and special tokens in the text are plain text."
        )
    ]
    return from_document(document, upload.file, name, notes, respelled=(NEVER_IN_A_TEXT, ""))


_ADDED: Final[Document] = {
    "single_word": False,
    "lstrip": False,
    "rstrip": False,
    "normalized": False,
    "special": False,
}


# --- The message ------------------------------------------------------------------------------------------------------


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
                raise Damaged(N_("it has too many pieces"))
        elif number == 2:
            trainer |= dict(fields(_message(value)))
        elif number == 3:
            normalizer |= dict(fields(_message(value)))
    kind = trainer.get(3, UNIGRAM)
    if kind not in (UNIGRAM, BPE):
        raise Damaged(N_("its algorithm is neither Unigram nor BPE"))
    if trainer.get(24):
        raise Damaged(N_("it writes spaces at the end of words"))
    if not pieces:
        raise Damaged(N_("it has no pieces"))
    charsmap = normalizer.get(2, b"")
    return PieceModel(
        tuple(pieces),
        kind,
        bool(trainer.get(35)),
        _message(charsmap),
        *(bool(normalizer.get(number, True)) for number in (3, 4, 5)),
    )


def fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """A message's fields: number and value, an int, a float or bytes. Raises Damaged.

    >>> list(fields(b"\\x08\\x96\\x01\\x12\\x02hi"))
    [(1, 150), (2, b'hi')]
    """
    place = 0
    while place < len(data):
        tag, place = _number_at(data, place)
        match tag & 7:
            case 0:
                value, place = _number_at(data, place)
                yield tag >> 3, value
            case 2:
                length, place = _number_at(data, place)
                if length > len(data) - place:
                    raise Damaged(N_("it was cut off"))
                yield tag >> 3, data[place : place + length]
                place += length
            case 5 | 1 as kind:
                width = 4 if kind == FIXED32 else 8
                if width > len(data) - place:
                    raise Damaged(N_("it was cut off"))
                [number] = struct.unpack_from("<f" if kind == FIXED32 else "<d", data, place)
                yield tag >> 3, number
                place += width
            case _:
                raise Damaged(N_("it has a field of no known type"))


def _number_at(data: bytes, place: int) -> tuple[int, int]:
    """A number of seven bits a byte, the lowest first, and the place after it."""
    value = 0
    for shift in range(0, 70, 7):
        if place >= len(data):
            raise Damaged(N_("it was cut off"))
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
    raise Damaged(N_("it has a number that is too long"))


def _message(value: Any) -> bytes:
    if not isinstance(value, bytes):
        raise Damaged(N_("it has a field of no known type"))
    return value


def _piece(found: Mapping[int, Any]) -> ModelPiece:
    text, score, kind = found.get(1, b""), found.get(2, 0.0), found.get(3, 1)
    try:
        piece = _message(text).decode("utf-8")
    except UnicodeDecodeError:
        raise Damaged(N_("one of its pieces is not UTF-8")) from None
    if not piece or not isinstance(score, float) or not math.isfinite(score) or not isinstance(kind, int):
        raise Damaged(N_("one of its pieces is empty, or its score is no number"))
    return ModelPiece(piece, score, kind)


# --- The tokenizer ----------------------------------------------------------------------------------------------------


def _normalizer(model: PieceModel) -> Document | None:
    """What SentencePiece does to a text before it looks for pieces."""
    steps: list[Document] = []
    if model.charsmap:
        charsmap = base64.b64encode(model.charsmap).decode()
        steps.append({"type": "Precompiled", "precompiled_charsmap": charsmap})
    if model.one_space:
        steps += [_replace({"Regex": " {2,}"}, " "), _replace({"Regex": r"\A | \z"}, "")]
    if model.mark_in_front:
        steps.append({"type": "Prepend", "prepend": SPACE_MARK if model.writes_spaces else " "})
    if model.writes_spaces:
        steps.append(_replace({"String": " "}, SPACE_MARK))
    return {"type": "Sequence", "normalizers": steps} if steps else None


def _replace(pattern: Document, content: str) -> Document:
    return {"type": "Replace", "pattern": pattern, "content": content}


def _spelled(piece: ModelPiece) -> str:
    return NEVER_IN_A_TEXT + piece.text if piece.kind == CONTROL else piece.text


def _unknown(model: PieceModel) -> int:
    place = next((place for place, one in enumerate(model.pieces) if one.kind == UNKNOWN), None)
    if place is None:
        raise Damaged(N_("it has no unknown piece"))
    return place


def _unigram_document(model: PieceModel) -> Document:
    return {
        "type": "Unigram",
        "unk_id": _unknown(model),
        "byte_fallback": model.byte_fallback,
        "vocab": [[_spelled(one), one.score] for one in model.pieces],
    }


def _bpe_document(model: PieceModel) -> Document:
    """The merges follow from the pieces: any two that make another may be merged, the highest score first."""
    places: dict[str, int] = {}
    for place, one in enumerate(model.pieces):
        if places.setdefault(_spelled(one), place) != place:
            raise Damaged(N_("it has the same piece twice"))
    mergeable = {one.text for one in model.pieces if one.kind in (1, USER_DEFINED, UNUSED)}
    ranked = sorted(
        (one for one in model.pieces if one.kind in (1, USER_DEFINED)), key=lambda one: -one.score
    )
    merges = [
        [one.text[:cut], one.text[cut:]]
        for one in ranked
        for cut in range(1, len(one.text))
        if one.text[:cut] in mergeable and one.text[cut:] in mergeable
    ]
    return bpe_model(
        places,
        merges,
        unk_token=model.pieces[_unknown(model)].text,
        fuse_unk=True,
        byte_fallback=model.byte_fallback,
    )
