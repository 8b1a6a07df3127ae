"""Shared by the training pages: build in the background, draw the stage, also of a growing run, and step
through it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar, cast

import streamlit as st

from tokenizers_core.errors import TokenizersCoreError
from tokenizers_core.training.algorithms import AnyTrace
from tokenizers_core.training.comparison import Comparison
from tokenizers_core.training.merge_trace import MergeTrace
from tokensteps.catalogue import choices
from tokensteps.catalogue.choices import OpenedTokenizer
from tokensteps.components.address import excerpt_in_url, is_back
from tokensteps.components.flipbook import (
    Growth,
    coming_step,
    flipbook,
    follows_end,
    go_to,
    is_shown,
    position,
)
from tokensteps.drawing.frame import WHOLE_RUN, Frame, window
from tokensteps.language.i18n import _, count, current_language, listed, ngettext, use_language
from tokensteps.language.labels import flipbook_labels
from tokensteps.language.messages import explained
from tokensteps.language.names import side_name
from tokensteps.runs.algorithms import Run
from tokensteps.server.jobs import ENDING, Built, Job, Registry, registry
from tokensteps.server.shared_cache import at_hand, drawn
from tokensteps.server.steps import Window, draw_window, takes_a_while
from tokensteps.server.tasks import Progress
from tokensteps.streamlit_internals import session_id
from tokensteps.widgets.arrival import from_link, take_arrival
from tokensteps.widgets.notes import note, problem

Grown = TypeVar("Grown", bound=AnyTrace)
AWAITED: Final = 0.3
"""Seconds that an empty part of a page waits for something to show: it asks again soon after."""
FEW: Final = 24
"""Frames drawn in the unsettled part of a growing run: they change a moment later."""
FIRST: Final = 12
"""First frames of a long window not drawn yet: the browser asks for all as soon as it shows one."""
FOLLOWED: Final = "followed"
"""A page's memory of elements under its stage: if they went for a moment, the page would scroll."""
LONG: Final = 48
"""Frames from which a window is long."""
STAGE_ON: Final = "stage.page"
"""In session state: the page whose stage has been drawn in this run."""
ENDED: Final = Growth("", "", 0.0)
"""The state of a finished run that isn't complete in the browser."""


def build(
    page: str,
    run: str,
    make: Callable[[Progress], Built],
    among: Callable[[], Registry] = registry,
    wanted: int | None = None,
) -> Built | None:
    """The trace called `run`, made in the background if need be; None, with a message, while there is nothing
    to show.

    `among` is the registry that keeps and shares it. A growing trace will do if step `wanted` is there; None
    is for the whole one.
    """
    cached: dict[str, Built | None] = st.session_state.setdefault(f"{page}.stopped", {})
    if run in cached:
        stopped = cached[run]
        if stopped is None or getattr(stopped, "stop_reason", "") == "stopped":  # or it had just ended
            _offer_more(page, run, cached)
        return stopped
    try:
        result = among().ask(run, make, session=session_id(), slot=page, growing=wanted is not None)
    except TokenizersCoreError as error:
        problem(explained(error))
        return None
    if not isinstance(result, Job):
        return result
    if _is_there(result, wanted):
        return cast(Built, result.grown())
    _watch(page, run, result, among, wanted)
    return None


def _is_there(job: Job[Any], wanted: int | None, wait: float = 0.0) -> bool:
    """Whether a job's growing run has come to step `wanted`."""
    if wanted is None:
        return False
    grown = job.grown(wait)
    return grown is not None and len(grown) >= wanted


def trained(run: Run[Built], slot: str = "") -> Built | None:
    """The trace of a run, or None while it is being made, with a progress bar; `slot` tells two runs on one
    page apart."""
    return build(f"{run.algorithm.name}{slot}", run.name, run.make)


def growing(run: Run[Built], ahead: int = 0) -> Built | None:
    """The trace of a run as recorded so far, once the learner's step is there, with `ahead` steps after it;
    None before, with a progress bar.

    A link names this step only once; so it is remembered until the step comes.
    """
    page, key = run.algorithm.name, f"{run.algorithm.name}.awaited"
    waited: tuple[str, int | None] | None = st.session_state.pop(key, None)
    if waited is not None and (waited[0] != run.name or from_link() or is_back()):
        waited = None
    requested = coming_step(f"{page}.book", run.name, linked=from_link()) if waited is None else waited[1]
    first, _last = excerpt_in_url() or (0, 0)
    wanted = max(requested + ahead if requested else 0, first)
    trace = build(page, run.name, run.make, wanted=wanted)
    if trace is None:
        st.session_state[key] = run.name, requested
    elif waited is not None and requested is not None:
        go_to(f"{page}.book", requested)
    return trace


def is_awaited(page: str) -> bool:
    """Whether the page's stage has yet to come: its run is being made, and isn't at the wanted step yet."""
    waited: tuple[str, int | None] | None = st.session_state.get(f"{page}.awaited")
    return waited is not None and waited[0] in registry().jobs


def newest(run: Run[Grown], trace: Grown) -> Grown | None:
    """In a fragment: the present state of a trace that was still growing when the page last ran. None, with a
    message, if training failed. If the run was stopped or given up, the page runs again."""
    page = run.algorithm.name
    if trace.finished:
        return trace
    if run.name not in st.session_state.get(f"{page}.stopped", ()):
        try:
            result = registry().ask(run.name, run.make, 0, session_id(), page)
        except TokenizersCoreError as error:
            problem(explained(error))
            return None
        if not isinstance(result, Job):
            return result
        if _is_there(result, len(trace)):
            return cast(Grown, result.grown())
    return st.rerun()


def growth(run: Run[Any], trace: AnyTrace | Comparison) -> Growth | None:
    """The progress of a growing run."""
    if trace.finished:
        return None
    job = registry().jobs.get(run.name)
    if job is None:  # it has just ended
        return ENDED
    done, total = job.progress.done, job.progress.total
    if isinstance(trace, MergeTrace):  # the same number as beside it
        done = len(trace)
    text = _("Training: {done} of {total}") if total else _("Training: {done} so far")
    message = text.format(done=count(done), total=count(total or 0))
    return Growth(message, "" if job.shared(session_id()) else _("Stop here"), job.progress.pause())


def stop_growing(run: Run[Any]) -> None:
    """End a growing run, unless others look at it, too."""
    job = registry().jobs.get(run.name)
    if job is not None and not job.shared(session_id()):
        _stop(run.algorithm.name, run.name, job, registry)


def opened_tokenizer(spec: str, slot: str) -> OpenedTokenizer | None:
    """The tokenizer under a spec; None while it is being made or when it can't be, with a message on the
    page.

    `slot` tells several of them on a page apart. Raises SpecError, and the errors of `TokenizerSpec.run`.
    """
    order = choices.order(spec)
    value = build(slot, order.name, order.make, order.registry)
    return None if value is None else order.opened(value)


def _offer_more(page: str, run: str, stopped: dict[str, Any]) -> None:
    """Say that this run was stopped, and let it go on."""
    left, right = st.columns([4, 1], vertical_alignment="center")
    result = stopped[run]
    if result is None:
        text = _("Reading was stopped before training began.")
    elif isinstance(result, Comparison):  # its steps are sizes, no measure of the training's progress
        reached = listed(f"{side_name(side.name)} {count(side.sizes[-1])}" for side in result.sides)
        text = _(
            "Training was stopped at these vocabulary sizes: {reached}. At larger sizes, what merges stays as it is; "
            "at smaller ones, Unigram is missing."
        ).format(reached=reached)
    else:
        text = ngettext(
            "Training was stopped after {number} step.",
            "Training was stopped after {number} steps.",
            len(result),
        ).format(number=count(len(result)))
    with left:
        note(text)
    right.button(
        _("Train to the end"), key=f"{page}.again", on_click=stopped.pop, args=(run, None), width="stretch"
    )


@st.fragment(run_every=0.4)
def _watch(
    page: str, run: str, job: Job[Any], among: Callable[[], Registry], wanted: int | None = None
) -> None:
    """A progress bar and a stop button."""
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
        _stop(page, run, job, among)
    if _is_there(job, wanted, AWAITED) or job.finished():
        st.rerun()


def _stop(page: str, run: str, job: Job[Any], among: Callable[[], Registry]) -> None:
    """End a job; its partial result is this session's. A trace with steps only has to stop: nobody waits for
    the process's answer."""
    among().stop(run, job)
    if (grown := job.grown()) and not job.finished(ENDING):
        st.session_state[f"{page}.stopped"] = {run: replace(grown, stop_reason="stopped")}
    else:
        job.finished(5.0)
        st.session_state[f"{page}.stopped"] = {run: job.value}


def book_name(run: str, drawing: str) -> str:
    """The name of a run's frames in one kind of drawing, in the language in use."""
    return f"{run}:{drawing}:{current_language()}"


def is_first_look(page: str, run: str, drawing: str) -> bool:
    """Whether a page's stage hasn't shown this run, drawn in this way, when the page last ran. Then a part of
    a long window comes first, and the elements under the stage may follow: so the stage is there sooner, and
    asks for the rest."""
    return not is_shown(f"{page}.book", book_name(run, drawing))


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
    drawing_version: Callable[[int], object] = lambda _last: (),
    growth: Growth | None = None,
    on_stop: Callable[[], None] | None = None,
    excerpt: tuple[int, int] | None = None,
    start: int = 0,
    marks: Sequence[int] = (),
) -> int:
    """The flipbook of a run with its window of frames; returns its step. To be called in a fragment.

    `run` names the run, `drawing` the kind of drawing; `frame(step)` draws one step. A run of fewer than
    `whole` steps is sent whole, of a longer one `size` steps at a time. `on_answer` is called with the id of
    a choice in a frame. `labels` are the words of the controls for steps other than those of training.
    `drawing_version(k)` tells apart frames of the steps up to k with the same names, as a growing run may
    have: then `growth` is its progress, and `on_stop` is called when the learner stops it. `excerpt` are the
    first and the last reachable step, if not all are. Without a requested step, `start` is the first one.
    `marks` are the steps marked on the timeline.
    """
    st.session_state[STAGE_ON] = page
    name = book_name(run, drawing)
    first_look = is_first_look(page, run, drawing)
    index = position(
        f"{page}.book",
        run=name,
        last=last,
        trace=run,
        url=url,
        arrival=take_arrival(),
        excerpt=excerpt,
        start=start,
    )
    shown = window(index.step, last, size, whole)
    if growth is not None and ((follows := follows_end(f"{page}.book", name)) or drawing_version(shown[-1])):
        shown = window(last if follows else index.step, last, FEW, FEW)
    long = len(shown) > LONG and takes_a_while(frame, shown)
    if first_look and long and at_hand((name, shown, drawing_version(shown[-1]))) is None:
        shown, growth = window(index.step, last, FIRST, FIRST), growth or ENDED
    if first_look and growth is not None:
        growth = growth._replace(pause=0.0)
    book = Window(name, last, shown, labels or flipbook_labels(), param="step")
    data = drawn((name, shown, drawing_version(shown[-1])), lambda: draw_window(run, book, frame), len)
    flipbook(
        data,
        key=f"{page}.book",
        run=name,
        seek=index.seek,
        last=last,
        growth=growth,
        excerpt=excerpt,
        marks=marks,
        on_answer=on_answer,
        on_stop=on_stop,
    )
    return index.step


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

    `title` tells it from the stage. It stays at its step as long as `trace` is the same (default: `run`).
    Large frames come a window at a time, unless there are fewer than `whole`. `on_answer` is called with the
    id of a choice in a frame.
    """
    name = f"{run}:{current_language()}"
    index = position(key, run=name, last=last, trace=trace, param=None)
    shown = window(index.step, last, size=min(96, whole), whole=whole)
    book = Window(name, last, shown, flipbook_labels(title), param=None)
    data = drawn((name, shown, title), lambda: book.packed(frame), len)
    flipbook(data, key=key, run=name, seek=index.seek, on_answer=on_answer)
