"""The tab “How close?”: the margin of a step, the changes of the counts that would tip it, and the margins of all steps."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tokenizers_core.counterfactual.tipping import at_play, tippings
from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.drawing.charts import curves_told, margin_chart
from tokensteps.drawing.narration.closeness import margins_of, tell_margin_of, tell_ties_of
from tokensteps.drawing.narration.voice import Markup
from tokensteps.drawing.training.closeness import tipping_html
from tokensteps.language.i18n import _, count, sentences
from tokensteps.limits import WORDS_AT_PLAY
from tokensteps.pages.train.page import TrainView
from tokensteps.runs.tippings import TippingsFound, bound_for, is_short, search_apart
from tokensteps.server.shelf import remembered
from tokensteps.server.steps import reach
from tokensteps.widgets import stage
from tokensteps.widgets.figures import show_chart
from tokensteps.widgets.notes import note


def closeness_tab(view: TrainView[AnyTrace]) -> None:
    """How close this step was, and then the whole run."""
    if not view.step:
        note(_("The start chooses nothing: go to a step."))
    elif told := tell_margin_of(view.trace, view.step, Markup(view.style)):
        st.html(f'<div class="ts parting"><p>{told}</p></div>')
        tipping_points_of(view)
    else:
        note(_("This step chooses nothing."))
    margins = margins_of(view.trace)
    if any(margin is not None for margin in margins):
        figure = margin_chart(view.trace, margins, view.step)
        title = _("Margin to the runner-up")
        st.caption(
            sentences(
                _("How far behind the runner-up was at every step; zero is a tie."), tell_ties_of(view.trace)
            )
        )
        show_chart(figure, view.key("margins"), curves_told(figure, title))


def tipping_points_of(view: TrainView[AnyTrace]) -> None:
    """The words at play with the changes that tip the step: at once for a small run, else on request."""
    trace, step = view.trace, view.step
    words = tuple(at_play(trace, step, WORDS_AT_PLAY))
    bound = bound_for(trace)
    name = ("tipping", view.run.name, reach(trace), step, bound)
    found: TippingsFound | None = None
    if is_short(trace, step, words):
        found = remembered(name, lambda: dict(tippings(trace, step, words, bound)))
    else:
        asked = view.key("tipping")
        if st.session_state.get(asked) != name:
            label = _("Find the tipping points of this step")
            st.button(label, key=view.key("search"), on_click=partial(ask_for, asked, name))
            st.caption(
                _("Each is found by training again with other counts, which takes a while on this corpus.")
            )
            return
        make = partial(search_apart, trace, step, words, bound)
        found = stage.build(f"{view.page.name}.tipping", repr(name), make)
    if found is None:
        return
    st.caption(
        _(
            "What would change this choice: the smallest change of one word's count, and what would be chosen then."
        )
    )
    st.html(tipping_html(trace, step, found, bound, view.style))
    st.caption(
        _(
            "Found by training again with every count up to {bound} more or fewer. The choice may change at an earlier step, and a larger "
            "change of the count may bring it back."
        ).format(bound=count(bound))
    )


def ask_for(key: str, name: object) -> None:
    """Remember that the search was asked for."""
    st.session_state[key] = name
