"""A class on the server's side: its members, their destinations, their browsers' messages; without a browser.

Oracles: the address, the settings of the destination's page, and the predictions' own question.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.pages.pages import APP, Page, address, book, problems, run
from tokenizers_core import Corpus, train_bpe, train_sentencepiece_bpe, train_unigram, train_wordpiece
from tokenizers_core.text.cutting import DIGITS
from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.components.classes import CLASS_CODE
from tokensteps.drawing.tokens import Style, pair_text, readable
from tokensteps.language.classes import class_labels, read_code
from tokensteps.language.i18n import use_language
from tokensteps.limits import CLASS_QUERY, DECK_BYTES
from tokensteps.pages.learn.deck import read_questions
from tokensteps.runs.rules import BPE_RULES, UNIGRAM_RULES, WORDPIECE_RULES
from tokensteps.server.stores import corpora, digest
from tokensteps.shell import classes
from tokensteps.shell.classes import (
    CLASS_ASKS,
    CLASS_JUDGES,
    CLASS_LEAD,
    CLASS_LED,
    CLASS_PRESENTS,
    Destination,
    impossible_code,
    read_destination,
)
from tokensteps.shell.walk import lesson_facts, plan_data
from tokensteps.teaching.walk import WalkPosition, stops_of

BPE = Page("bpe", "pages/train/bpe.py", BPE_RULES)  # type: ignore[arg-type]
WORDPIECE = Page("wordpiece", "pages/train/wordpiece.py", WORDPIECE_RULES)  # type: ignore[arg-type]
UNIGRAM = Page("unigram", "pages/train/unigram.py", UNIGRAM_RULES)  # type: ignore[arg-type]
HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def component_data(app: AppTest, name: str) -> Any:
    """Python's message to a component."""
    results = [
        one.proto for one in app.get("bidi_component") if one.proto.component_name.endswith(f".{name}")
    ]
    return json.loads(results[0].json) if results else None


def test_without_a_class_the_page_has_nothing_of_one() -> None:
    app = BPE.opened("corpus=hug")
    assert component_data(app, "class") is None and component_data(app, "class_page") is None
    assert component_data(app, "class_open")["labels"]["open"] == "Open a class"


def test_a_class_goes_along_and_is_led() -> None:
    """From BPE to another corpus and step, as if by a link; the code stays in the address."""
    app = BPE.opened("corpus=hug&class=kx7-p3h")
    assert address(app)["class"] == "KX7P3H"
    assert component_data(app, "class") == {
        "code": "KX7P3H",
        "labels": class_labels(),
        "typed": False,
        "presents": [False, ""],
        "plan": None,
    }
    assert component_data(app, "class_open") is None
    shown = component_data(app, "class_page")
    assert shown["page"] == "bpe" and shown["stage"] and shown["question"] is None
    assert ["corpus", "hug"] in shown["usual"]
    app.session_state[CLASS_LEAD] = Destination("bpe", {"corpus": "course", "step": "3"}, "way 1")
    run(app)
    assert address(app) == {"corpus": "course", "step": "3", "class": "KX7P3H"}
    assert BPE.value(app, "corpus") == "course"
    shown = component_data(app, "class_page")  # by its settings, the browser knows this address as drawn
    assert shown["went"] == "way 1" and shown["usual"] == [["corpus", "course"]]
    app.sidebar.number_input(key="bpe.size").set_value(3)
    run(app)  # an error: the strip waits for no stage
    assert not component_data(app, "class_page")["stage"]


@pytest.mark.parametrize(
    ("corpus", "own"), [("paste", "text=hug+pug+hug"), ("counts", "text=hug+2"), ("upload", "")]
)
def test_where_the_class_has_no_text_nobody_has_one(corpus: str, own: str) -> None:
    """The lecturer has emptied the box: no page goes on with the text, whose next steps no question hides."""
    app = BPE.opened(f"corpus={corpus}&{own}&class=KX7P3H")
    if corpus == "upload":
        app.session_state["bpe.upload_data"] = ("hug.txt", digest(b"hug pug hug"))
        corpora().put(digest(b"hug pug hug"), b"hug pug hug", 11)
        run(app)
    assert component_data(app, "class_page")["stage"]
    app.session_state[CLASS_LEAD] = Destination("bpe", {"corpus": corpus, "step": "0"}, "way 1")
    run(app)
    shown = component_data(app, "class_page")
    assert shown["went"] == "way 1" and not shown["stage"]
    assert {"text", "id", "file"}.isdisjoint(address(app))


def test_a_way_on_the_same_page_keeps_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first address on: one without it, for a moment, would tell the class the end of the plan."""
    app = BPE.opened("corpus=hug&mode=predict&ask=pair&walk=30.2&class=KX7P3H")
    switch, queries = st.switch_page, []

    def switch_page(page: str, *, query_params: dict[str, str]) -> None:
        queries.append(query_params)
        switch(page, query_params=query_params)

    monkeypatch.setattr(st, "switch_page", switch_page)
    for walk, expected in (("", "30.2"), ("30.3", "30.3")):
        way = {"page": "bpe", "query": "corpus=course", "step": 1, "nonce": f"way {walk}", "walk": walk}
        app.session_state[CLASS_LEAD] = read_destination(way)
        run(app)
        assert queries.pop()["walk"] == expected and address(app)["walk"] == expected


@pytest.mark.parametrize("way", [CLASS_LEAD, CLASS_LED])
def test_going_back_is_not_overruled_by_the_class(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither by a request before Back nor by a way with an overtaken run. Oracle: the address after Back."""
    app = BPE.opened("corpus=hug&step=1&class=KX7P3H")
    app.session_state[way] = Destination("bpe", {"corpus": "course", "step": "3"}, "way 1")
    app.query_params["step"] = "2"
    monkeypatch.setattr("tokensteps.components.address.is_history_navigation", lambda: True)
    run(app)
    assert address(app) == {"corpus": "hug", "step": "2", "class": "KX7P3H"}
    assert book(app)["seek"][0] == 2 and component_data(app, "class_page")["went"] == ""


def test_a_question_is_built_where_there_is_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    app = BPE.opened("corpus=hug&class=KX7P3H")
    app.session_state[CLASS_ASKS] = ("n1", "count", 1)
    run(app)
    result = component_data(app, "class_page")["question"]
    assert result["nonce"] == "n1" and result["question"]["key"] == ["16"]
    assert [kind for kind, _name in result["kinds"]] == ["pair", "count", "split"]
    run(app)  # before the browser has looked: the next run repeats the message
    assert component_data(app, "class_page")["question"] == result
    original, overtaken = classes.ask_class, []

    def ask_class(*arguments: Any) -> Any:  # a message in the meantime ends the run there and begins another
        if not overtaken:
            overtaken.append(arguments)
            st.rerun()
        return original(*arguments)

    monkeypatch.setattr(classes, "ask_class", ask_class)
    app.session_state[CLASS_ASKS] = ("n3", "count", 1)
    run(app)
    assert overtaken and component_data(app, "class_page")["question"] == {**result, "nonce": "n3"}
    stop = BPE.opened("corpus=parallel&step=90&walk=90.12&class=KX7P3H")  # the plan asks for the language
    stop.session_state[CLASS_ASKS] = ("n4", "mixed", 90)
    run(stop)
    assert component_data(stop, "class_page")["question"]["question"]["kind"] == "language"
    home = AppTest.from_file(str(APP), default_timeout=300)
    home.query_params["class"] = "KX7P3H"
    run(home)
    home.session_state[CLASS_ASKS] = ("n2", "pair", 0)
    run(home)
    assert component_data(home, "class_page")["question"] == {"nonce": "n2", "question": None, "kinds": []}


def test_the_lecturers_own_screen_has_the_plan_and_hidden_answers() -> None:
    """Oracle: the plan's own words; the course's second merge of the five words, u + n. Without a request,
    none of it is sent."""
    app = BPE.opened("corpus=hug&mode=predict&step=1&class=KX7P3H")
    ahead = [one for one in app.get("bidi_component") if '"ahead"' in one.proto.json]
    assert not ahead and "Merge u + n" not in str([one.proto.json for one in app.get("bidi_component")])
    app.session_state[CLASS_PRESENTS] = True, "30.2"
    run(app)
    (ahead,) = [
        json.loads(one.proto.json) for one in app.get("bidi_component") if '"ahead"' in one.proto.json
    ]
    assert ahead["on"] == "bpe" and ahead["ahead"]["step"] == 2
    assert ahead["ahead"]["say"].startswith("Merge u + n into un.")
    assert component_data(app, "class")["presents"] == [True, "30.2"]  # so that the browser needn't ask again
    plan = component_data(app, "class")["plan"]
    stop = stops_of("30", lesson_facts())[1]
    assert (plan["note"], plan["answer"], plan["number"], plan["of"]) == (
        stop.note,
        stop.answer,
        2,
        len(stops_of("30", lesson_facts())),
    )
    assert plan_data(WalkPosition("path", 1)) is None


PLAIN = "éhug hug hug pug pug pun bun bun hugs hugs 12 12 12 12 12 34"
SPLIT = {"pre_tokenizer": "whitespace_split"}
MARKED = {"pre": "whitespace_split_metaspace"}
BYTES = {"digits": "each", "bytes": "1", "coverage": "0.9"}
RULED: list[tuple[Page, dict[str, str], int, Callable[[], AnyTrace]]] = [
    (
        BPE,
        {"corpus": "hug", "longest": "3"},
        5,
        lambda: train_bpe(Corpus.from_counts(HUG), max_token_length=3),
    ),
    (
        BPE,
        {"text": PLAIN, "kept": "12 hu", "pre": "whitespace_split"},
        0,
        lambda: train_bpe(Corpus.from_texts([PLAIN], **SPLIT, user_defined_symbols=("12", "hu"))),
    ),
    (
        BPE,
        {"text": PLAIN, "letters": "6", "pre": "whitespace_split"},
        1,
        lambda: train_bpe(Corpus.from_texts([PLAIN], **SPLIT), limit_alphabet=6),
    ),
    (
        BPE,
        {"text": PLAIN, "pre": "whitespace_split", "size": "280", **BYTES},
        2,
        lambda: train_bpe(
            Corpus.from_texts([PLAIN], **SPLIT, cuts=(DIGITS["each"],)),
            280,
            byte_fallback=True,
            character_coverage=0.9,
        ),
    ),
    (
        BPE,
        {"text": PLAIN, "kind": "sentencepiece_bpe", "kept": "pu", **MARKED},
        1,
        lambda: train_sentencepiece_bpe(
            Corpus.from_texts([PLAIN], pre_tokenizer=MARKED["pre"], user_defined_symbols=("pu",))
        ),
    ),
    (
        WORDPIECE,
        {"text": PLAIN, "letters": "6", "special": ""},
        1,
        lambda: train_wordpiece(Corpus.from_texts([PLAIN], pre_tokenizer="bert"), limit_alphabet=6),
    ),
    (
        UNIGRAM,
        {"text": PLAIN, "size": "275", "special": "", **BYTES},
        0,
        lambda: train_unigram(
            Corpus.from_texts([PLAIN], pre_tokenizer=MARKED["pre"], cuts=(DIGITS["each"],)),
            vocab_size=275,
            byte_fallback=True,
            character_coverage=0.9,
        ),
    ),
]
"""Rules of a lecturer's run as its address has them, a step, and the same run trained directly."""


def test_a_run_with_rules_is_the_same_for_all() -> None:
    """One student is led from run to run, and keeps no rule of the last one. Oracle: the engine with the same
    options."""
    student = BPE.opened("corpus=course&longest=2&class=KX7P3H")
    for page, rules, number, train in RULED:
        lecturer = page.opened(urlencode({**rules, "step": number, "class": "KX7P3H"}))
        assert problems(lecturer) == []
        query = {name: value for name, value in address(lecturer).items() if name not in ("class", "step")}
        lead = {"page": page.name, "query": urlencode(sorted(query.items())), "step": number, "nonce": "n"}
        student.session_state[CLASS_LEAD] = read_destination(lead)
        run(student)
        assert address(student) == address(lecturer) and page.rules(student) == page.rules(lecturer)
        here, there = book(student), book(lecturer)
        assert (here["run"], here["seek"][0]) == (there["run"], number) and here["frames"] == there["frames"]
        kind = "piece" if page is UNIGRAM else "pair"
        lecturer.session_state[CLASS_ASKS] = (f"ask {number}", kind, number)
        run(lecturer)
        question, trace = component_data(lecturer, "class_page")["question"]["question"], train()
        style = Style(trace.corpus.pipeline.byte_level, "spaces")
        event: Any = trace[question["step"] + 1].event
        own = readable(event.piece, style) if page is UNIGRAM else pair_text(event.pair, style)
        assert question["kind"] == kind and question["key"][0] == own, rules


@pytest.mark.parametrize("walk", ["", "90.4"])
def test_the_presenter_view_leads_to_an_activity(walk: str) -> None:
    """Its page, its settings and its tab; the plan's strip only where that device walks the plan. Oracle: the
    90-minute plan's fourth activity."""
    app = BPE.opened("corpus=hug&class=KX7P3H")
    app.session_state[CLASS_LEAD] = read_destination({"stop": "90.4", "walk": walk, "nonce": "way 3"})
    run(app)
    there = {"corpus": "course", "step": "2", "class": "KX7P3H", **({"walk": walk} if walk else {})}
    assert address(app) == there
    assert app.session_state["bpe.tab"] == "Ties" and component_data(app, "class_page")["went"] == "way 3"


def test_words_are_graded_by_the_tokenizer_of_the_step() -> None:
    """Oracle: after the first merge of the five words, ug, by hand: h ug s, p u n; x is no letter of
    theirs."""
    app = BPE.opened("corpus=hug&class=KX7P3H")
    app.session_state[CLASS_JUDGES] = (4, 3, 1, ["hugs", "pun", "hug", "pug pug", "xug"])
    run(app)
    assert component_data(app, "class_page")["judged"] == {
        "round": 4, "right": ["hugs", "pun"], "wrong": ["hug", "pug pug", "xug"],
    }  # fmt: skip
    app.query_params["class"] = "CDFHJK"
    run(app)
    assert component_data(app, "class_page")["judged"] is None, "another class"


def test_a_file_of_prepared_questions_is_read_or_refused_with_reasons() -> None:
    read = read_questions("q.toml", DECK)
    assert [(one["kind"], one["right"], one["answer"], one["activity"]) for one in read["questions"]] == [
        ("choices", 1, "", "30.2"), ("free", -1, "", ""), ("parts", -1, "3", ""), ("split", -1, "h ug", ""), ("number", -1, "0.5", ""),
    ]  # fmt: skip
    assert read["questions"][2]["at"] == "bpe?corpus=hug&step=1"
    for wrong, word in (("", "question"), ("[[question]]", "ask"), ("x = [", "TOML"), ("[[question]]\nask = 3", "a text"),
                        (DECK.replace("30.2", "path.1"), "activity"), (DECK.replace("bpe?", "nowhere?"), "address"),
                        (DECK.replace("answer = 3", "answer = 3000"), "from 1 to"), (DECK.replace('"yes"]', '"no"]'), "different"),
                        (DECK + "x = 1\n", "not known"), ("#" * (DECK_BYTES + 1), "limit")):  # fmt: skip
        assert word in read_questions("q.toml", wrong)["error"], wrong[:40]
        for language in ("zh", "ja"):
            use_language(language)
            said = read_questions("q.toml", wrong)["error"]
            use_language("en")
            # The file's own words, and the parser's, stay as they are.
            assert not re.search(r"\b(must|be|from|text|a|words?|letters|than|bytes|known|add)\b", said), said


DECK = """
[[question]]
ask = "Is it <b>greedy</b>?"
choices = ["no", "yes"]
answer = "yes"
activity = "30.2"
[[question]]
ask = "Why did this pair win?"
[[question]]
ask = "A word that splits into three"
by = "parts"
answer = 3
at = "bpe?corpus=hug&step=1"
[[question]]
ask = "Split it"
by = "split"
answer = "h ug"
[[question]]
ask = "Which share?"
by = "number"
answer = 0.5
"""


@pytest.mark.parametrize(
    ("address", "aside"),
    [("", True), ("walk=30.1", False), ("walk=30.2", True), ("walk=path.1", False), ("walk=path.2", True)],
)
def test_home_leads_only_where_the_plan_is_there(address: str, aside: bool) -> None:
    """The first activity of the 30-minute plan and the first station of the path are on Home, the second ones
    aren't."""
    app = AppTest.from_file(str(APP), default_timeout=300)
    for name, text in parse_qsl(f"class=KX7P3H&{address}"):
        app.query_params[name] = text
    run(app)
    assert component_data(app, "class_page")["aside"] is aside


def test_a_typed_code_wins_over_the_address() -> None:
    """Also over a message under way, with the former address; not over a message with another class."""
    app = AppTest.from_file(str(APP), default_timeout=300)
    app.query_params["class"] = "MNPRTW"
    run(app)
    app.text_input(key="home.join").input("ｋｘ７ p3h")
    run(app)
    for there, code in (
        ("KX7P3H", "KX7P3H"),
        ("MNPRTW", "KX7P3H"),
        ("CDFHJK", "CDFHJK"),
        ("KX7P3H", "KX7P3H"),
    ):
        app.query_params["class"] = there
        run(app)
        assert address(app)["class"] == code
        data = component_data(app, "class")
        assert (data["code"], data["typed"]) == (code, code == "KX7P3H")


@pytest.mark.parametrize(
    "text",
    ["", "abc", "<b>x</b>", "KX7P3H/../open", "9" * 5000, "CDFH", "ABCDEF", "KX7P3H7", "KX7P3H&as=key", None],
)
def test_invalid_codes_are_none(text: str | None) -> None:
    assert read_code(text) is None


def test_an_impossible_code_says_why() -> None:
    """A code of the right length is told its misread letters."""
    assert impossible_code("6fw 8z8") == "No class's code has 8 and Z in it: look at it again."
    assert impossible_code("6fw j9") == "A class's code has six letters and digits: look at it again."


def test_an_impossible_code_in_a_link_is_named() -> None:
    app = BPE.opened("corpus=hug&class=ZZZZZZ")
    assert [toast.value for toast in app.toast] == [impossible_code("ZZZZZZ")]
    assert "class" not in address(app) and CLASS_CODE not in app.session_state


@pytest.mark.parametrize(
    "message",
    [None, 7, "bpe", {}, {"page": "nowhere", "query": ""}, {"page": "bpe", "query": 3},
     {"page": "bpe", "query": "a" * (CLASS_QUERY + 1)}, {"page": "bpe", "query": "&".join(["a=1"] * 99)}],
)  # fmt: skip
def test_invalid_destinations_lead_nowhere(message: Any) -> None:
    assert read_destination(message) is None


def test_a_destination_has_only_its_pages_parameters() -> None:
    positions = {
        "page": "exercises",
        "query": "kind=viterbi&corpus=hug&class=X&lang=ja&walk=30.1",
        "step": -3,
    }
    assert read_destination(positions) == Destination("exercises", {"kind": "viterbi"}, "")
