"""A class's code, which students type, and the sealed papers that say who somebody is: the lecturer's key, a
device's number."""

from __future__ import annotations

import secrets
from typing import Final, NamedTuple

from tokensteps.limits import CREDENTIAL_LIMIT
from tokensteps.server.seal import seal, unseal

CODE_LETTERS: Final = "CDFHJKMNPRTWXY34679"
"""No two look alike, on a wall or read aloud (no O and 0, I and 1, B and 8, S and 5, U and V); without vowels
they make no words."""
CODE_LENGTH: Final = 6


class Person(NamedTuple):
    """Who asks, as sealed: somebody with the key of a class, or one of its devices."""

    code: str
    born: str
    """That of the class: codes are used again, keys are not."""
    number: int
    """A device's; 0 with the key."""

    @property
    def lecturer(self) -> bool:
        """Whether this is who opened the class, or was given the key."""
        return self.number == 0


def new_code() -> str:
    """A code that nobody can guess."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def read_code(typed: str) -> str | None:
    """A code as it was typed, in its normal form; None for what can't be one.

    >>> read_code(" cdf-hjk "), read_code("CDFHJO"), read_code("CDF")
    ('CDFHJK', None, None)
    """
    code = "".join(typed[:40].split()).replace("-", "").upper()
    return code if len(code) == CODE_LENGTH and set(code) <= {*CODE_LETTERS} else None


def credential(person: Person) -> str:
    """What somebody shows with every request: anybody can read it, nobody can make one."""
    return seal("class", [*person])


def read_credential(shown: object, code: str) -> Person | None:
    """Who shows this at a class; None for a forgery, and for another class's. Whether the class is still the
    same, `born` says."""
    if not isinstance(shown, str) or len(shown) > CREDENTIAL_LIMIT:
        return None
    match unseal("class", shown):
        case [str(of), str(born), int(number)] if of == code and number >= 0:
            return Person(of, born, number)
    return None
