"""The tokens of a vocabulary: reachable from some text, from no text, or undecided.

First every token's own text is encoded; this shows most of them. Of the rest, some are proved impossible by
the model, the normalizer or the pre-tokenizer; for the others a search tries texts that may have them. A
token called shown has come out of the whole tokenizer itself, and a token called ruled out has a reason valid
for every text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from tokenizers_core.encoding.byte_tokens import BYTE_TOKENS
from tokenizers_core.encoding.models.base import Model
from tokenizers_core.encoding.models.bpe import BpeModel
from tokenizers_core.encoding.models.unigram import UnigramModel
from tokenizers_core.encoding.models.wordpiece import WordPieceModel
from tokenizers_core.health.matches import MatchWords, inside_of
from tokenizers_core.health.merges import MergeProofs
from tokenizers_core.health.scores import outdone
from tokenizers_core.health.texts import (
    AROUND,
    characters_lost,
    completions,
    fits_in_a_word,
    fits_inside_a_word,
    in_some_text,
    whole_characters,
)
from tokenizers_core.health.verdicts import APART, OPEN, EncodeAll, Verdict
from tokenizers_core.lazy import cached_property
from tokenizers_core.text.byte_alphabet import SYMBOL_TO_BYTE, symbols_to_bytes
from tokenizers_core.text.normalizers import normalized_text
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.text.splitting import SPACE_MARK

TRIED_EACH: Final = 200
"""Texts to try for a token without an own text, or not produced by it."""
TRIED_IN_ALL: Final = 400_000
"""Texts to try for all such tokens together: some seconds. Tokens not shown by then stay open."""
BATCH: Final = 2_000
"""Texts in one batch: between two batches the work can be stopped."""
REACH_WORDS: Final = 5
"""Words proposed by WordPiece's model for a token; the pre-tokenizer may take some apart."""

CheckProgress = Callable[[int, int | None], bool | None]
"""Called with the number of decided tokens and of all; False ends the work with the results so far."""


class Checked(NamedTuple):
    """A tokenizer as the check sees it."""

    tokens: Sequence[str]
    """By id; "" for unused ids."""
    token_bytes: Callable[[int], bytes]
    """A token's bytes of text."""
    encode: EncodeAll
    apart: Collection[int] = frozenset()
    """The ids from outside the model: special tokens, added ones, the unknown token."""
    model: Model | None = None
    """None if the engine lacks it: then nothing is proved of it."""
    pipeline: Pipeline | None = None
    """None if the engine lacks a part of it."""


class Reach:
    """The check of one tokenizer."""

    def __init__(self, checked: Checked, progress: CheckProgress | None = None) -> None:
        self.checked, self._progress = checked, progress
        self.verdicts: dict[int, Verdict] = {}
        """By id, for all tokens not shown by their own text."""
        self.finished = True

    def check(self) -> dict[int, Verdict]:
        """The verdicts, in the order of the ids. If the work was stopped, `finished` is False and the rest is
        open."""
        checked = self.checked
        ids = [identifier for identifier, token in enumerate(checked.tokens) if token]
        self.verdicts = {identifier: APART for identifier in ids if identifier in checked.apart}
        rest = [identifier for identifier in ids if identifier not in checked.apart]
        shown = self._show(
            (identifier, own) for identifier in rest if (own := self.own_text(identifier)) is not None
        )
        rest = [identifier for identifier in rest if identifier not in shown]
        for identifier in rest:
            self.verdicts[identifier] = self.ruled_out(identifier) if self.finished else OPEN
        rest = [identifier for identifier in rest if self.verdicts[identifier] is OPEN]
        for texts in self._rounds(rest):
            if not self.finished:
                break
            for identifier, text in self._show(texts).items():
                self.verdicts[identifier] = Verdict("shown", text)
        return dict(sorted(self.verdicts.items()))

    def own_text(self, identifier: int) -> str | None:
        """A token's text; None if it has incomplete characters."""
        try:
            return self.bytes_of(identifier).decode("utf-8")
        except UnicodeDecodeError:
            return None

    def bytes_of(self, identifier: int) -> bytes:
        """A token's bytes of text."""
        stretch = self._stretch(identifier)
        return self.checked.token_bytes(identifier) if stretch is None else stretch

    def _stretch(self, identifier: int) -> bytes | None:
        """The same, from the tokenizer's model and pipeline, without marks of the token's place in a word.
        None where these are unknown."""
        model, pipeline = self.checked.model, self.checked.pipeline
        if model is None or pipeline is None:
            return None
        token = self.checked.tokens[identifier]
        body = (inside_of(token, model.vocabulary.prefix) or token).removesuffix(model.suffix)
        if pipeline.byte_level:
            return symbols_to_bytes(body) if SYMBOL_TO_BYTE.keys() >= set(body) else None
        return (body.replace(SPACE_MARK, " ") if pipeline.marks_spaces else body).encode("utf-8")

    # --- Texts with a token ---------------------------------------------------------------------------------

    def _show(self, texts: Iterable[tuple[int, str]]) -> dict[int, str]:
        """Among tokens and texts that may have them: the tokens found, each with its first text."""
        results: dict[int, str] = {}
        waiting = iter(texts)
        while self.finished and (batch := [*islice(waiting, BATCH)]):
            batch = [(identifier, text) for identifier, text in batch if identifier not in results]
            encoded = self.checked.encode([text for _identifier, text in batch])
            for (identifier, text), ids in zip(batch, encoded, strict=True):
                if identifier in ids:
                    results.setdefault(identifier, text)
            self._done += len(batch)
            self._report()
        return results

    _done = 0

    def _report(self) -> None:
        total = len(self.checked.tokens)
        if self._progress is not None and self._progress(min(self._done, total), total) is False:
            self.finished = False

    def _rounds(self, rest: Sequence[int]) -> Iterator[list[tuple[int, str]]]:
        """Texts to try, in rounds of a few for each open token: likely ones first."""
        proposals = {identifier: islice(self._proposals(identifier), TRIED_EACH) for identifier in rest}
        number, left = 1, TRIED_IN_ALL
        while proposals and left > 0:
            texts = []
            for identifier in [*proposals]:
                some = [*islice(proposals[identifier], number)]
                if not some or self.verdicts[identifier] is not OPEN:
                    del proposals[identifier]
                else:
                    texts += [(identifier, text) for text in some]
            yield texts[:left]
            left -= len(texts)
            number *= 2

    def _proposals(self, identifier: int) -> Iterator[str]:
        """Texts that may have a token."""
        token = self.checked.tokens[identifier]
        if self._falls_back and token in BYTE_TOKENS:
            yield from self._unknown_characters(BYTE_TOKENS[token])
        if self._matches is not None:
            yield from islice(self._matches.having(token), REACH_WORDS)
        own = self.own_text(identifier)
        if own is None:
            yield from completions(self.bytes_of(identifier))
            return
        for before, after in AROUND:
            yield f"{before}{own}{after}"

    def _unknown_characters(self, byte: int) -> Iterator[str]:
        """Characters with this byte that aren't tokens: signs rare in vocabularies."""
        if 0x80 <= byte < 0xC0:
            yield from completions(bytes([0xF4, 0x80, 0x80, byte]))
        yield from completions(bytes([byte]))

    # --- Reasons --------------------------------------------------------------------------------------------

    def ruled_out(self, identifier: int) -> Verdict:
        """Why no text can give a token; OPEN if nothing says so."""
        token = self.checked.tokens[identifier]
        verdict = OPEN
        if self._falls_back and token in BYTE_TOKENS:
            return self._byte_ruled_out(token)
        if self._merges is not None:
            verdict = self._merges.ruled_out(token)
        elif self._matches is not None:
            verdict = self._matches.ruled_out(token)
        elif isinstance(self.checked.model, UnigramModel):
            verdict = outdone(self.checked.model, token)
        return self._text_ruled_out(identifier) if verdict is OPEN else verdict

    def _byte_ruled_out(self, token: str) -> Verdict:
        byte, vocabulary = BYTE_TOKENS[token], self.checked.model and self.checked.model.vocabulary
        if not in_some_text(bytes([byte])):
            return Verdict("bytes", f"{byte:02X}")
        plain = vocabulary and not vocabulary.prefix and not getattr(self.checked.model, "suffix", "")
        if byte < 0x80 and plain and vocabulary and chr(byte) in vocabulary.ids:
            return Verdict("spelled", chr(byte))
        return OPEN

    def _text_ruled_out(self, identifier: int) -> Verdict:
        """The same, by the texts that can reach the model."""
        model, pipeline, data = self.checked.model, self.checked.pipeline, self._stretch(identifier)
        if model is None or pipeline is None or data is None:
            return OPEN
        if pipeline.byte_level and not in_some_text(data):
            return Verdict("bytes", data.hex(" ").upper())
        stretch = whole_characters(data)
        for character in dict.fromkeys(stretch):
            if self._changed(character) and character in self._lost:
                return Verdict("normalized", character, (normalized_text(character, pipeline.normalizer),))
        if not fits_in_a_word(stretch, pipeline):
            return Verdict("cut", instead=tuple(pipeline.split(stretch)))
        token = self.checked.tokens[identifier]
        if not inside_of(token, model.vocabulary.prefix) or fits_inside_a_word(stretch, pipeline):
            return OPEN
        # `##` may be written in a text, too.
        return OPEN if fits_in_a_word(token, pipeline) else Verdict("alone", stretch[0])

    def _changed(self, character: str) -> bool:
        """Whether the normalizer rewrites a character by itself: only then its other sources matter."""
        pipeline = self.checked.pipeline
        if pipeline is None or (character in (" ", SPACE_MARK) and pipeline.marks_spaces):
            return False
        return character not in normalized_text(character, pipeline.normalizer)

    @cached_property
    def _lost(self) -> Collection[str]:
        pipeline = self.checked.pipeline
        return characters_lost(pipeline.normalizer if pipeline else "none")

    @cached_property
    def _falls_back(self) -> bool:
        """Whether unknown characters become bytes."""
        model = self.checked.model
        if isinstance(model, BpeModel):
            return model.options.byte_fallback
        return isinstance(model, UnigramModel) and model.byte_fallback

    @cached_property
    def _merges(self) -> MergeProofs | None:
        model = self.checked.model
        return MergeProofs(model) if isinstance(model, BpeModel) else None

    @cached_property
    def _matches(self) -> MatchWords | None:
        model = self.checked.model
        return MatchWords(model) if isinstance(model, WordPieceModel) else None
