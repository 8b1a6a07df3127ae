"""SentencePiece's .model: its pieces as a document of the `tokenizers` library, and texts in the engine's
tokens.

The library can't do everything of SentencePiece (it cuts a text at user-defined symbols before it normalizes
it, and takes one grapheme at a time instead of a character map's longest match), so texts are encoded by the
engine, with SentencePiece's ids.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from tokenizers_core.encoding.models.base import Model
from tokenizers_core.encoding.templates import ONE_TEXT, TWO_TEXTS
from tokenizers_core.encoding.tokenizer import Tokenizer as OurTokenizer
from tokenizers_core.errors import LackingPartError
from tokenizers_core.files.piece_files import (
    BPE,
    CHAR,
    CONTROL,
    UNIGRAM,
    UNUSED,
    USER_DEFINED,
    WORD,
    Damaged,
    ModelPiece,
    PieceModel,
    read_model,
)
from tokenizers_core.files.pieces import tokenizer_of
from tokenizers_core.text.normalizers import normalized_text
from tokenizers_core.text.splitting import SPACE_MARK
from tokensteps.catalogue.files.documents import Document, bpe_model, check_lengths, new_document
from tokensteps.catalogue.files.errors import LoadError
from tokensteps.catalogue.files.library import Library
from tokensteps.catalogue.files.loaded import LoadedSubject, from_document
from tokensteps.catalogue.files.recognition import RecognizedFile
from tokensteps.catalogue.flow import Flow, TextFlow
from tokensteps.catalogue.shown_tokenizers import Tokens
from tokensteps.catalogue.why import Explanation, explained_by_engine
from tokensteps.drawing.pipeline.journey import journey
from tokensteps.language.i18n import N_

NEVER_IN_A_TEXT: Final = "\U0010ffff"
"""Written in front of control pieces such as <s>: SentencePiece never finds them in a text. It is a
noncharacter."""


def from_sentencepiece(upload: RecognizedFile, name: str) -> LoadedSubject:
    """A tokenizer as SentencePiece itself uses the model. Raises LoadError."""
    try:
        model = read_model(upload.content)
        ours = tokenizer_of(model)
        check_lengths((one.text for one in model.pieces), upload.file)
        document = new_document(
            DOCUMENTS[model.kind](model),
            [
                (NEVER_IN_A_TEXT + one.text, index)
                for index, one in enumerate(model.pieces)
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
        {**_ADDED, "id": index, "content": one.text}
        for index, one in enumerate(model.pieces)
        if one.kind == USER_DEFINED
    ]
    document["added_tokens"].sort(key=lambda token: token["id"])
    notes = [
        N_(
            "Read from a SentencePiece model: text isn't split into words first, spaces are written as ▁, and special tokens in the text are plain text."
        )
    ]
    notes += WITHOUT_STEPS.get(model.kind, ())
    subject = from_document(document, upload.file, name, notes, respelled=(NEVER_IN_A_TEXT, ""))
    assert isinstance(subject.library, Library)  # as it was just made
    subject.library = PieceLibrary(name, subject.library, ours)
    return subject


class PieceLibrary(Library):
    """Texts by the engine's tokenizer; of the library there is the vocabulary."""

    def __init__(self, name: str, library: Library, ours: OurTokenizer) -> None:
        super().__init__(name, library.tokenizer)
        self._ours = ours

    def encode(self, text: str, specials: bool, added: bool) -> Tokens:  # noqa: ARG002 - it finds none and adds none
        encoding = self._ours.encode(text)
        return Tokens(encoding.ids, encoding.offsets)

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        return [self._ours.ids(text) for text in texts]

    def normalized(self, text: str) -> str:
        return normalized_text(text, self._ours.pipeline.normalizer)

    def flow(self, text: str, pair: str) -> Flow:
        texts = (text, pair) if pair else (text,)
        results = tuple(map(self._text_flow, texts))
        back = self._ours.decode([identifier for one in results for identifier in one.ids])
        parts = {
            "normalizer": "SentencePiece",
            "pre_tokenizer": "",
            "post_processor": "",
            "decoder": "SentencePiece",
        }
        return Flow(results, TWO_TEXTS if pair else ONE_TEXT, back, back, parts)

    def _text_flow(self, text: str) -> TextFlow:
        way, encoding = journey(self._ours, text), self._ours.encode(text)
        return TextFlow(
            text,
            [(one.text, one.start, one.end) for one in way.normalized],
            [(word.text, word.start, word.end) for word in way.words],
            encoding.ids,
            encoding.offsets,
            [word or 0 for word in encoding.word_ids],
            self._ours.decode(encoding.ids),
        )

    def why(self, text: str, index: int, specials: bool) -> Explanation:  # noqa: ARG002 - it finds none
        explanation = explained_by_engine(self._ours, text, index)
        if type(self.tokenizer.model).__name__ != WORD_LEVEL:
            return explanation
        return explanation._replace(story=None, lacking=LackingPartError([f"model {WORD_LEVEL}"]))

    @property
    def model(self) -> Model:
        """The engine's own."""
        return self._ours.model


WORD_LEVEL: Final = "WordLevel"
"""The library's model for a `word` or `char` model: a word, or a character, is a token or unknown."""
_ADDED: Final[Document] = {
    "single_word": False,
    "lstrip": False,
    "rstrip": False,
    "normalized": False,
    "special": False,
}


# --- The tokenizer ------------------------------------------------------------------------------------------


def _normalizer(model: PieceModel) -> Document | None:
    """SentencePiece's rewriting of a text before the search for pieces."""
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


def _unigram_document(model: PieceModel) -> Document:
    return {
        "type": "Unigram",
        "unk_id": model.unknown,
        "byte_fallback": model.byte_fallback,
        "vocab": [[_spelled(one), one.score] for one in model.pieces],
    }


def _positions(model: PieceModel) -> dict[str, int]:
    """Piece → its id. Raises Damaged."""
    positions: dict[str, int] = {}
    for index, one in enumerate(model.pieces):
        if positions.setdefault(_spelled(one), index) != index:
            raise Damaged(message="it has the same piece twice")
    return positions


def _whole_document(model: PieceModel) -> Document:
    """A word, or a character, is a token or unknown."""
    return {
        "type": WORD_LEVEL,
        "vocab": _positions(model),
        "unk_token": model.pieces[model.unknown].text,
    }


def _bpe_document(model: PieceModel) -> Document:
    """The merges follow from the pieces: any two pieces may merge into another, the highest score first."""
    positions = _positions(model)
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
        positions,
        merges,
        unk_token=model.pieces[model.unknown].text,
        fuse_unk=True,
        byte_fallback=model.byte_fallback,
    )


DOCUMENTS: Final[Mapping[int, Callable[[PieceModel], Document]]] = {
    UNIGRAM: _unigram_document,
    BPE: _bpe_document,
    WORD: _whole_document,
    CHAR: _whole_document,
}
"""Type of model → its form in a tokenizer.json."""
WITHOUT_STEPS: Final[Mapping[int, tuple[str, ...]]] = {
    WORD: (
        N_(
            "A word model (model_type=word): its tokens are the most frequent words, and any other word is unknown as a whole. Training only counts words, so there is nothing to step through."
        ),
    ),
    CHAR: (
        N_(
            "A char model (model_type=char): each character is a token. Training only counts characters, nothing is merged or pruned, so there is nothing to step through."
        ),
    ),
}
"""Type of model → the note on models that learn nothing step by step."""
