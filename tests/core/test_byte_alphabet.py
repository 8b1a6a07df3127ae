"""The byte alphabet (`tokenizers_core/text/byte_alphabet.py`) against the `tokenizers` library's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import pre_tokenizers

from tests.core.any_text import thorough
from tokenizers_core import errors
from tokenizers_core.text.byte_alphabet import BYTE_TO_SYMBOL, bytes_to_symbols, symbols_to_bytes


def test_byte_alphabet_is_the_librarys() -> None:
    assert sorted(BYTE_TO_SYMBOL) == sorted(pre_tokenizers.ByteLevel.alphabet())
    assert len(BYTE_TO_SYMBOL) == 256
    assert (BYTE_TO_SYMBOL[ord(" ")], BYTE_TO_SYMBOL[ord("\n")]) == ("Ġ", "Ċ")


@thorough
@given(st.binary())
def test_byte_alphabet_goes_both_ways(data: bytes) -> None:
    assert symbols_to_bytes(bytes_to_symbols(data)) == data


def test_symbol_without_a_byte() -> None:
    with pytest.raises(errors.ByteSymbolError, match=r"^Character 2 of 'ab c' is ' ',") as caught:
        symbols_to_bytes("ab c")
    assert caught.value.position == 2
