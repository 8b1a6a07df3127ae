"""A teacher's lesson, read from a `lesson.toml`: hostile until checked, like all input.

Nothing in it is markup. Corpora may lie in files beside it, nowhere else. See docs/site.md for an example.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, time
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

from tokenizers_core.errors import Phrase, TokenizersCoreError, quoted
from tokensteps.language.i18n import LANGUAGES, N_
from tokensteps.language.pages import PAGES
from tokensteps.limits import (
    CHOICE_TYPED,
    DECK,
    DECK_BYTES,
    LESSON_BYTES,
    LESSON_LINE,
    LESSON_PARTS,
    LESSON_QUESTIONS,
    LESSON_TEXT,
    MOST_TYPED_CHOICES,
    PREPARED_AT,
    UPLOAD_LIMIT,
    WORD_PARTS,
    WORD_SHOWN,
)
from tokensteps.runs.corpora import EXAMPLES
from tokensteps.runs.rules import RULES_OF, Setting
from tokensteps.runs.settings import Recipe, read_url
from tokensteps.teaching.walk import PATH_WALK, read_walk

NOT_UTF8: Final = N_("{place} is not UTF-8: save it as UTF-8, and try again.")


class LessonError(TokenizersCoreError):
    """Something in a lesson that can't be used. `why` is a key of `templates`.

    >>> print(LessonError("unknown", "lesson.toml, part 2: sise", known="size, ties"))
    lesson.toml, part 2: sise is not known here; choose one of size, ties, or take it out.
    """

    templates: ClassVar[Mapping[str, str]] = {
        "toml": N_("{place} can't be read as TOML: {problem}. Mend that place; docs/site.md has an example."),
        "encoding": NOT_UTF8,
        "brackets": N_(
            "{place} is only one: write double brackets around its name each time, as in [[part]]."
        ),
        "large": N_("{place} has {size}, but the limit is {limit}: shorten it."),
        "missing": N_("{place} is missing: add it, as docs/site.md shows."),
        "wrong": N_("{place} is {value}, but must be {wanted}: change it."),
        "unknown": N_("{place} is not known here; choose one of {known}, or take it out."),
        "training": N_("{place} can't be trained: {problem}"),
    }

    def __init__(self, why: str, location: str, **evidence: str) -> None:
        self.why = why
        self.template = self.templates[why]
        super().__init__(place=location, **evidence)


class OwnQuestion(NamedTuple):
    """A question of a lesson."""

    ask: str
    answers: tuple[str | Fraction, ...]
    """All right answers: texts, or one number."""
    choices: tuple[str, ...] = ()
    """The choices; none for a question to type an answer to."""
    hint: str = ""
    """The hint after a wrong answer."""


class OwnRun(NamedTuple):
    """A run of a lesson, and the parts of it to look at."""

    recipe: Recipe
    location: str
    """Where it is in the file, for errors."""
    step: int = 0
    encode: str = ""
    """A word with its encoding to show as well: Unigram's lattice; "" for none."""
    steps: tuple[tuple[int, str], ...] = ()
    """Steps and notes on them, in their order."""


class OwnPart(NamedTuple):
    """A part of a lesson, in its order: a title, a text, a run, questions; each may be absent."""

    title: str
    text: str
    run: OwnRun | None
    questions: tuple[OwnQuestion, ...]


@dataclass(frozen=True)
class OwnLesson:
    """A lesson."""

    name: str
    """The file's."""
    title: str
    language: str
    text: str
    parts: tuple[OwnPart, ...]
    questions: tuple[PreparedQuestion, ...] = ()
    """For a live class; no page of the site has them."""


class PreparedQuestion(NamedTuple):
    """A question for a live class, prepared before the lesson. See `read_class_question`."""

    ask: str
    by: str
    """How it is answered: a key of `ANSWERED_BY`."""
    choices: tuple[str, ...] = ()
    answer: str = ""
    """The right answer: a choice, a number, the number of tokens, a split; "" for nothing."""
    activity: str = ""
    """Its activity in a plan, as in an address; "" for none."""
    at: str = ""
    """The page and the step to ask it at, as an address in the app; "" for wherever the class is."""


ANSWERED_BY: Final = ("choices", "number", "free", "parts", "split")
"""The ways for a class to answer a prepared question: by choosing, with a number, in its own words, with a
word of so many tokens, with the split of a word."""


class Table:
    """A table of the file. Keys are taken from it one by one: the rest is not known. `location` is for
    errors."""

    def __init__(self, location: str, value: object) -> None:
        if not isinstance(value, dict):
            raise LessonError("wrong", location, value=shown(value), wanted=N_("a table"))
        self.location, self._left, self._expected = location, {**value}, dict[str, None]()

    def __contains__(self, key: str) -> bool:
        return key in self._left

    def at(self, key: str) -> str:
        """Where a key is."""
        return f"{self.location}: {key}"

    def take(self, key: str, default: Any = None) -> Any:
        """A value of any type."""
        self._expected[key] = None
        return self._left.pop(key, default)

    def words(self, key: str, limit: int = LESSON_LINE, required: bool = False) -> str:
        """A text of at most `limit` characters; "" without one."""
        value = self.take(key)
        if value is None and not required:
            return ""
        return checked_text(self.at(key), value, limit)

    def number(self, key: str) -> int:
        """A whole number from 0 up; 0 without one."""
        value = self.take(key, 0)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 10**6:
            raise LessonError("wrong", self.at(key), value=shown(value),
                              wanted=Phrase(N_("a whole number from 0 to {most}"), most=f"{10**6 - 1:,}"))  # fmt: skip
        return value

    def keys(self) -> list[str]:
        """The remaining keys."""
        return [*self._left]

    def items(self, key: str, limit: int) -> list[Any]:
        """A list of at most `limit` entries; an empty one without it."""
        value = self.take(key, [])
        if isinstance(value, dict):
            raise LessonError("brackets", self.at(key))
        if not isinstance(value, list):
            raise LessonError("wrong", self.at(key), value=shown(value), wanted=N_("a list"))
        if len(value) > limit:
            raise LessonError(
                "large",
                self.at(key),
                size=Phrase(N_("{number} entries"), number=f"{len(value):,}"),
                limit=f"{limit:,}",
            )
        return value

    def done(self) -> None:
        """Nothing else is allowed."""
        for key in self._left:
            raise LessonError("unknown", self.at(shown(key)), known=", ".join(self._expected))


def shown(value: object) -> str:
    """A value in an error, as it is in the file."""
    if isinstance(value, bool | date | time):
        return str(value).lower()
    try:
        return quoted(value, 40) if isinstance(value, str) else repr(value)[:40]
    except (ValueError, RecursionError):  # a number of thousands of digits, or lists in lists
        return type(value).__name__


def checked_text(location: str, value: object, limit: int) -> str:
    """A text with something in it."""
    if value is None:
        raise LessonError("missing", location)
    if not isinstance(value, str) or not value.strip():
        raise LessonError("wrong", location, value=shown(value), wanted=N_("a text"))
    if len(value) > limit:
        raise LessonError(
            "large",
            location,
            size=Phrase(N_("{number} characters"), number=f"{len(value):,}"),
            limit=f"{limit:,}",
        )
    return value.replace("\0", "\ufffd")


# --- the file -----------------------------------------------------------------------------------------------


def read_lesson(path: Path) -> OwnLesson:
    """The lesson in a file. Raises LessonError for unusable contents, OSError for an unreadable file."""
    with path.open("rb") as stream:
        data = stream.read(LESSON_BYTES + 1)
    table = read_table(path.name, data, LESSON_BYTES)
    lesson = OwnLesson(
        path.stem,
        table.words("title", required=True),
        one_of(table, "language", [*LANGUAGES], "en"),
        table.words("text", LESSON_TEXT),
        tuple(
            read_part(Table(f"{path.name}, part {number}", one), path.parent)
            for number, one in enumerate(table.items("part", LESSON_PARTS), start=1)
        ),
    )
    lesson = replace(lesson, questions=read_class_questions(table))
    table.done()
    return lesson


def read_table(name: str, data: bytes, limit: int) -> Table:
    """A file of at most `limit` bytes. Raises LessonError."""
    if len(data) > limit:
        size = Phrase(N_("more than {number} bytes"), number=f"{limit:,}")
        raise LessonError("large", name, size=size, limit=f"{limit:,}")
    try:
        return Table(name, tomllib.loads(data.decode("utf-8-sig")))
    except RecursionError:
        raise LessonError("toml", name, problem=N_("it is nested too deeply")) from None
    except UnicodeDecodeError:
        raise LessonError("encoding", name) from None
    except ValueError as error:
        raise LessonError("toml", name, problem=_toml_problem(str(error)[:200])) from None


PROBLEMS: Final = {
    "Invalid value": N_("a text needs straight quotation marks around it"),
    "Illegal character '\\n'": N_("the quotation mark at the end is missing"),
    "Expected newline or end of document after a statement": N_(
        'the value has ended before this place: write 0.5, not 0,5, and \\" for a quotation mark in a text'
    ),
    "Expected '=' after a key in a key/value pair": N_("the equals sign after the key is missing"),
    "Invalid statement": N_("a line has to be a key, an equals sign and a value"),
    "Cannot overwrite a value": N_("this key has a value already"),
}
"""The parser's messages after common slips, for people who don't write programs."""


def _toml_problem(message: str) -> str:
    """The parser's message, after the place."""
    match = re.fullmatch(r"(.*) \(at line (\d+), column (\d+)\)", message, re.DOTALL)
    if match is None:
        return message
    message = PROBLEMS.get(match[1], match[1])
    return Phrase(
        N_("line {line}, column {column}: {message}"), line=match[2], column=match[3], message=message
    )


def read_deck(name: str, data: bytes) -> tuple[PreparedQuestion, ...]:
    """The questions for a class in a file, perhaps a whole lesson. Raises LessonError."""
    questions = read_class_questions(read_table(name, data, DECK_BYTES))
    if not questions:
        raise LessonError("missing", f"{name}: question")
    return questions


def read_class_questions(table: Table) -> tuple[PreparedQuestion, ...]:
    """All of them, in their order."""
    value = enumerate(table.items("question", DECK), start=1)
    return tuple(
        read_class_question(Table(f"{table.location}, question {number}", one)) for number, one in value
    )


def read_class_question(table: Table) -> PreparedQuestion:
    """One question for a class."""
    ask = table.words("ask", LESSON_LINE, required=True)
    by = one_of(table, "by", ANSWERED_BY, "choices" if "choices" in table else "free")
    choices = tuple(
        checked_text(table.at("choices"), one, CHOICE_TYPED)
        for one in table.items("choices", MOST_TYPED_CHOICES)
    )
    if (by == "choices") != bool(choices) or (
        choices and (len(choices) < 2 or len({*choices}) < len(choices))
    ):
        wanted = Phrase(
            N_("from 2 to {most} texts, all different, and only where one is chosen"), most=MOST_TYPED_CHOICES
        )
        raise LessonError("wrong", table.at("choices"), value=shown([*choices]), wanted=wanted)
    answer = _class_answer(table, by, choices)
    activity, at = table.words("activity"), table.words("at", PREPARED_AT)
    position = read_walk(activity)
    if activity and (position is None or position.walk == PATH_WALK):
        raise LessonError(
            "wrong", table.at("activity"), value=shown(activity), wanted=N_("an activity such as 30.2")
        )
    page, _mark, _query = at.partition("?")
    if at and page not in PAGES:
        raise LessonError(
            "wrong", table.at("at"), value=shown(at), wanted=N_("an address such as bpe?corpus=hug&step=1")
        )
    table.done()
    return PreparedQuestion(ask, by, choices, answer, activity, at)


def _class_answer(table: Table, by: str, choices: Sequence[str]) -> str:
    value = table.take("answer")
    if value is None and by != "parts":
        return ""
    location, wanted = table.at("answer"), ""
    match by:
        case "choices" if value not in choices:
            wanted = N_("among the choices, as it is written there")
        case "number" if (
            isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e15
        ):
            wanted = N_("a number")
        case "parts" if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= WORD_PARTS:
            wanted = Phrase(N_("a whole number of tokens from 1 to {most}"), most=WORD_PARTS)
        case "split" if not isinstance(value, str) or not 2 <= len("".join(value.split())) <= WORD_SHOWN:
            wanted = Phrase(N_("a word of 2 to {most} letters, with a space at each cut"), most=WORD_SHOWN)
        case "free":
            wanted = N_("absent, as answers in one's own words aren't graded")
    if wanted:
        raise LessonError("wrong", location, value=shown(value), wanted=wanted)
    return " ".join(str(value).split()) if by == "split" else str(value)


def one_of(table: Table, key: str, names: Sequence[str], default: str | None = None) -> str:
    """One of several names."""
    value = table.take(key, default)
    if value is None:
        raise LessonError("missing", table.at(key))
    if value not in names:
        raise LessonError(
            "wrong",
            table.at(key),
            value=shown(value),
            wanted=Phrase(N_("one of {names}"), names=", ".join(names)),
        )
    return str(value)


def read_part(table: Table, folder: Path) -> OwnPart:
    """One part."""
    title, text = table.words("title"), table.words("text", LESSON_TEXT)
    run = read_run(Table(table.at("run"), table.take("run")), folder) if "run" in table else None
    if run is not None:
        run = run._replace(steps=read_steps(Table(table.at("steps"), table.take("steps", {}))))
    questions = tuple(
        read_own_question(Table(f"{table.location}, question {number}", one))
        for number, one in enumerate(table.items("question", LESSON_QUESTIONS), start=1)
    )
    table.done()
    return OwnPart(title, text, run, questions)


def read_steps(table: Table) -> tuple[tuple[int, str], ...]:
    """Notes on some steps of a run: a table of texts, by the steps' numbers."""
    keys = table.keys()
    if len(keys) > LESSON_QUESTIONS:
        raise LessonError("large", table.location, size=f"{len(keys):,} steps", limit=f"{LESSON_QUESTIONS:,}")
    results = []
    for key in keys:
        if not (key.isascii() and key.isdigit() and len(key) < 7):
            raise LessonError(
                "wrong", table.location, value=shown(key), wanted="the numbers of steps, each with a text"
            )
        results.append((int(key), table.words(key, LESSON_TEXT, required=True)))
    return tuple(sorted(results))


RIGHT_ANSWER: Final = "a text, a number, or a list of texts"


def read_own_question(table: Table) -> OwnQuestion:
    """A question with its answers."""
    ask, hint = table.words("ask", LESSON_TEXT, required=True), table.words("hint", LESSON_TEXT)
    choices = tuple(
        checked_text(table.at("choices"), one, LESSON_LINE)
        for one in table.items("choices", LESSON_QUESTIONS)
    )
    if choices and (len(choices) < 2 or len({*choices}) < len(choices)):
        raise LessonError(
            "wrong", table.at("choices"), value=shown([*choices]), wanted="two texts or more, all different"
        )
    value = table.take("answer")
    many = value if isinstance(value, list) and len(value) <= LESSON_QUESTIONS else [value]
    answers = tuple(read_right_answer(table.at("answer"), one) for one in many)
    if not answers or (len(answers) > 1 and not all(isinstance(one, str) for one in answers)):
        raise LessonError("wrong", table.at("answer"), value=shown(value), wanted=RIGHT_ANSWER)
    if choices and not {*answers} <= {*choices}:
        raise LessonError(
            "wrong",
            table.at("answer"),
            value=shown(value),
            wanted="among the choices, as it is written there",
        )
    table.done()
    return OwnQuestion(ask, answers, choices, hint)


def read_right_answer(location: str, value: object) -> str | Fraction:
    """A right answer: a text or a number."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        if not abs(value) < 1e15:  # neither is NaN
            raise LessonError("wrong", location, value=shown(value), wanted="a number that people can type")
        return Fraction(str(value))
    if value is not None and not isinstance(value, str):
        raise LessonError("wrong", location, value=shown(value), wanted=RIGHT_ANSWER)
    return checked_text(location, value, LESSON_LINE)


# --- its runs -----------------------------------------------------------------------------------------------

CORPORA: Final = ("corpus", "file", "text", "counts")
"""Where a run's words come from: an example, a file beside the lesson, a text or word counts in it."""


def read_run(table: Table, folder: Path) -> OwnRun:
    """A run: its algorithm, its corpus, and settings by their names in the app's links."""
    algorithm = one_of(table, "algorithm", [*RULES_OF])
    step, encode = table.number("step"), table.words("encode")
    value = [name for name in CORPORA if name in table]
    if len(value) != 1:
        raise LessonError("wrong", table.location, value=f"with {' and '.join(value) or 'no corpus'}",
                          wanted=f"with one of {', '.join(CORPORA)}")  # fmt: skip
    (kind,) = value
    source: dict[str, Any] = {}
    if kind == "corpus":
        corpus = one_of(table, kind, [*EXAMPLES])
    elif kind == "file":
        corpus, source["file"] = (
            "upload",
            read_beside(table.at(kind), table.words(kind, required=True), folder),
        )
    else:
        corpus, source["text"] = (
            "paste" if kind == "text" else kind,
            table.words(kind, LESSON_BYTES, required=True),
        )
    recipe = read_url(algorithm, RULES_OF[algorithm], {"corpus": corpus}).recipe
    values = {
        **recipe.values,
        **{rule.name: read_rule(table, rule) for rule in RULES_OF[algorithm] if rule.name in table},
    }
    for rule in RULES_OF[algorithm]:
        table.take(rule.name)  # so that an error names it
    table.done()
    return OwnRun(replace(recipe, values=values, **source), table.location, step, encode)


def read_rule(table: Table, rule: Setting) -> Any:
    """A setting's value: a text, a number, true or false."""
    value = table.take(rule.name)
    try:
        if not isinstance(value, str | int | float):
            raise ValueError(value)
        return rule.parse(str(value) if isinstance(value, float) else rule.write(value))
    except ValueError:
        wanted = f"one of {', '.join(rule.choices)}" if rule.choices else {
            "switch": "true or false", "number": f"a whole number from {rule.least:,} to {rule.most:,}",
            "text": f"a text of at most {rule.length:,} characters",
        }[rule.kind]  # fmt: skip
        raise LessonError("wrong", table.at(rule.name), value=shown(value), wanted=wanted) from None


def read_beside(location: str, name: str, folder: Path) -> tuple[str, bytes]:
    """Name and bytes of a file in the lesson's folder, or in one below; links don't lead out of it."""
    try:
        path = (folder / name).resolve()
        usable = path.is_relative_to(folder.resolve()) and path.is_file()
    except (OSError, RuntimeError):  # a name too long, a link to itself
        usable = False
    if not usable:
        raise LessonError(
            "wrong", location, value=shown(name), wanted="the name of a file in the lesson's own folder"
        )
    with path.open("rb") as stream:
        data = stream.read(UPLOAD_LIMIT + 1)
    if len(data) > UPLOAD_LIMIT:
        raise LessonError(
            "large", location, size=f"more than {UPLOAD_LIMIT:,} bytes", limit=f"{UPLOAD_LIMIT:,}"
        )
    return path.name, data
