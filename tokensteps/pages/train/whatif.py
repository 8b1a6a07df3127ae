"""The page “What if”: a run, and the same run with exactly one thing changed, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import streamlit as st

from tokenizers_core.counterfactual.divergence import first_divergence
from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.training.algorithms import AnyTrace
from tokensteps.components.address import excerpt_in_url, page_address, step_is_due
from tokensteps.components.flipbook import go_to, update_url_without_book
from tokensteps.drawing.frame import Frame
from tokensteps.drawing.tokens import readable
from tokensteps.drawing.whatif import WhatIf, style_of, whatif_frame, whatif_html
from tokensteps.language.i18n import _, count, ngettext, use_language
from tokensteps.language.labels import counts_labels
from tokensteps.language.marks import lead_html
from tokensteps.language.messages import explained
from tokensteps.language.pages import PAGES
from tokensteps.pages.train.whatif_controls import WHATIF_PAGE, WhatIfControls
from tokensteps.runs.changes import (
    COUNT,
    Change,
    all_counts_at_once,
    changed,
    counts_to_try,
    recounted,
    size_along,
)
from tokensteps.server.stores import digest
from tokensteps.shell.navigation import page_link
from tokensteps.widgets import stage
from tokensteps.widgets.arrival import reads_address
from tokensteps.widgets.boxes import text_box
from tokensteps.widgets.downloads import show_address
from tokensteps.widgets.notes import note, problem
from tokensteps.widgets.tour import titled

WHATIF_TEXT: Final = 20_000
"""Characters of the text for comparing two runs: it is encoded twice, and for every count of a word."""

WHATIF_BOOK: Final = f"{WHATIF_PAGE}.book"
TOKENS_SHOWN_AS = "spaces"
"""The way of writing tokens."""


def show() -> None:
    """The whole page."""
    controls = WhatIfControls()
    titled(WHATIF_PAGE, _(PAGES[WHATIF_PAGE].title))
    st.html(
        lead_html(
            _(
                "Train once more with exactly one thing changed, and see where the runs diverge and what difference it makes."
            )
        )
    )
    left, right = st.columns([2, 5])
    with left:
        controls.run_widget()
    try:
        with right:
            result = chosen_change(controls)
        if result is not None:
            show_runs(controls, *result)
    except TokenizersCoreError as error:
        update_url_without_book(WHATIF_BOOK, controls.url())
        problem(explained(error))


def chosen_change(controls: WhatIfControls) -> tuple[AnyTrace, Change] | None:
    """The run as it is, and the change; None if one of them is missing (with a message)."""
    ours = stage.trained(controls.run, f".{WHATIF_PAGE}")
    change = None if ours is None else controls.change_widgets(ours, partial(flips, ours))
    if ours is not None and change is not None:
        return ours, change
    update_url_without_book(WHATIF_BOOK, controls.url())
    return None


def show_runs(controls: WhatIfControls, ours: AnyTrace, change: Change) -> None:
    """Both runs, as soon as they are there; under them a text of one's own, and the link."""
    board = st.container()
    label = _("A text of your own, under both")
    text = text_box(label, WHATIF_TEXT, key=controls.key("a"), persist_state="session")
    url = controls.url(change)
    with board:
        if text is None:
            update_url_without_book(WHATIF_BOOK, url)
        elif change.to is None and change.what == COUNT:
            show_counts(controls, ours, change, text)
        else:
            update_url_without_book(WHATIF_BOOK, url | {"step": None})
            show_change(controls, ours, change, text)
    query = controls.query
    page_link(controls.run.algorithm.name, _("Step through the run as it is"), query)


def show_change(controls: WhatIfControls, ours: AnyTrace, change: Change, text: str) -> None:
    """The run with a change, for a change with a training of its own."""
    run = changed(controls.run, controls.recipe, ours.corpus, change)
    theirs = stage.trained(run, f".{WHATIF_PAGE}.changed")
    if (size := size_along(controls.recipe, ours.corpus, change)) is not None:
        message = _(
            "The vocabulary size changes along, from {before} to {now}: both runs have room for as many merges."
        )
        if ours.ranked_by == "loss":
            message = _(
                "The vocabulary size changes along, from {before} to {now}: both runs keep as many pieces."
            )
        note(message.format(before=count(controls.recipe["size"]), now=count(size)))
    if theirs is not None:
        st.html(f'<div class="ts board">{whatif_html(WhatIf(ours, theirs, TOKENS_SHOWN_AS, text))}</div>')
        show_address(page_address(controls.url(change)))


def flips(ours: AnyTrace, word: str) -> bool:
    """Whether all counts of a word are drawn at once."""
    return all_counts_at_once(ours, ours.word_frequencies[word])


@st.fragment
def show_counts(controls: WhatIfControls, ours: AnyTrace, change: Change, text: str) -> None:
    """The run for every count of a word, all drawn at once: dragging the count asks nothing of the server."""
    use_language(st.session_state["language"])
    number, counts = ours.word_frequencies[change.of], counts_to_try(ours.corpus, change.of)
    name = digest(repr((controls.run.name, change.of)).encode())
    state, at = st.session_state, controls.key("at")
    if state.get(at) != name:
        linked = "step" in st.query_params and (step_is_due() or reads_address(at not in state))
        state[at] = name
        if not linked:
            go_to(WHATIF_BOOK, first_telling(controls, ours, change.of, counts) - counts[0])
    position = stage.stage(
        WHATIF_PAGE,
        name,
        digest(repr((TOKENS_SHOWN_AS, text)).encode()),
        len(counts) - 1,
        partial(frame_of, controls, ours, change.of, text, counts[0]),
        controls.url(change),
        whole=len(counts) + 1,
        labels=counts_labels(),
        excerpt=excerpt_in_url(),
    )
    word = readable(change.of, style_of(ours, TOKENS_SHOWN_AS))
    message = ngettext(
        "{word} occurs {before} time in the corpus. Drag the count, or use the arrow keys.",
        "{word} occurs {before} times in the corpus. Drag the count, or use the arrow keys.",
        number,
    )
    st.caption(message.format(word=word, before=count(number)))
    show_address(page_address(controls.url(change), position))


def frame_of(controls: WhatIfControls, ours: AnyTrace, word: str, text: str, least: int, shift: int) -> Frame:
    """The frame of one count of a word."""
    number = least + shift
    theirs = recounted(controls.run, ours, word, number)
    style = style_of(ours, TOKENS_SHOWN_AS)
    before = ours.word_frequencies[word]
    message = _("{word} × {now}, as it is") if number == before else _("{word} × {now} instead of {before}")
    status = message.format(word=readable(word, style), now=count(number), before=count(before))
    label = f"<u>{count(number)}</u>" if number == before else count(number)
    return whatif_frame(WhatIf(ours, theirs, TOKENS_SHOWN_AS, text), label, status)


def first_telling(controls: WhatIfControls, ours: AnyTrace, word: str, counts: Sequence[int]) -> int:
    """The count nearest to the word's own that changes the run's course; its own if there is none."""
    number = ours.word_frequencies[word]
    for other in sorted(counts, key=lambda other: (abs(other - number), -other)):
        if first_divergence(ours, recounted(controls.run, ours, word, other)) is not None:
            return other
    return number
