"""The parts of Unigram's page alone: its tabs and its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from tokenizers_core.files.exports import prunes_to_csv, prunes_to_json
from tokenizers_core.training.pruning import Worth
from tokenizers_core.training.unigram_trace import UnigramTrace
from tokensteps.drawing.charts import PRUNE_CHARTS, charts_for, curves_text, loss_chart, worth_chart
from tokensteps.drawing.narration.errata import lattice_erratum
from tokensteps.drawing.tables import piece_table, worth_table
from tokensteps.language.i18n import N_, _, count, ngettext
from tokensteps.limits import WORTH_LIMIT
from tokensteps.pages.train.closeness import closeness_tab
from tokensteps.pages.train.lattice_tab import lattice_tab, samples_tab
from tokensteps.pages.train.page import RunFile, TrainView
from tokensteps.pages.train.random_splits import exercises_link
from tokensteps.pages.train.tabs import (
    code_tab,
    encode_tab,
    follow_tab,
    of_the_whole,
    run_files_tab,
    step_rows,
)
from tokensteps.runs.corpora import EXAMPLES
from tokensteps.server.shared_cache import remembered
from tokensteps.shell.walk import open_question
from tokensteps.widgets.downloads import sheet
from tokensteps.widgets.figures import show_chart, show_rows
from tokensteps.widgets.notes import note

PRUNE_FILES: Mapping[str, RunFile[UnigramTrace]] = {
    "trace.json": RunFile(N_("Every step (JSON)"), prunes_to_json),
    "trace.csv": RunFile(N_("Every step (CSV for spreadsheets)"), partial(sheet, prunes_to_csv)),
    "trace-plain.csv": RunFile(N_("Every step (plain CSV for programs)"), partial(prunes_to_csv, plain=True)),
}


def prune_tabs() -> Mapping[str, Callable[[TrainView[UnigramTrace]], None]]:
    """The tabs of Unigram's page."""
    return {
        N_("Lattice"): word_lattice,
        N_("Every piece"): every_piece,
        N_("Encode"): encode_pieces,
        N_("Charts"): of_the_whole(loss_charts),
        N_("Sample at random"): word_samples,
        N_("Exact and approximate loss"): of_the_whole(both_losses),
        N_("How close?"): of_the_whole(closeness_tab),
        N_("Follow a word"): of_the_whole(follow_tab),
        N_("Code"): code_tab,
        N_("Files and link"): of_the_whole(run_files_tab),
    }


def word_lattice(view: TrainView[UnigramTrace]) -> None:
    """Every split of any word, with the pieces of this step."""
    snapshot = view.trace[view.step]
    lattice_tab(
        snapshot.lattice,
        view.trace.corpus.words,
        first_word(view),
        view.style,
        view.key,
        lambda lattice: lattice_erratum(snapshot, lattice, view.style),
    )


def word_samples(view: TrainView[UnigramTrace]) -> None:
    """Random splits of any word, with the pieces of this step."""
    lattice_of, words = view.trace[view.step].lattice, view.trace.corpus.words
    samples_tab(lattice_of, words, first_word(view), view.style, view.key)
    exercises_link("unigram_sampling")


def first_word(view: TrainView[UnigramTrace]) -> str:
    """The first word to look at, until another one is chosen: not the word that the path asks about."""
    if open_question(view.page.algorithm.name):
        return view.trace.corpus.words[0]
    example = EXAMPLES.get(view.controls["corpus"])
    return example.word if example is not None and example.word else view.trace.corpus.words[0]


def every_piece(view: TrainView[UnigramTrace]) -> None:
    """The remaining pieces."""
    number = view.trace.record.sizes[view.step]
    whole = ngettext(
        "The only piece after step {step}.",
        "All {number} pieces after step {step}, most probable first.",
        number,
    )
    best = _("The {shown} most probable of {number} pieces after step {step}.")
    step_rows(view, piece_table, number, whole, best)


def both_losses(view: TrainView[UnigramTrace]) -> None:
    """The loss without each piece, exactly and by SentencePiece's estimate."""
    st.caption(
        _(
            "Exact: the whole corpus is re-segmented without the piece. SentencePiece's estimate: each "
            "occurrence on the best splits becomes the second-best split of the piece itself, whose pieces "
            "then count that much more, and probabilities are shares of these counts. Both are in nats over "
            "the corpus, for the model after this step; the ranking above is older, from before its round."
        )
    )
    rows: list[Worth] = remembered(
        ("worth", view.run.name, view.step), partial(view.trace.worth, view.step, WORTH_LIMIT)
    )
    if not rows:
        note(_("No best split uses a piece longer than a character, so there is nothing to compare."))
        return
    if len(rows) == WORTH_LIMIT:
        message = _("The {number} pieces with the lowest estimates.")
        st.caption(message.format(number=count(WORTH_LIMIT)))
    left, right = st.columns([1, 1])
    figure = worth_chart(rows, view.style)
    with left:
        show_chart(figure, view.key("worth"), _("Exact vs. approximate loss"))
    with right:
        show_rows(worth_table(rows, view.style), view.key("worths"))


def loss_charts(view: TrainView[UnigramTrace]) -> None:
    """The run as a curve."""
    if not len(view.trace):
        note(_("No prunes yet, so there is nothing to plot."))
        return
    chart = st.segmented_control(
        _("Chart"),
        charts_for(view.trace),
        format_func=lambda name: _(PRUNE_CHARTS[name]),
        key=view.key("chart"),
        persist_state="session",
        default="loss",
        required=True,
        label_visibility="collapsed",
    )
    name = str(chart)
    figure = loss_chart(view.trace, name, view.step, view.style)
    alt = curves_text(figure, _(PRUNE_CHARTS[name]))
    show_chart(figure, view.key("plot"), alt)


def encode_pieces(view: TrainView[UnigramTrace]) -> None:
    """Use the tokenizer after this step; on request, unknown characters become bytes, if the run doesn't have
    them so anyway."""
    fallback = view.trace.settings.get("byte_fallback") or st.toggle(
        _("Unknown characters as bytes"),
        key=view.key("as_bytes"),
        persist_state="session",
        help=_("Byte fallback: 256 more tokens, and nothing is lost. Off: such characters become <unk>."),
    )
    encode_tab(view, view.trace.tokenizer(view.step, byte_fallback=fallback))
