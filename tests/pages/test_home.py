"""The home page without a browser, through Streamlit's `AppTest`: any sentence, links with one, links within
the app.

Oracle: the engine's own encoding by the tokenizer named on the page.
"""

from __future__ import annotations

import pickle
import re
from functools import cache
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.pages import APP, Page, address, bodies, book, problems, run
from tokensteps.catalogue.choices import TokenizerSpec
from tokensteps.limits import SENTENCE_LIMIT
from tokensteps.pages.learn.home import SENTENCE, SPEC
from tokensteps.runs.rules import BPE_RULES
from tokensteps.runs.settings import write_short
from tokensteps.server.traces import pickled

ROOT = APP.parent
HOSTILE = "<img src=x onerror=alert(1)> **b** $x$ `c` :red[d] \u202e🍵"


@cache
def tokenizer() -> Any:
    """The tokenizer of the page's named run, trained by the page; every process trains alike
    (tests/app/server/test_workers.py)."""
    data = pickled(TokenizerSpec.parse(SPEC).run().name)
    assert data is not None, "the page's run is another"
    return pickle.loads(data).tokenizer()


def opened(**url: str) -> AppTest:
    app = AppTest.from_file(str(APP), default_timeout=300)
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
    [message] = bodies(app, "note")
    assert "600 characters" in message and f"first {SENTENCE_LIMIT}" in message


def test_the_start_comes_first_then_the_sentence_then_the_three_algorithms() -> None:
    """One button, the box, the heading; a sentence's cost in characters and words is folded, and GPT-2's
    tokens have no ids."""
    app = opened()
    assert next(head.value for head in app.header) == "Three ways to learn the pieces"
    assert app.get("page_link")[0].proto.label == "New here? Start"
    [folded] = [one for one in app.expander if "Why subwords?" in one.label]
    assert not folded.proto.expanded
    [real] = bodies(app, "encoded real-tokens")
    assert "<small>" not in real and "<small>" in bodies(app, "encoded first-tokens")[0]


def test_visitors_at_the_first_station_are_not_sent_there() -> None:
    """The question stands above the page already."""
    labels = [link.proto.label for link in opened(walk="path.1").get("page_link")]
    assert not [label for label in labels if label in ("New here? Start", "Continue with station 1")]
    assert "New here? Start" in [link.proto.label for link in opened().get("page_link")]


def test_a_damaged_link_is_reported() -> None:
    app = opened(say="~nonsense")
    assert len(problems(app)) == 1 and ids(app) == tokenizer().encode(SENTENCE).ids


def test_an_address_without_a_page_suggests_one() -> None:
    app = opened(lost="plaground?text=hug&step=2&evil=1")
    [message] = problems(app)
    assert "/plaground" in message and "Perhaps you meant Playground." in message
    [link] = [link for link in app.get("page_link") if "Open Playground" in link.proto.label]
    assert "text=hug" in link.proto.query_string and "evil" not in link.proto.query_string
    assert ids(app) == tokenizer().encode(SENTENCE).ids


def test_an_unknown_address_is_shown_as_text() -> None:
    app = opened(lost="<img src=x onerror=alert(1)>" + "?x=1" * 400)
    [message] = problems(app)
    assert "Choose one from the menu." in message and "<img" not in message
    assert problems(opened(lost="home")) == []


# --- a plan, walked along -----------------------------------------------------------------------------------

BPE = Page("bpe", ROOT / "pages" / "train" / "bpe.py", BPE_RULES)


def test_a_plan_leads_on_within_a_page() -> None:
    """The same page with another stop in its address: its settings, step and tab are the stop's."""
    app = BPE.opened("corpus=hug&mode=predict&ask=pair&walk=90.2")
    assert (BPE.value(app, "corpus"), BPE.value(app, "mode")) == ("hug", "predict")
    app.query_params.clear()
    for name, text in {"corpus": "course", "step": "2", "walk": "90.4"}.items():
        app.query_params[name] = text
    run(app)
    assert (BPE.value(app, "corpus"), BPE.value(app, "mode")) == ("course", "watch")
    assert book(app)["seek"][0] == 2 and app.session_state["bpe.tab"] == "Ties"
    app.query_params.clear()
    run(app)  # as after a link in the sidebar: the place is written again
    assert address(app)["walk"] == "90.4" and BPE.value(app, "corpus") == "course"


@pytest.mark.parametrize("stop", ["", "30", "30.0", "30.99", "31.1", "path.11", "30.٢", "<b>.1", "9" * 5000])
def test_an_invalid_stop_is_no_plan(stop: str) -> None:
    app = opened(walk=stop)
    assert "walk.position" not in app.session_state and problems(app) == []
