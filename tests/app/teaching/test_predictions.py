"""Questions about the next step of a run: keys, verdicts, and frames without a clue to the next step.

Oracles: the slow plain versions of the three algorithms in `tests/`, which choose, count, score and split
anew at each step.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from html import escape
from itertools import chain, pairwise
from typing import Any

import pytest

from tests.core.oracle_bpe import plain_bpe
from tests.core.oracle_unigram import all_paths, costs, plain_removal_losses, plain_unigram_course
from tests.core.oracle_wordpiece import plain_wordpiece
from tests.samples import sampled
from tokenizers_core import TIE_RULES, Corpus, train_bpe, train_unigram, train_wordpiece
from tokenizers_core.training.algorithms import KINDS
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.tokens import Style, chip, chips, pair_chips, pair_text
from tokensteps.drawing.training.merging import merge_frame, wordpiece_frame
from tokensteps.drawing.training.pruning import prune_frame
from tokensteps.language.names import ASK_NAMES
from tokensteps.runs.corpora import EXAMPLES
from tokensteps.runs.rules import ASK_KINDS
from tokensteps.teaching.events import prune_at
from tokensteps.teaching.predictions import ASKS, ASKS_OF_KIND, next_question_step, question_after
from tokensteps.teaching.questions import RIGHT, TIED, UNREAD, WRONG, Choice

HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
WORDS = {"low": 5, "lower": 2, "newest": 6, "widest": 3, "<b>bold": 2, "aaaa": 3, "slow": 5}
STYLE = Style()


def verdicts(question: Any) -> dict[str, str]:
    """Each option → the worth of its choice."""
    assert isinstance(question.form, Choice)
    return {option: question.grade(option).kind for option in question.form.options}


@pytest.mark.parametrize("rule", TIE_RULES)
@pytest.mark.parametrize("words", [HUG, WORDS])
def test_the_next_merge_of_bpe(words: dict[str, int], rule: str) -> None:
    trace = train_bpe(Corpus.from_counts(words), tie_rule=rule)
    symbols = sorted(set("".join(words)))
    steps, _ = plain_bpe(words, list, symbols, rule, str.encode, 10_000)
    assert len(steps) == len(trace)
    for step, plain in enumerate(steps):
        question = question_after(trace, step, "pair", STYLE)
        most = max(plain.counts.values())
        expected = {
            " + ".join(pair): RIGHT if pair == plain.pair else TIED if number == most else WRONG
            for pair, number in plain.counts.items()
        }
        assert verdicts(question) == expected and question.key == " + ".join(plain.pair)
        counted = question_after(trace, step, "count", STYLE)
        graded = {number: counted.grade(str(number)).kind for number in range(most + 3)}
        assert [number for number, kind in graded.items() if kind == RIGHT] == [plain.freq]


ONE: re.Pattern[str] = re.compile(r"\b1 (times|words|tokens|pairs|pieces|symbols|letters|characters)\b")


@pytest.mark.parametrize(
    "kind", [kind for kind in ASK_KINDS if not any(kind in asks for asks in ASKS_OF_KIND.values())]
)
def test_one_is_in_the_singular(kind: str) -> None:
    """On a corpus with mostly counts of 1: questions, verdicts and workings, at every step with a
    question."""
    texts = ["low slow lowest"]
    traces = (train_bpe(Corpus.from_texts(texts)), train_wordpiece(Corpus.from_texts(texts)),
              train_unigram(Corpus.from_texts(texts), 60, 12))  # fmt: skip
    wanted = 0
    for trace in traces:
        for step in range(len(trace)):
            if kind not in ASKS[trace.algorithm]:
                continue
            question = question_after(trace, step, kind, STYLE)
            graded = question.grade("999").reason
            said = " ".join((question.prompt, question.solution, question.worked, graded))
            wanted += 1
            assert not ONE.search(re.sub("<[^>]*>", "", said)), said
    assert wanted or kind == "mixed"


@pytest.mark.parametrize("words", [HUG, WORDS])
def test_the_next_merge_of_wordpiece_and_its_score(words: dict[str, int]) -> None:
    trace = train_wordpiece(Corpus.from_counts(words))
    steps, _ = plain_wordpiece(words, "first")
    for step, plain in enumerate(steps):
        best = plain.scores[plain.pair]
        expected = {
            " + ".join(pair): RIGHT if pair == plain.pair else TIED if score == best else WRONG
            for pair, score in plain.scores.items()
        }
        assert verdicts(question_after(trace, step, "pair", STYLE)) == expected
        question = question_after(trace, step, "score", STYLE)
        assert question.grade(str(best)).kind == RIGHT and question.grade(question.key).kind == RIGHT
        assert question.grade(str(best + Fraction(1, 1000))).kind == WRONG
        assert question.grade(f"{float(best):.6f}").kind == (RIGHT if float(best) >= 1e-5 else UNREAD)


@pytest.mark.parametrize(
    ("algorithm", "words"), [("bpe", HUG), ("bpe", WORDS), ("wordpiece", HUG), ("wordpiece", WORDS)]
)
def test_how_a_word_is_split_after_the_next_merge(algorithm: str, words: dict[str, int]) -> None:
    """Oracle: the plain run's words after the step; a tied pair's merge is graded as tied, all else as
    wrong."""
    corpus = Corpus.from_counts(words)
    trace: Any = train_bpe(corpus) if algorithm == "bpe" else train_wordpiece(corpus)
    if algorithm == "bpe":
        splits = [
            step.splits
            for step in plain_bpe(words, list, sorted(set("".join(words))), "first", str.encode, 10_000)[0]
        ]
    else:
        splits = [step.splits for step in plain_wordpiece(words, "first")[0]]  # type: ignore[misc]
    wanted = 0
    for step, after in enumerate(splits):
        question = question_after(trace, step, "split", STYLE)
        if question.kind != "split":
            continue
        wanted += 1
        key = question.key.replace(" ", "")
        plain = [piece.removeprefix("##") if index else piece for index, piece in enumerate(after[key])]
        assert question.key == " ".join(plain) and question.grade(" | ".join(plain)).kind == RIGHT
        if len(key) > len(plain):
            assert question.grade(" ".join(key)).kind in (WRONG, TIED)
        assert question.grade(key + "x").kind == UNREAD
    assert wanted > len(splits) // 2


@pytest.mark.parametrize("words", [HUG, {"low": 5, "lower": 2, "newest": 6, "widest": 3, "slow": 5}])
def test_the_next_prune_and_what_it_costs(words: dict[str, int]) -> None:
    """Oracle: the plain run's losses, round by round; pieces with the same cost as the pruned one are right,
    too."""
    trace = train_unigram(
        Corpus.from_counts(words), seed_size=30, vocab_size=len(set("".join(words))), whole_words=True
    )
    rounds, _ = plain_unigram_course(words, 30, len(set("".join(words))))
    step, losses = 0, 0
    for one in rounds:
        gone: list[str] = []
        for piece in one.removed:
            question = question_after(trace, step, "piece", STYLE)
            loss = one.removal_losses[piece]
            assert question.key == piece
            for option, kind in verdicts(question).items():
                assert option not in gone
                assert (kind == RIGHT) == (one.removal_losses[option] <= loss + 1e-9)
            cost = question_after(trace, step, "loss", STYLE)
            if cost.kind == "loss":
                losses += 1
                assert not gone and cost.grade(f"{loss:.4f}").kind == RIGHT
                assert cost.grade(f"{loss + 1:.4f}").kind == WRONG
            gone.append(piece)
            step += 1
    assert step == len(trace) and losses > 3


def test_what_a_prune_costs_beside_unknown_characters() -> None:
    """Oracle: the plain removal losses, with unknown characters as pieces; the working's own numbers."""
    trace = train_unigram(Corpus.from_counts(HUG), vocab_size=None, character_coverage=0.9)
    assert {*trace.left_out} == {"s", "b"}
    costly = 0
    for step in range(len(trace)):
        snapshot, event = trace[step], prune_at(trace, step + 1)
        model = {piece: -log for piece, log in snapshot.pieces.items()}
        model |= dict.fromkeys(trace.left_out, -snapshot.unknown)
        question = question_after(trace, step, "loss", STYLE)
        if question.kind == "loss":
            loss = plain_removal_losses(HUG, model)[event.piece]
            assert question.grade(f"{loss:.4f}").kind == RIGHT
            worked = re.findall(r"(\d+) × \(([\d.]+) − ([\d.]+)\)", question.worked)
            assert sum(int(one) * (float(after) - float(before)) for one, after, before in worked) == (
                pytest.approx(loss, abs=0.01)
            )
            costly += loss > 1 and "b" in chips_in(question.prompt)
    assert costly


def test_how_a_word_is_split_without_the_next_piece() -> None:
    """Oracle: every split of the word enumerated, with the remaining pieces; equally probable ones are right,
    too."""
    trace = train_unigram(Corpus.from_counts(HUG), seed_size=15, vocab_size=7, whole_words=False)
    counts = dict(trace.seed)
    for step in range(len(trace)):
        question = question_after(trace, step, "split", STYLE)
        counts.pop(trace.event(step + 1).piece)  # type: ignore[union-attr]
        word = question.key.replace(" ", "")
        model = {piece: -cost for piece, cost in costs(counts).items()}
        paths = dict(all_paths(word, model))
        best = max(paths.values())
        for pieces, log in paths.items():
            kind = question.grade(" ".join(pieces)).kind
            assert (kind == RIGHT) == math.isclose(log, best, abs_tol=1e-9), (word, pieces)
        missing = question.grade(" ".join([word[:2], *word[2:]])).kind
        assert missing in (RIGHT, WRONG)


def test_only_merges_and_prunes_are_asked_about() -> None:
    """Oracle: the run's own list of kinds, searched one by one."""
    trace = train_unigram(
        Corpus.from_texts(EXAMPLES["python"].text().splitlines(), pre_tokenizer="whitespace_split_metaspace"),
        seed_size=800,
        vocab_size=150,
        method="sentencepiece",
    )
    kinds = trace.record.kinds
    assert {"prune", "e_step", "m_step", "finalize"} <= {*kinds}
    for step in range(len(trace) + 1):
        later = [at for at in range(step, len(trace)) if kinds[at + 1] == "prune"]
        assert next_question_step(trace, step) == (later[0] if later else None)
        if later and later[0] == step and step % 5 == 0:
            question = question_after(trace, later[0], "mixed", STYLE)
            assert question.grade(question.key).kind == RIGHT


def test_by_turns_asks_everything_and_names_exist() -> None:
    """How often a pair occurs is not asked where nobody can count, as the counts are given there: oracle, the
    number of words."""
    trace = train_bpe(Corpus.from_counts(WORDS))
    kinds = [question_after(trace, step, "mixed", STYLE).kind for step in range(len(trace))]
    assert kinds == [[*ASKS["bpe"]][step % 3] for step in range(len(trace))]
    for words, kind in ((120, "count"), (121, "pair")):
        large = train_bpe(Corpus.from_counts({f"x{number}": 1 for number in range(words)}))
        assert question_after(large, 1, "count", STYLE).kind == kind
    assert question_after(trace, 0, "loss", STYLE).kind == "pair"
    asks = (*ASKS.values(), *ASKS_OF_KIND.values())
    assert {"mixed", *chain.from_iterable(asks)} == {*ASK_NAMES} == {*ASK_KINDS}
    assert ASKS_OF_KIND.keys() == KINDS.keys()


def chips_in(html: str) -> list[str]:
    """The texts of the chips in some markup."""
    return re.findall(r'<bdi class="t [^>]*>([^<]*)</bdi>', html)


@pytest.mark.parametrize("words", [HUG, WORDS])
def test_no_frame_shows_a_token_learned_later(words: dict[str, int]) -> None:
    """Oracle: the run's own order of tokens. Whole words of the corpus are no secret: a tie rule names where
    a pair is first met."""
    traces: list[tuple[Any, Any]] = [
        (train_bpe(Corpus.from_counts(words)), merge_frame),
        (train_wordpiece(Corpus.from_counts(words)), wordpiece_frame),
    ]
    for trace, draw in traces:
        for step in range(len(trace)):
            later = {token for token, result in trace.step_of_token.items() if result > step} - {*words}
            frame = draw(trace[step], STYLE, ahead=False)
            assert not later & {*chips_in(frame.html)} and frame.label not in later


def test_a_ranking_ends_at_the_piece_that_goes() -> None:
    trace = train_unigram(Corpus.from_counts(HUG), seed_size=15, vocab_size=7, whole_words=False)
    for step in range(1, len(trace) + 1):
        html = prune_frame(trace[step], STYLE, ahead=False).html
        ranked = html[html.index('class="ranking"') :].partition("</table>")[0]
        assert "data-step" not in html and 'class="now' in ranked
        assert chips_in(ranked)[-1] == trace.event(step).piece  # type: ignore[union-attr]


def split_listed(html: str) -> tuple[str, list[str]]:
    """A frame without its words, its vocabulary and the list of pairs to choose from; and the texts of that
    list's chips."""
    listed = "".join(re.findall(r'<details class="listed">(.*?)</details>', html, re.DOTALL))
    rest = re.sub(
        r'<details class="listed">.*?</details>|<li class="w[ "].*?</li>', "", html, flags=re.DOTALL
    )
    return rest.partition('<div class="vocab">')[0], chips_in(listed)


def in_rows(html: str, drawn: str) -> bool:
    """Whether a table has a row with these chips in it."""
    return any(drawn in row for row in re.findall(r"<tr[^>]*>(.*?)(?=<tr|</table>)", html, re.DOTALL))


def random_words(seed: int) -> dict[str, int]:
    """A few short words of few letters, so that pairs tie and overlap."""
    draw = random.Random(seed)
    letters = "abcd"[: draw.randint(2, 4)]
    words = {
        "".join(draw.choices(letters, k=draw.randint(1, 7))): draw.randint(1, 9)
        for _ in range(draw.randint(2, 7))
    }
    return words | {"abab": 2}


def hidden_runs(seed: int) -> list[tuple[Any, Callable[..., Frame]]]:
    """The three algorithms on one corpus, and their drawing functions."""
    words = [HUG, WORDS][seed] if seed < 2 else random_words(seed)
    corpus = Corpus.from_counts(words)
    rules = [*TIE_RULES]
    return [
        (train_bpe(corpus, tie_rule=rules[seed % len(rules)]), merge_frame),
        (train_wordpiece(corpus, tie_rule=rules[seed % len(rules)]), wordpiece_frame),
        (train_unigram(corpus, seed_size=40, vocab_size=len({*"".join(words)})), prune_frame),
    ]


def test_nothing_on_the_page_gives_a_key_away() -> None:
    """Every kind of question, 500 times and more under `make stress`: the page names the key nowhere but in
    the words themselves, the question and a list of all pairs, sorted by spelling. Oracles: the run's own
    events; Python's `sorted`."""
    requests: Counter[tuple[str, str]] = Counter()
    seed = 0
    while seed < sampled(40) or min(
        requests[name, kind] for name, asks in ASKS.items() for kind in asks if kind != "loss"
    ) < sampled(500):
        for trace, draw in hidden_runs(seed):
            merging = trace.algorithm != "unigram"
            earlier: list[Frame] = []
            for step in range(len(trace)):
                earlier.append(draw(trace[step], STYLE, ahead=False))
                event = trace.event(step + 1)
                if event.kind not in ("merge", "prune"):
                    continue
                frame = draw(trace[step], STYLE, ahead=False, quiz=True)
                shown, listed = split_listed(frame.html)
                now = trace[step]
                if merging:
                    names = [pair_text(one.pair, STYLE) for one in now.candidates(200)]
                    pairs = [" + ".join(pair) for pair in zip(listed[::2], listed[1::2], strict=True)]
                    assert [escape(name) for name in sorted(names)] == pairs
                    assert "<b>" not in frame.html.partition("listed")[2].partition("</details>")[0]
                for kind in ASKS[trace.algorithm]:
                    question = question_after(trace, step, kind, STYLE)
                    requests[trace.algorithm, question.kind] += 1
                    if merging:
                        drawn, said = pair_chips(event.pair, STYLE), pair_text(event.pair, STYLE)
                        named = re.compile(rf"(?<![\w#]){re.escape(said)}(?!\w)")
                        for one in (frame, earlier[-1]):
                            assert drawn not in split_listed(one.html)[0]
                            assert not named.search(f"{one.say}\n{one.label}")
                    else:
                        ranked = shown.partition('class="ranking"')[2]
                        assert not in_rows(ranked, chip(event.piece, STYLE)) and frame.label != event.piece
                    if question.kind == "split" and merging:
                        splits = now.trace.splits(step + 1, event.words)
                        rows = [f'<span class="ts">{chips(then, STYLE)}</span>' for then in splits.values()]
                        assert not [row for row in rows if row in frame.html]
        seed += 1
    assert requests["unigram", "loss"] > sampled(500) // 10


def test_the_table_that_watching_shows_would_give_it_away() -> None:
    """The clues of the test above are there in the frames of a run in watching: on the course's text, the
    second row of the table is the next merge more often than not, and the sentence names it."""
    trace = train_bpe(Corpus.from_texts(EXAMPLES["course"].text().splitlines()), 50)
    message = 0
    for step in range(1, len(trace)):
        shown, listed = split_listed(merge_frame(trace[step], STYLE).html)
        event = trace.event(step + 1)
        assert event.kind == "merge" and not listed
        message += pair_chips(event.pair, STYLE) in shown
        assert "<table" in shown
    assert message >= 10


def test_pairs_have_counts_only_where_counting_is_impossible() -> None:
    """Oracle: counting the pairs of all words here."""
    words = {f"{first}{second}u": 1 + ord(second) % 5 for first in "abcdefghijklm" for second in "nopqrstvwx"}
    assert len(words) == 130
    trace = train_bpe(Corpus.from_counts(words))
    html = merge_frame(trace[0], STYLE, ahead=False, quiz=True).html
    listed = html[html.index('<details class="listed">') :].partition("</details>")[0]
    shown = [re.sub(r"<[^>]*>", " ", row).split() for row in listed.split("<tr")[2:]]
    counts: Counter[tuple[str, str]] = Counter()
    for word, number in words.items():
        for pair in pairwise(word):
            counts[pair] += number
    assert [(*row[-3:-1], row[-1]) for row in shown] == [
        (*pair, f"{counts[pair]}") for pair in sorted(counts)
    ]
    assert "bar" not in listed and "tied" not in listed
    scored = wordpiece_frame(
        train_wordpiece(Corpus.from_counts(words))[0], STYLE, ahead=False, quiz=True
    ).html
    assert "first × second" in scored and ">score<" not in scored


def test_how_spaces_are_drawn_changes_no_key() -> None:
    """An answer given with Ġ on the screen is right with ␣ on it, and the other way round for typed
    answers."""
    trace = train_bpe(Corpus.from_texts(EXAMPLES["course"].text().splitlines()), 50)
    marked, drawn = Style(byte_level=True), Style(byte_level=True, show="spaces")
    spelled = 0
    for step in range(len(trace)):
        for kind in ASKS["bpe"]:
            as_marked, as_drawn = (question_after(trace, step, kind, style) for style in (marked, drawn))
            assert as_drawn.key == as_marked.key.replace("Ġ", "␣") and "Ġ" not in as_drawn.prompt
            assert as_drawn.grade(as_marked.key).kind == as_drawn.grade(as_drawn.key).kind == RIGHT
            spelled += as_drawn.key != as_marked.key
    assert spelled > 5
