"""Step through BPE training."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from tokenizers_core import TIE_RULES, BpeTrace, bpe, first_difference, merging, train_bpe
from tokenizers_core.files import merges_txt, trace_to_csv, trace_to_json, vocab_json
from tokenizers_core.text import Pipeline
from ui import training
from ui.cache import Progress, digest
from ui.charts import CHARTS, training_chart
from ui.controls import Controls, choice_name, corpus_title, special_tokens
from ui.corpora import EXAMPLES, Source
from ui.flipbook import Frame, go_to, update_url
from ui.frames import encoding_frame, merge_frame
from ui.i18n import N_, _, count, ngettext, use_language
from ui.notes import note
from ui.tables import pair_table
from ui.tokens import Style, readable
from ui.views import encoding_html, lineage_html, parting_html, story_html

PAGE = "bpe"
WORDS_LISTED = 2000
CODE: Mapping[str, Callable[..., Any]] = {
    N_("Count the pairs"): merging.count_pairs,
    N_("Find a pair in a word"): merging.group_pair,
    N_("Merge a pair everywhere, and update the counts around it"): merging.PairTable.merge,
    N_("Choose the best pair, again and again"): bpe.bpe_merges,
    N_("Tie rule: first met"): bpe.FirstMet,
    N_("Tie rule: lowest ids"): bpe.LowestIds,
    N_("Tie rule: greatest"): bpe.Greatest,
    N_("Train"): bpe.train_bpe,
    N_("Encode a word"): bpe.apply_merges,
}


@dataclass(frozen=True)
class Run:
    """A training run as the page asks for it: corpus, pipeline and settings."""

    source: Source
    pipeline: Pipeline
    settings: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What makes this run this one and no other."""
        source = (digest(self.source.data), self.source.counts, self.source.lines)
        return digest(repr((PAGE, source, self.pipeline, sorted(self.settings.items()))).encode())

    def make(self, progress: Progress) -> BpeTrace:
        """Read the corpus and train."""
        corpus = self.source.corpus(self.pipeline, progress.characters)
        return train_bpe(corpus, progress=progress.merges, **self.settings)


@dataclass(frozen=True)
class View:
    """What the tabs look at: a trace at a step, and how its tokens are written."""

    controls: Controls
    run: Run
    trace: BpeTrace
    step: int
    style: Style


def main() -> None:
    controls = Controls(PAGE)
    with st.sidebar:
        source = controls.corpus()
        with st.expander(_("Rules"), expanded=True):
            pipeline = controls.rules_widgets(source)
            controls.training_widgets()
        controls.show_widget()
    st.title("BPE")
    st.caption(
        _(
            "Merge the most frequent pair of neighbours, everywhere, again and again, until the vocabulary is full."
        )
    )
    controls.say_complaints(source)
    trace = None
    if source is not None and pipeline is not None and not controls.blocked:
        settings = {
            "vocab_size": controls["size"],
            "min_frequency": controls["min"] or 1,
            "special_tokens": special_tokens(controls["special"]),
            "tie_rule": controls["ties"],
            "alphabet": controls["alphabet"] if pipeline.byte_level else "corpus",
        }
        run = Run(source, pipeline, settings)
        trace = training.build(PAGE, run.name, run.make)
    if trace is not None:
        show(controls, run, trace)
    else:
        update_url(controls.url())


@st.fragment
def show(controls: Controls, run: Run, trace: BpeTrace) -> None:
    """The stage and, under it, the tabs."""
    use_language(st.session_state["language"])
    style = Style(trace.corpus.pipeline.byte_level, controls["show"], frozenset(trace.special_tokens))
    step = training.stage(
        PAGE, run.name, style.show, len(trace), lambda step: merge_frame(trace[step], style), controls.url()
    )
    if trace.corpus.replaced:
        message = ngettext(
            "{number} stretch of invalid UTF-8 in the file was read as U+FFFD.",
            "{number} stretches of invalid UTF-8 in the file were read as U+FFFD.",
            trace.corpus.replaced,
        )
        note(message.format(number=count(trace.corpus.replaced)))
    tabs = {
        _("Every pair"): every_pair,
        _("Charts"): charts,
        _("Follow a word"): follow,
        _("Lineage"): lineage,
        _("Encode"): encode,
        _("Ties"): ties,
        _("Code"): code,
        _("Files and link"): files,
    }
    view = View(controls, run, trace, step, style)
    for tab, body in zip(
        st.tabs(list(tabs), key=f"{PAGE}.tab", on_change="rerun"), tabs.values(), strict=True
    ):
        if tab.open:
            with tab:
                body(view)


def every_pair(view: View) -> None:
    """All pairs that could be merged next."""
    snapshot = view.trace[view.step]
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    find = left.text_input(_("Find"), key=f"{PAGE}.find", placeholder="th", max_chars=100)
    message = _("All {number} pairs after step {step}, best first: the first one is merged next.")
    right.caption(message.format(step=view.step, number=count(snapshot.pair_count)))
    st.dataframe(pair_table(snapshot, view.style, find), hide_index=True, height=360, key=f"{PAGE}.pairs")


def charts(view: View) -> None:
    """The run as a curve."""
    if not len(view.trace):
        note(_("Nothing was merged, so there is nothing to plot."))
        return
    chart = st.segmented_control(
        _("Chart"),
        CHARTS,
        format_func=lambda name: _(CHARTS[name]),
        key=f"{PAGE}.chart",
        default="freq",
        required=True,
        label_visibility="collapsed",
    )
    figure = training_chart(view.trace, chart, view.step, view.style)
    st.plotly_chart(figure, key=f"{PAGE}.plot.{chart}", config={"displaylogo": False}, alt=_(CHARTS[chart]))


def follow(view: View) -> None:
    """One word's segmentation at every step."""
    trace, words = view.trace, view.trace.corpus.words
    word = st.selectbox(
        _("Word"),
        words[:WORDS_LISTED],
        format_func=lambda word: (
            f"{readable(word, view.style)[:80]}  × {count(trace.word_frequencies[word])}"
        ),
        key=f"{PAGE}.word",
    )
    if len(words) > WORDS_LISTED:
        message = _("The first {number} of {all} words are listed.")
        st.caption(message.format(number=count(WORDS_LISTED), all=count(len(words))))
    if word is not None:
        st.html(story_html(trace.history_of(word), view.step, view.style))


def lineage(view: View) -> None:
    """Where a token comes from."""
    learned = [token for token, made in view.trace.step_of_token.items() if made <= view.step]
    if not learned:
        note(_("Nothing has been learned at this step yet: go forward."))
        return
    token = st.selectbox(
        _("Token"),
        learned[::-1][:WORDS_LISTED],
        format_func=lambda token: readable(token, view.style),
        key=f"{PAGE}.token",
    )
    if token is not None:
        st.html(lineage_html(view.trace.lineage(token), view.style))


def encode(view: View) -> None:
    """Use the tokenizer as it stands after this step, and step through one word's encoding."""
    corpus = view.controls["corpus"]
    sample = EXAMPLES[corpus].sample if corpus in EXAMPLES else ""
    text = st.text_input(
        _("Text to encode with the merges learned so far"),
        sample,
        key=f"{PAGE}.encode.{corpus}",
        max_chars=2000,
    )
    tokenizer = view.trace.tokenizer(view.step)
    style = view.style._replace(special_tokens=frozenset(tokenizer.special_tokens))
    encoding = tokenizer.encode(text)
    if not encoding.ids:
        return
    st.html(encoding_html(encoding, style))
    words = list(dict.fromkeys(word.text for word in tokenizer.pipeline.words(text)))
    word = st.selectbox(
        _("Step through the encoding of"),
        words,
        format_func=lambda word: readable(word, style),
        key=f"{PAGE}.encode.word.{digest(text.encode('utf-8', 'replace'))}",
    )
    if word is None:
        return
    explained = tokenizer.explain(word)
    training.small_book(
        f"{PAGE}.encode.book",
        digest(repr((view.run.name, view.step, word, style.show)).encode()),
        len(explained),
        lambda step: encoding_frame(explained[step], style),
    )


def ties(view: View) -> None:
    """How many merges were a matter of the tie rule, and where another rule leads elsewhere."""
    trace = view.trace
    tied = sum(point.tied_count > 1 for point in trace.history)
    if len(trace):
        message = _("{tied} of {all} merges ({share} %) were chosen among ties.")
        st.caption(
            message.format(tied=count(tied), all=count(len(trace)), share=round(100 * tied / len(trace)))
        )
    other = st.selectbox(
        _("Compare with the rule"),
        [rule for rule in TIE_RULES if rule != trace.tie_rule],
        format_func=lambda rule: choice_name("ties", rule),
        key=f"{PAGE}.other",
    )
    changed = Run(view.run.source, view.run.pipeline, {**view.run.settings, "tie_rule": other})
    rival = training.build(f"{PAGE}.rival", changed.name, changed.make)
    if rival is None:
        return
    parting = first_difference(trace, rival)
    if parting is None:
        note(_("Both rules make the same merges on this corpus."))
        return
    st.html(parting_html(trace, rival, parting, view.style))
    st.button(
        _("Go to step {step}").format(step=parting),
        on_click=go_to,
        args=(f"{PAGE}.book", parting),
        key=f"{PAGE}.part",
    )


def code(_view: View) -> None:
    """The functions at work, as they are."""
    name = st.selectbox(_("Function"), list(CODE), format_func=_, key=f"{PAGE}.function")
    st.code(inspect.getsource(CODE[name]), language="python")


def files(view: View) -> None:
    """What can be taken away: a link, the trace, a handout, the tokenizer."""
    trace, style, controls = view.trace, view.style, view.controls
    title = f"BPE: {corpus_title(controls['corpus'])}"

    def frame(step: int) -> Frame:
        return merge_frame(trace[step], style)

    st.markdown(f"**{_('This step as a link')}**")
    if controls.in_link():
        st.code(training.link(controls.url(), view.step), language=None, wrap_lines=True)
    else:
        note(
            _(
                "This corpus is too long for a link. Its address brings it back on this server as long as the server "
                "remembers it; to pass it on, send the text itself."
            )
        )
    st.markdown(f"**{_('The run')}**")
    left, middle, right = st.columns(3)
    left.download_button(
        _("Handout that steps offline (HTML)"),
        partial(training.handout, title, len(trace), frame),
        "bpe.html",
        "text/html",
        key=f"{PAGE}.html",
        on_click="ignore",
        width="stretch",
    )
    middle.download_button(
        _("Every step (JSON)"),
        partial(trace_to_json, trace),
        "bpe-trace.json",
        "application/json",
        key=f"{PAGE}.json",
        on_click="ignore",
        width="stretch",
    )
    right.download_button(
        _("Every step (CSV)"),
        partial(trace_to_csv, trace),
        "bpe-trace.csv",
        "text/csv",
        key=f"{PAGE}.csv",
        on_click="ignore",
        width="stretch",
    )
    st.markdown(f"**{_('The tokenizer after step {step}').format(step=view.step)}**")
    left, middle, _right = st.columns(3)
    left.download_button(
        "vocab.json",
        lambda: vocab_json(trace.tokenizer(view.step)),
        "vocab.json",
        "application/json",
        key=f"{PAGE}.vocab",
        on_click="ignore",
        width="stretch",
    )
    middle.download_button(
        "merges.txt",
        lambda: merges_txt(trace, view.step),
        "merges.txt",
        "text/plain",
        key=f"{PAGE}.merges",
        on_click="ignore",
        width="stretch",
    )


main()
