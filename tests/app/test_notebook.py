"""Outputs in a notebook (`tokensteps/notebook.py`), and Python's printing of the engine's objects.

Oracles: the app's frames of the same steps; an HTML parser, to tell text from markup; the CSV of the command
line. The notebooks in docs/notebooks are run by a real kernel (nbclient), where it is installed.
"""

from __future__ import annotations

import base64
import csv
import gzip
import io
import json
import math
import random
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from tokenizers_core import (
    Corpus,
    TokenizersCoreError,
    compare,
    train_bpe,
    train_paritybpe,
    train_pickybpe,
    train_superbpe,
    train_unigram,
    train_wordpiece,
)
from tokenizers_core.files.exports import trace_to_csv
from tokensteps import notebook
from tokensteps.drawing.tokens import Style
from tokensteps.limits import HANDOUT_STEPS
from tokensteps.notebook import (
    NOTEBOOK_ENCODING,
    NOTEBOOK_STEP,
    NOTEBOOK_TOKENS,
    SELF_SHOWING,
    html,
    show,
    to_pandas,
)

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
HUG = Corpus.from_counts({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
HOSTILE = "</script></iframe><img/src=x/onerror=alert(1)>\u202e\"'"
RUNS: dict[str, Any] = {
    "bpe": train_bpe(HUG, merges=5),
    "wordpiece": train_wordpiece(HUG, vocab_size=14),
    "unigram": train_unigram(HUG, 40, 12),
    "compare": compare(HUG, 12),
    "superbpe": train_superbpe(Corpus.from_texts(["by the way", "on the way"]), 20, transition=16),
    "pickybpe": train_pickybpe(HUG),
    "paritybpe": train_paritybpe({"en": HUG, "de": Corpus.from_counts({"hugs": 26})}, merges=5),
}
NAMES = {"superbpe": "SuperBPE", "pickybpe": "PickyBPE", "paritybpe": "Parity-aware BPE"}


class Frames(HTMLParser):
    """The elements of a fragment, with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def page(markup: str) -> tuple[str, str]:
    """The document within the one frame, and the frame's permissions."""
    (attributes,) = [attributes for tag, attributes in Frames(markup).tags if tag == "iframe"]
    assert attributes["title"] is not None
    document = str(attributes["srcdoc"])
    packed = re.search('<script type="text/plain">(.*?)</script>', document)
    body = gzip.decompress(base64.b64decode(packed[1])).decode() if packed else ""
    return document + body, str(attributes["sandbox"])


def text_of(markup: str) -> str:
    return unescape(re.sub("<[^>]*>", "", markup))


STRIPPED = re.compile(r"<(style|script|iframe).*?</\1>", re.DOTALL)
"""The tags that viewers take out of an untrusted notebook, with their contents."""


@pytest.mark.parametrize("name", [*RUNS, "encoding", "lattice"])
def test_the_rest_without_frames_styles_and_scripts(name: str) -> None:
    """A note with an explanation and advice, and the step as text; a step takes 20 KB at most, an encoding
    10."""
    tokenizer = RUNS["unigram"].tokenizer()
    shown = {"encoding": tokenizer.encode("hugs pun"), "lattice": tokenizer.explain("hugs")[2]}
    one = shown.get(name) or RUNS[name][2]
    whole = one._repr_html_()
    assert len(whole.encode()) <= (8_000 if name == "encoding" else 12_500)
    left = STRIPPED.sub("", whole)
    assert {attribute for _tag, attributes in Frames(left).tags for attribute in attributes} == {"class"}
    text = text_of(left)
    assert "TokenSteps shows" in text and "Trust Notebook" in text
    tokens = re.findall("<code>(.*?)</code>", left)
    assert tokens and (name != "encoding" or tokens == list(one.tokens))
    if name == "bpe":  # after the merge, once, and each word with its count
        words = ["h ug × 10", "p ug × 5", "p un × 12", "b un × 4", "h ug s × 5"]
        assert [" ".join(text_of(item).split()) for item in re.findall("<li>(.*?)</li>", left)] == words


@pytest.mark.parametrize("name", RUNS)
def test_marimo_gets_the_frame_without_the_script(name: str) -> None:
    """With a script in it, marimo puts the whole into a frame of its own; its protocol:
    https://docs.marimo.io/guides/integrating_with_marimo/displaying_objects/."""
    for what in (RUNS[name], RUNS[name][1], show(RUNS[name], height=300)):
        whole = what._repr_html_()
        kind, markup = what._mime_()
        assert kind == "text/html" and "<script" in whole and "<script" not in markup
        assert page(markup) == page(whole)


def prose(length: int) -> str:
    """As many characters of the project's own documents, with pieces of code, one after another."""
    documents = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "docs").glob("*.md")))
    return (documents * (1 + length // len(documents)))[:length]


def random_letters(length: int) -> str:
    """Incompressible: thousands of letters, each as probable as any."""
    lots = random.Random(length)
    return "".join(chr(lots.randrange(0x4E00, 0x9F00)) for _ in range(length))


FOUR: Final = "The cat sat on the mat. A dog sat on the log. The cat saw a dog. They sat."
CORPORA: Final = {
    "four sentences": lambda: Corpus.from_texts([FOUR]),
    "10 KB of prose": lambda: Corpus.from_texts([prose(10_000)]),
    "1 MB of prose": lambda: Corpus.from_texts([prose(1_000_000)]),
    "long random words": lambda: Corpus.from_counts(
        {random_letters(length) * 2: 3 for length in range(296, 304)}, pre_tokenizer="whitespace"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPORA)
def test_a_step_takes_20_kilobytes_at_most_and_an_encoding_10(name: str) -> None:
    """Of any corpus. A frame holds its words, pairs and tokens, compressed."""
    corpus = CORPORA[name]()
    bpe = train_bpe(corpus, merges=60)
    letters = len({letter for word in corpus.words for letter in word})
    unigram = train_unigram(corpus, letters + 2000, letters + 20)
    wordpiece = train_wordpiece(corpus, 2 * letters + 40)
    for trace in (bpe, unigram, wordpiece):
        for step in {0, 1, len(trace) // 2, len(trace)}:
            size = len(html(trace[step]).encode())
            assert size <= NOTEBOOK_STEP, (trace, step)
        word = max(corpus.words, key=len)
        explained = trace.tokenizer().explain(word)
        assert len(html(explained[len(explained)]).encode()) <= NOTEBOOK_STEP
        encoding = trace.tokenizer().encode(" ".join([*corpus.words][:2000]))
        assert len(html(encoding).encode()) <= NOTEBOOK_ENCODING


def test_tokens_are_cut_where_a_step_would_take_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """An ellipsis marks the cut: in the frame and in the text beside it."""
    words = {random_letters(length): 1 for length in range(100, 120)}
    trace = train_bpe(Corpus.from_counts(words, pre_tokenizer="whitespace"), merges=1500)
    whole = len(html(trace[-1]).encode())
    for room, letters in ((whole - 1, 60), (12_000, 8)):
        monkeypatch.setattr(notebook, "NOTEBOOK_STEP", room)
        cut = html(trace[-1])
        assert len(cut.encode()) <= room < whole
        for markup in (page(cut)[0], cut):
            tokens = re.findall("<(?:code|bdi)[^>]*>([^<]+…)</", markup)
            assert tokens and {len(token) for token in tokens} == {letters + 1}


def message(document: str) -> dict[str, Any]:
    """The message to the flipbook in a document."""
    return json.loads(document.partition('id="data">')[2].partition("</script>")[0])


@pytest.mark.parametrize("name", RUNS)
def test_a_run_shows_itself_step_by_step(name: str) -> None:
    trace: Any = RUNS[name]
    document, allowed = page(trace._repr_html_())
    assert allowed == "allow-scripts" and "default-src 'none'" in document
    data = message(document)
    assert data["last"] == len(trace) and len(data["frames"]) == len(trace) + 1
    draw = notebook.STEP_FRAMES[next(kind for kind in type(trace[0]).__mro__ if kind in notebook.STEP_FRAMES)]
    style = Style(trace.corpus.pipeline.byte_level, special_tokens=frozenset(trace.special_tokens))
    assert name not in NAMES or f"<title>{NAMES[name]}</title>" in document
    assert [one["html"] for one in data["frames"]] == [draw(snapshot, style).html for snapshot in trace]
    still = page(trace[2]._repr_html_())[0]
    assert text_of(still.partition('<div data-beat="2">')[2].partition("</main>")[0]).strip() == text_of(
        data["frames"][2]["html"]
    )


def test_it_opens_at_a_given_step() -> None:
    trace = RUNS["bpe"]
    assert message(page(show(trace, step=3)._repr_html_())[0])["seek"][0] == 3
    assert message(page(show(trace, step=-1)._repr_html_())[0])["seek"][0] == len(trace)
    for step in np.array([3, -1]):  # NumPy's numbers, as the notebooks of data have them
        assert show(trace, step=step)._repr_html_() == show(trace, step=int(step))._repr_html_()
        assert html(trace, step) == html(trace, int(step))
    assert "height: 300px" in show(trace, height=300)._repr_html_()
    assert repr(show(trace)) == repr(trace)
    with pytest.raises(IndexError, match="step 99 is outside this trace"):
        show(trace, step=99)
    with pytest.raises(TypeError, match="int can't be shown"):
        show(3)
    for step in ("1", None, 1.5):
        for shown in (show, html):
            with pytest.raises(TypeError, match=r"step=.* can't be used here; give a whole number"):
                shown(trace, step=step)  # type: ignore[arg-type]
    for height in ("300", math.nan, math.inf, 0, -5):
        with pytest.raises(TokenizersCoreError, match=r"height=.* such as 300"):
            show(trace, height=height)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="give a whole run, as train_bpe returns it"):
        to_pandas(trace[1])  # type: ignore[arg-type]


def test_a_word_shows_its_search_and_a_text_its_tokens() -> None:
    unigram = RUNS["unigram"].tokenizer()
    explained = unigram.explain("hugs")
    data = message(page(html(explained[0].lattice))[0])
    assert data["seek"][0] == data["last"] == len(explained)
    for name in ("bpe", "wordpiece"):
        assert message(page(html(RUNS[name].tokenizer().explain("hugs")))[0])["last"] > 0
    encoding = unigram.encode("hugs")
    document, allowed = page(encoding._repr_html_())
    assert (
        allowed == "allow-scripts"
        and document.count('<script type="module">') == 1
        and "default-src 'none'" in document
    )
    drawn = document.partition('<div class="pane">')[2].partition("</div>")[0]
    assert re.sub("<[^>]*>", "", drawn) == "".join(encoding.tokens)
    assert ", ".join(map(str, encoding.ids)) in document


def test_hostile_text_stays_text() -> None:
    trace = train_bpe(Corpus.from_counts({HOSTILE: 3}), merges=60)
    shown = (
        trace,
        trace[-1],
        trace.tokenizer().encode(HOSTILE),
        trace.tokenizer().explain(HOSTILE),
        compare(HUG, 12),
    )
    for one in shown:
        document, allowed = page(one._repr_html_())
        assert "allow-same-origin" not in allowed
        assert {tag for tag, _attributes in Frames(document).tags} & {"img", "iframe"} == set()
    unigram = train_unigram(Corpus.from_counts({HOSTILE: 3}), 200, 60)
    title = dict(Frames(html(unigram.tokenizer().explain(HOSTILE))).tags)["iframe"]["title"]
    assert title == HOSTILE


def test_a_long_run_stays_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many steps and words: frames up to a limit, and the page says how many of how many."""
    letters = "abcd<&'\""  # some take six times as much room as others
    counts = {f"{a}{b}{c}": 1 + ord(c) for a in letters for b in letters for c in letters}
    trace = train_bpe(Corpus.from_counts(counts), merges=HANDOUT_STEPS + 50)
    room = 100_000
    monkeypatch.setattr(notebook, "NOTEBOOK_ROOM", room)
    data = message(document := page(whole := trace._repr_html_())[0])
    assert data["last"] > 0
    assert f"The first {data['last']} of {len(trace):,} steps." in document
    assert data["labels"]["step"] == f"Step {{step}} of the first {{last}} of {len(trace):,}"
    # Beyond the limit of a page, one step.
    assert 'id="data"' not in page(html(trace, HANDOUT_STEPS + 20))[0]
    monkeypatch.setattr(notebook, "NOTEBOOK_ROOM", 1)
    start = trace._repr_html_()
    assert message(page(start)[0])["last"] == 0  # the start has room
    assert (
        len(whole.encode()) <= room + len(start.encode()) + 10_000
    )  # for terms explained only by later steps
    tokens = trace.tokenizer().encode("abc" * 5000)
    assert len(tokens) > NOTEBOOK_TOKENS
    assert f"The first {NOTEBOOK_TOKENS:,} of {len(tokens):,} tokens." in page(tokens._repr_html_())[0]


def test_a_table_of_the_run_has_every_text_as_it_is() -> None:
    trace = train_bpe(Corpus.from_counts({"NA": 3, "nan": 2, "007": 2, "=1+1": 2, "null": 1}), merges=9)
    rows = list(csv.DictReader(io.StringIO(trace_to_csv(trace, plain=True))))
    table = trace.to_pandas()
    assert table["token"].tolist() == [row["token"] for row in rows] and "NA" in table["token"].tolist()
    assert table["freq"].tolist() == [int(row["freq"]) for row in rows]
    for name in NAMES:
        run = RUNS[name]
        assert run.to_pandas()["kind"].tolist() == [one.event.kind for one in run[1:]]
    chosen = RUNS["paritybpe"].to_pandas()["language"].tolist()
    assert chosen == [one.event.language for one in RUNS["paritybpe"][1:]] and {*chosen} == {"en", "de"}
    numbered = train_paritybpe({"01": HUG, "02": Corpus.from_counts({"hugs": 26})}, merges=5)
    assert {*numbered.to_pandas()["language"]} == {"01", "02"}
    pruned = RUNS["unigram"].to_pandas()
    assert pruned["loss"].dtype == float and len(pruned) == len(RUNS["unigram"])


def test_the_printed_form_is_a_line_or_two() -> None:
    corpus = Corpus.from_texts([f"word{number} " * 3 for number in range(500)])
    bpe, unigram = train_bpe(corpus, merges=50), train_unigram(corpus, 400, 100)
    long = bpe.tokenizer().encode("word " * 500)
    assert repr(bpe) == "<BpeTrace: 50 steps, stop_reason='max_merges'>"
    assert repr(bpe[7]) == "<MergeSnapshot: step 7 of 50, merge>"
    assert repr(bpe.tokenizer().encode("word")).startswith("Encoding(tokens=['")
    lattice = unigram[-1].lattice("word1" * 20)
    for one in (
        corpus,
        bpe,
        bpe[7],
        unigram,
        unigram[1],
        bpe.tokenizer(),
        long,
        lattice,
        unigram.tokenizer().explain("word1"),
        compare(HUG, 12),
    ):
        assert len(repr(one)) < 1500 and repr(one).count("\n") < 2, one


def test_the_engine_knows_nothing_of_it() -> None:
    """The method comes with the import of this module, and is on the engine's own classes."""
    for kind in SELF_SHOWING:
        assert kind.__dict__["_repr_html_"] is html
        assert kind.__module__.startswith("tokenizers_core.")


@pytest.mark.many(3)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_from_top_to_bottom(path: Path) -> None:
    nbclient = pytest.importorskip("nbclient", reason="make dev installs it")
    pytest.importorskip("ipykernel", reason="make dev installs it")
    import nbformat

    written = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in written.cells), (
        "kept without what it shows: it is run anew"
    )
    done = nbclient.NotebookClient(
        written, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}
    ).execute()
    shown = [
        unescape(output.data["text/html"])
        for cell in done.cells
        for output in cell.get("outputs", [])
        if "text/html" in output.get("data", {})
    ]
    assert len(shown) >= 3 and all("<iframe" in one or "<table" in one for one in shown)


def test_there_is_a_notebook_for_each_algorithm() -> None:
    assert {path.stem for path in NOTEBOOKS} == {"bpe", "wordpiece", "unigram"}
