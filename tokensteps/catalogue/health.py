"""Checking the vocabulary of any tokenizer: trained ones by the engine, ones from files by the library, which
encodes all texts.

Proofs about a tokenizer from files depend on the parts known to the engine: its model, normalizer and
pre-tokenizer. Nothing is claimed about unknown parts.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from tokenizers_core.encoding.models.base import Model
from tokenizers_core.encoding.tokenizer import Tokenizer
from tokenizers_core.errors import TokenizersCoreError, quoted
from tokenizers_core.files import models
from tokenizers_core.files.json_objects import Lacking, the_file
from tokenizers_core.files.tokenizer_json import from_document, parse_json, pipeline_of
from tokenizers_core.health.reach import Checked, CheckProgress
from tokenizers_core.health.report import Health, examine, health
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.text.splitting import has_own_pattern
from tokensteps.catalogue.files.library import Library
from tokensteps.catalogue.files.loaded import LoadedSubject
from tokensteps.catalogue.files.remote_tokenizer import RemoteTokenizer, readers
from tokensteps.catalogue.shipped import gpt2
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer, TrainedSubject
from tokensteps.language.i18n import N_
from tokensteps.limits import HEALTH_HERE, HEALTH_PACE, HEALTH_SECONDS
from tokensteps.server.tasks import Progress, TrainingError
from tokensteps.server.traces import workers

VERDICT_SIZE: Final = 600
"""Bytes of a token in a finished check, if it has any entry."""


class HealthError(TokenizersCoreError):
    """The check of a vocabulary failed. `why` is a key of `templates`."""

    templates: ClassVar[dict[str, str]] = {
        "time": N_("Checking {name} takes more than {seconds} seconds: choose a smaller vocabulary."),
        "lost": N_("The check of {name} ended early: try again, or choose a smaller vocabulary."),
    }

    def __init__(self, why: str, name: str) -> None:
        self.template = self.templates[why]
        super().__init__(name=quoted(name, 80), seconds=f"{HEALTH_SECONDS:g}")


def health_of(subject: ShownTokenizer, progress: Progress) -> Health:
    """Check a vocabulary: a small one here, others in a process of their own. Raises HealthError,
    EncodeError, Stopped, TrainingError.

    A stopped check has its results so far.
    """
    progress.phase, progress.doing, progress.total = "training", "checking", subject.size
    seconds = HEALTH_PACE * subject.size
    try:
        result = _checked(subject, seconds, progress)
    except TrainingError as error:
        if error.why == "busy":
            raise
        raise HealthError("time" if error.why == "time" else "lost", subject.name) from None
    progress.size = VERDICT_SIZE * (len(result.verdicts) + 500)
    return result


def _checked(subject: ShownTokenizer, seconds: float, progress: Progress) -> Health:
    if isinstance(subject, TrainedSubject):
        tokenizer = subject.tokenizer
        pipeline = tokenizer.pipeline
        own = has_own_pattern(pipeline.pre_tokenizer, pipeline.pattern) or bool(pipeline.own_patterns)
        if subject.size <= HEALTH_HERE and not own:
            return health(tokenizer, progress.steps)
        trained: Health = pickle.loads(workers().run(TrainedCheck(tokenizer, seconds), progress))
        return trained
    if isinstance(subject, LoadedSubject) and isinstance(subject.library, RemoteTokenizer):
        loaded: Health = subject.library.check(health_of_loaded, seconds, HEALTH_SECONDS, progress)
        return loaded
    shipped: Health = pickle.loads(readers().run(ShippedCheck(seconds), progress))
    return shipped


@dataclass(frozen=True)
class TrainedCheck:
    """The check of a trained tokenizer, in another process."""

    tokenizer: Tokenizer
    seconds: float
    limit: float = HEALTH_SECONDS

    def __call__(self, progress: Progress) -> Health:
        return health(self.tokenizer, progress.steps)


@dataclass(frozen=True)
class ShippedCheck:
    """The check of the app's own tokenizer, in another process, with a copy of its own."""

    seconds: float
    limit: float = HEALTH_SECONDS

    def __call__(self, progress: Progress) -> Health:
        return health_of_loaded(gpt2(), progress.steps)


# --- In the process with the files --------------------------------------------------------------------------


def health_of_loaded(subject: LoadedSubject, progress: CheckProgress | None = None) -> Health:
    """The health of a tokenizer of the library, in the process where it is. Raises EncodeError."""
    library = subject.library
    assert isinstance(library, Library)  # elsewhere the library's own tokenizer isn't there
    document = parse_json(library.tokenizer.to_str())
    model, pipeline = known_parts(document)
    # A respelled vocabulary is written in the engine's model as in the file.
    tokens: Sequence[str] = model.vocabulary.tokens if model else subject.all_tokens()
    apart = {*library.tokenizer.get_added_tokens_decoder()}
    if subject.unknown_id is not None:
        apart.add(subject.unknown_id)
    return examine(
        Checked(tokens, subject.token_bytes, library.ids, apart, model, pipeline),
        library.normalized if library.tokenizer.normalizer is not None else None,
        model.vocabulary.prefix if model else "",
        progress,
    )


def known_parts(document: object) -> tuple[Model | None, Pipeline | None]:
    """The model and the pipeline of a tokenizer.json as far as the engine has them, or else None.

    >>> known_parts(
    ...     {"model": {"type": "WordLevel", "vocab": {}}, "pre_tokenizer": {"type": "WhitespaceSplit"}}
    ... )[1].pre_tokenizer
    'whitespace_split'
    """
    try:
        tokenizer = from_document(document)
    except TokenizersCoreError:
        return _known_model(document), _known_pipeline(document)
    return tokenizer.model, tokenizer.pipeline if tokenizer.pipeline.only_named_parts else None


def _known_pipeline(document: object) -> Pipeline | None:
    try:
        return pipeline_of(document)
    except TokenizersCoreError:
        return None


def _known_model(document: object) -> Model | None:
    """The model alone: the results of merges, matches or scores don't depend on the other stages."""
    lacking = Lacking()
    try:
        file = the_file(document)
        added = models.added_tokens_of(file)
        part = file.part("model")
        match models.algorithm(file, lacking):
            case "bpe":
                return models.bpe_model(part, added, False, lacking)
            case "wordpiece":
                return models.wordpiece_model(part, added, lacking)
            case "unigram":
                return models.unigram_model(part, added, [one.token for one in added], lacking)
    except TokenizersCoreError:
        pass
    return None
