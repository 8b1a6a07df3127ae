"""How long a training is likely to take: an estimate from the algorithm, its settings and the unread text.

Bytes alone don't tell: 600 letters without a space are one word with 180,000 pieces, and Unigram prunes them
for seconds. The factors are below; `tests/app/server/test_costs.py` has the measurements behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.training.algorithms import ALGORITHMS
from tokensteps.limits import SEED_LIMIT, WORD_LIMIT

LOOKED_AT: Final = 200_000
"""Bytes at the beginning of a text for an estimate of its words: this takes some milliseconds."""
READING_PACE: Final = 1e-6
"""Seconds to read a byte and split it into words: ten megabytes take ten."""


class Pace(NamedTuple):
    """Seconds of training: for each symbol of the different words, and for each step (a merge, or a piece of
    the seed) a fixed part, one for each byte of an average word, and one for each symbol of the corpus."""

    symbol: float
    step: float
    word: float
    corpus: float = 0.0


TRAINING_PACES: Final[Mapping[str, Pace]] = {
    "count": Pace(2e-6, 3.5e-5, 9e-8),
    "score": Pace(2e-6, 1.2e-4, 9e-8, 4e-9),
    "course": Pace(5e-5, 1e-4, 7e-7),
    "sentencepiece": Pace(1e-5, 2e-5, 8e-8),
}
"""By the number behind each decision, or Unigram's method. Fitted by hand to processor time on prose and
random letters of 300 to 40,000 characters, in one word or many, with vocabularies of 100 to 20,000 tokens and
seeds of 300 to 50,000 pieces: see `tests/app/server/test_costs.py`. The estimate is between a quarter and
eight times the real time: it ignores the rules for cutting words."""

_NAMES: Final[Mapping[Callable[..., Any], str]] = {one.train: name for name, one in ALGORITHMS.items()}


class Shape(NamedTuple):
    """The rough make-up of a text."""

    symbols: float
    """Bytes of its different words, each once."""
    word: float
    """Bytes of an average symbol's word: long words count as often as they are long."""
    pieces: float
    """Pieces of all lengths in its words, at most."""


def shape_of(data: bytes, pipeline: Pipeline) -> Shape:
    """Measure the beginning of a text, and take the rest to be like it.

    >>> shape_of(b"hug hug pug", Pipeline())
    Shape(symbols=6.0, word=3.0, pieces=12.0)
    """
    start = data[:LOOKED_AT]
    words = {*(start.split(b"\n") if pipeline.pre_tokenizer == "none" else start.split())}
    lengths = [min(len(word), WORD_LIMIT) for word in words]
    more = len(data) / max(1, len(start))
    symbols = sum(lengths)
    squares = sum(length * length for length in lengths)
    return Shape(more * symbols, squares / max(1, symbols), more * (squares + symbols) / 2)


def expected_seconds(
    train: Callable[..., Any], settings: Mapping[str, Any], data: bytes, pipeline: Pipeline
) -> float:
    """Seconds of a training, to within a factor of eight or so. A function from outside the algorithms may
    train all three."""
    shape = shape_of(data, pipeline)
    name = _NAMES.get(train) or str(settings.get("model", "bpe" if "alphabet" in settings else ""))
    names = [name] if name in ALGORITHMS else [*ALGORITHMS]
    return READING_PACE * len(data) + sum(_training(name, settings, shape) for name in names)


def _training(name: str, settings: Mapping[str, Any], shape: Shape) -> float:
    kind: str = ALGORITHMS[name].ranked_by
    if kind == "loss":
        kind = str(settings.get("method") or "course")
        steps = min(float(settings.get("seed_size") or SEED_LIMIT), shape.pieces)
    else:
        size = settings.get("vocab_size") or settings.get("merges") or shape.symbols
        steps = min(float(size), shape.symbols)
    pace = TRAINING_PACES[kind]
    return shape.symbols * pace.symbol + steps * (
        pace.step + pace.word * shape.word + pace.corpus * shape.symbols
    )
