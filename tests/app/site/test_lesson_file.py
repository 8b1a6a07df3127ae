"""A teacher's lesson.toml (`tokensteps/site/lesson_file.py`): valid contents, and the errors for invalid
ones.

Source: docs/site.md. Oracles: Python's `tomllib` and `html.parser`; the engine, called directly with the same
settings.
"""

from __future__ import annotations

import json
import os
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.hostile import hostile
from tests.samples import STRESS
from tokenizers_core import TIE_RULES, Corpus, train_bpe, train_paritybpe, train_pickybpe, train_superbpe
from tokensteps.limits import LESSON_BYTES, LESSON_LINE, LESSON_PARTS
from tokensteps.runs.corpora import EXAMPLES
from tokensteps.runs.rules import RULES_OF
from tokensteps.site.books import train_here
from tokensteps.site.lesson_file import LessonError, OwnLesson, OwnPart, OwnQuestion, read_deck, read_lesson
from tokensteps.site.lesson_page import own_lesson_page
from tokensteps.site.practice import BOXES
from tokensteps.teaching.questions import Choice

ROOT = Path(__file__).parents[3]
RUN = 'title = "T"\n[[part]]\nrun = {{ algorithm = "bpe", {} }}'
RUN_KEYS = ("algorithm", "step", "encode", "corpus", *(rule.name for rule in RULES_OF["bpe"]))
QUESTION = 'title = "T"\n[[part]]\n[[part.question]]\nask = "?"\n'


def read(folder: Path, text: str | bytes) -> OwnLesson:
    path = folder / "lesson.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return read_lesson(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "lesson.toml: title is missing: add it, as docs/site.md shows."),
        ("title = ", "lesson.toml can't be read as TOML: Invalid value (at end of document). Mend that place; docs/site.md has an example."),
        ("title = 'T'\npart = 0,5", "as TOML: line 2, column 9: the value has ended before this place: write 0.5, not 0,5, and \\\" for a"),
        ("title = “T”", "lesson.toml can't be read as TOML: line 1, column 9: a text needs straight quotation marks around it."),
        ('title = "T\n', "line 1, column 11: the quotation mark at the end is missing."),
        ("title ＝ 'T'", "line 1, column 7: the equals sign after the key is missing."),
        ("“title” = 'T'", "line 1, column 1: a line has to be a key, an equals sign and a value."),
        ("title = 'T'\ntitle = 'U'\n", "line 2, column 12: this key has a value already."),
        (b"title = '\xff'", "lesson.toml is not UTF-8: save it as UTF-8, and try again."),
        ("title = 'T'\n[part]\ntitle = 'U'", "lesson.toml: part is only one: write double brackets around its name each time, as in [[part]]."),
        ("title = " + "[" * 5000, "lesson.toml can't be read as TOML: it is nested too deeply."),
        ("title = 3", "lesson.toml: title is 3, but must be a text: change it."),
        ("title = 0x" + "f" * 5000, "lesson.toml: title is int, but must be a text"),
        ("title = ' '", "lesson.toml: title is ' ', but must be a text"),
        (f"title = '{'x' * (LESSON_LINE + 1)}'", "lesson.toml: title has 501 characters, but the limit is 500: shorten it."),
        ("#" * (LESSON_BYTES + 1), "lesson.toml has more than 500,000 bytes, but the limit is 500,000: shorten it."),
        ("title = 'T'\nlanguage = 'fr'", "language is 'fr', but must be one of en, zh, ja: change it."),
        ("title = 'T'\nparts = []", "'parts' is not known here; choose one of title, language, text, part, question, or take it out."),
        ("title = 'T'\npart = 3", "lesson.toml: part is 3, but must be a list"),
        ("title = 'T'\npart = [3]", "lesson.toml, part 1 is 3, but must be a table"),
        ("title = 'T'\n" + "[[part]]\n" * (LESSON_PARTS + 1), "lesson.toml: part has 61 entries, but the limit is 60"),
        ("title = 'T'\n[[part]]\nrun = 1", "lesson.toml, part 1: run is 1, but must be a table"),
        ("title = 'T'\n[[part]]\nrun = {}", "lesson.toml, part 1: run: algorithm is missing"),
        (RUN.format("sise = 3, corpus = 'hug'"), f"'sise' is not known here; choose one of {', '.join(RUN_KEYS)}, or take it out."),
        (RUN.format("step = 0"), "run is with no corpus, but must be with one of corpus, file, text, counts"),
        (RUN.format("text = 'a', corpus = 'hug'"), "run is with corpus and text, but must be with one of"),
        (RUN.format("corpus = 'hugs'"), f"run: corpus is 'hugs', but must be one of {', '.join(EXAMPLES)}"),
        (RUN.format("corpus = 'hug', size = 0"), "run: size is 0, but must be a whole number from 1 to "),
        (RUN.format("corpus = 'hug', size = 1.5"), "run: size is 1.5, but must be a whole number"),
        (RUN.format("corpus = 'hug', ties = 'odd'"), f"run: ties is 'odd', but must be one of {', '.join(TIE_RULES)}"),
        (RUN.format("corpus = 'hug', lines = 2"), "run: lines is 2, but must be true or false"),
        (RUN.format("corpus = 'hug', step = -1"), "run: step is -1, but must be a whole number from 0 to 999,999"),
        (RUN.format("corpus = 'hug', step = true"), "run: step is true, but must be a whole number"),
        (RUN.format("file = '../x.txt'"), "run: file is '../x.txt', but must be the name of a file in the lesson's own folder"),
        (RUN.format("file = '/etc/passwd'"), "run: file is '/etc/passwd', but must be"),
        (RUN.format("file = 'link'"), "run: file is 'link', but must be"),
        (RUN.format("file = 'endless'"), "run: file is 'endless', but must be"),
        (RUN.format("file = 'pipe'"), "run: file is 'pipe', but must be"),
        (RUN.format("file = 'up/lesson.toml'"), "run: file is 'up/lesson.toml', but must be"),
        (RUN.format("file = 'a/../../x'"), "but must be the name of a file"),
        (RUN.format("file = '.'"), "run: file is '.', but must be"),
        (RUN.format('file = "a\\u0000b"'), "but must be the name of a file"),
        (RUN.format(f"corpus = 'hug', size = {'9' * 5_000}"), "lesson.toml can't be read as TOML: Exceeds the limit (4300 digits)"),
        (RUN.format("corpus = 'hug', size = 1e400"), "run: size is inf, but must be a whole number"),
        (RUN.format(f"file = '{'x' * 400}'"), "but must be the name of a file"),
        (RUN.format("corpus = 'hug'") + "\nsteps = { a = 'x' }", "steps is 'a', but must be the numbers of steps, each with a text"),
        (RUN.format("corpus = 'hug'") + "\nsteps = { 1 = 2 }", "steps: 1 is 2, but must be a text"),
        ("title = 'T'\n[[part]]\nsteps = { 1 = 'x' }", "'steps' is not known here"),
        (QUESTION, "question 1: answer is missing"),
        (QUESTION + "answer = []", "answer is [], but must be a text, a number, or a list of texts"),
        (QUESTION + "answer = nan", "answer is nan, but must be a number that people can type"),
        (QUESTION + "answer = 0x" + "f" * 400, "but must be a number that people can type"),
        (QUESTION + "answer = [1, 2]", "answer is [1, 2], but must be a text, a number, or a list of texts"),
        (QUESTION + "answer = true", "answer is true, but must be a text, a number, or a list of texts"),
        (QUESTION + "answer = 2020-01-01", "answer is 2020-01-01, but must be a text, a number, or a list of texts"),
        (QUESTION + "answer = 'a'\nchoices = ['a']", "choices is ['a'], but must be two texts or more, all different"),
        (QUESTION + "answer = 'c'\nchoices = ['a', 'b']", "answer is 'c', but must be among the choices, as it is written there"),
    ],
)  # fmt: skip
def test_invalid_lesson_files(tmp_path: Path, text: str | bytes, message: str) -> None:
    (tmp_path / "link").symlink_to("/etc/hostname")
    (tmp_path / "endless").symlink_to("/dev/zero")
    (tmp_path / "up").symlink_to(tmp_path.parent)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(LessonError) as error:
        read(tmp_path, text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ("corpus = 'hug', step = 99", "lesson.toml, part 1: run: step is 99, but must be a step of the run, from 0 to 7: change it."),
        ("corpus = 'prose', size = 1500, step = 700", "step is 700, but must be a step of those drawn here of the run's 1,243, from 0 to "),
        ("counts = 'hug x'", "lesson.toml, part 1: run can't be trained: Line 1"),
        ("corpus = 'hug', size = 3", "can't be trained: vocab_size=3 is below the alphabet's 7 symbols; choose at least 7."),
        (f"counts = 'hug {'9' * 5_000}'", "the count has more than 18 digits"),
        (f"text = '{'a' * 400}!', pattern = 'own', regex = '(a|aa)+$'", "can't be trained: "),
    ],
)  # fmt: skip
def test_impossible_runs_of_a_lesson(tmp_path: Path, run: str, message: str) -> None:
    lesson = read(tmp_path, RUN.format(run))
    with pytest.raises(LessonError) as error:
        own_lesson_page(lesson, "lessons/x.html")
    assert message in str(error.value)


def test_a_setting_may_be_a_number_with_a_point(tmp_path: Path) -> None:
    part = read(tmp_path, RUN.format("corpus = 'hug', kind = 'pickybpe', threshold = 0.9")).parts[0]
    assert part.run is not None and part.run.recipe["threshold"] == "0.9"


def test_a_run_is_as_its_settings_say(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "words.tsv").write_text("hug\t10\npug\t5\nhugs\t5\n", "utf-8")
    settings = "ties = 'greatest', size = 8, pre = 'whitespace_split', step = 2"
    part = read(tmp_path, RUN.format(f"file = 'below/words.tsv', {settings}")).parts[0]
    assert part.run is not None and part.run.step == 2
    corpus = Corpus.from_counts({"hug": 10, "pug": 5, "hugs": 5}, pre_tokenizer="whitespace_split")
    trace, true = train_here(part.run.recipe), train_bpe(corpus, vocab_size=8, tie_rule="greatest")
    assert [snapshot.event for snapshot in trace] == [snapshot.event for snapshot in true]


def test_a_run_of_each_kind_of_bpe(tmp_path: Path) -> None:
    """Oracle: the engine, asked for the same. SuperBPE and parity-aware BPE need the texts, not only their
    words."""
    phrases, lines = EXAMPLES["phrases"].text().splitlines(), ["by the way", "on the way", "the way to it"]
    languages = {"en": Corpus.from_texts(["the cat"]), "de": Corpus.from_texts(["die Katze"])}
    table, text = json.dumps("en\tde\nthe cat\tdie Katze"), json.dumps("\n".join(lines))
    runs = {
        ("SuperBPE", "corpus = 'phrases'"): train_superbpe(
            Corpus.from_texts(phrases), 220, transition=190, min_frequency=2
        ),
        ("PickyBPE", f"text = {text}, kind = 'pickybpe', size = 20"): train_pickybpe(
            Corpus.from_texts(lines), 20
        ),
        ("Parity-aware BPE", f"text = {table}, kind = 'paritybpe'"): train_paritybpe(languages),
    }
    for (name, run), true in runs.items():
        lesson = read(tmp_path, RUN.format(run))
        (part,) = lesson.parts
        assert part.run is not None
        assert [snapshot.event for snapshot in train_here(part.run.recipe)] == [one.event for one in true]
        assert f"{name}: " in own_lesson_page(lesson, "lessons/x.html").body


def test_the_documents_example_is_a_lesson(tmp_path: Path) -> None:
    example, prepared = (ROOT / "docs" / "site.md").read_text("utf-8").split("```toml\n")[1:]
    page = own_lesson_page(read(tmp_path, example.partition("```")[0]), "lessons/x.html")
    assert page.body.count('class="book"') == 2
    assert page.body.count("<form>") == 3
    # An editor may begin a file with a byte order mark.
    questions = read_deck("lesson.toml", prepared.partition("```")[0].encode("utf-8-sig"))
    assert [(one.by, one.answer) for one in questions] == [("free", ""), ("parts", "3")]
    lesson = read(tmp_path, f"{example.partition('```')[0]}\n{prepared.partition('```')[0]}")
    assert lesson.questions == questions and own_lesson_page(lesson, "lessons/x.html").body == page.body


class Elements(HTMLParser):
    """The elements of a page with their attributes' names, and all its text."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.tags: set[tuple[str, tuple[str, ...]]] = set()
        self.texts: list[str] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add((tag, tuple(name for name, _value in attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def lesson_of(text: str) -> str:
    questions = (OwnQuestion(text, (text,), (text, "other"), text), OwnQuestion(text, (text,)))
    return own_lesson_page(
        OwnLesson("x", text, "en", text, (OwnPart(text, text, None, questions),)), "lessons/x.html"
    ).body


def test_hostile_text_stays_text() -> None:
    plain = Elements(lesson_of("plain")).tags
    for _kind, text in hostile(3000 if STRESS else 300):
        if not text.strip() or "\n\n" in text:
            continue
        page = Elements(lesson_of(text))
        assert page.tags == plain, text
        assert (
            text.replace("\r", "\n") in [message.replace("\r", "\n") for message in page.texts]
            or text != text.strip()
        ), text


def test_choices_that_differ_in_their_spaces_are_told_apart() -> None:
    """Without a value of its own, an option's is its text with its spaces collapsed (HTML, 4.10.10)."""
    options = ("a  b", "a b", " a b", 'a\n"b')
    values: list[str | None] = []

    class Options(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            if tag == "option":
                values.append(dict(attrs).get("value"))

    Options().feed(BOXES[Choice](Choice(options)))
    assert tuple(values[-len(options) :]) == options
