"""A tokenizer at work on 1 MB, beside `tokenizers` and `tiktoken` with the same vocabulary, all on one thread.

Each figure is a ratio to the `tokenizers` library, which does the same: text to ids, text to tokens with offsets, ids to text.
`tiktoken` has no offsets; its seconds, and the ratio to them, stand in the last column. The ids are compared before anything is
measured. It takes half a minute on a machine that has nothing else to do.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

import tiktoken
import tokenizers

from benchmarks.measure import Result, Work, cpu_seconds, side_by_side
from benchmarks.playground import both
from benchmarks.text import long_prose
from tokenizers_core import Tokenizer
from tokenizers_core.text.byte_alphabet import symbols_to_bytes
from tokenizers_core.text.patterns import PATTERNS
from tokenizers_core.training.bpe import BpeModel

SIZE = 1_000_000


def fresh(tokenizer: Tokenizer) -> Tokenizer:
    """The same tokenizer, which has encoded no word yet."""
    model = tokenizer.model
    if not isinstance(model, BpeModel):
        raise TypeError("the benchmark's tokenizer is BPE")
    return Tokenizer(tokenizer.pipeline, BpeModel(tokenizer.tokens, model.merges))


def openai(tokenizer: Tokenizer) -> tiktoken.Encoding:
    """The same tokenizer in `tiktoken`."""
    ranks = {symbols_to_bytes(token): rank for rank, token in enumerate(tokenizer.tokens)}
    return tiktoken.Encoding("ours", pat_str=PATTERNS["gpt2"], mergeable_ranks=ranks, special_tokens={})


def aligned(encoding: Any) -> object:
    """What an encoding's tokens are, and where."""
    return encoding.tokens, encoding.offsets


def encoding(repeats: int) -> Iterator[Result]:
    """Ids the first time and again, tokens with offsets, and back to text."""
    subject, theirs = both()
    theirs.decoder = tokenizers.decoders.ByteLevel()
    ours, third = subject.tokenizer, openai(subject.tokenizer)
    text = long_prose(SIZE)
    ids = ours.ids(text)
    if not ids == theirs.encode(text).ids == third.encode_ordinary(text):
        raise RuntimeError("the tokenizers give different ids")
    if not ours.decode(ids) == theirs.decode(ids) == third.decode(ids):
        raise RuntimeError("the tokenizers give different texts")
    rows: tuple[tuple[str, Work, Work, Work | None, float, float], ...] = (
        ("ids, the first time", lambda: fresh(ours).ids(text), lambda: theirs.encode(text).ids, lambda: third.encode_ordinary(text), 0.6, 1.0),
        ("ids, again", lambda: ours.ids(text), lambda: theirs.encode(text).ids, lambda: third.encode_ordinary(text), 0.3, 0.6),
        ("tokens with offsets", lambda: aligned(ours.encode(text)), lambda: aligned(theirs.encode(text)), None, 1.0, 1.5),
        ("decoding", lambda: ours.decode(ids), lambda: theirs.decode(ids), lambda: third.decode(ids), 1.0, 1.5),
    )  # fmt: skip
    for name, mine, other, last, aim, limit in rows:
        first, second = side_by_side(mine, other, repeats)
        detail = f"{first:.3f} s : {second:.3f} s"
        if last:
            third_time = median(cpu_seconds(last) for _ in range(repeats))
            detail += f", tiktoken {third_time:.3f} s ({first / third_time:.1f} ×)"
        yield Result(f"{name}, 1 MB : tokenizers", first / second, "×", aim, limit, detail)


ALL = (encoding,)
