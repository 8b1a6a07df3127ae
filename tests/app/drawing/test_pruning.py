"""Unigram training as frames, and the errata beside them (`tokensteps/drawing/training/pruning.py`,
`narration/pruning.py`, `narration/errata.py`).

Sources and oracles: `golden/unigram_course.json` and `golden/unigram_hug.json`, the Hugging Face course's
walk-throughs recomputed, with the published figures; the plain versions of both trainers
(`oracle_unigram.py`) for losses, splits, rounds and expected counts; Python's `html.parser` for the markup.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from html import unescape
from typing import Any, NamedTuple, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.drawing.test_merging import TAGS
from tests.app.drawing.test_tokens import HOSTILE, Read, expect_markup
from tests.core.oracle_unigram import (
    PlainRound,
    costs,
    log_shares,
    plain_e_step,
    plain_finalize,
    plain_loss,
    plain_m_step,
    plain_prune,
    plain_seed,
    plain_unigram_course,
    plain_viterbi,
)
from tests.core.test_unigram import HUG, corpora, golden
from tests.samples import examples, spread
from tokenizers_core import METHODS, Corpus, PruneEvent, UnigramTrace, train_unigram
from tokenizers_core.text.pipeline import Pipeline
from tokenizers_core.trace import GROWING
from tokenizers_core.training.pruning import ExpectationEvent, MaximizationEvent
from tokenizers_core.training.unigram import grown_seed
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.narration.errata import lattice_erratum, unigram_erratum
from tokensteps.drawing.narration.pruning import PRUNING_STOPS
from tokensteps.drawing.stage_markup import CANDIDATE_ROWS, WORDS_IN_FRAME
from tokensteps.drawing.tables import worth_table
from tokensteps.drawing.tokens import SHOW, Style, readable
from tokensteps.drawing.training.pruning import RULES_ROWS, prune_frame
from tokensteps.language.marks import unmarked
from tokensteps.language.numbers import estimate_formula
from tokensteps.runs.corpora import EXAMPLES, LARGE, Source
from tokensteps.runs.rules import UNIGRAM_RULES, USUAL_SEED
from tokensteps.runs.settings import special_tokens

SMALL = [name for name, example in EXAMPLES.items() if example.settings is not LARGE]
"""The examples drawn at once; the large one trains in the background, and has thousands of steps."""

PLAIN = Style()
LARGEST = 16_000
"""Bytes of a frame's markup, with the words for projector mode alone: a window of 96 frames stays about 1.5
MB."""


# --- runs ---------------------------------------------------------------------------------------------------


@cache
def example(name: str, method: str = "course", size: int | None = -1, **changed: Any) -> UnigramTrace:
    """An example trained as the page does it, or with other settings."""
    shown = EXAMPLES[name]
    own = shown.settings_on("unigram")
    rules = {rule.name: own.get(rule.name, rule.default) for rule in UNIGRAM_RULES} | changed
    source = Source(name, shown.text().encode(), shown.counts, rules["lines"])
    return train_unigram(
        source.corpus(Pipeline(rules["normalizer"], rules["pre"])),
        rules["seed"] or grown_seed(USUAL_SEED, rules["size"]),
        rules["size"] if size == -1 else size,
        method,
        exact=rules["exact"],
        whole_words=rules["whole"],
        special_tokens=special_tokens(rules["special"]),
    )


@cache
def plain_rounds(name: str, size: int) -> list[PlainRound]:
    """The same run by the plain version."""
    trace = example(name, size=size)
    seed_size, whole = trace.settings["seed_size"], trace.settings["whole_words"]
    seed = plain_seed(trace.word_frequencies, seed_size, strict=not whole)
    return plain_unigram_course(trace.word_frequencies, seed_size, size, seed=seed)[0]


@cache
def course_frame(name: str, size: int, step: int) -> Frame:
    """A frame of a run in the course's way, for all tests that read it."""
    return prune_frame(example(name, size=size)[step], PLAIN)


# --- frames, read back --------------------------------------------------------------------------------------


def inert(frame: Frame) -> Read:
    """A frame with this app's elements and attributes and no others."""
    attributes = {
        "class", "style", "colspan", "aria-hidden", "type", "data-step", "data-code", "data-values",
        "data-more",
    }  # fmt: skip
    read = expect_markup(frame.html, {*TAGS, "button", "details", "summary"}, attributes)
    for name, value in read.attributes:
        if name == "style":
            assert re.fullmatch(r"width:\d{1,3}%", value)
            assert int(value[6:-1]) <= 100
        elif name == "data-step":
            assert re.fullmatch(r"\d+", value)
        elif name == "class":
            assert re.fullmatch(r"[a-z0-9 -]*", value)
    expect_markup(frame.label, {"bdi"})
    assert frame.say.strip() and frame.status.strip() and Read(frame.label).text.strip()
    return read


def sound(frame: Frame) -> Read:
    """The same, small enough to send, and its narration is plain text with every field filled."""
    read = inert(frame)
    assert len(frame.html.encode()) < LARGEST
    assert not re.search(r"<[a-z/]|&(lt|gt|amp|quot|#)|\{\w*\}|\bnan\b|\binf\b", frame.say + frame.status)
    return read


class Row(NamedTuple):
    """A row of a frame's table."""

    classes: set[str]
    cells: list[str]


FOLDED = re.compile(r'<details class="figures"><summary>Figures</summary><p class="why">(.*?)</p></details>')


def without_tags(markup: str) -> str:
    """The text, with the folded figures right behind the sentence."""
    markup = FOLDED.sub(r" \1", markup)
    return unescape(re.sub(r"<[^>]*>", "", markup.replace("</p><p", "</p> <p")))


def in_sight(frame: Frame) -> str:
    """The stage's text before anybody asks for the figures."""
    said = re.search(r'<div class="say"[^>]*>(.*?)</div><div class="cols', frame.html)
    assert said is not None
    return without_tags(re.sub(r"<button.*?</button>", "", FOLDED.sub("", said[1])))


def rows(frame: Frame) -> list[Row]:
    """The table's rows without the one of names; each cell's text, marks such as “stays” behind a tab."""
    (table,) = re.findall(r"<table[^>]*>(.*?)</table>", frame.html)
    results = []
    for row in table.split("<tr")[2:]:
        tag, body = row.split(">", 1)
        classes = re.search(r'class="([^"]*)"', tag)
        cells = re.split(r"<td[^>]*>", body.replace('<span class="mark">', "\t"))[1:]
        results.append(
            Row(set(classes.group(1).split()) if classes else set(), list(map(without_tags, cells)))
        )
    return results


class Word(NamedTuple):
    """A word's row: one split, or two with an arrow between them."""

    before: list[str]
    after: list[str] | None
    note: str


def words(frame: Frame) -> list[Word]:
    """The rows under “Re-split words” or “Best splits”."""
    results = []
    for body, note in re.findall(
        r'<li class="w[^"]*"><span class="ts">(.*?)</span><span class="f">(.*?)</span></li>',
        unmarked(frame.html),
    ):
        sides = [
            list(map(unescape, re.findall(r'<bdi class="t [^>]*>(.*?)</bdi>', side)))
            for side in re.split(r'<span class="to">→</span>', body)
        ]
        results.append(Word(sides[0], sides[1] if len(sides) > 1 else None, unescape(note)))
    return results


def as_shown(before: list[str], after: list[str]) -> tuple[list[str], list[str]]:
    """The part that fits into a row: short splits whole, of many pieces the change and three on either side,
    of long words less."""
    around = 0 if sum(map(len, before)) > 24 else 3
    if around and len(before) + len(after) <= 13:
        return before, after
    room = around + 1
    while before[:room] == after[:room] and len(before) > room:
        before, after = before[1:], after[1:]
    while before[-room:] == after[-room:] and len(before) > room:
        before, after = before[:-1], after[:-1]
    return before[:16], after[:16]


def heading(frame: Frame, index: int) -> tuple[str, str]:
    """A panel's title, and the text beside it."""
    title, beside = re.findall(r"<h3>(.*?)<span>(.*?)</span></h3>", frame.html)[index]
    return without_tags(title), unescape(beside)


def aside(frame: Frame) -> str:
    """The text of a frame's erratum."""
    results = re.findall(r'<p class="aside">(.*?)</p>', frame.html)
    assert len(results) < 2
    return without_tags(results[0]) if results else ""


def loss_text(loss: float) -> str:
    """A loss as the page writes it; less than the rounding of a sum is nothing."""
    return "0" if abs(loss) < 1e-9 else f"{loss:,.4f}"


def probability_text(probability: float) -> str:
    if probability >= 0.001:
        return f"{probability:.4f}"
    digits = f"{probability:.3g}"
    if "e-" not in digits:
        return digits
    mantissa, power = digits.split("e-")
    return f"{mantissa} × 10⁻{''.join('⁰¹²³⁴⁵⁶⁷⁸⁹'[int(digit)] for digit in str(int(power)))}"


# --- every frame --------------------------------------------------------------------------------------------


@pytest.mark.many(3)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", SMALL)
def test_every_frame_of_the_examples(name: str, method: str) -> None:
    """Of a long training with hundreds of pruned pieces, some, the first and the last among them."""
    trace = example(name, method)
    assert len(trace) > 0
    style = Style(special_tokens=frozenset(trace.special_tokens))
    for step in spread(range(len(trace) + 1), 60):
        frame = prune_frame(trace[step], style)
        read = sound(frame)
        size = len(trace[step].pieces)
        assert frame.status.startswith(f"{size:,} ") and ("piece" in frame.status or size >= 1000)
        shown = re.sub(r"\s+", "", frame.say.split(".")[0])
        assert re.sub(r"\s+", "", read.text).startswith(shown)
        kind = trace.record.kinds[step]
        labels = {"start": "Start", "e_step": "E step", "m_step": "M step", "finalize": "Finalize"}
        event = trace[step].event
        piece = event.piece if isinstance(event, PruneEvent) else ""
        assert Read(frame.label).text == (readable(piece, style) if piece else labels[kind])


@pytest.mark.parametrize("method", METHODS)
def test_a_frame_is_a_function_of_its_snapshot(method: str) -> None:
    """Two runs, read in another order, in another language than before: the same frames."""
    one = example("highest", method)
    other = train_unigram(one.corpus, 60, 20, method)
    steps = [*range(len(one) + 1)]
    forward = [prune_frame(one[step], PLAIN) for step in steps]
    assert [prune_frame(other[step], PLAIN) for step in reversed(steps)] == forward[::-1]
    assert [prune_frame(one[step], PLAIN) for step in steps] == forward


TROUBLE = [
    *(word.replace("\ud800", "x") for word in HOSTILE if word),
    "<img src=x onerror=alert(1)>",
    "</td></tr></table></bdi>",
    "</div></div></template></script><b>x</b>",
    "<!-- <![CDATA[ <?x",
    "\u202egnp.exe\u2066",
    "e\u0301\u0301\u0301a\u0300",
    "{piece}{loss}{0}",
]


@cache
def hostile_run(method: str) -> UnigramTrace:
    corpus = Corpus.from_counts({word * times: 2 for word in TROUBLE for times in (1, 2)})
    special = ["<b>", "<img/src=x>", "{piece}"]
    return train_unigram(corpus, 700, len(special) + 80, method, special_tokens=special)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("show", SHOW)
def test_hostile_corpus(show: str, method: str) -> None:
    """No tag, no attribute, no unescaped text from the corpus or its special tokens, in no style.

    The styles share the steps of a long training among them: each looks at every fourth (the suite takes some
    of these), the first and the last, and the steps that prune pieces of the displayed word with U+202E.
    """
    trace = hostile_run(method)
    style = Style(False, show, frozenset(trace.special_tokens))
    seen = ""
    steps = range(1 + SHOW.index(show), len(trace), len(SHOW)) if len(trace) > 300 else range(1, len(trace))
    turning = [step for step, point in enumerate(trace.history) if "rt" in (point.piece or "")]
    for step in sorted({0, *spread(steps, 40), *spread(turning), len(trace)}):
        frame = prune_frame(trace[step], style)
        read = inert(frame)
        if isinstance(event := trace[step].event, PruneEvent):
            assert Read(frame.label).text.replace(" ", "") == readable(event.piece, style).replace(" ", "")
        assert not re.search(r"\{(?!piece|loss|field|0)\w+\}", read.text + frame.say)
        for character in frame.say:
            assert character.isprintable(), (step, character)
        seen += f"{read.text}\n"
    if show != "bytes":
        for whole in ("<script>alert(1)</script>", "onerror=alert(1)>", "</bdi>"):
            assert whole in seen
        assert "U+202E" in seen or method == "sentencepiece"


# --- the course's way ---------------------------------------------------------------------------------------

RUNS = [("course", 40), ("course", 100), ("hug", 8), ("highest", 12)]


def resegmented_text(number: int, cost: float, growth: float) -> str:
    """The text about the words split anew."""
    if not number:
        return "No word's best split uses it."
    if abs(cost) >= 1e-9:
        return "1 word is re-segmented." if number == 1 else f"{number} words are re-segmented."
    if growth >= 1e-9:
        came = "word has" if number == 1 else "words have"
        return f"It was free when the round began; since then {number} {came} come to use it."
    return (
        "1 word is re-segmented in an equally good way."
        if number == 1
        else f"{number} words are re-segmented in equally good ways."
    )


@pytest.mark.many(2)
@pytest.mark.parametrize(("name", "size"), RUNS)
def test_every_prune_is_narrated(name: str, size: int) -> None:
    """Piece, loss, words, place in the round: against a training with every loss worked out from scratch."""
    trace, counts = example(name, size=size), example(name, size=size).word_frequencies
    step = 0
    for number, plain in enumerate(plain_rounds(name, size), start=1):
        model, going = costs(plain.model), len(plain.removed)
        loss, after = plain.loss_before, {word: plain_viterbi(word, model)[0] for word in counts}
        for index, piece in enumerate(plain.removed, start=1):
            step += 1
            frame = course_frame(name, size, step)
            cost, before = plain.removal_losses[piece], after
            del model[piece]
            after = {word: plain_viterbi(word, model)[0] for word in counts}
            changed = [word for word in counts if piece in before[word]]
            assert changed == [word for word in counts if before[word] != after[word]]
            grown = plain_loss(counts, model) - loss
            loss += grown
            lead = f"Prune {piece}: losing it costs {f'{cost:.4f}' if cost >= 1e-9 else 'nothing'}."
            if cost < 1e-9 <= grown:
                lead = f"Prune {piece}: it was ranked as free, but losing it now costs {grown:.4f}."
            elif abs(grown - cost) >= 1e-9:
                now = f"{grown:.4f}" if grown >= 1e-9 else "0"
                lead = (
                    f"Prune {piece}: its loss was {cost:.4f} at its ranking, but losing it now costs {now}."
                )
            sentences = [lead]
            if changed:
                sentences.append(
                    f"On its own, {piece} would now be {' '.join(plain_viterbi(piece, model)[0])}."
                )
            sentences.append(resegmented_text(len(changed), cost, grown))
            tied = sum(abs(other - cost) < 1e-9 for other in plain.removal_losses.values())
            if going == 1 and tied > 1:
                sentences.append(
                    f"Round {number}: {tied} of {len(plain.removal_losses)} pieces cost equally little; of these, the first in the seed is pruned."
                )
                equal = [one for one, other in plain.removal_losses.items() if abs(other - cost) < 1e-9]
                assert piece == min(equal, key=[seeded for seeded, _count in trace.seed].index)
            elif going == 1:
                sentences.append(
                    f"Round {number}: the cheapest of {len(plain.removal_losses)} pieces is pruned."
                )
            else:
                sentences.append(f"Round {number}: number {index} of the {going} cheapest, all pruned.")
            narration = " ".join(sentences)
            assert frame.say == narration or frame.say.startswith(
                (
                    f"{narration} The round ends at ",
                    f"{narration} Training ends",
                    f"{narration} The runner-up, ",
                )
            )
            ranking = sorted(plain.removal_losses.values())
            margin = ranking[index] - cost if index < len(ranking) else 0.0
            named = re.search(r"The runner-up, (\S+), costs (\S+) more\.", frame.say)
            assert bool(named) == (margin > 1e-9)
            if named:
                assert plain.removal_losses[named[1]] == pytest.approx(cost + margin)
                assert named[2] == f"{margin:.4f}"
            drawn = re.sub(r" <button.*?</button>| Training ends here[^<]*", "", frame.html)
            assert without_tags(drawn).startswith(narration)
            assert Read(frame.label).text == piece

            assert heading(frame, 0) == ("Re-split words", f"{len(changed)} of {len(counts)}")
            shown = words(frame)
            split = [row for row in shown if row.after is not None]
            assert [(row.before, row.after) for row in split] == [
                as_shown(before[word], after[word]) for word in changed[: len(split)]
            ]
            assert len(split) == min(len(changed), 8) or aside(frame)
            assert [row.note for row in split] == [f"× {counts[word]}" for word in changed[: len(split)]]
            for row in shown[len(split) :]:
                word = "".join(row.before)
                assert row.note == f"× {counts[word]}"
                assert row.before == after[word]
    assert step == len(trace)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["hug", "highest", "course"])
def test_the_sentence_has_one_number(name: str, method: str) -> None:
    """The loss, the size, or how many pieces are dropped; the number of an E or M step is its name, and a
    warning has its own. All others are folded under “Figures”."""
    trace = example(name, method)
    for step in range(len(trace) + 1):
        frame = prune_frame(trace[step], PLAIN)
        said = re.sub(r"^[EM] step \d of \d:|Nothing to prune: .*", "", in_sight(frame))
        assert len(re.findall(r"\d[\d.,]*", said)) <= 1, said
        assert len(FOLDED.findall(frame.html)) == 1


@pytest.mark.parametrize(("name", "size"), RUNS)
def test_the_ranking_and_its_threshold(name: str, size: int) -> None:
    """One line, between the last piece to go and the first to stay; places, probabilities and losses are
    right."""
    trace = example(name, size=size)
    step = 0
    for plain in plain_rounds(name, size):
        going, ranked = len(plain.removed), len(plain.removal_losses)
        total = sum(plain.model.values())
        for position, piece in enumerate(plain.removed, start=1):
            step += 1
            frame = course_frame(name, size, step)
            never = len(trace.alphabet)
            assert heading(frame, 1) == (
                "What each costs", f"{going} of {ranked} pruned · {never} characters kept",
            )  # fmt: skip
            table = rows(frame)
            assert 0 < len(table) <= CANDIDATE_ROWS
            results = [row for row in table if "gap" not in row.classes]
            positions = [int(row.cells[0]) for row in results]
            assert positions == sorted(set(positions))
            for row, at in zip(results, positions, strict=True):
                name_, _, mark = row.cells[1].partition("\t")
                cost = plain.removal_losses[name_]
                assert at > going or name_ == plain.removed[at - 1]
                assert (name_ in plain.removed) == (at <= going)
                assert row.cells[2:4] == [probability_text(plain.model[name_] / total), loss_text(cost)]
                words_of = {position: "pruned"} | dict.fromkeys(range(1, position), "gone")
                assert mark == words_of.get(at, "" if at <= going else "kept")
                assert ("now" in row.classes) == (at == position) and ("past" in row.classes) == (
                    at < position
                )
                assert ("first-kept" in row.classes) == (at == going + 1)
            assert (
                position in positions and piece == results[positions.index(position)].cells[1].split("\t")[0]
            )
            if going < ranked:
                assert {going, going + 1} <= set(positions)
                line = next(index for index, row in enumerate(table) if "first-kept" in row.classes)
                assert table[line - 1].cells[0] == str(going)  # no gap between them
            gaps = [index for index, row in enumerate(table) if "gap" in row.classes]
            breaks = [
                index for index in range(1, len(positions)) if positions[index] != positions[index - 1] + 1
            ]
            assert gaps == breaks
            assert frame.html.count('class="now"') == 1
            entries = {name: plain.model[name] for name in plain.model if len(name) > 1}
            gone = set(plain.removed[:position])
            strip = frame.html.split('<div class="vocab">')[1]
            pieces = re.findall(r'<bdi class="t [^>]*>(.*?)</bdi>', unmarked(strip))
            if position < going:  # the last one of a round renormalises and keeps the order
                assert pieces == sorted((p for p in entries if p not in gone), key=lambda p: -entries[p])[:48]


@pytest.mark.parametrize(("name", "size"), RUNS)
def test_a_rounds_end_renormalises(name: str, size: int) -> None:
    trace = example(name, size=size)
    counts, rounds = trace.word_frequencies, plain_rounds(name, size)
    step = 0
    for number, plain in enumerate(rounds):
        for index, _piece in enumerate(plain.removed, start=1):
            step += 1
            frame = course_frame(name, size, step)
            assert ("The round ends" in frame.say) == (index == len(plain.removed))
        left = {piece: count for piece, count in plain.model.items() if piece not in plain.removed}
        unnormalised = {piece: cost for piece, cost in costs(plain.model).items() if piece in left}
        before, after = plain_loss(counts, unnormalised), plain_loss(counts, costs(left))
        if number + 1 < len(rounds):
            assert rounds[number + 1].loss_before == pytest.approx(after, abs=1e-9)
        messages = (
            f"The round ends at a loss of {before:.4f}. With the probability shared among the "
            f"{len(left)} pieces left, it becomes {after:.4f}."
        )
        assert messages in frame.say and messages in without_tags(frame.html)
        assert f"<b>{after:.4f}</b>" in frame.html


def test_the_target_size_is_given_in_pieces() -> None:
    """Special tokens and bytes are in the vocabulary, but no pieces. Oracle: where the run ends. The table
    has room for pieces excluded by a bound; a second rule's sentence takes two of its rows."""
    words = dict.fromkeys(("hugging", "puns", "bunny", "mugged"), 3)
    for options in ({"special_tokens": ("<s>", "</s>")}, {"byte_fallback": True}):
        added = len(options.get("special_tokens", range(256)))
        trace = train_unigram(
            Corpus.from_counts(words), vocab_size=20 + added, exact=True, max_piece_length=3, **options
        )
        start = prune_frame(trace[0], PLAIN)
        assert start.status == f"{len(trace.seed)} → 20 pieces" and len(trace[-1].pieces) == 20
        listed = CANDIDATE_ROWS - (RULES_ROWS if "byte_fallback" in options else 0)
        assert start.html.count('<tr class="out">') == 2 and len(rows(start)) == listed
    assert "→" not in prune_frame(train_unigram(Corpus.from_counts(words), vocab_size=None)[0], PLAIN).status


def test_the_course_to_the_digit() -> None:
    """The published rounds: their losses, the pruned pieces, and the rest."""
    figures, trace = golden("course"), example("course")
    start = prune_frame(trace[0], PLAIN)
    assert start.say == (
        "Training starts from 300 pieces. At this size no word is re-segmented: choose a smaller vocabulary to see that. "
        "They are all 30 characters, and the 270 most frequent substrings. A piece's probability is its count divided by 594, the sum of all counts. Each word is split in the most probable way, so the "
        f"corpus costs {figures['initial_loss']:.4f}: the sum over its words of frequency × −log P."
    )
    assert sum(count for _piece, count in figures["seed_freqs_in_order"]) == 594
    longer = [item for item in figures["seed_freqs_in_order"] if len(item[0]) > 1]
    assert [row.cells[:3] for row in rows(start)] == [
        [piece, str(count), probability_text(count / 594)] for piece, count in longer[: len(rows(start))]
    ]
    assert len(rows(start)) == CANDIDATE_ROWS
    assert start.status == "300 → 100 pieces"
    bare = prune_frame(train_unigram(Corpus.from_counts({"a": 1, "b": 1}), vocab_size=2)[0], PLAIN)
    assert "They are all 2 characters. A piece's" in bare.say
    step, size = 0, 300
    for number, round_ in enumerate(figures["rounds"]):
        for piece in round_["removed"]:
            step, size = step + 1, size - 1
            frame = prune_frame(trace[step], PLAIN)
            assert frame.say.startswith(f"Prune {piece}: losing it costs nothing. ")
            assert frame.status.startswith(f"{size} ")
        if number + 1 < len(figures["rounds"]):
            after = figures["rounds"][number + 1]["loss_before"]
            assert f"shared among the {size} pieces left" in frame.say
            assert f"it becomes {after:.4f}." in frame.say
    assert step == len(trace) and size == figures["final_vocab_size"] == 98
    assert prune_frame(trace[step], PLAIN).status == "98 pieces"


def test_the_words_of_hug_at_the_start() -> None:
    figures, trace = golden("hug"), example("hug")
    frame = prune_frame(trace[0], PLAIN)
    shown = {"".join(row.before): row.before for row in words(frame)}
    assert shown == {word: text["tokens"] for word, text in figures["words"].items()}
    assert f", so the corpus costs {figures['loss']:.4f}" in frame.say
    longer = {piece: str(count) for piece, count in figures["freqs_in_order"] if len(piece) > 1}
    assert dict(row.cells[:2] for row in rows(frame)) == longer
    assert [row.cells[1] for row in rows(frame)] == sorted(longer.values(), key=int, reverse=True)
    losses = {row.cells[1].split("\t")[0]: row.cells[3] for row in rows(prune_frame(trace[1], PLAIN))}
    assert losses == {piece: loss_text(loss) for piece, loss in figures["removal_losses"].items()}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["course", "hug", "highest", "python"])
def test_the_way_to_the_next_word_that_comes_apart(name: str, method: str) -> None:
    """Where a step splits no word anew and a later prune does, a button leads there; else there is none. Of a
    long run, some steps, and those around such a prune."""
    trace = example(name, method)
    events = [snapshot.event for snapshot in trace]
    apart = [step for step, event in enumerate(events) if isinstance(event, PruneEvent) and event.resplits]
    around = {min(max(step + by, 0), len(trace)) for step in spread(apart) for by in (-1, 0, 1)}
    for step in sorted({*around, *spread(range(len(trace) + 1), 40)}):
        results = re.findall(
            r'<button [^>]*data-step="(\d+)">(.*?)</button>', prune_frame(trace[step], PLAIN).html
        )
        following = [later for later in apart if later > step][:1]
        wanted = (
            [] if step in apart else [(str(to), f"Next re-segmented word: step {to}") for to in following]
        )
        assert results == wanted, step


def test_the_end_mentions_free_prunes_only_when_all_were_free() -> None:
    said = "No prune cost anything: choose a smaller vocabulary."
    for name, size in RUNS:
        trace = example(name, size=size)
        free = not any(
            set(plain.removed) & set(plain_viterbi(word, costs(plain.model))[0])
            for plain in plain_rounds(name, size)
            for word in trace.word_frequencies
        )
        messages = [step for step in range(len(trace) + 1) if said in course_frame(name, size, step).say]
        assert messages == ([len(trace)] if free else []), (name, size)
    assert not any(said in prune_frame(snapshot, PLAIN).say for snapshot in example("hug", "sentencepiece"))


# --- SentencePiece's way ------------------------------------------------------------------------------------

EM_RUNS = [("hug", 10), ("course", 31), ("python", 200)]
"""Examples and sizes with estimated losses in SentencePiece's way."""


@cache
def em_run(name: str, size: int) -> UnigramTrace:
    return example(name, "sentencepiece", size)


def steps_of(trace: UnigramTrace, kind: str) -> list[int]:
    return [step for step in range(len(trace) + 1) if trace.record.kinds[step] == kind]


@pytest.mark.parametrize(("name", "size"), EM_RUNS)
def test_expected_counts_are_shown(name: str, size: int) -> None:
    """The eight highest and their probabilities before; the first E step's are those of the plain
    forward–backward."""
    trace = em_run(name, size)
    first = cast(ExpectationEvent, trace[1].event)
    plain = plain_e_step(trace.word_frequencies, log_shares(dict(trace.seed)))
    assert {row.piece: row.freq for row in first.expected} == pytest.approx(
        plain.expected, rel=1e-9, abs=1e-9
    )
    assert f"a word costs {plain.objective:.4f} on average" in prune_frame(trace[1], PLAIN).say
    steps = steps_of(trace, "e_step")
    assert len(steps) >= 4
    for number, step in enumerate(steps):
        frame, event = prune_frame(trace[step], PLAIN), cast(ExpectationEvent, trace[step].event)
        assert frame.say.startswith(f"E step {number % 2 + 1} of 2: ")
        assert f"a word costs {event.objective:.4f} on average" in frame.say
        assert f"<b>{event.objective:.4f}</b>" in frame.html
        assert heading(frame, 1) == ("Expected counts, highest first", f"{len(trace[step].pieces)} pieces")
        highest = sorted(event.expected, key=lambda row: -row.freq)[:CANDIDATE_ROWS]
        assert [row.cells[:3] for row in rows(frame)] == [
            [row.piece, probability_text(math.exp(trace[step - 1].pieces[row.piece])), f"{row.freq:,.2f}"]
            for row in highest
        ]
        assert heading(frame, 0)[0] == "Best splits, and their share of all splits"
        assert len(words(frame)) == min(WORDS_IN_FRAME, len(trace.corpus.words))
        for word in words(frame):
            spelled = "".join(word.before)
            lattice = trace[step - 1].lattice(spelled)
            best = lattice.best()
            assert best is not None and (
                spelled not in trace.word_frequencies or word.before == list(best.pieces)
            )
            if spelled not in trace.word_frequencies:  # a long word is cut after sixteen pieces
                assert len(word.before) == 16
                continue
            share = 100 * math.exp(best.log_probability - lattice.log_total)
            assert re.fullmatch(r"\d+(\.\d)? %", word.note)
            assert float(word.note[:-2]) == pytest.approx(share, abs=0.51)


@pytest.mark.parametrize(("name", "size"), EM_RUNS)
def test_new_probabilities_are_shown(name: str, size: int) -> None:
    """From expected count to probability by digamma, plain EM's beside it, and the dropped pieces."""
    trace = em_run(name, size)
    kinds = set()
    for number, step in enumerate(steps_of(trace, "m_step")):
        frame, event = prune_frame(trace[step], PLAIN), cast(MaximizationEvent, trace[step].event)
        expected = {row.piece: row.freq for row in cast(ExpectationEvent, trace[step - 1].event).expected}
        model = plain_m_step(expected)
        gone = [piece for piece in expected if piece not in model]
        pieces = "1 piece is" if len(gone) == 1 else f"{len(gone)} pieces are"
        assert frame.say.startswith(
            f"M step {number % 2 + 1} of 2: new probabilities from the expected counts; {pieces} dropped."
        )
        assert list(event.dropped) == gone
        listed = " ".join(gone[:4]) + (f" and {len(gone) - 4} more" if len(gone) > 4 else "")
        assert ("Dropped: " in frame.say) == bool(gone) and (not gone or f"Dropped: {listed}." in frame.say)
        stay = "1 piece kept" if len(model) == 1 else f"{len(model)} pieces kept"
        assert heading(frame, 1) == ("From expected counts to probabilities", stay)
        total = sum(freq for piece, freq in expected.items() if piece in model)
        table = rows(frame)
        assert 0 < len(table) <= CANDIDATE_ROWS
        assert expected[table[0].cells[0]] == max(expected.values())
        for row in table:
            piece, freq, share, after, change = row.cells
            assert share == probability_text(expected[piece] / total)
            kinds.add((piece in gone, expected[piece] < 5))
            if piece in gone:
                assert "past" in row.classes and after == "\tdropped" and freq == f"{expected[piece]:.3f}"
            else:
                assert "past" not in row.classes and freq == f"{expected[piece]:,.2f}"
                assert after == probability_text(math.exp(model[piece]))
                wanted = 100 * (math.exp(model[piece]) / (expected[piece] / total) - 1)
                assert re.fullmatch(r"[+−]\d+ %", change)
                assert float(change[:-2].replace("−", "-")) == pytest.approx(wanted, abs=0.51)
    assert kinds == {(False, True), (False, False), (True, True)}  # rare and frequent ones, and pruned ones


@pytest.mark.parametrize(("name", "size"), EM_RUNS)
def test_the_end_of_sentencepieces_method_is_narrated(name: str, size: int) -> None:
    trace = em_run(name, size)
    frame, final = prune_frame(trace[-1], PLAIN), dict(trace[-1].pieces)
    before = dict(trace[-2].pieces)
    assert steps_of(trace, "finalize") == [len(trace)]
    assert len(final) == len(plain_finalize(trace.word_frequencies, before, size)) == frame_size(frame)
    assert frame.say.startswith(
        f"Finalize: keep all characters of the alphabet and the most probable other pieces, {len(final)} in all."
    )
    loss = plain_loss(trace.word_frequencies, {piece: -log for piece, log in final.items()})
    assert f"The corpus costs {loss:,.4f}." in frame.say or f"The corpus costs {loss:,.1f}." in frame.say
    back, out = (
        [piece for piece in final if piece not in before],
        [piece for piece in before if piece not in final],
    )
    for name_, pieces in (("Put back", back), ("Left out", out)):
        listed = " ".join(pieces[:4]) + (f" and {len(pieces) - 4} more" if len(pieces) > 4 else "")
        assert (f"{name_}: " in frame.say) == bool(pieces)
        assert not pieces or f"{name_}: {listed}." in frame.say
    longer = [(piece, log) for piece, log in final.items() if len(piece) > 1]
    longer = sorted(longer, key=lambda item: -item[1])[:CANDIDATE_ROWS]
    assert [row.cells[:3] for row in rows(frame)] == [
        [piece, probability_text(math.exp(log)), f"{log:.4f}".replace("-", "−")] for piece, log in longer
    ]
    assert frame.status == f"{len(final)} pieces"
    assert "\u22120 " not in frame.say


def frame_size(frame: Frame) -> int:
    """The number of pieces stated by a frame."""
    return int(frame.status.split()[0].replace(",", ""))


@pytest.mark.parametrize(("name", "size"), EM_RUNS)
def test_sentencepieces_prunes_are_narrated_as_estimates(name: str, size: int) -> None:
    """The estimate, per word in the plain version, over the corpus here; splits before and after; the line;
    the end."""
    trace = em_run(name, size)
    counts = trace.word_frequencies
    assert trace.record.rounds
    free = paid = 0
    for number, round_ in enumerate(trace.record.rounds, start=1):
        model = dict(trace[round_.first_step - 1].pieces)
        unknown = min(model.values()) - 10
        losses = plain_prune(counts, model, 1)[1]
        splits = {word: with_unknown(word, model, unknown) for word in counts}
        for index in range(1, round_.pruned + 1):
            step = round_.first_step + index - 1
            frame, event = prune_frame(trace[step], PLAIN), cast(PruneEvent, trace[step].event)
            cost = sum(counts.values()) * losses.get(event.piece, 0.0)
            text = f"about {cost:.4f}" if cost else "nothing"
            assert frame.say.startswith(f"Prune {event.piece}: losing it costs {text}. ")
            free, paid = free + (not cost), paid + bool(cost)
            assert f"Round {number}: " in frame.say
            assert heading(frame, 1) == (
                "What each costs, about", f"{round_.pruned} of {len(round_.ranking)} pruned",
            )  # fmt: skip
            entries = [row.cells[0] for row in rows(frame) if "first-kept" in row.classes]
            assert entries == ([str(round_.pruned + 1)] if round_.pruned < len(round_.ranking) else [])
            del model[event.piece]
            changed = {
                word: (split, with_unknown(word, model, unknown))
                for word, split in splits.items()
                if event.piece in split and len(event.piece) > 1
            }
            shown = [row for row in words(frame) if row.after is not None]
            if len(event.piece) > 1:
                assert heading(frame, 0)[1] == f"{len(changed)} of {len(counts)}"
                assert [(row.before, row.after) for row in shown] == [
                    as_shown(before, after) for before, after in list(changed.values())[:8]
                ]
            splits |= {word: after for word, (_before, after) in changed.items()}
            assert ("The round ends at a loss of " in frame.say) == (index == round_.pruned)
            assert "With the probability shared" not in frame.say
        costs_now = {piece: -log for piece, log in model.items()}
        letters = dict.fromkeys(
            "".join(counts), 10 - min(model.values())
        )  # the round's end is a model of its own
        loss = plain_loss(counts, letters | costs_now)
        digits = 1 if loss >= 10_000 else 4
        assert (
            f"The round ends at a loss of {loss:,.{digits}f}; next, EM computes new probabilities."
            in frame.say
        )
    assert free and (paid or name == "hug")  # both have been looked at


FIGURES = re.compile(r"(-?[\d,.]+ × \(ln\([\d,]+/[\d,]+\)[^=]*\)) = (−?[\d,.e−]+)")


def evaluated(formula: str) -> float:
    """A formula as it is shown, worked out by Python."""
    source = formula.replace(",", "").replace("×", "*").replace("−", "-").replace("ln", "log")
    assert re.fullmatch(r"[\d()/* -]*", source.replace("log", ""))
    return float(eval(source, {"__builtins__": {}, "log": math.log}))


def assert_estimates(trace: UnigramTrace) -> int:
    """Every merely estimated loss comes with a formula for it, with numbers counted in the splits."""
    text = 0
    for round_ in trace.record.rounds:
        before = trace[round_.first_step - 1]
        used: dict[str, int] = {}
        for word, split in before.splits().items():
            for piece in split:
                if piece in before.pieces:
                    used[piece] = used.get(piece, 0) + trace.word_frequencies[word]
        for step in range(round_.first_step, round_.first_step + round_.pruned):
            event = cast(PruneEvent, trace[step].event)
            say = prune_frame(trace[step], PLAIN).say
            assert (
                ("Estimate: before the round" in say) == (event.estimate is not None) == (event.piece in used)
            )
            if event.estimate is None:
                assert event.loss == 0
                continue
            total, freq = sum(used.values()), used[event.piece]
            only = f"{event.piece} was the only piece in the best splits."
            assert (only if total == 1 else f"had {total:,} pieces, {freq:,} of them {event.piece}.") in say
            after = total + freq * (len(event.estimate.replacement) - 1)
            assert f"in its place they would have {after:,}, and" in say
            for part in event.estimate.replacement:
                assert f"{part} × {used.get(part, 0) + freq:,}" in say
            (result,) = FIGURES.findall(say)
            formula, shown = result[0], result[1].rstrip(".")
            assert evaluated(formula) == pytest.approx(event.loss, abs=1e-9)
            digits = re.sub(r"[,]", "", shown).replace("−", "-")
            assert float(digits) == pytest.approx(evaluated(formula), abs=0.51e-4, rel=1e-5)
            text += 1
    return text


@pytest.mark.parametrize(("name", "size"), EM_RUNS)
def test_estimates_follow_from_the_frames_numbers(name: str, size: int) -> None:
    assert bool(assert_estimates(em_run(name, size))) == (name != "hug")


@examples(40)
@given(corpora, st.integers(0, 12))
def test_estimates_of_generated_corpora_can_be_worked_out(frequencies: dict[str, int], more: int) -> None:
    size = len(set("".join(frequencies))) + more
    trace = train_unigram(Corpus.from_counts(frequencies), 300, size, "sentencepiece")
    assert_estimates(trace)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["course", "hug", "highest"])
def test_the_tables_estimates_can_be_worked_out(name: str, method: str) -> None:
    trace = example(name, method)
    for step in range(0, len(trace) + 1, 1 + len(trace) // 9):
        rows_ = trace.worth(step)
        table = worth_table(rows_, PLAIN)
        for formula, shown in zip(table["how it is estimated"], table["estimate"], strict=True):
            assert evaluated(formula) == pytest.approx(shown, abs=1e-9)


def test_hug_by_hand() -> None:
    """The words of hug, pug … as hug, h ug s, …: 62 pieces, hug 10 times, h and ug 5 times each."""
    assert estimate_formula(10, 62, (5, 5)) == "10 × (ln(10/62) − 2 × ln(15/72))"
    assert evaluated(estimate_formula(10, 62, (5, 5))) == pytest.approx(
        10 * (math.log(10 / 62) - 2 * math.log(15 / 72))
    )
    assert f"{evaluated(estimate_formula(10, 62, (5, 5))):.2f}" == "13.13"


def with_unknown(word: str, model: Mapping[str, float], unknown: float) -> list[str]:
    """The plain best split, with unknown characters of a given score."""
    usable = dict.fromkeys(word, -unknown) | {piece: -log for piece, log in model.items()}
    return plain_viterbi(word, usable)[0]


# --- why training ended -------------------------------------------------------------------------------------

STOPPED: Mapping[str, dict[str, Any]] = {
    "vocab_size": {"vocab_size": 10},
    "no_pieces": {"vocab_size": None},
    "seed_size": {"vocab_size": 300},
    "seed_cut": {"vocab_size": 300, "seed_size": 12},
    "no_seed": {"vocab_size": 300},
    "dropped": {"vocab_size": 14, "method": "sentencepiece"},
    "stopped": {"vocab_size": 8, "progress": lambda done, total: False},
    GROWING: {"vocab_size": 10},
}


@pytest.mark.parametrize("reason", PRUNING_STOPS)
def test_only_the_last_frame_explains_the_end_of_training(reason: str) -> None:
    counts = HUG if reason != "no_seed" else {"a": 3, "b": 2}
    trace = train_unigram(Corpus.from_counts(counts), **STOPPED[reason])
    if reason == GROWING:  # the whole run, as if more could follow
        trace = replace(trace, stop_reason=GROWING)
    assert trace.stop_reason == (reason if reason not in {"seed_cut", "no_seed"} else "seed_size")
    for step in range(len(trace) + 1):
        frame = prune_frame(trace[step], PLAIN)
        sound(frame)
        for other, message in PRUNING_STOPS.items():
            sentence = message.format(seed=len(trace.seed))
            assert (sentence in frame.say) == (step == len(trace) and other == reason)
            assert (sentence in without_tags(frame.html)) == (sentence in frame.say)


def test_pruned_to_the_characters_does_not_speak_of_a_size() -> None:
    """Without a size, nothing was asked for."""
    for trace in (example("hug", size=None), example("course", size=None)):
        assert {len(piece) for piece in trace[-1].pieces} == {1}
        frame = prune_frame(trace[-1], PLAIN)
        assert "asked for" not in frame.say
        assert frame.status == f"{len(trace.alphabet)} pieces"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("calls", [0, 1, 2, 3])
def test_a_run_stopped_anywhere_can_be_shown(method: str, calls: int) -> None:
    left = iter(range(calls))
    source = example("course").corpus
    trace = train_unigram(source, 300, 30, method, progress=lambda done, total: next(left, None) is not None)
    assert trace.stop_reason == "stopped"
    for step in range(len(trace) + 1):
        sound(prune_frame(trace[step], PLAIN))
    assert "Training was stopped here." in prune_frame(trace[-1], PLAIN).say


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("counts", [{"a": 3}, {"aaaa": 2}, {"ab": 1, "ba": 1}, {"\u0301": 1}])
def test_tiny_corpora(counts: dict[str, int], method: str) -> None:
    trace = train_unigram(Corpus.from_counts(counts), 300, None, method)
    for step in range(len(trace) + 1):
        sound(prune_frame(trace[step], PLAIN))


# --- errata -------------------------------------------------------------------------------------------------


def errata(trace: UnigramTrace) -> dict[int, str]:
    """Step → the erratum shown there; of the frames without one, some are drawn."""
    steps = range(len(trace) + 1)
    messages = {step for step in steps if unigram_erratum(trace[step], PLAIN)}
    results = {
        step: aside(prune_frame(trace[step], PLAIN)) for step in sorted({*messages, *spread(steps, 24)})
    }
    assert messages == {step for step in results if results[step]}
    return {step: results[step] for step in sorted(messages)}


def test_the_errata_of_the_four_sentences() -> None:
    figures, trace = golden("course"), example("course")
    published, right = figures["initial_loss_as_published"], figures["initial_loss"]
    assert (f"{published:.4f}", f"{right:.4f}") == ("413.1038", "382.1038")
    assert published - right == pytest.approx(figures["word_count"])
    assert errata(trace) == {
        0: f"Erratum (Hugging Face course) The course prints {published:.4f}. Its code starts each word's score at 1 instead of 0, which adds 1 for each "
        f"of {figures['word_count']} words: {right:.4f} is right.",
        202: "Erratum (Hugging Face course) The course's loop prunes while there are more than 100 pieces. Like this one, it ends at "
        f"{figures['final_vocab_size']}: the last round removes 10.",
    }
    assert len(figures["rounds"][-1]["removed"]) == 10


def test_the_erratum_of_hug() -> None:
    trace = example("hug")
    assert dict(trace.corpus.items()) == HUG
    stands = sum(count for word, count in HUG.items() if "p" in word)
    assert dict(golden("hug")["freqs_in_order"])["p"] == stands == 17 and golden("hug")["total"] == 210
    assert errata(trace) == {
        0: "Erratum (Hugging Face course) The course uses P(p) = 5/210. Computed: p occurs 5 + 12 = 17 times, so it is 17/210, like P(pu)."
    }


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", sorted({*SMALL} - {"course", "hug"}))
def test_no_errata_in_the_other_examples(name: str, method: str) -> None:
    assert errata(example(name, method)) == {}


@pytest.mark.parametrize(
    "settings",
    [
        {"exact": True},
        {"method": "sentencepiece"},
        {"size": 99},
        {"size": 40},
        {"size": None},
        {"seed": 299},
        {"seed": 1000},
        {"pre": "whitespace_split"},
        {"normalizer": "lowercase"},
        {"whole": False},
    ],
)
def test_no_errata_for_another_run_on_the_four_sentences(settings: dict[str, Any]) -> None:
    trace = example("course", **settings)
    assert errata(trace) == {}
    for word in ("Hopefully", "This", "pug"):
        assert lattice_erratum(trace[0], trace[0].lattice(word), PLAIN) == ""


def test_no_errata_for_another_text() -> None:
    texts = list(golden("course")["corpus"])
    for changed in ([*texts[:3], texts[3].replace("tokens", "tokenz")], texts[:3], [*texts, "Yes"]):
        corpus = Corpus.from_texts(changed, pre_tokenizer="whitespace_split_metaspace")
        trace = train_unigram(corpus, 300, 100)
        assert errata(trace) == {}
        assert lattice_erratum(trace[0], trace[0].lattice("Hopefully"), PLAIN) == ""


OTHER_HUGS: list[tuple[dict[str, int], dict[str, Any]]] = [
    (HUG | {"hug": 11}, {}),
    (HUG | {"mug": 1}, {}),
    ({word: count for word, count in HUG.items() if word != "bun"}, {}),
    (HUG, {"method": "sentencepiece"}),
    (HUG, {"whole_words": True}),
    (HUG, {"seed_size": 14}),
]


@pytest.mark.parametrize(("counts", "settings"), OTHER_HUGS)
def test_no_erratum_for_other_words_or_another_seed(counts: dict[str, int], settings: dict[str, Any]) -> None:
    """Where a piece's share is not out of 210, the course's figures are not this run's."""
    own: dict[str, Any] = {"seed_size": 15, "vocab_size": 10, "whole_words": False}
    trace = train_unigram(Corpus.from_counts(counts), **{**own, **settings})
    assert errata(trace) == {}
    for word in ("pug", "hug", "Hopefully"):
        assert lattice_erratum(trace[0], trace[0].lattice(word), PLAIN) == ""


def test_the_lattice_of_hopefully() -> None:
    figures, trace = golden("course")["viterbi"]["Hopefully"], example("course")
    published, right = figures["cost_as_published"], figures["cost"]
    markup = lattice_erratum(trace[0], trace[0].lattice("Hopefully"), PLAIN)
    assert expect_markup(markup, TAGS).text == (
        f"Erratum (Hugging Face course) The course gives {published:.4f} for this word, 1 too much, because its code starts at 1. "
        f"Computed: {right:.4f}."
    )
    assert (f"{published:.4f}", f"{right:.4f}") == ("41.5157", "40.5157")
    for step, word in ((1, "Hopefully"), (202, "Hopefully"), (0, "▁Hopefully,"), (0, "Hopefull"), (0, "pug")):
        assert lattice_erratum(trace[step], trace[step].lattice(word), PLAIN) == "", (step, word)


def test_the_lattice_of_pug() -> None:
    """Published with P(p) = 5/210; recomputed, and p·ug is as good as pu·g."""
    trace, right = example("hug"), golden("hug")["segmentations_of_pug"]
    markup = lattice_erratum(trace[0], trace[0].lattice("pug"), PLAIN)
    published = {
        "p u g": Fraction(5, 210) * Fraction(36, 210) * Fraction(20, 210),
        "pu g": Fraction(5, 210) * Fraction(20, 210),
    }
    letters, two = (f"{float(Fraction(right[split])):.3g}" for split in ("p u g", "pu g"))
    assert right["pu g"] == right["p ug"]
    assert expect_markup(markup, TAGS).text == (
        f"Erratum (Hugging Face course) The course uses P(p) = 5/210, and so gets {float(published['p u g']):.6f} for p u g and "
        f"{float(published['pu g']):.7f} for pu g. With 17/210 they are {letters} and {two}, and the latter ties with p ug."
    )
    for step, word in ((1, "pug"), (0, "pun"), (0, "hug"), (0, "pugs"), (0, "Hopefully")):
        assert lattice_erratum(trace[step], trace[step].lattice(word), PLAIN) == "", (step, word)
    assert lattice_erratum(trace[0], trace[0].lattice(""), PLAIN) == ""


# --- one of a kind ------------------------------------------------------------------------------------------


def test_one_is_in_the_singular() -> None:
    """A corpus of one letter: every possible count of one is in the singular."""
    for counts, size in (({"a": 3}, None), ({"aa": 3}, None), ({"aaa": 1}, 1), ({"ab": 1}, None)):
        for method in METHODS:
            trace = train_unigram(Corpus.from_counts(counts), 300, size, method)
            for step in range(len(trace) + 1):
                frame = prune_frame(trace[step], PLAIN)
                text = f"{frame.say} {frame.status} {without_tags(frame.html)}"
                wrong = r"\b(?<![.,/])1 (pieces|characters|words|pairs|tokens|most frequent|substrings)\b"
                assert not re.search(wrong, text), text
