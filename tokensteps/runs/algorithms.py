"""The algorithms in the app: their rules, the engine's arguments for these, and runs.

Names, titles and training functions come from the engine's own list. An algorithm without rules here is a
KeyError.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, Generic, TypeVar

from tokenizers_core.encoding.models.lattice import MAX_PIECE_LENGTH
from tokenizers_core.encoding.models.wordpiece import MAX_CHARACTERS
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.training import algorithms as engine
from tokenizers_core.training.algorithms import EVERY_RUN, AnyTrace
from tokenizers_core.training.options.limits import Limits
from tokenizers_core.training.unigram import grown_seed
from tokensteps.language.i18n import N_
from tokensteps.limits import SEED_LIMIT
from tokensteps.runs.corpora import Source
from tokensteps.runs.kinds import WITH_TEXTS, kind_settings, own_settings, train_kind
from tokensteps.runs.rules import COMPARE_RULES, RULES_OF, USUAL_SEED, Setting
from tokensteps.runs.settings import Recipe, characters, read_url, special_tokens
from tokensteps.runs.trainings import train_all
from tokensteps.server.stores import digest
from tokensteps.server.tasks import Progress, Task
from tokensteps.server.traces import train

Traced_co = TypeVar("Traced_co", covariant=True)
Traced = TypeVar("Traced")
EngineSettings = Callable[[Recipe, Pipeline], dict[str, Any]]
"""From a learner's choices to the arguments of a training function."""


@dataclass(frozen=True, eq=False)
class Algorithm(Generic[Traced_co]):
    """The training of a page: an algorithm of the engine, or several at once."""

    name: str
    """Its page's name, in the URL and in session state."""
    title: str
    rules: Sequence[Setting]
    settings: EngineSettings
    train: Callable[..., Traced_co]
    """From a corpus, `progress` and the settings to a trace."""
    grows: bool = False
    """Whether the growing trace can be shown: `train` takes `growing`."""

    def run(self, recipe: Recipe) -> Run[Traced_co] | None:
        """The run of a recipe; None while it has no corpus. Raises the errors of `Recipe.pipeline`."""
        source = recipe.source()
        if source is None:
            return None
        pipeline = recipe.pipeline(source)
        return Run(self, source, pipeline, self.settings(recipe, pipeline))

    def run_at(self, url: Mapping[str, str]) -> Run[Traced_co]:
        """The run at an address of the app's own. Raises ValueError for an address without a corpus."""
        run = self.run(read_url(self.name, self.rules, url).recipe)
        if run is None:
            raise ValueError(f"{dict(url)} names no corpus; add one, such as corpus=hug.")
        return run


@dataclass(frozen=True)
class Run(Generic[Traced_co]):
    """A page's training run: algorithm, corpus, pipeline and settings."""

    algorithm: Algorithm[Traced_co]
    source: Source
    pipeline: Pipeline
    settings: Mapping[str, Any]

    @property
    def name(self) -> str:
        """A digest unique to this run."""
        source = (digest(self.source.data), self.source.counts, self.source.lines, *self.source.recount)
        return digest(
            repr((self.algorithm.name, source, self.pipeline, sorted(self.settings.items()))).encode()
        )

    @property
    def task(self) -> Task[Traced_co]:
        """The task for this process or another."""
        kinds = {self.settings.get("kind"), *self.settings.get("runs", ())}
        source = replace(self.source, texts=not WITH_TEXTS.isdisjoint(kinds))
        return Task(self.algorithm.train, source, self.pipeline, self.settings, self.algorithm.grows)

    def make(self, progress: Progress) -> Traced_co:
        """Read the corpus and train: in a process of its own if it may take a while."""
        return train(self.name, self.task, progress)


def _merging(recipe: Recipe) -> dict[str, Any]:
    return {
        "vocab_size": recipe["size"],
        "min_frequency": recipe["min"] or 1,
        "special_tokens": special_tokens(recipe["special"]),
        "tie_rule": recipe["ties"],
    }


def _limits(recipe: Recipe) -> dict[str, Any]:
    """The limits of a run of merges; only those that are set."""
    limits = Limits(
        max_token_length=recipe["longest"],
        limit_alphabet=recipe["letters"],
        initial_alphabet=characters(recipe["initial"]),
        character_coverage=float(recipe["coverage"]),
    )
    return limits.non_defaults()


def _wordpiece(recipe: Recipe, _pipeline: Pipeline) -> dict[str, Any]:
    return {
        **_merging(recipe),
        **_limits(recipe),
        "max_input_chars_per_word": recipe["maxword"] or MAX_CHARACTERS,
    }


def _bpe(recipe: Recipe, pipeline: Pipeline) -> dict[str, Any]:
    alphabet = recipe["alphabet"] if pipeline.byte_level else "corpus"
    shared = {**_merging(recipe), "alphabet": alphabet}
    if own := kind_settings(recipe):
        return {**shared, **own}
    fallback = {"byte_fallback": True} if recipe["bytes"] and not pipeline.byte_level else {}
    return {**shared, **_limits(recipe), **fallback}


def seed_pieces(requested: int | None, size: int | None) -> int:
    """The maximum size of Unigram's seed: the learner's number, or else the usual one, and more if the
    vocabulary's size needs it."""
    return requested or min(SEED_LIMIT, grown_seed(USUAL_SEED, size))


def _unigram(recipe: Recipe, _pipeline: Pipeline) -> dict[str, Any]:
    return {
        "seed_size": seed_pieces(recipe["seed"], recipe["size"]),
        "vocab_size": recipe["size"],
        "method": recipe["method"],
        "exact": recipe["exact"] and recipe["method"] == "course",
        "whole_words": recipe["whole"],
        "special_tokens": special_tokens(recipe["special"]),
        "max_piece_length": recipe["longest"] or MAX_PIECE_LENGTH,
        "initial_alphabet": characters(recipe["initial"]) if recipe["method"] == "sentencepiece" else (),
        "character_coverage": float(recipe["coverage"]),
        **({"byte_fallback": True} if recipe["bytes"] else {}),
    }


_SETTINGS_OF: Final[Mapping[str, EngineSettings]] = {
    "bpe": _bpe,
    "wordpiece": _wordpiece,
    "unigram": _unigram,
}


def _page_of(algorithm: engine.Algorithm[engine.Trained_co]) -> Algorithm[engine.Trained_co]:
    name = algorithm.name
    return Algorithm(name, algorithm.title, RULES_OF[name], _SETTINGS_OF[name], algorithm.train, grows=True)


BPE: Final = replace(_page_of(engine.BPE), train=train_kind)
WORDPIECE: Final = _page_of(engine.WORDPIECE)
UNIGRAM: Final = _page_of(engine.UNIGRAM)
ALGORITHMS: Final[Mapping[str, Algorithm[AnyTrace]]] = {
    name: _page_of(algorithm) for name, algorithm in engine.ALGORITHMS.items()
} | {"bpe": BPE}


def compared(runs: Collection[str]) -> tuple[str, ...]:
    """A learner's chosen runs, in the order of the columns."""
    return tuple(name for name in EVERY_RUN if name in runs)


def comparison_settings(recipe: Recipe, _pipeline: Pipeline) -> dict[str, Any]:
    """The engine's arguments for a comparison's rules."""
    runs = compared(recipe["runs"])
    kinds = {name: own for name in runs if (own := own_settings(recipe, name))}
    return {
        "runs": runs,
        "kinds": kinds,
        "vocab_size": recipe["size"],
        "tie_rule": recipe["ties"],
        "method": recipe["method"],
        "seed_size": recipe["seed"],
    }


COMPARE_ALGORITHM: Final = Algorithm("compare", N_("Compare"), COMPARE_RULES, comparison_settings, train_all)


def trace_at(algorithm: Algorithm[Traced], **url: str) -> Traced:
    """The trace of the run at an address, given by its parameters; trained once.

    >>> len(trace_at(BPE, corpus="hug")), trace_at(BPE, corpus="hug").event(1).token
    (7, 'ug')
    """
    trace: Traced = _trained_at(algorithm, tuple(sorted(url.items())))
    return trace


@lru_cache(maxsize=8)
def _trained_at(algorithm: Algorithm[Any], url: tuple[tuple[str, str], ...]) -> Any:
    return algorithm.run_at(dict(url)).make(Progress())
