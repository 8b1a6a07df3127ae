"""The forty lines in six languages (`tokensteps/runs/parallel.py`). Oracle: Unicode's names of their
letters."""

from __future__ import annotations

import unicodedata

import pytest

from tokensteps.runs.parallel import PARALLEL_LANGUAGES, parallel_lines

SCRIPTS = {"en": "LATIN", "de": "LATIN", "es": "LATIN", "ru": "CYRILLIC", "zh": "CJK", "hi": "DEVANAGARI"}
ENDS = {"en": ".?", "de": ".?", "es": ".?", "ru": ".?", "zh": "。？", "hi": "।?"}
"""A language's sign for the end of a statement, and of a question."""


def test_six_languages_say_forty_different_lines_each() -> None:
    lines = parallel_lines()
    assert tuple(lines) == tuple(PARALLEL_LANGUAGES) == tuple(SCRIPTS)
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
