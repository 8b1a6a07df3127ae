"""The byte alphabet: bytes written as text, one printable character for each."""

from __future__ import annotations

import codecs
import itertools
from collections.abc import Iterable, Mapping
from typing import Final

from tokenizers_core.errors import ByteSymbolError


def _byte_alphabet() -> tuple[str, ...]:
    """One printable character for each byte, as GPT-2's authors chose them.

    A byte that Latin-1 shows as a visible character keeps that character. The other 68 (control characters,
    spaces, the soft hyphen) get the characters from U+0100 on, in order: hence space → `Ġ`.
    """
    visible = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
    spare = itertools.count(0x100)
    return tuple(chr(byte if byte in visible else next(spare)) for byte in range(256))


BYTE_TO_SYMBOL: Final = _byte_alphabet()
"""The byte alphabet: `BYTE_TO_SYMBOL[byte]` is the one character that stands for the byte."""

_DECODING_TABLE: Final = "".join(BYTE_TO_SYMBOL)

SYMBOL_TO_BYTE: Final[Mapping[str, int]] = {symbol: byte for byte, symbol in enumerate(BYTE_TO_SYMBOL)}
"""The same table read backwards."""


def bytes_to_symbols(data: bytes) -> str:
    """Write bytes in the byte alphabet: one character for each byte.

    >>> bytes_to_symbols(" é\\n".encode())
    'ĠÃ©Ċ'
    """
    # As the codecs for sets of 256 characters do it: no Python object is made for a byte.
    return codecs.charmap_decode(data, "strict", _DECODING_TABLE)[0]


# The codecs' quick kind of table has to begin with U+0000: so there is no room for byte 255, which UTF-8 never uses.
_ENCODING_TABLE: Final = codecs.charmap_build("\0" + _DECODING_TABLE[:-1])


def rewriting_table(characters: Iterable[str], separator: str) -> str:
    """A table for `rewritten`: what to write for each symbol of the byte alphabet, and for the U+0000 between two words."""
    return separator + "".join(characters)[:-1]


def rewritten(words: str, table: str) -> str:
    r"""Write words in the byte alphabet, with U+0000 between them, in other characters: in a fifth of `str.translate`'s time.

    Raises UnicodeError for a character that stands for no byte, and for byte 255.

    >>> rewritten("hug\0pug", rewriting_table([symbol.upper() for symbol in BYTE_TO_SYMBOL], "|"))
    'HUG|PUG'
    """
    data = codecs.charmap_encode(words, "strict", _ENCODING_TABLE)[0]
    return codecs.charmap_decode(data, "strict", table)[0]


def symbols_to_bytes(symbols: str) -> bytes:
    """Read bytes back from the byte alphabet. Raises ByteSymbolError for a character that stands for no byte.

    >>> symbols_to_bytes("ĠÃ©Ċ").decode()
    ' é\\n'
    """
    try:
        return bytes([SYMBOL_TO_BYTE[symbol] for symbol in symbols])
    except KeyError as error:
        raise ByteSymbolError(symbols=symbols, position=symbols.index(error.args[0])) from None
