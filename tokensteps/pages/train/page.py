"""A page for stepping through training: the parts shared by every algorithm's page. `show_training` draws it
all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

import streamlit as st

from tokenizers_core.training.algorithms import AnyTrace, Trained_co
from tokensteps.catalogue import choices
from tokensteps.components.address import is_back
from tokensteps.components.flipbook import coming_step, go_to
from tokensteps.drawing.tokens import Style
from tokensteps.drawing.training.step_kinds import StepKind, step_kind
from tokensteps.language.i18n import _, current_language, use_language
from tokensteps.language.marks import lead_html
from tokensteps.language.names import choice_name
from tokensteps.language.pages import PAGES
from tokensteps.pages.stepping import StepView, show_stage, show_stepping
from tokensteps.pages.train.watch import say_watched, watched_in
from tokensteps.runs.algorithms import Algorithm, Run
from tokensteps.runs.rules import MODES
from tokensteps.runs.settings import Recipe
from tokensteps.server.entrance.prerendered_stage import PageAddress, StageDescription, has_stage, note_stage
from tokensteps.server.shared_cache import remembered
from tokensteps.server.steps import StepTable, drawing_version, rows
from tokensteps.shell.classes import offer_ahead, offer_question
from tokensteps.shell.navigation import page_link, renew_link
from tokensteps.shell.walk import note_predictions, walk_position
from tokensteps.teaching.game import Hidden
from tokensteps.teaching.merge_questions import AHEAD
from tokensteps.teaching.predictions import asks_end, asks_of
from tokensteps.teaching.tour import tour
from tokensteps.teaching.walk import PATH_WALK, write_walk
from tokensteps.widgets import stage
from tokensteps.widgets.arrival import from_link
from tokensteps.widgets.controls import Controls
from tokensteps.widgets.predict import (
    forget_game,
    game_of,
    is_game_of_stop,
    keep_game,
    show_answers,
    show_hidden,
    show_question,
    show_words,
)
from tokensteps.widgets.tabs import show_tabs

Trained = TypeVar("Trained", bound=AnyTrace)
Trained_contra = TypeVar("Trained_contra", bound=AnyTrace, contravariant=True)


class RunFile(NamedTuple, Generic[Trained_contra]):
    """A file with a whole run: its label (to be translated), and the function to make it from a trace."""

    label: str
    make: Callable[[Trained_contra], str | bytes]


@dataclass(frozen=True)
class TrainPage(Generic[Trained_co]):
    """The parts of one algorithm's page."""

    algorithm: Algorithm[Trained_co]
    lead: Callable[[Controls], str]
    """The algorithm's work under these settings, in one sentence, translated."""
    code: Mapping[str, Callable[..., Any]]
    """Name (to be translated) → the function to show under it."""
    run_files: Mapping[str, RunFile[Trained_co]]
    """File name, after the page's own name → the file."""
    tabs: Mapping[str, Callable[[TrainView[Trained_co]], None]]
    """Name (to be translated) → the function to draw the tab, in the page's order."""

    @property
    def name(self) -> str:
        """Its name in the URL and in session state."""
        return self.algorithm.name

    @property
    def drawn(self) -> StepKind:
        """The drawings of its steps."""
        return step_kind(self.name)

    def choices(self, setting: str) -> Sequence[str]:
        """The values of a setting on this page."""
        return next(rule.choices for rule in self.algorithm.rules if rule.name == setting)


@dataclass(frozen=True)
class TrainView(StepView[Trained_co]):
    """The tabs' input: a trace at a step, and the display style of its tokens."""

    page: TrainPage[Trained_co]
    spec: str
    """The tokenizer after this step, see `tokensteps.catalogue.choices`."""

    def rows(self, table: StepTable, find: str, limit: int) -> bytes:
        """A table of this step, for the browser; with `find`, only rows containing it."""
        return rows(self.run.name, table, self.trace, self.step, self.style, find, limit)


def show_training(page: TrainPage[Trained]) -> None:
    """The whole page: sidebar, head, stage, tabs."""

    def lead(controls: Controls) -> str:
        return page.lead(controls) if controls["mode"] == "watch" else ""

    def ahead(controls: Controls) -> int:
        return AHEAD if controls["mode"] == "predict" else 0

    show_stepping(page.algorithm, lead, partial(show_training_run, page), partial(show_mode, page), ahead)


def show_mode(page: TrainPage[Trained], controls: Controls) -> None:
    """Whether the steps are shown or predicted, and the kind of the questions."""
    controls.mode_widget(partial(forget_game, page.name))
    if controls["mode"] == "predict":
        controls.ask_widget(
            ("mixed", *asks_of(page.name, controls["kind"] if page.name == "bpe" else "plain"))
        )
        return
    with st.sidebar:
        controls.draw("watch")
        spec = choices.spec_of(page.name, controls.url()).write()
        page_link("whatif", _("What if …"), {"t1": spec})
        if page.name == "bpe" and controls["kind"] == "plain":
            renew_link(spec)
    controls.own_text_button()


@st.fragment
def show_training_run(
    page: TrainPage[Trained], controls: Controls, recipe: Recipe, run: Run[Trained], trace: Trained
) -> None:
    """The stage and, under it, the tabs; or the next question. For a growing run, the steps recorded so
    far."""
    use_language(st.session_state["language"])
    newest = stage.newest(run, trace)
    if newest is None:
        return
    trace = newest
    style = Style(trace.corpus.pipeline.byte_level, controls["show"], frozenset(trace.special_tokens))
    offer_question(trace, style)
    if controls["mode"] == "predict":
        predict_run(page, controls, recipe, run, trace, style)
        return
    url = recipe.url()
    first_look = not trace.finished and stage.is_first_look(page.name, run.name, style.show)
    typed = recipe["watch"]
    watched = remembered((watched_in, run.name, len(trace), typed), lambda: watched_in(trace, typed))
    step = show_stage(
        controls, url, run, trace, page.drawn.frame, style, marks=watched.steps if watched else ()
    )
    if watched:
        say_watched(watched, style)
    if first_look and not st.session_state.get(controls.key(stage.FOLLOWED)):
        return  # the part under the stage takes the browser longer: it follows at once
    st.session_state[controls.key(stage.FOLLOWED)] = True
    spec = choices.remember_run(page.name, url, step)
    view = TrainView(controls, run, trace, step, style, page, spec)
    if trace.finished and trace.stop_reason != "stopped" and url["id"] is None:
        note_early(view, url)
    show_tabs(view.key("tab"), page.tabs, view)


def note_early(view: TrainView[Trained], url: Mapping[str, str | None]) -> None:
    """Have the next visitors to this address get this stage with the page."""
    page, controls, trace = view.page, view.controls, view.trace
    settings = {(name, value) for name, value in url.items() if value is not None}
    where = PageAddress(PAGES[page.name].path, current_language(), frozenset(settings))
    if has_stage(where):
        return
    modes, labels = (choice_name("mode", mode) for mode in MODES), tour(page.name)["labels"]
    description = StageDescription(
        _(page.algorithm.title),
        lead_html(page.lead(controls)),
        (*modes, _("Your text"), labels["start"]),
        stage.book_name(view.run.name, view.style.show),
        len(trace),
        drawing_version(trace, len(trace)),
    )
    note_stage(where, description)
    if controls["corpus"] == controls.start:  # an address needn't say so
        note_stage(where._replace(settings=frozenset(settings - {("corpus", controls.start)})), description)


def predict_run(
    page: TrainPage[Trained],
    controls: Controls,
    recipe: Recipe,
    run: Run[Trained],
    trace: Trained,
    style: Style,
) -> None:
    """The next question, and the stage up to the last known step; no tabs, because they look ahead."""
    position = walk_position()
    scored = position is None or position.walk != PATH_WALK
    hidden = Hidden(
        page.name, run.name, trace, style, page.drawn.frame, controls["ask"], asks_end(trace), scored=scored
    )
    stop = "" if position is None else write_walk(position)
    # After Back or Forward, the stop's own game goes on.
    linked = from_link() and not (stop and is_back() and is_game_of_stop(page.name, stop))
    if linked:  # the link says where to begin
        forget_game(page.name)
    start = coming_step(hidden.book, run.name, linked=linked) or 0
    # Today's rehearsal of a plan is tomorrow's lesson: the revealed steps are hidden again.
    game = game_of(hidden, start, anew=linked and position is not None, stop=stop)
    if keep_game(hidden, game):
        if "step" not in st.query_params:  # another look at this run; a reload stays where it was
            go_to(hidden.book, game.reached)
        st.rerun()  # so that the browser keeps it again
    if game.reached < hidden.last:
        offer_ahead(page.name, game.reached + 1, lambda step: page.drawn.frame(trace[step], style))
    note_predictions(controls["corpus"], hidden, game)
    show_question(hidden, game)
    show_hidden(hidden, game, recipe.url(), stage.growth(run, trace))
    show_words(hidden, game)
    show_answers(hidden, game)
