"""Predict mode: the next step of a run is hidden until the learner has predicted it.

The browser gets only the frames of revealed steps: neither keys nor scrubber nor address lead further.
"""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Final

import pandas as pd
import streamlit as st

from tokenizers_core import Pair
from tokenizers_core.counterfactual.recounting import corpus_of
from tokenizers_core.training.merge_trace import MergeTrace
from tokensteps.components.flipbook import Growth, go_to
from tokensteps.drawing.stage_markup import WORD_ROWS
from tokensteps.drawing.tokens import chips, lit_id, pair_text
from tokensteps.drawing.training.candidates import PAIRS_OFFERED
from tokensteps.language.i18n import N_, _, count, ngettext, use_language
from tokensteps.language.names import ASK_NAMES
from tokensteps.limits import ANSWERS_LISTED
from tokensteps.server.steps import drawing_version
from tokensteps.teaching.game import VERDICT_NAMES, Game, Hidden, Prediction
from tokensteps.teaching.questions import Question, Verdict
from tokensteps.widgets import stage
from tokensteps.widgets.figures import show_rows
from tokensteps.widgets.keep import synced
from tokensteps.widgets.notes import note
from tokensteps.widgets.questions import answer_key, ask, empty_boxes, tally_html, verdict_html

FRAMES: Final = 48
"""Frames sent at a time: they are drawn again with each answer."""
SPLIT_WORDS_LISTED: Final = 120
OPENING: Final = N_(
    "The next step is hidden: answer, and it is shown. “Reveal” shows it too, but counts as wrong."
)


def game_of(hidden: Hidden, start: int, anew: bool = False, stop: str = "") -> Game:
    """The game in progress. An interrupted one goes on after the step `start`; another run, or a start
    `anew`, begins a new one there, at this `stop` of a plan or the path."""
    state, key = st.session_state, f"{hidden.key}.game"
    game: Game | None = state.get(key)
    if anew or game is None or game.run != hidden.name:
        game = state[key] = Game(hidden.name, hidden.shown_from(start), anew=anew, stop=stop)
    elif game.left:
        game.reached, game.left = hidden.shown_from(start), False
    elif game.reached < hidden.last:
        game.reached = hidden.shown_from(
            game.reached
        )  # of a run that has grown: nothing may have followed before
    return game


def keep_game(hidden: Hidden, game: Game) -> bool:
    """Have the browser keep the game, or restore an earlier session's from there; returns whether it was
    restored just now."""
    return game.restore(synced(f"{hidden.key}-{hidden.name[:12]}", game.saved(), erased=game.anew), hidden)


def is_game_of_stop(key: str, stop: str) -> bool:
    """Whether the page's game began at this stop of a plan or the path."""
    game: Game | None = st.session_state.get(f"{key}.game")
    return game is not None and game.stop == stop


def forget_game(key: str) -> None:
    """Have the next game begin at the learner's step at that time."""
    game: Game | None = st.session_state.get(f"{key}.game")
    if game is not None:
        game.leave()


def show_question(hidden: Hidden, game: Game) -> None:
    """The verdict on the last answer, and the next question, if there is one."""
    with st.container(key=f"{hidden.key}-predict"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(verdict_html(game.reply(hidden) or Verdict("", escape(_(OPENING)))))
            if game.tally.answered:
                st.html(f'<div class="ts">{tally_html(game.tally)}</div>', width="content")
        question = game.question(hidden)
        if question is None and not hidden.trace.finished:
            note(_("Training goes on: the next question comes as soon as its step is recorded."))
            return
        if question is None:
            note(_("Nothing left to predict: step {step} is the last one.").format(step=hidden.last))
            return
        ask(
            f"{hidden.key}.predict",
            question,
            partial(_note_answer, hidden, game, question),
            partial(_give_up, hidden, game, question),
            how=_("Click between two tokens, or choose a pair.")
            if _clickable(hidden, game, question)
            else "",
        )


def _clickable(hidden: Hidden, game: Game, question: Question) -> list[Pair]:
    """The pairs to click in the picture: the candidates for the next step, if a question asks for a pair."""
    trace = hidden.trace
    if question.kind != "pair" or trace.ranked_by == "loss":
        return []
    return [one.pair for one in trace.candidates(game.reached, PAIRS_OFFERED)]


def _note_answer(hidden: Hidden, game: Game, question: Question, text: str, verdict: Verdict) -> None:
    if game.answer(hidden, question, text, verdict):
        go_to(hidden.book, game.predictions[-1].step)


def _give_up(hidden: Hidden, game: Game, question: Question) -> None:
    use_language(st.session_state["language"])
    game.give_up(hidden, question)
    empty_boxes(f"{hidden.key}.predict")
    go_to(hidden.book, game.predictions[-1].step)


def show_words(hidden: Hidden, game: Game) -> None:
    """All words with their present splits, if the stage has no room for them: nobody could count without
    them."""
    trace, question = hidden.trace, game.question(hidden)
    on_stage = (trace.corpus_at(game.reached) if isinstance(trace, MergeTrace) else trace.corpus).words
    corpus = corpus_of(trace, game.reached + 1)
    if question is not None and question.kind == "language":
        corpus = trace.corpus  # its own words would give it away
    words, counts = corpus.words[:SPLIT_WORDS_LISTED], corpus.counts
    if corpus.words == on_stage and len(words) <= WORD_ROWS:
        return
    label = _("All words as currently split")
    if len(words) < len(corpus):
        label = _("The first {number} of {all} words as currently split").format(
            number=count(len(words)), all=count(len(corpus))
        )
    with st.expander(label, key=f"{hidden.key}.words"):
        rows = "".join(
            f'<span class="id">{chips(tokens, hidden.style)}<small>× {count(number)}</small></span>'
            for tokens, number in zip(trace.splits(game.reached, words).values(), counts, strict=False)
        )
        st.html(f'<div class="ts words">{rows}</div>')


def show_answers(hidden: Hidden, game: Game) -> None:
    """The list of answers."""
    if not game.predictions:
        return
    text = ngettext("{number} answer", "{number} answers", len(game.predictions))
    with st.expander(text.format(number=count(len(game.predictions))), key=f"{hidden.key}.answers"):
        show_rows(answers_table(game.predictions), f"{hidden.key}.said", export=False)


def answers_table(predictions: list[Prediction]) -> pd.DataFrame:
    """The answers, newest first."""
    return pd.DataFrame(
        [
            {
                _("step"): one.step,
                _("question"): _(ASK_NAMES[one.kind]),
                _("answer"): one.text or _("revealed"),
                _("verdict"): _(VERDICT_NAMES[one.verdict]),
            }
            for one in predictions[: -ANSWERS_LISTED - 1 : -1]
        ]
    )


def show_hidden(hidden: Hidden, game: Game, url: dict[str, str | None], growth: Growth | None = None) -> None:
    """The revealed steps on a training page's stage. With `growth`, the browser asks for more: only a learner
    without a question yet wants that."""
    stage.stage(
        hidden.key,
        hidden.name,
        hidden.drawing(game.reached),
        game.reached,
        partial(hidden.draw, game.reached),
        url,
        size=FRAMES,
        whole=FRAMES,
        on_answer=partial(choose_pair, hidden, game),
        drawing_version=partial(drawing_version, hidden.trace),
        growth=growth if game.reached >= hidden.last else None,
    )


def choose_pair(hidden: Hidden, game: Game, identifier: str) -> None:
    """A pair was clicked in the picture: choose it in the list of answers, if the question is about a pair;
    "Check" remains to be pressed."""
    question = game.question(hidden)
    pairs = _clickable(hidden, game, question) if question is not None else []
    if not pairs:
        return
    chosen = next((pair for pair in pairs if lit_id(*pair) == identifier), None)
    st.session_state[answer_key(f"{hidden.key}.predict")] = (
        pair_text(chosen, hidden.style) if chosen is not None else None
    )
