"""Predict: a run whose next step is hidden until the learner has said what it will be.

The browser gets the frames of the steps that are found out, and no others: neither keys nor scrubber nor address lead further.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from html import escape
from typing import Any, Final, NamedTuple

import pandas as pd
import streamlit as st

from tokensteps.components.flipbook import go_to
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.tokens import Style, chips
from tokensteps.drawing.training.merging import WORD_ROWS
from tokensteps.language.i18n import N_, _, count, ngettext, sentences, use_language
from tokensteps.limits import ANSWERS_LISTED
from tokensteps.teaching.predictions import ASK_NAMES, next_asked, question_after
from tokensteps.teaching.questions import RIGHT, TIED, UNREAD, WRONG, Question, Tally, Verdict
from tokensteps.widgets import stage
from tokensteps.widgets.keep import kept
from tokensteps.widgets.notes import note
from tokensteps.widgets.questions import ask, tally_html, verdict_html

FRAMES: Final = 48
"""Frames that are sent at a time: with each answer they are drawn again."""
WORDS_LISTED: Final = 120
OPENING: Final = N_(
    "What comes next is hidden: answer, and the step is shown. “Reveal” shows it, too, and counts as wrong."
)
VERDICT_NAMES: Final = {RIGHT: N_("right"), TIED: N_("tied"), WRONG: N_("wrong")}


class Answer(NamedTuple):
    """What was said about a step."""

    step: int
    """The step that was hidden."""
    kind: str
    text: str
    """"" for one that was given up."""
    verdict: str


@dataclass
class Game:
    """How far somebody has come in finding out a run."""

    run: str
    """Which run, and from where: what makes a game this one."""
    reached: int
    """The last step that is shown."""
    tally: Tally = field(default_factory=Tally)
    answers: list[Answer] = field(default_factory=list)
    verdict: Verdict | None = None
    """What the last answer was worth."""
    began: float = field(default_factory=time.time)
    seconds: int = 0
    """From its beginning to the last answer."""
    left: bool = False
    """Whether it was left, and begins where the learner is when it is taken up."""


@dataclass(frozen=True)
class Hidden:
    """A run whose steps are to be found out."""

    place: str
    """Its page, which begins the keys of its widgets."""
    name: str
    """The run's, see `Run.name`."""
    trace: Any
    style: Style
    frame: Callable[..., Frame]
    """Draws a snapshot; with `ahead=False` it tells nothing of what comes next."""
    asked: str
    """The kind of question."""
    last: int
    """The last step that is asked about."""

    def draw(self, step: int) -> Frame:
        """The frame of a step that is found out."""
        return self.frame(self.trace[step], self.style, ahead=False)

    @property
    def book(self) -> str:
        """The flipbook's key."""
        return f"{self.place}.book"

    def drawing(self, game: Game) -> str:
        """What makes the flipbook's frames these and no others."""
        return f"{self.style.show}:hidden:{game.reached}:{len(self.trace)}"


def game_of(hidden: Hidden, start: int) -> Game:
    """The game that is under way; one that was left begins anew after the step `start`, and so does another run's, without answers."""
    state, key = st.session_state, f"{hidden.place}.game"
    game: Game | None = state.get(key)
    if game is None or game.run != hidden.name:
        game = state[key] = Game(hidden.name, _next_reached(hidden, start))
    elif game.left:
        game.reached, game.left = _next_reached(hidden, start), False
    return game


def _next_reached(hidden: Hidden, step: int) -> int:
    """How far the run is shown, from a step on: up to the next one that can be asked about."""
    following = next_asked(hidden.trace, min(step, hidden.last))
    return hidden.last if following is None else min(following, hidden.last)


def outlast(hidden: Hidden, game: Game) -> bool:
    """Have the browser keep the game; take up the one that a session before this one has left there. Whether that has just happened."""
    given = game.answers[-ANSWERS_LISTED:]
    what = [game.reached, game.seconds, game.tally, given] if given else []
    match kept(f"{hidden.place}-{hidden.name[:12]}", what):
        case [int(reached), int(seconds), list(tally), list(answers)] if len(tally) == len(Tally._fields):
            game.reached = max(game.reached, min(reached, hidden.last))
            game.tally = Tally(*tally)
            game.answers = [
                Answer(*answer)
                for answer in answers
                if len(answer) == len(Answer._fields) and answer[1] in ASK_NAMES
            ]
            game.began, game.seconds = time.time() - seconds, seconds
            return True
    return False


def forget_game(place: str) -> None:
    """Let the next game begin where the learner is then."""
    game: Game | None = st.session_state.get(f"{place}.game")
    if game is not None:
        game.left, game.verdict = True, None


def show_question(hidden: Hidden, game: Game) -> None:
    """What was said of the last answer, and the next question, if there is one."""
    with st.container(key=f"{hidden.place}-predict"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(verdict_html(game.verdict or Verdict("", escape(_(OPENING)))))
            if game.tally.answered:
                st.html(f'<div class="ts">{tally_html(game.tally)}</div>', width="content")
        if game.reached >= hidden.last:
            note(_("Nothing is left to predict: step {step} is the last one.").format(step=hidden.last))
            return
        question = question_after(hidden.trace, game.reached, hidden.asked, hidden.style)
        ask(
            f"{hidden.place}.predict",
            question,
            partial(_answered, hidden, game, question),
            partial(_given_up, hidden, game, question),
        )


def _answered(hidden: Hidden, game: Game, question: Question, text: str, verdict: Verdict) -> None:
    """Write an answer down, and show the step. A second click on the button, with nothing typed since, changes nothing."""
    if not text.strip() and game.verdict is not None and game.verdict.kind != UNREAD:
        return
    game.verdict = verdict
    if verdict.kind != UNREAD:
        _reveal(hidden, game, Answer(game.reached + 1, question.kind, text, verdict.kind))


def _given_up(hidden: Hidden, game: Game, question: Question) -> None:
    """Show the step to somebody who doesn't answer."""
    use_language(st.session_state["language"])
    shown = _("Shown.")
    game.verdict = Verdict(WRONG, sentences(f"<b>{escape(shown)}</b>", question.solution))
    _reveal(hidden, game, Answer(game.reached + 1, question.kind, "", WRONG))


def _reveal(hidden: Hidden, game: Game, answer: Answer) -> None:
    game.answers.append(answer)
    game.seconds = round(time.time() - game.began)
    game.tally = game.tally.after(answer.verdict)
    game.reached = _next_reached(hidden, answer.step)
    go_to(hidden.book, answer.step)


def show_words(hidden: Hidden, game: Game) -> None:
    """All words as they are split now, where the stage has no room for them: without them, nobody can count."""
    trace = hidden.trace
    words = trace.corpus.words[:WORDS_LISTED]
    if len(words) <= WORD_ROWS:
        return
    label = _("All words as they are split now")
    if len(words) < len(trace.corpus.words):
        label = _("The first {number} of {all} words as they are split now").format(
            number=count(len(words)), all=count(len(trace.corpus.words))
        )
    with st.expander(label, key=f"{hidden.place}.words"):
        rows = "".join(
            f'<span class="id">{chips(tokens, hidden.style)}<small>× {count(trace.word_frequencies[word])}</small></span>'
            for word, tokens in trace.splits(game.reached, words).items()
        )
        st.html(f'<div class="ts words">{rows}</div>')


def show_answers(hidden: Hidden, game: Game) -> None:
    """What was answered."""
    if not game.answers:
        return
    told = ngettext("{number} answer", "{number} answers", len(game.answers))
    with st.expander(told.format(number=count(len(game.answers))), key=f"{hidden.place}.answers"):
        st.dataframe(answers_table(game.answers), hide_index=True)


def answers_table(answers: list[Answer]) -> pd.DataFrame:
    """What was said, the newest first."""
    return pd.DataFrame(
        [
            {
                _("step"): answer.step,
                _("asked"): _(ASK_NAMES[answer.kind]),
                _("answer"): answer.text or _("shown"),
                _("verdict"): _(VERDICT_NAMES[answer.verdict]),
            }
            for answer in answers[: -ANSWERS_LISTED - 1 : -1]
        ]
    )


def show_hidden(hidden: Hidden, game: Game, url: dict[str, str | None]) -> None:
    """The steps that are found out, on a training page's stage."""
    stage.stage(
        hidden.place,
        hidden.name,
        hidden.drawing(game),
        game.reached,
        hidden.draw,
        url,
        size=FRAMES,
        whole=FRAMES,
    )
