"""The playground's tab “Tokens by count”: a table of the text's tokens, and the text's cost."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from tokensteps.catalogue.analysis import Analysis
from tokensteps.drawing.tokens import readable
from tokensteps.language.i18n import N_, _, count
from tokensteps.language.numbers import price_text
from tokensteps.limits import MOST_ROWS
from tokensteps.pages.explore.measures.prices import prices
from tokensteps.pages.explore.playground_tokenizers import letter_box
from tokensteps.widgets.figures import save_rows, show_rows
from tokensteps.widgets.notes import note

TOKENS_TAB = N_("Tokens by count")
TOKENS_KEY = "playground.tokens"


def tokens_tab(analyses: Mapping[str, Analysis]) -> None:
    """The tokens of one tokenizer, the most frequent first; then the text's cost with each tokenizer."""
    analysis = analyses[letter_box(analyses, _("Tokenizer"), f"{TOKENS_KEY}.whose")]
    if not len(analysis):
        note(_("There is no text yet."))
        return
    table = counted_tokens(analysis)
    message = _("{different} different tokens among {all}. Click a heading to sort by it.")
    st.caption(message.format(different=count(len(table)), all=count(len(analysis))))
    shown = table.head(MOST_ROWS)
    show_rows(shown, f"{TOKENS_KEY}.table", ids=True, digits=3, export=False)
    if len(shown) < len(table):
        text = _("The first {shown} of {all} rows; the file has all of them.")
        st.caption(text.format(shown=count(len(shown)), all=count(len(table))))
    save_rows(table, f"{TOKENS_KEY}.table")
    st.header(_("What the text costs"), anchor=False)
    show_rows(costs_table(analyses, *prices()), f"{TOKENS_KEY}.costs")


def counted_tokens(analysis: Analysis) -> pd.DataFrame:
    """One row per token of the text: the most frequent first, equally frequent ones by their first place."""
    subject, first = analysis.subject, dict[int, int]()
    for index, identifier in enumerate(analysis.ids):
        first.setdefault(identifier, index)
    counts, all_tokens = analysis.occurrences, len(analysis)
    ranked = sorted(first, key=lambda identifier: (-counts[identifier], first[identifier]))
    return pd.DataFrame(
        {
            _("Id"): ranked,
            _("Token"): [readable(subject.token(identifier), subject.style) for identifier in ranked],
            _("Count"): [counts[identifier] for identifier in ranked],
            _("Share, %"): [100 * counts[identifier] / all_tokens for identifier in ranked],
            _("First character"): [analysis.offsets[first[identifier]][0] for identifier in ranked],
        }
    )


def costs_table(analyses: Mapping[str, Analysis], read: float, written: float) -> pd.DataFrame:
    """The text's cost with each tokenizer, as a model's input and as its output."""
    rows = [
        {
            _("Tokenizer"): f"{letter} · {analysis.subject.name}",
            _("Tokens"): len(analysis),
            _("Cost if a model reads it"): price_text(len(analysis) * read / 1_000_000),
            _("Cost if a model writes it"): price_text(len(analysis) * written / 1_000_000),
        }
        for letter, analysis in analyses.items()
    ]
    return pd.DataFrame(rows)
