"""Scripts that import each other, and how those that can be are joined.

A group has several of them, each as a function that takes what it imports and gives back what it exports. All others stay files, with
their imports led to the groups, so that every script is run once, whoever imports it.

A function's variables are its own, and what another script takes from it is a copy, made when it has run. So only scripts are joined
whose exports certainly keep their values from then on (`javascript.py`), and that take nothing from others that doesn't; and only
those that begin and end as Streamlit's tools write them. Whatever isn't as expected stays as it is.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from string import Template
from typing import Final, NamedTuple

from tokensteps.assets import read_asset
from tokensteps.limits import JOINING_SECONDS
from tokensteps.server.entrance.script_bundles.javascript import Script, Unclear

TAKES: Final = re.compile(r'import(?:\{([\w$, ]*)\}from)?"\./([\w.$-]+\.js)";')
EXPORTED: Final = re.compile(r"export\{([\w$, ]*)\};?\s*\Z")
LOADS_LATER: Final = re.compile(r"(?:const __vite__mapDeps=[^\n]*\n)?")
"""The first line of a script that loads others later: all that those are going to import."""
NAMED: Final = re.compile(r'"\./([\w.$-]+\.js)"')
"""A script in that line."""
LATER: Final = re.compile(r"\bimport\(([`\"'])\./([\w.$-]+\.js)\1\)")
"""What loads another script later."""
GROUP: Final = re.compile(r"group\.(\d+)\.js")
OURS: Final = "$joined"
"""What all variables begin with that are added here."""
IN_GROUP: Final = "page/joined/module.js"
"""What a script becomes in a group."""
LOADED_LATER: Final = "page/joined/later.js"
"""What loads a script later that is in a group."""
LARGE_SCRIPT: Final = 100_000
"""Characters of a script that is worth a request of its own."""


class Circular(Exception):
    """Raised for scripts that import each other in a circle."""


@dataclass(frozen=True)
class Folder:
    """Gives the texts of the scripts in a folder, by name. Raises OSError."""

    path: Path

    def __call__(self, name: str) -> str:
        return (self.path / name).read_text("utf-8")


@dataclass
class Module:
    """One script."""

    ahead: str
    imports: list[tuple[str, dict[str, str]]]
    """Another script, and what is taken from it: the name here → there."""
    rest: str
    """All behind the imports."""
    body: str
    """That without the list of exports at its end."""
    exports: dict[str, str] | None
    """The name for others → here; None without such a list."""

    @classmethod
    def read(cls, text: str) -> Module:
        """A script from its text."""
        ahead = LOADS_LATER.match(text)
        at = ahead.end() if ahead else 0
        imports = []
        while found := TAKES.match(text, at):
            imports.append((found[2], {here: there for there, here in _named_as(found[1] or "")}))
            at = found.end()
        end = EXPORTED.search(text, at)
        body = text[at : end.start() if end else len(text)]
        exports = {there: here for here, there in _named_as(end[1])} if end else None
        return cls(ahead[0] if ahead else "", imports, text[at:], body, exports)

    def examine(self) -> tuple[frozenset[str], bool]:
        """The exports that keep their values once it has run, and whether it may be joined to others, as far as that is up to itself."""
        try:
            script = Script(self.body)
        except Unclear:
            return frozenset(), False
        exports = self.exports or {}
        settled = frozenset(there for there, here in exports.items() if script.settled(here))
        joinable = (
            self.exports is not None
            and len(settled) == len(exports)
            and len(self.body) <= LARGE_SCRIPT
            and not self.ahead
            and OURS not in self.body
            and "then" not in exports  # what is loaded later would be taken for something to wait for
            and not script.places["await"]
            and not script.places["export"]
            # Else it asks where it is itself.
            and all(script.words[at + 1] == "(" for at in script.places["import"])
        )
        return settled, joinable


def _named_as(names: str) -> list[tuple[str, str]]:
    """Of a list of names, each one's before and behind “as”.

    >>> _named_as("a as b,c")
    [('a', 'b'), ('c', 'c')]
    """
    split = (one.split(" as ") for one in names.split(",") if one)
    return [(one[0], one[-1]) for one in split]


@dataclass
class Groups:
    """Which script is in which group."""

    read: Callable[[str], str]
    """Gives a script's text. Raises OSError."""
    modules: dict[str, Module] = field(default_factory=dict)
    """By name, each after those that it imports."""
    number: dict[str, int] = field(default_factory=dict)
    """Script → group. All others stay files."""

    @classmethod
    def of(cls, names: Iterable[str], read: Callable[[str], str]) -> Groups:
        """Join scripts, and what they import. Raises Circular, and what `read` raises."""
        groups = cls(read)
        for name in names:
            groups._add(name, ())
        needs: dict[str, int] = {}
        settled: dict[str, frozenset[str]] = {}
        for name, module in groups.modules.items():
            settled[name], joinable = module.examine()
            others = [other for other, _names in module.imports]
            changing = {
                here
                for other, taken in module.imports
                for here, there in taken.items()
                if there not in settled[other]
            }
            settled[name] -= {there for there, here in (module.exports or {}).items() if here in changing}
            if joinable and not changing:
                # The first group that is run after all that it takes from. A file may itself need a group, and is run after it.
                first = max((needs[other] + (other not in groups.number) for other in others), default=0)
                needs[name] = groups.number[name] = first
            else:
                needs[name] = max((needs[other] for other in others), default=-1)
        return groups

    def _add(self, name: str, importing: tuple[str, ...]) -> None:
        if name in importing:
            raise Circular(name)
        if name not in self.modules:
            module = Module.read(self.read(name))
            for other, _names in module.imports:
                self._add(other, (*importing, name))
            self.modules[name] = module

    def place(self, name: str) -> str:
        """The file that a script is in."""
        return f"group.{self.number[name]}.js" if name in self.number else name

    def places(self) -> list[str]:
        """All files, each once."""
        return list(dict.fromkeys(map(self.place, self.modules)))

    def text(self, place: str) -> str:
        """What a file has in it: a group, a script, or what stands for a script that is in a group. Raises what `read` raises."""
        if place in self.number:
            return self._stand_in(place)
        if found := GROUP.fullmatch(place):
            return self._group(int(found[1]))
        text = self.read(place)
        return text if OURS in text else self._file(Module.read(text))

    def _group(self, number: int) -> str:
        inside = [name for name in self.modules if self.number.get(name) == number]
        imported = dict.fromkeys(other for name in inside for other, _names in self.modules[name].imports)
        parts = [self._import(other) for other in imported if self.number.get(other) != number]
        for name in inside:
            module = self.modules[name]
            taken = "".join(self._take(*one) for one in module.imports)
            given = ",".join(f"{there}:{here}" for there, here in (module.exports or {}).items())
            made = {"variable": self._variable(name), "taken": taken, "body": self._later(module.body)}
            parts.append(_template(IN_GROUP).substitute(made, given=given))
        parts.append(f"export{{{','.join(map(self._variable, inside))}}};")
        return "\n".join(parts)

    def _file(self, module: Module) -> str:
        """A script by itself, which takes from the groups what is in them."""
        ahead = NAMED.sub(lambda found: f'"./{self.place(found[1])}"', module.ahead)
        imports = [
            self._import(other) + self._take(other, names)
            if other in self.number
            else _import_as_it_was(other, names)
            for other, names in module.imports
        ]
        return "".join((ahead, *imports, self._later(module.rest)))

    def _stand_in(self, name: str) -> str:
        """For whoever imports a script of a group under its own name."""
        exports = {there: f"{OURS}_{at}" for at, there in enumerate(self.modules[name].exports or {})}
        given = ",".join(f"{here} as {there}" for there, here in exports.items())
        taken = self._take(name, {here: there for there, here in exports.items()})
        return f"{self._import(name)}{taken}export{{{given}}};"

    def _variable(self, name: str) -> str:
        """The variable that holds what a script exports."""
        return f"{OURS}{[*self.modules].index(name)}"

    def _import(self, name: str) -> str:
        if name in self.number:
            return f'import{{{self._variable(name)}}}from"./{self.place(name)}";'
        return f'import*as {self._variable(name)} from"./{name}";'

    def _take(self, name: str, names: Mapping[str, str]) -> str:
        """Have single names of what a script exports."""
        taken = ",".join(f"{there}:{here}" for here, there in names.items())
        return f"const{{{taken}}}={self._variable(name)};" if taken else ""

    def _later(self, text: str) -> str:
        """A text, with what it loads later loaded from the groups."""

        def load(found: re.Match[str]) -> str:
            if found[2] not in self.number:
                return found[0]
            place, variable = self.place(found[2]), self._variable(found[2])
            return _template(LOADED_LATER).substitute(place=place, variable=variable)

        return LATER.sub(load, text)


class Joined(NamedTuple):
    """The groups, and what names their folder."""

    groups: Groups
    digest: str


@dataclass(frozen=True)
class Joining:
    """Scripts to be joined by another process: it takes two thirds of a second, in which every page would have to wait."""

    names: tuple[str, ...]
    read: Folder
    seconds: float = 0.7
    limit: float = JOINING_SECONDS

    def __call__(self, _progress: object) -> Joined:
        """Join them. Raises Circular, and LookupError for a script that isn't there."""
        try:
            groups = Groups.of(self.names, self.read)
        except OSError as error:  # which would be taken for the end of the process
            raise LookupError(str(error)) from None
        made = hashlib.sha256()
        for place in groups.places():
            made.update(groups.text(place).encode("utf-8"))
        return Joined(groups, made.hexdigest()[:16])


@cache
def _template(name: str) -> Template:
    return Template(read_asset(name).strip())


def _import_as_it_was(name: str, names: Mapping[str, str]) -> str:
    taken = ",".join(f"{there} as {here}" for here, there in names.items())
    return f'import{{{taken}}}from"./{name}";' if taken else f'import"./{name}";'
