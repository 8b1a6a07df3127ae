"""Sealed texts: anybody can read what a link or a code says, but only this server, which has the secret, can change it."""

from __future__ import annotations

import os
import secrets
from functools import cache
from pathlib import Path
from typing import Any, Final

from itsdangerous import BadData, URLSafeSerializer

from tokensteps.limits import SEALED_LIMIT

SECRET_VARIABLE: Final = "TOKENSTEPS_SECRET"
"""The environment variable that gives several servers one secret."""
SECRET_FILE: Final = Path(__file__).resolve().parents[2] / ".secret"
"""Where a server without it keeps its own, so that codes outlive a restart."""


@cache
def secret() -> str:
    """This server's secret: from the environment, or else from a file, which is written the first time; if it can't be, a new one."""
    given = os.environ.get(SECRET_VARIABLE)
    if given:
        return given
    try:
        handle = os.open(SECRET_FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError:
        pass  # it is there already, or can't be written
    else:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32))
    try:
        return SECRET_FILE.read_text(encoding="ascii").strip() or secrets.token_hex(32)
    except OSError:
        return secrets.token_hex(32)


def seal(kind: str, what: Any) -> str:
    """`what`, as JSON, compressed where that is shorter, signed, and safe in a URL; a seal of one `kind` is no good for another.

    >>> unseal("test", seal("test", {"a": [1, "ü"]}))
    {'a': [1, 'ü']}
    >>> unseal("other", seal("test", 1)) is None, unseal("test", seal("test", 1) + "x") is None
    (True, True)
    """
    return str(URLSafeSerializer(secret(), salt=f"tokensteps.{kind}").dumps(what))


def unseal(kind: str, sealed: str) -> Any | None:
    """What was sealed; None for anything that this server did not seal as this kind."""
    if len(sealed) > SEALED_LIMIT:
        return None
    try:
        return URLSafeSerializer(secret(), salt=f"tokensteps.{kind}").loads(sealed)
    except (BadData, UnicodeError):  # no code contains half of a UTF-16 pair
        return None
