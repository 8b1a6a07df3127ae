"""Bytes read as text, and files of word counts (`tokenizers_core/text/reading.py`)."""

from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.core.any_text import every_text, thorough
from tokenizers_core import errors
from tokenizers_core.text.corpus import Corpus
from tokenizers_core.text.reading import decode_text, parse_counts


@thorough
@example(b"\xf0\xef\xbf\xbd\xed\xa0\x80 \xff")
@given(st.binary(max_size=30).map(lambda data: data.removeprefix(b"\xef\xbb\xbf")))
def test_invalid_utf8_is_replaced_and_counted(data: bytes) -> None:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return
    text, replaced = decode_text(data)
    assert text == data.decode("utf-8", errors="replace")
    assert replaced == text.count("\ufffd") - data.count(b"\xef\xbf\xbd")
    corpus = Corpus.from_bytes(b"x\n" + data)
    assert corpus.replaced == replaced


def test_byte_order_marks() -> None:
    assert decode_text(b"\xef\xbb\xbfab") == ("ab", 0)
    assert decode_text("aé👍".encode("utf-16")) == ("aé👍", 0)
    assert decode_text(b"\xfe\xff" + "aé👍".encode("utf-16-be")) == ("aé👍", 0)
    assert decode_text("aé👍".encode("utf-32")) == ("aé👍", 0)
    assert decode_text(b"\xff\xfea\x00\x00\xd8b\x00") == ("a\ufffdb", 1)
    assert decode_text(b"") == ("", 0)
    assert Corpus.from_bytes(b"\xff\xfea\x00\n\x00\x00\xd8b\x00").replaced == 1


# --- Word counts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hug 10\npug 5\n", [("hug", 10), ("pug", 5)]),
        ("\ufeffhug 10\r\n\r\n  pug   5  \rpun 1", [("hug", 10), ("pug", 5), ("pun", 1)]),
        ("hug\t10\n a\t2", [("hug", 10), (" a", 2)]),
        ("hug,10\npug, 5", [("hug", 10), ("pug", 5)]),
        ('"a,b",3\n"say ""hi""",4\n"a b", 5', [("a,b", 3), ('say "hi"', 4), ("a b", 5)]),
        ("word,count\nhug,10", [("hug", 10)]),
        ("Word\tFrequency\nhug\t10", [("hug", 10)]),
        ("word count\nhug 10", [("hug", 10)]),
        ("count 3", [("count", 3)]),
        ("# made in 2024\n#\n#note\nhug 10 ", [("hug", 10)]),
        ("# 12\n#tag 3\n#,4\n# a\t5", [("#", 12), ("#tag", 3), ("#", 4), ("# a", 5)]),
        (', 10\n, 5\na,b 7\n. 2\n" 3', [(",", 10), (",", 5), ("a,b", 7), (".", 2), ('"', 3)]),
        ("New York 3\nhug 0010\nhug 2", [("New York", 3), ("hug", 10), ("hug", 2)]),
        ("", []),
    ],
)
def test_counts_are_read(text: str, expected: list[tuple[str, int]]) -> None:
    assert parse_counts(text) == expected


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("hug", "no_count"),
        ("hug,", "no_count"),
        ("hug ten", "not_a_count"),
        ("hug 0", "not_a_count"),
        ("hug -1", "not_a_count"),
        ("hug 1.5", "not_a_count"),
        ("hug ١", "not_a_count"),
        ("hug\t\t", "no_count"),
        ("hug " + "9" * 5000, "too_large"),
        ("12", "no_word"),
        ("\t12", "no_word"),
        (",12", "no_word"),
        ('"hug,10', "quotes"),
        ('"hug"s,10', "quotes"),
        ("a,b,10", "too_many_fields"),
        ("hug,1,000", "too_many_fields"),
    ],
)
def test_invalid_counts(line: str, why: str) -> None:
    with pytest.raises(errors.CountsFileError, match=r"^Line 3 \(") as caught:
        parse_counts(f"pug 5\n\n{line}\npun 1")
    assert (caught.value.line_number, caught.value.line, caught.value.why) == (3, line, why)


@thorough
@given(st.lists(st.tuples(every_text, st.integers(1, 10**18 - 1))))
def test_counts_written_as_csv_are_read_back(counts: list[tuple[str, int]]) -> None:
    counts = [(word, count) for text, count in counts if (word := re.sub(r"[\r\n\t]", "", text))]
    written = io.StringIO()
    csv.writer(written, quoting=csv.QUOTE_ALL).writerows(counts)
    assert parse_counts(written.getvalue()) == counts
