"""Exercises as pages of a site: a kind a page, some of each level; the page can check the answers, but
doesn't contain them; and their key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import Final, NamedTuple

from tokensteps.drawing.handout import filled, json_in_page
from tokensteps.language.i18n import _, count, listed, ngettext
from tokensteps.limits import ANSWER_LIMIT
from tokensteps.site.layout import SitePage, link_html
from tokensteps.site.locks import AnswerLock, locks_of
from tokensteps.teaching.exercises.kinds import EXERCISE_KINDS, Exercise, make
from tokensteps.teaching.exercises.words import LEVELS
from tokensteps.teaching.questions import Cells, Choice, Entry, Form, SeveralLines

ANSWERS: Final = "exercises.js"
"""The script of every page with questions."""


class SiteTask(NamedTuple):
    """One question of a page, ready to be drawn."""

    name: str
    """Its id in the page."""
    title: str
    prompt: str
    """Markup."""
    form: Form
    locks: Sequence[AnswerLock]
    hint: str = ""
    """Shown after a wrong answer: markup without the right one."""


def practice_path(kind: str) -> str:
    """The page of a kind of exercise."""
    return f"exercises/{kind}.html"


def key_path(kind: str) -> str:
    """The page of its answers."""
    return f"exercises/{kind}-key.html"


def sets_of(kind: str, number: int) -> dict[int, list[Exercise]]:
    """Level → so many exercises of a kind, in the language in use; fewer where some would ask the same."""
    results: dict[int, list[Exercise]] = {}
    for level in LEVELS:
        different = {
            one.question.prompt: one for one in (make(kind, level, seed) for seed in range(1, number + 1))
        }
        results[level] = [*different.values()]
    return results


def practice_pages(kind: str, number: int, keys: bool) -> Iterator[SitePage]:
    """The page of a kind, and the page of its answers if the site has `keys`."""
    title, sets = _(EXERCISE_KINDS[kind].title), sets_of(kind, number)
    parts, answers = [], []
    for level, exercises in sets.items():
        label = _("Level {level}").format(level=level)
        head = f"<h2>{escape(label)}</h2>"
        parts.append(head)
        answers.append(head)
        for one in exercises:
            name = f"level-{level}-{one.seed}"
            question = one.question
            task = SiteTask(
                name, count(one.seed), question.prompt, question.form, locks_of(one), question.worked
            )
            parts.append(task_html(task))
            answers.append(
                f'<section class="box" id="{name}"><h3>{count(one.seed)}</h3><p>{question.solution}</p></section>'
            )
    lead = f'<p class="lead">{escape(_(EXERCISE_KINDS[kind].trains))}</p>'
    key = _("Key: {title}").format(title=title)
    to_key = f'<p class="opens">{link_html(practice_path(kind), key_path(kind), key)}</p>' if keys else ""
    body = "\n".join([f"<h1>{escape(title)}</h1>", lead, tally_line(), *parts, to_key, answer_words()])
    yield SitePage(practice_path(kind), title, body, (ANSWERS,))
    if keys:
        back = f'<p class="opens">{link_html(key_path(kind), practice_path(kind), title)}</p>'
        yield SitePage(key_path(kind), key, "\n".join([f"<h1>{escape(key)}</h1>", *answers, back]))


def tally_line() -> str:
    """Where the script says how many were solved."""
    return '<p class="tally" role="status"></p>'


def task_html(task: SiteTask) -> str:
    """A question with its form."""
    checked = bool(task.locks)
    return filled(
        "site/task",
        name=task.name,
        title=escape(task.title),
        prompt=task.prompt,
        boxes=BOXES[type(task.form)](task.form),
        check=escape(_("Check")) if checked else "",
        hidden="" if checked else "hidden",
        locks=json_in_page([lock._asdict() for lock in task.locks]),
        hint=task.hint,
        remark=""
        if checked
        else escape(
            _("Any answer that trains like this is right. The app checks it; so can you, step by step.")
        ),
    )


def answer_words() -> str:
    """The script's words."""
    words = {
        "right": _("Right."),
        "tied": _("Tied."),
        "as_good": _("It is as good, but the tie rule chooses another."),
        "wrong": _("Not this one."),
        "empty": _("Give an answer first."),
        "long": _("The answer has {size} characters, but at most {limit} are read: shorten it."),
        "count": _("{answer} can't be read as a number: type a whole number in digits."),
        "number": _(
            "{answer} can't be read as a number: type digits, or a product or a fraction such as a/(b × c)."
        ),
        "digits": _("Give at least two significant digits."),
        "split": _("Those pieces don't make {word}: type the whole word, with a space at each cut."),
        "solved_one": ngettext("{number} of {all} solved", "{number} of {all} solved", 1),
        "solved_other": ngettext("{number} of {all} solved", "{number} of {all} solved", 2),
        "limit": ANSWER_LIMIT,
    }
    return filled("site/words", words=json_in_page(words))


# --- forms --------------------------------------------------------------------------------------------------


def _choice_boxes(form: Choice) -> str:
    options = "".join(
        f'<option value="{escape(option)}">{escape(option)}</option>' for option in form.options
    )
    return filled(
        "site/choice",
        label=escape(_("Your answer")),
        none=escape(_("Choose an option")),
        options=options,
        printed="".join(f"<li>{escape(option)}</li>" for option in form.options),
    )


def _entry_box(form: Entry) -> str:
    return f'<input type="text" name="answer" autocomplete="off" spellcheck="false" {_labels(_("Your answer"), form.hint)}>'


def _lines_box(form: SeveralLines) -> str:
    return f'<textarea rows="4" name="answer" spellcheck="false" {_labels(_("Your answer"), form.hint)}></textarea>'


def _cell_boxes(form: Cells) -> str:
    """A table with boxes in its open cells."""
    head = "".join(f"<th>{escape(name)}</th>" for name in form.head)
    rows = ""
    for row in form.rows:
        cells = (
            f"<code>{escape(cell)}</code>"
            if cell is not None
            else f'<input type="text" name="answer" autocomplete="off" spellcheck="false" {_labels(listed(filter(None, (name, row[0]))))}>'
            for name, cell in zip(form.head, row, strict=True)
        )
        rows += f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
    return f'<table class="sheet"><tr>{head}</tr>{rows}</table>'


def _labels(label: str, hint: str = "") -> str:
    placeholder = f' placeholder="{escape(hint)}"' if hint else ""
    return f'aria-label="{escape(label)}"{placeholder}'


BOXES: Final[Mapping[type, Callable[..., str]]] = {
    Choice: _choice_boxes,
    Entry: _entry_box,
    SeveralLines: _lines_box,
    Cells: _cell_boxes,
}
"""A form → the thing to fill in."""
