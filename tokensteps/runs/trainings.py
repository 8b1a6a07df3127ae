"""Training in more than one call of the engine. Without Streamlit, as it runs in a worker process: see
`tokensteps/server/workers.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tokenizers_core import Corpus, Tokenizer, tokenizer_from_json
from tokenizers_core.errors import Numbered, SettingError, VocabSizeError
from tokenizers_core.training.algorithms import ALGORITHMS, BPE, AnyTrace
from tokenizers_core.training.comparison import Comparison, compare
from tokensteps.language.i18n import N_
from tokensteps.limits import SEED_LIMIT
from tokensteps.runs.kinds import languages_of
from tokensteps.runs.rules import USUAL_SEED
from tokensteps.server.stores import digest

SEED_FACTOR: Final = 4
"""Size of Unigram's seed vocabulary, as a multiple of the wanted size."""
LEAST_COUNT: Final = 2
"""Minimum count of a pair: a single occurrence says nothing about the language."""


def seed_for(size: int | None) -> int:
    """The size of Unigram's seed, to end with `size` pieces; the usual one for only the characters."""
    return USUAL_SEED if size is None else min(SEED_LIMIT, SEED_FACTOR * size)


def train_all(corpus: Corpus, runs: Sequence[str] = tuple(ALGORITHMS), **settings: Any) -> Comparison:
    """A comparison with its sweep computed: that takes long, and the page waits for it as part of the job.

    Raises the errors of `compare` and `languages_of`, in the terms of the page's controls.
    """
    try:
        texts = languages_of(corpus, "superbpe" in runs) if "paritybpe" in runs else corpus
        comparison = compare(texts, runs=runs, **settings)
    except VocabSizeError as error:
        template = Numbered(
            N_(
                "Largest vocabulary: {vocab_size} is below the {what}'s {minimum} symbol; choose at least {minimum}."
            ),
            N_(
                "Largest vocabulary: {vocab_size} is below the {what}'s {minimum} symbols; choose at least {minimum}."
            ),
            by="minimum",
        )
        error.template = template.chosen(error.evidence)
        raise
    except SettingError as error:
        if error.name == "seed_size":
            error.template = N_("Unigram's seed vocabulary: {value} can't be used; {reason}.")
        raise
    assert comparison.sweep  # a comparison has one size at least
    return comparison


@dataclass(frozen=True)
class Written:
    """A tokenizer as the content of its tokenizer.json, on its way to continued training."""

    document: str

    def __repr__(self) -> str:
        """Short, and different for every tokenizer: the settings go into a run's name."""
        return f"Written({digest(self.document.encode())})"

    def tokenizer(self) -> Tokenizer:
        """The tokenizer itself. Raises the errors of `tokenizer_from_json`."""
        return tokenizer_from_json(self.document)


def go_on(corpus: Corpus, model: str, extend: Written, **settings: Any) -> AnyTrace:
    """Continue a tokenizer's training on another corpus."""
    return ALGORITHMS[model].train(corpus, extend=extend.tokenizer(), **settings)


def train_model(
    corpus: Corpus,
    model: str,
    vocab_size: int | None,
    special_tokens: tuple[str, ...],
    alphabet: str,
    **progress: Any,
) -> AnyTrace:
    """The pipeline's model, trained by its algorithm's usual rules."""
    algorithm = ALGORITHMS[model]
    own: dict[str, Any] = {"min_frequency": LEAST_COUNT}
    if algorithm.ranked_by == "loss":
        own = {"method": "sentencepiece", "seed_size": seed_for(vocab_size)}
    elif algorithm is BPE:
        own["alphabet"] = alphabet
    return algorithm.train(corpus, vocab_size=vocab_size, special_tokens=special_tokens, **own, **progress)
