"""The documents' claims about the repository are true. Oracles: the existing files, the registries."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tokenizers_core import ALPHABETS, METHODS, TEMPLATES, TIE_RULES
from tokenizers_core.text.patterns import PATTERNS
from tokensteps.language.pages import PAGES
from tokensteps.runs.corpora import EXAMPLES
from tokensteps.runs.rules import PAGE_PARAMETERS
from tokensteps.teaching.exercises.kinds import EXERCISE_KINDS

ROOT = Path(__file__).parents[1]
DOCS = (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md")))
GENERATED = {".kept/", "dist/", "tokensteps/_app/"}
"""Files made by the app and the build."""
FILE = re.compile(r"(?:[\w.@-]+/)*[\w.@-]+\.(?:py|js|css|md|txt|conf|toml|yaml|service|json)")
"""A file's name in code."""
MOST_WORDS = {"README.md": 900, "docs/architecture.md": 1_200, "docs/performance.md": 1_200}
"""Of documents to read from beginning to end."""
MOST_FILES = 4
"""Files that a recipe sends its reader to."""


def named(text: str) -> set[str]:
    """The paths in a text's code: `tests/conftest.py`, `assets/`."""
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"(?ms)^```.*?^```$", "", text))
    return {
        span
        for span in spans
        if re.fullmatch(r"(?:[\w.@-]+/)+", span) or ("/" in span and FILE.fullmatch(span))
    }


def recipes() -> dict[str, str]:
    """The recipes of CONTRIBUTING.md by their headings."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = text.partition("\n## Recipes\n")[2].partition("\n## ")[0]
    return {part.partition("\n")[0]: part for part in section.split("\n### ")[1:]}


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    links = re.findall(r"\]\((?!https?://)([^)#\s]+)", path.read_text("utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.parametrize(
    "path", [path for path in DOCS if path.name != "CHANGELOG.md"], ids=lambda path: path.name
)
def test_named_files_exist(path: Path) -> None:
    rooms = (ROOT, ROOT / "tokenizers_core", ROOT / "tokensteps", ROOT / "tokensteps" / "pages")
    missing = [
        name
        for name in named(path.read_text("utf-8")) - GENERATED
        if not any((room / name).exists() for room in rooms)
    ]
    assert missing == []


@pytest.mark.parametrize("name", MOST_WORDS)
def test_documents_read_as_a_whole_are_short(name: str) -> None:
    """In English; the other READMEs say the same (tests/app/language/test_locale.py)."""
    words = [word for word in (ROOT / name).read_text("utf-8").split() if re.search(r"\w", word)]
    assert len(words) <= MOST_WORDS[name]


def test_recipes_send_their_reader_to_few_files() -> None:
    assert len(recipes()) == 6
    for name, text in recipes().items():
        assert 1 <= len({file for file in named(text) if "." in file}) <= MOST_FILES, name


def test_recipes_name_things_in_their_files() -> None:
    """Every `Class`, `REGISTRY` and `function` is a word in one of the recipe's files and folders."""
    for name, text in recipes().items():
        paths = [ROOT / path for path in named(text)]
        files = [file for path in paths for file in ([path] if path.is_file() else path.glob("*.py"))]
        words = {word for file in files for word in re.findall(r"\w+", file.read_text("utf-8"))}
        assert {*re.findall(r"`(\w+)`", text)} - words - {file.stem for file in files} == set(), name


def test_the_page_on_links_names_every_parameter_and_choice() -> None:
    spans = set(re.findall(r"`([^`\n]+)`", (ROOT / "docs" / "links.md").read_text("utf-8")))
    parameters = {name for names in PAGE_PARAMETERS.values() for name in names}
    assert parameters - spans - {f"t{number}" for number in (2, 3)} == set()  # `t1` … `t4`
    for choices in (EXAMPLES, TIE_RULES, METHODS, ALPHABETS, PATTERNS, TEMPLATES, EXERCISE_KINDS):
        assert {*choices} - spans == set()


def test_the_page_on_browsers_names_every_page_and_existing_tests() -> None:
    text = (ROOT / "docs" / "browsers.md").read_text("utf-8")
    rows = re.findall(r"(?m)^\| `/(\w*)` \|", text)
    assert rows == [page.path for page in PAGES.values()]
    files = {path.name: path.read_text("utf-8") for path in (ROOT / "tests" / "browser").glob("test_*.py")}
    missing = [
        name
        for name in re.findall(r"`(test_\w+)`", text)
        if not any(f"def {name}(" in one for one in files.values())
    ]
    assert missing == []


def promises() -> dict[str, str]:
    """The rows of SECURITY.md's table of measures: the way in → the tests named for it."""
    table = (ROOT / "SECURITY.md").read_text("utf-8").partition("| Way in |")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table.splitlines()[2:]]
    assert all(len(row) == 4 for row in rows), [row[0] for row in rows if len(row) != 4]
    return {row[0]: row[3] for row in rows}


def functions(path: Path) -> set[str]:
    """The tests of a file."""
    nodes = ast.parse(path.read_text("utf-8")).body
    return {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


@pytest.mark.parametrize("way", promises())
def test_each_promise_of_safety_names_existing_tests(way: str) -> None:
    """A file, and after it the tests in it."""
    named_tests = promises()[way].split("; ")
    for one in named_tests:
        file, *tests = re.findall(r"`([^`]+)`", one)
        assert tests, f"{file} names no test"
        assert {*tests} <= functions(ROOT / file), {*tests} - functions(ROOT / file)


def test_the_table_of_promises_is_read() -> None:
    """The check above finds something to check."""
    assert len(promises()) > 30


def test_every_setting_of_a_server_stands_in_the_table_of_settings() -> None:
    """Oracle: the names in the code itself."""
    code = "\n".join(file.read_text("utf-8") for file in (ROOT / "tokensteps").rglob("*.py"))
    table = (
        (ROOT / "docs" / "deployment.md").read_text("utf-8").partition("\n## What each setting costs\n")[2]
    )
    names = {*re.findall(r"\bTOKENSTEPS_[A-Z_]+", code)}
    assert names and {name for name in names if f"| `{name}` |" not in table} == set()


def test_every_picture_is_in_a_document() -> None:
    shown = {
        (path.parent / link).resolve()
        for path in (*DOCS, *(ROOT / "docs" / "notebooks").glob("*.md"))
        for link in re.findall(r"!\[[^\]]*\]\(([^)#\s]+)\)", path.read_text("utf-8"))
    }
    pictures = {path for path in (ROOT / "docs").iterdir() if path.suffix in (".png", ".gif", ".svg")}
    assert pictures and pictures - shown == set()
