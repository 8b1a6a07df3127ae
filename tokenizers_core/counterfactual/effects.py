"""The effects of two runs on the same words: the words with different splits, and the tokens in all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tokenizers_core.counterfactual.divergence import VocabularyDifference
from tokenizers_core.encoding.tokenizer import Tokenizer
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.training.algorithms import AnyTrace
from tokenizers_core.training.kinds.superbpe import SuperTrace


class DivergingWord(NamedTuple):
    """A word with different splits by two tokenizers."""

    word: str
    frequency: int
    """How often it occurs in the first run's corpus, or in the second's if the first lacks it."""
    ours: tuple[str, ...]
    theirs: tuple[str, ...]


class Measure(NamedTuple):
    """A corpus's words, repetitions counted, and the number of their tokens."""

    words: int
    tokens: int

    @property
    def per_word(self) -> float:
        """Tokens per word."""
        return self.tokens / self.words


class Effects(NamedTuple):
    """The effects on the words at the same vocabulary size."""

    apart: tuple[DivergingWord, ...]
    """The words made by both pipelines and split differently, the most frequent first."""
    measures: tuple[Measure, Measure]
    """Each tokenizer on the first run's corpus; on its own corpus, if the runs' pipelines cut words by
    different rules or keep other symbols whole (each is a token). SuperBPE's words are counted in the tokens
    of its stretches."""


def effects(ours: AnyTrace, theirs: AnyTrace, at: VocabularyDifference) -> Effects:
    """Compare the tokenizers of two runs as they stand at the same size.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> from tokenizers_core.counterfactual.divergence import vocabulary_difference
    >>> runs = [
    ...     train_bpe(Corpus.from_counts({"hug": 10, "pug": pug, "pun": 12}), merges=2) for pug in (5, 30)
    ... ]
    >>> found = effects(*runs, vocabulary_difference(*runs))
    >>> [apart.word for apart in found.apart], [measure.tokens for measure in found.measures]
    (['pun', 'pug'], [52, 59])
    """
    tokenizers = [run.tokenizer(step) for run, step in zip((ours, theirs), at.steps, strict=True)]
    pipelines = [run.corpus.pipeline for run in (ours, theirs)]
    mine, yours = ((pipeline.rules, pipeline.user_defined_symbols) for pipeline in pipelines)
    same_rules = mine == yours
    corpora = (ours.corpus, ours.corpus if same_rules else theirs.corpus)
    cut = [
        run.corpus_at(step) if isinstance(run, SuperTrace) else corpus
        for run, step, corpus in zip((ours, theirs), at.steps, corpora, strict=True)
    ]
    measures = [
        Measure(
            corpus.total,
            sum(corpus.symbols_cut_out)
            + sum(count * len(ids) for _word, count, ids in encoded(tokenizer, parts)),
        )
        for tokenizer, corpus, parts in zip(tokenizers, corpora, cut, strict=True)
    ]
    counts = dict(ours.corpus.items())
    every = dict(theirs.corpus.items()) | counts if same_rules else counts
    shared = every if same_rules else {word: counts[word] for word in theirs.corpus.words if word in counts}
    apart = [
        DivergingWord(word, count, *splits)
        for word, count in shared.items()
        if (splits := [split(tokenizer, word) for tokenizer in tokenizers])[0] != splits[1]
    ]
    return Effects(tuple(sorted(apart, key=lambda one: -one.frequency)), (measures[0], measures[1]))


def split(tokenizer: Tokenizer, word: str) -> tuple[str, ...]:
    """A word's tokens, as the tokenizer encodes it."""
    return tuple(tokenizer.tokens[identifier] for identifier in tokenizer.model.encode_word(word))


def encoded(tokenizer: Tokenizer, corpus: Corpus) -> Iterator[tuple[str, int, tuple[int, ...]]]:
    """Each word of a corpus with its count and the ids of its tokens."""
    return ((word, count, tokenizer.model.encode_word(word)) for word, count in corpus.items())
