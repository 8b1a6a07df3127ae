"""Names that markup and style sheets share: a written class is styled or read by a script, and the other way
round; every `.st-key-…` belongs to some page's key of a container or a widget.

Oracle: the sources themselves, read as text. Each check shows on a sample that it can fail.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
GAP: Final = "\0"
"""The place of an f-string's field."""
NAME: Final = r"-?[A-Za-z_][\w-]*"
OTHERS: Final = re.compile(
    r"bg|cm-\w+|js-plotly-plot|legend|main-svg|modebar|st-key-.*|vscode-(?:dark|light|high-contrast(?:-light)?)"
)
"""Classes of CodeMirror, Plotly and Streamlit, changed by our style sheets, and of VS Code, for its theme."""
COMPUTED: Final = {
    **{f"c{number}": "colour" for number in range(10)},
    **{f"type{number}": "type_ids" for number in range(3)},
    **{f"r{letter}": "letter" for letter in "ABCD"},
    **dict.fromkeys(("hide-narrow", "hide-projected"), "hidden"),
    **{f"team-{number}": "team" for number in range(4)},
    **{f"rounds-{number}": "rounds" for number in range(9)},
}
"""Composed classes → a word beside their composition in the code."""


@cache
def read(suffix: str) -> list[str]:
    return [path.read_text("utf-8") for path in sorted((ROOT / "assets").rglob(f"*.{suffix}"))]


def python_strings(source: str) -> Iterator[str]:
    """The strings of a Python source, f-strings as one, with `GAP` for each field."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else GAP for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@cache
def sources() -> list[str]:
    """Ours, read when the first test asks, as all here: every process of a run collects this file, and one
    runs it."""
    return [path.read_text("utf-8") for path in sorted((ROOT / "tokensteps").rglob("*.py"))]


@cache
def strings() -> list[str]:
    return [text for source in sources() for text in python_strings(source)]


@cache
def sheets() -> list[str]:
    return [re.sub(r"/\*.*?\*/", "", text, flags=re.S) for text in read("css")]


def styled(sheet: str) -> set[str]:
    """The classes in a style sheet's selectors.

    >>> sorted(
    ...     styled(
    ...         ".a > .b-c:hover { background: url(x.png) } @media (width > 1.5em) { p.d { margin: 0.5em } }"
    ...     )
    ... )
    ['a', 'b-c', 'd']
    """
    selectors = re.findall(r"([^{};]*)\{", re.sub(r'"[^"]*"', '""', sheet))
    return {name for selector in selectors for name in re.findall(rf"\.({NAME})", selector)}


def read_by(script: str) -> set[str]:
    """The classes sought by a script, in selectors and class lists.

    >>> sorted(read_by('''box.querySelector(".a .b"); box.classList.contains("c")'''))
    ['a', 'b', 'c']
    """
    in_strings = " ".join(re.findall(r"""[`'"]([^`'"\n]*)[`'"]""", script))
    return {*re.findall(rf"\.({NAME})", in_strings), *re.findall(rf"""contains\(["']({NAME})""", script)}


def written(text: str) -> set[str]:
    """The classes of some markup's elements, without composed ones.

    >>> sorted(written(f'<p class="a b{GAP}"><i class=c>'))
    ['a', 'c']
    """
    values = re.findall(r'class="([^"]*)', text) + re.findall(rf"\bclass=({NAME})(?=[\s>])", text)
    return {name for value in values for name in value.split() if re.fullmatch(NAME, name)}


def set_by(script: str) -> set[str]:
    """The classes given to elements by a script.

    >>> sorted(
    ...     set_by(
    ...         '''make("p", { className: `a ${b}` }); row.classList.toggle("c", true); html = '<b class="d">' '''
    ...     )
    ... )
    ['a', 'c', 'd']
    """  # noqa: W505
    values = re.findall(r"""\bclassName\s*[:=]\s*[`'"]([^`'"]*)""", script)
    values += re.findall(r"""classList\.(?:add|toggle)\(["']([^"']*)""", script)
    return written(script) | {name for value in values for name in value.split() if re.fullmatch(NAME, name)}


def keys(texts: Iterable[str]) -> set[str]:
    """Possible keys, as Streamlit writes them in a class, as a pattern.

    >>> keys(["home.sentence", f"{GAP}.book", "A sentence."]) == {"home-sentence", "[\\\\w-]*-book"}
    True
    """
    return {
        re.sub(r"[^\w\0-]", "-", text).replace(GAP, r"[\w-]*")
        for text in texts
        if re.fullmatch(r"[\w.\0-]+", text) and re.search(r"[a-z]{2}", text)
    }


def all_styled() -> set[str]:
    return set().union(*map(styled, sheets()), *map(styled, read("html")))


def test_a_class_that_is_written_is_styled_or_read() -> None:
    all_written = set().union(*map(written, [*strings(), *read("html")]), *map(set_by, read("js")))
    assert all_written - all_styled() - set().union(*map(read_by, read("js"))) == set()


def test_a_class_that_is_styled_is_written() -> None:
    words = {*re.findall(r"[\w-]+", " ".join([*strings(), *read("js"), *read("html"), *sources()]))}
    assert {
        name
        for name in all_styled()
        if not OTHERS.fullmatch(name) and not {COMPUTED.get(name, name), name.rstrip("0123456789")} & words
    } == set()


def test_styled_keys_exist() -> None:
    named = {
        name
        for text in [*sheets(), *read("js"), *strings()]
        for name in re.findall(r"\.st-key-([\w-]+)(?![\w-]*[\0{$])", text)
    }
    begun = {
        name for text in [*sheets(), *read("js")] for name in re.findall(r'\[class\*="st-key-([\w-]+)"', text)
    }
    own = [f"{GAP}.{name}" for source in sources() for name in re.findall(r'\bkey\("([^"]+)"\)', source)]
    value = keys([*strings(), *own])
    assert named and begun
    patterns = [re.compile(key) for key in value if "*" in key]
    assert {name for name in named - value if not any(key.fullmatch(name) for key in patterns)} == set()
    assert {name for name in begun if not any(key.startswith(name) for key in value)} == set()
