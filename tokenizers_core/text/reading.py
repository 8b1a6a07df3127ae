"""Reading uploads: bytes as text, and files of word counts."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

from tokenizers_core.errors import CountsFileError
from tokenizers_core.text.patterns import regex

# --- Bytes as text ------------------------------------------------------------------------------------------

# Stands for an invalid sequence while reading: no decoder returns a surrogate, so it can't be in the text.
_INVALID: Final = "\ud800"
_MARK_INVALID: Final = "tokensteps.mark_invalid"


def _mark_invalid(error: UnicodeError) -> tuple[str, int]:
    """A decoding error handler like `errors="replace"`, but with a countable replacement."""
    if isinstance(error, UnicodeDecodeError):
        return _INVALID, error.end
    raise error


codecs.register_error(_MARK_INVALID, _mark_invalid)


class DecodedText(NamedTuple):
    """Text read from bytes, and how many invalid sequences were replaced by U+FFFD in it."""

    text: str
    replaced: int


def _settle(marked: str) -> DecodedText:
    """Count the marked invalid sequences, and write U+FFFD for them."""
    return DecodedText(marked.replace(_INVALID, "\ufffd"), marked.count(_INVALID))


def encoding_of(first_bytes: bytes) -> str:
    """The encoding announced by a file's byte order mark, otherwise UTF-8. The codecs drop the mark."""
    # UTF-32's little-endian mark begins with UTF-16's, so it comes first.
    marks = {
        "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
        "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
    }
    return next((name for name, mark in marks.items() if first_bytes.startswith(mark)), "utf-8-sig")


def decode_text(data: bytes) -> DecodedText:
    """Read uploaded bytes as text.

    They are UTF-8 unless a byte order mark says UTF-16 or UTF-32; the mark itself is dropped, and every
    invalid sequence becomes U+FFFD and is counted.

    >>> decode_text(b"\\xef\\xbb\\xbfcaf\\xe9!")
    DecodedText(text='caf�!', replaced=1)
    >>> decode_text("café".encode("utf-16")).text
    'café'
    """
    return _settle(data.decode(encoding_of(data[:4]), errors=_MARK_INVALID))


def read_lines(stream: BinaryIO, encoding: str = "") -> Iterator[DecodedText]:
    """Read a stream of bytes as `decode_text` would, a line at a time, without the lines' ends; close it.

    Without an `encoding`, the stream begins where its file does, and `encoding_of` finds the encoding.
    """
    if not encoding:
        encoding = encoding_of(stream.read(4))
        stream.seek(0)
    with io.TextIOWrapper(stream, encoding=encoding, errors=_MARK_INVALID) as lines:
        for line in lines:
            yield _settle(line.removesuffix("\n"))


# --- Files of word counts -----------------------------------------------------------------------------------

_HEADERS: Final = frozenset({"count", "counts", "freq", "frequency", "n", "occurrences"})


def parse_counts(text: str) -> list[tuple[str, int]]:
    r"""Read word counts, one a line, and give them in the file's order (a word given twice appears twice).

    * `hug 10`: the last field is the count, and the text before it is the word.
    * With a tab in between, or as CSV (`hug,10`), the word is taken as it is, spaces included; in CSV a word
      may be in quotes. A word that ends in a comma needs quotes, except a comma alone (`, 10`).
    * Blank lines are skipped, and so is a first line such as `word,count`.
    * `#` may be a word or begin one (`# 12`, `#tag 3`). A line with `#` in front is a comment unless it is
      one word and a count, or has a tab.

    Raises CountsFileError with the line's number (from 1), the line, and the fault.

    >>> parse_counts('# from the course\nhug 10\npug\t5\n"a,b",12\n')
    [('hug', 10), ('pug', 5), ('a,b', 12)]
    """
    counts: list[tuple[str, int]] = []
    is_first = True
    for line_number, line in enumerate(regex.split(r"\r\n|\r|\n", text.removeprefix("\ufeff")), start=1):
        if not line.strip() or _is_comment(line):
            continue
        fields = _fields(line_number, line)
        is_header = is_first and len(fields) == 2 and fields[1].strip().lower() in _HEADERS
        if not is_header:
            counts.append(_word_and_count(line_number, line, fields))
        is_first = False
    return counts


def _is_comment(line: str) -> bool:
    """Whether a line begins with `#` and isn't the count of such a word."""
    is_count = regex.fullmatch(r"\S+(?:\s+|,\s*)[0-9]+\s*", line)
    return line.startswith("#") and "\t" not in line and not is_count


def _fields(line_number: int, line: str) -> list[str]:
    """Split a line into word and count by a tab, else by its comma (CSV), else by its last whitespace."""
    if "\t" in line:
        return line.rsplit("\t", 1)
    spaced = line.strip().rsplit(None, 1)
    # In `a,b 10` the comma is part of the word, and in `, 10` it is the word. In `hug, 10` it is CSV's.
    comma_in_word = (
        len(spaced) == 2
        and not regex.search(r'[\s"]', spaced[0])
        and (spaced[0] == "," or ("," not in spaced[1] and not spaced[0].endswith(",")))
    )
    if "," not in line or comma_in_word:
        return spaced
    try:
        return next(csv.reader([line], strict=True))
    except csv.Error:
        raise CountsFileError(line_number=line_number, line=line, why="quotes") from None


def _word_and_count(line_number: int, line: str, fields: list[str]) -> tuple[str, int]:
    """Check a line's fields. Raises CountsFileError."""

    def error(why: str) -> CountsFileError:
        return CountsFileError(line_number=line_number, line=line, why=why)

    if len(fields) < 2:
        raise error("no_word" if regex.fullmatch(r"\s*[0-9]+\s*", line) else "no_count")
    if len(fields) > 2:
        raise error("too_many_fields")
    word, digits = fields[0], fields[1].strip()
    if not digits:
        raise error("no_count")
    if not regex.fullmatch(r"0*[1-9][0-9]*", digits):
        raise error("not_a_count")
    if len(digits.lstrip("0")) > 18:
        raise error("too_large")
    if not word:
        raise error("no_word")
    return word, int(digits)
