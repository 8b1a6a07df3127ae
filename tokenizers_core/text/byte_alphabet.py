"""The byte alphabet: bytes written as text, one printable character for each."""

from __future__ import annotations

import codecs
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from tokenizers_core.errors import ByteSymbolError


def _byte_alphabet() -> tuple[str, ...]:
    """One printable character for each byte, as GPT-2's authors chose them.

    A byte with a visible character in Latin-1 keeps that character. The other 68 (control characters, spaces,
    the soft hyphen) get the characters from U+0100 on, in order: hence space → `Ġ`.
    """
    visible = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
    spare = itertools.count(0x100)
    return tuple(chr(byte if byte in visible else next(spare)) for byte in range(256))


BYTE_TO_SYMBOL: Final = _byte_alphabet()
"""The byte alphabet: `BYTE_TO_SYMBOL[byte]` is the byte's one character."""

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


# The codecs' quick kind of table has to begin with U+0000: so there is no room for byte 255, never used in
# UTF-8.
_ENCODING_TABLE: Final = codecs.charmap_build("\0" + _DECODING_TABLE[:-1])


def rewriting_table(characters: Iterable[str], separator: str) -> str:
    """A table for `rewritten`: each byte's new symbol, and the separator of words."""
    return separator + "".join(characters)[:-1]


def rewritten(words: Sequence[str], table: str) -> str:
    """Write words in the byte alphabet in other characters, as one string: in a fifth of `str.translate`'s
    time.

    Raises UnicodeError for a character outside the byte alphabet, and for byte 255.

    >>> rewritten(["hug", "pug"], rewriting_table([symbol.upper() for symbol in BYTE_TO_SYMBOL], "|"))
    'HUG|PUG'
    """
    return codecs.charmap_decode(_encoded(words), "strict", table)[0]


def in_byte_alphabet(words: Sequence[str]) -> bool:
    """Whether `rewritten` would know every character of the words.

    >>> in_byte_alphabet(["Ġcaf", "Ã©"]), in_byte_alphabet(["a hug"])
    (True, False)
    """
    try:
        _encoded(words)
    except UnicodeError:
        return False
    return True


def _encoded(words: Sequence[str]) -> bytes:
    """The words by the quick table, a zero between two. Raises UnicodeError."""
    data = codecs.charmap_encode("\0".join(words), "strict", _ENCODING_TABLE)[0]
    if data.count(0) != len(words) - 1:
        raise UnicodeError("a word has U+0000, which stands for no byte")
    return data


def symbols_to_bytes(symbols: str) -> bytes:
    """Read bytes back from the byte alphabet. Raises ByteSymbolError for a character outside it.

    >>> symbols_to_bytes("ĠÃ©Ċ").decode()
    ' é\\n'
    """
    try:
        return bytes([SYMBOL_TO_BYTE[symbol] for symbol in symbols])
    except KeyError as error:
        raise ByteSymbolError(symbols=symbols, position=symbols.index(error.args[0])) from None
