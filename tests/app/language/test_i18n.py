"""Translation (`tokensteps/language/i18n.py` and all modules with texts): every message can be found and
filled in by a translator.

Oracles: Babel's own extractor, run as `make messages` runs it, and Python's `ast` and `string.Formatter`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from string import Formatter

from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_file

from tokensteps.drawing.charts import CHARTS
from tokensteps.drawing.narration.merging import MERGING_STOPS
from tokensteps.language.i18n import _, count, current_language, ngettext, use_language
from tokensteps.language.names import CHOICE_NAMES, TIE_RULE_WORDS
from tokensteps.runs.corpora import EXAMPLES
from tokensteps.widgets.downloads import in_this_language

ROOT = Path(__file__).resolve().parents[3]
FILES = [
    ROOT / "app.py",
    *sorted((ROOT / "pages").rglob("*.py")),
    *sorted(
        file for file in (ROOT / "tokensteps").rglob("*.py") if "cli" not in file.parts
    ),  # it speaks English
]
MARKS = ("_", "N_", "ngettext")


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def extracted() -> dict[str, tuple[str, ...]]:
    """Every message found by Babel, by its first form."""
    results: dict[str, tuple[str, ...]] = {}
    for file in FILES:
        for _line, message, _comments, _context in extract_from_file(
            "python", file, {**DEFAULT_KEYWORDS, "N_": None}
        ):
            forms = (message,) if isinstance(message, str) else tuple(message)
            results[forms[0]] = forms
    return results


def fields(message: str) -> set[str]:
    """The names in braces; raises ValueError for unmatched braces."""
    return {name for _text, name, _spec, _conversion in Formatter().parse(message) if name is not None}


def calls() -> Iterator[tuple[Path, ast.Call]]:
    """Every call of `_`, `N_` or `ngettext`."""
    for file in FILES:
        for node in ast.walk(tree(file)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS:
                yield file, node


def messages_of(call: ast.Call) -> list[ast.expr]:
    return call.args[:2] if isinstance(call.func, ast.Name) and call.func.id == "ngettext" else call.args[:1]


def test_messages_are_plain_strings() -> None:
    """No f-string, no sum, no `.format` inside `_()`: the catalogue could not hold the result."""
    known = {form for forms in extracted().values() for form in forms}
    lost, seen = [], 0
    for file, call in calls():
        for message in messages_of(call):
            where = f"{file.relative_to(ROOT)}:{call.lineno}"
            if isinstance(message, ast.Constant):
                seen += 1
                if (
                    message.value not in known
                ):  # before Python 3.12, Babel can't look into an f-string's braces
                    lost.append(f"{where} {message.value!r}")
            else:  # a name with a value marked by N_ at its definition
                assert isinstance(message, ast.Name | ast.Attribute | ast.Subscript | ast.IfExp), where
                assert isinstance(call.func, ast.Name) and call.func.id == "_", where
    assert seen > 100
    assert lost == []


def test_marked_elsewhere_and_translated_here() -> None:
    titles = [text for example in EXAMPLES.values() for text in (example.title, example.about)]
    texts = [message for words in TIE_RULE_WORDS.values() for message in words]
    for message in (*MERGING_STOPS.values(), *CHARTS.values(), *titles, *texts):
        assert message in extracted()
    unmarked = {name for names in CHOICE_NAMES.values() for name in names.values() if name not in extracted()}
    lettered = {name for name in unmarked if any(map(str.isalpha, name))}  # shares have none
    assert all(any(map(str.isupper, name)) for name in lettered), lettered  # proper names only


def test_fields_have_names() -> None:
    for message, forms in extracted().items():
        for form in forms:
            if "%{customdata" in form:  # Plotly's braces, not Python's
                continue
            for name in fields(form):
                assert name.isidentifier(), f"{form!r}: a translator can't tell what {{{name}}} is"
        if not message.startswith("step %{"):
            one, *many = forms
            assert all(fields(one) <= fields(form) for form in many), message


def test_fields_are_those_that_are_filled_in() -> None:
    """Where a message is filled in on the spot, by `.format`, `fill` or `say`, the names are the same."""
    checked = 0
    for file in FILES:
        for node in ast.walk(tree(file)):
            if not isinstance(node, ast.Call) or any(keyword.arg is None for keyword in node.keywords):
                continue
            function = node.func
            if isinstance(function, ast.Attribute) and function.attr == "format":
                inner: ast.expr | None = function.value
            elif (isinstance(function, ast.Attribute) and function.attr == "say") or (
                isinstance(function, ast.Name) and function.id == "fill"
            ):
                inner = node.args[0] if node.args else None
            else:
                continue
            if not (
                isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id in MARKS
            ):
                continue
            for message in messages_of(inner):
                if isinstance(message, ast.Constant):
                    names = {keyword.arg for keyword in node.keywords}
                    assert fields(str(message.value)) <= names, f"{file.name}:{node.lineno} {message.value!r}"
                    checked += 1
    assert checked > 30


LABELLED = frozenset(
    (
        *(
            "title",
            "subheader",
            "caption",
            "text",
            "markdown",
            "button",
            "download_button",
            "form_submit_button",
        ),
        *("selectbox", "text_input", "text_area", "number_input", "slider", "toggle", "segmented_control"),
        *("file_uploader", "expander", "popover", "spinner", "progress", "TextColumn", "NumberColumn"),
    )
)
"""Streamlit's functions with words as first argument."""
READ = frozenset(["label", "help", "placeholder", "title", "text", "alt"])
"""Arguments for people to read."""
SAME = frozenset(
    ["TokenSteps", "BPE", "WordPiece", "Unigram", "th", "openai-community/gpt2", "hug 10\npug 5"]
)
"""Names and examples, the same in every language."""


def spoken_literals(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Text for people, given to Streamlit without the catalogue."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        said = [keyword.value for keyword in node.keywords if keyword.arg in READ]
        said += node.args[:1] if name in LABELLED else []
        parts = [part for one in said for part in (one.values if isinstance(one, ast.JoinedStr) else [one])]
        for part in parts:
            text = part.value if isinstance(part, ast.Constant) else None
            if (
                isinstance(text, str)
                and (text := re.sub(r"<[^>]*>?|^[^<]*>", "", text))
                and re.search("[A-Za-z]{2}", text)
                and text not in SAME
            ):
                yield node.lineno, text


def glued(tree: ast.AST) -> Iterator[int]:
    """Lines with sentences joined by a space, or a list by commas, as in English: `sentences` and `listed`
    know better."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="join", value=ast.Constant(value=str(between))), args=[parts]
            ):
                inside = [one.func for one in ast.walk(parts) if isinstance(one, ast.Call)]
                marked = any(isinstance(one, ast.Name) and one.id in MARKS for one in inside)
                if between.strip(",;. ") == "" and between != "" and marked:
                    yield node.lineno
            case ast.AugAssign(op=ast.Add(), value=ast.BinOp(left=ast.Constant(value=" "))):
                yield node.lineno


def written(markup: str) -> list[str]:
    """The words shown or spoken by a piece of markup in the source."""
    results = re.findall(r'(?:aria-label|title|alt|placeholder)="?([A-Za-z][^"{<>]*)', markup)
    results += re.findall(
        r">([^<>]*[A-Za-z]{2}[^<>]*)<",
        re.sub(r"<(style|script|title)\b.*?</\1>", "", markup, flags=re.DOTALL),
    )
    return [text for text in results if text not in SAME]


def test_streamlits_own_texts_are_translated() -> None:
    """Oracle: the source, read by `ast`; and the reader itself, tried on leaking lines."""
    leaking = ast.parse('st.button("Go")\nst.toggle(_("On"), help="Or off")\ncolumn.caption(f"{n} of them")')
    assert [text for _line, text in spoken_literals(leaking)] == ["Go", "Or off", " of them"]
    results = [
        f"{file.relative_to(ROOT)}:{line} {text!r}"
        for file in FILES
        for line, text in spoken_literals(tree(file))
    ]
    assert results == []


def test_sentences_and_lists_are_not_glued() -> None:
    leaking = ast.parse(
        '" ".join([_("One."), two])\ntold += " " + _("Two.")\n"".join(f"<b>{_(x)}" for x in y)'
    )
    assert {*glued(leaking)} == {1, 2}
    results = [f"{file.name}:{line}" for file in FILES for line in glued(tree(file))]
    assert results == []


def test_markup_scripts_and_styles_have_no_words_of_their_own() -> None:
    """A component's words come with its data, a style's with attributes."""
    assert written('<b>Two</b><i title="Three words">{x}</i><style>b { x: y }</style>') == [
        "Three words",
        "Two",
    ]
    results = []
    for file in FILES:
        for node in ast.walk(tree(file)):
            if isinstance(node, ast.JoinedStr):
                whole = "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
                )
                results += [f"{file.name}:{node.lineno} {text}" for text in written(whole)]
    for script in (ROOT / "assets").glob("*.js"):
        source = script.read_text(encoding="utf-8")
        results += [
            f"{script.name} {text}"
            for quoted in re.findall(r"`[^`]*`", source)
            for text in written(re.sub(r"\$\{[^}]*\}", "{}", quoted))
        ]
        results += [
            f"{script.name} {text}"
            for text in re.findall(
                r"(?:textContent|innerText|ariaLabel|ariaDescription|title|placeholder) = [\"'`](\w\w[^\"'`]*)",
                source,
            )
        ]
    for sheet in (ROOT / "assets").glob("*.css"):
        results += re.findall(r"content: *[\"'][^\"']*[A-Za-z]{2}[^\"']*", sheet.read_text(encoding="utf-8"))
    assert results == []


def test_language_falls_back_to_english() -> None:
    for wanted in ("xx", "", "../../etc", "en"):
        assert use_language(wanted) == "en" == current_language()
    assert ngettext("{n} token", "{n} tokens", 1) == "{n} token"
    assert ngettext("{n} token", "{n} tokens", 2) == "{n} tokens"
    assert count(1234567) == "1,234,567"


def test_files_speak_the_language_of_the_button() -> None:
    """Streamlit makes a file in a thread of its own, in English (oracle: a thread here), and goes on in
    English."""
    use_language("zh")
    make = in_this_language(lambda: _("Start"))
    use_language("en")
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(make).result() == "开始"
        assert threads.submit(_, "Start").result() == "Start"
    assert _("Start") == "Start"
