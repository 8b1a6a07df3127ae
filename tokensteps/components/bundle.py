"""The one script of all components, with their style sheets.

Streamlit sends a component's script and styles with every message that mounts it, at every step again. Here a
message has a stub that imports this script from the server: a browser fetches it once, and caches it. (With
`asset_dir`, Streamlit serves files itself, but only those of an installed package, not of a checkout.)
"""

from __future__ import annotations

import hashlib
import json
import time
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from tokensteps.assets import ASSETS, EXPORT, PRELUDE, edited, read_asset, script_files

BUNDLE_END: Final = "components/bundle/end.js"
EARLY: Final = "components/bundle/prerendered.js"
STUB: Final = "components/bundle/stub.js"
SHARED_SHEETS: Final = ("page/style.css", "page/projector.css", "page/class.css")
"""The page's style sheets for components, besides those in their own folder."""


class Bundle(NamedTuple):
    """The script, with its digest as its name."""

    digest: str
    text: str

    @property
    def address(self) -> str:
        """Its address, relative to the page."""
        return f"app/static/components.{self.digest}.js"


def bundle() -> Bundle:
    """The current script: an edit of a file shows within a second, as every message asks for this."""
    return _looked_at(int(time.monotonic()))


def component_names() -> list[str]:
    """The names of all components."""
    names = {path.stem for path in (ASSETS / "components").glob("*.js")}
    return sorted(names - {Path(PRELUDE).stem})


@lru_cache(maxsize=1)
def _looked_at(_second: int) -> Bundle:
    scripts = [file for name in component_names() for file in script_files(name)]
    sheets = [
        *SHARED_SHEETS,
        *(f"components/{path.name}" for path in sorted((ASSETS / "components").glob("*.css"))),
    ]
    return _put_together(
        tuple(scripts), tuple(sheets), edited((PRELUDE, EARLY, BUNDLE_END, *scripts, *sheets))
    )


@lru_cache(maxsize=2)
def _put_together(_scripts: tuple[str, ...], sheets: tuple[str, ...], _edited: tuple[int, ...]) -> Bundle:
    parts = [read_asset(PRELUDE), "const COMPONENTS = {"]
    parts += [f"{name}() {{\n{_begun(name)}\n}}," for name in component_names()]
    parts += [
        "};",
        f"const SHEETS = {json.dumps({name: read_asset(name) for name in sheets})};",
        read_asset(EARLY),
        read_asset(BUNDLE_END),
    ]
    text = "\n".join(parts)
    return Bundle(hashlib.sha256(text.encode("utf-8")).hexdigest()[:16], text)


def _begun(name: str) -> str:
    """A component's script as the body of a function, with its own names and the component's function as its
    result."""
    script = "\n".join(map(read_asset, script_files(name)))
    return EXPORT.sub("return ", script)
