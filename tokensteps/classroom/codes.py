"""New codes for classes, and sealed credentials: the lecturer's key, a device's number."""

from __future__ import annotations

import secrets
from typing import NamedTuple

from tokensteps.language.classes import CODE_LENGTH, CODE_LETTERS
from tokensteps.limits import CREDENTIAL_LIMIT
from tokensteps.server.seal import seal, unseal


class Person(NamedTuple):
    """The sealed identity of a sender: a holder of a class's key, or one of its devices."""

    code: str
    born: str
    """The id of the class: codes are used again, keys are not."""
    number: int
    """The device's number; 0 for the key."""

    @property
    def lecturer(self) -> bool:
        """Whether this is the class's opener, or another holder of the key."""
        return self.number == 0


def new_code() -> str:
    """An unguessable code."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def credential(person: Person) -> str:
    """A credential for every request: anybody can read it, nobody can forge it."""
    return seal("class", [*person])


def read_credential(shown: object, code: str) -> Person | None:
    """The holder of this credential for a class; None for a forgery, and for another class's. `born` tells
    whether the class is still the same."""
    if not isinstance(shown, str) or len(shown) > CREDENTIAL_LIMIT:
        return None
    match unseal("class", shown):
        case [str(of), str(born), int(number)] if of == code and number >= 0:
            return Person(of, born, number)
    return None
