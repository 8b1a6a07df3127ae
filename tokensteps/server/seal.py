"""Sealed texts: anybody can read a link or a code, but only this server has the secret to change it."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import tempfile
from pathlib import Path
from typing import Any, Final

from itsdangerous import BadData, URLSafeSerializer

from tokensteps.assets import DATA_FOLDER
from tokensteps.limits import LEAST_SECRET, SEALED_LIMIT
from tokensteps.server.process_singleton import process_singleton

log = logging.getLogger(__name__)

SECRET_VARIABLE: Final = "TOKENSTEPS_SECRET"
"""The environment variable with a common secret for several servers."""
SECRET_FILE: Final = DATA_FOLDER / ".secret"
"""The file of a server's own secret without the variable, so that codes outlive a restart."""


class SecretError(RuntimeError):
    """A useless or unreadable secret: the server should not start with it. For the server's admin."""


def read_secret() -> str:
    """This server's secret: from the environment, or else from a file written by the first server. Raises
    SecretError.

    If the file can't be written, as in a read-only container or on a full disk, this process has a secret of
    its own and a warning in the log: its seals end with it, and other workers take them for forgeries.
    """
    value = os.environ.get(SECRET_VARIABLE)
    if value:
        return _usable(
            value.strip(), f"the environment variable {SECRET_VARIABLE}", "set it to the output of"
        )
    if not SECRET_FILE.exists():
        try:
            DATA_FOLDER.mkdir(mode=0o700, exist_ok=True)
            _write_once(SECRET_FILE, secrets.token_hex(32))
        except OSError as error:
            log.warning(
                "%s can't be written (%s): challenges and codes end with this process. Set %s to keep them.",
                *(SECRET_FILE, error.strerror, SECRET_VARIABLE),
            )
            return secrets.token_hex(32)
    try:
        result = SECRET_FILE.read_text(encoding="ascii").strip()
    except (OSError, UnicodeError) as error:
        raise SecretError(
            f"{SECRET_FILE} can't be read ({error}): let the server's user read it, delete it to get a new one, "
            f"or set {SECRET_VARIABLE}."
        ) from None
    return _usable(result, str(SECRET_FILE), "delete it, or fill it with the output of")


def _usable(secret: str, where: str, remedy: str) -> str:
    if not secret.isascii():
        raise SecretError(f"The secret in {where} isn't ASCII text: {remedy} “openssl rand -hex 32”.")
    if len(secret) < LEAST_SECRET:
        raise SecretError(
            f"The secret in {where} has {len(secret)} characters, fewer than {LEAST_SECRET}, so seals could be forged: "
            f"{remedy} “openssl rand -hex 32”."
        )
    return secret


def _write_once(path: Path, text: str) -> None:
    """Write a file whole or not at all, unless another process comes first: then the other file stays. Raises
    OSError.

    The text is written and flushed to disk under another name; then a link succeeds for one process alone.
    """
    handle, written = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}-")  # readable by its owner only
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(written, path)
    finally:
        os.unlink(written)


secret: Final = process_singleton(read_secret)
"""The secret, read once."""


def seal(kind: str, what: Any) -> str:
    """`what`, as JSON, compressed where that is shorter, signed, and safe in a URL; a seal of one `kind` is
    no good for another.

    >>> unseal("test", seal("test", {"a": [1, "ü"]}))
    {'a': [1, 'ü']}
    >>> unseal("other", seal("test", 1)) is None, unseal("test", seal("test", 1) + "x") is None
    (True, True)
    """
    return str(URLSafeSerializer(secret(), salt=f"tokensteps.{kind}").dumps(what))


def unseal(kind: str, sealed: str) -> Any | None:
    """The sealed value; None for anything but this server's seals of this kind."""
    if len(sealed) > SEALED_LIMIT:
        return None
    try:
        return URLSafeSerializer(secret(), salt=f"tokensteps.{kind}").loads(sealed)
    except (BadData, UnicodeError):  # no code contains half of a UTF-16 pair
        return None
