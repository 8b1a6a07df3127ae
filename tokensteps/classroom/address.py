"""An address within students' reach, and its QR code."""

from __future__ import annotations

import ipaddress
import socket
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import urlsplit, urlunsplit

import segno

from tokensteps.limits import QR_LIMIT

PROBES: Final = ("192.0.2.1", "10.255.255.254", "172.31.255.254", "192.168.255.254")
"""Addresses on the way out of most networks: the first is nobody's (RFC 5737), the others are from private
networks."""
BORDER: Final = 4
"""White modules around a code, required by its standard."""


class Code(NamedTuple):
    """A QR code: the side of its square, border included, and the dark part of it as the path of an SVG."""

    size: int
    path: str


@lru_cache(256)
def qr(text: str) -> Code:
    """A text as a QR code, readable despite the loss of 15 % of it. Raises ValueError for too long a text.

    >>> qr("http://192.0.2.7:8501/class?join=CDFHJK").size
    37
    """
    if len(text) > QR_LIMIT:
        raise ValueError(
            f"{len(text)} characters are too many for a QR code; at most {QR_LIMIT} can be read from afar."
        )
    rows = segno.make_qr(text, error="m").matrix
    path = "".join(
        f"M{x + BORDER} {y + BORDER}h1v1h-1z"
        for y, row in enumerate(rows)
        for x, dark in enumerate(row)
        if dark
    )
    return Code(len(rows) + 2 * BORDER, path)


def local_address() -> str:
    """This machine's address in its network; "" if it is in none.

    Nothing is sent: the system only says which of its addresses it would send from.
    """
    for probe in PROBES:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
            try:
                connection.connect((probe, 9))
                address = str(connection.getsockname()[0])
            except OSError:  # no way there
                continue
        if not ipaddress.ip_address(address).is_loopback:
            return address
    return ""


def reachable(url: str) -> str:
    """The beginning of the server's address for others, from a browser's address of it, `url`.

    A name is left unchanged. This machine's name for itself is replaced by its address in the network, if it
    has one.

    >>> reachable("https://tokens.example.edu/bpe?step=3")
    'https://tokens.example.edu'
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host == "localhost" or host.endswith(".localhost") or _is_own(host):
        host = local_address() or host
        host = f"[{host}]" if ":" in host else host
        netloc = host if parts.port is None else f"{host}:{parts.port}"
    else:
        netloc = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, netloc, "", "", ""))


def _is_own(host: str) -> bool:
    """Whether an address means this machine itself."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
