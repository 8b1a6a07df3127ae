"""The game of predicting: the progress in a run with its next step hidden, and each answer's verdict.

Nothing here knows of widgets: `tokensteps/widgets/predict.py` draws a game and keeps it in the session.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple

from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.tokens import Style
from tokensteps.language.i18n import N_
from tokensteps.language.names import ASK_NAMES
from tokensteps.limits import ANSWERS_LISTED
from tokensteps.teaching.feedback import in_steps, revealed, translated_verdict
from tokensteps.teaching.predictions import next_question_step, question_after
from tokensteps.teaching.questions import (
    AGAIN,
    HALF,
    QUARTER,
    RIGHT,
    TIED,
    UNREAD,
    WRONG,
    Question,
    Tally,
    Verdict,
)

VERDICT_NAMES: Final = {
    RIGHT: N_("right"),
    HALF: N_("right at the second try"),
    QUARTER: N_("right at the third try"),
    TIED: N_("tied"),
    WRONG: N_("wrong"),
}


class Prediction(NamedTuple):
    """An answer about a step."""

    step: int
    """The hidden step."""
    kind: str
    """A key of `ASK_NAMES`: the question."""
    text: str
    """"" for one given up."""
    verdict: str


@dataclass(frozen=True)
class Hidden:
    """A run with steps to predict."""

    key: str
    """Its page, the prefix of its widgets' keys."""
    name: str
    """The run's, see `Run.name`."""
    trace: AnyTrace
    style: Style
    frame: Callable[..., Frame]
    """Draws a snapshot; with `ahead=False` and, beside a question, `quiz=True`, without giving away the next
    step."""
    question_kind: str
    """The kind of question."""
    last: int
    """The last step to predict."""
    one_try: bool = False
    """Whether the first answer counts, without hints: in a challenge they would go round the class."""
    scored: bool = True
    """Whether a later try counts less, and says so: on the path nobody keeps a score."""

    def draw(self, reached: int, step: int) -> Frame:
        """The frame of a revealed step, when the steps up to `reached` are shown. Candidates lead ahead: they
        are listed, best first, when all steps are."""
        return self.frame(
            self.trace[step],
            self.style,
            ahead=self._is_whole(reached),
            quiz=step == reached and self._lists_pairs(reached),
        )

    @property
    def book(self) -> str:
        """The flipbook's key."""
        return f"{self.key}.book"

    def drawing(self, reached: int) -> str:
        """A name for the frames when the steps up to `reached` are shown: other frames have another one."""
        return f"{self.style.show}:hidden:{reached}:{self._is_whole(reached)}:{self._lists_pairs(reached)}"

    def _lists_pairs(self, reached: int) -> bool:
        """Whether the pairs to choose from are listed after the last shown step: they would give away the
        answer to a question about the language."""
        return reached < self.last and (
            question_after(self.trace, reached, self.question_kind, self.style).kind != "language"
        )

    def _is_whole(self, reached: int) -> bool:
        """Whether all steps are shown: never so in a growing run."""
        return self.trace.finished and reached == len(self.trace)

    def shown_from(self, step: int) -> int:
        """The last step to show, from a step on: the next one before a possible question."""
        following = next_question_step(self.trace, min(step, self.last))
        return self.last if following is None else min(following, self.last)


@dataclass
class Game:
    """The progress in predicting a run."""

    run: str
    """The name of the game's run."""
    reached: int
    """The last shown step."""
    tally: Tally = field(default_factory=Tally)
    predictions: list[Prediction] = field(default_factory=list)
    verdict: Verdict | None = None
    """The verdict on the last answer,"""
    about: tuple[int, str] = (0, "")
    """the step before the question, and its kind."""
    tries: tuple[str, ...] = ()
    """The wrong answers to the present question."""
    began: float = field(default_factory=time.time)
    seconds: int = 0
    """From its beginning to the last answer."""
    left: bool = False
    """Whether the learner left it: then it goes on from the step where the learner is on coming back."""
    anew: bool = False
    """Whether it replaces a game possibly kept by the browser."""
    stop: str = ""
    """The stop of a plan or the path where it began, as in the address; "" for none."""

    def question(self, hidden: Hidden) -> Question | None:
        """The next question; None at the end."""
        if self.reached >= hidden.last:
            return None
        return question_after(hidden.trace, self.reached, hidden.question_kind, hidden.style)

    def _asked(self, hidden: Hidden) -> tuple[int, str]:
        """The step before the next question, and its kind."""
        question = self.question(hidden)
        return (self.reached, "" if question is None else question.kind)

    def answer(self, hidden: Hidden, question: Question, text: str, verdict: Verdict) -> bool:
        """Write an answer down, and show the step unless it can't be read or there is another try; whether
        the step is shown now.

        A second click on the button, with nothing typed since, changes nothing.
        """
        if not text.strip() and self.verdict is not None and self.verdict.kind != UNREAD:
            return False
        about = (self.reached, question.kind)
        tries = self.tries if self.about == about else ()  # of another kind of question
        verdict = in_steps(question, tries, text, verdict, hidden.scored, hidden.one_try)
        self.verdict, self.about = verdict, about
        if verdict.kind == UNREAD:
            return False
        if verdict.kind == AGAIN:
            self.tries = (*tries, text)
            return False
        self._reveal(hidden, Prediction(self.reached + 1, question.kind, text, verdict.kind))
        return True

    def give_up(self, hidden: Hidden, question: Question) -> None:
        """Show the step without an answer: that counts as wrong."""
        self.verdict, self.about = revealed(question), (self.reached, question.kind)
        self._reveal(hidden, Prediction(self.reached + 1, question.kind, "", WRONG))

    def reply(self, hidden: Hidden) -> Verdict | None:
        """The verdict on the last answer, in the language in use. A remark on an answer without a verdict is
        about its own question alone."""
        if (
            self.verdict is not None
            and self.verdict.kind in (UNREAD, AGAIN)
            and self.about != self._asked(hidden)
        ):
            self.verdict = None
        if self.verdict is not None:
            make = partial(question_after, hidden.trace, *self.about, hidden.style)
            self.verdict = translated_verdict(self.verdict, make)
        return self.verdict

    def _reveal(self, hidden: Hidden, prediction: Prediction) -> None:
        self.predictions.append(prediction)
        self.tries = ()
        self.seconds = round(time.time() - self.began)
        self.tally = self.tally.after(prediction.verdict)
        self.reached = hidden.shown_from(prediction.step)

    def leave(self) -> None:
        """Let it go on from wherever the learner is next."""
        self.left, self.verdict, self.tries = True, None, ()

    def saved(self) -> list[Any]:
        """The game as JSON can hold it, its latest answers only; [] before the first answer."""
        value = self.predictions[-ANSWERS_LISTED:]
        return [self.reached, self.seconds, self.tally, value, self.tries] if value or self.tries else []

    def restore(self, saved: list[Any], hidden: Hidden) -> bool:
        """Continue a saved game; returns whether `saved` was one."""
        match saved:
            case [int(reached), int(seconds), list(tally), list(value), list(tries)] if len(tally) == len(
                Tally._fields
            ):
                there = min(reached, hidden.last)
                self.tries = tuple(map(str, tries)) if there >= self.reached else ()  # of another question
                self.reached = max(self.reached, there)
                self.tally = Tally(*tally)
                self.predictions = [
                    Prediction(*one)
                    for one in value
                    if len(one) == len(Prediction._fields) and one[1] in ASK_NAMES
                ]
                self.began, self.seconds = time.time() - seconds, seconds
                self.about = self._asked(hidden)
                return True
        return False
