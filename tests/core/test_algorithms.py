"""The registry of algorithms: one entry each, under the name in its traces."""

from __future__ import annotations

import pytest

from tokenizers_core import Corpus
from tokenizers_core.training.algorithms import ALGORITHMS

CORPUS = Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})


@pytest.mark.parametrize("name", ALGORITHMS)
def test_an_entry_trains_its_own_algorithm(name: str) -> None:
    algorithm = ALGORITHMS[name]
    trace = algorithm.train(CORPUS, vocab_size=12)
    assert type(trace) is algorithm.trace and trace.algorithm == algorithm.name == name


def test_a_missing_entry_raises() -> None:
    with pytest.raises(KeyError):
        ALGORITHMS["sentencepiece"]
