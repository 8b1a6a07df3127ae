"""Texts, also hostile ones, outside of the app's pages: in a trusted notebook, and on paper.

Oracles: a running script sets a flag on `window`; the browser's own requests; the links of a PDF, each
written by Chromium as a `/URI`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final
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
"""Put outputs into a page as JupyterLab puts a trusted notebook's: markup counts, and scripts in it run."""


@pytest.mark.slow
def test_a_trusted_notebook_runs_nothing_of_a_corpus(app: str, open_page: Callable[..., Page]) -> None:
    """A corpus from elsewhere is data, also where the reader trusts the notebook: in its frames, in tables
    drawn by pandas, in titles."""
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


THEMES: Final = {
    "JupyterLab": ("body", "data-jp-theme-light", "true", "false"),
    "VS Code": ("body", "class", "vscode-light", "vscode-dark"),
    "VS Code, high contrast": (
        "body",
        "class",
        "vscode-high-contrast-light vscode-high-contrast",
        "vscode-high-contrast",
    ),
    "Colab": ("html", "theme", "light", "dark"),
    "marimo": ("html", "class", "light", "dark"),
}
"""A notebook's mark of its theme, light and dark: the element, the attribute. VS Code's: `applyStyles` in the
page around its webviews; Colab's: its own styles for data frames, `[theme=dark] .colab-df-convert`."""


def test_frames_follow_the_notebook_around_them_in_theme_and_keys(open_page: Callable[..., Page]) -> None:
    page = open_page(own="themes")
    page.emulate_media(color_scheme="null")  # frames would follow it instead
    page.goto("about:blank")
    page.evaluate(TRUSTED, [html(train_bpe(Corpus.from_counts({"hug": 3}), merges=1)[1])])
    frame = page.frames[1]
    expect(frame.locator("main")).to_be_visible()
    for name, (element, attribute, *values) in THEMES.items():
        for value in values:
            node = page.locator(element)
            node.evaluate("(node, [name, value]) => node.setAttribute(name, value)", [attribute, value])
            dark = str(value == values[1]).lower()
            frame.wait_for_function(f"matchMedia('(prefers-color-scheme: dark)').matches === {dark}")
            lightness = frame.evaluate("getComputedStyle(document.documentElement).backgroundColor")
            assert (lightness == "rgb(20, 22, 26)") == (value == values[1]), (name, value)
            node.evaluate("(node, name) => node.removeAttribute(name)", attribute)
    # And the keys for saving are the notebook's.
    page.evaluate(
        "addEventListener('keydown', ({ key, ctrlKey }) => { window.saved = key === 's' && ctrlKey; })"
    )
    frame.locator("h1").click()
    page.keyboard.press("Control+s")
    page.wait_for_function("window.saved")


@pytest.mark.slow
@pytest.mark.parametrize("page_name", ["bpe", "unigram"])
def test_printed_pages_have_no_links_from_a_text(
    app: str, open_page: Callable[..., Page], page_name: str
) -> None:
    """No link of a text's becomes one on paper, nothing runs in the file, and printing asks nobody for
    anything."""
    text = "\n".join(word for word in (*MARKUP, *MARKDOWN)[::3] if word.strip())
    page = open_page()
    page.goto(
        f"{app}/{page_name}?{urlencode({'corpus': 'paste', 'text': pack_text(text) or '', 'pre': 'none', 'step': 3})}"
    )
    expect(page.locator(".ts-flipbook .where").first).to_contain_text("Step 3 ")
    calls: list[str] = []
    page.on("request", lambda request: calls.append(request.url))
    printed = page.pdf()
    assert printed.startswith(b"%PDF") and len(printed) > 20_000
    links = re.findall(rb"/URI \(([^)]*)\)", printed)
    assert [link for link in links if EVIL.encode() in link or b"script" in link] == []
    assert not re.search(rb"/(JavaScript|Launch|OpenAction|EmbeddedFile|SubmitForm)\b", printed)
    assert [url for url in calls if EVIL in url] == []
    assert page.evaluate(f"window.{PWNED}") is None
