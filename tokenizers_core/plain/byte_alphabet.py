"""The byte alphabet: each of the 256 bytes as one printable character, for byte-level BPE (GPT-2).

Any text is a sequence of UTF-8 bytes, so a vocabulary that starts from all 256 of them knows every
text there is. To keep tokens readable, GPT-2 writes the bytes as characters: the 188 bytes that are
printable in Latin-1 as themselves, the other 68 as the characters from number 256 on. So a space
becomes Ġ and a new line Ċ:

>>> to_symbols("hug pug")
'hugĠpug'
>>> to_symbols("é👍")  # two bytes and four bytes
'Ã©ðŁĳį'
>>> to_text("Ã©ðŁĳį")
'é👍'

A token may end in the middle of a character. Invalid UTF-8 is read as U+FFFD:

>>> to_text("Ã©ðŁ")
'é\ufffd'
"""

from __future__ import annotations

PRINTABLE = [
    *range(ord("!"), ord("~") + 1),
    *range(ord("¡"), ord("¬") + 1),
    *range(ord("®"), ord("ÿ") + 1),
]
OTHERS = [byte for byte in range(256) if byte not in PRINTABLE]
SYMBOLS = {byte: chr(byte) for byte in PRINTABLE} | {byte: chr(256 + n) for n, byte in enumerate(OTHERS)}
"""Byte → the character it is written as."""
BYTES = {symbol: byte for byte, symbol in SYMBOLS.items()}
"""Character → its byte."""


def to_symbols(text: str) -> str:
    """The UTF-8 bytes of a text, each written as one character."""
    return "".join(SYMBOLS[byte] for byte in text.encode())


def to_text(symbols: str) -> str:
    """The text that these bytes spell."""
    return bytes(BYTES[symbol] for symbol in symbols).decode(errors="replace")
