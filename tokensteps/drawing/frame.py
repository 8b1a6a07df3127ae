"""A frame is one step, drawn; a payload is a window of frames on its way to the browser.

Nothing here depends on the component for frames: `tokensteps.components.flipbook` mounts it, and
`tokensteps.drawing.handout` writes the same payload into a standalone file.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

WHOLE_RUN: Final = 160  # steps; a run shorter than this is sent in one piece
FLIPBOOK_LABELS: Final = (
    "first", "back", "next", "last", "play", "pause", "speed", "step", "scrubber", "timeline", "loading",
    "rest_one", "rest_other", "fewer",
)  # fmt: skip
"""The words of the flipbook's controls: see `flipbook_labels`."""
KEY_NAMES: Final = {"home": "Home", "end": "End", "space": "Space"}
"""The names of keys on English keyboards, for want of others."""
_ALL_LABELS: Final = {*FLIPBOOK_LABELS, *KEY_NAMES, "stage", "title", "before", "after"}


class Frame(NamedTuple):
    """One step, drawn: everything about it in the browser.

    `html` and `label` (the step's entry in the timeline) are trusted markup: the drawing code escapes. `say`
    (read out by screen readers) and `status` ("33 of 50 tokens") are plain text.
    """

    html: str
    say: str
    label: str
    status: str


def without_styles(frame: Frame) -> Frame:
    """The frame for a page with a policy against styles in markup: flipbook.js sets them, as no policy
    forbids that. All text is escaped, so a frame has no quotation marks of its own.

    >>> without_styles(Frame('<i style="width:3%"></i>', "", "", "")).html
    '<i data-style="width:3%"></i>'
    """
    return frame._replace(html=frame.html.replace(' style="', ' data-style="'))


def window(step: int, last: int, size: int = 96, whole: int = WHOLE_RUN) -> range:
    """Return the steps to render around `step` of a run with steps 0..`last`.

    A run of fewer than `whole` steps comes whole. Otherwise windows of `size` steps start at multiples of
    `size // 2`, and a step gets the window with the step in its middle half. So neighbouring steps share a
    window (and, byte for byte, a payload, not sent again by Streamlit), and a learner is at least `size // 4`
    steps from the window's edge when Python hears of them.

    >>> window(7, 19)
    range(0, 20)
    >>> window(150, 299), window(163, 299), window(299, 299)
    (range(96, 192), range(96, 192), range(204, 300))

    Raises `ValueError` when `step` isn't within 0..`last` or `size` is under 4.
    """
    if not 0 <= step <= last:
        raise ValueError(f"step={step} is outside the run's steps 0..{last}; clamp it first.")
    if size < 4:
        raise ValueError(f"size={size} leaves no room around a step; choose at least 4, better 96.")
    if last < max(whole, size):
        return range(last + 1)
    stride = size // 2
    start = max(0, (step - size // 4) // stride * stride)
    start = min(start, last + 1 - size)
    return range(start, start + size)


def payload(
    run: str,
    last: int,
    first: int,
    frames: Sequence[Frame],
    seek: tuple[int, int],
    labels: Mapping[str, str],
    beats: bool = True,
    *,
    param: str | None = None,
) -> bytes:
    """Pack a window of frames for the browser; the same arguments always give the same bytes.

    `run` names the run *and* the language (another `run` makes the browser forget its state); steps are
    0..`last`; `frames` are those of the steps `first`, `first + 1`, ...; `seek` is (step, nonce): the browser
    goes to that step when it mounts or when the nonce is new, and otherwise keeps its own; `beats` shows a
    step forward in two beats; `param` names the URL parameter for the browser to keep at the current step
    (None: leave the URL alone).

    `labels` needs the keys in `FLIPBOOK_LABELS`; its "step" holds `{step}` and `{last}`, "rest_one" and
    "rest_other" (the number of a list's hidden entries, for one and for several) hold `{number}`; "fewer"
    folds an opened list. It may add "title" (the whole's name for screen readers, as a heading, too), "stage"
    (the frame's place) and the names of keys in tooltips: "home", "end", "space". If there are marked steps,
    "before" and "after" are the labels of the buttons to them.

    Markup within a frame may carry `data-step="7"`: a click on it goes to that step. An element with
    `data-pick="e5"` can be chosen: elements with e5 among the words of their `data-of` then get the class
    `picked`, and `seen` while the mouse or the focus is there, or the mouse in its row of a table; the choice
    survives steps. With `data-answer`, too, the choice is sent to Python. An element with `data-pane` keeps
    its scrolling from step to step, and one with `data-here` stays in sight.

    Raises `ValueError` when a label is missing or the frames don't lie within the run.
    """
    missing = [name for name in FLIPBOOK_LABELS if name not in labels]
    if missing:
        raise ValueError(f"labels lack {', '.join(missing)}; the browser writes no words of its own.")
    if "{step}" not in labels["step"] or "{last}" not in labels["step"]:
        raise ValueError(f"labels['step'] is {labels['step']!r}; it must hold {{step}} and {{last}}.")
    if not frames or first < 0 or first + len(frames) > last + 1:
        raise ValueError(
            f"{len(frames)} frames from step {first} don't lie within the run's steps 0..{last}."
        )
    message = {
        "run": run,
        "seek": list(seek),
        "last": last,
        "first": first,
        "frames": [frame._asdict() for frame in frames],
        "beats": beats,
        "param": param,
        "labels": {
            "stage": labels["timeline"],
            "title": labels.get("stage", labels["timeline"]),
            **KEY_NAMES,
            **{name: text for name, text in sorted(labels.items()) if name in _ALL_LABELS},
        },
    }
    # A lone surrogate (possible in a str, not in UTF-8) must not take the page down.
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def packed(data: bytes) -> bytes:
    """A payload as it travels: a tenth of the size or less, for frames have much in common."""
    return gzip.compress(data, 6, mtime=0)
