"""A class's code, for students to type, and sealed credentials: the lecturer's key, a device's number."""

from __future__ import annotations

import secrets
from typing import Final, NamedTuple

from tokensteps.limits import CREDENTIAL_LIMIT
from tokensteps.server.seal import seal, unseal

CODE_LETTERS: Final = "CDFHJKMNPRTWXY34679"
"""No two look alike, on a wall or read aloud (no O and 0, I and 1, B and 8, S and 5, U and V); without vowels
they form no words."""
CODE_LENGTH: Final = 6


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


def read_code(typed: str) -> str | None:
    """A typed code in its normal form; None for an impossible one.

    >>> read_code(" cdf-hjk "), read_code("CDFHJO"), read_code("CDF")
    ('CDFHJK', None, None)
    """
    code = "".join(typed[:40].split()).replace("-", "").upper()
    return code if len(code) == CODE_LENGTH and set(code) <= {*CODE_LETTERS} else None


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
