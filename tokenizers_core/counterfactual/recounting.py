"""A run's corpus with one count changed, and the same training on it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from tokenizers_core.errors import Phrase, SettingError
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.training.algorithms import ALGORITHMS, AnyTrace

Retrained = TypeVar("Retrained", bound=AnyTrace)


def with_count(corpus: Corpus, word: str, count: int) -> Corpus:
    """The corpus with `word` occurring `count` times: 0 leaves it out, and a word that wasn't there comes last.

    Raises SettingError for a negative count, and for one that leaves no word at all.

    >>> corpus = Corpus.from_counts({"hug": 10, "pug": 5})
    >>> [dict(with_count(corpus, *change).items()) for change in (("pug", 7), ("hug", 0), ("pun", 1))]
    [{'hug': 10, 'pug': 7}, {'pug': 5}, {'hug': 10, 'pug': 5, 'pun': 1}]
    """
    if count < 0 or (count == 0 and corpus.words == (word,)):
        raise SettingError(
            name="count", value=count, reason=Phrase("choose at least {least}", least=int(count == 0))
        )
    counts = dict(corpus.items()) | {word: count}
    ends = dict(zip(corpus.words, corpus.ends, strict=False))
    kept = {name: number for name, number in counts.items() if number}
    return dataclasses.replace(
        corpus,
        words=tuple(kept),
        counts=tuple(kept.values()),
        ends=tuple(min(ends.get(name, 0), number) for name, number in kept.items()) if ends else (),
    )


def retrain(trace: Retrained, corpus: Corpus, steps: int) -> Retrained:
    """The same training on another corpus, for `steps` steps at most. Raises what the training function raises."""
    settings: dict[str, Any] = dict(trace.settings)
    if trace.algorithm == "unigram":
        settings["steps"] = steps
    else:
        asked = settings["merges"]
        settings["merges"] = steps if asked is None else min(asked, steps)
    if trace.algorithm == "wordpiece":
        del settings["continuing_subword_prefix"]  # always the same
    train: Callable[..., Any] = ALGORITHMS[trace.algorithm].train
    again: Retrained = train(corpus, special_tokens=trace.special_tokens, **settings)
    return again
