"""Every page in a made-up language: everything to read there has come out of the catalogue.

Source: the README's promise that the whole app speaks the chosen language. Oracle: a catalogue that sets each
message between ⟦ and ⟧ and leaves its fields outside. A text with Latin letters outside of them is no
message: it must be somebody's token or text, code, a proper name, or it bypasses the catalogue. Pages train
on Greek words, so that tokens have no such letters.
"""

from __future__ import annotations

import gettext
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.pages import APP, read_message, run, tables, tabs
from tokenizers_core import Corpus, train_bpe
from tokensteps.catalogue.analysis import analyse
from tokensteps.catalogue.shown_tokenizers import TrainedSubject
from tokensteps.catalogue.texts import SENTENCES
from tokensteps.drawing.chips import Shown
from tokensteps.drawing.handout import handout
from tokensteps.drawing.tokens import Style
from tokensteps.drawing.training.merging import merge_frame
from tokensteps.language import i18n
from tokensteps.language.names import ALGORITHM_NAMES
from tokensteps.pages.explore.playground_files import tokens_html
from tokensteps.runs.corpora import pack_text
from tokensteps.server import steps
from tokensteps.site.layout import document
from tokensteps.site.practice import answer_words
from tokensteps.site.texts import index_page
from tokensteps.teaching.challenge import Challenge
from tokensteps.teaching.exercises.kinds import EXERCISE_KINDS, make
from tokensteps.teaching.lessons import LESSONS, facts, lesson_page
from tokensteps.teaching.questions import Choice
from tokensteps.teaching.splitting import EXAMPLE_SPLITS


def words(text: str) -> frozenset[str]:
    """The words of a line."""
    return frozenset(text.split())


CODE = "xx"
GREEK = "θάλασσα θάλασσες θέμα θέματα τέμα τέματα"
TEXT = pack_text(f"{GREEK} {GREEK}") or ""
NAMES = words(
    "SentencePiece TokenSteps BERT ALBERT DistilBERT ELECTRA RoBERTa XLNet mBART "
    "Gemma DeepSeek Mistral Nemo GPT GPT-2 GPT-3.5 GPT-4 GPT-4o Llama T5 Qwen CamemBERT NFC NFD NFKC NFKD CLS SEP UNK PAD MASK unk "
    "cls sep pad endoftext Viterbi EM CSV TSV JSON HTML UTF Python Unicode tokenizers transformers "
    "English Home End XLM-R 简体中文 日本語 cased uncased multilingual strawberry raw berry "
    "Sennrich Haddow Birch"
) | words(" ".join((*EXAMPLE_SPLITS, *ALGORITHM_NAMES.values())))
"""Words that are the same in every language, and examples of a typed split."""
DATA = words(
    "id type_id word_id sequence_id special_tokens_mask attention_mask tokenizer.json vocab.json "
    "merges.txt vocab.txt ranks.tiktoken unigram.vocab tiktoken ORG LOC PER log ln exp digamma "
    "openai-community gpt cl base system user assistant tool ChatML"
)
"""Roles in a chat; columns and functions of the tokenizers library; files; labels of entities; functions of
mathematics; the example of a name on the hub."""
WORDS = re.compile(r"[A-Za-z][A-Za-z]+(?:[-._][A-Za-z0-9]+)*")
HUG = re.compile(r"[hugpnbsmt]+")
"""Tokens of the examples with the words hug, pug, pun, bun, hugs, and of unhug, bug, mug, thug."""


# --- the made-up language -----------------------------------------------------------------------------------


def wrapped(message: str) -> str:
    """A message with its words between brackets, its fields outside.

    >>> wrapped("Merge {pair} now."), wrapped("{letter}: {told}")
    ('⟦Merge ⟧{pair}⟦ now.⟧', '{letter}: {told}')
    """
    parts = re.split(r"(%?\{[^{}]*\})", message)
    return "".join(
        f"⟦{part}⟧" if index % 2 == 0 and re.search("[A-Za-z]", part) else part
        for index, part in enumerate(parts)
    )


class Catalogue(gettext.NullTranslations):
    """Translations with every message."""

    def gettext(self, message: str) -> str:
        return wrapped(message)

    def pgettext(self, context: str, message: str) -> str:
        return wrapped(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return wrapped(msgid1 if n == 1 else msgid2)


@pytest.fixture(scope="module", autouse=True)
def _made_up() -> Iterator[None]:
    catalogue = Catalogue()
    known = i18n.catalogue
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(i18n.LANGUAGES, CODE, "⟦⟧")
        patch.setattr(i18n, "catalogue", lambda language: catalogue if language == CODE else known(language))
        patch.setattr(steps, "FEW_FRAMES", 10**9)  # another process doesn't speak it
        yield
    i18n.use_language("en")


@pytest.fixture(autouse=True)
def _spoken() -> None:
    """Here, too: `AppTest` asks select boxes for the names of their options outside of the page."""
    i18n.use_language(CODE)


# --- the checker --------------------------------------------------------------------------------------------


def outside(text: str) -> str:
    """The text outside of the brackets; a cut message has no end."""
    stored, depth = [], 0
    for character in text:
        depth += (character == "⟦") - (character == "⟧" and depth > 0)
        stored.append(" " if depth or character == "⟧" else character)
    return "".join(stored)


def leaks(text: str, data: str = "") -> list[str]:
    """The words of a text from outside of the catalogue, but for names, Python files and words in `data`."""
    text = re.sub(
        r"https?://\S+|&\w+;|[\w/]+\.py\b|\(U\+[0-9A-F]+[^)]*\)|U\+[0-9A-F]+|[0\\]x[0-9A-Fa-f]+|</?\w+>|\\[nt]|\{\w+\}",
        " ",
        outside(text),
    )
    return [
        word
        for word in WORDS.findall(text)
        if word not in NAMES | DATA and not HUG.fullmatch(word) and word not in data
    ]


class Read(HTMLParser):
    """The text of markup, but for tokens and code, and its spoken attributes."""

    VOID = frozenset(["br", "wbr", "hr", "img", "input", "meta", "link", "path"])
    APART = frozenset(["bdi", "code", "pre", "samp", "style", "script", "template", "del", "ins"])
    """Elements with a token, code, or a learner's text as their text."""
    APART_CLASSES = frozenset(["t", "rest", "decoded", "bytes"])
    SAID = frozenset(["aria-label", "aria-description", "title", "alt", "placeholder", "data-n"])

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.open: list[bool] = []
        self.text: list[str] = []
        self.said: list[str] = []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.said += [values[name] for name in self.SAID & values.keys()] if tag != "bdi" else []
        if tag not in self.VOID:
            classes = {*values.get("class", "").split()}
            self.open.append(tag in self.APART or bool(self.APART_CLASSES & classes))
        self.text.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID and self.open:
            self.open.pop()
        self.text.append(" ")

    def handle_data(self, data: str) -> None:
        if not any(self.open):
            self.text.append(data)


@cache  # the frames beside one tab are the same beside the next one
def said_in(markup: str) -> tuple[str, ...]:
    """The text of some markup for a reader or listener."""
    read = Read(markup)
    return "".join(read.text), *read.said


def leaks_of_markup(markup: str, data: str = "") -> list[str]:
    """The same for markup."""
    return [word for text in said_in(markup) for word in leaks(text, data)]


TECHNICAL = words(
    "id form_id url url_path page page_script_hash script_hash js_content css_content component_name icon "
    "icon_image query_string language format type theme config spec arrow_data data bytes json columns "
    "key element_id proto html_content default raw_value raw_values dataframe accept command body_type "
    "tag page_icon image deferred_file_id mixed allowed_types selection_mode vega_lite_spec "
    "formatted_value value"
)
"""Fields of Streamlit\'s messages without text for readers, or with typed text."""
PLOTLY_TEXT = frozenset(["text", "name", "hovertemplate", "title", "customdata", "ticktext", "x", "y"])


def texts(message: Any) -> Iterator[str]:
    """Every text for readers in one of Streamlit's messages."""
    for field, value in message.ListFields():
        if field.name in TECHNICAL:
            continue
        for one in value if isinstance(value, Sequence) and not isinstance(value, str | bytes) else [value]:
            if field.message_type is not None:
                if hasattr(one, "ListFields"):
                    yield from texts(one)
            elif isinstance(one, str):
                yield one


def strings(value: Any) -> Iterator[str]:
    """Every text in JSON."""
    match value:
        case str():
            yield value
        case list():
            for one in value:
                yield from strings(one)
        case dict():
            for one in value.values():
                yield from strings(one)


def plotted(value: Any, inside: bool = False) -> Iterator[str]:
    """Every drawn text in a figure's JSON."""
    match value:
        case str() if inside:
            yield re.sub(r"%\{[^}]*\}|<[^>]*>", " ", value)
        case list():
            for one in value:
                yield from plotted(one, inside)
        case dict():
            for name, one in value.items():
                if name not in ("template", "type", "font"):
                    yield from plotted(one, name in PLOTLY_TEXT or (inside and name == "text"))


BYTES = re.compile(r"[0-9A-F]{2}(?: [0-9A-F]{2})*")
"""The contents of a column of bytes."""


def of_component(proto: Any, data: str) -> list[str]:
    """The leaks in the message to a component of ours."""
    said = read_message(proto.bytes or proto.json.encode() or b"null")
    name = proto.component_name.rpartition(".")[2]
    if name == "table":
        said = {
            "head": [*strings(said["head"])],
            **{one["name"]: one["cells"] for one in said["table"]["columns"]},
        }
        shown = [text for text in strings([[*said], [*said.values()]]) if text not in ("head", "th")]
        return [word for text in shown if not BYTES.fullmatch(text) for word in leaks(text, data)]
    if name == "tabs":
        return [word for _tab, shown in said["names"] for word in leaks(shown, data)]
    if not isinstance(said, dict) or name == "keep":  # it shows nothing
        return []
    results: list[str] = []
    for key, value in said.items():
        if key in (
            "run",
            "page",
            "trace",
            "param",
            "params",
            "href",
            "language",
            "lines",
            "code",
            "source",
            "ways",
            "atoms",
            "script",
            "few",
        ):
            continue
        for text in strings(value):
            if text in (CODE, "ltr", "rtl") or (name == "tour" and text.startswith((".", "["))):
                continue
            if name == "editor" and key in ("text", "key", "desk"):
                continue
            results += leaks_of_markup(text, data) if "<" in text else leaks(text, data)
    return results


def elements(block: Any) -> Iterator[Any]:
    for child in block.children.values():
        yield child
        if hasattr(child, "children"):
            yield from elements(child)


def leaks_on(app: AppTest, data: str = "") -> list[str]:
    """The leaks on a page, each with its place. Words in `data` are somebody's text."""
    results = []
    for element in elements(app._tree):
        kind, proto = type(element).__name__, getattr(element, "proto", None)
        if proto is None:
            continue
        said: list[str] = []
        if element.type == "html":
            said = leaks_of_markup(proto.body, data)
        elif element.type == "code":
            continue
        elif element.type == "bidi_component":
            said = of_component(proto, data)
        else:
            for text in texts(proto):
                said += leaks(text, data)
        if element.type in ("arrow_data_frame", "dataframe"):  # the editable table
            shown = json.loads(proto.columns or "{}")
            for column in element.value.columns:
                said += leaks(str(shown.get(column, {}).get("label") or column), data)
            for column in element.value.select_dtypes(exclude=["number", "bool"]):
                for cell in element.value[column].dropna():
                    said += [] if BYTES.fullmatch(str(cell)) else leaks(str(cell), data)
        if element.type == "plotly_chart":
            for text in plotted(json.loads(proto.spec)):
                said += leaks(text, data)
        results += [f"{kind} {getattr(element, 'key', '') or ''}: {word}" for word in dict.fromkeys(said)]
    return results


def test_the_checker_finds_untranslated_texts() -> None:
    """Oracle: texts written by hand, with and without a leak."""
    assert wrapped("Tied with {pairs}.") == "⟦Tied with ⟧{pairs}."
    assert leaks(wrapped("Tied with {pairs}.").format(pairs="α + β, x2 and BPE")) == ["and"]
    assert (
        leaks("⟦outer ⟧⟦inner⟧ 12 %") == [] and leaks("⟦cut off") == [] and leaks("12 tokens") == ["tokens"]
    )
    assert (
        leaks("hello", data="hello world") == []
        and leaks("a b") == []
        and leaks("https://example.org/a") == []
    )
    assert leaks_of_markup('<p>⟦One ⟧<bdi class="t">token</bdi>⟦ here⟧.</p>') == []
    assert leaks_of_markup('<p>⟦One⟧ two</p><img alt="three"><b class="t">four</b><style>five</style>') == [
        "two",
        "three",
    ]
    assert leaks_of_markup('<button aria-label="⟦One⟧" title="Two"><i>Three</i></button>') == ["Three", "Two"]
    assert list(
        plotted({"layout": {"xaxis": {"title": {"text": "steps"}}}, "data": [{"type": "bar", "name": "⟦n⟧"}]})
    ) == [
        "steps",
        "⟦n⟧",
    ]


def test_the_checker_reads_every_element() -> None:
    """Oracle: a page of Streamlit's elements with a word in each place for readers."""

    def page() -> None:
        import pandas as pd
        import plotly.graph_objects as go
        import streamlit as st

        st.title("title")
        st.caption("caption")
        st.selectbox("label", ["code"], format_func=lambda _code: "option", help="help", key="box")
        st.text_input("box", placeholder="placeholder", value="typed")
        st.segmented_control("choice", ["a"], format_func=lambda _code: "segment")
        st.dataframe(pd.DataFrame({"column": ["cell"]}))
        st.plotly_chart(go.Figure(layout={"xaxis": {"title": {"text": "axis"}}}), alt="alternative")
        st.tabs(["tab"])
        st.expander("expander").html('<p aria-label="said">text</p>')
        st.download_button("download", "x", help="tooltip")
        st.button("button")
        st.toggle("toggle")
        st.progress(0.5, text="progress")

    results = {leak.rpartition(": ")[2] for leak in leaks_on(AppTest.from_function(page).run())}
    assert results == {
        *[
            "title",
            "caption",
            "label",
            "option",
            "help",
            "box",
            "placeholder",
            "choice",
            "segment",
            "column",
            "cell",
            "axis",
            "alternative",
            "tab",
            "expander",
            "said",
            "text",
        ],
        *["download", "tooltip", "button", "toggle", "progress"],
    }


# --- the pages ----------------------------------------------------------------------------------------------


def opened(script: str, query: Mapping[str, str] = {}) -> AppTest:
    """A page in the made-up language."""
    app = AppTest.from_file(str(APP), default_timeout=300)
    for name, text in {**query, "lang": CODE}.items():
        app.query_params[name] = text
    app.switch_page(f"pages/{script}.py")
    return run(app)


def problems_of(app: AppTest) -> list[str]:
    return [html.proto.body for html in app.get("html") if "note problem" in html.proto.body]


PASTED = {"corpus": "paste", "text": TEXT}
PRUNED = {"seed": "60", "size": "25"}
SPECS = {"t1": f"bpe?{urlencode(PASTED)}", "t2": f"unigram?{urlencode(PASTED)}", "text": TEXT}
SENTENCE_WORDS = " ".join(sentence.text for sentence in SENTENCES)
TABBED = {
    "train/bpe": {**PASTED, "step": "3"},
    "train/wordpiece": {**PASTED, "step": "3"},
    "train/unigram": {**PASTED, **PRUNED, "step": "3"},
    "explore/playground": {**SPECS, "chat": '[["user","θάλασσα"]]'},
    "explore/compare": PASTED,
    "explore/pipeline": {"a": f"~{TEXT}"},
}


@pytest.mark.slow
@pytest.mark.parametrize("script", TABBED)
def test_pages_with_tabs(script: str) -> None:
    """Each tab (only the open one has contents)."""
    name = Path(script).name
    app = opened(script, TABBED[script])
    assert problems_of(app) == [] and len(tabs(app)) >= 4
    results = []
    for tab in tabs(app):
        app.session_state[f"{name}.tab"] = tab
        run(app)
        results += [f"{tab} {leak}" for leak in leaks_on(app, SENTENCE_WORDS)]
    assert results == []


OTHERS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "home": ("learn/home", {"say": "~" + (pack_text("θάλασσα και Zürich") or "")}),
    "exercises": ("learn/exercises", {}),
    "challenge": ("learn/challenge", {}),
    "errata": ("learn/errata", {}),
    "matters": ("learn/matters", {}),
    "teach": ("learn/teach", {}),
    "glossary": ("learn/glossary", {"term": "tie"}),
    "renew": ("explore/renew", {**PASTED, "t1": SPECS["t1"], "a": f"~{TEXT}"}),
    "sentencepiece": (
        "train/unigram",
        {**PASTED, "method": "sentencepiece", "seed": "40", "size": "20", "step": "2"},
    ),
    "hug": ("train/bpe", {"corpus": "hug", "step": "2"}),
    "wordpiece erratum": ("train/wordpiece", {"corpus": "hug", "step": "3"}),
    "unigram erratum": ("train/unigram", {"corpus": "hug"}),
    "end": ("train/bpe", {**PASTED, "step": "999"}),
    "no text": ("train/bpe", {"corpus": "paste"}),
    "word counts": ("train/unigram", {"corpus": "counts"}),
    "file": ("train/wordpiece", {"corpus": "upload"}),
    "pattern": ("train/bpe", {**PASTED, "pattern": "own", "regex": "(θ"}),
    "number": ("explore/compare", {**PASTED, "size": "0"}),
    "bad link": ("train/bpe", {**PASTED, "ties": "9", "min": "9x", "text": "9"}),
    "lost exercise": ("learn/exercises", {"kind": "9", "level": "9", "rising": "0"}),
    "lost challenge": ("learn/challenge", {"c": "9"}),
    "no such tokenizer": ("explore/playground", {"t1": "9", "text": TEXT}),
    "lost file": ("explore/playground", {"t1": "file?9.json=9", "text": TEXT}),
    "no text to cut": ("explore/playground", {**SPECS, "text": pack_text("") or ""}),
    "pair of texts": ("explore/pipeline", {"a": f"~{TEXT}", "b": f"~{TEXT}", "template": "bert"}),
}


@pytest.mark.parametrize("case", OTHERS)
def test_pages(case: str) -> None:
    """All the others, and pages' error messages."""
    script, query = OTHERS[case]
    value = " ".join((*query, *query.values()))  # complaints about a link name its parameters
    assert leaks_on(opened(script, query), f"{value} coolest hu gs ll strawberry") == []


@pytest.mark.parametrize("kind", EXERCISE_KINDS)
def test_exercises(kind: str) -> None:
    """A question of each kind, and the verdicts on a wrong answer, a right one, and a request for the
    answer."""
    exercise = make(kind, 3, 2)
    data = f"{exercise.facts} {exercise.question.key}"
    app = opened("learn/exercises", {"kind": kind, "level": "3", "seed": "2"})
    assert leaks_on(app, data) == []
    for answer in ("9", exercise.question.key):
        text = exercise.question.grade(answer) if not isinstance(exercise.question.form, Choice) else None
        assert text is None or leaks_of_markup(text.reason, f"{data} {answer}") == []
    if isinstance(exercise.question.form, Choice):
        for option in exercise.question.form.options:
            assert leaks_of_markup(exercise.question.grade(option).reason, data) == []
    app.button(key="exercises.form.give_up").click()
    assert leaks_on(run(app), data) == []


@pytest.mark.parametrize("name", ALGORITHM_NAMES)
def test_predicting(name: str) -> None:
    """The questions about a run, one after the other, and the verdicts on the answers."""
    if name == "compare":
        return
    app = opened(f"train/{name}", {**PASTED, **(PRUNED if name == "unigram" else {}), "mode": "predict"})
    result = leaks_on(app)
    for _turn in range(4):
        app.button(key=f"{name}.predict.give_up").click()
        result += leaks_on(run(app))
    for box in app.text_input:
        if str(box.key).startswith(f"{name}.predict."):
            box.set_value("9")
    app.button(key=f"{name}.predict.check").click()
    assert result + leaks_on(run(app)) == []


def test_a_challenge_from_its_first_question_to_the_teachers_table() -> None:
    one = Challenge("", "bpe", PASTED, 0, 2, "mixed")
    app = opened("learn/challenge", {"c": one.sealed()})
    position = f"challenge-{one.name}"
    result = leaks_on(app, one.sealed())
    for _question in range(2):
        app.button(key=f"{position}.predict.give_up").click()
        result += leaks_on(run(app), one.sealed())
    app.text_input(key=f"{position}.name").set_value("Ζωή")
    run(app)
    result += [leak for code in app.code for leak in leaks(code.value) if code.value.startswith("⟦")]
    code = app.code[-1].value
    app.text_area(key="challenge.codes").set_value(f"{code}\n9")
    assert result + leaks_on(run(app), f"{one.sealed()} {code}") == [] and len(tables(app)) == 2


def test_files_to_take_away() -> None:
    """The handout, a lesson plan, the coloured page, a site; JSON and CSV are data."""
    trace = train_bpe(Corpus.from_texts([GREEK]), merges=5)
    style = Style()
    page = handout("θ", len(trace), lambda step: merge_frame(trace[step], style))
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    terms = json.loads(page.partition('id="terms">')[2].partition("</script>")[0])
    assert f'<html lang="{CODE}">' in page
    assert leaks_of_markup(page) == []
    assert [
        leak for text in strings([data["frames"], data["labels"], terms]) for leak in leaks_of_markup(text)
    ] == []
    for lesson in LESSONS:
        assert (
            leaks_of_markup(re.sub(r"<a .*?</a>", "", lesson_page(lesson, facts(), "https://example.org")))
            == []
        )
    subject = TrainedSubject("θ", trace.tokenizer(), trace, len(trace))
    assert leaks_of_markup(tokens_html(analyse(subject, f"{GREEK} 9"), Shown("text", True, style))) == []
    said = json.loads(answer_words().partition('id="words">')[2].partition("</script>")[0])
    assert [leak for text in strings([*said.values()]) for leak in leaks_of_markup(text)] == []
    assert leaks_of_markup(document(index_page([], []), ["en", "zh"]).partition("<body>")[2]) == []


def test_another_language_keeps_the_choices() -> None:
    """Select boxes, tabs and charts remember codes, not names: a choice made in English stays."""
    app = AppTest.from_file(str(APP), default_timeout=300)
    for name, text in {**PASTED, "ties": "greatest", "step": "3"}.items():
        app.query_params[name] = text
    i18n.use_language("en")
    app.switch_page("pages/train/bpe.py")
    run(app)
    app.session_state["bpe.tab"] = "Charts"
    run(app)
    app.segmented_control(key="bpe.chart").set_value("tokens")
    app.selectbox(key="bpe.normalizer").set_value("nfd")
    app.segmented_control(key="bpe.show").set_value("symbols")
    run(app)
    app.query_params["lang"] = CODE
    app.run()  # once: before it, names are in one language, after it, in the other
    i18n.use_language(CODE)
    run(app)
    entries = {
        name: app.session_state[f"bpe.{name}"]
        for name in ("ties", "normalizer", "show", "chart", "tab", "corpus")
    }
    assert entries == {
        "ties": "greatest",
        "normalizer": "nfd",
        "show": "symbols",
        "chart": "tokens",
        "tab": "⟦Charts⟧",
        "corpus": "paste",
    }
    assert leaks_on(app) == []
