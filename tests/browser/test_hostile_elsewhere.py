"""Hostile texts where they go besides the app's pages: into a notebook that is trusted, and onto paper.

Oracles: what runs sets a flag on `window`; the browser's own requests; the links of a PDF, in which Chromium writes each as a `/URI`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from tests.hostile import EVIL, MARKDOWN, MARKUP, PWNED
from tokenizers_core import Corpus, train_bpe, train_unigram
from tokensteps.notebook import html
from tokensteps.runs.corpora import pack_text

TRUSTED = """cells => {
  for (const cell of cells) document.body.append(document.createRange().createContextualFragment(cell));
}"""
"""Put outputs into a page as JupyterLab puts those of a notebook that is trusted: markup counts, and scripts in it run."""


def test_a_trusted_notebook_runs_nothing_of_a_corpus(app: str, open_page: Callable[..., Page]) -> None:
    """A corpus from elsewhere is data, also where the reader trusts the notebook: in its frames, in the tables that pandas draws, in titles."""
    words = [word for word in (*MARKUP, *MARKDOWN) if word.strip()]
    corpus = Corpus.from_counts(dict.fromkeys(words, 3), pre_tokenizer="none")
    trace = train_bpe(corpus, merges=20)
    cells = [html(trace, 7), html(trace[-1]), html(trace.tokenizer().encode("\n".join(words)))]
    cells += [trace.to_pandas()._repr_html_()]
    for word in words[:4]:
        unigram = train_unigram(Corpus.from_counts({word: 2}, pre_tokenizer="none"), 300, 100)
        cells.append(html(unigram.tokenizer().explain(word)[-1]))
    page = open_page()
    page.goto(f"{app}/_stcore/health")
    calls: list[str] = []
    page.on("request", lambda request: calls.append(request.url))
    page.goto("about:blank")
    page.evaluate(
        "{ const ran = document.createElement('script'); ran.text = 'window.trusted = 1'; document.body.append(ran); }"
    )
    assert page.evaluate("window.trusted") == 1, "scripts of the page itself do run"
    page.evaluate(TRUSTED, cells)
    assert len(page.frames) == len(cells)  # the page, and a frame for each but the table
    for frame in page.frames[1:]:
        expect(frame.locator("main")).to_be_visible()  # a step's page is unpacked by then
        assert frame.evaluate(f"window.{PWNED}") is None
    assert page.evaluate(f"window.{PWNED}") is None
    assert page.url == "about:blank"
    assert [url for url in calls if not url.startswith("about:")] == []


@pytest.mark.parametrize("page_name", ["bpe", "unigram"])
def test_printed_pages_lead_nowhere_that_a_text_wants(
    app: str, open_page: Callable[..., Page], page_name: str
) -> None:
    """No link of a text's becomes one on paper, nothing runs in the file, and printing asks nobody for anything."""
    text = "\n".join(word for word in (*MARKUP, *MARKDOWN)[::3] if word.strip())
    page = open_page()
    page.goto(
        f"{app}/{page_name}?{urlencode({'corpus': 'paste', 'text': pack_text(text) or '', 'pre': 'none', 'step': 3})}"
    )
    expect(page.locator(".ts-flipbook .where")).to_contain_text("Step 3 ")
    calls: list[str] = []
    page.on("request", lambda request: calls.append(request.url))
    printed = page.pdf()
    assert printed.startswith(b"%PDF") and len(printed) > 20_000
    links = re.findall(rb"/URI \(([^)]*)\)", printed)
    assert [link for link in links if EVIL.encode() in link or b"script" in link] == []
    assert not re.search(rb"/(JavaScript|Launch|OpenAction|EmbeddedFile|SubmitForm)\b", printed)
    assert [url for url in calls if EVIL in url] == []
    assert page.evaluate(f"window.{PWNED}") is None
