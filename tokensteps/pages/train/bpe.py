"""Step through BPE training."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

import streamlit as st

from tokenizers_core import TIE_RULES, BpeTrace, ParityTrace
from tokenizers_core.encoding.models.bpe import apply_merges
from tokenizers_core.encoding.models.pairs import group_pair
from tokenizers_core.training import bpe, merging, ties
from tokensteps.drawing.tables import pair_table
from tokensteps.drawing.tabs import kind_html
from tokensteps.drawing.training.languages import beside_plain_html
from tokensteps.language.i18n import N_, _
from tokensteps.language.names import KIND_ABOUT, TIE_RULE_WORDS
from tokensteps.pages.train.merging import MERGE_FILES, merge_tabs
from tokensteps.pages.train.page import TrainPage, TrainView, show_training
from tokensteps.pages.train.tabs import of_the_whole
from tokensteps.runs.algorithms import BPE
from tokensteps.runs.kinds import compared_with_plain
from tokensteps.shell.navigation import page_link
from tokensteps.widgets.controls import Controls


def about_kind(view: TrainView[BpeTrace]) -> None:
    """The paper's claims for this kind of BPE, the data behind them, and this page's limits for showing
    them."""
    st.html(kind_html(KIND_ABOUT[view.trace.kind]))
    if isinstance(view.trace, ParityTrace):
        of_the_whole(partial(beside_plain, view.trace))(view)
    if view.trace.kind != BpeTrace.kind:
        message = _("Compare with plain BPE, size by size")
        page_link("compare", message, compared_with_plain(view.controls.recipe()))


def beside_plain(trace: ParityTrace, view: TrainView[BpeTrace]) -> None:
    """The tokens of each language after as many merges of plain BPE."""
    st.html(beside_plain_html(trace, view.step))


TIE_SOURCES: Final[Mapping[str, type]] = {"first": ties.FirstPositions}
"""The class with the code of a rule, for a rule whose own class only passes the call on."""


def lead_of_kind(controls: Controls) -> str:
    """What this kind of BPE does, in a sentence."""
    about = KIND_ABOUT[controls["kind"]]
    return _(about.lead)


BPE_PAGE: Final = TrainPage(
    algorithm=BPE,
    lead=lead_of_kind,
    code={
        N_("Count the pairs"): merging.count_pairs,
        N_("Find a pair in a word"): group_pair,
        N_("Merge a pair everywhere, and update the counts around it"): merging.PairTable.merge,
        N_("Choose the best pair, again and again"): bpe.CountQueue,
        **{TIE_RULE_WORDS[name].code: TIE_SOURCES.get(name, type(rule)) for name, rule in TIE_RULES.items()},
        N_("Train"): bpe.train_bpe,
        N_("Encode a word"): apply_merges,
    },
    run_files=MERGE_FILES,
    tabs={**merge_tabs(pair_table), N_("About this kind"): about_kind},
)


def show() -> None:
    """The whole page."""
    show_training(BPE_PAGE)
