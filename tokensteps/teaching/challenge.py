"""Challenges: runs with steps for a class to predict, set by its teacher in a sealed link, and the students'
codes in return.

A code holds the answers, not the grades: they are graded against the same run during the check of the code.
So the server keeps no accounts and no lists.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple
from urllib.parse import parse_qs, urlsplit

import pandas as pd

from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.drawing.tokens import Style
from tokensteps.language.i18n import _, count
from tokensteps.language.names import ASK_NAMES
from tokensteps.runs.algorithms import ALGORITHMS, Run
from tokensteps.runs.rules import ASK_KINDS
from tokensteps.runs.settings import Reading, read_url
from tokensteps.server.seal import seal, unseal
from tokensteps.server.stores import digest
from tokensteps.teaching.game import VERDICT_NAMES, Prediction
from tokensteps.teaching.predictions import next_question_step, question_after
from tokensteps.teaching.questions import RIGHT, TIED, UNREAD, WRONG, Question

CODE: Final = re.compile(r"\.?[\w-]+(?:\.[\w-]+)+", re.ASCII)
"""The form of a code: letters, digits, - and _ in parts with dots between them, and a dot before a compressed
one."""
LEFT_OUT: Final = ("step", "mode", "ask", "watch")
"""Parameters of a training page set by the challenge itself."""


class Challenge(NamedTuple):
    """The teacher's task."""

    title: str
    page: str
    """The algorithm's name."""
    url: Mapping[str, str]
    """Corpus and rules, as in the training page's address."""
    first: int
    """The step shown at the start."""
    last: int
    """The last step to predict."""
    question_kind: str

    def sealed(self) -> str:
        """The challenge as a link's parameter."""
        return seal("challenge", list(self))

    @property
    def name(self) -> str:
        """A digest, unique to this challenge."""
        return digest(self.sealed().encode())[:12]

    def reading(self) -> Reading:
        """Its recipe, and complaints about it."""
        return read_url(self.page, ALGORITHMS[self.page].rules, self.url)

    def run(self) -> Run[AnyTrace] | None:
        """The run; None if its corpus is no longer on this server."""
        return ALGORITHMS[self.page].run(self.reading().recipe)


def open_challenge(sealed: str) -> Challenge | None:
    """The challenge in a link, or in the link's parameter; None if there is none, or it was not sealed by
    this server.

    >>> one = Challenge("Monday", "bpe", {"corpus": "hug"}, 0, 3, "pair")
    >>> open_challenge(one.sealed()) == open_challenge(
    ...     f"https://example.org/challenge?c={one.sealed()}"
    ... ) == one
    True
    >>> open_challenge("https://example.org/challenge?c=x") is None
    True
    """
    sealed = sealed.strip()
    if "?" in sealed:
        try:
            sealed = parse_qs(urlsplit(sealed).query).get("c", [""])[0]
        except ValueError:  # no address: `//[?`
            return None
    match unseal("challenge", sealed):
        case [str(title), str(page), dict(url), int(first), int(last), str(requested)] if (
            page in ALGORITHMS and requested in ASK_KINDS and 0 <= first < last
        ):
            return Challenge(title, page, url, first, last, requested)
    return None


class Answers(NamedTuple):
    """A student's answers."""

    challenge: str
    """The challenge's name."""
    name: str
    seconds: int
    answers: tuple[str, ...]
    """One for each question, in order; "" if the student had it revealed."""

    def code(self) -> str:
        """The answers as a code."""
        return seal("result", [self.challenge, self.name, self.seconds, list(self.answers)])


def open_answers(code: str) -> Answers | None:
    """The answers in a code; None if it is no code, or was changed."""
    match unseal("result", code.strip()):
        case [str(challenge), str(name), int(seconds), list(answers)]:
            return Answers(challenge, name, seconds, tuple(map(str, answers)))
    return None


def questions_of(challenge: Challenge, trace: AnyTrace, style: Style) -> list[tuple[int, Question]]:
    """The steps to predict and their questions: the same for the whole class."""
    wanted: list[tuple[int, Question]] = []
    step = next_question_step(trace, challenge.first)
    while step is not None and step < min(challenge.last, len(trace)):
        wanted.append((step + 1, question_after(trace, step, challenge.question_kind, style)))
        step = next_question_step(trace, step + 1)
    return wanted


def grade_answers(questions: Sequence[tuple[int, Question]], answers: Sequence[str]) -> list[Prediction]:
    """Grade answers, one after the other; a missing answer is wrong."""
    marked: list[Prediction] = []
    padded = [*answers, *[""] * len(questions)]
    for (step, question), text in zip(questions, padded, strict=False):
        verdict = question.grade(text).kind if text else WRONG
        marked.append(Prediction(step, question.kind, text, WRONG if verdict == UNREAD else verdict))
    return marked


class Checked(NamedTuple):
    """One code, checked."""

    result: Answers
    answers: list[Prediction]

    def number(self, verdict: str) -> int:
        """How many answers got this verdict."""
        return sum(answer.verdict == verdict for answer in self.answers)


def code_in(line: str) -> str:
    """The code in a line, perhaps with words around it, as sent by students.

    >>> code_in("Ann: my code is “WyJh.aBc-d_E”."), code_in("  ")
    ('WyJh.aBc-d_E', '')
    """
    return max(CODE.findall(line), key=len, default=line.strip())


def check_codes(
    challenge: Challenge, trace: AnyTrace, style: Style, lines: Sequence[str]
) -> tuple[list[Checked], list[str]]:
    """Check the codes in lines (blank ones are skipped): the valid ones, and for each of the others the
    reason (translated)."""
    held: list[Checked] = []
    refused: list[str] = []
    first: dict[str, int] = {}
    questions = questions_of(challenge, trace, style)
    for number, line in enumerate(lines, 1):
        code = code_in(line)
        if not code:
            continue
        result = open_answers(code)
        if first.setdefault(code, number) < number:
            message = _("Line {number} repeats the code from line {first}, so it counts only once.")
            refused.append(message.format(number=count(number), first=count(first[code])))
        elif result is None:
            message = _("Line {number} is not a code from this server, or it was altered: {code}")
            refused.append(message.format(number=count(number), code=repr(line.strip()[:24])))
        elif result.challenge != challenge.name:
            message = _("Line {number}, from {name}, is a code for another challenge.")
            refused.append(message.format(number=count(number), name=repr(result.name)))
        else:
            held.append(Checked(result, grade_answers(questions, result.answers)))
    return held, refused


def class_table(held: Sequence[Checked]) -> pd.DataFrame:
    """One row for each code."""
    return pd.DataFrame(
        [
            {
                _("name"): one.result.name or _("no name"),
                _("right"): one.number(RIGHT),
                _("tied"): one.number(TIED),
                _("wrong"): one.number(WRONG),
                _("time"): time_text(one.result.seconds),
            }
            for one in held
        ]
    )


def steps_table(held: Sequence[Checked]) -> pd.DataFrame:
    """One row for each question: how many got it right, and the most frequent mistake."""
    rows = []
    for answers in zip(*(one.answers for one in held), strict=True):
        mistakes = Counter(answer.text for answer in answers if answer.verdict == WRONG)
        common, times = mistakes.most_common(1)[0] if mistakes else ("", 0)
        rows.append(
            {
                _("step"): answers[0].step,
                _("question"): _(ASK_NAMES[answers[0].kind]),
                _("right"): sum(answer.verdict == RIGHT for answer in answers),
                _("tied"): sum(answer.verdict == TIED for answer in answers),
                _("wrong"): sum(answer.verdict == WRONG for answer in answers),
                _("most common mistake"): f"{common or _('revealed')} ({times})" if times else "",
            }
        )
    return pd.DataFrame(rows)


def time_text(seconds: int) -> str:
    """Minutes and seconds.

    >>> time_text(200), time_text(4000)
    ('3:20', '66:40')
    """
    return f"{seconds // 60}:{seconds % 60:02}"


def result_text(challenge: Challenge, checked: Checked) -> str:
    """A result in words, for a message to the teacher."""
    lines = [
        _("{title}: {right} of {all} right, {tied} tied, in {time} minutes.").format(
            title=challenge.title or _("Challenge"),
            right=checked.number(RIGHT),
            all=len(checked.answers),
            tied=checked.number(TIED),
            time=time_text(checked.result.seconds),
        ),
        *(
            _("Step {step}: {answer}, {verdict}").format(
                step=answer.step,
                answer=answer.text or _("revealed"),
                verdict=_(VERDICT_NAMES[answer.verdict]),
            )
            for answer in checked.answers
        ),
    ]
    return "\n".join(lines)
