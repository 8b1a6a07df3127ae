"""An address that students' devices can reach, and how it looks as a QR code."""

from __future__ import annotations

import ipaddress
import socket
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import urlsplit, urlunsplit

import segno

from tokensteps.limits import QR_LIMIT

PROBES: Final = ("192.0.2.1", "10.255.255.254", "172.31.255.254", "192.168.255.254")
"""Addresses that are on the way out of most networks: the first is nobody's (RFC 5737), the others are of
private ones."""
BORDER: Final = 4
"""White modules around a code, as its standard asks for."""


class Code(NamedTuple):
    """A QR code: the side of its square, border included, and the dark part of it as the path of an SVG."""

    size: int
    path: str


@lru_cache(256)
def qr(text: str) -> Code:
    """A text as a QR code, which survives the loss of 15 % of it. Raises ValueError for one that is too long.

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
    """This machine's address in the network that it is in; "" if it is in none.

    Nothing is sent: the system is asked from which of its addresses it would.
    """
    for probe in PROBES:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
            try:
                asked.connect((probe, 9))
                found = str(asked.getsockname()[0])
            except OSError:  # no way there
                continue
        if not ipaddress.ip_address(found).is_loopback:
            return found
    return ""


def reachable(url: str) -> str:
    """The beginning of an address under which others reach the server that a browser reaches at `url`.

    A name is taken as it is. In place of this machine's name for itself comes its address in the network, if
    it has one.

    >>> reachable("https://tokens.example.edu/bpe?step=3")
    'https://tokens.example.edu'
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host == "localhost" or host.endswith(".localhost") or _is_own(host):
        host = local_address() or host
        netloc = host if parts.port is None else f"{host}:{parts.port}"
    else:
        netloc = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, netloc, "", "", ""))


def _is_own(host: str) -> bool:
    """Whether an address is one that means this machine itself."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
