"""Rules of the project that a reader can't see from one file alone. Oracle: the sources themselves, parsed."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ENGINE = sorted((ROOT / "tokenizers_core").rglob("*.py"))
FOLDERS = ("tokenizers_core", "tokensteps", "pages", "tests", "benchmarks", "deploy", "assets")
SOURCES = [ROOT / "app.py", *(path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py")))]


def imported(path: Path) -> Iterator[str]:
    """The first names of all modules that a source imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield str(node.module).partition(".")[0]


@pytest.mark.parametrize("path", ENGINE, ids=lambda path: path.name)
def test_engine_needs_the_standard_library_and_regex_only(path: Path) -> None:
    assert set(imported(path)) <= {*sys.stdlib_module_names, "regex", "tokenizers_core"}


@pytest.mark.parametrize("path", ENGINE, ids=lambda path: path.name)
def test_engine_does_not_check_its_input_with_assert(path: Path) -> None:
    assert not [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Assert)]


@pytest.mark.parametrize("path", ENGINE, ids=lambda path: path.name)
def test_engine_neither_prints_nor_reads_the_clock_of_the_day(path: Path) -> None:
    called = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert called.isdisjoint({"print", "input", "eval", "exec"})
    # Chance comes from a seed alone: a generator of its own, never the module's shared one.
    assert "import random" not in path.read_text("utf-8")


def test_pages_lie_one_folder_down() -> None:
    # With st.navigation, a pages/*.py beside app.py would take deep links past app.py.
    assert list((ROOT / "pages").glob("*.py")) == []
    assert list((ROOT / "pages").glob("*/*.py"))


def test_nothing_is_left_for_later() -> None:
    marks = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")
    for path in SOURCES:
        for token in tokenize.generate_tokens(io.StringIO(path.read_text("utf-8")).readline):
            if token.type == tokenize.COMMENT:
                assert not marks.search(token.string), f"{path}:{token.start[0]}"


def test_no_engine_test_is_skipped_or_expected_to_fail() -> None:
    for path in (ROOT / "tests").glob("test_*.py"):
        names = {
            node.attr
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Attribute)
        }
        assert names.isdisjoint({"skip", "skipif", "xfail", "importorskip"}), path


def test_text_files_are_utf8_and_end_with_a_newline() -> None:
    for path in SOURCES:
        text = path.read_text("utf-8")
        assert not text or text.endswith("\n"), path
