"""The places of the app's files, in a checkout and installed by pip; those of `assets/` are read as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

PACKAGES: Final = Path(__file__).resolve().parents[1]
"""The folder of `tokensteps` and `tokenizers_core`: a checkout, or where pip puts packages."""
_INSTALLED: Final = PACKAGES / "tokensteps" / "_app"
"""The wheel's folder for the files that lie beside the packages in a checkout (see pyproject.toml)."""
APP: Final = _INSTALLED if _INSTALLED.is_dir() else PACKAGES
"""The folder of `app.py`, `pages/`, `assets/`, `static/` and `.streamlit/`."""
ASSETS: Final = APP / "assets"
PRELUDE: Final = "components/prelude.js"
"""The code shared by all components, in front of each one's own script."""
EXPORT: Final = re.compile(r"^export default ", re.MULTILINE)
"""The words before a component's function; the function comes last, after everything it calls."""


SCRIPT_PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "class": tuple(
        f"components/class/{part}.js"
        for part in (
            "wire",
            "display",
            "page_facts",
            "following",
            "card",
            "own",
            "wall",
            "panel",
            "presenter",
            "deck",
        )
    ),
    "classroom": tuple(f"components/class/{part}.js" for part in ("wire", "display", "students")),
    "deck": tuple(f"components/class/{part}.js" for part in ("display", "own", "deck")),
    "class_page": ("components/class/page_facts.js",),
    "class_open": ("components/class/wire.js",),
    "class_again": ("components/class/wire.js", "components/class/display.js"),
}
"""Component → its parts in files of their own, before its own script: the page gets them in one piece."""


def script_files(component: str) -> tuple[str, ...]:
    """The files of a component's own script, in their order."""
    return (*SCRIPT_PARTS.get(component, ()), f"components/{component}.js")


def _writable_folder() -> Path:
    """The folder to write in: a checkout has its own; installed, each user has one: the packages may belong
    to somebody else."""
    if APP == PACKAGES:
        return APP
    try:
        return Path.home() / ".tokensteps"
    except RuntimeError:  # a user without a home, as in some containers
        return APP


DATA_FOLDER: Final = _writable_folder()
"""The folder of a server's own files, unless the environment names another: its secret, texts too long for a
link."""


def read_asset(name: str) -> str:
    """Return a file of `assets/` as text; `name` is its path in there, such as "page/style.css"."""
    return (ASSETS / name).read_text(encoding="utf-8")


def read_script(component: str) -> str:
    """Return the script of a component, `assets/components/<component>.js`, after the shared code of all
    components."""
    return "\n".join(map(read_asset, (PRELUDE, *script_files(component))))


def edited(names: Iterable[str]) -> tuple[int, ...]:
    """When files of `assets/` were last edited: with these, an edit shows up without a restart of the
    server."""
    return tuple((ASSETS / name).stat().st_mtime_ns for name in names)
