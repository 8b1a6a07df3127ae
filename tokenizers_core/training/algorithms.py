"""The algorithms for training, each under its name: the one list of them.

A fourth algorithm joins here, and everything based on `ALGORITHMS` knows it: the command line, the app's
trainings and titles. An unknown name raises KeyError. Code that depends on the kind of steps checks
`ranked_by`, not the name: "count" and "score" merge, "loss" prunes.

>>> [algorithm.title for algorithm in ALGORITHMS.values()]
['BPE', 'WordPiece', 'Unigram']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Generic, Literal, TypeVar

from tokenizers_core.training.bpe import BpeTrace, train_bpe
from tokenizers_core.training.kinds.paritybpe import ParityTrace, train_paritybpe
from tokenizers_core.training.kinds.pickybpe import PickyTrace, train_pickybpe
from tokenizers_core.training.kinds.sentencepiece_bpe import PieceBpeTrace, train_sentencepiece_bpe
from tokenizers_core.training.kinds.superbpe import SuperTrace, train_superbpe
from tokenizers_core.training.merge_trace import MergeTrace
from tokenizers_core.training.unigram import train_unigram
from tokenizers_core.training.unigram_trace import UnigramTrace
from tokenizers_core.training.wordpiece import WordPieceTrace, train_wordpiece

AnyTrace = MergeTrace | UnigramTrace
"""A recorded run of any of the algorithms."""
Trained_co = TypeVar("Trained_co", bound=AnyTrace, covariant=True)


@dataclass(frozen=True)
class Algorithm(Generic[Trained_co]):
    """One algorithm: its names, its training function, and the trace this function makes."""

    name: str
    """As in code, links and options: its trace's `algorithm`."""
    title: str
    """As people write it. A proper name, so it is not translated."""
    train: Callable[..., Trained_co]
    """Called with a corpus, `vocab_size=`, `special_tokens=`, `progress=`, and settings of its own."""
    trace: type[Trained_co]
    own: Mapping[str, Any] = field(default_factory=dict)
    """Its own settings in place of the usual ones."""

    @property
    def ranked_by(self) -> Literal["count", "score", "loss"]:
        """The kind of value that decides its next step."""
        return self.trace.ranked_by


BPE: Final = Algorithm("bpe", "BPE", train_bpe, BpeTrace)
WORDPIECE: Final = Algorithm("wordpiece", "WordPiece", train_wordpiece, WordPieceTrace)
UNIGRAM: Final = Algorithm("unigram", "Unigram", train_unigram, UnigramTrace)

ALGORITHMS: Final[Mapping[str, Algorithm[AnyTrace]]] = MappingProxyType(
    {algorithm.name: algorithm for algorithm in (BPE, WORDPIECE, UNIGRAM)}
)
"""Name → algorithm, in teaching order."""

KINDS: Final[Mapping[str, Algorithm[BpeTrace]]] = MappingProxyType(
    {
        kind.trace.kind: kind
        for kind in (
            Algorithm("bpe", "BPE", train_bpe, BpeTrace),
            Algorithm("bpe", "SuperBPE", train_superbpe, SuperTrace),
            Algorithm("bpe", "PickyBPE", train_pickybpe, PickyTrace),
            Algorithm("bpe", "Parity-aware BPE", train_paritybpe, ParityTrace),
            Algorithm(
                "bpe", "SentencePiece's BPE", train_sentencepiece_bpe, PieceBpeTrace, {"tie_rule": "shortest"}
            ),
        )
    }
)
"""Kind of BPE, as in links and options → its title, its training and its trace; the plain one first."""

EVERY_RUN: Final[Mapping[str, Algorithm[AnyTrace]]] = MappingProxyType(
    {**ALGORITHMS, **{name: kind for name, kind in KINDS.items() if name != BpeTrace.kind}}
)
"""Name → everything trainable: the algorithms, then the newer kinds of BPE."""
