"""The three algorithms as the app runs them: their rules, the engine's function, and a run of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tokenizers_core.text.pipeline import Pipeline
from tokensteps.runs.corpora import Source
from tokensteps.runs.rules import BPE_RULES, UNIGRAM_RULES, WORDPIECE_RULES, Setting
from tokensteps.runs.settings import Recipe, special_tokens
from tokensteps.runs.trainings import TRAINERS
from tokensteps.server.stores import digest
from tokensteps.server.tasks import Progress, Task
from tokensteps.server.traces import train


@dataclass(frozen=True)
class Algorithm:
    """One way to train a tokenizer."""

    name: str
    """Its page's place in the URL and in session state."""
    title: str
    rules: Sequence[Setting]
    settings: Callable[[Recipe, Pipeline], dict[str, Any]]
    """The arguments of `train` that a recipe's rules stand for."""
    train: Callable[..., Any]
    """From a corpus, `progress` and the settings to a trace."""

    def run(self, recipe: Recipe) -> Run | None:
        """What a recipe asks for; None while it has no corpus. Raises what `Recipe.pipeline` raises."""
        source = recipe.source()
        if source is None:
            return None
        pipeline = recipe.pipeline(source)
        return Run(self, source, pipeline, self.settings(recipe, pipeline))


@dataclass(frozen=True)
class Run:
    """A training run as a page asks for it: algorithm, corpus, pipeline and settings."""

    algorithm: Algorithm
    source: Source
    pipeline: Pipeline
    settings: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What makes a run this one and no other."""
        source = (digest(self.source.data), self.source.counts, self.source.lines)
        return digest(
            repr((self.algorithm.name, source, self.pipeline, sorted(self.settings.items()))).encode()
        )

    def make(self, progress: Progress) -> Any:
        """Read the corpus and train: in a process of its own if it may take a while."""
        return train(
            self.name, Task(self.algorithm.train, self.source, self.pipeline, self.settings), progress
        )


def _merging(recipe: Recipe, _pipeline: Pipeline) -> dict[str, Any]:
    return {
        "vocab_size": recipe["size"],
        "min_frequency": recipe["min"] or 1,
        "special_tokens": special_tokens(recipe["special"]),
        "tie_rule": recipe["ties"],
    }


def _bpe_settings(recipe: Recipe, pipeline: Pipeline) -> dict[str, Any]:
    alphabet = recipe["alphabet"] if pipeline.byte_level else "corpus"
    return {**_merging(recipe, pipeline), "alphabet": alphabet}


def _unigram_settings(recipe: Recipe, _pipeline: Pipeline) -> dict[str, Any]:
    return {
        "seed_size": recipe["seed"] or 1000,
        "vocab_size": recipe["size"],
        "method": recipe["method"],
        "exact": recipe["exact"] and recipe["method"] == "course",
        "whole_words": recipe["whole"],
        "special_tokens": special_tokens(recipe["special"]),
    }


BPE = Algorithm("bpe", "BPE", BPE_RULES, _bpe_settings, TRAINERS["bpe"])
WORDPIECE = Algorithm("wordpiece", "WordPiece", WORDPIECE_RULES, _merging, TRAINERS["wordpiece"])
UNIGRAM = Algorithm("unigram", "Unigram", UNIGRAM_RULES, _unigram_settings, TRAINERS["unigram"])
ALGORITHMS: Mapping[str, Algorithm] = {one.name: one for one in (BPE, WORDPIECE, UNIGRAM)}
