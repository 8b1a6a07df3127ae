"""The claims of the plans and the path about the pages behind their links.

Oracle: each claim has a check of its own here, which builds the run named by the link's address and counts
again, without `facts()` and without the page's texts; the check returns the figures allowed in the text. A
figure in a text without a claim, and a claim without a check that computes it, fail.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from string import Formatter
from typing import Any, get_args, get_type_hints

import pytest
import regex

from tests.app.teaching.oracle_exercises import bpe_steps
from tests.app.teaching.oracle_slips import cuts as all_cuts
from tests.core.oracle_bpe import replace
from tokenizers_core import TIE_RULES, first_difference
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL
from tokensteps.assets import read_asset
from tokensteps.catalogue.analysis import analyse
from tokensteps.catalogue.choices import TokenizerSpec
from tokensteps.catalogue.shipped import MERGES
from tokensteps.catalogue.shown_tokenizers import TrainedSubject
from tokensteps.drawing.tabs import parting_html, vocabularies_html
from tokensteps.drawing.tokens import PLAIN, Style
from tokensteps.drawing.training.languages import beside_plain_html
from tokensteps.drawing.training.merging import merge_frame
from tokensteps.language.i18n import use_language
from tokensteps.language.names import choice_name
from tokensteps.pages.learn.home import SENTENCE, home_run
from tokensteps.pages.learn.home_sentence import HOME_CORPUS, corpus_facts, sentence_html, ways_to_cut
from tokensteps.pages.train.bpe import BPE_PAGE
from tokensteps.pages.train.unigram import UNIGRAM_PAGE
from tokensteps.pages.train.wordpiece import WORDPIECE_PAGE
from tokensteps.runs.algorithms import ALGORITHMS, BPE, COMPARE_ALGORITHM, trace_at
from tokensteps.runs.corpora import EXAMPLES, unpack_text
from tokensteps.runs.settings import read_url
from tokensteps.server.tasks import Progress
from tokensteps.teaching.errata import errata
from tokensteps.teaching.exercises.kinds import EXERCISE_KINDS, PATH_KIND, PATH_KINDS
from tokensteps.teaching.game import Game, Hidden
from tokensteps.teaching.lessons import LESSONS, PLUS, Claim, Link, facts
from tokensteps.teaching.path.cards import CARDS, path_facts
from tokensteps.teaching.path.stations import FOLLOW_UP, NEW_SIGN, NEW_WORD, OLD_STATIONS, STATIONS
from tokensteps.teaching.predictions import question_after
from tokensteps.teaching.walk import HOME_LINK

GPT2_WORD = regex.compile(r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")
"""As OpenAI published it with GPT-2."""
ROOT = Path(__file__).resolve().parents[3]
PAGES = {"bpe": BPE_PAGE, "wordpiece": WORDPIECE_PAGE, "unigram": UNIGRAM_PAGE}
TOLD = [
    *((one.link or HOME_LINK, f"{one.teacher} {one.answer}", one.claims) for lesson in LESSONS for one in lesson.activities),
    *((station.link, f"{station.ask} {station.insight}", station.claims) for station in STATIONS),
]  # fmt: skip
CLAIMED = list(dict.fromkeys((claim, link.page, tuple(link.query.items()), link.tab) for link, _, claims in TOLD for claim in claims))  # fmt: skip


class OpenedTokenizer:
    """The trace behind a link, and its step."""

    def __init__(self, link: Link) -> None:
        self.link = link
        algorithm = ALGORITHMS.get(link.page) or COMPARE_ALGORITHM
        recipe, complaints = read_url(link.page, algorithm.rules, dict(link.query))
        assert complaints == []
        run = algorithm.run(recipe)
        assert run is not None
        self.run = run
        self.trace: Any = self.run.make(Progress())
        self.step = int(link.query.get("step", "0"))

    @property
    def next(self) -> Any:
        """The step in the text: the link's or, at the start and in Predict, the one to come."""
        ahead = self.link.query.get("mode") == "predict" or not self.step
        return self.trace[self.step + ahead]

    def counted(self, prefix: str = "") -> tuple[Counter[tuple[str, str]], Counter[str]]:
        """Pairs and symbols before the step in question, counted word by word."""
        pairs: Counter[tuple[str, str]] = Counter()
        symbols: Counter[str] = Counter()
        words = self.trace.corpus.words
        splits = self.trace[self.next.step - 1].splits(words)
        for word, number in zip(words, self.trace.corpus.counts, strict=True):
            symbols.update(dict.fromkeys(splits[word], 0))
            for symbol in splits[word]:
                symbols[symbol] += number
            for pair in pairwise(splits[word]):
                pairs[pair] += number
        return pairs, symbols


def in_a_sentence(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"


@cache
def home() -> TrainedSubject:
    trace = home_run().make(Progress())
    return TrainedSubject(HOME_CORPUS, trace.tokenizer(), trace, len(trace))


def ways(link: Link) -> Mapping[str, str]:
    assert link.page == "home" and not link.query
    characters, words, subwords = ways_to_cut(analyse(home(), SENTENCE), corpus_facts(HOME_CORPUS))
    assert len(characters.chips) > len(subwords.chips) > len(words.chips)
    assert words.vocabulary > subwords.vocabulary > characters.vocabulary
    assert words.unknown and not subwords.unknown
    return {}


def pieces(link: Link) -> Mapping[str, str]:
    assert link.page == "home" and not link.query
    text, subject = EXAMPLES[HOME_CORPUS].text().split(), home()
    numbers = {word: len(subject.tokenizer.encode(f" {word}").ids) for word in SENTENCE[:-1].split()}
    whole = [text.count(word) for word, number in numbers.items() if number == 1]
    split = [text.count(word) for word, number in numbers.items() if number > 1]
    assert whole and split and min(whole) > max(split)
    assert subject.unknown_id is None or subject.unknown_id not in subject.tokenizer.encode("qxzzyj ţ茶").ids
    return {}


def asks(link: Link) -> Mapping[str, str]:
    """In Predict: a question about the next step, with a key that is none of the answers on the page; no
    frame leads beyond."""
    assert link.query["mode"] == "predict"
    opened = OpenedTokenizer(link)
    page, kind = PAGES[link.page], link.query["ask"]
    hidden = Hidden(
        link.page, opened.run.name, opened.trace, Style(), page.drawn.frame, kind, len(opened.trace)
    )
    assert hidden.shown_from(opened.step) == opened.step < len(opened.trace)
    question = question_after(opened.trace, opened.step, kind, Style())
    assert question.kind == kind
    known = facts()
    if kind == "piece":
        event = opened.next.event
        assert question.key == event.piece == known["piece"]
        return {**prunes(link)}
    assert kind == "pair"
    pairs, symbols = opened.counted()
    drawn = hidden.draw(opened.step, opened.step).html
    if link.page == "bpe":
        best = max(pairs, key=lambda pair: pairs[pair])
        assert question.grade(" + ".join(best)).kind == "right"
        assert (
            str(pairs[best]) not in drawn or opened.step
        )  # how often it occurs, before anything was found out
        return {"bpe_pair": PLUS.join(best)}
    messages = {}
    for name in ("wp", "wp_frequent"):
        first, second = known["wp_pair" if name == "wp" else "wp_frequent"].split(PLUS)
        number, parts = pairs[first, second], (symbols[first], symbols[second])
        divisor = math.gcd(number, parts[0] * parts[1])
        messages[f"{name}_sum"] = f"{number} / ({parts[0]} × {parts[1]})"
        messages[f"{name}_score"] = f"{number // divisor}/{parts[0] * parts[1] // divisor}"
        assert messages[f"{name}_score"] not in drawn and f"{parts[0]} × {parts[1]}" not in drawn
    assert question.grade(known["wp_pair"].replace(PLUS, " + ")).kind == "right"
    assert (
        known["wp_pair"].split(PLUS)[1] not in question.prompt
    )  # nor the merged pair, as in the question for the score
    return messages


def merges(link: Link) -> Mapping[str, str]:
    opened = OpenedTokenizer(link)
    pairs, _symbols = opened.counted()
    pair = opened.next.event.pair
    assert pairs[pair] == max(pairs.values())
    splits = opened.trace[opened.next.step - 1].splits(opened.trace.corpus.words)
    words = [word for word, split in splits.items() if pair in pairwise(split)]
    return {"bpe_pair": PLUS.join(pair), "bpe_freq": str(pairs[pair]), "bpe_words": in_a_sentence(words)}


def follow(link: Link) -> Mapping[str, str]:
    opened = OpenedTokenizer(link)
    left = [PLUS.join(opened.trace[opened.step + ahead].event.pair) for ahead in (1, 2, 3)]
    return {"bpe_next": ", ".join(left)}


def ends(link: Link) -> Mapping[str, str]:
    trace = OpenedTokenizer(link).trace
    merged = 0
    while any(len(split) > 1 for split in trace[merged].splits(trace.corpus.words).values()):
        merged += 1
    assert merged == len(trace)
    return {"bpe_merges": str(merged)}


def neighbors(link: Link) -> Mapping[str, str]:
    opened = OpenedTokenizer(link)
    before, _symbols = opened.counted()
    step, event = opened.next.step, opened.next.event
    after: Counter[tuple[str, str]] = Counter()
    words = opened.trace.corpus.words
    for split, number in zip(opened.trace[step].splits(words).values(), opened.trace.corpus.counts, strict=True):  # fmt: skip
        for pair in pairwise(split):
            after[pair] += number
    around = {"".join(event.pair), *event.pair}
    changed = [pair for pair in before.keys() | after.keys() if before[pair] != after[pair]]
    assert changed and all(around & {*pair} for pair in changed)
    assert any(before[pair] == after[pair] for pair in before)
    return {}


def ties(link: Link) -> Mapping[str, str]:
    opened = OpenedTokenizer(link)
    assert opened.step and opened.link.query.get("mode") != "predict"
    pairs, _symbols = opened.counted()
    tied = [pair for pair in pairs if pairs[pair] == max(pairs.values())]
    assert len(tied) > 1 and opened.next.event.pair == tied[0]  # counted in the order of the words: met first
    number = str(max(pairs.values()))
    return {"tied": str(len(tied)), "tie_freq": number, "tie_pair": PLUS.join(tied[0]), "tie_step": str(opened.step)}  # fmt: skip


def apart(link: Link) -> Mapping[str, str]:
    """The tab Ties compares with this rule first; it shows both vocabularies' own tokens, and where the runs
    diverge. It is open unless it would answer the question."""
    opened = OpenedTokenizer(link)
    assert link.tab in ("", "Ties") and "Ties" in BPE_PAGE.tabs
    trace = opened.trace
    rule = next(rule for rule in BPE_PAGE.choices("ties") if rule != trace.settings["tie_rule"])
    assert rule in TIE_RULES
    rival: Any = OpenedTokenizer(link._replace(query={**link.query, "ties": rule})).trace
    ours, theirs = {*trace[len(trace)].vocab}, {*rival[len(rival)].vocab}
    assert len(ours - theirs) == len(theirs - ours) > 0
    drawn = vocabularies_html(trace, rival, PLAIN, "A", "B")
    assert f"A: {len(ours - theirs)}" in drawn and f"B: {len(theirs - ours)}" in drawn
    parting = first_difference(trace, rival)
    assert parting is not None and f"<b>{parting}</b>" in parting_html(trace, rival, parting, PLAIN)
    return {"apart": str(len(ours - theirs)), "tie_other": choice_name("ties", rule)}


def tips(link: Link) -> Mapping[str, str]:
    """The link opens What if on a word's own count; each count above it but the last leaves the first merge
    as it is."""
    assert link.page == "whatif" and link.query["t1"] == "bpe?corpus=hug"
    words, word = dict(trace_at(BPE, corpus="hug").corpus.items()), link.query["of"]
    assert link.query["step"] == str(words[word])
    more, first = 0, bpe_steps(words, 1)[0]
    while (now := bpe_steps(words | {word: words[word] + more}, 1)[0]).pair == first.pair:
        more += 1
    assert now.freq > now.counts[first.pair] == first.freq
    names = {"tip_pair": PLUS.join(now.pair), "bpe_pair": PLUS.join(first.pair)}
    numbers = {"tip_more": str(more), "tip_freq": str(now.freq), "bpe_freq": str(first.freq)}
    return {"tip_word": word, **names, **numbers}


def parity(link: Link) -> Mapping[str, str]:
    """The tokens of each language's own lines, recounted by the merges of both runs, one by one; Gini by all
    differences."""
    trace: Any = OpenedTokenizer(link).trace
    step = int(link.query["step"])
    assert link.tab == "About this kind" and not trace.settings["global_merges"]
    figures, shown = {"parity_merges": str(step)}, beside_plain_html(trace, step)
    for kind, run in (("parity", trace), ("plain", trace.plain_run)):
        rules = [tuple(run.pair_of(at)) for at in range(1, step + 1)]
        tokens = {}
        for language, corpus in trace.corpora.items():
            words = {word: [*word] for word in corpus.words}
            for rule in rules:
                words = {word: replace(split, rule) for word, split in words.items()}
            tokens[language] = sum(len(words[word]) * number for word, number in corpus.items())
        apart = sum(abs(one - other) for one in tokens.values() for other in tokens.values())
        gini = apart / (2 * len(tokens) * sum(tokens.values()))
        figures |= {f"{kind}_{name}": f"{tokens[name]:,}" for name in ("en", "ru")}
        figures[f"{kind}_gini"] = f"{gini:.4f}"
    assert all(f">{figure}<" in shown for name, figure in figures.items() if name != "parity_merges")
    return figures


def scores(link: Link) -> Mapping[str, str]:
    opened = OpenedTokenizer(link)
    pairs, symbols = opened.counted()
    score = {pair: number / (symbols[pair[0]] * symbols[pair[1]]) for pair, number in pairs.items()}
    best, frequent = max(score, key=lambda pair: score[pair]), max(pairs, key=lambda pair: pairs[pair])
    assert best == opened.next.event.pair != frequent and score[best] > score[frequent]
    divisor = math.gcd(pairs[best], symbols[best[0]] * symbols[best[1]])
    fraction = f"{pairs[best] // divisor}/{symbols[best[0]] * symbols[best[1]] // divisor}"
    return {"wp_pair": PLUS.join(best), "wp_frequent": PLUS.join(frequent), "wp_score": fraction}


def prunes(link: Link) -> Mapping[str, str]:
    opened = OpenedTokenizer(link)
    step, event = opened.next.step, opened.next.event
    assert event.loss > 0 and all(opened.trace[earlier].event.loss == 0 for earlier in range(1, step))
    words = opened.trace.corpus.words
    before, after = opened.trace[step - 1].splits(words), opened.trace[step].splits(words)
    [word] = [word for word in words if before[word] != after[word]]
    return {
        "piece": event.piece,
        "word": word,
        "before": PLUS.join(before[word]),
        "after": PLUS.join(after[word]),
        "loss": f"{event.corpus_loss_pruned - event.corpus_loss_before:.4f}",
    }


def splits(link: Link) -> Mapping[str, str]:
    opened = OpenedTokenizer(link)
    assert not link.tab or (link.tab in ("Lattice", "Sample at random") and link.tab in UNIGRAM_PAGE.tabs)
    word, seed = EXAMPLES["hug"].word, dict(opened.trace.seed)
    total = sum(seed.values())

    def cut(rest: str) -> list[tuple[str, ...]]:
        heads = [rest[:end] for end in range(1, len(rest) + 1) if rest[:end] in seed]
        return [(head, *tail) for head in heads for tail in cut(rest[len(head) :])] if rest else [()]

    result = cut(word)
    best = max(result, key=lambda split: math.prod(seed[piece] / total for piece in split))
    return {"lattice_word": word, "paths": str(len(result)), "best": PLUS.join(best)}


def samples(link: Link) -> Mapping[str, str]:
    """At the tab's first temperature, 1: every split of the word, each as likely as the product of its
    pieces."""
    assert link.tab == "Sample at random"
    word, seed = EXAMPLES["hug"].word, dict(OpenedTokenizer(link).trace.seed)
    shares = [math.prod(seed[piece] for piece in split) / sum(seed.values()) ** len(split)
              for split in all_cuts(word) if {*split} <= {*seed}]  # fmt: skip
    return {"best_share": f"{100 * max(shares) / sum(shares):.1f} %"}


def encodes(link: Link) -> Mapping[str, str]:
    run = TokenizerSpec.parse(link.query["t1"]).run()
    corpus = run.source.corpus(run.pipeline)
    text = unpack_text(link.query["text"])
    assert text is not None and not {*text.split()} & {*corpus.words} and "bug" in text.split()
    tokenizer = run.algorithm.train(corpus, **run.settings).tokenizer()
    unseen = sorted({*text} - {*"".join(corpus.words), " "})
    return {
        "sample": text,
        "unseen": in_a_sentence(unseen),
        "bug": PLUS.join(tokenizer.encode("bug").tokens),
    }


def disagree(link: Link) -> Mapping[str, str]:
    trace = OpenedTokenizer(link).trace
    assert link.tab == "Where they disagree"
    assert trace[int(link.query["step"])].disagreements()
    words = trace.corpus.words
    for index in range(len(trace)):
        for cuts in trace[index].cuts(words).values():
            lengths = [len(cut) for cut in cuts if cut is not None]
            if 1 in lengths and max(lengths) > 1:
                return {}
    pytest.fail("no word is whole in one vocabulary and split in another")


@cache
def gpt2_ranks() -> Mapping[tuple[str, ...], int]:
    return {tuple(line.split(" ")): rank for rank, line in enumerate(read_asset(MERGES).splitlines())}


def gpt2_tokens(text: str) -> list[str]:
    """By its merges alone, one after the other on each word; letters and spaces only."""
    ranks, result = gpt2_ranks(), []
    for word in GPT2_WORD.findall(text):
        tokens = [BYTE_TO_SYMBOL[byte] for byte in word.encode()]
        while pairs := [pair for pair in pairwise(tokens) if pair in ranks]:
            first = min(pairs, key=ranks.__getitem__)
            index = next(index for index, pair in enumerate(pairwise(tokens)) if pair == first)
            tokens[index : index + 2] = ["".join(first)]
        result += tokens
    return result


def costs(link: Link) -> Mapping[str, str]:
    assert (link.page, link.query) == ("matters", {"scene": "languages", "forty": "1"})
    names = {
        "en": "English",
        "de": "German",
        "es": "Spanish",
        "ru": "Russian",
        "zh": "Chinese",
        "hi": "Hindi",
    }
    folder = ROOT / "assets" / "corpora" / "parallel"
    results = {
        name: sum(len(gpt2_tokens(line)) for line in (folder / f"{code}.txt").read_text("utf-8").splitlines())
        for code, name in names.items()
    }
    dear = max(results, key=lambda name: results[name])
    return {
        "dear": dear,
        "dear_tokens": f"{results[dear]:,}",
        "dear_times": f"{results[dear] / results['English']:.1f}",
        "cheap_tokens": str(results["English"]),
    }


def spells(link: Link) -> Mapping[str, str]:
    assert (link.page, link.query) == ("matters", {"scene": "letters"})
    pieces = gpt2_tokens("strawberry")
    return {
        "spelled": "strawberry",
        "spelled_letters": "10",
        "spelled_tokens": str(len(pieces)),
        "spelled_pieces": PLUS.join(pieces),
    }


def published(link: Link) -> Mapping[str, str]:
    assert link.page == "errata"
    for erratum in errata():
        there = Link("", erratum.page, erratum.query)
        assert erratum.arithmetic
        assert 0 <= OpenedTokenizer(there).step <= len(OpenedTokenizer(there).trace)
    return {}


def merged_by(rules: list[tuple[str, str]], word: str) -> list[str]:
    """A word by merge rules, the oldest first, one after the other."""
    tokens = [*word]
    for first, second in rules:
        position = 0
        while position + 1 < len(tokens):
            if (tokens[position], tokens[position + 1]) == (first, second):
                tokens[position : position + 2] = [first + second]
            position += 1
    return tokens


def even(link: Link) -> Mapping[str, str]:
    """Two pairs occur equally often, and more often than the others; the page hides the choice."""
    opened = OpenedTokenizer(link)
    assert link.query["mode"] == "predict"
    pairs, _symbols = opened.counted()
    tied = [pair for pair in pairs if pairs[pair] == max(pairs.values())]
    assert len(tied) == 2 < len(pairs) and opened.next.event.pair == tied[0]
    first, second = (PLUS.join(pair) for pair in tied)
    return {"even_first": first, "even_second": second, "even_freq": str(max(pairs.values()))}


def replays(link: Link) -> Mapping[str, str]:
    """At the link's step, the last one, a word outside of the corpus, by the merges in their order; other
    cuts come to mind."""
    trace = OpenedTokenizer(link).trace
    assert int(link.query["step"]) == len(trace) and NEW_WORD not in trace.corpus.words
    tokens = merged_by([trace.event(step).pair for step in range(1, len(trace) + 1)], NEW_WORD)
    assert 1 < len(tokens) < len(NEW_WORD)
    return {"new_word": NEW_WORD, "new_pieces": PLUS.join(tokens)}


def sign_bytes(link: Link) -> Mapping[str, str]:
    """No byte of the sign occurs in the training text of the page's tokenizer, so nothing can merge them."""
    run = TokenizerSpec.parse(link.query["t1"]).run()
    assert run.settings["alphabet"] == "bytes" and NEW_SIGN not in (unpack_text(link.query["text"]) or "")
    data = NEW_SIGN.encode()
    assert not {*data} & {*EXAMPLES["course"].text().encode()}
    return {"sign": NEW_SIGN, "sign_bytes": str(len(data))}


def gpt2(link: Link) -> Mapping[str, str]:
    """By the merges published by GPT-2's authors."""
    lines = (ROOT / "assets/vocabularies/gpt2/merges.txt").read_text("utf-8").splitlines()
    rules = [
        (first, second) for first, second in (line.split() for line in lines if not line.startswith("#"))
    ]
    word = path_facts()["long_word"]
    assert len(merged_by(rules, word)) == 2 and word not in (unpack_text(link.query["text"]) or "")
    return {"long_word": word}


def three_ways(link: Link) -> Mapping[str, str]:
    trace = OpenedTokenizer(link).trace
    numbers = [len({*cuts}) for cuts in trace[int(link.query["step"])].cuts(trace.corpus.words).values()]
    assert max(numbers) == 3 > min(numbers)
    return {}


CHECKS: Mapping[str, Callable[[Link], Mapping[str, str]]] = {
    "ways": ways,
    "pieces": pieces,
    "asks": asks,
    "merges": merges,
    "follow": follow,
    "ends": ends,
    "neighbors": neighbors,
    "ties": ties,
    "apart": apart,
    "scores": scores,
    "prunes": prunes,
    "splits": splits,
    "samples": samples,
    "encodes": encodes,
    "disagree": disagree,
    "errata": published,
    "costs": costs,
    "spells": spells,
    "tips": tips,
    "parity": parity,
    "even": even,
    "replays": replays,
    "bytes": sign_bytes,
    "gpt2": gpt2,
    "three_ways": three_ways,
}


def test_every_kind_of_claim_is_checked() -> None:
    assert {*CHECKS} == {*get_args(get_type_hints(Claim)["kind"])} == {claim.kind for claim, *_ in CLAIMED}


@pytest.mark.parametrize(("claim", "page", "query", "tab"), CLAIMED)
def test_claims_of_a_text_agree_with_its_link(
    claim: Claim, page: str, query: tuple[tuple[str, str], ...], tab: str
) -> None:
    computed, known = CHECKS[claim.kind](Link("", page, dict(query), tab)), {**facts(), **path_facts()}
    for name in claim.facts:
        assert known[name] == computed[name], name


@pytest.mark.parametrize(("link", "text", "claims"), TOLD)
def test_every_figure_rests_on_a_claim(link: Link, text: str, claims: tuple[Claim, ...]) -> None:
    fields = {field for _, field, _, _ in Formatter().parse(text) if field}
    assert fields == {name for claim in claims for name in claim.facts}, link.label
    assert claims or link.page == "exercises"


def test_the_links_of_questions_do_not_show_the_answers() -> None:
    """A link with a question of the plan opens in Predict, and no other activity of the plan shows the answer
    before."""
    for lesson in LESSONS:
        for one in lesson.activities:
            if any(claim.kind == "asks" for claim in one.claims):
                assert one.link is not None and one.link.query["mode"] == "predict"
        assert sum(one.minutes for one in lesson.activities) == lesson.minutes


def test_every_station_has_exercises_of_its_own() -> None:
    kinds = [station.exercise for station in STATIONS if station.exercise]
    assert {*kinds} <= {*EXERCISE_KINDS} and len({*kinds}) == len(kinds)
    named = " ".join(PATH_KINDS)
    assert not [
        kind for kind in ("dropout", "sampling", "superbpe", "picky", "parity") if kind in named
    ]  # nothing in any station
    assert FOLLOW_UP.query["kind"] == PATH_KIND


def test_each_station_asks_for_one_thing() -> None:
    """A question of its own above the page, or steps to predict; its own key is right, and each has a wrong
    answer."""
    for station in STATIONS:
        assert bool(station.card) != bool(station.predictions)
        assert not station.predictions or station.link.query["mode"] == "predict"
    assert {station.card for station in STATIONS if station.card} == {*CARDS}
    for name, card in CARDS.items():
        if card.spec:
            continue  # asked of a tokenizer from a file: tests/browser/test_path.py
        question = card.make(None)
        assert question.grade(question.key).kind == "right", name
        assert question.key not in question.prompt, name
    assert {*OLD_STATIONS.values()} <= {*range(1, len(STATIONS) + 1)}


@pytest.mark.parametrize(
    "answer", ["because", "Straßenbahn", "the cat sat", "We took  the Straßenbahn.", "今天 hi"]
)
def test_the_first_question_says_what_the_sentence_shows(answer: str) -> None:
    """The page shows the answer as its sentence, right under the verdict."""
    sentence = " ".join(answer.split())
    verdict = CARDS["own"].make(None).grade(answer)
    assert verdict.kind == "right"
    shown = regex.sub(' data-n="[0-9]"', "", verdict.reason)
    cut = regex.findall('<span class="row">(.*?)</span>', shown)[0]
    assert cut in "".join(regex.findall("<bdi.*?</bdi>", sentence_html(analyse(home(), sentence))))
    word = regex.findall("<b>(.*?)</b>", verdict.reason)[1]
    assert word in sentence
    number = len(home().tokenizer.encode(sentence).tokens)
    if word == sentence:
        assert f"is {number} tokens" in verdict.reason


def test_the_first_question_takes_no_frequent_word() -> None:
    """A sign beside a word is a token of its own, and no cut of the word."""
    question = CARDS["own"].make(None)
    for answer in ("the", "I", "and the, it was?"):
        verdict = question.grade(answer)
        assert verdict.kind == "wrong" and "is 1 token" in verdict.reason and "Rarer" in verdict.hint
    assert question.grade("12 …").kind == "unread"


def test_a_word_whole_after_a_space_is_told_so() -> None:
    """`because` begins the text without the space that its token has."""
    reason = CARDS["own"].make(None).grade("because").reason
    assert "␣because" in reason and "With a space before it" in reason
    assert "With a space" not in CARDS["own"].make(None).grade("thunderstorms").reason


@pytest.mark.parametrize("language", ["zh", "ja"])
def test_no_answer_ends_in_an_english_full_stop(language: str) -> None:
    use_language(language)
    answers = [card.make(None).solution for card in CARDS.values() if not card.spec]
    assert [one for one in answers if regex.sub("<[^>]*>", "", one).endswith(".")] == []


def test_a_stored_wrong_answer_belongs_to_its_question() -> None:
    """After a wrong answer at station 2, a learner who goes on has all tries at station 3."""
    trace = trace_at(BPE, corpus="hug")
    hidden = Hidden("bpe", "run", trace, PLAIN, merge_frame, "pair", len(trace))
    game = Game("run", 0)
    question = game.question(hidden)
    assert question is not None and not game.answer(hidden, question, "p + u", question.grade("p + u"))
    saved = json.loads(json.dumps(game.saved()))
    same, later = Game("run", 0), Game("run", 4)
    assert same.restore(saved, hidden) and later.restore(saved, hidden)
    assert (same.reached, same.tries, later.reached, later.tries) == (0, ("p + u",), 4, ())


def test_stations_point_where_things_are() -> None:
    """The strip with a station's words is at the foot of the page: nothing is below it."""
    assert [
        one.link.label
        for one in STATIONS
        if "below" in f"{one.ask} {one.named} {one.insight}".lower().split()
    ] == []
