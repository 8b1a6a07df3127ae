"""A teacher's lesson as a page of a site: texts, flipbooks with notes, and questions that the page can
check."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from html import escape
from typing import NamedTuple

from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.drawing.handout import DrawnRun
from tokensteps.language.i18n import _, count
from tokensteps.language.names import trace_name
from tokensteps.runs.settings import corpus_title
from tokensteps.site.books import BOOKS, book_html, books_data, draw_encoding, draw_training, train_here
from tokensteps.site.layout import SitePage
from tokensteps.site.lesson_file import LessonError, OwnLesson, OwnQuestion, OwnRun
from tokensteps.site.locks import AnswerLock, locked, number_lock, plain_words
from tokensteps.site.practice import ANSWERS, SiteTask, answer_words, tally_line, task_html
from tokensteps.teaching.questions import Choice, Entry, grade_number


class ShownRun(NamedTuple):
    """A run of a lesson, drawn."""

    books: list[tuple[str, DrawnRun]]
    steps: tuple[tuple[int, str], ...]


def own_lesson_page(lesson: OwnLesson, path: str) -> SitePage:
    """The page of a lesson at `path`, in the language in use. Raises LessonError for a run that can't be
    trained, or for a missing step."""
    parts, drawn = [f"<h1>{bidi(lesson.title)}</h1>", paragraphs(lesson.text)], list[DrawnRun]()
    number = 0
    for part in lesson.parts:
        if part.title:
            parts.append(f"<h2>{bidi(part.title)}</h2>")
        parts.append(paragraphs(part.text))
        if part.run is not None:
            shown = show_run(part.run)
            parts.append(steps_html(shown.steps, len(drawn) + 1))
            parts += [book_html(title, one, path) for title, one in shown.books]
            drawn += [one for _title, one in shown.books]
        for question in part.questions:
            number += 1
            parts.append(task_html(own_task(question, f"question-{number}", number)))
    if number:
        parts.insert(1, tally_line())
        parts.append(answer_words())
    if drawn:
        parts.append(books_data(drawn, path))
    scripts = ([BOOKS] if drawn else []) + ([ANSWERS] if number else [])
    return SitePage(path, lesson.title, "\n".join(filter(None, parts)), scripts, everywhere=False)


def bidi(text: str) -> str:
    """A line of somebody's text as markup, in its own direction."""
    return f"<bdi>{escape(text)}</bdi>"


def paragraphs(text: str) -> str:
    """A text as markup: empty lines part its paragraphs.

    >>> print(paragraphs("a < b\\n\\nc"))
    <p dir="auto">a &lt; b</p><p dir="auto">c</p>
    """
    blocks = re.split(r"\n\s*\n", text.strip())
    return "".join(f'<p dir="auto">{escape(block)}</p>' for block in blocks if block.strip())


# --- runs ---------------------------------------------------------------------------------------------------


def show_run(run: OwnRun) -> ShownRun:
    """Train a run, and draw the lesson's parts of it."""
    try:
        trace = train_here(run.recipe)
        title = _("{algorithm}: {corpus}").format(algorithm=trace_name(trace), corpus=run_corpus(run))
        drawn = draw_training(trace, run.step, title)
        for step in (run.step, *(step for step, _text in run.steps)):
            refuse_missing_step(run, step, trace, drawn.last)
        books = [(title, drawn)]
        if run.encode:
            books.append(draw_encoding(trace, len(trace), run.encode))
    except LessonError:
        raise
    except TokenizersCoreError as error:
        raise LessonError("training", run.location, problem=str(error)) from None
    return ShownRun(books, run.steps)


def refuse_missing_step(run: OwnRun, step: int, trace: AnyTrace, last: int) -> None:
    """Raise LessonError for a step not in the run, or after the `last` one that the page has room for."""
    if step > last:
        drawn = "the run" if last == len(trace) else f"those drawn here of the run's {len(trace):,}"
        wanted = f"a step of {drawn}, from 0 to {last:,}"
        raise LessonError("wrong", f"{run.location}: step", value=f"{step:,}", wanted=wanted)


def run_corpus(run: OwnRun) -> str:
    """The name of a run's corpus."""
    name, _data = run.recipe.file
    return name or corpus_title(run.recipe["corpus"])


def steps_html(steps: Iterable[tuple[int, str]], number: int) -> str:
    """The notes for the book with this number, each with a link to its step."""
    entries = "".join(
        f'<li><a href="#{number}.{step}">{escape(_("Step {step}").format(step=count(step)))}</a>{paragraphs(text)}</li>'
        for step, text in steps
    )
    return f'<ol class="plain steps">{entries}</ol>' if entries else ""


# --- questions ----------------------------------------------------------------------------------------------


def own_task(question: OwnQuestion, name: str, number: int) -> SiteTask:
    """A question, ready to be drawn."""
    form = Choice(question.choices) if question.choices else Entry()
    lock = own_lock(question, f"{name}: {question.ask}")
    hint = paragraphs(question.hint)
    return SiteTask(
        name,
        _("Question {number}").format(number=count(number)),
        paragraphs(question.ask),
        form,
        [lock],
        hint,
    )


def own_lock(question: OwnQuestion, salt: str) -> AnswerLock:
    """The lock of a question: a number may be rounded as in the app's exercises; of a text, capitals and
    spaces don't count."""
    if question.choices:
        return locked("choice", salt, map(str, question.answers))
    numbers = [answer for answer in question.answers if isinstance(answer, Fraction)]
    if numbers:
        return number_lock("number", salt, numbers[0], grade_number(numbers[0], "", "", ""))
    return locked("words", salt, [plain_words(str(answer)) for answer in question.answers])
