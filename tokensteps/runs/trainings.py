"""Training that is more than one call of the engine. Without Streamlit, as it runs in a worker process: see
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
from tokensteps.server.stores import digest

SEED_FACTOR: Final = 4
"""Unigram's seed vocabulary has this many times the pieces that are to remain."""
LEAST_COUNT: Final = 2
"""A pair that occurs once in a corpus says nothing of its language."""


def seed_for(size: int) -> int:
    """How many pieces Unigram starts from, to end with `size` of them."""
    return min(SEED_LIMIT, SEED_FACTOR * size)


def train_all(corpus: Corpus, runs: Sequence[str] = tuple(ALGORITHMS), **settings: Any) -> Comparison:
    """A comparison with its sweep computed, as that takes long and belongs to the job that the page waits
    for.

    Raises what `compare` and `languages_of` raise; the errors name the page's controls.
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
    """A tokenizer as the content of its tokenizer.json, on its way to where training goes on with it."""

    document: str

    def __repr__(self) -> str:
        """Short, and another one for every other tokenizer: a run is named by its settings."""
        return f"Written({digest(self.document.encode())})"

    def tokenizer(self) -> Tokenizer:
        """Raises what `tokenizer_from_json` raises."""
        return tokenizer_from_json(self.document)


def go_on(corpus: Corpus, model: str, extend: Written, **settings: Any) -> AnyTrace:
    """The training of a tokenizer, gone on with on another corpus."""
    return ALGORITHMS[model].train(corpus, extend=extend.tokenizer(), **settings)


def train_model(
    corpus: Corpus,
    model: str,
    vocab_size: int,
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
