"""Answers as learners give them: every spelling of a right one, placeholders without a clue, mistakes with
their hints.

Oracles: `oracle_slips.py`, which makes each mistake in its own plain way; the slow trainings of
`tests/core/`; the split itself, spelled in another way.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

import pytest

from tests.app.teaching.oracle_exercises import (
    bpe_steps,
    solve_losses,
    solve_parity,
    solve_picky,
    solve_rule,
    solve_super,
    solve_way,
    splits_by_probability,
)
from tests.app.teaching.oracle_slips import (
    bpe_choices,
    bpe_encodings,
    choosers,
    counts,
    cuts,
    dropout_mistakes,
    losses,
    match_mistakes,
    probabilities,
    removals,
    sampling_mistakes,
    scores,
    split_slips_of,
    super_choices,
    wordpiece_choices,
    wordpiece_slips_of,
)
from tests.core.oracle_unigram import costs, plain_removal_losses
from tests.core.oracle_wordpiece import plain_wordpiece
from tests.samples import STRESS, sampled
from tokenizers_core import Corpus, train_bpe, train_unigram, train_wordpiece
from tokensteps.drawing.tokens import Style
from tokensteps.language.i18n import use_language
from tokensteps.language.slips import SLIPS
from tokensteps.teaching.exercises.kinds import EXERCISE_KINDS, Exercise, make
from tokensteps.teaching.exercises.words import LEVELS, SIZES, draw_words
from tokensteps.teaching.feedback import in_steps, judged, revealed, translated_verdict, tries_for
from tokensteps.teaching.predictions import ASKS, next_question_step, question_after
from tokensteps.teaching.questions import (
    AGAIN,
    HALF,
    QUARTER,
    RIGHT,
    TIED,
    UNREAD,
    WRONG,
    Choice,
    Entry,
    Question,
    SeveralLines,
    Verdict,
    read_number,
)
from tokensteps.teaching.splitting import EXAMPLE_SPLITS, readings, split_hint

NUMBER = sampled(1_000)
FEW = NUMBER if STRESS else 15
"""Where each takes long."""
PRE = ("whitespace_split", "byte_level", "whitespace_split_metaspace", "end_of_word", "none")
PREDICTED = [(algorithm, kind) for algorithm, asks in ASKS.items() for kind in asks]
SEPARATED = (" ", "  ", "|", " | ", "·", "+", ", ", " - ", "\t")


@cache
def trace_of(algorithm: str, seed: int) -> tuple[Any, Style]:
    """A small run, with every pre-tokenizer in turn."""
    random = Random(seed)
    words = draw_words(random, SIZES[random.choice(LEVELS)])
    words |= {random.choice(("a-b", "ab|c", "aaaa", "anana")): 2}
    text = [word for word, number in words.items() for _time in range(number)]
    random.shuffle(text)
    corpus = Corpus.from_texts([" ".join(text)], pre_tokenizer=PRE[seed % len(PRE)])
    style = Style(corpus.pipeline.byte_level)
    if algorithm == "unigram":
        size = len({*"".join(corpus.words)})
        return train_unigram(corpus, seed_size=size + 12, vocab_size=size), style
    return (train_bpe if algorithm == "bpe" else train_wordpiece)(corpus, merges=12), style


def predicted(algorithm: str, kind: str) -> Iterator[tuple[Any, int, Question]]:
    """Questions of a kind about steps of such runs."""
    result = seed = 0
    while result < NUMBER and seed < 3 * NUMBER:
        trace, style = trace_of(algorithm, seed)
        random = Random(f"{kind}{seed}")
        seed += 1
        step = next_question_step(trace, random.randrange(len(trace)))
        if step is None:
            continue
        question = question_after(trace, step, kind, style)
        if question.kind == kind:
            result += 1
            yield trace, step, question
    assert result > NUMBER // 4


exercise = cache(make)


def exercised(kind: str, number: int = NUMBER) -> Iterator[Exercise]:
    """A thousand exercises of a kind under `make stress`."""
    return (exercise(kind, level, seed) for seed in range(number // len(LEVELS)) for level in LEVELS)


def text_of(markup: str) -> str:
    """The text of markup."""
    return html.unescape(re.sub(r"<[^>]*>", " ", markup))


# --- spellings ----------------------------------------------------------------------------------------------


def spellings(pieces: list[str], prefix: str, separator: str, sign: str) -> Iterator[str]:
    """One split, typed in every accepted way."""
    word = "".join(pieces)
    own = any(character in word for character in separator.strip())
    between = " " if own else separator
    for marked in (True, False):
        typed = [prefix + piece if marked and index else piece for index, piece in enumerate(pieces)]
        yield between.join(typed)
        yield (
            f"[{', '.join(repr(piece) for piece in typed)}]"
            if "'" not in word and not own
            else between.join(typed)
        )
        if word[0] in "Ġ▁␣":
            rest = typed[0][1:]
            yield between.join([sign + rest, *typed[1:]])
            yield between.join([rest, *typed[1:]] if rest else typed[1:])
        if word.endswith("</w>") and len(word) > 4:
            last = typed[-1].removesuffix("</w>")
            yield between.join([*typed[:-1], last] if last.removeprefix(prefix) else typed[:-1])


@pytest.mark.parametrize("algorithm", ASKS)
def test_every_spelling_of_a_right_split_is_right(algorithm: str) -> None:
    """Also where the omitted part may be a token of its own, and for each of several equally good splits."""
    signs = 0
    for trace, _step, question in predicted(algorithm, "split"):
        prefix = trace.prefix if algorithm == "wordpiece" else ""
        pieces = question.key.split(" ")
        random = Random(question.key)
        for typed in spellings(pieces, prefix, random.choice(SEPARATED), random.choice("Ġ▁␣_")):
            if typed.strip(" []'"):
                assert question.grade(typed).kind == RIGHT, (typed, pieces)
        signs += not pieces[0][0].isalpha() or pieces[-1].endswith("</w>")
        for typed in (question.key + "x", "x" + question.key, question.key.replace(" ", "")[1:] + "é"):
            assert question.grade(typed).kind == UNREAD
    assert signs > NUMBER // 8


@pytest.mark.parametrize("kind", ["bpe_encode", "wordpiece_encode", "unigram_best"])
def test_every_spelling_of_a_right_encoding_is_right(kind: str) -> None:
    for one in exercised(kind):
        prefix = "##" if kind == "wordpiece_encode" else ""
        pieces = [piece.removeprefix(prefix) if prefix else piece for piece in one.question.key.split()]
        separator = Random(one.name).choice(SEPARATED)
        if "[UNK]" in pieces:
            assert one.question.grade(" ".join(pieces).lower()).kind == RIGHT
            continue
        for typed in spellings(pieces, prefix, separator, ""):
            assert one.question.grade(typed).kind == RIGHT, (typed, pieces)


@pytest.mark.parametrize(
    ("typed", "word", "prefix", "expected"),
    [
        ("c h", "Ġch", "", [("Ġc", "h"), ("Ġ", "c", "h")]),
        ("lo w", "low</w>", "", [("lo", "w</w>"), ("lo", "w", "</w>")]),
        ("a|-|b", "a-b", "", [("a", "-", "b")]),
        ("h##ug##s", "hugs", "##", [("h", "ug", "s")]),
        ("_x", "_x", "", [("_x",)]),
        ("x", "_x", "", []),
        ("|" * 4000, "hug", "", []),
        ("-" * 300, "-" * 24, "", None),
    ],
)
def test_splits_with_several_readings(
    typed: str, word: str, prefix: str, expected: list[tuple[str, ...]] | None
) -> None:
    result = readings(typed, word, prefix)
    assert expected is None or result == expected
    assert all("".join(pieces) == word for pieces in result) and len(result) <= 64


# --- placeholders -------------------------------------------------------------------------------------------


def fragments(text: str) -> set[str]:
    """Everything in a text that could be an answer: numbers and sums, runs of words, its lines."""
    words = re.split(r"[\s,;:、，；：]+", text)
    runs = {
        " ".join(words[start:end]) for start in range(len(words)) for end in range(start + 1, len(words) + 1)
    }
    return {text, *text.splitlines(), *runs, *re.findall(r"[0-9][-0-9.,/×*+() ]*", text)} - {""}


def gives_nothing_away(question: Question) -> None:
    """Neither the placeholder nor the message about an unreadable answer is an answer worth anything; but the
    word to split may be repeated."""
    hint = question.form.hint if isinstance(question.form, Entry | SeveralLines) else ""
    verdict = question.grade("?!")
    typed = (
        not isinstance(question.form, Choice) and question.kind != "construct"
    )  # “the” may be a piece to choose
    said = text_of(verdict.reason) if verdict.kind == UNREAD and typed else ""
    for text in {hint, said}:
        for fragment in fragments(text) - {question.key.replace(" ", "")}:
            if question.kind == "split" and " " not in fragment:
                continue  # an uncut word
            assert question.grade(fragment).kind not in (RIGHT, TIED), (fragment, question.key)
    rules = "".join(re.findall(r'<p class="(?:rule|asked)">(.*?)</p>', question.prompt))
    for fragment in re.findall(r"[0-9]+ ?[/×] ?[(0-9][-0-9.,/×*+() ]*", text_of(rules)):
        assert question.grade(fragment).kind != RIGHT, (fragment, question.key)


@pytest.mark.parametrize(("algorithm", "kind"), PREDICTED)
def test_no_placeholder_of_a_prediction_is_its_key(algorithm: str, kind: str) -> None:
    for number, (trace, step, _question) in enumerate(predicted(algorithm, kind)):
        use_language(("en", "zh", "ja")[number % 3])
        gives_nothing_away(question_after(trace, step, kind, trace_of(algorithm, 0)[1]))
    use_language("en")


@pytest.mark.parametrize("kind", EXERCISE_KINDS)
def test_no_placeholder_of_an_exercise_is_its_key(kind: str) -> None:
    for number in range(FEW):
        use_language(("en", "zh", "ja")[number % 3])
        gives_nothing_away(make(kind, LEVELS[number % len(LEVELS)], number // len(LEVELS)).question)
    use_language("en")


def test_the_example_of_a_split_is_never_the_word_itself() -> None:
    for word in (
        *(example.replace(" ", "") for example in EXAMPLE_SPLITS),
        "Ġunlikely",
        "recover</w>",
        "hugs",
    ):
        assert not any(readings(run, word) for run in fragments(split_hint(word)))


# --- mistakes -----------------------------------------------------------------------------------------------


def named(question: Question, mistakes: dict[str, list[Any]], typed: Callable[[Any], str]) -> set[str]:
    """Every mistake made, and its hint: it names a mistake with the same answer. Returns the names met."""
    met: set[str] = set()
    answers = [(name, answer) for name, result in mistakes.items() for answer in result]
    for _name, answer in answers:
        verdict = question.grade(typed(answer))
        if verdict.kind != WRONG:
            continue
        same = {name for name, other in answers if typed(other) == typed(answer)}
        assert verdict.slip in same, (typed(answer), verdict.slip, same, question.key)
        assert text_of(SLIPS[verdict.slip]) in text_of(verdict.hint)
        met.add(verdict.slip)
    return met


def pair_text(pair: tuple[str, str]) -> str:
    return f"{pair[0]} + {pair[1]}"


def seen(pair: tuple[str, str]) -> str:
    return pair_text(pair).replace("Ġ", "␣")


def spoken(facts: Any) -> dict[str, list[list[str]]]:
    """Each language's words in their tokens, by slow training."""
    result = solve_parity(facts, chosen=0).splits
    return {
        language: [words["▁" + word] for word in " ".join(facts["parallel"][language]).split()]
        for language, words in result.items()
    }


def state(facts: Any, wordpiece: bool) -> dict[str, Any]:
    """The words as they are split, by slow training."""
    words, step = facts["words"], facts["step"]
    if wordpiece:
        if step:
            return plain_wordpiece(words, "first", step)[0][-1].splits  # type: ignore[return-value]
        return {word: [word[0], *("##" + letter for letter in word[1:])] for word in words}
    return bpe_steps(words, step)[-1].splits if step else {word: [*word] for word in words}


BY_WAY = {
    "merges": "by_merges",
    "longest_prefix": "by_longest",
    "fewest_tokens": "by_fewest",
    "most_probable": "by_probability",
}


def exactly(number: Any) -> str:
    """A number as it can be typed."""
    return str(number) if isinstance(number, Fraction) else f"{number:.9g}"


def mistakes_of(kind: str, one: Exercise) -> set[str]:
    """The mistakes of one exercise, made and found out."""
    facts, question = one.facts, one.question
    words: Any = facts.get("words")
    match kind:
        case "bpe_count":
            return named(question, counts(state(facts, False), words, facts["pair"], ""), str)  # type: ignore[arg-type]
        case "bpe_pair":
            return named(question, bpe_choices(state(facts, False), words), pair_text)
        case "bpe_rules":
            return named(question, {f"{facts['rule']}_forgotten": solve_rule(facts)[2]}, pair_text)
        case "superbpe_pair":
            before = {**facts, "step": facts["step"] - 1}  # type: ignore[operator]
            lines = {line.replace(" ", "Ġ"): times for line, times in facts["lines"].items()}  # type: ignore[attr-defined]
            splits = solve_super(before).splits
            offered = super_choices(splits, lines, facts["most_words"])  # type: ignore[arg-type]
            assert isinstance(question.form, Choice)
            frequent = [pair for pair in offered["too_many_words"] if seen(pair) in question.form.options]
            return named(question, {**offered, "too_many_words": frequent}, seen)
        case "pickybpe_removal":
            splits = solve_picky({**facts, "step": facts["step"] - 1})  # type: ignore[operator]
            after = [splits[0], *splits[1]][-1].splits
            result = removals(after, words, facts["pair"], facts["threshold"])  # type: ignore[arg-type]
            return named(question, result, lambda tokens: " + ".join(tokens) or "–")
        case "paritybpe_language":
            return named(question, choosers(spoken(facts)), str)
        case "wordpiece_pair":
            return named(question, wordpiece_choices(state(facts, True), words), pair_text)
        case "wordpiece_score":
            return named(question, scores(state(facts, True), words, facts["pair"], "##"), str)  # type: ignore[arg-type]
        case "bpe_encode":
            result = bpe_encodings(facts["word"], facts["merges"], facts["alphabet"])  # type: ignore[arg-type]
            return named(
                question,
                {name: [tokens for tokens in match if tokens] for name, match in result.items()},
                " ".join,
            )
        case "unigram_probability":
            return named(question, probabilities(facts["split"], facts["pieces"]), str)  # type: ignore[arg-type]
        case "unigram_loss":
            model = costs(facts["pieces"])  # type: ignore[arg-type]
            return named(question, losses(words, model, facts["piece"]), "{:.6f}".format)  # type: ignore[arg-type]
        case "dropout":
            return named(question, (dropout_mistakes if "merges" in facts else match_mistakes)(facts), str)
        case "unigram_sampling":
            return named(question, sampling_mistakes(facts), exactly)
        case "ways":
            others = (
                ("merges", "longest_prefix", "fewest_tokens")
                if "merges" in facts
                else ("most_probable", "longest_prefix", "fewest_tokens")
            )
            result = {
                BY_WAY[way]: [*solve_way({**facts, "way": way})] for way in others if way != facts["way"]
            }
            return named(question, result, " ".join)
    raise AssertionError(kind)


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("bpe_count", "words_once letters either_order one_token"),
        ("bpe_pair", "words_once"),
        ("bpe_rules", "longest_forgotten kept_forgotten digits_forgotten"),
        ("superbpe_pair", "words_once within_words too_many_words"),
        (
            "pickybpe_removal",
            "new_token characters_too at_threshold words_once by_rest every_place share_left each_part",
        ),
        ("paritybpe_language", "fewest_tokens_choose most_characters most_words"),
        ("wordpiece_pair", "most_frequent first_only second_only words_once"),
        (
            "wordpiece_score",
            "undivided first_only second_only counts_added words_once prefix_ignored upside_down",
        ),
        ("bpe_encode", "no_rule too_early leftmost unknown_kept"),
        ("unigram_probability", "added counts_multiplied divided_once piece_left_out"),
        (
            "dropout",
            "end_forgotten dropped_forgotten taken_forgotten dropout_swapped one_way_only drops_for_good single_drops",
        ),
        ("unigram_sampling", "not_divided power_forgotten power_after others_only equally_likely"),
        ("ways", "by_merges by_longest by_fewest by_probability"),
        ("unigram_loss", "words_once after_only before_only base_two base_ten sign"),
    ],
)
def test_a_mistake_gets_its_hint(kind: str, wanted: str) -> None:
    met: set[str] = set()
    for number, one in enumerate(exercised(kind)):
        met |= mistakes_of(kind, one)
        if not STRESS and number >= FEW and {*wanted.split()} <= met:
            break
    assert {*wanted.split()} <= met


def test_any_other_cut_of_a_word_gets_its_hint() -> None:
    met: set[str] = set()
    for one in exercised("wordpiece_encode"):
        vocabulary: Any = one.facts["vocabulary"]
        true = one.question.key.split()
        for yours in cuts(str(one.facts["word"])):
            verdict = one.question.grade(" ".join(yours))
            if verdict.kind == WRONG:
                assert verdict.slip in wordpiece_slips_of(yours, vocabulary, true), (yours, vocabulary)
                met.add(verdict.slip)
        if true != ["[UNK]"]:
            assert one.question.grade("[UNK]").slip == "gave_up"
    assert met >= {"other_form", "not_in_vocabulary", "not_longest"}
    met = set()
    for one in exercised("bpe_encode"):
        merges: Any = one.facts["merges"]
        known = {*one.facts["word"], *map("".join, merges), "[UNK]"}  # type: ignore[misc]
        for yours in cuts(str(one.facts["word"])):
            verdict = one.question.grade(" ".join(yours))
            if verdict.kind == WRONG and verdict.slip in ("", "not_in_vocabulary"):
                assert (verdict.slip != "") == (not known.issuperset(yours)), (yours, merges)
                met.add(verdict.slip)
    assert met == {"", "not_in_vocabulary"}
    met = set()
    for one in exercised("unigram_best"):
        pieces: Any = one.facts["pieces"]
        for split in splits_by_probability(one.facts):
            verdict = one.question.grade(" ".join(split))
            if verdict.kind == WRONG:
                assert verdict.slip in split_slips_of(split, pieces), split
                met.add(verdict.slip)
    assert met >= {"greedy", "fewest_pieces", "less_probable"}


def test_a_wrong_piece_gets_its_hint() -> None:
    met: set[str] = set()
    for one in exercised("unigram_piece"):
        assert isinstance(one.question.form, Choice)
        offered, pieces = one.question.form.options, one.facts["pieces"]
        words: Any = one.facts["words"]
        true = solve_losses(one.facts)
        types = plain_removal_losses(dict.fromkeys(words, 1), costs(pieces))  # type: ignore[arg-type]
        for option in offered:
            verdict = one.question.grade(option)
            if verdict.kind != WRONG:
                continue
            expected = set()
            if types[option] < min(types[other] for other in offered) + 1e-6:
                expected.add("words_once")
            if all(pieces[option] < pieces[other] for other in offered if other != option):  # type: ignore[index]
                expected.add("least_probable")
            if true[option] > max(true[other] for other in offered) - 1e-6:
                expected.add("most_costly")
            assert verdict.slip in (expected or {""}), (option, expected)
            met.add(verdict.slip)
    assert met >= {"least_probable", "most_costly"}


def test_a_wrong_cell_gets_its_hint() -> None:
    """Oracle: all ways to each boundary, added up here."""
    met: set[str] = set()
    for one in exercised("viterbi"):
        word, model = str(one.facts["word"]), one.facts["bits"]
        cells = one.question.key.split("\n")
        end = 1 + one.seed % len(word)
        true = int(cells[2 * end - 2])
        last = [word[start:end] for start in range(1, end) if word[start:end] in model]  # type: ignore[operator]
        wrong = {
            "own_only": [model[piece] for piece in last],  # type: ignore[index]
            "letters_only": [sum(model[letter] for letter in word[:end])],  # type: ignore[index]
            "not_least": [true + 1, true + 5],
        }
        for name, numbers in wrong.items():
            for number in numbers:
                verdict = one.question.grade(
                    "\n".join([*cells[: 2 * end - 2], str(number), *cells[2 * end - 1 :]])
                )
                if number != true:
                    assert verdict.cells == (2 * end - 2,)
                    same = {other for other, result in wrong.items() if number in result} | (
                        {"not_least"} if number > true else set()
                    )
                    assert verdict.slip in same, (name, verdict.slip)
                    assert str(true) + " bits" not in text_of(verdict.hint)
                    met.add(verdict.slip)
        for piece, slip in (
            ("qq", "not_a_piece"),
            (word[0] if end > 1 and word[end - 1] != word[0] else "", "elsewhere"),
        ):
            if piece:
                assert (
                    one.question.grade("\n".join([*cells[: 2 * end - 1], piece, *cells[2 * end :]])).slip
                    == slip
                )
    assert met == {"own_only", "letters_only", "not_least"}


def test_a_mistake_carried_on_is_named() -> None:
    """Oracle: the table filled in again from the wrong cell on."""
    carried = 0
    for one in exercised("viterbi"):
        word, model = str(one.facts["word"]), one.facts["bits"]
        cells = one.question.key.split("\n")
        reached = [0, int(cells[0]) + 1]
        for end in range(2, len(word) + 1):
            reached.append(
                min(
                    reached[start] + model[word[start:end]]
                    for start in range(end)
                    if word[start:end] in model
                )
            )  # type: ignore[index,operator]
        cells[::2] = map(str, reached[1:])
        verdict = one.question.grade("\n".join(cells))
        wrong = [cell for cell in verdict.cells if cell % 2 == 0]
        assert ("follow from it" in verdict.hint) == (len(wrong) > 1)
        carried += len(wrong) > 1
    assert carried > 5


@pytest.mark.parametrize(("algorithm", "kind"), [("bpe", "count"), ("bpe", "pair"), ("wordpiece", "pair"), ("wordpiece", "score")])  # fmt: skip
def test_a_mistake_in_a_prediction_gets_its_hint(algorithm: str, kind: str) -> None:
    met: set[str] = set()
    for trace, step, question in predicted(algorithm, kind):
        splits, words = trace.splits(step, trace.corpus.words), trace.word_frequencies
        pair, prefix = tuple(trace.event(step + 1).pair), trace.prefix if algorithm == "wordpiece" else ""
        if PRE[0] != trace.corpus.pipeline.pre_tokenizer:
            continue  # tokens are written as they are
        if kind == "pair":
            results = (wordpiece_choices if prefix else bpe_choices)(splits, words)
            met |= named(question, results, pair_text)
        else:
            met |= named(question, (counts if kind == "count" else scores)(splits, words, pair, prefix), str)
    assert met and (kind != "count" or {"places_once", "overlaps"} & met)


def test_a_mistake_by_which_all_pairs_are_equal_is_no_hint() -> None:
    """Each pair occurs in one word: with each word counted once, no pair would be the most frequent."""
    corpus = Corpus.from_texts(["hug " * 9 + "pin " * 5], pre_tokenizer=PRE[0])
    question = question_after(train_bpe(corpus, merges=3), 0, "pair", Style(False))
    verdict = question.grade("p + i")
    assert (verdict.kind, verdict.slip) == (WRONG, "")


@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece"])
def test_a_word_that_is_merged_wrongly_gets_its_hint(algorithm: str) -> None:
    """Oracle: places of the pair, joined one by one."""
    met: set[str] = set()
    for trace, _step, question in predicted(algorithm, "split"):
        prefix = trace.prefix if algorithm == "wordpiece" else ""
        key = tuple(question.key.split(" "))
        now = re.findall(r"<bdi[^>]*>(.*?)</bdi>", question.prompt)
        plain = [
            html.unescape(token).removeprefix(prefix) if index else html.unescape(token)
            for index, token in enumerate(now)
        ]
        verdict = question.grade(" ".join(plain))
        if verdict.kind == WRONG and "<" not in question.key:
            assert verdict.slip == "unmerged"
        for index in range(len(plain) - 1):
            one = (*plain[:index], plain[index] + plain[index + 1], *plain[index + 2 :])
            verdict = question.grade(" ".join(one))
            if verdict.kind == WRONG:
                merged = len(one) - len(key)
                expected = (
                    {"one_place", "other_pair", "ahead", "from_right"}
                    if merged >= 0
                    else {"other_pair", "ahead"}
                )
                assert verdict.slip in expected | {""}, (one, key)
                met.add(verdict.slip)
    assert {"other_pair", "one_place"} <= met


# --- steps --------------------------------------------------------------------------------------------------


def wrong_answers(question: Question, many: int) -> list[str]:
    """Different wrong answers."""
    if isinstance(question.form, Choice):
        tried: Iterable[str] = question.form.options
    elif isinstance(question.form, Entry) and read_number(question.key.replace("−", "-")) is not None:
        tried = (f"{number}.5" for number in range(70_001, 70_020))
    else:
        tried = (" ".join(cut) for cut in cuts(question.key.replace(" ", "").replace("##", "")[:9]))
    return [answer for answer in tried if question.grade(answer).kind == WRONG][:many]


@pytest.mark.parametrize(
    "kind", [kind for kind in EXERCISE_KINDS if kind not in ("viterbi", "construct", "course")]
)
def test_the_answer_is_hidden_before_the_last_try(kind: str) -> None:
    """After each wrong answer but the last there is a hint, and the solution is in none of them."""
    for one in exercised(kind, 25):
        question, before = one.question, []
        for answer in wrong_answers(question, tries_for(question)):
            verdict = in_steps(question, before, answer, question.grade(answer))
            before.append(answer)
            last = len(before) == tries_for(question)
            assert verdict.kind == (WRONG if last else AGAIN)
            if not last:
                assert question.solution not in verdict.reason and "it should be" not in verdict.reason
                assert "counts" in verdict.reason and (len(before) < 2 or question.worked in verdict.reason)
                again = in_steps(question, before, f" {answer} ", question.grade(answer))
                assert again.kind == UNREAD and "already" in again.reason
        kinds = [
            in_steps(question, before[:number], question.key, question.grade(question.key)).kind
            for number in range(3)
        ]
        assert kinds == [(RIGHT, HALF, QUARTER)[min(number, len(before))] for number in range(3)]


@pytest.mark.parametrize("kind", ["mistake", "construct", "viterbi", "bpe_count", "paritybpe_language"])
def test_a_verdict_is_said_again_in_another_language(kind: str) -> None:
    """It is the same as if the answer had been given in that language, where options have other words, too;
    so is an answer shown on request."""
    question = make(kind, 1, 2).question
    try:
        use_language("zh")
        other = make(kind, 1, 2).question
        for before in range(3):
            for answer in (*wrong_answers(question, 1), question.key, " "):
                wanted = answer
                if isinstance(question.form, Choice) and isinstance(other.form, Choice) and answer != " ":
                    wanted = other.form.options[question.form.options.index(answer)]
                tries = [f"try {number}" for number in range(before)]
                use_language("en")
                verdict = in_steps(question, tries, answer, judged(question, answer))
                assert translated_verdict(verdict, lambda: other) is verdict
                use_language("zh")
                again = translated_verdict(verdict, lambda: other)
                assert again == in_steps(other, tries, wanted, judged(other, wanted))
                assert (again.kind, again.cells) == (verdict.kind, verdict.cells)
                assert again.reason != verdict.reason
        for message in ("", "The answer: {solution}"):
            use_language("en")
            verdict = revealed(question, message)
            use_language("zh")
            again = translated_verdict(verdict, lambda: other)
            assert again == revealed(other, message) and again.reason != verdict.reason
    finally:
        use_language("en")


@pytest.mark.parametrize("kind", EXERCISE_KINDS)
def test_no_space_follows_a_chinese_or_japanese_full_stop(kind: str) -> None:
    """They are as wide as a character: the gap is theirs."""
    try:
        for number, language in enumerate(("zh", "ja")):
            use_language(language)
            question = make(kind, LEVELS[number], 1).question
            for answer in (*wrong_answers(question, 1), question.key):
                verdict = judged(question, answer)
                assert not re.search(r"[。！？](?:</?[^>]*>)* ", verdict.reason + verdict.hint), verdict
    finally:
        use_language("en")


def test_a_tie_stays_a_tie_and_two_options_have_one_try() -> None:
    verdict = Verdict(TIED, "")
    question = make("bpe_pair", 1, 1).question
    assert in_steps(question, ["a + b"], "c + d", verdict)._replace(given=None) == verdict
    two = Question("x", "", Choice(("a", "b")), "a", lambda answer: verdict, "", "the way")
    assert tries_for(two) == 1 and tries_for(question) == 3
