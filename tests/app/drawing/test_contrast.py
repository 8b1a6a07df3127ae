"""Colours with a meaning, in both themes and to colour-blind eyes.

Sources: WCAG 2.2, 1.4.1 (not by colour alone), 1.4.3 (text, 4.5:1), 1.4.11 (everything but text, 3:1);
Viénot, Brettel and Mollon 1999 (red- and green-blind sight) and Machado, Oliveira and Fernandes 2009
(blue-blind). Oracles: WCAG's formula on the colours named by the stylesheet and the theme; the distance of
simulated colours in Oklab.
"""

from __future__ import annotations

import re
import tomllib
from itertools import combinations
from pathlib import Path

import pytest

from tokensteps.catalogue.side_by_side import LETTERS
from tokensteps.drawing.charts import ACCENT, DASHES, NEUTRAL, SYMBOLS
from tokensteps.pages.explore.playground_charts import PATTERNS

ROOT = Path(__file__).resolve().parents[3]
SHEET = (ROOT / "assets" / "page/style.css").read_text(encoding="utf-8")
THEME = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
THEMES = ("light", "dark")
GROUNDS = ("bg", "panel", "accent-soft")
"""The backgrounds of tokens, bars and controls."""
Colour = tuple[float, float, float]

SIGHTS: dict[str, tuple[Colour, Colour, Colour]] = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "red-blind": ((0.11238, 0.88762, 0), (0.11238, 0.88762, 0), (0.00401, -0.00401, 1)),
    "green-blind": ((0.29275, 0.70725, 0), (0.29275, 0.70725, 0), (-0.02234, 0.02234, 1)),
    "blue-blind": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}  # fmt: skip
"""How sight maps linear red, green and blue."""


def linear(colour: str) -> Colour:
    """`#rgb` or `#rrggbb` in linear light."""
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    red, green, blue = (int(digits[index : index + 2], 16) / 255 for index in (0, 2, 4))
    return tuple(part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (red, green, blue))  # type: ignore[return-value]  # fmt: skip


def contrast(one: str, other: str) -> float:
    """WCAG's contrast ratio.

    >>> round(contrast("#000", "#ffffff"), 1)
    21.0
    """
    dark, light = sorted(
        sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))
        for colour in (one, other)
    )
    return (light + 0.05) / (dark + 0.05)


def seen(colour: Colour, sight: str) -> Colour:
    """A linear colour as simulated for that sight."""
    mixed = (sum(w * p for w, p in zip(row, colour, strict=True)) for row in SIGHTS[sight])
    return tuple(min(1.0, max(0.0, part)) for part in mixed)  # type: ignore[return-value]


def oklab(colour: Colour) -> Colour:
    """A linear colour in Oklab (Ottosson 2020)."""
    red, green, blue = colour
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


def apart(one: str, other: str, sight: str) -> float:
    """How far two colours are from each other for that sight."""
    pair = (oklab(seen(linear(colour), sight)) for colour in (one, other))
    return sum((a - b) ** 2 for a, b in zip(*pair, strict=True)) ** 0.5


def variables(theme: str) -> dict[str, str]:
    """The stylesheet's colours by name, in a theme."""
    results = re.findall(r"--ts-([\w-]+): light-dark\((#\w+), (#\w+)\)", SHEET)
    return {name: (light, dark)[THEMES.index(theme)] for name, light, dark in results}


def edges(theme: str) -> list[tuple[str, str]]:
    """Each hue of a token: its ground and its edge."""
    results = re.findall(
        r"\.c\d \{ background: light-dark\((#\w+), (#\w+)\); border-color: light-dark\((#\w+), (#\w+)\)", SHEET
    )  # fmt: skip
    position = THEMES.index(theme)
    return [(hue[position], hue[2 + position]) for hue in results]


@pytest.mark.parametrize("theme", THEMES)
def test_meaningful_colours_have_contrast(theme: str) -> None:
    """Edges of tokens, bars, rings, thresholds, marks of right and wrong: 3:1 on every ground; text on it:
    4.5:1."""
    colours, hues = variables(theme), edges(theme)
    grounds = {name: colours[name] for name in GROUNDS}
    grounds["sidebar"] = THEME[theme]["sidebar"]["backgroundColor"]
    assert len(hues) == 10 and len(grounds) == 4
    marks = {f"edge {index}": edge for index, (_ground, edge) in enumerate(hues)}
    marks |= {name: colours[name] for name in ("accent", "bar", "up", "down", "soft", "ink")}
    low = {
        (mark, ground): round(contrast(colour, under), 2)
        for mark, colour in marks.items()
        for ground, under in grounds.items()
        if contrast(colour, under) < 3 and not (mark.startswith("edge") and ground == "sidebar")
    }
    assert low == {}
    texts = [(colours["ink"], ground) for ground, _edge in hues]
    texts += [(colours[ink], under) for ink in ("ink", "soft", "up", "down", "accent") for under in grounds.values()]  # fmt: skip
    texts.append((colours["on-accent"], colours["accent"]))
    assert [pair for pair in texts if contrast(*pair) < 4.5] == []


@pytest.mark.parametrize("theme", THEMES)
def test_charts_stand_out_for_every_sight(theme: str) -> None:
    """Colours of lines, bars and marks: 3:1 on the page; the four of one chart stay apart for all four
    sights."""
    chart = THEME[theme]["chartCategoricalColors"]
    under = THEME[theme]["backgroundColor"]
    assert [colour for colour in (*chart, ACCENT, NEUTRAL) if contrast(colour, under) < 3] == []
    together = chart[: len(LETTERS)]
    close = [
        (pair, sight, round(apart(*pair, sight), 3))
        for sight in SIGHTS
        for pair in combinations(together, 2)
        if apart(*pair, sight) < 0.1
    ]
    assert close == []


def test_no_meaning_by_hue_alone() -> None:
    """Each line of a chart has a dash and a sign of its own, each bar of a group a pattern; no number is up
    or down without its sign."""
    for kinds in (DASHES, SYMBOLS, PATTERNS):
        assert len(set(kinds)) == len(kinds) >= len(LETTERS)
    for theme in THEMES:
        colours = variables(theme)
        for sight in SIGHTS:  # right and wrong: also by word; still, their marks are no twins
            assert apart(colours["up"], colours["down"], sight) > 0.04
