"""Step through BPE training."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any

import streamlit as st

from tokenizers_core import TIE_RULES, BpeTrace, bpe, first_difference, merging, train_bpe
from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.files import merges_txt, trace_to_csv, trace_to_json, vocab_json
from tokenizers_core.text import Pipeline
from ui import training
from ui.cache import Progress, digest, registry
from ui.charts import CHARTS, training_chart
from ui.controls import Controls, choice_name, corpus_title, special_tokens
from ui.corpora import Source
from ui.flipbook import go_to
from ui.frames import encoding_frame, merge_frame
from ui.i18n import N_, _, count, use_language
from ui.notes import note
from ui.tables import pair_table
from ui.tokens import Style, readable
from ui.views import lineage_html, story_html

PAGE = "bpe"
CODE = {
    N_("Count the pairs"): merging.count_pairs,
    N_("Merge a pair in a word"): merging.group_pair,
    N_("Merge a pair everywhere, and update the counts around it"): merging.PairTable.merge,
    N_("Choose the best pair, again and again"): bpe.bpe_merges,
    N_("Tie rule: first met"): bpe.FirstMet,
    N_("Tie rule: lowest ids"): bpe.LowestIds,
    N_("Tie rule: greatest"): bpe.Greatest,
    N_("Train"): bpe.train_bpe,
    N_("Encode a word"): bpe.apply_merges,
}


def make(source: Source, pipeline: Pipeline, settings: dict[str, Any], progress: Progress) -> BpeTrace:
    """Read the corpus and train."""
    corpus = source.corpus(pipeline, progress.characters)
    return train_bpe(corpus, progress=progress.merges, **settings)


def run_name(source: Source, pipeline: Pipeline, settings: dict[str, Any]) -> str:
    """What makes a run this run and no other."""
    return digest(repr((PAGE, digest(source.data), source.counts, source.lines, pipeline, settings)).encode())


def train(source: Source, pipeline: Pipeline, settings: dict[str, Any]) -> tuple[str, BpeTrace | None]:
    """The run's name and its trace, unless that is still being made."""
    run = run_name(source, pipeline, settings)
    return run, training.build(PAGE, run, partial(make, source, pipeline, settings))


def main() -> None:
    controls = Controls(PAGE)
    with st.sidebar:
        source = controls.corpus()
        with st.expander(_("Rules"), expanded=True):
            pipeline = controls.rules_widgets()
            controls.training_widgets()
        controls.show_widget()
    st.title("BPE")
    st.caption(
        _("Merge the most frequent pair of neighbours, everywhere, again and again, until the vocabulary is full.")
    )
    controls.say_refused()
    if source is None:
        note(_("Paste a text, type word counts or upload a file in the sidebar, and its training appears here."))
        return
    if pipeline is None:
        return
    settings = {
        "vocab_size": controls["size"],
        "min_frequency": controls["min"],
        "special_tokens": special_tokens(controls["special"]),
        "tie_rule": controls["ties"],
        "alphabet": controls["alphabet"] if pipeline.byte_level else "corpus",
    }
    run, trace = train(source, pipeline, settings)
    if trace is not None:
        show(controls, source, settings, run, trace)


@st.fragment
def show(controls: Controls, source: Source, settings: dict[str, Any], run: str, trace: BpeTrace) -> None:
    """The stage and, under it, the tabs."""
    use_language(st.session_state["language"])
    style = Style(trace.corpus.pipeline.byte_level, controls["show"], frozenset(trace.special_tokens))

    def frame(step: int) -> Any:
        return merge_frame(trace[step], style)

    step = training.stage(PAGE, f"{run}:{controls['show']}", len(trace), frame, controls.url())
    if trace.corpus.replaced:
        note(
            _("{number} invalid UTF-8 sequences in the file were read as U+FFFD.").format(
                number=count(trace.corpus.replaced)
            )
        )
    names = [_("Every pair"), _("Charts"), _("Follow a word"), _("Lineage"), _("Encode"), _("Ties"), _("Code"), _("Files and link")]
    tabs = st.tabs(names, key=f"{PAGE}.tab", on_change="rerun")
    bodies = (every_pair, charts, follow, lineage, encode, ties, code, files)
    for tab, body in zip(tabs, bodies, strict=True):
        if tab.open:
            with tab:
                body(controls, source, settings, run, trace, step, style)


def every_pair(controls, source, settings, run, trace, step, style) -> None:
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    find = left.text_input(_("Find"), key=f"{PAGE}.find", placeholder="th", max_chars=100)
    table = pair_table(trace[step], style, find)
    number = count(trace[step].pair_count)
    right.caption(
        _("The pairs after step {step}, {number} in all: the first is merged next.").format(step=step, number=number)
    )
    st.dataframe(table, hide_index=True, height=360, key=f"{PAGE}.pairs")


def charts(controls, source, settings, run, trace, step, style) -> None:
    if not len(trace):
        note(_("Nothing was merged, so there is nothing to plot."))
        return
    chart = st.segmented_control(
        _("Chart"), CHARTS, format_func=lambda name: _(CHARTS[name]), key=f"{PAGE}.chart",
        default="freq", required=True, label_visibility="collapsed",
    )
    st.plotly_chart(training_chart(trace, chart, step, style), key=f"{PAGE}.plot.{chart}", config={"displaylogo": False})


def follow(controls, source, settings, run, trace, step, style) -> None:
    words = trace.corpus.words
    listed = words[:2000]
    word = st.selectbox(
        _("Word"), listed, format_func=lambda word: f"{readable(word, style)}  ×{trace.word_frequencies[word]}",
        key=f"{PAGE}.word",
    )
    if len(words) > len(listed):
        st.caption(_("The first {number} words of {all} are listed.").format(number=count(len(listed)), all=count(len(words))))
    if word is not None:
        st.html(story_html(trace.history_of(word), step, style))


def lineage(controls, source, settings, run, trace, step, style) -> None:
    learned = [token for token, made in trace.step_of_token.items() if made <= step]
    if not learned:
        note(_("Nothing has been learned yet at this step: go forward."))
        return
    token = st.selectbox(_("Token"), learned[::-1], format_func=lambda token: readable(token, style), key=f"{PAGE}.token")
    if token is not None:
        st.html(lineage_html(trace.lineage(token), style))


def encode(controls, source, settings, run, trace, step, style) -> None:
    note("encode")


def ties(controls, source, settings, run, trace, step, style) -> None:
    others = [rule for rule in TIE_RULES if rule != trace.tie_rule]
    other = st.selectbox(_("Compare with"), others, format_func=lambda rule: choice_name("ties", rule), key=f"{PAGE}.other")
    pipeline = trace.corpus.pipeline
    changed = {**settings, "tie_rule": other}
    name = run_name(source, pipeline, changed)
    found = registry().ask(name, partial(make, source, pipeline, changed), wait=20)
    parting = first_difference(trace, found)
    note(str(parting))


def code(controls, source, settings, run, trace, step, style) -> None:
    name = st.selectbox(_("Function"), CODE, format_func=_, key=f"{PAGE}.function")
    st.code(inspect.getsource(CODE[name]), language="python")


def files(controls, source, settings, run, trace, step, style) -> None:
    st.download_button(_("Trace as JSON"), lambda: trace_to_json(trace), "trace.json", "application/json")


main()
