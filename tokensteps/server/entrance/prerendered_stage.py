"""A stage sent with the page, so that it is there and steps before Streamlit has started.

A page notes its stage at an address. The next visitor to the same address, in the same language, gets it with
the page itself, as long as its frames are cached: no request makes the server read, train or draw.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from tokensteps.bounded import ENTRY, SharedCache, text_bytes
from tokensteps.drawing.frame import window
from tokensteps.language.numbers import read_whole
from tokensteps.limits import STAGES_ROOM
from tokensteps.server.shared_cache import at_hand


class PageAddress(NamedTuple):
    """The address of a visit, without the step."""

    path: str
    """Of the page."""
    language: str
    settings: frozenset[tuple[str, str]]
    """The parameters, each with its value."""


class StageDescription(NamedTuple):
    """The stage of the page there."""

    title: str
    lead: str
    """The lines under the title: HTML."""
    beside: tuple[str, ...]
    """The texts beside the title, in their later places: on two buttons for modes, on the one for a text of
    the visitor's own, and on the button for the tour."""
    book: str
    """The name of its frames."""
    last: int
    """The run's last step."""
    drawing_version: tuple[object, ...]
    """Of the frames, see `tokensteps.server.steps`."""


class PrerenderedStage(NamedTuple):
    """A stage at a step, for a visitor's page."""

    description: StageDescription
    shown: range
    """The steps with frames."""
    frames: bytes
    """Packed as they are for a message."""


known_stages: Final = SharedCache[PageAddress, StageDescription](STAGES_ROOM)


def note_stage(where: PageAddress, description: StageDescription) -> None:
    """Have the next visitors to this address get the stage with the page."""
    known_stages.put(where, description, ENTRY + text_bytes(tuple(where.settings), description))


def has_stage(where: PageAddress) -> bool:
    """Whether a stage is noted for this address."""
    return known_stages.get(where) is not None


def stage_for(path: str, query: Mapping[str, str], language: str) -> PrerenderedStage | None:
    """The stage for a visitor of this address, with a `query` without the language; None if no frames are
    cached."""
    settings = dict(query)
    step = read_whole(settings.pop("step", None)) or 0
    description = known_stages.get(PageAddress(path, language, frozenset(settings.items())))
    if description is None:
        return None
    shown = window(min(step, description.last), description.last)
    frames: bytes | None = at_hand((description.book, shown, description.drawing_version))
    return None if frames is None else PrerenderedStage(description, shown, frames)
