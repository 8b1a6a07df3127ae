"""WordPiece on the page: frames, the table of scores, the chart, the examples' settings.

Sources and oracles: `golden/wordpiece_*.json`, the Hugging Face course's two walk-throughs recomputed; the
plain version in `tests/core/oracle_wordpiece.py` for all scores and for BPE's choice; Python's `html.parser`
for the markup; small vocabularies, with encodings to follow by hand.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from html import unescape
from itertools import cycle
from typing import Any

import pytest

from tests.app.drawing.test_merging import TAGS, checked
from tests.app.drawing.test_tokens import HOSTILE, Read, expect_markup
from tests.core.oracle_wordpiece import plain_wordpiece
from tests.core.test_wordpiece import golden, trained
from tokenizers_core import TIE_RULES, Corpus, train_bpe, train_wordpiece
from tokenizers_core.encoding.models.wordpiece import TRIES_EXPLAINED, WordPieceModel
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.trace import GROWING
from tokenizers_core.training.wordpiece import WordPieceTrace
from tokensteps.drawing import tables
from tokensteps.drawing.charts import score_chart
from tokensteps.drawing.encoding import match_frame
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.narration.errata import wordpiece_erratum
from tokensteps.drawing.narration.merging import MERGING_STOPS
from tokensteps.drawing.tabs import vocabularies_html
from tokensteps.drawing.tokens import SHOW, Style, readable
from tokensteps.drawing.training.merging import merge_frame, wordpiece_frame
from tokensteps.runs.corpora import EXAMPLES, Source
from tokensteps.runs.rules import WORDPIECE_RULES
from tokensteps.runs.settings import special_tokens

PLAIN = Style()
PUBLISHED = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
COURSE_STYLE = Style(special_tokens=frozenset(golden("course")["special_tokens"]))


def style_of(name: str) -> Style:
    return COURSE_STYLE if name == "course" else PLAIN


def sound(frame: Frame) -> Read:
    """A frame with sound markup, and narration in plain text with every field filled."""
    read = checked(frame)
    assert not re.search(r"<[a-z/]|&(lt|gt|amp|quot|#)|\{\w*\}", frame.say + frame.status)
    return read


# --- training -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["hug", "course"])
def test_every_step_shows_the_score_with_its_numbers(name: str) -> None:
    figures, trace, style = golden(name), trained(name), style_of(name)
    plain, _ = plain_wordpiece(figures["word_freqs"], "first")
    for step, wanted in enumerate(figures["steps"], start=1):
        frame = wordpiece_frame(trace[step], style)
        read = sound(frame)
        first, second = wanted["pair"]
        top, bottom = str(wanted["freq"]), f"{wanted['left_freq']} × {wanted['right_freq']}"
        lead = (
            f"Merge {first} + {second} into {wanted['token']}. "
            f"Score = pair / (first × second) = {top} / ({bottom}) = {wanted['score']}"
        )
        assert re.match(re.escape(lead) + r"\. [A-Z]", frame.say)
        assert f'<span class="frac"><span>{top}</span><span>{bottom}</span></span>' in frame.html
        assert f"<b>{wanted['score']}</b>" in frame.html
        assert f"into {wanted['token']}. Score = " in read.text
        assert Read(frame.label).text == wanted["token"]
        recount = plain[step - 1]
        assert ("Tied with" in frame.say) == (len(recount.tied) > 1)
        if recount.most_frequent == recount.pair:
            assert "It is also the most frequent pair: BPE would merge it here." in frame.say
        else:
            rival = " + ".join(recount.most_frequent)
            score = recount.scores[recount.most_frequent]
            message = rf"BPE would merge {re.escape(rival)} here: it occurs \d+ times?, "
            if score == recount.scores[recount.pair]:
                message += r"and scores the same\."
            else:
                message += rf"but scores (\d+) / \((\d+) × (\d+)\) = {score}\."
            assert re.search(message, frame.say)
            assert score <= recount.scores[recount.pair]
        assert (MERGING_STOPS[trace.stop_reason] in frame.say) == (step == len(trace))
    assert (
        f"The alphabet has {len(figures['alphabet'])} symbols."
        in sound(wordpiece_frame(trace[0], style)).text
    )


def test_the_first_steps_sentence_whole() -> None:
    """The lesson's first step in a screen reader; 36 = 10 + 5 + 12 + 4 + 5 words have an ##u."""
    score, *why = re.split(r"(?<=1/20)\.? ", wordpiece_frame(trained("hug")[1], PLAIN).say)
    assert score == "Merge ##g + ##s into ##gs. Score = pair / (first × second) = 5 / (20 × 5) = 1/20"
    assert why == [
        "No tie: the runner-up, h + ##u, scores 1/36, 1/45 less. "
        "BPE would merge ##u + ##g here: it occurs 20 times, but scores 20 / (36 × 20) = 1/36."
    ]


def test_a_frame_is_a_function_of_its_snapshot() -> None:
    one, other = trained("course"), trained("course")
    steps = (9, 3, 25)
    assert [wordpiece_frame(one[step], PLAIN) for step in steps] == [
        wordpiece_frame(other[step], PLAIN) for step in steps
    ]


# --- the erratum --------------------------------------------------------------------------------------------


def test_the_erratum_stands_where_the_course_errs() -> None:
    trace = trained("hug")
    assert [step for step in range(len(trace) + 1) if wordpiece_erratum(trace[step], PLAIN)] == [3]
    markup = wordpiece_erratum(trace[3], PLAIN)
    assert expect_markup(markup, TAGS).text == (
        "Erratum (Hugging Face course) The course merges hu##g here, for a score of 1/15. "
        "Computed: 1015 × 15 = 2/45, and hu##gs has 1/15."
    )
    assert markup in wordpiece_frame(trace[3], PLAIN).html


@pytest.mark.parametrize(
    ("counts", "settings"),
    [
        (PUBLISHED | {"hug": 11}, {}),
        (PUBLISHED | {"mug": 1}, {}),
        (dict(reversed(PUBLISHED.items())), {}),
        ({word: count for word, count in PUBLISHED.items() if word != "bun"}, {}),
        (PUBLISHED, {"min_frequency": 6}),
        (PUBLISHED, {"merges": 2}),
    ],
)
def test_no_erratum_elsewhere(counts: dict[str, int], settings: dict[str, Any]) -> None:
    """Another corpus, or rules that make the course's third merge right or absent."""
    trace = train_wordpiece(Corpus.from_counts(counts), **settings)
    for step in range(len(trace) + 1):
        message = wordpiece_erratum(trace[step], PLAIN)
        assert message == "" or "1/15. Computed" not in Read(message).text or step == 3
        if counts != PUBLISHED or list(counts) != list(PUBLISHED):
            assert message == ""


def test_no_erratum_in_the_four_sentences() -> None:
    trace = trained("course")
    assert not any(wordpiece_erratum(trace[step], PLAIN) for step in range(len(trace) + 1))


# --- why training ended, ties, hostile words ----------------------------------------------------------------

STOPPED: dict[str, dict[str, Any]] = {
    "vocab_size": {"vocab_size": 9},
    "max_merges": {"merges": 1},
    "min_frequency": {"min_frequency": 12},
    "no_pairs": {},
    "bounds": {"max_token_length": 2},
    "stopped": {"progress": lambda done, total: False},
    GROWING: {},
}


@pytest.mark.parametrize("reason", MERGING_STOPS)
def test_only_the_last_frame_explains_the_end_of_training(reason: str) -> None:
    trace = train_wordpiece(Corpus.from_counts(PUBLISHED), **STOPPED[reason])
    if reason == GROWING:  # the whole run, as if more could follow
        trace = replace(trace, stop_reason=GROWING)
    assert trace.stop_reason == reason
    for step in range(len(trace) + 1):
        frame = wordpiece_frame(trace[step], PLAIN)
        sound(frame)
        assert (MERGING_STOPS[reason] in frame.say) == (step == len(trace))


@pytest.mark.parametrize(
    ("rule", "chosen"), [("first", "a##b"), ("lowest_ids", "a##b"), ("greatest", "c##d")]
)
def test_the_tie_rule_is_explained(rule: str, chosen: str) -> None:
    """In `ab cd` twice each, both pairs score 2 / (2 × 2)."""
    trace = train_wordpiece(Corpus.from_counts({"ab": 2, "cd": 2}), tie_rule=rule)
    frame = wordpiece_frame(trace[1], PLAIN)
    assert "".join(trace.pair_of(1)) == chosen
    assert "2 / (2 × 2) = 1/2. Tied with" in frame.say
    assert (
        f"Rule “{ {'first': 'first met', 'lowest_ids': 'lowest ids', 'greatest': 'greatest'}[rule] }”"
        in frame.say
    )
    assert "It is the only pair left." in wordpiece_frame(trace[2], PLAIN).say


def test_the_only_pair_within_a_bound_is_neither_the_last_nor_the_most_frequent() -> None:
    """By hand: before step 4 of WordPiece `aaa ##aa` occurs 8 times and is too long, and so is `aaa ##a`;
    `##aa ##a` occurs twice. Before BPE's step 1 `a a` is the only pair, and before step 2 `aa aa` is too
    long."""
    corpus = Corpus.from_counts({"aaaaa": 6, "aaaa": 1, "aaaaaa": 2})
    said = wordpiece_frame(train_wordpiece(corpus, max_token_length=3)[4], PLAIN).say
    assert "It is the only pair that may be merged. aaa + ##aa would have been merged, but" in said
    bounded = train_bpe(corpus, max_token_length=3)
    assert "It is the only pair left." in merge_frame(bounded[1], PLAIN).say
    assert "It is the only pair that may be merged. aa + aa" in merge_frame(bounded[2], PLAIN).say


@pytest.mark.parametrize("show", SHOW)
def test_hostile_corpus(show: str) -> None:
    """No tag, no attribute, no unescaped text from the corpus or its special tokens, in no style: they share
    steps and words."""
    words = {word.replace("\ud800", "x"): 2 for word in HOSTILE if word}
    trace = train_wordpiece(Corpus.from_counts(words), special_tokens=["<b>", "<img/src=x>", "[UNK]"])
    style = Style(False, show, frozenset(trace.special_tokens))
    for step in {*range(SHOW.index(show), len(trace), len(SHOW)), len(trace)}:
        checked(wordpiece_frame(trace[step], style))
    if show != "bytes":
        assert "<script>alert(1)</script>" in Read(wordpiece_frame(trace[-1], style).html).text
    tokenizer = trace.tokenizer(len(trace) // 2)
    for word in [*trace.corpus.words, "<script>ü"][SHOW.index(show) :: len(SHOW)]:
        explained = tokenizer.explain(word)
        for step in range(len(explained) + 1):
            checked(match_frame(explained[step], style))
    rival = train_bpe(trace.corpus, continuing_subword_prefix="##")
    expect_markup(vocabularies_html(trace, rival, style), TAGS)


# --- encoding -----------------------------------------------------------------------------------------------


def explained(model: WordPieceModel, word: str) -> list[Frame]:
    snapshots = model.explain(word)
    frames = [
        match_frame(snapshots[step], Style(special_tokens=frozenset(["[UNK]"])))
        for step in range(len(snapshots) + 1)
    ]
    for frame in frames:
        sound(frame)
    return frames


VOCABULARY = ["b", "h", "p", "##g", "##n", "##s", "##u", "##gs", "hu", "hug", "[UNK]"]
"""The course's, after its own third merge."""
BEGIN = "Look for the longest token that begins the word, then for the longest that begins the rest."


def test_a_word_is_found_longest_first() -> None:
    """`bugs`: three tries for b, two for ##u, one for ##gs."""
    frames = explained(WordPieceModel(VOCABULARY), "bugs")
    assert [frame.say for frame in frames] == [
        BEGIN,
        "bugs is not in the vocabulary: try one character fewer.",
        "bug is not in the vocabulary: try one character fewer.",
        "bu is not in the vocabulary: try one character fewer.",
        "b is in the vocabulary: take it.",
        "##ugs is not in the vocabulary: try one character fewer.",
        "##ug is not in the vocabulary: try one character fewer.",
        "##u is in the vocabulary: take it.",
        "##gs is in the vocabulary: the word is encoded.",
    ]
    assert [Read(frame.label).text for frame in frames] == [
        "Start", "– bugs", "– bug", "– bu", "✓ b", "– ##ugs", "– ##ug", "✓ ##u", "✓ ##gs",
    ]  # fmt: skip
    assert [frame.status for frame in frames] == ["0 tokens"] * 4 + ["1 token"] * 3 + ["2 tokens", "3 tokens"]


def tried(frame: Frame) -> list[str]:
    """The rows under “Tried here”."""
    table = re.search(r"<table>(.*?)</table>", frame.html)
    return [Read(row).text for row in table.group(1).split("<tr")[1:]] if table else []


def test_the_tries_from_one_place_are_listed() -> None:
    frames = explained(WordPieceModel(VOCABULARY), "bugs")
    no, yes = "not in the vocabulary", "in the vocabulary"

    def cells(frame: Frame) -> list[str]:
        return [row.split(">", 1)[-1] for row in tried(frame)]

    assert cells(frames[0]) == []
    assert cells(frames[3]) == [f"bugs{no}", f"bug{no}", f"bu{no}"]
    assert cells(frames[4]) == [f"bugs{no}", f"bug{no}", f"bu{no}", f"b{yes}"]
    assert cells(frames[5]) == [f"##ugs{no}"]
    assert cells(frames[7]) == [f"##ugs{no}", f"##ug{no}", f"##u{yes}"]
    assert cells(frames[8]) == [f"##gs{yes}"]


def test_the_rest_stands_behind_the_found_tokens() -> None:
    frames = explained(WordPieceModel(VOCABULARY), "bugs")
    rests = [re.findall(r'<bdi class="rest">(.*?)</bdi>', frame.html) for frame in frames]
    assert rests == [["bugs"]] * 4 + [["ugs"]] * 3 + [["gs"], []]


def test_a_rest_that_nothing_begins_makes_the_word_unknown() -> None:
    """`bum`: b and ##u are found, then ##m isn't, and the pieces found are thrown away."""
    frames = explained(WordPieceModel(VOCABULARY), "bum")
    assert frames[-1].say == "No token begins the rest, so the whole word is [UNK]."
    assert frames[-2].say == "##m is not in the vocabulary."
    assert frames[-2].status == "2 tokens" and frames[-1].status == "1 token"
    assert Read(frames[-1].label).text == "[UNK]"
    assert 'class="rest"' not in frames[-1].html


def test_a_word_too_long() -> None:
    frames = explained(WordPieceModel(VOCABULARY, max_characters=10), "b" * 11)
    assert [frame.say for frame in frames] == [
        BEGIN,
        "The word is too long to look up: it is unknown as a whole.",
    ]
    assert Read(frames[1].label).text == "[UNK]"


def test_a_story_cut_short() -> None:
    """Sixty letters take more than `TRIES_EXPLAINED` tries: the last frame is a try like any other, with a
    rest."""
    frames = explained(WordPieceModel(["a", "##a", "[UNK]"]), "a" * 60)
    assert len(frames) == TRIES_EXPLAINED + 1
    assert 'class="rest"' in frames[-1].html
    assert all(len(tried(frame)) <= 8 for frame in frames)


# --- the table, the chart -----------------------------------------------------------------------------------


def test_the_table_of_all_pairs() -> None:
    trace = trained("hug")
    table = tables.score_table(trace[0], PLAIN)
    assert list(table.columns) == [
        "position", "first", "second", "count", "count of first", "count of second", "score", "score as decimal",
        "change in count", "tied for best",
    ]  # fmt: skip
    assert list(table.iloc[0]) == [1, "##g", "##s", 5, 20, 5, Fraction(1, 20), 0.05, 0, False]
    plain, _ = plain_wordpiece(PUBLISHED, "first")
    for step, recount in enumerate(plain):
        table = tables.score_table(trace[step], PLAIN)
        shown = {(row.first, row.second): Fraction(row.score) for row in table.itertuples()}
        assert shown == recount.scores
        assert list(table["position"]) == list(range(1, len(table) + 1))
        scores = list(table["score as decimal"])
        assert scores == sorted(scores, reverse=True)
        assert sum(table["tied for best"]) == (len(recount.tied) if len(recount.tied) > 1 else 0)
    assert len(tables.score_table(trace[-1], PLAIN)) == 0


@pytest.mark.parametrize(
    ("find", "pairs"),
    [
        ("##g", {"##u ##g", "##g ##s"}),
        ("##u ##g", {"##u ##g"}),
        ("##u##g", {"##u ##g"}),
        ("(", set()),
        ("h", {"h ##u"}),
        ("<b>", set()),
    ],
)
def test_searching_the_table(find: str, pairs: set[str]) -> None:
    """By either token, by both, as plain text."""
    table = tables.score_table(trained("hug")[0], PLAIN, find)
    assert {f"{row.first} {row.second}" for row in table.itertuples()} == pairs


def test_searching_an_empty_table() -> None:
    trace = trained("hug")
    assert len(tables.score_table(trace[-1], PLAIN, "x")) == 0


@pytest.mark.parametrize("step", range(10))
def test_the_chart_marks_both_choices(step: int) -> None:
    trace = trained("hug")
    plain, _ = plain_wordpiece(PUBLISHED, "first")
    figure = json.loads(score_chart(trace[step], PLAIN).to_json())["data"]
    recount = plain[max(0, step - 1)]
    assert dict(map(tuple, figure[0]["customdata"])) == {
        " ".join(pair): str(score) for pair, score in recount.scores.items()
    }
    if not step:
        assert len(figure) == 1
        return
    chosen, rival = figure[1:]
    assert chosen["customdata"] == [[" ".join(recount.pair), str(recount.scores[recount.pair])]]
    frequent = recount.most_frequent
    assert rival["customdata"] == [[" ".join(frequent), str(recount.scores[frequent])]]
    assert chosen["marker"]["symbol"] != rival["marker"]["symbol"]
    assert chosen["name"] != rival["name"]


def test_the_chart_escapes_names() -> None:
    words = {"<b>x</b>": 3, "<img/src=x>": 2, "%{x}&amp;": 2, "<a href='http://evil.test'>": 2}
    trace = train_wordpiece(Corpus.from_counts(words))
    for step in range(len(trace) + 1):
        for points in json.loads(score_chart(trace[step], PLAIN).to_json())["data"]:
            for name, _score in points["customdata"]:
                assert "<" not in name and ">" not in name
            assert set(re.findall(r"%\{(\w+)", points["hovertemplate"])) <= {"customdata", "x", "y"}
    names = {
        unescape(name)
        for step in range(1, len(trace) + 1)
        for name, _ in json.loads(score_chart(trace[step], PLAIN).to_json())["data"][1]["customdata"]
    }
    assert names == {
        " ".join(readable(token, PLAIN) for token in trace.pair_of(step)) for step in range(1, len(trace) + 1)
    }


def test_the_two_wordpieces_in_three_groups() -> None:
    trace = trained("hug")
    rival = train_bpe(
        trace.corpus, trace.vocab_sizes[-1], tie_rule="lowest_ids", continuing_subword_prefix="##"
    )
    ours, theirs = list(trace.step_of_token), list(rival.step_of_token)
    groups = (
        ("Learned by both", [token for token in ours if token in theirs]),
        ("Only here, by score", [token for token in ours if token not in theirs]),
        ("Only in the library, by count", [token for token in theirs if token not in ours]),
    )
    told = "".join(f"{name}: {len(tokens)}{''.join(tokens)}" for name, tokens in groups)
    assert Read(vocabularies_html(trace, rival, PLAIN)).text == told
    assert "##gs" in groups[1][1] and "##ug" in groups[2][1]


# --- the examples -------------------------------------------------------------------------------------------


def example_run(name: str, settings: dict[str, Any]) -> WordPieceTrace:
    """An example trained as the page does it."""
    example = EXAMPLES[name]
    source = Source(name, example.text().encode(), example.counts, settings["lines"])
    return train_wordpiece(
        source.corpus(Pipeline(settings["normalizer"], settings["pre"])),
        settings["size"],
        min_frequency=settings["min"],
        special_tokens=special_tokens(settings["special"]),
        tie_rule=settings["ties"],
    )


LONG = ("prose", "modules", "library")
RUNS = [
    (name, rule)
    for name in EXAMPLES
    for rule in TIE_RULES
    if name not in LONG or (name, rule) in {*zip(cycle(LONG), TIE_RULES, strict=False)}
]
"""Every example with every rule, but the long ones with one each."""


@pytest.mark.many(3)
@pytest.mark.parametrize(("name", "rule"), RUNS)
def test_every_example_trains_with_its_settings(name: str, rule: str) -> None:
    own = EXAMPLES[name].settings_on("wordpiece")
    assert set(own) <= {setting.name for setting in WORDPIECE_RULES}
    for setting in WORDPIECE_RULES:
        if setting.name in own:
            assert setting.parse(setting.write(own[setting.name])) == own[setting.name]
    settings = {setting.name: own.get(setting.name, setting.default) for setting in WORDPIECE_RULES}
    trace = example_run(name, {**settings, "ties": rule})
    assert len(trace) > 0 and trace.stop_reason in {"vocab_size", "no_pairs", "min_frequency"}
    style = Style(special_tokens=frozenset(trace.special_tokens))
    for step in {0, 1, 3, len(trace) // 2, len(trace)}:
        sound(wordpiece_frame(trace[step], style))
    if name in ("hug", "course") and rule == "first":
        assert [trace[step].event.token for step in range(1, len(trace) + 1)] == [
            wanted["token"] for wanted in golden(name)["steps"]
        ]
