"""Step through Unigram training."""

from __future__ import annotations

from typing import Final

from tokenizers_core.encoding.models.lattice import Lattice
from tokenizers_core.encoding.models.unigram import best_split
from tokenizers_core.training import segmentation, unigram
from tokensteps.language.i18n import N_, _
from tokensteps.pages.train.page import TrainPage, show_training
from tokensteps.pages.train.pruning import PRUNE_FILES, prune_tabs
from tokensteps.runs.algorithms import UNIGRAM
from tokensteps.widgets.controls import Controls


def lead(controls: Controls) -> str:
    """The chosen method's work, under the page's title."""
    if controls["method"] == "sentencepiece":
        return _(
            "SentencePiece's way: EM estimates how probable each piece is, then the pieces that are missed least are pruned, round after round."
        )
    return _(
        "The Hugging Face course's way: start from many pieces and, in each round, remove the tenth of the pieces that is missed least, until the vocabulary is small enough."
    )


UNIGRAM_PAGE: Final = TrainPage(
    algorithm=UNIGRAM,
    lead=lead,
    code={
        N_("The seed: count substrings"): unigram.count_substrings,
        N_("The best split of a word (Viterbi)"): best_split,
        N_("What losing each piece costs"): segmentation.removal_losses,
        N_("The course's rounds"): unigram.course_rounds,
        N_("Prune, one piece at a time"): unigram.Training.prune,
        N_("E step"): segmentation.e_step,
        N_("M step"): segmentation.m_step,
        N_("SentencePiece's estimate of a loss"): segmentation.approximate_loss,
        N_("SentencePiece's rounds"): unigram.sentencepiece_rounds,
        N_("Finalize"): unigram.finalize,
        N_("Posteriors: forward–backward"): Lattice.posteriors,
        N_("The k best splits"): Lattice.k_best,
        N_("Train"): unigram.train_unigram,
    },
    run_files=PRUNE_FILES,
    tabs=prune_tabs(),
)


def show() -> None:
    """The whole page."""
    show_training(UNIGRAM_PAGE)
