"""The lattice of any word on Unigram's page: its flipbook and its k best segmentations, and in a tab of its
own random samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from html import escape
from typing import Final

import streamlit as st

from tokenizers_core.encoding.models.lattice import Lattice, Path, equally_good
from tokensteps.drawing.lattice.bars import LATTICE_CHARACTERS
from tokensteps.drawing.lattice.frames import lattice_frame
from tokensteps.drawing.stage_markup import table_html
from tokensteps.drawing.tokens import Style, chips, readable
from tokensteps.language.i18n import _, count, current_language
from tokensteps.language.numbers import log_text, probability_text, share_text
from tokensteps.pages.train.random_splits import WordSplit, how_many, samples_html, share_bar
from tokensteps.runs.corpora import plain_text
from tokensteps.server.shared_cache import remembered
from tokensteps.server.stores import digest
from tokensteps.widgets.notes import note
from tokensteps.widgets.stage import small_book

WORDS_OFFERED: Final = 200
"""Words in a box for any word: 2,000 took the server 2 milliseconds, at every step of every visitor."""

WHOLE_LATTICE = 32
"""A search with fewer steps is sent in one piece; the frames of long words are large."""


# --- several segmentations ----------------------------------------------------------------------------------


def k_best_html(paths: Sequence[Path], log_total: float, style: Style, every: bool = False) -> str:
    """The most probable segmentations with their numbers; ties between neighbours are marked. With `every`, a
    note says that these are all."""
    rows = ""
    for index, path in enumerate(paths):
        near = [*paths[max(0, index - 1) : index], *paths[index + 1 : index + 2]]
        tied = _("tied") if any(equally_good(path, other) for other in near) else ""
        share = math.exp(path.log_probability - log_total)
        rows += (
            f'<tr><td>{index + 1}<td><span class="pieces">{chips(path.pieces, style)}'
            f'<span class="mark">{escape(tied)}</span></span><td>{log_text(path.log_probability)}'
            f"<td>{probability_text(path.log_probability)}<td>{escape(share_text(share))}<td>{share_bar(share)}"
        )
    names = ("", _("segmentation"), _("log"), _("probability"), _("of all"), "")
    text = '<p class="k">' + escape(_("That's all of them.")) if every else ""
    return f'<div class="ts segmentations">{table_html(names, rows, "ranked")}{text}</div>'


def path_shares(paths: Sequence[Path], lattice: Lattice, temperature: float) -> dict[WordSplit, float]:
    """The probability of each of some segmentations at a temperature."""
    normaliser = lattice.forward(temperature)[-1]
    return {path.pieces: math.exp(path.log_probability / temperature - normaliser) for path in paths}


# --- the tab ------------------------------------------------------------------------------------------------


def lattice_tab(
    lattice_of: Callable[[str], Lattice],
    words: Sequence[str],
    default: str,
    style: Style,
    key: Callable[[str], str],
    aside: Callable[[Lattice], str] = lambda _lattice: "",
) -> Lattice | None:
    """A word's lattice to step through, and its best segmentations; returns the lattice.

    `lattice_of` makes the lattice of a word, and `aside` the markup to show under it.
    """
    word = word_widget(words, default, style, key)
    if not word:
        note(_("Choose a word, or type one."))
        return None
    lattice = lattice_of(word)
    drawing = name_of(lattice, style)
    search = cache(lattice.viterbi)  # needed only for frames not drawn yet
    small_book(
        key("lattice.book"),
        drawing,
        remembered((Lattice.viterbi, drawing), lambda: len(search())),
        lambda step: lattice_frame(search()[step], style),
        trace=word,
        whole=WHOLE_LATTICE,
        title=_("Lattice"),
    )
    if not has_splits(lattice):
        return lattice
    if text := aside(lattice):
        st.html(f'<div class="ts">{text}</div>')
    k_best_part(lattice, style, key, drawing)
    return lattice


def samples_tab(
    lattice_of: Callable[[str], Lattice],
    words: Sequence[str],
    default: str,
    style: Style,
    key: Callable[[str], str],
) -> None:
    """Random samples of a word's segmentations, as in subword regularization. Word and arguments are those of
    `lattice_tab`."""
    word = word_widget(words, default, style, key)
    if not word:
        note(_("Choose a word, or type one."))
        return
    lattice = lattice_of(word)
    if has_splits(lattice):
        samples_part(lattice, style, key, name_of(lattice, style))


def name_of(lattice: Lattice, style: Style) -> str:
    """The name of a lattice and of its drawing. Training steps that change nothing in it draw the same
    frames: they are not sent again."""
    return digest(repr((lattice.edges, style.show)).encode("utf-8", "replace"))


def has_splits(lattice: Lattice) -> bool:
    """Whether there is a way through a lattice; if not, with a note."""
    if not lattice.path_count:
        note(_("No sequence of pieces spells this word, so there is nothing to rank or sample."))
    return bool(lattice.path_count)


def word_widget(words: Sequence[str], default: str, style: Style, key: Callable[[str], str]) -> str:
    """The word to look at: one of the corpus, or any other."""
    listed = [word for word in dict.fromkeys([default, *words[:WORDS_OFFERED]]) if word]
    chosen = st.selectbox(
        _("Word (␣ and ▁ stand for a space)"),
        listed,
        format_func=lambda word: readable(word, style),
        accept_new_options=True,
        persist_state="session",
        key=key(f"lattice.word.{digest(repr(listed).encode('utf-8', 'replace'))}"),
    )
    word = plain_text(chosen).replace(" ", "▁").replace("␣", "▁")
    if len(word) > LATTICE_CHARACTERS:
        message = _("The word has {length} characters; its first {limit} are shown.")
        note(message.format(length=count(len(word)), limit=LATTICE_CHARACTERS))
    return word[:LATTICE_CHARACTERS]


def k_best_part(lattice: Lattice, style: Style, key: Callable[[str], str], drawing: str) -> None:
    """The k best segmentations; `drawing` names the lattice and its drawing."""
    number = st.segmented_control(
        _("The k best"), [5, 10, 20], default=5, required=True, key=key("lattice.k"), persist_state="session"
    )
    most = int(number or 5)

    def draw() -> str:
        return k_best_html(lattice.k_best(most), lattice.log_total, style, lattice.path_count <= most)

    st.html(remembered((k_best_html, drawing, most, current_language()), draw))


def samples_part(lattice: Lattice, style: Style, key: Callable[[str], str], drawing: str) -> None:
    """Segmentations sampled at random; `drawing` names the lattice and its drawing."""
    temperature = st.slider(
        _("Temperature"),
        0.1,
        5.0,
        1.0,
        0.1,
        key=key("lattice.temperature"),
        persist_state="session",
        help=_(
            "Probabilities are raised to 1 / temperature: near 0 the best always wins; high values make all alike."
        ),
    )
    number, seed = how_many(lambda name: key(f"lattice.{name}"))

    def draw() -> str:
        drawn = lattice.samples(number, temperature, seed)
        shares = path_shares(drawn, lattice, temperature)
        return samples_html([path.pieces for path in drawn], shares, style, seed)

    st.html(remembered((samples_html, drawing, number, temperature, seed, current_language()), draw))
