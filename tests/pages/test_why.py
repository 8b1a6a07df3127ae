"""The playground's tab “Why these tokens?” without a browser, through Streamlit's `AppTest`: words, splits, links, what can't be asked.

Oracles: the engine on GPT-2's own merges, and the `tokenizers` library for the tokens.
"""

from __future__ import annotations

import re
from html import unescape

from streamlit.testing.v1 import AppTest

from tests.pages.pages import bodies, problems, run
from tests.pages.test_playground import address, opened
from tokensteps.catalogue.choices import GPT2
from tokensteps.catalogue.shipped import gpt2
from tokensteps.pages.explore.why.why_state import WHY_TAB

HOSTILE = "<img src=x onerror=alert(1)> **b** $x$ \u202e"


def why_opened(**url: str) -> AppTest:
    return opened(**{"t1": GPT2, "text": "We settled in.", **url})


def plain(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


def reason(app: AppTest) -> str:
    [found] = [one.proto.body for one in app.get("html") if 'class="ts reason"' in one.proto.body]
    return plain(found)


def test_a_link_shows_the_word_its_stages_and_the_reason() -> None:
    app = why_opened(why=" settled", split="␣sett led")
    assert app.session_state["playground.tab"] == WHY_TAB and problems(app) == []
    assert app.selectbox(key="playground.why.word").value == " settled"
    [told] = bodies(app, "story why")
    assert "ByteLevel" in told and "Ġsettled" in plain(told).replace("␣", "Ġ")
    why = gpt2().why_not("Ġsettled", ("Ġsett", "led"))
    assert why.kind == "unreachable" or why.kind == "not_in_vocabulary" or why.kind == "merged_across"
    assert "rank" in reason(app) or "vocabulary" in reason(app)
    assert {name: address(app)[name] for name in ("why", "split")} == {
        "why": " settled",
        "split": "␣sett led",
    }


def test_another_word_and_another_split_are_chosen() -> None:
    app = why_opened(why=" settled")
    app.selectbox(key="playground.why.word").select("We")
    run(app)
    assert address(app)["why"] == "We" and "split" not in address(app)
    app.selectbox(key="playground.why.other").select("W · e")
    run(app)
    assert "Both tokens are made on the way" in reason(app)
    app.session_state["playground.tab"] = "Counts"
    assert "why" not in address(run(app))
