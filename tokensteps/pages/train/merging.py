"""A page for stepping through training by merging: the parts shared by BPE and WordPiece."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

import streamlit as st

from tokenizers_core import first_difference
from tokenizers_core.files.exports import trace_to_csv, trace_to_json
from tokenizers_core.training.merge_trace import MergeTrace
from tokensteps.components.flipbook import go_to
from tokensteps.drawing.charts import CHARTS, curves_text, training_chart
from tokensteps.drawing.tabs import lineage_html, parting_html, vocabularies_html
from tokensteps.drawing.tokens import readable
from tokensteps.language.i18n import N_, _, count, ngettext
from tokensteps.language.names import choice_name
from tokensteps.limits import WORDS_LISTED
from tokensteps.pages.train.closeness import closeness_tab
from tokensteps.pages.train.page import RunFile, TrainView
from tokensteps.pages.train.tabs import (
    code_tab,
    encode_tab,
    follow_tab,
    of_the_whole,
    run_files_tab,
    step_rows,
)
from tokensteps.runs.algorithms import Run
from tokensteps.server.steps import StepTable
from tokensteps.widgets import stage
from tokensteps.widgets.downloads import sheet
from tokensteps.widgets.figures import show_chart
from tokensteps.widgets.notes import note

Merged = TypeVar("Merged", bound=MergeTrace)
MERGE_FILES: Mapping[str, RunFile[MergeTrace]] = {
    "trace.json": RunFile(N_("Every step (JSON)"), trace_to_json),
    "trace.csv": RunFile(N_("Every step (CSV for spreadsheets)"), partial(sheet, trace_to_csv)),
    "trace-plain.csv": RunFile(N_("Every step (plain CSV for programs)"), partial(trace_to_csv, plain=True)),
}


def merge_tabs(
    table: StepTable, own: Mapping[str, Callable[[TrainView[Merged]], None]] | None = None
) -> Mapping[str, Callable[[TrainView[Merged]], None]]:
    """The tabs of a merging algorithm's page; its own tabs come after the ones in sight on all of them."""
    return {
        N_("Every pair"): partial(every_pair, table),
        N_("Encode"): encode_tab,
        N_("Charts"): of_the_whole(merge_charts),
        **(own or {}),
        N_("Ties"): of_the_whole(ties),
        N_("Follow a word"): of_the_whole(follow_tab),
        N_("Lineage"): lineage,
        N_("How close?"): of_the_whole(closeness_tab),
        N_("Code"): code_tab,
        N_("Files and link"): of_the_whole(run_files_tab),
    }


def every_pair(table: StepTable, view: TrainView[MergeTrace]) -> None:
    """The candidates for the next merge."""
    number = view.trace[view.step].pair_count
    whole = ngettext(
        "The only pair after step {step}.", "All {number} pairs after step {step}, best first.", number
    )
    best = _("The best {shown} of {number} pairs after step {step}.")
    if view.step < len(view.trace) and view.trace.record.is_merge(view.step + 1):
        whole = ngettext(
            "The only pair after step {step}: it is merged next.",
            "All {number} pairs after step {step}, best first: the first one is merged next.",
            number,
        )
        best = _("The best {shown} of {number} pairs after step {step}: the first one is merged next.")
    if not number:
        whole = _("No pair is left after step {step}.")
    step_rows(view, table, number, whole, best)


def merge_charts(view: TrainView[MergeTrace]) -> None:
    """The run as a curve."""
    if not len(view.trace):
        note(_("No merges yet, so there is nothing to plot."))
        return
    chart = st.segmented_control(
        _("Chart"),
        list(CHARTS),
        format_func=lambda name: _(CHARTS[name]),
        key=view.key("chart"),
        persist_state="session",
        default="freq",
        required=True,
        label_visibility="collapsed",
    )
    figure = training_chart(view.trace, str(chart), view.step, view.style)
    alt = curves_text(figure, _(CHARTS[str(chart)]))
    show_chart(figure, view.key("plot"), alt)


def lineage(view: TrainView[MergeTrace]) -> None:
    """The origin of a token."""
    learned = [token for token, result in view.trace.step_of_token.items() if result <= view.step]
    if not learned:
        note(_("Nothing learned yet at this step: go forward."))
        return
    token = st.selectbox(
        _("Token"),
        learned[::-1][:WORDS_LISTED],
        format_func=lambda token: readable(token, view.style),
        key=view.key("token"),
        persist_state="session",
    )
    if token is not None:
        st.html(lineage_html(view.trace.lineage(token), view.style))


def ties(view: TrainView[MergeTrace]) -> None:
    """The number of merges decided by the tie rule, another rule's first different choice, and its
    consequences."""
    trace = view.trace
    merges = [point for point in trace.history if trace.record.is_merge(point.step)]
    if merges:
        tied = sum(point.tied_count > 1 for point in merges)
        message = ngettext(
            "{tied} of {all} merge ({share} %) broke a tie.",
            "{tied} of {all} merges ({share} %) broke a tie.",
            len(merges),
        )
        share = round(100 * tied / len(merges))
        st.caption(message.format(tied=count(tied), all=count(len(merges)), share=share))
    other = st.selectbox(
        _("Compare with tie rule"),
        [rule for rule in view.page.choices("ties") if rule != trace.settings["tie_rule"]],
        format_func=lambda rule: choice_name("ties", rule),
        key=view.key("other"),
        persist_state="session",
    )
    run = view.run
    rival = stage.trained(
        Run(run.algorithm, run.source, run.pipeline, {**run.settings, "tie_rule": other}), ".rival"
    )
    if not isinstance(rival, MergeTrace):
        return  # there is none yet
    parting = first_difference(trace, rival)
    if parting is None:
        note(_("Both rules make the same merges on this corpus."))
        return
    st.html(parting_html(trace, rival, parting, view.style))
    only = _("Only with {rule}")
    ours, theirs = (only.format(rule=choice_name("ties", one.settings["tie_rule"])) for one in (trace, rival))
    st.html(vocabularies_html(trace, rival, view.style, ours, theirs))
    st.button(
        _("Go to step {step}").format(step=parting),
        on_click=go_to,
        args=(view.key("book"), parting),
        key=view.key("part"),
    )
