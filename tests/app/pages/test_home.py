"""The home page's figures, its links, and its sentences about the linked steps.

Oracles: counts made here from the corpora's text, without the page's functions; the engine's traces behind a
link.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tokenizers_core import Corpus, Pipeline, first_difference, train_bpe
from tokensteps.catalogue.analysis import Analysis, analyse
from tokensteps.catalogue.choices import GPT2, TokenizerSpec
from tokensteps.catalogue.shown_tokenizers import TrainedSubject
from tokensteps.language.pages import PAGES
from tokensteps.limits import SENTENCE_LIMIT
from tokensteps.pages.learn.home import GROWING, MORE, SENTENCE, SPEC, WATCH, carried, home_run
from tokensteps.pages.learn.home_algorithms import ALGORITHM_ROWS, algorithm_columns, algorithms_html
from tokensteps.pages.learn.home_sentence import (
    HOME_CORPUS,
    WAY_SHOWN,
    as_words,
    corpus_facts,
    pieces_in,
    sentence_counts_html,
    sentence_html,
    ways_html,
    ways_to_cut,
)
from tokensteps.runs.algorithms import ALGORITHMS, BPE, UNIGRAM, trace_at
from tokensteps.runs.corpora import EXAMPLES, unpack_text
from tokensteps.runs.rules import COMPARE_RULES
from tokensteps.runs.settings import read_url
from tokensteps.server.stores import text_store
from tokensteps.server.tasks import Progress
from tokensteps.teaching.lessons import (
    ENCODE_LINK,
    LATTICE_LINK,
    LESSONS,
    PLUS,
    PRACTICE,
    PRUNE_LINK,
    TIE_LINK,
    TO_COUNT_LINK,
    TO_SCORE_LINK,
    Link,
    facts,
    lesson_page,
    say,
)
from tokensteps.teaching.path.cards import path_facts
from tokensteps.teaching.path.stations import STATIONS
from tokensteps.teaching.scenes.scene_questions import SCENES

ROOT = Path(__file__).resolve().parents[3]
HOSTILE = "<img src=x onerror=alert(1)> **b** $x$ \u202e<|endoftext|> a\u0301 🍵 שלום"
SENTENCES = [
    SENTENCE,
    "",
    "I can't re-read naïve café no. 42_b!",
    HOSTILE,
    "茶 और हिन्दी, 👩‍👩‍👧",
    "a" * SENTENCE_LIMIT,
]
HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
"""The course's words and counts."""

LINKS = [
    WATCH,
    GROWING,
    *MORE,
    *PRACTICE,
    *(station.link for station in STATIONS),
    *(activity.link for lesson in LESSONS for activity in lesson.activities if activity.link is not None),
    *(column.link for column in algorithm_columns()),
]


@pytest.fixture(scope="module")
def subject() -> TrainedSubject:
    """The page's tokenizer, trained by the engine on the page's own corpus, without the page."""
    text = EXAMPLES[HOME_CORPUS].text()
    trace = train_bpe(
        Corpus.from_texts([text], pre_tokenizer="byte_level"),
        2000,
        min_frequency=2,
        special_tokens=("<|endoftext|>",),
        alphabet="bytes",
    )
    return TrainedSubject("mine", trace.tokenizer(), trace, len(trace))


def words_in(text: str) -> list[str]:
    """Words and signs, letter by letter: letters, digits, marks and _ stand together, and so do other
    signs."""
    words: list[str] = []
    before = ""
    for character in text:
        if character.isspace():
            kind = ""
        elif character.isalnum() or character == "_" or unicodedata.category(character)[0] in "LNM":
            kind = "word"
        else:
            # A joiner and other connectors count as \w, as regular expressions have it.
            kind = (
                "word" if unicodedata.category(character) == "Pc" or character in "\u200c\u200d" else "sign"
            )
        if kind and kind == before:
            words[-1] += character
        elif kind:
            words.append(character)
        before = kind
    return words


def shown(markup: str) -> str:
    """Markup as visible text."""
    return unescape(re.sub(r"<[^>]*>", "", markup))


# --- the sentence, and why subwords -------------------------------------------------------------------------


def test_the_tokenizer_is_the_one_that_its_links_open(subject: TrainedSubject) -> None:
    assert WATCH.query == TokenizerSpec.parse(SPEC).query
    run = home_run()
    assert TokenizerSpec.parse(SPEC).run().name == run.name
    trace = run.make(Progress())
    assert trace.tokenizer().tokens == subject.tokenizer.tokens and subject.size == 2000


def test_the_corpus_is_counted_right() -> None:
    text = EXAMPLES[HOME_CORPUS].text()
    result = corpus_facts(HOME_CORPUS)
    assert result.length == len(text)
    assert result.characters == set(text)
    assert result.words == set(words_in(text))


def test_the_figures_make_the_point(subject: TrainedSubject) -> None:
    """A subword vocabulary is smaller than one of words, and leaves no word unknown; words and characters
    pay."""
    characters, words, subwords = ways_to_cut(analyse(subject, SENTENCE), corpus_facts(HOME_CORPUS))
    assert characters.vocabulary < subwords.vocabulary < words.vocabulary
    assert len(words.chips) < len(subwords.chips) < len(characters.chips)
    assert words.unknown and not subwords.unknown and not characters.unknown


@pytest.mark.parametrize("sentence", SENTENCES)
def test_pieces_vocabularies_and_unknown_words(subject: TrainedSubject, sentence: str) -> None:
    text = EXAMPLES[HOME_CORPUS].text()
    known, letters = set(words_in(text)), set(text)
    words = words_in(sentence)
    result = ways_to_cut(analyse(subject, sentence), corpus_facts(HOME_CORPUS))
    tokens = subject.tokenizer.encode(sentence).tokens
    pieces = [len(sentence), len(words), len(tokens)]
    assert [pieces_in(way.chips) for way in result] == pieces
    assert [way.vocabulary for way in result] == [len(letters), len(known), subject.size]
    assert set(result[0].unknown) == {word for word in words if set(word) - letters}
    assert set(result[1].unknown) == {word for word in words if word not in known}
    assert result[2].unknown == ()  # every byte has a token
    drawn = ways_html(analyse(subject, sentence), corpus_facts(HOME_CORPUS))
    figures = [int(number.replace(",", "")) for number in re.findall(r"<dd>([\d,]+)</dd>", drawn)]
    assert figures == [
        number
        for number_of_pieces, way in zip(pieces, result, strict=True)
        for number in (number_of_pieces, way.vocabulary, len(way.unknown))
    ]
    for way in result:
        rest = pieces_in(way.chips[WAY_SHOWN:])
        assert (f"… {rest} more" in shown(drawn)) or len(way.chips) <= WAY_SHOWN


def test_unknown_words_are_named_and_the_rest_counted() -> None:
    message = as_words("qa qb qc qd qe qf qg qh", corpus_facts(HOME_CORPUS)).cost
    assert "qf" in message and "qg" not in message and shown(message).endswith(" and 2 more.")


def test_a_tokenizer_without_some_letters_names_the_lost_words() -> None:
    trace = train_bpe(Corpus.from_counts(HUG))
    analysis = analyse(TrainedSubject("hug", trace.tokenizer(), trace, len(trace)), "bug mug")
    assert ways_to_cut(analysis, corpus_facts("hug"))[2].unknown == ("mug",)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_every_token_has_its_id_under_it(subject: TrainedSubject, sentence: str) -> None:
    analysis = analyse(subject, sentence)
    ids = subject.tokenizer.encode(sentence).ids
    under = " ".join(re.findall(r"<small>([\d ]*)</small>", sentence_html(analysis))).split()
    assert list(map(int, under)) == list(ids)
    counted = re.findall(r"<b>([\d,]+) ", sentence_counts_html(analysis))
    assert counted == [str(len(ids)), str(len(sentence))]


def test_a_hostile_sentence_is_text(subject: TrainedSubject) -> None:
    analysis: Analysis = analyse(subject, HOSTILE)
    for markup in (sentence_html(analysis), ways_html(analysis, corpus_facts(HOME_CORPUS))):
        assert not re.search(r"<(?!/?(?:div|section|h3|dl|dt|dd|p|span|bdi|small|b|i)\b)", markup)
        assert not re.search(r"<[^>]*\son", markup) and "\u202e" not in markup


def test_the_playground_gets_the_text_and_the_tokenizer() -> None:
    assert carried("") == {"t1": SPEC, "t2": GPT2}
    query = carried(HOSTILE)
    assert unpack_text(query["text"]) == HOSTILE and query["t1"] == SPEC
    long = "".join(map(chr, range(33, 50_000)))  # too long for a link, however packed
    assert text_store().get(carried(long)["id"]) == long.encode()


# --- links --------------------------------------------------------------------------------------------------


def trace_of(link: Link) -> Any:
    return trace_at(
        ALGORITHMS[link.page],
        **{name: text for name, text in link.query.items() if name not in ("step", "mode", "ask")},
    )


@pytest.mark.parametrize(
    "link", dict.fromkeys((link.page, tuple(sorted(link.query.items()))) for link in LINKS)
)
def test_every_link_opens_without_complaint(link: tuple[str, tuple[tuple[str, str], ...]]) -> None:
    there = Link("", link[0], dict(link[1]))
    assert (ROOT / PAGES[there.page].script).is_file()
    if there.page in ALGORITHMS:
        recipe, complaints = read_url(there.page, ALGORITHMS[there.page].rules, there.query)
        assert complaints == []
        if recipe["corpus"] in EXAMPLES:
            assert 0 <= int(there.query.get("step", "0")) <= len(trace_of(there))
    elif there.page == "compare":
        assert read_url("compare", COMPARE_RULES, there.query).complaints == []
    elif there.page == "whatif":
        words = TokenizerSpec.parse(there.query["t1"]).run().make(Progress()).word_frequencies
        assert there.query["step"] == str(words[there.query["of"]])
    elif there.page == "playground" and there.query:
        for name in ("t1", "t2") if "t2" in there.query else ("t1",):
            spec = there.query[name]
            assert spec == GPT2 or TokenizerSpec.parse(spec).run() is not None
        assert unpack_text(there.query["text"])
    elif there.page == "matters":
        assert there.query.get("scene", "letters") in SCENES and there.query.get("forty", "1") == "1"
    else:
        assert not there.query


# --- each claim about a step holds in its trace -------------------------------------------------------------


def hug_pairs(prefix: str = "") -> tuple[Counter[tuple[str, str]], Counter[str]]:
    """Neighbours and symbols of the five words, counted."""
    pairs: Counter[tuple[str, str]] = Counter()
    symbols: Counter[str] = Counter()
    for word, number in HUG.items():
        split = [word[0], *(prefix + letter for letter in word[1:])]
        for symbol in split:
            symbols[symbol] += number
        for pair in pairwise(split):
            pairs[pair] += number
    return pairs, symbols


def test_facts_of_the_five_words() -> None:
    known = facts()
    pairs, _symbols = hug_pairs()
    [(pair, number), (_next, less)] = pairs.most_common(2)
    assert number > less and known["bpe_pair"] == PLUS.join(pair) and known["bpe_freq"] == str(number)
    assert known["bpe_words"].replace(" and ", ", ").split(", ") == [
        word for word in HUG if "".join(pair) in word
    ]
    assert known["words"] == ", ".join(f"{word} {number}" for word, number in HUG.items())
    marked, symbols = hug_pairs("##")
    scores = {pair: number / (symbols[pair[0]] * symbols[pair[1]]) for pair, number in marked.items()}
    best, frequent = max(scores, key=lambda pair: scores[pair]), max(marked, key=lambda pair: marked[pair])
    assert (
        best != frequent
        and known["wp_pair"] == PLUS.join(best)
        and known["wp_frequent"] == PLUS.join(frequent)
    )
    assert known["wp_sum"] == f"{marked[best]} / ({symbols[best[0]]} × {symbols[best[1]]})"
    top, bottom = map(int, known["wp_score"].split("/"))
    assert top / bottom == pytest.approx(scores[best])
    top, bottom = map(int, known["wp_frequent_score"].split("/"))
    assert top / bottom == pytest.approx(scores[frequent])
    sample = EXAMPLES["hug"].sample
    assert known["unseen"] == " and ".join(sorted(set(sample) - set("".join(HUG)) - {" "}))  # two
    assert "bug" in sample.split() and not set(sample.split()) & set(HUG)  # “new”, as the station says


def test_after_the_last_merge_every_word_is_one_token() -> None:
    trace = trace_of(TO_COUNT_LINK)
    assert facts()["bpe_merges"] == str(len(trace))
    assert trace[len(trace)].splits(list(HUG)) == {word: (word,) for word in HUG}
    assert "step" not in TO_COUNT_LINK.query  # begins at the beginning


def test_the_tie_is_one_and_a_rule_decides() -> None:
    step, trace = int(TIE_LINK.query["step"]), trace_of(TIE_LINK)
    best = [pair for pair in trace[step - 1].candidates(None) if pair.freq == trace[step].event.freq]
    known = facts()
    assert len(best) == int(known["tied"]) > 1 and known["tie_step"] == str(step)
    rival = trace_at(BPE, corpus="course", ties="lowest_ids")
    assert first_difference(trace, rival) is not None
    assert set(trace.step_of_token) != set(rival.step_of_token)  # “another vocabulary”


def test_wordpiece_leaves_the_most_frequent_pair() -> None:
    event = trace_of(TO_SCORE_LINK)[1].event
    assert event.pair != event.most_frequent.pair and event.freq < event.most_frequent.freq
    assert facts()["wp_pair"] == PLUS.join(event.pair)


def test_the_prune_costs_and_a_word_comes_apart() -> None:
    step, trace, known = int(PRUNE_LINK.query["step"]), trace_of(PRUNE_LINK), facts()
    event = trace[step].event
    word = known["word"]
    before, after = trace[step - 1].splits([word])[word], trace[step].splits([word])[word]
    assert (
        event.kind == "prune"
        and event.piece in before
        and event.piece not in after
        and len(after) > len(before)
    )
    assert (known["before"], known["after"]) == (PLUS.join(before), PLUS.join(after))
    assert event.loss > 0 and event.rank == 1 and event.ranked > 1  # the least loss of several
    assert known["loss"] == f"{event.corpus_loss_pruned - event.corpus_loss_before:.4f}"


def test_the_lattice_has_so_many_splits() -> None:
    trace, known = trace_of(LATTICE_LINK), facts()
    pieces, word = {piece for piece, _count in trace.seed}, known["lattice_word"]

    def splits(rest: str) -> list[tuple[str, ...]]:
        if not rest:
            return [()]
        heads = [rest[:end] for end in range(1, len(rest) + 1) if rest[:end] in pieces]
        return [(head, *tail) for head in heads for tail in splits(rest[len(head) :])]

    result = splits(word)
    seed, total = dict(trace.seed), sum(number for _piece, number in trace.seed)

    def probability(split: tuple[str, ...]) -> float:
        product = 1.0
        for piece in split:
            product *= seed[piece] / total
        return product

    assert known["paths"] == str(len(result)) and known["best"] == PLUS.join(max(result, key=probability))
    assert EXAMPLES["hug"].word == word  # the tab's first choice


def test_new_words_are_split_as_the_page_claims() -> None:
    run = TokenizerSpec.parse(ENCODE_LINK.query["t1"]).run()
    trace = trace_at(BPE, corpus=run.source.name)
    assert facts()["bug"] == PLUS.join(trace.tokenizer().encode("bug").tokens)
    assert unpack_text(ENCODE_LINK.query["text"]) == facts()["sample"]


def test_the_table_agrees_with_the_runs() -> None:
    results = {column.name: [shown(cell) for cell in column.cells] for column in algorithm_columns()}
    assert all(len(cells) == len(ALGORITHM_ROWS) for cells in results.values())
    first = ALGORITHM_ROWS.index("First step on five words")
    known = facts()
    assert f"{known['bpe_freq']} times" in results["BPE"][first] and "into ug." in results["BPE"][first]
    assert known["wp_score"] in results["WordPiece"][first] and "##gs" in results["WordPiece"][first]
    unigram = trace_at(UNIGRAM, corpus="hug")
    assert (
        unigram[1].event.loss == 0
        and results["Unigram"][first] == f"Prune {unigram[1].event.piece}: losing it costs nothing."
    )
    ends = ALGORITHM_ROWS.index("Ends when")
    assert f"after {len(trace_at(BPE, corpus='hug'))} merges: 14 tokens" in results["BPE"][ends]
    alphabet = trace_at(BPE, corpus="hug")[0].vocab
    assert set(alphabet) == set("".join(HUG)) and len(alphabet) + 7 == 14
    assert algorithms_html(algorithm_columns()).count("<tr>") == len(ALGORITHM_ROWS) + 1
    for column in algorithm_columns():
        assert column.link.query["step"] == "1"


# --- lesson plans -------------------------------------------------------------------------------------------


def test_minutes_add_up() -> None:
    assert [lesson.minutes for lesson in LESSONS] == [10, 30, 90]
    for lesson in LESSONS:
        assert sum(activity.minutes for activity in lesson.activities) == lesson.minutes
        assert all(activity.minutes > 0 for activity in lesson.activities)


def test_every_field_of_a_sentence_is_known() -> None:
    known = {**facts(), **path_facts()}
    sentences = [text for station in STATIONS for text in (station.ask, station.insight)]
    sentences += [
        text
        for lesson in LESSONS
        for activity in lesson.activities
        for text in (activity.teacher, activity.answer)
    ]
    for sentence in sentences:
        assert "{" not in say(sentence, known)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: str(lesson.minutes))
def test_a_plan_to_print(lesson: Any) -> None:
    page = lesson_page(lesson, {**facts(), "bpe_pair": "<b>"}, "https://example.org/app")
    assert page.count("<tr>") == 1 + len(lesson.activities) and f"–{lesson.minutes}</td>" in page
    for activity in lesson.activities:
        target = "" if activity.link is None else PAGES[activity.link.page].path
        assert f'href="https://example.org/app/{target}' in page
    assert "<b>" not in page and "<script" not in page


def test_pipelines_agree(subject: TrainedSubject) -> None:
    """The page's run cuts as GPT-2 does, without normalization."""
    assert home_run().pipeline == Pipeline("none", "byte_level", "gpt2", home_run().pipeline.timeout)
    assert subject.tokenizer.pipeline.byte_level


def test_text_runs_as_it_is_read(subject: TrainedSubject) -> None:
    """`dir` on the line of chips gives their order; a stretch in the other direction keeps its own."""
    for sentence, ways_to_read in (
        ("שלום world", ["rtl", "ltr"]),
        ("hello שלום", ["ltr", "rtl"]),
        ("42", ["ltr"]),
    ):
        analysis = analyse(subject, sentence)
        assert re.findall(r"dir=(\w+)", sentence_html(analysis)) == ways_to_read
        assert re.findall(r"dir=(\w+)", ways_html(analysis, corpus_facts(HOME_CORPUS))) == 3 * ways_to_read


def test_tokens_of_some_bytes_share_their_characters_chip(subject: TrainedSubject) -> None:
    """No token is all of U+1F375; the row above the comparison shows the same chips, with ids."""
    analysis, share = analyse(subject, "a 🍵"), len(subject.tokenizer.encode("🍵").ids)
    assert share > 1
    subwords = ways_to_cut(analysis, corpus_facts(HOME_CORPUS))[2]
    drawn = "".join(one.html for one in subwords.chips)
    assert shown(drawn).replace(" ", "") == "a␣🍵" and re.findall(r'data-n="(\d)"', drawn) == [str(share)]
    assert drawn.replace(f' data-n="{share}"', "") == "".join(
        re.findall("<bdi.*?</bdi>", sentence_html(analysis))
    )
