"""Asides on a frame where the Hugging Face course, often open beside the page, prints another figure.

Each is drawn only on the course's own run, with the course's figure and the engine's. The words of all errata
are in `tokensteps/language/errata.py`.
"""

from __future__ import annotations

import math
from html import escape
from typing import Final

from tokenizers_core.encoding.models.lattice import Lattice
from tokenizers_core.encoding.models.pairs import Pair
from tokenizers_core.training.unigram_trace import UnigramSnapshot, UnigramTrace
from tokenizers_core.training.wordpiece import WordPieceSnapshot
from tokensteps.drawing.narration.merging import score_numbers
from tokensteps.drawing.narration.text_format import Markup
from tokensteps.drawing.tokens import Style
from tokensteps.language.errata import ERRATUM_WORDS
from tokensteps.language.i18n import _, count
from tokensteps.language.numbers import nats

HUG_CORPUS: Final = (("hug", 10), ("pug", 5), ("pun", 12), ("bun", 4), ("hugs", 5))
"""The course's corpus for its calculation by hand."""
PUBLISHED_THIRD: Final = Pair("hu", "##g")
"""The third merge of the course's WordPiece on it."""
HUG_SEED_TOTAL: Final = 210
"""The sum of the counts in the course's Unigram seed for it: strict substrings only."""
COURSE_LOSS: Final = 382.10377642940875
"""The loss of the course's four sentences with its seed of 300 pieces; it prints 31 more."""


def aside_html(markup: str) -> str:
    """An aside under the words of a frame."""
    return '<p class="aside"><b>' + escape(_("Erratum (Hugging Face course)")) + f"</b> {markup}</p>"


def frame_message(name: str) -> str:
    """A frame's text on the erratum with this name, with its fields."""
    return _(ERRATUM_WORDS[name].aside)


def word_message(name: str) -> str:
    """The text on it in the lattice of one word."""
    return _(ERRATUM_WORDS[name].word_aside)


def wordpiece_erratum(snapshot: WordPieceSnapshot, style: Style) -> str:
    """The third merge of WordPiece's walk-through; "" at any other step."""
    trace = snapshot.trace
    if snapshot.step != 3 or tuple(trace.corpus.items()) != HUG_CORPUS:
        return ""
    candidates = trace.candidates(2)
    published = next((candidate for candidate in candidates if candidate.pair == PUBLISHED_THIRD), None)
    chosen = candidates[0]
    if published is None or published.pair == chosen.pair:
        return ""
    voice = Markup(style)
    narration = voice.say(
        frame_message("third_wordpiece_merge"),
        published=voice.pair(published.pair),
        numbers=score_numbers(published, voice),
        score=voice.strong(str(published.score)),
        chosen=voice.pair(chosen.pair),
        best=str(chosen.score),
    )
    return aside_html(narration)


def unigram_erratum(snapshot: UnigramSnapshot, style: Style) -> str:
    """The start and the end of Unigram's walk-throughs; "" at any other step."""
    trace, voice = snapshot.trace, Markup(style)
    start, end = snapshot.step == 0, snapshot.step == len(trace)
    if start and is_hug_run(trace):
        narration = voice.say(
            frame_message("probability_of_p"),
            p=voice.token("p"),
            pu=voice.token("pu"),
        )
    elif start and is_course_run(trace):
        narration = voice.say(
            frame_message("loss_of_four_sentences"),
            words=count(trace.corpus.total),
            loss=voice.strong(nats(snapshot.loss)),
        )
    elif end and trace.record.sizes[snapshot.step] == 98 and is_course_run(trace):
        narration = voice.say(frame_message("pruned_to"))
    else:
        return ""
    return aside_html(narration)


def lattice_erratum(snapshot: UnigramSnapshot, lattice: Lattice, style: Style) -> str:
    """The course's figures for one word; "" for any other."""
    if snapshot.step or (path := lattice.best()) is None:
        return ""
    voice = Markup(style)
    if lattice.text == "Hopefully" and is_course_run(snapshot.trace):
        narration = voice.say(
            word_message("cost_of_hopefully"),
            cost=voice.strong(nats(-path.log_probability)),
        )
    elif lattice.text == "pug" and is_hug_run(snapshot.trace):
        narration = voice.say(
            word_message("probability_of_p"),
            p=voice.token("p"),
            letters=" ".join(map(voice.token, "pug")),
            pug=" ".join(map(voice.token, ("pu", "g"))),
            other=" ".join(map(voice.token, ("p", "ug"))),
        )
    else:
        return ""
    return aside_html(narration)


def is_hug_run(trace: UnigramTrace) -> bool:
    """Whether this is the course's run by hand: five words, and their strict substrings as the seed."""
    return (
        trace.method == "course"
        and tuple(trace.corpus.items()) == HUG_CORPUS
        and sum(number for _piece, number in trace.seed) == HUG_SEED_TOTAL
    )


def is_course_run(trace: UnigramTrace) -> bool:
    """Whether this is the course's own run: its four sentences, its seed, its target."""
    return (
        trace.method == "course"
        and math.isclose(trace.record.losses[0], COURSE_LOSS)
        and trace.corpus.total == 31
        and trace.settings["vocab_size"] == 100
        and not trace.settings["exact"]
    )
