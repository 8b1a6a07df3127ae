"""The flipbook: a component for flipping between pre-rendered frames at the speed of the keyboard.

Python draws frames (HTML strings) for a window of steps; `assets/components/flipbook.js` shows one at a time
without asking the server, and reports the step a quarter of a second after the last move. A page goes:

    # where the learner is: browser, URL (Back, links) or memory
    steps = position(KEY, run=run, last=last)
    shown = window(steps.step, last)
    frames = [frame(k) for k in shown]
    data = packed(payload(run, last, shown.start, frames, steps.seek, labels, param="step"))
    flipbook(data, key=KEY, run=run, seek=steps.seek)

inside one `st.fragment`. Everything drawn comes in as an argument, so nothing here needs translating.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, TypedDict

import streamlit as st

from tokensteps.components.address import (
    TRAVELLING,
    is_back,
    step_in_url,
    step_is_due,
    update_url,
)
from tokensteps.components.base import component, ignore

FLIPBOOK_STYLES: Final = ("components/flipbook.css", "page/style.css", "page/projector.css")


class Position(NamedTuple):
    """The learner's position: the `step` to draw for, and the `seek` (step, nonce) for the payload."""

    step: int
    seek: tuple[int, int]


class Growth(NamedTuple):
    """The state of a run still under way."""

    text: str
    """Its progress in words."""
    stop: str
    """The words on the button for stopping it; "" for no button."""
    pause: float
    """Seconds until the browser asks for more."""


class _Visit(TypedDict):
    """A session's memory of a flipbook, from one run of the script to the next."""

    trace: str
    run: str
    step: int
    seek: int
    nonce: int
    url: dict[str, str | None]


def position(
    key: str,
    *,
    run: str,
    last: int,
    trace: str | None = None,
    param: str | None = "step",
    url: Mapping[str, str | None] | None = None,
    arrival: str = "",
    excerpt: tuple[int, int] | None = None,
    start: int = 0,
) -> Position:
    """Find out the learner's position, and keep the URL there.

    In this order: a step asked for with `go_to`; after Back, Forward, a link or a reload the URL's `?step=`;
    the last report for this `run` of the flipbook mounted under `key`; the learner's last step in the same
    `trace` (unlike `run`, the same in every language; default: `run`); `start`. A new nonce comes only when
    the browser has to be moved. Steps are clamped to 0..`last`, and to the page's `excerpt`; nonsense in the
    URL counts as absent.

    `arrival` says that this run of the script comes from another page of the app: "link" when the URL brings
    settings and step, and they count as after Back; "return" when it doesn't, and gets the page's remembered
    ones.

    `param` names the URL's parameter (None: leave the URL alone), and `url` are the page's settings:
    parameters to write together with `param` when they have changed since the last run. The step alone never
    adds to the browser's history, a change of settings does: Back returns to the former settings, at the step
    left there (the page reads them from the URL again when `is_back()`). Call it once per run of the script
    (or fragment) for a `key`, before `window`.
    """
    trace = run if trace is None else trace
    settings, travelled = dict(url or {}), arrival == "link" or (step_is_due() if param else is_back())
    state = st.session_state
    was: _Visit | None = state.get(f"{key}.position")
    nonce = was["nonce"] if was else 0
    requested, linked = state.pop(f"{key}.go_to", None), step_in_url(param) if param else None
    if requested is not None:
        step, move = requested
    elif travelled or was is None:
        step, move = start if linked is None else linked, True
    else:
        step, move = _stayed(was, trace, run, _step_reported(state.get(key), run, nonce), start)
    begin, end = excerpt or (0, last)
    step = min(max(step, begin), end, last)
    if was is None or move:
        seek = step, nonce + 1
    else:
        seek = was["seek"] if requested is None else step, nonce
    state[f"{key}.position"] = _Visit(
        trace=trace, run=run, step=step, seek=seek[0], nonce=seek[1], url=settings
    )
    if was is None:  # nothing was written yet: a link has it all, a bare address stays bare
        changed = bool({*st.query_params} - TRAVELLING)
    else:
        changed = was["url"] != settings or arrival == "return"
    wanted = dict(settings) if changed and not travelled else {}
    if wanted and param and (step or param in st.query_params):
        # Otherwise the browser keeps the step there: a write of ours could come when the page has changed.
        wanted[param] = str(step)
    update_url(wanted)
    return Position(step, seek)


def _stayed(was: _Visit, trace: str, run: str, reported: int | None, start: int) -> tuple[int, bool]:
    """The step of a learner who stayed on the page, and whether the browser has to be moved there; another
    trace begins at `start`."""
    if was["trace"] != trace:
        return start, True
    if reported is not None:
        return reported, False
    if was["run"] != run:
        return was["step"], True
    # Nothing was heard: not touched yet, or the learner has been on another page meanwhile.
    return was["step"], was["step"] != was["seek"]


def is_shown(key: str, run: str) -> bool:
    """Whether the flipbook under `key` had this run when the page last ran."""
    was: _Visit | None = st.session_state.get(f"{key}.position")
    return was is not None and was["run"] == run


def coming_step(key: str, trace: str, param: str = "step", linked: bool = False) -> int | None:
    """The coming step of `position`, as far as it is known without the run's length; None for its `start`.

    `linked` says that a link from another page brought settings and step.
    """
    state = st.session_state
    was: _Visit | None = state.get(f"{key}.position")
    if f"{key}.go_to" in state:
        return int(state[f"{key}.go_to"][0])
    if step_is_due() or linked or was is None:
        return step_in_url(param)
    return was["step"] if was["trace"] == trace else None


def update_url_without_book(key: str, url: Mapping[str, str | None]) -> None:
    """Write the address of a page whose flipbook isn't drawn in this run: when it is back, even as it was
    before, it writes its own again."""
    update_url(url)
    was: _Visit | None = st.session_state.get(f"{key}.position")
    if was is not None:
        was["url"] = {}


def go_to(key: str, step: int, *, move: bool = True) -> None:
    """Ask the flipbook under `key` to go to `step` at the next run: for callbacks of buttons and tables.

    Without `move`, one already in the browser stays at its own step; a new one begins at `step`.
    """
    st.session_state[f"{key}.go_to"] = step, move


def flipbook(
    data: bytes,
    *,
    key: str,
    run: str,
    seek: tuple[int, int],
    last: int | None = None,
    growth: Growth | None = None,
    excerpt: tuple[int, int] | None = None,
    marks: Sequence[int] = (),
    on_step: Callable[[], None] | None = None,
    on_answer: Callable[[str], None] | None = None,
    on_stop: Callable[[], None] | None = None,
) -> int | None:
    """Mount the flipbook and return the browser's last reported step, or None without a report since the last
    seek.

    `data` comes from `packed`, and may have been packed with another `seek` and, for a growing run, another
    `last`: these count (None: the payload's); `run` is the payload's. `growth` is the progress of such a run;
    `on_stop` is called when it is to be stopped. `excerpt` are the first and the last reachable step (None:
    all are). `marks` are steps marked on the timeline, with keys to go to them. `key` names the component in
    `st.session_state`. Before the script reruns, `on_step` is called when the browser reports a step,
    `on_answer` with the id of a choice in a frame ("" for nothing any more).
    """
    value = {"last": last, "excerpt": excerpt, "marks": [*marks] or None}
    head = json.dumps(
        {
            "run": run,
            "seek": seek,
            "growth": growth,
            **{name: one for name, one in value.items() if one is not None},
        }
    ).encode()
    result = component("flipbook", FLIPBOOK_STYLES)(
        key=key,
        data=head + b"\n" + data,
        on_step_change=on_step or ignore,
        on_answer_change=partial(take_answer, key, run, on_answer) if on_answer else ignore,
        on_grow_change=ignore,
        on_stop_change=on_stop or ignore,
    )
    return _step_reported(result, run, seek[1])


def follows_end(key: str, run: str) -> bool:
    """Whether the learner wants to stay at the end of a growing run: the browser says so when it asks for
    more."""
    result = st.session_state.get(key)
    match result.get("grow") if isinstance(result, Mapping) else None:
        case [str(shown), int(), bool(following)] if shown == run:
            return following
    return False


def take_answer(key: str, run: str, on_answer: Callable[[str], None]) -> None:
    """Hand on the answer in a component's state, unless it is none, or the browser was at another run."""
    result = st.session_state.get(key)
    match result.get("answer") if isinstance(result, Mapping) else None:
        case [str(shown), int(), str(identifier)] if shown == run:
            on_answer(identifier)


def _step_reported(result: Any, run: str, nonce: int) -> int | None:
    """Return the step in a component's state, unless the browser was at another run or hadn't followed a seek
    yet."""
    match result.get("step") if isinstance(result, Mapping) else None:
        case [str(shown), int(step), int(after)] if (shown, after) == (run, nonce):
            return step
    return None
