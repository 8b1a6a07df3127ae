"""A new tokenizer from an old one: the same stages, trained on another corpus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from tokenizers_core import Tokenizer, tokenizer_to_json
from tokenizers_core.encoding.templates import Template
from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.training.algorithms import AnyTrace
from tokenizers_core.training.bpe import BpeTrace
from tokenizers_core.training.kinds.superbpe import SuperTrace
from tokensteps.bounded import bounded
from tokensteps.catalogue.files.library import Stages
from tokensteps.catalogue.files.loaded import LoadedSubject
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer, TrainedSubject
from tokensteps.language.i18n import N_
from tokensteps.limits import RENEWED_ROOM
from tokensteps.runs.algorithms import ALGORITHMS, BPE, Algorithm, Run
from tokensteps.runs.corpora import Source
from tokensteps.runs.rules import RENEW_RULES
from tokensteps.runs.trainings import LEAST_COUNT, Written, go_on, seed_for

OWN_OF_KIND: Final[Mapping[str, tuple[str, ...]]] = {
    "plain": (),
    "superbpe": ("second_pattern", "most_words"),
    "pickybpe": ("threshold",),
    "paritybpe": ("global_merges", "window"),
    "sentencepiece_bpe": (
        "tie_rule",
        "max_token_length",
        "initial_alphabet",
        "character_coverage",
        "byte_fallback",
    ),
}
"""A kind of BPE → its own settings for a new tokenizer to take over."""


class Heritage(NamedTuple):
    """A new tokenizer's inheritance from an old one: everything except the vocabulary."""

    algorithm: str
    pipeline: Pipeline
    special_tokens: tuple[str, ...]
    template: Template | None
    size: int
    """Tokens of the old one: the new one gets as many, unless the learner says otherwise."""
    settings: Mapping[str, Any]
    """Arguments of the training function."""

    def run(self, source: Source, size: int) -> Run[AnyTrace]:
        """The training of the new one."""
        settings = {**self.settings, "vocab_size": size, "special_tokens": self.special_tokens}
        if self.algorithm == "unigram":
            settings["seed_size"] = seed_for(size)
        return Run(ALGORITHMS[self.algorithm], source, self.pipeline, settings)

    def tokenizer(self, trace: AnyTrace) -> Tokenizer:
        """The new tokenizer, from its trace."""
        unknown = next(
            (token for token in self.special_tokens if token.strip("[<|>]").lower() == "unk"), None
        )
        result = trace.tokenizer(unk_token=unknown) if unknown else trace.tokenizer()
        return result.with_options(template=self.template)


def as_written(subject: ShownTokenizer) -> Written:
    """A BPE tokenizer, to extend or to trim. Raises RenewalError for another, and the errors of reading its
    file."""
    if subject.algorithm != BPE.title:
        raise RenewalError(subject.algorithm)
    if isinstance(subject, TrainedSubject):
        return Written(tokenizer_to_json(subject.tokenizer))
    assert isinstance(subject, LoadedSubject)  # there are no others
    return Written(subject.written)


@bounded(RENEWED_ROOM, lambda _tokenizer, old: 10 * len(old.document))
def tokenizer_of(old: Written) -> Tokenizer:
    """The tokenizer itself; cached for reruns of a page. Raises the errors of `Written.tokenizer`."""
    return old.tokenizer()


class RenewalError(TokenizersCoreError):
    """A tokenizer can only be retrained.

    >>> print(RenewalError("Unigram"))
    Only BPE's training can go on, and only BPE's merges can be trimmed; this tokenizer is Unigram: train it anew, or choose another.
    """  # noqa: W505

    template = N_(
        "Only BPE's training can go on, and only BPE's merges can be trimmed; this tokenizer is {algorithm}: train it anew, or "
        "choose another."
    )

    def __init__(self, algorithm: str) -> None:
        super().__init__(algorithm=algorithm)


GO_ON: Final = Algorithm("bpe", BPE.title, RENEW_RULES, lambda _recipe, _pipeline: {}, go_on)
"""BPE's training, gone on with."""


def continued(handed: Heritage, old: Written, source: Source, more: int) -> Run[AnyTrace]:
    """The training that extends a tokenizer by so many merges."""
    rules = {name: handed.settings[name] for name in ("min_frequency", "tie_rule")}
    return Run(GO_ON, source, handed.pipeline, {"model": "bpe", "extend": old, "merges": more, **rules})


def heritage(subject: ShownTokenizer) -> Heritage:
    """A tokenizer's inheritance. Raises LackingPartError, TokenizerFileError if the engine lacks one of its
    parts.

    >>> from tokenizers_core import Corpus, train_bpe
    >>> trace = train_bpe(Corpus.from_texts(["to be or not to be"]), merges=2, special_tokens=["<s>"])
    >>> found = heritage(TrainedSubject("mine", trace.tokenizer(), trace, len(trace)))
    >>> found.algorithm, found.pipeline.pre_tokenizer, found.special_tokens, found.size
    ('bpe', 'byte_level', ('<s>', '[UNK]'), 10)
    """
    if isinstance(subject, TrainedSubject):
        old, trace = subject.tokenizer, subject.trace
        # The tokenizer of SuperBPE cuts stretches: its training corpus has words.
        pipeline = trace.corpus.pipeline if isinstance(trace, SuperTrace) else old.pipeline
        parts = Stages(trace.algorithm, pipeline, old.special_tokens, old.template)
        symbols = old.tokens
    elif isinstance(subject, LoadedSubject):
        parts = subject.stages()
        symbols = list(subject.all_tokens())
    else:
        raise TypeError(f"{type(subject).__name__} is no tokenizer to inherit from.")
    settings: dict[str, Any] = (
        {"method": "sentencepiece"} if parts.algorithm == "unigram" else {"min_frequency": LEAST_COUNT}
    )
    if parts.algorithm == "bpe":
        whole = parts.pipeline.byte_level and {*BYTE_TO_SYMBOL} <= {*symbols}
        settings |= {"alphabet": "bytes" if whole else "corpus", "tie_rule": "lowest_ids"}
    if isinstance(subject, TrainedSubject) and isinstance(trace := subject.trace, BpeTrace):
        own = {name: trace.settings[name] for name in OWN_OF_KIND[trace.kind] if name in trace.settings}
        settings |= {"kind": trace.kind, **own} if own else {}
    return Heritage(*parts, subject.size, settings)
