"""Snapshot → frame and tab markup (`tokensteps/drawing/training/merging.py`, `narration/merging.py`,
`encoding.py`, `tabs.py`).

Sources and oracles: `golden/bpe_course.json`, the course's published merges with their counts and numbers of
ties; Python's `html.parser` for the markup; small corpora with pairs countable by hand.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.app.drawing.test_tokens import HOSTILE, Read, expect_markup
from tokenizers_core import (
    TIE_RULES,
    BpeTrace,
    Corpus,
    train_bpe,
    train_paritybpe,
    train_pickybpe,
    train_superbpe,
    train_unigram,
    train_wordpiece,
)
from tokenizers_core.trace import GROWING
from tokenizers_core.training.merge_trace import RuleEvent
from tokensteps.drawing.encoding import encoding_frame
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.narration.closeness import tell_margin_of
from tokensteps.drawing.narration.kinds import tell_chooser, tell_rule_event
from tokensteps.drawing.narration.merging import MERGING_STOPS
from tokensteps.drawing.narration.text_format import TOKENS_NAMED, Plain
from tokensteps.drawing.narration.whatif import tell_parting
from tokensteps.drawing.tabs import encoding_html, lineage_html, parting_html, story_html
from tokensteps.drawing.tokens import PLAIN, SHOW, Style, readable
from tokensteps.drawing.training.merging import TOKENS_IN_ROW, merge_frame
from tokensteps.runs.corpora import EXAMPLES

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "bpe_course.json").read_text(encoding="utf-8"))
TAGS = {
    "div", "p", "span", "b", "bdi", "section", "h3", "table", "tr", "th", "td", "small", "button", "ul",
    "li",
}  # fmt: skip
BYTE_LEVEL = Style(byte_level=True, special_tokens=frozenset(["<|endoftext|>"]))


def course(**settings: Any) -> BpeTrace:
    lines = EXAMPLES["course"].text().splitlines()
    return train_bpe(
        Corpus.from_texts(lines), **{"vocab_size": 50, "special_tokens": ["<|endoftext|>"], **settings}
    )


def counted(counts: dict[str, int], **settings: Any) -> BpeTrace:
    return train_bpe(Corpus.from_counts(counts), **settings)


def checked(frame: Frame) -> Read:
    """A frame with sound markup and plain texts."""
    read = expect_markup(frame.html, TAGS, {"class", "style", "data-code", "data-values", "data-more"})
    for name, value in read.attributes:
        if name == "style":
            assert re.fullmatch(r"width:\d{1,3}%", value)
    expect_markup(frame.label, {"bdi"})
    for plain in (frame.say, frame.status):
        assert plain.strip() and not re.search(
            r"\{(pair|token|times|freq|size|number|step|word)\}|class=", plain
        )
    return read


def test_golden_course_run() -> None:
    trace = course()
    assert len(trace) == len(GOLDEN["steps"])
    sizes = []
    for number, step in enumerate(GOLDEN["steps"], start=1):
        frame = merge_frame(trace[number], BYTE_LEVEL)
        read = checked(frame)
        first, second = step["pair"]
        lead = f"into {step['token']}. The pair occurs {step['freq']} times in the corpus."
        assert f"Merge {first}{second} {lead}" in read.text
        assert frame.say.startswith(f"Merge {first} + {second} {lead}")
        assert Read(frame.label).text == step["token"]
        if step["tied_pairs"] == 1:
            assert "Tied with" not in frame.say
            assert "No tie: the runner-up" in frame.say or "It is the only pair left" in frame.say
        else:  # all pairs before the rule's name but the chosen one, and the number of others
            tied = frame.html.partition('class="why"')[2].partition("Rule</span>")[0]
            more = re.search(r"and (\d+) more", tied)
            assert "Tied with" in frame.say
            assert tied.count('class="pair"') + int(more[1] if more else 0) == step["tied_pairs"] - 1
        sizes.append(frame.status)
    assert sizes[0] == "vocabulary 32 of 50" and sizes[-1] == "vocabulary 50"
    start = merge_frame(trace[0], BYTE_LEVEL)
    assert f"The alphabet has {len(GOLDEN['alphabet'])} symbols." in checked(start).text
    assert "30 different words" in start.say and start.status == "vocabulary 31 of 50"
    assert start.label == "Start"


def test_a_frame_is_a_function_of_its_snapshot() -> None:
    one, other = course(), course()
    assert [merge_frame(one[k], BYTE_LEVEL) for k in (7, 3)] == [
        merge_frame(other[k], BYTE_LEVEL) for k in (7, 3)
    ]


TIES_NAMED = {
    "first": "Merge a + b into ab. The pair occurs 1 time in the corpus. Tied with c + d. "
    "Rule “first met”: reading the words in order, a + b comes first, in ab.",
    "lowest_ids": "Merge a + b into ab. The pair occurs 1 time in the corpus. Tied with c + d. "
    "Rule “lowest ids”: a + b has the ids 0 and 1, the lowest.",
    "greatest": "Merge c + d into cd. The pair occurs 1 time in the corpus. Tied with a + b. "
    "Rule “greatest”: as bytes, c + d sorts last.",
}


@pytest.mark.parametrize("rule", TIE_RULES)
def test_the_tie_rule_is_explained(rule: str) -> None:
    """In `ab cd`, both pairs stand once: first met is (a b), and so are the lowest ids; the greatest is (c
    d)."""
    said = merge_frame(counted({"ab": 1, "cd": 1}, tie_rule=rule)[1], Style()).say
    assert " Rule “" in said and said == TIES_NAMED.get(rule, said)


def test_no_tie() -> None:
    trace = counted({"ab": 3, "cd": 2})
    assert "No tie: the runner-up, c + d, occurs 2 times, 1 fewer." in merge_frame(trace[1], Style()).say
    assert "It is the only pair left." in merge_frame(trace[2], Style()).say
    parallel = train_paritybpe({"en": Corpus.from_counts({"cat": 1}), "de": Corpus.from_counts({"Hund": 1})})
    said = [merge_frame(snapshot, Style()).say for snapshot in parallel]
    assert sum("It is the only pair left in this language's corpus." in one for one in said) == 2
    assert not any("It is the only pair left." in one for one in said)


def test_an_end_with_characters_left_out() -> None:
    """`.` has no token at all, so not every word is one."""
    trace = train_bpe(Corpus.from_counts({"aab": 2, ".": 1}), limit_alphabet=2)
    assert merge_frame(trace[-1], Style()).say.endswith("Training ends here: no pair is left.")


def test_a_rival_that_may_not_be_merged_is_still_a_pair() -> None:
    """By hand: `hu g` occurs 15 times, and only its token is too long; `x ##y` occurs twice, too rarely for a
    least count of 3. Without `hugs`, `g s` is no pair."""
    hugs = {"hug": 10, "hugs": 5, "pun": 3}
    rare = Corpus.from_counts({"xy": 2, "ab": 4, "ac": 4, "bb": 4})
    for ours, theirs, step, said in (
        (counted(hugs), counted(hugs, max_token_length=2), 2, "hu + g may not be merged here."),
        (train_wordpiece(rare), train_wordpiece(rare, min_frequency=3), 1, "x + ##y may not be merged here."),
        (counted(hugs, max_token_length=2), counted({"hug": 10, "pun": 3}), 2, "g + s is no pair here."),
    ):
        told = tell_parting(ours, theirs, step, Plain(PLAIN), Plain(PLAIN))
        assert told.why.endswith(said)


def test_a_rival_is_written_as_in_its_own_run() -> None:
    """In the run without bytes, the other one's space would be Ġ."""
    ours, theirs = (
        train_bpe(Corpus.from_texts(["a cat, a cat, a dog"], pre_tokenizer=name), merges=1)
        for name in ("byte_level", "whitespace_split")
    )
    told = tell_parting(ours, theirs, 1, Plain(Style(True, "spaces")), Plain(Style(False, "spaces")))
    assert told.why.endswith("␣ + c is no pair here.")


def test_overlap_shows_both_numbers() -> None:
    trace = counted({"aaa": 5})
    assert "It overlaps itself: 10 counted, 5 merged." in merge_frame(trace[1], Style()).say
    assert "overlaps" not in merge_frame(trace[2], Style()).say


def test_a_token_made_a_second_way() -> None:
    """`abc` made from ab + c, then from a + bc: the vocabulary has it already."""
    trace = counted({"abc": 3, "ab": 2, "xbc": 4})
    again = [step for step in range(1, len(trace) + 1) if not trace.event(step).is_new]  # type: ignore[union-attr]
    for step in range(1, len(trace) + 1):
        message = "already has this token, made another way" in merge_frame(trace[step], Style()).say
        assert message == (step in again)


STOPPED: dict[str, dict[str, Any]] = {
    "vocab_size": {"vocab_size": 6},
    "max_merges": {"merges": 1},
    "min_frequency": {"min_frequency": 3},
    "no_pairs": {},
    "bounds": {"max_token_length": 2},
    "stopped": {"progress": lambda done, total: False},
    GROWING: {},
}


@pytest.mark.parametrize("reason", MERGING_STOPS)
def test_only_the_last_frame_explains_the_end_of_training(reason: str) -> None:
    trace = counted({"abab": 3, "cd": 2}, **STOPPED[reason])
    if reason == GROWING:  # the whole run, as if more could follow
        trace = replace(trace, stop_reason=GROWING)
    assert trace.stop_reason == reason
    for step in range(len(trace) + 1):
        assert (MERGING_STOPS[reason] in merge_frame(trace[step], Style()).say) == (step == len(trace))
        checked(merge_frame(trace[step], Style()))


def test_a_long_word_is_cut_around_the_change() -> None:
    word = (
        "".join(chr(0x4E00 + number) for number in range(200))
        + "ab"
        + "".join(map(chr, range(0x5000, 0x5100)))
    )
    trace = train_bpe(Corpus.from_counts({word: 1, "ab": 5}), merges=1)
    read = checked(merge_frame(trace[1], Style()))
    assert "184 before" in read.text and "more" in read.text
    panel = merge_frame(trace[1], Style()).html.split('<li class="w')[1]
    assert panel.count("<bdi") <= TOKENS_IN_ROW + 3 and ">ab<" in panel


@pytest.mark.parametrize("show", SHOW)
def test_hostile_corpus(show: str) -> None:
    """No tag, no attribute, no unescaped text from the corpus or its special tokens, in no style: they share
    steps and words."""
    words = {word.replace("\ud800", "x"): 2 for word in HOSTILE if word}
    trace = train_bpe(Corpus.from_counts(words), special_tokens=["<b>", "<img/src=x>"])
    style = Style(False, show, frozenset(trace.special_tokens))
    for step in {*range(SHOW.index(show), len(trace), len(SHOW)), len(trace)}:
        frame = merge_frame(trace[step], style)
        checked(frame)
    if show != "bytes":
        assert "<script>alert(1)</script>" in Read(merge_frame(trace[-1], style).html).text
    for word in [*trace.corpus.words][SHOW.index(show) :: len(SHOW)]:
        expect_markup(story_html(trace.history_of(word), 3, style), TAGS)
        explained = trace.tokenizer().explain(word)
        for step in range(len(explained) + 1):
            checked(encoding_frame(explained[step], style))
    for word in words:
        expect_markup(encoding_html(trace.tokenizer().encode(word), style), TAGS)
    for token in trace.step_of_token:
        read = expect_markup(lineage_html(trace.lineage(token), style), TAGS)
        assert readable(token, style).replace(" ", "") in read.text.replace(" ", "")
    rival = train_bpe(trace.corpus, tie_rule="greatest")
    expect_markup(parting_html(trace, rival, 1, style), TAGS)


def test_encoding_is_narrated_step_by_step() -> None:
    """`bug` with the merges of hug, pug, pun, bun, hugs: u + g was learned first."""
    trace = counted({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, merges=3)
    explained = trace.tokenizer().explain("hugs")
    said = [encoding_frame(explained[step], Style()).say for step in range(len(explained) + 1)]
    assert said == [
        "The word is split into its symbols. Next: u + g, learned in step 1.",
        "u + g was learned in step 1, the earliest of the pairs here: merge it into ug. Next: h + ug, learned in step 3.",
        "h + ug was learned in step 3, the earliest of the pairs here: merge it into hug. "
        "No learned pair is left: the word is encoded.",
    ]
    assert encoding_frame(explained[2], Style()).status == "2 tokens"


def test_a_merge_after_superbpes_change_of_stages_is_given_its_step() -> None:
    """Oracle: the trace, which knows the step of each token; the change is a step, but has no rank."""
    trace = train_superbpe(Corpus.from_texts(["by the way", "on the way", "by the way"]), transition=20)
    assert trace.stage_step is not None
    word = "byĠtheĠway"
    explained = trace.tokenizer().explain(word)
    said = [encoding_frame(explained[step], Style()) for step in range(1, len(explained) + 1)]
    for frame, snapshot in zip(said, explained[1:], strict=True):
        step = trace.step_of_token[snapshot.event.token]
        assert f"was learned in step {step}, the earliest" in frame.say
        for pair, rank in snapshot.options:
            assert trace.pair_of(snapshot.learned_in(rank)) == pair
    assert any(trace.step_of_token[one.event.token] > trace.stage_step for one in explained[1:])
    following = trace.step_of_token[word]
    assert f"learned in step {following}." in said[-2].say and f"<td>{following}" in said[-2].html


@pytest.mark.parametrize(
    ("words", "ending"), [(2, "bounds exclude every pair"), (9, "every word is one token")]
)
def test_superbpe_ends_where_its_tokens_may_have_no_more_words(words: int, ending: str) -> None:
    """Oracle: the stretches at the end, cut into more tokens than one, or not."""
    trace = train_superbpe(Corpus.from_texts(["by the way", "on the way"]), transition=15, most_words=words)
    whole = all(len(word) == 1 for word in trace.current_words(len(trace)).words)
    assert whole == (words == 9) and ending in merge_frame(trace[-1], Style()).say


def test_the_story_marks_the_current_step() -> None:
    trace = course()
    read = story_html(trace.history_of("Ġtokenization"), 12, BYTE_LEVEL)
    assert '<span class="n at">step 12</span>' in read
    assert read.count(" later") == 1  # step 19 is still to come
    assert Read(read).text.startswith("start")


def test_nothing_to_merge() -> None:
    trace = counted({"a": 3})
    read = checked(merge_frame(trace[0], Style()))
    assert len(trace) == 0 and "every word is one token" in read.text and "0 pairs" in read.text


def test_how_close_names_all_that_tie() -> None:
    """Five pairs occur once each in “ab cd ef gh ij”: the four losers are named or counted. Oracle: counting
    them."""
    trace = train_bpe(Corpus.from_counts(dict.fromkeys(("ab", "cd", "ef", "gh", "ij"), 1)), merges=4)
    messages = [tell_margin_of(trace, step, Plain(PLAIN)) for step in range(1, 5)]
    assert messages[0] == "Step 1 was a tie between 5: c + d, e + f, g + h and 1 more were just as good."
    assert messages[2:] == [
        "Step 3 was a tie between 3: g + h, i + j were just as good.",
        "Step 4 was a tie: i + j was just as good.",
    ]


def test_pieces_that_tie_are_named() -> None:
    """Oracle: the losses of the ranking, one by one."""
    trace = train_unigram(
        Corpus.from_counts(dict.fromkeys(("abc", "def", "ghi"), 4)), vocab_size=10, seed_size=30
    )
    steps = [step for step in range(1, len(trace) + 1) if trace.margin(step) == 0]
    assert steps
    for step in steps:
        ranking = trace.ranking(trace.round_of(step))
        own = next(row for row in ranking if row.piece == trace.piece_of(step))
        tied = [row.piece for row in ranking if row.loss == own.loss and row.rank > own.rank]
        assert trace.tied_with(step) == tied != []
        message = tell_margin_of(trace, step, Plain(PLAIN))
        assert all(piece in message for piece in tied[:TOKENS_NAMED])
        assert len(tied) == 1 or f"a tie between {len(tied) + 1}: " in message


def test_a_merge_of_two_equal_tokens_takes_two_places() -> None:
    """By hand: aaaa, three times, is aa + aa; with aab, twice, and aa that makes 9 places of aa. The merge
    takes 6; the paper's IoS is 3/(3 + 3)."""
    trace = train_pickybpe(Corpus.from_counts({"aaaa": 3, "aab": 2, "aa": 1}), merges=2, threshold="0.4")
    event = trace[3].event
    assert isinstance(event, RuleEvent)
    narration = tell_rule_event(event, Plain(PLAIN))
    assert "took 6 of its 9 places" in narration.lead
    assert "1/2" in narration.why and "counts each merge once" in narration.why


@pytest.mark.parametrize(
    ("rules", "step", "says"),
    [
        ({}, 2, "German chooses: of the parallel lines, its own take 18 tokens."),
        ({"window": 1, "alpha": 1}, 2, "English chooses: of the parallel lines, its own take 15 tokens. German is served worse, but has to wait: it chose too often within the window of 1."),
        ({"min_frequency": 5}, 1, "English chooses: of the parallel lines, its own take 15 tokens. German is served worse, but has no pair left that is frequent enough."),
        ({"ratio": [2, 1, 1]}, 3, "German chooses: for its ratio of 1, its text is compressed least, from 22 to 22 tokens."),
        ({"ratio": [2, 1, 1]}, 4, "English chooses: for its ratio of 2, its text is compressed least, from 15 to 7 tokens. Spanish is served worse, but has no pair left that is frequent enough."),
    ],
)  # fmt: skip
def test_why_a_language_chooses(rules: dict[str, Any], step: int, says: str) -> None:
    """Oracle: by hand. German has 22 letters and no pair 5 times. With twice the ratio, English is compressed
    more than German's 22/22 after two merges (15/7 ÷ 2), but less than its 22/18 after three."""
    words = {"en": {"hug": 3, "pug": 2}, "de": {"bunt": 4, "mut": 2}, "es": {"a": 3}}
    corpora = {language: Corpus.from_counts(counts) for language, counts in words.items()}
    trace = train_paritybpe(corpora, merges=4, **rules)
    told = tell_chooser(trace.merge_event(step), Plain(PLAIN), trace[step])
    assert told.startswith(f"{says} Plain BPE would merge")
