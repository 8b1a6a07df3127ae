"""The tabs of all training pages: a table of the step, one word through all steps, encoding, the code,
files."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, Final, TypeVar

import streamlit as st

from tokenizers_core.encoding.models.bpe import BpeModel
from tokenizers_core.encoding.models.wordpiece import WordPieceModel
from tokenizers_core.encoding.tokenizer import Tokenizer
from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.files.steps import step_to_csv, step_to_json
from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.components.code import code_in_step
from tokensteps.components.picture import PICTURE_STEPS, picture_buttons
from tokensteps.components.table import TableSearch
from tokensteps.drawing.code_steps import rules_left_out
from tokensteps.drawing.handout import handout, paper_handout
from tokensteps.drawing.lattice.bars import LATTICE_CHARACTERS
from tokensteps.drawing.tabs import encoding_html, story_html
from tokensteps.drawing.tokens import readable
from tokensteps.language.i18n import N_, _, count, current_language, sentences, use_language
from tokensteps.language.messages import explained
from tokensteps.limits import ENCODE_LIMIT, FIND_LIMIT, MOST_ROWS, STEPS_SENT, WHY_WORD, WORDS_LISTED
from tokensteps.pages.learn.challenge import show_challenge_maker
from tokensteps.pages.train.page import TrainView
from tokensteps.pages.train.random_splits import dropout_part, ways_part
from tokensteps.runs.corpora import EXAMPLES, Example, plain_text
from tokensteps.runs.settings import corpus_title
from tokensteps.server.shared_cache import remembered
from tokensteps.server.steps import StepTable
from tokensteps.server.stores import digest
from tokensteps.shell.navigation import page_link
from tokensteps.teaching.worksheets import run_tasks, worksheet
from tokensteps.widgets import stage
from tokensteps.widgets.boxes import text_box, too_long
from tokensteps.widgets.downloads import download, sheet, show_link, show_tokenizer_files
from tokensteps.widgets.figures import show_packed
from tokensteps.widgets.notes import note, problem

TOP_ROWS: Final = 200
"""Rows of a step's table shown unasked: thousands take the server 30 milliseconds, at every step of every
visitor."""

View = TypeVar("View", bound=TrainView[Any])
IN_STEP = N_("The algorithm, in step with the picture")
"""The first choice of the tab Code."""
PLAIN_VERSION = N_(
    "A version made for reading: it does what the engine does, but recounts the whole corpus at "
    "every step. The current line is marked, in each of a step's two beats."
)


def of_the_whole(tab: Callable[[View], None]) -> Callable[[View], None]:
    """A tab about all steps of a run: for a growing run, it says that it waits for the end."""

    @wraps(tab)
    def show(view: View) -> None:
        if view.trace.finished:
            tab(view)
        else:
            note(_("This is about the whole run: it comes when training has ended."))

    return show


@st.fragment
def step_rows(view: TrainView[AnyTrace], table: StepTable, total: int, whole: str, best: str) -> None:
    """A table of this step of `total` rows: its top rows, more on request, or only rows with a searched text.
    Above it, `whole` or `best` says which, unless there is a search."""
    use_language(st.session_state["language"])
    state, text_key, all_key = st.session_state, view.key("looked_for"), view.key("all")
    text, everything = state.get(text_key, ""), state.get(all_key, False)
    problem = too_long(_("Find"), len(text), FIND_LIMIT) if len(text) > FIND_LIMIT else ""
    find = "" if problem else text
    asks = total > TOP_ROWS and not find
    limit = TOP_ROWS if asks and not everything else MOST_ROWS
    message = whole if total <= limit else best
    if find and total:
        message = _("Only those with this text, out of all {number} after step {step}.")
    content = message.format(step=count(view.step), number=count(total), shown=count(limit))

    def look_for(text: str, everything: bool) -> None:
        state[text_key], state[all_key] = plain_text(text), everything

    show_packed(
        view.rows(table, find, limit),
        view.key("rows"),
        lambda: table(view.trace[view.step], view.style, find, limit),
        TableSearch(text, content, problem, everything if asks else None),
        look_for,
    )


def follow_tab(view: TrainView[AnyTrace]) -> None:
    """One word's segmentation at every step."""
    trace, words = view.trace, view.trace.corpus.words

    def labels() -> list[str]:
        listed = zip(words[:WORDS_LISTED], trace.corpus.counts, strict=False)
        return [f"{readable(word, view.style)[:80]}  × {count(number)}" for word, number in listed]

    written = remembered(("follow", view.run.name, view.style.show, current_language()), labels)
    named = dict(zip(words, written, strict=False))
    word = st.selectbox(
        _("Word"), named, format_func=named.__getitem__, key=view.key("word"), persist_state="session"
    )
    if len(words) > WORDS_LISTED:
        message = _("The first {number} of {all} words are listed.")
        st.caption(message.format(number=count(WORDS_LISTED), all=count(len(words))))
    if word is not None:
        st.html(story_html(trace.history_of(word), view.step, view.style))


def encode_tab(view: TrainView[AnyTrace], tokenizer: Tokenizer | None = None) -> None:
    """Use the tokenizer as it stands after this step, or another one, and step through one word's
    encoding."""
    corpus = view.controls["corpus"]
    sample = EXAMPLES[corpus].sample if corpus in EXAMPLES else ""
    label = _("Text to encode with what was learned up to this step")
    text = text_box(
        label, ENCODE_LIMIT, value=sample, key=view.key(f"encode.{corpus}"), persist_state="session"
    )
    label = _("Paste a whole text into this tokenizer in the playground")
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
    word = st.selectbox(
        _("Step through the encoding of"),
        words,
        format_func=lambda word: readable(word, style),
        key=view.key(f"encode.word.{digest(text.encode())}"),
        persist_state="session",
    )
    if word is None:
        st.html(encoding_html(encoding, style))
        return
    story = tokenizer.explain(word)
    last = min(len(story), STEPS_SENT)
    if story.stop_reason == "cut" or last < len(story):
        note(_("Only the first {number} steps of this word are shown.").format(number=count(last)))
    stage.small_book(
        view.key("encode.book"),
        digest(repr((view.run.name, view.step, word, style.show)).encode()),
        last,
        lambda step: view.page.drawn.encoding_frame(story[step], style),
        title=_("Encode"),
    )
    st.html(encoding_html(encoding, style))

    def random_key(name: str) -> str:
        return view.key(f"random.{name}")

    with st.expander(_("Sample at random, and other ways to cut")):
        if isinstance(
            tokenizer.model, BpeModel | WordPieceModel
        ):  # Unigram's samples have a tab of their own
            dropout_part(tokenizer.model, word, style, random_key)
        if len(word) <= WHY_WORD:
            ways_part(tokenizer, word, repr((view.run.name, view.step)), style, random_key)


def words_of(tokenizer: Tokenizer, text: str) -> list[str]:
    """The different pre-tokens of a text, special tokens left out."""
    pieces = [segment.text for segment in tokenizer.segments(text) if not segment.special]
    return list(dict.fromkeys(word for piece in pieces for word in tokenizer.pipeline.split(piece)))


def code_tab(view: TrainView[AnyTrace]) -> None:
    """The algorithm, plainly and in step with the stage; then the functions at work, as they are."""
    functions = view.page.code
    name = st.selectbox(
        _("Function"), [IN_STEP, *functions], format_func=_, key=view.key("function"), persist_state="session"
    )
    if name == IN_STEP:
        code_in_step(view.trace, key=view.key("code"))
        st.caption(sentences(_(PLAIN_VERSION), *rules_left_out(view.trace)))
        return
    st.code(inspect.getsource(functions[name]), language="python")


def run_files_tab(view: TrainView[AnyTrace]) -> None:
    """Things to take away: a link, the trace, a handout, the tokenizer."""
    page, trace, style, controls = view.page, view.trace, view.style, view.controls
    title = _("{algorithm}: {corpus}").format(
        algorithm=page.algorithm.title, corpus=corpus_title(controls["corpus"])
    )
    show_link(_("This step as a link"), controls.recipe(), controls.url(), view.step)
    st.header(_("The whole run"), anchor=False)
    first, *others = st.columns(1 + len(page.run_files))
    frames = partial(handout, title, len(trace), lambda step: page.drawn.frame(trace[step], style))
    download(first, _("Handout that steps offline (HTML)"), f"{page.name}.html", frames, page.name)
    for column, (name, file) in zip(others, page.run_files.items(), strict=True):
        download(column, _(file.label), f"{page.name}-{name}", partial(file.make, trace), page.name)
    for_paper, to_solve, *_rest = st.columns(1 + len(page.run_files))
    printed = partial(print_run, view, title, EXAMPLES.get(controls["corpus"]))
    download(for_paper, _("All steps, to print (HTML)"), f"{page.name}-steps.html", printed, page.name)
    tasks = partial(print_worksheet, view, title)
    label = _("Worksheet from this step, with a key (HTML)")
    download(to_solve, label, f"{page.name}-worksheet.html", tasks, page.name)
    show_step_files(view)
    st.header(_("The tokenizer after step {step}").format(step=count(view.step)), anchor=False)
    show_tokenizer_files(trace.tokenizer(view.step), page.name)
    show_challenge_maker(page.name, controls.recipe(), controls.url(), view.step, len(trace))


def show_step_files(view: TrainView[AnyTrace]) -> None:
    """The step shown, by itself: its change, and the state after it. The start has no row in the table of
    steps."""
    name, trace, step = view.page.name, view.trace, view.step
    files: dict[str, tuple[str, Callable[[], str | bytes]]] = {
        "json": (_("This step (JSON)"), partial(step_to_json, trace, step))
    }
    if step:
        files["csv"] = (
            _("This step (CSV for spreadsheets)"),
            partial(sheet, partial(step_to_csv, trace), step),
        )
        files["plain.csv"] = (
            _("This step (plain CSV for programs)"),
            partial(step_to_csv, trace, step, plain=True),
        )
    st.header(_("Step {step} alone").format(step=count(step)), anchor=False)
    for column, (ending, (label, make)) in zip(st.columns(4), files.items(), strict=False):
        download(column, label, f"{name}-step-{step}{'-' if '.' in ending else '.'}{ending}", make, name)
    picture_buttons(f"{name}.picture", name)
    st.caption(
        _("Pictures show the stage as it is on the screen; an animation has {number} steps at most.").format(
            number=count(PICTURE_STEPS)
        )
    )


def print_run(view: TrainView[AnyTrace], title: str, example: Example | None) -> str:
    """All steps for paper, and a word's encoding by the tokenizer after this step: Unigram's lattice."""
    page, trace, style = view.page, view.trace, view.style
    word = example.word if example is not None and example.word else trace.corpus.words[0]
    story = trace.tokenizer(view.step).explain(word[:LATTICE_CHARACTERS])
    shown = _("{word}, encoded after step {step}").format(word=readable(word, style), step=count(view.step))
    last = page.drawn.encoding_frame(story[min(len(story), STEPS_SENT)], style)
    return paper_handout(
        title, len(trace), lambda step: page.drawn.frame(trace[step], style, ahead=False), (shown, last)
    )


def print_worksheet(view: TrainView[AnyTrace], title: str) -> str:
    """Tasks from the run at this step."""
    return worksheet(title, run_tasks(view.trace, view.step, view.style))
