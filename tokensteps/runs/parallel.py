"""Forty parallel lines in six languages, written for this app: they show a vocabulary's cost for each
language."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from functools import cache
from typing import ClassVar

from tokenizers_core.errors import TokenizersCoreError, quoted
from tokensteps.assets import read_asset
from tokensteps.language.i18n import N_
from tokensteps.language.names import LANGUAGE_NAMES


class ParallelError(TokenizersCoreError):
    """An unreadable table of parallel lines.

    >>> print(ParallelError("columns"))
    The table has one column: write two languages at least, with a tab between them, as a spreadsheet copies them.
    """  # noqa: W505

    templates: ClassVar[Mapping[str, str]] = {
        "columns": N_(
            "The table has one column: write two languages at least, with a tab between them, as a spreadsheet copies them."
        ),
        "quotes": N_(
            "A quotation mark at the beginning of a cell is closed in another one, or never: close it, or take it out."
        ),
        "name": N_("Two columns are called {name}: give each language a name of its own."),
        "row": N_(
            "Row {row} has {cells} cells, but there are {columns} languages: fill them all, or take the row out."
        ),
    }

    def __init__(self, why: str, **evidence: str | int) -> None:
        self.template = self.templates[why]
        super().__init__(**evidence)


def read_parallel(text: str) -> dict[str, list[str]]:
    r"""Lines in several languages from a spreadsheet's copied table, or a CSV file: language → its lines.
    Raises ParallelError.

    >>> read_parallel("English,Deutsch\nGood morning.,Guten Morgen.\n")
    {'English': ['Good morning.'], 'Deutsch': ['Guten Morgen.']}
    """
    separator = "\t" if "\t" in text.partition("\n")[0] else ","
    try:
        read = [*csv.reader(io.StringIO(text, newline=None), delimiter=separator)]
    except csv.Error:  # a cell without an end is longer than the library takes
        raise ParallelError("quotes") from None
    rows = [row for row in read if any(map(str.strip, row))]
    if separator == "\t" and any("\n" in cell and "\t" in cell for row in rows for cell in row):
        raise ParallelError("quotes")
    names = [name.strip() for name in rows[0]] if rows else []
    if len(names) < 2:
        raise ParallelError("columns")
    if again := next((name for index, name in enumerate(names) if name in names[:index]), None):
        raise ParallelError("name", name=quoted(again))
    for number, row in enumerate(rows[1:], start=2):
        filled = [cell for cell in row if cell.strip()]
        if len(filled) != len(names) or len(row) != len(names):
            raise ParallelError("row", row=number, cells=len(filled), columns=len(names))
    return {name: [row[index].strip() for row in rows[1:]] for index, name in enumerate(names)}


def is_table(data: bytes) -> bool:
    r"""Whether a text begins like a table of several columns.

    >>> is_table(b"en,de\nGood morning.,Guten Morgen."), is_table(b"Good morning.")
    (True, False)
    """
    head = data.lstrip().partition(b"\n")[0]
    return b"\t" in head or b"," in head


@cache
def parallel_lines() -> Mapping[str, tuple[str, ...]]:
    """Language → its lines; the same number of a line is the same sentence.

    >>> [lines[7] for lines in parallel_lines().values()][:3]
    ['The bread is still warm.', 'Das Brot ist noch warm.', 'El pan todavía está caliente.']
    """
    return {
        language: tuple(read_asset(f"corpora/parallel/{language}.txt").splitlines())
        for language in LANGUAGE_NAMES
    }


@cache
def table_of_lines() -> str:
    """Those lines as a table for `read_parallel`: a column for each language.

    >>> read_parallel(table_of_lines())["de"][7]
    'Das Brot ist noch warm.'
    """
    lines = parallel_lines()
    return "\n".join("\t".join(row) for row in [tuple(lines), *zip(*lines.values(), strict=True)])
