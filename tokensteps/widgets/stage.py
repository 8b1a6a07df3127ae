"""What the training pages share: build in the background, draw_window the stage, step through it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.training.comparison import Comparison
from tokensteps.catalogue import choices
from tokensteps.catalogue.choices import Opened
from tokensteps.components.flipbook import flipbook, position
from tokensteps.drawing.frame import WHOLE_RUN, Frame, window
from tokensteps.language.i18n import _, count, current_language, ngettext, use_language
from tokensteps.language.labels import flipbook_labels
from tokensteps.language.messages import explained
from tokensteps.runs.algorithms import Run
from tokensteps.server.jobs import Built, Job, Registry, registry
from tokensteps.server.shelf import drawn
from tokensteps.server.steps import Window, draw_window
from tokensteps.server.tasks import Progress
from tokensteps.streamlit_internals import session_id
from tokensteps.widgets.arrival import take_arrival
from tokensteps.widgets.notes import note, problem


def build(
    page: str, run: str, make: Callable[[Progress], Built], among: Callable[[], Registry] = registry
) -> Built | None:
    """The trace called `run`, made in the background if need be; None while there is nothing to show, which it says.

    `among` is where it is kept and shared.
    """
    kept: dict[str, Built | None] = st.session_state.setdefault(f"{page}.stopped", {})
    if run in kept:
        stopped = kept[run]
        if stopped is None or getattr(stopped, "stop_reason", "") == "stopped":  # or it had just ended
            _offer_more(page, run, kept)
        return stopped
    try:
        found = among().ask(run, make, session=session_id(), place=page)
    except TokenizersCoreError as error:
        problem(explained(error))
        return None
    if not isinstance(found, Job):
        return found
    _watch(page, run, found, among)
    return None


def trained(run: Run[Built], place: str = "") -> Built | None:
    """The trace of a run, or None while it is being made, which the page shows; `place` tells two runs on one page apart."""
    return build(f"{run.algorithm.name}{place}", run.name, run.make)


def opened_tokenizer(spec: str, place: str) -> Opened | None:
    """The tokenizer under a spec; None while it is being made or when it can't be, which the page shows.

    `place` tells apart what several of them show. Raises SpecError, and what `Spec.run` raises.
    """
    order = choices.order(spec)
    value = build(place, order.name, order.make, order.registry)
    return None if value is None else order.opened(value)


def _offer_more(page: str, run: str, kept: dict[str, Any]) -> None:
    """Say that this run was stopped, and let it go on."""
    left, right = st.columns([4, 1], vertical_alignment="center")
    found = kept[run]
    if found is None:
        told = _("Reading was stopped before training began.")
    elif isinstance(found, Comparison):  # its steps are sizes, which say nothing of how far training came
        told = _(
            "Training was stopped with BPE at {bpe} tokens, WordPiece at {wordpiece} and Unigram at {unigram}. "
            "At larger sizes, BPE and WordPiece stay as they are; at smaller ones, Unigram is missing."
        ).format(
            bpe=count(found.bpe.vocab_sizes[-1]),
            wordpiece=count(found.wordpiece.vocab_sizes[-1]),
            unigram=count(found.unigram.record.sizes[-1]),
        )
    else:
        told = ngettext(
            "Training was stopped after {number} step.",
            "Training was stopped after {number} steps.",
            len(found),
        ).format(number=count(len(found)))
    with left:
        note(told)
    right.button(_("Train to the end"), key=f"{page}.again", on_click=kept.pop, args=(run,), width="stretch")


@st.fragment(run_every=0.4)
def _watch(page: str, run: str, job: Job[Any], among: Callable[[], Registry]) -> None:
    """A progress bar and a button that stops."""
    use_language(st.session_state["language"])
    progress = job.progress
    if progress.phase == "loading":
        text, share = _("Loading the tokenizer …"), 0.0
    elif progress.doing == "checking":
        share = min(1.0, progress.done / (progress.total or 1))
        text = _("Checking: {done} of {total} tokens").format(
            done=count(progress.done), total=count(progress.total or 0)
        )
    elif progress.phase == "reading":
        text, share = _("Reading: {number} characters so far").format(number=count(progress.done)), 0.0
    elif progress.total:
        text = ngettext(
            "Training: {done} of {total} step", "Training: {done} of {total} steps", progress.total
        ).format(done=count(progress.done), total=count(progress.total))
        share = min(1.0, progress.done / progress.total)
    else:
        text = ngettext("Training: {done} step so far", "Training: {done} steps so far", progress.done)
        text, share = text.format(done=count(progress.done)), 0.0
    st.progress(share, text=text)
    if job.shared(session_id()):
        st.caption(_("Others are waiting for this run too, so it continues to the end."))
    elif st.button(_("Stop here"), key=f"{page}.stop"):
        among().stop(run, job)
        job.finished(5.0)
        st.session_state[f"{page}.stopped"] = {run: job.value}
    if job.finished():
        st.rerun()


def stage(
    page: str,
    run: str,
    drawing: str,
    last: int,
    frame: Callable[[int], Frame],
    url: Mapping[str, str | None],
    size: int = 96,
    whole: int = WHOLE_RUN,
    on_answer: Callable[[str], None] | None = None,
    labels: Mapping[str, str] | None = None,
) -> int:
    """The flipbook of a run with its window of frames; returns the step it is at. To be called in a fragment.

    `run` names what is stepped through, `drawing` how it is drawn; `frame(step)` draws one step. A run of fewer than `whole`
    steps is sent whole, of a longer one `size` steps at a time. `on_answer` is called with the id of what is chosen in a frame. `labels` are the
    words of the controls where the steps are not steps of training.
    """
    name = f"{run}:{drawing}:{current_language()}"
    place = position(f"{page}.book", run=name, last=last, trace=run, url=url, arrival=take_arrival())
    shown = window(place.step, last, size, whole)
    book = Window(name, last, shown, labels or flipbook_labels(), param="step")
    data = drawn((book.name, shown), lambda: draw_window(run, book, frame), len)
    flipbook(data, key=f"{page}.book", run=name, seek=place.seek, on_answer=on_answer)
    return place.step


def small_book(
    key: str,
    run: str,
    last: int,
    frame: Callable[[int], Frame],
    trace: str | None = None,
    whole: int = WHOLE_RUN,
    *,
    title: str = "",
    on_answer: Callable[[str], None] | None = None,
) -> None:
    """A flipbook inside a tab: it leaves the URL alone and takes keys when it has the focus.

    `title` tells it from the stage. It stays at its step as long as `trace` is the same (default: `run`). Frames that are large come a window at a time,
    unless there are fewer than `whole`. `on_answer` is called with the id of what is chosen in a frame.
    """
    name = f"{run}:{current_language()}"
    place = position(key, run=name, last=last, trace=trace, param=None)
    shown = window(place.step, last, size=min(96, whole), whole=whole)
    book = Window(name, last, shown, flipbook_labels(title), param=None)
    data = drawn((name, shown, title), lambda: book.packed(frame), len)
    flipbook(data, key=key, run=name, seek=place.seek, on_answer=on_answer)
