"""The mark, the logo and their places.

Source: the drawing's own rules (a mark on the pixels of a 16 px favicon, the theme's accent, nothing but flat
shapes). Oracles: `xml.etree`, the theme in `.streamlit/config.toml`.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tokensteps.assets import ASSETS, read_asset
from tokensteps.drawing.frame import Frame, payload
from tokensteps.drawing.handout import standalone_run
from tokensteps.drawing.mark import mark
from tokensteps.language.labels import flipbook_labels
from tokensteps.teaching.lessons import LESSONS, facts, lesson_page

THEME = tomllib.loads((Path(ASSETS).parent / ".streamlit" / "config.toml").read_text(encoding="utf-8"))[
    "theme"
]
LIGHT, DARK = (THEME[name]["primaryColor"] for name in ("light", "dark"))


@pytest.mark.parametrize(
    ("name", "colours"), [("icon", {LIGHT, DARK}), ("logo", {LIGHT, DARK}), ("logo-dark", {DARK})]
)
def test_drawings_are_flat_shapes_in_the_accent(name: str, colours: set[str]) -> None:
    """Paths, groups and a style only: no text (it would need a font), no gradient, no script, nothing
    fetched."""
    text = read_asset(f"{name}.svg")
    root = ElementTree.fromstring(text)
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {"svg", "style", "g", "path"}
    assert "href" not in text and "url(" not in text
    assert colours <= {*re.findall(r"#[0-9a-f]{6}", text)}
    assert root.get("aria-label") == "TokenSteps"


def test_the_mark_lies_on_the_pixels_of_a_favicon() -> None:
    """Every coordinate is whole, and the shapes fill 16 × 16."""
    root = ElementTree.fromstring(read_asset("icon.svg"))
    assert root.get("viewBox") == "0 0 16 16"
    paths = [str(path.get("d")) for path in root.iter() if path.tag.endswith("path")]
    assert len(paths) == 2 and all("." not in path for path in paths)
    starts = [(int(x), int(y)) for path in paths for x, y in re.findall(r"M(\d+) (\d+)", path)]
    assert len(starts) == 6 and {y for _, y in starts} == {0, 6, 12}


def test_pages_that_stand_alone_carry_it() -> None:
    """Handout and lesson plan have the mark before their titles, with its colours and no file to fetch."""
    handout = standalone_run(
        "A <run>", payload("r", 0, 0, [Frame("", "", "", "")], (0, 0), flipbook_labels())
    )
    plan = lesson_page(LESSONS[0], facts(), "https://example.org/app")
    for page in (handout, plan):
        assert f"<h1>{mark()}" in page and read_asset("handout/mark.css") in page
        assert "@media print" in page
    assert mark().count("<path ") == 2 and "aria-hidden" in mark() and "<style" not in mark()
