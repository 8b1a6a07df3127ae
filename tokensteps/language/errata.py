"""Errors in published walk-throughs: every word about each, in one list, by the erratum's name.

Published text is quoted, with the place. Computed values are not written here: the sentences have fields,
filled from runs by `tokensteps/teaching/errata.py` for the page of errata, and by
`tokensteps/drawing/narration/errata.py` for the asides on frames. Sources: the Hugging Face course, chapter
6, sections 5 (BPE), 6 (WordPiece) and 7 (Unigram); lecture notes on BPE with `</w>`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from tokensteps.language.i18n import N_

BPE_SECTION: Final = N_("Hugging Face course, chapter 6, section 5 (BPE)")
WORDPIECE_SECTION: Final = N_("Hugging Face course, chapter 6, section 6 (WordPiece)")
UNIGRAM_SECTION: Final = N_("Hugging Face course, chapter 6, section 7 (Unigram)")
END_OF_WORD_TEXT: Final = N_("A walk-through of BPE with </w>")
ENGLISH: Final = N_("In the English text, as it was in April 2026 (huggingface/course on GitHub).")
PROPOSED: Final = N_(
    "In the English text, as it was in April 2026 (huggingface/course on GitHub). Pull request 547 there has proposed a correction since April 2023."
)
TRANSLATIONS: Final = N_(
    "In translations, as they were in April 2026 (huggingface/course on GitHub). The English text has had “h” and “ug” since March 2023."
)
NOTES: Final = N_("In lecture notes that were passed on without a date.")


class ErratumWords(NamedTuple):
    """The words about an error: messages, to be translated."""

    where: str
    """The published text and its section."""
    title: str
    published: str
    edition: str
    """The edition with the error, and the date of the check."""
    arithmetic: str
    """From the right numbers to the published ones; it has fields."""
    aside: str = ""
    """The aside on the frame with the error; it has fields. "" for none."""
    word_aside: str = ""
    """The aside on the lattice of one word."""


ERRATUM_WORDS: Final[Mapping[str, ErratumWords]] = {
    "probability_of_p": ErratumWords(
        UNIGRAM_SECTION,
        N_("The probability of p, and of pug"),
        "P(p) = 5/210, P([p, u, g]) = 0.000389, P([pu, g]) = 0.0022676",
        PROPOSED,
        N_(
            "p occurs 5 times in pug and 12 times in pun: {p} of {total}, as often as pu. So {p}/{total} × "
            "{u}/{total} × {g}/{total} = {letters}, and {p}/{total} × {g}/{total} = {pair}."
        ),
        N_(
            "The course uses P({p}) = 5/210. Computed: {p} occurs 5 + 12 = 17 times, so it is 17/210, like P({pu})."
        ),
        N_(
            "The course uses P({p}) = 5/210, and so gets 0.000389 for {letters} and 0.0022676 for {pug}. "
            "With 17/210 they are 0.00132 and 0.00771, and the latter ties with {other}."
        ),
    ),
    "third_wordpiece_merge": ErratumWords(
        WORDPIECE_SECTION,
        N_("The third merge of hug, pug, pun, bun, hugs"),
        N_("(hu, ##g) → hug, with a score of 1/15, tied with others"),
        PROPOSED,
        N_(
            "(hu, ##gs): {freq} / ({first} × {second}) = {score}. (hu, ##g): {wrong_freq} / ({wrong_first} × "
            "{wrong_second}) = {wrong_score}, which is also below {other} for (p, ##u)."
        ),
        N_(
            "The course merges {published} here, for a score of 1/15. Computed: {numbers} = {score}, and {chosen} has {best}."
        ),
    ),
    "hugs_after_it": ErratumWords(
        WORDPIECE_SECTION,
        N_("How hugs is encoded after that"),
        '["hug", "##s"]',
        PROPOSED,
        N_(
            "This follows from the merge above. With the right one, {pair} → {token}, the vocabulary has {token}, and the longest match takes the "
            "whole word."
        ),
    ),
    "loss_of_four_sentences": ErratumWords(
        UNIGRAM_SECTION,
        N_("The loss of the four sentences"),
        "413.1038",
        ENGLISH,
        N_(
            "The course's code starts the score of each word at 1 where it should be 0 (the logarithm of 1). That adds 1 for each of "
            "the {words} words: {loss} + {words} = {published}."
        ),
        N_(
            "The course prints 413.1038. Its code starts each word's score at 1 instead of 0, which adds 1 for each of {words} words: {loss} is right."
        ),
    ),
    "cost_of_hopefully": ErratumWords(
        UNIGRAM_SECTION,
        N_("What Hopefully costs"),
        "41.5157",
        ENGLISH,
        N_("The same slip, once: {cost} + 1. The split is the same: {pieces}."),
        word_aside=N_(
            "The course gives 41.5157 for this word, 1 too much, because its code starts at 1. Computed: {cost}."
        ),
    ),
    "pruned_to": ErratumWords(
        UNIGRAM_SECTION,
        N_("How many pieces are left"),
        N_("while len(model) > 100, “to reach our desired size”"),
        ENGLISH,
        N_(
            "Each round prunes a tenth of the pieces, and only then does the loop check whether it is done: "
            "the last round begins with {before} and prunes {taken}, which leaves {end}."
        ),
        N_(
            "The course's loop prunes while there are more than 100 pieces. Like this one, it ends at 98: the last round removes 10."
        ),
    ),
    "tied_splits": ErratumWords(
        UNIGRAM_SECTION,
        N_("The splits of pug, pun, bun and hugs"),
        "pug → [pu, g], pun → [pu, n], bun → [bu, n], hugs → [hug, s]",
        ENGLISH,
        N_(
            "The counts of the pieces have the same products: {products}. "
            "Which split you get depends on the order in which the code looks."
        ),
    ),
    "rules_learned": ErratumWords(
        BPE_SECTION,
        N_("How an unknown t is encoded"),
        N_("“hu” and “g” merge into hug"),
        TRANSLATIONS,
        N_(
            "The first three rules are {rules}: u and g become ug, and then h and ug become hug. There is no "
            "rule for hu and g, but the result is the same."
        ),
    ),
    "spelling_of_coolest": ErratumWords(
        END_OF_WORD_TEXT,
        N_("The letters of coolest"),
        "c o l l e s t </w>",
        NOTES,
        N_("The corpus has {word}: two o, one l. The counts of its pairs follow from that spelling."),
    ),
}
"""By name, in the order of the page of errata."""
