"""Projector mode: large type for the back row, on every page; `assets/components/projector.js` has the keys,
`projector.css` the look."""

from __future__ import annotations

from tokensteps.components.base import component
from tokensteps.language.labels import projector_labels


def projector_button(
    page: str, in_class: bool = False, in_plan: bool = False, opens_class: bool = False
) -> None:
    """The button for projector mode; the key P does the same. The list of keys has a class's keys only
    `in_class`, a plan's `in_plan`, and the one for a new class if the page `opens_class`."""
    component("projector", ("page/projector.css",))(
        key=f"{page}.start-projector", data=projector_labels(in_class, in_plan, opens_class), width="content"
    )
