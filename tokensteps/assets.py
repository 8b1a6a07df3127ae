"""The files of `assets/`: styles, scripts and templates for the browser, read as text."""

from __future__ import annotations

from pathlib import Path
from typing import Final

ASSETS: Final = Path(__file__).resolve().parents[1] / "assets"
PRELUDE: Final = "components/prelude.js"
"""What all components share, in front of each one's own script."""


def read_asset(name: str) -> str:
    """Return a file of `assets/` as text; `name` is its path in there, such as "page/style.css"."""
    return (ASSETS / name).read_text(encoding="utf-8")


def read_script(component: str) -> str:
    """Return the script of a component, `assets/components/<component>.js`, after what all components share."""
    return f"{read_asset(PRELUDE)}\n{read_asset(f'components/{component}.js')}"
