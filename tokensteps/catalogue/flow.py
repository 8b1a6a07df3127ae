"""The effect of each stage of a `tokenizers` tokenizer on a text, from the library's own components.

The library's `Encoding` has only the end result. Its normalizer and pre-tokenizer are called here as in the
library itself: on the text between added tokens, which are cut out first, with the place of every stretch in
the whole text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from tokenizers import Encoding, NormalizedString, PreTokenizedString, Tokenizer

from tokenizers_core.encoding.templates import TemplatePiece
from tokenizers_core.text.spans import Span, Widened

Stretch = tuple[str, int, int]
"""A text, and the `start` and `end` of its original characters."""


class TextFlow(NamedTuple):
    """One text on its way to its tokens."""

    text: str
    normalized: list[Stretch]
    """Character by character."""
    words: list[Stretch]
    """The pre-tokens; added tokens are among them, whole."""
    ids: list[int]
    offsets: list[Span]
    word_ids: list[int]
    back: str
    """The decoder's text for the ids."""


class Flow(NamedTuple):
    """A text, or a pair of texts, on the way to ids, and back."""

    texts: tuple[TextFlow, ...]
    pieces: tuple[TemplatePiece, ...]
    """The post-processor's parts: the texts' places and its special tokens."""
    whole: str
    """All ids as text."""
    bare: str
    """The same without special tokens."""
    components: dict[str, str]
    """Normalizer, pre-tokenizer, post-processor and decoder, as the library names their kinds; "" for
    none."""


Widen = Callable[[str], Widened]
"""Makes the `Widened` of a text."""


def as_it_is(_text: str) -> Widened:
    """For a normalizer that never merges characters."""
    return Widened(())


def flow_of(tokenizer: Tokenizer, texts: Sequence[str], widen: Widen = as_it_is) -> Flow:
    """One text or two through all stages. Raises the library's errors."""
    plain = tokenizer.encode_batch([*texts], add_special_tokens=False)
    [full] = tokenizer.encode_batch([texts[0] if len(texts) == 1 else (texts[0], texts[1])])
    document = json.loads(tokenizer.to_str())
    stages = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
    return Flow(
        tuple(
            widened_flow(text_flow(tokenizer, text, encoding), widen(text))
            for text, encoding in zip(texts, plain, strict=True)
        ),
        _pieces(full, [len(encoding.ids) for encoding in plain]),
        tokenizer.decode(full.ids, skip_special_tokens=False),
        tokenizer.decode(full.ids, skip_special_tokens=True),
        {stage: " → ".join(_kinds(document.get(stage))) for stage in stages},
    )


def text_flow(tokenizer: Tokenizer, text: str, encoding: Encoding) -> TextFlow:
    """A text on its way; `encoding` is its own, without special tokens around it."""
    cut = [*added_in(tokenizer, text, encoding)]
    characters = _cut_apart(text, cut)
    words = _cut_apart(text, cut)
    if tokenizer.normalizer is not None:
        for one in (characters, words):
            one.normalize(tokenizer.normalizer.normalize)
    characters.split(lambda _at, part: [part[at : at + 1] for at in range(len(part.normalized))])
    if tokenizer.pre_tokenizer is not None:
        tokenizer.pre_tokenizer.pre_tokenize(words)
    whole = [(text[start:end], start, end) for start, end in cut]
    letters = [(text[at], at, at + 1) for start, end in cut for at in range(start, end)]
    return TextFlow(
        text,
        sorted([*_outside(characters, cut), *letters], key=_where_from),
        sorted([*_outside(words, cut), *whole], key=_where_from),
        list(encoding.ids),
        list(encoding.offsets),
        [0 if word is None else word for word in encoding.word_ids],
        tokenizer.decode(encoding.ids, skip_special_tokens=False),
    )


def words_in_text(tokenizer: Tokenizer, text: str) -> list[str]:
    """The pre-tokens of a text, without added tokens. Raises the library's errors."""
    [encoding] = tokenizer.encode_batch([text], add_special_tokens=False)
    cut = [*added_in(tokenizer, text, encoding)]
    words = _cut_apart(text, cut)
    if tokenizer.normalizer is not None:
        words.normalize(tokenizer.normalizer.normalize)
    if tokenizer.pre_tokenizer is not None:
        tokenizer.pre_tokenizer.pre_tokenize(words)
    return [word for word, _start, _end in _outside(words, cut)]


def widened_flow(flow: TextFlow, widened: Widened) -> TextFlow:
    """The same with all merged characters, where the library has one of them."""
    if not widened:
        return flow
    return flow._replace(
        normalized=[(text, *widened.of((start, end))) for text, start, end in flow.normalized],
        words=[(text, *widened.of((start, end))) for text, start, end in flow.words],
        offsets=[*map(widened.of, flow.offsets)],
    )


def added_in(tokenizer: Tokenizer, text: str, encoding: Encoding) -> Iterator[Span]:
    """The places of added tokens in the text. An id isn't enough: the unknown token has other text."""
    added = tokenizer.get_added_tokens_decoder()
    for identifier, (start, end) in zip(encoding.ids, encoding.offsets, strict=True):
        token, written = added.get(identifier), text[start:end]
        if token is None or start == end or (token.special and tokenizer.encode_special_tokens):
            continue  # special tokens may be plain text, and the model may make the same token of it
        wanted = token.content
        if token.normalized and tokenizer.normalizer is not None:
            wanted, written = map(tokenizer.normalizer.normalize_str, (wanted, written))
        if written.strip() == wanted.strip():
            yield start, end


def _cut_apart(text: str, cut: Sequence[Span]) -> PreTokenizedString:
    """A text cut before and after some stretches."""
    result = PreTokenizedString(text)
    edges = sorted({0, len(text), *(edge for span in cut for edge in span)})

    def pieces(_at: int, normalized: NormalizedString) -> list[NormalizedString]:
        return [part for start, end in pairwise(edges) if (part := normalized[start:end]) is not None]

    if cut:
        result.split(pieces)
    return result


def _outside(pre_tokenized: PreTokenizedString, cut: Sequence[Span]) -> list[Stretch]:
    """The stretches outside the added tokens; no stage touches those."""
    parts = pre_tokenized.get_splits(offset_referential="original", offset_type="char")
    return [
        (text, start, end)
        for text, (start, end), _tokens in parts
        if text and not any(first <= start and end <= last for first, last in cut)
    ]


def _where_from(one: Stretch) -> Span:
    return one[1], one[2]


def _pieces(full: Encoding, lengths: Sequence[int]) -> tuple[TemplatePiece, ...]:
    """The parts of a whole encoding; `lengths` are the numbers of each text's own tokens."""
    pieces: list[TemplatePiece] = []
    left = [number for number, length in enumerate(lengths) if length]
    at = 0
    while at < len(full.ids):
        kind = full.type_ids[at]
        if full.special_tokens_mask[at] or not left:
            pieces.append(TemplatePiece(full.tokens[at], None, kind))
            at += 1
            continue
        named = full.sequence_ids[at]
        number = named if named in left else left[0]
        left.remove(number)
        pieces.append(TemplatePiece(None, number, kind))
        at += lengths[number]
    for number, length in enumerate(lengths):  # texts without tokens have a place all the same
        if not length:
            edge = min(1, len(pieces)) if number == 0 else max(0, len(pieces) - 1)
            pieces.insert(edge, TemplatePiece(None, number, number))
    return tuple(pieces)


def _kinds(component: Any) -> list[str]:
    """The kinds of a component, or of its parts if it is a sequence.

    >>> _kinds({"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Lowercase"}]}), _kinds(None)
    (['NFC', 'Lowercase'], [])
    """
    if not isinstance(component, dict):
        return []
    within = [part for value in component.values() if isinstance(value, list) for part in value]
    kinds = [kind for part in within for kind in _kinds(part)]
    if component.get("type") == "Sequence":
        return kinds
    return [str(component["type"])] if "type" in component else []
