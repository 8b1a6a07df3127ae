"""The words on what runs in the browser: scripts write none of their own."""

from __future__ import annotations

from tokensteps.language.i18n import _


def flipbook_labels(title: str = "") -> dict[str, str]:
    """The words on the flipbook's controls; its title tells those who only hear it from others on the page."""
    return {
        "title": title or _("Step through training"),
        "first": _("First step"),
        "back": _("Step back"),
        "next": _("Next step"),
        "last": _("Last step"),
        "play": _("Play"),
        "pause": _("Pause"),
        "speed": _("Speed"),
        "step": _("Step {step} of {last}"),
        "scrubber": _("Step"),
        "timeline": _("What was learned"),
        "stage": _("The step"),
        "loading": _("Drawing these steps …"),
        "space": _("Space"),
    }


def projector_labels() -> dict[str, str]:
    """The words of projector mode, in the language in use."""
    return {
        "name": _("Projector mode"),
        "started": _("Projector mode. Press Escape to leave."),
        "leave": _("Leave projector mode"),
        "black": _("Black screen. Any key brings the page back."),
    }
