"""A fragment's place in the page, copied quickly."""

from __future__ import annotations

from copy import copy, deepcopy
from typing import Any

from streamlit.cursor import Cursor, SparseList
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime import fragment

from tokensteps.streamlit_tuning.checks import require


def copy_places_quickly() -> None:
    """Have a fragment remember and find its place in the page by copies of the place's own parts, and of
    nothing else.

    Streamlit copies by `copy.deepcopy`, with a look-up for every number and text: a sixteenth of a click.
    """
    require(fragment, "deepcopy")
    require(Cursor, "transient_elements", "_transient_elements")
    require(
        DeltaGenerator,
        "_parent",
        "_cursor",
        "_root_container",
        "_block_type",
        "_form_data",
        "_creating_fragment_id",
    )
    vars(fragment)["deepcopy"] = copied_places


def copied_places(places: Any) -> Any:
    """The same result as `copy.deepcopy` of a stack of containers, or of the cursors by root container."""
    match places:
        case dict():
            return {root: _copied_cursor(cursor) for root, cursor in places.items()}
        case tuple():
            return tuple(_copied_container(container) for container in places)
    return deepcopy(places)


def _copied_container(container: DeltaGenerator) -> DeltaGenerator:
    if type(container) is not DeltaGenerator:
        return deepcopy(container)
    parent, cursor = container._parent, container._cursor
    copied = DeltaGenerator(
        container._root_container,
        cursor and _copied_cursor(cursor),
        parent and _copied_container(parent),
        container._block_type,
    )
    copied._form_data, copied._creating_fragment_id = container._form_data, container._creating_fragment_id
    return copied


def _copied_cursor(cursor: Cursor) -> Cursor:
    """Its parts are numbers, a tuple of numbers, and transient elements, nearly always none."""
    if len(cursor.transient_elements):
        return deepcopy(cursor)
    copied = copy(cursor)
    copied._transient_elements = SparseList()
    return copied
