"""Step through WordPiece training."""

from __future__ import annotations

from typing import Final

import streamlit as st

from tokenizers_core.encoding.models.wordpiece import WordPieceModel
from tokenizers_core.training import merging, wordpiece
from tokenizers_core.training.wordpiece import WordPieceTrace
from tokensteps.drawing.charts import scatter_text, score_chart
from tokensteps.drawing.tables import score_table
from tokensteps.drawing.tabs import vocabularies_html
from tokensteps.language.i18n import N_, _
from tokensteps.pages.train.merging import MERGE_FILES, merge_tabs
from tokensteps.pages.train.page import TrainPage, TrainView, show_training
from tokensteps.pages.train.tabs import of_the_whole
from tokensteps.runs.algorithms import BPE, WORDPIECE, Run
from tokensteps.widgets import stage
from tokensteps.widgets.figures import show_chart


def scores(view: TrainView[WordPieceTrace]) -> None:
    """Every pair as a point: its count and its score."""
    st.caption(
        _(
            "A frequent pair of frequent symbols scores low: dividing by both symbols' counts favors pairs whose parts rarely occur on their own."
        )
    )
    figure = score_chart(view.trace.snapshot(view.step), view.style)
    alt = scatter_text(figure, _("Score versus count"))
    show_chart(figure, view.key("scores"), alt)


def library_wordpiece(view: TrainView[WordPieceTrace]) -> None:
    """The result of the `tokenizers` library under this name."""
    st.markdown(
        _(
            "Google never published the trainer behind BERT's vocabulary. This page follows the reading of the "
            "[Hugging Face course](https://huggingface.co/learn/llm-course/chapter6/6), after "
            "[Schuster and Nakajima (2012)](https://doi.org/10.1109/ICASSP.2012.6289079). The `tokenizers` library's "
            "`WordPieceTrainer` trains BPE with the prefix ## and only *encodes* as WordPiece."
        )
    )
    trace, run = view.trace, view.run
    settings = {
        "vocab_size": trace.vocab_sizes[-1],
        "special_tokens": trace.special_tokens,
        "tie_rule": "lowest_ids",
        "continuing_subword_prefix": "##",
    }
    rival = stage.trained(Run(BPE, run.source, run.pipeline, settings), ".library")
    if rival is not None:
        st.html(vocabularies_html(trace, rival, view.style))


WORDPIECE_PAGE: Final = TrainPage(
    algorithm=WORDPIECE,
    lead=lambda _controls: _(
        "Merge the pair with the highest score, again and again: its count divided by the counts of its two symbols, so pairs whose parts rarely occur on their own come first."
    ),
    code={
        N_("The score"): wordpiece.score,
        N_("Keep every score up to date while merging"): wordpiece.Scores,
        N_("Choose the best pair, again and again"): wordpiece.ScoreQueue,
        N_("Merge a pair everywhere, and update the counts around it"): merging.PairTable.merge,
        N_("Train"): wordpiece.train_wordpiece,
        N_("Encode a word: longest match first"): WordPieceModel.longest_matches,
    },
    run_files=MERGE_FILES,
    tabs=merge_tabs(
        score_table,
        {N_("Score and count"): scores, N_("The library's WordPiece"): of_the_whole(library_wordpiece)},
    ),
)


def show() -> None:
    """The whole page."""
    show_training(WORDPIECE_PAGE)
