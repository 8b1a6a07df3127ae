"""The shared files of all pages of a site: styles, faces and scripts, each a file, as a strict policy asks.

Scripts are classic ones, as a browser runs no module from `file://`. Firefox takes no face from there: the
system's stands in.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from string import Template
from typing import Final

from tokensteps.assets import APP, EXPORT, read_asset, read_script

SITE_SHEETS: Final[Mapping[str, Sequence[str]]] = {
    "site.css": (
        "page/style.css",
        "page/page.css",
        "page/terms.css",
        "page/projector.css",
        "handout/mark.css",
        "site/site.css",
    ),
    "frames.css": ("components/flipbook.css", "page/style.css", "page/projector.css"),
}
"""The style sheets: of every page, and of the frames in their shadow."""
STARTED: Final[Mapping[str, Sequence[tuple[str, str]]]] = {
    "books.js": (("flipbook", "site/books.js"), ("terms", "handout/run-terms.js"), ("projector", "site/projector.js")),
    "exercises.js": (("", "site/exercises.js"),),
}  # fmt: skip
"""The scripts: components, each with its starting lines; "" for none."""
FACES_SHEET: Final = "fonts.css"


IN_PLATFORM: Final = "scorm.js"
"""The script for a learning platform: in packages alone."""


def shared_files() -> Iterator[tuple[str, str | bytes]]:
    """Each file's name in the folder `assets/` of a site, with its contents."""
    theme = tomllib.loads((APP / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]
    face = Template(read_asset("site/face.css"))
    paths = [APP / one["url"].removeprefix("app/") for one in theme["fontFaces"]]
    faces = zip(theme["fontFaces"], paths, strict=True)
    yield FACES_SHEET, "\n".join(face.substitute(one, file=path.name) for one, path in faces)
    yield from {path.name: path.read_bytes() for path in paths}.items()
    for name, parts in SITE_SHEETS.items():
        yield name, "\n".join(map(read_asset, parts))
    for name, parts_of in STARTED.items():
        yield name, "\n".join(classic(component, start) for component, start in parts_of)
    yield "icon.svg", read_asset("icon.svg")
    for licence in sorted((APP / "static" / "fonts").glob("*LICENSE.txt")):
        if "MATERIAL" not in licence.name:
            yield licence.name, licence.read_text("utf-8")


def classic(component: str, start: str) -> str:
    """A component's script and its starting lines, as a classic script without names left behind."""
    script = EXPORT.sub("", read_script(component)) if component else ""
    return Template(read_asset("site/classic.js")).substitute(script=f"{script}\n{read_asset(start)}")


def in_bytes(content: str | bytes) -> bytes:
    """A file's content as it is written: a lone surrogate becomes a question mark."""
    return content if isinstance(content, bytes) else content.encode("utf-8", "replace")
