"""The input of the tabs of the page “Pipeline”."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tokenizers_core import Encoding, Tokenizer
from tokenizers_core.encoding.templates import TemplatePiece
from tokensteps.catalogue.files.loaded import LoadedSubject
from tokensteps.catalogue.foreign import ForeignTokenizer, journey_of
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer, TrainedSubject
from tokensteps.drawing.pipeline.journey import Journey, journey
from tokensteps.drawing.tokens import Style
from tokensteps.language.i18n import _, count, listed, ngettext
from tokensteps.language.names import normalizer_names, words_names
from tokensteps.pages.explore.pipeline_controls import PipelineControls


@dataclass(frozen=True)
class PipelineView:
    """A text, or a pair of texts, with its encoding and its tokenizer."""

    controls: PipelineControls
    tokenizer: Tokenizer
    texts: tuple[str, ...]
    encoding: Encoding
    journeys: list[Journey]
    style: Style
    names: Sequence[str] = ()
    """The names of the four stages."""
    decoder: str | None = None
    """The library's name for the decoder, "" if there is none; None for a tokenizer of the engine."""

    def key(self, name: str) -> str:
        """A widget's key, the page's own."""
        return self.controls.key(name)


def chosen_view(controls: PipelineControls, subject: ShownTokenizer, texts: tuple[str, ...]) -> PipelineView:
    """The texts by a chosen tokenizer of any origin. Raises the errors of encoding them."""
    style = subject.style._replace(show=controls["show"])
    pair = texts[1] if len(texts) > 1 else None
    if isinstance(subject, LoadedSubject):
        flow = subject.flow(texts[0], pair or "")
        tokenizer: Tokenizer = ForeignTokenizer(subject, flow)
        journeys = [journey_of(one) for one in flow.texts]
        parts = flow.components
        decoder: str | None = parts["decoder"]
        names = [parts["normalizer"] or _("none"), parts["pre_tokenizer"] or _("none")]
    elif isinstance(subject, TrainedSubject):
        tokenizer, decoder = subject.tokenizer, None
        journeys = [journey(tokenizer, text) for text in texts]
        names = [
            listed(normalizer_names(tokenizer.pipeline)),
            listed(words_names(tokenizer.pipeline)),
        ]
    else:
        raise TypeError(f"{type(subject).__name__} is no tokenizer with stages.")
    encoding = tokenizer.encode(texts[0], pair)
    names += [model_text(subject.algorithm, subject.size), pieces_text(encoding.pieces)]
    return PipelineView(controls, tokenizer, texts, encoding, journeys, style, names, decoder)


def model_text(algorithm: str, size: int) -> str:
    """A model in a few words."""
    text = ngettext("{algorithm}, {size} token", "{algorithm}, {size} tokens", size)
    return text.format(algorithm=algorithm, size=count(size))


def pieces_text(pieces: Sequence[TemplatePiece]) -> str:
    """A template in its form for one text or for two."""
    if all(piece.token is None for piece in pieces):
        return _("no template")
    return " ".join(piece.token if piece.token is not None else "AB"[piece.sequence or 0] for piece in pieces)
