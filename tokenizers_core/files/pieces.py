"""A tokenizer from a SentencePiece model, with the same ids as SentencePiece.

The text is normalized as a whole (`text/sentencepiece.py`), and then it is one word: pieces may hold marks
for spaces. User-defined symbols stay whole within it, and control pieces such as `<s>` are never found in a
text, and have none when decoded. (In a tokenizer.json made of such a model they are special tokens, which the
`tokenizers` library leaves out unless `skip_special_tokens=False`; SentencePiece always does.)

Sources: SentencePiece's unigram_model.cc, bpe_model.cc, word_model.cc and char_model.cc; oracle: the library.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tokenizers_core.encoding.byte_tokens import BYTE_TOKENS
from tokenizers_core.encoding.decoders import (
    BytesToText,
    ComposedDecoder,
    DecodingStep,
    Fuse,
    ReplaceInTokens,
    StripTokens,
)
from tokenizers_core.encoding.models.base import Model
from tokenizers_core.encoding.models.bpe import BpeModel, BpeOptions
from tokenizers_core.encoding.models.lattice import UNKNOWN_PENALTY
from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.encoding.models.unigram import UnigramModel, lattice_edges, walk_back
from tokenizers_core.encoding.tokenizer import Tokenizer
from tokenizers_core.files import piece_files
from tokenizers_core.files.piece_files import (
    BPE,
    CHAR,
    CONTROL,
    NORMAL,
    UNUSED,
    USER_DEFINED,
    Damaged,
    PieceModel,
)
from tokenizers_core.text.cutting import CutAt
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.text.rewriting import Replace
from tokenizers_core.text.sentencepiece import PieceNormalizer
from tokenizers_core.text.splitting import SPACE_MARK

_MARK_INSIDE: Final = re.compile(f"[^{SPACE_MARK}]{SPACE_MARK}")
_AT_MARKS: Final = CutAt(rf"(?<=[^{SPACE_MARK}])(?={SPACE_MARK})")


class PieceUnigram(UnigramModel):
    """SentencePiece's Unigram: sums are rounded to 32 bits before they are compared, and a user-defined
    symbol scores above all pieces, the more the longer it is."""

    def __init__(
        self,
        tokens: Sequence[str],
        pieces: Mapping[str, float],
        symbols: Sequence[str],
        unk: str,
        falls_back: bool,
    ) -> None:
        least = min(pieces.values(), default=0.0)
        scores = dict(pieces) | {one: 0.1 * len(one.encode("utf-8")) - 0.1 for one in symbols}
        super().__init__(tokens, scores, unk, falls_back, max(map(len, scores), default=1))
        [self.unknown] = array("f", [least - UNKNOWN_PENALTY])

    def best(self, word: str) -> tuple[int, ...]:
        edges = lattice_edges(word, self._numbers, self.max_length, unknown=self._unk_id)
        size = len(word) + 1
        best, back, last = array("f", [0.0]) * size, [0] * size, [-1] * size
        rounded = array("f", [0.0])
        for start, end, piece in edges:
            rounded[0] = best[start] + (self.unknown if piece == self._unk_id else self._scores[piece])
            score = rounded[0]
            if last[end] < 0 or score > best[end]:
                best[end], back[end], last[end] = score, start, piece
        return walk_back(len(word), back, last)


class PieceBpe(BpeModel):
    """SentencePiece's BPE: the neighbours with the highest-scoring piece are merged first, but user-defined
    symbols never."""

    def __init__(
        self,
        tokens: Sequence[str],
        merges: Mapping[Pair, int],
        symbols: Sequence[str],
        unk: str,
        falls_back: bool,
        unused: Collection[str] = (),
    ) -> None:
        """`merges`: neighbours that make a piece, each with the rank of its score, the highest first;
        `unused`: pieces that no text has."""
        options = BpeOptions(fuse_unk=True, byte_fallback=falls_back)
        super().__init__(tokens, [*merges], unk, options=options, added_only=unused)
        self.ranks = {self.vocabulary.write_pair(pair): rank for pair, rank in merges.items()}
        longest_first = sorted(symbols, key=len, reverse=True)
        self._symbols = re.compile("|".join([*map(re.escape, longest_first), "."]), re.DOTALL)
        self._plain = not symbols

    def split(self, word: str) -> tuple[str, ...]:
        return tuple(self._symbols.findall(word))


class PieceWords(PieceBpe):
    """SentencePiece's `word` models: a word is a piece as a whole, or unknown. Unknown ones in a row are one
    token."""

    def __init__(self, tokens: Sequence[str], words: Container[str], unk: str, falls_back: bool) -> None:
        super().__init__(tokens, {}, (), unk, falls_back)
        self.known = {token: number for token, number in self.vocabulary.ids.items() if token in words}
        self._symbols = re.compile(f"{SPACE_MARK}[^{SPACE_MARK}]*|[^{SPACE_MARK}]+")
        self._plain = False


@dataclass(frozen=True)
class Silent:
    """Gives some tokens no text; bytes on both sides of one make no character together."""

    pieces: frozenset[str]

    def decode(self, tokens: Sequence[str]) -> list[str]:
        return ["" if token in self.pieces else token for token in tokens]


def tokenizer_of(model: PieceModel) -> Tokenizer:
    """The tokenizer of a model. Raises Damaged."""
    tokens = [one.text for one in model.pieces]
    if len(set(tokens)) < len(tokens):
        raise Damaged(message="it has the same piece twice")
    if model.byte_fallback and not BYTE_TOKENS.keys() <= set(tokens):
        raise Damaged(message="it lacks pieces for some of the 256 bytes")
    symbols = tuple(one.text for one in model.pieces if one.kind == USER_DEFINED)
    normalizer = PieceNormalizer(
        model.charsmap, symbols, model.mark_in_front, model.one_space, model.writes_spaces, model.mark_behind
    )
    cut = (_AT_MARKS,) if _can_cut(model) else ()
    return Tokenizer(Pipeline((normalizer,), cut), _model(model, tokens, symbols), decoder=_decoder(model))


def _model(model: PieceModel, tokens: Sequence[str], symbols: Sequence[str]) -> Model:
    unk = tokens[model.unknown]
    scores = {one.text: one.score for one in model.pieces if one.kind == NORMAL}
    unused = {one.text: one.score for one in model.pieces if one.kind == UNUSED}
    match model.kind:
        case piece_files.WORD:
            return PieceWords(tokens, {*scores, *symbols}, unk, model.byte_fallback)
        case piece_files.CHAR | piece_files.BPE:  # a `char` model merges nothing
            merges = {} if model.kind == CHAR else _merges_of_used(scores, unused)
            return PieceBpe(tokens, merges, symbols, unk, model.byte_fallback, unused)
    return PieceUnigram(tokens, scores, symbols, unk, model.byte_fallback)


def _merges_of_used(scores: Mapping[str, float], unused: Mapping[str, float]) -> dict[Pair, int]:
    """The merges. SentencePiece also merges unused pieces, and splits them again at
    the end: raises Damaged where it could."""
    merges = merges_of_scores(scores)
    if unused and merges_of_scores({**scores, **unused}).keys() != merges.keys():
        raise Damaged(message="it merges through pieces that are marked as unused")
    return merges


def merges_of_scores(scores: Mapping[str, float]) -> dict[Pair, int]:
    """All neighbours that make a piece, the highest score first; equal scores have the same rank.

    >>> merges_of_scores({"a": -3.0, "b": -4.0, "ab": -1.0, "bb": -2.0, "abb": -2.0})
    {Pair(first='a', second='b'): 0, Pair(first='b', second='b'): 1, Pair(first='a', second='bb'): 1, Pair(first='ab', second='b'): 1}
    """  # noqa: W505
    positions = {score: index for index, score in enumerate(sorted({*scores.values()}, reverse=True))}
    return {
        Pair(piece[:cut], piece[cut:]): positions[scores[piece]]
        for piece in sorted(scores, key=lambda piece: -scores[piece])
        for cut in range(1, len(piece))
        if piece[:cut] in scores and piece[cut:] in scores
    }


def _can_cut(model: PieceModel) -> bool:
    """Whether no token continues behind a mark: then the text can be cut there, and repeated words are
    cached.

    Unigram's sums run through the whole text, and rounding depends on them.
    """
    texts = [one.text for one in model.pieces]
    return model.kind == BPE and SPACE_MARK in texts and not any(map(_MARK_INSIDE.search, texts))


def _decoder(model: PieceModel) -> ComposedDecoder:
    """Marks as spaces, byte pieces as text, without the added space and control pieces."""
    steps: list[DecodingStep] = [Silent(frozenset(one.text for one in model.pieces if one.kind == CONTROL))]
    if model.writes_spaces:
        steps.append(ReplaceInTokens(Replace(SPACE_MARK, " ")))
    steps += [BytesToText(), Fuse()]
    if model.mark_in_front:
        steps.append(StripTokens(" ", int(not model.mark_behind), int(model.mark_behind)))
    return ComposedDecoder(tuple(steps))
