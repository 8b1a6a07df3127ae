"""The tab Code without a browser: the plain version in step comes first, the engine's functions after it.

Oracle: the sources themselves, as the component's message and `st.code` carry them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.pages import Page, problems, run, sent_messages
from tokensteps.drawing.code_steps import LISTINGS
from tokensteps.pages.train.tabs import IN_STEP
from tokensteps.runs.rules import BPE_RULES, UNIGRAM_RULES, WORDPIECE_RULES

PAGES = {
    "bpe": Page("bpe", Path("pages", "train", "bpe.py"), BPE_RULES),
    "wordpiece": Page("wordpiece", Path("pages", "train", "wordpiece.py"), WORDPIECE_RULES),
    "unigram": Page("unigram", Path("pages", "train", "unigram.py"), UNIGRAM_RULES),
}


def listings(app: AppTest) -> list[dict[str, Any]]:
    """The messages of the components for code."""
    return [message for message in sent_messages(app) if "lines" in message]


@pytest.mark.parametrize(
    ("page", "query", "listing"),
    [
        ("bpe", "corpus=hug", "bpe"),
        ("wordpiece", "corpus=hug", "wordpiece"),
        ("unigram", "corpus=hug", "course"),
        ("unigram", "corpus=hug&method=sentencepiece", "sentencepiece"),
    ],
)
def test_the_plain_version_comes_first(page: str, query: str, listing: str) -> None:
    app = PAGES[page].opened(query, "Code")
    assert problems(app) == [] and app.get("code") == []
    assert app.selectbox(key=f"{page}.function").value == IN_STEP
    (message,) = listings(app)
    assert message["lines"] == LISTINGS[listing].lines
    assert message["label"] == "The algorithm's code, with the current line marked"


def test_the_engines_functions_come_after_it() -> None:
    app = PAGES["bpe"].opened("corpus=hug&ties=greatest", "Code")
    assert "this run uses another rule" in "".join(caption.value for caption in app.caption)
    app.selectbox(key="bpe.function").set_value("Count the pairs")
    run(app)
    assert listings(app) == [] and "def count_pairs(" in app.code[0].value
