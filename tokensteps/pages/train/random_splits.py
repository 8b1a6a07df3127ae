"""Splits of a word: random samples beside their expected shares, and splits by other ways of using the same
vocabulary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from html import escape
from random import Random
from typing import Final

import streamlit as st

from tokenizers_core.encoding.models.bpe import BpeModel
from tokenizers_core.encoding.models.wordpiece import WordPieceModel
from tokenizers_core.encoding.tokenizer import Tokenizer
from tokensteps.drawing.stage_markup import table_html
from tokensteps.drawing.tokens import Style, chips
from tokensteps.language.i18n import _, count, ngettext
from tokensteps.language.numbers import share_text
from tokensteps.pages.cutting import Chosen, show_ways
from tokensteps.shell.navigation import page_link
from tokensteps.teaching.exercises.kinds import EXERCISE_KINDS
from tokensteps.widgets.notes import note

RANDOM_CHARACTERS: Final = 24
"""The longest word to split at random, in characters: a thousand samples of it take BPE a tenth of a second,
and its distribution as long."""

SAMPLE_ROWS = 12
SAMPLES_LISTED = 10

WordSplit = tuple[str, ...]


def share_bar(share: float, expected: float | None = None) -> str:
    """A share as a bar; a tick marks the expected share."""
    tick = "" if expected is None else f'<i style="left:{100 * expected:.1f}%"></i>'
    return f'<span class="track"><span style="width:{100 * share:.1f}%"></span>{tick}</span>'


def samples_html(
    drawn: Sequence[WordSplit], expected: Mapping[WordSplit, float] | None, style: Style, seed: int
) -> str:
    """Sampled splits: how often each was sampled, how often it is expected (if known), the first ones in
    their order, and a note that `seed` gives them again."""
    counts = Counter(drawn)
    rows = ""
    for split, times in counts.most_common(SAMPLE_ROWS):
        share, wanted = times / len(drawn), None if expected is None else expected[split]
        rows += (
            f'<tr><td><span class="pieces">{chips(split, style)}</span><td><b>{count(times)}</b>'
            f"<td>{escape(share_text(share))}<td>{'' if wanted is None else escape(share_text(wanted))}"
            f"<td>{share_bar(share, wanted)}"
        )
    different = ngettext("{number} different segmentation", "{number} different segmentations", len(counts))
    text = different.format(number=count(len(counts)))
    if len(counts) > SAMPLE_ROWS:
        text = _("{different}; the {shown} most frequent are shown").format(
            different=text, shown=count(SAMPLE_ROWS)
        )
    text = (
        _("{drawn}. The tick on a bar is the expected share.").format(drawn=text) if expected else f"{text}."
    )
    first = "".join(
        f'<li><span class="pieces">{chips(split, style)}</span></li>' for split in drawn[:SAMPLES_LISTED]
    )
    names = (_("segmentation"), _("sampled"), _("share"), _("expected"), "")
    drawn_first = escape(_("First samples:"))
    again = _("Seed {seed}: the same seed, the same samples.").format(seed=seed)
    return (
        f'<div class="ts segmentations">{table_html(names, rows, "drawn")}<p class="k">{escape(text)}</p>'
        f'<p class="k">{drawn_first}</p><ol>{first}</ol><p class="k">{escape(again)}</p></div>'
    )


def how_many(key: Callable[[str], str]) -> tuple[int, int]:
    """The number of samples, and the seed: another one at each press of the button."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        number = st.segmented_control(
            _("How many"),
            [10, 100, 1000],
            default=100,
            required=True,
            key=key("samples"),
            persist_state="session",
        )
        seed = st.session_state.setdefault(key("seed"), 0)

        def again() -> None:
            st.session_state[key("seed")] += 1

        st.button(_("Sample again"), on_click=again, key=key("again"))
    return int(number or 100), seed


def dropout_part(
    model: BpeModel | WordPieceModel, word: str, style: Style, key: Callable[[str], str]
) -> None:
    """A word split at random by dropout, beside the exact distribution."""
    if len(word) > RANDOM_CHARACTERS:
        text = _("Words of up to {limit} characters are also split at random here; this one has {length}.")
        note(text.format(limit=count(RANDOM_CHARACTERS), length=count(len(word))))
        return
    st.header(_("Sample at random"), anchor=False)
    text = (
        _("Before each merge, every possible merge drops out with this probability (BPE-dropout).")
        if isinstance(model, BpeModel)
        else _("Every match of more than one character drops out with this probability (MaxMatch-dropout).")
    )
    amount = st.slider(
        _("Dropout"), 0.0, 1.0, 0.1, 0.05, key=key("dropout"), persist_state="session", help=text
    )
    st.caption(text)
    number, seed = how_many(key)
    random = Random(seed)
    drawn = [model.sample(word, amount, random) for _sample in range(number)]
    st.html(samples_html(drawn, model.distribution(word, amount), style, seed))
    exercises_link("dropout")


def ways_part(tokenizer: Tokenizer, word: str, name: str, style: Style, key: Callable[[str], str]) -> None:
    """A word by all ways of using the vocabulary; `name` is the tokenizer's."""
    st.header(_("Other ways to use this vocabulary"), anchor=False)
    state, chosen = st.session_state, key("way")

    def choose(way: str) -> None:
        state[chosen] = way

    show_ways(tokenizer.ways, word, name, style, Chosen(state.get(chosen, ""), choose), key)
    exercises_link("ways")


def exercises_link(kind: str) -> None:
    """A link to exercises on this."""
    label = _("Exercises: {kind}").format(kind=_(EXERCISE_KINDS[kind].title))
    page_link("exercises", label, {"kind": kind})
