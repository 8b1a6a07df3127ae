"""The tab “How close?”: the margin of a step, the changes of the counts that would tip it, and the margins of
all steps."""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tokenizers_core.counterfactual.tipping import at_play, tippings
from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.drawing.charts import curves_text, margin_chart
from tokensteps.drawing.narration.closeness import margins_of, tell_margin_of, tell_ties_of
from tokensteps.drawing.narration.text_format import Markup
from tokensteps.drawing.training.closeness import tipping_html
from tokensteps.language.i18n import _, count, sentences
from tokensteps.pages.train.page import TrainView
from tokensteps.runs.tippings import TippingsByWord, bound_for, is_short, search_apart
from tokensteps.server.shared_cache import remembered
from tokensteps.server.steps import reach
from tokensteps.widgets import stage
from tokensteps.widgets.figures import show_chart
from tokensteps.widgets.notes import note

WORDS_AT_PLAY: Final = 8
"""Words with tipping points on a page for a step: a table for one glance, and a search of some hundred
trainings."""

PREPARED: Final = 6
"""Prepared steps before and behind the one shown: their tipping points come after its own, and the search
takes up to 40 ms each."""


def closeness_tab(view: TrainView[AnyTrace]) -> None:
    """The closeness of this step, and then of the whole run."""
    position, near = st.empty(), None
    if not view.step:
        note(_("The start chooses nothing: go to a step."))
    elif text := margin_html(view, view.step):
        near = tipping_points_of(view, text, position)
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
        show_chart(figure, view.key("margins"), curves_text(figure, title))
    if near is not None:
        position.html(steps_around_html(view, near))


def margin_html(view: TrainView[AnyTrace], step: int) -> str:
    """The margin of a step in a sentence, as markup; "" if it chooses nothing."""
    text = tell_margin_of(view.trace, step, Markup(view.style))
    return f'<div class="ts parting"><p>{text}</p></div>' if text else ""


def tipping_points_of(view: TrainView[AnyTrace], lead: str, container: DeltaGenerator) -> range | None:
    """The words at play with the changes that tip the step, under the text `lead`: at once for a small run,
    else on request.

    Returns the steps around it to prepare as well, if this one was drawn in `container`.
    """
    trace, step = view.trace, view.step
    words = tuple(at_play(trace, step, WORDS_AT_PLAY))
    bound = bound_for(trace)
    near = None
    result: TippingsByWord | None
    if is_short(trace, step, words):
        near = range(max(1, step - PREPARED), min(len(trace), step + PREPARED) + 1)
        known, run = view.key("prepared"), (view.run.name, reach(trace))
        if st.session_state.get(known, ("", near))[0] != run or step not in st.session_state[known][1]:
            container.html(steps_around_html(view, range(step, step + 1)))  # the others take a moment more
        st.session_state[known] = run, near
    else:
        st.html(lead)
        wanted, name = view.key("tipping"), tipping_name(view, step)
        if st.session_state.get(wanted) != name:
            label = _("Find the tipping points of this step")
            st.button(label, key=view.key("search"), on_click=partial(ask_for, wanted, name))
            st.caption(
                _("Each is found by training again with other counts, which takes a while on this corpus.")
            )
            return None
        make = partial(search_apart, trace, step, words, bound)
        result = stage.build(f"{view.page.name}.tipping", repr(name), make)
        if result is None:
            return None
        st.html(f"{tips_html()}{tipping_html(trace, step, result, bound, view.style)}")
    st.caption(
        _(
            "Found by training again with every count up to {bound} more or fewer. The choice may change at an earlier step, and a larger "
            "change of the count may bring it back."
        ).format(bound=count(bound))
    )
    return near


def tipping_name(view: TrainView[AnyTrace], step: int) -> tuple[object, ...]:
    """The key of a step's tipping points."""
    return ("tipping", view.run.name, reach(view.trace), step, bound_for(view.trace))


def tips_html() -> str:
    """The contents of the table of tipping points: markup."""
    text = _(
        "What would change this choice: the smallest change of one word's count, and what would be chosen then."
    )
    return f'<p class="ts tips">{escape(text)}</p>'


def steps_around_html(view: TrainView[AnyTrace], steps: range) -> str:
    """Margin and tipping points of several steps, with one of them shown: `assets/components/page.js` follows
    the flipbook, so that a prepared step asks nothing of the server. Left out are steps without a choice, and
    steps with a long search."""
    trace, bound, shown = view.trace, bound_for(view.trace), ""
    for step in steps:
        words, text = tuple(at_play(trace, step, WORDS_AT_PLAY)), margin_html(view, step)
        if not text or not is_short(trace, step, words):
            continue
        search = partial(tippings, trace, step, words, bound)
        result = remembered(tipping_name(view, step), lambda: dict(search()))  # noqa: B023 - called at once
        drawn = tipping_html(trace, step, result, bound, view.style)
        hidden = "" if step == view.step else " hidden"
        shown += f'<div data-at="{step}"{hidden}>{text}{tips_html()}{drawn}</div>'
    return f'<div class="closeness">{shown}</div>'


def ask_for(key: str, name: object) -> None:
    """Remember the request for the search."""
    st.session_state[key] = name
