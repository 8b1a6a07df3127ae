"""The page “Compare”: one corpus through several algorithms and kinds of BPE, in lockstep by vocabulary size,
on one transport."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Final

import pandas as pd
import streamlit as st

from tokenizers_core.files.exports import comparison_to_json, disagreements_to_csv, sweep_to_csv
from tokenizers_core.measures import USUAL_ORDER, Measures, measure_sizes
from tokenizers_core.training.algorithms import UNIGRAM, WORDPIECE
from tokenizers_core.training.comparison import Comparison, Cut, Disagreement, SizeSnapshot
from tokensteps.components.flipbook import go_to
from tokensteps.drawing.charts import SWEEPS, curves_text, measures_chart, sweep_chart, thinned
from tokensteps.drawing.comparison import compare_frame, jaccard_html, overlap_html
from tokensteps.drawing.handout import handout
from tokensteps.drawing.narration.comparison import per_word, tell_kinds, tell_missing
from tokensteps.drawing.tables import matching
from tokensteps.drawing.tokens import Style, readable
from tokensteps.language.i18n import N_, _, count, listed, ngettext, sentences, use_language
from tokensteps.language.measures import (
    MEASURES,
    OF_TEXT,
    SHARES,
    measure_name,
    measure_text,
    put_in,
    value_of,
)
from tokensteps.language.names import side_name, side_names
from tokensteps.language.numbers import percent, share_text
from tokensteps.limits import FIND_LIMIT
from tokensteps.pages.learn.home_algorithms import algorithms_html, known_columns
from tokensteps.pages.stepping import StepView, show_stage, show_stepping
from tokensteps.runs.algorithms import COMPARE_ALGORITHM, Run, compared, seed_pieces
from tokensteps.runs.rules import UNIGRAM_RULES
from tokensteps.runs.settings import Recipe, corpus_title, usual_value
from tokensteps.server.shared_cache import remembered
from tokensteps.server.steps import reach
from tokensteps.shell.walk import lesson_facts
from tokensteps.widgets.boxes import text_box
from tokensteps.widgets.controls import Controls
from tokensteps.widgets.downloads import download, sheet, show_link
from tokensteps.widgets.figures import save_rows, show_chart, show_rows
from tokensteps.widgets.notes import note
from tokensteps.widgets.tabs import show_tabs

SIZES_MEASURED: Final = 40
"""Vocabulary sizes to measure a comparison at: each takes as long as reading all words of the corpus as they
are split."""
OF_WORDS: Final = ("fertility", "whole_words")
"""Measures counted in words."""
ROWS_LISTED: Final = 2_000
"""Rows of the table of the algorithms' differences: all are sent to the browser, and the file has the
rest."""

WHO_DIFFERS: Mapping[str, str] = {
    "": N_("any of them"),
    "all": N_("all from each other"),
}


OTHER_METHODS: Mapping[str, str] = {
    "course": N_("the course's method"),
    "sentencepiece": N_("SentencePiece's method"),
}
"""Unigram's other ways of training on its own page."""


@dataclass(frozen=True)
class ComparisonView(StepView[Comparison]):
    """The tabs' input: a comparison at a size, and the display style of its tokens."""

    @property
    def snapshot(self) -> SizeSnapshot:
        """The comparison at this size."""
        return self.trace[self.step]


def show() -> None:
    """The whole page: sidebar, head, stage, tabs."""
    show_stepping(
        COMPARE_ALGORITHM,
        tell_compared,
        show_comparison,
        Controls.own_text_button,
    )


def tell_compared(controls: Controls) -> str:
    """A sentence on the page's contents; "" while there is nothing to compare."""
    runs = compared(controls["runs"])
    if len(runs) < 2:
        return ""
    message = _(
        "One corpus through {names}, side by side at every vocabulary size. The page opens where they differ most."
    )
    return message.format(names=side_names(runs))


@st.fragment
def show_comparison(controls: Controls, recipe: Recipe, run: Run[Comparison], comparison: Comparison) -> None:
    """The stage and, under it, the tabs."""
    use_language(st.session_state["language"])
    style = Style(comparison.corpus.pipeline.byte_level, controls["show"])
    apart = landmarks(comparison).get("gap", 0)
    step = show_stage(controls, recipe.url(), run, comparison, compare_frame, style, apart)
    if notes := [*tell_kinds(comparison.names), *filter(None, [tell_other_unigram(recipe, comparison)])]:
        st.caption(sentences(*notes))
    view = ComparisonView(controls, run, comparison, step, style)
    tabs: Mapping[str, Callable[[ComparisonView], None]] = {
        N_("Sweep chart"): sweep,
        N_("Vocabulary overlap"): overlap,
        N_("Where they disagree"): disagreements,
        N_("Measures"): sizes_measured,
        N_("At a glance"): at_a_glance,
        N_("Files and link"): comparison_files_tab,
    }
    show_tabs(view.key("tab"), tabs, view)


def tell_other_unigram(recipe: Recipe, comparison: Comparison) -> str:
    """Why Unigram's page, as it opens on the same corpus, trains another model than this one; "" if it
    doesn't."""
    if UNIGRAM.name not in comparison.names:
        return ""
    usual = {rule.name: usual_value("unigram", recipe["corpus"], rule) for rule in UNIGRAM_RULES}
    here = comparison.settings
    seed = next(side.sizes[0] for side in comparison.sides if side.name == UNIGRAM.name)
    there = seed_pieces(usual["seed"], usual["size"])
    reasons = []
    if (method := usual["method"]) != here["method"]:
        reasons.append(_(OTHER_METHODS[method]))
    # An uncut seed has everything: a larger one would be the same.
    if there < seed or there > seed == here["seed_size"]:
        message = _("a seed of at most {there} pieces instead of {here}")
        reasons.append(message.format(there=count(there), here=count(seed)))
    if not usual["whole"]:
        reasons.append(_("only substrings that are shorter than their word"))
    if any(usual[name] != recipe[name] for name in ("normalizer", "pre", "lines")):
        reasons.append(_("words split by other rules"))
    if usual["method"] == here["method"] == "sentencepiece":
        # EM runs once more at the size where pruning ends, and the most probable pieces are chosen there.
        reasons.append(_("a last choice of pieces at size {size}").format(size=count(usual["size"])))
    if not reasons:
        return ""
    return _("Unigram's page opens this corpus with other settings, so its pieces differ: {reasons}.").format(
        reasons=listed(reasons)
    )


def at_a_glance(_view: ComparisonView) -> None:
    """The three algorithms, row by row, on five words."""
    st.caption(
        _("On five words: {words}. These are the training pages' own results.").format(**lesson_facts())
    )
    st.html(algorithms_html(known_columns()))


# --- the sweep ----------------------------------------------------------------------------------------------


def sweep(view: ComparisonView) -> None:
    """The runs as lines over the vocabulary sizes, their meaning here, and where to look."""
    chart = str(
        st.segmented_control(
            _("Chart"),
            [name for name in SWEEPS if name != "overlap"],
            format_func=lambda name: _(SWEEPS[name]),
            key=view.key("chart"),
            persist_state="session",
            default="tokens",
            required=True,
            label_visibility="collapsed",
        )
    )
    plot_sweep(view, chart, "plot")
    if chart == "tokens":
        st.caption(sentences(*tell_tokens(view.snapshot)))
    else:
        st.caption(
            _(
                "The share of the text's words, counting repeats, that are split at the same places. At the "
                "start every word is single characters, and it is whole at the end of a training until no pair is left; "
                "in between, the same size does not mean the same tokens."
            )
        )
    goals = st.columns(3)
    positions = landmarks(view.trace)
    for column, (name, index) in zip(goals, positions.items(), strict=False):
        column.button(
            _("{name}: size {size}").format(name=_(LANDMARKS[name]), size=count(view.trace.sizes[index])),
            on_click=go_to,
            args=(view.key("book"), index),
            key=view.key(f"go.{name}"),
            width="stretch",
        )


def plot_sweep(view: ComparisonView, chart: str, key: str) -> None:
    """A chart over the sizes, with a description in words."""
    figure = sweep_chart(view.trace, chart, view.step)
    number = ".2f" if chart == "tokens" else ".1%"
    alt = curves_text(figure, _(SWEEPS[chart]), view.trace.sizes[view.step], number)
    show_chart(figure, view.key(key), alt)


def tell_tokens(snapshot: SizeSnapshot) -> list[str]:
    """How to read the chart, and the size at which each of the others needs as few tokens as the best one
    here."""
    lines = [
        _("Fewer tokens per word make a shorter text for the model, at the price of a larger vocabulary.")
    ]
    lines += tell_missing(snapshot)
    there = [standing for standing in snapshot.standings if standing.tokens_per_word is not None]
    best = min(there, key=lambda standing: standing.tokens_per_word or 0.0)
    for standing in there:
        if standing.tokens == best.tokens:
            continue
        size = snapshot.trace.first_size(standing.name, best.tokens_per_word or 0.0)
        message = _("{name} gets as low as {best}'s {number} only from size {size} on.")
        if size is None:
            message = _("{name} never gets as low as {best}'s {number} in this chart.")
        lines.append(
            message.format(
                name=side_name(standing.name),
                best=side_name(best.name),
                number=per_word(best),
                size=count(size or 0),
            )
        )
    if WORDPIECE.name in snapshot.trace.names:
        lines.append(
            _(
                "WordPiece, as the course trains it, scores a pair high when its symbols are rare elsewhere, so "
                "it joins rare symbols first and shortens the text slowly. The trainer of that name in the "
                "tokenizers library merges by count, as BPE does."
            )
        )
    return lines


LANDMARKS: Mapping[str, str] = {"gap": N_("Lines farthest apart"), "alike": N_("Fewest identical splits")}


def landmarks(comparison: Comparison) -> dict[str, int]:
    """Steps worth looking at: where the lines are farthest apart, and where the fewest words are split
    alike."""
    gaps: dict[int, float] = {}
    alike: dict[int, float] = {}
    for index, point in enumerate(comparison.sweep):
        heights = [height for height in point.tokens_per_word if height is not None]
        gaps[index] = max(heights) - min(heights)
        if point.alike is not None:
            alike[index] = point.alike
    results = {}
    if any(gaps.values()):
        results["gap"] = max(gaps, key=gaps.__getitem__)
    if any(share < 1 for share in alike.values()):
        results["alike"] = min(alike, key=alike.__getitem__)
    return results


# --- measures over the sizes --------------------------------------------------------------------------------


def sizes_measured(view: ComparisonView) -> None:
    """One measure over the vocabulary sizes, then all of them at this size; on the corpus itself, with the
    pre-tokens as words."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = str(
            st.selectbox(
                _("Measure"),
                OF_TEXT,
                format_func=measure_name,
                key=view.key("measure"),
                persist_state="session",
                width=320,
            )
        )
        vocabulary = name == "renyi_efficiency" and st.toggle(
            _("Over the whole vocabulary"), key=view.key("measure.vocabulary"), persist_state="session"
        )
    spread = thinned(range(len(view.trace) + 1), 0, SIZES_MEASURED)
    measured = {**_measured_at(view, spread), **_measured_at(view, [view.step])}
    positions = sorted(measured)
    results = [measured[index] for index in positions]
    curves = [
        [None if one is None else value_of(one, name, USUAL_ORDER, vocabulary) for one in row]
        for row in results
    ]
    figure = measures_chart(view.trace, positions, curves, name, view.step)
    here = positions.index(view.step)
    alt = curves_text(
        figure, measure_name(name), view.trace.sizes[view.step], ".1%" if name in SHARES else ".4f"
    )
    show_chart(figure, view.key("measure.chart"), alt)
    words = MEASURES[name]
    here_words = _("Here a word is what the pre-tokenizer cuts out.") if name in OF_WORDS else ""
    st.caption(sentences(_(words.definition), here_words, _(words.silent)))
    lines = [
        f"{side_name(algorithm)}: {put_in(one, name, USUAL_ORDER, vocabulary)}"
        for algorithm, one in zip(view.trace.names, results[here], strict=True)
        if one is not None
    ]
    text = "".join(f"<tr><td>{escape(line)}" for line in lines)
    st.html(
        f'<div class="ts measure"><p class="formula">{escape(_(words.formula))}</p><table>{text}</table></div>'
    )
    st.header(_("All measures at size {size}").format(size=count(view.trace.sizes[view.step])), anchor=False)
    show_rows(measured_here(view.trace.names, results[here]), view.key("measure.here"))
    st.header(_("All measures over the sizes"), anchor=False)
    save_rows(measured_sizes(view.trace, positions, results), view.key("measure.sizes"))


def _measured_at(view: ComparisonView, indices: Sequence[int]) -> dict[int, tuple[Measures | None, ...]]:
    """The measures at some of the sizes, cached: a chart's sizes are the same at each step."""
    rows = remembered(
        ("measures", view.run.name, reach(view.trace), tuple(indices)),
        lambda: [*measure_sizes(view.trace, indices)],
    )
    return dict(zip(indices, rows, strict=True))


def measured_here(names: Sequence[str], row: Sequence[Measures | None]) -> pd.DataFrame:
    """One row a measure, one column an algorithm."""
    return pd.DataFrame(
        [
            {
                _("Measure"): measure_name(name),
                **{
                    side_name(algorithm): measure_text(
                        name, None if one is None else value_of(one, name, USUAL_ORDER, False)
                    )
                    for algorithm, one in zip(names, row, strict=True)
                },
            }
            for name in OF_TEXT
        ]
    )


def measured_sizes(
    comparison: Comparison, indices: Sequence[int], rows: Sequence[Sequence[Measures | None]]
) -> pd.DataFrame:
    """One row a size and algorithm, one column a measure."""
    return pd.DataFrame(
        [
            {
                _("vocabulary size"): comparison.sizes[index],
                _("Algorithm"): side_name(algorithm),
                **{measure_name(name): value_of(one, name, USUAL_ORDER, False) for name in OF_TEXT},
            }
            for index, row in zip(indices, rows, strict=True)
            for algorithm, one in zip(comparison.names, row, strict=True)
            if one is not None
        ]
    )


# --- the overlap --------------------------------------------------------------------------------------------


def overlap(view: ComparisonView) -> None:
    """Tokens shared by the vocabularies, here and over the sizes."""
    result = view.snapshot.overlap()
    text = ngettext(
        "Tokens of more than one character; the only single character is left out, since all have it. "
        "WordPiece's tokens are compared without ##, so ug and ##ug count as one.",
        "Tokens of more than one character; the {number} single characters are left out, since all have "
        "them. WordPiece's tokens are compared without ##, so ug and ##ug count as one.",
        result.characters,
    )
    missing = tell_missing(view.snapshot)
    if missing or WORDPIECE.name not in view.trace.names:
        text = ngettext(
            "Tokens of more than one character; the only single character is left out.",
            "Tokens of more than one character; the {number} single characters are left out.",
            result.characters,
        )
    st.caption(sentences(text.format(number=count(result.characters)), *missing))
    if not any(result.regions.values()):
        note(_("At this size there are only single characters: move to the right."))
    else:
        st.html(overlap_html(result, view.style))
        st.html(jaccard_html(result))
    plot_sweep(view, "overlap", "overlap")


# --- the words ----------------------------------------------------------------------------------------------


def disagreements(view: ComparisonView) -> None:
    """Words with different splits, as a table."""
    left, middle, right = st.columns([2, 2, 3], vertical_alignment="bottom")
    find = text_box(
        _("Find"),
        FIND_LIMIT,
        container=left,
        key=view.key("looked_for"),
        persist_state="session",
        placeholder="th",
    )
    who = middle.selectbox(
        _("Which differ"),
        ["", *view.trace.names, "all"],
        format_func=differs_name,
        key=view.key("who"),
        persist_state="session",
    )
    words: list[Disagreement] = remembered(
        ("disagreements", view.run.name, reach(view.trace), view.step), view.snapshot.disagreements
    )
    chosen = [result for result in words if not who or result.apart == who]
    shown = disagreement_table(view.trace.names, chosen, view.style, find or "")
    right.caption(sentences(*tell_disagreements(view, chosen, len(shown))))
    most = landmarks(view.trace).get("alike")
    if not words and most is not None:
        text = _("Every word is split the same way at this size. They differ most at size {size}.")
        note(text.format(size=count(view.trace.sizes[most])))
    show_rows(shown.head(ROWS_LISTED), view.key("words"), export=False)
    name, snapshot = COMPARE_ALGORITHM.name, view.snapshot
    for_sheets = partial(sheet, disagreements_to_csv, snapshot)
    download(st, _("These words (CSV for spreadsheets)"), f"{name}-words.csv", for_sheets, name)
    for_programs = partial(disagreements_to_csv, snapshot, plain=True)
    download(st, _("These words (plain CSV for programs)"), f"{name}-words-plain.csv", for_programs, name)


def differs_name(run: str) -> str:
    """The name of a choice of words: those split differently by one run, or by all of them."""
    if run in WHO_DIFFERS:
        return _(WHO_DIFFERS[run])
    return _("{name} alone").format(name=side_name(run))


def tell_disagreements(view: ComparisonView, chosen: Sequence[Disagreement], listed: int) -> list[str]:
    """The number of these words, their share of the text, and the number listed."""
    message = ngettext(
        "{number} word, {share} of the text.",
        "{number} different words, {share} of the text.",
        len(chosen),
    )
    freq = sum(result.freq for result in chosen)
    share = share_text(freq / view.trace.corpus.total) if chosen else percent("0")
    lines = [message.format(number=count(len(chosen)), share=share), *tell_missing(view.snapshot)]
    if listed > ROWS_LISTED:
        lines.append(_("The first {number} are listed.").format(number=count(ROWS_LISTED)))
    return lines


def disagreement_table(
    runs: Sequence[str], words: list[Disagreement], style: Style, find: str = ""
) -> pd.DataFrame:
    """Words with their splits, the most frequent first; with `find`, only words containing it."""

    def written(cut: Cut | None) -> str:
        return "" if cut is None else " · ".join(readable(token, style) for token in cut)

    rows = [
        (
            index,
            readable(word, style),
            freq,
            *map(written, cuts),
            who_differs(runs, cuts, apart),
            *(None if cut is None else len(cut) for cut in cuts),
        )
        for index, (word, freq, cuts, apart) in enumerate(words, start=1)
    ]
    counts = [_("{name}: tokens").format(name=side_name(name)) for name in runs]
    names = [
        _("position"),
        _("word"),
        _("count"),
        *map(side_name, runs),
        _("differs"),
        *counts,
    ]
    table = pd.DataFrame(rows, columns=names)
    table[counts] = table[counts].astype("Int64")
    return matching(table, find, tokens=1)


def who_differs(runs: Sequence[str], cuts: tuple[Cut | None, ...], apart: str) -> str:
    """The runs with a split of their own, among the runs with a split."""
    if apart != "all":
        return side_name(apart)
    there = [name for name, cut in zip(runs, cuts, strict=True) if cut is not None]
    return _("all") if len(there) == len(runs) else side_names(there)


# --- the files ----------------------------------------------------------------------------------------------


def comparison_files_tab(view: ComparisonView) -> None:
    """A link, the sweep, the comparison at this size, and a handout."""
    comparison, style, controls = view.trace, view.style, view.controls
    title = _("{page}: {corpus}").format(
        page=_(COMPARE_ALGORITHM.title), corpus=corpus_title(controls["corpus"])
    )
    show_link(_("This step as a link"), controls.recipe(), controls.url(), view.step)
    st.header(_("The comparison"), anchor=False)
    columns = st.columns(3)
    page = partial(handout, title, len(comparison), lambda step: compare_frame(comparison[step], style))
    makers: tuple[tuple[str, str, Callable[[], str | bytes]], ...] = (
        (_("Handout that steps offline (HTML)"), "handout.html", page),
        (_("The sweep over all sizes (CSV)"), "sweep.csv", partial(sheet, sweep_to_csv, comparison)),
        (
            _("Everything at this size, and the sweep (JSON)"),
            "comparison.json",
            partial(comparison_to_json, view.snapshot),
        ),
    )
    for column, (label, name, make) in zip(columns, makers, strict=True):
        download(column, label, f"{COMPARE_ALGORITHM.name}-{name}", make, COMPARE_ALGORITHM.name)
    st.caption(_("Save a chart as a picture with its camera icon, and a table with its arrow icon."))
