"""The home page: what a token is, why subwords, three algorithms at a glance, a path through the app, and
lesson plans.

Its parts are in modules of their own: the sentence, the algorithms, the lessons.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from html import escape

import streamlit as st

from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.training.bpe import BpeTrace
from tokensteps.catalogue.analysis import analyse
from tokensteps.catalogue.choices import GPT2
from tokensteps.catalogue.shown_tokenizers import TrainedSubject
from tokensteps.components.address import page_address
from tokensteps.language.i18n import N_, _, count, current_language, use_language
from tokensteps.language.messages import explained
from tokensteps.limits import PACK_LIMIT, SENTENCE_LIMIT
from tokensteps.pages.learn.home_algorithms import (
    SHORT_ROWS,
    Column,
    algorithms_html,
    growing_words,
    known_columns,
)
from tokensteps.pages.learn.home_lessons import show_next_station, show_page_link, show_path
from tokensteps.pages.learn.home_sentence import (
    HOME_CORPUS,
    corpus_facts,
    real_html,
    sentence_counts_html,
    sentence_html,
    ways_html,
    whose_html,
)
from tokensteps.pages.learn.home_unknown_address import show_lost
from tokensteps.runs.algorithms import BPE, Run
from tokensteps.runs.corpora import pack_text, plain_text
from tokensteps.runs.settings import corpus_title, read_short, write_short
from tokensteps.server.shared_cache import remembered
from tokensteps.server.stores import text_store
from tokensteps.shell.classes import join_box
from tokensteps.shell.walk import lesson_facts
from tokensteps.streamlit_internals import text_in_browser
from tokensteps.teaching.lessons import (
    COMPARE_LINK,
    HOME_QUERY,
    MATTERS_LINK,
    PIPELINE_LINK,
    PRACTICE,
    Link,
    say,
)
from tokensteps.widgets import stage
from tokensteps.widgets.arrival import reads_address
from tokensteps.widgets.downloads import show_address
from tokensteps.widgets.notes import lasting, note, problem
from tokensteps.widgets.tour import titled

SENTENCE = "This unreadable handwriting is still a string of characters."
SPEC = "bpe?" + "&".join(f"{name}={value}" for name, value in HOME_QUERY.items())
"""The tokenizer of this page."""

WATCH = Link(N_("Watch this tokenizer being trained"), "bpe", HOME_QUERY)
GROWING = Link(N_("Step through BPE on four sentences"), "bpe", {"corpus": "course"})
MORE: tuple[Link, ...] = (
    MATTERS_LINK,
    GROWING,
    *PRACTICE,
    Link(N_("Train on a page of your own text"), "bpe", {"corpus": "paste"}),
    PIPELINE_LINK,
    Link(N_("Retrain an old tokenizer on other text"), "renew"),
    Link(N_("Lesson plans, for teachers"), "teach"),
)
"""The pages left out of the path through the app."""


def show() -> None:
    """The whole page."""
    complaints = read_sentence()
    complaints = lasting("home", complaints, st.session_state["home.sentence"])
    titled("home", "TokenSteps", beside=partial(join_box, "home", width=190))
    lead = _(
        "A language model reads neither letters nor words but tokens: numbered pieces of text. Write a sentence and see its tokens."
    )
    st.html(f'<div class="ts"><p class="lead">{escape(lead)}</p></div>')
    for complaint in complaints:
        problem(complaint)
    show_lost()
    with st.container(key="home_start"):
        show_next_station()
    show_sentence()
    show_table()
    st.header(_("Where the pieces come from"), anchor=False)
    st.caption(
        _(
            "Nobody picks them by hand: they are learned from text. Three words at three steps of BPE's training; ␣ is the space before a word."
        )
    )
    st.html(remembered(("home.growing", current_language()), growing_words))
    show_path()
    st.header(_("More to try"), anchor=False)
    with st.container(key="home_more", horizontal=True, gap="small"):
        for link in MORE:
            show_page_link(link)


def read_sentence() -> list[str]:
    """Read the sentence from the address when the session begins, from a link and after Back; returns
    complaints."""
    state, url = st.session_state, st.query_params.to_dict()
    if not reads_address("home.sentence" not in state):
        return []
    sentence = read_short(url["say"]) if "say" in url else None
    held = text_in_browser("home.sentence")
    if held is not None:
        state["home.sentence"] = plain_text(held)
    elif sentence is not None:
        state["home.sentence"] = plain_text(sentence)
    elif "home.sentence" not in state:
        state["home.sentence"] = SENTENCE
    if "say" in url and sentence is None and held is None:
        return [_("The text of this link is lost: ask for the link again, or paste the text.")]
    return []


@lru_cache(maxsize=1)
def home_run() -> Run[BpeTrace]:
    """The training run of this page's tokenizer, as opened by its link."""
    return BPE.run_at(HOME_QUERY)


@st.fragment
def show_sentence() -> None:
    """The box, and the parts that change during typing."""
    use_language(st.session_state["language"])
    typed = plain_text(
        st.text_input(
            _("Your sentence"),
            key="home.sentence",
            placeholder=_("Write a sentence …"),
            live="150ms",
            persist_state="session",
        )
    )
    sentence = typed[:SENTENCE_LIMIT]
    with st.container(key="home_sentence", gap="xsmall"):
        if len(typed) > SENTENCE_LIMIT:
            message = _(
                "The text has {size} characters; its first {limit} are shown. The playground takes all of it."
            )
            note(message.format(size=count(len(typed)), limit=count(SENTENCE_LIMIT)))
        run = home_run()
        trace = stage.build("home", run.name, run.make)
        if trace is not None:
            subject = remembered(
                ("home.subject", run.name, len(trace), current_language()),
                partial(
                    TrainedSubject, corpus_title(HOME_CORPUS), trace.tokenizer(len(trace)), trace, len(trace)
                ),
            )
            _show_tokens(subject, sentence, typed)


def _show_tokens(subject: TrainedSubject, sentence: str, typed: str) -> None:
    """The sentence's tokens, and the three ways to split it."""
    corpus = corpus_facts(HOME_CORPUS)
    try:
        analysis = analyse(subject, sentence)
    except TokenizersCoreError as error:
        problem(explained(error))
        return
    if sentence:
        st.html(sentence_html(analysis) + sentence_counts_html(analysis))
    else:
        empty = escape(_("No text, no tokens: write something."))
        st.html(f'<p class="ts first-counts">{empty}</p>')
    st.html(whose_html())
    if sentence:
        _show_real_tokens(sentence)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        show_page_link(Link(N_("Paste a whole text: the playground"), "playground", carried(typed)))
        show_page_link(WATCH)
        with st.popover(_("This sentence as a link"), type="tertiary"):
            show_address(page_address({"say": write_short(sentence)}))
    with st.expander(_("Why subwords? The same sentence as characters, words and subwords")):
        st.caption(_("Each with a vocabulary from the same corpus. Dashed: not in the vocabulary."))
        st.html(ways_html(analysis, corpus))


def _show_real_tokens(sentence: str) -> None:
    """The sentence's tokens by the vocabulary of a real model."""
    opened = stage.opened_tokenizer(GPT2, "home.real")
    if opened is not None:
        st.html(real_html(analyse(opened.subject, sentence)))


def carried(text: str) -> dict[str, str]:
    """The playground's parameters for a text, with this page's tokenizers; without a text, the playground
    keeps its own."""
    tokenizers = {"t1": SPEC, "t2": GPT2}
    if not text:
        return tokenizers
    packed = pack_text(text) if len(text) <= PACK_LIMIT else None
    if packed is None:
        return {**tokenizers, "id": text_store().put(text.encode("utf-8", "replace"))}
    return {**tokenizers, "text": packed}


def show_table() -> None:
    """The differences between the three algorithms, and a link to the first step of each; Compare has the
    whole table."""
    st.header(_("Three ways to learn the pieces"), anchor=False)
    st.caption(
        say(
            N_("On five words: {words}. These are the training pages' own results."),
            lesson_facts(),
        )
    )
    result: Sequence[Column] = known_columns()
    st.html(algorithms_html(result, SHORT_ROWS))
    with st.container(horizontal=True, gap="small"):
        for column in result:
            show_page_link(column.link, _(column.link.label).format(algorithm=column.name))
        show_page_link(Link(N_("Compare all three side by side"), COMPARE_LINK.page, {"corpus": "hug"}))
