"""The home page without a browser, through Streamlit's `AppTest`: any sentence, links with one, links within the app.

Oracle: the engine's own encoding by the tokenizer that the page names.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.pages.pages import APP, bodies, problems, run
from tokensteps.catalogue.choices import Spec
from tokensteps.limits import SENTENCE_LIMIT
from tokensteps.pages.learn.home import SENTENCE, SPEC
from tokensteps.runs.settings import write_short

HOSTILE = "<img src=x onerror=alert(1)> **b** $x$ `c` :red[d] \u202e🍵"


@cache
def tokenizer() -> Any:
    run = Spec.parse(SPEC).run()
    return run.algorithm.train(run.source.corpus(run.pipeline), **run.settings).tokenizer()


def opened(**url: str) -> AppTest:
    app = AppTest.from_file(str(APP), default_timeout=60)
    for name, text in url.items():
        app.query_params[name] = text
    return run(app)


def ids(app: AppTest) -> list[int]:
    """The ids under the tokens."""
    markup = " ".join(bodies(app, "encoded first-tokens"))
    return [
        int(number)
        for numbers in re.findall(r"<small>([\d ]+)</small>", markup)
        for number in numbers.split()
    ]


def markup(app: AppTest) -> str:
    return "".join(html.proto.body for html in app.get("html"))


def test_the_page_begins_with_a_sentence_and_its_tokens() -> None:
    app = opened()
    assert app.text_input(key="home.sentence").value == SENTENCE
    assert ids(app) == tokenizer().encode(SENTENCE).ids
    assert problems(app) == [] and not app.query_params


def test_another_sentence_and_none() -> None:
    app = opened()
    app.text_input(key="home.sentence").set_value("one two")
    assert ids(run(app)) == tokenizer().encode("one two").ids
    app.text_input(key="home.sentence").set_value("")
    assert ids(run(app)) == [] and "write something" in markup(app) and "ts ways" in markup(app)


def test_a_sentence_survives_another_page() -> None:
    app = opened()
    app.text_input(key="home.sentence").set_value("one two")
    run(app)
    app.switch_page("pages/learn/errata.py")
    run(app)
    app.switch_page("pages/learn/home.py")
    assert app.session_state["home.sentence"] == "one two"
    assert ids(run(app)) == tokenizer().encode("one two").ids


def test_a_link_brings_a_hostile_sentence_which_stays_text() -> None:
    app = opened(say=write_short(HOSTILE))
    assert app.text_input(key="home.sentence").value == HOSTILE
    assert ids(app) == tokenizer().encode(HOSTILE).ids
    assert "<img" not in markup(app) and "\u202e" not in markup(app)
    spoken = [
        element.value for kind in ("markdown", "caption", "title", "header") for element in getattr(app, kind)
    ]
    assert not any("onerror" in text for text in spoken)


def test_a_long_text_is_cut_and_carried_whole() -> None:
    text = "token " * 100
    app = opened(say=write_short(text))
    assert ids(app) == tokenizer().encode(text[:SENTENCE_LIMIT]).ids
    [told] = bodies(app, "note")
    assert "600 characters" in told and f"first {SENTENCE_LIMIT}" in told


def test_a_damaged_link_is_told() -> None:
    app = opened(say="~nonsense")
    assert len(problems(app)) == 1 and ids(app) == tokenizer().encode(SENTENCE).ids


def test_an_address_without_a_page_says_what_was_meant() -> None:
    app = opened(lost="plaground?text=hug&step=2&evil=1")
    [told] = problems(app)
    assert "/plaground" in told and "Perhaps you meant Playground." in told
    [link] = [link for link in app.get("page_link") if "Open Playground" in link.proto.label]
    assert "text=hug" in link.proto.query_string and "evil" not in link.proto.query_string
    assert ids(app) == tokenizer().encode(SENTENCE).ids


def test_an_address_like_no_pages_is_told_as_text() -> None:
    app = opened(lost="<img src=x onerror=alert(1)>" + "?x=1" * 400)
    [told] = problems(app)
    assert "Choose one from the menu." in told and "<img" not in told
    assert problems(opened(lost="home")) == []
