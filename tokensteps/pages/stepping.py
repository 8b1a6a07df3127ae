"""A page for stepping through a run: the parts shared by the training pages and the comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

import streamlit as st

from tokensteps.components.address import excerpt_in_url
from tokensteps.components.flipbook import update_url_without_book
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.tokens import Style
from tokensteps.language.i18n import _, count, ngettext
from tokensteps.language.marks import lead_html
from tokensteps.runs.algorithms import Algorithm, Run
from tokensteps.runs.settings import Recipe
from tokensteps.server.steps import Stepped, Steps, drawing_version
from tokensteps.widgets import stage
from tokensteps.widgets.controls import Controls
from tokensteps.widgets.notes import note
from tokensteps.widgets.tour import titled

AnyStepped = TypeVar("AnyStepped", bound=Stepped)
Stepped_co = TypeVar("Stepped_co", bound=Stepped, covariant=True)


@dataclass(frozen=True)
class StepView(Generic[Stepped_co]):
    """The input of the tabs under a stage: a run at a step, and the display style of its tokens."""

    controls: Controls
    run: Run[Stepped_co]
    trace: Stepped_co
    step: int
    style: Style

    def key(self, name: str) -> str:
        """A widget's key, the page's own."""
        return self.controls.key(name)


def show_stepping(
    algorithm: Algorithm[AnyStepped],
    lead: Callable[[Controls], str],
    show_run: Callable[[Controls, Recipe, Run[AnyStepped], AnyStepped], None],
    beside: Callable[[Controls], None] | None = None,
    ahead: Callable[[Controls], int] = lambda _controls: 0,
) -> None:
    """The whole page: sidebar, title, faults in the settings, and, as soon as there is a run, the output of
    `show_run`.

    `lead` gives a translated sentence on the page's contents under these settings ("": nothing); `beside`
    draws next to the title; `ahead` gives the number of recorded steps needed after the learner's. A part
    that is run by itself finds the settings of the page's last run: to change one is to run the page.
    """
    controls = Controls(algorithm.name, algorithm.rules)
    with st.sidebar:
        source = controls.corpus()
        with st.expander(_("Rules"), expanded=True):
            controls.draw("runs")
            pipeline = controls.rules_widgets(source)
            controls.training_widgets()
        controls.options_widgets(source)
        controls.show_widget()
    titled(algorithm.name, _(algorithm.title), partial(beside, controls) if beside else None)
    if text := lead(controls):
        st.html(lead_html(text))
    controls.say_complaints(source)
    if source is not None and pipeline is not None and not controls.blocked:
        recipe = controls.recipe()
        run = Run(algorithm, source, pipeline, algorithm.settings(recipe, pipeline))
        trace = stage.growing(run, ahead(controls))
        if trace is not None:
            show_run(controls, recipe, run, trace)
            return
        controls.offer_table(source)
    st.session_state.pop(controls.key(stage.FOLLOWED), None)
    update_url_without_book(controls.key("book"), controls.url())


def show_stage(
    controls: Controls,
    url: Mapping[str, str | None],
    run: Run[Stepped],
    trace: Stepped,
    frame: Callable[..., Frame],
    style: Style,
    start: int = 0,
    marks: Sequence[int] = (),
) -> int:
    """The run's frames to step through; returns the learner's present step, first `start`. The timeline marks
    the steps `marks`. To be called in a fragment. `url` has the settings."""
    step = stage.stage(
        controls.page,
        run.name,
        style.show,
        len(trace),
        Steps(frame, trace, style),
        url,
        drawing_version=partial(drawing_version, trace),
        growth=stage.growth(run, trace),
        on_stop=partial(stage.stop_growing, run),
        excerpt=excerpt_in_url(),
        start=start,
        marks=marks,
    )
    replaced = trace.corpus.replaced
    if replaced:
        message = ngettext(
            "{number} stretch of invalid UTF-8 in the file was read as U+FFFD: save the file as UTF-8, and upload it again.",
            "{number} stretches of invalid UTF-8 in the file were read as U+FFFD: save the file as UTF-8, and upload it again.",
            replaced,
        )
        note(message.format(number=count(replaced)))
    return step
