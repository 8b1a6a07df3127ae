"""The playground's tab “Measures”: up to four tokenizers on the text and on parallel lines, each measure with
its formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import pandas as pd
import streamlit as st

from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.measures import USUAL_ORDER, ParallelMeasures, check_parallel
from tokensteps.catalogue.analysis import Analysis
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer
from tokensteps.catalogue.side_by_side import LETTERS
from tokensteps.language.i18n import N_, _, count
from tokensteps.language.marks import first_marks, marked
from tokensteps.language.measures import (
    MEASURES,
    OF_TEXT,
    measure_name,
    measure_text,
    parallel_put_in,
    put_in,
    value_of,
)
from tokensteps.language.messages import explained
from tokensteps.language.names import language_name
from tokensteps.limits import PARALLEL_CHARACTERS
from tokensteps.pages.explore.playground_charts import premiums_chart
from tokensteps.pages.explore.playground_state import chosen_specs
from tokensteps.runs.corpora import plain_text
from tokensteps.runs.parallel import parallel_lines, read_parallel
from tokensteps.server.shared_cache import remembered
from tokensteps.server.stores import digest
from tokensteps.widgets.figures import show_chart, show_rows
from tokensteps.widgets.notes import note, problem
from tokensteps.widgets.tabs import open_tab

MEASURES_TAB = N_("Measures")
MEASURES_KEY = "playground.measures"
PASTED = "English\tDeutsch\nGood morning.\tGuten Morgen."
"""A sample of a table of parallel lines, whatever the page's language."""


def measures_tab(analyses: Mapping[str, Analysis]) -> None:
    """The table of the text, one measure explained, and parallel lines."""
    st.caption(
        _(
            "Each measure says one thing about a tokenizer on one text. Choose one below to see its formula with your numbers, and what it doesn't tell."
        )
    )
    order, vocabulary = entropy_settings()
    if next(iter(analyses.values())).text:
        show_rows(measures_table(analyses, order, vocabulary), f"{MEASURES_KEY}.table")
    else:
        note(_("There is no text yet."))
    st.header(_("The same lines in several languages"), anchor=False)
    result = parallel_part(analyses)
    explain_measure(analyses, result, order, vocabulary)


def entropy_settings() -> tuple[float, bool]:
    """The order of Rényi's entropy, and the vocabulary for its efficiency."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        order = st.number_input(
            _("Order of Rényi's entropy"),
            min_value=0.0,
            max_value=100.0,
            value=USUAL_ORDER,
            step=0.5,
            key=f"{MEASURES_KEY}.order",
            width=220,
            persist_state="session",
            help=_(
                "1 is Shannon's entropy; the higher the order, the more frequent tokens count. 2.5 is the paper's."
            ),
        )
        names = {False: _("the tokens that occur"), True: _("the whole vocabulary")}
        whole = st.segmented_control(
            _("Largest entropy: that of"),
            list(names),
            format_func=names.__getitem__,
            key=f"{MEASURES_KEY}.vocabulary",
            default=False,
            required=True,
            persist_state="session",
        )
    return float(USUAL_ORDER if order is None else order), bool(whole)


def measures_table(analyses: Mapping[str, Analysis], order: float, vocabulary: bool) -> pd.DataFrame:
    """One row a measure, one column a tokenizer."""
    rows = []
    for name in OF_TEXT:
        row: dict[str, object] = {_("Measure"): measure_name(name)}
        for letter, analysis in analyses.items():
            value = value_of(analysis.measures, name, order, vocabulary)
            row[f"{letter} · {analysis.subject.name}"] = measure_text(name, value)
        rows.append(row)
    return pd.DataFrame(rows)


# --- Parallel lines -----------------------------------------------------------------------------------------


def parallel_part(analyses: Mapping[str, Analysis]) -> dict[str, ParallelMeasures]:
    """The measures of the same lines in several languages, by tokenizer; nothing if they can't be had (with a
    message)."""
    texts = chosen_texts()
    if texts is None:
        return {}
    try:
        check_parallel(texts)
        results = {
            letter: parallel_of(chosen_specs()[LETTERS.index(letter)], one.subject, texts)
            for letter, one in analyses.items()
        }
    except TokenizersCoreError as error:
        problem(explained(error))
        return {}
    names = {language: language_name(language) for language in texts}
    show_rows(parallel_table(results, names), f"{MEASURES_KEY}.parallel", digits=4)
    if any(value is None for one in results.values() for value in one.premium.values()):
        st.caption(_("No premium where some of the tokens are unknown: they say nothing of the text."))
    show_chart(premiums_chart(results, names), f"{MEASURES_KEY}.parallel.chart", _("Premium by language"))
    return results


def chosen_texts() -> Mapping[str, Sequence[str]] | None:
    """The app's forty lines, or a pasted table; None if that can't be read (with a message)."""
    names = {"ours": _("forty lines in six languages"), "own": _("lines of your own")}
    which = st.segmented_control(
        _("Lines"),
        list(names),
        format_func=names.__getitem__,
        key=f"{MEASURES_KEY}.lines",
        default="ours",
        required=True,
        label_visibility="collapsed",
        persist_state="session",
    )
    if which != "own":
        return parallel_lines()
    written = st.text_area(
        _("A table as a spreadsheet copies it: the languages in the first row, then a row for each line"),
        key=f"{MEASURES_KEY}.own",
        height=150,
        placeholder=PASTED,
        persist_state="session",
    )
    text = plain_text(written or "")
    if not text.strip():
        note(_("There are no lines yet: paste some."))
        return None
    if len(text) > PARALLEL_CHARACTERS:
        message = _("The table has {size} characters, but the page takes {limit}: shorten it.")
        problem(message.format(size=count(len(text)), limit=count(PARALLEL_CHARACTERS)))
        return None
    try:
        return read_parallel(text)
    except TokenizersCoreError as error:
        problem(explained(error))
        return None


def parallel_of(spec: str, subject: ShownTokenizer, texts: Mapping[str, Sequence[str]]) -> ParallelMeasures:
    """The measures of the tokenizer with this `spec`. Raises the errors of encoding."""
    name = digest(repr((spec, [*texts.items()])).encode("utf-8", "replace"))

    def make() -> ParallelMeasures:
        ids = {language: subject.ids_of(lines) for language, lines in texts.items()}
        unknown = subject.unknown_id
        return ParallelMeasures(
            len(next(iter(texts.values()))),
            {language: sum(map(len, result)) for language, result in ids.items()},
            {language: sum(line.count(unknown) for line in result) if unknown is not None else 0
             for language, result in ids.items()},
        )  # fmt: skip

    return remembered((parallel_of, name), make)


def parallel_table(parallel: Mapping[str, ParallelMeasures], names: Mapping[str, str]) -> pd.DataFrame:
    """One row a language: tokens per line and premium by tokenizer; the last row has Gini's coefficient."""
    per_line = {letter: _("Tokens per line {letter}").format(letter=letter) for letter in parallel}
    premium = {letter: _("Premium {letter}").format(letter=letter) for letter in parallel}
    rows: list[dict[str, object]] = []
    for language, name in names.items():
        row: dict[str, object] = {_("Language"): name}
        for letter, one in parallel.items():
            row |= {per_line[letter]: one.per_line[language], premium[letter]: one.premium[language]}
        rows.append(row)
    last: dict[str, object] = {_("Language"): measure_name("gini")}
    for letter, one in parallel.items():
        last |= {per_line[letter]: one.gini, premium[letter]: None}
    return pd.DataFrame([*rows, last])


# --- One measure --------------------------------------------------------------------------------------------


def explain_measure(
    analyses: Mapping[str, Analysis], parallel: Mapping[str, ParallelMeasures], order: float, vocabulary: bool
) -> None:
    """A measure's definition, its formula with the numbers put in, its limits, and a link to its
    ingredients."""
    st.header(_("One measure"), anchor=False)
    names = [*OF_TEXT, *(["premium", "gini"] if parallel else [])]
    name = str(
        st.selectbox(
            _("Measure"),
            names,
            format_func=measure_name,
            key=f"{MEASURES_KEY}.one",
            label_visibility="collapsed",
            width=340,
            persist_state="session",
        )
    )
    words = MEASURES[name]
    languages = {one: language_name(one) for own in parallel.values() for one in own.tokens}
    lines = {
        letter: parallel_put_in(parallel[letter], languages)[name]
        if name not in OF_TEXT
        else put_in(analysis.measures, name, order, vocabulary)
        for letter, analysis in analyses.items()
        if name in OF_TEXT or letter in parallel
    }
    rows = "".join(
        f"<tr><td><b>{escape(letter)}</b> {escape(analyses[letter].subject.name)}<td>{escape(text)}"
        for letter, text in lines.items()
    )
    silent = _("What it doesn't tell:")
    st.html(
        first_marks(
            f'<div class="ts measure"><p><b>{marked(measure_name(name))}</b><br>{marked(_(words.definition))}</p>'
            f'<p class="formula">{escape(_(words.formula))}</p><table>{rows}</table>'
            f'<p class="k"><b>{escape(silent)}</b> {marked(_(words.silent))}</p></div>'
        )
    )
    st.button(
        _("What it is made of: “{tab}”").format(tab=_(words.tab)),
        key=f"{MEASURES_KEY}.made_of",
        on_click=open_tab,
        args=("playground.tab", words.tab),
    )
