"""Rules of the project beyond single files: the engine's allowed imports and actions, the rooms' allowed
imports and sizes (see `docs/architecture.md`).

Oracle: the sources themselves, parsed. Each rule of the house is a function from sources to their breaches,
tried on sources with some.
"""

from __future__ import annotations

import ast
import gc
import io
import re
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import pytest

ROOT = Path(__file__).parents[1]
ENGINE = sorted((ROOT / "tokenizers_core").rglob("*.py"))
FOLDERS = ("tokenizers_core", "tokensteps", "pages", "tests", "benchmarks", "deploy", "assets")
SOURCES = [ROOT / "app.py", *(path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py")))]


@pytest.fixture(scope="module", autouse=True)
def _nothing_to_collect() -> Iterator[None]:
    """All nodes stay; looking for garbage among them took three times as long as parsing."""
    gc.disable()
    yield
    gc.enable()


@cache
def parsed_file(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def nodes(tree: ast.Module) -> list[ast.AST]:
    """All nodes of a source, found once for all rules."""
    return [*ast.walk(tree)]


def imported(path: Path) -> Iterator[str]:
    """The first names of all modules imported by a source, anywhere in it."""
    for node in nodes(parsed_file(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield str(node.module).partition(".")[0]


def test_engine_needs_the_standard_library_and_regex_only() -> None:
    ours = {*sys.stdlib_module_names, "regex", "tokenizers_core"}
    assert {path.name: others for path in ENGINE if (others := {*imported(path)} - ours)} == {}


def test_engine_does_not_check_its_input_with_assert() -> None:
    asserting = [
        f"{path.name}:{node.lineno}"
        for path in ENGINE
        for node in nodes(parsed_file(path))
        if isinstance(node, ast.Assert)
    ]
    assert asserting == []


def test_engine_neither_prints_nor_reads_the_clock_of_the_day() -> None:
    for path in ENGINE:
        called = {
            node.func.id
            for node in nodes(parsed_file(path))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert called.isdisjoint({"print", "input", "eval", "exec"}), path
        # Chance comes from a seed alone: a generator of its own, never the module's shared one.
        assert "import random" not in path.read_text("utf-8"), path


def test_pages_lie_one_folder_down() -> None:
    # With st.navigation, a pages/*.py beside app.py would take deep links past app.py.
    assert list((ROOT / "pages").glob("*.py")) == []
    assert list((ROOT / "pages").glob("*/*.py"))


def test_nothing_is_left_for_later() -> None:
    marks = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")
    for path in SOURCES:
        text = path.read_text("utf-8")
        for token in tokenize.generate_tokens(io.StringIO(text).readline) if marks.search(text) else ():
            if token.type == tokenize.COMMENT:
                assert not marks.search(token.string), f"{path}:{token.start[0]}"


def test_no_engine_test_is_skipped_or_expected_to_fail() -> None:
    for path in (ROOT / "tests").glob("test_*.py"):
        names = {node.attr for node in nodes(parsed_file(path)) if isinstance(node, ast.Attribute)}
        assert names.isdisjoint({"skip", "skipif", "xfail", "importorskip"}), path


def test_text_files_are_utf8_and_end_with_a_newline() -> None:
    for path in SOURCES:
        text = path.read_text("utf-8")
        assert not text or text.endswith("\n"), path


# --- The house ----------------------------------------------------------------------------------------------

ORDER: Final = {
    "tokenizers_core": ("plain", "errors", "lazy", "text", "trace", "encoding", "training", "changes", "measures", "counterfactual", "files", "health"),
    "tokensteps": (
        "version", "assets", "limits", "bounded", "streamlit_tuning", "streamlit_internals", "language", "drawing", "notebook", "components", "server", "classroom",
        "runs", "catalogue", "teaching", "site",
        "widgets", "shell", "pages", "cli",
    ),
}  # fmt: skip
"""The rooms of each package from the ground floor up: a room imports from rooms before it. A package's own
`__init__` and `__main__` stand above them all."""
MODULES: Final = 14
"""How many modules a folder may hold."""
NO_STREAMLIT: Final = (
    "tokenizers_core",
    *(f"tokensteps.{room}" for room in ("language", "drawing", "runs", "teaching", "site")),
)
PRIVATE_PARTS: Final = ("tokensteps.streamlit_internals", "tokensteps.streamlit_tuning")
"""The only users of Streamlit's private names: one for the app's needs, one for a faster or quieter app."""
SEVERAL: Final[Mapping[str, str]] = {
    "show": "every page's body is called that, and every file in pages/ calls it",
    "search": "what stands in for `regex` in a browser has its names",
    "train": "each file of the chapter `plain/` trains its own algorithm",
    "encode": "and encodes with what was learned",
    "decode": "and finds the way back",
}
"""Top-level names allowed in a package more than once, each with the reason."""

Sources = Mapping[str, ast.Module]
"""Dotted name → the module, parsed."""


def dotted(path: Path) -> str:
    """A source's dotted name; a package's own is its folder's."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


PATHS: Final = {dotted(path): path for package in ORDER for path in sorted((ROOT / package).rglob("*.py"))}


@cache
def ours() -> Sources:
    """Ours, parsed when the first test asks: every process of a run collects this file, and one runs it."""
    return {name: parsed_file(path) for name, path in PATHS.items()}


def imports(sources: Sources, name: str) -> Iterator[str]:
    """All imports of a module, anywhere in it: modules of ours by their own names, others as they are
    written."""
    for node in nodes(sources[name]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in sources else str(node.module)


def floor(name: str) -> int:
    """How high a module's room lies in its package; the package itself lies above all its rooms."""
    package, *rest = name.split(".")
    rooms = ORDER[package]
    return rooms.index(rest[0]) if rest and rest[0] != "__main__" else len(rooms)


def upward(sources: Sources) -> list[str]:
    """Imports of a room above one's own; anything of `tokensteps` is above all of `tokenizers_core`."""
    results = []
    for name in sources:
        for other in imports(sources, name):
            package = other.split(".")[0]
            if package not in ORDER:
                continue
            if package != name.split(".")[0]:
                wrong = package == "tokensteps"
            else:
                wrong = floor(other) > floor(name)
            if wrong:
                results.append(f"{name} imports {other}")
    return sorted(set(results))


def circles(sources: Sources) -> list[list[str]]:
    """Groups of modules that all import each other, by way of others or not."""
    reached: dict[str, set[str]] = {}
    ties = {name: {other for other in imports(sources, name) if other in sources} for name in sources}
    for name in sources:
        seen: set[str] = set()
        waiting = [*ties[name]]
        while waiting:
            other = waiting.pop()
            if other not in seen:
                seen.add(other)
                waiting += ties[other]
        reached[name] = seen
    groups = {
        tuple(sorted(other for other in reached[name] if name in reached[other]))
        for name in sources
        if name in reached[name]
    }
    return [list(group) for group in sorted(groups)]


def crowded(paths: Mapping[str, Path]) -> list[str]:
    """Folders with too many modules; `__init__.py` and `__main__.py` are not counted."""
    results: defaultdict[Path, int] = defaultdict(int)
    for path in paths.values():
        results[path.parent] += path.stem not in ("__init__", "__main__")
    return [f"{folder}: {number} modules" for folder, number in results.items() if number > MODULES]


def top_level(tree: ast.Module) -> set[str]:
    """The names defined at a module's top level, `__all__` and the like left out."""
    names: set[str] = set()
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Assign(targets=targets):
                names |= {target.id for target in targets if isinstance(target, ast.Name)}
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
    return {name for name in names if not name.startswith("__")}


def defined_twice(sources: Sources) -> list[str]:
    """Names defined by several modules of one package; a chapter of `plain` uses the papers' names, as the
    engine does."""
    where: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for module, tree in sources.items():
        package, *rest = module.split(".")
        for name in top_level(tree):
            where[f"{package}.plain" if rest[:1] == ["plain"] else package, name].append(module)
    return sorted(
        f"{name}: {', '.join(modules)}"
        for (_package, name), modules in where.items()
        if len(modules) > 1 and name not in SEVERAL
    )


NAMING: Final = 33
"""How many modules may name an algorithm in a string. Others look at `ranked_by`, or go through
`ALGORITHMS`."""


def naming(sources: Sources) -> list[str]:
    """Modules with the name of an algorithm as a string."""
    return [
        name
        for name, tree in sources.items()
        if any(
            isinstance(node, ast.Constant) and node.value in ("bpe", "wordpiece", "unigram")
            for node in nodes(tree)
        )
    ]


def with_streamlit(sources: Sources) -> list[str]:
    """Modules with forbidden imports of Streamlit."""
    return [
        name
        for name in sources
        if name.startswith(NO_STREAMLIT)
        and any(other.split(".")[0] == "streamlit" for other in imports(sources, name))
    ]


def private_streamlit(sources: Sources) -> list[str]:
    """Uses of Streamlit's private parts: attributes and modules with a leading underscore, and its inner
    parts."""
    inner = (
        "streamlit.runtime",
        "streamlit.web",
        "streamlit.proto",
        "streamlit.elements",
        "streamlit.navigation",
    )
    return sorted(
        {
            f"{name}: {other}"
            for name in sources
            if not name.startswith(PRIVATE_PARTS)
            for other in imports(sources, name)
            if other.startswith(inner)
        }
    )


def parsed(**modules: str) -> Sources:
    """A small house of its own: names with two underscores for dots."""
    return {name.replace("__", "."): ast.parse(text) for name, text in modules.items()}


def test_rooms_import_downwards_only() -> None:
    assert upward(ours()) == []
    house = parsed(
        tokensteps__limits="", tokensteps__drawing__chips="import tokensteps.pages.home", tokensteps__pages__home="",
        tokenizers_core__trace="from tokensteps import limits", tokensteps="",
    )  # fmt: skip
    assert upward(house) == [
        "tokenizers_core.trace imports tokensteps.limits",
        "tokensteps.drawing.chips imports tokensteps.pages.home",
    ]


def test_every_room_is_in_the_order() -> None:
    for package, rooms in ORDER.items():
        there = {name.split(".")[1] for name in PATHS if name.startswith(f"{package}.")} - {"__main__"}
        assert there <= {*rooms}, "a new room: say in ORDER what it may import from"


def test_no_import_circles() -> None:
    assert circles(ours()) == []
    house = parsed(tokensteps__a="import tokensteps.b", tokensteps__b="def f():\n from tokensteps import c",
                   tokensteps__c="import tokensteps.a", tokensteps__d="import tokensteps.a", tokensteps="")  # fmt: skip
    assert circles(house) == [["tokensteps.a", "tokensteps.b", "tokensteps.c"]]


def test_no_folder_is_crowded() -> None:
    assert crowded(PATHS) == []
    assert crowded({str(number): Path(f"x/m{number}.py") for number in range(MODULES + 1)}) == [
        "x: 15 modules"
    ]


def test_no_name_is_defined_twice() -> None:
    assert defined_twice(ours()) == []
    house = parsed(
        tokensteps__a="def f(): ...\nX = 1", tokensteps__b="X: int = 2", tokenizers_core__c="class f: ..."
    )
    assert defined_twice(house) == ["X: tokensteps.a, tokensteps.b"]


def test_few_modules_name_an_algorithm() -> None:
    assert len(naming(ours())) <= NAMING, "look at ranked_by, or go through the registries"
    assert naming(parsed(a="x = algorithm == 'wordpiece'", b='"""Not wordpiece."""')) == ["a"]


def test_every_exception_is_needed() -> None:
    several = {name for name in SEVERAL if sum(name in top_level(tree) for tree in ours().values()) > 1}
    assert several == {*SEVERAL}


def test_engine_language_and_drawing_know_no_streamlit() -> None:
    assert with_streamlit(ours()) == []
    assert with_streamlit(parsed(tokensteps__drawing__chips="import streamlit as st")) == [
        "tokensteps.drawing.chips"
    ]


def test_one_module_touches_streamlits_private_parts() -> None:
    assert private_streamlit(ours()) == []
    house = parsed(tokensteps__shell__x="from streamlit.runtime.state import y")
    assert private_streamlit(house) == ["tokensteps.shell.x: streamlit.runtime.state"]


@pytest.mark.parametrize("file", sorted((ROOT / "pages").rglob("*.py")), ids=lambda file: file.stem)
def test_page_files_are_alike(file: Path) -> None:
    """Streamlit runs them anew each time: they hold a docstring, one import, one call."""
    section, name = file.parent.name, file.stem
    docstring, imported, call = ast.parse(file.read_text("utf-8")).body
    assert ast.get_docstring(ast.Module([docstring], []))
    assert ast.unparse(imported) == f"from tokensteps.pages.{section}.{name} import show"
    assert ast.unparse(call) == "show()"


HANDLESS: Final = r"""\.focus\(\)|\bforce=True|\bdispatch_event\(|\bdispatchEvent\(|\.fill\("[^"]*"\)|\.click\(\)(?:["';]| \})"""
"""Actions impossible for a hand: the focus put somewhere, a click on something out of reach, an event made
up, a short text without its keys, a click by a script."""
AT_ONCE, HALF, OUT_OF_REACH = (
    "keys in one go, so that a loaded machine looks at each step, or is faster than it",
    "half of a UTF-16 pair, which no keyboard types",
    "what must not work is tried, too: a control that is hidden or held",
)
WITHOUT_HANDS: Final = {
    "conftest.py": (
        2,
        "Back and Forward, where the app is open: as the browser does, without loading it anew",
    ),
    "test_bpe_page.py": (4, f"{AT_ONCE}; {HALF}"),
    "test_class.py": (1, "the app's own event, while its stage is on its way; no hand's action"),
    "test_class_alone.py": (3, "a server's events, from a stream of the test's own; a network that goes"),
    "test_code_in_step.py": (1, AT_ONCE),
    "test_compare_page.py": (1, AT_ONCE),
    "test_flipbook.py": (2, f"{AT_ONCE}; what the strip of a class says, without a class"),
    "test_lattice_view.py": (2, AT_ONCE),
    "test_predict_page.py": (1, OUT_OF_REACH),
    "test_scorm.py": (1, "the browser's own way to give a page back as it was"),
    "test_try_page.py": (1, "WebKit's window, where each download takes a line of the page's height"),
    "test_whatif_page.py": (2, AT_ONCE),
}
"""Browser test → how many such places it has, and why. In a class's tests, every action is a hand's."""


def test_browser_tests_act_like_a_hand() -> None:
    """Clicks, taps and keys: nothing else proves that somebody can do it."""
    results = {
        path.name: number
        for path in sorted((ROOT / "tests" / "browser").glob("*.py"))
        if (number := len(re.findall(HANDLESS, path.read_text("utf-8"))))
    }
    assert results == {name: number for name, (number, _why) in WITHOUT_HANDS.items()}
    handless = """box.focus(); a.click(force=True); b.dispatch_event('x'); box.fill("60")"""
    assert len(re.findall(HANDLESS, handless)) == 4


MILLISECONDS: Final = r"\btime\.sleep\(|\bwait_for_timeout\(|\basyncio\.sleep\((?!0\))"
WAITING: Final = {Path(__file__), ROOT / "tests" / "waiting.py", ROOT / "tests" / "browser" / "conftest.py"}
"""The places of waiting: for a state (`until`, `at_rest`), or a while for tests about time (`pass_time`,
`pause`)."""


def test_tests_wait_for_a_state_and_never_for_milliseconds() -> None:
    tests = {*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "tests").rglob("conftest.py")} - WAITING
    assert [path.name for path in tests if re.search(MILLISECONDS, path.read_text("utf-8"))] == []
    waits = "time.sleep(1); page.wait_for_timeout(20); asyncio.sleep(0.1); asyncio.sleep(0)"
    assert len(re.findall(MILLISECONDS, waits)) == 3


OTHERS_PRIVATE: Final = {
    "_active_session_info_by_id", "_bind_socket", "_enqueue", "_enqueue_forward_msg", "_handle_scriptrunner_event_on_event_loop", "_loop_coroutine",
    "_new_widget_state", "_on_scriptrunner_event", "_parse_subprotocols", "_populate_theme_msg", "_run", "_run_script", "_run_script_thread", "_script_thread",
    "_send_message", "_state", "_tree",  # Streamlit's: the app's patches, and `AppTest`
    "_set_nodelay",  # asyncio's
    "_assign_work_unit",  # of pytest-xdist
    "_compositor",  # Textual's: a screen as lines of text
    "_mergeable_ranks",  # tiktoken's: a tokenizer's file
    "_send",  # Selenium's
}  # fmt: skip
"""Private names in use by tests, all of other libraries. Of ours, tests use public names alone: a private one
may change."""
PUBLIC: Final = {"_", "_asdict", "_exit", "_fields", "_make", "_mime_", "_replace", "_repr_html_"}
"""Names with an underscore, no secrets."""


def private_names(tree: ast.Module) -> Iterator[str]:
    """Others' private names in a source: attributes, imports, and replacements."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                names = []
            case ast.Attribute():
                names = [node.attr]
            case ast.ImportFrom():
                names = [alias.name for alias in node.names]
            case ast.Call(
                func=ast.Attribute(attr="setattr" | "delattr") | ast.Name(id="setattr" | "getattr")
            ):
                names = [str(one.value).rsplit(".")[-1] for one in node.args if isinstance(one, ast.Constant)]
            case _:
                names = []
        yield from (name for name in names if re.match(r"_(?!_)", name) and name not in PUBLIC)


def test_tests_use_no_private_name_of_ours() -> None:
    tests = sorted((ROOT / "tests").rglob("*.py"))
    assert {
        name for path in tests for name in private_names(ast.parse(path.read_text("utf-8")))
    } == OTHERS_PRIVATE
    source = "from a import _b; a._c; self._d; patch.setattr(a, '_e', 1); patch.setattr('a._f', 1); a.__g__; a._replace()"
    assert [*private_names(ast.parse(source))] == ["_b", "_c", "_e", "_f"]
