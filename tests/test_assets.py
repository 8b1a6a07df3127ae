"""The rules for `assets/`: the browser's code lies there, in lines and functions that fit a screen.

The checks of Python's strings are heuristics; each one shows on a sample that it can fail.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ASSETS = ROOT / "assets"
FILES = sorted(path for kind in ("js", "css", "html") for path in ASSETS.rglob(f"*.{kind}"))
SCRIPTS = [path for path in FILES if path.suffix == ".js"]
SOURCES = sorted(
    path for folder in ("tokensteps", "tokenizers_core") for path in (ROOT / folder).rglob("*.py")
)
LINE, SCREEN = 120, 40

IN_STRINGS = {
    # A field of a message, such as {seconds:g}, has neither the space nor the semicolon.
    "a rule of a style sheet": re.compile(r"\{(?:\s+[\w-]+\s*:[^{}]*|[\w-]+\s*:[^{}]*;[^{}]*)\}"),
    "a style sheet": re.compile(r"<style[^>]*>\s*[^\s<]", re.IGNORECASE),
    "a script": re.compile(r"<script[^>]*>\s*[^\s<]", re.IGNORECASE),
    "code of a script": re.compile(
        r"=>\s*[{(\w]|\bfunction\s*\w*\(|\bdocument\.\w|\bwindow\.\w|\baddEventListener\b|\bquerySelector"
    ),
    "a document": re.compile(r"<!doctype|<html|<head>|<body", re.IGNORECASE),
}  # fmt: skip
SAMPLES = {
    "a rule of a style sheet": "h1 { margin: 0; }",
    "a style sheet": "<style>\nh1 {",
    "a script": '<script type="module">alert(1)</script>',
    "code of a script": "box.addEventListener('click', (event) => act(event))",
    "a document": '<!doctype html>\n<html lang="en">',
}


def strings(source: str) -> Iterator[tuple[int, str]]:
    """The strings of a Python source with their lines, without docstrings; of an f-string its constant
    parts."""
    tree = ast.parse(source)
    remarks = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in remarks:
            yield node.lineno, node.value


def for_the_browser(source: str) -> list[tuple[int, str]]:
    """The parts of a Python source that belong into a file of `assets/`: line and kind."""
    return [
        (line, kind)
        for line, text in strings(source)
        for kind, pattern in IN_STRINGS.items()
        if pattern.search(text)
    ]


def long_functions(script: str, most: int = SCREEN) -> list[tuple[str, int]]:
    """The functions and methods of a script beyond `most` lines, with their lengths."""
    results = []
    lines = script.splitlines()
    for start, line in enumerate(lines):
        opened = re.match(
            r"( *)(?:export )?(?:default )?(?:async )?(?:function )?([\w#]+)\(.*\{(?: //.*)?$", line
        )
        if opened and opened[2] not in {"if", "for", "while", "switch"}:
            end = next(at for at in range(start, len(lines)) if re.match(opened[1] + r"\}", lines[at]))
            if end - start + 1 > most:
                results.append((opened[2], end - start + 1))
    return results


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ASSETS).as_posix())
def test_lines_fit_a_screen(path: Path) -> None:
    lines = enumerate(path.read_text("utf-8").splitlines(), start=1)
    assert [number for number, line in lines if len(line) > LINE] == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_functions_fit_a_screen(path: Path) -> None:
    assert long_functions(path.read_text("utf-8")) == []


def test_a_long_function_is_found() -> None:
    assert long_functions(
        "class A {\n  show() {\n    one();\n  }\n}\nfunction go(x) { // far\n  x();\n}\n", 2
    ) == [
        ("show", 3),
        ("go", 3),
    ]


def test_python_holds_no_styles_scripts_or_documents() -> None:
    results = {str(path): for_the_browser(path.read_text("utf-8")) for path in SOURCES}
    assert {path: held for path, held in results.items() if held} == {}


@pytest.mark.parametrize("kind", IN_STRINGS)
def test_assets_written_in_python_are_found(kind: str) -> None:
    sample = SAMPLES[kind]
    assert (1, kind) in for_the_browser(f"x = {sample!r}")
    assert (1, kind) in for_the_browser(f"x = f{sample.replace('{', '{{').replace('}', '}}')!r}")
    assert for_the_browser(f'"""{sample}"""') == []
