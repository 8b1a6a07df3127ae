"""The objects in a tokenizer.json, read with care: a file may come from anywhere.

A wrong type or a contradiction is a TokenizerFileError that names its path. Correct but unsupported parts go
on a list, so that one LackingPartError can name all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from tokenizers_core.errors import LackingPartError, Phrase, TokenizerFileError

PATH_LIMIT: Final = 500
"""The longest path in the file, in characters: no tokenizer nests its parts deeper than that."""
VERSION: Final = "1.0"
"""The version of the format."""

Parsed = TypeVar("Parsed")
_REQUIRED: Final = object()


# --- Reading JSON -------------------------------------------------------------------------------------------


def wrong(part: str, value: object, expected: str, **evidence: str | int) -> TokenizerFileError:
    """The error for a value in the wrong place; `evidence` fills in the blanks of `expected`."""
    return TokenizerFileError("wrong", part=part, value=value, expected=Phrase(expected, **evidence))


def text_of(value: object, path: str) -> str:
    """A string without lone surrogates."""
    if not isinstance(value, str):
        raise wrong(path, value, "a string")
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise wrong(path, value, "a string without lone surrogates") from None
    return value


def whole_number(value: object, path: str, most: int) -> int:
    """A whole number from 0 to `most`."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
        raise wrong(path, value, "a whole number from 0 to {most}", most=most)
    return value


class Part(NamedTuple):
    """A JSON object, and its path in the file, such as `model.vocab`."""

    path: str
    content: Mapping[str, Any]

    @classmethod
    def of(cls, value: object, path: str) -> Part:
        """Raises TokenizerFileError for anything but an object."""
        if not isinstance(value, Mapping):
            raise wrong(path or "the file", value, "an object")
        if len(path) > PATH_LIMIT:
            raise TokenizerFileError("nested")
        return cls(path, value)

    def at(self, key: str) -> str:
        """The path of one of its values."""
        return f"{self.path}.{key}" if self.path else key

    def get(self, key: str, default: object = _REQUIRED) -> Any:
        """A value; a missing one is `default`, if there is one."""
        if key in self.content:
            return self.content[key]
        if default is _REQUIRED:
            raise TokenizerFileError("missing", part=self.at(key))
        return default

    @property
    def kind(self) -> str:
        """The object's own type."""
        return text_of(self.get("type"), self.at("type"))

    def text(self, key: str, default: object = _REQUIRED) -> str:
        return text_of(self.get(key, default), self.at(key))

    def optional_text(self, key: str) -> str:
        """A string, "" where there is null or nothing."""
        value = self.get(key, None)
        return "" if value is None else text_of(value, self.at(key))

    def flag(self, key: str, default: object = _REQUIRED) -> bool:
        value = self.get(key, default)
        if not isinstance(value, bool):
            raise wrong(self.at(key), value, "true or false")
        return value

    def number(self, key: str, most: int, default: object = _REQUIRED) -> int:
        return whole_number(self.get(key, default), self.at(key), most)

    def items(self, key: str) -> Sequence[Any]:
        value = self.get(key)
        if not isinstance(value, list | tuple):
            raise wrong(self.at(key), value, "a list")
        return value

    def part(self, key: str) -> Part:
        return Part.of(self.get(key), self.at(key))

    def choice(self, key: str, choices: Mapping[str, Parsed]) -> Parsed:
        """The meaning of the string under `key`."""
        value = self.text(key)
        if value not in choices:
            raise wrong(self.at(key), value, "one of {choices}", choices=", ".join(choices))
        return choices[value]


def the_file(document: object) -> Part:
    """The document as a whole; it must have this format."""
    file = Part.of(document, "")
    if (version := file.get("version", VERSION)) != VERSION:
        raise wrong("version", version, f"{VERSION!r}")
    file.part("model")
    return file


def flattened(file: Part, key: str, children: str) -> list[Part]:
    """The parts under `key`, those of sequences in their order; none for null."""
    parts: list[Part] = []
    value = file.get(key, None)
    waiting = [] if value is None else [(value, key)]
    while waiting:
        part = Part.of(*waiting.pop())
        if part.kind == "Sequence":
            within = [(child, f"{part.at(children)}[{at}]") for at, child in enumerate(part.items(children))]
            waiting += reversed(within)
        else:
            parts.append(part)
    return parts


# --- Lacking parts ------------------------------------------------------------------------------------------


class Lacking(list[str]):
    """The parts found so far that aren't supported here, each listed once."""

    SHOWN: Final = 20

    def add(self, what: str) -> None:
        if what not in self:
            self.append(what)

    def unless(self, fine: bool, what: str) -> None:
        if not fine:
            self.add(what)

    def tell(self) -> None:
        """Raises LackingPartError if there are any."""
        if self:
            more = [f"{len(self) - self.SHOWN} more"] if len(self) > self.SHOWN else []
            raise LackingPartError([*self[: self.SHOWN], *more])


def read(document: object, parse: Callable[[Part, Lacking], Parsed]) -> Parsed:
    """The result of `parse` for a document. Raises TokenizerFileError, and LackingPartError for all lacking
    parts."""
    lacking = Lacking()
    value = parse(the_file(document), lacking)
    lacking.tell()
    return value
