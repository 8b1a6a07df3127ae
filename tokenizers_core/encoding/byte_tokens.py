"""Byte tokens: `<0xE3>` is a byte of a character that the vocabulary can't spell."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby


def byte_token(byte: int) -> str:
    """The token for one byte of a character without a piece, as SentencePiece writes it.

    >>> byte_token(227)
    '<0xE3>'
    """
    return f"<0x{byte:02X}>"


BYTE_TOKENS = {byte_token(byte): byte for byte in range(256)}


def join_bytes(tokens: Iterable[str]) -> list[str]:
    """The tokens, with runs of byte tokens replaced by their text; invalid UTF-8 becomes U+FFFD.

    >>> join_bytes(["caf", "<0xC3>", "<0xA9>", "<0xC3>"])
    ['caf', 'é�']
    """
    joined: list[str] = []
    for byte, group in groupby(tokens, key=BYTE_TOKENS.__contains__):
        if byte:
            joined.append(bytes(BYTE_TOKENS[token] for token in group).decode("utf-8", "replace"))
        else:
            joined.extend(group)
    return joined
