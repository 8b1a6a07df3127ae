"""Where published walk-throughs are wrong: what they say, what the engine computes, and the arithmetic between the two.

Nothing that is computed stands here as text: each row asks a run for its figures. What is published is quoted as numbers, with
the place. Sources: the Hugging Face course, chapter 6, sections 5 (BPE), 6 (WordPiece) and 7 (Unigram); lecture notes on BPE
with `</w>`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from html import escape
from typing import NamedTuple

from tokenizers_core import Pair
from tokensteps.language.i18n import N_, _, count, listed
from tokensteps.language.numbers import nats
from tokensteps.runs.algorithms import BPE, UNIGRAM, WORDPIECE, trace_at
from tokensteps.teaching.events import merge_at


class Erratum(NamedTuple):
    """One wrong figure."""

    where: str
    """The published text and the section."""
    title: str
    published: str
    computed: str
    arithmetic: str
    page: str
    """The page that shows it: an algorithm's name."""
    query: Mapping[str, str]
    """What its address has to say."""


BPE_SECTION = N_("Hugging Face course, chapter 6, section 5 (BPE)")
WORDPIECE_SECTION = N_("Hugging Face course, chapter 6, section 6 (WordPiece)")
UNIGRAM_SECTION = N_("Hugging Face course, chapter 6, section 7 (Unigram)")
END_OF_WORD_TEXT = N_("A walk-through of BPE with </w>")


def probability_of_p() -> Erratum:
    """P(p), and what follows from it."""
    trace = trace_at(UNIGRAM, corpus="hug")
    seed = dict(trace.seed)
    total = sum(seed.values())
    letters = Fraction(seed["p"] * seed["u"] * seed["g"], total**3)
    pair = Fraction(seed["pu"] * seed["g"], total**2)
    return Erratum(
        _(UNIGRAM_SECTION),
        _("The probability of p, and of pug"),
        "P(p) = 5/210, P([p, u, g]) = 0.000389, P([pu, g]) = 0.0022676",
        f"P(p) = {seed['p']}/{total}, P([p, u, g]) = {float(letters):.5f}, P([pu, g]) = {float(pair):.5f}",
        _(
            "p stands 5 times in pug and 12 times in pun: {p} of {total}, as often as pu. So {p}/{total} × {u}/{total} × {g}/{total} = "
            "{letters}, and {p}/{total} × {g}/{total} = {pair}."
        ).format(p=seed["p"], u=seed["u"], g=seed["g"], total=total, letters=letters, pair=pair),
        "unigram",
        {"corpus": "hug", "step": "0"},
    )


def third_wordpiece_merge() -> Erratum:
    """hug before hugs."""
    trace = trace_at(WORDPIECE, corpus="hug")
    event = merge_at(trace, 3)
    candidates = {one.pair: one for one in trace.candidates(2)}
    wrong, next_best = candidates[Pair("hu", "##g")], candidates[Pair("p", "##u")]
    chosen = candidates[event.pair]
    return Erratum(
        _(WORDPIECE_SECTION),
        _("The third merge of hug, pug, pun, bun, hugs"),
        _("(hu, ##g) → hug, with a score of 1/15 that it shares with others"),
        f"({event.pair.first}, {event.pair.second}) → {event.token}: {chosen.score}",
        _(
            "(hu, ##gs): {freq} / ({first} × {second}) = {score}. (hu, ##g): {wrong_freq} / ({wrong_first} × {wrong_second}) = "
            "{wrong_score}, which is below {other} for (p, ##u), too."
        ).format(
            freq=chosen.freq,
            first=chosen.first_freq,
            second=chosen.second_freq,
            score=chosen.score,
            wrong_freq=wrong.freq,
            wrong_first=wrong.first_freq,
            wrong_second=wrong.second_freq,
            wrong_score=wrong.score,
            other=next_best.score,
        ),
        "wordpiece",
        {"corpus": "hug", "step": "3"},
    )


def loss_of_four_sentences() -> Erratum:
    """One too many for each word."""
    trace = trace_at(UNIGRAM, corpus="course")
    loss, words = trace[0].loss, trace.corpus.total
    return Erratum(
        _(UNIGRAM_SECTION),
        _("The loss of the four sentences"),
        "413.1038",
        nats(loss),
        _(
            "The course's code starts the score of each word at 1 where it should be 0 (the logarithm of 1). That adds 1 for each of "
            "the {words} words: {loss} + {words} = {published}."
        ).format(words=count(words), loss=nats(loss), published=nats(loss + words)),
        "unigram",
        {"corpus": "course", "step": "0"},
    )


def cost_of_hopefully() -> Erratum:
    """The same slip, once."""
    trace = trace_at(UNIGRAM, corpus="course")
    path = trace[0].lattice("Hopefully").best()
    cost = math.inf if path is None else -path.log_probability
    pieces = [] if path is None else list(path.pieces)
    return Erratum(
        _(UNIGRAM_SECTION),
        _("What Hopefully costs"),
        "41.5157",
        nats(cost),
        _("The same slip, once: {cost} + 1. The split is the same: {pieces}.").format(
            cost=nats(cost), pieces=" ".join(pieces)
        ),
        "unigram",
        {"corpus": "course", "step": "0"},
    )


def pruned_to() -> Erratum:
    """Where the loop ends."""
    trace = trace_at(UNIGRAM, corpus="course")
    sizes = trace.record.sizes
    end, before = sizes[-1], sizes[trace.record.rounds[-1].first_step - 1]
    return Erratum(
        _(UNIGRAM_SECTION),
        _("How many pieces are left"),
        _("pruned to 100"),
        count(end),
        _(
            "Each round takes a tenth of the pieces, and the loop asks only then whether it is done: the last round begins with {before} "
            "and takes {taken}, which leaves {end}."
        ).format(before=count(before), taken=count(before - end), end=count(end)),
        "unigram",
        {"corpus": "course", "step": str(len(trace))},
    )


def tied_splits() -> Erratum:
    """Equally good splits."""
    trace = trace_at(UNIGRAM, corpus="hug")
    seed = dict(trace.seed)
    return Erratum(
        _(UNIGRAM_SECTION),
        _("The splits of pug and of hugs"),
        "pug → [pu, g], hugs → [hug, s]",
        _("exact ties: pug with [p, ug], hugs with [h, ugs]"),
        _(
            "pu × g = {pu} × {g} and p × ug = {p} × {ug}; hug × s = {hug} × {s} and h × ugs = {h} × {ugs}. Which one comes out is up to "
            "the order in which the code looks."
        ).format(**{piece: seed[piece] for piece in ("pu", "g", "p", "ug", "hug", "s", "h", "ugs")}),
        "unigram",
        {"corpus": "hug", "step": "0"},
    )


def rules_learned() -> Erratum:
    """Which rules make hug."""
    trace = trace_at(BPE, corpus="hug")
    merges = [merge_at(trace, step).pair for step in range(1, 4)]
    tokens = trace.tokenizer(3).encode("thug").tokens
    return Erratum(
        _(BPE_SECTION),
        _("How an unknown t is encoded"),
        _("“hu” and “g” merge into hug"),
        " ".join(tokens),
        _(
            "The first three rules are {rules}: u and g become ug, and then h and ug become hug. There is no rule for hu and g; what "
            "comes out is the same."
        ).format(rules=listed(f"({pair.first}, {pair.second})" for pair in merges)),
        "bpe",
        {"corpus": "hug", "step": "3"},
    )


def spelling_of_coolest() -> Erratum:
    """A letter."""
    trace = trace_at(BPE, corpus="highest")
    word = next(word for word in trace.corpus.words if word.startswith("cool") and word.endswith("est"))
    splits = trace[0].splits([word])[word]
    return Erratum(
        _(END_OF_WORD_TEXT),
        _("The letters of coolest"),
        "c o l l e s t </w>",
        " ".join(splits),
        _("The corpus has {word}: two o, one l. The counts of its pairs follow from that spelling.").format(
            word=word
        ),
        "bpe",
        {"corpus": "highest", "step": "0"},
    )


ERRATA: tuple[Callable[[], Erratum], ...] = (
    probability_of_p,
    third_wordpiece_merge,
    loss_of_four_sentences,
    cost_of_hopefully,
    pruned_to,
    tied_splits,
    rules_learned,
    spelling_of_coolest,
)
"""All of them, as they stand in the published texts."""


def erratum_html(one: Erratum) -> str:
    """What is published, what is computed, and why."""
    rows = ((_("Published"), one.published, "wrong"), (_("Computed"), one.computed, "right"))
    figures = "".join(
        f'<dt>{escape(name)}</dt><dd class="{kind}">{escape(figure)}</dd>' for name, figure, kind in rows
    )
    return (
        f'<div class="ts erratum"><h2>{escape(one.title)}</h2><p class="where">{escape(one.where)}</p>'
        f"<dl>{figures}</dl><p>{escape(one.arithmetic)}</p></div>"
    )
