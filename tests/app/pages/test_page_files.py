"""The files run by Streamlit as pages, and the values behind widgets' keys. Oracle: the sources themselves,
parsed."""

from __future__ import annotations

import ast
from hashlib import blake2b
from pathlib import Path

import pytest

from tokensteps.language.pages import PAGES
from tokensteps.pages.explore.pipeline_tabs import labels_key

ROOT = Path(__file__).parents[3]
SOURCES = sorted((ROOT / "tokensteps").rglob("*.py"))


@pytest.mark.parametrize("page", PAGES.values(), ids=list(PAGES))
def test_page_files_are_alike(page: tuple[str, ...]) -> None:
    """Streamlit runs a page's file anew each time; a class or function of its own would be a new one then."""
    name, section = page[:2]
    described, *rest = ast.parse((ROOT / "pages" / section / f"{name}.py").read_text("utf-8")).body
    assert isinstance(described, ast.Expr) and isinstance(described.value, ast.Constant)
    assert [ast.unparse(line) for line in rest] == [
        f"from tokensteps.pages.{section}.{name} import show",
        "show()",
    ]


def test_every_page_file_is_on_the_list() -> None:
    results = {(path.parent.name, path.stem) for path in (ROOT / "pages").rglob("*.py")}
    assert results == {(page.section, page.name) for page in PAGES.values()}


def test_no_path_ends_with_another_page_s() -> None:
    """For a page's address, Streamlit cuts another page's path from the end of this one's, with no look for a
    slash before it."""
    paths = [page.path for page in PAGES.values() if page.path]
    assert [one for one in paths for other in paths if one != other and one.endswith(other)] == []


def test_nothing_depends_on_a_process_by_hash() -> None:
    """`hash` of a text is another number in each process: a key made with it would lose its widget in a
    reconnect."""
    called = []
    for path in SOURCES:
        tree = ast.parse(path.read_text("utf-8"))
        own = {
            id(node)
            for one in ast.walk(tree)
            if isinstance(one, ast.FunctionDef) and one.name == "__hash__"
            for node in ast.walk(one)
        }
        called += [
            f"{path}:{node.lineno}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "hash"
            and id(node) not in own
        ]
    assert called == []


def test_labels_of_entities_have_a_key_that_lasts() -> None:
    message = blake2b(b"('I am Zo\xc3\xab', [1, 2, 3])", digest_size=16).hexdigest()
    assert labels_key("I am Zoë", (1, 2, 3)) == f"labels.{message}"
    assert labels_key("half a pair: \ud800", ()) != labels_key("half a pair: ", ())
