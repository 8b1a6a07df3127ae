r"""Regular expressions with the same meaning in two programs: Python's `regex`, used here, and Oniguruma.

The `tokenizers` library reads the patterns of a tokenizer.json with Oniguruma (in Ruby's syntax). Most parts
of a pattern mean the same there; some mean something else (`^` matches at every line, `{1,3}+` repeats a
repetition, `\w` has other characters, `(?i:ss)` finds `ß`), and some are valid in only one of the two. So a
pattern is translated item by item, and the first item not known to mean the same ends the translation: that
is safer than a list of differences.

The repetition of possibly empty items (`(a*)*`) is undefined, too. And a pattern with a preference for the
empty match (`|a`, `a*?`) cuts differently: `regex` tries for more at the same place, Oniguruma goes on to the
next.

Sources: the manuals of both; the tests compare the pre-tokens of random patterns and texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from tokenizers_core.text.patterns import regex

CATEGORIES: Final = "L[ultmo]?|M[nce]?|N[dlo]?|P[cdsefio]?|S[mcko]?|Z[slp]?|C[cf]"
"""The general categories of characters. (For unassigned characters they change with every version of
Unicode.)"""
_PROPERTY: Final = rf"\\[pP]\{{(?:{CATEGORIES})\}}"
_CLASS: Final = rf"{_PROPERTY}|\\[sSdD]"
# Two of these signs in a row are an operator on sets, in one of the two programs or in both.
_IN_SET: Final = r"(?:\\[nrtfv]|\\(?=[!-~])[^0-9A-Za-z]|(?!&&|\|\||~~|--)[^\[\]\\\-])"
SET: Final = rf"\[\^?-?(?:{_CLASS}|{_IN_SET}(?:-{_IN_SET})?)+-?\]"
"""Characters in brackets: single ones, ranges and classes."""
CONTRACTIONS: Final = r"\(\?i:'(?:[sdmt]|ll|ve|re)(?:\|'(?:[sdmt]|ll|ve|re))*\)"
"""The only parts allowed to ignore case: with other letters Oniguruma matches two for one, such as `ss` for
`ß`."""

_ITEM: Final = regex.compile(
    rf"""(?P<single>{SET}|{_CLASS}|\\[nrtfv]|\\(?=[!-~])[^0-9A-Za-z]|{CONTRACTIONS}|[^\\()\[\]{{}}^$|*+?])
        |(?P<open>\((?:\?[:=!>])?(?!\?))
        |(?P<close>\))
        |(?P<counted>\{{(?P<least>\d{{1,3}})(?:(?P<comma>,)(?P<most>\d{{1,3}})?)?\}})(?P<lazy>\?)?(?P<possessive>\+)?
        |(?P<repeated>[*+?][?+]?)
        |(?P<bar>\|)
        |(?P<anchor>\^|\$|\\[AZz])""",
    regex.VERBOSE,
)

ANCHORS: Final[Mapping[str, str]] = {"^": r"\A", r"\A": r"\A", "$": r"\Z", r"\Z": r"\z"}
"""Positions in `regex` → in Oniguruma. (`$` also matches before a last newline.)"""
ANCHORS_BACK: Final[Mapping[str, str]] = {r"\A": "^", r"\Z": "$", r"\z": r"\Z"}


class Translation(NamedTuple):
    """A pattern for the other program, and the first item without a translation ("" if all have one)."""

    pattern: str
    refused: str = ""


@dataclass
class _Group:
    """An open group, or the pattern as a whole."""

    begin: int
    """Where it begins in the translation."""
    opening: str = ""
    some_empty: bool = False
    """Whether one of the alternatives before the current one can match nothing."""
    still_empty: bool = True
    """Whether the current one can."""

    @property
    def looks(self) -> bool:
        """Whether it looks ahead, and so matches no text itself."""
        return self.opening in ("(?=", "(?!")


class _Repeatable(NamedTuple):
    """The item before a possible repetition: where it begins in the translation, and whether it can match
    nothing."""

    begin: int
    empty: bool


def to_oniguruma(pattern: str) -> Translation:
    r"""A pattern of `regex`, written for Oniguruma.

    >>> to_oniguruma(r"^\p{N}{1,3}+|\s++$").pattern
    '\\A(?>\\p{N}{1,3})|\\s++\\Z'
    >>> to_oniguruma(r"[a-z]+|\w+").refused
    '\\w+'
    """
    return _Translator(ANCHORS, possessive=True).translate(pattern)


def from_oniguruma(pattern: str) -> Translation:
    r"""A pattern of Oniguruma, written for `regex`.

    >>> from_oniguruma(r"[^\s\p{L}]+\z").pattern, from_oniguruma(r"^a").refused
    ('[^\\s\\p{L}]+\\Z', '^a')
    """
    return _Translator(ANCHORS_BACK, possessive=False).translate(pattern)


class _Translator:
    """A translation in progress: the output so far, and the open groups."""

    def __init__(self, anchors: Mapping[str, str], possessive: bool) -> None:
        """`possessive`: whether `{1,3}+` gives nothing back, instead of repeating."""
        self.anchors, self.possessive = anchors, possessive
        self.written: list[str] = []
        self.groups = [_Group(0)]
        self.before: _Repeatable | None = None
        self.prefers_nothing = ""
        """The first place where the pattern prefers to match less."""

    def translate(self, pattern: str) -> Translation:
        """`pattern` item by item."""
        position = 0
        while position < len(pattern):
            excerpt = pattern[position : position + 10]
            item = _ITEM.match(pattern, position)
            text = item and self._take(item, excerpt)
            if item is None or text is None:
                return Translation("", excerpt)
            self.written.append(text)
            position = item.end()
        if len(self.groups) > 1:
            return Translation("", self.groups[-1].opening)
        whole, before = self.groups[0], self.before
        empty = whole.some_empty or (whole.still_empty and (before is None or before.empty))
        if empty and self.prefers_nothing:
            # After it has matched nothing at a place, `regex` tries to match more there, and Oniguruma goes
            # on.
            return Translation("", self.prefers_nothing)
        return Translation("".join(self.written))

    def _take(self, item: regex.Match[str], excerpt: str) -> str | None:
        """How an item is written; None if it has no translation."""
        if item["counted"] or item["repeated"]:
            return self._repeat(item, excerpt)
        group, text = self.groups[-1], str(item.group())
        if self.before is not None:  # not repeated
            group.still_empty &= self.before.empty
            self.before = None
        if item["single"]:
            self.before = _Repeatable(len(self.written), empty=False)
        elif item["open"]:
            self.groups.append(_Group(len(self.written), text))
        elif item["close"]:
            if len(self.groups) == 1:
                return None
            self.groups.pop()
            if not group.looks:
                self.before = _Repeatable(group.begin, group.some_empty or group.still_empty)
        elif item["bar"]:
            if group.still_empty:
                self.prefers_nothing = self.prefers_nothing or excerpt
            group.some_empty |= group.still_empty
            group.still_empty = True
        else:
            return self.anchors.get(text)
        return text

    def _repeat(self, item: regex.Match[str], excerpt: str) -> str | None:
        """The translation of a repetition of the item before."""
        text, counts, before = str(item.group()), _counts(item), self.before
        # Engines differ in how often they repeat an empty match.
        if before is None or counts is None or (before.empty and counts != (0, 1)):
            return None
        if item["possessive"]:
            if not self.possessive:
                return None
            self.written[before.begin] = f"(?>{self.written[before.begin]}"
            text = f"{item['counted']})"
        if item["lazy"] or text.endswith("?", 1):
            self.prefers_nothing = self.prefers_nothing or excerpt
        self.groups[-1].still_empty &= before.empty or counts[0] == 0
        self.before = None
        return text


def _counts(item: regex.Match[str]) -> tuple[int, int | None] | None:
    """How often a quantifier repeats: at least, and at most (None: any number); None if the two read it
    differently."""
    if item["repeated"]:
        return {"*": (0, None), "+": (1, None), "?": (0, 1)}[item["repeated"][0]]
    least, most = int(item["least"]), int(item["most"]) if item["most"] else None
    if item["comma"] is None:
        # `{2}?` is twice or not at all in Oniguruma.
        return None if item["lazy"] else (least, least)
    if (item["lazy"] and item["possessive"]) or (most is not None and most < least):
        return None
    return least, most
