"""The lattice of any word on Unigram's page: its flipbook, its k best segmentations, and random samples."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from html import escape

import streamlit as st

from tokenizers_core.training.lattice import Lattice, Path, equally_good
from tokensteps.drawing.lattice.bars import LATTICE_CHARACTERS
from tokensteps.drawing.lattice.frames import lattice_frame
from tokensteps.drawing.parts import table_html
from tokensteps.drawing.tokens import Style, chips, readable
from tokensteps.language.i18n import _, count, ngettext
from tokensteps.language.numbers import log_text, probability_text, share_text
from tokensteps.limits import WORDS_LISTED
from tokensteps.runs.corpora import plain_text
from tokensteps.server.stores import digest
from tokensteps.widgets.notes import note
from tokensteps.widgets.stage import small_book

WHOLE_LATTICE = 32
"""A search with fewer steps is sent in one piece; the frames of long words are large."""
SAMPLE_ROWS = 12
SAMPLES_LISTED = 10


# --- several segmentations --------------------------------------------------------------------------------------------


def k_best_html(paths: Sequence[Path], log_total: float, style: Style) -> str:
    """The most probable segmentations with their numbers; those tied with a neighbour are marked."""
    rows = ""
    for place, path in enumerate(paths):
        near = [*paths[max(0, place - 1) : place], *paths[place + 1 : place + 2]]
        tied = _("tied") if any(equally_good(path, other) for other in near) else ""
        share = math.exp(path.log_probability - log_total)
        rows += (
            f'<tr><td>{place + 1}<td><span class="pieces">{chips(path.pieces, style)}'
            f'<span class="mark">{escape(tied)}</span></span><td>{log_text(path.log_probability)}'
            f"<td>{probability_text(path.log_probability)}<td>{escape(share_text(share))}<td>{share_bar(share)}"
        )
    names = ("", _("segmentation"), _("log"), _("probability"), _("of all"), "")
    return f'<div class="ts segmentations">{table_html(names, rows, "ranked")}</div>'


def share_bar(share: float, expected: float | None = None) -> str:
    """A share as a bar; a tick marks the expected share."""
    tick = "" if expected is None else f'<i style="left:{100 * expected:.1f}%"></i>'
    return f'<span class="track"><span style="width:{100 * share:.1f}%"></span>{tick}</span>'


def samples_html(samples: Sequence[Path], lattice: Lattice, temperature: float, style: Style) -> str:
    """Sampled segmentations: how often each was sampled, how often it is expected, and the first ones in their order."""
    drawn = Counter(samples)
    normaliser = lattice.forward(temperature)[-1]
    rows = ""
    for path, times in drawn.most_common(SAMPLE_ROWS):
        expected = math.exp(path.log_probability / temperature - normaliser)
        share = times / len(samples)
        rows += (
            f'<tr><td><span class="pieces">{chips(path.pieces, style)}</span><td><b>{count(times)}</b>'
            f"<td>{escape(share_text(share))}<td>{escape(share_text(expected))}<td>{share_bar(share, expected)}"
        )
    different = ngettext("{number} different segmentation", "{number} different segmentations", len(drawn))
    told = different.format(number=count(len(drawn)))
    if len(drawn) > SAMPLE_ROWS:
        told = _("{different}; the {shown} most frequent are shown").format(
            different=told, shown=count(SAMPLE_ROWS)
        )
    first = "".join(
        f'<li><span class="pieces">{chips(path.pieces, style)}</span></li>'
        for path in samples[:SAMPLES_LISTED]
    )
    names = (_("segmentation"), _("sampled"), _("share"), _("expected"), "")
    told = _("{drawn}. The tick on a bar is the expected share.").format(drawn=told)
    drawn_first = escape(_("First samples:"))
    return (
        f'<div class="ts segmentations">{table_html(names, rows, "drawn")}<p class="k">{escape(told)}</p>'
        f'<p class="k">{drawn_first}</p>'
        f"<ol>{first}</ol></div>"
    )


# --- the tab ----------------------------------------------------------------------------------------------------------


def lattice_tab(
    lattice_of: Callable[[str], Lattice],
    words: Sequence[str],
    default: str,
    style: Style,
    key: Callable[[str], str],
    aside: Callable[[Lattice], str] = lambda _lattice: "",
) -> Lattice | None:
    """A word's lattice to step through, its best segmentations and random samples; returns the lattice.

    `lattice_of` makes the lattice of a word, and `aside` the markup to show under it. Training steps that change nothing in the lattice
    draw the same frames, which are not sent again.
    """
    word = word_widget(words, default, style, key)
    if not word:
        note(_("Choose a word, or type one."))
        return None
    lattice = lattice_of(word)
    trace = lattice.viterbi()
    small_book(
        key("lattice.book"),
        digest(repr((lattice.edges, style.show)).encode("utf-8", "replace")),
        len(trace),
        lambda step: lattice_frame(trace[step], style),
        trace=word,
        whole=WHOLE_LATTICE,
        title=_("Lattice"),
    )
    if trace.stop_reason == "no_path":
        note(_("No sequence of pieces spells this word, so there is nothing to rank or sample."))
        return lattice
    if told := aside(lattice):
        st.html(f'<div class="ts">{told}</div>')
    left, right = st.columns(2, gap="large")
    with left:
        k_best_part(lattice, style, key)
    with right:
        samples_part(lattice, style, key)
    return lattice


def word_widget(words: Sequence[str], default: str, style: Style, key: Callable[[str], str]) -> str:
    """The word to look at: one of the corpus, or any other."""
    listed = [word for word in dict.fromkeys([default, *words[:WORDS_LISTED]]) if word]
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


def k_best_part(lattice: Lattice, style: Style, key: Callable[[str], str]) -> None:
    """The k best segmentations."""
    st.header(_("The k best"), anchor=False)
    number = st.segmented_control(_("How many"), [5, 10, 20], default=5, required=True, key=key("lattice.k"))
    paths = lattice.k_best(int(number or 5))
    st.html(k_best_html(paths, lattice.log_total, style))
    if lattice.path_count == len(paths):
        st.caption(_("That's all of them."))


def samples_part(lattice: Lattice, style: Style, key: Callable[[str], str]) -> None:
    """Segmentations sampled at random, as in subword regularization."""
    st.header(_("Sample at random"), anchor=False)
    temperature = st.slider(
        _("Temperature"),
        0.1,
        5.0,
        1.0,
        0.1,
        key=key("lattice.temperature"),
        help=_(
            "Probabilities are raised to 1 / temperature: near 0 the best always wins; high values make all alike."
        ),
    )
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    number = left.segmented_control(
        _("How many"), [10, 100, 1000], default=100, required=True, key=key("lattice.samples")
    )
    seed = st.session_state.setdefault(key("lattice.seed"), 0)

    def again() -> None:
        st.session_state[key("lattice.seed")] += 1

    right.button(_("Sample again"), on_click=again, key=key("lattice.again"), width="stretch")
    samples = lattice.samples(int(number or 100), temperature, seed)
    st.html(samples_html(samples, lattice, temperature, style))
    st.caption(_("Seed {seed}: the same seed, the same samples.").format(seed=seed))
