"""The WordPiece page without a browser, through Streamlit's `AppTest`: examples, defaults, links, complaints.

Sources and oracles: `golden/wordpiece_*.json` (the Hugging Face course, recomputed); the engine, asked for
the same corpus and settings; the flipbook's own message. The common parts of the training pages are tried in
`test_bpe.py`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.test_wordpiece import golden
from tests.pages.pages import PASTED, SMALL, Page, book, problems, run, tabs
from tests.pages.test_bpe import TABS as SHARED_TABS
from tokenizers_core import Corpus, train_wordpiece
from tokensteps.drawing.narration.merging import MERGING_STOPS
from tokensteps.runs.corpora import pack_text
from tokensteps.runs.rules import WORDPIECE_RULES

OWN_TABS = ["Score and count", "The library's WordPiece"]
TABS = [*SHARED_TABS[:3], *OWN_TABS, *SHARED_TABS[3:-1]]  # without the sentence on the kinds of BPE
PAGE = Page("wordpiece", Path("pages", "train", "wordpiece.py"), WORDPIECE_RULES)
opened, value, rules, usual, with_tab = PAGE.opened, PAGE.value, PAGE.rules, PAGE.usual, PAGE.with_tab


def test_a_bare_address_is_the_course() -> None:
    app = opened()
    assert app.title[0].value == "WordPiece"
    assert value(app, "corpus") == "course" and problems(app) == [] and app.query_params == {}
    assert tabs(app) == TABS
    figures = golden("course")
    message = book(app)
    assert message["last"] == len(figures["steps"]) == 25
    assert message["frames"][0]["label"] == "Start"
    for frame, step in zip(message["frames"][1:], figures["steps"], strict=True):
        first, second = step["pair"]
        assert frame["say"].startswith(f"Merge {first} + {second} into {step['token']}. Score = ")
        numbers = f"{step['freq']} / ({step['left_freq']} × {step['right_freq']}) = {step['score']}"
        assert numbers in frame["say"]
    assert message["frames"][-1]["status"] == "vocabulary 70"


def test_the_defaults_of_the_course_and_of_hug() -> None:
    """On BPE's page the same examples have others."""
    course = rules(opened("corpus=course"))
    assert (course["pre"], course["size"]) == ("bert", 70)
    assert course["special"] == " ".join(golden("course")["special_tokens"])
    hug = rules(opened("corpus=hug"))
    assert (hug["pre"], hug["size"], hug["special"]) == ("whitespace_split", None, "")


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_every_example_renders_and_brings_its_settings(name: str) -> None:
    app = opened("corpus=highest" if name != "highest" else "corpus=hug")
    app.sidebar.selectbox(key="wordpiece.ties").set_value("greatest")
    run(app)
    app.sidebar.selectbox(key="wordpiece.corpus").set_value(name)
    run(app)
    assert rules(app) == usual(name) and problems(app) == []
    assert {key for key in app.query_params if key != "step"} == {"corpus"}
    assert book(app)["frames"][0]["label"] == "Start" and book(app)["seek"][0] == 0
    again = opened(f"corpus={name}&step={book(app)['last']}")
    assert rules(again) == usual(name) and problems(again) == []
    assert any(reason in book(again)["frames"][-1]["say"] for reason in MERGING_STOPS.values())


def test_a_link_sets_everything() -> None:
    text = pack_text(PASTED)
    query = (
        f"corpus=paste&text={text}&pre=whitespace_split&normalizer=bert_uncased&ties=greatest&size=22&min=2"
    )
    app = opened(f"{query}&special=%5BUNK%5D&lines=0&step=2")
    assert problems(app) == []
    expected = {
        "corpus": "paste", "paste_text": PASTED, "pre": "whitespace_split", "normalizer": "bert_uncased",
        "ties": "greatest", "size": 22, "min": 2, "special": "[UNK]", "lines": False,
    }  # fmt: skip
    assert {name: value(app, name) for name in expected} == expected
    corpus = Corpus.from_texts([PASTED], "bert_uncased", "whitespace_split")
    trace = train_wordpiece(corpus, 22, min_frequency=2, special_tokens=["[UNK]"], tie_rule="greatest")
    message = book(app)
    assert message["seek"][0] == 2 and message["last"] == len(trace) >= 2
    for step in range(1, len(trace) + 1):
        first, second = trace.pair_of(step)
        assert message["frames"][step]["say"].startswith(f"Merge {first} + {second} into ")


@pytest.mark.parametrize("tab", TABS)
@pytest.mark.parametrize("step", [0, 3, 9])
def test_every_tab_renders_at_every_kind_of_step(tab: str, step: int) -> None:
    app = opened(f"corpus=hug&step={step}", tab)
    assert problems(app) == [] and book(app)["seek"][0] == step


def test_every_tab_renders_when_there_is_nothing_to_merge() -> None:
    app = opened(f"corpus=paste&text={pack_text('a')}")
    assert book(app)["last"] == 0
    for tab in TABS:
        assert problems(with_tab(app, tab)) == [], tab


def test_the_library_tab_has_three_groups() -> None:
    app = opened("corpus=hug&step=9")
    with_tab(app, "The library's WordPiece")
    (story,) = [html.proto.body for html in app.get("html") if "ts story" in html.proto.body]
    for group in ("Learned by both: ", "Only here, by score: ", "Only in the library, by count: "):
        assert group in story


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("corpus=nope", "corpus=&#x27;nope&#x27;"),
        ("corpus=course&size=abc", "size=&#x27;abc&#x27;"),
        ("corpus=course&pre=byte_level", "pre=&#x27;byte_level&#x27;"),
        ("corpus=course&ties=%3Cb%3E", "ties=&#x27;&lt;b&gt;&#x27;"),
        ("corpus=paste&text=eNoLdamaged", "The text in this link is damaged"),
    ],
)
def test_damaged_links_are_reported(query: str, says: str) -> None:
    """BPE's pre-tokenizers are none of this page's."""
    app = opened(query)
    assert len(problems(app)) == 1 and says in problems(app)[0]
    if "paste" not in query:
        assert book(app)["last"] == 25


@pytest.mark.parametrize(("step", "there"), [("99", 25), ("-1", 0), ("abc", 0)])
def test_damaged_steps_are_clamped(step: str, there: int) -> None:
    PAGE.clamps(step, there)


def test_invalid_numbers() -> None:
    PAGE.refuses_numbers(
        opened("corpus=course"),
        ("size", 3, "Vocabulary size: 3 is below the"),
        ("size", 0, "0 is out of range; choose a number from 1 to"),
        ("min", 0, "0 is out of range; choose a number from 1 to 1,000,000."),
    )


def test_an_empty_text_explains_how_to_begin_and_a_blank_one_is_reported() -> None:
    app = opened("corpus=paste")
    assert problems(app) == [] and not app.sidebar.text_area
    app.text_area(key="wordpiece.paste_text").set_value(" \n ")
    run(app)
    assert len(problems(app)) == 1 and "Write or paste a text first." in problems(app)[0]
    app.main.text_area(key="wordpiece.paste_text").set_value("a b ab")
    run(app)
    assert problems(app) == [] and book(app)["last"] == 1


def test_unreadable_counts_name_the_line() -> None:
    app = opened("corpus=counts")
    app.text_area(key="wordpiece.counts_text").set_value("hug 10\npug five")
    run(app)
    assert "Line 2 (&#x27;pug five&#x27;)" in problems(app)[0]


def test_the_same_words_in_numbers_of_ones_own_get_the_erratum_too() -> None:
    """The erratum goes by the corpus, not by the example's name."""
    app = opened("corpus=counts")
    app.text_area(key="wordpiece.counts_text").set_value("hug 10\npug 5\npun 12\nbun 4\nhugs 5")
    run(app)
    assert ["Erratum" in frame["html"] for frame in book(app)["frames"]] == [step == 3 for step in range(10)]


def test_hostile_text_stays_text_in_every_message() -> None:
    hostile = "<img/src=x/onerror=bad()> </script><script>bad()</script> {pair} {numbers} \x00 \u202e"
    app = opened(f"corpus=paste&pre=whitespace_split&special=%3Cb%3E&text={pack_text(hostile)}")
    assert problems(app) == []
    for frame in book(app)["frames"]:
        drawn = frame["html"] + frame["label"]
        assert "<img" not in drawn and "<script" not in drawn
    for tab in TABS:
        with_tab(app, tab)
        for html in app.get("html"):
            assert "<img" not in html.proto.body and "<script" not in html.proto.body
