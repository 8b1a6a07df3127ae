r"""The browser's own `RegExp` behind the names of `regex`, whose build for Pyodide no registry has
(`docs/site.md`): this file is `regex.py` in the page's archive.

So the engine's one import of `regex` finds it there. A pattern is translated at its first use, as far as ours
go: anything `RegExp` can't express is an `error`, never something else in silence.
`assets/site/live/regexp.js` finds the matches.

>>> translated(r"(?P<word>\p{Han}+)|[^\s\p{L}]{1,3}$").source
'(?<word>\\p{Script=Han}+)|[^\\p{White_Space}\\p{L}]{1,3}(?=\\n?(?![^]))'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from typing import Final, NamedTuple, NoReturn

DOTALL: Final = 16
VERBOSE: Final = 64
"""The flags, with the numbers of `re`. No other flags exist here."""

_CATEGORIES: Final = re.compile("L[ulmto&]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|C[cfson]?|LC")
_BINARY: Final = frozenset(
    {"Alphabetic", "Any", "Emoji", "Emoji_Modifier_Base", "Extended_Pictographic", "White_Space"}
)
_CLASSES: Final = {
    "s": r"\p{White_Space}",
    "d": r"\p{Nd}",
    "w": r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}",
}
_CONTROLS: Final = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "a": "\a"}
_ANCHORS: Final = {"A": "(?<![^])", "Z": "(?![^])"}
_START, _END = "(?<![^])", "(?![^])"
_SYNTAX: Final = frozenset("^$\\.*+?()[]{}|/")
_SYNTAX_IN_SET: Final = _SYNTAX | frozenset("&-!#%,:;<=>@`~")
_OPENING: Final = re.compile(r"\(\?(?:P<(?P<name>[A-Za-z_]\w*)>|(?P<kind>:|=|!|<=|<!|i:)|V1:)|\((?![?*])")
_COUNT: Final = re.compile(r"(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??(?!\+)")
_PROPERTY: Final = re.compile(r"\\([pP])\{([A-Za-z_&]+)\}")
_CODE: Final = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))")
_OPERATOR: Final = re.compile(r"--|&&|\|\||~~")


class error(Exception):
    """A pattern that can't be translated; `pos` is the place, in characters."""

    def __init__(self, msg: str, pos: int) -> None:
        self.msg, self.pos = msg, pos
        super().__init__(f"{msg} at position {pos}")


class Translated(NamedTuple):
    """A pattern as `RegExp` takes it with the flag v, the number of its groups, and their numbers by name."""

    source: str
    groups: int
    names: dict[str, int]


def translated(pattern: str, flags: int = 0) -> Translated:
    """Translate a pattern. Raises `error`."""
    return _Translator(pattern, flags).read()


class _Translator:
    """A pattern on its way to `RegExp`, read from left to right."""

    def __init__(self, pattern: str, flags: int) -> None:
        if flags & ~DOTALL:
            raise error("only the flag DOTALL is known to the browser", 0)
        self.pattern, self.any = pattern, "[^]" if flags & DOTALL else r"[^\n]"
        self.at = len("(?V1)") if pattern.startswith("(?V1)") else 0
        self.nested = "(?V1" in pattern
        """Whether sets may lie in sets: in `regex`'s version 1."""
        self.groups, self.names = 0, dict[str, int]()

    def read(self) -> Translated:
        parts = []
        while self.at < len(self.pattern):
            parts.append(self._part())
        return Translated("".join(parts), self.groups, self.names)

    def _part(self) -> str:
        match self.pattern[self.at]:
            case "(":
                return self._opening()
            case "[":
                return self._set()
            case "\\":
                return self._escape(_ANCHORS)
            case "." | "^" | "$" | ")" | "|" as sign:
                self.at += 1
                return {".": self.any, "^": _START, "$": rf"(?=\n?{_END})"}.get(sign, sign)
            case sign:
                if sign in "*+?{" and (result := self._take(_COUNT)):
                    return result[0]
                if sign in "*+?":
                    self._refuse("this repetition isn't known to the browser")
                self.at += 1
                return _literal(sign, _SYNTAX)

    def _opening(self) -> str:
        result = self._take(_OPENING)
        if not result:
            self._refuse("this group isn't known to the browser")
        if result["kind"] or result[0] == "(?V1:":
            return f"(?{result['kind'] or ':'}"
        self.groups += 1
        if not result["name"]:
            return "("
        self.names[result["name"]] = self.groups
        return f"(?<{result['name']}>"

    def _set(self) -> str:
        """A set, from its bracket to the other one."""
        negated = self.pattern.startswith("[^", self.at)
        self.at += 1 + negated
        parts, first = ["[^" if negated else "["], True
        while not self.pattern.startswith("]", self.at) or first:
            if self.at >= len(self.pattern):
                self._refuse("a bracket isn't closed")
            parts.append(self._item())
            first = False
        self.at += 1
        return "".join(parts) + "]"

    def _item(self) -> str:
        """One character of a set, a range of them, or a sign for several."""
        if self.nested:
            if self.pattern[self.at] == "[":
                return self._set()
            if result := self._take(_OPERATOR):
                return result[0]
        item = self._one()
        if self.pattern.startswith("-", self.at) and not self.pattern.startswith(("-]", "--"), self.at):
            self.at += 1
            return f"{item}-{self._one()}"
        return item

    def _one(self) -> str:
        if self.pattern.startswith("\\", self.at):
            return self._escape(None)
        self.at += 1
        return _literal(self.pattern[self.at - 1], _SYNTAX_IN_SET)

    def _escape(self, anchors: dict[str, str] | None) -> str:
        r"""An escape with a backslash; in a set there are no `anchors` such as `\A`."""
        if result := self._take(_PROPERTY):
            return rf"\{result[1]}{{{self._property(result[2])}}}"
        signs = _SYNTAX if anchors else _SYNTAX_IN_SET
        if result := self._take(_CODE):
            return _literal(chr(int(result[1] or result[2] or result[3], 16)), signs)
        sign = self.pattern[self.at + 1 : self.at + 2]
        self.at += 2
        if sign.lower() in _CLASSES:
            return (
                f"[{'^' if sign.isupper() else ''}{_CLASSES[sign.lower()]}]"
                if anchors or sign.isupper()
                else _CLASSES[sign]
            )
        if anchors and sign in anchors:
            return anchors[sign]
        if not sign or (sign.isalnum() and sign not in _CONTROLS):
            self.at -= 2
            self._refuse(rf"\{sign} isn't known to the browser")
        return _literal(_CONTROLS.get(sign, sign), signs)

    def _property(self, name: str) -> str:
        """A property's name: a category's, a binary one's, else a script's."""
        if _CATEGORIES.fullmatch(name) or name in _BINARY:
            return "LC" if name == "L&" else name
        return f"Script={name}"

    def _take(self, part: re.Pattern[str]) -> re.Match[str] | None:
        if match := part.match(self.pattern, self.at):
            self.at = match.end()
        return match

    def _refuse(self, message: str) -> NoReturn:
        raise error(message, self.at)


def _literal(character: str, signs: frozenset[str]) -> str:
    return f"\\{character}" if character in signs else character


# --- the names of `regex` -----------------------------------------------------------------------------------


class Match:
    """Where a pattern matches, and its groups."""

    def __init__(self, string: str, positions: list[int], names: dict[str, int]) -> None:
        self.string, self._positions, self._names = string, positions, names

    def span(self, group: int | str = 0) -> tuple[int, int]:
        """Start and end; (-1, -1) for a group without a match. Raises IndexError for an unknown group."""
        number = self._names.get(group, -1) if isinstance(group, str) else group
        if not 0 <= 2 * number < len(self._positions):
            raise IndexError(f"no such group: {group!r}")
        return self._positions[2 * number], self._positions[2 * number + 1]

    def start(self, group: int | str = 0) -> int:
        return self.span(group)[0]

    def end(self, group: int | str = 0) -> int:
        return self.span(group)[1]

    def __getitem__(self, group: int | str) -> str | None:
        start, end = self.span(group)
        return None if start < 0 else self.string[start:end]

    def group(self, group: int | str = 0) -> str | None:
        return self[group]

    def groups(self) -> tuple[str | None, ...]:
        return tuple(self[number] for number in range(1, len(self._positions) // 2))

    @property
    def lastgroup(self) -> str | None:
        """The name of the last matched group, if no group lies within another."""
        return next((name for name, number in reversed(self._names.items()) if self.start(number) >= 0), None)


Replacement = str | Callable[[Match], str]


class Pattern:
    """A pattern given to `compile`; translated at its first use."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self.flags = pattern, flags

    @cached_property
    def _read(self) -> Translated:
        return translated(self.pattern, self.flags)

    def _matches(self, string: str, source: str, way: str) -> Iterator[Match]:
        """The matches, all or the first, by `way`: see regexp.js."""
        _source, groups, names = self._read
        positions, width = positions_of(source, way, string, groups > 0), 2 * (groups + 1)
        for at in range(0, len(positions), width):
            yield Match(string, positions[at : at + width], names)

    def finditer(self, string: str, **_patience: object) -> Iterator[Match]:
        """All matches, in order. Nothing can be timed out here: the page ends the worker instead."""
        return self._matches(string, self._read.source, "all")

    def findall(self, string: str) -> list[str | tuple[str, ...]]:
        """The matches' texts: their group, their groups, or the whole of each."""
        whole = self._read.groups == 0
        result = [(match[0],) if whole else match.groups() for match in self.finditer(string)]
        texts = [tuple(part or "" for part in parts) for parts in result]
        return [parts[0] if len(parts) == 1 else parts for parts in texts]

    def search(self, string: str) -> Match | None:
        return next(self._matches(string, self._read.source, "first"), None)

    def match(self, string: str) -> Match | None:
        return next(self._matches(string, self._read.source, "here"), None)

    def fullmatch(self, string: str) -> Match | None:
        return next(self._matches(string, f"(?:{self._read.source}){_END}", "here"), None)

    def split(self, string: str) -> list[str | None]:
        """The parts between the matches, with their groups."""
        parts: list[str | None] = []
        at = 0
        for match in self.finditer(string):
            parts += [string[at : match.start()], *match.groups()]
            at = match.end()
        return [*parts, string[at:]]

    def sub(self, replacement: Replacement, string: str) -> str:
        """Each match replaced; a replacement text has no backslash. Raises `error` for one with a
        backslash."""
        if isinstance(replacement, str) and "\\" in replacement:
            raise error("a replacement with a backslash isn't known to the browser", replacement.index("\\"))
        parts, at = [], 0
        for match in self.finditer(string):
            parts += [
                string[at : match.start()],
                replacement if isinstance(replacement, str) else replacement(match),
            ]
            at = match.end()
        return "".join([*parts, string[at:]])


def positions_of(source: str, way: str, string: str, grouped: bool) -> list[int]:
    """Ask the browser where a pattern matches: from where to where, of each match and, if it is `grouped`, of
    each group."""
    from js import regexpPlaces  # there in a browser alone

    positions: list[int] = regexpPlaces(source, way, string, grouped).to_py().tolist()
    return positions


@lru_cache(maxsize=500)
def compile(pattern: str, flags: int = 0) -> Pattern:
    """Make a pattern ready. Anything unknown to the browser is an `error` at its first use."""
    return Pattern(pattern, flags)


def search(pattern: str, string: str, flags: int = 0) -> Match | None:
    return compile(pattern, flags).search(string)


def match(pattern: str, string: str, flags: int = 0) -> Match | None:
    return compile(pattern, flags).match(string)


def fullmatch(pattern: str, string: str, flags: int = 0) -> Match | None:
    return compile(pattern, flags).fullmatch(string)


def findall(pattern: str, string: str, flags: int = 0) -> list[str | tuple[str, ...]]:
    return compile(pattern, flags).findall(string)


def split(pattern: str, string: str, flags: int = 0) -> list[str | None]:
    return compile(pattern, flags).split(string)


def sub(pattern: str, replacement: Replacement, string: str, flags: int = 0) -> str:
    return compile(pattern, flags).sub(replacement, string)


def escape(text: str, **_ways: bool) -> str:
    """A pattern for exactly this text, with only the necessary backslashes, in all of `regex`'s ways."""
    return "".join(_literal(character, _SYNTAX - {"/"}) for character in text)
