"""The forty lines in six languages, and tables of one's own (`tokensteps/runs/parallel.py`).

Oracle: Unicode's names of the lines' letters; for tables, their cells."""

from __future__ import annotations

import unicodedata

import pytest

from tokensteps.language.names import LANGUAGE_NAMES
from tokensteps.runs.parallel import (
    ParallelError,
    is_table,
    parallel_lines,
    read_parallel,
    table_of_lines,
)

SCRIPTS = {"en": "LATIN", "de": "LATIN", "es": "LATIN", "ru": "CYRILLIC", "zh": "CJK", "hi": "DEVANAGARI"}
ENDS = {"en": ".?", "de": ".?", "es": ".?", "ru": ".?", "zh": "。？", "hi": "।?"}
"""A language's sign for the end of a statement, and of a question."""


def test_six_languages_say_forty_different_lines_each() -> None:
    lines = parallel_lines()
    assert tuple(lines) == tuple(LANGUAGE_NAMES) == tuple(SCRIPTS)
    assert {len(set(texts)) for texts in lines.values()} == {40}


@pytest.mark.parametrize("language", SCRIPTS)
def test_lines_are_in_their_own_script_and_composed(language: str) -> None:
    for line in parallel_lines()[language]:
        letters = [sign for sign in line if sign.isalpha()]
        assert all(unicodedata.name(sign).startswith(SCRIPTS[language]) for sign in letters), line
        assert line == unicodedata.normalize("NFC", line).strip() and len(letters) >= 5


def test_a_line_is_a_question_in_all_languages_or_in_none() -> None:
    for lines in zip(*parallel_lines().values(), strict=True):
        kinds = {ENDS[language].index(line[-1]) for language, line in zip(SCRIPTS, lines, strict=True)}
        assert len(kinds) == 1, lines


def test_a_table_is_read_with_tabs_or_commas() -> None:
    """A comma is text where there are tabs, and a tab where the first row has none; empty rows are no
    rows."""
    assert read_parallel(" en \tde\n\nhi, you\t hallo \n \t \n") == {"en": ["hi, you"], "de": ["hallo"]}
    assert read_parallel('\nen,de,es\r\n"a\tb, c",d,e\n') == {"en": ["a\tb, c"], "de": ["d"], "es": ["e"]}
    assert read_parallel("en,de\rhi,hallo\r") == {"en": ["hi"], "de": ["hallo"]}
    assert read_parallel("en,de") == {"en": [], "de": []}
    assert read_parallel(table_of_lines()) == {name: [*lines] for name, lines in parallel_lines().items()}
    assert is_table(b" \n a\tb\nc") and is_table(b"a,b") and not is_table(b"a\nb,c") and not is_table(b"")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "The table has one column"),
        ("en\nhi", "The table has one column"),
        ("en,de, en", "Two columns are called 'en'"),
        ("en,de\na,b\n\nc,", "Row 3 has 1 cells, but there are 2 languages"),
        ("en,de\na,b,c", "Row 2 has 3 cells, but there are 2 languages"),
        ("en,de,es\na,b,c,", "Row 2 has 3 cells, but there are 3 languages"),
        ('en\tde\n"Hi\tHallo\nA\tB\nYes"\tJa', "A quotation mark at the beginning of a cell"),
        ('en\tde\n"Hi\tHallo\n' + "A\tB\n" * 40_000, "A quotation mark at the beginning of a cell"),
    ],
)
def test_an_invalid_table_is_reported(text: str, says: str) -> None:
    with pytest.raises(ParallelError) as caught:
        read_parallel(text)
    assert str(caught.value).startswith(says)
