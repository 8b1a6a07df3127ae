"""The words on the browser's parts: scripts write none of their own."""

from __future__ import annotations

from tokensteps.language.i18n import _, ngettext


def flipbook_labels(title: str = "") -> dict[str, str]:
    """The words on the flipbook's controls; for screen readers, its title tells it from others on the
    page."""
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
        "rest_one": ngettext("and {number} more", "and {number} more", 1),
        "rest_other": ngettext("and {number} more", "and {number} more", 2),
        "fewer": _("Show fewer"),
        "space": _("Space"),
        "before": _("Previous step that changes this"),
        "after": _("Next step that changes this"),
    }


def counts_labels() -> dict[str, str]:
    """The words on a flipbook of the counts of a word."""
    return flipbook_labels(_("Change the count")) | {
        "first": _("Lowest count"),
        "back": _("One less"),
        "next": _("One more"),
        "last": _("Highest count"),
        "step": _("Count {step}, up to {last}"),
        "scrubber": _("Count"),
        "timeline": _("Counts"),
        "stage": _("Both runs"),
    }


def picture_labels() -> dict[str, str]:
    """The words on the buttons for pictures of the stage, and for a browser that can't draw one."""
    return {
        "title": _("The stage as a picture"),
        "png": _("Picture (PNG)"),
        "svg": _("Picture (SVG)"),
        "apng": _("Animation from this step on (PNG)"),
        "failed": _(
            "This browser couldn't make that picture. Try again, or save it as SVG; otherwise take a screenshot."
        ),
    }


def class_keys() -> list[tuple[str, str]]:
    """The lecturer's keys in a class, and their effects."""
    return [
        ("A", _("Class: ask a question. On a clicker, hold the key for the black screen.")),
        (
            "Enter · S · E",
            _("Class: ask now; show the answers; reveal. Page Down goes from one to the next."),
        ),
        ("Q", _("Class: ask the next question that you have prepared")),
        ("G", _("Class: vote again; on a page of exercises, give them to the class")),
        ("F · K", _("Class: call everybody back or let them go; blank their screens")),
        ("J", _("Class: the code to join")),
    ]


def plan_keys() -> list[tuple[str, str]]:
    """The keys of a plan that goes along, and of the path."""
    return [
        (
            "N · Shift+N",
            _("Plan: the next activity, the one before. On a clicker, hold Page Down or Page Up."),
        ),
        ("H · U", _("Plan: show or hide your note; show the answer in it")),
    ]


def projector_labels(
    in_class: bool = False, in_plan: bool = False, opens_class: bool = False
) -> dict[str, str | list[tuple[str, str]]]:
    """The words of projector mode, in the language in use; under "sheet", its keys and their effects, on a
    page of a class, of a plan, and where a class may be opened."""
    return {
        "name": _("Projector mode"),
        "started": _("Projector mode. Press Escape to leave."),
        "leave": _("Leave projector mode"),
        "black": _("Black screen. Any key brings the page back."),
        "keys": _("Keys in projector mode"),
        "sheet": [
            (
                _("Page Down · Page Up"),
                _(
                    "Next step, previous step: the two large keys of a clicker. In Predict, after the last step shown, Page Down reveals the answer."
                ),
            ),
            ("→ · ←", _("Next step, previous step")),
            ("↓ · ↑", _("The rows that didn't fit; on other pages, scroll")),
            (
                "V · F5",
                _("Next panel: the stage, then the tabs one by one. F5 is the start key of many clickers."),
            ),
            ("1 … 9", _("The panel with this number; 1 is the stage")),
            ("B · .", _("Black screen, until any key is pressed")),
            ("L", _("Pointer: on, off")),
            ("D", _("Pen: on, off. What you draw disappears when the step changes.")),
            (_("Delete"), _("Erase what you have drawn")),
            (_("Esc"), _("Put the pen away; back to the stage; leave projector mode")),
            *(plan_keys() if in_plan else []),
            *(class_keys() if in_class else []),
            *([("J", _("Open a class"))] if opens_class else []),
            ("P", _("Projector mode: on, off")),
            ("?", _("This list")),
        ],
    }
