"""The page of errata: published walk-throughs' figures, the engine's, and the arithmetic between the two.

The words are in `tokensteps/language/errata.py`. Here each erratum takes its figures from a run, so nothing
computed is written by hand. An erratum without figures is a KeyError.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Mapping
from fractions import Fraction
from html import escape
from typing import Final, NamedTuple

from tokenizers_core import Pair
from tokensteps.language.errata import ERRATUM_WORDS
from tokensteps.language.i18n import _, count, listed
from tokensteps.language.numbers import nats
from tokensteps.runs.algorithms import BPE, UNIGRAM, WORDPIECE, trace_at
from tokensteps.teaching.events import merge_at


class Figures(NamedTuple):
    """The engine's figures in place of a published one."""

    computed: str
    fields: Mapping[str, object]
    """The fields of the erratum's arithmetic."""
    page: str
    """The page with it: an algorithm's name."""
    query: Mapping[str, str]
    """The parameters of that page's address."""


class Erratum(NamedTuple):
    """One wrong figure, in the language in use."""

    name: str
    where: str
    title: str
    published: str
    edition: str
    computed: str
    arithmetic: str
    page: str
    query: Mapping[str, str]


def probability_of_p() -> Figures:
    """P(p), and its consequences."""
    seed = dict(trace_at(UNIGRAM, corpus="hug").seed)
    total = sum(seed.values())
    letters = Fraction(seed["p"] * seed["u"] * seed["g"], total**3)
    pair = Fraction(seed["pu"] * seed["g"], total**2)
    return Figures(
        f"P(p) = {seed['p']}/{total}, P([p, u, g]) = {float(letters):.5f}, P([pu, g]) = {float(pair):.5f}",
        {"p": seed["p"], "u": seed["u"], "g": seed["g"], "total": total, "letters": letters, "pair": pair},
        "unigram",
        {"corpus": "hug", "step": "0"},
    )


def third_wordpiece_merge() -> Figures:
    """hug before hugs."""
    trace = trace_at(WORDPIECE, corpus="hug")
    event = merge_at(trace, 3)
    candidates = {one.pair: one for one in trace.candidates(2)}
    wrong, next_best = candidates[Pair("hu", "##g")], candidates[Pair("p", "##u")]
    chosen = candidates[event.pair]
    return Figures(
        f"({event.pair.first}, {event.pair.second}) → {event.token}: {chosen.score}",
        {
            "freq": chosen.freq,
            "first": chosen.first_freq,
            "second": chosen.second_freq,
            "score": chosen.score,
            "wrong_freq": wrong.freq,
            "wrong_first": wrong.first_freq,
            "wrong_second": wrong.second_freq,
            "wrong_score": wrong.score,
            "other": next_best.score,
        },
        "wordpiece",
        {"corpus": "hug", "step": "3"},
    )


def hugs_after_it() -> Figures:
    """A whole word."""
    trace = trace_at(WORDPIECE, corpus="hug")
    event = merge_at(trace, 3)
    return Figures(
        str(trace.tokenizer(3).encode("hugs").tokens).replace("'", '"'),
        {"pair": f"({event.pair.first}, {event.pair.second})", "token": event.token},
        "wordpiece",
        {"corpus": "hug", "step": "3"},
    )


def loss_of_four_sentences() -> Figures:
    """1 too much for each word."""
    trace = trace_at(UNIGRAM, corpus="course")
    loss, words = trace[0].loss, trace.corpus.total
    return Figures(
        nats(loss),
        {"words": count(words), "loss": nats(loss), "published": nats(loss + words)},
        "unigram",
        {"corpus": "course", "step": "0"},
    )


def cost_of_hopefully() -> Figures:
    """1 too much for one word."""
    path = trace_at(UNIGRAM, corpus="course")[0].lattice("Hopefully").best()
    cost = math.inf if path is None else -path.log_probability
    pieces = () if path is None else path.pieces
    return Figures(
        nats(cost),
        {"cost": nats(cost), "pieces": " ".join(pieces)},
        "unigram",
        {"corpus": "course", "step": "0"},
    )


def pruned_to() -> Figures:
    """Where the loop ends."""
    trace = trace_at(UNIGRAM, corpus="course")
    sizes = trace.record.sizes
    end, before = sizes[-1], sizes[trace.record.rounds[-1].first_step - 1]
    return Figures(
        count(end),
        {"before": count(before), "taken": count(before - end), "end": count(end)},
        "unigram",
        {"corpus": "course", "step": str(len(trace))},
    )


def tied_splits() -> Figures:
    """Equally good splits, exactly: all with the highest product of counts over the total."""
    trace = trace_at(UNIGRAM, corpus="hug")
    seed = dict(trace.seed)
    total = sum(seed.values())
    ties, products = [], []
    for word in trace.corpus.words:
        chances = {
            split: math.prod(Fraction(seed[piece], total) for piece in split)
            for split in splits_of(word, seed)
        }
        best = [split for split, chance in chances.items() if chance == max(chances.values())]
        if len(best) > 1:
            ties.append(f"{word} → " + " = ".join(f"[{', '.join(split)}]" for split in best))
            products += [
                f"{' × '.join(split)} = {' × '.join(str(seed[piece]) for piece in split)}" for split in best
            ]
    return Figures(
        _("exact ties: {ties}").format(ties=listed(ties)),
        {"products": listed(products)},
        "unigram",
        {"corpus": "hug", "step": "0"},
    )


def splits_of(word: str, pieces: Container[str]) -> Iterator[tuple[str, ...]]:
    """Every split of a word into these pieces, the shortest first piece last.

    >>> list(splits_of("hug", {"h", "ug", "hug", "g"}))
    [('hug',), ('h', 'ug')]
    """
    if not word:
        yield ()
    for end in range(len(word), 0, -1):
        if word[:end] in pieces:
            yield from ((word[:end], *rest) for rest in splits_of(word[end:], pieces))


def rules_learned() -> Figures:
    """Which rules make hug."""
    trace = trace_at(BPE, corpus="hug")
    merges = [merge_at(trace, step).pair for step in range(1, 4)]
    return Figures(
        " ".join(trace.tokenizer(3).encode("thug").tokens),
        {"rules": listed(f"({pair.first}, {pair.second})" for pair in merges)},
        "bpe",
        {"corpus": "hug", "step": "3"},
    )


def spelling_of_coolest() -> Figures:
    """A letter."""
    trace = trace_at(BPE, corpus="highest")
    word = next(word for word in trace.corpus.words if word.startswith("cool") and word.endswith("est"))
    return Figures(
        " ".join(trace[0].splits([word])[word]), {"word": word}, "bpe", {"corpus": "highest", "step": "0"}
    )


_FIGURES: Final[Mapping[str, Callable[[], Figures]]] = {
    "probability_of_p": probability_of_p,
    "third_wordpiece_merge": third_wordpiece_merge,
    "hugs_after_it": hugs_after_it,
    "loss_of_four_sentences": loss_of_four_sentences,
    "cost_of_hopefully": cost_of_hopefully,
    "pruned_to": pruned_to,
    "tied_splits": tied_splits,
    "rules_learned": rules_learned,
    "spelling_of_coolest": spelling_of_coolest,
}


def erratum(name: str) -> Erratum:
    """One erratum, its figures computed. Raises KeyError for one without words or figures."""
    words, figures = ERRATUM_WORDS[name], _FIGURES[name]()
    arithmetic = _(words.arithmetic).format(**figures.fields)
    return Erratum(
        name,
        _(words.where),
        _(words.title),
        _(words.published),
        _(words.edition),
        figures.computed,
        arithmetic,
        figures.page,
        figures.query,
    )


def errata() -> list[Erratum]:
    """All of them, in their order."""
    return [erratum(name) for name in ERRATUM_WORDS]


def erratum_html(one: Erratum) -> str:
    """The published figure, the computed one, and the reason."""
    rows = ((_("Published"), one.published, "wrong"), (_("Computed"), one.computed, "right"))
    figures = "".join(
        f'<dt>{escape(name)}</dt><dd class="{kind}">{escape(figure)}</dd>' for name, figure, kind in rows
    )
    return (
        f'<div class="ts erratum"><h2>{escape(one.title)}</h2><p class="where">{escape(one.where)}</p>'
        f'<dl>{figures}</dl><p>{escape(one.arithmetic)}</p><p class="edition">{escape(one.edition)}</p></div>'
    )
