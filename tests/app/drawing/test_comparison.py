"""Frames, charts and tables of a comparison (`tokensteps/drawing/comparison.py`,
`tokensteps/drawing/charts.py`, `tokensteps/pages/explore/compare.py`).

Sources and oracles: the Hugging Face course's small corpus, with golden merges (`bpe_hug.json`,
`wordpiece_hug.json`); the comparison's own numbers (tried in `test_comparison.py`); Python's `html.parser`
for the markup.
"""

from __future__ import annotations

import json
import re
from functools import cache
from html import unescape
from typing import Any

import pandas as pd
import pytest

from tests.app.drawing.test_merging import TAGS
from tests.app.drawing.test_tokens import HOSTILE, Read, expect_markup
from tests.core.oracle_comparison import NAMES, PAIRS, REGIONS
from tests.core.test_comparison import HUG, course, hug
from tokenizers_core import METHODS, Corpus
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.training.comparison import Comparison, SizeSnapshot, compare
from tokensteps.drawing import charts
from tokensteps.drawing.charts import DASHES, SWEEPS, SYMBOLS, sweep_chart
from tokensteps.drawing.comparison import (
    CHIPS_SHOWN,
    TOKENS_IN_COLUMN,
    WORDS_SHOWN,
    compare_frame,
    compared_words,
    jaccard_html,
    overlap_html,
)
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.tables import packed_table
from tokensteps.drawing.tokens import SHOW, Style
from tokensteps.language.names import ALGORITHM_NAMES
from tokensteps.pages.explore.compare import (
    COMPARE_ALGORITHM,
    disagreement_table,
    landmarks,
    tell_tokens,
)
from tokensteps.runs.corpora import EXAMPLES, LARGE, Source
from tokensteps.runs.rules import COMPARE_RULES

PLAIN = Style()
LARGEST = 20_800
"""Bytes of a frame's markup: a window of 96 frames is to stay below two megabytes."""
SMALL = [name for name, example in EXAMPLES.items() if example.settings is not LARGE]


@cache
def example(name: str, **changed: Any) -> Comparison:
    """An example compared as the page does it."""
    shown = EXAMPLES[name]
    own = shown.settings_on("compare")
    rules = {rule.name: own.get(rule.name, rule.default) for rule in COMPARE_RULES} | changed
    source = Source(name, shown.text().encode(), shown.counts, rules["lines"])
    return compare(
        source.corpus(Pipeline(rules["normalizer"], rules["pre"])),
        rules["size"],
        tie_rule=rules["ties"],
        method=rules["method"],
        seed_size=rules["seed"],
    )


@cache
def hostile() -> Comparison:
    text = (
        " ".join(word.replace("\ud800", "x") for word in HOSTILE if word) + " $x$ **b** </script> \u202eabc"
    )
    return compare(Corpus.from_texts([text, text], pre_tokenizer="whitespace_split_metaspace"), None)


def sound(frame: Frame) -> Read:
    """A frame with this app's elements and attributes and no others, small enough to send, every field
    filled."""
    read = expect_markup(frame.html, {*TAGS, "h4", "i"}, {"class", "data-more", "style"})
    for name, value in read.attributes:
        assert re.fullmatch(r"width:\d{1,3}%" if name == "style" else r"[a-z0-9_ -]*", value)
        if name == "style":
            assert int(value[6:-1]) <= 100
    assert len(frame.html.encode()) < LARGEST
    assert re.fullmatch(r"[\d,]+", frame.label)
    assert frame.status == f"vocabulary {frame.label}"
    return read


def columns(frame: Frame) -> dict[str, str]:
    """The markup of each column."""
    results = re.findall(r"<section><h3>(\w+)(.*?)</section>", frame.html)
    return {
        name: next(body for title, body in results if title == ALGORITHM_NAMES[name]) for name in NAMES
    }  # each is there once


def did(frame: Frame, name: str) -> str:
    (message,) = re.findall(r'<p class="did">(.*?)</p>', columns(frame)[name])
    return Read(message).text


def rows(frame: Frame, name: str) -> list[tuple[str, list[str], str]]:
    """A column's words: sign, tokens, count × tokens."""
    results = re.findall(
        r'<li class="w[^"]*"><i>(.?)</i><span class="ts">(.*?)</span><span class="f">(.*?)</span></li>',
        columns(frame)[name],
    )
    return [
        (sign, [unescape(token) for token in re.findall(r"<bdi[^>]*>(.*?)</bdi>", shown)], Read(note).text)
        for sign, shown, note in results
    ]


# --- frames -------------------------------------------------------------------------------------------------


def test_the_small_corpus_by_hand() -> None:
    """Size 10: BPE has ug, un, hug; WordPiece gs, hu, hugs."""
    frame = compare_frame(hug()[3], PLAIN)
    sound(frame)
    assert did(frame, "bpe") == "Merges hug into hug: 15 times."
    assert did(frame, "wordpiece") == "Merges hu##gs into hugs: 5 times, score 1/15."
    assert did(frame, "unigram").startswith("Keeps ")
    assert rows(frame, "bpe") == [
        ("", ["hug"], "10 × 1"),
        ("≠", ["p", "ug"], "5 × 2"),
        ("≠", ["p", "un"], "12 × 2"),
        ("≠", ["b", "un"], "4 × 2"),
        ("", ["hug", "s"], "5 × 2"),
    ]
    assert rows(frame, "wordpiece")[0] == ("≠", ["hu", "g"], "10 × 2")  # without ##
    tokens = 10 * 1 + 5 * 2 + 12 * 2 + 4 * 2 + 5 * 2
    assert f"<b>{tokens / 36:.2f}</b>" in columns(frame)["bpe"]
    assert frame.say.startswith("With a vocabulary of 10, Unigram needs the fewest tokens: ")
    assert "BPE: Merges h + ug into hug: 15 times. 1.72 tokens per word." in frame.say


@pytest.mark.slow
@pytest.mark.many(3)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", SMALL)
def test_every_size_of_every_example(name: str, method: str) -> None:
    """Of hundreds of sizes, every third, and the last."""
    comparison = example(name, method=method)
    last = len(comparison)
    for step in {*range(0, last, 3 if last > 300 else 1), last}:
        snapshot = comparison[step]
        frame = compare_frame(snapshot, PLAIN)
        sound(frame)
        shown = [rows(frame, algorithm) for algorithm in NAMES]
        first, changed = compared_words(snapshot)
        assert len({*first, *changed}) == len(first) + len(changed) <= WORDS_SHOWN
        assert {len(column) for column in shown} == {len(first) + len(changed)}
        cuts = snapshot.cuts((*first, *changed))
        for index, word in enumerate((*first, *changed)):
            for which, column in enumerate(shown):
                cut = cuts[word][which]
                sign, tokens, note = column[index]
                if cut is None:
                    assert (tokens, note) == ([], "–")
                    continue
                assert note == f"{comparison.corpus.counts[comparison.word_indices[word]]:,} × {len(cut)}"
                assert len(tokens) >= min(len(cut), TOKENS_IN_COLUMN)
                others = [other for other in cuts[word] if other is not None]
                assert sign == (
                    "=" if others.count(cut) == len(others) > 1 else "≠" if others.count(cut) == 1 else ""
                )
        if len(comparison.corpus.words) > WORDS_SHOWN:
            different = sum(len({*cuts[word]} - {None}) > 1 for word in cuts)
            total = snapshot.different or len(comparison.corpus.words)
            rest = total - (different if snapshot.different else len(cuts))
            told = f">and {rest:,} more<" if rest else "></p>"
            assert frame.html.count(f'data-more="{rest}"{told}') == len(shown)
        best = [standing for standing in snapshot.standings if standing.tokens is not None]
        fewest = min(standing.tokens or 0 for standing in best)
        marked = [algorithm for algorithm in NAMES if ">fewest<" in columns(frame)[algorithm]]
        all_equal = all(standing.tokens == fewest for standing in best)
        assert marked == ([] if all_equal else [row.name for row in best if row.tokens == fewest])


def test_the_first_and_the_last_frame_say_where_they_are() -> None:
    first, last = compare_frame(course()[0], PLAIN), compare_frame(course()[-1], PLAIN)
    assert did(first, "bpe") == did(first, "wordpiece") == "Starts from 30 symbols."
    assert did(first, "unigram") == "Ends here: only single characters are left."
    assert "Unigram shrinks by pruning" in first.say and "Every word is split the same way." in first.say
    assert "Unigram shrinks by pruning" not in last.say
    assert did(last, "bpe") == "Ended at 145 tokens: every word is one token."
    for frame in (first, last):
        assert all("shrinks, from right to left" in columns(frame)["unigram"] for _ in frame)


def test_a_run_ended_by_bounds_says_so() -> None:
    """By hand: SentencePiece may not merge `▁hug !`, which are of two scripts."""
    corpus = Corpus.from_texts(["hug! hug! pun! pun!"], pre_tokenizer="metaspace")
    pieces = compare(corpus, None, runs=("bpe", "sentencepiece_bpe"))
    ended = "Ended at 13 tokens: bounds exclude every pair that is left."
    assert f"SentencePiece's BPE: {ended}" in compare_frame(pieces[-1], PLAIN).say


def test_where_one_has_no_vocabulary_of_a_size() -> None:
    comparison = compare(Corpus.from_counts({"abab": 2, "ba": 3, "cab": 1}), seed_size=5)
    first, last = compare_frame(comparison[0], PLAIN), compare_frame(comparison[-1], PLAIN)
    assert did(first, "wordpiece").startswith("Starts at 5: a letter inside a word")
    assert {note for _sign, _tokens, note in rows(first, "wordpiece")} == {"–"}
    assert did(last, "unigram") == "Starts from 5 pieces: the seed has no more."
    frames = [compare_frame(snapshot, PLAIN) for snapshot in course("sentencepiece")]
    messages = [did(frame, "unigram") for frame in frames]
    assert any("Has no vocabulary of exactly this size" in words for words in messages)
    assert any(words.endswith("which are all pruned at once on the way left.") for words in messages)


def lead(frame: Frame) -> tuple[str, str]:
    """The two lines over the columns."""
    match = re.search(r'<div class="say brief"><p>(.*?)</p><p class="why">(.*?)</p></div>', frame.html)
    assert match
    return Read(match[1]).text, Read(match[2]).text


def test_sentences_mention_only_the_compared_runs() -> None:
    """The “highest” example has 11 characters, and 13 symbols with ##."""
    comparison = example("highest")
    messages = [lead(compare_frame(comparison[step], PLAIN)) for step in range(3)]
    assert messages[0] == (
        "With a vocabulary of 11, BPE and Unigram need 6.17 tokens per word.",
        "WordPiece starts at 13. BPE and Unigram split every word the same way.",
    )
    assert messages[1][0].startswith("With a vocabulary of 12, Unigram needs fewer tokens than BPE: ")
    assert messages[1][1] == "WordPiece starts at 13. BPE and Unigram split 3 different words differently."
    assert (
        "WordPiece starts" not in messages[2][1]
        and " of the text is split the same way; 3 different words are split differently. " in messages[2][1]
    )
    assert "WordPiece starts at 13." in tell_tokens(comparison[1])
    assert "WordPiece starts at 13." in compare_frame(comparison[1], PLAIN).say


def test_a_single_run_is_compared_with_none() -> None:
    """Stopped at once, WordPiece and Unigram have no vocabulary as small as BPE's."""
    corpus = Corpus.from_counts({"abab": 2, "ba": 3, "cab": 1})
    stopped = compare(corpus, 8, progress=lambda _done, _total: False)
    assert [standing.step for standing in stopped[0].standings] == [0, None, None]
    least = stopped.sides[2].sizes[-1]
    frame = compare_frame(stopped[0], PLAIN)
    sound(frame)
    assert lead(frame)[0] == "With a vocabulary of 3, BPE needs 2.83 tokens per word."
    assert lead(frame)[1].endswith(f"WordPiece starts at 5. Unigram was stopped at {least}.")
    assert {sign for sign, _tokens, _note in rows(frame, "bpe")} == {""}


def test_a_stopped_comparison_is_marked() -> None:
    calls = iter(range(100))
    stopped = compare(course().corpus, 170, progress=lambda _done, _total: next(calls) < 3)
    assert stopped.stop_reason == "stopped"
    messages = {did(compare_frame(snapshot, PLAIN), name) for snapshot in stopped for name in NAMES}
    assert any("Training was stopped at" in words for words in messages)


def test_few_words_stand_still_and_changed_ones_are_shown() -> None:
    assert [compared_words(snapshot) for snapshot in hug()] == [([*HUG], [])] * len([*hug()])
    for snapshot in course():
        first, changed = compared_words(snapshot)
        assert changed == snapshot.changed[:3]
        missing = [word for word in snapshot.leading[:2] if word not in changed]
        assert {*missing} <= {*first}


@pytest.mark.parametrize("show", SHOW)
def test_hostile_text_stays_text(show: str) -> None:
    comparison = hostile()
    style = Style(False, show)
    for step in (0, 1, len(comparison) // 2, len(comparison)):
        frame = compare_frame(comparison[step], style)
        sound(frame)
        for drawn in (frame.html, overlap_html(comparison[step].overlap(), style)):
            for attack in ("<img", "<script", "</script", "<b>x</b>", "\u202e"):
                assert attack not in drawn
        assert not re.search("[\x00-\x08\u202a-\u202e]", frame.say)


# --- overlap ------------------------------------------------------------------------------------------------


def cells(markup: str) -> list[list[str]]:
    return [
        [Read(cell).text for cell in re.split(r"<td[^>]*>", row.replace("</table></div>", ""))[1:]]
        for row in markup.split("<tr>")[2:]
    ]


def test_the_regions_of_the_overlap() -> None:
    overlap = course()[100].overlap()
    markup = overlap_html(overlap, PLAIN)
    expect_markup(markup, {*TAGS}, {"class", "role", "aria-label"})
    result = cells(markup)
    assert len(result) == len(REGIONS)
    for row, region in zip(result, REGIONS, strict=True):
        assert row[:3] == ["✓" if name in region else "·" for name in NAMES]
        tokens = overlap.regions[region]
        assert row[3] == str(len(tokens))
        more = f"{len(tokens) - CHIPS_SHOWN} more" if len(tokens) > CHIPS_SHOWN else ""
        assert row[4] == "".join(tokens[:CHIPS_SHOWN]) + more
    shares = cells(jaccard_html(overlap))
    for row, (first, second) in zip(shares, PAIRS, strict=True):
        shared = overlap.size(first, second)
        either = overlap.size(first) + overlap.size(second) - shared
        assert (
            row[0] == f"{ALGORITHM_NAMES[first]} and {ALGORITHM_NAMES[second]}"
            and row[1] == f"{shared} / {either}"
        )
        assert float(row[2].removesuffix(" %")) == pytest.approx(100 * shared / either, abs=0.06)
    assert [row[2] for row in cells(jaccard_html(hug()[0].overlap()))] == ["–"] * 3


def test_the_overlap_with_an_absent_run() -> None:
    """At size 12 WordPiece has no vocabulary: no region is its own, and nothing is said about it in
    numbers."""
    overlap = example("highest")[1].overlap()
    result = cells(overlap_html(overlap, PLAIN))
    assert [row[:3] for row in result] == [["✓", "–", "✓"], ["✓", "–", "·"], ["·", "–", "✓"]]
    assert sum(int(row[3]) for row in result) == sum(map(len, overlap.regions.values())) > 0
    either = overlap.size("bpe") + overlap.size("unigram") - overlap.size("bpe", "unigram")
    shares = cells(jaccard_html(overlap))
    assert shares[0] == ["BPE and WordPiece", "–", "–"] and shares[2] == ["WordPiece and Unigram", "–", "–"]
    assert shares[1][1] == f"{overlap.size('bpe', 'unigram')} / {either}"


# --- charts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chart", SWEEPS)
def test_the_sweeps_lines_differ_by_more_than_colour(chart: str) -> None:
    comparison = course()
    figure = sweep_chart(comparison, chart, 40)
    lines = figure.data
    names = [ALGORITHM_NAMES[name] for name in NAMES]
    pairs = [f"{ALGORITHM_NAMES[first]} and {ALGORITHM_NAMES[second]}" for first, second in PAIRS]
    expected = {"tokens": names, "alike": [*pairs, "all"], "overlap": pairs}[chart]
    assert [line.name for line in lines] == expected
    assert [line.line.dash for line in lines] == [*DASHES[: len(lines)]]
    assert [line.marker.symbol for line in lines] == [*SYMBOLS[: len(lines)]]
    assert all(list(line.x) == [*comparison.sizes] for line in lines)
    heights = {
        "tokens": lambda point: point.tokens_per_word,
        "alike": lambda point: (*point.alike_pairs, point.alike),
        "overlap": lambda point: point.overlap,
    }[chart]
    assert [list(line.y) for line in lines] == [
        list(column) for column in zip(*map(heights, comparison.sweep), strict=True)
    ]
    (now,) = figure.layout.shapes
    assert (now.x0, now.x1) == (70, 70) and figure.layout.annotations[0].text == "size 70"
    assert figure.layout.xaxis.title.text == "vocabulary size" and figure.layout.yaxis.title.text


def test_a_long_sweep_is_thinned_and_keeps_the_size_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 50 points as the limit of a curve."""
    monkeypatch.setattr(charts, "CURVE_LIMIT", 50)
    comparison = course()
    assert len(comparison) > 2 * 50
    figure = sweep_chart(comparison, "tokens", 41)
    positions = [comparison.sizes.index(size) for size in figure.data[0].x]
    assert len(positions) <= 50 + 2 and {0, 41, len(comparison)} <= {*positions}


def test_charts_hold_no_text_of_the_learner() -> None:
    for chart in SWEEPS:
        data = sweep_chart(hostile(), chart, 3).to_json()
        for attack in ("img", "script", "bdi", "$x$", "**b**"):
            assert attack not in data


# --- text of the tabs ---------------------------------------------------------------------------------------


def test_words_about_the_chart() -> None:
    message = tell_tokens(course()[40])
    assert "BPE gets as low as Unigram's 1.00 only from size 145 on." in message
    assert "WordPiece gets as low as Unigram's 1.00 only from size 174 on." in message
    assert len(tell_tokens(course()[0])) == 2  # nobody needs fewer
    short = compare(course().corpus, 60)
    assert any("never gets as low as Unigram's" in words for words in tell_tokens(short[-1]))


def test_landmarks() -> None:
    comparison = course()
    result = landmarks(comparison)
    gaps = [max(point.tokens_per_word) - min(point.tokens_per_word) for point in comparison.sweep]  # type: ignore[type-var, operator]
    assert gaps[result["gap"]] == max(gaps)
    assert comparison.sweep[result["alike"]].alike == min(point.alike or 0.0 for point in comparison.sweep)
    assert landmarks(compare(Corpus.from_counts({"a": 1}))) == {}


def test_the_table_of_words() -> None:
    snapshot = course()[40]
    words = snapshot.disagreements()
    table = disagreement_table(NAMES, words, PLAIN)
    assert table["word"].tolist() == [result.word for result in words]
    assert table["count"].tolist() == [result.freq for result in words]
    for index, name in enumerate(NAMES):
        assert table[ALGORITHM_NAMES[name]].tolist() == [
            " · ".join(result.cuts[index] or ()) for result in words
        ]
        assert table[f"{ALGORITHM_NAMES[name]}: tokens"].tolist() == [
            len(result.cuts[index] or ()) for result in words
        ]
    assert table["differs"].tolist() == [ALGORITHM_NAMES.get(result.apart, result.apart) for result in words]
    result = disagreement_table(NAMES, words, PLAIN, "is")["word"].tolist()
    assert result == [word.word for word in words if "is" in word.word] and result
    assert list(disagreement_table(NAMES, [], PLAIN).columns) == list(table.columns)


def test_a_missing_cut_is_an_empty_cell() -> None:
    comparison = example("highest")
    at = next(snapshot for snapshot in comparison if snapshot.disagreements())
    if at.standings[1].step is not None:
        at = SizeSnapshot(comparison, 1)
    table = disagreement_table(NAMES, at.disagreements(), PLAIN)
    assert at.standings[1].step is None and len(table)
    assert {*table["WordPiece"]} == {""} and all(pd.isna(cell) for cell in table["WordPiece: tokens"])
    assert {*table["differs"]} == {"BPE and Unigram"}
    packed = {column["name"]: column for column in json.loads(packed_table(table))["columns"]}
    assert {*packed["WordPiece: tokens"]["cells"]} == {None}
    counts = ["position", "count", "BPE: tokens", "Unigram: tokens"]
    assert {packed[name]["kind"] for name in counts} == {"whole"}


def test_table_cells_are_readable_plain_text() -> None:
    words = hostile()[5].disagreements()
    table = disagreement_table(NAMES, words, PLAIN)
    shown = " ".join(table["word"])
    assert "U+202E" in shown and "\u202e" not in shown and "<script>alert(1)</script>" in shown


def test_the_algorithm_takes_the_sidebars_settings() -> None:
    assert {rule.name for rule in COMPARE_ALGORITHM.rules} >= {"size", "ties", "method", "seed"}
    assert COMPARE_ALGORITHM.name == "compare" and COMPARE_ALGORITHM.train(
        Corpus.from_counts(HUG), vocab_size=9
    ).sizes == range(7, 10)
