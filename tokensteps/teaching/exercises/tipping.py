"""Exercises on tipping points: how many more of a word it would take for another pair to be merged."""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

from tokenizers_core import train_bpe
from tokenizers_core.counterfactual.divergence import first_divergence
from tokenizers_core.counterfactual.recounting import retrain, with_count
from tokenizers_core.counterfactual.tipping import tippings
from tokenizers_core.training.bpe import BpeTrace
from tokensteps.drawing.tokens import fill
from tokensteps.language.i18n import _, count
from tokensteps.teaching.exercises.merging import MERGES_BEFORE, MERGING_ATTEMPTS, bpe_rule
from tokensteps.teaching.exercises.words import (
    SIZES,
    Draft,
    corpus_of,
    draw_words,
    link_to,
    pair_html,
    prompt,
    tokens_in_line,
    words_table,
)
from tokensteps.teaching.questions import Entry, Question, grade_number

MOST_MORE: Final = 30
"""The largest answer: more would be no counting by hand."""


class Tipped(NamedTuple):
    """A word of a run, and the run with its smallest count that changes the last step's choice."""

    trace: BpeTrace
    word: str
    more: int
    other: BpeTrace


def draw_tipped(random: Random, level: int) -> Tipped:
    """A run of this level with a word that tips its last step, but no step before, if it occurs more often.
    From level 2 on one more isn't enough."""
    step = MERGES_BEFORE[level]
    for _attempt in range(MERGING_ATTEMPTS):
        trace = train_bpe(corpus_of(draw_words(random, SIZES[level])), merges=step + 1)
        if len(trace) <= step or trace[step].pair_count < 3:
            continue
        words = list(trace.corpus.words)
        random.shuffle(words)
        for word in words:
            tip = tippings(trace, step + 1, [word], MOST_MORE)[word].more
            if tip is None or tip.instead is None or tip.change < min(level, 2):
                continue
            corpus = with_count(trace.corpus, word, trace.word_frequencies[word] + tip.change)
            other = retrain(trace, corpus, step + 1)
            if isinstance(other, BpeTrace) and first_divergence(trace, other) == step + 1:
                return Tipped(trace, word, tip.change, other)
    raise ValueError(f"No corpus of level {level} has a word that tips merge {step + 1}.")


def bpe_tipping(random: Random, level: int) -> Draft:
    """How many more of a word would it take for another pair to be merged next?"""
    step = MERGES_BEFORE[level]
    trace, word, more, other = draw_tipped(random, level)
    counts = dict(trace.corpus.items())
    chosen, instead = trace.pair_of(step + 1), other.pair_of(step + 1)
    now = {tuple(one.pair): one.freq for one in other.candidates(step)}
    before = {tuple(one.pair): one.freq for one in trace.candidates(step)}
    fields = {"chosen": pair_html(chosen), "instead": pair_html(instead)}
    message = _(
        "With {more} more, {instead} occurs {now} × and {chosen} {then} ×, so {instead} is merged. With one fewer, {chosen} still is."
    )
    if now[instead] == now[chosen]:
        message = _(
            "With {more} more, {instead} occurs {now} ×, as often as {chosen}, and is met first, so it is merged. With one fewer, {chosen} still is."
        )
    why = fill(
        message,
        more=count(more),
        now=count(now[instead]),
        then=count(now[chosen]),
        **fields,
    )
    hint = fill(
        _("Now {chosen} occurs {now} × and {instead} {then} ×. How much does each gain with one more?"),
        now=count(before[chosen]),
        then=count(before[instead]),
        **fields,
    )
    question = Question(
        "count",
        prompt(
            bpe_rule(),
            words_table(trace[step].splits(), counts),
            fill(
                _(
                    "{pair} is merged next. How many more {word} would it take, at least, for another pair to be merged instead? The merges before stay the same."
                ),
                pair=fields["chosen"],
                word=tokens_in_line(trace[step].splits([word])[word]),
            ),
        ),
        Entry(_("a whole number")),
        str(more),
        grade_number(more, why, why, count(more)),
        why,
        hint,
    )
    facts = {"words": counts, "step": step, "word": word}
    return Draft(question, facts, link_to(trace.algorithm, counts, step=str(step)))
