"""The playground's tab “Health”: a vocabulary's tokens that no text gives, and its makeup."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape
from typing import Final

import streamlit as st

from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.health.report import Health
from tokenizers_core.measures import USUAL_ORDER
from tokensteps.catalogue import side_by_side
from tokensteps.catalogue.analysis import Analysis
from tokensteps.catalogue.health import health_of
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer
from tokensteps.catalogue.side_by_side import LETTERS
from tokensteps.drawing.tables import matching
from tokensteps.language.health import FINDINGS, FOLD_WORDS
from tokensteps.language.i18n import _, count, current_language, ngettext
from tokensteps.language.measures import OF_TEXT, measure_name, put_in
from tokensteps.language.messages import explained
from tokensteps.limits import FIND_LIMIT, MOST_ROWS
from tokensteps.pages.explore.health import health_view as view
from tokensteps.pages.explore.health.health_state import HEALTH_TAB, WHOSE
from tokensteps.pages.explore.measures.measures_tab import MEASURES_TAB
from tokensteps.pages.explore.playground_state import chosen_specs
from tokensteps.pages.explore.playground_tokenizers import letter_box
from tokensteps.pages.explore.why.why_state import note_tab
from tokensteps.server.shared_cache import drawn
from tokensteps.server.stores import digest
from tokensteps.widgets import stage
from tokensteps.widgets.boxes import text_box
from tokensteps.widgets.figures import save_rows, show_rows
from tokensteps.widgets.notes import note, problem
from tokensteps.widgets.tabs import open_tab

ROW_SIZE: Final = 700
"""Bytes for a row of the table of findings."""


def health_tab(analyses: Mapping[str, Analysis]) -> None:
    """The check of one of the tokenizers: it begins when the tab is opened, and the page can be used
    meanwhile."""
    note_tab(HEALTH_TAB)
    state = st.session_state

    def again() -> None:
        stopped.pop(name, None)  # a second click finds nothing

    letter = letter_box(analyses, _("Vocabulary"), WHOSE)
    subject, spec = analyses[letter].subject, chosen_specs()[LETTERS.index(letter)]
    name = digest(f"health {spec}".encode())
    position = f"playground.health.{letter}"
    stopped: dict[str, Health | None] = state.get(f"{position}.stopped", {})
    if name in stopped:
        note(_("The check was stopped: tokens that it didn't get to count as not settled."))
        st.button(_("Check all tokens"), key=f"{position}.again", on_click=again)
    # Stopped before it had found anything out, there is nothing to show.
    health = (
        None
        if stopped.get(name, subject) is None
        else stage.build(position, name, partial(health_of, subject))
    )
    if health is None:
        return
    show_findings(name, subject, health)
    show_makeup(subject, health)
    show_near_doubles(subject, health)
    show_long_ones(subject, health)
    show_measures(analyses[letter])
    show_sentences(letter, subject)


def show_findings(name: str, subject: ShownTokenizer, health: Health) -> None:
    """The tokens given by a text, and why others are never given; `name` names the check."""
    result = view.findings(subject, health)
    st.html(view.figures_html(result, health))
    st.caption(
        _(
            "Each token's own text is encoded first. Where that gives other tokens, we look for a text that has this one, or for a proof that none can. "
            "What we can neither show nor rule out is “not settled”."
        )
    )
    options = [*(name for name in FINDINGS if result[name]), "all"]
    names = {**{kind: _(text) for kind, text in FINDINGS.items()}, "all": _("All tokens")}
    groups = {**result, "all": sorted(identifier for group in result.values() for identifier in group)}
    titles = {kind: f"{names[kind]} ({count(len(group))})" for kind, group in groups.items()}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        state, key = st.session_state, "playground.health.finding"
        if state.get(key) not in options or f"{key}.chosen" not in state:
            state[key] = options[0]  # another vocabulary's first finding is nobody's choice
        chosen = st.selectbox(
            _("Show"),
            options,
            format_func=titles.__getitem__,
            key=key,
            persist_state="session",
            width=280,
            on_change=lambda: state.update({f"{key}.chosen": True}),
        )
        query = text_box(
            _("Search the tokens and reasons"),
            FIND_LIMIT,
            key="playground.health.query",
            persist_state="session",
        )
    ids = groups[chosen]
    table = drawn(  # all rows of a large vocabulary take half a second
        (name, health.finished, chosen, current_language()),
        lambda: view.findings_table(subject, health, ids),
        lambda table: ROW_SIZE * (len(table) + 1),
    )
    if query:
        table = matching(table, query, 3)
    shown = table.head(MOST_ROWS)
    show_rows(shown, "playground.health.findings", ids=True, export=False)
    if len(shown) < len(table):
        message = _("The first {shown} of {all} rows; the file has all of them.")
        st.caption(message.format(shown=count(len(shown)), all=count(len(table))))
    if len(table):
        save_rows(table, "playground.health.findings")


def show_makeup(subject: ShownTokenizer, health: Health) -> None:
    """Scripts, lengths, numbers, indentation."""
    st.header(_("What the tokens consist of"), anchor=False)
    left, right = st.columns(2)
    left.html(view.kinds_html(health.makeup))
    right.html(view.lengths_html(health.makeup))
    st.header(_("Numbers and code"), anchor=False)
    try:
        numbers, code = view.cuts_html(subject, view.NUMBERS_CUT), view.cuts_html(subject, [view.CODE_CUT])
    except TokenizersCoreError as error:
        problem(explained(error))
        return
    left, right = st.columns(2)
    left.caption(view.tell_digits(health.makeup))
    left.html(numbers)
    right.caption(view.tell_spaces(health.makeup))
    right.html(code)


def show_near_doubles(subject: ShownTokenizer, health: Health) -> None:
    """Tokens with only one difference between them."""
    st.header(_("Nearly the same"), anchor=False)
    folds = list(health.doubles)
    key = "playground.health.fold"
    if st.session_state.get(key) not in folds:
        st.session_state[key] = folds[0]
    chosen = st.selectbox(
        _("Tokens that differ only in"),
        folds,
        format_func=lambda name: _(FOLD_WORDS[name]),
        key=key,
        persist_state="session",
        width=320,
    )
    doubles = health.doubles[chosen]
    st.caption(
        ngettext(
            "{number} token repeats another but for this.",
            "{number} tokens repeat another but for this.",
            doubles.number,
        ).format(number=count(doubles.number))
    )
    if doubles.groups:
        show_rows(view.doubles_table(subject, doubles.groups), "playground.health.doubles")


def show_long_ones(subject: ShownTokenizer, health: Health) -> None:
    """The longest tokens."""
    st.header(_("The longest tokens"), anchor=False)
    show_rows(view.longest_table(subject, health.makeup.longest), "playground.health.longest", ids=True)


def show_measures(analysis: Analysis) -> None:
    """The vocabulary's measures on the text above."""
    if not analysis.text:
        return
    st.header(_("On the text above"), anchor=False)
    text = "".join(
        f"<tr><td>{escape(measure_name(name))}<td>{escape(put_in(analysis.measures, name, USUAL_ORDER, False))}"
        for name in OF_TEXT
    )
    st.html(f'<div class="ts measure"><table>{text}</table></div>')
    st.button(
        _("What these measures mean: “{tab}”").format(tab=_(MEASURES_TAB)),
        key="playground.health.measures",
        on_click=open_tab,
        args=("playground.tab", MEASURES_TAB),
    )


def show_sentences(letter: str, subject: ShownTokenizer) -> None:
    """Fertility: the number of tokens for a word."""
    st.header(_("One sentence in many languages"), anchor=False)
    st.caption(
        _(
            "Tokens per word is also called fertility. Chinese, Japanese and Thai put no spaces between words: compare tokens per character, and with English. A sentence with unknown tokens has no figures."
        )
    )
    try:
        table = view.languages_table(side_by_side.fertilities({letter: subject}))
    except TokenizersCoreError as error:
        problem(explained(error))
        return
    show_rows(table, "playground.health.languages", digits=2)
