"""Charts, tables, and the corpora of the app or of a link (`tokensteps/drawing/charts.py`, `tables.py`,
`corpora.py`).

Oracles: the engine's own history and candidates; `golden/*.json` for the published settings of the examples;
zlib and base64 themselves for damaged links.
"""

from __future__ import annotations

import base64
import json
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizers_core import BpeTrace, Corpus, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.text.pipeline import Pipeline
from tokensteps.drawing.charts import CHARTS, training_chart
from tokensteps.drawing.tables import pair_table, piece_table, score_table
from tokensteps.drawing.tokens import Style
from tokensteps.limits import LINK_LIMIT, LINK_TEXT_LIMIT, PASTE_LIMIT
from tokensteps.runs.corpora import EXAMPLES, Source, pack_text, plain_text, unpack_text
from tokensteps.runs.rules import BPE_RULES
from tokensteps.runs.settings import special_tokens

GOLDEN = Path(__file__).parents[2] / "golden"
HOSTILE = {"<b>x</b>": 3, "<img/src=x>": 2, "%{y}": 2, "&amp;": 2}


def trained(name: str) -> BpeTrace:
    """An example, read and trained with its own settings."""
    example = EXAMPLES[name]
    settings = {rule.name: example.settings.get(rule.name, rule.default) for rule in BPE_RULES}
    source = Source(name, example.text().encode(), example.counts, settings["lines"])
    return train_bpe(
        source.corpus(Pipeline(settings["normalizer"], settings["pre"], settings["pattern"])),
        vocab_size=settings["size"],
        min_frequency=settings["min"],
        special_tokens=special_tokens(settings["special"]),
        tie_rule=settings["ties"],
        alphabet=settings["alphabet"],
    )


# --- examples -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_trains(name: str) -> None:
    trace = trained(name)
    assert len(trace) >= 5
    assert trace.tokenizer().encode(EXAMPLES[name].sample).ids
    known = {rule.name for rule in BPE_RULES}
    assert set(EXAMPLES[name].settings) <= known


@pytest.mark.parametrize(
    ("name", "file"), [("course", "bpe_course"), ("hug", "bpe_hug"), ("highest", "bpe_end_of_word")]
)
def test_examples_give_the_published_merges(name: str, file: str) -> None:
    golden = json.loads((GOLDEN / f"{file}.json").read_text(encoding="utf-8"))
    trace = trained(name)
    events: list[Any] = [trace.event(step) for step in range(1, len(trace) + 1)]
    assert [(list(e.pair), e.token, e.freq, e.tied_count) for e in events] == [
        (s["pair"], s["token"], s["freq"], s["tied_pairs"]) for s in golden["steps"]
    ]
    assert list(trace.alphabet) == golden["alphabet"]
    assert dict(trace.corpus.items()) == golden["word_freqs"]


def test_a_source_reads_lines_or_one_text() -> None:
    rules = Pipeline()
    assert dict(Source("x", b"ab\nab\n").corpus(rules).items()) == {"ab": 2}
    assert dict(Source("x", b"ab\nab\n", lines=False).corpus(rules).items()) == {"ab": 2, "Ċ": 2}
    assert dict(
        Source("x", b"hug 10\n", counts=True).corpus(Pipeline("none", "whitespace_split")).items()
    ) == {"hug": 10}


# --- texts in links -----------------------------------------------------------------------------------------


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_survives_its_link(text: str) -> None:
    packed = pack_text(text)
    if packed is None:
        assert len(text) > LINK_LIMIT // 8
    else:
        assert packed.isascii() and len(packed) <= LINK_LIMIT
        assert unpack_text(packed) == (text if packed else None)


@given(st.text())
def test_any_text_box_can_be_packed(text: str) -> None:
    """With halves of UTF-16 pairs replaced (UTF-8 can't hold them); everything else stays."""
    plain = plain_text(text)
    assert plain == "".join(
        "\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text
    )
    assert pack_text(plain) is None or unpack_text(pack_text(plain)) == plain


def test_too_long_for_a_link() -> None:
    assert pack_text("".join(f"{number * 48271 % 2147483647:x}" for number in range(2000))) is None
    repeated = "ab " * (PASTE_LIMIT // 3)  # long, but says little
    assert unpack_text(pack_text(repeated)) == repeated
    widest = "\U0001f375" * PASTE_LIMIT
    assert unpack_text(pack_text(widest)) == widest


@given(st.integers(0, 200))
def test_a_truncated_link_is_damaged(length: int) -> None:
    """Mail programs cut links; the rest must not pass for the text."""
    packed = pack_text("A tea shop in 東京, a tram in Zürich. " * 9 + "The end.")
    assert packed is not None
    assert unpack_text(packed[: min(length, len(packed) - 2)]) is None


@given(st.text(max_size=60))
def test_nonsense_in_a_link(text: str) -> None:
    assert unpack_text(text) is None


@given(st.binary(max_size=60))
def test_bytes_of_invalid_text(data: bytes) -> None:
    packed = base64.urlsafe_b64encode(zlib.compress(data)).decode()
    try:
        expected = data.decode("utf-8")
    except UnicodeDecodeError:
        assert unpack_text(packed) is None
    else:
        assert unpack_text(packed) == expected


def test_a_bomb_in_a_link_is_bounded() -> None:
    bomb = base64.urlsafe_b64encode(zlib.compress(b"a" * 100_000_000, 9)).decode()
    tracemalloc.start()
    try:
        assert unpack_text(bomb) is None
        assert tracemalloc.get_traced_memory()[1] < 4 * LINK_TEXT_LIMIT
    finally:
        tracemalloc.stop()


# --- charts and tables --------------------------------------------------------------------------------------


@pytest.mark.parametrize("chart", CHARTS)
def test_charts_show_the_history(chart: str) -> None:
    trace = trained("course")
    figure = training_chart(trace, chart, 7, Style(byte_level=True))
    curve, now = figure.data
    field = {"freq": "freq", "tokens": "tokens", "fertility": "tokens_per_word", "ties": "tied_count"}[chart]
    assert list(curve.y) == [getattr(point, field) for point in trace.history]
    assert list(now.y) == [getattr(trace.history[6], field)]
    positions = [
        point.vocab_size if chart in ("tokens", "fertility") else point.step for point in trace.history
    ]
    assert list(curve.x) == positions
    assert [name for name, _ in curve.customdata] == [point.token for point in trace.history]
    assert len(training_chart(trace, chart, 0, Style()).data) == 1  # at the start there is no step to mark


@pytest.mark.parametrize("chart", CHARTS)
def test_names_in_charts_are_escaped(chart: str) -> None:
    """Plotly reads tags in text: no name may hold a `<`, nor an `&` outside of an escape."""
    trace = train_bpe(Corpus.from_counts(HOSTILE))
    curve = training_chart(trace, chart, 1, Style()).data[0]
    names = [name for name, _ in curve.customdata]
    assert "&lt;b&gt;x&lt;/b&gt;" in names and "&amp;amp;" in names and "%{y}" in names
    assert not any("<" in name or ">" in name for name in names)


def test_pair_table_is_the_candidates() -> None:
    trace = trained("course")
    snapshot = trace[6]
    table = pair_table(snapshot, Style(byte_level=True))
    candidates = snapshot.candidates()
    assert table["first"].tolist() == [c.pair.first for c in candidates]
    assert table["second"].tolist() == [c.pair.second for c in candidates]
    assert table["count"].tolist() == [c.freq for c in candidates]
    assert table["change"].tolist() == [c.change for c in candidates]
    assert table["position"].tolist() == list(range(1, len(candidates) + 1))
    alone = candidates[0].freq > candidates[1].freq
    assert table["tied for best"].tolist() == [c.tied and not alone for c in candidates]


@pytest.mark.parametrize("limit", [0, 1, 5, 10_000])
def test_the_top_of_a_table_is_the_whole_ones(limit: int) -> None:
    """Counts, scores and probabilities, with many ties among them."""
    style = Style(byte_level=True)
    merged, scored = trained("course")[6], train_wordpiece(Corpus.from_texts(["hug hugs pug pun"]))[2]
    pruned = train_unigram(Corpus.from_texts(["hug hugs pug pun"]), vocab_size=8)[1]
    for top, whole in (
        (pair_table(merged, style, limit=limit), pair_table(merged, style)),
        (score_table(scored, style, limit=limit), score_table(scored, style)),
        (piece_table(pruned, style, limit=limit), piece_table(pruned, style)),
    ):
        assert top.astype(object).equals(whole.head(limit).astype(object)) and len(whole) > 5


@pytest.mark.parametrize(
    ("find", "held"), [("Th", True), ("T h", True), ("(", False), (".*", False), ("[", False)]
)
def test_finding_pairs_takes_text_literally(find: str, held: bool) -> None:
    snapshot = trained("course")[6]
    table = pair_table(snapshot, Style(byte_level=True), find)
    pairs = [c.pair for c in snapshot.candidates()]
    wanted = [p for p in pairs if find in p.first + p.second or find in f"{p.first} {p.second}"]
    assert list(zip(table["first"], table["second"], strict=True)) == wanted
    assert bool(wanted) == held


def test_no_pairs_at_all() -> None:
    trace = train_bpe(Corpus.from_counts({"a": 1}))
    assert pair_table(trace[0], Style()).empty
    assert pair_table(trace[0], Style(), "x").empty
