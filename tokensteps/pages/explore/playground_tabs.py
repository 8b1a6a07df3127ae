"""The tabs under the playground's tokens: several tokenizers side by side, counts, languages, files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pandas as pd
import streamlit as st

from tokenizers_core.errors import TokenizersCoreError
from tokensteps.catalogue import side_by_side
from tokensteps.catalogue.analysis import Analysis
from tokensteps.catalogue.lookup import TokenMatches, ids_written, search
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer
from tokensteps.catalogue.texts import TEXTS
from tokensteps.components.address import page_address
from tokensteps.components.chips import aligned
from tokensteps.drawing.chips import Shown
from tokensteps.drawing.tokens import chip
from tokensteps.language.i18n import N_, _, count, ngettext
from tokensteps.language.messages import explained
from tokensteps.limits import FIND_LIMIT, LOOKUP_LIMIT
from tokensteps.pages.explore.chat.chat_tab import chat_tab
from tokensteps.pages.explore.health.health_tab import health_tab
from tokensteps.pages.explore.measures.measures_tab import MEASURES_TAB, measures_tab
from tokensteps.pages.explore.measures.tokens_tab import TOKENS_TAB, tokens_tab
from tokensteps.pages.explore.playground_charts import counts_chart, languages_chart
from tokensteps.pages.explore.playground_files import tokens_csv, tokens_html, tokens_json, tokens_sheet
from tokensteps.pages.explore.playground_state import (
    chosen_specs,
    playground_url,
    playground_value,
    set_text,
)
from tokensteps.pages.explore.playground_tokenizers import letter_box
from tokensteps.pages.explore.why.cuts_tab import cuts_tab
from tokensteps.pages.explore.why.why_state import CUTS_TAB, WHY_TAB
from tokensteps.pages.explore.why.why_tab import why_tab
from tokensteps.widgets.boxes import text_box
from tokensteps.widgets.downloads import download, show_address
from tokensteps.widgets.figures import show_chart, show_rows
from tokensteps.widgets.notes import note, problem
from tokensteps.widgets.tabs import show_tabs


def show_playground_tabs(analyses: Mapping[str, Analysis]) -> None:
    """Draw the tabs; the analyses are keyed by the letters of their tokenizers."""
    bodies: Mapping[str, Callable[[Mapping[str, Analysis]], None]] = {
        N_("Side by side"): aligned_tab,
        WHY_TAB: why_tab,
        CUTS_TAB: cuts_tab,
        N_("Counts"): counts_tab,
        MEASURES_TAB: measures_tab,
        TOKENS_TAB: tokens_tab,
        N_("Costly words"): words_tab,
        N_("Languages"): languages_tab,
        N_("Look up"): lookup_tab,
        N_("Health"): health_tab,
        N_("Chat"): chat_tab,
        N_("Files and link"): playground_files_tab,
    }
    show_tabs("playground.tab", bodies, analyses)


def _first(analyses: Mapping[str, Analysis]) -> Analysis:
    """The tokenizer whose chips are shown: A, unless it can't be had."""
    return next(iter(analyses.values()))


def show_numbers(table: pd.DataFrame, name: str) -> None:
    """A table with uniform number formats."""
    show_rows(table, f"playground.{name}", digits=2)


def aligned_tab(analyses: Mapping[str, Analysis]) -> None:
    """The text once for each tokenizer, aligned."""
    if len(analyses) < 2:
        if len(chosen_specs()) > 1:
            note(_("As soon as two of the tokenizers are loaded, the text is here once for each, aligned."))
        else:
            note(_("Choose a second tokenizer in the sidebar to see the text here once for each, aligned."))
        return
    st.caption(
        _(
            "Where all agree on the boundaries, the chips are plain; where they differ, they are framed. A small number says how many tokens share a stretch that can't be divided."
        )
    )
    aligned(side_by_side.aligned_lines(analyses), label=_("Side by side"), key="playground.aligned")
    text = _first(analyses).text
    if len(text) > side_by_side.CHARACTERS_SHOWN:
        message = _("The first {shown} of {all} characters are aligned; the counts cover everything.")
        st.caption(message.format(shown=count(side_by_side.CHARACTERS_SHOWN), all=count(len(text))))
    st.header(_("Shared boundaries, %"), anchor=False)
    agreement = side_by_side.agreement_table(analyses).round(1)
    show_rows(agreement, "playground.agreement", index=True)


def counts_tab(analyses: Mapping[str, Analysis]) -> None:
    """The text's cost with each tokenizer."""
    if not _first(analyses).text:
        note(_("There is no text yet."))
        return
    st.caption(
        _(
            "A word is the text between whitespace; a grapheme is what a reader sees as one character. Bytes "
            "are UTF-8. Unknown tokens stand for what the vocabulary can't spell."
        )
    )
    show_numbers(side_by_side.text_counts_table(analyses), "counts")
    show_chart(counts_chart(analyses), "playground.counts.chart", _("Tokens by tokenizer"))


def words_tab(analyses: Mapping[str, Analysis]) -> None:
    """The words with the highest cost."""
    table = side_by_side.costliest_words(analyses)
    if table.empty:
        note(_("The text has no words."))
        return
    st.caption(_("A word is the text between whitespace. Tokens per occurrence, on average."))
    st.html(
        side_by_side.words_html(
            {letter: analysis.subject for letter, analysis in analyses.items()},
            list(table["word"][: side_by_side.WORDS_DRAWN]),
        )
    )
    names = {"word": _("Word"), "occurrences": _("Count")}
    show_numbers(table.rename(columns=names), "words")


def languages_tab(analyses: Mapping[str, Analysis]) -> None:
    """The same sentence in many languages."""
    subjects = {letter: analysis.subject for letter, analysis in analyses.items()}
    st.caption(
        _(
            "One sentence in many languages. The rarer a script was in the training text, the more tokens a "
            "byte-level tokenizer needs, up to one per byte; others give up, and “?” marks where some of the "
            "tokens are unknown. Lengths differ too: the sentence has the fewest characters in Chinese."
        )
    )
    try:
        rows = side_by_side.fertilities(subjects)
    except TokenizersCoreError as error:
        problem(explained(error))
        return
    show_chart(languages_chart(rows, analyses), "playground.languages.chart", _("Tokens by language"))
    show_numbers(side_by_side.fertility_table(rows, analyses), "languages")
    if st.button(_("Put these sentences in the box"), key="playground.languages.take"):
        set_text(TEXTS["languages"].make())
        st.rerun(scope="fragment")


def lookup_tab(analyses: Mapping[str, Analysis]) -> None:
    """A search for tokens by their text, and the text of given ids."""
    subject = analyses[letter_box(analyses, _("Vocabulary"), "playground.lookup.whose")].subject
    kinds = {"text": _("text"), "bytes": _("bytes"), "regex": _("regular expression")}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        kind = st.selectbox(
            _("Search for"),
            list(kinds),
            format_func=kinds.__getitem__,
            key="playground.lookup.kind",
            width=200,
            persist_state="session",
        )
        query = text_box(
            _("in the tokens"), FIND_LIMIT, key="playground.lookup.query", persist_state="session"
        )
    written = text_box(
        _("Ids, to see their text"),
        LOOKUP_LIMIT,
        key="playground.lookup.ids",
        placeholder="15496, 995",
        persist_state="session",
    )
    try:
        if query:
            _show_matches(subject, search(subject, kind, query))
        if written:
            ids = ids_written(subject, written)
            shown = "".join(chip(subject.token(one), subject.style) for one in ids)
            st.html(f'<div class="ts"><p class="row">{shown}</p></div>')
            st.caption(_("Their bytes as text:"))
            st.code(
                b"".join(map(subject.token_bytes, ids)).decode("utf-8", "replace"),
                language=None,
                wrap_lines=True,
            )
    except TokenizersCoreError as error:
        problem(explained(error))


def _show_matches(subject: ShownTokenizer, result: TokenMatches) -> None:
    text = ngettext("{number} token", "{number} tokens", result.number).format(number=count(result.number))
    st.caption(text)
    facts = [subject.facts(identifier) for identifier in result.ids]
    table = pd.DataFrame(
        {
            _("Id"): list(result.ids),
            _("Token"): [subject.token(identifier) for identifier in result.ids],
            _("Bytes"): [subject.token_bytes(identifier).hex(" ").upper() for identifier in result.ids],
            _("Rank"): pd.array([fact.rank for fact in facts], dtype="Int64"),
            _("Log probability"): [fact.score for fact in facts],
        }
    )
    show_rows(table.dropna(axis=1, how="all"), key="playground.lookup.found", ids=True)


def playground_files_tab(analyses: Mapping[str, Analysis]) -> None:
    """A link to the page, and the tokens as files."""
    st.header(_("Link to this page"), anchor=False)
    values = {name: value for name, value in playground_url().items() if value is not None}
    st.session_state[
        "playground.drafts"
    ] = {}  # somebody may have the link from now on, so this version must stay
    show_address(page_address(values))
    if "id" in values:
        note(
            _(
                "A link can't hold this text. Its address restores it on this server for as long as the server "
                "remembers it; to share it, send the text itself."
            )
        )
    if any(value.startswith("file?") for value in values.values()):
        note(_("Only this server remembers an uploaded tokenizer, and only for a while."))
    analysis = _first(analyses)
    st.header(_("The tokens"), anchor=False)
    shown = Shown(playground_value("write"), playground_value("spaces"), analysis.subject.style)
    makers: tuple[tuple[str, str, Callable[[], str | bytes]], ...] = (
        (_("Tokens (CSV for spreadsheets)"), "tokens.csv", partial(tokens_sheet, analysis)),
        (_("Tokens (plain CSV for programs)"), "tokens-plain.csv", partial(tokens_csv, analysis)),
        (_("Tokens (JSON)"), "tokens.json", partial(tokens_json, analysis)),
        (
            _("Colored page (HTML)"),
            "tokens.html",
            partial(tokens_html, analysis, shown),
        ),
    )
    for column, (label, name, make) in zip(st.columns(len(makers)), makers, strict=True):
        download(column, label, name, make, "playground")
