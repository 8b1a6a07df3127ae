"""The home page's first part: the visitor's sentence as tokens, and as characters, words and subwords side by
side.

Functions with `_html` at the end return markup and draw nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import NamedTuple

import regex

from tokensteps.catalogue.analysis import Analysis
from tokensteps.drawing.chips import Piece, line_html, run_chip
from tokensteps.drawing.stage_markup import way_html
from tokensteps.drawing.tokens import PLAIN, chip, fill
from tokensteps.language.i18n import _, count, ngettext, sentences
from tokensteps.runs.corpora import EXAMPLES
from tokensteps.runs.settings import corpus_title

WAY_SHOWN = 120
"""Chips in a row of the comparison; the pieces in the rest are counted, not drawn."""
WORDS_NAMED = 6
"""Unknown words to name; the rest is counted."""
HOME_CORPUS = "library"
WORD = regex.compile(r"[\w\p{M}]+|[^\w\s\p{M}]+")
"""A word, for the comparison: a run of letters and digits, or of signs."""


def sentence_html(analysis: Analysis, css_class: str = "first-tokens", ids: bool = True) -> str:
    """The tokens of a sentence as chips, each with its id if `ids` are wanted. Tokens of the same character
    share a chip. `css_class` is for the style sheet."""
    drawn = [
        (
            f'<span class="id">{run_chip(run, counted=not ids)}{_ids_html(run.pieces) if ids else ""}</span>',
            run.text,
        )
        for run in analysis.runs(0, len(analysis.stretches))
    ]
    label = escape(_("Tokens"))
    return f'<div class="ts encoded {css_class}" role="group" aria-label="{label}">{line_html(drawn)}</div>'


def _ids_html(pieces: Sequence[Piece]) -> str:
    return f"<small>{' '.join(str(piece.id) for piece in pieces)}</small>"


def sentence_counts_html(analysis: Analysis) -> str:
    """The numbers of tokens and characters, and the meaning of the numbers and signs."""
    tokens = ngettext("{number} token", "{number} tokens", len(analysis)).format(number=count(len(analysis)))
    length = len(analysis.text)
    characters = ngettext("{number} character", "{number} characters", length).format(number=count(length))
    message = _(
        "{tokens} for {characters}. The model gets only the numbers under them. ␣ is a space, part of the token that it begins."
    )
    return f'<p class="ts first-counts">{fill(message, tokens=f"<b>{tokens}</b>", characters=f"<b>{characters}</b>")}</p>'


def whose_html() -> str:
    """The tokenizer behind the split."""
    message = _("Split by a byte-level BPE tokenizer, trained on this server with this app on “{title}”.")
    shown = fill(message, title=escape(corpus_title(HOME_CORPUS)))
    return f'<p class="ts first-whose">{shown}</p>'


def real_html(analysis: Analysis) -> str:
    """The same sentence as a well-known model gets it, and why it looks different."""
    subject = analysis.subject
    tokens = ngettext("{number} token", "{number} tokens", len(analysis)).format(number=count(len(analysis)))
    message = _("{model} splits it into {tokens}: its vocabulary was learned from far more text.")
    text = fill(message, model=f"<b>{escape(subject.name)}</b>", tokens=f"<b>{tokens}</b>")
    return f'<p class="ts first-counts">{text}</p>{sentence_html(analysis, "real-tokens", ids=False)}'


class CorpusFacts(NamedTuple):
    """Figures of a corpus: its length in characters, its different characters, its different words."""

    length: int
    characters: frozenset[str]
    words: frozenset[str]


@lru_cache(maxsize=2)
def corpus_facts(name: str) -> CorpusFacts:
    """Count an example."""
    text = EXAMPLES[name].text()
    return CorpusFacts(len(text), frozenset(text), frozenset(WORD.findall(text)))


class Chip(NamedTuple):
    """A chip of a row: its markup, the text it covers, and the number of pieces in it. Tokens of the same
    character share one."""

    html: str
    text: str
    pieces: int = 1


def pieces_in(chips: Sequence[Chip]) -> int:
    """The number of pieces in a row of chips."""
    return sum(chip.pieces for chip in chips)


class Way(NamedTuple):
    """One way to split a sentence."""

    name: str
    chips: tuple[Chip, ...]
    vocabulary: int
    unknown: tuple[str, ...]
    cost: str
    """Markup."""


def ways_to_cut(analysis: Analysis, corpus: CorpusFacts) -> tuple[Way, Way, Way]:
    """A sentence as characters, as words and as subwords, each with a vocabulary from the same corpus."""
    return as_characters(analysis.text, corpus), as_words(analysis.text, corpus), as_subwords(analysis)


def as_characters(text: str, corpus: CorpusFacts) -> Way:
    """Every character a piece; a word is unknown if the corpus lacks one of its characters."""
    message = _(
        "A small vocabulary, but every letter is a step for the model and says little by itself: {number} of them here."
    )
    words = dict.fromkeys(WORD.findall(text))
    return Way(
        _("Characters"),
        tuple(Chip(_plain_chip(one, one not in corpus.characters), one) for one in text),
        len(corpus.characters),
        tuple(word for word in words if not corpus.characters.issuperset(word)),
        fill(message, number=count(len(text))),
    )


def as_words(text: str, corpus: CorpusFacts) -> Way:
    """Every word a piece, unknown if it isn't in the corpus."""
    whole = _("Few pieces, but every form of a word needs its own entry, and no corpus has every word.")
    words = WORD.findall(text)
    new = tuple(word for word in dict.fromkeys(words) if word not in corpus.words)
    if new:
        here = fill(_("All it can say here is “unknown” for {words}."), words=_some_words(new))
    else:
        here = escape(_("Every word of this sentence is in the corpus: try a rare one."))
    return Way(
        _("Words"),
        tuple(Chip(_plain_chip(word, word not in corpus.words), word) for word in words),
        len(corpus.words),
        new,
        sentences(escape(whole), here),
    )


def _some_words(words: Sequence[str]) -> str:
    """The first few words as chips, and the number of the others."""
    shown = " ".join(chip(word, PLAIN, "s") for word in words[:WORDS_NAMED])
    more = len(words) - WORDS_NAMED
    if more <= 0:
        return shown
    return fill(
        ngettext("{pieces} and {number} more", "{pieces} and {number} more", more),
        pieces=shown,
        number=count(more),
    )


def as_subwords(analysis: Analysis) -> Way:
    """The tokenizer's tokens; a word is unknown if a token that covers part of it is."""
    subject = analysis.subject
    text = _(
        "Frequent words stay whole, rare ones are spelled with pieces; in the worst case, with single "
        "bytes. The price: the pieces have to be learned, and that is what this app shows."
    )
    unknown_spans = [span for index, span in enumerate(analysis.offsets) if analysis.is_unknown(index)]
    lost = dict.fromkeys(
        match[0]
        for match in WORD.finditer(analysis.text)
        if any(start < match.end() and match.start() < end for start, end in unknown_spans)
    )
    return Way(
        _("Subwords"),
        tuple(
            Chip(run_chip(run), run.text, len(run.pieces))
            for run in analysis.runs(0, len(analysis.stretches))
            if run.pieces
        ),
        subject.size,
        tuple(lost),
        escape(text),
    )


def _plain_chip(text: str, unknown: bool) -> str:
    """A character or a word; dashed if it isn't in the vocabulary."""
    return chip(text, PLAIN, "u" if unknown else "")


def ways_html(analysis: Analysis, corpus: CorpusFacts) -> str:
    """The three ways, one row each."""
    rows = ""
    for way in ways_to_cut(analysis, corpus):
        shown = line_html([(one.html, one.text) for one in way.chips[:WAY_SHOWN]])
        if more := pieces_in(way.chips[WAY_SHOWN:]):
            left_out = ngettext("… {number} more", "… {number} more", more).format(number=count(more))
            shown += f'<span class="cut">{escape(left_out)}</span>'
        figures = (
            (_("Pieces"), pieces_in(way.chips), ""),
            (_("Vocabulary"), way.vocabulary, ""),
            (_("Unknown words"), len(way.unknown), "warn" if way.unknown else ""),
        )
        rows += way_html(escape(way.name), figures, shown, way.cost)
    return f'<div class="ts ways">{rows}</div>'
