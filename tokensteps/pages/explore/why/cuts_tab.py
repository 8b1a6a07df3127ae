"""The playground's tab “Ways to cut”: one vocabulary used in several ways, on a word and on the whole
text."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from tokenizers_core.encoding.cuts.ways import TextCuts
from tokenizers_core.errors import TokenizersCoreError
from tokensteps.catalogue.analysis import Analysis
from tokensteps.catalogue.choices import TokenizerSpec
from tokensteps.catalogue.shown_tokenizers import ShownTokenizer
from tokensteps.catalogue.side_by_side import LETTERS, WORDS_DRAWN
from tokensteps.components.address import page_address
from tokensteps.drawing.cuts.overview import differing_html
from tokensteps.drawing.tokens import Style
from tokensteps.language.i18n import _, count
from tokensteps.language.messages import explained
from tokensteps.language.names import USE_NAMES
from tokensteps.language.numbers import share_text
from tokensteps.limits import CUT_LIMIT, WHY_WORD
from tokensteps.pages.cutting import Chosen, show_ways
from tokensteps.pages.explore.playground_state import chosen_specs, playground_url, playground_value
from tokensteps.pages.explore.why.why_state import CUTS_TAB, note_tab, set_why, why_value
from tokensteps.pages.explore.why.why_tab import (
    check_nth,
    choose_among,
    choose_tokenizer,
    choose_word,
    refused_texts,
)
from tokensteps.server.shared_cache import remembered
from tokensteps.server.stores import digest
from tokensteps.widgets.downloads import show_address
from tokensteps.widgets.figures import show_rows
from tokensteps.widgets.notes import note, problem


def cuts_tab(analyses: Mapping[str, Analysis]) -> None:
    """One word by every way, each to step through; then the text."""
    note_tab(CUTS_TAB)
    st.caption(
        _(
            "How a vocabulary was trained doesn't say how it must be used. Here the same tokens cut a word in every published way."
        )
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        letter = choose_tokenizer(analyses)
        analysis = analyses[letter]
        word = choose_word(analysis)
        choice = st.container(width="stretch")
    for text in refused_texts():
        problem(text)
    subject = analysis.subject
    style = subject.style._replace(show="spaces")
    try:
        if word:
            _one_word(word, subject, style, choice, letter)
        else:
            note(_("There is no word yet: type one."))
        if analysis.text.strip():
            _whole_text(analysis, style, letter)
    except TokenizersCoreError as error:
        problem(explained(error))
        return
    if word:
        _way_link(word, letter)


def _one_word(
    word: str, subject: ShownTokenizer, style: Style, choice: st.delta_generator.DeltaGenerator, letter: str
) -> None:
    """The word, or the part of it that the model gets, in every way."""
    wanted = subject.why(word, why_value("nth"), playground_value("specials"))
    check_nth(wanted, letter)
    if len(wanted.words) > 1:
        with choice:
            choose_among(wanted, style)
    if not wanted.words:
        note(_("Nothing of this text is left for the model."))
        return
    model_word = wanted.story.word if wanted.story else wanted.words[wanted.nth]
    if len(model_word) > WHY_WORD:
        message = _("For the model, this word has {number} symbols; up to {limit} are stepped through.")
        note(message.format(number=count(len(model_word)), limit=count(WHY_WORD)))
        return
    if not why_value("way"):
        set_why(way=subject.all_cuts(model_word).own or "longest_prefix")
    show_ways(
        subject,
        model_word,
        chosen_specs()[LETTERS.index(letter)],
        style,
        Chosen(why_value("way"), lambda way: set_why(why=word, way=way)),
        lambda name: f"playground.cuts.{subject.algorithm.lower()}.{name}",
    )


def _whole_text(analysis: Analysis, style: Style, letter: str) -> None:
    """The ways' results on the text: counts, the number of different words, and the most different ones."""
    st.header(_("The whole text"), anchor=False)
    text, specials = analysis.text[:CUT_LIMIT], bool(playground_value("specials"))
    name = (chosen_specs()[LETTERS.index(letter)], digest(text.encode("utf-8", "replace")), specials)
    result = remembered((TextCuts, name), lambda: analysis.subject.cut_text(text, specials))
    if not result.occurrences:
        note(_("Nothing of this text is left for the model."))
        return
    if len(analysis.text) > CUT_LIMIT:
        st.caption(_("The first {number} characters of the text.").format(number=count(CUT_LIMIT)))
    message = _(
        "The ways don't agree on {share} of the words ({different} of {all}), as the pre-tokenizer makes them."
    )
    st.markdown(
        message.format(
            share=share_text(result.different / result.occurrences),
            different=count(result.different),
            all=count(result.occurrences),
        )
    )
    show_rows(totals_table(result), "playground.cuts.totals", digits=2)
    if not result.most:
        return
    st.header(_("Words that differ most"), anchor=False)
    st.caption(
        _(
            "Words with the largest number of different splits first, then by the difference in tokens, then the most frequent."
        )
    )
    st.html(differing_html(result.most[:WORDS_DRAWN], result.own, style))


def totals_table(cuts: TextCuts) -> pd.DataFrame:
    """One row a way."""
    rows = [
        {
            _("Way"): _(USE_NAMES[way]),
            _("Tokens"): total.tokens,
            _("Tokens per word"): total.tokens / total.words if total.words else None,
            _("Words unlike the tokenizer's own split, %"): 100 * total.unlike / total.words
            if total.words and cuts.own
            else None,
            _("Words it can't cut"): cuts.occurrences - total.words,
        }
        for way, total in cuts.totals.items()
    ]
    return pd.DataFrame(rows)


def _way_link(word: str, letter: str) -> None:
    """The address of this view, for somebody else."""
    nth = why_value("nth")
    values = {**playground_url(), "why": word, "way": why_value("way"), "by": why_value("by") or None}
    values["nth"] = None if nth < 0 else str(nth)
    st.header(_("Link to this answer"), anchor=False)
    show_address(page_address(values))
    if TokenizerSpec.parse(chosen_specs()[LETTERS.index(letter)]).kind == "file":
        note(_("Only this server remembers an uploaded tokenizer, and only for a while."))
