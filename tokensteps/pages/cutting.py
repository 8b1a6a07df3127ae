"""A word by all ways of using one vocabulary: one under the other, and one of them step by step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Protocol

import streamlit as st

from tokenizers_core.encoding.cuts.steps import CutSnapshot, FewestSnapshot
from tokenizers_core.encoding.cuts.ways import SAMPLED, WordWays
from tokenizers_core.encoding.models.bpe import EncodingSnapshot
from tokenizers_core.trace import Trace
from tokensteps.drawing.cuts.fewest import fewest_frame
from tokensteps.drawing.cuts.frames import cut_frame
from tokensteps.drawing.cuts.overview import ways_of_word_html
from tokensteps.drawing.encoding import encoding_frame
from tokensteps.drawing.frame import WHOLE_RUN, Frame
from tokensteps.drawing.lattice.frames import lattice_frame
from tokensteps.drawing.tokens import Style
from tokensteps.language.i18n import _, count
from tokensteps.language.names import USE_NAMES
from tokensteps.limits import STEPS_SENT
from tokensteps.server.stores import digest
from tokensteps.widgets.notes import note
from tokensteps.widgets.stage import small_book

WHOLE_PICTURE = 32
"""A search through a lattice with fewer steps is sent in one piece: the frames of long words are large."""


class Cutter(Protocol):
    """A source of a word's cuts: a tokenizer's ways, or a subject."""

    def all_cuts(self, word: str, amount: float | None = None, seed: int = 0) -> WordWays: ...

    def cut_steps(self, word: str, way: str, amount: float | None = None, seed: int = 0) -> Trace[Any]: ...


class Chosen(NamedTuple):
    """The way to step through."""

    way: str
    choose: Callable[[str], None]
    """Called with another way when somebody chooses it."""


def show_ways(
    cutter: Cutter, word: str, name: str, style: Style, chosen: Chosen, key: Callable[[str], str]
) -> None:
    """The word by every way, and one of them on a flipbook. `name` is the vocabulary's name. Raises the
    errors of cutting."""
    amount, seed = _chance(key)
    ways = cutter.all_cuts(word, amount, seed)
    st.html(ways_of_word_html(ways, style))
    way = chosen.way if chosen.way in ways.cuts else ways.own or next(iter(ways.cuts))
    state, choice = st.session_state, key("ways.way")
    state[choice] = way
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            _("Step through"),
            list(ways.cuts),
            format_func=lambda one: _(USE_NAMES[one]),
            key=choice,
            on_change=lambda: chosen.choose(state[choice]),
            width=300,
        )
        if way == SAMPLED:
            _sample_controls(ways, key)
    steps = cutter.cut_steps(word, way, amount, seed)
    last = min(len(steps), STEPS_SENT)
    if not last:
        cut = ways.cuts[way]
        if cut is not None:  # otherwise it stands above that no way cuts it
            note(
                _("There is no step: the word is a token itself, and is taken whole.")
                if len(cut) == 1
                else _("There is no step: nothing is merged, and the word's symbols stay as they are.")
            )
        return
    if last < len(steps) or steps.stop_reason == "cut":
        note(_("Only the first {number} steps of this word are shown.").format(number=count(last)))
    pictured = isinstance(steps[0], FewestSnapshot) or way == "most_probable"
    small_book(
        key("ways.book"),
        digest(repr((name, word, way, amount, seed, style.show)).encode("utf-8", "replace")),
        last,
        partial(_step_frame, steps, way, style),
        whole=WHOLE_PICTURE if pictured else WHOLE_RUN,
        title=_(USE_NAMES[way]),
    )


def _step_frame(steps: Trace[Any], way: str, style: Style, step: int) -> Frame:
    match steps[step]:
        case CutSnapshot() as snapshot:
            return cut_frame(snapshot, way, style)
        case FewestSnapshot() as snapshot:
            return fewest_frame(snapshot, style)
        case EncodingSnapshot() as snapshot:
            return encoding_frame(snapshot, style, by_rank=True)
        case snapshot:
            return lattice_frame(snapshot, style)


def _chance(key: Callable[[str], str]) -> tuple[float | None, int]:
    """The dropout or temperature, if one is set, and the seed."""
    return st.session_state.get(key("ways.set")), st.session_state.setdefault(key("ways.seed"), 0)


def _sample_controls(ways: WordWays, key: Callable[[str], str]) -> None:
    """The widgets for the amount of chance in a sample, and for another sample."""
    state, slider = st.session_state, key("ways.amount")
    hot = ways.own == "most_probable"

    def keep() -> None:
        state[key("ways.set")] = state[slider]

    state[slider] = ways.usual if state.get(key("ways.set")) is None else state[key("ways.set")]
    st.slider(
        _("Temperature") if hot else _("Dropout"),
        0.1 if hot else 0.0,
        5.0 if hot else 1.0,
        step=0.1 if hot else 0.05,
        key=slider,
        on_change=keep,
        width=220,
    )

    def again() -> None:
        state[key("ways.seed")] += 1

    st.button(_("Sample again"), on_click=again, key=key("ways.again"))
