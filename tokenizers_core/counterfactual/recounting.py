"""A run's corpus with one count changed, and the same training on it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from tokenizers_core.errors import Phrase, SettingError
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.training.algorithms import ALGORITHMS, KINDS, AnyTrace
from tokenizers_core.training.bpe import BpeTrace, train_bpe
from tokenizers_core.training.kinds.paritybpe import ParityTrace
from tokenizers_core.training.kinds.superbpe import SuperTrace
from tokenizers_core.training.merge_trace import MergeTrace

Retrained = TypeVar("Retrained", bound=AnyTrace)


def with_count(corpus: Corpus, word: str, count: int) -> Corpus:
    """The corpus with `word` occurring `count` times: 0 leaves it out, and a new word comes last.

    Raises SettingError for a negative count, and if no word is left at all.

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
    remaining = {name: number for name, number in counts.items() if number}
    return dataclasses.replace(
        corpus,
        words=tuple(remaining),
        counts=tuple(remaining.values()),
        ends=tuple(min(ends.get(name, 0), number) for name, number in remaining.items()) if ends else (),
    )


def corpus_of(trace: AnyTrace | MergeTrace, step: int) -> Corpus:
    """The corpus behind the choice of a step."""
    if isinstance(trace, ParityTrace):
        return trace.chosen_corpus(max(0, step - 1))
    return trace.corpus_at(max(0, step - 1)) if isinstance(trace, MergeTrace) else trace.corpus


def recounted(trace: AnyTrace, step: int, word: str, count: int) -> dict[str, Any]:
    """The arguments to retrain a run with one changed count in the corpus behind step `step`: see
    `with_count`."""
    if isinstance(trace, ParityTrace):
        changed = corpus_of(trace, step)
        language = next(
            name for name, corpus in trace.corpora.items() if corpus is changed or word in corpus.words
        )
        corpus = with_count(trace.corpora[language], word, count)
        return {"corpus": {**trace.corpora, language: corpus}, "parallel": trace.parallel}
    if isinstance(trace, SuperTrace):
        if trace.in_stage_2(max(0, step - 1)):
            return {"corpus": trace.corpus, "stretches": with_count(trace.stretches, word, count)}
        return {"corpus": with_count(trace.corpus, word, count), "stretches": trace.stretches}
    return {"corpus": with_count(trace.corpus, word, count)}


def retrain(trace: Retrained, corpus: Any, steps: int, **others: Any) -> Retrained:
    """The same training on another corpus, for `steps` steps (of merging, merges) at most; `others` as in
    `recounted`. Raises the errors of the training function."""
    settings: dict[str, Any] = dict(trace.settings)
    if trace.ranked_by == "loss":
        settings["steps"] = steps
    else:
        wanted = settings["merges"]
        settings["merges"] = steps if wanted is None else min(wanted, steps)
    result = KINDS[trace.kind] if isinstance(trace, BpeTrace) else ALGORITHMS[trace.algorithm]
    train: Callable[..., Any] = result.train
    if train is not train_bpe:
        settings.pop("continuing_subword_prefix", None)  # always the same
    again: Retrained = train(corpus, special_tokens=trace.special_tokens, **settings, **others)
    return again
