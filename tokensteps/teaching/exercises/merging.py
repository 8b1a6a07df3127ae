"""Exercises on merging: the next pair, its count, its score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from html import escape
from itertools import pairwise
from random import Random
from typing import TypeVar

from tokenizers_core import Pair, train_bpe, train_wordpiece
from tokenizers_core.encoding.vocabulary import Private
from tokenizers_core.training.bpe import BpeTrace
from tokenizers_core.training.merge_trace import Candidate, MergeTrace
from tokenizers_core.training.wordpiece import WordPieceTrace
from tokensteps.drawing.tokens import PLAIN, chip, fill
from tokensteps.language.i18n import _, count
from tokensteps.teaching.events import merge_at, wordpiece_merge_at
from tokensteps.teaching.exercises.words import (
    SIZES,
    Draft,
    corpus_of,
    draw_words,
    fraction,
    link_to,
    pair_html,
    prompt,
    side_by_side,
    tokens_table,
    words_table,
)
from tokensteps.teaching.merge_questions import ask_pair
from tokensteps.teaching.questions import Entry, Question, grade_number
from tokensteps.teaching.slips.merging import counting_slips, scoring_slips

MERGES_BEFORE = {1: 0, 2: 1, 3: 2, 4: 3, 5: 4}
"""How many merges come before the question."""
MERGING_ATTEMPTS = 60
"""The most corpora drawn in search of one for the level."""
TOKENS_COUNTED = 3
"""Up to this level, WordPiece's prompt says how often each token occurs."""


Merging = TypeVar("Merging", BpeTrace, WordPieceTrace)
Offered = TypeVar("Offered", bound=Candidate)


def draw_run(
    random: Random, level: int, train: Callable[..., Merging], fits: Callable[[Merging, int], bool]
) -> Merging:
    """The trace of a fitting corpus of this level, or else of the last one drawn with a possible question."""
    step = MERGES_BEFORE[level]
    result = None
    for _attempt in range(MERGING_ATTEMPTS):
        trace = train(corpus_of(draw_words(random, SIZES[level])), merges=step + 1)
        if len(trace) > step and trace[step].pair_count >= 3:
            result = trace
            if fits(trace, step):
                break
    if result is None:
        raise ValueError(f"No corpus of level {level} has three pairs after {step} merges.")
    return result


def fits_level(random: Random, level: int) -> Callable[[MergeTrace, int], bool]:
    """Levels 1 and 2 have no ties; from level 3 on half of the exercises are about one."""
    with_tie = level > 2 and random.random() < 0.5
    return lambda trace, step: (merge_at(trace, step + 1).tied_count > 1) is with_tie


# --- which pair ---------------------------------------------------------------------------------------------


def bpe_rule() -> str:
    """How BPE chooses, in two sentences."""
    return _(
        "BPE merges the most frequent pair of neighbors, counting each word as often as it occurs. If "
        "pairs tie, the one met first wins, reading the words from the top, left to right."
    )


def wordpiece_rule() -> str:
    """How WordPiece chooses, in two sentences."""
    return _(
        "WordPiece merges the pair with the highest score: the pair's count divided by the product of "
        "its first and second tokens' counts. If scores tie, the pair met first wins, reading the words "
        "from the top, left to right."
    )


def next_pair(trace: MergeTrace, step: int, data: str) -> Question:
    """Which pair is merged next, after `step` merges? All pairs can be chosen; the prompt gives the rule."""
    rule = wordpiece_rule() if trace.ranked_by == "score" else bpe_rule()
    question = prompt(rule, data, escape(_("Which pair is merged next?")))
    return replace(ask_pair(trace, step, PLAIN), prompt=question)


def bpe_pair(random: Random, level: int) -> Draft:
    """The next merge of BPE."""
    step = MERGES_BEFORE[level]
    trace = draw_run(random, level, train_bpe, fits_level(random, level))
    counts = dict(trace.corpus.items())
    question = next_pair(trace, step, words_table(trace[step].splits(), counts))
    return Draft(question, {"words": counts, "step": step}, link_to(trace.algorithm, counts, step=str(step)))


def token_counts(trace: WordPieceTrace, step: int) -> dict[str, int]:
    """How often each token occurs after `step` merges of WordPiece, in the vocabulary's order."""
    counts = {
        trace.vocabulary.read(Private(symbol))[0]: number
        for symbol, number in trace.symbol_counts(step).items()
    }
    return {token: counts[token] for token in trace[step].vocab if counts.get(token)}


def scored_words(trace: WordPieceTrace, step: int, level: int) -> str:
    """The facts in the prompt of a question on scores: the words, and on the lower levels also the tokens'
    counts."""
    words = words_table(trace[step].splits(), dict(trace.corpus.items()))
    if level > TOKENS_COUNTED:
        return words
    counted = {token: count(number) for token, number in token_counts(trace, step).items()}
    return side_by_side(words, tokens_table(_("Token"), _("Count"), counted))


def wordpiece_pair(random: Random, level: int) -> Draft:
    """The next merge of WordPiece; preferably one where BPE would merge another pair."""
    step = MERGES_BEFORE[level]
    fits = fits_level(random, level)

    def tells_apart(trace: WordPieceTrace, at: int) -> bool:
        event = wordpiece_merge_at(trace, at + 1)
        return fits(trace, at) and event.most_frequent.pair != event.pair

    trace = draw_run(random, level, train_wordpiece, tells_apart)
    counts = dict(trace.corpus.items())
    question = next_pair(trace, step, scored_words(trace, step, level))
    return Draft(question, {"words": counts, "step": step}, link_to(trace.algorithm, counts, step=str(step)))


# --- numbers ------------------------------------------------------------------------------------------------


def occurrences(trace: MergeTrace, step: int, pair: Pair, result: str = "") -> str:
    """Where a pair occurs, word by word, as plain text: `hug 5 + hugs 3 = 8`; or with another `result`."""
    counts = dict(trace.corpus.items())
    parts = []
    total = 0
    for word, tokens in trace[step].splits().items():
        here = sum(neighbours == tuple(pair) for neighbours in pairwise(tokens))
        if here:
            parts.append(f"{word} {counts[word]}" if here == 1 else f"{word} {here} × {counts[word]}")
            total += here * counts[word]
    return f"{' + '.join(parts)} = {result or total}"


def pick(random: Random, candidates: Sequence[Offered], step: int, level: int) -> Offered:
    """A pair to ask about; from level 3 on preferably one changed by the last merge."""
    changed = [one for one in candidates if step and one.change]
    several = [one for one in candidates if one.freq > 1]
    return random.choice((level > 2 and changed) or several or candidates)


def bpe_count(random: Random, level: int) -> Draft:
    """How often a pair occurs now."""
    step = MERGES_BEFORE[level]
    trace = draw_run(random, level, train_bpe, lambda trace, at: trace[at].pair_count >= 3 + level)
    counts = dict(trace.corpus.items())
    wanted = pick(random, trace.candidates(step), step, level)
    why = escape(occurrences(trace, step, wanted.pair))
    rule = _(
        "A pair is two neighbors in one word. A word that occurs 5 times counts 5 times for each place where the pair occurs in it."
    )
    question = Question(
        "count",
        prompt(
            rule,
            words_table(trace[step].splits(), counts),
            fill(_("How often does {pair} occur in the corpus?"), pair=pair_html(wanted.pair)),
        ),
        Entry(_("a whole number")),
        str(wanted.freq),
        grade_number(
            wanted.freq,
            why,
            why,
            count(wanted.freq),
            slips=lambda: counting_slips(trace[step].splits(), counts, wanted.pair),
        ),
        why,
        escape(occurrences(trace, step, wanted.pair, "?")),
    )
    facts = {"words": counts, "step": step, "pair": tuple(wanted.pair)}
    return Draft(question, facts, link_to(trace.algorithm, counts, step=str(step)))


def wordpiece_score(random: Random, level: int) -> Draft:
    """The score of a pair."""
    step = MERGES_BEFORE[level]
    trace = draw_run(random, level, train_wordpiece, lambda trace, at: trace[at].pair_count >= 3 + level)
    counts = dict(trace.corpus.items())
    wanted = pick(random, trace.candidates(step), step, level)
    why = escape(f"{wanted.freq} / ({wanted.first_freq} × {wanted.second_freq}) = {fraction(wanted.score)}")
    question = Question(
        "score",
        prompt(
            _(
                "A pair's score is its count divided by the product of its first and second tokens' counts; ##g "
                "(inside a word) and g (at its start) are two tokens."
            ),
            scored_words(trace, step, level),
            fill(
                _("What is the score of {pair}? A fraction such as a/(b × c) will do."),
                pair=pair_html(wanted.pair),
            ),
        ),
        Entry(_("a fraction such as a/(b × c), or a decimal")),
        fraction(wanted.score),
        grade_number(
            wanted.score,
            why,
            why,
            score_text(wanted.score),
            slips=lambda: scoring_slips(trace[step].splits(), counts, wanted.pair, trace.prefix),
        ),
        why,
        fill(
            _("{pair}: {freq} ×, {first}: {first_freq} ×, {second}: {second_freq} ×."),
            pair=pair_html(wanted.pair),
            freq=count(wanted.freq),
            first=chip(wanted.pair.first),
            first_freq=count(wanted.first_freq),
            second=chip(wanted.pair.second),
            second_freq=count(wanted.second_freq),
        ),
    )
    facts = {"words": counts, "step": step, "pair": tuple(wanted.pair)}
    return Draft(question, facts, link_to(trace.algorithm, counts, step=str(step)))


def score_text(score: Fraction) -> str:
    """A score as a fraction and rounded."""
    return f"{fraction(score)} ≈ {float(score):.3g}" if score.denominator > 1 else fraction(score)
