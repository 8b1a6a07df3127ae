"""A tokenizer of the `tokenizers` library in place of the engine's: it has the library's results for certain
texts.

So all drawings of encodings work for anybody's tokenizer; the engine's own encoding isn't used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from tokenizers_core import Tokenizer
from tokenizers_core.encoding.templates import TemplatePiece
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.text.spans import Span
from tokenizers_core.text.splitting import PreToken
from tokensteps.catalogue.files.loaded import LoadedSubject
from tokensteps.catalogue.flow import Flow, TextFlow
from tokensteps.drawing.pipeline.journey import Journey, Placed


class ForeignTokenizer(Tokenizer):
    """The engine's tokenizer as far as pages need it, for the texts of a flow and no others."""

    def __init__(self, subject: LoadedSubject, flow: Flow, **options: Any) -> None:
        # Not the engine's own: it would want a model of the engine.
        self._subject, self._flow, self._options = subject, flow, options
        self.pipeline = Pipeline("none", "whitespace_split")
        stand_in: Any = SimpleNamespace(
            unk_token=subject.unknown_token,
            vocabulary=SimpleNamespace(prefix="", tokens=subject.all_tokens()),
        )
        self.model = stand_in
        self.special_tokens = tuple(subject.style.special_tokens)
        self.template = None
        self.truncation = options.get("truncation")
        self.padding = options.get("padding")
        self.trimming = None  # of white space: the flow has the places as the library gives them
        self.decoder: Any = None
        self._vocab = {
            token: identifier
            for identifier, token in enumerate(subject.all_tokens())
            if token in subject.style.special_tokens
        }

    def with_options(self, **changes: Any) -> Tokenizer:
        return ForeignTokenizer(self._subject, self._flow, **(self._options | changes))

    @property
    def tokens(self) -> Sequence[str]:
        return self._subject.all_tokens()

    @property
    def vocab(self) -> Mapping[str, int]:
        """Special and added tokens only, for pages' look-ups."""
        return self._vocab

    def ids(self, text: str) -> list[int]:
        return self._of(text).ids

    def align(self, text: str) -> tuple[list[Span], list[int]]:
        result = self._of(text)
        return result.offsets, result.word_ids

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """The library's decoded text of these ids: a text's own, or all."""
        wanted = list(ids)
        backs = [one.back for one in self._flow.texts if one.ids == wanted]
        if backs and not skip_special_tokens:
            return backs[0]
        return self._flow.bare if skip_special_tokens else self._flow.whole

    def _of(self, text: str) -> TextFlow:
        return next(one for one in self._flow.texts if one.text == text)

    def _pieces(self, pair: bool, add_special_tokens: bool) -> tuple[TemplatePiece, ...]:  # noqa: ARG002 - of these texts
        pieces = self._flow.pieces
        return pieces if add_special_tokens else tuple(piece for piece in pieces if piece.token is None)


def journey_of(flow: TextFlow) -> Journey:
    """A text's stages before the model."""
    return Journey(
        flow.text,
        [Placed(*one) for one in flow.normalized],
        [PreToken(*one) for one in flow.words],
    )
