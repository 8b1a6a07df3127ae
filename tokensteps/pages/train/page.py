"""A page that steps through training: what every algorithm's page shares. `show_training` draws it all."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import pyarrow as pa
import streamlit as st

from tokenizers_core.encoding.tokenizer import Tokenizer
from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.catalogue import choices
from tokensteps.components.address import update_url
from tokensteps.components.code import code_in_step
from tokensteps.components.flipbook import step_asked
from tokensteps.drawing.code_steps import rules_left_out
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.handout import handout
from tokensteps.drawing.tabs import encoding_html, story_html
from tokensteps.drawing.tokens import Style, readable
from tokensteps.language.i18n import N_, _, count, ngettext, sentences, use_language
from tokensteps.language.marks import lead_html
from tokensteps.language.messages import explained
from tokensteps.limits import ENCODE_LIMIT, FIND_LIMIT, MOST_ROWS, STEPS_TOLD, TOP_ROWS, WORDS_LISTED
from tokensteps.pages.learn.challenge import show_challenge_maker
from tokensteps.runs.algorithms import Algorithm, Run
from tokensteps.runs.corpora import EXAMPLES
from tokensteps.runs.settings import corpus_title
from tokensteps.server.steps import Steps, StepTable, reach, rows
from tokensteps.server.stores import digest
from tokensteps.shell.language import page_link
from tokensteps.teaching.game import Hidden
from tokensteps.teaching.predictions import ASKS
from tokensteps.widgets import stage
from tokensteps.widgets.arrival import from_link
from tokensteps.widgets.boxes import text_box
from tokensteps.widgets.controls import Controls
from tokensteps.widgets.downloads import download, show_link, show_tokenizer_files
from tokensteps.widgets.figures import show_rows
from tokensteps.widgets.notes import note, problem
from tokensteps.widgets.predict import (
    forget_game,
    game_of,
    keep_game,
    show_answers,
    show_hidden,
    show_question,
    show_words,
)
from tokensteps.widgets.tabs import show_tabs
from tokensteps.widgets.tour import titled

WORDS_TO_COUNT = 120
"""Words among which nobody counts pairs."""
IN_STEP = N_("The algorithm in step with the picture")
"""The first choice of the tab Code."""
PLAIN_VERSION = N_(
    "A version to be read: it does what the engine does, but counts the whole corpus anew at every step. The line at work "
    "is marked, in each of a step's two beats."
)


class RunFile(NamedTuple):
    """A file that holds a whole run: its label (to be translated), and what makes it from a trace."""

    label: str
    make: Callable[[Any], str | bytes]


@dataclass(frozen=True)
class TrainPage:
    """What one algorithm's page is made of."""

    algorithm: Algorithm[AnyTrace]
    lead: Callable[[Controls], str]
    """What the algorithm does under these settings, in one sentence, translated."""
    frame: Callable[..., Frame]
    """Draws a snapshot of the trace in a style; with `ahead=False` it tells nothing of what comes next."""
    encoding_frame: Callable[[Any, Style], Frame]
    """Draws a snapshot of one word's encoding."""
    code: Mapping[str, Callable[..., Any]]
    """Name (to be translated) → the function to show under it."""
    run_files: Mapping[str, RunFile]
    """File name, after the page's own name → the file."""
    tabs: Mapping[str, Callable[[View], None]]
    """Name (to be translated) → what draws the tab, in the page's order."""

    @property
    def name(self) -> str:
        """Its place in the URL and in session state."""
        return self.algorithm.name

    def choices(self, setting: str) -> Sequence[str]:
        """What a setting may be on this page."""
        return next(rule.choices for rule in self.algorithm.rules if rule.name == setting)


@dataclass(frozen=True)
class View:
    """What the tabs look at: a trace at a step, and how its tokens are written."""

    page: TrainPage
    controls: Controls
    run: Run[AnyTrace]
    trace: Any
    step: int
    style: Style
    spec: str
    """The tokenizer after this step, see `tokensteps.catalogue.choices`."""

    def key(self, name: str) -> str:
        """A widget's key, the page's own."""
        return f"{self.page.name}.{name}"

    def rows(self, table: StepTable, find: str, limit: int) -> pa.Table:
        """A table of this step, of what `find` finds."""
        return rows(self.run.name, table, self.trace, self.step, self.style, find, limit)


def show_training(page: TrainPage) -> None:
    """The whole page: sidebar, head, stage, tabs."""
    controls = Controls(page.name, page.algorithm.rules)
    with st.sidebar:
        source = controls.corpus()
        with st.expander(_("Rules"), expanded=True):
            pipeline = controls.rules_widgets(source)
            controls.training_widgets()
        controls.show_widget()
    titled(page.name, page.algorithm.title, partial(show_mode, page, controls))
    if controls["mode"] == "watch":
        st.html(lead_html(page.lead(controls)))
    controls.say_complaints(source)
    trace = None
    if source is not None and pipeline is not None and not controls.blocked:
        run = Run(page.algorithm, source, pipeline, page.algorithm.settings(controls.recipe(), pipeline))
        trace = stage.trained(run)
    if trace is not None:
        show_run(page, controls, run, trace)
    else:
        update_url(controls.url())


def show_mode(page: TrainPage, controls: Controls) -> None:
    """Whether the steps are shown or predicted, and what is asked then."""
    controls.mode_widget(partial(forget_game, page.name))
    if controls["mode"] == "predict":
        controls.ask_widget(("mixed", *ASKS[page.name]))


@st.fragment
def show_run(page: TrainPage, controls: Controls, run: Run[AnyTrace], trace: Any) -> None:
    """The stage and, under it, the tabs."""
    use_language(st.session_state["language"])
    style = Style(trace.corpus.pipeline.byte_level, controls["show"], frozenset(trace.special_tokens))
    if controls["mode"] == "predict":
        predict_run(page, controls, run, trace, style)
        return
    step = stage.stage(
        page.name,
        run.name,
        f"{style.show}:{reach(trace)}",
        len(trace),
        Steps(page.frame, trace, style),
        controls.url(),
    )
    spec = choices.remember_run(page.name, controls.url(), step)
    if trace.corpus.replaced:
        message = ngettext(
            "{number} stretch of invalid UTF-8 in the file was read as U+FFFD.",
            "{number} stretches of invalid UTF-8 in the file were read as U+FFFD.",
            trace.corpus.replaced,
        )
        note(message.format(number=count(trace.corpus.replaced)))
    view = View(page, controls, run, trace, step, style, spec)
    show_tabs(view.key("tab"), page.tabs, view)


def predict_run(page: TrainPage, controls: Controls, run: Run[AnyTrace], trace: Any, style: Style) -> None:
    """The next question, and the stage up to the step that is found out; none of the tabs, which look ahead."""
    hidden = Hidden(page.name, run.name, trace, style, page.frame, controls["ask"], len(trace))
    if from_link():  # which says where to begin
        forget_game(page.name)
    start = step_asked(hidden.book, run.name, linked=from_link())
    if len(trace.corpus.words) > WORDS_TO_COUNT:
        start = max(start, 1)  # whose frame has the numbers from which to go on
    game = game_of(hidden, start)
    if keep_game(hidden, game):
        st.rerun()  # so that the browser keeps it again
    show_question(hidden, game)
    show_hidden(hidden, game, controls.url())
    show_words(hidden, game)
    show_answers(hidden, game)


def listing(view: View, table: StepTable, total: int, whole: str, best: str) -> None:
    """A table of this step of `total` rows: those at its top, most if asked for, or those of them with a text in them. Above it, `whole` or `best` says which."""
    left, right, aside = st.columns([3, 4, 2], vertical_alignment="bottom")
    find = text_box(_("Find"), FIND_LIMIT, place=left, key=view.key("find"), placeholder="th") or ""
    limit = MOST_ROWS
    if total > TOP_ROWS and not find:
        everything = aside.toggle(_("All rows"), key=view.key("all"), persist_state="session")
        limit = MOST_ROWS if everything else TOP_ROWS
    message = whole if total <= limit else best
    right.caption(message.format(step=count(view.step), number=count(total), shown=count(limit)))
    show_rows(view.rows(table, find, limit), height=360, key=view.key("rows"))


def follow(view: View) -> None:
    """One word's segmentation at every step."""
    trace, words = view.trace, view.trace.corpus.words
    word = st.selectbox(
        _("Word"),
        words[:WORDS_LISTED],
        format_func=lambda word: (
            f"{readable(word, view.style)[:80]}  × {count(trace.word_frequencies[word])}"
        ),
        key=view.key("word"),
    )
    if len(words) > WORDS_LISTED:
        message = _("The first {number} of {all} words are listed.")
        st.caption(message.format(number=count(WORDS_LISTED), all=count(len(words))))
    if word is not None:
        st.html(story_html(trace.history_of(word), view.step, view.style))


def encode(view: View, tokenizer: Tokenizer | None = None) -> None:
    """Use the tokenizer as it stands after this step, or another one, and step through one word's encoding."""
    corpus = view.controls["corpus"]
    sample = EXAMPLES[corpus].sample if corpus in EXAMPLES else ""
    label = _("Text to encode with what was learned up to this step")
    text = text_box(label, ENCODE_LIMIT, value=sample, key=view.key(f"encode.{corpus}"))
    label = _("Paste a whole text into this tokenizer: the playground")
    page_link("playground", label, {"t1": view.spec})
    if text is None:
        return
    tokenizer = tokenizer or view.trace.tokenizer(view.step)
    style = view.style._replace(special_tokens=frozenset(tokenizer.special_tokens))
    try:
        encoding, words = tokenizer.encode(text), words_of(tokenizer, text)
    except TokenizersCoreError as error:
        problem(explained(error))
        return
    if not encoding.ids:
        return
    st.html(encoding_html(encoding, style))
    word = st.selectbox(
        _("Step through the encoding of"),
        words,
        format_func=lambda word: readable(word, style),
        key=view.key(f"encode.word.{digest(text.encode())}"),
    )
    if word is None:
        return
    story = tokenizer.explain(word)
    last = min(len(story), STEPS_TOLD)
    if story.stop_reason == "cut" or last < len(story):
        note(_("Only the first {number} steps of this word are shown.").format(number=count(last)))
    stage.small_book(
        view.key("encode.book"),
        digest(repr((view.run.name, view.step, word, style.show)).encode()),
        last,
        lambda step: view.page.encoding_frame(story[step], style),
        title=_("Encode"),
    )


def words_of(tokenizer: Tokenizer, text: str) -> list[str]:
    """The different pre-tokens of a text, special tokens left out."""
    pieces = [segment.text for segment in tokenizer.segments(text) if not segment.special]
    return list(dict.fromkeys(word for piece in pieces for word in tokenizer.pipeline.split(piece)))


def code(view: View) -> None:
    """The algorithm, plainly and in step with the stage; then the functions at work, as they are."""
    functions = view.page.code
    name = st.selectbox(_("Function"), [IN_STEP, *functions], format_func=_, key=view.key("function"))
    if name == IN_STEP:
        code_in_step(view.trace, key=view.key("code"))
        st.caption(sentences(_(PLAIN_VERSION), *rules_left_out(view.trace)))
        return
    st.code(inspect.getsource(functions[name]), language="python")


def files(view: View) -> None:
    """What can be taken away: a link, the trace, a handout, the tokenizer."""
    page, trace, style, controls = view.page, view.trace, view.style, view.controls
    title = _("{algorithm}: {corpus}").format(
        algorithm=page.algorithm.title, corpus=corpus_title(controls["corpus"])
    )
    show_link(_("This step as a link"), controls.recipe(), controls.url(), view.step)
    st.header(_("The run"), anchor=False)
    first, *others = st.columns(1 + len(page.run_files))
    frames = partial(handout, title, len(trace), lambda step: page.frame(trace[step], style))
    download(first, _("Handout that steps offline (HTML)"), f"{page.name}.html", frames, page.name)
    for column, (name, file) in zip(others, page.run_files.items(), strict=True):
        download(column, _(file.label), f"{page.name}-{name}", partial(file.make, trace), page.name)
    st.header(_("The tokenizer after step {step}").format(step=count(view.step)), anchor=False)
    show_tokenizer_files(trace.tokenizer(view.step), page.name)
    show_challenge_maker(page.name, controls.recipe(), controls.url(), view.step, len(trace))
