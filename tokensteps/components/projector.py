"""Projector mode: large type for the back row, on every page; `assets/components/projector.js` has the keys, `projector.css` the look."""

from __future__ import annotations

from tokensteps.components.base import component
from tokensteps.language.i18n import _


def projector_labels() -> dict[str, str]:
    """The words of projector mode, in the language in use."""
    return {
        "name": _("Projector mode"),
        "started": _("Projector mode. Escape leaves."),
        "leave": _("Leave projector mode"),
        "black": _("Black screen. Any key brings the page back."),
    }


def projector_button(page: str) -> None:
    """The button that leads into projector mode; the key P does, too."""
    component("projector", ("page/projector.css",))(
        key=f"{page}.start-projector", data=projector_labels(), width="content"
    )
