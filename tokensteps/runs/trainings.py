"""What the app trains beyond one call of the engine. Without Streamlit: it happens in a process of its own, see `tokensteps/server/workers.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from tokenizers_core import Corpus
from tokenizers_core.errors import SettingError, VocabSizeError
from tokenizers_core.training.algorithms import ALGORITHMS
from tokenizers_core.training.comparison import Comparison, compare
from tokensteps.language.i18n import N_
from tokensteps.limits import SEED_LIMIT

SEED_FACTOR: Final = 4
"""How many times its size Unigram's vocabulary starts from."""
LEAST_COUNT: Final = 2
"""A pair that stands once in the corpus is no habit of it."""
TRAINERS: Final[Mapping[str, Callable[..., Any]]] = {
    name: algorithm.train for name, algorithm in ALGORITHMS.items()
}


def seed_for(size: int) -> int:
    """From how many pieces Unigram starts to end with `size`."""
    return min(SEED_LIMIT, SEED_FACTOR * size)


def train_all(corpus: Corpus, **settings: Any) -> Comparison:
    """A comparison with its sweep worked out: that belongs to the job that the page waits for.

    What can't be is told by the name that the page's control has.
    """
    try:
        comparison = compare(corpus, **settings)
    except VocabSizeError as error:
        error.template = N_(
            "Largest vocabulary: {vocab_size} is below the {what}'s {minimum} symbols; choose at least {minimum}."
        )
        raise
    except SettingError as error:
        if error.name == "seed_size":
            error.template = N_("Unigram's seed vocabulary: {value} can't be used; {reason}.")
        raise
    assert comparison.sweep  # a comparison has one size at least
    return comparison


def train_model(
    corpus: Corpus,
    model: str,
    vocab_size: int,
    special_tokens: tuple[str, ...],
    alphabet: str,
    **progress: Any,
) -> Any:
    """The model of the pipeline, trained with the usual rules of its algorithm."""
    own: dict[str, dict[str, Any]] = {
        "bpe": {"alphabet": alphabet, "min_frequency": LEAST_COUNT},
        "wordpiece": {"min_frequency": LEAST_COUNT},
        "unigram": {"method": "sentencepiece", "seed_size": seed_for(vocab_size)},
    }
    return TRAINERS[model](
        corpus, vocab_size=vocab_size, special_tokens=special_tokens, **own[model], **progress
    )
