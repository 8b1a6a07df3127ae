"""The tab “Back to text” of the page “Pipeline”: ids to text again, and the losses on the way."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import Match, SequenceMatcher
from html import escape
from itertools import pairwise
from typing import Final

import streamlit as st

from tokenizers_core.encoding.decoders import (
    BpeDecoder,
    Decoder,
    MetaspaceDecoder,
    SpaceDecoder,
    WordPieceDecoder,
)
from tokenizers_core.text.spans import Span
from tokenizers_core.text.splitting import SPACE_MARK
from tokensteps.drawing.pipeline.journey import Journey
from tokensteps.drawing.tokens import TOKEN_SHOWN, token_html
from tokensteps.language.i18n import _, count, ngettext
from tokensteps.pages.explore.pipeline_view import PipelineView

COMPARISONS: Final = 8_000_000
"""Pairs of letters to compare for a text's losses: a second or two."""


def decode_tab(view: PipelineView) -> None:
    """Ids to text again, and the losses on the way."""
    tokenizer, encoding = view.tokenizer, view.encoding
    st.html(
        '<dl class="ts decoded">'
        + _entry(_("All ids"), escape(tokenizer.decode(encoding.ids)))
        + _entry(
            _("Without special tokens"), escape(tokenizer.decode(encoding.ids, skip_special_tokens=True))
        )
        + "</dl>"
    )
    for sequence, text in enumerate(view.texts):
        ids = [
            identifier
            for identifier, of in zip(encoding.ids, encoding.sequence_ids, strict=True)
            if of == sequence
        ]
        back = tokenizer.decode(ids)
        title = _("Text {letter}").format(letter="AB"[sequence]) if len(view.texts) > 1 else _("The text")
        st.header(title, anchor=False)
        st.html(difference_html(text, back))
        content = losses(view, sequence, back)
        if view.decoder is not None and back != text:
            message = _("The tokenizer's own decoder writes it like this: {decoder}.")
            content.append(message.format(decoder=view.decoder or _("none")))
        reasons = "".join(f"<li>{escape(reason)}</li>" for reason in content)
        st.html(f'<ul class="ts reasons">{reasons}</ul>')


def _entry(name: str, markup: str) -> str:
    return f"<dt>{escape(name)}</dt><dd><bdi>{markup}</bdi></dd>"


def losses(view: PipelineView, sequence: int, back: str) -> list[str]:
    """Why the decoded text differs from the original, or that it doesn't."""
    text, result, encoding = view.texts[sequence], view.journeys[sequence], view.encoding
    if back == text:
        return [_("The text comes back exactly as it was.")]
    lines = []
    if result.rewritten or result.removed:
        changed = len(result.rewritten) + len(result.removed)
        message = ngettext(
            "Normalizing: {number} character was rewritten or removed, and the tokens don't record what it was.",
            "Normalizing: {number} characters were rewritten or removed, and the tokens don't record what they were.",
            changed,
        )
        lines.append(message.format(number=count(changed)))
    if result.dropped:
        message = ngettext(
            "Splitting: {number} character between pre-tokens is in no token.",
            "Splitting: {number} characters between pre-tokens are in no token.",
            len(result.dropped),
        )
        lines.append(message.format(number=count(len(result.dropped))))
    unknown = view.tokenizer.model.unk_token
    own = zip(encoding.tokens, encoding.sequence_ids, strict=True)
    unknowns = sum(token == unknown and of == sequence for token, of in own) if unknown else 0
    if unknowns:
        message = ngettext(
            "The model: {number} token is {token}, whatever it stood for.",
            "The model: {number} tokens are {token}, whatever they stood for.",
            unknowns,
        )
        lines.append(message.format(number=count(unknowns), token=unknown))
    own_offsets = [
        span for span, of in zip(encoding.offsets, encoding.sequence_ids, strict=True) if of == sequence
    ]
    prefix = view.tokenizer.model.vocabulary.prefix
    if prefix and prefix in back and prefix not in text:
        message = _(
            "The decoder for this way of splitting leaves {prefix} in place: the two are rarely used together."
        )
        lines.append(message.format(prefix=prefix))
    return [*lines, *decoder_losses(view.tokenizer.decoder, text, result, own_offsets)]


def decoder_losses(decoder: Decoder, text: str, journey: Journey, offsets: Sequence[Span]) -> list[str]:
    """A decoder's changes."""
    lines = []
    words = [(word.start, word.end) for word in journey.words]
    if isinstance(decoder, MetaspaceDecoder):
        if decoder.prepend_scheme != "never" and text[:1] == " ":
            lines.append(
                _("The decoder assumes that the first ▁ was added in front of the text, and drops it.")
            )
        if SPACE_MARK in text:
            lines.append(_("The decoder reads every ▁ as a space, including the text's own."))
    elif isinstance(decoder, SpaceDecoder) and touching(offsets):
        lines.append(_("The decoder joins tokens with spaces: no token says that it continues a word."))
    elif isinstance(decoder, WordPieceDecoder) and touching(words):
        lines.append(
            _("The decoder puts a space before every word and punctuation mark, even where there was none.")
        )
    if journey.dropped and isinstance(decoder, (SpaceDecoder, WordPieceDecoder, BpeDecoder)):
        lines.append(_("The decoder writes one space between words, whatever was there."))
    return lines


def touching(spans: Sequence[Span]) -> bool:
    """Whether two neighbouring spans touch.

    >>> touching([(0, 2), (3, 5)]), touching([(0, 2), (2, 5)])
    (False, True)
    """
    return any(first[1] == second[0] for first, second in pairwise(spans))


class BoundedComparison(SequenceMatcher[str]):
    """A comparison of two texts with a limit on its cost: if only single letters agree, the time grows with
    the third power.

    When the limit is reached, the rest counts as different.
    """

    def __init__(self, text: str, back: str) -> None:
        super().__init__(None, text, back, autojunk=False)
        positions = {letter: back.count(letter) for letter in {*text}}
        self.costs = [positions[letter] for letter in text]
        self.left = COMPARISONS

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        self.left -= sum(self.costs[alo:ahi])
        return super().find_longest_match(alo, ahi, blo, bhi) if self.left > 0 else Match(alo, blo, 0)


def difference_html(text: str, back: str) -> str:
    """Two texts, one above the other; parts of only one of them are marked."""
    first: list[str] = []
    second: list[str] = []
    for kind, start, end, begin, stop in BoundedComparison(text, back).get_opcodes():
        same = kind == "equal"
        for parts, part, mark in ((first, text[start:end], "del"), (second, back[begin:stop], "ins")):
            if part:
                pieces = (part[at : at + TOKEN_SHOWN] for at in range(0, len(part), TOKEN_SHOWN))
                parts.append(escape(part) if same else f"<{mark}>{''.join(map(token_html, pieces))}</{mark}>")
    return (
        '<dl class="ts decoded">'
        + _entry(_("Before"), "".join(first))
        + _entry(_("After"), "".join(second))
        + "</dl>"
    )
