"""Files of word counts from `count`, uploaded: through Streamlit's `AppTest`.

Oracle: the engine, trained on the text itself, cut at the same minimum.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.pages.pages import Page, bodies, book, problems, run
from tokenizers_core import Corpus, train_bpe
from tokenizers_core.text.counting import counts_tsv, without_rare
from tokensteps.runs.rules import BPE_RULES, PIPELINE_RULES, WORDPIECE_RULES

BPE = Page("bpe", Path("pages", "train", "bpe.py"), BPE_RULES)
WORDPIECE = Page("wordpiece", Path("pages", "train", "wordpiece.py"), WORDPIECE_RULES)
PIPELINE = Page("pipeline", Path("pages", "explore", "pipeline.py"), PIPELINE_RULES)
TEXT = ["low low low lower lower newest newest widest <b>", "low newest"]


def counted(minimum: int = 1, **rules: Any) -> tuple[Corpus, bytes]:
    counts = without_rare(Corpus.from_texts(TEXT, **rules), minimum)
    return counts.corpus, counts_tsv(counts).encode()


def uploaded(page: Page, data: bytes, name: str = "counts.tsv", query: str = "") -> AppTest:
    app = page.opened(f"corpus=upload&{query}")
    (box,) = [box for box in app.sidebar.get("file_uploader") if box.key == f"{page.name}.file"]
    box.set_value((name, data, "text/plain"))
    return run(app)


def test_a_counted_file_names_its_own_rules() -> None:
    """With any name, and any rules on the page; its words are not split again."""
    corpus, data = counted(2, normalizer="lowercase", pattern=r"\S+|\s+")
    app = uploaded(BPE, data, "counts.txt", "pre=end_of_word&alphabet=bytes&size=262")
    assert problems(app) == []
    assert book(app)["last"] == len(train_bpe(corpus, vocab_size=262, alphabet="bytes")) == 6
    message = "".join(bodies(app, "note"))
    assert "Normalized: lowercase. Split: Byte level (GPT)." in message
    assert r"Pattern: \S+|\s+" in message and "fewer than 2 times" in message
    keys = {box.key for box in app.sidebar.selectbox}
    assert "bpe.alphabet" in keys and not keys & {"bpe.normalizer", "bpe.pre", "bpe.pattern"}
    assert "bpe.lines" not in {toggle.key for toggle in app.sidebar.toggle}
    rows = {box.key for box in (*app.sidebar.text_input, *app.sidebar.number_input)}
    assert "bpe.longest" in rows and not rows & {"bpe.kept", "bpe.replace", "bpe.cut"}, "its words are cut"
    # Another corpus has the page's own rules again.
    app.sidebar.selectbox(key="bpe.corpus").set_value("course")
    run(app)
    assert {box.key for box in app.sidebar.selectbox} >= {"bpe.normalizer", "bpe.pre"}
    assert {box.key for box in app.sidebar.text_input} >= {"bpe.kept", "bpe.replace", "bpe.cut"}


def test_counts_by_rules_of_another_page() -> None:
    app = uploaded(WORDPIECE, counted()[1])
    (message,) = problems(app)
    assert (
        "were counted with pre_tokenizer=&#x27;byte_level&#x27;" in message
        and "one of bert, whitespace," in message
    )
    _corpus, data = counted(pre_tokenizer="bert")
    assert problems(uploaded(WORDPIECE, data)) == []


def test_stages_that_are_chosen_have_to_be_those_of_the_file() -> None:
    """The page “Pipeline” is about the stages: it doesn't change them."""
    _corpus, data = counted(pre_tokenizer="whitespace")
    app = uploaded(PIPELINE, data, query="normalizer=none&pre=bert&size=30")
    assert "other rules apply here; choose the same ones" in "".join(problems(app))
    app.selectbox(key="pipeline.pre").set_value("whitespace")
    assert problems(run(app)) == []


def test_a_hostile_file_is_only_reported() -> None:
    _corpus, data = counted(pattern="<script>|x")
    app = uploaded(BPE, data)
    assert "Pattern: &lt;script&gt;|x" in "".join(bodies(app, "note"))
    for broken in (
        data.replace(b'"lines"', b'"<i>"'),
        data + b"<script>\n",
        data.replace(b"<script>", b"(<s>"),
    ):
        (message,) = problems(uploaded(BPE, broken))
        assert "<script" not in message and "<i>" not in message and "<s>" not in message
