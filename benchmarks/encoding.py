"""A tokenizer at work on 1 MB, beside `tokenizers` and `tiktoken` with the same vocabulary, all on one
thread.

Each figure is a ratio to the `tokenizers` library for the same work: text to ids, text to tokens with
offsets, ids to text. `tiktoken` has no offsets, and the ratio to it has rows of its own. The ids are compared
before anything is measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import tiktoken
import tokenizers

from benchmarks.measure import Result, Work, compared, side_by_side
from benchmarks.playground import both
from benchmarks.text import japanese, library_text, long_prose
from tokenizers_core import Tokenizer
from tokenizers_core.encoding.models.bpe import BpeModel
from tokenizers_core.text.byte_alphabet import symbols_to_bytes
from tokenizers_core.text.patterns import PATTERNS

SIZE = 1_000_000


def fresh(tokenizer: Tokenizer) -> Tokenizer:
    """The same tokenizer, with no words cached."""
    model = tokenizer.model
    if not isinstance(model, BpeModel):
        raise TypeError("the benchmark's tokenizer is BPE")
    return Tokenizer(tokenizer.pipeline, BpeModel(tokenizer.tokens, model.merges))


def openai(tokenizer: Tokenizer) -> tiktoken.Encoding:
    """The same tokenizer in `tiktoken`."""
    ranks = {symbols_to_bytes(token): rank for rank, token in enumerate(tokenizer.tokens)}
    return tiktoken.Encoding("ours", pat_str=PATTERNS["gpt2"], mergeable_ranks=ranks, special_tokens={})


def aligned(encoding: Any) -> object:
    """An encoding's tokens and their offsets."""
    return encoding.tokens, encoding.offsets


def encoding(repeats: int) -> Iterator[Result]:
    """Ids the first time and again, tokens with offsets, and back to text."""
    subject, theirs = both()
    theirs.decoder = tokenizers.decoders.ByteLevel()
    third = openai(subject.tokenizer)
    for name, text in (
        ("1 MB of prose", long_prose(SIZE)),
        ("1 MB of Python", library_text(SIZE)),
        ("300 KB of Japanese", japanese(SIZE // 10)),
    ):
        for what, mine, others, aim, limit in work(subject.tokenizer, theirs, third, text, repeats):
            for (peer, other), bounds in zip(others.items(), ((aim, limit), (3.3, 12.0)), strict=False):
                yield compared(f"{what}, {name} : {peer}", side_by_side(mine, other, repeats), *bounds)


def work(
    ours: Tokenizer, theirs: tokenizers.Tokenizer, third: tiktoken.Encoding, text: str, repeats: int
) -> Iterator[tuple[str, Work, dict[str, Work], float, float]]:
    """The kinds of work on a text: name, ours, the others', and the bounds of the ratio to `tokenizers`."""
    ids = ours.ids(text)
    if not ids == theirs.encode(text).ids == third.encode_ordinary(text):
        raise RuntimeError("the tokenizers give different ids")
    if not ours.decode(ids) == theirs.decode(ids) == third.decode(ids):
        raise RuntimeError("the tokenizers give different texts")
    to_ids: dict[str, Work] = {
        "tokenizers": lambda: theirs.encode(text).ids,
        "tiktoken": lambda: third.encode_ordinary(text),
    }
    new = iter([fresh(ours) for _ in range(len(to_ids) * repeats)])  # made before, as the others' are
    yield "ids, the first time", lambda: next(new).ids(text), to_ids, 0.67, 1.0
    yield "ids, again", lambda: ours.ids(text), to_ids, 0.3, 0.6
    offsets: dict[str, Work] = {"tokenizers": lambda: aligned(theirs.encode(text))}
    yield "tokens with offsets", lambda: aligned(ours.encode(text)), offsets, 1.0, 1.5
    back: dict[str, Work] = {"tokenizers": lambda: theirs.decode(ids), "tiktoken": lambda: third.decode(ids)}
    yield "decoding", lambda: ours.decode(ids), back, 1.0, 1.5


ALL = (encoding,)
